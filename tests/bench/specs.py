# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Every def of specs/, or specs at random, against its own roofline (`tools/bench specs`).

All defs are built as one library, for any sizes and strides. Each is checked at small sizes, then timed at sizes that a
rule gives (sizes.py), so that its operands take a part of each level of cache. Its roofline is the longer of two
times: its bytes (work.py) at that level's bandwidth, its arithmetic at the machine's rate and at the prices of functions;
all of that is measured in the same run (limits.py). A share is the roofline's time over the time taken.
"""

import argparse
import collections
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
QUICK_PART = 4  # of the defs
LONGEST = 0.012  # seconds of a roofline, beyond which sizes are smaller
SAMPLES = {"sample": 0.008, "rounds": 4, "passes": 3}
QUICK_SAMPLES = {"sample": 0.002, "rounds": 3, "passes": 1}
LAST_PASS = 480  # seconds after which no further pass begins: a run takes 15 minutes at most
EXPLAINED = 0.7  # the share below which figures say what ran
NOISE = 0.1  # a spread beyond which a case is named as noisy


def parse(argv):
    parser = argparse.ArgumentParser(prog="tools/bench specs", description="Every def of specs/ against its own roofline.")
    parser.add_argument("pattern", nargs="?", default="", help="only defs, or files, whose name this regular expression finds")
    parser.add_argument("--quick", action="store_true", help=f"each {QUICK_PART}th def, in two levels of cache, in short samples")
    parser.add_argument("--threads", type=int, default=1, help="kernels that share out their loops, and the roof of as many cores")
    parser.add_argument("--random", type=int, metavar="N", help="instead of specs/, so many at random")
    parser.add_argument("--seed", type=int, default=0, help="of --random: another one gives other specs")
    parser.add_argument("--with", dest="other", metavar="EINC", help="another einc, whose kernels take turns with these")
    parser.add_argument("--json", metavar="FILE", help="all figures, for machines")
    parser.add_argument("--svg", metavar="FILE", help="a picture")
    parser.add_argument("--worst", type=int, default=60, help="how many cases are shown, the worst first")
    parser.add_argument("--einc", default=os.environ.get("EINC") or str(ROOT / "bazel-bin/tools/einc"), help=argparse.SUPPRESS)
    parser.add_argument("--levels", help=argparse.SUPPRESS)  # NAME=BYTES,...
    parser.add_argument("--flag", action="append", default=[], help=argparse.SUPPRESS)  # of einc build
    options = parser.parse_args(argv)
    if options.threads < 1 or options.random is not None and options.random < 1:
        parser.error("--threads and --random are 1 or more")
    return options


# ---- What is measured ----


Def = collections.namedtuple("Def", "kernel path fixed")  # fixed: extents that are given


def specs_folder():
    """In a checkout, or in the files of a test."""
    return ROOT / "specs"


def chosen(options, folder):
    """The defs, and why some that are wanted cannot be had."""
    from tests.bench import ir_ops, random_specs

    sources, failures = [], []
    if options.random:
        drawn = random_specs.write(folder / "random.tc", options.random, options.seed)
        sources.append((folder / "random.tc", drawn))
    else:
        sources = [(path, {}) for path in sorted(specs_folder().glob("*.tc"))]
    defs = []
    for path, fixed in sources:
        try:
            kernels = ir_ops.of_spec(options.einc, path)
        except ValueError as error:
            failures.append({"case": path.name, "reason": str(error)})
            continue
        defs += [Def(kernel, path, fixed.get(name, {})) for name, kernel in kernels.items()
                 if re.search(options.pattern, name) or re.search(options.pattern, path.name)]  # fmt: skip
    return (defs[::QUICK_PART] if options.quick and not options.pattern else defs), failures


def prices_spec(defs):
    """(function, type) of what is priced -> the def of a kernel that computes it alone; and the text of all."""
    from tests.bench import work

    wanted = sorted({f for d in defs for f in work.functions_of(d.kernel)})
    names = {key: f"price_{key[0]}_{key[1]}" for key in wanted}
    texts = []
    for (function, kind), name in names.items():
        two = function in ("div", "pow", "atan2")
        second, argument = (f", b: {kind}(N)", ", b(n)") if two else ("", "")
        texts.append(f"def {name}(a: {kind}(N){second}) -> (c: {kind}(N)) {{ c(n) = {function}(a(n){argument}); }}\n")
    return names, "".join(texts)


def build(number, einc, folder, defs, prices, options):
    from tests.bench import timing

    paths = list(dict.fromkeys(d.path for d in defs))
    flags = list(options.flag)
    if options.quick or options.pattern:
        flags += [f"--def={d.kernel.name}" for d in defs] + [f"--def={name}" for name in prices]
    paths += [folder / "prices.tc"] if prices else []
    return timing.Built(einc, folder / f"library{number}", paths, options.threads, flags=flags)


def prices(limits, built, names):
    """Prices of all functions, kernels' own among the candidates."""
    from tests.numeric import abi
    from tests.bench.ir_ops import BYTES

    def of(function, kind, name):
        def own(a, b, c):
            import ctypes

            count = limits.array_bytes // BYTES[kind]
            places = (a, b, c) if function in ("div", "pow", "atan2") else (a, c)
            kept = [abi.descriptor_words(address, 0, [count], [1]) for address in places]
            pointers = (ctypes.c_void_p * len(kept))(*(ctypes.addressof(k) for k in kept))
            keep.append((kept, pointers))
            return lambda runs: built.call(name, pointers, runs)

        keep = []
        return own

    for (function, kind), name in names.items():
        limits.price(function, kind, of(function, kind, name))


