# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""The element types and scalar functions of the spec language, on NumPy arrays.

Written from the words of compiler/ir/functions.def, not from its code: this is the second opinion
on the interpreter and on generated C. A value is an array of the type's dtype, but

  bf16   float32 arrays that hold bf16 values
  f16    float16 arrays; each function is computed in float32 and rounded once
"""

import ctypes
import ctypes.util

import numpy as np

INTEGERS = ["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"]
FLOATS = ["f16", "bf16", "f32", "f64"]
TYPES = ["bool"] + INTEGERS + FLOATS

DTYPES = {
    "bool": np.bool_,
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
    "u8": np.uint8,
    "u16": np.uint16,
    "u32": np.uint32,
    "u64": np.uint64,
    "f16": np.float16,
    "bf16": np.float32,
    "f32": np.float32,
    "f64": np.float64,
}
# Digits of a float's significand, the hidden one included.
PRECISION = {"f16": 11, "bf16": 8, "f32": 24, "f64": 53}


def is_float(kind):
    return kind in FLOATS


def is_integer(kind):
    return kind in INTEGERS


def is_signed(kind):
    return kind[0] == "i"


def bits(kind):
    return 8 if kind == "bool" else int(kind.lstrip("biuf"))


def value_bits(kind):
    """Digits of the integers that a number type holds exactly."""
    if is_float(kind):
        return PRECISION[kind]
    return bits(kind) - 1 if is_signed(kind) else bits(kind)


def widens(source, target):
    """Whether every value of one type is a value of the other (bool is no number)."""
    if source == target:
        return True
    if "bool" in (source, target) or (is_float(source) and not is_float(target)):
        return False
    if is_float(source):
        return (bits(source), bits(target)) in [(16, 32), (16, 64), (32, 64)]
    if is_float(target):
        return value_bits(source) <= PRECISION[target]
    if is_signed(source) and not is_signed(target):
        return False
    return value_bits(source) <= value_bits(target)


# ---- Storage ----


def round_bf16(x):
    """float64 (or shorter) to the nearest bf16 value, ties to even, as float32."""
    x = np.asarray(x, np.float64)
    raw = x.view(np.uint64)
    drop = np.uint64(45)
    half = np.uint64((1 << 44) - 1)
    odd = (raw >> drop) & np.uint64(1)
    with np.errstate(all="ignore"):
        normal = (((raw + half + odd) >> drop) << drop).view(np.float64)
        tiny = np.rint(x * 2.0**133) * 2.0**-133
        rounded = np.where(np.abs(x) < 2.0**-126, tiny, normal)
        rounded = np.where(np.isfinite(x), rounded, x)
        return rounded.astype(np.float32)  # past the largest: infinity


def to_storage(kind, x):
    """The array as a kernel (and a .npy file) holds it."""
    x = np.asarray(x)
    if kind == "bf16":
        high = (x.astype(np.float32).view(np.uint32) >> np.uint32(16)).astype(np.uint16)
        return np.where(np.isnan(x), np.uint16(0x7FC0), high).astype(np.uint16)
    return x.astype(DTYPES[kind])


def from_storage(kind, x):
    if kind == "bf16":
        return (x.astype(np.uint32) << np.uint32(16)).view(np.float32)
    return x


def storage_dtype(kind):
    return np.dtype(np.uint16 if kind == "bf16" else DTYPES[kind])


# ---- Casts ----


def _round_integer(n, digits):
    """An integer to the nearest one with so many significant digits, ties to even."""
    drop = max(abs(n).bit_length() - digits, 0)
    magnitude, rest, tie = abs(n) >> drop, abs(n) & ((1 << drop) - 1), (1 << drop) >> 1
    if rest > tie or (drop and rest == tie and magnitude & 1):
        magnitude += 1
    return (magnitude << drop) * (1 if n >= 0 else -1)


def _integer_to_float(x, target):
    if target == "f64":
        return x.astype(np.float64)
    digits = PRECISION[target]
    flat = [float(_round_integer(int(n), digits)) for n in x.ravel()]
    with np.errstate(all="ignore"):
        return np.array(flat, np.float64).reshape(x.shape).astype(DTYPES[target])


def _float_to_integer(x, target):
    x = x.astype(np.float64)
    info = np.iinfo(DTYPES[target])
    low, high = float(info.min), float(info.max) + 1 if bits(target) < 64 else 2.0 ** value_bits(target)
    inside = (x > low - 1) & (x < high) if bits(target) < 64 else (x >= low) & (x < high)
    with np.errstate(all="ignore"):
        result = np.where(inside, x, 0).astype(DTYPES[target])
    result = np.where(x >= high, info.max, result)
    result = np.where(x <= low, info.min, result)
    return result.astype(DTYPES[target])


def cast(x, source, target):
    if source == target:
        return x
    if target == "bool":
        return x != 0
    if source == "bool":
        return x.astype(DTYPES[target])
    if is_float(source) and is_integer(target):
        return _float_to_integer(x, target)
    if is_float(source):
        with np.errstate(all="ignore"):
            return round_bf16(x) if target == "bf16" else x.astype(DTYPES[target])
    if is_float(target):
        return _integer_to_float(x, target)
    return x.astype(DTYPES[target])


# ---- Functions ----


def _divide(x, y, kind):
    if not is_signed(kind):
        return np.where(y == 0, x.dtype.type(0), x // np.where(y == 0, x.dtype.type(1), y))
    special = (y == 0) | (y == -1)
    safe = np.where(special, x.dtype.type(1), y)
    quotient = x // safe
    rest = x - quotient * safe
    quotient = quotient + ((rest != 0) & ((x < 0) != (safe < 0))).astype(x.dtype)
    return np.where(y == 0, x.dtype.type(0), np.where(y == -1, -x, quotient))


def _power(x, y, kind):
    base, result = x.copy(), np.ones(x.shape, x.dtype)
    exponent = y.astype(np.uint64)  # of negative ones: nonsense, replaced below
    for bit in range(64):
        result = np.where((exponent >> np.uint64(bit)) & np.uint64(1) != 0, result * base, result)
        base = base * base
    if not is_signed(kind):
        return result
    inverse = np.where(x == 1, 1, np.where(x == -1, np.where(y % 2 == 0, 1, -1), 0)).astype(x.dtype)
    return np.where(y < 0, inverse, result)


def _shift(x, y, kind, left):
    width = bits(kind)
    outside = (y < 0) | (y >= width)
    count = np.where(outside, 0, y).astype(x.dtype)
    if left:
        return np.where(outside, x.dtype.type(0), x << count)
    fill = np.where(x < 0, x.dtype.type(-1) if is_signed(kind) else x.dtype.type(0), x.dtype.type(0))
    return np.where(outside, fill, x >> count)


def _sign(x, kind):
    if is_float(kind):
        return np.where(np.isnan(x) | (x == 0), x, np.sign(x))
    return np.sign(x)


_INTEGER = {
    "add": lambda x, y, k: x + y,
    "sub": lambda x, y, k: x - y,
    "mul": lambda x, y, k: x * y,
    "div": _divide,
    "rem": lambda x, y, k: x - _divide(x, y, k) * y,
    "max": lambda x, y, k: np.where(x > y, x, y),
    "min": lambda x, y, k: np.where(x < y, x, y),
    "pow": _power,
    "neg": lambda x, k: (x.dtype.type(0) - x),
    "abs": lambda x, k: np.where(x < 0, x.dtype.type(0) - x, x),
    "sign": _sign,
    "square": lambda x, k: x * x,
    "and": lambda x, y, k: x & y,
    "or": lambda x, y, k: x | y,
    "xor": lambda x, y, k: x ^ y,
    "not": lambda x, k: ~x,
    "shl": lambda x, y, k: _shift(x, y, k, True),
    "shr": lambda x, y, k: _shift(x, y, k, False),
}


def _maximum(x, y):
    larger = np.where((x > y) | ((x == y) & np.signbit(y)), x, y)
    return np.where(np.isnan(x) | np.isnan(y), x.dtype.type(np.nan), larger)


def _round_away(x):
    whole = np.trunc(x)
    step = np.copysign(np.ones_like(x), x)
    rounded = np.where(np.abs(x - whole) >= 0.5, whole + step, whole)
    return np.where(np.isfinite(x), rounded, x)


_LIBM = ctypes.CDLL(ctypes.util.find_library("m"))
_LIBM.fma.argtypes, _LIBM.fma.restype = [ctypes.c_double] * 3, ctypes.c_double
_LIBM.fmaf.argtypes, _LIBM.fmaf.restype = [ctypes.c_float] * 3, ctypes.c_float


def _fma(x, y, z):
    """NumPy has none; the C library's is rounded once."""
    x, y, z = np.broadcast_arrays(x, y, z)
    one = _LIBM.fma if x.dtype == np.float64 else _LIBM.fmaf
    values = [one(*v) for v in zip(x.ravel().tolist(), y.ravel().tolist(), z.ravel().tolist())]
    return np.array(values, x.dtype).reshape(x.shape)


