# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""docs/ir_text.md: the kernel in it is taken by each command, what it says is refused is, and its table has the levels."""

import pathlib
import re
import subprocess
import sys
import tempfile

EINC, PAGE = pathlib.Path(sys.argv[1]).absolute(), sys.argv[2]
failures, passed = [], 0


def run(text, *args):
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "twice.eir").write_text(text)
        return subprocess.run([EINC, *args, "twice.eir"], capture_output=True, text=True, cwd=folder)


def check(name, is_well, said):
    global passed
    passed += bool(is_well)
    if not is_well:
        failures.append(name)
        print(f"FAILED {name}\n{said}")


page = pathlib.Path(PAGE).read_text()
kernel = re.search(r"```\n(eir 1\n.*?)```", page, re.DOTALL)[1]
for command in (["check"], ["emit", "--stage=c", "--verify-each"], ["emit", "--stage=header"], ["opt", "--passes=canonicalize"]):
    result = run(kernel, *command)
    check(" ".join(command), result.returncode == 0, result.stderr)

wide = re.sub(r"  for m .*?\n  }\n", "  vector (m: 16) {\n    let a: f32 over (m) = %A[m] pad 0.0_f32\n    %C[m] clip = a\n  }\n", kernel, flags=re.DOTALL)
refused = run(wide, "emit", "--stage=c", "--target=x86-64-v3")
shown = re.search(r"^twice\.eir:.*$", page, re.MULTILINE)[0]
check("what is refused", refused.returncode == 1 and shown in refused.stderr, f"{wide}\n{refused.stderr}")

levels = re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)
known = run(kernel.replace("level hardware", "level x"), "check").stderr
check("the levels", " or ".join(levels) in known, f"{levels} {known}")
print(f"{passed} passed, {len(failures)} failed")
sys.exit(1 if failures else 0)
