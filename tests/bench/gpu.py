# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Benchmarks of a GPU: `einc bench --engine=vulkan`, and PyTorch with CUDA where it is, in turn; ends with the
figures beside those to reach.

The cases and figures are data: gpu.json, in the form of suites/*.json (see suite.py) with two keys more. `torch` of a
case: what PyTorch runs beside it, as [name of the row, op of gpu_torch.py, type]. `group` of a figure: how the names
of its cases begin. Convolutions are those of suites/conv.json.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys

import suite

HERE = pathlib.Path(__file__).resolve().parent
FULL = {"turns": 3, "rounds": 5, "sample": 0.05}
SMALL = {"turns": 1, "rounds": 2, "sample": 0.001}


def load():
    data = json.loads((HERE / "gpu.json").read_text())
    for case in suite.load("conv")["cases"]:
        beside = [["torch", "conv2d", "f32"], ["torch-tf32", "conv2d", "tf32"]]
        # The smallest of those that the suite has.
        data["cases"].append({**case, "name": "conv " + case["name"], "quick": {"rows": [18]}, "torch": beside})
    return data


def cases(data, small):
    """(name, command line, what PyTorch runs beside it)"""
    for case in data["cases"]:
        for name, args, filling in suite.cases({"cases": [case]}, small):
            beside = [(row, op.format(**filling), kind, filling) for row, op, kind in case["torch"]]
            yield name, args, beside


# ---- Turns ----


class Torch:
    """PyTorch in a process of its own."""

    def __init__(self, python):
        self.process, said = None, {"missing": "not asked for"}
        if python:
            self.process = subprocess.Popen([python, str(HERE / "gpu_torch.py")], stdin=subprocess.PIPE,
                                            stdout=subprocess.PIPE, text=True)  # fmt: skip
            said = self.answer()
        self.what, self.missing = said, said.get("missing")

    def answer(self):
        line = self.process.stdout.readline()
        return json.loads(line) if line else {"missing": "PyTorch's process has ended", "failed": "it has ended"}

    def turn(self, op, kind, sizes, options):
        try:
            self.process.stdin.write(json.dumps({"op": op, "type": kind, "sizes": sizes, **options}) + "\n")
            self.process.stdin.flush()
        except OSError:
            return {"failed": "PyTorch's process has ended"}
        return self.answer()

    def close(self):
        if self.process:
            self.process.stdin.close()
            self.process.wait()


def measure(einc, args, beside, torch, options):
    """The turns of one case, everyone in each; what einc says of the median one, with PyTorch's rows in it."""
    flags = ["--engine=vulkan", f"--rounds={options['rounds']}", f"--sample={options['sample']}", *options["device"]]
    taken, theirs, failed = [], {row: [] for row, *_ in beside}, {}
    for _ in range(options["turns"]):
        result, wrong = suite.bench(einc, args, flags)
        if wrong:
            return None, wrong
        taken.append(result)
        for row, op, kind, sizes in beside if not torch.missing else []:
            said = torch.turn(op, kind, sizes, {"rounds": options["rounds"], "sample": options["sample"]})
            if "failed" in said:
                failed[row] = said["failed"]
            else:
                theirs[row].append(statistics.median(said["seconds"]))
    ours = [suite.contestant(result, "einc")["median_seconds"] for result in taken]
    chosen = taken[ours.index(sorted(ours)[len(ours) // 2])]
    for row, seconds in theirs.items():
        entry = {"name": row, "standing": "not installed" if torch.missing else "failed"}
        if row in failed or torch.missing:
            entry["reason"] = failed.get(row) or torch.missing
        elif seconds:
            median, ratios = statistics.median(seconds), [them / us for them, us in zip(seconds, ours)]
            entry = {"name": row, "standing": "timed", "median_seconds": median, "samples": seconds,
                     "spread": (max(seconds) - min(seconds)) / median, "ratio": statistics.median(ratios)}
        chosen["contestants"].append(entry)
    return chosen, None


# ---- What is printed ----


def seconds_text(seconds):
    scale, unit = next(((s, u) for s, u in [(1e6, "us"), (1e3, "ms")] if seconds * s < 1000), (1, "s "))
    return f"{seconds * scale:7.2f} {unit}"


def case_line(result):
    einc = suite.contestant(result, "einc")
    text = (f"{seconds_text(einc['median_seconds'])} {einc['flops'] / 1e9:10.1f} {einc['bytes_per_second'] / 1e9:8.1f}"
            f" {einc['of_peak']:8.2f} {einc['of_copy']:8.2f} {100 * einc['spread']:7.1f}%  {einc['bound_by']:10}")
    for other in result["contestants"][1:]:
        if other["standing"] == "timed":
            text += f"  {other['ratio']:5.2f} x {other['name']} ({seconds_text(other['median_seconds']).strip()})"
        elif other["standing"] == "failed":
            text += f"  {other['name']} failed: {other['reason']}"
    return text


HEADER = f"  {'':34} {'time':>10} {'GFLOP/s':>10} {'GB/s':>8} {'of arith':>8} {'of copy':>8} {'spread':>8}  {'bound by':10}"


def device_line(result):
    device, peak = result["machine"]["device"], result["peak"]
    return (f"{device['name']} ({device['kind']}, Vulkan {device['api']}), einc {result['einc_version']}: "
            f"{peak['copy_bytes_per_second'] / 1e9:.1f} GB/s of copies, {peak['flops'] / 1e9:.1f} GFLOP/s ({peak['element_type']})")


def conclude(data, results, failures):
    lines, entries = [], []
    for figure in data["figures"]:
        group = figure["group"]
        own = [entry for entry in results if entry[0].startswith(group)]
        said, found = suite.conclude({"figures": [figure]}, own, [f for f in failures if f["case"].startswith(group)])
        lines += said
        entries += found
    return lines, entries


def note_torch(torch, results):
    """A line on what PyTorch is here."""
    if torch.missing:
        return f"beside PyTorch: nothing, {torch.missing}"
    text = f"beside PyTorch {torch.what['version']} with CUDA {torch.what['cuda']} on {torch.what['device']}"
    ours = {result["machine"]["device"]["name"] for _, result, _ in results}
    if any(torch.what["device"] not in name and name not in torch.what["device"] for name in ours):
        text += f"; NOT THE SAME DEVICE: einc ran on {', '.join(sorted(ours))}"
    return text


# ---- Running ----


def run(data, torch, options):
    results, failures = [], []
    print(f"{data['name']}: {data['what']}\n{HEADER}", flush=True)
    for name, args, beside in cases(data, options["small"]):
        if options["only"] not in name:
            continue
        result, wrong = measure(options["einc"], args, beside, torch, options)
        if wrong:
            failures.append({"case": name, "reason": wrong})
            print(f"  {name:34} FAILED: {wrong}", flush=True)
            continue
        results.append((name, result, {}))
        print(f"  {name:34} {case_line(result)}", flush=True)
    lines, entries = conclude(data, results, failures)
    print("\n".join(([device_line(results[-1][1])] if results else []) + [note_torch(torch, results)] + lines + suite.noisy(results)
                    + ([f"{len(failures)} cases failed"] if failures else [])))  # fmt: skip
    if options["json"]:
        whole = {"suite": data["name"], "small": options["small"], "torch": torch.what, "figures": entries, "failures": failures,
                 "cases": [{"case": name, "result": result} for name, result, _ in results]}
        pathlib.Path(options["json"]).write_text(json.dumps(whole, indent=2) + "\n")
    return 1 if failures or not results else 0


def main(argv):
    parser = argparse.ArgumentParser(prog="tools/bench_gpu", description="Benchmarks of a GPU, and their figures.")
    parser.add_argument("--small", action="store_true", help="small sizes, short samples: does it work?")
    parser.add_argument("--turns", type=int, metavar="N", help="of each contestant; 3 by default, and seconds each")
    parser.add_argument("--only", default="", metavar="TEXT", help="only cases with this in their names")
    parser.add_argument("--device", metavar="NAME", help="as of einc bench: a number, or a part of a name")
    parser.add_argument("--json", metavar="FILE", help="all figures, for machines")
    parser.add_argument("--python", default=sys.executable, metavar="PATH", help="the one that has PyTorch; '' for none")
    parser.add_argument("--einc", default=str(suite.ROOT / "bazel-bin/tools/einc"), metavar="PATH")
    given = parser.parse_args(argv)
    if not pathlib.Path(given.einc).exists():
        print(f"tools/bench_gpu: {given.einc} is not there: bazel build //tools:einc, or give --einc", file=sys.stderr)
        return 1
    if given.turns is not None and given.turns < 1:
        parser.error(f"--turns {given.turns}: expected 1 or more")
    options = {**vars(given), **(SMALL if given.small else FULL), "device": [f"--device={given.device}"] if given.device else []}
    if given.turns:
        options["turns"] = given.turns
    torch = Torch(given.python)
    try:
        return run(load(), torch, options)
    finally:
        torch.close()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
