// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Terms that are polynomials of distances from a centre (cascade.h).
#include <cmath>
#include <utility>

#include "compiler/transforms/cascade.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::transforms {

using ir::Function;

std::optional<unsigned> Cascades::ofCentre(size_t op, const ir::ValueRef& value) const {
  std::optional<unsigned> operand;
  bool isAlone = true;
  ir::forEach(value, [&](const ir::Value& one) {
    if (auto* index = std::get_if<ir::IndexRef>(&one.node))
      isAlone &= index->index.iterators().empty();
    auto* read = std::get_if<ir::OperandRef>(&one.node);
    if (!read) return;
    const ir::Operand& own = ops_[op].operand(read->operand);
    isAlone &= isCentre(own.tensor) && !own.pad &&
               (!operand || ops_[op].operand(*operand).tensor == own.tensor);
    operand = operand.value_or(read->operand);
  });
  return isAlone ? operand : std::nullopt;
}

const Moments* Cascades::slopeOf(size_t op, const ir::ValueRef& operand) const {
  auto* read = std::get_if<ir::OperandRef>(&operand->node);
  auto found = read ? moments_.find(ops_[op].operand(read->operand).tensor) : moments_.end();
  return found == moments_.end() || found->second.isSum ? nullptr : &found->second;
}

namespace {

ir::ValueRef mapArgs(const ir::ValueRef& value,
                     const std::function<ir::ValueRef(const ir::ValueRef&)>& to) {
  if (auto* cast = std::get_if<ir::Cast>(&value->node))
    return ir::makeValue(value->type, ir::Cast{to(cast->arg)});
  auto* call = std::get_if<ir::Call>(&value->node);
  if (!call) return value;
  ir::Call copy = *call;
  for (ir::ValueRef& arg : copy.args) arg = to(arg);
  return ir::makeValue(value->type, std::move(copy));
}

// Whether the value is this operand times something else.
bool isMultiple(const ir::ValueRef& value, unsigned operand) {
  if (auto* read = std::get_if<ir::OperandRef>(&value->node)) return read->operand == operand;
  if (auto* cast = std::get_if<ir::Cast>(&value->node)) return isMultiple(cast->arg, operand);
  auto* call = std::get_if<ir::Call>(&value->node);
  if (!call) return false;
  auto isOf = [&](size_t arg) { return isMultiple(call->args[arg], operand); };
  auto isOrZero = [&](size_t arg) { return isZero(call->args[arg]) || isOf(arg); };
  switch (call->function) {
    case Function::Neg:
    case Function::Div:
      return isOf(0);
    case Function::Mul:
      return isOf(0) || isOf(1);
    case Function::Add:
    case Function::Sub:
      return isOf(0) && isOf(1);
    case Function::Select:
      return isOrZero(1) && isOrZero(2);
    default:
      return false;
  }
}

}  // namespace

std::optional<Moments> Cascades::momentsOf(size_t op, const ir::ValueRef& value) const {
  // The largest values of it that are centres; all are to be the same.
  Moments result;
  bool isOne = true;
  auto meet = [&](unsigned source, const ir::ValueRef& centre) {
    isOne &= !result.centre || (result.source == source && ir::equal(result.centre, centre));
    result.source = source;
    result.centre = centre;
  };
  std::function<ir::ValueRef(const ir::ValueRef&)> replaced = [&](const ir::ValueRef& one) {
    const auto operand = ofCentre(op, one);
    if (!operand) return mapArgs(one, replaced);
    meet(ops_[op].operand(*operand).tensor, ir::rewrite(one, [](const ir::ValueRef& node) {
           return std::holds_alternative<ir::OperandRef>(node->node)
                      ? ir::makeValue(node->type, ir::OperandRef{0})
                      : nullptr;
         }));
    result.operand = operand;
    return ir::makeValue(one->type, ir::OperandRef{*operand});
  };
  result.term = replaced(value);
  auto ofOperand = [&](const ir::ValueRef& read) -> std::optional<Derivatives> {
    if (auto* slope = slopeOf(op, read)) {
      meet(slope->source, slope->centre);
      return slope->derivatives;
    }
    if (ofCentre(op, read)) return Derivatives{ir::makeLiteral(read->type, ir::Number{1.0, 0})};
    return stays(op, read) ? std::optional(Derivatives()) : std::nullopt;
  };
  auto derivatives = derivativesOf(result.term, ofOperand);
  if (!derivatives || !result.centre || !isOne) return std::nullopt;
  result.derivatives = std::move(*derivatives);
  const bool isOfBound = bounds_.count(result.source) != 0 || ofBounds_.count(result.source) != 0;
  result.isScaled = !isOfBound && result.operand && result.derivatives.size() == 1 &&
                    isMultiple(result.term, *result.operand);
  if (result.isScaled) return result;
  const CascadeBound* origin = originOf(op, result);
  if (!origin || !isOfDistances(op, result.term, result, *origin)) return std::nullopt;
  result.origin = *origin;
  return result;
}

