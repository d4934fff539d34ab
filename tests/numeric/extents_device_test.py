# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Extents of 0 and 1 on a Vulkan device: every def of specs/ with each size, alone and all together; judged as in extents_test.py.

A library for each file of specs/, and for each two in which sizes are known, or as many as there are cases with --long. All under
the validation layer, whose messages are failures.

  extents_device_test.py [--long] [--only DEF]
"""

import argparse
import re

from tests.numeric import device, einc_tool, extents_test, formulas

def called(device, call):
    """The status and outputs of a formulas.Call."""
    args = []
    for name, dims in call.entry.parts[0] + call.entry.parts[1]:
        args.append(formulas.abi.c_scalar(call.kind(name), call.scalars[name]) if dims is None else call.arrays[name].copy(order="K"))
    args += [formulas.abi.c_attribute("i64", call.attributes[a]) for a, *_ in call.entry.attributes]
    status = device.run(call.name, args)
    arrays = dict(zip([name for name, _ in call.entry.parts[0] + call.entry.parts[1]], args))
    return status, [arrays[name] for name in call.outputs] if status == 0 else []


def build(folder, stem, path, names, fixed, symbols):
    """The defs that einc takes with these sizes: one that divides by a size that is 0 is refused."""
    names = sorted(names)
    while names:
        dims = {d: v for d, v in fixed.items() if any(d in symbols[n] for n in names)}
        done = einc_tool.run("build", path, "--target=vulkan", "--sources-only", "-o", folder, f"--name={stem}", *[f"--def={n}" for n in names],
                             *[f"--dim={d}={v}" for d, v in dims.items()], timeout=900)
        refused = re.search(r"in '(\w+)': .* divides by zero", done.stderr)
        if done.returncode != 2 or not refused:
            einc_tool.must(done)
            break
        names.remove(refused[1])
    return names


def on_device(folder, stem, todo):
    """What is wrong with these cases, in a process of its own."""
    messages, wrong = [], []
    library = device.Library(folder, stem, messages)
    for case in todo:
        message = case.judge(*called(library, case.call))
        if message or messages:
            wrong.append(f"{message or ''} {' '.join(messages)}\n{case.call.name} {case.call.sizes}")
            messages.clear()
    library.close()
    return "\n".join(wrong[:8] + messages[:3])


def check(folder, stem, path, names, fixed, symbols):
    """These sizes known, or none and all cases."""
    todo = []
    for name in build(folder, stem, path, names, fixed or {}, symbols):
        own = [{d: v for d, v in fixed.items() if d in symbols[name]}] if fixed else extents_test.variants_of(symbols[name])
        todo += [extents_test.Case(name, path, one, folder) for one in own]
    return on_device(folder, stem, todo) if todo else None


def fixed_sizes(names, symbols):
    """What is fixed for the defs of a file: all sizes, and the one that most defs have; or each, alone, too."""
    every = sorted({s for n in names for s in symbols[n]})
    if einc_tool.LONG:
        return list(extents_test.variants_of(every))
    most = max(every, key=lambda s: sum(s in symbols[n] for n in names))
    return [{most: 0}, dict.fromkeys(every, 1)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--only", action="append")
    only = parser.parse_args().only
    cases, folder = einc_tool.Cases(), einc_tool.scratch()
    defs = {n: p for n, p in formulas.defs_of(einc_tool.specs()).items() if not only or n in only}
    symbols = {name: extents_test.symbols_of(name, path) for name, path in defs.items()}
    for path in sorted(set(defs.values())):
        names = [n for n in defs if defs[n] == path]
        cases.run_apart(f"{path.stem}, sizes not known", check, folder, path.stem, path, names, None, symbols)
        for fixed in fixed_sizes(names, symbols):
            own = [n for n in names if any(s in fixed for s in symbols[n])]
            stem = f"{path.stem}_{extents_test.dim_names(fixed)}" if len(fixed) == 1 else f"{path.stem}_all{next(iter(fixed.values()))}"
            cases.run_apart(f"{path.stem} with {fixed}", check, folder, stem, path, own, fixed, symbols)
    cases.finish()


if __name__ == "__main__":
    main()
