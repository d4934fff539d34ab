# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Where einc and the specs are, and a cache for this test alone."""

import os
import pathlib
import tempfile
import unittest


def _find(path):
    """A file of the workspace, in Bazel's runfiles or in a checkout after `bazel build`."""
    here = pathlib.Path(__file__).resolve().parents[2]
    for root in [pathlib.Path(os.environ.get("TEST_SRCDIR", "/none")) / os.environ.get("TEST_WORKSPACE", ""), here / "bazel-bin", here]:
        if (root / path).exists():
            return (root / path).resolve()
    raise SystemExit(f"{path} is neither here nor built; run this with `bazel test`, or build //tools:einc first")


SCRATCH = pathlib.Path(tempfile.mkdtemp(prefix="einc-python-", dir=os.environ.get("TEST_TMPDIR")))
os.environ["XDG_CACHE_HOME"] = str(SCRATCH / "cache")
os.environ["EINC"] = os.environ.get("EINC") or str(_find("tools/einc"))
SPECS = _find("specs/matmul.tc").parent

DENSE = '''
def dense(A: f32(M, K), B: f32(K, N), bias: f32(N)) -> (Y: f32(M, N))
"""Y = max(A B + bias, 0)"""
{
  T(m, n) +=! A(m, k) * B(k, n);
  Y(m, n) = max(T(m, n) + bias(n), 0.0);
}
'''
ADD = "def add(A: f32(N), B: f32(N)) -> (C: f32(N)) {\n  C(n) = A(n) + B(n);\n}\n"


class Test(unittest.TestCase):
    """One with the texts of exceptions at hand."""

    maxDiff = None

    def refused(self, kind, text, function, *args, **kwargs):
        """The exception that this raises, in whose text `text` stands."""
        with self.assertRaises(kind) as caught:
            function(*args, **kwargs)
        self.assertIn(text, str(caught.exception))
        return caught.exception
