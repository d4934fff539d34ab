# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Extents of 0 and 1: every def of specs/ with each size, alone and all together, known at compile time or not, on 1 to 3 threads.

All kernels are in one library on a pool of ours (team.c). The judge is the def's formula; where that has no meaning for nothing
at all, and where a call is refused, the interpreter.

  extents_test.py [--only DEF]
"""

import argparse
import ctypes
import re

import numpy as np

from tests.numeric import abi, compilers, einc_tool, formulas

_VALUES = (0, 1)
_OTHERS = [2, 3, 5]  # sizes that are neither
_THREADS = 3
# Code for this machine's vectors is ten times as long: one def or two for each strategy.
_ON_VECTORS = ["softmax", "layer_norm", "log_softmax", "matmul", "batch_matmul", "conv_2d_nhwc_hwcf", "depthwise_conv_2d_nhwc_hwc",
               "pooling_nhwc_max", "transpose", "sum_columns", "sum_rows", "sum_all", "matvec", "argmax_rows", "variance_rows", "mlp", "axpy"]


def symbols_of(name, path):
    """The sizes that the def's signature names."""
    signature = formulas._text_of(name, path).split('"""')[0].split("{\n")[0]
    known = formulas.Call(name, formulas.default_element(name, path), np.random.default_rng(0), True, _OTHERS).sizes
    return [s for s in sorted(known) if re.search(rf"\b{s}\b", signature)]


def variants_of(symbols):
    """What is fixed: each size alone, then all."""
    for value in _VALUES:
        yield from ({s: value} for s in symbols)
        if len(symbols) > 1:
            yield dict.fromkeys(symbols, value)


class Pool(ctypes.CDLL):
    """Many libraries of sources, each with a prefix, compiled into one with the pool."""

    def __init__(self, folder, name, stems):
        self.functions = {}
        path, team = folder / f"{name}.so", folder / f"{name}.team.o"
        compilers.compile_c(einc_tool.CLANG, "-std=c99", "-O0", "-w", "-fPIC", "-c", "-I", einc_tool.find("runtime/threads.h").parent.parent,
                            einc_tool.find("tests/numeric/team.c"), out=team)
        compilers.compile_library(einc_tool.CLANG, "-std=c99", "-O0", "-w", "-fPIC", sources=[folder / f"{stem}.c" for stem in stems],
                                  out=path, linked=["-pthread", str(team)])
        super().__init__(str(path))
        for stem in stems:
            manifest = abi.json.loads((folder / f"{stem}.json").read_text())
            self.functions.update({(stem, k["def"]): k["function"] for k in manifest["kernels"]})

    def kernel(self, stem, name):
        return getattr(self, self.functions[stem, name])


class Sources:
    """Kernels that `einc build` has written, as stems of files: NAME.c and NAME.json."""

    def __init__(self, cases, folder, defs, symbols, target):
        self.cases, self.folder, self.symbols, self.target, self.stems = cases, folder, symbols, target, []
        self.specs = sorted(set(defs.values()))

    def add(self, stem, names, dims):
        """A stem for these defs with these sizes, if einc can; a def that divides by a size that is 0 is refused."""
        names = sorted(names)
        while names:
            dims = {d: v for d, v in dims.items() if any(d in self.symbols[n] for n in names)}
            done = einc_tool.run("build", *self.specs, "--sources-only", "--one-file", "-o", self.folder, f"--name={stem}", f"--prefix={stem}_",
                                 f"--target={self.target}", f"--threads={_THREADS}", *[f"--def={n}" for n in names],
                                 *[f"--dim={d}={v}" for d, v in dims.items()])
            refused = re.search(r"in '(\w+)': .* divides by zero", done.stderr)
            if done.returncode != 2 or not refused:
                break
            names.remove(refused[1])
        if names and self.cases.check(f"build with {dims}", done.stderr if done.returncode else None):
            self.stems.append(stem)


def dim_names(fixed):
    return "_".join(f"{d}{v}" for d, v in fixed.items())


class Case:
    """A call, judged once, that several kernels make."""

    def __init__(self, name, path, fixed, folder):
        rng = np.random.default_rng(len(name))
        self.call = formulas.Call(name, formulas.default_element(name, path), rng, True, _OTHERS, fixed=fixed)
        self.path, self.folder, self.wanted = path, folder, None

    def interpreted(self):
        """The interpreter's outputs; none if it refuses."""
        if self.wanted is None:
            line, error, results = self.call.evaluated(self.folder, self.path)
            if error and not error.startswith("exit code 1:"):
                raise RuntimeError(f"{line}\n{error}")
            self.wanted = (results,)
        return self.wanted[0]

    def judge(self, status, results):
        where = f"{self.call.name} {self.call.sizes} {self.call.attributes}"
        if status:
            return f"{where}: status {status}, and the interpreter gives results" if self.interpreted() else None
        try:
            return self.call.compare(results)
        except (ValueError, IndexError, ZeroDivisionError):  # an extreme of nothing, say
            wanted = self.interpreted()
        if wanted is None:
            return f"{where}: the interpreter refuses the call"
        same = all(np.array_equal(a, b, equal_nan=a.dtype.kind == "f") for a, b in zip(results, wanted))
        return None if same else f"{where}: not what the interpreter gives"

    def run(self, library, kernel):
        for threads in range(1, _THREADS + 1):
            library.team_set(threads, 0)
            message = self.judge(*self.call.called(kernel))
            if message:
                return f"{threads} threads: {message}"
        return None


def check_defs(cases, folder, defs, target, fixes):
    """`fixes`: once more with the sizes that a case is about known at compile time."""
    folder.mkdir(parents=True)
    symbols = {name: symbols_of(name, path) for name, path in defs.items()}
    sources = Sources(cases, folder, defs, symbols, target)
    sources.add("any", defs, {})
    if fixes:
        for value in _VALUES:
            for symbol in sorted({s for own in symbols.values() for s in own}):
                sources.add(f"{symbol}{value}", [n for n in defs if symbol in symbols[n]], {symbol: value})
            every = sorted({s for own in symbols.values() for s in own})
            sources.add(f"all{value}", [n for n in defs if len(symbols[n]) > 1], dict.fromkeys(every, value))
    library = Pool(folder, "extents", sources.stems)
    cases.run_all_apart([(f"{target} {name}", check_def, library, name, path, symbols[name], folder) for name, path in sorted(defs.items())])


def check_def(library, name, path, symbols, folder):
    messages = []
    for fixed in variants_of(symbols):
        case = Case(name, path, fixed, folder)
        own = dim_names(fixed) if len(fixed) == 1 else f"all{next(iter(fixed.values()))}"
        for stem in ("any", own):
            if (stem, name) in library.functions:
                message = case.run(library, library.kernel(stem, name))
                messages += [f"{stem}: {message}"] if message else []
    return "\n".join(messages[:5])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", action="append")
    only = parser.parse_args().only
    cases, folder = einc_tool.Cases(), einc_tool.scratch()
    defs = {n: p for n, p in formulas.defs_of(einc_tool.specs()).items() if not only or n in only}
    check_defs(cases, folder / "generic", defs, "generic", True)
    check_defs(cases, folder / "vectors", {n: p for n, p in defs.items() if only or n in _ON_VECTORS}, "x86-64-v3", False)
    cases.finish()


if __name__ == "__main__":
    main()
