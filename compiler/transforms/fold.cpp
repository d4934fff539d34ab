// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/fold.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "compiler/transforms/rewrite.h"

namespace einc::transforms {
namespace {

using affine::Expr;
using Kind = ir::Condition::Kind;

class Folder {
 public:
  Folder(ir::Kernel& kernel, bool keepsEmpty) : kernel_(kernel), keepsEmpty_(keepsEmpty) {}

  void run() {
    // A constant may make others constants.
    while (find(kernel_.body)) replace();
    choose(kernel_.body);
  }

 private:
  // Whether there are new constants. Bounds that are constants go.
  bool find(ir::Block& block) {
    size_t dropped = std::erase_if(block, [&](const ir::Stmt& stmt) {
      auto* bound = std::get_if<ir::Bound>(&stmt.node);
      std::optional<int64_t> value = bound ? least(*bound) : std::nullopt;
      if (value) known_[bound->name] = *value;
      return value.has_value();
    });
    bool found = dropped > 0;
    for (ir::Stmt& stmt : block) {
      if (auto* loop = std::get_if<ir::TileLoop>(&stmt.node))
        if (auto size = sizeOf(*loop)) found |= known_.emplace(loop->size, *size).second;
      for (ir::Block* inner : ir::blocksOf(stmt)) found |= find(*inner);
    }
    return found;
  }

  static std::optional<int64_t> least(const ir::Bound& bound) {
    std::optional<int64_t> result;
    for (const Expr& e : bound.of) {
      auto value = e.asConstant();
      if (!value) return std::nullopt;
      result = std::min(result.value_or(*value), *value);
    }
    return result;
  }

  // The size of all tiles, if they have one.
  static std::optional<int64_t> sizeOf(const ir::TileLoop& loop) {
    auto extent = loop.extent.asConstant(), step = loop.step.asConstant();
    if (!extent || !step || *extent < 1 || *step < 1) return std::nullopt;
    if (*extent <= *step) return extent;
    return *extent % *step == 0 ? step : std::nullopt;
  }

  void replace() {
    auto constant = [&](const affine::Atom& atom) -> std::optional<Expr> {
      auto found = known_.find(atom.name);
      if (atom.kind != affine::Atom::Kind::Symbol || found == known_.end()) return std::nullopt;
      return Expr::constant(found->second);
    };
    auto index = [&](const Expr& e) { return e.substitute(constant); };
    rewriteBlock(kernel_.body, index, [](const ir::ValueRef& value) { return value; });
    for (ir::Tensor& tensor : kernel_.tensors)
      for (Expr& size : tensor.shape) size = index(size);
  }

  static std::optional<bool> holds(const ir::Condition& condition) {
    auto left = condition.left.asConstant(), right = condition.right.asConstant();
    if (!left || !right) return std::nullopt;
    switch (condition.kind) {
      case Kind::Equal:
        return *left == *right;
      case Kind::Less:
        return *left < *right;
      case Kind::LessEqual:
        return *left <= *right;
      case Kind::Unit:
      case Kind::Aligned:
        break;
    }
    return std::nullopt;
  }

  void choose(ir::Block& block) const {
    ir::Block result;
    for (ir::Stmt& stmt : block) {
      auto* loop = std::get_if<ir::TileLoop>(&stmt.node);
      if (loop && !keepsEmpty_ && loop->extent.asConstant() == 0) continue;
      auto* test = std::get_if<ir::If>(&stmt.node);
      ir::Block* way = test ? wayOf(*test) : nullptr;
      for (ir::Block* inner : ir::blocksOf(stmt))
        if (!way || inner == way) choose(*inner);
      if (way)
        std::move(way->begin(), way->end(), std::back_inserter(result));
      else
        result.push_back(std::move(stmt));
    }
    block = std::move(result);
  }

  // The one way that is left, if there is but one. Conditions that hold go.
  static ir::Block* wayOf(ir::If& test) {
    auto fails = [](const ir::Condition& condition) { return holds(condition) == false; };
    if (std::any_of(test.conditions.begin(), test.conditions.end(), fails)) return &test.otherwise;
    std::erase_if(test.conditions,
                  [](const ir::Condition& condition) { return holds(condition) == true; });
    return test.conditions.empty() ? &test.then : nullptr;
  }

  ir::Kernel& kernel_;
  bool keepsEmpty_;
  std::map<std::string, int64_t> known_;
};

}  // namespace

void fold(ir::Kernel& kernel, bool keepsEmpty) { Folder(kernel, keepsEmpty).run(); }

}  // namespace einc::transforms
