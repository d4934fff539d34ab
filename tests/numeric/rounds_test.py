# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Ops that are done in rounds, a bound of which changes from one to the next, compute what NumPy does.

Attention with a scale, a cap, a bias, masks, grouped queries; the logarithm of a sum of powers. With sizes around tiles and rounds,
with small tiles that a schedule gives, on threads, in parts that threads share, and in the written order, where there are no rounds.

Errors: a score is a sum of D products, and has the error of one. A power has, relatively, the error of its score, that of its
exponent's last bit, which is as large as the exponent's, and some bits of its own; factors between bounds have these together once,
as their exponents add up to the distance of the first bound and the last, and some bits a round; from a part's bound to that of all it
is one round more, of which there are fewer in a part than in all. Sums add a bit a term. A quotient
of two such sums has twice that.
"""

import numpy as np

from tests.numeric import einc_tool

_EPS = np.finfo(np.float32).eps
_SIGNATURE = "def f(Q: f32(H, M, D), K: f32(H, N, D), V: f32(H, N, E), B: f32(M, N), scale: f32) -> (O: f32(H, M, E)) { S(h, m, n) +=! Q(h, m, d) * K(h, n, d); "
_REST = ("L(h, m) max=! P(h, m, n); X(h, m, n) = exp(P(h, m, n) - L(h, m)); T(h, m) +=! X(h, m, n); "
         "U(h, m, e) +=! X(h, m, n) * V(h, n, e); O(h, m, e) = U(h, m, e) / T(h, m); }")


def attention(score):
    return _SIGNATURE + f"P(h, m, n) = {score}; " + _REST


def weights(scores, bits):
    """Shares of powers, and their relative errors."""
    with np.errstate(invalid="ignore"):
        away = scores - scores.max(-1, keepdims=True)
        powers = np.exp(away)
        finite = np.where(np.isfinite(away), np.abs(away), 0)
    n = scores.shape[-1]
    relative = bits.max(-1, keepdims=True) + _EPS * (2 * finite.max(-1, keepdims=True) + 4 * n + 16)
    return powers, 2 * relative


def scored(Q, K, times):
    exact = np.einsum("hmd,hnd->hmn", Q, K) * times
    return exact, np.abs(times) * (Q.shape[-1] + 3) * _EPS * np.einsum("hmd,hnd->hmn", np.abs(Q), np.abs(K))


def attended(scores, bits, V):
    powers, relative = weights(scores, bits)
    with np.errstate(invalid="ignore"):
        total = powers.sum(-1, keepdims=True)
        want = np.einsum("hmn,hne->hme", powers / total, V)
        return want, 2 * relative * np.einsum("hmn,hne->hme", powers / total, np.abs(V))


def capped(Q, K, V, B, scale):
    scores, bits = scored(Q, K, 1)
    return attended(scale * np.tanh(scores / scale), bits + 8 * _EPS * np.abs(scale), V)


def masked(hides, times=1):
    def formula(Q, K, V, B, scale):
        scores, bits = scored(Q, K, times)
        m, n = np.ogrid[: Q.shape[1], : K.shape[1]]
        return attended(np.where(hides(m, n), -np.inf, scores), bits, V)

    return formula


def strictly(Q, K, V, B, scale):
    """Of the first row there is nothing: the logarithm of 0."""
    scores, bits = scored(Q, K, 1)
    m, n = np.ogrid[: Q.shape[1], : K.shape[1]]
    largest = np.where(n < m, scores, -np.inf).max(-1, keepdims=True)
    powers, relative = weights(np.where(n < m, scores, -1e4), bits)
    with np.errstate(invalid="ignore", divide="ignore"):
        total = np.where(n < m, np.exp(scores - largest), 0).sum(-1)
        want = largest[..., 0] + np.log(total)
    return want, np.where(np.isfinite(want), relative[..., 0] + 4 * _EPS * np.abs(want), 0)


def projected(Q, K, V, B, scale):
    """Keys are products themselves, of which none is made again for each tile of queries."""
    scores, _ = scored(Q, K * V.sum(-1, keepdims=True), 1)
    size = np.einsum("hmd,hnd->hmn", np.abs(Q), np.abs(K) * np.abs(V).sum(-1, keepdims=True))
    return attended(scores, (Q.shape[-1] + V.shape[-1] + 6) * _EPS * size, V)


def biased(Q, K, V, B, scale):
    scores, bits = scored(Q, K, scale)
    return attended(scores + B, bits + 2 * _EPS * (np.abs(scores) + np.abs(B)), V)


def grouped(Q, K, V, B, scale):
    groups = [attended(*scored(Q[:, r], K, 1), V) for r in range(Q.shape[1])]
    return np.stack([g[0] for g in groups], 1), np.stack([g[1] for g in groups], 1)


def logarithm(Q, K, V, B, scale):
    scores, bits = scored(Q, K, 1)
    powers, relative = weights(scores, bits)
    want = scores.max(-1) + np.log(powers.sum(-1))
    return want, relative[..., 0] + 4 * _EPS * np.abs(want)


DEFS = {
    "plain": (attention("S(h, m, n)"), lambda Q, K, V, B, scale: attended(*scored(Q, K, 1), V)),
    "scaled": (attention("S(h, m, n) * scale"), lambda Q, K, V, B, scale: attended(*scored(Q, K, scale), V)),
    "biased": (attention("S(h, m, n) * scale + B(m, n)"), biased),
    "capped": (attention("scale * tanh(S(h, m, n) / scale)"), capped),
    "causal": (attention("index(n) <= index(m) ? S(h, m, n) : -inf"), masked(lambda m, n: n > m)),
    "window": (attention("index(n) <= index(m) && index(m) < index(n) + 5 ? S(h, m, n) : -inf"), masked(lambda m, n: (n > m) | (m >= n + 5))),
    "late": (attention("index(m) < index(n) ? S(h, m, n) : -inf"), masked(lambda m, n: m >= n)),  # of the last rows nothing is left
    "triangle": (
        _SIGNATURE.replace(" * K(h, n, d);", " * K(h, n, d) where n <= m;") + "P(h, m, n) = S(h, m, n) * scale; L(h, m) max=! P(h, m, n) where n <= m; "
        "X(h, m, n) = exp(P(h, m, n) - L(h, m)) where n <= m; T(h, m) +=! X(h, m, n) where n <= m; "
        "U(h, m, e) +=! X(h, m, n) * V(h, n, e) where n <= m; O(h, m, e) = U(h, m, e) / T(h, m); }",
        lambda Q, K, V, B, scale: masked(lambda m, n: n > m, scale)(Q, K, V, B, scale)),
    "strictly": (
        "def f(Q: f32(H, M, D), K: f32(H, N, D), V: f32(H, N, E), B: f32(M, N), scale: f32) -> (O: f32(H, M)) { "
        "S(h, m, n) +=! Q(h, m, d) * K(h, n, d); L(h, m) max=! S(h, m, n) where n < m; X(h, m, n) = exp(S(h, m, n) - L(h, m)) where n < m; "
        "T(h, m) +=! X(h, m, n) where n < m; O(h, m) = L(h, m) + log(T(h, m)); }", strictly),
    "below": (
        _SIGNATURE + "L(h, m) max=! S(h, m, n); X(h, m, n) = exp((S(h, m, n) - L(h, m)) * scale); T(h, m) +=! X(h, m, n); "
        "U(h, m, e) +=! X(h, m, n) * V(h, n, e); O(h, m, e) = U(h, m, e) / T(h, m); }",
        lambda Q, K, V, B, scale: attended(*scored(Q, K, scale), V)),
    "least": (
        _SIGNATURE + "L(h, m) min=! S(h, m, n); X(h, m, n) = exp(L(h, m) - S(h, m, n)); T(h, m) +=! X(h, m, n); "
        "U(h, m, e) +=! X(h, m, n) * V(h, n, e); O(h, m, e) = U(h, m, e) / T(h, m); }",
        lambda Q, K, V, B, scale: attended(*scored(-Q, K, 1), V)),
    "twice": (  # not in rounds: what is added up is corrected once
        _SIGNATURE + "L(h, m) max=! S(h, m, n); X(h, m, n) = exp(S(h, m, n) - L(h, m)); T(h, m) +=! X(h, m, n); T(h, m) += X(h, m, n); "
        "U(h, m, e) +=! X(h, m, n) * V(h, n, e); U(h, m, e) += X(h, m, n) * V(h, n, e); O(h, m, e) = U(h, m, e) / T(h, m); }",
        lambda Q, K, V, B, scale: attended(*scored(Q, K, 1), V)),
    "projected": (
        "def f(Q: f32(H, M, D), K: f32(H, N, D), V: f32(H, N, E), B: f32(M, N), scale: f32) -> (O: f32(H, M, E)) { G(h, n, d) +=! K(h, n, d) * V(h, n, e); "
        "S(h, m, n) +=! Q(h, m, d) * G(h, n, d); P(h, m, n) = S(h, m, n); " + _REST, projected),
    "grouped": (
        "def f(Q: f32(H, R, M, D), K: f32(H, N, D), V: f32(H, N, E), B: f32(M, N), scale: f32) -> (O: f32(H, R, M, E)) { "
        "S(h, r, m, n) +=! Q(h, r, m, d) * K(h, n, d); L(h, r, m) max=! S(h, r, m, n); X(h, r, m, n) = exp(S(h, r, m, n) - L(h, r, m)); "
        "T(h, r, m) +=! X(h, r, m, n); U(h, r, m, e) +=! X(h, r, m, n) * V(h, n, e); O(h, r, m, e) = U(h, r, m, e) / T(h, r, m); }", grouped),
    "logarithm": (
        "def f(Q: f32(H, M, D), K: f32(H, N, D), V: f32(H, N, E), B: f32(M, N), scale: f32) -> (O: f32(H, M)) { "
        "S(h, m, n) +=! Q(h, m, d) * K(h, n, d); L(h, m) max=! S(h, m, n); X(h, m, n) = exp(S(h, m, n) - L(h, m)); "
        "T(h, m) +=! X(h, m, n); O(h, m) = L(h, m) + log(T(h, m)); }", logarithm),
}
# The number of the last op of those in rounds. In some what is left of scores is computed once.
_LAST = {"plain": 9, "scaled": 9, "below": 9, "grouped": 9, "triangle": 9, "logarithm": 6, "strictly": 6,
         "biased": 10, "capped": 10, "causal": 10, "window": 10, "late": 10}


_MANY = 500  # threads, more than there are tiles: so rounds are in parts


def case(folder, name, sizes, engine, flags, tiles, rng):
    spec, formula = DEFS[name]
    (folder / "f.tc").write_text(spec)
    arrays = {
        "Q": rng.standard_normal([sizes[i] for i in ("HRMD" if name == "grouped" else "HMD")]),
        "K": rng.standard_normal([sizes[i] for i in "HND"]),
        "V": rng.standard_normal([sizes[i] for i in "HNE"]),
        "B": rng.standard_normal([sizes[i] for i in "MN"]),
    }
    args = ["eval", folder / "f.tc", f"--engine={engine}", "--attr", "scale=0.375", *flags, "--out", f"O={folder}/O.npy"]
    for tensor, array in arrays.items():
        arrays[tensor] = array.astype(np.float32)
        np.save(folder / f"{tensor}.npy", arrays[tensor])
        args += ["--in", f"{tensor}={folder}/{tensor}.npy"]
    if tiles and name in _LAST:
        (folder / "s.schedule").write_text(f'einc_schedule 1\nschedule @f for "{tiles[0]}" {{\n  rounds 0 to {_LAST[name]} '
                                           f"{{ tile m by {tiles[1]} tile n by {tiles[2]} {in_parts(tiles[0], tiles[3:])}}}\n}}\n")
        args.append(f"--schedule={folder}/s.schedule")
    result = einc_tool.run(*args)
    if result.returncode:
        return f"{einc_tool.command_line(*args)}\nexit code {result.returncode}: {result.stderr}"
    want, error = formula(*(arrays[t].astype(np.float64) for t in "QKVB"), 0.375)
    got = np.load(folder / "O.npy")
    with np.errstate(invalid="ignore"):
        bad = np.argwhere(~((np.abs(got - want) <= error + 1e-37) | (got == want) | (np.isnan(got) & np.isnan(want))))
    if len(bad):
        where = tuple(bad[0])
        return f"{len(bad)} wrong, at {where} {got[where]}, not {want[where]} +- {error[where]}\n{einc_tool.command_line(*args)}"
    return None


def in_parts(target, width):
    who = "workgroups" if target.startswith("vulkan") else "threads (1)"
    return f"tile n by {width[0]} on {who} " if width else ""


_WIDTH = 4  # of a part below


def decoded(folder, engine, keys, threads, width, rng, target="x86-64-v3"):
    """One query on some of the keys of each sequence: lengths around parts, and parts without a number, with NaN, or with -inf alone."""
    lengths = [n for n in (0, 1, 2, width - 1, width, width + 1, 2 * width, keys - 1, keys) if 0 <= n <= keys]
    B, G, R, D, E = len(lengths), 2, int(rng.choice([1, 3])), 3, 5
    Q, K, V = (rng.standard_normal(shape).astype(np.float32) for shape in ((B, G, R, D), (B, G, keys, D), (B, G, keys, E)))
    Q = np.abs(Q) + 1
    K[:, 1, :width] = -np.inf  # of the first part nothing is left
    K[B - 1, 0, keys // 2] = np.nan
    K[B // 2, 0, keys // 2] = np.inf
    args = ["eval", einc_tool.find("specs/attention.tc"), "--def=attention_decode", f"--engine={engine}", "--attr", "scale=0.375", f"--target={target}",
            *([f"--threads={threads}"] if threads else []), "--out", f"O={folder}/O.npy"]
    for name, array in {"Q": Q, "K": K, "V": V, "length": np.array(lengths, np.int64)}.items():
        np.save(folder / f"{name}.npy", array)
        args += ["--in", f"{name}={folder}/{name}.npy"]
    if width == _WIDTH:
        (folder / "s.schedule").write_text(f'einc_schedule 1\nschedule @attention_decode for "{target}" {{\n  rounds 0 to 10 '
                                           f"{{ tile r by 2 {in_parts(target, [width])} tile n by 3 }}\n}}\n")
        args.append(f"--schedule={folder}/s.schedule")
    result = einc_tool.run(*args)
    if result.returncode:
        return f"{einc_tool.command_line(*args)}\nexit code {result.returncode}: {result.stderr}"
    got = np.load(folder / "O.npy")
    with np.errstate(all="ignore"):
        Q, K, V = (a.astype(np.float64) for a in (Q, K, V))
        each = Q[:, :, :, None] * K[:, :, None]
        scores = np.where(np.arange(keys) < np.array(lengths)[:, None, None, None], each.sum(-1) * 0.375, -np.inf)
        bits = np.where(np.isfinite(scores), 0.375 * (D + 3) * _EPS * np.abs(each).sum(-1), 0)
        powers, relative = weights(scores, bits)
        shares = (powers / powers.sum(-1, keepdims=True))
        want = np.einsum("bgrn,bgne->bgre", shares, V)
        error = 2 * relative * np.einsum("bgrn,bgne->bgre", shares, np.abs(V))
        bad = np.argwhere(~((np.abs(got - want) <= error + 1e-37) | (np.isnan(got) & np.isnan(want))))
    if len(bad):
        where = tuple(bad[0])
        return f"{len(bad)} wrong, at {where} {got[where]}, not {want[where]} +- {error[where]}\n{einc_tool.command_line(*args)}"
    return None


def nothing(folder):
    (folder / "f.tc").write_text(DEFS["logarithm"][0])
    args = ["eval", folder / "f.tc", "--engine=native", "--attr", "scale=1", "--out", f"O={folder}/O.npy"]
    for tensor, shape in {"Q": (2, 130, 4), "K": (2, 0, 4), "V": (2, 0, 3), "B": (130, 0)}.items():
        np.save(folder / f"{tensor}.npy", np.ones(shape, np.float32))
        args += ["--in", f"{tensor}={folder}/{tensor}.npy"]
    einc_tool.must(einc_tool.run(*args))
    got = np.load(folder / "O.npy")
    return None if (got == -np.inf).all() else f"{got[0, 0]}, not -inf"


def stood_in(folder, engine, choice, keys, tiles, threads=1):
    """The logarithm of a sum whose largest number is replaced where it is infinite: rows with each kind of number, and each in the first round or behind."""
    (folder / "f.tc").write_text(
        "def f(X: f32(M, N)) -> (y: f32(M)) { L(m) max=! X(m, n); " + f"C(m) = {choice}; "
        "T(m) +=! exp(X(m, n) - C(m)); y(m) = log(T(m)) + C(m); }")  # fmt: skip
    rows = np.random.default_rng(keys).standard_normal((9, keys))
    rows[1:4] = [[-np.inf], [-300], [-np.inf]]
    rows[3, -1] = rows[4, 0] = -250  # the first number, at the end; and what the others are far above
    rows[5, keys // 2], rows[6, 0], rows[7, -1] = np.inf, np.inf, np.nan
    rows[8] = 80
    np.save(folder / "X.npy", rows.astype(np.float32))
    (folder / "s.schedule").write_text('einc_schedule 1\nschedule @f for "x86-64-v3" {\n  rounds 0 to 5 '
                                       f'{{ tile m by {tiles[0]} tile n by {tiles[1]} {in_parts("x86-64-v3", tiles[2:])}}}\n}}\n')
    args = ["eval", folder / "f.tc", f"--engine={engine}", "--target=x86-64-v3", f"--threads={threads}", f"--schedule={folder}/s.schedule",
            "--in", f"X={folder}/X.npy", "--out", f"y={folder}/y.npy"]  # fmt: skip
    einc_tool.must(einc_tool.run(*args))
    got, rows = np.load(folder / "y.npy"), rows.astype(np.float32).astype(np.float64)
    with np.errstate(all="ignore"):
        largest = rows.max(-1)
        stands = np.where(np.abs(largest) < np.inf, largest, 0)
        want = np.log(np.exp(rows - stands[:, None]).sum(-1)) + stands
        error = (8 + 3 * keys) * _EPS * np.maximum(np.abs(want), 1)  # of each exponent and round, and of the sum
        bad = np.argwhere(~((np.abs(got - want) <= error) | (got == want) | (np.isnan(got) & np.isnan(want))))
    return f"{got} is not {want}" if len(bad) else None


def main():
    cases = einc_tool.Cases()
    folder = einc_tool.scratch()
    rng = np.random.default_rng(20261130)

    def run(name, sizes, engine, flags, tiles=None):
        cases.run(f"{name} {engine} {sizes} {flags} {tiles}", case, folder, name, sizes, engine, flags, tiles, rng)

    small = [1, 2, 3, 5, 8, 9, 17]
    for name in DEFS:
        for engine in ("tiled", "hw", "native"):  # small tiles
            target = str(rng.choice(["x86-64-v3", "x86-64-v4"])) if engine != "native" else "x86-64-v3"
            sizes = {i: int(rng.choice(small)) for i in "HRMNDE"}
            run(name, sizes, engine, [f"--target={target}"], (target, int(rng.integers(1, 6)), int(rng.integers(1, 6))))
        # Around the model's tiles, and one row, which is no tile.
        sizes = {i: int(rng.choice(small)) for i in "HRDE"}
        for m, n in [(63, 97), (65, 191), (129, 97), (1, 600), (1, 513), (2, 385), (int(rng.integers(130, 300)), int(rng.integers(200, 700)))]:
            run(name, {**sizes, "M": m, "N": n}, "native", [f"--threads={rng.integers(1, 4)}"])
        run(name, {**sizes, "M": 65, "N": 191}, "native", ["--lib=cblas"])  # products of tiles are calls
        # In parts: small ones, and around those of the model.
        for engine in ("tiled", "hw"):
            sizes = {i: int(rng.choice(small)) for i in "HRMNDE"}
            run(name, sizes, engine, ["--target=x86-64-v3", f"--threads={_MANY}"], ("x86-64-v3", *(int(rng.integers(1, 6)) for _ in range(3))))
        n = int(rng.choice([2047, 2048, 2049, 3071, 3073, 4100]))
        run(name, {"H": 1, "R": 1, "M": int(rng.choice([1, 2, 5])), "N": n, "D": 5, "E": 3}, "native", ["--threads=8"])
        sizes = {i: int(rng.choice(small)) for i in "HRDE"}
        run(name, {**sizes, "M": 20, "N": 30}, "native", ["--fp=strict"])
        run(name, {**sizes, "M": 20, "N": 1}, "native", [])
    for engine in ("tiled", "hw", "native"):
        for keys in (1, 7, 8, 9, 13):
            cases.run(f"decoded {engine} {keys}", decoded, folder, engine, keys, _MANY, _WIDTH, rng)
    for keys in (2047, 2048, 2049, 5000):
        cases.run(f"decoded {keys}", decoded, folder, "native", keys, _MANY, 1024, rng)
    for engine in ("tiled", "hw", "native"):
        for choice in ("select(abs(L(m)) < inf, L(m), 0)", "select(inf <= abs(L(m)), 3, L(m))"):
            for keys, tile in ((1, 1), (5, 2), (9, 4), (17, 3)):
                cases.run(f"stood in {engine} {choice} {keys} {tile}", stood_in, folder, engine, choice, keys, (2, tile))
                cases.run(f"stood in, in parts {engine} {choice} {keys} {tile}", stood_in, folder, engine, choice, keys, (1, tile, 2 * tile), _MANY)
    # No key: the largest of nothing, and the logarithm of no sum.
    cases.run("no key", nothing, folder)
    cases.finish()


if __name__ == "__main__":
    main()
