// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   bind m over 4, n over 32 to invocations
//
// An invocation has its place in the workgroup, and goes from block to block in rounds. Where the blocks
// are no more than the invocations, there is one round.
#include <algorithm>
#include <utility>

#include "compiler/strategy/plan/verbs/place.h"
#include "compiler/transforms/tile.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

using affine::Expr;
using transforms::at;
using transforms::constant;
using Kind = ir::Condition::Kind;

// Sums are where 'results' has them.
std::optional<std::string> isElsewhere(const Work& work, const At& here, const BindStep& step) {
  if (!here.registers) return std::nullopt;
  std::vector<BindStep::Loop> loops = step.loops;
  for (BindStep::Loop& loop : loops) loop.iterator = here.actualName(loop.iterator);
  return loops == here.registers->loops ? std::nullopt : work.waits(here);
}

std::optional<std::string> cannotShareOut(const Work& work, const At& here, const BindStep& step) {
  const target::Device* device = work.options.target->device;
  if (!device) return std::string(work.options.target->name) + " has no workgroups and invocations";
  if (here.shared) return "'over' shares out one op: fuse each by steps of its own";
  if (step.to != BindStep::To::Invocations) return "'over' says how many invocations share blocks";
  if (here.bound != BindStep::To::Workgroups)
    return "'over' shares out what a workgroup has: bind one to workgroups before";
  if (step.loops.size() > 3) return "the invocations of a workgroup have three dimensions at most";
  int64_t invocations = 1;
  std::vector<std::string> names;
  for (const auto& [iterator, by, over] : step.loops) {
    if (!over) return "'" + iterator + "' has no 'over', and others have: all of them, or none";
    if (*over < 1 || *over > device->invocations)
      return "expected 1 to " + std::to_string(device->invocations) + " invocations";
    if (by.asConstant().value_or(0) < 1) return "blocks that are shared are of a known size";
    if (auto why = here.registers ? std::nullopt : work.cannotTile(here, iterator, by)) return why;
    if (here.isReduction(iterator))
      return "'" + iterator + "' is a reduction: what is bound are loops over results";
    if (llvm::is_contained(names, iterator)) return "'" + iterator + "' stands twice";
    names.push_back(iterator);
    invocations *= *over;
  }
  if (invocations <= device->invocations) return isElsewhere(work, here, step);
  return "a workgroup has " + std::to_string(device->invocations) +
         " invocations, and these would be " + std::to_string(invocations);
}

class ShareOut {
 public:
  ShareOut(const Work& work, At here, const BindStep& step)
      : work_(work), here_(std::move(here)), step_(step) {}

  ir::Block run() {
    for (size_t l = 0; l < step_.loops.size(); ++l) places_.push_back(placeOf(l));
    ir::Block body = inside();
    for (Place& place : places_) body = inRounds(place, std::move(body));
    for (Place& place : llvm::reverse(places_)) {
      place.invocations.body = std::move(body);
      body = transforms::only({std::move(place.invocations)});
    }
    return body;
  }

 private:
  struct Place {
    std::string name;  // the iterator
    int64_t by;
    Expr extent;
    ir::TileLoop invocations;
    std::optional<ir::TileLoop> rounds;
    Expr position;     // of the block's first
    bool isWhole;      // there is nothing to cut off
    bool keeps;        // there is an iterator in a block
    std::string size;  // of one that may be cut off
  };

  Place placeOf(size_t number) const {
    const BindStep::Loop& loop = step_.loops[number];
    Place place;
    place.name = here_.actualName(loop.iterator);
    place.by = *loop.by.asConstant();
    place.extent = work_.extent(here_, place.name);
    const int64_t together = place.by * *loop.over;
    place.invocations = invocationLoop(work_, number, step_.loops.size(), *loop.over);
    place.position = at(place.invocations.var);
    auto most = work_.mostAlong(here_, place.name);
    if (!most || *most > together) {
      const Expr rounds = most ? constant((*most + together - 1) / together)
                               : place.extent.ceilDiv(constant(together));
      place.rounds = transforms::tileLoop(work_.builder, "turn", rounds, constant(1),
                                          ir::IteratorKind::Parallel);
      place.position = at(place.rounds->var) * constant(*loop.over) + place.position;
    }
    place.position = place.position * constant(place.by);
    auto all = knownHere(place.extent).asConstant();
    place.isWhole = (all && *all % together == 0 && *all > 0) || isFilled(place.name, together);
    place.keeps = place.by > 1 || here_.registers;
    if (!place.isWhole && place.keeps) place.size = work_.builder.name(place.name + "_left");
    return place;
  }

