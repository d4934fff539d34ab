# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""winograd.tc: the matrices of Lavin and Gray (2015), and for F(2, 5) those of the same points."""

from fractions import Fraction

import numpy as np

from tests.numeric.formula import Formula


def _rational(text):
    return [[Fraction(n) for n in row.split()] for row in text.split(";")]


_BT6 = "4 0 -5 0 1 0; 0 -4 -4 1 1 0; 0 4 -4 -1 1 0; 0 -2 -1 2 1 0; 0 2 -1 -2 1 0; 0 4 0 -5 0 1"
# (m, r): G, B^T, A^T
MATRICES = {key: [_rational(text) for text in texts] for key, texts in {
    (2, 3): ("1 0 0; 1/2 1/2 1/2; 1/2 -1/2 1/2; 0 0 1",
             "1 0 -1 0; 0 1 1 0; 0 -1 1 0; 0 1 0 -1",
             "1 1 1 0; 0 1 -1 -1"),
    (4, 3): ("1/4 0 0; -1/6 -1/6 -1/6; -1/6 1/6 -1/6; 1/24 1/12 1/6; 1/24 -1/12 1/6; 0 0 1",
             _BT6,
             "1 1 1 1 1 0; 0 1 -1 2 -2 0; 0 1 1 4 4 0; 0 1 -1 8 -8 1"),
    (2, 5): ("1/4 0 0 0 0; -1/6 -1/6 -1/6 -1/6 -1/6; -1/6 1/6 -1/6 1/6 -1/6; 1/24 1/12 1/6 1/3 2/3;"
             "1/24 -1/12 1/6 -1/3 2/3; 0 0 0 0 1",
             _BT6,
             "1 1 1 1 1 0; 0 1 -1 2 -2 1"),
}.items()}


def identity_fault(m, r):
    """A^T ((G g) . (B^T d)) is linear in g and d, so it is their correlation if it is for each pair of
    unit vectors; checked in rational numbers."""
    g, bt, at = MATRICES[m, r]
    for k in range(r):
        for d in range(m + r - 1):
            got = [sum(a * row[k] * b[d] for a, row, b in zip(line, g, bt)) for line in at]
            if got != [int(d == o + k) for o in range(m)]:
                return f"F({m}, {r}): tap {k} on element {d} gives {got}"
    return None


def _numbers(matrix):
    return np.array([[np.longdouble(n.numerator) / n.denominator for n in row] for row in matrix])


def _both_sides(matrix, x):
    """matrix x matrix^T in the first two dimensions of x."""
    return np.einsum("jl,il...->ij...", matrix, np.einsum("ik,kl...->il...", matrix, x))


def _filter(G, K, **_):
    return _both_sides(G, K.transpose(1, 2, 3, 0))


def _input(BT, I, V, m, **_):
    """Tiles begin m apart; around the image is 0."""
    e, (th, tw), (n, h, w, c) = len(BT), V.shape[2:4], I.shape
    whole = np.zeros((n, th * m + e + h, tw * m + e + w, c), I.dtype)
    whole[:, :h, :w] = I
    at = lambda count, offset: np.arange(count) * m + offset
    tiles = [[whole[:, at(th, k)][:, :, at(tw, l)].transpose(1, 2, 0, 3) for l in range(e)] for k in range(e)]
    return _both_sides(BT, np.array(tiles))


def _output(AT, X, O, **_):
    m, (th, tw, n, f) = len(AT), X.shape[2:]
    whole = _both_sides(AT, X).transpose(4, 2, 0, 3, 1, 5).reshape(n, th * m, tw * m, f)
    return whole[:, : O.shape[1], : O.shape[2]]


def _image(names, extent):
    """Sizes of a few tiles and of their image: `names` of its height and width, `extent(s)`: m,
    and how many rows and columns it has beyond m for each tile."""

    def sizes(s):
        few = {"N": s["N"] % 2 + 1, "TH": s["TH"] % 3 + 1, "TW": s["TW"] % 3 + 1, "E": s.get("E", 0) % 6 + 1}
        m, rows, columns = extent({**s, **few})
        return {**few, names[0]: few["TH"] * m + rows, names[1]: few["TW"] * m + columns}

    return sizes


def _entries(m, r):
    """The three defs that have their matrices built in."""
    e, g, bt, at = m + r - 1, *[_numbers(matrix) for matrix in MATRICES[m, r]]

    def of(function, matrix):
        return dict(formula=lambda **a: function(matrix, m=m, **a), roundings=24,
                    weight=lambda **a: function(np.abs(matrix), m=m, **a))

    return {
        f"winograd_filter_transform_f{m}_{r}": Formula(
            f"K[F,{r},{r},C] -> U[{e},{e},C,F]", exact=False, **of(_filter, g)),
        f"winograd_input_transform_f{m}_{r}": Formula(
            f"I[N,H,W,C] -> V[{e},{e},TH,TW,N,C]", **of(_input, bt),
            sizes=_image(("H", "W"), lambda s: (m, r - 2, r))),
        f"winograd_output_transform_f{m}_{r}": Formula(
            f"X[{e},{e},TH,TW,N,F] -> O[N,OH,OW,F]", **of(_output, at),
            sizes=_image(("OH", "OW"), lambda s: (m, 1 - m, 0))),
    }


TABLE = {
    "winograd_filter_transform": Formula("G[E,R] K[F,R,R,C] -> U[E,E,C,F]", _filter, "2 * R"),
    "winograd_input_transform": Formula("BT[E,E] I[N,H,W,C] m -> V[E,E,TH,TW,N,C]", _input, "2 * E",
                                        types={"m": "i64"}, scalars={"m": 2},
                                        sizes=_image(("H", "W"), lambda s: (2, s["E"] - 3, s["E"]))),
    "winograd_output_transform": Formula("AT[M,E] X[E,E,TH,TW,N,F] -> O[N,OH,OW,F]", _output, "2 * E",
                                         sizes=_image(("OH", "OW"), lambda s: (s["M"], -(s["M"] // 2), 0))),
    **{name: entry for m, r in MATRICES for name, entry in _entries(m, r).items()},
}
