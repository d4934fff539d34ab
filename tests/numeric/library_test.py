# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Calls of libraries (--lib): which ops become which, what they compute, and which path runs.

  matching  statements that a BLAS computes, up to renaming, permuting and merging of iterators, and near misses
  values    einsum strings over any strides, sizes from 0 on, NaN where the result overwrites; against NumPy
  paths     calls are counted by functions of the same names that stand before the library's
  explained what NAME_explain says is what these counters say
  programs  both libraries in one
  exports   kernels under the names of a CBLAS (--export=cblas), beside one
"""

import argparse
import ctypes
import os
import re
import shutil
import subprocess
import sys

import numpy as np

from tests.numeric import abi, compilers, einc_tool, levels_test

# ---- Matching: signature and statements, the function (with its letters) or what is said of the first statement. ----

_MM = "A: f32(M, K), B: f32(K, N)) -> (C: f32(M, N))"
_MATCHES = [
    (f"({_MM}", "C(m, n) += A(m, k) * B(k, n);", "gemm, m = {m}, n = {n}, k = {k}"),
    ("(A: f64(M, K), B: f64(K, N)) -> (C: f64(M, N))", "C(i, j) += B(l, j) * A(i, l);", "gemm, m = {j}, n = {i}, k = {l}"),
    (f"({_MM}", "C(m, n) -= A(m, k) * B(k, n);", "gemm, m = {m}, n = {n}, k = {k}"),
    (f"({_MM}", "C(m, n) += 2.5 * A(m, k) * -B(k, n);", "gemm, m = {m}, n = {n}, k = {k}"),
    (f"({_MM}", "C(m, n) = 0.0; C(m, n) += A(m, k) * B(k, n);", "gemm, m = {m}, n = {n}, k = {k}"),
    ("(A: f32(J, A0, B0), B: f32(B0, K, A0)) -> (C: f32(K, J))", "C(k, j) += A(j, a, b) * B(b, k, a);",
     "gemm, m = {j}, n = {k}, k = {a}, in loops over what is left"),
    ("(A: f32(X, Y, K), B: f32(K, U, V)) -> (C: f32(X, Y, U, V))", "C(x, y, u, v) += A(x, y, k) * B(k, u, v);",
     "gemm, m = {x, y}, n = {u, v}, k = {k}"),
    ("(A: f32(Z, M, K), B: f32(Z, K, N)) -> (C: f32(Z, M, N))", "C(z, m, n) += A(z, m, k) * B(z, k, n);",
     "gemm, m = {m}, n = {n}, k = {k}, in loops over what is left"),
    ("(A: f32(M, K), x: f32(K)) -> (y: f32(M))", "y(m) += A(m, k) * x(k);", "gemv, m = {m}, k = {k}"),
    ("(x: f32(K), A: f32(K, M)) -> (y: f32(M))", "y(m) += x(k) * A(k, m);", "gemv, m = {m}, k = {k}"),
    ("(x: f32(M), y: f32(N)) -> (A: f32(M, N))", "A(m, n) += x(m) * y(n);", "ger, m = {m}, n = {n}"),
    ("(x: f64(M, N), y: f64(M, N)) -> (s: f64())", "s() += x(i, j) * y(i, j);", "dot, k = {i, j}"),
    ("(x: f32(M)) -> (s: f32())", "s() += x(i) * x(i);", "dot, k = {i}"),
    ("(x: f32(M)) -> (s: f32())", "s() += x(i);", "sum, k = {i}"),
    ("(x: f32(M, N), a: f32) -> (y: f32(M, N))", "y(i, j) = y(i, j) + a * x(i, j);", "axpy, m = {i, j}"),
    ("(a: f32) -> (x: f32(M))", "x(i) = a * x(i);", "scal, m = {i}"),
    ("(x: f32(M, N)) -> (y: f32(M, N))", "y(i, j) = x(i, j);", "copy, m = {i, j}"),
    ("(x: f32(M, N)) -> (y: f32(N, M))", "y(j, i) = 3.0 * x(i, j);", "omatcopy, m = {i}, n = {j}"),
    ("(x: f32(A, B, C)) -> (y: f32(C, A, B))", "y(c, a, b) = x(a, b, c);", "omatcopy, m = {a, b}, n = {c}"),
]
_MISSES = [
    (f"({_MM[:-len(') -> (C: f32(M, N))')]}, D: f32(K)) -> (C: f32(M, N))", "C(m, n) += A(m, k) * B(k, n) * D(k);", "product of 3 operands"),
    (f"({_MM}", "C(m, n) = C(m, n) * 2.0; C(m, n) max= A(m, k) * B(k, n);", "its payload is no sum of products"),
    (f"({_MM}", "C(m, n) = std_subf<k>(std_mulf(A(m, k), B(k, n)), C(m, n));", "its payload is no sum of products"),
    ("(A: f32(M, K), B: f32(N)) -> (C: f32(M, N))", "C(m, n) += A(m, k) * B(n);", "iterator 'k' is in A alone"),
    ("(A: f32(M), B: f32(M)) -> (C: f32(M))", "C(m) += A(m) * B(m);", "it multiplies element by element"),
    ("(A: i32(M, K), B: i32(K, N)) -> (C: i32(M, N))", "C(m, n) += A(m, k) * B(k, n);", "a BLAS has f32 and f64"),
    ("(A: f32(M, K), B: f32(K, N)) -> (C: f64(M, N))", "C(m, n) += cast<f64>(A(m, k)) * cast<f64>(B(k, n));", "types would have to be the same"),
    ("(A: f32(M, K)) -> (C: f32(M))", "C(m) += A(m, k);", "a BLAS does so along all"),
    ("(A: f32(M), B: f32(M)) -> (C: f32(M))", "C(m) = A(m) * B(m);", "none that it does not add"),
    (f"({_MM}", "C(m, n) += abs(A(m, k)) * B(k, n);", "its payload is no sum of products"),
    (f"({_MM}", "C(m, n) += A(m, k) * B(k, n) * cast<f32>(index(k));", "its payload is no sum of products"),
    ("(x: f32(M)) -> (y: f32(M, N))", "y(m, n) = x(m) ;", "iterator 'n' "),
    ("(x: f32(K), A: f32(N, P)) -> (y: f32(N))", "y(n) += x(k) * A(n, k);", "name both sizes alike"),
    (f"({_MM}", "C(m, n) += 0.0 * A(m, k) * B(k, n);", "its factor is 0"),
    (f"(a: f32, b: f32, {_MM}", "C(m, n) += (a * A(m, k)) * (b * B(k, n));", "it has several factors"),
    ("(A: f32()) -> (C: f32())", "C() = A();", "it is of one element"),
    ("() -> (C: f32(M))", "C(m) = 0.0 * C(m);", "its factor is 0"),
]
# What cblas has, and BLIS not.
_NOT_IN_BLIS = [
    ("(A: f32(M, K), x: f32(K)) -> (y: f32(M))", "y(m) += A(m, k) * x(k);", "blis leaves out NaN and infinities that meet a zero"),
    ("(x: f32(M), y: f32(N)) -> (A: f32(M, N))", "A(m, n) += x(m) * y(n);", "blis leaves out NaN and infinities that meet a zero"),
    ("(x: f32(M, N)) -> (y: f32(N, M))", "y(j, i) = 3.0 * x(i, j);", "blis has no function that transposes"),
]
# What the reasons say would mend it does.
_MENDED = [
    (f"({_MM[:-len(') -> (C: f32(M, N))')]}, D: f32(K)) -> (C: f32(M, N))",
     "local P: f32(M, K); P(m, k) = A(m, k) * D(k); C(m, n) += P(m, k) * B(k, n);", "gemm, m = {m}, n = {n}, k = {k}"),
    ("(A: f32(M, K), ones: f32(K)) -> (C: f32(M))", "C(m) += A(m, k) * ones(k);", "gemv, m = {m}, k = {k}"),
    ("(A: f32(M, K), B: f32(N)) -> (C: f32(M, N))", "local s: f32(M); s(m) +=! A(m, k); C(m, n) += s(m) * B(n);", "ger, m = {m}, n = {n}"),
    (f"(a: f32, {_MM}", "C(m, n) += (a * A(m, k)) * B(k, n);", "gemm, m = {m}, n = {n}, k = {k}"),
]


def explained(folder, signature, statements, library):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "s.tc").write_text(f"def f{signature} {{ {statements} }}\n")
    result = einc_tool.run("explain", "--verbose", folder / "s.tc", f"--lib={library}", "--target=x86-64-v3")
    return result.stdout if result.returncode == 0 else result.stderr


def matches(folder, signature, statements, function):
    text = explained(folder, signature, statements, "cblas")
    return None if f"first cblas is asked: {function}\n" in text else f"{statements}\n{text}"


def misses(folder, signature, statements, reason, library="cblas"):
    text = explained(folder, signature, statements, library)
    lines = [line for line in text.splitlines() if f"no call of {library}" in line]
    return None if "is asked" not in text.split("no call")[-1] and any(reason in line for line in lines) else f"{statements}\n{text}"


def named(library, variables, pattern):
    """The library here, and the kernels that it runs."""
    result = einc_tool.run("explain", "--einsum=mk,kn->mn", f"--lib={library}", env={**os.environ, **variables})
    first = result.stdout.partition("\n")[0]
    return None if re.fullmatch(pattern, first) else f"{first}\n{result.stderr}"


_NAMES = [
    ("cblas", {"OPENBLAS_CORETYPE": "Nehalem"}, r"cblas here: OpenBLAS [0-9.]+, Nehalem kernels"),
    ("cblas", {}, r"cblas here: OpenBLAS [0-9.]+, \w+ kernels"),
    ("blis", {}, r"blis here: BLIS [0-9.]+, \w+ kernels"),
    ("blis", {"BLIS_ARCH_TYPE": "1"}, r"blis here: (one that ends its process: .*|BLIS [0-9.]+, \w+ kernels)"),  # it may abort
]

def scheduled(folder, flags, calls, asked):
    """A printed schedule gives the same code, and `library = none` no call."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "s.tc").write_text("""
