// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// The ranges of integers: how long a sum may be before its accumulator overflows, and values that
// are computed in a narrow type and widened when it is too late.
#include <algorithm>

#include "compiler/affine/interval.h"
#include "compiler/frontend/lint.h"
#include "compiler/ir/literal.h"
#include "compiler/ir/shape.h"

namespace einc::frontend {
namespace {

using affine::Expr;
using affine::Interval;
using ir::Function;

// All values of an integer type; open for floats, and where 64 bits do not fit.
Interval rangeOf(ir::ScalarType type) {
  const ir::TypeInfo& info = ir::info(type);
  if (info.cls == ir::TypeClass::Bool) return {0, 1};
  if (!info.isInteger() || info.bits > 32) return {};
  int64_t span = int64_t{1} << info.bits;
  return info.isSigned() ? Interval{-span / 2, span / 2 - 1} : Interval{0, span - 1};
}

bool fits(const Interval& value, const Interval& type) {
  if (!type.low && !type.high) return true;
  return value.low && value.high && *type.low <= *value.low && *value.high <= *type.high;
}

std::string typeName(ir::ScalarType type) { return std::string(ir::info(type).name); }

class NumbersLint {
 public:
  NumbersLint(Lint& lint, const ir::StructuredOp& op)
      : lint_(lint), kernel_(lint.kernel), op_(op) {}

  void run() {
    for (size_t i = 0; i < op_.results.size(); ++i) {
      ir::forEach(op_.results[i], [&](const ir::Value& value) { widening(value); });
      sum(i);
    }
  }

 private:
  // The values that an expression may have, computed in its type.
  Interval valueOf(const ir::ValueRef& value) const {
    Interval exact = exactly(*value), type = rangeOf(value->type);
    return fits(exact, type) ? exact : type;
  }

  // The values it would have in a type without ends.
  Interval exactly(const ir::Value& value) const {
    if (!ir::info(value.type).isInteger() && ir::info(value.type).cls != ir::TypeClass::Bool)
      return {};
    if (auto* literal = std::get_if<ir::Literal>(&value.node))
      return Interval::point(ir::signedValue(value.type, literal->number));
    if (std::holds_alternative<ir::IndexRef>(value.node)) return {};
    if (auto* cast = std::get_if<ir::Cast>(&value.node)) {
      bool fromFloat = ir::info(cast->arg->type).isFloat();
      return fromFloat ? rangeOf(value.type) : valueOf(cast->arg);
    }
    auto* call = std::get_if<ir::Call>(&value.node);
    return call ? callOf(*call, value.type) : rangeOf(value.type);
  }

  Interval callOf(const ir::Call& call, ir::ScalarType type) const {
    auto arg = [&](size_t i) { return valueOf(call.args[i]); };
    const Interval minusOne = Interval::point(-1);
    switch (call.function) {
      case Function::Add:
        return arg(0) + arg(1);
      case Function::Sub:
        return arg(0) + minusOne * arg(1);
      case Function::Mul:
        return arg(0) * arg(1);
      case Function::Square:
        return arg(0) * arg(0);
      case Function::Neg:
        return minusOne * arg(0);
      case Function::Select:
        return hull(arg(1), arg(2));
      case Function::Max:
      case Function::Min:
        return hull(arg(0), arg(1));
      default:
        return rangeOf(type);
    }
  }

  static Interval hull(const Interval& a, const Interval& b) {
    Interval result;
    if (a.low && b.low) result.low = std::min(*a.low, *b.low);
    if (a.high && b.high) result.high = std::max(*a.high, *b.high);
    return result;
  }

