// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   pack B (n: 48)
//
// What follows reads [panel][k][n] in place of [k][n]; each tile of 48 along `n` is a panel.
#include "compiler/strategy/contractions/pack.h"

#include <algorithm>
#include <utility>

#include "compiler/strategy/plan/verbs/place.h"

namespace einc::strategy {
namespace {

using transforms::at;
using transforms::constant;

// Panels are memory that a kernel takes: no more than this.
constexpr int64_t kMostBytes = int64_t{1} << 30;

// How many positions there may be, where that is known; at least one, for memory.
std::optional<int64_t> mostOf(const Work& work, const At& here, const std::string& iterator) {
  auto least = [](int64_t number) { return std::max<int64_t>(number, 1); };
  if (auto known = work.extent(here, iterator).asConstant()) return least(*known);
  auto most = here.most.find(iterator);
  return most == here.most.end() ? std::nullopt : std::optional(least(most->second));
}

Result<Packed> panelsOf(const Work& work, const At& here, size_t input, const PackStep& step) {
  const std::string across = here.actualName(step.panel.name);
  std::vector<std::string> used = transforms::iteratorsOf(here.op.inputs[input]);
  if (used.size() != 2 || (used[0] != across && used[1] != across))
    return Reason{step.operand.str() + " is packed where it has two dimensions, one along '" +
                  step.panel.name + "': tile the others by 1 before"};
  const std::string along = used[0] == across ? used[1] : used[0];
  if (step.panel.size < 2 || step.panel.size > 1024 || step.panel.size % 2 != 0)
    return Reason{"a panel has an even number of positions, up to 1024"};
  auto rows = mostOf(work, here, across), length = mostOf(work, here, along);
  for (const auto& [name, most] : {std::pair(across, rows), std::pair(along, length)})
    if (!most)
      return Reason{"the size of the panels is to be known: tile " + name + " before, by 256, say"};
  const int64_t width = step.panel.size, bytes = work.bytesOf(here.op.inputs[input]);
  if (*rows > kMostBytes || *length > kMostBytes || *rows + width > kMostBytes / bytes / *length)
    return Reason{"panels of more than 1 GiB: smaller tiles before them will do"};
  const ir::Tensor tensor = work.builder.kernel().tensors[here.op.inputs[input].tensor];
  unsigned buffer = work.builder.tensor(
      "packed_" + tensor.name.substr(0, tensor.name.find('_')), tensor.type,
      {constant((*rows + width - 1) / width), constant(*length), constant(width)}, ir::Role::Local);
  return Packed{buffer, across, along, width};
}

}  // namespace

ir::Block apply(const Work& work, At here, const PackStep& step) {
  auto which = here.operand(step.operand);
  if (!which) return work.refuse(here, noOperand(here, step.operand));
  if (*which >= here.op.inputs.size())
    return work.refuse(here, step.operand.str() + " is an output: inputs are packed");
  if (!here.find(step.panel.name)) return work.refuse(here, noIterator(here, step.panel.name));
  if (!here.padded.empty())
    return work.refuse(here, "'pack' stands behind the test of what may be outside");
  if (here.packed.count(*which) != 0) return work.refuse(here, "it is packed already");
  if (auto why = work.noVectors(here)) return work.refuse(here, *why);
  auto packed = panelsOf(work, here, *which, step);
  if (!packed) return work.refuse(here, packed.reason());
  const ir::ScalarType type = work.builder.kernel().tensors[packed->buffer].type;
  Panels panels{packed->buffer, packed->width, type, 1, work.options.target->hasMasks};
  ir::Block block = transforms::only({ir::Alloc{packed->buffer, ir::Space::Heap}});
  transforms::append(block, pack(work.builder, here.op, *which, panels, packed->across,
                                 {packed->along}, work.lanes(here)));
  here.packed.emplace(*which, std::move(*packed));
  transforms::append(block, work.rest(std::move(here)));
  return block;
}

void lookAtPanels(const Work& work, At& here, const std::string& iterator,
                  const affine::Expr& origin, int64_t by, ir::Block& block) {
  for (auto next = here.packed.begin(); next != here.packed.end();) {
    auto& [input, packed] = *next;
    if (packed.across == iterator) packed.origin = packed.origin + origin;
    if (packed.across != iterator || by != packed.width) {
      ++next;
      continue;
    }
    const ir::Tensor buffer = work.builder.kernel().tensors[packed.buffer];
    unsigned view = work.builder.tensor(
        buffer.name + "_panel", buffer.type,
        {work.extent(here, packed.along), work.extent(here, iterator)}, ir::Role::View);
    block.push_back(
        {ir::View{view,
                  packed.buffer,
                  {packed.along, iterator},
                  {packed.origin.floorDiv(constant(packed.width)), at(packed.along), at(iterator)},
                  nullptr}});
    here.op.inputs[input] = {view, {at(packed.along), at(iterator)}, nullptr};
    // Neighbours in a panel are neighbours in memory.
    here.contiguous.emplace(input, iterator);
    next = here.packed.erase(next);
  }
}

}  // namespace einc::strategy
