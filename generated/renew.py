#!/usr/bin/python3
# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Renews the reviewed snapshot of what einc emits.

  bazel build //tools:einc && generated/renew.py     writes the files of this folder anew
  generated/renew.py --check [EINC]                  says which of them are not up to date

A change of an emitter shows here as a diff that can be read.
"""

import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)

# spec, def, stages
SNAPSHOT = [
    ("matmul.tc", "matmul", ["ops", "tiled", "vector", "hw", "c", "header", "mlir", "ods", "ods-impl", "yaml"]),
    ("matmul.tc", "matmul_i8_i8_i32", ["ops", "c"]),
    ("matmul.tc", "matmul_f16_f16_f32", ["c"]),
    ("quantized.tc", "qlinear_matmul", ["ops", "c"]),
    ("conv.tc", "conv_2d_nhwc_hwcf", ["ops", "c", "ods", "ods-impl", "yaml"]),
    ("conv.tc", "conv_2d_nhwc_hwcf_padded", ["tiled", "mlir"]),
    ("pooling.tc", "pooling_nhwc_max", ["ops", "vector", "c"]),
    ("reductions.tc", "argmax_rows", ["ops", "hw", "c"]),
    ("softmax.tc", "softmax", ["ast", "ops", "c", "header", "manifest", "mlir"]),
    ("matmul.tc", "matmul", ["device", "glsl"]),
    ("conv.tc", "conv_2d_nhwc_hwcf", ["glsl"]),
    ("softmax.tc", "softmax", ["glsl", "msl", "hlsl"]),
    ("elementwise.tc", "add", ["glsl"]),
]
EXTENSIONS = {"ast": "ast", "ops": "ops.eir", "tiled": "tiled.eir", "vector": "vector.eir", "hw": "hw.eir", "c": "c", "header": "h", "manifest": "json",
              "mlir": "mlir", "ods": "td", "ods-impl": "cpp.inc", "yaml": "yaml", "device": "device.eir", "glsl": "comp", "msl": "metal", "hlsl": "hlsl"}


def emitted(einc, specs, spec, name, stage):
    target = ["--target=x86-64-v4"] if stage in ("tiled", "vector", "hw", "c") else []
    if stage in ("device", "glsl", "msl", "hlsl"):
        target = ["--target=vulkan"]
    run = subprocess.run([einc, "emit", "--stage=" + ("hw" if stage == "device" else stage), *target, "--def", name, os.path.join(specs, spec)],
                         stdout=subprocess.PIPE, check=True)
    return run.stdout


def main(args):
    check = "--check" in args
    rest = [arg for arg in args if arg != "--check"]
    einc = os.path.abspath(rest[0]) if rest else os.path.join(ROOT, "bazel-bin/tools/einc")
    specs = os.path.join(ROOT, "specs")
    passed = failed = 0
    for spec, name, stages in SNAPSHOT:
        for stage in stages:
            file = f"{name}.{EXTENSIONS[stage]}"
            text = emitted(einc, specs, spec, name, stage)
            path = os.path.join(HERE, file)
            if not check:
                with open(path, "wb") as out:
                    out.write(text)
                continue
            with open(path, "rb") as golden:
                same = golden.read() == text
            passed += same
            failed += not same
            if not same:
                print(f"generated/{file} is not up to date; run generated/renew.py and read the diff")
    if check:
        print(f"{passed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
