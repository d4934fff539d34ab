# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Links of all pages lead somewhere, each page can be reached from the first, and it is as short as was promised."""

import os
import pathlib
import sys

from tests.docs import pages

ROOT = pathlib.Path(__file__).absolute().parents[2]
FIRST_PAGE_LINES = 120


def at(page, path):
    """Where a link of the page leads. Links of the file system are left alone: tests run among such."""
    return pathlib.Path(os.path.normpath(page.parent / path))


def broken(page):
    for link in pages.links(page.read_text()):
        if "://" in link or link.startswith("mailto:"):
            continue
        path, _, anchor = link.partition("#")
        target = at(page, path) if path else page
        if path and not (ROOT in target.parents and target.exists()):
            yield f"{page.relative_to(ROOT)}: no file {path}"
        elif anchor and target.suffix == ".md" and anchor not in pages.anchors(target.read_text()):
            yield f"{page.relative_to(ROOT)}: no heading #{anchor} in {path or 'this page'}"


def reached(page, seen):
    if page in seen or page.suffix != ".md" or not page.exists():
        return
    seen.add(page)
    for link in pages.links(page.read_text()):
        if "://" not in link and link.partition("#")[0]:
            reached(at(page, link.partition("#")[0]), seen)


def main():
    first = ROOT / "README.md"
    others = [path for folder in ("docs", "compiler", "runtime", "tests") for path in sorted((ROOT / folder).rglob("*.md"))]
    said = [line for page in [first, *others] for line in broken(page)]
    seen = set()
    reached(first, seen)
    said += [f"{page.relative_to(ROOT)}: no way leads here from README.md" for page in others if page not in seen]
    if len(first.read_text().splitlines()) > FIRST_PAGE_LINES:
        said.append(f"README.md has more than {FIRST_PAGE_LINES} lines")
    said += [f"{page.relative_to(ROOT)}: 'bazel-bin/tools/einc' where readers have einc installed" for page in [first, *others]
             if "bazel-bin/tools/einc" in page.read_text() and page.parts[-2] not in ("developers", "compiler", "tests")]  # fmt: skip
    print("\n".join(said + [f"{len(others) + 1} pages"]))
    print(f"{len(others) + 1 if not said else 0} passed, {len(said)} failed")
    return 1 if said else 0


if __name__ == "__main__":
    sys.exit(main())
