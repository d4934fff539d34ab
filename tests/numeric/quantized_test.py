# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""The defs of specs/quantized.tc at their ends, bit for bit as ONNX and TensorFlow Lite define them (formulas_quantized.py): sums at
the ends of 32 bits and beyond, products that are halves, codes that are saturated, zero points at both ends of their range, sizes
around words, tiles and panels. Native code for each kind of vectors, and the interpreter at each level.
"""

import ctypes
import itertools

import numpy as np

from tests.numeric import abi, einc_tool, formulas_quantized, scalars

_TABLE = formulas_quantized.TABLE
# Types that codes of inputs, of weights and of results may have, and that of the product with the factor.
_VARIANTS = {
    "u8 i8": {"I": "u8", "W": "i8", "O": "u8", "P": "f32"},
    "i8 i8": {"I": "i8", "W": "i8", "O": "i8", "P": "f32"},
    "u8 u8 f64": {"I": "u8", "W": "u8", "O": "u8", "P": "f64"},
    "i8 u8": {"I": "i8", "W": "u8", "O": "u8", "P": "f32"},
}
_ROLES = {"A": "I", "X": "I", "a_zero": "I", "x_zero": "I", "B": "W", "K": "W", "b_zero": "W", "w_zero": "W", "Y": "O", "y_zero": "O"}
_PRODUCTS = ["matmul_integer", "matmul_integer_axis", "qlinear_matmul", "qlinear_matmul_axis"]
_CONNECTED = ["tflite_fully_connected", "tflite_fully_connected_axis"]
_CONVOLUTIONS = [name for name in _TABLE if "conv" in name]
_WEIGHTS = ["matmul_weights", "matmul_weights_zero"]

# M, N, K
_SIZES = [
    (0, 3, 5), (3, 0, 5), (3, 5, 0), (1, 1, 1), (1, 7, 3), (2, 5, 4), (3, 16, 15), (4, 17, 16), (5, 15, 17), (7, 63, 64), (13, 65, 63),
    (8, 48, 65), (9, 49, 129), (64, 31, 33), (65, 97, 67), (1, 130, 1031), (17, 1, 257), (2, 3, 70001),
]
# N, C, IH, IW, F, KH, KW, strides, dilations, pads, OH, OW; of grouped ones two groups.
_WINDOWS = [
    (1, 1, 1, 1, 1, 1, 1, (1, 1), (1, 1), (0, 0), 1, 1), (1, 3, 4, 5, 2, 3, 3, (1, 1), (1, 1), (1, 1), 4, 5),
    (2, 4, 7, 7, 17, 3, 3, (2, 2), (1, 1), (1, 1), 4, 4), (1, 5, 9, 16, 16, 1, 1, (1, 1), (1, 1), (0, 0), 9, 16),
    (1, 16, 6, 5, 5, 3, 2, (1, 2), (2, 1), (2, 0), 5, 2), (1, 3, 3, 3, 4, 2, 2, (1, 1), (1, 1), (3, 4), 7, 9),
    (2, 65, 5, 4, 64, 3, 3, (1, 1), (1, 1), (0, 1), 3, 4), (0, 3, 4, 4, 5, 3, 3, (1, 1), (1, 1), (1, 1), 4, 4),
    (1, 0, 4, 4, 5, 3, 3, (1, 1), (1, 1), (1, 1), 4, 4), (1, 3, 4, 4, 0, 3, 3, (1, 1), (1, 1), (1, 1), 4, 4),
    (1, 33, 13, 17, 31, 3, 3, (1, 1), (1, 1), (1, 1), 13, 17), (1, 4, 0, 4, 5, 3, 3, (1, 1), (1, 1), (1, 1), 2, 4),
]
# Of input, weights and output: factors that make halves; one that is no power of two; one whose product has few digits, as a
# denormal has; one that saturates.
_SCALES = [(0.5, 1, 1), (0.25, 0.5, 1), (2.0**-6, 2.0**-6, 1), (0.0123, 0.371, 0.0917), (1e-22, 3e-22, 1e-42), (1e15, 1e10, 1e-10)]
_MULTIPLIERS = [0, 1, 2, (1 << 30) - 1, 1 << 30, (1 << 30) + 1, 3 << 29, 1518500250, (1 << 31) - 2, (1 << 31) - 1]
_SHIFTS = [-31, -30, -17, -8, -2, -1, 0, 1, 2, 8, 30]
_SUMS = [s * x + d for s in (-1, 1) for x in (0, 1, 3, 5, 1 << 7, 1 << 15, 1 << 24, 1 << 29, 1 << 30, (1 << 31) - 3) for d in (-1, 0, 1, 2)]


def kind_of(name, value, variant):
    if variant and value in _ROLES and not name.startswith(("tflite", "matmul_weights")):
        kind = _TABLE[name].types[value]
        return variant[_ROLES[value]] if kind in ("i8", "u8") else kind
    return _TABLE[name].types[value]


def drawn(rng, kind, shape, how):
    """Codes: any, or the ends of their range."""
    info = np.iinfo(scalars.DTYPES[kind])
    values = rng.choice([info.min, info.max], shape) if how == "ends" else rng.integers(info.min, info.max + 1, shape)
    return np.asarray(values).astype(scalars.DTYPES[kind])


def laid_out(array, how):
    """The same array, as it lies in memory: plain, turned, or every other element."""
    if how == 1:
        return np.asfortranarray(array)
    if how == 2 and array.ndim:
        wide = np.zeros([2 * n for n in array.shape], array.dtype)
        part = wide[tuple(slice(None, None, 2) for _ in array.shape)]
        part[...] = array
        return part
    return array


def wanted(name, values, sizes, variant):
    more = {}
    if variant:
        more = {"code": variant["O"], "product": scalars.DTYPES[variant["P"]]}
    results = _TABLE[name].formula(**values, **sizes, **more)
    return results if isinstance(results, tuple) else (results,)


def stored(kind, want):
    """As memory holds it: sums modulo 2^32."""
    want = np.asarray(want)
    return formulas_quantized.wrapped(want) if kind == "i32" else want.astype(scalars.DTYPES[kind])


def compared(kinds, results, wants):
    for kind, got, want in zip(kinds, results, wants):
        want = stored(kind, want)
        if got.shape != want.shape:
            return f"shape {got.shape}, not {want.shape}"
        wrong = np.argwhere(got.view(f"u{got.itemsize}") != want.view(f"u{want.itemsize}"))
        if len(wrong):
            at = tuple(wrong[0])
            return f"{len(wrong)} wrong, first at {at}: {got[at]}, not {want[at]}"
    return None


def called(library, name, values, sizes, variant=None, how=0):
    """`values`: inputs, in storage; what outputs hold before, where they are added to. `sizes`: attributes and sizes that are of no
    input."""
    inputs, outputs = _TABLE[name].parts
    wants = wanted(name, values, sizes, variant)
    arrays, args = {value: laid_out(values[value], how) for value, dims in inputs if dims is not None}, []
    for value, dims in inputs:
        kind = kind_of(name, value, variant)
        args.append(abi.c_scalar(kind, values[value]) if dims is None else abi.describe(arrays[value]))
    kinds, results = [kind_of(name, value, variant) for value, _ in outputs], []
    for (value, _), kind, want in zip(outputs, kinds, wants):
        before = values[value] if value in values else np.full(np.shape(want), 77, scalars.DTYPES[kind])
        results.append(np.asfortranarray(before) if how == 1 else before.copy())
    args += map(abi.describe, results)
    args += [abi.c_attribute("i64", sizes[attribute]) for attribute, *_ in _TABLE[name].attributes]
    status = library.kernel(name)(*args)
    return f"status {status}" if status else compared(kinds, results, wants)


def interpreted(folder, spec, engine, name, values, sizes):
    """The same by `einc eval`, for the types that the spec has."""
    folder.mkdir(parents=True, exist_ok=True)
    inputs, outputs = _TABLE[name].parts
    args = ["eval", spec, "--def", name, f"--engine={engine}", *(["--target=native"] if engine == "hw" else [])]
    for value, dims in inputs:
        if dims is None:
            args += ["--attr", f"{value}={values[value]!r}"]
            continue
        np.save(folder / f"{value}.npy", values[value])
        args += ["--in", f"{value}={folder}/{value}.npy"]
    wants = wanted(name, values, sizes, None)
    kinds = [kind_of(name, value, None) for value, _ in outputs]
    for (value, _), kind, want in zip(outputs, kinds, wants):
        np.save(folder / f"{value}.npy", values[value] if value in values else np.zeros(np.shape(want), scalars.DTYPES[kind]))
        args += ["--in", f"{value}={folder}/{value}.npy", "--out", f"{value}={folder}/{value}.out.npy"]
    for attribute, *_ in _TABLE[name].attributes:
        args += ["--attr", f"{attribute}=" + ",".join(map(str, sizes[attribute]))]
    einc_tool.must(einc_tool.run(*args))
    return compared(kinds, [np.load(folder / f"{value}.out.npy") for value, _ in outputs], wants)


# ---- What is computed ----


def codes(rng, name, sizes, variant, how):
    """All inputs of a product or a convolution; scales are given by the caller."""
    values = {}
    for value, dims in _TABLE[name].parts[0]:
        kind = kind_of(name, value, variant)
        shape = () if dims is None else [sizes[d] for d in dims]
        if kind in ("i8", "u8"):
            values[value] = drawn(rng, kind, shape, how)
        elif value == "bias":
            values[value] = rng.choice([-(1 << 31), (1 << 31) - 1, 0, 1, -12345], shape).astype(np.int32)
        elif value == "multiplier":
            values[value] = rng.choice(_MULTIPLIERS, shape).astype(np.int32)
        elif value == "shift":
            values[value] = rng.choice([-20, -13, -9, -3, 0, 1], shape).astype(np.int32)
        if dims is None and value in values:
            values[value] = int(values[value])
    if "low" in values:
        values["low"], values["high"] = sorted([values["low"], values["high"]])
    return values


def scaled(rng, name, values, sizes, scales):
    """Adds the scales: those of channels are several powers of two of the given one, and a third."""
    for value, scale in zip(["a_scale" if "matmul" in name else "x_scale", "b_scale" if "matmul" in name else "w_scale", "y_scale"], scales):
        dims = next((dims for known, dims in _TABLE[name].parts[0] if known == value), None)
        values[value] = float(np.float32(scale))
        if dims:
            shape = [sizes[d] for d in dims]
            values[value] = (np.float32(scale) * rng.choice(np.float32([0.5, 1, 2, 1 / 3]), shape)).astype(np.float32)
    return values


def products(cases, library, target, variant, rng):
    types = _VARIANTS[variant]
    for name in _PRODUCTS:
        for number, (m, n, k) in enumerate(_SIZES):
            sizes = {"M": m, "N": n, "K": k}
            how = ["ends", "any"][number % 2] if k < 70000 else "ends"
            values = codes(rng, name, sizes, types, how)
            for scales in [_SCALES[number % len(_SCALES)], _SCALES[(number + 1) % len(_SCALES)]] if "qlinear" in name else [()]:
                scaled(rng, name, values, sizes, scales)
                case = f"{name} {m} {n} {k} {how} {scales} {variant} {target}"
                cases.run(case, called, library, name, values, sizes, types, number % 3)


def halves(cases, library, target, variant, rng):
    """Each sum from -700 to 700, which a factor of 1/2, 1/4 or 1/64 makes halves, with each zero point of the result."""
    types = _VARIANTS[variant]
    sums = np.arange(-700, 701)
    info = np.iinfo(scalars.DTYPES[types["I"]])
    a = np.clip(np.array([[s // 7, s - s // 7 * 7] for s in sums]) + 100, info.min, info.max)
    b = np.array([[7], [1]])  # a times 7, and 1
    values = {"A": a.astype(scalars.DTYPES[types["I"]]), "B": b.astype(scalars.DTYPES[types["W"]]), "a_zero": 100, "b_zero": 0}
    zeros = np.iinfo(scalars.DTYPES[types["O"]])
    for scales, zero in itertools.product([(0.5, 1, 1), (1, 0.5, 2), (0.125, 0.125, 1), (3, 1, 2)], [zeros.min, zeros.max, 1, 2]):
        given = {**values, "a_scale": scales[0], "b_scale": scales[1], "y_scale": scales[2], "y_zero": zero}
        cases.run(f"halves {scales} {zero} {variant} {target}", called, library, "qlinear_matmul", given, {}, types)
        given |= {"b_scale": np.float32([scales[1]]), "b_zero": np.zeros(1, scalars.DTYPES[types["W"]])}
        cases.run(f"halves axis {scales} {zero} {variant} {target}", called, library, "qlinear_matmul_axis", given, {}, types)


def sizes_of(name, window):
    n, c, ih, iw, f, kh, kw, strides, dilations, pads, oh, ow = window
    return {"N": n, "C": c, "G": 2, "M": 1 + f % 3, "IH": ih, "IW": iw, "F": f, "KH": kh, "KW": kw, "OH": oh, "OW": ow,
            "strides": list(strides), "dilations": list(dilations), "pads": list(pads)}


def convolutions(cases, library, target, variant, rng):
    for name in _CONVOLUTIONS:
        if name.startswith("tflite") and variant != "u8 i8":
            continue
        for number, window in enumerate(_WINDOWS):
            sizes = sizes_of(name, window)
            how = ["any", "ends"][number % 2]
            values = codes(rng, name, sizes, _VARIANTS[variant], how)
            if "bias" in values and number % 3:
                values["bias"] = rng.integers(-20000, 20000, values["bias"].shape).astype(np.int32)
            if name.startswith("qlinear"):
                scaled(rng, name, values, sizes, _SCALES[number % len(_SCALES)])
            case = f"{name} {window} {how} {variant} {target}"
            cases.run(case, called, library, name, values, sizes, _VARIANTS[variant], number % 3)


def connected(cases, library, target, rng):
    for name in _CONNECTED:
        for number, (m, n, k) in enumerate(_SIZES):
            sizes, how = {"M": m, "N": n, "K": k}, ["ends", "any"][number % 2]
            values = codes(rng, name, sizes, None, how)
            cases.run(f"{name} {m} {n} {k} {how} {target}", called, library, name, values, sizes, None, number % 3)


def fixed_point(cases, library, target):
    """Every sum with every multiplier and shift: a bias is the sum where all inputs are the zero point."""
    bias, multiplier, shift = (np.int64(column).astype(np.int32) for column in zip(*itertools.product(_SUMS, _MULTIPLIERS, _SHIFTS)))
    values = {"X": np.full((3, 1), -7, np.int8), "x_zero": -7, "W": np.full((len(bias), 1), 100, np.int8), "bias": bias,
              "multiplier": multiplier, "shift": shift}
    for zero, low, high in [(0, -128, 127), (127, -128, 127), (-128, -100, 55)]:
        given = {**values, "y_zero": zero, "low": low, "high": high}
        cases.run(f"fixed point {zero} {target}", called, library, "tflite_fully_connected_axis", given, {})
    sums = np.int64(_SUMS).astype(np.int32)
    for multiplier, shift in itertools.product(_MULTIPLIERS, _SHIFTS):
        given = {**values, "W": np.full((len(sums), 1), -3, np.int8), "w_zero": 5, "bias": sums, "multiplier": multiplier, "shift": shift,
                 "y_zero": -1, "low": -128, "high": 127}
        cases.run(f"fixed point {multiplier} {shift} {target}", called, library, "tflite_fully_connected", given, {})


def reals(rng, shape, scale):
    """Halves of a scale, numbers around them, and what saturates."""
    halves = (rng.integers(-600, 600, shape) + 0.5) * np.float64(scale)
    values = np.where(rng.random(shape) < 0.5, halves, rng.standard_normal(shape) * 100 * scale).astype(np.float32)
    values = np.where(rng.random(shape) < 0.2, np.nextafter(values, np.float32(0)), values)
    ends = np.float32([0, -0.0, np.inf, -np.inf, 3e38, -3e38, 1e-45, -1e-45, 1e-38])
    return np.where(rng.random(shape) < 0.1, rng.choice(ends, shape), values).astype(np.float32)


def conversions(cases, library, target, variant, rng):
    types = _VARIANTS[variant]
    code, of_input = np.iinfo(scalars.DTYPES[types["O"]]), np.iinfo(scalars.DTYPES[types["I"]])
    for number, (scale, shape) in enumerate(itertools.product([1.0, 0.25, 0.1, 3e-39, 1e30], [(1, 1), (0, 5), (5, 0), (7, 65), (64, 17), (3, 1031)])):
        zero = [code.min, code.max, 1, 100][number % 4]
        scale = float(np.float32(scale))
        values = {"X": reals(rng, shape, scale), "y_scale": scale, "y_zero": zero}
        cases.run(f"quantize {scale} {zero} {shape} {variant} {target}", called, library, "quantize_linear", values, {}, types, number % 3)
        m, n = shape
        for p, c, q in [(m, n, 1), (1, m, n), (m, n, 3)]:
            scales = (np.float32(scale) * rng.choice(np.float32([0.5, 1, 1.7]), c)).astype(np.float32)
            zeros = drawn(rng, types["O"], c, "ends" if number % 2 else "any")
            values = {"X": reals(rng, (p, c, q), scale), "y_scale": scales, "y_zero": zeros}
            cases.run(f"quantize axis {scale} {(p, c, q)} {variant} {target}", called, library, "quantize_linear_axis", values, {}, types, number % 3)
            zeros = drawn(rng, types["I"], c, "ends" if number % 2 else "any")
            values = {"X": drawn(rng, types["I"], (p, c, q), "any"), "x_scale": scales, "x_zero": zeros}
            cases.run(f"dequantize axis {scale} {(p, c, q)} {variant} {target}", called, library, "dequantize_linear_axis", values, {}, types, number % 3)
        every = np.resize(np.arange(of_input.min, of_input.max + 1), shape).astype(scalars.DTYPES[types["I"]])
        for zero in [of_input.min, of_input.max, 3]:
            values = {"X": every, "x_scale": scale, "x_zero": zero}
            cases.run(f"dequantize {scale} {zero} {shape} {variant} {target}", called, library, "dequantize_linear", values, {}, types, number % 3)


def dynamic(cases, library, target, rng):
    for shape in [(0, 3), (1, 1), (1, 7), (5, 64), (3, 65), (64, 129)]:
        by_kind = {"any": rng.standard_normal(shape), "above": rng.uniform(0.5, 9, shape), "below": rng.uniform(-9, -0.5, shape),
                   "zeros": np.zeros(shape), "halves": np.clip(rng.integers(-255, 256, shape) / 2, -127.5, 127.5),
                   "large": rng.standard_normal(shape) * 1e37, "small": rng.standard_normal(shape) * 1e-36}
        for what, x in by_kind.items():
            values = {"X": x.astype(np.float32)}
            if what == "halves" and x.size > 1:
                values["X"].flat[:2] = [-100, 155]  # the scale is 1
            cases.run(f"dynamic {what} {shape} {target}", called, library, "dynamic_quantize_linear", values, {})


_GROUPED = [(0, 3, 1, 32), (1, 1, 1, 1), (3, 5, 0, 32), (1, 64, 4, 32), (2, 65, 3, 64), (5, 17, 2, 128), (65, 63, 2, 31), (33, 130, 5, 32),
          (1, 70, 3, 128), (3, 65, 2, 200), (6, 67, 1, 256)]  # fmt: skip


def weights(cases, library, target, rng, kind, halves_of=None, sizes=_GROUPED):
    """Numbers of which all sums are exact. In halves of bytes weights, and their zero points, have 4 bits."""
    for name in _WEIGHTS:
        for number, (m, n, g, length) in enumerate(sizes):
            x = rng.integers(-3, 4, (m, g, length))
            values = {"X": scalars.to_storage(kind, x), "W": drawn(rng, _TABLE[name].types["W"], (n, g, length), ["any", "ends"][number % 2]),
                      "scale": rng.choice(np.float32([0.25, 0.5, 1, 2]), (n, g)), "Y": rng.integers(-9, 10, (m, n)).astype(np.float32)}
            if name == "matmul_weights_zero":
                values["zero"] = drawn(rng, "u8", (n, g), ["ends", "any"][number % 2])
            for value in {"W", "zero"} & values.keys() if halves_of else ():
                bits = values[value].astype(np.int64) & 15
                values[value] = bits - (16 * (bits > 7) if halves_of == "i4" else 0)
            cases.run(f"{name} {kind} {m} {n} {g} {length} {target} {halves_of}", weighed, library, name, values, x, number % 3, halves_of)


def odd(numbers):
    """Halves of bytes that begin in the middle of one, as does each second row."""
    rows = numbers.reshape(len(numbers), -1).astype(np.int64) & 15
    halves = np.concatenate([[0], np.pad(rows, ((0, 0), (0, 1 - rows.shape[1] % 2))).ravel(), [0, 0]])
    data = (halves[0 : len(halves) // 2 * 2 : 2] | halves[1::2][: len(halves) // 2] << 4).astype(np.uint8)
    inner = numbers.shape[2] if numbers.ndim == 3 else 1
    strides = [rows.shape[1] + 1 - rows.shape[1] % 2, inner, 1][: numbers.ndim]
    return data, abi.descriptor_words(data.ctypes.data, 1, numbers.shape, strides)


def known_lengths(cases, folder, spec, target, rng):
    """Groups of which several, or one, are a vector of words of halves, or parts of one."""
    for length, kind, halves_of in [(32, "f32", "i4"), (64, "bf16", "i4"), (128, "f32", "u4"), (192, "f32", "i4"), (16, "f32", "u4"), (20, "f32", "i4")]:
        flags = [f"--def={name}" for name in _WEIGHTS]
        library = abi.build_sources(folder / target / f"{halves_of}_{length}", "quantized", [spec], "-O1", f"--target={target}",
                                    f"--dim=L={length}", f"--type=A={kind}", f"--type=Q={halves_of}", *flags)  # fmt: skip
        sizes = [(1, 64, 4, length), (1, 70, 4, length), (3, 65, 5, length), (2, 64, 8, length), (1, 3, 8, length), (7, 66, 9, length), (5, 80, 0, length)]
        weights(cases, library, f"{target} L={length}", rng, kind, halves_of, sizes)


def weighed(library, name, values, x, how, halves_of):
    wide = {value: array.astype(np.float64) for value, array in {**values, "X": x}.items()}
    result = values["Y"].copy()
    arguments, kept = [], []
    for value, _ in _TABLE[name].parts[0]:
        packed = (odd(values[value]) if how == 1 else abi.in_halves(values[value])) if halves_of and value in ("W", "zero") else None
        kept.append(packed[0] if packed else laid_out(values[value], how))
        arguments.append(packed[1] if packed else abi.describe(kept[-1]))
    status = library.kernel(name)(*arguments, abi.describe(result))
    want = formulas_quantized.quantized_weights(**wide)
    return f"status {status}" if status else compared(["f32"], [result], [want])


def short(rng, name):
    """Inputs of few iterations, for the interpreter, and their sizes."""
    if "conv" in name:
        sizes = sizes_of(name, _WINDOWS[1])
    else:
        sizes = {"M": 3, "N": 17, "K": 9, "P": 2, "C": 5, "Q": 3, "G": 2, "L": 4}
    values = codes(rng, name, sizes, None, "any")
    for value, dims in [*_TABLE[name].parts[0], *(_TABLE[name].parts[1] if name in _WEIGHTS else [])]:
        shape = None if dims is None else [sizes[d] for d in dims]
        if value not in values:
            values[value] = 0.25 if dims is None else rng.choice(np.float32([0.25, 0.5, 1]), shape)
    if "bias" in values:
        values["bias"] = rng.integers(-500, 500, values["bias"].shape).astype(np.int32)
    return values, sizes


def main():
    cases, folder, rng = einc_tool.Cases(), einc_tool.scratch(), np.random.default_rng(7)
    spec = einc_tool.find("specs/quantized.tc")
    onnx = [f"--def={name}" for name in _TABLE if any(part in name for part in ("linear", "integer"))]
    connections = [f"--def={name}" for name in ["qlinear_matmul", *_CONNECTED]]
    for target, variants in {"native": _VARIANTS, "x86-64-v3": ["u8 i8", "i8 i8"], "generic": ["u8 i8", "i8 u8"]}.items():
        level = "-O1" if target == "generic" else "-O0"  # of vectors that takes a minute; that the bits are the same is emitted_test's
        for variant in variants:
            flags = [f"--type={name}={kind}" for name, kind in _VARIANTS[variant].items()] + (onnx if variant != "u8 i8" else [])
            library = abi.build_sources(folder / target / variant.replace(" ", "_"), "quantized", [spec], level, f"--target={target}", *flags)
            products(cases, library, target, variant, rng)
            halves(cases, library, target, variant, rng)
            conversions(cases, library, target, variant, rng)
            convolutions(cases, library, target, variant, rng)
            if variant == "u8 i8":
                connected(cases, library, target, rng)
                fixed_point(cases, library, target)
                dynamic(cases, library, target, rng)
                weights(cases, library, target, rng, "f32")
        narrow = [f"--def={name}" for name in _WEIGHTS]
        library = abi.build_sources(folder / target / "bf16", "quantized", [spec], level, f"--target={target}", "--type=A=bf16", *narrow)
        weights(cases, library, target, rng, "bf16")
        for kind, halves_of in [("f32", "i4"), ("bf16", "u4")]:
            library = abi.build_sources(folder / target / halves_of, "quantized", [spec], level, f"--target={target}", f"--type=A={kind}", f"--type=Q={halves_of}", *narrow)
            weights(cases, library, target, rng, kind, halves_of)
        if target != "generic":
            known_lengths(cases, folder, spec, target, rng)
    for what, flags in {"known": ["--dim=K=66", "--dim=N=80"], "threads": ["--threads=2"], "strict": ["--fp=strict"]}.items():
        library = abi.build_sources(folder / what, "quantized", [spec], "-O1", "--target=native", *flags, *connections)
        for name in ["qlinear_matmul", *_CONNECTED]:
            for m in [1, 5, 130]:
                sizes = {"M": m, "N": 80, "K": 66}
                values = scaled(rng, name, codes(rng, name, sizes, None, "any"), sizes, _SCALES[3])
                cases.run(f"{name} {what} {m}", called, library, name, values, sizes)
    for name in _TABLE:
        values, sizes = short(rng, name)
        for engine in ["reference", "tiled", "hw"]:
            cases.run(f"{name} {engine}", interpreted, folder / "eval", spec, engine, name, values, sizes)
    cases.finish()


if __name__ == "__main__":
    main()
