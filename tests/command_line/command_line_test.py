# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""What a newcomer meets: help in all its forms, mistakes and what einc says to them, progress, interruptions."""

import json
import os
import re
import resource
import shutil
import signal
import subprocess
import time

from tests.numeric import compilers, einc_tool
from tests.numeric.einc_tool import EINC

SPEC = "def scale(A: f32(M, N)) -> (C: f32(M, N)) {\n  C(m, n) = 2 * A(m, n);\n}\n"
MATMUL = "def matmul(A: f32(M, K), B: f32(K, N)) -> (C: f32(M, N)) {\n  C(m, n) +=! A(m, k) * B(k, n);\n}\n"
ODS_GEN = str(einc_tool.find("tools/einc-ods-gen"))


def run(*args, **kwargs):
    return subprocess.run([EINC, *map(str, args)], capture_output=True, text=True, timeout=120, **kwargs)


def folder_with(**texts):
    folder = einc_tool.scratch()
    for name, text in texts.items():
        (folder / f"{name}.tc").write_text(text)
    return folder


# ---- Help ----

def commands():
    return run("--help=commands").stdout.split()


def check_man(program, command):
    words = [program, *([command] if command else []), "--help=man"]
    page = subprocess.run(words, capture_output=True, text=True, timeout=60)
    if page.returncode or not page.stdout.startswith(".\\\""):
        return f"no page: {page.stderr}"
    if not shutil.which("man"):
        return None
    path = einc_tool.scratch() / "page.1"
    path.write_text(page.stdout)
    # As lintian asks.
    shown = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", str(path)], capture_output=True,
                           text=True, timeout=60, env={**os.environ, "LC_ALL": "C.UTF-8", "MANROFFSEQ": "", "MANWIDTH": "80"})
    return shown.stderr or None


def check_help_is_short(command):
    text = run(command, "--help").stdout
    if any(len(line) > 80 for line in text.splitlines()):
        return "a line is longer than 80 columns"
    return "a hidden flag" if "--plant" in text else None


def check_same_help():
    texts = {run(*args).stdout for args in (["help"], ["--help"])}
    of_build = {run(*args).stdout for args in (["help", "build"], ["build", "--help"], ["build", "x", "-h"])}
    return None if len(texts) == len(of_build) == 1 else "help differs by how it is asked for"


def check_markdown():
    text = run("--help=markdown").stdout
    missing = [c for c in commands() if f"## einc {c}\n" not in text]
    return f"without {missing}" if missing else None


COMPLETIONS = [
    (["einc", "b"], ["bench", "build"]),
    (["einc", "help", "tu"], ["tune"]),
    (["einc", "build", "--sch"], ["--schedule"]),
    (["einc", "emit", "--stage", "sch"], ["schedule"]),
    (["einc", "emit", "--stage", "=", "sch"], ["schedule"]),
    (["einc", "emit", "--stage", "="], ["ast", "c", "fused"]),
    (["einc", "build", "--target", "x86-64-v2,znver"], ["x86-64-v2,znver4", "x86-64-v2,znver5"]),
    (["einc", "build", "--lib", "a"], ["auto"]),
    (["einc", "eval", "--engine", "r"], ["reference"]),
    (["einc", "build", "--fp", ""], ["strict"]),
    (["einc", "build", "--strides", ""], ["contiguous"]),
    (["einc", "build", "s"], ["s p.tc", "s.eir", "some"]),
    (["einc", "build", "--schedule", "s"], ["s p.tc", "s.eir", "s.txt", "some"]),
]


def check_completion(words, expected):
    folder = einc_tool.scratch()
    for name in ["s p.tc", "s.eir", "s.txt", "t.tc"]:
        (folder / name).touch()
    (folder / "some").mkdir()
    (folder / "einc.bash").write_text(run("--help=bash").stdout)
    script = ("source ./einc.bash; compopt() { :; }; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _einc; "
              "printf '%s\\n' \"${COMPREPLY[@]}\"")
    done = subprocess.run(["bash", "-c", script, "bash", *words], capture_output=True, text=True, timeout=60, cwd=folder)
    got = done.stdout.splitlines()
    if words[-1] == "=":  # all of them
        return None if set(expected) <= set(got) else f"{got}"
    return None if sorted(got) == expected else f"{got}, not {expected}; {done.stderr}"


