# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""What `einc check` and `einc query` claim, against every iteration of small instances.

Random one-statement defs with affine indices (sums, strides, divisions, remainders, sizes). For sizes from 1 to 4:
"in bounds if" must hold exactly where no iteration leaves the tensor, "always in bounds" everywhere; the elements
that a range of iterations touches, and the iterations that touch a range of elements, must be those that are found by
trying all.
"""

import itertools
import random
import re

from tests.numeric import einc_tool


def python(condition):
    """A condition of einc as a Python expression, with floor(x/n) as x // n."""
    text = re.sub(r"floor\(\((.*?)\)/(\d+)\)", r"((\1) // \2)", condition)
    text = re.sub(r"(\d)(floor|\()", r"\1 * \2", text)
    text = re.sub(r"\bmod\b", "%", text).replace(", or ", " or ")
    text = re.sub(r"(?<![<>=!])=(?!=)", "==", text)
    return re.sub(r"(\d)([A-Za-z#])", r"\1 * \2", text)


class Drawn:
    """x and y with iterators i (from y or z) and j (reduced, from z); x is read at a drawn index."""

    def __init__(self, seed):
        r = random.Random(seed)
        self.iterators = {"i": "N", "j": "M"}
        terms = [r.choice(["i", "2 * i", "3 * i", "-i", "i / 2", "i % 3", "5"]), r.choice(["j", "2 * j", "-j", "j / 3", "j % 2"])]
        shift = r.choice(["", " + 1", " - 1", " + N - 1", " + M", " + 2 * N - 1"])
        self.index = f"{terms[0]} + {terms[1]}{shift}"
        # Where the index is certainly negative, the front end refuses it; so it is read with a value outside.
        self.padded = r.random() < 0.3
        access = f"x({self.index})" + (" else 0" if self.padded else "")
        self.text = f"def f(x: f32(W), z: f32(M)) -> (y: f32(N)) {{ y(i) += {access} * z(j); }}\n"

    def at(self, values):
        return eval(self.index.replace("/", "//"), {}, values)

    def iterations(self, sizes):
        return itertools.product(range(sizes["N"]), range(sizes["M"]))

    def inside(self, sizes):
        return all(0 <= self.at({**sizes, "i": i, "j": j}) < sizes["W"] for i, j in self.iterations(sizes))


def small_sizes():
    for n, m, w in itertools.product(range(1, 5), range(1, 5), range(1, 9)):
        yield {"N": n, "M": m, "W": w}


def check_bounds(op, spec):
    said = einc_tool.run("check", spec)
    if said.returncode:
        # Refused: then no calls are possible but those where a size of 1 leaves an iterator one value.
        bad = [s for s in small_sizes() if op.inside(s) and min(s["N"], s["M"]) > 1]
        return f"refused, but fine for {bad[0]}\n{said.stderr}" if bad and "outside" in said.stderr else None
    if "contradicts" in said.stderr or op.padded:
        return None
    facts = re.search(r"index '.*' of dimension 0 of 'x' .*\n((?:    .*\n)+)", said.stdout)
    if not facts:
        return f"nothing is said of x\n{said.stdout}"
    verdict = facts[1].strip().splitlines()[-1].strip()
    if found := re.match(r"in bounds if (.*); every call is checked", verdict):
        condition = python(re.sub(r" \(for positive .*\)", "", found[1]))
    elif verdict in ("always in bounds", "never in bounds, unless a size is 0"):
        condition = str(verdict[0] == "a")
    else:
        return f"no verdict: {verdict}"
    for sizes in small_sizes():
        claimed = bool(eval(condition, {}, dict(sizes)))
        if claimed != op.inside(sizes):
            return f"{op.text}{verdict}\nsays {claimed} for {sizes}"
    return None


def elements(text):
    """The elements of x in an answer: a box, a condition over #0, or nothing."""
    if "nothing" in text:
        return set()
    if found := re.fullmatch(r"x\[(-?\d+)(?::(-?\d+))?\]", text):
        low = int(found[1])
        return set(range(low, int(found[2]) if found[2] else low + 1))
    found = re.fullmatch(r"x\[#0\] where (.*)", text)
    condition = python(found[1]).replace("#0", "d")
    if condition.startswith("exists"):
        return None
    return {d for d in range(-40, 60) if eval(condition.replace(" * d", "*d"), {}, {"d": d})}


def check_query(op, spec):
    r = random.Random(op.text)
    sizes = {"N": r.randint(2, 4), "M": r.randint(2, 4), "W": 40}
    dims = [f"--dim={n}={v}" for n, v in sizes.items()]
    low, high = sorted(r.sample(range(sizes["N"] + 1), 2))
    said = einc_tool.run("query", spec, *dims, "--iterations", f"i={low}:{high}")
    if said.returncode:
        return f"exit code {said.returncode}\n{said.stderr}" if "error: index" not in said.stderr else None
    line = re.search(r"reads  (x.*)", said.stdout)[1]
    touched = {op.at({**sizes, "i": i, "j": j}) for i, j in op.iterations(sizes) if low <= i < high}
    if op.padded:
        touched = {d for d in touched if 0 <= d < sizes["W"]}
    claimed = elements(line)
    if claimed is not None and claimed != touched:
        return f"{op.text}i={low}:{high}, {sizes}: {line}\nis {sorted(claimed)}, not {sorted(touched)}"
    element = r.choice(sorted(touched)) if touched else 0
    if not 0 <= element < sizes["W"]:
        return None
    said = einc_tool.must(einc_tool.run("query", spec, *dims, "--data", f"x[{element}]"))
    answer = re.search(r"read by +(.*)", said.stdout)[1]
    wanted = {(i, j) for i, j in op.iterations(sizes) if op.at({**sizes, "i": i, "j": j}) == element}
    if answer == "none":
        found = set()
    elif answer.startswith("those where "):
        condition = python(answer.removeprefix("those where "))
        if "exists" in condition:
            return None
        found = {(i, j) for i, j in op.iterations(sizes) if eval(condition, {}, {"i": i, "j": j})}
    else:
        ranges = dict(part.split(" = ") for part in answer.split(", "))
        span = {n: range(*map(int, t.split(":"))) if ":" in t else [int(t)] for n, t in ranges.items()}
        found = set(itertools.product(span["i"], span["j"]))
    return None if found == wanted else f"{op.text}x[{element}], {sizes}: {answer}\nis {sorted(found)}, not {sorted(wanted)}"


def main():
    cases, folder = einc_tool.Cases(), einc_tool.scratch()
    for seed in range(2000 if einc_tool.LONG else 300):
        op = Drawn(seed)
        spec = folder / f"{seed}.tc"
        spec.write_text(op.text)
        cases.run(f"bounds {seed}", check_bounds, op, spec)
        cases.run(f"query {seed}", check_query, op, spec)
    cases.finish()


if __name__ == "__main__":
    main()
