// Part of Einc. SPDX-License-Identifier: Apache-2.0
// y(i, j) += alpha * x(i, j) under any strides, an invocation an element.
#version 450
layout(local_size_x_id = 0) in;
layout(std430, binding = 0) readonly buffer X { float x[]; };
layout(std430, binding = 1) buffer Y { float y[]; };
layout(push_constant) uniform Push {
  uint base_x, base_y, base_z;
  float alpha;
  int x_offset, x_size_0, x_size_1, x_stride_0, x_stride_1;
  int y_offset, y_size_0, y_size_1, y_stride_0, y_stride_1;
};
void main() {
  uint at = (base_x + gl_WorkGroupID.x) * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
  if (at >= uint(y_size_0) * uint(y_size_1)) return;
  int i = int(at) / y_size_1, j = int(at) % y_size_1;
  y[y_offset + i * y_stride_0 + j * y_stride_1] +=
      alpha * x[x_offset + i * x_stride_0 + j * x_stride_1];
}
