# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Suites are well formed, their cases are ones that einc takes, and figures are taken as they should be."""

import contextlib
import io
import string
import subprocess
from unittest import mock

from tests.bench import suite
from tests.numeric import einc_tool

KEYS = {"licence", "name", "what", "source", "figures", "cases", "needs", "runs"}
FIGURE_KEYS = {"what", "measure", "take", "reach", "against", "when", "bound", "of", "group"}
CASE_KEYS = {"name", "for", "columns", "rows", "quick", "args"}
FUSION_KEYS = {"group", "rivals", "beside", "bytes", "target", "workspace"}
LIBRARIES = {"openblas", "openblas-fit", "blis", "dnnl", "dnnl-blocked", "dnnl-reorder", "xsmm", "eigen"}
WANTED = {"gemm", "skinny", "small", "contractions", "conv", "semirings", "memory", "transpose", "windows", "threads",
          "compile", "lowp", "picture", "fusion"}  # fmt: skip


def holes(text):
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def well_formed(name):
    data = suite.load(name)
    assert data["name"] == name and data["what"] and set(data) <= KEYS, set(data)
    assert data["figures"] and data["cases"]
    for figure in data["figures"]:
        assert set(figure) <= FIGURE_KEYS and figure["reach"] > 0, figure
        assert figure["measure"] in suite.MEASURES and figure["take"] in suite.TAKES, figure
        assert (figure["measure"] == "ratio") == ("against" in figure), figure
        assert set(figure.get("against", [])) <= LIBRARIES, figure
    for case in data["cases"]:
        assert set(case) <= CASE_KEYS | (FUSION_KEYS if data.get("runs") == "fusion" else set()) and case["quick"], case
        assert ("for" in case) != ("rows" in case), case
        known = set(case["for"] if "for" in case else case["columns"])
        assert holes(case["name"] + " ".join(case["args"])) <= known, case
        assert all(len(row) == len(case["columns"]) for row in case.get("rows", [])), case
    named = [one[0] for one in suite.cases(data, False)]
    assert len(named) == len(set(named)), "two cases of one name"
    quick = [one[0] for one in suite.cases(data, True)]
    assert 0 < len(quick) < len(named) and set(quick) <= set(named), quick


def accepted(name):
    """einc finds every def and size; of cases that differ in numbers alone, the first and the last."""
    data = suite.load(name)
    for case in data["cases"]:
        if "rows" in case and name in ("conv", "windows", "contractions"):
            chosen = list(suite.cases({"cases": [case]}, False))
        else:
            all_cases = list(suite.cases({"cases": [case]}, False))
            chosen = [all_cases[0], all_cases[-1]]
        for _, args, _ in chosen:
            flags = [arg for arg in args if not arg.startswith(("--threads", "--against"))]
            einc_tool.must(einc_tool.run("emit", "--stage=ops", "-o", "/dev/null",
                                         *[einc_tool.find(a) if a.endswith(".tc") else a for a in flags]))  # fmt: skip


def complete():
    assert set(suite.names()) == WANTED, suite.names()


def result(median, **others):
    contestants = [{"name": "einc", "standing": "timed", "median_seconds": median, "of_peak": 0.5, "of_copy": 0.25, "of_memory": 0.5}]
    contestants += [{"name": n.replace("_", "-"), "standing": "timed", "ratio": r} for n, r in others.items()]
    return {"contestants": contestants + [{"name": "xsmm", "standing": "not installed"}]}


