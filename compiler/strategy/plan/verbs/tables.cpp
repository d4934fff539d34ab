// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   tables m
#include <algorithm>

#include "compiler/strategy/collapse.h"
#include "compiler/strategy/plan/limits.h"
#include "compiler/strategy/plan/verbs/place.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

// The operand as the spec has it; null if it is none of those.
const ir::Operand* specOf(const At& here, size_t operand) {
  if (!here.spec) return nullptr;
  if (operand < here.op.inputs.size()) {
    auto input = here.inSpec(operand);
    return input ? &here.spec->inputs[*input] : nullptr;
  }
  const size_t output = operand - here.op.inputs.size();
  return output < here.spec->outputs.size() ? &here.spec->outputs[output] : nullptr;
}

// Whether each index is a part that moves with the group's iterators, and one that does not: a quotient of both is neither.
bool isSumOfParts(const ir::Operand& operand, const std::vector<std::string>& group) {
  return llvm::all_of(operand.map, [&](const affine::Expr& index) {
    return llvm::all_of(index.terms(), [&](const affine::Term& term) {
      const std::vector<std::string> names = affine::Expr::term(term).iterators();
      const auto own = llvm::count_if(
          names, [&](const std::string& name) { return llvm::is_contained(group, name); });
      return own == 0 || own == static_cast<ptrdiff_t>(names.size());
    });
  });
}

// How many quotients and rests stand for a group: of one that has more than one position none.
int64_t quotientsOf(const Work& work, const std::vector<std::string>& group, const At& here) {
  if (!here.spec) return 0;
  const auto several = llvm::count_if(group, [&](const std::string& name) {
    return work.builder.hasExtent(*here.spec, name) &&
           work.builder.extent(*here.spec, name).asConstant() != 1;
  });
  return several < 2 ? 0 : several;
}

}  // namespace

ir::Block apply(const Work& work, const At& here, const TablesStep& step) {
  if (!here.find(step.iterator)) return work.refuse(here, noIterator(here, step.iterator));
  const std::string name = here.actualName(step.iterator);
  if (here.collapsed.count(name) == 0)
    return work.refuse(here,
                       "'" + step.iterator + "' is not several iterators: collapse them before");
  auto most = here.most.find(name);
  if (most == here.most.end() || most->second > kMostInTable)
    return work.refuse(here, "'" + step.iterator + "' may have more than " +
                                 std::to_string(kMostInTable) + " positions: tile it before");
  ir::Block block;
  const std::vector<std::string>& group = here.collapsed.at(name);
  const int64_t rows = quotientsOf(work, group, here);
  const bool hasRoom = rows <= kMostInTable / std::max<int64_t>(most->second, 1);
  for (size_t i = 0; i < here.op.operandCount(); ++i) {
    const ir::Operand* spec = specOf(here, i);
    if (here.spec && (!spec || !isSumOfParts(*spec, group))) continue;
    const bool isTested = spec && spec->pad && here.bordered.count(i) == 0;
    offsetTable(work.builder, here.op.operand(i), name, most->second, block,
                isTested && hasRoom ? rows : 0);
  }
  transforms::append(block, work.rest(here));
  return block;
}

}  // namespace einc::strategy
