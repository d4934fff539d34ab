// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// The dispatches of a kernel as GLSL compute shaders.
//
//   dispatch d (256, 1, 1) {                 layout(local_size_x = 256, local_size_x_id = 0) in;
//     tile i : i_size = 0 .. M by 1     ->   const int i = int(gl_GlobalInvocationID.x + ...);
//         parallel on grid {                 if (i < M)
//       %C[i] = add(%A[i], %B[i])              C[C_offset + i * C_stride_0] = ...
//   } }
//
// Arguments of the kernel and local tensors that are not in the dispatch are storage buffers, one
// array each; sizes, offsets, strides and attributes that the shader uses are push constants. Index
// arithmetic is of 32 bits: the host refuses what is beyond them, extents of loops within a round
// of their end included (an extent, and all invocations times the step, are below 2^31 together).
#pragma once

#include <string>
#include <vector>

#include "compiler/emit/text/shader.h"
#include "compiler/ir/ir.h"

namespace einc::emit {

struct GlslOptions {
  // Each buffer is declared once, as an array of scalars: what MSL and HLSL can be made of. Vectors
  // are then read and written lane by lane.
  bool oneBlockEach = false;
  // Loops of up to so many rounds on a workgroup's memory, without loops in them, say [[unroll]].
  int64_t unrolledRounds = 0;
  // For tests of the tests: no-barrier, drop-last, swap-strides; others plant nothing here.
  std::string plant = {};
};

// One for each dispatch, in the order of the text. `kernel` is at hardware level, and its values
// have at most four lanes; `schedule` is what was chosen and why, for the comment at the top.
std::vector<Shader> emitGlsl(const ir::Kernel& kernel, const std::string& schedule,
                             const GlslOptions& options = {});

}  // namespace einc::emit
