# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""What a library's manifest (NAME.json) says of its kernels."""

from __future__ import annotations

import json
import keyword
import pathlib
from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Sequence, Tuple

from .elements import ELEMENTS, Element
from .errors import LibraryError
from .shapes import Size


@dataclass(frozen=True)
class Argument:
    """One parameter of a kernel's C function."""

    label: str  # "dense: A", as messages have it
    name: str  # as the def has it
    python: str  # as a Python function can have it: `in` is `in_`
    kind: str  # tensor, value, address or length
    element: Element
    shape: Tuple[Size, ...] = ()  # of a tensor
    is_output: bool = False
    reads: bool = False  # of an output: what it holds before counts
    whole: bool = False  # of an output: each element is written
    count: Optional[int] = None  # of an address: how many values; none for a list
    optional: bool = False
    defaults: Tuple[Any, ...] = ()
    of: str = ""  # of a length: the list's name

    @property
    def rank(self) -> int:
        return len(self.shape)

    def __str__(self) -> str:
        if self.kind == "tensor":
            return f"{self.name}: {self.element.name}({', '.join(map(str, self.shape))})"
        if self.kind == "value":
            return f"{self.name}: {self.element.name}"
        count = "[]" if self.count is None else "" if self.count == 1 else f"{self.count}x"
        kind = self.element.name + count if count == "[]" else count + self.element.name
        default = [_spelled(d) for d in self.defaults]
        shown = f" = {default[0] if self.count == 1 else '[' + ', '.join(default) + ']'}" if default else ""
        return f"{self.name}{'?' if self.optional and not default else ''}: {kind}{shown}"


@dataclass(frozen=True)
class KernelFacts:
    """A def, as its library has it."""

    name: str
    function: str  # the C function
    doc: str
    arguments: Tuple[Argument, ...]  # in the order of the C function's parameters
    contiguous: bool  # all tensors must have unit stride along their last dimension

    @property
    def inputs(self) -> List[Argument]:
        """Tensors and scalars that are passed by position, in the def's order."""
        return [a for a in self.arguments if a.kind == "value" or a.kind == "tensor" and not a.is_output]

    @property
    def outputs(self) -> List[Argument]:
        return [a for a in self.arguments if a.kind == "tensor" and a.is_output]

    @property
    def attributes(self) -> List[Argument]:
        return [a for a in self.arguments if a.kind == "address"]

    @property
    def signature(self) -> str:
        """The def's own head."""
        head = f"{self.name}({', '.join(map(str, self.inputs))}) -> ({', '.join(map(str, self.outputs))})"
        return head + (f" attr({', '.join(map(str, self.attributes))})" if self.attributes else "")


@dataclass(frozen=True)
class Manifest:
    """A library's kernels, by their defs' names."""

    library: str
    kernels: Dict[str, KernelFacts] = field(default_factory=dict)


def _spelled(number: Any) -> str:
    return str(number).lower() if isinstance(number, bool) else str(number)


def _number(text: str, element: Element) -> Any:
    """`2_i64`, `1.5_f32`, `true`: as IR text has it."""
    if element.name == "bool":
        return text == "true"
    digits = text.rsplit("_", 1)[0]
    if not element.is_float:
        return int(digits)
    return float.fromhex(digits) if "0x" in digits else float(digits)


def python_name(name: str, taken: Sequence[str] = ()) -> str:
    """A name that Python can have: keywords and __debug__ are no names there."""
    while keyword.iskeyword(name) or name == "__debug__" or name in taken:
        name += "_"
    return name


class _Reader:
    """The arguments of one kernel."""

    def __init__(self, row: Dict[str, Any]) -> None:
        self._attributes = {a["name"]: a for a in row["attributes"]}
        self._def = row["def"]
        self._taken = ["out", "dims"]  # what a call has anyway

    def argument(self, row: Dict[str, Any]) -> Argument:
        kind, name = row["kind"], row.get("name", "")
        python = python_name(name, self._taken)
        self._taken.append(python)
        label = f"{self._def}: {name}"
        if kind == "length":
            return Argument(label, name, python, kind, ELEMENTS["i64"], of=row["of"])
        element = ELEMENTS[row["type"]]
        if kind == "tensor":
            shape = tuple(Size(s) for s in row["shape"])
            return Argument(label, name, python, kind, element, shape, is_output=row["role"] == "output",
                            reads=row.get("reads", False), whole=row.get("whole", False))
        if kind == "value":
            return Argument(label, name, python, kind, element)
        if kind == "address":
            defaults = self._attributes[name].get("defaults", [])
            return Argument(label, name, python, kind, element, count=row.get("count"), optional=row.get("optional", False),
                            defaults=tuple(_number(d, element) for d in defaults))
        raise LibraryError(f"an argument is of the kind {kind!r}, which this package does not know; use the one of this einc")


def _kernel(row: Dict[str, Any], contiguous: bool) -> KernelFacts:
    reader = _Reader(row)
    arguments = tuple(reader.argument(a) for a in row["arguments"])
    return KernelFacts(row["def"], row["function"], row["doc"], arguments, contiguous)


def read(path: pathlib.Path) -> Manifest:
    """The manifest in that file; LibraryError says why there is none."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise LibraryError(f"cannot read the manifest {path}: {error.strerror}") from error
    except ValueError as error:
        raise LibraryError(f"{path} is not a manifest, as einc build writes one (NAME.json): {error}") from error
    if not isinstance(data, dict) or data.get("einc_manifest") != 1:
        raise LibraryError(f"{path} is not a manifest of this version, as einc build writes one (NAME.json)")
    try:
        return _manifest(path, data)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise LibraryError(f"{path} is not a whole manifest, as einc build writes one (NAME.json): "
                           f"{type(error).__name__}: {error}") from error


def _manifest(path: pathlib.Path, data: Dict[str, Any]) -> Manifest:
    if "device" in data:
        raise LibraryError(f"{path} is of a library for {data['device']}; from Python, kernels for CPUs are called")
    kernels = {}
    for row in data["kernels"]:
        if "arguments" not in row:
            raise LibraryError(f"{path} does not list the arguments of {row['def']}: build the library with a newer einc")
        kernels[row["def"]] = _kernel(row, data.get("strides") == "contiguous")
    return Manifest(data["library"], kernels)