  // Sums of what is filled up, which are not stored.
  bool isFilled(const std::string& iterator, int64_t width) const {
    if (!here_.registers) return false;
    for (size_t i = 0; i < here_.op.inputs.size(); ++i) {
      const ir::Operand& input = here_.op.inputs[i];
      if (!llvm::is_contained(transforms::iteratorsOf(input), iterator)) continue;
      auto panel = here_.panels.find(i);
      if (panel == here_.panels.end() || input.tensor != panel->second.part ||
          panel->second.across != iterator || panel->second.width != width)
        return false;
    }
    return true;
  }

  // A number that is known in a way of 'when'.
  Expr knownHere(const Expr& number) const {
    for (const ir::Condition& condition : here_.conditions)
      if (condition.kind == Kind::Equal && condition.left == number && condition.right.asConstant())
        return condition.right;
    return number;
  }

  // Panels, as far as they are read.
  void lookAt(At& one, ir::Block& block) const {
    for (const auto& [input, panel] : here_.panels) {
      if (one.op.inputs[input].tensor != panel.part) continue;
      auto place = llvm::find_if(places_, [&](const Place& p) { return p.name == panel.across; });
      const bool isFilled = place != places_.end() && place->isWhole;
      one.op.inputs[input] =
          panelPart(work_, panel, knownHere(work_.extent(here_, panel.along)),
                    isFilled ? constant(panel.width) : work_.extent(here_, panel.across), block);
    }
    one.panels.clear();
  }

  // What is there of a block, if there is any.
  static ir::Block inRounds(Place& place, ir::Block body) {
    if (!place.isWhole) {
      ir::Block block;
      ir::Condition isThere{Kind::Less, place.position, place.extent};
      if (place.keeps) {
        block.push_back(
            {ir::Bound{place.size, {constant(place.by), place.extent - place.position}}});
        isThere = {Kind::LessEqual, constant(1), transforms::size(place.size)};
      }
      block.push_back({ir::If{{std::move(isThere)}, std::move(body), {}}});
      body = std::move(block);
    }
    if (!place.rounds) return body;
    place.rounds->body = std::move(body);
    return transforms::only({std::move(*place.rounds)});
  }

  ir::Block inside() {
    ir::Block block;
    At one = here_;
    lookAt(one, block);
    if (here_.registers) one.op.outputs.clear();
    for (const Place& place : places_) {
      std::vector<transforms::Dimension> dims;
      const Expr by = constant(place.by);
      if (place.keeps)
        dims.push_back(
            {place.name, place.isWhole ? by : transforms::size(place.size), constant(1)});
      one.op = transforms::onPositions(work_.builder, one.op, place.name, dims, place.position,
                                       "_" + place.name, block);
      one.limit(place.name, place.by);
      one.move(place.name, by, place.keeps ? place.position + at(place.name) : place.position);
      if (one.find(place.name)) one.minima.assumePositive(work_.extent(one, place.name));
    }
    if (here_.registers) one.op.outputs = {sums(block)};
    one.registers.reset();
    one.bound = BindStep::To::Invocations;
    one.on = ir::On::Invocations;
    one.isBindable = false;
    one.isTiled = one.isInLoop = true;
    transforms::append(block, work_.rest(std::move(one)));
    return block;
  }

  ir::Operand sums(ir::Block& block) const {
    std::vector<std::string> vars, names;
    std::vector<Expr> extents;
    for (const Place& place : places_) {
      vars.push_back(place.invocations.var);
      names.push_back(place.name);
      extents.push_back(place.isWhole ? constant(place.by) : transforms::size(place.size));
    }
    return sumsOf(work_, here_.registers->sums, vars, names, extents, block);
  }

  const Work& work_;
  At here_;
  const BindStep& step_;
  std::vector<Place> places_;
};

}  // namespace

std::optional<std::string> notInWorkgroup(const At& here) {
  if (!here.bound) return "memory is shared in a workgroup: bind one to workgroups before";
  if (here.bound == BindStep::To::Invocations)
    return "an invocation takes no memory of the workgroup: copy before 'bind' to invocations";
  return std::nullopt;
}

ir::Block bindOver(const Work& work, At here, const BindStep& step) {
  if (auto why = cannotShareOut(work, here, step)) return work.refuse(here, *why);
  return ShareOut(work, std::move(here), step).run();
}

}  // namespace einc::strategy
