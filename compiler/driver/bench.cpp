// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "compiler/bench/contestants.h"
#include "compiler/bench/installed.h"
#include "compiler/bench/problem.h"
#include "compiler/bench/report.h"
#include "compiler/bench/worker.h"
#include "compiler/driver/adapters.h"
#include "compiler/driver/bench_compare.h"
#include "compiler/driver/bench_data.h"
#include "compiler/driver/bench_device.h"
#include "compiler/driver/code_options.h"
#include "compiler/driver/commands.h"
#include "compiler/driver/compile.h"
#include "compiler/driver/device.h"
#include "compiler/driver/fixed_values.h"
#include "compiler/driver/ir_text.h"
#include "compiler/driver/known_values.h"
#include "compiler/driver/native.h"
#include "compiler/driver/progress.h"
#include "compiler/driver/toolchain.h"
#include "compiler/interp/error_bound.h"
#include "compiler/ir/contract.h"
#include "compiler/support/files.h"
#include "compiler/support/text_writer.h"
#include "compiler/transforms/specialize.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace einc::driver {
namespace {

// What copies are measured with; with samples so short that only whether it runs counts, less.
constexpr int64_t kCopiedBytes = int64_t{1} << 28, kFewCopiedBytes = int64_t{1} << 23;
constexpr double kSlow = 1;      // seconds of one run, beyond which fewer rounds do
constexpr double kIntense = 32;  // operations a byte, beyond which memory hardly matters

// The kernel with all its sizes and attributes in it, defaults too.
std::variant<ir::Kernel, ExitCode> prepareKernel(const Loaded& loaded, const Request& request) {
  auto refuse = [](const std::string& reason) {
    return static_cast<ExitCode>(fail(kBadCommandLine, reason));
  };
  if (loaded.module.kernels.size() != 1)
    return refuse("the spec has several defs; choose one with --def: " +
                  joined(loaded.module.kernels, ", ", [](const ir::Kernel& k) { return k.name; }));
  auto fixed = fixValues(loaded, request.attributes);
  if (auto* code = std::get_if<ExitCode>(&fixed)) return *code;
  ir::Kernel kernel = std::get<ir::Module>(fixed).kernels.front();
  transforms::Fixed defaults;
  for (const ir::Attribute& attribute : kernel.attributes)
    if (attribute.defaults) defaults.attributes.emplace(attribute.name, *attribute.defaults);
  auto whole = transforms::specialize(kernel, defaults);
  if (!whole) return refuse(whole.reason());
  const auto contract = ir::contractOf(*whole);
  if (!contract)
    return static_cast<ExitCode>(refuseUnprintable({{*whole}}, loaded, {hostTargets()}));
  if (auto work = bench::measureWork(*contract, false); !work) return refuse(work.reason());
  return *whole;
}

class Run {
 public:
  // `kernel` as it is to be timed, at any level.
  Run(const ir::Kernel& kernel, const BenchOptions& options, bench::Report& report)
      : timed_(kernel),
        kernel_(*ir::contractOf(kernel)),
        options_(options),
        report_(report),
        cpu_(bench::idlestCpu()) {}

