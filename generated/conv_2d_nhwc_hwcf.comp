// conv_2d_nhwc_hwcf_tiles
#version 450
// conv_2d_nhwc_hwcf, tiles
//
// op (n: parallel, oh: parallel, ow: parallel, f: parallel, kh: reduction, kw: reduction, c: reduction) ins(%I[n, oh * strides[0] + kh * dilations[0], ow * strides[1] + kw * dilations[1], c], %K[kh, kw, c, f]) outs(%O[n, oh, ow, f]) { (i, k, o) -> add(o, mul(i, k)) }
// contraction
// M = {n, oh, ow}, N = {f}, K = {kh, kw, c}: tiles in shared memory, sums in registers
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
//   16 <= (N * OH * OW) and 16 <= F
//   and 8 <= (((-F) floordiv 64) * ((-N * OH * OW) floordiv 64))
#extension GL_EXT_control_flow_attributes : require

layout(local_size_x = 16, local_size_y = 8) in;
layout(set = 0, binding = 0, std430) readonly buffer I_block { float I[]; };
layout(set = 0, binding = 1, std430) readonly buffer K_block { float K[]; };
layout(set = 0, binding = 2, std430) buffer O_block { precise float O[]; };
layout(push_constant) uniform Push {
  int N, C, KH, KW, F, OH, OW, strides_0, dilations_0, strides_1, dilations_1;
  int I_offset, I_stride_0, I_stride_1, I_stride_2, I_stride_3;
  int K_offset, K_stride_0, K_stride_1, K_stride_2, K_stride_3;
  int O_offset, O_stride_0, O_stride_1, O_stride_2, O_stride_3;
  uint base_x, base_y, base_z;  // the first workgroup
};
shared precise vec4 I_tile[272];
shared precise vec4 K_tile[272];

