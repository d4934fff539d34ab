# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""find_package(Einc): project/ built with Ninja and Make, Clang and GCC, from a package and from a checkout.

In each: programs compute what they should, and a changed def compiles one file. In two of them, too: a new def is there
without a further command; a mistake is reported as einc reports it, with the call; what is installed is used by user/.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from tests.cmake import installed

HERE = pathlib.Path("tests/cmake").absolute()
EXPECTED = """\
0: 4 0 10 1
0: 4 0 10 1
0: 6
0: 2 4 6
0: 104 5 10 11
"""


class Project:
    """A copy of project/, and its build folder."""

    def __init__(self, folder, generator, compilers, find):
        self.source, self.build, self.prefix = folder / "source", folder / "build", folder / "prefix"
        self.generator, self.compilers = generator, compilers
        shutil.copytree(HERE / "project", self.source)
        self.run("cmake", "-S", self.source, "-B", self.build, *self.flags(), *find)

    def flags(self):
        c, cxx = self.compilers
        return ["-G", self.generator, f"-DCMAKE_C_COMPILER={c}", f"-DCMAKE_CXX_COMPILER={cxx}"]

    def run(self, *command, fails=False):
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
        if (done.returncode != 0) != fails:
            raise AssertionError(f"{command}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def compiled(self, fails=False):
        """Builds; the C files that were compiled, sorted, or all that was said."""
        said = self.run("cmake", "--build", self.build, "--verbose", *(["--", "-j2"] if "Make" in self.generator else []), fails=fails)
        return said if fails else sorted(set(re.findall(r"-c \S*?/build/(\S+\.c)\b", said)))

    def edit(self, pattern, replacement, name="dense.tc"):
        text = (self.source / name).read_text()
        edited = re.sub(pattern, replacement, text, count=1, flags=re.DOTALL)
        assert edited != text, pattern
        (self.source / name).write_text(edited)


class CMakeTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.base = pathlib.Path(tempfile.mkdtemp())
        cls.package = ["-DCMAKE_PREFIX_PATH=" + str(installed.tree(cls.base / "moved here", sys.argv[1:]))]
        cls.checkout = ["-DEinc_DIR=" + str(installed.checkout(cls.base / "checkout") / "tools/cmake")]

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.base)

    def build_and_edit(self, generator, compilers, find):
        """A project that is built, and whose def was changed."""
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.base))
        project = Project(folder, generator, compilers, find)
        project.compiled()
        self.assertEqual(project.run(project.build / "app"), EXPECTED)
        self.assertEqual(project.run(project.build / "views"), "0: 2 6 10\n")
        self.assertEqual(project.compiled(), [], "nothing has changed")

        with self.subTest("a changed def compiles one file"):
            project.edit(r"A\(m\) \* 2.0", "A(m) * 3.0")
            self.assertEqual(project.compiled(), ["dense.einc/dense/scale.c"])
            self.assertIn("0: 3 6 9\n", project.run(project.build / "app"))
            (project.source / "dense.tc").touch()
            self.assertEqual(project.compiled(), [])
        return folder, project

    def go_through(self, *combination):
        folder, project = self.build_and_edit(*combination)

        with self.subTest("a mistake"):
            project.edit(r"A\(m\) \* 3.0", "A(q, m) * 2.0")
            said = project.compiled(fails=True)
            self.assertRegex(said, r"dense\.tc:\d+:\d+: error: ")
            self.assertRegex(said, r"CMakeLists\.txt:9 \(einc_add_library\)")

        with self.subTest("a new def, and one that is gone"):
            project.edit(r"def scale.*", "def triple(A: f32(M)) -> (B: f32(M)) {\n  B(m) = A(m) * 3.0;\n}\n")
            project.edit(r"scale\(", "triple(", "app.c")
            project.edit(r"scale\(", "triple(", "views.cpp")
            self.assertEqual(project.compiled(), ["dense.einc/dense/triple.c"])
            self.assertIn("0: 3 6 9\n", project.run(project.build / "app"))
            self.assertFalse((project.build / "dense.einc/dense/scale.c").exists())

        with self.subTest("installed"):
            project.edit(r"triple", "scale")
            project.edit(r"triple\(", "scale(", "app.c")
            project.edit(r"triple\(", "scale(", "views.cpp")
            project.compiled()
            project.run("cmake", "--install", project.build, "--prefix", project.prefix)
            names = project.run("nm", "-D", "--defined-only", project.prefix / "lib/libfixed.so")
            self.assertEqual(re.findall(r" (?:T|W) (?!einc_status_string)(?!fixed_|_mlir_ciface_fixed_)\S+", names), [], names)
            self.assertIn(" fixed_sum\n", names)
            self.assertTrue((project.prefix / "include/fixed.h").exists())
            shutil.rmtree(project.source)  # nothing of it is needed
            shutil.rmtree(project.build)
            user = folder / "user"
            project.run("cmake", "-S", HERE / "user", "-B", user, *project.flags()[:3], f"-DCMAKE_PREFIX_PATH={project.prefix}")
            project.run("cmake", "--build", user)
            self.assertEqual(project.run(user / "user"), "0: 3 6 9\n0: 6\n")

    def test_ninja_clang_package(self):
        self.go_through("Ninja", ("clang-19", "clang++-19"), self.package)

    def test_make_gcc_checkout(self):
        self.go_through("Unix Makefiles", ("gcc", "g++"), self.checkout)

    def test_ninja_gcc_package(self):
        self.build_and_edit("Ninja", ("gcc", "g++"), self.package)

    def test_make_clang_package(self):
        self.build_and_edit("Unix Makefiles", ("clang-19", "clang++-19"), self.package)

    def refused(self, lines, expected, find=None):
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.base))
        (folder / "CMakeLists.txt").write_text(f"cmake_minimum_required(VERSION 3.13)\nproject(p LANGUAGES C)\n{lines}\n")
        command = ["cmake", "-G", "Ninja", "-S", str(folder), "-B", str(folder / "build"), *(find or self.package)]
        done = subprocess.run(command, capture_output=True, text=True)
        self.assertNotEqual(done.returncode, 0, lines)
        self.assertRegex(" ".join(done.stderr.split()), expected)

    def test_mistakes_in_calls(self):
        find = "find_package(Einc REQUIRED)\n"
        self.refused(find + "einc_add_library(k dense.tc)", r"unknown argument: dense.tc; specs come after SPECS")
        self.refused(find + "einc_add_library(k)", r"give the specs: SPECS FILE.tc")
        self.refused(find + "einc_add_library(k SPECS none.tc)", r"none\.tc.*einc ended with 1")
        self.refused(find + "einc_add_library(k SPECS DEFS x)", r"nothing stands after SPECS")
        self.refused("find_package(Einc 7 REQUIRED)", r"version: 0\.\d")

    def test_a_checkout_without_einc_says_what_to_do(self):
        checkout = installed.checkout(self.base / "empty")
        (checkout / "bazel-bin").unlink()
        self.refused("find_package(Einc REQUIRED)", r"bazel build //tools:einc", [f"-DEinc_DIR={checkout}/tools/cmake"])

    def test_versions_are_one(self):
        paths = next((self.base / "moved here").rglob("EincPaths.cmake")).read_text()
        checkout = (self.base / "checkout/compiler/driver/commands.h").read_text()
        self.assertEqual(re.search(r'EINC_VERSION "(.*)"', paths)[1], re.search(r'kVersion = "(.*)"', checkout)[1])


if __name__ == "__main__":
    os.environ.pop("CC", None)
    unittest.main(argv=sys.argv[:1], verbosity=2)