  int run(const Request& request, const Loaded& loaded,
          const std::vector<bench::Library>& libraries) {
    auto chosen = chooseCode(request, hostTargets());
    if (auto* code = std::get_if<ExitCode>(&chosen)) return *code;
    const CodeOptions& wanted = std::get<CodeOptions>(chosen);
    if (isForDevice(wanted))
      return fail(kBadCommandLine, "--target=" + std::string(wanted.targets.front()->name) +
                                       " is a device's: give --engine=vulkan");
    auto compiler = findCompiler(options_.compiler);
    if (!compiler) return fail(kBadInput, compiler.reason());
    if (auto reason = refuseMemory(kernel_, libraries.size() + 1))
      return fail(kBadInput, reason->text);
    auto arguments = makeArguments(kernel_);
    if (!arguments) return fail(kBadInput, arguments.reason());
    arguments_ = std::move(*arguments);
    const target::Target& target = *wanted.targets.back();
    threads_ = wanted.threads;
    report_.target = std::string(target.name);
    if (!target.march.empty() && target.march != target.name)
      report_.target += " (" + std::string(target.march) + ")";
    std::string version = versionText(*compiler);
    report_.compiler = version.substr(0, version.find('\n'));
    report_.work = *bench::measureWork(kernel_, target.hasAvx512());

    ir::Module module;
    module.kernels.push_back(timed_);
    if (int code = refuseUnprintable(module, loaded, wanted)) return code;
    if (int code = refuseDifferent(loaded)) return code;
    auto compiled = compile(module, wanted, {});
    if (auto* code = std::get_if<ExitCode>(&compiled)) return *code;
    const Compiled& only = std::get<std::vector<Compiled>>(compiled).front();
    Progress::say("compiling '" + only.contract.name + "'");
    auto native = NativeLibrary::compile(only, wanted, options_.compiler, options_.plant);
    if (!native) return fail(kBadInput, native.reason());
    auto adapters =
        Adapters::create(options_.adapters, *compiler, std::string(target::host().march));
    if (!adapters) return fail(kBadInput, adapters.reason());

    if (int code = startKernel(*native)) return code;
    startLibraries(libraries, *adapters);
    if (int code = startPeaks(*adapters)) return code;
    Progress::say("comparing results of '" + kernel_.name + "'");
    if (int code = compareResults()) return code;
    takeTurns();
    summarizePeaks();
    for (size_t i = 0; i < workers_.size(); ++i)
      if (workers_[i] && i > 0)
        if (auto text = workers_[i]->describe(); text && !text->empty())
          report_.contestants[i].what = *text;
    return kSuccess;
  }

  bool differs() const {
    return std::any_of(report_.contestants.begin(), report_.contestants.end(),
                       [](const bench::Contestant& c) { return c.matches && !*c.matches; });
  }

 private:
  const interp::View& output() const {
    unsigned id = comparison_ ? comparison_->output : firstOutput();
    return arguments_.tensors[id];
  }
  unsigned firstOutput() const {
    for (unsigned t = 0; t < kernel_.tensors.size(); ++t)
      if (kernel_.tensors[t].role == ir::Role::Output) return t;
    return 0;
  }

  void resetOutputs() const { driver::resetOutputs(kernel_, arguments_, comparison_); }

  bench::WorkerOptions workerOptions(const std::map<std::string, std::string>& environment) const {
    bench::WorkerOptions options;
    options.environment = bench::onThreads(threads_);
    for (const auto& [name, value] : environment) options.environment[name] = value;
    options.cpu = threads_ == 1 ? cpu_ : -1;
    options.reset = [this] { resetOutputs(); };
    options.output = output().storage.get();
    options.outputBytes = static_cast<size_t>(output().storageBytes);
    return options;
  }

  int startKernel(const NativeLibrary& native) {
    auto comparison = bench::recognize(kernel_);
    if (comparison) {
      comparison_ = *comparison;
      report_.recognized = comparison_->name;
    } else {
      report_.whyNot = comparison.reason();
    }
    auto load = [&]() -> Result<bench::Load> { return runsOf(native, arguments_); };
    bench::Contestant einc;
    einc.name = "einc";
    einc.what = "the generated kernel, for " + report_.target;
    report_.contestants.push_back(einc);
    auto worker = bench::Worker::start(workerOptions({}), load);
    if (!worker) return fail(kBadInput, "the generated kernel: " + worker.reason());
    workers_.push_back(std::move(*worker));
    return kSuccess;
  }

