"""Messages that differ in a few words are lines of one template.

Lines of one logger with the same gaps are compared word by word; a word with a digit, and one that
the wording itself says is a state, may always differ. That is what tree miners of log templates do,
with the shape of the gaps in place of the number of words.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from attrs import Factory, define

from statemachines.mining.templates.message_words import (
    SplitMessage,
    StateCue,
    gap_shape,
    shortened,
    split_message,
    state_cue,
)
from statemachines.model.evidence.reports import Place

MOST_ROWS = 50_000
"""Lines of one template that are kept; later ones are counted."""
MOST_SAMPLES = 3
_WORDS_AFTER_STATES = 9
"""Words behind the states that a line tells; what is told there differs from line to line."""
_LEAST_ALIKE = 0.6
"""Of the words that may not differ, how many must be the same."""
_MOST_TEMPLATES_TRIED = 100
"""Of one logger and shape; beyond it the most similar one is taken, so that time stays linear."""


class TemplateRow(NamedTuple):
    """A line of a template."""

    order: int
    """Among all lines that were read."""
    process: str
    place: Place
    words: tuple[str, ...]


@define(eq=False)
class MinedTemplate:
    """What lines have in common."""

    logger: str | None
    level: str | None
    gaps: tuple[str, ...]
    constants: list[str | None]
    """The words; None where they differ."""
    cue: StateCue | None
    cut: bool = False
    """Whether anything may follow."""
    count: int = 0
    samples: list[tuple[Place, str]] = Factory(list)
    """Place and message of the first lines."""
    rows: list[TemplateRow] = Factory(list)

    @property
    def fields(self) -> list[int]:
        """The words that differ, or may."""
        return [i for i, word in enumerate(self.constants) if word is None]

    def message_of(self, row: TemplateRow) -> str:
        """Return a line's message as this template's gaps have it.

        Args:
            row: a line, as the template keeps it.

        Returns:
            Words and gaps put together.
        """
        words = (text for pair in zip(self.gaps, row.words, strict=False) for text in pair)
        return "".join((*words, self.gaps[-1]))

    def likeness(self, words: tuple[str, ...], varying: frozenset[int]) -> float:
        """Return the share of a message's fixed words that are this template's as well.

        Args:
            words: of the message.
            varying: indices of words that differ from line to line.

        Returns:
            A number from 0 to 1.
        """
        fixed = [i for i in range(len(words)) if i not in varying]
        if not fixed:
            return float(not any(self.constants))
        return sum(self.constants[i] == words[i] for i in fixed) / len(fixed)

    def add(self, row: TemplateRow, message: str, varying: frozenset[int]) -> None:
        """Take a line in; words that differ from it become fields.

        Args:
            row: a line, as the template keeps it.
            message: of one record.
            varying: indices of words that differ from line to line.
        """
        self.constants = [
            word if word == new and i not in varying else None
            for i, (word, new) in enumerate(zip(self.constants, row.words, strict=True))
        ]
        self.count += 1
        if len(self.rows) < MOST_ROWS:
            self.rows.append(row)
        if len(self.samples) < MOST_SAMPLES:
            self.samples.append((row.place, message))


@define
class TemplateMiner:
    """Finds templates, line by line.

    Complexity: linear in the lines, whatever they say.
    """

    _buckets: dict[tuple[object, ...], list[MinedTemplate]] = Factory(dict)

    def add(
        self, message: str, logger: str | None, level: str | None, process: str, place: Place,
        order: int,
    ) -> None:  # fmt: skip
        """Take one line in.

        Args:
            message: of one record.
            logger: as the line has it; None where it has none.
            level: as the line has it; None where it has none.
            process: whose line it is.
            place: file and line.
            order: where it stands among all lines.
        """
        split = split_message(message)
        if not split.words:
            return
        cue = state_cue(split)
        split = shortened(split, cue.target + _WORDS_AFTER_STATES) if cue else split
        varying = _varying_words(split, cue)
        row = TemplateRow(order, process, place, split.words)
        self._template_for(split, cue, varying, logger, level).add(row, message, varying)

    def templates(self) -> Iterator[MinedTemplate]:
        """Yield what was found, in the order of the first lines."""
        buckets = (template for bucket in self._buckets.values() for template in bucket)
        yield from sorted(buckets, key=lambda template: template.rows[0].order)

    def _template_for(
        self, split: SplitMessage, cue: StateCue | None, varying: frozenset[int],
        logger: str | None, level: str | None,
    ) -> MinedTemplate:  # fmt: skip
        key = (logger, gap_shape(split.gaps), cue or _first_fixed_word(split, varying))
        bucket = self._buckets.setdefault(key, [])
        best = max(
            bucket, key=lambda template: template.likeness(split.words, varying), default=None
        )
        alike = best.likeness(split.words, varying) if best else 0
        if best and (alike >= _LEAST_ALIKE or len(bucket) >= _MOST_TEMPLATES_TRIED):
            return best
        constants = [None if i in varying else word for i, word in enumerate(split.words)]
        bucket.append(MinedTemplate(logger, level, split.gaps, constants, cue, split.cut))
        return bucket[-1]


def _varying_words(split: SplitMessage, cue: StateCue | None) -> frozenset[int]:
    """Return the words that may differ in any line: those with a digit, and the states."""
    states = {cue.source, cue.target} if cue else set[int | None]()
    return frozenset(
        i
        for i, word in enumerate(split.words)
        if i in states or any(character.isdigit() for character in word)
    )


def _first_fixed_word(split: SplitMessage, varying: frozenset[int]) -> str | None:
    return next((word for i, word in enumerate(split.words) if i not in varying), None)
