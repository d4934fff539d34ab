# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Schedules for a device, drawn at random: loops bound to workgroups and invocations, lanes, loops in order, vectors, parts, ways, copies to
a workgroup's memory, tiles of products, ops that share positions; the results are those of NumPy, and each step of each is interpreted
(--verify-each). What cannot be is refused.

  device_schedules_test.py [--long] [--first N] [--count N]
"""

import argparse
import random

import numpy as np

from tests.numeric import combiners_test, device, einc_tool

_SPEC = """
combiner largest((v, i), (w, j)) = w > v || (w == v && j < i) ? w : v, w > v || (w == v && j < i) ? j : i neutral lowest, highest;
def scaled(X: f32(M, N), b: f32(N)) -> (Y: f32(M, N)) { Y(m, n) = X(m, n) * b(n); }
def turned(X: f32(M, N)) -> (Y: f32(N, M)) { Y(n, m) = X(m, n) + 1.0; }
def row_sums(X: f32(M, N), s: f32(M)) -> (y: f32(M)) { y(m) = s(m); y(m) += X(m, n); }
def product(A: f32(M, K), B: f32(K, N), S: f32(M, N)) -> (C: f32(M, N)) { C(m, n) = S(m, n); C(m, n) += A(m, k) * B(k, n); }
def shares(X: f32(M, N)) -> (Y: f32(M, N)) { E(m, n) = X(m, n) / 2.0; S(m) +=! E(m, n); Y(m, n) = E(m, n) - S(m) + cast<f32>(index(m)); }
def argmax(X: f32(M, N)) -> (v: f32(M), p: i64(M)) { v(m), p(m) largest=! X(m, n), index(n); }
"""
# Iterators over results, of reductions, and of each def the number of the op; an operand with the last of them. An input, and its own.
_INPUTS = {"scaled": ("X", "mn"), "turned": ("X", "mn"), "row_sums": ("X", "mn"), "product": ("B", "kn"), "argmax": ("X", "mn")}
_DEFS = {"scaled": (["m", "n"], [], 0, "X"), "turned": (["m", "n"], [], 0, "X"), "row_sums": (["m"], ["n"], 1, "y"),
         "product": (["m", "n"], ["k"], 1, "B"), "argmax": (["m"], ["n"], 2, "v")}
# Ops that share m, their number, and what they leave for each other.
_TOGETHER = {"row_sums": (2, "y"), "shares": (4, "S")}
_SIZES = [(0, 5, 3), (1, 1, 1), (3, 8, 2), (4, 33, 9), (17, 20, 31), (130, 64, 12), (5, 300, 40)]


def lanes(r, results, terms):
    """The invocations of a workgroup share an iterator. Rows times lanes are at most 128."""
    along, lines = r.choice([*results, *terms, *terms]), []
    for name in r.sample(results, len(results)):
        if name != along:
            by = r.choice([None, None, 2, 4]) if not any(" by " in line for line in lines) else None
            lines.append(f"bind {name}{f' by {by}' if by else ''} to workgroups")
    lines.append(f"lanes {along} over {r.choice([1, 2, 8, 32])}")
    if r.random() < 0.3:
        lines.append(f"tile {along} by 3")
    return [*lines, "loops"]


def loops(r, results, terms):
    """Some steps up to the end of the op."""
    if r.random() < 0.35:
        return lanes(r, results, terms)
    left, lines, bound = r.sample(results, len(results)), [], False
    for name in list(left[: r.randint(0, len(left))]):
        by = r.choice([None, 3, 8])
        lines.append(f"bind {name}{f' by {by}' if by else ''} to workgroups")
        bound = True
        if by is None:
            left.remove(name)
    if bound and terms and r.random() < 0.5:
        lines.append(f"tile {terms[0]} by {r.choice([1, 5, 16])}")
    for name in list(left):
        if r.random() < 0.3 and (bound or len(left) > 1):
            continue
        if name == left[-1] and r.random() < 0.4:
            return [*lines, f"bind {name} by 4 to invocations", f"vectorize ({name}: 4)"]
        lines.append(f"bind {name} to invocations")
        left.remove(name)
    return [*lines, "loops"]


def fused(r, count, first, kept):
    """Ops from a number on, each by its own steps."""
    rows, terms = r.choice([None, 1, 2, 4]), r.choice([1, 4, 8, 32])
    if rows is None:
        head = ["bind m to invocations"] + r.choice([[], [f"keep () of {kept} on stack"]])
        return head + [f"fuse op {i} by {{ loops }}" for i in range(first, count)]
    head = [f"bind m by {rows} to workgroups"] + r.choice([[], [f"keep ({f'm: {rows}' if rows > 1 else ''}) of {kept} in workgroup"]])
    return head + [f"fuse op {i} by {{ {r.choice(['', f'lanes n over {terms} ']) if has_n else ''}loops }}" for i, has_n in enumerate(_HAS_N[count]) if i >= first]


# Whether each of so many ops goes along n, too.
_HAS_N = {2: [False, True], 4: [True, False, True, True]}


def together(r, name):
    """Some steps of the ops of a def."""
    count, kept = _TOGETHER[name]
    if name == "row_sums" and r.random() < 0.5:
        each = lambda *along: " ".join(f"fuse op {i} by {{ {f'lanes {a} over 8 ' if a else ''}loops }}" for i, a in enumerate(along))
        parts = "bind x to workgroups bind m by 4 to workgroups keep (m: 4) of y_parts in workgroup " + each(None, "n")
        sums = r.choice(["bind m to invocations keep () of y on stack fuse op 0 by { loops } fuse op 1 by { loops } fuse op 2 by { loops }",
                         "bind m by 4 to workgroups keep (m: 4) of y in workgroup " + each(None, "x", "n")])
        return [f"parts n by {r.choice([2, 7])} as x of op 1 together {{ {parts} }} combine {{ {sums} }}"]
    if name == "shares" and r.random() < 0.6:
        return ["inline op 0", *fused(r, count, 1, kept)]
    return fused(r, count, 0, kept)


def shared_out(r, name):
    """Steps that share what a workgroup has, which may be copied before."""
    results, terms, _, _ = _DEFS[name]
    sizes = {i: r.choice([2, 8, 32]) for i in results}
    lines = ["bind " + ", ".join(f"{i} by {by}" for i, by in sizes.items()) + " to workgroups"]
    operand, own = _INPUTS[name]
    sizes |= {i: r.choice([5, 16]) for i in terms}
    lines += [f"tile {i} by {sizes[i]}" for i in terms]
    over = lambda names: "bind " + ", ".join(f"{i} over {r.choice([1, 4, 8])}" for i in names) + " to invocations loops"
    if r.random() < 0.7:
        order = r.sample(own, 2)
        row = f" ({sizes[order[1]] + 1})" if r.random() < 0.5 else ""
        lines.append(f"copy {operand} ({', '.join(order)}) as here on workgroup{row} {{ {r.choice(['loops', '', over(order)])} }}")
    last = results[-1]
    if r.random() < 0.5:
        return [*lines, over(results)]
    others = "".join(f"{i} over 2, " for i in results[:-1])
    return [*lines, f"bind {others}{last} by 4 over {r.choice([2, 8])} to invocations", r.choice(["loops", f"vectorize ({last}: 4)"])]


def tiles(r):
    """Of the product: sums in registers, operands in the workgroup's memory, alone or with what the sums start from."""
    mr, nr, rows, columns = (r.choice(some) for some in ([1, 2, 4], [1, 2, 4], [2, 4], [2, 8]))
    sums, depth = [], r.choice([None, 3, 8])
    if depth:
        sums.append(f"tile k by {depth}")
    for operand, name, width in (("A", "m", mr * rows), ("B", "n", nr * columns)):
        if depth and width % 2 == 0 and r.random() < 0.7:
            sums.append(f"pack {operand} ({name}: {width}) on workgroup{r.choice(['', f' ({width + 1})'])}")
    last = f"bind m by {mr} over {rows}, n by {nr} over {columns} to invocations {r.choice(['loops', f'vectorize (m: {mr}, n: {nr})'])}"
    if depth and r.random() < 0.5:
        last = f"when k == {depth} {{ {last} }} otherwise {{ {last} }}"
    start = ["fuse op 0"] if r.random() < 0.5 else []
    return [*start, f"bind m by {mr * rows}, n by {nr * columns} to workgroups", f"results (m: {mr} over {rows}, n: {nr} over {columns}) {{ {' '.join([*sums, last])} }}"]


