# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Random programs: the text of a def and what it computes, made side by side.

The text never passes through a parser here. Each piece is drawn together with its NumPy value:
an index with its positions, an expression with its elements, a statement with the outputs after it.
"""

import random
import re
from dataclasses import dataclass

import numpy as np

from tests.numeric import scalars
from tests.numeric.domains import ExactDomain, Real, RealDomain, Unsuitable, WholeDomain

MODES = ["integer", "special", "whole", "real"]
MAX_ITERATIONS = 6000

_SIZES = [0, 1, 2, 3, 3, 4, 5, 5, 6, 7, 8, 9, 11, 15, 16, 17, 31, 33]


@dataclass
class Dim:
    text: str
    size: int
    symbol: str = None  # if the text is one


@dataclass
class Tensor:
    name: str
    kind: str
    dims: list
    role: str  # input, output or local
    initial: np.ndarray = None  # as stored; None for locals
    value: object = None  # in the domain, up to the present statement
    started: bool = True

    @property
    def shape(self):
        return tuple(d.size for d in self.dims)


@dataclass
class Scalar:
    """A scalar parameter, or (with `elements`) an attribute."""

    name: str
    kind: str
    values: list
    attribute: bool = False
    default: list = None

    @property
    def flag(self):
        return f"{self.name}=" + ",".join(str(v) for v in self.values)


@dataclass
class Expr:
    text: str
    value: object
    typed: bool  # a tensor's element, scalar or cast stands in it, which fixes its type


@dataclass
class Space:
    """The iterations of one statement. Axis i of every value is iterator i."""

    names: list
    symbols: list
    extents: list
    parallel: int

    def position(self, i):
        shape = [1] * len(self.names)
        shape[i] = self.extents[i]
        return np.arange(self.extents[i], dtype=np.int64).reshape(shape)

    @property
    def count(self):
        return int(np.prod(self.extents, dtype=np.int64))


class Program:
    """A def named `name`. `inputs` is the order of its signature: tensors and scalars mixed."""

    def __init__(self, seed, name, mode=None):
        self.seed, self.name = seed, name
        self.random = random.Random(seed)
        drawn = self.random.choice(MODES)  # also if not wanted: what follows shall not depend on it
        self.mode = mode or drawn
        self.domain = {
            "integer": ExactDomain,
            "special": ExactDomain,
            "whole": WholeDomain,
            "real": RealDomain,
        }[self.mode]()
        self.sizes, self.tensors, self.attributes, self.inputs, self.statements = {}, [], [], [], []
        self.windows = set()  # inputs of which only the shape counts
        self._generate()

    # ---- What was drawn ----

    @property
    def text(self):
        def parameter(p):
            if isinstance(p, Scalar):
                return f"{p.name}: {p.kind}"
            return f"{p.name}: {p.kind}({', '.join(d.text for d in p.dims)})"

        lines = [f"def {self.name}({', '.join(parameter(p) for p in self.inputs)})"]
        lines.append(f"  -> ({', '.join(parameter(t) for t in self.outputs)})")
        for a in self.attributes:
            default = f" = [{', '.join(str(v) for v in a.default)}]" if a.default else ""
            lines.append(f"  attr({a.name}: {len(a.values)}x{a.kind}{default})")
        return "\n".join(lines + ["{"] + ["  " + s for s in self.statements] + ["}"]) + "\n"

    @property
    def outputs(self):
        return [t for t in self.tensors if t.role == "output"]

    @property
    def scalar_values(self):
        """Those whose value a caller has to give."""
        return [p for p in self.inputs if isinstance(p, Scalar)] + self.attributes

    def compare(self, results):
        """`results`: the output arrays as stored. A sentence about the first difference, or None."""
        for tensor, stored in zip(self.outputs, results):
            message = self.domain.compare(tensor.kind, tensor.value, stored)
            if message:
                return f"{tensor.name}: {message}"
        return None

    @property
    def suspicious(self):
        """Outputs that a wrong kernel would hardly miss: nearly all elements are equal."""
        for tensor in self.outputs:
            value = tensor.value.value if isinstance(tensor.value, Real) else tensor.value
            flat = np.asarray(value, np.float64).ravel()
            if flat.size >= 8 and len(np.unique(np.nan_to_num(flat))) > max(2, flat.size // 20):
                return False
        return True

    # ---- Drawing ----

    def _generate(self):
        r = self.random
        for symbol in r.sample(["M", "N", "K", "H", "W", "P"], 4):
            self.sizes[symbol] = r.choice(_SIZES)
        if self.mode == "integer":
            self.kinds = r.sample(scalars.INTEGERS, 3) + ["bool"]
        elif self.mode == "special":
            self.kinds = r.sample(scalars.FLOATS, 2) + r.sample(scalars.INTEGERS, 1) + ["bool"]
        elif self.mode == "whole":
            self.kinds = r.sample(scalars.FLOATS, 2) + [r.choice(["i8", "i32", "u16"])]
        else:
            self.kinds = r.sample(scalars.FLOATS, 2)
        if r.random() < 0.3:
            values = [r.randint(1, 3) for _ in range(2)]
            default = values if r.random() < 0.4 else None
            self.attributes.append(Scalar("s0", r.choice(["i64", "i32"]), values, True, default))
        wanted = r.choice([1, 1, 2, 2, 3, 4])
        for _ in range(40):
            if len(self.statements) >= wanted and any(t.role == "output" for t in self.tensors):
                break
            self._attempt(last=len(self.statements) + 1 >= wanted)
        if not self.outputs:
            raise Unsuitable("no statement was found")
        self._drop_unused()
        self._bind_symbols()

    def _drop_unused(self):
        used = set().union(*[_words(text) for text in self.statements]) | self.windows
        self.inputs = [p for p in self.inputs if p.name in used]
        self.tensors = [t for t in self.tensors if t.name in used]

    def _attempt(self, last):
        """One statement, taken back if its numbers do not suit the domain."""
        kept = (len(self.tensors), len(self.inputs), len(self.statements), dict(self.sizes))
        before = [(t, _copy(t.value), t.started) for t in self.tensors]
        try:
            with np.errstate(all="ignore"):
                self._statement(last)
        except Unsuitable:
            del self.tensors[kept[0] :], self.inputs[kept[1] :], self.statements[kept[2] :]
            self.sizes = kept[3]
            for tensor, value, started in before:
                tensor.value, tensor.started = value, started

    def _bind_symbols(self):
        """A size that no parameter's dimension is gets a parameter of its own."""
        arguments = [t for t in self.tensors if t.role != "local"]
        bound = {d.symbol for t in arguments for d in t.dims}
        used = {s for t in self.tensors for d in t.dims for s in self.sizes if s in _words(d.text)}
        used |= {s for text in self.statements for s in self.sizes if s in _words(text)}
        for symbol in sorted(used - bound):
            self._new_tensor("i8", [Dim(symbol, self.sizes[symbol], symbol)], "input")

    # ---- Tensors ----

    def _data(self, kind, shape):
        r, count = self.random, int(np.prod(shape, dtype=np.int64))
        if kind == "bool":
            flat = [r.random() < 0.5 for _ in range(count)]
        elif self.mode == "whole":
            most = {"f16": 3, "bf16": 2}.get(kind, 4)
            flat = [r.randint(0 if kind[0] == "u" else -most, most) for _ in range(count)]
        elif scalars.is_integer(kind):
            info = np.iinfo(scalars.DTYPES[kind])
            low = 0 if kind[0] == "u" else -9
            flat = [
                r.choice([info.min, info.max, info.max - 1, info.min + 1])
                if r.random() < 0.1
                else r.randint(info.min, info.max) if r.random() < 0.3 else r.randint(low, 9)
                for _ in range(count)
            ]
        elif self.mode == "special":
            special = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 0.5, -2.5, 1e-40, -6e-8, 6e4, 3e38, 1e9]
            flat = [
                r.choice(special) if r.random() < 0.4 else r.gauss(0, 1) * 10.0 ** r.randint(-3, 3)
                for _ in range(count)
            ]
        else:
            flat = [r.gauss(0, 1) for _ in range(count)]
        dtype = np.float64 if scalars.is_float(kind) else scalars.DTYPES[kind]
        array = np.array(flat, dtype).reshape(shape)
        if scalars.is_float(kind):
            array = scalars.cast(array, "f64", kind)
        return scalars.to_storage(kind, array)

    def _new_tensor(self, kind, dims, role):
        letter = {"input": "A", "output": "C", "local": "L"}[role]
        taken = [int(t.name[1:]) for t in self.tensors if t.role == role]
        name = f"{letter}{max(taken, default=-1) + 1}"
        tensor = Tensor(name, kind, dims, role)
        if role == "local":
            zero = np.zeros(tensor.shape, scalars.storage_dtype(kind))
            tensor.value = _copy(self.domain.read(kind, zero))
            tensor.started = False
        else:
            tensor.initial = self._data(kind, tensor.shape)
            tensor.value = _copy(self.domain.read(kind, tensor.initial))
        self.tensors.append(tensor)
        if role == "input":
            self.inputs.append(tensor)
        return tensor

    # ---- Statements ----

    def _space(self):
        r = self.random
        while True:
            names, symbols = [], []
            for _ in range(r.choice([0, 1, 1, 2, 2, 3]) + r.choice([0, 0, 1, 1, 2])):
                symbol = r.choice(sorted(s for s in self.sizes if len(s) == 1))
                name = symbol.lower()
                if name in names:
                    name += str(len(names))
                names.append(name)
                symbols.append(symbol)
            parallel = r.randint(0, len(names)) if r.random() < 0.6 else len(names)
            space = Space(names, symbols, [self.sizes[s] for s in symbols], parallel)
            if space.count <= MAX_ITERATIONS:
                return space
            # Too large: smaller sizes would do.
            if not self.tensors:
                for symbol in sorted(set(symbols)):
                    self.sizes[symbol] = min(self.sizes[symbol], r.choice([2, 3, 5]))

    def _statement(self, last):
        r = self.random
        space = self._space()
        reduces = space.parallel < len(space.names)
        count = 2 if r.random() < 0.12 else 1
        targets = [self._target(space, reduces, last) for _ in range(count)]
        if count == 2 and targets[0][0] is targets[1][0]:
            raise Unsuitable("one output twice")
        if reduces or r.random() < 0.15:
            self._reduction(space, targets)
        else:
            self._map(space, targets)

    def _target(self, space, reduces, last):
        """An output or local with the index to write it at: (tensor, index text, positions, mode)."""
        r = self.random
        kind = r.choice(self.kinds)
        parallel = list(range(space.parallel))
        known = [t for t in self.tensors if t.role != "input"]
        r.shuffle(known)
        for tensor in known:
            order = r.sample(parallel, len(parallel))
            symbols = [space.symbols[i] for i in order]
            if r.random() < 0.4 and [d.symbol for d in tensor.dims] == symbols:
                return tensor, [space.names[i] for i in order], [space.position(i) for i in order], "known"
        order = r.sample(parallel, len(parallel))
        local = not last and r.random() < 0.6
        texts, positions, dims = [], [], []
        for i in order:
            name, symbol, extent, at = space.names[i], space.symbols[i], space.extents[i], space.position(i)
            form = r.random()
            if local or form < 0.75 or extent == 0:
                text, dim = name, Dim(symbol, extent, symbol)
            elif form < 0.85 or extent < 2:
                text, dim, at = f"{symbol} - 1 - {name}", Dim(symbol, extent, symbol), extent - 1 - at
            else:
                step, start = r.choice([(1, 1), (1, 2), (2, 0), (2, 1)])  # 1 * i + 0 would be i alone
                size = (extent - 1) * step + start + 1 + r.randint(0, 2)
                text, dim, at = f"{step} * {name} + {start}", self._own_size(size), at * step + start
            texts.append(text)
            positions.append(at)
            dims.append(dim)
        if not local and r.random() < 0.1:
            place = r.randint(0, len(texts))
            texts.insert(place, "0")
            positions.insert(place, np.zeros((), np.int64))
            dims.insert(place, Dim("1", 1))
        tensor = self._new_tensor(kind, dims, "local" if local else "output")
        declared = local and r.random() < 0.4
        if declared:
            self.statements.append(f"local {tensor.name}: {kind}({', '.join(d.text for d in dims)});")
        return tensor, texts, positions, "declared" if declared else "inferred" if local else "new"

    def _own_size(self, size):
        """A dimension of this size: a symbol of its own, or the number."""
        if self.random.random() < 0.3:
            return Dim(str(size), size)
        symbol = f"S{len(self.sizes)}"
        self.sizes[symbol] = size
        return Dim(symbol, size, symbol)

    def _write(self, space, target, value):
        tensor, _, positions, _ = target
        if space.count:
            shape = tuple(space.extents[: space.parallel])
            index = tuple(_broadcast(p, shape, space) for p in positions)
            self.domain.scatter(tensor.value, index if index else (), self.domain.broadcast(value, shape))
        tensor.started = True

    def _map(self, space, targets):
        r, texts, values = self.random, [], []
        for tensor, left, positions, mode in targets:
            own = None
            if tensor.started and mode in ("known", "new") and r.random() < 0.25:
                own = (tensor, left, positions)
            expr = self._expr(space, tensor.kind, r.choice([1, 2, 3]), strict=mode == "inferred", own=own,
                              banned=[t[0] for t in targets])
            texts.append(expr.text)
            values.append(expr.value)
        texts[-1] = self._cover(space, texts, values, targets)
        for target, value in zip(targets, values):
            self._write(space, target, value)
        left = ", ".join(f"{t.name}({', '.join(i)})" for t, i, _, _ in targets)
        self.statements.append(f"{left} = {', '.join(texts)};")

    def _combiners(self, kind):
        if kind == "bool":
            return ["or", "and", "xor"]
        if scalars.is_integer(kind):
            if self.mode == "whole":
                return ["add", "sub", "max", "min"]
            return ["add", "add", "sub", "mul", "max", "min", "or", "and", "xor"]
        if self.mode == "special":
            return ["max", "min"]
        return ["add", "add", "add", "sub", "max", "min"]

    def _reduction(self, space, targets):
        r = self.random
        # One form for all: `op=` has one operator, `f<k>(...)` one for each output.
        common = set(self._combiners(targets[0][0].kind))
        for target in targets:
            common &= set(self._combiners(target[0].kind))
        operators = sorted(common & {"add", "sub", "mul", "max", "min", "or", "and", "xor"})
        needs_start = any(not t[0].started for t in targets)
        historic = (not needs_start and r.random() < 0.4) or not operators
        if needs_start:
            historic = False
            operators = [o for o in operators if o != "sub"]
        if not operators and not historic:
            raise Unsuitable("no combiner")
        if historic and (needs_start or space.parallel == len(space.names)):
            raise Unsuitable("nothing to reduce over, or nothing to start from")
        operator = None if historic else r.choice(operators)
        start = operator not in (None, "sub") and (needs_start or r.random() < 0.4)
        texts, values, functions = [], [], []
        for tensor, left, positions, mode in targets:
            expr = self._expr(space, tensor.kind, r.choice([1, 1, 2]), strict=mode == "inferred",
                              banned=[t[0] for t in targets])
            texts.append(expr.text)
            values.append(expr.value)
            functions.append(operator or r.choice(self._combiners(tensor.kind)))
        texts[-1] = self._cover(space, texts, values, targets, listed=historic)
        for target, function, value in zip(targets, functions, values):
            self._fold(space, target, function, value, start)
        left = ", ".join(f"{t.name}({', '.join(i)})" for t, i, _, _ in targets)
        if not historic:
            sign = {"add": "+", "sub": "-", "mul": "*"}.get(operator, operator + " ")
            if operator in ("max", "min", "or", "and", "xor"):
                sign = operator
            self.statements.append(f"{left} {sign}={'!' if start else ''} {', '.join(texts)};")
            return
        reduced = ", ".join(space.names[space.parallel :])
        right = []
        for (tensor, index, _, _), function, text in zip(targets, functions, texts):
            own = f"{tensor.name}({', '.join(index)})"
            forms = [text, f"{own}, {text}"]
            if function != "sub":
                forms.append(f"{text}, {own}")
            right.append(f"{self._spelling(function, tensor.kind)}<{reduced}>({r.choice(forms)})")
        self.statements.append(f"{left} = {', '.join(right)};")

    def _fold(self, space, target, function, value, start):
        tensor, _, positions, _ = target
        if start:
            neutral = scalars.neutral(function, tensor.kind)
            if isinstance(self.domain, RealDomain):
                tensor.value = Real(np.full(tensor.shape, neutral, np.longdouble))
            else:
                tensor.value = np.full_like(tensor.value, neutral)
        if space.count:
            shape = tuple(space.extents)
            outer = shape[: space.parallel]
            terms = self.domain.broadcast(value, shape)
            if isinstance(terms, Real):
                terms = Real(*[p.reshape(outer + (-1,)) for p in (terms.value, terms.bound, terms.usual)])
            else:
                terms = terms.reshape(outer + (-1,))
            index = tuple(_broadcast(p, outer, space) for p in positions)
            old = self.domain.broadcast(self.domain.gather(tensor.value, index), outer)
            self.domain.scatter(tensor.value, index, self.domain.fold(function, tensor.kind, old, terms))
        tensor.started = True
        if isinstance(self.domain, RealDomain) and start and function in ("max", "min") and not space.count:
            raise Unsuitable("infinity")

    def _cover(self, space, texts, values, targets, listed=False):
        """The last of the texts, with a further operand if some iterator has no extent yet."""
        text, alone = texts[-1], set()
        for tensor, index, _, mode in targets:
            alone.update(index if mode != "inferred" else [])
        for t in texts:
            alone |= _indices(t)
        missing = [i for i in range(len(space.names)) if space.names[i] not in alone]
        if not missing:
            return text
        kind = targets[-1][0].kind
        mentioned = set().union(*[_words(t) for t in texts]) | (set(space.names) if listed else set())
        named = all(space.names[i] == space.symbols[i].lower() and space.names[i] in mentioned for i in missing)
        if named and self.random.random() < 0.7:
            # A window of which only the shape counts.
            dims = [Dim(space.symbols[i], space.extents[i], space.symbols[i]) for i in missing]
            self.windows.add(self._new_tensor(kind, dims, "input").name)
            return text
        dims = [Dim(space.symbols[i], space.extents[i], space.symbols[i]) for i in missing]
        tensor = self._new_tensor(kind, dims, "input")
        value = self._gather(space, tensor, [space.position(i) for i in missing])
        function = "xor" if kind == "bool" else "max" if self.mode == "special" else "add"
        values[-1] = self.domain.apply(function, kind, values[-1], value)
        return f"{function}({text}, {tensor.name}({', '.join(space.names[i] for i in missing)}))"

    # ---- Expressions ----

    def _spelling(self, function, kind):
        """A historic or modern name."""
        r = self.random
        if kind == "bool" or r.random() < 0.4:
            return function
        if scalars.is_float(kind):
            names = {"add": ["std_addf", "AddFOp", "addf"], "sub": ["std_subf"], "mul": ["std_mulf", "MulFOp"],
                     "max": ["std_maxf", "maximumf"], "min": ["std_minf"], "div": ["std_divf"]}
        else:
            sign = "s" if scalars.is_signed(kind) else "u"
            names = {"add": ["std_addi", "AddIOp"], "sub": ["std_subi"], "mul": ["std_muli"],
                     "max": [f"max{sign}i"], "min": [f"min{sign}i"], "div": [f"div{sign}i"]}
        return r.choice(names.get(function, [function]))

    def _expr(self, space, kind, depth, strict=False, own=None, banned=()):
        """An expression of this type. Strict: its type follows from itself alone."""
        for _ in range(20):
            expr = self._draw(space, kind, depth, strict, own, banned)
            if expr.typed or not strict:
                return expr
        raise Unsuitable("only literals")

    def _draw(self, space, kind, depth, strict, own, banned):
        r = self.random
        if depth <= 0 or r.random() < 0.12:
            return self._leaf(space, kind, strict, own, banned)
        again = lambda k=kind, s=strict: self._draw(space, k, depth - 1, s, own, banned)
        typed = lambda k: self._expr(space, k, depth - 1, True, own, banned)
        form = r.random()
        if form < 0.12:
            return self._cast(kind, typed)
        if form < 0.22 and self.mode != "real":
            return self._select(kind, typed, again)
        if kind == "bool":
            return self._condition(typed, again)
        function = r.choice(self._functions(kind))
        unary = function in ("neg", "abs", "square", "sign", "not", "sqrt", "exp", "log", "tanh", "sin", "cos",
                             "atan", "erf", "rsqrt", "reciprocal", "ceil", "floor", "trunc", "round", "roundeven")
        a = again()
        if unary:
            if not a.typed:  # -5 as a literal is another thing than neg(5)
                a = self._leaf(space, kind, strict, own, banned, literals=False)
            value = self._guarded(function, kind, a)
            if isinstance(value, Expr):
                return value
            text = f"{function}({a.text})"
            if function in ("neg", "not") and r.random() < 0.5:
                text = ("-" if function == "neg" else "~") + f"({a.text})"
            return Expr(text, value, True)
        b = again()
        if not a.typed and not b.typed:
            a = self._leaf(space, kind, strict, own, banned, literals=False)
        if function in ("div", "rem") and not b.typed:
            b = self._leaf(space, kind, strict, own, banned, literals=False)
        if function == "div" and self.mode == "real":
            b = self._away_from_zero(kind, b)
        value = self.domain.apply(function, kind, a.value, b.value)
        infix = {"add": "+", "sub": "-", "mul": "*", "div": "/", "rem": "%", "and": "&", "or": "|", "xor": "^",
                 "shl": "<<", "shr": ">>"}
        if function in infix and r.random() < 0.6:
            text = f"({a.text} {infix[function]} {b.text})"
        else:
            text = f"{self._spelling(function, kind)}({a.text}, {b.text})"
        return Expr(text, value, a.typed or b.typed)

    def _functions(self, kind):
        if scalars.is_integer(kind) and self.mode != "whole":
            return ["add", "sub", "mul", "div", "rem", "max", "min", "pow", "neg", "abs", "sign", "square",
                    "and", "or", "xor", "not", "shl", "shr"]
        if self.mode == "whole":
            return ["add", "sub", "mul", "mul", "max", "min"] + (["neg", "abs", "square"] if kind[0] != "u" else [])
        if self.mode == "special":
            return [f for f in scalars.EXACT_FLOAT if f not in ("reciprocal",)]
        return ["add", "sub", "mul", "mul", "div", "max", "min", "neg", "abs", "sqrt", "exp", "log", "tanh",
                "sin", "cos", "atan", "erf", "rsqrt", "square"]

    def _guarded(self, function, kind, a):
        """Real functions get arguments on which they are tame: a value, or the expression instead."""
        if self.mode != "real":
            return self.domain.apply(function, kind, a.value)
        if function in ("sqrt", "log", "rsqrt"):
            inner = self._away_from_zero(kind, a)
            return Expr(f"{function}({inner.text})", self.domain.apply(function, kind, inner.value), True)
        if function == "exp":
            inner = Expr(f"tanh({a.text})", self.domain.apply("tanh", kind, a.value), True)
            return Expr(f"exp({inner.text})", self.domain.apply("exp", kind, inner.value), True)
        return self.domain.apply(function, kind, a.value)

    def _away_from_zero(self, kind, a):
        """1 + |a|."""
        value = self.domain.apply("abs", kind, a.value)
        value = self.domain.apply("add", kind, self.domain.literal(kind, 1), value)
        return Expr(f"(1 + abs({a.text}))", value, a.typed)

    def _cast(self, kind, typed):
        r = self.random
        source = r.choice([k for k in self.kinds if k != kind] or self.kinds)
        if self.mode == "whole" and "bool" in (kind, source):
            raise Unsuitable("bool")
        if self.mode == "real" and not scalars.is_float(source):
            raise Unsuitable("integers")
        inner = typed(source)
        text = f"cast<{kind}>({inner.text})"
        if source != kind and scalars.is_integer(source) and scalars.is_integer(kind) and r.random() < 0.4:
            if scalars.bits(kind) > scalars.bits(source) and scalars.is_signed(source) and scalars.is_signed(kind):
                text = f"std_sext{kind}({inner.text})"
            elif scalars.bits(kind) < scalars.bits(source) and scalars.is_signed(kind):
                text = f"std_trunc{kind}({inner.text})"
        return Expr(text, self.domain.cast(inner.value, source, kind), True)

    def _select(self, kind, typed, again):
        condition = typed("bool") if self.mode != "whole" else self._compare(typed)
        a, b = again(), again()
        value = self.domain.apply("select", kind, condition.value, a.value, b.value)
        if self.random.random() < 0.5:
            return Expr(f"select({condition.text}, {a.text}, {b.text})", value, a.typed or b.typed)
        return Expr(f"({condition.text} ? {a.text} : {b.text})", value, a.typed or b.typed)

    def _condition(self, typed, again):
        r = self.random
        if r.random() < 0.5:
            return self._compare(typed)
        function = r.choice(["and", "or", "xor", "not"])
        a = typed("bool")
        if function == "not":
            return Expr(r.choice(["!({})", "not({})"]).format(a.text), self.domain.apply("not", "bool", a.value), True)
        b = again()
        sign = {"and": ["&&", "&"], "or": ["||", "|"], "xor": ["^"]}[function]
        return Expr(f"({a.text} {r.choice(sign)} {b.text})", self.domain.apply(function, "bool", a.value, b.value), True)

    def _compare(self, typed):
        r = self.random
        kind = r.choice([k for k in self.kinds if k != "bool"])
        function = r.choice(["lt", "le", "gt", "ge", "eq", "ne"])
        a, b = typed(kind), typed(kind)
        sign = {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="}[function]
        text = f"({a.text} {sign} {b.text})" if r.random() < 0.7 else f"{function}({a.text}, {b.text})"
        return Expr(text, self.domain.apply(function, kind, a.value, b.value), True)

    # ---- Leaves ----

    def _leaf(self, space, kind, strict, own, banned, literals=True):
        r = self.random
        form = r.random()
        if own and form < 0.5 and own[0].kind == kind:
            tensor, left, positions = own
            text = f"{tensor.name}({', '.join(left)})"
            return Expr(text, self._gather(space, tensor, positions), True)
        if literals and form < 0.15:
            return self._literal(kind)
        if form < 0.2 and self.mode != "real":
            return self._scalar(kind)
        if form < 0.25 and kind == "i64" and space.names:
            text, value, _, _ = self._index(space)
            return Expr(f"index({text})", value, True)
        if form < 0.3 and kind == "i64" and self.mode == "integer":
            symbol = r.choice(sorted(self.sizes))
            return Expr(symbol, np.array(self.sizes[symbol], np.int64), True)
        return self._access(space, kind, strict, banned)

    def _literal(self, kind):
        r = self.random
        if kind == "bool":
            number = r.random() < 0.5
            return Expr(str(number).lower(), self.domain.literal(kind, number), False)
        if scalars.is_integer(kind) or self.mode == "whole":
            number = r.randint(0, 3)
            if scalars.is_integer(kind) and self.mode == "integer" and r.random() < 0.2:
                number = int(np.iinfo(scalars.DTYPES[kind]).max)
            text = str(number) if r.random() < 0.8 else hex(number)
            if kind[0] != "u" and r.random() < 0.3:
                number, text = -number, f"(-{text})" if r.random() < 0.5 else f"-{text}"
            return Expr(text, self.domain.literal(kind, number), False)
        number = r.choice([0.5, 1.5, 2.0, 0.1, 3e-5, 2.75])
        return Expr(repr(number), self.domain.literal(kind, number), False)

    def _scalar(self, kind):
        known = [p for p in self.inputs if isinstance(p, Scalar) and p.kind == kind]
        if not known:
            if self.mode == "special" and scalars.is_float(kind):
                number = self.random.choice([0.5, -2.0, 3.0])
            elif kind == "bool":
                raise Unsuitable("bool scalars")
            else:
                number = self.random.randint(0 if kind[0] == "u" else -3, 3)
            count = sum(isinstance(p, Scalar) for p in self.inputs)
            known = [Scalar(f"x{count}", kind, [number])]
            self.inputs.append(known[0])
        scalar = self.random.choice(known)
        return Expr(scalar.name, self.domain.literal(kind, scalar.values[0]), True)

    def _gather(self, space, tensor, positions, pad=None):
        if not space.count:
            return self.domain.read(tensor.kind, np.zeros(space.extents, scalars.storage_dtype(tensor.kind)))
        if pad is None:
            return self.domain.gather(tensor.value, tuple(positions) if positions else ())
        inside = np.ones((), bool)
        safe = []
        for position, size in zip(positions, tensor.shape):
            inside = inside & (position >= 0) & (position < size)
            safe.append(np.clip(position, 0, max(size - 1, 0)))
        if 0 in tensor.shape:
            return self.domain.broadcast(pad, np.broadcast_shapes(*[p.shape for p in positions]))
        return self.domain.where(inside, self.domain.gather(tensor.value, tuple(safe)), pad)

    def _access(self, space, kind, strict, banned):
        r = self.random
        kinds = [kind] if strict else [k for k in self.kinds if scalars.widens(k, kind)] + [kind]
        source = r.choice(kinds)
        if self.mode == "whole" and source == "bool":
            source = kind
        known = [t for t in self.tensors
                 if t.kind == source and t.started and t not in banned and t.name not in self.windows and not (t.role == "output" and r.random() < 0.5)]
        r.shuffle(known)
        for tensor in known[:2]:
            access = self._old_access(space, tensor) if r.random() < 0.6 else None
            if access:
                break
        else:
            access = self._new_access(space, source)
        text, value = access
        if source != kind:
            value = self.domain.cast(value, source, kind)
        return Expr(text, value, True)

    def _old_access(self, space, tensor):
        """A known tensor under an index that stays inside, or with an 'else'; None if none fits."""
        texts, positions, outside = [], [], False
        for dim in tensor.dims:
            same = [i for i in range(len(space.names)) if dim.symbol and space.symbols[i] == dim.symbol]
            if same:
                i = self.random.choice(same)
                at, text = space.position(i), space.names[i]
                if self.random.random() < 0.15 and space.extents[i]:
                    text, at = f"{dim.symbol} - 1 - {text}", dim.size - 1 - at
            else:
                text, at, low, high = self._index(space)
                if dim.symbol and dim.symbol in _words(text):
                    return None
                if dim.symbol is None and (not space.count or at.min() == at.max()):
                    return None  # for other sizes, it could be proved outside
                outside |= bool(space.count and not (0 <= low and high < dim.size))
            texts.append(text)
            positions.append(at)
        return self._finish_access(space, tensor, texts, positions, outside)

    def _finish_access(self, space, tensor, texts, positions, outside):
        pad, text = None, f"{tensor.name}({', '.join(texts)})"
        if texts and (outside or self.random.random() < 0.07):
            literal = self._literal(tensor.kind)
            pad = literal.value
            text = f"({text} else {literal.text})"
        return text, self._gather(space, tensor, positions, pad)

    def _new_access(self, space, kind):
        r = self.random
        texts, positions, dims, outside = [], [], [], False
        free = list(range(len(space.names)))
        r.shuffle(free)
        for _ in range(r.choice([0, 1, 1, 2, 2, 3, 4])):
            if free and r.random() < 0.75:
                i = free.pop()
                texts.append(space.names[i])
                positions.append(space.position(i))
                dims.append(Dim(space.symbols[i], space.extents[i], space.symbols[i]))
                continue
            text, at, low, high = self._index(space)
            size = r.randint(0, 3) if not space.count else max(high + 1 + r.choice([0, 0, 1, 2]), 0)
            if space.count and (low < 0 or r.random() < 0.15):
                outside = True
                size = max(size - r.choice([0, 1, 2]), 0)
            if size > 60:
                raise Unsuitable("a large tensor")
            texts.append(text)
            positions.append(at)
            # A number could be proved too small for some sizes, though it fits these.
            fixed = not outside and space.count and at.max() > at.min()
            dims.append(self._own_size(size) if fixed else self._symbol_size(size))
        if int(np.prod([d.size for d in dims], dtype=np.int64)) > 20000:
            raise Unsuitable("a large tensor")
        tensor = self._new_tensor(kind, dims, "input")
        return self._finish_access(space, tensor, texts, positions, outside)

    def _symbol_size(self, size):
        symbol = f"S{len(self.sizes)}"
        self.sizes[symbol] = size
        return Dim(symbol, size, symbol)

    def _index(self, space):
        """An affine index: text, positions, and the lowest and highest position that Einc's checks
        assume, which look at each operation by itself."""
        r = self.random
        if not space.names:
            number = r.randint(0, 2)
            return str(number), np.array(number, np.int64), number, number
        terms = r.sample(range(len(space.names)), min(len(space.names), r.choice([1, 1, 2])))
        texts, value, names = [], np.zeros((), np.int64), []
        for i in terms:
            factor, name = self._factor()
            names.append(name)
            text = f"{space.names[i]} * {name}" if r.random() < 0.5 else f"{name} * {space.names[i]}"
            texts.append(space.names[i] if factor == 1 and name == "1" else text)
            value = value + space.position(i) * factor
        text = " + ".join(texts)
        constant = r.choice([0, 0, 1, 2, -1 if space.count else 0])
        if constant:
            text, value = f"{text} {'+' if constant > 0 else '-'} {abs(constant)}", value + constant
        # An index that is one iterator after all, as (2 * i) / 2, would stand for that dimension's
        # extent.
        form = r.random() if names not in (["2"], ["3"]) else 1
        if form < 0.1:
            text, value = f"({text}) / 2", value // 2
        elif form < 0.2:
            text, value = f"floordiv({text}, 3)", value // 3
        elif form < 0.3:
            return f"({text}) % 3", value % 3, 0, 2
        elif form < 0.36:
            return f"mod({text}, 2)", value % 2, 0, 1
        elif form < 0.42:
            text, value = f"ceildiv({text}, 2)", -(-value // 2)
        elif names == ["1"] and not constant:
            text, value = f"{text} + 1", value + 1
        return (text, value, int(value.min()), int(value.max())) if value.size else (text, value, 0, 0)

    def _factor(self):
        r = self.random
        if self.attributes and r.random() < 0.4:
            e = r.randint(0, len(self.attributes[0].values) - 1)
            return self.attributes[0].values[e], f"s0[{e}]"
        factor = r.choice([1, 1, 1, 2, 3])
        return factor, str(factor)


def _indices(text):
    """The indices of all accesses in the text that are one word."""
    found, stack = set(), []
    for match in re.finditer(r"\b([ACL]\d+)\(|[(),]|\b[a-z]\w*\b", text):
        piece = match.group()
        if piece.endswith("("):
            stack.append(bool(match.group(1)))
        elif piece == ")":
            stack.pop()
        elif piece != "," and stack and stack[-1]:
            before, after = text[: match.start()].rstrip(), text[match.end() :].lstrip()
            if before[-1] in "(," and after[:1] in ("," , ")"):
                found.add(piece)
    return found


def _words(text):
    return set("".join(c if c.isalnum() else " " for c in text).split())


def _copy(value):
    if isinstance(value, Real):
        return Real(value.value.copy(), value.bound.copy(), value.usual.copy())
    return None if value is None else np.array(value)


def _broadcast(position, shape, space):
    """Positions over all iterators (of which they use parallel ones only) -> over the parallel ones."""
    if position.ndim > len(shape):
        position = position.reshape(position.shape[: len(shape)])
    return np.broadcast_to(position, shape)


def draw(seed, name, mode=None):
    """The first suitable program from this seed on."""
    for attempt in range(1000):
        try:
            return Program(seed * 1000 + attempt, name, mode)
        except Unsuitable:
            continue
    raise RuntimeError(f"seed {seed}: nothing suitable")
