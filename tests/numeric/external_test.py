# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Functions of the user's own (library_call): kernels of external.tc call those of external.c.

  values     defs, and ops that a schedule names, over any strides and offsets; against NumPy
  calls      one for each call of a kernel, on threads, too; none where the kernel refuses its arguments
  header     external.c is compiled against it; another signature does not compile
  levels     the interpreter runs what a call stands for, on every level
  refusals   messages and exit codes where there is nothing to run, or names clash
"""

import argparse
import ctypes
import json
import subprocess

import numpy as np

from tests.numeric import abi, compilers, einc_tool, levels_test

_TARGETS = {"v2": ["--target=x86-64-v2"], "all": [], "threads": ["--threads=4"]}
# Which op of a def is computed by which function.
_OPS = {"dense": "op 2 external { library_call = my_activation }", "normal": "op 4 external { library_call = my_sums }"}
# The same by a step, on tiles of the results.
_TILES = {"dense": "op 2 { tile m by 3 tile n by 4 call my_activation }"}
_STRICT = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror"]


def schedule(folder, ops):
    """The same for every target of a library."""
    lines = [f'schedule @{name} for "x86-64-v{level}" {{ {said} }}\n' for name, said in ops.items() for level in (2, 3, 4)]
    (folder / "external.sched").write_text("einc_schedule 1\n" + "".join(lines))
    return f"--schedule={folder}/external.sched"


def sources(folder, *flags, ops=_OPS):
    """external.c and external.h, as they are generated, and external.c, as it stands here."""
    folder.mkdir(parents=True, exist_ok=True)
    spec = einc_tool.find("tests/numeric/external.tc")
    einc_tool.must(einc_tool.run("build", spec, "-o", folder, "--name=external", "--sources-only", "--one-file", schedule(folder, ops), *flags))
    return [folder / "external.c", einc_tool.find("tests/numeric/external.c")]


def library(folder, *flags, ops=_OPS):
    """Kernels and functions in one, which is loaded."""
    path = folder / "external.so"
    compilers.compile_c(einc_tool.CLANG, *_STRICT, "-O1", "-fopenmp", "-I", folder, "-shared", "-fPIC", *sources(folder, *flags, ops=ops), "-lm", out=path)
    return abi.Library(path, folder / "external.json")


def compiles(folder, compiler):
    """Both files, and kernels for small sizes that are known, without a warning."""
    kernels, functions = sources(folder)
    known, _ = sources(folder / "known", "--dim=M=4", "--dim=N=8", "--dim=K=4")
    for i, source in enumerate([kernels, functions, known]):
        compilers.compile_c(compiler, *_STRICT, "-O1", "-I", folder, "-c", source, out=folder / f"{i}.o")
    text = known.read_text()
    return None if "dense_dense" not in text and "_softmax_view4x8xf64_view4x8xf64(" in text else "other names, or kernels for arguments without gaps"


def as_cpp(folder):
    """The header, in which each function has the name that C gives it."""
    sources(folder)
    (folder / "main.cpp").write_text('#include "external.h"\nvoid *f = reinterpret_cast<void *>(&_mlir_ciface_my_matmul);\n')
    command = ["clang++-19", "-Wall", "-Wextra", "-Werror", "-I", folder, "-c", folder / "main.cpp", "-o", folder / "main.o"]
    einc_tool.must(subprocess.run(command, capture_output=True, text=True))
    symbols = subprocess.run(["llvm-nm-19", folder / "main.o"], capture_output=True, text=True).stdout
    return None if "U _mlir_ciface_my_matmul\n" in symbols else symbols


def other_signature(folder):
    """A function that is not what the header says."""
    _, ours = sources(folder)
    wrong = ours.read_text().replace("float alpha", "double alpha")
    (folder / "wrong.c").write_text(wrong)
    result = subprocess.run([einc_tool.CLANG, "-I", folder, "-c", folder / "wrong.c", "-o", folder / "wrong.o"], capture_output=True, text=True)
    return None if result.returncode and "conflicting types" in result.stderr and wrong != ours.read_text() else "it compiles"


# ---- Values ----


def placed(rng, array):
    """The same elements somewhere in a larger array: any strides, negative ones, too."""
    steps = [int(rng.choice([1, 2, 3, -1, -2])) for _ in array.shape]
    order = rng.permutation(array.ndim)
    sizes = [abs(step) * size + 2 for step, size in zip(steps, array.shape)]
    memory = np.full([sizes[d] for d in order], np.nan, array.dtype).transpose(np.argsort(order))
    view = memory[(..., *(slice(1, 1 + step * size, step) if step > 0 else slice(-step * size, 0, step) for step, size in zip(steps, array.shape)))]
    assert view.shape == array.shape
    view[...] = array
    return view


def called(kernels, name, rng, arrays, more=(), between=(), times=1):
    """The last array after the call, which must be counted so often and change no descriptor."""
    views = [placed(rng, array) for array in arrays]
    descriptors = [abi.describe(view, offset=int(rng.integers(5))) for view in views]
    before = [list(words) for words in descriptors]
    count = ctypes.c_int.in_dll(kernels, "calls")
    count.value = 0
    status = kernels.kernel(name)(*descriptors[: len(views) - 1], *between, descriptors[-1], *more)
    assert status == 0, f"status {status}"
    assert count.value == times, f"{count.value} calls"
    assert before == [list(words) for words in descriptors], "a descriptor was changed"
    return views[-1]


def differs(got, want):
    return None if np.allclose(got, want, rtol=1e-5, atol=1e-5) else f"{got}\nnot {want}"


def drawn(rng, *shape):
    return np.asarray(rng.uniform(-1, 1, shape), np.float32)


def sizes_of(rng):
    return [int(rng.choice([0, 1, 2, 5, 17, 40])) for _ in range(3)]


def matmul(kernels, rng):
    m, n, k = sizes_of(rng)
    A, B, C = drawn(rng, m, k), drawn(rng, k, n), drawn(rng, m, n)
    got = called(kernels, "matmul", rng, [A, B, C], between=[ctypes.c_float(0.75)])
    return differs(got, C + 0.75 * (A @ B))


def softmax(kernels, rng):
    m, n, _ = sizes_of(rng)
    X = rng.uniform(-1, 1, (m, n))
    got = called(kernels, "softmax", rng, [X, np.full((m, n), np.nan)])
    return differs(got, np.exp(X) / np.exp(X).sum(1, keepdims=True))


def windows(kernels, rng):
    m, w, by, apart = (int(rng.integers(1, 6)) for _ in range(4))
    strides = None if rng.integers(2) else (by, apart)
    by, apart = strides or (2, 1)
    I, K = drawn(rng, (m - 1) * by + (w - 1) * apart + 1), drawn(rng, w)
    more = [strides and abi.c_attribute("i64", strides), abi.c_attribute("i32", [3]), ctypes.c_int64(1)]
    got = called(kernels, "windows", rng, [I, K, np.full(m, np.nan, np.float32)], more)
    return differs(got, [3 * sum(I[i * by + j * apart] * K[j] for j in range(w)) for i in range(m)])


def dot(kernels, rng):
    x, y, s = drawn(rng, 8), drawn(rng, 8), drawn(rng)
    return differs(called(kernels, "dot", rng, [x, y, s]), s + x @ y)


def dense(kernels, rng):
    m, n, k = sizes_of(rng)
    A, B, bias = drawn(rng, m, k), drawn(rng, k, n), drawn(rng, n)
    got = called(kernels, "dense", rng, [A, B, bias, np.full((m, n), np.nan, np.float32)], between=[ctypes.c_float(2)])
    return differs(got, np.maximum(A @ B + 2 * bias, 0))


def tiles(kernels, rng):
    """Of the activation, each on what there is of its operands."""
    m, n, k = sizes_of(rng)
    A, B, bias = drawn(rng, m, k), drawn(rng, k, n), drawn(rng, n)
    got = called(kernels, "dense", rng, [A, B, bias, np.full((m, n), np.nan, np.float32)], between=[ctypes.c_float(2)], times=-(-m // 3) * -(-n // 4))
    return differs(got, np.maximum(A @ B + 2 * bias, 0))


def normal(kernels, rng):
    m, n, _ = sizes_of(rng)
    X = drawn(rng, m, n)
    got = called(kernels, "normal", rng, [X, np.full((m, n), np.nan, np.float32)])
    return differs(got, np.exp(X) / np.exp(X).sum(1, keepdims=True))


_DEFS = [matmul, softmax, windows, dot, dense, normal]


def refuses(kernels):
    """Nothing is called where the arguments do not fit."""
    count = ctypes.c_int.in_dll(kernels, "calls")
    count.value = 0
    shapes = [(3, 4), (5, 2), (3, 2)]
    arrays = [abi.describe(np.zeros(shape, np.float32)) for shape in shapes]
    status = kernels.matmul(*arrays[:2], ctypes.c_float(1), arrays[2])
    return None if status < 0 and count.value == 0 else f"status {status}, {count.value} calls"


def memory(folder):
    """Locals of a def that is called as a whole need none; those between a kernel and a function do."""
    sources(folder)
    kernels = {k["def"]: k for k in json.loads((folder / "external.json").read_text())["kernels"]}
    wanted = {"matmul": False, "softmax": False, "windows": False, "dot": False, "dense": True, "normal": True}
    return None if {name: k["workspace"] for name, k in kernels.items()} == wanted else "another manifest"


# ---- Levels and refusals ----


def level(folder, engine, rng):
    """What the calls stand for, whatever the level."""
    folder.mkdir(parents=True, exist_ok=True)
    spec = einc_tool.find("tests/numeric/external.tc")
    A, B, bias, X = drawn(rng, 7, 9), drawn(rng, 9, 11), drawn(rng, 11), rng.uniform(-1, 1, (5, 6))
    shares = np.exp(X) / np.exp(X).sum(1, keepdims=True)
    calls = {"dense": ({"A": A, "B": B, "bias": bias}, np.maximum(A @ B + 0.5 * bias, 0)), "softmax": ({"X": X}, shares),
             "normal": ({"X": X.astype(np.float32)}, shares)}
    for name, (arrays, want) in calls.items():
        args = ["eval", spec, f"--def={name}", f"--engine={engine}", "--target=x86-64-v3"]
        args += [schedule(folder, {name: _OPS[name]})] if name in _OPS else []
        args += ["--attr", "s=0.5"] if name == "dense" else []
        for tensor, array in arrays.items():
            args += ["--in", levels_test.saved(folder, tensor, array, rng)]
        einc_tool.must(einc_tool.run(*args, "--out", f"Y={folder}/Y.npy"))
        if wrong := differs(np.load(folder / "Y.npy"), want):
            return f"{name}: {wrong}"
    return None


_ONE = "library_call<g> def f(A: f32(M)) -> (B: f32(M)) { B(m) = A(m); }"
_REFUSED = [
    (["bench", "--dim", "M=8"], _ONE, "'f' calls 'g', a function of your own, which einc cannot link"),
    (["build", "-o", "FOLDER"], _ONE.replace("<g>", "<f>"), "'f', which is to compute 'f', is the C function of def 'f'"),
    (["build", "-o", "FOLDER", "--prefix=p_"], _ONE.replace("<g>", "<p_f>"), "is the C function of def 'f'"),
    (["build", "-o", "FOLDER"], _ONE + _ONE.replace("f(", "h(").replace("f32", "f64"), "'g' would have two signatures"),
]


def refused(folder, arguments, text, message):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "s.tc").write_text(text)
    words = [str(folder) if word == "FOLDER" else word for word in arguments]
    result = einc_tool.run(words[0], folder / "s.tc", *words[1:])
    return None if result.returncode == 1 and message in result.stderr else f"exit code {result.returncode}\n{result.stderr}"


def no_native(folder):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "s.tc").write_text(_ONE)
    np.save(folder / "A.npy", np.ones(3, np.float32))
    result = einc_tool.run("eval", folder / "s.tc", "--engine=native", "--in", f"A={folder}/A.npy")
    good = result.returncode == 1 and "--engine=reference" in result.stderr and "'g'" in result.stderr
    return None if good else result.stderr


def shared(folder):
    """Two defs that one function computes are declared once."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "s.tc").write_text(_ONE + _ONE.replace("f(", "h("))
    header = einc_tool.must(einc_tool.run("emit", "--stage=header", folder / "s.tc")).stdout
    return None if header.count("_mlir_ciface_g(") == 1 and " * f:\n" in header and " * h:\n" in header else header


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--long", action="store_true")
    rounds = 100 if parser.parse_args().long else 8
    cases, folder = einc_tool.Cases(), einc_tool.scratch()
    rng = np.random.default_rng(20261122)
    for name, flags in _TARGETS.items():
        kernels = library(folder / name, *flags)
        cases.run_all_apart((f"{kernel.__name__} {name} {i}", kernel, kernels, np.random.default_rng([i, len(name)]))
                            for kernel in _DEFS for i in range(rounds))
        cases.run_apart(f"refused arguments, {name}", refuses, kernels)
    for name in ["v2", "all"]:
        kernels = library(folder / f"{name}_tiles", *_TARGETS[name], ops=_TILES)
        cases.run_all_apart((f"tiles {name} {i}", tiles, kernels, np.random.default_rng([i, len(name)])) for i in range(rounds))
    for compiler in [einc_tool.CLANG, einc_tool.GCC]:
        cases.run(f"without warnings, {compiler}", compiles, folder / compiler, compiler)
    cases.run("header in C++", as_cpp, folder / "cpp")
    cases.run("another signature", other_signature, folder / "wrong")
    cases.run("one function for two defs", shared, folder / "shared")
    cases.run("memory", memory, folder / "memory")
    for engine in ["reference", "tiled", "vector", "hw"]:
        cases.run(f"level {engine}", level, folder / engine, engine, rng)
    for i, (arguments, text, message) in enumerate(_REFUSED):
        cases.run(f"refused: {message}", refused, folder / f"refused{i}", arguments, text, message)
    cases.run("no native engine", no_native, folder / "native")
    cases.finish()


if __name__ == "__main__":
    main()
