// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/streams/short_windows.h"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/strategy/plan/space.h"
#include "compiler/transforms/builder.h"
#include "compiler/transforms/known_symbol.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

using affine::Expr;
using transforms::constant;

std::optional<WindowTerm> termOf(const ir::Kernel& kernel, const ir::StructuredOp& op,
                                 const Expr& index) {
  auto linear = index.asLinear();
  if (!linear || linear->parts.size() != 2) return std::nullopt;
  WindowTerm term;
  for (const auto& part : linear->parts) {
    if (llvm::is_contained(op.iterators,
                           ir::Iterator{part.iterator, ir::IteratorKind::Reduction})) {
      if (!term.name.empty()) return std::nullopt;
      term.name = part.iterator;
    }
    auto symbol = part.coefficient.asSymbol();
    if (symbol && kernel.attributeOf(*symbol))
      term.attributes.push_back(*symbol);
    else if (part.coefficient != constant(1))
      return std::nullopt;
  }
  if (term.name.empty()) return std::nullopt;
  return term;
}

}  // namespace

std::vector<WindowTerm> windowTerms(const ir::Kernel& kernel, const ir::StructuredOp& op) {
  std::vector<WindowTerm> terms;
  for (const ir::Operand& input : op.inputs) {
    std::vector<WindowTerm> own;
    for (const Expr& index : input.map)
      if (auto term = termOf(kernel, op, index); term && !input.shapeOnly)
        own.push_back(std::move(*term));
    if (own.size() > terms.size()) terms = std::move(own);
  }
  if (terms.size() > 2) terms.erase(terms.begin(), terms.end() - 2);
  return terms;
}

std::vector<std::string> unrolledTerms(
    const ir::Kernel& kernel, const ir::StructuredOp& op,
    const std::function<std::optional<int64_t>(const std::string&)>& known, int64_t most) {
  std::vector<std::string> names;
  int64_t rounds = 1;
  for (const WindowTerm& term : windowTerms(kernel, op)) {
    auto count = known(term.name);
    if (!term.attributes.empty() || count.value_or(0) < 1 || *count > most / rounds) return {};
    rounds *= *count;
    names.push_back(term.name);
  }
  return names;
}

std::string windowBeside(const ir::StructuredOp& op, const std::vector<std::string>& terms,
                         const std::vector<std::string>& but) {
  std::string beside;
  for (const ir::Operand& input : op.inputs)
    for (const Expr& index : input.map) {
      const std::vector<std::string> names = index.iterators();
      if (llvm::none_of(terms, [&](const auto& term) { return llvm::is_contained(names, term); }))
        continue;
      for (const std::string& name : names)
        if (llvm::is_contained(op.iterators, ir::Iterator{name, ir::IteratorKind::Parallel}) &&
            !llvm::is_contained(but, name))
          beside = name;
    }
  return beside;
}

Result<Form> shortWindows(const Task& task, const Form& whole) {
  const target::Numbers& numbers = task.options.target->numbers;
  ir::StructuredOp op = task.op;
  const Space space(task.kernel, op);
  std::vector<Test> tests;
  std::map<std::string, int64_t> positions = task.known;
  for (const WindowTerm& term : windowTerms(task.kernel, task.op)) {
    for (const std::string& symbol : term.attributes) {
      transforms::setKnown(op, symbol, transforms::constant(1));
      const Test test{Test::Kind::Equal, Expr::symbol(symbol), transforms::constant(1)};
      if (!llvm::is_contained(tests, test)) tests.push_back(test);
    }
    if (!space.known(term.name)) positions.emplace(term.name, numbers.windowTaps);
  }
  for (const auto& [name, count] : positions)
    if (!task.known.count(name)) tests.push_back(equals(name, count));
  if (tests.empty()) return Reason{"no window whose terms are not known moves by one position"};
  Form form = task.behind({task.kernel, op, task.names, task.options, task.settings, task.memory,
                           task.whole, nullptr, std::move(positions), task.others, task.isBlock,
                           task.isReadAgain});
  if (form.name != "windows") return Reason{"it is done otherwise"};
  if (form.cycles > whole.cycles) return Reason{"any window is faster"};
  std::string text;
  for (const Test& test : tests)
    text += (text.empty() ? "" : " and ") + test.left.str() + " == " + test.right.str();
  std::vector<std::string> lines;
  for (const std::string& line : form.lines)
    if (!llvm::is_contained(whole.lines, line)) lines.push_back("where " + text + ": " + line);
  form.lines = std::move(lines);
  form.where.insert(form.where.begin(), tests.begin(), tests.end());
  form.why = "windows of few terms share what they read";
  return form;
}

}  // namespace einc::strategy
