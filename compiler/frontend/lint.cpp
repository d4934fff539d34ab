// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/frontend/lint.h"

#include <set>

namespace einc::frontend {
namespace {

void collectSymbols(const affine::Expr& expr, std::set<std::string>& used) {
  for (const std::string& symbol : expr.symbols()) used.insert(symbol);
}

// The names of attribute elements, as index symbols and as values.
std::set<std::string> usedAttributes(const ir::Kernel& kernel) {
  std::set<std::string> used;
  auto look = [&](const ir::Value& value) {
    if (auto* index = std::get_if<ir::IndexRef>(&value.node)) collectSymbols(index->index, used);
    if (auto* a = std::get_if<ir::AttributeRef>(&value.node))
      used.insert(kernel.attributes[a->attribute].symbolName(a->element));
  };
  for (const ir::Tensor& tensor : kernel.tensors)
    for (const affine::Expr& size : tensor.shape) collectSymbols(size, used);
  ir::forEachOp(kernel.body, [&](const ir::StructuredOp& op) {
    for (size_t i = 0; i < op.operandCount(); ++i) {
      for (const affine::Expr& index : op.operand(i).map) collectSymbols(index, used);
      if (op.operand(i).pad) ir::forEach(op.operand(i).pad, look);
    }
    for (const ir::ValueRef& result : op.results) ir::forEach(result, look);
  });
  return used;
}

void lintUnused(Lint& lint) {
  std::set<std::string> used = usedAttributes(lint.kernel);
  for (const ir::Attribute& attribute : lint.kernel.attributes) {
    bool found = false;
    for (const std::string& symbol : used)
      found |= symbol.substr(0, symbol.find('[')) == attribute.name;
    if (!found)
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
