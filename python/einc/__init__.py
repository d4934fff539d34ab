# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Kernels of Einc from Python.

    import einc
    dense = einc.load("dense.tc")["dense"]        # compiles once, into a cache
    Y = dense(A, B, bias)                         # NumPy arrays, or what has __dlpack__; nothing is copied

`load` takes a spec, `open` a library that was built before, and `einsum` NumPy's notation. help(dense) shows what a
kernel takes. Errors are exceptions, all of them `einc.Error`.
"""

from . import cache
from .compile import load
from .errors import (ArgumentTypeError, ArgumentValueError, CompileError, Error, KernelError, LibraryError, ToolError)
from .kernel import Kernel
from .library import Library
from .library import open_library as open  # pylint: disable=redefined-builtin
from .subscripts import einsum

__all__ = ["load", "open", "einsum", "cache", "Kernel", "Library", "Error", "CompileError", "KernelError", "LibraryError", "ToolError",
           "ArgumentTypeError", "ArgumentValueError"]
