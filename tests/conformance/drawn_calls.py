# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Calls of any kernel, drawn at random from its manifest: sizes that the kernel accepts, values,
strides and offsets. Knows no op by name."""

import ctypes
import functools
import json
import math
import re

import numpy as np

from tests.numeric import abi, einc_tool, scalars


class NoCall(Exception):
    """No sizes were found that the kernel accepts."""


def manifests(spec, *flags):
    """def -> Kernel, for the defs of a spec."""
    text = einc_tool.must(einc_tool.run("emit", "--stage=manifest", "--target=generic", spec, *flags)).stdout  # the fastest, and all say the same
    return {k["def"]: Kernel(spec, k) for k in json.loads(text)["kernels"]}


class Kernel:
    def __init__(self, spec, manifest):
        self.spec, self.manifest, self.name = spec, manifest, manifest["def"]
        self.function = manifest["function"]
        self.tensors = [t for t in manifest["tensors"] if t["role"] != "local"]
        self.attributes = manifest["attributes"]
        names = {a["name"] for a in self.attributes}
        words = [w for t in self.tensors for s in t["shape"] for w in re.findall(r"[A-Za-z_]\w*", str(s))]
        self.symbols = sorted(set(words) - names - {"floordiv", "mod"})
        self._order()

    def _order(self):
        """The parameters of the C function: (kind, tensor or attribute, passed by address)."""
        text = self.manifest["prototypes"][0]
        tensors = iter(self.tensors)
        scalars_first = iter([a for a in self.attributes if a["parameter"]] +
                             [a for a in self.attributes if not a["parameter"]])
        self.parameters, is_list = [], False
        for word in text[text.index("(") + 1 : text.rindex(")")].split(", "):
            if is_list:
                self.parameters.append(("length", attribute, False))
                is_list = False
            elif "einc_memref" in word:
                self.parameters.append(("tensor", next(tensors), True))
            else:
                attribute = next(scalars_first)
                self.parameters.append(("attribute", attribute, "*" in word or "[" in word))
                is_list = attribute["list"]

    def types(self):
        return [t["type"] for t in self.tensors]


def _numbers(texts):
    """"1_i64", "0.5_f32", "true", ..., with or without their types."""
    number = lambda text: {"true": 1, "false": 0}[text] if text in ("true", "false") else float(text.rsplit("_", 1)[0])
    return [int(n) if n == int(n) else n for n in map(number, texts)]


def _default(attribute):
    return _numbers(attribute["defaults"])


def draw_attributes(kernel, rng):
    """name -> values, None where the kernel's default is to be taken."""
    values = {}
    for a in kernel.attributes:
        count = int(np.prod(a["shape"], dtype=int)) if not a["list"] else len(a.get("defaults", [])) or 4
        if "defaults" in a and rng.random() < 0.4:
            values[a["name"]] = None
        elif a["type"] == "bool":
            values[a["name"]] = [int(n) for n in rng.integers(0, 2, count)]
        else:
            values[a["name"]] = [int(n) for n in rng.integers(1, 4, count)]
    return values


def flags_of(kernel, values):
    """--attr for all attributes that have a value."""
    kinds = {a["name"]: a["type"] for a in kernel.attributes}
    text = lambda kind, n: ("true" if n else "false") if kind == "bool" else str(n)
    return [f"--attr={name}=" + ",".join(text(kinds[name], n) for n in numbers)
            for name, numbers in values.items() if numbers is not None]


def fixed_in(text):
    """The attributes that the MLIR has as constants though no flag gave them -> their values."""
    notes = re.findall(r"^// Linalg's maps hold constants only: taken for --attr (\w+)=(\S*), ", text, re.MULTILINE)
    return {name: _numbers(values.split(",")) for name, values in notes}


@functools.lru_cache(maxsize=None)
def _size(text):
    """What Python has to evaluate."""
    return compile(text.replace(" floordiv ", " // ").replace(" mod ", " % "), "<size>", "eval")


def _evaluate(kernel, sizes, values):
    """tensor -> shape."""
    names = dict(sizes)
    for a in kernel.attributes:
        numbers = values[a["name"]] if values[a["name"]] is not None else _default(a)
        names[a["name"]] = numbers if a["shape"] or a["list"] else numbers[0]
    return {t["name"]: tuple(int(eval(_size(str(s)), {}, names)) for s in t["shape"]) for t in kernel.tensors}


_ROOM = np.zeros(1 << 22, np.uint8)  # addresses for calls that only ask


