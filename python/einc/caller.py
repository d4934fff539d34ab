# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""The Python function of a kernel, written for it and compiled with exec, as a call must cost next to nothing.

Of a def with one input A and one output Y it is:

    def name(A, *, out=None, dims=None):
        key__ = None
        if dims is None and type__(A) is ndarray__ and A.dtype is dtype_A__:
            if out is None:
                key__ = (A.shape, A.strides)
                plan__ = plans__.get(key__)
                if plan__ is not None:
                    out_Y__, = plan__.out_sizes
                    out_Y__ = empty_Y__(out_Y__, dtype_Y__)
                    try:
                        frame__ = plan__.idle.pop()
                    except IndexError__:
                        frame__ = plan__.frame()
                    words__ = frame__.words
                    words__[1] = memory__[id__(A) >> 3]
                    words__[6] = memory__[id__(out_Y__) >> 3]
                    status__ = function__(*frame__.arguments)
                    plan__.idle.append(frame__)
                    if status__ == 0:
                        return out_Y__
            elif type__(out) is ndarray__ and ...: the same with what was given
        return slowly__(key__, (A,), (), (), out, dims)

The first call with arrays of certain shapes and strides, and every call with anything but plain arrays, goes through
`slowly`, which checks all, and keeps a plan. A kernel that refuses its arguments has done nothing: `slowly` calls it
again, and says why.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Tuple

from . import memory
from .elements import dtypes, numpy
from .frames import Layout
from .manifest import Argument, KernelFacts
from .scalars import converter

RESERVED = ("out", "dims")  # parameters that every kernel has


def frozen(value: Any) -> Any:
    """An attribute as a part of a key: what has no like where it is nothing that has a hash."""
    if value is None:
        return None
    try:
        return tuple([(number, str(number)) for number in (value if hasattr(value, "__iter__") else (value,))])
    except TypeError:
        return object()


class _Writer:
    """The text of one kernel's function, and what it refers to."""

    def __init__(self, facts: KernelFacts, layout: Layout) -> None:
        self.facts, self.layout = facts, layout
        self.inputs = [a for a in facts.inputs if a.kind == "tensor"]
        self.scalars = [a for a in facts.inputs if a.kind == "value"]
        self.outputs, self.attributes = facts.outputs, facts.attributes
        self.names: Dict[str, Any] = {}
        self.lines: List[str] = []

    def write(self, name: str, slowly: Callable[..., Any], function: Any, plans: Dict[Any, Any]) -> Callable[..., Any]:
        self.names.update(slowly__=slowly, function__=function, plans__=plans, frozen__=frozen, type__=type, id__=id, len__=len,
                          IndexError__=IndexError, memory__=memory.WORDS, address__=memory.address_of)
        self._line(0, f"def {name}({self._parameters()}):")
        self._line(1, "key__ = None")
        if numpy is not None:
            self.names["ndarray__"] = numpy.ndarray
            self._plain_arrays()
        given = [f"({''.join(a.python + ', ' for a in group)})" for group in (self.inputs, self.scalars, self.attributes)]
        self._line(1, f"return slowly__(key__, {', '.join(given)}, out, dims)")
        exec("\n".join(self.lines), self.names)  # pylint: disable=exec-used
        written: Callable[..., Any] = self.names[name]
        return written

    def _line(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def _parameters(self) -> str:
        required = [a.python for a in self.attributes if not a.optional]
        optional = [f"{a.python}=None" for a in self.attributes if a.optional]
        return ", ".join([*(a.python for a in self.facts.inputs), "*", *required, *optional, "out=None", "dims=None"])

    def _is_plain(self, argument: Argument, name: str) -> str:
        self.names[f"dtype_{argument.python}__"] = dtypes(argument.element)[0]
        return f"type__({name}) is ndarray__ and {name}.dtype is dtype_{argument.python}__"

    def _plain_arrays(self) -> None:
        self._line(1, f"if {' and '.join(['dims is None', *(self._is_plain(a, a.python) for a in self.inputs)])}:")
        for a in self.scalars:
            self.names[f"convert_{a.python}__"] = converter(a.element)
            self._line(2, f"scalar_{a.python}__ = convert_{a.python}__({a.label!r}, {a.python})")
        branch = "if"
        if not any(a.reads for a in self.outputs):
            self._line(2, "if out is None:")
            self._call(allocates=True)
            branch = "elif"
        holders = self._out_names()
        is_tuple = [] if len(holders) == 1 else [f"type__(out) is tuple and len__(out) == {len(holders)}"]
        plain = [f"{self._is_plain(a, h)} and {h}.flags.writeable" for a, h in zip(self.outputs, holders)]
        self._line(2, f"{branch} {' and '.join(is_tuple + plain)}:")
        self._call(allocates=False)

    def _out_names(self) -> List[str]:
        return ["out"] if len(self.outputs) == 1 else [f"out[{i}]" for i in range(len(self.outputs))]

    def _key(self, given: List[str]) -> str:
        sized = set().union(*(size.symbols for a in self.outputs for size in a.shape))
        parts = [f"{name}.shape, {name}.strides" for name in [*(a.python for a in self.inputs), *given]]
        parts += [f"scalar_{a.python}__" for a in self.scalars if a.name in sized]
        parts += [f"frozen__({a.python})" for a in self.attributes]
        return f"({', '.join(parts)}, )" if parts else "()"

    def _call(self, allocates: bool) -> None:
        outs = [f"out_{a.python}__" for a in self.outputs]
        self._line(3, f"key__ = {self._key([] if allocates else self._out_names())}")
        self._line(3, "plan__ = plans__.get(key__)")
        self._line(3, "if plan__ is not None:")
        if allocates:
            self._line(4, f"{', '.join(outs)}, = plan__.out_sizes")
            for a, o in zip(self.outputs, outs):
                self.names[f"empty_{a.python}__"] = numpy.empty if a.whole and not a.element.packed else numpy.zeros
                self._line(4, f"{o} = empty_{a.python}__({o}, dtype_{a.python}__)")
        else:
            outs = self._out_names()
        self._line(4, "try:")
        self._line(5, "frame__ = plan__.idle.pop()")
        self._line(4, "except IndexError__:")
        self._line(5, "frame__ = plan__.frame()")
        self._line(4, "words__ = frame__.words")
        for a, name in zip([*self.inputs, *self.outputs], [*(a.python for a in self.inputs), *outs]):
            place = self.layout.places[a.name]
            address = f"memory__[id__({name}) >> 3]" if memory.WORDS is not None else f"address__({name})"
            self._line(4, f"words__[{place + 1}] = {address}")
        for i, a in enumerate(self.scalars):
            self._line(4, f"frame__.scalars[{i}].value = scalar_{a.python}__")
        self._line(4, "status__ = function__(*frame__.arguments)")
        self._line(4, "plan__.idle.append(frame__)")
        self._line(4, "if status__ == 0:")
        self._line(5, f"return {', '.join(outs)}" if allocates else "return out")


def caller(facts: KernelFacts, layout: Layout, name: str, slowly: Callable[..., Any], function: Any,
           plans: Dict[Any, Any]) -> Tuple[Callable[..., Any], str]:
    """The function, and its text."""
    writer = _Writer(facts, layout)
    return writer.write(name, slowly, function, plans), "\n".join(writer.lines)
