# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""What a def has to do at least, at given sizes: bytes of its operands, and arithmetic at an honest price.

An expression is computed once for all that it depends on: `rsqrt(variance(c) + epsilon)` once a channel. What is
written twice in a statement is computed once. Most functions are one vector instruction, in lanes as wide as
their operands; a product that is added is none of its own; those of `PRICED` cost what the fastest known code takes.
"""

import ast
import dataclasses
import math

from tests.bench import sizes
from tests.bench.ir_ops import BYTES, COMPARES, names_of

PRICED = {"div", "rem", "div_unsigned", "rem_unsigned", "pow", "reciprocal", "sqrt", "rsqrt", "cbrt", "exp", "exp2", "expm1",
          "log", "log2", "log10", "log1p", "sin", "cos", "tan", "sinh", "cosh", "tanh", "atan", "atan2", "erf"}  # fmt: skip
# Vector instructions, where they are not one.
_INSTRUCTIONS = {"round": 3, "sign": 3, "neg": 1, "fma": 1}
# Of floats, where NaN is to stay and -0 < +0: both orders of operands, joined by logic (AVX2); one, and a check of two
# values for NaN (AVX-512).
_EXTREMES = {"max", "min"}
_SIMPLE = {"add", "sub", "max", "min", "abs", "neg", "not", "and", "or", "xor", "shl", "shr", "select"}  # of integers and bool
_LOGIC = {"and", "or", "xor"}  # two of them are one instruction (AVX-512)
_SATURATED = 3  # from float to integer: convert, and mend what is too large, or NaN
_ROUNDED = 4  # from f32 to bf16, with NaN
_SHORT = {"f16", "bf16"}
_RECIPROCAL = 4  # an integer divided by what is known: multiply, shift, correct


@dataclasses.dataclass
class Work:
    read: float = 0  # bytes
    written: float = 0
    updated: float = 0  # read, then written in place
    again: list = dataclasses.field(default_factory=list)  # (bytes, of how many in a row) that are read once more
    instructions: float = 0  # of `vector_bytes` each
    simple: float = 0  # others, that issue faster where the machine has it so
    products: dict = dataclasses.field(default_factory=dict)  # of integers: bytes of one -> vectors
    functions: dict = dataclasses.field(default_factory=dict)  # (function, type) -> elements
    operations: float = 0  # of elements; a multiply-add is two

    @property
    def bytes(self):
        return self.read + self.written + 2 * self.updated


def functions_of(kernel):
    """(function, type) of all that is priced."""
    found = set()
    for op in kernel.ops:
        for node in _nodes(op.results):
            if node[0] in PRICED:
                found.add(_priced_as(node))
    return found


def measure(case, vector_bytes):
    work = Work()
    _memory(case, work)
    for op in case.kernel.ops:
        _arithmetic(case, op, vector_bytes, work)
    return work


# ---- Bytes ----


def touched(case, op, operand):
    """How many elements of a tensor an operand reads or writes. Along a dimension in memory, whole cache lines count."""
    tensor, extents = case.kernel.tensors[operand.tensor], case.iterators(op)
    scope = {**case.scope, **{i: (0, max(n - 1, 0)) for i, n in extents.items()}}
    total, line = 1, 64 // BYTES[tensor.type]
    for number, (tree, size) in enumerate(zip(operand.index, case.shape(tensor))):
        low, high = sizes.bounds(tree, scope)
        span = max(min(high, size - 1) - max(low, 0) + 1, 0)
        positions = math.prod(extents[n] for n in names_of(tree) & set(extents))
        total *= min(span, positions * (line if number == len(operand.index) - 1 else 1))
    return total


def _memory(case, work):
    kernel, passes = case.kernel, _Passes(case)
    read, stored = {}, {}
    for op in kernel.ops:
        for operand in _read(op):
            if operand.tensor not in stored and kernel.tensors[operand.tensor].role != "local":
                parts = read.setdefault(operand.tensor, {})
                place = _fixed(case, op, operand)
                parts[place] = max(parts.get(place, 0), touched(case, op, operand))
        for operand in op.written():
            stored.setdefault(operand.tensor, {})[tuple(map(ast.unparse, operand.index))] = touched(case, op, operand)
    for name, parts in stored.items():
        tensor = kernel.tensors[name]
        if tensor.role == "local":
            continue
        bytes_ = min(sum(parts.values()), math.prod(case.shape(tensor))) * BYTES[tensor.type]
        if name in read:
            work.updated += bytes_
        else:
            work.written += bytes_
    for name, parts in read.items():
        if name not in stored:
            bytes_ = min(sum(parts.values()), math.prod(case.shape(kernel.tensors[name]))) * BYTES[kernel.tensors[name].type]
            work.read += bytes_
            if times := passes.times(name) - 1:
                work.again.append((bytes_ * times, passes.part[name]))


def _fixed(case, op, operand):
    """Where an operand is along dimensions in which nothing moves it: 0 and 1 have no element in common, nor, as a rule, 0 and M - 1."""
    return tuple(None if names_of(tree) & set(case.iterators(op)) else ast.unparse(tree) for tree in operand.index)


def _read(op):
    """The operands whose elements an op needs."""
    used = {n[3] for n in _nodes(op.results) if n[0] == "operand"}
    return [operand for number, operand in enumerate(op.operands) if number in used]


class _Passes:
    """How often each input has to be seen: a sum over a part of it must be there before what needs that sum looks at the part
    again. What is computed from an input element by element stands for it."""

    def __init__(self, case):
        self.case = case
        self.phases, self.part = {}, {}  # input -> when it is read; the bytes of a part of it that is summed
        ready = {}  # local -> the phase in which it may be read
        stands = {t.name: {t.name} for t in case.kernel.tensors.values() if t.role == "input"}
        for op in case.kernel.ops:
            operands = _read(op)
            own = {o.tensor for o in op.written()}
            phase = max([ready.get(o.tensor, 0) for o in operands if o.tensor not in own], default=0)
            seen = set().union(*(stands.get(o.tensor, set()) for o in operands if o.tensor not in own))
            for name in seen:
                self.phases.setdefault(name, set()).add(phase)
            sums = any(op.iterators.values())
            for operand in op.written():
                ready[operand.tensor] = phase + 1 if sums else max(phase, ready.get(operand.tensor, 0))
                if not sums:
                    stands[operand.tensor] = seen | stands.get(operand.tensor, set()) if operand.tensor in stands else set(seen)
            for operand in operands if sums else ():
                if operand.tensor in case.kernel.tensors:
                    for name in stands.get(operand.tensor, ()):
                        self.part[name] = max(self.part.get(name, 0), self._part(op, operand))

    def times(self, name):
        return len(self.phases.get(name, ())) if name in self.part else 1

    def _part(self, op, operand):
        """Bytes of what one sum takes of an operand; whole lines of the cache."""
        extents, width = self.case.iterators(op), BYTES[self.case.kernel.tensors[operand.tensor].type]
        over = [[extents[n] for n in names_of(tree) if op.iterators.get(n)] for tree in operand.index]
        count = math.prod(math.prod(dim) for dim in over)
        return count * (width if over and over[-1] else 64)


# ---- Arithmetic ----


def _nodes(values):
    for value in values:
        if isinstance(value, tuple):
            yield value
            yield from _nodes(value[3:])


def _priced_as(node):
    """Short floats are computed in f32."""
    return "div" if node[0] in ("rem", "div_unsigned", "rem_unsigned") else node[0], "f32" if node[1] in _SHORT else node[1]


def _key(value):
    return tuple(_key(v) if isinstance(v, tuple) else ast.unparse(v) if isinstance(v, ast.AST) else v for v in value)


def _arithmetic(case, op, vector_bytes, work):
    extents = case.iterators(op)
    everything = math.prod(extents.values())
    done = set()

    def count_of(value):
        """How often it is computed."""
        operands = {n[3] for n in _nodes([value]) if n[0] == "operand"}
        iterators = set()
        for number in operands:
            iterators |= {n for tree in op.operands[number].index for n in names_of(tree)}
        for node in _nodes([value]):
            if node[0] == "index":
                iterators |= names_of(node[3])
        count = math.prod(extents[i] for i in iterators & set(extents))
        if len(operands) == 1 and not any(n[0] == "index" for n in _nodes([value])):
            (number,) = operands
            count = min(count, touched(case, op, op.operands[number]))
        return min(count, everything)

    def visit(value, inside):
        """`inside`: a multiplication that the sum around it takes in."""
        what, kind, width, *arguments = value
        if what in ("operand", "literal", "index"):
            if what == "index" and not isinstance(arguments[0], ast.Name) or kind in _SHORT and what == "operand":
                add(value, 1)
            return
        if _key(value) in done:
            return
        done.add(_key(value))
        absorbs = {"mul", "square"} if kind[0] in "fb" and kind != "bool" and what in ("add", "sub") else set()
        if what in _LOGIC and vector_bytes == 64:
            absorbs = _LOGIC
        taken = inside and what in _LOGIC
        for argument in arguments:
            takes = not taken and argument[0] in absorbs and _key(argument) not in done
            # It is one instruction only where both are computed as often.
            takes = takes and count_of(argument) == count_of(value)
            taken = taken or takes
            visit(argument, takes)
        if inside:
            work.operations += count_of(value)
        elif what == "cast":
            add(value, _cast_instructions(arguments[0][1], kind))
        elif what in PRICED:
            price(value)
        elif what in _EXTREMES and kind[0] in "fb" and kind != "bool":
            add(value, 1.5 if vector_bytes == 64 else 2)
        else:
            add(value, _INSTRUCTIONS.get(what, 1))

    def add(value, instructions):
        count = count_of(value)
        vectors = instructions * count * value[2] / vector_bytes
        if _is_product(value):
            work.products[value[2]] = work.products.get(value[2], 0) + vectors
        elif value[0] in COMPARES or value[0] in _SIMPLE and (value[1][0] in "iu" or value[1] == "bool"):
            work.simple += vectors
        else:
            work.instructions += vectors
        work.operations += count if instructions else 0

    def price(value):
        divisor = value[4] if len(value) > 4 else None
        known = divisor and not any(n[0] in ("operand", "index") and (n[0] == "operand" or names_of(n[3]) & set(extents))
                                    for n in _nodes([divisor]))
        if known and value[1][0] in "iu" and value[0] != "pow":
            add(value, _RECIPROCAL)
        elif known and value[0] == "div" and _is_power_of_two(divisor):
            add(value, 1)
        else:
            key = _priced_as(value)
            work.functions[key] = work.functions.get(key, 0) + count_of(value)
            work.operations += count_of(value)

    for result in op.results:
        if result[0] != "operand":
            visit(result, False)
            if result[1] in _SHORT:
                add(result, _ROUNDED if result[1] == "bf16" else 1)


def _is_product(value):
    """Of integers that have no instruction for narrower ones."""
    what, kind, width, *arguments = value
    if what not in ("mul", "square") or kind[0] not in "iu" or width < 4:
        return False
    return not all(a[0] == "cast" and BYTES[a[3][1]] < 4 for a in arguments)


def _cast_instructions(source, target):
    # Short floats become f32 where they are read, and short where they are written.
    source, target = ("f32" if kind in _SHORT else kind for kind in (source, target))
    floats = ("f32", "f64")
    if source == target or source == "bool" and target in ("i8", "u8"):
        return 0
    if source in floats and target not in floats:
        return 1 if target == "bool" else _SATURATED
    return 0 if source not in floats and target not in floats and BYTES[source] == BYTES[target] else 1


def _is_power_of_two(value):
    if value[0] != "literal":
        return False
    try:
        return math.frexp(float(value[3].rsplit("_", 1)[0]))[0] in (0.5, -0.5)
    except ValueError:
        return False


def seconds(work, limits, level):
    """(by memory, by arithmetic), at least."""
    memory = limits.memory_seconds(level, work.read, work.written, work.updated)
    memory += sum(count * limits.again_seconds(level, part) for count, part in work.again)
    arithmetic = work.instructions / limits.instructions + work.simple / limits.simple
    arithmetic += sum(count / limits.products[width] for width, count in work.products.items())
    for key, count in work.functions.items():
        if price := limits.prices.get(key):
            arithmetic += count * price[0] / limits.threads
    return memory, arithmetic
