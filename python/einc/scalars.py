# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Numbers that are passed to kernels: scalars and attributes."""

from __future__ import annotations

import operator
import struct
from typing import Any, Callable, Dict

from .elements import Element
from .errors import ArgumentTypeError, ArgumentValueError

Converter = Callable[[str, Any], Any]  # an argument's name, and what was given for it


def _integer(element: Element) -> Converter:
    bits = 8 * element.bytes
    low, high = (0, 2**bits - 1) if element.name[0] == "u" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)

    def convert(name: str, value: Any) -> int:
        try:
            number = operator.index(value)
        except TypeError:
            raise ArgumentTypeError(f"{name}: expected an integer ({element.name}), got {value!r}") from None
        if low <= number <= high:
            return number
        raise ArgumentValueError(f"{name}: expected {element.name}, from {low} to {high}, got {number}")

    return convert


def _boolean(name: str, value: Any) -> int:
    if value is True or value is False:
        return int(value)
    try:
        if (number := operator.index(value.item() if hasattr(value, "item") else value)) in (0, 1):
            return number
    except (TypeError, ValueError):
        pass
    raise ArgumentTypeError(f"{name}: expected True or False, got {value!r}")


def _real(name: str, value: Any) -> float:
    if type(value) is float:
        return value
    if not isinstance(value, (str, bytes)):
        try:
            return float(value)
        except (TypeError, ValueError, OverflowError):
            pass
    raise ArgumentTypeError(f"{name}: expected a number, got {value!r}")


def _half(name: str, value: Any) -> int:
    """The bits of an f16; rounded to the nearest, to infinity past the largest."""
    number = _real(name, value)
    try:
        return int.from_bytes(struct.pack("<e", number), "little")
    except OverflowError:
        return 0x7C00 | (0x8000 if number < 0 else 0)


def _brain(name: str, value: Any) -> int:
    """The bits of a bf16; rounded once to the nearest, to even between two."""
    number = _real(name, value)
    if number != number:
        return 0x7FC0
    bits = int.from_bytes(struct.pack("<d", number), "little")
    sign, magnitude = bits >> 63, abs(number)
    # Of numbers in bf16's normal range 45 of the 52 bits go; below it, multiples of 2^-133 are left.
    if magnitude >= 2.0**-126:
        fraction = bits & (2**63 - 1)
        fraction += (1 << 44) - 1 + (fraction >> 45 & 1)
        result = (fraction >> 45) - ((1023 - 127) << 7)
    else:
        result = int(round(magnitude * 2.0**133))  # to even, too
    return sign << 15 | min(result, 0x7F80)


_OTHERS: Dict[str, Converter] = {"bool": _boolean, "f16": _half, "bf16": _brain, "f32": _real, "f64": _real}


def converter(element: Element) -> Converter:
    """What makes a number of what was given: what the type's ctypes class takes. Its errors have the name."""
    return _OTHERS[element.name] if element.name in _OTHERS else _integer(element)
