# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Reductions by any combiner, built in or written in the spec, against NumPy: products over other
semirings, logsumexp, arg max with NaN and ties, pairs and triples that are updated at once; over
floats, integers and bool, through both engines; and over nothing, which gives the neutral element."""

import functools
import math
import re
import shutil

import numpy as np

from tests.numeric import abi, einc_tool

f2, f4, f8, i1, i2, i4, i8, u1, u2 = (np.float16, np.float32, np.float64, np.int8, np.int16, np.int32, np.int64,
                                      np.uint8, np.uint16)
NAMES = {f2: "f16", f4: "f32", f8: "f64", i1: "i8", i2: "i16", i4: "i32", i8: "i64", u1: "u8", u2: "u16", bool: "bool"}


def draw(dtype, *shape, seed=0):
    """Small whole numbers, with many ties; bools."""
    r = np.random.default_rng(seed)
    if dtype is bool:
        return r.random(shape) < 0.3
    return r.integers(0 if np.dtype(dtype).kind == "u" else -4, 5, shape).astype(dtype)


def low(dtype):
    if dtype is bool:
        return False
    return dtype(-np.inf) if np.dtype(dtype).kind == "f" else np.iinfo(dtype).min


def high(dtype):
    if dtype is bool:
        return True
    return dtype(np.inf) if np.dtype(dtype).kind == "f" else np.iinfo(dtype).max


LAST = np.iinfo(i8).max

# ---- Combiners as text, with what they compute for a row: a Python function of the accumulated and the new.
# None for the neutral element: the engines must agree on what is derived, given in the last column. ----

LOGADDEXP = "combiner logaddexp(a, b) = a == b ? a + log(2.0) : max(a, b) + log1p(exp(-abs(a - b))) neutral -inf;"
BETTER = "w {} v || (w != w && v == v) || ((w == v || (w != w && v != v)) && j < i)"


def arg(name, sign, neutral):
    better = BETTER.format(sign)
    return f"combiner {name}((v, i), (w, j)) = {better} ? w : v, {better} ? j : i {neutral};"


ARGMAX = arg("argmax", ">", "neutral lowest, highest")
ARGMIN = arg("argmin", "<", "neutral highest, highest")

# One output: (combiner's text, its name, types, reduction in Python, neutral element of a type)
SINGLE = {
    "(max, +) sums": ("", "max", [f2, f4, f8, i1, i4, i8, u1], max, low),
    "(min, +) sums": ("", "min", [f2, f4, f8, i1, i4, i8, u1], min, high),
    "add by name": ("", "add", [f4, i1, u2], lambda a, b: a + b, lambda t: 0),
    "or": ("", "or", [bool, i1, u2], lambda a, b: a | b, lambda t: t(0)),
    "and": ("", "and", [bool, i1, u2], lambda a, b: a & b, lambda t: True if t is bool else np.invert(t(0))),
    "own maximum": ("combiner c(a, b) = b > a || b != b ? b : a;", "c", [f4, i1, u1], max, low),
    "own product": ("combiner c(a, b) = a * b;", "c", [f4, i1, u2], lambda a, b: a * b, lambda t: 1),
    "xnor": ("combiner c(a, b) = a == b;", "c", [bool], lambda a, b: a == b, lambda t: True),
    "saturating sum": ("combiner c(a, b) = b > 0 && a > highest - b ? highest : b < 0 && a < lowest - b ? lowest : a + b"
                       " neutral 0;", "c", [i1, i2, i4],
                       lambda a, b: max(min(int(a) + int(b), np.iinfo(a.dtype).max), np.iinfo(a.dtype).min), lambda t: 0),
    "saturating unsigned sum": ("combiner c(a, b) = a > highest - b ? highest : a + b neutral 0;", "c", [u1, u2],
                                lambda a, b: min(int(a) + int(b), np.iinfo(a.dtype).max), lambda t: 0),
    "largest magnitude": ("combiner mag(a, b) = max(abs(a), abs(b));\ncombiner c(a, b) = mag(b, a) neutral 0;", "c",
                          [f4, i2], lambda a, b: max(abs(a), abs(b)), lambda t: 0),
    "circle sum": ("combiner c(a, b) = a + b + a * b;", "c", [i4, u1], lambda a, b: a + b + a * b, lambda t: 0),
}


def fold(function, values, start, dtype):
    with np.errstate(all="ignore"):
        return functools.reduce(lambda a, b: dtype(function(a, b)), values, dtype(start))


def rows(function, X, start, dtype):
    return np.array([fold(function, row, start, dtype) for row in X], dtype)


def single_cases():
    for title, (text, name, types, function, neutral) in SINGLE.items():
        for dtype in types:
            T = NAMES[dtype]
            spec = f"{text}\ndef f(X: {T}(M, K)) -> (C: {T}(M)) {{ C(m) {name}=! X(m, k); }}"
            for k in (0, 7):
                X = draw(dtype, 3, k, seed=k)
                if dtype is not bool and dtype not in (f2, f4, f8) and "sat" in title:
                    X = (X.astype(i8) * (np.iinfo(dtype).max // 7)).astype(dtype)
                yield f"{title}, {T}, {k}", spec, {"X": X, "C": draw(dtype, 3, seed=9)}, {"C": rows(function, X, neutral(dtype), dtype)}
            if dtype is not types[0]:
                continue
            X, C = draw(dtype, 3, 5, seed=1), draw(dtype, 3, seed=2)
            onto = np.array([fold(function, row, c, dtype) for row, c in zip(X, C)], dtype)
            yield f"{title}, {T}, onto C", spec.replace("=!", "="), {"X": X, "C": C}, {"C": onto}
            reduction = spec.replace(f"{name}=! X(m, k)", f"= {name}<k>(X(m, k))")
            yield f"{title}, {T}, as a reduction", reduction, {"X": X, "C": C}, {"C": onto}
            by_hand = spec.replace(f"{name}=! X(m, k)", f"= {name}<k>(C(m), X(m, k))")
            yield f"{title}, {T}, by hand", by_hand, {"X": X, "C": C}, {"C": onto}


def product_cases():
    """C(m, n) = first over k of second(A(m, k), B(k, n))."""
    forms = {
        "min-plus": ("min", "A(m, k) + B(k, n)", [f2, f4, f8, i1, i4, u2], np.minimum, np.add, high),
        "max-plus": ("max", "A(m, k) + B(k, n)", [f2, f4, f8, i1, i4, u2], np.maximum, np.add, low),
        "max-times": ("max", "A(m, k) * B(k, n)", [f2, f4, f8, i1, i4, u2], np.maximum, np.multiply, low),
        "or-and": ("or", "A(m, k) && B(k, n)", [bool], np.logical_or, np.logical_and, low),
        "xor-and": ("xor", "A(m, k) & B(k, n)", [i2, u1], np.bitwise_xor, np.bitwise_and, lambda t: 0),
        "max-min": ("max", "min(A(m, k), B(k, n))", [f4, i1], np.maximum, np.minimum, low),
    }
    for title, (name, term, types, first, second, neutral) in forms.items():
        for dtype in types:
            T = NAMES[dtype]
            spec = f"def f(A: {T}(M, K), B: {T}(K, N)) -> (C: {T}(M, N)) {{ C(m, n) {name}=! {term}; }}"
            for m, n, k in ((3, 4, 0), (5, 7, 9)):
                A, B = draw(dtype, m, k, seed=1), draw(dtype, k, n, seed=2)
                terms = second(A[:, :, None], B[None]).astype(dtype)
                C = np.full((m, n), neutral(dtype), dtype)
                for i in range(k):
                    C = first(C, terms[:, i])
                yield f"{title}, {T}, {m}x{n}x{k}", spec, {"A": A, "B": B}, {"C": C.astype(dtype)}


def logsumexp_cases():
    nan, inf = np.nan, np.inf
    ends = np.array([[-inf, -inf, -inf], [inf, 1, 2], [inf, inf, 0], [-inf, inf, 0], [nan, 0, 1], [-inf, 3, -inf],
                     [1e30, 1, 2], [-1e30, -1e30, -2e30]])
    for dtype in (f4, f8):
        T = NAMES[dtype]
        spec = f"{LOGADDEXP}\ndef f(X: {T}(M, K)) -> (C: {T}(M)) {{ C(m) logaddexp=! X(m, k); }}"
        for name, X in {"ends": ends, "empty": np.zeros((3, 0)), "large": 500 + np.random.default_rng(1).normal(size=(4, 33)),
                        "one": np.array([[2.5]])}.items():
            X = X.astype(dtype)
            yield f"logsumexp, {T}, {name}", spec, {"X": X}, {"C": np.logaddexp.reduce(X.astype(f8), axis=1)}


def arg_of(X, dtype, largest):
    """NumPy's argmax or argmin: the first, NaN before all; for nothing, the neutral elements."""
    if X.shape[1] == 0:
        return np.full(len(X), low(dtype) if largest else high(dtype), dtype), np.full(len(X), LAST)
    where = X.argmax(axis=1) if largest else X.argmin(axis=1)
    return X[np.arange(len(X)), where], where.astype(i8)


