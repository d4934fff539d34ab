#!/usr/bin/python3
# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Schedules at the edges of the language, written by hand: what is legal computes what NumPy does at sizes from 0 on, step by
step looked at by --verify-each; what is not is refused in words, at its place, and never by a crash.

Numbers are small integers, whose sums and products floats hold exactly."""

import itertools
import re

import numpy as np

from tests.numeric import abi, einc_tool

_TARGET = "x86-64-v3"

# def: its text, the shapes of its inputs, and what NumPy computes
_DEFS = {
    "product": ("(A: f32(M, K), B: f32(K, N)) -> (C: f32(M, N)) { C(m, n) += A(m, k) * B(k, n); }", ["MK", "KN"], lambda a, b: a @ b),
    "sum": ("(A: f32(M, N), B: f32(M, N)) -> (C: f32(M, N)) { C(m, n) = A(m, n) + B(m, n); }", ["MN", "MN"], lambda a, b: a + b),
    "line": ("(A: i32(M, N)) -> (Y: i32(M * N)) { Y(m) = A(m / N, m % N) * 2; }", ["MN"], lambda a: a.reshape(-1) * 2),
    "blur": ("(I: f32(N)) -> (O: f32(N)) { O(n) = (I(n - 1) else 0) + 2 * I(n) + (I(n + 1) else 0); }", ["N"],
             lambda i: np.pad(i, 1)[:-2] + 2 * i + np.pad(i, 1)[2:]),
    "moments": ("(X: f32(M, N)) -> (S: f32(M), Q: f32(M)) { S(m), Q(m) += X(m, n), X(m, n) * X(m, n); }", ["MN"], lambda x: (x.sum(1), (x * x).sum(1))),
    "row_sums": ("(X: f32(M, N)) -> (y: f32(M)) { y(m) += X(m, n); }", ["MN"], lambda x: x.sum(1)),
    "shares": ("(X: f32(M, N)) -> (Y: f32(M, N)) { S(m) +=! X(m, n); Y(m, n) = X(m, n) * S(m); }", ["MN"], lambda x: x * x.sum(1, keepdims=True)),
    "dense": ("(A: f32(M, K), B: f32(K, N), b: f32(N)) -> (Y: f32(M, N)) { T(m, n) +=! A(m, k) * B(k, n); Y(m, n) = max(T(m, n) + b(n), 0); }",
              ["MK", "KN", "N"], lambda a, b, c: np.maximum(a @ b + c, 0)),
    "chain": ("(X: f32(M, N), b: f32(N)) -> (Y: f32(M, N), Z: f32(M, N)) { T(m, n) = X(m, n) + b(n); Y(m, n) = T(m, n) * X(m, n); Z(m, n) = Y(m, n) - T(m, n); }",
              ["MN", "N"], None),
    "strided": ("(I: f32(N)) -> (O: f32(M)) attr(st: 2xi64 = [1, 1]) { O(m) = (I(m * st[0] - st[1]) else 0); }", ["N"], None),
}

_LEGAL = [
    ("product", "op 0", "when 1 <= n { when k floordiv N == 1 { loops } otherwise { loops } } otherwise { loops }"),
    ("product", "op 0", "tile m by 3 tile n by 16 scratch (m: 3, n: 16) { loops }"),
    ("product", "op 0", "tile m by 5 tile n by 16 scratch (m: 5, n: 16) { vectorize (m: 5, n: 16) }"),
    ("product", "op 0", "cut m at m floordiv 2 { loops } rest { loops }"),
    ("product", "op 0", "cut m at m floordiv 3 * 2 { loops } rest { tile n by 16 vectorize (n: 16) }"),
    ("product", "op 0", "when 8 <= m { cut m at 8 { loops } rest { tile m by 4 loops } } otherwise { loops }"),
    ("product", "op 0", "let c = min(m, 8) cut m at c { tile n by 16 vectorize (n: 16) } rest { loops }"),
    ("product", "op 0", "when 8 <= k { cut k at 8 { loops } rest { loops } } otherwise { loops }"),
    ("product", "op 0", "parts k by 281474976710656 as kp { loops } fill { } combine { } rest { }"),
    ("product", "op 0", "tile n by 281474976710656 loops"),
    ("product", "op 0", "tile m by n * 2 + 1 loops"),
    ("sum", "op 0", "when contiguous(A, m * n) and contiguous(B, m * n) and contiguous(C, m * n) { collapse m, n as x tile x by 16 vectorize (x: 16) } otherwise { loops }"),
    ("sum", "op 0", "when contiguous(A, m * n) { loops } otherwise { }"),
    ("line", "op 0", "when contiguous(A, m) { loops } otherwise { }"),
    ("line", "op 0", "digits m by 281474976710656 as mh { loops } left of m { }"),
    ("line", "op 0", "cut m at m floordiv 16 * 16 { loops } rest { loops }"),
    ("blur", "op 0", "when contiguous(O, n) { cut n at line of O (64) { loops } rest { tile n by 16 vectorize (n: 16) } } otherwise { loops }"),
    ("moments", "op 0", ""),
    ("moments", "op 0", "tile m by 1 accumulate (n: 16)"),
    ("moments", "op 0", "tile n by 16 tile m by 1 vectorize (n: 16)"),
    ("moments", "op 0", "tile m by 4 tile n by 16 vectorize (m: 4, n: 16)"),
    ("moments", "op 0", "parts n by 16 as np { loops } fill { } combine { } rest { }"),
    ("moments", "op 0", "tile n by 16 order n, m loops"),
    ("row_sums", "op 0", "parts n by 8 as np together { } combine { }"),
    ("shares", "ops 0 to 2", "parts n by 8 as np of op 1 together { } combine { }"),
    ("dense", "ops 0 to 2", "fuse op 0 fuse op 2 when 1 <= k { tile n by 48 tile m by 8 keep (m: 8, n: 48) tile k by 16 vectorize (m: 8, n: 48) }"),
    ("dense", "ops 0 to 2", "fuse op 0 fuse op 2 tile m by 8 tile n by 48 scratch (m: 8, n: 48) { }"),
    ("dense", "ops 0 to 2", "fuse op 0 fuse op 2 tile m by 8 tile n by 48 results (m: 8, n: 48) { }"),
]

# and a part of what is said, on this target
_REFUSED = [
    ("product", "op 0", "tile n by n + 9223372036854775800 loops", "may be above 2^62"),
    ("product", "op 0", "tile m by n * n loops", "may be above 2^62"),
    ("product", "op 0", "parts k by 4611686018427387904 as kp { } fill { } combine { } rest { }", "a part has at most 281474976710656 positions"),
    ("product", "op 0", "let q = min(n * 281474976710656, 5) tile m by q + 1 loops", "may be above 2^62"),
    ("product", "op 0", "when k floordiv N == 1 { loops } otherwise { loops }", "'N', which is divided by, may be 0"),
    ("product", "op 0", "let x = min(k mod N, 5) tile m by x + 1 loops", "'N', which is divided by, may be 0"),
    ("product", "op 0", "when m floordiv 0 == 1 { loops } otherwise { loops }", "'0', which is divided by, may be 0"),
    ("product", "op 0", "when 8 <= m { cut m at 9 { loops } rest { loops } } otherwise { loops }", "when 9 <= m"),
    ("product", "op 0", "cut m at n { loops } rest { loops }", "it is not known that 'm' has so many positions"),
    ("product", "op 0", "tile n by 16 vectorize (n: 16) ahead n 9223372036854775807", "expected 1 to 4294967296 positions ahead"),
    ("product", "op 0", "tile n by 16 " * 257 + "loops", "more than 256 steps behind one another"),
    ("product", "op 0", "call product", "'product' is the function of this def itself"),
    ("blur", "op 0", "when contiguous(O, n) and contiguous(I, n) { cut n at line of I (64) { loops } rest { loops } } otherwise { loops }", "I is read outside its tensor"),
    ("shares", "ops 0 to 2", "when m < 4 { loops } otherwise { tile m by 4 keep (m: 4) of S }", "fuse op 0 by { } before"),
    ("chain", "ops 0 to 2", "inline op 0", "what it reads may be overwritten before"),
    ("dense", "ops 1 to 2", "fuse op 2", "not all that the contraction is done with is left"),
    ("strided", "op 0", "when st[2] == 1 { loops } otherwise { loops }", "attribute 'st' has 2 numbers, st[0] to st[1]"),
    ("strided", "op 0", "when st == 1 { loops } otherwise { loops }", "attribute 'st' has 2 numbers"),
]
_SIZES = [dict(zip("MNK", sizes)) for sizes in ((5, 37, 18), (33, 16, 8), (1, 1, 1), (0, 3, 2), (3, 0, 2), (3, 2, 0), (0, 0, 0), (17, 65, 65))]


def block(name, of, steps, target=_TARGET):
    return f'schedule @{name} for "{target}" {{\n  {of} {{\n    {steps}\n  }}\n}}\n'


def differs(kernel, kind, sizes):
    """What is wrong with a kernel, at sizes, on contiguous operands and on transposed ones."""
    _, shapes, compute = _DEFS[kind]
    rng = np.random.default_rng(7)
    inputs = [rng.integers(-4, 5, [sizes[s] for s in shape]).astype("i4" if kind == "line" else "f4") for shape in shapes]
    want = compute(*inputs)
    want = want if isinstance(want, tuple) else (want,)
    for layout in (np.ascontiguousarray, np.asfortranarray):
        given, got = list(map(layout, inputs)), [layout(np.zeros(w.shape, w.dtype)) for w in want]
        if status := kernel(*map(abi.describe, given), *map(abi.describe, got)):
            return f"status {status}"
        for g, w in zip(got, want):
            if not np.array_equal(g, w):
                return f"{layout.__name__}: {g}, not {w}"
    return None


def refused(folder, number, kind, of, steps, why, target=_TARGET):
    """Said at the place of a step, with a caret, and nothing is written."""
    spec, schedule, out = folder / "refused.tc", folder / f"refused{number}.schedule", folder / "none.c"
    spec.write_text("".join(f"def {name}{text}\n" for name, (text, *_) in _DEFS.items()))
    schedule.write_text("einc_schedule 1\n" + block(kind, of, steps, target))
    said = einc_tool.run("emit", "--stage=tiled", spec, f"--def={kind}", f"--target={target}", f"--schedule={schedule}", "-o", out)
    if said.returncode != 1 or out.exists():
        return f"exit code {said.returncode}: {said.stderr[-2000:]}"
    if not re.search(rf"^{re.escape(str(schedule))}:\d+:\d+: error: .*{re.escape(why)}", said.stderr, re.MULTILINE) or "^" not in said.stderr:
        return said.stderr
    return None


def goes_back_in(folder):
    """What is printed of the schedules is refused nowhere, and the same C."""
    flags = [folder / "legal.tc", f"--target={_TARGET}"]
    emitted = lambda stage, schedule: einc_tool.must(einc_tool.run("emit", f"--stage={stage}", *flags, f"--schedule={folder / schedule}")).stdout
    (folder / "printed.schedule").write_text(emitted("schedule", "legal.schedule"))
    codes = [emitted("c", name).splitlines() for name in ("legal.schedule", "printed.schedule")]
    return next((f"{a} and {b}" for a, b in itertools.zip_longest(*codes) if a != b), None)


def is_for_another(folder):
    """A schedule that is for no target that is built does nothing, and einc says so."""
    said = einc_tool.run("emit", "--stage=tiled", folder / "legal.tc", "--target=native", f"--schedule={folder / 'legal.schedule'}", "-o", folder / "none.eir")
    note = f"einc: note: {folder / 'legal.schedule'} has nothing for native: it is for {_TARGET}\n"
    return None if (said.returncode, said.stderr) == (0, note) else f"exit code {said.returncode}: {said.stderr}"


def main():
    cases, folder = einc_tool.Cases(), einc_tool.scratch()
    legal = [(f"{kind}_{i}", kind, of, steps) for i, (kind, of, steps) in enumerate(_LEGAL)]
    (folder / "legal.tc").write_text("".join(f"def {name}{_DEFS[kind][0]}\n" for name, kind, _, _ in legal))
    (folder / "legal.schedule").write_text("einc_schedule 1\n" + "".join(block(name, of, steps) for name, _, of, steps in legal))
    cases.run("what is printed goes back in", goes_back_in, folder)
    cases.run("for another target", is_for_another, folder)
    library = abi.build_sources(folder / "built", "edges", [folder / "legal.tc"], "-O1", f"--target={_TARGET}", f"--schedule={folder / 'legal.schedule'}", "--verify-each")
    cases.run_all_apart((f"{name} {sizes} {steps}", differs, library.kernel(name), kind, sizes) for (name, kind, _, steps), sizes in itertools.product(legal, _SIZES))
    for number, (kind, of, steps, why) in enumerate(_REFUSED):
        cases.run(f"{kind} is refused: {steps[:100]}", refused, folder, number, kind, of, steps, why)
    for axes in ("(m: 8, n: 8)", "(m: 16, n: 4)"):
        steps = f"bind m by 64, n by 64 to workgroups results (m: 8 over 8, n: 4 over 16) {{ bind m by 8 over 8, n by 4 over 16 to invocations vectorize {axes} }}"
        cases.run(f"product on a device is refused: {axes}", refused, folder, axes, "product", "op 0", steps, "positions here", "vulkan-desktop")
    cases.finish()


if __name__ == "__main__":
    main()
