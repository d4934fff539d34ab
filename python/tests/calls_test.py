# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Kernels give what NumPy gives: attributes, scalars, several outputs, in place, odd strides, no elements, all types."""

import threading
import unittest

import numpy as np

import einc
from einc.elements import ELEMENTS, dtypes
from support import ADD, DENSE, SPECS, Test

RNG = np.random.default_rng(25)
OWN = '''
def axpy(alpha: f32, X: f32(N), Y: f32(N)) -> (Z: f32(N)) { Z(n) = alpha * X(n) + Y(n); }
def repeat(A: f32(N), times: i32) -> (C: f32(times, N)) { C(t, n) = A(n); }
def halves(A: f32(N)) -> (C: f32(N / 2)) { C(n) = A(2 * n); }
def sums(A: f32(M, N)) -> (C: f32(M), D: f32(N)) { C(m) +=! A(m, n); D(n) +=! A(m, n); }
def total(A: i8(N)) -> (C: i64()) { C() +=! A(n); }
def shifted(A: f32(N), by: f32()) -> (C: f32(N)) { C(n) = A(n) + by(); }
def window(A: f32(W), B: f32(K)) -> (C: f32(M)) attr(s: 1xi64 = [1]) { C(m) +=! A(m * s[0] + k) * B(k); }
def spread(A: f32(N)) -> (C: f32(2 * N)) { C(2 * n) = A(n); }
def scaled(A: f32(N)) -> (C: f32(N)) attr(by: f32[], more: 2xf64 = [0.5, 1.0], flag: bool = true, k: u8) {
  C(n) = A(n) * by[1] + cast<f32>(more[0] + cast<f64>(k)) + select(flag, 0.0, 1.0);
}
def times(A: f32(N)) -> (C: f32(N)) attr(by: f32 = 1.0) { C(n) = A(n) * by; }
def lambda(in: f32(N), out: f32(N)) -> (dims: f32(N)) { dims(n) = in(n) - out(n); }
'''


def floats(*shape):
    return RNG.standard_normal(shape).astype(np.float32)


