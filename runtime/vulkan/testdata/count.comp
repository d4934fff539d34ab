// Part of Einc. SPDX-License-Identifier: Apache-2.0
// Each workgroup adds its number plus one to its own element.
#version 450
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer Counts { uint counts[]; };
layout(push_constant) uniform Push {
  uint nx, ny;
  uint base_x, base_y, base_z;
};
void main() {
  uvec3 at = uvec3(base_x, base_y, base_z) + gl_WorkGroupID;
  uint number = at.x + nx * (at.y + ny * at.z);
  counts[number] += number + 1;
}
