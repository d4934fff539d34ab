// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/c/values.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "compiler/support/text_writer.h"
#include "llvm/ADT/StringExtras.h"

namespace einc::emit {
namespace {

using ir::Function;
using ir::ScalarType;

std::string typeName(ScalarType type) { return std::string(ir::info(type).name); }

std::string shortest(double value, bool asFloat) {
  char buffer[40];
  auto end = asFloat ? std::to_chars(buffer, buffer + sizeof buffer, static_cast<float>(value)).ptr
                     : std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  std::string text(buffer, end);
  if (text.find_first_not_of("-0123456789") == std::string::npos) text += ".0";
  return asFloat ? text + "f" : text;
}

// Where the function is one of math.h under another name, or under its own.
std::string mathName(Function f) {
  if (f == Function::Abs) return "fabs";
  if (f == Function::Rem) return "fmod";
  return std::string(ir::info(f).name);
}

}  // namespace

std::string valueType(ScalarType type) {
  if (ir::info(type).isShortFloat()) return "float";
  return type == ScalarType::Bool ? "int" : std::string(ir::info(type).cType);
}

std::string ValuePrinter::toStorage(ScalarType type, const std::string& value) const {
  if (ir::info(type).isShortFloat()) {
    const std::string own = converter(ScalarType::F32, type);
    return (own.empty() ? prelude_.need("store_" + typeName(type)) : own) + "(" + value + ")";
  }
  bool narrow = ir::info(type).bits < 32;
  return narrow ? "(" + std::string(ir::info(type).cType) + ")" + wrapped(value) : value;
}

// Of numbers that are known compilers see the bits, where no instruction of the target's makes them.
std::string ValuePrinter::toStorage(const ir::ValueRef& value) const {
  if (ir::info(value->type).isShortFloat() && std::holds_alternative<ir::Literal>(value->node))
    return prelude_.need("store_" + typeName(value->type)) + "(" + this->value(value) + ")";
  return toStorage(value->type, this->value(value));
}

std::string ValuePrinter::rounded(ScalarType type, const std::string& value) const {
  if (converter(ScalarType::F32, type).empty())
    return prelude_.need("round_" + typeName(type)) + "(" + value + ")";
  return fromStorage(type, toStorage(type, value));
}

std::string ValuePrinter::fromStorage(ScalarType type, const std::string& element) const {
  if (ir::info(type).isShortFloat()) {
    const std::string own = converter(type, ScalarType::F32);
    return (own.empty() ? prelude_.need("load_" + typeName(type)) : own) + "(" + element + ")";
  }
  return type == ScalarType::Bool ? "(" + element + " != 0)" : element;
}

std::string ValuePrinter::index(const affine::Expr& expr) const {
  IndexPrinter printer;
  printer.name = names_.index;
  printer.number = [](int64_t n) { return n == INT64_MIN ? "INT64_MIN" : std::to_string(n); };
  printer.quotient = [this](const std::string& function, const affine::Expr& what,
                            const affine::Expr& by) {
    std::string own = names_.quotient ? names_.quotient(function, what, by) : "";
    if (!own.empty()) return own;
    return prelude_.need(function) + "(" + index(what) + ", " + index(by) + ")";
  };
  return printer.text(expr);
}

std::string ValuePrinter::value(const ir::ValueRef& v) const {
  if (auto* node = std::get_if<ir::Literal>(&v->node)) return literal(v->type, node->number);
  if (auto* node = std::get_if<ir::IndexRef>(&v->node)) return wrapped(index(node->index));
  if (auto* node = std::get_if<ir::AttributeRef>(&v->node)) return names_.attribute(*node);
  if (auto* node = std::get_if<ir::Variable>(&v->node)) return names_.variable(node->name);
  if (auto* node = std::get_if<ir::Load>(&v->node)) return load(v->type, *node);
  if (auto* node = std::get_if<ir::Cast>(&v->node))
    return castText(v->type, node->arg->type, value(node->arg));
  if (auto* node = std::get_if<ir::Instruct>(&v->node)) {
    std::vector<std::string> args;
    for (const ir::ValueRef& arg : node->args) args.push_back(value(arg));
    return names_.instruct(*node->instruction, args);
  }
  return call(v->type, std::get<ir::Call>(v->node));
}

std::string ValuePrinter::load(ScalarType type, const ir::Load& load) const {
  std::string element = load.pad && names_.testedElement
                            ? names_.testedElement(load.tensor, load.index)
                            : names_.element(load.tensor, load.index);
  // Bools that the kernel has written are 0 or 1.
  bool isOurs = type == ScalarType::Bool && names_.isLocal && names_.isLocal(load.tensor);
  if (!isOurs) element = fromStorage(type, element);
  if (!load.pad) return element;
  Test inside = names_.inside(load.tensor, load.index);
  if (inside.always()) return element;
  return "(" + inside.text() + " ? " + element + " : " + value(load.pad) + ")";
}

std::string ValuePrinter::literal(ScalarType type, const ir::Number& number) const {
  const ir::TypeInfo& t = ir::info(type);
  if (t.isFloat()) {
    if (std::isnan(number.asFloat)) return "NAN";
    if (std::isinf(number.asFloat)) return number.asFloat < 0 ? "-INFINITY" : "INFINITY";
    return shortest(number.asFloat, type != ScalarType::F64);
  }
  if (!t.isSigned()) {
    std::string text = std::to_string(number.asBits);
    return type == ScalarType::U64 ? "UINT64_C(" + text + ")" : t.bits == 32 ? text + "u" : text;
  }
  int64_t value = static_cast<int64_t>(number.asBits << (64 - t.bits)) >> (64 - t.bits);
  if (t.bits >= 32 && value == INT64_MIN >> (64 - t.bits))
    return "INT" + std::to_string(t.bits) + "_MIN";
  return type == ScalarType::I64 ? "INT64_C(" + std::to_string(value) + ")" : std::to_string(value);
}

std::string ValuePrinter::call(ScalarType type, const ir::Call& call) const {
  std::vector<std::string> args;
  for (const ir::ValueRef& arg : call.args) args.push_back(value(arg));
  return callText(type, call.function, call.args, std::move(args));
}

std::string ValuePrinter::callText(ScalarType type, Function function,
                                   const std::vector<ir::ValueRef>& types,
                                   std::vector<std::string> args) const {
  ir::Call call{function, types};
  if (call.function == Function::Select)
    return "(" + wrapped(args[0]) + " ? " + wrapped(args[1]) + " : " + wrapped(args[2]) + ")";
  bool isCompare = ir::info(call.function).signature == ir::Signature::Compare;
  bool isLogic = ir::info(call.function).signature == ir::Signature::Logic;
  if (call.function == Function::Not)
    return type == ScalarType::Bool
               ? "!" + wrapped(args[0])
               : "(" + std::string(ir::info(type).cType) + ")~" + wrapped(args[0]);
  const char* sign = infix(call.function);
  // Compilers warn of & and | between truth values.
  if (type == ScalarType::Bool && call.function == Function::And) sign = " && ";
  if (type == ScalarType::Bool && call.function == Function::Or) sign = " || ";
  if (isCompare || isLogic) return wrapped(args[0]) + sign + wrapped(args[1]);
  return ir::info(type).isFloat() ? floatCall(type, call.function, args)
                                  : integerCall(type, call.function, args);
}

// Short floats: the function on f32, rounded once.
std::string ValuePrinter::floatCall(ScalarType type, Function f,
                                    const std::vector<std::string>& args) const {
  if (ir::info(type).isShortFloat()) {
    bool exact =
        f == Function::Neg || f == Function::Abs || f == Function::Max || f == Function::Min;
    std::string result = floatCall(ScalarType::F32, f, args);
    return exact ? result : rounded(type, result);
  }
  std::string suffix = type == ScalarType::F32 ? "f" : "";
  std::string one = type == ScalarType::F32 ? "1.0f" : "1.0";
  switch (f) {
    case Function::Add:
    case Function::Sub:
    case Function::Mul:
    case Function::Div:
      return wrapped(args[0]) + infix(f) + wrapped(args[1]);
    case Function::Neg:
      return "-" + wrapped(args[0]);
    case Function::Reciprocal:
      return one + " / " + wrapped(args[0]);
    case Function::Rsqrt:
      return one + " / sqrt" + suffix + "(" + args[0] + ")";
    case Function::Max:
    case Function::Min:
    case Function::Sign:
    case Function::Square:
    case Function::RoundEven:
      return prelude_.need(std::string(ir::info(f).name) + "_" + typeName(type)) + "(" +
             joined(args) + ")";
    default: {
      std::string own = std::string(ir::info(f).name) + "_" + typeName(type);
      if (!isInFunctions(own)) return mathName(f) + suffix + "(" + joined(args) + ")";
      std::string target = names_.ownFunction ? names_.ownFunction(ir::info(f), type) : "";
      return (target.empty() ? prelude_.need(own) : target) + "(" + joined(args) + ")";
    }
  }
}

std::string ValuePrinter::integerCall(ScalarType type, Function f,
                                      const std::vector<std::string>& args) const {
  bool isUnsigned = !ir::info(type).isSigned();
  // An unsigned number is its own absolute value.
  if (f == Function::Abs && isUnsigned) return args[0];
  if (f == Function::Sign && isUnsigned)
    return "(" + std::string(ir::info(type).cType) + ")(" + wrapped(args[0]) + " != 0)";
  if (f == Function::Square) return prelude_.need("pow_" + typeName(type)) + "(" + args[0] + ", 2)";
  return prelude_.need(std::string(ir::info(f).name) + "_" + typeName(type)) + "(" + joined(args) +
         ")";
}

std::string ValuePrinter::castText(ScalarType to, ScalarType from, const std::string& value) const {
  const ir::TypeInfo &t = ir::info(to), &f = ir::info(from);
  if (to == ScalarType::Bool) return wrapped(value) + " != 0";
  if (ir::info(to).isShortFloat()) {
    std::string number = value;
    if (f.isInteger() && f.bits == 64)
      number = prelude_.need("odd_" + typeName(from)) + "(" + value + ")";
    // What floats hold is rounded once.
    if (from == ScalarType::F32 || ir::info(from).isShortFloat() || f.bits < 32)
      return rounded(to, number);
    return prelude_.need("round_" + typeName(to)) + "(" + number + ")";
  }
  if (ir::info(from).isShortFloat() && to == ScalarType::F32) return value;
  if (f.isFloat() && t.isInteger()) {
    const std::string own = converter(f.isShortFloat() ? ScalarType::F32 : from, to);
    return (own.empty() ? prelude_.need("to_" + typeName(to)) : own) + "(" + value + ")";
  }
  if (t.isPacked() && f.isInteger())
    return prelude_.need("wrap_" + typeName(to)) + "((int)" + wrapped(value) + ")";
  return "(" + std::string(t.cType) + ")" + wrapped(value);
}

}  // namespace einc::emit
