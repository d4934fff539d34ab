// matmul_tiles
#version 450
// matmul, tiles
//
// op (m: parallel, n: parallel, k: reduction) ins(%A[m, k], %B[k, n]) outs(%C[m, n]) { (a, b, c) -> add(c, mul(a, b)) }
// contraction
// M = {m}, N = {n}, K = {k}: tiles in shared memory, sums in registers
// mr = 8: the sums of an invocation take 32 of vulkan's 64 registers
// nr = 4: the sums of an invocation take 32 of vulkan's 64 registers
// rows = 8: 128 of vulkan's 128 invocations make tiles of 64 x 64
// columns = 16: 128 of vulkan's 128 invocations make tiles of 64 x 64
// kt = 16: so many terms of both operands take 8192 of vulkan's 16384 bytes of shared memory
// where these would make workgroups for fewer than 8 of 16 units:
// mr = 4: the sums of an invocation take 16 of vulkan's 64 registers
// nr = 4: the sums of an invocation take 16 of vulkan's 64 registers
// rows = 8: 64 of vulkan's 128 invocations make tiles of 32 x 32
// columns = 8: 64 of vulkan's 128 invocations make tiles of 32 x 32
// kt = 16: so many terms of both operands take 4096 of vulkan's 16384 bytes of shared memory
// fewest = 16: where M and N have so many positions each; else an invocation for each position, as most of a tile would be empty
//
// Of this, what is done where
//   16 <= M and 16 <= N
//   and 8 <= (((-M) floordiv 64) * ((-N) floordiv 64))
#extension GL_EXT_control_flow_attributes : require

layout(local_size_x = 16, local_size_y = 8) in;
layout(set = 0, binding = 0, std430) readonly buffer A_block { float A[]; };
layout(set = 0, binding = 1, std430) readonly buffer B_block { float B[]; };
layout(set = 0, binding = 2, std430) buffer C_block { precise float C[]; };
layout(push_constant) uniform Push {
  int M, K, N;
  int A_offset, A_stride_0, A_stride_1;
  int B_offset, B_stride_0, B_stride_1;
  int C_offset, C_stride_0, C_stride_1;
  uint base_x, base_y, base_z;  // the first workgroup
};
shared precise vec4 A_tile[272];
shared precise vec4 B_tile[272];

