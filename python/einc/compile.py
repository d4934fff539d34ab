# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""A spec as a library: compiled once, kept in the cache, loaded."""

from __future__ import annotations

import hashlib
import inspect
import json
import os
import pathlib
import platform
import shutil
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from . import cache as caches
from . import tool
from .cache import Path
from .errors import ArgumentTypeError, ArgumentValueError, CompileError, LibraryError
from .library import Library
from .manifest import read

Spec = Union[Path, Sequence[Path]]

_NAME = "kernels"  # of each library
_FILES = (f"lib{_NAME}.so", f"{_NAME}.json", "messages.txt")
_FORMAT = 2  # of the cache; another number where what is kept changes
_LINKED = {"cblas": "-lopenblas", "blis": "-lblis", "auto": "-lopenblas"}


class _Text(NamedTuple):
    name: str
    text: bytes


def load(spec: Spec, *, defs: Optional[Sequence[str]] = None, dims: Optional[Mapping[str, int]] = None,
         types: Optional[Mapping[str, str]] = None, attrs: Optional[Mapping[str, Any]] = None,
         targets: Union[str, Sequence[str]] = "native", threads: Optional[int] = None, lib: Optional[str] = None,
         link: Sequence[str] = (), fp: Optional[str] = None, strides: Optional[str] = None, schedule: Optional[Path] = None,
         tuning: Optional[Path] = None, flags: Sequence[str] = (), cc: Optional[Path] = None, cache: Optional[Path] = None,
         einc: Optional[Path] = None) -> Library:
    """The kernels of a spec. The first call compiles them, later ones and other processes find them in a cache.

    spec      a file, a spec's text, or several of them
    defs      only these; else all
    dims      sizes that are fixed: {"M": 512}
    types     of type parameters: {"T": "f64"}
    attrs     attributes and scalars that are fixed: {"strides": [2, 2]}
    targets   machines: "native" is this one
    threads   at most so many for a call; else one
    lib       a BLAS that is called where it computes the same: "cblas", "blis" or "auto"
    link      the linker's flags for it, one or several; else ["-lopenblas"] or ["-lblis"]
    fp        "strict": sums in the order of the spec
    strides   "contiguous": all arrays have unit stride along their last dimension
    schedule  a schedule, as a file or its text
    tuning    what `einc tune` measured, as a file or its text
    flags     more flags of `einc build`, one or several
    cc        the C compiler; else the one that `einc --version` names: clang-19, or another clang or gcc that is new enough
    cache     where compiled libraries are kept; else $XDG_CACHE_HOME/einc, or ~/.cache/einc
    einc      the compiler; else $EINC, the one installed with this package, or the one on the PATH
    """
    for name, path in (("einc", einc), ("cc", cc)):
        if path is not None and not isinstance(path, (str, os.PathLike)):
            raise ArgumentTypeError(f"{name}: expected a program's name, got {path!r}")
    program = tool.find(einc)
    compiler = tool.find_compiler(cc, program)
    files = _named([_text(s, "spec.tc") for s in _several(spec)])
    command = ["build", *(_shown(f.name) for f in files), "--shared", "-o", "..", f"--name={_NAME}"]
    command += [f"--target={','.join(_strings('targets', targets))}"]
    command += [f"--def={d}" for d in _strings("defs", defs)]
    command += [f"--dim={name}={size}" for name, size in _pairs("dims", dims)]
    command += [f"--type={name}={kind}" for name, kind in _pairs("types", types)]
    command += [f"--attr={name}={_listed(value)}" for name, value in _pairs("attrs", attrs)]
    for name, value in (("threads", threads), ("lib", lib), ("fp", fp), ("strides", strides)):
        command += [f"--{name}={value}"] if value is not None else []
    command += [f"--link={flag}" for flag in _strings("link", link) or ([_LINKED[lib]] if lib in ("cblas", "blis", "auto") else [])]
    for name, given in (("schedule", schedule), ("tuning", tuning)):
        if given is not None:
            file = _text(given, f"given.{name}")
            taken = {f.name for f in files}
            files.append(file._replace(name=f"{name}/{file.name}") if file.name in taken else file)
            command.append(f"--{name}={_shown(files[-1].name)}")
    command += [f"--cc={compiler.path or os.fspath(cc)}"] if cc else []
    command += _strings("flags", flags)
    for word in command:
        if "\0" in word or not caches.is_text(word):
            raise ArgumentValueError(f"what is given to einc must be text without the character 0, got {word!r}")
    return _loaded(program, compiler, files, command, cache)


def load_einsum(subscripts: str, kind: str, **options: Any) -> Library:
    """NumPy's notation as a library with the kernel `einsum`."""
    flags = [f"--einsum={subscripts}", *_strings("flags", options.pop("flags", ()))]
    try:
        return load((), types={"T": kind}, flags=flags, **options)
    except CompileError as error:  # where there is no kernel, it has no type; that says nothing more
        lines = [line for line in str(error).splitlines() if not line.startswith("einc: error: --type T=")]
        raise CompileError("\n".join(lines) or str(error), error.code) from None


