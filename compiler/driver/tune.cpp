// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// einc tune: schedules around the model's first, one setting after the other; then, with the best
// of them, each op that a library has a function for, generated and called. Whoever is compared
// runs in turn, at every size asked for.
#include <algorithm>
#include <cmath>

#include "compiler/bench/choice.h"
#include "compiler/bench/contestants.h"
#include "compiler/bench/installed.h"
#include "compiler/bench/problem.h"
#include "compiler/bench/report.h"
#include "compiler/bench/worker.h"
#include "compiler/driver/bench_data.h"
#include "compiler/driver/code_options.h"
#include "compiler/driver/commands.h"
#include "compiler/driver/compile.h"
#include "compiler/driver/fixed_values.h"
#include "compiler/driver/known_values.h"
#include "compiler/driver/native.h"
#include "compiler/driver/outputs.h"
#include "compiler/driver/progress.h"
#include "compiler/driver/schedules.h"
#include "compiler/driver/sizes.h"
#include "compiler/driver/tuning.h"
#include "compiler/driver/tuning_space.h"
#include "compiler/ir/domain.h"
#include "compiler/ir/shape.h"
#include "compiler/support/files.h"
#include "compiler/support/text_writer.h"
#include "compiler/transforms/specialize.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

namespace einc::driver {
namespace {

using strategy::Setting;

// A schedule has to be faster by so much, twice, to take the place of the model's.
constexpr double kFaster = 0.98;
// For the time left: what compiling takes, in seconds, and a sample more than its length.
constexpr double kCompiling = 1.5, kAround = 1.6;

struct Way {
  std::string name;
  Settings settings;
};

// Or the exit code after a message was printed.
template <typename T>
using OrCode = std::variant<T, ExitCode>;

class DefTuner {
 public:
  DefTuner(const ir::Kernel& kernel, pipeline::Scheduled model, const CodeOptions& wanted,
           const TuneOptions& options, const std::vector<std::string>& libraries,
           std::vector<Sizes> sizes, Progress& progress)
      : kernel_(kernel),
        space_(kernel, wanted, std::move(model)),
        wanted_(wanted),
        options_(options),
        libraries_(libraries),
        sizes_(std::move(sizes)),
        progress_(progress),
        cpu_(bench::idlestCpu()) {
    for (unsigned op = 0; op < space_.ops().size(); ++op)
      for (const std::string& library : libraries_)
        if (space_.isCalled(op, library)) calls_.push_back({op, library});
    if (options_.schedules)
      for (unsigned op = 0; op < space_.ops().size(); ++op)
        for (Setting& setting : space_.alternatives(op)) tried_.push_back(std::move(setting));
    last_ = costOf(static_cast<double>(1 + calls_.size() + (tried_.empty() ? 0 : 1)));
    progress_.plan(static_cast<double>(tried_.size()) * costOf(2) + last_);
  }

  OrCode<TunedDef> run() {
    Settings best;
    for (size_t i = 0; i < tried_.size(); ++i) {
      progress_.begin(title() + ": schedules, " + std::to_string(i + 1) + " of " +
                      std::to_string(tried_.size()));
      auto faster = isFaster(best, with(best, tried_[i]));
      if (auto* code = std::get_if<ExitCode>(&faster)) return *code;
      if (std::get<bool>(faster)) best = with(best, tried_[i]);
      progress_.done(costOf(2));
    }
    if (!best.empty()) {  // all together, too
      auto faster = isFaster({}, best);
      if (auto* code = std::get_if<ExitCode>(&faster)) return *code;
      if (!std::get<bool>(faster)) best.clear();
    }
    progress_.begin(title() + (calls_.empty() ? ": times" : ": libraries"));
    std::vector<Way> ways = {{"generated", best}};
    if (!best.empty()) ways.push_back({"by the model", {}});
    size_t firstCall = ways.size();
    for (const Call& call : calls_)
      ways.push_back({"op " + std::to_string(call.op) + " by " + call.library,
                      with(best, {kernel_.name, call.op, "library", call.library})});
    auto times = measure(ways);
    if (auto* code = std::get_if<ExitCode>(&times)) return *code;
    progress_.done(last_);
    return result(std::move(best), ways, firstCall, std::get<Times>(times));
  }

 private:
  struct Call {
    unsigned op;
    std::string library;
  };
  using Times = std::vector<std::vector<double>>;  // seconds, of each size each way

  std::string title() const {
    return kernel_.name + " on " + std::string(wanted_.targets[0]->name);
  }

