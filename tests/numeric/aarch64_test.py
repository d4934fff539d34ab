# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Kernels for AArch64, cross-compiled and run under qemu-user, against NumPy."""

import subprocess

import numpy as np

from tests.numeric import einc_tool

_STRINGS = ["mk,kn->mn", "bmk,bnk->bmn", "adb,cd->cba", "ij->ji", "ij,j->i", "ij->i", "i,j->ij"]
_MAIN = """
#include <stdio.h>
#include <stdlib.h>
#include "k.h"
static float *values(long count) {
  float *p = malloc((size_t)count * sizeof *p + 4);
  if (fread(p, sizeof *p, (size_t)count, stdin) != (size_t)count) exit(2);
  return p;
}
int main(void) {
%s
  return 0;
}
"""


def descriptor(name, shape):
    strides = [int(np.prod(shape[d + 1:])) for d in range(len(shape))]
    sizes = f", {{{', '.join(map(str, shape))}}}, {{{', '.join(map(str, strides))}}}" if shape else ""
    data = f"{name}_data"
    return (f"  float *{data} = values({int(np.prod(shape))});\n"
            f"  einc_memref_f32_{len(shape)} {name} = {{{data}, {data}, 0{sizes}}};\n")


def case(folder, string, rng):
    folder.mkdir(parents=True)
    einc_tool.must(einc_tool.run("build", "--einsum", string, "--target=aarch64", "-o", folder, "--name", "k"))
    inputs, output = string.split("->")
    sizes = {i: int(rng.integers(1, 60)) for i in set(string) - set(",->")}
    arrays = [rng.standard_normal([sizes[i] for i in part]).astype(np.float32) for part in inputs.split(",")]
    start = rng.standard_normal([sizes[i] for i in output]).astype(np.float32)
    names = "ABC"[: len(arrays)]
    body = "".join(descriptor(n, a.shape) for n, a in zip(names + "O", [*arrays, start]))
    call = ", ".join(f"&{n}" for n in names + "O")
    body += f"  if (einsum({call}) != EINC_OK) return 3;\n  fwrite(O_data, sizeof *O_data, {start.size}, stdout);"
    (folder / "main.c").write_text(_MAIN % body)
    subprocess.run([einc_tool.CLANG, "--target=aarch64-linux-gnu", "-static", folder / "main.c", folder / "libk.a", "-lm", "-o", folder / "main"],
                   check=True)
    data = b"".join(a.tobytes() for a in [*arrays, start])
    result = subprocess.run(["qemu-aarch64", folder / "main"], input=data, capture_output=True, timeout=120)
    if result.returncode:
        return f"{string} {sizes}: exit code {result.returncode}, {result.stderr.decode(errors='replace')}"
    got = np.frombuffer(result.stdout, np.float32).reshape(start.shape)
    want = start + np.einsum(string, *[a.astype(np.float64) for a in arrays])
    weight = np.abs(start) + np.einsum(string, *[np.abs(a).astype(np.float64) for a in arrays])
    length = int(np.prod([sizes[i] for i in set(inputs) - set(output) - {","}]))
    wrong = np.count_nonzero(np.abs(got - want) > (length + 3) * np.finfo(np.float32).eps * weight)
    return f"{string} {sizes}: {wrong} wrong" if wrong else None


def main():
    cases, rng = einc_tool.Cases(), np.random.default_rng(64)
    folder = einc_tool.scratch()
    for i, string in enumerate(_STRINGS):
        cases.run(string, case, folder / str(i), string, rng)
    cases.finish()


if __name__ == "__main__":
    main()
