# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Random programs about indices (index_programs.py) as compiled C, under ASan and UBSan.

Each array has a block of its own of just its size, so one element beyond it is seen. A call that is right must be
accepted and give the exact result; any other must give a status and leave outputs alone. What einc refuses to
compile must have no right call. EINC_SEED=N draws others, EINC_COUNT=N as many; EINC_LONG or
--long draws many more.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import numpy as np

from tests.numeric import abi, compilers, einc_tool
from tests.numeric.index_programs import EITHER, OK, STATUS, Program, Unsuitable

_SANITIZERS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-shared-libasan"]
_CALLS = 12
# Programs in one library, and how the libraries are made.
_BATCH = 60
_FLAGS = [["--target=generic"], ["--target=x86-64-v3"], ["--target=generic", "--threads=2"]]


def drawn(first, count):
    return [Program(seed, f"p{seed}") for seed in range(first, first + count)]


def calls(program):
    for i in range(_CALLS):
        try:
            yield i, program.call(i)
        except Unsuitable:
            continue


# ---- Compiling ----


def refused(folder, programs):
    """The defs that einc refuses, each with the first thing it says."""
    spec = folder / "all.tc"
    lines, starts = [], []
    for program in programs:
        starts.append((len(lines) + 1, program.name))
        lines += program.text.split("\n")
    spec.write_text("\n".join(lines))
    said = einc_tool.run("check", spec, timeout=600).stderr
    found = {}
    for line, message in re.findall(r"all\.tc:(\d+):\d+: error: (.*)", said):
        name = [n for start, n in starts if start <= int(line)][-1]
        found.setdefault(name, message)
    return found


def compiled(folder, name, programs, flags):
    spec = folder / f"{name}.tc"
    spec.write_text("\n".join(p.text for p in programs))
    einc_tool.must(einc_tool.run("build", spec, "-o", folder, "--name", name, "--sources-only", "--one-file", *flags, timeout=600))
    compilers.compile_c(einc_tool.CLANG, "-std=c99", "-O1" if einc_tool.LONG else "-O0", "-w", "-fPIC", "-shared", *_SANITIZERS,
                        "-fno-omit-frame-pointer", *(["-fopenmp"] if "--threads=2" in flags else []), folder / f"{name}.c", "-lm",
                        out=folder / f"{name}.so")


# ---- Calling ----


def own_block(array):
    """A copy in memory of its own, of just its size."""
    copy = np.empty(array.shape, array.dtype)
    copy[...] = array
    return copy


def arguments(program, values, arrays):
    tensors = {t.name: abi.describe(arrays[t.name]) for t in program.tensors if t.role != "local"}
    inputs = [tensors[t.name] for t in program.named("input")]
    scalars = [abi.c_scalar(kind, values[name]) for name, kind in program.symbols.items()]
    outputs = [tensors[t.name] for t in program.named("output")]
    return [*inputs, *scalars, *outputs, abi.c_attribute("i64", values["s"])]


def called(library, program, number, values, arrays, outcome, wanted):
    """What is wrong with one call, or None."""
    shown = f"call {number}, {values}, " + ", ".join(f"{name}: {a.shape}" for name, a in arrays.items())
    (pathlib.Path(os.environ["EINC_LAST"])).write_text(f"{program.text}{shown}\n")
    blocks = {name: own_block(array) for name, array in arrays.items()}
    status = getattr(library, program.name)(*arguments(program, values, blocks))
    if status and outcome == OK:
        return f"{shown}\nstatus {status}, though nothing leaves a tensor"
    if not status and outcome == STATUS:
        return f"{shown}\naccepted, though an access leaves its tensor"
    if not status and wanted is None:
        return None  # of a local without any memory, nothing was needed
    for tensor in program.tensors:
        if tensor.role == "local":
            continue
        want = arrays[tensor.name] if status or tensor.role == "input" else wanted[tensor.name]
        if not np.array_equal(blocks[tensor.name], want):
            return f"{shown}\nstatus {status}, {tensor.name} is\n{blocks[tensor.name]}\nnot\n{want}"
    return None


def all_calls(library, program):
    for number, (values, arrays, outcome, wanted) in calls(program):
        message = called(library, program, number, values, arrays, outcome, wanted)
        if message:
            return f"{program.text}{message}"
    return None


def inside(folder):
    """In the process that has the sanitizers' runtime; each program in a fork of it."""
    cases = einc_tool.Cases()
    for name, seeds in json.loads((folder / "plan.json").read_text()).items():
        library = abi.ctypes.CDLL(str(folder / f"{name}.so"))
        for seed in seeds:
            program = Program(seed, f"p{seed}")
            os.environ["EINC_LAST"] = str(folder / "last")
            (folder / "last").write_text("")
            if not cases.run_apart(f"program {seed} ({name})", all_calls, library, program):
                print("its last call: " + (folder / "last").read_text())
    print(json.dumps([cases.passed, cases.failures]))


def sanitized(folder):
    runtime = subprocess.run([einc_tool.CLANG, "-print-file-name=libclang_rt.asan-x86_64.so"], capture_output=True, text=True).stdout.strip()
    environment = {**os.environ, "LD_PRELOAD": runtime, "PYTHONMALLOC": "malloc", "EINC": einc_tool.EINC, "OMP_WAIT_POLICY": "passive",
                   "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1:max_allocation_size_mb=4096"}
    return subprocess.run([sys.executable, __file__, "--inside", folder], capture_output=True, text=True, env=environment, timeout=3000)


# ---- Cases ----


def rightly_refused(program, message):
    """None if no call of it is right, but for sizes of 0 and 1: "whatever the sizes are" leaves these out."""
    for number, (values, _, outcome, _) in calls(program):
        if outcome == OK and min(values[s] for s in "MNK") > 1:
            return f"{program.text}is refused ({message}), though call {number} is right: {values}"
    return None


def main():
    if "--inside" in sys.argv:
        return inside(pathlib.Path(sys.argv[-1]))
    cases, folder = einc_tool.Cases(), einc_tool.scratch()
    count = int(os.environ.get("EINC_COUNT", 3000 if einc_tool.LONG else 120))
    programs = drawn(int(os.environ.get("EINC_SEED", 0)), count)
    messages = refused(folder, programs)
    for program in programs:
        if program.name in messages:
            cases.run(f"program {program.seed} refused", rightly_refused, program, messages[program.name])
    kept, plan = [p for p in programs if p.name not in messages], {}
    for i in range(0, len(kept), _BATCH):
        batch, name = kept[i : i + _BATCH], f"b{i // _BATCH}"
        compiled(folder, name, batch, _FLAGS[i // _BATCH % len(_FLAGS)])
        plan[name] = [p.seed for p in batch]
    (folder / "plan.json").write_text(json.dumps(plan))
    result = sanitized(folder)
    lines = result.stdout.strip().split("\n")
    if not lines[-1].startswith("["):
        cases.check("sanitizers", result.stdout[-2000:] + result.stderr[-4000:])
    else:
        passed, failures = json.loads(lines[-1])
        cases.passed += passed
        cases.failures += failures
        print("\n".join(lines[:-1]), "\n".join(re.findall("^.*(?:runtime error|AddressSanitizer).*$", result.stderr, re.MULTILINE)[:20]))
    outcomes = [outcome for p in kept[:60] for _, (_, _, outcome, _) in calls(p)]
    cases.check("draws of both kinds", None if outcomes.count(OK) > len(outcomes) / 4 < 2 * outcomes.count(STATUS) else str(len(outcomes)))
    if not cases.failures:
        shutil.rmtree(folder)
    cases.finish()


if __name__ == "__main__":
    main()
