# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""The types of elements: what each is in ctypes, NumPy, DLPack and Python's buffers."""

from __future__ import annotations

import ctypes
from typing import Any, Dict, NamedTuple, Optional, Tuple

try:
    import numpy
except ImportError:  # arrays then come by DLPack or as buffers, and outputs are given
    numpy = None  # type: ignore[assignment]

__all__ = ["ELEMENTS", "Element", "dtypes", "numpy", "own_dtype"]

# Type codes of DLPack.
_INT, _UINT, _FLOAT, _BFLOAT, _BOOL, _E4M3, _E5M2 = 0, 1, 2, 4, 6, 10, 12


class Element(NamedTuple):
    """A type as specs call it."""

    name: str
    bytes: int  # of one element; of a pair, where it is packed
    ctype: Any  # how one is passed by value
    arrays: Tuple[str, ...]  # NumPy's names; the first that there is is that of new arrays
    dlpack: Tuple[Tuple[int, int], ...]  # code and bits
    formats: str  # of buffers of that many bytes
    packed: bool = False  # two elements in a byte, along the last dimension

    @property
    def is_float(self) -> bool:
        return self.name[0] in "fb" and self.name != "bool"


def _row(name: str, size: int, ctype: Any, arrays: str, dlpack: Tuple[Tuple[int, int], ...], formats: str,
         packed: bool = False) -> Tuple[str, Element]:
    return name, Element(name, size, ctype, tuple(arrays.split()), dlpack, formats, packed)


ELEMENTS = dict([
    _row("bool", 1, ctypes.c_uint8, "bool", ((_BOOL, 8),), "?"),
    _row("i8", 1, ctypes.c_int8, "int8", ((_INT, 8),), "b"),
    _row("i16", 2, ctypes.c_int16, "int16", ((_INT, 16),), "h"),
    _row("i32", 4, ctypes.c_int32, "int32", ((_INT, 32),), "il"),
    _row("i64", 8, ctypes.c_int64, "int64", ((_INT, 64),), "lqn"),
    _row("u8", 1, ctypes.c_uint8, "uint8", ((_UINT, 8),), "Bc"),
    _row("u16", 2, ctypes.c_uint16, "uint16", ((_UINT, 16),), "H"),
    _row("u32", 4, ctypes.c_uint32, "uint32", ((_UINT, 32),), "IL"),
    _row("u64", 8, ctypes.c_uint64, "uint64", ((_UINT, 64),), "LQN"),
    _row("f16", 2, ctypes.c_uint16, "float16", ((_FLOAT, 16),), "e"),
    _row("f32", 4, ctypes.c_float, "float32", ((_FLOAT, 32),), "f"),
    _row("f64", 8, ctypes.c_double, "float64", ((_FLOAT, 64),), "d"),
    # NumPy knows these where the package ml_dtypes is, and their bits everywhere.
    _row("bf16", 2, ctypes.c_uint16, "bfloat16 uint16", ((_BFLOAT, 16), (_UINT, 16)), "H"),
    _row("f8e4m3", 1, ctypes.c_uint8, "float8_e4m3fn uint8", ((_E4M3, 8), (_UINT, 8)), "B"),
    _row("f8e5m2", 1, ctypes.c_uint8, "float8_e5m2 uint8", ((_E5M2, 8), (_UINT, 8)), "B"),
    _row("i4", 1, None, "uint8", ((_UINT, 8),), "B", packed=True),
    _row("u4", 1, None, "uint8", ((_UINT, 8),), "B", packed=True),
])


def _dtype(name: str) -> Optional[Any]:
    try:
        return numpy.dtype(name)
    except TypeError:
        pass
    try:
        import ml_dtypes  # type: ignore[import]
    except ImportError:
        return None
    scalar = getattr(ml_dtypes, name, None)
    return numpy.dtype(scalar) if scalar else None


def own_dtype(element: Element) -> Optional[Any]:
    """NumPy's type of this name; None where there only is one that has the same bits, as uint16 is for bf16."""
    dtype = dtypes(element)[0]
    return dtype if dtype.name == element.arrays[0] and not element.packed else None


_dtypes: Dict[str, Tuple[Any, ...]] = {}


def dtypes(element: Element) -> Tuple[Any, ...]:
    """NumPy's types of arrays that hold such elements; the first is that of new arrays."""
    if element.name not in _dtypes:
        _dtypes[element.name] = tuple(d for d in map(_dtype, element.arrays) if d is not None)
    return _dtypes[element.name]