class Calls(Test):
    @classmethod
    def setUpClass(cls):
        cls.own = einc.load(OWN + DENSE)

    def test_inputs_by_position_and_by_name(self):
        A, B, bias = floats(5, 7), floats(7, 3), floats(3)
        wanted = np.maximum(A @ B + bias, 0)
        for _ in range(3):  # the second call and later ones go another way
            np.testing.assert_allclose(self.own.dense(A, B, bias), wanted, rtol=1e-5, atol=1e-5)
            np.testing.assert_allclose(self.own["dense"](bias=bias, A=A, B=B), wanted, rtol=1e-5, atol=1e-5)

    def test_outputs_that_are_given(self):
        A, B, bias = floats(5, 7), floats(7, 3), floats(3)
        wanted = np.maximum(A @ B + bias, 0)
        for given in (lambda Y: Y, lambda Y: (Y,), lambda Y: [Y], lambda Y: {"Y": Y}):
            for _ in range(3):
                Y = np.full((5, 3), np.nan, np.float32)
                result = self.own.dense(A, B, bias, out=given(Y))
                self.assertIs(result[0] if isinstance(result, (tuple, list)) else result, Y)
                np.testing.assert_allclose(Y, wanted, rtol=1e-5, atol=1e-5)

    def test_any_strides_without_a_copy(self):
        A, B, bias = floats(10, 14), floats(3, 7), floats(9)
        views = [A[::2, ::-2], A[::-2, 1::2], np.broadcast_to(A[0, :7], (5, 7)), A.T[:5, :7], A[5:, 7:]]
        for a in views:
            for b, c in ((B.T, bias[::-3]), (B[::-1].T, np.broadcast_to(bias[4], 3))):
                for _ in range(2):
                    Y = np.zeros((6, 8), np.float32)
                    out = Y[::-1][:5, 6:0:-2]
                    np.testing.assert_allclose(self.own.dense(a, b, c), np.maximum(a @ b + c, 0), rtol=1e-5, atol=1e-5)
                    self.own.dense(a, b, c, out=out)
                    np.testing.assert_allclose(out, np.maximum(a @ b + c, 0), rtol=1e-5, atol=1e-5)
                    self.assertEqual(np.count_nonzero(Y), np.count_nonzero(out))

    def test_no_elements(self):
        for m, k, n in ((0, 3, 2), (2, 0, 3), (2, 3, 0), (0, 0, 0)):
            for _ in range(2):
                result = self.own.dense(floats(m, k), floats(k, n), np.ones(n, np.float32))
                self.assertEqual(result.shape, (m, n))
                self.assertTrue((result == 1).all() or k)

    def test_scalars(self):
        X, Y = floats(9), floats(9)
        for alpha in (2, -0.5, np.float32(3), np.float64(1.25), True):
            for _ in range(2):
                np.testing.assert_allclose(self.own.axpy(alpha, X, Y), np.float32(alpha) * X + Y, rtol=1e-5, atol=1e-6)
                np.testing.assert_allclose(self.own.axpy(Y=Y, X=X, alpha=alpha), np.float32(alpha) * X + Y, rtol=1e-5, atol=1e-6)

    def test_sizes_by_scalars_and_expressions(self):
        A = floats(5)
        for times in (3, 1, np.int8(4), 3):
            np.testing.assert_array_equal(self.own.repeat(A, times), np.tile(A, (int(times), 1)))
        np.testing.assert_array_equal(self.own.halves(A), A[:4:2])
        np.testing.assert_array_equal(self.own.spread(A), np.stack([A, 0 * A], 1).ravel() + 0)

    def test_several_outputs(self):
        A = floats(4, 6)
        for _ in range(3):
            C, D = self.own.sums(A)
            np.testing.assert_allclose(C, A.sum(1), rtol=1e-5, atol=1e-5)
            np.testing.assert_allclose(D, A.sum(0), rtol=1e-5, atol=1e-5)
            own = np.empty(6, np.float32)
            result = self.own.sums(A, out={"D": own})
            self.assertIs(result[1], own)
            np.testing.assert_allclose(result[0], C)
            both = np.empty(4, np.float32), np.empty(6, np.float32)
            self.assertIs(self.own.sums(A, out=both), both)
            np.testing.assert_allclose(both[1], D)

    def test_without_dimensions(self):
        A = RNG.integers(-99, 99, 50).astype(np.int8)
        for _ in range(2):
            self.assertEqual(self.own.total(A)[()], A.sum(dtype=np.int64))
        B = floats(3)
        for by in (np.array(2, np.float32), np.float32(2), 2, 2.0):
            np.testing.assert_array_equal(self.own.shifted(B, by), B + np.float32(2))

    def test_attributes(self):
        A, B = floats(9), floats(3)
        window = np.lib.stride_tricks.sliding_window_view(A, 3) @ B
        for s in (None, 1, [1], (1,), np.array([1]), 2, [2], (2,), np.int64(2)):
            step = int(np.ravel(s)[0]) if s is not None else 1
            M = (9 - 3) // step + 1
            for _ in range(2):
                np.testing.assert_allclose(self.own.window(A, B, s=s, dims={"M": M}), window[::step], rtol=1e-5, atol=1e-5)
                C = np.empty(M, np.float32)
                np.testing.assert_allclose(self.own.window(A, B, s=s, out=C), window[::step], rtol=1e-5, atol=1e-5)
        for _ in range(2):
            np.testing.assert_allclose(self.own.scaled(A, by=[7, 2.5], k=3), A * 2.5 + 3.5, rtol=1e-5, atol=1e-6)
            np.testing.assert_allclose(self.own.scaled(A, by=(7, 2.5, 8), k=3, more=[-1, 0], flag=False), A * 2.5 + 3, rtol=1e-5, atol=1e-6)

    def test_attributes_that_are_equal_and_not_the_same(self):
        for by in (0.0, -0.0, 0, -0.0):
            self.assertEqual(np.signbit(self.own.times(np.ones(2, np.float32), by=by)).tolist(), [str(by) == "-0.0"] * 2)

    def test_names_that_python_keeps_for_itself(self):
        kernel, a, b = self.own["lambda"], floats(3), floats(3)
        np.testing.assert_array_equal(kernel(a, b), a - b)
        np.testing.assert_array_equal(kernel(in_=a, out_=b), a - b)
        c = np.empty(3, np.float32)
        np.testing.assert_array_equal(kernel(a, b, out={"dims": c}), a - b)

    def test_names_of_the_function_itself(self):
        names = ("key frame id plan plans words status memory len type address function slowly frozen listed tuple ndarray IndexError "
                 "dtype_A dtype_B scalar_x convert_x out_Y empty_Y").split()
        names = [n + "__" for n in names] + ["self", "None", "True", "__debug__", "__builtins__", "dims", "numpy", "tuple", "type", "len"]
        spec = "".join(f"def {n}({n}: f32(N), x: f32) -> (Y: f32(N)) {{ Y(n) = {n}(n) + x; }}\n"
                       f"def of_{n}(A: f32(N), {n}: f32) -> (Y: f32(N)) attr(b: f32 = 1.0) {{ Y(n) = A(n) + {n} * b; }}\n" for n in names)
        lib, A = einc.load(spec), floats(3)
        for name in names:
            for _ in range(3):
                for kernel in (lib[name], lib[f"of_{name}"]):
                    out = np.empty(3, np.float32)
                    np.testing.assert_array_equal(kernel(A, 2), A + np.float32(2), name)
                    np.testing.assert_array_equal(kernel(A, 2, out=out), A + np.float32(2), name)

    def test_attributes_that_can_be_read_once(self):
        A, B = floats(9), floats(3)
        window = np.lib.stride_tricks.sliding_window_view(A, 3) @ B
        for make in (lambda: iter([2]), lambda: (x for x in [2]), lambda: map(int, ["2"]), lambda: [2]):
            for _ in range(3):
                C = np.empty(4, np.float32)
                np.testing.assert_allclose(self.own.window(A, B, s=make(), out=C), window[::2], rtol=1e-5, atol=1e-5)

    def test_numbers_of_bf16(self):
        kernel = einc.load("def f(A: bf16(N), by: bf16()) -> (C: bf16(N)) { C(n) = A(n) * by(); }").f
        C = kernel(np.array([0x3F80], np.uint16).view(dtypes(ELEMENTS["bf16"])[0]), 2.0)
        self.assertEqual(C.view(np.uint16).tolist(), [0x4000])

    def test_in_place(self):
        A = floats(7)
        wanted = 2 * A + A
        self.own.axpy(2, A, A, out=A)
        np.testing.assert_allclose(A, wanted, rtol=1e-6)

    def test_a_subclass_and_another_owner(self):
        class Own(np.ndarray):
            pass

        class ByDlpack:
            def __init__(self, array):
                self.array = array

            def __dlpack__(self, **_):
                return self.array.__dlpack__()

            def __dlpack_device__(self):
                return self.array.__dlpack_device__()

        A, B, bias = floats(6, 7)[:, ::-1], floats(7, 3), floats(3)
        wanted = np.maximum(A @ B + bias, 0)
        np.testing.assert_allclose(self.own.dense(A.view(Own), B, bias), wanted, rtol=1e-5, atol=1e-5)
        Y = np.empty((3, 6), np.float32).T
        out = ByDlpack(Y)
        self.assertIs(self.own.dense(ByDlpack(A), ByDlpack(B), memoryview(bias), out=out), out)
        np.testing.assert_allclose(Y, wanted, rtol=1e-5, atol=1e-5)
        self.assertIsInstance(self.own.dense(ByDlpack(A), B, bias), np.ndarray)

    def test_buffers(self):
        add = einc.load(ADD).add
        out = bytearray(12)
        add(memoryview(floats(3))[::-1], memoryview(np.zeros(3, np.float32)), out=memoryview(out).cast("f"))
        self.assertNotEqual(bytes(out), bytes(12))

    def test_threads(self):
        inputs = [(floats(m, 8), floats(8, 5), floats(5)) for m in range(1, 9)]
        wanted = [np.maximum(a @ b + c, 0) for a, b, c in inputs]
        wrong = []

        def work(i):
            for j in range(1500):
                n = (i + j) % len(inputs)
                if not np.allclose(self.own.dense(*inputs[n]), wanted[n], rtol=1e-5, atol=1e-5):
                    wrong.append(n)

        threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_many_shapes(self):
        for n in range(1, 1500):  # more than are remembered
            A = np.ones(n, np.float32)
            self.assertEqual(self.own.shifted(A, np.float32(n)).sum(), n * (n + 1))


