# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""What one call passes to a kernel's C function: descriptors and attributes in one piece of memory."""

from __future__ import annotations

import ctypes
from typing import Any, Dict, List, Optional, Sequence, Tuple

from .arrays import View
from .manifest import Argument, KernelFacts


class Frame:
    """The memory of one call, and the C function's arguments, which point into it. One call at a time has it."""

    __slots__ = ("words", "scalars", "arguments")

    def __init__(self, words: memoryview, scalars: List[Any], arguments: Tuple[Any, ...]) -> None:
        self.words = words  # of each descriptor: what is to be freed (nothing), the address, an offset (0), sizes, strides
        self.scalars = scalars  # of ctypes, in their order
        self.arguments = arguments


class Plan:
    """All of a call but addresses and scalars: what is the same for arrays of the same shapes and strides."""

    __slots__ = ("out_sizes", "idle", "_layout", "_words", "_attributes")

    def __init__(self, layout: Layout, views: Sequence[View], attributes: Dict[str, Optional[List[Any]]],
                 out_sizes: Tuple[Any, ...]) -> None:
        self.out_sizes = out_sizes  # of the arrays to be made, as NumPy counts them
        self.idle: List[Frame] = []  # for whoever calls next: appending and taking are atomic
        self._layout = layout
        self._words = layout.descriptors(views)
        self._attributes = attributes

    def frame(self) -> Frame:
        """Memory for one more call at the same time."""
        return self._layout.frame(self._words, self._attributes)


class Layout:
    """Where each argument's part is in a frame, counted in words of 8 bytes."""

    def __init__(self, facts: KernelFacts) -> None:
        self.facts = facts
        self.places: Dict[str, int] = {}  # of tensors, by name
        self._end = 0
        for argument in facts.arguments:
            if argument.kind == "tensor":
                self.places[argument.name] = self._end
                self._end += 3 + 2 * argument.rank

    def descriptors(self, views: Sequence[View]) -> List[int]:
        """Of the tensors, in their order among the C function's parameters."""
        words: List[int] = []
        for view in views:
            words += [0, view.address, 0, *view.sizes, *view.strides]
        return words

    def frame(self, descriptors: Sequence[int], attributes: Dict[str, Optional[List[Any]]]) -> Frame:
        memory = (ctypes.c_int64 * max(self._end, 1))(*descriptors)
        scalars: List[Any] = []
        arguments: List[Any] = []
        for argument in self.facts.arguments:
            if argument.kind == "tensor":
                arguments.append(ctypes.byref(memory, 8 * self.places[argument.name]))
            elif argument.kind == "value":
                scalars.append(argument.element.ctype())
                arguments.append(scalars[-1])
            elif argument.kind == "address":
                arguments.append(_values(argument, attributes[argument.name]))
            else:
                arguments.append(ctypes.c_int64(len(attributes[argument.of] or ())))
        return Frame(memoryview(memory).cast("B").cast("q"), scalars, tuple(arguments))


def _values(argument: Argument, numbers: Optional[List[Any]]) -> Any:
    """A pointer to them; None is NULL, for which the kernel takes its defaults."""
    return None if numbers is None else (argument.element.ctype * len(numbers))(*numbers)