void main() {
  const int n0 = int(gl_WorkGroupID.y + base_y) * 64;
  const int n0_size = min(64, N * OH * OW - n0);
  const int f0 = int(gl_WorkGroupID.x + base_x) * 64;
  const int f0_size = min(64, F - f0);
  precise vec4 O_sums[8];
  {
    const int ty = int(gl_LocalInvocationID.y);
    const int tx = int(gl_LocalInvocationID.x);
    const int rows = min(8, n0_size - ty * 8);
    const int columns = min(4, f0_size - tx * 4);
    if (1 <= rows && 1 <= columns) {
      {
        const int O_at = O_offset + (((n0 + ty * 8) / (OH * OW))) * O_stride_0 + (((((n0 + ty * 8) / OW)) % OH)) * O_stride_1 + (((n0 + ty * 8) % OW)) * O_stride_2 + (f0 + tx * 4) * O_stride_3;
        precise vec4 o_0 = (0 < rows ? vec4((0 < columns ? O[O_at] : 0.0), (1 < columns ? O[O_at + O_stride_3] : 0.0), (2 < columns ? O[O_at + 2 * O_stride_3] : 0.0), (3 < columns ? O[O_at + 3 * O_stride_3] : 0.0)) : vec4(0.0));
        O_sums[0] = o_0;
        const int O_at1 = O_offset + (((n0 + ty * 8 + 1) / (OH * OW))) * O_stride_0 + (((((n0 + ty * 8 + 1) / OW)) % OH)) * O_stride_1 + (((n0 + ty * 8 + 1) % OW)) * O_stride_2 + (f0 + tx * 4) * O_stride_3;
        precise vec4 o_1 = (1 < rows ? vec4((0 < columns ? O[O_at1] : 0.0), (1 < columns ? O[O_at1 + O_stride_3] : 0.0), (2 < columns ? O[O_at1 + 2 * O_stride_3] : 0.0), (3 < columns ? O[O_at1 + 3 * O_stride_3] : 0.0)) : vec4(0.0));
        O_sums[1] = o_1;
        const int O_at2 = O_offset + (((n0 + ty * 8 + 2) / (OH * OW))) * O_stride_0 + (((((n0 + ty * 8 + 2) / OW)) % OH)) * O_stride_1 + (((n0 + ty * 8 + 2) % OW)) * O_stride_2 + (f0 + tx * 4) * O_stride_3;
        precise vec4 o_2 = (2 < rows ? vec4((0 < columns ? O[O_at2] : 0.0), (1 < columns ? O[O_at2 + O_stride_3] : 0.0), (2 < columns ? O[O_at2 + 2 * O_stride_3] : 0.0), (3 < columns ? O[O_at2 + 3 * O_stride_3] : 0.0)) : vec4(0.0));
        O_sums[2] = o_2;
        const int O_at3 = O_offset + (((n0 + ty * 8 + 3) / (OH * OW))) * O_stride_0 + (((((n0 + ty * 8 + 3) / OW)) % OH)) * O_stride_1 + (((n0 + ty * 8 + 3) % OW)) * O_stride_2 + (f0 + tx * 4) * O_stride_3;
        precise vec4 o_3 = (3 < rows ? vec4((0 < columns ? O[O_at3] : 0.0), (1 < columns ? O[O_at3 + O_stride_3] : 0.0), (2 < columns ? O[O_at3 + 2 * O_stride_3] : 0.0), (3 < columns ? O[O_at3 + 3 * O_stride_3] : 0.0)) : vec4(0.0));
        O_sums[3] = o_3;
        const int O_at4 = O_offset + (((n0 + ty * 8 + 4) / (OH * OW))) * O_stride_0 + (((((n0 + ty * 8 + 4) / OW)) % OH)) * O_stride_1 + (((n0 + ty * 8 + 4) % OW)) * O_stride_2 + (f0 + tx * 4) * O_stride_3;
        precise vec4 o_4 = (4 < rows ? vec4((0 < columns ? O[O_at4] : 0.0), (1 < columns ? O[O_at4 + O_stride_3] : 0.0), (2 < columns ? O[O_at4 + 2 * O_stride_3] : 0.0), (3 < columns ? O[O_at4 + 3 * O_stride_3] : 0.0)) : vec4(0.0));
        O_sums[4] = o_4;
        const int O_at5 = O_offset + (((n0 + ty * 8 + 5) / (OH * OW))) * O_stride_0 + (((((n0 + ty * 8 + 5) / OW)) % OH)) * O_stride_1 + (((n0 + ty * 8 + 5) % OW)) * O_stride_2 + (f0 + tx * 4) * O_stride_3;
        precise vec4 o_5 = (5 < rows ? vec4((0 < columns ? O[O_at5] : 0.0), (1 < columns ? O[O_at5 + O_stride_3] : 0.0), (2 < columns ? O[O_at5 + 2 * O_stride_3] : 0.0), (3 < columns ? O[O_at5 + 3 * O_stride_3] : 0.0)) : vec4(0.0));
        O_sums[5] = o_5;
        const int O_at6 = O_offset + (((n0 + ty * 8 + 6) / (OH * OW))) * O_stride_0 + (((((n0 + ty * 8 + 6) / OW)) % OH)) * O_stride_1 + (((n0 + ty * 8 + 6) % OW)) * O_stride_2 + (f0 + tx * 4) * O_stride_3;
        precise vec4 o_6 = (6 < rows ? vec4((0 < columns ? O[O_at6] : 0.0), (1 < columns ? O[O_at6 + O_stride_3] : 0.0), (2 < columns ? O[O_at6 + 2 * O_stride_3] : 0.0), (3 < columns ? O[O_at6 + 3 * O_stride_3] : 0.0)) : vec4(0.0));
        O_sums[6] = o_6;
        const int O_at7 = O_offset + (((n0 + ty * 8 + 7) / (OH * OW))) * O_stride_0 + (((((n0 + ty * 8 + 7) / OW)) % OH)) * O_stride_1 + (((n0 + ty * 8 + 7) % OW)) * O_stride_2 + (f0 + tx * 4) * O_stride_3;
        precise vec4 o_7 = (7 < rows ? vec4((0 < columns ? O[O_at7] : 0.0), (1 < columns ? O[O_at7 + O_stride_3] : 0.0), (2 < columns ? O[O_at7 + 2 * O_stride_3] : 0.0), (3 < columns ? O[O_at7 + 3 * O_stride_3] : 0.0)) : vec4(0.0));
        O_sums[7] = o_7;
      }
    }
  }
  for (int kh0 = 0; kh0 < C * KH * KW; kh0 += 16) {
    const int kh0_size = min(16, C * KH * KW - kh0);
    [[unroll]] for (int turn1 = 0; turn1 < 8; ++turn1) {
      const int i1 = int(gl_LocalInvocationIndex);
      const int kh03 = turn1 * 2 + (i1 >> 6);
      const int n05 = (i1 & 63);
      I_tile[(kh03 * 68 + n05) >> 2][(kh03 * 68 + n05) & 3] = (n05 < n0_size && kh03 < kh0_size ? I[I_offset + (((n0 + n05) / (OH * OW))) * I_stride_0 + (strides_0 * ((((n0 + n05) / OW)) % OH) + dilations_0 * ((kh0 + kh03) / (C * KW))) * I_stride_1 + (strides_1 * ((n0 + n05) % OW) + dilations_1 * ((((kh0 + kh03) / C)) % KW)) * I_stride_2 + (((kh0 + kh03) % C)) * I_stride_3] : 0.0);
    }
    [[unroll]] for (int turn3 = 0; turn3 < 8; ++turn3) {
      const int i3 = int(gl_LocalInvocationIndex);
      const int kh05 = turn3 * 2 + (i3 >> 6);
      const int f05 = (i3 & 63);
      K_tile[(kh05 * 68 + f05) >> 2][(kh05 * 68 + f05) & 3] = (kh05 < kh0_size && f05 < f0_size ? K[K_offset + (((kh0 + kh05) / (C * KW))) * K_stride_0 + (((((kh0 + kh05) / C)) % KW)) * K_stride_1 + (((kh0 + kh05) % C)) * K_stride_2 + (f0 + f05) * K_stride_3] : 0.0);
    }
    barrier();
    if (kh0_size == 16) {
      const int ty1 = int(gl_LocalInvocationID.y);
      const int tx1 = int(gl_LocalInvocationID.x);
      {
        precise vec4 o_sums1_0 = O_sums[0];
        precise vec4 o_sums1_1 = O_sums[1];
        precise vec4 o_sums1_2 = O_sums[2];
        precise vec4 o_sums1_3 = O_sums[3];
        precise vec4 o_sums1_4 = O_sums[4];
        precise vec4 o_sums1_5 = O_sums[5];
        precise vec4 o_sums1_6 = O_sums[6];
        precise vec4 o_sums1_7 = O_sums[7];
        [[unroll]] for (int kh = 0; kh < 16; ++kh) {
          precise vec4 k_tile2 = K_tile[kh * 17 + tx1];
          precise vec4 i_tile_row = I_tile[kh * 17 + ty1 * 2];
          precise vec4 i_tile_0 = vec4(i_tile_row.x);
          o_sums1_0 = fma(i_tile_0, k_tile2, o_sums1_0);
          precise vec4 i_tile_1 = vec4(i_tile_row.y);
          o_sums1_1 = fma(i_tile_1, k_tile2, o_sums1_1);
          precise vec4 i_tile_2 = vec4(i_tile_row.z);
          o_sums1_2 = fma(i_tile_2, k_tile2, o_sums1_2);
          precise vec4 i_tile_3 = vec4(i_tile_row.w);
          o_sums1_3 = fma(i_tile_3, k_tile2, o_sums1_3);
          precise vec4 i_tile_row1 = I_tile[kh * 17 + ty1 * 2 + 1];
          precise vec4 i_tile_4 = vec4(i_tile_row1.x);
          o_sums1_4 = fma(i_tile_4, k_tile2, o_sums1_4);
          precise vec4 i_tile_5 = vec4(i_tile_row1.y);
          o_sums1_5 = fma(i_tile_5, k_tile2, o_sums1_5);
          precise vec4 i_tile_6 = vec4(i_tile_row1.z);
          o_sums1_6 = fma(i_tile_6, k_tile2, o_sums1_6);
          precise vec4 i_tile_7 = vec4(i_tile_row1.w);
          o_sums1_7 = fma(i_tile_7, k_tile2, o_sums1_7);
        }
        O_sums[0] = o_sums1_0;
        O_sums[1] = o_sums1_1;
        O_sums[2] = o_sums1_2;
        O_sums[3] = o_sums1_3;
        O_sums[4] = o_sums1_4;
        O_sums[5] = o_sums1_5;
        O_sums[6] = o_sums1_6;
        O_sums[7] = o_sums1_7;
      }
    } else {
      const int ty2 = int(gl_LocalInvocationID.y);
      const int tx2 = int(gl_LocalInvocationID.x);
      {
        precise vec4 o_sums2_0 = O_sums[0];
        precise vec4 o_sums2_1 = O_sums[1];
        precise vec4 o_sums2_2 = O_sums[2];
        precise vec4 o_sums2_3 = O_sums[3];
        precise vec4 o_sums2_4 = O_sums[4];
        precise vec4 o_sums2_5 = O_sums[5];
        precise vec4 o_sums2_6 = O_sums[6];
        precise vec4 o_sums2_7 = O_sums[7];
        for (int kh = 0; kh < kh0_size; ++kh) {
          precise vec4 k_tile13 = K_tile[kh * 17 + tx2];
          precise vec4 i_tile1_row = I_tile[kh * 17 + ty2 * 2];
          precise vec4 i_tile1_0 = vec4(i_tile1_row.x);
          o_sums2_0 = fma(i_tile1_0, k_tile13, o_sums2_0);
          precise vec4 i_tile1_1 = vec4(i_tile1_row.y);
          o_sums2_1 = fma(i_tile1_1, k_tile13, o_sums2_1);
          precise vec4 i_tile1_2 = vec4(i_tile1_row.z);
          o_sums2_2 = fma(i_tile1_2, k_tile13, o_sums2_2);
          precise vec4 i_tile1_3 = vec4(i_tile1_row.w);
          o_sums2_3 = fma(i_tile1_3, k_tile13, o_sums2_3);
          precise vec4 i_tile1_row1 = I_tile[kh * 17 + ty2 * 2 + 1];
          precise vec4 i_tile1_4 = vec4(i_tile1_row1.x);
          o_sums2_4 = fma(i_tile1_4, k_tile13, o_sums2_4);
          precise vec4 i_tile1_5 = vec4(i_tile1_row1.y);
          o_sums2_5 = fma(i_tile1_5, k_tile13, o_sums2_5);
          precise vec4 i_tile1_6 = vec4(i_tile1_row1.z);
          o_sums2_6 = fma(i_tile1_6, k_tile13, o_sums2_6);
          precise vec4 i_tile1_7 = vec4(i_tile1_row1.w);
          o_sums2_7 = fma(i_tile1_7, k_tile13, o_sums2_7);
        }
        O_sums[0] = o_sums2_0;
        O_sums[1] = o_sums2_1;
        O_sums[2] = o_sums2_2;
        O_sums[3] = o_sums2_3;
        O_sums[4] = o_sums2_4;
        O_sums[5] = o_sums2_5;
        O_sums[6] = o_sums2_6;
        O_sums[7] = o_sums2_7;
      }
    }
    barrier();
  }
  barrier();
  {
    const int ty3 = int(gl_LocalInvocationID.y);
    const int tx3 = int(gl_LocalInvocationID.x);
    const int rows1 = min(8, n0_size - ty3 * 8);
    const int columns1 = min(4, f0_size - tx3 * 4);
    if (1 <= rows1 && 1 <= columns1) {
      if (rows1 == 8 && columns1 == 4) {
        precise vec4 o_sums3_0 = O_sums[0];
        const int O_at8 = O_offset + (((n0 + ty3 * 8) / (OH * OW))) * O_stride_0 + (((((n0 + ty3 * 8) / OW)) % OH)) * O_stride_1 + (((n0 + ty3 * 8) % OW)) * O_stride_2 + (f0 + tx3 * 4) * O_stride_3;
        O[O_at8] = o_sums3_0.x;
        O[O_at8 + O_stride_3] = o_sums3_0.y;
        O[O_at8 + 2 * O_stride_3] = o_sums3_0.z;
        O[O_at8 + 3 * O_stride_3] = o_sums3_0.w;
        precise vec4 o_sums3_1 = O_sums[1];
        const int O_at9 = O_offset + (((n0 + ty3 * 8 + 1) / (OH * OW))) * O_stride_0 + (((((n0 + ty3 * 8 + 1) / OW)) % OH)) * O_stride_1 + (((n0 + ty3 * 8 + 1) % OW)) * O_stride_2 + (f0 + tx3 * 4) * O_stride_3;
        O[O_at9] = o_sums3_1.x;
        O[O_at9 + O_stride_3] = o_sums3_1.y;
        O[O_at9 + 2 * O_stride_3] = o_sums3_1.z;
        O[O_at9 + 3 * O_stride_3] = o_sums3_1.w;
        precise vec4 o_sums3_2 = O_sums[2];
        const int O_at10 = O_offset + (((n0 + ty3 * 8 + 2) / (OH * OW))) * O_stride_0 + (((((n0 + ty3 * 8 + 2) / OW)) % OH)) * O_stride_1 + (((n0 + ty3 * 8 + 2) % OW)) * O_stride_2 + (f0 + tx3 * 4) * O_stride_3;
        O[O_at10] = o_sums3_2.x;
        O[O_at10 + O_stride_3] = o_sums3_2.y;
        O[O_at10 + 2 * O_stride_3] = o_sums3_2.z;
        O[O_at10 + 3 * O_stride_3] = o_sums3_2.w;
        precise vec4 o_sums3_3 = O_sums[3];
        const int O_at11 = O_offset + (((n0 + ty3 * 8 + 3) / (OH * OW))) * O_stride_0 + (((((n0 + ty3 * 8 + 3) / OW)) % OH)) * O_stride_1 + (((n0 + ty3 * 8 + 3) % OW)) * O_stride_2 + (f0 + tx3 * 4) * O_stride_3;
        O[O_at11] = o_sums3_3.x;
        O[O_at11 + O_stride_3] = o_sums3_3.y;
        O[O_at11 + 2 * O_stride_3] = o_sums3_3.z;
        O[O_at11 + 3 * O_stride_3] = o_sums3_3.w;
        precise vec4 o_sums3_4 = O_sums[4];
        const int O_at12 = O_offset + (((n0 + ty3 * 8 + 4) / (OH * OW))) * O_stride_0 + (((((n0 + ty3 * 8 + 4) / OW)) % OH)) * O_stride_1 + (((n0 + ty3 * 8 + 4) % OW)) * O_stride_2 + (f0 + tx3 * 4) * O_stride_3;
        O[O_at12] = o_sums3_4.x;
        O[O_at12 + O_stride_3] = o_sums3_4.y;
        O[O_at12 + 2 * O_stride_3] = o_sums3_4.z;
        O[O_at12 + 3 * O_stride_3] = o_sums3_4.w;
        precise vec4 o_sums3_5 = O_sums[5];
        const int O_at13 = O_offset + (((n0 + ty3 * 8 + 5) / (OH * OW))) * O_stride_0 + (((((n0 + ty3 * 8 + 5) / OW)) % OH)) * O_stride_1 + (((n0 + ty3 * 8 + 5) % OW)) * O_stride_2 + (f0 + tx3 * 4) * O_stride_3;
        O[O_at13] = o_sums3_5.x;
        O[O_at13 + O_stride_3] = o_sums3_5.y;
        O[O_at13 + 2 * O_stride_3] = o_sums3_5.z;
        O[O_at13 + 3 * O_stride_3] = o_sums3_5.w;
        precise vec4 o_sums3_6 = O_sums[6];
        const int O_at14 = O_offset + (((n0 + ty3 * 8 + 6) / (OH * OW))) * O_stride_0 + (((((n0 + ty3 * 8 + 6) / OW)) % OH)) * O_stride_1 + (((n0 + ty3 * 8 + 6) % OW)) * O_stride_2 + (f0 + tx3 * 4) * O_stride_3;
        O[O_at14] = o_sums3_6.x;
        O[O_at14 + O_stride_3] = o_sums3_6.y;
        O[O_at14 + 2 * O_stride_3] = o_sums3_6.z;
        O[O_at14 + 3 * O_stride_3] = o_sums3_6.w;
        precise vec4 o_sums3_7 = O_sums[7];
        const int O_at15 = O_offset + (((n0 + ty3 * 8 + 7) / (OH * OW))) * O_stride_0 + (((((n0 + ty3 * 8 + 7) / OW)) % OH)) * O_stride_1 + (((n0 + ty3 * 8 + 7) % OW)) * O_stride_2 + (f0 + tx3 * 4) * O_stride_3;
        O[O_at15] = o_sums3_7.x;
        O[O_at15 + O_stride_3] = o_sums3_7.y;
        O[O_at15 + 2 * O_stride_3] = o_sums3_7.z;
        O[O_at15 + 3 * O_stride_3] = o_sums3_7.w;
      } else {
        precise vec4 o_sums4_0 = O_sums[0];
        const int O_at16 = O_offset + (((n0 + ty3 * 8) / (OH * OW))) * O_stride_0 + (((((n0 + ty3 * 8) / OW)) % OH)) * O_stride_1 + (((n0 + ty3 * 8) % OW)) * O_stride_2 + (f0 + tx3 * 4) * O_stride_3;
        if (0 < rows1) {
          if (0 < columns1) O[O_at16] = o_sums4_0.x;
          if (1 < columns1) O[O_at16 + O_stride_3] = o_sums4_0.y;
          if (2 < columns1) O[O_at16 + 2 * O_stride_3] = o_sums4_0.z;
          if (3 < columns1) O[O_at16 + 3 * O_stride_3] = o_sums4_0.w;
        }
        precise vec4 o_sums4_1 = O_sums[1];
        const int O_at17 = O_offset + (((n0 + ty3 * 8 + 1) / (OH * OW))) * O_stride_0 + (((((n0 + ty3 * 8 + 1) / OW)) % OH)) * O_stride_1 + (((n0 + ty3 * 8 + 1) % OW)) * O_stride_2 + (f0 + tx3 * 4) * O_stride_3;
        if (1 < rows1) {
          if (0 < columns1) O[O_at17] = o_sums4_1.x;
          if (1 < columns1) O[O_at17 + O_stride_3] = o_sums4_1.y;
          if (2 < columns1) O[O_at17 + 2 * O_stride_3] = o_sums4_1.z;
          if (3 < columns1) O[O_at17 + 3 * O_stride_3] = o_sums4_1.w;
        }
        precise vec4 o_sums4_2 = O_sums[2];
        const int O_at18 = O_offset + (((n0 + ty3 * 8 + 2) / (OH * OW))) * O_stride_0 + (((((n0 + ty3 * 8 + 2) / OW)) % OH)) * O_stride_1 + (((n0 + ty3 * 8 + 2) % OW)) * O_stride_2 + (f0 + tx3 * 4) * O_stride_3;
        if (2 < rows1) {
          if (0 < columns1) O[O_at18] = o_sums4_2.x;
          if (1 < columns1) O[O_at18 + O_stride_3] = o_sums4_2.y;
          if (2 < columns1) O[O_at18 + 2 * O_stride_3] = o_sums4_2.z;
          if (3 < columns1) O[O_at18 + 3 * O_stride_3] = o_sums4_2.w;
        }
        precise vec4 o_sums4_3 = O_sums[3];
        const int O_at19 = O_offset + (((n0 + ty3 * 8 + 3) / (OH * OW))) * O_stride_0 + (((((n0 + ty3 * 8 + 3) / OW)) % OH)) * O_stride_1 + (((n0 + ty3 * 8 + 3) % OW)) * O_stride_2 + (f0 + tx3 * 4) * O_stride_3;
        if (3 < rows1) {
          if (0 < columns1) O[O_at19] = o_sums4_3.x;
          if (1 < columns1) O[O_at19 + O_stride_3] = o_sums4_3.y;
          if (2 < columns1) O[O_at19 + 2 * O_stride_3] = o_sums4_3.z;
          if (3 < columns1) O[O_at19 + 3 * O_stride_3] = o_sums4_3.w;
        }
        precise vec4 o_sums4_4 = O_sums[4];
        const int O_at20 = O_offset + (((n0 + ty3 * 8 + 4) / (OH * OW))) * O_stride_0 + (((((n0 + ty3 * 8 + 4) / OW)) % OH)) * O_stride_1 + (((n0 + ty3 * 8 + 4) % OW)) * O_stride_2 + (f0 + tx3 * 4) * O_stride_3;
        if (4 < rows1) {
          if (0 < columns1) O[O_at20] = o_sums4_4.x;
          if (1 < columns1) O[O_at20 + O_stride_3] = o_sums4_4.y;
          if (2 < columns1) O[O_at20 + 2 * O_stride_3] = o_sums4_4.z;
          if (3 < columns1) O[O_at20 + 3 * O_stride_3] = o_sums4_4.w;
        }
        precise vec4 o_sums4_5 = O_sums[5];
        const int O_at21 = O_offset + (((n0 + ty3 * 8 + 5) / (OH * OW))) * O_stride_0 + (((((n0 + ty3 * 8 + 5) / OW)) % OH)) * O_stride_1 + (((n0 + ty3 * 8 + 5) % OW)) * O_stride_2 + (f0 + tx3 * 4) * O_stride_3;
        if (5 < rows1) {
          if (0 < columns1) O[O_at21] = o_sums4_5.x;
          if (1 < columns1) O[O_at21 + O_stride_3] = o_sums4_5.y;
          if (2 < columns1) O[O_at21 + 2 * O_stride_3] = o_sums4_5.z;
          if (3 < columns1) O[O_at21 + 3 * O_stride_3] = o_sums4_5.w;
        }
        precise vec4 o_sums4_6 = O_sums[6];
        const int O_at22 = O_offset + (((n0 + ty3 * 8 + 6) / (OH * OW))) * O_stride_0 + (((((n0 + ty3 * 8 + 6) / OW)) % OH)) * O_stride_1 + (((n0 + ty3 * 8 + 6) % OW)) * O_stride_2 + (f0 + tx3 * 4) * O_stride_3;
        if (6 < rows1) {
          if (0 < columns1) O[O_at22] = o_sums4_6.x;
          if (1 < columns1) O[O_at22 + O_stride_3] = o_sums4_6.y;
          if (2 < columns1) O[O_at22 + 2 * O_stride_3] = o_sums4_6.z;
          if (3 < columns1) O[O_at22 + 3 * O_stride_3] = o_sums4_6.w;
        }
        precise vec4 o_sums4_7 = O_sums[7];
        const int O_at23 = O_offset + (((n0 + ty3 * 8 + 7) / (OH * OW))) * O_stride_0 + (((((n0 + ty3 * 8 + 7) / OW)) % OH)) * O_stride_1 + (((n0 + ty3 * 8 + 7) % OW)) * O_stride_2 + (f0 + tx3 * 4) * O_stride_3;
        if (7 < rows1) {
          if (0 < columns1) O[O_at23] = o_sums4_7.x;
          if (1 < columns1) O[O_at23 + O_stride_3] = o_sums4_7.y;
          if (2 < columns1) O[O_at23 + 2 * O_stride_3] = o_sums4_7.z;
          if (3 < columns1) O[O_at23 + 3 * O_stride_3] = o_sums4_7.w;
        }
      }
    }
  }
}

