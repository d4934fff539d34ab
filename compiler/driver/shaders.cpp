// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/shaders.h"

#include <algorithm>
#include <set>

#include "compiler/spirv/compile.h"
#include "compiler/spirv/reflect.h"
#include "compiler/spirv/tools.h"
#include "compiler/support/text_writer.h"

namespace einc::driver {
namespace {

using ir::ScalarType;
using Kind = emit::ShaderConstant::Kind;

// What SPIR-V calls the elements of a storage buffer.
std::string elementName(ScalarType type) {
  if (type == ScalarType::Bool) return "u8";
  if (type == ScalarType::BF16) return "u16";
  return std::string(ir::info(type).name);
}

// A sentence if a block is not what the shader says of its buffer.
std::string problemOf(const spirv::StorageBuffer& block, const emit::Shader& shader,
                      const emit::ShaderBuffer& buffer) {
  std::string scalar = elementName(buffer.type), name = "block " + block.name;
  unsigned lanes = 1;
  for (unsigned n : {2u, 4u})
    if (block.element == scalar + "x" + std::to_string(n)) lanes = n;
  if (lanes == 1 && block.element != scalar)
    return name + " is of '" + block.element + "', not '" + scalar + "'";
  if (block.stride != lanes * ir::info(buffer.type).bytes())
    return name + " has elements " + std::to_string(block.stride) + " bytes apart";
  if (block.isReadonly != !buffer.isWritten || block.isWriteonly != !buffer.isRead)
    return name + " is not read and written as " + shader.name + " says";
  return "";
}

std::string buffersProblem(const spirv::Interface& found, const emit::Shader& shader) {
  size_t count = shader.buffers.size() + (shader.constantsInBuffer ? 1 : 0);
  std::set<unsigned> bindings;
  for (const spirv::StorageBuffer& block : found.buffers) {
    bindings.insert(block.binding);
    if (block.set != 0 || block.binding >= count)
      return "block " + block.name + " has binding " + std::to_string(block.binding);
    if (block.binding == shader.buffers.size()) {
      if (!block.isReadonly) return "the constants may be written";
      continue;
    }
    const emit::ShaderBuffer& buffer = shader.buffers[block.binding];
    std::string problem = problemOf(block, shader, buffer);
    if (!problem.empty()) return problem;
  }
  return bindings.size() == count ? "" : "there are not " + std::to_string(count) + " bindings";
}

std::vector<spirv::PushConstant> pushConstants(const emit::Shader& shader) {
  std::vector<spirv::PushConstant> result;
  for (const emit::ShaderConstant& c : shader.constants) {
    if (c.kind == Kind::Base) {
      for (unsigned d = 0; d < 3; ++d)
        result.push_back({c.name + "_" + static_cast<char>('x' + d), "u32", c.offset + 4 * d, 4});
    } else if (!shader.constantsInBuffer) {
      result.push_back(
          {c.name, std::string(ir::info(c.type).name), c.offset, ir::info(c.type).bytes()});
    }
  }
  return result;
}

// Why the interface is not what the shader says; empty if it is.
std::string problemOf(const spirv::Interface& found, const emit::Shader& shader) {
  std::string problem = buffersProblem(found, shader);
  if (!problem.empty()) return problem;
  for (size_t d = 0; d < 3; ++d) {
    bool isChosen = d == 0 && shader.choosesSize;
    auto constant = isChosen ? std::optional(emit::kSizeConstant) : std::nullopt;
    if (found.workgroup[d].size != shader.invocations[d]) return "the workgroup is of another size";
    if (found.workgroup[d].specConstant != constant)
      return std::string("the workgroup's size is ") + (isChosen ? "fixed" : "not fixed");
  }
  if (found.specConstants.size() != (shader.choosesSize ? 1 : 0))
    return "the specialisation constants are others";
  if (found.sharedBytes.value_or(0) != shader.sharedBytes)
    return "shared memory is not " + std::to_string(shader.sharedBytes) + " bytes";
  if (found.pushConstants != pushConstants(shader)) return "the push constants are others";
  if (found.pushBytes != shader.pushBytes)
    return "the push constants are not " + std::to_string(shader.pushBytes) + " bytes";
  return "";
}

// What optimising may change: push constants go if nothing reads them, as does shared memory.
std::string changeOf(const spirv::Interface& before, spirv::Interface after) {
  if (after.pushConstants.empty()) {
    after.pushConstants = before.pushConstants;
    after.pushBytes = before.pushBytes;
  }
  after.sharedBytes = before.sharedBytes;
  after.capabilities = before.capabilities;
  return before == after ? "" : "spirv-opt has changed the interface to\n" + spirv::str(after);
}

Result<spirv::Module> compiled(const emit::Shader& shader, Spirv wanted) {
  auto words = spirv::compile(shader.text, shader.name + ".comp");
  if (!words) return Reason{words.reason()};
  auto module = spirv::validated(std::move(*words));
  if (!module) return Reason{module.reason()};
  auto interface = spirv::reflect(*module);
  if (!interface) return Reason{interface.reason()};
  if (std::string problem = problemOf(*interface, shader); !problem.empty())
    return Reason{problem + "; the interface is\n" + spirv::str(*interface)};
  if (wanted == Spirv::AsCompiled) return module;
  auto optimised = spirv::optimise(*module);
  if (!optimised) return Reason{optimised.reason()};
  auto after = spirv::reflect(*optimised);
  if (!after) return Reason{after.reason()};
  if (std::string change = changeOf(*interface, *after); !change.empty()) return Reason{change};
  return optimised;
}

}  // namespace

std::variant<std::vector<spirv::Words>, ExitCode> compileShaders(
    const std::vector<emit::Shader>& shaders, Spirv spirv) {
  std::vector<spirv::Words> modules;
  for (const emit::Shader& shader : shaders) {
    auto module = compiled(shader, spirv);
    if (!module) {
      failInternally("shader " + shader.name + ": " + module.reason(), shader.text);
      return kInternalError;
    }
    modules.push_back(module->words());
  }
  return modules;
}

}  // namespace einc::driver
