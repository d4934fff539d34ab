# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Defs of several ops, which are done together, compute what NumPy does, for every target.

Contractions with what they start from and what is done to their results, sums that take several tiles,
ops that share loops, and chains of them; as tiles, as vectors, and as compiled C; in parts, on threads,
in the written order.
"""

import numpy as np

from tests.numeric import einc_tool
from tests.numeric.levels_test import saved

_EPS = np.finfo(np.float32).eps
_SIZES = [1, 2, 3, 5, 7, 8, 9, 12, 15, 16, 17, 24, 31, 33, 48, 49, 64, 65, 100, 129]
_TARGETS = ["generic", "x86-64-v2", "x86-64-v3", "x86-64-v4", "aarch64"]


def product(form, *arrays):
    """A sum of products and the bound of its error: each term is rounded, and each sum."""
    inputs, output = form.split("->")
    sizes = {i: size for part, a in zip(inputs.split(","), arrays) for i, size in zip(part, a.shape)}
    length = np.prod([sizes[i] for i in set(inputs) - set(output) - {","}])
    exact = [a.astype(np.float64) for a in arrays]
    return np.einsum(form, *exact), (length + 2) * _EPS * np.einsum(form, *map(np.abs, exact))


def plus(value, *terms):
    """(value, error) and terms without one, added one after the other."""
    total, error = value
    for term in terms:
        total = total + term
        error = error + _EPS * (np.abs(total) + np.abs(term))
    return total, error + _EPS * np.abs(total)


def relu(value):
    return np.maximum(value[0], 0), value[1]


def scaled(value, factor):
    return value[0] * factor, (value[1] + _EPS * np.abs(value[0])) * np.abs(factor)


def softmax(x, axis=-1):
    """Of the error of an exponent comes as much in the power; sums add theirs."""
    away = x.astype(np.float64) - x.max(axis, keepdims=True)
    want = np.exp(away) / np.exp(away).sum(axis, keepdims=True)
    return want, want * _EPS * (np.abs(away).max() * 2 + x.shape[axis] + 8)


def positions(x):
    """Shares of a row's sum, of terms that are not negative."""
    terms = np.exp(x.astype(np.float64)) + np.arange(x.shape[0])[:, None]
    want = terms / terms.sum(1, keepdims=True)
    return want, want * _EPS * (2 * np.abs(x) + x.shape[1] + 12)


def layer_norm(x, gamma, beta, epsilon):
    n, wide = x.shape[-1], x.astype(np.float64)
    centred = wide - wide.mean(-1, keepdims=True)
    away = (n + 3) * _EPS * np.abs(wide).mean(-1, keepdims=True)  # of the mean
    variance = (centred**2).mean(-1, keepdims=True) + epsilon
    # Relative to the root: half that of the variance, which has that of its terms and of their sum.
    root = ((2 * np.abs(centred) * away).mean(-1, keepdims=True) + 2 * away**2) / variance + (n + 8) * _EPS
    want = centred / np.sqrt(variance)
    return want * gamma + beta, (away / np.sqrt(variance) + (root + 8 * _EPS) * np.abs(want)) * np.abs(gamma) + 4 * _EPS * (np.abs(want * gamma) + np.abs(beta))


def pieces(x, across=False, along=0):
    """Each element and the next one, which is 0 behind the last: their sum and difference, with 3 times the element."""
    low = x.astype(np.float64).T if across else x.astype(np.float64)
    high = np.roll(low, -1, along)
    np.moveaxis(high, along, 0)[-1:] = 0
    return np.stack([high + 3 * low, high - 3 * low]), 3 * _EPS * np.stack([np.abs(high) + 3 * np.abs(low)] * 2)


def backwards(x):
    """The next element, which is 0 behind the last, with the one as far from the end, of which the first has none: sum and difference."""
    x = x.astype(np.float64)
    high = np.vstack([x[1:], np.zeros((1, x.shape[1]))])
    back = np.vstack([np.zeros((1, x.shape[1])), x[:0:-1]])
    return np.stack([high + back, high - back]), _EPS * np.stack([np.abs(high) + np.abs(back)] * 2)


def squares(x):
    """A plane behind the other: each element with 3 times itself, added and subtracted."""
    planes = x.transpose(1, 2, 0).astype(np.float64)
    return np.stack([4 * planes, -2 * planes]), 8 * _EPS * np.abs(np.stack([planes, planes]))


