// Part of Einc. SPDX-License-Identifier: Apache-2.0
// b(i) = a(n - 1 - i) + 1, so that each workgroup reads what another one wrote.
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { uint a[]; };
layout(std430, binding = 1) writeonly buffer B { uint b[]; };
layout(push_constant) uniform Push { uint n; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i < n) b[i] = a[n - 1 - i] + 1;
}
