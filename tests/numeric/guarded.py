# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Memory that faults when a kernel reaches past its end, or before its beginning."""

import ctypes
import mmap

import numpy as np

_libc = ctypes.CDLL(None, use_errno=True)
_libc.mmap.restype = ctypes.c_void_p
_libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
_libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
_libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
_MAP_NORESERVE = 0x4000
_PROT_NONE = 0
_PAGE = mmap.PAGESIZE


class Pages:
    """`size` bytes between two pages that nobody may touch, flush against the one at the end (or the
    one at the beginning). With `sparse`, untouched pages cost nothing."""

    def __init__(self, size, at_end=True, sparse=False):
        self.size = size
        self.length = -(-max(size, 1) // _PAGE) * _PAGE
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | (_MAP_NORESERVE if sparse else 0)
        self.base = _libc.mmap(None, self.length + 2 * _PAGE, mmap.PROT_READ | mmap.PROT_WRITE, flags, -1, 0)
        if self.base in (None, ctypes.c_void_p(-1).value):
            raise MemoryError("mmap")
        for guard in (self.base, self.base + _PAGE + self.length):
            assert _libc.mprotect(guard, _PAGE, _PROT_NONE) == 0
        self.address = self.base + _PAGE + (self.length - size if at_end else 0)

    def protect(self):
        """From now on, not even the inside may be touched."""
        assert _libc.mprotect(self.base, self.length + 2 * _PAGE, _PROT_NONE) == 0

    def array(self, dtype, count=None):
        """All of it (or the first `count` elements) as a flat array."""
        dtype = np.dtype(dtype)
        count = self.size // dtype.itemsize if count is None else count
        if count == 0:
            return np.empty(0, dtype)
        buffer = (ctypes.c_char * (count * dtype.itemsize)).from_address(self.address)
        return np.frombuffer(buffer, dtype, count)

    def close(self):
        _libc.munmap(self.base, self.length + 2 * _PAGE)


def span(shape, strides):
    """Elements from the lowest to the highest position, and the position of element 0."""
    if 0 in shape:
        return 0, 0
    low = sum(min((n - 1) * s, 0) for n, s in zip(shape, strides))
    high = sum(max((n - 1) * s, 0) for n, s in zip(shape, strides))
    return high - low + 1, -low


class Tensor:
    """A strided tensor in guarded pages. Gaps hold a pattern that a kernel must leave alone."""

    def __init__(self, values, strides=None, at_end=True):
        values = np.asarray(values)
        strides = [s // values.dtype.itemsize for s in np.ascontiguousarray(values).strides] if strides is None else strides
        self.strides, self.dtype, self.shape = list(strides)[: values.ndim], values.dtype, values.shape
        count, first = span(self.shape, self.strides)
        self.pages = Pages(count * self.dtype.itemsize, at_end)
        self.flat = self.pages.array(self.dtype)
        self.bytes = self.flat.view(np.uint8)
        self.bytes[:] = 0xA5
        self.first = first
        self.data = self.pages.address + first * self.dtype.itemsize
        if values.size:
            self.view[...] = values

    @property
    def view(self):
        size = self.dtype.itemsize
        return np.ndarray(self.shape, self.dtype, self.flat, self.first * size, [s * size for s in self.strides])

    def words(self):
        return (ctypes.c_int64 * (3 + 2 * len(self.shape)))(self.data, self.data, 0, *self.shape, *self.strides)

    def gaps(self):
        """The bytes that belong to no element."""
        mask = np.ones(self.flat.shape, bool)
        if self.flat.size:
            size = self.dtype.itemsize
            np.ndarray(self.shape, bool, mask, self.first, self.strides)[...] = False
        return self.bytes.reshape(-1, self.dtype.itemsize)[mask].tobytes()

    def close(self):
        self.flat = self.bytes = None
        self.pages.close()