OPTIONS = frozenset(inspect.signature(load).parameters) - {"spec", "types"}  # of load_einsum


def _several(spec: Spec) -> Sequence[Path]:
    if isinstance(spec, (str, os.PathLike)):
        return [spec]
    try:
        return list(spec)
    except TypeError:
        raise ArgumentTypeError(f"expected a file or its text, got {spec!r}") from None


def _strings(name: str, given: Any) -> List[str]:
    """One or several."""
    if given is None or isinstance(given, str):
        return [] if given is None else [given]
    try:
        several = list(given)
    except TypeError:
        several = [given]
    if wrong := [s for s in several if not isinstance(s, str)]:
        raise ArgumentTypeError(f"{name}: expected text, or a list of it, got {wrong[0]!r}")
    return several


def _pairs(name: str, given: Any) -> List[Tuple[str, Any]]:
    if given is None:
        return []
    if not isinstance(given, Mapping) or not all(isinstance(key, str) for key in given):
        raise ArgumentTypeError(f"{name}: expected a dict from names to values, got {given!r}")
    return sorted(given.items())


def _shown(name: str) -> str:
    """A file's name that is not taken for a flag, for the standard input or for a file of flags."""
    return f"./{name}" if name[:1] in ("-", "@") else name


def _text(given: Path, name: str) -> _Text:
    """A file's text, or the text itself: what has more than one line, or a brace."""
    if isinstance(given, str) and ("\n" in given or "{" in given):
        try:
            return _Text(name, given.encode())
        except UnicodeEncodeError as error:
            raise ArgumentValueError(f"{name}: the text is no Unicode: {error}") from error
    if not isinstance(given, (str, os.PathLike)):
        raise ArgumentTypeError(f"expected a file or its text, got {given!r}")
    path = pathlib.Path(given)
    try:
        return _Text(path.name, path.read_bytes())
    except OSError as error:
        raise ArgumentValueError(f"cannot read {path}: {error.strerror}") from error
    except ValueError as error:  # such as one with the character 0
        raise ArgumentValueError(f"cannot read {str(path)!r}: {error}") from error


def _named(files: List[_Text]) -> List[_Text]:
    """With names that differ: einc reads copies, as the hash is of what was read."""
    names = [f.name for f in files]
    return [f if names.count(f.name) == 1 else _Text(f"{i + 1}/{f.name}", f.text) for i, f in enumerate(files)]


def _listed(value: Any) -> str:
    if isinstance(value, (str, bool, int, float)) or not hasattr(value, "__iter__"):
        return str(value).lower() if isinstance(value, bool) else str(value)
    return ",".join(_listed(v) for v in value)


def _cpu() -> List[str]:
    """What tells CPUs apart for which code differs."""
    told = [platform.machine(), platform.system()]
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            for line in file:
                if not line.strip():
                    break  # the first one is like the others
                if line.startswith(("model name", "flags", "Features", "CPU part")):
                    told.append(line.strip())
    except OSError:
        told.append(platform.processor())
    return told


def _key(program: pathlib.Path, compiler: tool.Compiler, files: Sequence[_Text], command: Sequence[str]) -> str:
    made_of = [_FORMAT, tool.stamp(program), compiler.told, tool.stamp(compiler.path), _cpu(), list(command),
               [[f.name, hashlib.sha256(f.text).hexdigest()] for f in files]]
    return hashlib.sha256(json.dumps(made_of).encode()).hexdigest()


_open: Dict[str, Library] = {}  # of this process, by path


def _loaded(program: pathlib.Path, compiler: tool.Compiler, files: Sequence[_Text], command: Sequence[str],
            cache: Optional[Path]) -> Library:
    def make(folder: pathlib.Path) -> None:
        work = folder / "work"
        for file in files:
            (work / file.name).parent.mkdir(parents=True, exist_ok=True)
            (work / file.name).write_bytes(file.text)
        work.mkdir(exist_ok=True)
        messages = tool.run(program, command, work)
        shutil.rmtree(work)
        if not (folder / f"lib{_NAME}.so").exists():
            raise CompileError(f"{program} made no library; is it einc?", 0)
        (folder / "messages.txt").write_text(messages, encoding="utf-8")

    key = _key(program, compiler, files, command)
    failure: Optional[Exception] = None
    for _ in range(3):  # what was kept may be of no use, and another process may remove it as its limit is reached
        entry, is_new = caches.entry(key, make, cache, _FILES, again=failure is not None)
        if not is_new and str(entry) in _open:
            return _open[str(entry)]
        try:
            facts = read(entry / f"{_NAME}.json")
            messages = (entry / "messages.txt").read_text(encoding="utf-8")
            library = Library(entry / f"lib{_NAME}.so", facts, messages)
        except (OSError, LibraryError) as error:
            failure = error
            if is_new and all((entry / name).exists() for name in _FILES):
                break  # nobody removed it: another one would be the same
            continue
        _open[str(entry)] = library
        return library
    raise LibraryError(f"what was compiled cannot be loaded: {failure}") from failure
