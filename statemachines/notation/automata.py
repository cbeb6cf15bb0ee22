"""Regular expressions as finite automata over a small alphabet, for questions that matching alone cannot answer."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterable
from functools import cache
from typing import Any

from attrs import define, field

_PARSER: Any = importlib.import_module("re._parser")
_MOST_COPIES = 6
"""Repetitions beyond it are taken as any number; enough for what borders of fields depend on."""

PLAIN = "".join(chr(code) for code in range(32, 127)) + "\té中"
"""Representatives: printable ASCII, a tab, a letter and a sign beyond ASCII."""

MOST_STATES = 3000
"""A pattern that needs more is not looked into."""


class TooLarge(Exception):
    """A pattern whose automaton would be too large."""


_CATEGORIES = {
    "CATEGORY_DIGIT": r"\d",
    "CATEGORY_NOT_DIGIT": r"\D",
    "CATEGORY_SPACE": r"\s",
    "CATEGORY_NOT_SPACE": r"\S",
    "CATEGORY_WORD": r"\w",
    "CATEGORY_NOT_WORD": r"\W",
}


@define
class Automaton:
    """States are numbers; an edge carries a set of characters as a bit mask, an empty one is silent."""

    edges: list[list[tuple[int, int]]] = field(factory=list)
    """Of each state: mask of characters (0: silent) and target."""

    def state(self) -> int:
        """Add a state.

        Raises:
            TooLarge: there are as many as may be.
        """
        if len(self.edges) >= MOST_STATES:
            raise TooLarge
        self.edges.append([])
        return len(self.edges) - 1

    def connect(self, source: int, target: int, mask: int = 0) -> int:
        """Add an edge and return its target."""
        self.edges[source].append((mask, target))
        return target

    def text(self, source: int, words: str) -> int:
        """Add a path that reads literal text; return its end."""
        for letter in words:
            source = self.connect(source, self.state(), mask_of(letter))
        return source

    def pattern(self, source: int, pattern: str) -> int:
        """Add a regular expression; return the state behind it.

        Limits: anchors and lookarounds are taken as always true, a reference to a group as any text.
        """
        return self._sequence(source, _PARSER.parse(pattern))

    def _sequence(self, source: int, items: Iterable[tuple[Any, Any]]) -> int:
        for operator, operand in items:
            source = self._item(source, str(operator), operand)
        return source

    def _item(self, source: int, operator: str, operand: Any) -> int:
        match operator:
            case "BRANCH":
                return self._branches(source, operand[1])
            case "SUBPATTERN":
                return self._sequence(source, operand[3])
            case "ATOMIC_GROUP":
                return self._sequence(source, operand)
            case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
                return self._repeat(source, *operand)
            case "GROUPREF":
                self.connect(source, source, everything())
                return source
            case "AT" | "ASSERT" | "ASSERT_NOT":
                return source
        return self.connect(source, self.state(), _mask(operator, operand))

    def _branches(self, source: int, branches: Iterable[Any]) -> int:
        end = self.state()
        for branch in branches:
            self.connect(self._sequence(self.connect(source, self.state()), branch), end)
        return end

    def _repeat(self, source: int, least: int, most: int, body: Any) -> int:
        for _ in range(min(least, _MOST_COPIES)):
            source = self._sequence(source, body)
        if most > _MOST_COPIES:
            loop = self.connect(source, self.state())
            self.connect(self._sequence(loop, body), loop)
            return self.connect(loop, self.state())
        end = self.state()
        for _ in range(most - least):
            self.connect(source, end)
            source = self._sequence(source, body)
        return self.connect(source, end)


def everything() -> int:
    """Return the mask of all characters."""
    return (1 << len(PLAIN)) - 1


@cache
def mask_of(letter: str) -> int:
    """Return the mask of one character; one that is no representative is taken as the sign beyond ASCII."""
    place = PLAIN.find(letter)
    return 1 << (place if place >= 0 else len(PLAIN) - 1)


def _mask(operator: str, operand: Any) -> int:
    match operator:
        case "LITERAL":
            return mask_of(chr(operand))
        case "NOT_LITERAL":
            return everything() & ~mask_of(chr(operand))
        case "ANY":
            return everything()
        case "RANGE":
            return sum(1 << place for place, letter in enumerate(PLAIN) if operand[0] <= ord(letter) <= operand[1])
        case "CATEGORY":
            pattern = re.compile(_CATEGORIES[str(operand)])
            return sum(1 << place for place, letter in enumerate(PLAIN) if pattern.match(letter))
        case "IN":
            return _set_mask(operand)
    return everything()


def _set_mask(items: list[tuple[Any, Any]]) -> int:
    negated = str(items[0][0]) == "NEGATE"
    mask = 0
    for operator, operand in items[int(negated) :]:
        mask |= _mask(str(operator), operand)
    return everything() & ~mask if negated else mask
