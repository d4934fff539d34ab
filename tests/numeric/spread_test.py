# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""What is read several times along a line, as its index is divided by a number, is one vector that is spread: what NumPy
repeats, for every type, number of times and beginning, from lines that are whole, strided, reversed or turned."""

import numpy as np

from tests.numeric import abi, einc_tool

_TIMES = [2, 3, 5, 16, 100]
_SPEC = "".join(f"""
def up{times}<T>(A: T(N, W)) -> (C: T(N, V)) {{ C(n, v) = A(n, v / {times}); }}
def later{times}<T>(A: T(N, W)) -> (C: T(N, V)) {{ C(n, v) = A(n, (v + {times - 1}) / {times}); }}
def turned{times}<T>(A: T(W, N)) -> (C: T(N, V)) {{ C(n, v) = A(v / {times}, n); }}
def plus{times}<T>(A: T(N, W), B: T(N, V)) -> (C: T(N, V)) {{ C(n, v) = A(n, v / {times}) + B(n, v); }}
def sum{times}<T>(A: T(N, W), B: T(N, V)) -> (C: T(N)) {{ C(n) +=! A(n, v / {times}) * B(n, v); }}
def both{times}<T>(A: T(W, N)) -> (C: T(M, V)) {{ C(m, v) = A(v / {times}, m / 3) else 0; }}
""" for times in _TIMES)  # fmt: skip
# What goes on by one at the ends of lines, but not within them; what is no sum of a part of a column and one of a term; and
# what is outside for whole parts of a line.
_SPEC += """
def wraps<T>(A: T(H, L)) -> (C: T(V)) { C(v) = A(v / 100, v % 2); }
def parts<T>(I: T(N, H, C), K: T(P, C, F)) -> (O: T(N, J, F)) { O(n, j, f) += (I(n, (j + 2 - p) / 2, c) else 0) * K(p, c, f); }
def outside<T>(A: T(H), B: T(V)) -> (C: T()) { C() +=! (A(v / 4) else 1) * B(v); }
"""
_TYPES = {"i8": np.int8, "u8": np.uint8, "i16": np.int16, "f16": np.float16, "i32": np.int32, "f32": np.float32,
          "i64": np.int64, "f64": np.float64}  # fmt: skip


def wanted(name, times, a, b, length):
    if name == "turned":
        a = a.T
    if name == "both":
        return np.repeat(np.repeat(a.T, 3, axis=0), times, axis=1)[:, :length]
    spread = np.repeat(a, times, axis=1)[:, times - 1:] if name == "later" else np.repeat(a, times, axis=1)
    spread = spread[:, :length]
    return {"plus": lambda: spread + b, "sum": lambda: (spread * b).sum(1)}.get(name, lambda: spread)()


def placed(array, how):
    """The same elements, otherwise in memory."""
    if how == "whole":
        return np.ascontiguousarray(array)
    if how == "reversed":
        return np.ascontiguousarray(array[:, ::-1])[:, ::-1]
    apart = np.zeros((array.shape[0], 3 * array.shape[1] + 1), array.dtype)
    apart[:, 1::3] = array
    return apart[:, 1::3]


def case(library, name, times, kind, rows, length, how, rng):
    dtype = _TYPES[kind]
    elements = -(-(length + (times - 1 if name == "later" else 0)) // times)
    shape = (elements, rows) if name in ("turned", "both") else (rows, elements)
    a = placed(rng.integers(0, 4, shape).astype(dtype), how)
    b = rng.integers(0, 3, (rows, length)).astype(dtype)
    expected = wanted(name, times, a, b, length).astype(dtype)
    result = np.full(expected.shape, 99, dtype)
    arguments = [a, b] if name in ("plus", "sum") else [a]
    status = library.kernel(f"{name}{times}")(*map(abi.describe, arguments), abi.describe(result))
    if status:
        return f"status {status}"
    bad = np.argwhere(result != expected)
    return f"{len(bad)} wrong, first at {bad[0]}" if len(bad) else None


def wrapped(library, rng, dtype):
    for length, lines in [(403, 2), (403, 3), (199, 2), (100, 5)]:
        a = rng.integers(0, 9, (length // 100 + 1, lines)).astype(dtype)
        c = np.zeros(length, dtype)
        status = library.kernel("wraps")(abi.describe(a), abi.describe(c))
        if status or any(c[v] != a[v // 100, v % 2] for v in range(length)):
            return f"wraps {length} {lines}: status {status}"
    for n, j, h, p, c, f in [(1, 5, 4, 2, 16, 16), (2, 7, 5, 3, 16, 33), (3, 11, 7, 2, 16, 31), (1, 1, 1, 1, 1, 1)]:
        i, k, o = rng.integers(0, 3, (n, h, c)).astype(dtype), rng.integers(0, 3, (p, c, f)).astype(dtype), np.zeros((n, j, f), dtype)
        expected = np.zeros((n, j, f))
        for y in range(j):
            for q in range(p):
                at = (y + 2 - q) // 2
                if 0 <= at < h:
                    expected[:, y] += i[:, at].astype(float) @ k[q].astype(float)
        status = library.kernel("parts")(*map(abi.describe, (i, k, o)))
        if status or (o != expected.astype(dtype)).any():
            return f"parts {(n, j, h, p, c, f)}: status {status}"
    for length in (0, 3, 4, 65, 130):
        a, b, c = rng.integers(0, 3, max(length // 8, 1)).astype(dtype), rng.integers(0, 3, length).astype(dtype), np.zeros((), dtype)
        expected = sum(int(a[v // 4] if v // 4 < len(a) else 1) * int(b[v]) for v in range(length))
        status = library.kernel("outside")(*map(abi.describe, (a, b, c)))
        if status or c != np.array(expected).astype(dtype):
            return f"outside {length}: status {status}, {c}, not {expected}"
    return None


def main():
    cases = einc_tool.Cases()
    folder = einc_tool.scratch()
    spec = folder / "spread.tc"
    spec.write_text(_SPEC)
    rng = np.random.default_rng(12)
    names = ["up", "later", "turned", "plus", "sum", "both"]
    for i, kind in enumerate(_TYPES):
        targets = ["native", "x86-64-v2", "x86-64-v3", "x86-64-v4", "generic"] if einc_tool.LONG else ["native", ["x86-64-v2", "x86-64-v3", "x86-64-v4"][i % 3]][:1 + i % 2]
        for target in targets:
            library = abi.build_sources(folder / (kind + target), "spread", [spec], "-O1", f"--type=T={kind}", f"--target={target}")
            cases.run(f"odd {kind} {target}", wrapped, library, rng, _TYPES[kind])
            lanes = 64 // np.dtype(_TYPES[kind]).itemsize
            for times in _TIMES:
                lengths = [1, times - 1, times, times + 1, lanes - 1, lanes, lanes + 1, 2 * lanes * times, 4 * lanes + 3 * times + 2, 331]
                for j, length in enumerate(lengths):
                    name, how = names[(i + j + times) % len(names)], ["whole", "apart", "reversed"][(i + j) % 3]
                    for each, rows, where in [(name, 3, how), ("up", 2, "whole")]:
                        cases.run(f"{each} {times} {kind} {target} {rows} {length} {where}", case, library, each, times, kind, rows, length, where, rng)
    cases.finish()


if __name__ == "__main__":
    main()
