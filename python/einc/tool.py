# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""The programs that compile: einc, and the C compiler that it runs."""

from __future__ import annotations

import os
import pathlib
import shutil
import signal
import subprocess
from typing import List, Optional, Sequence

from .cache import Path
from .errors import CompileError, ToolError


def find(einc: Optional[Path] = None) -> pathlib.Path:
    """einc: what is given, what $EINC names, what is installed with this package, or what is on the PATH."""
    for given, source in ((einc, "einc="), (os.environ.get("EINC"), "$EINC")):
        if given:
            found = shutil.which(os.fspath(given))
            if not found:
                raise ToolError(f"{source} names {os.fspath(given)}, which is no program")
            return pathlib.Path(found).absolute()
    for folder in pathlib.Path(__file__).resolve().parents:
        for inside in ("bin/einc", "bazel-bin/tools/einc"):
            if os.access(folder / inside, os.X_OK) and (folder / inside).is_file():
                return folder / inside
    if found := shutil.which("einc"):
        return pathlib.Path(found).absolute()
    raise ToolError("there is no einc: put it on the PATH, name it in $EINC, or give its path as einc=")


def find_compiler(cc: Optional[Path]) -> Optional[pathlib.Path]:
    """The C compiler that einc takes."""
    for name in [os.fspath(cc)] if cc else ["clang-19", "clang"]:
        if found := shutil.which(name):
            return pathlib.Path(found).absolute()
    return None


def run(einc: pathlib.Path, arguments: Sequence[str], folder: pathlib.Path) -> str:
    """Runs einc in a folder; what it said. CompileError has its text if it failed. An interrupt ends it, too."""
    command: List[str] = [str(einc), *arguments]
    try:
        process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, text=True, errors="replace")
    except OSError as error:
        raise ToolError(f"cannot run {einc}: {error.strerror}") from error
    try:
        text, _ = process.communicate()
    except BaseException:
        process.terminate()
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        raise
    if process.returncode < 0:
        name = signal.Signals(-process.returncode).name
        raise CompileError(f"{text}einc was ended by {name}; call it again", process.returncode)
    if process.returncode:
        raise CompileError(text.strip() or f"einc failed with exit code {process.returncode}", process.returncode)
    return text
