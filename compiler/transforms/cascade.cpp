// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/cascade.h"

#include <cmath>
#include <utility>

#include "compiler/transforms/combiner.h"
#include "compiler/transforms/stand_in.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::transforms {
namespace {

using ir::Function;

bool sameNumber(const ir::ValueRef& a, const ir::ValueRef& b) {
  return a && b ? ir::equal(a, b) : !a && !b;
}

// A literal, or an attribute: the same for all elements.
bool isNumber(const ir::ValueRef& value) {
  return std::holds_alternative<ir::Literal>(value->node) ||
         std::holds_alternative<ir::AttributeRef>(value->node);
}

Move scaled(Move move, const std::function<ir::ValueRef(const ir::ValueRef&)>& by) {
  if (!move.stays()) move.number = by(move.number);
  return move;
}

// Whether the number is one of that sign, or may be: nobody knows it of an attribute.
bool maySignBe(const ir::ValueRef& number, bool negative) {
  if (!number) return !negative;
  if (auto* literal = std::get_if<ir::Literal>(&number->node))
    return literal->number.asFloat == 0 || std::signbit(literal->number.asFloat) == negative;
  auto* call = std::get_if<ir::Call>(&number->node);
  if (!call) return true;
  if (call->function == Function::Neg) return maySignBe(call->args[0], !negative);
  return (maySignBe(call->args[0], false) && maySignBe(call->args[1], negative)) ||
         (maySignBe(call->args[0], true) && maySignBe(call->args[1], !negative));
}

}  // namespace

bool isZero(const ir::ValueRef& value) {
  auto* literal = std::get_if<ir::Literal>(&value->node);
  return literal && ir::info(value->type).isFloat() && literal->number.asFloat == 0;
}

bool operator==(const Move& a, const Move& b) {
  const bool isSameWhere = a.where ? b.where && a.where->first == b.where->first &&
                                         ir::equal(a.where->second, b.where->second)
                                   : !b.where;
  if (a.bound != b.bound || !isSameWhere) return false;
  return a.stays() || (a.function == b.function && sameNumber(a.number, b.number));
}

const Move* Cascades::moveOf(unsigned tensor) const {
  auto found = moved_.find(tensor);
  return found == moved_.end() ? nullptr : &found->second;
}

// Whether two values, of two ops, are the same element for element.
bool Cascades::isSame(size_t op, const ir::ValueRef& a, size_t other, const ir::ValueRef& b) const {
  if (a->type != b->type || a->node.index() != b->node.index()) return false;
  auto named = [&](size_t which, const affine::Expr& index) {
    return index.substitute([&](const affine::Atom& atom) -> std::optional<affine::Expr> {
      if (atom.kind != affine::Atom::Kind::Iterator) return std::nullopt;
      return affine::Expr::iterator(nameOf_(which, atom.name));
    });
  };
  auto sameIndices = [&](const std::vector<affine::Expr>& x, const std::vector<affine::Expr>& y) {
    if (x.size() != y.size()) return false;
    for (size_t d = 0; d < x.size(); ++d)
      if (named(op, x[d]) != named(other, y[d])) return false;
    return true;
  };
  auto sameAll = [&](const std::vector<ir::ValueRef>& x, const std::vector<ir::ValueRef>& y) {
    if (x.size() != y.size()) return false;
    for (size_t i = 0; i < x.size(); ++i)
      if (!isSame(op, x[i], other, y[i])) return false;
    return true;
  };
  if (auto* x = std::get_if<ir::OperandRef>(&a->node)) {
    const ir::Operand &p = ops_[op].operand(x->operand),
                      &q = ops_[other].operand(std::get<ir::OperandRef>(b->node).operand);
    return p.tensor == q.tensor && !p.pad && !q.pad && sameIndices(p.map, q.map);
  }
  if (auto* x = std::get_if<ir::IndexRef>(&a->node))
    return named(op, x->index) == named(other, std::get<ir::IndexRef>(b->node).index);
  if (auto* x = std::get_if<ir::Call>(&a->node)) {
    const auto& y = std::get<ir::Call>(b->node);
    return x->function == y.function && sameAll(x->args, y.args);
  }
  if (auto* x = std::get_if<ir::Cast>(&a->node))
    return isSame(op, x->arg, other, std::get<ir::Cast>(b->node).arg);
  return ir::equal(a, b);
}

