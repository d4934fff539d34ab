// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/bench_device.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "compiler/bench/device_report.h"
#include "compiler/driver/bench_compare.h"
#include "compiler/driver/bench_data.h"
#include "compiler/driver/device.h"
#include "compiler/driver/native.h"
#include "compiler/driver/native_device.h"
#include "compiler/driver/roofline.h"
#include "compiler/interp/error_bound.h"
#include "compiler/support/files.h"
#include "compiler/support/text_writer.h"

namespace einc::driver {
namespace {

constexpr double kOnCpu = 2e12;       // iterations that the CPU's kernel is asked for
constexpr double kMostWarmUp = 0.05;  // seconds: devices that were idle take their time
constexpr int kMostUnderWay = 16;

std::string kindText(int kind) {
  switch (kind) {
    case EINC_VK_INTEGRATED:
      return "integrated";
    case EINC_VK_DISCRETE:
      return "discrete";
    case EINC_VK_VIRTUAL:
      return "virtual";
    case EINC_VK_SOFTWARE:
      return "software";
    default:
      return "other";
  }
}

std::string dispatchText(const Dispatched& dispatched) {
  const auto& [x, y, z] = dispatched.workgroups;
  return dispatched.shader + " (" + std::to_string(x) + " x " + std::to_string(y) + " x " +
         std::to_string(z) + " workgroups)";
}

// Dispatches in order; equal ones that follow one another are counted.
std::vector<std::string> dispatchTexts(const std::vector<Dispatched>& all) {
  std::vector<std::string> texts;
  for (size_t i = 0, end; i < all.size(); i = end) {
    std::string text = dispatchText(all[i]);
    for (end = i + 1; end < all.size() && dispatchText(all[end]) == text;) ++end;
    texts.push_back((end - i > 1 ? std::to_string(end - i) + " times " : "") + text);
  }
  return texts;
}

// ---- The right result ----

// What the outputs must be: from the interpreter, within its bounds; where that takes too long,
// from the kernel for this machine's CPU.
class Expected {
 public:
  Expected(const ir::Kernel& kernel, const bench::Work& work, const interp::Arguments& arguments)
      : kernel_(kernel), work_(work), arguments_(arguments) {
    if (auto known = bench::recognize(kernel)) comparison_ = *known;
    resetOutputs(kernel, arguments, comparison_);
  }

  // kSuccess, or the exit code after a message.
  int find(const std::string& compiler) {
    if (isInterpreted(work_)) {
      bounds_ = interp::bound(kernel_, arguments_);
      if (!bounds_.outcome.ok()) return fail(kBadInput, bounds_.outcome.message);
      text_ = "compared with the interpreter's, within its error bounds";
    } else if (work_.iterations <= kOnCpu) {
      if (int code = runOnCpu(compiler)) return code;
      text_ = "compared with those of the kernel for the CPU, which must be " +
              std::string(mustBeEqual() ? "equal" : "equal but for rounding");
    } else {
      text_ = "compared with nothing: too much work for the CPU";
    }
    return kSuccess;
  }

  const std::string& text() const { return text_; }

  // The first element of the arguments' outputs that is wrong; empty if there is none.
  std::string difference() const {
    for (const interp::ExpectedTensor& tensor : bounds_.outputs) {
      interp::Comparison result = interp::compare(tensor, arguments_.tensors[tensor.tensor]);
      if (!result.passes()) return named(tensor.tensor) + result.firstWrong;
    }
    for (unsigned t = 0; t < onCpu_.tensors.size(); ++t) {
      if (kernel_.tensors[t].role != ir::Role::Output) continue;
      const interp::View &ours = arguments_.tensors[t], &theirs = onCpu_.tensors[t];
      std::string found = firstDifference(ours.storage.get(), theirs.storage.get(), ours,
                                          mustBeEqual() ? 0 : allowedRounding(work_, theirs));
      if (!found.empty()) return named(t) + found;
    }
    return "";
  }

 private:
  std::string named(unsigned tensor) const { return "'" + kernel_.tensors[tensor].name + "' "; }

  // Integers; and on our inputs, what libraries do as well: sums of products that are exact.
  bool mustBeEqual() const {
    bool floats = std::any_of(kernel_.tensors.begin(), kernel_.tensors.end(), [](const auto& t) {
      return t.role == ir::Role::Output && ir::info(t.type).isFloat();
    });
    if (!comparison_) return !floats;
    return allowedDifference(*comparison_, work_, kernel_.tensors[comparison_->output].type) == 0;
  }