void main() {
  const int m0 = int(gl_WorkGroupID.y + base_y) * 64;
  const int m0_size = min(64, M - m0);
  const int n0 = int(gl_WorkGroupID.x + base_x) * 64;
  const int n0_size = min(64, N - n0);
  precise vec4 C_sums[8];
  {
    const int ty = int(gl_LocalInvocationID.y);
    const int tx = int(gl_LocalInvocationID.x);
    const int rows = min(8, m0_size - ty * 8);
    const int columns = min(4, n0_size - tx * 4);
    if (1 <= rows && 1 <= columns) {
      {
        const int C_at = C_offset + (m0 + ty * 8) * C_stride_0 + (n0 + tx * 4) * C_stride_1;
        precise vec4 c_0 = (0 < rows ? vec4((0 < columns ? C[C_at] : 0.0), (1 < columns ? C[C_at + C_stride_1] : 0.0), (2 < columns ? C[C_at + 2 * C_stride_1] : 0.0), (3 < columns ? C[C_at + 3 * C_stride_1] : 0.0)) : vec4(0.0));
        C_sums[0] = c_0;
        const int C_at1 = C_offset + (m0 + ty * 8 + 1) * C_stride_0 + (n0 + tx * 4) * C_stride_1;
        precise vec4 c_1 = (1 < rows ? vec4((0 < columns ? C[C_at1] : 0.0), (1 < columns ? C[C_at1 + C_stride_1] : 0.0), (2 < columns ? C[C_at1 + 2 * C_stride_1] : 0.0), (3 < columns ? C[C_at1 + 3 * C_stride_1] : 0.0)) : vec4(0.0));
        C_sums[1] = c_1;
        const int C_at2 = C_offset + (m0 + ty * 8 + 2) * C_stride_0 + (n0 + tx * 4) * C_stride_1;
        precise vec4 c_2 = (2 < rows ? vec4((0 < columns ? C[C_at2] : 0.0), (1 < columns ? C[C_at2 + C_stride_1] : 0.0), (2 < columns ? C[C_at2 + 2 * C_stride_1] : 0.0), (3 < columns ? C[C_at2 + 3 * C_stride_1] : 0.0)) : vec4(0.0));
        C_sums[2] = c_2;
        const int C_at3 = C_offset + (m0 + ty * 8 + 3) * C_stride_0 + (n0 + tx * 4) * C_stride_1;
        precise vec4 c_3 = (3 < rows ? vec4((0 < columns ? C[C_at3] : 0.0), (1 < columns ? C[C_at3 + C_stride_1] : 0.0), (2 < columns ? C[C_at3 + 2 * C_stride_1] : 0.0), (3 < columns ? C[C_at3 + 3 * C_stride_1] : 0.0)) : vec4(0.0));
        C_sums[3] = c_3;
        const int C_at4 = C_offset + (m0 + ty * 8 + 4) * C_stride_0 + (n0 + tx * 4) * C_stride_1;
        precise vec4 c_4 = (4 < rows ? vec4((0 < columns ? C[C_at4] : 0.0), (1 < columns ? C[C_at4 + C_stride_1] : 0.0), (2 < columns ? C[C_at4 + 2 * C_stride_1] : 0.0), (3 < columns ? C[C_at4 + 3 * C_stride_1] : 0.0)) : vec4(0.0));
        C_sums[4] = c_4;
        const int C_at5 = C_offset + (m0 + ty * 8 + 5) * C_stride_0 + (n0 + tx * 4) * C_stride_1;
        precise vec4 c_5 = (5 < rows ? vec4((0 < columns ? C[C_at5] : 0.0), (1 < columns ? C[C_at5 + C_stride_1] : 0.0), (2 < columns ? C[C_at5 + 2 * C_stride_1] : 0.0), (3 < columns ? C[C_at5 + 3 * C_stride_1] : 0.0)) : vec4(0.0));
        C_sums[5] = c_5;
        const int C_at6 = C_offset + (m0 + ty * 8 + 6) * C_stride_0 + (n0 + tx * 4) * C_stride_1;
        precise vec4 c_6 = (6 < rows ? vec4((0 < columns ? C[C_at6] : 0.0), (1 < columns ? C[C_at6 + C_stride_1] : 0.0), (2 < columns ? C[C_at6 + 2 * C_stride_1] : 0.0), (3 < columns ? C[C_at6 + 3 * C_stride_1] : 0.0)) : vec4(0.0));
        C_sums[6] = c_6;
        const int C_at7 = C_offset + (m0 + ty * 8 + 7) * C_stride_0 + (n0 + tx * 4) * C_stride_1;
        precise vec4 c_7 = (7 < rows ? vec4((0 < columns ? C[C_at7] : 0.0), (1 < columns ? C[C_at7 + C_stride_1] : 0.0), (2 < columns ? C[C_at7 + 2 * C_stride_1] : 0.0), (3 < columns ? C[C_at7 + 3 * C_stride_1] : 0.0)) : vec4(0.0));
        C_sums[7] = c_7;
      }
    }
  }
  for (int k0 = 0; k0 < K; k0 += 16) {
    const int k0_size = min(16, K - k0);
    if (A_stride_1 == 1) {
      [[unroll]] for (int turn = 0; turn < 8; ++turn) {
        const int i = int(gl_LocalInvocationIndex);
        const int m04 = turn * 8 + (i >> 4);
        const int k02 = (i & 15);
        A_tile[(k02 * 68 + m04) >> 2][(k02 * 68 + m04) & 3] = (m04 < m0_size && k02 < k0_size ? A[A_offset + (m0 + m04) * A_stride_0 + k0 + k02] : 0.0);
      }
    } else {
      [[unroll]] for (int turn1 = 0; turn1 < 8; ++turn1) {
        const int i1 = int(gl_LocalInvocationIndex);
        const int k03 = turn1 * 2 + (i1 >> 6);
        const int m05 = (i1 & 63);
        A_tile[(k03 * 68 + m05) >> 2][(k03 * 68 + m05) & 3] = (m05 < m0_size && k03 < k0_size ? A[A_offset + (m0 + m05) * A_stride_0 + (k0 + k03) * A_stride_1] : 0.0);
      }
    }
    if (B_stride_0 == 1) {
      [[unroll]] for (int turn2 = 0; turn2 < 8; ++turn2) {
        const int i2 = int(gl_LocalInvocationIndex);
        const int n04 = turn2 * 8 + (i2 >> 4);
        const int k04 = (i2 & 15);
        B_tile[(k04 * 68 + n04) >> 2][(k04 * 68 + n04) & 3] = (k04 < k0_size && n04 < n0_size ? B[B_offset + k0 + k04 + (n0 + n04) * B_stride_1] : 0.0);
      }
    } else {
      [[unroll]] for (int turn3 = 0; turn3 < 8; ++turn3) {
        const int i3 = int(gl_LocalInvocationIndex);
        const int k05 = turn3 * 2 + (i3 >> 6);
        const int n05 = (i3 & 63);
        B_tile[(k05 * 68 + n05) >> 2][(k05 * 68 + n05) & 3] = (k05 < k0_size && n05 < n0_size ? B[B_offset + (k0 + k05) * B_stride_0 + (n0 + n05) * B_stride_1] : 0.0);
      }
    }
    barrier();
    if (k0_size == 16) {
      const int ty1 = int(gl_LocalInvocationID.y);
      const int tx1 = int(gl_LocalInvocationID.x);
      {
        precise vec4 c_sums1_0 = C_sums[0];
        precise vec4 c_sums1_1 = C_sums[1];
        precise vec4 c_sums1_2 = C_sums[2];
        precise vec4 c_sums1_3 = C_sums[3];
        precise vec4 c_sums1_4 = C_sums[4];
        precise vec4 c_sums1_5 = C_sums[5];
        precise vec4 c_sums1_6 = C_sums[6];
        precise vec4 c_sums1_7 = C_sums[7];
        [[unroll]] for (int k = 0; k < 16; ++k) {
          precise vec4 b_tile2 = B_tile[k * 17 + tx1];
          precise vec4 a_tile_row = A_tile[k * 17 + ty1 * 2];
          precise vec4 a_tile_0 = vec4(a_tile_row.x);
          c_sums1_0 = fma(a_tile_0, b_tile2, c_sums1_0);
          precise vec4 a_tile_1 = vec4(a_tile_row.y);
          c_sums1_1 = fma(a_tile_1, b_tile2, c_sums1_1);
          precise vec4 a_tile_2 = vec4(a_tile_row.z);
          c_sums1_2 = fma(a_tile_2, b_tile2, c_sums1_2);
          precise vec4 a_tile_3 = vec4(a_tile_row.w);
          c_sums1_3 = fma(a_tile_3, b_tile2, c_sums1_3);
          precise vec4 a_tile_row1 = A_tile[k * 17 + ty1 * 2 + 1];
          precise vec4 a_tile_4 = vec4(a_tile_row1.x);
          c_sums1_4 = fma(a_tile_4, b_tile2, c_sums1_4);
          precise vec4 a_tile_5 = vec4(a_tile_row1.y);
          c_sums1_5 = fma(a_tile_5, b_tile2, c_sums1_5);
          precise vec4 a_tile_6 = vec4(a_tile_row1.z);
          c_sums1_6 = fma(a_tile_6, b_tile2, c_sums1_6);
          precise vec4 a_tile_7 = vec4(a_tile_row1.w);
          c_sums1_7 = fma(a_tile_7, b_tile2, c_sums1_7);
        }
        C_sums[0] = c_sums1_0;
        C_sums[1] = c_sums1_1;
        C_sums[2] = c_sums1_2;
        C_sums[3] = c_sums1_3;
        C_sums[4] = c_sums1_4;
        C_sums[5] = c_sums1_5;
        C_sums[6] = c_sums1_6;
        C_sums[7] = c_sums1_7;
      }
    } else {
      const int ty2 = int(gl_LocalInvocationID.y);
      const int tx2 = int(gl_LocalInvocationID.x);
      {
        precise vec4 c_sums2_0 = C_sums[0];
        precise vec4 c_sums2_1 = C_sums[1];
        precise vec4 c_sums2_2 = C_sums[2];
        precise vec4 c_sums2_3 = C_sums[3];
        precise vec4 c_sums2_4 = C_sums[4];
        precise vec4 c_sums2_5 = C_sums[5];
        precise vec4 c_sums2_6 = C_sums[6];
        precise vec4 c_sums2_7 = C_sums[7];
        for (int k = 0; k < k0_size; ++k) {
          precise vec4 b_tile13 = B_tile[k * 17 + tx2];
          precise vec4 a_tile1_row = A_tile[k * 17 + ty2 * 2];
          precise vec4 a_tile1_0 = vec4(a_tile1_row.x);
          c_sums2_0 = fma(a_tile1_0, b_tile13, c_sums2_0);
          precise vec4 a_tile1_1 = vec4(a_tile1_row.y);
          c_sums2_1 = fma(a_tile1_1, b_tile13, c_sums2_1);
          precise vec4 a_tile1_2 = vec4(a_tile1_row.z);
          c_sums2_2 = fma(a_tile1_2, b_tile13, c_sums2_2);
          precise vec4 a_tile1_3 = vec4(a_tile1_row.w);
          c_sums2_3 = fma(a_tile1_3, b_tile13, c_sums2_3);
          precise vec4 a_tile1_row1 = A_tile[k * 17 + ty2 * 2 + 1];
          precise vec4 a_tile1_4 = vec4(a_tile1_row1.x);
          c_sums2_4 = fma(a_tile1_4, b_tile13, c_sums2_4);
          precise vec4 a_tile1_5 = vec4(a_tile1_row1.y);
          c_sums2_5 = fma(a_tile1_5, b_tile13, c_sums2_5);
          precise vec4 a_tile1_6 = vec4(a_tile1_row1.z);
          c_sums2_6 = fma(a_tile1_6, b_tile13, c_sums2_6);
          precise vec4 a_tile1_7 = vec4(a_tile1_row1.w);
          c_sums2_7 = fma(a_tile1_7, b_tile13, c_sums2_7);
        }
        C_sums[0] = c_sums2_0;
        C_sums[1] = c_sums2_1;
        C_sums[2] = c_sums2_2;
        C_sums[3] = c_sums2_3;
        C_sums[4] = c_sums2_4;
        C_sums[5] = c_sums2_5;
        C_sums[6] = c_sums2_6;
        C_sums[7] = c_sums2_7;
      }
    }
    barrier();
  }
  barrier();
  {
    const int ty3 = int(gl_LocalInvocationID.y);
    const int tx3 = int(gl_LocalInvocationID.x);
    const int rows1 = min(8, m0_size - ty3 * 8);
    const int columns1 = min(4, n0_size - tx3 * 4);
    if (1 <= rows1 && 1 <= columns1) {
      if (rows1 == 8 && columns1 == 4) {
        precise vec4 c_sums3_0 = C_sums[0];
        const int C_at8 = C_offset + (m0 + ty3 * 8) * C_stride_0 + (n0 + tx3 * 4) * C_stride_1;
        C[C_at8] = c_sums3_0.x;
        C[C_at8 + C_stride_1] = c_sums3_0.y;
        C[C_at8 + 2 * C_stride_1] = c_sums3_0.z;
        C[C_at8 + 3 * C_stride_1] = c_sums3_0.w;
        precise vec4 c_sums3_1 = C_sums[1];
        const int C_at9 = C_offset + (m0 + ty3 * 8 + 1) * C_stride_0 + (n0 + tx3 * 4) * C_stride_1;
        C[C_at9] = c_sums3_1.x;
        C[C_at9 + C_stride_1] = c_sums3_1.y;
        C[C_at9 + 2 * C_stride_1] = c_sums3_1.z;
        C[C_at9 + 3 * C_stride_1] = c_sums3_1.w;
        precise vec4 c_sums3_2 = C_sums[2];
        const int C_at10 = C_offset + (m0 + ty3 * 8 + 2) * C_stride_0 + (n0 + tx3 * 4) * C_stride_1;
        C[C_at10] = c_sums3_2.x;
        C[C_at10 + C_stride_1] = c_sums3_2.y;
        C[C_at10 + 2 * C_stride_1] = c_sums3_2.z;
        C[C_at10 + 3 * C_stride_1] = c_sums3_2.w;
        precise vec4 c_sums3_3 = C_sums[3];
        const int C_at11 = C_offset + (m0 + ty3 * 8 + 3) * C_stride_0 + (n0 + tx3 * 4) * C_stride_1;
        C[C_at11] = c_sums3_3.x;
        C[C_at11 + C_stride_1] = c_sums3_3.y;
        C[C_at11 + 2 * C_stride_1] = c_sums3_3.z;
        C[C_at11 + 3 * C_stride_1] = c_sums3_3.w;
        precise vec4 c_sums3_4 = C_sums[4];
        const int C_at12 = C_offset + (m0 + ty3 * 8 + 4) * C_stride_0 + (n0 + tx3 * 4) * C_stride_1;
        C[C_at12] = c_sums3_4.x;
        C[C_at12 + C_stride_1] = c_sums3_4.y;
        C[C_at12 + 2 * C_stride_1] = c_sums3_4.z;
        C[C_at12 + 3 * C_stride_1] = c_sums3_4.w;
        precise vec4 c_sums3_5 = C_sums[5];
        const int C_at13 = C_offset + (m0 + ty3 * 8 + 5) * C_stride_0 + (n0 + tx3 * 4) * C_stride_1;
        C[C_at13] = c_sums3_5.x;
        C[C_at13 + C_stride_1] = c_sums3_5.y;
        C[C_at13 + 2 * C_stride_1] = c_sums3_5.z;
        C[C_at13 + 3 * C_stride_1] = c_sums3_5.w;
        precise vec4 c_sums3_6 = C_sums[6];
        const int C_at14 = C_offset + (m0 + ty3 * 8 + 6) * C_stride_0 + (n0 + tx3 * 4) * C_stride_1;
        C[C_at14] = c_sums3_6.x;
        C[C_at14 + C_stride_1] = c_sums3_6.y;
        C[C_at14 + 2 * C_stride_1] = c_sums3_6.z;
        C[C_at14 + 3 * C_stride_1] = c_sums3_6.w;
        precise vec4 c_sums3_7 = C_sums[7];
        const int C_at15 = C_offset + (m0 + ty3 * 8 + 7) * C_stride_0 + (n0 + tx3 * 4) * C_stride_1;
        C[C_at15] = c_sums3_7.x;
        C[C_at15 + C_stride_1] = c_sums3_7.y;
        C[C_at15 + 2 * C_stride_1] = c_sums3_7.z;
        C[C_at15 + 3 * C_stride_1] = c_sums3_7.w;
      } else {
        precise vec4 c_sums4_0 = C_sums[0];
        const int C_at16 = C_offset + (m0 + ty3 * 8) * C_stride_0 + (n0 + tx3 * 4) * C_stride_1;
        if (0 < rows1) {
          if (0 < columns1) C[C_at16] = c_sums4_0.x;
          if (1 < columns1) C[C_at16 + C_stride_1] = c_sums4_0.y;
          if (2 < columns1) C[C_at16 + 2 * C_stride_1] = c_sums4_0.z;
          if (3 < columns1) C[C_at16 + 3 * C_stride_1] = c_sums4_0.w;
        }
        precise vec4 c_sums4_1 = C_sums[1];
        const int C_at17 = C_offset + (m0 + ty3 * 8 + 1) * C_stride_0 + (n0 + tx3 * 4) * C_stride_1;
        if (1 < rows1) {
          if (0 < columns1) C[C_at17] = c_sums4_1.x;
          if (1 < columns1) C[C_at17 + C_stride_1] = c_sums4_1.y;
          if (2 < columns1) C[C_at17 + 2 * C_stride_1] = c_sums4_1.z;
          if (3 < columns1) C[C_at17 + 3 * C_stride_1] = c_sums4_1.w;
        }
        precise vec4 c_sums4_2 = C_sums[2];
        const int C_at18 = C_offset + (m0 + ty3 * 8 + 2) * C_stride_0 + (n0 + tx3 * 4) * C_stride_1;
        if (2 < rows1) {
          if (0 < columns1) C[C_at18] = c_sums4_2.x;
          if (1 < columns1) C[C_at18 + C_stride_1] = c_sums4_2.y;
          if (2 < columns1) C[C_at18 + 2 * C_stride_1] = c_sums4_2.z;
          if (3 < columns1) C[C_at18 + 3 * C_stride_1] = c_sums4_2.w;
        }
        precise vec4 c_sums4_3 = C_sums[3];
        const int C_at19 = C_offset + (m0 + ty3 * 8 + 3) * C_stride_0 + (n0 + tx3 * 4) * C_stride_1;
        if (3 < rows1) {
          if (0 < columns1) C[C_at19] = c_sums4_3.x;
          if (1 < columns1) C[C_at19 + C_stride_1] = c_sums4_3.y;
          if (2 < columns1) C[C_at19 + 2 * C_stride_1] = c_sums4_3.z;
          if (3 < columns1) C[C_at19 + 3 * C_stride_1] = c_sums4_3.w;
        }
        precise vec4 c_sums4_4 = C_sums[4];
        const int C_at20 = C_offset + (m0 + ty3 * 8 + 4) * C_stride_0 + (n0 + tx3 * 4) * C_stride_1;
        if (4 < rows1) {
          if (0 < columns1) C[C_at20] = c_sums4_4.x;
          if (1 < columns1) C[C_at20 + C_stride_1] = c_sums4_4.y;
          if (2 < columns1) C[C_at20 + 2 * C_stride_1] = c_sums4_4.z;
          if (3 < columns1) C[C_at20 + 3 * C_stride_1] = c_sums4_4.w;
        }
        precise vec4 c_sums4_5 = C_sums[5];
        const int C_at21 = C_offset + (m0 + ty3 * 8 + 5) * C_stride_0 + (n0 + tx3 * 4) * C_stride_1;
        if (5 < rows1) {
          if (0 < columns1) C[C_at21] = c_sums4_5.x;
          if (1 < columns1) C[C_at21 + C_stride_1] = c_sums4_5.y;
          if (2 < columns1) C[C_at21 + 2 * C_stride_1] = c_sums4_5.z;
          if (3 < columns1) C[C_at21 + 3 * C_stride_1] = c_sums4_5.w;
        }
        precise vec4 c_sums4_6 = C_sums[6];
        const int C_at22 = C_offset + (m0 + ty3 * 8 + 6) * C_stride_0 + (n0 + tx3 * 4) * C_stride_1;
        if (6 < rows1) {
          if (0 < columns1) C[C_at22] = c_sums4_6.x;
          if (1 < columns1) C[C_at22 + C_stride_1] = c_sums4_6.y;
          if (2 < columns1) C[C_at22 + 2 * C_stride_1] = c_sums4_6.z;
          if (3 < columns1) C[C_at22 + 3 * C_stride_1] = c_sums4_6.w;
        }
        precise vec4 c_sums4_7 = C_sums[7];
        const int C_at23 = C_offset + (m0 + ty3 * 8 + 7) * C_stride_0 + (n0 + tx3 * 4) * C_stride_1;
        if (7 < rows1) {
          if (0 < columns1) C[C_at23] = c_sums4_7.x;
          if (1 < columns1) C[C_at23 + C_stride_1] = c_sums4_7.y;
          if (2 < columns1) C[C_at23 + 2 * C_stride_1] = c_sums4_7.z;
          if (3 < columns1) C[C_at23 + 3 * C_stride_1] = c_sums4_7.w;
        }
      }
    }
  }
}

