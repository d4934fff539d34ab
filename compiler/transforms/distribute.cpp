// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/distribute.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "compiler/facts/aliasing.h"
#include "compiler/facts/views.h"
#include "compiler/transforms/builder.h"
#include "compiler/transforms/rewrite.h"
#include "compiler/transforms/tile.h"
#include "compiler/transforms/unused.h"

namespace einc::transforms {
namespace {

using affine::Expr;
using ir::On;

On along(On first, size_t dim) { return static_cast<On>(static_cast<size_t>(first) + dim); }

bool isParallel(const ir::Stmt& stmt) {
  auto* loop = std::get_if<ir::TileLoop>(&stmt.node);
  return loop && loop->kind == ir::IteratorKind::Parallel;
}

// Bounds and views may stand between the loops of a nest.
bool isName(const ir::Stmt& stmt) {
  return std::holds_alternative<ir::Bound>(stmt.node) ||
         std::holds_alternative<ir::View>(stmt.node);
}

// A perfect nest of parallel loops: each with the names that stand before it in the one around it.
struct Nest {
  struct Level {
    ir::Block names;
    ir::TileLoop loop;  // without its body
  };
  std::vector<Level> levels;  // outermost first
  ir::Block body;
};

Nest nestOf(ir::TileLoop outermost) {
  Nest nest;
  nest.body = std::move(outermost.body);
  nest.levels.push_back({{}, std::move(outermost)});
  while (!nest.body.empty() && isParallel(nest.body.back()) &&
         std::all_of(nest.body.begin(), nest.body.end() - 1, isName)) {
    ir::TileLoop loop = std::move(std::get<ir::TileLoop>(nest.body.back().node));
    nest.body.pop_back();
    ir::Block names = std::exchange(nest.body, std::move(loop.body));
    nest.levels.push_back({std::move(names), std::move(loop)});
  }
  return nest;
}

ir::Block nested(std::vector<Nest::Level> levels, ir::Block body) {
  while (!levels.empty()) {
    ir::Block outer = std::move(levels.back().names);
    levels.back().loop.body = std::move(body);
    outer.push_back({std::move(levels.back().loop)});
    body = std::move(outer);
    levels.pop_back();
  }
  return body;
}

// Of a nest whose outermost loop says where it runs: those that do. The others are in their body.
void keepBound(Nest& nest) {
  size_t bound = 0;
  const bool isOnGroups = ir::isOnWorkgroups(nest.levels[0].loop.on);
  auto alike = [&](On on) { return on != On::Order && ir::isOnWorkgroups(on) == isOnGroups; };
  while (bound < nest.levels.size() && alike(nest.levels[bound].loop.on)) ++bound;
  std::vector<Nest::Level> others(std::make_move_iterator(nest.levels.begin() + bound),
                                  std::make_move_iterator(nest.levels.end()));
  nest.levels.resize(bound);
  nest.body = nested(std::move(others), std::move(nest.body));
}

bool isBound(const ir::Stmt& stmt) {
  auto* loop = std::get_if<ir::TileLoop>(&stmt.node);
  return loop && loop->on != On::Order;
}

bool anyBound(const ir::Block& block) {
  bool found = false;
  ir::forEachStatement(block, [&](const ir::Stmt& stmt) { found |= isBound(stmt); });
  return found;
}

// How often each loop goes round, where all are by 1 and constants, x (innermost) first.
std::optional<std::array<int64_t, 3>> shapeOf(const Nest& nest) {
  if (nest.levels.size() > 3) return std::nullopt;
  std::array<int64_t, 3> shape = {1, 1, 1};
  for (size_t i = 0; i < nest.levels.size(); ++i) {
    const ir::TileLoop& loop = nest.levels[nest.levels.size() - 1 - i].loop;
    auto extent = loop.extent.asConstant();
    if (loop.step.asConstant() != 1 || !extent || *extent < 1) return std::nullopt;
    shape[i] = *extent;
  }
  return shape;
}

int64_t product(const std::array<int64_t, 3>& shape) { return shape[0] * shape[1] * shape[2]; }

// The iterator as a symbol, which a bound gives its value.
void nameIterator(ir::Kernel& kernel, ir::Block& block, const std::string& name) {
  auto replace = [&](const affine::Atom& atom) -> std::optional<Expr> {
    bool same = atom.kind == affine::Atom::Kind::Iterator && atom.name == name;
    return same ? std::optional(size(name)) : std::nullopt;
  };
  rewriteBlock(
      block, [&](const Expr& e) { return e.substitute(replace); },
      [](const ir::ValueRef& value) { return value; });
  ir::forEachStatement(block, [&](const ir::Stmt& stmt) {
    std::optional<unsigned> declared;
    if (auto* view = std::get_if<ir::View>(&stmt.node)) declared = view->view;
    if (auto* alloc = std::get_if<ir::Alloc>(&stmt.node)) declared = alloc->tensor;
    if (!declared) return;
    for (Expr& e : kernel.tensors[*declared].shape) e = e.substitute(replace);
  });
}

class Distribution {
 public:
  Distribution(ir::Kernel& kernel, int64_t invocations)
      : builder_(kernel), kernel_(kernel), invocations_(invocations) {}

