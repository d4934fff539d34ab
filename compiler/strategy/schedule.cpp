// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/schedule.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "compiler/ir/print.h"
#include "compiler/strategy/contractions/contraction.h"
#include "compiler/strategy/device/schedule.h"
#include "compiler/strategy/forms.h"
#include "compiler/strategy/fusion/shared_loops.h"
#include "compiler/strategy/libraries.h"
#include "compiler/strategy/parts_for_threads.h"
#include "compiler/strategy/plan/apply.h"
#include "compiler/strategy/plan/region.h"
#include "compiler/transforms/call_external.h"
#include "compiler/transforms/canonicalize.h"
#include "compiler/transforms/combiner.h"
#include "compiler/transforms/hoist.h"
#include "compiler/transforms/unused.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

using transforms::append;

class Scheduler {
 public:
  Scheduler(ir::Kernel& kernel, const ScheduleOptions& options)
      : builder_(kernel), options_(options), target_(*options.target) {}

  ir::Block run(ir::Block statements) {
    ir::Block result;
    for (ir::Stmt& stmt : statements) {
      if (auto* op = std::get_if<ir::StructuredOp>(&stmt.node))
        append(result, scheduled(*op));
      else if (auto* fused = std::get_if<ir::Fused>(&stmt.node))
        append(result, region(*fused));
      else if (auto* call = std::get_if<ir::LibraryCall>(&stmt.node))
        append(result, called(*call));
      else if (auto* own = std::get_if<ir::ExternalCall>(&stmt.node))
        append(result, external(std::move(*own)));
      else
        result.push_back(std::move(stmt));
    }
    std::erase_if(result, [&](const ir::Stmt& stmt) {
      auto* alloc = std::get_if<ir::Alloc>(&stmt.node);
      return alloc && allocated_.count(alloc->tensor) != 0;
    });
    return result;
  }

  std::vector<OpReport> reports;
  std::vector<SettingError> errors;

 private:
  using Code = std::function<ir::Block(const ir::StructuredOp&, OpReport&)>;

  ir::Block scheduled(const ir::StructuredOp& op) {
    return reported(op, [&](const ir::StructuredOp& whole, OpReport& report) {
      const auto given = settings_.steps();
      if (given && given != model(whole).steps) return bySteps(whole, *given, report);
      return chosen(whole, report);
    });
  }

  // The model's form of an op, whatever is set for it.
  Form model(const ir::StructuredOp& op) {
    OpSettings none({}, "", 0);
    return best(op, none);
  }
  Form best(const ir::StructuredOp& op, OpSettings& settings) {
    const ir::Kernel& kernel = builder_.kernel();
    return bestForm({kernel, op, operandNames(kernel, op), options_, settings});
  }
  ir::Block done(const ir::StructuredOp& op, const Form& form) {
    return apply(builder_, op, form.steps, options_);
  }

  static bool needsMemory(const ir::Block& block) {
    bool needs = false;
    ir::forEachStatement(block, [&](const ir::Stmt& stmt) {
      auto* alloc = std::get_if<ir::Alloc>(&stmt.node);
      needs |= alloc && alloc->space == ir::Space::Heap;
    });
    return needs;
  }

  // As the user says it; what is not said is chosen.
  ir::Block bySteps(const ir::StructuredOp& op, const Steps& steps, OpReport& report) {
    report.strategy = "steps";
    report.steps = steps;
    report.lines.push_back("as the schedule says");
    const size_t number = reports.size();
    Place place{op, operandNames(builder_.kernel(), op)};
    place.number = number;
    std::vector<StepError> wrong;
    ir::Block block =
        apply(builder_, std::move(place), steps, options_, wrong, leftBy(steps, {op}, number));
    for (const StepError& error : wrong) settings_.refuseStep(error.source, error.message);
    return block;
  }

  // What steps of these ops, of which the first has that number, leave is chosen.
  Complete leftBy(const Steps& steps, Ops ops, size_t first) {
    return [this, isWhole = steps.empty(), ops = std::move(ops), first](const Place& place) {
      const ir::StructuredOp* whole = place.number ? &ops[*place.number - first] : nullptr;
      int64_t threads = std::exchange(options_.threads, isWhole ? options_.threads : 1);
      ir::Block block = chosenFor(place, whole, /*memory=*/true);
      // In a loop on threads there is no memory of the size of a tile.
      if (threads > 1 && !isWhole && needsMemory(block))
        block = chosenFor(place, whole, /*memory=*/false);
      options_.threads = threads;
      return block;
    };
  }
  ir::Block chosenFor(const Place& place, const ir::StructuredOp* whole, bool memory) {
    OpSettings none({}, "", 0);
    const Form form =
        bestForm({builder_.kernel(), place.op, place.names, options_, none, memory, whole});
    return apply(builder_, Place{place.op, place.names}, form.steps, options_);
  }

