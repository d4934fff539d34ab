// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   cut n at n floordiv 64 * 64 { ... } rest { ... }
//   cut n at line of C (64) { ... } rest { ... }
#include <utility>

#include "compiler/facts/signs.h"
#include "compiler/strategy/plan/limits.h"
#include "compiler/strategy/plan/verbs/place.h"
#include "compiler/transforms/tile.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

using affine::Expr;

// The c of n floordiv c * c, where the extent is n.
std::optional<int64_t> unitOf(const Expr& place, const Expr& extent) {
  if (place.terms().size() != 1) return std::nullopt;
  const affine::Term& term = place.terms()[0];
  if (term.factors.size() != 1 || term.factors[0].kind != affine::Atom::Kind::FloorDiv ||
      term.coefficient <= 0 || term.factors[0].div->dividend != extent ||
      term.factors[0].div->divisor != transforms::constant(term.coefficient))
    return std::nullopt;
  return term.coefficient;
}

// A part of the extent: n floordiv c * d, with d of c parts.
bool isPartOf(const Expr& place, const Expr& extent) {
  if (place.terms().size() != 1 || place.terms()[0].factors.size() != 1) return false;
  const affine::Term& term = place.terms()[0];
  const affine::Atom& atom = term.factors[0];
  if (atom.kind != affine::Atom::Kind::FloorDiv || atom.div->dividend != extent) return false;
  auto parts = atom.div->divisor.asConstant();
  return parts && term.coefficient >= 0 && term.coefficient <= *parts;
}

// 0 <= place <= extent, whatever the sizes are: it is small enough, a part of the extent, or the least of that and what is
// not negative.
bool isWithin(const Work& work, const At& here, const std::string& iterator, const Expr& place,
              const Expr& extent) {
  auto at = place.asConstant(), all = extent.asConstant();
  auto least = here.least.find(iterator);
  if (at && *at >= 0 && least != here.least.end() && *at <= least->second) return true;
  if (at && *at >= 0 && (here.minima.isAtLeast(extent, *at) || (all && *at <= *all))) return true;
  if (place == extent || isPartOf(place, extent)) return true;
  const std::vector<Expr>* of = here.minima.of(place);
  const facts::Signs signs(work.builder.kernel());
  return of && llvm::is_contained(*of, extent) &&
         llvm::all_of(*of, [&](const Expr& one) { return signs.isNonNegative(one); });
}

std::optional<std::string> cannotCutAtLine(const Work& work, const At& here, const CutStep& step) {
  auto which = here.operand(*step.line);
  if (!which) return noOperand(here, *step.line);
  const std::string name = here.actualName(step.iterator);
  const ir::Operand& of = here.op.operand(*which);
  if (of.map.size() != 1 || of.map[0].asIterator() != name || here.op.iterators.size() != 1)
    return "lines are cut one by one: tile the iterators but '" + step.iterator + "' by 1 before";
  if (!here.contiguous.count({*which, name}))
    return "lines are known where neighbours are: when contiguous(" + step.line->str() + ", " +
           step.iterator + ") { ... }";
  if (of.pad || (here.spec && *which < here.spec->operandCount() && here.spec->operand(*which).pad))
    return step.line->str() + " is read outside its tensor, where there are no lines";
  const bool isPower = step.bytes > 0 && (step.bytes & (step.bytes - 1)) == 0;
  if (!isPower || step.bytes > kMostLine || step.bytes % work.bytesOf(of) != 0)
    return "expected the bytes of a line: a power of 2, of one element or more, up to " +
           std::to_string(kMostLine);
  return std::nullopt;
}

// The panel that the first ones fill.
Result<Packed> onTheWay(const Work& work, const At& here, const PackStep& step, ir::Block& block) {
  auto input = here.operand(step.operand);
  if (!input) return Reason{noOperand(here, step.operand)};
  if (*input >= here.op.inputs.size() || here.packed.count(*input) != 0 || here.op.copied)
    return Reason{step.operand.str() + " is no input that lies where it was"};
  if (!here.find(step.panel.name)) return Reason{noIterator(here, step.panel.name)};
  if (!step.as.empty() || step.type || step.isComputed || step.piece != 1 || step.threads)
    return Reason{"what is copied on the way stays as it is"};
  if (auto why = work.noVectors(here)) return Reason{*why};
  auto packed = panelsOf(work, here, *input, step, /*isOne=*/true);
  if (packed) work.take(packed->buffer, block);
  return packed;
}

template <typename Change>
void part(const Work& work, At here, const std::string& name, const Expr& from, const Expr& count,
          const Steps& steps, ir::Block& block, const Change& change) {
  if (count.isZero()) return;
  here.op =
      transforms::onPositions(work.builder, here.op, name, {{name, count, transforms::constant(1)}},
                              from, from.isZero() ? "_first" : "_rest", block);
  if (auto known = count.asConstant()) here.limit(name, *known);
  change(here, block);
  transforms::append(block, work.run(std::move(here), steps));
}

}  // namespace

ir::Block apply(const Work& work, At here, const CutStep& step) {
  if (!work.isLast()) return work.refuse(here, "what follows 'cut' stands in its two parts");
  if (auto why = work.cannotCut(here, step.iterator)) return work.refuse(here, *why);
  auto number = work.number(here, step.at);
  if (!number) return work.refuse(here, number.reason());
  const std::string name = here.actualName(step.iterator);
  const Expr extent = work.extent(here, name);
  Expr place = *number;
  At first = here, rest = here;
  ir::Block block;
  if (step.line) {
    if (auto why = cannotCutAtLine(work, here, step)) return work.refuse(here, *why);
    const ir::Operand& of = here.op.operand(*here.operand(*step.line));
    ir::Lead lead{work.builder.name("lead"), of.tensor, transforms::dimOf(of, name), step.bytes};
    block.push_back({lead});
    place = transforms::size(lead.name);
    rest.move(name, place, place + transforms::at(name));
    first.limit(name, step.bytes / work.bytesOf(of) - 1);
    if (rest.streaming) rest.streaming = Streaming{rest.streaming->operand, name, 0};
  } else if (!isWithin(work, here, name, place, extent)) {
    return work.refuse(here, "it is not known that '" + step.iterator +
                                 "' has so many positions: write whole parts of them, " +
                                 step.iterator + " floordiv 8 * 8, or ask for them before: when " +
                                 place.str() + " <= " + step.iterator + " { ... }");
  } else {
    if (auto unit = unitOf(place, extent)) rest.limit(name, *unit - 1);
    rest.move(name, place, place + transforms::at(name));
  }
  first.move(name, transforms::constant(0), transforms::at(name));
  std::optional<Packed> panel;
  size_t input = 0;
  if (step.copying) {
    auto found = onTheWay(work, here, *step.copying, block);
    if (!found) return work.refuse(here, found.reason());
    panel = std::move(*found);
    input = *here.operand(step.copying->operand);
  }
  part(work, std::move(first), name, transforms::constant(0), place, step.first, block,
       [&](At& at, ir::Block& inside) {
         if (panel)
           at.op.copied =
               ir::Copied{static_cast<unsigned>(input), panelView(work, at, *panel, "", inside)};
       });
  part(work, std::move(rest), name, place, extent - place, step.rest, block,
       [&](At& at, ir::Block& inside) {
         if (panel) at.op.inputs[input] = panelView(work, at, *panel, "", inside);
       });
  return block;
}

}  // namespace einc::strategy
