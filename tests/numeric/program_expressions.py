# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Random expressions, accesses and indices: the part of programs.py inside a statement."""

from dataclasses import dataclass

import numpy as np

from tests.numeric import scalars
from tests.numeric.domains import Unsuitable


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


def words(text):
    return set("".join(c if c.isalnum() else " " for c in text).split())


class Expressions:
    """What Program draws values from; it has random, mode, domain, kinds, sizes, tensors, inputs,
    attributes and windows, and makes tensors by _new_tensor."""

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
        if function == "fma":
            c = self._leaf(space, kind, strict, own, banned)
            return Expr(f"fma({a.text}, {b.text}, {c.text})", self.domain.apply(function, kind, a.value, b.value, c.value), True)
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
                if dim.symbol and dim.symbol in words(text):
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
        """An affine index: text, positions, and the lowest and highest position."""
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
            text, value = f"({text}) % 3", value % 3
        elif form < 0.36:
            text, value = f"mod({text}, 2)", value % 2
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
