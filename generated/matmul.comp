// matmul_tiles
#version 450
// matmul, tiles
//
// op (m: parallel, n: parallel, k: reduction) ins(%A[m, k], %B[k, n]) outs(%C[m, n]) { (a, b, c) -> add(c, mul(a, b)) }
// contraction
// M = {m}, N = {n}, K = {k}: tiles in shared memory, sums in registers
// mr = 4: the sums of an invocation take 32 of vulkan's 64 registers
// nr = 8: the sums of an invocation take 32 of vulkan's 64 registers
// rows = 16: 128 of vulkan's 128 invocations make tiles of 64 x 64
// columns = 8: 128 of vulkan's 128 invocations make tiles of 64 x 64
// kt = 16: so many terms of both operands take 8192 of vulkan's 16384 bytes of shared memory
// fewest = 16: where M and N have so many positions each; else an invocation for each position, as most of a tile would be empty
//
// Of this, what is done where
//   16 <= M and 16 <= N

layout(local_size_x = 8, local_size_y = 16) in;
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
    const int rows = min(4, m0_size - ty * 4);
    const int columns = min(8, n0_size - tx * 8);
    if (1 <= rows && 1 <= columns) {
      {
        const int C_at = C_offset + (m0 + ty * 4) * C_stride_0 + (n0 + tx * 8) * C_stride_1;
        precise vec4 c_0_0 = (0 < rows ? vec4((0 < columns ? C[C_at] : 0.0), (1 < columns ? C[C_at + C_stride_1] : 0.0), (2 < columns ? C[C_at + 2 * C_stride_1] : 0.0), (3 < columns ? C[C_at + 3 * C_stride_1] : 0.0)) : vec4(0.0));
        const int C_at1 = C_offset + (m0 + ty * 4) * C_stride_0 + (n0 + tx * 8 + 4) * C_stride_1;
        precise vec4 c_0_1 = (0 < rows ? vec4((4 < columns ? C[C_at1] : 0.0), (5 < columns ? C[C_at1 + C_stride_1] : 0.0), (6 < columns ? C[C_at1 + 2 * C_stride_1] : 0.0), (7 < columns ? C[C_at1 + 3 * C_stride_1] : 0.0)) : vec4(0.0));
        C_sums[0] = c_0_0;
        C_sums[1] = c_0_1;
        const int C_at2 = C_offset + (m0 + ty * 4 + 1) * C_stride_0 + (n0 + tx * 8) * C_stride_1;
        precise vec4 c_1_0 = (1 < rows ? vec4((0 < columns ? C[C_at2] : 0.0), (1 < columns ? C[C_at2 + C_stride_1] : 0.0), (2 < columns ? C[C_at2 + 2 * C_stride_1] : 0.0), (3 < columns ? C[C_at2 + 3 * C_stride_1] : 0.0)) : vec4(0.0));
        const int C_at3 = C_offset + (m0 + ty * 4 + 1) * C_stride_0 + (n0 + tx * 8 + 4) * C_stride_1;
        precise vec4 c_1_1 = (1 < rows ? vec4((4 < columns ? C[C_at3] : 0.0), (5 < columns ? C[C_at3 + C_stride_1] : 0.0), (6 < columns ? C[C_at3 + 2 * C_stride_1] : 0.0), (7 < columns ? C[C_at3 + 3 * C_stride_1] : 0.0)) : vec4(0.0));
        C_sums[2] = c_1_0;
        C_sums[3] = c_1_1;
        const int C_at4 = C_offset + (m0 + ty * 4 + 2) * C_stride_0 + (n0 + tx * 8) * C_stride_1;
        precise vec4 c_2_0 = (2 < rows ? vec4((0 < columns ? C[C_at4] : 0.0), (1 < columns ? C[C_at4 + C_stride_1] : 0.0), (2 < columns ? C[C_at4 + 2 * C_stride_1] : 0.0), (3 < columns ? C[C_at4 + 3 * C_stride_1] : 0.0)) : vec4(0.0));
        const int C_at5 = C_offset + (m0 + ty * 4 + 2) * C_stride_0 + (n0 + tx * 8 + 4) * C_stride_1;
        precise vec4 c_2_1 = (2 < rows ? vec4((4 < columns ? C[C_at5] : 0.0), (5 < columns ? C[C_at5 + C_stride_1] : 0.0), (6 < columns ? C[C_at5 + 2 * C_stride_1] : 0.0), (7 < columns ? C[C_at5 + 3 * C_stride_1] : 0.0)) : vec4(0.0));
        C_sums[4] = c_2_0;
        C_sums[5] = c_2_1;
        const int C_at6 = C_offset + (m0 + ty * 4 + 3) * C_stride_0 + (n0 + tx * 8) * C_stride_1;
        precise vec4 c_3_0 = (3 < rows ? vec4((0 < columns ? C[C_at6] : 0.0), (1 < columns ? C[C_at6 + C_stride_1] : 0.0), (2 < columns ? C[C_at6 + 2 * C_stride_1] : 0.0), (3 < columns ? C[C_at6 + 3 * C_stride_1] : 0.0)) : vec4(0.0));
        const int C_at7 = C_offset + (m0 + ty * 4 + 3) * C_stride_0 + (n0 + tx * 8 + 4) * C_stride_1;
        precise vec4 c_3_1 = (3 < rows ? vec4((4 < columns ? C[C_at7] : 0.0), (5 < columns ? C[C_at7 + C_stride_1] : 0.0), (6 < columns ? C[C_at7 + 2 * C_stride_1] : 0.0), (7 < columns ? C[C_at7 + 3 * C_stride_1] : 0.0)) : vec4(0.0));
        C_sums[6] = c_3_0;
        C_sums[7] = c_3_1;
      }
    }
  }
  for (int k0 = 0; k0 < K; k0 += 16) {
    const int k0_size = min(16, K - k0);
    if (A_stride_1 == 1) {
      for (int turn = 0; turn < 8; ++turn) {
        const int i = int(gl_LocalInvocationIndex);
        const int m03 = turn * 8 + (i >> 4);
        const int k01 = (i & 15);
        A_tile[(k01 * 68 + m03) >> 2][(k01 * 68 + m03) & 3] = (m03 < m0_size && k01 < k0_size ? A[A_offset + (m0 + m03) * A_stride_0 + k0 + k01] : 0.0);
      }
    } else {
      for (int turn1 = 0; turn1 < 8; ++turn1) {
        const int i1 = int(gl_LocalInvocationIndex);
        const int k02 = turn1 * 2 + (i1 >> 6);
        const int m04 = (i1 & 63);
        A_tile[(k02 * 68 + m04) >> 2][(k02 * 68 + m04) & 3] = (m04 < m0_size && k02 < k0_size ? A[A_offset + (m0 + m04) * A_stride_0 + (k0 + k02) * A_stride_1] : 0.0);
      }
    }
    if (B_stride_0 == 1) {
      for (int turn2 = 0; turn2 < 8; ++turn2) {
        const int i2 = int(gl_LocalInvocationIndex);
        const int n03 = turn2 * 8 + (i2 >> 4);
        const int k03 = (i2 & 15);
        B_tile[(k03 * 68 + n03) >> 2][(k03 * 68 + n03) & 3] = (k03 < k0_size && n03 < n0_size ? B[B_offset + k0 + k03 + (n0 + n03) * B_stride_1] : 0.0);
      }
    } else {
      for (int turn3 = 0; turn3 < 8; ++turn3) {
        const int i3 = int(gl_LocalInvocationIndex);
        const int k04 = turn3 * 2 + (i3 >> 6);
        const int n04 = (i3 & 63);
        B_tile[(k04 * 68 + n04) >> 2][(k04 * 68 + n04) & 3] = (k04 < k0_size && n04 < n0_size ? B[B_offset + (k0 + k04) * B_stride_0 + (n0 + n04) * B_stride_1] : 0.0);
      }
    }
    barrier();
    if (k0_size == 16) {
      const int ty1 = int(gl_LocalInvocationID.y);
      const int tx1 = int(gl_LocalInvocationID.x);
      {
        precise vec4 c_sums1_0_0 = C_sums[0];
        precise vec4 c_sums1_0_1 = C_sums[1];
        precise vec4 c_sums1_1_0 = C_sums[2];
        precise vec4 c_sums1_1_1 = C_sums[3];
        precise vec4 c_sums1_2_0 = C_sums[4];
        precise vec4 c_sums1_2_1 = C_sums[5];
        precise vec4 c_sums1_3_0 = C_sums[6];
        precise vec4 c_sums1_3_1 = C_sums[7];
        for (int k = 0; k < 16; ++k) {
          precise vec4 b_tile_0 = B_tile[k * 17 + tx1 * 2];
          precise vec4 b_tile_1 = B_tile[k * 17 + tx1 * 2 + 1];
          precise vec4 a_tile_row = A_tile[k * 17 + ty1];
          precise vec4 a_tile_0 = vec4(a_tile_row.x);
          c_sums1_0_0 = fma(a_tile_0, b_tile_0, c_sums1_0_0);
          c_sums1_0_1 = fma(a_tile_0, b_tile_1, c_sums1_0_1);
          precise vec4 a_tile_1 = vec4(a_tile_row.y);
          c_sums1_1_0 = fma(a_tile_1, b_tile_0, c_sums1_1_0);
          c_sums1_1_1 = fma(a_tile_1, b_tile_1, c_sums1_1_1);
          precise vec4 a_tile_2 = vec4(a_tile_row.z);
          c_sums1_2_0 = fma(a_tile_2, b_tile_0, c_sums1_2_0);
          c_sums1_2_1 = fma(a_tile_2, b_tile_1, c_sums1_2_1);
          precise vec4 a_tile_3 = vec4(a_tile_row.w);
          c_sums1_3_0 = fma(a_tile_3, b_tile_0, c_sums1_3_0);
          c_sums1_3_1 = fma(a_tile_3, b_tile_1, c_sums1_3_1);
        }
        C_sums[0] = c_sums1_0_0;
        C_sums[1] = c_sums1_0_1;
        C_sums[2] = c_sums1_1_0;
        C_sums[3] = c_sums1_1_1;
        C_sums[4] = c_sums1_2_0;
        C_sums[5] = c_sums1_2_1;
        C_sums[6] = c_sums1_3_0;
        C_sums[7] = c_sums1_3_1;
      }
    } else {
      const int ty2 = int(gl_LocalInvocationID.y);
      const int tx2 = int(gl_LocalInvocationID.x);
      {
        precise vec4 c_sums2_0_0 = C_sums[0];
        precise vec4 c_sums2_0_1 = C_sums[1];
        precise vec4 c_sums2_1_0 = C_sums[2];
        precise vec4 c_sums2_1_1 = C_sums[3];
        precise vec4 c_sums2_2_0 = C_sums[4];
        precise vec4 c_sums2_2_1 = C_sums[5];
        precise vec4 c_sums2_3_0 = C_sums[6];
        precise vec4 c_sums2_3_1 = C_sums[7];
        for (int k = 0; k < k0_size; ++k) {
          precise vec4 b_tile1_0 = B_tile[k * 17 + tx2 * 2];
          precise vec4 b_tile1_1 = B_tile[k * 17 + tx2 * 2 + 1];
          precise vec4 a_tile1_row = A_tile[k * 17 + ty2];
          precise vec4 a_tile1_0 = vec4(a_tile1_row.x);
          c_sums2_0_0 = fma(a_tile1_0, b_tile1_0, c_sums2_0_0);
          c_sums2_0_1 = fma(a_tile1_0, b_tile1_1, c_sums2_0_1);
          precise vec4 a_tile1_1 = vec4(a_tile1_row.y);
          c_sums2_1_0 = fma(a_tile1_1, b_tile1_0, c_sums2_1_0);
          c_sums2_1_1 = fma(a_tile1_1, b_tile1_1, c_sums2_1_1);
          precise vec4 a_tile1_2 = vec4(a_tile1_row.z);
          c_sums2_2_0 = fma(a_tile1_2, b_tile1_0, c_sums2_2_0);
          c_sums2_2_1 = fma(a_tile1_2, b_tile1_1, c_sums2_2_1);
          precise vec4 a_tile1_3 = vec4(a_tile1_row.w);
          c_sums2_3_0 = fma(a_tile1_3, b_tile1_0, c_sums2_3_0);
          c_sums2_3_1 = fma(a_tile1_3, b_tile1_1, c_sums2_3_1);
        }
        C_sums[0] = c_sums2_0_0;
        C_sums[1] = c_sums2_0_1;
        C_sums[2] = c_sums2_1_0;
        C_sums[3] = c_sums2_1_1;
        C_sums[4] = c_sums2_2_0;
        C_sums[5] = c_sums2_2_1;
        C_sums[6] = c_sums2_3_0;
        C_sums[7] = c_sums2_3_1;
      }
    }
    barrier();
  }
  barrier();
  {
    const int ty3 = int(gl_LocalInvocationID.y);
    const int tx3 = int(gl_LocalInvocationID.x);
    const int rows1 = min(4, m0_size - ty3 * 4);
    const int columns1 = min(8, n0_size - tx3 * 8);
    if (1 <= rows1 && 1 <= columns1) {
      if (rows1 == 4 && columns1 == 8) {
        precise vec4 c_sums3_0_0 = C_sums[0];
        precise vec4 c_sums3_0_1 = C_sums[1];
        const int C_at8 = C_offset + (m0 + ty3 * 4) * C_stride_0 + (n0 + tx3 * 8) * C_stride_1;
        C[C_at8] = c_sums3_0_0.x;
        C[C_at8 + C_stride_1] = c_sums3_0_0.y;
        C[C_at8 + 2 * C_stride_1] = c_sums3_0_0.z;
        C[C_at8 + 3 * C_stride_1] = c_sums3_0_0.w;
        const int C_at9 = C_offset + (m0 + ty3 * 4) * C_stride_0 + (n0 + tx3 * 8 + 4) * C_stride_1;
        C[C_at9] = c_sums3_0_1.x;
        C[C_at9 + C_stride_1] = c_sums3_0_1.y;
        C[C_at9 + 2 * C_stride_1] = c_sums3_0_1.z;
        C[C_at9 + 3 * C_stride_1] = c_sums3_0_1.w;
        precise vec4 c_sums3_1_0 = C_sums[2];
        precise vec4 c_sums3_1_1 = C_sums[3];
        const int C_at10 = C_offset + (m0 + ty3 * 4 + 1) * C_stride_0 + (n0 + tx3 * 8) * C_stride_1;
        C[C_at10] = c_sums3_1_0.x;
        C[C_at10 + C_stride_1] = c_sums3_1_0.y;
        C[C_at10 + 2 * C_stride_1] = c_sums3_1_0.z;
        C[C_at10 + 3 * C_stride_1] = c_sums3_1_0.w;
        const int C_at11 = C_offset + (m0 + ty3 * 4 + 1) * C_stride_0 + (n0 + tx3 * 8 + 4) * C_stride_1;
        C[C_at11] = c_sums3_1_1.x;
        C[C_at11 + C_stride_1] = c_sums3_1_1.y;
        C[C_at11 + 2 * C_stride_1] = c_sums3_1_1.z;
        C[C_at11 + 3 * C_stride_1] = c_sums3_1_1.w;
        precise vec4 c_sums3_2_0 = C_sums[4];
        precise vec4 c_sums3_2_1 = C_sums[5];
        const int C_at12 = C_offset + (m0 + ty3 * 4 + 2) * C_stride_0 + (n0 + tx3 * 8) * C_stride_1;
        C[C_at12] = c_sums3_2_0.x;
        C[C_at12 + C_stride_1] = c_sums3_2_0.y;
        C[C_at12 + 2 * C_stride_1] = c_sums3_2_0.z;
        C[C_at12 + 3 * C_stride_1] = c_sums3_2_0.w;
        const int C_at13 = C_offset + (m0 + ty3 * 4 + 2) * C_stride_0 + (n0 + tx3 * 8 + 4) * C_stride_1;
        C[C_at13] = c_sums3_2_1.x;
        C[C_at13 + C_stride_1] = c_sums3_2_1.y;
        C[C_at13 + 2 * C_stride_1] = c_sums3_2_1.z;
        C[C_at13 + 3 * C_stride_1] = c_sums3_2_1.w;
        precise vec4 c_sums3_3_0 = C_sums[6];
        precise vec4 c_sums3_3_1 = C_sums[7];
        const int C_at14 = C_offset + (m0 + ty3 * 4 + 3) * C_stride_0 + (n0 + tx3 * 8) * C_stride_1;
        C[C_at14] = c_sums3_3_0.x;
        C[C_at14 + C_stride_1] = c_sums3_3_0.y;
        C[C_at14 + 2 * C_stride_1] = c_sums3_3_0.z;
        C[C_at14 + 3 * C_stride_1] = c_sums3_3_0.w;
        const int C_at15 = C_offset + (m0 + ty3 * 4 + 3) * C_stride_0 + (n0 + tx3 * 8 + 4) * C_stride_1;
        C[C_at15] = c_sums3_3_1.x;
        C[C_at15 + C_stride_1] = c_sums3_3_1.y;
        C[C_at15 + 2 * C_stride_1] = c_sums3_3_1.z;
        C[C_at15 + 3 * C_stride_1] = c_sums3_3_1.w;
      } else {
        precise vec4 c_sums4_0_0 = C_sums[0];
        precise vec4 c_sums4_0_1 = C_sums[1];
        const int C_at16 = C_offset + (m0 + ty3 * 4) * C_stride_0 + (n0 + tx3 * 8) * C_stride_1;
        if (0 < rows1) {
          if (0 < columns1) C[C_at16] = c_sums4_0_0.x;
          if (1 < columns1) C[C_at16 + C_stride_1] = c_sums4_0_0.y;
          if (2 < columns1) C[C_at16 + 2 * C_stride_1] = c_sums4_0_0.z;
          if (3 < columns1) C[C_at16 + 3 * C_stride_1] = c_sums4_0_0.w;
        }
        const int C_at17 = C_offset + (m0 + ty3 * 4) * C_stride_0 + (n0 + tx3 * 8 + 4) * C_stride_1;
        if (0 < rows1) {
          if (4 < columns1) C[C_at17] = c_sums4_0_1.x;
          if (5 < columns1) C[C_at17 + C_stride_1] = c_sums4_0_1.y;
          if (6 < columns1) C[C_at17 + 2 * C_stride_1] = c_sums4_0_1.z;
          if (7 < columns1) C[C_at17 + 3 * C_stride_1] = c_sums4_0_1.w;
        }
        precise vec4 c_sums4_1_0 = C_sums[2];
        precise vec4 c_sums4_1_1 = C_sums[3];
        const int C_at18 = C_offset + (m0 + ty3 * 4 + 1) * C_stride_0 + (n0 + tx3 * 8) * C_stride_1;
        if (1 < rows1) {
          if (0 < columns1) C[C_at18] = c_sums4_1_0.x;
          if (1 < columns1) C[C_at18 + C_stride_1] = c_sums4_1_0.y;
          if (2 < columns1) C[C_at18 + 2 * C_stride_1] = c_sums4_1_0.z;
          if (3 < columns1) C[C_at18 + 3 * C_stride_1] = c_sums4_1_0.w;
        }
        const int C_at19 = C_offset + (m0 + ty3 * 4 + 1) * C_stride_0 + (n0 + tx3 * 8 + 4) * C_stride_1;
        if (1 < rows1) {
          if (4 < columns1) C[C_at19] = c_sums4_1_1.x;
          if (5 < columns1) C[C_at19 + C_stride_1] = c_sums4_1_1.y;
          if (6 < columns1) C[C_at19 + 2 * C_stride_1] = c_sums4_1_1.z;
          if (7 < columns1) C[C_at19 + 3 * C_stride_1] = c_sums4_1_1.w;
        }
        precise vec4 c_sums4_2_0 = C_sums[4];
        precise vec4 c_sums4_2_1 = C_sums[5];
        const int C_at20 = C_offset + (m0 + ty3 * 4 + 2) * C_stride_0 + (n0 + tx3 * 8) * C_stride_1;
        if (2 < rows1) {
          if (0 < columns1) C[C_at20] = c_sums4_2_0.x;
          if (1 < columns1) C[C_at20 + C_stride_1] = c_sums4_2_0.y;
          if (2 < columns1) C[C_at20 + 2 * C_stride_1] = c_sums4_2_0.z;
          if (3 < columns1) C[C_at20 + 3 * C_stride_1] = c_sums4_2_0.w;
        }
        const int C_at21 = C_offset + (m0 + ty3 * 4 + 2) * C_stride_0 + (n0 + tx3 * 8 + 4) * C_stride_1;
        if (2 < rows1) {
          if (4 < columns1) C[C_at21] = c_sums4_2_1.x;
          if (5 < columns1) C[C_at21 + C_stride_1] = c_sums4_2_1.y;
          if (6 < columns1) C[C_at21 + 2 * C_stride_1] = c_sums4_2_1.z;
          if (7 < columns1) C[C_at21 + 3 * C_stride_1] = c_sums4_2_1.w;
        }
        precise vec4 c_sums4_3_0 = C_sums[6];
        precise vec4 c_sums4_3_1 = C_sums[7];
        const int C_at22 = C_offset + (m0 + ty3 * 4 + 3) * C_stride_0 + (n0 + tx3 * 8) * C_stride_1;
        if (3 < rows1) {
          if (0 < columns1) C[C_at22] = c_sums4_3_0.x;
          if (1 < columns1) C[C_at22 + C_stride_1] = c_sums4_3_0.y;
          if (2 < columns1) C[C_at22 + 2 * C_stride_1] = c_sums4_3_0.z;
          if (3 < columns1) C[C_at22 + 3 * C_stride_1] = c_sums4_3_0.w;
        }
        const int C_at23 = C_offset + (m0 + ty3 * 4 + 3) * C_stride_0 + (n0 + tx3 * 8 + 4) * C_stride_1;
        if (3 < rows1) {
          if (4 < columns1) C[C_at23] = c_sums4_3_1.x;
          if (5 < columns1) C[C_at23 + C_stride_1] = c_sums4_3_1.y;
          if (6 < columns1) C[C_at23 + 2 * C_stride_1] = c_sums4_3_1.z;
          if (7 < columns1) C[C_at23 + 3 * C_stride_1] = c_sums4_3_1.w;
        }
      }
    }
  }
}

