// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/passes.h"

#include <algorithm>

#include "compiler/ir/contract.h"
#include "compiler/ir/literal.h"
#include "compiler/pipeline/on_target.h"
#include "compiler/strategy/fusion/fusion.h"
#include "compiler/strategy/fusion/in_place.h"
#include "compiler/strategy/fusion/in_rounds.h"
#include "compiler/strategy/fusion/in_tiles.h"
#include "compiler/strategy/fusion/layouts.h"
#include "compiler/strategy/fusion/locals.h"
#include "compiler/strategy/fusion/once.h"
#include "compiler/strategy/fusion/zero_points.h"
#include "compiler/strategy/libraries.h"
#include "compiler/strategy/schedule.h"
#include "compiler/support/text_writer.h"
#include "compiler/target/target.h"
#include "compiler/transforms/assume_numbers.h"
#include "compiler/transforms/bufferize.h"
#include "compiler/transforms/canonicalize.h"
#include "compiler/transforms/contract.h"
#include "compiler/transforms/distribute.h"
#include "compiler/transforms/hoist_values.h"
#include "compiler/transforms/lower.h"
#include "compiler/transforms/map_to_library.h"
#include "compiler/transforms/name_sizes.h"
#include "compiler/transforms/share_memory.h"
#include "compiler/transforms/simplify.h"
#include "compiler/transforms/specialize.h"
#include "compiler/transforms/trim.h"
#include "compiler/transforms/widen_sums.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

