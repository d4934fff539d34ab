# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Calls of libraries (--lib) with all sizes up to 20 at pages that fault, and where NaN meets zeros.

library_edges.c draws and judges the calls. A library that is wrong somewhere, as BLIS 0.9.0 is, must have been
refused there: libcalls/ says where and why.
"""

import os
import shutil
import signal
import subprocess

from tests.numeric import compilers, einc_tool

_DEFS = """
def gemm_T(A: T(M, K), B: T(K, N), a: T, b: T) -> (C: T(M, N)) { C(m, n) = b * C(m, n); C(m, n) += a * A(m, k) * B(k, n); }
def gemm0_T(A: T(M, K), B: T(K, N), a: T) -> (C: T(M, N)) { C(m, n) +=! a * A(m, k) * B(k, n); }
def gemv_T(A: T(M, K), B: T(K), a: T, b: T) -> (C: T(M)) { C(m) = b * C(m); C(m) += a * A(m, k) * B(k); }
def gemv0_T(A: T(M, K), B: T(K), a: T) -> (C: T(M)) { C(m) +=! a * A(m, k) * B(k); }
def ger_T(A: T(M), B: T(N), a: T) -> (C: T(M, N)) { C(m, n) += a * A(m) * B(n); }
def dot_T(A: T(K), B: T(K), a: T, b: T) -> (C: T()) { C() = b * C(); C() += a * A(k) * B(k); }
def sum_T(A: T(K), a: T) -> (C: T()) { C() += a * A(k); }
def axpy_T(A: T(M), a: T) -> (C: T(M)) { C(m) += a * A(m); }
def scal_T(a: T) -> (C: T(M)) { C(m) = a * C(m); }
def copy_T(A: T(M)) -> (C: T(M)) { C(m) = A(m); }
def omatcopy_T(A: T(M, N), a: T) -> (C: T(N, M)) { C(n, m) = a * A(m, n); }
"""
# The library, and the sets of kernels in it that are asked for by name.
_LINKED = {"cblas": "-lopenblas", "blis": "-lblis"}
_KERNELS = {
    "cblas": [{"OPENBLAS_CORETYPE": name} for name in ("Nehalem", "Sandybridge", "Haswell", "SkylakeX")],
    "blis": [{"BLIS_ARCH_TYPE": number} for number in ("3", "5", "25")],
}


def compiled(folder, library):
    (folder / "k.tc").write_text("".join(_DEFS.replace("_T", "_" + t).replace(": T(", f": {t}(").replace(": T", f": {t}") for t in ("f32", "f64")))
    einc_tool.must(einc_tool.run("build", folder / "k.tc", "-o", folder, "--name", "k", f"--lib={library}", "--sources-only", "--one-file", "--target=x86-64-v3"))
    flags = [einc_tool.CLANG, "-w", "-O1", "-I", folder]
    driver = einc_tool.find("tests/numeric/library_edges.c")
    compilers.compile_c(*flags, "-std=c99", "-c", folder / "k.c", out=folder / "k.o")
    for kind, t in (("f32", "float"), ("f64", "double")):
        compilers.compile_c(*flags, "-std=c11", f"-DKIND={kind}", f"-DT={t}", driver, folder / "k.o", _LINKED[library], "-lm",
                            out=folder / f"{library}_{kind}")


def drawn(program, rounds, variables):
    single = {"OPENBLAS_NUM_THREADS": "1", "BLIS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    result = subprocess.run([program, str(rounds)], capture_output=True, text=True, timeout=900, env={**os.environ, **single, **variables})
    if variables and result.returncode == -signal.SIGILL:
        return None  # kernels that are not for this CPU
    return None if result.returncode == 0 else f"{result.stdout[:1500]}...\n{result.stdout[-60:]}{result.stderr[:1000]}"


def main():
    cases, folder = einc_tool.Cases(), einc_tool.scratch()
    for library in _LINKED:
        compiled(folder, library)
        for kind in ("f32", "f64"):
            for variables in [{}, *(_KERNELS[library] if einc_tool.LONG else [])]:
                cases.run(f"{library} {kind} {variables}", drawn, folder / f"{library}_{kind}", 8 if einc_tool.LONG else 1, variables)
    shutil.rmtree(folder)
    cases.finish()


if __name__ == "__main__":
    main()
