# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Compiled libraries, kept from run to run.

Each is a folder of its own, named by a hash of all that it was made of. It is made under another name and
then renamed, so that it is there whole or not at all, and has a list of its files' hashes: what was damaged is made
again. While one process makes a library, others that want the same wait for it; a lock ends with the process
that holds it.
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import json
import os
import pathlib
import shutil
import tempfile
import warnings
from typing import Callable, Iterator, List, Optional, Tuple, Union

try:
    import fcntl
except ImportError:  # no locks: the same library may be made twice, the last one stays
    fcntl = None  # type: ignore[assignment]

Path = Union[str, os.PathLike[str]]

LIMIT = 1 << 30  # bytes; past it, libraries that were not used for longest go
_LIST = "entry.json"


def folder() -> pathlib.Path:
    """Where libraries are kept unless load is told otherwise."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    return (pathlib.Path(base) if os.path.isabs(base) else pathlib.Path("~/.cache").expanduser()) / "einc"


def clear(cache: Optional[Path] = None) -> None:
    """Removes all libraries. Those that are loaded go on working."""
    root = pathlib.Path(cache) if cache else folder()
    for path in _entries(root):
        _remove(path)
    for path in [*root.glob("*.lock"), *root.glob("*.part-*")] if root.is_dir() else []:
        _remove(path)


def size(cache: Optional[Path] = None) -> int:
    """The bytes that all libraries take."""
    return sum(_bytes(path) for path in _entries(pathlib.Path(cache) if cache else folder()))


def trim(limit: int = LIMIT, cache: Optional[Path] = None) -> None:
    """Removes the libraries that were not used for longest, until the others take no more than so many bytes."""
    def used(path: pathlib.Path) -> float:
        try:
            return (path / _LIST).stat().st_mtime
        except OSError:
            return 0.0

    total = 0
    for path in sorted(_entries(pathlib.Path(cache) if cache else folder()), key=used, reverse=True):
        total += _bytes(path)
        if total > limit:
            _remove(path)
            _remove(path.with_name(f"{path.name}.lock"))


def _entries(root: pathlib.Path) -> List[pathlib.Path]:
    try:
        return [path for path in root.iterdir() if path.is_dir() and len(path.name) == 64]
    except OSError:
        return []


def _bytes(path: pathlib.Path) -> int:
    total = 0
    with contextlib.suppress(OSError):
        for file in path.iterdir():
            total += file.stat().st_size
    return total


def _remove(path: pathlib.Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with contextlib.suppress(OSError):
            path.unlink()


def _hash(path: pathlib.Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _is_whole(entry: pathlib.Path) -> bool:
    """Whether all files are as they were made."""
    try:
        listed = json.loads((entry / _LIST).read_text(encoding="utf-8"))
        is_whole = all(_hash(entry / name) == digest for name, digest in listed.items())
        if is_whole:
            with contextlib.suppress(OSError):
                os.utime(entry / _LIST)  # used just now
        return is_whole
    except (OSError, ValueError, AttributeError):
        return False


@contextlib.contextmanager
def _locked(path: pathlib.Path) -> Iterator[None]:
    """Alone among all processes and threads. The system ends the lock with the process, and children do not inherit it."""
    with open(path, "w", encoding="utf-8") as file:
        if fcntl:
            with contextlib.suppress(OSError):  # a file system without locks
                fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _temporary() -> pathlib.Path:
    """A folder for this process."""
    made = pathlib.Path(tempfile.mkdtemp(prefix="einc-"))
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return made


_fallback: List[pathlib.Path] = []


def _root(cache: Optional[Path]) -> pathlib.Path:
    """A folder that can be written: the cache, or a temporary one, of which a warning tells."""
    root = pathlib.Path(cache).absolute() if cache else folder()
    try:
        root.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=root):
            return root
    except OSError as error:
        if not _fallback:
            _fallback.append(_temporary())
        warnings.warn(f"einc cannot keep what it compiles in {root} ({error.strerror}): it is compiled again in each run; "
                      "XDG_CACHE_HOME or cache= name another folder", stacklevel=5)
        return _fallback[0]


def entry(key: str, make: Callable[[pathlib.Path], None], cache: Optional[Path] = None) -> Tuple[pathlib.Path, bool]:
    """The folder of what has this key, and whether it was made now: by `make`, in an empty folder."""
    known = (pathlib.Path(cache).absolute() if cache else folder()) / key
    if _is_whole(known):  # may be in a folder that cannot be written
        return known, False
    root = _root(cache)
    known = root / key
    with _locked(root / f"{key}.lock"):
        if _is_whole(known):  # another process made it meanwhile
            return known, False
        for left in root.glob(f"{key}.part-*"):  # by one that was interrupted
            _remove(left)
        _remove(known)
        part = pathlib.Path(tempfile.mkdtemp(prefix=f"{key}.part-", dir=root))
        try:
            make(part)
            listed = {file.name: _hash(file) for file in sorted(part.iterdir()) if file.is_file()}
            (part / _LIST).write_text(json.dumps(listed), encoding="utf-8")
            os.rename(part, known)
        finally:
            _remove(part)
    if not cache:
        trim()
    return known, True
