# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""What a call costs beside the kernel: of this package, and of ctypes alone with descriptors that are there already.

  PYTHONPATH=python python3 python/overhead.py        prints a table, in nanoseconds

Times are the shortest of many short runs, as others may use the CPU.
"""

import ctypes
import timeit

import numpy as np

import einc

SPEC = '''
def scale(A: f32(N), alpha: f32) -> (C: f32(N)) { C(n) = alpha * A(n); }
def dense(A: f32(M, K), B: f32(K, N), bias: f32(N)) -> (Y: f32(M, N)) {
  T(m, n) +=! A(m, k) * B(k, n);
  Y(m, n) = max(T(m, n) + bias(n), 0.0);
}
def window(A: f32(W), B: f32(K)) -> (C: f32(M)) attr(s: 2xi64 = [1, 0]) { C(m) +=! A(m * s[0] + k + s[1]) * B(k); }
'''


_BATCH = 250  # calls: short enough that some are not interrupted


def descriptor(array):
    """A pointer to it, as a program would keep one."""
    strides = [s // array.itemsize for s in array.strides]
    return ctypes.byref((ctypes.c_int64 * (3 + 2 * array.ndim))(array.ctypes.data, array.ctypes.data, 0, *array.shape, *strides))


def cases():
    """Names, kernels, their inputs, attributes, outputs, and the arguments of the C function."""
    lib = einc.load(SPEC)
    A, B, x = np.ones((2, 3), np.float32), np.ones((3, 2), np.float32), np.ones(2, np.float32)
    y, Y = np.empty(2, np.float32), np.empty((2, 2), np.float32)
    library = ctypes.CDLL(str(lib.path))
    yield "scale", lib.scale, (x, 0.5), {}, y, library.scale, (descriptor(x), ctypes.c_float(0.5), descriptor(y))
    yield "dense", lib.dense, (A, B, x), {}, Y, library.dense, tuple(map(descriptor, (A, B, x, Y)))
    wide, s = np.ones(5, np.float32), (ctypes.c_int64 * 2)(1, 0)
    yield "window", lib.window, (wide, x), {"s": (1, 0)}, y, library.window, (*map(descriptor, (wide, x, y)), s)


def measure(runs=400):
    """Rows: a name, and nanoseconds: of ctypes alone, with out=, and with a new array, if its size follows."""
    for name, kernel, inputs, attributes, out, function, arguments in cases():
        assert function(*arguments) == 0
        names = {f"i{i}": v for i, v in enumerate(inputs)}
        c_names = {f"a{i}": v for i, v in enumerate(arguments)}
        given = "".join(f"{n}, " for n in names) + "".join(f"{n}={v!r}, " for n, v in attributes.items())
        scope = {**names, **c_names, "kernel": kernel, "function": function, "out": out}
        texts = [f"function({', '.join(c_names)})", f"kernel({given}out=out)", f"kernel({given})"]
        yield name, [_time(text, scope, runs) for text in (texts[:2] if name == "window" else texts)]


def _time(text, scope, runs):
    eval(text, scope)  # the first call of these shapes is a long one
    return min(timeit.repeat(text, globals=scope, number=_BATCH, repeat=runs)) / _BATCH * 1e9


if __name__ == "__main__":
    print(f"{'kernel':8} {'ctypes':>7} {'out=':>7} {'more':>7} {'new':>7} {'more':>7}")
    for kernel_name, (alone, *others) in measure():
        print(f"{kernel_name:8} {alone:7.0f} " + " ".join(f"{t:7.0f} {t - alone:7.0f}" for t in others))
