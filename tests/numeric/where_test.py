# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""`where` behind a statement: iterations outside are not done, on every engine, as NumPy has it.

Random statements (maps, locals, sums of rows and columns, products, two outputs at once) with random conditions:
triangles, bands, digits, lengths in a tensor, some of them negative. With --vulkan on a device.
"""

import argparse
import os
import random
import re

import numpy as np

from tests.numeric import einc_tool

_ENGINES = ["reference", "tiled", "vector", "hw", "native", "native"]
_TARGETS = ["generic", "x86-64-v2", "x86-64-v3", "x86-64-v4"]
_SIZES = [0, 1, 2, 7, 8, 9, 15, 16, 17, 33, 64, 65]
_HEAD = """combiner plus(a, b) = a + b neutral 0;
combiner both((a, b), (c, d)) = a + c, max(b, d) neutral 0, lowest;
"""
# What is written, its right side, and all iterators.
_FORMS = [
    ("C(m, n)", "X(m, k) * V(k, n)", "mnk"),
    ("C(m, n)", "X(m, k) * V(k, n)", "mnk"),
    ("G(b, m, n)", "Q(b, m, k) * U(b, k, n)", "bmnk"),
    ("R(m)", "W(m, n)", "mn"),
    ("S(n)", "W(m, n)", "nm"),
    ("C(m, n)", "W(m, n) * 2 + E(m)", "mn"),
    ("C(m, n)", "W(m, n) - 1", "mn"),
]
_INPUTS = {"X": "mk", "V": "kn", "W": "mn", "E": "m", "Q": "bmk", "U": "bkn"}
_OUTPUTS = {"C": "mn", "G": "bmn", "R": "m", "S": "n"}


class Drawn:
    def __init__(self, seed):
        r = self.random = random.Random(seed)
        rng = np.random.default_rng(seed)
        self.sizes = {s: r.choice(_SIZES) for s in "MNK"} | {"B": r.randint(0, 3), "a": r.randint(-3, 9)}
        self.left, self.right, self.iterators = r.choice(_FORMS)
        self.kind, self.dtype = r.choice([("f32", np.float32), ("f32", np.float32), ("f64", np.float64), ("i32", np.int32)])
        shape = lambda axes: tuple(self.sizes[a.upper()] for a in axes)
        self.arrays = {name: rng.integers(-3, 4, shape(axes)).astype(self.dtype) for name, axes in _INPUTS.items()}
        self.output = self.left[0]
        axes = _OUTPUTS[self.output]
        self.old = rng.integers(-3, 4, shape(axes)).astype(self.dtype)
        self.reduces = len(axes) < len(self.iterators)
        self.length_kind = r.choice(["i32", "i64", "u8", "i16", "u64"])
        self.length_axes = "".join(i for i in self.iterators if r.random() < 0.5)
        lowest = 0 if self.length_kind[0] == "u" else -3
        self.lengths = rng.integers(lowest, 70, shape(self.length_axes)).astype({"i": "int", "u": "uint"}[self.length_kind[0]] + self.length_kind[1:])
        self.conditions = [self._condition() for _ in range(r.choice([1, 1, 1, 2, 3]))]
        self.sign = r.choice(["+=", "+=!", "+=!", "max=!", "-=", "plus=!", "max=", "both=!"]) if self.reduces else "="
        self.local = not self.reduces and r.random() < 0.4
        self.text = self._text()

    def _condition(self):
        r = self.random
        p, q = r.sample(self.iterators, 2) if len(self.iterators) > 1 else self.iterators * 2
        if "L(" not in "".join(getattr(self, "drawn", [])) and r.random() < 0.25:
            element = f"L({', '.join(self.length_axes)})"
            condition = r.choice([f"{p} {self._sign()} {element}", f"{element} {self._sign()} {p} + {r.randint(-2, 9)}"])
        else:
            move = r.choice(["", f" + {r.randint(1, 20)}", f" - {r.randint(1, 20)}", " + a"])
            condition = r.choice([f"{p} {self._sign()} {q}{move}"] * 3 + [f"{p} + {q}{move} {self._sign()} {q.upper()}", f"2 * {p} {self._sign()} {q}{move}", f"{p} / 3 {self._sign()} {q} % 4", f"{p} {self._sign()} {r.randint(0, 20)}"])
        return condition

    def _sign(self):
        return self.random.choice(["<", "<=", ">", ">=", "=="])

    def _text(self):
        params = [f"{name}: {self.kind}({', '.join(a.upper() for a in axes)})" for name, axes in _INPUTS.items()]
        params.append(f"L: {self.length_kind}({', '.join(a.upper() for a in self.length_axes)})")
        axes = _OUTPUTS[self.output]
        outputs = [f"{o}: {self.kind}({', '.join(a.upper() for a in axes)})" for o in [self.output] + ["D"] * (self.sign == "both=!")]
        where = " where " + " and ".join(self.conditions)
        left, right, lines = self.left, self.right, []
        if self.sign == "both=!":
            left, right = left + ", D" + left[1:], right + ", " + right
        if self.local:
            lines = [f"T{left[1:]} = {right}{where};", f"{left} = T{left[1:]} + 1;"]
        else:
            lines = [f"{left} {self.sign} {right}{where};"]
        body = "\n  ".join(lines)
        return f"{_HEAD}def f({', '.join(params)}) -> ({', '.join(outputs)})\n  attr(a: i64)\n{{\n  {body}\n}}\n"

    def wanted(self):
        """The outputs' arrays."""
        axes = _OUTPUTS[self.output]
        order = axes + "".join(i for i in self.iterators if i not in axes)
        space = dict(zip(order, np.ogrid[tuple(slice(self.sizes[i.upper()]) for i in order)]))
        names = space | self.sizes | self.arrays | {"L": self.lengths.astype(object) if self.lengths.ndim == 0 else self.lengths}
        value = lambda text: eval(re.sub(r"([A-Z])\(([^)]*)\)", r"\1[\2]", text).replace("[]", "[()]"), {}, names)  # noqa: S307
        full = tuple(self.sizes[i.upper()] for i in order)
        inside = np.ones(full, bool)
        for condition in self.conditions:
            inside = inside & np.broadcast_to(np.asarray(value(condition.replace("/", "//")), bool), full)
        terms = np.broadcast_to(value(self.right), full).astype(self.dtype)
        if not self.reduces:
            return [np.where(inside, terms, 0) + 1 if self.local else np.where(inside, terms, self.old)]
        over = tuple(range(len(axes), len(order)))
        total = np.where(inside, terms, 0).sum(over).astype(self.dtype)
        least = -np.inf if self.dtype != np.int32 else np.iinfo(np.int32).min
        largest = np.where(inside, terms, least).max(over, initial=least)
        made = {"+=": self.old + total, "+=!": total, "plus=!": total, "-=": self.old - total, "max=!": largest, "max=": np.maximum(self.old, largest)}
        return [total, largest] if self.sign == "both=!" else [made[self.sign]]