  void startLibraries(const std::vector<bench::Library>& libraries, const Adapters& adapters) {
    for (const bench::Library& library : libraries) {
      bench::Contestant one;
      one.name = library.name;
      one.what = library.what;
      workers_.push_back(std::nullopt);
      if (!comparison_) {
        one.standing = bench::Standing::NotOffered;
      } else if (!library.header.empty() && !bench::findHeader(library.header)) {
        one.standing = bench::Standing::NotInstalled;
      } else if (auto path = adapters.compile(library); !path) {
        one.standing = bench::Standing::Failed;
        one.reason = path.reason();
      } else {
        std::vector<const void*> inputs(2, nullptr);
        for (size_t i = 0; i < comparison_->inputs.size(); ++i)
          inputs[i] = arguments_.tensors[comparison_->inputs[i]].storage.get();
        auto worker = bench::Worker::start(
            workerOptions(library.environment),
            loadAdapter(*path, comparison_->problem, inputs[0], inputs[1], output().storage.get()));
        if (worker) {
          workers_.back().emplace(std::move(*worker));
        } else {
          one.standing = worker.reason() == kNotOffered     ? bench::Standing::NotOffered
                         : worker.reason() == kNotInstalled ? bench::Standing::NotInstalled
                                                            : bench::Standing::Failed;
          if (one.standing == bench::Standing::Failed) one.reason = worker.reason();
        }
      }
      report_.contestants.push_back(std::move(one));
    }
  }

  // ---- What the machine can do ----

  bool isBrief() const { return options_.sampleSeconds < kBriefSample; }

  struct PeakWorker {
    bench::Worker worker;
    int kind;  // einc_bench_kind
    std::string name;
    std::vector<double> seconds = {};
  };

  int startPeaks(const Adapters& adapters) {
    bench::Library self{"peak", "", "", "peak.c", "", {"-ffp-contract=fast"}, {}};
    auto path = adapters.compile(self);
    const int64_t bytes = isBrief() ? kFewCopiedBytes : kCopiedBytes;
    auto from = reserve(ir::ScalarType::I8, {bytes});
    auto to = reserve(ir::ScalarType::I8, {bytes});
    if (!path || !from || !to)
      return fail(kBadInput, !path ? path.reason() : "there is no memory for measuring copies");
    fillInput(*from);
    copied_ = {*from, *to};
    struct Way {
      int kind;
      int64_t number;
      const char* name;
    };
    const Way ways[] = {{EINC_BENCH_FMA, 0, ""},
                        {EINC_BENCH_COPY, 0, "memcpy"},
                        {EINC_BENCH_COPY, 1, "vectors"},
                        {EINC_BENCH_COPY, 2, "vectors around the caches"},
                        {EINC_BENCH_READ, 0, "vectors"},
                        {EINC_BENCH_READ, 1, "vectors, asked for early"},
                        {EINC_BENCH_READ, 2, "vectors in four places, asked for early"},
                        {EINC_BENCH_WRITE, 0, "memset"},
                        {EINC_BENCH_WRITE, 1, "vectors around the caches"}};
    for (const Way& way : ways) {
      einc_bench_problem problem = {};
      problem.kind = way.kind;
      problem.is_double = kernel_.tensors[firstOutput()].type == ir::ScalarType::F64;
      problem.k = 1000;
      problem.m = way.number;
      problem.n = bytes;
      bench::WorkerOptions options;
      options.cpu = cpu_;
      auto worker = bench::Worker::start(
          options,
          loadAdapter(*path, problem, copied_[0].storage.get(), nullptr, copied_[1].storage.get()));
      if (!worker) return fail(kBadInput, "measuring the peak: " + worker.reason());
      peaks_.push_back({std::move(*worker), way.kind, way.name});
    }
    return kSuccess;
  }

