// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/specialize.h"

#include "compiler/transforms/rewrite.h"

namespace einc::transforms {
namespace {

// The integer value of an attribute's element, as index expressions see it.
int64_t asInteger(const ir::Number& number, ir::ScalarType type) {
  const ir::TypeInfo& t = ir::info(type);
  unsigned unused = 64 - t.bits;
  if (!t.isSigned()) return static_cast<int64_t>(number.asBits);
  return static_cast<int64_t>(number.asBits << unused) >> unused;
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

  ir::Kernel run() {
    ir::Kernel result = kernel_;
    std::erase_if(result.attributes,
                  [&](const ir::Attribute& a) { return fixed_.attributes.count(a.name) != 0; });
    std::erase_if(result.inputs,
                  [&](const ir::Kernel::Input& i) { return !i.isTensor && !keeps_[i.index]; });
    for (ir::Kernel::Input& input : result.inputs)
      if (!input.isTensor) input.index = newIndex_[input.index];
    auto index = [&](const affine::Expr& e) { return fixIndex(e); };
    auto value = [&](const ir::ValueRef& v) { return fixValue(v); };
    for (ir::Tensor& tensor : result.tensors)
      for (affine::Expr& size : tensor.shape) size = fixIndex(size);
    rewriteBlock(result.body, index, value);
    return result;
  }

 private:
  affine::Expr fixIndex(const affine::Expr& expr) const {
    return expr.substitute([&](const affine::Atom& atom) -> std::optional<affine::Expr> {
      if (atom.kind != affine::Atom::Kind::Symbol) return std::nullopt;
      if (auto reference = kernel_.attributeOf(atom.name)) {
        const ir::Attribute& attribute = kernel_.attributes[reference->attribute];
        auto given = fixed_.attributes.find(attribute.name);
        if (given == fixed_.attributes.end()) return std::nullopt;
        auto element = static_cast<size_t>(reference->element);
        if (element >= given->second.size()) return std::nullopt;
        return affine::Expr::constant(asInteger(given->second[element], attribute.type));
      }
      auto size = fixed_.sizes.find(atom.name);
      if (size == fixed_.sizes.end()) return std::nullopt;
      return affine::Expr::constant(size->second);
    });
  }

  ir::ValueRef fixValue(const ir::ValueRef& value) const {
    auto* reference = std::get_if<ir::AttributeRef>(&value->node);
    if (!reference) return value;
    const ir::Attribute& attribute = kernel_.attributes[reference->attribute];
    auto given = fixed_.attributes.find(attribute.name);
    if (given == fixed_.attributes.end())
      return ir::makeValue(value->type,
                           ir::AttributeRef{newIndex_[reference->attribute], reference->element});
    auto element = static_cast<size_t>(reference->element);
    if (element >= given->second.size()) return value;
    return ir::makeLiteral(value->type, given->second[element]);
  }

  const ir::Kernel& kernel_;
  const Fixed& fixed_;
  std::vector<bool> keeps_;
  std::vector<unsigned> newIndex_;  // of attributes that stay
  unsigned kept_ = 0;
};

}  // namespace

ir::Kernel specialize(const ir::Kernel& kernel, const Fixed& fixed) {
  return Specializer(kernel, fixed).run();
}

}  // namespace einc::transforms
