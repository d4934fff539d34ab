# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""File tests: input and expectation in one file.

A test is a .tc or .eir file in a folder named after the stage it is about. Its `// RUN:` line is the
command, with %s for the file and %t for a temporary folder; its `// CHECK` lines are what FileCheck
looks for in the command's output, standard error included. Files called fail_* must exit with 1 (or
with the number of a `// EXIT:` line), all others with 0.

  run.py EINC FILE...
"""

import os
import re
import shlex
import subprocess
import sys
import tempfile

FILECHECK = "/usr/lib/llvm-19/bin/FileCheck"


def directive(text, name):
    found = re.search(rf"^// {name}: *(.*)$", text, re.MULTILINE)
    return found.group(1) if found else None


def run(einc, path):
    """The reason why the test fails, or None."""
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        text = file.read()
    command = directive(text, "RUN")
    if command is None:
        return "there is no RUN line"
    if not re.search(r"^// CHECK", text, re.MULTILINE):
        return "there is no CHECK line: the test could not fail"
    fails = os.path.basename(path).startswith("fail_")
    wanted = int(directive(text, "EXIT") or (1 if fails else 0))
    with tempfile.TemporaryDirectory() as folder:
        words = [word.replace("%s", path).replace("%t", folder) for word in shlex.split(command)]
        words[0] = einc if words[0] == "einc" else words[0]
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              stdin=subprocess.DEVNULL, timeout=60)
    output = done.stdout.decode(errors="replace")
    if done.returncode != wanted:
        return f"exit code {done.returncode}, expected {wanted}\n{output}"
    match = subprocess.run([FILECHECK, path, "--allow-empty", "--dump-input=fail"], input=output.encode(),
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return match.stdout.decode(errors="replace") if match.returncode else None


def main(einc, paths):
    failed = 0
    for path in paths:
        reason = run(os.path.abspath(einc), path)
        print(("ok    " if reason is None else "FAILED ") + path)
        if reason is not None:
            failed += 1
            print(reason)
    print(f"{len(paths) - failed} passed, {failed} failed")
    return failed != 0 or not paths


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