namespace einc::pipeline {
namespace {

// ---- The passes ---------------------------------------------------------------------------------

// A pass without options that cannot fail.
template <auto transform>
Result<ir::Module> runOnKernels(const ir::Module& module, const PassOptions&) {
  ir::Module result;
  for (const ir::Kernel& kernel : module.kernels) result.kernels.push_back(transform(kernel));
  return result;
}

ir::Kernel inlineLocals(const ir::Kernel& kernel) {
  return strategy::inlineLocals(kernel, /*intoProducts=*/true);
}

ir::Kernel layOut(const ir::Kernel& kernel) {
  return strategy::layOut(kernel, /*keepsOrder=*/false, /*vectorBytes=*/64);
}

// Each name must be a size or an attribute in one kernel at least.
std::optional<Reason> findUnknownName(const ir::Module& module, const PassOptions& options) {
  std::vector<std::string> known;
  for (const ir::Kernel& kernel : module.kernels) {
    for (std::string& symbol : kernel.sizeSymbols()) known.push_back(std::move(symbol));
    for (const ir::Attribute& attribute : kernel.attributes) known.push_back(attribute.name);
  }
  for (const auto& [name, value] : options)
    if (std::find(known.begin(), known.end(), name) == known.end())
      return Reason{"no kernel has a size or attribute '" + name + "'" + didYouMean(name, known)};
  return std::nullopt;
}

// What the options say about one kernel.
Result<transforms::Fixed> fixedValues(const ir::Kernel& kernel, const PassOptions& options) {
  transforms::Fixed fixed;
  std::vector<std::string> sizes = kernel.sizeSymbols();
  for (const auto& [name, text] : options) {
    if (auto attribute = kernel.findAttribute(name)) {
      auto values = ir::parseElements(kernel.attributes[*attribute], text, ':');
      if (!values) return Reason{name + "=" + text + ": " + values.reason()};
      fixed.attributes.emplace(name, std::move(*values));
    } else if (std::find(sizes.begin(), sizes.end(), name) != sizes.end()) {
      int64_t size;
      if (llvm::StringRef(text).getAsInteger(10, size) || size < 0)
        return Reason{name + "=" + text + ": a size is an integer from 0 on"};
      fixed.sizes.emplace(name, size);
    }
  }
  return fixed;
}

// KERNEL.OP.NAME = VALUE
std::optional<strategy::Setting> settingOf(const std::string& name, const std::string& value) {
  auto [kernel, rest] = llvm::StringRef(name).split('.');
  auto [op, what] = rest.split('.');
  strategy::Setting setting{kernel.str(), 0, what.str(), value};
  if (what.empty() || op.getAsInteger(10, setting.op)) return std::nullopt;
  return setting;
}

// target=NAME, threads=N, fp=strict and settings.
Result<strategy::ScheduleOptions> scheduleOptions(const PassOptions& options) {
  strategy::ScheduleOptions result{};
  for (const auto& [name, value] : options) {
    if (name == "target") {
      result.target = target::find(value);
      std::vector<std::string> known;
      for (const target::Target& target : target::all()) known.emplace_back(target.name);
      if (!result.target)
        return Reason{"unknown target '" + value + "'" + didYouMean(value, known) + "; there are " +
                      joined(known)};
    } else if (name == "threads") {
      if (llvm::StringRef(value).getAsInteger(10, result.threads) || result.threads < 1)
        return Reason{"threads=" + value + ": expected a number from 1 on"};
    } else if (name == "fp") {
      if (value != "strict") return Reason{"fp=" + value + ": there is 'strict'"};
      result.keepsOrder = true;
    } else if (auto setting = settingOf(name, value)) {
      if (setting->name == "library" && !strategy::parseRules(value))
        return Reason{name + "=" + value + ": expected rules: cblas where m * n >= 8 else blis"};
      result.settings.push_back(std::move(*setting));
    } else {
      return Reason{"no option '" + name +
                    "'; there are target, threads, fp, and settings: matmul.0.kc=256"};
    }
  }
  return result;
}

Result<strategy::ScheduleOptions> withTarget(const PassOptions& options) {
  auto result = scheduleOptions(options);
  if (result && !result->target) return Reason{"give the target: {target=x86-64-v4}"};
  return result;
}

Result<ir::Module> runDistribute(const ir::Module& module, const PassOptions& options) {
  auto chosen = withTarget(options);
  if (!chosen) return Reason{chosen.reason()};
  const target::Device* device = chosen->target->device;
  if (!device) return Reason{std::string(chosen->target->name) + " is no device: {target=vulkan}"};
  ir::Module result;
  for (const ir::Kernel& kernel : module.kernels)
    result.kernels.push_back(transforms::distribute(kernel, device->invocations));
  return result;
}

// inRounds or inTiles
template <auto transform>
Result<ir::Module> runForTarget(const ir::Module& module, const PassOptions& options) {
  auto chosen = withTarget(options);
  if (!chosen) return Reason{chosen.reason()};
  ir::Module result;
  for (const ir::Kernel& kernel : module.kernels)
    result.kernels.push_back(transform(kernel, *chosen).kernel);
  return result;
}

Result<ir::Module> runSchedule(const ir::Module& module, const PassOptions& options) {
  auto chosen = withTarget(options);
  if (!chosen) return Reason{chosen.reason()};
  ir::Module result;
  for (const ir::Kernel& kernel : module.kernels) {
    strategy::Decision decision = strategy::decide(kernel, *chosen);
    ir::Kernel done = strategy::apply(kernel, decision.parts, *chosen, decision.errors);
    if (!decision.errors.empty()) return Reason{decision.errors.front().message};
    result.kernels.push_back(std::move(done));
  }
  return result;
}

// Functions for ops: f.0.library_call=my_f.
Result<ir::Module> runCallExternal(const ir::Module& module, const PassOptions& options) {
  std::vector<strategy::Setting> settings;
  for (const auto& [name, value] : options) {
    auto setting = settingOf(name, value);
    if (!setting || setting->name != strategy::kLibraryCall)
      return Reason{"no option '" + name + "'; there are functions for ops: f.0.library_call=my_f"};
    settings.push_back(std::move(*setting));
  }
  return callExternal(module, settings, nullptr);
}

// lib=cblas or blis, for all ops, and settings: matmul.0.library=cblas where m >= 8.
Result<ir::Module> runMapToLibrary(const ir::Module& module, const PassOptions& options) {
  PassOptions settings;
  std::string library;
  for (const auto& option : options) {
    if (option.first != "lib")
      settings.push_back(option);
    else if (option.second == "cblas" || option.second == "blis")
      library = option.second;
    else
      return Reason{"lib=" + option.second + ": there are cblas and blis"};
  }
  auto chosen = scheduleOptions(settings);
  if (!chosen) return Reason{chosen.reason()};
  if (library.empty() && settings.empty())
    return Reason{"give the library: {lib=cblas} or {lib=blis}"};
  chosen->library = library;
  ir::Module result;
  for (const ir::Kernel& kernel : module.kernels)
    result.kernels.push_back(
        transforms::mapToLibrary(kernel, strategy::libraryRules(*chosen, kernel.name)));
  return result;
}

// strides=contiguous: of arguments, along their last dimensions.
Result<ir::Module> runCanonicalize(const ir::Module& module, const PassOptions& options) {
  transforms::CanonicalizeOptions chosen;
  for (const auto& [name, value] : options) {
    if (name != "strides" || value != "contiguous")
      return Reason{"no option '" + name + "=" + value + "'; there is strides=contiguous"};
    chosen.contiguous = true;
  }
  ir::Module result;
  for (const ir::Kernel& kernel : module.kernels)
    result.kernels.push_back(transforms::canonicalize(kernel, chosen));
  if (chosen.contiguous)
    for (ir::Kernel& kernel : result.kernels) kernel.contiguous = true;
  return result;
}

// Whose numbers count where no target is given.
const target::Target& commonNumbers() { return *target::find("generic"); }

Result<ir::Module> runVectorize(const ir::Module& module, const PassOptions& options) {
  auto chosen = scheduleOptions(options);
  if (!chosen) return Reason{chosen.reason()};
  ir::Module result;
  for (const ir::Kernel& kernel : module.kernels)
    result.kernels.push_back(
        vectorize(kernel, chosen->target ? *chosen->target : commonNumbers(), chosen->keepsOrder));
  return result;
}

ir::Kernel runReduceTogether(const ir::Kernel& kernel) {
  return reduceTogether(kernel, commonNumbers());
}

Result<ir::Module> runUnroll(const ir::Module& module, const PassOptions& options) {
  auto chosen = withTarget(options);
  if (!chosen) return Reason{chosen.reason()};
  ir::Module result;
  for (const ir::Kernel& kernel : module.kernels)
    result.kernels.push_back(unroll(kernel, *chosen->target));
  return result;
}

Result<ir::Module> runMultiplyNarrow(const ir::Module& module, const PassOptions& options) {
  auto chosen = withTarget(options);
  if (!chosen) return Reason{chosen.reason()};
  ir::Module result;
  for (const ir::Kernel& kernel : module.kernels)
    result.kernels.push_back(multiplyNarrow(kernel, *chosen->target));
  return result;
}

Result<ir::Module> runSpecialize(const ir::Module& module, const PassOptions& options) {
  if (auto reason = findUnknownName(module, options)) return *reason;
  ir::Module result;
  for (const ir::Kernel& kernel : module.kernels) {
    auto fixed = fixedValues(kernel, options);
    if (!fixed) return Reason{fixed.reason()};
    auto specialized = transforms::specialize(kernel, *fixed);
    if (!specialized) return Reason{"@" + kernel.name + ": " + specialized.reason()};
    result.kernels.push_back(std::move(*specialized));
  }
  return result;
}

// ---- Pipelines ----------------------------------------------------------------------------------

class PipelineParser {
 public:
  PipelineParser(const SourceFile& source, Diagnostics& errors)
      : text_(source.text()), errors_(errors) {}

