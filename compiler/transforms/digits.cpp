// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/digits.h"

#include <algorithm>
#include <utility>

#include "llvm/ADT/STLExtras.h"

namespace einc::transforms {
namespace {

using affine::Atom;
using affine::Expr;

void forEachDivision(const Expr& e, const std::function<void(const affine::Division&)>& visit) {
  for (const affine::Term& term : e.terms())
    for (const Atom& atom : term.factors) {
      if (!atom.div) continue;
      visit(*atom.div);
      forEachDivision(atom.div->dividend, visit);
    }
}

// Whether it is a constant, or made of sizes: attributes may be negative.
bool isPositive(const ir::Kernel& kernel, const Expr& base, int64_t least) {
  if (auto number = base.asConstant()) return *number >= std::max<int64_t>(least, 2);
  for (const affine::Term& term : base.terms()) {
    if (term.coefficient <= 0 || term.factors.empty()) return false;
    for (const Atom& atom : term.factors)
      if (atom.kind != Atom::Kind::Symbol || kernel.attributeOf(atom.name)) return false;
  }
  return true;
}

// An iterator in terms of its digits, and the iterators that take its place, with their extents.
struct Part {
  Digit digit;
  Expr high, low;
  std::vector<std::pair<std::string, Expr>> dims;
};

class Positions {
 public:
  explicit Positions(const std::vector<Part>& parts) : parts_(parts) {}

  const Part* of(const std::string& iterator) const {
    auto found = std::find_if(parts_.begin(), parts_.end(),
                              [&](const Part& p) { return p.digit.iterator == iterator; });
    return found == parts_.end() ? nullptr : &*found;
  }

  Expr of(const Expr& e) const {
    Expr result;
    for (const affine::Term& term : e.terms()) {
      Expr product = Expr::constant(term.coefficient);
      for (const Atom& atom : term.factors) product = product * of(atom);
      result = result + product;
    }
    return result;
  }

 private:
  Expr of(const Atom& atom) const {
    if (atom.kind == Atom::Kind::Symbol) return Expr::symbol(atom.name);
    if (atom.kind == Atom::Kind::Iterator) {
      const Part* part = of(atom.name);
      return part ? part->high * part->digit.base + part->low : transforms::at(atom.name);
    }
    const bool floors = atom.kind == Atom::Kind::FloorDiv;
    auto iterator = atom.div->dividend.asIterator();
    const Part* part = iterator ? of(*iterator) : nullptr;
    if (part && atom.div->divisor == part->digit.base) return floors ? part->high : part->low;
    Expr dividend = of(atom.div->dividend), divisor = of(atom.div->divisor);
    return floors ? dividend.floorDiv(divisor) : dividend.mod(divisor);
  }

  const std::vector<Part>& parts_;
};

// The last of the indices in which an iterator stands.
size_t lastIndex(const std::vector<Expr>& map, const std::string& iterator) {
  size_t last = map.size();
  while (last > 0 && !llvm::is_contained(map[last - 1].iterators(), iterator)) --last;
  return last;
}

// The op at these positions.
ir::StructuredOp at(Builder& builder, const ir::StructuredOp& op, const std::vector<Part>& parts,
                    const std::string& suffix, ir::Block& block) {
  const Positions positions(parts);
  ir::StructuredOp result = op;
  for (size_t i = 0; i < op.operandCount(); ++i) {
    ir::Operand& operand = result.operand(i);
    const ir::Tensor base = builder.kernel().tensors[operand.tensor];
    ir::View view{0, operand.tensor, {}, {}, operand.pad};
    for (const Expr& index : operand.map) view.map.push_back(positions.of(index));
    std::vector<std::pair<std::string, Expr>> dims;
    for (const std::string& name : iteratorsOf(operand))
      if (const Part* part = positions.of(name))
        llvm::append_range(dims, part->dims);
      else
        dims.emplace_back(name, builder.extent(op, name));
    // As they lie in memory, so that the last one is the innermost.
    std::vector<Expr> shape, map;
    for (size_t last = 0; last <= view.map.size(); ++last)
      for (const auto& [dim, extent] : dims) {
        if (lastIndex(view.map, dim) != last) continue;
        view.dims.push_back(dim);
        shape.push_back(extent);
        map.push_back(transforms::at(dim));
      }
    view.view = builder.tensor(base.name + suffix, base.type, std::move(shape), ir::Role::View);
    operand = {view.view, std::move(map), nullptr, operand.shapeOnly, operand.source};
    block.push_back({std::move(view)});
  }
  for (ir::ValueRef& value : result.results)
    value = ir::rewrite(value, [&](const ir::ValueRef& ref) -> ir::ValueRef {
      auto* index = std::get_if<ir::IndexRef>(&ref->node);
      if (!index) return nullptr;
      return ir::makeValue(ref->type, ir::IndexRef{positions.of(index->index)});
    });
  result.iterators.clear();
  for (const ir::Iterator& i : op.iterators) {
    const Part* part = positions.of(i.name);
    if (!part) result.iterators.push_back(i);
    for (size_t d = 0; part && d < part->dims.size(); ++d)
      result.iterators.push_back({part->dims[d].first, i.kind});
  }
  return result;
}

}  // namespace

std::vector<Digit> findDigits(const ir::Kernel& kernel, const ir::StructuredOp& op, int64_t least) {
  std::vector<Digit> found;
  for (size_t i = 0; i < op.operandCount(); ++i)
    for (const Expr& index : op.operand(i).map)
      forEachDivision(index, [&](const affine::Division& division) {
        auto iterator = division.dividend.asIterator();
        if (!iterator || !isPositive(kernel, division.divisor, least)) return;
        auto other = std::find_if(found.begin(), found.end(),
                                  [&](const Digit& d) { return d.iterator == *iterator; });
        if (other == found.end())
          found.push_back({*iterator, division.divisor, *iterator + "_high"});
        else if (division.divisor.asConstant().value_or(0) > other->base.asConstant().value_or(0))
          other->base = division.divisor;
      });
  return found;
}

ir::Block splitDigits(Builder& builder, const ir::StructuredOp& op,
                      const std::vector<Digit>& digits, const OnDigits& onPart) {
  ir::Block block;
  std::vector<Part> parts;  // of those before, in whole digits
  bool isEmpty = false;
  for (const Digit& digit : digits) {
    const Expr extent = builder.extent(op, digit.iterator), low = transforms::at(digit.iterator);
    const Expr count = extent.floorDiv(digit.base), rest = extent - count * digit.base;
    if (!rest.isZero() && !isEmpty) {
      std::vector<Part> last = parts;
      last.push_back({digit, count, low, {{digit.iterator, rest}}});
      ir::StructuredOp inner = at(builder, op, last, "_left", block);
      append(block, onPart(inner, parts.size()));
    }
    isEmpty |= count.isZero();
    parts.push_back({digit,
                     transforms::at(digit.high),
                     low,
                     {{digit.high, count}, {digit.iterator, digit.base}}});
  }
  if (isEmpty) return block;
  ir::StructuredOp inner = at(builder, op, parts, "_digits", block);
  append(block, onPart(inner, parts.size()));
  return block;
}

}  // namespace einc::transforms
