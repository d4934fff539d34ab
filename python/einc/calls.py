# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""A call of a kernel with anything: arguments are checked and described, sizes found, outputs made, errors told."""

from __future__ import annotations

import ctypes
from typing import Any, Dict, List, Mapping, Optional, Sequence

from .arrays import View, allocated, view_of
from .elements import ELEMENTS, dtypes, numpy
from .errors import ArgumentTypeError, ArgumentValueError, KernelError, LibraryError
from .frames import Layout, Plan
from .manifest import Argument, KernelFacts
from .scalars import converter
from .shapes import Size, Values, solve

_MOST_PLANS = 1024  # for one kernel


class Calls:
    """What a kernel's calls have in common."""

    def __init__(self, library: ctypes.CDLL, facts: KernelFacts) -> None:
        self.facts = facts
        self.layout = Layout(facts)
        self.plans: Dict[Any, Plan] = {}
        try:
            self.function = library[facts.function]
            self._explain = library[facts.function + "_explain"]
        except AttributeError as error:
            raise LibraryError(f"the library has no function {facts.function}, which its manifest names: {error}") from error
        self.function.restype = ctypes.c_int
        self._explain.restype = ctypes.c_char_p
        self._inputs = [a for a in facts.inputs if a.kind == "tensor"]
        self._scalars = [a for a in facts.inputs if a.kind == "value"]
        self._outputs, self._attributes = facts.outputs, facts.attributes
        self._symbols = sorted({s for a in self._inputs + self._outputs for size in a.shape for s in size.symbols} -
                               {s for a in self._scalars + self._attributes for s in _symbols_of(a)})

    def slowly(self, key: Any, inputs: Sequence[Any], scalars: Sequence[Any], attributes: Sequence[Any], out: Any,
               dims: Optional[Mapping[str, int]]) -> Any:
        """Any call. Where the key is one, the arrays are plain, and the next call of their like is fast."""
        facts = self.facts
        numbers = [converter(a.element)(a.label, s) for a, s in zip(self._scalars, scalars)]
        lists = {a.name: _numbers(a, given) for a, given in zip(self._attributes, attributes)}
        views = {a.name: view_of(a, owner, facts.contiguous) for a, owner in zip(self._inputs, inputs)}
        if dims is not None and not isinstance(dims, Mapping):
            raise ArgumentTypeError(f"{facts.name}: dims: expected a dict, such as {{'M': 4}}, got {dims!r}")
        known = self._known(numbers, lists, dims or {})
        outs = self._given(out)
        given = {a.name: view_of(a, o, facts.contiguous) for a, o in zip(self._outputs, outs) if o is not None}
        values = self._solved(known, {**views, **given} if dims else views)
        made = []  # sizes of arrays, as NumPy counts them
        for i, a in enumerate(self._outputs):
            if outs[i] is None:
                outs[i] = self._made(a, values)
                given[a.name] = view_of(a, outs[i], facts.contiguous)
                made.append(outs[i].shape)
        views = {name: self._fitted(name, view, values) for name, view in {**views, **given}.items()}
        ordered = [views[a.name] for a in facts.arguments if a.kind == "tensor"]
        plan = Plan(self.layout, ordered, lists, tuple(made))
        frame = plan.frame()
        for scalar, number in zip(frame.scalars, numbers):
            scalar.value = number
        status = self.function(*frame.arguments)
        if status:
            raise KernelError(self._told(status, frame.arguments, views, values), status)
        if key is not None and len(made) in (0, len(outs)):
            if len(self.plans) >= _MOST_PLANS:
                self.plans.clear()
            plan.idle.append(frame)
            self.plans[key] = plan
        return out if out is not None and not isinstance(out, Mapping) and len(made) == 0 else _one_or_all(outs)

    def _known(self, numbers: Sequence[Any], lists: Mapping[str, Any], dims: Mapping[str, int]) -> Values:
        """What sizes may be expressed by, before any argument is looked at."""
        known: Values = {}
        for argument, number in zip(self._scalars, numbers):
            if not argument.element.is_float:
                known[argument.name] = number
        for argument in self._attributes:
            given = lists[argument.name]
            values = argument.defaults if given is None else given
            known.update(zip(_symbols_of(argument), values))
        for name, size in dims.items():
            if name not in self._symbols:
                raise ArgumentValueError(f"{self.facts.name}: dims: there is no size {name!r}; there are {', '.join(self._symbols) or 'none'}")
            known[name] = converter(ELEMENTS["i64"])(f"{self.facts.name}: dims[{name!r}]", size)
        return known

    def _given(self, out: Any) -> List[Any]:
        """The outputs that were given, in the def's order; None for those that were not."""
        outputs = self._outputs
        if out is None:
            return [None] * len(outputs)
        names = [a.name for a in outputs]
        if isinstance(out, Mapping):
            if wrong := [n for n in out if n not in names]:
                raise ArgumentValueError(f"{self.facts.name}: out: there is no output {wrong[0]!r}; there are {', '.join(names)}")
            return [out.get(n) for n in names]
        if isinstance(out, (tuple, list)) and (len(outputs) != 1 or len(out) == 1):
            if len(out) != len(outputs):
                raise ArgumentValueError(f"{self.facts.name}: out: expected {len(outputs)} arrays, for {', '.join(names)}, got {len(out)}")
            return list(out)
        if len(outputs) != 1:
            raise ArgumentTypeError(f"{self.facts.name}: out: expected a tuple or a dict of arrays, for {', '.join(names)}, got one {type(out).__name__}")
        return [out]

    def _solved(self, known: Values, views: Mapping[str, View]) -> Values:
        sizes = [(size, actual) for a in self._inputs + self._outputs if a.name in views
                 for i, (size, actual) in enumerate(zip(a.shape, views[a.name].sizes)) if not _is_half(a, i)]
        values = solve(sizes, known)
        # What only the number of bytes is known of, which two sizes have, is even where nothing else says it.
        halves = [(a.shape[-1], views[a.name].sizes[-1]) for a in self._inputs if a.element.packed and a.rank]
        return solve(halves, values)

    def _made(self, argument: Argument, values: Values) -> Any:
        """A new array for an output."""
        unknown = sorted({s for size in argument.shape for s in size.symbols} - values.keys())
        if argument.reads:
            shown = ", ".join(str(self._size(argument, s, values)) if s.symbols <= values.keys() else s.text for s in argument.shape)
            made = f": out=numpy.zeros(({shown}), numpy.{dtypes(argument.element)[0].name}), or other values" if numpy else ""
            raise ArgumentValueError(f"{argument.label} is changed by the kernel, and so must be given with what it holds before{made}")
        if unknown:
            raise ArgumentValueError(f"{argument.label} has the shape ({', '.join(map(str, argument.shape))}), in which {' and '.join(unknown)} "
                                     f"do{'es' if len(unknown) == 1 else ''} not follow from the inputs: give out=, or "
                                     f"dims={{{', '.join(repr(u) + ': ...' for u in unknown)}}}")
        sizes = [self._size(argument, size, values) for size in argument.shape]
        if numpy is None:
            raise ArgumentValueError(f"{argument.label}: new arrays are made by NumPy, which is not installed: give out=")
        return allocated(argument, sizes)

    def _size(self, argument: Argument, size: Size, values: Values) -> int:
        try:
            number = size.value(values)
        except ZeroDivisionError:
            raise ArgumentValueError(f"{argument.label}: its size {size} divides by 0") from None
        if number < 0:
            where = ", ".join(f"{s} = {values[s]}" for s in sorted(size.symbols))
            raise ArgumentValueError(f"{argument.label}: its size {size} is {number} where {where}")
        return number

    def _fitted(self, name: str, view: View, values: Values) -> View:
        """Of pairs, the last size is what the others say, if the bytes can stand for it."""
        argument = next(a for a in self.facts.arguments if a.name == name)
        if not argument.element.packed or not argument.rank or not argument.shape[-1].symbols <= values.keys():
            return view
        size = self._size(argument, argument.shape[-1], values)
        return view._replace(sizes=(*view.sizes[:-1], size)) if view.sizes[-1] - size in (0, 1) else view

    def _told(self, status: int, arguments: Sequence[Any], views: Mapping[str, View], values: Values) -> str:
        """Why a kernel did nothing: its own words, the sizes that differ, and what it was called with."""
        lines = [f"{self.facts.name}: {self._explain(*arguments).decode(errors='replace')} (status {status})"]
        for a in self._inputs + self._outputs:
            view = views[a.name]
            lines.append(f"  {a}: sizes {view.sizes}, strides {view.strides}")
            for i, (size, actual) in enumerate(zip(a.shape, view.sizes)):
                if size.symbols <= values.keys() and self._size(a, size, values) != actual:
                    lines.append(f"    dimension {i}, {size}, is {actual}; by the other arguments it is {size.value(values)}")
        return "\n".join(lines)


