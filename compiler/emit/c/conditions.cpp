// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Whether conditions hold, which facts may know.
#include "compiler/emit/c/places.h"

namespace einc::emit {

Test PlacePrinter::condition(const ir::Condition& c) const {
  return questions_.test(facts_.ask(c));
}

Test PlacePrinter::allOf(const std::vector<ir::Condition>& conditions) const {
  return questions_.test(facts_.ask(conditions));
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

std::string PlacePrinter::startText(const facts::Start& start) const {
  const ir::Tensor& t = kernel_.tensors[start.tensor];
  if (facts_.isPacked(start.tensor))
    return wrapped(address(start.tensor, Index(t.shape.size()))) + " % " +
           std::to_string(8 * start.bytes / ir::info(t.type).bits) + " == 0";
  return prelude_.need("lead") + "(&" + element(start.tensor, Index(t.shape.size())) + ", " +
         std::to_string(ir::info(t.type).bytes()) + ", " + std::to_string(start.bytes) +
         ", 1) == 0";
}

std::string PlacePrinter::runText(const facts::Run& run) const {
  std::string positions = scope_.data(run.table);
  if (!run.first.isZero()) positions += " + " + wrapped(printer_.index(run.first));
  return prelude_.need("is_run") + "(" + positions + ", " + printer_.index(run.size) + ")";
}

}  // namespace einc::emit