  // What the host does; nests and ops become dispatches.
  ir::Block host(ir::Block statements) {
    ir::Block result;
    for (ir::Stmt& stmt : statements) {
      if (auto* op = std::get_if<ir::StructuredOp>(&stmt.node)) {
        ir::TileLoop loop = overOp(std::move(*op), result);
        append(result, dispatch(nestOf(std::move(loop))));
      } else if (isParallel(stmt)) {
        append(result, dispatch(nestOf(std::move(std::get<ir::TileLoop>(stmt.node)))));
      } else {
        for (ir::Block* inner : ir::blocksOf(stmt)) *inner = host(std::move(*inner));
        result.push_back(std::move(stmt));
      }
    }
    return result;
  }

 private:
  static ir::TileLoop loopBy1(const std::string& var, const std::string& size, const Expr& extent) {
    return {var, size, extent, constant(1), ir::IteratorKind::Parallel, std::nullopt, {}};
  }

  // An op whose parallel iterators are loops by 1; in one of one round where it has none. What has
  // to be named before goes to `names`.
  ir::TileLoop overOp(ir::StructuredOp op, ir::Block& names) {
    canonicalize(builder_, op, names);
    std::vector<Nest::Level> levels;
    ir::Block inside;
    auto enter = [&](const std::string& wanted, const Expr& extent) {
      std::string var = builder_.name(wanted);
      levels.push_back(
          {std::exchange(inside, {}), loopBy1(var, builder_.name(var + "_size"), extent)});
      return var;
    };
    for (const ir::Iterator& i : std::vector(op.iterators)) {
      if (i.kind != ir::IteratorKind::Parallel || isAxis(op, i.name)) continue;
      std::string var = enter(i.name + "0", builder_.extent(op, i.name));
      op = onPositions(builder_, op, i.name, {}, at(var), "_" + var, inside);
    }
    if (levels.empty()) enter("one", constant(1));
    inside.push_back({std::move(op)});
    ir::Block whole = nested(std::move(levels), std::move(inside));
    return std::move(std::get<ir::TileLoop>(whole[0].node));
  }

  static bool isAxis(const ir::StructuredOp& op, const std::string& iterator) {
    return std::any_of(op.axes.begin(), op.axes.end(),
                       [&](const ir::Axis& axis) { return axis.name == iterator; });
  }

  ir::Block dispatch(Nest nest) {
    bool shares = false, keeps = false;
    ir::forEachStatement(nest.body, [&](const ir::Stmt& stmt) {
      auto* alloc = std::get_if<ir::Alloc>(&stmt.node);
      shares |= alloc && alloc->space == ir::Space::Workgroup;
      keeps |= alloc && alloc->space == ir::Space::Registers;
    });
    const On on = nest.levels[0].loop.on;
    if (on != On::Order) keepBound(nest);
    const bool inGroups = shares || keeps || ir::isOnWorkgroups(on);
    ir::Dispatch result{builder_.name(keeps ? "tiles" : inGroups ? "rows" : "grid"), {}, {}};
    ir::Block before;
    if (inGroups) {
      shape_ = workgroupShape(nest.body).value_or(std::array<int64_t, 3>{invocations_, 1, 1});
      result.invocations = shape_;
      result.body = onWorkgroups(std::move(nest), before);
    } else {
      result.invocations = {invocations_, 1, 1};
      result.body = collapsed(std::move(nest), On::Grid, before);
    }
    before.push_back({std::move(result)});
    return before;
  }