  // What `code` makes of the op, with its settings, and what it says of it.
  ir::Block reported(const ir::StructuredOp& op, const Code& code) {
    OpReport report{op.source, ir::printStatement(builder_.kernel(), {op}), "loops", {}, {}};
    std::vector<std::string> work = limitsOf(builder_.kernel(), op, target_);
    settings_ = OpSettings(options_.settings, builder_.kernel().name,
                           static_cast<unsigned>(reports.size()));
    if (saidTogether_ == reports.size()) settings_.region();
    ir::Block block = code(op, report);
    // The pass call-external has called those that could be.
    if (auto function = settings_.text(kLibraryCall)) {
      auto call = transforms::externalCall(builder_.kernel(), op, *function);
      settings_.refuse(kLibraryCall, std::string(kLibraryCall) + " = " + *function + ": " +
                                         (call ? "run call-external before" : call.reason()));
    }
    noteLibrary(op, report);
    report.lines.insert(report.lines.end(), work.begin(), work.end());
    reports.push_back(std::move(report));
    for (SettingError& error : settings_.errors()) errors.push_back(std::move(error));
    return block;
  }

  ir::Block external(ir::ExternalCall call) {
    ir::forEachOp(call.body, [&](const ir::StructuredOp& op) {
      const auto number = static_cast<unsigned>(reports.size());
      OpSettings own(options_.settings, builder_.kernel().name, number);
      reports.push_back(externalReport(builder_.kernel(), op, number, call, target_, own));
      for (SettingError& error : own.errors()) errors.push_back(std::move(error));
    });
    return transforms::only({std::move(call)});
  }

  // What is set about libraries for an op, and why none is asked for it.
  void noteLibrary(const ir::StructuredOp& op, OpReport& report) {
    auto set = settings_.text("library");
    auto rules = set ? parseRules(*set) : std::nullopt;
    if (auto why = rules ? findImpossible(builder_.kernel(), op, *rules) : std::nullopt)
      settings_.refuse("library", why->text);
    else if (rules && !rules->empty() && rules->back().where.empty() && callOp_ != reports.size())
      settings_.refuse("library", "no call: it is done together with other ops");
    if (callOp_) return;  // that says it itself
    bool asked = !options_.library.empty();
    if (set || (asked && mayBeCalled(builder_.kernel(), op, options_)))
      report.settings.insert(report.settings.begin(), {"library", "none"});
    if (asked)
      report.lines.push_back(set ? "no call of a library: library = none"
                                 : notCalledText(builder_.kernel(), op, options_));
  }

  // The calls, each in the place of the one before it, and what runs where no library does.
  ir::Block called(const ir::LibraryCall& call) {
    std::vector<ir::LibraryCall> calls = inOrder(call);
    const ir::Block& code = ir::generated(call);
    callOp_ = reports.size() - 1;
    ir::forEachOp(code, [&](const ir::StructuredOp&) { ++*callOp_; });
    ir::Block block = inTurn(calls, run(code));
    callOp_.reset();
    OpReport& report = reports.back();
    std::vector<ir::LibraryRule> rules;
    std::vector<std::string> lines;
    for (const ir::LibraryCall& one : calls) rules.push_back({one.library, one.where});
    for (const ir::LibraryCall& one : calls) lines.push_back(callText(one, lines.empty()));
    report.settings.insert(report.settings.begin(), {"library", ir::rulesText(rules)});
    report.lines.insert(report.lines.begin(), lines.begin(), lines.end());
    return block;
  }

  // ---- Ops that share loops ----

  ir::Block region(const ir::Fused& fused) {
    Ops all;
    for (const ir::Stmt& stmt : fused.ops) all.push_back(std::get<ir::StructuredOp>(stmt.node));
    ir::Block block;
    for (auto next = all.begin(); next != all.end();) {
      const auto end = next + static_cast<ptrdiff_t>(countTogether(all.end() - next));
      append(block, together({next, end}, end - next == all.end() - all.begin()));
      next = end;
    }
    return block;
  }