  int runOnCpu(const std::string& compiler) {
    onCpu_ = arguments_;
    for (unsigned t = 0; t < onCpu_.tensors.size(); ++t) {
      interp::View& view = onCpu_.tensors[t];
      if (kernel_.tensors[t].role != ir::Role::Output) continue;
      auto own = reserve(view.type, view.sizes);
      if (!own) return fail(kBadInput, own.reason());
      view = std::move(*own);
    }
    resetOutputs(kernel_, onCpu_, comparison_);
    ir::Module module;
    module.kernels.push_back(kernel_);
    const CodeOptions wanted{hostTargets()};
    auto compiled = compile(module, wanted, {});
    if (auto* code = std::get_if<ExitCode>(&compiled)) return *code;
    auto status =
        runNative(std::get<std::vector<Compiled>>(compiled).front(), wanted, onCpu_, compiler, "");
    if (auto* code = std::get_if<ExitCode>(&status)) return *code;
    auto result = std::get<interp::Status>(status);
    if (result == interp::Status::EINC_OK) return kSuccess;
    return fail(kBadInput, std::string(interp::statusName(result)) +
                               ": the kernel for the CPU refused its arguments");
  }

  const ir::Kernel& kernel_;
  const bench::Work& work_;
  const interp::Arguments& arguments_;
  std::optional<bench::Comparison> comparison_;
  interp::ErrorBounds bounds_;
  interp::Arguments onCpu_;  // no tensors: not asked
  std::string text_;
};

// ---- Time ----

// What takes its turn in each round.
struct Turn {
  DeviceProgram program;
  bench::Timed* timed;
};

// The mean of one run, of runs for `seconds` or longer, after a warm-up. Runs lie in the device's
// queue one behind the other, so that it does not wait for the host.
std::optional<Reason> takeSample(Turn& turn, double seconds, bool& byDevice) {
  double run = 0;
  auto runFor = [&](double enough, double& sum, long& count) -> std::optional<Reason> {
    for (sum = 0, count = 0; count == 0 || sum < enough;) {
      double most = run > 0 ? std::ceil((enough - sum) / run) : 1;
      auto times = turn.program.time(static_cast<int>(std::clamp(most, 1.0, kMostUnderWay * 1.0)));
      if (!times) return Reason{times.reason()};
      byDevice &= times->byDevice;
      for (double one : times->seconds) sum += one;
      count += static_cast<long>(times->seconds.size());
      run = std::max(sum / static_cast<double>(count), 1e-9);
    }
    return std::nullopt;
  };
  double sum = 0;
  long count = 0;
  if (auto reason = runFor(std::min(seconds / 4, kMostWarmUp), sum, count)) return reason;
  if (auto reason = runFor(seconds, sum, count)) return reason;
  turn.timed->seconds.push_back(sum / static_cast<double>(count));
  turn.timed->runs = count;
  return std::nullopt;
}

class Run {
 public:
  Run(const ir::Kernel& kernel, const BenchOptions& options, const std::string& device,
      bench::DeviceReport& report)
      : kernel_(kernel), options_(options), device_(device), report_(report) {}

  int run(const CodeOptions& wanted) {
    const char* validation = std::getenv("EINC_VK_VALIDATION");
    auto device = Device::open({device_, validation && std::strcmp(validation, "1") == 0});
    if (!device) return fail(kBadInput, device.reason());
    describe(device->info());
    int code = runOn(*device, wanted);
    turns_.clear();
    std::string message = device->close();
    if (!message.empty()) return failInternally("the validation layer says: " + message, message);
    return code;
  }

 private:
  void describe(const einc_vk_device_info& info) {
    report_.device = info.name;
    report_.kind = kindText(info.kind);
    report_.api = std::to_string(info.api[0]) + "." + std::to_string(info.api[1]);
    report_.limits = {{"subgroup", info.subgroup_size},
                      {"invocations", info.max_workgroup_invocations},
                      {"shared_bytes", info.max_shared_bytes},
                      {"push_bytes", info.max_push_bytes},
                      {"binding_bytes", static_cast<double>(info.max_binding_bytes)},
                      {"memory_bytes", static_cast<double>(info.memory_bytes)},
                      {"timestamp_ns", info.timestamp_ns}};
  }

  int runOn(Device& device, const CodeOptions& wanted) {
    if (auto reason = refuseMemory(kernel_, 1)) return fail(kBadInput, reason->text);
    ir::Module module;
    module.kernels.push_back(kernel_);
    auto kernels = compileForDevice(module, wanted, {}, options_.plant);
    if (auto* code = std::get_if<ExitCode>(&kernels)) return *code;
    code_ = std::move(std::get<std::vector<DeviceKernel>>(kernels).front());
    auto arguments = makeArguments(kernel_);
    if (!arguments) return fail(kBadInput, arguments.reason());
    arguments_ = std::move(*arguments);
    report_.work = *bench::measureWork(kernel_, false);
    if (int code = checkResult(device)) return code;
    if (!report_.difference.empty()) return kSuccess;
    if (int code = startRoofline(device)) return code;
    return takeTurns();
  }

