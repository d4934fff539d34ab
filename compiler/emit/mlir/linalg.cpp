// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/mlir/linalg.h"

#include <algorithm>
#include <map>
#include <set>

#include "compiler/ir/shape.h"
#include "compiler/support/text_writer.h"

namespace einc::emit::mlir {
namespace {

// Small enough that MLIR can add a few of them.
bool isSmall(int64_t value) { return value > -(INT64_C(1) << 60) && value < INT64_C(1) << 60; }

using DivisionValue = affine::Expr (*)(const affine::Atom&);

affine::Expr product(int64_t coefficient, const affine::Term& term, DivisionValue division) {
  affine::Expr result = affine::Expr::constant(coefficient);
  for (const affine::Atom& atom : term.factors) {
    bool isIterator = atom.kind == affine::Atom::Kind::Iterator;
    result = result * (atom.div     ? division(atom)
                       : isIterator ? affine::Expr::iterator(atom.name)
                                    : affine::Expr::symbol(atom.name));
  }
  return result;
}

affine::Expr asItIs(const affine::Atom& atom) {
  const affine::Expr &dividend = atom.div->dividend, &divisor = atom.div->divisor;
  return atom.kind == affine::Atom::Kind::FloorDiv ? dividend.floorDiv(divisor)
                                                   : dividend.mod(divisor);
}

affine::Expr simplified(const affine::Expr& expr);

// (c * x + y) floordiv c = x + y floordiv c; (c * x + y) mod c = y mod c.
affine::Expr divided(const affine::Atom& atom) {
  affine::Expr dividend = simplified(atom.div->dividend), divisor = atom.div->divisor, even, rest;
  bool floorDiv = atom.kind == affine::Atom::Kind::FloorDiv;
  auto by = divisor.asConstant();
  if (!by || *by <= 0) return floorDiv ? dividend.floorDiv(divisor) : dividend.mod(divisor);
  for (const affine::Term& term : dividend.terms()) {
    int64_t quotient = *affine::floorDivide(term.coefficient, *by);
    int64_t remainder = *affine::floorModulo(term.coefficient, *by);
    bool splits = remainder == 0 || term.factors.empty();
    if (splits) even = even + product(quotient, term, asItIs);
    if (remainder != 0) rest = rest + product(splits ? remainder : term.coefficient, term, asItIs);
  }
  return floorDiv ? even + rest.floorDiv(divisor) : rest.mod(divisor);
}

// MLIR simplifies divisions as it reads them, and one that comes out even may leave an iterator
// alone, which then gives extents. So they are simplified here first.
affine::Expr simplified(const affine::Expr& expr) {
  affine::Expr sum;
  for (const affine::Term& term : expr.terms())
    sum = sum + product(term.coefficient, term, divided);
  return sum;
}

// Iterators with constant coefficients, and at most one division by a positive constant: two could
// cancel out.
bool isLinalgExpr(const affine::Expr& expr, bool mayDivide = true) {
  return !expr.overflowed() &&
         std::all_of(expr.terms().begin(), expr.terms().end(), [&](const affine::Term& term) {
           if (!isSmall(term.coefficient) || term.factors.size() > 1) return false;
           if (term.factors.empty()) return true;
           const affine::Atom& atom = term.factors[0];
           if (!atom.div) return atom.kind == affine::Atom::Kind::Iterator;
           auto divisor = atom.div->divisor.asConstant();
           if (!mayDivide || !divisor || *divisor <= 0 || !isSmall(*divisor)) return false;
           mayDivide = false;
           return isLinalgExpr(atom.div->dividend, /*mayDivide=*/false);
         });
}

// The map as Linalg's, or nothing.
std::optional<std::vector<affine::Expr>> linalgMap(const std::vector<affine::Expr>& map) {
  std::vector<affine::Expr> result;
  for (const affine::Expr& e : map) {
    result.push_back(simplified(e));
    if (!isLinalgExpr(result.back())) return std::nullopt;
  }
  return result;
}

// "0" everywhere but in dimension `dim`, which is the iterator.
LinalgOperand shapeOperand(const ir::Kernel& kernel, unsigned tensor, unsigned dim,
                           const std::string& iterator) {
  std::vector<affine::Expr> map(kernel.tensors[tensor].shape.size());
  map[dim] = affine::Expr::iterator(iterator);
  return {tensor, std::move(map), std::nullopt};
}

bool hasExtent(const LinalgOp& op, const std::string& iterator) {
  for (const auto* operands : {&op.inputs, &op.outputs})
    for (const LinalgOperand& operand : *operands)
      for (const affine::Expr& e : operand.map)
        if (e.asIterator() == iterator) return true;
  return false;
}

// The sizes of the part of an operand that is as large as its iterators' extents.
std::vector<affine::Expr> partSizes(const ir::Kernel& kernel, const ir::StructuredOp& op,
                                    const LinalgOperand& operand) {
  const std::vector<affine::Expr>& shape = kernel.tensors[operand.tensor].shape;
  std::vector<affine::Expr> sizes = shape;
  for (size_t d = 0; d < sizes.size(); ++d)
    if (auto iterator = operand.map[d].asIterator())
      if (auto extent = ir::extentOf(kernel, op, *iterator)) sizes[d] = extent->extent;
  return sizes == shape ? std::vector<affine::Expr>() : sizes;
}

// Whether the operand gives each of the iterators it is indexed with its extent: a pooling's
// window.
bool givesItsExtents(const ir::Kernel& kernel, const ir::StructuredOp& op, unsigned operand) {
  const std::vector<affine::Expr>& map = op.operand(operand).map;
  for (unsigned d = 0; d < map.size(); ++d) {
    auto iterator = map[d].asIterator();
    auto source = iterator ? ir::extentOf(kernel, op, *iterator) : std::nullopt;
    if (!source || source->operand != operand || source->dim != d) return false;
  }
  return true;
}

}  // namespace

Result<LinalgOp> toLinalg(const ir::Kernel& kernel, const ir::StructuredOp& op) {
  LinalgOp result;
  for (unsigned o = 0; o < op.operandCount(); ++o) {
    const ir::Operand& operand = op.operand(o);
    bool isOutput = o >= op.inputs.size();
    auto map = linalgMap(operand.map);
    if (operand.shapeOnly && givesItsExtents(kernel, op, o))
      result.inputs.push_back({operand.tensor, operand.map, std::nullopt});
    if (!isOutput && (operand.pad || operand.shapeOnly || !map)) continue;
    if (map) {
      (isOutput ? result.outputs : result.inputs).push_back({operand.tensor, *map, o});
      continue;
    }
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
    if (!source || hasExtent(result, it->name)) continue;
    result.inputs.insert(
        result.inputs.begin(),
        shapeOperand(kernel, op.operand(source->operand).tensor, source->dim, it->name));
  }
  for (auto* operands : {&result.inputs, &result.outputs})
    for (LinalgOperand& operand : *operands) operand.sizes = partSizes(kernel, op, operand);
  return result;
}

Result<LinalgOp> asCall(const ir::Kernel& kernel, const LinalgOp& op) {
  if (kernel.body.size() != 1) return Reason{"the def has several ops"};
  LinalgOp call;
  size_t scalars = 0;
  for (const ir::Kernel::Input& input : kernel.inputs) {
    if (!input.isTensor) {
      call.inputs.push_back({0, {}, std::nullopt, {}, input.index});
      ++scalars;
      continue;
    }
    for (const LinalgOperand& operand : op.inputs)
      if (operand.tensor == input.index) call.inputs.push_back(operand);
  }
  for (unsigned t = 0; t < kernel.tensors.size(); ++t)
    for (const LinalgOperand& operand : op.outputs)
      if (operand.tensor == t) call.outputs.push_back(operand);
  bool same = scalars == kernel.attributes.size();
  for (size_t i = 0; i < call.outputs.size(); ++i)
    same &= call.outputs[i].tensor == op.outputs[i].tensor;
  for (const auto* operands : {&call.inputs, &call.outputs})
    for (const LinalgOperand& operand : *operands)
      same &= operand.sizes.empty() && (operand.operand || operand.scalar);
  if (!same || call.inputs.size() != kernel.inputs.size() ||
      call.inputs.size() != op.inputs.size() + scalars)
    return Reason{"Linalg's op has other operands than the def"};
  return call;
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
      std::string dividend = exprText(atom.div->dividend, names);
      if (dividend.find(' ') != std::string::npos) dividend = "(" + dividend + ")";
      product = dividend + (floorDiv ? " floordiv " : " mod ") + exprText(atom.div->divisor, names);
      if (term.coefficient != 1) product = "(" + product + ")";
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

}  // namespace einc::emit::mlir
