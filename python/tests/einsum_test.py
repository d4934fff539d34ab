# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""einc.einsum gives what numpy.einsum gives."""

import unittest

import numpy as np

import einc
from support import SCRATCH, Test

RNG = np.random.default_rng(7)


def draw(shape, kind=np.float32):
    return RNG.integers(-4, 5, shape).astype(kind)


class Einsum(Test):
    def same(self, subscripts, *operands):
        wanted = np.einsum(subscripts, *operands)
        for _ in range(2):
            result = einc.einsum(subscripts, *operands)
            self.assertEqual((type(result), result.dtype, np.shape(result)), (type(wanted), wanted.dtype, np.shape(wanted)), subscripts)
            np.testing.assert_array_equal(result, wanted, subscripts)

    def test_products(self):
        A, B, x = draw((3, 4)), draw((4, 5)), draw(4)
        self.same("mk,kn->mn", A, B)
        self.same("mk,kn", A, B)  # the output is implicit
        self.same("ba,cb", A.T, B.T)  # in alphabetic order
        self.same(" i j , j -> i ", A, x)
        self.same("i,i", x, x)
        self.same("i,j->ij", x, B[0])

    def test_one_and_three_operands(self):
        A = draw((4, 4))
        self.same("ij->ji", A)
        self.same("ij->", A)
        self.same("ii", A)
        self.same("ii->i", A)
        self.same("ab,bc,cd->ad", A, A.T, A)

    def test_ellipsis(self):
        A, B = draw((2, 3, 4)), draw((4, 5))
        self.same("...ij,jk->...ik", A, B)
        self.same("...ij,...jk", A, draw((2, 4, 5)))
        self.same("...,...->...", A, draw((3, 4)))
        self.same("i...->...", A)
        self.same("...ij,...jk->...ik", draw((1, 3, 4)), draw((6, 4, 5)))  # 1 is as long as the other

    def test_one_is_as_long_as_others(self):
        self.same("ij,jk->ik", draw((3, 1)), draw((4, 5)))

    def test_types(self):
        for kind in (np.float64, np.float16, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32):
            self.same("ij,jk->ik", draw((3, 4), kind), draw((4, 2), kind))

    def test_views_and_no_elements(self):
        A = draw((6, 8))
        self.same("ij,jk->ik", A[::-2, ::2], A[:4].T[::2][:, ::-1])
        self.same("ij,jk->ik", draw((0, 4)), draw((4, 2)))
        self.same("ij,jk->ik", draw((3, 0)), draw((0, 2)))

    def test_output_that_is_given(self):
        A, out = draw((3, 4)), np.full((3, 3), 99, np.float32)
        self.assertIs(einc.einsum("ij,kj->ik", A, A, out=out), out)
        np.testing.assert_array_equal(out, A @ A.T)
        for wrong in (np.zeros((3, 4), np.float32), np.zeros((3, 3))):
            self.refused(ValueError, "einsum: out: expected float32 of shape (3, 3), got", einc.einsum, "ij,kj->ik", A, A, out=wrong)
        square = draw((4, 4))
        wanted = square @ square
        self.assertIs(einc.einsum("ij,jk->ik", square, square, out=square), square)  # as if it were another array
        np.testing.assert_array_equal(square, wanted)

    def test_options(self):
        A = draw((3, 4))
        np.testing.assert_array_equal(einc.einsum("ij,kj->ik", A, A, fp="strict", cache=SCRATCH / "own"), A @ A.T)
        self.assertTrue((SCRATCH / "own").exists())

    def test_bits_of_other_types(self):
        big = np.array([[300, 1000], [40, 7]], np.uint16)  # as bf16 these would be next to 0
        self.same("ij,jk->ik", big, np.eye(2, dtype=np.uint16))
        text = str(self.refused(TypeError, "no sum of products of complex64", einc.einsum, "ij->", big.astype(np.complex64)))
        self.assertEqual(text.count("uint16"), 1)
        self.assertEqual(text.count("uint8"), 1)

    def test_optimize(self):
        A = draw((3, 4))
        for how in (True, False, "greedy"):
            np.testing.assert_array_equal(einc.einsum("ij,kj->ik", A, A, optimize=how), A @ A.T)

    def test_what_is_wrong(self):
        out = np.zeros((3, 3), np.float32)
        out.flags.writeable = False
        self.refused(einc.Error, "einsum: out: an output must be writable; this array is read-only", einc.einsum, "ij,kj->ik", draw((3, 4)), draw((3, 4)), out=out)
        self.refused(einc.Error, "operand 1 is float32 in the other byte order", einc.einsum, "ij,kj->ik", draw((3, 4)), draw((3, 4), ">f4"))
        self.refused(einc.Error, "there is no option 'order'", einc.einsum, "ij->ji", draw((3, 4)), order="K")
        self.refused(einc.Error, "einsum: an operand is no array", einc.einsum, "i->", [[1], [1, 2]])
        self.assertNotIn("--type", str(self.refused(einc.CompileError, "is in no input", einc.einsum, "ij->ikj", draw((3, 4)))))
        A = draw((3, 4))
        self.refused(einc.CompileError, "is in no input", einc.einsum, "ij->ik", A)
        self.refused(einc.CompileError, "stands twice in the output", einc.einsum, "ij->ii", A)
        self.refused(einc.CompileError, "found '3'", einc.einsum, "i3->i", A)
        self.refused(ValueError, "'ij,jk' is for 2 operands, and 1 came", einc.einsum, "ij,jk", A)
        self.refused(ValueError, "operand 0 has 2 dimensions, and 'ijk' is for 3", einc.einsum, "ijk", A)
        self.refused(ValueError, "operand 0 has 2 dimensions, and '...ijk' is for 3 or more", einc.einsum, "...ijk", A)
        self.refused(ValueError, "'j' is 3 in operand 1, and 4 before", einc.einsum, "ij,jk", A, A)
        self.refused(ValueError, "sums over '...'", einc.einsum, "...i->i", A)
        self.refused(TypeError, "different types, float32, float64", einc.einsum, "ij,ij", A, A.astype(float))
        self.refused(TypeError, "no sum of products of complex64", einc.einsum, "ij->", A.astype(np.complex64))
        self.refused(TypeError, "lists of numbers are not taken", einc.einsum, A, [0, 1])


if __name__ == "__main__":
    unittest.main()
