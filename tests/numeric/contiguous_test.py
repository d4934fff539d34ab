# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""--strides=contiguous: the same results where tensors are as promised, a status where they are not, and less code."""

import ctypes

import numpy as np

from tests.numeric import abi, einc_tool, formulas

_FLAGS = ["--strides=contiguous"]
_STATUS = abi.statuses()


def refuses(library):
    """One argument whose last dimension is strided, reversed or in one place; of one position it may be anything."""
    kernel = library.kernel("matmul")
    arrays = [np.ones(shape, np.float32) for shape in ((5, 7), (7, 6), (5, 6))]

    def call(args):
        words = [abi.describe(a) for a in args]
        return kernel(*[ctypes.byref(w) for w in words])

    good = [a.copy() for a in arrays]
    if call(good) != 0 or not np.array_equal(good[2], arrays[0] @ arrays[1] + 1):
        return f"{good[2]}"
    for i, array in enumerate(arrays):
        wide = np.ones((array.shape[0], 2 * array.shape[1]), np.float32)
        forms = {"every second": wide[:, ::2], "columns": np.asfortranarray(array), "rows apart": wide[:, : array.shape[1]]}
        if i < 2:
            forms |= {"reversed": array[:, ::-1], "in one place": np.broadcast_to(array[:, :1], array.shape)}
        for name, form in forms.items():
            args = [a.copy() for a in arrays]
            args[i] = form
            before = form.copy()
            status = call(args)
            wanted = 0 if name == "rows apart" else _STATUS["BAD_STRIDE"]
            if status != wanted or (wanted and not np.array_equal(before, form)):
                return f"operand {i}, {name}: {status}"
    # One column: whatever stride.
    args = [arrays[0], np.ones((7, 4), np.float32)[:, ::4], np.zeros((5, 8), np.float32)[:, ::8]]
    return None if call(args) == 0 and (args[2] == 7).all() else f"one column: {args[2]}"


def less_code(folder):
    size = []
    for flags in ([], _FLAGS):
        done = einc_tool.must(einc_tool.run("emit", "--stage=c", einc_tool.find("specs/matmul.tc"), "--def=matmul", "--target=x86-64-v4", *flags))
        size.append(done.stdout.count("\n"))
    return None if size[1] < 0.9 * size[0] else str(size)


def main():
    cases, folder = einc_tool.Cases(), einc_tool.scratch()
    specs = [p for p in einc_tool.specs() if p.name in ("matmul.tc", "conv.tc", "softmax.tc", "layout.tc", "reductions.tc", "pooling.tc", "matvec.tc")]
    defs = formulas.defs_of(specs)
    library = abi.build_sources(folder, "k", specs, "-O0", *_FLAGS)
    cases.run("refused", refuses, library)
    cases.run("less code", less_code, folder)
    for seed, name in enumerate(sorted(defs)):
        for sizes in ([1, 2, 3, 5], [4, 17, 48, 70]):
            element = formulas.default_element(name, defs[name])
            call = formulas.Call(name, element, np.random.default_rng(seed), whole=True, sizes=sizes)
            cases.run(f"{name} {sizes}", call.run_native, library)
    cases.finish()


if __name__ == "__main__":
    main()
