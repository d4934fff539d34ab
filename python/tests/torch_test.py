# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Tensors of PyTorch, by DLPack: in, and out where they are given."""

import sys
import unittest

import numpy as np

import einc
from support import DENSE, Test

try:
    import torch
except ImportError:
    sys.exit("this test needs PyTorch: apt-get install python3-torch")

SPEC = DENSE + "".join(f"def copy_{t}(A: {t}(M, N)) -> (C: {t}(N, M)) {{ C(n, m) = A(m, n); }}\n" for t in ("f16", "bf16", "f64", "i8", "i32", "i64", "u8"))
TYPES = {"f16": torch.float16, "bf16": torch.bfloat16, "f64": torch.float64, "i8": torch.int8, "i32": torch.int32, "i64": torch.int64, "u8": torch.uint8}


class Torch(Test):
    @classmethod
    def setUpClass(cls):
        cls.lib = einc.load(SPEC)

    def test_inputs_and_outputs(self):
        A, B, bias = torch.rand(5, 7), torch.rand(7, 3), torch.rand(3)
        wanted = torch.relu(A @ B + bias)
        Y = self.lib.dense(A, B, bias)
        self.assertIsInstance(Y, np.ndarray)
        np.testing.assert_allclose(Y, wanted.numpy(), rtol=1e-5)
        out = torch.full((3, 5), -1.0).T
        self.assertIs(self.lib.dense(A, B.numpy(), bias, out=out), out)
        torch.testing.assert_close(out, wanted)
        torch.testing.assert_close(torch.from_dlpack(Y), wanted)

    def test_views(self):
        A, B, bias = torch.rand(10, 14), torch.rand(3, 7), torch.rand(1).expand(3)
        a = A[::2, 7:]
        np.testing.assert_allclose(self.lib.dense(a, B.T, bias), torch.relu(a @ B.T + bias).numpy(), rtol=1e-5)

    def test_types(self):
        for name, kind in TYPES.items():
            A = torch.arange(6).reshape(2, 3).to(kind)
            out = torch.zeros(3, 2).to(kind)
            self.lib[f"copy_{name}"](A, out=out)
            self.assertTrue(torch.equal(out, A.T), name)

    def test_what_is_wrong(self):
        A, B, bias = torch.rand(5, 7), torch.rand(7, 3), torch.rand(3)
        self.refused(TypeError, "dense: A: expected an array of f32 (float32 in NumPy), of shape (M, K); got float64 of shape (5, 7) by DLPack",
                     self.lib.dense, A.double(), B, bias)
        self.refused(ValueError, "tensor.detach()", self.lib.dense, A.requires_grad_(), B, bias)
        self.refused(ValueError, "dense: B: expected an array of f32", self.lib.dense, A.detach(), B[0], bias)
        self.refused(ValueError, "dense: A: it cannot be had by DLPack: ", self.lib.dense, torch.rand(5, 7, device="meta"), B, bias)


if __name__ == "__main__":
    unittest.main()
