# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""The cache: one compile for many processes, none that is lost by an interrupt, none that is damaged."""

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import warnings

import numpy as np

import einc
from support import ADD, SCRATCH, Test

# Loads and calls, in another process.
USE = """
import sys, einc
import numpy as np
add = einc.load(sys.argv[1], einc=sys.argv[2]).add
print(add(np.ones(3, np.float32), np.ones(3, np.float32)).tolist())
"""


class Cache(Test):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(dir=SCRATCH))
        self.addCleanup(os.environ.update, XDG_CACHE_HOME=os.environ["XDG_CACHE_HOME"])
        os.environ["XDG_CACHE_HOME"] = str(self.folder / "cache")
        self.cache = self.folder / "cache" / "einc"
        self.log = self.folder / "log"
        self.log.touch()
        # einc, which keeps a line for each time that it is run, and where it is told to hang does so once.
        self.einc = self.folder / "einc"
        self.einc.write_text(f'#!/bin/sh\necho $$ >> {self.log}\nif [ -e {self.folder}/hang ]; then rm {self.folder}/hang; exec sleep 1000; fi\n'
                             f'exec {os.environ["EINC"]} "$@"\n')
        self.einc.chmod(0o755)

    def runs(self):
        return len(self.log.read_text().splitlines())

    def start(self, spec=ADD, is_quiet=False):
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        return subprocess.Popen([sys.executable, "-c", USE, spec, str(self.einc)], env=environment, stdout=subprocess.PIPE,
                                stderr=subprocess.DEVNULL if is_quiet else None, text=True)

    def load(self, spec=ADD, **options):
        add = einc.load(spec, einc=self.einc, **options).add
        self.assertEqual(add(np.ones(3, np.float32), np.ones(3, np.float32)).tolist(), [2, 2, 2])
        return add

    def entries(self):
        return [path for path in self.cache.iterdir() if len(path.name) == 64]

    def test_processes_at_the_same_time(self):
        users = [self.start() for _ in range(4)]
        for user in users:
            self.assertEqual(user.communicate()[0], "[2.0, 2.0, 2.0]\n")
        self.assertEqual(self.runs(), 1)
        self.assertEqual(len(self.entries()), 1)

    def test_later_processes(self):
        self.load()
        self.load()
        self.assertEqual(self.start().communicate()[0], "[2.0, 2.0, 2.0]\n")
        self.assertEqual(self.runs(), 1)

    def test_what_it_is_made_of(self):
        self.load()
        self.load(ADD + "\n")
        self.load(dims={"N": 3})
        os.utime(self.einc, (1, 1))  # another build
        self.load()
        self.load()
        self.assertEqual(self.runs(), 4)

    def test_a_process_that_is_killed(self):
        (self.folder / "hang").touch()
        user = self.start()
        while not self.runs():
            time.sleep(0.02)
        user.kill()
        user.communicate()
        orphan = int(self.log.read_text())
        try:
            os.kill(orphan, 0)  # it still is there, and holds nothing
            began = time.time()
            self.load()
            self.assertLess(time.time() - began, 60)
        finally:
            os.kill(orphan, signal.SIGKILL)
        self.assertEqual(self.runs(), 2)
        self.assertEqual([p.name for p in self.cache.iterdir() if "part" in p.name], [])

    def test_an_interrupt(self):
        (self.folder / "hang").touch()
        user = self.start(is_quiet=True)
        while not self.runs():
            time.sleep(0.02)
        time.sleep(1)  # so that einc is not only started, but waited for
        user.send_signal(signal.SIGINT)
        user.communicate()
        self.assertNotEqual(user.returncode, 0)
        with self.assertRaises(ProcessLookupError):
            os.kill(int(self.log.read_text()), 0)  # einc ended, too
        self.assertEqual([p.name for p in self.cache.iterdir() if p.is_dir()], [])
        self.load()

    def test_a_compile_that_fails(self):
        for _ in range(2):
            with self.assertRaises(einc.CompileError):
                self.load("def add(\n")
        self.assertEqual(self.runs(), 2)
        self.assertEqual([p.name for p in self.cache.iterdir() if p.is_dir()], [])

    def test_damage(self):
        def cut(path):
            path.write_bytes(path.read_bytes()[:100])

        def flip(path):
            data = bytearray(path.read_bytes())
            data[len(data) // 2] ^= 1
            path.write_bytes(data)

        damages = [(cut, "libkernels.so"), (flip, "libkernels.so"), (flip, "kernels.json"), (pathlib.Path.unlink, "kernels.json"), (cut, "entry.json"),
                   (pathlib.Path.unlink, "entry.json"), (lambda path: path.write_text("[]"), "entry.json")]
        for i, (damage, name) in enumerate(damages):
            self.assertEqual(self.start().communicate()[0], "[2.0, 2.0, 2.0]\n")
            self.assertEqual(self.runs(), 1 + i)
            (entry,) = self.entries()
            damage(entry / name)
        self.load()
        self.assertEqual(self.runs(), 1 + len(damages))

    def test_a_folder_that_cannot_be_written(self):
        (self.folder / "file").touch()
        for place in (self.folder / "file" / "cache", "/proc/einc"):
            with warnings.catch_warnings(record=True) as said:
                warnings.simplefilter("always")
                add = self.load(cache=place)
            self.assertIn(f"einc cannot keep what it compiles in {place}", str(said[0].message))
            self.assertEqual(said[0].filename, __file__)
            self.assertNotIn(str(self.folder), add.source)
        self.assertEqual(self.runs(), 1)  # in the other folder of this process

    def test_a_cache_of_ones_own(self):
        own = self.folder / "own"
        self.load(cache=own)
        self.assertFalse(self.cache.exists())
        self.assertGreater(einc.cache.size(own), 1000)
        einc.cache.clear(own)
        self.assertEqual(list(own.iterdir()), [])

    def test_a_limit(self):
        self.load()
        self.load(ADD + "\n")
        old, new = sorted(self.entries(), key=lambda entry: (entry / "entry.json").stat().st_mtime)
        size = einc.cache.size()
        einc.cache.trim(size)
        self.assertEqual(len(self.entries()), 2)
        os.utime(old / "entry.json", (1, 1))
        einc.cache.trim(size - 1)
        self.assertEqual(self.entries(), [new])
        einc.cache.clear()
        self.assertEqual(einc.cache.size(), 0)
        self.load()  # the loaded library works without its file, or is made again

    def test_an_empty_place(self):
        shutil.rmtree(self.folder / "cache", ignore_errors=True)
        einc.cache.clear()
        einc.cache.trim()
        self.assertEqual(einc.cache.size(), 0)
        os.environ["XDG_CACHE_HOME"] = "relative"  # which the standard says to ignore
        self.assertEqual(einc.cache.folder(), pathlib.Path("~/.cache/einc").expanduser())


if __name__ == "__main__":
    unittest.main()
