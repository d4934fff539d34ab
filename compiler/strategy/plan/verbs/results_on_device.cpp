// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   results (m: 4 over 16, n: 4 over 16) {
//     tile k by 16
//     pack A (m: 64) on workgroup
//     bind m by 4 over 16, n by 4 over 16 to invocations
//     vectorize (m: 4, n: 4)
//   }
//
//   before  op (m: parallel, n: parallel, k: reduction) ins(%A[m, k], %B[k, n]) outs(%C[m, n])
//                                                       in a workgroup, at most 64 x 64
//   after   alloc %C_sums: tensor<16 x 16 x 4 x 4> in registers
//           tile ty, tx on invocations { if 1 <= rows, 1 <= columns { op: what the sums start from } }
//           the steps, of which 'bind' makes an op that adds to %C_sums[ty, tx, m, n]
//           tile ty, tx on invocations { if ... { ops that read the sums, or store them } }
#include <utility>

#include "compiler/strategy/plan/verbs/place.h"
#include "compiler/transforms/tile.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

using affine::Expr;
using transforms::append;
using transforms::at;
using transforms::constant;
using transforms::size;
using Kind = ir::Condition::Kind;

std::optional<std::string> noRegisters(const Work& work, const At& here, const ResultsStep& step) {
  const target::Device& device = *work.options.target->device;
  if (auto why = notInWorkgroup(here)) return why;
  if (here.number)
    return "a workgroup that does several ops in turn keeps results of none in registers";
  if (here.hasShared) return "what is copied to the workgroup stands in the steps of 'results'";
  if (!ir::reduces(here.op))
    return "results are kept while they are summed up: there is no reduction";
  if (here.op.outputs.size() != 1) return "results of one output are kept in registers";
  if (step.sides.empty() || step.sides.size() > 3)
    return "the invocations of a workgroup have up to three dimensions";
  int64_t invocations = 1, registers = 1;
  std::vector<std::string> names;
  for (const auto& [axis, over] : step.sides) {
    const std::string name = "'" + axis.name + "'";
    if (!here.find(axis.name)) return noIterator(here, axis.name);
    if (here.isReduction(axis.name)) return name + " is a reduction";
    names.push_back(here.actualName(axis.name));
    if (llvm::count(names, names.back()) > 1) return name + " stands twice";
    if (!over) return "how many invocations share " + name + "? (" + axis.name + ": 4 over 16)";
    if (*over < 2 || *over > device.invocations)
      return "expected 2 to " + std::to_string(device.invocations) + " invocations";
    if (axis.size < 1 || axis.size > device.registers)
      return "expected 1 to " + std::to_string(device.registers) + " results each";
    invocations *= *over;
    registers *= axis.size;
    auto most = work.mostAlong(here, names.back());
    if (!most || *most > axis.size * *over)
      return name + " may have more than " + std::to_string(axis.size * *over) +
             " positions: bind " + axis.name + " by " + std::to_string(axis.size * *over) +
             " to workgroups before";
  }
  for (const ir::Iterator& i : here.op.iterators)
    if (i.kind == ir::IteratorKind::Parallel && !llvm::is_contained(names, i.name))
      return "results are there for each '" + i.name + "', too: bind " + i.name +
             " to workgroups before";
  if (invocations > device.invocations)
    return "a workgroup has " + std::to_string(device.invocations) +
           " invocations, and these would be " + std::to_string(invocations);
  if (registers > device.registers)
    return "more than " + std::to_string(device.registers) +
           " results do not stay in the registers of an invocation";
  return std::nullopt;
}

class InRegisters {
 public:
  InRegisters(const Work& work, At here, const ResultsStep& step)
      : work_(work), here_(std::move(here)), step_(step) {}

  ir::Block run() {
    const Region alone(work_.builder, {here_.region ? here_.region->contraction() : here_.op});
    const Region& region = here_.region ? *here_.region : alone;
    for (const auto& [axis, over] : step_.sides) {
      names_.push_back(here_.actualName(axis.name));
      left_.push_back(work_.extent(here_, names_.back()));
    }
    takeSums();
    ir::Block block = transforms::only({ir::Alloc{sums_, ir::Space::Registers}});
    append(block, onInvocations([&](const ir::StructuredOp& part, const ir::Operand& results) {
             return transforms::only({region.start(part, results)});
           }));
    append(block, work_.run(inside(region), step_.body));
    append(block, onInvocations([&](const ir::StructuredOp& part, const ir::Operand& results) {
             return finish(region, part, results);
           }));
    return block;
  }

 private:
  transforms::Builder& builder() const { return work_.builder; }

  void takeSums() {
    const ir::Tensor output = builder().kernel().tensors[here_.op.outputs[0].tensor];
    std::vector<Expr> shape;
    for (const auto& side : step_.sides) shape.push_back(constant(*side.over));
    for (const auto& side : step_.sides) shape.push_back(constant(side.axis.size));
    sums_ = builder().tensor(here_.names.back().tensor + "_sums", output.type, std::move(shape),
                             ir::Role::Local);
  }

