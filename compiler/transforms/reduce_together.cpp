// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/reduce_together.h"

#include <numeric>
#include <utility>
#include <vector>

#include "compiler/transforms/builder.h"

namespace einc::transforms {
namespace {

// Bytes of the part of a register in which shuffles are cheapest.
constexpr int64_t kPart = 16;

// Of a value, the one reduction in it, if what is reduced reads no memory.
const ir::Value* reductionIn(const ir::ValueRef& value) {
  const ir::Value* found = nullptr;
  int count = 0;
  ir::forEach(value, [&](const ir::Value& v) {
    if (!std::holds_alternative<ir::Reduce>(v.node)) return;
    found = &v;
    ++count;
  });
  if (count != 1) return nullptr;
  bool loads = false;
  ir::forEach(std::get<ir::Reduce>(found->node).arg,
              [&](const ir::Value& v) { loads |= std::holds_alternative<ir::Load>(v.node); });
  return loads ? nullptr : found;
}

// Vectors in which each of several results still has the same number of lanes; all are laid out
// alike.
struct Level {
  std::vector<ir::ValueRef> vectors;
  std::vector<std::vector<unsigned>> places;  // of each result in a vector: its lanes, in order
};

class Reducer {
 public:
  Reducer(Builder& builder, const ir::Reduce& like, ir::ScalarType type, int64_t lanes)
      : builder_(builder),
        function_(like.function),
        axis_(like.axis),
        type_(type),
        lanes_(static_cast<unsigned>(lanes)),
        part_(static_cast<unsigned>(kPart * 8 / ir::info(type).bits)) {}

  // One vector of all results; `places` has the lane of each.
  ir::ValueRef run(std::vector<ir::ValueRef> args, ir::Block& block,
                   std::vector<unsigned>& places) {
    std::vector<unsigned> all(lanes_);
    std::iota(all.begin(), all.end(), 0);
    for (ir::ValueRef& arg : args)
      if (!std::holds_alternative<ir::Variable>(arg->node)) arg = named(std::move(arg), block);
    Level level{std::move(args), {std::move(all)}};
    while (level.vectors.size() > 1) level = halved(level, block);
    while (level.places[0].size() > 1) fold(level, block);
    for (const std::vector<unsigned>& place : level.places) places.push_back(place[0]);
    return level.vectors[0];
  }

 private:
  ir::ValueRef shuffle(const ir::ValueRef& a, const ir::ValueRef& b, std::vector<unsigned> lanes) {
    return ir::makeValue(type_, ir::Shuffle{a, b, axis_, std::move(lanes)});
  }

  ir::ValueRef named(ir::ValueRef value, ir::Block& block) {
    std::string name = builder_.name("sums");
    block.push_back({ir::Let{name, std::move(value), {axis_}}});
    return ir::makeValue(type_, ir::Variable{name});
  }

  // Which result's which lane comes to be where, for the results of one vector and then of another.
  // Halves of a part's size move as a whole, shorter ones stay in their part.
  struct Lane {
    unsigned vector, result, position;
  };
  std::vector<Lane> order(const std::vector<std::vector<unsigned>>& places) const {
    auto half = static_cast<unsigned>(places[0].size() / 2);
    unsigned part = half < part_ ? part_ : lanes_;
    std::vector<Lane> result;
    for (unsigned begin = 0; begin < lanes_; begin += part)
      for (unsigned vector : {0U, 1U})
        for (unsigned r = 0; r < places.size(); ++r)
          for (unsigned i = 0; i < half; ++i)
            if (places[r][i] >= begin && places[r][i] < begin + part)
              result.push_back({vector, r, i});
    return result;
  }

  // Each pair of vectors as one, whose results have half as many lanes.
  Level halved(const Level& level, ir::Block& block) {
    const auto& places = level.places;
    std::vector<Lane> lanes = order(places);
    size_t half = places[0].size() / 2;
    Level next;
    next.places.resize(2 * places.size());
    std::vector<unsigned> low, high;
    for (unsigned to = 0; to < lanes_; ++to) {
      const Lane& lane = lanes[to];
      low.push_back(lane.vector * lanes_ + places[lane.result][lane.position]);
      high.push_back(lane.vector * lanes_ + places[lane.result][lane.position + half]);
      next.places[lane.vector * places.size() + lane.result].push_back(to);
    }
    for (size_t i = 0; i < level.vectors.size(); i += 2) {
      const ir::ValueRef &a = level.vectors[i], &b = level.vectors[i + 1];
      next.vectors.push_back(
          named(ir::makeCall(function_, {shuffle(a, b, low), shuffle(a, b, high)}), block));
    }
    return next;
  }

