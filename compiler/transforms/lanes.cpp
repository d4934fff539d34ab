// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/lanes.h"

#include <algorithm>

#include "llvm/ADT/STLExtras.h"

namespace einc::transforms {
namespace {

int64_t powerOfTwoIn(int64_t size) { return size & -size; }

// An element of what has memory.
struct Access {
  unsigned tensor;
  facts::Index index;
  bool writes;
};
std::vector<Access> accessesOf(const ir::Stmt& stmt, const facts::Views& views) {
  std::vector<Access> result;
  auto add = [&](unsigned tensor, const facts::Index& index, bool writes) {
    result.push_back({views.rootOf(tensor), views.rootIndex(tensor, index), writes});
  };
  if (ir::ValueRef value = ir::valueOf(stmt))
    ir::forEach(value, [&](const ir::Value& v) {
      if (auto* load = std::get_if<ir::Load>(&v.node)) add(load->tensor, load->index, false);
    });
  if (auto* store = std::get_if<ir::Store>(&stmt.node)) add(store->tensor, store->index, true);
  return result;
}

bool reads(const ir::Stmt& stmt, const std::string& variable) {
  bool found = false;
  if (ir::ValueRef value = ir::valueOf(stmt))
    ir::forEach(value, [&](const ir::Value& v) {
      auto* read = std::get_if<ir::Variable>(&v.node);
      found |= read && read->name == variable;
    });
  return found;
}

}  // namespace

int64_t Lanes::sizeOf(const std::string& axis) const {
  for (const ir::Axis& a : region_.axes)
    if (a.name == axis) return a.size;
  return 1;
}

Lanes::Lanes(const ir::Vector& region, const VectorShape& shape, bool turnsLoads)
    : region_(region) {
  Transfers survey(region_);
  lanesAxis_ = survey.lanesAxis();
  // A reduction kept in several accumulators has its lanes along the axis of the loads, too.
  if (lanesAxis_.empty()) lanesAxis_ = region_.axes.back().name;
  int64_t width = shape.lanes > 0 ? shape.lanes : shape.vectorBytes / survey.bytes;
  if (turnsLoads && shape.turned > 0) findTurned(survey, shape, width);
  // Of all transposed stores or loads, the side of a square.
  auto square = [&](bool stores) {
    int64_t side = width;
    for (const Transfer& transfer : survey.all)
      if (transfer.isStore == stores && transfer.isTransposed(lanesAxis_) && width > 1)
        side =
            std::min({side, powerOfTwoIn(sizeOf(transfer.unit)), powerOfTwoIn(sizeOf(lanesAxis_))});
    return side;
  };
  // Small squares are not worth it for what is only read.
  int64_t read = turned_.axis.empty() ? square(/*stores=*/false) : width,
          written = square(/*stores=*/true);
  transposesLoads_ = !survey.reduces() && read * 4 >= width;
  width = transposesLoads_ ? std::min(read, written) : written;
  width_ = std::max<int64_t>(width, 1);
  int64_t left = sizeOf(lanesAxis_), at = 0;
  for (int64_t w = width_; left > 0; w /= 2)
    for (; left >= w; left -= w, at += w) {
      chunks_.push_back({at, w});
      if (w > 1 && (widths_.empty() || widths_.back() != w)) widths_.push_back(w);
    }
}

// Lanes along what is written, where what is read along another axis is one operand of small elements, which are in registers as
// they are in memory, and whole. (Of several the result is transposed, once.)
void Lanes::findTurned(const Transfers& survey, const VectorShape& shape, int64_t& width) {
  std::string written, read;
  for (const Transfer& transfer : survey.all)
    if (transfer.isStore) written = transfer.unit;
  if (written.empty() || survey.reduces()) return;
  for (const Transfer& transfer : survey.all) {
    if (!transfer.isTransposed(written)) continue;
    if (transfer.isStore || (!read.empty() && transfer.unit != read)) return;
    read = transfer.unit;
  }
  int64_t side = 0, count = 0;
  bool areWhole = !read.empty();
  ir::forEachStatement(region_.body, [&](const ir::Stmt& stmt) {
    if (auto* store = std::get_if<ir::Store>(&stmt.node)) areWhole &= !store->clip;
    auto* let = std::get_if<ir::Let>(&stmt.node);
    auto* load = let ? std::get_if<ir::Load>(&let->value->node) : nullptr;
    if (!load || !Transfer{load->unit, &load->index, false}.isTransposed(written)) return;
    const ir::ScalarType type = let->value->type;
    side = ir::turnedTogether(type);
    areWhole &= ++count == 1 && !load->pad &&
                registerBytes(type) == static_cast<int>(ir::info(type).bytes());
  });
  const int64_t fewer = std::min(width, powerOfTwoIn(sizeOf(written)));
  if (!areWhole || side < shape.turned || fewer % side != 0 || sizeOf(read) % side != 0) return;
  width = fewer;
  lanesAxis_ = written;
  turned_ = {read, side};
}

std::vector<std::string> Lanes::otherAxes(const std::vector<std::string>& axes) const {
  std::vector<std::string> result;
  for (const ir::Axis& axis : region_.axes)
    if (axis.name != lanesAxis_ && llvm::is_contained(axes, axis.name)) result.push_back(axis.name);
  return result;
}

std::vector<std::string> Lanes::axesOf(const ir::Stmt& stmt) const {
  if (auto* let = std::get_if<ir::Let>(&stmt.node)) return let->axes;
  if (auto* assign = std::get_if<ir::Assign>(&stmt.node)) return variables_.at(assign->name);
  std::vector<std::string> result;
  const std::vector<affine::Expr>* indices = nullptr;
  if (auto* store = std::get_if<ir::Store>(&stmt.node)) indices = &store->index;
  if (auto* prefetch = std::get_if<ir::Prefetch>(&stmt.node)) indices = &prefetch->index;
  if (!indices) return result;
  for (const affine::Expr& index : *indices)
    for (std::string& name : index.iterators())
      if (sizeOf(name) > 1 || isAxis(name)) result.push_back(std::move(name));
  return result;
}
bool Lanes::isAxis(const std::string& name) const {
  return std::any_of(region_.axes.begin(), region_.axes.end(),
                     [&](const ir::Axis& a) { return a.name == name; });
}

bool Lanes::isBarrier(const ir::Stmt& stmt) const {
  if (std::holds_alternative<ir::Prefetch>(stmt.node)) return false;
  auto* let = std::get_if<ir::Let>(&stmt.node);
  auto* store = std::get_if<ir::Store>(&stmt.node);
  if ((let && transposes(*let)) || (store && transposes(*store))) return true;
  ir::ValueRef value = ir::valueOf(stmt);
  bool found = !value;
  if (value)
    ir::forEach(value,
                [&](const ir::Value& v) { found |= std::holds_alternative<ir::Reduce>(v.node); });
  return found;
}
bool Lanes::waitsFor(const ir::Stmt& later, const ir::Stmt& earlier,
                     const facts::Views& views) const {
  if (auto* assign = std::get_if<ir::Assign>(&later.node)) {
    auto own = variables_.find(assign->name);
    if (own != variables_.end() && reads(earlier, assign->name) &&
        axesOf(earlier).size() > own->second.size())
      return true;
  }
  const std::vector<Access> before = accessesOf(earlier, views);
  for (const Access& a : accessesOf(later, views))
    for (const Access& b : before) {
      if (!(a.writes || b.writes) || a.tensor != b.tensor || a.index == b.index) continue;
      bool apart = false;
      for (size_t d = 0; d < a.index.size(); ++d) apart |= areApart(a.index[d], b.index[d]);
      if (!apart) return true;
    }
  return false;
}

// Whether two indices differ at any two positions.
bool Lanes::areApart(const affine::Expr& a, const affine::Expr& b) const {
  struct Range {
    affine::Expr rest;
    int64_t least = 0, most = 0;
  };
  auto rangeOf = [&](const affine::Expr& e) -> std::optional<Range> {
    auto linear = e.asLinear();
    if (!linear) return std::nullopt;
    Range range{e};
    for (const auto& part : linear->parts) {
      if (!isAxis(part.iterator)) continue;
      auto step = part.coefficient.asConstant();
      if (!step) return std::nullopt;
      range.rest = range.rest - affine::Expr::iterator(part.iterator) * part.coefficient;
      (*step < 0 ? range.least : range.most) += *step * (sizeOf(part.iterator) - 1);
    }
    return range;
  };
  auto left = rangeOf(a), right = rangeOf(b);
  if (!left || !right) return false;
  auto distance = (left->rest - right->rest).asConstant();
  return distance &&
         (*distance + left->most < right->least || *distance + left->least > right->most);
}
bool Lanes::transposes(const ir::Store& store) const {
  return width_ > 1 && !store.unit.empty() &&
         Transfer{store.unit, &store.index, true}.isTransposed(lanesAxis_);
}
bool Lanes::turns(const ir::Let& let) const {
  auto* load = std::get_if<ir::Load>(&let.value->node);
  return load && !turned_.axis.empty() && load->unit == turned_.axis &&
         Transfer{load->unit, &load->index, false}.isTransposed(lanesAxis_);
}
bool Lanes::transposes(const ir::Let& let) const {
  auto* load = std::get_if<ir::Load>(&let.value->node);
  return load && turned_.axis.empty() && width_ > 1 && transposesLoads_ && !load->unit.empty() &&
         Transfer{load->unit, &load->index, false}.isTransposed(lanesAxis_);
}

}  // namespace einc::transforms
