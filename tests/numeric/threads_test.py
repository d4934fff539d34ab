# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Kernels on threads: the same bits on any number of threads, in any order, from any pool; no data races.

The library is linked to a pool of ours (team.c), as a program of a user's would be: with as many threads as it is told,
or none, but tasks in reverse. The reference is NumPy in f64, with a bound from the length of the sums; once more under
ThreadSanitizer, which sees the pool; once on OpenMP, which is what a library has of its own.
"""

import ctypes
import os
import subprocess
import sys

import numpy as np

from tests.numeric import abi, compilers, einc_tool
from tests.numeric.einc_tool import CLANG

# One long line: parts of it are shared out. Columns, more of them than there are threads, in many rows.
_LONG = ("ij,j->ij", {"i": 1, "j": 1_000_003})
_DOWN = ("ij->j", {"i": 2001, "j": 701})
# What is shared out differs: batches, rows, columns, packing, parts of a sum, tiles of a transpose.
_CASES = [
    ("mk,kn->mn", {"m": 700, "k": 300, "n": 310}),  # blocks of rows
    ("mk,kn->mn", {"m": 9, "k": 900, "n": 5000}),  # columns
    ("mk,kn->mn", {"m": 40, "k": 150_000, "n": 3}),  # parts of the sum
    ("km,kn->nm", {"m": 520, "k": 270, "n": 530}),
    ("bmk,bkn->bmn", {"b": 40, "m": 60, "k": 70, "n": 80}),  # batches
    ("bmk,bkn->bmn", {"b": 2, "m": 400, "k": 300, "n": 300}),  # fewer than threads
    ("abk,kcd->cbad", {"a": 30, "b": 31, "k": 400, "c": 20, "d": 33}),
    ("amk,akn->mn", {"a": 7, "m": 210, "k": 90, "n": 300}), ("amk,kna->mn", {"a": 7, "m": 210, "k": 90, "n": 300}),  # two sums
    ("i,i->", {"i": 1_000_003}), ("ij->i", {"i": 3, "j": 700_001}), ("ij->i", {"i": 3000, "j": 301}),
    _DOWN, ("ij,j->ij", {"i": 1999, "j": 503}),
    _LONG, ("ijk->ik", {"i": 2, "j": 301, "k": 1701}), ("ijk->ij", {"i": 2, "j": 1501, "k": 301}), ("i->i", {"i": 1_500_001}),
    ("ij->ji", {"i": 1501, "j": 1203}), ("abc->cba", {"a": 90, "b": 101, "c": 110}),
    ("abcd,d->abcd", {"a": 3, "b": 7, "c": 31, "d": 901}), ("abcd,d->abcd", {"a": 2, "b": 1, "c": 5, "d": 80_001}),  # loops that are one
    ("abcd,d->abcd", {"a": 3, "b": 0, "c": 7, "d": 9}), ("abcd->abc", {"a": 5, "b": 7, "c": 11, "d": 3001}),
    ("ijk->j", {"i": 70_001, "j": 5, "k": 3}), ("mk,kn->mn", {"m": 9, "k": 200_003, "n": 5}),  # parts, and less behind them than a vector has
    ("mk,k->m", {"m": 4000, "k": 400}), ("mk,kn->mn", {"m": 0, "k": 5, "n": 7}), ("i,i->", {"i": 0}),
]
# Other kinds: windows, borders, several statements. Shapes of inputs, then of the output.
_DEFS = [
    ("conv", "conv_2d_nhwc_hwcf", [(2, 66, 66, 32), (3, 3, 32, 48)], (2, 64, 64, 48)),
    ("conv", "conv_2d_nchw_fchw", [(2, 16, 66, 66), (48, 16, 3, 3)], (2, 48, 64, 64)),
    ("depthwise", "depthwise_conv_2d_nhwc_hwc", [(2, 66, 66, 96), (3, 3, 96)], (2, 64, 64, 96)),
    ("pooling", "pooling_nhwc_max", [(2, 65, 65, 96), (2, 2)], (2, 64, 64, 96)),
    ("softmax", "softmax", [(700, 500)], (700, 500)),
    ("layout", "reverse", [(2_500_003,)], (2_500_003,)), ("layout", "transpose", [(1601, 1503)], (1503, 1601)),
    ("layout", "transpose", [(1600, 1504)], (1504, 1600)),
    ("layout", "transpose", [(70, 33001)], (33001, 70)),  # large
]
# The sums of these are split: other bits than without threads.
_SPLIT_DEFS = [("softmax", "softmax", [(1, 800_003)], (1, 800_003)), ("softmax", "softmax", [(3, 300_003)], (3, 300_003)),
               ("attention", "attention", [(1, 1, 3, 48), (1, 1, 8200, 48), (1, 1, 8200, 48)], (1, 1, 3, 48)),  # rounds in parts
               ("attention", "attention", [(1, 2, 1, 80), (1, 2, 5000, 80), (1, 2, 5000, 80)], (1, 2, 1, 80))]
_STRINGS = sorted({string for string, _ in _CASES})
_MOST = 4  # threads the kernels are made for


def build(folder, name, *flags, compiler=(), threads=_MOST, strings=_STRINGS, defs=_DEFS, level="-O0"):
    """One shared library of these kernels, k0, k1, ... and t_NAME, with the pool in it."""
    objects = []
    for i, string in enumerate(strings):
        einc_tool.must(einc_tool.run("build", "--einsum", string, "--sources-only", "--one-file", f"--threads={threads}", "--target=x86-64-v3",
                                     f"--prefix=k{i}_", f"--name=k{i}", "-o", folder, *flags))
        objects.append(folder / f"k{i}.c")
    for spec, name_of_def in sorted({(spec, name) for spec, name, _, _ in defs}):
        einc_tool.must(einc_tool.run("build", einc_tool.find(f"specs/{spec}.tc"), "--def", name_of_def, "--sources-only", "--one-file", "-o", folder,
                                     f"--threads={threads}", f"--target={'native' if einc_tool.LONG else 'x86-64-v3'}", "--prefix=t_", f"--name={name_of_def}", *flags))
        objects.append(folder / f"{name_of_def}.c")
    flags, path, team = [CLANG, "-std=c11", level, "-fPIC", "-pthread", *compiler], folder / f"{name}.so", folder / f"{name}.team.o"
    pool = [] if "-fopenmp" in compiler else [str(team)]
    if pool:
        compilers.compile_c(*flags, "-c", "-I", einc_tool.find("runtime/threads.h").parent.parent, einc_tool.find("tests/numeric/team.c"), out=team)
    compilers.compile_library(*flags, sources=objects, out=path, linked=["-pthread", *compiler, *pool])
    return path


def call(library, string, arrays, start):
    result = start.copy()
    words = [abi.describe(a) for a in arrays + [result]]
    status = getattr(library, f"k{_STRINGS.index(string)}_einsum")(*[ctypes.byref(w) for w in words])
    if status != 0:
        raise AssertionError(f"status {status}")
    return result


def data(string, sizes, rng):
    inputs, output = string.split("->")
    draw = lambda letters: rng.standard_normal([sizes[i] for i in letters]).astype(np.float32)
    return [draw(part) for part in inputs.split(",")], draw(output)


def bounded(string, sizes, arrays, start, got):
    inputs, output = string.split("->")
    wide = [a.astype(np.float64) for a in arrays]
    want = start + np.einsum(string, *wide, optimize=True)
    weight = np.abs(start) + np.einsum(string, *[np.abs(a) for a in wide], optimize=True)
    length = int(np.prod([sizes[i] for i in set(inputs) - set(output) - {","}] or [1]))
    bad = np.abs(got - want) > (length + 3) * np.finfo(np.float32).eps * weight
    return f"{int(bad.sum())} elements are off" if bad.any() else None


def teams(library):
    """Settings of the pool: threads, and whether tasks run one after the other, the last first."""
    for threads, reverse in [(1, 0), (2, 0), (3, 0), (_MOST, 0), (16, 0), (_MOST, 1)]:
        library.team_set(threads, reverse)
        yield f"{threads} threads{' in reverse' if reverse else ''}"


def same_on_all(library, openmp, i, string, sizes):
    """The bits of one thread, which are within their bound, on each team; and of OpenMP's threads."""
    arrays, start = data(string, sizes, np.random.default_rng(i))
    first = None
    for team in teams(library):
        got = call(library, string, arrays, start)
        if first is None:
            first = got
            message = bounded(string, sizes, arrays, start, got)
            if message:
                return f"{string} {sizes}: {message}"
        if got.tobytes() != first.tobytes():
            return f"{string} {sizes}: {team} give other bits than one"
    for threads in [1, 3, _MOST]:
        openmp.omp_set_num_threads(threads)
        if call(openmp, string, arrays, start).tobytes() != first.tobytes():
            return f"{string} {sizes}: {threads} threads of OpenMP give other bits than one"
    return None


