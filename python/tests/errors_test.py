# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""What is wrong is told: the argument, what was expected, what came, what to do. Nothing crashes."""

import os
import pathlib
import shutil
import subprocess
import sys
import unittest

import numpy as np

import einc
from support import ADD, DENSE, SCRATCH, Test

SPEC = DENSE + '''
def product(A: f32(M, K), B: f32(K, N)) -> (C: f32(M, N)) { C(m, n) += A(m, k) * B(k, n); }
def sums(A: f32(M, N)) -> (C: f32(M), D: f32(N)) { C(m) +=! A(m, n); D(n) +=! A(m, n); }
def shrunk(A: f32(N)) -> (C: f32(N - 2)) { C(n) = A(n + 2); }
def every(A: f32(W), small: i8, yes: bool) -> (C: f32(M)) attr(s: 2xi64, l: f32[]) {
  C(m) = A(m * s[0] + s[1]) * cast<f32>(small) + l[0] + select(yes, 1.0, 0.0);
}
'''


class Arguments(Test):
    @classmethod
    def setUpClass(cls):
        cls.lib = einc.load(SPEC)
        cls.A, cls.B, cls.bias = np.ones((2, 3), np.float32), np.ones((3, 4), np.float32), np.ones(4, np.float32)

    def dense(self, A=None, B=None, bias=None, **more):
        given = [d if g is None else g for g, d in zip((A, B, bias), (self.A, self.B, self.bias))]
        return self.lib.dense(*given, **more)

    def test_types(self):
        self.refused(TypeError, "dense: A: expected an array of f32 (float32 in NumPy), of shape (M, K); got float64 of shape (2, 3)",
                     self.dense, A=self.A.astype(float))
        self.refused(TypeError, "got float32 in the other byte order of shape (2, 3)", self.dense, A=self.A.astype(">f4"))
        self.refused(TypeError, "bias: expected an array of f32 (float32 in NumPy), of shape (N); got a list; "
                     "numpy.asarray(x, numpy.float32) makes one", self.dense, bias=[1, 2, 3, 4])
        self.refused(TypeError, "got a buffer of 8 bytes an item, of format 'd'", self.dense, bias=memoryview(np.ones(4)))
        self.refused(TypeError, "a masked array", self.dense, A=np.ma.masked_array(self.A))
        self.refused(TypeError, "got a str", self.dense, A="A")
        self.refused(einc.Error, "got an object", self.dense, A=object())

    def test_shapes_and_strides(self):
        self.refused(ValueError, "dense: A: expected an array of f32 (float32 in NumPy), of shape (M, K); got an array of 1 dimensions, of shape (3,)",
                     self.dense, A=self.A[0])
        rows = np.zeros(2, np.dtype([("x", np.float32, 3), ("y", np.uint8)]))["x"]
        self.refused(ValueError, "dense: A: dimension 0 has a stride of 13 bytes, which is no multiple of an element's 4", self.dense, A=rows)

    def test_number_and_names(self):
        self.refused(TypeError, "missing 1 required positional argument: 'bias'", self.lib.dense, self.A, self.B)
        self.refused(TypeError, "takes 3 positional arguments but 4 were given", self.lib.dense, self.A, self.B, self.bias, self.bias)
        self.refused(TypeError, "unexpected keyword argument 'beta'", self.dense, beta=1)

    def test_outputs(self):
        good = np.zeros((2, 4), np.float32)
        good.flags.writeable = False
        self.refused(ValueError, "dense: Y: an output must be writable; this array is read-only", self.dense, out=good)
        self.refused(TypeError, "dense: Y: expected an array of f32", self.dense, out=np.zeros((2, 4)))
        self.refused(TypeError, "dense: Y: expected an array of f32", self.dense, out=7)
        self.refused(ValueError, "dense: out: there is no output 'Z'; there are Y", self.dense, out={"Z": good})
        self.refused(ValueError, "sums: out: expected 2 arrays, for C, D, got 1", self.lib.sums, self.A, out=(self.bias,))
        self.refused(TypeError, "sums: out: expected a tuple or a dict of arrays, for C, D, got one ndarray", self.lib.sums, self.A, out=self.bias)
        self.refused(ValueError, "product: C is changed by the kernel, and so must be given with what it holds before: "
                     "out=numpy.zeros((2, 4), numpy.float32), or other values", self.lib.product, self.A, self.B)

    def test_sizes(self):
        self.refused(ValueError, "shrunk: C: its size N - 2 is -1 where N = 1", self.lib.shrunk, np.ones(1, np.float32))
        self.refused(ValueError, "every: C has the shape (M), in which M does not follow from the inputs: give out=, or dims={'M': ...}",
                     self.lib.every, self.bias, 1, True, s=[1, 0], l=[0])
        self.refused(ValueError, "dense: dims: there is no size 'Q'; there are K, M, N", self.dense, dims={"Q": 1})
        self.refused(TypeError, "dense: dims['M']: expected an integer (i64), got 'x'", self.dense, dims={"M": "x"})

    def test_scalars_and_attributes(self):
        def every(small=1, yes=True, s=(1, 0), l=(0,)):
            return self.lib.every(self.bias, small, yes, s=s, l=l, dims={"M": 2})

        every()
        self.refused(ValueError, "every: small: expected i8, from -128 to 127, got 128", every, small=128)
        self.refused(TypeError, "every: small: expected an integer (i8), got 1.5", every, small=1.5)
        self.refused(TypeError, "every: yes: expected True or False, got 2", every, yes=2)
        self.refused(ValueError, "every: s: expected 2 values (i64), got 1: [1]", every, s=[1])
        self.refused(TypeError, "every: s: expected 2 values (i64), got 1", every, s=1)
        self.refused(TypeError, "every: s[1]: expected an integer (i64), got 'x'", every, s=[1, "x"])
        self.refused(TypeError, "every: s[0]: expected an integer (i64), got [1]", every, s=[[1], 1])
        self.refused(TypeError, "every: l[0]: expected a number, got None", every, l=[None])
        self.refused(TypeError, "every: s: expected 2 values (i64), got None", every, s=None)
        self.refused(TypeError, "missing 1 required keyword-only argument: 's'", self.lib.every, self.bias, 1, True, l=[0])

    def test_dims(self):
        for wrong in ([4], 5):
            self.refused(einc.Error, f"dense: dims: expected a dict, such as {{'M': 4}}, got {wrong!r}", self.dense, dims=wrong)
        for large in (2**62, 2**56, 2**40):
            self.refused(einc.Error, f"every: C: there is no memory for a new array of f32 of shape ({large},)",
                         self.lib.every, self.bias, 1, True, s=[1, 0], l=[0], dims={"M": large})

    def test_what_the_kernel_refuses(self):
        for _ in range(2):
            error = self.refused(einc.KernelError, "dense: sizes that must agree differ (status -4)", self.dense, B=np.ones((5, 4), np.float32))
            self.assertEqual(error.status, -4)
            self.assertIn("B: f32(K, N): sizes (5, 4), strides (4, 1)\n    dimension 0, K, is 5; by the other arguments it is 3", str(error))
        Y = np.ones((2, 4), np.float32)
        for _ in range(2):  # of shapes that are known to be good
            self.dense(out=Y)
        overlapping = np.lib.stride_tricks.as_strided(Y, (2, 4), (4, 4))
        for _ in range(2):
            self.assertEqual(self.refused(einc.KernelError, "status -8", self.dense, out=overlapping).status, -8)
        self.assertEqual(self.refused(einc.KernelError, "status -9", self.dense, A=Y[:, :3], out=Y).status, -9)
        odd = np.frombuffer(bytearray(25), np.uint8)[1:].view(np.float32).reshape(2, 3)
        for _ in range(2):
            self.assertEqual(self.refused(einc.KernelError, "aligned", self.dense, A=odd).status, -7)
        self.assertEqual(self.refused(einc.KernelError, "leave a tensor", self.lib.every, self.bias, 1, True, s=[9, 0], l=[0], dims={"M": 4}).status, -5)

    def test_what_a_kernel_is(self):
        self.assertEqual(repr(self.lib.dense), "<einc kernel dense(A: f32(M, K), B: f32(K, N), bias: f32(N)) -> (Y: f32(M, N))>")
        self.assertIn("Y = max(A B + bias, 0)", self.lib.dense.__doc__)
        self.assertIn("C: f32(M, N), changed: give it as out=", self.lib.product.__doc__)
        self.assertIn("attr(s: 2xi64, l: f32[])", self.lib.every.signature)
        self.assertEqual(self.lib.defs, ("dense", "product", "sums", "shrunk", "every"))
        self.assertIn("dense", dir(self.lib))
        self.refused(KeyError, "has no kernel 'dens'; it has dense, product", lambda: self.lib["dens"])
        self.refused(AttributeError, "has no kernel 'dens'", lambda: self.lib.dens)