# On float32 or float64. Those of the first table are exact or rounded once.
_FLOAT = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y,
    "rem": np.fmod,
    "max": _maximum,
    "min": lambda x, y: -_maximum(-x, -y),
    "neg": lambda x: -x,
    "abs": np.abs,
    "sign": lambda x: _sign(x, "f32"),
    "square": lambda x: x * x,
    "fma": _fma,
    "reciprocal": lambda x: x.dtype.type(1) / x,
    "sqrt": np.sqrt,
    "ceil": np.ceil,
    "floor": np.floor,
    "trunc": np.trunc,
    "round": _round_away,
    "roundeven": np.rint,
}
EXACT_FLOAT = sorted(_FLOAT)

_COMPARE = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}
_LOGIC = {
    "and": np.logical_and,
    "or": np.logical_or,
    "xor": np.logical_xor,
    "not": np.logical_not,
}


def apply(function, kind, *args):
    """A function on operands of one type (for select: the second and third)."""
    args = [np.asarray(a) for a in args]
    with np.errstate(all="ignore"):
        if function == "select":
            return np.where(args[0], args[1], args[2])
        if function in _COMPARE:
            return _COMPARE[function](*args)
        if kind == "bool":
            return _LOGIC[function](*args)
        if is_integer(kind):
            return np.asarray(_INTEGER[function](*np.broadcast_arrays(*args), kind)).astype(DTYPES[kind])
        if kind == "f16":
            return np.asarray(_FLOAT[function](*[a.astype(np.float32) for a in args])).astype(np.float16)
        if kind == "bf16":
            return round_bf16(_FLOAT[function](*args))
        return np.asarray(_FLOAT[function](*args)).astype(DTYPES[kind])


def neutral(function, kind):
    """The element e with f(e, x) = x, as an array of rank 0; None if there is none."""
    if function in ("add", "xor"):
        value = 0
    elif function == "mul":
        value = 1
    elif function == "or":
        value = 0
    elif function == "and":
        value = True if kind == "bool" else (-1 if is_signed(kind) else 2 ** bits(kind) - 1)
    elif function == "max":
        value = -np.inf if is_float(kind) else np.iinfo(DTYPES[kind]).min
    elif function == "min":
        value = np.inf if is_float(kind) else np.iinfo(DTYPES[kind]).max
    else:
        return None
    return np.array(value, DTYPES[kind])
