# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""`einc bench --engine=vulkan` on a software device: its table and JSON, and what it refuses. Times are not looked at."""

import json
import os

from tests.numeric import einc_tool

MATMUL = [str(einc_tool.find("specs/matmul.tc")), "--def", "matmul"]
SIZES = ["--dim", "M=8", "--dim", "N=9", "--dim", "K=10"]
SHORT = ["--engine=vulkan", "--rounds=2", "--sample=0.001"]


def bench(*args, **environment):
    return einc_tool.run("bench", *args, env={**os.environ, "EINC_VK_VALIDATION": "1", **environment})


def figures(*args):
    """The JSON of a short run."""
    return json.loads(einc_tool.must(bench(*args, *SHORT, "--json", "-")).stdout)


def two_forms():
    path = einc_tool.scratch() / "b.json"
    run = einc_tool.must(bench(*MATMUL, *SIZES, *SHORT, "--json", path))
    for column in ("median", "spread", "GFLOP/s", "GB/s", "of arithmetic", "of copy", "bound by"):
        assert column in run.stdout, run.stdout
    for line in ("device:", "limits:", "runs: matmul_grid", "roofline of this run", "2 rounds in turn", "the interpreter's"):
        assert line in run.stdout, run.stdout

    said = json.loads(path.read_text())
    assert said["einc_bench"] == 1 and said["engine"] == "vulkan" and said["einc_version"], said
    assert said["kernel"] == "matmul" and said["dims"] == {"M": 8, "N": 9, "K": 10}, said
    device = said["machine"]["device"]
    assert device["name"] and device["kind"] in ("software", "integrated", "discrete", "virtual", "other"), device
    assert device["api"].startswith("1.") and isinstance(device["timestamps"], bool), device
    assert device["limits"]["invocations"] >= 128 and device["limits"]["memory_bytes"] > 0, device
    assert said["work"]["operations"] == 2 * 8 * 9 * 10
    assert said["work"]["bytes"] == 4 * (8 * 10 + 10 * 9 + 2 * 8 * 9)
    peak = said["peak"]
    assert peak["flops"] > 0 and peak["copy_bytes_per_second"] > 0 and peak["element_type"] == "f32", peak
    (einc,) = said["contestants"]
    assert einc["name"] == "einc" and einc["standing"] == "timed" and einc["matches"] is True, einc
    assert einc["bound_by"] in ("memory", "arithmetic") and einc["of_peak"] > 0 and einc["of_copy"] > 0, einc
    for samples in (einc, peak["copies"], peak["arithmetic"]):  # everyone has a turn in each round
        assert len(samples["samples"]) == 2 and samples["least_seconds"] <= samples["median_seconds"] <= samples["most_seconds"]


def dispatches_are_named():
    """By shader, in order, with their workgroups."""
    (tiles,) = figures(*MATMUL, "--dim", "M=128", "--dim", "N=64", "--dim", "K=32")["dispatches"]
    assert tiles.startswith("matmul_tiles ") and tiles.endswith(" workgroups)"), tiles
    sums = figures(einc_tool.find("specs/reductions.tc"), "--def", "sum_all", "--dim", "M=300", "--dim", "N=300")["dispatches"]
    shaders = [text.split()[0] for text in sums]
    assert len(shaders) > 1 and shaders == sorted(set(shaders)), sums


def arithmetic_has_the_type_of_the_result():
    for element, wide, expected in (("f64", "f64", "f64"), ("f16", "f32", "f32"), ("i32", "i32", "i32")):
        said = figures(*MATMUL, *SIZES, "--type", f"T={element}", "--type", f"U={wide}")
        assert said["peak"]["element_type"] == expected, (element, said["peak"])


def long_runs_are_compared_with_the_cpu():
    said = figures(*MATMUL, "--dim", "M=70", "--dim", "N=71", "--dim", "K=72")
    assert said["results"].endswith("for the CPU, which must be equal"), said["results"]
    softmax = [str(einc_tool.find("specs/softmax.tc")), "--def", "softmax", "--dim", "M=300", "--dim", "N=600"]
    said = figures(*softmax)
    assert said["results"].endswith("equal but for rounding"), said["results"]


def another_result_is_an_error():
    for size, judge in (("8", "the interpreter's"), ("90", "for the CPU")):
        path = einc_tool.scratch() / "b.json"
        dims = [x for name in "MNK" for x in ("--dim", f"{name}={size}")]
        run = bench(*MATMUL, *dims, *SHORT, "--plant=drop-last", "--json", path)
        assert run.returncode == 1 and "results differ" in run.stderr and judge in run.stderr, (run.returncode, run.stderr)
        assert not run.stdout and not path.exists(), run.stdout


def no_driver():
    run = bench(*MATMUL, *SIZES, *SHORT, VK_ICD_FILENAMES="/none", VK_DRIVER_FILES="/none")
    assert run.returncode == 1 and "no Vulkan driver" in run.stderr, (run.returncode, run.stderr)


def refused(code, part, *args):
    run = bench(*MATMUL, *SIZES, *args)
    assert run.returncode == code and part in run.stderr and not run.stdout, (run.returncode, run.stderr)


def main():
    cases = einc_tool.Cases()
    for function in (two_forms, dispatches_are_named, arithmetic_has_the_type_of_the_result,
                     long_runs_are_compared_with_the_cpu, another_result_is_an_error, no_driver):  # fmt: skip
        cases.run(function.__name__, function)
    vulkan = "--engine=vulkan"
    for code, part, args in [
        (2, "--engine=vulcan: there are native, vulkan (did you mean 'vulkan'?)", ["--engine=vulcan"]),
        (2, "--engine=reference: there are native, vulkan", ["--engine=reference"]),
        (2, "--device=0 is for --engine=vulkan", ["--device=0"]),
        (2, "--target=vulkan is a device's: give --engine=vulkan", ["--target=vulkan"]),
        (2, "--engine=vulkan with --target=x86-64-v3: that is no device", [vulkan, "--target=x86-64-v3"]),
        (2, "--lib=cblas with --engine=vulkan: these libraries run on CPUs", [vulkan, "--lib=cblas"]),
        (2, "--against with --engine=vulkan: these libraries run on CPUs", [vulkan, "--against=openblas"]),
        (2, "--threads with --engine=vulkan", [vulkan, "--threads=2"]),
        (2, "--svg with --engine=vulkan", [vulkan, "--svg", "b.svg"]),
        (2, "--adapters with --engine=vulkan", [vulkan, "--adapters", "there"]),
        (1, "--device=no-such: there is no such device", [vulkan, "--device=no-such"]),
    ]:
        cases.run(f"refused: {part}", refused, code, part, *args)
    cases.finish()


if __name__ == "__main__":
    main()