// matmul_rows2
#version 450
// matmul, rows2
//
// op (m: parallel, n: parallel, k: reduction) ins(%A[m, k], %B[k, n]) outs(%C[m, n]) { (a, b, c) -> add(c, mul(a, b)) }
// contraction
// M = {m}, N = {n}, K = {k}: tiles in shared memory, sums in registers
// mr = 4: the sums of an invocation take 32 of vulkan's 64 registers
// nr = 8: the sums of an invocation take 32 of vulkan's 64 registers
// rows = 16: 128 of vulkan's 128 invocations make tiles of 64 x 64
// columns = 8: 128 of vulkan's 128 invocations make tiles of 64 x 64
// kt = 16: so many terms of both operands take 8192 of vulkan's 16384 bytes of shared memory
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
  const int m01 = int(gl_WorkGroupID.y + base_y);
  const int n01 = int(gl_WorkGroupID.x + base_x) * 4;
  const int n01_size = min(4, N - n01);
  {
    const int r = int(gl_LocalInvocationID.y);
    const int t = int(gl_LocalInvocationID.x);
    if (r < n01_size) {
      const int k_count = -((-K + t) >> 5);
      parts[r * 32 + t] = -0.0;
      precise float parts_t_1 = parts[r * 32 + t];
      for (int k = 0; k < k_count; ++k) {
        parts_t_1 = parts_t_1 + (A[A_offset + m01 * A_stride_0 + t + k * 32] * B[B_offset + (t + k * 32) * B_stride_0 + (n01 + r) * B_stride_1]);
      }
      parts[r * 32 + t] = parts_t_1;
    }
  }
  barrier();
  {
    const int i4 = int(gl_LocalInvocationIndex);
    if (i4 < 64) {
      const int r1 = (i4 >> 4);
      const int t1 = (i4 & 15);
      if (r1 < n01_size) {
        parts[r1 * 32 + t1] = parts[r1 * 32 + t1] + parts[r1 * 32 + t1 + 16];
      }
    }
  }
  barrier();
  {
    const int i5 = int(gl_LocalInvocationIndex);
    if (i5 < 32) {
      const int r2 = (i5 >> 3);
      const int t2 = (i5 & 7);
      if (r2 < n01_size) {
        parts[r2 * 32 + t2] = parts[r2 * 32 + t2] + parts[r2 * 32 + t2 + 8];
      }
    }
  }
  barrier();
  {
    const int i6 = int(gl_LocalInvocationIndex);
    if (i6 < 16) {
      const int r3 = (i6 >> 2);
      const int t3 = (i6 & 3);
      if (r3 < n01_size) {
        parts[r3 * 32 + t3] = parts[r3 * 32 + t3] + parts[r3 * 32 + t3 + 4];
      }
    }
  }
  barrier();
  {
    const int i7 = int(gl_LocalInvocationIndex);
    if (i7 < 8) {
      const int r4 = (i7 >> 1);
      const int t4 = (i7 & 1);
      if (r4 < n01_size) {
        parts[r4 * 32 + t4] = parts[r4 * 32 + t4] + parts[r4 * 32 + t4 + 2];
      }
    }
  }
  barrier();
  {
    const int i8 = int(gl_LocalInvocationIndex);
    if (i8 < 4) {
      const int r5 = i8;
      const int t5 = 0;
      if (r5 < n01_size) {
        parts[r5 * 32 + t5] = parts[r5 * 32 + t5] + parts[r5 * 32 + t5 + 1];
      }
    }
  }
  barrier();
  for (int n05 = int(gl_LocalInvocationIndex); n05 < n01_size; n05 += 128) {
    C[C_offset + m01 * C_stride_0 + (n01 + n05) * C_stride_1] = C[C_offset + m01 * C_stride_0 + (n01 + n05) * C_stride_1] + parts[n05 * 32];
  }
}