// conv_2d_nhwc_hwcf_tiles1
#version 450
// conv_2d_nhwc_hwcf, tiles1
//
// op (n: parallel, oh: parallel, ow: parallel, f: parallel, kh: reduction, kw: reduction, c: reduction) ins(%I[n, oh * strides[0] + kh * dilations[0], ow * strides[1] + kw * dilations[1], c], %K[kh, kw, c, f]) outs(%O[n, oh, ow, f]) { (i, k, o) -> add(o, mul(i, k)) }
// contraction
// M = {n, oh, ow}, N = {f}, K = {kh, kw, c}: tiles in shared memory, sums in registers
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
//   16 <= (N * OH * OW) and 16 <= F
//   and not (8 <= (((-F) floordiv 64) * ((-N * OH * OW) floordiv 64)))
#extension GL_EXT_control_flow_attributes : require

layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 0, std430) readonly buffer I_block { float I[]; };
layout(set = 0, binding = 1, std430) readonly buffer K_block { float K[]; };
layout(set = 0, binding = 2, std430) buffer O_block { precise float O[]; };
layout(push_constant) uniform Push {
  int N, C, KH, KW, F, OH, OW, strides_0, dilations_0, strides_1, dilations_1;
  int I_offset, I_stride_0, I_stride_1, I_stride_2, I_stride_3;
  int K_offset, K_stride_0, K_stride_1, K_stride_2, K_stride_3;
  int O_offset, O_stride_0, O_stride_1, O_stride_2, O_stride_3;
  uint base_x, base_y, base_z;  // the first workgroup
};
shared precise vec4 I_tile1[144];
shared precise vec4 K_tile1[144];

