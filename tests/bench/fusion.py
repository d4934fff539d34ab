# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""The suite `fusion`: defs of several statements beside what else one can do, and beside what they are to reach.

Of each case these take turns, in one process and on one thread: the def's kernel, with memory of its own (`einc`) and with
a workspace that is kept (`einc, kept`); a kernel for each statement, with all memory kept (`parts`); rivals, which are
functions in C around libraries (rivals/*.c); other kernels that the target names (`beside`); and what the machine can do.
Seconds are of the CPU, the best of all rounds, so that others on the machine do little harm. Sizes are known when things are
compiled. Results are compared before anything is timed.

The target is an expression of seconds: of the holes' values, of rivals and kernels, and of the machine:
  peak        multiply-adds of f32 in registers, two operations each, a second
  exp         e^x of an element in the first cache, the faster of libmvec and our own
  copy, read  a byte of arrays as large as this case's (of copies, read and written are two bytes)
  libraries   the fastest rival;   parts   a kernel for each statement
"""

import ctypes
import json
import math
import os
import pathlib
import re
import subprocess
import tempfile

import numpy as np

from tests.bench import limits, timing
from tests.numeric import abi

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]

_SLOW = 0.2  # seconds of a run, beyond which rounds are few
_LONGEST = 600  # seconds of a case
_EXPS = 1024
_TOLERANCE = 1e-3  # of the largest element: rivals round otherwise
RIVAL_FLAGS = ["-O3", "-march=native", "-ffast-math", "-fveclib=libmvec", "-std=gnu11", "-fPIC", "-shared"]
_LINKED = {"dnnl.c": ["-ldnnl", "-lmvec", "-lm"]}
_BLAS = ["-lopenblas", "-lmvec", "-lm"]
# NumPy may have loaded OpenBLAS before anything was said in the environment.
_ONE_THREAD = """void openblas_set_num_threads(int) __attribute__((weak));
__attribute__((constructor)) static void one_thread(void) { if (openblas_set_num_threads) openblas_set_num_threads(1); }
"""
_EXP_KERNEL = f"""kernel @our_exp(%X: tensor<{_EXPS} x f32>) -> (%Y: tensor<{_EXPS} x f32>)
    level tensors {{
  op (n: parallel) ins(%X[n]) outs(%Y[n]) {{ (x, y) -> exp(x) }}
}}
"""
_CALLS = """#include "benched.h"
#include <stdlib.h>
#include <time.h>
#define KEEP(bytes) ((bytes) <= kept_bytes ? kept : (free(kept), kept = aligned_alloc(64, kept_bytes = ((bytes) + 63) / 64 * 64)))
static void *kept;
static int64_t kept_bytes;
%s
double bench_seconds(int (*call)(void **), void **a, long runs) {
  struct timespec begin, end;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
  for (long i = 0; i < runs; ++i) call(a);
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
  return (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
}
"""


# ---- IR text: the def with all sizes known, and its statements apart ----


class Kernel:
    """A kernel of level tensors in which all is known: its tensors, and its text."""

    def __init__(self, text):
        self.head, self.body = re.search(r"kernel @(.*?\n    level tensors \{\n)(.*?)^\}", text, re.MULTILINE | re.DOTALL).groups()
        self.name = re.match(r"\w+", self.head)[0]
        inputs, outputs = self.head.split("->")[:2]
        found = lambda part: re.findall(r"%(\w+): (tensor<[^>]*>)", part)
        self.inputs, self.outputs = [n for n, _ in found(inputs)], [n for n, _ in found(outputs)]
        self.tensors = dict(found(self.head) + found(self.body))

    @property
    def parameters(self):
        return self.inputs + self.outputs

    def renamed(self, name):
        return f"kernel @{name}{self.head[len(self.name):]}{self.body}}}\n"

    def statements(self):
        """Texts of ops, a statement each: what clears an output goes with what adds to it."""
        ops = re.findall(r"^  op .*?(?=^  op |\Z)", self.body, re.MULTILINE | re.DOTALL)
        found = []
        for op in ops:
            if found and "ins(" not in found[-1] and _written(found[-1]) == _written(op):
                found[-1] += op
            else:
                found.append(op)
        return found

    def parts(self):
        """A Kernel for each statement."""
        made = []
        for number, text in enumerate(self.statements()):
            written = _written(text)
            read = [n for n in dict.fromkeys(re.findall(r"%(\w+)\[", text)) if n not in written]
            declared = lambda names: ", ".join(f"%{n}: {self.tensors[n]}" for n in names)
            made.append(Kernel(f"kernel @part_{number}({declared(read)}) -> ({declared(written)})\n    level tensors {{\n{text}}}\n"))
        return made


def _written(op):
    return list(dict.fromkeys(re.findall(r"%(\w+)\[", "".join(re.findall(r"outs\((.*?)\)\s*\{", op, re.DOTALL)))))


def emitted(einc, args):
    run = subprocess.run([einc, "emit", "--stage=ops", *[str(ROOT / a) if a.endswith(".tc") else a for a in args]], capture_output=True, text=True)
    if run.returncode:
        raise timing.Failed(run.stderr.strip())
    return Kernel(run.stdout)


# ---- What is built ----


def _declared(kernel, manifest, name, numbers):
    """C functions that call a kernel: as it is, and with the memory that is kept."""
    entry = next(k for k in manifest["kernels"] if k["def"] == kernel.name)
    arguments = ", ".join(f"a[{numbers[t]}]" for t in kernel.parameters)
    lines = [f"int {name}(void **a) {{ return (int){entry['function']}({arguments}); }}"]
    function = f"{entry['function']}_with_workspace"
    if any(f"{function}(" in p for p in entry["prototypes"]):
        lines += [f"int64_t bytes_of_{name}(void **a) {{ int64_t bytes = 0; {entry['function']}_workspace({arguments}, &bytes); return bytes; }}",
                  f"int kept_{name}(void **a) {{ int64_t bytes = bytes_of_{name}(a); return (int){function}({arguments}, KEEP(bytes), bytes); }}"]
    else:
        lines += [f"int64_t bytes_of_{name}(void **a) {{ (void)a; return 0; }}", f"int kept_{name}(void **a) {{ return {name}(a); }}"]
    return lines


class Built:
    """The kernels of a case, in one library, and the functions that call them."""

    def __init__(self, einc, folder, kernel, beside):
        self.kernel, self.beside, self.folder = kernel, beside, folder
        self.parts = kernel.parts()
        texts = [kernel.renamed("whole"), *[p.renamed(p.name) for p in self.parts], *[k.renamed(f"beside_{n}") for n, k in beside.items()], _EXP_KERNEL]
        source = folder / "case.eir"
        source.write_text("eir 1\n\n" + "\n".join(texts))
        run = subprocess.run([einc, "build", str(source), "--target=native", "-o", str(folder), "--name=benched", "--prefix=k_", "-j2"], capture_output=True, text=True)
        if run.returncode:
            raise timing.Failed(f"einc build: {run.stderr.strip()[:2000]}")
        manifest = json.loads((folder / "benched.json").read_text())
        # Descriptors lie in one table: the def's own tensors, its locals, and what kernels beside have.
        self.tensors = list(kernel.tensors.items())
        numbers = {name: i for i, (name, _) in enumerate(self.tensors)}
        lines = _declared(Kernel(texts[0]), manifest, "whole", numbers)
        for part in self.parts:
            lines += _declared(part, manifest, part.name, numbers)
        calls = " || ".join(f"kept_{p.name}(a)" for p in self.parts)
        lines.append(f"int all_parts(void **a) {{ return {calls}; }}")
        for name, other in [*beside.items(), ("our_exp", Kernel(_EXP_KERNEL))]:
            named = Kernel(other.renamed(f"beside_{name}")) if name in beside else other
            own = {t: len(self.tensors) + i for i, t in enumerate(named.parameters)}
            self.tensors += [(f"{name} {t}", named.tensors[t]) for t in named.parameters]
            lines += _declared(named, manifest, f"beside_{name}", own)
        (folder / "calls.c").write_text(_CALLS % "\n".join(lines))
        _linked(folder / "calls.c", folder / "calls.so", [f"-I{folder}", "-O2", "-w", "-fPIC", "-shared", "-Wl,-Bsymbolic"],
                ["-Wl,--whole-archive", str(folder / "libbenched.a"), "-Wl,--no-whole-archive", "-lm"])


def _linked(source, out, flags, libraries):
    run = subprocess.run([limits.COMPILER, *flags, str(source), *libraries, "-o", str(out)], capture_output=True, text=True)
    if run.returncode:
        raise timing.Failed(f"{source.name}: {run.stderr.strip()[:1000]}")
    return out


def build_rivals(folder, rivals):
    """name -> shared library, or why there is none."""
    folder.mkdir()
    made = {}
    for number, (name, (file, call)) in enumerate(rivals.items()):
        source = folder / f"rival{number}.c"
        source.write_text(f'#include "{HERE}/rivals/{file}"\n{_ONE_THREAD}int rival(void **a) {{ float **t = (float **)a; {call}; return 0; }}\n')
        try:
            made[name] = str(_linked(source, folder / f"rival{number}.so", RIVAL_FLAGS, _LINKED.get(file, _BLAS)))
        except timing.Failed as error:
            made[name] = error
    return made


# ---- Arguments ----


_TYPES = {"f32": np.float32, "f64": np.float64, "i8": np.int8, "u8": np.uint8, "i32": np.int32, "i64": np.int64, "i4": np.uint8, "u4": np.uint8,
          "bf16": np.uint16, "f16": np.float16}  # fmt: skip


class Arrays:
    """One for each tensor, drawn, and its descriptor."""

    def __init__(self, tensors, seed=1):
        rng = np.random.default_rng(seed)
        shapes = [([int(n) for n in re.findall(r"(\d+) x", text)], text.rsplit(" ", 1)[-1].strip("<>").removeprefix("tensor<")) for _, text in tensors]
        halves = [kind in ("i4", "u4") for _, kind in shapes]
        bytes_of = [math.prod(shape) * np.dtype(_TYPES[kind]).itemsize // (2 if half else 1) for (shape, kind), half in zip(shapes, halves)]
        self.arena = limits.Arena([max(n, 64) for n in bytes_of])
        self.arrays, self.kept = [], []
        for number, ((shape, kind), half) in enumerate(zip(shapes, halves)):
            stored = [*shape[:-1], shape[-1] // 2] if half else shape
            array = np.frombuffer((ctypes.c_char * bytes_of[number]).from_address(self.arena.address(number)), _TYPES[kind]).reshape(stored)
            if half:
                array[...] = np.resize(rng.integers(0, 256, 1 << 16).astype(np.uint8), stored)
                strides = [math.prod(shape[i + 1 :]) for i in range(len(shape))]
                self.kept.append(abi.descriptor_words(self.arena.address(number), 0, shape, strides))
            else:
                array[...] = timing._drawn(kind, array.size, rng).reshape(stored)
                self.kept.append(abi.describe(array))
            self.arrays.append(array)
        self.descriptors = (ctypes.c_void_p * len(tensors))(*[ctypes.addressof(d) for d in self.kept])

    def pointers(self, numbers):
        return (ctypes.c_void_p * len(numbers))(*[self.arena.address(n) for n in numbers])


# ---- Timing ----


class Machine:
    """What the machine can do, as contestants: of a case's target, what it names."""

    def __init__(self, folder, names, bytes_of):
        self.found = {}  # name -> [(pointer of int(void **), unit: how much a run is)]
        peaks = []

        def peak(**problem):
            copy = folder / f"peak{len(peaks)}.so"
            _linked(limits.PEAK / "peak.c", copy, [*limits._FLAGS, f"-I{limits.PEAK}"], [])
            library = ctypes.CDLL(str(copy))
            size = problem.get("n", 64)
            arena = limits.Arena([size, size])
            for i in range(2):
                ctypes.memset(arena.address(i), 1, size)
            library.einc_bench_prepare(ctypes.byref(limits._Problem(**problem)), ctypes.c_void_p(arena.address(0)), None,
                                       ctypes.c_void_p(arena.address(1)))
            peaks.append((library, arena))
            return ctypes.cast(library.einc_bench_run, ctypes.c_void_p)

        self.kept = peaks
        if "peak" in names:
            vectors = 16 if "avx512f" in pathlib.Path("/proc/cpuinfo").read_text() else 8
            chains = 24 if vectors == 16 else 12
            self.found["peak"] = [(peak(kind=limits._FMA, k=2000), 2 * vectors * chains * 2000)]
        for name, kind, ways, traffic in (("copy", limits._COPY, 3, 2), ("read", limits._READ, 4, 1)):
            if name in names:
                each = bytes_of[name] // 512 * 512
                self.found[name] = [(peak(kind=kind, m=way, n=each), traffic * each) for way in range(ways)]


def names_in(expression):
    return set(re.findall(r"[A-Za-z_]\w*", expression))


def _time(library, contestants, sample, rounds):
    """name -> (best seconds of a run, spread), in turn."""
    runs = {}
    for name, (call, pointers) in contestants.items():
        library.bench_seconds(call, pointers, 1)
        once = max(library.bench_seconds(call, pointers, 1), 1e-8)
        if once < sample / 8:
            many = max(1, int(sample / 8 / once))
            once = library.bench_seconds(call, pointers, many) / many
        runs[name] = (max(1, math.ceil(sample / once)), once)
    samples = {name: [] for name in contestants}
    for number in range(rounds):
        for name, (call, pointers) in contestants.items():
            count, once = runs[name]
            if number >= 2 and once > _SLOW:
                continue
            samples[name].append(library.bench_seconds(call, pointers, count) / count)
    return {name: (min(s), (sorted(s)[len(s) // 2] - min(s)) / min(s)) for name, s in samples.items()}


def _compared(library, name, call, pointers, outputs, wanted):
    for output in outputs:
        output.fill(0)
    if status := library.bench_call(call, pointers):
        raise timing.Failed(f"{name} refuses the call: status {status}")
    for got, want in zip(outputs, wanted):
        off = float(np.max(np.abs(got.astype(np.float64) - want), initial=0))
        if not off <= _TOLERANCE * max(float(np.max(np.abs(want), initial=0)), 1e-30):
            raise timing.Failed(f"{name} computes something else: off by {off:g}")


def _measure(built, rivals, target, bytes_of, sample, rounds):
    """In a process of its own, as OpenBLAS looks at its environment once."""
    library = ctypes.CDLL(str(built.folder / "calls.so"))
    library.bench_seconds.restype = ctypes.c_double
    library.bench_seconds.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_long]
    library.bench_call = lambda call, pointers: ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(call.value)(pointers)
    arrays = Arrays(built.tensors)
    address = lambda name: ctypes.cast(getattr(library, name), ctypes.c_void_p)
    table = {"einc": (address("whole"), arrays.descriptors)}
    count = len(built.kernel.parameters)
    outputs = arrays.arrays[len(built.kernel.inputs) : count]
    library.bench_call(*table["einc"])
    wanted = [o.astype(np.float64) for o in outputs]
    if not all(np.isfinite(w).all() for w in wanted):
        raise timing.Failed("the results are not all finite")
    table["einc, kept"] = (address("kept_whole"), arrays.descriptors)
    table["parts"] = (address("all_parts"), arrays.descriptors)
    standing, loaded = {}, []
    for name, path in rivals.items():
        try:
            if isinstance(path, Exception):
                raise timing.Failed(str(path))
            loaded.append(ctypes.CDLL(path))
            table[name] = (ctypes.cast(loaded[-1].rival, ctypes.c_void_p), arrays.pointers(range(count)))
        except (OSError, timing.Failed) as error:
            standing[name] = f"not here: {error}".splitlines()[0][:200]
    for name, (call, pointers) in table.items():
        _compared(library, name, call, pointers, outputs, wanted)
    for name in built.beside:
        table[f"beside {name}"] = (address(f"kept_beside_{name}"), arrays.descriptors)
    machine = Machine(built.folder, names_in(target), bytes_of)
    units = {}
    for name, ways in machine.found.items():
        for number, (call, unit) in enumerate(ways):
            table[f"machine {name} {number}"], units[f"machine {name} {number}"] = (call, None), unit
    if "exp" in names_in(target):
        exps = ctypes.CDLL(_exps(built.folder))
        ours = [i for i, (name, _) in enumerate(built.tensors) if name.startswith("our_exp ")]
        table["machine exp 0"] = (address("beside_our_exp"), arrays.descriptors)
        table["machine exp 1"] = (ctypes.cast(exps.rival, ctypes.c_void_p), arrays.pointers(ours))
        units["machine exp 0"] = units["machine exp 1"] = _EXPS
    library.bytes_of_whole.restype = ctypes.c_int64
    return {"seconds": _time(library, table, sample, rounds), "units": units, "standing": standing,
            "workspace": library.bytes_of_whole(arrays.descriptors)}  # fmt: skip


def _exps(folder):
    return build_rivals(folder / "exp", {"exp": ["common.h", f"exp_row(t[0], t[1], {_EXPS}, 0)"]})["exp"]


# ---- Cases ----


def _fitting_core():
    return "SkylakeX" if "avx512f" in pathlib.Path("/proc/cpuinfo").read_text() else "Haswell"


def _filled(value, filling):
    if isinstance(value, str):
        return value.format(**filling)
    if isinstance(value, list):
        return [_filled(v, filling) for v in value]
    return value


def measure(einc, case, args, filling, quick):
    """The result of one case: seconds of all contestants, the target, and the share of it that is reached."""
    from tests.bench import suite

    target = case["target"].format(**filling)
    with tempfile.TemporaryDirectory(prefix="einc-fusion-") as name:
        folder = pathlib.Path(name)
        try:
            kernel = emitted(einc, args)
            beside = {n: emitted(einc, suite.arguments(a, filling)) for n, a in case.get("beside", {}).items()}
            built = Built(einc, folder, kernel, beside)
            rivals = build_rivals(folder / "rivals", {n: _filled(call, filling) for n, call in case.get("rivals", {}).items()})
            bytes_of = {n: int(eval(text.format(**filling), {"__builtins__": {}})) for n, text in case.get("bytes", {}).items()}  # of our own data

            def run():
                os.environ.update(OPENBLAS_CORETYPE=_fitting_core(), OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")
                return _measure(built, rivals, target, bytes_of, 0.005 if quick else 0.02, 3 if quick else 7)

            found = timing.apart(run, seconds=_LONGEST)
        except timing.Failed as error:
            return None, str(error)
    return result_of(case, target, found), None


def result_of(case, target, found):
    """What is said of a case: pure, of what was measured."""
    seconds = {name: best for name, (best, _) in found["seconds"].items()}
    known = {"parts": seconds["parts"]}
    for name, unit in found["units"].items():
        what = name.split()[1]
        rate = unit / seconds[name]
        known[what] = max(known.get(what, 0), rate) if what == "peak" else min(known.get(what, math.inf), 1 / rate)
    own = ("einc", "einc, kept", "parts")
    libraries = {n: s for n, s in seconds.items() if n not in own and not n.startswith(("beside ", "machine "))}
    known.update({n.split(" ", 1)[1]: s for n, s in seconds.items() if n.startswith("beside ")})
    if libraries:
        known["libraries"] = min(libraries.values())
    missing = names_in(target) - known.keys() - {"min", "max"}
    wanted = None if missing else eval(target, {"__builtins__": {}, "min": min, "max": max}, known)  # of our own data
    rival = min([*libraries, "parts"], key=seconds.get)
    result = {"group": case["group"], "contestants": [{"name": n, "standing": "timed", "seconds": s, "spread": found["seconds"][n][1]} for n, s in seconds.items()],
            "not_here": found["standing"], "rates": {k: v for k, v in known.items() if k in ("peak", "exp", "copy", "read")},
            "target": target, "target_seconds": wanted, "of_target": wanted and wanted / seconds["einc"],
            "of_rival": seconds[rival] / seconds["einc"], "rival": rival, "workspace": found["workspace"],
            "of_workspace": case["workspace"] / max(found["workspace"], 1) if "workspace" in case else None}  # fmt: skip
    return {**result, "line": _line(result)}


def _line(result):
    seconds = {c["name"]: c["seconds"] for c in result["contestants"]}
    wanted = result["target_seconds"]
    text = f"{seconds['einc'] * 1e3:9.3f} ms (kept {seconds['einc, kept'] * 1e3:.3f})"
    text += f"  to reach {wanted * 1e3:9.3f}: {result['of_target']:4.2f}" if wanted else f"  to reach: not known without {', '.join(result['not_here'])}"
    text += f"  {result['of_rival']:4.2f} x {result['rival']};  parts {seconds['parts'] * 1e3:.3f}"
    others = [f"{n} {s * 1e3:.3f}" for n, s in seconds.items() if n not in ("einc", "einc, kept", "parts") and not n.startswith("machine ")]
    return text + f"  {', '.join(others)}  workspace {result['workspace'] / 1024:.0f} KB"