// matmul_tiles1
#version 450
// matmul, tiles1
//
// op (m: parallel, n: parallel, k: reduction) ins(%A[m, k], %B[k, n]) outs(%C[m, n]) { (a, b, c) -> add(c, mul(a, b)) }
// contraction
// M = {m}, N = {n}, K = {k}: tiles in shared memory, sums in registers
// mr = 8: the sums of an invocation take 32 of vulkan's 64 registers
// nr = 4: the sums of an invocation take 32 of vulkan's 64 registers
// rows = 8: 128 of vulkan's 128 invocations make tiles of 64 x 64
// columns = 16: 128 of vulkan's 128 invocations make tiles of 64 x 64
// kt = 16: so many terms of both operands take 8192 of vulkan's 16384 bytes of shared memory
// where these would make workgroups for fewer than 8 of 16 units:
// mr = 4: the sums of an invocation take 16 of vulkan's 64 registers
// nr = 4: the sums of an invocation take 16 of vulkan's 64 registers
// rows = 8: 64 of vulkan's 128 invocations make tiles of 32 x 32
// columns = 8: 64 of vulkan's 128 invocations make tiles of 32 x 32
// kt = 16: so many terms of both operands take 4096 of vulkan's 16384 bytes of shared memory
// fewest = 16: where M and N have so many positions each; else an invocation for each position, as most of a tile would be empty
//
// Of this, what is done where
//   16 <= M and 16 <= N
//   and not (8 <= (((-M) floordiv 64) * ((-N) floordiv 64)))
#extension GL_EXT_control_flow_attributes : require

layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 0, std430) readonly buffer A_block { float A[]; };
layout(set = 0, binding = 1, std430) readonly buffer B_block { float B[]; };
layout(set = 0, binding = 2, std430) buffer C_block { precise float C[]; };
layout(push_constant) uniform Push {
  int M, K, N;
  int A_offset, A_stride_0, A_stride_1;
  int B_offset, B_stride_0, B_stride_1;
  int C_offset, C_stride_0, C_stride_1;
  uint base_x, base_y, base_z;  // the first workgroup
};
shared precise vec4 A_tile1[144];
shared precise vec4 B_tile1[144];

void main() {
  const int m01 = int(gl_WorkGroupID.y + base_y) * 32;
  const int m01_size = min(32, M - m01);
  const int n01 = int(gl_WorkGroupID.x + base_x) * 32;
  const int n01_size = min(32, N - n01);
  precise vec4 C_sums1[4];
  {
    const int ty4 = int(gl_LocalInvocationID.y);
    const int tx4 = int(gl_LocalInvocationID.x);
    const int rows2 = min(4, m01_size - ty4 * 4);
    const int columns2 = min(4, n01_size - tx4 * 4);
    if (1 <= rows2 && 1 <= columns2) {
      {
        const int C_at = C_offset + (m01 + ty4 * 4) * C_stride_0 + (n01 + tx4 * 4) * C_stride_1;
        precise vec4 c3_0 = (0 < rows2 ? vec4((0 < columns2 ? C[C_at] : 0.0), (1 < columns2 ? C[C_at + C_stride_1] : 0.0), (2 < columns2 ? C[C_at + 2 * C_stride_1] : 0.0), (3 < columns2 ? C[C_at + 3 * C_stride_1] : 0.0)) : vec4(0.0));
        C_sums1[0] = c3_0;
        const int C_at1 = C_offset + (m01 + ty4 * 4 + 1) * C_stride_0 + (n01 + tx4 * 4) * C_stride_1;
        precise vec4 c3_1 = (1 < rows2 ? vec4((0 < columns2 ? C[C_at1] : 0.0), (1 < columns2 ? C[C_at1 + C_stride_1] : 0.0), (2 < columns2 ? C[C_at1 + 2 * C_stride_1] : 0.0), (3 < columns2 ? C[C_at1 + 3 * C_stride_1] : 0.0)) : vec4(0.0));
        C_sums1[1] = c3_1;
        const int C_at2 = C_offset + (m01 + ty4 * 4 + 2) * C_stride_0 + (n01 + tx4 * 4) * C_stride_1;
        precise vec4 c3_2 = (2 < rows2 ? vec4((0 < columns2 ? C[C_at2] : 0.0), (1 < columns2 ? C[C_at2 + C_stride_1] : 0.0), (2 < columns2 ? C[C_at2 + 2 * C_stride_1] : 0.0), (3 < columns2 ? C[C_at2 + 3 * C_stride_1] : 0.0)) : vec4(0.0));
        C_sums1[2] = c3_2;
        const int C_at3 = C_offset + (m01 + ty4 * 4 + 3) * C_stride_0 + (n01 + tx4 * 4) * C_stride_1;
        precise vec4 c3_3 = (3 < rows2 ? vec4((0 < columns2 ? C[C_at3] : 0.0), (1 < columns2 ? C[C_at3 + C_stride_1] : 0.0), (2 < columns2 ? C[C_at3 + 2 * C_stride_1] : 0.0), (3 < columns2 ? C[C_at3 + 3 * C_stride_1] : 0.0)) : vec4(0.0));
        C_sums1[3] = c3_3;
      }
    }
  }
  for (int k01 = 0; k01 < K; k01 += 16) {
    const int k01_size = min(16, K - k01);
    if (A_stride_1 == 1) {
      [[unroll]] for (int turn4 = 0; turn4 < 8; ++turn4) {
        const int i4 = int(gl_LocalInvocationIndex);
        const int m06 = turn4 * 4 + (i4 >> 4);
        const int k06 = (i4 & 15);
        A_tile1[(k06 * 36 + m06) >> 2][(k06 * 36 + m06) & 3] = (m06 < m01_size && k06 < k01_size ? A[A_offset + (m01 + m06) * A_stride_0 + k01 + k06] : 0.0);
      }
    } else {
      [[unroll]] for (int turn5 = 0; turn5 < 8; ++turn5) {
        const int i5 = int(gl_LocalInvocationIndex);
        const int k07 = turn5 * 2 + (i5 >> 5);
        const int m07 = (i5 & 31);
        A_tile1[(k07 * 36 + m07) >> 2][(k07 * 36 + m07) & 3] = (m07 < m01_size && k07 < k01_size ? A[A_offset + (m01 + m07) * A_stride_0 + (k01 + k07) * A_stride_1] : 0.0);
      }
    }
    if (B_stride_0 == 1) {
      [[unroll]] for (int turn6 = 0; turn6 < 8; ++turn6) {
        const int i6 = int(gl_LocalInvocationIndex);
        const int n06 = turn6 * 4 + (i6 >> 4);
        const int k08 = (i6 & 15);
        B_tile1[(k08 * 36 + n06) >> 2][(k08 * 36 + n06) & 3] = (k08 < k01_size && n06 < n01_size ? B[B_offset + k01 + k08 + (n01 + n06) * B_stride_1] : 0.0);
      }
    } else {
      [[unroll]] for (int turn7 = 0; turn7 < 8; ++turn7) {
        const int i7 = int(gl_LocalInvocationIndex);
        const int k09 = turn7 * 2 + (i7 >> 5);
        const int n07 = (i7 & 31);
        B_tile1[(k09 * 36 + n07) >> 2][(k09 * 36 + n07) & 3] = (k09 < k01_size && n07 < n01_size ? B[B_offset + (k01 + k09) * B_stride_0 + (n01 + n07) * B_stride_1] : 0.0);
      }
    }
    barrier();
    if (k01_size == 16) {
      const int ty5 = int(gl_LocalInvocationID.y);
      const int tx5 = int(gl_LocalInvocationID.x);
      {
        precise vec4 c_sums12_0 = C_sums1[0];
        precise vec4 c_sums12_1 = C_sums1[1];
        precise vec4 c_sums12_2 = C_sums1[2];
        precise vec4 c_sums12_3 = C_sums1[3];
        [[unroll]] for (int k = 0; k < 16; ++k) {
          precise vec4 b_tile111 = B_tile1[k * 9 + tx5];
          precise vec4 a_tile11_row = A_tile1[k * 9 + ty5];
          precise vec4 a_tile11_0 = vec4(a_tile11_row.x);
          c_sums12_0 = fma(a_tile11_0, b_tile111, c_sums12_0);
          precise vec4 a_tile11_1 = vec4(a_tile11_row.y);
          c_sums12_1 = fma(a_tile11_1, b_tile111, c_sums12_1);
          precise vec4 a_tile11_2 = vec4(a_tile11_row.z);
          c_sums12_2 = fma(a_tile11_2, b_tile111, c_sums12_2);
          precise vec4 a_tile11_3 = vec4(a_tile11_row.w);
          c_sums12_3 = fma(a_tile11_3, b_tile111, c_sums12_3);
        }
        C_sums1[0] = c_sums12_0;
        C_sums1[1] = c_sums12_1;
        C_sums1[2] = c_sums12_2;
        C_sums1[3] = c_sums12_3;
      }
    } else {
      const int ty6 = int(gl_LocalInvocationID.y);
      const int tx6 = int(gl_LocalInvocationID.x);
      {
        precise vec4 c_sums13_0 = C_sums1[0];
        precise vec4 c_sums13_1 = C_sums1[1];
        precise vec4 c_sums13_2 = C_sums1[2];
        precise vec4 c_sums13_3 = C_sums1[3];
        for (int k = 0; k < k01_size; ++k) {
          precise vec4 b_tile121 = B_tile1[k * 9 + tx6];
          precise vec4 a_tile12_row = A_tile1[k * 9 + ty6];
          precise vec4 a_tile12_0 = vec4(a_tile12_row.x);
          c_sums13_0 = fma(a_tile12_0, b_tile121, c_sums13_0);
          precise vec4 a_tile12_1 = vec4(a_tile12_row.y);
          c_sums13_1 = fma(a_tile12_1, b_tile121, c_sums13_1);
          precise vec4 a_tile12_2 = vec4(a_tile12_row.z);
          c_sums13_2 = fma(a_tile12_2, b_tile121, c_sums13_2);
          precise vec4 a_tile12_3 = vec4(a_tile12_row.w);
          c_sums13_3 = fma(a_tile12_3, b_tile121, c_sums13_3);
        }
        C_sums1[0] = c_sums13_0;
        C_sums1[1] = c_sums13_1;
        C_sums1[2] = c_sums13_2;
        C_sums1[3] = c_sums13_3;
      }
    }
    barrier();
  }
  barrier();
  {
    const int ty7 = int(gl_LocalInvocationID.y);
    const int tx7 = int(gl_LocalInvocationID.x);
    const int rows3 = min(4, m01_size - ty7 * 4);
    const int columns3 = min(4, n01_size - tx7 * 4);
    if (1 <= rows3 && 1 <= columns3) {
      if (rows3 == 4 && columns3 == 4) {
        precise vec4 c_sums14_0 = C_sums1[0];
        const int C_at4 = C_offset + (m01 + ty7 * 4) * C_stride_0 + (n01 + tx7 * 4) * C_stride_1;
        C[C_at4] = c_sums14_0.x;
        C[C_at4 + C_stride_1] = c_sums14_0.y;
        C[C_at4 + 2 * C_stride_1] = c_sums14_0.z;
        C[C_at4 + 3 * C_stride_1] = c_sums14_0.w;
        precise vec4 c_sums14_1 = C_sums1[1];
        const int C_at5 = C_offset + (m01 + ty7 * 4 + 1) * C_stride_0 + (n01 + tx7 * 4) * C_stride_1;
        C[C_at5] = c_sums14_1.x;
        C[C_at5 + C_stride_1] = c_sums14_1.y;
        C[C_at5 + 2 * C_stride_1] = c_sums14_1.z;
        C[C_at5 + 3 * C_stride_1] = c_sums14_1.w;
        precise vec4 c_sums14_2 = C_sums1[2];
        const int C_at6 = C_offset + (m01 + ty7 * 4 + 2) * C_stride_0 + (n01 + tx7 * 4) * C_stride_1;
        C[C_at6] = c_sums14_2.x;
        C[C_at6 + C_stride_1] = c_sums14_2.y;
        C[C_at6 + 2 * C_stride_1] = c_sums14_2.z;
        C[C_at6 + 3 * C_stride_1] = c_sums14_2.w;
        precise vec4 c_sums14_3 = C_sums1[3];
        const int C_at7 = C_offset + (m01 + ty7 * 4 + 3) * C_stride_0 + (n01 + tx7 * 4) * C_stride_1;
        C[C_at7] = c_sums14_3.x;
        C[C_at7 + C_stride_1] = c_sums14_3.y;
        C[C_at7 + 2 * C_stride_1] = c_sums14_3.z;
        C[C_at7 + 3 * C_stride_1] = c_sums14_3.w;
      } else {
        precise vec4 c_sums15_0 = C_sums1[0];
        const int C_at8 = C_offset + (m01 + ty7 * 4) * C_stride_0 + (n01 + tx7 * 4) * C_stride_1;
        if (0 < rows3) {
          if (0 < columns3) C[C_at8] = c_sums15_0.x;
          if (1 < columns3) C[C_at8 + C_stride_1] = c_sums15_0.y;
          if (2 < columns3) C[C_at8 + 2 * C_stride_1] = c_sums15_0.z;
          if (3 < columns3) C[C_at8 + 3 * C_stride_1] = c_sums15_0.w;
        }
        precise vec4 c_sums15_1 = C_sums1[1];
        const int C_at9 = C_offset + (m01 + ty7 * 4 + 1) * C_stride_0 + (n01 + tx7 * 4) * C_stride_1;
        if (1 < rows3) {
          if (0 < columns3) C[C_at9] = c_sums15_1.x;
          if (1 < columns3) C[C_at9 + C_stride_1] = c_sums15_1.y;
          if (2 < columns3) C[C_at9 + 2 * C_stride_1] = c_sums15_1.z;
          if (3 < columns3) C[C_at9 + 3 * C_stride_1] = c_sums15_1.w;
        }
        precise vec4 c_sums15_2 = C_sums1[2];
        const int C_at10 = C_offset + (m01 + ty7 * 4 + 2) * C_stride_0 + (n01 + tx7 * 4) * C_stride_1;
        if (2 < rows3) {
          if (0 < columns3) C[C_at10] = c_sums15_2.x;
          if (1 < columns3) C[C_at10 + C_stride_1] = c_sums15_2.y;
          if (2 < columns3) C[C_at10 + 2 * C_stride_1] = c_sums15_2.z;
          if (3 < columns3) C[C_at10 + 3 * C_stride_1] = c_sums15_2.w;
        }
        precise vec4 c_sums15_3 = C_sums1[3];
        const int C_at11 = C_offset + (m01 + ty7 * 4 + 3) * C_stride_0 + (n01 + tx7 * 4) * C_stride_1;
        if (3 < rows3) {
          if (0 < columns3) C[C_at11] = c_sums15_3.x;
          if (1 < columns3) C[C_at11 + C_stride_1] = c_sums15_3.y;
          if (2 < columns3) C[C_at11 + 2 * C_stride_1] = c_sums15_3.z;
          if (3 < columns3) C[C_at11 + 3 * C_stride_1] = c_sums15_3.w;
        }
      }
    }
  }
}