void main() {
  const int n01 = int(gl_WorkGroupID.y + base_y) * 32;
  const int n01_size = min(32, N * OH * OW - n01);
  const int f01 = int(gl_WorkGroupID.x + base_x) * 32;
  const int f01_size = min(32, F - f01);
  precise vec4 O_sums1[4];
  {
    const int ty4 = int(gl_LocalInvocationID.y);
    const int tx4 = int(gl_LocalInvocationID.x);
    const int rows2 = min(4, n01_size - ty4 * 4);
    const int columns2 = min(4, f01_size - tx4 * 4);
    if (1 <= rows2 && 1 <= columns2) {
      {
        const int O_at = O_offset + (((n01 + ty4 * 4) / (OH * OW))) * O_stride_0 + (((((n01 + ty4 * 4) / OW)) % OH)) * O_stride_1 + (((n01 + ty4 * 4) % OW)) * O_stride_2 + (f01 + tx4 * 4) * O_stride_3;
        precise vec4 o3_0 = (0 < rows2 ? vec4((0 < columns2 ? O[O_at] : 0.0), (1 < columns2 ? O[O_at + O_stride_3] : 0.0), (2 < columns2 ? O[O_at + 2 * O_stride_3] : 0.0), (3 < columns2 ? O[O_at + 3 * O_stride_3] : 0.0)) : vec4(0.0));
        O_sums1[0] = o3_0;
        const int O_at1 = O_offset + (((n01 + ty4 * 4 + 1) / (OH * OW))) * O_stride_0 + (((((n01 + ty4 * 4 + 1) / OW)) % OH)) * O_stride_1 + (((n01 + ty4 * 4 + 1) % OW)) * O_stride_2 + (f01 + tx4 * 4) * O_stride_3;
        precise vec4 o3_1 = (1 < rows2 ? vec4((0 < columns2 ? O[O_at1] : 0.0), (1 < columns2 ? O[O_at1 + O_stride_3] : 0.0), (2 < columns2 ? O[O_at1 + 2 * O_stride_3] : 0.0), (3 < columns2 ? O[O_at1 + 3 * O_stride_3] : 0.0)) : vec4(0.0));
        O_sums1[1] = o3_1;
        const int O_at2 = O_offset + (((n01 + ty4 * 4 + 2) / (OH * OW))) * O_stride_0 + (((((n01 + ty4 * 4 + 2) / OW)) % OH)) * O_stride_1 + (((n01 + ty4 * 4 + 2) % OW)) * O_stride_2 + (f01 + tx4 * 4) * O_stride_3;
        precise vec4 o3_2 = (2 < rows2 ? vec4((0 < columns2 ? O[O_at2] : 0.0), (1 < columns2 ? O[O_at2 + O_stride_3] : 0.0), (2 < columns2 ? O[O_at2 + 2 * O_stride_3] : 0.0), (3 < columns2 ? O[O_at2 + 3 * O_stride_3] : 0.0)) : vec4(0.0));
        O_sums1[2] = o3_2;
        const int O_at3 = O_offset + (((n01 + ty4 * 4 + 3) / (OH * OW))) * O_stride_0 + (((((n01 + ty4 * 4 + 3) / OW)) % OH)) * O_stride_1 + (((n01 + ty4 * 4 + 3) % OW)) * O_stride_2 + (f01 + tx4 * 4) * O_stride_3;
        precise vec4 o3_3 = (3 < rows2 ? vec4((0 < columns2 ? O[O_at3] : 0.0), (1 < columns2 ? O[O_at3 + O_stride_3] : 0.0), (2 < columns2 ? O[O_at3 + 2 * O_stride_3] : 0.0), (3 < columns2 ? O[O_at3 + 3 * O_stride_3] : 0.0)) : vec4(0.0));
        O_sums1[3] = o3_3;
      }
    }
  }
  for (int kh01 = 0; kh01 < C * KH * KW; kh01 += 16) {
    const int kh01_size = min(16, C * KH * KW - kh01);
    [[unroll]] for (int turn5 = 0; turn5 < 8; ++turn5) {
      const int i5 = int(gl_LocalInvocationIndex);
      const int kh07 = turn5 * 2 + (i5 >> 5);
      const int n07 = (i5 & 31);
      I_tile1[(kh07 * 36 + n07) >> 2][(kh07 * 36 + n07) & 3] = (n07 < n01_size && kh07 < kh01_size ? I[I_offset + (((n01 + n07) / (OH * OW))) * I_stride_0 + (strides_0 * ((((n01 + n07) / OW)) % OH) + dilations_0 * ((kh01 + kh07) / (C * KW))) * I_stride_1 + (strides_1 * ((n01 + n07) % OW) + dilations_1 * ((((kh01 + kh07) / C)) % KW)) * I_stride_2 + (((kh01 + kh07) % C)) * I_stride_3] : 0.0);
    }
    [[unroll]] for (int turn7 = 0; turn7 < 8; ++turn7) {
      const int i7 = int(gl_LocalInvocationIndex);
      const int kh09 = turn7 * 2 + (i7 >> 5);
      const int f07 = (i7 & 31);
      K_tile1[(kh09 * 36 + f07) >> 2][(kh09 * 36 + f07) & 3] = (kh09 < kh01_size && f07 < f01_size ? K[K_offset + (((kh01 + kh09) / (C * KW))) * K_stride_0 + (((((kh01 + kh09) / C)) % KW)) * K_stride_1 + (((kh01 + kh09) % C)) * K_stride_2 + (f01 + f07) * K_stride_3] : 0.0);
    }
    barrier();
    if (kh01_size == 16) {
      const int ty5 = int(gl_LocalInvocationID.y);
      const int tx5 = int(gl_LocalInvocationID.x);
      {
        precise vec4 o_sums12_0 = O_sums1[0];
        precise vec4 o_sums12_1 = O_sums1[1];
        precise vec4 o_sums12_2 = O_sums1[2];
        precise vec4 o_sums12_3 = O_sums1[3];
        [[unroll]] for (int kh = 0; kh < 16; ++kh) {
          precise vec4 k_tile111 = K_tile1[kh * 9 + tx5];
          precise vec4 i_tile11_row = I_tile1[kh * 9 + ty5];
          precise vec4 i_tile11_0 = vec4(i_tile11_row.x);
          o_sums12_0 = fma(i_tile11_0, k_tile111, o_sums12_0);
          precise vec4 i_tile11_1 = vec4(i_tile11_row.y);
          o_sums12_1 = fma(i_tile11_1, k_tile111, o_sums12_1);
          precise vec4 i_tile11_2 = vec4(i_tile11_row.z);
          o_sums12_2 = fma(i_tile11_2, k_tile111, o_sums12_2);
          precise vec4 i_tile11_3 = vec4(i_tile11_row.w);
          o_sums12_3 = fma(i_tile11_3, k_tile111, o_sums12_3);
        }
        O_sums1[0] = o_sums12_0;
        O_sums1[1] = o_sums12_1;
        O_sums1[2] = o_sums12_2;
        O_sums1[3] = o_sums12_3;
      }
    } else {
      const int ty6 = int(gl_LocalInvocationID.y);
      const int tx6 = int(gl_LocalInvocationID.x);
      {
        precise vec4 o_sums13_0 = O_sums1[0];
        precise vec4 o_sums13_1 = O_sums1[1];
        precise vec4 o_sums13_2 = O_sums1[2];
        precise vec4 o_sums13_3 = O_sums1[3];
        for (int kh = 0; kh < kh01_size; ++kh) {
          precise vec4 k_tile121 = K_tile1[kh * 9 + tx6];
          precise vec4 i_tile12_row = I_tile1[kh * 9 + ty6];
          precise vec4 i_tile12_0 = vec4(i_tile12_row.x);
          o_sums13_0 = fma(i_tile12_0, k_tile121, o_sums13_0);
          precise vec4 i_tile12_1 = vec4(i_tile12_row.y);
          o_sums13_1 = fma(i_tile12_1, k_tile121, o_sums13_1);
          precise vec4 i_tile12_2 = vec4(i_tile12_row.z);
          o_sums13_2 = fma(i_tile12_2, k_tile121, o_sums13_2);
          precise vec4 i_tile12_3 = vec4(i_tile12_row.w);
          o_sums13_3 = fma(i_tile12_3, k_tile121, o_sums13_3);
        }
        O_sums1[0] = o_sums13_0;
        O_sums1[1] = o_sums13_1;
        O_sums1[2] = o_sums13_2;
        O_sums1[3] = o_sums13_3;
      }
    }
    barrier();
  }
  barrier();
  {
    const int ty7 = int(gl_LocalInvocationID.y);
    const int tx7 = int(gl_LocalInvocationID.x);
    const int rows3 = min(4, n01_size - ty7 * 4);
    const int columns3 = min(4, f01_size - tx7 * 4);
    if (1 <= rows3 && 1 <= columns3) {
      if (rows3 == 4 && columns3 == 4) {
        precise vec4 o_sums14_0 = O_sums1[0];
        const int O_at4 = O_offset + (((n01 + ty7 * 4) / (OH * OW))) * O_stride_0 + (((((n01 + ty7 * 4) / OW)) % OH)) * O_stride_1 + (((n01 + ty7 * 4) % OW)) * O_stride_2 + (f01 + tx7 * 4) * O_stride_3;
        O[O_at4] = o_sums14_0.x;
        O[O_at4 + O_stride_3] = o_sums14_0.y;
        O[O_at4 + 2 * O_stride_3] = o_sums14_0.z;
        O[O_at4 + 3 * O_stride_3] = o_sums14_0.w;
        precise vec4 o_sums14_1 = O_sums1[1];
        const int O_at5 = O_offset + (((n01 + ty7 * 4 + 1) / (OH * OW))) * O_stride_0 + (((((n01 + ty7 * 4 + 1) / OW)) % OH)) * O_stride_1 + (((n01 + ty7 * 4 + 1) % OW)) * O_stride_2 + (f01 + tx7 * 4) * O_stride_3;
        O[O_at5] = o_sums14_1.x;
        O[O_at5 + O_stride_3] = o_sums14_1.y;
        O[O_at5 + 2 * O_stride_3] = o_sums14_1.z;
        O[O_at5 + 3 * O_stride_3] = o_sums14_1.w;
        precise vec4 o_sums14_2 = O_sums1[2];
        const int O_at6 = O_offset + (((n01 + ty7 * 4 + 2) / (OH * OW))) * O_stride_0 + (((((n01 + ty7 * 4 + 2) / OW)) % OH)) * O_stride_1 + (((n01 + ty7 * 4 + 2) % OW)) * O_stride_2 + (f01 + tx7 * 4) * O_stride_3;
        O[O_at6] = o_sums14_2.x;
        O[O_at6 + O_stride_3] = o_sums14_2.y;
        O[O_at6 + 2 * O_stride_3] = o_sums14_2.z;
        O[O_at6 + 3 * O_stride_3] = o_sums14_2.w;
        precise vec4 o_sums14_3 = O_sums1[3];
        const int O_at7 = O_offset + (((n01 + ty7 * 4 + 3) / (OH * OW))) * O_stride_0 + (((((n01 + ty7 * 4 + 3) / OW)) % OH)) * O_stride_1 + (((n01 + ty7 * 4 + 3) % OW)) * O_stride_2 + (f01 + tx7 * 4) * O_stride_3;
        O[O_at7] = o_sums14_3.x;
        O[O_at7 + O_stride_3] = o_sums14_3.y;
        O[O_at7 + 2 * O_stride_3] = o_sums14_3.z;
        O[O_at7 + 3 * O_stride_3] = o_sums14_3.w;
      } else {
        precise vec4 o_sums15_0 = O_sums1[0];
        const int O_at8 = O_offset + (((n01 + ty7 * 4) / (OH * OW))) * O_stride_0 + (((((n01 + ty7 * 4) / OW)) % OH)) * O_stride_1 + (((n01 + ty7 * 4) % OW)) * O_stride_2 + (f01 + tx7 * 4) * O_stride_3;
        if (0 < rows3) {
          if (0 < columns3) O[O_at8] = o_sums15_0.x;
          if (1 < columns3) O[O_at8 + O_stride_3] = o_sums15_0.y;
          if (2 < columns3) O[O_at8 + 2 * O_stride_3] = o_sums15_0.z;
          if (3 < columns3) O[O_at8 + 3 * O_stride_3] = o_sums15_0.w;
        }
        precise vec4 o_sums15_1 = O_sums1[1];
        const int O_at9 = O_offset + (((n01 + ty7 * 4 + 1) / (OH * OW))) * O_stride_0 + (((((n01 + ty7 * 4 + 1) / OW)) % OH)) * O_stride_1 + (((n01 + ty7 * 4 + 1) % OW)) * O_stride_2 + (f01 + tx7 * 4) * O_stride_3;
        if (1 < rows3) {
          if (0 < columns3) O[O_at9] = o_sums15_1.x;
          if (1 < columns3) O[O_at9 + O_stride_3] = o_sums15_1.y;
          if (2 < columns3) O[O_at9 + 2 * O_stride_3] = o_sums15_1.z;
          if (3 < columns3) O[O_at9 + 3 * O_stride_3] = o_sums15_1.w;
        }
        precise vec4 o_sums15_2 = O_sums1[2];
        const int O_at10 = O_offset + (((n01 + ty7 * 4 + 2) / (OH * OW))) * O_stride_0 + (((((n01 + ty7 * 4 + 2) / OW)) % OH)) * O_stride_1 + (((n01 + ty7 * 4 + 2) % OW)) * O_stride_2 + (f01 + tx7 * 4) * O_stride_3;
        if (2 < rows3) {
          if (0 < columns3) O[O_at10] = o_sums15_2.x;
          if (1 < columns3) O[O_at10 + O_stride_3] = o_sums15_2.y;
          if (2 < columns3) O[O_at10 + 2 * O_stride_3] = o_sums15_2.z;
          if (3 < columns3) O[O_at10 + 3 * O_stride_3] = o_sums15_2.w;
        }
        precise vec4 o_sums15_3 = O_sums1[3];
        const int O_at11 = O_offset + (((n01 + ty7 * 4 + 3) / (OH * OW))) * O_stride_0 + (((((n01 + ty7 * 4 + 3) / OW)) % OH)) * O_stride_1 + (((n01 + ty7 * 4 + 3) % OW)) * O_stride_2 + (f01 + tx7 * 4) * O_stride_3;
        if (3 < rows3) {
          if (0 < columns3) O[O_at11] = o_sums15_3.x;
          if (1 < columns3) O[O_at11 + O_stride_3] = o_sums15_3.y;
          if (2 < columns3) O[O_at11 + 2 * O_stride_3] = o_sums15_3.z;
          if (3 < columns3) O[O_at11 + 3 * O_stride_3] = o_sums15_3.w;
        }
      }
    }
  }
}

