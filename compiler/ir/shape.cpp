// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/shape.h"

#include <algorithm>
#include <set>

namespace einc::ir {
namespace {

// Solves `size = scale * unknown + offset` for the one size symbol that is not bound yet.
std::optional<SymbolBinding> solve(const Kernel& kernel, const std::set<std::string>& bound,
                                   unsigned tensor, unsigned dim) {
  const affine::Expr& size = kernel.tensors[tensor].shape[dim];
  std::vector<std::string> unknown;
  for (const std::string& symbol : size.symbols())
    if (!kernel.attributeOf(symbol) && !bound.count(symbol)) unknown.push_back(symbol);
  if (unknown.size() != 1) return std::nullopt;
  // Seen as an iterator, the unknown's coefficient is what asLinear gives.
  auto linear = size.substitute([&](const affine::Atom& atom) -> std::optional<affine::Expr> {
                      if (atom.name != unknown[0]) return std::nullopt;
                      return affine::Expr::iterator(atom.name);
                    })
                    .asLinear();
  if (!linear || linear->parts.size() != 1) return std::nullopt;
  auto scale = linear->parts[0].coefficient.asConstant();
  if (!scale || *scale == 0) return std::nullopt;
  return SymbolBinding{unknown[0], tensor, dim, *scale, linear->rest};
}

}  // namespace

std::vector<SymbolBinding> bindSymbols(const Kernel& kernel) {
  std::vector<SymbolBinding> bindings;
  std::set<std::string> bound;
  auto forEachDim = [&](auto visit) {
    for (unsigned t = 0; t < kernel.tensors.size(); ++t)
      if (isArgument(kernel.tensors[t].role))
        for (unsigned d = 0; d < kernel.tensors[t].shape.size(); ++d) visit(t, d);
  };
  forEachDim([&](unsigned t, unsigned d) {
    auto symbol = kernel.tensors[t].shape[d].asSymbol();
    if (symbol && !kernel.attributeOf(*symbol) && bound.insert(*symbol).second)
      bindings.push_back({*symbol, t, d, 1, {}});
  });
  for (size_t before = bindings.size() + 1; before != bindings.size();) {
    before = bindings.size();
    forEachDim([&](unsigned t, unsigned d) {
      auto binding = solve(kernel, bound, t, d);
      if (!binding) return;
      bound.insert(binding->symbol);
      bindings.push_back(std::move(*binding));
    });
  }
  return bindings;
}

std::vector<SizeCondition> sizeConditions(const Kernel& kernel,
                                          const std::vector<SymbolBinding>& bindings) {
  std::vector<SizeCondition> result;
  for (unsigned t = 0; t < kernel.tensors.size(); ++t) {
    if (!isArgument(kernel.tensors[t].role)) continue;
    for (unsigned d = 0; d < kernel.tensors[t].shape.size(); ++d) {
      bool binds = std::any_of(bindings.begin(), bindings.end(),
                               [&](const SymbolBinding& b) { return b.tensor == t && b.dim == d; });
      if (!binds) result.push_back({t, d});
    }
  }
  return result;
}

std::optional<ExtentSource> extentOf(const Kernel& kernel, const StructuredOp& op,
                                     const std::string& iterator) {
  for (bool padded : {false, true})
    for (unsigned o = 0; o < op.operandCount(); ++o) {
      const Operand& operand = op.operand(o);
      if ((operand.pad != nullptr) != padded) continue;
      for (unsigned d = 0; d < operand.map.size(); ++d)
        if (operand.map[d].asIterator() == iterator)
          return ExtentSource{o, d, kernel.tensors[operand.tensor].shape[d]};
    }
  return std::nullopt;
}

std::vector<AccessCondition> accessConditions(const Kernel& kernel, const StructuredOp& op) {
  std::vector<AccessCondition> result;
  for (unsigned o = 0; o < op.operandCount(); ++o) {
    const Operand& operand = op.operand(o);
    if (operand.pad || operand.shapeOnly) continue;
    for (unsigned d = 0; d < operand.map.size(); ++d) {
      auto iterator = operand.map[d].asIterator();
      auto extent = iterator ? extentOf(kernel, op, *iterator) : std::nullopt;
      if (!extent || extent->extent != kernel.tensors[operand.tensor].shape[d])
        result.push_back({o, d});
    }
  }
  return result;
}

}  // namespace einc::ir
