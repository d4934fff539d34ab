# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""The Clang that is started once: it does what Clang does, crashes included, and so does its client without it."""

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


if __name__ == "__main__":
    unittest.main()
