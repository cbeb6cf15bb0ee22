"""Regular expressions as finite automata over a small alphabet, for questions that matching alone
cannot answer.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterable
from functools import cache
from typing import Any

from attrs import field

from statemachines.model.values import define

_REGEX_PARSER: Any = importlib.import_module("re._parser")
_MOST_COPIES = 6
"""Repetitions beyond it are taken as any number; enough for what borders of fields depend on."""

ALPHABET = "".join(chr(code) for code in range(32, 127)) + "\té中"
"""Representatives: printable ASCII, a tab, a letter and a sign beyond ASCII."""

MOST_STATES = 3000
"""A pattern that needs more is not looked into."""


class AutomatonTooLarge(Exception):
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
    """States are numbers; an edge carries a set of characters as a bit mask, an empty one is
    silent.
    """

    edges: list[list[tuple[int, int]]] = field(factory=list)
    """Of each state: mask of characters (0: silent) and target."""

    def add_state(self) -> int:
        """Add a state.

        Raises:
            AutomatonTooLarge: there are as many as may be.
        """
        if len(self.edges) >= MOST_STATES:
            raise AutomatonTooLarge
        self.edges.append([])
        return len(self.edges) - 1

    def add_edge(self, source: int, target: int, mask: int = 0) -> int:
        """Add an edge and return its target.

        Args:
            source: the state where it begins.
            target: the state where it ends.
            mask: characters that it reads, one bit a class; 0: it reads nothing.

        Returns:
            `target`.
        """
        self.edges[source].append((mask, target))
        return target

    def add_text(self, source: int, words: str) -> int:
        """Add a path that reads literal text; return its end.

        Args:
            source: the state where it begins.
            words: literal text.

        Returns:
            The last state of the path.
        """
        for letter in words:
            source = self.add_edge(source, self.add_state(), character_mask(letter))
        return source

    def add_pattern(self, source: int, pattern: str) -> int:
        """Add a regular expression; return the state behind it.

        Args:
            source: the state where it begins.
            pattern: source of a regular expression.

        Returns:
            The last state of what was added.

        Limits: anchors and lookarounds are taken as always true, a reference to a group as any
        text.
        """
        return self._add_sequence(source, _REGEX_PARSER.parse(pattern))

    def add_lookarounds(self, pattern: str) -> None:
        """Add what lookarounds of a pattern look for, each as a path that leads nowhere.

        Args:
            pattern: source of a regular expression.
        """
        waiting: list[Any] = [_REGEX_PARSER.parse(pattern)]
        while waiting:
            item = waiting.pop()
            if isinstance(item, tuple) and str(item[0]) in ("ASSERT", "ASSERT_NOT"):
                self._add_sequence(self.add_state(), item[1][1])
            if isinstance(item, list | tuple | _REGEX_PARSER.SubPattern):
                waiting.extend(item)

    def _add_sequence(self, source: int, items: Iterable[tuple[Any, Any]]) -> int:
        for operator, operand in items:
            source = self._add_item(source, str(operator), operand)
        return source

    def _add_item(self, source: int, operator: str, operand: Any) -> int:
        match operator:
            case "BRANCH":
                return self._add_branches(source, operand[1])
            case "SUBPATTERN":
                return self._add_sequence(source, operand[3])
            case "ATOMIC_GROUP":
                return self._add_sequence(source, operand)
            case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
                return self._add_repetition(source, *operand)
            case "GROUPREF":
                self.add_edge(source, source, _all_characters())
                return source
            case "AT" | "ASSERT" | "ASSERT_NOT":
                return source
        return self.add_edge(source, self.add_state(), _item_mask(operator, operand))

    def _add_branches(self, source: int, branches: Iterable[Any]) -> int:
        end = self.add_state()
        for branch in branches:
            self.add_edge(self._add_sequence(self.add_edge(source, self.add_state()), branch), end)
        return end

    def _add_repetition(self, source: int, least: int, most: int, body: Any) -> int:
        for _ in range(min(least, _MOST_COPIES)):
            source = self._add_sequence(source, body)
        if most > _MOST_COPIES:
            loop = self.add_edge(source, self.add_state())
            self.add_edge(self._add_sequence(loop, body), loop)
            return self.add_edge(loop, self.add_state())
        end = self.add_state()
        for _ in range(most - least):
            self.add_edge(source, end)
            source = self._add_sequence(source, body)
        return self.add_edge(source, end)


def _all_characters() -> int:
    """Return the mask of all characters."""
    return (1 << len(ALPHABET)) - 1


@cache
def character_mask(letter: str) -> int:
    """Return the mask of one character; one that is no representative is taken as the sign beyond
    ASCII.
    """
    index = ALPHABET.find(letter)
    return 1 << (index if index >= 0 else len(ALPHABET) - 1)


def _item_mask(operator: str, operand: Any) -> int:
    match operator:
        case "LITERAL":
            return character_mask(chr(operand))
        case "NOT_LITERAL":
            return _all_characters() & ~character_mask(chr(operand))
        case "ANY":
            return _all_characters()
        case "RANGE":
            return sum(
                1 << index
                for index, letter in enumerate(ALPHABET)
                if operand[0] <= ord(letter) <= operand[1]
            )
        case "CATEGORY":
            pattern = re.compile(_CATEGORIES[str(operand)])
            return sum(1 << index for index, letter in enumerate(ALPHABET) if pattern.match(letter))
        case "IN":
            return _set_mask(operand)
    return _all_characters()


def _set_mask(items: list[tuple[Any, Any]]) -> int:
    negated = str(items[0][0]) == "NEGATE"
    mask = 0
    for operator, operand in items[int(negated) :]:
        mask |= _item_mask(str(operator), operand)
    return _all_characters() & ~mask if negated else mask
