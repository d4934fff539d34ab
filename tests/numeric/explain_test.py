# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""NAME_explain of kernels that call no library: forms for strides and sizes, arguments without gaps, memory, threads.

Arguments lie where there is no memory: what touches data would not come back.
"""

import ctypes
import re
import shutil
import threading

import numpy as np

from tests.numeric import abi, einc_tool

_SPEC = """
def product(A: f32(M, K), B: f32(K, N)) -> (C: f32(M, N)) { C(m, n) += A(m, k) * B(k, n); }
def small(A: f32(8, 8), B: f32(8, 8)) -> (C: f32(8, 8)) { C(m, n) += A(m, k) * B(k, n); }
def rows(A: f32(M, N)) -> (s: f32(M)) { s(m) += A(m, n); }
def transposed(A: f32(M, N)) -> (B: f32(N, M)) { B(n, m) = A(m, n); }
def blocks(A: f32(M, P, N)) -> (B: f32(N, M, P)) { B(n, m, p) = A(m, p, n); }
def twice(A: f32(M, N)) -> (C: f32(M, N)) { local P: f32(M, N); P(m, n) = A(m, n) + 1.0; C(m, n) = P(m, n) * P(n * 0 + m, n); }
def softmax(X: f32(M, N)) -> (Y: f32(M, N)) {
  local L: f32(M); local E: f32(M, N); local T: f32(M);
  L(m) max=! X(m, n);
  E(m, n) = exp(X(m, n) - L(m));
  T(m) +=! E(m, n);
  Y(m, n) = E(m, n) / T(m);
}
def images(I: f32(N, H, W, C), K: f32(P, Q, C, F)) -> (O: f32(N, Y, X, F)) attr(strides: 2xi64 = [1, 1]) {
  O(n, y, x, f) += I(n, y * strides[0] + p, x * strides[1] + q, c) * K(p, q, c, f);
}
"""
# Where arguments lie: far from each other, and from all memory.
_PLACES = [(i + 1) << 40 for i in range(3)]


def words(place, sizes, strides=None):
    dense = [int(np.prod(sizes[d + 1 :])) for d in range(len(sizes))]
    return abi.descriptor_words(_PLACES[place], 0, sizes, dense if strides is None else strides)


class Kernels:
    def __init__(self, folder, *flags):
        folder.mkdir(parents=True)
        (folder / "k.tc").write_text(_SPEC)
        self.library = abi.build_sources(folder, "k", [folder / "k.tc"], "-O1", *flags)
        text = "".join(file.read_text() for file in folder.rglob("*.c"))
        self.rooms = dict(re.findall(r"^einc_cold const char \*(\w+)_explain\(.*\{\n  static __thread char text\[(\d+)\];", text, re.MULTILINE))
        self.library.einc_status_string.restype = ctypes.c_char_p

    def explain(self, name, *args):
        function = getattr(self.library, f"{name}_explain")
        function.restype = ctypes.c_char_p
        text = function(*args).decode()
        assert not text.endswith("\n") or len(text) < int(self.rooms[name]), f"{len(text)} of {self.rooms[name]} bytes"
        return text


def says(kernels, name, args, *parts):
    text = kernels.explain(name, *args)
    lines = text.splitlines()
    missing = [part for part in parts if part not in lines]
    if missing:
        return f"no line '{missing[0]}' in\n{text}"
    return None if len(set(lines)) == len(lines) else text


_TRANSPOSED = "form where A has stride 1 along dimension 1, B has stride 1 along dimension 1: "
_SMALL = "form where B has stride 1 along dimension 1, C has stride 1 along dimension 1: "
_LARGE, _LINES = "form where M * N > 1048576, ", "lines of B along dimension 1 begin at multiples of 64 bytes: "
_ROW = "form where A has stride 1 along dimension 1: "
# Name, kernel, arguments, lines that are said.
_FORMS = [
    ("target", "product", [words(0, [9, 5]), words(1, [5, 7]), words(2, [9, 7])], ["code for x86-64-v3"]),
    ("no gaps", "small", [words(i, [8, 8]) for i in range(3)], ["no gaps in the arguments: code that knows their strides", _SMALL + "yes"]),
    ("gaps", "small", [words(0, [8, 8], [9, 1]), words(1, [8, 8]), words(2, [8, 8])],
     ["gaps in the arguments, or memory to allocate: code for any strides", _SMALL + "yes"]),
    ("B by columns", "small", [words(0, [8, 8]), words(1, [8, 8], [1, 8]), words(2, [8, 8])], [_SMALL + "no, B has stride 8 along dimension 1"]),
    ("C backwards", "small", [words(0, [8, 8]), words(1, [8, 8]), words(2, [8, 8], [8, -1])], [_SMALL + "no, C has stride -1 along dimension 1"]),
    ("a row", "rows", [words(0, [3, 4]), words(1, [3])], [_ROW + "yes"]),
    ("a column", "rows", [words(0, [3, 4], [1, 3]), words(1, [3])], [_ROW + "no, A has stride 3 along dimension 1"]),
    ("in one place", "rows", [words(0, [3, 4], [0, 0]), words(1, [3])], [_ROW + "no, A has stride 0 along dimension 1"]),
    ("small", "transposed", [words(0, [30, 40]), words(1, [40, 30])], [_TRANSPOSED + "yes", _LARGE + _LINES + "no, M * N is 1200", _LARGE + "M >= 64: no, M * N is 1200"]),
    ("large", "transposed", [words(0, [1600, 1600]), words(1, [1600, 1600])], [_TRANSPOSED + "yes", _LARGE + _LINES + "yes"]),
    ("lines anywhere", "transposed", [words(0, [1601, 1600]), words(1, [1600, 1601])],
     [_TRANSPOSED + "yes", _LARGE + _LINES + "no, some do not", _LARGE + "M >= 64: yes"]),
    ("transposed back", "transposed", [words(0, [30, 40]), words(1, [40, 30], [1, 40])], [_TRANSPOSED + "no, B has stride 40 along dimension 1"]),
    ("windows", "images", [words(0, [1, 16, 16, 4]), words(1, [3, 3, 4, 8]), words(2, [1, 14, 14, 8]), None], ["code for x86-64-v3"]),
]


def drawn(kernels, name, ranks, rng):
    """Any sizes and strides, far beyond memory: a text that fits, whole lines, the workspace that there is."""
    names, sizes = {}, []
    for rank in ranks:
        sizes.append([names.setdefault(letter, int(2 ** rng.uniform(0, 40 / max(map(len, ranks))))) for letter in rank])
    args = []
    for place, size in enumerate(sizes):
        dense = [int(np.prod(size[d + 1 :])) for d in range(len(size))]
        apart = dense if place + 1 == len(sizes) else [int(s * rng.choice([1, 1, -1, 0, 2])) for s in dense]
        args.append(words(place, size, apart))
    text, status = kernels.explain(name, *args), getattr(kernels.library, f"{name}_supported")(*args)
    if status != 0:
        return None if text == kernels.library.einc_status_string(status).decode() else f"status {status}, but\n{text}"
    if not text.endswith("\n") or any(not re.match("code for |form where .*: (yes$|no, .)|workspace: [1-9][0-9]* bytes$", line) for line in text.splitlines()):
        return text
    if not hasattr(kernels.library, f"{name}_workspace"):
        return None
    needed = ctypes.c_int64()
    getattr(kernels.library, f"{name}_workspace")(*args, ctypes.byref(needed))
    said = re.findall(r"^workspace: (\d+) bytes$", text, re.MULTILINE)
    return None if said == ([str(needed.value)] if needed.value > 0 else []) else f"{needed.value} bytes, but\n{text}"


def two_threads(kernels):
    """Each thread has a text of its own, which stays until its next call."""
    function = kernels.library.rows_explain
    function.restype = ctypes.c_void_p
    texts, done, both = {}, {}, threading.Barrier(2)

    def ask(step):
        address = function(words(0, [3, 4], [4 * step, step]), words(1, [3]))
        both.wait(60)
        texts[step], done[step] = ctypes.string_at(address).decode(), address
        both.wait(60)

    threads = [threading.Thread(target=ask, args=(step,)) for step in (1, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    good = done[1] != done[2] and ": yes\n" in texts[1] and "no, A has stride 2 along dimension 1" in texts[2]
    return None if good else str(texts)


def clash(folder):
    folder.mkdir(parents=True)
    (folder / "s.tc").write_text("def f(A: f32(M)) -> (B: f32(M)) { B(m) = A(m); }\ndef f_explain(A: f32(M)) -> (B: f32(M)) { B(m) = A(m); }\n")
    result = einc_tool.run("build", folder / "s.tc", "-o", folder, "--sources-only")
    good = result.returncode == 1 and "both have the C function 'f_explain'" in result.stderr
    return None if good else f"exit code {result.returncode}: {result.stderr}"


_RANKS = {
    "product": ["MK", "KN", "MN"], "rows": ["MN", "M"], "transposed": ["MN", "NM"], "blocks": ["MPN", "NMP"], "twice": ["MN", "MN"],
    "softmax": ["MN", "MN"],
}


def main():
    cases = einc_tool.Cases()
    folder = einc_tool.scratch()
    rng = np.random.default_rng(20261122)
    for i, flags in enumerate([[], ["--threads=4"]]):
        kernels = Kernels(folder / str(i), "--target=x86-64-v3", *flags)
        for name, kernel, args, lines in _FORMS if not flags else []:
            cases.run(f"{kernel}, {name}", says, kernels, kernel, args, *lines)
        for name, ranks in _RANKS.items():
            for j in range(100):
                cases.run(f"{name} {j} {flags}", drawn, kernels, name, ranks, rng)
        cases.run(f"two threads {flags}", two_threads, kernels)
    cases.run("names", clash, folder / "clash")
    shutil.rmtree(folder, ignore_errors=True)
    cases.finish()


if __name__ == "__main__":
    main()
