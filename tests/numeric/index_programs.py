# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Random programs about indices: scalars and attributes of any value in accesses, shapes and divisors.

A program is drawn once, as text. Each call draws sizes and values of symbols, boundaries first, and evaluates the
same text position by position in Python's integers, which never overflow: every access is seen to be inside or not.

What a call may do:
  OK      nothing leaves a tensor: the kernel must accept it, and the outputs are those computed here
  STATUS  an access leaves its tensor, a size is negative or a divisor is 0: a status, outputs untouched
  EITHER  numbers on the way leave 64 bits, or a size of a local is beyond any memory: one of the two
"""

import itertools
import random
import re
from dataclasses import dataclass, field

import numpy as np

OK, STATUS, EITHER = "ok", "status", "either"

_DTYPES = {"i32": np.int32, "f32": np.float32, "i64": np.int64, "f64": np.float64}
_SIZES = [0, 1, 1, 2, 2, 3, 4, 5]
_SMALL = [0, 0, 1, 1, 1, 2, 2, 3, -1, -1, -2, -3]
_LARGE = [7, -8, 2**31 - 1, -(2**31), 2**32, 2**62, -(2**62), 2**63 - 1, -(2**63), -(2**63) + 1]
_MOST_ITERATIONS = 2000
_FAR = 2**62


class Unsuitable(Exception):
    """This draw says nothing; the next one may."""


@dataclass
class Tensor:
    name: str
    role: str  # input, output or local
    dims: list  # texts over symbols; an input's own symbols are S0, S1, ...
    started: bool = True


@dataclass
class Access:
    tensor: Tensor
    index: list
    pad: int = None

    @property
    def text(self):
        inside = f"{self.tensor.name}({', '.join(self.index)})"
        return inside if self.pad is None else f"({inside} else {self.pad})"


@dataclass
class Statement:
    target: Access
    operator: str
    parallel: list  # iterators, as names; each runs over the extent in `extents`
    reduced: list
    extents: dict
    terms: list = field(default_factory=list)  # a sum of products of accesses and numbers

    @property
    def text(self):
        products = [" * ".join(f.text if isinstance(f, Access) else str(f) for f in term) for term in self.terms]
        return f"{self.target.text} {self.operator} {' + '.join(products)};"


def number(text, values):
    """The value of an index or shape: `/` rounds down and `%` has its divisor's sign, as in Python."""
    return eval(_compiled(text, "/", "//"), {"__builtins__": {}}, values)


_codes = {}


def _compiled(text, *change):
    key = (text, change)
    if key not in _codes:
        for old, new in zip(change[::2], change[1::2]):
            text = text.replace(old, new)
        _codes[key] = compile(text, "index", "eval")
    return _codes[key]


def farthest(text, values):
    """No number on the way to the value is farther from 0 than this."""
    bare = re.sub(r"[/%] ?\w+(\[\d\])?", "", text).replace("-", "+")
    sizes = {name: [abs(x) for x in v] if isinstance(v, list) else abs(v) for name, v in values.items()}
    return eval(_compiled(bare.lstrip("+ ")), {"__builtins__": {}}, sizes)