  // How many of the next ops are done together: those that the user says, or all up to one for which there is
  // something said.
  size_t countTogether(ptrdiff_t most) {
    const size_t first = reports.size(), end = first + static_cast<size_t>(most);
    size_t result = end - first;
    for (const Setting& setting : options_.settings) {
      const bool isSteps = setting.name == kSteps || setting.name == kRegion;
      if (setting.kernel != builder_.kernel().name || !isSteps || setting.op < first ||
          setting.op >= end)
        continue;
      if (setting.op > first)
        result = std::min(result, setting.op - first);
      else if (setting.name == kSteps)
        return 1;
      else if (setting.last < end)
        return setting.last + 1 - first;
    }
    return result;
  }

  ir::Block together(const Ops& ops, bool isAll) {
    if (ops.size() == 1) return scheduled(ops[0]);
    size_t contraction = 0;
    while (contraction < ops.size() && !hasTiles(builder_.kernel(), ops[contraction]))
      ++contraction;
    // Of a contraction's others all are done with it, or just what it starts from.
    const bool mayBe = isAll || contraction == ops.size() || (contraction == 1 && ops.size() == 2);
    std::optional<ir::Block> block;
    if (mayBe) block = contraction < ops.size() ? onTiles(ops, contraction) : sharing(ops);
    return block ? std::move(*block) : alone(ops);
  }

  // Each op by itself.
  ir::Block alone(const Ops& ops) {
    ir::Block block;
    for (const ir::StructuredOp& op : ops) append(block, scheduled(op));
    return block;
  }

  // What the user says of the next ops, if they are so many.
  std::optional<Setting> saidTogether(size_t count) {
    auto said =
        OpSettings(options_.settings, builder_.kernel().name, static_cast<unsigned>(reports.size()))
            .region();
    if (said && said->last + 1 - said->op != count) said.reset();
    if (said) saidTogether_ = reports.size();
    return said;
  }

  // Steps of a region: the user's, if they are others than the model's, which are `steps` then.
  void bySaid(const std::optional<Setting>& said, size_t first, size_t count, Steps& steps) {
    reports[first].together = count;
    if (said && said->steps != steps) {
      for (size_t i = first; i < first + count; ++i) {
        reports[i].strategy = "steps";
        reports[i].settings.clear();
        reports[i].lines = {"together with others, as the schedule says"};
      }
      steps = said->steps;
    }
    reports[first].steps = steps;
  }

  // The ops by these steps, which are the model's own, or what the user says.
  ir::Block applied(const Ops& ops, size_t first, const Steps& steps,
                    const std::optional<Setting>& said) {
    std::vector<StepError> wrong;
    ir::Block block =
        apply(builder_, ops, first, steps, options_, wrong, leftBy(steps, ops, first));
    if (!said) mustBeDone(builder_.kernel(), wrong, ops[0], steps);
    for (const StepError& error : wrong) errors.push_back({*said, error.message, error.source});
    if (wrong.empty()) return block;
    block.clear();  // where a step was left out, others are not as they are
    for (const ir::StructuredOp& op : ops) block.push_back({op});
    return block;
  }
  // A contraction, and on its tiles the others; nothing if it is not to be done as one.
  std::optional<ir::Block> onTiles(const Ops& ops, size_t contraction) {
    OpSettings own(options_.settings, builder_.kernel().name,
                   static_cast<unsigned>(reports.size() + contraction));
    auto strategy = own.word("strategy", formNames());
    if (target_.vectorBytes == 0 || (strategy && strategy != "contraction")) return std::nullopt;
    const Together together{ops, reports.size()};
    const auto said = saidTogether(ops.size());
    Steps steps;
    for (size_t i = 0; i < ops.size(); ++i)
      reported(ops[i], [&](const ir::StructuredOp&, OpReport& report) {
        if (i == contraction) {
          settings_.word("strategy", formNames());
          steps = tileSteps(together, i, report);
          return ir::Block();
        }
        report.strategy = "fused";
        settings_.word("strategy", {"fused"});
        report.lines.push_back(i < contraction
                                   ? "the register tiles of the contraction start from it"
                                   : "done on the register tiles of the contraction");
        return ir::Block();
      });
    bySaid(said, together.first, ops.size(), steps);
    return applied(ops, together.first, steps, said);
  }

