# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""A second opinion: what `einc emit --stage=mlir` writes is verified by MLIR, compiled by MLIR and LLVM, and called.

  specs/        every def, verified on buffers and on tensors; both called on random data, strides, sizes, attributes and
                element types, compared with our C kernel called the same way and with the reference interpreter
  features.tc   the same for what specs/ seldom uses; and for random programs
  scalars.tc    every function and cast on edge values, compared with the reference interpreter bit for bit (library
                functions within a few units in the last place)
  planted       a wrong MLIR text must be noticed
"""

import itertools
import re
import subprocess

import numpy as np

from tests.conformance import drawn_calls, mlir_tool
from tests.numeric import abi, compilers, einc_tool, programs, scalars
from tests.numeric.einc_tool import LONG

# ---- specs/ ----

# Element types of the defs that have a parameter T, beside its default.
_TYPES = ["f64", "bf16", "i8", "u16"] if not LONG else ["f64", "f16", "bf16", "f32", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"]
_CALLS = 12 if LONG else 3


def kernels_of_specs(folder):
    """(element type, kernels): all defs as they stand, then those that take further types."""
    drawn = folder / "programs.tc"
    drawn.write_text("\n".join(programs.draw(seed, f"program{seed}").text for seed in range(400 if LONG else 30)))
    specs = einc_tool.specs() + [einc_tool.find("tests/conformance/features.tc"), drawn]
    plain = [k for spec in specs for k in drawn_calls.manifests(spec).values()]
    for kernel in plain:
        kernel.flags = []
    # Sizes for programs with many of them are hard to guess.
    plain = [k for k in plain if k.spec != drawn or len(k.symbols) <= 12]
    yield "default", plain
    generic = [k for k in plain if _has_parameter(k)]
    for i, element in enumerate(_TYPES):
        # A part of them for each type, another part for the next one; all with --long.
        share = generic if LONG else generic[i :: len(_TYPES)]
        yield element, [k for k in (_of_type(k, element) for k in share) if k]


def _of_type(kernel, element):
    flags = ["--def", kernel.name, f"--type=T={element}"]
    try:
        typed = drawn_calls.manifests(kernel.spec, *flags)[kernel.name]
    except RuntimeError:
        return None  # no floats only: exp, division by a size, ...
    typed.flags = flags[2:]
    return typed


def _has_parameter(kernel):
    typed = _of_type(kernel, "f64")
    return typed and typed.types() != kernel.types()


def c_library(folder, name, kernels):
    """Our own kernels, attributes passed at run time."""
    specs = sorted({k.spec for k in kernels})
    flags = [f"--def={k.name}" for k in kernels] + kernels[0].flags
    target = ["--target=native"] if LONG else ["--target=x86-64-v3"]  # code for AVX-512 takes four times as long to compile
    einc_tool.must(einc_tool.run("build", *specs, "-o", folder, "--name", name, "--sources-only", "--one-file", *flags, *target))
    shared = folder / f"{name}.c.so"
    compilers.compile_c(einc_tool.CLANG, "-std=c99", "-O0", "-w", "-fPIC", "-shared", folder / f"{name}.c", "-lm", out=shared)
    return abi.ctypes.CDLL(str(shared))


class Variant:
    """A def with some values fixed on the command line, as MLIR, and calls that fit it."""

    def __init__(self, kernel, prefix, library, rng, form):
        self.kernel, self.form, self.prefix = kernel, form, prefix
        self.values = drawn_calls.draw_attributes(kernel, rng)
        flags = drawn_calls.flags_of(kernel, self.values) if form != "free" else []
        self.without = {a["name"] for a in kernel.attributes if form != "free" and self.values[a["name"]] is not None}
        sizes = [drawn_calls.draw_sizes(kernel, library, self.values, rng, empty=False)] if form == "static" else []
        flags += [f"--dim={s}={n}" for draw in sizes for s, n in draw.items()]
        self.text, self.refused = self._emit(flags)
        if self.refused and form == "free":  # a map needs an element of a list
            self.text, self.refused = self._emit(flags + [f"--attr={a}=2" for a in self._asked_for()])
        for name, numbers in drawn_calls.fixed_in(self.text).items():
            self.values[name] = numbers
            self.without.add(name)
        self.calls = []
        for i in range(_CALLS if form != "static" else 1):
            try:
                draw = sizes[0] if sizes else drawn_calls.draw_sizes(kernel, library, self.values, rng, empty=i == 1)
            except drawn_calls.NoCall:
                if i != 1:
                    raise
                continue  # an empty tensor is not for everyone
            self.calls.append(drawn_calls.Call(kernel, self.values, draw, rng, whole=i % 2 == 0))

    def _emit(self, flags):
        result = einc_tool.run("emit", "--stage=mlir", self.kernel.spec, "--def", self.kernel.name, "--prefix", self.prefix,
                               *self.kernel.flags, *flags)
        return result.stdout, result.stderr if result.returncode else ""

    def _asked_for(self):
        names = re.findall(r"give it with --attr (\w+)=", self.refused)
        for name in names:
            self.values[name] = [2] * len(self.values[name])
            self.without.add(name)
        return names

    def __str__(self):
        return f"{self.kernel.name} {self.form} {' '.join(self.kernel.flags)}".strip()


def make_variant(cases, kernel, prefix, library, form):
    rng = np.random.default_rng([len(prefix), *prefix.encode()])
    try:
        variant = Variant(kernel, prefix, library, rng, form)
    except (RuntimeError, drawn_calls.NoCall) as error:
        cases.check(f"calls of {kernel.name} {form}", error)
        return None
    if variant.refused:
        # Only with all sizes open is this the rule; with sizes fixed, everything can be expressed.
        excused = form != "static" and "; fix it with --dim" in variant.refused
        cases.check(f"refusal of {variant}", None if excused else variant.refused)
        return None
    return variant


def compare_with_c(call, mlir, ours, without):
    status, wanted = call.run(ours)
    if status:
        return f"{call}\nour kernel gives status {status}"
    _, got = call.run(mlir, without)
    elements = lambda results: {n: r[0] for n, r in results.items()}
    message = call.compare(elements(got), elements(wanted))
    if message is None:
        for name, view in call.views.items():  # around the elements, nothing has changed
            if name in got:
                gaps = np.ones(call.memory[name].shape, bool)
                _same_view(gaps, call.memory[name], view)[...] = False
                if (got[name][1] != call.memory[name])[gaps].any():
                    message = f"{call}\n{name}: written outside the view"
    return message


def _same_view(mask, memory, view):
    """The part of `mask` that `view` is of `memory`."""
    start = (view.__array_interface__["data"][0] - memory.__array_interface__["data"][0]) // memory.itemsize
    strides = [s // memory.itemsize for s in view.strides]
    return np.lib.stride_tricks.as_strided(mask.reshape(-1)[start:], view.shape, strides)


def compare_with_reference(call, mlir, without, folder):
    _, got = call.run(mlir, without)
    return call.compare({n: r[0] for n, r in got.items()}, call.run_reference(folder))


def verify_all(cases, folder, variants):
    """All texts at once; one by one if that fails, to name the def."""
    if mlir_tool.verify(folder, "\n".join(v.text for v in variants)) is None:
        for variant in variants:
            cases.check(f"verify {variant}", None)
        return variants
    return [v for v in variants if cases.check(f"verify {v}", mlir_tool.verify(folder, v.text))]


def forms_of(kernel, element, number):
    """Which values are known: none, those of attributes, or all. Sizes of half of the defs are, unless --long."""
    if not LONG and element != "default":
        return ["fixed"]
    forms = ["free", "static"] if LONG else [["free", "static"][number % 2]]
    return forms + ["fixed"] * bool(kernel.attributes)


def check_specs(cases, folder):
    for element, kernels in kernels_of_specs(folder):
        if not kernels:
            continue
        ours = c_library(folder, f"c_{element}", kernels)
        variants = [make_variant(cases, k, f"{form}_{element}_", ours, form) for number, k in enumerate(kernels)
                    for form in forms_of(k, element, number)]
        variants = verify_all(cases, folder, [v for v in variants if v])
        library = mlir_tool.library(folder, f"mlir_{element}", "\n".join(v.text for v in variants))
        apart = []
        for variant in variants:
            mlir = getattr(library, f"_mlir_ciface_{variant.prefix}{variant.kernel.name}")
            on_tensors = getattr(library, f"_mlir_ciface_{variant.prefix}{variant.kernel.name}_on_tensors")
            kernel = getattr(ours, variant.kernel.function)
            apart += [(f"{variant} {i}", compare_with_c, call, mlir, kernel, variant.without) for i, call in enumerate(variant.calls)]
            apart.append((f"{variant} on tensors", compare_with_c, variant.calls[0], on_tensors, kernel, variant.without))
            if LONG or variant.form == "fixed" or not variant.kernel.attributes and variant.form == "free":
                apart.append((f"{variant} reference", compare_with_reference, variant.calls[0], mlir, variant.without, folder))
        cases.run_all_apart(apart)


# ---- scalars.tc ----

_REAL_EDGES = [0.0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 0.5, -0.5, 1.5, -1.5, 2.5, -2.5, 0.49999997, 0.75, 3, -3, 7.25, 10, 127.5,
               -128.5, 255.5, 256, 1e-3, 1e-5, -1e-5, 2.0**-149, 2.0**-24, 1e-40, 65504, 65519.9, 65520, -32769, 2.0**31, -(2.0**31),
               2.0**32, 2.0**63, -(2.0**63), 2.0**64, 1e30, 3.4e38, 1e300, 2.0**53 + 2, 1 + 2.0**-8, 1 + 2.0**-11, 1 + 2.0**-8 + 2.0**-40,
               88.5, -87.3, 709.5]


def edges(kind):
    if kind == "bool":
        return np.array([False, True])
    if scalars.is_float(kind):
        with np.errstate(all="ignore"):
            return scalars.to_storage(kind, scalars.cast(np.array(_REAL_EDGES), "f64", kind))
    info, width = np.iinfo(scalars.DTYPES[kind]), scalars.bits(kind)
    numbers = {0, 1, 2, 3, 5, 7, 10, 100, width - 1, width, width + 1, 2047, 2048, 2**24 + 1, 2**25 + 3, 65504, 65519, 65520,
               2**53 + 1, 2**53 - 1, 2**62 + 2**38 + 1, info.max, info.max - 1, info.max // 2, info.min + 1, info.min}
    numbers |= {-n for n in numbers}
    return np.array(sorted(n for n in numbers if info.min <= n <= info.max), scalars.DTYPES[kind])


def scalar_data(kernel):
    """Every pair of edges."""
    inputs = [t for t in kernel.tensors if t["role"] == "input"]
    pairs = list(itertools.product(*[range(len(edges(t["type"]))) for t in inputs]))
    return {t["name"]: edges(t["type"])[[p[i] for p in pairs]] for i, t in enumerate(inputs)}


def units_in_last_place(kind, got, wanted):
    """How far apart, in numbers of the type; NaNs are equal, and so are zeros."""
    bits = {2: np.int16, 4: np.int32, 8: np.int64}[got.dtype.itemsize]
    nan = lambda x: np.isnan(scalars.from_storage(kind, x))

    def place(x):
        raw = x.view(bits).astype(object)
        return np.where(raw < 0, -(raw + 2 ** (8 * x.dtype.itemsize - 1)), raw)

    return np.where(nan(got) & nan(wanted), 0, np.abs(place(got) - place(wanted)))


def compare_scalars(kernel, data, got, wanted):
    for tensor in kernel.tensors:
        name, kind = tensor["name"], tensor["type"]
        if tensor["role"] != "output":
            continue
        function = name.rstrip("_")
        exact = not scalars.is_float(kind) or name.startswith("to_") or function in scalars.EXACT_FLOAT + ["select"]
        if exact:
            message = drawn_calls.compare_arrays(kind, got[name], wanted[name])
        else:
            distance = units_in_last_place(kind, got[name], wanted[name])
            most = 1 if kind in ("f16", "bf16") else 4
            worst = int(np.argmax(distance))
            message = None if distance[worst] <= most else (
                f"{scalars.from_storage(kind, got[name])[worst]!r}, not {scalars.from_storage(kind, wanted[name])[worst]!r}")
        if message:
            first = re.search(r"at \[(\d+)\]", message)
            at = int(first[1]) if first else worst
            arguments = {n: scalars.from_storage(k["type"], data[n])[at] for k in kernel.tensors if (n := k["name"]) in data}
            return f"{name} of {arguments}: {message}"
    return None


def scalar_case(kernel, function, folder):
    call = drawn_calls.Call(kernel, {}, {"N": len(next(iter(scalar_data(kernel).values())))}, np.random.default_rng(1), True)
    for name, array in scalar_data(kernel).items():
        call.memory[name] = call.views[name] = array
    _, got = call.run(function)
    return compare_scalars(kernel, call.views, {n: r[0] for n, r in got.items()}, call.run_reference(folder))


def check_scalars(cases, folder, spec):
    text = spec.read_text()
    functions = re.findall(r'^EINC_FUNCTION\(\w+, "(\w+)"', einc_tool.find("compiler/ir/functions.def").read_text(), re.MULTILINE)
    missing = [f for f in functions if f" {f}_(n) = {f}(" not in text]
    cases.check("all functions are in scalars.tc", missing)
    typed, texts = [], []
    for element in scalars.TYPES:
        for name in re.findall(r"^def (\w+)", text, re.MULTILINE):
            flags = ["--def", name, f"--type=T={element}"]
            emitted = einc_tool.run("emit", "--stage=mlir", spec, *flags, "--prefix", f"{element}_")
            if "does not work on" in emitted.stderr or "does not compare" in emitted.stderr:
                continue
            kernel = drawn_calls.manifests(spec, *flags)[name]
            kernel.flags = flags[2:]
            typed.append((element, kernel))
            texts.append(einc_tool.must(emitted).stdout)
    cases.check("verify scalars.tc", mlir_tool.verify(folder, "\n".join(texts)))
    library = mlir_tool.library(folder, "scalars", "\n".join(texts))
    cases.run_all_apart((f"{kernel.name} on {element}", scalar_case, kernel, getattr(library, f"_mlir_ciface_{element}_{kernel.name}"), folder)
                        for element, kernel in typed)


# ---- library_call: the names of functions, as MLIR makes them and calls them ----

# Linalg's op, types and shapes ("?" for what is not known) of inputs and output, and the def that says the same.
_CALLED = [
    ("matmul", ["f32 ? ?", "f32 ? ?", "f32 ? ?"], "def matmul(A: f32(M, K), B: f32(K, N)) -> (C: f32(M, N)) { C(m, n) += A(m, k) * B(k, n); }"),
    ("matmul", ["f64 4 ?", "f64 ? 3", "f64 4 3"], "def matmul(A: f64(4, K), B: f64(K, 3)) -> (C: f64(4, 3)) { C(m, n) += A(m, k) * B(k, n); }"),
    ("matmul", ["i8 ? 5", "i8 5 ?", "i32 ? ?"],
     "def matmul(A: i8(M, 5), B: i8(5, N)) -> (C: i32(M, N)) { C(m, n) += A(m, k) * B(k, n); }"),
    ("dot", ["bf16 ?", "bf16 ?", "bf16"], "def dot(A: bf16(M), B: bf16(M)) -> (C: bf16()) { C() += A(m) * B(m); }"),
    ("dot", ["f16 8", "f16 8", "f16"], "def dot(A: f16(8), B: f16(8)) -> (C: f16()) { C() += A(m) * B(m); }"),
    ("dot", ["i64 2", "i64 2", "i64"], "def dot(A: u64(2), B: u64(2)) -> (C: u64()) { C() += A(m) * B(m); }"),
    ("fill", ["f64", "f64 ? 7"], "def fill(v: f64) -> (C: f64(M, 7)) { C(m, n) = v; }"),
    ("fill", ["i16", "i16"], "def fill(v: u16) -> (C: i16()) { C() = cast<i16>(v); }"),
    ("copy", ["i1 ?", "i1 ?"], "def copy(A: bool(M)) -> (C: bool(M)) { C(m) = A(m); }"),
    ("exp", ["f32 ? 2 ?", "f32 ? 2 ?"], "def exp(A: f32(M, 2, N)) -> (C: f32(M, 2, N)) { C(a, b, c) = exp(A(a, b, c)); }"),
]


def linalg_type(text, scalar):
    element, *sizes = text.split()
    return element if scalar else "memref<" + "".join(f"{size}x" for size in sizes) + element + ">"


def check_mangled(cases, folder, op, types, spec):
    """The name that MLIR makes for its own op, and ours for the same."""
    operands = [linalg_type(t, op == "fill" and i == 0) for i, t in enumerate(types)]
    values = [f"%{i}" for i in range(len(types))]
    text = (f"func.func @f({', '.join(map(': '.join, zip(values, operands)))}) {{\n  linalg.{op} ins({', '.join(values[:-1])} : "
            f"{', '.join(operands[:-1])}) outs({values[-1]} : {operands[-1]})\n  return\n}}\n").replace("%", "%v")
    theirs = mlir_tool.library_calls(folder, text)
    (folder / "mangled.tc").write_text(f"library_call<> {spec}\n")
    header = einc_tool.must(einc_tool.run("emit", "--stage=header", folder / "mangled.tc")).stdout
    ours = re.findall(r"_mlir_ciface_(linalg_\w+)\(", header)
    cases.check(f"name of {op} {types}", None if ours == theirs and len(ours) == 1 else f"{ours}, not {theirs}")


# Defs, and what their MLIR calls on buffers and on tensors: nothing where Linalg's op has other operands.
_CALLING = [
    ("library_call<> def scale(a: f32, x: f32(M), b: f16) -> (y: f32(M)) { y(m) = a * x(m) + cast<f32>(b); }",
     "linalg_scale_f32_viewsxf32_f16_viewsxf32", 3),
    ("library_call<my_f> def f(x: f32(M)) -> (y: f32(M), z: f32(M)) { z(m), y(m) = x(m), 2 * x(m); }", None, 0),
    ("library_call<my_f> def f(x: f32(M, N)) -> (y: f32(N, M)) { y(i, j) = x(j, i); }", "my_f", 1),
    ("library_call<my_f> def f(x: f32(M)) -> (y: f32(M)) { T(m) = exp(x(m)); y(m) = T(m) / x(m); }", None, 0),
    ("library_call<my_f> def f(x: f32(M)) -> (y: f32(M)) { y(m) = x(m) + x(m - 1) else 0.0; }", "my_f", 1),
    ("library_call<my_f> def f(x: f32(M)) -> (y: f32(M)) { y(m) = x(m - 1) else 0.0; }", None, 0),
    ("library_call<my_f> def f(x: f32(M), y: f32(M + 1)) -> (z: f32(M)) { z(m) = x(m) + y(m); }", None, 0),
    ("library_call<my_f> def f(x: f32(M)) -> (y: f32(M)) attr(s: i64 = 1) { y(m) = x(m * s); }", None, 0),
]


def check_calling(cases, folder, spec, name, scalars_and_tensors):
    (folder / "calling.tc").write_text(spec)
    emitted = einc_tool.run("emit", "--stage=mlir", folder / "calling.tc")
    text = einc_tool.must(emitted).stdout
    cases.check(f"verify {spec}", mlir_tool.verify(folder, text))
    if name is None:
        cases.check(f"no call for {spec}", None if "library_call =" not in text and "Without library_call:" in text else text)
        return
    called = mlir_tool.library_calls(folder, text)
    operands = re.findall(r"\} ins\(([^:]*) :", text)
    good = called == [name] * 2 and all(len(o.split(",")) == scalars_and_tensors for o in operands) and len(operands) == 2
    cases.check(f"call for {spec}", None if good else f"{called} {operands}")


def linked(folder):
    """MLIR's own code calls what was written for ours, by the same header."""
    spec, functions = einc_tool.find("tests/numeric/external.tc"), einc_tool.find("tests/numeric/external.c")
    einc_tool.must(einc_tool.run("emit", "--stage=header", spec, "-o", folder / "external.h"))
    library = mlir_tool.library(folder, "linked", mlir_tool.text_of(spec, "matmul"), functions)
    rng = np.random.default_rng(5)
    A, B, C = (rng.uniform(-1, 1, shape).astype(np.float32) for shape in [(7, 6), (5, 6), (4, 5)])
    wanted = C + 0.5 * (A[::-2] @ B.T)
    library._mlir_ciface_matmul(abi.describe(A[::-2]), abi.describe(B.T, 3), abi.ctypes.c_float(0.5), abi.describe(C))
    calls = abi.ctypes.c_int.in_dll(library, "calls").value
    return None if calls == 1 and np.allclose(C, wanted, rtol=1e-5) else f"{calls} calls: {C}\nnot {wanted}"


