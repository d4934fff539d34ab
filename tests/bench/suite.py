# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Runs a benchmark suite (suites/*.json) through `einc bench`, and ends with its figures beside those to reach.

A suite is data: `cases` are command lines with {holes}, filled from `for` (all combinations) or `columns` and
`rows`; `quick` restricts both. `figures` say what is taken of the cases, and what is to be reached.
"""

import argparse
import itertools
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
MEASURES = {"of_peak", "of_copy", "of_memory", "ratio", "speedup", "seconds", "memory", "of_target", "of_workspace"}
TAKES = {"worst", "geomean", "most"}
# Suites that are no data: what they are.
EXTRA = {"specs": "every def of specs/, or specs at random, against its own roofline (--help says more)", "all": "all of these, one after the other"}
NOISE = 0.1  # a spread beyond which a case is named as noisy
QUICK = ["--rounds=3", "--sample=0.005"]


def names():
    return sorted(path.stem for path in (HERE / "suites").glob("*.json"))


def load(name):
    return json.loads((HERE / "suites" / f"{name}.json").read_text())


def cases(suite, quick):
    """(name, command line, what filled the holes) of each case."""
    return (whole[1:] for whole in whole_cases(suite, quick))


def whole_cases(suite, quick):
    """The same, behind the entry that each is made from."""
    for case in suite["cases"]:
        short = case.get("quick", {}) if quick else {}
        if "for" in case:
            values = {key: short.get(key, all_of_it) for key, all_of_it in case["for"].items()}
            fillings = [dict(zip(values, chosen)) for chosen in itertools.product(*values.values())]
        else:
            rows = [case["rows"][i] for i in short["rows"]] if "rows" in short else case["rows"]
            fillings = [dict(zip(case["columns"], row)) for row in rows]
        for filling in fillings:
            yield case, case["name"].format(**filling), arguments(case["args"], filling), filling


def arguments(args, filling):
    """The holes filled; `--dims a=1,b=2` stands for a --dim each."""
    filled = [arg.format(**filling) for arg in args]
    if "--dims" in filled:
        at = filled.index("--dims")
        filled[at : at + 2] = [x for dim in filled[at + 1].split(",") for x in ("--dim", dim)]
    return filled


# ---- Running ----


def bench(einc, args, options):
    """What `einc bench --json` says of a case, and what went wrong, if anything did."""
    with tempfile.TemporaryDirectory(prefix="einc-bench-") as folder:
        path = pathlib.Path(folder) / "figures.json"
        command = [einc, "bench", *args, *options, "--json", str(path)]
        run = subprocess.run(command, capture_output=True, text=True, errors="replace")
        said = run.stderr.strip()
        wrong = (said[max(said.find("error"), 0) :] or f"exit code {run.returncode}") if run.returncode else None
        return (json.loads(path.read_text()) if path.exists() else None), wrong


def emit(einc, args, quick):
    """Seconds (median of several runs) and bytes (most) of `einc emit --stage=c`."""
    seconds, memory = [], []
    for _ in range(3 if quick else 9):
        start = time.monotonic()
        child = subprocess.Popen([einc, "emit", "--stage=c", *args, "-o", os.devnull], stderr=subprocess.PIPE)
        said = child.stderr.read()
        _, status, usage = os.wait4(child.pid, 0)
        seconds.append(time.monotonic() - start)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            return None, said.decode(errors="replace").strip()
        memory.append(usage.ru_maxrss * 1024)
    return {"seconds": statistics.median(seconds), "memory": max(memory)}, None


def fusion():
    """Only then: it needs NumPy."""
    if str(ROOT) not in sys.path:
        sys.path.insert(0, str(ROOT))
    from tests.bench import fusion

    return fusion


# ---- Figures ----


def contestant(result, name):
    return next((c for c in result["contestants"] if c["name"] == name and c["standing"] == "timed"), None)


def best_ratio(result, against):
    """How many times as fast as the fastest of these; None if none of them was timed."""
    ratios = [c["ratio"] for name in against if (c := contestant(result, name)) and c.get("ratio")]
    return min(ratios) if ratios else None


def applies(figure, result, filling):
    for key, (low, high) in figure.get("when", {}).items():
        value = filling.get(key)
        if value is None or (low is not None and value < low) or (high is not None and value > high):
            return False
    if figure.get("bound") == "compute":
        einc = contestant(result, "einc")
        return einc["of_peak"] > einc["of_copy"]
    return True


def speedups(figure, results):
    """Of cases that differ in `of` alone: the first one's time over the last one's."""
    groups = {}
    for name, result, filling in results:
        key = tuple((k, v) for k, v in filling.items() if k != figure["of"])
        groups.setdefault(key, []).append((filling[figure["of"]], name, result))
    for group in groups.values():
        group.sort(key=lambda entry: entry[0])
        if len(group) > 1:
            seconds = [contestant(entry[2], "einc")["median_seconds"] for entry in group]
            yield group[-1][1], seconds[0] / seconds[-1]


def values(figure, results):
    """(case, value) where the figure says something."""
    measure = figure["measure"]
    if measure == "speedup":
        return list(speedups(figure, results))
    found = []
    for name, result, filling in results:
        if measure in ("seconds", "memory"):
            found.append((name, result[measure]))
        elif measure in ("of_target", "of_workspace"):
            if result["group"] == figure["group"] and result[measure] is not None:
                found.append((name, result[measure]))
        elif applies(figure, result, filling):
            value = best_ratio(result, figure["against"]) if measure == "ratio" else contestant(result, "einc")[measure]
            if value is not None:
                found.append((name, value))
    return found


def take(figure, found):
    """The figure, and whether it is reached."""
    numbers = [value for _, value in found]
    if figure["take"] == "most":
        return max(numbers), max(numbers) <= figure["reach"]
    if figure["take"] == "geomean":
        value = math.exp(statistics.fmean(math.log(max(n, 1e-12)) for n in numbers))
    else:
        value = min(numbers)
    return value, value >= figure["reach"]


def conclude(suite, results, failures):
    """The lines that end a run, and the same for machines."""
    lines, entries = [], []
    for figure in suite["figures"]:
        found = values(figure, results)
        against = f" ({', '.join(figure['against'])})" if "against" in figure else ""
        title = f"{figure['take']}, {figure['what']}{against}"
        entry = {"figure": title, "reach": figure["reach"], "cases": len(found)}
        if not found:
            lines.append(f"{title}: nothing measured; to reach {figure['reach']:g}: NOT SHOWN")
            entries.append({**entry, "value": None, "reached": None})
            continue
        value, reached = take(figure, found)
        extreme = (max if figure["take"] == "most" else min)(found, key=lambda entry: entry[1])
        # Where a case failed, the figure says nothing about the suite.
        verdict = "NOT SHOWN, as cases failed" if failures else "reached" if reached else "NOT REACHED"
        lines.append(f"{title}: {value:.3g} of {len(found)} cases (worst: {extreme[0]}, {extreme[1]:.3g}); "
                     f"to reach {figure['reach']:g}: {verdict}")
        entries.append({**entry, "value": value, "reached": None if failures else reached,
                        "worst_case": extreme[0], "worst_value": extreme[1]})
    return lines, entries


def case_line(result):
    if "line" in result:
        return result["line"]
    if "seconds" in result:
        return f"{result['seconds'] * 1e3:8.1f} ms {result['memory'] / 1e6:8.1f} MB"
    einc = contestant(result, "einc")
    seconds = einc["median_seconds"]
    timed = [c for c in result["contestants"] if c["standing"] == "timed" and c.get("ratio")]
    rival = min(timed, key=lambda c: c["ratio"], default=None)
    beside = f"  {rival['ratio']:5.2f} x {rival['name']}" if rival else ""
    return (f"{result['work']['operations'] / seconds / 1e9:8.1f} GFLOP/s {result['work']['bytes'] / seconds / 1e9:7.1f} GB/s"
            f"  peak {einc['of_peak']:4.2f}  copy {einc['of_copy']:5.2f} memory {einc['of_memory']:5.2f}  +-{100 * einc['spread']:4.1f}%{beside}")


def noisy(results):
    """The line that says which cases not to believe; empty if there are none."""
    found = []
    for name, result, _ in results:
        spreads = [c["spread"] for c in result.get("contestants", []) if c["standing"] == "timed"]
        if spreads and (max(spreads) > NOISE or result.get("cpu_share", 1) < 1 - NOISE):
            found.append(name)
    return [f"{len(found)} of {len(results)} cases are noisy (a spread above {NOISE:.0%}, or a CPU shared): {', '.join(found[:5])}"
            + (", ..." if len(found) > 5 else "")] if found else []  # fmt: skip


def has_flag(einc, flag):
    helped = subprocess.run([einc, "bench", "--help"], capture_output=True, text=True)
    return flag in helped.stdout


def run(suite, einc, options):
    print(f"{suite['name']}: {suite['what']}", flush=True)
    if "needs" in suite and not has_flag(einc, suite["needs"]):
        print(f"not measured: this einc bench has no {suite['needs']}")
        return 1
    results, failures = [], []
    for case, name, args, filling in whole_cases(suite, options.quick):
        if suite.get("runs") == "emit":
            result, wrong = emit(einc, args, options.quick)
        elif suite.get("runs") == "fusion":
            result, wrong = fusion().measure(einc, case, args, filling, options.quick)
        else:
            extra = [f"--adapters={options.adapters}"] if options.adapters else []
            result, wrong = bench(einc, args, extra + (QUICK if options.quick else []))
        if wrong or not result:
            failures.append({"case": name, "reason": wrong or "no figures"})
            print(f"  {name:32} FAILED: {(wrong or 'no figures').splitlines()[0]}", flush=True)
            continue
        results.append((name, result, filling))
        print(f"  {name:32} {case_line(result)}", flush=True)
    lines, entries = conclude(suite, results, failures)
    if results and "machine" in results[0][1]:
        machine = results[0][1]["machine"]
        print(f"{machine['cpu']}; {machine['compiler']}; target {machine['target']}")
    print("\n".join(lines + noisy(results) + ([f"{len(failures)} cases failed"] if failures else [])))
    if options.json:
        whole = {"suite": suite["name"], "quick": options.quick, "figures": entries, "failures": failures,
                 "cases": [{"case": name, "result": result} for name, result, _ in results]}
        pathlib.Path(options.json).write_text(json.dumps(whole, indent=2) + "\n")
    return 1 if failures else 0


def run_all(options):
    """Each suite, then the specs; `--json` is a folder then."""
    folder = pathlib.Path(options.json) if options.json else None
    if folder:
        folder.mkdir(parents=True, exist_ok=True)
    failed = []
    for name in names():
        one = argparse.Namespace(**{**vars(options), "json": folder and folder / f"{name}.json"})
        if run(load(name), options.einc, one):
            failed.append(name)
        print(flush=True)
    command = [sys.executable, "-m", "tests.bench.specs", f"--einc={options.einc}"] + (["--quick"] if options.quick else [])
    command += [f"--json={folder}/specs.json", f"--svg={folder}/specs.svg"] if folder else []
    if subprocess.run(command, cwd=ROOT).returncode:
        failed.append("specs")
    print(f"cases failed in {', '.join(failed)}" if failed else "all suites have run")
    return 1 if failed else 0


def main(argv):
    parser = argparse.ArgumentParser(prog="tools/bench", description="One suite of benchmarks, and its figures.")
    parser.add_argument("suite", nargs="?")
    parser.add_argument("--list", action="store_true", help="what suites there are")
    parser.add_argument("--quick", action="store_true", help="few cases, short samples: does it work?")
    parser.add_argument("--json", metavar="FILE", help="all figures, for machines; of `all` a folder")
    parser.add_argument("--einc", default=str(ROOT / "bazel-bin/tools/einc"), help=argparse.SUPPRESS)
    parser.add_argument("--adapters", help=argparse.SUPPRESS)
    options = parser.parse_args(argv)
    if options.list:
        for name in names():
            print(f"{name:14} {load(name)['what']}")
        for name, what in EXTRA.items():
            print(f"{name:14} {what}")
        return 0
    if options.suite == "all":
        return run_all(options)
    if options.suite not in names():
        what = f"unknown suite '{options.suite}'" if options.suite else "which suite?"
        print(f"tools/bench: {what} there are {', '.join([*names(), *EXTRA])}", file=sys.stderr)
        return 2
    return run(load(options.suite), options.einc, options)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
