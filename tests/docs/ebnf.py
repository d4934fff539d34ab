# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Grammars in compiler/frontend/grammar.ebnf's notation: reading them, sentences drawn from them, texts read with them.

A rule is a tree: ("seq", [...]), ("or", [...]), ("opt", x), ("many", x), ("text", "def") or ("name", "expr").
"""

import random
import re

TOKEN = re.compile(r'\s+|//[^\n]*|"(?:[^"\\]|\\.)*"|[A-Za-z]\w*|[=|;(){}\[\]]')


class Grammar:
    def __init__(self, source, terminals):
        self.terminals, self.rules = terminals, {}
        self.tokens = [m[0] for m in TOKEN.finditer(source) if not m[0].isspace() and not m[0].startswith("//")]
        assert "".join(self.tokens) == "".join(TOKEN.sub(lambda m: "" if m[0].isspace() or m[0].startswith("//") else m[0], source)), "strange text"
        while self.tokens:
            name, equals = self.tokens.pop(0), self.tokens.pop(0)
            assert equals == "=" and name not in self.rules, f"{name} {equals}"
            self.rules[name] = self.choices()
            assert self.tokens.pop(0) == ";", f"the end of {name}"
        used = {name for rule in self.rules.values() for name in names(rule)}
        unknown = used - set(self.rules) - set(terminals)
        assert not unknown, f"no rule for {unknown}"
        self.start = next(iter(self.rules))
        unused = set(self.rules) - used - {self.start}
        assert not unused, f"nothing uses {unused}"

    def choices(self):
        found = [self.sequence()]
        while self.tokens[0] == "|":
            self.tokens.pop(0)
            found.append(self.sequence())
        return found[0] if len(found) == 1 else ("or", found)

    def sequence(self):
        found = []
        while self.tokens[0] not in ("|", ";", ")", "]", "}"):
            token = self.tokens.pop(0)
            if token in "([{":
                inner = self.choices()
                assert self.tokens.pop(0) == {"(": ")", "[": "]", "{": "}"}[token]
                found.append({"(": inner, "[": ("opt", inner), "{": ("many", inner)}[token])
            else:
                found.append(("text", token[1:-1]) if token[0] == '"' else ("name", token))
        return found[0] if len(found) == 1 else ("seq", found)


def names(rule):
    kind, what = rule
    if kind == "name":
        return {what}
    if kind == "text":
        return set()
    return set().union(*map(names, what if kind in ("seq", "or") else [what]))


def places(grammar):
    """What a rule offers to choose: (rule, way) for each branch, part that may be left out, and repetition."""

    def walk(name, rule, path):
        kind, what = rule
        if kind in ("seq", "or"):
            for number, part in enumerate(what):
                if kind == "or":
                    yield (name, *path, number)
                yield from walk(name, part, (*path, number))
        elif kind in ("opt", "many"):
            yield (name, *path, kind)
            yield from walk(name, what, (*path, kind))

    for name, rule in grammar.rules.items():
        yield (name,)
        yield from walk(name, rule, ())


class Drawer:
    """Draws sentences. Deep in a sentence only what ends soon is taken."""

    def __init__(self, grammar, draw_terminal, seed):
        self.grammar, self.draw_terminal, self.random = grammar, draw_terminal, random.Random(seed)
        self.used, self.shortest = set(), {}
        for _ in grammar.rules:  # how deep each rule is at least
            for name, rule in grammar.rules.items():
                self.shortest[name] = min(self.depth(rule) + 1, self.shortest.get(name, 1 << 30))

    def depth(self, rule):
        kind, what = rule
        if kind == "name":
            return 0 if what in self.grammar.terminals else self.shortest.get(what, 1 << 20)
        if kind in ("text", "opt", "many"):
            return 0
        return (min if kind == "or" else max)(map(self.depth, what))

    def sentence(self, limit=14):
        return self.draw(("name", self.grammar.start), (), limit)

    def draw(self, rule, path, left):
        kind, what = rule
        if kind == "text":
            return [what]
        if kind == "name":
            if what in self.grammar.terminals:
                return [self.draw_terminal(what, self.random)]
            self.used.add((what,))
            return self.draw(self.grammar.rules[what], (what,), left - 1)
        if kind == "seq":
            return [token for number, part in enumerate(what) for token in self.draw(part, (*path, number), left)]
        if kind == "or":
            fitting = [n for n, part in enumerate(what) if self.depth(part) < left] or [min(range(len(what)), key=lambda n: self.depth(what[n]))]
            # What was never taken comes first.
            number = self.random.choice([n for n in fitting if (*path, n) not in self.used] or fitting)
            self.used.add((*path, number))
            return self.draw(what[number], (*path, number), left)
        times = 0 if self.depth(what) >= left else self.random.choice((0, 1) if kind == "opt" else (0, 1, 1, 2))
        if times:
            self.used.add((*path, kind))
        return [token for _ in range(times) for token in self.draw(what, (*path, kind), left)]


class Reader:
    """Reads tokens, (kinds, text) each, by the rules: the first choice that fits, and as often as it fits."""

    def __init__(self, grammar):
        self.grammar = grammar

    def accepts(self, tokens):
        """Whether the tokens are a sentence; `used` has the places that it took."""
        self.tokens, self.memory, self.furthest = tokens, {}, 0
        found = self.rule(self.grammar.start, 0)
        self.used = self.collect(found[1]) if found else set()
        return found is not None and found[0] == len(tokens)

    def collect(self, tree):
        used, left = set(), [tree]
        while left:
            place, parts = left.pop()
            if place:
                used.add(place)
            left.extend(parts)
        return used

    def rule(self, name, at):
        if (name, at) not in self.memory:
            found = self.read(self.grammar.rules[name], (name,), at)
            self.memory[name, at] = found and (found[0], ((name,), [found[1]]))
        return self.memory[name, at]

    def read(self, rule, path, at):
        """(where it ends, what was used), or None."""
        kind, what = rule
        if kind in ("text", "name") and (kind == "text" or what in self.grammar.terminals):
            self.furthest = max(self.furthest, at)
            fits = at < len(self.tokens) and (self.tokens[at][1] == what if kind == "text" else what in self.tokens[at][0].split())
            return (at + 1, (None, [])) if fits else None
        if kind == "name":
            return self.rule(what, at)
        if kind == "or":
            for number, part in enumerate(what):
                found = self.read(part, (*path, number), at)
                if found:
                    return found[0], ((*path, number), [found[1]])
            return None
        parts = []
        if kind == "seq":
            for number, part in enumerate(what):
                found = self.read(part, (*path, number), at)
                if not found:
                    return None
                at = found[0]
                parts.append(found[1])
            return at, (None, parts)
        while found := self.read(what, (*path, kind), at):
            if found[0] == at:
                break
            at = found[0]
            parts.append(found[1])
            if kind == "opt":
                break
        return at, ((*path, kind) if parts else None, parts)
