# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""What the benchmark of specs found: a table with the worst first, a histogram, figures to reach, a picture."""

import html
import math
import statistics

BINS = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.1, math.inf]
# What every op is to reach: (what, of the shares, reach, whether less is better)
FIGURES = [
    ("worst", min, 0.5, False),
    ("part below 0.7", lambda s: sum(x < 0.7 for x in s) / len(s), 0.05, True),
    ("median", statistics.median, 0.95, False),
    ("geometric mean", lambda s: math.exp(statistics.fmean(math.log(max(x, 1e-6)) for x in s)), 0.9, False),
]
# The same of specs that nobody tuned.
RANDOM_FIGURES = [
    ("worst", min, 0.4, False),
    ("part below 0.6", lambda s: sum(x < 0.6 for x in s) / len(s), 0.1, True),
    ("median", statistics.median, 0.9, False),
]


def time_text(seconds):
    for unit, factor in (("s", 1), ("ms", 1e3), ("us", 1e6)):
        if seconds * factor >= 1:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def line(entry):
    rate = f"{entry['bytes'] / entry['seconds'] / 1e9:6.1f} GB/s {entry['operations'] / entry['seconds'] / 1e9:6.1f} Gop/s"
    return (f"{entry['share']:5.2f}  {entry['def']:36} {entry['level']:6} {time_text(entry['seconds']):>8} {rate}  {entry['bound']:10} "
            f"+-{100 * entry['spread']:3.0f}%{'  NOISY' if entry['noisy'] else ''}  {entry['sizes']}")


def histogram(shares):
    lines = []
    for low, high in zip(BINS, BINS[1:]):
        count = sum(low <= s < high for s in shares)
        title = f"{low:.1f} to {high:.1f}" if high < math.inf else f"{low:.1f} and more"
        lines.append(f"{title:13} {count:4} {'#' * math.ceil(count * 60 / max(len(shares), 1))}")
    return lines


def figures(entries, wanted):
    shares = [e["share"] for e in entries]
    found = []
    for what, take, reach, less in wanted:
        value = take(shares)
        found.append({"figure": what, "value": value, "reach": reach, "reached": value <= reach if less else value >= reach})
    return found


def figure_line(figure, count):
    verdict = "reached" if figure["reached"] else "NOT REACHED"
    return f"{figure['figure']}: {figure['value']:.3g} of {count} cases; to reach {figure['reach']:g}: {verdict}"


def compared_lines(entries):
    """Where two libraries differ by more than the spread, the slower ones first."""
    differing = sorted((e for e in entries if abs(e["ratio"] - 1) > max(e["ratio_spread"], 0.03)), key=lambda e: e["ratio"])
    lines = [f"{e['ratio']:5.2f}  {e['def']:36} {e['level']:6} {time_text(e['seconds'])}, the other {time_text(e['other_seconds'])}, "
             f"+-{100 * e['ratio_spread']:.0f}%  {e['sizes']}" for e in differing]  # fmt: skip
    slower = sum(e["ratio"] < 1 for e in differing)
    mean = math.exp(statistics.fmean(math.log(e["ratio"]) for e in entries))
    return [*lines, f"as fast as the other einc: geometric mean {mean:.3f} of {len(entries)} cases; "
            f"{slower} slower and {len(differing) - slower} faster by more than their spread"]  # fmt: skip


def picture(entries, title):
    """The histogram, and each case's share in the order of shares, coloured by level."""
    shares = sorted(entries, key=lambda e: e["share"])
    colours = dict(zip(dict.fromkeys(e["level"] for e in entries), ("#1f77b4", "#ff7f0e", "#2ca02c", "#9467bd")))
    parts = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 860 560" font-family="sans-serif" font-size="12">',
             '<rect width="860" height="560" fill="white"/>', f'<text x="60" y="24">{html.escape(title)}</text>']  # fmt: skip
    y = lambda share: 260 - 200 * min(share, 1.25) / 1.25
    for mark in (0, 0.25, 0.5, 0.75, 1, 1.25):
        parts.append(f'<line x1="60" y1="{y(mark):.1f}" x2="800" y2="{y(mark):.1f}" stroke="#dddddd"/>')
        parts.append(f'<text x="52" y="{y(mark) + 4:.1f}" text-anchor="end">{mark:g}</text>')
    for number, entry in enumerate(shares):
        x = 60 + 740 * (number + 0.5) / len(shares)
        what = html.escape(f"{entry['def']} {entry['level']} {entry['sizes']}: {entry['share']:.2f}")
        parts.append(f'<circle cx="{x:.1f}" cy="{y(entry["share"]):.1f}" r="2.5" fill="{colours[entry["level"]]}"><title>{what}</title></circle>')
    for number, (level, colour) in enumerate(colours.items()):
        parts.append(f'<circle cx="{70 + 90 * number}" cy="46" r="4" fill="{colour}"/><text x="{80 + 90 * number}" y="50">{level}</text>')
    parts.append('<text x="430" y="284" text-anchor="middle">cases, by their share of the roofline</text>')
    most = max(sum(low <= e["share"] < high for e in entries) for low, high in zip(BINS, BINS[1:]))
    width = 740 / (len(BINS) - 1)
    for number, (low, high) in enumerate(zip(BINS, BINS[1:])):
        count = sum(low <= e["share"] < high for e in entries)
        x, height = 60 + width * number, 190 * count / most
        parts.append(f'<rect x="{x + 3:.1f}" y="{510 - height:.1f}" width="{width - 6:.1f}" height="{height:.1f}" fill="#1f77b4"/>')
        parts.append(f'<text x="{x + width / 2:.1f}" y="{504 - height:.1f}" text-anchor="middle">{count}</text>')
        parts.append(f'<text x="{x:.1f}" y="530" text-anchor="middle">{low:g}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"
