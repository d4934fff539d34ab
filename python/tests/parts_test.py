# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Sizes, numbers, and what works without NumPy and without the short way to an array's address."""

import ctypes
import os
import subprocess
import sys
import unittest

import numpy as np

import einc
from einc import dlpack, memory, scalars
from einc.elements import ELEMENTS
from einc.shapes import Size, solve
from support import DENSE, Test


class Sizes(Test):
    def test_values(self):
        known = {"M": 7, "N": 3, "s[1]": 2, "k": -4}
        for text, value in {"M": 7, "12": 12, "M + 2": 9, "M - N + 1": 5, "-M + N * 2": -1, "M * k + s[1] * 2 + M floordiv 2": -21,
                            "(M + 1) floordiv 2 - 3": 1, "M mod N": 1, "k floordiv 3": -2, "k mod 3": 2, "M * (N floordiv 2) * 2": 14,
                            "(M * 2 - 1) mod (N + 1)": 1}.items():
            self.assertEqual(Size(text).value(known), value, text)
        self.assertEqual(Size(5).value({}), 5)
        with self.assertRaises(ZeroDivisionError):
            Size("M floordiv z").value({"M": 1, "z": 0})
        for text in ("M +", "M ** 2", "(M", "M N", "", "M; 1", "__import__('os')", "M.x"):
            self.refused(einc.LibraryError, "no expression", lambda: Size(text).value(dict.fromkeys("MNxosp", 1)))

    def test_solved(self):
        def solved(known=None, **sizes):
            return solve([(Size(s.replace("_", " ")), v) for s, v in sizes.items()], known or {})

        self.assertEqual(solved(M=3), {"M": 3})
        self.assertEqual(solve([(Size("M * 2 + N"), 11), (Size("N"), 3)], {}), {"M": 4, "N": 3})
        self.assertEqual(solve([(Size("M * s"), 12)], {"s": 4}), {"M": 3, "s": 4})
        self.assertEqual(solve([(Size("N + 1"), 5)], {}), {"N": 4})
        self.assertEqual(solve([(Size("M"), 3), (Size("M"), 4)], {}), {"M": 3})  # the kernel tells of it
        for size, actual in (("M * 2", 5), ("M floordiv 2", 3), ("M mod 4", 3), ("M + N", 3), ("4", 4), ("M * 0", 0), ("4 floordiv M", 2)):
            self.assertEqual(solve([(Size(size), actual)], {}), {}, size)


class Numbers(Test):
    def test_bits(self):
        half, brain = (scalars.converter(ELEMENTS[t]) for t in ("f16", "bf16"))
        rng = np.random.default_rng(3)
        some = np.concatenate([rng.standard_normal(500) * 10.0 ** rng.integers(-45, 40, 500), rng.standard_normal(500) * 10.0 ** rng.integers(-9, 5, 500),
                               [0.0, -0.0, np.inf, -np.inf, 65519.99, 65520, -1e300, 1e-300, 2.0**-133, 2.0**-134, 1.5 * 2.0**-133, 3.39e38, 3.3961e38,
                                1 + 2.0**-8, 1 + 3 * 2.0**-8, 1 + 2.0**-8 + 2.0**-40]])
        with np.errstate(over="ignore"):
            for x in some:
                self.assertEqual(half("x", x), int(np.float16(x).view(np.uint16)), x)
                self.assertEqual(brain("x", x), nearest_bf16(x), x)
        self.assertTrue(np.isnan(np.uint16(half("x", np.nan)).view(np.float16)))
        self.assertEqual(brain("x", np.nan) & 0x7F80, 0x7F80)
        self.assertTrue(brain("x", np.nan) & 0x7F)

    def test_ranges(self):
        for name, low, high in (("i8", -128, 127), ("u8", 0, 255), ("i64", -2**63, 2**63 - 1), ("u64", 0, 2**64 - 1)):
            convert = scalars.converter(ELEMENTS[name])
            for good in (low, high, np.int64(1)):
                self.assertEqual(convert("x", good), int(good))
            for bad in (low - 1, high + 1):
                self.refused(ValueError, f"x: expected {name}, from {low} to {high}, got {bad}", convert, "x", bad)
            self.refused(TypeError, "x: expected an integer", convert, "x", 1.0)


def nearest_bf16(x):
    """The bits of the bf16 that is nearest: of all of them, by distance, then evenness."""
    every = np.arange(0, 0x7F80, dtype=np.uint32)
    values = (every << 16).view(np.float32).astype(np.float64)
    sign = 0x8000 if np.signbit(x) else 0
    if abs(x) >= 2.0**128 - 2.0**119:  # in the middle between the largest and the next there would be
        return sign | 0x7F80
    i = int(np.searchsorted(values, abs(x)))
    around = [j for j in (i - 1, i) if 0 <= j < len(values)]
    return sign | min(around, key=lambda j: (abs(values[j] - abs(x)), j & 1))


