# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Where the einc binary is, how to run it, and how tests count their cases."""

import itertools
import json
import os
import pathlib
import shlex
import signal
import subprocess
import sys
import tempfile
import traceback

from tests.numeric import compilers
from tests.numeric.compilers import CLANG, GCC


def _found(path):
    """A file of the main workspace, in Bazel's runfiles or in a checkout after `bazel build`, if it is there."""
    here = pathlib.Path(__file__).resolve().parents[2]
    for root in [pathlib.Path(os.environ.get("TEST_SRCDIR", "/none")) / os.environ.get("TEST_WORKSPACE", ""),
                 pathlib.Path.cwd(), here / "bazel-bin", here]:
        if (root / path).exists():
            return (root / path).resolve()
    return None


def find(path):
    return _found(path) or sys.exit(f"{path} is neither here nor built; run this with `bazel test`, or build //tools:einc first")


# What einc leaves for whoever reports a bug of its own, and compilers their temporary files, goes with the test.
if "TEST_TMPDIR" in os.environ:
    os.environ["TMPDIR"] = os.environ["TEST_TMPDIR"]
EINC = os.environ.get("EINC") or str(find("tools/einc"))
if (_clang := _found("tests/numeric/clang/clang-19")):
    compilers.serve(_clang.parent)
LONG = bool(os.environ.get("EINC_LONG")) or "--long" in sys.argv


def specs():
    return sorted(find("specs/matmul.tc").parent.glob("*.tc"))


def run(*args, timeout=1200 if LONG else 120, **kwargs):
    """einc with these arguments; output as text. What it compiles is compiled by compilers.quick(), but for each
    sixteenth."""
    command = [EINC] + [str(a) for a in args]
    if _compiles(command):
        command.append(f"--cc={compilers.quick() if next(_compiled) % 16 else compilers.as_users_have_it()}")
    return subprocess.run(command, capture_output=True, text=True, timeout=timeout, errors="replace", **kwargs)


def _compiles(command):
    """Whether it compiles C by a compiler of its own choice, for results that are not timed."""
    one = command[1] in ("eval", "bench") and "--engine=vulkan" in command or command[1] == "eval" and "--engine=native" in command
    several = command[1] == "tune" or command[1] == "build" and "--sources-only" not in command
    return (one or several) and not any(a.startswith("--cc") for a in command)


_compiled = itertools.count(1)


def first_difference(folder, args, arrays, wanted, text):
    """Runs `einc eval` on arrays, by name; the first element of the outputs that is not the one wanted, or None. Exactly."""
    import numpy as np  # some tests that use this file need no numpy

    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array)
        args = [*args, "--in", f"{name}={folder}/{name}.npy"]
    args = [*args, *(f for name in wanted for f in ("--out", f"{name}={folder}/{name}.out.npy"))]
    must(run(*args))
    for name, values in wanted.items():
        got = np.load(folder / f"{name}.out.npy")
        bad = np.argwhere(got != values)
        if len(bad):
            at = tuple(bad[0])
            return f"{command_line(*args)}\n{name}{at} is {got[at]}, not {values[at]}\n{text}"
    return None


def must(result):
    if result.returncode:
        said = result.stderr
        said = said[max(said.find("error"), 0) :]  # not the warnings before it
        raise RuntimeError(f"{shlex.join(map(str, result.args))}\nexit code {result.returncode}\n{said[:3000]}")
    return result


def command_line(*args):
    return shlex.join(["einc"] + [str(a) for a in args])


def scratch():
    """A folder to work in."""
    return pathlib.Path(tempfile.mkdtemp(prefix="einc-test-", dir=os.environ.get("TEST_TMPDIR")))


def _apart(cases, first):
    """The names of the cases from number `first` on, and what is wrong with each, in a process of its own, which may
    end within a case: then it has no message. And how that process ended."""
    read, written = os.pipe()
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        os.close(read)
        try:
            with os.fdopen(written, "w") as pipe:
                for name, function, *args in itertools.islice(cases, first, None):
                    print(json.dumps(name), file=pipe, flush=True)
                    try:
                        message = function(*args)
                    except Exception as error:  # anything at all: the parent shows it
                        message = f"{type(error).__name__}: {error}"
                    print(json.dumps(str(message)[:60000] if message else ""), file=pipe, flush=True)
        except BaseException:  # of the generator: what follows is the parent's to do
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    os.close(written)
    with os.fdopen(read) as pipe:
        said = [json.loads(line) for line in pipe if line.endswith("\n")]
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return said[::2], said[1::2], f"ended by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"


class Cases:
    """Counts, and shows what failed as it happens."""

    MOST_SHOWN = 20

    def __init__(self):
        self.passed, self.failures = 0, []

    def check(self, name, message):
        """`message` says what is wrong; None or '' if nothing is."""
        if not message:
            self.passed += 1
            return True
        self.failures.append(name)
        if len(self.failures) <= self.MOST_SHOWN:
            print(f"FAILED {name}\n  " + str(message).strip().replace("\n", "\n  "), flush=True)
        elif len(self.failures) == self.MOST_SHOWN + 1:
            print("(more failures are counted, but not shown)", flush=True)
        return False

    def run(self, name, function, *args):
        """One case: a function that raises, or returns what is wrong."""
        try:
            message = function(*args)
        except (AssertionError, RuntimeError, subprocess.TimeoutExpired, OSError) as error:
            message = f"{type(error).__name__}: {error}"
        return self.check(name, message)

    def run_apart(self, name, function, *args):
        """The same in a process of its own: if that ends by a signal, only this case has failed."""
        return self.run_all_apart([(name, function, *args)])

    def run_all_apart(self, cases):
        """The same for several cases, (name, function, arguments ...), in as few processes as it takes. A generator of
        cases is run there, too: each case is made when its turn comes."""
        done, good = 0, True
        while True:
            names, messages, ended = _apart(cases, done)
            for name, message in zip(names, messages):
                good = self.check(name, message) and good
            if len(names) == len(messages):
                return good if ended == "ended with exit code 0" else self.check(f"after {done + len(names)} cases", ended)
            good = self.check(names[-1], ended) and False
            done += len(names)

    def finish(self):
        print(f"{self.passed} passed, {len(self.failures)} failed", flush=True)
        sys.exit(1 if self.failures or not self.passed else 0)
