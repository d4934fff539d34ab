// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Kernels for a Vulkan device: shaders as SPIR-V, checked.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "compiler/driver/exit.h"
#include "compiler/emit/glsl/glsl.h"
#include "compiler/spirv/words.h"

namespace einc::driver {

struct DeviceKernel {
  ir::Kernel contract;  // structured, on tensors: what the checks follow from
  ir::Kernel code;      // at hardware level: what the host does, and the dispatches in it
  std::string schedule;
  std::vector<emit::Shader> shaders;  // one for each dispatch
  std::vector<spirv::Words>
      modules;  // of each shader: compiled, valid, and as optimised as was wanted
};

// Most of the time that a shader takes goes into optimising its SPIR-V, which its text does not need.
enum class Spirv { Optimised, AsCompiled };

// The SPIR-V of the shaders, whose interfaces, as reflected, are those that the shaders
// say. A shader that a tool refuses is a bug in Einc: printed with the tool's message (exit code
// 70).
std::variant<std::vector<spirv::Words>, ExitCode> compileShaders(
    const std::vector<emit::Shader>& shaders, Spirv spirv = Spirv::Optimised);

}  // namespace einc::driver
