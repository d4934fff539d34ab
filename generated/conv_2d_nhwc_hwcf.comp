// conv_2d_nhwc_hwcf_tiles
#version 450
// conv_2d_nhwc_hwcf, tiles
//
// op (n: parallel, oh: parallel, ow: parallel, f: parallel, kh: reduction, kw: reduction, c: reduction) ins(%I[n, oh * strides[0] + kh * dilations[0], ow * strides[1] + kw * dilations[1], c], %K[kh, kw, c, f]) outs(%O[n, oh, ow, f]) { (i, k, o) -> add(o, mul(i, k)) }
// contraction
// M = {n, oh, ow}, N = {f}, K = {kh, kw, c}: tiles in shared memory, sums in registers
// mr = 4: the sums of an invocation take 32 of vulkan's 64 registers
// nr = 8: the sums of an invocation take 32 of vulkan's 64 registers
// rows = 16: 128 of vulkan's 128 invocations make tiles of 64 x 64
// columns = 8: 128 of vulkan's 128 invocations make tiles of 64 x 64
// kt = 16: so many terms of both operands take 8192 of vulkan's 16384 bytes of shared memory
// fewest = 16: where M and N have so many positions each; else an invocation for each position, as most of a tile would be empty
//
// Of this, what is done where
//   16 <= (N * OH * OW) and 16 <= F