def colours(x):
    """Of three planes the first two without the third; columns in turn with 3 times that."""
    wide = x.astype(np.float64)
    planes = wide[:, 0] + wide[:, 1] - wide[:, 2], np.abs(wide).sum(1)
    columns = np.arange(x.shape[2])
    want, size = (p[:, columns // 2] * np.where(columns % 2, 3, 1) for p in planes)
    return want, 4 * _EPS * size


def interleaved(x):
    """Columns in turn from two pieces, of which the second has 3 times each element."""
    columns = np.arange(x.shape[1])
    want = x.astype(np.float64)[:, columns // 2] * np.where(columns % 2, 3, 1)
    return want, _EPS * np.abs(want)


# What stands behind a name: the def, which op adds up products, and for the arrays the results and their errors.
_DEFS = {
    "dense": (
        "def f(A: f32(M, K), B: f32(K, N), b: f32(N)) -> (Y: f32(M, N)) "
        "{ T(m, n) +=! A(m, k) * B(k, n); U(m, n) = T(m, n) + b(n); Y(m, n) = max(U(m, n), 0); }", 1,
        lambda A, B, b: [relu(plus(product("mk,kn->mn", A, B), b))]),
    "zeroed": (
        "def f(A: f32(M, K), B: f32(K, N)) -> (Y: f32(M, N)) { Y(m, n) +=! A(m, k) * B(k, n); }", 1,
        lambda A, B: [product("mk,kn->mn", A, B)]),
    "moved": (
        "def f(A: f32(M, K), B: f32(N, K), alpha: f32, beta: f32) -> (Y: f32(M, N)) { Y(m, n) +=! (A(m, k) - alpha) * (B(n, k) * beta); }", 1,
        lambda A, B, alpha, beta: [product("mk,nk->mn", A - alpha, B * beta)]),
    "biased": (
        "def f(A: f32(K, M), B: f32(N, K), b: f32(M)) -> (Y: f32(M, N)) "
        "{ Y(m, n) = b(m); Y(m, n) += A(k, m) * B(n, k); }", 1,
        lambda A, B, b: [plus(product("km,nk->mn", A, B), b[:, None])]),
    "across": (
        "def f(A: f32(M, K), B: f32(K, N), R: f32(M, N)) -> (Y: f32(N, M)) "
        "{ T(m, n) +=! A(m, k) * B(k, n); Y(n, m) = T(m, n) + R(m, n); }", 1,
        lambda A, B, R: [[x.T for x in plus(product("mk,kn->mn", A, B), R)]]),
    "gemm": (
        "def f(A: f32(M, K), B: f32(K, N), alpha: f32, beta: f32) -> (Y: f32(M, N)) "
        "{ T(m, n) +=! A(m, k) * B(k, n); Y(m, n) = alpha * T(m, n) + beta * Y(m, n); }", 1,
        lambda A, B, alpha, beta, Y: [plus(scaled(product("mk,kn->mn", A, B), alpha), beta * Y.astype(np.float64), 0)]),
    "two": (
        "def f(A: f32(M, K), B: f32(K, N), R: f32(N)) -> (Y: f32(M, N), Z: f32(M, N)) "
        "{ T(m, n) +=! A(m, k) * B(k, n); Y(m, n) = T(m, n) + R(n); Z(m, n) = max(T(m, n), 0); }", 1,
        lambda A, B, R: [plus(product("mk,kn->mn", A, B), R), relu(product("mk,kn->mn", A, B))]),
    "batches": (
        "def f(A: f32(P, M, K), B: f32(P, K, N), b: f32(P, N)) -> (Y: f32(P, M, N)) "
        "{ T(p, m, n) +=! A(p, m, k) * B(p, k, n); Y(p, m, n) = max(T(p, m, n) + b(p, n), 0); }", 1,
        lambda A, B, b: [relu(plus(product("pmk,pkn->pmn", A, B), b[:, None]))]),
    "groups": (
        "def f(A: f32(M, K, P), B: f32(P, Q, K), b: f32(Q)) -> (Y: f32(M, Q)) "
        "{ T(m, q) +=! A(m, k, p) * B(p, q, k); Y(m, q) = T(m, q) + b(q); }", 1,
        lambda A, B, b: [plus(product("mkp,pqk->mq", A, B), b)]),
    "outer": (
        "def f(A: f32(M, P, K), B: f32(K, Q, N), b: f32(P, N)) -> (Y: f32(M, Q, P, N)) "
        "{ T(m, q, p, n) +=! A(m, p, k) * B(k, q, n); Y(m, q, p, n) = T(m, q, p, n) + b(p, n); }", 1,
        lambda A, B, b: [plus(product("mpk,kqn->mqpn", A, B), b[None, None])]),
    "layers": (
        "def f(A: f32(M, K), B: f32(K, N), b: f32(N), C: f32(N, P)) -> (Y: f32(M, P)) "
        "{ T(m, n) +=! A(m, k) * B(k, n); U(m, n) = T(m, n) * b(n); Y(m, p) +=! U(m, n) * C(n, p); }", 1,
        lambda A, B, b, C: [product("mn,np->mp", product("mk,kn->mn", A, B)[0] * b, C)[0:1] + (
            (A.shape[1] + C.shape[0] + 5) * _EPS * np.einsum("mk,kn,n,np->mp", *(np.abs(x).astype(float) for x in (A, B, b, C))),)]),
    "softmax": (
        "def f(A: f32(M, N)) -> (Y: f32(M, N)) { L(m) max=! A(m, n); E(m, n) = exp(A(m, n) - L(m)); "
        "S(m) +=! E(m, n); Y(m, n) = E(m, n) / S(m); }", None,
        lambda A: [softmax(A)]),
    "softmax columns": (
        "def f(A: f32(M, N)) -> (Y: f32(M, N)) { L(n) max=! A(m, n); E(m, n) = exp(A(m, n) - L(n)); "
        "S(n) +=! E(m, n); Y(m, n) = E(m, n) / S(n); }", None,
        lambda A: [softmax(A, 0)]),
    "positions": (
        "def f(A: f32(M, N)) -> (Y: f32(M, N)) { E(m, n) = exp(A(m, n)) + cast<f32>(index(m)); S(m) +=! E(m, n); Y(m, n) = E(m, n) / S(m); }", None,
        lambda A: [positions(A)]),
    "softmax of many": (
        "def f(A: f32(P, Q, N)) -> (Y: f32(P, Q, N)) { L(p, q) max=! A(p, q, n); E(p, q, n) = exp(A(p, q, n) - L(p, q)); "
        "S(p, q) +=! E(p, q, n); Y(p, q, n) = E(p, q, n) / S(p, q); }", None,
        lambda A: [softmax(A)]),
    "norm": (
        "def f(A: f32(M, N), g: f32(N), b: f32(N), e: f32) -> (Y: f32(M, N)) { S(m) +=! A(m, n); "
        "C(m, n) = A(m, n) - S(m) / cast<f32>(N); Q(m) +=! C(m, n) * C(m, n); "
        "Y(m, n) = C(m, n) * rsqrt(Q(m) / cast<f32>(N) + e) * g(n) + b(n); }", None,
        lambda A, g, b, e: [layer_norm(A, g, b, e)]),
    "chain": (
        "def f(A: f32(M, N), B: f32(N)) -> (Y: f32(M, N), Z: f32(N, M)) { T(m, n) = A(m, n) * B(n); "
        "U(m, n) = T(m, n) + A(m, n); Y(m, n) = U(m, n) * U(m, n); Z(n, m) = U(m, n) - T(m, n); }", None,
        lambda A, B: [((A.astype(np.float64) * B + A) ** 2, 6 * _EPS * (np.abs(A * B) + np.abs(A)) ** 2),
                      (A.T.astype(np.float64), 4 * _EPS * (np.abs(A * B) + np.abs(A)).T)]),
    "pieces": (
        "def f(A: f32(M, N)) -> (Y: f32(2, M, N)) { local L: f32(2, M, N); L(0, m, n) = A(m + 1, n) else 0; "
        "L(1, m, n) = A(m, n) * 3; Y(0, m, n) = L(0, m, n) + L(1, m, n); Y(1, m, n) = L(0, m, n) - L(1, m, n); }", None,
        lambda A: [pieces(A)]),
    "pieces backwards": (
        "def f(A: f32(M, N)) -> (Y: f32(2, M, N)) { local L: f32(2, M, N); L(0, m, n) = A(m + 1, n) else 0; "
        "L(1, m, n) = A(M - m, n) else 0; Y(0, m, n) = L(0, m, n) + L(1, m, n); Y(1, m, n) = L(0, m, n) - L(1, m, n); }", None,
        lambda A: [backwards(A)]),
    "pieces of columns": (
        "def f(A: f32(N, M)) -> (Y: f32(2, M, N)) { local L: f32(2, M, N); L(0, m, n) = A(n, m + 1) else 0; "
        "L(1, m, n) = A(n, m) * 3; Y(0, m, n) = L(0, m, n) + L(1, m, n); Y(1, m, n) = L(0, m, n) - L(1, m, n); }", None,
        lambda A: [pieces(A, across=True)]),
    "pieces of rows": (
        "def f(A: f32(M, N)) -> (Y: f32(2, M, N)) { local L: f32(2, M, N); L(0, m, n) = A(m, n + 1) else 0; "
        "L(1, m, n) = A(m, n) * 3; Y(0, m, n) = L(0, m, n) + L(1, m, n); Y(1, m, n) = L(0, m, n) - L(1, m, n); }", None,
        lambda A: [pieces(A, along=1)]),
    "planes": (
        "def f(A: f32(M, 3, N)) -> (Y: f32(2, 3, M, N)) { local L: f32(2, 3, M, N); L(0, j, m, n) = A(m + 1, j, n) else 0; "
        "L(1, j, m, n) = A(m, j, n) * 3; Y(0, j, m, n) = L(0, j, m, n) + L(1, j, m, n); Y(1, j, m, n) = L(0, j, m, n) - L(1, j, m, n); }", None,
        lambda A: [[x.transpose(0, 2, 1, 3) for x in pieces(A)]]),
    "planes turned": (
        "def f(A: f32(N, 3, M)) -> (Y: f32(2, 3, M, N)) { local L: f32(2, 3, M, N); L(0, j, m, n) = A(n, j, m + 1) else 0; "
        "L(1, j, m, n) = A(n, j, m) * 3; Y(0, j, m, n) = L(0, j, m, n) + L(1, j, m, n); Y(1, j, m, n) = L(0, j, m, n) - L(1, j, m, n); }", None,
        lambda A: [[x.transpose(0, 2, 1, 3) for x in pieces(A.transpose(2, 1, 0))]]),
    "planes of squares": (
        "def f(A: f32(N, 3, M)) -> (Y: f32(2, 3, M, N)) { local L: f32(2, 3, M, N); L(0, j, m, n) = A(n, j, m); "
        "L(1, j, m, n) = A(n, j, m) * 3; Y(0, j, m, n) = L(0, j, m, n) + L(1, j, m, n); Y(1, j, m, n) = L(0, j, m, n) - L(1, j, m, n); }", None,
        lambda A: [squares(A)]),
    "colours in turn": (
        "def f(A: f32(M, 3, N)) -> (Y: f32(M, N)) { local L: f32(2, 3, M, N); local P: f32(2, M, N); L(0, j, m, n) = A(m, j, n); "
        "L(1, j, m, n) = A(m, j, n) * 3; P(i, m, n) = L(i, 0, m, n) + L(i, 1, m, n) - L(i, 2, m, n); Y(m, n) = P(n % 2, m, n / 2); }", None,
        lambda A: [colours(A)]),
    "pieces in turn": (
        "def f(A: f32(M, N)) -> (Y: f32(M, N)) { local L: f32(2, M, N); L(0, m, n) = A(m, n); L(1, m, n) = A(m, n) * 3; "
        "Y(m, n) = L(n % 2, m, n / 2); }", None,
        lambda A: [interleaved(A)]),
}


def shapes(spec, sizes):
    """The parameters' shapes; of scalars none."""
    result = {}
    for part in spec[spec.index("(") + 1 : spec.index("{")].replace(")", ") ").split(": f32")[0:-1]:
        name = part.split()[-1].strip("(,")
        rest = spec[spec.index(f"{name}: f32") + len(name) + 5 :]
        dims = rest[1 : rest.index(")")] if rest.startswith("(") else ""
        result[name] = [int(i) if i.strip().isdigit() else sizes[i.strip()] for i in dims.split(",") if i.strip()]
    return result


def draw(spec, rng, most):
    letters = sorted({c for c in spec[: spec.index("{")] if c in "KMNPQ"})
    while True:
        sizes = {i: int(rng.choice(_SIZES)) for i in letters}
        if rng.random() < 0.15:
            sizes[str(rng.choice(letters))] = 0 if "softmax" not in spec and "max=!" not in spec and "rsqrt" not in spec else 1
        if most > 100_000 and rng.random() < 0.3 and "K" in sizes:
            sizes["K"] = int(rng.integers(400, 1500))
        if np.prod(list(sizes.values())) <= most:
            return sizes


def schedule(folder, op, target, rng):
    """Tiles of K so short that sums take several."""
    path = folder / "s.sched"
    path.write_text(f'einc_schedule 1\nschedule @f for "{target}" {{\n  op {op} contraction {{\n    kc = {rng.integers(2, 9)}\n  }}\n}}\n')
    return f"--schedule={path}"


def case(folder, name, sizes, engine, target, flags, rng):
    spec, _, formula = _DEFS[name]
    (folder / "f.tc").write_text(spec)
    args = ["eval", folder / "f.tc", f"--engine={engine}"] + ([f"--target={target}"] if target else []) + flags
    arrays, outputs = {}, []
    for parameter, shape in shapes(spec, sizes).items():
        array = rng.standard_normal(shape).astype(np.float32)
        if f"{parameter}: f32" in spec[spec.index("->") :]:
            outputs.append(parameter)
            np.save(folder / f"{parameter}.npy", array)
            args += ["--in", f"{parameter}={folder}/{parameter}.npy"] if name == "gemm" else []
            args += ["--out", f"{parameter}={folder}/{parameter}_result.npy"]
            if name != "gemm":
                continue
        elif parameter in ("alpha", "beta", "e"):
            array = np.float32(0.75 if parameter != "e" else 1e-5)
            args += ["--attr", f"{parameter}={array}"]
        else:
            args += ["--in", saved(folder, parameter, array, rng)]
        arrays[parameter] = array
    args += [f"--dim={letter}={size}" for letter, size in sizes.items()] if "fixed" in flags else []
    args = [a for a in args if a != "fixed"]
    result = einc_tool.run(*args)
    if result.returncode:
        return f"{einc_tool.command_line(*args)}\nexit code {result.returncode}: {result.stderr}"
    for output, (want, error) in zip(outputs, formula(**arrays)):
        got = np.load(folder / f"{output}_result.npy")
        bad = np.argwhere(~(np.abs(got - want) <= error + 1e-37))
        if len(bad):
            where = tuple(bad[0])
            return f"{output}: {len(bad)} wrong, at {where} {got[where]}, not {want[where]}\n{einc_tool.command_line(*args)}"
    return None


def main():
    cases = einc_tool.Cases()
    folder = einc_tool.scratch()
    rng = np.random.default_rng(20261123)
    for _ in range(20 if einc_tool.LONG else 2):
        for name, (spec, op, _) in _DEFS.items():
            for engine, most in [("tiled", 12_000), ("hw", 12_000), ("native", 4_000_000), ("native", 400_000)]:
                target = str(rng.choice(_TARGETS)) if engine != "native" else str(rng.choice(["x86-64-v2", "x86-64-v3"]))
                sizes, flags = draw(spec, rng, most), []
                if rng.random() < 0.4:
                    flags.append("fixed")
                if rng.random() < 0.3:
                    flags.append(f"--threads={rng.integers(2, 5)}")
                if rng.random() < 0.2:
                    flags.append("--fp=strict")
                if op is not None and target != "generic" and rng.random() < 0.5:
                    flags.append(schedule(folder, op, target, rng))
                cases.run(f"{name} {engine} {target} {sizes} {flags}", case, folder, name, sizes, engine, target, flags, rng)
    for name in ("softmax", "norm"):  # outputs that go around the caches, block by block
        for sizes in ({"M": 4101, "N": 1030}, {"M": 40001, "N": 129}):
            for flags in ([], ["--threads=2"]):
                cases.run(f"{name} {sizes} {flags}", case, folder, name, sizes, "native", "", flags, rng)
    cases.finish()


if __name__ == "__main__":
    main()
