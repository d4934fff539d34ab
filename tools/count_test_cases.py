# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Counts the test cases that Bazel ran; the last lines of tools/test.

    count_test_cases.py [--times] [--passed=CASE]... [--failed=CASE]... [RUN=EVENTS]...

EVENTS is what `bazel test --build_event_json_file=EVENTS` wrote. It says which tests this run asked
for and where their results are, those from the cache among them; bazel-testlogs also holds results
of tests that are no more. A test that is a program of many cases counts as many:

  GoogleTest          its XML names them
  Python's unittest   the log ends with "Ran N tests", and "FAILED (failures=N)" if so
  anything else       the log may have a line "N passed, N failed"; without one, it is one case

A test that failed without a failed case (it crashed, hung, did not build, or was built and left out though no tag of
its own says so: -long leaves out what is `large`, too) counts as one.
CASE is one more, run by the caller. --times also prints what the slowest tests took. Exits 1 when
anything failed or nothing ran.
"""

import json
import re
import sys
import urllib.parse
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field


LEFT_OUT = {"long", "fuzz", "manual"}  # tags of tests that are asked for by name


@dataclass
class Count:
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    failures: list = field(default_factory=list)  # names of failed cases, for people
    seconds: dict = field(default_factory=dict)  # of each test that was run and not taken from the cache

    def add(self, other):
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped
        self.failures += other.failures
        self.seconds.update(other.seconds)

    @staticmethod
    def failure(name):
        return Count(failed=1, failures=[name])


def count_xml(text):
    """Counts the cases that GoogleTest's XML names, or returns None if this is not GoogleTest's."""
    try:
        cases = list(ElementTree.fromstring(text).iter("testcase"))
    except ElementTree.ParseError:
        return None
    # Bazel writes an XML of its own for a test that wrote none; its one case has no class.
    if not cases or any("classname" not in case.attrib for case in cases):
        return None
    count = Count()
    for case in cases:
        if case.find("failure") is not None or case.find("error") is not None:
            count.add(Count.failure(f"{case.get('classname')}.{case.get('name')}"))
        elif case.get("status") == "notrun" or case.find("skipped") is not None:
            count.skipped += 1
        else:
            count.passed += 1
    return count


def count_log(text):
    """Counts the cases that a log sums up, or returns None if it does not."""
    sums = re.findall(r"^(\d+) passed, (\d+) failed$", text, re.MULTILINE)
    if sums:
        return Count(passed=int(sums[-1][0]), failed=int(sums[-1][1]))
    ran = re.findall(r"^Ran (\d+) tests? in ", text, re.MULTILINE)
    if ran:
        end = text[text.rindex("\nRan "):]
        numbers = {key: int(n) for key, n in re.findall(r"(\w+)=(\d+)", end)}
        failed = numbers.get("failures", 0) + numbers.get("errors", 0)
        skipped = numbers.get("skipped", 0)
        return Count(int(ran[-1]) - failed - skipped, failed, skipped)
    return None


def read_output(result, name):
    for output in result.get("testActionOutput", []):
        if output["name"] == name:
            path = urllib.parse.unquote(urllib.parse.urlparse(output["uri"]).path)
            try:
                with open(path, encoding="utf-8", errors="replace") as file:
                    return file.read()
            except OSError:
                return ""
    return ""


def count_result(label, result):
    """Counts one run (or one shard) of a test."""
    ok = result["status"] == "PASSED"
    count = count_xml(read_output(result, "test.xml"))
    if count is None:
        count = count_log(read_output(result, "test.log"))
    if count is None:
        count = Count(passed=1) if ok else Count()
    if not ok and count.failed == 0:
        count.add(Count.failure(result["status"].lower()))
    count.failures = [f"{label}: {failure}" for failure in count.failures]
    unnamed = count.failed - len(count.failures)
    if unnamed:
        count.failures.append(f"{label}: {unnamed} cases")
    return count


def count_run(name, lines):
    """Counts all tests of one `bazel test`, from the lines of its events."""
    results = {}  # (label, shard) to the result of its last attempt
    broken, built, ordinary = [], set(), set()
    exit_code = {"code": -1, "name": "not finished"}
    for event in map(json.loads, lines):
        identity = event["id"]
        if "testResult" in event:
            test = identity["testResult"]
            results[test["label"], test.get("shard", 1), test.get("run", 1)] = event["testResult"]
        elif "targetConfigured" in identity:
            rule = event.get("configured", {})
            if rule.get("targetKind", "").endswith("_test rule") and not LEFT_OUT & set(rule.get("tag", [])):
                ordinary.add(identity["targetConfigured"]["label"])
        elif "targetCompleted" in identity:
            label = identity["targetCompleted"]["label"]
            if event.get("completed", {}).get("success"):
                built.add(label)
            else:
                broken.append(label)
        elif "finished" in event:
            exit_code = event["finished"].get("exitCode", {"code": 0, "name": "SUCCESS"})
    total = Count()
    for (label, _, _), result in sorted(results.items()):
        total.add(count_result(label, result))
        if not result.get("cachedLocally"):
            key = f"[{name}] {label}"
            total.seconds[key] = total.seconds.get(key, 0) + int(result.get("testAttemptDurationMillis", 0)) / 1000
    for label in sorted(set(broken) - {label for label, _, _ in results}):
        total.add(Count.failure(f"{label}: did not build"))
    if exit_code.get("code", 0) in (0, 3):
        for label in sorted(built & ordinary - {label for label, _, _ in results}):
            total.add(Count.failure(f"{label}: was not run"))
    # 3: tests failed. 4: there were none, which is for the caller to judge.
    if total.failed == 0 and exit_code.get("code", 0) not in (0, 4):
        total.add(Count.failure(f"bazel itself: {exit_code['name']}"))
    total.failures = [f"[{name}] {failure}" for failure in total.failures]
    return total


def print_times(seconds):
    """The slowest tests, and all together; of each the time on the clock, with others beside it."""
    print(f"\n{sum(seconds.values()):7.1f} s  all {len(seconds)} tests that were run")
    for label, took in sorted(seconds.items(), key=lambda item: (-item[1], item[0]))[:25]:
        print(f"{took:7.1f} s  {label}")


def main(args):
    total = Count()
    for arg in [a for a in args if a != "--times"]:
        key, _, value = arg.partition("=")
        if key == "--passed":
            total.passed += 1
        elif key == "--failed":
            total.add(Count.failure(value))
        else:
            try:
                with open(value, encoding="utf-8") as lines:
                    total.add(count_run(key, lines))
            except (OSError, ValueError):
                total.add(Count.failure(f"[{key}] bazel itself: no readable events in {value}"))
    if "--times" in args:
        print_times(total.seconds)
    print()
    for failure in total.failures:
        print(f"failed: {failure}")
    if total.skipped:
        print(f"({total.skipped} skipped)")
    print(f"{total.passed} passed, {total.failed} failed")
    return 1 if total.failed or not total.passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
