// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "compiler/frontend/functions.h"
#include "compiler/frontend/scope.h"
#include "compiler/ir/literal.h"

namespace einc::frontend {
namespace {

using ir::Function;
using ir::ScalarType;
using ir::ValueRef;
using Kind = NaturalType::Kind;

std::string typeName(ScalarType type) { return std::string(ir::info(type).name); }

const std::map<std::string_view, Function> kOperators = {
    {"+", Function::Add},  {"-", Function::Sub},  {"*", Function::Mul},  {"/", Function::Div},
    {"%", Function::Rem},  {"<<", Function::Shl}, {">>", Function::Shr}, {"<", Function::Lt},
    {"<=", Function::Le},  {">", Function::Gt},   {">=", Function::Ge},  {"==", Function::Eq},
    {"!=", Function::Ne},  {"&", Function::And},  {"|", Function::Or},   {"^", Function::Xor},
    {"&&", Function::And}, {"||", Function::Or}};

std::vector<const Expr*> pointers(const std::vector<ExprPtr>& exprs) {
  std::vector<const Expr*> result;
  for (const ExprPtr& e : exprs) result.push_back(e.get());
  return result;
}

class PayloadBuilder {
 public:
  explicit PayloadBuilder(PayloadContext& context) : c_(context), errors_(context.scope.errors) {}

  ValueRef build(const Expr& e, ScalarType expected) {
    switch (e.kind) {
      case ExprKind::Number:
        return literal(e, /*negative=*/false, expected);
      case ExprKind::Name:
      case ExprKind::Element:
        return name(e, expected);
      case ExprKind::Apply:
        return apply(e, expected);
      case ExprKind::Unary:
        return unary(e, expected);
      case ExprKind::Binary:
        return binary(e, expected);
      case ExprKind::Ternary:
        return call({Function::Select}, {"?:", e.name.range}, nullptr, pointers(e.args), expected);
    }
    return nullptr;
  }

  ValueRef call(FunctionName function, const Name& name, ValueRef first,
                const std::vector<const Expr*>& args, ScalarType expected) {
    const ir::FunctionInfo& f = ir::info(function.function);
    size_t count = args.size() + (first ? 1 : 0);
    if (count != f.arity) {
      std::string counted = first ? " besides the accumulator" : "";
      return error(Diag::ArgumentCount, name.range,
                   "'" + name.text + "' takes " + std::to_string(f.arity - (first ? 1 : 0)) +
                       " arguments" + counted + ", found " + std::to_string(args.size()));
    }
    if (f.signature == ir::Signature::Compare)
      return compare(function, name, first, args, expected);
    std::vector<ValueRef> values;
    if (first) values.push_back(std::move(first));
    for (const Expr* arg : args) {
      bool condition = f.signature == ir::Signature::Select && values.empty();
      values.push_back(build(*arg, condition ? ScalarType::Bool : expected));
      if (!values.back()) return nullptr;
    }
    return typedCall(function, name, std::move(values), expected);
  }

  NaturalType natural(const Expr& e) {
    switch (e.kind) {
      case ExprKind::Number:
        return {ir::isIntegerSpelling(e.name.text) ? Kind::IntegerLiteral : Kind::FloatLiteral};
      case ExprKind::Name:
      case ExprKind::Element:
        return naturalName(e);
      case ExprKind::Apply:
        return naturalApply(e);
      case ExprKind::Unary:
        return natural(*e.args[0]);
      case ExprKind::Binary:
        if (ir::info(kOperators.at(e.name.text)).signature == ir::Signature::Compare)
          return {Kind::Known, ScalarType::Bool};
        return common(pointers(e.args));
      case ExprKind::Ternary:
        return common({e.args[1].get(), e.args[2].get()});
    }
    return {Kind::Error};
  }

 private:
  std::nullptr_t error(Diag id, SourceRange range, const std::string& message) {
    auto reported = errors_.error(id, range, message);
    if (const Parameters* p = c_.parameters)
      reported.note(p->usedAt, "the combiner is used here on " + p->types);
    return nullptr;
  }

