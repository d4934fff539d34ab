# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""compiler/frontend/grammar.ebnf is the parser's grammar. grammar_test.py EINC

Sentences that are drawn from it have no syntax error; with a token less, more or changed they have one exactly where the
grammar does not take them. It takes all specs of the project, which use each of its choices. Operators bind as it says.
"""

import pathlib
import random
import re
import subprocess
import sys
import tempfile

from tests.docs import ebnf, pages

ROOT = pathlib.Path(__file__).absolute().parents[2]
TERMINALS = ("id", "number", "shaped", "text")
SENTENCES, CHANGED = 150, 150
# Words that mean something at some place are names elsewhere; drawn names are none of them.
NAMES = ["a", "b", "m", "n", "k", "A", "B", "x1", "alpha", "f32", "i64", "max"]
# `f<k>(...) else 0`: read, so that a later step says in better words that it means nothing.
MEANINGLESS = {("primary", 2, 7, "opt")}
LEXER = re.compile(r'(?P<blank>(?:\s|//[^\n]*)+)|(?P<text>""".*?""")|(?P<id>[A-Za-z_]\w*)'
                   r"|(?P<number>(?=\d|\.\d)(?:0[xX](?:[\w.]|(?<=[pP])[+-](?=\d))*|(?:[\w.]|(?<=[eE])[+-](?=\d))*))"
                   r"|(?P<text_>->|\+=|-=|\*=|<=|>=|==|!=|<<|>>|&&|\|\||[(){}\[\]<>,:;=+\-*/%?!&|^~])", re.DOTALL)  # fmt: skip


def draw_terminal(kind, draw):
    return draw.choice({"id": NAMES, "number": ["0", "1", "12", "2.5", "1e-3", "0x1F", ".5"], "shaped": ["2xi64", "3x4xf32"],
                        "text": ['"""What it does."""']}[kind])  # fmt: skip


def tokens(text):
    found, at = [], 0
    while at < len(text):
        match = LEXER.match(text, at)
        assert match, f"no token at {text[at:at + 20]!r}"
        at = match.end()
        kind = match.lastgroup.rstrip("_") if match.lastgroup != "text_" else "punctuation"
        # In an expression 2xi64 is read as a number, and refused later.
        if kind == "number" and re.fullmatch(r"([1-9]\d*x)+[A-Za-z]\w*", match[0]):
            kind = "shaped number"
        if kind != "blank":
            found.append((kind, match[0]))
    return found


def refused(einc, texts):
    """For each text the syntax errors of einc."""
    with tempfile.TemporaryDirectory() as folder:
        for text in texts:
            path = pathlib.Path(folder) / "drawn.tc"
            path.write_text(text)
            run = subprocess.run([einc, "emit", "--stage=ast", str(path)], capture_output=True, text=True)
            assert run.returncode in (0, 1), f"{text}\n{run.stderr}"
            yield [line for line in run.stderr.splitlines() if re.search(r"error: .*\[(syntax|stray-character|unfinished-doc)\]", line)]


def drawn_are_accepted(einc, grammar):
    drawer = ebnf.Drawer(grammar, draw_terminal, seed=1)
    sentences = [" ".join(drawer.sentence()) for _ in range(SENTENCES)]
    for text, errors in zip(sentences, refused(einc, sentences)):
        assert not errors, f"{text}\n{errors}"
    never = set(ebnf.places(grammar)) - drawer.used
    assert not never, f"never drawn: {sorted(map(str, never))}"


def changed_are_judged_alike(einc, grammar):
    draw, reader = random.Random(2), ebnf.Reader(grammar)
    drawer = ebnf.Drawer(grammar, draw_terminal, seed=3)
    texts, expected = [], []
    while len(texts) < CHANGED:
        sentence = drawer.sentence()
        if not sentence:
            continue
        at, other = draw.randrange(len(sentence)), draw.choice(sentence + ["<", ">", "(", "neutral", "else", "=", ","])
        way = draw.choice(("less", "more", "other"))
        sentence[at : at + (way != "more")] = [] if way == "less" else [other]
        text = " ".join(sentence)
        try:
            is_sentence = reader.accepts(tokens(text))
        except AssertionError:
            continue
        texts.append(text)
        expected.append(is_sentence)
    assert any(expected) and not all(expected)
    for text, is_sentence, errors in zip(texts, expected, refused(einc, texts)):
        assert is_sentence != bool(errors), f"the grammar {'takes' if is_sentence else 'does not take'} {text}\n{errors}"


def specs():
    for folder in ("specs", "libcalls", "docs"):
        for path in sorted((ROOT / folder).rglob("*.tc")):
            yield path.relative_to(ROOT), path.read_text()
    for path in sorted((ROOT / "docs").rglob("*.md")):
        for block in pages.blocks(path.read_text()):
            # A block with a file's name may be a part of it; the file is there, too.
            if block.language == "einc" and not (block.file and (path.parent / block.file).exists()):
                yield path.relative_to(ROOT), block.text


def specs_are_read(grammar):
    reader, used, read = ebnf.Reader(grammar), set(), 0
    for path, text in specs():
        assert reader.accepts(tokens(text)), f"{path}: {tokens(text)[reader.furthest:][:8]}"
        read += 1
        used |= reader.used
    never = sorted(map(str, set(ebnf.places(grammar)) - used - MEANINGLESS))
    assert read > 30, read
    assert not never, f"no spec uses {never}"


def operators_bind(einc, grammar):
    """Of `a P b Q c` the tree begins with Q if P binds at least as tight, as the lines of the grammar say."""
    source = (ROOT / "compiler/frontend/grammar.ebnf").read_text()
    listed = re.search(r"operator +=(.*?);", source, re.DOTALL)[1]
    levels = [re.findall(r'"([^"]+)"', line) for line in listed.strip().splitlines()]
    tight = {op: number for number, level in enumerate(levels) for op in level}
    assert len(tight) == len(grammar.rules["operator"][1])
    pairs = [(p, q) for p in tight for q in tight]
    body = " ".join(f"y(m) = a {p} b {q} c;" for p, q in pairs)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "binds.tc"
        path.write_text(f"def f() -> (y: f32(M)) {{ {body} }}")
        tree = subprocess.run([einc, "emit", "--stage=ast", str(path)], capture_output=True, text=True, check=True).stdout
    first = re.findall(r"^    from\n      binary (\S+)$", tree, re.MULTILINE)
    assert first == [q if tight[p] >= tight[q] else p for p, q in pairs], first


def main(einc):
    grammar = ebnf.Grammar((ROOT / "compiler/frontend/grammar.ebnf").read_text(), TERMINALS)
    tests = [lambda: drawn_are_accepted(einc, grammar), lambda: changed_are_judged_alike(einc, grammar), lambda: specs_are_read(grammar), lambda: operators_bind(einc, grammar)]
    failed = 0
    for test in tests:
        try:
            test()
        except AssertionError as error:
            failed += 1
            print(f"FAILED {error}")
    print(f"{len(tests) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
