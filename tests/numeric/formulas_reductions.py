# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""reductions.tc: each def along rows, along columns and over everything."""

import numpy as np

from tests.numeric.formula import Formula

# suffix: shape of the result, NumPy's axis, how many elements go into one
_ALONG = {"rows": ("M", 1, "N"), "columns": ("N", 0, "M"), "all": ("", None, "M * N")}


def _each(name, function, k="1", types=None, weight=None, **more):
    """`function` and `weight` take the matrix and NumPy's axis; `k` is in terms of K."""
    entries = {}
    for along, (shape, axis, length) in _ALONG.items():
        entries[f"{name}_{along}"] = Formula(
            f"X[M,N] -> y[{shape}]", lambda X, axis=axis, **_: function(X, axis), k.replace("K", f"({length})"),
            weight=weight and (lambda X, axis=axis, **_: weight(X, axis)), types=types, **more)
    return entries


def _positions(name, extreme, position):
    return {f"{name}_{along}": Formula(f"X[M,N] -> value[{shape}] position[{shape}]",
                                       lambda X, axis=axis, **_: (extreme(X, axis), position(X, axis)),
                                       roundings=0, types={"position": "i64"})
            for along, (shape, axis, _) in _ALONG.items()}


def _moments():
    return {f"moments_{along}": Formula(f"X[M,N] -> sum[{shape}] squares[{shape}]",
                                        lambda X, axis=axis, **_: (X.sum(axis=axis), (X * X).sum(axis=axis)), f"{length} + 1")
            for along, (shape, axis, length) in _ALONG.items()}


def _integers(function):
    return lambda X, axis: function.reduce(X.astype(np.int64), axis=axis)


def _logsumexp(X, axis):
    return np.log(np.exp(X).sum(axis=axis))


_BOOL = dict(types={"X": "bool", "y": "bool"}, varied=False)
_BITS = dict(types={"X": "i32", "y": "i32"}, varied=False)
TABLE = {
    **_each("sum", lambda X, axis: X.sum(axis=axis), "K"),
    **_each("prod", lambda X, axis: X.prod(axis=axis), "K", exact=False, takes="numbers"),
    **_each("max", lambda X, axis: X.max(axis=axis, initial=-np.inf), roundings=0),
    **_each("min", lambda X, axis: X.min(axis=axis, initial=np.inf), roundings=0),
    **_each("and", _integers(np.bitwise_and), **_BITS),
    **_each("or", _integers(np.bitwise_or), **_BITS),
    **_each("any", lambda X, axis: X.any(axis=axis), **_BOOL),
    **_each("all", lambda X, axis: X.all(axis=axis), **_BOOL),
    **_each("mean", lambda X, axis: X.mean(axis=axis), "K", exact=False),
    # The mean is off by at most gamma(K) mean|X|, each square by twice that of |X| + mean|X|.
    **_each("variance", lambda X, axis: X.var(axis=axis), "3 * K", roundings=8, exact=False,
            weight=lambda X, axis: ((X + X.mean(axis=axis, keepdims=True)) ** 2).mean(axis=axis)),
    **_moments(),
    **_each("logsumexp", _logsumexp, "K + 20", exact=False,
            weight=lambda X, axis: 2 * X.max(initial=0) + 10 + 0 * X.sum(axis=axis)),
    **_positions("argmax", lambda X, axis: X.max(axis=axis), lambda X, axis: X.argmax(axis=axis)),
    **_positions("argmin", lambda X, axis: X.min(axis=axis), lambda X, axis: X.argmin(axis=axis)),
}
