// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/ir.h"

#include <algorithm>
#include <charconv>

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
    return x->tensor == y.tensor && x->index == y.index && equal(x->pad, y.pad);
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
    if (pad != load->pad) rebuilt = makeValue(value->type, Load{load->tensor, load->index, pad});
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
  }
}

int64_t Attribute::elementCount() const {
  int64_t count = 1;
  for (int64_t size : shape) count *= size;
  return count;
}

std::string Attribute::symbolName(int64_t element) const {
  return shape.empty() && !list ? name : name + "[" + std::to_string(element) + "]";
}

std::optional<unsigned> Kernel::findTensor(const std::string& wanted) const {
  for (unsigned i = 0; i < tensors.size(); ++i)
    if (tensors[i].name == wanted) return i;
  return std::nullopt;
}

std::optional<unsigned> Kernel::findAttribute(const std::string& wanted) const {
  for (unsigned i = 0; i < attributes.size(); ++i)
    if (attributes[i].name == wanted) return i;
  return std::nullopt;
}

std::optional<AttributeRef> Kernel::attributeOf(const std::string& symbol) const {
  size_t bracket = symbol.find('[');
  auto attribute = findAttribute(symbol.substr(0, bracket));
  if (!attribute) return std::nullopt;
  int64_t element = 0;
  if (bracket != std::string::npos)
    std::from_chars(symbol.data() + bracket + 1, symbol.data() + symbol.size(), element);
  if (symbol != attributes[*attribute].symbolName(element)) return std::nullopt;
  return AttributeRef{*attribute, element};
}

std::vector<std::string> Kernel::sizeSymbols() const {
  std::vector<std::string> result;
  for (const Tensor& tensor : tensors) {
    if (tensor.role == Role::Local) continue;
    for (const affine::Expr& size : tensor.shape)
      for (const std::string& symbol : size.symbols())
        if (!attributeOf(symbol) && std::find(result.begin(), result.end(), symbol) == result.end())
          result.push_back(symbol);
  }
  return result;
}

void forEachOp(const Block& block, const std::function<void(const StructuredOp&)>& visit) {
  for (const Stmt& stmt : block) {
    if (auto* op = std::get_if<StructuredOp>(&stmt.node)) visit(*op);
    if (auto* loop = std::get_if<For>(&stmt.node)) forEachOp(loop->body, visit);
  }
}

}  // namespace einc::ir
