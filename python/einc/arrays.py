# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Any array as a kernel sees it: an address, sizes and strides. Nothing is copied.

Taken are NumPy arrays, whatever has `__dlpack__` (tensors of PyTorch, JAX, ...), and Python's buffers (bytearray,
array.array, memoryview). What cannot be described without a copy is refused with the argument's name.
"""

from __future__ import annotations

import ctypes
from typing import Any, List, NamedTuple, Optional, Sequence, Tuple

from . import dlpack
from .elements import Element, dtypes, numpy, own_dtype
from .errors import ArgumentTypeError, ArgumentValueError
from .manifest import Argument
from .memory import address_of
from .scalars import converter


class Array(NamedTuple):
    """Sizes and strides count bytes and units as the array's owner does: of pairs, a unit is a byte."""

    address: int
    sizes: Tuple[int, ...]
    strides: Tuple[int, ...]  # in bytes
    read_only: bool
    keep: Any  # what must live until the call is over


class View(NamedTuple):
    """What goes into a descriptor. Sizes and strides count elements; of pairs, the last size is the larger of the two
    that the bytes may stand for."""

    address: int
    sizes: Tuple[int, ...]
    strides: Tuple[int, ...]
    keep: Any


def expected(argument: Argument) -> str:
    """What the argument is to be, as the messages say it."""
    numpys = f" ({' or '.join(d.name for d in dtypes(argument.element))} in NumPy)" if numpy else ""
    packed = ", two elements in a byte along the last dimension" if argument.element.packed else ""
    return f"expected an array of {argument.element.name}{numpys}, of shape ({', '.join(map(str, argument.shape))}){packed}"


def _wrong_type(argument: Argument, came: str) -> ArgumentTypeError:
    return ArgumentTypeError(f"{argument.label}: {expected(argument)}; got {came}")


def _from_numpy(argument: Argument, array: Any) -> Array:
    if isinstance(array, numpy.ma.MaskedArray):
        raise _wrong_type(argument, "a masked array, whose mask a kernel does not see; give its .data")
    if array.dtype not in dtypes(argument.element):
        order = "" if array.dtype.isnative else " in the other byte order"
        raise _wrong_type(argument, f"{array.dtype.newbyteorder('=').name}{order} of shape {array.shape}")
    return Array(address_of(array), array.shape, array.strides, not array.flags.writeable, array)


def _from_dlpack(argument: Argument, owner: Any) -> Array:
    try:
        tensor = dlpack.taken(owner)
    except dlpack.Refused as reason:
        raise ArgumentValueError(f"{argument.label}: {reason}") from reason
    if tensor.kind not in argument.element.dlpack:
        raise _wrong_type(argument, f"{tensor.kind_name} of shape {tensor.sizes} by DLPack")
    strides = tuple(s * argument.element.bytes for s in tensor.strides)
    return Array(tensor.address, tensor.sizes, strides, tensor.read_only, tensor.keep)


class _PyBuffer(ctypes.Structure):
    _fields_ = [("buf", ctypes.c_void_p), ("obj", ctypes.py_object), ("len", ctypes.c_ssize_t),
                ("itemsize", ctypes.c_ssize_t), ("readonly", ctypes.c_int), ("ndim", ctypes.c_int),
                ("format", ctypes.c_char_p), ("shape", ctypes.c_void_p), ("strides", ctypes.c_void_p),
                ("suboffsets", ctypes.c_void_p), ("internal", ctypes.c_void_p)]


def _buffer_address(view: memoryview) -> int:
    """Where the first element is. The memoryview keeps it there."""
    raw, full_read_only = _PyBuffer(), 0x11C
    ctypes.pythonapi.PyObject_GetBuffer(ctypes.py_object(view), ctypes.byref(raw), full_read_only)
    address = raw.buf or 0
    ctypes.pythonapi.PyBuffer_Release(ctypes.byref(raw))
    return address


def _from_buffer(argument: Argument, owner: Any) -> Optional[Array]:
    try:
        view = memoryview(owner)
    except (TypeError, ValueError, BufferError):
        return None
    element = argument.element
    letter = view.format[1:] if view.format[:1] in ("@", "=", "<") else view.format
    if letter not in element.formats or len(letter) != 1 or view.itemsize != element.bytes:
        raise _wrong_type(argument, f"a buffer of {view.itemsize} bytes an item, of format {view.format!r}")
    if view.suboffsets or view.strides is None or view.shape is None:
        raise _wrong_type(argument, "a buffer of pointers")
    return Array(_buffer_address(view), view.shape, view.strides, view.readonly, view)