  // The number by a name, which a statement in `before` gives it, unless it is short.
  Expr named(const std::string& wanted, const Expr& number, ir::Block& before) {
    if (number.asConstant() || number.asSymbol()) return number;
    std::string name = builder_.name(wanted);
    before.push_back({ir::Bound{name, {number}}});
    return size(name);
  }

  // All loops of the nest as one; how often they go round stands in `before`.
  ir::Block collapsed(Nest nest, On on, ir::Block& before) {
    if (nest.levels.size() == 1) {
      ir::TileLoop& loop = nest.levels[0].loop;
      loop.on = on;
      loop.extent = named("positions", loop.extent, before);
      return nested(std::move(nest.levels), std::move(nest.body));
    }
    std::string var = builder_.name("i");
    Expr rounds = constant(1);
    std::vector<Expr> index(nest.levels.size());
    for (size_t l = nest.levels.size(); l-- > 0;) {
      const ir::TileLoop& loop = nest.levels[l].loop;
      Expr own = named(loop.var + "_count", loop.extent.ceilDiv(loop.step), before);
      Expr outer = at(var).floorDiv(rounds);
      index[l] = (l == 0 ? outer : outer.mod(own)) * loop.step;
      rounds = rounds * own;
    }
    ir::TileLoop whole =
        loopBy1(var, builder_.name(var + "_size"), named("positions", rounds, before));
    whole.on = on;
    whole.body = positioned(std::move(nest), index);
    return only({std::move(whole)});
  }

  // What the nest does at these positions.
  ir::Block positioned(Nest nest, const std::vector<Expr>& index) {
    ir::Block result;
    for (size_t l = 0; l < nest.levels.size(); ++l) {
      ir::TileLoop& loop = nest.levels[l].loop;
      append(result, std::move(nest.levels[l].names));
      result.push_back({ir::Bound{loop.var, {index[l]}}});
      result.push_back({ir::Bound{loop.size, {loop.step, loop.extent - size(loop.var)}}});
    }
    append(result, std::move(nest.body));
    for (const Nest::Level& level : nest.levels) nameIterator(kernel_, result, level.loop.var);
    return result;
  }

  // How often each loop goes round, outermost first, where the inner ones go round as often as a
  // part of the invocations, and the outermost one makes whole rounds of all of them.
  std::optional<std::vector<int64_t>> wholeRounds(const Nest& nest) const {
    std::vector<int64_t> counts;
    for (const Nest::Level& level : nest.levels)
      counts.push_back(level.loop.extent.ceilDiv(level.loop.step).asConstant().value_or(0));
    int64_t inner = 1, all = product(shape_);
    for (size_t l = counts.size() - 1; l > 0; --l) {
      inner *= counts[l];
      if (inner < 1 || all % inner != 0) return std::nullopt;
    }
    bool whole = counts[0] * inner > all && counts[0] * inner % all == 0;
    return whole ? std::optional(std::move(counts)) : std::nullopt;
  }

  // These rounds in order: what the number of an invocation is divided into is the same in all.
  ir::Block inRounds(Nest nest, const std::vector<int64_t>& counts) {
    const int64_t all = product(shape_);
    std::string var = builder_.name("i"), turn = builder_.name("turn");
    std::vector<Expr> index(counts.size());
    int64_t inner = 1;
    for (size_t l = counts.size(); l-- > 0; inner *= counts[l]) {
      Expr number = at(var).floorDiv(constant(inner));
      number = l > 0 ? number.mod(constant(counts[l])) : at(turn) * constant(all / inner) + number;
      index[l] = number * nest.levels[l].loop.step;
    }
    ir::TileLoop whole = loopBy1(var, builder_.name(var + "_size"), constant(all));
    whole.on = On::Invocations;
    whole.body = positioned(std::move(nest), index);
    ir::TileLoop rounds = loopBy1(turn, builder_.name(turn + "_size"), constant(inner / all));
    rounds.body = only({std::move(whole)});
    return only({std::move(rounds)});
  }