  // Of a contraction with others on its tiles. Where it is done in parts for threads, these are done by
  // themselves.
  Steps tileSteps(const Together& together, size_t contraction, OpReport& report) {
    const ir::Kernel& kernel = builder_.kernel();
    const ir::StructuredOp& op = together.ops[contraction];
    const ir::StructuredOp sum = transforms::asSum(op);
    const std::vector<OperandName> names = operandNames(kernel, sum);
    Form form = contractionOf({kernel, sum, names, options_, settings_}, together,
                              *contractionGroups(kernel, op));
    OpSettings none({}, "", 0);
    auto inParts =
        parts({kernel, op, names, options_, none, /*memory=*/true, nullptr, bestFormOfPart}, form);
    if (inParts) {
      Steps alone;
      const Region region(builder_, together.ops, together.first);
      for (size_t number : region.others())
        alone.push_back(
            fusedBy(number, bestFormOfPart({kernel, region.ops()[number - together.first],
                                            region.names(number), options_, none})));
      llvm::append_range(alone, std::move(inParts->steps));
      form.steps = {WhenStep{std::move(inParts->where), std::move(alone), std::move(form.steps)}};
      form.steps.insert(form.steps.begin(), inParts->lets.begin(), inParts->lets.end());
      llvm::append_range(form.lines, inParts->lines);
    }
    Steps steps = std::move(form.steps);
    note(std::move(form), report);
    report.steps.clear();
    return steps;
  }

  // An op of a region in a form of its own.
  static FuseStep fusedBy(size_t number, Form form) {
    return {static_cast<int64_t>(number), /*isOnTile=*/false, std::move(form.steps)};
  }

  static std::string sharedNames(const std::vector<std::vector<std::string>>& shared) {
    std::string text;
    for (const std::vector<std::string>& names : shared)
      text += (text.empty() ? "'" : ", '") + names[0] + "'";
    return text;
  }

  // A contraction takes memory for what it packs, and other forms none but what blocks have.
  bool takesMemory(const Ops& ops) {
    for (size_t i = 0; i < ops.size(); ++i) {
      OpSettings own(options_.settings, builder_.kernel().name,
                     static_cast<unsigned>(reports.size() + i));
      auto strategy = own.word("strategy", formNames());
      if (strategy && strategy != "contraction") continue;
      if (target_.vectorBytes > 0 && contractionGroups(builder_.kernel(), ops[i])) return true;
    }
    return false;
  }

  // The ops block by block; nothing if one of them needs memory of its own, or nothing is shared.
  std::optional<ir::Block> sharing(const Ops& ops) {
    const auto shared = sharedIterators(builder_.kernel(), ops);
    const auto said = saidTogether(ops.size());
    if (!said && (takesMemory(ops) || shared.empty())) return std::nullopt;
    const size_t first = reports.size();
    Steps steps = shared.empty() ? reportedAlone(ops) : blockSteps(ops, shared);
    bySaid(said, first, ops.size(), steps);
    ir::Block block = applied(ops, first, steps, said);
    sinkAllocs(ops, block);
    return block;
  }

  // Without loops around them.
  Steps reportedAlone(const Ops& ops) {
    Steps steps;
    for (const ir::StructuredOp& op : ops)
      reported(op, [&](const ir::StructuredOp&, OpReport& report) {
        Form form = best(op, settings_);
        steps.push_back(fusedBy(reports.size(), form));
        note(std::move(form), report);
        report.steps.clear();
        return ir::Block();
      });
    return steps;
  }

  // Block by block; on threads, where blocks are few and large, each op by itself.
  Steps blockSteps(const Ops& ops, const std::vector<std::vector<std::string>>& shared) {
    const size_t first = reports.size();
    SharedLoops loops = sharedLoops(builder_.kernel(), ops, options_);
    Steps few;
    if (options_.threads > 1)  // what is set is for blocks
      for (size_t i = 0; i < ops.size(); ++i) few.push_back(fusedBy(first + i, model(ops[i])));
    ir::Kernel aside = builder_.kernel();  // where blocks are looked at
    transforms::Builder builder(aside);
    std::vector<FuseStep> fused;
    std::vector<StepError> wrong;
    apply(builder, ops, first, loops.blocks, options_, wrong, [&](const Place& tile) {
      fused.push_back(onBlock(aside, ops[*tile.number - first], tile, sharedNames(shared)));
      return ir::Block();
    });
    mustBeDone(aside, wrong, ops[0], loops.blocks);
    llvm::append_range(loops.blocks, std::move(fused));
    if (few.empty()) return std::move(loops.blocks);
    return {WhenStep{std::move(loops.few), std::move(few), std::move(loops.blocks)}};
  }

  FuseStep onBlock(const ir::Kernel& aside, const ir::StructuredOp& op, const Place& tile,
                   const std::string& names) {
    Steps steps;
    reported(op, [&](const ir::StructuredOp&, OpReport& report) {
      const int64_t threads = std::exchange(options_.threads, 1);
      Form form = bestForm({aside, tile.op, tile.names, options_, settings_, /*memory=*/true, &op});
      options_.threads = threads;
      steps = std::move(form.steps);
      note(std::move(form), report);
      report.steps.clear();
      report.lines.push_back("together with others, block by block along " + names);
      if (threads > 1)
        report.lines.push_back(
            "on threads: blocks are shared out, or, where there are fewer than " +
            std::to_string(threads) + " large ones, each op by itself");
      return ir::Block();
    });
    return {static_cast<int64_t>(*tile.number), /*isOnTile=*/false, std::move(steps)};
  }