  // The first run, which is the one that is judged.
  int checkResult(Device& device) {
    Expected expected(kernel_, report_.work, arguments_);
    auto program =
        DeviceProgram::load(device, code_, arguments_, options_.compiler, options_.plant);
    if (!program) return fail(kBadInput, program.reason());
    auto dispatched = program->run();
    if (!dispatched) return fail(kBadInput, dispatched.reason());
    report_.dispatches = dispatchTexts(*dispatched);
    if (int code = expected.find(options_.compiler)) return code;
    report_.comparedWith = expected.text();
    if (auto reason = program->readBack()) return fail(kBadInput, reason->text);
    report_.difference = expected.difference();
    report_.runs.amount = report_.work.operations;
    turns_.push_back({std::move(*program), &report_.runs});
    return kSuccess;
  }

  int startRoofline(Device& device) {
    const ir::ScalarType type = arithmeticType(resultType());
    const bool brief = options_.sampleSeconds < kBriefSample;
    report_.arithmeticType = ir::info(type).name;
    std::variant<Measure, ExitCode> measures[] = {measureCopies(device.info(), brief),
                                                  measureArithmetic(device.info(), type, brief)};
    bench::Timed* timed[] = {&report_.copies, &report_.arithmetic};
    roofline_.reserve(2);  // programs keep references
    for (size_t i = 0; i < 2; ++i) {
      if (auto* code = std::get_if<ExitCode>(&measures[i])) return *code;
      roofline_.push_back(std::move(std::get<Measure>(measures[i])));
      timed[i]->amount = roofline_[i].amount;
      auto program = DeviceProgram::load(device, roofline_[i].kernel, roofline_[i].arguments,
                                         options_.compiler, "");
      if (!program) return fail(kBadInput, "measuring the device: " + program.reason());
      turns_.push_back({std::move(*program), timed[i]});
    }
    return kSuccess;
  }

  ir::ScalarType resultType() const {
    for (const ir::Tensor& tensor : kernel_.tensors)
      if (tensor.role == ir::Role::Output) return tensor.type;
    return ir::ScalarType::F32;
  }

  int takeTurns() {
    report_.rounds = options_.rounds;
    report_.sampleSeconds = options_.sampleSeconds;
    for (int round = 0; round < options_.rounds; ++round)
      for (Turn& turn : turns_)
        if (auto reason = takeSample(turn, options_.sampleSeconds, report_.byDevice))
          return fail(kBadInput, "while it was timed: " + reason->text);
    return kSuccess;
  }

  const ir::Kernel& kernel_;
  const BenchOptions& options_;
  const std::string& device_;
  bench::DeviceReport& report_;
  DeviceKernel code_;
  interp::Arguments arguments_;
  std::vector<Measure> roofline_;
  std::vector<Turn> turns_;
};

}  // namespace

std::optional<Reason> refuseForDevice(const Request& request, const BenchOptions& options) {
  const std::string with = " with --engine=vulkan: ";
  if (!request.lib.empty() && request.lib != "none")
    return Reason{"--lib=" + request.lib + with + "these libraries run on CPUs"};
  if (!options.against.empty() && options.against != std::vector<std::string>{"none"})
    return Reason{"--against" + with + "these libraries run on CPUs"};
  if (request.threads != 1)
    return Reason{"--threads" + with + "a device shares work out to its invocations"};
  if (!options.svg.empty()) return Reason{"--svg" + with + "there is no picture of a device"};
  if (!options.adapters.empty()) return Reason{"--adapters" + with + "no library is compiled"};
  return std::nullopt;
}

int benchOnDevice(const ir::Kernel& kernel, const Request& request, const BenchOptions& options) {
  auto usual = deviceTargets(request);
  if (!usual) return fail(kBadInput, usual.reason());
  auto chosen = chooseCode(request, *usual);
  if (auto* code = std::get_if<ExitCode>(&chosen)) return *code;
  const CodeOptions& wanted = std::get<CodeOptions>(chosen);
  if (!isForDevice(wanted))
    return fail(kBadCommandLine,
                "--engine=vulkan with --target=" + std::string(wanted.targets.front()->name) +
                    ": that is no device");
  bench::DeviceReport report;
  report.version = kVersion;
  report.kernel = kernel.name;
  report.source = sourceOf(request);
  report.dims = request.dims;
  report.attributes = request.attributes;
  report.types = request.types;
  Run run(kernel, options, request.device, report);
  if (int code = run.run(wanted)) return code;
  if (!report.difference.empty())
    return fail(kBadInput, "results differ, and nothing is timed: " + report.difference + " (" +
                               report.comparedWith + ")");
  std::vector<OutputFile> files;
  if (options.json != "-") files.push_back({"-", bench::tableText(report)});
  if (!options.json.empty()) files.push_back({options.json, bench::jsonText(report)});
  std::string reason = writeOutputs(files);
  return reason.empty() ? kSuccess : fail(kBadInput, reason);
}

}  // namespace einc::driver