  // The last loops along x, y and z; those around them along z, too.
  ir::Block onWorkgroups(Nest nest, ir::Block& before) {
    ir::Block body = workgroup(std::move(nest.body));
    std::vector<Nest::Level>& levels = nest.levels;
    for (size_t dim = 0; dim < 2 && !levels.empty(); ++dim) {
      levels.back().loop.on = along(On::WorkgroupsX, dim);
      ir::Block names = std::exchange(levels.back().names, {});
      std::vector<Nest::Level> one;
      one.push_back({std::move(names), std::move(levels.back().loop)});
      levels.pop_back();
      body = nested(std::move(one), std::move(body));
    }
    if (levels.empty()) return body;
    return collapsed({std::move(levels), std::move(body)}, On::WorkgroupsZ, before);
  }

  // Of the nests in a workgroup that give each round an invocation: that of the first one of those with the most.
  std::optional<std::array<int64_t, 3>> workgroupShape(const ir::Block& block) const {
    std::optional<std::array<int64_t, 3>> best;
    auto take = [&](const std::optional<std::array<int64_t, 3>>& shape) {
      if (shape && product(*shape) <= invocations_ && (!best || product(*shape) > product(*best)))
        best = shape;
    };
    for (const ir::Stmt& stmt : block) {
      if (isParallel(stmt)) {
        Nest nest = nestOf(std::get<ir::TileLoop>(stmt.node));
        if (nest.levels[0].loop.on != On::Order) keepBound(nest);
        take(shapeOf(nest));
        continue;
      }
      for (const ir::Block* inner : ir::blocksOf(stmt)) take(workgroupShape(*inner));
    }
    return best;
  }

  // ---- In a workgroup ----

  struct Accesses {
    std::set<unsigned> reads, writes;
    void add(const Accesses& other) {
      reads.insert(other.reads.begin(), other.reads.end());
      writes.insert(other.writes.begin(), other.writes.end());
    }
    bool touches(const std::set<unsigned>& tensors) const {
      auto in = [&](unsigned t) { return tensors.count(t) != 0; };
      return std::any_of(reads.begin(), reads.end(), in) ||
             std::any_of(writes.begin(), writes.end(), in);
    }
    // Whether `later` has to wait for these.
    bool delays(const Accesses& later) const {
      auto written = [&](unsigned t) { return later.writes.count(t) != 0; };
      return later.touches(writes) || std::any_of(reads.begin(), reads.end(), written);
    }
    // What is written to other memory than that of the workgroup.
    std::set<unsigned> writesWithout(const std::set<unsigned>& shared) const {
      std::set<unsigned> result;
      std::set_difference(writes.begin(), writes.end(), shared.begin(), shared.end(),
                          std::inserter(result, result.end()));
      return result;
    }
  };

  // What all invocations do; barriers are put where they have to wait for each other.
  ir::Block workgroup(ir::Block statements) {
    Accesses open;  // since the last barrier
    return workgroup(std::move(statements), open);
  }

  ir::Block workgroup(ir::Block statements, Accesses& open) {
    ir::Block result;
    for (ir::Stmt& stmt : statements) {
      note(stmt);
      if (auto* op = std::get_if<ir::StructuredOp>(&stmt.node)) {
        size_t before = result.size();
        ir::TileLoop loop = overOp(std::move(*op), result);
        for (size_t i = before; i < result.size(); ++i) note(result[i]);
        stmt = {std::move(loop)};
      }
      if (isParallel(stmt) && (isBound(stmt) || !anyBound(ir::Block{stmt}))) {
        Accesses own = accesses(stmt);
        wait(open, own, result);
        open.add(own);
        append(result, onInvocations(nestOf(std::move(std::get<ir::TileLoop>(stmt.node)))));
        continue;
      }
      if (ir::blocksOf(stmt).empty()) {
        result.push_back(std::move(stmt));
        continue;
      }
      inOrder(stmt, open, result);
    }
    return result;
  }

