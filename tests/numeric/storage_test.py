# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""i4, u4, f8e4m3 and f8e5m2 in kernels and in files, against stored.py: every value cast to every type, numbers around each
rounding, elements at odd places that no neighbour may suffer from, products, and what is refused.

Tensors lie between guarded pages, in rows, with gaps, in other orders and backwards. Two builds trap what is undefined.
"""

import itertools

import numpy as np

from tests.numeric import aarch64, abi, compilers, einc_tool, scalars, stored

_TRAPS = ["-fsanitize=undefined,float-cast-overflow", "-fno-sanitize=unsigned-integer-overflow", "-fsanitize-trap=all"]
_BUILDS = [
    ("native", einc_tool.CLANG, ["-O0", *_TRAPS], []), ("x86-64-v3", einc_tool.GCC, ["-O2" if einc_tool.LONG else "-O0"], []),
    ("x86-64-v2", einc_tool.CLANG, ["-O0", *_TRAPS], []), ("x86-64-v3", einc_tool.CLANG, ["-O0"], ["--fp=strict"]), ("generic", einc_tool.GCC, ["-O1"], []),
]  # fmt: skip
_HOWS = ["rows", "gaps", "turned", "backwards"]
_LENGTHS = [0, 1, 2, 15, 16, 17, 33, 67]


# ---- Casts ----


def casts():
    """Pairs of types, one of which only stores numbers."""
    types = [*scalars.TYPES, *stored.KINDS]
    return [(s, t) for s in types for t in types if s in stored.KINDS or t in stored.KINDS]


def samples(source, target, rng):
    """Every value of types of at most 16 bits; of others the ends, and numbers around what the target rounds to."""
    if source in stored.HALVES:
        low, high = stored.ENDS[source]
        return np.arange(low, high + 1).astype(stored.DTYPES[source])
    if source in stored.SHORT:
        return stored.VALUES[source]
    if source == "bool":
        return np.array([False, True])
    if source in ("f16", "bf16"):
        return scalars.from_storage(source, np.arange(1 << 16).astype(np.uint16).view(scalars.storage_dtype(source)))
    if scalars.is_integer(source):
        info = np.iinfo(scalars.DTYPES[source])
        if info.bits <= 16:
            return np.arange(info.min, info.max + 1).astype(info.dtype)
        near = [sign * (2**e + d * 2 ** max(e - 4, 0) + off) for e in range(info.bits) for d in range(16) for off in (-1, 0, 1) for sign in (1, -1)]
        return np.array([n for n in near if info.min <= n <= info.max] + [info.min, info.max], info.dtype)
    near = np.arange(-20, 21, 0.5)
    if target in stored.SHORT:
        values = np.unique(stored.VALUES[target][:126].astype(np.float64))
        values = np.append(values[np.isfinite(values)], [480, 512, 57344, 61440, 65536])
        near = np.concatenate([values, (values[:-1] + values[1:]) / 2])
    dtype = scalars.DTYPES[source]
    near = np.concatenate([near, [0, 1e-46, 1e-40, 1e10, 1e38, np.inf, np.nan]]).astype(dtype)
    near = np.concatenate([near, np.nextafter(near, dtype(np.inf)), np.nextafter(near, dtype(-np.inf))])
    if source == "f64" and target in stored.SHORT:  # what f32 would round to the middle first
        near = np.concatenate([near, *(near[np.abs(near) < 1e30] * (1 + e) for e in (2.0**-40, -(2.0**-40)))])
    some = (rng.standard_normal(500) * 2.0 ** rng.integers(-18, 18, 500)).astype(dtype)
    return np.concatenate([near, -near, some])


def cast_cases(library, rng, pairs):
    for source, target in pairs:
        values = samples(source, target, rng)
        for part in [values, *(rng.choice(values, n) for n in _LENGTHS)]:
            how = _HOWS[len(part) % len(_HOWS)]
            wanted = stored.cast(part, source, target)
            there = np.zeros(len(part), stored.DTYPES[target])
            name = f"{source}_to_{target}"
            yield f"{name} {len(part)} {how}", stored.run, library.kernel(name), [(source, part)], [(target, there, wanted)], how, rng, len(part) != 15


# ---- Elements that are moved ----

# In these, T is a type and P a number of it. Outputs begin with what is in the last argument.
_MOVES = {
    "copy": ("A: T(M, N)) -> (C: T(M, N)) { C(m, n) = A(m, n); }", lambda a, c: a),
    "turn": ("A: T(M, N)) -> (C: T(N, M)) { C(n, m) = A(m, n); }", lambda a, c: a.T),
    "channels": ("A: T(N, H, W, D)) -> (C: T(N, D, H, W)) { C(n, d, h, w) = A(n, h, w, d); }", lambda a, c: a.transpose(0, 3, 1, 2)),
    "rows": ("A: T(N)) -> (C: T(M, N)) { C(m, n) = A(n); }", lambda a, c: np.broadcast_to(a, c.shape)),
    "columns": ("A: T(M)) -> (C: T(M, N)) { C(m, n) = A(m); }", lambda a, c: np.broadcast_to(a[:, None], c.shape)),
    "one": ("A: T()) -> (C: T()) { C() = A(); }", lambda a, c: a),
    "first": ("A: T(M, N)) -> (C: T()) { C() = A(0, 0); }", lambda a, c: a[0, 0]),
    "every_third": ("A: T(3 * N + 2)) -> (C: T(N)) { C(n) = A(3 * n + 1); }", lambda a, c: a[1:-1:3]),
    "apart": ("A: T(N)) -> (C: T(2 * N + 1)) { C(2 * n + 1) = A(n); }", lambda a, c: np.insert(c[::2], np.arange(1, len(a) + 1), a)),
    "reversed": ("A: T(N)) -> (C: T(N)) { C(N - 1 - n) = A(n); }", lambda a, c: a[::-1]),
    "doubled": ("A: T(N)) -> (C: T(2 * N)) { C(i) = A(i / 2); }", lambda a, c: np.repeat(a, 2)),
    "doubled_turned": ("A: T(N, M)) -> (C: T(M, 2 * N)) { C(m, i) = A(i / 2, m); }", lambda a, c: np.repeat(a.T, 2, 1)),
    "again": ("A: T(3)) -> (C: T(N)) { C(i) = A(i % 3); }", lambda a, c: np.resize(a, c.shape)),
    "flat": ("A: T(M, N)) -> (C: T(M * N)) { C(i) = A(i / N, i % N); }", lambda a, c: a.ravel()),
    "padded": ("A: T(M, N)) -> (C: T(M + 3, N + 2)) { C(m, n) = A(m - 1, n - 1) else P; }", None),
    "select": ("X: f32(M, N), A: T(M, N), B: T(M, N)) -> (C: T(M, N)) { C(m, n) = X(m, n) > 0 ? A(m, n) : B(m, n); }",
               lambda x, a, b, c: np.where(x > 0, a, b)),
    "gathered": ("A: T(N, 2)) -> (C: T(2, N)) { C(1, n) = A(n, 0); C(0, n) = A(n, 1); }", lambda a, c: a.T[::-1]),
    "local": ("A: T(M, N)) -> (C: f32(M, N), D: T(M, N)) { L(m, n) = A(m, n); C(m, n) = cast<f32>(L(m, n)) * 2; D(m, n) = L(m, n); }", None),
}  # fmt: skip
_PAD = {"i4": -3, "u4": 13, "f8e4m3": 0.4375, "f8e5m2": -6.0}


def numbers(kind, shape, rng):
    if kind in stored.HALVES:
        low, high = stored.ENDS[kind]
        return rng.integers(low, high + 1, shape).astype(stored.DTYPES[kind])
    if kind in stored.SHORT:
        return rng.choice(stored.VALUES[kind], shape)
    return rng.integers(-3, 4, shape).astype(scalars.DTYPES[kind])


def shapes_of(name, rng):
    m, n = int(rng.choice([0, 1, 2, 3, 7])), int(rng.choice([0, 1, 2, 15, 16, 17, 33, 64, 65, 131]))
    if rng.random() < 0.3:
        m, n = n, m
    return {
        "turn": [(m, n), (n, m)], "channels": [(2, m, 3, n), (2, n, m, 3)], "rows": [(n,), (m, n)], "columns": [(m,), (m, n)], "one": [(), ()],
        "first": [(m + 1, n + 1), ()], "every_third": [(3 * n + 2,), (n,)], "apart": [(n,), (2 * n + 1,)], "reversed": [(n,), (n,)],
        "doubled": [(n,), (2 * n,)], "doubled_turned": [(n, m), (m, 2 * n)], "again": [(3,), (n,)], "flat": [(m, n), (m * n,)], "padded": [(m, n), (m + 3, n + 2)],
        "select": [(m, n)] * 4, "gathered": [(n, 2), (2, n)],
    }.get(name, [(m, n)] * 2)  # fmt: skip


def move_cases(library, rng, kinds):
    for kind, (name, (_, wanted)) in itertools.product(kinds, _MOVES.items()):
        for _ in range(12 if einc_tool.LONG else 4):
            *shapes, last = shapes_of(name, rng)
            kinds = {"select": ["f32", kind, kind]}.get(name, [kind])
            inputs = [(k, numbers(k, shape, rng)) for k, shape in zip(kinds, shapes)]
            there, how = numbers(kind, last, rng), str(rng.choice(_HOWS))
            if name == "padded":
                want = np.pad(inputs[0][1], [(1, 2), (1, 1)], constant_values=_PAD[kind])
            else:
                want = inputs[0][1] if name == "local" else wanted(*(v for _, v in inputs), there)
            outputs = [(kind, there, want)]
            if name == "local":
                outputs.insert(0, ("f32", np.zeros(last, np.float32), want.astype(np.float32) * 2))
            yield f"{name} {kind} {shapes} {how}", stored.run, library.kernel(f"{name}_{kind}"), inputs, outputs, how, rng, rng.random() < 0.7


# ---- Products ----

# Types of operands and of sums, which are exact.
_PRODUCTS = [("i8", "i4", "i32"), ("u8", "u4", "i32"), ("i4", "i4", "i32"), ("u4", "i8", "i32"), ("f32", "i4", "f32"), ("u4", "f32", "f32"),
             ("bf16", "i4", "f32"), ("f16", "u4", "f16"), ("f8e4m3", "f8e4m3", "f32"), ("f8e5m2", "f32", "f32"), ("bf16", "f8e5m2", "f32"),
             ("f64", "f8e4m3", "f64")]  # fmt: skip
_EXTENTS = {"m": [0, 1, 2, 5, 33], "n": [0, 1, 7, 16, 17, 64, 70], "k": [0, 1, 2, 3, 4, 5, 15, 16, 17, 63, 64, 65, 66], "p": [2]}
# Of A, B and C; and what NumPy calls it. U, V and W are their types.
_FORMS = {
    "mm": ("A: U(M, K), B: V(K, N)) -> (C: W(M, N)) { C(m, n) += X(A(m, k)) * X(B(k, n)); }", "mk,kn->mn"),
    "mmt": ("A: U(M, K), B: V(N, K)) -> (C: W(M, N)) { C(m, n) += X(A(m, k)) * X(B(n, k)); }", "mk,nk->mn"),
    "tmm": ("A: U(K, M), B: V(K, N)) -> (C: W(M, N)) { C(m, n) += X(A(k, m)) * X(B(k, n)); }", "km,kn->mn"),
    "batched": ("A: U(P, M, K), B: V(P, N, K)) -> (C: W(P, M, N)) { C(p, m, n) += X(A(p, m, k)) * X(B(p, n, k)); }", "pmk,pnk->pmn"),
    "mv": ("A: U(K), B: V(N, K)) -> (C: W(N)) { C(n) += X(A(k)) * X(B(n, k)); }", "k,nk->n"),
    "vm": ("A: U(K), B: V(K, N)) -> (C: W(N)) { C(n) += X(A(k)) * X(B(k, n)); }", "k,kn->n"),
    "dot": ("A: U(K), B: V(K)) -> (C: W()) { C() += X(A(k)) * X(B(k)); }", "k,k->"),
    "groups": ("A: U(M, P, K), B: V(N, P, K)) -> (C: W(M, N)) { C(m, n) += X(A(m, p, k)) * X(B(n, p, k)); }", "mpk,npk->mn"),
    "nhwc": ("A: U(M, IH, K), B: V(H, K, N)) -> (C: W(M, OH, N)) { C(m, o, n) += X(A(m, o + h - 1, k) else 0) * X(B(h, k, n)); }", None),
    "nchw": ("A: U(M, K, IH), B: V(N, K, H)) -> (C: W(M, N, OH)) { C(m, n, o) += X(A(m, k, o + h - 1) else 0) * X(B(n, k, h)); }", None),
}  # fmt: skip


def terms(kind, shape, rng):
    """Of which all sums are exact."""
    if kind in stored.SHORT:
        values = stored.VALUES[kind]
        return rng.choice(values[(np.abs(values) <= 4) & (values * 8 == np.rint(values * 8))], shape)
    if kind in ("i8", "u8"):
        info = np.iinfo(scalars.DTYPES[kind])
        return rng.integers(info.min, info.max + 1, shape).astype(info.dtype)
    return numbers(kind, shape, rng)


def products_of(number):
    """Of a build: the first takes all, which is most of the time of this test, and the others half of them each."""
    return _PRODUCTS if number == 0 or einc_tool.LONG else _PRODUCTS[number % 2 :: 2]


def product_cases(library, rng, products):
    for (a, b, c), (name, (_, form)) in itertools.product(products, _FORMS.items()):
        for _ in range(6 if einc_tool.LONG else 2):
            d = {letter: int(rng.choice(extents)) for letter, extents in _EXTENTS.items()}
            if name in ("nhwc", "nchw"):
                d |= {"m": 1 + d["k"] % 2, "h": 3, "o": int(rng.choice([1, 6, 40]))}
                d["i"] = d["o"]
                form_of = "mik,hkn->mon" if name == "nhwc" else "mki,nkh->mno"
            else:
                form_of = form
            left, right, result = form_of.replace("->", ",").split(",")
            x, y = (terms(kind, [d[i] for i in dims], rng) for kind, dims in [(a, left), (b, right)])
            there = rng.integers(-2, 3, [d[i] for i in result]).astype(scalars.DTYPES[c])
            wide = np.int64 if c == "i32" else np.float64
            if "h" in d:
                axis = left.index("i")
                padded = np.pad(x.astype(wide), [(1, 1) if i == axis else (0, 0) for i in range(3)])
                windows = np.lib.stride_tricks.sliding_window_view(padded, 3, axis)  # and h behind
                product = np.einsum(f"{left.replace('i', 'o')}h,{right}->{result}", windows, y.astype(wide))
            else:
                product = np.einsum(form_of, x.astype(wide), y.astype(wide))
            if c == "f16" and np.max(np.abs(product), initial=0) > 2000:
                continue
            how = str(rng.choice(_HOWS))
            yield (f"{name} {a} {b} {c} {d} {how}", stored.run, library.kernel(f"{name}_{a}_{b}"), [(a, x), (b, y)], [(c, there, there + product)], how, rng)


_MORE = ["--def=weights", "--def=quantize", "--def=quantize_turned"]


def more_cases(library, rng):
    """Weights with scales of groups, and quantised outputs."""
    for m, n, g, k in [(1, 64, 3, 32), (3, 17, 2, 31), (0, 5, 2, 4), (5, 1, 1, 1), (4, 33, 0, 8)]:
        x, w = rng.integers(-3, 4, (m, g, k)).astype(np.float32), numbers("i4", (n, g, k), rng)
        scale, y = rng.choice(np.float32([0.25, 0.5, 2]), (n, g)), rng.integers(-9, 10, (m, n)).astype(np.float32)
        want = y + np.einsum("mgk,ngk,ng->mn", x.astype(np.float64), w.astype(np.float64), scale)
        yield f"weights {m} {n} {g} {k}", stored.run, library.kernel("weights"), [("f32", x), ("i4", w), ("f32", scale)], [("f32", y, want)], "gaps", rng
    yield from quantized_cases(library, rng, [(1, 1), (3, 5), (301, 257), (7, 4099), (0, 9)])


def quantized_cases(library, rng, shapes, hows=_HOWS):
    for (m, n), how in itertools.product(shapes, hows):
        x = (rng.standard_normal((m, n)) * 8).astype(np.float32)
        want = np.clip(np.rint(x * np.float32(0.5)), -8, 7).astype(np.int8)
        for name, result in [("quantize", want), ("quantize_turned", want.T)]:
            yield f"{name} {m} {n} {how}", stored.run, library.kernel(name), [("f32", x)], [("i4", np.full_like(result, 5), result)], how, rng


# ---- Views ----


def view_cases(library):
    status = abi.statuses()
    page = stored.guarded.Pages(8)
    data, copy, pairs = page.array(np.uint8), library.kernel("line"), library.kernel("copy_i4")

    def of(first, *sizes_strides):
        sizes, strides = sizes_strides[0::2], sizes_strides[1::2]
        return abi.descriptor_words(page.address, first, sizes, strides)

    def case(kernel, a, c, want):
        data[:] = np.arange(8) * 17 + 5
        found = kernel(a, c)
        return None if found == status[want] else f"status {found}, not {want}"

    yield "halves of the same bytes", case, copy, of(0, 7, 2), of(1, 7, 2), "OK"
    yield "a byte that both have", case, copy, of(0, 3, 1), of(3, 3, 1), "OK"
    yield "a half that both have", case, copy, of(0, 3, 1), of(2, 3, 1), "ALIASED"
    yield "every third of halves, apart", case, copy, of(0, 4, 3), of(1, 4, 3), "OK"
    yield "every second and third", case, copy, of(0, 4, 2), of(3, 4, 3), "ALIASED"
    yield "an output over itself", case, copy, of(0, 4, 1), of(8, 4, 0), "SELF_OVERLAP"
    yield "rows over rows", case, pairs, of(0, 2, 3, 3, 1), of(8, 2, 2, 3, 1), "SELF_OVERLAP"
    yield "rows beside rows", case, pairs, of(0, 2, 3, 3, 1), of(8, 2, 3, 3, 1), "OK"
    yield "no data", case, copy, of(0, 3, 1), abi.descriptor_words(0, 0, [3], [1]), "NULL_DATA"
    yield "no data is needed", case, copy, abi.descriptor_words(0, 0, [0], [1]), of(0, 0, 1), "OK"
    yield "other sizes", case, copy, of(0, 3, 1), of(8, 4, 1), "SIZE_MISMATCH"
    yield "a negative size", case, copy, of(0, -1, 1), of(8, -1, 1), "NEGATIVE_SIZE"
    yield "too far", case, copy, of(0, 4, 1 << 62), of(8, 4, 1), "OVERFLOW"


# ---- Files ----


def saved(path, kind, values):
    codes = stored.to_storage(kind, values)
    np.save(path, stored.pairs(codes) if kind in stored.HALVES else codes)
    is_odd = kind in stored.HALVES and values.ndim > 0 and values.shape[-1] % 2
    return f"{path}[..., 0:{values.shape[-1]}]" if is_odd else f"{path}"


def in_files(folder, spec, engine, name, inputs, outputs):
    folder.mkdir(exist_ok=True)
    args = ["eval", spec, f"--def={name}", f"--engine={engine}", "--target=native"]
    for value, (kind, values) in inputs.items():
        args += ["--in", f"{value}=" + saved(folder / f"{value}.npy", kind, values)]
    for value, (kind, there, _) in outputs.items():
        args += ["--in", f"{value}=" + saved(folder / f"{value}.npy", kind, there), "--out", f"{value}={folder}/{value}.out.npy"]
    einc_tool.must(einc_tool.run(*args))
    for value, (kind, there, want) in outputs.items():
        codes, n = np.load(folder / f"{value}.out.npy"), there.shape[-1] if there.ndim else None
        if kind in stored.HALVES:
            codes = stored.apart(codes)[(..., slice(n)) if n is not None else ()]
        wrong = stored.difference(stored.from_storage(kind, codes), want.astype(stored.DTYPES[kind]))
        if wrong:
            return f"{value}: {wrong}"
    return None


def file_cases(folder, spec, rng):
    engines = ["reference", "tiled", "vector", "hw", "native"]
    for number, (engine, kind) in enumerate(itertools.product(engines, stored.KINDS)):
        x, n = numbers(kind, (3, 7 + number % 2), rng), 7 + number % 2
        yield f"turn {kind} {engine}", in_files, folder, spec, engine, f"turn_{kind}", {"A": (kind, x)}, {"C": (kind, np.zeros_like(x.T), x.T)}
        padded = np.pad(x, [(1, 2), (1, 1)], constant_values=_PAD[kind])
        yield f"padded {kind} {engine}", in_files, folder, spec, engine, f"padded_{kind}", {"A": (kind, x)}, {"C": (kind, np.zeros_like(padded), padded)}
        yield f"one {kind} {engine}", in_files, folder, spec, engine, f"one_{kind}", {"A": (kind, x[0, 0])}, {"C": (kind, np.zeros_like(x[0, 0]), x[0, 0])}
        back = np.zeros(2 * n + 1, x.dtype)
        back[1::2] = x[0]
        yield f"apart {kind} {engine}", in_files, folder, spec, engine, f"apart_{kind}", {"A": (kind, x[0])}, {"C": (kind, np.zeros_like(back), back)}
        for source in ["f32", "f16", "i32"]:
            values = rng.choice(samples(source, kind, rng), 61 + number % 2)
            outputs = {"C": (kind, np.zeros(len(values), x.dtype), stored.cast(values, source, kind))}
            yield f"{source} to {kind} {engine}", in_files, folder, spec, engine, f"{source}_to_{kind}", {"A": (source, values)}, outputs
    for engine, (a, b, c) in itertools.product(engines, _PRODUCTS[:5] + _PRODUCTS[8:9]):
        x, y = terms(a, (5, 9), rng), terms(b, (9, 17), rng)
        want = x.astype(np.float64) @ y.astype(np.float64)
        outputs = {"C": (c, np.ones((5, 17), scalars.DTYPES[c]), 1 + want)}
        yield f"mm {a} {b} {engine}", in_files, folder, spec, engine, f"mm_{a}_{b}", {"A": (a, x), "B": (b, y)}, outputs


# ---- All of it ----


def write_specs(folder):
    (folder / "casts.tc").write_text("".join(f"def {s}_to_{t}(A: {s}(N)) -> (C: {t}(N)) {{ C(n) = cast<{t}>(A(n)); }}\n" for s, t in casts()))
    text = "def line(A: i4(N)) -> (C: i4(N)) { C(n) = A(n); }\n"
    for kind in stored.KINDS:
        for name, (form, _) in _MOVES.items():
            text += f"def {name}_{kind}(" + form.replace("T(", f"{kind}(").replace("else P", f"else {_PAD[kind]}") + "\n"
    (folder / "moves.tc").write_text(text)
    text = """
