# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""The ops of specs/ that have the name of an op of Linalg are that op: MLIR is asked what it means by the name
(--linalg-generalize-named-ops), and that must have our maps, up to the order of iterators, and our payload.
"""

import re

from tests.conformance import mlir_tool
from tests.numeric import compilers, einc_tool, formulas

# The named ops of LLVM 19 that Einc has under their names.
ELEMENTWISE = "copy add sub mul div div_unsigned max min powf exp log abs ceil floor negf reciprocal round sqrt rsqrt square tanh erf"
CONTRACTIONS = """matmul quantized_matmul matmul_transpose_a matmul_transpose_b mmt4d batch_mmt4d batch_matmul
batch_matmul_transpose_a batch_matmul_transpose_b quantized_batch_matmul batch_reduce_matmul matvec vecmat batch_matvec
batch_vecmat dot"""
CONVOLUTIONS = """conv_1d conv_2d conv_3d conv_1d_nwc_wcf conv_1d_ncw_fcw conv_2d_nhwc_hwcf conv_2d_nhwc_fhwc conv_2d_nhwc_hwcf_q
conv_2d_nhwc_fhwc_q conv_2d_nchw_fchw conv_2d_ngchw_fgchw conv_2d_ngchw_gfchw conv_2d_ngchw_gfchw_q conv_3d_ndhwc_dhwcf
conv_3d_ndhwc_dhwcf_q conv_3d_ncdhw_fcdhw depthwise_conv_1d_ncw_cw depthwise_conv_1d_nwc_wc depthwise_conv_1d_nwc_wcm
depthwise_conv_2d_nchw_chw depthwise_conv_2d_nhwc_hwc depthwise_conv_2d_nhwc_hwc_q depthwise_conv_2d_nhwc_hwcm
depthwise_conv_2d_nhwc_hwcm_q depthwise_conv_3d_ndhwc_dhwc depthwise_conv_3d_ncdhw_cdhw depthwise_conv_3d_ndhwc_dhwcm"""
POOLING = """pooling_nhwc_sum pooling_nchw_sum pooling_nhwc_max pooling_nhwc_max_unsigned pooling_nchw_max pooling_nhwc_min
pooling_nhwc_min_unsigned pooling_nwc_sum pooling_ncw_sum pooling_nwc_max pooling_nwc_max_unsigned pooling_ncw_max
pooling_nwc_min pooling_nwc_min_unsigned pooling_ndhwc_sum pooling_ndhwc_max pooling_ndhwc_min"""
NAMES = " ".join([ELEMENTWISE, CONTRACTIONS, CONVOLUTIONS, POOLING, "fill fill_rng_2d"]).split()

# Where the payload is another text for the same, or for more: Einc's functions have a value for all arguments.
PAYLOAD = {
    "rsqrt": "1 / sqrt(x), each rounded",
    "div_unsigned": "x / 0 has a value",
    "quantized_matmul": "scalars are values from outside, not operands",
    "quantized_batch_matmul": "scalars are values from outside, not operands",
    "fill": "the scalar is a value from outside, not an operand",
    "fill_rng_2d": "the scalars are values from outside, not operands",
}


def generic(text):
    """(maps of operands that have a shape, in order, iterators renamed by first appearance; kinds; payload)"""
    passes = ["--linalg-generalize-named-ops", "--canonicalize", "--cse"]

    def make():
        return mlir_tool.command(mlir_tool.OPT, *passes, "-", input=text).encode()

    printed = compilers.kept([mlir_tool.version(), *passes, text], make).decode()
    aliases = dict(re.findall(r"^(#\w+) = affine_map<(.*)>$", printed, re.MULTILINE))
    op = re.search(r"indexing_maps = \[(.*?)\], iterator_types = \[(.*?)\]\} (.*?) \{\n(.*?)^    \}$", printed,
                   re.MULTILINE | re.DOTALL)
    maps = [aliases[alias.strip()] for alias in op[1].split(",")]
    kinds = re.findall(r"\w+", op[2])
    results = [m.split(" -> ")[1] for m in maps]
    # The output's iterators come first; what both sides have, they then have under one name.
    order = list(dict.fromkeys(re.findall(r"d\d+", " ".join(results[-1:] + results))))
    renamed = [re.sub(r"d\d+", lambda d: f"i{order.index(d[0])}", r) for r in results]
    sums = [", ".join(" + ".join(sorted(e.split(" + "))) for e in r.strip("()").split(", ")) for r in renamed]
    payload = op[4].split("\n", 1)[1]
    return [s for s in sums if s], [kinds[int(d[1:])] for d in order], payload


def compare(name, spec):
    options = ["--attr=strides=2", "--attr=dilations=3"] if re.search(r"_n[a-z]*w", name) else (
        ["--attr=strides=1", "--attr=dilations=1"] if name in ("conv_1d", "conv_2d", "conv_3d") else [])
    text = einc_tool.must(einc_tool.run("emit", "--stage=mlir", spec, "--def", name, *options)).stdout
    ours = text[text.index("func.func") : re.search(r"func.func @\w+_on_tensors", text).start()]
    head = ours[: ours.index("\n") + 1]
    arguments = re.findall(r"(%\w+): ((?:memref<[^>]*>>)|\w+)", head)
    output = re.search(r"outs\((%\w+)", ours)[1]
    inputs = [(n, t) for n, t in arguments if n != output]
    rank = len(re.search(r"_n([a-z]*w)", name)[1].translate(str.maketrans("", "", "cg"))) if "--attr=strides=2" in options else 0
    attributes = f" {{strides = dense<2> : tensor<{rank}xi64>, dilations = dense<3> : tensor<{rank}xi64>}}" if rank else ""
    ins = f"ins({', '.join(n for n, _ in inputs)} : {', '.join(t for _, t in inputs)}) "
    named = f"{head}  linalg.{name}{attributes} {ins}outs({output} : {dict(arguments)[output]})\n  return\n}}\n"
    (maps, kinds, payload), (wanted_maps, wanted_kinds, wanted_payload) = generic(ours), generic(named)
    if maps != wanted_maps:
        return f"maps {maps}\nMLIR's {wanted_maps}"
    if kinds != wanted_kinds:
        return f"iterators {kinds}\nMLIR's {wanted_kinds}"
    if payload != wanted_payload and name not in PAYLOAD and not name.endswith("_q"):
        return f"payload\n{payload}\nMLIR's\n{wanted_payload}"
    return None


def main():
    cases, defs = einc_tool.Cases(), formulas.defs_of(einc_tool.specs())
    for name in NAMES:
        if cases.check(f"{name} is there", None if name in defs else "specs/ has no such def"):
            cases.run(name, compare, name, defs[name])
    cases.finish()


if __name__ == "__main__":
    main()