  // A barrier where `next` has to wait. What it does not show stays open.
  void wait(Accesses& open, const Accesses& next, ir::Block& block) const {
    if (!open.delays(next)) return;
    std::set<unsigned> elsewhere = open.writesWithout(shared_);
    bool buffers = next.touches(elsewhere);
    block.push_back({ir::Barrier{buffers}});
    open = {{}, buffers ? std::set<unsigned>() : std::move(elsewhere)};
  }

  // A loop in order, or a condition. What a round leaves open may delay the next round.
  void inOrder(ir::Stmt& stmt, Accesses& open, ir::Block& result) {
    bool loops = std::holds_alternative<ir::TileLoop>(stmt.node);
    Accesses all = accesses(stmt), after;
    wait(open, all, result);
    for (ir::Block* inner : ir::blocksOf(stmt)) {
      Accesses own = open;
      *inner = workgroup(std::move(*inner), own);
      if (loops) wait(own, all, *inner);
      after.add(own);
    }
    open.add(after);
    result.push_back(std::move(stmt));
  }

  ir::Block onInvocations(Nest nest) {
    if (nest.levels[0].loop.on != On::Order) keepBound(nest);
    if (shapeOf(nest) != shape_) {
      if (auto counts = wholeRounds(nest)) return inRounds(std::move(nest), *counts);
      ir::Block before, loop = collapsed(std::move(nest), On::Invocations, before);
      append(before, std::move(loop));
      return before;
    }
    for (size_t i = 0; i < nest.levels.size(); ++i)
      nest.levels[nest.levels.size() - 1 - i].loop.on = along(On::InvocationsX, i);
    return nested(std::move(nest.levels), std::move(nest.body));
  }

  // Views and memory that are declared on the way.
  void note(const ir::Stmt& stmt) {
    if (auto* view = std::get_if<ir::View>(&stmt.node)) views_.enter(*view);
    if (auto* alloc = std::get_if<ir::Alloc>(&stmt.node)) {
      if (alloc->space == ir::Space::Workgroup) shared_.insert(alloc->tensor);
      if (alloc->space == ir::Space::Registers || alloc->space == ir::Space::Stack)
        own_.insert(alloc->tensor);
    }
    for (const ir::Block* inner : ir::blocksOf(stmt))
      for (const ir::Stmt& s : *inner) note(s);
  }

  Accesses accesses(const ir::Stmt& stmt) {
    note(stmt);
    Accesses result;
    auto add = [&](std::set<unsigned>& to, unsigned tensor) {
      tensor = views_.rootOf(tensor);
      if (own_.count(tensor) == 0) to.insert(facts::placeByType(kernel_, tensor));
    };
    auto visit = [&](const ir::StructuredOp& op) {
      for (size_t i = 0; i < op.operandCount(); ++i)
        if (ir::readsOperand(op, i)) add(result.reads, op.operand(i).tensor);
      for (const ir::Operand& output : op.outputs) add(result.writes, output.tensor);
    };
    if (auto* op = std::get_if<ir::StructuredOp>(&stmt.node)) visit(*op);
    for (const ir::Block* inner : ir::blocksOf(stmt)) ir::forEachOp(*inner, visit);
    return result;
  }

  Builder builder_;
  ir::Kernel& kernel_;
  int64_t invocations_;
  std::array<int64_t, 3> shape_ = {1, 1, 1};  // of the dispatch
  facts::Views views_{kernel_};
  std::set<unsigned> own_;     // memory of one invocation
  std::set<unsigned> shared_;  // memory of the workgroup
};

}  // namespace

ir::Kernel distribute(const ir::Kernel& kernel, int64_t invocations) {
  ir::Kernel result = kernel;
  result.body = Distribution(result, invocations).host(kernel.body);
  dropUnused(result);  // sizes of tiles by 1
  return result;
}

}  // namespace einc::transforms
