# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Convolutions and pooling as sums over the positions of their windows.

A layout is a word such as nhwc, and is taken from the op's name, not from its spec: the names say
what the ops are.
"""

import re

import numpy as np

from tests.numeric.formula import Formula

SPACE = "dhw"


def space_of(layout):
    return [axis for axis in layout if axis in SPACE]


def dims(layout, prefix):
    """The size symbols of a tensor: space is prefixed (IH, KH, OH), the other axes are N, C, F, ..."""
    return ",".join((prefix if axis in SPACE else "") + axis.upper() for axis in layout)


def layouts_of(name):
    """(I, K, O) of a convolution."""
    depthwise = name.startswith("depthwise_")
    name = name.removesuffix("_q")
    if match := re.fullmatch(r"conv_(\d)d", name):
        space = SPACE[3 - int(match[1]) :]
        return space, space, space
    match = re.search(r"conv_\dd_(?:input_)?([a-z]+?)(?:_(?:filter_)?([a-z]+))?$", name)
    image, kernel = match[1], match[2] or match[1].replace("n", "f")
    if not depthwise:
        return image, kernel, image.replace("c", "f")
    kernel = kernel.replace("f", "m")
    return image, kernel, image.replace("c", "cm") if "m" in kernel else image


def taps(image, space, s, count):
    """(position in the window, the elements of I under it) for each position. `s` holds the sizes and
    attributes; `count` the window's lengths."""
    for at in np.ndindex(*count):
        index = []
        for axis in image:
            if axis not in SPACE:
                index.append(slice(None))
                continue
            i = space.index(axis)
            stride, dilation = s["strides"][i] if "strides" in s else 1, s["dilations"][i] if "dilations" in s else 1
            begin, outs = at[i] * dilation, s["O" + axis.upper()]
            index.append(slice(begin, begin + max(outs - 1, -1) * stride + 1, stride) if outs else slice(0, 0))
        yield at, tuple(index)


def convolve(layouts, I, K, O, **s):
    image, kernel, result = layouts
    space = space_of(image)
    rest = "".join(axis for axis in kernel if axis not in SPACE)
    if "IZp" in s:
        I, K = I - s["IZp"], K - s["KZp"]
    for at, index in taps(image, space, s, [s["K" + axis.upper()] for axis in space]):
        weights = K[tuple(at[space.index(axis)] if axis in SPACE else slice(None) for axis in kernel)]
        O = O + np.einsum(f"{image},{rest}->{result}", I[index], weights)
    return O


def pool(image, reduce, initial, I, K, O, **s):
    windows = [I[index] for _, index in taps(image, space_of(image), s, K.shape)]
    return reduce(np.stack(([O] if initial else []) + windows), axis=0)


def window_sizes(space):
    def sizes(s):
        """The input that a window needs, and some rows more along the first axis."""
        result = {}
        for i, axis in enumerate(space):
            axis = axis.upper()
            result["I" + axis] = ((s["O" + axis] - 1) * s["strides"][i] + (s["K" + axis] - 1) * s["dilations"][i]
                                  + (3 if i == 0 else 1))
        return result

    return sizes


CONVOLUTIONS = """
conv_1d conv_2d conv_3d conv_1d_nwc_wcf conv_1d_ncw_fcw conv_2d_nhwc_hwcf conv_2d_nhwc_fhwc conv_2d_nchw_fchw
conv_2d_ngchw_fgchw conv_2d_ngchw_gfchw conv_2d_nhwgc_gfhwc conv_3d_ndhwc_dhwcf conv_3d_ncdhw_fcdhw
conv_1d_nwc conv_1d_ncw conv_2d_nhwc conv_2d_nchw conv_3d_ndhwc conv_3d_ncdhw
conv_1d_input_nwc_filter_wcf conv_1d_input_ncw_filter_wcf conv_2d_input_nhwc_filter_hwcf
conv_2d_input_nchw_filter_hwcf conv_3d_input_ndhwc_filter_dhwcf conv_3d_input_ncdhw_filter_dhwcf
conv_2d_nhwc_hwcf_q conv_2d_nhwc_fhwc_q conv_2d_nchw_fchw_q conv_2d_ngchw_gfchw_q conv_2d_nhwgc_gfhwc_q
conv_3d_ndhwc_dhwcf_q
depthwise_conv_1d_nwc_wc depthwise_conv_1d_ncw_cw depthwise_conv_1d_nwc_wcm depthwise_conv_1d_ncw_cmw
depthwise_conv_2d_nhwc_hwc depthwise_conv_2d_nchw_chw depthwise_conv_2d_nhwc_hwcm depthwise_conv_2d_nchw_cmhw
depthwise_conv_3d_ndhwc_dhwc depthwise_conv_3d_ncdhw_cdhw depthwise_conv_3d_ndhwc_dhwcm
depthwise_conv_3d_ncdhw_cmdhw depthwise_conv_2d_input_nhwc_filter_hwc depthwise_conv_2d_input_nhwc_filter_hwcf
depthwise_conv_2d_nhwc_hwc_q depthwise_conv_2d_nhwc_hwcm_q
""".split()
POOLED = {"sum": (np.sum, True), "max": (np.max, True), "min": (np.min, True), "average": (np.mean, False)}


