// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Sizes against accesses. What is certain for all sizes is reported here; what depends on the sizes
// is left to the checks at run time.
#include <algorithm>

#include "compiler/affine/interval.h"
#include "compiler/affine/set.h"
#include "compiler/frontend/scope.h"
#include "compiler/ir/domain.h"
#include "compiler/ir/reach.h"
#include "compiler/ir/shape.h"

namespace einc::frontend {
namespace {

using Index = affine::Expr;

class BoundsChecker {
 public:
  BoundsChecker(Scope& scope, const ir::StructuredOp& op, const std::vector<SourceRange>& places)
      : scope_(scope), op_(op), places_(places) {}

  void run() {
    for (const ir::AccessCondition& condition : ir::accessConditions(scope_.kernel, op_)) {
      if (conflictingConstants(condition)) continue;
      if (auto range = ir::reachOf(scope_.kernel, op_, mapOf(condition)))
        checkLinear(condition, *range);
      else
        checkInterval(condition);
    }
  }

 private:
  const Index& mapOf(const ir::AccessCondition& c) const {
    return op_.operand(c.operand).map[c.dim];
  }
  unsigned tensorOf(const ir::AccessCondition& c) const { return op_.operand(c.operand).tensor; }
  Index& sizeOf(const ir::AccessCondition& c) {
    return scope_.kernel.tensors[tensorOf(c)].shape[c.dim];
  }

  // One iterator alone over two dimensions whose sizes are different numbers.
  bool conflictingConstants(const ir::AccessCondition& c) {
    auto iterator = mapOf(c).asIterator();
    auto source = iterator ? ir::extentOf(scope_.kernel, op_, *iterator) : std::nullopt;
    if (!source) return false;
    auto extent = source->extent.asConstant(), size = sizeOf(c).asConstant();
    if (!extent || !size || *extent == *size) return false;
    unsigned other = op_.operand(source->operand).tensor;
    scope_.errors
        .error(Diag::ConflictingSizes, places_[c.operand],
               "conflicting sizes: iterator '" + *iterator + "' runs over " +
                   dimension(other, source->dim) + ", " + std::to_string(*extent) + ", and over " +
                   dimension(tensorOf(c), c.dim) + ", " + std::to_string(*size))
        .note(scope_.tensors[other].sizes[source->dim], "the size " + std::to_string(*extent))
        .note(scope_.tensors[tensorOf(c)].sizes[c.dim], "the size " + std::to_string(*size));
    return true;
  }

  std::string dimension(unsigned tensor, unsigned dim) const {
    return "dimension " + std::to_string(dim) + " of '" + scope_.kernel.tensors[tensor].name + "'";
  }

  void outside(const ir::AccessCondition& c, const std::string& range, const std::string& hint) {
    const Index last = sizeOf(c) - Index::constant(1);
    scope_.errors
        .error(Diag::OutOfBounds, places_[c.operand],
               "index '" + mapOf(c).str() + "' runs over " + range + ", outside " +
                   dimension(tensorOf(c), c.dim) + ", [0, " + last.str() + "]" + hint)
        .note(scope_.tensors[tensorOf(c)].sizes[c.dim], "the size " + sizeOf(c).str());
  }

  void checkLinear(const ir::AccessCondition& c, const ir::Reach& range) {
    std::string text = "[" + range.low.str() + ", " + range.high.str() + "]";
    const std::string padHint = "; to read beyond the edge, give a value: ... else 0";
    // Both ends are values of the index, though not its ends where an attribute is negative.
    if (isCertain(range.low) && ir::signOf(range.low) == ir::Sign::Negative)
      return outside(c, text, padHint);
    Index excess = range.high - sizeOf(c) + Index::constant(1);
    if (ir::signOf(excess) != ir::Sign::Positive) return;
    if (canBeFreed(c, range)) return freeSize(c, range);
    if (isCertain(excess)) outside(c, text, padHint);
  }

  // Sizes are positive where anything is done; attributes may be anything.
  bool isCertain(const Index& sign) const {
    const std::vector<std::string> names = sign.symbols();
    return std::none_of(names.begin(), names.end(), [&](const std::string& name) {
      return scope_.kernel.attributeOf(name).has_value();
    });
  }

