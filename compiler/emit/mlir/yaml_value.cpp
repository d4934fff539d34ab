// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/mlir/yaml_value.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "compiler/ir/literal.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

namespace einc::emit {
namespace {

using affine::Expr;
using ir::Function;
using ir::ScalarType;
using ir::TypeClass;

struct ScalarFunction {
  std::string kind, name;
};

// OpDSL's function for operands of a type, if it has one that computes the same. Its unary
// functions take floats; on bools it adds by "or" and multiplies by "and".
std::optional<ScalarFunction> findFunction(Function function, ScalarType type) {
  const ir::TypeInfo& t = ir::info(type);
  bool isBool = t.cls == TypeClass::Bool, isUnsigned = t.cls == TypeClass::Unsigned;
  switch (function) {
    case Function::Add:
    case Function::Sub:
    case Function::Mul:
      return ScalarFunction{"binary", std::string(ir::info(function).name)};
    case Function::Div:
      return ScalarFunction{"binary", isUnsigned ? "div_unsigned" : "div"};
    case Function::Max:
    case Function::Min:
      return ScalarFunction{
          "binary", std::string(ir::info(function).name) + (isUnsigned ? "_unsigned" : "_signed")};
    case Function::Or:
    case Function::And:
      if (!isBool) return std::nullopt;
      return ScalarFunction{"binary", function == Function::Or ? "add" : "mul"};
    case Function::Pow:
      if (!t.isFloat()) return std::nullopt;
      return ScalarFunction{"binary", "powf"};
    case Function::Select:
      return ScalarFunction{"ternary", "select"};
    case Function::Neg:
      if (!t.isFloat()) return std::nullopt;
      return ScalarFunction{"unary", "negf"};
    case Function::Abs:
    case Function::Ceil:
    case Function::Erf:
    case Function::Exp:
    case Function::Floor:
    case Function::Log:
    case Function::Reciprocal:
    case Function::Round:
    case Function::Rsqrt:
    case Function::Sqrt:
    case Function::Square:
    case Function::Tanh:
      if (!t.isFloat()) return std::nullopt;
      return ScalarFunction{"unary", std::string(ir::info(function).name)};
    default:
      return std::nullopt;
  }
}

// A number as MLIR spells attributes: "42 : i64", "0.5 : f32", "0x7F800000 : f32", "true".
std::string attributeText(ScalarType type, const ir::Number& number) {
  const ir::TypeInfo& t = ir::info(type);
  std::string text = ir::literalText(type, number);
  if (t.cls == TypeClass::Bool) return text;
  if (!t.isFloat()) return text + " : i" + std::to_string(t.bits);
  if (std::isfinite(number.asFloat)) {
    // MLIR wants a point before an exponent.
    size_t exponent = text.find('e');
    if (exponent != std::string::npos && text.find('.') == std::string::npos)
      text.insert(exponent, ".0");
  } else {
    llvm::APFloat value(number.asFloat);
    bool loses;
    value.convert(type == ScalarType::BF16  ? llvm::APFloat::BFloat()
                  : type == ScalarType::F16 ? llvm::APFloat::IEEEhalf()
                  : type == ScalarType::F32 ? llvm::APFloat::IEEEsingle()
                                            : llvm::APFloat::IEEEdouble(),
                  llvm::APFloat::rmNearestTiesToEven, &loses);
    text = "0x" +
           llvm::utohexstr(value.bitcastToAPInt().getZExtValue(), /*LowerCase=*/false, t.bits / 4);
  }
  return text + " : " + std::string(t.name);
}

class ValueWriter {
 public:
  ValueWriter(const NamedOp& op, TextWriter& out) : op_(op), out_(out) {}

  std::string run(const ir::ValueRef& value) {
    out_.open("value: !ScalarExpression");
    write(value);
    out_.dedent();
    return reason_;
  }

 private:
  void refuse(const std::string& reason) {
    if (reason_.empty()) reason_ = reason;
  }

  void write(const ir::ValueRef& v) {
    if (auto* operand = std::get_if<ir::OperandRef>(&v->node)) {
      out_.line("scalar_arg: " + op_.operands[operand->operand].name);
    } else if (auto* literal = std::get_if<ir::Literal>(&v->node)) {
      out_.line("scalar_const: '" + attributeText(v->type, literal->number) + "'");
    } else if (auto* index = std::get_if<ir::IndexRef>(&v->node)) {
      writeIndex(index->index);
    } else if (auto* cast = std::get_if<ir::Cast>(&v->node)) {
      writeCast(cast->arg, v->type);
    } else {
      writeCall(std::get<ir::Call>(v->node));
    }
  }

