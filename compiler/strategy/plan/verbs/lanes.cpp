// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   lanes n over 32
#include "compiler/strategy/plan/verbs/lanes.h"

#include <functional>
#include <utility>

#include "compiler/strategy/collapse.h"
#include "compiler/strategy/plan/verbs/place.h"
#include "compiler/transforms/combiner.h"
#include "compiler/transforms/tile.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

using affine::Expr;
using transforms::append;
using transforms::at;
using transforms::constant;
using Operands = std::vector<ir::Operand>;

// What the op has besides: no iterator, or one with so many positions.
struct Rows {
  std::string iterator;
  Expr count = constant(1);
  int64_t most = 1;
};

Result<Rows> rowsOf(const Work& work, const At& here, const LanesStep& step) {
  Rows rows;
  for (const ir::Iterator& i : here.op.iterators) {
    const bool isShared = llvm::any_of(
        step.iterators, [&](const std::string& name) { return here.actualName(name) == i.name; });
    if (isShared || i.kind == ir::IteratorKind::Reduction) continue;
    if (!rows.iterator.empty())
      return Reason{"besides there are '" + rows.iterator + "' and '" + i.name +
                    "': bind one of them to workgroups before"};
    rows.iterator = i.name;
    rows.count = work.extent(here, i.name);
    rows.most = work.mostAlong(here, i.name).value_or(INT32_MAX);
  }
  const int64_t invocations = work.options.target->device->invocations;
  if (rows.most * step.lanes > invocations)
    return Reason{"a workgroup has " + std::to_string(invocations) + " invocations, and " +
                  (rows.most == INT32_MAX
                       ? "'" + rows.iterator + "' may have any number of positions"
                       : "these would be " + std::to_string(rows.most * step.lanes))};
  return rows;
}

std::optional<std::string> cannotShare(const Work& work, const At& here, const LanesStep& step) {
  const target::Device* device = work.options.target->device;
  if (!device) return std::string(work.options.target->name) + " has no workgroups and invocations";
  if (step.lanes < 1 || (step.lanes & (step.lanes - 1)) != 0 || step.lanes > device->invocations)
    return "expected a power of two, " + std::to_string(device->invocations) +
           " at most, as parts are combined in a tree";
  for (const std::string& name : step.iterators) {
    if (!here.find(name)) return noIterator(here, name);
    if (llvm::count(step.iterators, name) > 1) return "'" + name + "' stands twice";
    if (here.isReduction(name) != here.isReduction(step.iterators[0]))
      return "'" + step.iterators[0] + "' and '" + name +
             "' are a reduction and none: lanes go along one kind";
    if (here.isReduction(name) && !work.mayReorder(here)) return orderText(work, name);
    if (auto why = work.cannotCut(here, name)) return why;
  }
  if (here.bound == BindStep::To::Invocations)
    return "an invocation has no lanes: they share what is bound to workgroups";
  if (!here.bound && !here.isBindable)
    return "a loop in order, or a way of 'when' in one, stands around: bind one to workgroups "
           "before";
  return std::nullopt;
}

class OnLanes {
 public:
  OnLanes(const Work& work, At here, int64_t lanes, Rows rows)
      : work_(work), here_(std::move(here)), lanes_(lanes), rows_(std::move(rows)) {}

  ir::Block run(const std::vector<std::string>& group) {
    ir::Block block;
    const bool isReduction = here_.isReduction(group[0]);
    along_ = collapse(work_.builder, here_.op, group, block);
    append(block, isReduction ? reduced() : invocations(lanes_, [&](const Place& place) {
             ir::Block inside;
             At lane = laneAt(place, inside);
             append(inside, work_.rest(std::move(lane)));
             return inside;
           }));
    return block;
  }

 private:
  transforms::Builder& builder() const { return work_.builder; }

