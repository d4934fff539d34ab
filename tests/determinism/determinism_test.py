# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Same inputs, same bytes: two builds in different folders, users, locales, times and masks."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

EINC, *SPECS = [os.path.abspath(path) for path in sys.argv[1:]]
NOBODY = 65534


def files_below(folder):
    result = {}
    for root, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(root, name)
            with open(path, "rb") as file:
                result[os.path.relpath(path, folder)] = file.read()
    return result


FEW = ("softmax.tc",)


def build(folder, work, env, user=None, extra=()):
    """Copies the specs into `work`, builds into `folder` from there, returns the files."""
    os.makedirs(work, exist_ok=True)
    # All of specs/ as sources, a file for each def; few in one file, of the same texts, and compiled, which takes longest.
    chosen = SPECS if "--sources-only" in extra and "--one-file" not in extra else [s for s in SPECS if os.path.basename(s) in FEW]
    specs = [shutil.copy(spec, work) for spec in chosen]
    if user is not None:
        for path in (folder, work, os.path.dirname(folder)):
            os.makedirs(path, exist_ok=True)
            os.chmod(path, 0o777)

    def become():
        os.umask(0o077 if user is None else 0o022)
        if user is not None:
            os.setgid(user)
            os.setuid(user)

    subprocess.run([EINC, "build", *specs, "-o", folder, "--name", "library", "--target=x86-64-v2,x86-64-v3", *extra],
                   cwd=work, env=env, preexec_fn=become, check=True, stderr=subprocess.DEVNULL)
    return files_below(folder)


class DeterminismTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        # Where another user can go, too.
        cls.built = {}
        cls.base = tempfile.mkdtemp(dir="/tmp")
        os.chmod(cls.base, 0o755)
        path = os.environ.get("PATH", "/usr/bin:/bin")
        cls.plain = {"PATH": path, "HOME": cls.base, "LC_ALL": "C"}
        cls.other = {"PATH": path, "LC_ALL": "de_DE.UTF-8", "LANG": "tr_TR.UTF-8", "TZ": "Asia/Tokyo",
                      "SOURCE_DATE_EPOCH": "1", "COLUMNS": "20"}

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.base)

    def first(self, *extra):
        """What all others are compared with, built once for all tests."""
        if extra not in self.built:
            self.built[extra] = build(*self.folder(f"a{len(self.built)}"), self.plain, extra=extra)
        return self.built[extra]

    def folder(self, name):
        shutil.rmtree(os.path.join(self.base, name), ignore_errors=True)
        return os.path.join(self.base, name, "out"), os.path.join(self.base, name, "specs")

    def same_bytes(self, expected, *extra):
        first = self.first(*extra)
        user = NOBODY if os.getuid() == 0 and os.access(EINC, os.X_OK) and self.visible() else None
        second = build(*self.folder("b c'ä:\""), self.other, user, extra=extra)
        self.assertEqual(sorted(first), expected)
        for name, data in first.items():
            self.assertEqual(data, second[name], name)

    def test_libraries_are_the_same_bytes(self):
        self.same_bytes(["liblibrary.a", "library.h", "library.json"])

    def test_sources_are_the_same_bytes(self):
        self.same_bytes(["library.bzl", "library.c", "library.h", "library.json", "library.map"], "--sources-only", "--one-file")

    def test_sources_of_each_def_are_the_same_bytes(self):
        first = self.first("--sources-only")
        self.assertEqual(first, build(*self.folder("b c'ä:\""), self.other, extra=["--sources-only"]))
        self.assertIn(os.path.join("library", "softmax.c"), first)

    def test_the_number_of_jobs_does_not_show(self):
        self.assertEqual(self.first(), build(*self.folder("b"), self.plain, extra=["-j3" if os.cpu_count() == 1 else "-j1"]))

    def test_a_def_is_the_same_bytes_whatever_stands_beside_it(self):
        """What is shared is, too: a change to one def compiles one def."""
        first = self.first("--sources-only")
        second = build(*self.folder("b"), self.plain, extra=["--sources-only", "--def=softmax", "--def=matmul"])
        for name in ("library.c", os.path.join("library", "softmax.c"), os.path.join("library", "matmul.c")):
            self.assertEqual(first[name], second[name], name)

    def visible(self):
        """Whether there is another user here (not in a sandbox), and it may run the tool."""
        try:
            probe = subprocess.run([EINC, "--version"], preexec_fn=lambda: os.setuid(NOBODY),
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        except (subprocess.SubprocessError, PermissionError):
            return False
        return probe.returncode == 0

    def test_sources_hold_no_trace_of_the_place(self):
        files = self.first("--sources-only")
        for name, data in files.items():
            self.assertNotIn(self.base.encode(), data, name)
            self.assertNotIn(os.environ.get("USER", "root!").encode() + b"@", data, name)

    def test_another_input_gives_other_bytes(self):
        first = self.first()
        second = build(*self.folder("b"), self.plain, extra=["--dim", "M=7"])
        self.assertNotEqual(first["liblibrary.a"], second["liblibrary.a"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
