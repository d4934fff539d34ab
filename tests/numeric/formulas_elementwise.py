# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""elementwise.tc."""

import numpy as np

from tests.numeric import domains, scalars
from tests.numeric.formula import Formula


def _unary(function, **more):
    return Formula("A[M,N] -> C[M,N]", lambda A, **_: function(A), **more)


def _binary(function, **more):
    return Formula("A[M,N] B[M,N] -> C[M,N]", lambda A, B, **_: function(A, B), **more)


def _unsigned(function):
    """On 32-bit integers, of their bits."""

    def formula(A, B, **_):
        a, b = (x.astype(np.int64).astype(np.uint32) for x in (A, B))
        return function(a, b).astype(np.uint32).astype(np.int32)

    return Formula("A[M,N] B[M,N] -> C[M,N]", formula, roundings=0, varied=False,
                   types={"A": "i32", "B": "i32", "C": "i32"})


def _quantize(A, scale, zero_point, **_):
    divided = (A.astype(np.float32) / np.float32(scale)).astype(np.float32)
    return np.clip(np.rint(divided) + np.float32(zero_point), -128, 127).astype(np.int8)


_WHOLE = dict(roundings=0, takes="floats", varied=False)
_REAL = dict(exact=False, positive=True)
TABLE = {
    # Of one matrix
    "exp": _unary(np.exp, exact=False),
    "log": _unary(np.log, weight=lambda A, **_: np.abs(np.log(A)), **_REAL),
    "abs": _unary(np.abs, roundings=0),
    "ceil": _unary(np.ceil, **_WHOLE),
    "floor": _unary(np.floor, **_WHOLE),
    "round": _unary(scalars._round_away, **_WHOLE),
    "negf": _unary(np.negative, roundings=0),
    "reciprocal": _unary(lambda A: 1 / A, **_REAL),
    "sqrt": _unary(np.sqrt, **_REAL),
    "rsqrt": _unary(lambda A: 1 / np.sqrt(A), **_REAL),
    "square": _unary(lambda A: A * A),
    "tanh": _unary(np.tanh, exact=False),
    "erf": _unary(domains._erf, exact=False),
    # Of two matrices
    "add": _binary(np.add),
    "sub": _binary(np.subtract, weight=lambda A, B, **_: A + B),
    "mul": _binary(np.multiply),
    "div": _binary(np.divide, takes="numbers", **_REAL),
    "max": _binary(np.maximum, roundings=0),
    "min": _binary(np.minimum, roundings=0),
    "powf": _binary(np.power, roundings=8, **_REAL),
    "div_unsigned": _unsigned(lambda a, b: np.where(b == 0, 0, a // np.maximum(b, 1))),
    "max_unsigned": _unsigned(np.maximum),
    "min_unsigned": _unsigned(np.minimum),
    "select": Formula("P[M,N] A[M,N] B[M,N] -> C[M,N]", lambda P, A, B, **_: np.where(P, A, B), roundings=0,
                      types={"P": "bool"}),
    # Activations, scaling, conversions
    "relu": _unary(lambda A: np.maximum(A, 0), roundings=0, varied=False),
    "sigmoid": _unary(lambda A: 1 / (1 + np.exp(-A)), exact=False, weight=lambda **_: 1),
    "gelu": _unary(lambda A: A * (1 + domains._erf(A * np.sqrt(np.longdouble(0.5)))) / 2, exact=False,
                   roundings=8, weight=lambda A, **_: A + 1e-6),
    "add_bias": Formula("A[M,N] bias[N] -> C[M,N]", lambda A, bias, **_: A + bias),
    "axpy": Formula("alpha x[N] -> y[N]", lambda alpha, x, y, **_: alpha * x + y, scalars={"alpha": 3}),
    "scale": Formula("alpha A[M,N] -> C[M,N]", lambda alpha, A, **_: alpha * A, scalars={"alpha": 3}),
    "clamp": Formula("A[M,N] low high -> C[M,N]", lambda A, low, high, **_: np.clip(A, low, high), roundings=0,
                     varied=False, scalars={"low": 0, "high": 2}),
    "convert": _unary(np.trunc, roundings=0, varied=False, types={"C": "i32"}),
    "quantize": Formula("A[M,N] scale zero_point -> C[M,N]", _quantize, roundings=0, varied=False,
                        types={"A": "f32", "scale": "f32", "zero_point": "i32", "C": "i8"},
                        scalars={"scale": 0.03125, "zero_point": 5}),
}
