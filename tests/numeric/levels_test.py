# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Every level of the pipeline, for every target, computes what NumPy does.

Einsum strings of all kinds of ops, with sizes at the edges of tiles and vectors and arrays that are
views: interpreted as tiles, as n-D vectors and as vectors of each target, and run as compiled C.
"""

import argparse

import numpy as np

from tests.numeric import einc_tool

_STRINGS = [
    "mk,kn->mn", "mk,nk->mn", "km,kn->nm", "km,nk->mn",  # all transposes
    "bmk,bkn->bmn", "abk,kcd->abcd", "akb,ckd->cbad", "adb,cd->cba", "fbea,ecfd->dcba",  # groups of several
    "mk,k->m", "km,k->m", "i,i->", "ij->i", "ij->j", "ijk->ik", "i->",  # reductions
    "ij,j->ij", "ij,i->ij", "ij->ij", "i,j->ij", "ij,ij->ij",  # maps
    "ij->ji", "abc->cba", "abc->bac", "abcd->dbca",  # transposes
]
_SIZES = [1, 2, 3, 4, 5, 7, 8, 9, 11, 12, 13, 15, 16, 17, 23, 24, 25, 31, 33, 47, 48, 49, 63, 65, 97]
# m, n, k of products whose sizes are known: all short, and one of each short.
_KNOWN = [
    (4, 4, 4), (8, 8, 8), (23, 23, 23), (13, 24, 9), (17, 40, 5), (1, 1, 1), (1, 70, 40), (37, 1, 50), (1, 1, 90),
    (40, 3, 70), (33, 6, 64), (35, 8, 129), (6, 100, 90), (50, 50, 2), (48, 300, 70), (130, 5, 330),
    (90, 70, 100), (61, 150, 133), (300, 16, 1024), (2, 150, 131), (2, 301, 206),
]
# Groups of several iterators: stretches of the last one that fill panels, divide them, or do neither.
_GROUPS = [
    ("aged,cbfg->fedcba", {"a": 12, "b": 3, "c": 2, "d": 5, "e": 3, "f": 4, "g": 7}),
    ("dca,bd->cba", {"a": 20, "b": 53, "c": 3, "d": 33}),
    ("adb,cd->cba", {"a": 36, "b": 24, "c": 9, "d": 17}),
    ("be,dcea->dcba", {"a": 48, "b": 9, "c": 3, "d": 2, "e": 19}),
    ("dfae,cebf->dcba", {"a": 7, "b": 11, "c": 6, "d": 5, "e": 9, "f": 8}),
    ("akb,ckd->cbad", {"a": 5, "b": 4, "c": 26, "d": 31, "k": 40}),
    # Loops around matrix products: with transposes, in blocks that are cut both ways, with one column left, batches.
    ("dabfe,fc->edcba", {"a": 20, "b": 2, "c": 9, "d": 1, "e": 2, "f": 24}),
    ("dacfe,fb->edcba", {"a": 20, "b": 9, "c": 2, "d": 3, "e": 19, "f": 24}),
    ("adb,cd->cba", {"a": 60, "b": 40, "c": 6, "d": 250}),
    ("adb,cd->cba", {"a": 97, "b": 40, "c": 6, "d": 240}),
    ("ae,dcbe->dcba", {"a": 47, "b": 9, "c": 3, "d": 2, "e": 19}),
    ("zae,zcbe->zcba", {"z": 3, "a": 30, "b": 9, "c": 2, "e": 19}),
    ("zeay,zcbe->zycba", {"z": 2, "y": 17, "a": 30, "b": 9, "c": 2, "e": 19}),
]
_TARGETS = ["generic", "x86-64-v2", "x86-64-v3", "x86-64-v4", "aarch64", "vulkan", "vulkan-desktop"]
_MOST = 12_000  # iterations of an interpreted case


def saved(folder, name, array, rng, plain=False):
    """An array in a file, and the view that einc is given: any strides and offsets, the same elements."""
    choice = 3 if plain else rng.integers(4)
    if choice == 0 and array.ndim:
        np.save(folder / f"{name}.npy", array[::-1].copy())
        return f"{name}={folder}/{name}.npy[::-1]"
    if choice == 1:
        np.save(folder / f"{name}.npy", array.T.copy())
        return f"{name}={folder}/{name}.npy.T"
    if choice == 2 and array.ndim:
        wide = np.zeros(array.shape[:-1] + (2 * array.shape[-1] + 1,), array.dtype)
        wide[..., 1::2] = array
        np.save(folder / f"{name}.npy", wide)
        colons = ":, " * (array.ndim - 1)
        return f"{name}={folder}/{name}.npy[{colons}1::2]"
    np.save(folder / f"{name}.npy", array)
    return f"{name}={folder}/{name}.npy"


def case(folder, string, sizes, engine, target, rng, dtype, known=False, flags=(), views=False):
    folder.mkdir(parents=True, exist_ok=True)
    inputs, output = string.split("->")
    arrays = [rng.standard_normal([sizes[i] for i in part]).astype(dtype) for part in inputs.split(",")]
    start = rng.standard_normal([sizes[i] for i in output]).astype(dtype)
    args = ["eval", "--einsum", string, f"--engine={engine}", "--type", f"T={'f64' if dtype == np.float64 else 'f32'}"]
    args += flags
    if target:
        args += [f"--target={target}"]
    for i, name in enumerate("ABC"[:len(arrays)]):
        args += ["--in", saved(folder, name, arrays[i], rng, known and not views)]
        along = [d for d in range(arrays[i].ndim) if arrays[i].shape[d] > 0]
        if views and along and rng.integers(4) == 0:  # one stride is 0
            first = arrays[i].take([0], int(rng.choice(along)))
            arrays[i] = np.broadcast_to(first, arrays[i].shape)
            np.save(folder / f"{name}.npy", first)
            args[-1] = f"{name}={folder}/{name}.npy.broadcast({','.join(map(str, arrays[i].shape))})"
    if known:
        args += [f"--dim={letter}={size}" for letter, size in sizes.items()]
    np.save(folder / "O.npy", start)
    args += ["--in", f"O={folder}/O.npy", "--out", f"O={folder}/result.npy"]
    result = einc_tool.run(*args)
    if result.returncode:
        return f"{einc_tool.command_line(*args)}\nexit code {result.returncode}: {result.stderr}"
    got = np.load(folder / "result.npy")
    reduces = set(inputs) - set(output) - {","}
    want = start + np.einsum(string, *[a.astype(np.float64) for a in arrays])  # an einsum adds to O
    weight = np.abs(start) + np.einsum(string, *[np.abs(a).astype(np.float64) for a in arrays])
    length = int(np.prod([sizes[i] for i in reduces])) if reduces else 1
    roundings = (length + 3) * np.finfo(dtype).eps  # each term is rounded, and each sum
    bad = np.argwhere(np.abs(got - want) > roundings * weight)
    if not len(bad):
        return None
    where = tuple(bad[0])
    return f"{string} {sizes} {engine} {target}: {len(bad)} wrong, at {where} {got[where]}, not {want[where]}\n{einc_tool.command_line(*args)}"


_TYPED = """
def transposed<T, U>(A: T(d, a, c, f, e), B: T(f, b)) -> (C: U(e, d, c, b, a)) {
  C(k, l, m, n, o) += cast<U>(A(l, o, m, p, k)) * cast<U>(B(p, n));
}
"""


def typed(folder, types, target, rng):
    """Operands narrower than the sum, exact in it, that are transposed on the way."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "t.tc").write_text(_TYPED)
    sizes = {"a": 29, "b": 9, "c": 3, "d": 2, "e": 37, "f": 24}
    narrow, wide = (np.dtype({"i": "int", "f": "float"}[t[0]] + t[1:]) for t in types)
    arrays = {"A": "dacfe", "B": "fb", "C": "edcba"}
    args = ["eval", folder / "t.tc", "--engine=native", f"--target={target}", "--type", f"T={types[0]}", "--type", f"U={types[1]}"]
    for name, dims in arrays.items():
        dtype = wide if name == "C" else narrow
        arrays[name] = rng.integers(-100, 101, [sizes[i] for i in dims]).astype(dtype)
        np.save(folder / f"{name}.npy", arrays[name])
        args += ["--in", f"{name}={folder}/{name}.npy"]
    args += [f"--dim={i}={size}" for i, size in sizes.items()] + ["--out", f"C={folder}/result.npy"]
    einc_tool.must(einc_tool.run(*args))
    want = arrays["C"] + np.einsum("dacfe,fb->edcba", arrays["A"].astype(wide), arrays["B"].astype(wide))
    bad = np.argwhere(np.load(folder / "result.npy") != want)
    return f"{len(bad)} wrong, first at {bad[0]}" if len(bad) else None


