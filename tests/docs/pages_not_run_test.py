# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Pages that page_test does not run: each block of code in them says why, and no page is in neither list."""

import pathlib
import sys

from tests.docs import pages

ROOT = pathlib.Path(__file__).absolute().parents[2]
READERS = ("text", "")  # not code


def main(names):
    said, passed = [], 0
    for name in names:
        for block in pages.blocks((ROOT / name).read_text()):
            if block.language in READERS or block.reason:
                passed += 1
                continue
            said.append(f"{name}:{block.line}: a block in {block.language} that nothing runs: say why, or put the page into PAGES")
    listed = (pathlib.Path(__file__).parent / "BUILD.bazel").read_text()
    for page in sorted((ROOT / "docs").rglob("*.md")):
        name = str(page.relative_to(ROOT))
        has_code = any(block.language not in READERS for block in pages.blocks(page.read_text()))
        if has_code and f'"{name}"' not in listed:
            said.append(f"{name} has code, and is in neither list of tests/docs/BUILD.bazel")
    print("\n".join(said + [f"{passed} passed, {len(said)} failed"]))
    return 1 if said else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