def arg_cases():
    nan, inf = np.nan, np.inf
    odd = np.array([[1, 3, 3, 2], [nan, 5, nan, 1], [2, nan, nan, 9], [-inf, -inf, nan, 0], [inf, 1, inf, -inf],
                    [-0.0, 0.0, -0.0, 0.0], [7, 7, 7, 7]])
    for text, name, largest in ((ARGMAX, "argmax", True), (ARGMIN, "argmin", False)):
        for dtype in (f2, f4, i1, i8, u2):
            T = NAMES[dtype]
            data = {"ties": draw(dtype, 6, 11, seed=3), "one": draw(dtype, 2, 1), "empty": np.zeros((3, 0), dtype)}
            if np.dtype(dtype).kind == "f":
                data["NaN and infinities"] = odd.astype(dtype)
                data["nothing larger"] = np.full((2, 3), low(dtype) if largest else high(dtype), dtype)
            else:
                data["nothing larger"] = np.full((2, 3), low(dtype) if largest else high(dtype), dtype)
            start = "V(m), P(m) = {}, highest; ".format("lowest" if largest else "highest")
            forms = {"update": f"V(m), P(m) {name}=! X(m, k), index(k);",
                     "reduction": f"{start}V(m), P(m) = {name}<k>(X(m, k), index(k));",
                     "by hand": f"{start}V(m), P(m) = {name}<k>(V(m), P(m), X(m, k), index(k));"}
            for form, statements in forms.items() if dtype in (f4, i1) else [("update", forms["update"])]:
                spec = f"{text}\ndef f(X: {T}(M, K)) -> (V: {T}(M), P: i64(M)) {{ {statements} }}"
                for kind, X in data.items():
                    V, P = arg_of(X, dtype, largest)
                    yield f"{name}, {T}, {kind}, {form}", spec, {"X": X}, {"V": V, "P": P}
    # By proof, without NaN.
    plain = "w > v || (w == v && j < i)"
    spec = (f"combiner top((v, i), (w, j)) = {plain} ? w : v, {plain} ? j : i;\n"
            "def f(X: i16(M, K)) -> (V: i16(M), P: i64(M)) { V(m), P(m) top=! X(m, k), index(k); }")
    for X in (draw(i2, 4, 9, seed=5), np.zeros((2, 0), i2)):
        V, P = arg_of(X, i2, True)
        yield f"derived argmax, {X.shape}", spec, {"X": X}, {"V": V, "P": P}