_CONVERTED = """
def product<T, U>(A: T(M, K), B: T(K, N)) -> (C: U(M, N)) { C(m, n) += cast<U>(A(m, k)) * cast<U>(B(k, n)); }
def reach(A: bool(M, K), B: bool(K, N)) -> (C: bool(M, N)) { C(m, n) or= A(m, k) && B(k, n); }
"""
# Known m, n, k: converted on the stack, and beyond it; too few columns, too many terms; packed.
_CONVERTED_SIZES = [
    (5, 16, 9), (7, 33, 70), (24, 24, 24), (8, 7, 50), (65, 65, 65), (90, 40, 100), (11, 50, 4000), (40, 30, 4000), (130, 131, 129),
]
_CONVERTED_TYPES = [("bool", "bool"), ("i8", "i32"), ("u8", "u16"), ("i16", "i64"), ("i8", "f32"), ("f16", "f32")]


def converted(folder, types, size, target, rng):
    """Operands that are converted before they are multiplied, exact in the sum; bool is any byte but 0."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "t.tc").write_text(_CONVERTED)
    m, n, k = size
    names = {"i": "int", "u": "uint", "f": "float", "b": "bool"}
    narrow, wide = (np.dtype(t if t == "bool" else names[t[0]] + t[1:]) for t in types)
    isBool = types[0] == "bool"
    args = ["eval", folder / "t.tc", "--def", "reach" if isBool else "product", "--engine=native", f"--target={target}"]
    args += [f"--dim={d}={v}" for d, v in zip("MNK", size)]
    args += [] if isBool else ["--type", f"T={types[0]}", "--type", f"U={types[1]}"]
    arrays = {}
    for name, shape in {"A": (m, k), "B": (k, n), "C": (m, n)}.items():
        if isBool:
            few = 2 / np.sqrt(k) if name != "C" else 0.1
            array = (rng.integers(1, 256, shape) * (rng.random(shape) < few)).astype(np.uint8).view(bool)
        else:
            array = rng.integers(0, 8, shape).astype(wide if name == "C" else narrow)
        arrays[name] = array
        args += ["--in", saved(folder, name, array, rng, name == "C" or rng.random() < 0.4)]
    args += ["--out", f"C={folder}/result.npy"]
    einc_tool.must(einc_tool.run(*args))
    a, b, c = ((array.view(np.uint8) != 0 if isBool else array).astype(np.int64) for array in arrays.values())
    want = (c + a @ b > 0) if isBool else (c + a @ b).astype(wide)
    bad = np.argwhere(np.load(folder / "result.npy") != want)
    return f"{len(bad)} wrong, first at {bad[0]}\n{einc_tool.command_line(*args)}" if len(bad) else None


def nesting(folder, setting, nests, *parts):
    """Whether a contraction with a transposed operand in cut blocks has loops around products, as it is set."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "s.sched").write_text(f'einc_schedule 1\nschedule @einsum for "znver5" {{ op 0 contraction {{ {setting} }} }}\n')
    sizes = {"a": 97, "b": 40, "c": 6, "d": 240}
    args = ["emit", "--stage=tiled", "--target=znver5", "--einsum", "adb,cd->cba", f"--schedule={folder}/s.sched"]
    result = einc_tool.run(*args, *(f"--dim={i}={size}" for i, size in sizes.items()))
    if ("%blocks_A" in result.stdout) != nests:
        return f"{setting}: {'no ' if nests else ''}loops around products\n{result.stderr}"
    found = result.stderr.count("error:")
    if found != (1 if parts else 0) or any(part not in result.stderr for part in parts):
        return f"{setting}: {found} errors, {parts} expected\n{result.stderr}"
    return None


