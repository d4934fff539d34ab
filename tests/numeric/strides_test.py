# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Operands that lie otherwise than the spec has them, and odd ops: all are vectors, and all compute what NumPy does.

Each def runs on views with strides of 2, negative ones, of 0, transposed, and with huge ones where there is one
position, mixed at random, flush against pages that nobody may touch. What the schedules say is looked at, too: nothing
but what is computed once, or from what was computed before it, is scalar loops on a target with vectors.
"""

import ctypes
import re

import numpy as np

from tests.numeric import abi, einc_tool, guarded

_F, _D, _H, _B, _I, _L, _Q = np.float32, np.float64, np.float16, np.bool_, np.int8, np.int64, np.int32


def _at(x, i, outside):
    """x[i], or `outside` beyond both ends."""
    return np.where((i >= 0) & (i < len(x)), x[np.clip(i, 0, len(x) - 1)], outside)


def _window(x):
    i = np.arange(len(x))
    return _at(x, i - 1, 0) + 2 * x + _at(x, i + 1, 0)


def _cross(x):
    wide = np.pad(x, 1)
    return wide[:-2, 1:-1] + wide[2:, 1:-1] + wide[1:-1, :-2] + wide[1:-1, 2:] - 4 * x


def _skewed(x, z):
    m, n = np.indices(z.shape)
    inside = m + n < x.shape[1]
    return np.where(inside, x[m, np.where(inside, m + n, 0)], 1) + z


# def: its text, the shapes of its operands (letters are sizes, "2N" twice one), their types, how to compute it.
_DEFS = {
    "copy": ("(A: f32(M, N)) -> (y: f32(M, N)) { y(m, n) = A(m, n); }", "MN MN", (_F, _F), lambda a: a),
    "add": ("(A: f32(M, N), B: f32(M, N)) -> (y: f32(M, N)) { y(m, n) = A(m, n) + B(m, n); }", "MN MN MN", (_F, _F, _F), lambda a, b: a + b),
    "narrow": ("(A: f32(M, N)) -> (y: i8(M, N)) { y(m, n) = cast<i8>(A(m, n)); }", "MN MN", (_F, _I), lambda a: a),
    "bytes": ("(A: i8(M, N), b: i8(N)) -> (y: i8(M, N)) { y(m, n) = max(A(m, n), b(n)); }", "MN N MN", (_I, _I, _I), np.maximum),
    "expm": ("(A: f64(M, N)) -> (y: f64(M, N)) { y(m, n) = exp(A(m, n)) / 3.0; }", "MN MN", (_D, _D), lambda a: np.exp(a) / 3),
    "rows": ("(A: f32(M, N)) -> (y: f32(M)) { y(m) += A(m, n); }", "MN M", (_F, _F), lambda a: a.sum(1)),
    "columns": ("(A: f64(M, N)) -> (y: f64(N)) { y(n) max=! A(m, n); }", "MN N", (_D, _D), lambda a: a.max(0)),
    "all": ("(A: i8(M, N)) -> (y: i32()) { y() += cast<i32>(A(m, n)); }", "MN ", (_I, _Q), lambda a: a.sum(dtype=_Q)),
    "product": ("(A: f32(M, N), x: f32(N)) -> (y: f32(M)) { y(m) += A(m, n) * x(n); }", "MN N M", (_F, _F, _F), lambda a, x: a @ x),
    "swapped": ("(A: f32(L, M, N)) -> (y: f32(L, N, M)) { y(l, n, m) = A(l, m, n); }", "LMN LNM", (_F, _F), lambda a: a.transpose(0, 2, 1)),
    "middle": ("(A: f32(L, M, N)) -> (y: f32(M)) { y(m) += A(l, m, n); }", "LMN M", (_F, _F), lambda a: a.sum((0, 2))),
    "outer_two": ("(A: f32(L, M, N)) -> (y: f32(N)) { y(n) min=! A(l, m, n); }", "LMN N", (_F, _F), lambda a: a.min((0, 1))),
    "diagonal": ("(A: f32(N, N)) -> (y: f32(N)) { y(i) = A(i, i); }", "NN N", (_F, _F), np.diag),
    "trace": ("(A: f32(N, N)) -> (y: f32()) { y() += A(i, i); }", "NN ", (_F, _F), np.trace),
    "antidiagonal": ("(A: f32(N, N)) -> (y: f32(N)) { y(i) = A(i, N - 1 - i); }", "NN N", (_F, _F), lambda a: np.diag(a[:, ::-1])),
    "diagonals": ("(A: f32(M, N, N)) -> (y: f32(M)) { y(m) += A(m, i, i); }", "MNN M", (_F, _F), lambda a: np.trace(a, axis1=1, axis2=2)),
    "even": ("(A: f32(E), b: f32(N)) -> (y: f32(N)) { y(i) = A(2 * i) + b(i); }", "2N N N", (_F, _F, _F), lambda a, b: a[::2] + b),
    "even_sum": ("(A: f32(E), b: f32(N)) -> (y: f32()) { y() += A(2 * i) * b(i); }", "2N N ", (_F, _F, _F), lambda a, b: a[::2] @ b),
    "positions": ("(A: f32(M, N)) -> (y: f32(M, N)) { y(i, j) = A(i, j) * cast<f32>(index(i) * index(j)); }", "MN MN", (_F, _F),
                  lambda a: a * np.indices(a.shape).prod(0)),
    "mod": ("(A: i32(N)) -> (y: i32(N)) { y(i) = A(i) + cast<i32>(index(i) % 7) - cast<i32>(index(i) / 3); }", "N N", (_Q, _Q),
            lambda a: a + np.arange(len(a)) % 7 - np.arange(len(a)) // 3),
    "mirrored": ("(A: f32(N)) -> (y: f32(N)) { y(i) = A(i) - A(N - 1 - i); }", "N N", (_F, _F), lambda a: a - a[::-1]),
    "window": ("(A: f32(N)) -> (y: f32(N)) { y(i) = (A(i - 1) else 0.0) + 2.0 * A(i) + (A(i + 1) else 0.0); }", "N N", (_F, _F), _window),
    "cross": ("(A: f32(M, N)) -> (y: f32(M, N)) { y(i, j) = (A(i - 1, j) else 0.0) + (A(i + 1, j) else 0.0) + "
              "(A(i, j - 1) else 0.0) + (A(i, j + 1) else 0.0) - 4.0 * A(i, j); }", "MN MN", (_F, _F), _cross),
    "skewed": ("(A: f32(M, N), B: f32(M, L)) -> (y: f32(M, L)) { y(m, l) = (A(m, m + l) else 1.0) + B(m, l); }", "MN ML ML", (_F, _F, _F), _skewed),
    "doubled": ("(A: f32(M, N), B: f32(P, E)) -> (y: f32(P, E)) { y(i, j) = A(i / 2, j / 2) + B(i, j); }", "MN 2M2N 2M2N", (_F, _F, _F),
                lambda a, b: a.repeat(2, 0).repeat(2, 1) + b),
    "around": ("(A: f32(M), b: f32(N)) -> (y: f32(N)) { y(i) = (A(i % 5) else 1.0) - b(i); }", "M N N", (_F, _F, _F),
               lambda a, b: _at(a, np.arange(len(b)) % 5, 1) - b),
    "lower": ("(A: f32(N, N)) -> (y: f32(N, N)) { y(i, j) = select(index(j) <= index(i), A(i, j), 0.0); }", "NN NN", (_F, _F), np.tril),
    "lower_sum": ("(A: f32(N, N)) -> (y: f32(N)) { y(i) += select(index(j) <= index(i), A(i, j), 0.0); }", "NN N", (_F, _F), lambda a: np.tril(a).sum(1)),
    "weighted": ("(A: f32(N)) -> (y: f32()) { y() += A(i) * cast<f32>(index(i)); }", "N ", (_F, _F), lambda a: a @ np.arange(len(a))),
    "distances": ("(A: f32(M, L), B: f32(N, L)) -> (y: f32(M, N)) { y(m, n) += abs(A(m, l) - B(n, l)); }", "ML NL MN", (_F, _F, _F),
                  lambda a, b: np.abs(a[:, None] - b).sum(2)),
    "lined": ("(A: f32(M, L), B: f32(L, M, N)) -> (y: f32(M, M, N)) { y(i, j, k) += A(i, l) * B(l, j, k); }", "ML LMN MMN", (_F, _F, _F),
              lambda a, b: np.einsum("il,ljk->ijk", a, b)),
    "lines_apart": ("(A: f32(L, L), B: f32(N, L, M)) -> (y: f32(N, L, M)) { y(i, j, k) += A(j, l) * B(i, l, k); }", "LL NLM NLM", (_F, _F, _F),
                    lambda a, b: np.einsum("jl,ilk->ijk", a, b)),
    "limited": ("(A: f32(M, N), t: f32(M)) -> (y: f32(M, N)) { y(m, n) = select(A(m, n) < t(m), t(m), A(m, n)); }", "MN M MN", (_F, _F, _F),
                lambda a, t: np.maximum(a, t[:, None])),
    "below": ("(A: f32(N), t: f32(N)) -> (y: bool(N)) { y(i) = A(i) < t(i); }", "N N N", (_F, _F, _B), np.less),
    "no_vectors": ("(A: f64(N)) -> (y: f64(N)) { y(i) = sin(A(i)) + atan2(A(i), 2.0); }", "N N", (_D, _D), lambda a: np.sin(a) + np.arctan2(a, 2)),
    "quotients": ("(A: i32(N), b: i32(N)) -> (y: i32(N)) { y(i) = A(i) / (b(i) * b(i) + 1); }", "N N N", (_Q, _Q, _Q),
                  lambda a, b: np.trunc(a / (b * b + 1))),
    "halves": ("(A: f16(N), b: f16(N)) -> (y: f16(N)) { y(i) = A(i) * b(i); }", "N N N", (_H, _H, _H), lambda a, b: a * b),
    "mixed": ("(A: i8(M, N), b: f32(N)) -> (y: f64(M)) { y(m) += cast<f64>(A(m, n)) * cast<f64>(b(n)); }", "MN N M", (_I, _F, _D), lambda a, b: a @ b),
    "two": ("(A: f32(N)) -> (y: f32(N), z: f64(N)) { y(i), z(i) = A(i) + 1.0, cast<f64>(A(i)) * 2.0; }", "N N N", (_F, _F, _D), lambda a: (a + 1, a * 2)),
    "moments": ("(A: f32(M, N)) -> (y: f32(M), z: f32(M)) { y(m), z(m) += A(m, n), A(m, n) * A(m, n); }", "MN M M", (_F, _F, _F),
                lambda a: (a.sum(1), (a * a).sum(1))),
    "ends": ("(A: f64(M, N)) -> (y: f64(), z: f64()) { y(), z() = std_minf<m, n>(A(m, n), y()), std_maxf<m, n>(A(m, n), z()); }", "MN  ", (_D, _D, _D),
             lambda a: (a.min(initial=0), a.max(initial=0))),
    "diagonal_of": ("(A: f32(M, N)) -> (y: f32(M, N, N)) { y(m, i, j) = select(index(i) == index(j), A(m, i), 0.0); }", "MN MNN", (_F, _F),
                    lambda a: a[:, :, None] * np.eye(a.shape[1], dtype=_F)),
    "before": ("(A: f32(N)) -> (y: f32()) { y() = std_subf<n>(A(n), y()); }", "N ", (_F, _F),
               lambda a: sum(v * (-1) ** (len(a) - 1 - i) for i, v in enumerate(a))),
}  # fmt: skip
_SPEC = "".join(f"def {name}{text}\n" for name, (text, *_) in _DEFS.items())
_LOOPS = {"before"}  # each result needs the one before it
_VECTORS = ["expm", "rows", "columns", "all", "product", "middle", "outer_two", "trace", "diagonals", "even_sum", "lower_sum", "weighted",
            "distances", "no_vectors", "quotients", "mixed", "moments"]  # fmt: skip
_GATHERS = {"around", "doubled"}  # elements here and there of which little is computed: loops of which C compilers make gathers
_ONCE = "it is computed once"


def strides_of(shape, is_output, how):
    """Strides, in elements, of a tensor that lies so."""
    order = list(range(len(shape)))[::-1]
    if how == "transposed":
        order.reverse()
    step, strides = 2 if how == "every second" else 1, [0] * len(shape)
    for d in order:
        strides[d] = step * (-1 if how == "reversed" else 1)
        step *= shape[d] + int(how == "gaps")
    if how == "in one place" and not is_output:
        strides[-1:] = [0] * len(strides[-1:])
    return strides


def described(tensor, rng):
    """Its descriptor. Where there is one position, any stride will do."""
    strides = [s if n != 1 else int(rng.choice([1, 0, -(2**61), 2**62])) for n, s in zip(tensor.shape, tensor.strides)]
    return abi.descriptor_words(tensor.data, 0, tensor.shape, strides)


_HOW = ["plain", "every second", "transposed", "reversed", "gaps", "in one place"]


def shape_of(text, sizes):
    return tuple(sizes[letter] * (2 if twice else 1) for twice, letter in re.findall("(2?)([A-Z])", text))


def run(library, name, sizes, hows, rng):
    """The kernel on operands that lie so; what is wrong with its results."""
    _, shapes, types, compute = _DEFS[name]
    shapes = [shape_of(text, sizes) for text in shapes.split(" ")]
    inputs = len(shapes) - name_outputs(name)
    tensors, values = [], []
    for i, (shape, dtype, how) in enumerate(zip(shapes, types, hows)):
        value = np.zeros(shape, dtype)
        if i < inputs:
            value = rng.integers(-3, 4, shape).astype(dtype)
            if how == "in one place" and shape:
                value[...] = value[..., :1]
            values.append(value)
        strides = strides_of(shape, i >= inputs, how)
        tensors.append(guarded.Tensor(value, strides, at_end=bool(rng.integers(2))))
    words = [described(t, rng) for t in tensors]
    status = library.kernel(name)(*[ctypes.byref(w) for w in words])
    wanted = compute(*values)
    wrong = f"status {status}" if status else None
    for tensor, want in zip(tensors[inputs:], wanted if isinstance(wanted, tuple) else (wanted,)):
        if wrong is None and not np.allclose(tensor.view, np.asarray(want).astype(tensor.dtype), rtol=1e-5, atol=1e-5):
            bad = np.argwhere(~np.isclose(tensor.view, want, rtol=1e-5, atol=1e-5))
            wrong = f"{len(bad)} wrong, first at {bad[0]}"
    for tensor in tensors:
        tensor.pages.close()
    return wrong and f"{wrong}: {sizes}, {hows}"


def name_outputs(name):
    return _DEFS[name][0].split("->")[1].split("{")[0].count(":")


def run_all(library, name, rng, count):
    for i in range(count):
        small, large = rng.choice([1, 2, 3, 5]), rng.choice([15, 16, 17, 33, 40, 67])
        sizes = {letter: int(rng.choice([small, large, rng.integers(1, 40)])) for letter in "LMN"}
        operands = len(_DEFS[name][2])
        hows = [_HOW[i]] * operands if i < 4 else [str(rng.choice(_HOW)) for _ in range(operands)]
        if wrong := run(library, name, sizes, hows, rng):
            return wrong
    return None


# Of an output without elements inputs may be shorter than their indices say: what is computed before a loop is not read then.
_NOTHING = """
def rows(A: f32(K), B: f32(M, N)) -> (C: f32(M, N)) { C(m, n) = B(m, n) * sqrt(A(m * 3000 + 1)); }
def columns(A: f32(K, N), B: f32(L, M, N)) -> (C: f32(L, M, N)) { C(l, m, n) = B(l, m, n) * sqrt(A(l * 3000 + 1, n)); }
def sums(A: f32(K, N), B: f32(L, M)) -> (C: f32(N)) { C(n) += log(A(l * 3000 + 1, n)) * B(l, m); }
def terms(A: f32(K, N), B: f32(L, M, P)) -> (C: f32(L, M, N)) { C(l, m, n) += B(l, m, p) * log(A(l * 3000 + 1, n)); }
"""
# Sums in a loop that is turned into a region of vectors.
_TERMS = """einc_schedule 1
schedule @terms for "x86-64-v3" {
  op 0 { when contiguous(A, n) and contiguous(C, n) { tile l by 1 tile m by 64 tile n by 8 vectorize (n: 8) } otherwise { loops } }
}
"""


def nothing_is_read(folder):
    spec = folder / "nothing.tc"
    spec.write_text(_NOTHING)
    (folder / "nothing.schedule").write_text(_TERMS)
    libraries = [(abi.build_shared_out(folder / "nothing", spec, ["rows", "columns", "sums"], 0, 1, "-O0"), ["rows", "columns", "sums"]),
                 (abi.build_sources(folder / "terms", "terms", [spec], "-O0", "--target=x86-64-v3", "--def=terms",
                                    f"--schedule={folder / 'nothing.schedule'}"), ["terms"])]  # fmt: skip
    library = abi.Several(libraries)
    for name, shapes in {"terms": [(1, 16), (9, 5, 0), (9, 5, 16)], "rows": [(1,), (9, 0), (9, 0)], "columns": [(1, 16), (9, 0, 16), (9, 0, 16)], "sums": [(1, 40), (9, 0), (40,)]}.items():
        tensors = [guarded.Tensor(np.ones(shape, np.float32)) for shape in shapes]
        words = [abi.descriptor_words(t.data, 0, t.shape, t.strides) for t in tensors]
        if status := library.kernel(name)(*[ctypes.byref(w) for w in words]):
            return f"{name}: status {status}"
    return None


def loops(target, files):
    """Defs that are scalar loops, and the reason that is given."""
    found = set()
    for file in files:
        done = einc_tool.must(einc_tool.run("explain", "--verbose", file, f"--target={target}"))
        name = None
        for line in done.stdout.splitlines():
            if match := re.match(r"(\w+), for ", line):
                name = match[1]
            if "no vectors: " in line and _ONCE not in line:
                found.add(f"{name}: {line.split('no vectors: ')[1]}")
    return found


def is_all_vectors(file):
    """With masks, no way that an op which computes much may take is scalar loops."""
    done = einc_tool.must(einc_tool.run("emit", "--stage=schedule", file, "--target=x86-64-v4"))
    ops = {kernel.split()[0]: kernel.split("// op ")[-1] for kernel in re.split(r"^schedule @", done.stdout, flags=re.MULTILINE)[1:]}
    return " ".join(name for name in _VECTORS if re.search(r"\bloops\b", ops[name])) or None


def main():
    cases, folder = einc_tool.Cases(), einc_tool.scratch()
    spec = folder / "odd.tc"
    spec.write_text(_SPEC)
    for target in ["x86-64-v2", "x86-64-v3", "x86-64-v4", "aarch64"]:
        known = _LOOPS | _GATHERS if target == "x86-64-v4" else _LOOPS
        found = {line for line in loops(target, [*einc_tool.specs(), spec]) if line.split(":")[0] not in known}
        cases.check(f"loops for {target}", "\n".join(sorted(found)) or None)
    cases.run("all vectors", is_all_vectors, spec)
    cases.run_apart("nothing is read", nothing_is_read, folder)
    names = sorted(_DEFS)
    for turn in range(3 if einc_tool.LONG else 2):
        library = abi.build_shared_out(folder / str(turn), spec, names, turn, 2, "-O0")
        for i, name in enumerate(names):
            cases.run(f"{name} {turn}", run_all, library, name, np.random.default_rng([i, turn]), 60 if einc_tool.LONG else 14)
    cases.finish()


if __name__ == "__main__":
    main()
