# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""What this machine can do at most, measured in this run: the roof that the benchmark of specs compares with.

Memory: seconds a byte at each level of cache, for reads, writes, copies, sums of two arrays and changes in place, by
the peak of `einc bench` (compiler/bench/adapters/peak.c), the best of its ways. Arithmetic: vector instructions a
second, as multiply-adds issue. Functions: seconds an element, in the first cache, of the fastest of SLEEF and
libmvec, where they are, what the compiler makes of plain C, and the kernels' own. Products of integers, which are an
instruction of their own speed, or several: so many a second.
"""

import concurrent.futures
import ctypes
import functools
import math
import mmap
import os
import pathlib
import shutil
import statistics
import subprocess
import time

import numpy as np

from tests.bench.ir_ops import BYTES

HERE = pathlib.Path(__file__).resolve().parent
PEAK = HERE.parents[1] / "compiler/bench/adapters"
COMPILER = "clang-19"
_FLAGS = ["-O3", "-march=native", "-mprefer-vector-width=512", "-fno-math-errno", "-fPIC", "-shared", "-std=gnu11"]
_FMA, _COPY, _READ, _WRITE, _ADD, _UPDATE = 5, 6, 7, 8, 9, 10  # of adapter.h
# name -> kind, ways, arrays, bytes of traffic for each byte of an array
_MIXTURES = {"read": (_READ, range(4), 1, 1), "write": (_WRITE, range(2), 1, 1), "copy": (_COPY, range(3), 2, 2),
             "add": (_ADD, range(2), 3, 3), "update": (_UPDATE, [0], 1, 2), "accumulate": (_UPDATE, [1], 2, 3)}  # fmt: skip
_FIRST_CACHE = 4096  # bytes of an array where functions are measured
_LARGE_PAGE, _MADV_HUGEPAGE = 2 << 20, 14


class _Problem(ctypes.Structure):
    """The beginning of einc_bench_problem (adapter.h), up to what the peak reads; the rest is zeros."""

    _fields_ = [("kind", ctypes.c_int), ("is_double", ctypes.c_int), ("type_a", ctypes.c_int), ("type_b", ctypes.c_int), ("overwrites", ctypes.c_int),
                ("batch", ctypes.c_int64), ("m", ctypes.c_int64), ("n", ctypes.c_int64), ("k", ctypes.c_int64),
                ("rest", ctypes.c_char * 4096)]  # fmt: skip


class Arena:
    """Memory for several arrays at once, in large pages where there are such. Each begins at a line of the cache, and
    no two at the same place of a page: a CPU that compares the low bits of addresses alone lets loads wait for stores."""

    _APART = 4096 + 1216

    def __init__(self, sizes):
        self.offsets, end = [], 0
        for size in sizes:
            self.offsets.append(end)
            end += (size + 63) // 64 * 64 + self._APART
        # Whole large pages, even for little: otherwise small levels would be those with more pages.
        whole = (end + _LARGE_PAGE - 1) // _LARGE_PAGE * _LARGE_PAGE
        self.memory = mmap.mmap(-1, whole + _LARGE_PAGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        try:
            self.memory.madvise(_MADV_HUGEPAGE)
        except OSError:
            pass
        begin = ctypes.addressof(ctypes.c_char.from_buffer(self.memory))
        self.base = (begin + _LARGE_PAGE - 1) // _LARGE_PAGE * _LARGE_PAGE

    def address(self, number):
        return self.base + self.offsets[number]


def compile_shared(folder, source, name, *flags):
    out = folder / f"{name}.so"
    subprocess.run([COMPILER, *_FLAGS, str(source), *flags, "-o", str(out)], check=True, capture_output=True, text=True)
    return out


def seconds_of(run, sample, rounds):
    """Seconds of one run, a sample a round; the CPU's share is not looked at."""
    run(1)
    start = time.perf_counter()
    run(1)
    once = max(time.perf_counter() - start, 1e-8)
    runs = max(1, math.ceil(sample / once))
    samples = []
    for _ in range(rounds):
        start = time.perf_counter()
        run(runs)
        samples.append((time.perf_counter() - start) / runs)
    return samples


