// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/unroll.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "compiler/facts/facts.h"
#include "compiler/ir/instruction.h"
#include "compiler/transforms/blocks.h"
#include "compiler/transforms/builder.h"
#include "compiler/transforms/cast_loads.h"
#include "compiler/transforms/compute_loads.h"
#include "compiler/transforms/lanes.h"
#include "compiler/transforms/repeat.h"
#include "compiler/transforms/share_terms.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::transforms {
namespace {

using Position = std::map<std::string, int64_t>;  // of the axes that are not along the lanes

class RegionUnroller : Lanes {
 public:
  RegionUnroller(Builder& builder, const ir::Vector& region, const VectorShape& shape,
                 const facts::Views& views)
      : Lanes(region, shape), builder_(builder), views_(views) {
    if (shape.lanes > 1) chooseSpread();
  }

  ir::Block run() {
    ir::Block body = block(region_.body);
    if (lanesAxis_.empty() || widths_.empty()) return body;
    ir::Vector result;
    for (int64_t width : widths_) result.axes.push_back({axisOf(width), width});
    result.body = std::move(body);
    ir::Block block;
    block.push_back({std::move(result)});
    return block;
  }

 private:
  // What is read along another axis, for all lanes alike: vectors of it are read, where all lanes
  // are vectors of that size.
  void chooseSpread() {
    if (widths_.size() != 1 || sizeOf(lanesAxis_) % width_ != 0) return;
    std::map<std::string, bool> found;
    ir::forEachStatement(region_.body, [&](const ir::Stmt& stmt) {
      auto* let = std::get_if<ir::Let>(&stmt.node);
      if (let) {
        variables_[let->name] = let->axes;
        if (isReadAcross(*let)) found[let->name] = true;
      }
      bool hasLanes = llvm::is_contained(axesOf(stmt), lanesAxis_);
      ir::ValueRef value = ir::valueOf(stmt);
      if (!value || hasLanes) return;
      ir::forEach(value, [&](const ir::Value& v) {
        auto* variable = std::get_if<ir::Variable>(&v.node);
        if (variable && found.count(variable->name)) found[variable->name] = false;
      });
    });
    for (const auto& [name, isSpread] : found)
      if (isSpread) spread_.insert(name);
  }
  bool isReadAcross(const ir::Let& let) const {
    auto* load = std::get_if<ir::Load>(&let.value->node);
    return load && !load->pad && load->unit != lanesAxis_ && isAxis(load->unit) &&
           sizeOf(load->unit) % width_ == 0 && !llvm::is_contained(let.axes, lanesAxis_);
  }

  std::string axisOf(int64_t width) const {
    return widths_.size() == 1 ? lanesAxis_ : lanesAxis_ + std::to_string(width);
  }

  // ---- Statements ----

  ir::Block block(const ir::Block& statements) {
    ir::Block result;
    std::vector<const ir::Stmt*> group;
    auto flush = [&] {
      unrollGroup(group, 0, {}, result);
      group.clear();
    };
    for (const ir::Stmt& stmt : statements) {
      if (auto* let = std::get_if<ir::Let>(&stmt.node)) variables_[let->name] = let->axes;
      bool waits = llvm::any_of(
          group, [&](const ir::Stmt* other) { return waitsFor(stmt, *other, views_); });
      if (waits || (!group.empty() && ir::isWrittenAfter(*group.back(), stmt))) flush();
      if (!isBarrier(stmt)) {
        group.push_back(&stmt);
        continue;
      }
      flush();
      auto* store = std::get_if<ir::Store>(&stmt.node);
      auto* let = std::get_if<ir::Let>(&stmt.node);
      if (store && transposes(*store)) {
        squares(axesOf(stmt), store->unit, [&](const Position& position, int64_t from, size_t c) {
          turnStore(*store, position, from, c, result);
        });
      } else if (let && transposes(*let)) {
        squares(let->axes, std::get<ir::Load>(let->value->node).unit,
                [&](const Position& position, int64_t from, size_t c) {
                  turnLoad(*let, position, from, c, result);
                });
      } else if (ir::blocksOf(stmt).empty()) {
        unrollGroup({&stmt}, 0, {}, result);
      } else {
        ir::Stmt copy = stmt;
        for (ir::Block* inner : ir::blocksOf(copy)) *inner = block(*inner);
        result.push_back(std::move(copy));
      }
    }
    flush();
    return result;
  }