class Specs(Test):
    """Defs of specs/, as users have them."""

    def test_matmul_adds_to_what_is_there(self):
        matmul = einc.load(SPECS / "matmul.tc", defs=["matmul"]).matmul
        A, B = floats(33, 17), floats(17, 40)
        C = floats(33, 40)
        wanted = C + A @ B
        for _ in range(2):
            self.assertIs(matmul(A, B, out=C), C)
            np.testing.assert_allclose(C, wanted, rtol=1e-4, atol=1e-4)
            wanted = wanted + A @ B
        self.refused(ValueError, "numpy.zeros((33, 40), numpy.float32)", matmul, A, B)

    def test_types_are_chosen(self):
        softmax = einc.load(SPECS / "softmax.tc", defs=["softmax"], types={"T": "f64"}).softmax
        X = RNG.standard_normal((5, 9))
        e = np.exp(X - X.max(1, keepdims=True))
        np.testing.assert_allclose(softmax(X), e / e.sum(1, keepdims=True), rtol=1e-12)
        self.refused(TypeError, "f64", softmax, X.astype(np.float32))

    def test_a_convolution_with_strides(self):
        lib = einc.load(SPECS / "conv.tc", defs=["conv_2d_nhwc_hwcf"], attrs={"dilations": [1, 1]})
        conv = lib.conv_2d_nhwc_hwcf
        image, window = floats(2, 9, 8, 3), floats(3, 2, 3, 4)
        for strides in ((1, 1), [2, 3]):
            views = np.lib.stride_tricks.sliding_window_view(image, (3, 2), (1, 2))[:, ::strides[0], ::strides[1]]
            wanted = np.einsum("nyxcij,ijcf->nyxf", views, window)
            O = np.zeros(wanted.shape, np.float32)
            np.testing.assert_allclose(conv(image, window, strides=strides, out=O), wanted, rtol=1e-4, atol=1e-4)
        self.refused(ValueError, "with what it holds before: out=numpy.zeros((2, OH, OW, 4), numpy.float32)", conv, image, window)

    def test_quantised_with_several_outputs(self):
        lib = einc.load(SPECS / "quantized.tc", defs=["dynamic_quantize_linear", "quantize_linear"])
        X = floats(6, 7)
        Y, scale, zero = lib.dynamic_quantize_linear(X)
        self.assertEqual((Y.dtype, scale.dtype, zero.dtype), (np.uint8, np.float32, np.uint8))
        np.testing.assert_allclose((Y.astype(np.float32) - zero) * scale, X, atol=float(scale))
        np.testing.assert_array_equal(lib.quantize_linear(X, float(scale), int(zero)), Y)


