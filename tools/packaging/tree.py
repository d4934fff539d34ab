# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""The tree of what is installed, below a prefix."""

import gzip
import os
import pathlib
import re
import shutil
import subprocess

from tools.packaging.layout import BAZEL, BAZEL_FILES, CMAKE, CONTAINED, DOC, HEADERS, PYTHON

STRIP = "/usr/lib/llvm-19/bin/llvm-strip"


class Tree:
    """Files below a prefix, as they are installed: modes, no times."""

    def __init__(self, prefix, layout):
        self.prefix, self.layout = pathlib.Path(prefix), layout

    def path(self, name):
        path = self.prefix / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def text(self, name, text):
        self.bytes(name, text.encode())

    def bytes(self, name, data):
        path = self.path(name)
        path.write_bytes(data)
        path.chmod(0o644)

    def file(self, name, source, mode=0o644):
        path = self.path(name)
        shutil.copyfile(source, path)
        path.chmod(mode)

    def link(self, name, target):
        """A link to what is below the prefix, too; by the way there, so that the tree can be moved."""
        os.symlink(os.path.relpath(target, os.path.dirname(name)), self.path(name))

    def compressed(self, name, text):
        self.bytes(name + ".gz", gzip.compress(text.encode(), 9, mtime=0))


def programs(tree, built):
    for name, source in (("einc", built.einc), ("einc-ods-gen", built.ods_gen)):
        tree.file(f"bin/{name}", source, 0o755)
        subprocess.run([STRIP, "--strip-all", tree.path(f"bin/{name}")], check=True)


def runtime(tree, built):
    lib = tree.layout.lib
    tree.file(f"{lib}/libeinc.a", built.static)
    tree.file(f"{lib}/libeinc.so.0", built.shared)
    subprocess.run([STRIP, "--strip-unneeded", "--enable-deterministic-archives", tree.path(f"{lib}/libeinc.a")], check=True)
    subprocess.run([STRIP, "--strip-all", tree.path(f"{lib}/libeinc.so.0")], check=True)
    tree.link(f"{lib}/libeinc.so", f"{lib}/libeinc.so.0")
    for header in HEADERS:
        tree.file(f"include/einc/{header}", built.root / header)


def cmake(tree, built):
    folder = f"{tree.layout.lib}/cmake/Einc"
    for source in CMAKE:
        tree.file(f"{folder}/{os.path.basename(source)}", built.root / source)
    tree.text(f"{folder}/EincPaths.cmake", f"""# Part of Einc. SPDX-License-Identifier: Apache-2.0
#
# Where things are, from here: the folder may be moved.
get_filename_component(_einc_prefix "${{CMAKE_CURRENT_LIST_DIR}}" REALPATH)
get_filename_component(_einc_prefix "${{_einc_prefix}}/{tree.layout.up(folder)}" ABSOLUTE)
set(EINC_EXECUTABLE "${{_einc_prefix}}/bin/einc")
set(EINC_INCLUDE_DIR "${{_einc_prefix}}/include/einc")
set(EINC_STATIC_LIBRARY "${{_einc_prefix}}/{tree.layout.lib}/libeinc.a")
set(EINC_SHARED_LIBRARY "${{_einc_prefix}}/{tree.layout.lib}/libeinc.so.0")
set(_einc_hint "; install Einc again")
set(EINC_VERSION "{built.version}")
""")


def pkg_config(tree, built):
    tree.text(f"{tree.layout.lib}/pkgconfig/einc.pc", f"""prefix={tree.layout.prefix}
libdir=${{prefix}}/{tree.layout.lib}
includedir=${{prefix}}/include/einc
einc=${{prefix}}/bin/einc

Name: Einc
Description: Runtime of kernels that einc generates: views, statuses, DLPack, Vulkan
Version: {built.version}
Cflags: -I${{includedir}}
Libs: -L${{libdir}} -leinc
Libs.private: -ldl -lpthread
""")


def bazel(tree, built):
    for name, source in BAZEL_FILES.items():
        tree.file(f"{BAZEL}/{name}", built.root / source)
    tree.link(f"{BAZEL}/include", "include/einc")
    tree.link(f"{BAZEL}/lib/libeinc.a", f"{tree.layout.lib}/libeinc.a")
    for name in ("einc", "einc-ods-gen"):
        tree.link(f"{BAZEL}/tools/bin/{name}", f"bin/{name}")


def help_texts(tree, built):
    """Manual pages and completions, as the programs write them."""

    def said(program, *args):
        return subprocess.run([program, *args], check=True, capture_output=True, text=True).stdout

    def page(name, text):
        path = f"share/man/man1/{name}.1"
        (tree.compressed if tree.layout.compressed else tree.text)(path, text)

    page("einc", said(built.einc, "--help=man"))
    for command in said(built.einc, "--help=commands").split():
        page(f"einc-{command}", said(built.einc, command, "--help=man"))
    page("einc-ods-gen", said(built.ods_gen, "--help=man"))
    for name, program in (("einc", built.einc), ("einc-ods-gen", built.ods_gen)):
        tree.text(f"share/bash-completion/completions/{name}", said(program, "--help=bash"))
        tree.text(f"{tree.layout.zsh}/_{name}", said(program, "--help=zsh"))


def documents(tree, built):
    for name in ("README.md", "LICENSE") if not tree.layout.compressed else ("README.md",):
        tree.file(f"{DOC}/{name}", built.root / name)
    for path in sorted((built.root / "docs").rglob("*")):
        if path.is_file() and path.name not in ("BUILD.bazel", "renew.py"):
            tree.file(f"{DOC}/{path.relative_to(built.root)}", path)
    tree.file(f"{DOC}/copyright", built.root / "tools/packaging/debian/copyright")
    for name, package in CONTAINED.items():
        tree.file(f"{DOC}/licenses/{name}", f"/usr/share/doc/{package}/copyright")


def specs(tree, built):
    for path in sorted((built.root / "specs").glob("*.tc")):
        tree.file(f"share/einc/specs/{path.name}", path)


def python(tree, built):
    folder = built.root / "python/einc"
    for path in sorted(folder.rglob("*")):
        if path.is_file() and re.search(r"\.(py|pyi)$|/py\.typed$", str(path)) and not path.name.endswith("_test.py"):
            tree.file(f"{PYTHON}/{path.relative_to(folder)}", path)


def make(prefix, layout, built):
    """Everything, below the prefix."""
    tree = Tree(prefix, layout)
    for part in (programs, runtime, cmake, pkg_config, bazel, help_texts, documents, specs, python):
        part(tree, built)


def set_times(folder, epoch):
    """One time for all; modes of folders, whatever the mask is here."""
    for root, folders, files in os.walk(folder):
        for name in folders + files:
            path = os.path.join(root, name)
            if not os.path.islink(path) and name in folders:
                os.chmod(path, 0o755)
            os.utime(path, (epoch, epoch), follow_symlinks=False)
    os.chmod(folder, 0o755)
    os.utime(folder, (epoch, epoch))