// matmul_rows4
#version 450
// matmul, rows4
//
// op (m: parallel, n: parallel, k: reduction) ins(%A[m, k], %B[k, n]) outs(%C[m, n]) { (a, b, c) -> add(c, mul(a, b)) }
// contraction
// M = {m}, N = {n}, K = {k}: tiles in shared memory, sums in registers
// mr = 8: the sums of an invocation take 32 of vulkan's 64 registers
// nr = 4: the sums of an invocation take 32 of vulkan's 64 registers
// rows = 8: 128 of vulkan's 128 invocations make tiles of 64 x 64
// columns = 16: 128 of vulkan's 128 invocations make tiles of 64 x 64
// kt = 16: so many terms of both operands take 8192 of vulkan's 16384 bytes of shared memory
// where these would make workgroups for fewer than 8 of 16 units:
// mr = 4: the sums of an invocation take 16 of vulkan's 64 registers
// nr = 4: the sums of an invocation take 16 of vulkan's 64 registers
// rows = 8: 64 of vulkan's 128 invocations make tiles of 32 x 32
// columns = 8: 64 of vulkan's 128 invocations make tiles of 32 x 32
// kt = 16: so many terms of both operands take 4096 of vulkan's 16384 bytes of shared memory
// fewest = 16: where M and N have so many positions each; else an invocation for each position, as most of a tile would be empty
//
// Of this, what is done where
//   not (16 <= M and 16 <= N)
//   and 32 < K and unit %A[1]

