// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Elements of 4 bits. Here each has a byte of its own; kernels, and files, have two in a byte, the first
// in its lower half.
#pragma once

#include <cstddef>
#include <vector>

#include "compiler/interp/array.h"

namespace einc::interp {

// Elements 0, 1, 2, ... of the storage, two to a byte; and what comes back.
std::vector<std::byte> packStorage(const View& view);
void unpackStorage(const std::vector<std::byte>& packed, const View& view);

// u8 with the pairs of the last dimension in its bytes, and row-major memory of its own: an odd last
// element has a byte, whose upper half is 0.
Result<View> packedRows(const View& view);
// i4 or u4 elements of such an array, twice as many along the last dimension.
Result<View> unpackedRows(const View& bytes, ir::ScalarType type);

}  // namespace einc::interp
