// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// One def for many layouts. Dimensions may be named by axes, letters in braces, and `layouts` gives
// a def for each order of the axes:
//
//   def conv(I: f32{n: N, h: IH, w: IW, c: C}, ...) -> (O: f32{n: N, h: OH, w: OW, f: F})
//     attr(strides: i64{h, w} = 1)
//     layouts(conv_2d_nhwc_hwcf(I = nhwc, K = hwcf, O = nhwf),
//             conv_1d_ncw_fcw(I = ncw, K = fcw, O = nfw))
//   { O{n, f, h: oh, w: ow} += I{n, c, h: oh * strides{h} + kh, w: ow * strides{w} + kw} * ...; }
//
// becomes
//
//   def conv_2d_nhwc_hwcf(I: f32(N, IH, IW, C), ...) -> (O: f32(N, OH, OW, F))
//     attr(strides: 2xi64 = [1, 1])
//   { O(n, oh, ow, f) += I(n, oh * strides[0] + kh, ow * strides[1] + kw, c) * ...; }
//   def conv_1d_ncw_fcw(I: f32(N, C, IW), ...) -> (O: f32(N, F, OW))
//     attr(strides: 1xi64 = [1])
//   { O(n, f, ow) += I(n, c, ow * strides[0] + kw) * ...; }
//
// A tensor without an axis is one that is 1 long there: its dimension is left out, a size that only
// such dimensions have is 1, an iterator that only they are indexed with is 0. A local needs no
// order: it has its declared axes, without those that no tensor of the layout has, in the order of
// an output or input with the same ones, otherwise as declared. A def without `layouts` has its
// axes in the order of their declarations.
#pragma once

#include "compiler/frontend/ast.h"
#include "compiler/support/diagnostics.h"

namespace einc::frontend {

// The text of a def times the number of its layouts may be this long, in bytes.
constexpr size_t kMaxLayoutText = size_t{16} << 20;

// The spec without axes and layouts. Defs with errors are left out, and reported.
Spec expandLayouts(Spec spec, Diagnostics& errors);

}  // namespace einc::frontend
