# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Libraries for a device from Python: the files of `einc build --target=vulkan --sources-only`, compiled with the runtime beside
them, called with NumPy arrays under the validation layer."""

import ctypes
import json

import numpy as np

from tests.numeric import abi, compilers, einc_tool

_FOREVER = ctypes.c_uint64(-1)
_MESSAGE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p)


class _Options(ctypes.Structure):
    """einc_vk_options"""

    _fields_ = [("device", ctypes.c_char_p), ("validation", ctypes.c_int), ("on_message", _MESSAGE), ("user", ctypes.c_void_p),
                ("cache_folder", ctypes.c_char_p), ("max_workgroup_count", ctypes.c_uint32), ("always_stage", ctypes.c_int),
                ("existing", ctypes.c_void_p)]


class Library:
    """The kernels of one library, on a context of their own. What the validation layer says goes to `messages`."""

    def __init__(self, folder, stem, messages):
        path = folder / f"{stem}.so"
        runtime = [p for p in sorted((folder / "runtime").rglob("*.c"))]
        compilers.compile_c(einc_tool.CLANG, "-std=c99", "-D_DEFAULT_SOURCE", "-O0", "-w", "-fPIC", "-shared", "-I", folder,
                            folder / f"{stem}.c", *runtime, "-lm", "-ldl", "-lpthread", out=path)
        self.library = ctypes.CDLL(str(path))
        self.functions = {k["def"]: k["function"] for k in json.loads((folder / f"{stem}.json").read_text())["kernels"]}
        self.on_message = _MESSAGE(lambda _, text: messages.append(text.decode()))
        options, self.context = _Options(validation=1, on_message=self.on_message), ctypes.c_void_p()
        self.must(self.library.einc_vk_context_create(ctypes.byref(options), ctypes.byref(self.context)))
        self.kernels = ctypes.c_void_p()
        self.must(getattr(self.library, f"{stem}_vulkan_create")(self.context, ctypes.byref(self.kernels)))
        self.free = getattr(self.library, f"{stem}_vulkan_free")

    def must(self, status):
        if status:
            self.library.einc_vk_last_message.restype = ctypes.c_char_p
            raise RuntimeError(f"status {status}: {self.library.einc_vk_last_message().decode()}")

    def close(self):
        self.free(self.kernels)
        self.library.einc_vk_context_free(self.context)

    def run(self, name, arguments):
        """The status; after 0 the arrays among the arguments, which are contiguous in memory in some order, are as on the device."""
        buffers, words = [], []
        for argument in arguments:
            if not isinstance(argument, np.ndarray):
                words.append(argument)
                continue
            buffer, address, size = ctypes.c_void_p(), ctypes.c_void_p(argument.ctypes.data), ctypes.c_uint64(argument.nbytes)
            self.must(self.library.einc_vk_buffer_create(self.context, size, ctypes.byref(buffer)))
            self.must(self.library.einc_vk_buffer_write(buffer, ctypes.c_uint64(0), address, size))
            buffers.append((buffer, address, size))
            words.append(abi.describe(argument))
            words[-1][0], words[-1][1] = buffer.value, 0
        event = ctypes.c_void_p()
        status = getattr(self.library, self.functions[name] + "_vulkan")(self.kernels, *words, ctypes.byref(event))
        if status == 0:
            self.must(self.library.einc_vk_event_wait(event, _FOREVER))
            self.library.einc_vk_event_free(event)
        for buffer, address, size in buffers:
            if status == 0:
                self.must(self.library.einc_vk_buffer_read(buffer, ctypes.c_uint64(0), address, size))
            self.library.einc_vk_buffer_free(buffer)
        return status
