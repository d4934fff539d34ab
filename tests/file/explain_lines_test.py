# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""What `einc explain` says of a def has at most 15 lines, for all of specs/ and every target; --verbose says more.

Usage: explain_lines_test.py EINC SPEC...
"""

import concurrent.futures
import json
import os
import re
import subprocess
import sys

MOST, WIDEST = 15, 152
# What nobody has to be told.
NOISE = (" 0 operations", " 0 bytes", "no contraction:", "cycles an iteration")


def targets(einc, spec):
    """All that are known, as the error about another one lists them; but devices of this machine."""
    said = subprocess.run([einc, "explain", "--target=nothing-of-the-kind", spec], capture_output=True, text=True).stderr
    found = said[said.index("there are ") + len("there are ") :].strip().split(", ")
    return [name for name in found if name != "vulkan-native"]


def explained(einc, target, specs, *flags):
    done = subprocess.run([einc, "explain", f"--target={target}", *flags, *specs], capture_output=True, text=True)
    assert done.returncode == 0 and not done.stderr, f"{target}: {done.returncode}: {done.stderr[:1000]}"
    return done.stdout


def defs_of(text):
    """name -> its lines."""
    found = {}
    for part in re.split(r"\n\n", text):
        lines = part.strip("\n").split("\n")
        if head := re.match(r"(\w+), for [\w-]+: ", lines[0]):
            found[head[1]] = lines
    return found


def wrong_with(einc, target, specs):
    found, wrong = defs_of(explained(einc, target, specs)), []
    for name, lines in found.items():
        where = f"{target}, {name}"
        if not 3 <= len(lines) <= MOST:
            wrong.append(f"{where}: {len(lines)} lines")
        wrong += [f"{where}: {line}" for line in lines if len(line) > WIDEST or any(noise in line for noise in NOISE)]
        if not any(line.startswith("  work: ") for line in lines):
            wrong.append(f"{where}: nothing is said of its work")
    return len(found), wrong


def main():
    einc, specs = sys.argv[1], [path for path in sys.argv[2:] if path.endswith(".tc")]
    count = len(json.loads(subprocess.run([einc, "emit", "--stage=manifest", "--target=generic", *specs], capture_output=True, text=True, check=True).stdout)["kernels"])
    names = targets(einc, specs[0])
    assert len(names) > 10, names
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for target, (number, wrong) in zip(names, pool.map(lambda name: wrong_with(einc, name, specs), names)):
            assert not wrong, "\n".join(wrong[:40])
            assert number == count, f"{target}: {number} of {count} defs"
    short, long = (explained(einc, "x86-64-v3", specs[:1], *flags) for flags in ((), ("-v",)))
    assert len(long) > 2 * len(short), "--verbose says no more"
    print(f"{count} defs, {len(names)} targets")


if __name__ == "__main__":
    main()
