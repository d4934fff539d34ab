// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/spirv/tools.h"

#include <spirv-tools/libspirv.hpp>
#include <spirv-tools/optimizer.hpp>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace einc::spirv {
namespace {

constexpr spv_target_env kEnvironment = SPV_ENV_VULKAN_1_1;

// Collects errors. What the tools call a place is an instruction's number or that of a word, and
// left out; most messages show the instruction.
spvtools::MessageConsumer into(std::string& text) {
  return [&text](spv_message_level_t level, const char*, const spv_position_t&, const char* what) {
    if (level > SPV_MSG_ERROR) return;
    if (!text.empty()) text += '\n';
    text += what;
    if (text.ends_with('\n')) text.pop_back();
  };
}

Result<Words> run(spvtools::Optimizer& passes, const Words& words, const char* what) {
  std::string errors;
  passes.SetMessageConsumer(into(errors));
  spvtools::OptimizerOptions options;
  options.set_run_validator(false);  // done
  options.set_preserve_bindings(true);
  options.set_preserve_spec_constants(true);
  Words result;
  if (!passes.Run(words.data(), words.size(), &result, options))
    return Reason{std::string("spirv-opt cannot ") + what + " the module: " + errors};
  if (auto reason = validate(result))
    return Reason{std::string("spirv-opt made a module that is wrong: ") + reason->text};
  return result;
}

// How many words the value of each specialisation constant has, by its id.
std::map<uint32_t, size_t> specWidths(const Words& words) {
  constexpr uint32_t kDecorate = 71, kSpecId = 1;
  constexpr uint32_t kTrue = 48, kConstant = 50;  // OpSpecConstant..., False between them
  std::map<uint32_t, uint32_t> specIds;           // by result
  std::map<uint32_t, size_t> widths;
  forEachInstruction(words, [&](uint32_t opcode, std::span<const uint32_t> operands) {
    if (opcode == kDecorate && operands[1] == kSpecId) specIds[operands[0]] = operands[2];
    if (opcode < kTrue || opcode > kConstant) return;
    auto spec = specIds.find(operands[1]);  // decorations stand before
    if (spec != specIds.end()) widths[spec->second] = opcode == kConstant ? operands.size() - 2 : 1;
  });
  return widths;
}

// spirv-val does not look at what OpSpecConstantOp takes, and SPIRV-Cross asserts that they are
// constants.
bool hasWrongSpecConstantOp(const Words& words) {
  constexpr uint32_t kUndef = 1, kFirst = 41, kLast = 52;  // OpConstantTrue to OpSpecConstantOp
  constexpr uint32_t kVectorShuffle = 79, kExtract = 81, kInsert = 82;  // end with numbers
  std::vector<bool> isConstant(words[3]);                               // by id, below the bound
  bool isWrong = false;
  forEachInstruction(words, [&](uint32_t opcode, std::span<const uint32_t> operands) {
    if (opcode != kUndef && (opcode < kFirst || opcode > kLast)) return;
    isConstant[operands[1]] = true;
    if (opcode != kLast) return;
    uint32_t what = operands[2];
    auto ids = operands.subspan(3);
    if (what == kExtract) ids = ids.first(1);
    if (what == kInsert || what == kVectorShuffle) ids = ids.first(2);
    for (uint32_t id : ids) isWrong |= !isConstant[id];
  });
  return isWrong;
}

}  // namespace

std::optional<Reason> validate(const Words& words) {
  if (words.size() < kHeaderWords)
    return Reason{"not SPIR-V: " + std::to_string(words.size()) + " words, less than its header"};
  if (words[0] != kMagic) return Reason{"not SPIR-V: the first word is not its magic number"};
  std::string errors;
  spvtools::SpirvTools tools(kEnvironment);
  tools.SetMessageConsumer(into(errors));
  if (!tools.Validate(words)) return Reason{"not valid SPIR-V: " + errors};
  if (hasWrongSpecConstantOp(words))
    return Reason{"not valid SPIR-V: OpSpecConstantOp takes what is not a constant"};
  return std::nullopt;
}

Result<Words> optimise(const Words& words) {
  if (auto reason = validate(words)) return *std::move(reason);
  spvtools::Optimizer passes(kEnvironment);
  passes.RegisterPerformancePasses();
  return run(passes, words, "optimise");
}

Result<Words> specialise(const Words& words, const std::map<uint32_t, Words>& values) {
  if (auto reason = validate(words)) return *std::move(reason);
  std::map<uint32_t, size_t> widths = specWidths(words);
  for (const auto& [id, value] : values) {
    auto known = widths.find(id);
    if (known == widths.end())
      return Reason{"no specialisation constant " + std::to_string(id) + " in the module"};
    if (known->second != value.size())
      return Reason{"specialisation constant " + std::to_string(id) + " has " +
                    std::to_string(known->second) + " words, the value given " +
                    std::to_string(value.size())};
  }
  spvtools::Optimizer passes(kEnvironment);
  passes
      .RegisterPass(spvtools::CreateSetSpecConstantDefaultValuePass(
          std::unordered_map<uint32_t, Words>(values.begin(), values.end())))
      .RegisterPass(spvtools::CreateFreezeSpecConstantValuePass())
      .RegisterPass(spvtools::CreateFoldSpecConstantOpAndCompositePass());
  return run(passes, words, "specialise");
}

Result<std::string> disassemble(const Words& words) {
  if (auto reason = validate(words)) return *std::move(reason);
  std::string errors, text;
  spvtools::SpirvTools tools(kEnvironment);
  tools.SetMessageConsumer(into(errors));
  constexpr uint32_t kOptions =
      SPV_BINARY_TO_TEXT_OPTION_FRIENDLY_NAMES | SPV_BINARY_TO_TEXT_OPTION_INDENT;
  if (!tools.Disassemble(words, &text, kOptions))
    return Reason{"spirv-dis cannot print the module: " + errors};
  return text;
}

// The library has no table of names for others: a module of one instruction is printed.
std::string nameOfCapability(uint32_t capability) {
  constexpr uint32_t kVersion13 = 0x00010300;
  constexpr uint32_t kCapability = (2U << 16) | 17;  // OpCapability, two words
  std::string text;
  spvtools::SpirvTools tools(kEnvironment);
  tools.SetMessageConsumer([](auto&&...) {});
  tools.Disassemble({kMagic, kVersion13, 0, 1, 0, kCapability, capability}, &text);
  std::string_view name = text;
  name = name.substr(0, name.find('\n'));
  constexpr std::string_view kPrefix = "OpCapability ";
  if (!name.starts_with(kPrefix)) return "capability " + std::to_string(capability);
  return std::string(name.substr(kPrefix.size()));
}

}  // namespace einc::spirv
