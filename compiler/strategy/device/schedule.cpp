// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/device/schedule.h"

#include <algorithm>
#include <set>
#include <span>
#include <utility>

#include "compiler/ir/print.h"
#include "compiler/strategy/collapse.h"
#include "compiler/strategy/conversion.h"
#include "compiler/strategy/device/flat.h"
#include "compiler/strategy/device/inline.h"
#include "compiler/strategy/device/sharing.h"
#include "compiler/strategy/device/small.h"
#include "compiler/strategy/device/tiles.h"
#include "compiler/strategy/device/transpose.h"
#include "compiler/strategy/device/work.h"
#include "compiler/strategy/fusion/shared_loops.h"
#include "compiler/strategy/groups.h"
#include "compiler/strategy/plan/apply.h"
#include "compiler/strategy/plan/region.h"
#include "compiler/transforms/canonicalize.h"
#include "compiler/transforms/unused.h"

namespace einc::strategy {
namespace {

using affine::Expr;
using transforms::append;
using transforms::constant;
using transforms::only;
using Kind = ir::Condition::Kind;

const std::vector<std::string> kStrategies = {"contraction", "flat", "inline"};

class DeviceScheduler {
 public:
  DeviceScheduler(ir::Kernel& kernel, const ScheduleOptions& options)
      : builder_(kernel), options_(options) {}

  ir::Block run(const ir::Block& statements) {
    ir::Block result;
    Ops together;
    auto flush = [&] {
      if (!together.empty()) append(result, region(std::exchange(together, {})));
    };
    for (size_t at = 0; at < statements.size(); ++at) {
      const ir::Stmt& stmt = statements[at];
      if (auto* op = std::get_if<ir::StructuredOp>(&stmt.node)) {
        if (isApart(together, *op) || !joins(together, std::span(statements).subspan(at))) flush();
        together.push_back(*op);
        continue;
      }
      if (isName(stmt)) {  // they may stand before what is still to come
        result.push_back(stmt);
        continue;
      }
      flush();
      if (auto* joint = std::get_if<ir::Fused>(&stmt.node)) {
        Ops ops;
        for (const ir::Stmt& s : joint->ops) ops.push_back(std::get<ir::StructuredOp>(s.node));
        append(result, fused(ops));
      } else if (auto* call = std::get_if<ir::LibraryCall>(&stmt.node)) {
        append(result, run(ir::generated(*call)));
      } else if (auto* own = std::get_if<ir::ExternalCall>(&stmt.node)) {
        append(result, run(own->body));
      } else {
        result.push_back(stmt);
      }
    }
    flush();
    return result;
  }

  std::vector<OpReport> reports;
  std::vector<SettingError> errors;

 private:
  static bool isName(const ir::Stmt& stmt) {
    return std::holds_alternative<ir::Alloc>(stmt.node) ||
           std::holds_alternative<ir::View>(stmt.node);
  }

  // Whether steps are said for one of both neighbours, and not for both together. Ops of one
  // position are done one by one anyway.
  bool isApart(const Ops& before, const ir::StructuredOp& op) {
    const size_t number = reports.size() + before.size();
    return parallelCount(op) > 0 && !before.empty() && beginsApart(number);
  }
  // Whether the user says the steps of an op, or of ops of which it is the first, or of those
  // before it.
  bool beginsApart(size_t op) {
    return std::any_of(options_.settings.begin(), options_.settings.end(), [&](const Setting& set) {
      if (set.kernel != builder_.kernel().name) return false;
      if (set.name == kSteps) return set.op == op || set.op + 1 == op;
      return set.name == kRegion && (set.op == op || set.last + 1 == op);
    });
  }
  ir::Block fused(const Ops& ops) {
    ir::Block block;
    Ops together;
    const size_t first = reports.size();
    for (size_t i = 0; i < ops.size(); ++i) {
      if (i > 0 && beginsApart(first + i)) append(block, region(std::exchange(together, {})));
      together.push_back(ops[i]);
    }
    append(block, region(together));
    return block;
  }

