# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""What is larger than the caches is written around them: maps and transposes of some MiB compute what NumPy does.

Outputs begin at any address, have gaps between their lines or none, and are of all widths; the interpreter runs the
same code at each level, on one case.
"""

import math

import numpy as np

from tests.numeric import abi, einc_tool

_SPEC = """
def add<T>(A: T(M, N), B: T(M, N)) -> (C: T(M, N)) { C(m, n) = A(m, n) + B(m, n); }
def row<T>(A: T(N), S: T(M)) -> (C: T(M, N)) { C(m, n) = A(n) * S(m); }
def lengths<T>(A: T(M, N), x: T(N)) -> (C: T(M, N)) { C(m, n) = A(m, n) * sqrt(x(n) * x(n)); }
def copy<T>(A: T(N)) -> (C: T(N)) { C(n) = A(n); }
def ba<T>(A: T(M, N)) -> (C: T(N, M)) { C(n, m) = A(m, n); }
def sum_ba<T>(A: T(M, N), B: T(M, N)) -> (C: T(N, M)) { C(n, m) = A(m, n) + B(m, n); }
def mixed<T>(A: T(M, N), B: T(N, M)) -> (C: T(N, M)) { C(n, m) = A(m, n) * B(n, m) - A(m, n); }
def mixed_acb<T>(A: T(K, M, N), B: T(K, N, M)) -> (C: T(K, N, M)) { C(k, n, m) = A(k, m, n) - B(k, n, m); }
def minus<T>(A: T(M, N), x: T(N)) -> (C: T(M)) { C(n_block) -= A(n_block, n) * x(n); }
def cba<T>(A: T(K, M, N)) -> (C: T(N, M, K)) { C(n, m, k) = A(k, m, n); }
def acb<T>(A: T(K, M, N)) -> (C: T(K, N, M)) { C(k, n, m) = A(k, m, n); }
def add_bac<T>(A: T(K, M, N), B: T(K, M, N)) -> (C: T(M, K, N)) { C(m, k, n) = A(k, m, n) + B(k, m, n); }
def bac<T>(A: T(K, M, N)) -> (C: T(M, K, N)) { C(m, k, n) = A(k, m, n); }
def dcba<T>(A: T(J, K, M, N)) -> (C: T(N, M, K, J)) { C(n, m, k, j) = A(j, k, m, n); }
def dbca<T>(A: T(J, K, M, N)) -> (C: T(N, K, M, J)) { C(n, k, m, j) = A(j, k, m, n); }
def spread<T>(A: T(N, M), B: T(K)) -> (C: T(M, K, N)) { C(m, k, n) = A(n, m) - B(k); }
def both<T>(A: T(N, N), B: T(N, N), c: T(K)) -> (C: T(N, K, N)) { C(m, k, n) = A(n, m) + A(m, n) - B(n, m) * c(k); }
def to_f16<T>(A: T(M, N)) -> (C: f16(M, N)) { C(m, n) = cast<f16>(A(m, n)); }
def to_f32<T>(A: T(M, N)) -> (C: f32(M, N)) { C(m, n) = cast<f32>(A(m, n)); }
def to_i8<T>(A: T(M, N)) -> (C: i8(M, N)) { C(m, n) = cast<i8>(A(m, n)); }
def transposed_f32<T>(A: T(K, M, N)) -> (C: f32(K, N, M)) { C(k, n, m) = cast<f32>(A(k, m, n)); }
def down<T>(A: T(M, N)) -> (C: T(N)) { C(m_line) += A(m, m_line); }
def down_both<T>(A: T(H, W, N)) -> (C: T(N)) { C(n) += A(h, w, n); }
def window<T>(A: T(H, W, N), B: T(P, Q)) -> (C: T(U, V, N)) { C(u, v, n) += A(u + p, v + q, n); }
def times<T>(x: T(M), A: T(M, N)) -> (C: T(N)) { C(n) += x(m) * A(m, n); }
def by_sums<T>(A: T(M, N)) -> (C: T(M, N)) { S(m) +=! A(m, n); C(m, n) = A(m, n) * S(m); }
"""
_WANTED = {
    "add": lambda a, b: a + b, "row": lambda a, s: np.outer(s, a), "copy": lambda a: a, "ba": lambda a: a.T,
    "lengths": lambda a, x: a * np.abs(x),
    "sum_ba": lambda a, b: (a + b).T, "mixed": lambda a, b: a.T * b - a.T,
    "mixed_acb": lambda a, b: a.transpose(0, 2, 1) - b, "cba": lambda a: a.transpose(2, 1, 0), "bac": lambda a: a.transpose(1, 0, 2),
    "acb": lambda a: a.transpose(0, 2, 1), "add_bac": lambda a, b: (a + b).transpose(1, 0, 2),
    "dcba": lambda a: a.transpose(3, 2, 1, 0), "dbca": lambda a: a.transpose(3, 1, 2, 0),
    "spread": lambda a, b: a.T[:, None, :] - b[None, :, None],
    "both": lambda a, b, c: (a.T + a)[:, None, :] - b.T[:, None, :] * c[None, :, None],
    "to_f16": lambda a: a, "to_f32": lambda a: a, "to_i8": lambda a: a, "transposed_f32": lambda a: a.transpose(0, 2, 1),
    "minus": lambda a, x: -(a @ x), "down": lambda a: a.sum(0), "down_both": lambda a: a.sum((0, 1)),
    "window": lambda a, b: a[:b.shape[0], :b.shape[1]].sum((0, 1), keepdims=True), "times": lambda x, a: x @ a,
    "by_sums": lambda a: a * a.sum(1, keepdims=True, dtype=a.dtype),
}  # fmt: skip
_RESULTS = {"to_f16": np.float16, "to_f32": np.float32, "to_i8": np.int8, "transposed_f32": np.float32}  # others': as the inputs
_TYPES = {"f32": np.float32, "f64": np.float64, "i16": np.int16, "i8": np.int8, "i64": np.int64}
# Sizes of the inputs: above 8 MiB in the narrowest type that they are used with, at the edges of vectors and tiles; and some of
# short lines, which are done together.
_CASES = [
    ("add", "f32", [(1031, 2303), (1031, 2303)]), ("add", "f64", [(21000, 65), (21000, 65)]),
    ("add", "i16", [(4111, 1201), (4111, 1201)]), ("row", "f32", [(2049,), (1100,)]), ("row", "i8", [(9001,), (1009,)]),
    ("copy", "f64", [(1200001,)]), ("copy", "f32", [(2300003,)]), ("copy", "i8", [(9000001,)]),
    ("ba", "f32", [(1501, 1503)]), ("ba", "f32", [(1504, 1520)]), ("ba", "f64", [(1033, 1160)]), ("ba", "i16", [(2051, 2077)]),
    ("ba", "f32", [(4200, 521)]), ("ba", "i8", [(131, 66001)]), ("ba", "f64", [(66, 16001)]), ("ba", "f32", [(64, 33333)]),
    ("ba", "f32", [(7, 330001)]), ("ba", "f32", [(330001, 5)]), ("sum_ba", "f64", [(1033, 1160), (1033, 1160)]),
    ("mixed", "f32", [(1501, 1503), (1503, 1501)]), ("mixed", "f64", [(66, 16001), (16001, 66)]),
    ("mixed", "i16", [(53, 71), (71, 53)]), ("mixed_acb", "f32", [(130, 133, 150), (130, 150, 133)]),
    ("mixed_acb", "i8", [(2, 33, 70), (2, 70, 33)]), ("mixed_acb", "f64", [(7, 5, 9), (7, 9, 5)]),
    ("cba", "f32", [(130, 131, 137)]), ("cba", "i64", [(96, 110, 112)]), ("cba", "f32", [(3, 901, 902)]),
    ("acb", "f32", [(7, 521, 640)]), ("acb", "f32", [(7, 528, 641)]), ("acb", "f64", [(13, 300, 301)]), ("acb", "f32", [(9, 64, 4097)]),
    ("acb", "f32", [(1, 1040, 2049)]), ("acb", "f32", [(1, 1033, 2048)]), ("add_bac", "f32", [(130, 133, 150), (130, 133, 150)]),
    ("bac", "f32", [(130, 133, 150)]), ("dcba", "f32", [(40, 41, 37, 39)]), ("dcba", "f64", [(16, 48, 32, 64)]),
    ("dcba", "f32", [(1, 1501, 1, 1503)]), ("dbca", "f32", [(40, 41, 37, 39)]),
    ("spread", "f32", [(130, 71), (9,)]), ("spread", "i8", [(300, 131), (260,)]), ("spread", "f64", [(1, 1), (1,)]),
    ("spread", "i16", [(65, 1), (3,)]), ("spread", "f32", [(33, 64), (1,)]), ("both", "f32", [(35, 35), (35, 35), (5,)]),
    ("to_f16", "f32", [(4200, 1001)]), ("to_f32", "f64", [(2100, 1003)]), ("to_i8", "f32", [(9001, 1001)]),
    ("transposed_f32", "f64", [(7, 521, 640)]), ("transposed_f32", "f64", [(7, 533, 641)]), ("to_i8", "i64", [(8900, 1007)]),
    ("down", "f64", [(123, 3333)]), ("down", "i64", [(17, 8)]), ("times", "f64", [(77,), (77, 1601)]),
    ("minus", "f32", [(37, 1001), (1001,)]), ("minus", "f64", [(3, 70), (70,)]), ("minus", "i64", [(5, 33), (33,)]),
    ("lengths", "f32", [(130, 13), (13,)]), ("lengths", "f32", [(64, 16), (16,)]), ("lengths", "f64", [(65, 33), (33,)]),
    ("lengths", "f32", [(3, 100), (100,)]), ("lengths", "f32", [(5000, 700), (700,)]), ("add", "f32", [(65, 31), (65, 31)]),
    ("add", "i8", [(130, 7), (130, 7)]), ("row", "f32", [(24,), (150,)]), ("add", "i16", [(63, 48), (63, 48)]),
    ("down", "i64", [(3, 70)]), ("down", "f64", [(4, 65)]), ("times", "f32", [(2,), (2, 71)]), ("times", "f32", [(1,), (1, 9)]),
]  # fmt: skip
# Lines that are whole vectors, or nearly so, and begin at vectors, or do not.
_LINES = [("by_sums", "f32", 33000, 64), ("by_sums", "f32", 131073, 16), ("by_sums", "f32", 2051, 1024), ("by_sums", "f64", 30001, 72),
          ("by_sums", "f32", 33000, 65), ("by_sums", "i16", 131100, 32), ("to_i8", "f32", 131073, 64), ("to_f16", "f32", 66001, 48),
          ("add", "f32", 66001, 32)]
# Before and behind each line, in elements: lines that begin at a line of memory and lie whole lines apart; that do not lie so; that
# do not begin so.
_GAPS = {"at lines": (64, 64), "lines apart": (64, 20), "beside lines": (3, 61)}


def zeros(shape, dtype):
    """They begin at a line of memory."""
    count = math.prod(shape)
    memory = np.zeros(count + 64, dtype)
    first = -memory.ctypes.data % 64 // memory.itemsize
    return memory[first : first + count].reshape(shape)


def placed(shape, dtype, how, rng):
    """A larger array, and the index that takes one of this shape out of it: as Python has it, and as text."""
    if how in _GAPS:
        before, gap = _GAPS[how]
        whole = zeros((*shape[:-1], before + shape[-1] + gap), dtype)
        return whole, (..., slice(before, before + shape[-1])), ""
    before, gap = (0, 0) if how == "whole" else (int(rng.integers(1, 40)), 0 if how == "moved" else int(rng.integers(1, 70)))
    if how == "gaps":
        whole = zeros((*shape[:-1], before + shape[-1] + gap), dtype)
        return whole, (..., slice(before, before + shape[-1])), f"[{':, ' * (len(shape) - 1)}{before}:{before + shape[-1]}]"
    # Moved: one more line before it.
    whole = zeros((shape[0] + before, *shape[1:]), dtype)
    return whole, (slice(before, None),), f"[{before}:]"


def wanted_defs():
    """(type, target) -> the defs that the cases want of it."""
    result = {}
    for name, kind, target, *_ in [*native_cases(), *line_cases()]:
        result.setdefault((kind, target), set()).add(name)
    return result


def native_cases():
    for i, (name, kind, shapes) in enumerate(_CASES):
        for how in ["whole", "moved", "gaps"] if i % 3 == 0 or einc_tool.LONG else [["moved", "gaps"][i % 2]]:
            yield name, kind, ["native", "x86-64-v2", "x86-64-v3"][(i + len(how)) % 3] if einc_tool.LONG or i % 3 == 0 else "native", shapes, how


def line_cases():
    for name, kind, m, n in _LINES:
        for how in ["whole", "moved", "gaps", *_GAPS]:
            yield name, kind, "native", [(m, n)] * (2 if name == "add" else 1), how


def build(folder, spec, kind, target, names):
    return abi.build_sources(folder / f"{kind}{target}", "streams", [spec], "-O0", f"--type=T={kind}", f"--target={target}",
                             *[f"--def={name}" for name in sorted(names)])


def called(library, name, kind, shapes, how, rng):
    """The kernel on arrays in this process; what is wrong with its result, and with what lies beside it."""
    inputs = [rng.integers(-4, 5, shape, _TYPES[kind]) if kind[0] == "i" else rng.integers(-4, 5, shape, np.int8).astype(_TYPES[kind])
              for shape in shapes]
    wanted = _WANTED[name](*inputs).astype(_RESULTS.get(name, _TYPES[kind]))
    whole, place, _ = placed(wanted.shape, wanted.dtype, how, rng)
    status = library.kernel(name)(*map(abi.describe, inputs), abi.describe(whole[place]))
    if status:
        return f"status {status}"
    bad = np.argwhere(whole[place] != wanted)
    if len(bad):
        return f"{len(bad)} wrong, first at {bad[0]}"
    whole[place] = 0
    return "something beside the output is written" if whole.any() else None


def case(folder, spec, name, kind, shapes, how, engine, target, rng, fixed=()):
    dtype = _TYPES[kind]
    inputs = [rng.integers(-4, 5, shape).astype(dtype) for shape in shapes]
    dtype = _RESULTS.get(name, dtype)
    wanted = _WANTED[name](*inputs).astype(dtype)
    args = ["eval", spec, "--def", name, "--type", f"T={kind}", f"--engine={engine}"]
    args += [f"--target={target}"] if target else []
    for dim in fixed:
        args += ["--dim", dim]
    operands = {"row": "AS", "times": "xA", "minus": "Ax"}.get(name, "AB")
    for operand, array in zip(operands, inputs):
        np.save(folder / f"{operand}.npy", array)
        args += ["--in", f"{operand}={folder}/{operand}.npy"]
    whole, place, index = placed(wanted.shape, dtype, how, rng)
    np.save(folder / "C.npy", whole)
    args += ["--in", f"C={folder}/C.npy{index}", "--out", f"C={folder}/result.npy"]
    einc_tool.must(einc_tool.run(*args))
    whole[place] = wanted  # and nothing beside it
    bad = np.argwhere(np.load(folder / "result.npy") != whole)
    return f"{len(bad)} wrong, first at {bad[0]}\n{einc_tool.command_line(*args)}" if len(bad) else None


def main():
    cases = einc_tool.Cases()
    folder = einc_tool.scratch()
    spec = folder / "streams.tc"
    spec.write_text(_SPEC)
    rng = np.random.default_rng(4)
    libraries = {(kind, target): build(folder, spec, kind, target, names) for (kind, target), names in wanted_defs().items()}
    cases.run_all_apart([(f"{name} {kind} {shapes} {how} {target}", called, libraries[kind, target], name, kind, shapes, how, rng)
                         for name, kind, target, shapes, how in [*native_cases(), *line_cases()]])
    for engine in ["tiled", "vector", "hw"]:
        for name, shapes in [("ba", [(1024, 1040)]), ("copy", [(1048600,)]), ("mixed", [(41, 50), (50, 41)])]:
            cases.run(f"{name} {engine}", case, folder, spec, name, "f64", shapes, "whole", engine, "x86-64-v4", rng)
    # Lines that share sets of the first cache, known to do so.
    for m, n, kind, how in [(300, 8193, "f32", "moved"), (1201, 2049, "f64", "gaps"), (521, 4095, "f32", "whole")]:
        cases.run(f"ba {m} {n} {kind} {how} fixed", case, folder, spec, "ba", kind, [(m, n)], how, "native", "", rng, (f"M={m}", f"N={n}"))
    # Sums over rows and columns, some columns at once: as many as there are, or four and what is left.
    for h, w, n, kind in [(7, 7, 70, "f64"), (3, 5, 1100, "i64"), (2, 4, 33, "f32"), (5, 1, 64, "f64"), (1, 6, 9, "f32"), (9, 14, 40, "f32")]:
        cases.run(f"down_both {h} {w} {n} {kind}", case, folder, spec, "down_both", kind, [(h, w, n)], "gaps", "native", "", rng)
        fixed = (f"H={h}", f"W={w}", f"N={n}")
        cases.run(f"down_both {h} {w} {n} {kind} fixed", case, folder, spec, "down_both", kind, [(h, w, n)], "moved", "native", "", rng, fixed)
        fixed = (*fixed, f"P={h}", f"Q={w}", "U=1", "V=1")
        cases.run(f"window {h} {w} {n} {kind}", case, folder, spec, "window", kind, [(h, w, n), (h, w)], "whole", "native", "", rng, fixed)
    # Half of that cache: squares are joined.
    cases.run("ba joined", case, folder, spec, "ba", "f64", [(67, 8001)], "whole", "hw", "znver4", rng)
    cases.finish()


if __name__ == "__main__":
    main()
