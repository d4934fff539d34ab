# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Products of bytes, and of 16 bits, along what both inputs are contiguous in: with vectors, a few rows, dot products, and batches of
them. Any numbers of terms around words and vectors, any layouts, the ends of each type. Exact, modulo 2^32."""

import ctypes
import itertools

import numpy as np

from tests.numeric import abi, einc_tool, features, guarded
from tests.numeric.words_test import stored

# Shapes of A, x and y, as letters.
FORMS = {"vector": ("mk", "k", "m"), "dot": ("k", "k", ""), "pairs": ("bk", "bk", "b"), "batch": ("bmk", "bk", "bm"), "rows": ("mk", "nk", "nm"),
         "columns": ("nk", "mk", "nm"), "products": ("bmk", "bnk", "bmn")}  # fmt: skip
TYPES = [("u8", "i8"), ("i8", "i8"), ("i8", "u8"), ("u8", "u8"), ("i16", "i16"), ("u16", "i16")]
# Zero points of A and x.
ZEROS = {"vector": (3, -7), "rows": (-131, 0), "dot": (0, 99), "products": (5, 6)}
TERMS = [0, 1, 3, 4, 5, 15, 16, 17, 31, 32, 63, 64, 65, 127, 128, 130, 255, 256, 257, 300, 1000, 2051]
OTHERS = [(1, 1, 2), (4, 4, 1), (5, 3, 2), (8, 2, 3), (9, 8, 1), (3, 9, 1), (4, 5, 0), (17, 1, 1), (2, 4, 2)]  # m, n, b


def spec():
    text = ""
    for (form, (a, x, y)), (first, second) in itertools.product(FORMS.items(), TYPES):
        shapes = ["(" + ", ".join(letters) + ")" for letters in (a, x, y)]
        sizes = [shape.upper() for shape in shapes]
        start = "+=!" if first == second else "+="
        text += f"def {form}_{first}_{second}(A: {first}{sizes[0]}, x: {second}{sizes[1]}) -> (y: i32{sizes[2]}) {{\n"
        text += f"  y{shapes[2]} {start} cast<i32>(A{shapes[0]}) * cast<i32>(x{shapes[1]});\n}}\n"
        if form in ZEROS:
            text += f"def {form}_{first}_{second}_zero(A: {first}{sizes[0]}, x: {second}{sizes[1]}, s: i32, t: i32) -> (y: i32{sizes[2]}) {{\n"
            text += f"  y{shapes[2]} {start} (cast<i32>(A{shapes[0]}) - s) * (cast<i32>(x{shapes[1]}) - t);\n}}\n"
    return text


def laid_out(array, how):
    """As it lies in memory: between pages that nobody may touch, every other element, turned or backwards."""
    if how == "gaps":
        wide = np.zeros([2 * n for n in array.shape], array.dtype)[tuple(slice(None, None, 2) for _ in array.shape)]
        wide[...] = array
        return wide
    if how == "turned":
        return np.ascontiguousarray(array.T).T
    if how == "backwards":
        back = tuple(slice(None, None, -1) for _ in array.shape)
        return np.ascontiguousarray(array[back])[back]
    pages = guarded.Pages(array.nbytes, at_end=how == "end")
    flat = pages.array(array.dtype).reshape(array.shape)
    flat[...] = array
    laid_out.pages.append(pages)
    return flat


laid_out.pages = []


def product(library, form, kinds, zero, sizes, how, ends, rng):
    a_letters, x_letters, y_letters = FORMS[form]
    (a, a_values), (x, x_values) = (stored(rng, kind, tuple(sizes[c] for c in letters), ends) for kind, letters in zip(kinds, (a_letters, x_letters)))
    s, t = ZEROS[form] if zero else (0, 0)
    exact = np.einsum(f"{a_letters},{x_letters}->{y_letters}", a_values - s, x_values - t)
    results = rng.integers(-9, 9, np.shape(exact)).astype(np.int32)
    if kinds[0] != kinds[1]:
        exact = exact + results
    name = "_".join([form, *kinds, *(["zero"] if zero else [])])
    inputs = [laid_out(array, how) for array in (a, x)]
    status = library.kernel(name)(*map(abi.describe, inputs), *([ctypes.c_int32(s), ctypes.c_int32(t)] if zero else []), abi.describe(results))
    for pages in laid_out.pages:
        pages.close()
    laid_out.pages.clear()
    if status:
        return f"status {status}"
    wrong = np.argwhere((exact & 0xFFFFFFFF).astype(np.uint32).view(np.int32) != results)
    return f"at {wrong[0]}: {results[tuple(wrong[0])]}, expected {exact[tuple(wrong[0])]}" if len(wrong) else None


def kernels(few=False):
    """Which there are: form, types, whether there are zero points. Or some of them."""
    for form, kinds, zero in itertools.product(FORMS, TYPES, [False, True]):
        if (not zero or form in ZEROS) and not (few and (form not in ("vector", "rows") or kinds[1] == "u8")):
            yield form, kinds, zero


def run(cases, library, what, rng, terms=None, others=None, hows=("end", "begin", "gaps", "turned", "backwards"), few=False):
    for number, (form, kinds, zero) in enumerate(kernels(few)):
        for index, k in enumerate(terms or TERMS):
            m, n, b = others or OTHERS[(index + number) % len(OTHERS)]
            for how in hows:
                ends = (index + number) % 3 == 0
                case = f"{form} {kinds} {zero} {m} {n} {b} {k} {how} {what}"
                cases.run(case, product, library, form, kinds, zero, dict(m=m, n=n, b=b, k=k), how, ends, rng)


def main():
    cases = einc_tool.Cases()
    folder = einc_tool.scratch()
    source = folder / "along.tc"
    source.write_text(spec())
    rng = np.random.default_rng(26)

    def built(name, *flags, few=False):
        names = ["_".join([form, *kinds, *(["zero"] if zero else [])]) for form, kinds, zero in kernels(few)]
        return abi.build_sources(folder / name, "along", [source], "-O1", *flags, *[f"--def={name}" for name in names])

    run(cases, built("native", "--target=native"), "native", rng)
    for target, needed in features.targets().items():
        if target.startswith("x86") and needed <= features.here():
            run(cases, built(target, f"--target={target}", few=True), target, rng, hows=("end", "gaps"), few=True)
    for m, n, b, k in [(5, 3, 2, 64), (8, 8, 2, 300), (16, 5, 2, 66), (3, 17, 1, 3)]:
        sizes = [f"--dim={name}={size}" for name, size in dict(M=m, N=n, K=k).items()]
        run(cases, built(f"known {k}", "--target=native", *sizes, few=True), "known", rng, [k], (m, n, b), ("end", "gaps"), few=True)
    run(cases, built("threads", "--target=native", "--threads=2", few=True), "threads", rng, [130, 2051], (300, 3, 4), ("end",), few=True)
    cases.finish()


if __name__ == "__main__":
    main()
