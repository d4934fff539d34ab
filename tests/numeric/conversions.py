# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""The conversions of target/instructions.def: what each gives for all numbers of 16 bits, or for 10^6 others, edges first, is what the
cast gives that the row says it means. For each number of lanes it has, in C of two compilers, however the caller rounds.
"""

import ctypes
import pathlib
import re

import numpy as np

from tests.numeric import aarch64, abi, compilers, einc_tool, features

_TABLE = pathlib.Path("compiler/target/instructions.def")
_COUNT = 1_000_000
_DTYPES = {"f16": np.float16, "f32": np.float32, "f64": np.float64, "i32": np.int32, "u32": np.uint32, "i64": np.int64, "u64": np.uint64}
_BITS = {2: np.uint16, 4: np.uint32, 8: np.uint64}
# To nearest, and upward, as C calls them here and there.
_ROUNDINGS, _AARCH64_ROUNDINGS = [0, 0x800], [0, 0x400000]


def rows():
    """(name, features, from, to)."""
    return re.findall(r'^EINC_CONVERSION\("(\w+)", ([\w |]+), "\w*",\s*EINC_CAST\("(\w+)", "(\w+)"\)\)', _TABLE.read_text(), re.MULTILINE)


def count():
    """Of all rows, whatever they mean."""
    return len(re.findall(r'^EINC_CONVERSION\("', _TABLE.read_text(), re.MULTILINE))


def lanes_of(name):
    """Those that have a text; one; and less than the least that has one."""
    own = {int(n) for n in re.findall(rf'^EINC_CONVERSION_\w+\("{name}", (\d+),', _TABLE.read_text(), re.MULTILINE)}
    return sorted({1, 2} | own)


def edges(source, target):
    """What lies next to where results change, and what is no common number."""
    if target == "f16":
        ends = np.arange(0x7C00, dtype=np.uint16).view(np.float16).astype(np.float64)
        ends = np.concatenate([ends, [65536]])
        values = np.concatenate([ends, (ends[1:] + ends[:-1]) / 2])
    else:
        values = np.concatenate([2.0 ** np.arange(-3, 66), np.arange(0, 8, 0.5)])
    kind = _DTYPES[source]
    values = values.astype(kind)
    values = np.concatenate([values, np.nextafter(values, kind(np.inf)), np.nextafter(values, kind(-np.inf))])
    info = np.finfo(kind)
    others = np.array([0, info.smallest_subnormal, info.tiny - info.smallest_subnormal, info.tiny, info.max, np.inf, np.nan], kind)
    quiet = 1 << info.nmant - 1
    signalling = (others[-1:].view(_BITS[info.bits // 8]) & ~_BITS[info.bits // 8](quiet) | _BITS[info.bits // 8](5)).view(kind)
    all_of = np.concatenate([others, signalling, values])
    return np.concatenate([all_of, -all_of])


def inputs(source, target):
    if source == "f16":
        return np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    rng = np.random.default_rng(7)
    first, dtype = edges(source, target), _DTYPES[source]
    # A third of any bits, the others of sizes that the target has.
    rest = _COUNT - len(first)
    low, high = (-26, 17) if target == "f16" else (-2, 8 * _DTYPES[target]().itemsize + 1)
    some = (rng.standard_normal(rest) * 2.0 ** rng.integers(low, high, rest)).astype(dtype)
    some[: rest // 3] = rng.integers(0, 1 << 8 * dtype().itemsize, rest // 3, _BITS[dtype().itemsize]).view(dtype)
    return np.concatenate([first, some])


def kernel(lanes, source, target):
    if lanes == 1:
        body, axes, at = f"%C[n, 0] = cast<{target}>(%A[n, 0])", "", "n, 0"
    else:
        body = f"vector (q: {lanes}) {{ let a: {source} over (q) = %A[n, q]\n %C[n, q] = cast<{target}>(a) }}"
        axes, at = ", q: parallel", "n, q"
    return (
        f"eir 1\nkernel @x{lanes}(%A: tensor<N x {lanes} x {source}>) -> (%C: tensor<N x {lanes} x {target}>) level hardware {{\n"
        f"  for n = 0 .. N parallel {{ {body} }}\n}} contract {{\n"
        f"  op (n: parallel{axes}) ins(%A[{at}]) outs(%C[{at}]) {{ (a, c) -> cast<{target}>(a) }}\n}}\n"
    )


class Conversion:
    """A row with what it is called with, and what is meant, in a folder."""

    def __init__(self, folder, name, source, target):
        folder.mkdir()
        self.folder, self.name, self.source, self.target = folder, name, source, target
        self.values = inputs(source, target)
        meaning, a, c = folder / "meaning.eir", folder / "A.npy", folder / "C.npy"
        np.save(a, self.values)
        meaning.write_text(
            f"eir 1\nkernel @meaning(%A: tensor<N x {source}>) -> (%C: tensor<N x {target}>) level tensors {{\n"
            f"  op (n: parallel) ins(%A[n]) outs(%C[n]) {{ (a, c) -> cast<{target}>(a) }}\n}}\n"
        )
        einc_tool.must(einc_tool.run("eval", meaning, "--engine=reference", f"--in=A={a}", f"--out=C={c}"))
        self.meant = np.load(c)

    def spec(self, lanes):
        path = self.folder / f"x{lanes}.eir"
        path.write_text(kernel(lanes, self.source, self.target))
        return path

    def different(self, call, lanes):
        """What a kernel of so many lanes gives that is not meant."""
        got = np.zeros_like(self.meant)
        status = call(*(abi.describe(x.reshape(-1, lanes)) for x in (self.values, got)))
        if status:
            return f"status {status}"
        bits = _BITS[got.itemsize]
        alike = self.meant.view(bits) == got.view(bits)
        if got.dtype.kind == "f":
            alike |= np.isnan(self.meant) & np.isnan(got)
        if alike.all():
            return None
        n = int(np.argmin(alike))
        return f"{np.count_nonzero(~alike)} differ; of {self.values[n]!r} {got[n]!r}, and {self.meant[n]!r} is meant"

    def not_used(self, folder, lanes):
        """The C has to call the row's function."""
        text = "".join(path.read_text() for path in folder.rglob("*.c") if path.name != "main.c")
        return None if text.count(f"{self.name}_x{lanes}(") >= 2 else f"{self.name}_x{lanes} is not used"

    def here(self, target, lanes, compiler):
        own = self.folder / f"{target}-{lanes}-{compiler}"
        own.mkdir()
        sources = abi.parts(own, "row", [self.spec(lanes)], f"--target={target}")
        compilers.compile_library(compiler, "-std=c99", "-O2", "-Wall", "-Wextra", "-Werror", "-fPIC", sources=sources, out=own / "row.so")
        call = abi.Library(own / "row.so", own / "row.json").kernel(f"x{lanes}")
        libm = ctypes.CDLL("libm.so.6")
        for rounding in _ROUNDINGS:
            libm.fesetround(rounding)
            try:
                message = self.different(call, lanes)
            finally:
                libm.fesetround(0)
            if message:
                return f"rounding {rounding:#x}: {message}"
        return self.not_used(own, lanes)

    def under_qemu(self, target, lanes, compiler):
        own = self.folder / f"{lanes}-{compiler[0]}"
        own.mkdir()
        library = aarch64.Library(own, "row", [self.spec(lanes)], compiler, "-O2", "max", f"--target={target}")
        for rounding in _AARCH64_ROUNDINGS:
            library.round(rounding)
            if message := self.different(library.kernel(f"x{lanes}"), lanes):
                return f"rounding {rounding:#x}: {message}"
        return self.not_used(own, lanes)


