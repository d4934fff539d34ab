# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Generated C as others meet it: two compilers, all warnings, and under sanitizers.

  FAULTS 24   C99 under GCC and Clang, -pedantic -Wall -Wextra -Werror; the header from C89 and C++
  FAULTS 38   the same bits from both compilers at -O0 to -O3
  FAULTS 41   64 threads and 64 KiB of stack under ThreadSanitizer
  ASan, UBSan random programs and the defs of specs/ in instrumented builds
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import numpy as np

from tests.numeric import abi, compilers, einc_tool, formulas, program_runs, programs
from tests.numeric.einc_tool import CLANG, GCC

_WARNINGS = ["-pedantic", "-Wall", "-Wextra", "-Werror"]
_SANITIZERS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer", "-shared-libasan"]


def command(*args, **kwargs):
    result = subprocess.run([str(a) for a in args], capture_output=True, text=True, errors="replace", timeout=1500, **kwargs)
    return None if result.returncode == 0 else f"{' '.join(map(str, args))}\nexit code {result.returncode}\n{result.stderr[:3000]}"


def refusal(*args, out=None):
    """What a compiler says against C that it does not take."""
    try:
        compilers.compile_c(*args, out=out)
    except compilers.Refused as refused:
        return str(refused)
    return None


def sources(folder, name, specs, *flags):
    einc_tool.must(einc_tool.run("build", *specs, "-o", folder, "--name", name, "--sources-only", "--one-file", *abi.for_target(flags)))
    return folder / f"{name}.c"


def drawn_programs(first, count):
    return [programs.draw(seed, f"p{i}") for i, seed in enumerate(range(first, first + count))]


def write_programs(folder, first, count):
    spec = folder / f"programs{first}.tc"
    spec.write_text("\n".join(p.text for p in drawn_programs(first, count)))
    return spec


# ---- Compilers ----


def headers(folder, name):
    """The header alone, twice, beside the runtime's, from C89, C99, C11 and C++."""
    status = einc_tool.find("runtime/status.h")
    include, included = ["-I", folder, "-I", status.parents[1]], [folder / f"{name}.h", status, status.with_name("status.def")]
    for compiler, standards in [(GCC, ["c90", "c99", "c11"]), (CLANG, ["c89", "c99", "c17"]), ("clang++-19", ["c++11", "c++20"])]:
        for standard in standards:
            for text in [f'#include "{name}.h"\n#include "{name}.h"\n', f'#include "{name}.h"\n#include "runtime/status.h"\n',
                         f'#include "runtime/status.h"\n#include "{name}.h"\n', f'#include <math.h>\n#include "{name}.h"\n']:
                cpp = "++" in standard
                path = folder / ("h.cpp" if cpp else "h.c")
                path.write_text(text + "int einc_nothing;\n")
                long_long = ["-Wno-long-long"] if standard in ("c89", "c90") else []  # stdint.h's
                try:
                    compilers.check_text(compiler, f"-std={standard}", *_WARNINGS, *long_long, *include, path=path, beside=included)
                except compilers.Refused as refused:
                    return f"{text}{refused}"
    return None


def each_compiles(folder, files, compiler, *flags):
    try:
        compilers.compile_each(compiler, "-std=c99", *_WARNINGS, *flags, sources=files, out=folder / "x")
    except compilers.Refused as refused:
        return str(refused)
    return None


def compiles(folder, name, compiler, *flags):
    return refusal(compiler, "-std=c99", *_WARNINGS, *flags, *([] if "-fsyntax-only" in flags else ["-c"]), folder / f"{name}.c",
                   out=None if "-fsyntax-only" in flags else folder / "x.o")


def parts(folder, *flags):
    """Each file of a library by itself, and that the files of two libraries link together."""
    folder.mkdir()
    objects = []
    for name in ("one", "two"):
        einc_tool.must(einc_tool.run("build", *einc_tool.specs(), "-o", folder, f"--name={name}", f"--prefix={name}_", "--sources-only",
                                     *flags, *chosen(3)[::1 if einc_tool.LONG else 8]))
        files = [folder / f"{name}.c", *sorted((folder / name).iterdir())]
        listed = re.findall(r'^    "(.*\.c)",$', (folder / f"{name}.bzl").read_text(), re.MULTILINE)
        if len(files) < 6 or sorted(listed) != sorted(str(f.relative_to(folder)) for f in files):
            return f"{files} and {listed}"
        for compiler in (CLANG, GCC):
            for file in files if name == "one" else []:
                message = refusal(compiler, "-std=c99", "-Wmissing-prototypes", *_WARNINGS, "-fsyntax-only", file)
                if message:
                    return message
        for i, file in enumerate(files):
            objects.append(folder / f"{name}{i}.o")
            message = refusal(CLANG, "-std=c99", "-O0", "-w", "-fPIC", "-c", file, out=objects[-1])
            if message:
                return message
    return command(CLANG, "-shared", "-Wl,-z,defs", "-o", folder / "both.so", *objects, "-lm")


