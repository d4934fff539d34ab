// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "compiler/driver/code_options.h"
#include "compiler/driver/commands.h"
#include "compiler/driver/compile.h"
#include "compiler/driver/device.h"
#include "compiler/driver/fixed_values.h"
#include "compiler/driver/ir_text.h"
#include "compiler/driver/mlir.h"
#include "compiler/driver/name_warnings.h"
#include "compiler/driver/outputs.h"
#include "compiler/driver/schedules.h"
#include "compiler/emit/mlir/ods.h"
#include "compiler/emit/mlir/yaml.h"
#include "compiler/ir/contract.h"
#include "compiler/ir/print.h"
#include "compiler/pipeline/pipeline.h"
#include "compiler/spirv/cross.h"
#include "compiler/spirv/tools.h"
#include "compiler/strategy/fusion/fusion.h"
#include "compiler/support/diagnostics.h"
#include "compiler/support/files.h"
#include "compiler/support/text_writer.h"
#include "compiler/transforms/widen_sums.h"

namespace einc::driver {
namespace {

int write(const Request& request, const EmitOptions& options, const Result<std::string>& text) {
  if (!text) return fail(kBadInput, text.reason());
  if (int code = refuseOverwriting(request.specs, {options.output})) return code;
  std::string reason = writeOutputs({{options.output, *text}});
  return reason.empty() ? kSuccess : fail(kBadInput, reason);
}

// One module a target, each under its name if there are several.
Result<std::string> codeText(const std::vector<Compiled>& kernels, const Targets& targets) {
  std::string text;
  for (size_t t = 0; t < targets.size(); ++t) {
    ir::Module module;
    for (const Compiled& kernel : kernels) module.kernels.push_back(kernel.codes[t]);
    if (targets.size() > 1) text += "// target " + std::string(targets[t]->name) + "\n";
    text += ir::print(module);
  }
  return text;
}

bool isOfShaders(const std::string& stage) {
  return stage == "glsl" || stage == "spirv" || stage == "msl" || stage == "hlsl";
}

Result<std::string> shaderText(const std::string& stage, const emit::Shader& shader,
                               const spirv::Words& words) {
  if (stage == "glsl") return shader.text;
  auto module = spirv::validated(words);
  if (!module) return Reason{module.reason()};
  return stage == "spirv" ? spirv::disassemble(*module)
         : stage == "msl" ? spirv::toMsl(*module)
                          : spirv::toHlsl(*module);
}

// Each shader under its name. Metal and HLSL know of no buffer as two arrays.
std::variant<std::string, ExitCode> shaderTexts(std::vector<DeviceKernel> kernels,
                                                const std::string& stage,
                                                const target::Device& device) {
  std::string text;
  for (DeviceKernel& kernel : kernels) {
    if (stage == "msl" || stage == "hlsl") {
      kernel.shaders =
          emit::emitGlsl(kernel.code, kernel.schedule,
                         {.oneBlockEach = true, .unrolledRounds = device.numbers.unrolledRounds});
      auto modules = compileShaders(kernel.shaders);
      if (auto* code = std::get_if<ExitCode>(&modules)) return *code;
      kernel.modules = std::get<std::vector<spirv::Words>>(std::move(modules));
    }
    for (size_t i = 0; i < kernel.shaders.size(); ++i) {
      auto shader = shaderText(stage, kernel.shaders[i], kernel.modules[i]);
      if (!shader)
        return static_cast<ExitCode>(
            fail(kBadInput,
                 "--stage=" + stage + ": " + kernel.shaders[i].name + ": " + shader.reason()));
      std::string comment = stage == "spirv" ? "; " : "// ";
      text += (text.empty() ? "" : "\n") + comment + kernel.shaders[i].name + "\n" + *shader;
    }
  }
  return text;
}

std::optional<ir::Level> levelOf(const std::string& stage) {
  if (stage == "tiled") return ir::Level::Tiled;
  if (stage == "vector") return ir::Level::Vector;
  if (stage == "hw") return ir::Level::Hardware;
  return std::nullopt;
}

// The lowest level of which a stage is made.
ir::Level lowestFor(const std::string& stage) {
  static const std::set<std::string> ofTensors = {"ops", "fused",    "mlir",
                                                  "ods", "ods-impl", "yaml"};
  if (ofTensors.count(stage)) return ir::Level::Tensors;
  if (stage == "schedule") return ir::Level::Buffers;
  return levelOf(stage).value_or(ir::Level::Hardware);
}

// What a stage prints, or why it cannot; or the exit code after errors were printed.
using Text = std::variant<Result<std::string>, ExitCode>;

// Of the stages of tensors.
Result<std::string> tensorsText(const ir::Module& module, const CodeOptions& wanted,
                                const EmitOptions& options) {
  if (options.stage == "ops") return ir::print(module);
  const bool keepsSums = wanted.keepsOrder || isForDevice(wanted);
  auto fused = [&](const ir::Kernel& kernel) {
    const ir::Kernel first = ir::withContract(kernel);
    return strategy::fuse(keepsSums ? first : transforms::widenSums(first),
                          /*intoProducts=*/!isForDevice(wanted));
  };
  ir::Module ops;
  for (const ir::Kernel& kernel : module.kernels)
    ops.kernels.push_back(options.stage == "fused" ? fused(kernel) : *ir::contractOf(kernel));
  return options.stage == "fused"      ? ir::print(ops)
         : options.stage == "mlir"     ? mlirText(ops, options.naming.prefix)
         : options.stage == "ods"      ? emit::emitOdsDecl(ops)
         : options.stage == "ods-impl" ? emit::emitOdsImpl(ops)
                                       : emit::emitYaml(ops);
}

// What MLIR reads, which has no name for a CPU's instructions.
bool isForOthers(const std::string& stage) {
  return stage == "mlir" || stage == "ods" || stage == "ods-impl" || stage == "yaml";
}

Text scheduleText(const ir::Module& module, const CodeOptions& wanted, const EmitOptions& options) {
  auto schedules = schedule(module, wanted, options.tracing);
  if (auto* code = std::get_if<ExitCode>(&schedules)) return *code;
  return printedSchedule(std::get<Schedules>(schedules));
}

Text shadersText(const ir::Module& module, const CodeOptions& wanted, const EmitOptions& options) {
  if (!isForDevice(wanted))
    return static_cast<ExitCode>(
        fail(kBadCommandLine, "--stage=" + options.stage + " is for --target=vulkan"));
  // Other languages' shaders are other ones, made later.
  auto kernels = compileForDevice(module, wanted, options.tracing, "",
                                  options.stage == "spirv" ? Spirv::Optimised : Spirv::AsCompiled);
  if (auto* code = std::get_if<ExitCode>(&kernels)) return *code;
  auto text = shaderTexts(std::get<std::vector<DeviceKernel>>(std::move(kernels)), options.stage,
                          *wanted.targets.front()->device);
  if (auto* code = std::get_if<ExitCode>(&text)) return *code;
  return std::get<std::string>(std::move(text));
}

Text levelText(const ir::Module& module, const CodeOptions& wanted, const EmitOptions& options,
               ir::Level level) {
  auto compiled = compile(module, wanted, options.tracing, level);
  if (auto* code = std::get_if<ExitCode>(&compiled)) return *code;
  return codeText(std::get<std::vector<Compiled>>(compiled), wanted.targets);
}

// C, its header, or its manifest.
Text libraryText(const Request& request, const ir::Module& module, const CodeOptions& wanted,
                 const EmitOptions& options) {
  auto library = libraryName(request, options.naming);
  if (!library) return static_cast<ExitCode>(fail(kBadCommandLine, library.reason()));
  auto made = makeTexts(module, wanted, *library, options.naming, options.tracing, Files::One);
  if (auto* code = std::get_if<ExitCode>(&made)) return *code;
  const LibraryTexts& texts = std::get<LibraryTexts>(made);
  return options.stage == "c"        ? texts.code.front().text
         : options.stage == "header" ? texts.header
                                     : texts.manifest;
}

Text stageText(const Request& request, const ir::Module& module, const CodeOptions& wanted,
               const EmitOptions& options) {
  if (lowestFor(options.stage) == ir::Level::Tensors) return tensorsText(module, wanted, options);
  if (options.stage == "schedule") return scheduleText(module, wanted, options);
  if (isOfShaders(options.stage)) return shadersText(module, wanted, options);
  if (auto level = levelOf(options.stage)) return levelText(module, wanted, options, *level);
  return libraryText(request, module, wanted, options);
}

}  // namespace

std::vector<std::string> stageNames() {
  return {"ast",      "ops",  "fused", "schedule", "tiled", "vector", "hw",  "c",        "header",
          "manifest", "glsl", "spirv", "msl",      "hlsl",  "mlir",   "ods", "ods-impl", "yaml"};
}

int emit(const Request& request, const EmitOptions& options) {
  auto stages = stageNames();
  if (std::find(stages.begin(), stages.end(), options.stage) == stages.end())
    return fail(kBadCommandLine, "--stage=" + options.stage + ": unknown stage" +
                                     didYouMean(options.stage, stages) + "; there are " +
                                     joined(stages));
  if (options.stage == "ast") {
    auto text = loadAst(request);
    if (auto* code = std::get_if<ExitCode>(&text)) return *code;
    return write(request, options, std::get<std::string>(text));
  }
  auto loaded = load(request);
  if (auto* code = std::get_if<ExitCode>(&loaded)) return *code;
  const Loaded& good = std::get<Loaded>(loaded);
  auto fixed = fixValues(good, request.attributes);
  if (auto* code = std::get_if<ExitCode>(&fixed)) return *code;
  const ir::Module& module = std::get<ir::Module>(fixed);
  auto chosen = chooseCode(request, portableTargets(std::get<ir::Module>(fixed)));
  if (auto* code = std::get_if<ExitCode>(&chosen)) return *code;
  const CodeOptions& wanted = std::get<CodeOptions>(chosen);
  if (int code = refuseBelow(lowestFor(options.stage), "--stage=" + options.stage, module, good))
    return code;
  if (isForOthers(options.stage))
    if (int code = refuseInstructions(module, good, "--stage=" + options.stage)) return code;
  if (lowestFor(options.stage) > ir::Level::Buffers)
    if (int code = refuseUnprintable(module, good, wanted)) return code;
  if (options.stage == "c" || options.stage == "header" || options.stage == "manifest")
    warnOfNames(good, module, options.naming.prefix);
  auto text = stageText(request, module, wanted, options);
  if (auto* code = std::get_if<ExitCode>(&text)) return *code;
  return write(request, options, std::get<Result<std::string>>(std::move(text)));
}

}  // namespace einc::driver