def call_def(library, name, inputs, output):
    rng = np.random.default_rng(len(name))
    result = np.zeros(output, np.float32)
    arrays = [rng.standard_normal(shape).astype(np.float32) for shape in inputs]
    words = [abi.describe(a) for a in arrays + [result]]
    nulls = 2 if "conv" in name or "pool" in name else 0  # strides and dilations: as they are by default
    arguments = [ctypes.byref(w) for w in words] + [None] * nulls
    if name == "attention":
        arguments.insert(len(arrays), ctypes.c_float(0.25))
    status = getattr(library, f"t_{name}")(*arguments)
    if status != 0:
        raise AssertionError(f"status {status}")
    return result


def same_def_on_all(library, plain, name, inputs, output):
    """The bits of one thread, and of a library that was built without threads, if that is given."""
    first = None
    for team in teams(library):
        for one in (library, plain) if first is None and plain else (library,):
            result = call_def(one, name, inputs, output)
            first = result if first is None else first
            if result.tobytes() != first.tobytes():
                return f"{name}: {team} give other bits than one"
    return None if np.isfinite(first).all() and first.any() else "no result"


def is_shared(library, runs, kernel):
    """The kernel shares out at least so many loops."""
    library.team_set(_MOST, 0)
    before = library.team_runs()
    kernel()
    shared = library.team_runs() - before
    return None if shared >= runs else f"{shared} loops were shared out, not {runs}"


