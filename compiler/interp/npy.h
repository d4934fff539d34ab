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
// f16 to f64 are read; bf16 travels as uint16 (see asBf16).
Result<View> parseNpy(std::string_view bytes);

// A version 1.0 file: C order, little-endian, the same bytes for the same elements. bf16 is written
// as uint16.
std::string writeNpy(const View& view);

// The same memory, u16 seen as bf16.
Result<View> asBf16(View view);

}  // namespace einc::interp
