# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Domains whose ends are elements: rows of a ragged batch, as NumPy has them, at all levels and in C.

Lengths are negative, 0, 1, around vectors and tiles, beyond the rows, and at the ends of their types. What is outside is NaN:
nothing may come of it.
"""

import argparse
import random

import numpy as np

from tests.numeric import einc_tool

_ENGINES = ["reference", "tiled", "vector", "hw", "native", "native"]
_TARGETS = ["generic", "x86-64-v2", "x86-64-v3", "x86-64-v4"]
_ENDS = {"i8": [-128, 127], "u8": [255], "i16": [-32768], "u16": [65535], "i32": [-(2**31), 2**31 - 1], "u32": [2**32 - 1],
         "i64": [-(2**63), 2**63 - 1, 2**61, 2**61 - 1], "u64": [2**64 - 1, 2**63, 2**61]}  # fmt: skip
# What is inside, of rows b, lines m and terms n, as a spec and as NumPy have it; o: integers of their own.
_DOMAINS = [
    ("n < l(b)", "n < l[b]"),
    ("l(b) > n", "l[b] > n"),
    ("n <= l(b)", "n <= l[b]"),
    ("l(b) <= n", "l[b] <= n"),
    ("n >= o(b) and n < l(b)", "(n >= o[b]) & (n < l[b])"),
    ("n == l(b)", "n == l[b]"),
    ("2 * n + m < l(b)", "2 * n + m < l[b]"),
    ("n - m <= l(b)", "n - m <= l[b]"),
    ("l(b) < n - 3 * m + 5", "l[b] < n - 3 * m + 5"),
    ("n <= m and n < l(b)", "(n <= m) & (n < l[b])"),
    ("m < l(b)", "m < l[b]"),
]
_STATEMENTS = {
    "sums": "Y(b, m) +=! X(b, m, n) where {};",
    "added": "Y(b, m) += X(b, m, n) where {};",
    "largest": "Y(b, m) max=! X(b, m, n) where {};",
    "columns": "Y(b, n) +=! X(b, m, n) where {};",
    "products": "Y(b, m) +=! X(b, m, n) * V(b, n) where {};",
    "written": "Y(b, m, n) = X(b, m, n) * 2 where {};",
}


class Ragged:
    def __init__(self, seed):
        r = self.random = random.Random(seed)
        rng = np.random.default_rng(seed)
        self.name = r.choice(list(_STATEMENTS))
        self.inside, formula = r.choice(_DOMAINS)
        b, m = r.choice([0, 1, 2, 5, 9, 17]), r.choice([1, 2, 7, 16])
        n = r.choice([0, 1, 2, 7, 8, 15, 16, 17, 31, 33, 63, 65, 100, 129])
        self.sizes = {"B": b, "M": m, "N": n}
        self.kind, self.order_kind = r.choice(list(_ENDS)), r.choice(["i32", "i64"])
        draw = lambda kind: [r.choice([0, 1, n, n - 1, n + 1, n // 2, 8, 16, 17, 32, -1, *_ENDS[kind], r.randint(-3, n + 3)]) for _ in range(b)]
        numpy_kind = lambda kind: {"i": "int", "u": "uint"}[kind[0]] + kind[1:]
        fitting = lambda kind, v: max(v, 0) if kind[0] == "u" else v
        within = lambda kind, v: v % 2 ** int(kind[1:]) if kind in ("i8", "u8", "i16", "u16") and v > 127 and v not in _ENDS[kind] else v
        self.l, self.o = ([within(k, fitting(k, v)) for v in draw(k)] for k in (self.kind, self.order_kind))
        self.l = [min(v, np.iinfo(numpy_kind(self.kind)).max) for v in self.l]
        self.axes = {"columns": "bn", "written": "bmn"}.get(self.name, "bm")
        index = {"b": range(b), "m": range(m), "n": range(n)}
        space = [(i, j, k) for i in index["b"] for j in index["m"] for k in index["n"]]
        inside = np.zeros((b, m, n), bool)
        for i, j, k in space:
            inside[i, j, k] = eval(formula, {}, {"b": i, "m": j, "n": k, "l": self.l, "o": self.o})  # noqa: S307
        terms = rng.integers(-3, 4, (b, m, n)).astype(np.float32)
        v = rng.integers(-3, 4, (b, n)).astype(np.float32)
        self.arrays = {"X": np.where(inside, terms, np.float32(np.nan)), "V": v,
                       "l": np.array(self.l, numpy_kind(self.kind)), "o": np.array(self.o, numpy_kind(self.order_kind))}  # fmt: skip
        old = rng.integers(-3, 4, [self.sizes[a.upper()] for a in self.axes]).astype(np.float32)
        self.arrays["Y"] = old
        zeroed = np.where(inside, terms, 0)
        self.wanted = {
            "sums": lambda: zeroed.sum(2),
            "added": lambda: old + zeroed.sum(2),
            "largest": lambda: np.where(inside, terms, -np.inf).max(2, initial=-np.inf),
            "columns": lambda: zeroed.sum(1),
            "products": lambda: (zeroed * v[:, None, :]).sum(2),
            "written": lambda: np.where(inside, terms * 2, old),
        }[self.name]().astype(np.float32)
        axes = ", ".join(a.upper() for a in self.axes)
        self.text = (f"def f(X: f32(B, M, N), V: f32(B, N), l: {self.kind}(B), o: {self.order_kind}(B)) -> (Y: f32({axes}))\n"
                     f"{{\n  {_STATEMENTS[self.name].format(self.inside)}\n}}\n")  # fmt: skip


def case(folder, ragged, engine):
    (folder / "s.tc").write_text(ragged.text)
    r = ragged.random
    args = ["eval", folder / "s.tc", f"--engine={engine}"]
    if engine in ("vector", "hw", "tiled"):
        args.append(f"--target={r.choice(_TARGETS)}")
    if engine != "reference":
        args += [f"--dim={s}={ragged.sizes[s]}" for s in "BMN" if r.random() < 0.25]
    if engine == "native":
        args += r.choice([[], [], ["--threads=2"], ["--fp=strict"], ["--lib=cblas"]])
    return einc_tool.first_difference(folder, args, ragged.arrays, {"Y": ragged.wanted}, ragged.text)


def packed(folder, starts, n, engine):
    """Sums of sequences that stand one behind the other, some of them empty."""
    (folder / "p.tc").write_text("def f(X: f32(N), first: i32(B), end: i32(B)) -> (Y: f32(B)) { Y(b) +=! X(n) where n >= first(b) and n < end(b); }")
    x = np.random.default_rng(n).integers(-3, 4, n).astype(np.float32)
    wanted = np.array([x[max(i, 0) : max(j, 0)].sum() for i, j in zip(starts, starts[1:])], np.float32)
    args = ["eval", folder / "p.tc", f"--engine={engine}"]
    return einc_tool.first_difference(folder, args, {"X": x, "first": np.array(starts[:-1], np.int32), "end": np.array(starts[1:], np.int32)}, {"Y": wanted}, f"{starts}")


# ---- Attention on rows of different lengths ----

_SCORES = {
    "chosen": ("X(b, r, n) = index(n) < {} ? S(b, r, n) * scale : -inf;", ""),
    "where": ("X(b, r, n) = S(b, r, n) * scale;", " where n < length(b)"),
}


def _attention(form, kind):
    scores, where = _SCORES[form]
    length = "length(b)" if kind == "i64" else "cast<i64>(length(b))"
    return f"""def f(Q: f32(B, R, D), K: f32(B, N, D), V: f32(B, N, D), length: {kind}(B), scale: f32) -> (O: f32(B, R, D))
{{
  S(b, r, n) +=! Q(b, r, d) * K(b, n, d){where};
  {scores.format(length)}
  Largest(b, r) max=! X(b, r, n){where};
  P(b, r, n) = exp(X(b, r, n) - Largest(b, r)){where};
  Total(b, r) +=! P(b, r, n){where};
  U(b, r, d) +=! P(b, r, n) * V(b, n, d){where};
  O(b, r, d) = U(b, r, d) / Total(b, r);
}}
"""


def attention(folder, form, kind, sizes, lengths, engine, extra=()):
    b, r, n, d = sizes
    rng = np.random.default_rng(n + d)
    q, k, v = (rng.standard_normal(shape).astype(np.float32) for shape in ((b, r, d), (b, n, d), (b, n, d)))
    (folder / "a.tc").write_text(_attention(form, kind))
    numpy_kind = {"i": "int", "u": "uint"}[kind[0]] + kind[1:]
    wanted = np.full((b, r, d), np.nan)
    for i, length in enumerate(lengths):
        if (some := max(0, min(int(length), n))) == 0:
            continue
        x = (q[i].astype(np.float64) @ k[i, :some].T) * 0.5
        p = np.exp(x - x.max(1, keepdims=True))
        wanted[i] = p @ v[i, :some] / p.sum(1, keepdims=True)
        if form == "where":  # what is outside is not used
            k[i, some:], v[i, some:] = np.nan, np.inf
    arrays = {"Q": q, "K": k, "V": v, "length": np.array(lengths, numpy_kind)}
    args = ["eval", folder / "a.tc", f"--engine={engine}", "--attr=scale=0.5", *extra]
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array)
        args += ["--in", f"{name}={folder}/{name}.npy"]
    einc_tool.must(einc_tool.run(*args, "--out", f"O={folder}/O.npy"))
    got = np.load(folder / "O.npy")
    # Of a row without keys nothing is asked but that it is no number.
    if not np.allclose(got, wanted, rtol=1e-4, atol=1e-5, equal_nan=True):
        return f"{einc_tool.command_line(*args)}\nlengths {lengths}: off by {np.nanmax(np.abs(got - wanted))}, NaN at {np.argwhere(np.isnan(got) != np.isnan(wanted))[:3]}"
    return None


def attentions(cases, folder):
    for form in _SCORES:
        for r in (1, 3):
            for n, lengths in ((20, [-5, 0, 1, 7, 16, 20, 21, 2**62]), (1100, [1, 511, 512, 513, 1024, 1100, 0, -(2**63)])):
                for engine, extra in (("native", []), ("hw", ["--target=x86-64-v3"]), ("native", [f"--dim=R={r}"])):
                    if engine == "hw" and n > 100:
                        continue
                    sizes = (len(lengths), r, n, 8)
                    cases.run(f"attention {form} {r} {n} {engine} {extra}", attention, folder, form, "i64", sizes, lengths, engine, extra)
            cases.run(f"attention {form} {r} u8", attention, folder, form, "u8", (4, r, 600, 5), [0, 1, 255, 17], "native")
            # In parts that threads share, and with products of tiles as calls.
            for extra in (["--threads=64"], ["--lib=cblas"]):
                lengths = [0, 1, 1023, 1024, 1025, 2100, -1, 2**62]
                cases.run(f"attention {form} {r} {extra}", attention, folder, form, "i64", (8, r, 2100, 8), lengths, "native", extra)
        cases.run(f"attention {form} B = 1", attention, folder, form, "i32", (1, 2, 700, 8), [600], "native", ["--dim=B=1"])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--count", type=int, default=2000 if einc_tool.LONG else 120)
    options = parser.parse_args()
    cases, folder = einc_tool.Cases(), einc_tool.scratch()
    attentions(cases, folder)
    for engine in ("tiled", "hw", "native"):
        for starts, n in (([0, 0, 1, 17, 16, 40, 100, 2**31 - 1], 90), ([-5, 3], 33), ([0], 4), ([0, 7, 300], 300), ([0, 4, 4], 0)):
            cases.run(f"packed {starts} {n} {engine}", packed, folder, starts, n, engine)
    for seed in range(options.first, options.first + options.count):
        engine = _ENGINES[seed % len(_ENGINES)]
        cases.run(f"{seed}, {engine}", case, folder, Ragged(seed), engine)
    cases.finish()


if __name__ == "__main__":
    main()
