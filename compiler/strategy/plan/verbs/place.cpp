// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/plan/verbs/place.h"

#include <algorithm>
#include <numeric>

#include "compiler/strategy/groups.h"
#include "compiler/strategy/streams/lanes.h"
#include "compiler/support/text_writer.h"
#include "compiler/transforms/combiner.h"
#include "compiler/transforms/unroll.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {

using affine::Expr;

std::string At::actualName(const std::string& name) const {
  auto found = actual.find(name);
  return found == actual.end() ? name : found->second;
}
const ir::Iterator* At::find(const std::string& name) const {
  const std::string called = actualName(name);
  auto found = llvm::find_if(op.iterators, [&](const ir::Iterator& i) { return i.name == called; });
  return found == op.iterators.end() ? nullptr : &*found;
}
bool At::isReduction(const std::string& name) const {
  const ir::Iterator* found = find(name);
  return found && found->kind == ir::IteratorKind::Reduction;
}

std::optional<size_t> At::operand(const OperandName& name) const {
  size_t next = 0;
  for (size_t i = 0; i < op.operandCount(); ++i)
    if (!op.operand(i).shapeOnly && next < names.size()) {
      if (names[next] == name) return i;
      ++next;
    }
  return std::nullopt;
}

void At::limit(const std::string& iterator, int64_t number) {
  auto [place, isNew] = most.emplace(iterator, number);
  if (!isNew) place->second = std::min(place->second, number);
}

void At::move(const std::string& iterator, const Expr& by, const Expr& position) {
  borders.erase(iterator);
  left.erase(iterator);
  for (Read& read : reads)
    read.index = read.index.substitute([&](const affine::Atom& atom) {
      const bool isIt = atom.kind == affine::Atom::Kind::Iterator && atom.name == iterator;
      return isIt ? std::optional(position) : std::nullopt;
    });
  if (!streaming || streaming->iterator != iterator) return;
  for (const affine::Term& term : by.terms())
    streaming->unit = std::gcd(streaming->unit, term.coefficient);
}

namespace {

// It looks at the op's sizes alone, or takes it as it is.
bool needsReady(const Step::Node& step) {
  if (auto* when = std::get_if<WhenStep>(&step))
    return llvm::any_of(when->tests, [](const Test& test) {
      return test.kind == Test::Kind::Contiguous || test.kind == Test::Kind::Borders;
    });
  return !std::holds_alternative<LetStep>(step) && !std::holds_alternative<LoopsStep>(step) &&
         !std::holds_alternative<DigitsStep>(step);
}

bool endsList(const Step::Node& step) {
  return std::holds_alternative<VectorizeStep>(step) || std::holds_alternative<LanesStep>(step) ||
         std::holds_alternative<TransposeStep>(step) || std::holds_alternative<LoopsStep>(step);
}

// It is about what is read outside tensors.
bool looksOutside(const Step& step) {
  auto* when = std::get_if<WhenStep>(&step.node);
  return when && llvm::any_of(when->tests, [](const Test& test) {
           return test.kind == Test::Kind::Borders || test.kind == Test::Kind::Inside;
         });
}

}  // namespace

ir::Block Work::run(At here, const Steps& steps, size_t next) const {
  if (next == steps.size() || endsList(steps[next].node)) settle(here, /*isInside=*/false);
  if (next == steps.size() && waits(here)) {
    errors_.push_back({steps_ ? (*steps_)[next_].source : SourceRange(), *waits(here)});
    return transforms::only({here.op});
  }
  if (next == steps.size())
    return complete_ ? complete_(here) : transforms::only({std::move(here.op)});
  Work work = *this;
  work.steps_ = &steps;
  work.next_ = next;
  ir::Block block;
  if (!here.isReady && needsReady(steps[next].node)) makeReady(here, block);
  transforms::append(
      block, std::visit([&](const auto& step) { return apply(work, std::move(here), step); },
                        steps[next].node));
  if (options.afterStep) options.afterStep(steps[next], block);
  return block;
}

ir::Block Work::start(At here, const Steps& steps) const {
  if (steps.empty()) return run(std::move(here), steps);
  here.op = withoutUnits(builder.kernel(), transforms::asSum(here.op));
  here.isNear = arePositionsNear(builder.kernel(), here.op);
  if (anyStep(steps, looksOutside)) lookOutside(*this, here);
  return run(std::move(here), steps);
}