  void summarizePeaks() {
    for (PeakWorker& peak : peaks_) {
      auto text = peak.worker.describe();
      double amount = 0;
      int width = 0;
      if (peak.seconds.empty() || !text ||
          std::sscanf(text->c_str(), "%lf %d", &amount, &width) != 2)
        continue;
      bench::Summary s = bench::summarize(peak.seconds);
      bench::Rate& best = peak.kind == EINC_BENCH_COPY   ? report_.peak.copies
                          : peak.kind == EINC_BENCH_READ ? report_.peak.reads
                                                         : report_.peak.writes;
      if (peak.kind == EINC_BENCH_FMA) {
        bool isDouble = kernel_.tensors[firstOutput()].type == ir::ScalarType::F64;
        report_.peak.flops = amount / s.least;
        report_.peak.vectorBytes = width;
        report_.peak.elementBytes = isDouble ? 8 : 4;
      } else if (amount / s.median > best.bytes) {
        best = {amount / s.median, peak.name + (isBrief() ? ", 8 MiB" : "")};
      }
    }
  }

  // ---- Results ----

  // Everyone once, from the same initial values.
  int compareResults() {
    auto first = workers_[0]->runOnce();
    if (!first) return fail(kBadInput, "the generated kernel: " + first.reason());
    rounds_ = *first > kSlow ? std::min(options_.rounds, 3) : options_.rounds;
    compareWithInterpreter();
    double allowed = comparison_ ? allowedDifference(*comparison_, report_.work, output().type) : 0;
    size_t compared = 0;
    for (size_t i = 1; i < workers_.size(); ++i) {
      if (!workers_[i]) continue;
      bench::Contestant& one = report_.contestants[i];
      auto other = workers_[i]->runOnce();
      if (!other) {
        one.standing = bench::Standing::Failed;
        one.reason = other.reason();
        workers_[i].reset();
        continue;
      }
      one.difference =
          firstDifference(workers_[0]->output(), workers_[i]->output(), output(), allowed);
      one.matches = one.difference.empty();
      workers_[i]->releaseOutput();
      ++compared;
    }
    workers_[0]->releaseOutput();
    if (compared)
      report_.comparedWith +=
          (report_.comparedWith.empty() ? "" : "; ") + std::string("the libraries', ") +
          (allowed == 0
               ? "which must be equal"
               : "within the bound for " + std::to_string(report_.work.sumLength) + " terms");
    if (report_.comparedWith.empty())
      report_.comparedWith = "compared with nothing: no library here, too long for the interpreter";
    return kSuccess;
  }

  void compareWithInterpreter() {
    if (!isInterpreted(report_.work)) return;
    resetOutputs();  // of this process, which the interpreter reads
    interp::ErrorBounds expected = interp::bound(kernel_, arguments_);
    if (!expected.outcome.ok()) return;
    for (const interp::ExpectedTensor& tensor : expected.outputs) {
      if (&arguments_.tensors[tensor.tensor] != &output()) continue;
      interp::View view = output();
      view.storage = std::shared_ptr<std::byte[]>(const_cast<std::byte*>(workers_[0]->output()),
                                                  [](std::byte*) {});
      interp::Comparison result = interp::compare(tensor, view);
      report_.contestants[0].matches = result.passes();
      report_.contestants[0].difference = result.firstWrong;
      report_.comparedWith = "the interpreter's, within its error bounds";
    }
  }

  // ---- Time ----

  void takeTurns() {
    report_.rounds = rounds_;
    report_.sampleSeconds = options_.sampleSeconds;
    bool memoryMatters = report_.work.operations < kIntense * report_.work.bytes;
    for (int round = 0; round < rounds_; ++round) {
      Progress::say("measuring '" + kernel_.name + "', round " + std::to_string(round + 1) +
                    " of " + std::to_string(rounds_));
      for (PeakWorker& peak : peaks_) {
        if (peak.kind != EINC_BENCH_FMA && round > 0 && !memoryMatters) continue;
        if (auto sample = peak.worker.sample(options_.sampleSeconds))
          peak.seconds.push_back(sample->seconds);
      }
      for (size_t i = 0; i < workers_.size(); ++i) {
        if (!workers_[i]) continue;
        bench::Contestant& one = report_.contestants[i];
        auto sample = workers_[i]->sample(options_.sampleSeconds);
        if (!sample) {
          one.standing = bench::Standing::Failed;
          one.reason = sample.reason();
          one.seconds.clear();
          workers_[i].reset();
          continue;
        }
        one.seconds.push_back(sample->seconds);
        report_.cpuShare = std::min(report_.cpuShare, sample->share);
        one.runs = sample->runs;
      }
    }
  }

