// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/trim.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "compiler/facts/within.h"
#include "compiler/ir/guard.h"
#include "compiler/transforms/builder.h"
#include "compiler/transforms/read_elements.h"
#include "compiler/transforms/tile.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::transforms {
namespace {

using affine::Expr;

constexpr int64_t kFewPositions = 8;  // of an iterator, which are not worth a cut

class Trimmer {
 public:
  explicit Trimmer(ir::Kernel& kernel) : builder_(kernel), signs_(kernel) {}

  ir::Block run(ir::Block block) {
    ir::Block result;
    for (ir::Stmt& stmt : block) {
      if (auto* bound = std::get_if<ir::Bound>(&stmt.node)) signs_.enter(*bound);
      if (auto* loop = std::get_if<ir::TileLoop>(&stmt.node)) tileSizes_.insert(loop->size);
      if (auto* op = std::get_if<ir::StructuredOp>(&stmt.node)) {
        append(result, trimmed(*op));
        continue;
      }
      for (ir::Block* inner : ir::blocksOf(stmt)) *inner = run(std::move(*inner));
      result.push_back(std::move(stmt));
    }
    return result;
  }

 private:
  // What a cut along an iterator is made of: the conditions that it answers, and the others.
  struct Cut {
    std::string along;
    ir::Guard answered, others;
    facts::EndsIn ends;
  };

  ir::Block trimmed(const ir::StructuredOp& op) {
    const auto guard = ir::guardOf(op);
    if (!guard || op.copied) return only({op});
    if (!guard->others.empty())
      if (auto block = withElements(op)) return std::move(*block);
    return byPositions(op, *guard);
  }

  ir::Block byPositions(const ir::StructuredOp& op, const ir::Guard& guard) {
    const std::vector<facts::Span> tile = tileOf(op);
    if (isOfLanes(guard, tile)) return only({op});
    const Cut cut = cutOf(op, guard, tile);
    if (cut.others.isEmpty()) return pieces(op, cut);
    const auto possible = facts::anyInsideOnlyIf(signs_, cut.others, tile);
    const auto inside = facts::allInsideIf(signs_, cut.others, tile);
    ir::Block block;
    if (!inside) {
      block = reached(op, cut);
    } else {
      Cut rest = cut;
      rest.others = {};
      block = pieces(ir::withGuard(op, cut.answered), rest);
      if (*inside != possible) block = only({ir::If{*inside, std::move(block), reached(op, cut)}});
    }
    return possible.empty() ? block : only({ir::If{possible, std::move(block), {}}});
  }

  std::vector<facts::Span> tileOf(const ir::StructuredOp& op) const {
    std::vector<facts::Span> tile;
    for (const ir::Iterator& i : op.iterators)
      tile.push_back({i.name, constant(0), builder_.extent(op, i.name)});
    return tile;
  }

  // ---- Elements ----

  // Once elements that positions are compared with are numbers: row by row, where each row has its own. Nothing if there are
  // none.
  std::optional<ir::Block> withElements(const ir::StructuredOp& op) {
    std::vector<size_t> inputs = comparedElements(builder_.kernel(), op);
    llvm::erase_if(inputs, [&](size_t input) {
      return llvm::any_of(iteratorsOf(op.inputs[input]),
                          [&](const std::string& name) { return !isRow(op, name); });
    });
    if (inputs.empty()) return std::nullopt;
    std::vector<std::string> rows;
    for (const ir::Iterator& i : op.iterators)
      if (anyAlong(op, inputs, i.name)) rows.push_back(i.name);
    return rowByRow(op, rows, inputs);
  }

  ir::Block rowByRow(const ir::StructuredOp& op, std::vector<std::string> rows,
                     const std::vector<size_t>& inputs) {
    if (rows.empty()) return numbered(op, inputs);
    const std::string row = rows.front();
    rows.erase(rows.begin());
    return only(tile(builder_, op, {row, constant(1)},
                     [&](const Tile& one) { return rowByRow(one.op, rows, inputs); }));
  }

  ir::Block numbered(const ir::StructuredOp& op, const std::vector<size_t>& inputs) {
    ir::Block block;
    auto elementOf = [&](size_t input) -> std::optional<Element> {
      if (!llvm::is_contained(inputs, input)) return std::nullopt;
      return Element{op.inputs[input].tensor, op.inputs[input].map};
    };
    const ir::StructuredOp plain = readElements(builder_, signs_, tileOf(op), op, elementOf, block);
    append(block, byPositions(plain, *ir::guardOf(plain)));
    std::vector<ir::Condition> any = isAny(op);
    return any.empty() ? block : only({ir::If{std::move(any), std::move(block), {}}});
  }

  // What has to hold for the op to have an iteration: an element that none asks for need not exist.
  std::vector<ir::Condition> isAny(const ir::StructuredOp& op) const {
    std::vector<ir::Condition> conditions;
    for (const ir::Iterator& i : op.iterators) {
      const Expr extent = builder_.extent(op, i.name);
      const auto symbol = extent.asSymbol();
      const bool isPositive =
          extent.asConstant().value_or(0) > 0 || (symbol && tileSizes_.count(*symbol) != 0);
      if (!isPositive) conditions.push_back({ir::Condition::Kind::Less, constant(0), extent});
    }
    return conditions;
  }

  bool isRow(const ir::StructuredOp& op, const std::string& iterator) const {
    const bool isAhead =
        (op.ahead && op.ahead->iterator == iterator) || (op.own && op.own->iterator == iterator);
    return ir::isParallel(op, iterator) && !isAhead && isInViews(op, iterator);
  }

  // ---- Positions ----

