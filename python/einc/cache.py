# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Compiled libraries, kept from run to run.

Each is a folder of its own, named by a hash of all that it was made of. It is made under another name and
then renamed, so that it is there whole or not at all, and has a list of its files' hashes: what was damaged is made
again. While one process makes a library, others that want the same wait for it; a lock ends with the process
that holds it.

What is loaded from the folder is run, so it must be one that nobody else can write. Only what has the names of this
package is ever removed from it, and only under the lock of its key.
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import json
import os
import pathlib
import re
import shutil
import stat
import tempfile
import time
import warnings
from typing import Callable, Iterable, Iterator, List, Optional, Sequence, Tuple, Union

from .errors import ArgumentTypeError, ArgumentValueError, Error

try:
    import fcntl
except ImportError:  # no locks: the same library may be made twice, the last one stays
    fcntl = None  # type: ignore[assignment]

Path = Union[str, os.PathLike[str]]

LIMIT = 1 << 30  # bytes; past it, libraries that were not used for longest go
_LIST = "entry.json"
_DAY = 86400  # seconds; no compile takes that long
_OWN = re.compile(r"([0-9a-f]{64})(|\.lock|\.part-.*)", re.DOTALL)  # the names of what is kept here


def folder() -> pathlib.Path:
    """Where libraries are kept unless load is told otherwise."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(base):
        return pathlib.Path(base) / "einc"
    home = os.path.expanduser("~/.cache/einc")
    if not os.path.isabs(home):
        raise Error("there is no home folder to keep what is compiled in: set XDG_CACHE_HOME, or give cache=")
    return pathlib.Path(home)


def clear(cache: Optional[Path] = None) -> None:
    """Removes all libraries but those that are being made. Those that are loaded go on working."""
    root = _place(cache)
    for key in sorted({key for key, path in _own(root) if path.suffix == ".lock" or _is_part(path) or _is_entry(path)}):
        _forget(root, key)


def size(cache: Optional[Path] = None) -> int:
    """The bytes that all libraries take."""
    return sum(_bytes(path) for path in _entries(_place(cache)))


def trim(limit: int = LIMIT, cache: Optional[Path] = None) -> None:
    """Removes the libraries that were not used for longest, until the others take no more than so many bytes."""
    root, total = _place(cache), 0
    for path in sorted(_entries(root), key=lambda path: _changed(path / _LIST), reverse=True):
        total += _bytes(path)
        if total > limit:
            _forget(root, path.name)
    _sweep(root)


def _sweep(root: pathlib.Path) -> None:
    """Removes what was left by processes that were killed."""
    for key, path in _own(root):
        if _is_part(path) and _changed(path) < time.time() - _DAY:
            with _held(root / f"{key}.lock") as is_held:
                if is_held:
                    _remove(path)


def _place(cache: Optional[Path]) -> pathlib.Path:
    if cache is None:
        return folder()
    if not isinstance(cache, (str, os.PathLike)):
        raise ArgumentTypeError(f"cache: expected a folder's name, got {cache!r}")
    name = os.fspath(cache)
    if not isinstance(name, str) or not name or "\0" in name or not is_text(name):
        raise ArgumentValueError(f"cache: expected a folder's name, got {name!r}")
    return pathlib.Path(name).absolute()


def is_text(text: str) -> bool:
    """Whether the system can be given it as a name."""
    try:
        os.fsencode(text)
        return True
    except UnicodeEncodeError:
        return False


def _own(root: pathlib.Path) -> List[Tuple[str, pathlib.Path]]:
    """All that has one of this package's names, with its key."""
    try:
        matches = [(_OWN.fullmatch(path.name), path) for path in root.iterdir()]
    except OSError:
        return []
    return [(match[1], path) for match, path in matches if match]


def _is_part(path: pathlib.Path) -> bool:
    return ".part-" in path.name and not path.is_symlink() and path.is_dir()


def _is_entry(path: pathlib.Path) -> bool:
    return not path.suffix and not path.is_symlink() and (path / _LIST).is_file()


def _entries(root: pathlib.Path) -> List[pathlib.Path]:
    return [path for _, path in _own(root) if _is_entry(path)]