  // The loops around an invocation; `row` is empty where there are no rows.
  struct Place {
    std::string row, lane;
    std::vector<Expr> index() const {
      return row.empty() ? std::vector{at(lane)} : std::vector{at(row), at(lane)};
    }
  };
  using Inside = std::function<ir::Block(const Place&)>;

  // An invocation each; only the first lanes of each row, if it is said.
  ir::Block invocations(int64_t lanes, const Inside& inside) {
    if (rows_.iterator.empty()) {
      ir::TileLoop along = invocationLoop(work_, "t", lanes);
      along.body = inside({"", along.var});
      return transforms::only({std::move(along)});
    }
    ir::TileLoop rows = invocationLoop(work_, "r", rows_.most),
                 along = invocationLoop(work_, "t", lanes);
    ir::Block body = inside({rows.var, along.var});
    if (rows_.count.asConstant() != rows_.most)
      body = transforms::only(
          {ir::If{{{ir::Condition::Kind::Less, at(rows.var), rows_.count}}, std::move(body), {}}});
    along.body = std::move(body);
    rows.body = transforms::only({std::move(along)});
    return transforms::only({std::move(rows)});
  }

  // The op in the row, and on the positions of the lane.
  At laneAt(const Place& place, ir::Block& block) {
    At lane = here_;
    if (!place.row.empty()) {
      lane.op = transforms::onPositions(builder(), lane.op, rows_.iterator, {}, at(place.row),
                                        "_" + place.row, block);
      lane.move(rows_.iterator, constant(1), at(place.row));
    }
    const Expr lanes = constant(lanes_);
    const std::string count = builder().name(along_ + "_count");
    block.push_back(
        {ir::Bound{count, {(work_.extent(lane, along_) - at(place.lane)).ceilDiv(lanes)}}});
    lane.op = transforms::onPositions(builder(), lane.op, along_,
                                      {{along_, transforms::size(count), lanes}}, at(place.lane),
                                      "_" + place.lane, block);
    lane.move(along_, lanes, at(place.lane) + at(along_) * lanes);
    lane.forgetNeighbours(along_);
    std::erase_if(lane.strided, [&](const auto& fact) { return fact.second == along_; });
    lane.rooms.erase(along_);
    lane.bound = BindStep::To::Invocations;
    lane.on = ir::On::Invocations;
    lane.isBindable = false;
    lane.isTiled = lane.isInLoop = true;
    return lane;
  }

  // What a lane has, of each output.
  Operands partsAt(const std::vector<Expr>& index, const std::string& suffix, ir::Block& block) {
    Operands result;
    for (unsigned part : parts_) {
      const ir::Tensor whole = builder().kernel().tensors[part];
      const unsigned view = builder().tensor(whole.name + suffix, whole.type, {}, ir::Role::View);
      block.push_back({ir::View{view, part, {}, index, nullptr}});
      result.push_back({view, {}, nullptr});
    }
    return result;
  }

  static ir::StructuredOp merged(const ir::Combiner& combiner, Operands what, Operands to) {
    ir::StructuredOp op;
    for (const std::string& name : transforms::iteratorsOf(to[0]))
      op.iterators.push_back({name, ir::IteratorKind::Parallel});
    op.inputs = std::move(what);
    op.outputs = std::move(to);
    op.results = transforms::inputsIntoOutputs(combiner);
    return op;
  }

