# Part of Einc. SPDX-License-Identifier: Apache-2.0
import contextlib
import io
import json
import os
import tempfile
import unittest

from tools import count_test_cases as counting

GOOGLETEST = """<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="4" failures="1" name="AllTests">
  <testsuite name="Parser">
    <testcase name="Reads" status="run" result="completed" classname="Parser" />
    <testcase name="Fails" status="run" result="completed" classname="Parser"><failure/></testcase>
    <testcase name="Off" status="notrun" result="suppressed" classname="Parser" />
    <testcase name="Skips" status="run" result="skipped" classname="Parser"><skipped/></testcase>
  </testsuite>
</testsuites>"""

BAZELS_OWN = """<testsuites><testsuite name="tools/x" tests="1" failures="0" errors="0">
<testcase name="tools/x" status="run"/></testsuite></testsuites>"""


class CountXml(unittest.TestCase):
    def test_googletest(self):
        count = counting.count_xml(GOOGLETEST)
        self.assertEqual((count.passed, count.failed, count.skipped), (1, 1, 2))
        self.assertEqual(count.failures, ["Parser.Fails"])

    def test_what_is_not_googletests(self):
        for text in [BAZELS_OWN, "", "<testsuites>", "<testsuites/>"]:
            self.assertIsNone(counting.count_xml(text))


class CountLog(unittest.TestCase):
    def test_last_sum_counts(self):
        count = counting.count_log("1 passed, 0 failed\nmore\n12 passed, 3 failed\n")
        self.assertEqual((count.passed, count.failed), (12, 3))

    def test_sum_stands_alone_on_its_line(self):
        self.assertIsNone(counting.count_log("in all 1 passed, 0 failed.\n"))

    def test_unittest(self):
        log = "..F.Es\n---\nRan 6 tests in 0.1s\n\nFAILED (failures=1, errors=1, skipped=1)\n"
        count = counting.count_log(log)
        self.assertEqual((count.passed, count.failed, count.skipped), (3, 2, 1))
        self.assertEqual(counting.count_log("\nRan 1 test in 0.1s\n\nOK\n").passed, 1)


class CountRun(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.events = []

    def add(self, label, status, shard=1, millis=0, **outputs):
        actions = []
        for name, text in outputs.items():
            path = os.path.join(self.folder.name, f"{len(self.events)} {name}")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            uri = "file://" + path.replace(" ", "%20")
            actions.append({"name": "test." + name, "uri": uri})
        self.events.append({
            "id": {"testResult": {"label": label, "shard": shard, "run": 1}},
            "testResult": {"status": status, "testActionOutput": actions, "testAttemptDurationMillis": str(millis)},
        })

    def finish(self, code, name):
        self.events.append({
            "id": {"buildFinished": {}},
            "finished": {"exitCode": {"code": code, "name": name}},
        })

    def count(self):
        return counting.count_run("main", [json.dumps(event) for event in self.events])

    def test_each_kind_of_test(self):
        self.add("//a:googletest", "FAILED", xml=GOOGLETEST, log="Running main()")
        self.add("//b:sums", "PASSED", xml=BAZELS_OWN, log="5 passed, 0 failed\n")
        self.add("//c:single", "PASSED", xml=BAZELS_OWN, log="")
        self.finish(3, "TESTS_FAILED")
        count = self.count()
        self.assertEqual((count.passed, count.failed), (7, 1))
        self.assertEqual(count.failures, ["[main] //a:googletest: Parser.Fails"])

    def test_crash_after_cases_that_passed(self):
        self.add("//a:crash", "FAILED", xml=BAZELS_OWN, log="5 passed, 0 failed\n")
        self.finish(3, "TESTS_FAILED")
        self.assertEqual((self.count().passed, self.count().failed), (5, 1))

    def test_timeout_without_outputs(self):
        self.add("//a:slow", "TIMEOUT")
        self.finish(3, "TESTS_FAILED")
        self.assertEqual(self.count().failures, ["[main] //a:slow: timeout"])

    def test_parts_of_a_test(self):
        self.add("//a:parts", "PASSED", shard=1, millis=1500, log="5 passed, 0 failed\n")
        self.add("//a:parts", "PASSED", shard=2, millis=2000, log="2 passed, 0 failed\n")
        self.finish(0, "SUCCESS")
        self.assertEqual(self.count().passed, 7)
        self.assertEqual(self.count().seconds, {"[main] //a:parts": 3.5})

    def test_last_attempt_counts(self):
        self.add("//a:flaky", "FAILED")
        self.add("//a:flaky", "PASSED")
        self.finish(0, "SUCCESS")
        self.assertEqual((self.count().passed, self.count().failed), (1, 0))

    def test_what_did_not_build(self):
        self.events.append({
            "id": {"targetCompleted": {"label": "//a:a"}},
            "completed": {},
        })
        self.finish(1, "BUILD_FAILURE")
        self.assertEqual(self.count().failures, ["[main] //a:a: did not build"])

    def test_what_was_built_and_not_run(self):
        for name, tags in [("ran", []), ("left_out", []), ("long", ["long"]), ("tool", [])]:
            kind = "cc_binary rule" if name == "tool" else "py_test rule"
            self.events.append({"id": {"targetConfigured": {"label": f"//a:{name}"}}, "configured": {"targetKind": kind, "tag": tags}})
            self.events.append({"id": {"targetCompleted": {"label": f"//a:{name}"}}, "completed": {"success": True}})
        self.add("//a:ran", "PASSED", log="")
        self.finish(0, "SUCCESS")
        count = self.count()
        self.assertEqual((count.passed, count.failures), (1, ["[main] //a:left_out: was not run"]))

    def test_bazel_that_failed_by_itself(self):
        self.finish(1, "PARSING_FAILURE")
        self.assertEqual(self.count().failed, 1)

    def test_bazel_that_was_killed(self):
        self.assertEqual(self.count().failures, ["[main] bazel itself: not finished"])

    def test_no_tests(self):
        self.finish(4, "NO_TESTS_FOUND")
        self.assertEqual((self.count().passed, self.count().failed), (0, 0))


class Main(unittest.TestCase):
    def run_main(self, *args):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            status = counting.main(args)
        return status, out.getvalue().splitlines()[-1]

    def test_sums_up(self):
        self.assertEqual(self.run_main("--passed=format"), (0, "1 passed, 0 failed"))
        self.assertEqual(self.run_main("--passed=a", "--failed=b"), (1, "1 passed, 1 failed"))

    def test_nothing_ran(self):
        self.assertEqual(self.run_main(), (1, "0 passed, 0 failed"))

    def test_no_events(self):
        self.assertEqual(self.run_main("--passed=a", "main=/no/file")[0], 1)


if __name__ == "__main__":
    unittest.main()