  ValueRef literal(const Expr& number, bool negative, ScalarType type) {
    auto value = ir::parseLiteral(number.name.text, negative, type);
    if (!value) return error(Diag::BadLiteral, number.range, value.reason());
    return ir::makeLiteral(type, *value);
  }

  // Implicit promotion: only where no value changes.
  ValueRef promote(ValueRef value, ScalarType to, SourceRange range) {
    if (ir::widensTo(value->type, to)) return ir::makeCast(to, std::move(value));
    return error(Diag::LossyConversion, range,
                 typeName(value->type) + " does not become " + typeName(to) +
                     " without loss; write cast<" + typeName(to) + ">(...) if that is meant");
  }

  ValueRef name(const Expr& e, ScalarType expected) {
    const std::string& text = e.name.text;
    if (c_.parameters) {
      auto it = c_.parameters->values.find(text);
      return it == c_.parameters->values.end() ? constant(e, expected)
                                               : promote(it->second, expected, e.range);
    }
    const ir::Kernel& kernel = c_.scope.kernel;
    if (e.kind == ExprKind::Element) {
      auto element = attributeElement(c_.scope, e);
      if (!element) return nullptr;
      return promote(ir::makeValue(kernel.attributes[element->attribute].type, *element), expected,
                     e.range);
    }
    if (auto id = kernel.findAttribute(text)) {
      const ir::Attribute& attribute = kernel.attributes[*id];
      if (!attribute.shape.empty() || attribute.list)
        return error(Diag::AttributeIndex, e.range,
                     "'" + text + "' has several elements; write " + text + "[0], ...");
      return promote(ir::makeValue(attribute.type, ir::AttributeRef{*id, 0}), expected, e.range);
    }
    if (c_.scope.sizes.count(text))
      return promote(ir::makeValue(ScalarType::I64, ir::IndexRef{affine::Expr::symbol(text)}),
                     expected, e.range);
    return constant(e, expected);
  }

  ValueRef constant(const Expr& e, ScalarType expected) {
    const std::string& text = e.name.text;
    if (!isConstantName(text)) return unknown(e);
    if (text == "true" || text == "false") {
      auto value = ir::makeLiteral(ScalarType::Bool, {0.0, text == "true" ? 1u : 0u});
      return promote(value, expected, e.range);
    }
    if (text == "lowest" || text == "highest")
      return ir::makeLiteral(expected, ir::endOf(expected, text == "highest"));
    if (!ir::info(expected).isFloat())
      return error(Diag::BadLiteral, e.range,
                   "'" + text + "' is no value of " + typeName(expected) +
                       "; the ends of any type are lowest and highest");
    return ir::makeLiteral(expected, {text == "inf" ? std::numeric_limits<double>::infinity()
                                                    : std::numeric_limits<double>::quiet_NaN()});
  }

  ValueRef unknown(const Expr& e) {
    const std::string& text = e.name.text;
    std::vector<std::string> known;
    for (const auto& [symbol, range] : c_.scope.names) known.push_back(symbol);
    if (c_.scope.kernel.findTensor(text))
      return error(Diag::TensorWithoutIndices, e.range,
                   "'" + text + "' is a tensor; its elements are " + text + "(...)");
    std::string hint = didYouMean(text, known);
    if (hint.empty()) hint = "; the value of an iterator is index(" + text + ")";
    return error(Diag::UnknownName, e.range, "unknown name '" + text + "'" + hint);
  }

  // ---- Calls ----

  ValueRef apply(const Expr& e, ScalarType expected) {
    if (auto it = c_.operands.find(&e); it != c_.operands.end())
      return promote(ir::makeValue(c_.operandTypes[it->second], ir::OperandRef{it->second}),
                     expected, e.range);
    if (auto it = c_.indices.find(&e); it != c_.indices.end())
      return promote(ir::makeValue(ScalarType::I64, ir::IndexRef{it->second}), expected, e.range);
    if (isCastName(e.name.text)) return cast(e, expected);
    if (e.angle)
      return error(Diag::NestedReduction, e.name.range,
                   "a reduction stands outermost on the right side; give '" +
                       exprText(e).substr(0, 60) + "' a statement of its own, with a local tensor");
    if (auto historic = findCast(e.name.text)) return historicCast(e, *historic, expected);
    return buildCall(c_, e.name, nullptr, pointers(e.args), expected);
  }