# ---- Right first ----


def check(d, built):
    """What is wrong with the library's results at small sizes, if anything is."""
    import numpy as np

    from tests.numeric import formulas

    name = d.kernel.name
    element, wide = formulas.default_types(name, d.path)
    for seed, sizes in ((1, [4, 6, 7, 9]), (2, [15, 16, 17])):
        call = formulas.Call(name, element, np.random.default_rng(seed), whole=seed == 1, sizes=sizes, wide=wide)
        if wrong := call.run_native(built.library):
            return wrong
    return None


def check_random(einc, folder):
    from tests.bench import random_specs

    return lambda d, built: random_specs.check(einc, d, built, folder)


# ---- Timing ----


def idlest_cpu():
    def busy():
        lines = [line.split() for line in pathlib.Path("/proc/stat").read_text().splitlines() if re.match(r"cpu\d", line)]
        return {int(l[0][3:]): sum(map(int, l[1:4])) for l in lines}

    before = busy()
    time.sleep(0.3)
    return min(os.sched_getaffinity(0), key=lambda cpu: busy().get(cpu, 0) - before.get(cpu, 0))


def case_at(d, level, size, limits):
    """A case with about these bytes, smaller where its arithmetic takes long; None where it is one of a level before."""
    from tests.bench import sizes, work

    while True:
        case = sizes.choose(d.kernel, size, d.fixed)
        done = work.measure(case, limits.vector_bytes)
        if max(work.seconds(done, limits, limits.level_of(case.footprint()))) <= LONGEST or size < 1 << 12:
            return case, done
        size //= 2


def cases_of(d, limits):
    """(level, Case, Work): one for each level that differs from those before."""
    found, last = [], 0
    for level, size in limits.levels.items():
        case, done = case_at(d, level, size, limits)
        if case.footprint() > 1.3 * last:
            found.append((level if case.footprint() > size / 3 else limits.level_of(case.footprint()), case, done))
            last = case.footprint()
    return found


def time_once(case, builts, options, cpu):
    """(samples of each library, share of the CPU, what ran): one pass."""
    from tests.bench import timing

    how = QUICK_SAMPLES if options.quick else SAMPLES
    return timing.apart(timing.time_case, builts, case, how["sample"], how["rounds"], seconds=60, cpu=cpu)


