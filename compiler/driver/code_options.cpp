// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/code_options.h"

#include <algorithm>
#include <map>
#include <optional>

#include "compiler/driver/device_here.h"
#include "compiler/driver/known_values.h"
#include "compiler/pipeline/verify_each.h"
#include "compiler/support/diagnostics.h"
#include "compiler/support/files.h"
#include "compiler/support/text_writer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace einc::driver {

std::vector<std::string> targetNames() {
  std::vector<std::string> names = {std::string(target::host().name)};
  for (const target::Target& target : target::all()) names.emplace_back(target.name);
  names.emplace_back(target::kNativeDevice);
  return names;
}

Targets portableTargets(const ir::Module& module) {
  // Instructions that add several products do so of narrow elements.
  const bool mayUseThem = llvm::any_of(module.kernels, [](const ir::Kernel& kernel) {
    return llvm::any_of(kernel.tensors, [](const ir::Tensor& tensor) {
      const ir::TypeInfo& type = ir::info(tensor.type);
      return tensor.type == ir::ScalarType::BF16 || (type.isInteger() && type.bits < 32);
    });
  });
  Targets targets;
  for (const target::Target& target : target::all()) {
    if (target.architecture != target::Architecture::X86 || target.isOneCpu) continue;
    const bool hasJustThemMore = !targets.empty() && targets.back()->march == target.march;
    if (mayUseThem || !hasJustThemMore) targets.push_back(&target);
  }
  return targets;
}

Targets hostTargets() { return {&target::host()}; }

namespace {

// More than any machine has; threads that are never used still take address space.
constexpr int64_t kMostThreads = 1024;
// A page.
constexpr int64_t kMostAligned = 4096;

// By what others call them, too.
std::string nearestTarget(const std::string& name, const std::vector<std::string>& known) {
  static const std::map<std::string, std::string> names = {
      {"sse4", "x86-64-v2"},    {"x86-64", "x86-64-v2"}, {"avx2", "x86-64-v3"},
      {"haswell", "x86-64-v3"}, {"avx512", "x86-64-v4"}, {"arm64", "aarch64"},
      {"neon", "aarch64"},      {"armv8", "aarch64"},    {"gpu", "vulkan"},
      {"cuda", "vulkan"},       {"opencl", "vulkan"},    {"host", "native"}};
  auto found = names.find(name);
  return found == names.end() ? didYouMean(name, known)
                              : " (did you mean '" + found->second + "'?)";
}

Result<Targets> chooseTargets(const std::vector<std::string>& names, const Targets& byDefault) {
  if (names.empty()) return byDefault;
  Targets chosen;
  std::vector<std::string> known = targetNames();
  for (const std::string& name : names) {
    const target::Target* target = target::find(name);
    if (!target)
      return Reason{"--target=" + name + ": unknown target" + nearestTarget(name, known) +
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

// Of a setting that is there and none of these.
std::optional<Reason> unlessOneOf(const std::string& flag, const std::string& value,
                                  const std::vector<std::string>& known) {
  if (value.empty() || llvm::is_contained(known, value)) return std::nullopt;
  return Reason{flag + "=" + value + (known.size() == 1 ? ": there is " : ": there are ") +
                joined(known) + didYouMean(value, known)};
}

// What the command line says that cannot be, whatever the targets are.
std::optional<Reason> findWrong(const Request& request) {
  if (request.threads < 1 || request.threads > kMostThreads)
    return Reason{"--threads=" + std::to_string(request.threads) + ": expected 1 to " +
                  std::to_string(kMostThreads)};
  if (auto wrong = unlessOneOf("--fp", request.fp, strictnessNames())) return wrong;
  const int64_t align = request.align;
  if (align < 1 || align > kMostAligned || (align & (align - 1)) != 0)
    return Reason{"--align=" + std::to_string(align) + ": expected a power of two, 1 to " +
                  std::to_string(kMostAligned)};
  return unlessOneOf("--strides", request.strides, strideNames());
}

// What it says that is for CPUs.
std::optional<Reason> findWrongForDevice(const Request& request, const target::Target& target) {
  const std::string with = " with --target=" + std::string(target.name);
  if (!request.strides.empty())
    return Reason{"--strides=contiguous" + with + ": shaders read tensors of any strides"};
  if (request.align > 1) return Reason{"--align" + with + ": a device aligns buffers itself"};
  if (!request.lib.empty() && request.lib != "none")
    return Reason{"--lib=" + request.lib + with + ": these libraries run on CPUs"};
  if (request.threads > 1)
    return Reason{"--threads" + with + ": a device shares work out to its invocations"};
  return std::nullopt;
}

std::optional<Reason> findWrongLibrary(const Request& request) {
  const std::string& lib = request.lib;
  if (auto wrong = unlessOneOf("--lib", lib, blasNames()))
    return Reason{wrong->text + "; cblas is any library with that interface, such as OpenBLAS"};
  const bool isNamed = !lib.empty() && lib != "none" && lib != "auto";
  if (isNamed && !request.fp.empty())
    return Reason{"--lib=" + lib + " with --fp=strict: " + lib + " adds in an order of its own"};
  return std::nullopt;
}

// The files that are read; the exit code if one is wrong.
std::optional<ExitCode> readFiles(const Request& request, CodeOptions& options) {
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
  return std::nullopt;
}

}  // namespace

std::variant<CodeOptions, ExitCode> chooseCode(const Request& request, const Targets& byDefault) {
  auto failed = [](ExitCode code, const std::string& reason) {
    return static_cast<ExitCode>(fail(code, reason));
  };
  const std::string native(target::kNativeDevice);
  const bool asks = llvm::is_contained(request.targets, native);
  if (asks)
    if (auto here = deviceHere(request.device); !here)
      return failed(kBadInput, "--target=" + native + ": " + here.reason());
  const bool runsHere = byDefault.empty() || byDefault.front()->device;  // on a device
  if (!request.device.empty() && !asks && !runsHere)
    return failed(kBadCommandLine, "--device=" + request.device + " is for --target=" + native);
  auto targets = chooseTargets(request.targets, byDefault);
  if (!targets) return failed(kBadCommandLine, targets.reason());
  auto wrong = findWrong(request);
  if (!wrong && targets->front()->device) wrong = findWrongForDevice(request, *targets->front());
  if (!wrong) wrong = findWrongLibrary(request);
  if (wrong) return failed(kBadCommandLine, wrong->text);
  CodeOptions options{*targets, request.threads, !request.fp.empty(), !request.strides.empty(),
                      request.align};
  options.plant = request.plant;
  if (request.verifyEach) options.each = std::make_shared<pipeline::VerifyEach>();
  if (!request.lib.empty() && request.lib != "none") options.library = request.lib;
  if (auto code = readFiles(request, options)) return *code;
  return options;
}

}  // namespace einc::driver
