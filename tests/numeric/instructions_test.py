# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Each row of target/instructions.def: what this CPU's instruction gives for 10^6 inputs, edges first, is what the row says that
it means, which the interpreter computes: in the code for each target that has it, in registers of its size. Those of AArch64 are
qemu's, called by C of two compilers. (Those that convert: conversions.py.)
"""

import pathlib
import re

import numpy as np

from tests.numeric import aarch64, abi, conversions, einc_tool, features

_TABLE = pathlib.Path("compiler/target/instructions.def")
_COUNT = 1_000_000
_EDGES = {
    8: [0, 1, 0x7F, 0x80, 0x81, 0xFE, 0xFF],
    16: [0, 1, 0x7F80, 0x7FC0, 0x7F7F, 0x8000, 0xFF80, 0xFFFF, 0x0001, 0x807F, 0x0080, 0x3F80, 0xBF80, 0x7FFF],
}


def rows():
    """(name, features, "2 x " of a block, bits of an element, type of the sum)."""
    text = _TABLE.read_text()
    head = r'^EINC_INSTRUCTION\("(\w+)", ([\w |]+), \d+,\s*"\(%A: tensor<(2 x )?\d+ x [a-z]+(\d+)>.*?\(%C: tensor<(?:2 x 2 x )?(\w+)>\)'
    return re.findall(head, text, re.MULTILINE | re.DOTALL)


def words(rng, bits, count):
    """Words of 32 bits, of any bits; before them words of edges, in all places. Of floats the last quarter is of like size, so that sums
    are rounded."""
    edges = np.array(_EDGES[bits], np.uint64)
    some = rng.choice(edges, (count // 2, 32 // bits))
    made = sum(some[:, i] << np.uint64(bits * i) for i in range(32 // bits)).astype(np.uint32)
    others = rng.integers(0, 1 << 32, count - len(made), np.uint32)
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


def on_lanes(name, word, kind):
    return (
        f"eir 1\nkernel @row(%A: tensor<N x {word}>, %B: tensor<N x {word}>, %S: tensor<N x {kind}>) -> (%C: tensor<N x {kind}>) level tensors {{\n"
        f"  op (n: parallel) ins(%A[n], %B[n], %S[n]) outs(%C[n]) {{ (a, b, s, c) -> {name}(s, a, b) }}\n}}\n"
    )


def on_blocks(name, kind):
    return f"""eir 1
kernel @row(%A: tensor<N x 2 x i64>, %B: tensor<N x 2 x i64>, %S: tensor<N x 4 x {kind}>) -> (%C: tensor<N x 4 x {kind}>) level hardware {{
  for n = 0 .. N parallel {{
    vector (q: 4, w: 2) {{
      let s: {kind} over (q) = %S[n, q]
      let a: i64 over (w) = %A[n, w]
      let b: i64 over (w) = %B[n, w]
      %C[n, q] = {name}[q, w](s, a, b)
    }}
  }}
}} contract {{
  op (n: parallel, i: parallel, j: parallel) ins(%A[n, i], %B[n, j], %S[n, i * 2 + j]) outs(%C[n, i * 2 + j])
    {{ (a, b, s, c) -> {name}(s, a, b) }}
}}
"""


def made(folder, name, block, bits, kind):
    """A def that calls the instruction, on lanes or on a block, and what it is called with, in a folder."""
    folder.mkdir()
    rng = np.random.default_rng(5)
    for x in "AB":
        values = words(rng, int(bits), _COUNT)
        # Of 64 bits where there are blocks, so that there are half as many; with two of four sums.
        np.save(folder / f"{x}.npy", values.view(np.int64).reshape(-1, 2) if block else values)
    np.save(folder / "S.npy", sums(rng, kind).reshape(-1, 4) if block else sums(rng, kind))
    (folder / "row.eir").write_text(on_blocks(name, kind) if block else on_lanes(name, "i32", kind))
    return folder


def made_on_lanes(folder, name, bits, kind):
    """The same of an instruction on blocks, on the words of each lane."""
    made(folder, name, "2 x ", bits, kind)
    for x in "AB":
        np.save(folder / f"{x}.npy", np.load(folder / f"{x}.npy").reshape(-1))
    np.save(folder / "S.npy", np.load(folder / "S.npy").reshape(-1)[::2])
    (folder / "row.eir").write_text(on_lanes(name, "i64", kind))
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
    n = int(np.argmin(alike.reshape(len(alike), -1).all(1)))
    inputs = [np.load(folder / f"{x}.npy")[n] for x in "ABS"]
    return f"{np.count_nonzero(~alike)} differ; of a, b, c {[x.tobytes().hex(' ', 4) for x in inputs]} {got[n]!r}, and {meant[n]!r} is meant"


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
    cases.run("the table has rows", lambda: None if len(rows()) >= 13 else f"found {rows()}")
    for name, needed, block, bits, kind in rows():
        own = made(folder / name, name, block, bits, kind)
        for target, given in features.targets().items():
            if given & set(needed.split(" | ")) and given <= has:
                cases.run(f"{name} {target}", here, own, target)
        if features.targets()["aarch64-bf16"] & set(needed.split(" | ")):
            cases.run(name, under_qemu, own)
            if block:
                cases.run(f"{name} on lanes", under_qemu, made_on_lanes(folder / f"{name}_on_lanes", name, bits, kind))
    conversions.run(cases, folder)
    cases.finish()


if __name__ == "__main__":
    main()