  // Whether the first of the ops in `next` has all parallel iterators in common with these, or will
  // by one of the following: what several outputs begin with is, by the op that writes them all.
  bool joins(const Ops& ops, std::span<const ir::Stmt> next) {
    constexpr size_t kMostAhead = 8;
    if (ops.empty()) return true;
    Ops all = ops;
    for (const ir::Stmt& stmt : next) {
      if (isName(stmt)) continue;
      auto* op = std::get_if<ir::StructuredOp>(&stmt.node);
      if (!op || all.size() >= ops.size() + kMostAhead ||
          parallelCount(*op) != parallelCount(ops[0]))
        return false;
      all.push_back(*op);
      if (sharedPositions(builder_.kernel(), all).size() == parallelCount(*op)) return true;
    }
    return false;
  }

  // Tensors that ops beside these use.
  std::set<unsigned> othersThan(const Ops& ops) { return usedElsewhere(builder_.kernel(), ops); }

  ir::Block region(const Ops& ops) {
    size_t first = reports.size();
    said_ = first + ops.size();
    for (const ir::StructuredOp& op : ops)
      reports.push_back({op.source, ir::printStatement(builder_.kernel(), {op}), "flat", {}, {}});
    std::vector<OpSettings> settings;
    for (size_t i = 0; i < ops.size(); ++i)
      settings.emplace_back(options_.settings, builder_.kernel().name,
                            static_cast<unsigned>(first + i));
    std::swap(settings, settings_);
    firstSetting_ = first;
    auto steps = ops.size() == 1 ? ownSteps(ops[0], first) : regionSteps(ops, first);
    ir::Block block = steps ? bySteps(ops, *steps, first) : chosen(ops, first, settings_);
    std::swap(settings, settings_);
    for (size_t i = 0; i < ops.size(); ++i) {
      bool isInline = settings[i].word("strategy", kStrategies) == "inline";
      if (isInline && reports[first + i].strategy != "inline")
        settings[i].refuse("strategy", "the op cannot be computed where its results are read");
      if (auto said = settings[i].region(); said && reports[first + i].strategy != "steps")
        settings[i].refuse(kRegion,
                           "these ops are not done together: they do not share all "
                           "positions, or one is a product");
      for (SettingError& error : settings[i].errors()) errors.push_back(std::move(error));
    }
    return block;
  }

  // What the user says of an op that is alone, if that is not what is done anyway.
  std::optional<Steps> ownSteps(const ir::StructuredOp& op, size_t number) {
    auto steps = settings_[number - firstSetting_].steps();
    return steps && !steps->empty() && steps != allSteps(op) ? steps : std::nullopt;
  }

  // The same of a contraction and all that is done with its results.
  std::optional<Steps> regionSteps(const Ops& ops, size_t first) {
    if (!contractionOf(ops)) return std::nullopt;
    auto said = settings_[0].region();
    const bool isAll = said && said->op == first && said->last + 1 == first + ops.size();
    return isAll && fusesOnTiles(said->steps) ? std::optional(said->steps) : std::nullopt;
  }

  // As the user says it. Where nothing is said, the model chooses; what is left in loops an invocation does
  // in order.
  ir::Block bySteps(const Ops& ops, const Steps& steps, size_t first) {
    for (size_t i = 0; i < ops.size(); ++i) {
      reports[first + i].strategy = "steps";
      reports[first + i].lines.push_back("as the schedule says");
    }
    reports[first].steps = steps;
    reports[first].together = ops.size();
    std::vector<StepError> wrong;
    ir::Block block = onTiled(ops, steps, first, wrong);
    for (const StepError& error : wrong)
      settings_[first - firstSetting_].refuseStep(error.source, error.message);
    if (wrong.empty()) return block;
    block.clear();  // where a step was left out, others are not as they are
    for (const ir::StructuredOp& op : ops) block.push_back({op});
    return block;
  }

