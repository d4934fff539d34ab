// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/bound_allocs.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "compiler/affine/interval.h"

namespace einc::transforms {
namespace {

class Bounder {
 public:
  explicit Bounder(ir::Kernel& kernel) : kernel_(kernel) {}

  void run(const ir::Block& block) {
    for (const ir::Stmt& stmt : block) {
      if (auto* bound = std::get_if<ir::Bound>(&stmt.node)) note(*bound);
      if (auto* read = std::get_if<ir::Read>(&stmt.node); read && isInLoop_)
        values_[read->name] = {0, ir::kMostRead * 2};
      if (auto* lead = std::get_if<ir::Lead>(&stmt.node); lead && isInLoop_)
        values_[lead->name] = {0, std::nullopt};
      if (auto* alloc = std::get_if<ir::Alloc>(&stmt.node); alloc && isInLoop_)
        for (affine::Expr& size : kernel_.tensors[alloc->tensor].shape) limit(size);
      const bool wasInLoop = isInLoop_;
      if (auto* loop = std::get_if<ir::TileLoop>(&stmt.node)) {
        isInLoop_ = true;
        values_[loop->size] = {0, leastOf({loop->step, loop->extent}).high};
      }
      for (const ir::Block* inner : ir::blocksOf(stmt)) run(*inner);
      isInLoop_ = wasInLoop;
    }
  }

 private:
  // One that is the same in all rounds may stand in a size.
  void note(const ir::Bound& bound) {
    const bool depends = std::any_of(bound.of.begin(), bound.of.end(),
                                     [&](const affine::Expr& e) { return dependsOnLoops(e); });
    if (isInLoop_ && depends) values_[bound.name] = leastOf(bound.of);
  }
  bool dependsOnLoops(const affine::Expr& e) const {
    if (e.hasIterators()) return true;
    for (const std::string& symbol : e.symbols())
      if (values_.count(symbol) != 0) return true;
    return false;
  }
  // Where the least of these is: no further up than any, and no further down than all.
  affine::Interval leastOf(const std::vector<affine::Expr>& of) const {
    affine::Interval result = intervalOf(of.front());
    for (const affine::Expr& e : of) {
      const affine::Interval one = intervalOf(e);
      if (one.high && (!result.high || *one.high < *result.high)) result.high = one.high;
      if (!one.low || (result.low && *one.low < *result.low)) result.low = one.low;
    }
    return result;
  }
  affine::Interval intervalOf(const affine::Expr& e) const {
    return affine::intervalOf(e, [&](const affine::Atom& atom) -> affine::Interval {
      auto known = values_.find(atom.name);
      if (atom.kind != affine::Atom::Kind::Symbol || known == values_.end()) return {};
      return known->second;
    });
  }
  void limit(affine::Expr& size) const {
    if (!dependsOnLoops(size)) return;
    if (auto most = intervalOf(size).high) size = affine::Expr::constant(*most);
  }

  ir::Kernel& kernel_;
  bool isInLoop_ = false;
  std::map<std::string, affine::Interval> values_;  // of symbols that loops give
};

}  // namespace

void boundAllocs(ir::Kernel& kernel) { Bounder(kernel).run(kernel.body); }

}  // namespace einc::transforms
