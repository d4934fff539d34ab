// Part of Einc. SPDX-License-Identifier: Apache-2.0
// What a device may spoil: the lesser of x and 1, a quarter of x, and x less the first of all.
#version 450
layout(local_size_x = 1) in;
layout(std430, binding = 0) readonly buffer X { float x[]; };
layout(std430, binding = 1) writeonly buffer Y { float y[]; };
void main() {
  uint at = gl_WorkGroupID.x;
  y[3 * at] = x[at] > 1.0 ? 1.0 : x[at];
  y[3 * at + 1] = x[at] * 0.25;
  y[3 * at + 2] = x[at] - x[0];
}