def check_zsh():
    if not shutil.which("zsh"):
        return None
    path = einc_tool.scratch() / "_einc"
    path.write_text(run("--help=zsh").stdout)
    return subprocess.run(["zsh", "-n", path], capture_output=True, text=True, timeout=60).stderr or None


def check_version():
    text = run("--version").stdout
    for part in ["einc ", "x86-64-v3", "vulkan", "LLVM 19", "isl ", "GMP ", "glslang ", "SPIRV-Tools ", "SPIRV-Cross ", "C compiler: "]:
        if part not in text:
            return f"without {part}: {text}"
    return None if re.match(r"einc \d+\.\d+\n", text) else "the first line is not the version alone"


# ---- Mistakes ----

# The arguments, the exit code, what is said.
MISTAKES = [
    ([], 2, "expected a command; 'einc help' lists the commands"),
    (["biuld", "s.tc"], 2, "there is no command 'biuld' (did you mean 'build'?)"),
    (["s.tc"], 2, "a command comes first, such as einc check s.tc"),
    (["--target=native", "build", "s.tc"], 2, "the command comes first: einc build --target=native"),
    (["build", "s.tc", "-out", "lib"], 2, "there is no flag '-out' (did you mean '-o'?); see einc build --help"),
    (["build", "s.tc", "--output", "lib"], 2, "there is no flag '--output' (did you mean '-o'?)"),
    (["build", "s.tc", "--dfe", "scale"], 2, "there is no flag '--dfe' (did you mean '--def'?)"),
    (["build", "s.tc", "-O2"], 2, "there is no flag '-O2'; see einc build --help"),
    (["build", "s.tc", "--Werror"], 2, "'--Werror' is a flag of 'einc check', not of 'einc build'"),
    (["build", "s.tc", "-o"], 2, "flag '-o' takes a value: -o PATH"),
    (["build", "s.tc", "-o", "--def", "f"], 2, "flag '-o' takes a value (-o PATH), but the flag '--def' follows"),
    (["build", "s.tc", "-o", "a", "-o", "b"], 2, "flag '-o' is given more than once"),
    (["build", "s.tc"], 2, "give the folder for the library with -o DIR"),
    (["build", "s.tc", "-o", "s.tc"], 1, "-o s.tc: that is a file; expected a folder"),
    (["build", "s.tc", "t.tc", "-o", "lib"], 2, "several specs make one library: give its name with --name=NAME"),
    (["build", "s.tc", "-o", "lib", "--threads=many"], 2, "--threads=many: expected a whole number"),
    (["build", "s.tc", "-o", "lib", "--align=x"], 2, "--align=x: expected a whole number"),
    (["build", "s.tc", "-o", "lib", "-j=-1"], 2, "-j=-1: expected a whole number from 0 on"),
    (["build", "s.tc", "-o", "lib", "--def", "scal"], 2, "no def is called 'scal' (did you mean 'scale'?)"),
    (["build", "s.tc", "-o", "lib", "--dim", "L=3"], 2, "--dim L=: no def has it"),
    (["build", "s.tc", "-o", "lib", "--def", "scale,skale"], 2, "no def is called 'skale' (did you mean 'scale'?)"),
    (["build", "s.tc", "-o", "lib", "--type", "T=float"], 2, "unknown type 'float' (did you mean 'f32'?)"),
    (["build", "s.tc", "-o", "lib", "--target=avx2"], 2, "--target=avx2: unknown target (did you mean 'x86-64-v3'?)"),
    (["build", "s.tc", "-o", "lib", "--lib=mkl"], 2, "cblas is any library with that interface, such as OpenBLAS"),
    (["build", "none.tc", "-o", "lib"], 1, "cannot read 'none.tc': No such file or directory"),
    (["build", ".", "-o", "lib"], 1, "cannot read '.': it is a directory"),
    (["bench", "--einsum", "acd,db-"], 1, "put quotes around the einsum: --einsum 'acd,db->...'"),
    (["build", "-o", "lib"], 2, "expected a spec file"),
    (["build", "-o", "lib", "--sources-only", "--"], 2, "expected a spec file"),
    (["build", "s.tc", "-o", "-"], 2, "-o -: a library is several files; give a folder for it with -o DIR"),
    (["build", "s.tc", "-o", "lib", "-jobs=4"], 2, "there is no flag '-jobs' (did you mean '-j'?)"),
    (["check", "s.tc", "---Werror"], 2, "there is no flag '---Werror' (did you mean '--Werror'?)"),
    (["check", "@."], 2, "cannot read the arguments of @FILE: '"),
    (["check", "@itself.tc"], 2, "itself.tc' names itself"),
    (["emit", "s.tc"], 2, "flag '--stage' is missing: --stage S, which is one of ast, ops"),
]