  // x's value converted to `to`, its bits first read as `reading` says.
  static ValueRef converted(ValueRef value, ScalarType to, OperandClass reading) {
    ScalarType own = value->type;
    const ir::TypeInfo& from = ir::info(own);
    bool toUnsigned = reading == OperandClass::Unsigned;
    if (from.isInteger() && (toUnsigned || reading == OperandClass::Signed))
      value = ir::makeCast(sameWidth(own, toUnsigned), std::move(value));
    else if (from.isFloat() && ir::info(to).isInteger() && toUnsigned)
      value = ir::makeCast(sameWidth(to, true), std::move(value));
    return ir::makeCast(to, std::move(value));
  }

  static ScalarType sameWidth(ScalarType type, bool isUnsigned) {
    std::string name = (isUnsigned ? "u" : "i") + std::to_string(ir::info(type).bits);
    return ir::parseType(name).value_or(type);
  }

  ValueRef cast(const Expr& e, ScalarType expected) {
    if (!e.angle || e.angle->size() != 1 || e.args.size() != 1)
      return error(Diag::BadCast, e.range, "a cast is written " + e.name.text + "<f32>(x)");
    auto to = c_.scope.resolveType((*e.angle)[0]);
    if (!to) return nullptr;
    ValueRef arg = buildNatural(*e.args[0], *to);
    if (!arg) return nullptr;
    OperandClass reading = e.name.text == "cast_signed"     ? OperandClass::Signed
                           : e.name.text == "cast_unsigned" ? OperandClass::Unsigned
                                                            : OperandClass::Any;
    return promote(converted(std::move(arg), *to, reading), expected, e.range);
  }

  ValueRef historicCast(const Expr& e, const CastName& cast, ScalarType expected) {
    if (e.args.size() != 1)
      return error(Diag::ArgumentCount, e.range, "'" + e.name.text + "' takes one argument");
    ValueRef arg = buildNatural(*e.args[0], cast.to);
    if (!arg) return nullptr;
    bool wantsFloat = cast.operand == OperandClass::Float;
    if (wantsFloat != ir::info(arg->type).isFloat())
      return error(Diag::OperandType, e.range,
                   "'" + e.name.text + "' converts " + (wantsFloat ? "floating-point" : "integer") +
                       " values, this is " + typeName(arg->type));
    return promote(converted(std::move(arg), cast.to, cast.operand), expected, e.range);
  }

  // By itself; literals take the type `fallback`.
  ValueRef buildNatural(const Expr& e, ScalarType fallback) {
    NaturalType type = natural(e);
    if (type.kind == Kind::Error) return nullptr;
    if (type.kind == Kind::FloatLiteral && !ir::info(fallback).isFloat())
      fallback = ScalarType::F64;
    return build(e, type.kind == Kind::Known ? type.type : fallback);
  }

  ValueRef compare(FunctionName function, const Name& name, const ValueRef& first,
                   const std::vector<const Expr*>& args, ScalarType expected) {
    if (first)
      return error(Diag::NotACombiner, name.range,
                   "'" + name.text + "' compares; it cannot reduce");
    NaturalType type = common(args);
    if (type.kind == Kind::Error) return nullptr;
    ScalarType operands = type.kind == Kind::Known          ? type.type
                          : type.kind == Kind::FloatLiteral ? ScalarType::F64
                                                            : ScalarType::I64;
    std::vector<ValueRef> values;
    for (const Expr* arg : args) {
      values.push_back(build(*arg, operands));
      if (!values.back()) return nullptr;
    }
    if (!ir::accepts(function.function, operands))
      return error(Diag::OperandType, name.range,
                   "'" + name.text + "' does not compare " + typeName(operands) +
                       (ir::info(operands).onlyStores() ? castFirst(operands) : ""));
    SourceRange whole{args.front()->range.begin, args.back()->range.end};
    return promote(ir::makeCall(function.function, std::move(values)), expected, whole);
  }

