# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Where the elements of a NumPy array are, found fast.

`array.ctypes.data` takes most of a microsecond, longer than all else that a call does. The address is also
the first word of NumPy's own part of the array object, which NumPy promises to extensions (the struct
PyArrayObject_fields). So it is read there, if that gives what NumPy says: `WORDS` is the memory of this
process as words of 64 bits, shifted so that WORDS[id(array) >> 3] is that word. Nothing else is read through it,
nothing is written, and only ever of what is known to be an array. It is None where objects look otherwise.
"""

from __future__ import annotations

import ctypes
import sys
from typing import Any, Optional

from .elements import numpy


def address_of(array: Any) -> int:
    """The address of an array's first element, as NumPy says it."""
    return int(array.__array_interface__["data"][0])


def _words() -> Optional[memoryview]:
    if numpy is None or sys.implementation.name != "cpython" or ctypes.sizeof(ctypes.c_void_p) != 8:
        return None
    everything = (ctypes.c_int64 * (1 << 57)).from_address(object.__basicsize__)
    words = memoryview(everything).cast("B").cast("q")
    probes = [numpy.zeros(shape, kind) for shape in [(), (3,), (2, 3)] for kind in ["int8", "float64"]]
    probes += [probes[4][:, ::-1], probes[3][1:]]
    return words if all(words[id(p) >> 3] == address_of(p) for p in probes) else None


WORDS = _words()