def strict_is_sequential(library, i, string, sizes):
    """--fp=strict: the bits of loops in the order of the letters."""
    arrays, start = data(string, sizes, np.random.default_rng(i))
    inputs, output = string.split("->")
    letters = sorted(set(inputs) - set(output) - {","}, key=string.index)
    want = start.copy()
    for position in np.ndindex(*[sizes[letter] for letter in letters]):
        at = dict(zip(letters, position))
        parts = [a[tuple(at.get(letter, slice(None)) for letter in part)] for a, part in zip(arrays, inputs.split(","))]
        names = ["".join(letter for letter in part if letter not in at) for part in inputs.split(",")]
        want = want + np.einsum(",".join(names) + "->" + output, *parts)
    for team in teams(library):
        got = call(library, string, arrays, start)
        if got.tobytes() != want.astype(np.float32).tobytes():
            return f"{string} {sizes}: {team}: not the bits of the written order"
    return None


def no_trace(folder):
    """One thread leaves nothing of threads in the code."""
    text = einc_tool.must(einc_tool.run("emit", "--einsum", "mk,kn->mn", "--stage=c", "--threads=1")).stdout.replace("static __thread char text", "")  # of NAME_explain
    default = einc_tool.must(einc_tool.run("emit", "--einsum", "mk,kn->mn", "--stage=c")).stdout.replace("static __thread char text", "")
    found = [word for word in ("thread", "omp.h", "OPENMP", "einc_share") if word in text]
    return f"there is {found}" if found else None if text == default else "--threads=1 is not the default"


def fixed_has_no_warnings(folder, string, sizes):
    """Where sizes are known, and so what is worth a thread, nothing is left that is not used."""
    tensors = "ABCDEFGHI"[:string.count(",") + 1].lower() + "ot"  # whose names are not those of sizes
    dims = [f"--dim={f'N_{letter}' if letter in tensors else letter.upper()}={size}" for letter, size in sizes.items()]
    source = folder / "fixed.c"
    einc_tool.must(einc_tool.run("emit", "--einsum", string, "--stage=c", "--threads=2", "--target=x86-64-v4", "-o", source, *dims))
    flags = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-I", einc_tool.find("runtime/threads.h").parent.parent]
    got = subprocess.run([CLANG, *flags, source], capture_output=True, text=True)
    return None if got.returncode == 0 else got.stderr


def schedule_goes_back_in(folder, string):
    """What --stage=schedule prints is accepted, with threads, too, and changes nothing."""
    flags = ["--einsum", string, f"--threads={_MOST}", "--target=x86-64-v3"]
    (folder / "s.sched").write_text(einc_tool.must(einc_tool.run("emit", "--stage=schedule", *flags)).stdout)
    loaded = einc_tool.must(einc_tool.run("emit", "--stage=tiled", f"--schedule={folder}/s.sched", *flags)).stdout
    same = loaded == einc_tool.must(einc_tool.run("emit", "--stage=tiled", *flags)).stdout
    return None if same else f"{string}: other code than without the schedule"


def inside(path):
    """In a process with TSan's runtime."""
    library = ctypes.CDLL(path)
    for i, (string, sizes) in enumerate(_CASES):
        small = {k: min(v, 90_000 if len(sizes) < 3 else 330) for k, v in sizes.items()}
        library.team_set(_MOST, 0)
        arrays, start = data(string, small, np.random.default_rng(i))
        call(library, string, arrays, start)
    for _, name, inputs, output in _DEFS + _SPLIT_DEFS:
        call_def(library, name, inputs, output)
    print("done")


