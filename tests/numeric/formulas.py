# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""The defs of specs/ against their formulas (formulas_*.py, a file a topic), through every engine."""

import re

import numpy as np

from tests.numeric import (abi, domains, einc_tool, formulas_attention, formulas_contractions, formulas_conv, formulas_elementwise,
                           formulas_layout, formulas_networks, formulas_quantized, formulas_reductions,
                           formulas_semirings, formulas_winograd, scalars)

_TABLE = {
    **formulas_attention.TABLE,
    **formulas_contractions.TABLE,
    **formulas_conv.TABLE,
    **formulas_elementwise.TABLE,
    **formulas_layout.TABLE,
    **formulas_networks.TABLE,
    **formulas_quantized.TABLE,
    **formulas_reductions.TABLE,
    **formulas_semirings.TABLE,
    **formulas_winograd.TABLE,
}


# Index spaces larger than this take too long in NumPy's long double.
_LARGEST = 300_000


class Call:
    """One def on drawn data, for T=element and, if it has a second type parameter, U=wide. Sizes that are
    `fixed` are not drawn, and what follows from others is as it is fixed, too, whether it fits or not."""

    def __init__(self, name, element, rng, whole, sizes, wide=None, fixed=None):
        self.name, self.entry, self.element, self.wide, self.whole = name, _TABLE[name], element, wide, whole
        entry = self.entry
        self.attributes = {a: [int(n) for n in rng.integers(low, high + 1, count)]
                           for a, count, low, high in entry.attributes}
        self.sizes = {d: int(rng.choice(sizes)) for _, dims in entry.parts[0] + entry.parts[1]
                      for d in dims or [] if d.isidentifier()}
        for window in ("KH", "KW", "KD"):
            if window in self.sizes:
                self.sizes[window] = int(rng.integers(1, 4))
        further = entry.sizes or (lambda s: {})
        free = self.sizes.keys() - further({**self.sizes, **self.attributes}).keys()
        while np.prod([self.sizes[d] for d in free], dtype=float) > _LARGEST:
            largest = max(sorted(free), key=self.sizes.get)
            self.sizes[largest] = (self.sizes[largest] + 1) // 2
        fixed = {k: v for k, v in (fixed or {}).items() if k in self.sizes}
        self.sizes.update(fixed)
        self.sizes.update({k: max(v, 0) for k, v in further({**self.sizes, **self.attributes}).items()})
        self.sizes.update(fixed)
        self.scalars = dict(entry.scalars or {})
        self.arrays = {n: self._draw(n, dims, rng) for n, dims in entry.parts[0] + entry.parts[1] if dims is not None}

    def kind(self, name):
        kind = (self.entry.types or {}).get(name, self.element)
        return (self.wide or self.element) if kind == "U" else kind

    def _draw(self, name, dims, rng):
        kind, shape = self.kind(name), [int(d) if d.isdigit() else self.sizes[d] for d in dims]
        if kind == "bool":
            return np.asarray(rng.random(shape) < rng.choice([0, 0.1, 0.5, 0.9, 1]))
        if self.whole or not scalars.is_float(kind):
            low = 1 if self.entry.positive else 0 if kind[0] == "u" else -3
            data = rng.integers(low, 4, shape)
            return scalars.to_storage(kind, data)
        data = rng.uniform(0.5, 2, shape) if self.entry.positive else rng.normal(size=shape)
        return scalars.to_storage(kind, scalars.cast(data, "f64", kind))

    @property
    def outputs(self):
        return [n for n, _ in self.entry.parts[1]]

    def _values(self, absolute):
        values = {n: scalars.from_storage(self.kind(n), a) for n, a in self.arrays.items()}
        values = {n: v if v.dtype == bool else v.astype(np.longdouble) for n, v in values.items()}
        if absolute:
            values = {n: np.abs(v) for n, v in values.items()}
        return {**values, **{n: abs(v) if absolute else v for n, v in self.scalars.items()},
                **self.attributes, **{d: n for d, n in self.sizes.items() if d not in self.arrays}}

    def compare(self, results):
        with np.errstate(all="ignore"):
            wanted = self.entry.formula(**self._values(False))
            wanted = wanted if isinstance(wanted, tuple) else (wanted,)
            for name, want, stored in zip(self.outputs, wanted, results):
                message = self._compare(name, np.asarray(want), stored)
                if message:
                    return f"{self.name} {self.element} {self.sizes} {self.attributes}: {name}: {message}"
        return None

    def _compare(self, name, want, stored):
        kind, entry = self.kind(name), self.entry
        if want.shape != stored.shape:
            return f"shape {stored.shape}, not {want.shape}"
        got = scalars.from_storage(kind, stored)
        exact = entry.roundings == 0 or not scalars.is_float(kind)
        if not exact:
            weight = (entry.weight or entry.formula)(**self._values(True))
            weight = weight[self.outputs.index(name)] if isinstance(weight, tuple) else weight
            weight = np.abs(np.asarray(weight, np.longdouble)) + np.abs(want)
            # Sums of whole numbers are exact in any order while they fit into the significand.
            exact = self.whole and entry.exact and (weight <= 2.0 ** scalars.PRECISION[kind]).all()
        if exact:
            stored = _as_stored(kind, want, got)
            same = (got == stored) | (np.isnan(stored) & np.isnan(got) if scalars.is_float(kind) else False)
            return domains._first_difference(same, got, stored)
        unit, tiny, largest = domains._LIMITS[kind]
        k = eval(entry.k, {}, self.sizes) + entry.roundings  # of our own table
        gamma = k * unit / (1 - k * unit) if k * unit < 0.5 else 1
        bound = np.broadcast_to(gamma * weight + k * tiny, want.shape)
        usual = np.broadcast_to((8 * k**0.5 + 8) * unit * weight + k * tiny, want.shape)
        error = np.abs(got.astype(np.longdouble) - want)
        outside = np.abs(want) + bound >= largest  # may be infinity
        same = (error <= bound) | (np.isnan(want) & np.isnan(got)) | outside
        message = domains._first_difference(same, got, want, bound)
        if message is None and np.count_nonzero((error > usual) & ~outside) > max(2, 0.01 * want.size):
            message = "too many elements at the margin of their bound"
        return message

    @property
    def worth_comparing(self):
        """Whether most elements of the first output are neither zero nor equal."""
        with np.errstate(all="ignore"):
            want = self.entry.formula(**self._values(False))
        want = np.asarray(want[0] if isinstance(want, tuple) else want, np.float64).ravel()
        return want.size < 8 or len(np.unique(want)) > want.size // 3

    # ---- The two engines ----

    def run_eval(self, folder, spec, engine="reference", static=False, more=()):
        """`static`: all sizes are given on the command line, too, and compiled in."""
        line, error, results = self.evaluated(folder, spec, engine, static, more)
        if error:
            return f"{line}\n{error}"
        message = self.compare(results)
        return message and f"{message}\n{line}"

    def evaluated(self, folder, spec, engine="reference", static=False, more=()):
        """The command line of `einc eval`, with these flags, too; what went wrong, and the outputs if nothing did."""
        folder.mkdir(parents=True, exist_ok=True)
        args = ["eval", spec, "--def", self.name, f"--engine={engine}", *more]
        text = _text_of(self.name, spec)
        signature = text.split('"""')[0]
        for name, size in self.sizes.items() if static else ():
            if re.search(rf"[(, ]{name}[,)}}]", signature):
                args += ["--dim", f"{name}={size}"]
        if "T" in _type_parameters(text):
            args += ["--type", f"T={self.element}"]
        if self.wide:
            args += ["--type", f"U={self.wide}"]
        for name, array in self.arrays.items():
            np.save(folder / f"{name}.npy", array)
            args += ["--in", f"{name}={folder}/{name}.npy"]
        for name, value in self.scalars.items():
            args += ["--attr", f"{name}={value}"]
        for name, values in self.attributes.items():
            args += ["--attr", f"{name}=" + ",".join(map(str, values))]
        for name in self.outputs:
            args += ["--out", f"{name}={folder}/{name}.out.npy"]
        result = einc_tool.run(*args)
        line = einc_tool.command_line(*args)
        if result.returncode:
            return line, f"exit code {result.returncode}: {result.stderr}", None
        return line, None, [np.load(folder / f"{n}.out.npy") for n in self.outputs]

    def run_native(self, library):
        status, results = self.called(library.kernel(self.name))
        if status:
            return f"{self.name} {self.element} {self.sizes} {self.attributes}: status {status}"
        return self.compare(results)

    def called(self, kernel):
        """The status, and the outputs, of a function of a library."""
        args = []
        for name, dims in self.entry.parts[0] + self.entry.parts[1]:
            args.append(abi.c_scalar(self.kind(name), self.scalars[name]) if dims is None
                        else abi.describe(self.arrays[name]))
        args += [abi.c_attribute("i64", self.attributes[a]) for a, *_ in self.entry.attributes]
        before = {n: self.arrays[n].copy() for n in self.outputs}
        status = kernel(*args)
        results = {n: self.arrays[n] for n in self.outputs}
        self.arrays.update(before)
        return status, [results[n] for n in self.outputs]


