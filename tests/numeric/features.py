# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""What targets need and what this CPU has, as compiler/target/features.def and target.def say it."""

import pathlib
import re

_FOLDER = pathlib.Path("compiler/target")
# Linux's names, where they are others than the compilers'.
_LINUX = {"sse3": "pni", "sse4.1": "sse4_1", "sse4.2": "sse4_2", "bmi": "bmi1", "lzcnt": "abm", "avxvnni": "avx_vnni",
          "avx512vnni": "avx512_vnni", "avx512bf16": "avx512_bf16"}  # fmt: skip


def parts():
    """(feature, flag, leaf, subleaf, register, bit) of x86-64, as text."""
    row = r'^EINC_CPUID\((\w+), "([^"]+)", (\w+), (\d+), (E\wx), (\d+), \w+\)'
    return re.findall(row, (_FOLDER / "features.def").read_text(), re.MULTILINE)


def here():
    """The features of x86-64 that this CPU has."""
    flags = set(pathlib.Path("/proc/cpuinfo").read_text().split())
    lacks = {part[0] for part in parts() if _LINUX.get(part[1], part[1]) not in flags}
    return ({"Sse2"} | {part[0] for part in parts()}) - lacks


def targets():
    """The features of each target that is not a CPU's own, in the table's order."""
    row = r'^EINC_TARGET\("([^"]+)", (?:X86|AArch64), "[^"]*", ([\w |]+),'
    return {name: set(features.split(" | ")) for name, features in re.findall(row, (_FOLDER / "target.def").read_text(), re.MULTILINE)}


def vector_bytes(target):
    """Of its registers."""
    row = rf'^EINC_TARGET\("{target}", \w+, "[^"]*", [\w |]+, (\d+),'
    return int(re.search(row, (_FOLDER / "target.def").read_text(), re.MULTILINE)[1])
