// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/repeat.h"

#include <algorithm>
#include <utility>

#include "compiler/transforms/assume_numbers.h"
#include "compiler/transforms/lanes.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::transforms {
namespace {

class Repeater : Lanes {
 public:
  Repeater(Builder& builder, const ir::Vector& region, const VectorShape& shape,
           const facts::Views& views, std::string& part)
      : Lanes(region, shape, /*turnsLoads=*/true),
        builder_(builder),
        views_(views),
        partName_(part) {}

  // No statement needs what other positions have computed; there are enough of them to be repeated.
  bool isAlike() {
    constexpr int64_t kLeast = 4;  // fewer are as short written out
    if (widths_.size() != 1 || sizeOf(lanesAxis_) % width_ != 0) return false;
    acrossAxis_ = turned_.axis;
    loadsAcross_ = false;
    int64_t count = 1;
    for (const ir::Axis& axis : region_.axes) count *= axis.size;
    bool alike = region_.variant || count / width_ >= kLeast;
    ir::forEachStatement(region_.body, [&](const ir::Stmt& stmt) {
      auto* let = std::get_if<ir::Let>(&stmt.node);
      if (let) variables_[let->name] = let->axes;
      if (ir::blocksOf(stmt).empty()) alike &= !isBarrier(stmt) || isAcross(stmt);
      if (let) alike &= let->value->type != ir::ScalarType::Bool;
      // Truth values are masks, or bytes: what they are computed of says which.
      auto* store = std::get_if<ir::Store>(&stmt.node);
      if (store && transposes(*store)) alike &= store->value->type != ir::ScalarType::Bool;
      // Those are told apart by name later.
      if (ir::ValueRef value = ir::valueOf(stmt)) alike &= !asksForNumbers(value);
    });
    alike = alike && !anyWaits(region_.body);
    variables_.clear();
    return alike;
  }

  ir::Vector repeated() {
    ir::Vector result;
    result.variant = region_.variant;
    for (const ir::Axis& axis : region_.axes)
      if (axis.name != lanesAxis_ && axis.name != acrossAxis_ && isRepeated(axis.size))
        result.times.push_back(axis);
    side_ = turned_.axis.empty() ? width_ : turned_.side;
    if (!acrossAxis_.empty() && sizeOf(acrossAxis_) > side_) {
      square_ = builder_.name("w");
      result.times.push_back({square_, sizeOf(acrossAxis_) / side_});
    }
    if (isRepeated(static_cast<int64_t>(chunks_.size()))) {
      if (partName_.empty()) partName_ = builder_.name("v");
      part_ = partName_;
      result.times.push_back({part_, static_cast<int64_t>(chunks_.size())});
    }
    // Last, as those are transposed together.
    if (!acrossAxis_.empty()) result.times.push_back({acrossAxis_, side_});
    result.axes.push_back({lanesAxis_, width_});
    result.body = region_.body;
    repeat(result.body);
    return result;
  }

 private:
  // Whether a statement comes when another one is done at all positions.
  bool anyWaits(const ir::Block& block) const {
    for (size_t i = 0; i < block.size(); ++i) {
      for (const ir::Block* inner : ir::blocksOf(block[i]))
        if (anyWaits(*inner)) return true;
      for (size_t j = 0; j < i; ++j)
        if (waitsFor(block[i], block[j], views_)) return true;
    }
    return false;
  }

  // Of what is one of several sizes, an axis of one position is an axis, too.
  bool isRepeated(int64_t size) const { return size > 1 || region_.variant; }

  // A transpose, along the same axis as the region's others.
  bool isAcross(const ir::Stmt& stmt) {
    auto* let = std::get_if<ir::Let>(&stmt.node);
    auto* store = std::get_if<ir::Store>(&stmt.node);
    std::string unit;
    if (let && transposes(*let)) {
      unit = std::get<ir::Load>(let->value->node).unit;
      loadsAcross_ = true;
    }
    if (store && transposes(*store)) unit = store->unit;
    if (unit.empty() || sizeOf(unit) % width_ != 0) return false;
    if (acrossAxis_.empty()) acrossAxis_ = unit;
    return acrossAxis_ == unit;
  }

  std::vector<std::string> repeatedAxes(const std::vector<std::string>& axes) const {
    std::vector<std::string> result = otherAxes(axes);
    std::erase_if(result, [&](const std::string& axis) {
      return !isRepeated(sizeOf(axis)) || axis == acrossAxis_;
    });
    bool lanes = llvm::is_contained(axes, lanesAxis_);
    bool across = !acrossAxis_.empty() && llvm::is_contained(axes, acrossAxis_);
    if (across && !square_.empty()) result.push_back(square_);
    if (lanes && !part_.empty()) result.push_back(part_);
    if (across) result.push_back(acrossAxis_);
    if (lanes) result.push_back(lanesAxis_);
    return result;
  }

