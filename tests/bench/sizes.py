# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""The one rule by which the benchmark of specs sizes a def, from its iterators and operands alone.

Each symbol of the operands' shapes is of one kind, the first that fits:

  square   stands twice in a shape: the matrix of a transform     4
  tile     multiplies or divides an iterator in an index          16
  window   indexes together with another, and is summed over      3
  derived  is indexed by more than one iterator alone             what the indices reach
  batch    is outermost wherever it stands, of rank 3 or more     4
  free     all others                                             equal, so that operands have the bytes wanted

Free extents are multiples of 16 where they are large, and no powers of two, whose rows share sets of caches; the
first of them takes up what rounding leaves. Where an index may leave its tensor (padding), as much is outside at
one end as at the other.
"""

import ast
import dataclasses

from tests.bench.ir_ops import BYTES, Tensor, names_of

SQUARE, TILE, WINDOW, BATCH = 4, 16, 3, 4
_LARGEST = 1 << 34


class Unsized(Exception):
    """Why no sizes are found."""


@dataclasses.dataclass
class Case:
    """A kernel with all that is open fixed."""

    kernel: object
    extents: dict  # symbol -> size
    values: dict  # scalar or attribute -> number, or numbers

    def size(self, tree):
        return bounds(tree, self.scope)[1]

    @property
    def scope(self):
        return {**{s: (n, n) for s, n in self.extents.items()}, **_constants(self.values)}

    def shape(self, tensor):
        return [self.size(tree) for tree in tensor.shape]

    def bytes(self, tensor):
        total = BYTES[tensor.type]
        for size in self.shape(tensor):
            total *= size
        return total

    def footprint(self):
        """Of all operands of which more than the shape counts."""
        return sum(self.bytes(t) for t in self.kernel.parameters if isinstance(t, Tensor) and t.name in counted(self.kernel))

    def iterators(self, op):
        """iterator -> extent"""
        return extents_of(self.kernel, op, self.scope)

    def text(self):
        return " ".join(f"{s}={n}" for s, n in self.extents.items())


def counted(kernel):
    return {o.tensor for op in kernel.ops for o in op.operands if not o.shape_only}


# ---- Indices ----


def bounds(tree, scope):
    """The least and the largest value, where `scope` says those of names."""
    if isinstance(tree, ast.Constant):
        return tree.value, tree.value
    if isinstance(tree, ast.Name):
        return scope[tree.id]
    if isinstance(tree, ast.Subscript):
        return scope[ast.unparse(tree)]
    if isinstance(tree, ast.UnaryOp):
        low, high = bounds(tree.operand, scope)
        return -high, -low
    (a, b), (c, d) = bounds(tree.left, scope), bounds(tree.right, scope)
    if isinstance(tree.op, ast.Add):
        return a + c, b + d
    if isinstance(tree.op, ast.Sub):
        return a - d, b - c
    if isinstance(tree.op, ast.Mult):
        all_of_them = [a * c, a * d, b * c, b * d]
        return min(all_of_them), max(all_of_them)
    if c <= 0:
        raise Unsized(f"division by {c} in {ast.unparse(tree)}")
    if isinstance(tree.op, ast.FloorDiv):
        return min(a // c, a // d), max(b // c, b // d)
    return (a, b) if 0 <= a and b < c else (0, d - 1)


def _constants(values):
    scope = {}
    for name, value in values.items():
        if isinstance(value, list):
            scope.update({f"{name}[{i}]": (int(v), int(v)) for i, v in enumerate(value)})
        else:
            scope[name] = (int(value), int(value))
    return scope


def extents_of(kernel, op, scope):
    """An iterator runs over the first dimension that it indexes alone."""
    found = {}
    for operand in op.operands:
        for tree, size in zip(operand.index, kernel.tensors[operand.tensor].shape):
            if isinstance(tree, ast.Name) and tree.id in op.iterators and tree.id not in found:
                found[tree.id] = bounds(size, scope)[1]
    for name in op.iterators:
        if name not in found:
            raise Unsized(f"iterator {name} indexes no dimension alone")
    return found


def _indexed(kernel):
    """(op, operand, index, size) of each dimension of each operand."""
    for op in kernel.ops:
        for operand in op.operands:
            for tree, size in zip(operand.index, kernel.tensors[operand.tensor].shape):
                yield op, operand, tree, size


def _is_alone(op, tree):
    return isinstance(tree, ast.Name) and tree.id in op.iterators


def symbols_of_iterators(kernel, op):
    """iterator -> the symbol it runs over, where it is one"""
    found = {}
    for operand in op.operands:
        for tree, size in zip(operand.index, kernel.tensors[operand.tensor].shape):
            if _is_alone(op, tree) and isinstance(size, ast.Name):
                found.setdefault(tree.id, size.id)
    return found


# ---- Kinds ----


def kinds(kernel):
    """symbol -> square, tile, window, derived, batch or free"""
    order = list(dict.fromkeys(s for t in _argument_tensors(kernel) for size in t.shape for s in sorted(names_of(size))))
    found = {}
    for tensor in kernel.tensors.values():
        plain = [size.id for size in tensor.shape if isinstance(size, ast.Name)]
        found.update({s: "square" for s in plain if plain.count(s) > 1})
    for op, operand, tree, size in _indexed(kernel):
        for name in _factors(tree, op) & set(order):
            found.setdefault(name, "tile")
    for op, operand, tree, size in _indexed(kernel):
        if _is_alone(op, tree):
            continue
        names = names_of(tree) & set(op.iterators)
        over = symbols_of_iterators(kernel, op)
        for name in names if len(names) > 1 else ():
            if op.iterators[name] and name in over:
                found.setdefault(over[name], "window")
    for op, operand, tree, size in _indexed(kernel):
        names = names_of(tree) & set(op.iterators)
        own = set(symbols_of_iterators(kernel, op).get(n) for n in names)
        if names and not _is_alone(op, tree) and isinstance(size, ast.Name) and size.id not in own:
            found.setdefault(size.id, "derived")
    for symbol in order:
        if symbol not in found and _is_batch(kernel, symbol):
            found[symbol] = "batch"
    return {symbol: found.get(symbol, "free") for symbol in order}


def _argument_tensors(kernel):
    return [t for t in kernel.parameters if isinstance(t, Tensor)]


def _factors(tree, op):
    """Names that multiply or divide something with an iterator in it."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Mult, ast.FloorDiv, ast.Mod)):
            for one, other in ((node.left, node.right), (node.right, node.left)):
                if names_of(one) & set(op.iterators):
                    found |= names_of(other) - set(op.iterators)
    return found


