# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""The exceptions of this package. A wrong argument is a TypeError or a ValueError, and an Error, too."""

from __future__ import annotations


class Error(Exception):
    """What this package raises. Its text says what was wrong, and what to do."""


class CompileError(Error):
    """einc could not make a library of a spec. The text is einc's own: place, line and caret."""

    def __init__(self, text: str, code: int) -> None:
        super().__init__(text)
        self.code = code  # einc's exit code: 1 the spec is wrong, 2 an option is, 70 einc has a bug


class ToolError(Error):
    """There is no einc to compile with."""


class LibraryError(Error):
    """A library or a manifest cannot be used."""


class ArgumentTypeError(Error, TypeError):
    """An argument is of the wrong kind or element type."""


class ArgumentValueError(Error, ValueError):
    """An argument has a wrong shape, stride or value."""


class KernelError(Error):
    """A kernel refused its arguments, and did nothing."""

    def __init__(self, text: str, status: int) -> None:
        super().__init__(text)
        self.status = status  # such as -4, EINC_SIZE_MISMATCH
