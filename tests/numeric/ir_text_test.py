#!/usr/bin/python3
# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""IR text goes on from the level that it has: what `einc emit` prints of a stage is the same code again, and what is there is
run, timed and built like a spec."""

import json
import re
import subprocess

import numpy as np

from tests.numeric import einc_tool

_STAGES = ["fused", "tiled", "vector", "hw"]
# Each spec on one of these; --long: on all of them.
_FLAGS = [
    ["--target=x86-64-v4"],
    ["--target=x86-64-v3", "--threads=4"],
    ["--target=aarch64", "--fp=strict"],
    ["--target=x86-64-v3", "--strides=contiguous"],
    ["--target=generic", "--lib=cblas"],
    ["--target=x86-64-v2", "--dim=N=24", "--threads=2"],
    ["--target=vulkan-desktop"],
]


def code(text, isShader):
    """Each line, without comments (reasons, and places in specs, are not part of IR text), in whatever order the terms of sums
    stand: the constant is the last one in text. Numbers behind names of shaders count names that are gone as well."""
    text = re.sub(r"^\s*//.*\n", "", re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL), flags=re.MULTILINE)
    text = re.sub(r"(?<=[a-z])\d+\b", "", text) if isShader else text
    return [sorted(re.findall(r"\w+|[^\w\s]", line)) for line in text.splitlines()]


def goes_back_in(folder, path, stage, flags):
    isShader = "--target=vulkan-desktop" in flags
    if not re.search(r"\bN\b", path.read_text()):
        flags = [flag for flag in flags if not flag.startswith("--dim")]
    text, last = folder / f"{path.stem}.eir", "glsl" if isShader else "c"
    einc_tool.must(einc_tool.run("emit", f"--stage={stage}", path, *flags, "-o", text))
    fixed = [flag for flag in flags if not flag.startswith("--dim")]
    first = einc_tool.must(einc_tool.run("emit", f"--stage={last}", path, *flags)).stdout
    again = einc_tool.must(einc_tool.run("emit", f"--stage={last}", text, *fixed)).stdout
    if code(first, isShader) == code(again, isShader):
        return None
    (folder / "first").write_text(first)
    (folder / "again").write_text(again)
    return f"other code: diff {folder}/first {folder}/again"


_SPEC = """
def product(A: f32(M, K), B: f32(K, N)) -> (C: f32(M, N)) { C(m, n) += A(m, k) * B(k, n); }
def normal(A: f32(M, N)) -> (C: f32(M, N)) { S(m) +=! exp(A(m, n)); C(m, n) = exp(A(m, n)) / S(m); }
"""


def runs(folder, stage, engine):
    """A module of kernels at several levels, as files and from standard input: the same results."""
    (folder / "s.tc").write_text(_SPEC)
    text = einc_tool.must(einc_tool.run("emit", f"--stage={stage}", folder / "s.tc", "--target=native")).stdout
    tensors = einc_tool.must(einc_tool.run("emit", "--stage=ops", folder / "s.tc", "--def=normal")).stdout
    whole = text[: text.index("kernel @normal")] + tensors[tensors.index("kernel @normal") :]
    (folder / "s.eir").write_text(whole)
    rng = np.random.default_rng(3)
    A, B = rng.standard_normal((19, 70)).astype(np.float32), rng.standard_normal((70, 37)).astype(np.float32)
    np.save(folder / "A.npy", A.T.copy())
    np.save(folder / "B.npy", B)
    exps = np.exp(A.astype(np.float64))
    for name, want, inputs in [("product", A.astype(np.float64) @ B, "AB"), ("normal", exps / exps.sum(1, keepdims=True), "A")]:
        views = {"A": f"A={folder}/A.npy.T", "B": f"B={folder}/B.npy"}
        args = [f"--def={name}", f"--engine={engine}", *(a for i in inputs for a in ("--in", views[i])), "--out", f"C={folder}/C.npy"]
        einc_tool.must(einc_tool.run("eval", folder / "s.eir", *args))
        files = np.load(folder / "C.npy")
        einc_tool.must(einc_tool.run("eval", "-", "--eir", *args, input=whole))
        if not np.allclose(files, want, rtol=1e-4, atol=1e-4) or not np.array_equal(files, np.load(folder / "C.npy")):
            return f"{name} gives something else"
    return None


def refuses_calls(folder, stage):
    """What the spec asks of calls is asked by code from text, too."""
    (folder / "s.tc").write_text("def f(A: f32(M + 1), B: f32(N)) -> (C: f32(M)) { C(m) += A(m + n) * B(n); }\n")
    einc_tool.must(einc_tool.run("emit", f"--stage={stage}", folder / "s.tc", "--target=native", "-o", folder / "s.eir"))
    for name, size in {"A": 6, "B": 3}.items():
        np.save(folder / f"{name}.npy", np.ones(size, np.float32))
    for engine in ("reference", "native"):
        result = einc_tool.run("eval", folder / "s.eir", f"--engine={engine}", "--in", f"A={folder}/A.npy", "--in", f"B={folder}/B.npy")
        if result.returncode != 1 or "EINC_OUT_OF_RANGE" not in result.stderr:
            return f"{engine}: {result.returncode} {result.stdout} {result.stderr}"
    return None


def is_built(folder):
    (folder / "s.tc").write_text(_SPEC)
    einc_tool.must(einc_tool.run("emit", "--stage=tiled", folder / "s.tc", "--target=x86-64-v3", "-o", folder / "s.eir"))
    einc_tool.must(einc_tool.run("build", folder / "s.eir", "-o", folder / "lib", "--name=s", "--target=x86-64-v3"))
    names = subprocess.run(["nm", folder / "lib" / "libs.a"], capture_output=True, text=True).stdout
    manifest = json.loads((folder / "lib" / "s.json").read_text())
    kernels = [kernel["def"] for kernel in manifest["kernels"]]
    return None if " T product\n" in names and "product_v2" not in names and kernels == ["product", "normal"] else f"{kernels}\n{names}"


def is_timed(folder):
    """By --dim, beside the interpreter's results."""
    (folder / "s.tc").write_text(_SPEC)
    einc_tool.must(einc_tool.run("emit", "--stage=hw", folder / "s.tc", "--target=native", "-o", folder / "s.eir"))
    result = einc_tool.must(einc_tool.run("bench", folder / "s.eir", "--def=product", "--dim=M=20", "--dim=N=30", "--dim=K=40", "--against=none",
                                          "--rounds=1", "--sample=0.001", "--json=-"))
    return None if json.loads(result.stdout)["kernel"] == "product" else result.stdout


def main():
    cases, folder = einc_tool.Cases(), einc_tool.scratch()
    for i, path in enumerate(einc_tool.specs()):
        some = 1 if path.stem in ("conv", "depthwise", "winograd") else (i + i // len(_FLAGS)) % len(_STAGES)
        for j, flags in enumerate(_FLAGS):
            for k, stage in enumerate(_STAGES):
                if einc_tool.LONG or j == i % len(_FLAGS) and k == some:
                    cases.run(f"{path.name} {stage} {' '.join(flags)}", goes_back_in, folder, path, stage, flags)
    for stage, engines in {"tiled": ["reference", "native"], "vector": ["hw", "native"], "hw": ["native"]}.items():
        for engine in engines:
            cases.run(f"{stage}, {engine}", runs, folder, stage, engine)
        cases.run(f"{stage}: calls are refused", refuses_calls, folder, stage)
    cases.run("a library", is_built, folder)
    cases.run("a benchmark", is_timed, folder)
    cases.finish()


if __name__ == "__main__":
    main()
