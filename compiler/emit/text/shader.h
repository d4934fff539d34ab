// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// A compute shader, and what a host must know to run it: glsl/ makes it, and C of a host (c/device.h)
// binds what it takes.
#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "compiler/ir/ir.h"

namespace einc::emit {

// A storage buffer, at binding 0, 1, ... of set 0 in the order of Shader::buffers.
struct ShaderBuffer {
  unsigned tensor;  // an argument, or a local tensor in the heap, which is row-major from 0 on
  bool isRead, isWritten;
  ir::ScalarType type = ir::ScalarType::F32;  // of an element
};

// A push constant; or in a buffer (Shader::constantsInBuffer), all but Base.
struct ShaderConstant {
  enum class Kind : uint8_t {
    Symbol,     // a name of index expressions that has its value outside the dispatch: a size, an
                // integer attribute, a bound, the variable or size of a loop around it; i32
    Offset,     // of an argument: its element 0 from the start of the buffer, in elements; i32
    Stride,     // of an argument, along `dim`, in elements; i32
    Attribute,  // an element of an attribute, or a scalar parameter; of its type, as GLSL keeps it
                // in registers (glsl/values.h): a bool is a u32 that is 0 or 1, f16 and bf16 are
                // f32
    Base        // the first workgroup, three u32 (runtime/vulkan/vk.h, `splits`), whose names are
                // this one and _x, _y, _z
  };
  Kind kind;
  std::string name;              // in the shader
  std::string symbol = {};       // Symbol
  unsigned tensor = 0, dim = 0;  // Offset, Stride
  ir::AttributeRef attribute = {};
  ir::ScalarType type = ir::ScalarType::I32;  // in the block
  unsigned offset = 0;                        // in bytes, from the start of the block
};

constexpr unsigned kSizeConstant = 0;

struct Shader {
  std::string name;  // "softmax_rows": the kernel's and the dispatch's
  std::string dispatch;
  std::string text;  // GLSL 450
  std::array<int64_t, 3> invocations;
  std::array<affine::Expr, 3> workgroups;  // along x, y, z; over symbols of the host
  // On a grid nothing depends on how many invocations a workgroup has. Then specialisation constant
  // kSizeConstant is its size along x, of which `invocations` has the default, the host chooses it
  // for the device (prelude/device.h has the rule), and workgroups[0] counts invocations.
  bool choosesSize = false;
  std::vector<ShaderBuffer> buffers;
  std::vector<ShaderConstant> constants;  // by offset; Base is always there, last
  unsigned pushBytes = 0;                 // a multiple of 4, and at most 128
  // Push constants of more than 128 bytes, which not all devices have: all but Base are in one more
  // storage buffer, whose binding is the last, and begin at its start; Base alone is pushed, at 0.
  bool constantsInBuffer = false;
  unsigned constantBytes = 0;      // of that buffer
  uint64_t sharedBytes = 0;        // of a workgroup
  std::set<std::string> features;  // glsl/prelude.h
};

}  // namespace einc::emit
