// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/read_elements.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "llvm/ADT/STLExtras.h"

namespace einc::transforms {
namespace {

using affine::Expr;
using ir::Function;
using ir::ScalarType;
using ir::ValueRef;

// position < element + plus, or element + plus <= position.
struct Comparison {
  size_t operand;
  Expr position;
  bool isBelow;
  int64_t plus;
};

// The operand whose element, as an i64, this is. One of u64 is cut to what an i64 holds.
std::optional<size_t> elementIn(const ValueRef& value) {
  ValueRef inner = value;
  if (auto* cast = std::get_if<ir::Cast>(&value->node)) inner = cast->arg;
  if (inner->type == ScalarType::U64) {
    auto* least = std::get_if<ir::Call>(&inner->node);
    auto* most = least && least->function == Function::Min
                     ? std::get_if<ir::Literal>(&least->args[1]->node)
                     : nullptr;
    const bool isOfI64 =
        most && most->number.asBits <= uint64_t{std::numeric_limits<int64_t>::max()};
    // Cut further down it would be another number.
    if (!isOfI64 || most->number.asBits < uint64_t{ir::kMostRead}) return std::nullopt;
    inner = least->args[0];
  }
  auto* operand = std::get_if<ir::OperandRef>(&inner->node);
  return operand ? std::optional<size_t>(operand->operand) : std::nullopt;
}

std::optional<Comparison> comparisonIn(const ValueRef& value) {
  auto* call = std::get_if<ir::Call>(&value->node);
  if (!call || call->args.size() != 2 || call->args[0]->type != ScalarType::I64)
    return std::nullopt;
  const bool isTurned = call->function == Function::Gt || call->function == Function::Ge;
  const bool orEqual = call->function == Function::Le || call->function == Function::Ge;
  if (!isTurned && !orEqual && call->function != Function::Lt) return std::nullopt;
  const ValueRef &left = call->args[isTurned ? 1 : 0], &right = call->args[isTurned ? 0 : 1];
  if (auto* index = std::get_if<ir::IndexRef>(&left->node))
    if (auto operand = elementIn(right))
      return Comparison{*operand, index->index, true, orEqual ? 1 : 0};
  if (auto* index = std::get_if<ir::IndexRef>(&right->node))
    if (auto operand = elementIn(left))
      return Comparison{*operand, index->index, false, orEqual ? 0 : 1};
  return std::nullopt;
}

bool isOfInput(const ir::Kernel& kernel, unsigned tensor) {
  while (kernel.tensors[tensor].role == ir::Role::View) {
    const ir::View* view = nullptr;
    ir::forEachStatement(kernel.body, [&](const ir::Stmt& stmt) {
      auto* one = std::get_if<ir::View>(&stmt.node);
      if (one && one->view == tensor) view = one;
    });
    if (!view || view->pad || kernel.tensors[view->base].type != kernel.tensors[tensor].type)
      return false;
    tensor = view->base;
  }
  return kernel.tensors[tensor].role == ir::Role::Input;
}

bool isReadable(const ir::Kernel& kernel, const ir::StructuredOp& op, size_t operand) {
  return !op.inputs[operand].pad &&
         ir::info(kernel.tensors[op.inputs[operand].tensor].type).isInteger() &&
         isOfInput(kernel, op.inputs[operand].tensor);
}

// Far from the ends of 64 bits, where no tensor has 2^56 elements: a sum of positions and sizes, of few each.
bool isSmall(const ir::Kernel& kernel, const Expr& e) {
  constexpr int64_t kMost = int64_t{1} << 20;
  auto isName = [&](const affine::Atom& atom) {
    if (atom.div) return isSmall(kernel, atom.div->dividend) && isSmall(kernel, atom.div->divisor);
    return atom.kind == affine::Atom::Kind::Iterator || !kernel.attributeOf(atom.name);
  };
  return !e.overflowed() && llvm::all_of(e.terms(), [&](const affine::Term& term) {
    return term.factors.size() <= 1 && -kMost <= term.coefficient && term.coefficient <= kMost &&
           llvm::all_of(term.factors, isName);
  });
}

class Reader {
 public:
  Reader(Builder& builder, const facts::Signs& signs, const std::vector<facts::Span>& tile,
         const ElementOf& elementOf, ir::Block& reads)
      : builder_(builder), signs_(signs), tile_(tile), elementOf_(elementOf), reads_(reads) {}

