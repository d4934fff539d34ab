// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   pack B (n: 48)
//   pack B (n: 48) along kh, kw, c as k to i32 in pieces of 16 on threads (131072)
//   pack Q with s (n: 48) along k as p computed
//
// What follows reads [panel][k][n] in place of [k][n]; each tile of 48 along `n` is a panel.
#include <algorithm>
#include <utility>

#include "compiler/strategy/conversion.h"
#include "compiler/strategy/plan/limits.h"
#include "compiler/strategy/plan/verbs/pack_words.h"
#include "compiler/strategy/plan/verbs/place.h"
#include "compiler/strategy/plan/words.h"
#include "compiler/support/text_writer.h"
#include "compiler/transforms/tile.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

using affine::Expr;
using transforms::at;
using transforms::constant;

// The same as `let` says it, for memory that is no larger than the op's sizes ask for.
Expr roomAlong(const At& here, const std::string& iterator, int64_t most) {
  auto room = here.rooms.find(iterator);
  return room == here.rooms.end() ? constant(most) : room->second;
}

// How many panels of `width` are in so many positions, which may be multiples of it.
Expr panelsIn(const At& here, const Expr& positions, int64_t width) {
  const std::vector<Expr>* of = here.minima.of(positions);
  if (of && llvm::all_of(*of, [&](const Expr& e) { return isMultiple(e, width); }))
    return positions.floorDiv(constant(width));
  return positions.ceilDiv(constant(width));
}

// The number by the name that `let` has for just that.
Expr named(const At& here, const Expr& number) {
  for (const auto& [name, let] : here.lets) {
    const std::vector<Expr>* of = here.minima.of(let.value);
    if (let.isOutside && of && *of == std::vector{number}) return let.value;
  }
  return number;
}

Result<std::vector<std::string>> alongIn(const At& here, size_t input, const PackStep& step) {
  std::vector<std::string> used = transforms::iteratorsOf(here.op.inputs[input]), along;
  for (const std::string& name : step.along) {
    if (!here.find(name)) return Reason{noIterator(here, name)};
    along.push_back(here.actualName(name));
  }
  const std::string across = here.actualName(step.panel.name);
  if (along.empty())
    for (const std::string& name : used)
      if (name != across) along.push_back(name);
  std::vector<std::string> all = along;
  all.push_back(across);
  if (std::is_permutation(used.begin(), used.end(), all.begin(), all.end()) &&
      (along.size() == 1 || !step.along.empty()))
    return along;
  return Reason{step.operand.str() + " is packed where it has " +
                (step.along.empty()
                     ? "two dimensions, one along '" + step.panel.name + "'"
                     : "just '" + step.panel.name + "' and what stands behind 'along'") +
                ": tile the others by 1 before"};
}

// They become one reduction, in their order.
std::optional<std::string> cannotBeOne(const Work& work, const At& here, const PackStep& step) {
  if (step.as.empty()) return std::nullopt;
  std::vector<std::string> reductions;
  for (const ir::Iterator& i : here.op.iterators)
    if (i.kind == ir::IteratorKind::Reduction) reductions.push_back(i.name);
  std::vector<std::string> along;
  for (const std::string& name : step.along) along.push_back(here.actualName(name));
  if (!std::is_permutation(along.begin(), along.end(), reductions.begin(), reductions.end()))
    return reductions.empty() ? "no reduction is left to be packed along"
                              : "what is packed as one is all reductions: " + joined(reductions);
  if (along != reductions && !work.mayReorder(here)) return orderText(work, step.along[0]);
  if (along.size() > 1 && ir::usesPositions(here.op)) return "the payload computes with positions";
  if (isTaken(work, here, step.as) && llvm::none_of(here.packed, [&](const auto& other) {
        return other.second.as == step.as && other.second.along == along;
      }))
    return "there is something called '" + step.as + "' already";
  return std::nullopt;
}

// An input and those that are packed with it.
std::vector<size_t> sideOf(size_t input, const Packed& packed) {
  std::vector<size_t> side = {input};
  side.insert(side.end(), packed.with.begin(), packed.with.end());
  return side;
}