namespace {

// Where terms of a bound are left out: select(x, s, -inf).
const ir::Call* choiceOf(const CascadeBound& bound) {
  auto* call = std::get_if<ir::Call>(&bound.term->node);
  const bool isChoice = call && call->function == Function::Select &&
                        ir::equal(call->args[2], neutral(bound.function, bound.term->type));
  return isChoice ? call : nullptr;
}

}  // namespace

const CascadeBound* Cascades::boundAt(size_t op, const ir::ValueRef& value,
                                      unsigned& tensor) const {
  auto* reference = std::get_if<ir::OperandRef>(&value->node);
  if (!reference) return nullptr;
  tensor = ops_[op].operand(reference->operand).tensor;
  auto found = bounds_.find(tensor);
  return found == bounds_.end() ? nullptr : &found->second;
}

bool Cascades::stays(size_t op, const ir::ValueRef& value) const {
  bool result = true;
  ir::forEach(value, [&](const ir::Value& one) {
    auto* reference = std::get_if<ir::OperandRef>(&one.node);
    if (!reference) return;
    const unsigned tensor = ops_[op].operand(reference->operand).tensor;
    result &= !isCentre(tensor) && moved_.count(tensor) == 0 && moments_.count(tensor) == 0;
  });
  return result;
}

bool Cascades::isCentre(unsigned tensor) const {
  return bounds_.count(tensor) != 0 || sums_.count(tensor) != 0 || centres_.count(tensor) != 0;
}

std::optional<Move> Cascades::distanceOf(size_t op, const ir::ValueRef& value) const {
  if (stays(op, value)) return Move{};
  auto* call = std::get_if<ir::Call>(&value->node);
  return call ? distanceInCall(op, *call) : std::nullopt;
}

std::optional<Move> Cascades::distanceInCall(size_t op, const ir::Call& call) const {
  const auto& args = call.args;
  unsigned tensor = 0;
  for (size_t i : {1, 0}) {
    if (call.function != Function::Sub) break;
    const ir::ValueRef standsFor = stoodInFor(args[i]);
    const CascadeBound* bound = boundAt(op, standsFor ? standsFor : args[i], tensor);
    if (!bound) continue;
    const ir::ValueRef& term = args[1 - i];
    const ir::Call* choice = choiceOf(*bound);
    Move move{tensor};
    if (i == 0) move.number = ir::makeLiteral(term->type, ir::Number{-1.0, 0});
    if (isSame(op, term, bound->op, bound->term)) return move;
    if (!choice || !isSame(op, term, bound->op, choice->args[1])) return std::nullopt;
    move.where = {bound->op, choice->args[0]};
    return move;
  }
  if (call.function == Function::Neg) {
    auto inner = distanceOf(op, args[0]);
    if (!inner) return std::nullopt;
    return scaled(*inner, [&](const ir::ValueRef& number) {
      const ir::ScalarType type = args[0]->type;
      return ir::makeCall(Function::Neg,
                          {number ? number : ir::makeLiteral(type, ir::Number{1.0, 0})});
    });
  }
  if (call.function == Function::Mul || call.function == Function::Div) {
    const size_t moving = stays(op, args[0]) ? 1 : 0;
    const ir::ValueRef& number = args[1 - moving];
    if (!isNumber(number) || (call.function == Function::Div && moving == 1)) return std::nullopt;
    auto inner = distanceOf(op, args[moving]);
    if (!inner) return std::nullopt;
    const ir::ValueRef one = ir::makeLiteral(number->type, ir::Number{1.0, 0});
    return scaled(*inner, [&](const ir::ValueRef& before) {
      if (call.function == Function::Div)
        return ir::makeCall(Function::Div, {before ? before : one, number});
      return before ? ir::makeCall(Function::Mul, {before, number}) : number;
    });
  }
  if (call.function == Function::Add || call.function == Function::Sub) {
    const bool firstStays = stays(op, args[0]);
    if (firstStays == stays(op, args[1])) return std::nullopt;  // both move: not needed yet
    if (call.function == Function::Sub && firstStays) return std::nullopt;
    return distanceOf(op, args[firstStays ? 1 : 0]);
  }
  return std::nullopt;
}

