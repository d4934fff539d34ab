# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Plants known miscompilations (einc's hidden flag --plant): the other tests here must catch each one.

A test passes when the kernels are wrong and its machinery says so.
"""

import re

import numpy as np

from tests.numeric import abi, abi_test, compilers, einc_tool, formulas, program_runs, programs

# What is planted in emitters (compiler/emit/c/c.h), and which tests must see it.
PLANTS = {
    "drop-last": ["programs", "formulas", "abi"],
    "off-by-one": ["programs", "formulas", "abi"],
    "swap-strides": ["programs", "abi"],  # formulas call with one layout only
    "no-init": ["programs", "formulas", "abi"],
    "skip-check": ["abi"],
    "wrong-offset": ["programs", "abi"],
}
_PROGRAMS = 40
_TARGET = "--target=x86-64-v3"  # of which the C is compiled in a quarter of the time of AVX-512
# What is planted in passes (compiler/driver/plant.h), and by which def of specs/, at which sizes, on which engine it is seen.
PASSES = {
    "in-simplify": ("sigmoid", [5], "hw", []),
    "in-widen-sums": ("softmax", [5, 7], "hw", []),
    "in-inline": ("softmax", [5, 7], "hw", []),
    "in-zero-points": ("softmax", [5, 7], "hw", []),
    "in-lay-out": ("softmax", [5, 7], "hw", []),
    "in-in-rounds": ("softmax", [5, 7], "hw", []),
    "in-in-tiles": ("softmax", [5, 7], "hw", []),
    "in-name-sizes": ("softmax", [5, 7], "hw", []),
    "in-once": ("softmax", [5, 7], "hw", []),
    "in-fuse": ("softmax", [5, 7], "hw", []),
    "in-in-place": ("softmax", [5, 7], "hw", []),
    "in-bufferize": ("log_softmax", [5, 7], "hw", []),
    "in-map-to-library": ("matmul", [70, 70, 70], "native", ["--lib=cblas"]),
    "in-schedule": ("matmul", [100, 70, 90], "hw", []),
    "in-trim": ("attention_causal", [1, 2, 5, 3, 4], "hw", []),
    "in-distribute": ("transpose", [40, 70], "hw", ["--target=vulkan-desktop"]),
    "in-vectorize": ("matmul", [100, 70, 90], "hw", []),
    "in-multiply-narrow": ("matmul", [100, 70, 90], "hw", []),
    "in-contract": ("matmul", [5, 7, 9], "hw", []),
    "in-unroll": ("matmul", [100, 70, 90], "hw", []),
    "in-reduce-together": ("matvec", [40, 64], "hw", []),
    "in-hoist-values": ("rms_norm", [5, 7], "hw", []),
    "in-share-memory": ("softmax", [5, 7], "hw", []),
    "in-canonicalize": ("matmul", [101, 71, 91], "hw", []),
}
# What is planted in a step of a schedule, by its verb: the def and the steps in which it is seen.
_STEPS_SPEC = """
def bytes(A: u8(M, 8), B: i8(8, N)) -> (C: i32(M, N)) { C(m, n) += cast<i32>(A(m, k)) * cast<i32>(B(k, n)); }
def map(A: f32(M, N), B: i32(N)) -> (C: f32(M, N)) { C(m, n) = A(m, n) * 2.0 + cast<f32>(B(n)); }
def product(A: f32(M, K), B: f32(K, N)) -> (C: f32(M, N)) { C(m, n) += A(m, k) * B(k, n); }
def shift(A: f32(M)) -> (C: f32(M)) { C(m) = A(m - 1) else 1.0; }
def turn(A: f32(M, N)) -> (C: f32(N, M)) { C(n, m) = A(m, n); }
def dense(A: f32(M, K), B: f32(K, N), b: f32(N)) -> (C: f32(M, N)) { T(m, n) +=! A(m, k) * B(k, n); C(m, n) = T(m, n) + b(n); }
def shares(A: f32(M, N)) -> (C: f32(M, N)) { E(m, n) = exp(A(m, n)); S(m) +=! E(m, n); C(m, n) = E(m, n) / S(m); }
"""
# Verbs that have a way of their own to do it on a device.
ON_DEVICES = {
    "copy": ("turn", "bind n by 8, m by 8 to workgroups copy A (m, n) as X on workgroup (9) { loops } bind n over 4, m over 8 to invocations loops"),
    "pack": ("product", "bind m by 8, n by 8 to workgroups tile k by 4 pack A (m: 8) on workgroup bind m by 4 over 2, n by 4 over 2 to invocations loops"),
    "results": ("product", "bind m by 8, n by 8 to workgroups results (m: 2 over 4, n: 2 over 4) { bind m by 2 over 4, n by 2 over 4 to invocations loops }"),
}
STEPS = {
    "tile": ("map", "tile m by 1 tile n by 8 vectorize (n: 8)"),
    "when": ("map", "when n <= 2 { loops } otherwise { tile n by 8 loops }"),
    "cut": ("map", "cut n at n floordiv 2 * 2 { loops } rest { loops }"),
    "split": ("map", "cut n at n floordiv 2 * 2 { split n by 2 as x loops } rest { loops }"),
    "spread": ("map", "cut n at n floordiv 2 * 2 { spread n over 2 as x loops } rest { loops }"),
    "digits": ("map", "digits n by 2 as x { loops } left of n { loops }"),
    "order": ("product", "order k, n, m tile k by 4 loops"),
    "non_temporal": ("map", "non_temporal C loops"),
    "pack": ("product", "tile m by 16 tile k by 8 pack A (m: 8) tile n by 4 tile m by 8 loops"),
    "vectorize": ("product", "tile m by 4 tile n by 8 vectorize (m: 4, n: 8)"),
    "accumulate": ("product", "tile m by 1 tile n by 1 accumulate (k: 8)"),
    "transpose": ("turn", "when contiguous(A, n) and contiguous(C, m) { tile n by 64 tile m by 64 transpose n to m }"),
    "bind": ("map", "bind m to workgroups bind n over 4 to invocations loops", "vulkan"),
    "lanes": ("product", "bind m to workgroups bind n by 4 to workgroups lanes k over 8 loops", "vulkan"),
    "call": ("map", "tile m by 2 call mine"),
    "loops": ("map", "tile m by 1 loops"),
    "alone": ("map", "tile m by 1 alone { loops }"),
    "let": ("product", "let a = min(m, 4) tile m by a loops"),
    "parts": ("product", "parts k by 4 as x { loops } fill { loops } combine { loops } rest { loops }"),
    "collapse": ("turn", "collapse n, m as x loops"),
    "tables": ("turn", "collapse n, m as x tile x by 8 tables x loops"),
    "copy": ("product", "copy A (m, k) as X { loops } loops"),
    "words": ("bytes", "when contiguous(A, k) { words A along k for vpdpbusd tile k by 4 tile n by 16 pack B (n: 8) along k for vpdpbusd "
                       "tile n by 8 tile m by 1 loops } otherwise { loops }", "x86-64-v3-vnni"),
    "convert": ("map", "convert B to f32 loops"),
    "border": ("shift", "when 1 <= M and M <= M * 4 and M floordiv 4 <= M { border A loops } otherwise { loops }"),
    "interior": ("shift", "when borders(m) { interior m { loops } border { loops } } otherwise { loops }"),
    "function": ("map", "tile m by 1 function x { loops }"),
    "scratch": ("product", "tile m by 8 tile n by 8 scratch (m: 8, n: 8) { vectorize (m: 8, n: 8) }"),
    "fuse": ("dense", "fuse op 0 fuse op 2 tile m by 4 tile n by 8 vectorize (m: 4, n: 8)"),
    "inline": ("shares", "inline op 0 tile m by 4"),
    "keep": ("dense", "fuse op 0 fuse op 2 when 1 <= k { keep (m: m, n: n) tile k by 4 tile m by 4 tile n by 8 vectorize (m: 4, n: 8) }"),
    "results": ("dense", "fuse op 0 fuse op 2 tile m by 4 tile n by 8 results (m: 4, n: 8) { vectorize (m: 4, n: 8) }"),
}
# Of these all ops are done together.
_TOGETHER = {"dense": "ops 0 to 2", "shares": "ops 0 to 3"}
# What the interpreter does not run, or sees by a NaN alone.
_NOT_INTERPRETED = {"in-map-to-library", "in-call-external", "in-assume-numbers"}


class Caught(Exception):
    pass


def planting(plant):
    return ["--plant", plant] if plant else []


class Watch(einc_tool.Cases):
    """Ends at the first failure."""

    def check(self, name, message):
        # Not what is planted: it would not even be compiled.
        if message and "internal error" in message:
            raise AssertionError(message)
        if message:
            raise Caught(name)
        self.passed += 1
        return True


def run_programs(folder, plant):
    drawn = [programs.draw(seed, f"p{i}") for i, seed in enumerate(range(1, _PROGRAMS + 1))]
    spec = folder / "programs.tc"
    spec.write_text("\n".join(p.text for p in drawn))
    library = abi.build_sources(folder, "programs", [spec], "-O0", _TARGET, *planting(plant))
    watch = Watch()
    watch.run_all_apart([(f"program {program.seed}", program_runs.run_native, program, library) for program in drawn])


def run_formulas(folder, plant):
    defs = {n: p for n, p in formulas.defs_of(einc_tool.specs()).items() if p.name in ("matmul.tc", "pooling.tc", "softmax.tc")}
    library = abi.build_sources(folder, "specs", sorted(set(defs.values())), "-O0", _TARGET, *planting(plant))
    calls = [formulas.Call(name, formulas.default_element(name, defs[name]), np.random.default_rng(seed), whole=True, sizes=[3, 4, 5])
             for seed, name in enumerate(sorted(defs))]
    Watch().run_all_apart([(f"formula {call.name}", call.run_native, library) for call in calls])


def run_abi(folder, plant):
    kernels = abi_test.Kernels(abi.build_sources(folder, "abi", [einc_tool.find("tests/numeric/abi_kernels.tc")], "-O0", _TARGET, *planting(plant)))
    watch = Watch()
    for group in (abi_test.refused(kernels), abi_test.accepted(kernels), abi_test.guarded(kernels)):
        watch.run_all_apart(group)


def run_pass(folder, plant, name, sizes, engine, flags):
    """A def of specs/ through `einc eval`."""
    paths = formulas.defs_of(einc_tool.specs())
    element = formulas.default_element(name, paths[name])
    call = formulas.Call(name, element, np.random.default_rng(1), whole=True, sizes=sizes)
    Watch().run_apart(f"{name} {sizes}, {engine}", call.run_eval, folder, paths[name], engine, False, [*flags, *planting(plant)])


def run_nan(folder, plant):
    """The largest of each row, of which one has a NaN."""
    folder.mkdir(parents=True)
    (folder / "m.tc").write_text("def largest(X: f32(M, N)) -> (Y: f32(M)) { Y(m) max=! X(m, n); }\n")
    X = np.ones((3, 100), np.float32)
    X[1, 50] = np.nan
    np.save(folder / "X.npy", X)
    einc_tool.must(einc_tool.run("eval", folder / "m.tc", "--def=largest", "--engine=native", "--in", f"X={folder}/X.npy",
                                 "--out", f"Y={folder}/Y.npy", *planting(plant)))
    Watch().check("a NaN in a row", None if np.isnan(np.load(folder / "Y.npy")[1]) else "it is gone")


def run_external(folder, plant):
    """A function of the user's own, to which the order of its arguments matters."""
    folder.mkdir(parents=True)
    (folder / "k.tc").write_text("library_call<less> def f(A: f32(N), B: f32(N)) -> (C: f32(N)) { C(n) = A(n) - B(n); }\n")
    (folder / "less.c").write_text("""#include "k.h"
void _mlir_ciface_less(einc_memref_f32_1 *A, einc_memref_f32_1 *B, einc_memref_f32_1 *C) {
  for (int64_t n = 0; n < C->sizes[0]; ++n)
    C->aligned[C->offset + n] = A->aligned[A->offset + n] - B->aligned[B->offset + n];
}
""")
    einc_tool.must(einc_tool.run("build", folder / "k.tc", "-o", folder, "--name=k", "--sources-only", "--one-file", *planting(plant)))
    compilers.compile_c(einc_tool.CLANG, "-w", "-I", folder, "-shared", "-fPIC", folder / "k.c", folder / "less.c", "-lm", out=folder / "k.so")
    A, B, C = (np.full(4, i, np.float32) for i in (5, 3, 0))
    abi.Library(folder / "k.so", folder / "k.json").kernel("f")(*[abi.describe(a) for a in (A, B, C)])
    Watch().check("a difference", None if (C == 2).all() else f"{C}")