def _attribute_arguments(kernel, values, without=()):
    """A list for each parameter that is no tensor."""
    arguments = {}
    for kind, item, by_address in kernel.parameters:
        if kind == "tensor" or item["name"] in without:
            continue
        numbers = values[item["name"]]
        if kind == "length":
            arguments[kind, item["name"]] = ctypes.c_int64(0 if numbers is None else len(numbers))
        elif numbers is None:
            arguments[kind, item["name"]] = None
        else:
            arguments[kind, item["name"]] = (abi.c_attribute if by_address else abi.c_scalar)(
                item["type"], numbers if by_address else numbers[0])
    return arguments


def _arguments(kernel, tensors, attributes):
    result = []
    for kind, item, _ in kernel.parameters:
        if kind == "tensor":
            result.append(tensors[item["name"]])
        elif (kind, item["name"]) in attributes:
            result.append(attributes[kind, item["name"]])
    return result


def _supported(kernel, library, shapes, values):
    tensors, place = {}, _ROOM.__array_interface__["data"][0]
    for name, shape in shapes.items():
        strides = [math.prod(shape[d + 1 :]) for d in range(len(shape))]
        tensors[name] = abi.descriptor_words(place, 0, shape, strides)
        place += 8 * math.prod(shape) + 64
    ask = getattr(library, f"{kernel.function}_supported")
    return ask(*_arguments(kernel, tensors, _attribute_arguments(kernel, values))) == 0


def draw_sizes(kernel, library, values, rng, empty):
    """Sizes that the kernel accepts. Each is small or large: windows want small ones in large ones."""
    small = [0, 1, 2, 3] if empty else [1, 1, 2, 3]
    for attempt in range(3000):
        sizes = {s: int(rng.integers(5, 15) if rng.random() < 0.4 else rng.choice(small)) for s in kernel.symbols}
        if empty and sizes and 0 not in sizes.values():
            sizes[rng.choice(kernel.symbols)] = 0
        shapes = _evaluate(kernel, sizes, values)
        most = 3000 if attempt < 500 else 50000
        if any(n < 0 for shape in shapes.values() for n in shape) or sum(map(math.prod, shapes.values())) > most:
            continue
        if _supported(kernel, library, shapes, values):
            return sizes
        if attempt > 300 and empty:
            break  # some have no empty tensors
    raise NoCall(f"no sizes {kernel.symbols} with {values} are accepted")


def _data(kind, shape, rng, whole):
    if kind == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    if not scalars.is_float(kind):
        if whole:
            return rng.integers(0 if kind[0] == "u" else -3, 4, shape).astype(scalars.DTYPES[kind])
        info = np.iinfo(scalars.DTYPES[kind])
        return rng.integers(info.min, info.max, shape, dtype=scalars.DTYPES[kind], endpoint=True)
    data = rng.integers(-3, 4, shape).astype(np.float64) if whole else rng.normal(size=shape)
    return scalars.to_storage(kind, scalars.cast(np.asarray(data), "f64", kind))


def _view(kind, shape, rng, whole, is_input):
    """(memory, a view of it with that shape): any order, steps and directions; inputs may repeat."""
    order = rng.permutation(len(shape))
    steps = [int(rng.choice([1, 1, 2, -1, -2])) for _ in shape]
    if not is_input:
        steps = [int(rng.choice([1, 2, -1])) for _ in shape]
    repeats = [is_input and rng.random() < 0.1 for _ in shape]
    lengths = [1 if repeats[d] else shape[d] * abs(steps[d]) for d in range(len(shape))]
    memory = np.array(_data(kind, [lengths[d] for d in order], rng, whole), order="C")
    if not shape:
        return memory, memory
    view = memory.transpose(np.argsort(order))
    # Of several elements in a step, the one that each direction meets first.
    view = view[tuple(slice(None, None, 1 if repeats[d] else steps[d]) for d in range(len(shape)))]
    return memory, np.broadcast_to(view, shape) if is_input else view