// The payload on what was packed. It does not read the others that are in it any more; they stay as operands, as steps know
// operands by their numbers.
void onPacked(const Work& work, ir::StructuredOp& op, size_t input, const Packed& packed) {
  if (packed.words) return;  // both inputs at once
  if (packed.isComputed) onComputed(op, sideOf(input, packed));
  for (size_t other : packed.with) op.inputs[other] = op.inputs[input];
  if (!packed.isComputed) onCastType(op, input, work.builder.kernel().tensors[packed.buffer].type);
}

// Reads of the panel, by a view that goes to `block`.
void readPanel(const Work& work, At& here, size_t input, const std::string& p, ir::Block& block) {
  const Packed packed = here.packed.at(input);
  here.op.inputs[input] = panelView(work, here, packed, p, block);
  onPacked(work, here.op, input, packed);
  // Neighbours in a panel are neighbours in memory.
  here.forgetNeighbours(input);
  here.contiguous.emplace(input, packed.across);
}

// Whether all that is read along the reductions is packed, and its panels are at hand.
bool areAllPacked(const At& here, const std::vector<std::string>& along) {
  for (size_t i = 0; i < here.op.operandCount(); ++i) {
    auto packed = here.packed.find(i);
    if (llvm::any_of(here.packed,
                     [&](const auto& one) { return llvm::is_contained(one.second.with, i); }))
      continue;
    if (packed != here.packed.end() ? !packed->second.isLookedAt || packed->second.along != along
                                    : llvm::any_of(transforms::iteratorsOf(here.op.operand(i)),
                                                   [&](const std::string& name) {
                                                     return llvm::is_contained(along, name);
                                                   }))
      return false;
  }
  return true;
}

// The reductions become one.
void readAsOne(const Work& work, At& here, ir::Block& block) {
  const Packed any = here.packed.begin()->second;
  if (any.as.empty() || !areAllPacked(here, any.along)) return;
  const std::string p = work.builder.name("p");
  // Those that were packed last are looked at first.
  std::vector<std::pair<size_t, size_t>> order;
  for (const auto& [input, packed] : here.packed) order.emplace_back(packed.number, input);
  std::sort(order.rbegin(), order.rend());
  At before = here;
  for (const auto& [number, input] : order) {
    At one = before;
    readPanel(work, one, input, p, block);
    here.op.inputs[input] = one.op.inputs[input];
    onPacked(work, here.op, input, here.packed.at(input));
    here.contiguous.emplace(input, here.packed.at(input).across);
    readMoved(work, here, here.packed.at(input), block);
  }
  if (any.words) onWords(here.op, *any.words);
  std::erase_if(here.op.iterators,
                [&](const ir::Iterator& i) { return llvm::is_contained(any.along, i.name); });
  here.op.iterators.push_back({p, ir::IteratorKind::Reduction});
  if (any.along.size() == 1) transforms::movePositions(here.op, any.along[0], at(p));
  here.actual[any.as] = p;
  here.packed.clear();
}

// The inputs that are packed with it.
Result<std::vector<size_t>> othersOf(const At& here, size_t input, const PackStep& step) {
  if (step.with.empty()) return std::vector<size_t>();
  if (!step.isComputed) return Reason{"several inputs are packed as what is 'computed' of them"};
  const std::vector<std::string> own = transforms::iteratorsOf(here.op.inputs[input]);
  std::vector<size_t> others;
  for (const OperandName& name : step.with) {
    auto other = here.operand(name);
    if (!other) return Reason{noOperand(here, name)};
    if (*other >= here.op.inputs.size() || *other == input || here.packed.count(*other) != 0 ||
        llvm::is_contained(others, *other))
      return Reason{name.str() + " is no other input that is not packed yet"};
    for (const std::string& iterator : transforms::iteratorsOf(here.op.inputs[*other]))
      if (!llvm::is_contained(own, iterator))
        return Reason{name.str() + " has an iterator that " + step.operand.str() + " lacks"};
    others.push_back(*other);
  }
  return others;
}

}  // namespace

