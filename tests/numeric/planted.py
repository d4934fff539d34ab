# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Plants known miscompilations (einc's hidden flag --plant): the other tests here must catch each one.

A test passes when the kernels are wrong and its machinery says so.
"""

import numpy as np

from tests.numeric import abi, abi_test, einc_tool, formulas, program_runs, programs

# What is planted (compiler/emit/c.h), and which tests must see it.
PLANTS = {
    "drop-last": ["programs", "formulas", "abi"],
    "off-by-one": ["programs", "formulas", "abi"],
    "swap-strides": ["programs", "abi"],  # formulas call with one layout only
    "no-init": ["programs", "formulas", "abi"],
    "skip-check": ["abi"],
    "wrong-offset": ["programs", "abi"],
}
_PROGRAMS = 40


class Caught(Exception):
    pass


def planting(plant):
    return ["--plant", plant] if plant else []


class Watch(einc_tool.Cases):
    """Ends at the first failure."""

    def check(self, name, message):
        if message:
            raise Caught(name)
        self.passed += 1
        return True


def run_programs(folder, plant):
    drawn = [programs.draw(seed, f"p{i}") for i, seed in enumerate(range(1, _PROGRAMS + 1))]
    spec = folder / "programs.tc"
    spec.write_text("\n".join(p.text for p in drawn))
    library = abi.build_sources(folder, "programs", [spec], "-O1", *planting(plant))
    watch = Watch()
    for program in drawn:
        watch.run_apart(f"program {program.seed}", program_runs.run_native, program, library)


def run_formulas(folder, plant):
    defs = {n: p for n, p in formulas.defs_of(einc_tool.specs()).items() if p.name in ("matmul.tc", "pooling.tc", "softmax.tc")}
    library = abi.build_sources(folder, "specs", sorted(set(defs.values())), "-O1", *planting(plant))
    watch = Watch()
    for seed, name in enumerate(sorted(defs)):
        element = formulas.default_element(name, defs[name])
        call = formulas.Call(name, element, np.random.default_rng(seed), whole=True, sizes=[3, 4, 5])
        watch.run_apart(f"formula {name}", call.run_native, library)


def run_abi(folder, plant):
    kernels = abi_test.Kernels(abi.build_sources(folder, "abi", [einc_tool.find("tests/numeric/abi_kernels.tc")], "-O1", *planting(plant)))
    watch = Watch()
    for group in (abi_test.refused(kernels), abi_test.accepted(kernels), abi_test.guarded(kernels)):
        for name, function in group:
            watch.run_apart(name, function)


RUNS = {"programs": run_programs, "formulas": run_formulas, "abi": run_abi}


def catches(folder, plant, test):
    """What is wrong: the planted error went by."""
    folder.mkdir(parents=True)
    try:
        RUNS[test](folder, plant)
    except Caught as caught:
        print(f"{plant}: caught by {test}, {caught}", flush=True)
        return None
    return f"{test} did not notice it"


def quiet(folder, test):
    """Without a plant, nothing is caught."""
    folder.mkdir(parents=True)
    try:
        RUNS[test](folder, plant=None)
    except Caught as caught:
        return f"a false alarm: {caught}"
    return None


def main():
    cases, folder = einc_tool.Cases(), einc_tool.scratch()
    for plant, tests in PLANTS.items():
        for test in tests:
            cases.run(f"{plant}, {test}", catches, folder / plant / test, plant, test)
    for test in RUNS:
        cases.run(f"no plant, {test}", quiet, folder / "none" / test, test)
    cases.finish()


if __name__ == "__main__":
    main()
