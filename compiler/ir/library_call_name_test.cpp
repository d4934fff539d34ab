// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/library_call_name.h"

#include "compiler/ir/test_text.h"

namespace einc::ir {
namespace {

std::string nameOf(const std::string& signature, const std::string& output = "%C: tensor<M x f32>",
                   const std::string& given = "") {
  return libraryCallName(test::parsedKernel("kernel @f(" + signature + ") -> (" + output +
                                            ") library_call \"" + given + "\" level tensors { }"));
}

TEST(LibraryCallName, TypesOfOperands) {
  EXPECT_EQ(nameOf("%A: tensor<M x 4 x bf16>, a: f64, %B: tensor<(M + 1) x f16>, b: u8"),
            "linalg_f_viewsx4xbf16_f64_viewsxf16_i8_viewsxf32");
  EXPECT_EQ(nameOf("%A: tensor<0 x u64>, %B: tensor<bool>, b: bool", "%C: tensor<i32>"),
            "linalg_f_view0xi64_viewi1_i1_viewi32");
  EXPECT_EQ(nameOf("%A: tensor<2 x f32>", "%C: tensor<M x f32>, %D: tensor<3 x 5 x f32>"),
            "linalg_f_view2xf32_viewsxf32_view3x5xf32");
}

TEST(LibraryCallName, GivenOnesStayAsTheyAre) {
  EXPECT_EQ(nameOf("%A: tensor<M x f32>", "%C: tensor<M x f32>", "my_f"), "my_f");
}

}  // namespace
}  // namespace einc::ir