def f(A: f32(M, K), B: f32(K, N), b: f32(N)) -> (C: f32(M, N)) { C(m, n) +=! A(m, k) * B(k, n); C(m, n) = max(C(m, n) + b(n), 0.0); }
""")
    args = ["emit", folder / "s.tc", "--target=x86-64-v4", *flags]
    schedule = einc_tool.must(einc_tool.run(*args, "--stage=schedule")).stdout
    if schedule.count("library = cblas") != calls:
        return schedule
    (folder / "s.sched").write_text(schedule if asked else schedule.replace("library = cblas", "library = none"))
    plain, again = (einc_tool.must(einc_tool.run(*args, "--stage=tiled", *more)).stdout for more in ([], [f"--schedule={folder}/s.sched"]))
    if asked:
        return None if plain == again else again
    return again if "library cblas" in again or "library cblas" not in plain else None


# ---- Values ----

_STRINGS = [
    "mk,kn->mn", "mk,nk->mn", "km,kn->nm", "km,nk->mn", "bmk,bkn->bmn", "abk,kcd->abcd", "abj,bka->jk", "akb,ckd->cbad",
    "mkl,nkl->mn", "mlk,nkl->mn", "fbea,ecfd->dcba", "mk,k->m", "km,k->m", "k,mk->m", "zmk,k->zm", "i,i->", "ij,ij->", "ij,ji->",
    "ij->", "i->", "m,n->mn", "m,n->nm", "ij->ij", "ij->ji", "abc->bca", "abc->acb",
]
_TARGET = "--target=x86-64-v3"  # calls are the same for all, and AVX-512 beside them takes longest to compile
_SIZES = [0, 1, 1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 31]
# Shapes of A, B and C, the statements, and the result of the factor and the arrays; `s` is -1, or 1 where all are
# magnitudes. The first group overwrites.
_OVERWRITES = {
    "gemm": (["MK", "KN", "MN"], "C(m, n) +=! a * A(m, k) * B(k, n);", lambda a, A, B, C, s: a * (A @ B)),
    "gemv": (["MK", "K", "M"], "C(m) +=! a * A(m, k) * B(k);", lambda a, A, B, C, s: a * (A @ B)),
    "dot": (["K", "K", ""], "C() +=! a * A(k) * B(k);", lambda a, A, B, C, s: a * (A @ B)),
    "copy": (["MN", None, "MN"], "C(m, n) = A(m, n);", lambda a, A, B, C, s: A),
    "omatcopy": (["NM", None, "MN"], "C(m, n) = a * A(n, m);", lambda a, A, B, C, s: a * A.T),
}
_FORMS = _OVERWRITES | {
    "gemm with beta": (["MK", "KN", "MN"], "C(m, n) = a * C(m, n); C(m, n) -= A(m, k) * B(k, n);",
                       lambda a, A, B, C, s: a * C + s * (A @ B)),
    "gemv with beta": (["KM", "K", "M"], "C(m) = a * C(m); C(m) += A(k, m) * B(k);", lambda a, A, B, C, s: a * C + A.T @ B),
    "batched gemm": (["NMK", "NKM", "NMM"], "C(z, m, n) += a * A(z, m, k) * B(z, k, n);", lambda a, A, B, C, s: C + a * (A @ B)),
    "ger": (["M", "N", "MN"], "C(m, n) += a * A(m) * B(n);", lambda a, A, B, C, s: C + a * np.outer(A, B)),
    "sum": (["MN", None, ""], "C() += a * A(m, n);", lambda a, A, B, C, s: C + a * A.sum()),
    "axpy": (["MN", None, "MN"], "C(m, n) = C(m, n) - a * A(m, n);", lambda a, A, B, C, s: C + s * a * A),
    "scal": ([None, None, "MN"], "C(m, n) = a * C(m, n);", lambda a, A, B, C, s: a * C),
}


def form(folder, name, library, rng, dtype, sizes, factor, views, env=None):
    folder.mkdir(parents=True, exist_ok=True)
    shapes, statements, wanted = _FORMS[name]
    declared = {t: f"{t}: T({', '.join(shape)})" for t, shape in zip("ABC", shapes) if shape is not None}
    inputs = [text for t, text in declared.items() if t != "C"] + ["a: T"]
    (folder / "s.tc").write_text(f"def f<T = f32>({', '.join(inputs)}) -> ({declared['C']}) {{ {statements} }}\n")
    args = ["eval", folder / "s.tc", f"--lib={library}", "--engine=native", _TARGET, "--type", f"T={'f64' if dtype == np.float64 else 'f32'}"]
    args += ["--attr", f"a={factor}", "--out", f"C={folder}/result.npy"]
    arrays = []
    for tensor, shape in zip("ABC", shapes):
        array = rng.standard_normal([sizes[i] for i in shape or ""]).astype(dtype)
        if tensor == "C" and name in _OVERWRITES:
            array = np.full_like(array, np.nan)
        if shape is not None:
            args += ["--in", levels_test.saved(folder, tensor, array, rng, not views)]
            view = args[-1].partition(".npy")[2]
        arrays.append(array.astype(np.float64))
    einc_tool.must(einc_tool.run(*args, env=env))
    if name in _OVERWRITES:
        arrays[2][...] = 0
    want, weight = wanted(factor, *arrays, -1), wanted(abs(factor), *map(np.abs, arrays), 1)
    roundings = (max(sizes["K"], sizes["M"] * sizes["N"] if name == "sum" else 0) + 4) * np.finfo(dtype).eps
    got = eval(f"result{view}", {"result": np.load(folder / "result.npy")})  # of the whole array, the output's view
    bad = np.argwhere(~(np.abs(got - want) <= roundings * weight))
    return f"{len(bad)} wrong\n{einc_tool.command_line(*args)}" if len(bad) else None


def special(folder, name, library, rng):
    """NaN, infinities and zeros, as the interpreter has them."""
    folder.mkdir(parents=True, exist_ok=True)
    shapes, statements, _ = _FORMS[name]
    declared = {t: f"{t}: f32({', '.join(shape)})" for t, shape in zip("ABC", shapes) if shape is not None}
    inputs = [text for t, text in declared.items() if t != "C"] + ["a: f32"]
    (folder / "s.tc").write_text(f"def f({', '.join(inputs)}) -> ({declared['C']}) {{ {statements} }}\n")
    sizes = {i: int(rng.choice([1, 3, 8, 17])) for i in "MNK"}
    args = ["--attr", f"a={rng.choice([0.0, 1.0, 2.0])}", "--out", f"C={folder}/result.npy"]
    for tensor, shape in zip("ABC", shapes):
        if shape is not None:
            values = rng.choice(np.array([0, 1, -2, np.nan, np.inf], np.float32), [sizes[i] for i in shape], p=[0.5, 0.25, 0.15, 0.05, 0.05])
            args += ["--in", levels_test.saved(folder, tensor, values, rng)]
    results = []
    for engine in [["--engine=reference"], ["--engine=native", f"--lib={library}"]]:
        einc_tool.must(einc_tool.run("eval", folder / "s.tc", *engine, *args))
        results.append(np.load(folder / "result.npy"))
    same = np.array_equal(*results, equal_nan=True)
    return None if same else f"{einc_tool.command_line('eval', *args)}\n{results[0]}\n{results[1]}"


# ---- Paths ----

_LIBRARIES = {
    "cblas": ("libopenblas.so.0", "cblas_{}", ["gemm", "gemv", "ger", "dot", "axpy", "scal", "copy", "omatcopy"]),
    "blis": ("libblis.so.4", "bli_{}", ["gemm", "dotv", "axpyv", "scalv", "copyv"]),
}
_COUNTING = """
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#define COUNTED(name)                                                                              \
  __attribute__((visibility("hidden"))) void *real_##name;                                         \
  __attribute__((visibility("hidden"))) long count_##name;                                         \
  __attribute__((naked)) void name(void) {                                                         \
    __asm__("lock incq count_" #name "(%rip)\\n jmp *real_" #name "(%rip)");                       \
  }
FUNCTIONS
#undef COUNTED
__attribute__((constructor)) static void load(void) {
  void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
#define COUNTED(name) real_##name = library ? dlsym(library, #name) : NULL;
  FUNCTIONS
#undef COUNTED
}
long counted(void) {
  long all = 0;
#define COUNTED(name) all += count_##name;
  FUNCTIONS
#undef COUNTED
  return all;
}
__attribute__((destructor)) static void save(void) {
  FILE *file = getenv("COUNTS") ? fopen(getenv("COUNTS"), "a") : NULL;
  if (!file) return;
#define COUNTED(name) \
  if (count_##name) fprintf(file, #name " %ld\\n", count_##name);
  FUNCTIONS
  fclose(file);
}
"""


def counting(folder, library):
    """A library with functions of the same names, which count calls and go on to the real ones."""
    folder.mkdir(parents=True, exist_ok=True)
    file, pattern, functions = _LIBRARIES[library]
    names = "\n".join(f"COUNTED({pattern.format(t + f)})" for f in functions for t in "sd")
    (folder / f"{library}.c").write_text(_COUNTING.replace("FUNCTIONS", names).replace("LIBRARY", f'"{file}"'))
    compilers.compile_c(einc_tool.CLANG, "-shared", "-fPIC", "-w", folder / f"{library}.c", "-ldl", out=folder / f"{library}.so")
    return folder / f"{library}.so"


def path(folder, name, library, rng, dtype, sizes, factor, functions):
    """Which functions are called, and how often."""
    counts = folder / "counts"
    counts.unlink(missing_ok=True)
    env = {**os.environ, "LD_PRELOAD": str(folder / f"{library}.so"), "COUNTS": str(counts)}
    message = form(folder, name, library, rng, dtype, sizes, factor, False, env)
    pattern = _LIBRARIES[library][1]
    expected = {pattern.format(("s" if dtype == np.float32 else "d") + f): count for f, count in functions.items()}
    lines = counts.read_text().splitlines() if counts.exists() else []
    calls = {line.split()[0]: int(line.split()[1]) for line in lines}
    return message or (None if calls == expected else f"calls {calls}, not {expected}")


# By form: the functions of cblas, and of blis, and how often they are called.
_PATHS = {
    "gemm": ({"gemm": 1}, {"gemm": 1}), "gemm with beta": ({"gemm": 1}, {"gemm": 1}), "batched gemm": ({"gemm": 32}, {"gemm": 32}),
    "gemv": ({"gemv": 1}, {}), "gemv with beta": ({"gemv": 1}, {"scalv": 1}), "ger": ({"ger": 1}, {}),
    "dot": ({"dot": 1}, {"dotv": 1}), "sum": ({"dot": 1}, {"dotv": 1}), "axpy": ({"axpy": 1}, {"axpyv": 1}),
    "scal": ({"scal": 1}, {"scalv": 1}), "copy": ({"copy": 1}, {"copyv": 1}), "omatcopy": ({"omatcopy": 1}, {}),
}


# Products of these sizes are refused, or not: libcalls/blis/calls.h says why.
_BLIS_SIZES = [((16, 32, 48), 1), ((17, 32, 48), 0), ((16, 31, 48), 0), ((16, 32, 47), 0), ((3, 2, 4), 0), ((640, 601, 600), 1),
               ((599, 640, 640), 0), ((640, 640, 7), 0), ((640, 640, 16), 1)]


# ---- What is explained ----

_TYPES = {"f32": np.float32, "f64": np.float64}


def counted_kernels(folder, library):
    """All forms for both types in one library, whose calls are counted."""
    text = ""
    for i, (shapes, statements, _) in enumerate(_FORMS.values()):
        for kind in _TYPES:
            declared = {t: f"{t}: {kind}({', '.join(shape)})" for t, shape in zip("ABC", shapes) if shape is not None}
            inputs = [each for t, each in declared.items() if t != "C"] + [f"a: {kind}"]
            text += f"def f{i}_{kind}({', '.join(inputs)}) -> ({declared['C']}) {{ {statements} }}\n"
    (folder / "k.tc").write_text(text)
    einc_tool.must(einc_tool.run("build", folder / "k.tc", "-o", folder, "--name", "k", f"--lib={library}", "--sources-only", "--one-file", "--target=native"))
    command = [einc_tool.CLANG, "-std=c99", "-O0", "-w", "-fPIC", "-shared", folder / "k.c", folder / f"{library}.so", "-lm", "-o", folder / f"k_{library}.so"]
    einc_tool.must(subprocess.run(command, capture_output=True, text=True))
    kernels = ctypes.CDLL(str(folder / f"k_{library}.so"))
    kernels.einc_status_string.restype = ctypes.c_char_p
    for i in range(len(_FORMS)):
        for kind in _TYPES:
            getattr(kernels, f"f{i}_{kind}_explain").restype = ctypes.c_char_p
    return kernels, ctypes.CDLL(str(folder / f"{library}.so"))


def strided(shape, dtype, rng, isOutput):
    """An array with its dimensions in any order in memory, with gaps, backwards, or in one place."""
    order, steps = list(rng.permutation(len(shape))), [int(rng.choice([1, 1, 1, 2])) for _ in shape]
    whole = np.ones([shape[d] * steps[d] for d in order], dtype)
    array = whole[tuple(slice(None, None, steps[d]) for d in order)].transpose(np.argsort(order).astype(int))
    for d in range(len(shape)):
        if rng.random() < 0.15:
            array = np.flip(array, d)
        elif not isOutput and rng.random() < 0.15:
            array = np.broadcast_to(array[(slice(None),) * d + (slice(0, 1),)], shape)
    return array


# Why an operand is refused, in the words of libcalls, and when that is so.
_REASONS = {
    "is empty": lambda array, steps: array.size == 0,
    "has no unit stride": lambda array, steps: 1 not in steps,
    "has stride 0": lambda array, steps: 0 in steps,
    "has stride -1": lambda array, steps: -1 in steps,
    "has lines that overlap, or run backwards": lambda array, steps: min(steps) <= 0,
    "has lines that overlap": lambda array, steps: 0 in steps,
    "has sizes for which BLIS is known to be wrong": lambda array, steps: any(size % 16 for size in array.shape[-2:]),
    "are no one dimension": lambda array, steps: array.ndim == 2 and not array.flags.c_contiguous,
}


def said(name, library, kernels, counts, rng, kind):
    """What is said of a call is what happens in it."""
    shapes, function = _FORMS[name][0], f"f{list(_FORMS).index(name)}_{kind}"
    sizes, factor = {i: int(rng.choice([0, 1, 1, 2, 3, 5, 5, 5])) for i in "MNK"}, float(rng.choice([0.0, 1.0, 0.75, 0.75, np.nan, np.inf]))
    if library == "blis" and "gemm" in name and rng.integers(2):
        sizes = {i: 16 * size for i, size in sizes.items()}
    arrays = {t: strided([sizes[i] for i in shape], _TYPES[kind], rng, t == "C") for t, shape in zip("ABC", shapes) if shape is not None}
    words = [abi.describe(array) for array in arrays.values()]
    arguments = [*words[:-1], abi.c_scalar(kind, factor), words[-1]]
    text = getattr(kernels, f"{function}_explain")(*arguments).decode()
    before = counts.counted()
    status = getattr(kernels, function)(*arguments)
    calls = counts.counted() - before
    drawn = f"{name} {kind} {factor} " + " ".join(f"{t}: {a.shape} {a.strides}" for t, a in arrays.items())
    if status != 0:
        return None if calls == 0 and text == kernels.einc_status_string(status).decode() else f"{drawn}\nstatus {status}, but\n{text}"
    lines = re.findall(r"^op \d+: (?:\w+ \w+ is called|the generated kernel runs, not).*$", text, re.MULTILINE)
    if not _PATHS[name][library == "blis"]:
        return None if not lines and calls == 0 else f"{drawn}\n{calls} calls, but\n{text}"
    wanted = 0 if "runs, not" in text else sizes["N"] if "for each z" in text else max(calls, 1)
    if len(lines) != 1 or calls != wanted:
        return f"{drawn}\n{calls} calls, but\n{text}"
    if why := re.search(r": (?:\w+ and \w+ of )?(\w+) (is empty|has .*|are no one dimension)$", lines[0]):
        array = arrays[why[1]]
        steps = [s // array.itemsize for s, size in zip(array.strides[-2:], array.shape[-2:]) if size > 1] or [1]
        good = _REASONS[why[2]](array, steps)
    else:
        good = "is called" in lines[0] or (re.search("(alpha|beta)( \\(a\\))? is 0 or not finite$", lines[0]) and factor not in (1.0, 0.75))
    return None if good else f"{drawn}\n{text}"


def too_large(kernels, library):
    """2^31 elements, which are not touched, are too many for integers of a CBLAS, and not for those of BLIS."""
    words = [abi.descriptor_words(4096 + place * 2**40, 0, [1, 2**31], [2**31, 1]) for place in range(2)]
    text = getattr(kernels, f"f{list(_FORMS).index('copy')}_f32_explain")(words[0], ctypes.c_float(1), words[1]).decode()
    wanted = {"cblas": "the generated kernel runs, not cblas copy: A has a size or stride beyond the library's integers", "blis": "blis copy is called"}
    return None if f": {wanted[library]}\n" in text else text


# ---- Programs ----

_PROGRAM = """
#include <math.h>
#include <stdio.h>
#include "a.h"
#include "b.h"
int main(void) {
  static float a[6] = {1, 2, 3, 4, 5, 6}, b[6] = {1, 2, 3, 4, 5, 6};
  float c[4] = {NAN, NAN, NAN, NAN}, d[4] = {NAN, NAN, NAN, NAN};
  einc_memref_f32_2 A = {a, a, 0, {2, 3}, {3, 1}}, B = {b, b, 0, {3, 2}, {2, 1}};
  einc_memref_f32_2 C = {c, c, 0, {2, 2}, {2, 1}}, D = {d, d, 0, {2, 2}, {2, 1}};
  if (a_product(&A, &B, &C) || b_product(&A, &B, &D)) return 1;
  for (int i = 0; i < 4; ++i) printf("%g %g ", c[i], d[i]);
  return 0;
}
"""


def together(folder, order):
    """Kernels that call one library, and kernels that call the other."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "s.tc").write_text("def product(A: f32(M, K), B: f32(K, N)) -> (C: f32(M, N)) { C(m, n) +=! A(m, k) * B(k, n); }\n")
    for name, library in [("a", "cblas"), ("b", "blis")]:
        einc_tool.must(einc_tool.run("build", folder / "s.tc", "-o", folder, "--name", name, f"--prefix={name}_", f"--lib={library}", _TARGET))
    (folder / "main.c").write_text(_PROGRAM)
    command = [einc_tool.CLANG, "-std=c11", "-Wall", "-Wextra", "-Werror", "-I", folder, folder / "main.c", folder / "liba.a", folder / "libb.a"]
    einc_tool.must(subprocess.run([*command, *order, "-lm", "-o", folder / "main"], capture_output=True, text=True))
    said = einc_tool.must(subprocess.run([folder / "main"], capture_output=True, text=True)).stdout
    return None if said == "22 22 28 28 49 49 64 64 " else said


def warnings(folder, compiler, library):
    """Of both compilers, in all forms."""
    folder.mkdir(parents=True, exist_ok=True)
    text = ""
    for i, (shapes, statements, _) in enumerate(_FORMS.values()):
        declared = {t: f"{t}: f64({', '.join(shape)})" for t, shape in zip("ABC", shapes) if shape is not None}
        inputs = [text for t, text in declared.items() if t != "C"] + ["a: f64"]
        text += f"def f{i}({', '.join(inputs)}) -> ({declared['C']}) {{ {statements} }}\n"
    (folder / "s.tc").write_text(text)
    einc_tool.must(einc_tool.run("build", folder / "s.tc", "-o", folder, "--name", "w", f"--lib={library}", _TARGET, "--sources-only", "--one-file"))
    compilers.compile_c(compiler, "-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-O1", "-c", folder / "w.c", out=folder / "w.o")


def locals_called(folder, library, threads):
    """Results that are not arguments, with memory of their own for what the library does not do."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "s.tc").write_text("""
def f(A: f32(M, K), B: f32(K, N), x: f32(N)) -> (C: f32(M, N), y: f32(M)) {
  local P: f32(M, N); local v: f32(M);
  P(m, n) +=! A(m, k) * B(k, n);
  v(m) +=! P(m, n) * x(n);
  C(m, n) = P(m, n) * P(m, n);
  y(m) = v(m) + 1.0;
}""")
    rng = np.random.default_rng(3)
    arrays = {"A": rng.standard_normal((90, 70)), "B": rng.standard_normal((70, 110)), "x": rng.standard_normal(110)}
    args = ["eval", folder / "s.tc", "--engine=native", f"--lib={library}", f"--threads={threads}"]
    for name, array in arrays.items():
        args += ["--in", levels_test.saved(folder, name, array.astype(np.float32), rng)]
    einc_tool.must(einc_tool.run(*args, "--out", f"C={folder}/C.npy", "--out", f"y={folder}/y.npy"))
    P = arrays["A"] @ arrays["B"]
    good = np.allclose(np.load(folder / "C.npy"), P * P, atol=1e-2) and np.allclose(np.load(folder / "y.npy"), P @ arrays["x"] + 1, atol=1e-2)
    return None if good else einc_tool.command_line(*args)


# ---- Exports: kernels under the names of a CBLAS, beside one. ----

# Arguments: e(num)s, i(ntegers), f(actors), matrices and vectors by the names of their sizes.
_EXPORTS = {
    "gemm": lambda c: c.order() + [c.transposed("A"), c.transposed("B"), c.m, c.n, c.k, c.factor(), *c.matrix("A", c.m, c.k),
                                   *c.matrix("B", c.k, c.n), c.factor(), *c.matrix("C", c.m, c.n)],
    "gemv": lambda c: c.order() + [c.transposed("A"), *c.transposedSizes("A", c.m, c.n), c.factor(), *c.matrix("A", c.m, c.n), *c.vector(c.n),
                                   c.factor(), *c.vector(c.m)],
    "ger": lambda c: c.order() + [c.m, c.n, c.factor(), *c.vector(c.m), *c.vector(c.n), *c.matrix("C", c.m, c.n)],
    "dot": lambda c: [c.n, *c.vector(c.n), *c.vector(c.n)],
    "axpy": lambda c: [c.n, c.factor(), *c.vector(c.n), *c.vector(c.n)],
    "scal": lambda c: [c.n, c.factor(), *c.vector(c.n)],
    "copy": lambda c: [c.n, *c.vector(c.n), *c.vector(c.n)],
    "omatcopy": lambda c: c.order(least=1) + [c.transposed("B"), c.m, c.n, c.factor(), *c.matrix("A", c.m, c.n),
                                       *c.matrix("B", *((c.m, c.n) if c.flags["B"] == 111 else (c.n, c.m)), plain=True)],
}


class Call:
    """Drawn arguments of a CBLAS function; whole arrays are compared, the gaps in them, too."""

    def __init__(self, rng, dtype):
        self.rng, self.dtype, self.arrays, self.flags, self.rowMajor = rng, dtype, [], {}, True
        self.m, self.n, self.k = (int(rng.choice([0, 1, 2, 3, 5, 8, 17, 40])) for _ in range(3))

    def order(self, least=0):
        self.m, self.n = max(self.m, least), max(self.n, least)  # OpenBLAS complains of no rows
        self.rowMajor = bool(self.rng.integers(2))
        return [101 if self.rowMajor else 102]

    def transposed(self, name):
        self.flags[name] = int(self.rng.choice([111, 112]))
        return self.flags[name]

    def transposedSizes(self, name, rows, columns):
        return [rows, columns] if self.flags[name] == 111 else [columns, rows]

    def factor(self):
        value = float(self.rng.choice([0, 1, -1, 0.5, 2]))
        return (ctypes.c_float if self.dtype == np.float32 else ctypes.c_double)(value)

    def array(self, size):
        self.arrays.append(self.rng.integers(-4, 5, size).astype(self.dtype))  # sums are exact
        return self.arrays[-1]

    def matrix(self, name, rows, columns, plain=False):
        byRows = self.rowMajor == (plain or self.flags.get(name, 111) == 111)
        lines, length = (rows, columns) if byRows else (columns, rows)
        apart = max(length, 1) + int(self.rng.integers(3))
        return [self.array(max(lines * apart, 1)), apart]

    def vector(self, size):
        step = int(self.rng.choice([1, 2, 3, -1, -2]))
        return [self.array(max(1 + (size - 1) * abs(step), 1)), step]


def exported(name, dtype, ours, theirs, rng):
    call = Call(rng, dtype)
    arguments = _EXPORTS[name](call)
    results = []
    for library in (ours, theirs):
        copies = {id(a): a.copy() for a in call.arrays}
        function = getattr(library, f"cblas_{'s' if dtype == np.float32 else 'd'}{name}")
        function.restype = ctypes.c_float if dtype == np.float32 else ctypes.c_double
        passed = [copies[id(a)].ctypes.data_as(ctypes.c_void_p) if isinstance(a, np.ndarray) else a for a in arguments]
        value = function(*passed)
        results.append(([value] if name == "dot" else []) + [copies[id(a)] for a in call.arrays])
    for mine, other in zip(*results):
        if not np.array_equal(mine, other):
            return f"{[a if not isinstance(a, np.ndarray) else a.size for a in arguments]}: {mine}, not {other}"
    return None


def exports(folder):
    """Kernels for all functions, as a shared library."""
    folder.mkdir(parents=True, exist_ok=True)
    spec = einc_tool.find("libcalls/cblas/exports.tc")
    einc_tool.must(einc_tool.run("build", spec, "-o", folder, "--name", "e", "--export=cblas"))
    command = [einc_tool.CLANG, "-shared", "-o", folder / "e.so", "-Wl,--whole-archive", folder / "libe.a", "-Wl,--no-whole-archive", "-lm"]
    einc_tool.must(subprocess.run(command, capture_output=True, text=True))
    return ctypes.CDLL(str(folder / "e.so"))


def refused(folder, statements, parts, *flags):
    """A message and exit code 1 or 2 for what cannot be exported."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "s.tc").write_text(statements)
    export = [] if any(flag.startswith("--lib") for flag in flags) else ["--export=cblas"]
    result = einc_tool.run("build", folder / "s.tc", "-o", folder, "--sources-only", *export, *flags)
    bad = result.returncode not in (1, 2) or any(part not in result.stderr for part in parts)
    return f"exit code {result.returncode}\n{result.stderr}" if bad else None


def refusing(folder, name):
    """What a kernel refuses, here lines of a result in one place, goes to cblas_xerbla, under the function's name."""
    code = (f"import ctypes, sys; e = ctypes.CDLL('{folder}/e.so'); a = (ctypes.c_double * 64)(); f = ctypes.c_double(1) if '_d' in '{name}' else "
            f"ctypes.c_float(1); e.{name}(101, 111, 111, 4, 4, 4, f, a, 4, a, 4, f, a, 0)")
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    good = result.returncode == 255 and result.stderr.startswith(f"{name}: ")
    return None if good else f"exit code {result.returncode}: {result.stderr}"


# Calls with one argument that is wrong, and its number in the reference (CBLAS/testing of Netlib's LAPACK counts so, too).
_WRONG = [
    ("gemm", 1, [0, 111, 111, 2, 3, 4, 1.0, "a", 4, "b", 3, 0.0, "c", 3]), ("gemm", 2, [101, 0, 111, 2, 3, 4, 1.0, "a", 4, "b", 3, 0.0, "c", 3]),
    ("gemm", 3, [101, 111, 7, 2, 3, 4, 1.0, "a", 4, "b", 3, 0.0, "c", 3]), ("gemm", 4, [101, 111, 111, -1, 3, 4, 1.0, "a", 4, "b", 3, 0.0, "c", 3]),
    ("gemm", 5, [101, 111, 111, 2, -1, 4, 1.0, "a", 4, "b", 3, 0.0, "c", 3]), ("gemm", 6, [101, 111, 111, 2, 3, -1, 1.0, "a", 4, "b", 3, 0.0, "c", 3]),
    ("gemm", 9, [101, 111, 111, 2, 3, 4, 1.0, "a", 3, "b", 3, 0.0, "c", 3]), ("gemm", 9, [101, 112, 111, 2, 3, 4, 1.0, "a", 1, "b", 3, 0.0, "c", 3]),
    ("gemm", 9, [102, 111, 111, 2, 3, 4, 1.0, "a", 1, "b", 4, 0.0, "c", 2]), ("gemm", 11, [102, 111, 111, 2, 3, 4, 1.0, "a", 2, "b", 3, 0.0, "c", 2]),
    ("gemm", 11, [101, 111, 112, 2, 3, 4, 1.0, "a", 4, "b", 3, 0.0, "c", 3]), ("gemm", 14, [101, 111, 111, 2, 3, 4, 1.0, "a", 4, "b", 3, 0.0, "c", 2]),
    ("gemv", 1, [5, 111, 2, 3, 1.0, "a", 3, "b", 1, 0.0, "c", 1]), ("gemv", 2, [101, 110, 2, 3, 1.0, "a", 3, "b", 1, 0.0, "c", 1]),
    ("gemv", 3, [101, 111, -2, 3, 1.0, "a", 3, "b", 1, 0.0, "c", 1]), ("gemv", 4, [101, 111, 2, -3, 1.0, "a", 3, "b", 1, 0.0, "c", 1]),
    ("gemv", 7, [101, 111, 2, 3, 1.0, "a", 2, "b", 1, 0.0, "c", 1]), ("gemv", 7, [102, 112, 2, 3, 1.0, "a", 1, "b", 1, 0.0, "c", 1]),
    ("gemv", 9, [101, 111, 2, 3, 1.0, "a", 3, "b", 0, 0.0, "c", 1]), ("gemv", 12, [101, 111, 2, 3, 1.0, "a", 3, "b", 1, 0.0, "c", 0]),
    ("ger", 1, [1, 2, 3, 1.0, "a", 1, "b", 1, "c", 3]), ("ger", 2, [101, -2, 3, 1.0, "a", 1, "b", 1, "c", 3]), ("ger", 3, [101, 2, -3, 1.0, "a", 1, "b", 1, "c", 3]),
    ("ger", 6, [101, 2, 3, 1.0, "a", 0, "b", 1, "c", 3]), ("ger", 8, [101, 2, 3, 1.0, "a", 1, "b", 0, "c", 3]), ("ger", 10, [101, 2, 3, 1.0, "a", 1, "b", 1, "c", 2]),
    ("omatcopy", 7, [101, 112, 2, 3, 1.0, "a", 2, "c", 2]), ("omatcopy", 9, [101, 112, 2, 3, 1.0, "a", 3, "c", 1]), ("omatcopy", 9, [102, 111, 2, 3, 1.0, "a", 2, "c", 1]),
]


def numbered(folder, name, number, arguments):
    """A program's own cblas_xerbla is given the argument's number, and nothing is written."""
    (folder / "x.c").write_text("#include <stdio.h>\nvoid cblas_xerbla(int p, const char *f, const char *t, ...)"
                                "{ (void)t; fprintf(stderr, \"%s %d\\n\", f, p); }\n")
    if not (folder / "x.so").exists():
        einc_tool.must(subprocess.run([einc_tool.CLANG, "-shared", "-fPIC", "-o", folder / "x.so", folder / "x.c"], capture_output=True, text=True))
    shown = ", ".join(f"ctypes.c_float({x})" if isinstance(x, float) else str(x) for x in arguments)
    code = f"import ctypes; e = ctypes.CDLL('{folder}/e.so'); a, b, c = ((ctypes.c_float * 64)(*[7] * 64) for _ in 'abc'); e.cblas_s{name}({shown}); print(set(c))"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, "LD_PRELOAD": f"{folder}/x.so"})
    good = result.stderr == f"cblas_s{name} {number}\n" and result.stdout == "{7.0}\n"
    return None if good else f"{result.stdout}{result.stderr}"


