/* Part of Einc. SPDX-License-Identifier: Apache-2.0
 *
 * What AVX-512 VBMI has, in place of the functions of the same name in vectors_avx512.h. */
#pragma once

#include "compiler/emit/prelude/vectors.h"

/*@ bytes_at_16_places: i32x16 i64x8 */
/* In each lane the byte that begins 4 bits after the last one's; what is behind it is another number. */
EINC_INLINE einc_i32x16 einc_bytes_at_16_places(int64_t bytes) {
  typedef char bytes_of __attribute__((vector_size(64)));
  const einc_i64x8 all = {bytes, bytes, bytes, bytes, bytes, bytes, bytes, bytes};
  const einc_i64x8 bits = {0x400000000,  0xc00000008,  0x1400000010, 0x1c00000018,
                           0x2400000020, 0x2c00000028, 0x3400000030, 0x3c00000038};
#if defined(__clang__)
  return (einc_i32x16)__builtin_ia32_vpmultishiftqb512((bytes_of)bits, (bytes_of)all);
#else
  return (einc_i32x16)__builtin_ia32_vpmultishiftqb512_mask((bytes_of)bits, (bytes_of)all,
                                                            (bytes_of)all, (uint64_t)-1);
#endif
}