Result<Packed> panelsOf(const Work& work, const At& here, size_t input, const PackStep& step,
                        bool isOne) {
  auto along = alongIn(here, input, step);
  if (!along) return Reason{along.reason()};
  if (step.panel.size < 2 || step.panel.size > kMostAcross || step.panel.size % 2 != 0)
    return Reason{"a panel has an even number of positions, up to " + std::to_string(kMostAcross)};
  if (step.piece < 1 || step.piece > step.panel.size || step.panel.size % step.piece != 0)
    return Reason{"a panel has whole pieces"};
  const std::string across = here.actualName(step.panel.name);
  const ir::ScalarType type = castType(work.builder.kernel(), here.op, input);
  const ir::Tensor tensor = work.builder.kernel().tensors[here.op.inputs[input].tensor];
  if (step.type && *step.type != type && *step.type != tensor.type)
    return Reason{"the payload does not cast " + step.operand.str() +
                  " to that type, and to that alone"};
  auto others = othersOf(here, input, step);
  if (!others) return Reason{others.reason()};
  std::vector<size_t> side = {input};
  side.insert(side.end(), others->begin(), others->end());
  const ir::ValueRef computed = step.isComputed ? computedOf(here.op, side) : nullptr;
  if (step.isComputed && (!computed || step.type))
    return Reason{step.type ? "what is 'computed' has a type already"
                            : "the payload computes nothing of " + step.operand.str() +
                                  (step.with.empty() ? " alone" : " and these alone")};
  auto words = wordsAskedFor(work, here, step);
  if (!words) return Reason{words.reason()};
  const ir::ScalarType packedType = *words     ? (*words)->instruction->word()
                                    : computed ? computed->type
                                               : step.type.value_or(tensor.type);
  const int64_t width = step.panel.size, bytes = ir::info(packedType).bytes();
  std::vector<Expr> room;
  Expr length = constant(1);
  std::vector<std::string> dims = {across};
  dims.insert(dims.end(), along->begin(), along->end());
  for (const std::string& name : dims) {
    auto count = work.mostAlong(here, name);
    if (!count)
      return Reason{"the size of the panels is to be known: tile " + name + " before, by 256, say"};
    room.push_back(roomAlong(here, name, std::max<int64_t>(*count, 1)));  // memory is not empty
    if (name == across) continue;
    length = length * (name == along->back() ? panelExtent(room.back(), *words) : room.back());
  }
  const Expr rows = room.front();
  length = named(here, length);
  auto count = here.minima.mostOf(rows), all = here.minima.mostOfProduct(room);
  if (auto same = here.minima.mostOfProduct({rows, length}))
    all = std::min(all.value_or(*same), *same);
  room.erase(room.begin());
  // The last panel may be filled up.
  if (auto row = here.minima.mostOfProduct(room); !count || !all || !row || *row > kMostCopied ||
                                                  *all > kMostCopied ||
                                                  *all + *row * width > kMostCopied / bytes)
    return Reason{"panels of more than " + std::to_string(kMostCopied >> 30) +
                  " GiB: smaller tiles before them will do"};
  if (isOne && *count > width)
    return Reason{"the panel is to hold all: tile " + across + " by " + std::to_string(width) +
                  " before"};
  Expr panels = isOne ? constant(1) : panelsIn(here, rows, width);
  const std::string& own = step.operand.tensor;
  unsigned buffer = work.builder.tensor("packed_" + own.substr(0, own.find("_at")), packedType,
                                        {panels, length, constant(width)}, ir::Role::Local);
  Packed packed{buffer, across, std::move(*along), step.as, width, here.packed.size()};
  packed.isComputed = step.isComputed;
  packed.with = std::move(*others);
  packed.words = *words;
  return packed;
}

