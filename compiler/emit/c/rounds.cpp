// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/c/rounds.h"

#include <algorithm>
#include <optional>

#include "compiler/facts/ends.h"

namespace einc::emit {
namespace {

using affine::Expr;

// ---- Rounds -------------------------------------------------------------------------------------

constexpr int64_t kMost = INT32_MAX;

// A number, and C that is added to it.
struct Rounds {
  int64_t number = 0;
  std::string text = {};
  bool isNumber() const { return text.empty(); }
  bool isNone() const { return isNumber() && number == 0; }
  std::string str() const {
    if (isNumber()) return std::to_string(number);
    return number == 0 ? text : text + " + " + std::to_string(number);
  }
};

class Counter {
 public:
  Counter(const ir::Kernel& kernel, const ir::Dispatch& dispatch,
          const std::function<std::string(const Expr&)>& index, Prelude& prelude)
      : index_(index), prelude_(prelude), ends_(kernel) {
    for (int64_t n : dispatch.invocations) invocations_ = invocations_ * Expr::constant(n);
  }

  Rounds block(const ir::Block& statements) {
    Rounds all;
    for (const ir::Stmt& stmt : statements) all = both(all, one(stmt));
    return all;
  }

 private:
  static Rounds both(const Rounds& a, const Rounds& b) {
    std::string between = a.isNumber() || b.isNumber() ? "" : " + ";
    return {std::min(a.number + b.number, kMost), a.text + between + b.text};
  }

  Rounds larger(const Rounds& a, const Rounds& b) {
    if (a.isNumber() && b.isNumber()) return {std::max(a.number, b.number)};
    if (a.isNone() || b.isNone()) return a.isNone() ? b : a;
    return {0, prelude_.need("larger") + "(" + a.str() + ", " + b.str() + ")"};
  }

  Rounds loop(const Expr& extent, const Rounds& inside) {
    auto most = ends_.most(extent);
    if (!most) return {kMost};
    auto number = most->asConstant();
    if (number && inside.isNumber()) {
      int64_t rounds = std::clamp<int64_t>(*number, 0, kMost);
      return {std::min(rounds * (inside.number + 1) + 1, kMost)};
    }
    return {0, prelude_.need("loop") + "(" + index_(*most) + ", " + inside.str() + ")"};
  }

  Rounds one(const ir::Stmt& stmt) {
    if (auto* bound = std::get_if<ir::Bound>(&stmt.node)) ends_.enter(*bound);
    if (auto* test = std::get_if<ir::If>(&stmt.node))
      return larger(block(test->then), block(test->otherwise));
    if (auto* node = std::get_if<ir::For>(&stmt.node)) {
      ends_.enter(*node);
      return rounds(node->on, node->extent, block(node->body));
    }
    if (auto* node = std::get_if<ir::TileLoop>(&stmt.node)) return tiles(*node);
    Rounds all;
    for (const ir::Block* inner : ir::blocksOf(stmt)) all = both(all, block(*inner));
    return all;
  }

  Rounds tiles(const ir::TileLoop& node) {
    ends_.enter(node);
    return rounds(node.on, node.extent.ceilDiv(node.step), block(node.body));
  }

  // Of a loop that goes round so often, for one invocation.
  Rounds rounds(ir::On on, const Expr& count, Rounds inside) {
    if (on == ir::On::Order) return loop(count, inside);
    if (on != ir::On::Invocations) return inside;
    auto extent = ends_.most(count.ceilDiv(invocations_));
    // An invocation for each round.
    if (extent && extent->asConstant() && *extent->asConstant() <= 1) return inside;
    return loop(*extent, inside);
  }

  const std::function<std::string(const Expr&)>& index_;
  Prelude& prelude_;
  facts::Ends ends_;
  Expr invocations_ = Expr::constant(1);
};

}  // namespace

std::optional<std::string> roundsOf(const ir::Kernel& kernel, const ir::Dispatch& dispatch,
                                    const std::function<std::string(const affine::Expr&)>& index,
                                    Prelude& prelude) {
  Rounds rounds = Counter(kernel, dispatch, index, prelude).block(dispatch.body);
  return rounds.isNone() ? std::nullopt : std::optional(rounds.str());
}

}  // namespace einc::emit