  ir::Block onTiled(const Ops& ops, const Steps& steps, size_t first,
                    std::vector<StepError>& wrong) {
    const size_t main = ops.size() == 1 ? 0 : *contractionOf(ops);
    auto left = [&](const Place& place) {
      return isWhole(place, ops[main]) ? small(ops, first) : only({place.op});
    };
    if (ops.size() > 1) return apply(builder_, ops, first, steps, options_, wrong, left);
    const Place place{ops[0], operandNames(builder_.kernel(), ops[0])};
    return apply(builder_, place, steps, options_, wrong, left);
  }

  // By steps of their own, where the others leave all of it.
  ir::Block small(const Ops& ops, size_t first) {
    const Steps steps = smallSteps(builder_, ops, first, options_);
    if (ops.size() == 1) return apply(builder_, ops[0], steps, options_);
    std::vector<StepError> wrong;
    ir::Block block = applyShared(builder_, NumberedOps::from(first, ops), othersThan(ops), steps,
                                  options_, wrong);
    mustBeDone(builder_.kernel(), wrong, ops[0], steps);
    return block;
  }

  // Nothing of the op is done: it is on no part of its operands.
  static bool isWhole(const Place& place, const ir::StructuredOp& op) {
    bool same = place.op.inputs.size() >= op.inputs.size() &&
                place.op.outputs[0].tensor == op.outputs[0].tensor;
    for (size_t i = 0; same && i < op.inputs.size(); ++i)
      same = place.op.inputs[i].tensor == op.inputs[i].tensor;
    return same;
  }

  ir::Block chosen(const Ops& ops, size_t first, std::vector<OpSettings>& settings) {
    const auto contraction = contractionOf(ops);
    std::vector<std::optional<std::string>> wanted;
    for (OpSettings& own : settings) wanted.push_back(own.word("strategy", kStrategies));
    if (!contraction)
      for (size_t i = 0; i < ops.size(); ++i)
        if (wanted[i] == "contraction")
          settings[i].refuse("strategy", "the op is no contraction on a device");
    if (!contraction || wanted[*contraction] == "flat") return positions(ops, first);
    std::vector<size_t> others;
    for (size_t i = 0; i < ops.size(); ++i) {
      reports[first + i].strategy = "contraction";
      if (i == *contraction) continue;
      others.push_back(first + i);
      reports[first + i].lines.push_back(i < *contraction
                                             ? "the sums of the contraction start from it"
                                             : "done with the sums of the contraction");
    }
    WhenStep tiles =
        onTiles(ops[*contraction], others, reports[first + *contraction], settings[*contraction]);
    tiles.otherwise = smallSteps(builder_, ops, first, options_);
    Steps steps = {std::move(tiles)};
    std::vector<StepError> wrong;
    ir::Block block = onTiled(ops, steps, first, wrong);
    mustBeDone(builder_.kernel(), wrong, ops[*contraction], steps);
    reports[first].steps = std::move(steps);
    reports[first].together = ops.size();
    return block;
  }

  // The contraction of ops that are done on its tiles.
  std::optional<size_t> contractionOf(const Ops& ops) {
    size_t contraction = 0;
    while (contraction < ops.size() && !hasTiles(builder_.kernel(), ops[contraction]))
      ++contraction;
    const bool isFound = contraction < ops.size() && isRegion(ops, contraction);
    return isFound ? std::optional(contraction) : std::nullopt;
  }