  const ir::Kernel& timed_;
  const ir::Kernel kernel_;  // what it computes, on tensors
  const BenchOptions& options_;
  bench::Report& report_;
  int cpu_;
  int64_t threads_ = 1;
  int rounds_ = 0;
  interp::Arguments arguments_;
  std::optional<bench::Comparison> comparison_;
  std::vector<std::optional<bench::Worker>> workers_;  // beside report_.contestants
  std::vector<PeakWorker> peaks_;
  std::vector<interp::View> copied_;
};

}  // namespace

int bench(const Request& request, const BenchOptions& options) {
  const std::vector<std::string>& engines = benchEngineNames();
  if (!llvm::is_contained(engines, options.engine))
    return fail(kBadCommandLine, "--engine=" + options.engine + ": there are " + joined(engines) +
                                     didYouMean(options.engine, engines));
  const bool onDevice = options.engine == "vulkan";
  if (!request.device.empty() && !onDevice)
    return fail(kBadCommandLine, "--device=" + request.device + " is for --engine=vulkan");
  if (options.rounds < 1 || options.rounds > 1000)
    return fail(kBadCommandLine, "--rounds is from 1 to 1000");
  if (!(options.sampleSeconds > 0 && options.sampleSeconds <= 60))
    return fail(kBadCommandLine, "--sample is from 0 to 60 seconds");
  if (onDevice)
    if (auto reason = refuseForDevice(request, options)) return fail(kBadCommandLine, reason->text);
  const target::Target& host = target::host();
  auto libraries =
      bench::chooseLibraries(options.against, bench::coreTypeFor(host.vectorBytes, host.hasFma));
  if (!libraries) return fail(kBadCommandLine, libraries.reason());
  auto loaded = load(request);
  if (auto* code = std::get_if<ExitCode>(&loaded)) return *code;
  auto kernel = prepareKernel(std::get<Loaded>(loaded), request);
  if (auto* code = std::get_if<ExitCode>(&kernel)) return *code;
  Progress progress;
  if (onDevice) {
    if (int code = refuseBelow(ir::Level::Buffers, "--engine=vulkan",
                               {{std::get<ir::Kernel>(kernel)}}, std::get<Loaded>(loaded)))
      return code;
    return benchOnDevice(std::get<ir::Kernel>(kernel), request, options);
  }

  bench::Report report;
  report.kernel = std::get<ir::Kernel>(kernel).name;
  report.source = sourceOf(request);
  report.dims = request.dims;
  report.attributes = request.attributes;
  report.types = request.types;
  report.cpu = bench::cpuName();
  Run run(std::get<ir::Kernel>(kernel), options, report);
  if (int code = run.run(request, std::get<Loaded>(loaded), *libraries)) return code;

  Progress::clear();
  std::vector<OutputFile> files;
  if (options.json != "-") files.push_back({"-", bench::tableText(report)});
  if (!options.json.empty()) files.push_back({options.json, bench::jsonText(report)});
  if (!options.svg.empty()) files.push_back({options.svg, bench::rooflineSvg(report)});
  if (std::string reason = writeOutputs(files); !reason.empty()) return fail(kBadInput, reason);
  const bench::Contestant& einc = report.contestants.front();
  if (einc.standing == bench::Standing::Failed)
    return fail(kBadInput, "the generated kernel: " + einc.reason);
  if (run.differs())
    return fail(kBadInput, "results differ; what was timed is not the same computation");
  return kSuccess;
}

}  // namespace einc::driver
