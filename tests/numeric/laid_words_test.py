# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Products of bytes whose words an instruction reads where they are on both sides, since a spec has them side by side, as libraries
lay out weights beforehand; and windows over images of a few channels, of which a copy has whole words. Exact, modulo 2^32."""

import numpy as np

from tests.numeric import abi, einc_tool, features
from tests.numeric.words_test import laid_out, stored

SPEC = """
def row(A: u8(M, K), B: i8(L, 48, 4)) -> (C: i32(M, 48)) { C(m, n) +=! cast<i32>(A(m, l * 4 + i)) * cast<i32>(B(l, n, i)); }
def narrow(A: u8(M, K), B: i8(L, 7, 4)) -> (C: i32(M, 7)) { C(m, n) += cast<i32>(A(m, l * 4 + i)) * cast<i32>(B(l, n, i)); }
def any(A: u8(M, K), B: i8(L, N, 4)) -> (C: i32(M, N)) { C(m, n) +=! cast<i32>(A(m, l * 4 + i)) * cast<i32>(B(l, n, i)); }
def panels(A: u8(M, K), B: i8(P, L, 32, 4)) -> (C: i32(M, P, 32)) {
  C(m, p, n) +=! cast<i32>(A(m, l * 4 + i)) * cast<i32>(B(p, l, n, i));
}
def batch(A: u8(X, M, K), B: i8(X, L, 16, 4)) -> (C: i32(X, M, 16)) {
  C(x, m, n) +=! cast<i32>(A(x, m, l * 4 + i)) * cast<i32>(B(x, l, n, i));
}
def moved(A: i8(M, K), B: i8(L, 16, 4)) -> (C: i32(M, 16)) { C(m, n) +=! cast<i32>(A(m, l * 4 + i)) * cast<i32>(B(l, n, i)); }
def eight(A: u8(M, K), B: i8(L, 16, 8)) -> (C: i32(M, 16)) { C(m, n) +=! cast<i32>(A(m, l * 8 + i)) * cast<i32>(B(l, n, i)); }
def relu(A: u8(M, K), B: i8(L, 48, 4), D: i32(48)) -> (C: i32(M, 48)) {
  C(m, n) = D(n);
  C(m, n) += cast<i32>(A(m, l * 4 + i)) * cast<i32>(B(l, n, i));
  C(m, n) = max(C(m, n), 0);
}
def windows(I: u8(N, H, W, C), B: i8(P, 3, 3, L, 16, 4)) -> (O: i32(N, H, W, P, 16)) {
  O(n, h, w, p, f) +=! cast<i32>(I(n, h + y - 1, w + x - 1, l * 4 + i) else 0) * cast<i32>(B(p, y, x, l, f, i));
}
"""
# Formulas of what is not in the spec's order, and shapes for m, l, n.
LAID = {
    "row": ("mli,lni->mn", lambda m, l, n: [(m, 4 * l), (l, 48, 4)]),
    "narrow": ("mli,lni->mn", lambda m, l, n: [(m, 4 * l), (l, 7, 4)]),
    "any": ("mli,lni->mn", lambda m, l, n: [(m, 4 * l), (l, n, 4)]),
    "panels": ("mli,plni->mpn", lambda m, l, n: [(m, 4 * l), (n % 5, l, 32, 4)]),
    "batch": ("xmli,xlni->xmn", lambda m, l, n: [(3, m, 4 * l), (3, l, 16, 4)]),
    "moved": ("mli,lni->mn", lambda m, l, n: [(m, 4 * l), (l, 16, 4)]),
    "eight": ("mli,lni->mn", lambda m, l, n: [(m, 8 * l), (l, 16, 8)]),
    "relu": ("mli,lni->mn", lambda m, l, n: [(m, 4 * l), (l, 48, 4)]),
}
SIZES = [(1, 1, 1), (2, 0, 3), (6, 3, 64), (7, 5, 65), (13, 64, 4), (50, 300, 96), (131, 17, 33)]
# A window of so many channels, its type and that of the image, what is outside, and the step.
COLOURS = [(3, "u8", "i8", 0, 1), (3, "u8", "i8", 200, 2), (3, "i8", "u8", 5, 1), (3, "u8", "u8", 0, 2), (3, "i8", "i8", 0, 1),
           (6, "u8", "i8", 9, 1), (7, "u8", "i8", None, 1), (3, "u8", "i8", None, 2), (5, "u8", "i8", 1, 1), (13, "i8", "u8", 0, 3)]  # fmt: skip
IMAGES = [(1, 5, 6, 3), (2, 17, 19, 16), (1, 40, 33, 50)]


def colours_spec():
    """A def for each row of COLOURS; without anything outside windows are inside."""
    text = ""
    for number, (channels, image, window, outside, step) in enumerate(COLOURS):
        at = "n, h * {0} + y{1}, w * {0} + x{1}, c".format(step, "" if outside is None else " - 1")
        other = "" if outside is None else f" else {outside}"
        text += f"def colours_{number}(I: {image}(N, H, W, {channels}), F: {window}(3, 3, {channels}, O)) -> (R: i32(N, Y, X, O)) {{\n"
        text += f"  R(n, h, w, o) +=! cast<i32>(I({at}){other}) * cast<i32>(F(y, x, c, o));\n}}\n"
    return text


def cut(exact):
    return (exact & 0xFFFFFFFF).astype(np.uint32).view(np.int32)


def compared(status, results, exact):
    if status:
        return f"status {status}"
    wrong = np.argwhere(cut(exact) != results)
    return f"at {wrong[0]}: {results[tuple(wrong[0])]}, expected {cut(exact)[tuple(wrong[0])]}" if len(wrong) else None


def windows(image, window, outside, step, channels_last):
    """Of windows of 3 x 3 positions; with something outside as many as the image has."""
    wide = image if outside is None else np.pad(image, ((0, 0), (1, 1), (1, 1), (0, 0)), constant_values=outside)
    rows, columns = ((n - 3) // step + 1 for n in wide.shape[1:3])
    result = 0
    for y in range(3):
        for x in range(3):
            part = wide[:, y : y + step * rows - step + 1 : step, x : x + step * columns - step + 1 : step]
            result = result + np.einsum(channels_last, part, window[y, x])
    return result


def gaps(array):
    """Words that are not side by side."""
    wide = np.zeros([*array.shape[:-2], 2 * array.shape[-2], array.shape[-1]], array.dtype)
    wide[..., ::2, :] = array
    return wide[..., ::2, :]


def laid(library, name, size, how, ends, rng):
    formula, shapes = LAID[name]
    (a, a_values), (b, b_values) = (stored(rng, kind, shape, ends) for kind, shape in zip(("i8" if name == "moved" else "u8", "i8"), shapes(*size)))
    words = a_values.reshape(*a.shape[:-1], -1, b.shape[-1]) if b.shape[-3] else np.zeros((*a.shape[:-1], 0, b.shape[-1]), int)
    exact = np.einsum(formula, words, b_values)
    results = rng.integers(-9, 9, exact.shape).astype(np.int32)
    inputs = [laid_out(a, 0), gaps(b) if how else laid_out(b, 0)]
    if name == "narrow":
        exact = exact + results
    if name == "relu":
        inputs.append(rng.integers(-1000, 1000, 48).astype(np.int32))
        exact = np.maximum(exact + inputs[-1], 0)
    return compared(library.kernel(name)(*map(abi.describe, inputs), abi.describe(results)), results, exact)


def laid_windows(library, size, how, rng):
    n, h, w, _ = size
    (i, i_values), (b, b_values) = stored(rng, "u8", (n, h, w, 20), False), stored(rng, "i8", (3, 3, 3, 5, 16, 4), False)
    window = np.transpose(b_values, (1, 2, 3, 5, 0, 4)).reshape(3, 3, 20, 48)
    exact = windows(i_values, window, 0, 1, "nhwc,cf->nhwf").reshape(n, h, w, 3, 16)
    results = np.zeros(exact.shape, np.int32)
    inputs = [laid_out(i, 0), gaps(b) if how else laid_out(b, 0)]
    return compared(library.kernel("windows")(*map(abi.describe, inputs), abi.describe(results)), results, exact)


def colours(library, number, size, ends, rng):
    channels, image, window, outside, step = COLOURS[number]
    n, h, w, o = size
    (i, i_values), (f, f_values) = stored(rng, image, (n, h, w, channels), ends), stored(rng, window, (3, 3, channels, o), ends)
    exact = windows(i_values, f_values, outside, step, "nhwc,co->nhwo")
    results = np.zeros(exact.shape, np.int32)
    return compared(library.kernel(f"colours_{number}")(*map(abi.describe, [laid_out(i, 0), laid_out(f, 0), results])), results, exact)


# Vectors along rows, of which the last ones may be missing: their words are read one by one, each with a test.
SCHEDULE = """einc_schedule 1
schedule @row for "TARGET" {
  op 0 { loops }
  op 1 {
    when contiguous(A, i) and contiguous(B, n * i) {
      tile n by 16 words A along i for vpdpbusd words B along i for vpdpbusd tile l by 1 tile m by 4 vectorize (m: 4, n: 16)
    } otherwise { loops }
  }
}
"""


def main():
    cases = einc_tool.Cases()
    folder = einc_tool.scratch()
    spec = folder / "laid.tc"
    spec.write_text(SPEC + colours_spec())
    rng = np.random.default_rng(25)
    levels = {name: needed for name, needed in features.targets().items() if name.startswith("x86")}
    for target in ["native", *[name for name, needed in levels.items() if needed <= features.here()]]:
        library = abi.build_sources(folder / target, "laid", [spec], "-O1", f"--target={target}")
        for name in LAID:
            for number, size in enumerate(SIZES):
                for how in range(2):
                    cases.run(f"{name} {size} {['side by side', 'with gaps'][how]} {target}", laid, library, name, size, how, number % 3 == 1, rng)
        for size in IMAGES:
            for how in range(2):
                cases.run(f"windows {size} {['side by side', 'with gaps'][how]} {target}", laid_windows, library, size, how, rng)
            for number, row in enumerate(COLOURS):
                for ends in [False, True]:
                    cases.run(f"colours {row} {size} {target}", colours, library, number, size, ends, rng)
    for target in [name for name in ["x86-64-v3-vnni", "x86-64-v4-vnni"] if levels[name] <= features.here()]:
        schedule = folder / f"{target}.schedule"
        schedule.write_text(SCHEDULE.replace("TARGET", target))
        library = abi.build_sources(folder / f"steps {target}", "laid", [spec], "-O1", f"--target={target}", "--def=row", f"--schedule={schedule}")
        for size in SIZES:
            cases.run(f"row {size} by steps {target}", laid, library, "row", size, 0, False, rng)
    for size in IMAGES:
        n, h, w, o = size
        for number, (channels, *_, outside, step) in enumerate(COLOURS):
            (rows, columns) = ((k - (3 if outside is None else 1)) // step + 1 for k in (h, w))
            known = abi.build_sources(folder / f"known {h} {number}", "laid", [spec], "-O1", "--target=native", f"--def=colours_{number}",
                                      *[f"--dim={k}={v}" for k, v in dict(N=n, H=h, W=w, O=o, Y=rows, X=columns).items()])  # fmt: skip
            cases.run(f"colours {COLOURS[number]} {size} known", colours, known, number, size, False, rng)
    cases.finish()


if __name__ == "__main__":
    main()