  // Statements that do not depend on axis number `axis` come first, then the others position by
  // position.
  void unrollGroup(const std::vector<const ir::Stmt*>& group, size_t axis, const Position& position,
                   ir::Block& out) {
    if (axis == region_.axes.size()) {
      for (const ir::Stmt* stmt : group) unrollChunks(*stmt, position, out);
      return;
    }
    const ir::Axis& a = region_.axes[axis];
    if (a.name == lanesAxis_) return unrollGroup(group, axis + 1, position, out);
    std::vector<const ir::Stmt*> free, bound;
    for (const ir::Stmt* stmt : group)
      (llvm::is_contained(axesOf(*stmt), a.name) ? bound : free).push_back(stmt);
    if (!free.empty()) unrollGroup(free, axis + 1, position, out);
    for (int64_t i = 0; i < a.size && !bound.empty(); ++i) {
      Position inner = position;
      inner[a.name] = i;
      unrollGroup(bound, axis + 1, inner, out);
    }
  }

  void unrollChunks(const ir::Stmt& stmt, const Position& position, ir::Block& out) {
    std::vector<std::string> axes = axesOf(stmt);
    bool alongLanes = llvm::is_contained(axes, lanesAxis_);
    for (size_t c = 0; c < (alongLanes ? chunks_.size() : 1); ++c) {
      Chunk chunk = alongLanes ? chunks_[c] : Chunk{0, 1};
      auto* let = std::get_if<ir::Let>(&stmt.node);
      if (let && spread_.count(let->name)) {
        spread(*let, position, out);
      } else if (let) {
        std::string name = builder_.name(let->name + suffix(axes, position, c));
        names_[key(let->name, axes, position, c)] = name;
        out.push_back({ir::Let{name, value(let->value, position, chunk, c), laneAxes(chunk)}});
      } else if (auto* assign = std::get_if<ir::Assign>(&stmt.node)) {
        out.push_back({ir::Assign{names_.at(key(assign->name, axes, position, c)),
                                  value(assign->value, position, chunk, c)}});
      } else if (auto* prefetch = std::get_if<ir::Prefetch>(&stmt.node)) {
        out.push_back({ir::Prefetch{prefetch->tensor, indices(prefetch->index, position, chunk),
                                    prefetch->far, prefetch->own}});
      } else {
        const auto& store = std::get<ir::Store>(stmt.node);
        ir::Store copy{store.tensor, indices(store.index, position, chunk),
                       value(store.value, position, chunk, c), unit(store.unit, chunk), store.clip};
        out.push_back({std::move(copy)});
      }
    }
  }

  // One element in all lanes. Where a vector begins it is read.
  void spread(const ir::Let& let, const Position& position, ir::Block& out) {
    const auto& load = std::get<ir::Load>(let.value->node);
    const std::string axis = axisOf(width_);
    int64_t number = position.at(load.unit), lane = number % width_;
    Position first = position;
    first[load.unit] = number - lane;
    std::string& row = rows_[key(let.name, let.axes, first, 0)];
    if (lane == 0) {
      row = builder_.name(let.name + "_row");
      ir::Load read{load.tensor, alongUnit(load.index, load.unit, position, number, 0), nullptr,
                    axis};
      out.push_back({ir::Let{row, ir::makeValue(let.value->type, std::move(read)), {axis}}});
    }
    ir::ValueRef whole = ir::makeValue(let.value->type, ir::Variable{row});
    ir::Shuffle same{whole, whole, axis,
                     std::vector(static_cast<size_t>(width_), static_cast<unsigned>(lane))};
    std::string name = builder_.name(let.name + suffix(let.axes, position, 0));
    names_[key(let.name, let.axes, position, 0)] = name;
    out.push_back({ir::Let{name, ir::makeValue(let.value->type, std::move(same)), {axis}}});
  }

  // ---- Names ----

  std::string suffix(const std::vector<std::string>& axes, const Position& position,
                     size_t chunk) const {
    std::string text;
    for (const std::string& axis : otherAxes(axes)) text += "_" + std::to_string(position.at(axis));
    bool several = llvm::is_contained(axes, lanesAxis_) && chunks_.size() > 1;
    return several ? text + "_" + std::to_string(chunk) : text;
  }
  std::string key(const std::string& name, const std::vector<std::string>& axes,
                  const Position& position, size_t chunk) const {
    return name + suffix(axes, position, chunk);
  }
  std::vector<std::string> laneAxes(const Chunk& chunk) const {
    if (chunk.width == 1) return {};
    return {axisOf(chunk.width)};
  }
  std::string unit(const std::string& axis, const Chunk& chunk) const {
    return axis == lanesAxis_ && chunk.width > 1 ? axisOf(chunk.width) : "";
  }

