// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/mlir/ods_region.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "compiler/emit/text/names.h"
#include "compiler/ir/literal.h"
#include "compiler/support/text_writer.h"

namespace einc::emit {
namespace {

using affine::Atom;
using affine::Expr;
using ir::Function;
using ir::ScalarType;
using ir::TypeClass;

// A bool is an i1 in MLIR.
unsigned bitsOf(ScalarType type) {
  return ir::info(type).cls == TypeClass::Bool ? 1 : ir::info(type).bits;
}

uint64_t magnitudeOf(int64_t number) {
  return number < 0 ? uint64_t{0} - static_cast<uint64_t>(number) : static_cast<uint64_t>(number);
}

std::string atomText(const Atom& atom) {
  if (!atom.div) return atom.name;
  auto constant = atom.div->divisor.asConstant();
  std::string divisor = constant ? std::to_string(*constant) : odsAffineText(atom.div->divisor);
  std::string dividend = "(" + odsAffineText(atom.div->dividend) + ")";
  if (atom.kind == Atom::Kind::FloorDiv) return dividend + ".floorDiv(" + divisor + ")";
  return "(" + dividend + " % " + (constant ? divisor : "(" + divisor + ")") + ")";
}

// std_addf, std_addi, std_divi_signed, std_exp, std_select, ...
std::string functionName(Function function, ScalarType type) {
  const ir::TypeInfo& t = ir::info(type);
  std::string name = "std_" + std::string(ir::info(function).name);
  switch (function) {
    case Function::Add:
    case Function::Sub:
    case Function::Mul:
    case Function::Pow:
    case Function::Neg:
    case Function::Abs:
    case Function::Sign:
      return name + (t.isFloat() ? "f" : "i");
    case Function::Div:
    case Function::Rem:
      return name + (t.isFloat() ? "f" : t.isSigned() ? "i_signed" : "i_unsigned");
    case Function::Max:
    case Function::Min:
      return name + (t.isFloat() ? "f" : t.isSigned() ? "si" : "ui");
    case Function::Shr:
      return name + (t.isSigned() ? "si" : "ui");
    case Function::Ceil:
    case Function::Floor:
      return name + "f";
    default:
      return name;
  }
}

// The predicate of a comparison: CmpFPredicate::OLT, CmpIPredicate::slt.
std::string predicate(Function function, ScalarType type) {
  const ir::TypeInfo& t = ir::info(type);
  std::string name(ir::info(function).name);
  bool isEquality = function == Function::Eq || function == Function::Ne;
  if (!t.isFloat())
    return "CmpIPredicate::" + std::string(isEquality ? "" : t.isSigned() ? "s" : "u") + name;
  std::transform(name.begin(), name.end(), name.begin(), ::toupper);
  // A comparison with NaN is false, but for "not equal".
  return "CmpFPredicate::" + std::string(function == Function::Ne ? "U" : "O") + name;
}

// The verb of a conversion between different types, other than to bool: "sexti"; nothing where
// MLIR, whose integers have no sign, has nothing to convert.
std::optional<std::string> castVerb(ScalarType from, ScalarType to) {
  const ir::TypeInfo &f = ir::info(from), &t = ir::info(to);
  if (f.isFloat() && t.isFloat()) return t.bits > f.bits ? "fpext" : "fptrunc";
  if (f.isFloat()) return t.isSigned() ? "fptosi" : "fptoui";
  if (t.isFloat()) return f.isSigned() ? "sitofp" : "uitofp";
  if (bitsOf(from) == bitsOf(to)) return std::nullopt;
  return bitsOf(from) > bitsOf(to) ? "trunci" : f.isSigned() ? "sexti" : "zexti";
}

class RegionWriter {
 public:
  explicit RegionWriter(const NamedOp& op) : op_(op), next_(op.operands.size() + 1) {}

  std::string run() {
    TextWriter head;
    head.open("void " + op_.className + "::regionBuilder(ArrayRef<BlockArgument> args) {");
    head.line("using namespace edsc;").line("using namespace intrinsics;");
    body_.indent();
    std::vector<std::string> results, arguments;
    for (const ir::ValueRef& result : op_.results) results.push_back(value(result));
    for (size_t i = 0; i < op_.operands.size(); ++i)
      if (op_.operands[i].isRead)
        arguments.push_back("_" + std::to_string(i) + "(args[" + std::to_string(i) + "])");
    if (usesContext_) head.line("MLIRContext *context = args[0].getContext();");
    head.line("Value " + joined(arguments) + ";");
    head.raw(body_.text());
    head.line("(linalg_yield(ValueRange{ " + joined(results) + " }));");
    head.close();
    return head.take();
  }

 private:
  // Names `text`, the value of a statement.
  std::string let(const std::string& text) {
    std::string name = "_" + std::to_string(next_++);
    body_.line("Value " + name + " = " + text + ";");
    return name;
  }

  // Emits the statements of a value; returns its name.
  std::string value(const ir::ValueRef& v) {
    if (auto* operand = std::get_if<ir::OperandRef>(&v->node))
      return "_" + std::to_string(operand->operand);
    if (auto* literal = std::get_if<ir::Literal>(&v->node))
      return constant(v->type, literal->number);
    if (auto* index = std::get_if<ir::IndexRef>(&v->node)) return indexValue(index->index);
    if (auto* cast = std::get_if<ir::Cast>(&v->node))
      return castValue(value(cast->arg), cast->arg->type, v->type);
    return callValue(std::get<ir::Call>(v->node));
  }

