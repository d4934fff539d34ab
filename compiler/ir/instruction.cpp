// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/instruction.h"

#include <cstdlib>
#include <cstring>
#include <span>

#include "compiler/ir/parse.h"
#include "compiler/ir/scalar.h"

namespace einc::ir {
namespace {

struct Row {
  std::string_view name;
  Feature feature;
  int cost;
  std::string_view meaning, term;
};

constexpr Row kRows[] = {
#define EINC_INSTRUCTION(name, feature, cost, meaning, term) \
  {name, Feature::feature, cost, meaning, term},
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

// The kernel of one op that a row of the table spells.
Kernel kernelOf(std::string_view row) {
  const SourceFile source("instructions.def", "eir 1 kernel @meaning" + std::string(row));
  Diagnostics errors(source);
  auto module = parse(source, errors);
  if (!module || module->kernels.size() != 1) std::abort();  // a test reads all rows
  return std::move(module->kernels[0]);
}

const StructuredOp& opOf(const Kernel& kernel) {
  return std::get<StructuredOp>(kernel.body.at(0).node);
}

Instruction instructionOf(const Row& row) {
  const Kernel kernel = kernelOf(row.meaning);
  const StructuredOp& op = opOf(kernel);
  Instruction result;
  result.name = row.name;
  result.feature = row.feature;
  result.cost = row.cost;
  result.sum = kernel.tensors[op.outputs[0].tensor].type;
  for (size_t i = 0; i < 2; ++i) result.elements[i] = kernel.tensors[op.inputs[i].tensor].type;
  result.count =
      static_cast<unsigned>(kernel.tensors[op.inputs[0].tensor].shape[0].asConstant().value_or(0));
  result.runsBackwards = !op.inputs[0].map[0].asIterator();
  result.meaning = result.term = op.results[0];
  if (!row.term.empty()) result.term = opOf(kernelOf(row.term)).results[0];
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
  Number sum = c;
  for (unsigned k = 0; k < instruction.count; ++k) {
    const unsigned place = instruction.place(k);
    const Number operands[] = {element(a, instruction.elements[0], place),
                               element(b, instruction.elements[1], place), sum};
    sum = evaluate(instruction.meaning, operands);
  }
  return sum;
}

}  // namespace einc::ir