  double costOf(double ways) const {
    return ways * (kCompiling + static_cast<double>(sizes_.size()) * options_.rounds *
                                    options_.sampleSeconds * kAround);
  }

  // ---- Times ----

  OrCode<bool> isFaster(const Settings& than, const Settings& settings) {
    if (!space_.scheduled(settings)) return false;
    std::vector<Way> ways = {{"best", than}, {"other", settings}};
    for (int again = 0; again < 2; ++again) {
      auto times = measure(ways);
      if (auto* code = std::get_if<ExitCode>(&times)) return *code;
      double sum = 0;
      for (const std::vector<double>& at : std::get<Times>(times)) sum += std::log(at[1] / at[0]);
      if (std::exp(sum / static_cast<double>(sizes_.size())) > kFaster) return false;
    }
    return true;
  }

  OrCode<Times> measure(const std::vector<Way>& ways) {
    for (const Way& way : ways) {
      auto library = compiled(way.settings);
      if (auto* code = std::get_if<ExitCode>(&library)) return *code;
    }
    Times times;
    for (const Sizes& sizes : sizes_) {
      auto at = measureAt(ways, sizes);
      if (!at) return static_cast<ExitCode>(fail(kBadInput, textOf(sizes) + ": " + at.reason()));
      times.push_back(std::move(*at));
    }
    return times;
  }

  // What was compiled once is kept.
  OrCode<const NativeLibrary*> compiled(const Settings& settings) {
    auto known = compiled_.find(keyOf(settings));
    if (known != compiled_.end()) return &known->second;
    const pipeline::Scheduled* scheduled = space_.scheduled(settings);
    if (!scheduled)
      return static_cast<ExitCode>(
          fail(kBadInput, "'" + kernel_.name + "' cannot have " + keyOf(settings)));
    ir::Module module;
    module.kernels.push_back(kernel_);
    auto code = compileScheduled(module, {*scheduled});
    if (auto* exit = std::get_if<ExitCode>(&code)) return *exit;
    auto library = NativeLibrary::compile(std::get<std::vector<Compiled>>(code)[0], wanted_,
                                          options_.compiler, "");
    if (auto* exit = std::get_if<ExitCode>(&library)) return *exit;
    auto [at, isNew] =
        compiled_.emplace(keyOf(settings), std::move(std::get<NativeLibrary>(library)));
    return &at->second;
  }

  Result<std::vector<double>> measureAt(const std::vector<Way>& ways, const Sizes& sizes) {
    auto fixed = atSizes(kernel_, sizes);
    if (!fixed) return Reason{fixed.reason()};
    if (auto work = bench::measureWork(*fixed, false); !work) return Reason{work.reason()};
    if (auto reason = refuseMemory(*fixed, ways.size())) return *reason;
    auto arguments = makeArguments(*fixed);
    if (!arguments) return Reason{arguments.reason()};
    for (const ir::Attribute& attribute : kernel_.attributes)
      arguments->attributes.push_back(valueOf(attribute));
    std::vector<bench::Worker> workers;
    for (const Way& way : ways) {
      bench::WorkerOptions options;
      options.environment = bench::onThreads(wanted_.threads);
      options.cpu = wanted_.threads == 1 ? cpu_ : -1;
      const NativeLibrary& library = compiled_.at(keyOf(way.settings));
      auto worker = bench::Worker::start(options, [&] { return runsOf(library, *arguments); });
      if (!worker) return Reason{worker.reason()};
      workers.push_back(std::move(*worker));
    }
    std::vector<std::vector<double>> samples(ways.size());
    for (int round = 0; round < options_.rounds; ++round)
      for (size_t i = 0; i < workers.size(); ++i) {
        auto sample = workers[i].sample(options_.sampleSeconds);
        if (!sample) return Reason{ways[i].name + ": " + sample.reason()};
        samples[i].push_back(sample->seconds);
      }
    std::vector<double> medians;
    for (std::vector<double>& of : samples) medians.push_back(bench::summarize(of).median);
    return medians;
  }

  // Attributes with their defaults, scalar parameters with any value.
  static Result<ir::Kernel> atSizes(const ir::Kernel& kernel, const Sizes& sizes) {
    transforms::Fixed fixed{sizes, {}};
    for (const ir::Attribute& attribute : kernel.attributes)
      if (attribute.defaults)
        fixed.attributes.emplace(attribute.name, *attribute.defaults);
      else if (attribute.parameter)
        fixed.attributes.emplace(attribute.name, valueOf(attribute));
    return transforms::specialize(kernel, fixed);
  }

