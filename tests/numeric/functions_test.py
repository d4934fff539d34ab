# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Functions of mathematics that kernels bring with them: how far from the true values, and the same bits everywhere, or at least
on all targets that add products with one rounding and on all that do not; with --fp=strict, everywhere.

Each is run over samples of all floats (with --long over every f32) by kernels of several targets, compilers and levels of
optimisation. The true values are NumPy's in the next wider type.
"""

import ctypes
import pathlib
import re
import subprocess

import numpy as np

from tests.numeric import compilers, einc_tool

# The greatest errors, in units in the last place, as the prelude states them (functions.h and those after it), and where a function
# is not flat.
_FUNCTIONS = {
    "exp": ({"f32": 1.1, "f64": 1.1}, {"f32": (-104, 89), "f64": (-746, 710)}),
    "exp2": ({"f32": 1.3, "f64": 1.5}, {"f32": (-150, 128), "f64": (-1075, 1024)}),
    "log": ({"f32": 1.0, "f64": 0.9}, {"f32": (0, 3), "f64": (0, 3)}),
    "log1p": ({"f32": 1.6, "f64": 1.4}, {"f32": (-1, 3), "f64": (-1, 3)}),
    "log2": ({"f32": 1.6, "f64": 1.1}, {"f32": (0, 3), "f64": (0, 3)}),
    "expm1": ({"f32": 1.4, "f64": 1.4}, {"f32": (-20, 89), "f64": (-40, 710)}),
    "tanh": ({"f32": 1.4, "f64": 1.4}, {"f32": (-10, 10), "f64": (-20, 20)}),
    "erf": ({"f32": 1.4, "f64": 1.6}, {"f32": (-4, 4), "f64": (-6, 6)}),
    "sin": ({"f32": 2.4, "f64": 2.4}, {"f32": (-99, 99), "f64": (-99, 99)}),
    "cos": ({"f32": 2.4, "f64": 2.4}, {"f32": (-99, 99), "f64": (-99, 99)}),
    "tan": ({"f32": 3.7, "f64": 3.7}, {"f32": (-99, 99), "f64": (-99, 99)}),
    "pow": ({"f32": 1.4, "f64": 1.5}, {"f32": (0, 9), "f64": (0, 9)}),
    "log10": ({"f32": 1.6, "f64": 1.6}, {"f32": (0, 3), "f64": (0, 3)}),
    "sinh": ({"f32": 2.6, "f64": 2.6}, {"f32": (-90, 90), "f64": (-711, 711)}),
    "cosh": ({"f32": 2.4, "f64": 2.4}, {"f32": (-90, 90), "f64": (-711, 711)}),
    "cbrt": ({"f32": 0.9, "f64": 0.9}, {"f32": (-9, 9), "f64": (-9, 9)}),
    "atan": ({"f32": 1.9, "f64": 1.9}, {"f32": (-9, 9), "f64": (-9, 9)}),
    "atan2": ({"f32": 2.2, "f64": 2.2}, {"f32": (-9, 9), "f64": (-9, 9)}),
    "sqrt": ({"f32": 0.501, "f64": 0.501}, {"f32": (0, 9), "f64": (0, 9)}),
    "rsqrt": ({"f32": 1.51, "f64": 1.51}, {"f32": (0, 9), "f64": (0, 9)}),
    "reciprocal": ({"f32": 0.501, "f64": 0.501}, {"f32": (-9, 9), "f64": (-9, 9)}),
    "floor": ({"f32": 0, "f64": 0}, {"f32": (-99, 99), "f64": (-99, 99)}),
    "ceil": ({"f32": 0, "f64": 0}, {"f32": (-99, 99), "f64": (-99, 99)}),
    "trunc": ({"f32": 0, "f64": 0}, {"f32": (-99, 99), "f64": (-99, 99)}),
    "round": ({"f32": 0, "f64": 0}, {"f32": (-99, 99), "f64": (-99, 99)}),
    "roundeven": ({"f32": 0, "f64": 0}, {"f32": (-99, 99), "f64": (-99, 99)}),
    "sign": ({"f32": 0, "f64": 0}, {"f32": (-9, 9), "f64": (-9, 9)}),
}
_SIMPLE = {"sqrt", "rsqrt", "reciprocal", "floor", "ceil", "trunc", "round", "roundeven", "sign"}  # of few instructions
_DTYPES = {"f32": np.float32, "f64": np.float64, "f16": np.float16}
_WIDER = {"f32": np.float64, "f64": np.longdouble}
_BITS = {"f32": np.uint32, "f64": np.uint64, "f16": np.uint16}
_TWO = {"pow", "atan2"}  # of two arguments, of which the second is told by the first (seconds)
_TURNS = {"sin", "cos", "tan"}
_SPEC = "".join(f"def {f}_of<T>(A: T(N){', B: T(N)' * (f in _TWO)}) -> (C: T(N)) {{ C(n) = {f}(A(n){', B(n)' * (f in _TWO)}); }}\n"
                for f in _FUNCTIONS)  # fmt: skip
# The first of its kind is what the others are compared with; the very first computes element by element.
_BUILDS = [
    ("generic", einc_tool.CLANG, ["-O2"]), ("generic", einc_tool.GCC, ["-O3"]), ("x86-64-v2", einc_tool.GCC, ["-O2"]),
    ("x86-64-v3", einc_tool.CLANG, ["-O2"]), ("x86-64-v3", einc_tool.GCC, ["-O1"]), ("native", einc_tool.CLANG, ["-O0"]),
    ("native", einc_tool.CLANG, ["-O3"]), ("native", einc_tool.GCC, ["-O2", "-ffp-contract=fast"]),
    ("native", einc_tool.CLANG, ["-O1", "-fsanitize=undefined,float-cast-overflow", "-fsanitize-trap=all"]),
    ("native strict", einc_tool.CLANG, ["-O2"]), ("x86-64-v3 strict", einc_tool.GCC, ["-O2"]),
]  # fmt: skip
_SOME = {"f32": [0, 1, 2, 3, 4, 6, 7, 8, 9], "f64": [0, 1, 3, 5, 7, 8, 10], "f16": [0, 3, 4, 6]}  # builds, where the test is short


class Memref(ctypes.Structure):
    _fields_ = [("allocated", ctypes.c_void_p), ("aligned", ctypes.c_void_p), ("offset", ctypes.c_int64),
                ("sizes", ctypes.c_int64 * 1), ("strides", ctypes.c_int64 * 1)]  # fmt: skip


def memref(array):
    return Memref(array.ctypes.data, array.ctypes.data, 0, (ctypes.c_int64 * 1)(array.size), (ctypes.c_int64 * 1)(1))


def fuses(target):
    """Whether products are added with one rounding."""
    has_fma = target == "aarch64" or re.search(r"^flags.* fma ", pathlib.Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return bool(has_fma) and not target.endswith("strict") and target not in ("generic", "x86-64-v2")


def library(folder, spec, kind, target, compiler, flags):
    name, *strict = target.split()
    source = folder / f"{kind}_{'_'.join([name, *strict])}.c"
    if not source.exists():
        einc_tool.must(einc_tool.run("emit", spec, "--stage=c", "--type", f"T={kind}", f"--target={name}",
                                     *(f"--fp={s}" for s in strict), "-o", source))  # fmt: skip
    built = folder / f"{source.stem}_{compiler}_{'_'.join(flags)}.so"
    compilers.compile_c(compiler, "-std=c99", "-shared", "-fPIC", *flags, source, "-lm", out=built)
    return ctypes.CDLL(str(built))


def seconds(x):
    """Exponents for these numbers: edges, some of any size, and those whose powers are near the ends of the type."""
    dtype, info, rng = x.dtype, np.finfo(x.dtype), np.random.default_rng(7)
    edges = [0, 1, 2, 3, 0.5, 1 / 3, 2.0**10, info.max, info.tiny, info.smallest_subnormal, np.inf]
    edges += [n + m for n in (1 / info.eps, 2 / info.eps) for m in (-2, -1, -0.5, 0, 1)]
    edges = [*edges, *(-e for e in edges), np.nan]
    with np.errstate(all="ignore"):
        table = np.concatenate([np.resize(edges, 256), rng.uniform(-8, 8, 512), np.exp2(rng.uniform(-30, 30, 256))]).astype(dtype)
        kind = _BITS[dtype.name.replace("float", "f")]
        pick = (x.view(kind).astype(np.uint64) * np.uint64(2654435761) >> np.uint64(9)) % np.uint64(4096)
        ends = (pick.astype(np.float64) / 2048 - 1) * 1.1 * info.maxexp / np.log2(np.abs(x.astype(np.longdouble)))
        return np.where(pick % np.uint64(4) == 0, ends.astype(dtype), table[pick % np.uint64(1024)])


def arguments(function, x, second=None):
    return [x, np.ascontiguousarray(seconds(x) if second is None else second)] if function in _TWO else [x]


def computed(made, function, x, y=None, second=None):
    y = np.zeros_like(x) if y is None else y
    given = arguments(function, x, second)  # memrefs don't own their data
    inputs = [memref(a) for a in given]
    status = getattr(made, f"{function}_of")(*map(ctypes.byref, inputs), ctypes.byref(memref(y)))
    if status:
        raise RuntimeError(f"status {status}")
    return y


def erf(x):
    """By a series of positive terms; e^(-x^2) times the sum of 2^n x^(2n+1) / (1 * 3 * ... * (2n+1))."""
    a = np.minimum(np.abs(x), 7)
    total = np.empty_like(a)
    for part in np.array_split(np.argsort(a), 32):  # the larger, the more terms
        near = a[part]
        term, of = near.copy(), near.copy()
        for n in range(1, 230):
            term = term * (2 * near * near / (2 * n + 1))
            of += term
            if not (term > of * 2.0**-80).any():
                break
        total[part] = of
    root = np.sqrt(4 * np.arctan(np.longdouble(1)))
    return np.copysign(np.where(a < 7, 2 / root * np.exp(-a * a) * total, 1), x)


def true_values(function, x, second=None):
    with np.errstate(all="ignore"):
        wide = x.astype(_WIDER[x.dtype.name.replace("float", "f")])
        if function in _TWO:  # (glibc's powl of infinity and a large odd number is wrong, its pow is not)
            y, of = arguments(function, x, second)[1], {"pow": np.power, "atan2": np.arctan2}[function]
            return np.where(np.isinf(x), of(x.astype(np.float64), y.astype(np.float64)), of(wide, y.astype(wide.dtype)))
        of = {"erf": erf, "rsqrt": lambda a: 1 / np.sqrt(a), "roundeven": np.rint, "sign": lambda a: np.where(a == 0, a, np.sign(a)),
              "atan": np.arctan,
              "round": lambda a: np.trunc(a) + np.where(np.abs(a - np.trunc(a)) >= 0.5, np.copysign(1, a), np.copysign(0, a)),
              }.get(function) or getattr(np, function)  # fmt: skip
        return np.where(np.isnan(wide), wide, of(wide))


def inexact(function, kind, x, got, second=None):
    """What is wrong with results: too far off, or not the special value."""
    most, true = _FUNCTIONS[function][0][kind], true_values(function, x, second)
    info = np.finfo(_DTYPES[kind])
    with np.errstate(all="ignore"):
        nearest = true.astype(_DTYPES[kind])
        last_place = np.spacing(np.minimum(np.abs(nearest), info.max)).astype(true.dtype)
        # The neighbour above a power of two, to which a true value below it was rounded, is further off.
        last_place = np.where((np.abs(nearest) > np.abs(true)) & (np.abs(nearest) > info.tiny),
                              np.spacing(np.nextafter(np.abs(nearest), _DTYPES[kind](0))), last_place)  # fmt: skip
        error = np.abs(got.astype(true.dtype) - true) / last_place
    bad = ~(error <= most)
    # Infinite, zero or no number: exactly that, with its sign.
    special = ~np.isfinite(nearest) | ~np.isfinite(got) | (x == 0)
    same = (np.isnan(nearest) & np.isnan(got)) | ((nearest == got) & (np.signbit(nearest) == np.signbit(got)))
    bad = np.where(special, ~same, bad | (np.signbit(nearest) != np.signbit(got)))
    if function in ("sin", "cos"):
        bad |= np.abs(got) > 1
    if bad.any():
        i = int(np.argmax(np.where(bad, np.where(special, np.inf, error), -1)))
        return f"{np.count_nonzero(bad)} of {bad.size}: at {float(x[i]).hex()} {float(got[i]).hex()}, not {true[i]!r}; {error[i]} ulps"
    return None


def edges(made, function, kind):
    """Each of these numbers with each."""
    info = np.finfo(_DTYPES[kind])
    some = [0, 1, 2, 3, 0.5, 1.5, 1 / 3, 0.999, 1.001, 7, info.max, info.tiny, info.smallest_subnormal, np.inf, 1 / info.eps,
            1 / info.eps + 1, 2 / info.eps - 1, 2 / info.eps, 2 / info.eps + 2, 0.5 / info.eps + 0.5, np.sqrt(info.max)]  # fmt: skip
    some = np.array([*some, *(-s for s in some), np.nan], _DTYPES[kind])
    x, second = np.repeat(some, some.size), np.tile(some, some.size)
    return inexact(function, kind, x, computed(made, function, x, second=second), second)


def different(x, got, want):
    kind = _BITS[x.dtype.name.replace("float", "f")]
    bad = (got.view(kind) != want.view(kind)) & ~(np.isnan(got) & np.isnan(want))
    if bad.any():
        i = int(np.argmax(bad))
        return f"{np.count_nonzero(bad)} of {bad.size}: at {float(x[i]).hex()} {float(got[i]).hex()}, not {float(want[i]).hex()}"
    return None


def samples(function, kind, rng):
    dtype, bits = _DTYPES[kind], _BITS[kind]
    if kind == "f16":
        return np.arange(65536, dtype=np.uint16).view(dtype)
    info, count = np.finfo(dtype), 1 << (20 if einc_tool.LONG else 17)
    low, high = _FUNCTIONS[function][1][kind]
    ends = [0, 1, 0.5, 2, 0.625, 0.8, 3, 1024, low, high, info.max, info.tiny, info.smallest_subnormal, info.eps, np.inf, np.nan,
            np.sqrt(0.5), np.sqrt(2), np.log(info.max), np.log(info.tiny), np.log(info.smallest_subnormal), np.pi]  # fmt: skip
    ends = np.array(ends, dtype)
    with np.errstate(all="ignore"):
        ends = np.concatenate([ends, np.nextafter(ends, dtype(np.inf)), np.nextafter(ends, dtype(0))])
        near = (np.exp2(rng.uniform(-60, 2, count)) * rng.choice([-1, 1], count)).astype(dtype)
    anything = rng.integers(0, np.iinfo(bits).max, count, bits, endpoint=True).view(dtype)
    parts = [ends, -ends, anything, rng.uniform(low, high, count).astype(dtype), near, 1 + near]
    if function in _TURNS:  # where they are 0 or infinite, and where the way there changes
        quarters = np.concatenate([np.arange(1, 4096), rng.integers(4096, 1 << 21, 4096)]) * (np.arctan(np.longdouble(1)) * 2)
        parts += [quarters.astype(dtype), rng.uniform(2**17, 2**21, count).astype(dtype),
                  np.ldexp(rng.uniform(1, 2, count), rng.integers(17, info.maxexp, count)).astype(dtype)]  # fmt: skip
    return np.concatenate(parts).astype(dtype)


def positions(made, function, x, want, rng):
    """Lines of a few elements at every address modulo 64, with elements of any kind beside one another."""
    x, want = x.copy(), want.copy()
    order = rng.permutation(x.size)[:4096]
    x, want = x[order], want[order]
    target = np.zeros(x.size + 64, x.dtype)
    for begin in range(64 // x.itemsize + 1):
        for length in [1, 2, 3, 5, 8, 13, 16, 17, 31, 40, 67, 200]:
            first = int(rng.integers(0, x.size - length))
            part, to = x[first : first + length], target[begin : begin + length]
            message = different(part, computed(made, function, part, to), want[first : first + length])
            if message:
                return f"{length} elements at {begin}: {message}"
    return None


_MAIN = """
#include <stdio.h>
#include <stdlib.h>
#include "k.h"
static %(c)s x[2][%(n)d], y[%(n)d];
int main(void) {
  einc_memref_%(kind)s_1 first = {x[0], x[0], 0, {0}, {1}}, second = {x[1], x[1], 0, {0}, {1}}, to = {y, y, 0, {0}, {1}};
%(body)s
  return 0;
}
"""


def aarch64(folder, spec, kind, inputs, wanted):
    """The same bits under qemu-user, which is slow: of the edges, which come first, and of some others."""
    if not einc_tool.LONG:
        some = lambda x: np.concatenate([x[:256], x[256::4]])
        inputs, wanted = ({f: some(x) for f, x in values.items()} for values in (inputs, wanted))
    folder = folder / f"aarch64_{kind}"
    einc_tool.must(einc_tool.run("build", spec, "--target=aarch64", "--type", f"T={kind}", "-o", folder, "--name", "k"))
    body = ""
    for f, x in inputs.items():
        read = "".join(f" || fread(x[{i}], sizeof *y, {x.size}, stdin) != {x.size}" for i in range(len(arguments(f, x))))
        body += (f"  first.sizes[0] = second.sizes[0] = to.sizes[0] = {x.size};\n"
                 f"  if (0{read} || {f}_of(&first{', &second' * (f in _TWO)}, &to)) return 2;\n"
                 f"  fwrite(y, sizeof *y, {x.size}, stdout);\n")  # fmt: skip
    c = {"f32": "float", "f64": "double", "f16": "uint16_t"}[kind]
    (folder / "main.c").write_text(_MAIN % {"c": c, "kind": kind, "n": max(x.size for x in inputs.values()), "body": body})
    subprocess.run([einc_tool.CLANG, "--target=aarch64-linux-gnu", "-static", folder / "main.c", folder / "libk.a", "-lm", "-o", folder / "main"],
                   check=True)  # fmt: skip
    given = b"".join(a.tobytes() for f, x in inputs.items() for a in arguments(f, x))
    result = subprocess.run(["qemu-aarch64", folder / "main"], input=given, capture_output=True, timeout=120, check=True)
    ends = np.cumsum([x.size for x in inputs.values()])[:-1]
    got = np.split(np.frombuffer(result.stdout, _DTYPES[kind]), ends)
    messages = [(f, different(inputs[f], row, wanted[f])) for f, row in zip(inputs, got)]
    return "\n".join(f"{f}: {message}" for f, message in messages if message)


def every_f32(made, function):
    each = 61 if function == "erf" else 1  # NumPy has none, and ours is slow
    for begin in range(0, 1 << 32, 1 << 22):
        x = np.arange(begin, begin + (1 << 22), each, np.uint64).astype(np.uint32).view(np.float32)
        got = computed(made, function, x)
        with np.errstate(all="ignore"):
            off = got.view(np.uint32) != true_values(function, x).astype(np.float32).view(np.uint32)  # from the nearest float
        message = inexact(function, "f32", x[off], got[off]) if off.any() else None
        if message:
            return message
    return None


def own(function, kind):
    return kind in _FUNCTIONS[function][0] or kind == "f16"


def main():
    cases, rng = einc_tool.Cases(), np.random.default_rng(11)
    folder = einc_tool.scratch()
    spec = folder / "functions.tc"
    spec.write_text(_SPEC)
    for kind in ["f32", "f64", "f16"]:
        wanted, inputs = {True: {}, False: {}}, {f: samples(f, kind, rng) for f in _FUNCTIONS if own(f, kind)}
        builds = _BUILDS if einc_tool.LONG else [_BUILDS[i] for i in _SOME[kind]]
        for target, compiler, flags in builds:
            made = library(folder, spec, kind, target, compiler, flags)
            same = wanted[fuses(target)]
            for function, x in inputs.items():
                name = f"{function} {kind} {target} {compiler} {' '.join(flags)}"
                is_first = function not in same
                if is_first:
                    same[function] = computed(made, function, x)
                    if kind != "f16":
                        cases.run(f"{name}: accuracy", inexact, function, kind, x, same[function])
                        if function in _TWO:
                            cases.run(f"{name}: edges", edges, made, function, kind)
                    if target == "generic":
                        continue
                want = same[function]
                bits = [] if is_first else [(f"{name}: bits", lambda: different(x, computed(made, function, x), want))]
                cases.run_all_apart([*bits, (f"{name}: positions", positions, made, function, x, want, rng)])
            if einc_tool.LONG and kind == "f32" and flags == ["-O3"]:
                for function in _FUNCTIONS.keys() - _SIMPLE - _TWO:
                    cases.run(f"{function} {target}: every f32", every_f32, made, function)
        cases.run(f"{kind} aarch64", aarch64, folder, spec, kind, inputs, wanted[True])
    cases.finish()


if __name__ == "__main__":
    main()
