// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a spec: errors or a module that keeps the IR's rules, which goes all the way to C.
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>

#include "compiler/emit/c/c.h"
#include "compiler/emit/c/header.h"
#include "compiler/emit/c/manifest.h"
#include "compiler/emit/mlir/mlir.h"
#include "compiler/emit/mlir/ods.h"
#include "compiler/emit/mlir/yaml.h"
#include "compiler/frontend/einsum.h"
#include "compiler/frontend/frontend.h"
#include "compiler/frontend/parser.h"
#include "compiler/ir/print.h"
#include "compiler/ir/verify.h"
#include "compiler/pipeline/passes.h"
#include "compiler/target/target.h"
#include "llvm/Support/raw_ostream.h"

namespace {

// What each target makes of the module, at hardware level.
einc::ir::Module lowered(einc::ir::Module module, const einc::target::Target& target) {
  std::string name = "target=" + std::string(target.name);
  einc::SourceFile passes("passes", "fuse,bufferize,call-external,schedule{" + name +
                                        ",threads=4},vectorize,contract,unroll{" + name + "}");
  einc::Diagnostics errors(passes);
  auto pipeline = einc::pipeline::parsePipeline(passes, errors);
  if (einc::pipeline::runPipeline(*pipeline, module, nullptr)) std::abort();
  return module;
}

// The kernels that no input before had: a change to one def of a file compiles that one.
einc::ir::Module unseen(const einc::ir::Module& module) {
  static std::set<std::string> seen;
  einc::ir::Module result;
  for (const einc::ir::Kernel& kernel : module.kernels)
    if (seen.insert(einc::ir::print(kernel)).second) result.kernels.push_back(kernel);
  return result;
}

void toC(const einc::ir::Module& whole) {
  if (!einc::ir::verify(whole).empty()) std::abort();
  const einc::ir::Module module = unseen(whole);
  if (module.kernels.empty()) return;
  const einc::target::Target* targets[] = {einc::target::find("generic"),
                                           einc::target::find("x86-64-v4")};
  einc::ir::Module codes[] = {lowered(module, *targets[0]), lowered(module, *targets[1])};
  std::vector<einc::emit::KernelCode> kernels;
  for (size_t i = 0; i < module.kernels.size(); ++i)
    kernels.push_back({&module.kernels[i],
                       {{targets[0], &codes[0].kernels[i], "on one"},
                        {targets[1], &codes[1].kernels[i], "on the other"}}});
  einc::emit::COptions options;
  options.library = "fuzz";
  options.threads = 4;
  options.severalTargets = true;
  (void)einc::emit::emitC(kernels, options);
  (void)einc::emit::emitHeader(kernels, options);
  (void)einc::emit::emitManifest(kernels, options);
  for (const einc::ir::Kernel& kernel : module.kernels)
    (void)einc::emit::emitMlir({{kernel, {}}}, "");
  (void)einc::emit::emitOdsDecl(module);
  (void)einc::emit::emitOdsImpl(module);
  (void)einc::emit::emitYaml(module);
}

void fuzzSpec(const std::string& text) {
  einc::SourceFile source("fuzz.tc", text);
  einc::Diagnostics errors(source);
  auto spec = einc::frontend::parse(source, errors);
  for (const auto& def : spec.defs) (void)einc::frontend::printAst(def);
  auto module = einc::frontend::buildModule(spec, {{}, /*assumeTypes=*/true}, errors);
  if (module.has_value() == errors.hasErrors()) std::abort();
  std::string rendered;
  llvm::raw_string_ostream out(rendered);
  errors.print(out);
  if (module) toC(*module);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  fuzzSpec(text);
  einc::SourceFile notation("--einsum", text.substr(0, text.find('\n')));
  einc::Diagnostics errors(notation);
  if (auto spec = einc::frontend::expandEinsum(errors)) fuzzSpec(spec->text);
  return 0;
}
