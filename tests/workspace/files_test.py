# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""The files that the rules leave, besides what compiles: op definitions and the manifest."""

import ctypes
import json
import pathlib
import unittest

KERNELS = pathlib.Path("kernels")


class FilesTest(unittest.TestCase):
    def test_op_definitions(self):
        text = (KERNELS / "LinearOps.td").read_text()
        self.assertIn("MatmulOp", text)
        self.assertIn("AddOp", text)
        self.assertIn("MatmulOp::", (KERNELS / "LinearOps.cpp.inc").read_text())

    def test_historic_macro_gives_the_same(self):
        for extension in [".td", ".cpp.inc"]:
            self.assertEqual(
                (KERNELS / ("Historic" + extension)).read_bytes(),
                (KERNELS / ("LinearOps" + extension)).read_bytes(),
            )

    def test_manifest_and_library(self):
        manifest = json.loads((KERNELS / "strided.json").read_text())
        self.assertIn("fixed_conv", json.dumps(manifest))
        self.assertTrue(list(KERNELS.glob("libstrided*.a")))

    def test_shared_library_shows_kernels_alone(self):
        library = ctypes.CDLL(str((KERNELS / "libstrided.so").absolute()))
        self.assertTrue(library.fixed_conv)
        self.assertFalse(hasattr(library, "einc_find_cpu"))


if __name__ == "__main__":
    unittest.main()