void Work::makeReady(At& here, ir::Block& block) const {
  transforms::canonicalize(builder, here.op, block);
  here.isReady = true;
}

ir::Block Work::refuse(const At& here, const std::string& why) const {
  errors_.push_back({(*steps_)[next_].source, why});
  return transforms::only({here.op});
}

Result<Expr> Work::number(const At& here, const Expr& e) const {
  const std::vector<std::string> sizes = builder.kernel().sizeSymbols();
  for (const std::string& name : e.symbols())
    if (!here.find(name) && here.lets.count(name) == 0 && !llvm::is_contained(sizes, name) &&
        !builder.kernel().attributeOf(name))
      return Reason{"no iterator, size or attribute '" + name + "' here"};
  return e.substitute([&](const affine::Atom& atom) -> std::optional<Expr> {
    if (atom.kind != affine::Atom::Kind::Symbol) return std::nullopt;
    if (here.find(atom.name)) return extent(here, here.actualName(atom.name));
    auto named = here.lets.find(atom.name);
    return named == here.lets.end() ? std::nullopt
                                    : std::optional(transforms::size(named->second.symbol));
  });
}

int64_t Work::bytesOf(const ir::Operand& operand) const {
  return ir::info(builder.kernel().tensors[operand.tensor].type).bytes();
}
int64_t Work::lanes(const At& here) const {
  return options.target->lanes(transforms::registerBytes(here.op));
}
bool Work::mayReorder(const At& here) const {
  return transforms::mayReorder(here.op, options.keepsOrder);
}

std::optional<std::string> Work::cannotCut(const At& here, const std::string& iterator,
                                           bool panels) const {
  if (!here.find(iterator)) return noIterator(here, iterator);
  for (const auto& [input, packed] : here.packed)
    if (packed.along == here.actualName(iterator) ||
        (!panels && packed.across == here.actualName(iterator)))
      return waits(here);
  if (!here.isReduction(iterator) || mayReorder(here)) return std::nullopt;
  auto first = llvm::find_if(here.op.iterators, [](const ir::Iterator& i) {
    return i.kind == ir::IteratorKind::Reduction;
  });
  if (first->name == here.actualName(iterator)) return std::nullopt;
  return orderText(*this, iterator);
}

std::optional<std::string> Work::noVectors(const At& here) const {
  if (options.target->vectorBytes == 0)
    return std::string(options.target->name) + " has no vectors";
  if (!here.isNear)
    return "positions may be so far apart that 64 bits cannot say those of a vector";
  return std::nullopt;
}

std::optional<std::string> Work::waits(const At& here) const {
  if (here.packed.empty()) return std::nullopt;
  const Packed& packed = here.packed.begin()->second;
  return "an input is packed in panels of " + std::to_string(packed.width) + ": tile " +
         packed.across + " by " + std::to_string(packed.width) + " before";
}

std::string noIterator(const At& here, const std::string& name) {
  std::vector<std::string> known;
  for (const ir::Iterator& i : here.op.iterators) known.push_back(i.name);
  for (const auto& [named, actual] : here.actual)
    std::replace(known.begin(), known.end(), actual, named);
  return "no iterator '" + name + "' here" +
         (known.empty() ? ": all are done" : "; there are " + joined(known));
}

std::string noOperand(const At& here, const OperandName& name) {
  return "the op has no operand " + name.str() + "; there are " +
         joined(here.names, ", ", [](const OperandName& n) { return n.str(); });
}

std::string orderText(const Work& work, const std::string& iterator) {
  return work.options.keepsOrder
             ? "the order of the sum along '" + iterator + "' is kept (--fp=strict)"
             : "terms along '" + iterator + "' may not come in another order";
}

bool isTaken(const Work& work, const At& here, const std::string& name) {
  return here.actual.count(name) != 0 || here.find(name) || here.lets.count(name) != 0 ||
         llvm::is_contained(work.builder.kernel().sizeSymbols(), name);
}

bool isMultiple(const Expr& e, int64_t of) {
  return llvm::all_of(e.terms(), [&](const affine::Term& t) { return t.coefficient % of == 0; });
}

Expr partOf(const Expr& e, int64_t parts) {
  Expr result;
  for (affine::Term term : e.terms()) {
    term.coefficient /= parts;
    result = result + Expr::term(term);
  }
  return result;
}

}  // namespace einc::strategy
