# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Libraries for AArch64, compiled by cross compilers and run under qemu-user."""

import ctypes
import json
import struct
import subprocess

from tests.numeric import abi, compilers, einc_tool

CLANG, GCC = [compilers.CLANG, "--target=aarch64-linux-gnu"], ["aarch64-linux-gnu-gcc"]
_SIZES = {"bool": 1, "i8": 1, "u8": 1, "f8e4m3": 1, "f8e5m2": 1, "i16": 2, "u16": 2, "f16": 2, "bf16": 2, "i32": 4, "u32": 4, "f32": 4,
          "i64": 8, "u64": 8, "f64": 8}
# A call is a kernel's number and its arguments: -1 and a scalar, or a rank, the place of element 0 (in bytes, and from there on in
# elements), bytes, sizes, strides and all that is in memory. The answer is a status, and what is in memory then. Behind each tensor
# is a page that nobody may touch. In place of a kernel's number there may be -1, and how to round from there on.
_MAIN = """
#include <fenv.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
%s
static int (*const kernels[])() = {%s};
static void get(void *to, int64_t bytes) { if (fread(to, 1, (size_t)bytes, stdin) != (size_t)bytes) exit(0); }
static int64_t number(void) { int64_t n; get(&n, sizeof n); return n; }
int main(void) {
  for (;;) {
    int64_t kernel = number(), count = number(), arguments[8], bytes[8], words[8][19], mapped[8], status, i;
    char *data[8];
    if (kernel < 0) { fesetround((int)count); continue; }
    for (i = 0; i < count; ++i) {
      const int64_t rank = number();
      data[i] = NULL;
      if (rank < 0) { arguments[i] = number(); continue; }
      const int64_t first = number(), offset = number();
      bytes[i] = number();
      mapped[i] = (bytes[i] + 65535) / 65536 * 65536 + 65536;
      char *pages = mmap(NULL, (size_t)mapped[i], PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      mprotect(pages + mapped[i] - 65536, 65536, PROT_NONE);
      data[i] = pages + mapped[i] - 65536 - bytes[i];
      words[i][0] = words[i][1] = (int64_t)(data[i] + first), words[i][2] = offset;
      get(words[i] + 3, 16 * rank);
      get(data[i], bytes[i]);
      arguments[i] = (int64_t)words[i];
    }
    status = kernels[kernel](arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5], arguments[6], arguments[7]);
    fwrite(&status, sizeof status, 1, stdout);
    for (i = 0; i < count; ++i)
      if (data[i]) {
        fwrite(data[i], 1, (size_t)bytes[i], stdout);
        munmap(data[i] + bytes[i] + 65536 - mapped[i], (size_t)mapped[i]);
      }
    fflush(stdout);
  }
}
"""


def _in_memory(words, kind):
    """Rank, the place of element 0, and where memory begins and how many bytes it has."""
    rank = (len(words) - 3) // 2
    if kind in ("i4", "u4"):  # two a byte
        rank, (first, offset), begin, count = _in_memory([0, 2 * words[1], *words[2:]], "i8")
        return rank, (0, first + begin % 2), begin // 2, (begin % 2 + count + 1) // 2 if count else 0
    size = _SIZES[kind]
    sizes, strides = words[3 : 3 + rank], words[3 + rank :]
    ends = [(n - 1) * s * size for n, s in zip(sizes, strides)] if 0 not in sizes else []
    low, high = sum(min(e, 0) for e in ends), sum(max(e, 0) for e in ends)
    return rank, (-low, 0), words[1] + words[2] * size + low, high - low + size if 0 not in sizes else 0


class Library:
    """A process in which kernels are called as those of abi.Library are."""

    def __init__(self, folder, name, specs, compiler, level, cpu, *flags):
        sources = abi.parts(folder, name, specs, *flags)
        flags = [*compiler[1:], "-std=c99", level, "-Wall", "-Wextra", "-Werror"]
        self.objects = compilers.compile_each(compiler[0], *flags, sources=sources, out=folder / name)
        kernels = json.loads((folder / f"{name}.json").read_text())["kernels"]
        names = [k["function"] for k in kernels]
        main, program = folder / "main.c", folder / "main"
        main.write_text(_MAIN % ("".join(f"int {f}();\n" for f in names), ", ".join(names)))
        einc_tool.must(subprocess.run([*compiler, "-w", "-static", main, *self.objects, "-lm", "-o", program], capture_output=True, text=True))
        self._kernels = {k["def"]: (i, [t["type"] for t in k["tensors"]]) for i, k in enumerate(kernels)}
        self._process = subprocess.Popen(["qemu-aarch64", "-cpu", cpu, program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def kernel(self, name):
        return lambda *arguments: self._call(*self._kernels[name], arguments)

    def round(self, mode):
        """As fesetround of AArch64 takes it, for all calls from here on."""
        self._process.stdin.write(struct.pack("=qq", -1, mode))

    def _call(self, number, types, arguments):
        request, blocks = struct.pack("=qq", number, len(arguments)), []
        for argument in arguments:
            if not isinstance(argument, ctypes.Array):
                request += struct.pack("=qq", -1, argument.value)
                continue
            words = list(argument)
            rank, first, begin, count = _in_memory(words, types[len(blocks)])
            blocks.append((begin, count))
            request += struct.pack(f"={4 + 2 * rank}q", rank, *first, count, *words[3:]) + ctypes.string_at(begin, count)
        self._process.stdin.write(request)
        self._process.stdin.flush()
        status = self._read(8)
        for begin, count in blocks:
            ctypes.memmove(begin, self._read(count), count)
        return struct.unpack("=q", status)[0]

    def _read(self, count):
        data = self._process.stdout.read(count)
        if len(data) < count:
            raise RuntimeError(f"qemu ended with exit code {self._process.wait()}")
        return data
