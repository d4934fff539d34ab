// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Enough of SPIR-V's structure to refuse what is no module, and what the device has no features
// for. Whether a module is valid is the compiler's business.
#include <string.h>

#include "runtime/vulkan/internal.h"

enum { kMagic = 0x07230203, kMaxBound = 0x3fffff, kGlCompute = 5, kLocalSize = 17 };

// The bits of einc_vk_feature that a capability stands for; 0 if every device has it.
static einc_vk_status feature_of(uint32_t capability, uint32_t *bits) {
  switch (capability) {
    case 0:   // Matrix
    case 1:   // Shader
    case 61:  // GroupNonUniform
      return EINC_VK_OK;
    case 9:
      *bits |= EINC_VK_F16;
      return EINC_VK_OK;
    case 10:
      *bits |= EINC_VK_F64;
      return EINC_VK_OK;
    case 11:
      *bits |= EINC_VK_INT64;
      return EINC_VK_OK;
    case 22:
      *bits |= EINC_VK_INT16;
      return EINC_VK_OK;
    case 39:
      *bits |= EINC_VK_INT8;
      return EINC_VK_OK;
    case 62:  // GroupNonUniformVote
    case 63:  // GroupNonUniformArithmetic
    case 64:  // GroupNonUniformBallot
      *bits |= EINC_VK_SUBGROUP_ARITHMETIC;
      return EINC_VK_OK;
    case 65:  // GroupNonUniformShuffle
    case 66:  // GroupNonUniformShuffleRelative
      *bits |= EINC_VK_SUBGROUP_SHUFFLE;
      return EINC_VK_OK;
    case 4433:
      *bits |= EINC_VK_STORAGE_16;
      return EINC_VK_OK;
    case 4448:
      *bits |= EINC_VK_STORAGE_8;
      return EINC_VK_OK;
    default:
      return einc_vk_fail(EINC_VK_MISSING_FEATURE, "SPIR-V capability %u is never turned on",
                          (unsigned)capability);
  }
}

int einc_vk_is_entry(const uint32_t *words, uint32_t count, const char *name) {
  if (count < 4 || words[1] != kGlCompute) return 0;
  const size_t bytes = (size_t)(count - 3) * sizeof(uint32_t), length = strlen(name);
  return length < bytes && !memcmp(words + 3, name, length + 1);
}

static einc_vk_status check_header(const uint32_t *words, size_t bytes, const uint32_t *api) {
  const uint32_t newest = api[0] > 1 || api[1] >= 2 ? 0x10500 : 0x10300;
  if (words == NULL || bytes % sizeof(uint32_t) != 0 ||
      bytes < EINC_VK_SPIRV_HEADER * sizeof(uint32_t) || words[0] != kMagic) {
    return einc_vk_fail(EINC_VK_BAD_SPIRV, "no SPIR-V, or in the wrong byte order");
  }
  if (words[1] < 0x10000 || words[1] > newest) {
    return einc_vk_fail(EINC_VK_BAD_SPIRV, "version word %08x, the device takes up to %08x",
                        (unsigned)words[1], (unsigned)newest);
  }
  if (words[3] == 0 || words[3] > kMaxBound || words[4] != 0) {
    return einc_vk_fail(EINC_VK_BAD_SPIRV, "broken header");
  }
  return EINC_VK_OK;
}

einc_vk_status einc_vk_check_spirv(const einc_vk_kernel_description *description,
                                   const uint32_t *api, uint32_t *features) {
  const char *name = description->entry_point != NULL ? description->entry_point : "main";
  const uint32_t *words = description->spirv;
  const uint32_t *size = description->workgroup_size;
  einc_vk_status status = check_header(words, description->spirv_bytes, api);
  const size_t end = description->spirv_bytes / sizeof(uint32_t);
  uint32_t entry = 0;
  int found = 0;
  for (size_t at = EINC_VK_SPIRV_HEADER; status == EINC_VK_OK && at < end;) {
    const uint32_t *op = words + at;
    const uint32_t count = op[0] >> 16, code = op[0] & 0xffff;
    if (count == 0 || count > end - at) {
      return einc_vk_fail(EINC_VK_BAD_SPIRV, "broken instruction at word %zu", at);
    }
    if (code == EINC_VK_OP_CAPABILITY && count == 2) status = feature_of(op[1], features);
    if (code == EINC_VK_OP_ENTRY_POINT && einc_vk_is_entry(op, count, name)) {
      entry = op[2];
      found = 1;
    }
    // With specialisation, these are not the sizes that count.
    if (code == EINC_VK_OP_EXECUTION_MODE && count == 6 && found && op[1] == entry &&
        op[2] == kLocalSize && description->constant_count == 0 &&
        (op[3] != size[0] || op[4] != size[1] || op[5] != size[2])) {
      status =
          einc_vk_fail(EINC_VK_BAD_ARGUMENT, "workgroup_size is %u %u %u, the module's %u %u %u",
                       (unsigned)size[0], (unsigned)size[1], (unsigned)size[2], (unsigned)op[3],
                       (unsigned)op[4], (unsigned)op[5]);
    }
    at += count;
  }
  if (status != EINC_VK_OK || found) return status;
  return einc_vk_fail(EINC_VK_BAD_SPIRV, "no entry point '%s' of a compute shader", name);
}