def figures_are_taken():
    results = [("a", result(1.0, openblas=2.0, dnnl=0.5), {"n": 64}), ("b", result(1.0, openblas=2.0), {"n": 256})]
    ratio = {"measure": "ratio", "against": ["openblas", "dnnl", "xsmm"], "take": "worst", "reach": 0.9, "what": ""}
    found = suite.values(ratio, results)
    assert found == [("a", 0.5), ("b", 2.0)], found  # against the best of them
    assert suite.take(ratio, found) == (0.5, False)
    value, reached = suite.take({**ratio, "take": "geomean"}, found)
    assert abs(value - 1) < 1e-9 and reached
    peak = {"measure": "of_peak", "take": "worst", "reach": 0.5, "when": {"n": [256, None]}}
    assert suite.values(peak, results) == [("b", 0.5)]
    assert suite.take(peak, [("b", 0.5)]) == (0.5, True)
    assert suite.values({**peak, "when": {}, "bound": "compute"}, results) == [("a", 0.5), ("b", 0.5)]
    assert suite.values({**ratio, "against": ["xsmm"]}, results) == []
    most = {"measure": "seconds", "take": "most", "reach": 0.05}
    assert suite.take(most, [("a", 0.01), ("b", 0.06)]) == (0.06, False)


def speedups_are_of_equal_cases():
    results = [(f"{n} {t}", result(n / t), {"n": n, "threads": t}) for n in (8, 16) for t in (1, 2)]
    figure = {"measure": "speedup", "of": "threads"}
    assert suite.values(figure, results) == [("8 2", 2.0), ("16 2", 2.0)], suite.values(figure, results)


def failures_are_not_reached():
    data = {"figures": [{"what": "w", "measure": "of_peak", "take": "worst", "reach": 0.1}]}
    fine = [("a", result(1.0), {})]
    lines, entries = suite.conclude(data, fine, [])
    assert lines[0].endswith("reached") and entries[0]["reached"] is True, lines
    lines, entries = suite.conclude(data, fine, [{"case": "b"}])
    assert "NOT SHOWN" in lines[0] and entries[0]["reached"] is None, lines
    lines, entries = suite.conclude(data, [], [])
    assert "nothing measured" in lines[0] and entries[0]["reached"] is None, lines


def noise_is_named():
    calm, loud = result(1.0), result(1.0)
    for one, spread in ((calm, 0.01), (loud, 0.5)):
        one["contestants"][0]["spread"] = spread
    assert suite.noisy([("calm", calm, {})]) == []
    (line,) = suite.noisy([("calm", calm, {}), ("loud", loud, {})])
    assert line.startswith("1 of 2 cases are noisy") and line.endswith("loud"), line


def command_lines():
    for args, code, part in [(["nope"], 2, "unknown suite 'nope'"), ([], 2, "which suite?")]:
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            assert suite.main(args) == code
        assert part in said.getvalue() and "gemm" in said.getvalue(), said.getvalue()
    listed = io.StringIO()
    with contextlib.redirect_stdout(listed):
        assert suite.main(["--list"]) == 0
    assert {line.split()[0] for line in listed.getvalue().splitlines()} == WANTED | set(suite.EXTRA)


def all_of_them_run():
    """Each suite and then the specs, with files of their own; what fails is named."""
    ran, said = [], io.StringIO()
    folder = einc_tool.scratch() / "figures"

    def run_suite(data, einc, options):
        ran.append((data["name"], options.quick, options.json))
        return data["name"] == "gemm"

    def run_specs(command, cwd):
        ran.append(command[1:])
        return subprocess.CompletedProcess(command, 0)

    with mock.patch.object(suite, "run", run_suite), mock.patch.object(suite.subprocess, "run", run_specs), contextlib.redirect_stdout(said):
        assert suite.main(["all", "--quick", "--json", str(folder), "--einc=E"]) == 1
    assert ran[:-1] == [(name, True, folder / f"{name}.json") for name in suite.names()], ran
    assert ran[-1] == ["-m", "tests.bench.specs", "--einc=E", "--quick", f"--json={folder}/specs.json", f"--svg={folder}/specs.svg"], ran
    assert said.getvalue().splitlines()[-1] == "cases failed in gemm", said.getvalue()


def main():
    cases = einc_tool.Cases()
    cases.run("complete", complete)
    for name in suite.names():
        cases.run(f"well formed: {name}", well_formed, name)
        cases.run(f"accepted: {name}", accepted, name)
    for function in (figures_are_taken, speedups_are_of_equal_cases, failures_are_not_reached, noise_is_named, command_lines, all_of_them_run):
        cases.run(function.__name__, function)
    cases.finish()


if __name__ == "__main__":
    main()
