// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/plan/steps.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <utility>

namespace einc::strategy {

std::string OperandName::str() const {
  return use == 0 ? tensor : tensor + "[" + std::to_string(use) + "]";
}

Syntax& Syntax::leftOf(const std::vector<std::pair<std::string, Steps*>>& lists) {
  for (const auto& [name, list] : lists) optionalSteps("left of " + name, *list);
  return *this;
}

bool operator==(const Steps& a, const Steps& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

template <typename Verb>
  requires(!std::is_same_v<Verb, Step>)
Step::Step(Verb verb, std::string why) : node(std::move(verb)), because(std::move(why)) {}
#define EINC_VERB(Verb) template Step::Step(Verb verb, std::string why);
#include "compiler/strategy/plan/verbs.def"
Step::Step(const Step& other) = default;
Step::Step(Step&& other) noexcept = default;
Step& Step::operator=(const Step& other) = default;
Step& Step::operator=(Step&& other) noexcept = default;
Step::~Step() = default;
bool Step::operator==(const Step& other) const { return node == other.node; }

const char* verbOf(const Step& step) {
  return std::visit([]<typename Verb>(const Verb&) { return Verb::kVerb; }, step.node);
}

std::vector<std::string> verbs() {
  std::vector<std::string> words;
  Verbs::forEach([&]<typename Verb>() { words.push_back(Verb::kVerb); });
  return words;
}

void describe(Step& step, Syntax& text) {
  std::visit([&](auto& verb) { verb.describe(text); }, step.node);
}
void describe(const Step& step, Syntax& text) {
  assert(!text.fills());
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): it is only read
  describe(const_cast<Step&>(step), text);
}

namespace {

class Lists : public Syntax {
 public:
  using Syntax::steps;
  Syntax& steps(const std::string& /*word*/, Steps& list, bool /*isOptional*/) override {
    found.push_back(&list);
    return *this;
  }

  std::vector<Steps*> found;
};

// Iterators, also those in whose place a number has how many positions they have.
class Names : public Syntax {
 public:
  using Syntax::steps;
  Syntax& iterator(std::string& name) override {
    found.insert(name);
    return *this;
  }
  Syntax& number(affine::Expr& number) override {
    for (const std::string& name : number.symbols()) found.insert(name);
    return *this;
  }
  Syntax& steps(const std::string& /*word*/, Steps& list, bool /*isOptional*/) override {
    for (Step& step : list) describe(step, *this);
    return *this;
  }

  std::set<std::string> found;
};

}  // namespace

std::vector<Steps*> listsIn(Step& step) {
  Lists lists;
  describe(step, lists);
  return lists.found;
}
std::vector<const Steps*> listsIn(const Step& step) {
  Lists lists;
  describe(step, lists);
  return {lists.found.begin(), lists.found.end()};
}

std::set<std::string> iteratorsIn(const Steps& steps) {
  Names names;
  for (const Step& step : steps) describe(step, names);
  return names.found;
}

Steps then(Step first, Steps rest) {
  rest.insert(rest.begin(), std::move(first));
  return rest;
}

bool anyStep(const Steps& steps, const std::function<bool(const Step&)>& is) {
  return std::any_of(steps.begin(), steps.end(), [&](const Step& step) {
    const std::vector<const Steps*> lists = listsIn(step);
    return is(step) || std::any_of(lists.begin(), lists.end(),
                                   [&](const Steps* list) { return anyStep(*list, is); });
  });
}

affine::Expr extentOf(const std::string& iterator) { return affine::Expr::symbol(iterator); }

Test equals(const std::string& iterator, int64_t number) {
  return {Test::Kind::Equal, extentOf(iterator), affine::Expr::constant(number)};
}

std::string freeName(const ir::Kernel& kernel, const ir::StructuredOp& op, std::string wanted) {
  std::vector<std::string> sizes = kernel.sizeSymbols();
  ir::forEachStatement(kernel.body, [&](const ir::Stmt& stmt) {
    if (auto* loop = std::get_if<ir::TileLoop>(&stmt.node)) sizes.push_back(loop->var);
  });
  auto isTaken = [&](const std::string& name) {
    return std::find(sizes.begin(), sizes.end(), name) != sizes.end() ||
           std::any_of(op.iterators.begin(), op.iterators.end(),
                       [&](const ir::Iterator& i) { return i.name == name; });
  };
  while (isTaken(wanted)) wanted += "_";
  return wanted;
}

PartsNames partsNames(const std::vector<OperandName>& names, size_t outputs) {
  const auto first = names.end() - static_cast<ptrdiff_t>(outputs);
  PartsNames result{{first, names.end()}, {names.begin(), first}, {}, names};
  for (OperandName& name : result.fill) {
    name.tensor += "_parts";
    while (std::any_of(names.begin(), names.end(),
                       [&](const OperandName& other) { return other.tensor == name.tensor; }))
      name.tensor += "_";
  }
  result.parts.insert(result.parts.end(), result.fill.begin(), result.fill.end());
  result.combine = result.fill;
  result.combine.insert(result.combine.end(), first, names.end());
  return result;
}

std::vector<OperandName> operandNames(const ir::Kernel& kernel, const ir::StructuredOp& op) {
  std::map<std::string, unsigned> uses;
  std::vector<OperandName> names;
  for (size_t i = 0; i < op.operandCount(); ++i) {
    if (op.operand(i).shapeOnly) continue;
    const std::string& tensor = kernel.tensors[op.operand(i).tensor].name;
    names.push_back({tensor, uses[tensor]++});
  }
  return names;
}

}  // namespace einc::strategy
