# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""docs/schedules.md: each schedule in it is taken, each step in its table is one, and what it says is refused is."""

import pathlib
import re
import subprocess
import sys
import tempfile

EINC, PAGE, SPEC = sys.argv[1:4]
failures, passed = [], 0


page = pathlib.Path(PAGE).read_text()
DEFS = dict(re.findall(r"```\n(?=def (\w+))(def .*?)```", page, re.DOTALL))


def tiled(schedule, target="x86-64-v4"):
    """Of a def that the page shows, or of the spec."""
    name = re.search(r"schedule @(\w+)", schedule)[1]
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "matmul.schedule"
        path.write_text(schedule)
        shown = pathlib.Path(folder) / "shown.tc"
        shown.write_text(DEFS.get(name, ""))
        return subprocess.run([EINC, "emit", "--stage=tiled", shown if name in DEFS else SPEC, f"--def={name}", f"--target={target}", f"--schedule={path}"], capture_output=True, text=True)


def check(name, is_well, said):
    global passed
    passed += bool(is_well)
    if not is_well:
        failures.append(name)
        print(f"FAILED {name}\n{said}")


schedules = re.findall(r"```\n(einc_schedule.*?)```", page, re.DOTALL)
check("the page has schedules", len(schedules) >= 5, page[:200])
for number, schedule in enumerate(schedules):
    result = tiled(schedule.replace('"native"', '"x86-64-v4"'), "vulkan" if '"vulkan"' in schedule else "x86-64-v4")
    check(f"schedule {number} is taken", result.returncode == 0 and not result.stderr, result.stderr)

refused = tiled('einc_schedule 1\nschedule @matmul for "x86-64-v4" {\n  op 0 {\n    vectorize (n: 32)\n  }\n}\n')
shown = re.search(r"error: ('n' may have .*)\n", page)[1]
check("what is refused", refused.returncode == 1 and shown in refused.stderr, refused.stderr)

# The words of the table are those that the parser knows.
known = tiled('einc_schedule 1\nschedule @matmul for "x86-64-v4" {\n  op 0 {\n    x\n  }\n}\n').stderr
known = set(re.search(r"a step: (.*), found", known)[1].replace(" or ", ", ").split(", "))
table = set(re.findall(r"^\| `(\w+)", page, re.MULTILINE))
check("the table has each step", known == table, f"{known} {table}")
print(f"{passed} passed, {len(failures)} failed")
sys.exit(1 if failures else 0)
