# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""A kernel as a Python function."""

from __future__ import annotations

import ctypes
import inspect
from typing import Any, Callable

from .caller import caller
from .calls import Calls
from .manifest import KernelFacts, python_name


class Kernel:
    """A def, compiled. Call it with its inputs, by position or by name; attributes go by name. It returns its output, or a
    tuple of them.

    out=   the output to write, or a tuple or a dict of them; otherwise they are new arrays
    dims=  sizes that do not follow from the inputs, such as {"OH": 6}
    """

    __slots__ = ()
    facts: KernelFacts
    source: str  # of the Python function

    __call__: Callable[..., Any]  # written for the def, in a class of its own (kernel_of)

    @property
    def name(self) -> str:
        """The def's name."""
        return self.facts.name

    @property
    def signature(self) -> str:
        """The def's head, as a spec has it."""
        return self.facts.signature

    def __repr__(self) -> str:
        return f"<einc kernel {self.facts.signature}>"


def _doc(facts: KernelFacts) -> str:
    """What help() shows."""
    lines = [facts.signature, ""]
    if facts.doc:
        lines += [facts.doc, ""]
    lines += [f"  {a}" for a in facts.inputs]
    lines += [f"  {a}, changed: give it as out=" if a.reads else f"  {a}, written" for a in facts.outputs]
    lines += [f"  {a}" for a in facts.attributes]
    return "\n".join(lines)


def kernel_of(library: ctypes.CDLL, facts: KernelFacts) -> Kernel:
    """The kernel as an object of a class of its own: calling it is then as fast as calling a function."""
    calls = Calls(library, facts)
    name = python_name(facts.name)
    function, source = caller(facts, calls.layout, name, calls.slowly, calls.function, calls.plans)
    function.__doc__ = _doc(facts)
    function.__module__ = "einc"
    # The docstring is one of the object, not of its class: so help(kernel) shows it, and not what all kernels have.
    members = {"__call__": staticmethod(function), "__doc__": property(lambda self: function.__doc__), "__slots__": (),
               "__module__": "einc", "__signature__": inspect.signature(function), "facts": facts, "source": source}
    kernel: Kernel = type(name, (Kernel,), members)()
    return kernel
