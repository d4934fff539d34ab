# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""conv.tc, depthwise.tc, historic.tc, pooling.tc."""

import numpy as np

from tests.numeric.formula import Formula


def _window(x, s, size, reduce):
    """NHWC pooling; `size` (KH, KW)."""
    views = []
    oh, ow = s["OH"], s["OW"]
    for kh in range(size[0]):
        for kw in range(size[1]):
            top, left = kh * s["dilations"][1 - 1], kw * s["dilations"][1]
            views.append(x[:, top : top + (oh - 1) * s["strides"][0] + 1 : s["strides"][0],
                           left : left + (ow - 1) * s["strides"][1] + 1 : s["strides"][1]])
    return reduce(np.stack(views), axis=0)


def _taps(s):
    """(kh, kw, rows, columns) for each position in a window."""
    for kh in range(s["KH"]):
        for kw in range(s["KW"]):
            top, left = kh * s["dilations"][0], kw * s["dilations"][1]
            yield kh, kw, slice(top, top + (s["OH"] - 1) * s["strides"][0] + 1, s["strides"][0]), slice(
                left, left + (s["OW"] - 1) * s["strides"][1] + 1, s["strides"][1])


def _conv_nhwc(I, K, O, **s):
    for kh, kw, rows, columns in _taps(s):
        O = O + I[:, rows, columns] @ K[kh, kw]
    return O


def _conv_nchw(I, K, O, **s):
    for kh, kw, rows, columns in _taps(s):
        O = O + np.einsum("nchw,fc->nfhw", I[:, :, rows, columns], K[:, :, kh, kw])
    return O


def _conv_padded(I, K, O, **s):
    high = [(s["OH"] - 1) * s["strides"][0] + (s["KH"] - 1) * s["dilations"][0] + 1,
            (s["OW"] - 1) * s["strides"][1] + (s["KW"] - 1) * s["dilations"][1] + 1]
    whole = np.zeros((I.shape[0], high[0] + 9 + I.shape[1], high[1] + 9 + I.shape[2], I.shape[3]), I.dtype)
    p = s["padding"]
    whole[:, p[0] : p[0] + I.shape[1], p[1] : p[1] + I.shape[2]] = I
    return _conv_nhwc(whole, K, O, **s)


def _conv_1d(I, K, O, **s):
    for kw in range(s["KW"]):
        left = kw * s["dilations"][0]
        O = O + I[:, left : left + (s["OW"] - 1) * s["strides"][0] + 1 : s["strides"][0]] @ K[kw]
    return O


def _depthwise(I, K, O, **s):
    for kh, kw, rows, columns in _taps(s):
        O = O + I[:, rows, columns] * K[kh, kw]
    return O


def _depthwise_multiplied(I, K, O, **s):
    for kh, kw, rows, columns in _taps(s):
        O = O + I[:, rows, columns, :, None] * K[kh, kw]
    return O


def _historic(rank):
    def formula(I, K, O, **s):
        for at in np.ndindex(K.shape):
            O = O + K[at] * I[tuple(slice(a, a + n) for a, n in zip(at, O.shape))]
        return O

    assert rank in (1, 2, 3)
    return formula


def _window_sizes(s):
    """The input that a window needs, and one row more."""
    return {
        "IH": (s["OH"] - 1) * s["strides"][0] + (s["KH"] - 1) * s["dilations"][0] + 2,
        "IW": (s["OW"] - 1) * s["strides"][1] + (s["KW"] - 1) * s["dilations"][1] + 1,
    }


_STRIDED = (("strides", 2, 1, 3), ("dilations", 2, 1, 2))
_CONV = dict(k="KH * KW * C", attributes=_STRIDED, sizes=_window_sizes)
TABLE = {
    # conv.tc, depthwise.tc, historic.tc
    "conv_1d_nwc_wcf": Formula("I[N,IW,C] K[KW,C,F] -> O[N,OW,F]", _conv_1d, "KW * C",
                               attributes=(("strides", 1, 1, 3), ("dilations", 1, 1, 2)),
                               sizes=lambda s: {"IW": (s["OW"] - 1) * s["strides"][0]
                                                + (s["KW"] - 1) * s["dilations"][0] + 3}),
    "conv_2d_nhwc_hwcf": Formula("I[N,IH,IW,C] K[KH,KW,C,F] -> O[N,OH,OW,F]", _conv_nhwc, **_CONV),
    "conv_2d_nchw_fchw": Formula("I[N,C,IH,IW] K[F,C,KH,KW] -> O[N,F,OH,OW]", _conv_nchw, **_CONV),
    "conv_2d_nhwc_hwcf_i8_i32": Formula("I[N,IH,IW,C] K[KH,KW,C,F] -> O[N,OH,OW,F]", _conv_nhwc,
                                        types={"I": "i8", "K": "i8", "O": "i32"}, **_CONV),
    "conv_2d_nhwc_hwcf_padded": Formula("I[N,IH,IW,C] K[KH,KW,C,F] -> O[N,OH,OW,F]", _conv_padded, "KH * KW * C",
                                        attributes=_STRIDED + (("padding", 2, 0, 3),),
                                        sizes=lambda s: {k: max(v - 4, 0) for k, v in _window_sizes(s).items()}),
    "depthwise_conv_2d_nhwc_hwc": Formula("I[N,IH,IW,C] K[KH,KW,C] -> O[N,OH,OW,C]", _depthwise, **_CONV),
    "depthwise_conv_2d_nhwc_hwcm": Formula("I[N,IH,IW,C] K[KH,KW,C,Q] -> O[N,OH,OW,C,Q]",
                                           _depthwise_multiplied, **_CONV),
    "conv_1d": Formula("I[IW] K[KW] -> O[W]", _historic(1), "KW", types={"I": "f32", "K": "f32", "O": "f32"},
                       sizes=lambda s: {"IW": max(s["W"] + s["KW"] - 1, 0)}),
    "conv_2d": Formula("I[IH,IW] K[KH,KW] -> O[H,W]", _historic(2), "KH * KW",
                       types={"I": "f32", "K": "f32", "O": "f32"},
                       sizes=lambda s: {"IH": max(s["H"] + s["KH"] - 1, 0), "IW": s["W"] + s["KW"] + 1}),
    "conv_3d": Formula("I[ID,IH,IW] K[KD,KH,KW] -> O[D,H,W]", _historic(3), "KD * KH * KW",
                       types={"I": "f32", "K": "f32", "O": "f32"},
                       sizes=lambda s: {"ID": max(s["D"] + s["KD"] - 1, 0), "IH": s["H"] + s["KH"],
                                        "IW": s["W"] + s["KW"]}),
    # pooling.tc
    "pooling_nhwc_max": Formula("I[N,IH,IW,C] W[KH,KW] -> O[N,OH,OW,C]",
                                lambda I, W, **s: _window(I, s, W.shape, np.max), roundings=0, varied=False, **_CONV),
    "pooling_nhwc_min": Formula("I[N,IH,IW,C] W[KH,KW] -> O[N,OH,OW,C]",
                                lambda I, W, **s: _window(I, s, W.shape, np.min), roundings=0, varied=False, **_CONV),
    "pooling_nhwc_sum": Formula("I[N,IH,IW,C] W[KH,KW] -> O[N,OH,OW,C]",
                                lambda I, W, **s: _window(I, s, W.shape, np.sum), **_CONV),
    "pooling_nhwc_average": Formula("I[N,IH,IW,C] W[KH,KW] -> O[N,OH,OW,C]",
                                    lambda I, W, **s: _window(I, s, W.shape, np.mean), exact=False, **_CONV),
}