layout(local_size_x = 32, local_size_y = 4) in;
layout(set = 0, binding = 0, std430) readonly buffer A_block { float A[]; };
layout(set = 0, binding = 1, std430) readonly buffer B_block { float B[]; };
layout(set = 0, binding = 2, std430) buffer C_block { precise float C[]; };
layout(push_constant) uniform Push {
  int K, N;
  int A_offset, A_stride_0;
  int B_offset, B_stride_0, B_stride_1;
  int C_offset, C_stride_0, C_stride_1;
  uint base_x, base_y, base_z;  // the first workgroup
};
shared precise float parts[128];

void main() {
  const int m02 = int(gl_WorkGroupID.y + base_y);
  const int n02 = int(gl_WorkGroupID.x + base_x) * 4;
  const int n02_size = min(4, N - n02);
  {
    const int r = int(gl_LocalInvocationID.y);
    const int t = int(gl_LocalInvocationID.x);
    if (r < n02_size) {
      const int k_count = -((-K + t) >> 5);
      parts[r * 32 + t] = -0.0;
      precise float parts_t_1 = parts[r * 32 + t];
      for (int k = 0; k < k_count; ++k) {
        parts_t_1 = parts_t_1 + (A[A_offset + m02 * A_stride_0 + t + k * 32] * B[B_offset + (t + k * 32) * B_stride_0 + (n02 + r) * B_stride_1]);
      }
      parts[r * 32 + t] = parts_t_1;
    }
  }
  barrier();
  {
    const int i8 = int(gl_LocalInvocationIndex);
    if (i8 < 64) {
      const int r1 = (i8 >> 4);
      const int t1 = (i8 & 15);
      if (r1 < n02_size) {
        parts[r1 * 32 + t1] = parts[r1 * 32 + t1] + parts[r1 * 32 + t1 + 16];
      }
    }
  }
  barrier();
  {
    const int i9 = int(gl_LocalInvocationIndex);
    if (i9 < 32) {
      const int r2 = (i9 >> 3);
      const int t2 = (i9 & 7);
      if (r2 < n02_size) {
        parts[r2 * 32 + t2] = parts[r2 * 32 + t2] + parts[r2 * 32 + t2 + 8];
      }
    }
  }
  barrier();
  {
    const int i10 = int(gl_LocalInvocationIndex);
    if (i10 < 16) {
      const int r3 = (i10 >> 2);
      const int t3 = (i10 & 3);
      if (r3 < n02_size) {
        parts[r3 * 32 + t3] = parts[r3 * 32 + t3] + parts[r3 * 32 + t3 + 4];
      }
    }
  }
  barrier();
  {
    const int i11 = int(gl_LocalInvocationIndex);
    if (i11 < 8) {
      const int r4 = (i11 >> 1);
      const int t4 = (i11 & 1);
      if (r4 < n02_size) {
        parts[r4 * 32 + t4] = parts[r4 * 32 + t4] + parts[r4 * 32 + t4 + 2];
      }
    }
  }
  barrier();
  {
    const int i12 = int(gl_LocalInvocationIndex);
    if (i12 < 4) {
      const int r5 = i12;
      const int t5 = 0;
      if (r5 < n02_size) {
        parts[r5 * 32 + t5] = parts[r5 * 32 + t5] + parts[r5 * 32 + t5 + 1];
      }
    }
  }
  barrier();
  for (int n08 = int(gl_LocalInvocationIndex); n08 < n02_size; n08 += 128) {
    C[C_offset + m02 * C_stride_0 + (n02 + n08) * C_stride_1] = C[C_offset + m02 * C_stride_0 + (n02 + n08) * C_stride_1] + parts[n08 * 32];
  }
}

