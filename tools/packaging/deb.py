# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""The Debian package of a tree in PACKAGE/usr."""

import email.utils
import gzip
import hashlib
import os
import pathlib
import re
import subprocess
import tempfile

from tools.packaging import tree
from tools.packaging.layout import CONTAINED, DOC, PYTHON

# A compiler for `einc build`; all the rest only for some of what Einc can do.
FIELDS = """\
Package: einc
Version: {version}
Architecture: amd64
Maintainer: {maintainer}
Installed-Size: {size}
Depends: {libraries}, clang-19 | clang (>= 1:19) | gcc
Recommends: llvm-19 | binutils, python3
Suggests: bazel-bootstrap, cmake, libopenblas-dev, libvulkan-dev, pkg-config, python3-numpy
Built-Using: {contained}
Section: devel
Priority: optional
Multi-Arch: no
Description: kernels of tensor operations, ahead of time, as C libraries
 Einc turns specs of tensor operations, written in Einstein notation, into
 static or shared libraries behind a small C ABI: products of matrices,
 convolutions, reductions, and what is done to their results on the way. It
 emits C for CPUs, which it schedules for their caches and vectors, and
 shaders for Vulkan.
 .
 This package has the compiler, the runtime with its headers, rules for CMake
 and Bazel, a file for pkg-config, and a package for Python.
"""

# As Debian's tools for Python write it: byte code is made at installation and removed with the package.
POSTINST = """\
#!/bin/sh
set -e
if command -v py3compile >/dev/null 2>&1; then
  py3compile -p einc
fi
"""
PRERM = """\
#!/bin/sh
set -e
if command -v py3clean >/dev/null 2>&1; then
  py3clean -p einc
else
  find /usr/{folder} -depth -name __pycache__ -exec rm -rf {{}} \\;
fi
"""


def query(package, form):
    command = ["dpkg-query", "-W", f"-f={form}", package]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.split("\n")[0]


def contained():
    """What is linked statically: source packages, with their versions."""
    found = {query(package, "${source:Package} (= ${source:Version})\n") for package in CONTAINED.values()}
    return ", ".join(sorted(found))


def libraries(package):
    """The shared ones that the programs need."""
    with tempfile.TemporaryDirectory() as work:
        (pathlib.Path(work) / "debian").mkdir()
        (pathlib.Path(work) / "debian/control").write_text("Source: einc\n\nPackage: einc\nArchitecture: amd64\n")
        command = ["dpkg-shlibdeps", "-O", str(package / "usr/bin/einc"), str(package / "usr/bin/einc-ods-gen")]
        said = subprocess.run(command, check=True, capture_output=True, text=True, cwd=work).stdout
    return re.search(r"shlibs:Depends=(.*)", said)[1]


def changelog(built):
    date = email.utils.formatdate(built.epoch, usegmt=False)
    return f"einc ({built.version}) unstable; urgency=medium\n\n  * Release {built.version}.\n\n -- {built.maintainer}  {date}\n"


def make(package, built, out):
    control = package / "DEBIAN"
    control.mkdir()

    def write(name, text, mode=0o644):
        (control / name).write_text(text)
        (control / name).chmod(mode)

    usr = tree.Tree(package / "usr", None)
    usr.bytes(f"{DOC}/changelog.gz", gzip.compress(changelog(built).encode(), 9, mtime=0))
    usr.file("share/lintian/overrides/einc", built.root / "tools/packaging/debian/einc.lintian-overrides")
    files = sorted(path for path in (package / "usr").rglob("*") if path.is_file() and not path.is_symlink())
    write("control", FIELDS.format(
        version=built.version, maintainer=built.maintainer, libraries=libraries(package), contained=contained(),
        size=sum((path.stat().st_size + 1023) // 1024 for path in files)))
    write("md5sums", "".join(f"{hashlib.md5(path.read_bytes()).hexdigest()}  {path.relative_to(package)}\n" for path in files))
    write("shlibs", f"libeinc 0 einc (>= {built.version})\n")
    write("triggers", "activate-noawait ldconfig\n")
    if (package / "usr" / PYTHON).exists():
        write("postinst", POSTINST, 0o755)
        write("prerm", PRERM.format(folder=PYTHON), 0o755)
    tree.set_times(package, built.epoch)
    # One thread: how many there are must not show in the bytes.
    command = ["dpkg-deb", "--root-owner-group", "-Zxz", f"-z{built.level}", "--threads-max=1", "--build", str(package), str(out)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=dict(os.environ, SOURCE_DATE_EPOCH=str(built.epoch)))