  // Whether a condition holds at all positions of the op: such a one is there for lanes behind the end, which
  // transforms/accumulate.h keeps as they are.
  bool isOfLanes(const ir::Guard& guard, const std::vector<facts::Span>& tile) const {
    return llvm::any_of(guard.notNegative, [&](const Expr& e) {
      const auto least = facts::leastIn(signs_, e, tile);
      return least && least->asConstant().value_or(-1) >= 0;
    });
  }

  // The iterator that answers most conditions; of several the innermost.
  Cut cutOf(const ir::StructuredOp& op, const ir::Guard& guard,
            const std::vector<facts::Span>& tile) const {
    Cut best{"", {}, guard, {}};
    bool isFirstReduction = true;
    for (const ir::Iterator& i : op.iterators) {
      const bool mayBeCut = i.kind == ir::IteratorKind::Parallel || isFirstReduction;
      isFirstReduction &= i.kind == ir::IteratorKind::Parallel;
      if (!mayBeCut || !isLoop(op, i.name)) continue;
      Cut cut{i.name, {}, {{}, guard.others}, {}};
      for (const Expr& e : guard.notNegative) {
        const auto ends = facts::endsIn(signs_, {{e}, {}}, i.name, tile);
        const bool isAnswered = !ends.some.from.empty() || !ends.some.below.empty();
        (isAnswered ? cut.answered : cut.others).notNegative.push_back(e);
      }
      cut.ends = facts::endsIn(signs_, cut.answered, i.name, tile);
      if (!cut.answered.isEmpty() &&
          cut.answered.notNegative.size() >= best.answered.notNegative.size())
        best = std::move(cut);
    }
    return best;
  }

  // Views can be made of part of its positions.
  static bool isInViews(const ir::StructuredOp& op, const std::string& iterator) {
    const bool isAxis =
        llvm::any_of(op.axes, [&](const ir::Axis& axis) { return axis.name == iterator; });
    if (isAxis || llvm::is_contained(op.unrolled, iterator)) return false;
    for (size_t i = 0; i < op.operandCount(); ++i)
      if (!ir::isPlain(op.operand(i))) return false;
    return true;
  }
  // And there are many.
  bool isLoop(const ir::StructuredOp& op, const std::string& iterator) const {
    return isInViews(op, iterator) &&
           builder_.extent(op, iterator).asConstant().value_or(kFewPositions) >= kFewPositions;
  }

  // ---- Along an iterator ----

  // Positions with no test, and in front and behind those with one.
  ir::Block pieces(const ir::StructuredOp& op, const Cut& cut) {
    if (cut.along.empty()) return only({op});
    const ir::StructuredOp plain = ir::withGuard(op, cut.others);
    ir::Block block;
    const Expr extent = builder_.extent(op, cut.along);
    const facts::Limits &some = cut.ends.some, &all = cut.ends.all;
    // Where there is but one position beside those of the iterator, an end is one, and nothing needs a test.
    const bool fromSome = some.from != all.from, belowSome = some.below != all.below;
    const Expr from = most(some.from, constant(0), block), below = least(some.below, extent, block),
               insideFrom = fromSome ? most(all.from, constant(0), block) : from,
               insideBelow = belowSome ? least(all.below, extent, block) : below;
    if (fromSome) piece(op, cut.along, from, least({insideFrom}, below, block), block);
    piece(plain, cut.along, insideFrom, insideBelow, block);
    if (belowSome) piece(op, cut.along, most({insideBelow}, insideFrom, block), below, block);
    return block;
  }

  // All positions that are not outside, with a test.
  ir::Block reached(const ir::StructuredOp& op, const Cut& cut) {
    if (cut.along.empty()) return only({op});
    ir::Block block;
    const Expr from = most(cut.ends.some.from, constant(0), block),
               below = least(cut.ends.some.below, builder_.extent(op, cut.along), block);
    piece(op, cut.along, from, below, block);
    return block;
  }

  void piece(const ir::StructuredOp& op, const std::string& along, const Expr& from,
             const Expr& below, ir::Block& block) {
    ir::Block inside;
    ir::StructuredOp part = onPositions(builder_, op, along, {{along, below - from, constant(1)}},
                                        from, "_in_" + along, inside);
    inside.push_back({std::move(part)});
    block.push_back({ir::If{{{ir::Condition::Kind::Less, from, below}}, std::move(inside), {}}});
  }

  // The least of these, and the most, as a name.
  Expr least(std::vector<Expr> of, const Expr& first, ir::Block& block) {
    if (of.empty()) return first;
    of.insert(of.begin(), first);
    ir::Bound bound{builder_.name("end"), std::move(of)};
    signs_.enter(bound);
    block.push_back({bound});
    return size(bound.name);
  }
  Expr most(std::vector<Expr> of, const Expr& first, ir::Block& block) {
    for (Expr& e : of) e = -e;
    return of.empty() ? first : -least(std::move(of), -first, block);
  }

  Builder builder_;
  facts::Signs signs_;
  std::set<std::string> tileSizes_;  // those around, which are at least 1
};

}  // namespace

ir::Kernel trim(ir::Kernel kernel) {
  ir::Block body = std::move(kernel.body);
  kernel.body = {};
  bool any = false;
  ir::forEachOp(body, [&](const ir::StructuredOp& op) { any |= ir::guardOf(op).has_value(); });
  if (!any) {
    kernel.body = std::move(body);
    return kernel;
  }
  kernel.body = body;
  ir::Block trimmed = Trimmer(kernel).run(std::move(body));
  kernel.body = std::move(trimmed);
  return kernel;
}

}  // namespace einc::transforms
