// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// BodyWriter: conditions, and what is known where they hold.
#include <algorithm>
#include <utility>

#include "compiler/emit/c/body.h"

namespace einc::emit {

Test BodyWriter::condition(const ir::Condition& c) {
  static const char* const signs[] = {" == ", " < ", " <= "};
  if (c.kind == ir::Condition::Kind::Unit) return unit(c.tensor, c.dim);
  if (c.kind == ir::Condition::Kind::Aligned) return aligned(c.tensor, c.dim, *c.left.asConstant());
  if (auto known = facts_.holds(c)) return Test::known(*known);
  return Test::asked(wrapped(printer_.index(c.left)) + signs[static_cast<int>(c.kind)] +
                     wrapped(printer_.index(c.right)));
}

Test BodyWriter::allOf(const std::vector<ir::Condition>& conditions) {
  std::vector<Test> tests;
  for (const ir::Condition& c : conditions) tests.push_back(condition(c));
  return Test::allOf(tests);
}

// What is done where the conditions hold.
void BodyWriter::underConditions(const ir::If& test) {
  facts::Facts around = facts_;
  facts_.assume(test.conditions);
  block(test.then);
  facts_ = std::move(around);
}

void BodyWriter::operator()(const ir::If& test) {
  Test all = allOf(test.conditions);
  if (all.never()) return block(test.otherwise);
  if (all.always()) return underConditions(test);
  if (!end_.empty()) return explain(test, all);
  const std::string before = out_.take();
  out_.indent();
  underConditions(test);
  const std::string then = out_.take();
  out_.dedent().raw(before);
  if (then.empty()) {
    out_.open("if (!(" + all.text() + ")) {");
    block(test.otherwise);
    out_.close();
    return;
  }
  out_.open("if (" + all.text() + ") {").raw(then);
  // What is left over of vectors is short.
  auto isOfSizes = [](const ir::Condition& c) {
    using Kind = ir::Condition::Kind;
    return c.kind == Kind::Equal || c.kind == Kind::Less || c.kind == Kind::LessEqual;
  };
  bool leaves = std::all_of(test.conditions.begin(), test.conditions.end(), isOfSizes) &&
                hasVectors(test.then);
  bool outer = std::exchange(isLeftOver_, isLeftOver_ || leaves);
  otherwise(test.otherwise);
  isLeftOver_ = outer;
  out_.close();
}

void BodyWriter::otherwise(const ir::Block& statements) {
  if (statements.empty()) return;
  auto* test = statements.size() == 1 ? std::get_if<ir::If>(&statements[0].node) : nullptr;
  Test all = test ? allOf(test->conditions) : Test::known(false);
  if (!all.isAsked()) {
    out_.dedent().line("} else {").indent();
    return block(statements);
  }
  out_.dedent().line("} else if (" + all.text() + ") {").indent();
  underConditions(*test);
  otherwise(test->otherwise);
}

// Whether neighbours along the dimension are neighbours in memory.
Test BodyWriter::unit(unsigned tensor, unsigned dim) {
  const facts::Unit asked = facts_.unit(tensor, dim);
  switch (asked.kind) {
    case facts::Unit::Kind::Always:
    case facts::Unit::Kind::Never:
      break;
    case facts::Unit::Kind::Stride:
      return Test::asked(scope_.stride(asked.tensor, asked.dim) + " == 1");
    case facts::Unit::Kind::Table: {
      std::string positions = scope_.data(asked.table);
      if (!asked.first.isZero()) positions += " + " + wrapped(printer_.index(asked.first));
      return Test::asked(prelude_.need("is_run") + "(" + positions + ", " +
                         printer_.index(asked.size) + ")");
    }
    case facts::Unit::Kind::Seams:
      return goesOn(asked);
  }
  return Test::known(asked.kind == facts::Unit::Kind::Always);
}

// Whether a dimension that stands for several of the base goes on by one at each seam.
Test BodyWriter::goesOn(const facts::Unit& asked) const {
  const ir::View& view = *facts_.viewOf(asked.tensor);
  std::vector<std::string> tests;
  for (const affine::Expr& seam : facts::Views::seams(view)) {
    Index after(view.dims.size()), before(view.dims.size());
    after[asked.dim] = seam;
    before[asked.dim] = seam - affine::Expr::constant(1);
    tests.push_back(wrapped(address(asked.tensor, after)) + " - " +
                    wrapped(address(asked.tensor, before)) + " == 1");
  }
  return Test::allOf(tests);
}

// Whether lines along the dimension begin at multiples of so many bytes: never where addresses
// are not linear in positions.
Test BodyWriter::aligned(unsigned tensor, unsigned dim, int64_t bytes) {
  const ir::Tensor& t = kernel_.tensors[tensor];
  std::string unit = std::to_string(bytes / static_cast<int64_t>(ir::info(t.type).bytes()));
  Index zero(t.shape.size());
  std::string first = wrapped(address(tensor, zero));
  std::vector<std::string> tests = {prelude_.need("lead") + "(&" + element(tensor, zero) + ", " +
                                    std::to_string(ir::info(t.type).bytes()) + ", " +
                                    std::to_string(bytes) + ", 1) == 0"};
  for (unsigned d = 0; d < t.shape.size(); ++d) {
    if (d == dim) continue;
    Index next = zero;
    next[d] = affine::Expr::iterator(".line");
    if (!facts_.isLinear(tensor, next, ".line")) return Test::known(false);
    next[d] = affine::Expr::constant(1);
    std::string step = t.role == ir::Role::View
                           ? wrapped(wrapped(address(tensor, next)) + " - " + first)
                           : scope_.stride(tensor, d);
    tests.push_back(step + " % " + unit + " == 0");
  }
  return Test::allOf(tests);
}

}  // namespace einc::emit
