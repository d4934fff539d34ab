# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Where the einc binary is, how to run it, and how tests count their cases."""

import atexit
import itertools
import os
import pathlib
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile


def find(path):
    """A file of the main workspace, in Bazel's runfiles or in a checkout after `bazel build`."""
    here = pathlib.Path(__file__).resolve().parents[2]
    for root in [pathlib.Path(os.environ.get("TEST_SRCDIR", "/none")) / os.environ.get("TEST_WORKSPACE", ""),
                 pathlib.Path.cwd(), here / "bazel-bin", here]:
        if (root / path).exists():
            return (root / path).resolve()
    sys.exit(f"{path} is neither here nor built; run this with `bazel test`, or build //tools:einc first")


EINC = os.environ.get("EINC") or str(find("tools/einc"))
LONG = bool(os.environ.get("EINC_LONG")) or "--long" in sys.argv
CLANG, GCC = "clang-19", "gcc-12"


def specs():
    return sorted(find("specs/matmul.tc").parent.glob("*.tc"))


def run(*args, timeout=120, **kwargs):
    """einc with these arguments; output as text. Native kernels are compiled by quick_compiler(), but for each sixteenth."""
    command = [EINC] + [str(a) for a in args]
    runs_once = command[1] == "eval" and "--engine=native" in command and not any(a.startswith("--cc") for a in command)
    if runs_once and next(_natives) % 16:
        command.append(f"--cc={quick_compiler()}")
    return subprocess.run(command, capture_output=True, text=True, timeout=timeout, errors="replace", **kwargs)


_natives = itertools.count(1)
# Known before any case runs apart, so that all processes of a test have one.
_QUICK = pathlib.Path(os.environ.get("TEST_TMPDIR") or tempfile.gettempdir()) / f"einc-test-cc-{os.getpid()}"
atexit.register(shutil.rmtree, _QUICK, ignore_errors=True)
_FLAGS = "-O0 -pthread -std=c99 -fPIC -ffp-contract=off -fno-fast-math -g0"


def quick_compiler():
    """A compiler for kernels that run once, a third of the time of einc's own: Clang without optimisation, which has read the
    system's headers before. That -O2 gives the same is emitted_test's."""
    program, header = _QUICK / "cc", _QUICK / "system.h"
    if program.exists():
        return program
    _QUICK.mkdir(exist_ok=True)
    header.write_text("".join(f"#include <{name}.h>\n" for name in ("float", "math", "stddef", "stdint")))
    own = _QUICK / str(os.getpid())  # until it is whole
    made = subprocess.run([CLANG, *_FLAGS.split(), "-x", "c-header", header, "-o", f"{own}.pch"], capture_output=True)
    read = f"-include-pch {own}.pch" if made.returncode == 0 else ""
    # What is compiled for OpenMP is another language to it.
    own.write_text(f"""#!/bin/sh
case " $* " in
  *" -fopenmp "*) exec {CLANG} "$@" -O0 ;;
  *) exec {CLANG} "$@" -O0 -pthread {read} ;;
esac
""")
    own.chmod(0o755)
    own.rename(program)
    return program


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
        read, written = os.pipe()
        sys.stdout.flush()
        pid = os.fork()
        if pid == 0:
            os.close(read)
            try:
                message = function(*args)
            except Exception as error:  # anything at all: the parent shows it
                message = f"{type(error).__name__}: {error}"
            os.write(written, (str(message) if message else "").encode()[:60000])
            os._exit(0)
        os.close(written)
        with os.fdopen(read, "rb") as pipe:
            message = pipe.read().decode()
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        ended = f"ended by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}" if code else None
        return self.check(name, ended or message)

    def finish(self):
        print(f"{self.passed} passed, {len(self.failures)} failed", flush=True)
        sys.exit(1 if self.failures or not self.passed else 0)
