// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/known_symbol.h"

#include <gtest/gtest.h>

#include "compiler/transforms/builder.h"

namespace einc::transforms {
namespace {

using affine::Expr;

TEST(KnownSymbol, IndicesHaveTheNumber) {
  const Expr s = Expr::symbol("s"), one = constant(1);
  const Expr moving = at("n") * s + at("k");
  EXPECT_EQ(withKnown(moving, "s", one), at("n") + at("k"));
  EXPECT_EQ(withKnown(moving, "s", constant(3)), at("n") * constant(3) + at("k"));
  EXPECT_EQ(withKnown(moving, "t", one), moving);
  EXPECT_EQ(withKnown(at("n") * s, "s", one), at("n") * s);  // an iterator alone
  EXPECT_EQ(withKnown(s, "s", constant(7)), constant(7));
  EXPECT_EQ(withKnown(at("n") * s * constant(INT64_MAX), "s", constant(2)),
            at("n") * s * constant(INT64_MAX));  // overflows
}

TEST(KnownSymbol, AllOperandsHaveIt) {
  ir::StructuredOp op;
  op.inputs = {{0, {at("n") * Expr::symbol("s") + at("k")}, nullptr}};
  op.outputs = {{1, {at("n"), Expr::symbol("s")}, nullptr}};
  setKnown(op, "s", constant(1));
  EXPECT_EQ(op.inputs[0].map[0], at("n") + at("k"));
  EXPECT_EQ(op.outputs[0].map[0], at("n"));
  EXPECT_EQ(op.outputs[0].map[1], constant(1));
}

}  // namespace
}  // namespace einc::transforms
