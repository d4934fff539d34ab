// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "compiler/ir/injective.h"
#include "compiler/ir/shape.h"
#include "compiler/ir/verifier.h"

namespace einc::ir {

void Verifier::checkOp(const StructuredOp& op) {
  op_ = &op;
  operandsRead_.clear();
  checkComputes("a structured op");
  size_t outer = iterators_.mark();
  for (const Iterator& iterator : op.iterators) enterIterator(iterator.name);
  if (checkOperands(op)) {
    for (const Iterator& iterator : op.iterators)
      if (!extentOf(kernel_, op, iterator.name))
        report(Rule::IteratorExtent, "iterator '" + iterator.name + "' has no extent");
    checkOutputs(op);
  }
  checkResults(op);
  if (op.combiner) checkCombiner(op);
  checkOpFlow(op);
  checkCopied(op);
  checkOpAxes(op);
  iterators_.forget(outer);
  op_ = nullptr;
}

// False if the operands cannot be looked at any further.
bool Verifier::checkOperands(const StructuredOp& op) {
  bool good = true;
  for (size_t i = 0; i < op.operandCount(); ++i) {
    const Operand& operand = op.operand(i);
    bool isOutput = i >= op.inputs.size();
    good &= checkElement(operand.tensor, operand.map);
    if (operand.shapeOnly && (isOutput || operand.pad))
      report(Rule::ShapeOnly, "operand " + std::to_string(i) + " is read or written");
    if (!operand.pad) continue;
    if (isOutput) report(Rule::Pad, "an output has a pad value");
    checkValue(operand.pad, Place::Pad);
    bool known = operand.tensor < kernel_.tensors.size();
    if (known && operand.pad->type != kernel_.tensors[operand.tensor].type)
      report(Rule::Pad, tensorName(operand.tensor) + " is padded with a " +
                            std::string(info(operand.pad->type).name));
  }
  return good;
}

std::set<std::string> Verifier::iteratorsOf(const Operand& operand) {
  std::set<std::string> names;
  for (const affine::Expr& index : operand.map)
    for (std::string& name : index.iterators()) names.insert(std::move(name));
  return names;
}

void Verifier::checkOutputs(const StructuredOp& op) {
  std::set<unsigned> outputs, inputs;
  for (const Operand& input : op.inputs)
    if (!input.shapeOnly) inputs.insert(input.tensor);
  for (unsigned i = 0; i < op.outputs.size(); ++i) {
    const Operand& output = op.outputs[i];
    std::string name = tensorName(output.tensor);
    if (kernel_.tensors[output.tensor].role == Role::Input)
      report(Rule::OutputRole, name + " is an input, and is written");
    if (!outputs.insert(output.tensor).second)
      report(Rule::OutputAlias, name + " is two outputs of one op");
    if (inputs.count(output.tensor))
      report(Rule::OutputAlias, name + " is an input and an output of one op");

    std::set<std::string> used = iteratorsOf(output);
    bool complete = true;
    for (const Iterator& iterator : op.iterators) {
      bool isParallel = iterator.kind == IteratorKind::Parallel;
      if (isParallel && !used.count(iterator.name)) {
        complete = false;
        report(Rule::OutputParallel,
               "iterator '" + iterator.name + "' is not in the map of " + name);
      }
      if (!isParallel && used.count(iterator.name))
        report(Rule::OutputReduction, "reduction '" + iterator.name + "' is in the map of " + name);
    }
    if (complete && !isInjective(kernel_, op, static_cast<unsigned>(op.inputs.size() + i)))
      report(Rule::OutputInjective, "two iterations may write the same element of " + name);
  }
}

void Verifier::checkResults(const StructuredOp& op) {
  if (op.outputs.empty()) report(Rule::ResultCount, "an op has no output");
  if (op.results.size() != op.outputs.size())
    report(Rule::ResultCount, std::to_string(op.outputs.size()) + " outputs, but " +
                                  std::to_string(op.results.size()) + " results");
  for (size_t i = 0; i < op.results.size(); ++i) {
    checkValue(op.results[i], Place::Payload);
    if (i < op.outputs.size()) checkTensorType(op.results[i], op.outputs[i].tensor);
  }
}

void Verifier::checkCombiner(const StructuredOp& op) {
  const size_t n = op.outputs.size();
  auto typeOf = [&](size_t i) { return kernel_.tensors[op.outputs[i % n].tensor].type; };
  auto bad = [&](const std::string& what) { report(Rule::Combiner, what); };
  if (op.combiner->results.size() != n || op.combiner->neutral.size() != n)
    return bad(std::to_string(n) + " outputs, but " + std::to_string(op.combiner->results.size()) +
               " results and " + std::to_string(op.combiner->neutral.size()) + " neutral elements");
  for (size_t i = 0; i < n; ++i) {
    const ValueRef &result = op.combiner->results[i], &neutral = op.combiner->neutral[i];
    if (!result || !neutral || result->type != typeOf(i) || neutral->type != typeOf(i) ||
        !std::holds_alternative<Literal>(neutral->node))
      return bad("part " + std::to_string(i) + " is not of its output's type");
    forEach(result, [&](const Value& value) {
      auto* part = std::get_if<OperandRef>(&value.node);
      if (part && (part->operand >= 2 * n || value.type != typeOf(part->operand)))
        bad("it reads a part that does not exist");
      if (!part && !std::holds_alternative<Call>(value.node) &&
          !std::holds_alternative<Cast>(value.node) && !std::holds_alternative<Literal>(value.node))
        bad("it reads something else than two parts");
    });
  }
}

// What the op reads, then what it writes.
void Verifier::checkOpFlow(const StructuredOp& op) {
  auto known = [&](const Operand& operand) { return operand.tensor < kernel_.tensors.size(); };
  for (unsigned i = 0; i < op.operandCount(); ++i) {
    const Operand& operand = op.operand(i);
    if (!known(operand)) continue;
    use(operand.tensor);
    bool isInput = i < op.inputs.size();
    if (isInput ? !operand.shapeOnly : operandsRead_.count(i) != 0) read(operand.tensor);
  }
  for (const Operand& output : op.outputs)
    if (known(output)) write(output.tensor);
}

}  // namespace einc::ir
