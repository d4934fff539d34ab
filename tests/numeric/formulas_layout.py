# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""layout.tc."""

import numpy as np

from tests.numeric.formula import Formula


def _pad(A, B, value, low, **_):
    whole = np.full(B.shape, value, np.longdouble)
    rows, columns = slice(low[0], low[0] + A.shape[0]), slice(low[1], low[1] + A.shape[1])
    target = whole[rows, columns]
    target[...] = A[: target.shape[0], : target.shape[1]]
    return whole


def _fill_rng_2d(min, max, seed, O, **_):
    """Integers of 32 bits in NumPy wrap as those of C's unsigned do."""
    with np.errstate(all="ignore"):
        step = lambda x: (x * np.int32(1103515245) + np.int32(12345)).astype(np.int32)
        rows, columns = (np.arange(n, dtype=np.int32) for n in O.shape)
        bits = step(columns[None] + step(rows + np.int32(seed))[:, None])
    return (np.float64(2147483647) + bits) * ((np.float64(max) - min) * 2.3283064e-10) + min


def _packed(axes):
    """Padded to whole tiles, then its axes (rows of tiles, in a tile, columns of tiles, in a tile)
    put in another order."""

    def formula(A, P, padding, **s):
        whole = np.full((s["MO"] * s["MI"], s["NO"] * s["NI"]), padding, np.longdouble)
        whole[: A.shape[0], : A.shape[1]] = A
        return whole.reshape(s["MO"], s["MI"], s["NO"], s["NI"]).transpose(axes)

    return formula


def _unpacked(axes):
    def formula(P, A, **s):
        whole = P.transpose(axes).reshape(s["MO"] * s["MI"], s["NO"] * s["NI"])
        return whole[: A.shape[0], : A.shape[1]]

    return formula


def _matrix_sizes(s):
    """A matrix that leaves part of its last tiles free."""
    return {"M": s["MO"] * s["MI"] - s["MI"] // 2, "N": s["NO"] * s["NI"] - s["NI"] // 3}


_PACK = dict(roundings=0, sizes=_matrix_sizes)
TABLE = {
    "copy": Formula("A[M,N] -> B[M,N]", lambda A, **_: A, roundings=0),
    "transpose": Formula("A[M,N] -> B[N,M]", lambda A, **_: A.T, roundings=0),
    "transpose_nhwc_nchw": Formula("A[N,H,W,C] -> B[N,C,H,W]", lambda A, **_: A.transpose(0, 3, 1, 2), roundings=0),
    "broadcast": Formula("x[] -> B[M,N]", lambda x, B, **_: np.full_like(B, x), roundings=0, varied=False),
    "broadcast_rows": Formula("x[N] -> B[M,N]", lambda x, B, **_: np.broadcast_to(x, B.shape), roundings=0,
                              varied=False),
    "broadcast_columns": Formula("x[M] -> B[M,N]", lambda x, B, **_: np.broadcast_to(x[:, None], B.shape),
                                 roundings=0, varied=False),
    "fill": Formula("value -> B[M,N]", lambda value, B, **_: np.full_like(B, value), roundings=0, varied=False,
                    scalars={"value": 7}),
    "fill_rng_2d": Formula("min max seed -> O[M,N]", _fill_rng_2d, roundings=1, exact=False,
                           types={"min": "f64", "max": "f64", "seed": "i32"},
                           scalars={"min": 2.25, "max": 93.5, "seed": 4242}),
    "iota": Formula("start step -> x[N]", lambda start, step, x, **_: start + step * np.arange(len(x)), roundings=0,
                    types={"start": "i64", "step": "i64", "x": "i64"}, scalars={"start": -5, "step": 3}),
    "reverse": Formula("x[N] -> y[N]", lambda x, **_: x[::-1], roundings=0),
    "slice_2d": Formula("A[H,W] -> B[M,N]",
                        lambda A, B, offsets, strides, **_: A[offsets[0] :: strides[0], offsets[1] :: strides[1]][
                            : B.shape[0], : B.shape[1]], roundings=0,
                        attributes=(("offsets", 2, 0, 3), ("strides", 2, 1, 3)),
                        sizes=lambda s: {"H": max((s["M"] - 1) * s["strides"][0] + s["offsets"][0] + 1, 0),
                                         "W": max((s["N"] - 1) * s["strides"][1] + s["offsets"][1] + 3, 0)}),
    "pad_2d": Formula("A[H,W] value -> B[M,N]", _pad, roundings=0, varied=False, attributes=(("low", 2, 0, 3),),
                      scalars={"value": 9}),
    "pack": Formula("A[M,N] padding -> P[MO,NO,MI,NI]", _packed((0, 2, 1, 3)), scalars={"padding": 9}, **_PACK),
    "pack_transposed_outer": Formula("A[M,N] padding -> P[NO,MO,MI,NI]", _packed((2, 0, 1, 3)),
                                     scalars={"padding": 13}, **_PACK),
    "pack_transposed": Formula("A[M,N] padding -> P[NO,MO,NI,MI]", _packed((2, 0, 3, 1)), scalars={"padding": 0},
                               **_PACK),
    "unpack": Formula("P[MO,NO,MI,NI] -> A[M,N]", _unpacked((0, 2, 1, 3)), **_PACK),
    "unpack_transposed_outer": Formula("P[NO,MO,MI,NI] -> A[M,N]", _unpacked((1, 2, 0, 3)), **_PACK),
}