  // Whether a size symbol of its own for this dimension would make the access possible.
  bool canBeFreed(const ir::AccessCondition& c, const ir::Reach& range) {
    const ir::Tensor& tensor = scope_.kernel.tensors[tensorOf(c)];
    if (tensor.role == ir::Role::Local || sizeOf(c).asConstant()) return false;
    ir::Kernel freed = scope_.kernel;
    freed.tensors[tensorOf(c)].shape[c.dim] = Index::symbol(freshName(c));
    for (const ir::Iterator& iterator : op_.iterators) {
      auto extent = ir::extentOf(freed, op_, iterator.name);
      if (extent && extent->operand == c.operand && extent->dim == c.dim) return false;
    }
    auto bindings = ir::bindSymbols(freed);
    for (const std::string& symbol : range.high.symbols()) {
      bool found = freed.attributeOf(symbol) ||
                   std::any_of(bindings.begin(), bindings.end(),
                               [&](const ir::SymbolBinding& b) { return b.symbol == symbol; });
      if (!found) return false;
    }
    return true;
  }

  std::string freshName(const ir::AccessCondition& c) const {
    std::string name = scope_.kernel.tensors[tensorOf(c)].name + "_d" + std::to_string(c.dim);
    while (scope_.sizes.count(name) || scope_.names.count(name)) name += "_";
    return name;
  }

  void freeSize(const ir::AccessCondition& c, const ir::Reach& range) {
    std::string name = freshName(c);
    SourceRange declared = scope_.tensors[tensorOf(c)].sizes[c.dim];
    scope_.errors
        .warning(Diag::SizeContradictsAccess, declared,
                 "the size " + sizeOf(c).str() + " contradicts the access '" + mapOf(c).str() +
                     "', which reaches " + range.high.str() + "; taken as a size of its own, " +
                     name)
        .note(places_[c.operand], "the access");
    scope_.sizes.emplace(name, declared);
    sizeOf(c) = Index::symbol(name);
  }

  // With divisions: constant bounds only.
  void checkInterval(const ir::AccessCondition& c) {
    auto lookup = [&](const affine::Atom& atom) -> affine::Interval {
      if (atom.kind != affine::Atom::Kind::Iterator)
        return scope_.kernel.attributeOf(atom.name) ? affine::Interval{} : affine::Interval{0, {}};
      auto extent = ir::extentOf(scope_.kernel, op_, atom.name);
      auto size = extent ? extent->extent.asConstant() : std::nullopt;
      return {0, size ? std::optional(*size - 1) : std::nullopt};
    };
    affine::Interval interval = affine::intervalOf(mapOf(c), lookup);
    auto size = sizeOf(c).asConstant();
    bool below = interval.high && *interval.high < 0;
    bool above = size && interval.low && *interval.low >= *size;
    if (below || above) return outside(c, interval.str(), "");
    if (size) checkPositions(c);
  }

  // Where all sizes are numbers, one position outside is enough.
  void checkPositions(const ir::AccessCondition& c) {
    const Index& index = mapOf(c);
    if (!index.symbols().empty()) return;
    std::vector<affine::Constraint> low;
    for (const std::string& name : index.iterators()) {
      auto extent = ir::extentOf(scope_.kernel, op_, name);
      if (!extent || !extent->extent.asConstant()) return;
      for (affine::Constraint& constraint : ir::within(Index::iterator(name), extent->extent))
        low.push_back(std::move(constraint));
    }
    std::vector<affine::Constraint> high = low;
    low.push_back({-index - Index::constant(1)});
    high.push_back({index - sizeOf(c)});
    affine::Set places = affine::Set(index.iterators(), low) | affine::Set(index.iterators(), high);
    affine::Set::Point point = places.sample();
    if (point.isEmpty()) return;
    scope_.errors
        .error(Diag::OutOfBounds, places_[c.operand],
               "index '" + index.str() + "' is outside " + dimension(tensorOf(c), c.dim) +
                   ", [0, " + (sizeOf(c) - Index::constant(1)).str() + "], where " +
                   affine::str(point.dims))
        .note(scope_.tensors[tensorOf(c)].sizes[c.dim], "the size " + sizeOf(c).str());
  }

  Scope& scope_;
  const ir::StructuredOp& op_;
  const std::vector<SourceRange>& places_;
};

}  // namespace

void checkBounds(Scope& scope, const ir::StructuredOp& op, const std::vector<SourceRange>& places) {
  BoundsChecker(scope, op, places).run();
}

}  // namespace einc::frontend
