# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""matmul.tc, batch_matmul.tc, matvec.tc: products, each added to what its output held."""

import numpy as np

from tests.numeric.formula import Formula


def _sum(signature, subscripts, k="K", types=None):
    """A sum of products in the notation of numpy.einsum. `types`: of all inputs and of the output;
    by default the inputs' is T, the output's U."""
    entry = Formula(signature, None, k)
    inputs, (output,) = ([name for name, _ in part] for part in entry.parts)
    entry.formula = lambda **a: a[output] + np.einsum(subscripts, *[a[name] for name in inputs])
    entry.types = {**{name: types[0] for name in inputs}, output: types[1]} if types else {output: "U"}
    return entry


def _integer_variants(name, signature, subscripts):
    return {f"{name}_{kind}_{kind}_i32": _sum(signature, subscripts, types=(kind, "i32"))
            for kind in ("i8", "i16", "i32")}


_MATMUL = "A[M,K] B[K,N] -> C[M,N]"
_BATCH = "A[B,M,K] W[B,K,N] -> C[B,M,N]"
TABLE = {
    # matmul.tc
    "matmul": _sum(_MATMUL, "mk,kn->mn"),
    "matmul_transpose_a": _sum("A[K,M] B[K,N] -> C[M,N]", "km,kn->mn"),
    "matmul_transpose_b": _sum("A[M,K] B[N,K] -> C[M,N]", "mk,nk->mn"),
    "matmul_column_major": _sum("A[K,M] B[N,K] -> C[N,M]", "km,nk->nm"),
    **_integer_variants("matmul", _MATMUL, "mk,kn->mn"),
    "matmul_f16_f16_f32": _sum(_MATMUL, "mk,kn->mn", types=("f16", "f32")),
    "matmul_bf16_bf16_f32": _sum(_MATMUL, "mk,kn->mn", types=("bf16", "f32")),
    "matmul_unsigned": Formula(_MATMUL, lambda A, B, C, **_: C + (A % 256) @ (B % 256), "K",
                               types={"A": "i8", "B": "i8", "C": "i32"}),
    "quantized_matmul": Formula("A[M,K] B[K,N] AZp BZp -> C[M,N]",
                                lambda A, B, AZp, BZp, C, **_: C + (A - AZp) @ (B - BZp), "K",
                                types={"A": "i8", "B": "i8", "C": "i32", "AZp": "i32", "BZp": "i32"},
                                scalars={"AZp": -7, "BZp": 100}),
    "mmt4d": _sum("A[M,K,M0,K0] B[N,K,N0,K0] -> C[M,N,M0,N0]", "mkac,nkbc->mnab", "K * K0"),
    "gemm": Formula("alpha A[M,K] B[K,N] beta -> C[M,N]",
                    lambda A, B, C, alpha, beta, **_: alpha * (A @ B) + beta * C, "K",
                    scalars={"alpha": 2, "beta": 3}),
    "squared_distances": Formula("A[M,K] B[N,K] -> D[M,N]",
                                 lambda A, B, **_: ((A[:, None] - B[None]) ** 2).sum(axis=2), "K",
                                 weight=lambda A, B, **_: ((A[:, None] + B[None]) ** 2).sum(axis=2)),
    # batch_matmul.tc
    "batch_matmul": _sum(_BATCH, "bmk,bkn->bmn"),
    "batch_matmul_transpose_a": _sum("A[B,K,M] W[B,K,N] -> C[B,M,N]", "bkm,bkn->bmn"),
    "batch_matmul_transpose_b": _sum("A[B,M,K] W[B,N,K] -> C[B,M,N]", "bmk,bnk->bmn"),
    **_integer_variants("batch_matmul", _BATCH, "bmk,bkn->bmn"),
    "quantized_batch_matmul": Formula("A[B,M,K] W[B,K,N] AZp WZp -> C[B,M,N]",
                                      lambda A, W, AZp, WZp, C, **_: C + (A - AZp) @ (W - WZp), "K",
                                      types={"A": "i8", "W": "i8", "C": "i32", "AZp": "i32", "WZp": "i32"},
                                      scalars={"AZp": 11, "WZp": -128}),
    "batch_reduce_matmul": _sum("A[B,M,K] W[B,K,N] -> C[M,N]", "bmk,bkn->mn", "B * K"),
    "batch_mmt4d": _sum("A[B,M,K,M0,K0] W[B,N,K,N0,K0] -> C[B,M,N,M0,N0]", "zmkac,znkbc->zmnab", "K * K0"),
    "batch_matvec": _sum("A[B,M,K] x[B,K] -> y[B,M]", "bmk,bk->bm"),
    "batch_vecmat": _sum("x[B,K] A[B,K,N] -> y[B,N]", "bk,bkn->bn"),
    "batch_matmul_shared": _sum("A[B,M,K] W[K,N] -> C[B,M,N]", "bmk,kn->bmn"),
    "attention_scores": _sum("Q[B,S,H,D] X[B,L,H,D] -> Y[B,H,S,L]", "bshd,blhd->bhsl", "D"),
    # matvec.tc
    "matvec": _sum("A[M,K] x[K] -> y[M]", "mk,k->m"),
    **_integer_variants("matvec", "A[M,K] x[K] -> y[M]", "mk,k->m"),
    "vecmat": _sum("x[K] A[K,N] -> y[N]", "k,kn->n"),
    **_integer_variants("vecmat", "x[K] A[K,N] -> y[N]", "k,kn->n"),
    "dot": _sum("x[K] y[K] -> r[]", "k,k->"),
    **_integer_variants("dot", "x[K] y[K] -> r[]", "k,k->"),
    "vecvec": Formula("x[K] y[K] -> r[1]", lambda x, y, r, **_: r + (x * y).sum(), "K",
                      types={"x": "f32", "y": "f32", "r": "f32"}),
    "outer": _sum("x[M] y[N] -> A[M,N]", "m,n->mn", "1"),
}
