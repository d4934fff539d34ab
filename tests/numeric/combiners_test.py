# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Reductions by combiners that a spec defines: in lanes, in parts and on threads, against NumPy.

Pairs and triples, exact ones and sums of floats; sizes about those of vectors; rows, columns and whole matrices.
"""

import numpy as np

from tests.numeric import abi, einc_tool

SPEC = """
combiner largest((v, i), (w, j)) = w > v || (w == v && j < i) ? w : v, w > v || (w == v && j < i) ? j : i neutral lowest, highest;
combiner moments((n, mean, m2), (k, other, m)) =
    n + k,
    n + k == 0 ? 0 : mean + (other - mean) * (k / (n + k)),
    n + k == 0 ? 0 : m2 + m + (other - mean) * (other - mean) * (n * k / (n + k))
  neutral 0, 0, 0;
combiner spread((low, high), (l, h)) = min(low, l), max(high, h);
combiner complex_product((a, b), (c, d)) = a * c - b * d, a * d + b * c neutral 1, 0;
combiner odd(a, b) = a ^ b neutral 0;

def argmax_of_rows<T>(X: T(M, N)) -> (v: T(M), p: i64(M)) { v(m), p(m) largest=! X(m, n), index(n); }
def argmax_of_columns<T>(X: T(M, N)) -> (v: T(N), p: i64(N)) { v(n), p(n) largest=! X(m, n), index(m); }
def argmax_of_all<T>(X: T(M, N)) -> (v: T(), p: i64()) { v(), p() largest=! X(m, n), index(m) * N + index(n); }
def argmax_after<T>(X: T(M, N), v: T(M), p: i64(M)) -> (w: T(M), q: i64(M)) {
  w(m) = v(m); q(m) = p(m);
  w(m), q(m) largest= X(m, n), index(n) + 1000;
}
def welford(X: f64(M, N)) -> (count: f64(M), mean: f64(M), m2: f64(M)) { count(m), mean(m), m2(m) moments=! 1, X(m, n), 0; }
def bounds<T>(X: T(M, N)) -> (low: T(M), high: T(M)) { low(m), high(m) spread=! X(m, n), X(m, n); }
def transposed(A: f64(M, N), B: f64(M, N)) -> (re: f64(M), im: f64(M)) { re(m), im(m) complex_product=! A(m, n), B(m, n); }
def parity(X: u8(M, N)) -> (y: u8(M)) { y(m) odd=! X(m, n); }
"""
DTYPES = {"f32": np.float32, "f64": np.float64, "i8": np.int8, "i32": np.int32, "u16": np.uint16}
_SIZES = [(0, 3), (1, 1), (2, 0), (3, 2), (2, 7), (3, 8), (2, 15), (3, 16), (2, 17), (2, 31), (3, 33), (2, 64), (1, 65), (3, 130), (2, 257), (67, 5)]
_LAST = 2**63 - 1


def first_largest(X, axis):
    """NumPy's, but for nothing: the lowest value, at the last position."""
    lowest = -np.inf if X.dtype.kind == "f" else np.iinfo(X.dtype).min
    if X.shape[axis] == 0:
        rest = X.shape[1 - axis]
        return np.full(rest, lowest, X.dtype), np.full(rest, _LAST)
    return X.max(axis), X.argmax(axis)


def wanted(name, X, Y):
    n = X.shape[1]
    if name == "argmax_of_rows":
        return first_largest(X, 1)
    if name == "argmax_of_columns":
        return first_largest(X, 0)
    if name == "argmax_of_all":
        v, p = first_largest(X.reshape(1, -1), 1)
        return v[0], p[0]
    if name == "welford":
        mean = X.mean(1) if n else np.zeros(len(X))
        return np.full(len(X), float(n)), mean, ((X - mean[:, None]) ** 2).sum(1)
    if name == "bounds":
        low, high = (-np.inf, np.inf) if X.dtype.kind == "f" else (np.iinfo(X.dtype).min, np.iinfo(X.dtype).max)
        return X.min(1, initial=high), X.max(1, initial=low)
    if name == "transposed":
        product = (X + 1j * Y).prod(1)
        return product.real, product.imag
    return (np.bitwise_xor.reduce(X, 1) if n else np.zeros(len(X), X.dtype),)


