# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Types that only store numbers, i4, u4, f8e4m3 and f8e5m2, on NumPy arrays, and tensors of any type in guarded memory.

Written from the words of compiler/ir/types.def. An array of i4 or u4 has int8 or uint8 elements; one of f8 has float32 elements
that are values of the type, as one of bf16 has (scalars.py).
"""

import ctypes

import numpy as np

from tests.numeric import guarded, scalars

HALVES, SHORT = ["i4", "u4"], ["f8e4m3", "f8e5m2"]
KINDS = HALVES + SHORT
ENDS = {"i4": (-8, 7), "u4": (0, 15)}
DTYPES = {**scalars.DTYPES, "i4": np.int8, "u4": np.uint8, "f8e4m3": np.float32, "f8e5m2": np.float32}


def _value(code, digits, bias):
    """Of a positive number: an exponent above `digits` digits, of which a first one is not stored."""
    exponent, rest = code >> digits, code & (2**digits - 1)
    return rest * 2.0 ** (1 - bias - digits) if exponent == 0 else (2**digits + rest) * 2.0 ** (exponent - bias - digits)


def _both_signs(positive):
    return np.array([*positive, *(-v for v in positive)], np.float32)


# The value of each code.
VALUES = {
    "f8e4m3": _both_signs([_value(c, 3, 7) for c in range(127)] + [np.nan]),
    "f8e5m2": _both_signs([_value(c, 2, 15) for c in range(124)] + [np.inf, np.nan, np.nan, np.nan]),
}
# The positive ones, and the first that is none any more: a number that would be rounded to it is infinite or NaN.
_STEPS = {"f8e4m3": np.array([_value(c, 3, 7) for c in range(128)]), "f8e5m2": np.array([_value(c, 2, 15) for c in range(125)])}
_NAN = {"f8e4m3": 127, "f8e5m2": 126}


def code_of(kind, x):
    """The nearest, of two the even code."""
    with np.errstate(all="ignore"):
        x = np.asarray(x).astype(np.float64)
    steps, size = _STEPS[kind], np.abs(x)
    between = (steps[:-1] + steps[1:]) / 2
    code = np.searchsorted(between, size)  # how many are below
    at = np.minimum(code, len(between) - 1)
    code += (size == between[at]) & (at == code) & (code % 2 == 1)
    return (np.where(np.isnan(x), _NAN[kind], code) | np.signbit(x) << 7).astype(np.uint8)


def cast(x, source, target):
    """scalars.cast, to and from these types as well."""
    if source in HALVES:
        source = source[0] + "8"
    elif source in SHORT:
        source = "f32"
    if target in SHORT:
        return VALUES[target][code_of(target, x)]
    if target not in HALVES:
        return scalars.cast(x, source, target)
    low, high = ENDS[target]
    if source in scalars.FLOATS:
        whole = np.trunc(np.where(np.isnan(x), 0, x).astype(np.float64))
        return np.clip(whole, low, high).astype(DTYPES[target])
    rest = x.astype(np.uint64) & np.uint64(15)
    return ((rest.astype(np.int64) - low) % 16 + low).astype(DTYPES[target])


def to_storage(kind, x):
    """As elements are in memory; those of 4 bits have a byte each."""
    if kind in SHORT:
        return code_of(kind, x)
    return x.astype(np.uint8) & np.uint8(15) if kind in HALVES else scalars.to_storage(kind, x)


def from_storage(kind, x):
    if kind in SHORT:
        return VALUES[kind][x]
    return cast(x, "u8", kind) if kind in HALVES else scalars.from_storage(kind, x)


def pairs(codes):
    """Codes of 4 bits, two in each byte of the last dimension, the first in the lower half."""
    if codes.ndim == 0:
        return codes
    codes = np.append(codes, np.zeros((*codes.shape[:-1], codes.shape[-1] % 2), np.uint8), -1)
    return codes[..., 0::2] | codes[..., 1::2] << np.uint8(4)


def apart(packed):
    if packed.ndim == 0:
        return packed & np.uint8(15)
    return np.stack([packed & np.uint8(15), packed >> np.uint8(4)], -1).reshape(*packed.shape[:-1], -1)


def layout(shape, how, rng):
    """Strides of rows, of rows with gaps, of dimensions in another order, or of some that run backwards."""
    order = list(range(len(shape)))
    if how == "turned":
        rng.shuffle(order)
    strides, step = [0] * len(shape), 1
    for d in reversed(order):
        strides[d] = -step if how == "backwards" and rng.random() < 0.5 else step
        step = step * max(shape[d], 1) + (int(rng.integers(0, 4)) if how != "rows" else 0)
    return strides


class Tensor:
    """A tensor in pages that end, or begin, with it. Of what is in between its elements, nothing may change."""

    def __init__(self, kind, values, how="rows", rng=None, at_end=True):
        rng = rng or np.random.default_rng(len(how))
        self.kind, codes = kind, to_storage(kind, np.asarray(values))
        strides = layout(codes.shape, how, rng)
        self._others = None if kind in HALVES else guarded.Tensor(codes, strides, at_end)
        if self._others:
            self._before = self._others.gaps()
            return
        count, first = guarded.span(codes.shape, strides)
        lead = int(rng.integers(0, 2)) if how != "rows" and count else 0
        self._pages = guarded.Pages((lead + count + 1) // 2, at_end)
        self._bytes = self._pages.array(np.uint8)
        self._at = lead + first + sum((np.arange(n).reshape([-1] + [1] * (codes.ndim - 1 - d)) * s
                                      for d, (n, s) in enumerate(zip(codes.shape, strides))), np.zeros(codes.shape, np.int64))
        flat = rng.integers(0, 16, 2 * len(self._bytes)).astype(np.uint8)
        flat[self._at] = codes
        self._bytes[:] = pairs(flat)
        self._before = flat
        self._words = (ctypes.c_int64 * (3 + 2 * codes.ndim))(self._pages.address, self._pages.address, lead + first, *codes.shape, *strides)

    def words(self):
        return self._others.words() if self._others else self._words

    def values(self):
        codes = np.array(self._others.view) if self._others else apart(self._bytes)[self._at]
        return from_storage(self.kind, codes)

    def changed_others(self):
        if self._others:
            return self._before != self._others.gaps()
        now = apart(self._bytes)
        now[self._at] = self._before[self._at]
        return not np.array_equal(now, self._before)

    def close(self):
        (self._others or self._pages).close()


def difference(got, want):
    """What is wrong with numbers: one NaN is as good as another, but 0 has a sign."""
    if got.shape != want.shape:
        return f"{got.shape}, not {want.shape}"
    same = got == want
    if got.dtype.kind == "f":
        same = np.where(np.isnan(want), np.isnan(got), same & (np.signbit(got) == np.signbit(want)))
    if same.all():
        return None
    at = tuple(int(i[0]) for i in np.nonzero(~same)) if got.ndim else ()
    return f"{np.sum(~same)} of {got.size} wrong, first at {at}: {got[at]!r}, not {want[at]!r}"


def run(kernel, inputs, outputs, how="rows", rng=None, at_end=True):
    """Calls a kernel with (kind, values) and (kind, what is there before, what is wanted); what is wrong, or None."""
    tensors = [Tensor(kind, values, how, rng, at_end) for kind, values, *_ in [*inputs, *outputs]]
    try:
        status = kernel(*(t.words() for t in tensors))
        if status:
            return f"status {status}"
        for i, ((kind, given, *want), tensor) in enumerate(zip([*inputs, *outputs], tensors)):
            wrong = difference(tensor.values(), np.asarray(want[0] if want else given).astype(DTYPES[kind]))
            if wrong or tensor.changed_others():
                return f"argument {i}, {kind}{list(np.shape(given))}: {wrong or 'changed what is no element'}"
        return None
    finally:
        for tensor in tensors:
            tensor.close()
