# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Calls are refused where an index leaves its tensor, and nowhere else: every position is tried.

Random indices of one and two iterators with / and %, sizes and a scalar in products and divisors, read from tensors
whose size is just enough, one too small or larger; through the C ABI, and some of them on the interpreter.
"""

import itertools
import random

import numpy as np

from tests.numeric import abi, einc_tool

# As users write them; each has been refused where it is right.
_KNOWN = ["i * (N - 1) / (H - 1)", "i * H - i", "i - i / 2 * 2", "(2 * i) % 4", "(i + j) % N - i % 2", "i / 2 + i % 2", "(i * 3 + j) / 4 - i / 2"]


def index(r):
    """An index: affine in i and j, also where it is divided."""

    def coefficient():
        return r.choice(["", "", "2 * ", "3 * ", "N * ", "a * ", "(H - 1) * ", "-"])

    def linear(names):
        terms = [coefficient() + name for name in names]
        return " + ".join(terms + ([r.choice(["1", "2", "N", "a", "H - 1"])] if r.random() < 0.5 else [])).replace("+ -", "- ")

    def divided(text):
        divisor = r.choice(["2", "3", "4", "N", "H", "(H - 1)", "(N + 1)", "a"])
        return f"({text}) {r.choice('/%')} {divisor}"

    names = r.sample(["i", "j"], r.choice([1, 1, 2]))
    parts = []
    for _ in range(r.choice([1, 2, 2, 3])):
        text = linear(r.sample(names, r.randint(1, len(names))))
        for _ in range(r.choice([0, 1, 1, 2])):
            text = divided(text + r.choice(["", " + 1", " + i", " - 1"]))
        parts.append(f"{coefficient()}({text})")
    return " + ".join(parts).replace("+ -", "- ")


def taken(text, sizes):
    """All values of the index; None if it divides by zero, and there is a position."""
    values = set()
    code = compile(text.replace("/", "//"), "index", "eval")
    for i, j in itertools.product(range(sizes["N"]), range(sizes["M"])):
        try:
            values.add(eval(code, {}, {**sizes, "i": i, "j": j}))
        except ZeroDivisionError:
            return None
    return values


class Drawn:
    def __init__(self, number):
        self.random = random.Random(number)
        self.text = _KNOWN[number] if number < len(_KNOWN) else index(self.random)
        self.name = f"r{number}"
        self.spec = (f"def {self.name}(I: i32(W), S: i8(H), Z: i32(N, M), a: i64) -> (O: i32(N, M)) "
                     f"{{ O(i, j) = I({self.text}) + Z(i, j) + 0 * cast<i32>(H + a); }}\n")  # fmt: skip

    def calls(self, count):
        """Sizes, and the status that is right for them."""
        for _ in range(count):
            r = self.random
            sizes = {"N": r.choice([0, 1, 2, 3, 5, 9, 24]), "M": r.choice([1, 2, 3, 7]), "H": r.randint(0, 6), "a": r.choice([-3, -1, 0, 1, 2, 5])}
            values = taken(self.text, sizes)
            most = max(values, default=0) if values is not None else 0
            sizes["W"] = max(most + 1 + r.choice([0, 0, -1, 2]), 0)
            if sizes["W"] > 1000:
                continue
            if values is None:
                yield sizes, "DIVISION_BY_ZERO"
            else:
                yield sizes, "OK" if all(0 <= v < sizes["W"] for v in values) else "OUT_OF_RANGE"


def arrays_of(sizes):
    return {"I": np.arange(sizes["W"], dtype=np.int32) * 7, "S": np.zeros(sizes["H"], np.int8), "Z": np.ones((sizes["N"], sizes["M"]), np.int32)}


def compared(drawn, sizes, got):
    code = compile(drawn.text.replace("/", "//"), "index", "eval")
    for (i, j), value in np.ndenumerate(got):
        wanted = 7 * eval(code, {}, {**sizes, "i": i, "j": j}) + 1
        if value != wanted:
            return f"{drawn.spec}{sizes}: O[{i}, {j}] is {value}, not {wanted}"
    return None


def native(drawn, library, names):
    for sizes, wanted in drawn.calls(40):
        arrays = arrays_of(sizes)
        result = np.zeros((sizes["N"], sizes["M"]), np.int32)
        a = abi.c_scalar("i64", sizes["a"])
        status = library.kernel(drawn.name)(*[abi.describe(arrays[n]) for n in "ISZ"], a, abi.describe(result))
        if names[status] != wanted:
            return f"{drawn.spec}{sizes}: {names[status]}, not {wanted}"
        if wanted != "OK" and result.any():
            return f"{drawn.spec}{sizes}: refused, and something was written"
        if wanted == "OK" and (message := compared(drawn, sizes, result)):
            return message
    return None


def interpreted(folder, drawn):
    folder.mkdir(exist_ok=True)
    (folder / "s.tc").write_text(drawn.spec)
    for sizes, wanted in drawn.calls(3):
        args = ["eval", folder / "s.tc", "--engine=reference", "--attr", f"a={sizes['a']}", "--out", f"O={folder}/O.npy"]
        for name, array in arrays_of(sizes).items():
            np.save(folder / f"{name}.npy", array)
            args += ["--in", f"{name}={folder}/{name}.npy"]
        done = einc_tool.run(*args)
        if (done.returncode != 0) != (wanted != "OK") or (wanted != "OK" and wanted not in done.stderr):
            return f"{drawn.spec}{sizes}: exit code {done.returncode}, not {wanted}\n{done.stderr}"
        if wanted == "OK" and (message := compared(drawn, sizes, np.load(folder / "O.npy"))):
            return message
    return None


def refused(drawn, folder):
    """Whether the front end says that no call can be right; then none must be. A message if one is."""
    (folder / "one.tc").write_text(drawn.spec)
    said = einc_tool.run("check", folder / "one.tc")
    if said.returncode == 0:
        return False, None
    right = [sizes for sizes, wanted in drawn.calls(100) if wanted == "OK" and sizes["N"] > 0]
    isRange = "[out-of-bounds]" in said.stderr
    return True, None if isRange and not right else f"{drawn.spec}{said.stderr}\nbut right for {right[:1]}"


def main():
    cases, folder = einc_tool.Cases(), einc_tool.scratch()
    names = {value: name for name, value in abi.statuses().items()}
    good = []
    for number in range(600 if einc_tool.LONG else 90):
        drawn = Drawn(number)
        isRefused, message = refused(drawn, folder)
        if isRefused:
            cases.check(f"refused {number}", message)
        else:
            good.append(drawn)
    (folder / "ranges.tc").write_text("".join(drawn.spec for drawn in good))
    library = abi.build_sources(folder, "ranges", [folder / "ranges.tc"], "-O1", "--target=generic")
    cases.run_all_apart([(f"native {drawn.name}", native, drawn, library, names) for drawn in good])
    for drawn in good[:: 1 if einc_tool.LONG else 3] + good[: len(_KNOWN)]:
        cases.run(f"interpreted {drawn.name}", interpreted, folder / "eval", drawn)
    cases.finish()


if __name__ == "__main__":
    main()