_SCALE = "def f(a: f32) -> (x: f32(N)) { x(n) = a * x(n); }"
_REFUSED = [
    ("def f(A: f32(M, K), B: f32(K, N)) -> (C: f32(M, N)) { C(m, n) += A(m, k) * B(k, n); }",
     ["'f' is almost gemm", "result(mn) = beta * result + alpha * a(mk) * b(kn)", "parameters for its factors"]),
    ("def f(A: f32(M)) -> (B: f32(M)) { B(m) = exp(A(m)); }", ["'f' is no function of a CBLAS"]),
    (_SCALE + _SCALE.replace("f(", "g("), ["'f' and 'g' are both scal of f32"]),
]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--long", action="store_true")
    rounds = 10 if parser.parse_args().long else 1
    cases = einc_tool.Cases()
    folder = einc_tool.scratch()
    rng = np.random.default_rng(20261122)
    for signature, statements, function in _MATCHES:
        cases.run(f"{statements} is {function}", matches, folder, signature, statements, function)
    for signature, statements, function in _MENDED:
        cases.run(f"{statements} is mended", matches, folder, signature, statements, function)
    for signature, statements, reason in _MISSES:
        cases.run(f"{statements} is none: {reason}", misses, folder, signature, statements, reason)
    for signature, statements, reason in _NOT_IN_BLIS:
        cases.run(f"{statements} is none of blis: {reason}", misses, folder, signature, statements, reason, "blis")
    for library, variables, pattern in _NAMES:
        cases.run(f"{library} {variables}", named, library, variables, pattern)
    for library in _LIBRARIES:
        for _ in range(rounds):
            for string in _STRINGS:
                sizes = {i: int(rng.choice(_SIZES)) for i in sorted(set(string) - set(",->"))}
                dtype, views, known = rng.choice([np.float32, np.float64]), bool(rng.integers(4)), bool(rng.integers(2))
                cases.run(f"{string} {sizes} {library}", levels_test.case, folder, string, sizes, "native", _TARGET.removeprefix("--target="), rng, dtype,
                          known, (f"--lib={library}",), views)
            for name in _FORMS:
                sizes, factor = {i: int(rng.choice(_SIZES)) for i in "MNK"}, float(rng.choice([0.0, 1.0, -1.0, 0.75]))
                dtype, views = rng.choice([np.float32, np.float64]), bool(rng.integers(4))
                cases.run(f"{name} {sizes} {factor} {library}", form, folder, name, library, rng, dtype, sizes, factor, views)
        counting(folder, library)
        for name, functions in _PATHS.items():
            sizes = {"M": 16, "N": 32, "K": 48} if "gemm" in name else {"M": 6, "N": 4, "K": 5}
            none = {"M": 6, "N": 0, "K": 0}
            called, dtype = functions[library == "blis"], rng.choice([np.float32, np.float64])
            cases.run(f"{name} calls {called}", path, folder, name, library, rng, dtype, sizes, 0.75, called)
            scaled = called if name == "gemv with beta" and library == "blis" else {}
            cases.run(f"{name} of nothing, {library}", path, folder, name, library, rng, dtype, none, 0.75, scaled)
            zero = called if name == "copy" else {}
            cases.run(f"{name} times 0, {library}", path, folder, name, library, rng, dtype, sizes, 0.0, zero)
        for (m, n, k), count in _BLIS_SIZES if library == "blis" else []:
            cases.run(f"gemm of {m}, {n}, {k} by blis", path, folder, "gemm", library, rng, np.float32, {"M": m, "N": n, "K": k}, 0.75,
                      {"gemm": count} if count else {})
        kernels, counts = counted_kernels(folder, library)
        for name in _FORMS:
            for i in range(60 * rounds):
                cases.run(f"{name} explained {i}, {library}", said, name, library, kernels, counts, rng, ["f32", "f64"][i % 2])
        cases.run(f"2^31 elements explained, {library}", too_large, kernels, library)
        for name in _FORMS:
            for i in range(2 * rounds):
                cases.run(f"{name} of NaN {i}, {library}", special, folder, name, library, rng)
        for threads in [1, 4]:
            cases.run(f"locals, {library}, {threads} threads", locals_called, folder, library, threads)
        for compiler in [einc_tool.CLANG, einc_tool.GCC]:
            cases.run(f"{library} {compiler}", warnings, folder, compiler, library)
    for order in [["-lopenblas", "-lblis"], ["-lblis", "-lopenblas"]]:
        cases.run(f"both libraries {order}", together, folder, order)
    for statements, parts in _REFUSED:
        cases.run(f"refused: {parts[0]}", refused, folder, statements, parts)
    cases.run("both ways", refused, folder, _SCALE, ["--export=cblas with --lib=cblas"], "--lib=cblas", "--export=cblas")
    for library in _LIBRARIES:
        text = "def {}(A: f32(M, K), B: f32(K, N)) -> (C: f32(M, N)) {{ C(m, n) += A(m, k) * B(k, n); }}"
        name = {"cblas": "cblas_sgemm", "blis": "bli_sgemm"}[library]
        cases.run(f"def {name}", refused, folder, text.format(name), ["may have the name of a library's function"], f"--lib={library}")
    cases.run("schedule", scheduled, folder, [], 0, True)
    cases.run("schedule with a library", scheduled, folder, ["--lib=cblas"], 1, True)
    cases.run("schedule without calls", scheduled, folder, ["--lib=cblas"], 1, False)
    ours, theirs = exports(folder), ctypes.CDLL(_LIBRARIES["cblas"][0])
    for name in _EXPORTS:
        for i in range(40 * rounds):
            cases.run(f"cblas {name} {i}", exported, name, [np.float32, np.float64][i % 2], ours, theirs, rng)
    for name in ["cblas_sgemm", "cblas_dgemm"]:
        cases.run(f"{name} refuses", refusing, folder, name)
    for name, number, arguments in _WRONG:
        cases.run(f"{name} {arguments}: {number}", numbered, folder, name, number, arguments)
    shutil.rmtree(folder, ignore_errors=True)
    cases.finish()


if __name__ == "__main__":
    main()
