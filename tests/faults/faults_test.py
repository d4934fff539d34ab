# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""FAULTS 1 to 23 and 28: bad specs, files and command lines against the einc binary.

Each case runs in a folder of its own and says which exit code, which place and which words it wants.
No run may leave a file that the folder did not have, crash, or hang.
"""

import contextlib
import functools
import os
import random
import resource
import shutil
import signal
import struct
import subprocess
import sys
import time

import numpy as np

from tests.faults import spec_faults
from tests.numeric import compilers, einc_tool
from tests.numeric.einc_tool import CLANG, EINC, GCC, LONG

GOOD = "def f(A: f32(M)) -> (C: f32(M)) {\n  C(m) = A(m) + 1;\n}\n"


class Run:
    """One run of einc in a folder: its result, and the files it left."""

    def __init__(self, folder, *args, timeout=60, **kwargs):
        self.folder = folder
        before = self._files()
        kwargs.setdefault("stdin", subprocess.DEVNULL)
        temporary = folder / ".tmp"
        temporary.mkdir(exist_ok=True)
        environment = {**kwargs.pop("env", os.environ), "TMPDIR": str(temporary)}
        kwargs.setdefault("stdout", subprocess.PIPE)
        self.result = subprocess.run([EINC] + [str(a) for a in args], cwd=folder, stderr=subprocess.PIPE, env=environment,
                                     timeout=timeout, **kwargs)
        self.code = self.result.returncode
        self.said = self.result.stderr.decode("utf-8", "replace")
        self.left = sorted(self._files() - before) + sorted(p.name for p in temporary.iterdir())
        shutil.rmtree(temporary)

    def _files(self):
        return {p.name for p in self.folder.iterdir() if p.name != ".tmp"}

    def problem(self, code, *parts, left=()):
        """What is wrong with it; None if it ended so, said all parts, and left these files only."""
        codes = code if isinstance(code, tuple) else (code,)
        if self.code not in codes:
            return f"exit code {self.code}, not {code}\n{self.said[:1500]}"
        for part in parts:
            if part not in self.said:
                return f"does not say {part!r}:\n{self.said[:1500]}"
        if set(self.left) != set(left):
            return f"left {self.left}, not {list(left)}"
        return None


def in_folder(function):
    def run(*args):
        folder = einc_tool.scratch()
        message = function(folder, *args)
        if not message:
            shutil.rmtree(folder, ignore_errors=True)
        return message

    return run


@functools.lru_cache(None)
def another_user():
    """How to run as somebody else, if that is possible here (it is not in most sandboxes)."""
    user = {"user": 65534, "group": 65534}
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        if os.geteuid() == 0 and subprocess.run(["true"], **user).returncode == 0:
            return user
    return None


def write(path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


# ---- 1 to 15: the text of specs ----


@in_folder
def check_spec(folder, spec):
    write(folder / "s.tc", spec.text)
    if spec.at is None:
        return Run(folder, "check", "s.tc").problem(0)
    place = f"s.tc:{spec.at}: error: "
    message = Run(folder, "check", "s.tc").problem(1, place, *spec.says)
    # Nothing else may come of it either.
    return message or Run(folder, "build", "s.tc", "-o", ".", "--name", "x").problem(1, place)


@in_folder
def check_prefix(folder, text, positions):
    """Cut anywhere, a spec is good, or has an error; if it is cut inside a def, at the end of the file."""
    for position in positions:
        cut = write(folder / "s.tc", text[:position])
        run = Run(folder, "check", "s.tc")
        message = run.problem((0, 1))
        if not message and run.code == 1:
            lines = text[:position].decode("utf-8", "replace").split("\n")
            if "error:" not in run.said:
                message = "no error is shown:\n" + run.said
            elif "end of the file" in run.said and f"s.tc:{len(lines)}:" not in run.said:
                message = f"the error is not at line {len(lines)}:\n{run.said}"
        if message:
            return f"the first {position} bytes ({cut}): {message}"
    return None


@in_folder
def check_deep(folder, kind, count):
    write(folder / "s.tc", spec_faults.deep(kind, count))
    return Run(folder, "check", "s.tc", timeout=20).problem(1, "s.tc:2:", "nested too deeply")


@in_folder
def check_long(folder, text, codes, seconds, megabytes):
    """Large input: linear time, bounded memory."""
    path = write(folder / "s.tc", text)
    process = subprocess.Popen([EINC, "check", path], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    said = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    took, memory = usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024
    if process.returncode not in codes:
        return f"exit code {process.returncode}: {said[:500]}"
    if took > seconds or memory > megabytes:
        return f"{len(text)} bytes took {took:.1f} s and {memory:.0f} MB, not {seconds} s and {megabytes} MB"
    return f"{len(said)} bytes of messages" if len(said) > 100000 else None


def check_compile(cases, named):
    """By name, specs each of which has defs of other names: all in one, and if that fails, each by itself."""
    together = None if LONG else check_compiles("\n".join(named.values()))
    for name, spec in named.items():
        cases.run(name, check_compiles, spec) if LONG or together else cases.check(name, None)
    if together:
        cases.check("all in one", together)


@in_folder
def check_compiles(folder, spec):
    """What is built from it compiles as C99, and its header as C89 and C++."""
    write(folder / "s.tc", spec)
    names = ["x.bzl", "x.c", "x.h", "x.json", "x.map"]
    message = Run(folder, "build", "s.tc", "-o", ".", "--name", "x", "--sources-only", "--one-file").problem(0, left=names)
    if message:
        return message
    write(folder / "h.c", '#include "x.h"\n')
    write(folder / "h.cpp", '#include "x.h"\n')
    for compiler, standard, file in [(CLANG, "c99", "x.c"), (GCC, "c99", "x.c"), (GCC, "c90", "h.c"), (CLANG, "c++17", "h.cpp")]:
        # C89 has neither long long, which stdint.h needs, nor // comments, which no header has.
        flags = ["-Wno-long-long"] if standard == "c90" else []
        try:
            compilers.compile_c(compiler, f"-std={standard}", "-pedantic", "-Wall", "-Wextra", "-Werror", *flags, "-fsyntax-only", folder / file)
        except compilers.Refused as refused:
            return str(refused)
    return None


def quickly(engine):
    return [f"--cc={compilers.quick()}"] if engine == "native" else []


@in_folder
def check_values(folder, spec, inputs, wanted):
    """Reference and native give these elements."""
    write(folder / "s.tc", spec)
    args = []
    for name, array in inputs.items():
        np.save(folder / f"{name}.npy", array)
        args += ["--in", f"{name}={name}.npy"]
    for engine in ["reference", "native"]:
        run = Run(folder, "eval", "s.tc", f"--engine={engine}", *quickly(engine), *args, "--out", "C=out.npy")
        message = run.problem(0, left=["out.npy"])
        if message:
            return message
        got = np.load(folder / "out.npy")
        (folder / "out.npy").unlink()
        if got.tobytes() != wanted.tobytes():
            return f"{engine} gives {got.tolist()}, not {wanted.tolist()}"
    return None


@in_folder
def check_refused_call(folder, spec, arrays, flags, name):
    """The checks of a call refuse it, in both engines, and no output is left."""
    write(folder / "s.tc", spec)
    args = list(flags)
    for tensor, array in arrays.items():
        np.save(folder / f"{tensor}.npy", array)
        args += ["--in", f"{tensor}={tensor}.npy"]
    for engine in ["reference", "native"]:
        message = Run(folder, "eval", "s.tc", f"--engine={engine}", *quickly(engine), *args, "--out", "C=out.npy").problem(1, name)
        if message:
            return f"{engine}: {message}"
    return None


def text_cases(cases):
    for spec in spec_faults.SPECS + [spec_faults.MANY, spec_faults.BEHIND_WARNINGS]:
        cases.run(f"fault {spec.fault}: {spec.name}", check_spec, spec)
    r = random.Random(2)
    for path in einc_tool.specs():
        text = path.read_bytes()
        few = range(0, len(text), 3) if path.name == "matvec.tc" else sorted(r.sample(range(len(text)), 15))
        positions = range(len(text)) if LONG else few
        cases.run(f"fault 2: prefixes of {path.name}", check_prefix, text, positions)
    for kind in ["parentheses", "minus signs", "not", "calls", "else", "ternaries"]:
        for count in [300, 100_000]:
            cases.run(f"fault 5: {count} {kind}", check_deep, kind, count)
    check_compile(cases, {
        f"fault 7: def {name}": f"def {name}(A: f32(M)) -> (C: f32(M)) {{\n  T(m) = A(m) * 2;\n  C(m) = T(m) + exp(A(m));\n}}\n"
        for name in spec_faults.NAMES
    })
    check_compile(cases, {
        f"fault 7: tensor {name}": f"def f{i}({name}: f32(M_, K_), s_: f32) -> (C: f32(M_)) attr(a_: 2xi64 = [1, 1]) {{\n"
                                   f"  C(m_) += {name}(m_, k_) * s_;\n}}\n"
        for i, name in enumerate(spec_faults.NAMES) if name not in ("exp", "abs", "div", "and", "A")
    })
    check_compile(cases, {
        f"fault 15: doc {doc!r}": f'def f{i}(A: f32(M)) -> (C: f32(M))\n"""{doc}"""\n{{ C(m) = A(m); }}\n'
        for i, doc in enumerate(spec_faults.DOCS)
    })


def value_cases(cases):
    one = np.ones(3, np.float64)
    cases.run("fault 11: a denormal is exact", check_values,
              "def f(A: f64(M)) -> (C: f64(M)) {\n  C(m) = A(m) * 4.9406564584124654e-324;\n}\n", {"A": one},
              np.full(3, 5e-324))
    cases.run("fault 11: a shorter denormal is exact", check_values,
              "def f(A: f32(M)) -> (C: f32(M)) {\n  C(m) = A(m) * 1.401298464324817e-45;\n}\n", {"A": one.astype(np.float32)},
              np.full(3, 1e-45, np.float32))
    low = np.array([-(2**31), -1, 5], np.int32)
    for text, wanted in [("A(m) / -1", [-(2**31), 1, -5]), ("A(m) % -1", [0, 0, 0]), ("abs(A(m))", [-(2**31), 1, 5]),
                         ("A(m) << 40", [0, 0, 0]), ("A(m) >> 40", [-1, -1, 0]), ("A(m) << (A(m) - 5)", [0, 0, 5]),
                         ("A(m) / (A(m) - 5)", [-1, 0, 0]), ("A(m) % (A(m) - 5)", [-5, -1, 5]),
                         ("A(m) + A(m)", [0, -2, 10]), ("A(m) * 3", [-(2**31), -3, 15])]:
        cases.run(f"fault 13: {text}", check_values, f"def f(A: i32(M)) -> (C: i32(M)) {{\n  C(m) = {text};\n}}\n", {"A": low},
                  np.array(wanted, np.int32))
    cases.run("fault 13: a sum wraps", check_values, "def f(A: i8(M)) -> (C: i8()) {\n  C() +=! A(m);\n}\n",
              {"A": np.full(5, 100, np.int8)}, np.array(500 - 512, np.int8))
    f32 = lambda *s: np.zeros(s, np.float32)
    matmul = "def f(A: f32(M, K), B: f32(K, N)) -> (C: f32(M, N)) {\n  C(m, n) += A(m, k) * B(k, n);\n}\n"
    cases.run("fault 8: sizes of arrays that disagree", check_refused_call, matmul, {"A": f32(2, 3), "B": f32(4, 2)}, [],
              "EINC_SIZE_MISMATCH")
    window = "def f(A: f32(W), B: f32(K)) -> (C: f32(M)) {\n  C(m) += A(m + k) * B(k);\n}\n"
    cases.run("fault 9: an index beyond the array", check_refused_call, window, {"A": f32(5), "B": f32(3)}, ["--dim", "M=4"],
              "EINC_OUT_OF_RANGE")
    divided = "def f(A: f32(W)) -> (C: f32(M)) attr(s: 1xi64) {\n  C(m) = A(m / s[0]);\n}\n"
    cases.run("fault 10: a divisor that is 0", check_refused_call, divided, {"A": f32(5)}, ["--dim", "M=4", "--attr", "s=0"],
              "EINC_DIVISION_BY_ZERO")
    far = "def f(A: f32(W)) -> (C: f32(M)) attr(s: 1xi64) {\n  C(m) = A(m * s[0]);\n}\n"
    cases.run("fault 9: an index beyond 64 bits", check_refused_call, far, {"A": f32(5)},
              ["--dim", "M=4", "--attr", "s=9223372036854775807"], "EINC_OVERFLOW")
    cases.run("fault 9: an index below 0", check_refused_call, far, {"A": f32(5)}, ["--dim", "M=4", "--attr", "s=-1"],
              "EINC_OUT_OF_RANGE")


def size_cases(cases):
    megabytes = 100 if LONG else 2
    count = megabytes * 1_000_000
    seconds, memory = 2 + megabytes * 0.4, 150 + megabytes * 40
    statement = "  C(m) = A(m);\n"
    good = "def f(A: f32(M)) -> (C: f32(M)) {\n"
    cases.run(f"fault 4: {megabytes} MB of comments", check_long, "// " + "x" * count + "\n" + GOOD, (0,), seconds, memory)
    cases.run(f"fault 4: {megabytes} MB of doc string", check_long,
              'def f(A: f32(M)) -> (C: f32(M))\n"""' + "x\n" * (count // 2) + '"""\n{ C(m) = A(m); }\n', (0,), seconds, memory)
    cases.run("fault 4: a million tokens on a line", check_long, "def f(A: f32(M)) -> (C: f32(M)) { C(m) = " + "A ( m ) + " * 200_000 + "1; }",
              (0, 1), 10, 1500)
    cases.run("fault 4: a 1 MB identifier", check_long, GOOD.replace("A", "A" * 1_000_000), (0, 1), 5, 500)
    cases.run("fault 4: an unknown 1 MB identifier", check_long, GOOD.replace("A(m)", "B" * 1_000_000 + "(m)"), (1,), 5, 500)
    cases.run(f"fault 4: {megabytes} MB of statements", check_long, good + statement * (count // 15 // 5) + "}\n", (0, 1), seconds * 3,
              memory * 3)
    cases.run(f"fault 4: {megabytes} MB of junk", check_long, "$" * count, (1,), seconds, memory)
    cases.run(f"fault 4: {megabytes} MB of defs without end", check_long, "def f(" * (count // 6), (1,), seconds * 2, memory)
    cases.run("fault 4: 20,000 parameters", check_long,
              "def f(" + ", ".join(f"A{i}: f32(M)" for i in range(20_000)) + ") -> (C: f32(M)) { C(m) = A1(m); }\n", (0, 1), 10, 500)


# ---- 16 to 21: files, flags, the machine ----


@in_folder
def check_files(folder, how):
    spec = folder / "s.tc"
    if how == "directory":
        spec.mkdir()
    elif how == "FIFO":
        os.mkfifo(spec)
    elif how == "/dev/zero":
        return Run(folder, "check", "/dev/zero", timeout=20).problem(1, "/dev/zero")
    elif how == "unreadable":
        write(spec, GOOD).chmod(0)
        if os.access(spec, os.R_OK):  # root reads everything: become somebody else
            if not another_user():
                return None
            folder.chmod(0o777)
            run = subprocess.run([EINC, "check", str(spec)], capture_output=True, text=True, timeout=20, **another_user())
            good = run.returncode == 1 and "Permission" in run.stderr
            return None if good else f"exit code {run.returncode}: {run.stderr}"
    elif how == "symlink loop":
        spec.symlink_to("t.tc")
        (folder / "t.tc").symlink_to("s.tc")
    elif how == "empty path":
        return Run(folder, "check", "").problem((1, 2))
    return Run(folder, "check", "s.tc", timeout=20).problem(1, "s.tc")


def flag(args, code, *parts, left=()):
    @in_folder
    def check(folder):
        write(folder / "s.tc", GOOD)
        write(folder / "two.tc", GOOD + GOOD.replace("f(", "g(", 1))
        np.save(folder / "a.npy", np.arange(3, dtype=np.float32))
        message = Run(folder, *args).problem(code, *parts, left=left)
        if not message and (folder / "s.tc").read_text() != GOOD:
            message = "the input has changed"
        return message

    return check


FLAGS = [
    ("unknown flag", ["check", "s.tc", "--wrong"], 2, ("wrong",)),
    ("misspelt flag", ["emit", "s.tc", "--stge=ops"], 2, ("--stage",)),
    ("unknown command", ["chek", "s.tc"], 2, ("check",)),
    ("no command", [], 2, ()),
    ("no spec", ["check"], 2, ("spec",)),
    ("no stage", ["emit", "s.tc"], 2, ("stage",)),
    ("unknown stage", ["emit", "s.tc", "--stage=opps"], 2, ("ops",)),
    ("doubled flag", ["emit", "s.tc", "--stage=ops", "--stage=c"], 2, ("stage",)),
    ("valueless flag", ["check", "s.tc", "--def"], 2, ("def",)),
    ("empty value", ["emit", "s.tc", "--stage="], 2, ()),
    ("unknown def", ["check", "s.tc", "--def", "g"], 2, ("'g'",)),
    ("unknown dim", ["emit", "--stage=c", "s.tc", "--dim", "N=3"], 2, ("N",)),
    ("negative dim", ["emit", "--stage=c", "s.tc", "--dim", "M=-3"], 2, ("M",)),
    ("huge dim", ["emit", "--stage=c", "s.tc", "--dim", "M=9223372036854775808"], 2, ("M",)),
    ("dim twice", ["emit", "--stage=c", "s.tc", "--dim", "M=3", "--dim", "M=3"], 2, ("twice",)),
    ("dim without a value", ["emit", "--stage=c", "s.tc", "--dim", "M"], 2, ("M",)),
    ("unknown attribute", ["emit", "--stage=c", "s.tc", "--attr", "s=3"], 2, ("s",)),
    ("unknown type parameter", ["check", "s.tc", "--type", "T=f32"], 2, ("T",)),
    ("unknown type", ["check", "s.tc", "--type", "T=f33"], 2, ("f33", "did you mean")),
    ("spec and einsum", ["check", "s.tc", "--einsum", "a->a"], 2, ("einsum",)),
    ("empty einsum", ["check", "--einsum", ""], 2, ("einsum",)),
    ("bad einsum", ["check", "--einsum", "ab,b->c"], 1, ("'c'",)),
    ("einsum with dots", ["check", "--einsum", "...a->a"], 1, ("...",)),
    ("output is the input", ["emit", "s.tc", "--stage=c", "-o", "s.tc"], (1, 2), ("s.tc",)),
    ("output is the input by another name", ["emit", "s.tc", "--stage=c", "-o", "./s.tc"], (1, 2), ("s.tc",)),
    ("output in a missing folder", ["emit", "s.tc", "--stage=c", "-o", "none/x.c"], 1, ("none",)),
    ("output is a folder", ["emit", "s.tc", "--stage=c", "-o", "/"], 1, ("/",)),
    ("build without a folder", ["build", "s.tc"], 2, ("-o",)),
    ("build into a file", ["build", "s.tc", "-o", "a.npy", "--name", "x"], 1, ("a.npy",)),
    ("library name with a slash", ["build", "s.tc", "-o", ".", "--name", "../x"], 2, ("../x",)),
    ("prefix that is no name", ["build", "s.tc", "-o", ".", "--prefix", "3-"], 2, ("3-",)),
    ("unknown engine", ["eval", "s.tc", "--in", "A=a.npy", "--engine=gpu"], 2, ("gpu",)),
    ("eval without input", ["eval", "s.tc"], 2, ("'A'",)),
    ("eval with an unknown tensor", ["eval", "s.tc", "--in", "X=a.npy"], 2, ("X",)),
    ("eval of a file that is not there", ["eval", "s.tc", "--in", "A=b.npy"], 1, ("b.npy",)),
    ("eval of several defs", ["eval", "two.tc", "--in", "A=a.npy"], 2, ("--def",)),
    ("one name in two files", ["check", "s.tc", "two.tc"], 1, ("'f'",)),
    ("the same file twice", ["check", "s.tc", "s.tc"], 1, ("'f'",)),
    ("output over an input array", ["eval", "s.tc", "--in", "A=a.npy", "--out", "C=a.npy"], (0, 1, 2), ()),
    ("eval into a missing folder", ["eval", "s.tc", "--in", "A=a.npy", "--out", "C=none/c.npy"], 1, ("none",)),
    ("two outputs with one name", ["eval", "s.tc", "--in", "A=a.npy", "--out", "C=c.npy", "--out", "C=c.npy"], 2, ("C",)),
    ("view past the end", ["eval", "s.tc", "--in", "A=a.npy[9]"], (1, 2), ("9",)),
    ("view that is no view", ["eval", "s.tc", "--in", "A=a.npy[1:"], 2, ("a.npy[1:",)),
    ("view of step 0", ["eval", "s.tc", "--in", "A=a.npy[::0]"], 2, ("0",)),
    ("broadcast that does not fit", ["eval", "s.tc", "--in", "A=a.npy.broadcast(4)"], (1, 2), ("4",)),
    ("compiler that is not there", ["build", "s.tc", "-o", ".", "--name", "x", "--cc", "no-such-cc"], (1, 2), ("no-such-cc",)),
    ("IR file that is not there", ["opt", "none.eir"], 1, ("none.eir",)),
    ("spec as IR", ["opt", "s.tc"], 1, ("s.tc:1:",)),
    ("IR text that is none", ["emit", "--stage=c", "--eir", "s.tc"], 1, ("s.tc:1:1: error: expected 'eir 1'",)),
    ("IR text that is not there", ["build", "none.eir", "-o", ".", "--name", "x"], 1, ("none.eir",)),
    ("--eir with --einsum", ["emit", "--stage=c", "--eir", "--einsum", "mk,kn->mn"], 2, ("--eir",)),
    ("IR text to tune", ["tune", "s.eir"], 2, ("s.eir", "IR text")),
    ("unknown pass", ["opt", "s.tc", "--passes=tiile"], (1, 2), ()),
]


@in_folder
def check_full_disk(folder, args):
    write(folder / "s.tc", GOOD)
    return Run(folder, *args).problem(1, "/dev/full")


@in_folder
def check_read_only(folder):
    write(folder / "s.tc", GOOD)
    target = folder / "closed"
    target.mkdir()
    target.chmod(0o555)
    folder.chmod(0o777)
    if os.access(target, os.W_OK):  # root writes everywhere
        if not another_user():
            return None
        run = subprocess.run([EINC, "emit", str(folder / "s.tc"), "--stage=c", "-o", str(target / "x.c")], capture_output=True,
                             text=True, **another_user())
        good = run.returncode == 1 and "x.c" in run.stderr and not list(target.iterdir())
        return None if good else f"exit code {run.returncode}: {run.stderr}"
    return Run(folder, "emit", "s.tc", "--stage=c", "-o", "closed/x.c").problem(1, "x.c")


@in_folder
def check_closed_stdout(folder, args):
    """Nobody reads: a closed pipe, and no descriptor at all."""
    write(folder / "s.tc", GOOD)
    read, written = os.pipe()
    os.close(read)
    process = subprocess.run([EINC, *args], cwd=folder, stdout=written, stderr=subprocess.PIPE, timeout=30)
    os.close(written)
    if process.returncode not in (1, -signal.SIGPIPE):
        return f"closed pipe: exit code {process.returncode}: {process.stderr}"
    shell = subprocess.run(["bash", "-c", 'exec "$0" "$@" >&-', EINC, *args], cwd=folder, stderr=subprocess.PIPE, timeout=30)
    return None if shell.returncode == 1 else f"closed descriptor: exit code {shell.returncode}: {shell.stderr}"


@in_folder
def check_terminated(folder, delay):
    """SIGTERM while a large output is made: no partial file, nothing in the temporary folder."""
    defs = "".join(GOOD.replace("f(", f"f{i}(", 1) for i in range(400))
    write(folder / "s.tc", defs)
    (folder / "tmp").mkdir()
    out = folder / "out"
    out.mkdir()
    process = subprocess.Popen([EINC, "build", "s.tc", "-o", "out", "--name", "x"], cwd=folder, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, env={**os.environ, "TMPDIR": str(folder / "tmp")}, start_new_session=True)
    time.sleep(delay)
    process.send_signal(signal.SIGTERM)
    process.wait(timeout=60)
    time.sleep(0.1)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)  # the compiler, which did not hear of it
    left = sorted(p.name for p in out.iterdir())
    if process.returncode == 0:
        return None if left == ["libx.a", "x.h", "x.json"] else f"succeeded, but left {left}"
    if left:
        return f"exit code {process.returncode}, but left {left}"
    temporary = list((folder / "tmp").iterdir())
    return f"left temporary files {temporary}" if temporary else None


def limited(**limits):
    def set_limits():
        for name, value in limits.items():
            resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (value, value))

    return set_limits


@in_folder
def check_limits(folder, text, codes, limits):
    write(folder / "s.tc", text)
    return Run(folder, "check", "s.tc", preexec_fn=limited(**limits)).problem(codes)


def outputs_of(folder, spec, env=None, user=()):
    """All bytes that come of a spec: library, header, manifest, IR."""
    out = folder / "out"
    shutil.rmtree(out, ignore_errors=True)
    environment = dict(os.environ if env is None else env)
    texts = []
    library = ["build", spec, "-o", str(out), "--name", "x", *([] if LONG else ["--def=softmax", "--target=x86-64-v3"])]
    for args in [library, ["emit", spec, "--stage=ops"], ["emit", spec, "--stage=c"]]:
        result = subprocess.run([EINC, *args], cwd=folder, capture_output=True, env=environment, timeout=60, **dict(user))
        if result.returncode:
            raise RuntimeError(f"{args}: exit code {result.returncode}: {result.stderr.decode()}")
        texts.append(result.stdout)
    return texts + [p.read_bytes() for p in sorted(out.iterdir())]


@functools.lru_cache(None)
def plain_outputs():
    folder = einc_tool.scratch()
    write(folder / "s.tc", einc_tool.find("specs/softmax.tc").read_bytes())
    return outputs_of(folder, "s.tc")


@in_folder
def check_same_bytes(folder, how):
    spec, base = einc_tool.find("specs/softmax.tc").read_bytes(), plain_outputs()
    other, name, env, user = folder / "other", "s.tc", dict(os.environ), {}
    if how == "folder with odd letters":
        other = folder / "a b'c\"d:e,f é"
    other.mkdir()
    if how == "locale":
        env.update(LC_ALL="de_DE.UTF-8", LANG="de_DE.UTF-8", LC_NUMERIC="de_DE.UTF-8")
    elif how == "no environment":
        env = {"PATH": os.environ.get("PATH", "/usr/bin:/bin")}
    elif how == "another user":
        user = another_user()
        if not user:
            return None
        folder.chmod(0o777)
        other.chmod(0o777)
        env["TMPDIR"] = str(other)
    elif how == "another time zone and time":
        env.update(TZ="Asia/Tokyo", SOURCE_DATE_EPOCH="1")
        time.sleep(1.1)
    write(other / name, spec)
    again = outputs_of(other, name, env, user)
    return None if again == base else f"differs with {how}"


# ---- 22, 23, 28: IR text, internal errors, arrays ----


@in_folder
def check_ir(folder, seed):
    """IR text with random damage: accepted or refused, never a crash."""
    r = random.Random(seed)
    spec = einc_tool.find(f"specs/{r.choice(['matmul', 'softmax', 'conv', 'reductions'])}.tc")
    text = bytearray(einc_tool.must(einc_tool.run("emit", spec, "--stage=ops")).stdout.encode())
    for _ in range(r.choice([1, 1, 2, 5])):
        at, form = r.randrange(len(text)), r.random()
        if form < 0.3:
            del text[at : at + r.choice([1, 1, 3, 20, len(text)])]
        elif form < 0.6:
            text[at : at + 1] = bytes([r.choice(b"()[]{}%@,:->0189 \nxX\xff\0\"-")])
        else:
            start = r.randrange(len(text))
            text[at:at] = text[start : start + r.choice([1, 5, 40])]
        if not text:
            break
    path = write(folder / "x.eir", bytes(text))
    message = Run(folder, "opt", "x.eir", timeout=20).problem((0, 1))
    return message and f"{path}: {message}"


@in_folder
def check_wild_ir(folder):
    """Code by hand that leaves its tensors is not run."""
    write(folder / "x.eir", "eir 1\nkernel @f(%A: tensor<M x f32>) -> (%C: tensor<M x f32>) level hardware {\n"
          "  for m = 0 .. M parallel { %C[m] = %A[m * 1000000000000] }\n} contract {\n"
          "  op (m: parallel) ins(%A[m]) outs(%C[m]) { (a, c) -> a }\n}\n")
    np.save(folder / "a.npy", np.ones(5, np.float32))
    args = ["eval", "x.eir", "--engine=native", "--in", "A=a.npy"]
    return Run(folder, *args).problem(1, "x.eir:2:9: error: it gives something else than its contract: @f, M = 3: it ends with EINC_OUT_OF_RANGE")


@in_folder
def check_code_of_ir(folder, seed):
    """The same for code of all levels, as far as C: code, or an error with its place."""
    r = random.Random(seed)
    spec = einc_tool.find(f"specs/{r.choice(['matmul', 'softmax', 'matvec', 'layout'])}.tc")
    stage, target = r.choice(["tiled", "vector", "hw"]), r.choice(["x86-64-v3", "x86-64-v4"])
    lines = einc_tool.must(einc_tool.run("emit", spec, f"--stage={stage}", f"--target={target}")).stdout.splitlines()
    start = r.choice([i for i, line in enumerate(lines) if line.startswith("kernel")])
    end = next(i for i in range(start, len(lines)) if lines[i] == "}") + 1
    lines = ["eir 1"] + lines[start:end]
    for _ in range(r.choice([1, 1, 2])):
        at = r.randrange(2, len(lines))
        words = [w for line in lines for w in line.split()]
        here = lines[at].split(" ")
        here[r.randrange(len(here))] = r.choice([r.choice(words), "0", "16", ""])
        lines[at] = " ".join(here)
        if r.random() < 0.3:
            del lines[r.randrange(2, len(lines))]
    path = write(folder / "x.eir", "\n".join(lines) + "\n")
    run = Run(folder, "emit", "--stage=c", "x.eir", f"--target={target}", "-o", "/dev/null", timeout=60)
    message = run.problem((0, 1), *([] if run.code == 0 else [": error: "]))
    return message and f"{path}: {message}"


def npy(header, data=b"", magic=b"\x93NUMPY", version=b"\x01\x00"):
    body = (header + "\n").encode("latin-1")
    return magic + version + struct.pack("<H", len(body)) + body + data


_F = "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }"
_DATA = np.arange(3, dtype=np.float32).tobytes()
ARRAYS = [
    ("empty", b"", 1),
    ("truncated magic", b"\x93NUM", 1),
    ("truncated header", npy(_F)[:20], 1),
    ("truncated data", npy(_F, _DATA[:-1]), 1),
    ("no data", npy(_F), 1),
    ("bytes behind the data", npy(_F, _DATA + b"x"), (0, 1)),
    ("wrong magic", npy(_F, _DATA, magic=b"\x93NUMPZ"), 1),
    ("unknown version", npy(_F, _DATA, version=b"\x09\x00"), 1),
    ("negative size", npy(_F.replace("(3,)", "(-3,)"), _DATA), 1),
    ("2^63 elements", npy(_F.replace("(3,)", "(9223372036854775808,)"), _DATA), 1),
    ("2^62 * 4 elements", npy(_F.replace("(3,)", "(4611686018427387904, 4)"), _DATA), 1),
    ("2^61 elements", npy(_F.replace("(3,)", "(2305843009213693952,)"), _DATA), 1),
    ("object dtype", npy(_F.replace("<f4", "|O"), _DATA), 1),
    ("structured dtype", npy(_F.replace("'<f4'", "[('a', '<f4')]"), _DATA), 1),
    ("complex dtype", npy(_F.replace("<f4", "<c8"), _DATA * 2), 1),
    ("another dtype", npy(_F.replace("<f4", "<f8"), _DATA * 2), 1),
    ("another rank", npy(_F.replace("(3,)", "(3, 1)"), _DATA), 1),
    ("no shape", npy("{'descr': '<f4', 'fortran_order': False}", _DATA), 1),
    ("shape that is no tuple", npy(_F.replace("(3,)", "3"), _DATA), 1),
    ("a key twice", npy(_F.replace("{", "{'shape': (4,), "), _DATA), (0, 1)),
    ("header that is no dict", npy("hello", _DATA), 1),
    ("header without an end", npy(_F.rstrip("} "), _DATA), 1),
    ("text in the header", npy(_F.replace("False", "__import__('os')"), _DATA), 1),
    ("header length past the file", b"\x93NUMPY\x02\x00\xff\xff\xff\xff{", 1),
    ("deep header", npy("(" * 60000), 1),
]


@in_folder
def check_array(folder, data, codes):
    write(folder / "s.tc", GOOD)
    write(folder / "a.npy", data)
    run = Run(folder, "eval", "s.tc", "--in", "A=a.npy", "--out", "C=c.npy")
    parts = ("a.npy",) if run.code else ()
    return run.problem(codes, *parts, left=["c.npy"] if run.code == 0 else [])


@in_folder
def check_good_array(folder, array):
    write(folder / "s.tc", "def f(A: f32(M, N)) -> (C: f32(M, N)) {\n  C(m, n) = A(m, n) + 1;\n}\n")
    np.save(folder / "a.npy", array)
    message = Run(folder, "eval", "s.tc", "--in", "A=a.npy", "--out", "C=c.npy").problem(0, left=["c.npy"])
    if message:
        return message
    got = np.load(folder / "c.npy")
    return None if np.array_equal(got, array + 1) else f"{got.tolist()}"


@in_folder
def check_fifo_array(folder, how):
    write(folder / "s.tc", GOOD)
    if how == "directory":
        (folder / "a.npy").mkdir()
    else:
        os.mkfifo(folder / "a.npy")
    return Run(folder, "eval", "s.tc", "--in", "A=a.npy", timeout=20).problem(1, "a.npy")


MATMUL = "def f(A: f32(M, K), B: f32(K, N)) -> (C: f32(M, N)) {\n  C(m, n) += A(m, k) * B(k, n);\n}\n"


def schedule_text(setting, head='schedule @f for "x86-64-v3"', op="op 0 contraction"):
    return f"einc_schedule 1\n{head} {{\n  {op} {{\n    {setting}\n  }}\n}}\n"


@in_folder
def check_schedule(folder, text, place, *parts):
    write(folder / "s.tc", MATMUL)
    write(folder / "s.sched", text)
    return Run(folder, "emit", "s.tc", "--stage=c", "--target=x86-64-v3", "--dim", "K=40", "--schedule=s.sched", "-o",
               "s.c").problem(1, f"s.sched:{place}: error", *parts)


SCHEDULES = [  # fault, name, text, place, what is said
    (17, "tile 0", schedule_text("kc = 0"), "4:5", ("from 1 to 40",)),
    (17, "tile -1", schedule_text("mc = -1"), "4:5", ("from 6 to",)),
    (17, "tile 2^62", schedule_text(f"nr = {2**62}"), "4:5", ("multiple of 8 from 8 to 128",)),
    (17, "tile 2^64", schedule_text(f"nr = {2**64}"), "4:5", ("multiple of 8 from 8 to 128",)),
    (17, "tile larger than the size", schedule_text("kc = 41"), "4:5", ("from 1 to 40",)),
    (17, "no multiple", schedule_text("nr = 12"), "4:5", ("multiple of 8",)),
    (17, "an unknown loop", schedule_text("axis = q", op="op 0 stream"), "4:5", ("there are m, n, k",)),
    (17, "unroll 10^9", schedule_text("vectors = 1000000000", op="op 0 stream"), "4:5", ("from 1 to 64",)),
    (17, "an unknown setting", schedule_text("kk = 1"), "4:5", ("nothing called 'kk'", "did you mean 'kc'?", "there are strategy, mr")),
    (17, "a step that is none", schedule_text("unrol m", op="op 0"), "4:5", ("expected a step: tile, when",)),
    (17, "a tile of 2^63", schedule_text(f"tile m by {2**63}", op="op 0"), "4:15", ("is past 2^63 - 1",)),
    (17, "a tile of nothing", schedule_text("tile m by m - m", op="op 0"), "4:5", ("1 position or more",)),
    (17, "an axis of 2^62", schedule_text(f"tile m by {2**62} vectorize (m: {2**62})", op="op 0"), "4:35", ("do not stay in registers",)),
    (17, "digits of base 0", schedule_text("digits m by 0 as x { }", op="op 0"), "4:5", ("expected 1 or more",)),
    (17, "digits of a size that nothing is divided by", schedule_text("digits m by N as x { }", op="op 0"), "4:5", ("operands divide it",)),
    (17, "what is left of no digit", schedule_text("digits m by 8 as x { } left of n { }", op="op 0"), "4:36", ("'n' is none of those",)),
    (17, "steps for an iterator that is gone", schedule_text("tile m by 1 tile m by 1", op="op 0"), "4:17", ("there are n, k",)),
    (17, "an unknown strategy", schedule_text("", op="op 0 contractio"), "3:8", ("did you mean 'contraction'?",)),
    (17, "an unknown op", schedule_text("", op="op 1 loops"), "3:8", ("has 1 op, number 0",)),
    (17, "an unknown def", schedule_text("", 'schedule @g for "x86-64-v3"'), "2:11", ("there are f",)),
    (17, "an unknown target", schedule_text("", 'schedule @f for "x86-64-v9"'), "2:17", ("did you mean 'x86-64-v",)),
    (17, "a function for an op that there is not", schedule_text("library_call = g", op="op 1 external"), "4:5", ("has 1 op, number 0",)),
    (17, "a function that is a number", schedule_text("library_call = 5"), "4:5", ("library_call = 5: '5' is no name in C",)),
    (17, "a function, and another strategy", schedule_text("library_call = g"), "3:8", ("'g' computes the op: write 'op 0 external'",)),
    (17, "a function, and tiles", schedule_text("kc = 8 library_call = g", op="op 0 external"), "4:5",
     ("nothing called 'kc'", "there are strategy, library_call")),
    (17, "two functions", schedule_text("library_call = g library_call = h", op="op 0 external"), "4:22", ("set twice",)),
    (17, "no function", schedule_text("", op="op 0 external"), "3:8", ("there are contraction",)),
    (17, "set twice", schedule_text("kc = 8 kc = 8"), "4:12", ("set twice",)),
    (22, "another version of a schedule", "einc_schedule 2\n", "1:1", ("version 2", "reads version 1")),
    (22, "a schedule that ends", schedule_text("kc =")[:-8], "4:8", ("expected",)),
    (22, "no schedule", "\x00\xff", "1:1", ("expected 'einc_schedule'",)),
]


@in_folder
def check_damaged_schedule(folder, seed):
    """The printed schedule with bytes changed, dropped or doubled: an error with a place, or as good as before."""
    write(folder / "s.tc", MATMUL)
    good = subprocess.run([EINC, "emit", "s.tc", "--stage=schedule"], cwd=folder, capture_output=True, check=True).stdout
    r, text = random.Random(seed), bytearray(good)
    for _ in range(r.choice([1, 1, 2, 8])):
        at = r.randrange(len(text))
        text[at : at + r.choice([0, 1, 1, 7])] = r.choice([b"", bytes([r.randrange(256)]), text[at : at + 9], b"99999999999"])
    (folder / "s.sched").write_bytes(text)
    run = Run(folder, "emit", "s.tc", "--stage=schedule", "--schedule=s.sched")
    return run.problem(0) if run.code == 0 else run.problem(1, "s.sched:", "error")


def file_cases(cases):
    for fault, name, text, place, parts in SCHEDULES:
        cases.run(f"fault {fault}: {name}", check_schedule, text, place, *parts)
    for seed in range(400 if LONG else 40):
        cases.run(f"fault 22: damaged schedule {seed}", check_damaged_schedule, seed)
    for how in ["directory", "FIFO", "/dev/zero", "missing", "unreadable", "symlink loop", "empty path"]:
        cases.run(f"fault 16: {how}", check_files, how)
    for name, args, code, parts in FLAGS:
        fault = 17 if "pass" in name else 22 if "IR" in name else 6 if "misspelt" in name else 18
        cases.run(f"fault {fault}: {name}", flag(args, code, *parts))
    for args in [["emit", "s.tc", "--stage=c", "-o", "/dev/full"], ["emit", "s.tc", "--stage=ops", "-o", "/dev/full"]]:
        cases.run(f"fault 19: disk full, {args[2]}", check_full_disk, args)
    cases.run("fault 19: read-only folder", check_read_only)
    for args in [["emit", "s.tc", "--stage=c"], ["emit", "s.tc", "--stage=ops", "-o", "-"]]:
        cases.run(f"fault 19: closed output, {args[2]}", check_closed_stdout, args)
    for delay in [0.005, 0.03, 0.1, 0.3, 0.8]:
        cases.run(f"fault 19: SIGTERM after {delay} s", check_terminated, delay)
    statements = "def f(A: f32(M)) -> (C: f32(M)) {\n" + "  C(m) = A(m) + 1;\n" * 20000 + "}\n"
    huge = "def f(A: f32(M)) -> (C: f32(M)) { C(m) = " + "A(m) + " * 400_000 + "1; }\n"
    for name, text in [("a small spec", GOOD), ("many statements", statements), ("a long line", huge)]:
        cases.run(f"fault 20: 64 MB address space, {name}", check_limits, text, (0, 1), {"AS": 64 << 20})
    cases.run("fault 20: 1 s of CPU", check_limits, statements, (0, 1, -signal.SIGXCPU, -signal.SIGKILL), {"CPU": 1})
    for how in ["folder with odd letters", "locale", "no environment", "another user", "another time zone and time", "once more"]:
        cases.run(f"fault 21: {how}", check_same_bytes, how)
    for seed in range(400 if LONG else 40):
        cases.run(f"fault 22: damaged IR {seed}", check_ir, seed)
        cases.run(f"fault 22: damaged code in IR {seed}", check_code_of_ir, seed)
    cases.run("fault 22: wild code in IR", check_wild_ir)
    for name, data, codes in ARRAYS:
        cases.run(f"fault 28: {name}", check_array, data, codes)
    base = np.arange(6, dtype=np.float32).reshape(2, 3)
    for name, array in [("big endian", base.astype(">f4")), ("Fortran order", np.asfortranarray(base)),
                        ("big endian in Fortran order", np.asfortranarray(base.astype(">f4"))), ("no rows", base[:0])]:
        cases.run(f"fault 28: {name}", check_good_array, array)
    for how in ["directory", "FIFO"]:
        cases.run(f"fault 28: {how}", check_fifo_array, how)


def main():
    cases = einc_tool.Cases()
    began = time.monotonic()
    only = [a for a in sys.argv[1:] if not a.startswith("-")]
    groups = {"text": text_cases, "values": value_cases, "size": size_cases, "files": file_cases}
    for name, group in groups.items():
        if not only or name in only:
            print(f"[{time.monotonic() - began:5.1f} s] {name}", flush=True)
            group(cases)
    cases.finish()


if __name__ == "__main__":
    main()
