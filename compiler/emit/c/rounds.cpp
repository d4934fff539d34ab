// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/c/rounds.h"

#include <algorithm>
#include <map>
#include <optional>

#include "compiler/facts/signs.h"

namespace einc::emit {
namespace {

using affine::Atom;
using affine::Expr;
using affine::Term;

// ---- What names inside are at most, and at least, as the host knows it --------------------------

class Ends {
 public:
  explicit Ends(const ir::Kernel& kernel) : signs_(kernel) {}

  void enter(const ir::Bound& bound) {
    bounds_[bound.name] = bound.of;
    signs_.enter(bound);
  }
  void enter(const std::string& var, const Expr& extent) { extents_[var] = extent; }
  void enter(const ir::TileLoop& loop) {
    enter(loop.var, loop.extent);
    bounds_[loop.size] = {loop.step, loop.extent};
  }

  std::optional<Expr> most(const Expr& e) const { return end(e, true); }

 private:
  bool isOfHost(const Expr& e) const {
    auto names = e.symbols(), iterators = e.iterators();
    names.insert(names.end(), iterators.begin(), iterators.end());
    return std::none_of(names.begin(), names.end(), [&](const std::string& name) {
      return bounds_.count(name) != 0 || extents_.count(name) != 0;
    });
  }

  std::optional<Expr> end(const Expr& e, bool up) const {
    if (isOfHost(e)) return e;
    Expr sum;
    for (const Term& term : e.terms()) {
      auto part = end(term, up == (term.coefficient > 0));
      if (!part) return std::nullopt;
      sum = sum + *part * Expr::constant(term.coefficient);
    }
    return sum;
  }

  bool isOfHost(const Atom& atom) const {
    if (atom.div) return isOfHost(atom.div->dividend) && isOfHost(atom.div->divisor);
    return bounds_.count(atom.name) == 0 && extents_.count(atom.name) == 0;
  }

  // Of the product without its coefficient. Of several factors, none may be negative.
  std::optional<Expr> end(const Term& term, bool up) const {
    Expr product = Expr::constant(1);
    bool isKnown = std::all_of(term.factors.begin(), term.factors.end(),
                               [&](const Atom& atom) { return isOfHost(atom); });
    for (const Atom& atom : term.factors) {
      if (!isKnown && term.factors.size() > 1 && !signs_.isNonNegative(atom)) return std::nullopt;
      auto part = end(atom, up);
      if (!part) return std::nullopt;
      product = product * *part;
    }
    return product;
  }

  std::optional<Expr> end(const Atom& atom, bool up) const {
    switch (atom.kind) {
      case Atom::Kind::Iterator: {
        auto extent = extents_.find(atom.name);
        if (extent == extents_.end()) return Expr::iterator(atom.name);
        if (!up) return Expr();
        auto last = most(extent->second);
        return last ? std::optional(*last - Expr::constant(1)) : std::nullopt;
      }
      case Atom::Kind::Symbol: {
        auto bound = bounds_.find(atom.name);
        return bound == bounds_.end() ? Expr::symbol(atom.name) : end(bound->second, up);
      }
      case Atom::Kind::FloorDiv:
      case Atom::Kind::Mod:
        break;
    }
    const Expr& divisor = atom.div->divisor;
    if (!isOfHost(divisor) || !signs_.isNonNegative(divisor)) return std::nullopt;
    if (atom.kind == Atom::Kind::Mod) return up ? divisor - Expr::constant(1) : Expr();
    auto dividend = end(atom.div->dividend, up);
    return dividend ? std::optional(dividend->floorDiv(divisor)) : std::nullopt;
  }

  // The least of several: any of them is as much; a number tells most.
  std::optional<Expr> end(const std::vector<Expr>& least, bool up) const {
    std::optional<Expr> result;
    for (const Expr& e : least) {
      auto one = end(e, up);
      if (!up && !(one && least.size() == 1)) return std::nullopt;
      if (one && (!result || one->asConstant())) result = one;
    }
    return result;
  }

  facts::Signs signs_;
  std::map<std::string, std::vector<Expr>> bounds_;
  std::map<std::string, Expr> extents_;
};

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
      ends_.enter(node->var, node->extent);
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
  Ends ends_;
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
