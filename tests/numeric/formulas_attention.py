# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""attention.tc.

The bound, in units of u: a score is off by (D + 4) W, where W is the largest sum of |q| |k| with its scale and bias, and its
difference to the largest one by 2 W more. So a weight is off by a factor of exp(2 (D + 6) W u), and as much again for exp and
the sums of N terms. A mean with such weights is off by as much of the largest |V|.
"""

import numpy as np

from tests.numeric.formula import Formula


def softmax(S):
    """Along the last axis. Rows of nothing but -inf are NaN."""
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    return E / E.sum(axis=-1, keepdims=True)


def scores(Q, K, scale):
    """K may lack the axis of Q's heads that share it."""
    return np.einsum("...md,...nd->...mn", Q, K if K.ndim == Q.ndim else K[:, :, None]) * scale


def mean(P, V):
    return np.einsum("...mn,...ne->...me", P, V if V.ndim == P.ndim else V[:, :, None])


def causal(S):
    m, n = np.indices(S.shape[-2:])
    return np.where(n <= m, S, -np.inf)


def _window(Q, K, V, scale, window, **_):
    m, n = np.indices((Q.shape[-2], K.shape[-2]))
    return mean(softmax(np.where((n <= m) & (n > m - window[0]), scores(Q, K, scale), -np.inf)), V)


def _decode(Q, K, V, length, scale, **_):
    seen = np.arange(K.shape[-2]) < length[:, None, None, None]
    return mean(softmax(np.where(seen, scores(Q, K, scale), -np.inf)), V)


def _weight(Q, K, V, scale, bias=0, **_):
    """Of absolute values."""
    W = (scores(Q, K, scale) + bias).max(axis=-1, initial=0)
    V = V if V.ndim == Q.ndim else V[:, :, None]
    return 4 * (1 + W[..., None]) * V.max(axis=-2, initial=0)[..., None, :]


def _entry(signature, formula, **more):
    return Formula(signature, formula, "D + N + 20", exact=False, weight=more.pop("weight", _weight), scalars={"scale": 0.25, **more.pop("scalars", {})},
                   **more)


_SEVERAL = "Q[B,H,M,D] K[B,H,N,D] V[B,H,N,E]"
_SELF = "Q[B,H,N,D] K[B,H,N,D] V[B,H,N,E] scale -> O[B,H,N,E]"
TABLE = {
    "attention": _entry(f"{_SEVERAL} scale -> O[B,H,M,E]", lambda Q, K, V, scale, **_: mean(softmax(scores(Q, K, scale)), V)),
    "attention_bias": _entry(f"{_SEVERAL} bias[H,M,N] scale -> O[B,H,M,E]",
                             lambda Q, K, V, bias, scale, **_: mean(softmax(scores(Q, K, scale) + bias), V)),
    # tanh adds less than what it is given is off, and 4 cap.
    "attention_soft_cap": _entry(f"{_SEVERAL} scale cap -> O[B,H,M,E]",
                                 lambda Q, K, V, scale, cap, **_: mean(softmax(cap * np.tanh(scores(Q, K, scale) / cap)), V),
                                 weight=lambda cap, **a: _weight(bias=4 * cap, **a), scalars={"cap": 2}),
    "attention_causal": _entry(_SELF, lambda Q, K, V, scale, **_: mean(softmax(causal(scores(Q, K, scale))), V)),
    "attention_window": _entry(_SELF, _window, attributes=(("window", 1, 1, 6),)),
    "attention_grouped": _entry("Q[B,G,R,M,D] K[B,G,N,D] V[B,G,N,E] scale -> O[B,G,R,M,E]",
                                lambda Q, K, V, scale, **_: mean(softmax(scores(Q, K, scale)), V)),
    # R queries of a group are rows, as all of them see the same keys.
    "attention_decode": _entry("Q[B,G,R,D] K[B,G,N,D] V[B,G,N,E] length[B] scale -> O[B,G,R,E]", _decode, types={"length": "i64"},
                               positive=True),
}