// conv_2d_nhwc_hwcf_rows4
#version 450
// conv_2d_nhwc_hwcf, rows4
//
// op (n: parallel, oh: parallel, ow: parallel, f: parallel, kh: reduction, kw: reduction, c: reduction) ins(%I[n, oh * strides[0] + kh * dilations[0], ow * strides[1] + kw * dilations[1], c], %K[kh, kw, c, f]) outs(%O[n, oh, ow, f]) { (i, k, o) -> add(o, mul(i, k)) }
// contraction
// M = {n, oh, ow}, N = {f}, K = {kh, kw, c}: tiles in shared memory, sums in registers
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
//   not (16 <= (N * OH * OW) and 16 <= F)
//   and 32 < (C * KH * KW) and unit %I[n, oh * strides[0] + kh * dilations[0], ow * strides[1] + kw * dilations[1], c] along c

layout(local_size_x = 32, local_size_y = 4) in;
layout(set = 0, binding = 0, std430) readonly buffer I_block { float I[]; };
layout(set = 0, binding = 1, std430) readonly buffer K_block { float K[]; };
layout(set = 0, binding = 2, std430) buffer O_block { precise float O[]; };
layout(push_constant) uniform Push {
  int C, KH, KW, F, OH, strides_0, dilations_0, strides_1, dilations_1;
  int I_offset, I_stride_0, I_stride_1, I_stride_2;
  int K_offset, K_stride_0, K_stride_1, K_stride_2, K_stride_3;
  int O_offset, O_stride_0, O_stride_1, O_stride_2, O_stride_3;
  uint base_x, base_y, base_z;  // the first workgroup
};
shared precise float parts[128];