  // The comparison with a number in place of the element; null if it stays.
  ValueRef numbered(const ValueRef& value) {
    const auto comparison = comparisonIn(value);
    const auto less = comparison ? mostSubtracted(comparison->position) : std::nullopt;
    const auto element = less ? elementOf_(comparison->operand) : std::nullopt;
    if (!element) return nullptr;
    const Expr number = size(readOf(*element, *less + constant(comparison->plus))),
               position = comparison->position + *less;
    auto index = [](const Expr& e) { return ir::makeValue(ScalarType::I64, ir::IndexRef{e}); };
    return comparison->isBelow
               ? ir::makeCall(Function::Lt, {index(position), index(number)})
               : ir::makeCall(Function::Lt, {index(number), index(position + constant(1))});
  }

 private:
  // As much as may be subtracted in it; nothing if that is not known.
  std::optional<Expr> mostSubtracted(const Expr& position) const {
    if (!isSmall(builder_.kernel(), position)) return std::nullopt;
    Expr subtracted;
    for (const affine::Term& term : position.terms()) {
      const facts::Sign sign = signs_.of(Expr::term(term));
      if (sign == facts::Sign::Unknown) return std::nullopt;
      if (sign == facts::Sign::NotPositive) subtracted = subtracted - Expr::term(term);
    }
    const auto most = facts::mostIn(signs_, subtracted, tile_);
    return most && isSmall(builder_.kernel(), *most) ? most : std::nullopt;
  }

  std::string readOf(const Element& element, const Expr& plus) {
    for (const ir::Stmt& stmt : reads_)
      if (auto* read = std::get_if<ir::Read>(&stmt.node))
        if (read->tensor == element.tensor && read->index == element.index && read->plus == plus)
          return read->name;
    const std::string name =
        builder_.name(builder_.kernel().tensors[element.tensor].name + "_read");
    reads_.push_back({ir::Read{name, element.tensor, element.index, plus}});
    return name;
  }

  Builder& builder_;
  const facts::Signs& signs_;
  const std::vector<facts::Span>& tile_;
  const ElementOf& elementOf_;
  ir::Block& reads_;
};

}  // namespace

std::vector<size_t> comparedInputs(const ir::StructuredOp& op) {
  std::vector<size_t> inputs;
  for (const ValueRef& result : op.results)
    ir::rewrite(result, [&](const ValueRef& value) -> ValueRef {
      const auto comparison = comparisonIn(value);
      if (comparison && comparison->operand < op.inputs.size() &&
          !llvm::is_contained(inputs, comparison->operand))
        inputs.push_back(comparison->operand);
      return nullptr;
    });
  return inputs;
}

std::vector<size_t> comparedElements(const ir::Kernel& kernel, const ir::StructuredOp& op) {
  std::vector<size_t> inputs = comparedInputs(op);
  llvm::erase_if(inputs, [&](size_t input) { return !isReadable(kernel, op, input); });
  return inputs;
}

bool anyAlong(const ir::StructuredOp& op, const std::vector<size_t>& inputs,
              const std::string& iterator) {
  return llvm::any_of(inputs, [&](size_t input) {
    return llvm::is_contained(iteratorsOf(op.inputs[input]), iterator);
  });
}

ir::StructuredOp readElements(Builder& builder, const facts::Signs& signs,
                              const std::vector<facts::Span>& tile, const ir::StructuredOp& op,
                              const ElementOf& elementOf, ir::Block& reads) {
  Reader reader(builder, signs, tile, elementOf, reads);
  ir::StructuredOp result = op;
  for (ValueRef& value : result.results)
    value = ir::rewrite(value, [&](const ValueRef& node) { return reader.numbered(node); });
  for (size_t input = result.inputs.size(); input-- > 0;)
    if (ir::readsOperand(op, input) && !ir::readsOperand(result, input))
      dropInput(builder.kernel(), result, input);
  return result;
}

}  // namespace einc::transforms
