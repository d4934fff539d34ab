// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   pack A (m: 64) on workgroup (68)
//
//   before  op (m: parallel, n: parallel, k: reduction) ins(%A[m, k], %B[k, n]) outs(%C[m, n])
//                                                       in a workgroup, at most 64 of m and 16 of k
//   after   alloc %A_tile: tensor<16 x 68> in workgroup
//           view %A_pad: tensor<16 x 64> = (k, m) -> %A[m, k] pad 0.0
//           if unit %A[1] { op (m: parallel, k: parallel) ins(%A_pad[k, m]) outs(%A_tile[k, m]) }
//           else          { op (k: parallel, m: parallel) ... }
//           op ... ins(%A_part[k, m], %B[k, n]) outs(%C[m, n])       %A_part: what there is of %A_tile
//
// Invocations that are neighbours copy neighbours of the input. What there is not is zeros: results that are
// kept in registers may be computed of these, too, and are not stored (verbs/results_on_device.cpp).
#include <algorithm>
#include <utility>

#include "compiler/strategy/conversion.h"
#include "compiler/strategy/plan/verbs/place.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

using affine::Expr;
using transforms::at;
using transforms::constant;

std::optional<std::string> cannotPack(const Work& work, const At& here, const PackStep& step,
                                      size_t input) {
  const std::string name = step.operand.str();
  if (!work.options.target->device)
    return std::string(work.options.target->name) + " has no workgroups";
  if (!step.isOnWorkgroup)
    return "a device packs to the memory of a workgroup: pack " + name + " (...) on workgroup";
  if (step.piece > 1 || !step.along.empty() || !step.as.empty())
    return "'along', 'as' and 'in pieces' are for CPUs";
  if (auto why = notInWorkgroup(here)) return why;
  if (here.panels.count(input) != 0) return "it is packed already";
  if (here.isReduction(step.panel.name)) return "rows of a panel lie along results";
  const std::string across = here.actualName(step.panel.name);
  const std::vector<std::string> used = transforms::iteratorsOf(here.op.inputs[input]);
  if (used.size() != 2 || !llvm::is_contained(used, across))
    return name + " is packed where it has two dimensions, one along '" + step.panel.name +
           "': bind or tile the others by 1, or collapse them, before";
  auto most = work.mostAlong(here, across);
  const std::string width = std::to_string(step.panel.size);
  if (!most || *most > step.panel.size)
    return "the panel is to hold all: bind " + step.panel.name + " by " + width +
           " to workgroups before";
  if (step.panel.size > 2 * *most) return "a panel is at most twice as wide as what it holds";
  const std::string& along = used[0] == across ? used[1] : used[0];
  if (!work.mostAlong(here, along))
    return "the size of the panel is to be known: tile " + along + " before, by 16, say";
  if (auto why = noRow(step.row, step.panel.size)) return why;
  const ir::ScalarType own = work.builder.kernel().tensors[here.op.inputs[input].tensor].type;
  if (step.isComputed) return "'computed' is for CPUs";
  if (step.type && *step.type != own &&
      *step.type != castType(work.builder.kernel(), here.op, input))
    return "the payload does not cast " + name + " to that type, and to that alone";
  return std::nullopt;
}

// By neighbours along the dimension that is contiguous.
ir::Block copied(const Work& work, const ir::Operand& from, const Panel& panel, int64_t rows) {
  transforms::Builder& builder = work.builder;
  const ir::Tensor source = builder.kernel().tensors[from.tensor];
  const ir::ScalarType type = builder.kernel().tensors[panel.buffer].type;
  const unsigned padded = builder.tensor(source.name + "_pad", source.type,
                                         {constant(rows), constant(panel.width)}, ir::Role::View);
  ir::View view{padded, from.tensor, {panel.along, panel.across}, from.map, nullptr};
  view.pad = ir::makeLiteral(source.type, ir::Number{});
  auto copy = [&](bool isAlongRows) {
    ir::StructuredOp result;
    result.iterators = {{panel.along, ir::IteratorKind::Parallel},
                        {panel.across, ir::IteratorKind::Parallel}};
    if (isAlongRows) std::swap(result.iterators[0], result.iterators[1]);
    const std::vector<Expr> map = {at(panel.along), at(panel.across)};
    result.inputs = {{padded, map, nullptr}};
    result.outputs = {{panel.buffer, map, nullptr}};
    result.results = {ir::makeCast(type, ir::makeValue(source.type, ir::OperandRef{0}))};
    return transforms::only({std::move(result)});
  };
  return {
      {std::move(view)},
      {ir::If{
          {{ir::Condition::Kind::Unit, {}, {}, from.tensor, transforms::dimOf(from, panel.along)}},
          copy(true),
          copy(false)}}};
}

}  // namespace

ir::Operand panelPart(const Work& work, const Panel& panel, const Expr& rows, const Expr& positions,
                      ir::Block& block) {
  const ir::Tensor whole = work.builder.kernel().tensors[panel.buffer];
  const unsigned part =
      work.builder.tensor(whole.name + "_part", whole.type, {rows, positions}, ir::Role::View);
  const std::vector<Expr> map = {at(panel.along), at(panel.across)};
  block.push_back({ir::View{part, panel.buffer, {panel.along, panel.across}, map, nullptr}});
  return {part, map, nullptr};
}

ir::Block packOnWorkgroup(const Work& work, At here, const PackStep& step, size_t input) {
  if (auto why = cannotPack(work, here, step, input)) return work.refuse(here, *why);
  const ir::Operand from = here.op.inputs[input];
  const ir::Tensor source = work.builder.kernel().tensors[from.tensor];
  const std::string across = here.actualName(step.panel.name);
  const std::vector<std::string> used = transforms::iteratorsOf(from);
  Panel panel{0, used[0] == across ? used[1] : used[0], across, step.panel.size};
  const int64_t rows = *work.mostAlong(here, panel.along), row = step.row.value_or(panel.width);
  const ir::ScalarType type = step.type.value_or(source.type);
  if (auto why = work.takeShared(
          here, rows * row * std::max<int64_t>(static_cast<int64_t>(ir::info(type).bytes()), 4)))
    return work.refuse(here, *why);
  panel.buffer = work.builder.tensor(step.operand.tensor + "_tile", type,
                                     {constant(rows), constant(row)}, ir::Role::Local);
  ir::Block block = transforms::only({ir::Alloc{panel.buffer, ir::Space::Workgroup}});
  transforms::append(block, copied(work, from, panel, rows));
  here.op.inputs[input] =
      panelPart(work, panel, work.extent(here, panel.along), work.extent(here, across), block);
  onCastType(here.op, input, type);
  here.forgetNeighbours(input);
  here.contiguous.emplace(input, across);
  panel.part = here.op.inputs[input].tensor;
  here.panels.emplace(input, std::move(panel));
  here.hasShared = true;
  transforms::append(block, work.rest(std::move(here)));
  return block;
}

}  // namespace einc::strategy
