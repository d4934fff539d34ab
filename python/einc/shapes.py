# Part of Einc. SPDX-License-Identifier: Apache-2.0
"""Sizes: a manifest gives them as expressions such as "M * 2 + 1", and a call gives the sizes of its arrays."""

from __future__ import annotations

import re
from typing import Dict, Iterable, List, Optional, Set, Tuple, Union

from .errors import LibraryError

Values = Dict[str, int]

_TOKEN = re.compile(r"\s*(\d+|[A-Za-z_]\w*(?:\[\d+\])?|[-+*()])")


class Size:
    """A size: a sum of products of symbols, attributes, numbers, `floordiv` and `mod`, which round down."""

    def __init__(self, text: Union[str, int]) -> None:
        self.text = str(text)
        self._tokens: List[str] = []
        at = 0
        while at < len(self.text):
            match = _TOKEN.match(self.text, at)
            if not match:
                raise LibraryError(f"the manifest has a size that is no expression: {self.text!r}")
            self._tokens.append(match[1])
            at = match.end()
        words = {t for t in self._tokens if re.match(r"[A-Za-z_]", t)}
        self.symbols: Set[str] = words - {"floordiv", "mod"}
        self.divides = words != self.symbols

    def __str__(self) -> str:
        return self.text

    def value(self, values: Values) -> int:
        """What it is; ZeroDivisionError where it divides by 0."""
        total, at = self._sum(values, 0)
        if at != len(self._tokens):
            raise LibraryError(f"the manifest has a size that is no expression: {self.text!r}")
        return total

    def _sum(self, values: Values, at: int) -> Tuple[int, int]:
        sign, total = 1, 0
        if self._token(at) == "-":
            sign, at = -1, at + 1
        while True:
            term, at = self._product(values, at)
            total += sign * term
            if self._token(at) not in ("+", "-"):
                return total, at
            sign, at = 1 if self._token(at) == "+" else -1, at + 1

    def _product(self, values: Values, at: int) -> Tuple[int, int]:
        total, at = self._atom(values, at)
        while self._token(at) in ("*", "floordiv", "mod"):
            factor, after = self._atom(values, at + 1)
            if self._tokens[at] == "*":
                total *= factor
            else:
                total = total // factor if self._tokens[at] == "floordiv" else total % factor
            at = after
        return total, at

    def _atom(self, values: Values, at: int) -> Tuple[int, int]:
        token = self._token(at)
        if token == "(":
            total, at = self._sum(values, at + 1)
            if self._token(at) == ")":
                return total, at + 1
        elif token.isdigit():
            return int(token), at + 1
        elif token in self.symbols:
            return values[token], at + 1
        raise LibraryError(f"the manifest has a size that is no expression: {self.text!r}")

    def _token(self, at: int) -> str:
        return self._tokens[at] if at < len(self._tokens) else ""


def _solved(size: Size, symbol: str, actual: int, known: Values) -> Optional[int]:
    """The symbol's value for which the size is `actual`, if the size is a sum with a known multiple of it."""
    if size.divides:
        return None  # several values may do
    at_0, at_1, at_2 = (size.value({**known, symbol: x}) for x in (0, 1, 2))
    slope = at_1 - at_0
    if slope == 0 or at_2 - at_1 != slope or (actual - at_0) % slope:
        return None
    x = (actual - at_0) // slope
    return x if size.value({**known, symbol: x}) == actual else None


def solve(sizes: Iterable[Tuple[Size, int]], known: Values) -> Values:
    """The values of the symbols that follow from sizes and what they are, and from what is known already. Whether
    the sizes contradict each other is left to the kernel, which says it better."""
    values = dict(known)
    rest = list(sizes)
    while True:
        later = []
        for size, actual in rest:
            unknown = size.symbols - values.keys()
            if len(unknown) == 1:
                (symbol,) = unknown
                x = actual if size.text == symbol else _solved(size, symbol, actual, values)
                if x is not None:
                    values[symbol] = x
            elif unknown:
                later.append((size, actual))
        if len(later) == len(rest):
            return values
        rest = later
