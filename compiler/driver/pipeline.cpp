// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/pipeline.h"

#include <algorithm>

#include "compiler/driver/attributes.h"
#include "compiler/driver/device_here.h"
#include "compiler/driver/plant.h"
#include "compiler/ir/print.h"
#include "compiler/ir/verify.h"
#include "compiler/strategy/fusion/fusion.h"
#include "compiler/strategy/libraries.h"
#include "compiler/strategy/schedule.h"
#include "compiler/support/diagnostics.h"
#include "compiler/support/files.h"
#include "compiler/support/text_writer.h"
#include "compiler/transforms/bufferize.h"
#include "compiler/transforms/call_external.h"
#include "compiler/transforms/map_to_library.h"
#include "compiler/transforms/simplify.h"
#include "compiler/transforms/specialize.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace einc::driver {
namespace {

// More than any machine has; threads that are never used still take address space.
constexpr int64_t kMostThreads = 1024;

// The passes from structured ops on tensors to what is printed, with the reason for their order.
std::string passesFor(const strategy::ScheduleOptions& options, ir::Level until) {
  std::string target = "target=" + std::string(options.target->name);
  std::string threads = options.threads > 1 ? ",threads=" + std::to_string(options.threads) : "";
  std::string fp = options.keepsOrder ? "fp=strict" : "";
  std::string settings, functions;
  std::string library = strategy::defaultLibrary(options);
  std::string libraries = library.empty() ? "" : "lib=" + library;
  auto add = [](std::string& to, const std::string& text) { to += (to.empty() ? "" : ",") + text; };
  for (const strategy::Setting& s : options.settings) {
    std::string text = s.kernel + "." + std::to_string(s.op) + "." + s.name + "=" + s.value;
    if (s.name == "library") add(libraries, text);
    if (s.name == strategy::kLibraryCall) add(functions, text);
    if (s.name != "library") settings += "," + text;
  }
  std::string passes = "simplify";  // first: what fixed sizes and attributes make known
  passes += ",fuse";                // while no tensor has memory yet
  passes += ",bufferize";           // locals get memory before loops can address it
  // Once ops are as they will be: before any code is chosen for what is computed elsewhere.
  passes += ",call-external" + (functions.empty() ? "" : "{" + functions + "}");
  if (!libraries.empty())  // while all ops are whole
    passes += ",map-to-library{" + libraries + "}";
  if (until >= ir::Level::Tiled)  // while every op is still whole, and says what kind it is
    passes += ",schedule{" + target + threads + (fp.empty() ? "" : "," + fp) + settings + "}";
  const bool device = options.target->device != nullptr;
  if (until >= ir::Level::Tiled && device)  // while loops over tiles say what is parallel
    passes += ",distribute{" + target + "}";
  if (until >= ir::Level::Vector)  // what is still structured becomes vectors, or scalar loops
    passes += ",vectorize" + (fp.empty() ? "" : "{" + fp + "}");
  if (until >= ir::Level::Vector && options.target->hasFma && fp.empty())
    passes += ",contract";           // while a payload is still one expression
  if (until >= ir::Level::Hardware)  // vectors of any shape become those that the target has
    passes += ",unroll{" + target + "}";
  if (until >= ir::Level::Hardware && options.target->hasMaxOfNumbers)
    passes += ",assume-numbers";  // while values have names, of which two can be checked at a time
  if (until >= ir::Level::Hardware && !device)
    passes += ",reduce-together";  // once all vectors are those of the target
  if (until >= ir::Level::Hardware && !device)
    passes += ",hoist-values,canonicalize";  // last: the loops that other passes have made
  return passes;
}

const TunedDef* tunedFor(const ir::Kernel& kernel, const CodeOptions& options,
                         const target::Target& target) {
  if (!options.tuning) return nullptr;
  return findTuned(*options.tuning, kernel, std::string(target.name), options.threads);
}

// What is scheduled.
ir::Kernel onBuffers(const ir::Kernel& kernel, const strategy::ScheduleOptions& options) {
  ir::Kernel result =
      transforms::callExternal(transforms::bufferize(strategy::fuse(transforms::simplify(kernel))),
                               strategy::externalFunctions(options.settings, kernel.name));
  return transforms::mapToLibrary(result, strategy::libraryRules(options, kernel.name));
}

}  // namespace

strategy::AfterPass tracer(const Tracing& tracing) {
  return [tracing](const strategy::Pass& pass, const ir::Module& module) {
    bool asked =
        std::find(tracing.after.begin(), tracing.after.end(), pass.name) != tracing.after.end();
    if (tracing.afterAll || asked)
      llvm::errs() << "// after " << pass.name << '\n' << ir::print(module);
  };
}

