# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""The suite `fusion`: its data fits together, statements are taken apart as they should be, and a wrong rival is found out."""

import ctypes
import pathlib
import re
import string
import subprocess
import tempfile

import numpy as np

from tests.bench import fusion, suite
from tests.numeric import einc_tool

RATES = {"peak", "exp", "copy", "read"}


def data_fits():
    data = suite.load("fusion")
    groups = {case["group"] for case in data["cases"]}
    assert {f["group"] for f in data["figures"] if f["measure"] == "of_target"} == groups
    assert all(f["group"] in groups for f in data["figures"])
    for case in data["cases"]:
        known = set(case["for"] if "for" in case else case["columns"])
        texts = [case["target"], *case.get("bytes", {}).values(), *(t for call in case.get("rivals", {}).values() for t in call),
                 *(a for args in case.get("beside", {}).values() for a in args)]  # fmt: skip
        used = {name for text in texts for _, name, _, _ in string.Formatter().parse(text) if name}
        assert used <= known, (case["name"], used - known)
        named = fusion.names_in(case["target"]) - {"min", "max"} - known
        assert named <= RATES | {"libraries", "parts"} | set(case.get("beside", {})), named
        assert named & {"copy", "read"} == set(case.get("bytes", {})), named
        for file, call in case.get("rivals", {}).values():
            source = einc_tool.find(f"tests/bench/rivals/{file}").read_text()
            assert re.search(rf"^void {call.split('(')[0]}\(", source, re.MULTILINE), call


def small(name, **holes):
    """A case's kernel, at small sizes."""
    case = next(c for c in suite.load("fusion")["cases"] if c["name"].startswith(name))
    args = suite.arguments(case["args"], holes)
    return case, [str(einc_tool.find(a)) if a.endswith(".tc") else a for a in args]


def statements_are_apart():
    _, args = small("attention", L=16)
    kernel = fusion.emitted(einc_tool.EINC, args)
    assert kernel.parameters == ["Q", "K", "V", "O"], kernel.parameters
    parts = kernel.parts()
    assert [p.outputs for p in parts] == [["S"], ["X"], ["Largest"], ["P"], ["Total"], ["U"], ["O"]], [p.outputs for p in parts]
    assert sorted(parts[0].inputs) == ["K", "Q"] and sorted(parts[5].inputs) == ["P", "V"]
    assert parts[0].statements()[0].count("outs(") == 2  # what clears, and what adds
    path = einc_tool.scratch() / "parts.eir"
    path.write_text("eir 1\n\n" + "\n".join(p.renamed(p.name) for p in parts))
    einc_tool.must(einc_tool.run("check", path))


def found(seconds, units=(), standing=(), workspace=0):
    return {"seconds": {n: (s, 0.01) for n, s in seconds.items()}, "units": dict(units), "standing": dict(standing), "workspace": workspace}


def targets_are_taken():
    case = {"group": "g", "workspace": 100}
    times = {"einc": 2.0, "einc, kept": 1.5, "parts": 4.0, "A": 3.0, "B": 5.0, "beside bare": 1.0, "machine copy 0": 8.0, "machine copy 1": 4.0,
             "machine peak 0": 0.5}  # fmt: skip
    units = {"machine copy 0": 2, "machine copy 1": 2, "machine peak 0": 10}
    for target, wanted in [("libraries / 1.5", 2.0), ("min(libraries, 1.04 * bare)", 1.04), ("10 * copy", 20.0), ("100 / peak", 5.0), ("parts", 4.0)]:
        result = fusion.result_of(case, target, found(times, units, workspace=400))
        assert abs(result["target_seconds"] - wanted) < 1e-9 and abs(result["of_target"] - wanted / 2) < 1e-9, (target, result)
    assert (result["rival"], result["of_rival"], result["of_workspace"]) == ("A", 1.5, 0.25), result
    # What the target needs is not here.
    result = fusion.result_of(case, "libraries / 1.5", found({n: s for n, s in times.items() if n not in "AB"}, units, {"A": "not here: no A"}))
    assert result["target_seconds"] is None and result["of_target"] is None and "not known without A" in result["line"], result
    figure = {"measure": "of_target", "group": "g"}
    assert suite.values(figure, [("a", result, {}), ("b", {**result, "of_target": 0.5}, {}), ("c", {**result, "group": "h"}, {})]) == [("b", 0.5)]


def one_is_measured():
    case, args = small("chain", M=64, N=256)
    result, wrong = fusion.measure(einc_tool.EINC, {**case, "bytes": {"copy": "65536"}}, args, {"M": 64, "N": 256}, True)
    assert not wrong, wrong
    assert {c["name"] for c in result["contestants"]} >= {"einc", "einc, kept", "parts", "machine copy 0"}, result
    assert result["of_target"] > 0 and result["workspace"] == 0 and result["group"] == "chain", result
    # Half of the rows: found before anything is timed.
    result, wrong = fusion.measure(einc_tool.EINC, {**case, "rivals": {"half": ["rows.c", "chain(t, 32, 256)"]}, "bytes": {"copy": "65536"}}, args,
                                   {"M": 64, "N": 256}, True)  # fmt: skip
    if result:  # no libraries here, so no rivals
        assert "not here" in result["not_here"]["half"], result
    else:
        assert wrong.startswith("half computes something else"), wrong


def rivals_compile():
    """Without a warning; what they are linked with may be missing."""
    for path in sorted(einc_tool.find("tests/bench/rivals/common.h").parent.glob("*.c")):
        if path.name == "dnnl.c" and subprocess.run([fusion.limits.COMPILER, "-E", "-include", "oneapi/dnnl/dnnl.h", "-x", "c", "/dev/null", "-o", "/dev/null"],
                                                    capture_output=True).returncode:  # fmt: skip
            continue
        # Of machines that clang calls AVX10 it warns of its own features.
        flags = [*(f for f in fusion.RIVAL_FLAGS if f != "-shared"), "-Wno-unknown-warning-option", "-Wno-invalid-feature-combination"]
        run = subprocess.run([fusion.limits.COMPILER, "-Wall", "-Wextra", "-Werror", *flags, "-fsyntax-only", str(path)], capture_output=True, text=True)
        assert not run.returncode, run.stderr


def libraries_have_one_thread():
    """As all else has, whose seconds count, though NumPy may have loaded them before."""
    call = "extern int openblas_get_num_threads(void); *t[0] = (float)openblas_get_num_threads()"
    with tempfile.TemporaryDirectory() as name:
        made = fusion.build_rivals(pathlib.Path(name) / "rivals", {"threads": ["rows.c", call]})["threads"]
        if isinstance(made, fusion.timing.Failed):
            return  # no OpenBLAS here
        count = np.zeros(1, np.float32)
        assert ctypes.CDLL(made).rival((ctypes.c_void_p * 1)(count.ctypes.data)) == 0
        assert count[0] == 1, count[0]


def main():
    cases = einc_tool.Cases()
    for function in (data_fits, statements_are_apart, targets_are_taken, rivals_compile, libraries_have_one_thread, one_is_measured):
        cases.run(function.__name__, function)
    cases.finish()


if __name__ == "__main__":
    main()
