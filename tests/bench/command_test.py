# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""`einc bench`: its table, JSON and picture, and what it refuses. Times are not looked at."""

import json
import xml.etree.ElementTree

from tests.numeric import einc_tool

MATMUL = [str(einc_tool.find("specs/matmul.tc")), "--def", "matmul"]
SIZES = ["--dim", "M=8", "--dim", "N=9", "--dim", "K=10"]
SHORT = ["--rounds=2", "--sample=0.001"]


def bench(*args):
    return einc_tool.run("bench", *args)


def three_forms():
    folder = einc_tool.scratch()
    json_file, svg_file = folder / "b.json", folder / "b.svg"
    run = einc_tool.must(bench(*MATMUL, *SIZES, *SHORT, "--against=none", "--json", json_file, "--svg", svg_file))
    for column in ("median", "spread", "GFLOP/s", "GB/s", "of peak", "of copy", "einc is x", "what"):
        assert column in run.stdout, run.stdout
    for line in ("CPU:", "compiler:", "to a library: gemm", "peak of this run", "copies", "2 rounds in turn"):
        assert line in run.stdout, run.stdout

    figures = json.loads(json_file.read_text())
    assert figures["kernel"] == "matmul" and figures["dims"] == {"M": 8, "N": 9, "K": 10}, figures
    assert figures["work"]["operations"] == 2 * 8 * 9 * 10
    assert figures["work"]["bytes"] == 4 * (8 * 10 + 10 * 9 + 2 * 8 * 9)
    assert figures["peak"]["flops"] > 0 and figures["peak"]["copy_bytes_per_second"] > 0
    (einc,) = figures["contestants"]
    assert einc["name"] == "einc" and einc["standing"] == "timed" and einc["matches"] is True, einc
    assert len(einc["samples"]) == 2 and einc["least_seconds"] <= einc["median_seconds"] <= einc["most_seconds"]

    root = xml.etree.ElementTree.fromstring(svg_file.read_text())
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    texts = [t.text for t in root.iter("{http://www.w3.org/2000/svg}text")]
    assert any(t.startswith("einc") for t in texts) and "operations for each byte of memory (FLOP/B)" in texts, texts


def json_alone_on_standard_output():
    run = einc_tool.must(bench("--einsum", "ij->ji", "--dim", "i=8", "--dim", "j=9", *SHORT, "--against=none", "--json", "-"))
    figures = json.loads(run.stdout)
    assert figures["results"].startswith("the interpreter's"), figures["results"]


def every_library_has_a_row():
    """Installed or not: a library that is missing is named, and is no error."""
    folder = einc_tool.scratch()
    einc_tool.must(bench("--einsum", "mk,kn->mn", "--dim", "m=8", "--dim", "n=8", "--dim", "k=8", *SHORT,
                         "--against=openblas,blis,dnnl", "--json", folder / "b.json"))  # fmt: skip
    rows = {c["name"]: c for c in json.loads((folder / "b.json").read_text())["contestants"]}
    assert list(rows) == ["einc", "openblas", "openblas-fit", "blis", "dnnl", "dnnl-blocked", "dnnl-reorder"], list(rows)
    # OpenBLAS is a package that building einc takes.
    for name in ("openblas", "openblas-fit"):
        assert rows[name]["standing"] == "timed" and rows[name]["matches"] is True, rows[name]
        assert rows[name]["what"].startswith("OpenBLAS ") and rows[name]["what"].endswith(" kernels"), rows[name]
        assert rows[name]["ratio"] > 0
    for name in ("blis", "dnnl"):
        assert rows[name]["standing"] in ("timed", "not installed"), rows[name]
        assert rows[name].get("matches") is not False, rows[name]


def transposition_and_gemm_is_the_same_contraction():
    folder = einc_tool.scratch()
    for text, sizes in [("ikj,kn->jin", "i=3,k=5,j=7,n=4"), ("abcd,dbea->ec", "a=3,b=4,c=5,d=6,e=7"),
                        ("bki,kbj->jbi", "b=3,k=4,i=5,j=6")]:  # fmt: skip
        dims = [x for dim in sizes.split(",") for x in ("--dim", dim)]
        einc_tool.must(bench("--einsum", text, *dims, *SHORT, "--against=openblas", "--json", folder / "b.json"))
        figures = json.loads((folder / "b.json").read_text())
        assert figures["to_a_library"] == "transposition and gemm", (text, figures["to_a_library"])
        assert all(c["matches"] is True for c in figures["contestants"]), figures["contestants"]


def another_result_is_an_error():
    for against in ("none", "openblas"):
        run = bench(*MATMUL, *SIZES, *SHORT, f"--against={against}", "--plant=drop-last")
        assert run.returncode == 1 and "results differ" in run.stderr, (run.returncode, run.stdout, run.stderr)
        assert "ANOTHER RESULT" in run.stdout, run.stdout


def refused(code, part, *args):
    run = bench(*args)
    assert run.returncode == code and part in run.stderr, (run.returncode, run.stderr)


def main():
    cases = einc_tool.Cases()
    for function in (three_forms, json_alone_on_standard_output, every_library_has_a_row,
                     transposition_and_gemm_is_the_same_contraction, another_result_is_an_error):  # fmt: skip
        cases.run(function.__name__, function)
    for code, part, args in [
        (2, "--against=openblass: unknown library (did you mean 'openblas'?)", [*MATMUL, *SIZES, "--against=openblass"]),
        (2, "give --dim for K", [*MATMUL, "--dim", "M=8", "--dim", "N=8"]),
        (2, "choose one with --def", MATMUL[:1]),
        (2, "--rounds is from 1 to 1000", [*MATMUL, *SIZES, "--rounds=0"]),
        (2, "--sample is from 0 to 60 seconds", [*MATMUL, *SIZES, "--sample=-1"]),
        (2, "--sample is from 0 to 60 seconds", [*MATMUL, *SIZES, "--sample=nan"]),
        (2, "give --attr alpha=", [MATMUL[0], "--def", "gemm", *SIZES]),
        (1, "GiB are available; give smaller sizes", [*MATMUL, "--dim", "M=100000000", "--dim", "N=100000000", "--dim", "K=8"]),
    ]:
        cases.run(f"refused: {part}", refused, code, part, *args)
    cases.finish()


if __name__ == "__main__":
    main()
