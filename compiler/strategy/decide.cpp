// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <utility>

#include "compiler/ir/print.h"
#include "compiler/strategy/complete.h"
#include "compiler/strategy/device/schedule.h"
#include "compiler/strategy/forms.h"
#include "compiler/strategy/fusion/in_registers.h"
#include "compiler/strategy/fusion/shared_loops.h"
#include "compiler/strategy/libraries.h"
#include "compiler/strategy/on_tiles.h"
#include "compiler/strategy/plan/apply.h"
#include "compiler/strategy/read_again.h"
#include "compiler/strategy/schedule.h"
#include "compiler/strategy/streams/parts_for_threads.h"
#include "compiler/support/text_writer.h"
#include "compiler/transforms/call_external.h"
#include "compiler/transforms/combiner.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

class Decider {
 public:
  Decider(const ir::Kernel& kernel, const ScheduleOptions& options)
      : kernel_(kernel), options_(options), target_(*options.target) {}

  Decision run() {
    decide(kernel_.body);
    refuseOpsThatAreNot();
    return std::move(result_);
  }

 private:
  struct RegionForm {
    std::optional<Reason> (Decider::*cannot)(const Ops& ops, bool isAll);
    void (Decider::*take)(const Ops& ops);
  };

  using Say = std::function<void(OpReport&)>;

  void decide(const ir::Block& statements) {
    for (const ir::Stmt& stmt : statements) {
      if (auto* op = std::get_if<ir::StructuredOp>(&stmt.node))
        alone(*op);
      else if (auto* fused = std::get_if<ir::Fused>(&stmt.node))
        region(*fused);
      else if (auto* call = std::get_if<ir::LibraryCall>(&stmt.node))
        called(*call);
      else if (auto* own = std::get_if<ir::ExternalCall>(&stmt.node))
        external(*own);
      else
        inside(stmt);
    }
  }

  // What is in a loop that threads share each of them does by itself.
  void inside(const ir::Stmt& stmt) {
    auto* loop = std::get_if<ir::TileLoop>(&stmt.node);
    const int64_t threads = options_.threads;
    const bool wereThreads = onThreads_;
    if (loop && loop->grain) {
      options_.threads = 1;
      onThreads_ = true;
    }
    const auto around = readInRound_;
    if (loop) readInRound_.clear();
    if (auto step = loop ? loop->step.asConstant() : std::nullopt)
      options_.most[loop->size] = *step;
    for (const ir::Block* block : ir::blocksOf(stmt)) decide(*block);
    readInRound_ = around;
    options_.threads = threads;
    onThreads_ = wereThreads;
  }

  // The number of the next op.
  size_t next() const { return result_.reports.size(); }
  // The settings of the op that is so many further on.
  OpSettings settingsOf(size_t further) const {
    return {options_.settings, kernel_.name, static_cast<unsigned>(next() + further)};
  }

  // The user's steps, if they are others than the model's; what these leave is chosen. Else the best form.
  void alone(const ir::StructuredOp& op) {
    reported(op, [&](OpReport& report) {
      auto given = settings_.steps();
      const bool isSaid = given && !given->empty() && *given != model(op).steps;
      if (isSaid) {
        report.strategy = "steps";
        report.lines.emplace_back("as the schedule says");
        report.own = report.lines;
        *given = completed(kernel_, {op}, next(), *given, options_);
      } else {
        given = note(best(op, settings_), report);
      }
      result_.parts.push_back({next(), 1, std::move(*given), isSaid});
    });
    for (const ir::Operand& input : op.inputs) readInRound_.insert(input.tensor);
  }

  // The model's form of an op, whatever is set for it.
  Form model(const ir::StructuredOp& op) const {
    OpSettings none({}, "", 0);
    return best(op, none);
  }
  Form best(const ir::StructuredOp& op, OpSettings& settings) const {
    Task task{kernel_, op, operandNames(kernel_, op), options_, settings};
    task.isReadAgain = isReadAgain(kernel_, op, readInRound_);
    return bestForm(task);
  }
  // Its steps; what else there is of it goes to the report.
  static Steps note(Form form, OpReport& report) {
    report.strategy = std::move(form.name);
    report.settings = std::move(form.settings);
    llvm::append_range(report.lines, form.lines);
    report.own = std::move(form.own);
    return std::move(form.steps);
  }

