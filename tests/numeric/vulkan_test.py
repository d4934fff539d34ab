# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Kernels on a Vulkan device against NumPy: the cases of the other engines, under the validation layer.

  vulkan_test.py [--long] [--specs] [--programs] [--strings] [--first N] [--count N]

Each def of specs/ against its formula, random programs, random einsum strings with sizes at the edges of tiles,
strings large enough for every kind of dispatch, and sums too long for one invocation; all through `einc eval --engine=vulkan`, on whatever device
the loader has (Mesa's software one in the tests). A message of the validation layer is a failure.
"""

import argparse
import itertools
import os
import time

import numpy as np

from tests.numeric import einc_tool, formulas, levels_test, program_runs, programs, reference_vs_numpy

_SIZES = [[1, 2, 3, 5], [4, 6, 7, 9], [8, 15, 16, 17], [17, 31, 33, 40]]
_TYPES = [("f32", None), ("f64", None), ("i8", "i32"), ("f16", "f32"), ("i32", None), ("bf16", None), ("u8", None), ("i64", None),
          ("f16", None), ("u16", None)]


def spec_cases(cases, folder, seeds):
    """Each def with one or more of the types it takes, in turn, so that all types are met."""
    defs = formulas.defs_of(einc_tool.specs())
    for number, (name, path) in enumerate(sorted(defs.items())):
        suited = [types for types in _TYPES if formulas._suits(name, path, *types)]
        for seed in range(seeds):
            element, wide = suited[0] if seed == 0 else suited[(number + seed) % len(suited)]
            rng = np.random.default_rng([seed, len(name), number])
            sizes = _SIZES[(number + seed) % len(_SIZES)]
            # Windows and transforms grow with powers of their sizes.
            call = formulas.Call(name, element, rng, whole=seed % 2 == 1, sizes=sizes if number % 2 else sizes[:3], wide=wide)
            cases.run(f"{name} {element} {wide or ''} {seed}", call.run_eval, folder / "spec", path, "vulkan")
    for rows, columns in [(600, 300), (5000, 40), (20000, 3)]:  # columns that lie one after the other
        cases.run(f"sums of {columns} columns", columns_case, folder / "spec", defs["sum_columns"], rows, columns)
    cases.run("reduced in parts, read elsewhere", elsewhere_case, folder / "elsewhere")
    for name in ("softmax", "layer_norm"):  # rows for whole workgroups
        call = formulas.Call(name, "f32", np.random.default_rng(1), whole=True, sizes=[2049, 2100])
        cases.run(f"{name} of long rows", call.run_eval, folder / "spec", defs[name], "vulkan")


def elsewhere_case(folder):
    """A local that is reduced in parts, and read at other positions than its own."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "f.tc").write_text("def f(X: f32(M, N), P: f32(K, M)) -> (Y: f32(K, M)) { L(m) max=! X(m, n); Y(k, m) = P(k, m) - L(m); }\n")
    rng = np.random.default_rng(6)
    X, P = rng.permutation(2 * 20_001).reshape(2, -1).astype(np.float32), rng.integers(-9, 10, (3, 2)).astype(np.float32)
    for name, array in (("X", X), ("P", P)):
        np.save(folder / f"{name}.npy", array)
    einc_tool.must(einc_tool.run("eval", folder / "f.tc", "--engine=vulkan", "--in", f"X={folder / 'X.npy'}", "--in", f"P={folder / 'P.npy'}",
                                 "--out", f"Y={folder / 'Y.npy'}"))  # fmt: skip
    return None if np.array_equal(np.load(folder / "Y.npy"), P - X.max(1)) else "wrong"


def columns_case(folder, path, rows, columns):
    x = np.random.default_rng(rows).integers(-3, 4, (columns, rows)).astype(np.float32)
    np.save(folder / "X.npy", x)
    einc_tool.must(einc_tool.run("eval", path, "--def", "sum_columns", "--type", "T=f32", "--engine=vulkan",
                                 "--in", f"X={folder / 'X.npy'}.T", "--out", f"y={folder / 'y.npy'}"))  # fmt: skip
    return None if np.array_equal(np.load(folder / "y.npy"), x.sum(1)) else "wrong"


def program_cases(cases, folder, first, count):
    for seed in range(first, first + count):
        program = programs.draw(seed, "p")
        message = None
        try:
            message = program_runs.run_eval(program, folder / program.name, "vulkan")
        except RuntimeError as error:
            message = str(error)
        cases.check(f"program {program.mode} {program.seed}", message and f"{message}\n--programs --first {seed} --count 1\n{program.text}")


# Sizes for every kind of dispatch: tiles and their edges, rows, parts, vectors, nothing at all.
_LARGE = [
    ("mk,kn->mn", {"m": 65, "k": 33, "n": 130}), ("mk,nk->mn", {"m": 128, "k": 64, "n": 64}),
    ("km,kn->nm", {"m": 17, "k": 100, "n": 90}), ("bmk,bkn->bmn", {"b": 3, "m": 40, "k": 20, "n": 70}),
    ("mk,kn->mn", {"m": 20, "k": 0, "n": 20}), ("mk,kn->mn", {"m": 1, "k": 300, "n": 70}),
    ("akb,ckd->cbad", {"a": 5, "b": 9, "c": 6, "d": 7, "k": 40}), ("adb,cd->cba", {"a": 19, "b": 7, "c": 18, "d": 33}),
    ("ij->i", {"i": 9, "j": 300}), ("ij->j", {"i": 300, "j": 9}), ("ij->", {"i": 150, "j": 210}), ("i->", {"i": 40000}),
    ("i,i->", {"i": 17001}), ("ij->i", {"i": 3, "j": 17000}), ("mk,k->m", {"m": 70, "k": 500}), ("mk,k->m", {"m": 500, "k": 70}),
    ("ijk->ik", {"i": 4, "j": 90, "k": 5}), ("ij->ji", {"i": 130, "j": 70}), ("ij,ji->ij", {"i": 50, "j": 40}),
    ("abcd->dbca", {"a": 40, "b": 3, "c": 2, "d": 35}), ("ij->j", {"i": 1100, "j": 40}), ("ki,k->i", {"k": 900, "i": 70}),
    ("ij,ij->ij", {"i": 33, "j": 64}),
    ("i,j->ij", {"i": 40, "j": 36}), ("abcd->dbca", {"a": 5, "b": 6, "c": 7, "d": 8}), ("ij,j->ij", {"i": 7, "j": 4}),
]


# Sums past the rounds of loops that an invocation of Mesa's software device may run.
_LONG = [("ij->j", {"i": 200_000, "j": 20}), ("ij->j", {"i": 70_000, "j": 130}), ("ij->j", {"i": 200_000, "j": 2}), ("i->", {"i": 20_000_000}),
         ("mk,kn->mn", {"m": 17, "k": 300_000, "n": 18}), ("mk,kn->mn", {"m": 17, "k": 33_000, "n": 18}),
         ("mk,kn->mn", {"m": 2, "k": 300_000, "n": 3}), ("ijk->j", {"i": 300, "j": 30, "k": 300})]


# Around where `vulkan` takes larger ones: eight workgroups.
_TILES = [("mk,kn->mn", {"m": 448, "k": 19, "n": 64}), ("mk,kn->mn", {"m": 449, "k": 19, "n": 64}), ("mk,kn->mn", {"m": 193, "k": 17, "n": 65}),
          ("bmk,bkn->bmn", {"b": 8, "m": 63, "k": 33, "n": 62}), ("bmk,bkn->bmn", {"b": 7, "m": 63, "k": 33, "n": 62})]


def tile_cases(cases, folder, rng):
    for (string, sizes), known in itertools.product(_TILES, (False, True)):
        name = f"{string} {sizes} {known} in tiles"
        cases.run(name, levels_test.case, folder / "tiles", string, sizes, "vulkan", "vulkan", rng, np.float32, known, (), not known)


def long_cases(cases, folder, rng):
    """For the device here, and for any: there a status is as good, a wrong result is not."""
    folder.mkdir(exist_ok=True)
    for string, sizes in _LONG:
        left, result = string.split("->")
        arrays = [rng.integers(-3, 4, [sizes[i] for i in operand]).astype(np.float32) for operand in left.split(",")]
        expected = np.einsum(string, *[a.astype(np.float64) for a in arrays])
        for target in ([], ["--target=vulkan"]):
            cases.check(f"{string} {sizes} {target}", long_case(folder, string, arrays, expected, target))


def long_case(folder, string, arrays, expected, target):
    out = folder / "out.npy"
    args = ["eval", "--einsum", string, "--engine=vulkan", "--type", "T=f32", *target, "--out", f"O={out}"]
    for name, array in zip("AB", arrays):
        np.save(folder / f"{name}.npy", array)
        args += ["--in", f"{name}={folder / f'{name}.npy'}"]
    done = einc_tool.run(*args)
    if target and "more rounds of loops than the device allows" in done.stderr:
        return None
    if done.returncode != 0:
        return done.stderr
    return None if np.array_equal(np.load(out), expected) else "wrong"


def string_cases(cases, folder, first, count, rounds):
    rng = np.random.default_rng(first)
    long_cases(cases, folder / "long", rng)
    tile_cases(cases, folder, rng)
    for seed in range(first, first + count):
        cases.run(f"einsum {seed}", reference_vs_numpy.einsum_case, folder / "einsum", seed, "vulkan")
    for _ in range(rounds):
        for string, sizes in _LARGE:
            dtype, known = rng.choice([np.float32, np.float64]), bool(rng.integers(2))
            name = f"{string} {sizes} {dtype.__name__} {known}"
            cases.run(name, levels_test.case, folder / "large", string, sizes, "vulkan", "", rng, dtype, known, (), not known)
        for string in levels_test._STRINGS[:: 1 if rounds > 1 else 3]:
            sizes = levels_test.draw(string, rng, 300_000)
            cases.run(f"{string} {sizes}", levels_test.case, folder / "large", string, sizes, "vulkan", "", rng, np.float32)


def planted(folder, plant, string, sizes, rng):
    """What is wrong: the numeric cases did not notice a shader that was miscompiled on purpose."""
    flags = ("--plant", plant)
    message = levels_test.case(folder, string, sizes, "vulkan", "", rng, np.float32, True, flags)
    return None if message and " wrong, at " in message else f"{plant} went by: {message}"


def planted_cases(cases, folder):
    rng = np.random.default_rng(5)
    for plant in ["no-barrier", "drop-last", "swap-strides"]:
        for string, sizes in [("mk,kn->mn", {"m": 40, "k": 37, "n": 50}), ("ij->i", {"i": 9, "j": 70})]:
            cases.run(f"{plant} {string}", planted, folder / "planted", plant, string, sizes, rng)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--long", action="store_true")
    for part in ("specs", "programs", "strings"):
        parser.add_argument(f"--{part}", action="store_true", help="these alone")
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--count", type=int)
    args = parser.parse_args()
    os.environ["EINC_VK_VALIDATION"] = "1"
    every = not (args.specs or args.programs or args.strings)
    began = time.monotonic()
    cases, folder = einc_tool.Cases(), einc_tool.scratch()

    def progress(what):
        print(f"[{time.monotonic() - began:5.1f} s] {what}", flush=True)

    if every or args.specs:
        progress("defs of specs/ against their formulas")
        spec_cases(cases, folder, 6 if args.long else 1)
    if every or args.programs:
        progress("random programs")
        program_cases(cases, folder, args.first, args.count or (1500 if args.long else 60))
    if every or args.strings:
        progress("einsum strings")
        string_cases(cases, folder, args.first, args.count or (600 if args.long else 40), 4 if args.long else 1)
    if every:
        progress("planted errors")
        planted_cases(cases, folder)
    progress("done")
    cases.finish()


if __name__ == "__main__":
    main()