class Program:
    """A def named `name`, and calls of it."""

    def __init__(self, seed, name):
        self.seed, self.name = seed, name
        self.random = random.Random(seed)
        self.kind = self.random.choice(["i32", "i32", "f32", "f32", "i64", "f64"])
        self.tensors, self.statements, self.own = [], [], {}  # own: symbol -> accesses that its dimension has
        self.symbols = {"q": self.random.choice(["i64", "i64", "i32"]), "r": self.random.choice(["i64", "i32", "i8"])}
        for _ in range(self.random.choice([1, 1, 2, 3])):
            self.random.choice([self._parts, self._any, self._any, self._whole, self._any, self._local])()
        if not self.named("output"):
            self._any()
        self._bind()

    def named(self, role):
        return [t for t in self.tensors if t.role == role]

    @property
    def text(self):
        shown = lambda t: f"{t.name}: {self.kind}({', '.join(t.dims)})"
        scalars = [f"{name}: {kind}" for name, kind in self.symbols.items()]
        lines = [f"def {self.name}({', '.join([*map(shown, self.named('input')), *scalars])})",
                 f"  -> ({', '.join(map(shown, self.named('output')))})", "  attr(s: 3xi64)", "{"]
        lines += [f"  local {shown(t)};" for t in self.named("local")]
        return "\n".join(lines + [f"  {s.text}" for s in self.statements] + ["}"]) + "\n"

    def _bind(self):
        """A size that no argument has as a dimension gets one."""
        bound = {d for t in self.tensors if t.role != "local" for d in t.dims}
        for symbol in "MNK":
            if symbol not in bound and re.search(rf"\b{symbol}\b", self.text):
                self._tensor("input", [symbol])

    # ---- Drawing statements ----

    def _tensor(self, role, dims):
        letter = {"input": "A", "output": "Y", "local": "L"}[role]
        tensor = Tensor(f"{letter}{len(self.named(role))}", role, dims, role == "input")
        self.tensors.append(tensor)
        return tensor

    def _symbol(self):
        self.own[f"S{len(self.own)}"] = []
        return f"S{len(self.own) - 1}"

    def _any(self):
        """A new output, each dimension an iterator's, or one with room around what is written."""
        r, names = self.random, self.random.sample("MNK", self.random.choice([0, 1, 1, 2]))
        dims, index, afar = [], [], []
        for symbol in names:
            i = symbol.lower()
            form = r.random()
            afar += [i] if form >= 0.7 else []
            if form < 0.6:
                dims, index = [*dims, symbol], [*index, i]
            elif form < 0.7:
                dims, index = [*dims, symbol], [*index, f"{symbol} - 1 - {i}"]
                afar.append(i)
            else:
                text = r.choice([f"{i} + q", f"{i} + s[0]", f"2 * {i} + 1", f"s[1] - {i}", f"{i} + q * r", f"3 * {i} + s[2]"])
                dims, index = [*dims, self._symbol()], [*index, text]
        target = Access(self._tensor("output", dims), index)
        for d, text in zip(dims, index):
            if d in self.own:
                self.own[d].append(text)
        self._statement(target, [n.lower() for n in names], afar)

    def _parts(self):
        """Statements that each write a part of one output."""
        r, count = self.random, self.random.choice([2, 2, 3])
        across = r.choice(["M", "N"])
        place = r.choice([0, 1])
        dims = [across]
        dims.insert(place, str(count))
        tensor = self._tensor("output", dims)
        for part in r.sample(range(count), r.choice([count, count, count - 1])) + ([r.randrange(count)] if r.random() < 0.4 else []):
            index = [across.lower()]
            index.insert(place, str(part))
            self._statement(Access(tensor, index), [across.lower()], [])

    def _whole(self):
        """An output made of two: what is behind the first has its size as an offset."""
        tensor = self._tensor("output", ["M + N"])
        self._statement(Access(tensor, ["m"]), ["m"], ["m"])
        self._statement(Access(tensor, ["n + M"]), ["n"], ["n"])

    def _local(self):
        """A local tensor with symbols in its shape, written whole, and read by a new output."""
        r = self.random
        dim = r.choice(["M + q", "q", "N + s[0]", "M * s[1]", "M - s[2]", "q * r", "M + N", "K", "s[0]", "(M + q) / 2"])
        dims = [dim, *r.choice([[], [], ["N"]])]
        tensor = self._tensor("local", dims)
        names = ["t", "n"][: len(dims)]
        self._statement(Access(tensor, names), names, [], {"t": dim})
        self._any()

    def _statement(self, target, parallel, afar, extents=None):
        """`afar`: iterators whose extent nothing on the left says."""
        r = self.random
        free = [i for i in "mnk" if i not in parallel]
        reduced = r.sample(free, r.choice([0, 0, 1, 1, 2]) if len(free) > 1 else 0)
        started = target.tensor.started or target.tensor.role == "output"
        operators = ["=", "=", "+=!"] if not reduced else ["+=!", "max=!"]
        operators += ["+=", "-=", "max="] if started and target.tensor.role == "output" else []
        extents = {i: (extents or {}).get(i, i.upper()) for i in [*parallel, *reduced]}
        statement = Statement(target, r.choice(operators), parallel, reduced, extents)
        covered = set(parallel) - set(afar)
        for _ in range(r.choice([1, 1, 2])):
            statement.terms.append([self._factor(statement, covered) for _ in range(r.choice([1, 1, 2]))])
        missing = [i for i in extents if i not in covered]
        if missing:
            statement.terms[-1].append(Access(self._tensor("input", [extents[i] for i in missing]), missing))
        self.statements.append(statement)
        target.tensor.started = True

    def _factor(self, statement, covered):
        r = self.random
        if r.random() < 0.1:
            return r.choice([1, 2, 3])
        known = [t for t in self.tensors if t.started and t is not statement.target.tensor]
        if known and r.random() < 0.45:
            tensor = r.choice(known)
        else:
            tensor = self._tensor("input", [self._dim() for _ in range(r.choice([1, 1, 1, 2, 0]))])
        index, plain = [], []
        for d in tensor.dims:
            same = [i for i, extent in statement.extents.items() if extent == d]
            if same and r.random() < 0.5:
                index.append(r.choice(same))
                plain.append(index[-1])
            else:
                index.append(self._index(list(statement.extents), d))
                if d in self.own:
                    self.own[d].append(index[-1])
        access = Access(tensor, index, r.choice([0, -1, 2]) if tensor.dims and r.random() < 0.55 else None)
        if access.pad is None:
            covered.update(plain)
        return access

    def _dim(self):
        r = self.random
        return self._symbol() if r.random() < 0.6 else r.choice(["M", "N", "K", "M", "N", "1", "2", "M + 1", "2 * N", "M + N"])

    def _index(self, iterators, dim):
        """An index for a dimension: affine, divided, or one whose parts reach further than it does."""
        r = self.random
        i = r.choice(iterators) if iterators else "0"
        j = r.choice(iterators) if iterators else "1"
        forms = ["{i} + q", "{i} - q", "{i} + s[0]", "{i} * s[0] + {j}", "{i} + q * r", "{i} * q + s[1]", "q - {i}", "s[0]", "q", "1", "0",
                 "{i} + {j} * s[1] - s[2]", "({i} + q) / 2", "({i} + q) % 3", "({i} * s[0] + {j}) / 2", "{i} / r", "{i} % r", "({i} + q) / r",
                 "({i} + s[0]) % q", "2 * ({i} / 2) + {i} % 2 + 1", "{i} - {i} / 2 + 1", "{i} * 2 - {i} + 1", "{i} - {j}", "{i} + {j} + 1", "{i} * {i1}",
                 "({i} + {j}) / 2 + 1", "{i} * s[0] - {i} * s[0] + 1", "3 * ({i} / 3) + 1", "{i} - 2 * ({i} / 2)", "q * r", "s[0] * s[1] + {i}",
                 "{i} % 2 + {j} / 2", "(q + {i}) % 2 + 1", "2 * {i} + 1", "({i} + q) / 2 - {i} / 2 + 1"]
        if dim in ("M", "N", "K"):
            forms += [f"{dim} - 1 - {{i}}", f"({{i}} + q) % {dim}", f"{dim} - 1"] * 3
        return r.choice(forms).format(i=i, j=j, i1=r.choice(["2", "s[2]", "q"]))

    # ---- Drawing calls ----

    def call(self, number_of_call):
        """Values for everything: (symbols, arrays in the order of the signature, outcome, wanted outputs)."""
        r = random.Random(self.seed * 1000 + number_of_call)
        values = {s: r.choice(_SIZES) for s in "MNK"}
        large = r.random() < 0.3
        drawn = lambda kind: _fit(r.choice(_LARGE) if large and r.random() < 0.4 else r.choice(_SMALL), kind)
        if number_of_call == 0:  # all of it small and positive
            drawn = lambda kind: r.choice([1, 1, 2])
            values = {s: r.choice([2, 3]) for s in "MNK"}
        values.update({name: drawn(kind) for name, kind in self.symbols.items()}, s=[drawn("i64") for _ in range(3)])
        for symbol, texts in self.own.items():
            values[symbol] = self._own_size(r, texts, values)
        arrays = {}
        for t in self.tensors:
            if t.role != "local":
                arrays[t.name] = self._data(r, [max(number(d, values), 0) for d in t.dims])
        outcome, wanted = self._evaluate(values, arrays)
        return values, arrays, outcome, wanted

    def _data(self, r, shape):
        if np.prod(shape, dtype=object) > 100_000:
            raise Unsuitable("a large tensor")
        flat = [r.randint(-3, 3) for _ in range(int(np.prod(shape)))]
        return np.array(flat, _DTYPES[self.kind]).reshape(shape)

    def _own_size(self, r, texts, values):
        """As large as the accesses need it, one too small, or anything."""
        size = r.choice(_SIZES)
        if r.random() < 0.75:
            highest = [self._highest(text, values) for text in texts if not any(s in text for s in self.own)]
            size = max([h for h in highest if h is not None] or [0]) + r.choice([1, 1, 1, 1, 2, 0])
        return size if 0 <= size <= 40 else r.choice(_SIZES)

    @staticmethod
    def _highest(text, values):
        iterators = [i for i in "mnkt" if re.search(rf"\b{i}\b", text)]
        extents = [values[i.upper()] if i != "t" else 3 for i in iterators]
        try:
            return max((number(text, {**values, **dict(zip(iterators, at))}) for at in itertools.product(*map(range, extents))), default=None)
        except ZeroDivisionError:
            return None

    # ---- Evaluating ----

    def _evaluate(self, values, arrays):
        state, outcome = {name: array.astype(object) for name, array in arrays.items()}, OK
        try:
            for tensor in self.named("local"):
                shape = [number(d, values) for d in tensor.dims]
                if max([farthest(d, values) for d in tensor.dims], default=0) >= _FAR:
                    outcome = EITHER
                if min(shape, default=0) < 0:
                    return (STATUS if self._is_read(tensor) else EITHER), None
                elements = np.prod(shape, dtype=object)
                if elements > 10_000 or max(shape, default=0) > 10_000:  # 2^62 x 0 has many rows, and no elements
                    if 0 < elements < 2**50:
                        raise Unsuitable("a large local")
                    return EITHER, None
                state[tensor.name] = np.zeros(shape, object)
            for statement in self.statements:
                outcome = self._run(statement, values, state, outcome)
        except (ZeroDivisionError, IndexError):
            return STATUS, None
        wanted = {t.name: self._stored(state[t.name]) for t in self.named("output")}
        return outcome, wanted

    def _is_read(self, tensor):
        return any(isinstance(f, Access) and f.tensor is tensor for s in self.statements for term in s.terms for f in term)

    def _stored(self, array):
        if self.kind in ("i32", "i64"):
            bits = 32 if self.kind == "i32" else 64
            wrap = np.vectorize(lambda x: (int(x) + 2 ** (bits - 1)) % 2**bits - 2 ** (bits - 1), otypes=[object])
            return (wrap(array) if array.size else array).astype(_DTYPES[self.kind])
        if any(abs(x) > 2**22 for x in array.ravel() if abs(x) != np.inf):
            raise Unsuitable("sums that round")
        return array.astype(_DTYPES[self.kind])

    def _run(self, statement, values, state, outcome):
        names = [*statement.parallel, *statement.reduced]
        extents = [number(statement.extents[i], values) for i in names]
        written = extents[: len(statement.parallel)]
        if max(np.prod(extents, dtype=object), np.prod(written, dtype=object), *extents, 0) > _MOST_ITERATIONS:
            raise Unsuitable("many iterations")
        name, before = statement.target.tensor.name, {}
        sums = {}
        for at in itertools.product(*map(range, extents[: len(statement.parallel)])):
            here = {**values, **dict(zip(statement.parallel, at))}
            place, _ = self._place(statement.target, here, state, outcome)
            if place is None:
                raise IndexError
            before[at], sums[at] = place, self._start(statement.operator, state[name][place])
        for at in itertools.product(*map(range, extents)):
            here = {**values, **dict(zip(names, at))}
            value, outcome = self._value(statement.terms, here, state, outcome)
            outer = at[: len(statement.parallel)]
            sums[outer] = self._combined(statement.operator, sums[outer], value)
        for access in [statement.target, *(f for term in statement.terms for f in term if isinstance(f, Access))]:
            outcome = self._judged(access, {**values, **{i: max(n - 1, 0) for i, n in zip(names, extents)}}, outcome)
        for at, place in before.items():
            state[name][place] = sums[at]
        return outcome

    @staticmethod
    def _judged(access, here, outcome):
        """Where the numbers themselves leave 64 bits, or a divisor is 0, though nobody is there to see it."""
        for text in access.index:
            if farthest(text, here) >= _FAR:
                return EITHER
            try:
                number(text, here)
            except ZeroDivisionError:
                return EITHER
        return outcome

    def _start(self, operator, old):
        if operator == "max=!":
            return -np.inf if self.kind[0] == "f" else -(2 ** (int(self.kind[1:]) - 1))
        return 0 if operator in ("=", "+=!") else old

    @staticmethod
    def _combined(operator, old, value):
        return {"=": lambda: value, "-=": lambda: old - value}.get(operator, lambda: max(old, value) if "max" in operator else old + value)()

    def _value(self, terms, here, state, outcome):
        total = 0
        for term in terms:
            product = 1
            for f in term:
                if isinstance(f, Access):
                    place, outcome = self._place(f, here, state, outcome)
                    if place is None and f.pad is None:
                        raise IndexError
                    product *= f.pad if place is None else state[f.tensor.name][place]
                else:
                    product *= f
            total += product
        return total, outcome

    @staticmethod
    def _place(access, here, state, outcome):
        """Where in the array; None outside."""
        shape = state[access.tensor.name].shape
        place = tuple(number(text, here) for text in access.index)
        if any(farthest(text, here) >= _FAR for text in access.index):
            outcome = EITHER
        return place if all(0 <= p < n for p, n in zip(place, shape)) else None, outcome


def _fit(value, kind):
    bits = int(kind[1:])
    return max(min(value, 2 ** (bits - 1) - 1), -(2 ** (bits - 1)))
