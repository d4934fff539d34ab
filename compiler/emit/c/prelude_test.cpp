// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/c/prelude.h"

#include <gtest/gtest.h>

#include "compiler/emit/c/vectors.h"

namespace einc::emit {
namespace {

size_t count(const std::string& text, const std::string& part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(PreludeTest, GivesWhatIsNeededOnceAndInOrder) {
  Prelude prelude;
  EXPECT_EQ(prelude.need("round_f16"), "einc_round_f16");
  prelude.need("round_bf16");
  std::string text = prelude.text();
  EXPECT_EQ(count(text, "static inline uint16_t einc_narrow("), 1u);
  EXPECT_LT(text.find("einc_narrow("), text.find("einc_store_f16("));
  EXPECT_LT(text.find("einc_store_f16("), text.find("einc_round_f16("));
  EXPECT_EQ(count(text, "einc_add_i32"), 0u);
  EXPECT_EQ(count(text, "/*@"), 0u) << "markers stay out of the output";
}

TEST(PreludeTest, OtherWidthsComeFromTheirBase) {
  Prelude prelude;
  prelude.need("abs_i8");
  prelude.need("max_f64");
  prelude.need("to_u64");
  std::string text = prelude.text();
  EXPECT_EQ(count(text, "static inline int8_t einc_abs_i8(int8_t a)"), 1u) << text;
  EXPECT_EQ(count(text, "static inline int8_t einc_neg_i8(int8_t a)"), 1u) << text;
  EXPECT_EQ(count(text, "static inline double einc_max_f64(double a, double b)"), 1u) << text;
  EXPECT_EQ(count(text, "UINT64_MAX"), 2u) << text;
  EXPECT_EQ(count(text, "i32") + count(text, "f32") + count(text, "u32"), 0u) << text;
}

TEST(PreludeTest, AFunctionOfOneNumberIsThatOfVectorsWithOneLane) {
  EXPECT_TRUE(isInFunctions("exp_f32"));
  EXPECT_FALSE(isInFunctions("exp_f16"));
  EXPECT_FALSE(isInFunctions("max_f32"));
  Prelude prelude;
  prelude.need("tanh_f64");
  std::string text = prelude.text();
  EXPECT_EQ(count(text, "static inline double einc_tanh_f64(double x)"), 1u) << text;
  EXPECT_LT(text.find("double einc_exp_near_f64("), text.find("double einc_tanh_f64("));
  EXPECT_EQ(count(text, "EINC_INLINE") + count(text, "x16") + count(text, "f32"), 0u) << text;
}

TEST(PreludeTest, ProductsAreAddedWithOneRoundingWhereATargetDoes) {
  for (bool fuses : {false, true}) {
    Prelude scalars;
    VectorPrelude prelude("v4_", {}, fuses, {});
    prelude.need("exp_f32x8");
    EXPECT_EQ(prelude.needForOne("exp", "f32", 1), "einc_v4_one_exp_f32");
    std::string text = prelude.text(scalars);
    EXPECT_EQ(text.find("mad_f32x8(") == std::string::npos, fuses) << text;
    EXPECT_EQ(text.find("fma_f32x8(") != std::string::npos, fuses) << text;
    EXPECT_EQ(count(text, "return einc_v4_exp_f32x4(x_lanes)[0];"), 1u) << text;
  }
}

TEST(PreludeTest, SaysWhatItsTextTakes) {
  Prelude one, several(Prelude::Shared::Declared, "lib");
  for (Prelude* prelude : {&one, &several}) {
    EXPECT_TRUE(prelude->headers().empty());
    prelude->need("cpu");
    EXPECT_TRUE(prelude->brings("find_cpu"));
  }
  EXPECT_EQ(one.headers(), std::vector<std::string>{"<cpuid.h>"});
  EXPECT_TRUE(several.headers().empty()) << "the other file has the function";
  EXPECT_EQ(one.text().find("<cpuid.h>"), std::string::npos);
  EXPECT_FALSE(one.brings("cblas_int"));
  one.need("cblas_gemm_f64");
  EXPECT_TRUE(one.brings("cblas_int"));
  EXPECT_FALSE(one.brings("blis_names"));
}

TEST(PreludeTest, ReasonsOfLibrariesAreShortSentences) {
  EXPECT_EQ(longestRefusal(),
            std::string("has a size or stride beyond the library's integers").size());
  Prelude prelude;
  EXPECT_EQ(prelude.need("cblas_refuses_gemv_f64"), "einc_cblas_refuses_gemv_f64");
  std::string text = prelude.text();
  EXPECT_EQ(count(text, "} einc_refusal;"), 1u) << text;
  EXPECT_LT(text.find("} einc_refusal;"), text.find("einc_cblas_refuses_matrix("));
  EXPECT_EQ(count(text, "f32"), 0u) << text;
}

}  // namespace
}  // namespace einc::emit
