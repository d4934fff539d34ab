# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""What `+=!` and its kin clear: the elements that their statement writes, and no others.

Random defs of several statements (=, +=, +=!, max=!, combiners of one and two outputs) on parts of one tensor, an
output or a local, in any order, run on every engine, with sizes 0 among them. With --vulkan on a device, too.
"""

import argparse
import os
import random

import numpy as np

from tests.numeric import einc_tool

_ENGINES = ["reference", "tiled", "vector", "hw", "native"]
_TARGETS = ["generic", "x86-64-v2", "x86-64-v3", "x86-64-v4", "vulkan"]
_SIZES = [0, 1, 2, 3, 5, 8, 9, 17, 33]
_HEAD = """combiner plus(a, b) = a + b neutral 0;
combiner both((a, b), (c, d)) = a + c, max(b, d) neutral 0, lowest;
"""


def parts_of(sizes):
    """Ways to write parts of a tensor: its sizes as text and as numbers, and for each part the indices as text and as positions."""
    m, n, a = np.arange(sizes["M"])[:, None], np.arange(sizes["N"])[None, :], sizes["a"]
    ones, p = np.ones((1, 1), int), sizes["P"]
    return {
        "slices": ("M, N, 3", (sizes["M"], sizes["N"], 3), [(f"m, n, {c}", (m, n, c * ones)) for c in range(3)]),
        "planes": ("3, N, M", (3, sizes["N"], sizes["M"]), [(f"{c}, n, m", (c * ones, n, m)) for c in range(3)]),
        "stripes": ("2 * M + 1, N", (2 * sizes["M"] + 1, sizes["N"]), [("2 * m, n", (2 * m, n)), ("2 * m + 1, n", (2 * m + 1, n))]),
        "shifts": ("P, N", (p, sizes["N"]), [("m, n", (m, n)), ("m + a, n", (m + a, n)), ("P - 1 - m, n", (p - 1 - m, n))]),
        "halves": ("P, 2, N", (p, 2, sizes["N"]), [("m / 2, m % 2, n", (m // 2, m % 2, n)), ("m + 1, 0, n", (m + 1, 0 * ones, n))]),
        "diagonal": ("M, P, N", (sizes["M"], p, sizes["N"]), [("m, m + a, n", (m, m + a, n)), ("m, 0, n", (m, 0 * ones, n))]),
    }  # fmt: skip


class Drawn:
    def __init__(self, seed):
        r = self.random = random.Random(seed)
        self.sizes = {s: r.choice(_SIZES) for s in "MNK"}
        self.sizes["a"] = r.randint(0, 2)
        self.sizes["P"] = 2 * self.sizes["M"] + 3
        self.dtype = np.dtype(r.choice([np.float32, np.float32, np.int32]))
        self.kind = "f32" if self.dtype == np.float32 else "i32"
        rng = np.random.default_rng(seed)
        draw = lambda *shape: rng.integers(-3, 4, shape).astype(self.dtype)
        self.arrays = {"X": draw(self.sizes["M"], self.sizes["K"]), "V": draw(self.sizes["K"], self.sizes["N"])}
        self.arrays |= {"R": draw(self.sizes["M"]), "Q": draw(self.sizes["N"]), "S": draw(self.sizes["P"])}
        tensors = []
        for name in "YZ":
            text, shape, parts = r.choice(list(parts_of(self.sizes).values()))
            tensors.append((name, text, parts))
            self.arrays[name] = draw(*shape)
        self.wanted = {name: self.arrays[name].copy() for name in "YZ"}
        self.text = self._statements(tensors)

    def _statements(self, tensors):
        r = self.random
        head = f"X: {self.kind}(M, K), V: {self.kind}(K, N), R: {self.kind}(M), Q: {self.kind}(N), S: {self.kind}(P)"
        outputs = ", ".join(f"{name}: {self.kind}({text})" for name, text, _ in tensors)
        lines, locals_ = [], {}
        for name, text, _ in tensors:
            if r.random() < 0.3:  # a local takes its place, until the end
                locals_[name] = "T" + name
                index = ", ".join(f"i{d}" for d in range(text.count(",") + 1))
                head += f", {name}0: {self.kind}({text})"
                self.arrays[name + "0"] = self.arrays[name]
                lines += [f"local T{name}: {self.kind}({text});", f"T{name}({index}) = {name}0({index});"]
        for _ in range(r.randint(2, 4)):
            lines.append(self._statement(tensors, locals_))
        for name, local in locals_.items():
            index = ", ".join(f"i{d}" for d in range(self.wanted[name].ndim))
            lines.append(f"{name}({index}) = {local}({index});")
        for name in "YZ":  # all sizes are given, and both are written
            lines.append(f"{name}({', '.join(f'i{d}' for d in range(self.wanted[name].ndim))}) += S(p) * 0;")
        return f"{_HEAD}def f({head}) -> ({outputs})\n  attr(a: i64)\n{{\n  " + "\n  ".join(lines) + "\n}\n"

    def _statement(self, tensors, locals_):
        r, x, v = self.random, self.arrays["X"], self.arrays["V"]
        terms = x[:, None, :] * v.T[None, :, :]
        targets = [tensors[0], tensors[1]] if r.random() < 0.2 else [r.choice(tensors)]
        chosen = [(name, *r.choice(parts)) for name, _, parts in targets]
        left = ", ".join(f"{locals_.get(name, name)}({index})" for name, index, _ in chosen)
        if len(chosen) == 2:
            folds, sign, right = [np.sum, lowest(self.dtype)], "both=!", "X(m, k) * V(k, n), X(m, k) * V(k, n)"
        else:
            sign = r.choice(["=", "+=", "+=!", "+=!", "plus=!", "max=!", "max="])
            folds, right = [lowest(self.dtype) if "max" in sign else np.sum], "X(m, k) * V(k, n)"
        for (name, _, at), fold in zip(chosen, folds):
            array = self.wanted[name]
            if sign == "=":
                right = r.choice(["7 + 0 * R(m)", "R(m) + Q(n)"])
                value = 7 if right[0] == "7" else self.arrays["R"][:, None] + self.arrays["Q"]
            else:
                old = array[at][..., None] if "!" not in sign else terms[..., :0]
                value = fold(np.concatenate([old, terms], -1), -1)
            array[at] = value
        return f"{left} {sign} {right};"


def lowest(dtype):
    """Maxima that begin with the least value."""
    least = -np.inf if dtype == np.float32 else np.iinfo(dtype).min
    return lambda array, axis: array.max(axis, initial=least)


def case(folder, program, engine):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "s.tc").write_text(program.text)
    args = ["eval", folder / "s.tc", f"--engine={engine}", "--attr", f"a={program.sizes['a']}"]
    if engine in ("vector", "hw", "tiled"):
        args.append(f"--target={program.random.choice(_TARGETS)}")
    if engine in ("native", "hw", "vulkan") and program.random.random() < 0.3:
        args += [f"--dim={s}={program.sizes[s]}" for s in "MNKP"]
    if engine == "native":
        args += program.random.choice([[], [], ["--lib=cblas"], ["--threads=2"], ["--fp=strict"]])
    return einc_tool.first_difference(folder, args, program.arrays, program.wanted, program.text)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--vulkan", action="store_true", help="on a device")
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--count", type=int, default=1500 if einc_tool.LONG else 100)
    options = parser.parse_args()
    os.environ["EINC_VK_VALIDATION"] = "1"
    cases, folder = einc_tool.Cases(), einc_tool.scratch()
    for seed in range(options.first, options.first + options.count):
        program = Drawn(seed)
        engines = ["vulkan"] if options.vulkan else ["reference", _ENGINES[seed % len(_ENGINES)]]
        for engine in sorted(set(engines)):
            cases.run(f"{seed}, {engine}", case, folder, program, engine)
    cases.finish()


if __name__ == "__main__":
    main()