def scheduled(folder, string, sizes, rng):
    """The contraction with tiles of any sizes."""
    folder.mkdir(parents=True, exist_ok=True)
    mr, nr = 2 * int(rng.integers(1, 8)), 8 * int(rng.integers(1, 4))
    settings = {"mr": mr, "nr": nr, "kc": int(rng.integers(1, 40)), "mc": mr * int(rng.integers(1, 9)), "nc": nr * int(rng.integers(1, 5))}
    lines = "\n".join(f"    {name} = {value}" for name, value in settings.items() if rng.random() < 0.8 or name in ("mr", "nr", "mc", "nc"))
    (folder / "s.sched").write_text(f'einc_schedule 1\nschedule @einsum for "x86-64-v3" {{\n  op 0 contraction {{\n{lines}\n  }}\n}}\n')
    return case(folder, string, sizes, "native", "x86-64-v3", rng, np.float32, flags=[f"--schedule={folder}/s.sched"])


def draw(string, rng, most):
    letters = sorted(set(string) - set(",->"))
    while True:
        sizes = {i: int(rng.choice(_SIZES)) for i in letters}
        if np.prod(list(sizes.values())) <= most:
            return sizes


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--long", action="store_true")
    rounds = 12 if parser.parse_args().long else 1
    cases = einc_tool.Cases()
    folder = einc_tool.scratch()
    rng = np.random.default_rng(20261121)
    for _ in range(rounds):
        for string in _STRINGS:
            for engine in ["tiled", "vector", "hw"]:
                target = str(rng.choice(_TARGETS))
                sizes, dtype = draw(string, rng, _MOST), rng.choice([np.float32, np.float64])
                cases.run(f"{string} {engine} {target} {sizes}", case, folder, string, sizes, engine, target, rng, dtype)
            targets = ["", "x86-64-v2", "x86-64-v3,x86-64-v2"]
            for target in targets if rounds > 1 else [str(rng.choice(targets))]:
                sizes = draw(string, rng, 4_000_000)
                cases.run(f"{string} native {target} {sizes}", case, folder, string, sizes, "native", target, rng, np.float32)
        for string in _STRINGS[:9]:
            sizes = draw(string, rng, 2_000_000)
            cases.run(f"{string} scheduled {sizes}", scheduled, folder, string, sizes, rng)
    for engine in ["tiled", "hw"]:  # fewer rows than a tile, and K of several
        sizes = {"m": 2, "k": 3, "l": 4, "p": 5, "n": 20}
        cases.run(f"few rows known {engine}", case, folder, "mklp,lpkn->mn", sizes, engine, "x86-64-v4", rng, np.float32, True)
    for i, string in enumerate(["mk,kn->mn", "mk,nk->mn", "km,kn->mn", "km,nk->mn", "kn,mk->mn"]):
        for m, n, k in _KNOWN if i == 0 or rounds > 1 else _KNOWN[i - 1::4]:  # in one other layout each
            sizes, dtype = {"m": m, "n": n, "k": k}, rng.choice([np.float32, np.float64])
            engine, target = "native", str(rng.choice(["", "x86-64-v3"]))
            if m * n * k <= _MOST and rng.integers(2):
                engine, target = str(rng.choice(["tiled", "vector", "hw"])), str(rng.choice(_TARGETS[1:]))
            name = f"{string} {engine} {target} {sizes} known"
            cases.run(name, case, folder, string, sizes, engine, target, rng, dtype, True)
    for string, sizes in _GROUPS:
        for flags in [(), ("--fp=strict",), ("--threads=4",)] if rounds > 1 else [(), [("--fp=strict",), ("--threads=4",)][rng.integers(2)]]:
            for views in [False, True]:
                engine, target, dtype = "native", str(rng.choice(["", "x86-64-v3"])), rng.choice([np.float32, np.float64])
                if not flags and views and np.prod(list(sizes.values())) <= 2 * _MOST:
                    engine, target = str(rng.choice(["tiled", "vector", "hw"])), str(rng.choice(_TARGETS[1:]))
                name = f"{string} {engine} {target} {sizes} {' '.join(flags)} {views}"
                cases.run(name, case, folder, string, sizes, engine, target, rng, dtype, True, flags, views)
    for types in _CONVERTED_TYPES:
        for i, size in enumerate(_CONVERTED_SIZES):
            turn = i + _CONVERTED_TYPES.index(types)
            if turn % 2 and rounds == 1:  # each type at half of the sizes, each size with half of the types
                continue
            target = ["native", "x86-64-v3", "x86-64-v2"][turn // 2 % 3]
            cases.run(f"{types} {size} {target}", converted, folder, types, size, target, rng)
    cases.run("nest = yes", nesting, folder, "nest = yes", True)
    cases.run("nest = no", nesting, folder, "nest = no", False)
    cases.run("nest = maybe", nesting, folder, "nest = maybe", False, "nest = maybe: there are yes, no")
    cases.run("mr of every product", nesting, folder, "mr = 999", False, "mr = 999: expected")
    for types in [("i8", "i32"), ("f16", "f32"), ("f32", "f64")]:
        for target in ["native", "x86-64-v3"]:
            cases.run(f"typed {types} {target}", typed, folder, types, target, rng)
    # More columns than a panel has at most (a block has whole tiles only).
    sizes = {"c": 3, "d": 2, "b": 180, "a": 190}
    cases.run("many columns", case, folder, "dba,cd->cba", sizes, "native", "", rng, np.float32, True)
    cases.finish()


if __name__ == "__main__":
    main()