def together_cases():
    """Several outputs: each new value is computed from the old values of all."""
    X, Y = draw(i4, 3, 6, seed=1), draw(i4, 3, 6, seed=2)
    none = np.zeros((3, 0), i4)

    # The product of complex numbers.
    spec = ("combiner cmul((a, b), (c, d)) = a * c - b * d, a * d + b * c{};\n"
            "def f(X: {T}(M, K), Y: {T}(M, K)) -> (R: {T}(M), I: {T}(M)) {{ R(m), I(m) cmul=! X(m, k), Y(m, k); }}")
    for dtype, neutral in ((i4, ""), (i1, ""), (f4, " neutral 1, 0"), (f8, " neutral 1, 0")):
        for x, y in ((X, Y), (none, none)):
            z = (x + 1j * y).prod(axis=1)
            text = spec.format(neutral, T=NAMES[dtype])
            yield (f"complex product, {NAMES[dtype]}, {x.shape}", text, {"X": x.astype(dtype), "Y": y.astype(dtype)},
                   {"R": z.real.astype(i8).astype(dtype), "I": z.imag.astype(i8).astype(dtype)})

    # Outputs that change places with every step.
    spec = ("combiner swap((a, b), (c, d)) = b + c, a + d neutral 0, 0;\n"
            "def f(X: i32(M, K), Y: i32(M, K)) -> (C: i32(M), D: i32(M)) { C(m), D(m) swap= X(m, k), Y(m, k); }")
    C, D = np.array([1, 20, 300], i4), np.array([-5, 6, 700], i4)
    for x, y in ((X, Y), (X[:, :1], Y[:, :1]), (none, none)):
        c, d = C, D
        for k in range(x.shape[1]):
            c, d = d + x[:, k], c + y[:, k]
        yield f"swap, {x.shape}", spec, {"X": x, "Y": y, "C": C, "D": D}, {"C": c, "D": d}

    # The same without a reduction: a call of two results.
    spec = ("combiner swap((a, b), (c, d)) = b + c, a + d neutral 0, 0;\n"
            "def f(X: i32(M)) -> (C: i32(M), D: i32(M)) { C(m), D(m) = swap(C(m), D(m), X(m), 1); }")
    yield "swap once", spec, {"X": X[:, 0], "C": C, "D": D}, {"C": D + X[:, 0], "D": C + 1}

    # Three values that rotate, each from all three.
    spec = ("combiner turn((a, b, c), (x, y, z)) = b * x, c + y, a - z;\n"
            "def f(X: i64(K)) -> (A: i64(), B: i64(), C: i64()) { A(), B(), C() turn= X(k), 1, index(k); }")
    a, b, c = 2, 3, 5
    for k, x in enumerate(X[0]):
        a, b, c = b * int(x), c + 1, a - k
    yield ("rotation", spec, {"X": X[0].astype(i8), "A": np.array(2, i8), "B": np.array(3, i8), "C": np.array(5, i8)},
           {"A": np.array(a, i8), "B": np.array(b, i8), "C": np.array(c, i8)})

    # Affine maps x -> a x + b, composed.
    spec = ("combiner then((a, b), (c, d)) = a * c, b * c + d;\n"
            "def f(X: i32(M, K), Y: i32(M, K)) -> (A: i32(M), B: i32(M)) { A(m), B(m) then=! X(m, k), Y(m, k); }")
    for x, y in ((X, Y), (none, none)):
        a, b = np.ones(3, i4), np.zeros(3, i4)
        for k in range(x.shape[1]):
            a, b = a * x[:, k], b * x[:, k] + y[:, k]
        yield f"affine maps, {x.shape}", spec, {"X": x, "Y": y}, {"A": a, "B": b}

    # Count, mean and sum of squares about the mean.
    welford = ("combiner moments((n, s, q), (m, t, r)) = n + m, n + m == 0 ? 0 : s + (t - s) * (m / (n + m)),"
               " n + m == 0 ? 0 : q + r + square(t - s) * (n * (m / (n + m))) neutral 0, 0, 0;\n"
               "def f(X: f64(M, K)) -> (N: f64(M), mean: f64(M), Q: f64(M)) "
               "{ N(m), mean(m), Q(m) moments=! 1.0, X(m, k), 0.0; }")
    data = 10 + np.random.default_rng(4).normal(size=(3, 40))
    yield "moments", welford, {"X": data}, {"N": np.full(3, 40.0), "mean": data.mean(axis=1), "Q": data.var(axis=1) * 40}
    yield "moments of nothing", welford, {"X": np.zeros((2, 0))}, {"N": np.zeros(2), "mean": np.zeros(2), "Q": np.zeros(2)}

    # A combiner beside a function, over two iterators, into locals.
    spec = (f"{ARGMAX}\ndef f(X: i32(M, K)) -> (S: i32(), V: i32(), P: i64()) {{\n"
            "  T(), Q() argmax=! X(m, k), index(m * K + k);\n"
            "  S() = 0; V(), P() = T(), Q();\n"
            "  S(), V(), P() = add<m, k>(X(m, k)), argmax<m, k>(X(m, k), index(m * K + k) - 1);\n}")
    yield ("flat argmax", spec, {"X": X}, {"S": np.array(X.sum(), i4), "V": np.array(X.max(), i4),
                                           "P": np.array(X.argmax() - 1, i8)})


