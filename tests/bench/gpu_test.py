# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""The benchmarks of a GPU on a software device, with small sizes: they run, alone and beside a fake PyTorch."""

import contextlib
import functools
import io
import json
import os
import pathlib
import sys

import gpu
import suite

from tests.numeric import compilers, einc_tool

HERE = pathlib.Path(__file__).resolve().parent


@functools.lru_cache(None)
def einc():
    """einc, but that what it compiles is compiled as in other tests."""
    path = einc_tool.scratch() / "einc"
    path.write_text(f'#!/bin/sh\nexec "{einc_tool.EINC}" "$@" --cc={compilers.quick()}\n')
    path.chmod(0o755)
    return str(path)


def run(*args, torch=False):
    """The exit code, what was printed, and the JSON."""
    path = einc_tool.scratch() / "gpu.json"
    if torch:
        os.environ["PYTHONPATH"] = str(HERE / "fake_torch")
    said = io.StringIO()
    try:
        with contextlib.redirect_stdout(said):
            code = gpu.main(["--small", "--einc", einc(), "--json", str(path), *args])
    finally:
        os.environ.pop("PYTHONPATH", None)
    return code, said.getvalue(), json.loads(path.read_text()) if path.exists() else None


def well_formed():
    data = gpu.load()
    groups = [figure["group"] for figure in data["figures"]]
    names = [name for name, _, _ in gpu.cases(data, False)]
    assert len(set(names)) == len(names), names
    for figure in data["figures"]:
        assert figure["measure"] in suite.MEASURES and figure["take"] in suite.TAKES and figure["reach"] > 0, figure
    assert all(any(name.startswith(group) for name in names) for group in groups), (groups, names)
    assert sum(name.startswith("conv ") for name in names) == 20, names
    small = list(gpu.cases(data, True))
    assert len(small) < len(names) and all(beside for _, _, beside in small), small


def without_torch():
    code, text, whole = run("--only", "copy", "--python", "")
    assert code == 0 and "beside PyTorch: nothing, not asked for" in text, text
    assert whole["cases"] and not whole["failures"], whole
    for case in whole["cases"]:
        assert all(other["standing"] == "not installed" for other in case["result"]["contestants"][1:]), case
    assert [figure["value"] for figure in whole["figures"][:2]] == [None, None], whole["figures"]


def beside_a_fake_torch():
    code, text, whole = run("--python", sys.executable, torch=True)
    assert code == 0 and "beside PyTorch 0.0-fake" in text and "NOT THE SAME DEVICE" in text, text
    assert "x torch (1.00 ms)" in text and "torch-tf32 failed: this fake has no TF32" in text, text
    assert not whole["failures"] and len(whole["cases"]) == len(list(gpu.cases(gpu.load(), True))), whole["failures"]
    for case in whole["cases"]:
        einc, *others = case["result"]["contestants"]
        assert einc["matches"] is True and einc["of_copy"] >= 0, case
        assert others[0]["standing"] == "timed" and others[0]["ratio"] > 0, case
    (conv,) = [case for case in whole["cases"] if case["case"].startswith("conv")]
    assert [other["standing"] for other in conv["result"]["contestants"]] == ["timed"] * 3, conv
    memory = whole["figures"][2]
    assert memory["cases"] == 7 and memory["reached"] is not None, memory


def failures_are_shown():
    code, text, whole = run("--only", "copy", "--device", "no-such", "--python", "")
    assert code == 1 and "FAILED: error: --device=no-such" in text and "1 cases failed" in text, text
    assert len(whole["failures"]) == 1, whole
    said = io.StringIO()
    with contextlib.redirect_stderr(said):
        assert gpu.main(["--einc", "/none"]) == 1
    assert "bazel build //tools:einc" in said.getvalue()


def main():
    cases = einc_tool.Cases()
    for function in (well_formed, without_torch, beside_a_fake_torch, failures_are_shown):
        cases.run(function.__name__, function)
    cases.finish()


if __name__ == "__main__":
    main()
