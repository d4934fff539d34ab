# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Reads pages of the documentation: their blocks of code, headings and links."""

import dataclasses
import re


@dataclasses.dataclass
class Block:
    language: str  # "" where none is said
    words: str  # what stands behind the language: a file's name, or 'not run: REASON'
    text: str
    line: int  # of its first line, counted from 1

    @property
    def file(self):
        """The file that the block shows, if it names one."""
        return self.words if self.words and not self.words.startswith("not run") else None

    @property
    def reason(self):
        """Why it is not run; empty if it is."""
        return self.words.removeprefix("not run:").strip() if self.words.startswith("not run") else ""


def blocks(page):
    """The fenced blocks in their order. A fence may be indented, as in lists: so is what it holds, then."""
    found, begin = [], None
    for number, line in enumerate(page.splitlines(), 1):
        fence = re.match(r"( *)(```+)(.*)$", line)
        if begin is None and fence:
            indent, ticks, info = fence.groups()
            language, _, words = info.strip().partition(" ")
            begin, lines = number + 1, []
        elif begin is not None and fence and fence[2] == ticks and not fence[3].strip():
            found.append(Block(language, words.strip(), "".join(lines), begin))
            begin = None
        elif begin is not None:
            lines.append(line.removeprefix(indent) + "\n")
    assert begin is None, f"line {begin - 1}: a block that does not end"
    return found


def prose(page):
    """The page without its blocks and without code in a line."""
    without = re.sub(r"^ *(```+).*?^ *\1 *$", "", page, flags=re.DOTALL | re.MULTILINE)
    return re.sub(r"`[^`\n]*`", "`", without)


def links(page):
    """What links and pictures lead to."""
    return re.findall(r"\]\(([^)\s]+)\)", prose(page)) + re.findall(r'(?:src|href)="([^"]+)"', prose(page))


def anchors(page):
    """The names of headings, as GitHub makes them: small letters, digits and hyphens; the second of a name has -1."""
    found = set()
    for heading in re.findall(r"^#+ +(.*?) *$", re.sub(r"^ *(```+).*?^ *\1 *$", "", page, flags=re.DOTALL | re.MULTILINE), re.MULTILINE):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        name = re.sub(r"[^\w\- ]", "", words.lower()).strip().replace(" ", "-")
        unique, count = name, 0
        while unique in found:
            count += 1
            unique = f"{name}-{count}"
        found.add(unique)
    found |= set(re.findall(r'<a (?:id|name)="([^"]+)"', page))
    return found


def matches(shown, said):
    """Whether a command said what the page shows. `...` in a line stands for any text, `...` alone for any lines."""
    pattern = ""
    for line in shown.strip("\n").splitlines():
        if line.strip() == "...":
            pattern += r"(?:[^\n]*\n)*?"
        else:
            pattern += "[^\n]*".join(re.escape(part) for part in line.rstrip().split("...")) + "\n"
    said = "".join(line.rstrip() + "\n" for line in said.strip("\n").splitlines())
    return re.fullmatch(pattern, said) is not None