// matmul_grid
#version 450
// matmul, grid
//
// op (m: parallel, n: parallel, k: reduction) ins(%A[m, k], %B[k, n]) outs(%C[m, n]) { (a, b, c) -> add(c, mul(a, b)) }
// contraction
// M = {m}, N = {n}, K = {k}: tiles in shared memory, sums in registers
// mr = 8: the sums of an invocation take 32 of vulkan's 64 registers
// nr = 4: the sums of an invocation take 32 of vulkan's 64 registers
// rows = 8: 128 of vulkan's 128 invocations make tiles of 64 x 64
// columns = 16: 128 of vulkan's 128 invocations make tiles of 64 x 64
// kt = 16: so many terms of both operands take 8192 of vulkan's 16384 bytes of shared memory
// where these would make workgroups for fewer than 8 of 16 units:
// mr = 4: the sums of an invocation take 16 of vulkan's 64 registers
// nr = 4: the sums of an invocation take 16 of vulkan's 64 registers
// rows = 8: 64 of vulkan's 128 invocations make tiles of 32 x 32
// columns = 8: 64 of vulkan's 128 invocations make tiles of 32 x 32
// kt = 16: so many terms of both operands take 4096 of vulkan's 16384 bytes of shared memory
// fewest = 16: where M and N have so many positions each; else an invocation for each position, as most of a tile would be empty
//
// Of this, what is done where
//   not (16 <= M and 16 <= N)
//   and not (32 < K and unit %A[1])