def first_of_each_size(needed):
    """Of x86-64, the first target for each size of registers that has any of these, and that this CPU has."""
    found, has = {}, features.here()
    for target, given in features.targets().items():
        if given & needed and given <= has:
            found.setdefault(features.vector_bytes(target), target)
    return found


def run(cases, folder):
    cases.run("all conversions are casts", lambda: None if len(rows()) == count() >= 4 else f"{len(rows())} of {count()}")
    for name, needed, source, target in rows():
        row = Conversion(folder / name, name, source, target)
        widest = max(_DTYPES[x]().itemsize for x in (source, target))
        for size, cpu in first_of_each_size(set(needed.split(" | "))).items():
            for lanes in [n for n in lanes_of(name) if n * widest <= size]:
                for compiler in (compilers.CLANG, compilers.GCC):
                    cases.run(f"{name} x {lanes} {cpu} {compiler}", row.here, cpu, lanes, compiler)
        under_qemu = [t for t, given in features.targets().items() if t.startswith("aarch64") and given & set(needed.split(" | "))]
        for lanes in lanes_of(name) if under_qemu else []:
            for compiler in (aarch64.CLANG, aarch64.GCC):
                cases.run(f"{name} x {lanes} {compiler[0]}", row.under_qemu, under_qemu[0], lanes, compiler)