// matmul_grid
#version 450
// matmul, grid
//
// op (m: parallel, n: parallel, k: reduction) ins(%A[m, k], %B[k, n]) outs(%C[m, n]) { (a, b, c) -> add(c, mul(a, b)) }
// contraction
// M = {m}, N = {n}, K = {k}: tiles in shared memory, sums in registers
// mr = 4: the sums of an invocation take 32 of vulkan's 64 registers
// nr = 8: the sums of an invocation take 32 of vulkan's 64 registers
// rows = 16: 128 of vulkan's 128 invocations make tiles of 64 x 64
// columns = 8: 128 of vulkan's 128 invocations make tiles of 64 x 64
// kt = 16: so many terms of both operands take 8192 of vulkan's 16384 bytes of shared memory
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
  const int i9 = int(gl_GlobalInvocationID.x + base_x * gl_WorkGroupSize.x);
  if (i9 < positions) {
    const int m02 = (i9 / N);
    const int n02 = (i9 % N);
    precise float c_m02_n02 = C[C_offset + m02 * C_stride_0 + n02 * C_stride_1];
    for (int k = 0; k < K; ++k) {
      c_m02_n02 = c_m02_n02 + (A[A_offset + m02 * A_stride_0 + k * A_stride_1] * B[B_offset + k * B_stride_0 + n02 * B_stride_1]);
    }
    C[C_offset + m02 * C_stride_0 + n02 * C_stride_1] = c_m02_n02;
  }
}
