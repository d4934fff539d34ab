// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/schedules.h"

#include <algorithm>

#include "compiler/driver/plant.h"
#include "compiler/driver/progress.h"
#include "compiler/driver/tracing.h"
#include "compiler/ir/print.h"
#include "compiler/ir/verify.h"
#include "compiler/pipeline/pipeline.h"
#include "compiler/pipeline/verify_each.h"
#include "compiler/strategy/plan/text.h"
#include "compiler/strategy/settings.h"
#include "compiler/support/files.h"
#include "compiler/support/text_writer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

namespace einc::driver {
namespace {

const TunedDef* tunedFor(const ir::Kernel& kernel, const CodeOptions& options,
                         const target::Target& target) {
  if (!options.tuning) return nullptr;
  return findTuned(*options.tuning, kernel, std::string(target.name), options.threads);
}

// For which kernels the tuning file has nothing, and that there is none.
void noteTuning(const ir::Module& module, const CodeOptions& options) {
  auto note = [](const std::string& text) { llvm::errs() << "einc: note: " << text << '\n'; };
  if (options.library == "auto" && !options.tuning)
    note("--lib=auto without --tuning=FILE: by the model, which einc explain shows");
  if (!options.tuning) return;
  for (const ir::Kernel& kernel : module.kernels)
    for (const target::Target* target : options.targets)
      if (!tunedFor(kernel, options, *target))
        note(options.tuning->path + " has nothing for this '" + kernel.name + "' on " +
             std::string(target->name) + " with " + std::to_string(options.threads) +
             (options.threads == 1 ? " thread" : " threads") + ": by the model");
}

// A schedule is for a target by its name: one for znver4 is not for native, on whatever CPU.
void noteOtherTargets(const CodeOptions& options) {
  if (!options.schedule || options.schedule->entries.empty()) return;
  const auto& entries = options.schedule->entries;
  auto isFor = [&](const target::Target* target) {
    return llvm::any_of(entries, [&](const auto& entry) { return entry.target == target->name; });
  };
  if (llvm::none_of(options.targets, isFor))
    llvm::errs() << "einc: note: " << options.schedule->source.name() << " has nothing for "
                 << options.targets.front()->name << ": it is for " << entries.front().target
                 << '\n';
}

// Names in a schedule of what there is not.
void checkNames(const ir::Module& module, const std::vector<strategy::ScheduleEntry>& entries,
                Diagnostics& errors) {
  std::vector<std::string> kernels, targets = targetNames();
  for (const ir::Kernel& kernel : module.kernels) kernels.push_back(kernel.name);
  auto check = [&](const std::vector<std::string>& known, const std::string& name,
                   SourceRange range, const std::string& what) {
    if (std::find(known.begin(), known.end(), name) == known.end())
      errors.error(Diag::Schedule, range,
                   "no " + what + " '" + name + "'" + didYouMean(name, known) + "; there are " +
                       joined(known));
  };
  for (const strategy::ScheduleEntry& entry : entries) {
    check(kernels, entry.setting.kernel, entry.kernel, "def");
    check(targets, entry.target, entry.of, "target");
  }
}

// Settings that cannot be, each where it is from. kSuccess, or the exit code after all were printed.
int refuseSettings(const ir::Module& module, const CodeOptions& options,
                   const Schedules& schedules) {
  const CodeOptions::Schedule none{SourceFile("", ""), {}};
  const CodeOptions::Schedule& given = options.schedule ? *options.schedule : none;
  Diagnostics errors(given.source);
  checkNames(module, given.entries, errors);
  std::string other;  // the first that is from elsewhere
  for (const pipeline::Scheduled& scheduled : schedules)
    for (const strategy::SettingError& error : scheduled.errors) {
      const strategy::Setting& setting = error.setting;
      auto entry = llvm::find_if(given.entries, [&](const strategy::ScheduleEntry& e) {
        return e.target == scheduled.options.target->name && e.setting.kernel == setting.kernel &&
               e.setting.op == setting.op && e.setting.name == setting.name;
      });
      if (entry != given.entries.end())
        errors.error(Diag::Schedule, error.range == SourceRange() ? entry->range : error.range,
                     error.message);
      else if (other.empty())
        other = (options.tuning ? options.tuning->path + ": " : "") + "def '" + setting.kernel +
                "', op " + std::to_string(setting.op) + ": " + error.message;
    }
  errors.print(llvm::errs());
  if (!other.empty()) return fail(kBadInput, other);
  return errors.hasErrors() ? kBadInput : kSuccess;
}

// FILE:LINE:COLUMN and the statement, on one line.
std::string statementText(const SourceFile& spec, SourceRange range) {
  SourceFile::Position at = spec.position(range.begin);
  std::string text =
      spec.name() + ":" + std::to_string(at.line) + ":" + std::to_string(at.column) + ": ";
  for (char c : spec.slice(range)) {
    bool space = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (!space)
      text += c;
    else if (text.back() != ' ')
      text += ' ';
  }
  return text;
}

}  // namespace

strategy::ScheduleOptions scheduleOptions(const CodeOptions& options, const target::Target* target,
                                          const std::vector<ir::Kernel>& kernels) {
  strategy::ScheduleOptions result{
      target,           options.threads, options.keepsOrder, options.contiguous,
      options.settings, options.library};
  if (!options.plant.empty())
    result.afterStep = [plant = options.plant](const strategy::Step& step, ir::Block& code) {
      plantInStep(plant, step, code);
    };
  auto add = [&](const strategy::Setting& setting) {
    bool known = llvm::any_of(result.settings, [&](const strategy::Setting& other) {
      return other.kernel == setting.kernel && other.op == setting.op && other.name == setting.name;
    });
    if (!known) result.settings.push_back(setting);
  };
  if (options.schedule)
    for (const strategy::ScheduleEntry& entry : options.schedule->entries)
      if (entry.target == target->name) add(entry.setting);
  for (const ir::Kernel& kernel : kernels) {
    const TunedDef* tuned = tunedFor(kernel, options, *target);
    for (size_t i = 0; tuned && i < tuned->settings.size(); ++i) {
      const strategy::Setting& setting = tuned->settings[i];
      bool isOwn = llvm::any_of(result.settings, [&](const strategy::Setting& other) {
        return other.kernel == setting.kernel && other.op == setting.op &&
               other.name == strategy::kLibraryCall;
      });
      if (!isOwn && (setting.name != "library" || options.library == "auto")) add(setting);
    }
  }
  return result;
}

std::variant<Schedules, ExitCode> schedule(const ir::Module& module, const CodeOptions& options,
                                           const Tracing& tracing, const Watch& watch) {
  if (auto reason = findUnknownPass(tracing))
    return static_cast<ExitCode>(fail(kBadCommandLine, reason->text));
  if (auto violations = ir::verify(module); !violations.empty())
    return static_cast<ExitCode>(failInternally(
        "the frontend made a module that breaks " + violations.front().str(), ir::print(module)));
  noteTuning(module, options);
  Schedules schedules;
  for (const target::Target* target : options.targets) {
    Progress::say("choosing schedules for " + std::string(target->name));
    auto scheduled = pipeline::schedule(module, scheduleOptions(options, target, module.kernels),
                                        watch ? watch(*target) : tracer(tracing, options.plant),
                                        options.each.get());
    if (auto* failure = std::get_if<pipeline::PassFailure>(&scheduled))
      return reportFailure(*failure, options.schedule ? &options.schedule->source : nullptr);
    schedules.push_back(std::move(std::get<pipeline::Scheduled>(scheduled)));
  }
  if (int code = refuseSettings(module, options, schedules)) return static_cast<ExitCode>(code);
  noteOtherTargets(options);
  if (options.each)
    for (const std::string& name : options.each->unseen())
      llvm::errs() << "einc: note: --verify-each: '" << name
                   << "' has no small instances, as its sizes are known: only rules are checked\n";
  return schedules;
}

std::string printedSchedule(const Schedules& schedules) {
  std::string text = strategy::scheduleHeader();
  for (size_t i = 0; i < schedules.front().tiled.kernels.size(); ++i)
    for (const pipeline::Scheduled& scheduled : schedules)
      text += strategy::printSchedule(scheduled.tiled.kernels[i].name, *scheduled.options.target,
                                      scheduled.decisions[i]);
  return text;
}

std::string scheduleText(const strategy::Decision& decision, const std::string& indent,
                         const SourceFile* spec) {
  std::string text;
  for (const strategy::RoundsReport& rounds : decision.rounds)
    text += indent + "ops " + std::to_string(rounds.first) + " to " + std::to_string(rounds.last) +
            (rounds.tiles.empty() ? std::string(" of the spec, not in ") + rounds.word() + ": "
                                  : std::string(" of the spec: ")) +
            rounds.text + "\n";
  for (size_t op = 0; op < decision.reports.size(); ++op) {
    const strategy::OpReport& report = decision.reports[op];
    text += text.empty() ? "" : "\n";
    if (spec) text += indent + statementText(*spec, report.source) + "\n";
    text += indent + report.op + "\n" + indent + report.strategy + "\n";
    for (const std::string& line : report.lines) text += indent + "  " + line + "\n";
    const strategy::Part* part = decision.partAt(op);
    if (!spec || !part) continue;
    TextWriter steps;
    strategy::print(part->steps, steps);
    for (llvm::StringRef rest = steps.text(); !rest.empty();) {
      auto [line, others] = rest.split('\n');
      text += indent + "    " + line.str() + "\n";
      rest = others;
    }
  }
  return text;
}

}  // namespace einc::driver
