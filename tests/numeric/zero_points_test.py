# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Products of integers less zero points that are tensors: for each row, column, both, batch or matrix; what is subtracted; windows that
see what is outside. Any sizes around words and tiles, any strides, the ends of each type. Exact, modulo 2^32.
"""

import ctypes
import itertools

import numpy as np

from tests.numeric import abi, einc_tool, words_test

_TYPES = {**words_test._TYPES, "i4": np.int8, "u4": np.uint8, "i32": np.int32}


def _product(first, second):
    return (f"A:{first}:mk B:{second}:kn za:{first}:m zb:{second}:n", "mn", "+=!", "(A(m, k) - za(m)) * (B(k, n) - zb(n))",
            lambda A, B, za, zb: (A - za) * (B - zb))  # fmt: skip


# Name: inputs with their types and indices (none: a scalar), indices of the result, the statement, and what is added up.
PRODUCTS = {
    "us": _product("u8", "i8"),
    "su": _product("i8", "u8"),
    "ss": _product("i8", "i8"),
    "uu": _product("u8", "u8"),
    "columns": ("A:u8:mk B:i8:nk zb:i8:n a", "mn", "+=!", "(A(m, k) - a) * (B(n, k) - zb(n))", lambda A, B, zb, a: (A - a) * (B - zb)),
    "rows": ("A:u8:km B:i8:kn za:u8:m b", "mn", "+=", "(za(m) - A(k, m)) * (B(k, n) - b)", lambda A, B, za, b: (za - A) * (B - b)),
    "matrix": ("A:i8:mk B:i8:kn za:i8: zb:i8:", "mn", "+=!", "(A(m, k) - za()) * (B(k, n) - zb())",
               lambda A, B, za, zb: (A - za) * (B - zb)),
    "wide": ("A:i8:mk B:i8:kn za:i32:m zb:i32:n", "mn", "-=", "(A(m, k) + za(m)) * (zb(n) + B(k, n) + 3)",
             lambda A, B, za, zb: (A + za) * (zb + B + 3)),
    "narrow": ("A:u8:mk B:u8:kn za:u8:m zb:u8:n", "mn", "+=!",
               "cast<i32>(cast<i16>(A(m, k)) - cast<i16>(za(m))) * cast<i32>(cast<i16>(zb(n)) - cast<i16>(B(k, n)))",
               lambda A, B, za, zb: (A - za) * (zb - B)),
    "crossed": ("A:u8:mk B:i8:kn za:u8:n zb:i8:n", "mn", "+=!", "(A(m, k) - za(n)) * (B(k, n) - zb(n))",
                lambda A, B, za, zb: (A - za) * (B - zb)),
    "batch": ("A:u8:bmk B:i8:bkn za:u8:b zb:i8:bn", "bmn", "+=!", "(A(b, m, k) - za(b)) * (B(b, k, n) - zb(b, n))",
              lambda A, B, za, zb: (A - za) * (B - zb)),
    "several": ("A:u8:mkl B:i8:lnk zb:i8:n", "nm", "+=!", "A(m, k, l) * (B(l, n, k) - zb(n))", lambda A, B, zb: A * (B - zb)),
    "words": ("A:i16:mk B:i8:kn zb:i8:n", "mn", "+=!", "A(m, k) * (B(k, n) - zb(n))", lambda A, B, zb: A * (B - zb)),
    "halves": ("A:i8:mk B:i4:nk zb:i4:n", "mn", "+=!", "A(m, k) * (B(n, k) - zb(n))", lambda A, B, zb: A * (B - zb)),
    "groups": ("A:u8:mlk B:u4:nlk zb:u4:nl", "mn", "+=!", "A(m, l, k) * (B(n, l, k) - zb(n, l))", lambda A, B, zb: A * (B - zb)),
    "minus": ("A:u8:mk B:i8:kn", "mn", "-=", "A(m, k) * B(k, n)", lambda A, B: A * B),
    "vector": ("A:u8:k B:i8:kn zb:i8:n", "n", "+=!", "A(k) * (B(k, n) - zb(n))", lambda A, B, zb: A * (B - zb)),
}  # fmt: skip
_SIZES = [(1, 1, 1), (2, 3, 0), (8, 48, 4), (7, 47, 3), (9, 49, 5), (65, 50, 33), (70, 97, 129), (17, 300, 70)]

# R(n, h, w, o) of images I(n, h, w, c) and filters F(p, q, c, o), each of which may be in another order; and of windows the step,
# what lies outside (None: nothing is), and whether there is a zero point for each image.
WINDOWS = {
    "nhwc": ("nhwc", "pqco", "nhwo", 1, 5, False),
    "nchw": ("nchw", "ocpq", "nohw", 1, 0, False),
    "images": ("nhwc", "opqc", "nhwo", 1, 7, True),
    "steps": ("nhwc", "pqco", "nhwo", 2, 0, True),
    "inside": ("nhwc", "pqco", "nhwo", 1, None, False),
    "planes": ("nchw", "ocpq", "nohw", 1, None, True),
}
_IMAGES = [(1, 1, 1, 1, 1), (2, 7, 9, 5, 20), (1, 14, 14, 64, 50), (1, 9, 12, 3, 16), (1, 5, 6, 129, 33)]


def _inputs(text):
    for part in text.split():
        name, kind, letters = (part.split(":") + [None, None])[:3]
        yield name, kind, letters


def spec_of_product(name):
    inputs, result, how, statement, _ = PRODUCTS[name]
    arguments = [f"{value}: i32" if kind is None else f"{value}: {kind}({', '.join(letters.upper())})" for value, kind, letters in _inputs(inputs)]
    return f"def {name}({', '.join(arguments)}) -> (C: i32({', '.join(result.upper())})) {{ C({', '.join(result)}) {how} {statement}; }}\n"


def spec_of_windows(name):
    image, filters, result, step, pad, has_zeros = WINDOWS[name]
    first = "" if pad is None else " - 1"
    places = {"n": "n", "c": "c", "h": f"{step} * h + p{first}", "w": f"{step} * w + q{first}"}
    element = f"I({', '.join(places[i] for i in image)})" + ("" if pad is None else f" else {pad}")
    zeros = (", zi: u8(N)", " - zi(n)") if has_zeros else ("", "")
    sizes = {"h": "IH", "w": "IW", "n": "N", "c": "C"}
    return (f"def {name}(I: u8({', '.join(sizes[i] for i in image)}), F: i8({', '.join(filters.upper())}), zf: i8(O){zeros[0]}) "
            f"-> (R: i32({', '.join(result.upper())})) {{\n"
            f"  R({', '.join(result)}) +=! (({element}){zeros[1]}) * (F({', '.join(filters)}) - zf(o));\n}}\n")  # fmt: skip


SPEC = "".join(map(spec_of_product, PRODUCTS)) + "".join(map(spec_of_windows, WINDOWS))


def drawn(rng, kind, shape, ends):
    bits = int(kind[1:])
    least, count = (-(1 << (bits - 1)) if kind[0] == "i" else 0), 1 << bits
    values = least + rng.choice([0, count - 1], shape) if ends else rng.integers(least, least + count, shape)
    return np.asarray(values).astype(_TYPES[kind])


def laid_out(array, how):
    if array.ndim == 0 or array.size == 0:
        return array
    backwards = (slice(None, None, -1),) * array.ndim
    return np.ascontiguousarray(array[backwards])[backwards] if how == 3 else words_test.laid_out(array, how)


def described(kind, array, how):
    """The descriptor, and what is to stay alive while it is used."""
    if kind in ("i4", "u4"):
        data, words = abi.in_halves(array)
        return words, data
    array = laid_out(array, how)
    return abi.describe(array), array


def compared(library, name, arguments, results, exact):
    status = library.kernel(name)(*arguments, abi.describe(results))
    if status:
        return f"status {status}"
    cut = (exact & 0xFFFFFFFF).astype(np.uint32).view(np.int32)
    wrong = np.argwhere(cut != results)
    return f"at {wrong[0]}: {results[tuple(wrong[0])]}, expected {cut[tuple(wrong[0])]}" if len(wrong) else None


def product(library, name, sizes, how, ends, rng):
    inputs, letters, sign, _, term = PRODUCTS[name]
    extents = {**dict(zip("mnk", sizes)), "b": 2, "l": 3}
    every = sorted({letter for _, _, own in _inputs(inputs) for letter in own or ""})
    values, arguments, alive = {}, [], []
    for value, kind, own in _inputs(inputs):
        if kind is None:
            values[value] = int(rng.integers(-300, 300))
            arguments.append(ctypes.c_int32(values[value]))
            continue
        array = drawn(rng, kind, [extents[letter] for letter in own], ends)
        words, data = described(kind, array, how)
        arguments.append(words)
        alive.append(data)
        ordered = array.astype(np.int64).transpose(np.argsort(list(own), kind="stable"))
        values[value] = ordered.reshape([extents[letter] if letter in own else 1 for letter in every])
    sums = np.broadcast_to(term(**values), [extents[letter] for letter in every])
    exact = np.einsum(f"{''.join(every)}->{letters}", sums)
    results = rng.integers(-9, 9, exact.shape).astype(np.int32)
    if how == 1:
        results = np.asfortranarray(results)
    exact = {"+=!": exact, "+=": results + exact, "-=": results - exact}[sign]
    return compared(library, name, arguments, results, exact)


def windows(library, name, size, ends, rng):
    image, filters, result, step, pad, has_zeros = WINDOWS[name]
    n, h, w, c, o = size
    around = 2 if pad is None else 0
    values = drawn(rng, "u8", (n, step * h + around, step * w + around, c), ends)
    factors, zero = drawn(rng, "i8", (3, 3, c, o), ends), drawn(rng, "i8", (o,), ends)
    zeros = drawn(rng, "u8", (n,), ends)
    wide = values.astype(np.int64)
    if pad is not None:
        wide = np.pad(wide, ((0, 0), (1, 2), (1, 2), (0, 0)), constant_values=pad)
    if has_zeros:
        wide = wide - zeros.astype(np.int64)[:, None, None, None]
    exact = 0
    for p, q in itertools.product(range(3), range(3)):
        part = wide[:, p : p + step * h : step, q : q + step * w : step]
        exact = exact + np.einsum("nhwc,co->nhwo", part, factors[p, q].astype(np.int64) - zero)
    arrays = [np.ascontiguousarray(np.einsum(f"nhwc->{image}", values)), np.ascontiguousarray(np.einsum(f"pqco->{filters}", factors)), zero]
    arrays += [zeros] if has_zeros else []
    exact = np.einsum(f"nhwo->{result}", exact)
    results = np.full(exact.shape, 77, np.int32)
    return compared(library, name, list(map(abi.describe, arrays)), results, exact)


def verified(spec, target):
    """The interpreter gets the same after each pass."""
    result = einc_tool.run("emit", spec, "--verify-each", f"--target={target}", "--stage=hw", *(f"--def={name}" for name in ["us", "wide", "images"]))
    return None if result.returncode == 0 else result.stderr[-300:]


def main():
    cases = einc_tool.Cases()
    folder = einc_tool.scratch()
    spec = folder / "zero_points.tc"
    spec.write_text(SPEC)
    rng = np.random.default_rng(31)
    for target in ["native", "x86-64-v3"]:
        library = abi.build_sources(folder / target, "zero_points", [spec], "-O1", f"--target={target}")
        for name in PRODUCTS:
            for number, size in enumerate(_SIZES):
                for how in range(4):
                    cases.run(f"{name} {size} {how} {target}", product, library, name, size, how, number % 4 == 2, rng)
        for name in WINDOWS:
            for number, size in enumerate(_IMAGES):
                cases.run(f"{name} {size} {target}", windows, library, name, size, number % 4 == 2, rng)
    some = ["us", "columns", "wide", "batch"]
    for how, flags, size in [("known", ["--dim=K=66", "--dim=N=80"], (37, 80, 66)), ("threads", ["--threads=2"], (130, 200, 65))]:
        defs = [f"--def={name}" for name in some]
        library = abi.build_sources(folder / how, "zero_points", [spec], "-O1", "--target=native", *defs, *flags)
        for name in some:
            cases.run(f"{name} {how}", product, library, name, size, 0, False, rng)
    cases.run("verified", verified, spec, "x86-64-v3")
    cases.finish()


if __name__ == "__main__":
    main()