std::optional<Reason> findUnknownPass(const Tracing& tracing) {
  std::vector<std::string> known;
  for (const strategy::Pass& pass : strategy::allPasses()) known.emplace_back(pass.name);
  for (const std::string& name : tracing.after)
    if (std::find(known.begin(), known.end(), name) == known.end())
      return Reason{"--print-ir-after=" + name + ": unknown pass" + didYouMean(name, known) +
                    "; there are " + joined(known)};
  return std::nullopt;
}

ExitCode reportFailure(const strategy::PassFailure& failure) {
  std::string message = "pass '" + failure.pass + "': " + failure.reason;
  if (failure.kind == strategy::PassFailure::Kind::Refused)
    return static_cast<ExitCode>(fail(kBadInput, message));
  return static_cast<ExitCode>(failInternally(message, ir::print(failure.before)));
}

Result<ir::Kernel> fixValues(const ir::Kernel& kernel, const std::map<std::string, int64_t>& dims,
                             const std::map<std::string, std::string>& attributes) {
  transforms::Fixed fixed{dims, {}};
  for (const auto& [name, text] : attributes) {
    auto attribute = kernel.findAttribute(name);
    if (!attribute) continue;
    auto values = parseAttributeValue(kernel.attributes[*attribute], text);
    if (!values) return Reason{values.reason()};
    fixed.attributes.emplace(name, *values);
  }
  auto specialized = transforms::specialize(kernel, fixed);
  if (!specialized)
    return Reason{"with these --dim and --attr, in '" + kernel.name + "': " + specialized.reason()};
  return specialized;
}

std::variant<ir::Module, ExitCode> fixValues(const Loaded& loaded,
                                             const std::map<std::string, std::string>& attributes) {
  if (auto reason = findUnknownDim(loaded.dims, loaded.module))
    return static_cast<ExitCode>(fail(kBadCommandLine, reason->text));
  if (auto reason = findUnknownAttribute(attributes, loaded.module))
    return static_cast<ExitCode>(fail(kBadCommandLine, reason->text));
  ir::Module result;
  for (const ir::Kernel& kernel : loaded.module.kernels) {
    auto fixed = fixValues(kernel, loaded.dims, attributes);
    if (!fixed) return static_cast<ExitCode>(fail(kBadCommandLine, fixed.reason()));
    result.kernels.push_back(std::move(*fixed));
  }
  return result;
}