def under_tsan(folder):
    path = build(folder, "tsan", compiler=["-g", "-fsanitize=thread", "-shared-libsan"], defs=_DEFS + _SPLIT_DEFS)
    runtime = subprocess.run([CLANG, "-print-file-name=libclang_rt.tsan-x86_64.so"], capture_output=True, text=True).stdout.strip()
    result = subprocess.run([sys.executable, "-m", "tests.numeric.threads_test", "--inside", path], capture_output=True, text=True,
                            env={**os.environ, "LD_PRELOAD": runtime, "OPENBLAS_NUM_THREADS": "1",
                                 "TSAN_OPTIONS": "halt_on_error=1:report_thread_leaks=0:ignore_noninstrumented_modules=1"})
    return None if result.returncode == 0 and "done" in result.stdout else (result.stdout[-500:] + result.stderr)[:4000]


def without_openmp(folder, links):
    """clang where no OpenMP is installed: no header and, unless something else `links`, no library."""
    hidden = folder / "hidden"
    hidden.mkdir(exist_ok=True)
    (hidden / "omp.h").write_text('#error "there is no omp.h here"\n')
    refusal = "" if links else 'case " $* " in *fopenmp*) echo "there is no OpenMP here" >&2; exit 1;; esac\n'
    compiler = folder / ("cc_links" if links else "cc")
    compiler.write_text(f'#!/bin/sh\n{refusal}exec {CLANG} -I "{hidden}" "$@"\n')
    compiler.chmod(0o755)
    return compiler


def runs_without_openmp(folder):
    """einc eval needs no OpenMP for its threads, and einc build none of its headers."""
    string, sizes = "mk,kn->mn", {"m": 700, "k": 300, "n": 310}
    arrays, start = data(string, sizes, np.random.default_rng(1))
    args = ["eval", "--einsum", string, "--engine=native", f"--threads={_MOST}", f"--cc={without_openmp(folder, False)}"]
    for name, array in zip("ABO", arrays + [start]):
        np.save(folder / f"{name}.npy", array)
        args += ["--in", f"{name}={folder}/{name}.npy"]
    einc_tool.must(einc_tool.run(*args, "--out", f"O={folder}/R.npy"))
    message = bounded(string, sizes, arrays, start, np.load(folder / "R.npy"))
    einc_tool.must(einc_tool.run("build", "--einsum", string, f"--threads={_MOST}", "--target=x86-64-v3", "--name=hidden", "-o", folder,
                                 f"--cc={without_openmp(folder, True)}"))
    return message


def main():
    if "--inside" in sys.argv:
        inside(sys.argv[-1])
        return
    cases, folder = einc_tool.Cases(), einc_tool.scratch()
    library = ctypes.CDLL(str(build(folder, "team", level="-O2", defs=_DEFS + _SPLIT_DEFS)))
    openmp = ctypes.CDLL(str(build(folder, "openmp", compiler=["-fopenmp"], defs=[], level="-O1")))
    for i, (string, sizes) in enumerate(_CASES):
        cases.run(f"{string} {sizes}", same_on_all, library, openmp, i, string, sizes)
    plain = build(folder, "plain", threads=1, strings=[])
    for _, name, inputs, output in _DEFS:
        cases.run(name, same_def_on_all, library, ctypes.CDLL(str(plain)), name, inputs, output)
    for _, name, inputs, output in _SPLIT_DEFS:
        cases.run(f"{name} {output}", same_def_on_all, library, None, name, inputs, output)
    for case in [_LONG, _DOWN]:
        cases.run(f"threads share {case}", is_shared, library, 1, lambda: call(library, case[0], *data(*case, np.random.default_rng(0))))
    cases.run("threads share a softmax", is_shared, library, 4, lambda: call_def(library, *_SPLIT_DEFS[0][1:]))
    for case in _SPLIT_DEFS[2:]:
        cases.run(f"threads share parts of {case[2]}", is_shared, library, 1, lambda: call_def(library, *case[1:]))
    shared = library.team_runs()
    cases.check("loops were shared out", None if shared > 40 else f"{shared} times only")
    strict = ctypes.CDLL(str(build(folder, "strict", "--fp=strict", defs=[])))
    for i, (string, sizes) in enumerate(_CASES):
        small = {k: v if v < 400 else v % 400 + 1 for k, v in sizes.items()}
        cases.run(f"strict {string} {small}", strict_is_sequential, strict, i, string, small)
    for string, sizes in _CASES:
        cases.run(f"fixed {string} {sizes}", fixed_has_no_warnings, folder, string, sizes)
    for string in _STRINGS:
        cases.run(f"schedule {string}", schedule_goes_back_in, folder, string)
    cases.run("no trace of threads", no_trace, folder)
    cases.run("no OpenMP installed", runs_without_openmp, folder)
    cases.run("ThreadSanitizer", under_tsan, folder)
    cases.finish()


if __name__ == "__main__":
    main()