def gcd_cases():
    """A greatest common divisor by as many steps of Euclid as numbers below 21 can need, each a combiner."""
    text = "combiner g0(a, b) = b == 0 ? a : 0;\n"
    for n in range(1, 7):
        text += f"combiner g{n}(a, b) = b == 0 ? a : g{n - 1}(b, a % b);\n"
    spec = text.replace("g6", "gcd").rstrip()[:-1] + " neutral 0;\n"
    spec += "def f(X: u8(M, K)) -> (C: u8(M)) { C(m) gcd=! X(m, k); }"
    X = np.array([[12, 18, 20], [13, 8, 5], [0, 0, 7], [9, 15, 6], [0, 0, 0]], u1)
    for data in (X, X[:, :0]):
        wanted = np.array([math.gcd(*map(int, row)) for row in data], u1)
        yield f"gcd, {data.shape}", spec, {"X": data}, {"C": wanted}


def difference(got, wanted):
    tolerance = {"f": 64 * np.finfo(got.dtype).eps}.get(got.dtype.kind, 0) if wanted.dtype == f8 else 0
    close = got.shape == wanted.shape and (np.allclose(got, wanted, tolerance, 1e-9, equal_nan=True) if tolerance
                                           else np.array_equal(got, wanted, equal_nan=got.dtype.kind == "f"))
    return None if close else f"{got.tolist()}, not {wanted.tolist()}"


