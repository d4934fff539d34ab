// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/instruction.h"

#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <span>
#include <string>

#include "compiler/ir/parse.h"
#include "compiler/ir/scalar.h"

namespace einc::ir {
namespace {

struct Row {
  std::string_view name;
  target::Features features;
  int cost;
  std::string_view meaning, term;
};

using enum target::Feature;

constexpr Row kRows[] = {
#define EINC_INSTRUCTION(name, features, cost, meaning, term) {name, features, cost, meaning, term},
#include "compiler/target/instructions.def"
};

struct TextRow {
  std::string_view name;
  Instruction::Text text;
};

constexpr TextRow kTexts[] = {
#define EINC_INSTRUCTION_C(name, lanes, clang, gcc) {name, {lanes, clang, gcc}},
#include "compiler/target/instructions.def"
};

const StructuredOp& opOf(const Stmt& statement) { return std::get<StructuredOp>(statement.node); }

// Where each tensor's elements begin in the list of all; its length is behind them.
std::vector<size_t> placesOf(const Kernel& kernel) {
  std::vector<size_t> places = {0};
  for (const Tensor& tensor : kernel.tensors) {
    int64_t elements = 1;
    for (const affine::Expr& size : tensor.shape) elements *= size.asConstant().value();
    places.push_back(places.back() + static_cast<size_t>(elements));
  }
  return places;
}

using Position = std::map<std::string, int64_t>;

// How many positions an iterator has: as the first dimension that it is along.
int64_t extentOf(const Kernel& kernel, const StructuredOp& op, const std::string& iterator) {
  for (size_t i = 0; i < op.operandCount(); ++i)
    for (size_t d = 0; d < op.operand(i).map.size(); ++d)
      if (op.operand(i).map[d].mentions(iterator))
        return kernel.tensors[op.operand(i).tensor].shape[d].asConstant().value();
  return 1;
}

// Of an op at one position.
Instruction::Step stepAt(const Kernel& kernel, const StructuredOp& op, const Position& position) {
  const std::vector<size_t> places = placesOf(kernel);
  Instruction::Step step{op.results[0], {}, 0};
  for (size_t i = 0; i < op.operandCount(); ++i) {
    const Operand& operand = op.operand(i);
    const std::vector<affine::Expr>& shape = kernel.tensors[operand.tensor].shape;
    int64_t at = 0;
    for (size_t d = 0; d < operand.map.size(); ++d)
      at = at * shape[d].asConstant().value() + operand.map[d]
                                                    .evaluate([&](const affine::Atom& atom) {
                                                      return std::optional(position.at(atom.name));
                                                    })
                                                    .value();
    step.operands.push_back(places[operand.tensor] + static_cast<size_t>(at));
  }
  step.result = step.operands.back();
  return step;
}

// An op's steps, the last iterator innermost.
void addSteps(const Kernel& kernel, const StructuredOp& op, Instruction& to,
              const Position& position = {}) {
  if (position.size() == op.iterators.size()) {
    to.meaning.push_back(stepAt(kernel, op, position));
    return;
  }
  const std::string& name = op.iterators[position.size()].name;
  for (int64_t at = 0; at < extentOf(kernel, op, name); ++at) {
    Position next = position;
    next[name] = at;
    addSteps(kernel, op, to, next);
  }
}

// Only what a result needs. The lanes of a block are alike.
void keepFor(size_t result, std::vector<Instruction::Step>& steps) {
  std::set<size_t> needed = {result};
  for (size_t i = steps.size(); i-- > 0;) {
    if (needed.count(steps[i].result) == 0) {
      steps.erase(steps.begin() + static_cast<std::ptrdiff_t>(i));
      continue;
    }
    needed.insert(steps[i].operands.begin(), steps[i].operands.end());
  }
}

Instruction instructionOf(const Row& row) {
  const Kernel kernel = kernelOfRow(row.meaning);
  const StructuredOp& first = opOf(kernel.body.at(0));
  Instruction result;
  result.name = row.name;
  result.features = row.features;
  result.cost = row.cost;
  result.sum = kernel.tensors[2].type;
  for (size_t i = 0; i < 2; ++i) result.elements[i] = kernel.tensors[i].type;
  const std::vector<affine::Expr>& shape = kernel.tensors[0].shape;
  result.count = static_cast<unsigned>(shape.back().asConstant().value_or(0));
  result.side = shape.size() == 1 ? 1 : static_cast<unsigned>(shape[0].asConstant().value_or(0));
  result.runsBackwards = !first.inputs[0].map.back().asIterator();
  for (const Stmt& statement : kernel.body) addSteps(kernel, opOf(statement), result);
  keepFor(placesOf(kernel)[2], result.meaning);
  result.places = placesOf(kernel).back();
  const Kernel term = row.term.empty() ? kernel : kernelOfRow(row.term);
  for (size_t i = 0; i < 2; ++i) result.operands[i] = term.tensors[i].type;
  result.term = opOf(term.body[0]).results[0];
  for (const TextRow& text : kTexts)
    if (text.name == row.name) result.texts.push_back(text.text);
  return result;
}

Number evaluate(const ValueRef& value, std::span<const Number> operands) {
  if (auto* literal = std::get_if<Literal>(&value->node)) return literal->number;
  if (auto* operand = std::get_if<OperandRef>(&value->node)) return operands[operand->operand];
  if (auto* cast = std::get_if<Cast>(&value->node))
    return convert(evaluate(cast->arg, operands), cast->arg->type, value->type);
  const auto& call = std::get<Call>(value->node);
  std::vector<Number> args;
  for (const ValueRef& arg : call.args) args.push_back(evaluate(arg, operands));
  return apply(call.function, call.args.back()->type, args);
}

}  // namespace

Kernel kernelOfRow(std::string_view row) {
  const SourceFile source("instructions.def", "eir 1 kernel @meaning" + std::string(row));
  Diagnostics errors(source);
  auto module = parse(source, errors);
  if (!module || module->kernels.size() != 1) std::abort();  // a test reads all rows
  return std::move(module->kernels[0]);
}

ScalarType Instruction::word() const {
  return info(elements[0]).bits * count == 64 ? ScalarType::I64 : ScalarType::I32;
}
const Instruction::Text* Instruction::textOf(int64_t lanes) const {
  for (const Text& text : texts)
    if (text.lanes == lanes) return &text;
  return nullptr;
}

const std::vector<Instruction>& allInstructions() {
  static const std::vector<Instruction> table = [] {
    std::vector<Instruction> rows;
    for (const Row& row : kRows) rows.push_back(instructionOf(row));
    return rows;
  }();
  return table;
}

const Instruction* findInstruction(std::string_view name) {
  for (const Row& row : kRows)
    if (row.name == name) return &allInstructions()[static_cast<size_t>(&row - kRows)];
  return nullptr;
}

const Instruction* instructionIn(const Kernel& kernel) {
  const Instruction* found = nullptr;
  auto look = [&](const ValueRef& value) {
    if (!value) return;
    forEach(value, [&](const Value& node) {
      if (auto* instruct = std::get_if<Instruct>(&node.node)) found = instruct->instruction;
    });
  };
  forEachStatement(kernel.body, [&](const Stmt& stmt) { look(valueOf(stmt)); });
  forEachOp(kernel.body, [&](const StructuredOp& op) {
    for (const ValueRef& result : op.results) look(result);
  });
  return found;
}

Number apply(const Instruction& instruction, const Number& c, const Number& a, const Number& b) {
  auto element = [&](const Number& word, ScalarType type, unsigned place) {
    std::byte bytes[sizeof word.asBits];
    std::memcpy(bytes, &word.asBits, sizeof bytes);
    return readElement(type, bytes + size_t{place} * info(type).bytes());
  };
  std::vector<Number> values(instruction.places), operands;
  for (unsigned i = 0; i < instruction.count; ++i) {
    values[i] = element(a, instruction.elements[0], i);
    values[size_t{instruction.side} * instruction.count + i] =
        element(b, instruction.elements[1], i);
  }
  const size_t sum = 2 * size_t{instruction.side} * instruction.count;
  values[sum] = c;
  for (const Instruction::Step& step : instruction.meaning) {
    operands.clear();
    for (size_t place : step.operands) operands.push_back(values[place]);
    values[step.result] = evaluate(step.value, operands);
  }
  return values[sum];
}

ValueRef joinedHalves(const ValueRef& low, const ValueRef& high) {
  const ScalarType type = ScalarType::I64;
  return makeCall(Function::Or,
                  {makeCast(type, makeCast(ScalarType::U32, low)),
                   makeCall(Function::Shl, {makeCast(type, high), makeLiteral(type, {0.0, 32})})});
}

std::vector<ValueRef> halvesIn(const ValueRef& value) {
  auto argOf = [](const ValueRef& cast) -> ValueRef {
    auto* node = std::get_if<Cast>(&cast->node);
    return node ? node->arg : nullptr;
  };
  auto* both = std::get_if<Call>(&value->node);
  auto* upper = both && both->args.size() == 2 ? std::get_if<Call>(&both->args[1]->node) : nullptr;
  if (!upper || upper->args.empty()) return {};
  const ValueRef high = argOf(upper->args[0]), wide = argOf(both->args[0]),
                 low = wide ? argOf(wide) : nullptr;
  if (!high || !low || low->type != ScalarType::I32 || high->type != ScalarType::I32) return {};
  return equal(value, joinedHalves(low, high)) ? std::vector{low, high} : std::vector<ValueRef>();
}

}  // namespace einc::ir