class Limits:
    def __init__(self, folder, levels, threads=1, sample=0.01, rounds=5):
        """`levels`: name -> bytes of all operands there, ascending."""
        self.folder, self.levels, self.threads, self.sample, self.rounds = folder, levels, threads, sample, rounds
        peak = compile_shared(folder, PEAK / "peak.c", "peak", f"-I{PEAK}")
        # Each thread has one of its own: the peak's problem is a static variable.
        copies = [shutil.copy(peak, folder / f"peak{t}.so") for t in range(threads)]
        self.peaks = [ctypes.CDLL(str(path)) for path in copies]
        self.functions = ctypes.CDLL(str(compile_shared(folder, HERE / "limits.c", "limits")))
        self.vector_bytes = self.functions.limits_vector_bytes()
        self.pool = concurrent.futures.ThreadPoolExecutor(threads)
        self.sizes = {"L1": cache(1, 1 << 15) // 2, **levels}
        self.memory = {level: {} for level in self.sizes}  # level -> read, ... -> seconds a byte of traffic
        # A second, each of vector_bytes, on all threads: as multiply-adds issue, and as additions of integers do.
        self.instructions = self.simple = 0
        self.products = {4: 0, 8: 0}  # of integers of so many bytes: vectors a second
        self.prices = {}  # (function, type) -> (seconds an element on one thread, whose)
        self.priced = {}  # (function, type) -> [(whose, what to run)]
        self.array_bytes = _FIRST_CACHE  # where functions are measured
        self.again()

    def again(self):
        """Measures all that was measured before, and memory and multiply-adds first of all; the better figure stays."""
        for level, size in self.sizes.items():
            for name in _MIXTURES:
                self.memory[level][name] = min(self._memory(name, size), self.memory[level].get(name, math.inf))
        self.instructions = max(self._instructions(), self.instructions)
        self.simple = max(self._chains(self.functions.limits_add), self.simple, self.instructions)
        for width, before in self.products.items():
            self.products[width] = max(self._chains(getattr(self.functions, f"limits_mul_{8 * width}")), before)
        for (function, kind), candidates in self.priced.items():
            self.prices[function, kind] = self._cheapest(kind, candidates, self.prices[function, kind])

    # ---- Memory and multiply-adds ----

    def _measure(self, problem_of, arena_of):
        """Seconds of one run with all threads at once."""
        arenas = [arena_of() for _ in self.peaks]
        for peak, arena in zip(self.peaks, arenas):
            problem = problem_of()
            if peak.einc_bench_prepare(ctypes.byref(problem), ctypes.c_void_p(arena.address(0)), None,
                                       ctypes.c_void_p(arena.address(1))):
                raise RuntimeError("the peak does not know this kind")

        def runs(peak, count):
            self.functions.limits_repeat(ctypes.cast(peak.einc_bench_run, ctypes.c_void_p), ctypes.c_long(count))

        def run(count):
            if self.threads == 1:
                runs(self.peaks[0], count)
            else:
                list(self.pool.map(runs, self.peaks, [count] * self.threads))

        return seconds_of(run, self.sample, self.rounds)

    def _memory(self, name, size):
        """Seconds a byte of traffic, of the best way."""
        kind, ways, arrays, traffic = _MIXTURES[name]
        each = max(size // arrays // self.threads // 512 * 512, 512)

        def arena():
            made = Arena([2 * each if kind == _ADD else each, each])
            ctypes.memset(made.address(0), 1, 2 * each if kind == _ADD else each)  # pages of zeros are all the same one
            ctypes.memset(made.address(1), 1, each)
            return made

        return min(statistics.median(self._measure(lambda: _Problem(kind=kind, m=way, n=each), arena))
                   for way in ways) / (traffic * each * self.threads)  # fmt: skip

    def _instructions(self):
        steps = 20000
        # peak.c: 24 chains with AVX-512, otherwise 12.
        chains = 24 if self.vector_bytes == 64 else 12
        samples = self._measure(lambda: _Problem(kind=_FMA, k=steps), lambda: Arena([64, 64]))
        return chains * steps * self.threads / min(samples)

    def _chains(self, function):
        """Vector instructions a second of what is done in registers."""
        steps, chains = 20000, self.functions.limits_chains()
        samples = seconds_of(lambda runs: [function(ctypes.c_long(steps)) for _ in range(runs)], self.sample, self.rounds)
        return chains * steps * self.threads / min(samples)

    def level_of(self, footprint):
        """The first level whose measured size, by half more, holds that."""
        for level, size in self.levels.items():
            if footprint <= 1.5 * size:
                return level
        return list(self.levels)[-1]

    def memory_seconds(self, level, read, written, updated):
        """Of bytes that are only read, only written, and read and written in place: between the mixtures measured."""
        rates = self.memory[level]
        if updated:
            points = [(0, 2 * rates["update"]), (1 / 2, 3 / 2 * rates["accumulate"]), (1, rates["read"])]
            return written * rates["write"] + (read + updated) * _between(points, read / (read + updated))
        points = [(0, rates["read"]), (1 / 3, rates["add"]), (1 / 2, rates["copy"]), (1, rates["write"])]
        return (read + written) * _between(points, written / (read + written)) if read + written else 0

    def again_seconds(self, level, part):
        """Of a byte in a part of so many that is read once more, in the innermost cache that has it."""
        fitting = (name for name, size in self.sizes.items() if part <= size)
        return min(self.memory[next(fitting, level)]["read"], self.memory[level]["read"])

    # ---- Functions ----

    def price(self, function, kind, own=None):
        """(seconds an element, whose function that is). `own`: the kernel's own, (address of a, b, c) -> run(count)."""
        key = (function, kind)
        if key not in self.prices:
            found = [c for c in (*self._libraries(function, kind), *self._plain(function, kind), ("own", own)) if c[1]]
            self.priced[key] = found
            self.prices[key] = self._cheapest(kind, found, None)
        return self.prices[key]

    def _cheapest(self, kind, candidates, before):
        timed = [(min(self._function_seconds(kind, run)), who) for who, run in candidates]
        return min([*timed, *([before] if before else [])], default=None)

    def _function_seconds(self, kind, make):
        arena = self._first_cache(kind)
        run = make(*(arena.address(i) for i in range(3)))
        return [s / (_FIRST_CACHE / BYTES[kind]) for s in seconds_of(run, self.sample / 2, self.rounds)]

    def _first_cache(self, kind):
        arena = Arena([_FIRST_CACHE] * 3)
        count = _FIRST_CACHE // BYTES[kind]
        numbers = np.random.default_rng(1).uniform(0.5, 2, (2, count)) if kind in ("f32", "f64") else np.random.default_rng(
            1).integers(1, 4, (2, count))
        dtype = {"f32": "f4", "f64": "f8"}.get(kind) or kind[0] + str(BYTES[kind])
        for i in range(2):
            ctypes.memmove(arena.address(i), numbers[i].astype(dtype).tobytes(), _FIRST_CACHE)
        return arena

    def _libraries(self, function, kind):
        if kind not in ("f32", "f64"):
            return
        lanes, two = self.vector_bytes // BYTES[kind], function in ("pow", "atan2")
        letter = {64: "e", 32: "d", 16: "b"}[self.vector_bytes]
        names = [("libmvec", "libmvec.so.1", f"_ZGV{letter}N{lanes}{'vv' if two else 'v'}_{function}{'f' if kind == 'f32' else ''}"),
                 ("SLEEF", "libsleef.so.3", f"Sleef_{function}{'f' if kind == 'f32' else 'd'}{lanes}_u10")]  # fmt: skip
        for who, library, name in names:
            try:
                pointer = ctypes.cast(getattr(ctypes.CDLL(library), name), ctypes.c_void_p)
            except (OSError, AttributeError):
                continue
            yield who, functools.partial(self._calls, getattr(self.functions, f"{kind}_{2 if two else 1}"), pointer)

    def _plain(self, function, kind):
        try:
            yield "C", functools.partial(self._calls, getattr(self.functions, f"{function}_{kind}"), None)
        except AttributeError:
            pass

    @staticmethod
    def _calls(loop, pointer, a, b, c):
        arguments = [pointer, *map(ctypes.c_void_p, (a, b, c)), ctypes.c_long(_FIRST_CACHE)]

        return lambda runs: loop(*arguments, ctypes.c_long(runs))

    def as_json(self):
        return {"levels": self.sizes, "seconds_per_byte": self.memory, "instructions_per_second": self.instructions,
                "simple_instructions_per_second": self.simple,
                "products_per_second": {f"{8 * width} bits": rate for width, rate in self.products.items()},
                "vector_bytes": self.vector_bytes, "threads": self.threads,
                "prices": {f"{f} {k}": {"nanoseconds": p[0] * 1e9, "of": p[1]} for (f, k), p in self.prices.items() if p}}  # fmt: skip


def _between(points, x):
    """On the lines from point to point."""
    (low, a), (high, b) = next(pair for pair in zip(points, points[1:]) if x <= pair[1][0])
    return a + (b - a) * (x - low) / (high - low)


def levels(quick):
    """name -> bytes of all operands: half of the second cache, a quarter of the third, four times as much as that has."""
    second, third = cache(2, 1 << 20), cache(3, 1 << 25)
    found = {"L2": second // 2, "L3": third // 4}
    return found if quick else {**found, "memory": min(4 * third, 1 << 29)}


def cache(level, otherwise):
    """Bytes; of data, where there are two of a level."""
    for path in pathlib.Path("/sys/devices/system/cpu/cpu0/cache").glob("index*"):
        if int((path / "level").read_text()) == level and (path / "type").read_text().strip() != "Instruction":
            size = (path / "size").read_text().strip()
            return int(size[:-1]) * {"K": 1 << 10, "M": 1 << 20}[size[-1]]
    return otherwise


def cpu():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            name = line.split(":", 1)[1].strip()
            break
    else:
        name = os.uname().machine
    return name + "".join(f", {what} {value}" for what, value in _family())


def _family():
    wanted = {"cpu family": "family", "model": "model"}
    for line in pathlib.Path("/proc/cpuinfo").read_text().split("\n\n")[0].splitlines():
        key = line.split(":")[0].strip()
        if key in wanted:
            yield wanted[key], line.split(":")[1].strip()
