// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/streams/lines.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/strategy/estimate.h"
#include "compiler/strategy/plan/space.h"
#include "compiler/strategy/streams/axis.h"
#include "compiler/strategy/streams/lanes.h"
#include "compiler/transforms/builder.h"
#include "compiler/transforms/combiner.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

using transforms::constant;

// What a compiler's vector is guessed to have, for estimates.
constexpr int64_t kLanes = 4;

class Lines {
 public:
  explicit Lines(const Task& task)
      : task_(task),
        op_(task.op),
        target_(*task.options.target),
        numbers_(target_.numbers),
        space_(task.kernel, task.op),
        axis_(task.kernel, task.op, task.names, task.options, task.whole) {
    if (ir::reduces(op_)) preferResults();
  }

  Result<Form> run() {
    for (const ir::Iterator& i : op_.iterators)
      if (space_.known(i.name) == 0) return Reason{"'" + i.name + "' has no positions"};
    if (axis().empty()) return Reason{"each result is computed from the one before it"};
    if (llvm::any_of(op_.inputs, [](const ir::Operand& input) { return !!input.pad; }))
      return Reason{"each element is asked for whether it is outside"};
    Form form{"lines", {}, cycles()};
    form.grain = numbers_.elementsPerThread;
    form.where = axis_.contiguousTests();
    form.why = "else neighbours lie apart, and compilers make no vectors";
    if (form.where.empty()) return Reason{"no operand is contiguous along an iterator"};
    if (axis_.isReduction(axis())) return alongSum(std::move(form));
    return ir::reduces(op_) ? alongResults(std::move(form)) : alongMap(std::move(form));
  }

 private:
  // Sums along a line of results, where all that moves along it lies along it, wherever most of the inputs lies.
  void preferResults() {
    const std::string chosen = axis(), results = contiguous(task_.kernel, op_.outputs[0]);
    if (results.empty() || axis_.isReduction(results)) return;
    axis_.set(results);
    if (!areInLines()) axis_.set(chosen);
  }

  const std::string& axis() const { return axis_.name(); }

  double cycles() const {
    Cost cost;
    cost.operations = operationsOf(op_, target_) / kLanes;
    cost.moves = static_cast<double>(op_.operandCount()) / kLanes;
    return cyclesOf(cost, target_);
  }

  Step tile(const std::string& iterator, int64_t by, const std::string& why,
            bool outer = true) const {
    TileStep step{iterator, constant(by)};
    if (task_.options.threads > 1 && !axis_.isReduction(iterator))
      step.threads = Threads{numbers_.elementsPerThread, outer};
    return Step(std::move(step), why);
  }

  bool isOfFloats() const {
    return llvm::all_of(
        op_.results, [](const ir::ValueRef& result) { return ir::info(result->type).isFloat(); });
  }

  // Of fewer positions there is little to gain, and more loops.
  bool asksForLong(Form& form, int64_t fewest) const {
    const std::optional<int64_t> known = space_.known(axis());
    if (!known) form.where.push_back({Test::Kind::LessEqual, constant(fewest), extentOf(axis())});
    return !known || *known >= fewest;
  }

  // Whether what moves along the axis is contiguous along it.
  bool isInLines(const ir::Operand& operand) const {
    return operand.shapeOnly || !llvm::is_contained(transforms::iteratorsOf(operand), axis()) ||
           contiguous(task_.kernel, operand) == axis();
  }
  bool areInLines() const {
    auto isInLines = [&](const ir::Operand& operand) { return this->isInLines(operand); };
    return llvm::all_of(op_.inputs, isInLines) && llvm::all_of(op_.outputs, isInLines);
  }
  // Whether an input along the axis is read again along another iterator of results.
  bool isReadAgain() const {
    const std::vector<std::string> parallel = space_.parallel();
    return llvm::any_of(op_.inputs, [&](const ir::Operand& input) {
      const std::vector<std::string> own = transforms::iteratorsOf(input);
      return !input.shapeOnly && llvm::is_contained(own, axis()) &&
             llvm::any_of(parallel, [&](const std::string& i) {
               return !llvm::is_contained(own, i) && space_.known(i) != 1;
             });
    });
  }

