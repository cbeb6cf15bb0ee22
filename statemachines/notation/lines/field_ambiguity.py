"""Is it clear where one field of a template ends and the next begins?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache

from statemachines.notation.lines.line_templates import (
    DEFAULT_PATTERN,
    FieldPlaceholder,
    LiteralText,
    parse_template,
)
from statemachines.notation.lines.regex_automata import Automaton, AutomatonTooLarge


def ambiguous_pair(text: str, patterns: Mapping[str, str]) -> tuple[str, str] | None:
    """Return the first two neighbouring fields whose border is not settled; None where all are.

    Two named fields beside each other always are; with literal text between them they are if some
    message can be read in two ways. `{*}` takes as little as it can and is never the reason.

    >>> ambiguous_pair("{street} {number}", {"street": ".+", "number": r"[0-9]+"})
    >>> ambiguous_pair("{street} {town}", {"street": ".+", "town": ".+"})
    ('street', 'town')

    Args:
        text: of a template.
        patterns: a regular expression for each field.

    Returns:
        Names of the two fields, in the order of the template.
    """
    for first, between, second in _neighbouring_fields(text):
        one, other = (patterns.get(name, DEFAULT_PATTERN) for name in (first, second))
        if not between or has_two_readings(one, between, other):
            return first, second
    return None


def _neighbouring_fields(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield named fields with only literal text between them."""
    first, between = None, ""
    for part in parse_template(text):
        match part:
            case LiteralText(words):
                between = words
            case FieldPlaceholder("*"):
                first, between = None, ""
            case FieldPlaceholder(name):
                if first is not None:
                    yield first, between, name
                first, between = name, ""


@lru_cache(maxsize=4096)
def has_two_readings(first: str, between: str, second: str) -> bool:
    """Tell whether some text matches `first`, then the literal, then `second`, with the literal at
    two different places.

    Complexity: the product of the patterns' sizes.

    Limits: of a pattern that needs thousands of states, or beyond a million pairs of them, it says
    no.
    """
    automaton = Automaton()
    try:
        start = automaton.add_state()
        border = automaton.add_pattern(start, first)
        behind = automaton.add_state()
        end = automaton.add_pattern(automaton.add_text(behind, between), second)
    except (AutomatonTooLarge, RecursionError):
        return False
    return _ReadingPair(automaton, border, behind, end).can_diverge(start)


MOST_PAIRS = 1_000_000


class _ReadingPair:
    """Two readings of one text, the first of which passes the border earlier.

    Stage 0: neither has passed; 1: the first just has; 2: it has, and characters since; 3: both
    have.
    """

    def __init__(self, automaton: Automaton, border: int, behind: int, end: int) -> None:
        self.edges = automaton.edges
        self.border = border
        self.behind = behind
        self.end = end

    def can_diverge(self, start: int) -> bool:
        visited, waiting = {(start, start, 0)}, [(start, start, 0)]
        while waiting and len(visited) < MOST_PAIRS:
            here = waiting.pop()
            if here == (self.end, self.end, 3):
                return True
            for following in self._next_positions(*here):
                if following not in visited:
                    visited.add(following)
                    waiting.append(following)
        return False

    def _next_positions(self, one: int, other: int, stage: int) -> Iterator[tuple[int, int, int]]:
        if stage == 0 and one == self.border:
            yield self.behind, other, 1
        if stage == 2 and other == self.border:
            yield one, self.behind, 3
        for mask, target in self.edges[one]:
            if not mask:
                yield target, other, stage
                continue
            for others_mask, others_target in self.edges[other]:
                if mask & others_mask:
                    yield target, others_target, 2 if stage == 1 else stage
        for mask, target in self.edges[other]:
            if not mask:
                yield one, target, stage
