// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   when borders(ow) {
//     interior ow { ... when inside { ... } otherwise { ... } } border { ... }
//   }
//
// An input that may be read outside its tensor is there twice: as it is, and without its pad, for where
// that is not so. What becomes code has one of both.
#include <utility>

#include "compiler/strategy/plan/outside.h"
#include "compiler/strategy/plan/verbs/place.h"
#include "compiler/transforms/tile.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

using affine::Expr;
using transforms::constant;
using Kind = ir::Condition::Kind;

std::vector<Outside> all(const At& here) {
  std::vector<Outside> result;
  for (const At::Read& read : here.reads) result.push_back(read);
  return result;
}

ir::Block part(const Work& work, At here, const std::string& name, const Expr& from,
               const Expr& count, const std::string& suffix, const Steps& steps) {
  ir::Block block;
  if (count.asConstant() == 0) return block;
  here.op = transforms::onPositions(work.builder, here.op, name, {{name, count, constant(1)}}, from,
                                    suffix, block);
  if (auto known = count.asConstant()) here.limit(name, *known);
  here.move(name, from, from + transforms::at(name));
  transforms::append(block, work.run(std::move(here), steps));
  return block;
}

}  // namespace

void lookOutside(const Work& work, At& here) {
  settle(here, /*isInside=*/false);
  for (const Outside& one : findOutside(work.builder.kernel(), here.op))
    here.reads.push_back({one});
  here.padded = addTwins(work.builder.kernel(), here.op);
  // No step names them.
  here.names.insert(here.names.end() - static_cast<ptrdiff_t>(here.op.outputs.size()),
                    here.padded.size(), OperandName());
}

std::vector<ir::Operand> alike(const At& here, size_t operand) {
  std::vector<ir::Operand> result = {here.op.operand(operand)};
  const size_t count = here.op.inputs.size() - here.padded.size();
  for (size_t i = 0, read = 0; i < count; ++i) {
    if (here.op.inputs[i].shapeOnly) continue;
    auto twin = llvm::find(here.padded, read++);
    if (i == operand && twin != here.padded.end())
      result.push_back(here.op.inputs[count + static_cast<size_t>(twin - here.padded.begin())]);
  }
  return result;
}

void settle(At& here, bool isInside) {
  const size_t twins = here.padded.size();
  here.reads.clear();
  here.borders.clear();
  if (twins == 0) return;
  const size_t count = here.op.inputs.size() - twins;
  auto name = llvm::find(here.names, OperandName());
  here.names.erase(name, name + static_cast<ptrdiff_t>(twins));
  for (size_t i = 0; i < count && isInside; ++i) here.op.inputs[i] = alike(here, i).back();
  here.op.inputs.resize(count);
  shiftOperands(here.op, count + twins, -static_cast<int64_t>(twins));
  std::set<std::pair<size_t, std::string>> contiguous;
  for (const auto& [operand, along] : here.contiguous)
    contiguous.emplace(operand < count ? operand : operand - twins, along);
  here.contiguous = std::move(contiguous);
  if (here.streaming) here.streaming->operand -= twins;
  here.padded.clear();
}

Result<std::vector<ir::Condition>> bordersKnown(const Work& work, const At& here,
                                                const std::string& iterator) {
  if (!here.find(iterator)) return Reason{noIterator(here, iterator)};
  if (auto why = runBackwards(all(here))) return Reason{*why};
  const Borders borders(work.builder.kernel(), here.op, all(here), here.actualName(iterator));
  if (borders.isEmpty())
    return Reason{"nothing is known to be read outside a tensor along '" + iterator + "' here"};
  if (!borders.areNear())
    return Reason{"an index may be so far outside that 64 bits cannot say it"};
  std::vector<ir::Condition> conditions;
  for (const Expr& step : stepsOf(all(here)))
    conditions.push_back({Kind::LessEqual, constant(1), step});
  for (const std::string& name : borders.symbols()) {
    conditions.push_back({Kind::LessEqual, constant(-kFar), transforms::size(name)});
    conditions.push_back({Kind::LessEqual, transforms::size(name), constant(kFar)});
  }
  return conditions;
}

void findBorders(const Work& work, At& here, const std::string& iterator, ir::Block& block) {
  const std::string actual = here.actualName(iterator);
  auto least = [&](const std::string& name, const std::vector<Expr>& of) {
    if (llvm::all_of(of, [](const Expr& e) { return e.asConstant().has_value(); })) {
      int64_t result = INT64_MAX;
      for (const Expr& e : of) result = std::min(result, *e.asConstant());
      return constant(result);
    }
    const std::string bound = work.builder.name(actual + "_" + name);
    block.push_back({ir::Bound{bound, of}});
    return transforms::size(bound);
  };
  const Borders borders(work.builder.kernel(), here.op, all(here), actual);
  here.borders[actual] = borders.interior(least);
  here.isForward = true;
}

Result<std::vector<ir::Condition>> nothingOutside(const Work& work, const At& here) {
  if (auto why = runBackwards(all(here))) return Reason{*why};
  if (here.reads.empty()) return Reason{"nothing is known to be read outside a tensor here"};
  std::vector<ir::Condition> conditions;
  // Ends are those of indices that run forwards.
  for (const Expr& step : here.isForward ? std::vector<Expr>() : stepsOf(all(here))) {
    conditions.push_back({Kind::LessEqual, constant(1), step});
    conditions.push_back({Kind::LessEqual, step, constant(kFar)});
  }
  for (const At::Read& read : here.reads) {
    if (read.isInside) continue;
    const Ends ends = endsOf(work.builder.kernel(), here.op, read.index);
    conditions.push_back({Kind::LessEqual, Expr(), ends.first});
    conditions.push_back({Kind::Less, ends.last, read.size});
  }
  return conditions;
}

ir::Block apply(const Work& work, At here, const InteriorStep& step) {
  if (!work.isLast()) return work.refuse(here, "what follows 'interior' stands in its two parts");
  if (auto why = work.cannotCut(here, step.iterator)) return work.refuse(here, *why);
  if (here.isReduction(step.iterator))
    return work.refuse(here, "'" + step.iterator + "' is a reduction: results have an interior");
  const std::string name = here.actualName(step.iterator);
  auto found = here.borders.find(name);
  if (found == here.borders.end())
    return work.refuse(here, "the borders are to be known: when borders(" + step.iterator +
                                 ") { ... }, and '" + step.iterator + "' whole");
  const auto [low, count] = found->second;
  const Expr extent = work.extent(here, name);
  At border = here;
  settle(border, /*isInside=*/false);
  for (At::Read& read : here.reads) read.isInside |= !read.index.stepAlong(name)->isZero();
  ir::Block block = part(work, border, name, constant(0), low, "_before", step.border);
  transforms::append(block, part(work, here, name, low, count, "_inside", step.inside));
  transforms::append(
      block, part(work, border, name, low + count, extent - low - count, "_after", step.border));
  return block;
}

}  // namespace einc::strategy
