# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Sums of powers of distances from a mean, or from the largest number, done in one pass, are what NumPy computes in two; and so are
sums of exponentials of rows of an input.

Rows of an input, a whole input, and products that are rows; with small tiles, in parts
that threads share, and of more elements than a cache holds.

Errors: let c be the centre in the end, and R how far the numbers of a row lie apart. Each centre on the way is a mean, or the
largest, of some of them, so a distance from it is at most |x - c| + R, and what moves a sum of powers p from there is at most as large
as the sum of (|x - c| + 2R)^p. Of N terms, in as many rounds or fewer, each addition, product and move has an error of some units in
the last place of that. The centre itself has that of a sum of N numbers, which shifts each distance.
"""

import numpy as np

from tests.numeric import einc_tool, rounds_test

_ROWS = "def f(X: T(M, N), w: T(N)) -> (O: T(M), C: T(M)) {{ {} }}"
_MEAN = "S(m) +=! X(m, n); A(m) = S(m) / cast<T>(N); C(m) = A(m); "
# Of each def its text, the power, where the centre is, the weights of terms, and the last op in rounds.
DEFS = {
    "variance": (_ROWS.format(_MEAN + "Q(m) +=! square(X(m, n) - A(m)); O(m) = Q(m);"), 2, "mean", None, 6),
    "inline": (_ROWS.format("S(m) +=! X(m, n); Q(m) +=! square(X(m, n) - S(m) / cast<T>(N)); O(m) = Q(m); C(m) = S(m) / cast<T>(N);"), 2, "mean", None, 5),
    "kept": (_ROWS.format("S(m) +=! X(m, n); A(m) = S(m) / cast<T>(N); Q(m) +=! square(X(m, n) - A(m)); O(m) = Q(m); C(m) = Q(m) * 0 + A(m);"), 2, "mean", None, 6),
    "cubes": (_ROWS.format(_MEAN + "Q(m) +=! square(X(m, n) - A(m)) * (X(m, n) - A(m)); O(m) = Q(m);"), 3, "mean", None, 6),
    "fourths": (_ROWS.format(_MEAN + "Q(m) +=! square(square(X(m, n) - A(m))); O(m) = Q(m);"), 4, "mean", None, 6),
    "largest": (_ROWS.format("L(m) max=! X(m, n); C(m) = L(m); Q(m) +=! square(X(m, n) - L(m)); O(m) = Q(m);"), 2, "largest", None, 5),
    "least": (_ROWS.format("L(m) min=! X(m, n); C(m) = L(m); Q(m) +=! (X(m, n) - L(m)) * w(n); O(m) = Q(m);"), 1, "least", "w", 5),
    "products": (
        "def f(X: T(M, D), w: T(N, D)) -> (O: T(M), C: T(M)) {{ P(m, n) +=! X(m, d) * w(n, d); S(m) +=! P(m, n); A(m) = S(m) / cast<T>(N); "
        "Q(m) +=! square(P(m, n) - A(m)); O(m) = Q(m); C(m) = A(m); }}".format(), 2, "mean", None, 8),
    "scaled": (_ROWS.format("S(m) +=! square(X(m, n)); C(m) = rsqrt(S(m)); Q(m) +=! X(m, n) * rsqrt(S(m)) * w(n); O(m) = Q(m);"), 1, "norm", "w", 5),
    "all": ("def f(X: T(M, N), w: T(N)) -> (O: T(), C: T()) { S() +=! X(m, n); A() = S() / (cast<T>(N) * cast<T>(M)); Q() +=! square(X(m, n) - A()); O() = Q(); C() = A(); }",
            2, "all", None, 6),
}
# Of exponentials: the logarithm of their sum, the mean position, the mean of others that they weigh; 6 or 8 is the last op in rounds.
EXPONENTIALS = {
    "logarithm": (_ROWS.format("L(m) max=! X(m, n); W(m) +=! exp(X(m, n) - L(m)); O(m) = L(m) + log(W(m)); C(m) = L(m);"), 5),
    "position": (_ROWS.format("L(m) max=! X(m, n); W(m) +=! exp(X(m, n) - L(m)); Q(m) +=! exp(X(m, n) - L(m)) * cast<T>(index(n)); O(m) = Q(m) / W(m); C(m) = L(m);"), 7),
    "weighing": (_ROWS.format("L(m) max=! X(m, n); W(m) +=! exp(X(m, n) - L(m)); Q(m) +=! exp(X(m, n) - L(m)) * w(n); O(m) = Q(m) / W(m); C(m) = L(m);"), 7),
}
_TYPES = {"f32": np.float32, "f64": np.float64}


def weights_of(kind, X, w):
    if kind == "w":
        return np.broadcast_to(w, X.shape)
    return np.ones(X.shape)


def centre_of(kind, X):
    with np.errstate(all="ignore"):
        if kind in ("largest", "least"):
            return X.max(-1) if kind == "largest" else X.min(-1)
        if kind == "all":
            return X.mean(keepdims=True)[0]
        if kind == "norm":
            return 1 / np.sqrt((X**2).sum(-1))
        return X.mean(-1)


def exponentials(name, X, w):
    powers, relative = rounds_test.weights(X, np.zeros(X.shape))
    largest, total = X.max(-1), powers.sum(-1)
    if name == "logarithm":
        want = largest + np.log(total)
        return want, relative[:, 0] + 4 * rounds_test._EPS * np.abs(want), largest, 0 * largest
    weights = np.arange(X.shape[-1]) if name == "position" else w
    want = (powers * weights).sum(-1) / total
    return want, 2 * relative[:, 0] * want, largest, 0 * largest


def expected(name, X, w, eps):
    """Sums, their errors; centres, and theirs."""
    if name in EXPONENTIALS:
        return exponentials(name, X, w)
    _, power, centre, kind, _ = DEFS[name]
    away = 0
    if name == "products":
        away = (X.shape[-1] + 3) * eps * np.abs(X) @ np.abs(w).T
        X, w = X @ w.T, None
    weights = weights_of(kind, X, w)
    if name == "all":
        X, weights = X.reshape(1, -1), weights.reshape(1, -1)
    c = centre_of(centre, X)
    N = X.shape[-1]
    if centre == "norm":  # a factor of all terms
        size = (np.abs(X) * weights).sum(-1) * c
        return (X * weights).sum(-1) * c, (3 * N + 16) * eps * size, c, (N + 8) * eps * c
    shift = (2 * N + 8) * eps * np.abs(X).sum(-1) / N
    if centre in ("largest", "least"):
        shift = 0 * c
    far = X - c[:, None]
    reach = (X.max(-1) - X.min(-1))[:, None]
    near = np.abs(far)
    want = (weights * far**power).sum(-1)
    most = (np.abs(weights) * (near + 2 * reach) ** power).sum(-1)
    moved = (np.abs(weights) * ((near + shift[:, None] + away) ** power - near**power)).sum(-1)
    return want, (N * (power + 12) + 32) * eps * most + moved, c, shift + 4 * eps * np.abs(c) + np.max(away)


# Centres that are no means of the same numbers: from those on the way all may be far. These are done in two passes, or with care.
def ragged(rng):
    X, L = (3000 + rng.standard_normal((2, _LONG))).astype(np.float32), np.array([1000, _LONG])
    text = ("def f(X: f32(M, N), L: i32(M)) -> (O: f32(M)) { S(m) +=! index(n) < L(m) ? X(m, n) : 0; A(m) = S(m) / cast<f32>(L(m)); "
            "Q(m) +=! index(n) < L(m) ? square(X(m, n) - A(m)) : 0; O(m) = Q(m); }")
    want = np.array([((x[:n] - x[:n].mean()) ** 2).sum() for x, n in zip(X.astype(np.float64), L)])
    return text, {"X": X, "L": L.astype(np.int32)}, want


def halves(rng):
    X = np.where(np.arange(_LONG) < _LONG // 2, 1, -1) + 0.01 * rng.standard_normal((1, _LONG))
    text = "def f(X: f64(M, N)) -> (O: f64(M)) { S(m) +=! X(m, n); Q(m) +=! square(X(m, n) - S(m)); O(m) = Q(m); }"
    return text, {"X": X}, ((X - X.sum(-1, keepdims=True)) ** 2).sum(-1)


def weightless(rng):
    X, w = (3000 + rng.standard_normal((1, _LONG))).astype(np.float32), (np.arange(_LONG) >= _LONG // 2).astype(np.float32)
    text = ("def f(X: f32(M, N), w: f32(N)) -> (O: f32(M)) { S(m) +=! X(m, n) * w(n); W(m) +=! X(m, n) == X(m, n) ? w(n) : 0; A(m) = S(m) / W(m); "
            "Q(m) +=! square(X(m, n) - A(m)); O(m) = Q(m); }")
    x = X.astype(np.float64)
    return text, {"X": X, "w": w}, ((x - (x * w).sum() / w.sum()) ** 2).sum(-1)


def narrow(rng):
    X = 1e8 + rng.standard_normal((1, _LONG))
    text = ("def f(X: f64(M, N)) -> (O: f32(M)) { S(m) +=! X(m, n); A(m) = S(m) / cast<f64>(N); local Q: f32(M); "
            "Q(m) +=! cast<f32>(square(X(m, n) - A(m))); O(m) = Q(m); }")
    return text, {"X": X}, ((X - X.mean()) ** 2).sum(-1)


def guarded(rng):
    X = (1e25 * rng.standard_normal((1, _LONG))).astype(np.float32)
    text = "def f(X: f32(M, N)) -> (O: f32(M)) { L(m) max=! abs(X(m, n)); C(m) = 1 / L(m); Q(m) +=! square(X(m, n) * C(m)); O(m) = L(m) * sqrt(Q(m)); }"
    return text, {"X": X}, np.sqrt((X.astype(np.float64) ** 2).sum(-1))


_LONG = 1 << 20
OTHERS = [ragged, halves, weightless, narrow, guarded]


def other(folder, make, threads, rng):
    text, arrays, want = make(rng)
    (folder / "f.tc").write_text(text)
    args = ["eval", folder / "f.tc", "--engine=native", f"--threads={threads}", "--out", f"O={folder}/O.npy"]
    for tensor, array in arrays.items():
        np.save(folder / f"{tensor}.npy", array)
        args += ["--in", f"{tensor}={folder}/{tensor}.npy"]
    einc_tool.must(einc_tool.run(*args))
    got = np.load(folder / "O.npy")
    # In two passes a mean of 3000 in f32 is off by some units in its last place, the square of which counts.
    return None if np.all(np.abs(got - want) <= 1e-3 * want) else f"{got}, not {want}\n{einc_tool.command_line(*args)}"


def case(folder, name, sizes, T, engine, flags, tiles, rng, offset):
    text, last = EXPONENTIALS[name] if name in EXPONENTIALS else (DEFS[name][0], DEFS[name][4])
    spec, shape = text.replace("def f(", f"def f<T = {T}>("), {"X": "MD", "w": "ND"} if name == "products" else {"X": "MN", "w": "N"}
    (folder / "f.tc").write_text(spec)
    X = rng.standard_normal([sizes[i] for i in shape["X"]]) + offset
    w = rng.uniform(0.5, 2, [sizes[i] for i in shape["w"]])
    args = ["eval", folder / "f.tc", f"--engine={engine}", *flags, "--out", f"O={folder}/O.npy", "--out", f"C={folder}/C.npy"]
    for tensor, array in {"X": X, "w": w}.items():
        np.save(folder / f"{tensor}.npy", array.astype(_TYPES[T]))
        args += ["--in", f"{tensor}={folder}/{tensor}.npy"]
    if tiles:
        first, second = ("tile m by 1", f"tile m by {tiles[2]}") if name == "all" else (f"tile m by {tiles[1]}", f"tile n by {tiles[2]}")
        inner = "m" if name == "all" else "n"
        parts = f"tile {inner} by {tiles[3]} on threads (1) " if len(tiles) > 3 else ""
        steps = f"{parts}{second}" if name == "all" else f"{first} {parts}{second}"
        (folder / "s.schedule").write_text(f'einc_schedule 1\nschedule @f for "{tiles[0]}" {{\n  rounds 0 to {last} {{ {steps} }}\n}}\n')
        args.append(f"--schedule={folder}/s.schedule")
    result = einc_tool.run(*args)
    if result.returncode:
        return f"{einc_tool.command_line(*args)}\nexit code {result.returncode}: {result.stderr}"
    want, error, centre, error_of_centre = expected(name, *(a.astype(_TYPES[T]).astype(np.float64) for a in (X, w)), np.finfo(_TYPES[T]).eps)
    for of, exact, bound in (("O", want, error), ("C", centre, error_of_centre)):
        got = np.load(folder / f"{of}.npy").reshape(exact.shape)
        bad = np.argwhere(~((np.abs(got - exact) <= bound) | (np.isnan(got) & np.isnan(exact))))
        if len(bad):
            at = tuple(bad[0])
            return f"{len(bad)} of {of} wrong, at {at} {got[at]}, not {exact[at]} +- {bound[at]}\n{einc_tool.command_line(*args)}"
    return None


def main():
    cases = einc_tool.Cases()
    folder = einc_tool.scratch()
    rng = np.random.default_rng(20261130)

    def run(name, sizes, T, engine, flags, tiles=None, offset=0.0):
        cases.run(f"{name} {T} {engine} {sizes} {flags} {tiles} {offset}", case, folder, name, sizes, T, engine, flags, tiles, rng, offset)

    small = [1, 2, 3, 5, 8, 9, 17]
    for name in [*DEFS, *EXPONENTIALS]:
        for engine in ("tiled", "hw", "native"):
            T = str(rng.choice(["f32", "f64"]))
            target = str(rng.choice(["x86-64-v3", "x86-64-v4"])) if engine != "native" else "x86-64-v3"
            sizes = {i: int(rng.choice(small)) for i in "MND"}
            run(name, sizes, T, engine, [f"--target={target}"], (target, int(rng.integers(1, 6)), int(rng.integers(1, 6))))
            run(name, {**sizes, "N": 33}, T, engine, [f"--target={target}", "--threads=500"],
                (target, int(rng.integers(1, 3)), int(rng.integers(1, 6)), int(rng.integers(1, 12))))
        # Numbers that lie close together, far from 0: a sum of squares less the square of a sum would leave nothing of them.
        run(name, {"M": 3, "N": 150, "D": 4}, "f32", "native", ["--target=x86-64-v3"], ("x86-64-v3", 1, 16), 0 if name in ("products", *EXPONENTIALS) else 3000.0)
        run(name, {"M": 3, "N": 150, "D": 4}, "f32", "native", ["--fp=strict"])
    # Beyond the caches, where the model does so: on one thread, and in parts.
    for name in ("variance", "fourths", "largest", "all", "logarithm", "position"):
        for threads in (1, 8):
            run(name, {"M": 1 if name == "all" else 2, "N": 1 << 20}, "f64", "native", [f"--threads={threads}"])
    for make in OTHERS:
        for threads in (1, 8):
            cases.run(f"{make.__name__} {threads}", other, folder, make, threads, rng)
    cases.finish()


if __name__ == "__main__":
    main()
