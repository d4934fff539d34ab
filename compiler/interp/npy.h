// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// NumPy's .npy files, versions 1.0 to 3.0: "\x93NUMPY", two bytes of version, the length of the
// header, the header (a Python dict with descr, fortran_order and shape), the elements.
#pragma once

#include <string>
#include <string_view>

#include "compiler/interp/array.h"
#include "compiler/support/result.h"

namespace einc::interp {

// The array in a whole file, in memory of its own and the host's byte order. Fortran order becomes
// strides. Takes no more memory than `bytes` does, whatever the header claims. bool, integers and
// f16 to f64 are read; other types travel as unsigned integers (see seenAs).
Result<View> parseNpy(std::string_view bytes);

// A version 1.0 file: C order, little-endian, the same bytes for the same elements. What NumPy has no
// type for is written as seenAs reads it; an odd last dimension of i4 or u4 ends with half a byte of 0.
std::string writeNpy(const View& view);

// An array of unsigned integers seen as what NumPy has no type for: bf16 comes as uint16, f8 as uint8,
// i4 and u4 as uint8 with two elements in a byte, so that there are twice as many along the last dimension.
Result<View> seenAs(View view, ir::ScalarType type);

}  // namespace einc::interp