def _is_batch(kernel, symbol):
    """Outermost wherever it stands, and it stands in all operands; or, beside windows, in two."""
    tensors = [t for t in _argument_tensors(kernel) if t.name in counted(kernel) and t.shape]
    having = [t for t in tensors if symbol in t.symbols()]
    outermost = all(isinstance(t.shape[0], ast.Name) and t.shape[0].id == symbol for t in having)
    if not outermost or len(having) < 2 or max(len(t.shape) for t in having) < 3:
        return False
    inputs = [t for t in tensors if t.role == "input"]
    windows = any(not _is_alone(op, tree) and len(names_of(tree) & set(op.iterators)) > 1 for op, _, tree, _ in _indexed(kernel))
    return windows or all(t in having for t in inputs)


# ---- Extents ----


def values_of(kernel):
    """Of scalars and attributes: defaults, but for what is taken off an index that may be outside; 2 for integers,
    1.5 for floats that have none."""
    borders = {ast.unparse(node.right) for _, operand, tree, _ in _indexed(kernel) if operand.padded
               for node in ast.walk(tree) if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub)}
    values = {}
    for scalar in kernel.scalars.values():
        if scalar.count:
            values[scalar.name] = [1 if f"{scalar.name}[{i}]" in borders else int(scalar.default[i]) if scalar.default else 1
                                   for i in range(scalar.count)]
        else:
            number = scalar.default[0] if scalar.default else 1.5 if scalar.type[0] in "fb" else 2
            values[scalar.name] = number if scalar.type[0] in "fb" else int(number)
    return values


def _rounded(extent):
    step = 16 if extent >= 48 else 8 if extent >= 16 else 1
    extent = extent // step * step
    return extent - step if extent >= 256 and extent & (extent - 1) == 0 else extent


def _case(kernel, kind_of, free, fixed, first=None):
    """All extents, for this one of the free ones (and that one of the first)."""
    base = {"square": SQUARE, "tile": TILE, "window": WINDOW, "batch": BATCH, "free": free}
    case = Case(kernel, {s: fixed.get(s, base.get(kind, 1)) for s, kind in kind_of.items()}, values_of(kernel))
    open_ones = [s for s, kind in kind_of.items() if kind == "free" and s not in fixed]
    if first and open_ones:
        case.extents[open_ones[0]] = first
    derived = {s for s, kind in kind_of.items() if kind == "derived" and s not in fixed}
    for _ in range(1 + len(derived)):  # one may follow from another
        reached = {}
        for op, operand, tree, size in _indexed(kernel):
            if isinstance(size, ast.Name) and size.id in derived and not _is_alone(op, tree):
                scope = {**case.scope, **{i: (0, max(n - 1, 0)) for i, n in case.iterators(op).items()}}
                low, high = bounds(tree, scope)
                reach = high + 1 + (min(low, 0) if operand.padded else 0)
                reached[size.id] = max(reached.get(size.id, 1), reach)
        case.extents.update(reached)
    return case


def choose(kernel, wanted, fixed=None):
    """The Case whose operands have about `wanted` bytes. `fixed`: extents that are given."""
    fixed, kind_of = fixed or {}, kinds(kernel)
    if not any(kind == "free" and s not in fixed for s, kind in kind_of.items()):
        return _case(kernel, kind_of, 1, fixed)

    def largest(make, high):
        """The largest number whose case has no more bytes than that."""
        low = 1
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if make(middle).footprint() <= wanted else (low, middle - 1)
        return low

    free = max(_rounded(largest(lambda n: _case(kernel, kind_of, n, fixed), _LARGEST)), 1)
    first = largest(lambda n: _case(kernel, kind_of, free, fixed, n), _LARGEST)
    return _case(kernel, kind_of, free, fixed, max(_rounded(first), 1))