  // The contraction with one output, alone, or with what it starts from and what reads its results.
  bool isRegion(const Ops& ops, size_t contraction) {
    const ir::StructuredOp& op = ops[contraction];
    if (op.outputs.size() != 1 || contraction > 1) return false;
    if (std::any_of(op.inputs.begin(), op.inputs.end(),
                    [](const ir::Operand& input) { return input.shapeOnly; }))
      return false;
    if (ops.size() == 1) return true;
    const ir::Operand& results = op.outputs[0];
    bool isLocal = builder_.kernel().tensors[results.tensor].role == ir::Role::Local &&
                   othersThan(ops).count(results.tensor) == 0;
    bool isPlain = transforms::iteratorsOf(results).size() == results.map.size() &&
                   std::all_of(results.map.begin(), results.map.end(),
                               [](const Expr& index) { return index.asIterator().has_value(); });
    if (contraction == 0 || !isPlain || (ops.size() > 2 && !isLocal)) return false;
    const ir::StructuredOp& start = ops[0];
    bool starts = start.outputs.size() == 1 && start.outputs[0].tensor == results.tensor &&
                  !ir::readsOperand(start, start.inputs.size());
    for (size_t i = 0; i < ops.size(); ++i)
      if (i != contraction && !isOnResults(ops[i], results, i > 0)) return false;
    return starts;
  }

  // Whether the op has one iterator for each dimension of the results, and reads them, if it is a
  // reader, element by element.
  static bool isOnResults(const ir::StructuredOp& op, const ir::Operand& results, bool isReader) {
    if (ir::reduces(op) || op.iterators.size() != results.map.size()) return false;
    bool found = false;
    for (size_t o = 0; o < op.operandCount(); ++o) {
      const ir::Operand& operand = op.operand(o);
      if (operand.shapeOnly) return false;
      if (operand.tensor != results.tensor) continue;
      if (operand.pad || (isReader && o >= op.inputs.size())) return false;
      found = true;
      if (transforms::iteratorsOf(operand).size() != op.iterators.size()) return false;
      for (const Expr& index : operand.map)
        if (!index.asIterator()) return false;
    }
    return found;
  }

  WhenStep onTiles(const ir::StructuredOp& op, const std::vector<size_t>& others, OpReport& report,
                   OpSettings& settings) {
    Groups groups = *contractionGroups(builder_.kernel(), op);
    auto count = [&](const std::vector<std::string>& iterators) {
      return builder_.positions(op, iterators).asConstant().value_or(INT64_MAX);
    };
    auto bytes = [&](ir::ScalarType type) {
      return std::max(static_cast<int>(ir::info(type).bytes()), 4);
    };
    int sums = bytes(builder_.kernel().tensors[op.outputs[0].tensor].type);
    int elements = std::max(bytes(castType(builder_.kernel(), op, groups.left[0])),
                            bytes(castType(builder_.kernel(), op, groups.right[0])));
    DeviceTiles tiles = deviceTiles(device(), sums, elements, count(groups.m), count(groups.n),
                                    count(groups.k), settings);
    const int64_t fewest =
        settings.number("fewest", 1, INT32_MAX).value_or(device().numbers.tileFewest);
    report.settings = {
        {"mr", std::to_string(tiles.mr)},     {"nr", std::to_string(tiles.nr)},
        {"rows", std::to_string(tiles.rows)}, {"columns", std::to_string(tiles.columns)},
        {"kt", std::to_string(tiles.kt)},     {"fewest", std::to_string(fewest)}};
    report.lines.push_back((groups.batch.empty() ? "" : groupText("batch", groups.batch) + ", ") +
                           groupText("M", groups.m) + ", " + groupText("N", groups.n) + ", " +
                           groupText("K", groups.k) +
                           ": tiles in shared memory, sums in registers");
    report.lines.insert(report.lines.end(), tiles.reasons.begin(), tiles.reasons.end());
    report.lines.push_back("fewest = " + std::to_string(fewest) +
                           ": where M and N have so many positions each; else an invocation for "
                           "each position, as most of a tile would be empty");
    if (tiles.mostTerms)
      report.lines.push_back("where K has at most " + std::to_string(*tiles.mostTerms) +
                             " positions: an invocation may run " +
                             std::to_string(device().rounds) + " rounds of loops");
    return onDeviceTiles(builder_.kernel(), op, groups, tiles, fewest, others);
  }

