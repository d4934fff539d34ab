# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Ops that are done tile by tile of the last results compute what NumPy does, whatever windows need of each other.

Chains at random of sums and the largest of windows, of single elements, of lines and of products, with steps, holes, borders,
reversed windows, several readers of one result, and inputs that are read again at the end. Tiles are as small as a schedule makes
them, so that a few rows have many. All numbers are small integers, and all sums are exact.
"""

import os
import random
import re

import numpy as np

from tests.numeric import einc_tool

_TYPES = {"f32": np.float32, "f64": np.float64, "i32": np.int32}
_ENGINES = ["reference", "tiled", "hw", "native", "native", "native"]
_TARGETS = ["x86-64-v3", "x86-64-v4"]
_CASES = int(os.environ.get("EINC_TEST_LONG") == "1") * 900 + 100


class Size:
    """times * name + more, as text and as a number."""

    def __init__(self, name, value, times=1, more=0):
        self.name, self.value, self.times, self.more = name, value, times, more

    def needed(self, step, reach):
        return Size(self.name, self.value, self.times * step, (self.more - 1) * step + reach)

    @property
    def number(self):
        return self.times * self.value + self.more

    def __str__(self):
        return f"{self.times} * {self.name} + {self.more}"


class Chain:
    def __init__(self, seed):
        r = self.random = random.Random(seed)
        self.rng = np.random.default_rng(seed)
        self.kind = r.choice(["f32", "f32", "f64", "i32"])
        self.arrays, self.sizes, self.lines = {}, {"H": r.choice([1, 2, 3, 5, 8, 11]), "W": r.choice([1, 3, 4, 9, 17])}, []
        self.inputs, self.locals, self.made, self.counter = [], [], [], 0
        self.batch = r.random() < 0.3
        if self.batch:
            self.sizes["B"] = r.choice([1, 2, 3])
        shape = [Size(s, self.sizes[s]) for s in "HW"]
        self.wanted = self.stage("O", shape, r.randint(2, 4))
        at = "b, y, x" if self.batch else "y, x"
        # One of the locals may be used elsewhere, too: all of it is made then.
        self.second, more = None, ""
        if self.made and r.random() < 0.3:
            name, self.second, other = r.choice(self.made)
            self.lines.append(f"P({at}) = {name}({at})")
            more = f", P: {self.kind}({'B, ' if self.batch else ''}{other[0]}, {other[1]})"
        # Locals are written in the order in which they were asked for, the last first.
        self.inputs.append(("like", "B, H, W" if self.batch else "H, W"))
        self.arrays["like"] = self.array([self.sizes[s] for s in ("BHW" if self.batch else "HW")])
        parameters = ", ".join(f"{name}: {self.kind}({dims})" for name, dims in self.inputs)
        b = "B, " if self.batch else ""
        locals_ = "".join(f"  local {name}: {self.kind}({b}{shape[0]}, {shape[1]});\n" for name, shape in self.locals)
        self.text = f"def f({parameters}) -> (O: {self.kind}({b}H, W){more}) {{\n{locals_}" + "".join(f"  {line};\n" for line in self.lines) + "}\n"
        self.outputs = {"O": self.wanted, **({"P": self.second} if self.second is not None else {})}

    # ---- Tensors ----

    def array(self, shape):
        return self.rng.integers(-2, 3, shape).astype(_TYPES[self.kind])

    def name(self):
        self.counter += 1
        return f"T{self.counter}"

    def input(self, shape):
        """An image, of which nothing is computed before."""
        name = self.name()
        dims = [str(s) for s in shape]
        full = [s.number for s in shape]
        if self.batch:
            dims, full = ["B", *dims], [self.sizes["B"], *full]
        self.inputs.append((name, ", ".join(dims)))
        self.arrays[name] = self.array(full)
        return name, self.arrays[name]

    def small(self, shape):
        name = self.name()
        self.inputs.append((name, ", ".join(str(size) for size in shape)))
        self.arrays[name] = self.array(shape)
        return name, self.arrays[name]

    # ---- Stages: each adds its line, and returns its values ----

    def source(self, shape, depth):
        """Another stage, or an input, of that shape."""
        if self.made and self.random.random() < 0.3:
            for name, values, other in self.made:
                if [str(s) for s in other] == [str(s) for s in shape]:
                    return name, values
        if depth == 0 or any(s.number > 60 for s in shape):
            return self.input(shape)
        name = self.name()
        self.locals.append((name, shape))
        values = self.stage(name, shape, depth - 1)
        self.made.append((name, values, shape))
        return name, values

    def stage(self, name, shape, depth):
        forms = [self.window, self.window, self.window, self.largest, self.element, self.difference, self.line, self.product]
        return self.random.choice(forms)(name, shape, depth)

    def read(self, name, values, index, axes, border=None):
        """What a window reads; values beyond the edges are the border's."""
        inside = [((i >= 0) & (i < n)) for i, n in zip(index, values.shape[-2:])]
        safe = [np.clip(i, 0, max(n - 1, 0)) for i, n in zip(index, values.shape[-2:])]
        if 0 in values.shape[-2:]:
            return np.zeros((*values.shape[:-2], *np.broadcast_shapes(*[i.shape for i in index])), values.dtype) + (border or 0)
        read = values[(..., *safe)]
        return np.where(inside[0] & inside[1], read, border or 0)

    def windows(self, shape, depth):
        """Text of indices, and the elements that windows see: (..., y, x, ky, kx)."""
        r = self.random
        steps, gaps, reach = [r.choice([1, 1, 1, 2, 3]) for _ in "yx"], [r.choice([1, 1, 2]) for _ in "yx"], [r.randint(1, 3) for _ in "yx"]
        is_reversed, has_border = r.random() < 0.2, r.random() < 0.4
        last = [g * (k - 1) for g, k in zip(gaps, reach)]
        before = [last[0] if is_reversed else 0, 0]
        border = None
        if has_border:
            before = [b - r.randint(0, 2) for b in before]
            border = r.choice([0, 0, 1, -2])
            source = [Size(s.name, s.value, s.times * t, max(s.more * t + r.randint(-1, 1), 1 - s.times * t * s.value)) for s, t in zip(shape, steps)]
        else:
            source = [s.needed(t, l + 1) for s, t, l in zip(shape, steps, last)]
        name, values = self.source(source, depth)
        y, x, k, j = np.ogrid[: shape[0].number, : shape[1].number, : reach[0], : reach[1]]
        sign = -1 if is_reversed else 1
        seen = self.read(name, values, [y * steps[0] + sign * k * gaps[0] + before[0], x * steps[1] + j * gaps[1] + before[1]], None, border)
        moved = lambda n: f" + {n}" if n > 0 else f" - {-n}" if n < 0 else ""
        at = f"y * {steps[0]} {'-' if is_reversed else '+'} k * {gaps[0]}{moved(before[0])}, x * {steps[1]} + j * {gaps[1]}{moved(before[1])}"
        text = f"{name}({self.b}{at})"
        return f"({text} else {border})" if has_border else text, seen, reach

    @property
    def b(self):
        return "b, " if self.batch else ""

    def window(self, name, shape, depth):
        text, seen, reach = self.windows(shape, depth)
        weights, w = self.small(reach)
        self.lines.append(f"{name}({self.b}y, x) +=! {text} * {weights}(k, j)")
        return (seen * w).sum((-1, -2)).astype(_TYPES[self.kind])

    def largest(self, name, shape, depth):
        text, seen, reach = self.windows(shape, depth)
        weights, _ = self.small(reach)
        self.lines.append(f"{name}({self.b}y, x) max=! {text} + 0 * {weights}(k, j)")
        return seen.max((-1, -2))

    def element(self, name, shape, depth):
        source, values = self.source(shape, depth)
        self.lines.append(f"{name}({self.b}y, x) = {source}({self.b}y, x) * 2 - cast<{self.kind}>(index(y) - index(x))")
        y, x = np.ogrid[: shape[0].number, : shape[1].number]
        return (values * 2 - (y - x)).astype(_TYPES[self.kind])

    def difference(self, name, shape, depth):
        """Two rows of one result."""
        source = [shape[0].needed(1, 3), shape[1]]
        one, values = self.source(source, depth)
        self.lines.append(f"{name}({self.b}y, x) = {one}({self.b}y + 2, x) - {one}({self.b}y + 1, x)")
        return values[..., 2:, :] - values[..., 1:-1, :]

    def line(self, name, shape, depth):
        source, values = self.source(shape, depth)
        total = self.name()
        self.lines.append(f"{total}({self.b}y) max=! {source}({self.b}y, x)")
        self.lines.append(f"{name}({self.b}y, x) = {source}({self.b}y, x) - {total}({self.b}y)")
        return values - values.max(-1, keepdims=True)

    def product(self, name, shape, depth):
        inner = self.random.randint(1, 4)
        source, values = self.source([shape[0], Size("W", self.sizes["W"], 0, inner)], depth)
        weights = self.name()
        self.inputs.append((weights, f"{inner}, {shape[1]}"))
        w = self.arrays[weights] = self.array([inner, shape[1].number])
        self.lines.append(f"{name}({self.b}y, x) +=! {source}({self.b}y, c) * {weights}(c, x)")
        return (values @ w).astype(_TYPES[self.kind])


