# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Runs a program of the tests under mpirun, on 1 to 12 ranks: mpi_test.py PROGRAM [ARGUMENT...]

Its output ends with "N passed, N failed" and so does ours, which adds them up. With the argument --killed the program
loses its last rank in the middle, and mpirun has to end within seconds.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

SECONDS = 100
# All ranks on this machine, in any number, and none of them waits at full speed for another.
SETTINGS = {
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "OMPI_MCA_btl": "self,vader",
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
    "OMPI_MCA_oob_tcp_if_include": "lo",
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    # One thread of a BLAS a rank.
    "OPENBLAS_NUM_THREADS": "1",
}


def run(ranks, program, arguments, folder):
    """What it says and the exit code; the code is None where it takes too long."""
    command = ["mpirun.openmpi", "--oversubscribe", "--bind-to", "none", "-n", str(ranks), program, *arguments]
    # Open MPI does not free all of its own; what we do not free, the programs count.
    sanitizer = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
    environment = {**os.environ, **SETTINGS, "TMPDIR": folder, "ASAN_OPTIONS": sanitizer}
    with subprocess.Popen(command, env=environment, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT) as process:  # fmt: skip
        try:
            said, _ = process.communicate(timeout=SECONDS)
            return said, process.returncode
        except subprocess.TimeoutExpired:
            process.terminate()  # mpirun ends its ranks
            try:
                said, _ = process.communicate(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
                said, _ = process.communicate()
            return said + f"\nnot done after {SECONDS} s", None


def judge(said, code):
    """How many cases passed and failed."""
    sums = re.findall(r"^(\d+) passed, (\d+) failed$", said, re.MULTILINE)
    if len(sums) != 1:
        return 0, 1
    passed, failed = map(int, sums[0])
    return passed, failed + (code != 0 and failed == 0)


def judge_killed(said, code):
    """mpirun has seen that a rank was killed, after redistributions that were right."""
    is_right = code not in (0, None) and "10 redistributions" in said and "signal 9" in said and "wrong" not in said
    return int(is_right), int(not is_right)


def main():
    program, *arguments = sys.argv[1:]
    program = str(pathlib.Path(program).absolute())
    is_killed = arguments == ["--killed"]
    passed = failed = 0
    # Open MPI makes sockets there, whose paths must be short.
    with tempfile.TemporaryDirectory(dir="/tmp", prefix="einc") as folder:
        for ranks in [2, 5] if is_killed else range(1, 13):
            said, code = run(ranks, program, [] if is_killed else arguments, folder)
            good, bad = judge_killed(said, code) if is_killed else judge(said, code)
            passed, failed = passed + good, failed + bad
            if bad:
                print(f"--- {ranks} ranks, exit code {code}:\n{said}")
    print(f"{passed} passed, {failed} failed")
    return 0 if passed and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