layout(local_size_x = 128, local_size_x_id = 0) in;
layout(set = 0, binding = 0, std430) readonly buffer A_block { float A[]; };
layout(set = 0, binding = 1, std430) readonly buffer B_block { float B[]; };
layout(set = 0, binding = 2, std430) buffer C_block { precise float C[]; };
layout(push_constant) uniform Push {
  int K, N, positions;
  int A_offset, A_stride_0, A_stride_1;
  int B_offset, B_stride_0, B_stride_1;
  int C_offset, C_stride_0, C_stride_1;
  uint base_x, base_y, base_z;  // the first workgroup
};

void main() {
  const int i13 = int(gl_GlobalInvocationID.x + base_x * gl_WorkGroupSize.x);
  if (i13 < positions) {
    const int m03 = (i13 / N);
    const int n03 = (i13 % N);
    precise float c_m03_n03 = C[C_offset + m03 * C_stride_0 + n03 * C_stride_1];
    for (int k = 0; k < K; ++k) {
      c_m03_n03 = c_m03_n03 + (A[A_offset + m03 * A_stride_0 + k * A_stride_1] * B[B_offset + k * B_stride_0 + n03 * B_stride_1]);
    }
    C[C_offset + m03 * C_stride_0 + n03 * C_stride_1] = c_m03_n03;
  }
}
