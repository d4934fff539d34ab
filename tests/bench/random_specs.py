# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Random, plausible specs from a seed, each with some of its sizes: what users might write, that nobody has tuned.

The same seed gives the same specs, and one def does not depend on how many there are. Sizes that are not given are the
benchmark's to choose (sizes.py).
"""

import random
import subprocess

import numpy as np

from tests.bench import sizes, timing
from tests.numeric import scalars

_DIMS = ["N", "H", "W", "C", "D", "E"]
_SMALL = [2, 3, 5, 7, 16, 24, 31, 64, 100]
_FLOATS, _INTEGERS = ["f32", "f32", "f32", "f64", "f16", "bf16"], ["i32", "i32", "i8", "u8", "i16", "i64"]
COMBINERS = """// Part of Einc. SPDX-License-Identifier: Apache-2.0
// Drawn at random: tests/bench/random_specs.py.

combiner logaddexp(a, b) = a == b ? a + log(2.0) : max(a, b) + log1p(exp(-abs(a - b))) neutral -inf;
combiner first_largest((v, i), (w, j)) =
    w > v || (w == v && j < i) ? w : v,
    w > v || (w == v && j < i) ? j : i
  neutral lowest, highest;
combiner first_smallest((v, i), (w, j)) =
    w < v || (w == v && j < i) ? w : v,
    w < v || (w == v && j < i) ? j : i
  neutral highest, highest;
