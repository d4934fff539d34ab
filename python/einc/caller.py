# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""The Python function of a kernel, written for it and compiled with exec, as a call must cost next to nothing.

Of a def with one input A and one output Y it is:

    def name(A, *, out=None, dims=None):
        økey = None
        if dims is None and øtype(A) is øndarray and A.dtype is ødtype_A:
            if out is None:
                økey = (A.shape, A.strides)
                øplan = øplans.get(økey)
                if øplan is not None:
                    øout_Y, = øplan.out_sizes
                    øout_Y = øempty_Y(øout_Y, ødtype_Y)
                    try:
                        øframe = øplan.idle.pop()
                    except øIndexError:
                        øframe = øplan.frame()
                    øwords = øframe.words
                    øwords[1] = ømemory[øid(A) >> 3]
                    øwords[6] = ømemory[øid(øout_Y) >> 3]
                    østatus = øfunction(*øframe.arguments)
                    øplan.idle.append(øframe)
                    if østatus == 0:
                        return øout_Y
            elif øtype(out) is øndarray and ...: the same with what was given
        return øslowly(økey, (A,), (), (), out, dims)

Names that begin with ø are the function's own: no spec can have such a name, as specs have ASCII letters only.

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
    if type(value) is tuple:
        for number in value:
            if type(number) is not int:
                break
        else:
            return value  # whole numbers are told apart by what they are
    try:
        return tuple([(number, str(number)) for number in (value if hasattr(value, "__iter__") else (value,))])
    except TypeError:
        return object()


def listed(value: Any) -> Any:
    """An attribute that can be read twice: once for the key, once for the kernel."""
    return tuple(value) if hasattr(value, "__next__") else value


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
        self.names.update(øslowly=slowly, øfunction=function, øplans=plans, øfrozen=frozen, ølisted=listed, øtuple=tuple, øtype=type, øid=id, ølen=len,
                          øIndexError=IndexError, ømemory=memory.WORDS, øaddress=memory.address_of)
        self._line(0, f"def {name}({self._parameters()}):")
        for a in self.attributes:
            self._line(1, f"if {a.python} is not None and øtype({a.python}) is not øtuple: {a.python} = ølisted({a.python})")
        self._line(1, "økey = None")
        if numpy is not None:
            self.names["øndarray"] = numpy.ndarray
            self._plain_arrays()
        given = [f"({''.join(a.python + ', ' for a in group)})" for group in (self.inputs, self.scalars, self.attributes)]
        self._line(1, f"return øslowly(økey, {', '.join(given)}, out, dims)")
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
        self.names[f"ødtype_{argument.python}"] = dtypes(argument.element)[0]
        return f"øtype({name}) is øndarray and {name}.dtype is ødtype_{argument.python}"

    def _plain_arrays(self) -> None:
        self._line(1, f"if {' and '.join(['dims is None', *(self._is_plain(a, a.python) for a in self.inputs)])}:")
        for a in self.scalars:
            self.names[f"øconvert_{a.python}"] = converter(a.element)
            self._line(2, f"øscalar_{a.python} = øconvert_{a.python}({a.label!r}, {a.python})")
        branch = "if"
        if not any(a.reads for a in self.outputs):
            self._line(2, "if out is None:")
            self._call(allocates=True)
            branch = "elif"
        holders = self._out_names()
        is_tuple = [] if len(holders) == 1 else [f"øtype(out) is øtuple and ølen(out) == {len(holders)}"]
        plain = [f"{self._is_plain(a, h)} and {h}.flags.writeable" for a, h in zip(self.outputs, holders)]
        self._line(2, f"{branch} {' and '.join(is_tuple + plain)}:")
        self._call(allocates=False)

    def _out_names(self) -> List[str]:
        return ["out"] if len(self.outputs) == 1 else [f"out[{i}]" for i in range(len(self.outputs))]

    def _key(self, given: List[str]) -> str:
        sized = set().union(*(size.symbols for a in self.outputs for size in a.shape))
        parts = [f"{name}.shape, {name}.strides" for name in [*(a.python for a in self.inputs), *given]]
        parts += [f"øscalar_{a.python}" for a in self.scalars if a.name in sized]
        parts += [f"øfrozen({a.python})" for a in self.attributes]
        return f"({', '.join(parts)}, )" if parts else "()"

    def _call(self, allocates: bool) -> None:
        outs = [f"øout_{a.python}" for a in self.outputs]
        self._line(3, f"økey = {self._key([] if allocates else self._out_names())}")
        self._line(3, "øplan = øplans.get(økey)")
        self._line(3, "if øplan is not None:")
        if allocates:
            self._line(4, f"{', '.join(outs)}, = øplan.out_sizes")
            for a, o in zip(self.outputs, outs):
                self.names[f"øempty_{a.python}"] = numpy.empty if a.whole and not a.element.packed else numpy.zeros
                self._line(4, f"{o} = øempty_{a.python}({o}, ødtype_{a.python})")
        else:
            outs = self._out_names()
        self._line(4, "try:")
        self._line(5, "øframe = øplan.idle.pop()")
        self._line(4, "except øIndexError:")
        self._line(5, "øframe = øplan.frame()")
        self._line(4, "øwords = øframe.words")
        for a, name in zip([*self.inputs, *self.outputs], [*(a.python for a in self.inputs), *outs]):
            place = self.layout.places[a.name]
            address = f"ømemory[øid({name}) >> 3]" if memory.WORDS is not None else f"øaddress({name})"
            self._line(4, f"øwords[{place + 1}] = {address}")
        for i, a in enumerate(self.scalars):
            self._line(4, f"øframe.scalars[{i}].value = øscalar_{a.python}")
        self._line(4, "østatus = øfunction(*øframe.arguments)")
        self._line(4, "øplan.idle.append(øframe)")
        self._line(4, "if østatus == 0:")
        self._line(5, f"return {', '.join(outs)}" if allocates else "return out")


def caller(facts: KernelFacts, layout: Layout, name: str, slowly: Callable[..., Any], function: Any,
           plans: Dict[Any, Any]) -> Tuple[Callable[..., Any], str]:
    """The function, and its text."""
    writer = _Writer(facts, layout)
    return writer.write(name, slowly, function, plans), "\n".join(writer.lines)
