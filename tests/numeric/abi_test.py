# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""FAULTS 29 to 39, 41 and 42: generated kernels called as C calls them, on memory that is guarded.

Every refused call must give the exact status, and must not touch any tensor: the tensors of such a
call lie in pages that cannot even be read.
"""

import ctypes
import os
import signal
import sys

import numpy as np

from tests.numeric import abi, compilers, einc_tool
from tests.numeric.guarded import Pages, Tensor

STATUS = abi.statuses()
NAMES = {value: name for name, value in STATUS.items()}
BIG = 2**63 - 1


class Kernels:
    """The library, each function with a status by name."""

    def __init__(self, library):
        self.library = library

    def call(self, name, *args):
        passed = [a.words() if isinstance(a, Tensor) else a for a in args]
        status = getattr(self.library, name)(*passed)
        return NAMES.get(status, str(status))

    def explain(self, name, *args):
        function = getattr(self.library, f"{name}_explain")
        function.restype = ctypes.c_char_p
        return function(*[a.words() if isinstance(a, Tensor) else a for a in args]).decode()

    def sentence(self, status):
        self.library.einc_status_string.restype = ctypes.c_char_p
        return self.library.einc_status_string(STATUS[status]).decode()


def words(data, sizes, strides=None, offset=0, allocated=None):
    """A descriptor. Row-major where no strides are given."""
    if strides is None:
        strides, step = [], 1
        for size in reversed(sizes):
            strides.insert(0, step)
            step = step * size if abs(step * size) < 2**62 else 1
    return (ctypes.c_int64 * (3 + 2 * len(sizes)))(
        data if allocated is None else allocated, data, offset, *sizes, *strides)


def f32(*shape, seed=0):
    return np.random.default_rng(seed).integers(-4, 5, shape).astype(np.float32)


def expect(got, wanted):
    return None if got == wanted else f"status {got}, not {wanted}"


def same(got, wanted):
    return None if np.array_equal(got, wanted) else f"{np.asarray(got).tolist()}, not {np.asarray(wanted).tolist()}"[:600]


# ---- 29, 31, 33 to 36: descriptors that a kernel refuses, or not ----


def refused(k):
    """(case, status, kernel, arguments): none of them may touch the memory it names."""
    closed = Pages(1 << 16)
    closed.protect()
    p = closed.address + 64 - closed.address % 64
    closed.keep = p
    m = lambda *sizes, **kw: words(p, sizes, **kw)
    ok = m(2, 2), words(p + 4096, (2, 2)), words(p + 8192, (2, 2))
    A, B, C = ok
    one = words(p, (4,))
    cases = []
    for i, name in enumerate("ABC"):
        args = list(ok)
        args[i] = None
        cases.append((29, f"null descriptor {name}", "NULL_DESCRIPTOR", "matmul", args))
        args = list(ok)
        args[i] = words(0, (2, 2))
        cases.append((29, f"null data {name}", "NULL_DATA", "matmul", args))
        for sizes in [(-1, 2), (2, -1), (-1, -1), (-(2**63), 2), (0, -1)]:
            args = list(ok)
            args[i] = words(p, sizes, [1, 1])
            cases.append((31, f"sizes {sizes} of {name}", "NEGATIVE_SIZE", "matmul", args))
        args = list(ok)
        args[i] = words(p + 4096 * i + 1, (2, 2))
        cases.append((36, f"{name} at an odd address", "MISALIGNED", "matmul", args))
        args = list(ok)
        args[i] = words(p + 4096 * i + 2, (2, 2))
        cases.append((36, f"{name} at half an element", "MISALIGNED", "matmul", args))
        args = list(ok)
        args[i] = words(p, (2, 2), [BIG, 1])
        cases.append((31, f"stride 2^63 - 1 of {name}", "OVERFLOW", "matmul", args))
        args = list(ok)
        args[i] = words(p, (2, 2), [-BIG, 1])
        cases.append((31, f"stride -2^63 + 1 of {name}", "OVERFLOW", "matmul", args))
        args = list(ok)
        args[i] = words(p, (2, 2), [2**61, 1])
        cases.append((31, f"bytes past PTRDIFF_MAX in {name}", "OVERFLOW", "matmul", args))
        args = list(ok)
        args[i] = words(p, (2, 2), offset=BIG)
        cases.append((31, f"offset 2^63 - 1 of {name}", "OVERFLOW", "matmul", args))
        args = list(ok)
        args[i] = words(p, (2, 2), offset=2**61)
        cases.append((31, f"offset whose bytes overflow in {name}", "OVERFLOW", "matmul", args))
    cases += [
        (29, "null data behind an offset", "NULL_DATA", "matmul", [words(0, (2, 2), offset=16), B, C]),
        (31, "0 x 2^55 elements", "OVERFLOW", "matmul", [words(p, (0, 2**55), [1, 1]), words(p, (2**55, 2), [0, 0]), words(p, (0, 2), [2, 1])]),
        (31, "2^62 x 4 elements", "OVERFLOW", "add", [words(p, (2**62, 4), [0, 0])] * 2 + [words(p, (2**62, 4), [4, 1])]),
        (31, "K differs", "SIZE_MISMATCH", "matmul", [m(2, 3), B, C]),
        (31, "M differs", "SIZE_MISMATCH", "matmul", [A, B, words(p + 8192, (3, 2))]),
        (31, "N differs", "SIZE_MISMATCH", "matmul", [A, B, words(p + 8192, (2, 3))]),
        (31, "output empty, inputs not", "SIZE_MISMATCH", "matmul", [A, B, words(p + 8192, (0, 2))]),
        (31, "fixed size", "SIZE_MISMATCH", "fixed", [m(4, 2), words(p + 4096, (2,))]),
        (31, "N + 1 against 2 * N", "SIZE_MISMATCH", "linked", [words(p, (4,)), words(p + 4096, (7,))]),
        (31, "N + 1 of size 0", "NEGATIVE_SIZE", "linked", [words(p, (0,)), words(p + 4096, (0,))]),
        (31, "reaches past the window", "OUT_OF_RANGE", "window", [words(p, (5,)), words(p + 4096, (3,)), words(p + 8192, (4,)), None]),
        (31, "reaches past with a stride", "OUT_OF_RANGE", "every", [words(p, (5,)), words(p + 4096, (3,)), abi.c_attribute("i64", [3])]),
        (31, "reaches below 0", "OUT_OF_RANGE", "every", [words(p, (5,)), words(p + 4096, (3,)), abi.c_attribute("i64", [-1])]),
        (31, "index past 64 bits", "OVERFLOW", "every", [words(p, (5,)), words(p + 4096, (3,)), abi.c_attribute("i64", [BIG])]),
        (31, "writes past the end", "OUT_OF_RANGE", "scattered", [one, words(p + 4096, (6,))]),
        (31, "division by zero", "DIVISION_BY_ZERO", "divided", [words(p, (5,)), words(p + 4096, (3,)), abi.c_attribute("i64", [0])]),
        (31, "no attribute", "BAD_ATTRIBUTE", "every", [words(p, (5,)), words(p + 4096, (3,)), None]),
        (34, "stride 0", "SELF_OVERLAP", "add", [A, B, words(p + 8192, (2, 2), [0, 1])]),
        (34, "stride 0 of a column", "SELF_OVERLAP", "add", [A, B, words(p + 8192, (2, 2), [1, 0])]),
        (34, "rows that overlap", "SELF_OVERLAP", "add", [A, B, words(p + 8192, (2, 2), [1, 1])]),
        (34, "columns that overlap rows", "SELF_OVERLAP", "add", [m(3, 4), words(p + 4096, (3, 4)), words(p + 8192, (3, 4), [2, 1])]),
        (34, "negative and positive strides", "SELF_OVERLAP", "add", [A, B, words(p + 8192, (2, 2), [-1, 1])]),
        (34, "strides 3 and 2 of 3 x 4", "SELF_OVERLAP", "add", [m(3, 4), words(p + 4096, (3, 4)), words(p + 8192, (3, 4), [3, 2])]),
        (35, "output is an input", "ALIASED", "matmul", [A, B, A]),
        (35, "known sizes, the first row", "ALIASED", "small", [words(p + 28, (2, 3)), words(p + 4096, (3, 4)), words(p, (2, 4))]),
        (35, "known sizes, the last element", "ALIASED", "small", [words(p, (2, 3)), words(p + 4096, (3, 4)), words(p + 20, (2, 4))]),
        (35, "known sizes, through an offset", "ALIASED", "small",
         [words(p, (2, 3)), words(p + 4096, (3, 4)), words(p, (2, 4), offset=1028)]),
        (36, "known sizes, at half an element", "MISALIGNED", "small", [words(p + 2, (2, 3)), words(p + 4096, (3, 4)), words(p + 8192, (2, 4))]),
        (29, "known sizes, null data", "NULL_DATA", "small", [words(p, (2, 3)), words(0, (3, 4)), words(p + 8192, (2, 4))]),
        (31, "known sizes, an offset of 2^61", "OVERFLOW", "small", [words(p, (2, 3)), words(p + 4096, (3, 4), offset=2**61), words(p + 8192, (2, 4))]),
        (31, "known sizes, another", "SIZE_MISMATCH", "small", [words(p, (2, 3)), words(p + 4096, (3, 5)), words(p + 8192, (2, 4))]),
        (35, "output is the other input", "ALIASED", "matmul", [A, B, B]),
        (35, "output one element behind an input", "ALIASED", "add", [A, B, words(p + 4, (2, 2))]),
        (35, "output transposed over an input", "ALIASED", "add", [A, B, words(p, (2, 2), [1, 2])]),
        (35, "output reversed over an input", "ALIASED", "increment", [words(p, (4,)), words(p + 24, (4,), [-1])]),
        (35, "the same view, read backwards", "ALIASED", "reverse", [one, one]),
        (35, "the same view, transposed", "ALIASED", "transpose", [A, A]),
        (35, "the last element alone", "ALIASED", "increment", [words(p, (4,)), words(p + 24, (4,))]),
        (35, "one output is the other", "ALIASED", "sums", [A, words(p + 4096, (2,)), words(p + 4096, (2,))]),
        (35, "outputs overlap", "ALIASED", "sums", [A, words(p + 4096, (2,)), words(p + 4100, (2,))]),
    ]
    for fault, name, wanted, kernel, args in cases:
        yield f"fault {fault}: {name}", lambda a=args, w=wanted, f=kernel: expect(k.call(f, *a), w)
        entry = f"{kernel}_supported"
        yield f"fault {fault}: {name}, _supported", lambda a=args, w=wanted, f=entry: expect(k.call(f, *a), w)
        yield f"fault {fault}: {name}, _explain", lambda a=args, w=wanted, f=kernel: expect(k.explain(f, *a), k.sentence(w))
    yield "fault 31: refused through _mlir_ciface_", lambda: getattr(k.library, "_mlir_ciface_matmul")(m(2, 3), B, C) and None


def accepted(k):
    """(case, function that gives what is wrong)."""

    def empty(name, *sizes):
        # Null data, strange strides and offsets: nothing is there to be read.
        return expect(k.call(name, *[words(0, s, [BIG] * len(s), offset=7) for s in sizes]), "OK")

    yield "fault 29: null data without elements", lambda: empty("matmul", (0, 3), (3, 2), (0, 2)) and empty("add", *[(0, 2)] * 3)
    yield "fault 30: all sizes 0", lambda: empty("matmul", (0, 0), (0, 0), (0, 0))
    yield "fault 30: no rows", lambda: empty("add", (0, 5), (0, 5), (0, 5))
    yield "fault 30: no columns", lambda: empty("add", (5, 0), (5, 0), (5, 0))
    for name, wanted in [("matmul", 7.0), ("matmul_set", 0.0)]:
        def no_terms(name=name, wanted=wanted):
            c = Tensor(np.full((2, 3), 7, np.float32))
            return expect(k.call(name, words(0, (2, 0)), words(0, (0, 3)), c), "OK") or same(c.view, np.full((2, 3), wanted))

        yield f"fault 30: K = 0 in {name}", no_terms

    # No index leaves the image then, since none is computed: it may be smaller than its windows, and is not read.
    def no_filters():
        closed = Pages(1 << 16)
        closed.protect()
        return expect(k.call("filters", words(closed.address, (8, 2, 2)), words(0, (2, 3, 8, 0)), words(0, (0, 30, 40))), "OK")

    yield "fault 30: no filters of an image", no_filters

    def beta(value, initial, wanted):
        c = Tensor(np.full((2, 2), initial, np.float32))
        a, b = Tensor(np.eye(2, dtype=np.float32)), Tensor(np.ones((2, 2), np.float32))
        status = k.call("gemm", ctypes.c_float(2), a, b, ctypes.c_float(value), c)
        return expect(status, "OK") or same(c.view, np.full((2, 2), wanted))

    yield "fault 30: beta * C", lambda: beta(3, 5, 17)
    yield "fault 30: beta = 0 does not read C", lambda: beta(0, np.nan, 2)

    def null_beside_empty():
        return expect(k.call("matmul", words(0, (0, 2)), words(0, (2, 0)), words(0, (0, 0))), "OK")

    yield "fault 29: null beside empty tensors", null_beside_empty

    def huge_stride_of_one():
        a, b, c = Tensor(f32(1, 2)), Tensor(f32(2, 1)), Tensor(np.zeros((1, 1), np.float32))
        status = k.call("matmul", words(a.data, (1, 2), [BIG, 1]), words(b.data, (2, 1), [1, -BIG]), words(c.data, (1, 1), [0, 0]))
        return expect(status, "OK") or same(c.view, a.view @ b.view)

    yield "fault 31: strides of dimensions of size 1 mean nothing", huge_stride_of_one

    shapes = {"row-major": lambda r, c: [c, 1], "column-major": lambda r, c: [1, r], "padded rows": lambda r, c: [c + 3, 1],
              "no unit stride": lambda r, c: [2 * c + 5, 2], "reversed": lambda r, c: [-c, -1], "rows reversed": lambda r, c: [-c - 2, 1],
              "columns reversed, column-major": lambda r, c: [1, -r - 1]}
    inputs = {**shapes, "stride 0": lambda r, c: [0, 0], "one row for all": lambda r, c: [0, 1], "one column for all": lambda r, c: [1, 0],
              "rows that overlap": lambda r, c: [1, 1]}

    def strided(x, y, z, m=3, n=4, depth=5):
        a = Tensor(f32(m, depth, seed=1), inputs[x](m, depth))
        b = Tensor(f32(depth, n, seed=2), inputs[y](depth, n))
        c = Tensor(f32(m, n, seed=3), shapes[z](m, n))
        wanted, gaps = c.view + a.view @ b.view, c.gaps()
        message = expect(k.call("matmul", a, b, c), "OK") or same(c.view, wanted)
        return message or (None if c.gaps() == gaps else "a gap was written to")

    for x in inputs:
        yield f"fault 33: A {x}", lambda x=x: strided(x, "row-major", "row-major")
        yield f"fault 33: B {x}", lambda x=x: strided("row-major", x, "row-major")
    for z in shapes:
        yield f"fault 33: C {z}", lambda z=z: strided("row-major", "row-major", z)
        yield f"fault 33: all {z}", lambda z=z: strided(z, z, z)

    def interleaved():
        """Even elements are read, odd ones are written: no overlap."""
        t = Tensor(np.arange(16, dtype=np.float64))
        status = k.call("increment", words(t.data, (8,), [2]), words(t.data + 8, (8,), [2]))
        return expect(status, "OK") or same(t.view, np.repeat(np.arange(0, 16, 2), 2) + np.tile([0, 1], 8))

    yield "fault 35: interleaved, not overlapping", interleaved

    def columns():
        t = Tensor(f32(4, 6))
        wanted = t.view[:, :3] + t.view[:, :3]
        status = k.call("add", words(t.data, (4, 3), [6, 1]), words(t.data, (4, 3), [6, 1]), words(t.data + 12, (4, 3), [6, 1]))
        return expect(status, "OK") or same(t.view[:, 3:], wanted)

    yield "fault 35: left columns read, right ones written", columns

    def in_place():
        a = Tensor(np.arange(9, dtype=np.float64))
        return expect(k.call("increment", a, a), "OK") or same(a.view, np.arange(9) + 1)

    yield "fault 35: the very same view, where the spec allows it", in_place

    def softmax_in_place():
        x, y = f32(3, 4), Tensor(np.zeros((3, 4), np.float32))
        k.call("softmax", Tensor(x), y)
        z = Tensor(x)
        return expect(k.call("softmax", z, z), "OK") or same(z.view, y.view)

    yield "fault 35: the very same view through several statements", softmax_in_place

    def same_inputs():
        a, c = Tensor(f32(4, 4)), Tensor(np.zeros((4, 4), np.float32))
        wanted = a.view @ a.view
        return expect(k.call("matmul", a, a, c), "OK") or same(c.view, wanted)

    yield "fault 35: inputs may be one tensor", same_inputs

    def offsets():
        a, b, c = Tensor(f32(3, 3, seed=1)), Tensor(f32(3, 3, seed=2)), Tensor(np.zeros((3, 3), np.float32))
        args = [words(t.data - 4 * o, (3, 3), offset=o) for t, o in [(a, 1000), (b, -1000), (c, 17)]]
        return expect(k.call("matmul", *args), "OK") or same(c.view, a.view @ b.view)

    yield "fault 32: offsets on either side", offsets

    def allocated_is_ignored():
        a = Tensor(np.arange(3, dtype=np.float64))
        c = Tensor(np.zeros(3))
        status = k.call("increment", words(a.data, (3,), allocated=1), words(c.data, (3,), allocated=3))
        return expect(status, "OK") or same(c.view, [1, 2, 3])

    yield "fault 36: the allocated pointer is ignored", allocated_is_ignored

    def misaligned(shift):
        pages = Pages(64 + 8 * 33)
        at = pages.address - pages.address % 64 + 64 + shift
        a = np.frombuffer((ctypes.c_char * 64).from_address(at), np.float32)
        a[:] = np.arange(16)
        c = Tensor(np.zeros((4, 4), np.float32))
        status = k.call("add", words(at, (4, 4)), words(at, (4, 4)), c)
        return expect(status, "OK") or same(c.view, 2 * np.arange(16).reshape(4, 4))

    for shift in range(4, 64, 4):
        yield f"fault 36: {shift} bytes off a cache line", lambda shift=shift: misaligned(shift)

    def bytes_at(shift):
        a, c = Tensor(np.arange(3, dtype=np.int8).reshape(1, 3)), Tensor(np.zeros((1, 3), np.int8))
        return expect(k.call("add_i8", a, a, c), "OK") or same(c.view, [[0, 2, 4]])

    yield "fault 36: bytes need no alignment", lambda: bytes_at(1)


# ---- 37: guard pages, every tail ----


def guarded(k):
    def elementwise(name, dtype, n, at_end, strides=None):
        values = np.arange(n) % 7
        values = values.astype(np.float16).view(np.uint16) if name == "double_f16" else values.astype(dtype)
        if name == "negate_bool":
            values = (np.arange(n) % 2).astype(np.uint8)
        a, c = Tensor(values, strides, at_end), Tensor(np.zeros_like(values), strides, at_end)
        gaps = c.gaps()
        message = expect(k.call(name, a, c), "OK")
        wanted = {"increment": lambda x: x + 1, "reverse": lambda x: x[::-1], "negate_bool": lambda x: 1 - x,
                  "double_f16": lambda x: (x.view(np.float16) * 2).astype(np.float16).view(np.uint16)}[name](values)
        message = message or same(c.view, wanted) or (None if c.gaps() == gaps else "a gap was written to")
        a.close(), c.close()
        return message

    def all_tails(name, dtype, at_end, strides=None):
        for n in range(0, 70):
            message = elementwise(name, dtype, n, at_end, strides)
            if message:
                return f"n = {n}: {message}"
        return None

    for name, dtype in [("increment", np.float64), ("reverse", np.float32), ("negate_bool", np.uint8), ("double_f16", np.uint16)]:
        for at_end in (True, False):
            for strides in (None, [3], [-1], [-2]):
                yield (f"fault 37: {name}, flush at the {'end' if at_end else 'beginning'}, stride {strides or 1}",
                       lambda a=(name, dtype, at_end, strides): all_tails(*a))

    def products(at_end, pad):
        for m in range(0, 9):
            for n in [0, 1, 2, 3, 5, 8, 15, 16, 17, 31, 33]:
                for depth in [0, 1, 2, 4, 7]:
                    a = Tensor(f32(m, depth, seed=1), [depth + pad, 1], at_end)
                    b = Tensor(f32(depth, n, seed=2), [n + pad, 1], at_end)
                    c = Tensor(f32(m, n, seed=3), [n + pad, 1], at_end)
                    wanted, gaps = c.view + a.view @ b.view, c.gaps()
                    message = expect(k.call("matmul", a, b, c), "OK") or same(c.view, wanted)
                    if message or c.gaps() != gaps:
                        return f"M, N, K = {m}, {n}, {depth}: {message or 'a gap was written to'}"
                    for t in (a, b, c):
                        t.close()
        return None

    def windows(at_end):
        for m in range(0, 12):
            for size in range(0, 6):
                for step in (1, 2, 3):
                    a = Tensor(f32(max((m - 1) * step + size, 0) if m and size else 0, seed=1), None, at_end)
                    b, c = Tensor(f32(size, seed=2), None, at_end), Tensor(f32(m, seed=3), None, at_end)
                    wanted = c.view.copy()
                    for i in range(m):
                        wanted[i] += sum(a.view[i * step + j] * b.view[j] for j in range(size))
                    message = expect(k.call("window", a, b, c, abi.c_attribute("i64", [step])), "OK") or same(c.view, wanted)
                    if message:
                        return f"M, K, s = {m}, {size}, {step}: {message}"
                    d = Tensor(np.full(m, np.nan, np.float32), None, at_end)
                    status = k.call("padded", a, b, d)
                    if status != "OK" or not np.isfinite(d.view).all():
                        return f"padded, M, K = {m}, {size}: {status}"
                    for t in (a, b, c, d):
                        t.close()
        return None

    def regions(at_end):
        for m in range(1, 7):
            for n in range(1, 20):
                x = Tensor(f32(m, n, seed=4), [n + 1, 1], at_end)
                y = Tensor(np.full((m, n), np.nan, np.float32), [n + 2, 1], at_end)
                gaps = y.gaps()
                message = expect(k.call("softmax", x, y), "OK")
                if message or y.gaps() != gaps or not np.allclose(y.view.sum(axis=1), 1, atol=1e-5):
                    return f"M, N = {m}, {n}: {message or 'wrong'}"
                x.close(), y.close()
        return None

    for at_end in (True, False):
        where = "end" if at_end else "beginning"
        yield f"fault 37: matmul, flush at the {where}", lambda e=at_end: products(e, 0)
        yield f"fault 37: matmul with gaps, flush at the {where}", lambda e=at_end: products(e, 3)
        yield f"fault 37: windows, flush at the {where}", lambda e=at_end: windows(e)
        yield f"fault 37: several statements, flush at the {where}", lambda e=at_end: regions(e)


# ---- 32, 38, 39, 41, 42 ----


def machine(k, folder):
    def far(stride, count=3):
        """A tensor whose rows lie more than 2^31 elements apart."""
        pages = Pages((abs(stride) * (count - 1) + 2) * 4, sparse=True)
        first = pages.address + (abs(stride) * (count - 1) * 4 if stride < 0 else 0)
        cells = [np.frombuffer((ctypes.c_char * 8).from_address(first + i * stride * 4), np.float32) for i in range(count)]
        for i, cell in enumerate(cells):
            cell[:] = [i + 1, 10 * (i + 1)]
        c = Tensor(np.zeros((2, count), np.float32))
        status = k.call("transpose", words(first, (count, 2), [stride, 1]), c)
        message = expect(status, "OK") or same(c.view, [[1, 2, 3], [10, 20, 30]])
        back = expect(k.call("transpose", c, words(first, (count, 2), [stride, 1])), "OK")
        message = message or back or same(cells[2], [3, 30])
        # The same, by an offset past 2^31.
        base = first - 2**33 * 4
        status = k.call("transpose", words(base, (count, 2), [stride, 1], offset=2**33), c)
        message = message or expect(status, "OK") or same(c.view[1], [10, 20, 30])
        del cells
        pages.close()
        return message

    for stride in (2**31 + 5, -(2**31) - 5, 2**32 + 1):
        yield f"fault 32: stride {stride}", lambda s=stride: far(s)

    def many(count):
        """Compiled as users have it: at -O0 it adds for five seconds."""
        flags = ["--def=total", f"--cc={compilers.as_users_have_it()}"]
        library = Kernels(abi.build(folder / "total", "total", [einc_tool.find("tests/numeric/abi_kernels.tc")], *flags, *sys.argv[1:]))
        one, c = Tensor(np.full(1, 3, np.int8)), Tensor(np.zeros((), np.int64))
        return expect(library.call("total", words(one.data, (count,), [0]), c), "OK") or same(c.view, 3 * count)

    yield "fault 32: 2^31 + 3 elements", lambda: many(2**31 + 3)
    if einc_tool.LONG:
        yield "fault 32: 2^32 + 3 elements", lambda: many(2**32 + 3)

    def overwritten(name, *inputs):
        arrays = [Tensor(x) for x in inputs]
        shape = {"matmul_set": (3, 4), "add": (3, 4), "softmax": (3, 4)}[name]
        results = []
        for fill in (np.nan, np.inf, 0):
            c = Tensor(np.full(shape, fill, np.float32))
            status = k.call(name, *arrays, c)
            if status != "OK":
                return status
            results.append(c.view.copy())
        return None if all(r.tobytes() == results[2].tobytes() for r in results) else "what was there shows"

    yield "fault 38: NaN in an output of +=!", lambda: overwritten("matmul_set", f32(3, 5), f32(5, 4))
    yield "fault 38: NaN in an output of =", lambda: overwritten("add", f32(3, 4), f32(3, 4))
    yield "fault 38: NaN in an output behind locals", lambda: overwritten("softmax", f32(3, 4))

    def special():
        values = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-40, -1e-40, 3e38], np.float32)
        a, b = np.meshgrid(values, values)
        c = Tensor(np.zeros(a.shape, np.float32))
        with np.errstate(all="ignore"):
            wanted = a + b
        status = k.call("add", Tensor(a), Tensor(b), c)
        got, nan = c.view, np.isnan(wanted)
        good = (np.isnan(got) == nan).all() and (got[~nan].tobytes() == wanted[~nan].tobytes())
        return expect(status, "OK") or (None if good else f"{got}")

    yield "fault 38: special values", special

    def nan_in_product():
        a, b, c = f32(4, 5), f32(5, 6), Tensor(np.zeros((4, 6), np.float32))
        a[1, 2] = np.nan
        b[3, 4] = np.inf
        with np.errstate(all="ignore"):
            wanted = a.astype(np.float64) @ b.astype(np.float64)
        status = k.call("matmul", Tensor(a), Tensor(b), c)
        good = (np.isnan(c.view) == np.isnan(wanted)).all() and (np.isinf(c.view) == np.isinf(wanted)).all()
        return expect(status, "OK") or (None if good else f"{c.view}")

    yield "fault 38: NaN and Inf stay in their rows and columns", nan_in_product

    libm = ctypes.CDLL("libm.so.6")

    def rounding(mode, wanted):
        a, b, c = Tensor(np.full((1, 1), 1, np.float32)), Tensor(np.full((1, 1), 2.0**-30, np.float32)), Tensor(np.zeros((1, 1), np.float32))
        libm.fesetround(mode)
        try:
            status = k.call("add", a, b, c)
            after = libm.fegetround()
        finally:
            libm.fesetround(0)
        return expect(status, "OK") or (None if after == mode else "the mode has changed") or same(c.view, [[wanted]])

    up = np.nextafter(np.float32(1), np.float32(2))
    for name, mode, wanted in [("upward", 0x800, up), ("downward", 0x400, 1), ("toward zero", 0xC00, 1), ("nearest", 0, 1)]:
        yield f"fault 39: rounding {name}", lambda m=mode, w=wanted: rounding(m, w)

    def in_child(function):
        """Runs it in a forked child; a signal there is what is wrong."""
        pid = os.fork()
        if pid == 0:
            os._exit(0 if function() is None else 1)
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        return None if code == 0 else f"exit code {code}"

    def unmasked():
        x, y = Tensor(f32(3, 4)), Tensor(np.zeros((3, 4), np.float32))
        a, b, c = Tensor(f32(3, 5)), Tensor(f32(5, 7)), Tensor(np.zeros((3, 7), np.float32))
        w, v, d = Tensor(f32(3)), Tensor(f32(5)), Tensor(np.zeros(4, np.float32))
        libm.feenableexcept(1 | 4 | 8)  # invalid, division by zero, overflow
        statuses = [k.call("softmax", x, y), k.call("matmul", a, b, c), k.call("padded", w, v, d),
                    k.call("matmul_set", a, b, c)]
        libm.fedisableexcept(1 | 4 | 8)
        return None if statuses == ["OK"] * 4 else statuses

    yield "fault 39: exceptions unmasked", lambda: in_child(unmasked)

    def after_fork():
        a, c = Tensor(f32(5, 5)), Tensor(np.zeros((5, 5), np.float32))
        return expect(k.call("matmul_set", a, a, c), "OK") or same(c.view, a.view @ a.view)

    yield "fault 41: before a fork", after_fork
    yield "fault 41: after a fork", lambda: in_child(after_fork)

    def workspace_of(name, *args):
        needed = ctypes.c_int64(-1)
        status = k.call(f"{name}_workspace", *args, ctypes.byref(needed))
        return status, needed.value

    def workspace(name_of_case):
        x = Tensor(f32(3, 4))
        y = Tensor(np.full((3, 4), 99, np.float32))
        status, needed = workspace_of("softmax", x, y)
        if status != "OK" or needed <= 0:
            return f"{status}, {needed} bytes"
        pages = Pages(needed + 128, at_end=False)
        exact = Pages(-(-needed // 64) * 64)
        good = pages.address
        base = exact.address
        calls = {
            "null": (None, needed, "BAD_WORKSPACE"),
            "too small": (good, needed - 1, "BAD_WORKSPACE"),
            "no bytes": (good, 0, "BAD_WORKSPACE"),
            "negative": (good, -1, "BAD_WORKSPACE"),
            "misaligned": (good + 1, needed, "BAD_WORKSPACE"),
            "exact": (base, needed, "OK"),
            "larger": (good, needed + 64, "OK"),
        }
        pointer, size, wanted = calls[name_of_case]
        status = k.call("softmax_with_workspace", x, y, ctypes.c_void_p(pointer), ctypes.c_int64(size))
        if wanted != "OK":
            return expect(status, wanted) or same(y.view, np.full((3, 4), 99))
        return expect(status, "OK") or (None if np.allclose(y.view.sum(axis=1), 1) else "wrong")

    for case in ["null", "too small", "no bytes", "negative", "misaligned", "exact", "larger"]:
        yield f"fault 42: workspace {case}", lambda c=case: workspace(c)

    def refused_workspace():
        x, y = Tensor(f32(3, 4)), Tensor(np.zeros((3, 5), np.float32))
        status, needed = workspace_of("softmax", x, y)
        return expect(status, "SIZE_MISMATCH") or (None if needed == -1 else "a size was given")

    yield "fault 42: the size of a workspace for a wrong call", refused_workspace

    def arena(case):
        """One of a program's own: kernels know its two functions alone."""
        take_type = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)
        give_type = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)

        class Arena(ctypes.Structure):
            _fields_ = [("take", take_type), ("give", give_type)]

        columns = 5 if case == "a wrong call" else 4
        x, y = Tensor(f32(3, 4)), Tensor(np.full((3, columns), 99, np.float32))
        pages, taken, given = Pages(1 << 16, at_end=False), [], []
        address = {"no memory": None, "misaligned": pages.address + 8}.get(case, pages.address)
        own = Arena(take_type(lambda _, bytes: taken.append(bytes) or address), give_type(lambda _, memory: given.append(memory)))
        status = k.call("softmax_in_arena", x, y, None if case == "null" else ctypes.byref(own))
        wanted = {"good": "OK", "null": "BAD_WORKSPACE", "no memory": "OUT_OF_MEMORY", "misaligned": "BAD_WORKSPACE", "a wrong call": "SIZE_MISMATCH"}
        if (len(taken), given) != ({"null": 0, "a wrong call": 0}.get(case, 1), [] if not taken or address is None else [address]):
            return f"taken {taken}, given back {given}"
        if case != "good":
            return expect(status, wanted[case]) or same(y.view, np.full((3, columns), 99))
        needed = workspace_of("softmax", x, y)[1]
        return expect(status, "OK") or (None if taken == [needed] and np.allclose(y.view.sum(axis=1), 1) else f"wrong, or {taken} bytes")

    for case in ["good", "null", "no memory", "misaligned", "a wrong call"]:
        yield f"fault 42: arena, {case}", lambda c=case: arena(c)

    def no_memory():
        """A local of 2^46 elements, though all arguments are small."""
        one, c = Tensor(np.ones(1, np.float32)), Tensor(np.full(1, 7, np.float32))
        status = k.call("huge", one, words(one.data, (2**46,), [0]), c)
        return expect(status, "OUT_OF_MEMORY") or same(c.view, [7])

    yield "fault 42: allocation fails", no_memory

    def overflowing_local():
        one, c = Tensor(np.ones(1, np.float32)), Tensor(np.full(1, 7, np.float32))
        return expect(k.call("huge", one, words(one.data, (2**61,), [0]), c), "OVERFLOW")

    yield "fault 31: a local that does not fit in memory", overflowing_local


def main():
    cases, folder = einc_tool.Cases(), einc_tool.scratch()
    library = abi.build(folder, "abi", [einc_tool.find("tests/numeric/abi_kernels.tc")], *sys.argv[1:])
    kernels = Kernels(library)
    signal.alarm(600)
    for group in (refused(kernels), accepted(kernels), guarded(kernels), machine(kernels, folder)):
        for name, function in group:
            cases.run_apart(name, function)
    cases.finish()


if __name__ == "__main__":
    main()