combiner range((a, b), (c, d)) = min(a, c), max(b, d) neutral highest, lowest;
"""


class Drawn:
    """A def: its text, and the sizes that are given with it."""

    def __init__(self, number, seed, kind=None):
        self.random = random.Random(f"{seed} {number}")
        drawn = self.random.choice(sorted(KINDS))
        self.kind = kind or drawn
        self.name = f"{self.kind}_{number}"
        self.inputs, self.outputs, self.statements, self.fixed = [], [], [], {}
        KINDS[self.kind](self)

    @property
    def text(self):
        return (f"def {self.name}({', '.join(self.inputs)})\n  -> ({', '.join(self.outputs)})\n{{\n"
                + "".join(f"  {s};\n" for s in self.statements) + "}\n")  # fmt: skip

    # ---- What all kinds draw ----

    def dims(self, least, most):
        """Symbols of some dimensions, in a random order; some with a size, never all."""
        chosen = self.random.sample(_DIMS, self.random.randint(least, most))
        for symbol in self.random.sample(chosen, self.random.randint(0, len(chosen) - 1)):
            if self.random.random() < 0.4:
                self.fixed[symbol] = self.random.choice(_SMALL)
        return chosen

    def layout(self, dims):
        return self.random.sample(dims, len(dims))

    def input(self, kind, shape):
        name = f"A{len(self.inputs)}"
        self.inputs.append(f"{name}: {kind}({', '.join(shape)})")
        return name

    def output(self, kind, shape, name=None):
        name = name or f"C{len(self.outputs)}"
        self.outputs.append(f"{name}: {kind}({', '.join(shape)})")
        return name

    def operand(self, kind, dims, wanted):
        """An input over these dimensions, in any order, as a value of the type that is wanted."""
        shape = self.layout(dims)
        text = f"{self.input(kind, shape)}({indices(shape)})"
        return text if kind == wanted else f"cast<{wanted}>({text})"

    def kind_like(self, kind):
        """A type from which a value of the other may come."""
        return self.random.choice(_FLOATS + _INTEGERS if kind[0] in "fb" else _INTEGERS) if self.random.random() < 0.4 else kind

    def function(self, kind, value, other=None):
        r = self.random
        if kind[0] in "fb":
            one = ["max({0}, 0.25)", "min({0}, 1.5)", "abs({0})", "{0} * 0.75 + 0.5", "exp(-{0})", "tanh({0})", "sqrt(abs({0}))",
                   "1 / (1 + exp(-{0}))", "log(abs({0}) + 1)", "erf({0})", "square({0})", "{0} / 3"]  # fmt: skip
            two = ["{0} + {1}", "{0} * {1}", "{0} - {1}", "max({0}, {1})", "select({0} < {1}, {0}, {1} * 0.5)", "{0} / (abs({1}) + 1)"]
        else:
            one = ["max({0}, 2)", "min({0}, 5)", "{0} * 3 + 1", "{0} / 3", "square({0})"]
            two = ["{0} + {1}", "{0} * {1}", "min({0}, {1})", "max({0}, {1})", "select({0} < {1}, {0}, {1} + 1)"]
        return (r.choice(two) if other else r.choice(one)).format(value, other)


def indices(symbols):
    return ", ".join(s.lower() for s in symbols)


# ---- Kinds ----


def _chain(d):
    """Elementwise, of two to four operands, with mixed types; some lack dimensions, or have them in another order."""
    r = d.random
    dims, kind = d.dims(1, 4), r.choice(_FLOATS + _INTEGERS)
    shape = d.layout(dims)
    value = d.operand(d.kind_like(kind), dims, kind)
    for _ in range(r.randint(1, 3)):
        if r.random() < 0.3:
            value = f"({d.function(kind, value)})"
        other = d.operand(d.kind_like(kind), r.sample(dims, r.randint(1, len(dims))), kind)
        value = f"({d.function(kind, value, other)})"
    if r.random() < 0.3:
        result = d.kind_like(kind)
        value = value if result == kind else f"cast<{result}>({value})"
        kind = result
    d.statements.append(f"{d.output(kind, shape)}({indices(shape)}) = {value}")


def _broadcast(d):
    """An array seen along dimensions that it does not have, combined with another one or not."""
    r = d.random
    dims, kind = d.dims(2, 4), r.choice(_FLOATS + _INTEGERS)
    shape = d.layout(dims)
    value = d.operand(kind, r.sample(dims, r.randint(1, len(dims) - 1)), kind)
    if r.random() < 0.6:
        value = d.function(kind, value, d.operand(kind, r.sample(dims, r.randint(1, len(dims))), kind))
    d.statements.append(f"{d.output(kind, shape)}({indices(shape)}) = {value}")


def _reduction(d):
    """Over any of the dimensions, in any layout, of a map of one operand or two."""
    r = d.random
    dims, kind = d.dims(1, 4), r.choice(["f32", "f32", "f64", "i32", "f16"])
    over = r.sample(dims, r.randint(1, len(dims)))
    shape = d.layout([s for s in dims if s not in over])
    source = r.choice(["i8", "i16", "u8"]) if kind == "i32" and r.random() < 0.5 else kind
    value = d.operand(source, dims, kind)
    form = r.random()
    if form < 0.3:
        value = d.function(kind, value)
    elif form < 0.6:
        value = f"{value} * {d.operand(kind, r.sample(dims, r.randint(1, len(dims))), kind)}"
    combine = r.choice(["+=!", "+=!", "+=", "max=!", "min=!"])
    d.statements.append(f"{d.output(kind, shape)}({indices(shape)}) {combine} {value}")


def _window(d):
    """Over one to three dimensions of space, with strides, dilations and padding, in any layout: pooling, depthwise, or a convolution."""
    r = d.random
    space = ["D", "H", "W"][3 - r.choice([1, 2, 2, 2, 3]) :]
    kind = r.choice(["f32", "f32", "f64", "i32", "f16"])
    form = r.choice(["pool", "depthwise", "convolution"])
    index, padded = {"N": "n", "C": "c"}, False
    for s in space:
        stride, dilation, padding = r.choice([1, 1, 2, 3]), r.choice([1, 1, 2]), r.choice([0, 0, 1, 2])
        index[s] = f"o{s.lower()} * {stride} + k{s.lower()} * {dilation}" + (f" - {padding}" if padding else "")
        padded = padded or padding > 0
        d.fixed[f"K{s}"] = r.choice([2, 3, 3, 5])
    d.fixed["N"] = r.choice([1, 2, 4])
    image = d.layout(["N", "C", *space])
    value = f"{d.input(kind, ['I' + s if s in space else s for s in image])}({', '.join(index[s] for s in image)})"
    if padded:
        value = f"({value} else {'-4' if form == 'pool' else '0'})" if form != "pool" or kind[0] == "i" else f"({value} else -4.0)"
    if form == "pool":
        d.inputs.append(f"K: {kind}({', '.join('K' + s for s in space)})")
        out, combine = d.layout(["N", "C", *space]), r.choice(["+=!", "max=!", "min=!"])
    else:
        window = d.layout([*space, "C"] + (["F"] if form == "convolution" else []))
        at = ", ".join("k" + s.lower() if s in space else s.lower() for s in window)
        value += f" * {d.input(kind, ['K' + s if s in space else s for s in window])}({at})"
        out, combine = d.layout(["N", "F" if form == "convolution" else "C", *space]), r.choice(["+=!", "+="])
    shape = ["O" + s if s in space else s for s in out]
    d.statements.append(f"{d.output(kind, shape)}({indices(shape)}) {combine} {value}")


def _gather(d):
    """Affine maps with `/` and `%`: enlarged images, tiles taken apart or together, channels made pixels, rows reversed."""
    r = d.random
    kind, f, g = r.choice(_FLOATS + _INTEGERS), r.choice([2, 3, 4, 8]), r.choice([2, 4, 5])
    form = r.randrange(5)
    if form == 0:
        shape = d.layout(["N", "H", "W"])
        index = {"N": "n", "H": f"h / {f}", "W": f"w / {g}"}
        source = d.layout(["N", "H", "W"])
        value = f"{d.input(kind, ['S' + s if s != 'N' else s for s in source])}({', '.join(index[s] for s in source)})"
    elif form == 1:
        shape, source = ["M", "N"], d.layout(["m / I", "n / J", "m % I", "n % J"])
        sizes = {"m / I": "MO", "n / J": "NO", "m % I": "I", "n % J": "J"}
        d.fixed.update(I=f, J=r.choice([4, 8, 16, 24]))
        value = f"{d.input(kind, [sizes[s] for s in source])}({', '.join(source)})"
    elif form == 2:
        shape = ["N", "H", "W", "C"]
        d.fixed["C"] = r.choice([3, 16, 31])
        value = f"{d.input(kind, ['N', 'SH', 'SW', str(f * g), 'C'])}(n, h / {f}, w / {g}, h % {f} * {g} + w % {g}, c)"
    elif form == 3:
        shape = ["M", "N"]
        value = f"{d.input(kind, ['M', 'N'])}({r.choice(['m', 'M - 1 - m'])}, N - 1 - n)"
    else:
        shape = ["M", "N"]
        d.fixed["M"] = r.choice(_SMALL)
        value = f"{d.input(kind, ['P', 'N'])}(m * {f} + {r.randint(0, f - 1)}, n)"
    if r.random() < 0.5:
        value = d.function(kind, value, d.operand(kind, [s for s in shape if r.random() < 0.7] or shape[-1:], kind))
    d.statements.append(f"{d.output(kind, shape)}({indices(shape)}) = {value}")


def _pair(d):
    """Reductions by combiners: a value with its position, two values, one value."""
    r = d.random
    dims, kind = d.dims(1, 3), r.choice(["f32", "f32", "f64", "i32"])
    over = r.sample(dims, r.randint(1, len(dims)))
    shape = d.layout([s for s in dims if s not in over])
    value, at = d.operand(kind, dims, kind), indices(shape)
    form = r.choice(["position", "position", "range", "logaddexp"])
    if form == "position":
        place = ""
        for s in over:
            place = f"({place}) * {s} + index({s.lower()})" if place else f"index({s.lower()})"
        names = d.output(kind, shape), d.output("i64", shape)
        d.statements.append(f"{names[0]}({at}), {names[1]}({at}) {r.choice(['first_largest', 'first_smallest'])}=! {value}, {place}")
    elif form == "range":
        names = d.output(kind, shape), d.output(kind, shape)
        d.statements.append(f"{names[0]}({at}), {names[1]}({at}) range=! {value}, {value}")
    else:
        if kind[0] == "i":
            value, kind = f"cast<f32>({value})", "f32"
        d.statements.append(f"{d.output(kind, shape)}({at}) logaddexp=! {value}")


def _several(d):
    """Statements that build on each other: normalised, or made probabilities, along any dimension."""
    r = d.random
    dims, kind = d.dims(2, 3), r.choice(["f32", "f32", "f64"])
    over = r.choice(dims)
    kept = [s for s in dims if s != over]
    shape = d.layout(dims)
    value, rest = d.operand(kind, dims, kind), indices(kept)
    out = f"{d.output(kind, shape)}({indices(shape)})"
    if r.random() < 0.5:
        d.statements += [f"L({rest}) max=! {value}", f"S({rest}) +=! exp({value} - L({rest}))", f"{out} = exp({value} - L({rest})) / S({rest})"]
    else:
        d.statements += [f"S({rest}) +=! {value}", f"Q({rest}) +=! square({value} - S({rest}) / cast<{kind}>({over}))",
                         f"{out} = ({value} - S({rest}) / cast<{kind}>({over})) * rsqrt(Q({rest}) / cast<{kind}>({over}) + 0.001)"]  # fmt: skip


KINDS = {"chain": _chain, "broadcast": _broadcast, "reduction": _reduction, "window": _window, "gather": _gather, "pair": _pair,
         "several": _several}  # fmt: skip


def draw(count, seed):
    return [Drawn(number, seed) for number in range(count)]


def write(path, count, seed):
    """A spec with so many defs; name -> the sizes given with it."""
    drawn = draw(count, seed)
    path.write_text("\n".join([COMBINERS, *(d.text for d in drawn)]))
    return {d.name: d.fixed for d in drawn}


# ---- What is right ----

_SMALL_BYTES = 1 << 12  # of operands; the interpreter is slow
_MARGIN = {"f16": 2.0**-7, "bf16": 2.0**-5, "f32": 1e-4, "f64": 1e-10}  # of the largest element


def check(einc, d, built, folder):
    """What differs from the interpreter's results at small sizes, if anything does."""
    case = sizes.choose(d.kernel, _SMALL_BYTES, {s: min(n, 5) for s, n in d.fixed.items()})
    arguments = timing.Arguments(case, seed=3)
    args = [einc, "eval", str(d.path), "--def", d.kernel.name, "--engine=reference"]
    outputs = [t for t in d.kernel.tensors.values() if t.role == "output"]
    for name, array in arguments.arrays.items():
        np.save(folder / f"{name}.npy", array)
        args += ["--in", f"{name}={folder}/{name}.npy"]
    for tensor in outputs:
        args += ["--out", f"{tensor.name}={folder}/{tensor.name}.out.npy"]
    run = subprocess.run(args, capture_output=True, text=True)
    if run.returncode:
        return f"the interpreter: {run.stderr.strip()[-500:]}"
    if status := built.call(d.kernel.name, arguments.pointers, 1):
        return f"status {status} at {case.text()}"
    for tensor in outputs:
        got, want = arguments.arrays[tensor.name], np.load(folder / f"{tensor.name}.out.npy")
        if wrong := difference(tensor.type, got, want):
            return f"{tensor.name} at {case.text()}: {wrong}"
    return None


def difference(kind, got, want):
    got, want = (np.nan_to_num(np.asarray(scalars.from_storage(kind, a), np.float64), nan=1e300, posinf=1e301, neginf=-1e301)
                 for a in (got, want))
    if not want.size:
        return None
    # A float next to a whole number may be rounded to either side before it is made an integer.
    margin = _MARGIN[kind] * max(1, abs(want).max()) if kind in _MARGIN else 1
    error = abs(got - want)
    if error.max() <= margin:
        return None
    at = tuple(int(i) for i in np.unravel_index(error.argmax(), error.shape))
    return f"element {at} is {got[at]}, not {want[at]}"
