# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Reductions by combiners that a spec defines on a Vulkan device, against NumPy: by one invocation, by those of a workgroup in a tree,
and in parts of several workgroups; and that errors planted in the tree are found.

The defs and formulas of combiners_test.py, NaN besides, and a combiner that has an order.
"""

import numpy as np

from tests.numeric import combiners_test, device, einc_tool

_SPEC = combiners_test.SPEC + """
combiner first_nan((v, i), (w, j)) =
    w > v || (w != w && v == v) || ((w == v || (w != w && v != v)) && j < i) ? w : v,
    w > v || (w != w && v == v) || ((w == v || (w != w && v != v)) && j < i) ? j : i
  neutral lowest, highest;
combiner after((a, b), (c, d)) = c * a, c * b + d neutral 1, 0;
combiner logaddexp(a, b) = a == b ? a + log(2.0) : max(a, b) + log1p(exp(-abs(a - b))) neutral -inf;

def argmax_with_nan(X: f32(M, N)) -> (v: f32(M), p: i32(M)) { v(m), p(m) first_nan=! X(m, n), cast<i32>(index(n)); }
def composed(A: i64(M, N), B: i64(M, N)) -> (a: i64(M), b: i64(M)) { a(m), b(m) after=! A(m, n), B(m, n); }
def logsumexp(X: f64(M, N)) -> (y: f64(M)) { y(m) logaddexp=! X(m, n); }
"""
_KINDS = ["f32", "f64", "i8", "u16"]
# Where one invocation does it, rows of a subgroup, of a workgroup, parts; for rows and for columns.
_SIZES = [(0, 3), (1, 1), (2, 0), (3, 32), (17, 33), (2, 127), (5, 128), (3, 129), (300, 70), (3, 2049), (1, 16385), (600, 5), (2, 20001), (1, 100_000)]
_TARGETS = ["vulkan", "vulkan-software"]


def composition(A, B):
    """Of x -> A[n] x + B[n], the first one first."""
    a, b = np.ones(len(A), np.int64), np.zeros(len(A), np.int64)
    for n in range(A.shape[1]):
        a, b = A[:, n] * a, A[:, n] * b + B[:, n]
    return a, b


def more_calls(kind, shape, rng):
    """name, inputs, outputs, bound"""
    n = shape[1]
    if kind == "f32" and n:
        X = rng.integers(-9, 10, shape).astype(np.float32)
        X[rng.random(shape) < 2 / n] = np.nan
        yield "argmax_with_nan", [X], (X.max(1), X.argmax(1).astype(np.int32)), 0
    if kind == "f64":
        X = rng.normal(size=shape)
        yield "logsumexp", [X], (np.logaddexp.reduce(X, 1) if n else np.full(len(X), -np.inf),), 8 * (n + 2) * 2.0**-53
    if kind in ("f64", "i8") and n <= 300:  # one invocation does it
        A, B = rng.choice([-1, 1, 2], shape, p=[0.4, 0.5, 0.1]), rng.integers(-5, 6, shape)
        yield "composed", [A, B], composition(A, B), 0


def build(folder, kind, target, *flags):
    (folder / "combiners.tc").write_text(_SPEC)
    stem = f"combiners_{kind}_{target.replace('-', '_')}{len(flags)}"
    einc_tool.must(einc_tool.run("build", folder / "combiners.tc", f"--target={target}", "--sources-only", "-o", folder, f"--name={stem}",
                                 f"--type=T={kind}", *flags, timeout=900))
    return stem


def checked(folder, stem, todo):
    """What is wrong with each of these calls, all in one process."""
    messages = []
    library = device.Library(folder, stem, messages)
    for name, inputs, want, bound in todo:
        with np.errstate(invalid="ignore"):
            wrong = combiners_test.differs_by(lambda arrays: library.run(name, arrays), inputs, want, bound)
        yield f"{name} {inputs[0].shape} {'in columns' if inputs[0].flags.f_contiguous else ''}", "\n".join(filter(None, [wrong, *messages]))
        messages.clear()
    library.close()


def all_right(folder, stem, todo):
    return "\n".join(f"{name}: {wrong[:400]}" for name, wrong in checked(folder, stem, todo) if wrong)


def calls(kind, rng, sizes):
    for shape in sizes:
        for call in [*combiners_test.calls(kind, shape, rng), *more_calls(kind, shape, rng)]:
            yield call
            if call[0].endswith("columns"):  # that lie one after the other
                yield (call[0], [np.asfortranarray(call[1][0])], *call[2:])


def is_caught(folder, plant, name):
    """What is wrong: the cases did not notice a tree that was miscompiled on purpose."""
    stem = build(folder, "f32", "vulkan-software", f"--def={name}", "--plant", plant)
    rng = np.random.default_rng(3)
    todo = []
    for shape in [(100, 70), (50, 2100)]:
        X = rng.permutation(shape[0] * shape[1]).reshape(shape).astype(np.float32)
        todo.append((name, [X], (X.max(1), X.argmax(1)), 0))
    return None if all_right(folder, stem, todo) else f"{plant} in {name} went by"


def main():
    cases, folder, rng = einc_tool.Cases(), einc_tool.scratch(), np.random.default_rng(12)
    for number, kind in enumerate(_KINDS if einc_tool.LONG else _KINDS[:2]):
        target = _TARGETS[number % 2]
        stem = build(folder, kind, target)
        cases.run_apart(f"{kind} {target}", all_right, folder, stem, calls(kind, rng, _SIZES if einc_tool.LONG or number == 0 else _SIZES[::2]))
    for plant in ("no-barrier", "drop-last"):
        cases.run_apart(f"planted: {plant}", is_caught, folder, plant, "argmax_of_rows")
    cases.finish()


if __name__ == "__main__":
    main()