  void repeat(ir::Block& block) {
    ir::Block result;
    for (ir::Stmt& stmt : block) {
      if (auto* let = std::get_if<ir::Let>(&stmt.node)) {
        bool across = transposes(*let);
        const bool isTurned = turns(*let);
        let->value = repeatedValue(let->value, across);
        if (isTurned) let->value = alongTurned(let->value);
        let->axes = repeatedAxes(let->axes);
        std::string name = let->name;
        result.push_back(std::move(stmt));
        if (across) result.push_back({ir::Transpose{name, acrossAxis_}});
        continue;
      }
      if (auto* assign = std::get_if<ir::Assign>(&stmt.node)) {
        assign->value = repeatedValue(assign->value, /*across=*/false);
      } else if (auto* store = std::get_if<ir::Store>(&stmt.node)) {
        bool across = transposes(*store);
        store->value = repeatedValue(store->value, /*across=*/false);
        if (across) {
          std::string rows = builder_.name("rows");
          std::vector<std::string> axes = axesOf(stmt);
          result.push_back({ir::Let{rows, store->value, repeatedAxes(axes)}});
          result.push_back({ir::Transpose{rows, acrossAxis_}});
          store->value = ir::makeValue(store->value->type, ir::Variable{rows});
        }
        for (affine::Expr& e : store->index) e = repeatedIndex(e, across);
        store->unit = across || store->unit == lanesAxis_ ? lanesAxis_ : "";
      } else if (auto* prefetch = std::get_if<ir::Prefetch>(&stmt.node)) {
        const bool isTurned =
            !turned_.axis.empty() && prefetch->index.back().mentions(turned_.axis);
        for (affine::Expr& e : prefetch->index)
          e = isTurned ? lineOf(e) : repeatedIndex(e, loadsAcross_);
      }
      for (ir::Block* inner : ir::blocksOf(stmt)) repeat(*inner);
      result.push_back(std::move(stmt));
    }
    block = std::move(result);
  }

  // `across`: with lanes along the other axis of a square.
  affine::Expr repeatedIndex(const affine::Expr& e, bool across) const {
    return e.substitute([&](const affine::Atom& atom) -> std::optional<affine::Expr> {
      if (atom.kind != affine::Atom::Kind::Iterator || !isAxis(atom.name)) return std::nullopt;
      if (atom.name != lanesAxis_ && atom.name != acrossAxis_) {
        if (!isRepeated(sizeOf(atom.name))) return constant(0);
        return std::nullopt;
      }
      const std::string& part = atom.name == lanesAxis_ ? part_ : square_;
      const std::string& own = (atom.name == lanesAxis_) != across ? lanesAxis_ : acrossAxis_;
      const int64_t size = atom.name == lanesAxis_ ? width_ : side_;
      return part.empty() ? at(own) : at(part) * constant(size) + at(own);
    });
  }

  // Of an index of a square that is turned part by part: the beginning of a line, of another one each time.
  affine::Expr lineOf(const affine::Expr& e) const {
    return e.substitute([&](const affine::Atom& atom) -> std::optional<affine::Expr> {
      if (atom.kind != affine::Atom::Kind::Iterator || !isAxis(atom.name)) return std::nullopt;
      if (atom.name == acrossAxis_) return affine::Expr();
      if (atom.name != lanesAxis_) return repeatedIndex(at(atom.name), /*across=*/false);
      const affine::Expr line = repeatedIndex(at(acrossAxis_), /*across=*/false);
      return part_.empty() ? line : at(part_) * constant(width_) + line;
    });
  }

  ir::ValueRef repeatedValue(const ir::ValueRef& value, bool across) const {
    return ir::rewrite(value, [&](const ir::ValueRef& node) -> ir::ValueRef {
      if (auto* load = std::get_if<ir::Load>(&node->node)) {
        ir::Load copy = *load;
        for (affine::Expr& e : copy.index) e = repeatedIndex(e, across);
        copy.unit = across || copy.unit == lanesAxis_ ? lanesAxis_ : "";
        return ir::makeValue(node->type, std::move(copy));
      }
      if (auto* reference = std::get_if<ir::IndexRef>(&node->node))
        return ir::makeValue(node->type,
                             ir::IndexRef{repeatedIndex(reference->index, /*across=*/false)});
      return nullptr;
    });
  }

  // A load that turns what it reads.
  ir::ValueRef alongTurned(const ir::ValueRef& value) const {
    ir::Load load = std::get<ir::Load>(value->node);
    load.unit = turned_.axis;
    return ir::makeValue(value->type, std::move(load));
  }

  Builder& builder_;
  const facts::Views& views_;
  std::string& partName_;
  std::string part_;                 // partName_, where it is used
  std::string acrossAxis_, square_;  // of transposes; what their squares are counted by
  int64_t side_ = 1;                 // of a square
  bool loadsAcross_ = false;         // they are of what is loaded
};

}  // namespace

std::optional<ir::Vector> repeat(Builder& builder, const ir::Vector& region,
                                 const VectorShape& shape, const facts::Views& views,
                                 std::string& part) {
  if (!shape.repeats) return std::nullopt;
  Repeater repeater(builder, region, shape, views, part);
  if (!repeater.isAlike()) return std::nullopt;
  return repeater.repeated();
}

}  // namespace einc::transforms