def _from_number(argument: Argument, number: Any) -> Optional[Array]:
    """A Python or NumPy number, for a tensor without dimensions that is only read."""
    if numpy is None or argument.rank or argument.is_output or not isinstance(number, (bool, int, float, numpy.generic)):
        return None
    if isinstance(number, numpy.generic) and number.dtype not in dtypes(argument.element):
        return None
    element, bits = argument.element, number
    if own_dtype(element) is None and not isinstance(number, numpy.generic):
        if element.name != "bf16":
            return None  # what its bits are is not known here
        bits = converter(element)(argument.label, number)
    try:
        return _from_numpy(argument, numpy.array(bits, dtypes(element)[0]))
    except (OverflowError, ValueError) as error:
        raise ArgumentValueError(f"{argument.label}: {number} is no {argument.element.name}") from error


def _array(argument: Argument, owner: Any) -> Array:
    if numpy is not None and isinstance(owner, numpy.ndarray):
        return _from_numpy(argument, owner)
    if hasattr(owner, "__dlpack__"):
        return _from_dlpack(argument, owner)
    array = _from_number(argument, owner) or _from_buffer(argument, owner)
    if array is None:
        made = f"; numpy.asarray(x, numpy.{dtypes(argument.element)[0].name}) makes one" if numpy else ""
        raise _wrong_type(argument, f"{_a(type(owner).__name__)}{made}")
    return array


def _a(noun: str) -> str:
    return f"{'an' if noun[0] in 'aeiouAEIOU' else 'a'} {noun}"


def _in_elements(argument: Argument, array: Array, contiguous: bool) -> List[int]:
    """The strides. Those of dimensions with one element or none do not matter: they may be anything."""
    size, strides = argument.element.bytes, []
    for i, (extent, stride) in enumerate(zip(array.sizes, array.strides)):
        if extent <= 1 and (stride % size or contiguous and i == argument.rank - 1):
            stride = size
        if stride % size:
            raise ArgumentValueError(f"{argument.label}: dimension {i} has a stride of {stride} bytes, which is no multiple of "
                                     f"an element's {size}; strides {array.strides} cannot be given to a kernel without a copy: "
                                     f"numpy.ascontiguousarray makes one")
        strides.append(stride // size)
    return strides


def _unpacked(argument: Argument, sizes: Sequence[int], strides: List[int]) -> Tuple[Tuple[int, ...], Tuple[int, ...]]:
    """Bytes to elements of 4 bits: twice as many along the last dimension, whose bytes are side by side."""
    if not sizes:
        return (), ()
    if sizes[-1] > 1 and strides[-1] != 1:
        raise ArgumentValueError(f"{argument.label}: elements of {argument.element.name} lie in pairs along the last dimension, so that "
                                 f"its bytes must be side by side; its stride is {strides[-1]}")
    return (*sizes[:-1], 2 * sizes[-1]), (*(2 * s for s in strides[:-1]), 1)


def view_of(argument: Argument, owner: Any, contiguous: bool) -> View:
    """What the kernel gets for this argument; TypeError or ValueError with its name says why it cannot."""
    array = _array(argument, owner)
    if len(array.sizes) != argument.rank:
        raise ArgumentValueError(f"{argument.label}: {expected(argument)}; got an array of {len(array.sizes)} dimensions, of shape {tuple(array.sizes)}")
    if argument.is_output and array.read_only:
        raise ArgumentValueError(f"{argument.label}: an output must be writable; this array is read-only")
    sizes, strides = tuple(array.sizes), _in_elements(argument, array, contiguous)
    if argument.element.packed:
        sizes, strides = _unpacked(argument, sizes, strides)  # type: ignore[assignment]
    return View(array.address, sizes, tuple(strides), array.keep)


def allocated(argument: Argument, sizes: Sequence[int]) -> Any:
    """A new array; of zeros where a kernel may leave elements as they are."""
    element = argument.element
    if element.packed and sizes:
        sizes = (*sizes[:-1], (sizes[-1] + 1) // 2)
    make = numpy.empty if argument.whole and not element.packed else numpy.zeros
    try:
        return make(tuple(sizes), dtypes(element)[0])
    except (MemoryError, ValueError, OverflowError) as error:
        raise ArgumentValueError(f"{argument.label}: there is no memory for a new array of {element.name} of shape {tuple(sizes)}") from error
