// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   copy B (n, k) as transposed on stack { loops }
#include <algorithm>
#include <utility>

#include "compiler/strategy/plan/verbs/copies.h"
#include "compiler/support/text_writer.h"

namespace einc::strategy {
namespace {

using affine::Expr;
using transforms::at;

// Why there is no such memory here.
std::optional<std::string> noMemory(const Work& work, const At& here, const CopyStep& step) {
  const bool isShared = step.where == CopyStep::Where::Workgroup;
  if (!work.options.target->device)
    return isShared ? std::optional(std::string(work.options.target->name) + " has no workgroups")
                    : std::nullopt;
  if (!isShared) return "a device copies to the memory of a workgroup: copy ... on workgroup";
  return notInWorkgroup(here);
}

// As much of the workgroup's memory as there is room, with longer rows.
std::optional<std::string> takeShared(const Work& work, const At& here, const CopyStep& step,
                                      const ir::Operand& from, std::vector<Expr>& room) {
  const int64_t used = *room.back().asConstant();
  if (auto why = noRow(step.row, used)) return why;
  if (step.row) room.back() = transforms::constant(*step.row);
  int64_t bytes = work.bytesInShared(from);
  for (const Expr& extent : room) bytes *= *extent.asConstant();
  return work.takeShared(here, bytes);
}

}  // namespace

ir::Block apply(const Work& work, At here, const CopyStep& step) {
  auto input = inputOf(work, here, step.operand);
  if (!input) return work.refuse(here, input.reason());
  if (auto why = noMemory(work, here, step)) return work.refuse(here, *why);
  const ir::Operand from = here.op.inputs[*input];
  std::vector<std::string> names;
  for (const std::string& name : step.dimensions) {
    if (!here.find(name)) return work.refuse(here, noIterator(here, name));
    names.push_back(here.actualName(name));
  }
  const std::vector<std::string> used = transforms::iteratorsOf(from);
  if (!std::is_permutation(used.begin(), used.end(), names.begin(), names.end()))
    return work.refuse(here, "a copy has the dimensions that " + step.operand.str() +
                                 " has here: " + joined(used));
  auto room = roomFor(work, here, names, work.bytesOf(from), step.where == CopyStep::Where::Stack);
  if (!room) return work.refuse(here, room.reason());
  if (step.where == CopyStep::Where::Workgroup)
    if (auto why = takeShared(work, here, step, from, *room)) return work.refuse(here, *why);
  const ir::Tensor tensor = work.builder.kernel().tensors[from.tensor];
  std::vector<Expr> map;
  At copy;
  for (const std::string& name : names) {
    map.push_back(at(name));
    copy.op.iterators.push_back({name, ir::IteratorKind::Parallel});
  }
  unsigned buffer = work.builder.tensor(step.name, tensor.type, *room, ir::Role::Local);
  ir::Block block;
  take(work, buffer, step.where, block);
  std::vector<Expr> extents;
  for (const std::string& name : names) extents.push_back(work.extent(here, name));
  unsigned part = buffer;
  if (extents != *room) {
    part = work.builder.tensor(step.name + "_part", tensor.type, extents, ir::Role::View);
    block.push_back({ir::View{part, buffer, names, map, nullptr}});
  }
  copy.op.inputs = {from};
  copy.op.outputs = {{part, map, nullptr}};
  copy.op.results = {ir::makeValue(tensor.type, ir::OperandRef{0})};
  copy.names = {step.operand, {step.name, 0}};
  copy.isReady = true;
  copy.actual = here.actual;
  copy.isInLoop = here.isInLoop;
  copy.bound = here.bound;
  copy.on = here.on;
  copy.sharedBytes = here.sharedBytes;
  for (const std::string& name : names)
    if (auto most = here.most.find(name); most != here.most.end()) copy.most.insert(*most);
  transforms::append(block, work.run(std::move(copy), step.how));
  here.hasShared |= step.where == CopyStep::Where::Workgroup;
  here.op.inputs[*input] = {part, std::move(map), nullptr};
  here.forgetNeighbours(*input);
  here.contiguous.emplace(*input, names.back());
  transforms::append(block, work.rest(std::move(here)));
  return block;
}

}  // namespace einc::strategy
