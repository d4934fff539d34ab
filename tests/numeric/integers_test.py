# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Functions of integers, and floats made integers, in vectors: every pair of i8 and u8, edges and samples of the others.

The true values are NumPy's, by the words of compiler/ir/functions.def. Several compilers compile the C of several targets; one with
what is undefined trapped.
"""

import numpy as np

from tests.numeric import abi, compilers, einc_tool

_TYPES = {f"{s}{b}": np.dtype(f"{s}{b // 8}") for s in "iu" for b in (8, 16, 32, 64)}
_ONE = ["neg", "abs", "sign", "square"]
_TWO = ["div", "rem", "shl", "shr", "max", "min"]
_FLOATS = {"f32": np.float32, "f64": np.float64}
_BUILDS = [
    ("x86-64-v2", einc_tool.GCC, ["-O2"]), ("x86-64-v3", einc_tool.CLANG, ["-O2"]), ("native", einc_tool.CLANG, ["-O1"]),
    ("native", einc_tool.CLANG, ["-O1", "-fsanitize=undefined,float-cast-overflow", "-fno-sanitize=unsigned-integer-overflow",
                                 "-fsanitize-trap=all"]),
]  # fmt: skip


def spec():
    text = ""
    for t in _TYPES:
        text += "".join(f"def {f}_{t}(A: {t}(N)) -> (C: {t}(N)) {{ C(n) = {f}(A(n)); }}\n" for f in _ONE)
        text += "".join(f"def {f}_{t}(A: {t}(N), B: {t}(N)) -> (C: {t}(N)) {{ C(n) = {f}(A(n), B(n)); }}\n" for f in _TWO)
        text += "".join(f"def from_{s}_{t}(A: {s}(N)) -> (C: {t}(N)) {{ C(n) = cast<{t}>(A(n)); }}\n" for s in _FLOATS)
    return text


def true_value(f, a, b):
    """Of Python's integers, before they wrap."""
    bits = a.dtype.itemsize * 8
    x, y = a.astype(object), None if b is None else b.astype(object)
    divisor = None if b is None else np.where(b == 0, 1, y)
    if f in ("neg", "abs", "sign", "square"):
        return {"neg": -x, "abs": abs(x), "sign": (a > 0).astype(object) - (a < 0).astype(object), "square": x * x}[f]
    if f in ("max", "min"):
        return np.where(a > b, x, y) if f == "max" else np.where(a < b, x, y)
    if f in ("div", "rem"):
        quotient = np.where((a < 0) != (b < 0), -(abs(x) // abs(divisor)), abs(x) // abs(divisor))
        return np.where(b == 0, 0, quotient) if f == "div" else np.where(b == 0, x, x - quotient * divisor)
    counted = (b >= 0) & (b < bits)
    count = np.where(counted, y, 0)
    if f == "shl":
        return np.where(counted, x * 2**count, 0)
    return np.where(counted, x // 2**count, np.where(a < 0, -1, 0))


def wrapped(value, dtype):
    return np.array([int(v) & (2 ** (8 * dtype.itemsize) - 1) for v in value], f"u{dtype.itemsize}").view(dtype)


def pairs(dtype, rng):
    info, count = np.iinfo(dtype), 1 << (16 if einc_tool.LONG else 10)
    if dtype.itemsize == 1:
        every = np.arange(info.min, info.max + 1).astype(dtype)
        return tuple(part.ravel().copy() for part in np.meshgrid(every, every))
    ends = {0, 1, 2, 3, 7, 8, 15, 31, 63, 64, 127, 255, 256, info.max, info.max - 1, info.max // 2, info.max // 2 + 1, info.max // 3}
    ends |= {-e for e in ends} | {info.min, info.min + 1, info.min // 2}
    ends = np.array(sorted(e for e in ends if info.min <= e <= info.max), dtype)
    a, b = (part.ravel() for part in np.meshgrid(ends, ends))
    anything = rng.integers(info.min, info.max, (2, count), dtype, endpoint=True)
    small = rng.integers(info.min, info.max, count, dtype, endpoint=True) >> rng.integers(0, 8 * dtype.itemsize, count).astype(dtype)
    # Quotients just below and just at an integer: where rounding would show.
    by = np.maximum(small, 1)
    product = (by * (anything[0] // by)).astype(dtype)
    return (np.concatenate([a, anything[0], anything[0], product, product - (product > info.min).astype(dtype)]),
            np.concatenate([b, anything[1], small, by, by]))  # fmt: skip


def numbers(dtype, rng):
    info, ends = np.finfo(dtype), [0, 0.5, 1, 1.5, 2.5, 1e30, np.inf, np.nan]
    for bits in range(6, 66):
        ends += [2.0**bits]
    ends = np.array(ends, dtype)
    near = np.concatenate([ends, np.nextafter(ends, dtype(np.inf)), np.nextafter(ends, dtype(0)), ends - 1, ends + 1, ends + dtype(0.5)])
    anything = rng.integers(0, 2 ** (8 * info.bits // 8) - 1, 2000, f"u{info.bits // 8}", endpoint=True).view(dtype)
    with np.errstate(all="ignore"):
        some = (np.exp2(rng.uniform(-3, 66, 2000))).astype(dtype)
    return np.concatenate([near, -near, anything, some, -some]).astype(dtype)


def saturated(x, dtype):
    info = np.iinfo(dtype)
    return np.array([0 if np.isnan(v) else info.max if v >= info.max else info.min if v <= info.min else int(v) for v in x.astype(object)], dtype)


def differs(kernel, inputs, want):
    got = np.zeros_like(want)
    status = kernel(*map(abi.describe, inputs), abi.describe(got))
    bad = np.flatnonzero(got != want)
    if status or bad.size:
        at = bad[0] if bad.size else 0
        return f"status {status}, {bad.size} wrong, first {[x[at] for x in inputs]}: {got[at]}, not {want[at]}"
    return None


def main():
    cases, folder, rng = einc_tool.Cases(), einc_tool.scratch(), np.random.default_rng(8)
    (folder / "integers.tc").write_text(spec())
    truth = {}
    for name, dtype in _TYPES.items():
        a, b = pairs(dtype, rng)
        once = np.unique(a)
        for f in _ONE:
            truth[f"{f}_{name}"] = [once], wrapped(true_value(f, once, None), dtype)
        for f in _TWO:
            truth[f"{f}_{name}"] = [a, b], wrapped(true_value(f, a, b), dtype)
        for s, float_type in _FLOATS.items():
            x = numbers(float_type, rng)
            truth[f"from_{s}_{name}"] = [x], saturated(x, dtype)
    for i, (target, compiler, flags) in enumerate(_BUILDS):
        sources = abi.parts(folder / str(i), "k", [folder / "integers.tc"], f"--target={target}")
        path = folder / f"{i}.so"
        compilers.compile_library(compiler, "-std=c99", "-w", "-fPIC", *flags, sources=sources, out=path)
        library = abi.Library(path, folder / str(i) / "k.json")
        cases.run_all_apart([(f"{name} {target} {compiler} {' '.join(flags)}", differs, library.kernel(name), inputs, want)
                             for name, (inputs, want) in truth.items()])
    cases.finish()


if __name__ == "__main__":
    main()
