// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/outputs.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "compiler/driver/device.h"
#include "compiler/driver/device_library.h"
#include "compiler/driver/exports.h"
#include "compiler/driver/plant.h"
#include "compiler/emit/c/c.h"
#include "compiler/emit/c/header.h"
#include "compiler/emit/c/manifest.h"
#include "compiler/ir/print.h"
#include "compiler/support/identifier.h"
#include "compiler/support/text_writer.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace einc::driver {
namespace {

// What a library's files can be called without quoting or leaving their folder.
bool isFileName(const std::string& text) {
  auto isPart = [](char c) {
    return llvm::isAlnum(c) || c == '_' || c == '-' || c == '.' || c == '+';
  };
  return !text.empty() && text[0] != '-' && text[0] != '.' &&
         std::all_of(text.begin(), text.end(), isPart);
}

// Each kernel is a function of a CBLAS, and no two are the same one.
std::optional<Reason> addExports(std::vector<emit::KernelCode>& kernels) {
  std::map<std::pair<ir::LibraryFunction, ir::ScalarType>, std::string> names;
  for (emit::KernelCode& kernel : kernels) {
    auto call = exportedCall(*kernel.contract);
    if (!call) return Reason{call.reason()};
    ir::ScalarType type = kernel.contract->tensors[call->op.outputs[0].tensor].type;
    auto [found, isNew] = names.try_emplace({call->function, type}, kernel.contract->name);
    if (!isNew)
      return Reason{"--export=cblas: '" + found->second + "' and '" + kernel.contract->name +
                    "' are both " + std::string(ir::info(call->function).name) + " of " +
                    std::string(ir::info(type).name)};
    kernel.exported = std::move(*call);
  }
  return std::nullopt;
}

Result<std::vector<emit::CFile>> codeFiles(const std::vector<emit::KernelCode>& kernels,
                                           const emit::COptions& options, Files files) {
  if (files == Files::Each) return emit::emitCFiles(kernels, options);
  auto code = emit::emitC(kernels, options);
  if (!code) return Reason{code.reason()};
  return std::vector<emit::CFile>{{options.library + ".c", *code}};
}

}  // namespace

Result<std::string> libraryName(const Request& request, const NamingOptions& naming) {
  if (!naming.prefix.empty() && !isIdentifier(naming.prefix))
    return Reason{"--prefix=" + naming.prefix + ": a prefix is letters, digits and '_'"};
  if (!naming.library.empty()) {
    if (isFileName(naming.library)) return naming.library;
    return Reason{"--name=" + naming.library + ": a library's name is letters, digits and _-.+"};
  }
  if (!request.einsum.empty()) return std::string("einsum");
  std::string stem = llvm::sys::path::stem(request.specs.front()).str();
  if (request.specs.front() == "-") stem = "stdin";
  for (char& c : stem)
    if (!llvm::isAlnum(c)) c = '_';
  return isIdentifier(stem) ? stem : "_" + stem;
}

// Whether the target has nothing but instructions of its own beside the one before it, and the code none of
// these: it is the same, then.
bool isSame(const Compiled& kernel, size_t t, const std::vector<const target::Target*>& targets) {
  if (t == 0) return false;
  const target::Target &target = *targets[t], &before = *targets[t - 1];
  return target.march == before.march && target.features.hasAll(before.features) &&
         ir::print({{kernel.codes[t]}}) == ir::print({{kernel.codes[t - 1]}});
}

std::vector<emit::KernelCode> kernelCodes(const std::vector<Compiled>& kernels,
                                          const CodeOptions& wanted) {
  std::vector<emit::KernelCode> codes;
  for (const Compiled& kernel : kernels) {
    codes.push_back({&kernel.contract, {}});
    for (size_t t = 0; t < wanted.targets.size(); ++t) {
      if (isSame(kernel, t, wanted.targets)) continue;
      codes.back().codes.push_back({wanted.targets[t], &kernel.codes[t], kernel.schedules[t]});
    }
  }
  return codes;
}

Result<LibraryTexts> libraryTexts(const std::vector<Compiled>& kernels, const CodeOptions& wanted,
                                  const std::string& library, const NamingOptions& naming,
                                  Files files) {
  std::vector<emit::KernelCode> codes = kernelCodes(kernels, wanted);
  emit::COptions options;
  options.threads = wanted.threads;
  options.keepsOrder = wanted.keepsOrder;
  options.contiguous = wanted.contiguous;
  options.align = wanted.align;
  options.library = library;
  options.prefix = naming.prefix;
  options.plant = naming.plant;
  if (!naming.exports.empty())
    if (auto reason = addExports(codes)) return *reason;
  auto code = codeFiles(codes, options, files);
  if (!code) return Reason{code.reason()};
  auto header = emit::emitHeader(codes, options);
  if (!header) return Reason{header.reason()};
  auto manifest = emit::emitManifest(codes, options);
  if (!manifest) return Reason{manifest.reason()};
  std::vector<std::string> exported = emit::exportedNames(codes, options);
  if (!naming.exports.empty()) exported.push_back(naming.exports + "_*");
  // Programs may have threads of their own (runtime/threads.h).
  if (wanted.threads > 1)
    exported.insert(exported.end(), {"einc_thread_count", "einc_run_on_threads"});
  return LibraryTexts{*code, *header, *manifest, exported};
}

std::variant<LibraryTexts, ExitCode> makeTexts(const ir::Module& module, const CodeOptions& wanted,
                                               const std::string& library,
                                               const NamingOptions& naming, const Tracing& tracing,
                                               Files files) {
  Result<LibraryTexts> texts = Reason{""};
  if (isForDevice(wanted)) {
    auto kernels = compileForDevice(module, wanted, tracing, naming.plant);
    if (auto* code = std::get_if<ExitCode>(&kernels)) return *code;
    texts = deviceTexts(std::get<std::vector<DeviceKernel>>(kernels), library, naming);
  } else {
    auto kernels = compile(module, wanted, tracing);
    if (auto* code = std::get_if<ExitCode>(&kernels)) return *code;
    texts = libraryTexts(std::get<std::vector<Compiled>>(kernels), wanted, library, naming, files);
  }
  if (texts) return *texts;
  return static_cast<ExitCode>(fail(kBadInput, texts.reason()));
}

int refusePlant(const std::string& plant) {
  std::vector<std::string> names = emit::plantNames();
  for (std::string& name : passPlants()) names.push_back(std::move(name));
  for (std::string& name : stepPlants()) names.push_back(std::move(name));
  if (plant.empty() || std::find(names.begin(), names.end(), plant) != names.end()) return kSuccess;
  return fail(kBadCommandLine, "--plant=" + plant + ": there are " + joined(names));
}

int refuseOverwriting(const std::vector<std::string>& inputs,
                      const std::vector<std::string>& outputs) {
  for (const std::string& output : outputs)
    for (const std::string& input : inputs)
      if (output != "-" && input != "-" && llvm::sys::fs::equivalent(input, output))
        return fail(kBadCommandLine, "'" + output + "' is an input, it will not be overwritten");
  return kSuccess;
}

}  // namespace einc::driver
