// add_grid
#version 450
// add, grid
//
// op (m: parallel, n: parallel) ins(%A[m, n], %B[m, n]) outs(%C[m, n]) { (a, b, c) -> add(a, b) }
// line
// an invocation for each position of 'm', 'n'
// workgroups of 128 invocations, or as many as the device has, if they are fewer
// where neighbours lie together, four positions to an invocation
// loads an iteration, at best: line 0.0938, vectors 0.0938, flat 3
//
// Of this, what is done where
//   0 < M and 0 < N and unit %A[m floordiv N, m mod N] along m and aligned %A[m floordiv N, m mod N] along m to 16 and unit %B[m floordiv N, m mod N] along m and aligned %B[m floordiv N, m mod N] along m to 16 and unit %C[m floordiv N, m mod N] along m and aligned %C[m floordiv N, m mod N] along m to 16 and ((M * N) mod 4) == 0

layout(local_size_x = 128, local_size_x_id = 0) in;
layout(set = 0, binding = 0, std430) readonly buffer A_x4_block { vec4 A_x4[]; };
layout(set = 0, binding = 1, std430) readonly buffer B_x4_block { vec4 B_x4[]; };
layout(set = 0, binding = 2, std430) writeonly buffer C_x4_block { precise vec4 C_x4[]; };
layout(push_constant) uniform Push {
  int positions;
  int A_offset;
  int B_offset;
  int C_offset;
  uint base_x, base_y, base_z;  // the first workgroup
};

void main() {
  const int m02 = int(gl_GlobalInvocationID.x + base_x * gl_WorkGroupSize.x) * 4;
  if (m02 < positions) {
    {
      precise vec4 a2 = A_x4[(A_offset + m02) >> 2];
      precise vec4 b2 = B_x4[(B_offset + m02) >> 2];
      C_x4[(C_offset + m02) >> 2] = a2 + b2;
    }
  }
}

// add_grid1
#version 450
// add, grid1
//
// op (m: parallel, n: parallel) ins(%A[m, n], %B[m, n]) outs(%C[m, n]) { (a, b, c) -> add(a, b) }
// line
// an invocation for each position of 'm', 'n'
// workgroups of 128 invocations, or as many as the device has, if they are fewer
// where neighbours lie together, four positions to an invocation
// loads an iteration, at best: line 0.0938, vectors 0.0938, flat 3
//
// Of this, what is done where
//   not (0 < M and 0 < N and unit %A[m floordiv N, m mod N] along m and aligned %A[m floordiv N, m mod N] along m to 16 and unit %B[m floordiv N, m mod N] along m and aligned %B[m floordiv N, m mod N] along m to 16 and unit %C[m floordiv N, m mod N] along m and aligned %C[m floordiv N, m mod N] along m to 16 and ((M * N) mod 4) == 0)
//   and unit %A[1] and aligned %A[1] to 16 and unit %B[1] and aligned %B[1] to 16 and unit %C[1] and aligned %C[1] to 16 and (N mod 4) == 0

layout(local_size_x = 128, local_size_x_id = 0) in;
layout(set = 0, binding = 0, std430) readonly buffer A_x4_block { vec4 A_x4[]; };
layout(set = 0, binding = 1, std430) readonly buffer B_x4_block { vec4 B_x4[]; };
layout(set = 0, binding = 2, std430) writeonly buffer C_x4_block { precise vec4 C_x4[]; };
layout(push_constant) uniform Push {
  int positions1, n01_count;
  int A_offset, A_stride_0;
  int B_offset, B_stride_0;
  int C_offset, C_stride_0;
  uint base_x, base_y, base_z;  // the first workgroup
};

void main() {
  const int i = int(gl_GlobalInvocationID.x + base_x * gl_WorkGroupSize.x);
  if (i < positions1) {
    const int m01 = (i / n01_count);
    const int n01 = (i % n01_count) * 4;
    {
      precise vec4 a11 = A_x4[(A_offset + m01 * A_stride_0 + n01) >> 2];
      precise vec4 b11 = B_x4[(B_offset + m01 * B_stride_0 + n01) >> 2];
      C_x4[(C_offset + m01 * C_stride_0 + n01) >> 2] = a11 + b11;
    }
  }
}

// add_grid2
#version 450
// add, grid2
//
// op (m: parallel, n: parallel) ins(%A[m, n], %B[m, n]) outs(%C[m, n]) { (a, b, c) -> add(a, b) }
// line
// an invocation for each position of 'm', 'n'
// workgroups of 128 invocations, or as many as the device has, if they are fewer
// where neighbours lie together, four positions to an invocation
// loads an iteration, at best: line 0.0938, vectors 0.0938, flat 3
//
// Of this, what is done where
//   not (0 < M and 0 < N and unit %A[m floordiv N, m mod N] along m and aligned %A[m floordiv N, m mod N] along m to 16 and unit %B[m floordiv N, m mod N] along m and aligned %B[m floordiv N, m mod N] along m to 16 and unit %C[m floordiv N, m mod N] along m and aligned %C[m floordiv N, m mod N] along m to 16 and ((M * N) mod 4) == 0)
//   and not (unit %A[1] and aligned %A[1] to 16 and unit %B[1] and aligned %B[1] to 16 and unit %C[1] and aligned %C[1] to 16 and (N mod 4) == 0)

layout(local_size_x = 128, local_size_x_id = 0) in;
layout(set = 0, binding = 0, std430) readonly buffer A_block { float A[]; };
layout(set = 0, binding = 1, std430) readonly buffer B_block { float B[]; };
layout(set = 0, binding = 2, std430) writeonly buffer C_block { precise float C[]; };
layout(push_constant) uniform Push {
  int N, positions2;
  int A_offset, A_stride_0, A_stride_1;
  int B_offset, B_stride_0, B_stride_1;
  int C_offset, C_stride_0, C_stride_1;
  uint base_x, base_y, base_z;  // the first workgroup
};

void main() {
  const int i1 = int(gl_GlobalInvocationID.x + base_x * gl_WorkGroupSize.x);
  if (i1 < positions2) {
    const int m0 = (i1 / N);
    const int n0 = (i1 % N);
    C[C_offset + m0 * C_stride_0 + n0 * C_stride_1] = A[A_offset + m0 * A_stride_0 + n0 * A_stride_1] + B[B_offset + m0 * B_stride_0 + n0 * B_stride_1];
  }
}
