// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "compiler/emit/c_scope.h"
#include "compiler/emit/named_op.h"
#include "compiler/emit/names.h"
#include "compiler/emit/prelude.h"
#include "compiler/emit/signature.h"

namespace einc::emit {
namespace {

size_t count(const std::string& text, const std::string& part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(NamesTest, KeepsOrdinaryNamesAndMendsReservedOnes) {
  EXPECT_EQ(mangled("A"), "A");
  EXPECT_EQ(mangled("int"), "int_");
  EXPECT_EQ(mangled("I"), "I_");
  for (const char* name :
       {"__x", "_", "_a", "a__b", "einc_view", "EINC_OK", "class", "exp", "NAN"}) {
    EXPECT_TRUE(isReserved(name)) << name;
    EXPECT_FALSE(isReserved(mangled(name))) << name << " " << mangled(name);
  }
}

TEST(NamesTest, DefsGetFunctionsThatDoNotClash) {
  EXPECT_EQ(functionName("matmul", ""), "matmul");
  EXPECT_EQ(functionName("matmul", "my_"), "my_matmul");
  EXPECT_EQ(functionName("exp", ""), "exp_op");
  EXPECT_EQ(functionName("exp", "my_"), "my_exp");
  EXPECT_EQ(functionName("main", ""), "main_op");
}

TEST(NamesTest, AScopeGivesEachNameOnce) {
  Names names;
  EXPECT_EQ(names.make("M"), "M");
  EXPECT_EQ(names.make("M"), "M1");
  EXPECT_EQ(names.make("x1"), "x1");
  EXPECT_EQ(names.make("x1"), "x1_1");
  EXPECT_EQ(names.make("for"), "for_");
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
  EXPECT_LT(text.find("double einc_exp_f64("), text.find("double einc_tanh_f64("));
  EXPECT_EQ(count(text, "EINC_INLINE") + count(text, "x16") + count(text, "f32"), 0u) << text;
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

TEST(ScopeTest, WordsInsideStringsAreNoNames) {
  EXPECT_EQ(withoutStrings("a = f(b, \"c has d\", e);"), "a = f(b, , e);");
  EXPECT_FALSE(usesWord(withoutStrings("say(\"C\")"), "C"));
}

TEST(CommentTest, NothingEndsTheCommentOrJoinsLines) {
  std::string text = commentLines("a */ b /* c ?\?/\nend\\\n\x01%s #include <x>", " * ");
  EXPECT_EQ(count(text, "*/"), 0u);
  EXPECT_EQ(count(text, "/*"), 0u);
  EXPECT_EQ(count(text, "?\?"), 0u);
  EXPECT_EQ(count(text, "\\\n"), 0u);
  EXPECT_EQ(count(text, "\x01"), 0u);
  EXPECT_EQ(count(text, "\n"), 3u);
}

TEST(SignatureTest, PassesScalarsByValueAndWhatHasADefaultByAddress) {
  ir::Kernel kernel;
  kernel.tensors = {{"A", ir::ScalarType::F32, {affine::Expr::symbol("M")}, ir::Role::Input},
                    {"C", ir::ScalarType::BF16, {}, ir::Role::Output}};
  ir::Attribute alpha;
  alpha.name = "alpha";
  alpha.type = ir::ScalarType::F64;
  alpha.parameter = true;
  ir::Attribute list;
  list.name = "list";
  list.type = ir::ScalarType::I32;
  list.list = true;
  ir::Attribute mode;
  mode.name = "mode";
  mode.type = ir::ScalarType::U8;
  mode.optional = true;
  kernel.attributes = {alpha, list, mode};
  kernel.inputs = {{false, 0}, {true, 0}};
  Signature signature(kernel);
  EXPECT_EQ(signature.declarations(),
            "double alpha, const einc_memref_f32_1 *A, einc_memref_bf16_0 *C, const int32_t *list, "
            "int64_t list_length, const uint8_t *mode");
  EXPECT_EQ(signature.arguments(), "alpha, A, C, list, list_length, mode");
  EXPECT_EQ(count(signature.mlirDeclarations(), "const einc_memref"), 0u);
}

TEST(NamedOpTest, CamelCaseIsThatOfOpDsl) {
  EXPECT_EQ(camelCase("matmul_i8_i32"), "MatmulI8I32");
  EXPECT_EQ(camelCase("conv_2d_nhwc"), "Conv2DNhwc");
  EXPECT_EQ(camelCase("_a__b"), "AB");
}

TEST(NamedOpTest, DocTextHoldsWhatACodeLiteralCan) {
  DocText text = docText(std::string("\n a }] b\0 \xff\r\n\r\n  c \r d\n", 22));
  EXPECT_EQ(text.summary, "a } ] b\xEF\xBF\xBD \xEF\xBF\xBD");
  EXPECT_EQ(text.description, "c\n d");
  EXPECT_EQ(docText("").summary, "");
}

}  // namespace
}  // namespace einc::emit
