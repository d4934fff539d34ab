// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/contractions/contraction.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "compiler/ir/shape.h"
#include "compiler/strategy/contractions/along_words.h"
#include "compiler/strategy/contractions/direct.h"
#include "compiler/strategy/contractions/in_place.h"
#include "compiler/strategy/contractions/layout.h"
#include "compiler/strategy/contractions/lines.h"
#include "compiler/strategy/contractions/nest.h"
#include "compiler/strategy/contractions/panels.h"
#include "compiler/strategy/conversion.h"
#include "compiler/strategy/estimate.h"
#include "compiler/strategy/model.h"
#include "compiler/strategy/plan/region.h"
#include "compiler/strategy/report.h"
#include "compiler/transforms/combiner.h"
#include "compiler/transforms/unroll.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

using affine::Expr;
using transforms::constant;

constexpr Result<Form> (*kWays[])(const Contraction& contraction) = {
#define EINC_PRODUCT_FORM(function) function,
#include "compiler/strategy/forms.def"
};

Test isPositive(const std::string& iterator) {
  return {Test::Kind::LessEqual, constant(1), extentOf(iterator)};
}

// The operands' names, those of ops that are done on the tiles included.
std::vector<OperandName> namesOf(std::vector<OperandName> names, const ir::StructuredOp& op,
                                 const Region& region) {
  if (region.isAlone()) return names;
  const std::vector<OperandName> attached = region.attachedNames(names);
  names.insert(names.end() - static_cast<ptrdiff_t>(op.outputs.size()), attached.begin(),
               attached.end());
  return names;
}

// Of what is written in the end.
std::vector<OperandName> written(const ir::StructuredOp& op, const Region& region,
                                 const std::vector<OperandName>& names) {
  std::vector<OperandName> result;
  for (const ir::Operand& output : region.written(op))
    for (size_t i = op.operandCount(); i-- > 0;)
      if (op.operand(i).tensor == output.tensor && op.operand(i).map == output.map) {
        result.push_back(names[i]);
        break;
      }
  return result;
}

// Of what other ops read, from the input number `first` on, that lies along the columns, if these are one iterator.
std::vector<OperandName> readAlong(const ir::StructuredOp& op, size_t first,
                                   const std::vector<std::string>& columns,
                                   const std::vector<OperandName>& names) {
  std::vector<OperandName> result;
  if (columns.size() != 1) return result;
  for (size_t i = first; i < op.inputs.size(); ++i) {
    const ir::Operand& input = op.inputs[i];
    if (!input.pad && !input.shapeOnly && !input.map.empty() &&
        input.map.back().asIterator() == columns[0] && !llvm::is_contained(result, names[i]))
      result.push_back(names[i]);
  }
  return result;
}

// Cycles an iteration waits for a right operand that is so far away that one pass over it, asked for early (in_place.h),
// is faster: beyond the second cache where rows make up whole tiles, beyond the last one where they nearly do.
double farCycles(const Groups& groups, const Extents& extents, const ContractionTiles& tiles,
                 int64_t bytes, const target::Target& target) {
  const target::Numbers& numbers = target.numbers;
  const bool isKnown = std::max({extents.m, extents.n, extents.k}) < INT64_MAX;
  if (!isKnown || !tiles.masks || groups.k.size() > 1 || groups.n.size() > 1 ||
      extents.n <= numbers.inPlaceColumns || extents.k <= tiles.nr)
    return 0;
  const int64_t rowBytes = extents.k * bytes;
  const target::Cache& cache = extents.m >= tiles.mr ? target.l2 : target.l3;
  if (extents.m < std::min(tiles.mr, numbers.inPlaceLeastRows) ||
      extents.n <= cache.bytes / rowBytes)
    return 0;
  return cyclesOf({.bytes = static_cast<double>(bytes) / static_cast<double>(extents.m)}, target);
}

