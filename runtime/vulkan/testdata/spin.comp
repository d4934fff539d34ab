// Part of Einc. SPDX-License-Identifier: Apache-2.0
// Takes its time: `steps` steps of a generator of random numbers for each value. (Mesa's software
// device ends the loops of an invocation after 65535 steps in all.)
#version 450
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer Values { uint values[]; };
layout(push_constant) uniform Push { uint steps; };
void main() {
  uint v = values[gl_WorkGroupID.x];
  for (uint i = 0; i < steps; ++i) v = (v ^ (v >> 15)) * 747796405u + i;
  values[gl_WorkGroupID.x] = v;
}
