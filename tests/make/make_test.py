# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Makefile, in this folder, with pkg-config and an einc that is installed: it builds, and rebuilds one def when one changes."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from tests.cmake import installed

HERE = pathlib.Path("tests/make").absolute()


class MakeTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.base = pathlib.Path(tempfile.mkdtemp())
        cls.prefix = installed.tree(cls.base / "einc", sys.argv[1:])
        cls.environment = dict(os.environ, PKG_CONFIG_PATH=str(cls.prefix / "lib/pkgconfig"))
        cls.folder = cls.base / "project"
        shutil.copytree(HERE, cls.folder)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.base)

    def run_here(self, *command):
        done = subprocess.run(command, capture_output=True, text=True, cwd=self.folder, env=self.environment)
        self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout}{done.stderr}")
        return done.stdout

    def compiled(self):
        return sorted(re.findall(r"-c (\S+\.c)", self.run_here("make", "-j2")))

    def edit(self, old, new):
        text = (self.folder / "dense.tc").read_text()
        (self.folder / "dense.tc").write_text(text.replace(old, new))

    def test_a_project(self):
        self.assertEqual(self.compiled(), ["generated/dense.c", "generated/dense/dense.c", "generated/dense/scale.c"])
        self.assertEqual(self.run_here("./app"), "0: 4 0 10 1\n")
        self.assertEqual(self.run_here("./views"), "0: 2 6 10\n")
        self.assertEqual(self.compiled(), [])
        self.edit("A(m) * 2.0", "A(m) * 3.0")
        self.assertEqual(self.compiled(), ["generated/dense/scale.c"])
        self.assertEqual(self.run_here("./views"), "0: 3 9 15\n")
        self.edit("def scale", "def copy(A: f32(M)) -> (B: f32(M)) { B(m) = A(m); }\n\ndef scale")
        self.assertEqual(self.compiled(), ["generated/dense/copy.c"])

    def test_pkg_config(self):
        self.assertEqual(self.run_here("pkg-config", "--modversion", "einc"), subprocess.run(
            [self.prefix / "bin/einc", "--version"], capture_output=True, text=True, check=True).stdout.split()[1] + "\n")

    def test_the_shared_runtime(self):
        """A C++ program with the views, on libeinc.so."""
        (self.folder / "alone.cpp").write_text("""
            #include "runtime/memref.hpp"
            #include <cstdio>
            int main() {
              float data[6];
              auto view = einc::MemRef<float, 2>::make(data, {2, 3});
              std::printf("%d %s\\n", int(view->transpose({1, 0})->size(0)), einc_status_string(EINC_BAD_VIEW));
            }""")
        flags = self.run_here("pkg-config", "--cflags", "--libs", "einc").split()
        self.run_here("g++", "-std=c++17", "alone.cpp", *flags, "-o", "alone", f"-Wl,-rpath,{self.prefix}/lib")
        self.assertEqual(self.run_here("./alone"), "3 a view was asked for with a wrong rank, dimension, step or permutation\n")
        self.assertIn("libeinc.so.0", self.run_here("ldd", "alone"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
