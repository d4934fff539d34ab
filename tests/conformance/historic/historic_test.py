# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Specs in the form of the historic mlir-linalg-ods-gen, with the accumulator left out and written by
hand: each def gives every output, and kernels that compute what NumPy does.

The defs are made from a table of names and index letters. Three habits of those specs are kept: input
and output of a convolution share a size symbol, channel iterators are missing from the reductions'
lists, 8-bit products are made before they are widened (in the older form).
"""

from dataclasses import dataclass

import numpy as np

from tests.numeric import abi, einc_tool, formulas_conv

CONTRACTIONS = {  # name: (operand letters, result letters)
    "matmul": ("mk,kn", "mn"),
    "matmul_column_major": ("km,nk", "nm"),
    "matvec": ("mn,n", "m"),
    "vecmat": ("m,mn", "n"),
    "dot": ("m,m", ""),
    "batch_matmul": ("bmk,bkn", "bmn"),
}
TYPES = {"": ("f32", "f32"), "_i8_i8_i32": ("i8", "i32"), "_i16_i16_i32": ("i16", "i32"), "_i32_i32_i32": ("i32", "i32")}
CONVOLUTIONS = """conv_1d conv_2d conv_3d conv_1d_nwc conv_1d_ncw conv_2d_nhwc conv_2d_nchw conv_3d_ndhwc conv_3d_ncdhw
conv_1d_input_nwc_filter_wcf conv_1d_input_ncw_filter_wcf conv_2d_input_nhwc_filter_hwcf
conv_2d_input_nchw_filter_hwcf conv_3d_input_ndhwc_filter_dhwcf conv_3d_input_ncdhw_filter_dhwcf
depthwise_conv_2d_input_nhwc_filter_hwc""".split()


@dataclass
class Historic:
    name: str
    text: str
    slips: int  # warnings that are wanted
    types: tuple
    letters: tuple  # of A, B and C
    layouts: tuple = None
    strided: bool = False
    dilated: bool = False


def class_name(name):
    return "".join(part.title() for part in name.split("_")) + "Op"


def reduction(explicit, output, combiner, listed, value):
    inner = f"{output}, {value}" if explicit else value
    angle = ", ".join(listed)
    return f"  {output} =\n      {combiner}<{angle}>({inner});\n"


def contraction(name, suffix, explicit):
    (a, b), c = CONTRACTIONS[name][0].split(","), CONTRACTIONS[name][1]
    element, wide = TYPES[suffix]
    reduced = [x for x in dict.fromkeys(a + b) if x not in c]
    at = lambda t, letters: f"{t}({', '.join(letters)})"
    shape = lambda t, letters, kind: f"{t}: {kind}({', '.join(x.upper() for x in letters)})"
    kind = "f" if wide == "f32" else "i"
    left, right = at("A", a), at("B", b)
    narrow_product = element != wide and not explicit
    if narrow_product:
        value = f"std_sexti32(std_mul{kind}({left}, {right}))"
    elif element != wide:
        value = f"std_mul{kind}(std_sexti32({left}), std_sexti32({right}))"
    else:
        value = f"std_mul{kind}({left}, {right})"
    text = (f"ods_def<{class_name(name + suffix)}>\nimplements_interface<LinalgContractionOpInterface> :\n"
            f"def {name}{suffix}({shape('A', a, element)}, {shape('B', b, element)}) -> ({shape('C', c, wide)}) {{\n"
            + reduction(explicit, at("C", c), f"std_add{kind}", reduced, value) + "}\n")
    return Historic(name + suffix, text, int(narrow_product), (element, wide), (a, b, c))


def convolution(name, explicit):
    image, kernel, result = layouts = formulas_conv.layouts_of(name)
    depthwise, modern = name.startswith("depthwise"), "input" in name
    space = formulas_conv.space_of(image)
    dilated = modern and not depthwise

    def size(axis):
        return axis.upper()

    def index(axis):
        if axis not in space:
            return axis
        i = space.index(axis)
        out, tap = axis, "k" + axis
        if modern:
            out += f" * strides[{i}]"
        if dilated:
            tap += f" * dilations[{i}]"
        return f"{out} + {tap}"

    output = f"O({', '.join(result)})"
    value = (f"std_mulf(I({', '.join(index(a) for a in image)}), "
             f"K({', '.join('k' + a if a in space else a for a in kernel)}))")
    attributes = [f"strides: {len(space)}xi64"] * modern + [f"dilations: {len(space)}xi64"] * dilated
    text = (f"ods_def<{class_name(name)}>:\n"
            f"def {name}(I: f32({', '.join(map(size, image))}),\n"
            f"    K: f32({', '.join('K' + a.upper() if a in space else a.upper() for a in kernel)}))\n"
            f"  -> (O: f32({', '.join(map(size, result))}))\n"
            + (f"  attr({', '.join(attributes)})\n" if attributes else "")
            + f'"""Convolution, {image} with {kernel}.\n\nWritten as it was.\n"""\n{{\n'
            + reduction(explicit, output, "std_addf", ["k" + a for a in space], value) + "}\n")
    channels = "c" in image and not depthwise
    return Historic(name, text, len(space) + channels, ("f32", "f32"), None, layouts, modern, dilated)


def all_defs(explicit):
    defs = [contraction(name, suffix, explicit) for name in CONTRACTIONS for suffix in TYPES]
    return defs + [convolution(name, explicit) for name in CONVOLUTIONS]


def draw(rng, shape, kind):
    return rng.integers(-3, 4, shape).astype({"f32": np.float32}.get(kind, f"int{kind[1:]}"))


def arrays_of(op, rng):
    """(arrays by name, attributes, wanted result)"""
    if op.letters:
        sizes = {x: int(rng.integers(1, 6)) for x in "".join(op.letters)}
        a, b, c = (draw(rng, [sizes[x] for x in letters], kind)
                   for letters, kind in zip(op.letters, (op.types[0], op.types[0], op.types[1])))
        product = np.einsum(f"{op.letters[0]},{op.letters[1]}->{op.letters[2]}", a.astype(np.int64), b.astype(np.int64))
        return {"A": a, "B": b, "C": c}, {}, c + product
    image, kernel, result = op.layouts
    space = formulas_conv.space_of(image)
    sizes = {x.upper(): int(rng.integers(1, 4)) for x in image + kernel + result}
    sizes.update({p + a.upper(): int(rng.integers(1, 4)) for a in space for p in "KO"})
    attributes = {}
    if op.strided:
        attributes["strides"] = [int(n) for n in rng.integers(1, 3, len(space))]
    if op.dilated:
        attributes["dilations"] = [int(n) for n in rng.integers(1, 3, len(space))]
    for i, a in enumerate(space):
        a = a.upper()
        sizes["I" + a] = ((sizes["O" + a] - 1) * attributes.get("strides", [1] * 3)[i]
                          + (sizes["K" + a] - 1) * attributes.get("dilations", [1] * 3)[i] + 1)
    shape = lambda layout, p: [sizes[(p if a in space else "") + a.upper()] for a in layout]
    I, K, O = draw(rng, shape(image, "I"), "f32"), draw(rng, shape(kernel, "K"), "f32"), draw(rng, shape(result, "O"), "f32")
    return {"I": I, "K": K, "O": O}, attributes, formulas_conv.convolve(op.layouts, I, K, O, **sizes, **attributes)


def run_kernel(library, op, rng):
    arrays, attributes, wanted = arrays_of(op, rng)
    names = list(arrays)
    args = [abi.describe(arrays[n]) for n in names]
    args += [abi.c_attribute("i64", attributes[a]) for a in ("strides", "dilations") if a in attributes]
    if status := getattr(library, op.name)(*args):
        return f"status {status}"
    return None if np.array_equal(arrays[names[-1]], wanted) else f"got\n{arrays[names[-1]]}\nnot\n{wanted}"


def check_form(cases, folder, explicit):
    form = "explicit" if explicit else "implicit"
    defs = all_defs(explicit)
    spec = folder / f"{form}.tc"
    spec.write_text("\n".join(op.text for op in defs))
    for op in defs:
        said = einc_tool.run("check", spec, "--def", op.name)
        warnings = said.stderr.count(": warning: ")
        cases.check(f"{form} {op.name}: warnings", None if said.returncode == 0 and warnings == op.slips
                    else f"{warnings} warnings, expected {op.slips}; exit code {said.returncode}\n{said.stderr}")
        strict = einc_tool.run("check", "--Werror", spec, "--def", op.name).returncode
        cases.check(f"{form} {op.name}: --Werror", None if strict == (1 if op.slips else 0) else f"exit code {strict}")
        target = [] if einc_tool.LONG else ["--target=x86-64-v3"]
        fixed = ["--attr=strides=1"] * op.strided + ["--attr=dilations=1"] * op.dilated
        for stage in ["ast", "ops", "hw", "c", "header", "manifest", "ods", "ods-impl", "yaml", "mlir"]:
            done = einc_tool.run("emit", f"--stage={stage}", spec, "--def", op.name, *(fixed if stage == "mlir" else target))
            named = op.name in done.stdout or class_name(op.name) in done.stdout
            cases.check(f"{form} {op.name}: {stage}", None if done.returncode == 0 and named else f"exit code {done.returncode}\n{done.stderr[-800:]}")
    library = abi.build_sources(folder / form, form, [spec], "-O0", "--target=x86-64-v3")
    for op in defs:
        rng = np.random.default_rng(len(op.name))
        for i in range(4):
            cases.run(f"{form} {op.name}: kernel {i}", run_kernel, library, op, rng)


def main():
    cases = einc_tool.Cases()
    folder = einc_tool.scratch()
    for explicit in (False, True):
        check_form(cases, folder, explicit)
    cases.finish()


if __name__ == "__main__":
    main()
