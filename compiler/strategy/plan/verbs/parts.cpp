// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   parts k by 4096 as k_part { ... } fill { ... } combine { ... } rest { ... }
//
// IR before and after stands in transforms/split.h; each op of it is done by the list of its name,
// or, `together`, two of them by one.
#include <utility>

#include "compiler/strategy/collapse.h"
#include "compiler/strategy/plan/limits.h"
#include "compiler/strategy/plan/verbs/place.h"
#include "compiler/transforms/combiner.h"
#include "compiler/transforms/split.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

using affine::Expr;

// A part has these positions.
std::optional<std::string> cannotBePart(const Work& work, const At& here, const Expr& by) {
  if (by.asConstant().value_or(0) > kMostInPart)
    return "a part has at most " + std::to_string(kMostInPart) + " positions";
  if (here.minima.isPositive(facts::Signs(work.builder.kernel()), by, transforms::constant(1)))
    return std::nullopt;
  return "a part has 1 position or more";
}

// A part of the op, which is by itself here.
std::optional<std::string> cannotPart(const Work& work, const At& here, const PartsStep& step) {
  if (!work.isLast()) return "what follows 'parts' stands in its lists";
  for (const std::string& name : step.iterators) {
    if (auto why = work.cannotCut(here, name)) return why;
    if (!here.isReduction(name)) return "'" + name + "' is no reduction";
    if (llvm::count(step.iterators, name) > 1) return "'" + name + "' stands twice";
  }
  if (!work.mayReorder(here)) return orderText(work, step.iterators[0]);
  if (here.isTiled) return "'parts' takes memory, once: it stands before all tiles";
  if (here.streaming) return "'parts' stands before 'non_temporal'";
  if (isTaken(work, here, step.name))
    return "there is something called '" + step.name + "' already";
  return std::nullopt;
}

// What becomes of an op.
struct Split {
  std::vector<ir::StructuredOp> ops;  // fill, parts, combine, rest
  std::vector<ir::Block> names;       // memory and views before each
  std::string part;                   // the iterator over parts
  PartsNames called;
  std::vector<OperandName> namesOf(size_t op) const {
    return op == 0 ? called.fill : op == 1 ? called.parts : op == 2 ? called.combine : called.rest;
  }
};

Split splitOp(const Work& work, At& here, const PartsStep& step, const Expr& by) {
  Split result;
  std::vector<std::string> group;
  for (const std::string& name : step.iterators) group.push_back(here.actualName(name));
  ir::Block names;
  const std::string name = collapse(work.builder, here.op, group, names);
  result.called = partsNames(here.names, here.op.outputs.size());
  for (ir::Stmt& stmt : transforms::splitReduction(work.builder, here.op, name, by, step.name)) {
    auto* op = std::get_if<ir::StructuredOp>(&stmt.node);
    if (!op) {
      names.push_back(std::move(stmt));
      continue;
    }
    result.ops.push_back(std::move(*op));
    result.names.push_back(std::exchange(names, {}));
  }
  result.part = result.ops[0].iterators[0].name;
  return result;
}

// All memory and views, and the parts.
void startParts(const Work& work, const At& here, const PartsStep& step, Split& split,
                ir::Block& block) {
  for (ir::Block& names : split.names) transforms::append(block, std::move(names));
  At inside = here.around();
  inside.actual[step.name] = split.part;
  std::set<unsigned> elsewhere;
  for (const ir::Operand& output : split.ops[0].outputs) elsewhere.insert(output.tensor);
  transforms::append(
      block,
      work.startShared(std::move(inside),
                       {{split.ops[0], split.ops[1]}, {0, 1}, {split.namesOf(0), split.namesOf(1)}},
                       std::move(elsewhere), step.parts));
}

ir::Block together(const Work& work, At here, const PartsStep& step, const Expr& by) {
  const std::set<unsigned> elsewhere = usedElsewhere(work.builder.kernel(), {*here.spec});
  Split split = splitOp(work, here, step, by);
  ir::Block block;
  startParts(work, here, step, split, block);
  At inside = here.around();
  inside.actual[step.name] = split.part;
  transforms::append(
      block,
      work.startShared(std::move(inside),
                       {{split.ops[2], split.ops[3]}, {0, 1}, {split.namesOf(2), split.namesOf(3)}},
                       elsewhere, step.combine));
  return block;
}

