# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Sizes and attributes fixed on the command line to 0, 1, -1, 2^31, 2^62, 2^63 - 1 and beyond: FAULTS 52.

Every def of specs/, each of its sizes and attributes: what comes of it is code, or exit code 1 or 2 with a reason, never a bug
in einc, a signal or a hang. Sizes with which all defs are good go through one run for all of them.

  fixed_values_test.py [--long]    all values through all commands for all defs
"""

import concurrent.futures
import json
import re

import numpy as np

from tests.numeric import einc_tool

_GOOD = [0, 1, 2**31]
_HUGE = [2**62, 2**63 - 1]
_ATTRIBUTES = [0, 1, -1, 2**31, 2**62, 2**63 - 1, -(2**63), 2**63]
# What a reason may say: a limit, or what is missing.
_REASONS = ("2^56 bytes", "2^63", "64-bit", "count with 32 bits", "divides by zero", "does not fit", "takes a size from 0",
            "has no array; give", "has no value; give", "no sizes of", "but the arrays say")
# For what takes a file a command line: one def of each kind.
_FEW = ["matmul", "conv_2d_nhwc_hwcf", "pooling_nhwc_average", "softmax", "transpose", "argmax_rows", "quantize", "slice_2d", "unpack", "iota"]
# Commands, as flags before and after the spec.
_COMMANDS = {
    "C": ["emit", "--stage=c", "--target=x86-64-v4"],
    "C on threads": ["emit", "--stage=c", "--target=x86-64-v4", "--threads=3"],
    "C for any CPU": ["emit", "--stage=c", "--target=generic"],
    "C for a BLAS": ["emit", "--stage=c", "--target=x86-64-v3", "--lib=cblas"],
    "GLSL": ["emit", "--stage=glsl", "--target=vulkan"],
    "check": ["check"],
    "explain": ["explain", "--target=x86-64-v3"],
    "eval": ["eval"],
    "query": ["query"],
    "bench": ["bench", "--against=none", "--rounds=1", "--sample=0.001"],
    "tune": ["tune", "--against=none", "--rounds=1", "--sample=0.001", "--schedules=false"],
    "MLIR": ["emit", "--stage=mlir"],
    "header": ["emit", "--stage=header", "--target=x86-64-v2"],
}
_QUICK = ("check", "explain", "eval", "query", "MLIR", "header")
_TIMERS = ("bench", "tune")


def all_defs():
    """(spec, def, sizes, attributes, tensors)"""
    for path in einc_tool.specs():
        for kernel in json.loads(einc_tool.must(einc_tool.run("emit", "--stage=manifest", "--target=generic", path)).stdout)["kernels"]:
            attributes = [a["name"] for a in kernel["attributes"]]
            words = {w for t in kernel["tensors"] if t["role"] != "local" for d in t["shape"] for w in re.findall(r"[A-Za-z_]\w*", str(d))}
            yield path, kernel["def"], sorted(words - set(attributes) - {"floordiv", "mod"}), attributes, kernel["tensors"]


def problem(args, codes=(0, 1, 2)):
    """What is wrong with how einc ends."""
    done = einc_tool.run(*args, timeout=60)
    line = einc_tool.command_line(*args)
    if done.returncode not in codes:
        return f"{line}\nexit code {done.returncode}: {done.stderr[:400]}"
    if done.returncode and ("error" not in done.stderr or not any(r in done.stderr for r in _REASONS)):
        return f"{line}\nno reason: {done.stderr[:400]}"
    return None


def dims(names, value):
    return [f"--dim={n}={value}" for n in names]


def jobs(defs):
    """Names and command lines: of most defs a third of what is refused, and attributes, in the commands that write code, in turn;
    of some all, in half of the others, too."""
    slow = [c for c in _COMMANDS if c not in (*_QUICK, *_TIMERS, "GLSL")] * 3 + ["GLSL"]  # which takes ten times as long
    for number, (path, name, sizes, attributes, tensors) in enumerate(defs):
        long = einc_tool.LONG or name in _FEW
        some = sizes if long else sizes[number % 3::3] or sizes[:1]
        one = [(s, v) for s in some for v in (_HUGE + _GOOD if long else _HUGE[1:])]
        flags = [(f"{s} = {v}", v, dims([s], v)) for s, v in one + [(s, -1) for s in sizes[:1]]]
        flags += [(f"all = {v}", v, dims(sizes, v)) for v in (_HUGE + _GOOD if long else _GOOD[2:]) if len(sizes) > 1]
        flags += [(f"{a} = {v}", 0, [f"--attr={a}={v}"]) for i, a in enumerate(attributes)
                  for v in (_ATTRIBUTES if long else _ATTRIBUTES[4 + (number + i) % 2 * 2:][:1])]
        everything = f"--data={tensors[0]['name']}[{', '.join(':' * len(tensors[0]['shape']))}]"
        for turn, (what, value, values) in enumerate(flags):
            commands = [slow[(number + turn) % len(slow)]]
            if long:
                commands = [*(_COMMANDS if einc_tool.LONG else (*_QUICK[turn % 2::2], *commands))]
                commands += _TIMERS if value in _HUGE and not einc_tool.LONG else ()  # what is good would be timed
            for command in commands:
                own = [everything] if command == "query" else []
                yield f"{command} of {name} with {what}", [*_COMMANDS[command], *own, path, "--def", name, *values]


def together(cases, defs, folder):
    """All defs that have a size, or a quarter of them, in one run for each size that is 0, or with --long 1."""
    for turn, symbol in enumerate(sorted({s for _, _, sizes, _, _ in defs for s in sizes})):
        names = [name for _, name, sizes, _, _ in defs if symbol in sizes]
        names = names if einc_tool.LONG else names[turn % 4::4] or names
        paths = sorted({path for path, name, *_ in defs if name in names})
        for value, flags in [(0, ["--threads=3"]), (1, [])][: 2 if einc_tool.LONG else 1]:
            while names:
                done = einc_tool.run("build", *paths, *[f"--def={n}" for n in names], *dims([symbol], value), "--sources-only", "-o", folder,
                                     "--name=x", f"--target=x86-64-{'v4' if einc_tool.LONG else 'v3'}", *flags)
                refused = re.search(r"in '(\w+)': .*divides by zero", done.stderr)
                if done.returncode != 2 or not refused:
                    break
                names.remove(refused[1])
            cases.check(f"{symbol} = {value} {flags}", done.stderr if done.returncode and names else None)


def eval_refuses(folder):
    """Arrays that are there, sizes that are not theirs."""
    np.save(folder / "A.npy", np.zeros((2, 3), np.float32))
    spec = einc_tool.find("specs/layout.tc")
    for value in _HUGE + _GOOD:
        for engine in ("reference", "native"):
            message = problem(["eval", spec, "--def=copy", f"--engine={engine}", "--in", f"A={folder}/A.npy", f"--dim=M={value}"], (1, 2))
            if message and "no reason" not in message:
                return message
    return None


def main():
    cases, folder = einc_tool.Cases(), einc_tool.scratch()
    defs = list(all_defs())
    with concurrent.futures.ThreadPoolExecutor(2) as workers:
        todo = list(jobs(defs))
        for (name, _), message in zip(todo, workers.map(lambda job: problem(job[1]), todo)):
            cases.check(name, message)
    together(cases, defs, folder)
    cases.run("eval with sizes that are not the arrays'", eval_refuses, folder)
    cases.finish()


if __name__ == "__main__":
    main()