  std::optional<std::vector<PassCall>> run() {
    std::vector<PassCall> pipeline;
    do {
      auto call = parseCall();
      if (!call) return std::nullopt;
      pipeline.push_back(std::move(*call));
    } while (accept(','));
    if (at_ == text_.size()) return pipeline;
    fail(at_, at_ + 1, "expected ',' and the next pass");
    return std::nullopt;
  }

 private:
  void fail(size_t begin, size_t end, const std::string& message) {
    errors_.error(Diag::Notation, {static_cast<uint32_t>(begin), static_cast<uint32_t>(end)},
                  message);
  }
  bool accept(char c) {
    at_ = std::min(text_.find_first_not_of(" \t", at_), text_.size());
    bool found = at_ < text_.size() && text_[at_] == c;
    if (found) ++at_;
    return found;
  }
  // Up to one of `ends`.
  std::string take(std::string_view ends) {
    size_t end = std::min(text_.find_first_of(ends, at_), text_.size());
    std::string part(llvm::StringRef(text_.data() + at_, end - at_).trim());
    at_ = end;
    return part;
  }

  std::optional<PassCall> parseCall() {
    size_t begin = at_;
    std::string name = take(",{}");
    std::vector<std::string> names;
    for (const Pass& pass : allPasses()) {
      if (pass.name == name) {
        PassCall call{&pass, {}};
        if (at_ < text_.size() && text_[at_] == '{' && !parseOptions(call)) return std::nullopt;
        return call;
      }
      names.emplace_back(pass.name);
    }
    fail(begin, at_,
         (name.empty() ? "expected a pass" : "unknown pass '" + name + "'") +
             didYouMean(name, names) + "; there are " + joined(names));
    return std::nullopt;
  }