def from_cpp(folder, name):
    """Linked into a C++ program: the functions have C names."""
    path = folder / "main.cpp"
    path.write_text(f'#include "{name}.h"\nint main() {{ return matmul(nullptr, nullptr, nullptr) == EINC_NULL_DESCRIPTOR ? 0 : 1; }}\n')
    return (command(CLANG, "-std=c99", "-c", folder / f"{name}.c", "-o", folder / "x.o")
            or command("clang++-19", "-std=c++17", *_WARNINGS, path, folder / "x.o", "-lm", "-o", folder / "main")
            or command(folder / "main"))


def same_bits(folder, first, count):
    """Results do not depend on compiler or optimisation level: all orders are those of the loops."""
    spec = write_programs(folder, first, count)
    source = sources(folder, "same", [spec])
    outputs = {}
    most = {CLANG: ["-O0", "-O3"], GCC: ["-O0", "-O2"]}
    for compiler in (CLANG, GCC):
        for level in ("-O0", "-O1", "-O2", "-O3") if einc_tool.LONG else most[compiler]:
            path = folder / f"same{compiler}{level}.so"
            message = refusal(compiler, "-std=c99", level, "-fPIC", "-shared", source, "-lm", out=path)
            if message:
                return message
            library = abi.ctypes.CDLL(str(path))
            for program in drawn_programs(first, count):
                message = program_runs.run_native(program, library)
                if message:
                    return f"{compiler} {level}: {program.seed}: {message}"
                outputs.setdefault(program.name, {})[compiler + level] = program_runs.native_bytes(program, library)
    for name, results in outputs.items():
        if len(set(results.values())) > 1:
            return f"{name} differs between {sorted(results)}"
    return None


# ---- Sanitizers ----


def instrumented(folder, name, specs, *flags):
    compilers.compile_library(CLANG, "-std=c99", "-O0", "-g1", "-fPIC", *_SANITIZERS, sources=abi.parts(folder, name, specs, *flags),
                              out=folder / f"{name}.so", linked=_SANITIZERS)


def inside(folder):
    """In the process that has the sanitizers' runtime: the instrumented libraries, over their cases."""
    cases = einc_tool.Cases()
    plan = json.loads((folder / "plan.json").read_text())
    library = abi.ctypes.CDLL(str(folder / "random.so"))
    for program in drawn_programs(*plan["programs"]):
        cases.run(f"sanitized {program.seed}", program_runs.run_native, program, library)
    names = {library: [k["def"] for k in json.loads((folder / f"{library}.json").read_text())["kernels"]] for library in plan["libraries"]}
    library = abi.Several([(abi.Library(folder / f"{name}.so", folder / f"{name}.json"), defs) for name, defs in names.items()])
    for seed in range(plan["seeds"]):
        for name, element in plan["defs"].items():
            rng = np.random.default_rng([seed, len(name), ord(name[-1])])
            call = formulas.Call(name, element, rng, whole=seed % 2 == 0, sizes=[1, 2, 3, 5, 8])
            cases.run(f"sanitized {name} {seed}", call.run_native, library)
    cases.finish()


def sanitized(cases, folder):
    count = 1500 if einc_tool.LONG else 50
    instrumented(folder, "random", [write_programs(folder, 50_000, count)], *([] if einc_tool.LONG else [_PLAIN]))
    libraries = by_target("all", chosen(2))
    for name, flags in libraries.items():
        instrumented(folder, name, einc_tool.specs(), *flags)
    defs = {name: formulas.default_element(name, path) for name, path in formulas.defs_of(einc_tool.specs()).items()
            if f"--def={name}" in chosen(2)}
    (folder / "plan.json").write_text(json.dumps({"programs": [50_000, count], "seeds": 6, "defs": defs, "libraries": list(libraries)}))
    runtime = subprocess.run([CLANG, "-print-file-name=libclang_rt.asan-x86_64.so"], capture_output=True, text=True).stdout.strip()
    # NumPy's memory comes from malloc, so its arrays have red zones around them.
    environment = {**os.environ, "LD_PRELOAD": runtime, "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1",
                   "PYTHONMALLOC": "malloc", "UBSAN_OPTIONS": "print_stacktrace=1", "EINC": einc_tool.EINC}
    result = subprocess.run([sys.executable, __file__, "--inside", folder], capture_output=True, text=True, env=environment, timeout=900)
    lines = result.stdout.strip().split("\n")
    words = lines[-1].split()
    if len(words) == 4 and words[1] == "passed,":
        cases.passed += int(words[0])
    cases.check("ASan and UBSan", None if result.returncode == 0 else (result.stdout[-2000:] + result.stderr)[:6000])


