# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Defs of specs/ on what drawn data do not have: infinities, NaN, ties, nothing at all, halves, wrapping."""

import numpy as np

from tests.numeric import abi, einc_tool

_INF, _NAN = np.inf, np.nan
_ROWS = [[-_INF, -_INF], [_INF, 0], [_NAN, 0], [1000, 1000], [-1000, -_INF]]
_LOG2 = np.log(2.0)
_EMPTY = np.zeros((2, 0))
_HALVES = [[-2.5, -1.5, -0.5, 0.5, 1.5, 2.5]]
_LEAST = -(2**31)

# def, its arguments before the outputs (f32, unless they have another type), the outputs
CASES = [
    ("logsumexp_rows", [_ROWS], [[-_INF, _INF, _NAN, 1000 + _LOG2, -1000]]),
    ("logsumexp_columns", [np.transpose(_ROWS)], [[-_INF, _INF, _NAN, 1000 + _LOG2, -1000]]),
    ("logsumexp_all", [[[1000, 1000]]], [1000 + _LOG2]),
    ("logsumexp_all", [[[_INF, 0]]], [_INF]),
    ("logsumexp_rows", [_EMPTY], [[-_INF, -_INF]]),
    ("max_rows", [_EMPTY], [[-_INF, -_INF]]),
    ("min_rows", [_EMPTY], [[_INF, _INF]]),
    ("max_all", [[[1, _NAN]]], [_NAN]),
    ("prod_rows", [_EMPTY], [[1, 1]]),
    ("mean_rows", [_EMPTY], [[_NAN, _NAN]]),
    ("argmax_rows", [_EMPTY], [[-_INF, -_INF], np.array([2**63 - 1] * 2)]),
    ("argmin_all", [np.zeros((0, 5))], [_INF, np.array(2**63 - 1)]),
    ("argmax_rows", [[[1, _NAN, 3, _NAN]]], [[_NAN], np.array([1])]),
    ("argmin_columns", [[[1], [_NAN], [0]]], [[_NAN], np.array([1])]),
    ("argmin_all", [[[3, 1], [1, 2]]], [1, np.array(1)]),
    ("argmax_rows", [[[-_INF, -_INF], [2, 2]]], [[-_INF, 2], np.array([0, 0])]),
    ("argmax_columns", [[[1, 5], [7, 5]]], [[7, 5], np.array([1, 0])]),
    ("argmax_all", [[[1, 7], [7, 5]]], [7, np.array(1)]),
    ("any_rows", [np.zeros((2, 0), bool)], [np.array([False, False])]),
    ("all_rows", [np.zeros((2, 0), bool)], [np.array([True, True])]),
    ("round", [_HALVES], [[[-3, -2, -1, 1, 2, 3]]]),
    ("ceil", [_HALVES], [[[-2, -1, 0, 1, 2, 3]]]),
    ("floor", [_HALVES], [[[-3, -2, -1, 0, 1, 2]]]),
    ("max", [[[_NAN, 1]], [[1, _INF]]], [[[_NAN, _INF]]]),
    ("reciprocal", [[[0, _INF]]], [[[_INF, 0]]]),
    ("rsqrt", [[[0, _INF, 0.25, -1]]], [[[_INF, 0, 2, _NAN]]]),
    ("powf", [[[0, -2, -8]], [[0, 3, 0.5]]], [[[1, -8, _NAN]]]),
    ("div_unsigned", [np.array([[-1, 7]], np.int32), np.array([[2, 0]], np.int32)], [np.array([[2**31 - 1, 0]], np.int32)]),
    ("matmul_i16_i16_i32", [np.array([[_LEAST >> 16] * 2], np.int16), np.array([[_LEAST >> 16]] * 2, np.int16)],
     [np.array([[_LEAST]], np.int32)]),
    ("matmul_unsigned", [np.array([[-1]], np.int8), np.array([[-1]], np.int8)], [np.array([[255 * 255]], np.int32)]),
]


def _argument(value):
    value = np.asarray(value)
    return np.ascontiguousarray(value, np.float32) if value.dtype in (np.float64, np.int64) else value


def _case(library, name, inputs, wanted):
    outputs = []
    for want in wanted:
        position = isinstance(want, np.ndarray) and want.dtype == np.int64
        outputs.append(np.zeros(np.shape(want), np.int64 if position else _argument(want).dtype))
    status = library.kernel(name)(*[abi.describe(a) for a in [_argument(i) for i in inputs] + outputs])
    if status:
        return f"status {status}"
    for got, want in zip(outputs, wanted):
        if not np.array_equal(got, np.asarray(want, got.dtype), equal_nan=got.dtype.kind == "f"):
            return f"{got.tolist()}, not {np.asarray(want).tolist()}"
    return None


def check_all(cases, folder):
    folder.mkdir(parents=True)
    specs = [path for path in einc_tool.specs() if path.name in ("elementwise.tc", "matmul.tc", "reductions.tc")]
    try:
        library = abi.build_sources(folder, "edges", specs, "-O0", *[f"--def={name}" for name in sorted({name for name, *_ in CASES})])
    except RuntimeError as error:
        cases.check("build for edges", error)
        return
    for number, (name, inputs, wanted) in enumerate(CASES):
        cases.run(f"edge {number}, {name}", _case, library, name, inputs, wanted)
