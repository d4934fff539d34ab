# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""softmax.tc, norm.tc, networks.tc."""

import numpy as np

from tests.numeric import domains, formulas_attention
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


# ---- networks.tc ----


def _gelu(A):
    return A * (1 + domains._erf(A * np.sqrt(np.longdouble(0.5)))) / 2


def _gelu_residual(X, W, bias, R, **_):
    return R + _gelu(X @ W + bias)


def _chain(X, gain, shift, **_):
    D = np.clip(X * gain + shift, -8, 8)
    return X + D / (D * D + 1)


def _groups(X, W, scale, group, **_):
    return X @ (W * scale[np.arange(len(W)) // group[0]])


def _windows(I, outs, stride, window):
    """[N, OH, OW, C, KH, KW]: a view of what each window sees."""
    found = np.lib.stride_tricks.sliding_window_view(I, window, axis=(1, 2))
    return found[:, ::stride, ::stride][:, : outs[0], : outs[1]]


def _conv_pool(I, K, norm, window, OH, OW, stride, pool_stride, lowest=-np.inf, **_):
    outs = [(n - 1) * pool_stride[0] + w for n, w in zip((OH, OW), window.shape)]
    A = np.einsum("nyxcij,ijcf->nyxf", _windows(I, outs, stride[0], K.shape[:2]), K)
    R = np.maximum(norm(A), 0)
    return _windows(R, (OH, OW), pool_stride[0], window.shape).max(axis=(4, 5), initial=lowest)


def _conv_norm_relu_pool(mean, variance, gamma, beta, epsilon, **a):
    return _conv_pool(norm=lambda A: (A - mean) / np.sqrt(variance + epsilon) * gamma + beta, **a)


def _conv_norm_relu_pool_weight(mean, variance, gamma, beta, epsilon, **a):
    """The variance may be negative, too, and is less than epsilon."""
    return _conv_pool(norm=lambda A: (A + mean) / np.sqrt(np.maximum(epsilon - variance, 1)) * gamma + beta, lowest=0, **a)


def _conv_pool_sizes(s):
    inner = [(s["O" + x] - 1) * s["pool_stride"][0] + s["P" + x] for x in "HW"]
    return {"I" + x: (n - 1) * s["stride"][0] + s["K" + x] for x, n in zip("HW", inner)}


def _separable(I, expand, K, project, OH, OW, stride, **_):
    A = np.maximum(I @ expand, 0)
    D = np.einsum("nyxeij,ije->nyxe", _windows(A, (OH, OW), stride[0], K.shape[:2]), K)
    return np.maximum(D, 0) @ project


def _separable_sizes(s):
    return {"I" + x: (s["O" + x] - 1) * s["stride"][0] + s["K" + x] for x in "HW"}


def _row_norm(X, gamma, beta, epsilon):
    centred = X - X.mean(axis=-1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + epsilon) * gamma + beta


def _block(X, gamma1, beta1, Wq, Wk, Wv, Wo, gamma2, beta2, W1, b1, W2, b2, scale, epsilon, **_):
    L = _row_norm(X, gamma1, beta1, epsilon)
    Q, K, V = (np.einsum("bnc,chd->bhnd", L, W) for W in (Wq, Wk, Wv))
    O = formulas_attention.mean(formulas_attention.softmax(formulas_attention.causal(formulas_attention.scores(Q, K, scale))), V)
    Z = X + np.einsum("bhnd,hdc->bnc", O, Wo)
    return Z + _gelu(_row_norm(Z, gamma2, beta2, epsilon) @ W1 + b1) @ W2 + b2


class _Off:
    """The largest absolute value of an element, and how far it may be off, in units of k u, where k is at least the number
    of roundings of each op. Second orders are left out: k has room for them."""

    def __init__(self, most, off=None):
        self.most, self.off = most, np.zeros_like(most) if off is None else off

    def __add__(self, other):
        return _Off(self.most + other.most, self.off + other.off + self.most + other.most)

    def product(self, text, weights):
        sums = lambda a: np.einsum(text, a, weights)
        return _Off(sums(self.most), sums(self.off) + sums(self.most))

    def norm(self, gamma, beta, epsilon):
        """|x - mean| / deviation is at most sqrt(C), and follows x with (1 + sqrt(C)) / sqrt(epsilon) at most."""
        count = np.sqrt(np.longdouble(self.most.shape[-1]))
        centred = self.off + self.off.mean(axis=-1, keepdims=True) + self.most + self.most.mean(axis=-1, keepdims=True)
        off = (1 + count) / np.sqrt(epsilon) * centred.max(axis=-1, keepdims=True, initial=0) + 0 * centred + 4 * count
        most = np.full_like(off, count) * gamma + beta
        return _Off(most, off * gamma + most)

    def gelu(self):
        return _Off(self.most, 1.2 * self.off + 4 * self.most)


def _block_weight(X, gamma1, beta1, Wq, Wk, Wv, Wo, gamma2, beta2, W1, b1, W2, b2, scale, epsilon, **_):
    """Of absolute values. Loose, as each sum takes all errors to be of one sign: f64 shows the formula."""
    L = _Off(X).norm(gamma1, beta1, epsilon)
    q, k, v = (L.product("bnc,chd->bhnd", W) for W in (Wq, Wk, Wv))
    score = (formulas_attention.scores(q.most, k.most, scale)).max(axis=(-1, -2), initial=0)[..., None, None]
    off = (formulas_attention.scores(q.off, k.most, scale) + formulas_attention.scores(q.most, k.off, scale)).max(
        axis=(-1, -2), initial=0)[..., None, None] + 4 * score
    most = v.most.max(axis=-2, keepdims=True, initial=0) + 0 * v.most
    mean = _Off(most, (2 * off + 4) * most + v.off.max(axis=-2, keepdims=True, initial=0))
    Z = _Off(X) + mean.product("bhnd,hdc->bnc", Wo)
    hidden = (Z.norm(gamma2, beta2, epsilon).product("bnc,cf->bnf", W1) + _Off(b1)).gelu()
    return (Z + hidden.product("bnf,fc->bnc", W2) + _Off(b2)).off


_ONES = lambda **a: 1
TABLE = {
    # softmax.tc, norm.tc
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
    # networks.tc
    "dense": Formula("X[B,I] W[I,O] bias[O] -> Y[B,O]", lambda X, W, bias, **_: np.maximum(X @ W + bias, 0), "I",
                     varied=False),
    "mlp": Formula("X[B,I] W1[I,H] b1[H] W2[H,O] b2[O] -> Y[B,O]", _mlp, "I + H"),
    # gelu is off by 1.2 times what its argument is, and by 4 units of it.
    "dense_gelu_residual": Formula("X[B,I] W[I,O] bias[O] R[B,O] -> Y[B,O]", _gelu_residual, "I", exact=False, roundings=12,
                                   weight=lambda X, W, bias, R, **_: R + 4 * (X @ W + bias)),
    "dense_dequantized": Formula("X[B,I] W[I,O] scale[O] -> Y[B,O]", lambda X, W, scale, **_: X @ (W * scale), "I",
                                 types={"X": "f32", "W": "i8", "scale": "f32", "Y": "f32"}),
    "dense_dequantized_groups": Formula("X[B,I] W[I,O] scale[G,O] -> Y[B,O]", _groups, "I", attributes=(("group", 1, 1, 5),),
                                        sizes=lambda s: {"G": -(-s["I"] // s["group"][0])},
                                        types={"X": "f32", "W": "i8", "scale": "f32", "Y": "f32"}),
    "dense_dequantized_rows": Formula("X[B,I] W[O,I] scale[O] -> Y[B,O]", lambda X, W, scale, **_: X @ (W * scale[:, None]).T, "I",
                                      types={"X": "f32", "W": "i8", "scale": "f32", "Y": "f32"}),
    # D / (D D + 1) follows D with 1 at most.
    "elementwise_chain": Formula("X[M,N] gain[N] shift[N] -> Y[M,N]", _chain, exact=False, roundings=10,
                                 weight=lambda X, gain, shift, **_: X + 2 * (X * gain + shift) + 1),
    "conv_norm_relu_pool": Formula(
        "I[N,IH,IW,C] K[KH,KW,C,F] mean[F] variance[F] gamma[F] beta[F] window[PH,PW] epsilon -> O[N,OH,OW,F]", _conv_norm_relu_pool,
        "KH * KW * C", exact=False, roundings=16, weight=_conv_norm_relu_pool_weight, scalars={"epsilon": 8},
        attributes=(("stride", 1, 1, 2), ("pool_stride", 1, 1, 3)), sizes=_conv_pool_sizes),
    "separable_conv": Formula("I[N,IH,IW,C] expand[C,E] K[KH,KW,E] project[E,F] -> O[N,OH,OW,F]", _separable, "C + KH * KW + E",
                              takes="floats", attributes=(("stride", 1, 1, 3),), sizes=_separable_sizes),
    "transformer_block": Formula(
        "X[B,N,C] gamma1[C] beta1[C] Wq[C,H,D] Wk[C,H,D] Wv[C,H,D] Wo[H,D,C] gamma2[C] beta2[C] W1[C,F] b1[F] W2[F,C] b2[C] "
        "scale epsilon -> Y[B,N,C]", _block, "C + N + H * D + F + 40", exact=False, weight=_block_weight,
        scalars={"scale": 0.25, "epsilon": 0.5}),
}