def entry_of(d, level, case, done, passes):
    """Of all passes, without its share. The fastest one counts, as for the limits: what else is on a machine only takes time, and
    CPUs that are shared are slower for seconds on end."""
    samples, share, explained = min(passes, key=lambda one: statistics.median(one[0][0]))
    ours = samples[0]
    entry = {"def": d.kernel.name, "file": d.path.name, "level": level, "sizes": case.text(), "footprint": case.footprint(),
             "bytes": done.bytes, "operations": done.operations, "seconds": statistics.median(ours), "spread": _spread(ours),
             "samples": [one[0][0] for one in passes], "cpu_share": share, "explained": explained}  # fmt: skip
    entry["noisy"] = entry["spread"] > NOISE or share < 1 - NOISE
    if len(samples) > 1:
        ratios = [b / a for one in passes for a, b in zip(*one[0])]
        others = min(statistics.median(one[0][1]) for one in passes)
        entry.update(ratio=statistics.median(ratios), ratio_spread=_spread(ratios), other_seconds=others)
    return entry


def measure(defs, builts, limits, options, cpu, begun, failures):
    """[(entry, work)], without shares: several passes over all defs, and the limits after each."""
    from tests.bench import timing

    cases = {}  # name of a def -> [(def, level, Case, Work, what passes found)]
    for number in range((QUICK_SAMPLES if options.quick else SAMPLES)["passes"]):
        if number and time.monotonic() - begun > LAST_PASS:
            break
        for d in defs:
            try:
                if number == 0:
                    cases[d.kernel.name] = [(d, *case, []) for case in cases_of(d, limits)]
                for _, _, case, _, passes in cases.get(d.kernel.name, []):
                    passes.append(time_once(case, builts, options, cpu))
            except Exception as error:  # whatever stops one def: it is said, and others go on
                what = "" if isinstance(error, timing.Failed) else f"{type(error).__name__}: "
                failures.append({"case": d.kernel.name, "reason": f"{what}{error}"})
                cases.pop(d.kernel.name, None)
        limits.again()
    return [(entry_of(*case), case[3]) for found in cases.values() for case in found]


def _spread(samples):
    if len(samples) < 4:
        return (max(samples) - min(samples)) / statistics.median(samples)
    low, _, high = statistics.quantiles(samples, n=4, method="inclusive")
    return (high - low) / statistics.median(samples)


def add_share(entry, done, limits):
    from tests.bench import work

    memory, arithmetic = work.seconds(done, limits, entry["level"])
    entry["bound"] = "memory" if memory >= arithmetic else "arithmetic"
    entry["memory_seconds"], entry["arithmetic_seconds"] = memory, arithmetic
    entry["share"] = max(memory, arithmetic) / entry["seconds"]
    if entry["share"] >= EXPLAINED:
        del entry["explained"]


# ---- A run ----


