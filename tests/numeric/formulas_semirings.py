# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""What the defs of specs/semirings.tc compute: the arguments of formulas.Formula for each."""

import numpy as np


def _product(first, over):
    """(M, K) and (K, N) to (M, N), into C."""
    return lambda A, B, C, **_: first(C, over(A[:, :, None], B[None, :, :]))


_BOOLS = {"A": "bool", "B": "bool", "C": "bool"}
_POSITIONS = {"position": "i64"}

# Rounding keeps order, so a minimum has the error of one sum or product.
TABLE = {
    "min_plus_product": dict(signature="A[M,K] B[K,N] -> C[M,N]",
                            formula=_product(lambda C, t: np.minimum(C, t.min(axis=1)), np.add)),
    "max_plus_product": dict(signature="A[M,K] B[K,N] -> C[M,N]",
                            formula=_product(lambda C, t: np.maximum(C, t.max(axis=1)), np.add)),
    "boolean_product": dict(signature="A[M,K] B[K,N] -> C[M,N]", types=_BOOLS,
                          formula=_product(lambda C, t: C | t.any(axis=1), np.logical_and)),
    "max_times_product": dict(signature="A[M,K] B[K,N] -> C[M,N]",
                             formula=_product(lambda C, t: np.maximum(C, t.max(axis=1)), np.multiply)),
    "logsumexp_rows": dict(signature="X[M,N] -> y[M]", formula=lambda X, **_: np.logaddexp.reduce(X, axis=1),
                           k="N + 20", exact=False, weight=lambda X, **_: 2 * X.max(axis=1) + 10),
    "argmax_nan_rows": dict(signature="X[M,N] -> value[M] position[M]", roundings=0, types=_POSITIONS,
                            formula=lambda X, **_: (X.max(axis=1), X.argmax(axis=1))),
    "argmin_nan_rows": dict(signature="X[M,N] -> value[M] position[M]", roundings=0, types=_POSITIONS,
                            formula=lambda X, **_: (X.min(axis=1), X.argmin(axis=1))),
}