def _symbols_of(argument: Argument) -> List[str]:
    """How sizes name the elements of a scalar or an attribute."""
    if argument.kind == "value" or argument.count == 1:
        return [argument.name, f"{argument.name}[0]"]
    return [f"{argument.name}[{i}]" for i in range(argument.count or 0)]


def _numbers(argument: Argument, given: Any) -> Optional[List[Any]]:
    """An attribute's values; None where the kernel's own count."""
    if given is None:
        if argument.optional:
            return None
        raise ArgumentTypeError(f"{argument.label}: expected {_many(argument)}, got None")
    convert = converter(argument.element)
    if argument.count == 1 and not hasattr(given, "__iter__"):
        return [convert(argument.label, given)]
    try:
        values = list(given)
    except TypeError:
        raise ArgumentTypeError(f"{argument.label}: expected {_many(argument)}, got {given!r}") from None
    if argument.count is not None and len(values) != argument.count:
        raise ArgumentValueError(f"{argument.label}: expected {_many(argument)}, got {len(values)}: {given!r}")
    return [convert(f"{argument.label}[{i}]", v) for i, v in enumerate(values)]


def _many(argument: Argument) -> str:
    kind = argument.element.name
    if argument.count == 1:
        return f"a value ({kind})"
    return f"a list of {kind}" if argument.count is None else f"{argument.count} values ({kind})"


def _is_half(argument: Argument, dimension: int) -> bool:
    return argument.element.packed and dimension == argument.rank - 1


def _one_or_all(outs: List[Any]) -> Any:
    return outs[0] if len(outs) == 1 else tuple(outs)
