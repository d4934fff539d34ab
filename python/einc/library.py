# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""A library of kernels: one that was built before, opened with its manifest."""

from __future__ import annotations

import ctypes
import os
import pathlib
import re
from typing import Dict, Iterator, List, Optional, Tuple

from .cache import Path
from .errors import ArgumentTypeError, LibraryError
from .kernel import Kernel, kernel_of
from .manifest import Manifest, read


class Library:
    """Kernels by the names of their defs: library["dense"], or library.dense."""

    def __init__(self, path: pathlib.Path, manifest: Manifest, messages: str = "") -> None:
        try:
            self._library = ctypes.CDLL(str(path))
        except OSError as error:
            raise LibraryError(f"cannot load {path}: {error}") from error
        self.path = path
        self.messages = messages  # what einc said when it compiled: warnings
        self._kernels: Dict[str, Kernel] = {}
        self._facts = manifest.kernels

    @property
    def defs(self) -> Tuple[str, ...]:
        """The names of the kernels."""
        return tuple(self._facts)

    def __getitem__(self, name: str) -> Kernel:
        if name not in self._kernels:
            if name not in self._facts:
                raise KeyError(f"{self.path.name} has no kernel {name!r}; it has {', '.join(self.defs)}")
            self._kernels[name] = kernel_of(self._library, self._facts[name])
        return self._kernels[name]

    def __getattr__(self, name: str) -> Kernel:
        if not name.startswith("__"):
            try:
                return self[name]
            except KeyError as error:
                raise AttributeError(error.args[0]) from None
        raise AttributeError(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._facts)

    def __len__(self) -> int:
        return len(self._facts)

    def __contains__(self, name: object) -> bool:
        return name in self._facts

    def __dir__(self) -> List[str]:
        return [*super().__dir__(), *self._facts]

    def __repr__(self) -> str:
        return "\n  ".join([f"<einc library {self.path}", *(facts.signature for facts in self._facts.values())]) + ">"


def open_library(path: Path, manifest: Optional[Path] = None) -> Library:
    """A library that `einc build --shared`, CMake or Bazel made.

    path      libNAME.so, or the folder that has one
    manifest  NAME.json, which einc writes beside the header; looked for beside the library
    """
    for given, name in ((path, "path"), (manifest, "manifest")):
        if not isinstance(given, (str, os.PathLike)) and not (given is None and name == "manifest"):
            raise ArgumentTypeError(f"{name}: expected a file's name, got {given!r}")
    file = pathlib.Path(path)
    if "\0" in str(file):
        raise LibraryError(f"there is no {str(file)!r}")
    if file.is_dir():
        file = _only_library(file)
    if not file.exists():
        raise LibraryError(f"there is no {file}")
    if file.suffix == ".a":
        raise LibraryError(f"{file} is a static library; einc build --shared makes lib*.so, which Python can load")
    facts = read(pathlib.Path(manifest) if manifest is not None else _manifest_of(file))
    return Library(file.absolute(), facts)


def _only_library(folder: pathlib.Path) -> pathlib.Path:
    found = sorted(folder.glob("lib*.so"))
    if len(found) == 1:
        return found[0]
    if found:
        raise LibraryError(f"{folder} has several libraries, {', '.join(f.name for f in found)}: give the path of one")
    static = " (lib*.a are static libraries, which Python cannot load)" if list(folder.glob("lib*.a")) else ""
    raise LibraryError(f"{folder} has no lib*.so{static}; einc build --shared makes one")


def _manifest_of(library: pathlib.Path) -> pathlib.Path:
    """NAME.json beside libNAME.so, or libNAME.so.1."""
    name = re.sub(r"^lib|\.so[.\d]*$", "", library.name)
    beside = library.parent / f"{name}.json"
    if not beside.exists():
        raise LibraryError(f"there is no {beside}, the manifest of {library.name}: give the path of NAME.json, which einc wrote beside "
                           "the header, as manifest=")
    return beside
