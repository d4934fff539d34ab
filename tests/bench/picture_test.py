# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""The picture of README.md is what its script draws from the figures beside it, and no label hides another."""

import html
import itertools
import json
import re

from tests.bench import picture, suite


def drawn():
    return picture.draw(json.loads((picture.ROOT / picture.JSON).read_text()))


def boxes(svg):
    """(words, left, top, right, bottom) of each label, with letters somewhat wider than most fonts have them."""
    for x, y, size, anchor, words in re.findall(r'<text x="([\d.]+)" y="([\d.]+)" font-size="(\d+)" text-anchor="(\w+)" fill="#\w+">([^<]*)<', svg):
        words = html.unescape(words)
        width = len(words) * int(size) * picture.GLYPH
        left = float(x) - {"start": 0, "middle": width / 2, "end": width}[anchor]
        yield words, left, float(y) - int(size), left + width, float(y) + 2


def is_up_to_date():
    assert picture.main(["--check"]) == 0


def labels_are_apart():
    labels = list(boxes(drawn()))
    assert len(labels) > 30, labels
    for words, left, _, right, _ in labels:
        assert 0 <= left and right <= picture.WIDTH, words
    for a, b in itertools.combinations(labels, 2):
        assert a[3] <= b[1] or b[3] <= a[1] or a[4] <= b[2] or b[4] <= a[2], (a, b)


def marks_are_apart_from_names():
    cases = {case["case"] for case in json.loads((picture.ROOT / picture.JSON).read_text())["cases"]}
    names = [box for box in boxes(drawn()) if box[0].removesuffix(" *") in cases]
    assert len(names) == len(cases) and all(box[3] < picture.LEFT - 8 for box in names), names


def has_the_cases_of_the_suite():
    shown = [case["case"] for case in json.loads((picture.ROOT / picture.JSON).read_text())["cases"]]
    wanted = [name for name, _, _ in suite.cases(suite.load("picture"), False)]
    assert shown == wanted, (shown, wanted)


def a_faster_library_is_right_of_einc():
    def contestant(name, **more):
        return {"name": name, "standing": "timed", "what": f"{name} 1", "median_seconds": 1.0, "of_peak": 1, "of_copy": 0, **more}

    case = {"case": "c", "result": {"contestants": [contestant("einc"), contestant("blis", ratio=0.5), contestant("xsmm", ratio=2.0),
                                                    {"name": "eigen", "standing": "not installed"}],
                                    "work": {"operations": 1e9, "bytes": 1}}}  # fmt: skip
    name, rate, speeds = picture.row(case)
    assert (name, rate, speeds) == ("c", "1 Gop/s", {"BLIS": 2.0, "LIBXSMM": 0.5}), (name, rate, speeds)
    assert picture.place(2.0) > picture.place(1.0) > picture.place(0.5)


def main():
    failed = 0
    tests = [is_up_to_date, labels_are_apart, marks_are_apart_from_names, has_the_cases_of_the_suite, a_faster_library_is_right_of_einc]
    for test in tests:
        try:
            test()
        except AssertionError as error:
            failed += 1
            print(f"FAILED {test.__name__}: {error}")
    print(f"{len(tests) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