  // cast<i32>(a * b) for i8: the product is gone before it is widened.
  void widening(const ir::Value& value) {
    auto* cast = std::get_if<ir::Cast>(&value.node);
    auto* call = cast ? std::get_if<ir::Call>(&cast->arg->node) : nullptr;
    if (!call) return;
    const ir::TypeInfo &from = ir::info(cast->arg->type), &to = ir::info(value.type);
    std::string name(ir::info(call->function).name);
    if (from.isInteger() && to.cls != ir::TypeClass::Bool &&
        (to.bits > from.bits || to.isFloat())) {
      Interval exact = exactly(*cast->arg), type = rangeOf(cast->arg->type);
      if (!computes(call->function) || fits(exact, type) || mayBeMeant(*call, from)) return;
      lint_.errors.warning(Diag::WrapsBeforeWidening, op_.source,
                           "'" + name + "' is computed in " + typeName(from.type) +
                               ", where its values " + exact.str() + " wrap into " + type.str() +
                               ", before it is cast to " + typeName(to.type) +
                               "; cast the operands instead");
    } else if (from.isFloat() && to.isFloat() && to.bits > from.bits && computes(call->function)) {
      lint_.errors.warning(Diag::RoundsBeforeWidening, op_.source,
                           "'" + name + "' is rounded to " + typeName(from.type) +
                               " before it is cast to " + typeName(to.type) +
                               "; cast the operands instead");
    }
  }

  // Arithmetic with constants in 32 bits and more wraps on purpose where numbers are hashed.
  static bool mayBeMeant(const ir::Call& call, const ir::TypeInfo& type) {
    return type.bits >= 32 &&
           std::any_of(call.args.begin(), call.args.end(), [](const ir::ValueRef& arg) {
             return std::holds_alternative<ir::Literal>(arg->node);
           });
  }

  static bool computes(Function function) {
    return function == Function::Add || function == Function::Sub || function == Function::Mul ||
           function == Function::Square || function == Function::Neg;
  }

  // The term that is added to the accumulator, if the result is such a sum.
  ir::ValueRef termOf(size_t output) const {
    auto* call = std::get_if<ir::Call>(&op_.results[output]->node);
    if (!call || call->function != Function::Add) return nullptr;
    auto isAccumulator = [&](const ir::ValueRef& value) {
      auto* operand = std::get_if<ir::OperandRef>(&value->node);
      return operand && operand->operand == op_.inputs.size() + output;
    };
    if (isAccumulator(call->args[0])) return call->args[1];
    return isAccumulator(call->args[1]) ? call->args[0] : nullptr;
  }

  // The number of terms: the product of the reductions' extents.
  Expr terms() const {
    Expr count = Expr::constant(1);
    for (const ir::Iterator& iterator : op_.iterators)
      if (iterator.kind == ir::IteratorKind::Reduction)
        if (auto extent = ir::extentOf(kernel_, op_, iterator.name)) count = count * extent->extent;
    return count;
  }

  void sum(size_t output) {
    ir::ValueRef term = termOf(output);
    ir::ScalarType type = op_.results[output]->type;
    Interval all = rangeOf(type);
    if (!term || !ir::reduces(op_) || !all.low) return;
    const ir::Tensor& tensor = kernel_.tensors[op_.outputs[output].tensor];
    Interval one = valueOf(term);
    if (!one.low || !one.high) return;
    // n terms stay inside as long as n * high and n * low do.
    int64_t most = INT64_MAX;
    if (*one.high > 0) most = std::min(most, *all.high / *one.high);
    if (*one.low < 0) most = std::min(most, *all.low / *one.low);
    std::string text =
        "sums of '" + tensor.name + "' have terms in " + one.str() + " and are " + typeName(type);
    std::string wrap = "; what is longer is taken modulo 2^" + std::to_string(ir::info(type).bits);
    std::string count = terms().str();
    if (most <= 1) return lint_.fact(op_.source, text + ": two of them may overflow" + wrap);
    if (auto constant = terms().asConstant(); constant && *constant > most)
      lint_.errors.warning(Diag::SumOverflows, op_.source,
                           text + ": " + count + " terms can overflow it, up to " +
                               std::to_string(most) + " cannot" + wrap);
    else
      lint_.fact(op_.source, text + ": no overflow for " + count + " <= " + std::to_string(most) +
                                 ", from 0" + wrap);
  }

  Lint& lint_;
  const ir::Kernel& kernel_;
  const ir::StructuredOp& op_;
};

}  // namespace

void lintNumbers(Lint& lint) {
  ir::forEachOp(lint.kernel.body, [&](const ir::StructuredOp& op) { NumbersLint(lint, op).run(); });
}

}  // namespace einc::frontend
