# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""einc build --shared: libNAME.so shows what its header declares and nothing else, is the same each time, and is called by its manifest."""

import ctypes
import json
import pathlib
import re
import subprocess
import sys
import tempfile

EINC = str(pathlib.Path(sys.argv[1]).absolute())
SPEC = """
def dense(A: f32(M, K), B: f32(K, N), bias: f32(N)) -> (Y: f32(M, N)) {
  T(m, n) +=! A(m, k) * B(k, n);
  Y(m, n) = max(T(m, n) + bias(n), 0.0);
}
def scaled(A: f32(M), alpha: f32) -> (C: f32(M)) attr(shift: i64 = 1, more: i64[]) {
  C(m) += A(m) * alpha + cast<f32>(shift);
}
def product(A: f32(M, K), B: f32(K, N)) -> (C: f32(M, N)) { C(m, n) += A(m, k) * B(k, n); }
"""
GEMM = """
def gemm(alpha: f32, A: f32(M, K), B: f32(K, N), beta: f32) -> (C: f32(M, N)) {
  C(m, n) = beta * C(m, n);
  C(m, n) += alpha * A(m, k) * B(k, n);
}
"""
POOL = """
#include <stdint.h>
#include <stdio.h>
#include "threaded.h"
static int64_t most;
int64_t einc_thread_count(void) { return 3; }
void einc_run_on_threads(int64_t threads, void (*task)(void *, int64_t), void *context) {
  most = threads > most ? threads : most;
  for (int64_t t = 0; t < threads; ++t) task(context, t);
}
static float a[512 * 512], b[512 * 512], c[512 * 512];
int main(void) {
  einc_memref_f32_2 A = {a, a, 0, {512, 512}, {512, 1}}, B = {b, b, 0, {512, 512}, {512, 1}}, C = {c, c, 0, {512, 512}, {512, 1}};
  for (int i = 0; i < 512 * 512; ++i) a[i] = b[i] = 1;
  einc_status status = product(&A, &B, &C);
  printf("%d %d %g\\n", status, (int)most, c[512 * 511]);
}
"""
failures, passed = [], 0


def check(name, is_well, said=""):
    global passed
    passed += bool(is_well)
    if not is_well:
        failures.append(name)
        print(f"FAILED {name}\n{said}")


def build(folder, *flags, text=SPEC, name="lib"):
    (folder / "spec.tc").write_text(text)
    command = [EINC, "build", "spec.tc", "-o", "out", "--name", name, *flags]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


def visible(library):
    shown = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
    return {line.split()[-1] for line in shown.splitlines()}


def declared(header):
    """Names of C functions: what stands before a parenthesis at the start of a line."""
    text = header.read_text().split("#if defined(__cplusplus) && __cplusplus >= 201703L")[0]
    return set(re.findall(r"^(?!typedef)[a-z][\w *]*?\b(\w+)\(", re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL), re.MULTILINE))


def descriptor(array, sizes):
    """Of a ctypes array that is row-major."""
    strides = [1] * len(sizes)
    for d in reversed(range(len(sizes) - 1)):
        strides[d] = strides[d + 1] * sizes[d + 1]

    class Memref(ctypes.Structure):
        _fields_ = [("allocated", ctypes.c_void_p), ("aligned", ctypes.c_void_p), ("offset", ctypes.c_int64),
                    ("sizes", ctypes.c_int64 * len(sizes)), ("strides", ctypes.c_int64 * len(sizes))]

    address = ctypes.addressof(array)
    view = Memref(address, address, 0, (ctypes.c_int64 * len(sizes))(*sizes), (ctypes.c_int64 * len(sizes))(*strides))
    view.array = array  # lives as long
    return view


def floats(*values):
    return (ctypes.c_float * len(values))(*values)


