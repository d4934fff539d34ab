// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What a host must know to run a module, read from the module.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/spirv/words.h"
#include "compiler/support/result.h"

namespace einc::spirv {

// Types are named as in specs, vectors by a length behind ("f32", "u8", "f32x4"); "" is any other
// type (struct, matrix, array).

// A block that is one array has the type and stride of its elements.
struct StorageBuffer {
  unsigned set = 0, binding = 0;
  std::string name;  // the block's
  bool isReadonly = false, isWriteonly = false;
  std::string element;
  unsigned stride = 0;  // in bytes; 0 where there is more than an array
  bool operator==(const StorageBuffer&) const = default;
};

struct PushConstant {
  std::string name, type;
  unsigned offset = 0, size = 0;  // in bytes
  bool operator==(const PushConstant&) const = default;
};

// The default's bits: integers extended to 64 bits by their sign, floating point as it is stored.
struct SpecConstant {
  unsigned id = 0;
  std::string name, type;  // the name may be empty
  uint64_t bits = 0;
  bool operator==(const SpecConstant&) const = default;
};

// One dimension of the workgroup. `size` is the default where a specialisation constant sets it.
struct WorkgroupDim {
  uint32_t size = 1;
  std::optional<unsigned> specConstant;  // its id
  bool operator==(const WorkgroupDim&) const = default;
};

struct Interface {
  std::vector<StorageBuffer> buffers;       // by set and binding
  std::vector<PushConstant> pushConstants;  // by offset
  unsigned pushBytes = 0;                   // of the whole block
  std::vector<SpecConstant> specConstants;  // by id
  std::array<WorkgroupDim, 3> workgroup;
  // The scalars of all shared variables, with specialisation constants at their defaults (for
  // others see specialise); a bool counts 4, padding is the driver's affair. Nothing if it cannot
  // be told.
  std::optional<uint64_t> sharedBytes;
  std::vector<std::string> capabilities;  // sorted: "Float64", "Shader", ...
  bool operator==(const Interface&) const = default;
};

// Refuses modules that are not one compute shader, and resources that are neither
// storage buffers nor push constants. (As does cross.h, array lengths that come from parts of
// vectors, such as gl_WorkGroupSize.yx.)
Result<Interface> reflect(const Module& module);

// A line for each fact.
std::string str(const Interface& interface);

}  // namespace einc::spirv