// A tile of registers loads its rows one by one, and its columns in vectors. Packing costs nothing here, as packed data
// is used again and again, except in two slow cases. There it is shared among its uses: if these are not known, among
// those of a tile or of a block.
ProductCost costOf(const ir::Kernel& kernel, const ir::StructuredOp& op, const Groups& groups,
                   const Extents& extents, const ContractionTiles& tiles,
                   const target::Target& target, const ir::Instruction* instruction) {
  const auto rows = static_cast<double>(tiles.mr), columns = static_cast<double>(tiles.nr),
             lanes = static_cast<double>(std::max(tiles.lanes, 1));
  auto uses = [](int64_t extent, int64_t otherwise) {
    return static_cast<double>(extent == INT64_MAX ? otherwise : std::max<int64_t>(extent, 1));
  };
  Cost tile, left, right;
  ir::StructuredOp packed = op;
  if (computesSides(op, groups))
    for (const auto& side : {groups.left, groups.right}) onComputed(packed, side);
  tile.operations = (instruction ? static_cast<double>(instruction->cost) / instruction->count
                                 : operationsOf(packed, target)) /
                    lanes;
  tile.moves = (rows + columns / lanes) / (rows * columns);
  // Where it is contiguous along a batch, each element is on a line of its own.
  if (llvm::any_of(groups.left, [&](size_t input) {
        return !contiguousIn(op.inputs[input], groups.batch).empty();
      }))
    left.bytes = static_cast<double>(target.numbers.cacheLine) / uses(extents.n, tiles.nr);
  // Columns of several iterators are found by tables. What is converted on the way is so once, and not for each use,
  // which makes up for that.
  if (groups.n.size() > 1 && !isConverted(kernel, op, groups.left[0]))
    right.operations =
        static_cast<double>(target.numbers.tabledRows) / lanes / uses(extents.m, tiles.mc);
  const int64_t bytes = ir::info(kernel.tensors[op.inputs[groups.right[0]].tensor].type).bytes();
  return {cyclesOf(tile, target), cyclesOf(left, target), cyclesOf(right, target),
          farCycles(groups, extents, tiles, bytes, target)};
}

// What there is to say of a product, whichever way it is done.
Form described(const Groups& groups, const ContractionTiles& tiles, const target::Target& target) {
  Form form{"contraction", {}, 0};
  form.grain = target.numbers.iterationsPerThread;
  form.tilesResults = true;
  form.settings = {{"mr", std::to_string(tiles.mr)},
                   {"nr", std::to_string(tiles.nr)},
                   {"kc", std::to_string(tiles.kc)},
                   {"mc", std::to_string(tiles.mc)},
                   {"nc", std::to_string(tiles.nc)}};
  form.lines = {(groups.batch.empty() ? "" : groupText("batch", groups.batch) + ", ") +
                groupText("M", groups.m) + ", " + groupText("N", groups.n) + ", " +
                groupText("K", groups.k) + ": packed panels and a register tile, vectors along N"};
  form.own = {"tiles of " + std::to_string(tiles.mr) + " x " + std::to_string(tiles.nr) +
              " results in registers"};
  for (const TileReason& one : tiles.reasons) form.lines.push_back(one.text());
  return form;
}

Form bestWay(const Contraction& what) {
  if (computesSides(what.op, what.groups)) return std::move(*inPanels(what));
  std::vector<Form> ways;
  for (auto way : kWays)
    if (auto form = way(what)) ways.push_back(std::move(*form));
  Form best = nested(std::move(ways));
  // Other forms wait for what is far away as well, and do not count it: nor does this where no way avoids it.
  if (best.cycles >= what.cost.tile + what.cost.far) best.cycles -= what.cost.far;
  return best;
}