std::optional<Cascades::Change> Cascades::inCall(size_t op, const ir::Call& call) const {
  const auto& args = call.args;
  if (call.function == Function::Exp || call.function == Function::Exp2) {
    auto distance = distanceOf(op, args[0]);
    if (!distance) return std::nullopt;
    distance->function = call.function;
    return Change{*distance, false};
  }
  if (call.function == Function::Neg) return changeOf(op, args[0]);
  if (call.function == Function::Mul) {
    const bool firstStays = stays(op, args[0]);
    if (!firstStays && !stays(op, args[1])) return std::nullopt;
    return changeOf(op, args[firstStays ? 1 : 0]);
  }
  if (call.function == Function::Div && stays(op, args[1])) return changeOf(op, args[0]);
  if (call.function == Function::Select && stays(op, args[0])) {
    auto a = changeOf(op, args[1]), b = changeOf(op, args[2]);
    if (!a || !b) return std::nullopt;
    if (a->isZero) return b;
    if (b->isZero && a->where && isSame(op, args[0], a->where->first, a->where->second))
      a->where.reset();
    if (b->isZero || *a == *b) return a;
  }
  return std::nullopt;
}

std::optional<Cascades::Change> Cascades::changeOf(size_t op, const ir::ValueRef& value) const {
  if (stays(op, value)) return Change{Move{}, isZero(value)};
  if (auto* reference = std::get_if<ir::OperandRef>(&value->node)) {
    auto moved = moved_.find(ops_[op].operand(reference->operand).tensor);
    if (moved == moved_.end()) return std::nullopt;
    return Change{moved->second, false};
  }
  if (auto* cast = std::get_if<ir::Cast>(&value->node))
    return ir::info(value->type).isFloat() ? changeOf(op, cast->arg) : std::nullopt;
  if (auto* call = std::get_if<ir::Call>(&value->node)) return inCall(op, *call);
  return std::nullopt;
}

namespace {

// Of f(old value, term) the term.
ir::ValueRef termOf(const ir::StructuredOp& op, size_t output) {
  const auto& args = std::get<ir::Call>(op.results[output]->node).args;
  auto* first = std::get_if<ir::OperandRef>(&args[0]->node);
  return args[first && first->operand == op.inputs.size() + output ? 1 : 0];
}

}  // namespace

std::optional<Reason> Cascades::take(size_t number, bool reducesAlong, bool isBound) {
  const ir::StructuredOp& op = ops_[number];
  if (!reducesAlong) {
    for (size_t i = 0; i < op.outputs.size(); ++i)
      if (auto reason = takeValue(number, i)) return reason;
    return std::nullopt;
  }
  const auto functions = op.combiner ? std::nullopt : combinersOf(op);
  if (!functions) return Reason{"its terms have an order, or a combiner of their own"};
  for (size_t i = 0; i < op.outputs.size(); ++i) {
    const Function function = (*functions)[i];
    auto reason = isBound ? takeBound(number, i, function) : takeTerms(number, i, function);
    if (reason) return reason;
  }
  return std::nullopt;
}

// An output that is not reduced along the iterator.
std::optional<Reason> Cascades::takeValue(size_t number, size_t output) {
  const ir::StructuredOp& op = ops_[number];
  const unsigned tensor = op.outputs[output].tensor;
  if (auto change = changeOf(number, op.results[output])) {
    if (change->stays()) return std::nullopt;
    if (ir::reduces(op)) return Reason{"what changes with a bound is summed along something else"};
    moved_[tensor] = *change;
    return std::nullopt;
  }
  auto moments = ir::reduces(op) ? std::nullopt : momentsOf(number, op.results[output]);
  const bool areNumbers = moments && llvm::all_of(moments->derivatives, [](const auto& one) {
                            return std::holds_alternative<ir::Literal>(one->node);
                          });
  if (!areNumbers) return Reason{"how a value changes with a bound is not known"};
  moments->isSum = false;
  moments_[tensor] = std::move(*moments);
  return std::nullopt;
}

