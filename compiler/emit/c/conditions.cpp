// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Whether conditions hold, which facts may know.
#include "compiler/emit/c/places.h"

namespace einc::emit {

Test PlacePrinter::condition(const ir::Condition& c) {
  static const char* const signs[] = {" == ", " < ", " <= "};
  if (c.kind == ir::Condition::Kind::Unit) return unit(c.tensor, c.dim);
  if (c.kind == ir::Condition::Kind::Aligned) return aligned(c.tensor, c.dim, *c.left.asConstant());
  if (auto known = facts_.holds(c)) return Test::known(*known);
  return Test::asked(wrapped(printer_.index(c.left)) + signs[static_cast<int>(c.kind)] +
                     wrapped(printer_.index(c.right)));
}

Test PlacePrinter::allOf(const std::vector<ir::Condition>& conditions) {
  std::vector<Test> tests;
  for (const ir::Condition& c : conditions) tests.push_back(condition(c));
  return Test::allOf(tests);
}

void PlacePrinter::branches(const ir::If& test, const Test& all, const WriteBlock& then,
                            const WriteBlock& otherwise) {
  const std::string before = out_.take();
  out_.indent();
  assuming(test.conditions, [&] { then(test.then); });
  const std::string taken = out_.take();
  out_.dedent().raw(before);
  if (taken.empty()) {
    out_.open("if (!(" + all.text() + ")) {");
    then(test.otherwise);
  } else {
    out_.open("if (" + all.text() + ") {").raw(taken);
    assumingNot(test.conditions, [&] { otherBranches(test.otherwise, otherwise); });
  }
  out_.close();
}

void PlacePrinter::otherBranches(const ir::Block& statements, const WriteBlock& write) {
  if (statements.empty()) return;
  auto* test = statements.size() == 1 ? std::get_if<ir::If>(&statements[0].node) : nullptr;
  Test all = test ? allOf(test->conditions) : Test::known(false);
  if (!all.isAsked()) {
    out_.dedent().line("} else {").indent();
    return write(statements);
  }
  out_.dedent().line("} else if (" + all.text() + ") {").indent();
  assuming(test->conditions, [&] { write(test->then); });
  assumingNot(test->conditions, [&] { otherBranches(test->otherwise, write); });
}

// Whether neighbours along the dimension are neighbours in memory.
Test PlacePrinter::unit(unsigned tensor, unsigned dim) {
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
Test PlacePrinter::goesOn(const facts::Unit& asked) const {
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
Test PlacePrinter::aligned(unsigned tensor, unsigned dim, int64_t bytes) {
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