def weights(X: f32(M, G, K), W: i4(N, G, K), S: f32(N, G)) -> (Y: f32(M, N)) { Y(m, n) += X(m, g, k) * cast<f32>(W(n, g, k)) * S(n, g); }
def quantize(X: f32(M, N)) -> (Q: i4(M, N)) { Q(m, n) = cast<i4>(roundeven(X(m, n) * 0.5)); }
def quantize_turned(X: f32(M, N)) -> (Q: i4(N, M)) { Q(n, m) = cast<i4>(roundeven(X(m, n) * 0.5)); }
"""
    for a, b, c in _PRODUCTS:
        for name, (form, _) in _FORMS.items():
            for letter, kind in zip("UVW", (a, b, c)):
                form = form.replace(f": {letter}(", f": {kind}(")
            text += f"def {name}_{a}_{b}(" + form.replace("X(", f"cast<{c}>(") + "\n"
    (folder / "products.tc").write_text(text)


def built(folder, number, spec, target, compiler, flags, more, linked=()):
    name, here = f"{spec}{number}", folder / f"{spec}{number}"
    sources = abi.parts(here, name, [folder / f"{spec}.tc"], f"--target={target}", *more)
    compilers.compile_library(compiler, "-std=c99", "-w", "-fPIC", "-pthread", *flags, sources=sources, out=here / f"{name}.so", linked=linked)
    return abi.Library(here / f"{name}.so", here / f"{name}.json")


def cases_of_aarch64(folder, rng):
    """Under qemu; some of each, as compiling them takes longer."""
    pairs = [pair for pair in casts() if einc_tool.LONG or {"f32", "i8", "f64"} & {*pair}]
    kinds, products = stored.KINDS if einc_tool.LONG else ["i4", "f8e4m3"], _PRODUCTS if einc_tool.LONG else [_PRODUCTS[i] for i in (0, 2, 4, 8)]
    named = {
        "casts": (cast_cases, pairs, [f"{s}_to_{t}" for s, t in pairs]),
        "moves": (move_cases, kinds, [f"{name}_{kind}" for name in _MOVES for kind in kinds]),
        "products": (product_cases, products, [f"{name}_{a}_{b}" for name in _FORMS for a, b, _ in products]),
    }
    for spec, (made, what, defs) in named.items():
        library = aarch64.Library(folder / "aarch64" / spec, spec, [folder / f"{spec}.tc"], aarch64.CLANG, "-O0", "max", "--target=aarch64-bf16",
                                  *(f"--def={name}" for name in defs))
        for name, *case in made(library, rng, what):
            yield f"{name} (AArch64)", *case


def main():
    cases, folder, rng = einc_tool.Cases(), einc_tool.scratch(), np.random.default_rng(9)
    write_specs(folder)

    def run(what, *made):
        cases.run_all_apart([(f"{name} ({what})", function, *args) for name, function, *args in made])

    for number, (target, compiler, flags, more) in enumerate(_BUILDS):
        what = " ".join([target, compiler, *flags[:1], *more, *flags[1:2]])
        run(what, *cast_cases(built(folder, number, "casts", target, compiler, flags, more), rng, casts()))
        library = built(folder, number, "moves", target, compiler, flags, more)
        run(what, *move_cases(library, rng, stored.KINDS), *view_cases(library))
        products = products_of(number)
        defs = [f"--def={name}_{a}_{b}" for a, b, _ in products for name in _FORMS]
        library = built(folder, number, "products", target, compiler, flags, [*more, *_MORE, *defs])
        run(what, *product_cases(library, rng, products), *more_cases(library, rng))
    # Two threads write halves of one byte, where a part of the elements ends: of columns, in each.
    library = built(folder, "threads", "products", "native", einc_tool.CLANG, ["-O1", "-fopenmp"], ["--threads=2", *_MORE], ["-fopenmp"])
    run("threads", *quantized_cases(library, rng, [(301, 2011), (3, 200_001), (33, 20_001)], ["rows", *4 * ["turned"]]))
    for case in cases_of_aarch64(folder, rng):
        cases.run(*case)
    specs = {name: folder / f"{name}.tc" for name in ("casts", "moves", "products")}
    (folder / "all.tc").write_text("".join(path.read_text() for path in specs.values()))
    run("files", *file_cases(folder / "files", folder / "all.tc", rng))
    cases.finish()


if __name__ == "__main__":
    main()
