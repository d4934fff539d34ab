# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""The reference interpreter and generated kernels against NumPy.

  reference_vs_numpy.py [--long] [--only SEED [--mode MODE]]

For each def of specs/ its formula (formulas.py), some of them together (pipelines.py) and on unusual
data (edges.py); random programs (programs.py); random einsum strings against numpy.einsum; random
views against NumPy's indexing (views.py). --only repeats one random program, and keeps its files.
"""

import argparse
import functools
import os
import pathlib
import random
import shutil
import time

import numpy as np

from tests.numeric import abi, edges, einc_tool, formulas, pipelines, program_runs, programs, scalars, views

_BATCH = 150  # random programs in one library


def random_programs(cases, folder, seeds, evals):
    """Each program through the C ABI; the first `evals` of them through `einc eval` as well."""
    drawn = [programs.draw(seed, f"p{i}") for i, seed in enumerate(seeds)]
    spec = folder / "programs.tc"
    folder.mkdir(parents=True, exist_ok=True)
    spec.write_text("".join(f"// seed {p.seed}, {p.mode}\n{p.text}\n" for p in drawn))
    try:
        library = abi.build_sources(folder, "programs", [spec], "-O0")  # other bits at -O1 to -O3: emitted_test
    except RuntimeError as error:
        cases.check(f"build of seeds {seeds[0]}...", f"{error}\nthe spec is {spec}")
        return 0
    sound = 0
    for i, program in enumerate(drawn):
        sound += not program.suspicious
        again = f"reference_vs_numpy.py --only {program.seed} --mode {program.mode}"
        message = program_runs.run_native(program, library)
        cases.check(f"native {program.mode} {program.seed}", message and f"{message}\n{again}\n{program.text}")
        engines = ["reference"] if i < evals else []
        if i < evals // 25:
            engines.append("native")
        for engine in engines:
            try:
                message = program_runs.run_eval(program, folder / program.name, engine)
            except RuntimeError as error:
                message = str(error)
            cases.check(f"{engine} {program.mode} {program.seed}", message and f"{message}\n{again}\n{program.text}")
    if sound < len(drawn) // 4:
        cases.check("trust", f"only {sound} of {len(drawn)} programs have outputs worth comparing")
    return sound


def repeat(seed, mode):
    """One program, from the very seed a failure showed, through all engines."""
    program = programs.Program(seed, "p", mode)
    folder = pathlib.Path("/tmp") / f"einc-seed-{seed}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    print(program.text)
    cases = einc_tool.Cases()
    for engine in ["reference", "native"]:
        args, _ = program_runs.eval_command(program, folder / engine, engine)
        print(einc_tool.command_line(*args))
        cases.run(engine, program_runs.run_eval, program, folder / engine, engine)
    spec = folder / "native" / "spec.tc"
    cases.run("C ABI", lambda: program_runs.run_native(program, abi.build(folder, "p", [spec])))
    cases.finish()


def random_einsum(r):
    """Index letters as NumPy writes them; None if NumPy and Einc mean different things by it."""
    letters = r.sample("ijklmnopq", r.randint(1, 5))
    terms = ["".join(r.sample(letters, r.randint(0, min(3, len(letters))))) for _ in range(r.randint(1, 4))]
    if r.random() < 0.15:
        terms[0] += r.choice(letters)  # perhaps a diagonal
    used = sorted(set("".join(terms)))
    if r.random() < 0.2:
        return ",".join(terms)
    return ",".join(terms) + "->" + "".join(r.sample(used, r.randint(0, len(used))))


def einsum_case(folder, seed, engine):
    r = random.Random(seed)
    text = random_einsum(r)
    if not text:
        return None  # no letters at all: refused (tests/faults)
    kind = r.choice(["f32", "f64", "i32", "i64", "u8", "f16", "bf16"])
    sizes = {c: r.choice([0, 1, 2, 3, 4, 5, 7]) for c in "ijklmnopq"}
    inputs = text.split("->")[0].split(",")
    if "->" not in text:
        letters = "".join(inputs)
        output = "".join(sorted(c for c in set(letters) if letters.count(c) == 1))
    else:
        output = text.split("->")[1]
    rng = np.random.default_rng(seed)
    low, high = (0, 3) if kind[0] in "ub" or kind == "f16" else (-4, 5)
    arrays = [rng.integers(low, high, [sizes[c] for c in term]) for term in inputs]
    initial = rng.integers(low, high, [sizes[c] for c in output])
    wanted = initial + np.einsum(text if "->" in text else text + "->" + output, *arrays)
    if kind in scalars.FLOATS and np.abs(wanted).max(initial=0) > 2 ** scalars.PRECISION[kind]:
        return None
    folder.mkdir(parents=True, exist_ok=True)
    args = ["eval", "--einsum", text, "--type", f"T={kind}", f"--engine={engine}"]
    for name, array in zip([c for c in "ABCDEF"], arrays):
        np.save(folder / f"{name}.npy", scalars.to_storage(kind, array))
        args += ["--in", f"{name}={folder}/{name}.npy"]
    np.save(folder / "O.npy", scalars.to_storage(kind, initial))
    args += ["--in", f"O={folder}/O.npy", "--out", f"O={folder}/R.npy"]
    result = einc_tool.run(*args)
    line = einc_tool.command_line(*args)
    if result.returncode:
        return f"{line}\n{result.stderr}"
    got = scalars.from_storage(kind, np.load(folder / "R.npy"))
    wanted = wanted.astype(scalars.DTYPES[kind])
    if got.shape != wanted.shape or not np.array_equal(got, wanted):
        return f"{line}\ngives {got.tolist()}, not {wanted.tolist()}"[:2000]
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--only", type=int)
    parser.add_argument("--mode")
    parser.add_argument("--seed", type=int, default=1, help="of the first random program")
    args = parser.parse_args()
    if args.only is not None:
        repeat(args.only, args.mode)
    began = time.monotonic()
    cases, folder = einc_tool.Cases(), einc_tool.scratch()

    def progress(what):
        print(f"[{time.monotonic() - began:5.1f} s] {what}", flush=True)

    def random_batches():
        for batch in range(40 if einc_tool.LONG else 1):
            seeds = range(args.seed + batch * _BATCH, args.seed + (batch + 1) * _BATCH)
            random_programs(cases, folder / f"programs{batch}", seeds, evals=_BATCH if einc_tool.LONG else 25)

    def einsum_strings():
        for seed in range(args.seed, args.seed + (2000 if einc_tool.LONG else 40)):
            engine = "native" if seed % 12 == 0 else "reference"
            cases.run(f"einsum {seed}", einsum_case, folder / "einsum", seed, engine)

    def random_views():
        for seed in range(args.seed, args.seed + (5000 if einc_tool.LONG else 60)):
            cases.run(f"view {seed}", views.case, folder / "views", seed)

    steps = [("that defs and formulas belong together", lambda: formulas.check_table(cases))]
    for types in formulas.all_types():
        name = "_".join(filter(None, types))
        steps.append((f"defs of specs/ against their formulas, {name}",
                      functools.partial(formulas.check_types, cases, folder / name, types)))
    steps += [
        ("pipelines", lambda: pipelines.check_all(cases, folder / "pipelines")),
        ("edges", lambda: edges.check_all(cases, folder / "edges")),
        ("random programs", random_batches),
        ("random einsum strings", einsum_strings),
        ("random views of arrays", random_views),
    ]
    # Bazel may run this test as several, side by side.
    shards, shard = int(os.environ.get("TEST_TOTAL_SHARDS", 1)), int(os.environ.get("TEST_SHARD_INDEX", 0))
    for what, do in steps[shard::shards]:
        progress(what)
        do()
    progress("done")
    if not cases.failures:
        shutil.rmtree(folder)
    cases.finish()


if __name__ == "__main__":
    main()