  bool parseOptions(PassCall& call) {
    size_t open = at_++;
    if (call.pass->options.empty()) {
      fail(open, at_, "'" + std::string(call.pass->name) + "' takes no options");
      return false;
    }
    do {
      size_t begin = at_;
      std::string name = take("=,{}");
      if (name.empty() || !accept('=')) {
        fail(begin, at_, "expected NAME=VALUE");
        return false;
      }
      for (const auto& [other, value] : call.options)
        if (other == name) {
          fail(begin, at_, "'" + name + "' is given twice");
          return false;
        }
      call.options.emplace_back(name, take(",{}"));
    } while (accept(','));
    if (accept('}')) return true;
    fail(at_, at_ + 1, "expected '}' to end the options");
    return false;
  }

  std::string_view text_;
  Diagnostics& errors_;
  size_t at_ = 0;
};

std::optional<Reason> findUnsuitable(const Pass& pass, const ir::Module& module) {
  for (const ir::Kernel& kernel : module.kernels)
    if (pass.from && kernel.level != *pass.from)
      return Reason{"it takes kernels at level " + std::string(ir::nameOf(*pass.from)) + ", @" +
                    kernel.name + " is at level " + std::string(ir::nameOf(kernel.level))};
  return std::nullopt;
}

}  // namespace

const std::vector<Pass>& allPasses() {
  using ir::Level;
  static const std::vector<Pass> table = {
      {"specialize", "{M=8,strides=2:2,...}", "give sizes and attributes fixed values",
       std::nullopt, runSpecialize},
      {"simplify", "", "compute what is known in payloads", std::nullopt,
       runOnKernels<transforms::simplify>},
      {"widen-sums", "", "keep sums of f16 and bf16 in f32", Level::Tensors,
       runOnKernels<transforms::widenSums>},
      {"inline", "", "compute local results where they are read", Level::Tensors,
       runOnKernels<inlineLocals>},
      {"zero-points", "", "take zero points of rows and columns out of products", Level::Tensors,
       runOnKernels<strategy::takeOutZeroPoints>},
      {"lay-out", "", "turn operands that lie in different orders", Level::Tensors,
       runOnKernels<layOut>},
      {"in-rounds", "{target=...,threads=4}",
       "do ops tile by tile, in rounds along what some of them reduce", Level::Tensors,
       runForTarget<strategy::inRounds>},
      {"in-tiles", "{target=...,threads=4}", "do ops tile by tile of the last one's results",
       Level::Tensors, runForTarget<strategy::inTiles>},
      {"name-sizes", "", "give sizes of locals names that say they are not negative",
       Level::Tensors, runOnKernels<transforms::nameSizes>},
      {"once", "", "compute once what would be computed for several positions", Level::Tensors,
       runOnKernels<strategy::computeOnce>},
      {"fuse", "", "group ops that share loops", Level::Tensors, runOnKernels<strategy::group>},
      {"in-place", "", "compute locals in the memory of others that they come from", Level::Tensors,
       runOnKernels<strategy::computeInPlace>},
      {"bufferize", "", "give local tensors their memory", Level::Tensors,
       runOnKernels<transforms::bufferize>},
      {"call-external", "{f.0.library_call=my_f}",
       "call the user's own functions for defs and ops that they are named for", Level::Buffers,
       runCallExternal},
      {"map-to-library", "{lib=cblas,matmul.0.library=blis}",
       "call functions of a BLAS for ops that they compute", Level::Buffers, runMapToLibrary},
      {"schedule", "{target=...,threads=4,fp=strict,matmul.0.kc=256}",
       "tile, pack and choose axes, by what each op is", Level::Buffers, runSchedule},
      {"trim", "", "leave out what the guards of ops leave out, and tests where all is inside",
       Level::Tiled, runOnKernels<transforms::trim>},
      {"distribute", "{target=vulkan}", "run loops on workgroups and invocations of a device",
       Level::Tiled, runDistribute},
      {"vectorize", "{fp=strict}", "turn ops with axes into n-D virtual vectors", Level::Tiled,
       runVectorize},
      {"multiply-narrow", "{target=...}", "multiply narrow integers as vectors do it best",
       Level::Vector, runMultiplyNarrow},
      {"contract", "", "make products that are added one operation", Level::Vector,
       runOnKernels<transforms::contractProducts>},
      {"unroll", "{target=...}", "turn virtual vectors into those of the target", Level::Vector,
       runUnroll},
      {"assume-numbers", "", "compute max and min first as if there were no NaN", Level::Hardware,
       runOnKernels<transforms::assumeNumbers>},
      {"reduce-together", "", "add up the lanes of several vectors at once", Level::Hardware,
       runOnKernels<runReduceTogether>},
      {"hoist-values", "", "compute before a loop what does not change in it", Level::Hardware,
       runOnKernels<transforms::hoistValues>},
      {"canonicalize", "{strides=contiguous}",
       "dissolve loops of one round, and decide what is known", Level::Hardware, runCanonicalize},
      {"share-memory", "", "give locals that are not needed at the same time the same memory",
       Level::Hardware, runOnKernels<transforms::shareMemory>},
      {"lower", "", "turn structured ops into loops", Level::Buffers,
       runOnKernels<transforms::lower>},
  };
  return table;
}

std::optional<std::vector<PassCall>> parsePipeline(const SourceFile& source, Diagnostics& errors) {
  return PipelineParser(source, errors).run();
}

std::optional<PassFailure> runPipeline(const std::vector<PassCall>& pipeline, ir::Module& module,
                                       const AfterPass& after) {
  if (!pipeline.empty())
    for (ir::Kernel& kernel : module.kernels) kernel = ir::withContract(std::move(kernel));
  Sequence passes(module, after);
  for (const PassCall& call : pipeline)
    passes.runAll(call.pass->name, [&](const ir::Module& given) -> Result<ir::Module> {
      if (auto reason = findUnsuitable(*call.pass, given)) return *reason;
      return call.pass->run(given, call.options);
    });
  passes.end();
  ir::Module made = passes.take();
  module = std::move(made);
  return passes.failure();
}

}  // namespace einc::pipeline
