# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Sums, windows and maps whose operands lie in different orders compute what NumPy does, exactly.

Specs are drawn: reductions, ops that share what they sum, windows with strides, dilations and borders, with and without
filters, into an output that begins anew or goes on, windows of one position over larger images, dimensions that are neighbours in all operands, copies from beyond the ends, and what is computed of several operands of
different types, each operand with its dimensions in an order of its own. They are of
integers, which wrap around alike whatever the order. Sizes are around those of registers, and 0.
"""

import ctypes

import numpy as np

from tests.numeric import compilers, einc_tool

_SIZES = [0, 1, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 24, 33]
_TARGETS = [("native", einc_tool.CLANG), ("x86-64-v3", einc_tool.GCC), ("generic", einc_tool.CLANG), ("native --threads=2", einc_tool.CLANG), ("native --fp=strict", einc_tool.CLANG)]
_COMBINE = {"add": ("+=", "+=!"), "max": ("max=", "max=!"), "min": ("min=", "min=!")}
_MOST = 60000  # elements that are read, so that NumPy is done soon


def shuffled(rng, names):
    return [names[i] for i in rng.permutation(len(names))]


class Window:
    """An index: a parallel iterator times a step, and a reduction times another, less an offset."""

    def __init__(self, rng, name):
        self.name, self.step, self.dilation, self.before = name, int(rng.choice([1, 1, 2, 3])), int(rng.choice([1, 1, 2, 5])), int(rng.integers(0, 3))

    def text(self):
        return f"o{self.name} * {self.step} + k{self.name} * {self.dilation} - {self.before}"


class Reduction:
    """Of some dimensions, which an input has in one order and the output in another."""

    def __init__(self, rng, number):
        self.name, self.combine, self.again = f"reduction_{number}", str(rng.choice(list(_COMBINE))), bool(rng.integers(2))
        kept = shuffled(rng, list("abc")[: int(rng.integers(2, 4))])
        gone = list("xy")[: int(rng.integers(1, 3))]
        self.kept, self.read, self.shared = kept, shuffled(rng, kept + gone), bool(rng.integers(2))
        self.sizes = {name: int(rng.choice(_SIZES)) for name in self.read}
        while np.prod([max(s, 1) for s in self.sizes.values()]) > _MOST:
            self.sizes[str(rng.choice(self.read))] = 2
        self.begun = not self.again and self.sizes[kept[-1]] > 0 and bool(rng.integers(2))  # a part is written before

    def text(self):
        out, read = ", ".join(self.kept), ", ".join(self.read)
        many = f"def {self.name}(A: i32({read.upper()})) -> (C: i32({out.upper()})"
        sums = f"C({', '.join([*self.kept[:-1], '0'])}) = 3; " * self.begun + f"C({out}) {_COMBINE[self.combine][self.again]} A({read});"
        if not self.shared:
            return f"{many}) {{ {sums} }}\n"
        other = ", ".join(reversed(self.kept))
        whole = ", ".join([*self.kept, *(i for i in self.read if i not in self.kept)])
        return (f"{many}, D: i32({whole.upper()})) {{ local S: i32({other.upper()}); S({other}) +=! A({read}); {sums} "
                f"D({whole}) = A({read}) - S({other}); }}\n")  # fmt: skip

    def run(self, rng):
        a = rng.integers(-(2**31), 2**31, [self.sizes[i] for i in self.read], dtype=np.int32)
        c = rng.integers(-(2**31), 2**31, [self.sizes[i] for i in self.kept], dtype=np.int32)
        gone = tuple(i for i, name in enumerate(self.read) if name not in self.kept)
        order = [i for i in self.read if i in self.kept]
        turn = [order.index(i) for i in self.kept]
        with np.errstate(over="ignore"):
            total = a.sum(gone, dtype=np.int32).transpose(turn)
        old = c.copy()
        if self.begun:
            old[..., 0] = 3
        want = combined(self, old, {"add": lambda: total, "max": lambda: a.max(gone, initial=-(2**31)).transpose(turn),
                                  "min": lambda: a.min(gone, initial=2**31 - 1).transpose(turn)}[self.combine]())  # fmt: skip
        if not self.shared:
            return [a, c], [(c, want)]
        whole = [*self.kept, *(i for i in self.read if i not in self.kept)]
        d = np.zeros([self.sizes[i] for i in whole], np.int32)
        with np.errstate(over="ignore"):
            rest = a.transpose([self.read.index(i) for i in whole]) - total.reshape([*total.shape, *[1] * len(gone)])
        return [a, c, d], [(c, want), (d, rest)]


def combined(op, old, new):
    if op.again:
        return new.astype(np.int32)
    with np.errstate(over="ignore"):
        return {"add": np.add, "max": np.maximum, "min": np.minimum}[op.combine](old, new).astype(np.int32)


class Windows:
    """Over one or two dimensions, in planes, with channels, or both."""

    def __init__(self, rng, number):
        self.name, self.combine, self.again = f"windows_{number}", str(rng.choice(list(_COMBINE))), bool(rng.integers(2))
        self.moved = [Window(rng, name) for name in "hw"[: int(rng.integers(1, 3))]]
        self.still = list("nc")[: int(rng.integers(0, 3))]
        self.filters = self.combine == "add" and bool(rng.integers(2))
        self.padded = bool(rng.integers(3))
        names = [w.name for w in self.moved] + self.still
        self.read, self.kept = shuffled(rng, names), shuffled(rng, names)
        self.weights = shuffled(rng, [f"k{w.name}" for w in self.moved] + (["c"] if self.filters and "c" in self.still else []))
        self.sizes = {name: int(rng.choice(_SIZES)) for name in self.still}
        for w in self.moved:
            self.sizes[f"k{w.name}"], self.sizes[f"o{w.name}"] = int(rng.integers(1, 4)), int(rng.choice(_SIZES))
            if not self.padded:
                w.before = 0
            reach = max((self.sizes[f"o{w.name}"] - 1) * w.step + (self.sizes[f"k{w.name}"] - 1) * w.dilation + 1, 0)
            self.sizes[f"i{w.name}"] = int(rng.choice(_SIZES)) if self.padded else reach
        if np.prod([max(s, 1) for name, s in self.sizes.items() if name[0] != "i"]) > _MOST and "n" in self.sizes:
            self.sizes["n"] = 1
        self.outside = int(rng.integers(-9, 9))
        self.scaled = bool(rng.integers(4) == 0)  # by a scalar, which is a tensor without dimensions
        # Where outside is read, dimensions that no window moves along may be longer or shorter than the output's.
        self.own = {i: int(rng.choice(_SIZES)) for i in self.still if self.padded and rng.integers(3) == 0}
        self.fixed = self.filters and bool(rng.integers(3) == 0)  # the filters' sizes

    def text(self):
        windows = {w.name: w for w in self.moved}
        shape = ", ".join(f"I{i.upper()}" if i in windows or i in self.own else i.upper() for i in self.read)
        index = ", ".join(windows[i].text() if i in windows else i for i in self.read)
        out = ", ".join(f"o{i}" if i in windows else i for i in self.kept)
        value = f"(A({index}) else {self.outside})" if self.padded else f"A({index})"
        if self.scaled:
            value = f"({value}) * z()"
        if self.filters:
            value += f" * K({', '.join(self.weights)})"
        filters = ", ".join(str(self.sizes[i]) if self.fixed and i != "c" else i.upper() for i in self.weights)
        scalar = ", z: i32()" * self.scaled
        return (f"def {self.name}(A: i32({shape}), K: i32({filters}){scalar}) -> (C: i32({out.upper()})) "
                f"{{ C({out}) {_COMBINE[self.combine][self.again]} {value}; }}\n")  # fmt: skip

    def run(self, rng):
        windows = {w.name: w for w in self.moved}
        sides = [self.sizes[f"i{i}"] if i in windows else self.own.get(i, self.sizes[i]) for i in self.read]
        a = rng.integers(-(2**31), 2**31, sides, dtype=np.int32)
        k = rng.integers(-(2**31), 2**31, [self.sizes[i] for i in self.weights], dtype=np.int32)
        c = rng.integers(-(2**31), 2**31, [self.sizes[f"o{i}" if i in windows else i] for i in self.kept], dtype=np.int32)
        z = rng.integers(-9, 9, [], dtype=np.int32) if self.scaled else np.int32(1)
        seen = []
        for place in np.ndindex(*(self.sizes[f"k{w.name}"] for w in self.moved)):
            taken, inside = a, np.ones([1] * a.ndim, bool)
            places = [(w.name, np.arange(self.sizes[f"o{w.name}"]) * w.step + tap * w.dilation - w.before) for w, tap in zip(self.moved, place)]
            for name, at in places + [(i, np.arange(self.sizes[i])) for i in self.own]:
                d = self.read.index(name)
                valid = (at >= 0) & (at < a.shape[d])
                taken = np.take(taken, np.where(valid, at, 0), d) if a.shape[d] else np.zeros([*taken.shape[:d], at.size, *taken.shape[d + 1 :]], np.int32)
                inside = inside & valid.reshape([-1 if i == d else 1 for i in range(a.ndim)])
            term = np.where(inside, taken, np.int32(self.outside)).transpose([self.read.index(i) for i in self.kept])
            if self.filters:
                pick = tuple(place[[w.name for w in self.moved].index(i[1])] if i[0] == "k" else slice(None) for i in self.weights)
                weight = k[pick]
                with np.errstate(over="ignore"):
                    term = term * (weight.reshape([-1 if i == "c" else 1 for i in self.kept]) if "c" in self.weights else weight)
            with np.errstate(over="ignore"):
                seen.append((term * z).astype(np.int32) if self.scaled else term.astype(np.int32))
        with np.errstate(over="ignore"):
            new = {"add": np.sum, "max": np.max, "min": np.min}[self.combine](np.array(seen, np.int32), 0)
        return [a, k, *([np.array(z)] if self.scaled else []), c], [(c, combined(self, c, new.astype(np.int32)))]


class Shifted:
    """A copy of what lies otherwise, from another place on, and beyond its ends: in some dimensions without a shift."""

    def __init__(self, rng, number):
        self.name = f"shifted_{number}"
        names = list("abc")[: int(rng.integers(2, 4))]
        self.read, self.kept = shuffled(rng, names), shuffled(rng, names)
        self.by = {name: int(rng.choice([0, 0, -1, 2])) for name in names}
        self.sizes = {name: int(rng.choice(_SIZES)) for name in [*names, *(n.upper() for n in names)]}

    def text(self):
        index = ", ".join(f"{i} + {self.by[i]}" if self.by[i] else i for i in self.read)
        return (f"def {self.name}(A: i32({', '.join(f'I{i.upper()}' for i in self.read)})) -> (C: i32({', '.join(f'O{i.upper()}' for i in self.kept)})) "
                f"{{ C({', '.join(self.kept)}) = (A({index}) else 7); }}\n")  # fmt: skip

    def run(self, rng):
        a = rng.integers(-(2**31), 2**31, [self.sizes[i] for i in self.read], dtype=np.int32)
        c = np.zeros([self.sizes[i.upper()] for i in self.kept], np.int32)
        want = np.full(c.shape, 7, np.int32)
        for place in np.ndindex(*c.shape):
            at = [place[self.kept.index(i)] + self.by[i] for i in self.read]
            if all(0 <= p < size for p, size in zip(at, a.shape)):
                want[place] = a[tuple(at)]
        return [a, c], [(c, want)]


class Mapped:
    """A sum, the largest, or a comparison of operands of several types, some of which lack dimensions."""

    _TYPES = {"u8": np.uint8, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64}

    def __init__(self, rng, number):
        self.name, self.combine = f"mapped_{number}", str(rng.choice(["add", "max", "less"]))
        self.kept = shuffled(rng, list("abcd")[: int(rng.integers(2, 5))])
        self.types = [str(rng.choice(list(self._TYPES))) for _ in range(int(rng.integers(2, 5)))]
        self.read = [shuffled(rng, self.kept)[: len(self.kept) if i == 0 or rng.integers(3) else int(rng.integers(2))] for i, _ in enumerate(self.types[1:])]
        self.sizes = {name: int(rng.choice([*_SIZES, 63, 64, 65])) for name in self.kept}
        while np.prod([max(s, 1) for s in self.sizes.values()]) > _MOST:
            self.sizes[str(rng.choice(self.kept))] = 2

    def text(self):
        kind, out = self.types[0], ", ".join(self.kept)
        values = [f"cast<{kind}>(A{i}({', '.join(r)}))" for i, r in enumerate(self.read)]
        value = values[0]
        for other in values[1:]:
            value = {"add": f"{value} + {other}", "max": f"max({value}, {other})", "less": f"{values[0]} < {other}"}[self.combine]
        if self.combine == "less":
            kind, value = "bool", value if len(values) > 1 else f"{value} < 1"
        inputs = ", ".join(f"A{i}: {k}({', '.join(r).upper()})" for i, (k, r) in enumerate(zip(self.types[1:], self.read)))
        return f"def {self.name}({inputs}) -> (C: {kind}({out.upper()})) {{ C({out}) = {value}; }}\n"

    def run(self, rng):
        def values(kind, names):
            limits = np.iinfo(self._TYPES[kind])
            return rng.integers(limits.min, limits.max, [self.sizes[i] for i in names], dtype=self._TYPES[kind], endpoint=True)

        given = [values(kind, names) for kind, names in zip(self.types[1:], self.read)]
        kind = self._TYPES[self.types[0]]
        c = np.zeros([self.sizes[i] for i in self.kept], np.uint8 if self.combine == "less" else kind)
        terms = []
        for a, names in zip(given, self.read):
            order = [i for i in self.kept if i in names]
            term = a.transpose([names.index(i) for i in order]).reshape([self.sizes[i] if i in names else 1 for i in self.kept]).astype(kind)
            terms.append(term)
        want = terms[0]
        for term in terms[1:]:
            want = {"add": np.add, "max": np.maximum, "less": lambda _, other: terms[0] < other}[self.combine](want, term)
        if self.combine == "less" and len(terms) == 1:
            want = want < 1
        return [*given, c], [(c, np.broadcast_to(want, c.shape).astype(c.dtype))]


class Every:
    """Whether all along one of two dimensions are the same number."""

    def __init__(self, rng, number):
        self.name, self.kept = f"every_{number}", str(rng.choice(["a", "b"]))
        self.type = str(rng.choice(["u8", "i16", "i32", "u64"]))
        self.sizes = {name: int(rng.choice(_SIZES)) for name in "ab"}

    def text(self):
        return f"def {self.name}(A: {self.type}(A, B)) -> (C: bool({self.kept.upper()})) {{ C({self.kept}) and=! (A(a, b) == 3); }}\n"

    def run(self, rng):
        a = np.where(rng.random([self.sizes["a"], self.sizes["b"]]) < 0.9, 3, 4)
        a = a.astype({"u8": np.uint8, "i16": np.int16, "i32": np.int32, "u64": np.uint64}[self.type])
        c = np.zeros([self.sizes[self.kept]], np.uint8)
        return [a, c], [(c, (a == 3).all(1 if self.kept == "a" else 0).astype(np.uint8))]


class Single:
    """Windows of which some are known to have one position, over an image that is larger than what they see; the output is in a
    larger array, of which the rest must stay."""

    def __init__(self, rng, number):
        self.name = f"single_{number}"
        self.window = [int(rng.choice([1, 1, 2, 3])) for _ in "hw"]
        self.sizes = {i: int(rng.choice(_SIZES[1:10])) for i in "nchw"}
        self.image, self.out = shuffled(rng, "nchw"), shuffled(rng, "nchw")
        self.combine, self.again = str(rng.choice(list(_COMBINE))), bool(rng.integers(2))

    def text(self):
        at = ", ".join(f"{i} + k{i}" if i in "hw" else i for i in self.image)
        shape = ", ".join(f"I{i.upper()}" if i in "hw" else i.upper() for i in self.image)
        return (f"def {self.name}(A: i32({shape}), K: i32({self.window[0]}, {self.window[1]})) -> (C: i32({', '.join(self.out).upper()})) "
                f"{{ C({', '.join(self.out)}) {_COMBINE[self.combine][self.again]} A({at}) * K(kh, kw); }}\n")  # fmt: skip

    def run(self, rng):
        extra = {i: int(rng.integers(0, 4)) for i in "hw"}
        reach = {i: n + (self.window["hw".index(i)] - 1 + extra[i] if i in "hw" else 0) for i, n in self.sizes.items()}
        a = rng.integers(-9, 9, [reach[i] for i in self.image], np.int32)
        k = rng.integers(-9, 9, self.window, np.int32)
        whole = rng.integers(-9, 9, [self.sizes[i] + 2 for i in self.out], np.int32)
        wanted, part = whole.copy(), tuple(slice(0, self.sizes[i]) for i in self.out)
        image = a.transpose([self.image.index(i) for i in self.out])
        terms = []
        for kh in range(self.window[0]):
            for kw in range(self.window[1]):
                first = {"h": kh, "w": kw}
                seen = tuple(slice(first.get(i, 0), first.get(i, 0) + self.sizes[i]) for i in self.out)
                terms.append(image[seen] * k[kh, kw])
        function = {"add": np.add, "max": np.maximum, "min": np.minimum}[self.combine]
        new = function.reduce(terms)
        wanted[part] = new if self.again else function(whole[part], new)
        return [a, k, whole[part]], [(whole, wanted)]


class Neighbours:
    """A map, or a sum, of dimensions that are neighbours in all operands, in groups; some sizes are known. Operands are parts of larger
    arrays, whose elements are equally far apart or not; the rest of the output's must stay."""

    def __init__(self, rng, number):
        self.name = f"neighbours_{number}"
        groups = [["a", "b", "c"], ["d", "e"], ["f"]]
        groups = [group[int(rng.integers(0, len(group))) :] for group in groups]
        self.read = [i for g in rng.permutation(len(groups)) for i in groups[g]]
        gone = groups[int(rng.integers(3))] if rng.integers(3) == 0 else []
        self.kept = [i for g in rng.permutation(len(groups)) for i in groups[g] if groups[g] != gone]
        self.sizes = {i: int(rng.choice(_SIZES[:13] if rng.integers(8) else [0])) for i in self.read}
        while np.prod([max(s, 1) for s in self.sizes.values()]) > _MOST:
            self.sizes[str(rng.choice(self.read))] = 2
        self.known = {i for i in self.read if rng.integers(3) == 0}
        self.again = str(rng.choice(self.read)) if rng.integers(4) == 0 else None  # along a diagonal
        self.parts = [set(rng.choice(self.read, 2)) if rng.integers(2) else set() for _ in range(2)]

    def text(self):
        read, kept = ([str(self.sizes[i]) if i in self.known else i.upper() for i in names] for names in (self.read, self.kept))
        indices = list(self.read)
        if self.again:
            read.append(read[self.read.index(self.again)])
            indices.append(self.again)
        return (f"def {self.name}(A: i32({', '.join(read)})) -> (C: i32({', '.join(kept)})) "
                f"{{ C({', '.join(self.kept)}) +=! 3 * A({', '.join(indices)}); }}\n")  # fmt: skip

    def run(self, rng):
        def part(names, apart):
            shape = [self.sizes[i] + (int(rng.integers(1, 3)) if i in apart else 0) for i in names]
            return rng.integers(-99, 99, shape, np.int32), tuple(slice(0, self.sizes[i]) for i in names)

        (a, seen), (whole, out) = part(self.read + [self.again] * bool(self.again), self.parts[0]), part(self.kept, self.parts[1])
        gone = tuple(d for d, i in enumerate(self.read) if i not in self.kept)
        left = [i for i in self.read if i in self.kept]
        wanted = whole.copy()
        terms = a[seen]
        if self.again:
            letters = "".join(self.read)
            terms = np.einsum(f"{letters}{self.again}->{letters}", terms)
        wanted[out] = 3 * terms.sum(gone, dtype=np.int32).transpose([left.index(i) for i in self.kept])
        return [a[seen], whole[out]], [(whole, wanted)]