def run_step(folder, plant, verb, device=None):
    """Some steps, each of which is looked at."""
    folder.mkdir(parents=True)
    name, steps, *on = (*ON_DEVICES[verb], device) if device else STEPS[verb]
    target = on[0] if on else "x86-64-v3"
    (folder / "s.tc").write_text(_STEPS_SPEC)
    (folder / "s.schedule").write_text(f'einc_schedule 1\nschedule @{name} for "{target}" {{\n  {_TOGETHER.get(name, "op 0")} {{ {steps} }}\n}}\n')
    watched("emit", folder / "s.tc", f"--def={name}", "--stage=tiled", f"--target={target}", f"--schedule={folder}/s.schedule", *planting(plant),
            says=rf"s\.schedule:3:\d+: pass 'schedule': step '{verb}\b.*: @{name}, .*M = \d+.*: %C at \[")


def run_each(folder, plant, name, sizes, engine, flags):
    """A pass, on a def of specs/."""
    target = [] if any(flag.startswith("--target") for flag in flags) else [_TARGET]
    watched("emit", formulas.defs_of(einc_tool.specs())[name], f"--def={name}", "--stage=hw", *target, *flags, *planting(plant),
            says=f"pass '{str(plant)[3:]}': @{name}, ")


def watched(*args, says):
    """With --verify-each: it says what is wrong, and ends so."""
    result = einc_tool.run(*args, "--verify-each")
    if result.returncode == 0:
        return
    if result.returncode != 70 or not re.search(says, result.stderr):
        raise AssertionError(f"{result.returncode}, not {says}: {result.stderr[:2000]}")
    raise Caught(result.stderr.splitlines()[0])


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