  // ---- Values ----

  affine::Expr index(const affine::Expr& e, const Position& position, const Chunk& chunk) const {
    return e.substitute([&](const affine::Atom& atom) -> std::optional<affine::Expr> {
      if (atom.kind != affine::Atom::Kind::Iterator) return std::nullopt;
      if (auto found = position.find(atom.name); found != position.end())
        return constant(found->second);
      if (atom.name != lanesAxis_) return std::nullopt;
      if (chunk.width == 1) return constant(chunk.offset);
      return at(axisOf(chunk.width)) + constant(chunk.offset);
    });
  }
  std::vector<affine::Expr> indices(const std::vector<affine::Expr>& exprs,
                                    const Position& position, const Chunk& chunk) const {
    std::vector<affine::Expr> result;
    for (const affine::Expr& e : exprs) result.push_back(index(e, position, chunk));
    return result;
  }

  ir::ValueRef value(const ir::ValueRef& v, const Position& position, const Chunk& chunk,
                     size_t c) {
    if (auto* reduce = std::get_if<ir::Reduce>(&v->node))
      return reduction(v->type, *reduce, position, chunk, c);
    if (auto* call = std::get_if<ir::Call>(&v->node)) {
      ir::Call copy = *call;
      for (ir::ValueRef& arg : copy.args) arg = value(arg, position, chunk, c);
      return ir::makeValue(v->type, std::move(copy));
    }
    if (auto* instruct = std::get_if<ir::Instruct>(&v->node)) {
      ir::Instruct copy = *instruct;
      for (ir::ValueRef& arg : copy.args) arg = value(arg, position, chunk, c);
      return ir::makeValue(v->type, std::move(copy));
    }
    if (auto* cast = std::get_if<ir::Cast>(&v->node))
      return ir::makeValue(v->type, ir::Cast{value(cast->arg, position, chunk, c)});
    if (auto* load = std::get_if<ir::Load>(&v->node))
      return ir::makeValue(v->type, ir::Load{load->tensor, indices(load->index, position, chunk),
                                             load->pad, unit(load->unit, chunk)});
    if (auto* reference = std::get_if<ir::IndexRef>(&v->node))
      return ir::makeValue(v->type, ir::IndexRef{index(reference->index, position, chunk)});
    if (auto* variable = std::get_if<ir::Variable>(&v->node)) {
      auto declared = variables_.find(variable->name);
      if (declared == variables_.end()) return v;  // from outside the region
      return ir::makeValue(
          v->type, ir::Variable{names_.at(key(variable->name, declared->second, position, c))});
    }
    return v;
  }

  // Vectors of one width are combined before one of them is reduced.
  ir::ValueRef reduction(ir::ScalarType type, const ir::Reduce& reduce, const Position& position,
                         const Chunk& chunk, size_t c) {
    auto combined = [&](ir::ValueRef& sum, ir::ValueRef next) {
      sum = sum ? ir::makeCall(reduce.function, {sum, std::move(next)}) : std::move(next);
    };
    ir::ValueRef total;
    if (reduce.axis != lanesAxis_) {
      for (int64_t i = 0; i < sizeOf(reduce.axis); ++i) {
        Position inner = position;
        inner[reduce.axis] = i;
        combined(total, value(reduce.arg, inner, chunk, c));
      }
      return total;
    }
    std::map<int64_t, ir::ValueRef> byWidth;
    for (size_t i = 0; i < chunks_.size(); ++i)
      combined(byWidth[chunks_[i].width], value(reduce.arg, position, chunks_[i], i));
    for (auto it = byWidth.rbegin(); it != byWidth.rend(); ++it)
      combined(total, it->first == 1
                          ? it->second
                          : ir::makeValue(
                                type, ir::Reduce{reduce.function, axisOf(it->first), it->second}));
    return total;
  }

  // ---- Transposes ----

  // For all squares along `unit` and the lanes, at each position of the other axes: the first
  // position along `unit`, and the chunk.
  using OnSquare = std::function<void(const Position&, int64_t, size_t)>;
  void squares(const std::vector<std::string>& axes, const std::string& unit,
               const OnSquare& onSquare, size_t next = 0, const Position& position = {}) {
    if (next == axes.size()) {
      for (int64_t from = 0; from < sizeOf(unit); from += width_)
        for (size_t c = 0; c < chunks_.size(); ++c) onSquare(position, from, c);
      return;
    }
    bool ofSquare = axes[next] == lanesAxis_ || axes[next] == unit;
    for (int64_t i = 0; i < (ofSquare ? 1 : sizeOf(axes[next])); ++i) {
      Position inner = position;
      if (!ofSquare) inner[axes[next]] = i;
      squares(axes, unit, onSquare, next + 1, inner);
    }
  }

