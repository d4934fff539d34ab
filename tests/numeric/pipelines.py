# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Defs of specs/ one after another: what they are for together.

  winograd  filter and input transforms, products, output transform: a convolution
  tiles     pack both factors, mmt4d, unpack: a matrix product
"""

import numpy as np

from tests.numeric import abi, einc_tool, formulas_conv, formulas_winograd

_SPECS = ("batch_matmul.tc", "layout.tc", "matmul.tc", "winograd.tc")
_DEFS = ["batch_matmul", "pack", "pack_transposed", "mmt4d", "unpack"] + [
    f"winograd_{part}_transform{form}" for part in ("filter", "input", "output")
    for form in ["", *[f"_f{m}_{r}" for m, r in formulas_winograd.MATRICES]]]


def _call(library, name, *arguments):
    """`arguments`: float64 arrays and whole numbers."""
    passed = [abi.describe(a) if isinstance(a, np.ndarray) else a for a in arguments]
    status = library.kernel(name)(*passed)
    if status:
        raise RuntimeError(f"{name}: status {status}")


def _difference(got, wanted):
    error = np.abs(got - wanted).max(initial=0)
    return None if error <= 1e-11 * (1 + np.abs(wanted).max(initial=0)) else f"off by {error}"


def winograd(library, m, r, built_in, seed):
    """`built_in`: the defs that have their matrices; else those that take them."""
    rng = np.random.default_rng(seed)
    n, c, f, oh, ow = (int(size) for size in rng.integers(1, [3, 6, 6, 12, 12]))
    e, th, tw = m + r - 1, -(-oh // m), -(-ow // m)
    image, kernel = rng.normal(size=(n, oh + r - 1, ow + r - 1, c)), rng.normal(size=(f, r, r, c))
    u, v = np.full((e, e, c, f), np.nan), np.full((e, e, th, tw, n, c), np.nan)
    x, out = np.zeros((e, e, th, tw, n, f)), np.full((n, oh, ow, f), np.nan)
    g, bt, at = (np.array(matrix, np.float64) for matrix in formulas_winograd.MATRICES[m, r])
    suffix = f"_f{m}_{r}" if built_in else ""
    _call(library, "winograd_filter_transform" + suffix, *([] if built_in else [g]), kernel, u)
    more = [] if built_in else [abi.c_scalar("i64", m)]
    _call(library, "winograd_input_transform" + suffix, *([] if built_in else [bt]), image, *more, v)
    _call(library, "batch_matmul", v.reshape(e * e, th * tw * n, c), u.reshape(e * e, c, f),
          x.reshape(e * e, th * tw * n, f))
    _call(library, "winograd_output_transform" + suffix, *([] if built_in else [at]), x, out)
    wanted = formulas_conv.convolve(("nhwc", "fhwc", "nhwf"), image, kernel, np.zeros_like(out), OH=oh, OW=ow, KH=r, KW=r)
    return _difference(out, wanted)


def tiles(library, seed):
    rng = np.random.default_rng(seed)
    m, n, k, m0, n0, k0 = (int(size) for size in rng.integers(1, [20, 20, 20, 6, 6, 6]))
    count = lambda size, tile: -(-size // tile)
    a, b, c = rng.normal(size=(m, k)), rng.normal(size=(k, n)), np.full((m, n), np.nan)
    left = np.full((count(m, m0), count(k, k0), m0, k0), np.nan)
    right = np.full((count(n, n0), count(k, k0), n0, k0), np.nan)
    product = np.zeros((count(m, m0), count(n, n0), m0, n0))
    _call(library, "pack", a, abi.c_scalar("f64", 0), left)
    _call(library, "pack_transposed", b, abi.c_scalar("f64", 0), right)
    _call(library, "mmt4d", left, right, product)
    _call(library, "unpack", product, c)
    return _difference(c, a @ b)


def check_all(cases, folder):
    folder.mkdir(parents=True)
    specs = [path for path in einc_tool.specs() if path.name in _SPECS]
    try:
        library = abi.build_sources(folder, "pipelines", specs, "-O0", "--target=x86-64-v3", "--type", "T=f64",
                                    *[f"--def={name}" for name in _DEFS])
    except RuntimeError as error:
        cases.check("build for pipelines", error)
        return
    for seed in range(100 if einc_tool.LONG else 10):
        cases.run(f"tiles {seed}", tiles, library, seed)
        for m, r in formulas_winograd.MATRICES:
            for built_in in (False, True):
                cases.run(f"winograd F({m}, {r}) {built_in} {seed}", winograd, library, m, r, built_in, seed)
