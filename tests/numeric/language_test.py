# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""A tour of the spec language: each feature once, its meaning written beside it in NumPy."""

import shutil

import numpy as np

from tests.numeric import einc_tool

f4, f8, i4, i8, i1, u1, u4, u8, f2 = (np.float32, np.float64, np.int32, np.int64, np.int8, np.uint8, np.uint32, np.uint64,
                                      np.float16)


def whole(dtype, *shape, low=-4, seed=0):
    return np.random.default_rng(seed).integers(low if np.dtype(dtype).kind != "u" else 0, 5, shape).astype(dtype)


A34, B45, A5 = whole(f4, 3, 4, seed=1), whole(f4, 4, 5, seed=2), whole(f4, 5, seed=3)
I5 = np.array([-(2**31), -1, 0, 5, 2**31 - 1], i4)
B5 = np.array([-128, -1, 0, 5, 127], i1)
U5 = np.array([0, 1, 5, 200, 255], u1)
F5 = np.array([-2.5, -0.5, 0.5, 1.5, 2.5], f4)
T5 = np.array([True, False, True, True, False])

HALVES = np.array([1 + 2.0**-11 + 2.0**-40, 65519.999, 65520, 3e-8, 2.98e-8])


def _integers(kind):
    """Around powers of two and what lies between two numbers of few digits; others at random."""
    info = np.iinfo(kind)
    around = [sign * (2**e + d * 2 ** max(e - digits, 0) + off) for e in range(info.bits) for digits in (8, 9, 11, 12) for d in (0, 1, 3)
              for off in (-1, 0, 1) for sign in (1, -1)]  # fmt: skip
    fitting = np.array(sorted({n for n in around if info.min <= n <= info.max} | {info.min, info.max}), dtype=kind)
    return np.concatenate([fitting, np.random.default_rng(4).integers(info.min, info.max, 501, kind, endpoint=True)])