class Compiling(Test):
    def test_a_wrong_spec(self):
        error = self.refused(einc.CompileError, "spec.tc:2:17: error: ", einc.load, "def f(A: f32(M)) -> (B: f32(M)) {\n  B(m) = A(m) + ;\n}")
        self.assertIn("\n    B(m) = A(m) + ;\n", str(error))
        self.assertEqual(error.code, 1)
        path = SCRATCH / "wrong.tc"
        path.write_text("def f(")
        self.refused(einc.CompileError, "wrong.tc:1:", einc.load, path)

    def test_wrong_options(self):
        self.assertEqual(self.refused(einc.CompileError, "nothing", einc.load, ADD, defs=["nothing"]).code, 2)
        self.refused(einc.CompileError, "Q", einc.load, ADD, dims={"Q": 3})
        self.refused(einc.CompileError, "x87", einc.load, ADD, targets=["x87"])
        self.refused(einc.LibraryError, "of a library for vulkan; from Python, kernels for CPUs are called", einc.load, ADD, targets="vulkan")
        self.refused(einc.CompileError, "no-such-compiler", einc.load, ADD, cc="no-such-compiler")
        self.refused(ValueError, "cannot read", einc.load, "no_such.tc")
        self.refused(TypeError, "expected a file or its text, got 7", einc.load, [7])

    def test_options_of_other_kinds(self):
        self.refused(einc.Error, "expected a file or its text, got None", einc.load, None)
        for name in ("dims", "types", "attrs"):
            for wrong in ([4], 5, {3: 4}):
                self.refused(einc.Error, f"{name}: expected a dict from names to values, got {wrong!r}", einc.load, ADD, **{name: wrong})
        for name in ("targets", "defs", "flags", "link"):
            for wrong in (5, [5]):
                self.refused(einc.Error, f"{name}: expected text, or a list of it, got 5", einc.load, ADD, **{name: wrong})
        self.refused(einc.Error, "cache: expected a folder's name, got 5", einc.load, ADD, cache=5)
        self.refused(einc.Error, "cache: expected a folder's name, got 5", einc.cache.clear, 5)
        for name in ("einc", "cc"):
            self.refused(einc.Error, f"{name}: expected a program's name, got 5", einc.load, ADD, **{name: 5})
        for bad in ("a\0b", "a\ud800b"):
            for name in ("targets", "defs", "flags", "link", "fp", "cc", "cache", "einc", "schedule"):
                self.refused(einc.Error, "", einc.load, ADD, **{name: bad})
            self.refused(einc.Error, "", einc.load, bad)
            self.refused(einc.Error, "", einc.load, ADD + bad)
            self.refused(einc.Error, "", einc.load, ADD, dims={bad: 3})
            self.refused(einc.Error, "", einc.open, bad)
        self.refused(einc.Error, "path: expected a file's name, got 5", einc.open, 5)

    def test_one_flag(self):
        A = np.ones(3, np.float32)
        np.testing.assert_array_equal(einc.load(ADD, flags="--threads=2", link="-lm").add(A, A), [2, 2, 2])

    def test_names_of_files(self):
        place, A = SCRATCH / "names", np.ones(3, np.float32)
        place.mkdir()
        for name in ("-x.tc", "--help", "-", "@name", "a b.tc"):
            (place / name).write_text(ADD)
            np.testing.assert_array_equal(einc.load(place / name).add(A, A), [2, 2, 2])

    def test_options(self):
        lib = einc.load(ADD, dims={"N": 3}, targets=["x86-64-v2", "x86-64-v3"] if os.uname().machine == "x86_64" else "native", fp="strict",
                        strides="contiguous", threads=2)
        A = np.ones(3, np.float32)
        np.testing.assert_array_equal(lib.add(A, A), [2, 2, 2])
        self.assertEqual(self.refused(einc.KernelError, "", lib.add, np.ones(4, np.float32), A).status, -4)
        self.assertEqual(self.refused(einc.KernelError, "", lib.add, np.ones(6, np.float32)[::2], A).status, -15)

    def test_einc_is_nowhere(self):
        self.refused(einc.ToolError, "einc= names /no/einc, which is no program", einc.load, ADD, einc="/no/einc")
        prefix = SCRATCH / "prefix"
        package = prefix / "lib" / "python3" / "dist-packages"
        shutil.copytree(pathlib.Path(einc.__file__).parent, package / "einc")
        environment = {k: v for k, v in os.environ.items() if k not in ("EINC", "PYTHONPATH")}

        def found(path):
            code = f"import sys; sys.path.insert(0, {str(package)!r}); from einc import tool\ntry: print(tool.find())\nexcept tool.ToolError as e: print(e)"
            return subprocess.run([sys.executable, "-c", code], env={**environment, "PATH": path}, stdout=subprocess.PIPE, text=True, check=True).stdout

        if not os.path.exists("/bin/einc"):
            self.assertEqual(found("/nowhere"), "there is no einc: put it on the PATH, name it in $EINC, or give its path as einc=\n")
            (SCRATCH / "bin").mkdir()
            (SCRATCH / "bin" / "einc").symlink_to(os.environ["EINC"])
            self.assertEqual(found(str(SCRATCH / "bin")), f"{SCRATCH / 'bin' / 'einc'}\n")
        (prefix / "bin").mkdir()
        (prefix / "bin" / "einc").symlink_to(os.environ["EINC"])
        self.assertEqual(found("/nowhere"), f"{prefix / 'bin' / 'einc'}\n")

    def test_a_program_that_is_not_einc(self):
        self.refused(einc.CompileError, "exit code 1", einc.load, ADD, einc="false")
        broken = SCRATCH / "broken"
        broken.write_text("#!/bin/sh\nkill -SEGV $$\n")
        broken.chmod(0o755)
        self.refused(einc.CompileError, "SIGSEGV", einc.load, ADD, einc=broken)
        silent = SCRATCH / "silent"
        silent.write_text("#!/bin/sh\nexit 0\n")
        silent.chmod(0o755)
        self.refused(einc.Error, "made no library; is it einc?", einc.load, ADD, einc=silent)


if __name__ == "__main__":
    unittest.main()