def threads(folder):
    """64 threads with 64 KiB of stack each, under TSan, and the plain build as well."""
    sources(folder, "abi", [einc_tool.find("tests/numeric/abi_kernels.tc")], "--def=matmul_set", "--def=softmax")
    driver = einc_tool.find("tests/numeric/threads.c")
    for flags in [["-O2"], ["-O1", "-g", "-fsanitize=thread"]]:
        message = command(CLANG, "-std=c11", *flags, "-I", folder, driver, folder / "abi.c", "-lm", "-pthread", "-o", folder / "threads")
        message = message or command(folder / "threads", "64" if len(flags) == 1 else "0")
        if message:
            return message
    return None


def chosen(first=0):
    """--def flags: all defs in long mode, else from the given one on each third, or eighth where many are alike."""
    flags = []
    for path in einc_tool.specs():
        names = sorted(formulas.defs_of([path]))
        alike = path.name in ("conv.tc", "depthwise.tc", "pooling.tc")
        step = 1 if einc_tool.LONG else 12 if alike else 5
        flags += [f"--def={name}" for name in names[first % min(step, len(names))::step]]
    return flags


_PLAIN = "--target=x86-64-v3"  # a quarter of the time of AVX-512


def by_target(name, defs):
    """Names of libraries, and their flags: in short mode each fourth def for this machine, the others for a plainer one."""
    if einc_tool.LONG:
        return {name: defs}
    return {name: defs[::4], f"{name}_plain": [_PLAIN, *[d for i, d in enumerate(defs) if i % 4]]}


def main():
    if "--inside" in sys.argv:
        inside(pathlib.Path(sys.argv[-1]))
    cases, folder = einc_tool.Cases(), einc_tool.scratch()
    files = {"random": abi.parts(folder, "random", [write_programs(folder, 60_000, 600 if einc_tool.LONG else 12)])}
    libraries = by_target("specs", chosen())
    for name, flags in libraries.items():
        files[name] = abi.parts(folder, name, einc_tool.specs(), *flags)
    fixed = ["--dim", "M=5", "--dim", "N=7", "--dim", "K=3", "--prefix", "fixed_"]
    files["fixed"] = abi.parts(folder, "fixed", einc_tool.specs(), *fixed, *chosen(1)[:: 1 if einc_tool.LONG else 2], *([] if einc_tool.LONG else [_PLAIN]))
    for compiler, flags in [(CLANG, []), (GCC, [] if einc_tool.LONG else [_PLAIN])]:
        sources(folder, "all_specs", einc_tool.specs(), *flags)
        cases.run(f"fault 24: all of specs/, {compiler}", compiles, folder, "all_specs", compiler, "-fsyntax-only")
    most = "-O2" if einc_tool.LONG else "-O1"  # warnings that need data flow need no more
    for name in (*libraries, "random", "fixed"):
        for compiler, flags in [(CLANG, [most, "-Wmissing-prototypes"]), (GCC, [most])]:
            cases.run(f"fault 24: {name}.c, {compiler} {' '.join(flags)}", each_compiles, folder, files[name], compiler, *flags)
            # Without inlining, operands that have to be constants are found to be none.
            if name != "fixed" or einc_tool.LONG:
                some = files[name][:: 1 if einc_tool.LONG else 3]
                cases.run(f"fault 24: {name}.c, {compiler} -O0", each_compiles, folder, some, compiler, "-O0")
    for name in ("specs", "fixed"):
        cases.run(f"fault 24: {name}.h", headers, folder, name)
    sources(folder, "one", [einc_tool.find("specs/matmul.tc")], "--def=matmul")
    cases.run("fault 24: linked into C++", from_cpp, folder, "one")
    levels = ["--target=x86-64-v2,x86-64-v3,x86-64-v4", "--def=matmul", "--def=matmul_f16_f16_f32", "--def=matmul_i8_i8_i32", "--def=softmax"]
    sources(folder, "levels", [einc_tool.find(f"specs/{name}.tc") for name in ("matmul", "softmax")], *levels)
    for compiler in (CLANG, GCC):
        for cpu in ("x86-64", "haswell", "sapphirerapids"):
            cases.run(f"beyond its level: -march={cpu}, {compiler}", compiles, folder, "levels", compiler, "-O0", f"-march={cpu}")
    cases.run("fault 38: the same bits everywhere", same_bits, folder, 70_000, 200 if einc_tool.LONG else 3)
    cases.run("fault 41: threads", threads, folder)
    cases.run("a file for each def", parts, folder / "parts", "--target=native")
    cases.run("a file for each def, of several targets", parts, folder / "levels_parts", "--target=x86-64-v2,x86-64-v4")
    cases.run("a file for each def, of one level", parts, folder / "level_parts", "--target=x86-64-v3")
    print("sanitizers", flush=True)
    try:
        sanitized(cases, folder)
    except RuntimeError as error:
        cases.check("sanitizers", error)
    if not cases.failures:
        shutil.rmtree(folder)
    cases.finish()


if __name__ == "__main__":
    main()