// `p` is the row of the panel, or, if that is "", the iterators stay.
ir::Operand panelView(const Work& work, const At& here, const Packed& packed, const std::string& p,
                      ir::Block& block) {
  const ir::Tensor buffer = work.builder.kernel().tensors[packed.buffer];
  std::vector<std::string> dims = p.empty() ? packed.along : std::vector{p};
  std::vector<Expr> shape, map;
  Expr position, count = constant(1);  // ((k1 * size2) + k2) * size3 + k3
  for (const std::string& k : packed.along) {
    Expr extent = work.extent(here, k);
    if (k == packed.along.back()) extent = panelExtent(extent, packed.words);
    position = position * extent + at(k);
    count = count * extent;
    if (p.empty()) shape.push_back(extent);
  }
  if (!p.empty()) {
    position = at(p);
    shape.push_back(count);
  }
  shape.push_back(work.extent(here, packed.across));
  dims.push_back(packed.across);
  for (const std::string& dim : dims) map.push_back(at(dim));
  unsigned view =
      work.builder.tensor(buffer.name + "_panel", buffer.type, std::move(shape), ir::Role::View);
  block.push_back({ir::View{
      view,
      packed.buffer,
      dims,
      {packed.origin.floorDiv(constant(packed.width)), std::move(position), at(packed.across)},
      nullptr}});
  return {view, std::move(map), nullptr};
}

ir::Block apply(const Work& work, At here, const PackStep& step) {
  auto which = here.operand(step.operand);
  if (!which) return work.refuse(here, noOperand(here, step.operand));
  if (*which >= here.op.inputs.size())
    return work.refuse(here, step.operand.str() + " is an output: inputs are packed");
  if (!here.find(step.panel.name)) return work.refuse(here, noIterator(here, step.panel.name));
  if (step.isOnWorkgroup || work.options.target->device)
    return packOnWorkgroup(work, std::move(here), step, *which);
  if (!here.padded.empty())
    return work.refuse(here, "'pack' stands behind the test of what may be outside");
  if (here.packed.count(*which) != 0) return work.refuse(here, "it is packed already");
  if (here.words && here.words->input == *which)
    return work.refuse(here, "it is read in words where it is");
  if (auto why = work.noVectors(here)) return work.refuse(here, *why);
  if (auto why = cannotBeOne(work, here, step)) return work.refuse(here, *why);
  auto packed = panelsOf(work, here, *which, step);
  if (!packed) return work.refuse(here, packed.reason());
  const ir::ScalarType type = work.builder.kernel().tensors[packed->buffer].type;
  Panels panels{packed->buffer, packed->width, type, step.piece, work.options.target->hasMasks};
  panels.words = packed->words;
  panels.areInside = areWordsInside(work, here, *which, packed->along.back());
  const std::vector<size_t> side = sideOf(*which, *packed);
  if (step.isComputed)
    panels.value = ir::rewrite(computedOf(here.op, side), [&](const ir::ValueRef& value) {
      auto* reference = std::get_if<ir::OperandRef>(&value->node);
      if (!reference) return ir::ValueRef();
      const auto place = llvm::find(side, size_t{reference->operand}) - side.begin();
      return ir::makeValue(value->type, ir::OperandRef{static_cast<unsigned>(place)});
    });
  ir::Block block;
  work.take(packed->buffer, block);
  transforms::append(
      block, pack(work.builder, here.op, side, panels, packed->across, packed->along,
                  {*work.options.target, work.lanes(here), step.threads ? work.options.threads : 1,
                   step.threads.value_or(1)}));
  sumMoved(work, here, *which, *packed, block);
  here.packed.emplace(*which, std::move(*packed));
  transforms::append(block, work.rest(std::move(here)));
  return block;
}

void lookAtPanels(const Work& work, At& here, const std::string& iterator, const Expr& origin,
                  int64_t by, ir::Block& block) {
  std::vector<size_t> done;
  for (auto& [input, packed] : here.packed) {
    if (packed.across != iterator) continue;
    packed.origin = packed.origin + origin;
    packed.isLookedAt |= by == packed.width;
    if (!packed.isLookedAt || !packed.as.empty()) continue;
    const Packed panel = packed;
    readPanel(work, here, input, "", block);
    readMoved(work, here, panel, block);
    if (here.words) readWords(work, here, block);
    done.push_back(input);
  }
  for (size_t input : done) here.packed.erase(input);
  if (!here.packed.empty()) readAsOne(work, here, block);
}

}  // namespace einc::strategy
