# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Ops in tiles on a Vulkan device, where a workgroup does a tile, compute what NumPy does: the chains of tiles_test.py, in small tiles
that a schedule gives; convolutions with what stands before and behind them, in tiles of the model's and of a schedule, with sizes around
tiles, strides, borders and windows of odd sizes; as the interpreter has the dispatches; and where a window or a sum is larger than tiles
are made for, one op after the other.

Errors: a sum of n products is wrong by at most n + 2 last bits of the sum of their sizes. What is added adds a bit of the result. max
keeps the largest error of what it looks at, and does not add to it. A sum of products of what is wrong itself has the errors of that,
times the sizes of the weights, besides.
"""

import random

import numpy as np

from tests.numeric import einc_tool, tiles_test

_EPS = np.finfo(np.float32).eps
_TARGETS = ["vulkan", "vulkan-software", "vulkan-desktop"]  # by the model, the second one has no tiles

_POOL = """def f(I: f32(N, IH, IW, C), K: f32(KH, KW, C, F), b: f32(F), window: f32(PH, PW), like: f32(OH, OW)) -> (O: f32(N, OH, OW, F)) attr(stride: i64 = 1, pool: i64 = 2) {
  local A: f32(N, (OH - 1) * pool + PH, (OW - 1) * pool + PW, F);
  A(n, y, x, f) +=! I(n, y * stride + kh, x * stride + kw, c) * K(kh, kw, c, f);
  R(n, y, x, f) = max(A(n, y, x, f) + b(f), 0);
  O(n, oh, ow, f) max=! R(n, oh * pool + ph, ow * pool + pw, f);
}"""
# Of the same size as its input, with a border around both windows.
_BORDER = """def f(I: f32(N, OH, OW, C), K: f32(KH, KW, C, F), b: f32(F), window: f32(PH, PW), like: f32(OH, OW)) -> (O: f32(N, OH, OW, F)) {
  local A: f32(N, OH, OW, F);
  A(n, y, x, f) +=! (I(n, y + kh - 1, x + kw - 1, c) else 0) * K(kh, kw, c, f);
  R(n, y, x, f) = max(A(n, y, x, f) + b(f), 0);
  O(n, oh, ow, f) max=! R(n, oh + ph - 1, ow + pw - 1, f) else -inf;
}"""
_SEPARABLE = """def f(I: f32(N, IH, IW, C), E1: f32(C, E), K: f32(KH, KW, E), E2: f32(E, F), like: f32(OH, OW)) -> (O: f32(N, OH, OW, F)) attr(stride: i64 = 1) {
  P(n, y, x, e) +=! I(n, y, x, c) * E1(c, e);
  A(n, y, x, e) = max(P(n, y, x, e), 0);
  local D: f32(N, OH, OW, E);
  D(n, oh, ow, e) +=! A(n, oh * stride + kh, ow * stride + kw, e) * K(kh, kw, e);
  R(n, oh, ow, e) = max(D(n, oh, ow, e), 0);
  O(n, oh, ow, f) +=! R(n, oh, ow, e) * E2(e, f);
}"""


def windows(values, reach, stride, count):
    """(n, oh, ow, ph, pw, f)"""
    y, x, ph, pw = np.ogrid[: count[0], : count[1], : reach[0], : reach[1]]
    return values[:, y * stride + ph, x * stride + pw]


def convolved(I, K, b, stride, count):
    """The sums, what is added, and their errors."""
    seen = windows(I, K.shape[:2], stride, count)
    sums = np.einsum("nyxhwc,hwcf->nyxf", seen, K)
    sizes = np.einsum("nyxhwc,hwcf->nyxf", abs(seen), abs(K))
    error = (K[..., 0].size + 2) * _EPS * sizes
    return np.maximum(sums + b, 0), error + _EPS * (abs(sums) + abs(b) + error)


def bordered(values, reach, count, border):
    """One before the first one, and as many behind the last as windows reach."""
    full = np.full((values.shape[0], count[0] + reach[0], count[1] + reach[1], values.shape[3]), border)
    full[:, 1 : 1 + values.shape[1], 1 : 1 + values.shape[2]] = values
    return full


def pooled(I, K, b, window, _, s):
    rows = [(n - 1) * s["pool"] + p for n, p in zip((s["OH"], s["OW"]), window.shape)]
    values, error = convolved(I, K, b, s["stride"], [max(n, 0) for n in rows])
    largest = lambda v: windows(v, window.shape, s["pool"], (s["OH"], s["OW"])).max((3, 4), initial=-np.inf)
    return largest(values), largest(error)


def with_border(I, K, b, window, _, s):
    count = (s["OH"], s["OW"])
    values, error = convolved(bordered(I, K.shape[:2], count, 0.0), K, b, 1, count)
    largest = lambda v, border: windows(bordered(v, window.shape, count, border), window.shape, 1, count).max((3, 4), initial=-np.inf)
    return largest(values, -np.inf), largest(error, 0.0)


def separable(I, E1, K, E2, _, s):
    C, E = E1.shape
    P = np.einsum("nyxc,ce->nyxe", I, E1)
    of_p = (C + 2) * _EPS * np.einsum("nyxc,ce->nyxe", abs(I), abs(E1))
    count = (s["OH"], s["OW"])
    A, of_a = (windows(v, K.shape[:2], s["stride"], count) for v in (np.maximum(P, 0), of_p))
    D = np.einsum("nyxhwe,hwe->nyxe", A, K)
    of_d = np.einsum("nyxhwe,hwe->nyxe", of_a + (K[..., 0].size + 2) * _EPS * (A + of_a), abs(K))
    R = np.maximum(D, 0)
    O = np.einsum("nyxe,ef->nyxf", R, E2)
    return O, np.einsum("nyxe,ef->nyxf", of_d + (E + 2) * _EPS * (R + of_d), abs(E2))


_FORMULAS = {"pool": (_POOL, pooled), "border": (_BORDER, with_border), "separable": (_SEPARABLE, separable)}


def arrays_of(name, s, rng):
    at = lambda *shape: rng.standard_normal([max(n, 0) for n in shape]).astype(np.float32)
    like = at(s["OH"], s["OW"])  # says how many results there are
    if name == "separable":
        rows = [max((s[o] - 1) * s["stride"] + s[k], 0) for o, k in (("OH", "KH"), ("OW", "KW"))]
        return {"I": at(s["N"], *rows, s["C"]), "E1": at(s["C"], s["E"]), "K": at(s["KH"], s["KW"], s["E"]), "E2": at(s["E"], s["F"]), "like": like}
    rows = [s["OH"], s["OW"]]
    if name == "pool":
        made = [max((s[o] - 1) * s["pool"] + s[p], 0) for o, p in (("OH", "PH"), ("OW", "PW"))]
        rows = [max((n - 1) * s["stride"] + s[k], 0) for n, k in zip(made, ("KH", "KW"))]
    return {"I": at(s["N"], *rows, s["C"]), "K": at(s["KH"], s["KW"], s["C"], s["F"]), "b": at(s["F"]), "window": at(s["PH"], s["PW"]), "like": like}


def case(folder, name, s, target, engine, tiles, dims, rng):
    text, formula = _FORMULAS[name]
    (folder / "f.tc").write_text(text)
    arrays = arrays_of(name, s, rng)
    args = ["eval", folder / "f.tc", f"--target={target}", f"--engine={engine}", f"--out=O={folder}/O.npy"]
    # What is as the spec has it is not fixed: the kernel is given it.
    args += [f"--attr={a}={s[a]}" for a, default in (("stride", 1), ("pool", 2)) if f"{a}: i64" in text and s[a] != default]
    for dim in dims:
        args += ["--dim", f"{dim}={s[dim]}"]
    if tiles:
        last = 7 if name == "separable" else 4
        by = " ".join(f"tile {loop} by {size}" for loop, size in zip(["n", "oh", "ow", "f"], tiles))
        (folder / "s.schedule").write_text(f'einc_schedule 1\nschedule @f for "{target}" {{\n  tiles 0 to {last} {{ {by} }}\n}}\n')
        args.append(f"--schedule={folder}/s.schedule")
    for tensor, array in arrays.items():
        np.save(folder / f"{tensor}.npy", array)
        args += ["--in", f"{tensor}={folder}/{tensor}.npy"]
    einc_tool.must(einc_tool.run(*args))
    want, error = formula(*(array.astype(np.float64) for array in arrays.values()), s)
    got = np.load(folder / "O.npy")
    if got.shape != want.shape:
        return f"the shape is {got.shape}, not {want.shape}\n{einc_tool.command_line(*args)}"
    with np.errstate(invalid="ignore"):
        good = (got == want) | (abs(got - want) <= error + 1e-37)
    if not good.all():
        at = tuple(np.argwhere(~good)[0])
        return f"{(~good).sum()} wrong, the first at {at}: {got[at]}, not {want[at]} (+- {error[at]})\n{einc_tool.command_line(*args)}"
    return None


def chain(folder, seed):
    """One of tiles_test.py, in tiles of a schedule."""
    r = random.Random(seed)
    wrong, is_tiled = tiles_test.run(folder, tiles_test.Chain(seed), r.choice(["tiled", "hw", "vulkan", "vulkan", "vulkan"]), r.choice(["vulkan", "vulkan-desktop"]),
                                     r.choice([1, 2, 2, 3]), r.choice([[], [], ["--fp=strict"]]))
    if wrong and "bytes of memory, and what is kept of a tile would take" in wrong:
        return None  # and is refused
    _TILED.append(is_tiled)
    return wrong


_TILED = []
_CHAINS = 40
# OH, OW, F: around tiles of 4 x 4 x 16, 2 x 8 x 32 and smaller ones.
_SIZES = [(3, 9, 17), (4, 4, 16), (5, 3, 15), (1, 1, 1), (0, 3, 2), (3, 0, 2), (2, 5, 33), (9, 8, 32), (7, 15, 31)]
# KH, KW, PH, PW, stride, pool
_WINDOWS = [(3, 3, 2, 2, 1, 2), (1, 2, 3, 3, 2, 2), (3, 1, 1, 3, 1, 1), (2, 3, 3, 2, 2, 1), (5, 3, 2, 2, 1, 2), (1, 1, 4, 5, 1, 3)]


def main():
    cases, folder, rng = einc_tool.Cases(), einc_tool.scratch(), np.random.default_rng(20261130)
    for seed in range(_CHAINS):
        cases.run(f"chain {seed}", chain, folder, seed)
    cases.run("many are in tiles", lambda: None if sum(_TILED) >= _CHAINS // 3 else f"{sum(_TILED)} of {_CHAINS}")

    def run(name, sizes, windows, channels, engine, target, tiles=None, dims=()):
        s = dict(zip(["N", "OH", "OW", "F", "KH", "KW", "PH", "PW", "stride", "pool", "C", "E"], (*sizes, *windows, *channels)))
        cases.run(f"{name} {engine} {s} {target} {tiles} {dims}", case, folder, name, s, target, engine, tiles, dims, rng)

    for i, name in enumerate(_FORMULAS):
        for j, sizes in enumerate(_SIZES):
            windows = _WINDOWS[(i + j) % len(_WINDOWS)]
            run(name, (1 + j % 2, *sizes), windows, (1 + j % 3, 5 + j), "vulkan", str(rng.choice(_TARGETS)))
        for tiles in [(1, 4, 4, 16), (1, 2, 8, 32), (2, 3, 1, 5)]:
            sizes = _SIZES[int(rng.integers(len(_SIZES)))]
            tiles = tiles[:3] if name == "separable" else tiles
            run(name, (3, *sizes), _WINDOWS[0], (2, 6), "vulkan", "vulkan-desktop", tiles)
        for engine in ("tiled", "hw"):
            run(name, (1, 3, 5, 6), _WINDOWS[1], (2, 3), engine, "vulkan", (1, 2, 2, 4)[: 3 if name == "separable" else 4])
        # Where sizes are known, so is all that is asked.
        run(name, (1, 9, 6, 8), _WINDOWS[0], (3, 12), "vulkan", "vulkan", None, ["C", "F", "KH", "KW", "N"] + (["E"] if name == "separable" else ["PH", "PW"]))
    # Longer sums, and more rows between, than tiles are for.
    run("pool", (1, 5, 5, 8), _WINDOWS[0], (200, 0), "vulkan", "vulkan")
    run("separable", (1, 5, 5, 8), _WINDOWS[0], (4, 70), "vulkan", "vulkan")
    cases.finish()


if __name__ == "__main__":
    main()