def run_reference(folder, spec, inputs, outputs):
    args = ["eval", spec]
    for tensor, array in inputs.items():
        np.save(folder / f"{tensor}.npy", array)
        args += ["--in", f"{tensor}={folder}/{tensor}.npy"]
    for tensor in outputs:
        args += ["--out", f"{tensor}={folder}/{tensor}.out.npy"]
    einc_tool.must(einc_tool.run(*args))
    for tensor, wanted in outputs.items():
        if message := difference(np.load(folder / f"{tensor}.out.npy"), wanted):
            return f"{spec.read_text()}\n{tensor} is {message}"
    return None


def run_native(library, spec, inputs, outputs):
    """The def of this file in the library of all; what it shall overwrite is not 0 before."""
    arrays = {}
    for tensor, kind in re.findall(r"(\w+): (\w+)\(", re.search(r"^def .*?\{", spec.read_text(), re.MULTILINE)[0]):
        dtype = next(t for t, name in NAMES.items() if name == kind)
        arrays[tensor] = inputs[tensor].copy() if tensor in inputs else np.full(outputs[tensor].shape, 7, dtype)
    status = library.kernel(spec.stem)(*[abi.describe(array) for array in arrays.values()])
    if status:
        return f"status {status}"
    for tensor, wanted in outputs.items():
        if message := difference(arrays[tensor], wanted):
            return f"{spec.read_text()}\n{tensor} is {message}"
    return None


def main():
    cases, folder = einc_tool.Cases(), einc_tool.scratch()
    groups = [single_cases, product_cases, logsumexp_cases, arg_cases, together_cases, gcd_cases]
    drawn, specs = [], {}  # text -> a file with its def, under a name of its own
    for title, spec, inputs, outputs in (case for group in groups for case in group()):
        if spec not in specs:
            specs[spec] = folder / f"f{len(specs)}.tc"
            specs[spec].write_text(spec.replace("def f(", f"def f{len(specs) - 1}(") + "\n")
        drawn.append((title, specs[spec], inputs, outputs))
    # Code for this machine's vectors takes several times as long to compile: each fourth def.
    files = list(specs.values())
    here, plain = files[::4], [file for i, file in enumerate(files) if i % 4]
    libraries = {file: library for target, part in [("native", here), ("x86-64-v3", plain)]
                 for library in [abi.build_sources(folder, target, part, "-O0", f"--target={target}")] for file in part}
    for title, *case in drawn:
        cases.run(f"{title}, reference", run_reference, folder, *case)
    cases.run_all_apart([(f"{title}, native", run_native, libraries[case[0]], *case) for title, *case in drawn])
    shutil.rmtree(folder)
    cases.finish()


if __name__ == "__main__":
    with np.errstate(all="ignore"):
        main()