  static std::vector<ir::Number> valueOf(const ir::Attribute& attribute) {
    if (attribute.defaults || attribute.optional || attribute.list) return {};
    // A factor that no library has a short cut for.
    ir::Number one{1.5, 1};
    return std::vector<ir::Number>(static_cast<size_t>(attribute.elementCount()), one);
  }

  static std::string textOf(const Sizes& sizes) {
    return joined(sizes, " ",
                  [](const auto& size) { return size.first + "=" + std::to_string(size.second); });
  }

  // ---- What was found ----

  TunedDef result(Settings best, const std::vector<Way>& ways, size_t firstCall,
                  const Times& times) {
    TunedDef tuned;
    tuned.def = kernel_.name;
    tuned.kernel = linesOf(kernel_);
    tuned.target = std::string(wanted_.targets[0]->name);
    tuned.threads = wanted_.threads;
    for (size_t i = 0; i < times.size(); ++i) {
      tuned.measured.push_back({sizes_[i], {}});
      for (size_t way = 0; way < ways.size(); ++way)
        tuned.measured.back().seconds.emplace_back(ways[way].name, times[i][way]);
    }
    for (unsigned op = 0; op < space_.ops().size(); ++op) {
      std::vector<size_t> of = {0};  // the ways to do it
      std::vector<std::string> libraries;
      for (size_t c = 0; c < calls_.size(); ++c)
        if (calls_[c].op == op) {
          of.push_back(firstCall + c);
          libraries.push_back(calls_[c].library);
        }
      if (libraries.empty()) continue;
      std::vector<bench::Measured> points;
      for (size_t i = 0; i < times.size(); ++i) {
        points.push_back({extentsAt(op, sizes_[i]), {}});
        for (size_t way : of) points.back().seconds.push_back(times[i][way]);
      }
      best.push_back(
          {kernel_.name, op, "library", ir::rulesText(bench::chooseRules(libraries, points))});
    }
    std::sort(best.begin(), best.end(), [](const Setting& a, const Setting& b) {
      return std::tie(a.op, a.name) < std::tie(b.op, b.name);
    });
    tuned.settings = std::move(best);
    return tuned;
  }

  std::map<std::string, int64_t> extentsAt(unsigned op, const Sizes& sizes) const {
    std::map<std::string, int64_t> result;
    auto fixed = atSizes(space_.buffers(), sizes);
    unsigned number = 0;
    ir::forEachOp(fixed->body, [&](const ir::StructuredOp& one) {
      if (number++ != op) return;
      for (const ir::Iterator& i : one.iterators)
        result[i.name] = ir::extentOf(*fixed, one, i.name)->extent.asConstant().value_or(1);
    });
    return result;
  }

  const ir::Kernel& kernel_;
  TuningSpace space_;
  const CodeOptions& wanted_;
  const TuneOptions& options_;
  const std::vector<std::string>& libraries_;
  const std::vector<Sizes> sizes_;
  Progress& progress_;
  const int cpu_;
  std::vector<Call> calls_;
  Settings tried_;
  double last_ = 0;                                // what the last measurement costs, at most
  std::map<std::string, NativeLibrary> compiled_;  // by keyOf
};

// ---- The command --------------------------------------------------------------------------------

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
  for (const Setting& setting : tuned.settings)
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
  std::vector<TunedDef> found;
  {
    Progress progress;
    std::vector<std::unique_ptr<DefTuner>> tuners;
    for (const CodeOptions& code : wanted)
      for (size_t i = 0; i < kernels.size(); ++i) {
        ir::Module module;
        module.kernels.push_back(kernels[i]);
        auto model = schedule(module, code, {});
        if (auto* exit = std::get_if<ExitCode>(&model)) return *exit;
        tuners.push_back(
            std::make_unique<DefTuner>(kernels[i], std::move(std::get<Schedules>(model).front()),
                                       code, options, *libraries, (*sizes)[i], progress));
      }
    for (auto& tuner : tuners) {
      auto tuned = tuner->run();
      if (auto* code = std::get_if<ExitCode>(&tuned)) return *code;
      found.push_back(std::move(std::get<TunedDef>(tuned)));
      found.back().machine = machine(*libraries, options.compiler);
      tuner.reset();
    }
  }
  std::string table = joined(found, "\n", tableText);
  (options.output == "-" ? llvm::errs() : llvm::outs()) << table;
  llvm::outs().flush();
  std::string reason =
      writeOutputs({{options.output, tuningText(merged(all.tuning.get(), found))}});
  return reason.empty() ? kSuccess : fail(kBadInput, reason);
}

}  // namespace einc::driver