def case(folder, drawn, engine):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "s.tc").write_text(drawn.text)
    r = drawn.random
    args = ["eval", folder / "s.tc", f"--engine={engine}", "--attr", f"a={drawn.sizes['a']}"]
    if engine in ("vector", "hw", "tiled"):
        args.append(f"--target={r.choice(_TARGETS)}")
    if engine in ("native", "hw", "vulkan"):
        args += [f"--dim={s}={drawn.sizes[s]}" for s in "MNK" if r.random() < 0.2]
    if engine == "native":
        args += r.choice([[], [], ["--lib=cblas"], ["--threads=2"], ["--fp=strict"]])
    arrays = drawn.arrays | {"L": drawn.lengths, drawn.output: drawn.old}
    outputs = [drawn.output] + ["D"] * (drawn.sign == "both=!")
    return einc_tool.first_difference(folder, args, arrays, dict(zip(outputs, drawn.wanted())), drawn.text)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--vulkan", action="store_true", help="on a device")
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--count", type=int, default=2000 if einc_tool.LONG else 150)
    options = parser.parse_args()
    os.environ["EINC_VK_VALIDATION"] = "1"
    cases, folder = einc_tool.Cases(), einc_tool.scratch()
    for seed in range(options.first, options.first + options.count):
        engine = "vulkan" if options.vulkan else _ENGINES[seed % len(_ENGINES)]
        cases.run(f"{seed}, {engine}", case, folder, Drawn(seed), engine)
    cases.finish()


if __name__ == "__main__":
    main()
