# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""A call costs less than 1.5 us more than one by ctypes, or, on a slow machine, less than eight of those.

Each time is the least of many short batches, as others may use the CPU; and where they do so all the time, it is
measured again."""

import unittest

import overhead
import support

LIMIT = 1500  # nanoseconds
SLOW = 8  # calls by ctypes alone: what they take tells how fast the machine is
TRIES = 5


class Overhead(support.Test):
    def test_calls(self):
        over = {}
        for _ in range(TRIES):
            more = {name: (alone, max(others) - alone) for name, (alone, *others) in overhead.measure(runs=400)}
            over = {name: t for name, (alone, t) in more.items() if t >= max(LIMIT, SLOW * alone)}
            if not over:
                return
        self.fail(f"calls cost too many nanoseconds more than by ctypes: {over}")


if __name__ == "__main__":
    unittest.main()
