// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/instruction.h"
#include "compiler/ir/literal.h"
#include "compiler/ir/verifier.h"

namespace einc::ir {
namespace {

std::string name(ScalarType type) { return std::string(info(type).name); }

}  // namespace

// ---- Index expressions --------------------------------------------------------------------------

bool Verifier::isKnownSymbol(const std::string& symbol) const {
  auto reference = kernel_.attributeOf(symbol);
  if (!reference) return sizes_.contains(symbol);
  return info(kernel_.attributes[reference->attribute].type).isInteger();
}

void Verifier::checkIndex(const affine::Expr& index) {
  if (index.asConstant()) return;
  if (index.overflowed())
    report(Rule::IndexOverflow, "an index leaves the range of 64-bit integers");
  if (!index.isAffine()) report(Rule::IndexAffine, "'" + index.str() + "' is not affine");
  for (const std::string& iterator : index.iterators())
    if (!iterators_.contains(iterator))
      report(Rule::IndexName, "no iterator '" + iterator + "' is around '" + index.str() + "'");
  for (const std::string& symbol : index.symbols()) {
    if (!isKnownSymbol(symbol))
      report(Rule::IndexName, "'" + symbol + "' is neither a size nor an integer attribute");
    else if (auto reference = kernel_.attributeOf(symbol))
      checkAttributeRef(kernel_.attributes[reference->attribute].type, *reference);
  }
}

// False if the tensor is none, or the indices are not one for each dimension.
bool Verifier::checkElement(unsigned tensor, const std::vector<affine::Expr>& index) {
  for (const affine::Expr& expr : index) checkIndex(expr);
  if (tensor >= kernel_.tensors.size()) {
    report(Rule::TensorId, "there is no tensor " + std::to_string(tensor));
    return false;
  }
  size_t rank = kernel_.tensors[tensor].shape.size();
  checkRegisters(tensor, index);
  if (index.size() == rank) return true;
  report(Rule::MapRank, tensorName(tensor) + " has " + std::to_string(rank) +
                            " dimensions, found " + std::to_string(index.size()) + " indices");
  return false;
}

// ---- Payload values -----------------------------------------------------------------------------

void Verifier::checkValue(const ValueRef& value, Place place) {
  if (!value) {
    report(Rule::ValuePresent, "a value is missing");
    return;
  }
  checkNode(*value, place);
  if (auto* call = std::get_if<Call>(&value->node)) {
    for (const ValueRef& arg : call->args) checkValue(arg, place);
  } else if (auto* cast = std::get_if<Cast>(&value->node)) {
    checkValue(cast->arg, place);
  } else if (auto* reduce = std::get_if<Reduce>(&value->node)) {
    checkValue(reduce->arg, place);
    checkReduce(*reduce);
  } else if (auto* shuffle = std::get_if<Shuffle>(&value->node)) {
    checkValue(shuffle->a, place);
    checkValue(shuffle->b, place);
    checkShuffle(*shuffle);
  } else if (auto* instruct = std::get_if<Instruct>(&value->node)) {
    for (const ValueRef& arg : instruct->args) checkValue(arg, place);
    checkInstruct(value->type, *instruct);
  }
}

void Verifier::checkNode(const Value& value, Place place) {
  if (auto* literal = std::get_if<Literal>(&value.node)) {
    checkLiteral(value.type, literal->number);
  } else if (auto* operand = std::get_if<OperandRef>(&value.node)) {
    checkOperandRef(value.type, *operand, place);
  } else if (auto* index = std::get_if<IndexRef>(&value.node)) {
    checkIndex(index->index);
    if (value.type != ScalarType::I64) report(Rule::ValueType, "an index is an i64");
    if (place == Place::Pad) report(Rule::Pad, "a pad value is the same for all elements");
  } else if (auto* attribute = std::get_if<AttributeRef>(&value.node)) {
    checkAttributeRef(value.type, *attribute);
  } else if (auto* call = std::get_if<Call>(&value.node)) {
    checkCall(value.type, *call);
  } else if (auto* load = std::get_if<Load>(&value.node)) {
    checkLoad(value.type, *load, place);
  } else if (auto* variable = std::get_if<Variable>(&value.node)) {
    checkVariable(value.type, *variable, place);
  }
}

void Verifier::checkLiteral(ScalarType type, const Number& number) {
  if (!isValueOf(type, number))
    report(Rule::LiteralRange, "a literal is no value of " + name(type));
}

void Verifier::checkAttributeRef(ScalarType type, const AttributeRef& reference) {
  if (reference.attribute >= kernel_.attributes.size()) {
    report(Rule::AttributeId, "there is no attribute " + std::to_string(reference.attribute));
    return;
  }
  const Attribute& attribute = kernel_.attributes[reference.attribute];
  bool exists = reference.element >= 0 &&
                (attribute.list || reference.element < boundedCount(attribute).value_or(0));
  if (!exists)
    report(Rule::AttributeId, "attribute '" + attribute.name + "' has no element " +
                                  std::to_string(reference.element));
  if (type != attribute.type)
    report(Rule::ValueType,
           "attribute '" + attribute.name + "' is " + name(attribute.type) + ", not " + name(type));
  if (external_) checkArgument({false, reference.attribute});
}

void Verifier::checkOperandRef(ScalarType type, const OperandRef& reference, Place place) {
  if (place != Place::Payload) {
    report(place == Place::Pad ? Rule::Pad : Rule::ValueLevel,
           "an operand is referred to outside the payload");
    return;
  }
  if (reference.operand >= op_->operandCount()) {
    report(Rule::OperandId, "there is no operand " + std::to_string(reference.operand));
    return;
  }
  operandsRead_.insert(reference.operand);
  const Operand& operand = op_->operand(reference.operand);
  if (operand.shapeOnly)
    report(Rule::OperandId, "operand " + std::to_string(reference.operand) +
                                " is there for its shape alone, and is read");
  if (operand.tensor >= kernel_.tensors.size()) return;  // reported with the operand
  ScalarType elementType = kernel_.tensors[operand.tensor].type;
  if (type != elementType)
    report(Rule::ValueType, "an element of " + tensorName(operand.tensor) + " is " +
                                name(elementType) + ", not " + name(type));
}

void Verifier::checkCall(ScalarType type, const Call& call) {
  const FunctionInfo& function = info(call.function);
  std::string spelled = "'" + std::string(function.name) + "'";
  if (call.args.size() != function.arity) {
    report(Rule::CallType, spelled + " takes " + std::to_string(function.arity) +
                               " arguments, found " + std::to_string(call.args.size()));
    return;
  }
  for (const ValueRef& arg : call.args)
    if (!arg) return;  // reported with the argument
  bool isSelect = function.signature == Signature::Select;
  ScalarType operands = call.args.back()->type;
  for (size_t i = 0; i < call.args.size(); ++i) {
    ScalarType wanted = isSelect && i == 0 ? ScalarType::Bool : operands;
    if (call.args[i]->type != wanted)
      report(Rule::CallType, "argument " + std::to_string(i + 1) + " of " + spelled + " is " +
                                 name(call.args[i]->type) + ", not " + name(wanted));
  }
  if (!accepts(call.function, operands))
    report(Rule::CallType, spelled + " does not take " + name(operands));
  bool compares = function.signature == Signature::Compare;
  if (type != (compares ? ScalarType::Bool : operands))
    report(Rule::CallType, spelled + " of " + name(operands) + " does not give " + name(type));
}

void Verifier::checkInstruct(ScalarType type, const Instruct& instruct) {
  const Instruction& instruction = *instruct.instruction;
  const std::string spelled = "'" + std::string(instruction.name) + "'";
  const ScalarType wanted[] = {instruction.sum, instruction.word(), instruction.word()};
  if (instruct.args.size() != 3)
    return report(Rule::CallType, spelled + " takes a sum and two words");
  for (size_t i = 0; i < 3; ++i)
    if (instruct.args[i] && instruct.args[i]->type != wanted[i])
      report(Rule::CallType, "argument " + std::to_string(i + 1) + " of " + spelled + " is " +
                                 name(instruct.args[i]->type) + ", not " + name(wanted[i]));
  if (type != instruction.sum) report(Rule::CallType, spelled + " does not give " + name(type));
  const auto side = static_cast<int64_t>(instruction.side);
  if (!instruct.axis.empty() &&
      (kernel_.level != Level::Hardware || side == 1 || sizeOfAxis(instruct.axis) != side * side ||
       sizeOfAxis(instruct.words) != side))
    report(Rule::Across, spelled + " has no block along '" + instruct.axis + "' of words along '" +
                             instruct.words + "'");
}

void Verifier::checkLoad(ScalarType type, const Load& load, Place place) {
  if (place == Place::Pad) report(Rule::Pad, "a pad value is the same for all elements");
  if (place == Place::Payload) report(Rule::ValueLevel, "a load stands inside a structured op");
  if (load.pad) checkValue(load.pad, Place::Pad);
  checkElement(load.tensor, load.index);
  if (load.tensor >= kernel_.tensors.size()) return;
  checkUnit(load.unit, load.index);
  read(load.tensor);
  ScalarType elementType = kernel_.tensors[load.tensor].type;
  if (type != elementType)
    report(Rule::ValueType, "an element of " + tensorName(load.tensor) + " is " +
                                name(elementType) + ", not " + name(type));
  if (load.pad && load.pad->type != elementType)
    report(Rule::Pad, tensorName(load.tensor) + " is padded with a " + name(load.pad->type));
}

void Verifier::checkVariable(ScalarType type, const Variable& variable, Place place) {
  if (place != Place::Statement)
    report(place == Place::Pad ? Rule::Pad : Rule::ValueLevel,
           "variable '" + variable.name + "' is used where there are none");
  auto known = variables_.find(variable.name);
  if (known == variables_.end())
    report(Rule::Variable, "no variable '" + variable.name + "' is in scope");
  else if (known->second != type)
    report(Rule::ValueType,
           "variable '" + variable.name + "' is " + name(known->second) + ", not " + name(type));
}

void Verifier::checkTensorType(const ValueRef& value, unsigned tensor) {
  if (!value || tensor >= kernel_.tensors.size()) return;
  ScalarType wanted = kernel_.tensors[tensor].type;
  if (value->type != wanted)
    report(Rule::ValueType, "a " + name(value->type) + " is written to " + tensorName(tensor) +
                                ", which is " + name(wanted));
}

}  // namespace einc::ir