def _padded(I, K, O, **s):
    high = [(s["OH"] - 1) * s["strides"][0] + (s["KH"] - 1) * s["dilations"][0] + 1,
            (s["OW"] - 1) * s["strides"][1] + (s["KW"] - 1) * s["dilations"][1] + 1]
    whole = np.zeros((I.shape[0], high[0] + 9 + I.shape[1], high[1] + 9 + I.shape[2], I.shape[3]), I.dtype)
    p = s["padding"]
    whole[:, p[0] : p[0] + I.shape[1], p[1] : p[1] + I.shape[2]] = I
    return convolve(("nhwc", "hwcf", "nhwf"), whole, K, O, **s)


def _table():
    """name -> Formula, for conv.tc, depthwise.tc and pooling.tc."""
    found = {}
    for name in CONVOLUTIONS:
        image, kernel, result = layouts = layouts_of(name)
        space = space_of(image)
        quantised = name.endswith("_q")
        found[name] = Formula(
            f"I[{dims(image, 'I')}] K[{dims(kernel, 'K')}] {'IZp KZp ' if quantised else ''}-> O[{dims(result, 'O')}]",
            lambda layouts=layouts, **a: convolve(layouts, **a),
            " * ".join(["1"] + ["K" + a.upper() for a in space]
                       + (["C"] if "c" in image and "depthwise" not in name else [])),
            attributes=(("strides", len(space), 1, 3), ("dilations", len(space), 1, 2)),
            sizes=window_sizes(space),
            types={"IZp": "i32", "KZp": "i32", "O": "i32"} if quantised else {"O": "U"},
            scalars={"IZp": 3, "KZp": -2} if quantised else None,
            takes="integers" if quantised else "numbers")
    for image in ["nwc", "ncw", "nhwc", "nchw", "ndhwc"]:
        for operation in ["sum", "max", "min", "average", "max_unsigned", "min_unsigned"]:
            if "unsigned" in operation and image not in ("nwc", "nhwc"):
                continue
            reduce, initial = POOLED[operation.removesuffix("_unsigned")]
            space = space_of(image)
            found[f"pooling_{image}_{operation}"] = Formula(
                f"I[{dims(image, 'I')}] K[{dims(''.join(space), 'K')}] -> O[{dims(image, 'O')}]",
                lambda image=image, reduce=reduce, initial=initial, **a: pool(image, reduce, initial, **a),
                " * ".join("K" + a.upper() for a in space),
                attributes=(("strides", len(space), 1, 3), ("dilations", len(space), 1, 2)),
                sizes=window_sizes(space), types={"O": "U"}, varied=operation in ("sum", "average"),
                roundings=4 if operation in ("sum", "average") else 0, exact=operation != "average")
    found["conv_2d_nhwc_hwcf_padded"] = Formula(
        "I[N,IH,IW,C] K[KH,KW,C,F] -> O[N,OH,OW,F]", _padded, "KH * KW * C",
        attributes=(("strides", 2, 1, 3), ("dilations", 2, 1, 2), ("padding", 2, 0, 3)),
        sizes=lambda s: {k: max(v - 4, 0) for k, v in window_sizes("hw")(s).items()})
    return found


TABLE = _table()