  // Memory of the kernel that the first of two ways alone uses is taken there.
  void sinkAllocs(const Ops& ops, ir::Block& block) {
    auto* test = block.empty() ? nullptr : std::get_if<ir::If>(&block.back().node);
    if (!test) return;
    const std::set<unsigned> there = usedIn(test->then), otherwise = usedIn(test->otherwise);
    std::map<unsigned, size_t> users;  // of other ops
    ir::forEachOp(builder_.kernel().body, [&](const ir::StructuredOp& op) {
      for (unsigned tensor : usedIn(transforms::only({op}))) ++users[tensor];
    });
    for (const ir::StructuredOp& op : ops)
      for (unsigned tensor : usedIn(transforms::only({op}))) --users[tensor];
    for (const ir::Stmt& stmt : builder_.kernel().body) {
      auto* alloc = std::get_if<ir::Alloc>(&stmt.node);
      if (!alloc || there.count(alloc->tensor) == 0 || otherwise.count(alloc->tensor) != 0 ||
          users[alloc->tensor] > 0)
        continue;
      test->then.insert(test->then.begin(), {ir::Alloc{alloc->tensor}});
      allocated_.insert(alloc->tensor);
    }
  }

  // Tensors that ops use, through views, too.
  static std::set<unsigned> usedIn(const ir::Block& block) {
    std::set<unsigned> used;
    std::vector<std::pair<unsigned, unsigned>> views;
    ir::forEachStatement(block, [&](const ir::Stmt& stmt) {
      if (auto* view = std::get_if<ir::View>(&stmt.node))
        views.emplace_back(view->view, view->base);
      if (auto* op = std::get_if<ir::StructuredOp>(&stmt.node))
        for (size_t i = 0; i < op->operandCount(); ++i) used.insert(op->operand(i).tensor);
    });
    for (auto view = views.rbegin(); view != views.rend(); ++view)
      if (used.count(view->first) != 0) used.insert(view->second);
    return used;
  }

  // In the best form.
  ir::Block chosen(const ir::StructuredOp& op, OpReport& report) {
    Form form = best(op, settings_);
    ir::Block block = done(op, form);
    note(std::move(form), report);
    return block;
  }
  static void note(Form form, OpReport& report) {
    report.strategy = std::move(form.name);
    report.settings = std::move(form.settings);
    llvm::append_range(report.lines, form.lines);
    report.steps = std::move(form.steps);
  }

  transforms::Builder builder_;
  ScheduleOptions options_;
  const target::Target& target_;
  OpSettings settings_{{}, "", 0};
  std::optional<size_t> callOp_;        // in a library call: the number of what is called for
  std::optional<size_t> saidTogether_;  // the number of an op from which on steps are given
  std::set<unsigned> allocated_;  // tensors of the kernel that get their memory where they are used
};

}  // namespace

Decision decide(const ir::Kernel& kernel, const ScheduleOptions& ofAll) {
  // Options are copied again and again, and with them the steps of all kernels.
  const ScheduleOptions options{ofAll.target,
                                ofAll.threads,
                                ofAll.keepsOrder,
                                ofAll.contiguous,
                                settingsOf(ofAll.settings, kernel.name),
                                ofAll.library,
                                ofAll.afterStep};
  if (options.target->device) return decideForDevice(kernel, options);
  ir::Kernel result = kernel;
  result.level = ir::Level::Tiled;
  Scheduler scheduler(result, options);
  ir::Block body = scheduler.run(kernel.body);
  result.body = std::move(body);
  result = transforms::canonicalize(result);
  transforms::hoistAllocs(result);
  transforms::dropUnused(result);
  auto ops = static_cast<unsigned>(scheduler.reports.size());
  for (const Setting& setting : options.settings)
    if (setting.op >= ops)
      scheduler.errors.push_back(
          {setting, "'" + kernel.name + "' has " + std::to_string(ops) +
                        (ops == 1 ? " op, number 0" : " ops, numbers 0 to ") +
                        (ops == 1 ? "" : std::to_string(ops - 1))});
  return {std::move(scheduler.reports), std::move(scheduler.errors), std::move(result)};
}

ir::Kernel apply(Decision decision) { return std::move(decision.tiled); }

}  // namespace einc::strategy