def caught(run, folder, plant, *seen):
    try:
        run(folder, plant, *seen)
    except Caught as what:
        print(f"{plant}: caught by {what}", flush=True)
        return None
    return "it goes by"


def calm(run, folder, *seen):
    try:
        run(folder, None, *seen)
    except Caught as what:
        return f"a false alarm: {what}"
    return None


def each_pass(passes):
    """All that run, for a CPU or a device, are those that --plant names, and are tested here."""
    matmul = ["emit", einc_tool.find("specs/matmul.tc"), "--def=matmul"]
    named = set(re.findall(r"in-[a-z_-]+", einc_tool.run(*matmul, "--stage=c", "--plant=what").stderr))
    verbs = {name[len("in-step-"):] for name in named if name.startswith("in-step-")}
    if verbs != set(STEPS) or verbs != steps_known():
        return f"{verbs}, {set(STEPS)}, {steps_known()}"
    named -= {f"in-step-{verb}" for verb in verbs}
    ran = set()
    for flags in (["--target=x86-64-v4"], ["--target=x86-64-v4", "--lib=cblas"], ["--target=vulkan"]):
        ran |= set(re.findall(r"^// after ([a-z-]+)$", einc_tool.run(*matmul, "--stage=hw", *flags, "--print-ir-after-all").stderr, re.MULTILINE))
    ran = {f"in-{name}" for name in ran}
    return None if named == ran == set(passes) | {"in-assume-numbers"} else f"{named}\n{ran}\n{set(passes)}"


