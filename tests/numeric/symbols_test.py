#!/usr/bin/env python3
# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""FAULTS 50: scalars and attributes in indices and in shapes of locals, where they are negative, zero, as large as
an extent, or huge. Arrays lie between pages that nobody may touch: a value comes out right, or a status says what
is wrong and nothing was written."""

import ctypes

import numpy as np

from tests.numeric import abi, einc_tool
from tests.numeric.guarded import Tensor

SPEC = """
def moved(A: f32(N), s: i64) -> (C: f32(N)) { C(n) = A(n + s) else 9.0; }
def product(A: f32(N), q: i64, r: i64) -> (C: f32(N)) { C(n) = A(n + q * r) else 9.0; }
def backwards(A: f32(N), s: i64) -> (C: f32(N)) { C(n) = A(s - n) else 9.0; }
def scaled(A: f32(N), q: i64, r: i64) -> (C: f32(N)) { C(n) = A(n * q + r) else 9.0; }
def narrow(A: f32(N), s: i8) -> (C: f32(N)) { C(n) = A(n + s) else 9.0; }
def in_list(A: f32(N)) -> (C: f32(N)) attr(s: 2xi64) { C(n) = A(n + s[1]) else 9.0; }
def local(A: f32(N), q: i64) -> (C: f32(N)) {
  local T: f32(N + q);
  T(n) = A(n) else 8.0;
  C(n) = T(n + q) else 9.0;
}
def window(A: f32(N), W: f32(K), q: i64) -> (C: f32(N)) { C(n) +=! (A(n + k + q) else 9.0) * W(k); }
def channels(A: f32(H, N, C), W: f32(K, C), q: i64) -> (Y: f32(H, N, C)) {
  Y(h, n, c) +=! (A(h, n * q + k + q, c) else 9.0) * W(k, c);
}
def transposed(A: f32(N, M), q: i64, r: i64) -> (C: f32(M, N)) { C(m, n) = A(n + q, m + r) else 9.0; }
def halves(A: f32(N), q: i64) -> (C: f32(N)) { C(n) = A((n + q) / 2) else 9.0; }
def turns(A: f32(N), q: i64) -> (C: f32(N)) { C(n) = A((n + q) % 3 - 1) else 9.0; }
"""

HUGE = [2**31, -(2**31) - 1, 2**62, -(2**62), 2**63 - 1, -(2**63)]
_EMPTY_HUGE = [(2**62, 2**62, "OVERFLOW"), (-1, -1, "NEGATIVE_SIZE"), (-(2**63), -(2**63), "NEGATIVE_SIZE"),
               (-1, 0, "NEGATIVE_SIZE"), (0, -1, "NEGATIVE_SIZE"), (0, 2**62, "OVERFLOW"), (0, 2**54, "OK"), (0, 0, "OK"), (2, 3, "OK")]


def at(array, index, pad=9.0):
    return array[index] if all(0 <= i < n for i, n in zip(index, array.shape)) else pad


def filled(shape, function):
    return np.array([function(*i) for i in np.ndindex(*shape)], np.float32).reshape(shape)


def wanted(name, arrays, scalars):
    """The result, one element after the other."""
    a = arrays[0]
    first = scalars[0]
    formulas = {
        "moved": lambda n: at(a, (n + first,)),
        "narrow": lambda n: at(a, (n + first,)),
        "in_list": lambda n: at(a, (n + scalars[-1],)),
        "product": lambda n: at(a, (n + first * scalars[-1],)),
        "backwards": lambda n: at(a, (first - n,)),
        "scaled": lambda n: at(a, (n * first + scalars[-1],)),
        "halves": lambda n: at(a, ((n + first) // 2,)),
        "turns": lambda n: at(a, ((n + first) % 3 - 1,)),
        "local": lambda n: at(a, (n + first,), 8.0) if 0 <= n + first < len(a) + first else 9.0,
        "window": lambda n: sum(at(a, (n + k + first,)) * w for k, w in enumerate(arrays[1])),
        "channels": lambda h, n, c: sum(at(a, (h, n * first + k + first, c)) * w[c] for k, w in enumerate(arrays[1])),
        "transposed": lambda m, n: at(a, (n + first, m + scalars[-1])),
    }
    shape = a.shape[::-1] if name == "transposed" else a.shape
    return filled(shape, formulas[name])


def may_refuse(name, arrays, scalars):
    """An index, or a part of one, may leave 64 bits, or a local has a negative size."""
    return any(abs(s) >= 2**31 for s in scalars) or (name == "local" and len(arrays[0]) + scalars[0] < 0)


def case(kernel, name, arrays, scalars, at_end):
    want = wanted(name, arrays, scalars) if not may_refuse(name, arrays, scalars) else None
    tensors = [Tensor(a, at_end=at_end) for a in arrays]
    shape = arrays[0].shape[::-1] if name == "transposed" else arrays[0].shape
    out = Tensor(np.full(shape, -7, np.float32), at_end=at_end)
    kind = ctypes.c_int8 if name == "narrow" else ctypes.c_int64
    numbers = [kind(s) for s in scalars]
    if name == "in_list":
        status = kernel(tensors[0].words(), out.words(), (ctypes.c_int64 * 2)(-(2**63), scalars[0]))
    else:
        status = kernel(*[t.words() for t in tensors], *numbers, out.words())
    got = out.view.copy()
    for tensor in [*tensors, out]:
        tensor.close()
    if status != 0:
        if not (got == -7).all():
            return f"status {status}, and something was written"
        return None if want is None else f"status {status} for a call that is right"
    if want is None:
        if name == "local" and len(arrays[0]) + scalars[0] < 0:
            return "a local of a negative size was accepted"
        want = wanted(name, arrays, scalars)
    return None if np.array_equal(got, want) else f"got {got.ravel()[:20]}, wanted {want.ravel()[:20]}"


def values(extent):
    return sorted({0, 1, -1, 2, -2, extent, -extent, extent - 1, 1 - extent, extent + 1, -extent - 1})


def inputs(name, extent, random):
    """Arrays, and so many scalars."""
    def draw(*shape):
        return random.integers(-4, 5, shape).astype(np.float32)

    if name == "window":
        return [([draw(extent), draw(k)], 1) for k in (0, 1, 3)]
    if name == "channels":
        return [([draw(2, extent, c), draw(3, c)], 1) for c in (0, 1, 17) if extent < 20]
    if name == "transposed":
        return [([draw(extent, m)], 2) for m in (0, 1, 17) if extent < 40]
    return [([draw(extent)], 2 if name in ("product", "scaled") else 1)]


def scalar_lists(name, extent, count):
    near = values(extent)
    if name == "narrow":
        near = [v for v in near if -128 <= v <= 127] + [-128, 127]
        return [[v] for v in near]
    if count == 1:
        return [[v] for v in near + (HUGE if name != "local" else [-(2**62), -(2**63)])]
    return [[a, b] for a in near[::2] for b in near[1::2]] + [[h, b] for h in HUGE for b in (0, 1, -1, h)]


def sizes_of_locals(cases, folder):
    """Sizes are negative one by one, though their product may not be."""
    spec = "def f(A: f32(N)) -> (C: f32(N)) attr(s: 2xi64) { local T: f32(s[0], s[1]); T(a, b) = 1.0; C(n) = A(n); }"
    (folder / "sizes.tc").write_text(spec)
    library = abi.build_sources(folder, "sizes", [folder / "sizes.tc"], "-O1")
    names = {value: name for name, value in abi.statuses().items()}
    for first, second, want in _EMPTY_HUGE:
        a, c = Tensor(np.ones(4, np.float32)), Tensor(np.zeros(4, np.float32))
        got = names[library.kernel("f")(a.words(), c.words(), (ctypes.c_int64 * 2)(first, second))]
        cases.check(f"a local of {first} x {second}", None if got == want else f"{got}, wanted {want}")


def main():
    cases = einc_tool.Cases()
    folder = einc_tool.scratch()
    (folder / "symbols.tc").write_text(SPEC)
    random = np.random.default_rng(50)
    for target in ("native", "generic"):
        library = abi.build_sources(folder, "symbols", [folder / "symbols.tc"], "-O1", f"--target={target}")
        names = [line.split("(")[0][4:] for line in SPEC.splitlines() if line.startswith("def ")]
        for name in names:
            for extent in (0, 1, 2, 7, 16, 17, 65):
                for arrays, count in inputs(name, extent, random):
                    for scalars in scalar_lists(name, extent, count):
                        for at_end in (True, False):
                            cases.run(f"{target} {name} {[a.shape for a in arrays]} {scalars} {at_end}", case,
                                      library.kernel(name), name, arrays, scalars, at_end)
    sizes_of_locals(cases, folder)
    cases.finish()


if __name__ == "__main__":
    main()
