# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""A call costs less than 1.5 us more than one by ctypes; here a generous limit, as others may use the CPU."""

import unittest

import overhead
import support

LIMIT = 4000  # nanoseconds


class Overhead(support.Test):
    def test_calls(self):
        for name, (alone, *others) in overhead.measure(runs=100):
            for time in others:
                self.assertLess(time - alone, LIMIT, name)


if __name__ == "__main__":
    unittest.main()
