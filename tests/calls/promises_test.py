# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""What is promised of arguments: --align is asked for before data is touched, and used; with --strides=contiguous and all sizes known there
are functions on pointers."""

import ctypes
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy

EINC = str(pathlib.Path(sys.argv[1]).absolute())
SPEC = """
def dense(A: f32(M, K), B: f32(K, N), bias: f32(N)) -> (Y: f32(M, N)) {
  T(m, n) +=! A(m, k) * B(k, n);
  Y(m, n) = max(T(m, n) + bias(n), 0.0);
}
def add(A: f32(M, N), B: f32(M, N)) -> (C: f32(M, N)) { C(m, n) = A(m, n) + B(m, n); }
def turn(A: f64(M, N)) -> (C: f64(N, M)) { C(n, m) = A(m, n); }
def widen(A: i4(M, N), s: f32) -> (C: f32(M, N)) attr(all: i64 = 2) {
  C(m, n) = cast<f32>(A(m, n)) * s + cast<f32>(all);
}
def one(x: f32(N)) -> (s: f32()) { s() +=! x(n); }
"""
BAD_STRIDE, MISALIGNED = -15, -7
failures, passed = [], 0


def check(name, is_well, said=""):
    global passed
    passed += bool(is_well)
    if not is_well:
        failures.append(name)
        print(f"FAILED {name}\n{said}")


def build(folder, *flags, text=SPEC):
    (folder / "spec.tc").write_text(text)
    command = [EINC, "build", "spec.tc", "--shared", "-o", "out", "--name", "lib", "--target=x86-64-v3", *flags]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


def aligned(shape, dtype, by=0):
    """Zeros, `by` elements behind a multiple of 64 bytes."""
    dtype = numpy.dtype(dtype)
    count = int(numpy.prod(shape, dtype=int))
    room = numpy.zeros(count * dtype.itemsize + 4096, numpy.uint8)
    start = -room.ctypes.data % 64 + by * dtype.itemsize
    return room[start:start + count * dtype.itemsize].view(dtype).reshape(shape)


def descriptor(array, offset=0):
    rank = array.ndim

    class Memref(ctypes.Structure):
        _fields_ = [("allocated", ctypes.c_void_p), ("aligned", ctypes.c_void_p), ("offset", ctypes.c_int64),
                    ("sizes", ctypes.c_int64 * rank), ("strides", ctypes.c_int64 * rank)]

    at = array.ctypes.data - offset * array.itemsize
    strides = [stride // array.itemsize for stride in array.strides]
    view = Memref(at, at, offset, (ctypes.c_int64 * rank)(*array.shape), (ctypes.c_int64 * rank)(*strides))
    return ctypes.byref(view)


def filled(shape, dtype, by=0, seed=0):
    array = aligned(shape, dtype, by)
    array[...] = numpy.random.default_rng(seed).integers(-4, 5, shape)
    return array


def pointer(array):
    return ctypes.c_void_p(array.ctypes.data)


with tempfile.TemporaryDirectory() as temporary:
    folder = pathlib.Path(temporary)

    # Any sizes and strides, aligned.
    ran = build(folder, "--align=64")
    check("it is built", ran.returncode == 0 and "note:" not in ran.stderr, ran.stderr)
    header = (folder / "out/lib.h").read_text()
    check("the header says so", "multiples of 64" in header and "_pointers" not in header)
    check("the manifest, too", '"align": 64' in (folder / "out/lib.json").read_text())
    library = ctypes.CDLL(str(folder / "out/liblib.so"))
    for m, n in ((0, 0), (0, 3), (1, 1), (3, 5), (16, 16), (33, 70), (200, 96)):
        for offset in (0, 16, -32):
            a, b, c = filled((m, n), "f4"), filled((m, n), "f4", seed=1), aligned((m, n), "f4")
            status = library.add(descriptor(a, offset), descriptor(b), descriptor(c, offset))
            check(f"add {m} {n} {offset}", status == 0 and (c == a + b).all(), status)
        a, c = filled((m, n), "f8"), aligned((n, m), "f8")
        status = library.turn(descriptor(a), descriptor(c))
        check(f"turn {m} {n}", status == 0 and (c == a.T).all(), status)
    for m, n, k in ((1, 1, 1), (5, 7, 3), (64, 48, 40), (130, 97, 65)):
        a, b, bias, y = filled((m, k), "f4"), filled((k, n), "f4", seed=1), filled((n,), "f4", seed=2), aligned((m, n), "f4")
        status = library.dense(*[descriptor(x) for x in (a, b, bias, y)])
        check(f"dense {m} {n} {k}", status == 0 and (y == numpy.maximum(a @ b + bias, 0)).all(), status)
        for wrong in range(4):
            arrays = [filled(x.shape, "f4", by=1 if at == wrong else 0) for at, x in enumerate((a, b, bias, y))]
            before = arrays[3].copy()
            status = library.dense(*[descriptor(x) for x in arrays])
            check(f"dense {m} {n} {k}: {wrong} is not aligned", status == MISALIGNED and (arrays[3] == before).all(), status)
    # An offset that leads away from a multiple, and one that leads to it.
    a, b, c = filled((8, 8), "f4"), filled((8, 8), "f4"), aligned((8, 8), "f4")
    check("by its offset", library.add(descriptor(a[:, 1:]), descriptor(b[:, 1:]), descriptor(c[:, 1:])) == MISALIGNED)
    by_four = aligned((8, 8), "f4", by=4)
    check("what it asks", library.add_supported(descriptor(a), descriptor(b), descriptor(by_four)) == MISALIGNED)
    # Other strides are none of its business.
    check("steps", library.add(descriptor(a[:, ::2]), descriptor(b[:, ::2]), descriptor(c[:, ::2])) == 0 and (c[:, ::2] == (a + b)[:, ::2]).all())

    # All sizes known, no gaps.
    flags = [f"--dim={size}" for size in ("M=33", "N=48", "K=20")]
    for more in ([], ["--align=32"], ["--prefix=p_"]):
        prefix = "p_" if more[:1] == ["--prefix=p_"] else ""
        ran = build(folder, "--strides=contiguous", *flags, *more)
        check(f"known {more}", ran.returncode == 0 and "note:" not in ran.stderr, ran.stderr)
        header = (folder / "out/lib.h").read_text()
        check("its prototypes", f"einc_status {prefix}dense_pointers(const float *A, const float *B, const float *bias, float *Y);" in header
              and f"{prefix}widen_pointers(const uint8_t *A, float s, float *C, const int64_t *all);" in header, header)
        (folder / "out/liblib.so").rename(folder / f"known{len(more)}{prefix}.so")
        library = ctypes.CDLL(str(folder / f"known{len(more)}{prefix}.so"))
        a, b, bias, y = filled((33, 20), "f4"), filled((20, 48), "f4", seed=1), filled((48,), "f4", seed=2), aligned((33, 48), "f4")
        status = library[f"{prefix}dense_pointers"](*[pointer(x) for x in (a, b, bias, y)])
        check(f"dense_pointers {more}", status == 0 and (y == numpy.maximum(a @ b + bias, 0)).all(), status)
        packed, c = filled((33 * 48 // 2,), "u1"), aligned((33, 48), "f4")
        packed[...] = numpy.arange(packed.size) * 37 % 256
        nibbles = numpy.stack([packed & 15, packed >> 4], axis=-1).reshape(33, 48).astype("i4")
        status = library[f"{prefix}widen_pointers"](pointer(packed), ctypes.c_float(0.5), pointer(c), None)
        check(f"widen_pointers {more}", status == 0 and (c == (nibbles - 16 * (nibbles > 7)) * 0.5 + 2).all(), status)
        s = aligned((1,), "f4")
        status = library[f"{prefix}one_pointers"](pointer(bias), pointer(s))
        check(f"one_pointers {more}", status == 0 and s[0] == bias.sum(), status)
        check(f"null {more}", library[f"{prefix}dense_pointers"](pointer(a), None, pointer(bias), pointer(y)) == -2)
        before, turned = filled((33, 48), "f8"), aligned((48, 33), "f8")
        status = library[f"{prefix}turn_pointers"](pointer(before), pointer(turned))
        check(f"turn_pointers {more}", status == 0 and (turned == before.T).all(), status)
        if more == ["--align=32"]:
            by = filled((33, 20), "f4", by=4)
            check("pointers that are not aligned", library.dense_pointers(pointer(by), pointer(b), pointer(bias), pointer(y)) == MISALIGNED)
            wide, b, c = filled((33, 96), "f4"), filled((33, 48), "f4"), aligned((33, 48), "f4")
            check("both promises", library.add(descriptor(wide[:, ::2]), descriptor(b), descriptor(c)) == BAD_STRIDE)
    check("not where a size is open", "one_pointers" in header and "_pointers" not in "".join(
        line for line in (build(folder, "--strides=contiguous", "--dim=M=4"), (folder / "out/lib.h").read_text())[1].splitlines() if " dense" in line))

    # It is used: no form asks again whether lines begin at multiples.
    def emitted(*more):
        return subprocess.run([EINC, "emit", "--stage=c", "--def=dense", "--target=x86-64-v3", *more, "spec.tc"], cwd=folder, capture_output=True, text=True).stdout

    check("it is used", "einc_aligned(A->aligned + A->offset, 64)" in emitted("--align=64") and "einc_aligned" not in emitted())
    for wrong in ("0", "3", "8192", "-64"):
        ran = build(folder, f"--align={wrong}")
        check(f"--align={wrong}", ran.returncode == 2 and "a power of two, 1 to 4096" in ran.stderr, ran.stderr)
    ran = subprocess.run([EINC, "build", "spec.tc", "-o", "out", "--align=64", "--target=vulkan"], cwd=folder, capture_output=True, text=True)
    check("on a device", ran.returncode == 2 and "a device aligns buffers itself" in ran.stderr, ran.stderr)

print(f"{passed} passed, {len(failures)} failed")
sys.exit(1 if failures else 0)