Extents extentsOf(const ir::Kernel& kernel, const ir::StructuredOp& op, const Groups& groups) {
  auto count = [&](const std::vector<std::string>& iterators) {
    Expr all = constant(1);
    for (const std::string& name : iterators) all = all * ir::extentOf(kernel, op, name)->extent;
    return all.asConstant().value_or(INT64_MAX);
  };
  return {count(groups.m), count(groups.n), count(groups.k)};
}

// Where there is something to do; otherwise indices of what would be packed may be anything.
std::vector<Test> isSomething(const ir::Kernel& kernel, const ir::StructuredOp& op, bool isEmpty) {
  std::vector<Test> tests;
  for (const ir::Iterator& i : op.iterators)
    if (isEmpty || !ir::extentOf(kernel, op, i.name)->extent.asConstant())
      tests.push_back(isPositive(i.name));
  return tests;
}

// What adds the products of the two operands, several at once.
std::optional<Instructed> productsAtOnce(const ir::Kernel& kernel, const ir::StructuredOp& op,
                                         const Groups& groups, const ScheduleOptions& options) {
  auto words = instructed(kernel, op, *options.target, options.keepsOrder);
  if (!words || groups.left.size() != 1 || groups.right.size() != 1) return std::nullopt;
  // Neighbours along a batch are words of other products.
  for (size_t input : {groups.left[0], groups.right[0]})
    if (!contiguousIn(op.inputs[input], groups.batch).empty()) return std::nullopt;
  const bool areBoth = llvm::is_contained(words->inputs, groups.left[0]) &&
                       llvm::is_contained(words->inputs, groups.right[0]);
  return areBoth ? words : std::nullopt;
}

// A product, and others on its tiles.
Form product(const Task& task, const Together& together, Groups groups) {
  const ir::StructuredOp& op = task.op;
  const ScheduleOptions& options = task.options;
  const auto words = productsAtOnce(task.kernel, op, groups, options);
  Extents extents = extentsOf(task.kernel, op, groups);
  if (words && extents.k < INT64_MAX) {
    const int64_t terms = words->instruction->count;
    extents.k = (extents.k + terms - 1) / terms * terms / packedTerms(words);
  }
  const ContractionTiles tiles =
      contractionTiles(*options.target, transforms::registerBytes(op),
                       static_cast<int>(op.outputs.size()), extents, task.settings);
  // Where it is known that there is nothing, nothing else writes the output.
  const bool isEmpty = llvm::any_of(op.iterators, [&](const ir::Iterator& i) {
    return ir::extentOf(task.kernel, op, i.name)->extent.asConstant() == 0;
  });
  Form form = described(groups, tiles, *options.target);
  if (isEmpty && together.ops.size() == 1) {
    form.steps = {Step(LoopsStep{}, "there is nothing to add up")};
    return form;
  }
  ir::Kernel aside = task.kernel;  // where the op is looked at
  transforms::Builder builder(aside);
  Region region(builder, together.ops, together.first);
  for (size_t number : region.others())
    form.steps.push_back(Step(FuseStep{static_cast<int64_t>(number), true, {}},
                              "while a tile of sums is in registers"));
  const std::vector<OperandName> names = namesOf(task.names, op, region);
  ir::StructuredOp arranged = op;
  if (transforms::mayReorder(op, options.keepsOrder)) orderSums(op, groups);
  if (words) orderWords(task.kernel, op, words->instruction->count, groups);
  if (auto copy = arrange(builder, arranged, task.names, groups, options)) {
    form.steps.push_back(
        Step(std::move(*copy), "as it lies along another iterator than the columns of results"));
    form.lines.push_back("the input contiguous along another iterator of N is transposed first");
  }
  ir::StructuredOp canonical = arranged;
  ir::Block unread;
  transforms::canonicalize(builder, canonical, unread);
  region.attach(canonical, unread);
  const Contraction what{aside,
                         arranged,
                         canonical,
                         names,
                         written(canonical, region, names),
                         region.isAlone(),
                         groups,
                         tiles,
                         costOf(aside, arranged, groups, extents, tiles, *options.target,
                                words ? words->instruction : nullptr),
                         options,
                         words,
                         readAlong(canonical, arranged.inputs.size(), groups.n, names)};
  Form way = bestWay(what);
  if (isEmpty) way.steps.clear();
  llvm::append_range(form.steps, either(isSomething(task.kernel, op, isEmpty), std::move(way.steps),
                                        {}, "else there is nothing to add up"));
  llvm::append_range(form.lines, way.lines);
  form.cycles = way.cycles;
  return form;
}