class Addresses(Test):
    def test_the_short_way(self):
        A = np.arange(24.0).reshape(2, 3, 4)
        for array in (A, A[1:, ::-1], A.T, A[:0], np.array(1), np.zeros(3, np.int8)[1:]):
            if memory.WORDS is not None:
                self.assertEqual(memory.WORDS[id(array) >> 3], memory.address_of(array))

    def test_without_it(self):
        said = run("import einc.memory; einc.memory.WORDS = None\n" + """
import einc, numpy as np
dense = einc.load(DENSE).dense
assert 'øaddress(A)' in dense.source
for i in range(3): print(dense(np.ones((1, 2), np.float32), np.ones((2, 1), np.float32), np.array([i], np.float32)).tolist())
""")
        self.assertEqual(said, "[[2.0]]\n[[3.0]]\n[[4.0]]\n")


class Dlpack(Test):
    """Capsules made here, as libraries make them."""

    def owner(self, name=b"dltensor_versioned", device=(1, 0), major=1, flags=0, lanes=1, strides=True):
        data = (ctypes.c_float * 5)(9, 1, 2, 3, 4)
        shape = (ctypes.c_int64 * 2)(2, 2)
        tensor = dlpack._Tensor(ctypes.addressof(data), dlpack._Device(*device), 2, dlpack._Type(2, 32, lanes), shape,
                                (ctypes.c_int64 * 2)(1, 2) if strides else None, 4)
        held = dlpack._Versioned(major, 0, None, None, flags, tensor) if b"versioned" in name else tensor
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        capsule = new(ctypes.addressof(held), name, None)

        class Owner:
            keep = name, data, held

            def __dlpack__(self, **options):
                if name == b"dltensor" and "max_version" in options:
                    raise TypeError("of old")
                return capsule

        return Owner()

    def test_what_is_taken(self):
        for name in (b"dltensor", b"dltensor_versioned"):
            owner = self.owner(name)
            tensor = dlpack.taken(owner)
            self.assertEqual((tensor.address, tensor.sizes, tensor.strides), (ctypes.addressof(owner.keep[1]) + 4, (2, 2), (1, 2)))
            self.assertEqual((tensor.kind, tensor.read_only), ((2, 32), False))
            self.assertEqual(dlpack.taken(self.owner(name, strides=False)).strides, (2, 1))
        self.assertTrue(dlpack.taken(self.owner(flags=1)).read_only)

    def test_a_call(self):
        copy = einc.load("def copy(A: f32(M, N)) -> (C: f32(M, N)) { C(m, n) = A(m, n); }").copy
        self.assertEqual(copy(self.owner()).tolist(), [[1, 3], [2, 4]])
        self.refused(ValueError, "copy: C: an output must be writable", copy, np.ones((2, 2), np.float32), out=self.owner(flags=1))

    def test_what_is_refused(self):
        for text, owner in (("got one on DLPack's device (2, 1)", self.owner(device=(2, 1))), ("version 2.0", self.owner(major=2)),
                            ("vectors of 4", self.owner(lanes=4)), ("gave no DLPack tensor", self.owner(name=b"other"))):
            self.refused(dlpack.Refused, text, dlpack.taken, owner)


class MlDtypes(Test):
    def test_types_of_that_package(self):
        said = run("""
import sys, types, numpy as np
sys.modules["ml_dtypes"] = types.SimpleNamespace(bfloat16=np.dtype("V2"), float8_e5m2=np.dtype("V1"))  # stand-ins of these sizes
import einc
lib = einc.load("def b(A: bf16(N)) -> (C: bf16(N)) { C(n) = A(n); } def f(A: f8e5m2(N)) -> (C: f8e4m3(N)) { C(n) = cast<f8e4m3>(A(n)); }")
for own in (np.dtype("V2"), np.dtype("u2")):
    for _ in range(2):
        C = lib.b(np.array([1, 0x3F80], "u2").view(own))
        print(C.dtype, C.view("u2"), lib.b(C, out=np.zeros(2, "u2")))
print(lib.f(np.array([0x3C], "u1").view("V1")))
""")
        self.assertEqual(said, "|V2 [    1 16256] [    1 16256]\n" * 4 + "[56]\n")


class WithoutNumpy(Test):
    def test_buffers(self):
        said = run("import sys; sys.modules['numpy'] = None\n" + """
import array, einc
dense = einc.load(DENSE).dense
def floats(*numbers): return memoryview(array.array('f', numbers))
A, B, bias, Y = floats(1, 2, 3, 4), floats(1, 0, 0, 1), floats(0, -10), array.array('f', [0] * 4)
square = [2, 2]
dense(A.cast('B').cast('f', square), B.cast('B').cast('f', square), bias, out=memoryview(Y).cast('B').cast('f', square))
print(Y.tolist())
for call in (lambda: dense(A.cast('B').cast('f', square), B.cast('B').cast('f', square), bias), lambda: einc.einsum('i', A),
             lambda: dense(A, B, bias), lambda: dense([1], B, bias)):
    try: call()
    except einc.Error as error: print(error)
""")
        self.assertEqual(said, """[1.0, 0.0, 3.0, 0.0]
dense: Y: new arrays are made by NumPy, which is not installed: give out=
einsum makes and takes NumPy arrays, and NumPy is not installed
dense: A: expected an array of f32, of shape (M, K); got an array of 1 dimensions, of shape (4,)
dense: A: expected an array of f32, of shape (M, K); got a list
""")


def run(code):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.run([sys.executable, "-c", f"DENSE = {DENSE!r}\n{code}"], env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout


if __name__ == "__main__":
    unittest.main()