  // A value whose lanes lie along one axis goes to a tensor that is contiguous along another.
  void turnStore(const ir::Store& store, const Position& position, int64_t from, size_t c,
                 ir::Block& out) {
    std::vector<std::string> rows;
    for (int64_t i = 0; i < width_; ++i) {
      Position row = position;
      row[store.unit] = from + i;
      rows.push_back(builder_.name("row"));
      out.push_back(
          {ir::Let{rows.back(), value(store.value, row, chunks_[c], c), laneAxes(chunks_[c])}});
    }
    rows = transposed(store.value->type, std::move(rows), out);
    for (int64_t i = 0; i < width_; ++i)
      out.push_back({ir::Store{
          store.tensor, alongUnit(store.index, store.unit, position, from, chunks_[c].offset + i),
          ir::makeValue(store.value->type, ir::Variable{rows[static_cast<size_t>(i)]}),
          axisOf(width_), store.clip}});
  }

  // The other way round: each vector that is read has elements for all positions along `unit`.
  void turnLoad(const ir::Let& let, const Position& position, int64_t from, size_t c,
                ir::Block& out) {
    const auto& load = std::get<ir::Load>(let.value->node);
    ir::ScalarType type = let.value->type;
    std::vector<std::string> rows;
    for (int64_t i = 0; i < width_; ++i) {
      rows.push_back(builder_.name("row"));
      ir::Load row{load.tensor,
                   alongUnit(load.index, load.unit, position, from, chunks_[c].offset + i),
                   load.pad, axisOf(width_)};
      out.push_back({ir::Let{rows.back(), ir::makeValue(type, std::move(row)), {axisOf(width_)}}});
    }
    rows = transposed(type, std::move(rows), out);
    for (int64_t i = 0; i < width_; ++i) {
      Position at = position;
      at[load.unit] = from + i;
      names_[key(let.name, let.axes, at, c)] = rows[static_cast<size_t>(i)];
    }
  }

  // The indices of a vector along `unit` from `from` on, at position `lane` of the lanes' axis.
  std::vector<affine::Expr> alongUnit(const std::vector<affine::Expr>& exprs,
                                      const std::string& unit, const Position& position,
                                      int64_t from, int64_t lane) const {
    std::vector<affine::Expr> result;
    for (const affine::Expr& e : exprs)
      result.push_back(e.substitute([&](const affine::Atom& atom) -> std::optional<affine::Expr> {
        if (atom.kind != affine::Atom::Kind::Iterator) return std::nullopt;
        if (atom.name == unit) return at(axisOf(width_)) + constant(from);
        if (atom.name == lanesAxis_) return constant(lane);
        if (auto found = position.find(atom.name); found != position.end())
          return constant(found->second);
        return std::nullopt;
      }));
    return result;
  }

  // Rows as columns.
  std::vector<std::string> transposed(ir::ScalarType type, std::vector<std::string> rows,
                                      ir::Block& out) {
    for (int64_t d = 1; d < width_; d *= 2) rows = exchange(type, rows, d, out);
    return rows;
  }

  std::vector<std::string> exchange(ir::ScalarType type, const std::vector<std::string>& rows,
                                    int64_t d, ir::Block& out) {
    std::vector<std::string> result(rows.size());
    for (size_t i = 0; i < rows.size(); ++i) {
      size_t upper = i & ~static_cast<size_t>(d), lower = upper + static_cast<size_t>(d);
      ir::Shuffle shuffle{ir::makeValue(type, ir::Variable{rows[upper]}),
                          ir::makeValue(type, ir::Variable{rows[lower]}), axisOf(width_),
                          ir::exchangedLanes(static_cast<unsigned>(width_),
                                             static_cast<unsigned>(d), /*isLower=*/i != upper)};
      result[i] = builder_.name("row");
      out.push_back(
          {ir::Let{result[i], ir::makeValue(type, std::move(shuffle)), {axisOf(width_)}}});
    }
    return result;
  }

