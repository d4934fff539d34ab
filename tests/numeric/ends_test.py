# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Products whose sums are max or min, bit for bit: NaN (any), infinities, and zeros of both signs.

Some tiles have NaN, others none; sizes are at the edges of tiles, beyond blocks, and known or not. For each target
that runs here, and as vectors of a target in the interpreter.
"""

import functools
import shutil

import numpy as np

from tests.numeric import abi, einc_tool

# C(m, n) = max or min of C(m, n) and a term, over k: the update, the term, whether it is max, the term in Python.
_FORMS = {
    "max_plus": ("max=", "A(m, k) + B(k, n)", True, np.add),
    "min_plus": ("min=", "A(m, k) + B(k, n)", False, np.add),
    "max_times": ("max=", "A(m, k) * B(k, n)", True, np.multiply),
    "min_max": ("min=", "max(A(m, k), B(k, n))", False, lambda a, b: limit(True, a, b)),
    "max_of_abs": ("max=", "min(abs(A(m, k)), -B(k, n))", True, lambda a, b: limit(False, np.abs(a), -b)),
    # No max or min of sums, but in them: the same number of times 0.5, which is exact.
    "sum_of_max": ("+=", "max(A(m, k), B(k, n)) * 0.5", None, lambda a, b: limit(True, a, b) / 2),
}
_TYPES = {"f32": np.float32, "f64": np.float64}
_KNOWN = {(8, 48, 33), (5, 3, 40), (9, 23, 7)}
_SIZES = [(9, 50, 5), (8, 48, 33), (5, 3, 40), (67, 131, 40), (130, 100, 700), (9, 23, 7), (1, 17, 3), (3, 4, 0)]
_TARGETS = ["x86-64-v2", "x86-64-v3", "native"]


def limit(larger, a, b):
    """max and min as the spec has them: NaN if either is, -0 below +0."""
    best = np.maximum(a, b) if larger else np.minimum(a, b)
    negative = np.signbit(a) & np.signbit(b) if larger else np.signbit(a) | np.signbit(b)
    zero = np.where(negative, -0.0, 0.0)
    return np.where((a == 0) & (b == 0), zero, best).astype(a.dtype)


def name_of(form, kind, size):
    return f"{form}_{kind}" + ("_{}_{}_{}".format(*size) if size in _KNOWN else "")


def is_there(form, kind, size):
    """Not all in f64, and of known sizes: it is compiled three times."""
    return kind == "f32" or (form in ("max_plus", "min_max") and size not in _KNOWN)


def spec():
    text = ""
    for form, (update, term, *_) in _FORMS.items():
        for kind in _TYPES:
            for m, n, k in [("M", "N", "K"), *sorted(_KNOWN)]:
                if is_there(form, kind, (m, n, k)):
                    text += (f"def {name_of(form, kind, (m, n, k))}(A: {kind}({m}, {k}), B: {kind}({k}, {n})) -> "
                             f"(C: {kind}({m}, {n})) {{ C(m, n) {update} {term}; }}\n")
    return text


def draw(dtype, rng, shape, odd):
    """Whole numbers, infinities, zeros of both signs, and as much NaN as `odd` says."""
    values = np.array([-np.inf, -2, -1, -0.0, 0.0, 1, 2, np.inf], dtype)
    array = rng.choice(values, shape, p=[0.02, 0.06, 0.12, 0.3, 0.3, 0.12, 0.06, 0.02])
    return np.where(rng.random(shape) < odd, dtype(np.nan), array).astype(dtype)


@functools.lru_cache(None)  # the same for every target
def data(form, kind, size, odd):
    m, n, k = size
    rng = np.random.default_rng([len(form), *size])
    A, B, C = (draw(_TYPES[kind], rng, shape, odd) for shape in ((m, k), (k, n), (m, n)))
    update, _, larger, over = _FORMS[form]
    wanted = C
    for i in range(k):
        term = over(*np.broadcast_arrays(A[:, i, None], B[None, i]))
        wanted = wanted + term if larger is None else limit(larger, wanted, term)
    return A, B, C, wanted.astype(_TYPES[kind])


def difference(got, wanted, signs):
    """Where they differ in more than which NaN it is."""
    wrong = (got != wanted) & ~(np.isnan(got) & np.isnan(wanted))
    if signs:
        wrong |= (np.signbit(got) != np.signbit(wanted)) & ~np.isnan(wanted)
    return f"at {np.argwhere(wrong)[0]}: {got[wrong][0]}, not {wanted[wrong][0]}" if wrong.any() else None


def call(library, form, kind, size, odd):
    A, B, C, wanted = data(form, kind, size, odd)
    whole = np.full((C.shape[0], C.shape[1] + 3), 7, C.dtype)  # what is beside the output stays
    got = whole[:, : C.shape[1]]
    got[...] = C
    status = library.kernel(name_of(form, kind, size))(*map(abi.describe, (A, B, got)))
    if status or (whole[:, C.shape[1] :] != 7).any():
        return f"status {status}, or written beside the output"
    # Sums of zeros: their sign is that of the order of adding up, which is free.
    return difference(got, wanted, _FORMS[form][2] is not None)


def interpret(folder, form, kind, size, odd):
    A, B, C, wanted = data(form, kind, size, odd)
    args = ["eval", folder / "ends.tc", "--def", name_of(form, kind, size), "--engine=hw", "--target=x86-64-v4"]
    for tensor, array in {"A": A, "B": B, "C": C}.items():
        np.save(folder / f"{tensor}.npy", array)
        args += ["--in", f"{tensor}={folder}/{tensor}.npy"]
    einc_tool.must(einc_tool.run(*args, "--out", f"C={folder}/out.npy"))
    return difference(np.load(folder / "out.npy"), wanted, _FORMS[form][2] is not None)


def main():
    cases, folder = einc_tool.Cases(), einc_tool.scratch()
    (folder / "ends.tc").write_text(spec())
    runs = [(form, kind, size, odd) for form in _FORMS for kind in _TYPES for size in _SIZES for odd in (0, 0.001, 0.05)
            if is_there(form, kind, size)]
    for target in _TARGETS:
        library = abi.build_sources(folder, target.replace("-", ""), [folder / "ends.tc"], "-O0", f"--target={target}")
        for run in runs:
            cases.run(f"{target} {run}", call, library, *run)
    for form in _FORMS:
        for kind, size, odd in (("f32", (9, 23, 7), 0), ("f32", (9, 50, 5), 0.01), ("f64", (1, 17, 3), 0.01)):
            if is_there(form, kind, size):
                cases.run(f"hw {form} {kind} {size}", interpret, folder, form, kind, size, odd)
    shutil.rmtree(folder)
    cases.finish()


if __name__ == "__main__":
    with np.errstate(all="ignore"):
        main()