def _changed(path: pathlib.Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return time.time()  # it is just being made or removed


def _forget(root: pathlib.Path, key: str) -> None:
    """Removes all of this key, unless it is being made."""
    lock = root / f"{key}.lock"
    with _held(lock) as is_held:
        if is_held:
            for of, path in _own(root):
                if of == key and (_is_part(path) or _is_entry(path)):
                    _remove(path)
            _remove(lock)  # whoever waits for it sees that it is another file now


def _bytes(path: pathlib.Path) -> int:
    total = 0
    with contextlib.suppress(OSError):
        for file in path.iterdir():
            total += file.stat().st_size
    return total


def _remove(path: pathlib.Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with contextlib.suppress(OSError):
            path.unlink()


def _hash(path: pathlib.Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _is_whole(entry: pathlib.Path, needed: Iterable[str]) -> bool:
    """Whether all files are there, and as they were made."""
    try:
        listed = json.loads((entry / _LIST).read_text(encoding="utf-8"))
        if not isinstance(listed, dict) or not listed.keys() >= set(needed) or _not_private(entry):
            return False
        is_whole = all(_hash(entry / name) == digest for name, digest in listed.items())
        if is_whole:
            with contextlib.suppress(OSError):
                os.utime(entry / _LIST)  # used just now
        return is_whole
    except (OSError, ValueError):
        return False


def _not_private(path: pathlib.Path) -> str:
    """Why others could put code of theirs here; nothing if they cannot. The administrator always can."""
    if not hasattr(os, "geteuid"):
        return ""
    facts = os.stat(path)
    if facts.st_uid not in (os.geteuid(), 0):
        return "it belongs to another user"
    if facts.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return "others may write there; chmod go-w mends it"
    return ""


def _open_lock(path: pathlib.Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)


def _is_same(file: int, path: pathlib.Path) -> bool:
    try:
        return os.path.samestat(os.fstat(file), os.lstat(path))
    except OSError:
        return False


@contextlib.contextmanager
def _locked(path: pathlib.Path, waits: bool = True) -> Iterator[None]:
    """Alone among all processes and threads; BlockingIOError if another one holds it and this one does not wait. The
    system ends the lock with the process. Who holds it may remove the file as the last thing: others then
    lock a new one."""
    while True:
        file = _open_lock(path)
        try:
            if fcntl:
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | (0 if waits else fcntl.LOCK_NB))
                except BlockingIOError:
                    raise
                except OSError:  # a file system without locks
                    yield
                    return
                if not _is_same(file, path):
                    continue
            yield
            return
        finally:
            if fcntl:
                with contextlib.suppress(OSError):
                    fcntl.flock(file, fcntl.LOCK_UN)  # also for children that were forked meanwhile
            os.close(file)


@contextlib.contextmanager
def _held(path: pathlib.Path) -> Iterator[bool]:
    """The lock, if nobody else holds it; whether it is held."""
    with contextlib.ExitStack() as stack:
        try:
            stack.enter_context(_locked(path, waits=False))
        except OSError:
            yield False
            return
        yield True


def _temporary() -> pathlib.Path:
    """A folder for this process and its children. It goes with this process, and not with a child."""
    made, owner = pathlib.Path(tempfile.mkdtemp(prefix="einc-")), os.getpid()

    def discard() -> None:
        if os.getpid() == owner:
            shutil.rmtree(made, ignore_errors=True)

    atexit.register(discard)
    return made


_fallback: List[pathlib.Path] = []


def _root(cache: Optional[Path]) -> pathlib.Path:
    """A folder that can be written, by nobody else: the cache, or a temporary one, of which a warning tells."""
    root: Optional[pathlib.Path] = None
    try:
        root = _place(cache)
        root.mkdir(mode=0o700, parents=True, exist_ok=True)
        reason = _not_private(root)
        if not reason:
            with tempfile.TemporaryFile(dir=root):
                return root
    except OSError as error:
        reason = str(error.strerror)
    except (ArgumentTypeError, ArgumentValueError):
        raise
    except Error as error:
        reason = str(error)
    if not _fallback or not _fallback[0].is_dir():
        _fallback[:] = [_temporary()]
    where = f" in {root}" if root else ""
    warnings.warn(f"einc cannot keep what it compiles{where} ({reason}): it is compiled again in each run; "
                  "XDG_CACHE_HOME or cache= name another folder", stacklevel=5)
    return _fallback[0]


def _is_there(cache: Optional[Path], key: str, needed: Iterable[str]) -> Optional[pathlib.Path]:
    """The whole library, if it is there already; perhaps in a folder that cannot be written."""
    try:
        root = _place(cache)
        return root / key if not _not_private(root) and _is_whole(root / key, needed) else None
    except (ArgumentTypeError, ArgumentValueError):
        raise
    except (OSError, Error):
        return None


def entry(key: str, make: Callable[[pathlib.Path], None], cache: Optional[Path] = None, needed: Sequence[str] = (),
          again: bool = False) -> Tuple[pathlib.Path, bool]:
    """The folder of what has this key, and whether it was made now: by `make`, in an empty folder, which then has the
    `needed` files. What is there is not taken if it is to be made again."""
    if not again and (there := _is_there(cache, key, needed)):
        return there, False
    root = _root(cache)
    try:
        is_new = _made(root, key, make, needed, again)
    except OSError as error:
        raise Error(f"cannot keep what is compiled in {root}: {error}; cache= names another folder") from error
    if is_new and cache is None:
        trim(LIMIT, root)
    elif is_new:
        _sweep(root)
    return root / key, is_new


def _made(root: pathlib.Path, key: str, make: Callable[[pathlib.Path], None], needed: Sequence[str], again: bool) -> bool:
    """Makes the library, unless another process has made it meanwhile."""
    known = root / key
    with _locked(root / f"{key}.lock"):
        if not again and _is_whole(known, needed):
            return False
        for of, left in _own(root):  # by one that was interrupted
            if of == key and _is_part(left):
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
    return True