  Builder& builder_;
  const facts::Views& views_;
  std::map<std::string, std::string> names_;
  std::set<std::string> spread_;             // what is read as vectors along another axis
  std::map<std::string, std::string> rows_;  // these vectors
};

// Of axes, in all regions of a kernel.
struct Names {
  std::string part;
  BlockAxes ofBlocks;
};

void unrollBlock(Builder& builder, const VectorShape& shape, facts::Facts facts, Names& names,
                 ir::Block& block) {
  ir::Block result;
  for (ir::Stmt& stmt : block) {
    facts.enter(stmt);
    if (auto* region = std::get_if<ir::Vector>(&stmt.node)) {
      auto blocks = shape.repeats ? inBlocks(builder, *region, names.ofBlocks) : std::nullopt;
      if (blocks) {
        result.push_back({std::move(*blocks)});
        continue;
      }
      if (auto repeated = repeat(builder, *region, shape, facts, names.part)) {
        castLoads(*repeated);
        computeLoads(*repeated);
        result.push_back({std::move(*repeated)});
        continue;
      }
      for (ir::Stmt& unrolled : RegionUnroller(builder, *region, shape, facts).run()) {
        auto* vectors = std::get_if<ir::Vector>(&unrolled.node);
        if (vectors && shape.repeats) shareTerms(builder, *vectors, facts);  // on CPUs
        if (vectors) castLoads(*vectors);
        if (vectors) computeLoads(*vectors);
        result.push_back(std::move(unrolled));
      }
      continue;
    }
    auto* test = std::get_if<ir::If>(&stmt.node);
    for (ir::Block* inner : ir::blocksOf(stmt)) {
      facts::Facts more = facts;
      if (test && inner == &test->then) more.assume(test->conditions);
      unrollBlock(builder, shape, std::move(more), names, *inner);
    }
    result.push_back(std::move(stmt));
  }
  block = std::move(result);
}

// The same for all positions along axes: of literals, sizes, attributes, and positions in loops around. It is computed once, and
// not in vectors.
bool isOfSizes(const ir::ValueRef& value, const std::vector<ir::Axis>* axes) {
  auto isAlong = [&](const std::string& name) {
    return !axes || llvm::any_of(*axes, [&](const ir::Axis& axis) { return axis.name == name; });
  };
  bool result = true;
  ir::forEach(value, [&](const ir::Value& node) {
    auto* index = std::get_if<ir::IndexRef>(&node.node);
    const bool isConstant = std::holds_alternative<ir::Literal>(node.node) ||
                            std::holds_alternative<ir::AttributeRef>(node.node) ||
                            std::holds_alternative<ir::Call>(node.node) ||
                            std::holds_alternative<ir::Cast>(node.node);
    result &= isConstant || (index && llvm::none_of(index->index.iterators(), isAlong));
  });
  return result;
}

}  // namespace

int registerBytes(ir::ScalarType type) {
  if (ir::info(type).isShortFloat()) return 4;
  return static_cast<int>(ir::info(type).bytes());
}

int registerBytes(const ir::ValueRef& value, const std::vector<ir::Axis>* axes) {
  int bytes = registerBytes(value->type);
  if (ir::comparesPositions(*value) || isOfSizes(value, axes)) return bytes;
  auto with = [&](const ir::ValueRef& part) { bytes = std::max(bytes, registerBytes(part, axes)); };
  if (auto* call = std::get_if<ir::Call>(&value->node))
    for (const ir::ValueRef& arg : call->args) with(arg);
  if (auto* cast = std::get_if<ir::Cast>(&value->node)) with(cast->arg);
  if (auto* reduce = std::get_if<ir::Reduce>(&value->node)) with(reduce->arg);
  if (auto* shuffle = std::get_if<ir::Shuffle>(&value->node)) with(shuffle->a), with(shuffle->b);
  // Words that are wider than sums are half as many in a register, of a block (blocks.h).
  if (auto* instruct = std::get_if<ir::Instruct>(&value->node)) {
    const bool isOfBlocks = instruct->instruction->side > 1;
    for (size_t i = 0; i < (isOfBlocks ? 1 : instruct->args.size()); ++i) with(instruct->args[i]);
  }
  return bytes;
}

int registerBytes(const ir::StructuredOp& op) {
  int bytes = 1;
  for (const ir::ValueRef& result : op.results) bytes = std::max(bytes, registerBytes(result));
  return bytes;
}

ir::Kernel unroll(ir::Kernel kernel, const VectorShape& shape) {
  kernel.level = ir::Level::Hardware;
  Builder builder(kernel);
  Names names;
  unrollBlock(builder, shape, facts::Facts(kernel), names, kernel.body);
  return kernel;
}

}  // namespace einc::transforms
