# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Random programs: the text of a def and what it computes, made side by side.

The text never passes through a parser here. Each piece is drawn together with its NumPy value:
an index with its positions, an expression with its elements, a statement with the outputs after it.
"""

import random
import re

import numpy as np

from tests.numeric import scalars
from tests.numeric.domains import ExactDomain, Real, RealDomain, Unsuitable, WholeDomain, copied
from tests.numeric.program_expressions import Dim, Expressions, Scalar, Space, Tensor, words

MODES = ["integer", "special", "whole", "real"]
MAX_ITERATIONS = 6000

_SIZES = [0, 1, 2, 3, 3, 4, 5, 5, 6, 7, 8, 9, 11, 15, 16, 17, 31, 33]


class Program(Expressions):
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
        used = set().union(*[words(text) for text in self.statements]) | self.windows
        self.inputs = [p for p in self.inputs if p.name in used]
        self.tensors = [t for t in self.tensors if t.name in used]

    def _attempt(self, last):
        """One statement, taken back if its numbers do not suit the domain."""
        kept = (len(self.tensors), len(self.inputs), len(self.statements), dict(self.sizes))
        before = [(t, copied(t.value), t.started) for t in self.tensors]
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
        used = {s for t in self.tensors for d in t.dims for s in self.sizes if s in words(d.text)}
        used |= {s for text in self.statements for s in self.sizes if s in words(text)}
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
            tensor.value = copied(self.domain.read(kind, zero))
            tensor.started = False
        else:
            tensor.initial = self._data(kind, tensor.shape)
            tensor.value = copied(self.domain.read(kind, tensor.initial))
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
            if part := self._other_part(space, tensor, order):
                return part
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
            place, count = r.randint(0, len(texts)), r.choice([1, 2, 3])
            texts.insert(place, "0")
            positions.insert(place, np.zeros((), np.int64))
            dims.insert(place, Dim(str(count), count))
        tensor = self._new_tensor(kind, dims, "local" if local else "output")
        declared = local and r.random() < 0.4
        if declared:
            self.statements.append(f"local {tensor.name}: {kind}({', '.join(d.text for d in dims)});")
        return tensor, texts, positions, "declared" if declared else "inferred" if local else "new"

    def _other_part(self, space, tensor, order):
        """A slice of a tensor that some statement writes slices of, at any number; None if it has none, or it does not fit."""
        if tensor.role != "output" or not tensor.started or self.random.random() < 0.4:
            return None
        numbers = [d for d, dim in enumerate(tensor.dims) if dim.text.isdigit() and 1 < dim.size <= 3]
        others = [dim.symbol for d, dim in enumerate(tensor.dims) if d not in numbers[:1]]
        if not numbers or [space.symbols[i] for i in order] != others:
            return None
        at = self.random.randrange(tensor.dims[numbers[0]].size)
        texts, positions = [space.names[i] for i in order], [space.position(i) for i in order]
        texts.insert(numbers[0], str(at))
        positions.insert(numbers[0], np.full((), at, np.int64))
        return tensor, texts, positions, "known"

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
            index = tuple(_parallel_part(p, shape, space) for p in positions)
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
        outer = tuple(space.extents[: space.parallel])
        if start and 0 not in outer:  # what is written, and nothing else
            neutral = scalars.neutral(function, tensor.kind)
            index = tuple(_parallel_part(p, outer, space) for p in positions)
            if isinstance(self.domain, RealDomain):
                self.domain.scatter(tensor.value, index, Real(np.full(outer, neutral, np.longdouble)))
            else:
                self.domain.scatter(tensor.value, index, np.full(outer, neutral, tensor.value.dtype))
        if space.count:
            shape = tuple(space.extents)
            terms = self.domain.broadcast(value, shape)
            if isinstance(terms, Real):
                terms = Real(*[p.reshape(outer + (-1,)) for p in (terms.value, terms.bound, terms.usual)])
            else:
                terms = terms.reshape(outer + (-1,))
            index = tuple(_parallel_part(p, outer, space) for p in positions)
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
        mentioned = set().union(*[words(t) for t in texts]) | (set(space.names) if listed else set())
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


def _parallel_part(position, shape, space):
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