def steps_known():
    """The verbs that the parser of schedules knows."""
    folder = einc_tool.scratch()
    (folder / "s.schedule").write_text('einc_schedule 1\nschedule @matmul for "x86-64-v3" { op 0 { x } }\n')
    said = einc_tool.run("emit", einc_tool.find("specs/matmul.tc"), "--stage=tiled", f"--schedule={folder}/s.schedule").stderr
    return set(re.search(r"a step: (.*), found", said)[1].replace(" or ", ", ").split(", "))


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
    passes = {plant: (run_pass, *seen) for plant, seen in PASSES.items()}
    passes |= {"in-call-external": (run_external,)}
    # Not all CPUs have instructions that gain where numbers are assumed.
    if "assume_numbers {" in einc_tool.run("emit", einc_tool.find("specs/reductions.tc"), "--def=max_rows", "--stage=hw", "--target=native").stdout:
        passes |= {"in-assume-numbers": (run_nan,)}
    for plant, (run, *seen) in passes.items():
        cases.run(plant, caught, run, folder / plant, plant, *seen)
        cases.run(f"no plant, but {plant}", calm, run, folder / "calm" / plant, *seen)
    for plant, seen in PASSES.items():
        if plant not in _NOT_INTERPRETED:
            cases.run(f"{plant}, --verify-each", caught, run_each, folder / "each", plant, *seen)
            cases.run(f"no plant, but {plant}, --verify-each", calm, run_each, folder / "each", *seen)
    for verb in STEPS:
        cases.run(f"a step: {verb}", caught, run_step, folder / "step" / verb, f"in-step-{verb}", verb)
        cases.run(f"no plant, but a step: {verb}", calm, run_step, folder / "calm" / verb, verb)
    for verb in ON_DEVICES:
        cases.run(f"a step on a device: {verb}", caught, run_step, folder / "device" / verb, f"in-step-{verb}", verb, "vulkan")
        cases.run(f"no plant, but a step on a device: {verb}", calm, run_step, folder / "device calm" / verb, verb, "vulkan")
    cases.run("a plant for each pass and verb", each_pass, passes)
    cases.finish()


if __name__ == "__main__":
    main()