  const target::Device& device() const { return *options_.target->device; }

  // Positions that the ops share: by invocations, or workgroups. Ops that share none are apart.
  ir::Block positions(const Ops& ops, size_t first) {
    auto shared = sharedPositions(builder_.kernel(), ops);
    ir::Block block;
    if (!shared.empty() && ops.size() > 1) return together(ops, shared, first);
    for (size_t i = 0; i < ops.size(); ++i) {
      Ops own = {ops[i]};
      said_ = first + i + 1;
      if (auto steps = ownSteps(ops[i], first + i)) {
        append(block, bySteps(own, *steps, first + i));
        continue;
      }
      if (auto steps = allSteps(ops[i])) reports[first + i].steps = std::move(*steps);
      append(block, alone(ops[i], sharedPositions(builder_.kernel(), own), first + i));
    }
    return block;
  }

  using Names = Shared;

  // All that is done with an op, if it is said in steps and has little to do at a position.
  std::optional<Steps> allSteps(const ir::StructuredOp& op) {
    const Names shared = sharedPositions(builder_.kernel(), {op});
    if (workAtPosition(builder_, device(), {op}, shared)) return std::nullopt;
    return ownPositions(builder_.kernel(), op, shared, othersThan({op}), device());
  }

  // Of ops that share positions.
  Steps sharingBy(const Positions& at, size_t first) {
    note(at.shared, first,
         at.shared.empty() ? "one invocation does all of it"
                           : "an invocation for each position of ");
    note({}, first,
         "workgroups of " + std::to_string(device().invocations) +
             " invocations, or as many as the device has, if they are fewer");
    auto work = workAtPosition(builder_, device(), at.ops.ops, at.shared);
    if (!work || !mayShareRows(at.ops.ops, options_.keepsOrder))
      return flatSteps(at, device().numbers.mostPrivate);
    const DeviceRows wanted =
        at.shared.empty() ? DeviceRows{1, device().invocations} : rowsOf(device(), work->op, first);
    Sharing sharing = sharingSteps(at, device(), *work, wanted, /*mayBeInParts=*/true);
    for (std::string& line : sharing.lines) note({}, first, std::move(line));
    return std::move(sharing.steps);
  }

  ir::Block together(const Ops& ops, const Names& shared, size_t first) {
    const std::set<unsigned> others = othersThan(ops);
    Recomputed fewer = recomputed(builder_.kernel(), device(), ops, shared, others);
    NumberedOps left = NumberedOps::from(first, ops);
    Steps steps;
    for (size_t gone : fewer.gone) {
      reports[first + gone].strategy = "inline";
      reports[first + gone].lines.push_back("computed where it is read");
      steps.push_back(InlineStep{static_cast<int64_t>(first + gone)});
      std::erase(left.numbers, first + gone);
    }
    left.ops = fewer.ops;
    const Positions at{builder_.kernel(), std::move(left),
                       sharedPositions(builder_.kernel(), fewer.ops), others, /*isAlone=*/false};
    for (Step& step : sharingBy(at, first)) steps.push_back(std::move(step));
    return applied(ops, first, std::move(steps));
  }

  // The steps of several ops, or what the user says in their place.
  ir::Block applied(const Ops& ops, size_t first, Steps steps) {
    auto said = settings_[first - firstSetting_].region();
    if (said && said->last + 1 - said->op != ops.size()) said.reset();
    if (said) steps = said->steps;
    for (size_t i = first; said && i < first + ops.size(); ++i) {
      reports[i].strategy = "steps";
      reports[i].settings.clear();
      reports[i].lines = {"together with others, as the schedule says"};
    }
    reports[first].steps = steps;
    reports[first].together = ops.size();
    std::vector<StepError> wrong;
    ir::Block block = applyShared(builder_, NumberedOps::from(first, ops), othersThan(ops), steps,
                                  options_, wrong);
    if (!said) mustBeDone(builder_.kernel(), wrong, ops[0], steps);
    for (const StepError& error : wrong) errors.push_back({*said, error.message, error.source});
    if (wrong.empty()) return block;
    block.clear();  // where a step was left out, others are not as they are
    for (const ir::StructuredOp& op : ops) block.push_back({op});
    return block;
  }

