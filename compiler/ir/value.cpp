// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/value.h"

#include <algorithm>

namespace einc::ir {

ValueRef makeLiteral(ScalarType type, Number number) { return makeValue(type, Literal{number}); }

ValueRef makeCall(Function function, std::vector<ValueRef> args) {
  ScalarType type = args.back()->type;
  if (info(function).signature == Signature::Compare) type = ScalarType::Bool;
  return makeValue(type, Call{function, std::move(args)});
}

ValueRef makeCast(ScalarType type, ValueRef arg) {
  return arg->type == type ? arg : makeValue(type, Cast{std::move(arg)});
}

bool equal(const ValueRef& a, const ValueRef& b) {
  if (a == b) return true;
  if (!a || !b || a->type != b->type || a->node.index() != b->node.index()) return false;
  if (auto* x = std::get_if<Literal>(&a->node))
    return sameBits(x->number, std::get<Literal>(b->node).number);
  if (auto* x = std::get_if<OperandRef>(&a->node))
    return x->operand == std::get<OperandRef>(b->node).operand;
  if (auto* x = std::get_if<IndexRef>(&a->node))
    return x->index == std::get<IndexRef>(b->node).index;
  if (auto* x = std::get_if<AttributeRef>(&a->node)) {
    const auto& y = std::get<AttributeRef>(b->node);
    return x->attribute == y.attribute && x->element == y.element;
  }
  if (auto* x = std::get_if<Call>(&a->node)) {
    const auto& y = std::get<Call>(b->node);
    return x->function == y.function &&
           std::equal(x->args.begin(), x->args.end(), y.args.begin(), y.args.end(), equal);
  }
  if (auto* x = std::get_if<Cast>(&a->node)) return equal(x->arg, std::get<Cast>(b->node).arg);
  if (auto* x = std::get_if<Load>(&a->node)) {
    const auto& y = std::get<Load>(b->node);
    return x->tensor == y.tensor && x->index == y.index && equal(x->pad, y.pad) &&
           x->unit == y.unit;
  }
  if (auto* x = std::get_if<Reduce>(&a->node)) {
    const auto& y = std::get<Reduce>(b->node);
    return x->function == y.function && x->axis == y.axis && equal(x->arg, y.arg);
  }
  if (auto* x = std::get_if<Shuffle>(&a->node)) {
    const auto& y = std::get<Shuffle>(b->node);
    return x->axis == y.axis && x->lanes == y.lanes && equal(x->a, y.a) && equal(x->b, y.b);
  }
  if (auto* x = std::get_if<Instruct>(&a->node)) {
    const auto& y = std::get<Instruct>(b->node);
    return x->instruction == y.instruction && x->axis == y.axis && x->words == y.words &&
           std::equal(x->args.begin(), x->args.end(), y.args.begin(), y.args.end(), equal);
  }
  return std::get<Variable>(a->node).name == std::get<Variable>(b->node).name;
}

ValueRef rewrite(const ValueRef& value, const std::function<ValueRef(const ValueRef&)>& replace) {
  ValueRef rebuilt = value;
  if (auto* call = std::get_if<Call>(&value->node)) {
    Call copy = *call;
    for (ValueRef& arg : copy.args) arg = rewrite(arg, replace);
    if (copy.args != call->args) rebuilt = makeValue(value->type, std::move(copy));
  } else if (auto* cast = std::get_if<Cast>(&value->node)) {
    ValueRef arg = rewrite(cast->arg, replace);
    if (arg != cast->arg) rebuilt = makeValue(value->type, Cast{arg});
  } else if (auto* load = std::get_if<Load>(&value->node); load && load->pad) {
    ValueRef pad = rewrite(load->pad, replace);
    if (pad != load->pad)
      rebuilt = makeValue(value->type, Load{load->tensor, load->index, pad, load->unit});
  } else if (auto* reduce = std::get_if<Reduce>(&value->node)) {
    ValueRef arg = rewrite(reduce->arg, replace);
    if (arg != reduce->arg)
      rebuilt = makeValue(value->type, Reduce{reduce->function, reduce->axis, arg});
  } else if (auto* shuffle = std::get_if<Shuffle>(&value->node)) {
    ValueRef a = rewrite(shuffle->a, replace), b = rewrite(shuffle->b, replace);
    if (a != shuffle->a || b != shuffle->b)
      rebuilt = makeValue(value->type, Shuffle{a, b, shuffle->axis, shuffle->lanes});
  } else if (auto* instruct = std::get_if<Instruct>(&value->node)) {
    Instruct copy = *instruct;
    for (ValueRef& arg : copy.args) arg = rewrite(arg, replace);
    if (copy.args != instruct->args) rebuilt = makeValue(value->type, std::move(copy));
  }
  ValueRef replacement = replace(rebuilt);
  return replacement ? replacement : rebuilt;
}

void forEach(const ValueRef& value, const std::function<void(const Value&)>& visit) {
  visit(*value);
  if (auto* call = std::get_if<Call>(&value->node)) {
    for (const ValueRef& arg : call->args) forEach(arg, visit);
  } else if (auto* cast = std::get_if<Cast>(&value->node)) {
    forEach(cast->arg, visit);
  } else if (auto* load = std::get_if<Load>(&value->node); load && load->pad) {
    forEach(load->pad, visit);
  } else if (auto* reduce = std::get_if<Reduce>(&value->node)) {
    forEach(reduce->arg, visit);
  } else if (auto* shuffle = std::get_if<Shuffle>(&value->node)) {
    forEach(shuffle->a, visit);
    forEach(shuffle->b, visit);
  } else if (auto* instruct = std::get_if<Instruct>(&value->node)) {
    for (const ValueRef& arg : instruct->args) forEach(arg, visit);
  }
}
std::vector<unsigned> exchangedLanes(unsigned width, unsigned distance, bool isLower) {
  std::vector<unsigned> lanes;
  for (unsigned lane = 0; lane < width; ++lane) {
    bool second = (lane & distance) != 0;
    if (isLower)
      lanes.push_back(second ? width + lane : lane + distance);
    else
      lanes.push_back(second ? width + lane - distance : lane);
  }
  return lanes;
}

int64_t turnedTogether(ScalarType type) { return 16 / info(type).bytes(); }

}  // namespace einc::ir
