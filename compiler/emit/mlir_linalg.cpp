// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/mlir_linalg.h"

#include <algorithm>
#include <map>
#include <set>

#include "compiler/ir/shape.h"
#include "compiler/support/text_writer.h"

namespace einc::emit::mlir {
namespace {

// Small enough that MLIR can add a few of them.
bool isSmall(int64_t value) { return value > -(INT64_C(1) << 60) && value < INT64_C(1) << 60; }

// Iterators with constant coefficients; divisions by positive constants.
bool isLinalgExpr(const affine::Expr& expr) {
  return std::all_of(expr.terms().begin(), expr.terms().end(), [](const affine::Term& term) {
    if (!isSmall(term.coefficient) || term.factors.size() > 1) return false;
    if (term.factors.empty()) return true;
    const affine::Atom& atom = term.factors[0];
    if (!atom.div) return atom.kind == affine::Atom::Kind::Iterator;
    auto divisor = atom.div->divisor.asConstant();
    return divisor && *divisor > 0 && isSmall(*divisor) && isLinalgExpr(atom.div->dividend);
  });
}

bool isLinalgMap(const std::vector<affine::Expr>& map) {
  return std::all_of(map.begin(), map.end(), isLinalgExpr);
}

// "0" everywhere but in dimension `dim`, which is the iterator.
LinalgOperand shapeOperand(const ir::Kernel& kernel, unsigned tensor, unsigned dim,
                           const std::string& iterator) {
  std::vector<affine::Expr> map(kernel.tensors[tensor].shape.size());
  map[dim] = affine::Expr::iterator(iterator);
  return {tensor, std::move(map), std::nullopt};
}

// The extent that Linalg gives an iterator: the first dimension that it indexes alone.
std::optional<affine::Expr> extentIn(const ir::Kernel& kernel, const LinalgOp& op,
                                     const std::string& iterator) {
  for (const auto* operands : {&op.inputs, &op.outputs})
    for (const LinalgOperand& operand : *operands)
      for (size_t d = 0; d < operand.map.size(); ++d)
        if (operand.map[d].asIterator() == iterator) return kernel.tensors[operand.tensor].shape[d];
  return std::nullopt;
}

}  // namespace

Result<LinalgOp> toLinalg(const ir::Kernel& kernel, const ir::StructuredOp& op) {
  LinalgOp result;
  for (unsigned o = 0; o < op.operandCount(); ++o) {
    const ir::Operand& operand = op.operand(o);
    bool isOutput = o >= op.inputs.size();
    if (!isOutput && (operand.pad || operand.shapeOnly || !isLinalgMap(operand.map))) continue;
    (isOutput ? result.outputs : result.inputs).push_back({operand.tensor, operand.map, o});
    if (isLinalgMap(operand.map)) continue;
    std::string index = joined(operand.map, ", ", [](const affine::Expr& e) { return e.str(); });
    std::set<std::string> sizes;
    for (const affine::Expr& e : operand.map)
      for (const std::string& symbol : e.symbols()) sizes.insert(symbol);
    std::string help =
        sizes.empty() ? "" : "; fix it with " + joined(sizes, " ", [](const std::string& size) {
                               return "--dim " + size + "=...";
                             });
    return Reason{"it writes " + kernel.tensors[operand.tensor].name + "(" + index +
                  "), and Linalg's maps of outputs are affine with constants only" + help};
  }
  // From the last to the first: each goes before all others, and they keep their order.
  for (auto it = op.iterators.rbegin(); it != op.iterators.rend(); ++it) {
    auto source = ir::extentOf(kernel, op, it->name);
    if (!source || extentIn(kernel, result, it->name) == source->extent) continue;
    result.inputs.insert(
        result.inputs.begin(),
        shapeOperand(kernel, op.operand(source->operand).tensor, source->dim, it->name));
  }
  return result;
}

std::vector<unsigned> attributesInMaps(const ir::Kernel& kernel) {
  std::set<unsigned> found;
  ir::forEachOp(kernel.body, [&](const ir::StructuredOp& op) {
    for (unsigned o = 0; o < op.operandCount(); ++o) {
      const ir::Operand& operand = op.operand(o);
      if (operand.pad || operand.shapeOnly) continue;
      std::set<unsigned> inMap;
      bool hasSize = false;
      for (const affine::Expr& e : operand.map)
        for (const std::string& symbol : e.symbols()) {
          auto reference = kernel.attributeOf(symbol);
          if (reference) inMap.insert(reference->attribute);
          hasSize |= !reference;
        }
      // A size makes it one for the payload, where attributes have their values.
      if (!hasSize || o >= op.inputs.size()) found.insert(inMap.begin(), inMap.end());
    }
  });
  return {found.begin(), found.end()};
}

namespace {

std::string exprText(const affine::Expr& expr, const std::map<std::string, std::string>& names) {
  std::string text;
  for (const affine::Term& term : expr.terms()) {
    bool negative = term.coefficient < 0;
    std::string product;
    for (const affine::Atom& atom : term.factors) {
      if (!atom.div) {
        product = names.at(atom.name);
        continue;
      }
      bool floorDiv = atom.kind == affine::Atom::Kind::FloorDiv;
      product = "((" + exprText(atom.div->dividend, names) + ")" +
                (floorDiv ? " floordiv " : " mod ") + exprText(atom.div->divisor, names) + ")";
    }
    std::string magnitude = std::to_string(negative ? -term.coefficient : term.coefficient);
    if (product.empty())
      product = magnitude;
    else if (magnitude != "1")
      product += " * " + magnitude;
    text += text.empty() ? (negative ? "-" : "") : negative ? " - " : " + ";
    text += product;
  }
  return text.empty() ? "0" : text;
}

}  // namespace

std::string mapText(const ir::StructuredOp& op, const std::vector<affine::Expr>& map) {
  // These are operators of affine expressions.
  static const std::set<std::string> reserved = {"mod", "floordiv", "ceildiv", "symbol"};
  std::set<std::string> taken;
  for (const ir::Iterator& iterator : op.iterators) taken.insert(iterator.name);
  std::map<std::string, std::string> names;
  for (const ir::Iterator& iterator : op.iterators) {
    std::string name = iterator.name;
    if (reserved.count(name)) do
        name += "_";
      while (!taken.insert(name).second);
    names[iterator.name] = name;
  }
  auto dims = joined(op.iterators, ", ", [&](const ir::Iterator& i) { return names.at(i.name); });
  auto results = joined(map, ", ", [&](const affine::Expr& e) { return exprText(e, names); });
  return "affine_map<(" + dims + ") -> (" + results + ")>";
}

std::vector<std::vector<std::optional<int64_t>>> shownSizes(const ir::Kernel& kernel) {
  std::vector<std::vector<std::optional<int64_t>>> sizes;
  for (const ir::Tensor& tensor : kernel.tensors) {
    sizes.emplace_back();
    for (const affine::Expr& size : tensor.shape) {
      auto constant = size.asConstant();
      // Linalg wants the last index of an empty dimension, -1, inside it.
      sizes.back().push_back(constant == 0 ? std::nullopt : constant);
    }
  }
  ir::forEachOp(kernel.body, [&](const ir::StructuredOp& op) {
    for (size_t o = 0; o < op.operandCount(); ++o) {
      const ir::Operand& operand = op.operand(o);
      for (size_t d = 0; d < operand.map.size(); ++d) {
        auto iterator = operand.map[d].asIterator();
        auto extent = iterator ? ir::extentOf(kernel, op, *iterator) : std::nullopt;
        if (extent && extent->extent != kernel.tensors[operand.tensor].shape[d])
          sizes[operand.tensor][d] = std::nullopt;
      }
    }
  });
  return sizes;
}

}  // namespace einc::emit::mlir
