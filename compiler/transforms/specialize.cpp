// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/specialize.h"

#include <algorithm>

#include "compiler/ir/literal.h"
#include "compiler/ir/shape.h"
#include "compiler/ir/size_limit.h"
#include "compiler/transforms/rewrite.h"

namespace einc::transforms {
namespace {

bool dividesByZero(const affine::Expr& expr) {
  for (const affine::Term& term : expr.terms())
    for (const affine::Atom& atom : term.factors)
      if (atom.div && (atom.div->divisor.isZero() || dividesByZero(atom.div->dividend) ||
                       dividesByZero(atom.div->divisor)))
        return true;
  return false;
}

class Specializer {
 public:
  Specializer(const ir::Kernel& kernel, const Fixed& fixed) : kernel_(kernel), fixed_(fixed) {
    for (const ir::Attribute& attribute : kernel.attributes) {
      keeps_.push_back(!fixed.attributes.count(attribute.name));
      newIndex_.push_back(kept_);
      if (keeps_.back()) ++kept_;
    }
  }

  Result<ir::Kernel> run() {
    ir::Kernel result = kernel_;
    std::erase_if(result.attributes,
                  [&](const ir::Attribute& a) { return fixed_.attributes.count(a.name) != 0; });
    std::erase_if(result.inputs,
                  [&](const ir::Kernel::Input& i) { return !i.isTensor && !keeps_[i.index]; });
    for (ir::Kernel::Input& input : result.inputs)
      if (!input.isTensor) input.index = newIndex_[input.index];
    for (ir::Tensor& tensor : result.tensors)
      for (affine::Expr& size : tensor.shape) size = fixSize(size, tensor.name);
    rewriteBlock(
        result.body, [&](const affine::Expr& e) { return fixIndex(e); },
        [&](const ir::ValueRef& v) { return fixValue(v); });
    if (!reason_.empty()) return Reason{reason_};
    keepExtents(result);
    if (auto excess = ir::findTooLarge(result)) return Reason{excess->reason};
    if (!kernel_.contract) return result;
    auto contract = specialize(*kernel_.contract, fixed_);
    if (!contract) return contract;
    result.contract = std::make_shared<const ir::Kernel>(std::move(*contract));
    return result;
  }

 private:
  // Remembers the first problem.
  void problem(std::string reason) {
    if (reason_.empty()) reason_ = std::move(reason);
  }

  // The value given for an attribute's element; nothing if the attribute is not fixed.
  std::optional<ir::Number> given(const ir::AttributeRef& reference) {
    const ir::Attribute& attribute = kernel_.attributes[reference.attribute];
    auto values = fixed_.attributes.find(attribute.name);
    if (values == fixed_.attributes.end()) return std::nullopt;
    auto element = static_cast<size_t>(reference.element);
    if (element < values->second.size()) return values->second[element];
    problem("'" + attribute.name + "' is given " + std::to_string(values->second.size()) +
            " values, but " + attribute.symbolName(reference.element) + " is used");
    return ir::Number{};
  }

  affine::Expr fixIndex(const affine::Expr& expr) {
    affine::Expr result =
        expr.substitute([&](const affine::Atom& atom) -> std::optional<affine::Expr> {
          if (atom.kind != affine::Atom::Kind::Symbol) return std::nullopt;
          if (auto reference = kernel_.attributeOf(atom.name)) {
            auto number = given(*reference);
            ir::ScalarType type = kernel_.attributes[reference->attribute].type;
            if (!number) return std::nullopt;
            return affine::Expr::constant(ir::signedValue(type, *number));
          }
          auto size = fixed_.sizes.find(atom.name);
          if (size == fixed_.sizes.end()) return std::nullopt;
          return affine::Expr::constant(size->second);
        });
    if (result.overflowed()) problem("'" + expr.str() + "' leaves the range of 64-bit integers");
    if (dividesByZero(result)) problem("'" + expr.str() + "' divides by zero");
    return result;
  }

  affine::Expr fixSize(const affine::Expr& size, const std::string& tensor) {
    affine::Expr result = fixIndex(size);
    if (result.asConstant().value_or(0) < 0)
      problem("a size of '" + tensor + "', " + size.str() + ", is " + result.str());
    return result;
  }

  ir::ValueRef fixValue(const ir::ValueRef& value) {
    auto* reference = std::get_if<ir::AttributeRef>(&value->node);
    if (!reference) return value;
    if (auto number = given(*reference)) return ir::makeLiteral(value->type, *number);
    return ir::makeValue(value->type,
                         ir::AttributeRef{newIndex_[reference->attribute], reference->element});
  }

  void keepExtents(ir::Kernel& result) {
    std::vector<const ir::StructuredOp*> before;
    ir::forEachOp(kernel_.body, [&](const ir::StructuredOp& op) { before.push_back(&op); });
    size_t next = 0;
    rewriteOps(result.body,
               [&](ir::StructuredOp& op) { keepExtents(*before[next++], result, op); });
  }

  void keepExtents(const ir::StructuredOp& before, const ir::Kernel& result, ir::StructuredOp& op) {
    std::vector<ir::Operand> shapes;
    for (const ir::Iterator& iterator : op.iterators) {
      auto source = ir::extentOf(kernel_, before, iterator.name);
      auto now = ir::extentOf(result, op, iterator.name);
      if (!source || !now || now->extent == fixIndex(source->extent)) continue;
      unsigned tensor = before.operand(source->operand).tensor;
      std::vector<affine::Expr> map(kernel_.tensors[tensor].shape.size());
      map[source->dim] = affine::Expr::iterator(iterator.name);
      shapes.push_back({tensor, std::move(map), nullptr, /*shapeOnly=*/true});
    }
    auto shift = static_cast<unsigned>(shapes.size());
    op.inputs.insert(op.inputs.begin(), shapes.begin(), shapes.end());
    for (ir::ValueRef& value : op.results)
      value = ir::rewrite(value, [&](const ir::ValueRef& node) -> ir::ValueRef {
        auto* reference = std::get_if<ir::OperandRef>(&node->node);
        if (!reference || shift == 0) return node;
        return ir::makeValue(node->type, ir::OperandRef{reference->operand + shift});
      });
  }

  const ir::Kernel& kernel_;
  const Fixed& fixed_;
  std::vector<bool> keeps_;
  std::vector<unsigned> newIndex_;  // of attributes that stay
  unsigned kept_ = 0;
  std::string reason_;
};

}  // namespace

Result<ir::Kernel> specialize(const ir::Kernel& kernel, const Fixed& fixed) {
  return Specializer(kernel, fixed).run();
}

}  // namespace einc::transforms