  // What `say` decides for the op, with its settings, and says of it.
  void reported(const ir::StructuredOp& op, const Say& say) {
    OpReport report{op.source, ir::printStatement(kernel_, {op}), "loops", {}, {}};
    std::vector<std::string> work = limitsOf(kernel_, op, target_);
    settings_ = settingsOf(0);
    if (saidTogether_ == next()) settings_.region();
    say(report);
    // The pass call-external has called those that could be.
    if (auto function = settings_.text(kLibraryCall)) {
      auto call = transforms::externalCall(kernel_, op, *function);
      settings_.refuse(kLibraryCall, std::string(kLibraryCall) + " = " + *function + ": " +
                                         (call ? "run call-external before" : call.reason()));
    }
    noteLibrary(op, report);
    report.lines.insert(report.lines.end(), work.begin(), work.end());
    result_.reports.push_back(std::move(report));
    llvm::append_range(result_.errors, settings_.errors());
  }

  void external(const ir::ExternalCall& call) {
    ir::forEachOp(call.body, [&](const ir::StructuredOp& op) {
      OpSettings own = settingsOf(0);
      result_.reports.push_back(
          externalReport(kernel_, op, static_cast<unsigned>(next()), call, target_, own));
      llvm::append_range(result_.errors, own.errors());
    });
  }

  // What is set about libraries for an op, and why none is asked for it.
  void noteLibrary(const ir::StructuredOp& op, OpReport& report) {
    auto set = settings_.text("library");
    auto rules = set ? parseRules(*set) : std::nullopt;
    if (auto why = rules ? findImpossible(kernel_, op, *rules) : std::nullopt)
      settings_.refuse("library", why->text);
    else if (rules && !rules->empty() && rules->back().where.empty() && callOp_ != next())
      settings_.refuse("library", "no call: it is done together with other ops");
    if (callOp_) return;  // that says it itself
    bool asked = !options_.library.empty();
    if (set || (asked && mayBeCalled(kernel_, op, options_)))
      report.settings.insert(report.settings.begin(), {"library", "none"});
    if (asked && !set && onThreads_)
      report.lines.push_back("no call of a library: it is done on tiles that threads share");
    else if (asked)
      report.lines.push_back(set ? "no call of a library: library = none"
                                 : notCalledText(kernel_, op, options_));
  }

  // What runs where no library does, and the calls, each in the place of the one before it.
  void called(const ir::LibraryCall& call) {
    const ir::Block& code = ir::generated(call);
    callOp_ = next() - 1;
    ir::forEachOp(code, [&](const ir::StructuredOp&) { ++*callOp_; });
    decide(code);
    callOp_.reset();
    OpReport& report = result_.reports.back();
    std::vector<ir::LibraryRule> rules;
    std::vector<std::string> lines;
    for (const ir::LibraryCall& one : inOrder(call)) {
      rules.push_back({one.library, one.where});
      lines.push_back(callText(one, lines.empty()));
    }
    report.settings.insert(report.settings.begin(), {"library", ir::rulesText(rules)});
    report.lines.insert(report.lines.begin(), lines.begin(), lines.end());
  }

  // ---- Ops that share loops ----

  void region(const ir::Fused& fused) {
    Ops all;
    for (const ir::Stmt& stmt : fused.ops) all.push_back(std::get<ir::StructuredOp>(stmt.node));
    whyApart_.clear();
    if (all.size() > 1) formOf(all, /*isAll=*/true, whyApart_);
    for (auto begin = all.begin(); begin != all.end();) {
      auto end = begin + static_cast<ptrdiff_t>(countTogether(all.end() - begin));
      if (!saidTogether(static_cast<size_t>(end - begin)))
        end -= static_cast<ptrdiff_t>(behindRegisters({begin, end}));
      together({begin, end}, end - begin == all.end() - all.begin());
      begin = end;
    }
  }

  // Of ops, how many at the end keep those before them from leaving what they do in registers: these then are apart, where
  // that is much for a position. (Else a block of lines is as good, and those behind read it there.)
  size_t behindRegisters(Ops ops) const {
    const size_t all = ops.size();
    for (; ops.size() > 1; ops.pop_back())
      if (auto near = inRegisters(kernel_, ops, next(), options_); near && near->isSeveral)
        return all - ops.size();
    return 0;
  }

