#!/usr/bin/python3
# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Draws the picture of README.md from what the suite `picture` measured.

  tools/bench picture --json docs/pictures/speed.json      times everything again, on a quiet machine
  tests/bench/picture.py                                    draws docs/pictures/speed.svg from it
  tests/bench/picture.py --check                            says whether the picture is what would be drawn

A row is a case. The line in the middle is Einc; a mark is a library, left of the line if it takes longer than Einc and
right of it if it is faster. What a library does not do has no mark.
"""

import argparse
import datetime
import html
import json
import math
import pathlib
import sys

ROOT = pathlib.Path(__file__).absolute().parents[2]
JSON, SVG = "docs/pictures/speed.json", "docs/pictures/speed.svg"

# Title, the contestants of which the best counts, colour, shape.
PEERS = [
    ("OpenBLAS", ("openblas", "openblas-fit"), "#d1495b", "circle"),
    ("BLIS", ("blis",), "#8d6a9f", "square"),
    ("oneDNN", ("dnnl", "dnnl-blocked", "dnnl-reorder"), "#2a7f9e", "diamond"),
    ("LIBXSMM", ("xsmm",), "#e08e1b", "triangle"),
    ("Eigen", ("eigen",), "#5a8f3c", "cross"),
]
WIDTH, LEFT, RIGHT, TOP, ROW = 900, 316, 800, 86, 24
SLOWEST, FASTEST = 1 / 32, 2  # the ends of the axis, in Einc's speed
NOISE = 0.1
SIZE, GLYPH = 12, 0.6  # of letters: their height, and the width of an average one over it


def timed(result, names):
    return [c for c in result["contestants"] if c["name"] in names and c["standing"] == "timed"]


def row(case):
    """(name, Einc's rate, {peer: its speed over Einc's})."""
    result = case["result"]
    einc = timed(result, ("einc",))[0]
    operations, moved = result["work"]["operations"], result["work"]["bytes"]
    seconds = einc["median_seconds"]
    rate = f"{operations / seconds / 1e9:.0f} Gop/s" if einc["of_peak"] >= einc["of_copy"] and operations else f"{moved / seconds / 1e9:.0f} GB/s"
    speeds = {}
    for title, names, _, _ in PEERS:
        found = [1 / c["ratio"] for c in timed(result, names) if c.get("ratio")]
        if found:
            speeds[title] = max(found)
    return case["case"], rate, speeds


def place(speed):
    at = math.log2(min(max(speed, SLOWEST), FASTEST) / SLOWEST) / math.log2(FASTEST / SLOWEST)
    return LEFT + at * (RIGHT - LEFT)


def mark(shape, colour, x, y, r=5):
    paint = f'fill="{colour}" fill-opacity="0.85"'
    if shape == "circle":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{r}" {paint}/>'
    if shape == "square":
        return f'<rect x="{x - r + 0.5:.1f}" y="{y - r + 0.5:.1f}" width="{2 * r - 1}" height="{2 * r - 1}" {paint}/>'
    if shape == "diamond":
        return f'<path d="M{x:.1f} {y - r - 1:.1f} L{x + r + 1:.1f} {y:.1f} L{x:.1f} {y + r + 1:.1f} L{x - r - 1:.1f} {y:.1f} Z" {paint}/>'
    if shape == "triangle":
        return f'<path d="M{x:.1f} {y - r:.1f} L{x + r:.1f} {y + r:.1f} L{x - r:.1f} {y + r:.1f} Z" {paint}/>'
    return f'<path d="M{x - r:.1f} {y - r:.1f} L{x + r:.1f} {y + r:.1f} M{x - r:.1f} {y + r:.1f} L{x + r:.1f} {y - r:.1f}" stroke="{colour}" stroke-width="2.4"/>'


def text(x, y, words, anchor="start", size=SIZE, colour="#222222"):
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" fill="{colour}">{html.escape(words)}</text>'


def is_noisy(case):
    """Whether a time that the picture shows varied by more than NOISE from sample to sample."""
    shown = [c for _, names, _, _ in [("", ("einc",), "", ""), *PEERS] for c in sorted(timed(case["result"], names), key=lambda c: c["median_seconds"])[:1]]
    return max(c.get("spread", 0) for c in shown) > NOISE


def versions(cases):
    """What each library says that it is, at the first case that it does."""
    said = {}
    for title, names, _, _ in PEERS:
        for case in cases:
            found = timed(case["result"], names)
            if found:
                what = sorted(found, key=lambda c: c["median_seconds"])[0]["what"]
                # Kernels that were not made for this CPU are said to be so.
                said[title] = what if "generic" in what else what.split(",")[0]
                break
    return said


def heading(data, cases):
    machine = cases[0]["result"]["machine"]
    day = data.get("date") or cases[0]["result"].get("date", "")
    return f"{machine['cpu']} ({machine['target'].removeprefix('native (').removesuffix(')')}), one thread{', ' + day if day else ''}"


def draw(data):
    cases = data["cases"]
    rows = [row(case) for case in cases]
    noisy = [is_noisy(case) for case in cases]
    bottom = TOP + ROW * len(rows)
    height = bottom + 78
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="Helvetica, Arial, sans-serif" role="img">',
             "<title>The speed of five libraries beside Einc's</title>",
             f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
             text(16, 24, "How fast five libraries are, beside Einc", size=16),
             text(WIDTH - 16, 24, heading(data, cases), "end", colour="#555555")]  # fmt: skip
    x, said = 16, versions(cases)
    for title, _, colour, shape in PEERS:
        words = said.get(title, title)
        parts += [mark(shape, colour, x + 6, 48), text(x + 18, 52, words)]
        x += 18 + len(words) * SIZE * GLYPH + 28
    parts += [f'<rect x="8" y="{TOP + ROW * number}" width="{WIDTH - 16}" height="{ROW}" fill="#f4f5f7"/>' for number in range(0, len(rows), 2)]
    for exponent in range(round(math.log2(SLOWEST)), round(math.log2(FASTEST)) + 1):
        at = place(2.0**exponent)
        is_einc = exponent == 0
        parts.append(f'<line x1="{at:.1f}" y1="{TOP}" x2="{at:.1f}" y2="{bottom}" stroke="{"#222222" if is_einc else "#cccccc"}" stroke-width="{2 if is_einc else 1}"/>')
        parts.append(text(at, bottom + 16, "Einc" if is_einc else f"1/{2**-exponent}" if exponent < 0 else f"{2**exponent} x", "middle"))
    parts.append(text(WIDTH - 16, TOP - 8, "Einc alone", "end", colour="#555555"))
    for number, (name, rate, speeds) in enumerate(rows):
        y = TOP + ROW * (number + 0.5)
        parts += [text(16, y + 4, name + (" *" if noisy[number] else "")), text(WIDTH - 16, y + 4, rate, "end", colour="#555555")]
        for title, _, colour, shape in PEERS:
            if title in speeds:
                parts.append(mark(shape, colour, place(speeds[title]), y))
        if not speeds:
            parts.append(text(place(2**-2.5), y + 4, "not compared: einc bench knows no function for it", "middle", colour="#888888"))
    parts += [text(place(2**-2.5), bottom + 36, "slower than Einc", "middle", colour="#555555"),
              text(place(2**0.5), bottom + 36, "faster", "middle", colour="#555555"),
              text(16, bottom + 54, "Of several kernels or layouts of a library the fastest counts; getting into its own layout is not counted.", size=11, colour="#555555"),
              text(16, bottom + 70, "A mark at the left edge stands for 1/32 and less." + (f" * Times varied by more than {NOISE:.0%}." if any(noisy) else ""), size=11, colour="#555555"),
              "</svg>"]  # fmt: skip
    return "\n".join(parts) + "\n"


def dated(path):
    """The measurement, with the day on which it was made; put in the first time, as the run says none."""
    data = json.loads(path.read_text())
    if "date" not in data:
        data["date"] = datetime.date.fromtimestamp(path.stat().st_mtime).isoformat()
        path.write_text(json.dumps(data, indent=1) + "\n")
    return data


def main(argv):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare with the picture there is, and write nothing")
    options = parser.parse_args(argv)
    if options.check:
        up_to_date = draw(json.loads((ROOT / JSON).read_text())) == (ROOT / SVG).read_text()
        print(f"{SVG} is {'what tests/bench/picture.py draws' if up_to_date else 'not up to date: run tests/bench/picture.py'}")
        return 0 if up_to_date else 1
    (ROOT / SVG).write_text(draw(dated(ROOT / JSON)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
