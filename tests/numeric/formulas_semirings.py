# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""semirings.tc."""

import numpy as np

from tests.numeric.formula import Formula


def _product(first, over):
    """(M, K) and (K, N) to (M, N), into C."""
    return lambda A, B, C, **_: first(C, over(A[:, :, None], B[None, :, :]))


_MATMUL = "A[M,K] B[K,N] -> C[M,N]"

# Rounding keeps order, so a minimum has the error of one sum or product.
TABLE = {
    "matmul_min_plus": Formula(_MATMUL, _product(lambda C, t: np.minimum(C, t.min(axis=1)), np.add)),
    "matmul_max_plus": Formula(_MATMUL, _product(lambda C, t: np.maximum(C, t.max(axis=1)), np.add)),
    "matmul_or_and": Formula(_MATMUL, _product(lambda C, t: C | t.any(axis=1), np.logical_and), varied=False,
                             types={"A": "bool", "B": "bool", "C": "bool"}),
    "matmul_max_times": Formula(_MATMUL, _product(lambda C, t: np.maximum(C, t.max(axis=1)), np.multiply)),
    "matmul_logaddexp_plus": Formula(
        _MATMUL, _product(lambda C, t: np.logaddexp(C, np.logaddexp.reduce(t, axis=1)), np.add), "4 * K + 20",
        exact=False, weight=lambda A, B, C, **_: 2 * (A.max() + B.max() + C.max()) + 10 + 0 * C),
}
