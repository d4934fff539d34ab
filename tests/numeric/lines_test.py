# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Loops that compilers make vectors of (--target=generic): right around all sizes at which they are done otherwise, by
Clang and by GCC, and quick enough to show that vectors are made of them."""

import shutil
import time

import numpy as np

from tests.numeric import abi, compilers, einc_tool

_SPEC = """
def dense(A: f32(M, K), B: f32(K, N), bias: f32(N)) -> (Y: f32(M, N)) { T(m, n) +=! A(m, k) * B(k, n); Y(m, n) = max(T(m, n) + bias(n), 0.0); }
def product(A: f32(M, K), B: f32(K, N)) -> (Y: f32(M, N)) { Y(m, n) += A(m, k) * B(k, n); }
def rows(A: f32(M, K)) -> (Y: f32(M)) { Y(m) +=! A(m, k); }
def columns(A: f32(K, N)) -> (Y: f32(N)) { Y(n) max=! A(k, n); }
def windows(A: f32(H, N), K: f32(R, N)) -> (Y: f32(M, N)) { Y(m, n) +=! A(m + r, n) * K(r, n); }
"""
_SIZES = [(m, n, k) for m in (1, 3, 33) for n in (1, 31, 32, 33, 127, 130) for k in (0, 1, 2, 3, 4, 5, 7, 63, 64, 65, 259)]


def build(folder, compiler, flags):
    path, sources = folder / "k.so", abi.parts(folder, "k", [folder / "k.tc"], "--target=generic")
    compilers.compile_library(compiler, "-std=c99", *flags, "-ffp-contract=off", "-w", "-fPIC", sources=sources, out=path)
    return abi.Library(path, folder / "k.json")


def of(name, m, n, k, rng):
    """Inputs, and the result in f64."""
    def drawn(*shape):
        return rng.standard_normal(shape).astype(np.float32)

    wide = lambda array: array.astype(np.float64)
    if name in ("dense", "product"):
        a, b, bias = drawn(m, k), drawn(k, n), drawn(n)
        product = wide(a) @ wide(b)
        return ([a, b, bias], np.maximum(product + bias, 0)) if name == "dense" else ([a, b], product)
    if name == "rows":
        a = drawn(m, k)
        return [a], wide(a).sum(axis=1)
    if name == "columns":
        a = drawn(k, n)
        return [a], wide(a).max(axis=0, initial=-np.inf)
    a, b = drawn(m + max(k, 1) - 1, n), drawn(k, n)
    return [a, b], sum((wide(a[r : r + m]) * b[r] for r in range(k)), np.zeros((m, n)))


def right(library, name, rng, contiguous):
    for m, n, k in _SIZES:
        inputs, wanted = of(name, m, n, k, rng)
        if not contiguous:
            inputs = [np.repeat(array, 2, axis=-1)[..., ::2] for array in inputs]
        output = np.zeros(wanted.shape, np.float32)
        if status := getattr(library, name)(*[abi.describe(array) for array in [*inputs, output]]):
            return f"{m} x {n} x {k}: status {status}"
        if not np.allclose(output, wanted, rtol=1e-4, atol=1e-4 * max(k, 1) ** 0.5):
            return f"{m} x {n} x {k}: {np.nanmax(np.abs(output - wanted))} off"
    return None


def quick(library):
    """20 times the speed of a sum one term at a time is usual; 4 times is asked, as machines are shared."""
    rng, size, best = np.random.default_rng(5), 384, 1e9
    arrays = [rng.standard_normal(shape).astype(np.float32) for shape in ((size, size), (size, size), (size,), (size, size))]
    words = [abi.describe(array) for array in arrays]
    for _ in range(10):
        start = time.process_time()
        library.dense(*words)
        best = min(best, time.process_time() - start)
    rate = 2 * size**3 / best / 1e9
    return None if rate > 3 else f"{rate:.1f} GFLOP/s"


def main():
    cases = einc_tool.Cases()
    folder = einc_tool.scratch()
    rng = np.random.default_rng(20261130)
    for compiler, flags in ((einc_tool.CLANG, ["-O2"]), (einc_tool.GCC, ["-O3"])):
        place = folder / flags[0]
        place.mkdir(parents=True)
        (place / "k.tc").write_text(_SPEC)
        library = build(place, compiler, flags)
        for name in ("dense", "product", "rows", "columns", "windows"):
            for contiguous in (True, False):
                cases.run(f"{name} {flags} {contiguous}", right, library, name, rng, contiguous)
        cases.run(f"speed {flags}", quick, library)
    shutil.rmtree(folder, ignore_errors=True)
    cases.finish()


if __name__ == "__main__":
    main()