  // The op that sums up. Its output is memory of an invocation as soon as it is on one.
  At inside(const Region& region) const {
    At inner = here_;
    inner.op = region.sum(inner.op, inner.op.outputs[0]);
    const auto attached = static_cast<ptrdiff_t>(here_.op.inputs.size() - inner.op.inputs.size());
    inner.names.back() = OperandName{};
    inner.names.erase(inner.names.end() - 1 - attached, inner.names.end() - 1);
    inner.tensors.resize(inner.op.inputs.size());
    inner.region = nullptr;
    KeptInRegisters kept{sums_, {}};
    for (const auto& [axis, over] : step_.sides)
      kept.loops.push_back({here_.actualName(axis.name), constant(axis.size), over});
    inner.registers = std::move(kept);
    return inner;
  }

  // `code` on the sums of each invocation, of which there are some; `op` with axes.
  using Code = std::function<ir::Block(const ir::StructuredOp& op, const ir::Operand& results)>;
  ir::Block onInvocations(const Code& code) const {
    ir::Block block, inside;
    std::vector<ir::TileLoop> loops;
    std::vector<std::string> vars, counts;
    const size_t sides = names_.size();
    for (size_t s = 0; s < sides; ++s) {
      loops.push_back(invocationLoop(work_, s, sides, *step_.sides[s].over));
      vars.push_back(loops.back().var);
    }
    std::vector<ir::Condition> isThere;
    for (size_t s = 0; s < sides; ++s) {
      counts.push_back(builder().name(countName(s)));
      block.push_back({ir::Bound{counts[s], {each(s), left_[s] - at(vars[s]) * each(s)}}});
      isThere.push_back({Kind::LessEqual, constant(1), size(counts[s])});
    }
    ir::StructuredOp part = here_.op;
    std::vector<Expr> extents;
    for (size_t s = 0; s < sides; ++s) {
      part = transforms::onPositions(builder(), part, names_[s],
                                     {{names_[s], size(counts[s]), constant(1)}},
                                     at(vars[s]) * each(s), "_" + vars[s], inside);
      part.axes.push_back({names_[s], step_.sides[s].axis.size});
      extents.push_back(size(counts[s]));
    }
    const ir::Operand results = sumsOf(work_, sums_, vars, names_, extents, inside);
    append(inside, code(part, results));
    block.push_back({ir::If{std::move(isThere), std::move(inside), {}}});
    for (ir::TileLoop& loop : llvm::reverse(loops)) {
      loop.body = std::move(block);
      block = transforms::only({std::move(loop)});
    }
    return block;
  }

  Expr each(size_t side) const { return constant(step_.sides[side].axis.size); }
  std::string countName(size_t side) const {
    return names_.size() == 2 ? (side == 0 ? "rows" : "columns") : names_[side] + "_left";
  }

  // Reads the sums and writes the output: whole where nothing is cut off.
  ir::Block finish(const Region& region, const ir::StructuredOp& part,
                   const ir::Operand& results) const {
    ir::Block block;
    for (const ir::StructuredOp& reader : region.readers(part, results)) {
      std::vector<ir::Condition> whole;
      for (size_t s = 0; s < names_.size(); ++s)
        whole.push_back({Kind::Equal, builder().extent(reader, names_[s]), each(s)});
      block.push_back({ir::If{whole, transforms::only({reader}), transforms::only({reader})}});
    }
    return block;
  }

  const Work& work_;
  At here_;
  const ResultsStep& step_;
  std::vector<std::string> names_;
  std::vector<Expr> left_;  // positions of the tile
  unsigned sums_ = 0;
};

}  // namespace

ir::Operand sumsOf(const Work& work, unsigned sums, const std::vector<std::string>& invocation,
                   const std::vector<std::string>& names, const std::vector<Expr>& extents,
                   ir::Block& block) {
  const ir::Tensor whole = work.builder.kernel().tensors[sums];
  const unsigned view =
      work.builder.tensor(whole.name + "_" + invocation[0], whole.type, extents, ir::Role::View);
  std::vector<Expr> map, index;
  for (const std::string& name : invocation) index.push_back(at(name));
  for (const std::string& name : names) {
    index.push_back(at(name));
    map.push_back(at(name));
  }
  block.push_back({ir::View{view, sums, names, std::move(index), nullptr}});
  return {view, std::move(map), nullptr};
}

ir::Block resultsInRegisters(const Work& work, At here, const ResultsStep& step) {
  if (auto why = noRegisters(work, here, step)) return work.refuse(here, *why);
  std::vector<ir::Axis> axes;
  for (const auto& side : step.sides)
    axes.push_back({here.actualName(side.axis.name), side.axis.size});
  if (auto why = work.noResults(here, axes)) return work.refuse(here, *why);
  if (here.region)
    for (size_t number : here.region->others())
      if (here.onTile.count(number) == 0)
        return work.refuse(here, "op " + std::to_string(number) +
                                     " is done with the results on a device: fuse op " +
                                     std::to_string(number) + " before, without steps");
  return InRegisters(work, std::move(here), step).run();
}

}  // namespace einc::strategy