  ir::Block reduced() {
    ir::Combiner combiner = *transforms::partsOf(here_.op);
    if (auto function = transforms::combinerOf(here_.op))
      combiner.neutral = {transforms::neutral(*function, here_.op.results[0]->type)};
    const Operands outputs = here_.op.outputs;
    here_.op.combiner = nullptr;
    ir::Block block;
    std::vector<Expr> shape = {constant(lanes_)};
    if (!rows_.iterator.empty()) shape.insert(shape.begin(), constant(rows_.most));
    for (const ir::Operand& output : outputs) {
      const ir::ScalarType type = builder().kernel().tensors[output.tensor].type;
      parts_.push_back(builder().tensor("parts", type, shape, ir::Role::Local));
      block.push_back({ir::Alloc{parts_.back(), ir::Space::Workgroup}});
    }
    append(block, invocations(lanes_, [&](const Place& place) { return part(place, combiner); }));
    for (int64_t half = lanes_ / 2; half > 0; half /= 2)
      append(block, invocations(half, [&](const Place& place) {
               ir::Block inside;
               std::vector<Expr> other = place.index();
               other.back() = other.back() + constant(half);
               Operands to = partsAt(place.index(), "_" + place.lane, inside);
               Operands what = partsAt(other, "_other", inside);
               inside.push_back({merged(combiner, std::move(what), std::move(to))});
               return inside;
             }));
    append(block, total(combiner, outputs));
    return block;
  }

  // What a lane sums up.
  ir::Block part(const Place& place, const ir::Combiner& combiner) {
    ir::Block inside;
    At lane = laneAt(place, inside);
    lane.op.outputs = partsAt(place.index(), "_" + place.lane, inside);
    ir::StructuredOp start;
    start.outputs = lane.op.outputs;
    start.results = combiner.neutral;
    inside.push_back({std::move(start)});
    append(inside, work_.rest(std::move(lane)));
    return inside;
  }

  // What the lanes have, combined into the outputs.
  ir::Block total(const ir::Combiner& combiner, const Operands& outputs) {
    ir::Block block;
    Operands first;
    for (unsigned part : parts_) {
      const ir::Tensor whole = builder().kernel().tensors[part];
      ir::View view{0, part, {}, {constant(0)}, nullptr};
      std::vector<Expr> sizes, map;
      if (!rows_.iterator.empty()) {
        sizes = {rows_.count};
        map = {at(rows_.iterator)};
        view = {0, part, {rows_.iterator}, {at(rows_.iterator), constant(0)}, nullptr};
      }
      view.view = builder().tensor(whole.name + "_first", whole.type, sizes, ir::Role::View);
      first.push_back({view.view, map, nullptr});
      block.push_back({std::move(view)});
    }
    block.push_back({merged(combiner, std::move(first), outputs)});
    return block;
  }

  const Work& work_;
  At here_;
  int64_t lanes_;
  Rows rows_;
  std::string along_;
  std::vector<unsigned> parts_;  // memory for what each lane has, of each output
};

// Why the parts of the lanes do not fit beside what else the workgroup has in its memory.
std::optional<std::string> cannotHold(const Work& work, const At& here, const LanesStep& step,
                                      const Rows& rows) {
  if (!here.isReduction(step.iterators[0])) return std::nullopt;
  int64_t bytes = 0;
  for (const ir::Operand& output : here.op.outputs)
    bytes += rows.most * step.lanes * work.bytesInShared(output);
  return work.takeShared(here, bytes);
}

}  // namespace

ir::Block apply(const Work& work, At here, const LanesStep& step) {
  if (auto why = cannotShare(work, here, step)) return work.refuse(here, *why);
  const bool isAlone = !here.bound;
  if (isAlone) here.sharedBytes = std::make_shared<int64_t>(0);
  auto rows = rowsOf(work, here, step);
  if (!rows) return work.refuse(here, rows.reason());
  if (auto why = cannotHold(work, here, step, *rows)) return work.refuse(here, *why);
  std::vector<std::string> group;
  for (const std::string& name : step.iterators) group.push_back(here.actualName(name));
  if (!isAlone) return OnLanes(work, std::move(here), step.lanes, *rows).run(group);
  ir::TileLoop all = transforms::tileLoop(work.builder, "all", constant(1), constant(1),
                                          ir::IteratorKind::Parallel);
  all.on = ir::On::WorkgroupsX;
  all.body = OnLanes(work, std::move(here), step.lanes, *rows).run(group);
  return transforms::only({std::move(all)});
}

}  // namespace einc::strategy