def memref(array):
    class Memref(ctypes.Structure):
        _fields_ = [("allocated", ctypes.c_void_p), ("aligned", ctypes.c_void_p), ("offset", ctypes.c_int64),
                    ("sizes", ctypes.c_int64 * array.ndim), ("strides", ctypes.c_int64 * array.ndim)]  # fmt: skip

    return Memref(array.ctypes.data, array.ctypes.data, 0, array.shape, tuple(s // array.itemsize for s in array.strides))


def case(made, op, seed):
    given, results = op.run(np.random.default_rng(seed))
    wanted = [(got, want.copy()) for got, want in results]
    status = getattr(made, op.name)(*(ctypes.byref(memref(a)) for a in given))
    if status:
        return f"status {status}: {op.text()}"
    for got, want in wanted:
        if got.shape != want.shape or (got != want).any():
            return f"{np.count_nonzero(got != want)} of {want.size} differ, with {op.sizes}: {op.text()}"
    return None


def main():
    cases, folder, rng = einc_tool.Cases(), einc_tool.scratch(), np.random.default_rng(23)
    count = 400 if einc_tool.LONG else 25
    ops = [kind(rng, number) for number in range(count) for kind in (Reduction, Windows, Shifted, Mapped, Every, Single, Neighbours)]
    spec = folder / "layouts.tc"
    spec.write_text("".join(op.text() for op in ops))
    for target, compiler in _TARGETS if einc_tool.LONG else _TARGETS[:3]:
        name, *flags = target.split()
        source = folder / f"{len(cases.failures)}_{name}_{len(flags)}.c"
        einc_tool.must(einc_tool.run("emit", spec, "--stage=c", f"--target={name}", *flags, "-o", source))
        built = source.with_suffix(".so")
        compilers.compile_c(compiler, "-std=c99", "-shared", "-fPIC", "-O1", *(["-fopenmp"] if flags else []), source, "-lm", out=built)
        made = ctypes.CDLL(str(built))
        cases.run_all_apart([(f"{op.name} {target}", case, made, op, number) for number, op in enumerate(ops)])
    cases.finish()


if __name__ == "__main__":
    main()
