# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""What a page of the documentation shows is so. page_test.py INSTALLED... PAGE [--update]

INSTALLED are the files of which tests/cmake/installed.py makes what a package has, or one folder that is an installed Einc.

The page's blocks are taken in their order, in a folder that has `specs/` and, for a lesson of the tutorial, a copy of the lesson's
folder. Einc is installed there:

  ```sh                    is run; it has to succeed. `sh not run: REASON` is not, and the reason is printed
  ```sh fails              is run, and has to fail
  ```text                  is what the commands before it have said (`...` stands for any text, or alone for any lines)
  ```cpp main.cpp          is a file: of a lesson one that is there, else it is written. The same for any language
  ```einc, c, cpp, python, starlark   without a name: is accepted, compiled, or run
  ```                      is not looked at here

With --update, what commands have said replaces the `text` blocks that have no `...`; read the diff.
"""

import ast
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from tests.cmake import installed as tree
from tests.docs import pages

ROOT = pathlib.Path(__file__).absolute().parents[2]
COMPILERS = {"c": ["clang-19", "-std=c99", "-x", "c"], "cpp": ["clang++-19", "-std=c++20", "-x", "c++"]}


class Failure(Exception):
    pass


class Run:
    def __init__(self, prefix, page, folder):
        self.folder, self.said, self.page = folder, "", page
        self.lesson = page.parent.parent.name == "tutorial"
        if self.lesson:
            shutil.copytree(page.parent, folder, dirs_exist_ok=True)
        for name in ("specs", "libcalls"):
            (folder / name).symlink_to(ROOT / name)
        # A clean shell, on a machine on which Einc is installed. (Mesa would say that it finds no place for its cache in a sandbox.)
        self.environment = {"PATH": f"{prefix}/bin:/usr/bin:/bin", "HOME": str(folder.parent), "LC_ALL": "C.UTF-8", "CMAKE_PREFIX_PATH": str(prefix),
                            "PKG_CONFIG_PATH": f"{prefix}/lib/pkgconfig", "PYTHONPATH": f"{prefix}/lib/python3/dist-packages", "LD_LIBRARY_PATH": f"{prefix}/lib",
                            "TMPDIR": os.environ.get("TEST_TMPDIR", "/tmp"), "MESA_SHADER_CACHE_DISABLE": "true"}  # fmt: skip

    def command(self, args, **options):
        return subprocess.run(args, cwd=self.folder, env=self.environment, text=True, errors="replace", stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, **options)  # fmt: skip

    def must(self, args):
        done = self.command(args)
        if done.returncode:
            raise Failure(f"{' '.join(map(str, args))}\n{done.stdout}")

    def file(self, block):
        path = self.folder / block.file
        if not self.lesson or not (self.page.parent / block.file).exists():
            if self.lesson:
                raise Failure(f"there is no file {block.file} in {self.page.parent.name}")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text)
        elif block.text not in (self.page.parent / block.file).read_text():
            raise Failure(f"the block is not a part of {block.file}")

    def sh(self, block):
        done = self.command(["bash", "-e", "-o", "pipefail", "-c", block.text])
        # Where the machine is slow, einc says how far it is.
        self.said = re.sub(r"^einc: .* \(\d+ s[^)]*\)\n", "", done.stdout, flags=re.MULTILINE)
        if (done.returncode != 0) != (block.words == "fails"):
            raise Failure(f"exit code {done.returncode}\n{done.stdout}")

    def text(self, block):
        if not pages.matches(block.text, self.said):
            raise Failure(f"the page shows\n{block.text}and the commands said\n{self.said}")

    def compiled(self, block):
        path = self.folder / f"block{block.line}.{block.language}"
        path.write_text(block.text)
        includes = [f"-I{f}" for f in sorted(p for p in self.folder.iterdir() if p.is_dir())]
        self.must([*COMPILERS[block.language], "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-Wno-unused", *includes, f"-I{ROOT}", path])

    def einc(self, block):
        path = self.folder / f"block{block.line}.tc"
        path.write_text(block.text)
        self.must(["einc", "check", "--Werror", path])

    def starlark(self, block):
        """Names that are loaded are in the file that they come from, and rules have these attributes."""
        known = "".join((ROOT / "tools" / name).read_text() for name in ("einc.bzl", "repositories.bzl"))
        for node in ast.walk(ast.parse(block.text)):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
                continue
            names = [word.value for word in node.args[1:]] if node.func.id == "load" else [node.func.id] if node.func.id.startswith("einc_") else []
            for name in names:
                if not re.search(rf"^def {name}\b", known, re.MULTILINE):
                    raise Failure(f"tools/ has no {name}")
            for word in node.keywords if node.func.id.startswith("einc_") else []:
                if not re.search(rf"\b{word.arg}\b", known):
                    raise Failure(f"{node.func.id} has no attribute {word.arg}")

    def python(self, block):
        path = self.folder / f"block{block.line}.py"
        path.write_text(block.text)
        done = self.command(["/usr/bin/python3", path])
        self.said = done.stdout
        if done.returncode:
            raise Failure(done.stdout)

    def block(self, block):
        if block.language == "":
            return None
        if block.reason:
            return f"not run: {block.reason}"
        if block.file and not (block.language == "sh" and block.words == "fails"):
            return self.file(block)
        take = {"sh": self.sh, "text": self.text, "c": self.compiled, "cpp": self.compiled, "einc": self.einc,
                "starlark": self.starlark, "python": self.python}.get(block.language)  # fmt: skip
        if not take:
            raise Failure(f"nothing is known of blocks in {block.language}: it takes a file's name")
        return take(block)


def updated(page, block, said):
    """The page with this in the block. Blocks before it have their places still."""
    lines = page.splitlines(keepends=True)
    lines[block.line - 1 : block.line - 1 + block.text.count("\n")] = [said.strip("\n") + "\n"]
    return "".join(lines)


def installed(files, folder):
    """The prefix of an installed Einc."""
    return pathlib.Path(files[0]).absolute() if len(files) == 1 else tree.tree(folder / "einc", files)


def main(args):
    update = "--update" in args
    *files, name = [arg for arg in args if arg != "--update"]
    page = pathlib.Path(name).absolute()
    passed = failed = 0
    with tempfile.TemporaryDirectory() as above:
        folder = pathlib.Path(above) / page.stem.lower()
        folder.mkdir()
        run = Run(installed(files, pathlib.Path(above)), page, folder)
        changes = []
        for block in pages.blocks(page.read_text()):
            if update and block.language == "text" and not block.words and "..." not in block.text:
                changes.append((block, run.said))
                continue
            try:
                note = run.block(block)
                passed += 1
                if note:
                    print(f"{name}:{block.line}: {note}")
            except Failure as failure:
                failed += 1
                print(f"{name}:{block.line}: FAILED\n{failure}")
    for block, said in reversed(changes):
        page.write_text(updated(page.read_text(), block, said))
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
