"""Lines that name the instances of a machine and of no state: notes, and the line with which an
incarnation begins.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence

from attrs import evolve, frozen

from statemachines.mining.inference.instance_keys import (
    Instance,
    InstanceKeyFit,
    KeyWords,
)
from statemachines.mining.templates.message_templates import MinedTemplate

_MOST_NOTES = 8
"""Templates of a machine that a draft has as notes, those with the most lines."""
_SHORTEST_DISTINCTIVE = 6
_LEAST_SHARE = 0.8
"""Of a word's values, how many must be names of instances."""


@frozen(eq=False)
class OtherLines:
    """A template that names instances of a machine, and which of its words do."""

    template: MinedTemplate
    key: KeyWords
    begins: bool = False
    """Whether it stands where lives begin, and nowhere else."""


def other_lines(fit: InstanceKeyFit, templates: Sequence[MinedTemplate]) -> Iterator[OtherLines]:
    """Yield the templates that name the instances of a machine; of those that stand only where
    lives begin, one is marked.

    Args:
        fit: the lines that tell of its states, and their keys.
        templates: those that tell of no state.

    Yields:
        Templates, each with the words that name the instance.
    """
    key, main = fit.keys[0], fit.lines[0].template
    if not key:
        return
    names = [{row.words[i] for row in main.rows} for i in key]
    labels = [_words_before(main, i) for i in key]
    others = [
        OtherLines(template, words)
        for template in templates
        if (words := _key_words(template, names, labels)) is not None
    ]
    others = sorted(others, key=lambda lines: -lines.template.count)[:_MOST_NOTES]
    best = _beginning(fit, others)
    yield from (evolve(lines, begins=lines is best) for lines in others)


def _are_distinctive(names: set[str]) -> bool:
    """Tell whether names are so long that nothing else is called so."""
    return all(len(name) >= _SHORTEST_DISTINCTIVE and not name.isdigit() for name in names)


def _key_words(
    template: MinedTemplate, names: Sequence[set[str]], labels: Sequence[tuple[str | None, ...]]
) -> KeyWords | None:
    """Return the words that name an instance: short names do only behind the same words."""
    words = list[int]()
    for known, label in zip(names, labels, strict=True):
        distinctive = _are_distinctive(known)
        word = next(
            (
                i
                for i in template.fields
                if i not in words
                and not any(" " in row.words[i] for row in template.rows)
                and (distinctive or (any(label) and _words_before(template, i) == label))
                and _share_of_names(template, i, known) >= _LEAST_SHARE
            ),
            None,
        )
        if word is None:
            return None
        words.append(word)
    return tuple(words)


def _words_before(template: MinedTemplate, i: int) -> tuple[str | None, ...]:
    return tuple(template.constants[max(i - 2, 0) : i])


def _share_of_names(template: MinedTemplate, i: int, names: set[str]) -> float:
    return sum(row.words[i] in names for row in template.rows) / len(template.rows)


def _beginning(fit: InstanceKeyFit, others: Sequence[OtherLines]) -> OtherLines | None:
    """Return the lines that stand before each first line of a life and nowhere else, if there are
    any; of several those that tell of the most instances.
    """
    moves: dict[Instance, list[tuple[int, bool]]] = defaultdict(list)
    reached: dict[Instance, str] = {}
    for move in fit.moves():
        begins = move.instance not in reached or reached[move.instance] != move.source
        moves[move.instance].append((move.order, begins))
        reached[move.instance] = move.target
    counts = [(_begun(lines, moves), lines) for lines in others]
    most, best = max(counts, key=lambda count: count[0], default=(0, None))
    return best if best is not None and 2 * most >= len(moves) else None


def _begun(lines: OtherLines, moves: dict[Instance, list[tuple[int, bool]]]) -> int:
    """Count the lives that a template's lines begin; 0 where one stands elsewhere."""
    begun = set[tuple[Instance, int]]()
    for row in lines.template.rows:
        instance = (row.process, *(row.words[i] for i in lines.key))
        following = moves.get(instance, [])
        index = bisect_right(following, (row.order, True))
        if index < len(following):
            if not following[index][1] or (instance, index) in begun:
                return 0
            begun.add((instance, index))
    return len(begun)
