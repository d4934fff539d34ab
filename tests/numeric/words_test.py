# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Products of bytes, of numbers of 16 bits and of bf16, which instructions add several at once: any sizes around their words,
tiles and panels, any strides, the ends of each type. Those of integers are exact, modulo 2^32.

NumPy's sums of integers are those of 64 bits, cut off. Sums of bf16 are of exact products in f64; f32 loses at most
n * 2^-24 * sum |t| of n terms t, to first order, and an instruction that takes denormals as 0, 2^-126 a term: twice that is allowed.
"""

import ctypes
import itertools

import numpy as np

from tests.numeric import abi, einc_tool, features, guarded
from tests.numeric import stored as packed

SPEC = """
def ss(A: i8(M, K), B: i8(K, N)) -> (C: i32(M, N)) { C(m, n) +=! cast<i32>(A(m, k)) * cast<i32>(B(k, n)); }
def us(A: u8(M, K), B: i8(K, N)) -> (C: i32(M, N)) { C(m, n) +=! cast<i32>(A(m, k)) * cast<i32>(B(k, n)); }
def su(A: i8(M, K), B: u8(N, K)) -> (C: i32(M, N)) { C(m, n) +=! cast<i32>(A(m, k)) * cast<i32>(B(n, k)); }
def uu(A: u8(K, M), B: u8(K, N)) -> (C: i32(M, N)) { C(m, n) += cast<i32>(B(k, n)) * cast<i32>(A(k, m)); }
def minus(A: i8(M, K), B: i8(N, K)) -> (C: i32(M, N)) { C(m, n) -= cast<i32>(A(m, k)) * cast<i32>(B(n, k)); }
def ww(A: i16(M, K), B: i16(K, N)) -> (C: i32(M, N)) { C(m, n) +=! cast<i32>(A(m, k)) * cast<i32>(B(k, n)); }
def wu(A: i16(M, K), B: u16(K, N)) -> (C: i32(M, N)) { C(m, n) +=! cast<i32>(A(m, k)) * cast<i32>(B(k, n)); }
def wb(A: i16(M, K), B: i8(N, K)) -> (C: i32(M, N)) { C(m, n) +=! cast<i32>(A(m, k)) * cast<i32>(B(n, k)); }
def bw(A: u8(M, K), B: i16(K, N)) -> (C: i32(M, N)) { C(m, n) +=! cast<i32>(A(m, k)) * cast<i32>(B(k, n)); }
def bf(A: bf16(M, K), B: bf16(K, N)) -> (C: f32(M, N)) { C(m, n) +=! cast<f32>(A(m, k)) * cast<f32>(B(k, n)); }
def bt(A: bf16(M, K), B: bf16(N, K)) -> (C: bf16(M, N)) { C(m, n) +=! A(m, k) * B(n, k); }
def relu(A: i8(M, K), B: i8(K, N), D: i32(N)) -> (C: i32(M, N)) {
  C(m, n) = D(n);
  C(m, n) += cast<i32>(A(m, k)) * cast<i32>(B(k, n));
  C(m, n) = max(C(m, n), 0);
}
def nhwc(I: i8(N, H, W, C), F: u8(P, Q, C, O)) -> (R: i32(N, H, W, O)) {
  R(n, h, w, o) +=! cast<i32>(I(n, h + p - 1, w + q - 1, c) else 5) * cast<i32>(F(p, q, c, o));
}
def nhwz(I: i8(N, H, W, C), F: u8(P, Q, C, O), z: i32) -> (R: i32(N, H, W, O)) {
  R(n, h, w, o) +=! cast<i32>(I(n, h + p - 1, w + q - 1, c) else 5) * (cast<i32>(F(p, q, c, o)) - z);
}
def edge(A: i8(M, X), B: i8(K, N)) -> (C: i32(M, N)) {
  C(m, n) +=! cast<i32>(A(m, k - 1) else 0) * cast<i32>(B(k, n));
}
def both(A: u8(M, K), B: i8(K, N)) -> (C: i32(M, N)) {
  C(m, n) +=! cast<i32>(A(m, k) else 5) * cast<i32>(B(k, n) else 7);
}
def pairs(A: i16(M, K), B: i16(N, K)) -> (C: i32(M, N)) {
  C(m, n) +=! cast<i32>(A(m, k) else 5) * cast<i32>(B(n, k) else 7);
}
def endless(A: bf16(M, K), B: bf16(K, N)) -> (C: f32(M, N)) {
  C(m, n) +=! cast<f32>(A(m, k) else inf) * cast<f32>(B(k, n));
}
def several(A: u8(M, K, 2, 5), B: u8(K, N, 5, 2)) -> (C: i32(M, N)) {
  C(m, n) +=! cast<i32>(A(m, k, t, l)) * cast<i32>(B(k, n, l, t));
}
def nchw(I: u8(N, C, H, W), F: u8(O, C, P, Q)) -> (R: i32(N, O, H, W)) {
  R(n, o, h, w) +=! cast<i32>(I(n, c, h + p - 1, w + q - 1) else 0) * cast<i32>(F(o, c, p, q));
}
def zeros(A: i8(M, K), B: i8(K, N), a: i32, b: i32) -> (C: i32(M, N)) {
  C(m, n) += (cast<i32>(A(m, k)) - a) * (cast<i32>(B(k, n)) - b);
}
def zero(A: u8(M, K), B: u8(N, K), b: i32) -> (C: i32(M, N)) {
  C(m, n) +=! cast<i32>(A(m, k)) * (b + cast<i32>(B(n, k)));
}
def bytes(A: u8(M, K), B: i8(K, N), a: u8, b: i8) -> (C: i32(M, N)) {
  C(m, n) +=! (A(m, k) - a) * (B(k, n) - b);
}
def signs(A: i8(M, K), B: i8(K, N), a: i8, b: i8) -> (C: i32(M, N)) {
  C(m, n) +=! (cast<i32>(B(k, n)) - b) * (A(m, k) - a);
}
def half(A: u16(M, K), B: u16(K, N), a: i32) -> (C: i32(M, N)) {
  C(m, n) +=! (cast<i32>(A(m, k)) - a) * (cast<i32>(B(k, n)) + 3);
}
def batch(A: i8(B, K, M), W: i8(L, B, N, K)) -> (C: i32(B, M, L, N)) {
  C(b, m, l, n) +=! cast<i32>(A(b, k, m)) * cast<i32>(W(l, b, n, k));
}
"""
# Integers of 4 bits, with which sums of two products do not saturate. The operands' types, and what is added to each.
_HALVES_SPEC = """
def ui(A: u8(M, K), B: i4(K, N)) -> (C: i32(M, N)) { C(m, n) += cast<i32>(A(m, k)) * cast<i32>(B(k, n)); }
def uu(A: u8(M, K), B: u4(K, N)) -> (C: i32(M, N)) { C(m, n) += cast<i32>(A(m, k)) * cast<i32>(B(k, n)); }
def si(A: i8(M, K), B: i4(K, N)) -> (C: i32(M, N)) { C(m, n) += cast<i32>(B(k, n)) * cast<i32>(A(m, k)); }
def iu(A: i4(M, K), B: u8(K, N)) -> (C: i32(M, N)) { C(m, n) += cast<i32>(A(m, k)) * cast<i32>(B(k, n)); }
def ii(A: i4(M, K), B: i4(K, N)) -> (C: i32(M, N)) { C(m, n) += cast<i32>(A(m, k)) * cast<i32>(B(k, n)); }
def zeros(A: u8(M, K), B: u4(K, N)) -> (C: i32(M, N)) { C(m, n) += (cast<i32>(A(m, k)) - 99) * (cast<i32>(B(k, n)) - 8); }
def us(A: u8(M, K), B: i8(K, N)) -> (C: i32(M, N)) { C(m, n) += cast<i32>(A(m, k)) * cast<i32>(B(k, n)); }
"""
_HALVES = {"ui": ("u8", "i4"), "uu": ("u8", "u4"), "si": ("i8", "i4"), "iu": ("i4", "u8"), "ii": ("i4", "i4"), "zeros": ("u8", "u4", -99, -8),
           "us": ("u8", "i8")}  # fmt: skip
# What is added to elements before they are multiplied, and the scalars that say so.
_ADDED = {"zeros": (-5, 77, [5, -77]), "zero": (0, -131, [-131]), "half": (-40000, 3, [40000]), "bytes": (-255, 128, [255, -128]),
          "signs": (-127, 128, [127, -128]), "nhwz": (0, -9, [9])}
_TYPES = {"i8": np.int8, "u8": np.uint8, "i16": np.int16, "u16": np.uint16, "bf16": np.uint16}
PRODUCTS = {
    "ss": ("i8", "i8", "mk,kn->mn"), "us": ("u8", "i8", "mk,kn->mn"), "su": ("i8", "u8", "mk,nk->mn"), "uu": ("u8", "u8", "km,kn->mn"),
    "minus": ("i8", "i8", "mk,nk->mn"), "ww": ("i16", "i16", "mk,kn->mn"), "wu": ("i16", "u16", "mk,kn->mn"), "wb": ("i16", "i8", "mk,nk->mn"),
    "bw": ("u8", "i16", "mk,kn->mn"), "bf": ("bf16", "bf16", "mk,kn->mn"), "bt": ("bf16", "bf16", "mk,nk->mn"), "relu": ("i8", "i8", "mk,kn->mn"),
    "zeros": ("i8", "i8", "mk,kn->mn"), "zero": ("u8", "u8", "mk,nk->mn"), "half": ("u16", "u16", "mk,kn->mn"),
    "bytes": ("u8", "i8", "mk,kn->mn"), "signs": ("i8", "i8", "mk,kn->mn"),
    "nhwz": ("i8", "u8", ""), "edge": ("i8", "i8", ""), "several": ("u8", "u8", "mktl,knlt->mn"),
    "both": ("u8", "i8", "mk,kn->mn"), "pairs": ("i16", "i16", "mk,nk->mn"), "endless": ("bf16", "bf16", "mk,kn->mn"),
    "nhwc": ("i8", "u8", ""), "nchw": ("u8", "u8", ""), "batch": ("i8", "i8", "bkm,lbnk->bmln"),
}  # fmt: skip
IMAGES = {"nhwc", "nhwz", "nchw"}
APART = IMAGES | {"batch", "several"}
_SIZES = [(1, 1, 1), (2, 3, 0), (8, 48, 4), (7, 47, 3), (9, 49, 5), (70, 100, 129), (65, 97, 64), (33, 50, 7), (130, 200, 333), (17, 300, 2101), (3, 700, 70), (4, 80, 65), (6, 31, 130)]
WINDOWS = [(1, 1, 1, 1, 1), (2, 7, 9, 5, 20), (1, 14, 14, 64, 50), (1, 30, 31, 3, 16), (1, 5, 6, 129, 33)]


def stored(rng, kind, shape, ends):
    """Elements as they are in memory, and their values."""
    if kind == "bf16":
        bits = (rng.standard_normal(shape).astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
        return bits, (bits.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    info = np.iinfo(_TYPES[kind])
    values = np.where(rng.random(shape) < 0.5, info.min, info.max) if ends else rng.integers(info.min, info.max + 1, shape)
    return values.astype(_TYPES[kind]), values.astype(np.int64)


def laid_out(array, how):
    """The same array, as it may lie in memory. Not a byte behind it may be read."""
    if how == 1:
        return np.ascontiguousarray(array.T).T
    if how == 2:
        wide = np.zeros([2 * n for n in array.shape], array.dtype)
        wide[tuple(slice(None, None, 2) for _ in array.shape)] = array
        return wide[tuple(slice(None, None, 2) for _ in array.shape)]
    if how == 3:
        return np.ascontiguousarray(array[::-1, ::-1])[::-1, ::-1]
    pages = guarded.Pages(array.nbytes)
    flat = pages.array(array.dtype).reshape(array.shape)
    flat[...] = array
    laid_out.pages.append(pages)
    return flat


laid_out.pages = []


def windows(image, filters, pad, last):
    """R(n, h, w, o), from I(n, h, w, c) and F(p, q, c, o)."""
    wide = np.pad(image, ((0, 0), (1, 1 + filters.shape[0]), (1, 1 + filters.shape[1]), (0, 0)), constant_values=pad)
    result = 0
    for p in range(filters.shape[0]):
        for q in range(filters.shape[1]):
            part = wide[:, p : p + image.shape[1], q : q + image.shape[2]]
            result = result + np.einsum("nhwc,co->nhwo", part, filters[p, q])
    return result if last else np.moveaxis(result, 3, 1)


def wanted(name, a, b):
    if name in ("nhwc", "nhwz"):
        return windows(a, b, 5, True)
    if name == "edge":
        return np.pad(a, ((0, 0), (1, len(b))))[:, : len(b)] @ b
    if name == "nchw":
        return windows(np.moveaxis(a, 1, 3), np.transpose(b, (2, 3, 1, 0)), 0, False)
    return np.einsum(PRODUCTS[name][2], a, b)


def product(library, name, shapes, how, ends, rng):
    first, second, _ = PRODUCTS[name]
    (a, a_values), (b, b_values) = stored(rng, first, shapes[0], ends), stored(rng, second, shapes[1], ends)
    add_a, add_b, scalars = _ADDED.get(name, (0, 0, []))
    exact = wanted(name, a_values + add_a, b_values + add_b)
    kind = {"bf": np.float32, "endless": np.float32, "bt": np.uint16}.get(name, np.int32)
    results = rng.integers(-9, 9, exact.shape).astype(kind)
    if how == 1:
        results = np.asfortranarray(results)
    inputs = [laid_out(a, how), laid_out(b, how)]
    if name == "relu":
        bias = rng.integers(-1000, 1000, exact.shape[1]).astype(np.int32)
        inputs.append(bias)
        exact = exact + bias
    exact = {"uu": lambda: exact + results, "zeros": lambda: exact + results, "minus": lambda: results - exact}.get(name, lambda: exact)()
    status = library.kernel(name)(*map(abi.describe, inputs), *map(ctypes.c_int32, scalars), abi.describe(results))
    if status:
        return f"status {status}"
    if first != "bf16":
        cut = (exact & 0xFFFFFFFF).astype(np.uint32).view(np.int32)
        cut = np.maximum(cut, 0) if name == "relu" else cut
        wrong = np.argwhere(cut != results)
        return f"at {wrong[0]}: {results[tuple(wrong[0])]}, expected {cut[tuple(wrong[0])]}" if len(wrong) else None
    terms, sizes = shapes[0][1], np.einsum(PRODUCTS[name][2], abs(a_values), abs(b_values))
    may_be = 2 * terms * (2.0**-24 * sizes + 2.0**-126) + (2.0**-8 * abs(exact) if name == "bt" else 0) + 1e-300
    got = results.astype(np.float64) if kind == np.float32 else (results.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    far = float(np.max(np.nan_to_num(abs(got - exact) / may_be, nan=np.inf), initial=0))
    return f"{far:.3} times as far off as it may be" if far > 1 else None


def product_of_halves(library, name, size, how, end, rng):
    """Of any numbers, or of a's largest ones and one end of b's."""
    (m, n, k), (first, second, *added) = size, _HALVES[name]
    operands = []
    for kind, shape, wanted in [(first, (m, k), 1), (second, (k, n), end)]:
        low, high = packed.ENDS.get(kind) or (np.iinfo(_TYPES[kind]).min, np.iinfo(_TYPES[kind]).max)
        operands.append(rng.integers(low, high + 1, shape) if end is None else np.full(shape, [low, high][wanted]))
    there = rng.integers(-9, 9, (m, n)).astype(np.int32)
    a, b = (x + add for x, add in zip(operands, added or (0, 0)))
    inputs = [(kind, x.astype(packed.DTYPES[kind])) for kind, x in zip((first, second), operands)]
    return packed.run(library.kernel(name), inputs, [("i32", there, there + a @ b)], how, rng)


def special(library, rng):
    """What is no number is none in the end, wherever it stands in its word, and denormals may be 0."""
    a, b = (stored(rng, "bf16", shape, False)[0] for shape in [(9, 37), (37, 50)])
    for m, (k, bits) in enumerate([(0, 0x7FC0), (1, 0x7F80), (36, 0xFF80), (17, 0x7F81), (2, 0x0001), (3, 0x8001)]):
        a[m, k] = bits
    b[5, 3] = 0x7F80
    a[8, 5] = 0
    values = [(x.astype(np.uint32) << 16).view(np.float32).astype(np.float64) for x in (a, b)]
    with np.errstate(all="ignore"):
        exact = values[0] @ values[1]
    results = np.zeros((9, 50), np.float32)
    status = library.kernel("bf")(abi.describe(a), abi.describe(b), abi.describe(results))
    with np.errstate(all="ignore"):
        may_be = 2 * 37 * (2.0**-24 * (abs(values[0]) @ abs(values[1])) + 2.0**-126)
    alike = np.where(np.isfinite(exact), abs(results - exact) <= may_be, (results == exact) | (np.isnan(results) & np.isnan(exact)))
    return f"status {status}" if status else None if alike.all() else f"at {np.argwhere(~alike)[0]}: {results[~alike][0]}, {exact[~alike][0]}"


def best(library):
    """A library for several levels says which of them runs; the last is for what this CPU may have."""
    # Bytes have no code of their own where there is bf16, too.
    level = [name for name, needed in features.targets().items() if needed <= features.here() and not name.endswith("bf16")][-1]
    arrays = [np.zeros((9, 9), kind) for kind in (np.int8, np.int8, np.int32)]
    explain = library.ss_explain
    explain.restype = ctypes.c_char_p
    said = explain(*map(abi.describe, arrays)).decode()
    return None if said.startswith(f"code for {level}, the best of x86-64-v2, ") else f"{said.splitlines()[0]}, not {level}"


def pairs(library, name, count):
    """All pairs of two bytes, each in a sum of one."""
    first, second, _ = PRODUCTS[name]
    a, b = (np.arange(256, dtype=np.uint8).view(_TYPES[kind]) for kind in (first, second))
    lefts, rights = np.zeros((256, count), a.dtype), np.zeros((count, 256), b.dtype)
    lefts[:, count - 1], rights[count - 1] = a, b
    lefts = lefts.T if PRODUCTS[name][2].startswith("km") else lefts
    results = np.zeros((256, 256), np.int32)
    status = library.kernel(name)(abi.describe(lefts), abi.describe(rights), abi.describe(results))
    return f"status {status}" if status else None if (results == np.outer(a.astype(int), b.astype(int))).all() else "a product is wrong"


def pairs_of_few(library, name):
    """The same where rows are too few to be packed: four of them at a time."""
    first, second, _ = PRODUCTS[name]
    add_a, add_b, scalars = _ADDED.get(name, (0, 0, []))
    a, b = (np.arange(256, dtype=np.uint8).view(_TYPES[kind]) for kind in (first, second))
    for row in range(0, 256, 4):
        results = np.zeros((4, 256), np.int32)
        inputs = [a[row : row + 4].reshape(4, 1), b.reshape(1, 256)]
        status = library.kernel(name)(*map(abi.describe, inputs), *map(ctypes.c_int32, scalars), abi.describe(results))
        if status or (results != np.outer(a[row : row + 4].astype(int) + add_a, b.astype(int) + add_b)).any():
            return f"status {status}, rows from {row} on"
    return None


def shapes_of(name, size):
    if name in ("nhwc", "nhwz"):
        n, h, w, c, o = size
        return (n, h, w, c), (3, 3, c, o)
    if name == "nchw":
        n, h, w, c, o = size
        return (n, c, h, w), (o, c, 3, 3)
    m, n, k = size
    if name == "batch":
        return (2, k, m), (3, 2, n, k)
    if name == "edge":
        return (m, max(k - 2, 0)), (k, n)
    if name == "several":
        return (m, k, 2, 5), (k, n, 5, 2)
    by = dict(m=m, n=n, k=k)
    return [tuple(by[letter] for letter in part) for part in PRODUCTS[name][2].split("->")[0].split(",")]


def main():
    cases = einc_tool.Cases()
    folder = einc_tool.scratch()
    spec = folder / "words.tc"
    spec.write_text(SPEC)
    rng = np.random.default_rng(24)
    levels = {name: needed for name, needed in features.targets().items() if name.startswith("x86")}
    # Most of their code is that of others.
    alike = {"x86-64-v4-vnni": ["ss", "us", "wb"], "x86-64-v4-bf16": ["ss", "us", "bf"]}
    for target in ["native", *[name for name, needed in levels.items() if needed <= features.here()]]:
        names = alike.get(target, list(PRODUCTS))
        library = abi.build_sources(folder / target, "words", [spec], "-O1", f"--target={target}", *[f"--def={name}" for name in names])
        for name in names:
            for number, size in enumerate(WINDOWS if name in IMAGES else _SIZES):
                for how in range(4) if name not in APART else [0]:
                    case = f"{name} {size} {['plain', 'turned', 'every other', 'backwards'][how]} {target}"
                    cases.run(case, product, library, name, shapes_of(name, size), how, number % 4 == 1, rng)
        if "bf" in names:
            cases.run(f"special {target}", special, library, rng)
        for name in ["ss", "us"]:
            for count in [1, 2, 3, 4, 17]:
                cases.run(f"pairs {name} {count} {target}", pairs, library, name, count)
        for name in [name for name in ["ss", "us", "zeros"] if name in names]:
            cases.run(f"pairs {name} of few rows {target}", pairs_of_few, library, name)
    (folder / "halves.tc").write_text(_HALVES_SPEC)
    for target in [target for target in ["x86-64-v2", "x86-64-v3", "x86-64-v3-vnni", "x86-64-v4"] if levels[target] <= features.here()]:
        library = abi.build_sources(folder / f"halves {target}", "halves", [folder / "halves.tc"], "-O1", f"--target={target}")
        for name, size, how in itertools.product(_HALVES, _SIZES, ["rows", "gaps"]):
            for end in [None, 0, 1] if how == "rows" else [None]:
                cases.run(f"{name} of 4 bits {size} {how} {end} {target}", product_of_halves, library, name, size, how, end, rng)
    every = abi.build_sources(folder / "every", "words", [spec], "-O1", f"--target={','.join(levels)}", "--def=ss", "--def=bf")
    cases.run("the best level", best, every)
    for name in ["ss", "bf"]:
        cases.run(f"{name} for every level", product, every, name, [(70, 129), (129, 100)], 0, False, rng)
    known = abi.build_sources(folder / "known", "words", [spec], "-O1", "--target=native", "--dim=K=66", "--dim=N=80")
    threads = abi.build_sources(folder / "threads", "words", [spec], "-O1", "--target=native", "--threads=2")
    strict = abi.build_sources(folder / "strict", "words", [spec], "-O1", "--target=native", "--fp=strict")
    for name in [name for name, (_, _, letters) in PRODUCTS.items() if letters and name not in APART]:
        cases.run(f"{name} known", product, known, name, shapes_of(name, (37, 80, 66)), 0, False, rng)
        cases.run(f"{name} threads", product, threads, name, shapes_of(name, (500, 600, 301)), 0, False, rng)
        if name != "bt":  # is rounded at each term
            cases.run(f"{name} strict", product, strict, name, shapes_of(name, (37, 80, 66)), 0, False, rng)
    cases.finish()


if __name__ == "__main__":
    main()
