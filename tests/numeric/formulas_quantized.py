# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""quantized.tc, step by step as ONNX and TensorFlow Lite define it. Codes are integers, and everything else is f32, but for what
says otherwise."""

import numpy as np

from tests.numeric import formulas_conv, scalars
from tests.numeric.formula import Formula

_ENDS = {kind: (np.iinfo(scalars.DTYPES[kind]).min, np.iinfo(scalars.DTYPES[kind]).max) for kind in ("i8", "u8", "i16", "u16")}


def _codes(array):
    return np.asarray(array).astype(np.int64)


def _f32(array):
    return np.asarray(array).astype(np.float32)


def wrapped(sums):
    """Modulo 2^32."""
    return (np.asarray(sums) & 0xFFFFFFFF).astype(np.uint32).view(np.int32)


# ---- ONNX ----


def _saturated(rounded, zero, code):
    """Codes of what is rounded already. f64 has the sums exactly. NaN, of which ONNX says nothing, is 0 here."""
    return np.clip(np.nan_to_num(rounded.astype(np.float64) + zero, nan=0), *_ENDS[code]).astype(np.int64)


def quantized(x, scale, zero, code="u8", **_):
    with np.errstate(all="ignore"):
        return _saturated(np.rint(_f32(x) / _f32(scale)), _codes(zero), code)


def dequantized(x, scale, zero, **_):
    return (_codes(x) - _codes(zero)).astype(np.float32) * _f32(scale)


def dynamically_quantized(X, **_):
    x = _f32(X)
    high, low = np.maximum(np.float32(0), x.max(initial=-np.inf)), np.minimum(np.float32(0), x.min(initial=np.inf))
    scale = np.float32(1) if high == low else (high - low) / np.float32(255)
    zero = np.rint(np.clip(np.float32(0) - low / scale, np.float32(0), np.float32(255)))
    return np.clip(np.rint(x / scale) + zero, 0, 255), scale, zero


def requantized(sums, a_scale, b_scale, y_scale, y_zero, code, product):
    """`b_scale` has the shape of one result, or is one number."""
    with np.errstate(all="ignore"):
        factor = _f32(a_scale) * _f32(b_scale) / _f32(y_scale)
        assert factor.dtype == np.float32
        return _saturated(np.rint(wrapped(sums).astype(product) * factor.astype(product)), _codes(y_zero), code)


def matmul_integer(A, B, a_zero, b_zero, **_):
    return (_codes(A) - np.reshape(_codes(a_zero), (-1, 1))) @ (_codes(B) - _codes(b_zero))


def qlinear_matmul(A, a_scale, a_zero, B, b_scale, b_zero, y_scale, y_zero, code="u8", product=np.float32):
    return requantized(matmul_integer(A, B, a_zero, b_zero), a_scale, b_scale, y_scale, y_zero, code, product)


def conv_integer(layouts, X, K, x_zero, w_zero, **s):
    """Sums of the products of codes, whose zero points are taken off before X is put among zeros."""
    image, kernel, result = layouts
    space = [image.index(axis) for axis in "hw"]
    x, whole = _codes(X) - _codes(x_zero), list(np.shape(X))
    for i, axis in enumerate("HW"):
        whole[space[i]] = (s["O" + axis] - 1) * s["strides"][i] + (s["K" + axis] - 1) * s["dilations"][i] + 1
        whole[space[i]] = max(whole[space[i]], s["pads"][i] + x.shape[space[i]], 0)
    wide, inside = np.zeros(whole, np.int64), [slice(None)] * x.ndim
    for i in range(2):
        inside[space[i]] = slice(s["pads"][i], s["pads"][i] + x.shape[space[i]])
    wide[tuple(inside)] = x
    zeros = np.reshape(_codes(w_zero), [-1 if axis in "gf" and np.ndim(w_zero) else 1 for axis in kernel])
    extents = {**dict(zip(image, wide.shape)), **dict(zip(kernel, np.shape(K))), "h": s["OH"], "w": s["OW"]}
    start = np.zeros([extents[axis] for axis in result], np.int64)
    return formulas_conv.convolve(layouts, wide, _codes(K) - zeros, start, **s)


def _for_each(layout, values):
    """Values for each filter, to be combined with results of this layout."""
    if np.ndim(values) == 0:
        return values
    shape = iter(np.shape(values))
    return np.reshape(values, [next(shape) if axis in "gfcm" else 1 for axis in layout])


def qlinear_conv(layouts, X, x_scale, x_zero, K, w_scale, w_zero, y_scale, y_zero, bias, code="u8", product=np.float32, **s):
    sums = conv_integer(layouts, X, K, x_zero, w_zero, **s) + _for_each(layouts[2], _codes(bias))
    return requantized(sums, x_scale, _for_each(layouts[2], w_scale), y_scale, y_zero, code, product)


# ---- TensorFlow Lite ----


def high_mul(a, b):
    """SaturatingRoundingDoublingHighMul of gemmlowp, whose division cuts off."""
    ab = a.astype(np.int64) * b.astype(np.int64)
    nudged = ab + np.where(ab >= 0, 1 << 30, 1 - (1 << 30))
    cut = np.where(nudged >= 0, nudged >> 31, -(-nudged >> 31))
    return np.where((a == b) & (a == -(1 << 31)), (1 << 31) - 1, cut)


def divided_by_power(x, exponent):
    """RoundingDivideByPOT of gemmlowp."""
    mask = (np.int64(1) << exponent) - 1
    return (x >> exponent) + ((x & mask) > (mask >> 1) + (x < 0))


def tflite(sums, multiplier, shift, y_zero, low, high):
    """MultiplyByQuantizedMultiplier with two roundings, and what follows it."""
    multiplier, shift = _codes(multiplier), _codes(shift)
    left, right = np.maximum(shift, 0), np.maximum(-shift, 0)
    shifted = wrapped(wrapped(sums).astype(np.int64) << left).astype(np.int64)
    y = wrapped(divided_by_power(high_mul(shifted, np.broadcast_to(multiplier, shifted.shape)), right) + _codes(y_zero))
    return np.minimum(np.maximum(y, int(low)), int(high))


def tflite_fully_connected(X, x_zero, W, bias, multiplier, shift, y_zero, low, high, w_zero=0, **_):
    sums = (_codes(X) - _codes(x_zero)) @ (_codes(W) - _codes(w_zero)).T + _codes(bias)
    return tflite(sums, multiplier, shift, y_zero, low, high)


def tflite_conv_2d(layouts, X, x_zero, K, bias, multiplier, shift, y_zero, low, high, **s):
    sums = conv_integer(layouts, X, K, x_zero, 0, **s) + _for_each(layouts[2], _codes(bias))
    return tflite(sums, _for_each(layouts[2], multiplier), _for_each(layouts[2], shift), y_zero, low, high)


# ---- Quantised weights ----


def quantized_weights(X, W, scale, Y, zero=0, **_):
    """Products and sums exactly, where they are short."""
    zero = zero[:, :, None] if np.ndim(zero) else zero
    return Y + np.einsum("mgl,ngl->mn", X, (W.astype(X.dtype) - zero) * scale[:, :, None])


# ---- The table ----

_SCALES = {"a_scale": 0.5, "b_scale": 0.25, "x_scale": 0.5, "y_scale": 0.75}
_ZEROS = {"a_zero": 2, "b_zero": -1, "x_zero": 1, "w_zero": -2, "y_zero": 101, "shift": -2, "multiplier": 1518500250, "low": -77, "high": 126}
_TYPES = {"bias": "i32", "multiplier": "i32", "shift": "i32", "scale": "f32", **{name: "f32" for name in (*_SCALES, "w_scale")}}


def _entry(signature, formula, kinds, **more):
    """`kinds`: the types of what has no type of its own."""
    types = {**_TYPES, **kinds}
    names = {name for part in Formula(signature, None).parts for name, dims in part if dims is None}
    values = {name: value for name, value in {**_SCALES, **_ZEROS}.items() if name in names}
    return Formula(signature, lambda **a: formula(**a), varied=False, types=types, scalars=values, **{"roundings": 0, **more})


def _named(function, *names):
    """The function of these, and of the types that it has defaults for."""
    return lambda **a: function(*[a[name] for name in names], **{name: a[name] for name in ("code", "product") if name in a})


def _convolution(name, signature, formula, layouts, kinds):
    """Images that are smaller than their windows need, and lie within."""
    sizes = formulas_conv.window_sizes("hw")
    return {name: _entry(signature, lambda **a: formula(layouts, **a), kinds,
                         attributes=(("strides", 2, 1, 3), ("dilations", 2, 1, 2), ("pads", 2, 0, 3)),
                         sizes=lambda s: {k: max(v - 4, 0) for k, v in sizes(s).items()})}


_ONNX = {"A": "u8", "X": "u8", "B": "i8", "K": "i8", "Y": "u8", "a_zero": "u8", "x_zero": "u8", "b_zero": "i8", "w_zero": "i8", "y_zero": "u8"}
_TFLITE = {name: "i8" for name in ("X", "W", "K", "Y", "x_zero", "w_zero", "y_zero", "low", "high")}
_PRODUCT = ("A", "B", "a_zero", "b_zero")
_QLINEAR = ("A", "a_scale", "a_zero", "B", "b_scale", "b_zero", "y_scale", "y_zero")
LAYOUTS = {"nchw_fchw": ("nchw", "fchw", "nfhw"), "ngchw_gfchw": ("ngchw", "gfchw", "ngfhw"), "nhwc_hwcf": ("nhwc", "hwcf", "nhwf")}
TABLE = {
    "quantize_linear": _entry("X[M,N] y_scale y_zero -> Y[M,N]", _named(quantized, "X", "y_scale", "y_zero"), {**_ONNX, "X": "f32"}),
    "quantize_linear_axis": _entry(
        "X[P,C,Q] y_scale[C] y_zero[C] -> Y[P,C,Q]", lambda X, y_scale, y_zero, code="u8", **_: quantized(X, y_scale[:, None], y_zero[:, None], code),
        {**_ONNX, "X": "f32"}, positive=True),
    "dequantize_linear": _entry("X[M,N] x_scale x_zero -> Y[M,N]", _named(dequantized, "X", "x_scale", "x_zero"), {**_ONNX, "Y": "f32"}),
    "dequantize_linear_axis": _entry(
        "X[P,C,Q] x_scale[C] x_zero[C] -> Y[P,C,Q]", lambda X, x_scale, x_zero, **_: dequantized(X, x_scale[:, None], x_zero[:, None]),
        {**_ONNX, "Y": "f32"}),
    "dynamic_quantize_linear": _entry("X[M,N] -> Y[M,N] y_scale[] y_zero[]", _named(dynamically_quantized, "X"), {**_ONNX, "X": "f32"}),
    "matmul_integer": _entry("A[M,K] B[K,N] a_zero b_zero -> Y[M,N]", _named(matmul_integer, *_PRODUCT), {**_ONNX, "Y": "i32"}),
    "matmul_integer_axis": _entry("A[M,K] B[K,N] a_zero[M] b_zero[N] -> Y[M,N]", _named(matmul_integer, *_PRODUCT), {**_ONNX, "Y": "i32"}),
    "qlinear_matmul": _entry("A[M,K] a_scale a_zero B[K,N] b_scale b_zero y_scale y_zero -> Y[M,N]", _named(qlinear_matmul, *_QLINEAR), _ONNX),
    "qlinear_matmul_axis": _entry(
        "A[M,K] a_scale a_zero B[K,N] b_scale[N] b_zero[N] y_scale y_zero -> Y[M,N]", _named(qlinear_matmul, *_QLINEAR), _ONNX),
    "tflite_fully_connected": _entry(
        "X[M,K] x_zero W[N,K] w_zero bias[N] multiplier shift y_zero low high -> Y[M,N]", tflite_fully_connected, _TFLITE),
    "tflite_fully_connected_axis": _entry(
        "X[M,K] x_zero W[N,K] bias[N] multiplier[N] shift[N] y_zero low high -> Y[M,N]", tflite_fully_connected, _TFLITE),
    **_convolution(
        "tflite_conv_2d", "X[N,IH,IW,C] x_zero K[F,KH,KW,C] bias[F] multiplier[F] shift[F] y_zero low high -> Y[N,OH,OW,F]",
        tflite_conv_2d, ("nhwc", "fhwc", "nhwf"), _TFLITE),
    **_convolution(
        "tflite_depthwise_conv_2d", "X[N,IH,IW,C] x_zero K[KH,KW,C] bias[C] multiplier[C] shift[C] y_zero low high -> Y[N,OH,OW,C]",
        tflite_conv_2d, ("nhwc", "hwc", "nhwc"), _TFLITE),
    **_convolution(
        "tflite_depthwise_conv_2d_several",
        "X[N,IH,IW,C] x_zero K[KH,KW,C,M] bias[C,M] multiplier[C,M] shift[C,M] y_zero low high -> Y[N,OH,OW,C,M]",
        tflite_conv_2d, ("nhwc", "hwcm", "nhwcm"), _TFLITE),
    "matmul_weights": _entry(
        "X[M,G,L] W[N,G,L] scale[N,G] -> Y[M,N]", quantized_weights, {"X": "f32", "W": "i8", "Y": "f32"}, k="G * L", roundings=4),
    "matmul_weights_zero": _entry(
        "X[M,G,L] W[N,G,L] scale[N,G] zero[N,G] -> Y[M,N]", quantized_weights, {"X": "f32", "W": "u8", "zero": "u8", "Y": "f32"},
        k="G * L", roundings=6,
        weight=lambda X, W, scale, zero, Y, **_: Y + np.einsum("mgl,ngl->mn", X, (W + zero[:, :, None]) * scale[:, :, None])),
}
for _name, _layouts in LAYOUTS.items():
    _x, _k, _y = (formulas_conv.dims(layout, letter) for layout, letter in zip(_layouts, "IKO"))
    _f = "G,F" if "g" in _layouts[0] else "F"
    TABLE |= _convolution(f"conv_integer_2d_{_name}", f"X[{_x}] K[{_k}] x_zero w_zero -> Y[{_y}]", conv_integer, _layouts,
                          {**_ONNX, "Y": "i32"})
    for _axis in ["", "_axis"] if "g" not in _layouts[0] else [""]:
        TABLE |= _convolution(
            f"qlinear_conv{_axis}_2d_{_name}",
            f"X[{_x}] x_scale x_zero K[{_k}] w_scale[{_f}] w_zero{'[F]' if _axis else ''} y_scale y_zero bias[{_f}] -> Y[{_y}]",
            qlinear_conv, _layouts, _ONNX)