namespace {

// Those that are in no row, too.
std::vector<std::string> targetNames() {
  std::vector<std::string> names = {std::string(target::host().name)};
  for (const target::Target& target : target::all()) names.emplace_back(target.name);
  names.emplace_back(target::kNativeDevice);
  return names;
}

Result<Targets> chooseTargets(const std::vector<std::string>& names, const Targets& byDefault) {
  if (names.empty()) return byDefault;
  Targets chosen;
  std::vector<std::string> known = targetNames();
  for (const std::string& name : names) {
    const target::Target* target = target::find(name);
    if (!target)
      return Reason{"--target=" + name + ": unknown target" + didYouMean(name, known) +
                    "; there are " + joined(known)};
    if (std::find(chosen.begin(), chosen.end(), target) != chosen.end())
      return Reason{"--target: '" + name + "' stands twice"};
    if (!chosen.empty() && chosen[0]->architecture != target->architecture)
      return Reason{"--target: " + std::string(chosen[0]->name) + " and " + name +
                    " are different architectures; a library is for one"};
    chosen.push_back(target);
  }
  // In the table's order, whatever the order on the command line.
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

}  // namespace

namespace {

template <typename T>
struct Read {
  SourceFile source;
  T what;
};

// What a file says, or the exit code after its errors were printed.
template <typename T>
std::variant<Read<T>, ExitCode> readFile(const std::string& path,
                                         std::optional<T> (*parse)(const SourceFile&,
                                                                   Diagnostics&)) {
  auto text = readInput(path);
  if (!text) return static_cast<ExitCode>(fail(kBadInput, text.reason()));
  SourceFile source(path == "-" ? "<stdin>" : path, std::move(*text));
  Diagnostics errors(source);
  auto what = parse(source, errors);
  errors.print(llvm::errs());
  if (!what) return kBadInput;
  return Read<T>{std::move(source), std::move(*what)};
}

}  // namespace

std::variant<CodeOptions, ExitCode> chooseCode(const Request& request, const Targets& byDefault) {
  auto failed = [](ExitCode code, const std::string& reason) {
    return static_cast<ExitCode>(fail(code, reason));
  };
  const bool asks = llvm::is_contained(request.targets, target::kNativeDevice);
  if (asks)
    if (auto here = deviceHere(request.device); !here)
      return failed(kBadInput,
                    "--target=" + std::string(target::kNativeDevice) + ": " + here.reason());
  const bool runsHere = byDefault.empty() || byDefault.front()->device;  // on a device
  if (!request.device.empty() && !asks && !runsHere)
    return failed(kBadCommandLine, "--device=" + request.device +
                                       " is for --target=" + std::string(target::kNativeDevice));
  auto targets = chooseTargets(request.targets, byDefault);
  if (!targets) return failed(kBadCommandLine, targets.reason());
  if (request.threads < 1 || request.threads > kMostThreads)
    return failed(kBadCommandLine, "--threads=" + std::to_string(request.threads) +
                                       ": expected 1 to " + std::to_string(kMostThreads));
  if (!request.fp.empty() && request.fp != "strict")
    return failed(kBadCommandLine,
                  "--fp=" + request.fp + ": there is strict" + didYouMean(request.fp, {"strict"}));
  if (!request.strides.empty() && request.strides != "contiguous")
    return failed(kBadCommandLine, "--strides=" + request.strides + ": there is contiguous" +
                                       didYouMean(request.strides, {"contiguous"}));
  if (targets->front()->device && !request.strides.empty())
    return failed(kBadCommandLine,
                  "--strides=contiguous with --target=" + std::string(targets->front()->name) +
                      ": shaders read tensors of any strides");
  if (targets->front()->device && !request.lib.empty() && request.lib != "none")
    return failed(kBadCommandLine, "--lib=" + request.lib +
                                       " with --target=" + std::string(targets->front()->name) +
                                       ": these libraries run on CPUs");
  if (targets->front()->device && request.threads > 1)
    return failed(kBadCommandLine,
                  "--threads with --target=" + std::string(targets->front()->name) +
                      ": a device shares work out to its invocations");
  CodeOptions options{*targets, request.threads, !request.fp.empty(), !request.strides.empty()};
  options.plant = request.plant;
  const std::vector<std::string> libraries = {"none", "cblas", "blis", "auto"};
  if (!request.lib.empty() && !llvm::is_contained(libraries, request.lib))
    return failed(kBadCommandLine, "--lib=" + request.lib + ": there are " + joined(libraries) +
                                       didYouMean(request.lib, libraries));
  if (!request.lib.empty() && request.lib != "none") options.library = request.lib;
  if (!options.library.empty() && options.library != "auto" && options.keepsOrder)
    return failed(kBadCommandLine, "--lib=" + request.lib + " with --fp=strict: " + request.lib +
                                       " adds in an order of its own");
  if (!request.schedule.empty()) {
    auto schedule =
        readFile<std::vector<strategy::ScheduleEntry>>(request.schedule, strategy::parseSchedule);
    if (auto* code = std::get_if<ExitCode>(&schedule)) return *code;
    auto& read = std::get<Read<std::vector<strategy::ScheduleEntry>>>(schedule);
    options.schedule = std::make_shared<CodeOptions::Schedule>(
        CodeOptions::Schedule{std::move(read.source), std::move(read.what)});
  }
  if (!request.tuning.empty()) {
    auto tuning = readFile<Tuning>(request.tuning, parseTuning);
    if (auto* code = std::get_if<ExitCode>(&tuning)) return *code;
    options.tuning = std::make_shared<Tuning>(std::move(std::get<Read<Tuning>>(tuning).what));
  }
  return options;
}

namespace {

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

}  // namespace

namespace {

// Functions of the user's own run where the program does. kSuccess, or the exit code after a
// message.
int refuseExternal(const ir::Module& module, const CodeOptions& options) {
  for (const target::Target* target : options.targets)
    for (const ir::Kernel& kernel : module.kernels) {
      if (!target->device) continue;
      ir::Kernel code = onBuffers(kernel, scheduleOptions(options, target, {kernel}));
      auto calls = ir::externalCalls(code.body);
      if (calls.empty()) continue;
      return fail(kBadInput, "def '" + kernel.name + "' is done by " + calls[0]->function +
                                 " (library_call), which runs on the CPU, and --target=" +
                                 std::string(target->name) + " is a device");
    }
  return kSuccess;
}

}  // namespace

int checkSchedule(const ir::Module& module, const CodeOptions& options) {
  noteTuning(module, options);
  if (int code = refuseExternal(module, options)) return code;
  if (!options.schedule && !options.tuning) return kSuccess;
  const CodeOptions::Schedule none{SourceFile("", ""), {}};
  const CodeOptions::Schedule& given = options.schedule ? *options.schedule : none;
  Diagnostics errors(given.source);
  checkNames(module, given.entries, errors);
  std::string tuned;  // what is wrong in the tuning file
  for (const target::Target* target : options.targets)
    for (const ir::Kernel& kernel : module.kernels) {
      std::vector<strategy::SettingError> wrong;
      strategy::ScheduleOptions schedule = scheduleOptions(options, target, {kernel});
      strategy::schedule(onBuffers(kernel, schedule), schedule, nullptr, &wrong);
      for (const strategy::SettingError& error : wrong) {
        auto entry = llvm::find_if(given.entries, [&](const strategy::ScheduleEntry& e) {
          return e.target == target->name && e.setting.kernel == error.setting.kernel &&
                 e.setting.op == error.setting.op && e.setting.name == error.setting.name;
        });
        if (entry != given.entries.end())
          errors.error(Diag::Schedule, entry->range, error.message);
        else if (options.tuning && tuned.empty())
          tuned = options.tuning->path + ": def '" + kernel.name + "', op " +
                  std::to_string(error.setting.op) + ": " + error.message;
      }
    }
  errors.print(llvm::errs());
  if (!tuned.empty()) return fail(kBadInput, tuned);
  return errors.hasErrors() ? kBadInput : kSuccess;
}

strategy::ScheduleOptions scheduleOptions(const CodeOptions& options, const target::Target* target,
                                          const std::vector<ir::Kernel>& kernels) {
  strategy::ScheduleOptions result{target, options.threads, options.keepsOrder, options.settings,
                                   options.library};
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

std::string printedSchedule(const ir::Module& module, const CodeOptions& options) {
  std::string text = strategy::scheduleHeader();
  for (const ir::Kernel& kernel : module.kernels)
    for (const target::Target* target : options.targets) {
      std::vector<strategy::OpReport> reports;
      strategy::ScheduleOptions schedule = scheduleOptions(options, target, {kernel});
      strategy::schedule(onBuffers(kernel, schedule), schedule, &reports);
      text += strategy::printSchedule(kernel.name, *target, reports);
    }
  return text;
}

Targets portableTargets() {
  return {target::find("x86-64-v2"), target::find("x86-64-v3"), target::find("x86-64-v4")};
}

Targets hostTargets() { return {&target::host()}; }

namespace {

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

std::string scheduleText(const ir::Kernel& kernel, const strategy::ScheduleOptions& options,
                         const std::string& indent, const SourceFile* spec) {
  std::vector<strategy::OpReport> reports;
  strategy::schedule(onBuffers(kernel, options), options, &reports);
  std::string text;
  for (const strategy::OpReport& report : reports) {
    text += text.empty() ? "" : "\n";
    if (spec) text += indent + statementText(*spec, report.source) + "\n";
    text += indent + report.op + "\n" + indent + report.strategy + "\n";
    for (const std::string& line : report.lines) text += indent + "  " + line + "\n";
  }
  return text;
}

std::variant<std::vector<Compiled>, ExitCode> compile(const ir::Module& module,
                                                      const CodeOptions& options,
                                                      const Tracing& tracing, ir::Level until) {
  if (auto reason = findUnknownPass(tracing))
    return static_cast<ExitCode>(fail(kBadCommandLine, reason->text));
  if (auto violations = ir::verify(module); !violations.empty())
    return static_cast<ExitCode>(failInternally(
        "the frontend made a module that breaks " + violations.front().str(), ir::print(module)));
  if (int code = checkSchedule(module, options)) return static_cast<ExitCode>(code);
  std::vector<Compiled> result;
  for (const ir::Kernel& kernel : module.kernels) result.push_back({kernel, {}, {}});
  for (const target::Target* target : options.targets) {
    strategy::ScheduleOptions schedule = scheduleOptions(options, target, module.kernels);
    SourceFile source("passes", passesFor(schedule, until));
    Diagnostics errors(source);
    auto pipeline = strategy::parsePipeline(source, errors);
    ir::Module code = module;
    for (const strategy::PassCall& call : *pipeline) {
      if (auto failure = strategy::runPipeline({call}, code, tracer(tracing)))
        return reportFailure(*failure);
      plantIn(options.plant, call.pass->name, code);
    }
    for (size_t i = 0; i < code.kernels.size(); ++i) {
      result[i].codes.push_back(std::move(code.kernels[i]));
      result[i].schedules.push_back(scheduleText(module.kernels[i], schedule, ""));
    }
  }
  return result;
}

}  // namespace einc::driver