  ir::Block alone(const ir::StructuredOp& op, const Names& shared, size_t first) {
    const ir::Kernel& kernel = builder_.kernel();
    const Positions at{kernel, NumberedOps::from(first, {op}), shared, othersThan({op}), true};
    const bool hasWork = workAtPosition(builder_, device(), {op}, shared).has_value();
    Steps steps = sharingBy(at, first);
    if (!hasWork) steps = ownPositions(kernel, op, shared, at.others, device());
    if (hasWork) reports[first].steps = steps;
    if (!hasWork) {
      const Steps flat = alonePositions(kernel, op, shared, /*inVectors=*/true);
      if (std::holds_alternative<WhenStep>(flat[0].node))
        note({}, first, "where neighbours lie together, four positions to an invocation");
      if (auto along = storesTransposed(kernel, op, at.others, device()))
        note({}, first, transposed(kernel, op, *along, device()).reason);
    }
    return apply(builder_, op, steps, options_);
  }

  // A subgroup for each position, whose invocations read neighbours in one step.
  DeviceRows rowsOf(const target::Device& device, size_t op, size_t first) {
    int64_t lanes = device.subgroup;
    auto report = reportOf(op, first);
    if (!report) return {device.invocations / lanes, lanes};
    OpSettings& settings = settings_[*report - firstSetting_];
    if (auto wanted = settings.number("lanes", 1, device.invocations)) {
      lanes = *wanted;
      if ((lanes & (lanes - 1)) != 0) {
        settings.refuse("lanes", "lanes = " + std::to_string(lanes) +
                                     ": expected a power of two, as sums are added up in a tree");
        lanes = device.subgroup;
      }
    }
    reports[*report].settings.emplace_back("lanes", std::to_string(lanes));
    reports[*report].lines.push_back("lanes = " + std::to_string(lanes) +
                                     (lanes == device.subgroup ? ": a subgroup" : ""));
    return {device.invocations / lanes, lanes};
  }

  // Of the op with this number among those of the region that are done at their positions.
  std::optional<size_t> reportOf(size_t op, size_t first) const {
    for (size_t i = first; i < said_; ++i)
      if (reports[i].strategy == "flat" && op-- == 0) return i;
    return std::nullopt;
  }

  // Said of the ops from `first` on.
  void note(const Names& shared, size_t first, std::string text) {
    for (size_t i = 0; i < shared.size(); ++i) text += (i == 0 ? "'" : ", '") + shared[i][0] + "'";
    for (size_t i = first; i < said_; ++i)
      if (reports[i].strategy == "flat") reports[i].lines.push_back(text);
  }

  transforms::Builder builder_;
  const ScheduleOptions& options_;
  size_t said_ = 0;                   // the end of the reports that are being written
  std::vector<OpSettings> settings_;  // of the region
  size_t firstSetting_ = 0;           // its first op
};

}  // namespace

Decision decideForDevice(const ir::Kernel& kernel, const ScheduleOptions& options) {
  ir::Kernel result = kernel;
  result.level = ir::Level::Tiled;
  DeviceScheduler scheduler(result, options);
  ir::Block body = scheduler.run(kernel.body);
  result.body = std::move(body);
  result = transforms::canonicalize(result, {.keepsLoops = true});
  transforms::dropUnused(result);
  return {std::move(scheduler.reports), std::move(scheduler.errors), std::move(result)};
}

}  // namespace einc::strategy
