"""Which words name the instance that a line is about.

The evidence is a chain: under the right words, a line of an instance begins in the state in which
the instance's line before ended. Under words that are too few, lines of several instances are mixed
and the chain breaks; under too many it has few links.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from heapq import merge
from itertools import combinations
from typing import NamedTuple

from attrs import frozen

from statemachines.mining.inference.state_lines import StateLines
from statemachines.mining.templates.message_templates import TemplateRow

_MOST_KEY_WORDS = 2
MOST_CANDIDATES = 6

KeyWords = tuple[int, ...]
Instance = tuple[str, ...]
"""The process and the values of the key."""


class ObservedMove(NamedTuple):
    """What one line tells."""

    order: int
    instance: Instance
    source: str | None
    target: str
    row: TemplateRow


@frozen(eq=False)
class InstanceKeyFit:
    """How well lines follow each other under a key."""

    lines: tuple[StateLines, ...]
    keys: tuple[KeyWords, ...]
    """Of each of the lines, which words name the instance."""
    linked: int = 0
    """Lines that begin where the instance's line before ended; where lines do not tell where they
    begin: that follow another one.
    """
    broken: int = 0
    """Lines that do not; else: different steps, of which the right key has few."""
    instances: int = 0

    def moves(self) -> Iterator[ObservedMove]:
        """Yield what all lines tell, in their order."""
        yield from merge(
            *(_moves_of(lines, key) for lines, key in zip(self.lines, self.keys, strict=True))
        )


def best_key(lines: Sequence[StateLines]) -> InstanceKeyFit:
    """Return the words under which the lines of some templates follow each other best.

    Args:
        lines: templates of one machine, the one with the most lines first; those that lack a word
            of the key are left out.

    Returns:
        The lines that have the key, with how well they follow each other under it.
    """
    candidates = lines[0].naming_fields[:MOST_CANDIDATES]
    keys = [key for size in range(_MOST_KEY_WORDS + 1) for key in combinations(candidates, size)]
    return max((_fit_of_key(lines, key) for key in keys), key=_rating)


def _rating(fit: InstanceKeyFit) -> tuple[int, int, int, int]:
    """Rate a key: by how well lines fit, then one word that looks like a name before none, then by
    how many instances it tells apart, then the first.
    """
    key, rows = fit.keys[0], fit.lines[0].template.rows
    named = fit.instances > 1 or any(map(_has_letter, (rows[0].words[i] for i in key)))
    rank = 2 if len(key) == 1 and named else 1 if not key else 0
    penalty = 1 if fit.lines[0].source is None else 2
    return fit.linked - penalty * fit.broken, rank, fit.instances, -sum(key)


def _has_letter(word: str) -> bool:
    return any(map(str.isalpha, word))


def _fit_of_key(lines: Sequence[StateLines], key: KeyWords) -> InstanceKeyFit:
    values = [_values(lines[0], i) for i in key]
    matches = [(line, _same_words(line, values)) for line in lines[1:]]
    members = [
        (lines[0], key),
        *((state_lines, words) for state_lines, words in matches if words is not None),
    ]
    return measured_fit(
        tuple(state_lines for state_lines, _ in members), tuple(words for _, words in members)
    )


def measured_fit(lines: tuple[StateLines, ...], keys: tuple[KeyWords, ...]) -> InstanceKeyFit:
    """Return how well lines follow each other under given keys.

    Args:
        lines: templates of one machine.
        keys: the words of each that name the instance.

    Returns:
        The same lines and keys, with what was counted.
    """
    linked, broken, instances = _count_links(InstanceKeyFit(lines, keys))
    return InstanceKeyFit(lines, keys, linked, broken, instances)


def _values(lines: StateLines, i: int) -> set[str]:
    return {row.words[i] for row in lines.template.rows}


def _same_words(lines: StateLines, values: Iterable[set[str]]) -> KeyWords | None:
    """Return the words of another template whose values are most like those of a key."""
    words = list[int]()
    for wanted in values:
        shares = {
            i: len(own & wanted) / len(own)
            for i in lines.naming_fields
            if i not in words and (own := _values(lines, i))
        }
        best = max(shares, key=lambda i: shares[i], default=None)
        if best is None or not shares[best]:
            return None
        words.append(best)
    return tuple(words)


def _moves_of(lines: StateLines, key: KeyWords) -> Iterator[ObservedMove]:
    for row in lines.template.rows:
        instance = (row.process, *(row.words[i] for i in key))
        yield ObservedMove(row.order, instance, lines.source_of(row), lines.target_of(row), row)


def _count_links(fit: InstanceKeyFit) -> tuple[int, int, int]:
    reached: dict[Instance, str] = {}
    steps = Counter[tuple[str, str]]()
    linked = broken = 0
    for move in fit.moves():
        if (before := reached.get(move.instance)) is not None:
            fits = move.source is None or before == move.source
            linked, broken = linked + fits, broken + (not fits)
            steps[before, move.target] += 1
        reached[move.instance] = move.target
    return linked, broken if fit.lines[0].source is not None else len(steps), len(reached)