def wrong(r, name):
    """Steps of which the last cannot be, and why."""
    results, terms, _, _ = _DEFS[name]
    operand, own = _INPUTS[name]
    first, by = results[0], r.choice([2, 8])
    group = f"bind {first} by {by} to workgroups"
    return r.choice([
        ([f"bind {first} over {by} to invocations"], "bind one to workgroups before"),
        ([group, f"bind {first} over 128, {first} over 2 to invocations"], "stands twice"),
        ([group, f"bind {first} over {r.choice([129, 1000])} to invocations"], "expected 1 to 128 invocations"),
        ([f"copy {operand} ({own[0]}, {own[1]}) as here on workgroup {{ }}"], "memory is shared in a workgroup"),
        ([group, f"copy {operand} ({own[0]}) as here on workgroup {{ }}"], "a copy has the dimensions that"),
        ([group, f"pack {operand} ({first}: {by}) on workgroup"], "tile " if first in own else "is packed where"),
        *[([group, f"bind {i} over 4 to invocations"], "is a reduction") for i in terms],
    ])


def steps(r, name):
    results, terms, _, operand = _DEFS[name]
    if name == "product" and r.random() < 0.5:
        return tiles(r)
    if r.random() < 0.4:
        return shared_out(r, name)
    if terms and r.random() < 0.3:
        lists = [loops(r, [*results, "x"], terms), loops(r, [*results, "x"], []), loops(r, results, ["x"]), loops(r, results, terms)]
        words = ["", "fill ", "combine ", "rest "]
        return [f"parts {terms[0]} by {r.choice([2, 7])} as x " + " ".join(w + "{ " + " ".join(l) + " }" for w, l in zip(words, lists))]
    lines = loops(r, results, terms)
    if r.random() < 0.3:
        last = results[-1]
        lines = [f"when contiguous({operand}, {last}) and {last} mod 4 == 0 {{ {' '.join(lines)} }} otherwise {{ {' '.join(loops(r, results, terms))} }}"]
    return lines


