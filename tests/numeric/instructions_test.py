# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Each row of target/instructions.def: what this CPU's instruction gives for 10^6 inputs, edges first, is what the row says that
it means, which the interpreter computes: in the code for each target that has it, in registers of its size. Those of AArch64 are
qemu's, called by C of two compilers.
"""

import pathlib
import re

import numpy as np

from tests.numeric import aarch64, abi, einc_tool, features

_TABLE = pathlib.Path("compiler/target/instructions.def")
_COUNT = 1_000_000
_EDGES = {
    8: [0, 1, 0x7F, 0x80, 0x81, 0xFE, 0xFF],
    16: [0, 1, 0x7F80, 0x7FC0, 0x7F7F, 0x8000, 0xFF80, 0xFFFF, 0x0001, 0x807F, 0x0080, 0x3F80, 0xBF80, 0x7FFF],
}


def rows():
    """(name, features, bits of an element, type of the sum)."""
    text = _TABLE.read_text()
    head = r'^EINC_INSTRUCTION\("(\w+)", ([\w |]+), \d+,\s*"\(%A: tensor<\d+ x [a-z]+(\d+)>.*?\(%C: tensor<(\w+)>\)'
    return re.findall(head, text, re.MULTILINE | re.DOTALL)


def words(rng, bits):
    """Words of any bits; before them all words of two edges, in all places. Of floats the last quarter is of like size, so that sums are
    rounded."""
    edges = np.array(_EDGES[bits], np.uint64)
    some = rng.choice(edges, (_COUNT // 2, 32 // bits))
    made = sum(some[:, i] << np.uint64(bits * i) for i in range(32 // bits)).astype(np.uint32)
    others = rng.integers(0, 1 << 32, _COUNT - len(made), np.uint32)
    if bits == 16:
        others[len(others) // 2 :] = others[len(others) // 2 :] & 0x87FF87FF | 0x38003800
    return np.concatenate([made, others]).view(np.int32)


def sums(rng, kind):
    if kind == "i32":
        ends = rng.choice([0, 1, -1, 2**31 - 1, -(2**31)], _COUNT // 10)
        return np.concatenate([ends, rng.integers(-(2**31), 2**31, _COUNT - len(ends))]).astype(np.int32)
    bits = rng.integers(0, 1 << 32, _COUNT, np.uint32)
    bits[: _COUNT // 2] = (rng.standard_normal(_COUNT // 2) * 10.0 ** rng.integers(-38, 38, _COUNT // 2)).astype(np.float32).view(np.uint32)
    bits[-_COUNT // 4 :] = bits[-_COUNT // 4 :] & 0x87FFFFFF | 0x38000000
    bits[:10] = [0, 0x80000000, 1, 0x807FFFFF, 0x00800000, 0x7F7FFFFF, 0xFF7FFFFF, 0x7F800000, 0xFF800000, 0x7FC00000]
    return bits.view(np.float32)


def made(folder, name, bits, kind):
    """A def that calls the instruction, and what it is called with, in a folder."""
    folder.mkdir()
    rng = np.random.default_rng(5)
    for x, values in [("A", words(rng, int(bits))), ("B", words(rng, int(bits))), ("S", sums(rng, kind))]:
        np.save(folder / f"{x}.npy", values)
    (folder / "row.eir").write_text(
        f"eir 1\nkernel @row(%A: tensor<N x i32>, %B: tensor<N x i32>, %S: tensor<N x {kind}>) -> (%C: tensor<N x {kind}>) level tensors {{\n"
        f"  op (n: parallel) ins(%A[n], %B[n], %S[n]) outs(%C[n]) {{ (a, b, s, c) -> {name}(s, a, b) }}\n}}\n"
    )
    return folder


def evaluated(folder, engine, target):
    ins = [f"--in={x}={folder}/{x}.npy" for x in "ABS"]
    out = folder / f"{engine}.npy"
    einc_tool.must(einc_tool.run("eval", folder / "row.eir", f"--engine={engine}", f"--target={target}", *ins, f"--out=C={out}"))
    return np.load(out)


def different(folder, meant, got):
    alike = (meant.view(np.uint32) == got.view(np.uint32)) | (np.isnan(meant) & np.isnan(got) if meant.dtype == np.float32 else False)
    if alike.all():
        return None
    n = int(np.argmin(alike))
    inputs = [np.load(folder / f"{x}.npy").view(np.uint32)[n] for x in "ABS"]
    return f"{np.count_nonzero(~alike)} differ; of a, b, c {[hex(x) for x in inputs]} {got[n]!r}, and {meant[n]!r} is meant"


def here(folder, target):
    return different(folder, evaluated(folder, "reference", target), evaluated(folder, "native", target))


def under_qemu(folder):
    meant = evaluated(folder, "reference", "aarch64-bf16")
    arrays = [np.load(folder / f"{x}.npy") for x in "ABS"]
    for compiler in [aarch64.CLANG, aarch64.GCC]:
        own = folder / compiler[0]
        library = aarch64.Library(own, "row", [folder / "row.eir"], compiler, "-O2", "max", "--target=aarch64-bf16")
        got = np.zeros_like(meant)
        status = library.kernel("row")(*map(abi.describe, [*arrays, got]))
        if message := f"status {status}" if status else different(folder, meant, got):
            return f"{compiler[0]}: {message}"
    return None


def main():
    cases = einc_tool.Cases()
    folder = einc_tool.scratch()
    has = features.here()
    cases.run("the table has rows", lambda: None if len(rows()) >= 8 else f"found {rows()}")
    for name, needed, bits, kind in rows():
        own = made(folder / name, name, bits, kind)
        for target, given in features.targets().items():
            if given & set(needed.split(" | ")) and given <= has:
                cases.run(f"{name} {target}", here, own, target)
        if features.targets()["aarch64-bf16"] & set(needed.split(" | ")):
            cases.run(name, under_qemu, own)
    cases.finish()


if __name__ == "__main__":
    main()
