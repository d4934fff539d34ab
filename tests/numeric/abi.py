# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""The C ABI from Python: a generated library loaded with ctypes, called with NumPy arrays.

Descriptors are laid out here from what is documented of them (pointer, pointer, offset, sizes, strides),
not from a generated header.
"""

import ctypes
import json
import re

import numpy as np

from tests.numeric import compilers, einc_tool, scalars


def statuses():
    """The names and values of runtime/status.def."""
    text = einc_tool.find("runtime/status.def").read_text()
    return {m[1]: int(m[2]) for m in re.finditer(r"^EINC_STATUS\((\w+), (-?\d+),", text, re.MULTILINE)}


def descriptor_words(address, offset, sizes, strides):
    return (ctypes.c_int64 * (3 + 2 * len(sizes)))(address, address, offset, *sizes, *strides)


def describe(array, offset=0):
    """The descriptor of a NumPy array, whatever its strides. `offset`, in elements, is taken off the
    data pointer and put into the descriptor."""
    size = array.dtype.itemsize
    assert all(s % size == 0 for s in array.strides), "strides count elements"
    address = array.__array_interface__["data"][0] - offset * size
    return descriptor_words(address, offset, array.shape, [s // size for s in array.strides])


def in_halves(numbers):
    """Integers as elements of 4 bits: the bytes, and the descriptor. Rows of odd length end with half a byte."""
    numbers = np.asarray(numbers)
    rows = numbers if numbers.ndim else numbers[None]
    rows = np.concatenate([rows, np.zeros((*rows.shape[:-1], rows.shape[-1] % 2), rows.dtype)], axis=-1).astype(np.int64) & 15
    data = np.ascontiguousarray((rows[..., ::2] | rows[..., 1::2] << 4).astype(np.uint8))
    strides = [2 * s for s in data.strides[:-1]] + [1]
    return data, descriptor_words(data.ctypes.data, 0, numbers.shape, strides[:numbers.ndim])


_C_SCALARS = {
    "bool": ctypes.c_uint8, "i8": ctypes.c_int8, "i16": ctypes.c_int16, "i32": ctypes.c_int32,
    "i64": ctypes.c_int64, "u8": ctypes.c_uint8, "u16": ctypes.c_uint16, "u32": ctypes.c_uint32,
    "u64": ctypes.c_uint64, "f16": ctypes.c_uint16, "bf16": ctypes.c_uint16, "f32": ctypes.c_float,
    "f64": ctypes.c_double,
}


def c_scalar(kind, number):
    """A scalar parameter, as the ABI passes it."""
    if kind == "bf16":
        number = int(scalars.to_storage(kind, scalars.round_bf16(np.array(number, np.float64))))
    elif kind == "f16":
        number = int(np.array(number, np.float16).view(np.uint16))
    return _C_SCALARS[kind](number)


def c_attribute(kind, numbers):
    """An attribute with elements, passed by address."""
    return (_C_SCALARS[kind] * len(numbers))(*[c_scalar(kind, n).value for n in numbers])


class Library(ctypes.CDLL):
    """A shared library with its manifest, which knows each def's function: that of `exp` is not C's."""

    def __init__(self, path, manifest):
        super().__init__(str(path))
        self._functions = {k["def"]: k["function"] for k in json.loads(manifest.read_text())["kernels"]}

    def kernel(self, name):
        return getattr(self, self._functions[name])


def shared_library(folder, name):
    """libNAME.a of `einc build` as something that can be loaded."""
    path = folder / f"lib{name}.so"
    archive = folder / f"lib{name}.a"
    compilers.link(path, "--whole-archive", archive, "--no-whole-archive")
    return Library(path, folder / f"{name}.json")


def for_target(flags):
    """This machine's vectors, unless a test is about targets: one third of the code to compile."""
    return [*flags, *([] if any(f.startswith("--target") for f in flags) else ["--target=native"])]


def parts(folder, name, specs, *flags):
    """The generated C, a file for each def and one for all."""
    einc_tool.must(einc_tool.run("build", *specs, "-o", folder, "--name", name, "--sources-only", *for_target(flags)))
    return [folder / file for file in re.findall(r'^    "(.*\.c)",$', (folder / f"{name}.bzl").read_text(), re.MULTILINE)]


def build_sources(folder, name, specs, level, *flags):
    """A library from the generated C, compiled here: in a short time at -O0, or though it has warnings."""
    path, sources = folder / f"{name}.so", parts(folder, name, specs, *flags)
    compilers.compile_library(einc_tool.CLANG, "-std=c99", level, "-w", "-fPIC", sources=sources, out=path)
    return Library(path, folder / f"{name}.json")


class Several:
    """Libraries as one."""

    def __init__(self, libraries):
        self._libraries = libraries  # and the names of the defs in each

    def kernel(self, name):
        return next(library for library, names in self._libraries if name in names).kernel(name)


def build_shared_out(folder, spec, names, turn, turns, level, *flags):
    """These defs, some of them for this machine, which with AVX-512 takes four times as long to compile, and the others for
    x86-64-v3: in as many turns each def is once for this machine."""
    libraries = []
    for target, part in [("native", names[turn % turns::turns]), ("x86-64-v3", [n for i, n in enumerate(names) if i % turns != turn % turns])]:
        if part:
            library = build_sources(folder, target, [spec], level, f"--target={target}", *flags, *[f"--def={name}" for name in part])
            libraries.append((library, part))
    return Several(libraries)


def build(folder, name, specs, *flags):
    """A library from specs, through `einc build`."""
    einc_tool.must(einc_tool.run("build", *specs, "-o", folder, "--name", name, *for_target(flags), timeout=900))
    return shared_library(folder, name)