def calls(rng):
    """def, inputs, outputs"""
    for m, n, k in _SIZES:
        draw = lambda *shape: rng.integers(-4, 5, shape).astype(np.float32)
        X, A, B = draw(m, n), draw(m, k), draw(k, n)
        b, s, S = draw(n), draw(m), draw(m, n)
        yield "scaled", [X, b], [X * b]
        yield "turned", [X], [X.T + 1]
        yield "row_sums", [X, s], [s + X.sum(1)]
        yield "product", [A, B, S], [S + A @ B]
        E = X / 2
        yield "shares", [X], [E - E.sum(1, keepdims=True) + np.arange(m, dtype=np.float32)[:, None]]
        yield "argmax", [X], combiners_test.first_largest(X, 1)


def schedule(ops):
    """`ops`: of each def what the steps are for, and the steps."""
    return "einc_schedule 1\n" + "".join(
        f'schedule @{name} for "vulkan-software" {{\n  {of} {{\n    ' + "\n    ".join(lines) + "\n  }\n}\n" for name, (of, lines) in ops.items())


def which(name, lines):
    return "ops 0 to 1" if lines[0] == "fuse op 0" else f"op {_DEFS[name][2]}"


def refused(folder, seed):
    r = random.Random(seed)
    (folder / "s.tc").write_text(_SPEC)
    for name in _DEFS:
        lines, why = wrong(r, name)
        path = folder / f"w{seed}.schedule"
        path.write_text(schedule({name: (which(name, lines), lines)}))
        said = einc_tool.run("emit", "--stage=tiled", folder / "s.tc", "--target=vulkan-software", f"--schedule={path}")
        if said.returncode != 1 or why not in said.stderr or f"{path.name}:{3 + len(lines)}:" not in said.stderr:
            return f"{name} {lines}: exit code {said.returncode}, expected '{why}':\n{said.stderr}"
    return ""


def case(folder, seed):
    r, stem = random.Random(seed), f"s{seed}"
    (folder / "s.tc").write_text(_SPEC)
    drawn = {name: steps(r, name) for name in _DEFS}
    ops = {name: (which(name, lines), lines) for name, lines in drawn.items()}
    for name, (count, _) in _TOGETHER.items():
        if name not in ops or r.random() < 0.5:
            ops[name] = (f"ops 0 to {count - 1}", together(r, name))
    (folder / f"{stem}.schedule").write_text(schedule(ops))
    einc_tool.must(einc_tool.run("build", folder / "s.tc", "--target=vulkan-software", "--sources-only", "-o", folder, f"--name={stem}",
                                 f"--schedule={folder}/{stem}.schedule", "--verify-each", timeout=300))
    messages, wrong = [], []
    library = device.Library(folder, stem, messages)
    for name, inputs, want in calls(np.random.default_rng(seed)):
        said = combiners_test.differs_by(lambda arrays: library.run(name, arrays), inputs, want, 0)
        if said or messages:
            wrong.append(f"{name} {inputs[0].shape}: {said} {messages}\n{ops[name]}"[:1000])
            messages.clear()
    library.close()
    return "\n".join(wrong[:4])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--count", type=int)
    args = parser.parse_args()
    cases, folder = einc_tool.Cases(), einc_tool.scratch()
    for seed in range(args.first, args.first + (args.count or (60 if einc_tool.LONG else 4))):
        cases.run_apart(f"schedules {seed}", case, folder, seed)
        cases.run_apart(f"wrong schedules {seed}", refused, folder, seed)
    cases.finish()


if __name__ == "__main__":
    main()