def _as_stored(kind, want, got):
    """Exact values as an array of the type holds them: integers wrap, and infinity (of an empty maximum)
    is whatever was found."""
    if kind == "bool":
        return want
    if scalars.is_float(kind):
        return scalars.cast(want.astype(np.float64), "f64", kind)
    finite = np.isfinite(want)
    whole = np.where(finite, want, 0)
    whole = whole.astype(np.int64) if np.all(np.abs(whole) < 2.0**63) else whole.astype(np.uint64)
    return np.where(finite, whole.astype(scalars.DTYPES[kind]), got)


_DEF = re.compile(r"^def (\w+)\b.*?^}$", re.MULTILINE | re.DOTALL)


def _names_of(text):
    """The defs that a def is: its layouts, or itself."""
    layouts = re.search(r"^  layouts\((.*?\))\)$", text, re.MULTILINE | re.DOTALL)
    return re.findall(r"(\w+)\(", layouts[1]) if layouts else [re.match(r"def (\w+)", text)[1]]


def defs_of(specs):
    """def -> the spec file it stands in."""
    return {name: path for path in specs for d in _DEF.finditer(path.read_text()) for name in _names_of(d[0])}


def _text_of(name, path):
    """The def's text; with the other defs it gives, if it has layouts."""
    return next(d[0] for d in _DEF.finditer(path.read_text()) if name in _names_of(d[0])) + "\n"


