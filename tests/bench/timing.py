# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Libraries of `einc build`, called and timed through the C ABI, each def in a process of its own.

Calls go through a table of small C functions made from the manifest, so that a call costs what it costs a C program.
"""

import ctypes
import json
import math
import os
import re
import resource
import select
import signal
import subprocess
import time

import numpy as np

from tests.bench import limits
from tests.bench.ir_ops import BYTES, Tensor
from tests.numeric import abi

SLOW = 0.5  # seconds of one run, beyond which fewer rounds do
_SHARE = 0.95  # of the CPU: a sample with less is taken again
_REPEATS = 5

_TABLE = """#include "{name}.h"
#include <stddef.h>
{calls}
static int (*const calls[])(void **) = {{{table}}};
static const char *(*const explanations[])(void **) = {{{explanations}}};
int bench_call(int which, void **a, long runs) {{
  int status = 0;
  for (long i = 0; i < runs && !status; ++i) status = calls[which](a);
  return status;
}}
const char *bench_explain(int which, void **a) {{ return explanations[which](a); }}
"""


class Failed(Exception):
    """Why a def is not measured."""


class Built:
    """A library of defs, loaded."""

    def __init__(self, einc, folder, specs, threads=1, jobs=None, flags=()):
        self.folder, self.einc, self.seconds = folder, einc, 0
        start = time.monotonic()
        folder.mkdir(parents=True)
        name = "benched"
        more = [f"--threads={threads}"] if threads > 1 else []
        run = subprocess.run([einc, "build", *map(str, specs), "--target=native", "-o", str(folder), "--name", name,
                              f"-j{jobs or os.cpu_count()}", *more, *flags], capture_output=True, text=True)  # fmt: skip
        if run.returncode:
            said = run.stderr
            raise Failed(f"einc build: {said[max(said.find('error'), 0):].strip()[:2000] or run.returncode}")
        kernels = json.loads((folder / f"{name}.json").read_text())["kernels"]
        self.numbers = {kernel["def"]: i for i, kernel in enumerate(kernels)}
        calls = "\n".join(f"static int call_{i}(void **a) {{ return (int){_call(k['prototypes'][0])}; }}\n"
                          f"static const char *explain_{i}(void **a) {{ return {_call(k['prototypes'][2])}; }}"
                          for i, k in enumerate(kernels))  # fmt: skip
        tables = (", ".join(f"{what}_{i}" for i in range(len(kernels))) for what in ("call", "explain"))
        source = folder / "calls.c"
        source.write_text(_TABLE.format(name=name, calls=calls, table=next(tables), explanations=next(tables)))
        shared = folder / "benched.so"
        link = [limits.COMPILER, "-O2", "-w", "-shared", "-fPIC", "-Wl,-Bsymbolic", f"-I{folder}", str(source), "-Wl,--whole-archive",
                str(folder / f"lib{name}.a"), "-Wl,--no-whole-archive", "-lm", *(["-fopenmp"] if threads > 1 else []), "-o", str(shared)]  # fmt: skip
        run = subprocess.run(link, capture_output=True, text=True)
        if run.returncode:
            raise Failed(f"the library does not link: {run.stderr.strip()[:2000]}")
        self.library = abi.Library(shared, folder / f"{name}.json")
        self.seconds = time.monotonic() - start

    def call(self, name, arguments, runs):
        return self.library.bench_call(self.numbers[name], arguments, ctypes.c_long(runs))


    def explain(self, name, arguments):
        """What runs for these, and why, as the kernel says it."""
        self.library.bench_explain.restype = ctypes.c_char_p
        return (self.library.bench_explain(self.numbers[name], arguments) or b"").decode()


def _call(prototype):
    """The call of a kernel's function on an array of pointers: to descriptors, attributes, and scalars."""
    function, parameters = re.match(r".*?(\w+)\((.*)\)$", prototype, re.DOTALL).groups()
    texts = []
    for number, parameter in enumerate(p.strip() for p in parameters.split(",")):
        kind, array = re.match(r"(.*?)\w+(\[\d*\])?$", parameter).groups()
        texts.append(f"a[{number}]" if array or "*" in kind else f"*({kind}*)a[{number}]")
    return f"{function}({', '.join(texts)})"


# ---- Arguments ----


