# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""The programs that compile: einc, and the C compiler that it runs."""

from __future__ import annotations

import os
import pathlib
import shutil
import signal
import subprocess
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

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


class Compiler(NamedTuple):
    """The C compiler that einc runs."""

    path: Optional[pathlib.Path]
    told: str  # what einc says of it: path and version


_compilers: Dict[Tuple[Any, ...], Compiler] = {}


def find_compiler(cc: Optional[Path], einc: pathlib.Path) -> Compiler:
    """The one that is given, or the one that einc takes, as it says itself; it is asked once."""
    if cc:
        found = shutil.which(os.fspath(cc))
        return Compiler(pathlib.Path(found).absolute() if found else None, "")
    asked = (*stamp(einc), os.environ.get("PATH"))
    if asked not in _compilers:
        _compilers[asked] = _told(einc)
    return _compilers[asked]


def _told(einc: pathlib.Path) -> Compiler:
    try:
        text = subprocess.run([str(einc), "--version"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              text=True, errors="replace", check=False).stdout
    except OSError as error:
        raise ToolError(f"cannot run {einc}: {error.strerror}") from error
    told = next((line.partition(":")[2].strip() for line in text.splitlines() if line.startswith("C compiler:")), "")
    path = pathlib.Path(told.partition(" (")[0])
    return Compiler(path if path.is_absolute() and path.exists() else None, told)


def stamp(path: Optional[pathlib.Path]) -> List[Any]:
    """What tells one build of a program from another."""
    try:
        facts = os.stat(path) if path else None
    except OSError:
        facts = None
    return [str(path.resolve()), facts.st_size, facts.st_mtime_ns] if path and facts else []


def run(einc: pathlib.Path, arguments: Sequence[str], folder: pathlib.Path) -> str:
    """Runs einc in a folder; what it said. CompileError has its text if it failed. An interrupt ends it, too."""
    command: List[str] = [str(einc), *arguments]
    try:
        process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, text=True, errors="replace")
    except OSError as error:
        raise ToolError(f"cannot run {einc}: {error.strerror}") from error
    except ValueError as error:
        raise ToolError(f"cannot run {einc}: {error}") from error
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