def _combiners(paths):
    """The combiners that the defs of these files may use."""
    return [text for path in sorted(set(paths)) for text in
            re.findall(r"^combiner \w.*?;$", path.read_text(), re.MULTILINE | re.DOTALL)]


def _type_parameters(text):
    """name -> default"""
    return dict(re.findall(r"(\w+) = (\w+)[,>]", text.split("(")[0]))


def default_element(name, path):
    """What T is where nothing says it."""
    return default_types(name, path)[0]


def default_types(name, path):
    """T and U where nothing says them; U is None where it is T, or is not there."""
    given = _type_parameters(_text_of(name, path))
    wide = given.get("U")
    return given.get("T", "f32"), None if wide in (None, "T") else wide


def _suits(name, path, element, wide):
    """Whether the def has a meaning for these types. Defs without T are taken once."""
    entry = _TABLE[name]
    if "T" not in _type_parameters(_text_of(name, path)):
        return (element, wide) == ("f32", None)
    if wide and "U" not in (entry.types or {}).values():
        return entry.takes == "integers" and (element, wide) == ("i8", "i32")
    return entry.takes == "numbers" or scalars.is_float(element) == (entry.takes == "floats")


def library_of(folder, element, wide, defs):
    """A spec with all defs that have a meaning for these types, and the library made of it."""
    names = sorted(n for n, path in defs.items() if n in _TABLE and _suits(n, path, element, wide))
    folder.mkdir(parents=True)
    spec = folder / "specs.tc"
    texts = _combiners(defs.values()) + [_text_of(n, defs[n]) for n in names]
    spec.write_text("\n".join(dict.fromkeys(texts)))
    types = ["--type", f"T={element}"] + (["--type", f"U={wide}"] if wide else [])
    if einc_tool.LONG:
        return abi.build(folder, "specs", [spec], *types), spec, names
    turn = _TYPES.index((element, wide))
    return abi.build_shared_out(folder, spec, names, turn, len(_TYPES), "-O0", *types), spec, names


# Compiled one by one for fixed sizes and attributes, which takes time.
_STATIC = ["matmul", "dot", "conv_2d_nhwc_hwcf", "conv_2d", "pooling_nhwc_average", "softmax", "mlp", "argmax_rows", "pad_2d",
           "fill", "transpose", "unpack"]

_SIZES = [[1, 2, 3, 5], [4, 6, 7, 9], [8, 15, 16, 17]]
# T and U
_TYPES = [("f32", None), ("f64", None), ("i32", None), ("f16", "f32"), ("i8", "i32")]
_LONG_TYPES = _TYPES + [(element, None) for element in ("f16", "bf16", "i8", "u16", "i64")] + [
    ("bf16", "f32"), ("u8", "i32"), ("i16", "i64"), ("f32", "f64")]


def check_def(cases, name, types, library, spec, folder):
    element, wide = types
    kinds = f"{name} {element}" + (f" {wide}" if wide else "")
    worth = False
    for seed in range(24 if einc_tool.LONG else 5):
        rng = np.random.default_rng([seed, len(name), ord(element[0]), ord(name[-1])])
        call = Call(name, element, rng, whole=seed % 2 == 0, sizes=_SIZES[seed % 3], wide=wide)
        worth = worth or call.worth_comparing or not scalars.is_float(element)
        cases.run(f"native {kinds} {seed}", call.run_native, library)
        if types == _TYPES[0] and seed == 4 and (einc_tool.LONG or name in _STATIC):
            cases.run(f"static {name}", call.run_eval, folder, spec, "native", True)
        if seed < (6 if einc_tool.LONG else 2 if types == _TYPES[0] else 1):
            cases.run(f"reference {kinds} {seed}", call.run_eval, folder, spec)
    if _TABLE[name].varied and not worth:
        cases.check(f"trust {kinds}", "the outputs are mostly equal")


def check_table(cases):
    defs = defs_of(einc_tool.specs())
    for name in defs:
        cases.check(f"formula for {name}", None if name in _TABLE else "specs/ has a def without a formula")
    for name in _TABLE:
        cases.check(f"def of {name}", None if name in defs else "a formula has no def in specs/")
    for m, r in formulas_winograd.MATRICES:
        cases.check(f"matrices of F({m}, {r})", formulas_winograd.identity_fault(m, r))


def all_types():
    return _LONG_TYPES if einc_tool.LONG else _TYPES


def check_types(cases, folder, types):
    """All defs that have a meaning for these types."""
    try:
        library, spec, names = library_of(folder / "specs", *types, defs_of(einc_tool.specs()))
    except RuntimeError as error:
        cases.check(f"build of specs/ for {types}", error)
        return
    for name in names:
        check_def(cases, name, types, library, spec, folder / "eval")