void main() {
  const int i13 = int(gl_WorkGroupID.z + base_z);
  const int n02 = (i13 / OH);
  const int oh0 = (i13 % OH);
  const int ow0 = int(gl_WorkGroupID.y + base_y);
  const int f02 = int(gl_WorkGroupID.x + base_x) * 4;
  const int f02_size = min(4, F - f02);
  {
    const int r = int(gl_LocalInvocationID.y);
    const int t = int(gl_LocalInvocationID.x);
    if (r < f02_size) {
      const int kh_count = -((-C * KH * KW + t) >> 5);
      parts[r * 32 + t] = -0.0;
      precise float parts_t_1 = parts[r * 32 + t];
      for (int kh = 0; kh < kh_count; ++kh) {
        parts_t_1 = parts_t_1 + (I[I_offset + n02 * I_stride_0 + (oh0 * strides_0 + dilations_0 * ((t + kh * 32) / (C * KW))) * I_stride_1 + (ow0 * strides_1 + dilations_1 * ((((t + kh * 32) / C)) % KW)) * I_stride_2 + ((t + kh * 32) % C)] * K[K_offset + (((t + kh * 32) / (C * KW))) * K_stride_0 + (((((t + kh * 32) / C)) % KW)) * K_stride_1 + (((t + kh * 32) % C)) * K_stride_2 + (f02 + r) * K_stride_3]);
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
      if (r1 < f02_size) {
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
      if (r2 < f02_size) {
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
      if (r3 < f02_size) {
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
      if (r4 < f02_size) {
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
      if (r5 < f02_size) {
        parts[r5 * 32 + t5] = parts[r5 * 32 + t5] + parts[r5 * 32 + t5 + 1];
      }
    }
  }
  barrier();
  for (int f08 = int(gl_LocalInvocationIndex); f08 < f02_size; f08 += 128) {
    O[O_offset + n02 * O_stride_0 + oh0 * O_stride_1 + ow0 * O_stride_2 + (f02 + f08) * O_stride_3] = O[O_offset + n02 * O_stride_0 + oh0 * O_stride_1 + ow0 * O_stride_2 + (f02 + f08) * O_stride_3] + parts[f08 * 32];
  }
}

// conv_2d_nhwc_hwcf_grid
#version 450
// conv_2d_nhwc_hwcf, grid
//
// op (n: parallel, oh: parallel, ow: parallel, f: parallel, kh: reduction, kw: reduction, c: reduction) ins(%I[n, oh * strides[0] + kh * dilations[0], ow * strides[1] + kw * dilations[1], c], %K[kh, kw, c, f]) outs(%O[n, oh, ow, f]) { (i, k, o) -> add(o, mul(i, k)) }
// contraction
// M = {n, oh, ow}, N = {f}, K = {kh, kw, c}: tiles in shared memory, sums in registers
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
//   not (16 <= (N * OH * OW) and 16 <= F)
//   and not (32 < (C * KH * KW) and unit %I[n, oh * strides[0] + kh * dilations[0], ow * strides[1] + kw * dilations[1], c] along c)

layout(local_size_x = 128, local_size_x_id = 0) in;
layout(set = 0, binding = 0, std430) readonly buffer I_block { float I[]; };
layout(set = 0, binding = 1, std430) readonly buffer K_block { float K[]; };
layout(set = 0, binding = 2, std430) buffer O_block { precise float O[]; };
layout(push_constant) uniform Push {
  int C, KH, KW, F, OH, OW, positions1, strides_0, dilations_0, strides_1, dilations_1;
  int I_offset, I_stride_0, I_stride_1, I_stride_2, I_stride_3;
  int K_offset, K_stride_0, K_stride_1, K_stride_2, K_stride_3;
  int O_offset, O_stride_0, O_stride_1, O_stride_2, O_stride_3;
  uint base_x, base_y, base_z;  // the first workgroup
};

void main() {
  const int i14 = int(gl_GlobalInvocationID.x + base_x * gl_WorkGroupSize.x);
  if (i14 < positions1) {
    const int n03 = (i14 / (F * OH * OW));
    const int oh01 = (((i14 / (F * OW))) % OH);
    const int ow01 = ((i14 / F) % OW);
    const int f03 = (i14 % F);
    precise float o_n03_oh01_ow01_f03 = O[O_offset + n03 * O_stride_0 + oh01 * O_stride_1 + ow01 * O_stride_2 + f03 * O_stride_3];
    for (int kh = 0; kh < KH; ++kh) {
      for (int kw = 0; kw < KW; ++kw) {
        for (int c = 0; c < C; ++c) {
          o_n03_oh01_ow01_f03 = o_n03_oh01_ow01_f03 + (I[I_offset + n03 * I_stride_0 + (oh01 * strides_0 + kh * dilations_0) * I_stride_1 + (ow01 * strides_1 + kw * dilations_1) * I_stride_2 + c * I_stride_3] * K[K_offset + kh * K_stride_0 + kw * K_stride_1 + c * K_stride_2 + f03 * K_stride_3]);
        }
      }
    }
    O[O_offset + n03 * O_stride_0 + oh01 * O_stride_1 + ow01 * O_stride_2 + f03 * O_stride_3] = o_n03_oh01_ow01_f03;
  }
}