with tempfile.TemporaryDirectory() as temporary:
    folder = pathlib.Path(temporary)
    ran = build(folder, "--shared", "--target=x86-64-v2,x86-64-v3")
    check("it is built", ran.returncode == 0 and "note:" not in ran.stderr, ran.stderr)
    out, library = folder / "out", folder / "out" / "liblib.so"
    check("no archive", sorted(path.name for path in out.iterdir()) == ["lib.h", "lib.json", "liblib.so"], list(out.iterdir()))
    check("only what the header declares", visible(library) == declared(out / "lib.h"), f"{visible(library)}\n{declared(out / 'lib.h')}")
    dynamic = subprocess.run(["readelf", "-d", library], capture_output=True, text=True, check=True).stdout
    check("its name", "soname: [liblib.so]" in dynamic, dynamic)
    first = library.read_bytes()
    build(folder, "--shared", "--target=x86-64-v2,x86-64-v3", "-j1")
    check("the same each time", library.read_bytes() == first)

    # The manifest's arguments are the C function's, in its order.
    kernels = {kernel["def"]: kernel for kernel in json.loads((out / "lib.json").read_text())["kernels"]}
    scaled = kernels["scaled"]["arguments"]
    shown = [(a["kind"], a["name"], a.get("role"), a.get("reads"), a.get("optional"), a.get("count"), a.get("of")) for a in scaled]
    check("the arguments", shown == [
        ("tensor", "A", "input", None, None, None, None), ("value", "alpha", None, None, None, None, None),
        ("tensor", "C", "output", True, None, None, None), ("address", "shift", None, None, True, 1, None),
        ("address", "more", None, None, False, None, None), ("length", "more_length", None, None, None, None, "more"),
    ], scaled)
    for kernel in kernels.values():
        prototype = re.search(r"\((.*)\)", kernel["prototypes"][0])[1]
        names = [re.search(r"(\w+)(\[\d+\])?$", parameter)[1] for parameter in prototype.split(", ")]
        check(f"the order of {kernel['def']}", names == [a["name"] for a in kernel["arguments"]], prototype)

    loaded = ctypes.CDLL(str(library))
    y = floats(7, 7, 7, 7)
    arguments = {"A": (floats(1, 2, 3, 4, 5, 6), [2, 3]), "B": (floats(1, 0, 0, 1, 1, 1), [3, 2]), "bias": (floats(0, -10), [2]), "Y": (y, [2, 2])}
    views = [descriptor(*arguments[a["name"]]) for a in kernels["dense"]["arguments"]]
    status = loaded.dense(*[ctypes.byref(view) for view in views])
    check("a call", (status, list(y)) == (0, [4, 0, 10, 1]), f"{status} {list(y)}")
    c, shift = floats(1, 2), ctypes.c_int64(3)
    views = [descriptor(floats(10, 20), [2]), descriptor(c, [2])]
    status = loaded.scaled(ctypes.byref(views[0]), ctypes.c_float(0.5), ctypes.byref(views[1]), ctypes.byref(shift), None, ctypes.c_int64(0))
    check("a call with numbers", (status, list(c)) == (0, [9, 15]), f"{status} {list(c)}")

    # What is called must come from somewhere: it is said, or linked, and what cannot be linked is no library.
    ran = build(folder, "--shared", "--lib=cblas", "--def=product", "--target=x86-64-v3", name="blas")
    check("the BLAS is named", ran.returncode == 0 and "--link=-lopenblas" in ran.stderr, ran.stderr)
    ran = build(folder, "--shared", "--lib=cblas", "--link=-lopenblas", "--def=product", "--target=x86-64-v3", name="blas")
    check("it is linked", ran.returncode == 0 and "note:" not in ran.stderr, ran.stderr)
    ctypes.CDLL(str(out / "libblas.so"), mode=2)  # RTLD_NOW: all symbols are found
    ran = build(folder, "--shared", "--link=-lnowhere", "--target=x86-64-v3", name="none")
    check("what cannot be linked", ran.returncode == 1 and "nowhere" in ran.stderr and not (out / "libnone.so").exists(), ran.stderr)
    ran = build(folder, "--shared", "--export=cblas", text=GEMM, name="own")
    check("a CBLAS of one's own", ran.returncode == 0 and "cblas_sgemm" in visible(out / "libown.so"), ran.stderr)
    for flags, text in ((["--link=-lm"], "--shared"), (["--shared", "--sources-only"], "--sources-only")):
        ran = build(folder, *flags, name="wrong")
        check(f"{flags} is refused", ran.returncode == 2 and text in ran.stderr and not (out / "wrong.h").exists(), ran.stderr)

    # A program's own threads.
    ran = build(folder, "--shared", "--threads=3", "--def=product", "--target=x86-64-v3", name="threaded")
    check("threads", ran.returncode == 0 and visible(out / "libthreaded.so") == declared(out / "threaded.h") | {"einc_thread_count", "einc_run_on_threads"}, ran.stderr)
    (folder / "pool.c").write_text(POOL)
    pool = subprocess.run(["clang-19", "pool.c", "-Iout", "-Lout", "-lthreaded", "-Wl,-rpath,out", "-o", "pool"], cwd=folder, capture_output=True, text=True)
    ran = subprocess.run(["./pool"], cwd=folder, capture_output=True, text=True)
    check("a program's own threads", ran.stdout == "0 3 512\n", f"{pool.stderr}{ran}")

    ran = build(folder, "--sources-only", name="sources")
    names = set(re.findall(r"    (\w+);", (out / "sources.map").read_text()))
    check("the map of sources", names == declared(out / "sources.h"), f"{ran.stderr}{names}")

    # Of a device the runtime goes with it.
    ran = build(folder, "--shared", "--target=vulkan", "--def=dense", name="device")
    headers = [out / "device.h", *out.glob("runtime/**/*.h")]
    wanted = set().union(*(declared(header) for header in headers))
    check("a device's", ran.returncode == 0 and visible(out / "libdevice.so") == wanted, f"{ran.stderr}{visible(out / 'libdevice.so') ^ wanted}")

print(f"{passed} passed, {len(failures)} failed")
sys.exit(1 if failures else 0)
