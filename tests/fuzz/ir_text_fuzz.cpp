// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Any bytes as IR text: no crash; what parses prints to text that gives the same text again; what
// keeps the rules keeps them through every pass.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "compiler/ir/parse.h"
#include "compiler/ir/print.h"
#include "compiler/ir/verify.h"
#include "compiler/pipeline/passes.h"

namespace {

std::optional<einc::ir::Module> parse(std::string text) {
  einc::SourceFile source("fuzz.eir", std::move(text));
  einc::Diagnostics errors(source);
  return einc::ir::parse(source, errors);
}

// The passes that lower a module from where it stands.
void runPasses(einc::ir::Module module) {
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

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto module = parse(std::string(reinterpret_cast<const char*>(data), size));
  if (!module) return 0;
  std::string text = einc::ir::print(*module);
  auto again = parse(text);
  if (!again || einc::ir::print(*again) != text) abort();
  if (einc::ir::verify(*module).empty()) runPasses(std::move(*module));
  return 0;
}