def _drawn(kind, count, rng):
    """So many elements, positive and of ordinary size: few are drawn, and repeated. Of floats logarithms are even around 0, and a
    block has the reciprocals of the one before: products of many would have no digits left, and CPUs take long for those."""
    few = min(count, 1 << 16)
    if kind == "bool":
        data = rng.integers(0, 2, few, np.uint8)
    elif kind[0] in "iu":
        data = rng.integers(1, 4, few).astype(kind[0] + str(BYTES[kind]))
    else:
        drawn = np.exp(rng.uniform(-0.5, 0.5, (-(-few // 8192), 1, 4096)))
        data = np.concatenate([drawn, 1 / drawn], axis=1).reshape(-1)[:few]
        data = data.astype(np.float32).view(np.uint32) >> 16 if kind == "bf16" else data
        data = data.astype({"f16": "f2", "bf16": "u2", "f32": "f4", "f64": "f8"}[kind])
    return np.resize(data, count)


class Arguments:
    """Of a case: descriptors of arrays in one place of memory, scalars, attributes."""

    def __init__(self, case, seed=1):
        rng = np.random.default_rng(seed)
        tensors = [p for p in case.kernel.parameters if isinstance(p, Tensor)]
        arena = limits.Arena([case.bytes(t) for t in tensors])
        self.arrays, self._kept = {}, [arena]
        for number, tensor in enumerate(tensors):
            shape = case.shape(tensor)
            data = _drawn(tensor.type, math.prod(shape), rng)
            array = np.frombuffer((ctypes.c_char * data.nbytes).from_address(arena.address(number)), data.dtype)
            array[...] = data
            self.arrays[tensor.name] = array.reshape(shape)
        self.pointers = (ctypes.c_void_p * len(case.kernel.parameters))()
        for number, parameter in enumerate(case.kernel.parameters):
            self.pointers[number] = ctypes.addressof(self._keep(self._made(parameter, case)))

    def _made(self, parameter, case):
        if isinstance(parameter, Tensor):
            return abi.describe(self.arrays[parameter.name])
        value = case.values[parameter.name]
        return abi.c_attribute(parameter.type, value) if parameter.count else abi.c_scalar(parameter.type, value)

    def _keep(self, value):
        self._kept.append(value)
        return value


# ---- Samples ----


def _used():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def _sample(built, name, pointers, runs):
    """Seconds of a run; repeated where something else had the CPU. And the share that we had."""
    best = (0, 0)
    for _ in range(_REPEATS):
        cpu, start = _used(), time.perf_counter()
        built.call(name, pointers, runs)
        wall = time.perf_counter() - start
        share = min((_used() - cpu) / wall, 1)
        best = max(best, (share, wall / runs))
        if share >= _SHARE:
            break
    return best[1], best[0]


def time_case(builts, case, sample, rounds):
    """[samples of each library], in turn, the least share of the CPU, and what the first library says that runs."""
    name, arguments = case.kernel.name, Arguments(case)
    runs = []
    for built in builts:
        if status := built.call(name, arguments.pointers, 1):
            raise Failed(f"the kernel refuses the call: status {status}")
        start = time.perf_counter()
        built.call(name, arguments.pointers, 1)
        once = max(time.perf_counter() - start, 1e-8)
        # A clock that has just begun says little of short runs.
        many = max(1, math.ceil(sample / 4 / once))
        start = time.perf_counter()
        built.call(name, arguments.pointers, many)
        once = (time.perf_counter() - start) / many
        runs.append(max(1, math.ceil(sample / once)))
        if once > SLOW:
            rounds = min(rounds, 2)
    samples, share = [[] for _ in builts], 1.0
    for _ in range(rounds):
        for number, built in enumerate(builts):
            seconds, had = _sample(built, name, arguments.pointers, runs[number])
            samples[number].append(seconds)
            share = min(share, had)
    return samples, share, builts[0].explain(name, arguments.pointers)


def apart(function, *arguments, seconds=60, cpu=None):
    """What a function returns (as JSON has it) in a process of its own; Failed if it ends, or takes too long."""
    read, written = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(read)
        try:
            if cpu is not None:
                os.sched_setaffinity(0, {cpu})
            answer = {"result": function(*arguments)}
        except BaseException as error:  # anything at all: the parent says it
            answer = {"failed": f"{error}" if isinstance(error, Failed) else f"{type(error).__name__}: {error}"}
        with os.fdopen(written, "w") as pipe:
            json.dump(answer, pipe)
        os._exit(0)
    os.close(written)
    end, said = time.monotonic() + seconds, b""
    with os.fdopen(read, "rb", buffering=0) as pipe:
        while (left := end - time.monotonic()) > 0:
            if select.select([pipe], [], [], left)[0]:
                part = pipe.read(1 << 16)
                if not part:
                    break
                said += part
        else:
            os.kill(pid, signal.SIGKILL)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if code == -signal.SIGKILL and not said:
        raise Failed(f"it takes longer than {seconds} s")
    if code < 0:
        raise Failed(f"ended by {signal.Signals(-code).name}")
    answer = json.loads(said)
    if "failed" in answer:
        raise Failed(answer["failed"])
    return answer["result"]
