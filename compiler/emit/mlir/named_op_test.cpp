// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/mlir/named_op.h"

#include <gtest/gtest.h>

namespace einc::emit {
namespace {

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