  void beginFunction(const ScalarFunction& function, const std::string& typeVariable = "") {
    out_.open("scalar_fn:");
    out_.line("kind: " + function.kind).line("fn_name: " + function.name);
    if (!typeVariable.empty()) out_.line("type_var: " + typeVariable);
    out_.line("operands:");
  }

  template <typename Write>
  void operand(const Write& write) {
    out_.open("- !ScalarExpression");
    write();
    out_.dedent();
  }

  void writeCall(const ir::Call& call) {
    ScalarType type = call.args.back()->type;
    auto function = findFunction(call.function, type);
    if (!function) {
      refuse("an op config has no function '" + std::string(ir::info(call.function).name) +
             "' of " + std::string(ir::info(type).name));
      return;
    }
    beginFunction(*function);
    for (const ir::ValueRef& arg : call.args) operand([&] { write(arg); });
    out_.dedent();
  }

  void writeCast(const ir::ValueRef& arg, ScalarType to) {
    const ir::TypeInfo &f = ir::info(arg->type), &t = ir::info(to);
    // MLIR's integers have no sign of their own.
    if (f.isInteger() && t.isInteger() && f.bits == t.bits) return write(arg);
    if (t.cls == TypeClass::Bool)
      return refuse("an op config has no conversion to bool; compare with 0 in another op");
    auto typeVariable = castTarget(to);
    if (!typeVariable)
      return refuse("it converts to " + std::string(t.name) +
                    ", which an op config can only if an operand has that type");
    bool isSigned = f.isFloat() ? t.isFloat() || t.isSigned() : f.isSigned();
    beginFunction({"type", isSigned ? "cast_signed" : "cast_unsigned"}, *typeVariable);
    operand([&] { write(arg); });
    out_.dedent();
  }

  // A type variable that an operand has, or one of those that stand for themselves.
  std::optional<std::string> castTarget(ScalarType type) const {
    for (const NamedOperand& operand : op_.operands)
      if (operand.type == type) return yamlTypeVariable(type);
    const ir::TypeInfo& t = ir::info(type);
    if (t.bits < 32) return std::nullopt;
    return (t.isFloat() ? "F" : "I") + std::to_string(t.bits);
  }

  // An index of iterators as arithmetic in i64.
  void writeIndex(const Expr& index) {
    if (auto known = index.asConstant()) return writeInteger(*known);
    writeSum(index.terms());
  }

  void writeSum(std::vector<affine::Term> terms) {
    if (terms.size() == 1) return writeTerm(terms.front());
    affine::Term last = terms.back();
    terms.pop_back();
    beginFunction({"binary", "add"});
    operand([&] { writeSum(terms); });
    operand([&] { writeTerm(last); });
    out_.dedent();
  }

  void writeTerm(const affine::Term& term) {
    if (term.factors.empty()) return writeInteger(term.coefficient);
    // Affine and without symbols: one factor.
    const affine::Atom& atom = term.factors.front();
    if (atom.div) return refuse("an op config has no division in index(...)");
    if (term.coefficient == 1) return writeIterator(atom.name);
    beginFunction({"binary", "mul"});
    operand([&] { writeIterator(atom.name); });
    operand([&] { writeInteger(term.coefficient); });
    out_.dedent();
  }

  void writeIterator(const std::string& dim) {
    beginFunction({"type", "cast_signed"}, "I64");
    operand([&] { out_.line("scalar_index: " + dim.substr(1)); });
    out_.dedent();
  }

  void writeInteger(int64_t value) {
    out_.line("scalar_const: '" + std::to_string(value) + " : i64'");
  }

  const NamedOp& op_;
  TextWriter& out_;
  std::string reason_;
};

}  // namespace

std::string yamlTypeVariable(ScalarType type) {
  if (ir::info(type).cls == TypeClass::Bool) return "I1";
  return llvm::StringRef(std::string(ir::info(type).name)).upper();
}

std::string writeYamlValue(const NamedOp& op, const ir::ValueRef& value, TextWriter& out) {
  return ValueWriter(op, out).run(value);
}

}  // namespace einc::emit