bool isOneProduct(const Together& together, const Groups& groups) {
  return together.ops.size() > 1 || groups.m.size() + groups.n.size() <= 2;
}

// One product, whose rows and columns may be several iterators.
Result<Form> allAtOnce(const Task& task, const Together& together, const Groups& groups) {
  return product(task, together, groups);
}

// Loops around products of matrices.
Result<Form> loopsAround(const Task& task, const Together& together, const Groups& groups) {
  if (isOneProduct(together, groups)) return Reason{"it is one already"};
  if (haveSeveral(groups)) return Reason{"a side that is computed of several inputs"};
  ScheduleOptions inside = task.options;
  inside.threads = 1;
  std::optional<Form> first;
  auto onProduct = [&](const ir::Kernel& aside, const ir::StructuredOp& op) {
    const Task inner{aside,
                     op,
                     task.names,
                     inside,
                     task.settings,
                     task.memory,
                     task.whole ? task.whole : &task.op};
    auto left = contractionGroups(aside, op);
    Form form = left ? product(inner, {{op}}, *left) : task.behind(inner);  // one column
    Steps steps = std::move(form.steps);
    if (!first) first = std::move(form);
    return steps;
  };
  auto loops = nest(task.kernel, task.op, task.names, groups, task.options, onProduct);
  if (!loops) return Reason{"loops around products of matrices: " + loops.reason()};
  first->steps = std::move(loops->steps);
  first->settings.insert(first->settings.begin(), {"nest", "yes"});
  first->lines.insert(first->lines.begin(), loops->line);
  return std::move(*first);
}

struct ContractionRow {
  Result<Form> (*form)(const Task&, const Together&, const Groups&);
  const char* nest;  // what the setting says
};

constexpr ContractionRow kContractions[] = {
#define EINC_CONTRACTION_FORM(function, nest) {function, nest},
#include "compiler/strategy/forms.def"
};

}  // namespace

// Each as it can, in the order of the rows; or the one that `nest` says.
Form contractionOf(const Task& task, const Together& together, const Groups& groups) {
  const bool isChosen = !isOneProduct(together, groups);
  const auto wanted = isChosen ? task.settings.word("nest", {"yes", "no"}) : std::nullopt;
  std::vector<std::string> refusals;
  for (const ContractionRow& row : kContractions) {
    const bool isLast = &row == std::prev(std::end(kContractions));
    if (wanted && *wanted != row.nest && !isLast) continue;
    auto form = row.form(task, together, groups);
    if (form) {
      form->lines.insert(form->lines.begin(), refusals.begin(), refusals.end());
      return std::move(*form);
    }
    if (isChosen) refusals.push_back("not as " + form.reason());
    if (wanted) task.settings.refuse("nest", "no " + form.reason());
  }
  return product(task, together, groups);  // the last row takes all
}

Result<Form> contraction(const Task& task) {
  auto groups = contractionGroups(task.kernel, task.op);
  if (!groups) return Reason{groups.reason()};
  if (task.options.target->vectorBytes == 0) return Reason{"the target has no vectors"};
  if (!task.memory) return Reason{"there is no memory for what it packs"};
  const ir::StructuredOp sum = transforms::asSum(task.op);
  return contractionOf({task.kernel, sum, task.names, task.options, task.settings, task.memory,
                        task.whole, task.behind},
                       {{task.op}}, *groups);
}

}  // namespace einc::strategy