def run(options, folder, checked=None):
    """All that is found, as JSON has it."""
    from tests.bench import limits as limits_of, timing

    begun = time.monotonic()
    defs, failures = chosen(options, folder)
    if not defs:
        return {"entries": [], "failures": failures or [{"case": options.pattern, "reason": "no def has such a name"}]}
    names, text = prices_spec(defs)
    (folder / "prices.tc").write_text(text)
    say(f"building {len(defs)} defs" + (f" with {options.other} too" if options.other else ""))
    eincs = [options.einc, *([options.other] if options.other else [])]
    builts = [build(number, einc, folder, defs, names.values(), options) for number, einc in enumerate(eincs)]
    say(f"built in {sum(b.seconds for b in builts):.0f} s; checking")
    good, checks = [], checked or (check_random(options.einc, folder) if options.random else check)
    for d in defs:
        try:
            wrong = timing.apart(checks, d, builts[0])
        except timing.Failed as error:
            wrong = str(error)
        if wrong:
            failures.append({"case": d.kernel.name, "reason": f"another result: {wrong}"})
        else:
            good.append(d)
    cpu = idlest_cpu() if options.threads == 1 else None
    before = os.sched_getaffinity(0)
    if cpu is not None:
        os.sched_setaffinity(0, {cpu})
    levels = dict((n, int(b)) for n, b in (l.split("=") for l in options.levels.split(","))) if options.levels else limits_of.levels(options.quick)
    limits = limits_of.Limits(folder, levels, options.threads, rounds=3 if options.quick else 7)
    prices(limits, builts[0], names)
    say(f"timing {len(good)} defs; {limits_of.cpu()}")
    found = measure(good, builts, limits, options, cpu, begun, failures)
    os.sched_setaffinity(0, before)
    for entry, done in found:
        add_share(entry, done, limits)
    entries = sorted((entry for entry, _ in found), key=lambda e: e["share"])
    return {"suite": "specs", "quick": options.quick, "threads": options.threads, "cpu": limits_of.cpu(), "defs": len(defs),
            "seconds": time.monotonic() - begun, "limits": limits.as_json(), "entries": entries, "failures": failures}  # fmt: skip


def say(text):
    print(text, flush=True)


def report(found, options):
    from tests.bench import specs_report

    entries, failures = found["entries"], found["failures"]
    if entries:
        for entry in entries[: options.worst]:
            say(specs_report.line(entry))
        say("\n".join(["", "shares of the roofline:", *specs_report.histogram([e["share"] for e in entries]), ""]))
        say(limits_text(found["limits"]))
        found["figures"] = specs_report.figures(entries, specs_report.RANDOM_FIGURES if options.random else specs_report.FIGURES)
        for figure in found["figures"]:
            say(specs_report.figure_line(figure, len(entries)))
        noisy = sum(e["noisy"] for e in entries)
        if noisy:
            say(f"{noisy} of {len(entries)} cases are noisy (a spread above {NOISE:.0%}, or a CPU shared)")
        if options.other:
            say("\n".join(["", "our speed over the other's, where they differ:", *specs_report.compared_lines(entries)]))
        say(f"{found['defs']} defs, {len(entries)} cases in {found['seconds']:.0f} s on {found['cpu']}, threads: {found['threads']}")
    for failure in failures:
        say(f"NOT MEASURED {failure['case']}: {failure['reason']}")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(found, indent=1) + "\n")
    if options.svg and entries:
        pathlib.Path(options.svg).write_text(specs_report.picture(entries, f"{len(entries)} cases on {found['cpu']}, threads: {found['threads']}"))


def limits_text(limits):
    lines = []
    for level, rates in limits["seconds_per_byte"].items():
        lines.append(f"{level} ({limits['levels'][level] / 2**20:g} MiB), GB/s: " + ", ".join(f"{what} {1e-9 / s:.0f}" for what, s in rates.items()))
    lines.append(f"multiply-adds: {limits['instructions_per_second'] / 1e9:.2f} 10^9 vectors of {limits['vector_bytes']} bytes a second; "
                 f"additions of integers: {limits['simple_instructions_per_second'] / 1e9:.2f}")
    lines.append("functions, ns an element: " + ", ".join(f"{what} {p['nanoseconds']:.2f} ({p['of']})" for what, p in limits["prices"].items()))
    return "\n".join(lines)


def main(argv):
    options = parse(argv)
    os.environ["EINC"] = options.einc
    if not pathlib.Path(options.einc).exists():
        print(f"tools/bench: {options.einc} is not there: bazel build //tools:einc, or give --einc", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="einc-bench-") as folder:
        from tests.bench import timing

        try:
            found = run(options, pathlib.Path(folder))
        except (timing.Failed, subprocess.CalledProcessError) as error:
            print(f"tools/bench: {error}", file=sys.stderr)
            return 1
    report(found, options)
    return 1 if found["failures"] or not found["entries"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