std::optional<std::string> cannotPartShared(const Work& work, const At& here,
                                            const PartsStep& step) {
  if (!work.isLast()) return "what follows 'parts' stands in its lists";
  if (!step.op || !step.together)
    return "which of the ops is in parts? parts ... of op 1 together { } combine { }";
  const auto number = static_cast<size_t>(*step.op);
  const std::string op = "op " + std::to_string(*step.op);
  if (*step.op < 0 || !here.shared->hasOp(number)) return "there is no " + op + " among these";
  if (here.isTiled || here.next != here.shared->first())
    return "'parts' stands before all loops, and before the ops that are done";
  if (readsResults(work.builder.kernel(), here.shared->given().ops, here.shared->indexOf(number)))
    return op + " may read what an op before it writes, and parts of it come before";
  return std::nullopt;
}

// All ops, of which one is in parts.
ir::Block partsOfShared(const Work& work, const At& here, const PartsStep& step) {
  if (auto why = cannotPartShared(work, here, step)) return work.refuse(here, *why);
  const NumberedOps& all = here.shared->given();
  const auto number = static_cast<size_t>(*step.op);
  const size_t which = here.shared->indexOf(number);
  At one = here.around();
  one.op = transforms::asSum(all.ops[which]);
  one.names = here.shared->names(number);
  ir::Block block;
  transforms::canonicalize(work.builder, one.op, block);
  if (auto why = cannotPart(work, one, step)) return work.refuse(here, *why);
  auto by = work.number(here, step.by);
  if (!by) return work.refuse(here, by.reason());
  if (auto why = cannotBePart(work, here, *by)) return work.refuse(here, *why);
  Split split = splitOp(work, one, step, *by);
  startParts(work, here, step, split, block);
  NumberedOps rest;
  auto add = [&](ir::StructuredOp op, std::vector<OperandName> names) {
    rest.numbers.push_back(rest.ops.size());
    rest.ops.push_back(std::move(op));
    rest.names.push_back(std::move(names));
  };
  for (size_t i = 0; i < all.ops.size(); ++i) {
    if (i != which) {
      add(all.ops[i], here.shared->names(all.numbers[i]));
      continue;
    }
    add(std::move(split.ops[2]), split.namesOf(2));
    add(std::move(split.ops[3]), split.namesOf(3));
  }
  At inside = here.around();
  inside.actual[step.name] = split.part;
  transforms::append(block, work.startShared(std::move(inside), std::move(rest),
                                             here.shared->elsewhere(), step.combine));
  return block;
}

}  // namespace

ir::Block apply(const Work& work, At here, const PartsStep& step) {
  if (here.shared) return partsOfShared(work, here, step);
  if (step.op) return work.refuse(here, "'of op' is for ops that share loops");
  if (auto why = cannotPart(work, here, step)) return work.refuse(here, *why);
  auto by = work.number(here, step.by);
  if (!by) return work.refuse(here, by.reason());
  if (auto why = cannotBePart(work, here, *by)) return work.refuse(here, *why);
  settle(here, /*isInside=*/false);
  if (step.together) return together(work, std::move(here), step, *by);
  here.contiguous.clear();
  here.wordsInLine.reset();
  here.left.clear();
  const std::string name = here.actualName(step.iterators[0]);
  Split split = splitOp(work, here, step, *by);
  const Steps* const lists[] = {&step.fill, &step.parts, &step.combine, &step.rest};
  ir::Block block;
  for (size_t i = 0; i < split.ops.size(); ++i) {
    transforms::append(block, std::move(split.names[i]));
    At inside = here;
    inside.op = std::move(split.ops[i]);
    inside.names = split.namesOf(i);
    inside.isReady = false;
    if (i < 3) inside.actual[step.name] = split.part;
    if (auto known = by->asConstant()) inside.limit(name, *known);
    transforms::append(block, work.start(std::move(inside), *lists[i]));
  }
  return block;
}

}  // namespace einc::strategy
