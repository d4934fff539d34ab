# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Einc as its users find it: the tree of a package, and a checkout that is built. For tests, of the files that they have."""

import os
import pathlib
import subprocess
import types

from tools.packaging import tree as packaged
from tools.packaging.layout import TARBALL


def tree(prefix, files):
    """What a tarball has, below the prefix. `files`: einc, einc-ods-gen, libeinc.a, libeinc.so.0."""
    einc, ods_gen, static, shared = [pathlib.Path(file).absolute() for file in files]
    version = subprocess.run([einc, "--version"], check=True, capture_output=True, text=True).stdout.split()[1]
    built = types.SimpleNamespace(einc=einc, ods_gen=ods_gen, static=static, shared=shared, version=version, root=pathlib.Path().absolute())
    packaged.make(prefix, TARBALL, built)
    return prefix


def checkout(folder):
    """Links to the sources that CMake wants, and to what Bazel has built: both are here, at the same paths."""
    here = pathlib.Path().absolute()
    for name in ("compiler/driver/commands.h", "runtime", "tools/cmake/EincConfig.cmake", "tools/cmake/EincConfigVersion.cmake",
                 "tools/cmake/EincLibrary.cmake", "tools/cmake/EincPaths.cmake"):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        # CMake asks where the file really is.
        if name.endswith(".cmake"):
            path.write_bytes((here / name).read_bytes())
        else:
            os.symlink(here / name, path)
    os.symlink(here, folder / "bazel-bin")
    return folder
