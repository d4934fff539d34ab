# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Libraries that were built before, by einc build --shared or by others, with their manifests."""

import json
import os
import shutil
import subprocess
import unittest

import numpy as np

import einc
from support import DENSE, SCRATCH, Test

OUT = SCRATCH / "out"


class Open(Test):
    @classmethod
    def setUpClass(cls):
        (SCRATCH / "dense.tc").write_text(DENSE)
        command = [os.environ["EINC"], "build", SCRATCH / "dense.tc", "--target=native", "--prefix=my_", "-o", OUT]
        subprocess.run([*command, "--shared"], check=True)
        subprocess.run([*command, "--name=static"], check=True)

    def works(self, library):
        A, B, bias = np.ones((2, 3), np.float32), np.ones((3, 4), np.float32), np.array([0, 1, 2, -9], np.float32)
        for _ in range(2):
            np.testing.assert_array_equal(library.dense(A, B, bias), [[3, 4, 5, 0]] * 2)

    def test_a_library(self):
        self.works(einc.open(OUT / "libdense.so"))
        self.works(einc.open(str(OUT / "libdense.so"), manifest=OUT / "dense.json"))
        self.works(einc.open(OUT))

    def test_from_the_folder_itself(self):
        before = os.getcwd()
        os.chdir(OUT)
        self.addCleanup(os.chdir, before)
        self.works(einc.open("libdense.so"))

    def test_with_a_version_and_elsewhere(self):
        place = SCRATCH / "installed"
        (place / "share").mkdir(parents=True)
        shutil.copy(OUT / "libdense.so", place / "libdense.so.1.2")
        shutil.copy(OUT / "dense.json", place / "share" / "dense.json")
        self.works(einc.open(place / "libdense.so.1.2", manifest=place / "share" / "dense.json"))
        self.refused(einc.LibraryError, f"there is no {place / 'dense.json'}, the manifest of libdense.so.1.2", einc.open, place / "libdense.so.1.2")
        shutil.copy(OUT / "dense.json", place)
        self.works(einc.open(place / "libdense.so.1.2"))

    def test_what_is_no_library(self):
        self.refused(einc.LibraryError, "there is no /no/libx.so", einc.open, "/no/libx.so")
        self.refused(einc.LibraryError, "static library; einc build --shared", einc.open, OUT / "libstatic.a")
        empty = SCRATCH / "empty"
        empty.mkdir()
        self.refused(einc.LibraryError, "has no lib*.so; einc build --shared makes one", einc.open, empty)
        (empty / "libtext.so").write_text("text")
        shutil.copy(OUT / "dense.json", empty / "text.json")
        self.refused(einc.LibraryError, "cannot load", einc.open, empty)
        (empty / "libother.so").write_text("text")
        self.refused(einc.LibraryError, "several libraries, libother.so, libtext.so", einc.open, empty)

    def test_what_is_no_manifest(self):
        facts = json.loads((OUT / "dense.json").read_text())
        path = SCRATCH / "wrong.json"

        def refused(text, content):
            path.write_text(content)
            self.refused(einc.LibraryError, text, lambda: einc.open(OUT / "libdense.so", manifest=path).dense)

        refused("is not a manifest", "{")
        refused("is not a manifest of this version", "[]")
        refused("is not a manifest of this version", json.dumps({**facts, "einc_manifest": 2}))
        refused("is not a whole manifest", '{"einc_manifest": 1}')
        refused("is not a whole manifest", json.dumps({**facts, "kernels": [{**facts["kernels"][0], "arguments": [5]}]}))
        refused("does not list the arguments of dense", json.dumps({**facts, "kernels": [{k: v for k, v in facts["kernels"][0].items() if k != "arguments"}]}))
        refused("the library has no function other", json.dumps({**facts, "kernels": [{**facts["kernels"][0], "function": "other"}]}))
        refused("no expression", json.dumps(facts).replace('"shape": ["M", "K"]', '"shape": ["M ^ 2", "K"]'))
        path.unlink()
        self.refused(einc.LibraryError, "cannot read the manifest", einc.open, OUT / "libdense.so", manifest=path)


if __name__ == "__main__":
    unittest.main()
