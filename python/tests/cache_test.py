# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""The cache: one compile for many processes, none that is lost by an interrupt, none that is damaged."""

import hashlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import unittest.mock
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
        # einc, which keeps a line for each time that it builds, and where it is told to hang does so once.
        self.einc = self.folder / "einc"
        self.einc.write_text(f'#!/bin/sh\nif [ "$1" = --version ]; then exec {os.environ["EINC"]} --version; fi\necho $$ >> {self.log}\nif [ -e {self.folder}/hang ]; then rm {self.folder}/hang; exec sleep 1000; fi\n'
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
                   (pathlib.Path.unlink, "entry.json"), (lambda path: path.write_text("[]"), "entry.json"),
                   (lambda path: path.write_text("{}"), "entry.json")]
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

    def test_a_library_that_cannot_be_loaded(self):
        self.load()
        (entry,) = self.entries()
        (entry / "kernels.json").write_text('{"einc_manifest": 0}')  # and listed so
        digests = {f.name: hashlib.sha256(f.read_bytes()).hexdigest() for f in entry.iterdir() if f.name != "entry.json"}
        (entry / "entry.json").write_text(json.dumps(digests))
        self.assertEqual(self.start().communicate()[0], "[2.0, 2.0, 2.0]\n")
        self.assertEqual(self.runs(), 2)

    def test_what_is_not_its_own(self):
        own, name = self.folder / "own", "a" * 64
        self.load(cache=own)
        (own / "Cargo.lock").touch()
        (own / "x.part-1").mkdir()
        (own / name).mkdir()
        (own / name / "data").write_text("data")
        (own / ("Z" * 64)).mkdir()
        (own / ("Z" * 64) / "entry.json").write_text("{}")
        (own / ("b" * 64)).symlink_to(own / ("Z" * 64))
        others = {"Cargo.lock", "x.part-1", name, "Z" * 64, "b" * 64}
        (entry,) = [p for p in own.iterdir() if p.suffix != ".lock" and p.name not in others]
        self.assertEqual(einc.cache.size(own), sum(f.stat().st_size for f in entry.iterdir()))
        einc.cache.trim(0, own)
        self.assertEqual({p.name for p in own.iterdir()}, others)
        einc.cache.clear(own)
        self.assertEqual({p.name for p in own.iterdir()}, others)
        self.assertTrue((own / name / "data").exists())

    def test_removal_while_another_compiles(self):
        (self.folder / "slow").touch()
        self.einc.write_text(self.einc.read_text().replace("\nexec", f"\nwhile [ -e {self.folder}/slow ]; do sleep 0.1; done\nexec"))
        user = self.start()
        while not self.runs():
            time.sleep(0.02)
        before = sorted(self.cache.iterdir())
        self.assertEqual(len(before), 2)  # a lock and a part
        os.utime(before[1], (1, 1))
        einc.cache.clear()
        einc.cache.trim(0)
        self.assertEqual(sorted(self.cache.iterdir()), before)
        (self.folder / "slow").unlink()
        self.assertEqual(user.communicate()[0], "[2.0, 2.0, 2.0]\n")
        self.assertEqual(self.runs(), 1)

    def test_a_lock_that_is_removed_by_its_holder(self):
        path, inside, most = self.folder / "lock", [], []

        def use():
            for _ in range(50):
                with einc.cache._locked(path):
                    inside.append(1)
                    most.append(len(inside))
                    time.sleep(0.0005)
                    inside.pop()
                    path.unlink()

        users = [threading.Thread(target=use) for _ in range(4)]
        for user in users:
            user.start()
        for user in users:
            user.join()
        self.assertEqual((max(most), len(most)), (1, 200))

    def test_what_a_killed_process_left(self):
        self.load()
        old, new = (self.cache / f"{letter * 64}.part-x" for letter in "ab")
        old.mkdir()
        new.mkdir()
        os.utime(old, (time.time() - 90000,) * 2)
        self.load(ADD + "\n")
        self.assertFalse(old.exists())
        self.assertTrue(new.exists())

    def test_a_child_that_ends(self):
        code = """
import os, sys, warnings, einc
import numpy as np
warnings.simplefilter("ignore")
os.environ["XDG_CACHE_HOME"] = "/proc"
path = einc.load(sys.argv[1], einc=sys.argv[2]).path
if not os.fork():
    sys.exit(0)
os.wait()
print(path.exists())
import shutil
shutil.rmtree(path.parent.parent)
print(einc.load(sys.argv[1] + "\\n", einc=sys.argv[2]).path.exists())
"""
        done = subprocess.run([sys.executable, "-c", code, ADD, str(self.einc)], env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
                              stdout=subprocess.PIPE, text=True, check=True)
        self.assertEqual(done.stdout, "True\nTrue\n")

    def test_a_folder_that_others_may_write(self):
        own = self.folder / "own"
        self.load(cache=own)
        for mode in (0o777, 0o770):
            own.chmod(mode)
            with warnings.catch_warnings(record=True) as said:
                warnings.simplefilter("always")
                self.assertNotIn(own, einc.load(ADD, einc=self.einc, cache=own).path.parents)
            self.assertIn("others may write there; chmod go-w mends it", str(said[0].message))
        own.chmod(0o700)
        try:
            os.chown(own, 12345, 12345)
        except OSError:
            return  # who is not root, or in a sandbox that knows one user, cannot give it away
        if os.geteuid() == 0:
            with self.assertWarnsRegex(UserWarning, "it belongs to another user"):
                self.assertNotIn(own, einc.load(ADD, einc=self.einc, cache=own).path.parents)

    def test_a_lock_that_is_a_link(self):
        self.load()
        (lock,) = self.cache.glob("*.lock")
        (entry,) = self.entries()
        (entry / "entry.json").unlink()
        lock.unlink()
        lock.symlink_to(self.folder / "elsewhere")
        self.refused(einc.Error, "cannot keep what is compiled in", self.load)
        self.assertFalse((self.folder / "elsewhere").exists())

    def test_the_compiler_that_einc_takes(self):
        self.load()
        other = self.folder / "cc"
        other.touch()
        told = self.einc.read_text().replace(f"exec {os.environ['EINC']} --version", f'echo "C compiler: {other} (cc 1)"; exit')
        self.einc.write_text(told)
        for i in range(2):  # another compiler, and another build of it
            os.utime(other, (i, i))
            self.load()
            self.load()
            self.assertEqual(self.runs(), 2 + i)

    def test_without_a_home(self):
        os.environ.pop("XDG_CACHE_HOME")
        with unittest.mock.patch("os.path.expanduser", lambda path: path):  # as it is where there is none
            with self.assertWarnsRegex(UserWarning, "no home folder"):
                self.load()
            with self.assertRaises(einc.Error):
                einc.cache.size()

    def test_an_empty_place(self):
        shutil.rmtree(self.folder / "cache", ignore_errors=True)
        einc.cache.clear()
        einc.cache.trim()
        self.assertEqual(einc.cache.size(), 0)
        os.environ["XDG_CACHE_HOME"] = "relative"  # which the standard says to ignore
        self.assertEqual(einc.cache.folder(), pathlib.Path("~/.cache/einc").expanduser())


if __name__ == "__main__":
    unittest.main()
