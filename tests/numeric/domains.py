# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Three ways to know what a program computes, each with its own idea of equality.

  ExactDomain  every operation as documented, bit by bit: integers and bool, and floats where no sum
               is reordered (NaN, infinities, -0 and denormals included)
  WholeDomain  floats that hold small whole numbers: every sum is exact in any order, so again
               equal bit by bit; raises Unsuitable when a number grows too large for that
  RealDomain   real numbers in long double with a bound on how far a kernel may be off: the bound
               follows the rounding errors through every operation (gamma_k for sums)

All have literal, cast, apply, pad, fold and compare.
"""

import math

import numpy as np

from tests.numeric import scalars


class Unsuitable(Exception):
    """The program or its data do not fit the domain; the generator draws again."""


def _select(mask, inside, outside):
    return np.where(mask, inside, outside)


class ExactDomain:
    name = "exact"

    def read(self, kind, stored):
        return scalars.from_storage(kind, stored)

    def store(self, kind, value):
        return scalars.to_storage(kind, value)

    def literal(self, kind, number):
        if kind == "bf16":
            return scalars.round_bf16(number)
        with np.errstate(all="ignore"):
            return np.array(number, scalars.DTYPES[kind])

    def cast(self, x, source, target):
        return scalars.cast(x, source, target)

    def apply(self, function, kind, *args):
        return scalars.apply(function, kind, *args)

    where = staticmethod(_select)

    def gather(self, value, index):
        return value[index]

    def scatter(self, value, index, new):
        value[index] = new

    def broadcast(self, x, shape):
        return np.broadcast_to(x, shape)

    def fold(self, function, kind, start, terms):
        """start f terms[..., 0] f terms[..., 1] ..."""
        if scalars.is_float(kind) and function not in ("max", "min"):
            raise Unsuitable("a reordered sum of arbitrary floats")
        for j in range(terms.shape[-1]):
            start = scalars.apply(function, kind, start, terms[..., j])
        return start

    def compare(self, kind, value, stored):
        """A sentence about the first difference, or None."""
        got = scalars.from_storage(kind, stored)
        same = got == value
        if scalars.is_float(kind):
            same = (same & (np.signbit(got) == np.signbit(value))) | (np.isnan(got) & np.isnan(value))
        return _first_difference(same, got, value)


class WholeDomain(ExactDomain):
    name = "whole"

    def _checked(self, kind, x):
        x = np.asarray(x, np.float64)
        if kind == "bool":
            return x != 0
        if scalars.is_float(kind):
            low, high = -(2.0 ** scalars.PRECISION[kind]), 2.0 ** scalars.PRECISION[kind]
        else:
            info = np.iinfo(scalars.DTYPES[kind])
            low, high = max(info.min, -(2**53)), min(info.max, 2**53)
        if x.size and not (low <= x.min() and x.max() <= high and (x == np.rint(x)).all()):
            raise Unsuitable("not a small whole number")
        return x + 0.0  # no -0: it depends on the order of sums

    def read(self, kind, stored):
        return self._checked(kind, scalars.from_storage(kind, stored))

    def store(self, kind, value):
        return scalars.to_storage(kind, value.astype(scalars.DTYPES[kind]))

    def literal(self, kind, number):
        return self._checked(kind, number)

    def cast(self, x, source, target):
        return self._checked(target, x)

    def apply(self, function, kind, *args):
        if function in ("select",) or kind == "bool" or function in scalars._COMPARE:
            return scalars.apply(function, kind, *args)
        if function not in ("add", "sub", "mul", "neg", "abs", "max", "min", "square", "sign"):
            raise Unsuitable(function)
        return self._checked(kind, scalars.apply(function, "f64", *args))

    def fold(self, function, kind, start, terms):
        if kind == "bool":
            return super().fold(function, kind, start, terms)
        if function in ("add", "sub"):
            self._checked(kind, np.abs(start) + np.abs(terms).sum(axis=-1))
        for j in range(terms.shape[-1]):
            start = self.apply(function, kind, start, terms[..., j])
        return start

    def compare(self, kind, value, stored):
        got = scalars.from_storage(kind, stored)
        return _first_difference(got.astype(np.float64) == value, got, value)


class Real:
    """Values, how far a kernel may be off, and how far it rarely is."""

    def __init__(self, value, bound=None, usual=None):
        self.value = np.asarray(value, np.longdouble)
        zero = np.zeros_like(self.value)
        self.bound = zero if bound is None else np.asarray(bound + zero)
        self.usual = self.bound.copy() if usual is None else np.asarray(usual + zero)

    @property
    def shape(self):
        return self.value.shape

    @property
    def size(self):
        return self.value.size


def copied(value):
    if isinstance(value, Real):
        return Real(value.value.copy(), value.bound.copy(), value.usual.copy())
    return None if value is None else np.array(value)


# kind -> unit roundoff, smallest subnormal, largest value
_LIMITS = {
    "f16": (2.0**-11, 2.0**-24, 65504.0),
    "bf16": (2.0**-8, 2.0**-133, 3e38),
    "f32": (2.0**-24, 2.0**-149, 3.4e38),
    "f64": (2.0**-53, 2.0**-1074, 1.7e308),
}
# Of a math library's function, in unit roundoffs (2 are one unit in the last place).
_LIBRARY = 8.0

_erf = np.vectorize(math.erf, otypes=[np.longdouble])


class RealDomain:
    name = "real"

    def read(self, kind, stored):
        return Real(scalars.from_storage(kind, stored))

    def store(self, kind, value):
        return value

    def literal(self, kind, number):
        return self.rounded(kind, Real(number))

    def cast(self, x, source, target):
        if target == "bool" or not scalars.is_float(target):
            raise Unsuitable("a cast of real numbers to integers")
        return x if scalars.widens(source, target) else self.rounded(target, x)

    def rounded(self, kind, x, roundings=1.0):
        unit, tiny, largest = _LIMITS[kind]
        if x.size and not (np.abs(x.value) + x.bound).max() < largest / 4:
            raise Unsuitable("overflow")
        step = roundings * unit * (np.abs(x.value) + x.bound) + tiny
        return Real(x.value, x.bound + step, x.usual + step)

    def apply(self, function, kind, *args):
        if function in ("max", "min"):
            pick = np.maximum if function == "max" else np.minimum
            a, b = args
            return Real(pick(a.value, b.value), np.maximum(a.bound, b.bound), np.maximum(a.usual, b.usual))
        if function in ("neg", "abs"):
            op = np.negative if function == "neg" else np.abs
            return Real(op(args[0].value), args[0].bound, args[0].usual)
        if function == "square":
            function, args = "mul", (args[0], args[0])
        if function not in self._RULES:
            raise Unsuitable(function)
        rule, roundings = self._RULES[function]
        value, bound = rule(*args)
        if not (np.isfinite(value).all() and np.isfinite(bound).all()):
            raise Unsuitable("no bound")
        # f16 and bf16 are computed in f32: the library's error is far below their own rounding.
        return self.rounded(kind, Real(value, bound), 1.5 if kind in ("f16", "bf16") else roundings)

    def _add(a, b):
        return a.value + b.value, a.bound + b.bound

    def _sub(a, b):
        return a.value - b.value, a.bound + b.bound

    def _mul(a, b):
        bound = np.abs(a.value) * b.bound + np.abs(b.value) * a.bound + a.bound * b.bound
        return a.value * b.value, bound

    def _div(a, b):
        with np.errstate(all="ignore"):
            room = np.abs(b.value) - b.bound
            quotient = a.value / b.value
            bound = np.where(room > 0, (a.bound + np.abs(quotient) * b.bound) / room, np.inf)
        return quotient, bound

    def _slope(function, slope):
        """|f(x + e) - f(x)| <= slope(|x|, e) * e."""

        def rule(a):
            with np.errstate(all="ignore"):
                return function(a.value), np.where(a.bound > 0, slope(a.value, a.bound) * a.bound, 0)

        return rule

    def _above(x, e):
        return np.where(x - e > 0, x - e, 0)

    _RULES = {
        "add": (_add, 1),
        "sub": (_sub, 1),
        "mul": (_mul, 1),
        "div": (_div, 1),
        "reciprocal": (lambda a: RealDomain._div(Real(np.ones_like(a.value)), a), 2),
        "sqrt": (_slope(np.sqrt, lambda x, e: 0.5 / np.sqrt(RealDomain._above(x, e))), 1),
        "rsqrt": (_slope(lambda x: 1 / np.sqrt(x), lambda x, e: 0.5 * RealDomain._above(x, e) ** -1.5), 4),
        "exp": (_slope(np.exp, lambda x, e: np.exp(x + e)), _LIBRARY),
        "log": (_slope(np.log, lambda x, e: 1 / RealDomain._above(x, e)), _LIBRARY),
        "tanh": (_slope(np.tanh, lambda x, e: np.ones_like(x)), _LIBRARY),
        "sin": (_slope(np.sin, lambda x, e: np.ones_like(x)), _LIBRARY),
        "cos": (_slope(np.cos, lambda x, e: np.ones_like(x)), _LIBRARY),
        "atan": (_slope(np.arctan, lambda x, e: np.ones_like(x)), _LIBRARY),
        "erf": (_slope(_erf, lambda x, e: np.full_like(x, 1.13)), _LIBRARY),
    }
    FUNCTIONS = sorted(_RULES) + ["max", "min", "neg", "abs", "square"]

    def where(self, mask, inside, outside):
        return Real(*[
            np.where(mask, a, b)
            for a, b in [
                (inside.value, outside.value),
                (inside.bound, outside.bound),
                (inside.usual, outside.usual),
            ]
        ])

    def gather(self, value, index):
        return Real(value.value[index], value.bound[index], value.usual[index])

    def scatter(self, value, index, new):
        value.value[index], value.bound[index], value.usual[index] = new.value, new.bound, new.usual

    def broadcast(self, x, shape):
        return Real(*[np.broadcast_to(part, shape) for part in (x.value, x.bound, x.usual)])

    def fold(self, function, kind, start, terms):
        count = terms.shape[-1]
        if function in ("add", "sub"):
            unit, tiny, largest = _LIMITS[kind]
            value = terms.value.sum(axis=-1)
            weight = np.abs(start.value) + np.abs(terms.value).sum(axis=-1)
            carried = start.bound + terms.bound.sum(axis=-1)
            usual = start.usual + terms.usual.sum(axis=-1)
            if weight.size and not (weight + carried).max() < largest / 4:
                raise Unsuitable("overflow")
            if count * unit >= 0.1:
                raise Unsuitable("a sum longer than the bound allows")
            gamma = count * unit / (1 - count * unit)
            return Real(
                start.value + (value if function == "add" else -value),
                carried + gamma * (weight + carried) + count * tiny,
                usual + min(gamma, 8 * math.sqrt(count) * unit) * (weight + usual) + count * tiny,
            )
        for j in range(count):
            start = self.apply(function, kind, start, self.gather(terms, (..., j)))
        return start

    def compare(self, kind, value, stored):
        got = scalars.from_storage(kind, stored).astype(np.longdouble)
        with np.errstate(all="ignore"):
            error = np.where(got == value.value, 0, np.abs(got - value.value))  # infinities too
            message = _first_difference(error <= value.bound, got, value.value, value.bound)
            marginal = np.count_nonzero(~(error <= value.usual))
        if message is None and marginal > max(3, 0.01 * value.size):
            message = f"{marginal} of {value.size} elements are within their bound, but at its margin"
        return message


def _first_difference(same, got, wanted, bound=None):
    same = np.broadcast_to(np.asarray(same), np.shape(got))
    if same.all():
        return None
    where = tuple(int(i) for i in np.argwhere(~same)[0])
    note = "" if bound is None else f" +- {np.broadcast_to(bound, same.shape)[where]:.3g}"
    wanted = np.broadcast_to(wanted, same.shape)[where]
    return f"element {where} is {got[where]!r}, not {wanted!r}{note} ({np.count_nonzero(~same)} of {same.size} differ)"
