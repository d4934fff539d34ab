// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// einc tune: asks for the fastest way of each def, and writes it down.
#include <memory>

#include "compiler/bench/installed.h"
#include "compiler/bench/report.h"
#include "compiler/driver/code_options.h"
#include "compiler/driver/commands.h"
#include "compiler/driver/def_tuner.h"
#include "compiler/driver/fixed_values.h"
#include "compiler/driver/interruption.h"
#include "compiler/driver/known_values.h"
#include "compiler/driver/load.h"
#include "compiler/driver/progress.h"
#include "compiler/driver/schedules.h"
#include "compiler/driver/sizes.h"
#include "compiler/driver/toolchain.h"
#include "compiler/driver/tuning.h"
#include "compiler/support/files.h"
#include "compiler/support/text_writer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

namespace einc::driver {
namespace {

using strategy::Setting;

Result<std::vector<std::string>> librariesToTry(const std::vector<std::string>& names) {
  const std::vector<std::string>& known = tunedLibraries();
  if (names == std::vector<std::string>{"none"}) return std::vector<std::string>{};
  for (const std::string& name : names)
    if (!llvm::is_contained(known, name))
      return Reason{"--against=" + name + ": there are " + joined(known) + ", and none"};
  std::vector<std::string> result;
  for (const std::string& name : known) {
    if (!names.empty() && !llvm::is_contained(names, name)) continue;
    if (auto library = bench::installed(name); library)
      result.push_back(name);
    else if (!names.empty())
      return Reason{"--against=" + name + ": " + library.reason()};
  }
  return result;
}

// Those of each kernel; every name has to be one's.
Result<std::vector<std::vector<Sizes>>> sizesOf(const std::vector<ir::Kernel>& kernels,
                                                const std::vector<SizeRange>& ranges) {
  std::vector<std::vector<Sizes>> result;
  std::vector<std::string> known;
  for (const ir::Kernel& kernel : kernels) {
    std::vector<std::string> own = kernel.sizeSymbols();
    auto combined = combine(ranges, own);
    if (!combined) return Reason{"'" + kernel.name + "': " + combined.reason()};
    result.push_back(std::move(*combined));
    for (std::string& name : own)
      if (!llvm::is_contained(known, name)) known.push_back(std::move(name));
  }
  for (const SizeRange& range : ranges)
    for (const std::string& name : range.names)
      if (!llvm::is_contained(known, name))
        return Reason{"--size: there is no size '" + name + "' to choose" +
                      didYouMean(name, known) +
                      (known.empty() ? "" : "; there are " + joined(known))};
  return result;
}

// Whether the file can be made: asked before hours of measuring.
bool mayWrite(const std::string& path) {
  llvm::StringRef folder = llvm::sys::path::parent_path(path);
  return path == "-" ||
         (!llvm::sys::fs::is_directory(path) &&
          !llvm::sys::fs::access(folder.empty() ? "." : folder, llvm::sys::fs::AccessMode::Write));
}

std::map<std::string, std::string> machine(const std::vector<std::string>& libraries,
                                           const std::string& compiler) {
  std::map<std::string, std::string> result = {{"cpu", bench::cpuName()}};
  if (auto program = findCompiler(compiler)) {
    std::string version = versionText(*program);
    result["compiler"] = version.substr(0, version.find('\n'));
  }
  for (const std::string& library : libraries)
    if (auto name = bench::installed(library)) result[library] = *name;
  return result;
}

std::string tableText(const TunedDef& tuned) {
  std::string text = tuned.def + ", on " + tuned.target + " with " + std::to_string(tuned.threads) +
                     (tuned.threads == 1 ? " thread" : " threads");
  std::vector<std::vector<std::string>> rows = {{"sizes"}};
  if (!tuned.measured.empty())
    for (const auto& [name, seconds] : tuned.measured[0].seconds) rows[0].push_back(name);
  rows[0].emplace_back();
  for (const TunedSizes& one : tuned.measured) {
    rows.push_back({joined(one.sizes, " ", [](const auto& size) {
      return size.first + "=" + std::to_string(size.second);
    })});
    for (const auto& [name, seconds] : one.seconds) rows.back().push_back(bench::timeText(seconds));
    rows.back().emplace_back();
  }
  text += "\n" + bench::columns(rows);
  for (const strategy::Setting& setting : tuned.settings)
    text += "op " + std::to_string(setting.op) + ": " + setting.name + " = " + setting.value + "\n";
  return text + (tuned.settings.empty() ? "nothing is faster than what the model chose\n" : "");
}

// Entries of the file given stay where nothing was measured anew.
Tuning merged(const Tuning* given, std::vector<TunedDef> measured) {
  Tuning result;
  result.defs = std::move(measured);
  for (size_t i = 0; given && i < given->defs.size(); ++i) {
    const TunedDef& old = given->defs[i];
    bool anew = llvm::any_of(result.defs, [&](const TunedDef& def) {
      return def.def == old.def && def.target == old.target && def.threads == old.threads &&
             def.kernel == old.kernel;
    });
    if (!anew) result.defs.push_back(old);
  }
  return result;
}

// "9 schedules and 2 libraries for 1 def: about 25 s"
void announce(const std::vector<std::unique_ptr<DefTuner>>& tuners) {
  size_t schedules = 0, calls = 0;
  for (const auto& tuner : tuners) {
    schedules += tuner->scheduleCount();
    calls += tuner->callCount();
  }
  auto counted = [](size_t count, const char* one, const char* many) {
    return std::to_string(count) + " " + (count == 1 ? one : many);
  };
  Progress::clear();
  llvm::errs() << "einc: " << counted(schedules, "schedule", "schedules") << " and "
               << counted(calls, "call of a library", "calls of libraries") << " to try for "
               << counted(tuners.size(), "def", "defs") << ": about "
               << durationText(Progress::secondsLeft())
               << "; Ctrl-C ends it and keeps what is known\n";
}

// An exit code after a message. After an interruption, `found` is what is known by then.
int measureAll(const std::vector<ir::Kernel>& kernels, const std::vector<CodeOptions>& wanted,
               const TuneOptions& options, const std::vector<std::string>& libraries,
               const std::vector<std::vector<Sizes>>& sizes, std::vector<TunedDef>& found) {
  Progress progress;
  std::vector<std::unique_ptr<DefTuner>> tuners;
  for (const CodeOptions& code : wanted)
    for (size_t i = 0; i < kernels.size() && !Interruption::seen(); ++i) {
      Progress::say(kernels[i].name + ": what there is to try");
      ir::Module module;
      module.kernels.push_back(kernels[i]);
      auto model = schedule(module, code, {});
      if (auto* exit = std::get_if<ExitCode>(&model)) return *exit;
      tuners.push_back(std::make_unique<DefTuner>(kernels[i],
                                                  std::move(std::get<Schedules>(model).front()),
                                                  code, options, libraries, sizes[i]));
      if (ExitCode exit = tuners.back()->prepare(); exit != kSuccess) return exit;
    }
  if (!Interruption::seen()) announce(tuners);
  for (auto& tuner : tuners) {
    auto tuned = tuner->run();
    if (auto* code = std::get_if<ExitCode>(&tuned)) return *code;
    if (auto& def = std::get<std::optional<TunedDef>>(tuned)) {
      found.push_back(std::move(*def));
      found.back().machine = machine(libraries, options.compiler);
    }
    tuner.reset();
  }
  return kSuccess;
}

// The file and the table; the exit code.
int finish(const std::vector<TunedDef>& found, size_t count, const Tuning* given,
           const TuneOptions& options) {
  const int signal = Interruption::seen();
  if (signal != 0 && found.empty()) {
    llvm::errs() << "einc: interrupted before anything was measured; nothing is written\n";
    return 128 + signal;
  }
  std::string table = joined(found, "\n", tableText);
  (options.output == "-" ? llvm::errs() : llvm::outs()) << table;
  llvm::outs().flush();
  std::string reason = writeOutputs({{options.output, tuningText(merged(given, found))}});
  if (!reason.empty()) return fail(kBadInput, reason);
  if (signal == 0) return kSuccess;
  llvm::errs() << "einc: interrupted; "
               << (options.output == "-" ? "the output" : "'" + options.output + "'") << " has "
               << found.size() << " of " << count << (count == 1 ? " def" : " defs")
               << ", the last one as far as it was measured\n";
  return 128 + signal;
}

}  // namespace

int tune(const Request& request, const TuneOptions& options) {
  if (options.rounds < 1 || !(options.sampleSeconds > 0))
    return fail(kBadCommandLine, "--rounds and --sample are more than 0");
  auto ranges = parseSizes(options.sizes);
  if (!ranges) return fail(kBadCommandLine, ranges.reason());
  auto chosen = chooseCode(request, hostTargets());
  if (auto* code = std::get_if<ExitCode>(&chosen)) return *code;
  const CodeOptions all = std::get<CodeOptions>(chosen);
  if (all.targets.front()->device)
    return fail(kBadCommandLine, "tune with --target=" + std::string(all.targets.front()->name) +
                                     ": it tries code for CPUs; a device's is timed by "
                                     "bench --engine=vulkan");
  auto loaded = load(request, {.takesText = false});
  if (auto* code = std::get_if<ExitCode>(&loaded)) return *code;
  auto fixed = fixValues(std::get<Loaded>(loaded), request.attributes);
  if (auto* code = std::get_if<ExitCode>(&fixed)) return *code;
  const std::vector<ir::Kernel>& kernels = std::get<ir::Module>(fixed).kernels;
  auto sizes = sizesOf(kernels, *ranges);
  if (!sizes) return fail(kBadCommandLine, sizes.reason());
  if (!mayWrite(options.output)) return fail(kBadInput, "cannot write '" + options.output + "'");
  auto libraries = librariesToTry(options.libraries);
  if (!libraries) return fail(kBadCommandLine, libraries.reason());

  std::vector<CodeOptions> wanted;
  for (const target::Target* target : all.targets) {
    wanted.push_back(all);
    wanted.back().targets = {target};
    wanted.back().library.clear();
    wanted.back().tuning = nullptr;
  }
  // It stays to the end, so that the handler of signals that is set when the first one is made is
  // set before ours.
  auto folder = TemporaryFolder::create();
  if (!folder) return fail(kBadInput, folder.reason());
  Interruption interruption;
  std::vector<TunedDef> found;
  if (int code = measureAll(kernels, wanted, options, *libraries, *sizes, found)) return code;
  return finish(found, kernels.size() * wanted.size(), all.tuning.get(), options);
}

}  // namespace einc::driver