  // What to write where a type only stores numbers.
  static std::string castFirst(ScalarType type) {
    return ", which only stores numbers; cast them first, as cast<" +
           std::string(ir::info(type).isFloat() ? "f32" : "i32") + ">(x)";
  }

  // The function on values of `type`, after what its name says about operands.
  ValueRef typedCall(FunctionName f, const Name& name, std::vector<ValueRef> args,
                     ScalarType type) {
    const ir::TypeInfo& t = ir::info(type);
    bool wantsFloat = f.operands == OperandClass::Float;
    bool wantsInteger = f.operands != OperandClass::Any && !wantsFloat;
    if (!ir::accepts(f.function, type) || (wantsFloat && !t.isFloat()) ||
        (wantsInteger && !t.isInteger())) {
      std::string hint = t.onlyStores()                 ? castFirst(type)
                         : t.cls == ir::TypeClass::Bool ? "; bool has and, or, xor, not, ==, !="
                         : wantsFloat || wantsInteger
                             ? "; '" + std::string(ir::info(f.function).name) + "' takes any number"
                             : "";
      return error(Diag::OperandType, name.range,
                   "'" + name.text + "' does not work on " + typeName(type) + hint);
    }
    bool divides = f.function == Function::Div || f.function == Function::Rem;
    if (divides && t.isInteger())
      if (auto* zero = std::get_if<ir::Literal>(&args[1]->node); zero && zero->number.asBits == 0)
        return error(Diag::DivisionByZero, name.range, "division by zero");
    bool otherSign = (f.operands == OperandClass::Signed && !t.isSigned()) ||
                     (f.operands == OperandClass::Unsigned && t.isSigned());
    if (!otherSign) return ir::makeCall(f.function, std::move(args));
    ScalarType reading = sameWidth(type, f.operands == OperandClass::Unsigned);
    for (ValueRef& arg : args) arg = ir::makeCast(reading, arg);
    return ir::makeCast(type, ir::makeCall(f.function, std::move(args)));
  }

  // ---- Operators ----

  ValueRef unary(const Expr& e, ScalarType expected) {
    const Expr& operand = *e.args[0];
    if (e.name.text == "-") {
      if (operand.kind == ExprKind::Number) return literal(operand, /*negative=*/true, expected);
      return call({Function::Neg}, e.name, nullptr, {&operand}, expected);
    }
    bool logical = e.name.text == "!";
    if (logical != (expected == ScalarType::Bool))
      return error(Diag::OperandType, e.range,
                   logical ? "'!' is for bool; the complement of an integer is '~'"
                           : "'~' is for integers; the opposite of a bool is '!'");
    return call({Function::Not}, e.name, nullptr, {&operand}, expected);
  }

  ValueRef binary(const Expr& e, ScalarType expected) {
    bool logical = e.name.text == "&&" || e.name.text == "||";
    if (logical && expected != ScalarType::Bool)
      return error(
          Diag::OperandType, e.range,
          "'" + e.name.text + "' gives a bool, but " + typeName(expected) + " is wanted here");
    return call({kOperators.at(e.name.text)}, e.name, nullptr, pointers(e.args), expected);
  }

  // ---- Types from below ----

  NaturalType naturalName(const Expr& e) {
    if (c_.parameters) {
      auto it = c_.parameters->values.find(e.name.text);
      return it == c_.parameters->values.end() ? naturalConstant(e)
                                               : NaturalType{Kind::Known, it->second->type};
    }
    const ir::Kernel& kernel = c_.scope.kernel;
    if (auto id = kernel.findAttribute(e.name.text))
      return {Kind::Known, kernel.attributes[*id].type};
    if (c_.scope.sizes.count(e.name.text)) return {Kind::Known, ScalarType::I64};
    return naturalConstant(e);
  }

  NaturalType naturalConstant(const Expr& e) {
    if (e.name.text == "true" || e.name.text == "false") return {Kind::Known, ScalarType::Bool};
    if (e.name.text == "inf" || e.name.text == "nan") return {Kind::FloatLiteral};
    if (isConstantName(e.name.text)) return {Kind::IntegerLiteral};  // an end of any type
    unknown(e);
    return {Kind::Error};
  }

