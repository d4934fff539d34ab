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
      if (auto* lead = std::get_if<ir::Lead>(&stmt.node); lead && isInLoop_)
        most_[lead->name] = std::nullopt;
      if (auto* alloc = std::get_if<ir::Alloc>(&stmt.node); alloc && isInLoop_)
        for (affine::Expr& size : kernel_.tensors[alloc->tensor].shape) limit(size);
      const bool wasInLoop = isInLoop_;
      if (auto* loop = std::get_if<ir::TileLoop>(&stmt.node)) {
        isInLoop_ = true;
        most_[loop->size] = least({loop->step, loop->extent});
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
    if (isInLoop_ && depends) most_[bound.name] = least(bound.of);
  }
  bool dependsOnLoops(const affine::Expr& e) const {
    if (e.hasIterators()) return true;
    for (const std::string& symbol : e.symbols())
      if (most_.count(symbol) != 0) return true;
    return false;
  }
  // The least of what is known of the largest values.
  std::optional<int64_t> least(const std::vector<affine::Expr>& of) const {
    std::optional<int64_t> result;
    for (const affine::Expr& e : of)
      if (auto most = mostOf(e); most && (!result || *most < *result)) result = most;
    return result;
  }
  std::optional<int64_t> mostOf(const affine::Expr& e) const {
    return affine::intervalOf(e,
                              [&](const affine::Atom& atom) -> affine::Interval {
                                auto known = most_.find(atom.name);
                                if (atom.kind != affine::Atom::Kind::Symbol || known == most_.end())
                                  return {};
                                return {0, known->second};
                              })
        .high;
  }
  void limit(affine::Expr& size) const {
    if (!dependsOnLoops(size)) return;
    if (auto most = mostOf(size)) size = affine::Expr::constant(*most);
  }

  ir::Kernel& kernel_;
  bool isInLoop_ = false;
  std::map<std::string, std::optional<int64_t>> most_;  // of symbols that loops give
};

}  // namespace

void boundAllocs(ir::Kernel& kernel) { Bounder(kernel).run(kernel.body); }

}  // namespace einc::transforms