layout(local_size_x = 8, local_size_y = 16) in;
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
    const int rows = min(4, n0_size - ty * 4);
    const int columns = min(8, f0_size - tx * 8);
    if (1 <= rows && 1 <= columns) {
      {
        const int O_at = O_offset + (((n0 + ty * 4) / (OH * OW))) * O_stride_0 + (((((n0 + ty * 4) / OW)) % OH)) * O_stride_1 + (((n0 + ty * 4) % OW)) * O_stride_2 + (f0 + tx * 8) * O_stride_3;
        precise vec4 o_0_0 = (0 < rows ? vec4((0 < columns ? O[O_at] : 0.0), (1 < columns ? O[O_at + O_stride_3] : 0.0), (2 < columns ? O[O_at + 2 * O_stride_3] : 0.0), (3 < columns ? O[O_at + 3 * O_stride_3] : 0.0)) : vec4(0.0));
        const int O_at1 = O_offset + (((n0 + ty * 4) / (OH * OW))) * O_stride_0 + (((((n0 + ty * 4) / OW)) % OH)) * O_stride_1 + (((n0 + ty * 4) % OW)) * O_stride_2 + (f0 + tx * 8 + 4) * O_stride_3;
        precise vec4 o_0_1 = (0 < rows ? vec4((4 < columns ? O[O_at1] : 0.0), (5 < columns ? O[O_at1 + O_stride_3] : 0.0), (6 < columns ? O[O_at1 + 2 * O_stride_3] : 0.0), (7 < columns ? O[O_at1 + 3 * O_stride_3] : 0.0)) : vec4(0.0));
        O_sums[0] = o_0_0;
        O_sums[1] = o_0_1;
        const int O_at2 = O_offset + (((n0 + ty * 4 + 1) / (OH * OW))) * O_stride_0 + (((((n0 + ty * 4 + 1) / OW)) % OH)) * O_stride_1 + (((n0 + ty * 4 + 1) % OW)) * O_stride_2 + (f0 + tx * 8) * O_stride_3;
        precise vec4 o_1_0 = (1 < rows ? vec4((0 < columns ? O[O_at2] : 0.0), (1 < columns ? O[O_at2 + O_stride_3] : 0.0), (2 < columns ? O[O_at2 + 2 * O_stride_3] : 0.0), (3 < columns ? O[O_at2 + 3 * O_stride_3] : 0.0)) : vec4(0.0));
        const int O_at3 = O_offset + (((n0 + ty * 4 + 1) / (OH * OW))) * O_stride_0 + (((((n0 + ty * 4 + 1) / OW)) % OH)) * O_stride_1 + (((n0 + ty * 4 + 1) % OW)) * O_stride_2 + (f0 + tx * 8 + 4) * O_stride_3;
        precise vec4 o_1_1 = (1 < rows ? vec4((4 < columns ? O[O_at3] : 0.0), (5 < columns ? O[O_at3 + O_stride_3] : 0.0), (6 < columns ? O[O_at3 + 2 * O_stride_3] : 0.0), (7 < columns ? O[O_at3 + 3 * O_stride_3] : 0.0)) : vec4(0.0));
        O_sums[2] = o_1_0;
        O_sums[3] = o_1_1;
        const int O_at4 = O_offset + (((n0 + ty * 4 + 2) / (OH * OW))) * O_stride_0 + (((((n0 + ty * 4 + 2) / OW)) % OH)) * O_stride_1 + (((n0 + ty * 4 + 2) % OW)) * O_stride_2 + (f0 + tx * 8) * O_stride_3;
        precise vec4 o_2_0 = (2 < rows ? vec4((0 < columns ? O[O_at4] : 0.0), (1 < columns ? O[O_at4 + O_stride_3] : 0.0), (2 < columns ? O[O_at4 + 2 * O_stride_3] : 0.0), (3 < columns ? O[O_at4 + 3 * O_stride_3] : 0.0)) : vec4(0.0));
        const int O_at5 = O_offset + (((n0 + ty * 4 + 2) / (OH * OW))) * O_stride_0 + (((((n0 + ty * 4 + 2) / OW)) % OH)) * O_stride_1 + (((n0 + ty * 4 + 2) % OW)) * O_stride_2 + (f0 + tx * 8 + 4) * O_stride_3;
        precise vec4 o_2_1 = (2 < rows ? vec4((4 < columns ? O[O_at5] : 0.0), (5 < columns ? O[O_at5 + O_stride_3] : 0.0), (6 < columns ? O[O_at5 + 2 * O_stride_3] : 0.0), (7 < columns ? O[O_at5 + 3 * O_stride_3] : 0.0)) : vec4(0.0));
        O_sums[4] = o_2_0;
        O_sums[5] = o_2_1;
        const int O_at6 = O_offset + (((n0 + ty * 4 + 3) / (OH * OW))) * O_stride_0 + (((((n0 + ty * 4 + 3) / OW)) % OH)) * O_stride_1 + (((n0 + ty * 4 + 3) % OW)) * O_stride_2 + (f0 + tx * 8) * O_stride_3;
        precise vec4 o_3_0 = (3 < rows ? vec4((0 < columns ? O[O_at6] : 0.0), (1 < columns ? O[O_at6 + O_stride_3] : 0.0), (2 < columns ? O[O_at6 + 2 * O_stride_3] : 0.0), (3 < columns ? O[O_at6 + 3 * O_stride_3] : 0.0)) : vec4(0.0));
        const int O_at7 = O_offset + (((n0 + ty * 4 + 3) / (OH * OW))) * O_stride_0 + (((((n0 + ty * 4 + 3) / OW)) % OH)) * O_stride_1 + (((n0 + ty * 4 + 3) % OW)) * O_stride_2 + (f0 + tx * 8 + 4) * O_stride_3;
        precise vec4 o_3_1 = (3 < rows ? vec4((4 < columns ? O[O_at7] : 0.0), (5 < columns ? O[O_at7 + O_stride_3] : 0.0), (6 < columns ? O[O_at7 + 2 * O_stride_3] : 0.0), (7 < columns ? O[O_at7 + 3 * O_stride_3] : 0.0)) : vec4(0.0));
        O_sums[6] = o_3_0;
        O_sums[7] = o_3_1;
      }
    }
  }
  for (int kh0 = 0; kh0 < C * KH * KW; kh0 += 16) {
    const int kh0_size = min(16, C * KH * KW - kh0);
    for (int turn1 = 0; turn1 < 8; ++turn1) {
      const int i1 = int(gl_LocalInvocationIndex);
      const int kh02 = turn1 * 2 + (i1 >> 6);
      const int n04 = (i1 & 63);
      I_tile[(kh02 * 68 + n04) >> 2][(kh02 * 68 + n04) & 3] = (n04 < n0_size && kh02 < kh0_size ? I[I_offset + (((n0 + n04) / (OH * OW))) * I_stride_0 + (strides_0 * ((((n0 + n04) / OW)) % OH) + dilations_0 * ((kh0 + kh02) / (C * KW))) * I_stride_1 + (strides_1 * ((n0 + n04) % OW) + dilations_1 * ((((kh0 + kh02) / C)) % KW)) * I_stride_2 + (((kh0 + kh02) % C)) * I_stride_3] : 0.0);
    }
    for (int turn3 = 0; turn3 < 8; ++turn3) {
      const int i3 = int(gl_LocalInvocationIndex);
      const int kh04 = turn3 * 2 + (i3 >> 6);
      const int f04 = (i3 & 63);
      K_tile[(kh04 * 68 + f04) >> 2][(kh04 * 68 + f04) & 3] = (kh04 < kh0_size && f04 < f0_size ? K[K_offset + (((kh0 + kh04) / (C * KW))) * K_stride_0 + (((((kh0 + kh04) / C)) % KW)) * K_stride_1 + (((kh0 + kh04) % C)) * K_stride_2 + (f0 + f04) * K_stride_3] : 0.0);
    }
    barrier();
    if (kh0_size == 16) {
      const int ty1 = int(gl_LocalInvocationID.y);
      const int tx1 = int(gl_LocalInvocationID.x);
      {
        precise vec4 o_sums1_0_0 = O_sums[0];
        precise vec4 o_sums1_0_1 = O_sums[1];
        precise vec4 o_sums1_1_0 = O_sums[2];
        precise vec4 o_sums1_1_1 = O_sums[3];
        precise vec4 o_sums1_2_0 = O_sums[4];
        precise vec4 o_sums1_2_1 = O_sums[5];
        precise vec4 o_sums1_3_0 = O_sums[6];
        precise vec4 o_sums1_3_1 = O_sums[7];
        for (int kh = 0; kh < 16; ++kh) {
          precise vec4 k_tile_0 = K_tile[kh * 17 + tx1 * 2];
          precise vec4 k_tile_1 = K_tile[kh * 17 + tx1 * 2 + 1];
          precise vec4 i_tile_row = I_tile[kh * 17 + ty1];
          precise vec4 i_tile_0 = vec4(i_tile_row.x);
          o_sums1_0_0 = fma(i_tile_0, k_tile_0, o_sums1_0_0);
          o_sums1_0_1 = fma(i_tile_0, k_tile_1, o_sums1_0_1);
          precise vec4 i_tile_1 = vec4(i_tile_row.y);
          o_sums1_1_0 = fma(i_tile_1, k_tile_0, o_sums1_1_0);
          o_sums1_1_1 = fma(i_tile_1, k_tile_1, o_sums1_1_1);
          precise vec4 i_tile_2 = vec4(i_tile_row.z);
          o_sums1_2_0 = fma(i_tile_2, k_tile_0, o_sums1_2_0);
          o_sums1_2_1 = fma(i_tile_2, k_tile_1, o_sums1_2_1);
          precise vec4 i_tile_3 = vec4(i_tile_row.w);
          o_sums1_3_0 = fma(i_tile_3, k_tile_0, o_sums1_3_0);
          o_sums1_3_1 = fma(i_tile_3, k_tile_1, o_sums1_3_1);
        }
        O_sums[0] = o_sums1_0_0;
        O_sums[1] = o_sums1_0_1;
        O_sums[2] = o_sums1_1_0;
        O_sums[3] = o_sums1_1_1;
        O_sums[4] = o_sums1_2_0;
        O_sums[5] = o_sums1_2_1;
        O_sums[6] = o_sums1_3_0;
        O_sums[7] = o_sums1_3_1;
      }
    } else {
      const int ty2 = int(gl_LocalInvocationID.y);
      const int tx2 = int(gl_LocalInvocationID.x);
      {
        precise vec4 o_sums2_0_0 = O_sums[0];
        precise vec4 o_sums2_0_1 = O_sums[1];
        precise vec4 o_sums2_1_0 = O_sums[2];
        precise vec4 o_sums2_1_1 = O_sums[3];
        precise vec4 o_sums2_2_0 = O_sums[4];
        precise vec4 o_sums2_2_1 = O_sums[5];
        precise vec4 o_sums2_3_0 = O_sums[6];
        precise vec4 o_sums2_3_1 = O_sums[7];
        for (int kh = 0; kh < kh0_size; ++kh) {
          precise vec4 k_tile1_0 = K_tile[kh * 17 + tx2 * 2];
          precise vec4 k_tile1_1 = K_tile[kh * 17 + tx2 * 2 + 1];
          precise vec4 i_tile1_row = I_tile[kh * 17 + ty2];
          precise vec4 i_tile1_0 = vec4(i_tile1_row.x);
          o_sums2_0_0 = fma(i_tile1_0, k_tile1_0, o_sums2_0_0);
          o_sums2_0_1 = fma(i_tile1_0, k_tile1_1, o_sums2_0_1);
          precise vec4 i_tile1_1 = vec4(i_tile1_row.y);
          o_sums2_1_0 = fma(i_tile1_1, k_tile1_0, o_sums2_1_0);
          o_sums2_1_1 = fma(i_tile1_1, k_tile1_1, o_sums2_1_1);
          precise vec4 i_tile1_2 = vec4(i_tile1_row.z);
          o_sums2_2_0 = fma(i_tile1_2, k_tile1_0, o_sums2_2_0);
          o_sums2_2_1 = fma(i_tile1_2, k_tile1_1, o_sums2_2_1);
          precise vec4 i_tile1_3 = vec4(i_tile1_row.w);
          o_sums2_3_0 = fma(i_tile1_3, k_tile1_0, o_sums2_3_0);
          o_sums2_3_1 = fma(i_tile1_3, k_tile1_1, o_sums2_3_1);
        }
        O_sums[0] = o_sums2_0_0;
        O_sums[1] = o_sums2_0_1;
        O_sums[2] = o_sums2_1_0;
        O_sums[3] = o_sums2_1_1;
        O_sums[4] = o_sums2_2_0;
        O_sums[5] = o_sums2_2_1;
        O_sums[6] = o_sums2_3_0;
        O_sums[7] = o_sums2_3_1;
      }
    }
    barrier();
  }
  barrier();
  {
    const int ty3 = int(gl_LocalInvocationID.y);
    const int tx3 = int(gl_LocalInvocationID.x);
    const int rows1 = min(4, n0_size - ty3 * 4);
    const int columns1 = min(8, f0_size - tx3 * 8);
    if (1 <= rows1 && 1 <= columns1) {
      if (rows1 == 4 && columns1 == 8) {
        precise vec4 o_sums3_0_0 = O_sums[0];
        precise vec4 o_sums3_0_1 = O_sums[1];
        const int O_at8 = O_offset + (((n0 + ty3 * 4) / (OH * OW))) * O_stride_0 + (((((n0 + ty3 * 4) / OW)) % OH)) * O_stride_1 + (((n0 + ty3 * 4) % OW)) * O_stride_2 + (f0 + tx3 * 8) * O_stride_3;
        O[O_at8] = o_sums3_0_0.x;
        O[O_at8 + O_stride_3] = o_sums3_0_0.y;
        O[O_at8 + 2 * O_stride_3] = o_sums3_0_0.z;
        O[O_at8 + 3 * O_stride_3] = o_sums3_0_0.w;
        const int O_at9 = O_offset + (((n0 + ty3 * 4) / (OH * OW))) * O_stride_0 + (((((n0 + ty3 * 4) / OW)) % OH)) * O_stride_1 + (((n0 + ty3 * 4) % OW)) * O_stride_2 + (f0 + tx3 * 8 + 4) * O_stride_3;
        O[O_at9] = o_sums3_0_1.x;
        O[O_at9 + O_stride_3] = o_sums3_0_1.y;
        O[O_at9 + 2 * O_stride_3] = o_sums3_0_1.z;
        O[O_at9 + 3 * O_stride_3] = o_sums3_0_1.w;
        precise vec4 o_sums3_1_0 = O_sums[2];
        precise vec4 o_sums3_1_1 = O_sums[3];
        const int O_at10 = O_offset + (((n0 + ty3 * 4 + 1) / (OH * OW))) * O_stride_0 + (((((n0 + ty3 * 4 + 1) / OW)) % OH)) * O_stride_1 + (((n0 + ty3 * 4 + 1) % OW)) * O_stride_2 + (f0 + tx3 * 8) * O_stride_3;
        O[O_at10] = o_sums3_1_0.x;
        O[O_at10 + O_stride_3] = o_sums3_1_0.y;
        O[O_at10 + 2 * O_stride_3] = o_sums3_1_0.z;
        O[O_at10 + 3 * O_stride_3] = o_sums3_1_0.w;
        const int O_at11 = O_offset + (((n0 + ty3 * 4 + 1) / (OH * OW))) * O_stride_0 + (((((n0 + ty3 * 4 + 1) / OW)) % OH)) * O_stride_1 + (((n0 + ty3 * 4 + 1) % OW)) * O_stride_2 + (f0 + tx3 * 8 + 4) * O_stride_3;
        O[O_at11] = o_sums3_1_1.x;
        O[O_at11 + O_stride_3] = o_sums3_1_1.y;
        O[O_at11 + 2 * O_stride_3] = o_sums3_1_1.z;
        O[O_at11 + 3 * O_stride_3] = o_sums3_1_1.w;
        precise vec4 o_sums3_2_0 = O_sums[4];
        precise vec4 o_sums3_2_1 = O_sums[5];
        const int O_at12 = O_offset + (((n0 + ty3 * 4 + 2) / (OH * OW))) * O_stride_0 + (((((n0 + ty3 * 4 + 2) / OW)) % OH)) * O_stride_1 + (((n0 + ty3 * 4 + 2) % OW)) * O_stride_2 + (f0 + tx3 * 8) * O_stride_3;
        O[O_at12] = o_sums3_2_0.x;
        O[O_at12 + O_stride_3] = o_sums3_2_0.y;
        O[O_at12 + 2 * O_stride_3] = o_sums3_2_0.z;
        O[O_at12 + 3 * O_stride_3] = o_sums3_2_0.w;
        const int O_at13 = O_offset + (((n0 + ty3 * 4 + 2) / (OH * OW))) * O_stride_0 + (((((n0 + ty3 * 4 + 2) / OW)) % OH)) * O_stride_1 + (((n0 + ty3 * 4 + 2) % OW)) * O_stride_2 + (f0 + tx3 * 8 + 4) * O_stride_3;
        O[O_at13] = o_sums3_2_1.x;
        O[O_at13 + O_stride_3] = o_sums3_2_1.y;
        O[O_at13 + 2 * O_stride_3] = o_sums3_2_1.z;
        O[O_at13 + 3 * O_stride_3] = o_sums3_2_1.w;
        precise vec4 o_sums3_3_0 = O_sums[6];
        precise vec4 o_sums3_3_1 = O_sums[7];
        const int O_at14 = O_offset + (((n0 + ty3 * 4 + 3) / (OH * OW))) * O_stride_0 + (((((n0 + ty3 * 4 + 3) / OW)) % OH)) * O_stride_1 + (((n0 + ty3 * 4 + 3) % OW)) * O_stride_2 + (f0 + tx3 * 8) * O_stride_3;
        O[O_at14] = o_sums3_3_0.x;
        O[O_at14 + O_stride_3] = o_sums3_3_0.y;
        O[O_at14 + 2 * O_stride_3] = o_sums3_3_0.z;
        O[O_at14 + 3 * O_stride_3] = o_sums3_3_0.w;
        const int O_at15 = O_offset + (((n0 + ty3 * 4 + 3) / (OH * OW))) * O_stride_0 + (((((n0 + ty3 * 4 + 3) / OW)) % OH)) * O_stride_1 + (((n0 + ty3 * 4 + 3) % OW)) * O_stride_2 + (f0 + tx3 * 8 + 4) * O_stride_3;
        O[O_at15] = o_sums3_3_1.x;
        O[O_at15 + O_stride_3] = o_sums3_3_1.y;
        O[O_at15 + 2 * O_stride_3] = o_sums3_3_1.z;
        O[O_at15 + 3 * O_stride_3] = o_sums3_3_1.w;
      } else {
        precise vec4 o_sums4_0_0 = O_sums[0];
        precise vec4 o_sums4_0_1 = O_sums[1];
        const int O_at16 = O_offset + (((n0 + ty3 * 4) / (OH * OW))) * O_stride_0 + (((((n0 + ty3 * 4) / OW)) % OH)) * O_stride_1 + (((n0 + ty3 * 4) % OW)) * O_stride_2 + (f0 + tx3 * 8) * O_stride_3;
        if (0 < rows1) {
          if (0 < columns1) O[O_at16] = o_sums4_0_0.x;
          if (1 < columns1) O[O_at16 + O_stride_3] = o_sums4_0_0.y;
          if (2 < columns1) O[O_at16 + 2 * O_stride_3] = o_sums4_0_0.z;
          if (3 < columns1) O[O_at16 + 3 * O_stride_3] = o_sums4_0_0.w;
        }
        const int O_at17 = O_offset + (((n0 + ty3 * 4) / (OH * OW))) * O_stride_0 + (((((n0 + ty3 * 4) / OW)) % OH)) * O_stride_1 + (((n0 + ty3 * 4) % OW)) * O_stride_2 + (f0 + tx3 * 8 + 4) * O_stride_3;
        if (0 < rows1) {
          if (4 < columns1) O[O_at17] = o_sums4_0_1.x;
          if (5 < columns1) O[O_at17 + O_stride_3] = o_sums4_0_1.y;
          if (6 < columns1) O[O_at17 + 2 * O_stride_3] = o_sums4_0_1.z;
          if (7 < columns1) O[O_at17 + 3 * O_stride_3] = o_sums4_0_1.w;
        }
        precise vec4 o_sums4_1_0 = O_sums[2];
        precise vec4 o_sums4_1_1 = O_sums[3];
        const int O_at18 = O_offset + (((n0 + ty3 * 4 + 1) / (OH * OW))) * O_stride_0 + (((((n0 + ty3 * 4 + 1) / OW)) % OH)) * O_stride_1 + (((n0 + ty3 * 4 + 1) % OW)) * O_stride_2 + (f0 + tx3 * 8) * O_stride_3;
        if (1 < rows1) {
          if (0 < columns1) O[O_at18] = o_sums4_1_0.x;
          if (1 < columns1) O[O_at18 + O_stride_3] = o_sums4_1_0.y;
          if (2 < columns1) O[O_at18 + 2 * O_stride_3] = o_sums4_1_0.z;
          if (3 < columns1) O[O_at18 + 3 * O_stride_3] = o_sums4_1_0.w;
        }
        const int O_at19 = O_offset + (((n0 + ty3 * 4 + 1) / (OH * OW))) * O_stride_0 + (((((n0 + ty3 * 4 + 1) / OW)) % OH)) * O_stride_1 + (((n0 + ty3 * 4 + 1) % OW)) * O_stride_2 + (f0 + tx3 * 8 + 4) * O_stride_3;
        if (1 < rows1) {
          if (4 < columns1) O[O_at19] = o_sums4_1_1.x;
          if (5 < columns1) O[O_at19 + O_stride_3] = o_sums4_1_1.y;
          if (6 < columns1) O[O_at19 + 2 * O_stride_3] = o_sums4_1_1.z;
          if (7 < columns1) O[O_at19 + 3 * O_stride_3] = o_sums4_1_1.w;
        }
        precise vec4 o_sums4_2_0 = O_sums[4];
        precise vec4 o_sums4_2_1 = O_sums[5];
        const int O_at20 = O_offset + (((n0 + ty3 * 4 + 2) / (OH * OW))) * O_stride_0 + (((((n0 + ty3 * 4 + 2) / OW)) % OH)) * O_stride_1 + (((n0 + ty3 * 4 + 2) % OW)) * O_stride_2 + (f0 + tx3 * 8) * O_stride_3;
        if (2 < rows1) {
          if (0 < columns1) O[O_at20] = o_sums4_2_0.x;
          if (1 < columns1) O[O_at20 + O_stride_3] = o_sums4_2_0.y;
          if (2 < columns1) O[O_at20 + 2 * O_stride_3] = o_sums4_2_0.z;
          if (3 < columns1) O[O_at20 + 3 * O_stride_3] = o_sums4_2_0.w;
        }
        const int O_at21 = O_offset + (((n0 + ty3 * 4 + 2) / (OH * OW))) * O_stride_0 + (((((n0 + ty3 * 4 + 2) / OW)) % OH)) * O_stride_1 + (((n0 + ty3 * 4 + 2) % OW)) * O_stride_2 + (f0 + tx3 * 8 + 4) * O_stride_3;
        if (2 < rows1) {
          if (4 < columns1) O[O_at21] = o_sums4_2_1.x;
          if (5 < columns1) O[O_at21 + O_stride_3] = o_sums4_2_1.y;
          if (6 < columns1) O[O_at21 + 2 * O_stride_3] = o_sums4_2_1.z;
          if (7 < columns1) O[O_at21 + 3 * O_stride_3] = o_sums4_2_1.w;
        }
        precise vec4 o_sums4_3_0 = O_sums[6];
        precise vec4 o_sums4_3_1 = O_sums[7];
        const int O_at22 = O_offset + (((n0 + ty3 * 4 + 3) / (OH * OW))) * O_stride_0 + (((((n0 + ty3 * 4 + 3) / OW)) % OH)) * O_stride_1 + (((n0 + ty3 * 4 + 3) % OW)) * O_stride_2 + (f0 + tx3 * 8) * O_stride_3;
        if (3 < rows1) {
          if (0 < columns1) O[O_at22] = o_sums4_3_0.x;
          if (1 < columns1) O[O_at22 + O_stride_3] = o_sums4_3_0.y;
          if (2 < columns1) O[O_at22 + 2 * O_stride_3] = o_sums4_3_0.z;
          if (3 < columns1) O[O_at22 + 3 * O_stride_3] = o_sums4_3_0.w;
        }
        const int O_at23 = O_offset + (((n0 + ty3 * 4 + 3) / (OH * OW))) * O_stride_0 + (((((n0 + ty3 * 4 + 3) / OW)) % OH)) * O_stride_1 + (((n0 + ty3 * 4 + 3) % OW)) * O_stride_2 + (f0 + tx3 * 8 + 4) * O_stride_3;
        if (3 < rows1) {
          if (4 < columns1) O[O_at23] = o_sums4_3_1.x;
          if (5 < columns1) O[O_at23 + O_stride_3] = o_sums4_3_1.y;
          if (6 < columns1) O[O_at23 + 2 * O_stride_3] = o_sums4_3_1.z;
          if (7 < columns1) O[O_at23 + 3 * O_stride_3] = o_sums4_3_1.w;
        }
      }
    }
  }
}

