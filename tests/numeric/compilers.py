# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""How tests compile generated C: fast, and the same C only once.

What a compiler made is kept in build/compiled of the workspace, if that is there and may be written (`tools/test` sees to
it), under a digest of all that it depends on: the compiler, its flags, the text with all that it includes. So after a change
of einc, only C that is now another is compiled. An entry ends with a digest of its name and content; one that is not whole, or
another's, is made anew. What compilers refuse is not kept.
"""

import atexit
import functools
import hashlib
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import threading

CLANG, GCC = "clang-19", "gcc-12"
_HEADERS = "".join(f"#include <{name}.h>\n" for name in ("float", "math", "stddef", "stdint"))
_FLAGS = "-O0 -pthread -std=c99 -fPIC -ffp-contract=off -fno-fast-math -g0"
# Known before any case runs apart, so that all processes of a test have one.
_OWN = pathlib.Path(os.environ.get("TEST_TMPDIR") or tempfile.gettempdir()) / f"einc-test-cc-{os.getpid()}"
atexit.register(shutil.rmtree, _OWN, ignore_errors=True)


_server = None  # ends when its standard input is closed: with us
_kernel_compiler = None  # clang/kernel_compiler.cpp


def serve(folder):
    """From here on, clang-19 and clang++-19 are those of this folder: clients of one Clang that is started once (clang/server.c)."""
    global _server, _kernel_compiler
    _kernel_compiler = folder / "kernel_compiler"
    if "EINC_CLANG_SERVER" in os.environ:
        return  # of the process that has started us
    name = f"einc-clang-{os.getpid()}-{os.urandom(4).hex()}"
    environment = {**os.environ, "LD_BIND_NOW": "1", "LD_PRELOAD": str(folder / "server.so")}
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(f"\0{name}")
        listener.listen(64)
        _server = subprocess.Popen([shutil.which(CLANG), str(listener.fileno())], stdin=subprocess.PIPE,
                                   pass_fds=[listener.fileno()], env=environment)
    os.environ.update(EINC_CLANG_SERVER=name, PATH=f"{folder}:{os.environ['PATH']}")


def _kept():
    """The folder of what is kept, if we may write there."""
    folder = pathlib.Path(__file__).resolve().parents[2] / "build/compiled"
    return folder if os.access(folder, os.W_OK) else None


_KEPT = _kept()


@functools.lru_cache(None)
def _identity(program):
    """Another compiler, or other headers of the system, give another digest."""
    version = subprocess.run([program, "--version"], capture_output=True, check=True).stdout
    headers = b""
    if program in (CLANG, GCC):
        headers = subprocess.run([program, *_FLAGS.split(), "-E", "-P", "-x", "c", "-"], input=_HEADERS.encode(), capture_output=True).stdout
    return hashlib.sha256(version + headers).hexdigest()


def _seal(name, content):
    """The end of an entry."""
    return hashlib.sha256(f"{name}\n".encode() + content).hexdigest().encode()


def kept(key, make):
    """The bytes that `make` gives for what the key says, perhaps from an earlier call; it raises where there are none."""
    if not _KEPT:
        return make()
    digest = hashlib.sha256(b"\0".join(part if isinstance(part, bytes) else str(part).encode() for part in key)).hexdigest()
    entry = _KEPT / digest
    try:
        whole = entry.read_bytes()
    except FileNotFoundError:
        whole = b""
    content, end = whole[:-64], whole[-64:]
    if end == _seal(digest, content):
        os.utime(entry)  # those that nobody asks for are removed, the oldest first
        return content
    content = make()
    partial = _KEPT / f"{digest}.{os.getpid()}-{threading.get_ident()}"
    partial.write_bytes(content + _seal(digest, content))
    partial.rename(entry)
    return content


class Refused(RuntimeError):
    """What the compiler says."""


def _run(command, **kwargs):
    result = subprocess.run(command, capture_output=True, **kwargs)
    if result.returncode:
        raise Refused(f"{' '.join(command)}\nexit code {result.returncode}\n{result.stderr.decode(errors='replace')[:3000]}")
    return result.stdout


@functools.lru_cache(None)
def _libgcc():
    return _run([CLANG, "-print-libgcc-file-name"]).decode().strip()


def link(out, *objects):
    """A shared library of objects, archives and options of the linker, which is called without a compiler: for a tenth of the
    time."""
    own = out.with_name(f"{out.name}.linked")  # not into a library that is loaded
    _run(["ld", "-shared", *map(str, objects), "-lm", _libgcc(), "-lc", "-o", str(own)])
    own.rename(out)


# With these flags, the compiler knows more libraries.
_LINKS_MORE = ("-fsanitize", "-fopenmp", "--rtlib", "--target")


def _build(command, texts, out):
    """What compile_c does."""
    if not out or "-shared" not in command or any(flag.startswith(_LINKS_MORE) for flag in command):
        _run(command + (["-o", str(out)] if out else []))
        return
    made = []
    flags = [part for part in command if part != "-shared" and not part.startswith("-l") and not part.endswith((*_TEXTS, *_OBJECTS))]
    for number, text in enumerate(texts):
        made.append(f"{out}.{number}.o")
        _run([*flags, "-c", text, "-o", made[-1]])
    link(out, *made, *(part for part in command if part.startswith("-l") or part.endswith(_OBJECTS)))


_TEXTS, _OBJECTS = (".c", ".cpp", ".ll"), (".o", ".so", ".a")


def compile_c(*command, out=None):
    """Runs a compiler on files, to which it adds `-o out`. Without `out`, it is only asked whether it takes them."""
    command = [str(part) for part in command]
    texts = [part for part in command[1:] if part.endswith(_TEXTS)]
    if not _KEPT:
        _build(command, texts, out)
        return
    others = [part for part in command[1:] if part not in texts]
    objects = [part for part in others if part.endswith(_OBJECTS)]
    flags = [part for part in others if not part.startswith("-l") and part not in ["-c", "-shared", *objects]]
    key = [_identity(command[0]), *(part for part in _without_folders(others) if part not in objects)]
    for text in texts:
        content = pathlib.Path(text).read_bytes()
        if b'#include "' in content:  # the preprocessor's text has all that is included, but no names of folders
            content = _run([command[0], *flags, "-w", "-E", "-P", text])
        key.append(content)
    key += [pathlib.Path(part).read_bytes() for part in objects]

    def make():
        _build(command, texts, out)
        return out.read_bytes() if out else b""

    content = kept(key, make)
    if out:
        own = out.with_name(f"{out.name}.kept")  # not into a library that is loaded
        own.write_bytes(content)
        own.chmod(0o755)
        own.rename(out)


def compile_each(compiler, *flags, sources, out):
    """The objects of C files that include headers of the system alone, OUT.NUMBER.o. Each is compiled, and kept, by itself: a
    change to one kernel compiles that one."""
    objects = []
    for number, source in enumerate(sources):
        made = out.with_name(f"{out.name}.{number}.o")

        def make():
            _run([compiler, *flags, "-c", str(source), "-o", str(made)])
            return made.read_bytes()

        assert b'#include "' not in source.read_bytes(), f"{source} includes what the key does not have"
        made.write_bytes(kept((_identity(compiler), *flags, "-c", source.read_bytes()), make))
        objects.append(made)
    return objects


def compile_library(compiler, *flags, sources, out, linked=()):
    """A shared library of such files."""
    objects = compile_each(compiler, *flags, sources=sources, out=out)
    if not any(flag.startswith(_LINKS_MORE) for flag in linked):
        link(out, *objects, *(part for part in linked if part != "-pthread"))
        return
    own = out.with_name(f"{out.name}.linked")
    _run([compiler, "-shared", *linked, *map(str, objects), "-lm", "-o", str(own)])
    own.rename(out)


def check_text(compiler, *flags, path, beside):
    """Refused if a compiler does not take this file, which includes headers of the system and those in `beside`, in folders that
    are flags."""
    def make():
        _run([compiler, *map(str, flags), "-fsyntax-only", str(path)])
        return b""

    identities = [_identity(CLANG), _identity(compiler)]
    kept((*identities, *_without_folders(flags), path.suffix, path.read_bytes(), *(file.read_bytes() for file in beside)), make)


def _without_folders(flags):
    """What is in a folder of headers is in the text."""
    return [flag for before, flag in zip(["", *flags], flags) if flag != "-I" and before != "-I"]


# ---- einc's own compiler ----

def quick():
    """A compiler for kernels that run once, a fourth of the time of einc's own: Clang without optimisation, which has read the
    system's headers before (clang/kernel_compiler.cpp). That -O2 gives the same is emitted_test's."""
    return _programs() / "quick"


def as_users_have_it():
    """einc's own, but that what it makes is kept."""
    return _programs() / "usual"


def _programs():
    """The folder with both, which are one program under two names."""
    folder = _OWN / "programs"
    if folder.exists():
        return folder
    _OWN.mkdir(exist_ok=True)
    own = pathlib.Path(tempfile.mkdtemp(dir=_OWN))  # until it is whole
    header, read = own.with_suffix(".h"), own.with_suffix(".pch")
    header.write_text(_HEADERS)
    made = subprocess.run([CLANG, *_FLAGS.split(), "-x", "c-header", header, "-o", read], capture_output=True)
    settings = [_identity(CLANG), _KEPT or "", read if made.returncode == 0 else "", _libgcc()]
    (own / "settings").write_text("".join(f"{setting}\n" for setting in settings))
    for name in ("quick", "usual"):
        (own / name).symlink_to(_kernel_compiler or sys.exit("build //tests/numeric/clang first"))
    try:
        own.rename(folder)
    except OSError:  # another thread, or process, was faster
        shutil.rmtree(own)
    return folder
