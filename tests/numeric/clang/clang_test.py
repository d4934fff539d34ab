# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""The Clang that is started once: it does what Clang does, crashes included, and so does its client without it. And the
compiler for einc's kernels: what it has made it gives again, if that is whole and for the same text and flags."""

import ctypes
import os
import shutil
import subprocess
import unittest

from tests.numeric import compilers, einc_tool

_REAL = f"/usr/bin/{einc_tool.CLANG}"


class ClangTest(unittest.TestCase):
    def setUp(self):
        self.folder = einc_tool.scratch()
        (self.folder / "good.c").write_text('const char* f(void) { return "f"; }\n')
        (self.folder / "bad.c").write_text("int f( {\n")

    def run_it(self, program, *args, **environment):
        return subprocess.run([program, *args], capture_output=True, cwd=self.folder, env={**os.environ, **environment})

    def same(self, *args, **environment):
        """What both say of the same command, in this folder."""
        ours, theirs = (self.run_it(program, *args, **environment) for program in (einc_tool.CLANG, _REAL))
        self.assertEqual((ours.returncode, ours.stdout), (theirs.returncode, theirs.stdout))
        self.assertEqual(ours.stderr, theirs.stderr)
        return ours

    def test_it_is_found_and_serves(self):
        self.assertNotEqual(shutil.which(einc_tool.CLANG), _REAL)
        self.assertIsNone(compilers._server.poll())
        self.assertEqual(self.run_it(einc_tool.CLANG, "-c", "good.c", "-o", "ours.o").returncode, 0)
        self.assertEqual(self.run_it(_REAL, "-c", "good.c", "-o", "theirs.o").returncode, 0)
        self.assertEqual((self.folder / "ours.o").read_bytes(), (self.folder / "theirs.o").read_bytes())

    def test_exit_codes_and_messages(self):
        self.assertEqual(self.same("-c", "bad.c").returncode, 1)
        self.assertIn(b"return", self.same("-E", "good.c").stdout)
        self.same("--version")

    def test_the_environment_is_the_client_s(self):
        (self.folder / "included.h").write_text("int g;\n")
        (self.folder / "includes.c").write_text("#include <included.h>\n")
        self.assertEqual(self.same("-fsyntax-only", "includes.c", CPATH=str(self.folder)).returncode, 0)
        self.assertEqual(self.same("-fsyntax-only", "includes.c").returncode, 1)

    def test_a_crash_is_no_success(self):
        (self.folder / "crash.c").write_text("#pragma clang __debug crash\n")
        self.assertNotEqual(self.run_it(einc_tool.CLANG, "-fno-crash-diagnostics", "-c", "crash.c").returncode, 0)

    def test_without_a_server(self):
        for server in ("", "nobody-listens-here"):
            self.assertEqual(self.run_it(einc_tool.CLANG, "-c", "good.c", EINC_CLANG_SERVER=server).returncode, 0)


class KernelCompilerTest(unittest.TestCase):
    def setUp(self):
        self.folder = einc_tool.scratch()
        self.programs, self.kept = self.folder / "programs", self.folder / "kept"
        self.programs.mkdir()
        self.kept.mkdir()
        own = compilers.quick()
        lines = (own.parent / "settings").read_text().splitlines()
        (self.programs / "settings").write_text("\n".join([lines[0], str(self.kept), *lines[2:]]) + "\n")
        for name in ("quick", "usual"):
            (self.programs / name).symlink_to(own.resolve())

    def compile(self, name, text, *flags, entry="int einc_entry(void) { return number(); }\n"):
        """As einc calls it; the library."""
        folder = einc_tool.scratch()
        out = folder / "kernel.so"
        (folder / "kernel.h").write_text("int number(void);\n")
        (folder / "kernel.c").write_text(f'#include "kernel.h"\n{text}\n')
        (folder / "entry.c").write_text(f'#include "kernel.h"\n{entry}')
        command = [self.programs / name, *compilers._FLAGS.split(), *flags, "-shared", "-Wl,-Bsymbolic", "-fPIC", "-o", out,
                   folder / "kernel.c", folder / "entry.c", "-lm"]
        result = subprocess.run(command, capture_output=True)
        if result.returncode:
            self.assertFalse(out.exists())
            return result
        return ctypes.CDLL(str(out)).einc_entry()

    def entries(self):
        return sorted(self.kept.iterdir())

    def test_it_keeps_what_it_made(self):
        for name in ("quick", "usual"):
            with self.subTest(name):
                self.assertEqual(self.compile(name, "int number(void) { return 3; }"), 3)
                made = self.entries()
                self.assertEqual(self.compile(name, "int number(void) { return 3; }"), 3)
                self.assertEqual(self.entries(), made)
        self.assertEqual(len(self.entries()), 2)

    def test_other_text_or_flags_are_another_entry(self):
        text = "int number(void) { return NUMBER; }"
        self.assertEqual(self.compile("quick", text, "-DNUMBER=5"), 5)
        self.assertEqual(self.compile("quick", text, "-DNUMBER=6"), 6)
        self.assertEqual(self.compile("quick", text, "-DNUMBER=6", entry="int einc_entry(void) { return -number(); }\n"), -6)
        self.assertEqual(len(self.entries()), 3)

    def test_files_of_a_library(self):
        for name in ("quick", "usual"):
            objects = []
            for file in ("kernel.c", "threads.c"):
                for number in (1, 2, 1):
                    folder = einc_tool.scratch()
                    (folder / file).write_text(f"int number = {number};\n")
                    subprocess.run([self.programs / name, "-c", folder / file, "-o", folder / "out.o"], check=True)
                    objects.append((folder / "out.o").read_bytes())
            self.assertEqual([objects[0] == other for other in objects[1:3]], [False, True])
            self.assertEqual([objects[3] == other for other in objects[4:]], [False, True])
        made = self.entries()
        folder = einc_tool.scratch()  # what is included is not known here, so nothing is kept
        (folder / "own.h").write_text("int own;\n")
        (folder / "kernel.c").write_text('#  include "own.h"\n')
        subprocess.run([self.programs / "quick", "-c", folder / "kernel.c", "-o", folder / "out.o"], check=True)
        self.assertEqual(self.entries(), made)

    def test_an_entry_that_is_not_whole_is_made_anew(self):
        text = "int number(void) { return 7; }"
        self.compile("quick", text)
        (entry,) = self.entries()
        whole = entry.read_bytes()
        for damaged in (b"", whole[:-1], whole[:200] + b"?" + whole[201:]):
            entry.write_bytes(damaged)
            self.assertEqual(self.compile("quick", text), 7)
            self.assertEqual(entry.read_bytes()[-64:], compilers._seal(entry.name, entry.read_bytes()[:-64]))

    def test_what_clang_refuses_is_not_kept(self):
        for name in ("quick", "usual"):
            refused = self.compile(name, "int number(void) { return")
            self.assertEqual(refused.returncode, 1)
            self.assertIn(b"error: ", refused.stderr)
        self.assertEqual(self.entries(), [])


if __name__ == "__main__":
    unittest.main()