// conv_2d_nhwc_hwcf_rows2
#version 450
// conv_2d_nhwc_hwcf, rows2
//
// op (n: parallel, oh: parallel, ow: parallel, f: parallel, kh: reduction, kw: reduction, c: reduction) ins(%I[n, oh * strides[0] + kh * dilations[0], ow * strides[1] + kw * dilations[1], c], %K[kh, kw, c, f]) outs(%O[n, oh, ow, f]) { (i, k, o) -> add(o, mul(i, k)) }
// contraction
// M = {n, oh, ow}, N = {f}, K = {kh, kw, c}: tiles in shared memory, sums in registers
// mr = 4: the sums of an invocation take 32 of vulkan's 64 registers
// nr = 8: the sums of an invocation take 32 of vulkan's 64 registers
// rows = 16: 128 of vulkan's 128 invocations make tiles of 64 x 64
// columns = 8: 128 of vulkan's 128 invocations make tiles of 64 x 64
// kt = 16: so many terms of both operands take 8192 of vulkan's 16384 bytes of shared memory
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
  const int i9 = int(gl_WorkGroupID.z + base_z);
  const int n01 = (i9 / OH);
  const int oh0 = (i9 % OH);
  const int ow0 = int(gl_WorkGroupID.y + base_y);
  const int f01 = int(gl_WorkGroupID.x + base_x) * 4;
  const int f01_size = min(4, F - f01);
  {
    const int r = int(gl_LocalInvocationID.y);
    const int t = int(gl_LocalInvocationID.x);
    if (r < f01_size) {
      const int kh_count = -((-C * KH * KW + t) >> 5);
      parts[r * 32 + t] = -0.0;
      precise float parts_t_1 = parts[r * 32 + t];
      for (int kh = 0; kh < kh_count; ++kh) {
        parts_t_1 = parts_t_1 + (I[I_offset + n01 * I_stride_0 + (oh0 * strides_0 + dilations_0 * ((t + kh * 32) / (C * KW))) * I_stride_1 + (ow0 * strides_1 + dilations_1 * ((((t + kh * 32) / C)) % KW)) * I_stride_2 + ((t + kh * 32) % C)] * K[K_offset + (((t + kh * 32) / (C * KW))) * K_stride_0 + (((((t + kh * 32) / C)) % KW)) * K_stride_1 + (((t + kh * 32) % C)) * K_stride_2 + (f01 + r) * K_stride_3]);
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
      if (r1 < f01_size) {
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
      if (r2 < f01_size) {
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
      if (r3 < f01_size) {
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
      if (r4 < f01_size) {
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
      if (r5 < f01_size) {
        parts[r5 * 32 + t5] = parts[r5 * 32 + t5] + parts[r5 * 32 + t5 + 1];
      }
    }
  }
  barrier();
  for (int f05 = int(gl_LocalInvocationIndex); f05 < f01_size; f05 += 128) {
    O[O_offset + n01 * O_stride_0 + oh0 * O_stride_1 + ow0 * O_stride_2 + (f01 + f05) * O_stride_3] = O[O_offset + n01 * O_stride_0 + oh0 * O_stride_1 + ow0 * O_stride_2 + (f01 + f05) * O_stride_3] + parts[f05 * 32];
  }
}

// conv_2d_nhwc_hwcf_grid
#version 450
// conv_2d_nhwc_hwcf, grid
//
// op (n: parallel, oh: parallel, ow: parallel, f: parallel, kh: reduction, kw: reduction, c: reduction) ins(%I[n, oh * strides[0] + kh * dilations[0], ow * strides[1] + kw * dilations[1], c], %K[kh, kw, c, f]) outs(%O[n, oh, ow, f]) { (i, k, o) -> add(o, mul(i, k)) }
// contraction
// M = {n, oh, ow}, N = {f}, K = {kh, kw, c}: tiles in shared memory, sums in registers
// mr = 4: the sums of an invocation take 32 of vulkan's 64 registers
// nr = 8: the sums of an invocation take 32 of vulkan's 64 registers
// rows = 16: 128 of vulkan's 128 invocations make tiles of 64 x 64
// columns = 8: 128 of vulkan's 128 invocations make tiles of 64 x 64
// kt = 16: so many terms of both operands take 8192 of vulkan's 16384 bytes of shared memory
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
  const int i10 = int(gl_GlobalInvocationID.x + base_x * gl_WorkGroupSize.x);
  if (i10 < positions1) {
    const int n02 = (i10 / (F * OH * OW));
    const int oh01 = (((i10 / (F * OW))) % OH);
    const int ow01 = ((i10 / F) % OW);
    const int f02 = (i10 % F);
    precise float o_n02_oh01_ow01_f02 = O[O_offset + n02 * O_stride_0 + oh01 * O_stride_1 + ow01 * O_stride_2 + f02 * O_stride_3];
    for (int kh = 0; kh < KH; ++kh) {
      for (int kw = 0; kw < KW; ++kw) {
        for (int c = 0; c < C; ++c) {
          o_n02_oh01_ow01_f02 = o_n02_oh01_ow01_f02 + (I[I_offset + n02 * I_stride_0 + (oh01 * strides_0 + kh * dilations_0) * I_stride_1 + (ow01 * strides_1 + kw * dilations_1) * I_stride_2 + c * I_stride_3] * K[K_offset + kh * K_stride_0 + kw * K_stride_1 + c * K_stride_2 + f02 * K_stride_3]);
        }
      }
    }
    O[O_offset + n02 * O_stride_0 + oh01 * O_stride_1 + ow01 * O_stride_2 + f02 * O_stride_3] = o_n02_oh01_ow01_f02;
  }
}
