# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""A library for several levels of x86-64, or of AArch64, runs what each CPU can, and says so where there is nothing.

CPUs of all levels: a kernel of vectors, one of a product, and one of bytes, for which there is code for more levels, give the
status that the CPU deserves and, if that is success, the right values; otherwise the output is as it was. The kernel says which code it is.
The CPUs are qemu-user's; those that have what it has not are this one, where it has that, with a cpuid that says less.
"""

import os
import re
import subprocess

from tests.numeric import einc_tool, features

_SPEC = """
def product(A: f32(M, K), B: f32(K, N)) -> (C: f32(M, N)) { C(m, n) += A(m, k) * B(k, n); }
def fixed(A: f32(8, 8), B: f32(8, 8)) -> (C: f32(8, 8)) { C(m, n) += A(m, k) * B(k, n); }
def row(A: f32(M, N)) -> (s: f32(M)) { s(m) += A(m, n); }
def bytes(A: u8(M, K), B: i8(K, N)) -> (C: i32(M, N)) { C(m, n) += cast<i32>(A(m, k)) * cast<i32>(B(k, n)); }
def halves(A: bf16(M, K), B: bf16(K, N)) -> (C: f32(M, N)) { C(m, n) += cast<f32>(A(m, k)) * cast<f32>(B(k, n)); }
"""
_MAIN = """
#include <stdio.h>
#include "k.h"
int main(void) {
  static float a[64], b[64], c[64], s[8];
  static uint8_t x[32 * 32];
  static int8_t y[32 * 32];
  static int32_t z[32 * 32];
  int i, right = 0;
  for (i = 0; i < 64; ++i) a[i] = (float)(i % 5), b[i] = i / 8 == i % 8 ? 2.0f : 0.0f;
  einc_memref_f32_2 A = {a, a, 0, {8, 8}, {8, 1}}, B = {b, b, 0, {8, 8}, {8, 1}}, C = {c, c, 0, {8, 8}, {8, 1}};
  einc_memref_f32_1 S = {s, s, 0, {8}, {1}};
  einc_memref_u8_2 X = {x, x, 0, {32, 32}, {32, 1}};
  einc_memref_i8_2 Y = {y, y, 0, {32, 32}, {32, 1}};
  einc_memref_bf16_2 H = {(void *)x, (void *)x, 0, {8, 8}, {8, 1}};
  einc_memref_i32_2 Z = {z, z, 0, {32, 32}, {32, 1}};
  for (i = 0; i < 32 * 32; ++i) x[i] = (uint8_t)(i % 251), y[i] = (int8_t)(i / 32 == i % 32 ? -128 : 0);
  int statuses[] = {product(&A, &B, &C), fixed(&A, &B, &C), row(&A, &S), product_supported(&A, &B, &C), bytes(&X, &Y, &Z)};
  for (i = 0; i < 64; ++i) right += c[i] == 4.0f * a[i];
  for (i = 0; i < 8; ++i) right += s[i] == a[8 * i] + a[8 * i + 1] + a[8 * i + 2] + a[8 * i + 3] + a[8 * i + 4] + a[8 * i + 5] + a[8 * i + 6] + a[8 * i + 7];
  for (i = 0; i < 64; ++i) right += 100 * (c[i] == 0.0f);
  for (i = 0; i < 32 * 32; ++i) right += 10000 * (z[i] == -128 * x[i]);
  printf("%d %d %d %d %d, %d\\n", statuses[0], statuses[1], statuses[2], statuses[3], statuses[4], right);
  printf("%s\\n", EXPLAIN);
  printf("%s", halves_explain(&H, &H, &C));
  return 0;
}
"""
# One for each value that is right, of 64 and 8, and a hundred for each of the 64 that is zero: 13 are where they are right.
# Ten thousand for each of 1024 products of bytes, of which five are of zero.
_RIGHT = "0 0 0 0 0, 10241372"
_NOTHING = "-14 -14 -14 -14 -14, 56413"
_CPUS = {"x86_64": {"qemu64": 1, "Nehalem": 2, "Haswell": 3}, "aarch64": {"cortex-a53": 1, "neoverse-n1": 2, "max": 3}}
_LEVELS = {"generic": 1, "x86-64-v2": 2, "x86-64-v3": 3, "x86-64-v4": 4, "aarch64": 1, "aarch64-dotprod": 2, "aarch64-bf16": 3}
# Each level of AArch64 has another code for bytes.
_EXPLAIN = {"x86_64": "product_explain(&A, &B, &C)", "aarch64": "bytes_explain(&X, &Y, &Z)"}
# Of cpuid: a digit for each part of a feature says whether this CPU has it.
_TOLD = """
#include <cpuid.h>
#include <stdlib.h>
static int told(unsigned leaf, unsigned subleaf, unsigned *a, unsigned *b, unsigned *c, unsigned *d) {
  static const struct { unsigned leaf, subleaf, place, bit; } parts[] = {ROWS};
  unsigned *const answer[] = {a, b, c, d};
  const char *has = getenv("CPU_HAS");
  *a = *b = *d = 0, *c = leaf == 1 ? bit_OSXSAVE : 0;
  for (int i = 0; i < (int)(sizeof parts / sizeof *parts); ++i)
    if (parts[i].leaf == leaf && parts[i].subleaf == subleaf) *answer[parts[i].place] |= (unsigned)(has[i] == '1') << parts[i].bit;
  return 1;
}
#define __get_cpuid_count told
#define __get_cpuid(leaf, a, b, c, d) told(leaf, 0, a, b, c, d)
"""
_V3, _V4 = {"V2", "V3"}, {"V2", "V3", "V4"}
_TOLD_CPUS = {
    # What it has, and which code for bytes and for bf16 runs.
    "K8": (set(), None, None),
    "Nehalem": ({"V2"}, "v2", "v2"),
    "Haswell": (_V3, "v3", "v3"),
    "Alder Lake": (_V3 | {"AvxVnni"}, "v3-vnni", "v3"),
    "Skylake": (_V4, "v4", "v4"),
    "Cascade Lake": (_V4 | {"Vnni"}, "v4-vnni", "v4"),
    "Ice Lake": (_V4 | {"Vnni"}, "v4-vnni", "v4"),
    "Cooper Lake": (_V4 | {"Vnni", "Bf16"}, "v4-vnni", "v4-bf16"),
    "Zen 5": (_V4 | {"AvxVnni", "Vnni", "Bf16"}, "v4-vnni", "v4-bf16"),
    "Haswell with AVX-512": ({"V2", "V4", "Vnni"}, "v2", "v2"),
}


def told(folder):
    """A library for all levels of x86-64 that is told what the CPU has."""
    folder.mkdir(parents=True)
    (folder / "spec.tc").write_text(_SPEC)
    (folder / "main.c").write_text(_MAIN)
    rows = ", ".join(f"{{{leaf}, {subleaf}, {'abcd'.index(place[1])}, {bit}}}" for _, _, leaf, subleaf, place, bit in features.parts())
    (folder / "told.h").write_text(_TOLD.replace("ROWS", rows))
    einc_tool.must(einc_tool.run("build", "--sources-only", "--one-file", folder / "spec.tc", "-o", folder, "--name", "k"))
    explain = f"-DEXPLAIN={_EXPLAIN['aarch64']}"
    files = [folder / "k.c", folder / "main.c", "-lm", "-o", folder / "main"]
    subprocess.run([einc_tool.CLANG, "-O0", "-w", explain, "-include", folder / "told.h", *files], check=True)
    return folder / "main"


def told_case(program, has, codes, lacks=None):
    """`lacks` is a part that the CPU has not."""
    answers = "".join("01"[part[0] in has and part != lacks] for part in features.parts())
    result = subprocess.run([program], capture_output=True, text=True, timeout=120, env={**os.environ, "CPU_HAS": answers})
    refused = "this CPU lacks instructions that the kernel was compiled for"
    want = [_RIGHT if codes[0] else _NOTHING]
    said = re.sub(r", the best .*", "", result.stdout)
    lines = [line for line in said.splitlines() if line.startswith(("code", "this CPU", "0", "-14"))]
    want += [f"code for x86-64-{code}" if code else refused for code in codes]
    return None if result.returncode == 0 and lines == want else f"{result.returncode} {lines}, not {want}"


def built(folder, targets, architecture):
    folder.mkdir(parents=True)
    (folder / "spec.tc").write_text(_SPEC)
    (folder / "main.c").write_text(_MAIN)
    flags = [f"--target={targets}"] if targets else []
    einc_tool.must(einc_tool.run("build", folder / "spec.tc", *flags, "-o", folder, "--name", "k"))
    cross = [f"--target={architecture}-linux-gnu", f"-DEXPLAIN={_EXPLAIN[architecture]}"]
    subprocess.run([einc_tool.CLANG, *cross, "-O1", "-static", folder / "main.c", folder / "libk.a", "-lm", "-o", folder / "main"], check=True)
    return folder / "main"


def case(program, architecture, cpu, targets):
    result = subprocess.run([f"qemu-{architecture}", "-cpu", cpu, program], capture_output=True, text=True, timeout=120)
    codes = [t for t in targets if _LEVELS[t] <= _CPUS[architecture][cpu]]
    want = [_RIGHT if codes else _NOTHING, "this CPU lacks instructions that the kernel was compiled for"]
    if codes:
        want[1] = f"code for {codes[-1]}" + (f", the best of {', '.join(targets)} that this CPU runs" if len(targets) > 1 else "")
    said = f"exit code {result.returncode}: {result.stdout.strip()} {result.stderr.strip()}"
    return None if result.returncode == 0 and result.stdout.splitlines()[:2] == want else f"{said}, not {want}"


def main():
    cases = einc_tool.Cases()
    folder = einc_tool.scratch()
    portable = "x86-64-v2,x86-64-v3,x86-64-v4"
    levels = {
        "x86_64": ["", "x86-64-v3", "x86-64-v3,x86-64-v4", "generic"],
        "aarch64": ["aarch64,aarch64-dotprod,aarch64-bf16", "aarch64-bf16", "aarch64-bf16,aarch64-dotprod", "aarch64"],
    }
    for architecture, libraries in levels.items():
        for i, targets in enumerate(libraries):
            program = built(folder / architecture / str(i), targets, architecture)
            wanted = sorted((targets or portable).split(","), key=_LEVELS.get)
            for cpu in _CPUS[architecture]:
                cases.run(f"{targets or 'as it is'} on {cpu}", case, program, architecture, cpu, wanted)
    program = told(folder / "told")
    for cpu, (has, *codes) in _TOLD_CPUS.items():
        if has <= features.here():
            cases.run(f"told it is {cpu}", told_case, program, has, codes)
    # With all features but one part of one.
    every = {part[0] for part in features.parts()}
    best = {"V2": (None, None), "V3": ("v2", "v2"), "V4": ("v3-vnni", "v3"), "Vnni": ("v4", "v4"), "Bf16": ("v4-vnni", "v4")}
    for part in features.parts() if every <= features.here() else []:
        cases.run(f"told it has no {part[1]}", told_case, program, every, best.get(part[0], ("v4-vnni", "v4-bf16")), part)
    cases.finish()


if __name__ == "__main__":
    main()