def differs(kernel, inputs, want, bound):
    """What is wrong with a kernel of a library."""
    return differs_by(lambda arrays: kernel(*map(abi.describe, arrays)), inputs, want, bound)


def differs_by(run, inputs, want, bound):
    """`run` gives a status; `bound`: how far off, in parts of the largest value; 0 for the same bits."""
    got = [np.zeros_like(np.asarray(w)) for w in want]
    status = run([*inputs, *got])
    if status:
        return f"status {status}"
    for number, (g, w) in enumerate(zip(got, want)):
        largest = np.abs(np.asarray(w, np.float64)).max(initial=1)
        if np.any(np.abs(g - w) > bound * largest) if bound else not np.array_equal(g, w, equal_nan=True):
            return f"output {number}: {g}, not {w}"
    return None


def layouts(X):
    yield "whole", X
    yield "strided", np.repeat(np.repeat(X, 2, 0), 3, 1)[::2, ::3]
    yield "transposed", np.asfortranarray(X)


def calls(kind, shape, rng):
    """name, inputs, outputs, bound"""
    dtype = DTYPES[kind]
    X = rng.integers(0 if kind[0] == "u" else -9, 10, shape).astype(dtype)
    if kind[0] == "f" and X.size:
        X.flat[rng.integers(X.size)] = np.inf
    for name in ("argmax_of_rows", "argmax_of_columns", "argmax_of_all", "bounds"):
        yield name, [X], wanted(name, X, None), 0
    v, p = X[:, 0].copy() if shape[1] else np.zeros(shape[0], dtype), np.arange(shape[0])
    w, q = first_largest(X, 1)
    yield "argmax_after", [X, v, p], (np.maximum(v, w), np.where(w > v, q + 1000, p)) if shape[1] else (v, p), 0
    if kind == "f64":
        X, Y = rng.normal(size=(2, *shape))
        n, u = shape[1], 2.0**-53
        # Each of n combinations has ten roundings, of values that the largest bounds.
        yield "welford", [X], wanted("welford", X, None), 10 * (n + 6) * u * max(1, np.abs(X).max(initial=1) ** 2 * n)
        X, Y = X / np.hypot(X, Y), Y / np.hypot(X, Y)
        yield "transposed", [X, Y], wanted("transposed", X, Y), 6 * (n + 2) * u
    if kind == "i8":
        bits = rng.integers(0, 256, shape).astype(np.uint8)
        yield "parity", [bits], wanted("parity", bits, None), 0


def main():
    cases, folder, rng = einc_tool.Cases(), einc_tool.scratch(), np.random.default_rng(11)
    (folder / "combiners.tc").write_text(SPEC)
    for kind in DTYPES:
        for target in ["native", "x86-64-v3", "generic"]:
            library = abi.build_sources(folder / f"{kind}{target}", "combiners", [folder / "combiners.tc"], "-O1", f"--type=T={kind}", f"--target={target}")
            cases.run_all_apart([(f"{name} {kind} {shape} {how} {target}", differs, library.kernel(name), [X, *inputs[1:]], want, bound)
                                 for shape in _SIZES for name, inputs, want, bound in calls(kind, shape, rng) for how, X in layouts(inputs[0])])
    few_lanes(cases, folder, rng)
    cases.finish()


def few_lanes(cases, folder, rng):
    """Rows that are known to be so short that they fill a number of vectors that is no power of 2."""
    for target in ["native", "x86-64-v3"]:
        for n in (11, 12, 20, 24, 40):
            flags = ["--type=T=f32", f"--target={target}", "--def=argmax_of_rows", f"--dim=N={n}"]
            library = abi.build_sources(folder / f"known{n}{target}", "combiners", [folder / "combiners.tc"], "-O1", *flags)
            X = rng.permutation(30 * n).reshape(30, n).astype(np.float32)
            want = wanted("argmax_of_rows", X, None)
            cases.run_apart(f"argmax_of_rows of {n} known columns {target}", differs, library.kernel("argmax_of_rows"), [X], want, 0)


if __name__ == "__main__":
    main()