def check_mistake(args, code, says):
    folder = folder_with(s=SPEC, t=MATMUL, itself="@itself.tc\n")
    done = run(*args, cwd=folder)
    if done.returncode != code:
        return f"exit code {done.returncode}, not {code}: {done.stderr}"
    if "option" in done.stderr:
        return f"LLVM's words: {done.stderr}"
    return None if done.stderr.count(says) == 1 else done.stderr


# ---- Names ----

# A def, the C name, and why it is no other.
NAMES = [
    ("malloc", "malloc_op", "the C library has a 'malloc'"),
    ("err", "err_op", "the C library has a 'err'"),
    ("accept", "accept_op", "the C library has a 'accept'"),
    ("class", "class_op", "'class' is a word of C or C++"),
    ("pthread_create", "pthread_create_op", "POSIX has a 'pthread_create'"),
    ("isless", "isless_op", "'isless' is kept for C, its library and Einc"),
    ("cblas_sgemm", "cblas_sgemm_op", "a BLAS has a 'cblas_sgemm'"),
]


def check_name(name, given, why):
    folder = folder_with(s=SPEC.replace("scale", name))
    args = ["build", "s.tc", "--sources-only", "--target=generic", "-o", "lib"]
    done = run(*args, cwd=folder)
    if f"s.tc:1:5: warning: the C function of '{name}' is called '{given}', because {why};" not in done.stderr:
        return done.stderr or "no warning"
    manifest = json.loads((folder / "lib/s.json").read_text())
    if [k["function"] for k in manifest["kernels"]] != [given]:
        return "the manifest has another name"
    prefixed = run(*args, "--prefix=my_", cwd=folder)
    return prefixed.stderr or None


C99 = ("assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdarg stdbool stddef stdint "
       "stdio stdlib string tgmath time wchar wctype unistd").split()


def check_macros():
    """A def can be called as any macro with arguments of these headers is."""
    folder = einc_tool.scratch()
    (folder / "all.c").write_text("".join(f"#include <{header}.h>\n" for header in C99))
    done = subprocess.run([compilers.CLANG, "-std=gnu99", "-E", "-dM", "all.c"], cwd=folder, capture_output=True, text=True, timeout=60)
    macros = sorted(set(re.findall(r"^#define ([A-Za-z]\w*)\(", done.stdout, re.MULTILINE)))
    (folder / "s.tc").write_text("".join(SPEC.replace("scale", name) for name in macros))
    said = run("check", "s.tc", cwd=folder)
    if said.returncode or len(macros) < 50:
        return said.stderr or done.stderr
    header = run("emit", "s.tc", "--stage=header", "--target=generic", cwd=folder)
    kept = [name for name in macros if f"function of '{name}' is called" not in header.stderr]
    return f"not renamed: {kept}" if kept else None


def check_good_name():
    folder = folder_with(s=SPEC)
    return run("build", "s.tc", "--sources-only", "--target=generic", "-o", "lib", cwd=folder).stderr or None


# ---- Compilers ----

def path_with(*programs):
    folder = einc_tool.scratch()
    for program in programs:
        (folder / program).symlink_to(shutil.which(program))
    return {**os.environ, "PATH": str(folder)}


def check_gcc():
    folder = folder_with(s=MATMUL)
    done = run("build", "s.tc", "--target=x86-64-v2,x86-64-v3", "-o", "lib", cwd=folder, env=path_with("gcc", "as", "ld", "ar"))
    if done.returncode or not (folder / "lib/libs.a").exists():
        return done.stderr
    about = run("--version", env=path_with("gcc")).stdout
    return None if "/gcc (" in about else about


