// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Any bytes as IR text: no crash; what parses prints to text that gives the same text again; what
// keeps the rules keeps them through every pass, and is code for a target, or is refused.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "compiler/emit/c/c.h"
#include "compiler/emit/c/header.h"
#include "compiler/emit/glsl/glsl.h"
#include "compiler/ir/parse.h"
#include "compiler/ir/print.h"
#include "compiler/ir/verify.h"
#include "compiler/pipeline/passes.h"
#include "compiler/pipeline/pipeline.h"
#include "compiler/pipeline/printable.h"
#include "compiler/target/target.h"

namespace {

using einc::ir::Kernel;
using einc::ir::Module;

std::optional<Module> parse(std::string text) {
  einc::SourceFile source("fuzz.eir", std::move(text));
  einc::Diagnostics errors(source);
  return einc::ir::parse(source, errors);
}

// The passes that lower a module from where it stands.
void runPasses(Module module) {
  for (const char* text : {"simplify", "specialize{M=1}", "fuse", "bufferize", "call-external",
                           "schedule{target=x86-64-v3,threads=2}", "vectorize", "contract",
                           "unroll{target=x86-64-v3}", "assume-numbers", "simplify"}) {
    einc::SourceFile source("--passes", text);
    einc::Diagnostics errors(source);
    auto failure = einc::pipeline::runPipeline(*einc::pipeline::parsePipeline(source, errors),
                                               module, nullptr);
    if (!failure) continue;
    if (failure->kind == einc::pipeline::PassFailure::Kind::Broken) abort();
    module = std::move(failure->before);
  }
}

void print(const Module& code, const einc::strategy::ScheduleOptions& options) {
  for (const Kernel& kernel : code.kernels)
    if (options.target->device) {
      (void)einc::emit::emitGlsl(kernel, "", {});
    } else {
      std::vector<einc::emit::KernelCode> kernels = {
          {kernel.contract.get(), {{options.target, &kernel, ""}}}};
      einc::emit::COptions c;
      c.library = "fuzz";
      c.threads = options.threads;
      c.contiguous = options.contiguous;
      (void)einc::emit::emitC(kernels, c);
    }
}

// By the pipeline, for each kind of target.
void toCode(const Module& module) {
  for (const char* name : {"generic", "x86-64-v3", "x86-64-v4", "vulkan-desktop"}) {
    einc::strategy::ScheduleOptions options{einc::target::find(name)};
    if (!options.target->device) options.threads = 2;
    for (const Kernel& kernel : module.kernels) options.contiguous |= kernel.contiguous;
    Module printable;
    for (const Kernel& kernel : module.kernels)
      if (!einc::pipeline::findUnprintable(kernel, options)) printable.kernels.push_back(kernel);
    using einc::pipeline::PassFailure;
    auto isBroken = [](const PassFailure& failure) {
      return failure.kind == PassFailure::Kind::Broken;
    };
    auto scheduled = einc::pipeline::schedule(printable, options);
    if (auto* failure = std::get_if<PassFailure>(&scheduled)) {
      if (isBroken(*failure)) abort();
      continue;
    }
    auto code = einc::pipeline::finish(std::get<einc::pipeline::Scheduled>(scheduled),
                                       einc::ir::Level::Hardware);
    if (auto* failure = std::get_if<PassFailure>(&code)) {
      if (isBroken(*failure)) abort();
      continue;
    }
    print(std::get<Module>(code), options);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto module = parse(std::string(reinterpret_cast<const char*>(data), size));
  if (!module) return 0;
  std::string text = einc::ir::print(*module);
  auto again = parse(text);
  if (!again || einc::ir::print(*again) != text) abort();
  if (!einc::ir::verify(*module).empty()) return 0;
  runPasses(*module);
  toCode(*module);
  return 0;
}