  // Sums, a few terms at a time of each of a line of results: each result has its terms in the order of the spec.
  Result<Form> alongResults(Form form) const {
    if (!areInLines())
      return Reason{"not all that moves along '" + axis() + "' is contiguous along it"};
    if (!asksForLong(form, numbers_.fewestInLine)) return Reason{"lines are short"};
    const std::vector<std::string> reductions = space_.reductions();
    Steps& steps = form.steps;
    const int64_t line = isReadAgain() ? numbers_.lineReadAgain : numbers_.fewestNeighbours;
    if (isReadAgain() && reductions.size() == 1)
      steps.push_back(tile(reductions[0], numbers_.termsOfLines,
                           "what is read again stays in the second cache"));
    steps.push_back(tile(axis(), line, "a line of results, which stays in the first cache"));
    for (const std::string& name : space_.parallel())
      if (name != axis())
        steps.push_back(tile(name, 1, "lines along '" + axis() + "', one by one", /*outer=*/true));
    for (size_t i = 0; i + 1 < reductions.size(); ++i)
      steps.push_back(tile(reductions[i], 1, "around the line, so that it is the innermost loop"));
    addTerms(steps, reductions.back());
    form.lines = {
        "loops along '" + axis() +
        "' innermost, each with a few terms of the sums, for a C compiler to make vectors of"};
    return form;
  }

  // Some terms at once, so that the line is read and written less often.
  void addTerms(Steps& steps, const std::string& sum) const {
    const std::optional<int64_t> known = space_.known(sum);
    const int64_t terms = std::min<int64_t>(numbers_.termsAtOnce, known.value_or(INT64_MAX));
    steps.push_back(tile(sum, terms, "so many terms each time that the line is read and written"));
    const Step loops(LoopsStep{}, "along the line");
    if (known == terms)
      steps.push_back(loops);
    else
      steps.push_back(Step(WhenStep{{equals(sum, terms)}, {loops}, left(sum, terms, loops)},
                           "compilers know how many terms there are"));
  }

  // Fewer terms: windows have often one less; else one by one.
  static Steps left(const std::string& sum, int64_t terms, const Step& loops) {
    Steps one = {Step(TileStep{sum, constant(1)}, "terms that are left, one by one"), loops};
    if (terms < 3) return one;
    return {Step(WhenStep{{equals(sum, terms - 1)}, {loops}, std::move(one)},
                 "all that are left, or all of a small window")};
  }

  // Sums of lines: several at once, for parts of each, which are added up at the end.
  Result<Form> alongSum(Form form) const {
    if (auto reason = axis_.refusal()) return *reason;
    if (!isOfFloats() || !transforms::combinersOf(op_))
      return Reason{"compilers add up in any order what is exact"};
    if (!asksForLong(form, numbers_.longSum)) return Reason{"lines are short"};
    for (const std::string& name : space_.parallel())
      form.steps.push_back(tile(name, 1, "lines along '" + axis() + "', one by one"));
    form.steps.push_back(Step(AccumulateStep{axis(), numbers_.sumsBeside},
                              "so many sums beside each other, which are added up at the end"));
    form.lines = {"several sums along '" + axis() +
                  "' beside each other, for a C compiler to make vectors of"};
    return form;
  }

  // Each result on its own: lines innermost.
  Result<Form> alongMap(Form form) const {
    std::vector<std::string> order = space_.parallel();
    if (order.back() == axis()) return Reason{"the innermost loop is along lines already"};
    llvm::erase(order, axis());
    order.push_back(axis());
    form.steps = {Step(OrderStep{order}, "lines innermost"), Step(LoopsStep{}, "along the line")};
    form.lines = {"loops along '" + axis() + "' innermost, for a C compiler to make vectors of"};
    return form;
  }

  const Task& task_;
  const ir::StructuredOp& op_;
  const target::Target& target_;
  const target::Numbers& numbers_;
  const Space space_;
  Axis axis_;
};

}  // namespace

Result<Form> lines(const Task& task) {
  if (task.options.target->vectorBytes > 0) return Reason{"the target has vectors"};
  return Lines(task).run();
}

}  // namespace einc::strategy