INTEGERS = {kind: _integers(np.dtype(kind[0] + str(int(kind[1:]) // 8))) for kind in ("i8", "u8", "i16", "u16", "i32", "u32", "i64")}


def rounded_to(half, values):
    """To nearest even, once: of bf16 by its digits, as NumPy has none."""
    if half == "f16":
        with np.errstate(over="ignore"):
            return np.array([np.float16(float(int(v))) if abs(int(v)) < 2**53 else np.float16(np.inf) * np.sign(float(int(v))) for v in values], f4)
    result = []
    for value in map(int, values):
        unit = 2 ** max(abs(value).bit_length() - 8, 0)
        low, rest = divmod(abs(value), unit)
        low += 2 * rest > unit or (2 * rest == unit and low % 2 == 1)
        result.append((1 if value >= 0 else -1) * float(low * unit))
    return np.array(result, f4)


# name: (spec, inputs, further flags, outputs)
CASES = {
    # ---- reductions in all forms ----
    "accumulator left out": ("def f(A: f32(M, K), B: f32(K, N)) -> (C: f32(M, N)) { C(m, n) = std_addf<k>(std_mulf(A(m, k), B(k, n))); }",
                             {"A": A34, "B": B45, "C": np.ones((3, 5), f4)}, [], {"C": 1 + A34 @ B45}),
    "accumulator first": ("def f(A: f32(M, K), B: f32(K, N)) -> (C: f32(M, N)) { C(m, n) = AddFOp<k>(C(m, n), MulFOp(A(m, k), B(k, n))); }",
                          {"A": A34, "B": B45, "C": np.ones((3, 5), f4)}, [], {"C": 1 + A34 @ B45}),
    "accumulator last": ("def f(A: f32(M, K)) -> (C: f32(M)) { C(m) = std_addf<k>(A(m, k), C(m)); }",
                         {"A": A34, "C": np.ones(3, f4)}, [], {"C": 1 + A34.sum(axis=1)}),
    "accumulator taken from the term": ("def f(A: i32(K)) -> (C: i32()) { C() = std_subi<k>(A(k), C()); }",
                                        {"A": np.array([7], i4), "C": np.array(2, i4)}, [], {"C": np.array(5, i4)}),
    "a sum beside a value": ("def f(X: f32(M, K)) -> (Y: f32(M, 2)) { Y(m, 0) = 7.0; Y(m, 1) +=! X(m, k); }",
                             {"X": A34, "Y": np.ones((3, 2), f4)}, [], {"Y": np.stack([np.full(3, 7, f4), A34.sum(axis=1)], 1)}),
    "complex sums in one tensor": ("def f(A: f32(2, M, K), B: f32(2, K)) -> (Y: f32(2, M)) "
                                   "{ Y(0, m) +=! A(0, m, k) * B(0, k) - A(1, m, k) * B(1, k); "
                                   "Y(1, m) +=! A(0, m, k) * B(1, k) + A(1, m, k) * B(0, k); }",
                                   {"A": np.stack([A34, 2 * A34]), "B": B45[:, :2].T.copy(), "Y": np.ones((2, 3), f4)}, [],
                                   {"Y": np.stack([A34 @ B45[:, 0] - 2 * A34 @ B45[:, 1], A34 @ B45[:, 1] + 2 * A34 @ B45[:, 0]])}),
    "a sum over nothing clears its part": ("def f(X: f32(M, K)) -> (Y: f32(2 * M)) { Y(2 * m + 1) +=! X(m, k); }",
                                           {"X": A34[:, :0], "Y": np.ones(6, f4)}, [], {"Y": np.array([1, 0] * 3, f4)}),
    "two reduction iterators": ("def f(A: f32(M, K)) -> (C: f32()) { C() = std_addf<m, k>(A(m, k)); }",
                                {"A": A34}, [], {"C": A34.sum()}),
    "unlisted reduction iterator": ("def f(A: f32(M, K, L)) -> (C: f32(M)) { C(m) = std_addf<k>(A(m, k, l)); }",
                                    {"A": whole(f4, 3, 4, 2)}, [], {"C": whole(f4, 3, 4, 2).sum(axis=(1, 2))}),
    "+= adds": ("def f(A: f32(M, K)) -> (C: f32(M)) { C(m) += A(m, k); }", {"A": A34, "C": np.ones(3, f4)}, [], {"C": 1 + A34.sum(axis=1)}),
    "+=! begins anew": ("def f(A: f32(M, K)) -> (C: f32(M)) { C(m) +=! A(m, k); }", {"A": A34, "C": np.full(3, np.nan, f4)}, [],
                        {"C": A34.sum(axis=1)}),
    "-= subtracts": ("def f(A: f32(M, K)) -> (C: f32(M)) { C(m) -= A(m, k); }", {"A": A34, "C": np.ones(3, f4)}, [], {"C": 1 - A34.sum(axis=1)}),
    "*= multiplies": ("def f(A: f32(M, K)) -> (C: f32(M)) { C(m) *=! A(m, k); }", {"A": A34}, [], {"C": A34.prod(axis=1)}),
    "max= keeps the largest": ("def f(A: f32(M, K)) -> (C: f32(M)) { C(m) max= A(m, k); }", {"A": A34, "C": np.full(3, 2, f4)}, [],
                               {"C": np.maximum(2, A34.max(axis=1))}),
    "min=! of integers": ("def f(A: i8(K)) -> (C: i8()) { C() min=! A(k); }", {"A": B5}, [], {"C": np.array(-128, i1)}),
    "or= of bools": ("def f(A: bool(M, K)) -> (C: bool(M)) { C(m) or=! A(m, k); }", {"A": A34 > 3}, [], {"C": (A34 > 3).any(axis=1)}),
    "and= of bools": ("def f(A: bool(M, K)) -> (C: bool(M)) { C(m) and=! A(m, k); }", {"A": A34 > -4}, [], {"C": (A34 > -4).all(axis=1)}),
    "xor= of integers": ("def f(A: u8(K)) -> (C: u8()) { C() xor=! A(k); }", {"A": U5}, [], {"C": np.bitwise_xor.reduce(U5)}),
    "empty maximum": ("def f(A: f32(K)) -> (C: f32()) { C() max=! A(k); }", {"A": np.zeros(0, f4)}, [], {"C": np.array(-np.inf, f4)}),
    # ---- several outputs, statements, locals ----
    "two outputs in one statement": ("def f(A: f32(M, K)) -> (C: f32(M), D: f32(M)) { C(m), D(m) = std_addf<k>(A(m, k)), std_maxf<k>(A(m, k)); }",
                                     {"A": A34, "D": np.full(3, -9, f4)}, [], {"C": A34.sum(axis=1), "D": A34.max(axis=1)}),
    "a swap": ("def f(A: f32(M)) -> (C: f32(M), D: f32(M)) { C(m) = A(m); D(m) = A(m) * 2; C(m), D(m) = D(m), C(m); }",
               {"A": A5}, [], {"C": 2 * A5, "D": A5}),
    "locals": ("def f(A: f32(M, K)) -> (C: f32(M)) { T(m) +=! A(m, k); U(m) = T(m) * T(m); C(m) = U(m) - T(m); }",
               {"A": A34}, [], {"C": A34.sum(axis=1) ** 2 - A34.sum(axis=1)}),
    "a declared local": ("def f(A: f32(M)) -> (C: f32(M)) { local T: f64(M + 1); T(m) = 0; T(m + 1) = A(m); C(m) = A(m) + cast<f32>(T(m)); }",
                         {"A": A5}, [], {"C": A5 + np.concatenate([[0], A5[:-1]]).astype(f4)}),
    "an output over several statements": ("def f(A: f32(M)) -> (C: f32(M)) { C(m) = A(m); C(m) = C(m) * C(m); C(m) += A(m); }",
                                          {"A": A5}, [], {"C": A5 * A5 + A5}),
    "one tensor twice": ("def f(A: f32(M, M)) -> (C: f32(M, M)) { C(m, n) = A(m, n) + A(n, m); }", {"A": A34[:, :3]}, [],
                         {"C": A34[:, :3] + A34[:, :3].T}),
    "a diagonal": ("def f(A: f32(M, M)) -> (C: f32(M)) { C(m) = A(m, m); }", {"A": A34[:, :3]}, [], {"C": np.diag(A34[:, :3])}),
    "a trace": ("def f(A: f32(M, M)) -> (C: f32()) { C() +=! A(m, m); }", {"A": A34[:, :3]}, [], {"C": np.trace(A34[:, :3])}),
    "rank 0": ("def f(A: f32(), B: f32()) -> (C: f32()) { C() = A() * B(); }", {"A": np.array(3, f4), "B": np.array(-2, f4)}, [],
               {"C": np.array(-6, f4)}),
    # ---- indices, shapes, padding ----
    "affine shapes": ("def f(A: f32(M), B: f32(N)) -> (C: f32(M + N)) { C(m) = A(m); C(n + M) = B(n); }", {"A": A5, "B": F5}, [],
                      {"C": np.concatenate([A5, F5])}),
    "a shape from a shape": ("def f(A: f32(2 * N)) -> (C: f32(N)) { C(n) = A(2 * n) + A(2 * n + 1); }", {"A": np.arange(8, dtype=f4)}, [],
                             {"C": np.arange(8, dtype=f4).reshape(4, 2).sum(axis=1)}),
    "floordiv and mod": ("def f(A: f32(M, N)) -> (C: f32(L)) { C(i) = A(i / N, i % N); }", {"A": A34}, ["--dim", "L=12"], {"C": A34.ravel()}),
    "upsampling": ("def f(A: f32(M)) -> (C: f32(2 * M)) { C(i) = A(i / 2); }", {"A": A5}, [], {"C": np.repeat(A5, 2)}),
    "ceildiv": ("def f(A: f32(M)) -> (C: f32(N)) { C(n) = A(ceildiv(n, 2)); }", {"A": A5}, ["--dim", "N=8"], {"C": A5[[0, 1, 1, 2, 2, 3, 3, 4]]}),
    "padding": ("def f(A: f32(M)) -> (C: f32(N)) { C(n) = A(n - 2) else 7; }", {"A": A5}, ["--dim", "N=9"],
                {"C": np.pad(A5, 2, constant_values=7)}),
    "padding by an expression": ("def f(A: f32(M), x: f32) -> (C: f32(N)) { C(n) = (A(n - 1) else (-x * 2)) + 1; }", {"A": A5},
                                 ["--dim", "N=7", "--attr", "x=3"], {"C": np.pad(A5, 1, constant_values=-6) + 1}),
    "an index as a value": ("def f(A: i64(M)) -> (C: i64(M)) { C(m) = A(m) + index(2 * m + 1); }", {"A": np.zeros(4, i8)}, [],
                            {"C": 2 * np.arange(4) + 1}),
    "a size as a value": ("def f(A: f64(M)) -> (C: f64(M)) { C(m) = A(m) / cast<f64>(M); }", {"A": np.ones(4)}, [], {"C": np.full(4, 0.25)}),
    "a window by its shape": ("def f(A: f32(W), B: f32(K)) -> (C: f32(M)) { C(m) max=! A(m + k); }", {"A": A5, "B": A5[:2]}, ["--dim", "M=4"],
                              {"C": np.maximum(A5[:4], A5[1:])}),
    # ---- attributes and scalars ----
    "scalars": ("def f(a: f32, A: f32(M), b: i32) -> (C: f32(M)) { C(m) = a * A(m) + cast<f32>(b); }", {"A": A5},
                ["--attr", "a=0.5", "--attr", "b=-3"], {"C": A5 / 2 - 3}),
    "attribute with defaults": ("def f(A: f32(W)) -> (C: f32(M)) attr(s: 2xi64 = [2, 1]) { C(m) = A(m * s[0] + s[1]); }", {"A": A5},
                                ["--dim", "M=2"], {"C": A5[1::2]}),
    "attribute over its default": ("def f(A: f32(W)) -> (C: f32(M)) attr(s: 2xi64 = [2, 1]) { C(m) = A(m * s[0] + s[1]); }", {"A": A5},
                                   ["--dim", "M=2", "--attr", "s=1,2"], {"C": A5[2:4]}),
    "float attribute": ("def f(A: f32(M)) -> (C: f32(M)) attr(w: 2x2xf32) { C(m) = A(m) * w[1, 0] + w[0, 1]; }", {"A": A5},
                        ["--attr", "w=1,2,3,4"], {"C": A5 * 3 + 2}),
    "list attribute": ("def f(A: f32(M)) -> (C: f32(M)) attr(w: f32[]) { C(m) = A(m) * w[2]; }", {"A": A5}, ["--attr", "w=1,2,3"], {"C": A5 * 3}),
    "scalar attribute": ("def f(A: f32(M)) -> (C: f32(M)) attr(w: f32 = 2.5) { C(m) = A(m) * w; }", {"A": A5}, [], {"C": A5 * f4(2.5)}),
    "bool attribute": ("def f(A: f32(M)) -> (C: f32(M)) attr(w: bool = true) { C(m) = w ? A(m) : -A(m); }", {"A": A5}, ["--attr", "w=false"], {"C": -A5}),
    # ---- types ----
    "type parameters": ("def f<T, U = f64>(A: T(M)) -> (C: U(M)) { C(m) = cast<U>(A(m)) / 2; }", {"A": I5}, ["--type", "T=i32"], {"C": I5 / 2}),
    "two types given": ("def f<T, U = f64>(A: T(M)) -> (C: U(M)) { C(m) = cast<U>(A(m)); }", {"A": U5}, ["--type", "T=u8", "--type", "U=i16"],
                        {"C": U5.astype(np.int16)}),
    "a type that suits one def only": ("def f<T>(A: T(M)) -> (C: T(M)) { C(m) = A(m) << 1; }\n"
                                       "def g<T>(A: T(M)) -> (C: T(M)) { C(m) = exp(A(m)); }", {"A": U5},
                                       ["--def", "f", "--type", "T=u8"], {"C": U5 << 1}),
    "promotion before multiplication": ("def f(A: i8(M), B: i8(M)) -> (C: i32(M)) { C(m) = A(m) * B(m); }", {"A": B5, "B": B5}, [],
                                        {"C": B5.astype(i4) ** 2}),
    "a cast keeps the narrow product": ("def f(A: i8(M), B: i8(M)) -> (C: i32(M)) { C(m) = cast<i8>(A(m) * B(m)); }", {"A": B5, "B": B5}, [],
                                        {"C": (B5 * B5).astype(i4)}),
    "f16 into f32": ("def f(A: f16(K), B: f16(K)) -> (C: f32()) { C() +=! A(k) * B(k); }", {"A": np.full(4, 300, f2), "B": np.full(4, 300, f2)}, [],
                     {"C": np.array(360000, f4)}),
    "float to integer saturates": ("def f(A: f32(M)) -> (C: i8(M)) { C(m) = cast<i8>(A(m)); }",
                                   {"A": np.array([np.nan, np.inf, -np.inf, 300, -300, -1.9, 1.9], f4)}, [], {"C": np.array([0, 127, -128, 127, -128, -1, 1], i1)}),
    "float to unsigned saturates": ("def f(A: f64(M)) -> (C: u64(M)) { C(m) = cast<u64>(A(m)); }",
                                    {"A": np.array([np.nan, 1e30, -5, 2.0**63, -0.5])}, [], {"C": np.array([0, 2**64 - 1, 0, 2**63, 0], u8)}),
    "integer to integer wraps": ("def f(A: i32(M)) -> (C: i8(M)) { C(m) = cast<i8>(A(m)); }", {"A": I5}, [], {"C": I5.astype(i1)}),
    "number to bool": ("def f(A: f32(M)) -> (C: bool(M)) { C(m) = cast<bool>(A(m)); }", {"A": np.array([0, -0.0, np.nan, 0.1], f4)}, [],
                       {"C": np.array([False, False, True, True])}),
    "bool to number": ("def f(A: bool(M)) -> (C: f32(M)) { C(m) = cast<f32>(A(m)) * 2; }", {"A": T5}, [], {"C": T5 * f4(2)}),
    "std_sexti32": ("def f(A: i8(M)) -> (C: i32(M)) { C(m) = std_muli(std_sexti32(A(m)), 1000); }", {"A": B5}, [], {"C": B5.astype(i4) * 1000}),
    "std_zexti32": ("def f(A: i8(M)) -> (C: i32(M)) { C(m) = std_zexti32(A(m)); }", {"A": B5}, [], {"C": B5.view(u1).astype(i4)}),
    "std_fpext64": ("def f(A: f32(M)) -> (C: f64(M)) { C(m) = std_fpext64(A(m)) / 3; }", {"A": A5}, [], {"C": A5.astype(f8) / 3}),
    "cast_unsigned": ("def f(A: i8(M)) -> (C: f32(M)) { C(m) = cast_unsigned<f32>(A(m)); }", {"A": B5}, [], {"C": B5.view(u1).astype(f4)}),
    "cast_signed": ("def f(A: u8(M)) -> (C: i32(M)) { C(m) = cast_signed<i32>(A(m)); }", {"A": U5}, [], {"C": U5.view(i1).astype(i4)}),
    "unsigned division of signed": ("def f(A: i8(M)) -> (C: i8(M)) { C(m) = divi_unsigned(A(m), 3); }", {"A": B5}, [], {"C": (B5.view(u1) // 3).view(i1)}),
    "u64 past 2^63": ("def f(A: u64(M)) -> (C: f32(M)) { C(m) = cast<f32>(A(m)); }", {"A": np.array([2**64 - 1, 2**63 + 2**39 + 1, 2**24 + 1], u8)}, [],
                      {"C": np.array([2**64, 2**63 + 2**40, 2**24], f4)}),
    "f64 to f16 once": ("def f(A: f64(M)) -> (C: f16(M)) { C(m) = cast<f16>(A(m)); }", {"A": HALVES}, [],
                        {"C": np.array([1 + 2.0**-10, 65504, np.inf, 2.0**-24, 0], f2)}),
    "big integer to f16": ("def f(A: i32(M)) -> (C: f16(M)) { C(m) = cast<f16>(A(m)); }", {"A": np.array([2049, 2051, 65519, 65520, -70000], i4)}, [],
                           {"C": np.array([2048, 2052, 65504, np.inf, -np.inf], f2)}),
    "huge integer to f16": ("def f(A: i64(M)) -> (C: f16(M)) { C(m) = cast<f16>(A(m)); }",
                            {"A": np.array([2049, 2051, 65519, 65520, -2**63, 2**63 - 1, -2049, 0, 1, 2**32 + 1] * 4, i8)}, [],
                            {"C": np.array([2048, 2052, 65504, np.inf, -np.inf, np.inf, -2048, 0, 1, np.inf] * 4, f2)}),
    "huge integer to bf16": ("def f(A: u64(M)) -> (C: f32(M)) { C(m) = cast<f32>(cast<bf16>(A(m))); }",
                             {"A": np.array([2**64 - 1, 257 * 2**52, 257 * 2**52 + 1, 257 * 2**55 - 1, 259 * 2**30, 0, 1, 255] * 4, u8)}, [],
                             {"C": np.array([2**64, 2**60, 258 * 2**52, 2**63, 260 * 2**30, 0, 1, 255] * 4, f4)}),
    "ops done together, a size of unknown sign": (
        "def f(A: f32(M, N), s: i64) -> (C: f32(M, N / s)) { S(m) +=! A(m, n); C(m, n) = A(m, s * n) - S(m); }",
        {"A": np.arange(40, dtype=f4).reshape(4, 10)}, ["--attr", "s=2"],
        {"C": np.arange(40, dtype=f4).reshape(4, 10)[:, ::2] - np.arange(40, dtype=f4).reshape(4, 10).sum(1, keepdims=True)}),  # fmt: skip
    # bf16 is compared as f32: what it holds, rounded once from the integer.
    **{f"{kind} to {half} in vectors": (f"def f(A: {kind}(M)) -> (C: f32(M)) {{ C(m) = cast<f32>(cast<{half}>(A(m))); }}", {"A": a}, [],
                                        {"C": rounded_to(half, a)})
       for kind, a in INTEGERS.items() for half in ("f16", "bf16")},  # fmt: skip
    # ---- operators and functions ----
    "precedence": ("def f(A: i32(M)) -> (C: i32(M)) { C(m) = 1 + 2 * A(m) << 1 & 0xff | 3 ^ 1; }", {"A": np.arange(6, dtype=i4)}, [],
                   {"C": (1 + 2 * np.arange(6, dtype=i4) << 1 & 0xFF | 3 ^ 1)}),
    "comparisons and logic": ("def f(A: f32(M)) -> (C: bool(M)) { C(m) = A(m) > -1 && !(A(m) >= 2) || A(m) == -2.5; }", {"A": F5}, [],
                              {"C": (F5 > -1) & ~(F5 >= 2) | (F5 == -2.5)}),
    "ternary": ("def f(A: f32(M)) -> (C: f32(M)) { C(m) = A(m) < 0 ? -A(m) : A(m) < 1 ? 0 : A(m); }", {"A": F5}, [],
                {"C": np.where(F5 < 0, -F5, np.where(F5 < 1, 0, F5))}),
    "right shift": ("def f(A: i32(M)) -> (C: i32(M)) { C(m) = A(m) >> 3; }", {"A": I5}, [], {"C": I5 >> 3}),
    "unsigned shift of signed": ("def f(A: i32(M)) -> (C: i32(M)) { C(m) = std_shrui(A(m), 3); }", {"A": I5}, [], {"C": (I5.view(u4) >> 3).view(i4)}),
    "rounding functions": ("def f(A: f32(M)) -> (C: f32(M), D: f32(M), E: f32(M), G: f32(M), H: f32(M)) "
                           "{ C(m) = ceil(A(m)); D(m) = floor(A(m)); E(m) = trunc(A(m)); G(m) = round(A(m)); H(m) = roundeven(A(m)); }",
                           {"A": F5}, [], {"C": np.ceil(F5), "D": np.floor(F5), "E": np.trunc(F5), "G": np.array([-3, -1, 1, 2, 3], f4), "H": np.rint(F5)}),
    "NaN and zeros in max": ("def f(A: f32(M), B: f32(M)) -> (C: f32(M)) { C(m) = 1 / max(A(m), B(m)); }",
                             {"A": np.array([np.nan, 1, -0.0, 0.0], f4), "B": np.array([1, np.nan, 0.0, -0.0], f4)}, [],
                             {"C": np.array([np.nan, np.nan, np.inf, np.inf], f4)}),
    "NaN and zeros in min": ("def f(A: f32(M), B: f32(M)) -> (C: f32(M)) { C(m) = 1 / min(A(m), B(m)); }",
                             {"A": np.array([np.nan, 1, -0.0, 0.0], f4), "B": np.array([1, np.nan, 0.0, -0.0], f4)}, [],
                             {"C": np.array([np.nan, np.nan, -np.inf, -np.inf], f4)}),
    "rem is fmod": ("def f(A: f32(M)) -> (C: f32(M)) { C(m) = A(m) % 2; }", {"A": F5}, [], {"C": np.fmod(F5, f4(2))}),
    "integer powers": ("def f(A: i32(M), B: i32(M)) -> (C: i32(M)) { C(m) = pow(A(m), B(m)); }",
                       {"A": np.array([2, -1, -1, 3, 0, 7], i4), "B": np.array([-1, -3, -2, 21, 0, 2], i4)}, [],
                       {"C": np.array([0, -1, 1, np.array(3**21 % 2**32, u4).view(i4), 1, 49], i4)}),
    "inf as a literal": ("def f(A: f32(M)) -> (C: f32(M)) { C(m) = A(m) > 0 ? inf : -inf; }", {"A": F5}, [], {"C": np.where(F5 > 0, np.inf, -np.inf).astype(f4)}),
    "hexadecimal": ("def f(A: u8(M)) -> (C: u8(M)) { C(m) = A(m) & 0x0F; }", {"A": U5}, [], {"C": U5 & 15}),
    # ---- einsum ----
    "einsum, diagonal": ("--einsum=ii->i", {"A": A34[:, :3], "O": None}, [], {"O": np.diag(A34[:, :3])}),
    "einsum, implicit output": ("--einsum=ba,cb", {"A": A34, "B": whole(f4, 2, 3)}, [], {"O": np.einsum("ba,cb", A34, whole(f4, 2, 3))}),
    "einsum, three inputs": ("--einsum=ij,jk,k->i", {"A": A34, "B": B45, "C": A5}, [], {"O": np.einsum("ij,jk,k->i", A34, B45, A5)}),
    "einsum, another type": ("--einsum=i,i->", {"A": I5, "B": I5}, ["--type", "T=i32"], {"O": np.einsum("i,i->", I5, I5)}),
    "einsum, static sizes": ("--einsum=mk,kn->mn", {"A": A34, "B": B45}, ["--dim", "m=3", "--dim", "k=4", "--dim", "n=5"], {"O": A34 @ B45}),
    "einsum, blanks and capitals": ("--einsum= aB , Bc -> a c ", {"A": A34, "B": B45}, [], {"O": A34 @ B45}),
}


def run(folder, name, engine):
    spec, inputs, flags, outputs = CASES[name]
    folder.mkdir(parents=True, exist_ok=True)
    if spec.startswith("--"):
        args = ["eval", spec]
    else:
        (folder / "s.tc").write_text(spec + "\n")
        args = ["eval", folder / "s.tc"]
    args += [f"--engine={engine}", *flags]
    for tensor, array in inputs.items():
        if array is None:
            continue
        np.save(folder / f"{tensor}.npy", array)
        args += ["--in", f"{tensor}={folder}/{tensor}.npy"]
    for tensor in outputs:
        args += ["--out", f"{tensor}={folder}/{tensor}.out.npy"]
    einc_tool.must(einc_tool.run(*args))
    for tensor, wanted in outputs.items():
        got = np.load(folder / f"{tensor}.out.npy")
        wanted = np.asarray(wanted).astype(got.dtype) if np.asarray(wanted).dtype.kind == got.dtype.kind else np.asarray(wanted)
        same = got.shape == wanted.shape and ((got == wanted) | ((got != got) & (wanted != wanted))).all()
        if not same:
            return f"{einc_tool.command_line(*args)}\n{tensor} is {got.tolist()}, not {wanted.tolist()}"
    return None


def main():
    cases, folder = einc_tool.Cases(), einc_tool.scratch()
    for name in CASES:
        for engine in ("reference", "native"):
            cases.run(f"{name}, {engine}", run, folder, name, engine)
    shutil.rmtree(folder)
    cases.finish()


if __name__ == "__main__":
    with np.errstate(all="ignore"):
        main()