  // How many of the next ops are done together: those that the user says, or all up to one for which there is
  // something said.
  size_t countTogether(ptrdiff_t most) {
    const size_t first = next(), end = first + static_cast<size_t>(most);
    size_t result = end - first;
    for (const Setting& setting : options_.settings) {
      const bool isSteps = setting.name == kSteps || setting.name == kRegion;
      if (setting.kernel != kernel_.name || !isSteps || setting.op < first || setting.op >= end)
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

  // The first of the region's forms that can be taken; or null, and why none can.
  const RegionForm* formOf(const Ops& ops, bool isAll, std::string& why) {
    std::vector<std::string> reasons;
    for (const RegionForm& form : kRegionForms) {
      auto reason = (this->*form.cannot)(ops, isAll);
      if (!reason) return &form;
      reasons.push_back(reason->text);
    }
    why = joined(reasons, "; ");
    return nullptr;
  }

  // By that form, or each op by itself.
  void together(const Ops& ops, bool isAll) {
    if (ops.size() == 1) return apart(ops, whyApart_);
    std::string why;
    if (const RegionForm* form = formOf(ops, isAll, why)) return (this->*form->take)(ops);
    if (auto said = saidTogether(ops.size())) {
      saidTogether_ = next();
      result_.errors.push_back({*said, "not with the ops beside it: " + why});
    }
    apart(ops, why);
  }

  void apart(const Ops& ops, const std::string& why) {
    for (const ir::StructuredOp& op : ops) {
      alone(op);
      if (why.empty()) continue;
      result_.reports.back().lines.push_back("not with the ops beside it: " + why);
      result_.reports.back().apart = why;
    }
  }

  // What the user says of the next ops, if they are so many.
  std::optional<Setting> saidTogether(size_t count) const {
    auto said = settingsOf(0).region();
    if (said && said->last + 1 - said->op != count) said.reset();
    return said;
  }

  // Of ops that were reported: the user's steps, if they are others than the model's, which are `steps`.
  void take(const std::optional<Setting>& said, size_t first, const Ops& ops, Steps steps) {
    if (said && said->steps != steps) {
      for (size_t i = first; i < first + ops.size(); ++i) {
        OpReport& report = result_.reports[i];
        report.strategy = "steps";
        report.settings.clear();
        report.lines = {"together with others, as the schedule says"};
        report.own = report.lines;
      }
      steps = completed(kernel_, ops, first, said->steps, options_);
    }
    result_.parts.push_back({first, ops.size(), std::move(steps), said.has_value()});
  }

  template <typename Is>
  static size_t numberOf(const Ops& ops, const Is& is) {
    return static_cast<size_t>(llvm::find_if(ops, is) - ops.begin());
  }
  static size_t contractionIn(const ir::Kernel& kernel, const Ops& ops) {
    return numberOf(ops, [&](const auto& op) { return hasTiles(kernel, op); });
  }

  // `isAll`: no op of the region was left out before.
  std::optional<Reason> notOnTiles(const Ops& ops, bool isAll) {
    const size_t contraction = contractionIn(kernel_, ops);
    if (contraction == ops.size()) return Reason{"none of them is a contraction"};
    if (!isAll && !isStart(ops, contraction))
      return Reason{"not all that the contraction is done with is left"};
    return notByTiles(contraction, "contraction");
  }

  // Of what is done on tiles with a sum all is, or just what it starts from.
  static bool isStart(const Ops& ops, size_t sum) { return sum == 1 && ops.size() == 2; }
  std::optional<Reason> notByTiles(size_t sum, const std::string& form) {
    if (target_.vectorBytes == 0) return Reason{"the target has no vectors for tiles"};
    auto strategy = settingsOf(sum).word("strategy", formNames());
    if (strategy && strategy != form)
      return Reason{"the " + form + (form.back() == 's' ? " are" : " is") + " to be done as '" +
                    *strategy + "'"};
    return std::nullopt;
  }

  std::optional<Reason> notOnWindows(const Ops& ops, bool isAll) {
    const size_t windows = numberOf(ops, movesWindows);
    if (windows == ops.size()) return Reason{"none of them moves windows"};
    if (!isAll && !isStart(ops, windows))
      return Reason{"not all that the windows are done with is left"};
    if (auto reason = notByTiles(windows, "windows")) return reason;
    if (model(ops[windows]).name != "windows")
      return Reason{"the windows are done without register tiles"};
    return std::nullopt;
  }

  // A contraction, or windows, and on their tiles the others.
  void onTiles(const Ops& ops) {
    onTilesOf(ops, contractionIn(kernel_, ops), "the contraction", onContraction);
  }
  void onWindows(const Ops& ops) {
    onTilesOf(ops, numberOf(ops, movesWindows), "the windows", strategy::onWindows);
  }

  void onTilesOf(const Ops& ops, size_t sum, const std::string& what, OnTiles formOf) {
    const Together together{ops, next()};
    const auto said = saidTogether(ops.size());
    if (said) saidTogether_ = next();
    Steps steps;
    for (size_t i = 0; i < ops.size(); ++i)
      reported(ops[i], [&](OpReport& report) {
        if (i == sum) {
          settings_.word("strategy", formNames());
          steps = note(formOf(kernel_, together, i, options_, settings_), report);
          return;
        }
        report.strategy = "fused";
        settings_.word("strategy", {"fused"});
        report.lines.emplace_back(i < sum ? "the register tiles of " + what + " start from it"
                                          : "done on the register tiles of " + what);
        report.own = report.lines;
      });
    take(said, together.first, ops, std::move(steps));
  }

  static std::string sharedNames(const std::vector<std::vector<std::string>>& shared) {
    std::string text;
    for (const std::vector<std::string>& names : shared)
      text += (text.empty() ? "'" : ", '") + names[0] + "'";
    return text;
  }

  // A contraction takes memory for what it packs, and other forms none but what blocks have.
  bool takesMemory(const Ops& ops) const {
    for (size_t i = 0; i < ops.size(); ++i) {
      auto strategy = settingsOf(i).word("strategy", formNames());
      if (strategy && strategy != "contraction") continue;
      if (target_.vectorBytes > 0 && contractionGroups(kernel_, ops[i])) return true;
    }
    return false;
  }

  std::optional<Reason> notInBlocks(const Ops& ops, bool) {
    for (const ir::StructuredOp& op : ops) {
      if (!mayHaveTiles(kernel_, op)) continue;
      if (target_.vectorBytes > 0)
        return Reason{"a contraction, or windows, have tiles of their own"};
      if (model(op).name != "lines")
        return Reason{"a contraction, or windows, are not done in lines"};
    }
    if (saidTogether(ops.size())) return std::nullopt;
    if (takesMemory(ops)) return Reason{"one of them needs memory for what it packs"};
    if (sharedIterators(kernel_, ops).empty()) return Reason{"no iterator is shared by all"};
    return std::nullopt;
  }

  // The ops block by block.
  void inBlocks(const Ops& ops) {
    const auto shared = sharedIterators(kernel_, ops);
    const auto said = saidTogether(ops.size());
    if (said) saidTogether_ = next();
    const size_t first = next();
    take(said, first, ops, shared.empty() ? reportedAlone(ops) : blockSteps(ops, shared));
  }

  // Without loops around them.
  Steps reportedAlone(const Ops& ops) {
    Steps steps;
    for (const ir::StructuredOp& op : ops)
      reported(op, [&](OpReport& report) {
        steps.push_back(fusedBy(next(), note(best(op, settings_), report)));
      });
    return steps;
  }

  // Block by block; on threads, where blocks are few and large, each op by itself.
  Steps blockSteps(const Ops& ops, const std::vector<std::vector<std::string>>& shared) {
    const size_t first = next();
    SharedLoops loops = sharedLoops(kernel_, ops, options_);
    Steps few;
    if (options_.threads > 1)  // what is set is for blocks
      for (size_t i = 0; i < ops.size(); ++i)
        few.push_back(fusedBy(first + i, model(ops[i]).steps));
    Steps lines;  // the same in larger blocks, which nobody is told of
    if (!loops.many.empty())
      lines = filled(ops, loops.lines, [&](const ir::Kernel& aside, size_t op, const Place& tile) {
        OpSettings settings = settingsOf(op);
        return formOn(aside, ops, op, tile, settings).steps;
      });
    Steps blocks =
        filled(ops, loops.blocks, [&](const ir::Kernel& aside, size_t op, const Place& tile) {
          return onBlock(aside, ops, op, tile, sharedNames(shared));
        });
    if (!lines.empty())
      blocks = {Step(WhenStep{std::move(loops.many), std::move(lines), std::move(blocks)},
                     "long lines are done in larger blocks")};
    if (auto near = inRegisters(kernel_, ops, first, options_)) {
      for (size_t i = first; i < next(); ++i)
        result_.reports[i].lines.emplace_back(
            "where neighbours are contiguous, position by position, what they leave for each other "
            "in registers");
      blocks = {Step(WhenStep{std::move(near->tests), std::move(near->steps), std::move(blocks)},
                     "all that ops do at a position is little")};
    }
    if (few.empty()) return blocks;
    return {Step(WhenStep{std::move(loops.few), std::move(few), std::move(blocks)},
                 "of few large blocks threads would not all have one")};
  }

  // The loops, and in them what `on` says to do with each op on a block.
  template <typename On>
  Steps filled(const Ops& ops, const Steps& loops, const On& on) {
    const size_t first = next();
    ir::Kernel aside = kernel_;  // where blocks are looked at
    transforms::Builder builder(aside);
    OnBlocks onBlocks([&](const Place& tile) { return on(aside, *tile.number - first, tile); });
    std::vector<StepError> wrong;
    apply(builder, ops, first, loops, options_, wrong, &onBlocks);
    mustBeDone(aside, wrong, ops[0], loops);
    return onBlocks.filled(loops);
  }

  // What is done with the ops on a block.
  class OnBlocks : public Completion {
   public:
    explicit OnBlocks(std::function<Steps(const Place&)> steps) : steps_(std::move(steps)) {}

   private:
    Steps choose(const Place& place, bool) override { return steps_(place); }

    std::function<Steps(const Place&)> steps_;
  };

  Form formOn(const ir::Kernel& aside, const Ops& ops, size_t op, const Place& tile,
              OpSettings& settings) {
    ScheduleOptions options = options_;
    options.threads = 1;
    return bestForm({aside,
                     tile.op,
                     tile.names,
                     options,
                     settings,
                     /*memory=*/true,
                     &ops[op],
                     nullptr,
                     {},
                     nullptr,
                     /*isBlock=*/true,
                     isReadAgain(kernel_, ops, op)});
  }
  Steps onBlock(const ir::Kernel& aside, const Ops& ops, size_t op, const Place& tile,
                const std::string& names) {
    Steps steps;
    reported(ops[op], [&](OpReport& report) {
      steps = note(formOn(aside, ops, op, tile, settings_), report);
      report.together = "block by block along " + names;
      report.lines.push_back("together with others, " + report.together);
      if (options_.threads > 1)
        report.lines.push_back(
            "on threads: blocks are shared out, or, where there are fewer than " +
            std::to_string(options_.threads) + " large ones, each op by itself");
    });
    return steps;
  }

  void refuseOpsThatAreNot() {
    const size_t ops = next();
    for (const Setting& setting : options_.settings)
      if (setting.op >= ops)
        result_.errors.push_back(
            {setting, "'" + kernel_.name + "' has " + std::to_string(ops) +
                          (ops == 1 ? " op, number 0" : " ops, numbers 0 to ") +
                          (ops == 1 ? "" : std::to_string(ops - 1))});
  }

  static constexpr RegionForm kRegionForms[] = {
#define EINC_REGION_FORM(cannot, take) {&Decider::cannot, &Decider::take},
#include "compiler/strategy/forms.def"
  };

  const ir::Kernel& kernel_;
  ScheduleOptions options_;
  const target::Target& target_;
  Decision result_;
  OpSettings settings_{{}, "", 0};      // of the op that is reported
  std::optional<size_t> callOp_;        // in a library call: the number of what is called for
  bool onThreads_ = false;              // the ops are done on tiles that threads share
  std::set<unsigned> readInRound_;      // by ops before in the loop around
  std::string whyApart_;                // all ops of the region
  std::optional<size_t> saidTogether_;  // the number of an op from which on steps are given
};

}  // namespace

Decision decide(const ir::Kernel& kernel, const ScheduleOptions& ofAll) {
  const ScheduleOptions options = ofKernel(ofAll, kernel.name);
  return options.target->device ? decideForDevice(kernel, options) : Decider(kernel, options).run();
}

}  // namespace einc::strategy
