# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""The products of words_test on AArch64 under qemu-user, with and without the instructions for bytes of either sign and bf16; and that these
are in the code.
"""

import re
import subprocess

import numpy as np

from tests.numeric import aarch64, einc_tool, words_test

_SIZES = [(1, 1, 1), (2, 3, 0), (7, 47, 3), (8, 16, 4), (9, 13, 5), (33, 17, 63), (65, 97, 64), (17, 31, 65), (3, 300, 130), (2, 2, 8), (3, 5, 17), (6, 12, 7), (7, 11, 9), (9, 12, 16), (15, 25, 15), (9, 13, 2101)]
_OF_MATRICES = {"ss": {"smmla"}, "uu": {"ummla"}, "us": {"usmmla"}, "su": {"usmmla"}, "bf": {"bfmmla"}, "bt": {"bfmmla"}, "zero": {"ummla"}}
_TARGETS = [
    # target, CPU, compiler, and which of these instructions are in the code of defs
    ("aarch64", "cortex-a53", aarch64.CLANG, {}),
    ("aarch64-dotprod", "neoverse-n1", aarch64.CLANG, {"ss": {"sdot"}, "uu": {"udot"}, "zero": {"udot"}}),
    ("aarch64-bf16", "max", aarch64.GCC, _OF_MATRICES),
]


def code(library, name, wanted):
    """What instructions are in the object of a def."""
    listed = [subprocess.run(["aarch64-linux-gnu-objdump", "-d", path], capture_output=True, text=True).stdout for path in library.objects]
    text = next(text for text in listed if f"<{name}>:" in text)
    found = set(re.findall(r"\b(?:[su]|us|bf)(?:dot|mmla)\b", text))
    return None if found == wanted else f"{found} in the code, not {wanted}"


def main():
    cases = einc_tool.Cases()
    folder = einc_tool.scratch()
    spec = folder / "words.tc"
    spec.write_text(words_test.SPEC)
    rng = np.random.default_rng(64)
    for target, cpu, compiler, instructions in _TARGETS:
        library = aarch64.Library(folder / target, "words", [spec], compiler, "-O1", cpu, f"--target={target}")
        for name, wanted in (instructions or {"ss": set(), "us": set(), "bf": set()}).items():
            cases.run(f"the code of {name} for {target}", code, library, name, wanted)
        for name in words_test.PRODUCTS:
            for number, size in enumerate(words_test.WINDOWS if name in words_test.IMAGES else _SIZES):
                for how in range(4) if name not in words_test.APART else [0]:
                    case = f"{name} {size} {how} {target}"
                    cases.run(case, words_test.product, library, name, words_test.shapes_of(name, size), how, number % 4 == 1, rng)
        cases.run(f"special {target}", words_test.special, library, rng)
        for name in ["ss", "us", "uu"]:
            for count in [1, 3, 4, 5, 17]:
                cases.run(f"pairs {name} {count} {target}", words_test.pairs, library, name, count)
    cases.finish()


if __name__ == "__main__":
    main()