def check_library_calls(cases, folder):
    cases.run("linked to MLIR's code", linked, folder)
    for called in _CALLED:
        check_mangled(cases, folder, *called)
    for calling in _CALLING:
        check_calling(cases, folder, *calling)


# ---- The test itself ----


def check_planted_scalars(cases, folder, spec):
    """An operation that differs at the edges only must show."""
    changes = {"f32": ("arith.maximumf", "arith.maxnumf"), "i32": ("arith.select %by_zero, %c0_i32,", "arith.select %by_zero, %c1_i32,"),
               "u8": ("arith.minui", "arith.minsi"), "bf16": ("math.absf", "math.sqrt")}
    for element, (old, new) in changes.items():
        flags = ["--def=number", f"--type=T={element}"]
        kernel = drawn_calls.manifests(spec, *flags)["number"]
        kernel.flags = flags[1:]
        text = mlir_tool.text_of(spec, "number", *flags[1:])
        wrong = text.replace(old, new)
        function = mlir_tool.library(folder, f"planted_{element}", wrong)._mlir_ciface_number
        seen = wrong != text and scalar_case(kernel, function, folder)
        cases.check(f"planted {old} on {element}", None if seen else "a wrong text was not noticed")


def check_planted(cases, folder):
    """Each change of the text of a product must show."""
    spec = einc_tool.find("specs/matmul.tc")
    kernel = drawn_calls.manifests(spec, "--def=matmul")["matmul"]
    kernel.flags = []
    ours = c_library(folder, "c_planted", [kernel])
    text = mlir_tool.text_of(spec, "matmul")
    changes = {"operation": ("arith.addf", "arith.subf"), "map": ("(m, n, k) -> (m, k)", "(m, n, k) -> (k, m)"),
               "accumulator": ("arith.addf %c, %mul", "arith.addf %a, %mul"), "layout": ("%A, %B :", "%B, %A :")}
    for name, (old, new) in changes.items():
        wrong = text.replace(old, new)
        mlir = mlir_tool.library(folder, f"planted_{name}", wrong)._mlir_ciface_matmul
        rng = np.random.default_rng(3)
        call = drawn_calls.Call(kernel, {}, {"M": 3, "K": 3, "N": 3}, rng, whole=True)
        seen = wrong != text and compare_with_c(call, mlir, ours.matmul, ())
        cases.check(f"planted {name}", None if seen else "a wrong text was not noticed")


def main():
    mlir_tool.find_tools()
    cases, folder = einc_tool.Cases(), einc_tool.scratch()
    check_planted(cases, folder)
    check_library_calls(cases, folder)
    spec = einc_tool.find("tests/conformance/scalars.tc")
    check_planted_scalars(cases, folder, spec)
    check_scalars(cases, folder, spec)
    check_specs(cases, folder)
    cases.finish()


if __name__ == "__main__":
    main()
