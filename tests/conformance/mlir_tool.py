# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""MLIR's own tools on `einc emit --stage=mlir`: verification, and compilation to a library."""

import ctypes
import functools
import re
import shutil
import subprocess
import sys

from tests.numeric import compilers, einc_tool

OPT, TRANSLATE = "mlir-opt-19", "mlir-translate-19"

# Functions on tensors become functions on buffers that write their outputs in place.
_BUFFERIZATION = "--one-shot-bufferize=bufferize-function-boundaries function-boundary-type-conversion=infer-layout-map"

# What arith-expand makes of maximumf takes no account of -0 < +0, so it comes behind the conversion
# of what LLVM has itself; log1p, expm1 and their like are those of libm, not approximations.
_LOWERING = """--drop-equivalent-buffer-results --llvm-request-c-wrappers --canonicalize --cse
  --convert-linalg-to-loops --expand-strided-metadata --lower-affine
  --convert-scf-to-cf --convert-math-to-libm --convert-math-to-llvm --convert-arith-to-llvm --arith-expand
  --convert-arith-to-llvm --finalize-memref-to-llvm --convert-func-to-llvm --convert-cf-to-llvm
  --convert-index-to-llvm --reconcile-unrealized-casts""".split()


def find_tools():
    for tool in (OPT, TRANSLATE):
        if not shutil.which(tool):
            sys.exit(f"{tool} is not installed: apt-get install mlir-19-tools")


def text_of(spec, name, *flags):
    """The MLIR of one def."""
    return einc_tool.must(einc_tool.run("emit", "--stage=mlir", spec, "--def", name, *flags)).stdout


def command(*args, **kwargs):
    """Standard output of a tool; RuntimeError with what it said if it failed."""
    result = subprocess.run([str(a) for a in args], capture_output=True, text=True, errors="replace", timeout=600, **kwargs)
    if result.returncode:
        raise RuntimeError(f"{args[0]}: exit code {result.returncode}\n{result.stderr[:3000]}")
    return result.stdout


def verify(folder, text):
    """What MLIR's verifier says against a text, and whether printing it twice changes it; None if all is well. What is well is
    kept."""
    def checked():
        problem = _problem(folder, text)
        if problem:
            raise RuntimeError(problem)
        return b""

    try:
        compilers.kept([version(), "verified", text], checked)
    except RuntimeError as error:
        return str(error)
    return None


def _problem(folder, text):
    """The same, asked anew."""
    source, once, twice = (folder / f"{name}.mlir" for name in ("source", "once", "twice"))
    source.write_text(text)
    try:
        command(OPT, "--verify-each", source, "-o", once)
        command(OPT, "--verify-each", once, "-o", twice)
    except RuntimeError as error:
        return str(error)
    if once.read_text() != twice.read_text():
        return "MLIR's own text of it does not read back"
    functions = len(re.findall(r"^ *func\.func", once.read_text(), re.MULTILINE))
    wanted = len(re.findall(r"^func\.func", text, re.MULTILINE))
    return None if functions == wanted and wanted else f"{functions} functions, not {wanted}"


def library_calls(folder, text):
    """The functions that a text calls for ops of Linalg, in order; tensors become buffers before."""
    passes = [_BUFFERIZATION, "--convert-linalg-to-std"]

    def converted():
        source = folder / "calls.mlir"
        source.write_text(text)
        return command(OPT, source, *passes).encode()

    return re.findall(r"^ *call @(\w+)\(", compilers.kept([version(), *passes, text], converted).decode(), re.MULTILINE)


@functools.lru_cache(None)
def version():
    return command(OPT, "--version") + command(TRANSLATE, "--version")


def library(folder, name, text, *sources):
    """The functions of a text, compiled by MLIR and LLVM. Each is called as _mlir_ciface_NAME. With C sources, ops become calls of the
    functions in those."""
    source, low, llvm, shared = (folder / f"{name}.{end}" for end in ("mlir", "low.mlir", "ll", "so"))
    passes = [_BUFFERIZATION, *(["--convert-linalg-to-std"] if sources else []), *_LOWERING]

    def lower():
        source.write_text(text)
        command(OPT, source, *passes, "-o", low)
        command(TRANSLATE, "--mlir-to-llvmir", low, "-o", llvm)
        return llvm.read_bytes()

    llvm.write_bytes(compilers.kept([version(), *passes, text], lower))
    # The conversions of f16 and bf16 are in compiler-rt.
    compilers.compile_c(einc_tool.CLANG, "-O0", "-w", "-fPIC", "-shared", "--rtlib=compiler-rt", llvm, *sources, "-I", folder, "-lm", out=shared)
    return ctypes.CDLL(str(shared))
