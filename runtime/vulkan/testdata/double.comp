// Part of Einc. SPDX-License-Identifier: Apache-2.0
// x(i) *= 2 in f64, which not every device has.
#version 450
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer X { double x[]; };
void main() { x[gl_WorkGroupID.x] *= 2; }