class Types(Test):
    """A copy of each type, and arithmetic where there is some."""

    NUMPY = {"bool": bool, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64, "u8": np.uint8, "u16": np.uint16,
             "u32": np.uint32, "u64": np.uint64, "f16": np.float16, "f32": np.float32, "f64": np.float64,
             "bf16": np.uint16, "f8e4m3": np.uint8, "f8e5m2": np.uint8}

    def test_copies(self):
        defs = [f"def copy_{t}(A: {t}(M, N)) -> (C: {t}(N, M)) {{ C(n, m) = A(m, n); }}" for t in self.NUMPY]
        lib = einc.load("\n".join(defs))
        for name, kind in self.NUMPY.items():
            # From 124 on bits of f8e5m2 are infinity and NaN, of which a copy may be another NaN.
            A = RNG.integers(0, 2, (3, 5)).astype(kind) if kind is bool else RNG.integers(0, 124, (3, 5)).astype(kind)
            for _ in range(2):
                result = lib[f"copy_{name}"](A[:, ::-1])
                np.testing.assert_array_equal(result.view(kind), A[:, ::-1].T, name)
                out = np.empty((10, 3), kind)[::2]
                np.testing.assert_array_equal(lib[f"copy_{name}"](A, out=out), A.T, name)

    def test_scalars(self):
        kinds = {k: v for k, v in self.NUMPY.items() if not k.startswith("f8")}
        lib = einc.load("\n".join(f"def fill_{t}(A: {t}(N), x: {t}) -> (C: {t}(N)) {{ C(n) = x; }}" for t in kinds))
        for name, kind in kinds.items():
            for x in (True, False) if name == "bool" else (0, 1, 100, *((-3,) if name[0] in "if" else ()), *((0.5, 1e-7) if "f" in name else ())):
                result = lib[f"fill_{name}"](np.zeros(2, kind), x)
                if name == "bf16":
                    exact = (result.astype(np.uint32) << 16).view(np.float32)
                    np.testing.assert_allclose(exact, np.float32(x), rtol=2**-8)
                else:
                    np.testing.assert_array_equal(result, np.array([x, x]).astype(kind), name)

    def test_pairs_in_a_byte(self):
        lib = einc.load("def wide<T = i4>(A: T(M, N)) -> (C: i32(M, N)) { C(m, n) = cast<i32>(A(m, n)); }\n"
                        "def narrow(A: i32(M, N)) -> (C: u4(M, N)) { C(m, n) = cast<u4>(A(m, n)); }\n"
                        "def times(A: u4(M, K), B: i32(K)) -> (C: i32(M)) { C(m) +=! cast<i32>(A(m, k)) * B(k); }")
        A = np.array([[0x21, 0x8F], [0x70, 0x43]], np.uint8)  # the first of a pair is in the lower half
        wanted = [[1, 2, -1, -8], [0, 7, 3, 4]]
        np.testing.assert_array_equal(lib.wide(A), wanted)
        np.testing.assert_array_equal(lib.wide(A[::-1]), wanted[::-1])
        np.testing.assert_array_equal(lib.wide(A, dims={"N": 3}), np.array(wanted)[:, :3])
        B = np.arange(1, 4, dtype=np.int32)  # of three, so that a row ends with half a byte
        np.testing.assert_array_equal(lib.times(A, B), [[1, 2, 15], [0, 7, 3]] @ B)
        C = lib.narrow(np.array([[1, 2, 3], [4, 5, 6]], np.int32))
        np.testing.assert_array_equal(C & [[0xFF, 0x0F]] * 2, [[0x21, 0x03], [0x54, 0x06]])
        self.refused(ValueError, "side by side", lib.wide, A[:, ::-1])


if __name__ == "__main__":
    unittest.main()
