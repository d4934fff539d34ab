// softmax_rows
#version 450
// softmax, rows
//
// ops 2 to 5 of the spec, not in rounds: each result needs what is complete behind the rounds
//
// op (m: parallel) outs(%Largest[m]) { (largest) -> -inf_f32 }
// rows
// an invocation for each position of 'm'
// workgroups of 128 invocations, or as many as the device has, if they are fewer
// where there is more to do at each than 32 steps, along neighbours: 32 invocations for each position, 4 positions in a workgroup of at most 128
// where there is more than 2048: all invocations of a workgroup for each position, so that what several ops read is near
// loads an iteration, at best: rows 0.125, flat 4
//
// op (m: parallel, n: reduction) ins(%X[m, n]) outs(%Largest[m]) { (x, largest) -> max(largest, x) }
// rows
// an invocation for each position of 'm'
// workgroups of 128 invocations, or as many as the device has, if they are fewer
// lanes = 32: a subgroup
// where there is more to do at each than 32 steps, along neighbours: 32 invocations for each position, 4 positions in a workgroup of at most 128
// where there is more than 2048: all invocations of a workgroup for each position, so that what several ops read is near
// loads an iteration, at best: rows 0.125, flat 4
//
// op (m: parallel, n: parallel) ins(%X[m, n], %Largest[m]) outs(%E[m, n]) { (x, largest, e) -> exp(sub(x, largest)) }
// inline
// computed where it is read
//
// op (m: parallel) outs(%Total[m]) { (total) -> 0.0_f32 }
// rows
// an invocation for each position of 'm'
// workgroups of 128 invocations, or as many as the device has, if they are fewer
// where there is more to do at each than 32 steps, along neighbours: 32 invocations for each position, 4 positions in a workgroup of at most 128
// where there is more than 2048: all invocations of a workgroup for each position, so that what several ops read is near
// loads an iteration, at best: rows 0.125, flat 4
//
// op (m: parallel, n: reduction) ins(%E[m, n]) outs(%Total[m]) { (e, total) -> add(total, e) }
// rows
// an invocation for each position of 'm'
// workgroups of 128 invocations, or as many as the device has, if they are fewer
// where there is more to do at each than 32 steps, along neighbours: 32 invocations for each position, 4 positions in a workgroup of at most 128
// where there is more than 2048: all invocations of a workgroup for each position, so that what several ops read is near
// loads an iteration, at best: rows 0.125, flat 4
//
// op (m: parallel, n: parallel) ins(%E[m, n], %Total[m]) outs(%Y[m, n]) { (e, total, y) -> div(e, total) }
// rows
// an invocation for each position of 'm'
// workgroups of 128 invocations, or as many as the device has, if they are fewer
// where there is more to do at each than 32 steps, along neighbours: 32 invocations for each position, 4 positions in a workgroup of at most 128
// where there is more than 2048: all invocations of a workgroup for each position, so that what several ops read is near
// loads an iteration, at best: rows 0.125, flat 4
//
// Of this, what is done where
//   32 < N and unit %X[1]
//   and 2048 < N

