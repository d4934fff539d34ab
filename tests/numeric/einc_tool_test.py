# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""How cases that may end their process are counted."""

import contextlib
import io
import os
import signal
import sys
import unittest

from tests.numeric import einc_tool


def counted(given):
    cases = einc_tool.Cases()
    with contextlib.redirect_stdout(io.StringIO()):
        good = cases.run_all_apart(given)
    return good, cases.passed, cases.failures


class Apart(unittest.TestCase):
    def test_messages(self):
        def fails():
            raise ValueError("no")

        given = [("good", lambda: None), ("bad", lambda: "it is wrong"), ("raises", fails), ("after", lambda: "")]
        self.assertEqual(counted(given), (False, 2, ["bad", "raises"]))

    def test_a_case_that_ends_its_process(self):
        crash = lambda: os.kill(os.getpid(), signal.SIGSEGV)
        given = [("first", lambda: None), ("crash", crash), ("exit", lambda: os._exit(0)), ("last", lambda: None)]
        self.assertEqual(counted(given), (False, 2, ["crash", "exit"]))

    def test_a_generator_runs_beside_its_cases(self):
        """What a case of it sees is what it was made for, in a process that went on after a crash, too."""
        def cases():
            for i in range(5):
                yield f"{i}", lambda: os.abort() if i == 2 else f"saw {i}" if i == 4 else None

        self.assertEqual(counted(cases()), (False, 3, ["2", "4"]))

    def test_a_generator_that_fails(self):
        def cases(ends):
            yield "first", lambda: None
            ends()

        for ends in (os.abort, sys.exit):
            self.assertEqual(counted(cases(ends)), (False, 1, ["after 1 cases"]))

    def test_none(self):
        self.assertEqual(counted([]), (True, 0, []))


if __name__ == "__main__":
    unittest.main()
