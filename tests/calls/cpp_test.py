# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Generated headers in C++: programs of tests/calls/cpp/ compile with Clang and GCC, warn of nothing and give what they should; and what
must not compile does not, for the reason that is meant."""

import concurrent.futures
import pathlib
import subprocess
import sys
import tempfile

EINC, SOURCES, RUNTIME = str(pathlib.Path(sys.argv[1]).absolute()), pathlib.Path(sys.argv[2]).absolute(), str(pathlib.Path(sys.argv[3]).absolute())
FLAGS = ["-O1", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror", "-fsanitize=undefined", "-fno-sanitize-recover=all"]
COMPILERS = [("clang++-19", "c++17"), ("clang++-19", "c++23"), ("g++", "c++17"), ("g++", "c++20")]
failures, passed = [], 0


def check(name, is_well, said=""):
    global passed
    passed += bool(is_well)
    if not is_well:
        failures.append(name)
        print(f"FAILED {name}\n{said}")


def run(*command, **more):
    return subprocess.run(command, capture_output=True, text=True, **more)


def compile_and_run(folder, compiler, standard):
    program = folder / f"{compiler}-{standard}"
    built = run(compiler, f"-std={standard}", *FLAGS, SOURCES / "calls.cpp", SOURCES / "again.cpp", f"-I{folder}", f"-I{RUNTIME}",
                *sorted(folder.glob("*.o")), folder / "libcalls.so", f"-Wl,-rpath,{folder}", "-o", program)
    if built.returncode:
        return built.stderr
    ran = run(program)
    return "" if ran.returncode == 0 and ran.stdout == "well\n" else f"{ran.returncode} {ran.stdout}{ran.stderr}"


def compiles(folder, compiler, text, *flags):
    return run(compiler, "-std=c++17", "-fsyntax-only", *flags, "-x", "c++", "-", f"-I{folder}", input=text)


with tempfile.TemporaryDirectory() as temporary, concurrent.futures.ThreadPoolExecutor(2) as pool:
    folder = pathlib.Path(temporary)
    built = run(EINC, "build", SOURCES / "calls.tc", "--shared", "-o", folder, "--target=x86-64-v3")
    check("the library", built.returncode == 0, built.stderr)
    runtime = [f"{RUNTIME}/runtime/{name}.c" for name in ("layout", "layout_overlap", "memref", "status")]
    built = run("clang-19", "-std=c99", "-c", *runtime, f"-I{RUNTIME}", cwd=folder)
    check("the runtime", built.returncode == 0, built.stderr)
    for (compiler, standard), said in zip(COMPILERS, pool.map(lambda which: compile_and_run(folder, *which), COMPILERS)):
        check(f"{compiler} -std={standard}", not said, said)

    # What must not compile: each piece stands alone in a function that without it compiles.
    text = (SOURCES / "refused.cpp").read_text()
    begin, pieces = text.split("// ---- ", 1)
    pieces = [piece.split("\n", 1) for piece in pieces.split("// ---- ")]
    cases = [(compiler, name, code) for compiler in ("clang++-19", "g++") for name, code in pieces]
    bodies = [begin + f"void refused() {{\n{code}}}\n" for _, _, code in cases]
    results = list(pool.map(lambda case: compiles(folder, case[0][0], case[1]), zip(cases, bodies)))
    for (compiler, name, code), result in zip(cases, results):
        wanted = name != "all is well"
        check(f"{compiler}: {name}", (result.returncode != 0) == wanted and (not wanted or "no matching function" in result.stderr or "could not convert" in result.stderr
                                                                              or "no viable" in result.stderr or "narrow" in result.stderr or "cannot bind" in result.stderr
                                                                              or "a size for each dimension" in result.stderr), result.stderr[:2000])

    # Without exceptions the header is one, too; older C++ and C have the C functions alone.
    plain = '#include "calls.h"\nint main(void) { return 0; }\n'
    check("-fno-exceptions", compiles(folder, "clang++-19", plain, "-fno-exceptions", "-Wall", "-Wextra", "-Werror").returncode == 0)
    for standard in ("c++98", "c++11"):
        result = compiles(folder, "clang++-19", plain, f"-std={standard}")
        check(standard, result.returncode == 0, result.stderr)
    # C89 has no long long, which stdint.h needs.
    result = run("gcc", "-std=c90", "-pedantic-errors", "-Wno-long-long", "-fsyntax-only", "-x", "c", "-", f"-I{folder}", input=plain)
    check("c90", result.returncode == 0, result.stderr)

print(f"{passed} passed, {len(failures)} failed")
sys.exit(1 if failures else 0)