namespace {

// A number of positions, as a float.
std::optional<affine::Expr> asCount(const ir::ValueRef& value) {
  if (auto* cast = std::get_if<ir::Cast>(&value->node)) return asCount(cast->arg);
  if (auto* index = std::get_if<ir::IndexRef>(&value->node)) return index->index;
  if (auto* literal = std::get_if<ir::Literal>(&value->node)) {
    const double number = ir::info(value->type).isFloat() ? literal->number.asFloat : 0;
    const bool isCount = number >= 1 && number < 9e15 && number == std::floor(number);
    return isCount ? std::optional(affine::Expr::constant(static_cast<int64_t>(number)))
                   : std::nullopt;
  }
  auto* call = std::get_if<ir::Call>(&value->node);
  if (!call || call->function != Function::Mul) return std::nullopt;
  const auto a = asCount(call->args[0]), b = asCount(call->args[1]);
  return a && b ? std::optional(*a * *b) : std::nullopt;
}

const ir::ValueRef& withoutCasts(const ir::ValueRef& value) {
  auto* cast = std::get_if<ir::Cast>(&value->node);
  const bool isOfFloats =
      cast && ir::info(value->type).isFloat() && ir::info(cast->arg->type).isFloat();
  return isOfFloats ? withoutCasts(cast->arg) : value;
}

}  // namespace

// A sum by as many as there are terms.
const CascadeBound* Cascades::meanOf(size_t op, const ir::ValueRef& value) const {
  auto* call = std::get_if<ir::Call>(&withoutCasts(value)->node);
  auto* read = call && call->function == Function::Div
                   ? std::get_if<ir::OperandRef>(&withoutCasts(call->args[0])->node)
                   : nullptr;
  auto sum = read ? sums_.find(ops_[op].operand(read->operand).tensor) : sums_.end();
  const auto count = sum == sums_.end() ? std::nullopt : asCount(call->args[1]);
  if (!count) return nullptr;
  affine::Expr terms = affine::Expr::constant(1);
  for (const ir::Iterator& iterator : ops_[sum->second.op].iterators) {
    if (iterator.kind != ir::IteratorKind::Reduction) continue;
    const auto own = countOf_(sum->second.op, iterator.name);
    if (!own) return nullptr;
    terms = terms * *own;
  }
  return *count == terms ? &sum->second : nullptr;
}

const CascadeBound* Cascades::originOf(size_t op, const Moments& moments) const {
  if (std::holds_alternative<ir::OperandRef>(moments.centre->node)) {
    for (const auto* known : {&bounds_, &means_})
      if (auto found = known->find(moments.source); found != known->end()) return &found->second;
    return nullptr;
  }
  if (!moments.operand) {  // it was looked at where distances are made
    for (const auto& [tensor, other] : moments_)
      if (other.source == moments.source && ir::equal(other.centre, moments.centre) && other.origin)
        return &*other.origin;
    return nullptr;
  }
  // As the op has it: its operand is the source.
  return meanOf(op, ir::rewrite(moments.centre, [&](const ir::ValueRef& node) -> ir::ValueRef {
                  return std::holds_alternative<ir::OperandRef>(node->node)
                             ? ir::makeValue(node->type, ir::OperandRef{*moments.operand})
                             : nullptr;
                }));
}

bool Cascades::isOfDistances(size_t op, const ir::ValueRef& value, const Moments& moments,
                             const CascadeBound& origin) const {
  auto isCentreHere = [&](const ir::ValueRef& one) {
    auto* read = std::get_if<ir::OperandRef>(&withoutCasts(one)->node);
    return read && moments.operand && read->operand == *moments.operand;
  };
  if (auto* read = std::get_if<ir::OperandRef>(&value->node)) {
    if (isCentreHere(value)) return false;
    if (slopeOf(op, value) || origin.function != Function::Add) return true;
    return llvm::none_of(ops_[op].operand(read->operand).map, [&](const affine::Expr& index) {
      return llvm::any_of(ops_[op].iterators, [&](const ir::Iterator& iterator) {
        return index.mentions(iterator.name) && !ir::isParallel(ops_[op], iterator.name);
      });
    });
  }
  if (auto* index = std::get_if<ir::IndexRef>(&value->node))
    return origin.function != Function::Add || index->index.iterators().empty();
  if (auto* cast = std::get_if<ir::Cast>(&value->node))
    return isOfDistances(op, cast->arg, moments, origin);
  auto* call = std::get_if<ir::Call>(&value->node);
  if (!call) return true;
  for (size_t i = 0; i < 2 && call->function == Function::Sub; ++i)
    if (isCentreHere(call->args[i]) &&
        isSame(op, withoutCasts(call->args[1 - i]), origin.op, withoutCasts(origin.term)))
      return true;
  return llvm::all_of(
      call->args, [&](const ir::ValueRef& arg) { return isOfDistances(op, arg, moments, origin); });
}

}  // namespace einc::transforms