def check_no_compiler():
    folder = folder_with(s=SPEC)
    done = run("build", "s.tc", "-o", "lib", cwd=folder, env=path_with())
    return None if done.returncode == 1 and "install clang-19 (apt-get install clang-19)" in done.stderr else done.stderr


# ---- Long runs ----

def check_progress(seconds, lines):
    folder = folder_with(s=SPEC)
    slow = folder / "slow"
    slow.write_text(f"#!/bin/sh\nsleep {seconds}\nexec {compilers.CLANG} \"$@\"\n")
    slow.chmod(0o755)
    done = run("build", "s.tc", "--target=generic", "-o", "lib", f"--cc={slow}", cwd=folder)
    found = re.findall(r"^einc: compiling \d of \d: s/\w+\.c \(\d+ s\)$", done.stderr, re.MULTILINE)
    return None if done.returncode == 0 and len(found) >= lines and (lines or not done.stderr) else done.stderr


def tune(folder, *args):
    return subprocess.Popen([EINC, "tune", "s.tc", *args, "-o", "t.json"], cwd=folder, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True)


def check_interrupted(how, times=1):
    folder = folder_with(s=MATMUL)
    # So many rounds that it is not over before the signal.
    process = tune(folder, "--size=M,N,K=64", "--rounds=100000", "--against=none")
    said = ""
    while "to try for" not in said:
        line = process.stderr.readline()
        if not line:
            return f"it ended: {said}"
        said += line
    time.sleep(1)
    for _ in range(times):  # timeout signals its child, and then the group
        process.send_signal(how)
        time.sleep(0.01)
    said += process.communicate(timeout=60)[1]
    if process.returncode != 128 + how:
        return f"exit code {process.returncode}: {said}"
    if "interrupted; 't.json' has 1 of 1 def" not in said:
        return said
    [tuned] = json.loads((folder / "t.json").read_text())["defs"]
    if tuned["def"] != "matmul" or not tuned["measured"]:
        return f"{tuned}"
    used = run("emit", "s.tc", "--stage=ops", "--target=native", "--tuning=t.json", cwd=folder)
    return used.stderr if used.returncode else None


def check_tune_is_quick():
    """Under a minute, also where much else runs: in seconds of CPU, which others do not change."""
    folder = folder_with(s=MATMUL)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    process = tune(folder, "--size=M,N,K=512")
    said = process.communicate(timeout=300)[1]
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    took = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if process.returncode:
        return said
    if not re.search(r"einc: \d+ schedules? and \d+ calls? of (a library|libraries) to try for 1 def: about \d+ (s|min)", said):
        return said
    return None if took < 30 else f"{took:.0f} s"


def main():
    cases = einc_tool.Cases()
    for command in [None, *commands()]:
        cases.run(f"man page of einc {command or ''}", check_man, EINC, command)
    cases.run("man page of einc-ods-gen", check_man, ODS_GEN, None)
    for command in commands():
        cases.run(f"help of {command}", check_help_is_short, command)
    cases.run("help", check_same_help)
    cases.run("markdown", check_markdown)
    for words, expected in COMPLETIONS:
        cases.run(f"completion of {words}", check_completion, words, expected)
    cases.run("completion in zsh", check_zsh)
    cases.run("version", check_version)
    for args, code, says in MISTAKES:
        cases.run(f"einc {args}", check_mistake, args, code, says)
    for name in NAMES:
        cases.run(f"def {name[0]}", check_name, *name)
    cases.run("defs called as macros are", check_macros)
    cases.run("def scale", check_good_name)
    cases.run("no clang", check_gcc)
    cases.run("no compiler", check_no_compiler)
    cases.run("progress", check_progress, 5, 1)
    cases.run("no progress", check_progress, 0, 0)
    for how in [signal.SIGINT, signal.SIGTERM]:
        cases.run(f"tune and {how.name}", check_interrupted, how)
    cases.run("tune and SIGINT twice at once", check_interrupted, signal.SIGINT, 2)
    cases.run("tune", check_tune_is_quick)
    cases.finish()


if __name__ == "__main__":
    main()