  std::string constant(ScalarType type, const ir::Number& number) {
    const ir::TypeInfo& t = ir::info(type);
    if (!t.isFloat()) {
      int64_t signedNumber = ir::signedValue(type, number);
      std::string digits = signedNumber == INT64_MIN ? "INT64_MIN" : std::to_string(signedNumber);
      return let("std_constant_int(" + digits + ", " + std::to_string(bitsOf(type)) + ")");
    }
    usesContext_ = true;
    const char* semantics = type == ScalarType::BF16  ? "BFloat"
                            : type == ScalarType::F16 ? "IEEEhalf"
                            : type == ScalarType::F32 ? "IEEEsingle"
                                                      : "IEEEdouble";
    std::string name = type == ScalarType::BF16 ? "BF16" : "F" + std::to_string(t.bits);
    return let("std_constant_float(APFloat(APFloat::" + std::string(semantics) + "(), \"" +
               ir::literalText(type, number) + "\"), FloatType::get" + name + "(context))");
  }

  std::string integerConstant(ScalarType type, uint64_t bits) {
    ir::Number number;
    number.asBits = bits;
    return constant(type, number);
  }

  std::string callValue(const ir::Call& call) {
    ScalarType type = call.args.back()->type;
    std::vector<std::string> args;
    for (const ir::ValueRef& arg : call.args) args.push_back(value(arg));
    if (ir::info(call.function).signature == ir::Signature::Compare)
      return let((ir::info(type).isFloat() ? "std_cmpf(" : "std_cmpi(") +
                 predicate(call.function, type) + ", " + joined(args) + ")");
    // What the standard dialect has under another name only.
    if (call.function == Function::Not)
      return let("std_xor(" + args[0] + ", " +
                 integerConstant(type, ~uint64_t{0} >> (64 - bitsOf(type))) + ")");
    if (call.function == Function::Neg && !ir::info(type).isFloat())
      return let("std_subi(" + integerConstant(type, 0) + ", " + args[0] + ")");
    if (call.function == Function::Square)
      return let(functionName(Function::Mul, type) + "(" + args[0] + ", " + args[0] + ")");
    return let(functionName(call.function, type) + "(" + joined(args) + ")");
  }

  std::string castValue(const std::string& arg, ScalarType from, ScalarType to) {
    if (ir::info(to).cls == TypeClass::Bool) {
      std::string zero = constant(from, {});
      return let((ir::info(from).isFloat() ? "std_cmpf(" : "std_cmpi(") +
                 predicate(Function::Ne, from) + ", " + arg + ", " + zero + ")");
    }
    bool isFloat = ir::info(from).isFloat() && ir::info(to).isFloat();
    // Between f16 and bf16, neither of which holds the other.
    if (isFloat && bitsOf(from) == bitsOf(to))
      return castValue(castValue(arg, from, ScalarType::F32), ScalarType::F32, to);
    auto verb = castVerb(from, to);
    if (!verb) return arg;
    std::string type = to == ScalarType::BF16 ? "bf16" : std::to_string(bitsOf(to));
    return let("std_" + *verb + type + "(" + arg + ")");
  }

  // An index, as an i64.
  std::string indexValue(const Expr& index) {
    if (auto known = index.asConstant())
      return integerConstant(ScalarType::I64, static_cast<uint64_t>(*known));
    usesContext_ = true;
    std::vector<std::string> names = index.iterators(), indices;
    for (const std::string& name : names)
      indices.push_back(let("linalg_index(" + name.substr(1) + ")"));
    std::string result = indices[0];
    if (!index.asIterator()) {
      Expr renamed = index.substitute([&](const Atom& atom) -> std::optional<Expr> {
        auto found = std::find(names.begin(), names.end(), atom.name) - names.begin();
        return Expr::iterator("getAffineDimExpr(" + std::to_string(found) + ", context)");
      });
      result = let("affine_apply(AffineMap::get(" + std::to_string(names.size()) + ", 0, {" +
                   odsAffineText(renamed) + "}, context), ValueRange{ " + joined(indices) + " })");
    }
    return let("std_index_cast(" + result + ", IntegerType::get(context, 64))");
  }

  const NamedOp& op_;
  TextWriter body_;
  size_t next_;  // number of the next value; the historic tool leaves one out
  bool usesContext_ = false;
};

}  // namespace

std::string odsAffineText(const Expr& expr) {
  std::string text;
  int64_t constant = 0;
  for (const affine::Term& term : expr.terms()) {
    if (term.factors.empty()) {
      constant = term.coefficient;
      continue;
    }
    uint64_t magnitude = magnitudeOf(term.coefficient);
    text += term.coefficient > 0 ? (text.empty() ? "" : " + ") : (text.empty() ? "-" : " - ");
    text += joined(term.factors, " * ", atomText);
    if (magnitude != 1) text += " * " + std::to_string(magnitude);
  }
  if (text.empty()) return "getAffineConstantExpr(" + std::to_string(constant) + ", context)";
  if (constant != 0) text += (constant > 0 ? " + " : " - ") + std::to_string(magnitudeOf(constant));
  return text;
}

std::string odsRegionBuilder(const NamedOp& op) { return RegionWriter(op).run(); }

}  // namespace einc::emit
