#!/usr/bin/python3
# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Schedules drawn at random, in steps, on ops of many kinds: each is done, and the result is NumPy's, or it is refused at
its line, in words; each step is looked at by --verify-each. What `emit --stage=schedule` prints reads back as the same code.

Numbers are small integers, whose sums and products floats hold exactly: in any order the result is the same."""

import ctypes
import random
import re

import numpy as np

from tests.numeric import abi, einc_tool

# def: its text, the op's iterators (reductions with a '+'), operands of each, and what NumPy computes
_DEFS = {
    "map": ("(A: f32(M, N), B: f32(N, M)) -> (C: f32(M, N)) { C(m, n) = A(m, n) * 2.0 + B(n, m); }", "m n", {"A": "mn", "B": "nm", "C": "mn"}, lambda a, b: a * 2 + b.T),
    "turn": ("(A: i16(M, N, K)) -> (C: i16(K, M, N)) { C(k, m, n) = A(m, n, k); }", "k m n", {"A": "mnk", "C": "kmn"}, lambda a: a.transpose(2, 0, 1)),
    "row": ("(A: i32(N), B: i32(M, N)) -> (C: i32(M, N)) { C(m, n) = max(A(n), B(m, n)) - cast<i32>(index(n) % 3); }", "m n", {"A": "n", "B": "mn", "C": "mn"},
            lambda a, b: np.maximum(a, b) - np.arange(len(a)) % 3),
    "pad": ("(A: f64(M, N), O: f64(M, N)) -> (C: f64(M, N)) { C(m, n) = (A(m - 1, n + 2) else 7.0) + O(m, n); }", "m n", {"A": "mn", "O": "mn", "C": "mn"},
            lambda a, o: np.pad(a, ((1, 0), (0, 2)), constant_values=7.0)[: len(a), 2:] + o),
    "rows": ("(A: f32(M, N)) -> (C: f32(M)) { C(m) += A(m, n); }", "m n+", {"A": "mn", "C": "m"}, lambda a: a.sum(1)),
    "columns": ("(A: i32(N, M, K)) -> (C: i32(M)) { C(m) max= A(n, m, k); }", "m n+ k+", {"A": "nmk", "C": "m"}, lambda a: a.max((0, 2), initial=0)),
    "product": ("(A: f32(M, K), B: f32(K, N)) -> (C: f32(M, N)) { C(m, n) += A(m, k) * B(k, n); }", "m n k+", {"A": "mk", "B": "kn", "C": "mn"}, lambda a, b: a @ b),
    "bytes": ("(A: i8(M, K), B: i8(N, K)) -> (C: i32(M, N)) { C(m, n) += cast<i32>(A(m, k)) * cast<i32>(B(n, k)); }", "m n k+", {"A": "mk", "B": "nk", "C": "mn"},
              lambda a, b: a.astype(np.int32) @ b.T.astype(np.int32)),
    "window": ("(A: f32(N + K - 1, M), B: f32(K, M)) -> (C: f32(N, M)) { C(n, m) += A(n + k, m) * B(k, m); }", "n m k+", {"A": "", "B": "km", "C": "nm"},
               lambda a, b: sum(a[k : k + len(a) - len(b) + 1] * b[k] for k in range(len(b)))),
    "border": ("(A: f32(N, M), B: f32(K, M)) -> (C: f32(N, M)) { C(n, m) += (A(n + k - 2, m) else 3.0) * B(k, m); }", "n m k+", {"A": "", "B": "km", "C": "nm"},
               lambda a, b: sum(np.pad(a, ((2, len(b)), (0, 0)), constant_values=3.0)[k : k + len(a)] * b[k] for k in range(len(b)))),
    "unpack": ("(A: f32(N, R, K, K), B: f32(M)) -> (C: f32(M, N, K)) { C(m, n, k) = A(n, m / K, m % K, k) * B(m); }", "m n k", {"A": "", "B": "m", "C": "mnk"},
               lambda a, b: a.transpose(1, 2, 0, 3).reshape(-1, len(a), a.shape[3])[: len(b)] * b[:, None, None]),
    "largest": ("(A: f32(M, N)) -> (C: f32(M), P: i64(M)) { C(m), P(m) largest=! A(m, n), index(n); }", "m n+", {"A": "mn", "C": "m"},
                lambda a: (a.max(1), a.argmax(1))),
    "chain": ("(A: f32(N, K)) -> (C: f32()) { C() = std_addf<n, k>(std_mulf(C(), 0.5), A(n, k)); }", "n+ k+", {"A": "nk"}, None),
}
# The same of ops that are done together: on the tiles of a product, and in a loop that they share.
_TOGETHER = {
    "dense": ("(A: f32(M, K), B: f32(K, N), R: f32(N)) -> (C: f32(M, N), D: f32(M, N)) { T(m, n) +=! A(m, k) * B(k, n); C(m, n) = T(m, n) * 2.0 + R(n); D(m, n) = max(T(m, n), R(n)); }", "m n k+", {"A": "mk", "B": "kn"},
              lambda a, b, r: (a @ b * 2 + r, np.maximum(a @ b, r))),
    "centre": ("(A: f32(M, N)) -> (C: f32(M, N)) { S(m) +=! A(m, n); C(m, n) = A(m, n) * 4.0 - S(m); }", "m n", {"A": "mn"}, lambda a: a * 4 - a.sum(1, keepdims=True)),
}
_DEFS |= _TOGETHER
_COMBINER = """combiner largest((v, i), (w, j)) = w > v || (w == v && j < i) ? w : v, w > v || (w == v && j < i) ? j : i neutral lowest, highest;
"""
_DIVIDED = {"unpack": ("m", "K")}  # iterators, and by what
_BORDERS = {"border": "n"}  # iterators along which something is outside
_SIZES = [{"M": 5, "N": 37, "K": 18}, {"M": 33, "N": 16, "K": 3}, {"M": 1, "N": 70, "K": 1}]


class Drawer:
    """Steps for one op, most of which can be done."""

    def __init__(self, rng, iterators, operands, divided=(), border=""):
        self.rng, self.operands, self.made, self.divided, self.border = rng, operands, 0, divided, border
        self.is_inside = False  # whether that is to be asked
        self.kinds = {name.strip("+"): name.endswith("+") for name in iterators.split()}

    def steps(self, here, depth=0):
        """`here`: iterators, and how many positions they have at most, or None."""
        rng, here = self.rng, dict(here)
        if depth == 0 and self.divided and rng.random() < 0.7:
            return self.digits(here, depth, *self.divided)
        if depth == 0 and self.border and rng.random() < 0.7:
            return self.borders(here)
        if depth == 0 and any(self.kinds.values()) and rng.random() < 0.2:
            return self.parts(here)
        text, indent = "", "    " + "  " * depth
        for _ in range(rng.randint(0, 3)):
            names = list(here)
            if not names:
                break
            name = rng.choice(names)
            if rng.random() < 0.12 and depth == 0:
                order = rng.sample(names, len(names))
                text += f"{indent}order {', '.join(order)}\n"
                here = {n: here[n] for n in order}
                continue
            packs = [o for o, dims in self.operands.items() if o in "AB" and len(dims) == 2 and all(here.get(d) for d in dims) and here.keys() <= self.kinds.keys()]
            if packs and not self.border and rng.random() < 0.5:
                operand, width = rng.choice(packs), rng.choice([6, 8, 16])
                across = rng.choice(self.operands[operand])
                other = rng.choice([n for n in names if n not in self.operands[operand]] or [None])
                text += f"{indent}pack {operand} ({across}: {width})\n"
                if other and rng.random() < 0.5:
                    text += f"{indent}tile {other} by 4\n"
                    here[other] = min(4, here[other] or 4)
                text += f"{indent}tile {across} by {width}\n"
                here[across] = min(width, here[across])
                continue
            by = rng.choice([1, 1, 2, 3, 4, 7, 8, 16, 16, 32])
            threads = f" on threads ({rng.choice([1, 100])}{rng.choice(['', ' outer'])})" if rng.random() < (0.03 if self.kinds.get(name) else 0.15) else ""
            text += f"{indent}tile {name} by {by}{threads}\n"
            if by == 1:
                del here[name]
            else:
                here[name] = min(by, here[name] or by)
        names = list(here)
        if names and depth < 4 and rng.random() < 0.55:
            return text + rng.choice([self.when, self.when, self.cut, self.cut, self.digits])(here, depth)
        return text + self.end(here, indent)

    def when(self, here, depth):
        rng, indent = self.rng, "    " + "  " * depth
        name = rng.choice(list(here))
        known, bound = dict(here), rng.choice([1, 4, 8, 16])
        if self.is_inside and rng.random() < 0.6:
            self.is_inside = False
            return f"{indent}when inside {{\n{self.steps(here, depth + 1)}{indent}}} otherwise {{\n{self.steps(here, depth + 1)}{indent}}}\n"
        kind = rng.choice(["==", "<=", "<", "contiguous", "sizes"])
        if kind == "contiguous":
            operand = rng.choice([o for o, dims in self.operands.items() if dims] or ["A"])
            test = f"contiguous({operand}, {(self.operands.get(operand) or name)[-1]})"
        elif kind == "sizes":
            test = f"{name} * 2 <= N + 3 and 0 < {name}"
        else:
            test = f"{name} {kind} {bound}"
            known[name] = bound
        return (f"{indent}when {test} {{\n{self.steps(known, depth + 1)}{indent}}} otherwise {{\n{self.steps(here, depth + 1)}{indent}}}\n"
                if rng.random() < 0.8 else f"{indent}when {test} {{\n{self.steps(known, depth + 1)}{indent}}}\n")

    def cut(self, here, depth):
        rng, indent = self.rng, "    " + "  " * depth
        name, unit = rng.choice(list(here)), rng.choice([2, 4, 8, 16])
        first, rest, inner = dict(here), dict(here), ""
        rest[name] = min(unit - 1, rest[name] or unit)
        if rng.random() < 0.7:
            self.made += 1
            new = f"x{self.made}"
            if rng.random() < 0.5:
                inner, first[name], first[new] = f"{indent}  split {name} by {unit} as {new}\n", unit, None
            else:
                inner, first[name], first[new] = f"{indent}  spread {name} over {unit} as {new}\n", None, unit
        return (f"{indent}cut {name} at {name} floordiv {unit} * {unit} {{\n{inner}{self.steps(first, depth + 1)}{indent}}} rest {{\n"
                f"{self.steps(rest, depth + 1)}{indent}}}\n")

    def parts(self, here):
        """A reduction in parts; behind 'let', where their size is not a number."""
        name, by, new = self.rng.choice([n for n in here if self.kinds[n]]), self.rng.choice([1, 3, 4, 16]), "share"
        results = {n: None for n in here if not self.kinds[n]} | {new: None}
        width, text = by, ""
        if self.rng.random() < 0.5:
            width, by, text = "width", None, f"    let width = {by} floordiv (N + 1) + {by}\n"
        lists = [{**here, name: by, new: None}, results, results, {**here, name: by}]
        text += f"    parts {name} by {width} as {new} "
        return text + " ".join(f"{word}{{\n{self.steps(inside, 1)}    }}" for word, inside in zip(["", "fill ", "combine ", "rest "], lists)) + "\n"

    def borders(self, here):
        """Tiles of other iterators, then the interior of one."""
        name, text, indent, self.is_inside = self.border, f"    when borders({self.border}) {{\n", "      ", True
        for other in [n for n in here if n != name and self.rng.random() < 0.5]:
            text += f"{indent}tile {other} by 8\n"
            here[other] = 8
        text += f"{indent}interior {name} {{\n{self.steps(here, 2)}"
        self.is_inside = False
        return f"{text}{indent}}} border {{\n{self.steps(here, 2)}{indent}}}\n    }} otherwise {{\n{self.steps(here, 1)}    }}\n"

    def digits(self, here, depth, first="", base=0):
        rng, indent, whole, names, lefts = self.rng, "    " + "  " * depth, dict(here), [], ""
        for name in [first] * bool(first) + rng.sample([n for n in here if n != first], rng.randint(not first, min(2, len(here)) - bool(first))):
            self.made += 1
            by, new = base if name == first else rng.choice([2, 4, 8, 16]), f"x{self.made}"
            names.append(f"{name} by {by} as {new}")
            if rng.random() < 0.9:
                left = whole if by == base else {**whole, name: min(by - 1, whole[name] or by)}
                lefts += f"{indent}}} left of {name} {{\n{self.steps(left, depth + 1)}"
            whole = {**whole, name: whole[name] if by == base else min(by, whole[name] or by), new: None}
        return f"{indent}digits {', '.join(names)} {{\n{self.steps(whole, depth + 1)}{lefts}{indent}}}\n"

    def end(self, here, indent):
        rng = self.rng
        bounded = [n for n, most in here.items() if most and most <= 64]
        if bounded and rng.random() < 0.75:
            axes = rng.sample(bounded, rng.randint(1, min(2, len(bounded))))
            return f"{indent}vectorize ({', '.join(f'{a}: {rng.choice([here[a], here[a], 16])}' for a in axes)}){rng.choice(['', f' ahead {axes[0]} 32'])}{f' fit {axes[-1]} variant' * (here[axes[-1]] % 16 == 0 and rng.random() < 0.3)}\n"
        reductions = [n for n in here if self.kinds.get(n)]
        if reductions and rng.random() < 0.3:
            return f"{indent}accumulate ({reductions[0]}: {rng.choice([1, 4, 16])})\n"
        if reductions and rng.random() < 0.2:
            return f"{indent}call cblas{rng.choice(['', ' otherwise { loops }'])}\n"
        return rng.choice([f"{indent}loops\n", ""])


class RegionDrawer:
    """Steps for ops that are done together."""

    def __init__(self, rng):
        self.rng = rng

    def other(self, op, here, iterators="m n"):
        """One of them by steps of its own."""
        drawer = Drawer(self.rng, iterators, {})
        return f"    fuse op {op} by {{\n{drawer.steps({n: most for n, most in here.items() if n in drawer.kinds}, 1)}    }}\n"

    def tile(self, name, by, threads=0.2):
        return f"    tile {name} by {by}{f' on threads ({self.rng.choice([1, 100])})' if self.rng.random() < threads else ''}\n"

    def dense(self):
        rng, here, text, bys = self.rng, {"m": None, "n": None}, "", [0, 2, 3]
        rng.shuffle(bys)
        for op in bys:
            if rng.random() < 0.25:
                by = rng.choice([3, 8, 16])
                text, here = text + self.tile("m", by), here | {"m": by}
            text += self.other(op, here) if rng.random() < 0.3 else f"    fuse op {op}\n" if rng.random() < 0.95 else ""
        close, width, rows = "", rng.choice([8, 16]), rng.choice([1, 2, 4])
        if rng.random() < 0.5:
            by, room = rng.choice([1, 3, 4]), rng.choice(["m", "m", "m", "room", "4"])
            text += f"    let room = min(m, m * (k ceildiv {rng.choice([by, by, by, 2])} - 1))\n" * (room == "room")
            text, close = text + f"    when 1 <= k {{\n    keep (m: {room}, n: n)\n" + self.tile("k", by, 0), "    }\n"
        if rng.random() < 0.3:
            text += f"    pack B (n: {width})\n"
        text += self.tile("n", width) + self.tile("m", rows)
        axes = f"n: {width}" if rows == 1 else f"m: {rows}, n: {width}"
        end = [f"    vectorize ({axes})\n"] * 3 + [f"    results ({axes}) {{\n{Drawer(rng, 'm n k+', {}).steps({n: v for n, v in [('m', rows), ('n', width), ('k', None)] if v != 1}, 1)}    }}\n",
                                                  f"    scratch (m: {rows}, n: {width}) {{\n    vectorize ({axes})\n    }}\n", ""]
        return text + rng.choice(end) + close

    def centre(self):
        rng, by, text = self.rng, self.rng.choice([1, 3, 8]), ""
        here = {"m": None, "n": None}
        first = self.other(0, here, "m") if rng.random() < 0.2 else ""
        if rng.random() < 0.8:
            text, here = self.tile("m", by), here | {"m": by}
            if by == 1:
                del here["m"]
            if rng.random() < 0.6:
                text += "    keep () of S\n" if by == 1 else f"    keep (m: {rng.choice([by, by, by, 2, 'm'])}) of S\n"
        for op in range(bool(first), rng.choice([2, 3, 3, 3])):
            text += self.other(op, here, ["m", "m n+", "m n"][op])
        return first + text


def drawn(rng, count):
    """name of a def and its steps, count times"""
    for i in range(count):
        kind = list(_DEFS)[i % len(_DEFS)]
        if kind in _TOGETHER:
            yield kind, f"{kind}_{i}", getattr(RegionDrawer(rng), kind)()
            continue
        _, iterators, operands, _ = _DEFS[kind]
        drawer = Drawer(rng, iterators, operands, _DIVIDED.get(kind, ()), _BORDERS.get(kind, ""))
        yield kind, f"{kind}_{i}", drawer.steps({name: None for name in drawer.kinds})


def file_of(schedules, target):
    blocks = (f'schedule @{name} for "{target}" {{\n  {op_of(kind)} {{\n{steps}  }}\n}}\n' for kind, name, steps in schedules)
    return "einc_schedule 1\n" + "".join(blocks)


def op_of(kind):
    """"largest" stands behind the neutral element."""
    return {"largest": "op 1", "dense": "ops 0 to 3", "centre": "ops 0 to 2"}.get(kind, "op 0")


def accepted(cases, folder, spec, schedules, target):
    """The schedules that are not refused; those that are say why, at a line of their own. A run shows some of the errors."""
    kept, problem = schedules, None
    while not problem:
        path = folder / f"{target}.schedule"
        path.write_text(file_of(kept, target))
        said = einc_tool.run("emit", "--stage=tiled", spec, f"--target={target}", "--threads=3", f"--schedule={path}", "-o", folder / "tiled.eir")
        if said.returncode == 0:
            break
        errors = re.findall(rf"^{re.escape(str(path))}:(\d+):\d+: error: (.+)$", said.stderr, re.MULTILINE)
        names = names_by_line(path.read_text())
        refused = {names[int(line)] for line, message in errors if len(message) > 10}
        kept = [s for s in kept if s[1] not in refused]
        problem = None if refused and said.returncode == 1 else said.stderr[-2000:]
    problem = problem or ("more than half are refused" if len(kept) < len(schedules) / 2 else None)
    cases.check(f"{target}: {len(kept)} of {len(schedules)} are taken, the others refused at their lines", problem)
    return kept


def names_by_line(text):
    """The def whose schedule each line of a file is in."""
    names = {}
    for number, line in enumerate(text.splitlines(), 1):
        match = re.match(r"schedule @(\w+)", line)
        names[number] = match[1] if match else names.get(number - 1)
    return names


def arguments(kind, sizes, rng):
    """inputs, and the outputs as they are before"""
    M, N, K = sizes["M"], sizes["N"], sizes["K"]
    shapes = {"map": [(M, N), (N, M)], "turn": [(M, N, K)], "row": [(N,), (M, N)], "pad": [(M, N), (M, N)], "rows": [(M, N)], "columns": [(N, M, K)],
              "product": [(M, K), (K, N)], "bytes": [(M, K), (N, K)], "window": [(N + K - 1, M), (K, M)], "border": [(N, M), (K, M)], "largest": [(M, N)],
              "dense": [(M, K), (K, N), (N,)], "centre": [(M, N)], "unpack": [(N, -(-M // K), K, K), (M,)]}[kind]
    types = {"turn": "i2", "row": "i4", "pad": "f8", "columns": "i4", "bytes": "i1"}
    return [rng.integers(-4, 5, shape).astype(types.get(kind, "f4")) for shape in shapes]


def differs(kernel, kind, inputs):
    want = _DEFS[kind][3](*inputs)
    want = want if isinstance(want, tuple) else (want,)
    types = {"largest": ["f4", "i8"], "dense": ["f4", "f4"], "bytes": ["i4"]}.get(kind, [inputs[-1].dtype])
    for layout in (np.ascontiguousarray, np.asfortranarray):
        given, got = list(map(layout, inputs)), [layout(np.zeros(w.shape, t)) for w, t in zip(want, types)]
        status = kernel(*map(abi.describe, given), *map(abi.describe, got))
        if status:
            return f"status {status}"
        for g, w in zip(got, want):
            if not np.array_equal(g, w):
                return f"{layout.__name__}: {g}, not {w}"
    return None


def goes_back_in(folder, kind):
    """The steps that are printed of a stream, or of ops done together, are the same code, though the op may be a contraction."""
    flags = [folder / "printed.tc", "--target=x86-64-v4"]
    flags[0].write_text(f"{_COMBINER}def f{_DEFS[kind][0]}\n")
    of = op_of(kind)
    given = "" if kind in _TOGETHER else f"{of} stream {{ }}"
    (folder / "set.schedule").write_text(f'einc_schedule 1\nschedule @f for "x86-64-v4" {{ {given} }}\n')
    printed = einc_tool.must(einc_tool.run("emit", "--stage=schedule", *flags, f"--schedule={folder}/set.schedule")).stdout
    (folder / "printed.schedule").write_text(printed)
    first, again = (einc_tool.must(einc_tool.run("emit", "--stage=hw", *flags, f"--schedule={folder}/{name}.schedule")).stdout for name in ("set", "printed"))
    return None if first == again and f"{of} {{" in printed else f"other code, or no steps: {printed}"


def is_whole(folder, spec, target):
    """What is printed of half schedules leaves nothing to the model: it is the same code, and the same text again."""
    flags = [spec, f"--target={target}", "--threads=3"]
    emitted = lambda stage, schedule: einc_tool.must(einc_tool.run("emit", f"--stage={stage}", *flags, f"--schedule={folder / schedule}")).stdout
    printed = emitted("schedule", "kept.schedule")
    (folder / "whole.schedule").write_text(printed)
    if "alone {" not in printed:
        return "nothing was left to the model"
    if emitted("tiled", "whole.schedule") != emitted("tiled", "kept.schedule"):
        return "other code"
    again, printed = (re.sub(r"(?<=\S)  // .*", "", text) for text in (emitted("schedule", "whole.schedule"), printed))
    return None if again == printed else "another text"  # but for reasons, which steps that are given have not


def main():
    ctypes.CDLL("libopenblas.so.0", ctypes.RTLD_GLOBAL)  # for steps that call it
    cases, folder = einc_tool.Cases(), einc_tool.scratch()
    for kind in sorted(_DEFS.keys() - {"chain"}):
        cases.run(f"{kind}: steps that are printed go back in", goes_back_in, folder, kind)
    for target, count in [("x86-64-v3", 600), ("native", 400)] if einc_tool.LONG else [("x86-64-v3", 77), ("native", 33)]:
        schedules = list(drawn(random.Random(count), count))
        spec = folder / f"{target}.tc"
        spec.write_text(_COMBINER + "".join(f"def {name}{_DEFS[kind][0]}\n" for kind, name, _ in schedules))
        kept = [s for s in accepted(cases, folder, spec, schedules, target) if s[0] != "chain"]  # those are there to be refused
        (folder / "kept.schedule").write_text(file_of(kept, target))
        cases.run(f"{target}: half schedules are printed whole", is_whole, folder, spec, target)
        flags = [f"--target={target}", "--threads=3", f"--schedule={folder / 'kept.schedule'}"]
        defs = [f"--def={name}" for _, name, _ in kept]
        library = abi.build_sources(folder / target, "drawn", [spec], "-O0", *flags, *defs, "--verify-each")
        rng = np.random.default_rng(5)
        cases.run_all_apart((f"{name} {target} {sizes}\n{steps}", differs, library.kernel(name), kind, arguments(kind, sizes, rng))
                            for kind, name, steps in kept for sizes in _SIZES)
    cases.finish()


if __name__ == "__main__":
    main()