layout(local_size_x = 128) in;
layout(set = 0, binding = 0, std430) readonly buffer X_block { float X[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Y_block { precise float Y[]; };
layout(push_constant) uniform Push {
  int N;
  int X_offset, X_stride_0;
  int Y_offset, Y_stride_0, Y_stride_1;
  uint base_x, base_y, base_z;  // the first workgroup
};
shared precise float Largest_rows1[1];
shared precise float Total_rows1[1];
shared precise float parts2[128];
shared precise float parts3[128];

/* Integers in the order of the numbers, -0 before +0, NaN behind all. */
int einc_order_f32(float x) {
  const int bits = floatBitsToInt(x), ordered = bits ^ (bits >> 31 & 0x7fffffff);
  return (bits & 0x7fffffff) > 0x7f800000 ? 0x7fffffff : ordered;
}

float einc_max_f32(float a, float b) { return einc_order_f32(a) > einc_order_f32(b) ? a : b; }

/* a * b + c. In code for a target that adds products with one rounding it is written as fma. */
precise float einc_mad_f32(float a, float b, float c) {
  return a * b + c;
}

/* Of Horner's scheme. */
precise float einc_step_f32(float sum, float x, float c) {
  return einc_mad_f32(sum, x, c);
}

/* a * 2^n, -252 <= n <= 254, where n = t - 1.5 * 2^23: in two steps, of which only the second can
 * round, to a subnormal number or to infinity. */
precise float einc_scale_f32(float a, float t) {
  const uint n = floatBitsToUint(t) - (0x4b400000u - 254), halved = n >> 1;
  return a * uintBitsToFloat(halved << 23) * uintBitsToFloat((n - halved) << 23);
}

/* (e^r - 1 - r) / r^2, |r| <= log(2) / 2, minimax. */
precise float einc_exp_series_f32(float r) {
  float p = einc_step_f32(0.0013950603, r, 0.008368953);
  p = einc_step_f32(p, r, 0.041666206);
  p = einc_step_f32(p, r, 0.16666518);
  p = einc_step_f32(p, r, 0.5);
  return p;
}

/* e^x = 2^n e^r with r = x - n log 2, |r| <= log(2) / 2, for -104.0 <= x <= 89.0; log 2 is in two
 * parts. */
precise float einc_exp_near_f32(float x) {
  const float t = einc_step_f32(x, 1.442695, 12582912.0), n = t - 12582912.0;
  const float b = einc_mad_f32(n, -0.69314575, x);
  const float r = einc_mad_f32(n, -1.4286068e-06, b);
  return einc_scale_f32(1.0 + einc_mad_f32(r * r, einc_exp_series_f32(r), r), t);
}

/* Beyond these arguments it is infinity, or 0. NaN stays. At most 1.1 ulps off. */
precise float einc_exp_f32(float x) {
  const float most = x > 89.0 ? 89.0 : x;
  return einc_exp_near_f32((most < -104.0 ? -104.0 : most));
}

void main() {
  const int m02 = int(gl_WorkGroupID.x + base_x);
  {
    const int one = int(gl_LocalInvocationIndex);
    if (one < 1) {
      Largest_rows1[0] = uintBitsToFloat(0xff800000u);
    }
  }
  {
    const int t13 = int(gl_LocalInvocationID.x);
    const int n_count3 = -((-N + t13) >> 7);
    parts2[t13] = uintBitsToFloat(0xff800000u);
    precise float parts2_t13_1 = parts2[t13];
    for (int n = 0; n < n_count3; ++n) {
      parts2_t13_1 = einc_max_f32(parts2_t13_1, X[X_offset + m02 * X_stride_0 + t13 + n * 128]);
    }
    parts2[t13] = parts2_t13_1;
  }
  barrier();
  {
    const int t14 = int(gl_LocalInvocationIndex);
    if (t14 < 64) {
      parts2[t14] = einc_max_f32(parts2[t14], parts2[t14 + 64]);
    }
  }
  barrier();
  {
    const int t15 = int(gl_LocalInvocationIndex);
    if (t15 < 32) {
      parts2[t15] = einc_max_f32(parts2[t15], parts2[t15 + 32]);
    }
  }
  barrier();
  {
    const int t16 = int(gl_LocalInvocationIndex);
    if (t16 < 16) {
      parts2[t16] = einc_max_f32(parts2[t16], parts2[t16 + 16]);
    }
  }
  barrier();
  {
    const int t17 = int(gl_LocalInvocationIndex);
    if (t17 < 8) {
      parts2[t17] = einc_max_f32(parts2[t17], parts2[t17 + 8]);
    }
  }
  barrier();
  {
    const int t18 = int(gl_LocalInvocationIndex);
    if (t18 < 4) {
      parts2[t18] = einc_max_f32(parts2[t18], parts2[t18 + 4]);
    }
  }
  barrier();
  {
    const int t19 = int(gl_LocalInvocationIndex);
    if (t19 < 2) {
      parts2[t19] = einc_max_f32(parts2[t19], parts2[t19 + 2]);
    }
  }
  barrier();
  {
    const int t20 = int(gl_LocalInvocationIndex);
    if (t20 < 1) {
      parts2[t20] = einc_max_f32(parts2[t20], parts2[t20 + 1]);
    }
  }
  barrier();
  {
    const int one1 = int(gl_LocalInvocationIndex);
    if (one1 < 1) {
      Largest_rows1[0] = einc_max_f32(Largest_rows1[0], parts2[0]);
    }
  }
  {
    const int one2 = int(gl_LocalInvocationIndex);
    if (one2 < 1) {
      Total_rows1[0] = 0.0;
    }
  }
  barrier();
  {
    const int t21 = int(gl_LocalInvocationID.x);
    const int n_count4 = -((-N + t21) >> 7);
    parts3[t21] = -0.0;
    precise float parts3_t21_1 = parts3[t21];
    for (int n = 0; n < n_count4; ++n) {
      parts3_t21_1 = parts3_t21_1 + einc_exp_f32(X[X_offset + m02 * X_stride_0 + t21 + n * 128] - Largest_rows1[0]);
    }
    parts3[t21] = parts3_t21_1;
  }
  barrier();
  {
    const int t22 = int(gl_LocalInvocationIndex);
    if (t22 < 64) {
      parts3[t22] = parts3[t22] + parts3[t22 + 64];
    }
  }
  barrier();
  {
    const int t23 = int(gl_LocalInvocationIndex);
    if (t23 < 32) {
      parts3[t23] = parts3[t23] + parts3[t23 + 32];
    }
  }
  barrier();
  {
    const int t24 = int(gl_LocalInvocationIndex);
    if (t24 < 16) {
      parts3[t24] = parts3[t24] + parts3[t24 + 16];
    }
  }
  barrier();
  {
    const int t25 = int(gl_LocalInvocationIndex);
    if (t25 < 8) {
      parts3[t25] = parts3[t25] + parts3[t25 + 8];
    }
  }
  barrier();
  {
    const int t26 = int(gl_LocalInvocationIndex);
    if (t26 < 4) {
      parts3[t26] = parts3[t26] + parts3[t26 + 4];
    }
  }
  barrier();
  {
    const int t27 = int(gl_LocalInvocationIndex);
    if (t27 < 2) {
      parts3[t27] = parts3[t27] + parts3[t27 + 2];
    }
  }
  barrier();
  {
    const int t28 = int(gl_LocalInvocationIndex);
    if (t28 < 1) {
      parts3[t28] = parts3[t28] + parts3[t28 + 1];
    }
  }
  barrier();
  {
    const int one3 = int(gl_LocalInvocationIndex);
    if (one3 < 1) {
      Total_rows1[0] = Total_rows1[0] + parts3[0];
    }
  }
  barrier();
  {
    const int t29 = int(gl_LocalInvocationID.x);
    const int n_count5 = -((-N + t29) >> 7);
    for (int n = 0; n < n_count5; ++n) {
      Y[Y_offset + m02 * Y_stride_0 + (t29 + n * 128) * Y_stride_1] = einc_exp_f32(X[X_offset + m02 * X_stride_0 + t29 + n * 128] - Largest_rows1[0]) / Total_rows1[0];
    }
  }
}

// softmax_rows1
#version 450
// softmax, rows1
//
// ops 2 to 5 of the spec, not in rounds: each result needs what is complete behind the rounds
//
// op (m: parallel) outs(%Largest[m]) { (largest) -> -inf_f32 }
// rows
// an invocation for each position of 'm'
// workgroups of 128 invocations, or as many as the device has, if they are fewer
// where there is more to do at each than 32 steps, along neighbours: 32 invocations for each position, 4 positions in a workgroup of at most 128
// where there is more than 2048: all invocations of a workgroup for each position, so that what several ops read is near
// loads an iteration, at best: rows 0.125, flat 4
//
// op (m: parallel, n: reduction) ins(%X[m, n]) outs(%Largest[m]) { (x, largest) -> max(largest, x) }
// rows
// an invocation for each position of 'm'
// workgroups of 128 invocations, or as many as the device has, if they are fewer
// lanes = 32: a subgroup
// where there is more to do at each than 32 steps, along neighbours: 32 invocations for each position, 4 positions in a workgroup of at most 128
// where there is more than 2048: all invocations of a workgroup for each position, so that what several ops read is near
// loads an iteration, at best: rows 0.125, flat 4
//
// op (m: parallel, n: parallel) ins(%X[m, n], %Largest[m]) outs(%E[m, n]) { (x, largest, e) -> exp(sub(x, largest)) }
// inline
// computed where it is read
//
// op (m: parallel) outs(%Total[m]) { (total) -> 0.0_f32 }
// rows
// an invocation for each position of 'm'
// workgroups of 128 invocations, or as many as the device has, if they are fewer
// where there is more to do at each than 32 steps, along neighbours: 32 invocations for each position, 4 positions in a workgroup of at most 128
// where there is more than 2048: all invocations of a workgroup for each position, so that what several ops read is near
// loads an iteration, at best: rows 0.125, flat 4
//
// op (m: parallel, n: reduction) ins(%E[m, n]) outs(%Total[m]) { (e, total) -> add(total, e) }
// rows
// an invocation for each position of 'm'
// workgroups of 128 invocations, or as many as the device has, if they are fewer
// where there is more to do at each than 32 steps, along neighbours: 32 invocations for each position, 4 positions in a workgroup of at most 128
// where there is more than 2048: all invocations of a workgroup for each position, so that what several ops read is near
// loads an iteration, at best: rows 0.125, flat 4
//
// op (m: parallel, n: parallel) ins(%E[m, n], %Total[m]) outs(%Y[m, n]) { (e, total, y) -> div(e, total) }
// rows
// an invocation for each position of 'm'
// workgroups of 128 invocations, or as many as the device has, if they are fewer
// where there is more to do at each than 32 steps, along neighbours: 32 invocations for each position, 4 positions in a workgroup of at most 128
// where there is more than 2048: all invocations of a workgroup for each position, so that what several ops read is near
// loads an iteration, at best: rows 0.125, flat 4
//
// Of this, what is done where
//   32 < N and unit %X[1]
//   and not (2048 < N)

layout(local_size_x = 32, local_size_y = 4) in;
layout(set = 0, binding = 0, std430) readonly buffer X_block { float X[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Y_block { precise float Y[]; };
layout(push_constant) uniform Push {
  int M, N;
  int X_offset, X_stride_0;
  int Y_offset, Y_stride_0, Y_stride_1;
  uint base_x, base_y, base_z;  // the first workgroup
};
shared precise float Largest_rows[4];
shared precise float Total_rows[4];
shared precise float parts[128];
shared precise float parts1[128];

/* Integers in the order of the numbers, -0 before +0, NaN behind all. */
int einc_order_f32(float x) {
  const int bits = floatBitsToInt(x), ordered = bits ^ (bits >> 31 & 0x7fffffff);
  return (bits & 0x7fffffff) > 0x7f800000 ? 0x7fffffff : ordered;
}

float einc_max_f32(float a, float b) { return einc_order_f32(a) > einc_order_f32(b) ? a : b; }

/* a * b + c. In code for a target that adds products with one rounding it is written as fma. */
precise float einc_mad_f32(float a, float b, float c) {
  return a * b + c;
}

/* Of Horner's scheme. */
precise float einc_step_f32(float sum, float x, float c) {
  return einc_mad_f32(sum, x, c);
}

/* a * 2^n, -252 <= n <= 254, where n = t - 1.5 * 2^23: in two steps, of which only the second can
 * round, to a subnormal number or to infinity. */
precise float einc_scale_f32(float a, float t) {
  const uint n = floatBitsToUint(t) - (0x4b400000u - 254), halved = n >> 1;
  return a * uintBitsToFloat(halved << 23) * uintBitsToFloat((n - halved) << 23);
}

/* (e^r - 1 - r) / r^2, |r| <= log(2) / 2, minimax. */
precise float einc_exp_series_f32(float r) {
  float p = einc_step_f32(0.0013950603, r, 0.008368953);
  p = einc_step_f32(p, r, 0.041666206);
  p = einc_step_f32(p, r, 0.16666518);
  p = einc_step_f32(p, r, 0.5);
  return p;
}

/* e^x = 2^n e^r with r = x - n log 2, |r| <= log(2) / 2, for -104.0 <= x <= 89.0; log 2 is in two
 * parts. */
precise float einc_exp_near_f32(float x) {
  const float t = einc_step_f32(x, 1.442695, 12582912.0), n = t - 12582912.0;
  const float b = einc_mad_f32(n, -0.69314575, x);
  const float r = einc_mad_f32(n, -1.4286068e-06, b);
  return einc_scale_f32(1.0 + einc_mad_f32(r * r, einc_exp_series_f32(r), r), t);
}

/* Beyond these arguments it is infinity, or 0. NaN stays. At most 1.1 ulps off. */
precise float einc_exp_f32(float x) {
  const float most = x > 89.0 ? 89.0 : x;
  return einc_exp_near_f32((most < -104.0 ? -104.0 : most));
}

void main() {
  const int m01 = int(gl_WorkGroupID.x + base_x) * 4;
  const int m01_size = min(4, M - m01);
  for (int m03 = int(gl_LocalInvocationIndex); m03 < m01_size; m03 += 128) {
    Largest_rows[m03] = uintBitsToFloat(0xff800000u);
  }
  {
    const int r = int(gl_LocalInvocationID.y);
    const int t = int(gl_LocalInvocationID.x);
    if (r < m01_size) {
      const int n_count = -((-N + t) >> 5);
      parts[r * 32 + t] = uintBitsToFloat(0xff800000u);
      precise float parts_t_1 = parts[r * 32 + t];
      for (int n = 0; n < n_count; ++n) {
        parts_t_1 = einc_max_f32(parts_t_1, X[X_offset + (m01 + r) * X_stride_0 + t + n * 32]);
      }
      parts[r * 32 + t] = parts_t_1;
    }
  }
  barrier();
  {
    const int i = int(gl_LocalInvocationIndex);
    if (i < 64) {
      const int r1 = (i >> 4);
      const int t1 = (i & 15);
      if (r1 < m01_size) {
        parts[r1 * 32 + t1] = einc_max_f32(parts[r1 * 32 + t1], parts[r1 * 32 + t1 + 16]);
      }
    }
  }
  barrier();
  {
    const int i1 = int(gl_LocalInvocationIndex);
    if (i1 < 32) {
      const int r2 = (i1 >> 3);
      const int t2 = (i1 & 7);
      if (r2 < m01_size) {
        parts[r2 * 32 + t2] = einc_max_f32(parts[r2 * 32 + t2], parts[r2 * 32 + t2 + 8]);
      }
    }
  }
  barrier();
  {
    const int i2 = int(gl_LocalInvocationIndex);
    if (i2 < 16) {
      const int r3 = (i2 >> 2);
      const int t3 = (i2 & 3);
      if (r3 < m01_size) {
        parts[r3 * 32 + t3] = einc_max_f32(parts[r3 * 32 + t3], parts[r3 * 32 + t3 + 4]);
      }
    }
  }
  barrier();
  {
    const int i3 = int(gl_LocalInvocationIndex);
    if (i3 < 8) {
      const int r4 = (i3 >> 1);
      const int t4 = (i3 & 1);
      if (r4 < m01_size) {
        parts[r4 * 32 + t4] = einc_max_f32(parts[r4 * 32 + t4], parts[r4 * 32 + t4 + 2]);
      }
    }
  }
  barrier();
  {
    const int i4 = int(gl_LocalInvocationIndex);
    if (i4 < 4) {
      const int r5 = i4;
      const int t5 = 0;
      if (r5 < m01_size) {
        parts[r5 * 32 + t5] = einc_max_f32(parts[r5 * 32 + t5], parts[r5 * 32 + t5 + 1]);
      }
    }
  }
  barrier();
  for (int m04 = int(gl_LocalInvocationIndex); m04 < m01_size; m04 += 128) {
    Largest_rows[m04] = einc_max_f32(Largest_rows[m04], parts[m04 * 32]);
  }
  for (int m05 = int(gl_LocalInvocationIndex); m05 < m01_size; m05 += 128) {
    Total_rows[m05] = 0.0;
  }
  barrier();
  {
    const int r6 = int(gl_LocalInvocationID.y);
    const int t6 = int(gl_LocalInvocationID.x);
    if (r6 < m01_size) {
      const int n_count1 = -((-N + t6) >> 5);
      parts1[r6 * 32 + t6] = -0.0;
      precise float parts1_t6_1 = parts1[r6 * 32 + t6];
      for (int n = 0; n < n_count1; ++n) {
        parts1_t6_1 = parts1_t6_1 + einc_exp_f32(X[X_offset + (m01 + r6) * X_stride_0 + t6 + n * 32] - Largest_rows[r6]);
      }
      parts1[r6 * 32 + t6] = parts1_t6_1;
    }
  }
  barrier();
  {
    const int i5 = int(gl_LocalInvocationIndex);
    if (i5 < 64) {
      const int r7 = (i5 >> 4);
      const int t7 = (i5 & 15);
      if (r7 < m01_size) {
        parts1[r7 * 32 + t7] = parts1[r7 * 32 + t7] + parts1[r7 * 32 + t7 + 16];
      }
    }
  }
  barrier();
  {
    const int i6 = int(gl_LocalInvocationIndex);
    if (i6 < 32) {
      const int r8 = (i6 >> 3);
      const int t8 = (i6 & 7);
      if (r8 < m01_size) {
        parts1[r8 * 32 + t8] = parts1[r8 * 32 + t8] + parts1[r8 * 32 + t8 + 8];
      }
    }
  }
  barrier();
  {
    const int i7 = int(gl_LocalInvocationIndex);
    if (i7 < 16) {
      const int r9 = (i7 >> 2);
      const int t9 = (i7 & 3);
      if (r9 < m01_size) {
        parts1[r9 * 32 + t9] = parts1[r9 * 32 + t9] + parts1[r9 * 32 + t9 + 4];
      }
    }
  }
  barrier();
  {
    const int i8 = int(gl_LocalInvocationIndex);
    if (i8 < 8) {
      const int r10 = (i8 >> 1);
      const int t10 = (i8 & 1);
      if (r10 < m01_size) {
        parts1[r10 * 32 + t10] = parts1[r10 * 32 + t10] + parts1[r10 * 32 + t10 + 2];
      }
    }
  }
  barrier();
  {
    const int i9 = int(gl_LocalInvocationIndex);
    if (i9 < 4) {
      const int r11 = i9;
      const int t11 = 0;
      if (r11 < m01_size) {
        parts1[r11 * 32 + t11] = parts1[r11 * 32 + t11] + parts1[r11 * 32 + t11 + 1];
      }
    }
  }
  barrier();
  for (int m06 = int(gl_LocalInvocationIndex); m06 < m01_size; m06 += 128) {
    Total_rows[m06] = Total_rows[m06] + parts1[m06 * 32];
  }
  barrier();
  {
    const int r12 = int(gl_LocalInvocationID.y);
    const int t12 = int(gl_LocalInvocationID.x);
    if (r12 < m01_size) {
      const int n_count2 = -((-N + t12) >> 5);
      for (int n = 0; n < n_count2; ++n) {
        Y[Y_offset + (m01 + r12) * Y_stride_0 + (t12 + n * 32) * Y_stride_1] = einc_exp_f32(X[X_offset + (m01 + r12) * X_stride_0 + t12 + n * 32] - Largest_rows[r12]) / Total_rows[r12];
      }
    }
  }
}

// softmax_grid
#version 450
// softmax, grid
//
// ops 2 to 5 of the spec, not in rounds: each result needs what is complete behind the rounds
//
// op (m: parallel) outs(%Largest[m]) { (largest) -> -inf_f32 }
// rows
// an invocation for each position of 'm'
// workgroups of 128 invocations, or as many as the device has, if they are fewer
// where there is more to do at each than 32 steps, along neighbours: 32 invocations for each position, 4 positions in a workgroup of at most 128
// where there is more than 2048: all invocations of a workgroup for each position, so that what several ops read is near
// loads an iteration, at best: rows 0.125, flat 4
//
// op (m: parallel, n: reduction) ins(%X[m, n]) outs(%Largest[m]) { (x, largest) -> max(largest, x) }
// rows
// an invocation for each position of 'm'
// workgroups of 128 invocations, or as many as the device has, if they are fewer
// lanes = 32: a subgroup
// where there is more to do at each than 32 steps, along neighbours: 32 invocations for each position, 4 positions in a workgroup of at most 128
// where there is more than 2048: all invocations of a workgroup for each position, so that what several ops read is near
// loads an iteration, at best: rows 0.125, flat 4
//
// op (m: parallel, n: parallel) ins(%X[m, n], %Largest[m]) outs(%E[m, n]) { (x, largest, e) -> exp(sub(x, largest)) }
// inline
// computed where it is read
//
// op (m: parallel) outs(%Total[m]) { (total) -> 0.0_f32 }
// rows
// an invocation for each position of 'm'
// workgroups of 128 invocations, or as many as the device has, if they are fewer
// where there is more to do at each than 32 steps, along neighbours: 32 invocations for each position, 4 positions in a workgroup of at most 128
// where there is more than 2048: all invocations of a workgroup for each position, so that what several ops read is near
// loads an iteration, at best: rows 0.125, flat 4
//
// op (m: parallel, n: reduction) ins(%E[m, n]) outs(%Total[m]) { (e, total) -> add(total, e) }
// rows
// an invocation for each position of 'm'
// workgroups of 128 invocations, or as many as the device has, if they are fewer
// where there is more to do at each than 32 steps, along neighbours: 32 invocations for each position, 4 positions in a workgroup of at most 128
// where there is more than 2048: all invocations of a workgroup for each position, so that what several ops read is near
// loads an iteration, at best: rows 0.125, flat 4
//
// op (m: parallel, n: parallel) ins(%E[m, n], %Total[m]) outs(%Y[m, n]) { (e, total, y) -> div(e, total) }
// rows
// an invocation for each position of 'm'
// workgroups of 128 invocations, or as many as the device has, if they are fewer
// where there is more to do at each than 32 steps, along neighbours: 32 invocations for each position, 4 positions in a workgroup of at most 128
// where there is more than 2048: all invocations of a workgroup for each position, so that what several ops read is near
// loads an iteration, at best: rows 0.125, flat 4
//
// Of this, what is done where
//   not (32 < N and unit %X[1])

layout(local_size_x = 128, local_size_x_id = 0) in;
layout(set = 0, binding = 0, std430) readonly buffer X_block { float X[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Y_block { precise float Y[]; };
layout(push_constant) uniform Push {
  int M, N;
  int X_offset, X_stride_0, X_stride_1;
  int Y_offset, Y_stride_0, Y_stride_1;
  uint base_x, base_y, base_z;  // the first workgroup
};

/* Integers in the order of the numbers, -0 before +0, NaN behind all. */
int einc_order_f32(float x) {
  const int bits = floatBitsToInt(x), ordered = bits ^ (bits >> 31 & 0x7fffffff);
  return (bits & 0x7fffffff) > 0x7f800000 ? 0x7fffffff : ordered;
}

float einc_max_f32(float a, float b) { return einc_order_f32(a) > einc_order_f32(b) ? a : b; }

/* a * b + c. In code for a target that adds products with one rounding it is written as fma. */
precise float einc_mad_f32(float a, float b, float c) {
  return a * b + c;
}

/* Of Horner's scheme. */
precise float einc_step_f32(float sum, float x, float c) {
  return einc_mad_f32(sum, x, c);
}

/* a * 2^n, -252 <= n <= 254, where n = t - 1.5 * 2^23: in two steps, of which only the second can
 * round, to a subnormal number or to infinity. */
precise float einc_scale_f32(float a, float t) {
  const uint n = floatBitsToUint(t) - (0x4b400000u - 254), halved = n >> 1;
  return a * uintBitsToFloat(halved << 23) * uintBitsToFloat((n - halved) << 23);
}

/* (e^r - 1 - r) / r^2, |r| <= log(2) / 2, minimax. */
precise float einc_exp_series_f32(float r) {
  float p = einc_step_f32(0.0013950603, r, 0.008368953);
  p = einc_step_f32(p, r, 0.041666206);
  p = einc_step_f32(p, r, 0.16666518);
  p = einc_step_f32(p, r, 0.5);
  return p;
}

/* e^x = 2^n e^r with r = x - n log 2, |r| <= log(2) / 2, for -104.0 <= x <= 89.0; log 2 is in two
 * parts. */
precise float einc_exp_near_f32(float x) {
  const float t = einc_step_f32(x, 1.442695, 12582912.0), n = t - 12582912.0;
  const float b = einc_mad_f32(n, -0.69314575, x);
  const float r = einc_mad_f32(n, -1.4286068e-06, b);
  return einc_scale_f32(1.0 + einc_mad_f32(r * r, einc_exp_series_f32(r), r), t);
}

/* Beyond these arguments it is infinity, or 0. NaN stays. At most 1.1 ulps off. */
precise float einc_exp_f32(float x) {
  const float most = x > 89.0 ? 89.0 : x;
  return einc_exp_near_f32((most < -104.0 ? -104.0 : most));
}

void main() {
  const int m0 = int(gl_GlobalInvocationID.x + base_x * gl_WorkGroupSize.x);
  if (m0 < M) {
    precise float Largest_private;
    precise float Total_private;
    Largest_private = uintBitsToFloat(0xff800000u);
    precise float largest_part1 = Largest_private;
    for (int n = 0; n < N; ++n) {
      largest_part1 = einc_max_f32(largest_part1, X[X_offset + m0 * X_stride_0 + n * X_stride_1]);
    }
    Largest_private = largest_part1;
    Total_private = 0.0;
    precise float total_part1 = Total_private;
    for (int n = 0; n < N; ++n) {
      total_part1 = total_part1 + einc_exp_f32(X[X_offset + m0 * X_stride_0 + n * X_stride_1] - Largest_private);
    }
    Total_private = total_part1;
    for (int n = 0; n < N; ++n) {
      Y[Y_offset + m0 * Y_stride_0 + n * Y_stride_1] = einc_exp_f32(X[X_offset + m0 * X_stride_0 + n * X_stride_1] - Largest_private) / Total_private;
    }
  }
}
