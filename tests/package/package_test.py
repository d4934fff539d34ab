# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""tools/packaging: the same bytes twice, in whatever place and under whatever mask; a tarball that runs from any folder; what
is in the package. tools/package asks lintian about the rest."""

import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

BUILT = [pathlib.Path(path).absolute() for path in sys.argv[1:]]
EPOCH = 1800000000


def pack(out, mask=0o022, **environment):
    """The packages, of the sources at the place where we are."""
    flags = [part for flag, path in zip(("--einc", "--ods-gen", "--static", "--shared"), BUILT) for part in (flag, str(path))]
    subprocess.run([sys.executable, "-m", "tools.packaging.package", *flags, f"--epoch={EPOCH}", "--level=0", f"--out={out}"],
                   check=True, env=dict(os.environ, **environment), preexec_fn=lambda: os.umask(mask))
    return sorted(out.iterdir())


class PackageTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.base = pathlib.Path(tempfile.mkdtemp())
        cls.deb, cls.tarball = sorted(pack(cls.base / "first"), key=lambda path: path.suffix != ".deb")
        shutil.unpack_archive(cls.tarball, cls.base / "moved here")
        cls.prefix = next((cls.base / "moved here").iterdir())

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.base)

    def said(self, *command, **more):
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **more)
        self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout}{done.stderr}")
        return done.stdout

    def test_the_same_bytes_twice(self):
        """Elsewhere, later, under another mask, in another zone."""
        again = pack(self.base / "second", mask=0o077, TZ="Asia/Tokyo", TMPDIR=str(self.base), LC_ALL="C")
        self.assertEqual(len(again), 2)
        for path in again:
            first = self.base / "first" / path.name
            self.assertEqual(hashlib.sha256(first.read_bytes()).hexdigest(), hashlib.sha256(path.read_bytes()).hexdigest(), path.name)

    def test_the_tarball_runs_where_it_lies(self):
        (self.base / "twice.tc").write_text("def twice(A: f32(M)) -> (B: f32(M)) { B(m) = 2.0 * A(m); }")
        self.said(self.prefix / "bin/einc", "build", "--target=x86-64-v2", self.base / "twice.tc", "-o", self.base / "out")
        self.assertTrue((self.base / "out/libtwice.a").exists())
        self.said(self.prefix / "bin/einc-ods-gen", "-gen-ods-decl=1", self.base / "twice.tc", "-o", "-")
        path = str(self.prefix / "lib/python3/dist-packages")
        found = self.said("/usr/bin/python3", "-c", "from einc import tool; print(tool.find())", env=dict(os.environ, PYTHONPATH=path))
        self.assertEqual(found.strip(), str(self.prefix / "bin/einc"))
        for link in self.prefix.rglob("*"):
            if link.is_symlink():
                self.assertFalse(os.path.isabs(os.readlink(link)), link)
                self.assertTrue(link.resolve().is_relative_to(self.prefix.resolve()), link)
                self.assertTrue(link.exists(), link)

    def test_modes_and_times_in_the_tarball(self):
        with tarfile.open(self.tarball) as archive:
            names = [entry.name for entry in archive]
            self.assertEqual(names, sorted(names, key=lambda name: name.split("/")))
            for entry in archive:
                self.assertEqual((entry.uid, entry.gid, entry.mtime), (0, 0, EPOCH), entry.name)
                expected = 0o777 if entry.issym() else 0o755 if entry.isdir() or "/bin/" in entry.name else 0o644
                self.assertEqual(entry.mode & 0o777, expected, entry.name)

    def test_the_package(self):
        fields = self.said("dpkg-deb", "--field", self.deb)
        for expected in (r"^Package: einc$", r"^Depends: libc6 \(>= 2\.\d+\), clang-19 \|", r"^Built-Using: .*\bgmp \(= .*\bisl \(= "):
            self.assertRegex(fields, re.compile(expected, re.MULTILINE))
        names = self.said("dpkg-deb", "--contents", self.deb)
        for expected in ("bin/einc", "include/einc/runtime/memref.hpp", "lib/x86_64-linux-gnu/libeinc.so.0",
                         "lib/x86_64-linux-gnu/cmake/Einc/EincConfig.cmake", "lib/x86_64-linux-gnu/pkgconfig/einc.pc",
                         "share/einc/bazel/tools/einc.bzl", "lib/python3/dist-packages/einc/__init__.py", "share/einc/specs/matmul.tc", "share/doc/einc/copyright",
                         "share/man/man1/einc.1.gz", "share/man/man1/einc-build.1.gz", "share/man/man1/einc-ods-gen.1.gz",
                         "share/bash-completion/completions/einc", "share/zsh/vendor-completions/_einc"):
            self.assertIn(f" ./usr/{expected}\n", names)
        for line in names.splitlines():
            self.assertRegex(line, r"^\S+ root/root ", line)

    def test_the_notices_of_what_is_in_the_programs(self):
        """The copyright file names each library whose archive //tools:einc links to."""
        text = (self.prefix / "share/doc/einc/copyright").read_text().lower()
        licenses = {path.name for path in (self.prefix / "share/doc/einc/licenses").iterdir()}
        self.assertEqual(licenses, {"gcc", "glslang", "gmp", "isl", "llvm", "ncurses", "spirv-cross", "spirv-tools", "zlib"})
        for name in licenses:
            self.assertIn(name, text)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