// What is read before it is complete.
std::optional<Reason> Cascades::takeBound(size_t number, size_t output, Function function) {
  const ir::StructuredOp& op = ops_[number];
  const ir::ValueRef term = termOf(op, output);
  const bool isEnd = function == Function::Max || function == Function::Min;
  auto change = changeOf(number, term);
  if (!change || !change->stays() || !ir::info(term->type).isFloat() ||
      (!isEnd && function != Function::Add))
    return Reason{"what is read before it is complete is no sum, largest or smallest number"};
  if (isEnd)
    bounds_[op.outputs[output].tensor] = {number, function, term};
  else
    sums_[op.outputs[output].tensor] = {number, function, term};
  return std::nullopt;
}

std::optional<Reason> Cascades::takeTerms(size_t number, size_t output, Function function) {
  const ir::StructuredOp& op = ops_[number];
  const unsigned tensor = op.outputs[output].tensor;
  const ir::ValueRef term = termOf(op, output);
  auto change = changeOf(number, term);
  if (!change) {
    auto moments = momentsOf(number, term);
    if (!moments) return Reason{"how a term changes with a bound is not known"};
    if (function != Function::Add) return Reason{"what changes with a bound is not added up"};
    moments_[tensor] = std::move(*moments);
    return std::nullopt;
  }
  if (change->where) return Reason{"terms are added up that a bound leaves out"};
  if (change->stays()) return std::nullopt;
  // Else a factor would be large where a bound moves far, and what it is of may be 0.
  if (!maySignBe(change->number, bounds_.at(*change->bound).function == Function::Min))
    return Reason{"terms grow as a bound moves on"};
  if (function != Function::Add) return Reason{"what changes with a bound is not added up"};
  moved_[tensor] = *change;
  return std::nullopt;
}

std::optional<Reason> Cascades::takeCentre(size_t number) {
  const ir::StructuredOp& op = ops_[number];
  for (const ir::Operand& input : op.inputs)
    if (moved_.count(input.tensor) != 0 || moments_.count(input.tensor) != 0)
      return Reason{"what changes with a bound is used before it is complete"};
  for (const ir::Operand& output : op.outputs) centres_.insert(output.tensor);
  const unsigned made = op.outputs[0].tensor;
  for (const ir::Operand& input : op.inputs)
    if (bounds_.count(input.tensor) != 0 || ofBounds_.count(input.tensor) != 0)
      ofBounds_.insert(made);
  if (const CascadeBound* sum = meanOf(number, op.results[0])) means_[made] = *sum;
  return std::nullopt;
}

ir::ValueRef factorOf(const Move& move, const ir::ValueRef& before, const ir::ValueRef& after) {
  ir::ValueRef moved = ir::makeCall(Function::Sub, {before, after});
  if (move.number) moved = ir::makeCall(Function::Mul, {moved, move.number});
  return ir::makeCall(Function::Select, {ir::makeCall(Function::Eq, {before, after}),
                                         ir::makeLiteral(before->type, ir::Number{1.0, 0}),
                                         ir::makeCall(move.function, {moved})});
}

bool isKnown(const ir::ValueRef& number) {
  bool result = true;
  if (number)
    ir::forEach(number, [&](const ir::Value& one) {
      result &= !std::holds_alternative<ir::AttributeRef>(one.node);
    });
  return result;
}

ir::ValueRef multiplied(const Move& move, const ir::ValueRef& sum, const ir::ValueRef& factor) {
  const ir::ScalarType type = sum->type;
  ir::ValueRef product = ir::makeCall(Function::Mul, {sum, ir::makeCast(type, factor)});
  if (isKnown(move.number)) return product;
  const ir::ValueRef zero = ir::makeLiteral(type, {});
  return ir::makeCall(Function::Select, {ir::makeCall(Function::Eq, {sum, zero}), zero, product});
}

ir::ValueRef ofPart(const Move& move, Function bound, const ir::ValueRef& before,
                    const ir::ValueRef& after, const ir::ValueRef& sum,
                    const ir::ValueRef& factor) {
  auto choose = [](const ir::ValueRef& a, const ir::ValueRef& b, const ir::ValueRef& same,
                   const ir::ValueRef& other) {
    return ir::makeCall(Function::Select, {ir::makeCall(Function::Eq, {a, b}), same, other});
  };
  const ir::ValueRef none = neutral(bound, before->type), zero = ir::makeLiteral(sum->type, {});
  return choose(before, after, sum, choose(before, none, zero, multiplied(move, sum, factor)));
}

}  // namespace einc::transforms
