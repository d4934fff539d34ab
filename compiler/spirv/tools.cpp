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

Result<Module> run(spvtools::Optimizer& passes, const Words& words, const char* what) {
  std::string errors;
  passes.SetMessageConsumer(into(errors));
  spvtools::OptimizerOptions options;
  options.set_run_validator(false);  // done
  options.set_preserve_bindings(true);
  options.set_preserve_spec_constants(true);
  Words result;
  if (!passes.Run(words.data(), words.size(), &result, options))
    return Reason{std::string("spirv-opt cannot ") + what + " the module: " + errors};
  auto module = validated(std::move(result));
  if (!module) return Reason{"spirv-opt made a module that is wrong: " + module.reason()};
  return module;
}

// What spirv-val finds, if anything. It makes friendly names for all ids before it looks at anything, a third of
// its time: so they are made where there is something to say.
std::optional<std::string> errorsOf(const Words& words) {
  std::string errors;
  spvtools::SpirvTools tools(kEnvironment);
  spvtools::ValidatorOptions options;
  options.SetFriendlyNames(false);
  tools.SetMessageConsumer([](auto&&...) {});
  if (tools.Validate(words.data(), words.size(), options)) return std::nullopt;
  tools.SetMessageConsumer(into(errors));
  tools.Validate(words);
  return errors;
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

// spirv-val does not look at what OpSpecConstantOp takes; others rely on constants, and on numbers
// of components that are there. Parts of anything but vectors are taken for wrong.
bool hasWrongSpecConstantOp(const Words& words) {
  constexpr uint32_t kUndef = 1, kVector = 23;
  constexpr uint32_t kFirst = 41, kLast = 52;  // OpConstantTrue to OpSpecConstantOp
  constexpr uint32_t kVectorShuffle = 79, kExtract = 81, kInsert = 82;  // end with numbers
  constexpr uint32_t kBool = 20, kLogicalEqual = 164, kSelect = 169;    // the latter two: from, to
  std::vector<bool> isBool(words[3]);                                   // a type, by id
  std::vector<uint32_t> lanes(words[3]);                                // of a type, by id
  std::vector<uint32_t> typeOf(words[3]);                               // of a constant, or 0
  bool isWrong = false;
  forEachInstruction(words, [&](uint32_t opcode, std::span<const uint32_t> operands) {
    if (opcode == kBool) isBool[operands[0]] = true;
    if (opcode == kVector) {
      lanes[operands[0]] = operands[2];
      isBool[operands[0]] = isBool[operands[1]];
    }
    if (opcode != kUndef && (opcode < kFirst || opcode > kLast)) return;
    typeOf[operands[1]] = operands[0];
    if (opcode != kLast) return;
    uint32_t what = operands[2];
    auto ids = operands.subspan(3);
    size_t count = what == kExtract                            ? 1
                   : what == kInsert || what == kVectorShuffle ? 2
                                                               : ids.size();
    if (ids.size() < count) return void(isWrong = true);
    auto numbers = ids.subspan(count);
    ids = ids.first(count);
    for (uint32_t id : ids) isWrong |= id >= typeOf.size() || typeOf[id] == 0;
    if (isWrong) return;
    bool isOfParts = what == kVectorShuffle || what == kExtract || what == kInsert;
    bool isLogical = what >= kLogicalEqual && what <= kSelect;
    for (uint32_t id : ids) {
      uint32_t type = typeOf[id];
      if (!isOfParts && what != kSelect) isWrong |= lanes[type] != lanes[operands[0]];
      if (!isOfParts && !isLogical) isWrong |= isBool[type];
    }
    if (!isOfParts) return;
    uint32_t limit = lanes[typeOf[ids.back()]];
    if (what == kVectorShuffle) {
      isWrong |= limit == 0 || lanes[typeOf[ids[0]]] == 0 || numbers.size() != lanes[operands[0]];
      limit += lanes[typeOf[ids[0]]];
    } else {
      isWrong |= numbers.size() != 1;
    }
    for (uint32_t number : numbers) isWrong |= number >= limit;
  });
  return isWrong;
}

}  // namespace

Result<Module> validated(Words words) {
  if (words.size() < kHeaderWords)
    return Reason{"not SPIR-V: " + std::to_string(words.size()) + " words, less than its header"};
  if (words[0] != kMagic) return Reason{"not SPIR-V: the first word is not its magic number"};
  if (auto errors = errorsOf(words)) return Reason{"not valid SPIR-V: " + *errors};
  if (hasWrongSpecConstantOp(words))
    return Reason{"not valid SPIR-V: an OpSpecConstantOp of what does not fit it"};
  return Module(std::move(words));
}

Result<Module> optimise(const Module& module) {
  spvtools::Optimizer passes(kEnvironment);
  passes.RegisterPerformancePasses();
  return run(passes, module, "optimise");
}

Result<Module> specialise(const Module& module, const std::map<uint32_t, Words>& values) {
  std::map<uint32_t, size_t> widths = specWidths(module);
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
  return run(passes, module, "specialise");
}

Result<std::string> disassemble(const Module& module) {
  std::string errors, text;
  spvtools::SpirvTools tools(kEnvironment);
  tools.SetMessageConsumer(into(errors));
  constexpr uint32_t kOptions =
      SPV_BINARY_TO_TEXT_OPTION_FRIENDLY_NAMES | SPV_BINARY_TO_TEXT_OPTION_INDENT;
  if (!tools.Disassemble(module.words(), &text, kOptions))
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
