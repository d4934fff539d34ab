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
_REASONS = ("2^56 bytes", "2^60 iterations", "divides by zero", "does not fit", "64-bit", "takes a size from 0", "no array", "has no value",
            "no sizes of", "give --", "is -", "not for", "--dim", "--attr")
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
    "query": ["query", "--data=NONE[0]"],
    "bench": ["bench", "--against=none"],
    "tune": ["tune", "--against=none"],
    "MLIR": ["emit", "--stage=mlir"],
    "header": ["emit", "--stage=header"],
}
_QUICK = ("check", "explain", "eval", "query", "bench", "tune", "MLIR", "header")


def all_defs():
    """(spec, def, sizes, attributes, tensors)"""
    for path in einc_tool.specs():
        for kernel in json.loads(einc_tool.must(einc_tool.run("emit", "--stage=manifest", path)).stdout)["kernels"]:
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
    """Names and command lines."""
    slow = [c for c in _COMMANDS if c not in _QUICK]
    for number, (path, name, sizes, attributes, _) in enumerate(defs):
        long = einc_tool.LONG or name in _FEW
        flags = [(f"{s} = {v}", dims([s], v)) for s in sizes for v in (_HUGE + _GOOD if long else _HUGE[1:])]
        flags += [(f"all = {v}", dims(sizes, v)) for v in (_HUGE + _GOOD if long else _GOOD[2:]) if len(sizes) > 1]
        flags += [(f"{a} = {v}", [f"--attr={a}={v}"]) for a in attributes for v in (_ATTRIBUTES if long else _ATTRIBUTES[4:7:2])]
        flags += [(f"{s} = -1", dims([s], -1)) for s in sizes[:1]]
        for turn, (what, values) in enumerate(flags):
            # One command for each, in turn, or all.
            commands = _COMMANDS if einc_tool.LONG else [*_QUICK, slow[turn % len(slow)]] if long else [slow[(number + turn) % len(slow)]]
            for command in commands:
                yield f"{command} of {name} with {what}", [*_COMMANDS[command], path, "--def", name, *values]


def together(cases, defs, folder):
    """All defs that have a size, in one run for each size and value."""
    for symbol in sorted({s for _, _, sizes, _, _ in defs for s in sizes}):
        have = [(path, name) for path, name, sizes, _, _ in defs if symbol in sizes]
        paths = sorted({path for path, _ in have})
        for number, value in enumerate(_GOOD):
            for flags in ["--target=x86-64-v4"], ["--target=x86-64-v3", "--threads=3"]:
                names = [n for _, n in have]
                while True:
                    args = ["build", *paths, *[f"--def={n}" for n in names], *dims([symbol], value), "--sources-only", "-o", folder, "--name=x",
                            *flags]
                    done = einc_tool.run(*args)
                    refused = re.search(r"in '(\w+)': .*(divides by zero|is too large)", done.stderr)
                    if done.returncode != 2 or not refused:
                        break
                    names.remove(refused[1])
                cases.check(f"{symbol} = {value} {flags}", done.stderr if done.returncode else None)


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