class Call:
    """One kernel on drawn data."""

    def __init__(self, kernel, values, sizes, rng, whole):
        self.kernel, self.values, self.sizes, self.whole = kernel, values, sizes, whole
        self.memory, self.views, self.offsets = {}, {}, {}
        for tensor in kernel.tensors:
            name, shape = tensor["name"], _evaluate(kernel, sizes, values)[tensor["name"]]
            memory, view = _view(tensor["type"], shape, rng, whole, tensor["role"] == "input")
            self.memory[name], self.views[name] = memory, view
            self.offsets[name] = int(rng.integers(-3, 4))

    def __str__(self):
        strides = {n: v.strides for n, v in self.views.items()}
        return f"{self.kernel.name} {self.kernel.types()} {self.sizes} {self.values} strides {strides}"

    def _run(self, function, without):
        tensors = {n: abi.describe(v, self.offsets[n]) for n, v in self.views.items()}
        return function(*_arguments(self.kernel, tensors, _attribute_arguments(self.kernel, self.values, without)))

    def run(self, function, without=()):
        """(what the function returned, output -> elements and all memory around them). The data is as before afterwards."""
        names = [t["name"] for t in self.kernel.tensors if t["role"] == "output"]
        before = {n: self.memory[n].copy() for n in names}
        status = self._run(function, without)
        results = {n: (self.views[n].copy(), self.memory[n].copy()) for n in names}
        for n in names:
            self.memory[n][...] = before[n]
        return status, results

    def run_reference(self, folder):
        """output -> elements, by the interpreter."""
        args = ["eval", self.kernel.spec, "--def", self.kernel.name, *self.kernel.flags, *flags_of(self.kernel, self.values)]
        args += [f"--dim={s}={n}" for s, n in self.sizes.items()]
        outputs = [t["name"] for t in self.kernel.tensors if t["role"] == "output"]
        for name, view in self.views.items():
            np.save(folder / f"{name}.npy", np.array(view))
            args += ["--in", f"{name}={folder}/{name}.npy"]
        for name in outputs:
            args += ["--out", f"{name}={folder}/{name}.out.npy"]
        einc_tool.must(einc_tool.run(*args))
        return {n: np.load(folder / f"{n}.out.npy") for n in outputs}

    def compare(self, got, wanted):
        """A sentence about the first output that differs, or None. Integers must be equal, and floats where all are small
        whole numbers; others may differ by the roundings of a sum over all sizes that the outputs do not have, of numbers
        as large as the call's, and as much again for each local tensor."""
        outer = " ".join(str(s) for t in self.kernel.tensors if t["role"] == "output" for s in t["shape"])
        inner = [max(n, 1) for s, n in self.sizes.items() if not re.search(rf"\b{s}\b", outer)]
        length = min(int(np.prod(inner, dtype=float)), 1 << 20)
        for tensor in self.kernel.tensors:
            name, kind = tensor["name"], tensor["type"]
            if tensor["role"] != "output":
                continue
            message = compare_arrays(kind, got[name], wanted[name], self._bound(kind, wanted[name], length))
            if message:
                return f"{self}\n{name}: {message}"
        return None

    def _bound(self, kind, wanted, length):
        if not scalars.is_float(kind):
            return 0.0
        largest = [1.0]
        for tensor in self.kernel.tensors:
            data = scalars.from_storage(tensor["type"], self.memory[tensor["name"]]).astype(np.float64)
            data = np.abs(data[np.isfinite(data)]) if tensor["role"] == "input" else np.zeros(0)
            largest.append(data.max(initial=0))
        out = scalars.from_storage(kind, wanted).astype(np.float64)
        small = np.abs(out) < 2.0 ** (scalars.PRECISION[kind] - 2)
        if self.whole and np.all((out == np.rint(out)) & small):
            return 2.0**-200  # but -0 may be +0
        scale = np.abs(out[np.isfinite(out)]).max(initial=0) + max(largest) ** 2
        stages = 1 + sum(t["role"] == "local" for t in self.kernel.manifest["tensors"])
        return stages * (length**0.5 * 4 + 16) * 2.0 ** -scalars.PRECISION[kind] * scale


def compare_arrays(kind, got, wanted, bound=0.0):
    """Stored arrays; NaNs are equal. The sign of zero counts where the bound is 0."""
    if got.shape != wanted.shape:
        return f"shape {got.shape}, not {wanted.shape}"
    got, wanted = scalars.from_storage(kind, got), scalars.from_storage(kind, wanted)
    same = got == wanted
    if scalars.is_float(kind):
        with np.errstate(all="ignore"):
            if not np.any(bound):
                same &= np.signbit(got) == np.signbit(wanted)
            same |= np.isnan(got) & np.isnan(wanted)
            error = np.abs(got.astype(np.float64) - wanted.astype(np.float64))
            same |= np.isfinite(error) & (error <= bound) & (np.asarray(bound) > 0)
    if same.all():
        return None
    at = tuple(np.argwhere(~same)[0])
    return f"{np.count_nonzero(~same)} of {same.size} differ; at {list(map(int, at))} {got[at]!r}, not {wanted[at]!r} (bound {np.max(bound):.3g})"
