# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Sums of f16 and bf16 are kept in f32 and rounded once: they are within half a unit in the last place of the exact sum, and
of what f32 leaves over, where sums that are rounded at each term are far off. With `--fp=strict` they are these.

The exact sum is NumPy's in f64 (products of f16 and bf16 are exact there, and so are sums of so few). Of n terms t, in any
order, f32 loses at most n * 2^-24 * sum |t|, to first order; twice that is allowed.
"""

import numpy as np

from tests.numeric import abi, einc_tool

_SPEC = """
def product<T>(A: T(M, K), B: T(K, N)) -> (C: T(M, N)) { C(m, n) +=! A(m, k) * B(k, n); }
def onto<T>(A: T(M, K), B: T(K, N)) -> (C: T(M, N)) { C(m, n) += A(m, k) * B(k, n); }
def rows<T>(A: T(M, K)) -> (C: T(M)) { C(m) +=! A(m, k); }
def columns<T>(A: T(K, M)) -> (C: T(M)) { C(m) += A(k, m); }
def all<T>(A: T(M, K)) -> (C: T()) { C() +=! A(m, k); }
def squares<T>(A: T(M, K)) -> (C: T(M)) { C(m) +=! square(A(m, k)); }
def windows<T>(A: T(H, N), B: T(P)) -> (C: T(U, N)) { C(u, n) +=! (A(2 * u + p - 1, n) else 0) * B(p); }
def both<T>(A: T(M, K), B: T(M, K)) -> (C: T(M)) { C(m) +=! A(m, k); C(m) += B(m, k); }
def beside<T>(A: T(M, K), B: T(M, K)) -> (C: T(M + 1)) { C(m + 1) += A(m, k); C(m) += B(m, k); }
def named<T>(A: T(M, K), B: T(M, K)) -> (C: T(M)) { C(m) += A(m, k); C(n) += B(n, k); }
def fewer<T>(A: T(P, K), B: T(M, K)) -> (C: T(M)) { C(m) += A(m, k); C(m) += B(m, k); }
def minus<T>(A: T(M, K), B: T(M)) -> (C: T(M)) { C(m) = B(m); C(m) -= A(m, k); }
def further<T>(A: T(M, K)) -> (C: T(M + 2)) { C(m + 1) += A(m, k); }
def line<T>(A: T(M, K)) -> (C: T(2, M)) { C(1, m) +=! A(m, k); }
def some<T>(A: T(P, K)) -> (C: T(M)) { C(m) += A(m, k); }
def two<T>(A: T(M, K)) -> (C: T(M), Q: T(M)) { C(m), Q(m) = add<k>(A(m, k)), add<k>(square(A(m, k))); }
"""


def windows(a, b):
    padded = np.pad(a, ((1, 1), (0, 0)))
    return [sum(padded[2 * u + p] * b[p] for p in range(len(b))) for u in range(len(a) // 2)]


_WANTED = {
    "product": lambda a, b: a @ b, "onto": lambda a, b: a @ b, "rows": lambda a: a.sum(1), "columns": lambda a: a.sum(0),
    "beside": lambda a, b: np.append(0, a.sum(1)) + np.append(b.sum(1), 0), "named": lambda a, b: a.sum(1) + b.sum(1),
    "fewer": lambda a, b: np.append(a.sum(1), np.zeros(len(b) - len(a))) + b.sum(1), "minus": lambda a, b: b - a.sum(1),
    "further": lambda a: np.concatenate([[0], a.sum(1), [0]]), "line": lambda a: np.array([0 * a.sum(1), a.sum(1)]),
    "some": lambda a: np.concatenate([a.sum(1), [0, 0]]), "two": lambda a: a.sum(1),
    "all": lambda a: a.sum(), "squares": lambda a: (a * a).sum(1), "windows": windows, "both": lambda a, b: a.sum(1) + b.sum(1),
}  # fmt: skip
_KEEPS = {"beside", "named", "fewer", "onto", "columns", "further", "some", "two"}  # what is there is a term
_TWICE = {"beside", "named", "fewer"}
_PARTLY = {"line"}  # what is there stays, but for the last line
_CASES = [
    ("product", [(33, 2000), (2000, 17)]), ("product", [(1, 1), (1, 1)]), ("product", [(130, 700), (700, 100)]),
    ("product", [(5, 0), (0, 7)]), ("onto", [(40, 1100), (1100, 49)]), ("rows", [(70, 2047)]), ("rows", [(300, 3)]),
    ("columns", [(2047, 70)]), ("columns", [(4, 65)]), ("all", [(64, 65)]), ("squares", [(9, 1500)]),
    ("beside", [(30, 900), (30, 900)]), ("named", [(30, 900), (30, 900)]), ("fewer", [(20, 900), (30, 900)]),
    ("minus", [(40, 1500), (40,)]), ("further", [(33, 1900)]), ("line", [(33, 1900)]), ("some", [(19, 1024)]), ("two", [(50, 777)]),
    ("two", [(3, 0)]), ("further", [(0, 4)]), ("windows", [(62, 37), (3,)]), ("both", [(31, 999), (31, 999)]), ("both", [(2, 0), (2, 0)]),
]  # fmt: skip
_UNIT = {"f16": 2.0**-11, "bf16": 2.0**-8}


def stored(values, kind):
    """As elements are in memory, and what they are."""
    if kind == "f16":
        narrow = np.asarray(values, np.float16)
        return narrow, narrow.astype(np.float64)
    bits = (np.array(values, np.float32, ndmin=1).view(np.uint32) >> 16).astype(np.uint16).reshape(np.shape(values))
    return bits, of_memory(bits, kind)


def of_memory(array, kind):
    wide = array if kind == "f16" else (np.array(array, np.uint32, ndmin=1) << 16).view(np.float32).reshape(np.shape(array))
    return wide.astype(np.float64)


def far_off(library, name, shapes, kind, rng):
    """How far results are from exact ones, in what they may be; and what is wrong."""
    inputs = [stored(rng.uniform(0.03, 0.12, shape), kind) for shape in shapes]
    # Of two sums at different positions each is rounded.
    rounded = 2 if name in _TWICE else 1
    exact = np.asarray(_WANTED[name](*(values for _, values in inputs)), np.float64)
    sizes = np.asarray(_WANTED[name](*(values if name != "minus" else -abs(values) for _, values in inputs)), np.float64)
    terms = np.abs(np.asarray(_WANTED[name](*(np.ones(shape) for shape in shapes)))) + (2 if name == "minus" else 0)
    there, old = stored(rng.uniform(0.03, 0.12, exact.shape), kind)
    there = np.array(there)
    if name in _KEEPS:
        exact, sizes, terms = exact + old, sizes + old, terms + 1
    if name in _PARTLY:
        exact[0], sizes[0] = old[0], old[0]
    others = [stored(rng.uniform(0.03, 0.12, exact.shape), kind)[0]] if name == "two" else []
    status = library.kernel(name)(*(abi.describe(memory) for memory, _ in inputs), abi.describe(there), *map(abi.describe, others))
    if status:
        return None, f"status {status}"
    may_be = rounded * _UNIT[kind] * np.abs(exact) + 2 * terms * 2.0**-24 * np.abs(sizes) + 1e-300
    return float(np.max(np.abs(of_memory(there, kind) - exact) / may_be, initial=0)), None


def case(library, name, shapes, kind, rng):
    far, wrong = far_off(library, name, shapes, kind, rng)
    return wrong or (f"{far:.3} times as far off as it may be" if far > 1.0 else None)


def strict(library, kind, rng):
    far, wrong = far_off(library, "rows", [(70, 2047)], kind, rng)
    return wrong or (f"not rounded at each term: {far:.3}" if far < 4.0 else None)


def main():
    cases = einc_tool.Cases()
    folder = einc_tool.scratch()
    spec = folder / "narrow.tc"
    spec.write_text(_SPEC)
    rng = np.random.default_rng(8)
    for kind in ["f16", "bf16"]:
        for target in ["native", "x86-64-v2", "x86-64-v3"]:
            library = abi.build_sources(folder / (kind + target), "narrow", [spec], "-O1", f"--type=T={kind}", f"--target={target}")
            for name, shapes in _CASES:
                cases.run(f"{name} {kind} {shapes} {target}", case, library, name, shapes, kind, rng)
        threads = abi.build_sources(folder / (kind + "threads"), "narrow", [spec], "-O1", f"--type=T={kind}", "--target=native", "--threads=2")
        for name, shapes in [("rows", [(2, 300000)]), ("all", [(600, 700)]), ("product", [(300, 300), (300, 300)])]:
            cases.run(f"{name} {kind} {shapes} threads", case, threads, name, shapes, kind, rng)
        library = abi.build_sources(folder / (kind + "strict"), "narrow", [spec], "-O1", f"--type=T={kind}", "--target=native", "--fp=strict", "--def=rows")
        cases.run(f"strict {kind}", strict, library, kind, rng)
    cases.finish()


if __name__ == "__main__":
    main()