  // In the one vector there is: each result's second half onto its first.
  void fold(Level& level, ir::Block& block) {
    std::vector<unsigned> lanes(lanes_);
    std::iota(lanes.begin(), lanes.end(), 0);
    for (std::vector<unsigned>& place : level.places) {
      size_t half = place.size() / 2;
      for (size_t i = 0; i < half; ++i) lanes[place[i]] = place[i + half];
      place.resize(half);
    }
    const ir::ValueRef& all = level.vectors[0];
    level.vectors[0] = named(ir::makeCall(function_, {all, shuffle(all, all, lanes)}), block);
  }

  Builder& builder_;
  ir::Function function_;
  std::string axis_;
  ir::ScalarType type_;
  unsigned lanes_, part_;
};

class Pass {
 public:
  Pass(ir::Kernel& kernel, size_t fewest) : builder_(kernel), fewest_(fewest) {}

  ir::Block block(ir::Block statements) {
    ir::Block result;
    for (ir::Stmt& stmt : statements) {
      if (auto* region = std::get_if<ir::Vector>(&stmt.node)) {
        if (region->axes.size() == 1 && region->times.empty())
          region->body = inRegion(*region, result);
      } else {
        for (ir::Block* inner : ir::blocksOf(stmt)) *inner = block(std::move(*inner));
      }
      result.push_back(std::move(stmt));
    }
    return result;
  }

 private:
  // What is reduced in a store that can be done together with others like it.
  static const ir::Value* joins(const ir::Stmt& stmt, const ir::Axis& axis) {
    auto* store = std::get_if<ir::Store>(&stmt.node);
    if (!store) return nullptr;
    for (const affine::Expr& index : store->index)
      for (const std::string& name : index.iterators())
        if (name == axis.name) return nullptr;
    const ir::Value* value = reductionIn(store->value);
    if (!value) return nullptr;
    const ir::TypeInfo& type = ir::info(value->type);
    bool fits = std::get<ir::Reduce>(value->node).axis == axis.name && type.bits >= 32;
    return fits ? value : nullptr;
  }
  static bool alike(const ir::Value& a, const ir::Value& b) {
    return a.type == b.type &&
           std::get<ir::Reduce>(a.node).function == std::get<ir::Reduce>(b.node).function;
  }

  // Runs of such stores; buffers of their results go before the region.
  ir::Block inRegion(ir::Vector& region, ir::Block& before) {
    const ir::Axis& axis = region.axes[0];
    ir::Block result;
    auto most = static_cast<size_t>(axis.size);
    bool isPower = most > 1 && (most & (most - 1)) == 0;
    for (size_t i = 0; i < region.body.size();) {
      std::vector<const ir::Value*> run;
      while (isPower && run.size() < most && i + run.size() < region.body.size()) {
        const ir::Value* next = joins(region.body[i + run.size()], axis);
        if (!next || (!run.empty() && !alike(*run[0], *next))) break;
        run.push_back(next);
      }
      size_t count = 1;
      while (2 * count <= run.size()) count *= 2;
      if (count < fewest_) {
        result.push_back(std::move(region.body[i++]));
        continue;
      }
      run.resize(count);
      std::vector<ir::ValueRef> results = together(run, axis, before, result);
      for (size_t r = 0; r < count; ++r, ++i) {
        auto& store = std::get<ir::Store>(region.body[i].node);
        store.value = ir::rewrite(store.value, [&](const ir::ValueRef& value) {
          return value.get() == run[r] ? results[r] : nullptr;
        });
        result.push_back(std::move(region.body[i]));
      }
    }
    return result;
  }

  std::vector<ir::ValueRef> together(const std::vector<const ir::Value*>& run, const ir::Axis& axis,
                                     ir::Block& before, ir::Block& block) {
    const auto& first = std::get<ir::Reduce>(run[0]->node);
    ir::ScalarType type = run[0]->type;
    std::vector<ir::ValueRef> args, results;
    for (const ir::Value* value : run) args.push_back(std::get<ir::Reduce>(value->node).arg);
    std::vector<unsigned> places;
    ir::ValueRef sums =
        Reducer(builder_, first, type, axis.size).run(std::move(args), block, places);
    unsigned buffer = builder_.tensor("results", type, {constant(axis.size)}, ir::Role::Local);
    before.push_back({ir::Alloc{buffer, ir::Space::Stack}});
    block.push_back({ir::Store{buffer, {at(axis.name)}, std::move(sums), axis.name}});
    for (unsigned place : places)
      results.push_back(ir::makeValue(type, ir::Load{buffer, {constant(place)}, nullptr, ""}));
    return results;
  }

  Builder builder_;
  size_t fewest_;
};

}  // namespace

ir::Kernel reduceTogether(ir::Kernel kernel, int64_t fewest) {
  Pass pass(kernel, static_cast<size_t>(fewest));
  kernel.body = pass.block(std::move(kernel.body));
  return kernel;
}

}  // namespace einc::transforms