def run(folder, chain, engine, target, tile, flags):
    (folder / "f.tc").write_text(chain.text)
    args = [folder / "f.tc", f"--target={target}", *flags]
    schedule = einc_tool.run("emit", "--stage=schedule", *args)
    if schedule.returncode:
        return f"{schedule.stderr}\n{chain.text}", False
    found = re.search(r"^  tiles (\d+ to \d+) \{\n((?:    tile \w+ by .*\n)+)", schedule.stdout, re.M)
    if found:
        loops = re.findall(r"tile (\w+) by", found[2])
        text = " ".join(f"tile {name} by {tile}" for name in loops)
        (folder / "s.schedule").write_text(f'einc_schedule 1\nschedule @f for "{target}" {{\n  tiles {found[1]} {{ {text} }}\n}}\n')
        args.append(f"--schedule={folder}/s.schedule")
    args = ["eval", *args, f"--engine={engine}", *(f"--out={name}={folder}/{name}.npy" for name in chain.outputs)]
    for name, array in chain.arrays.items():
        np.save(folder / f"{name}.npy", array)
        args += ["--in", f"{name}={folder}/{name}.npy"]
    result = einc_tool.run(*args)
    if result.returncode:
        return f"exit code {result.returncode}: {result.stderr}\n{chain.text}\n{einc_tool.command_line(*args)}", False
    for name, wanted in chain.outputs.items():
        got = np.load(folder / f"{name}.npy")
        if got.shape != wanted.shape:
            return f"{name} has the shape {got.shape}, not {wanted.shape}\n{chain.text}", False
        bad = np.argwhere(got != wanted)
        if len(bad):
            where = tuple(bad[0])
            return f"{len(bad)} of {name} wrong, the first at {where}: {got[where]}, not {wanted[where]}\n{chain.text}\n{einc_tool.command_line(*args)}", False
    return None, found is not None


def main():
    cases, folder, tiled = einc_tool.Cases(), einc_tool.scratch(), []

    def case(seed):
        r = random.Random(seed)
        engine, target = r.choice(_ENGINES), r.choice(_TARGETS)
        flags = r.choice([[], [], ["--fp=strict"], ["--lib=cblas"]])
        wrong, is_tiled = run(folder, Chain(seed), engine, target, r.choice([1, 2, 3, 4, 7]), flags)
        tiled.append(is_tiled)
        return wrong

    for seed in range(_CASES):
        cases.run(f"chain {seed}", case, seed)
    cases.run("many are in tiles", lambda: None if sum(tiled) >= _CASES // 3 else f"{sum(tiled)} of {_CASES}")
    cases.finish()


if __name__ == "__main__":
    main()
