# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""What the model does with each def of specs/, printed, read back and done: it is the same code to the byte, no step that a form writes is one that
cannot be done, and each has a reason. Nothing is compiled.

  round_trip_test.py [--long] EINC SPEC...
"""

import pathlib
import re
import subprocess
import sys
import tempfile

LONG = "--long" in sys.argv  # all specs in each case, not two thirds of them
EINC, *SPECS = [argument for argument in sys.argv[1:] if argument != "--long"]
# What is compared, and how: targets with and without masks; threads, sums in parts; sums in the order of the spec; sizes of windows, and of one position.
_CASES = [
    ["c", "--target=x86-64-v4", "--threads=4"],
    ["tiled", "--target=x86-64-v2", "--threads=1"],
    ["tiled", "--target=aarch64", "--threads=4", "--fp=strict"],
    ["glsl", "--target=vulkan"],
    ["tiled", "--target=vulkan-software", "--fp=strict"],  # rounds of loops have a limit
    ["tiled", "--target=vulkan-desktop", "--dim=N=300"],
    ["tiled", "--target=vulkan-desktop", "--dim=N=40", "--dim=C=64", "--dim=KH=3"],
    ["c", "--target=generic", "--threads=4"],
    ["c", "--target=x86-64-v4", "--lib=cblas"],  # calls are said beside steps
    ["tiled", "--target=x86-64-v4", "--threads=4", "--dim=N=1", "--dim=C=200", "--dim=OW=14", "--dim=IW=14", "--dim=KH=5", "--dim=KW=5"],
]


def emit(stage, specs, *flags):
    return subprocess.run([EINC, "emit", f"--stage={stage}", *specs, *flags], capture_output=True, text=True)


def unexplained(schedule):
    """The first step without a reason: they are indented, and lists begin and end between them. Settings have none."""
    for line in schedule.splitlines():
        if line.startswith("    ") and not re.match(r"    \w+ = ", line) and not line.lstrip().startswith(("}", "//")) and "  // " not in line:
            return line.strip()
    return None


def problem(specs, code, flags):
    """The reason why a case fails, or None; and how many ops are said in steps."""
    printed, first = emit("schedule", specs, *flags), emit(code, specs, *flags)
    for run in (printed, first):
        if run.returncode:
            return f"exit code {run.returncode}: {run.stderr}", 0
    if line := unexplained(printed.stdout):
        return f"no reason: {line}", 0
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "printed.schedule"
        path.write_text(printed.stdout)
        again = emit(code, specs, *flags, f"--schedule={path}")
    if again.returncode:
        return f"exit code {again.returncode}: {again.stderr}", 0
    differs = [(a, b) for a, b in zip(first.stdout.splitlines(), again.stdout.splitlines()) if a != b]
    steps = len(re.findall(r"^  (?:op|ops \d+ to) \d+ \{", printed.stdout, re.MULTILINE))
    if first.stdout != again.stdout:
        return f"other code: {differs[:1]}", steps
    return (None if steps > 50 else f"only {steps} ops are said in steps"), steps


failed = 0
for number, (stage, *case) in enumerate(_CASES):
    reason, count = problem([spec for i, spec in enumerate(SPECS) if LONG or (i + number) % 3 != 0], stage, case)
    failed += reason is not None
    print("FAILED" if reason else "ok    ", " ".join(case), f"{count} ops in steps", reason or "")
sys.exit(1 if failed else 0)
