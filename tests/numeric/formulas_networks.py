# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""softmax.tc, norm.tc, mlp.tc."""

import numpy as np

from tests.numeric.formula import Formula


def _softmax(X, **_):
    e = np.exp(X - X.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def _log_softmax(X, **_):
    m = X.max(axis=1, keepdims=True)
    return X - m - np.log(np.exp(X - m).sum(axis=1, keepdims=True))


def _layer_norm(X, gamma, beta, epsilon, **_):
    mean = X.mean(axis=1, keepdims=True)
    variance = ((X - mean) ** 2).mean(axis=1, keepdims=True)
    return (X - mean) / np.sqrt(variance + epsilon) * gamma + beta


def _mlp(X, W1, b1, W2, b2, **_):
    return np.maximum(X @ W1 + b1, 0) @ W2 + b2


_ONES = lambda **a: 1
TABLE = {
    # softmax.tc, norm.tc, mlp.tc
    "softmax": Formula("X[M,N] -> Y[M,N]", _softmax, "N + 20", exact=False, weight=_ONES),
    "log_softmax": Formula("X[M,N] -> Y[M,N]", _log_softmax, "N + 20", exact=False,
                           weight=lambda X, **_: 2 * X.max(initial=0) + 10),
    "layer_norm": Formula("X[M,N] gamma[N] beta[N] epsilon -> Y[M,N]", _layer_norm, "2 * N + 20", exact=False,
                          scalars={"epsilon": 0.5}, weight=lambda X, gamma, beta, epsilon, **_: 4 * gamma * (
                              X.max(initial=0) + 1) ** 2 + beta),
    "rms_norm": Formula("X[M,N] gamma[N] epsilon -> Y[M,N]",
                        lambda X, gamma, epsilon, **_: X / np.sqrt((X**2).mean(axis=1, keepdims=True) + epsilon)
                        * gamma, "N + 20", exact=False, scalars={"epsilon": 0.5},
                        weight=lambda X, gamma, **_: 2 * X * gamma),
    "batch_norm_nhwc": Formula("X[N,H,W,C] mean[C] variance[C] gamma[C] beta[C] epsilon -> Y[N,H,W,C]",
                               lambda X, mean, variance, gamma, beta, epsilon, **_: (X - mean)
                               / np.sqrt(variance + epsilon) * gamma + beta, exact=False, positive=True, roundings=8,
                               scalars={"epsilon": 0.5}, weight=lambda X, mean, variance, gamma, beta, epsilon, **_:
                               (X + mean) * gamma * 2 + beta),
    "norm_l2": Formula("X[M,N] -> y[M]", lambda X, **_: np.sqrt((X**2).sum(axis=1)), "N", exact=False),
    "dense": Formula("X[B,I] W[I,O] bias[O] -> Y[B,O]", lambda X, W, bias, **_: np.maximum(X @ W + bias, 0), "I",
                     varied=False),
    "mlp": Formula("X[B,I] W1[I,H] b1[H] W2[H,O] b2[O] -> Y[B,O]", _mlp, "I + H"),
}
