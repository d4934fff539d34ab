// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/frontend/lint.h"

#include <set>

namespace einc::frontend {
namespace {

// The attributes whose elements are used, in indices, sizes or values.
std::set<unsigned> usedAttributes(const ir::Kernel& kernel) {
  std::set<unsigned> used;
  auto lookAt = [&](const affine::Expr& expr) {
    for (const std::string& symbol : expr.symbols())
      if (auto element = kernel.attributeOf(symbol)) used.insert(element->attribute);
  };
  auto look = [&](const ir::Value& value) {
    if (auto* index = std::get_if<ir::IndexRef>(&value.node)) lookAt(index->index);
    if (auto* a = std::get_if<ir::AttributeRef>(&value.node)) used.insert(a->attribute);
  };
  for (const ir::Tensor& tensor : kernel.tensors)
    for (const affine::Expr& size : tensor.shape) lookAt(size);
  ir::forEachOp(kernel.body, [&](const ir::StructuredOp& op) {
    for (size_t i = 0; i < op.operandCount(); ++i) {
      for (const affine::Expr& index : op.operand(i).map) lookAt(index);
      if (op.operand(i).pad) ir::forEach(op.operand(i).pad, look);
    }
    for (const ir::ValueRef& result : op.results) ir::forEach(result, look);
  });
  return used;
}

void lintUnused(Lint& lint) {
  std::set<unsigned> used = usedAttributes(lint.kernel);
  for (unsigned i = 0; i < lint.kernel.attributes.size(); ++i) {
    const ir::Attribute& attribute = lint.kernel.attributes[i];
    if (!used.count(i))
      lint.errors.warning(
          Diag::Unused, attribute.source,
          (attribute.parameter ? "scalar '" : "attribute '") + attribute.name + "' is never used");
  }
}

}  // namespace

void Lint::fact(SourceRange place, std::string text, std::vector<std::string> reasons) {
  facts.push_back({place, std::move(text), std::move(reasons)});
}

std::string Lint::dimension(unsigned tensor, unsigned dim) const {
  return "dimension " + std::to_string(dim) + " of '" + kernel.tensors[tensor].name + "'";
}

std::vector<Fact> lint(const ir::Kernel& kernel, Diagnostics& errors) {
  Lint lint{kernel, errors, {}};
  lintBounds(lint);
  lintWrites(lint);
  lintNumbers(lint);
  lintUnused(lint);
  return std::move(lint.facts);
}

}  // namespace einc::frontend