  NaturalType naturalApply(const Expr& e) {
    if (auto it = c_.operands.find(&e); it != c_.operands.end())
      return {Kind::Known, c_.operandTypes[it->second]};
    if (c_.indices.count(&e)) return {Kind::Known, ScalarType::I64};
    if (isCastName(e.name.text)) {
      auto to =
          e.angle && e.angle->size() == 1 ? c_.scope.resolveType((*e.angle)[0]) : std::nullopt;
      if (!to) return {Kind::Error};
      return {Kind::Known, *to};
    }
    if (auto historic = findCast(e.name.text)) return {Kind::Known, historic->to};
    auto function = findFunction(e.name.text);
    if (!function && calledCombiner(c_.scope.combiners, e)) return common(pointers(e.args));
    if (!function) {
      buildCall(c_, e.name, nullptr, {}, ScalarType::F32);  // reports it
      return {Kind::Error};
    }
    std::vector<const Expr*> args = pointers(e.args);
    switch (ir::info(function->function).signature) {
      case ir::Signature::Compare:
        return {Kind::Known, ScalarType::Bool};
      case ir::Signature::Select:
        if (!args.empty()) args.erase(args.begin());
        break;
      default:
        break;
    }
    return common(args);
  }

  NaturalType common(const std::vector<const Expr*>& exprs) {
    NaturalType result{Kind::IntegerLiteral};
    for (const Expr* e : exprs) {
      NaturalType next = natural(*e);
      if (next.kind == Kind::Error) return next;
      if (result.kind != Kind::Known) {
        if (next.kind == Kind::Known || result.kind == Kind::IntegerLiteral) result = next;
      } else if (next.kind == Kind::Known && !ir::widensTo(next.type, result.type)) {
        if (!ir::widensTo(result.type, next.type)) {
          error(Diag::NoCommonType, {exprs.front()->range.begin, exprs.back()->range.end},
                typeName(result.type) + " and " + typeName(next.type) +
                    " have no common type that holds both; cast one of them");
          return {Kind::Error};
        }
        result = next;
      }
    }
    return result;
  }

  PayloadContext& c_;
  Diagnostics& errors_;
};

}  // namespace

bool isCastName(std::string_view name) {
  return name == "cast" || name == "cast_signed" || name == "cast_unsigned";
}

ValueRef buildValue(PayloadContext& context, const Expr& expr, ScalarType expected) {
  return PayloadBuilder(context).build(expr, expected);
}

ValueRef buildCall(PayloadContext& context, const Name& name, ValueRef first,
                   const std::vector<const Expr*>& args, ScalarType expected) {
  if (auto function = findFunction(name.text))
    return PayloadBuilder(context).call(*function, name, std::move(first), args, expected);
  if (!checkCallee(context.scope, name)) return nullptr;
  const Combiner& combiner = *context.scope.combiners.find(name.text);
  if (context.scope.combiners.isBroken(combiner)) return nullptr;
  std::vector<ValueRef> accumulator;
  if (first) accumulator.push_back(std::move(first));
  auto values = buildCombined(context, combiner, name, std::move(accumulator), args, {expected});
  return values.empty() ? nullptr : values[0];
}

bool checkCallee(const Scope& scope, const Name& name) {
  if (findFunction(name.text) || scope.combiners.find(name.text)) return true;
  bool isDef =
      std::find(scope.defNames.begin(), scope.defNames.end(), name.text) != scope.defNames.end();
  std::vector<std::string> known = functionNames();
  for (std::string& combiner : scope.combiners.names()) known.push_back(std::move(combiner));
  for (const ir::Tensor& tensor : scope.kernel.tensors) known.push_back(tensor.name);
  std::string message =
      isDef && name.text == scope.def.name.text ? "a def cannot use itself"
      : isDef ? "a def cannot use another def; write its statements here"
              : "unknown tensor or function '" + name.text + "'" + didYouMean(name.text, known);
  scope.errors.error(Diag::UnknownName, name.range, message);
  return false;
}

NaturalType naturalType(PayloadContext& context, const Expr& expr) {
  return PayloadBuilder(context).natural(expr);
}

}  // namespace einc::frontend
