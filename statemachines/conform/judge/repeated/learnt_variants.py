"""What comes of the instances of a variant, learnt from judging one of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

from attrs import field

from statemachines.conform.interchange.judgements import InstanceJudgement, RowCounts, StepRow
from statemachines.conform.join.current_states import TimelineCounts
from statemachines.conform.judge.repeated.judged_variants import (
    JudgedVariant,
    VariantLines,
    VariantRows,
)
from statemachines.conform.settle.judging_context import InstanceIdentity
from statemachines.model.values import frozen

VariantKey = tuple[Any, ...]
"""All that the judgement of an instance depends on, but for its key and the places of its lines:
machine, file, and what the lines say.
"""


class SinglePass(Protocol):
    """Judges one instance by itself: a `JudgementPass`, or what gives the same."""

    @property
    def judgement(self) -> InstanceJudgement:
        """There when all rows were given."""

    @property
    def is_over(self) -> bool:
        """Whether a line told the end of the instance."""

    @property
    def counted_before(self) -> RowCounts | None:
        """What was counted of rows that it does not give."""

    def runs(self) -> Iterator[Sequence[StepRow]]:
        """Yield its rows as they come, some at once."""


@frozen(slots=False)
class LearningPass:
    """Judges an instance, and then knows what comes of others that go the same way."""

    judging: SinglePass
    who: InstanceIdentity
    lines: VariantLines
    variant: VariantKey
    known: dict[VariantKey, JudgedVariant | None] = field(repr=False)
    counted_before: RowCounts | None = None

    @property
    def judgement(self) -> InstanceJudgement:
        """There when all rows were given."""
        return self.judging.judgement

    def runs(self) -> Iterator[Sequence[StepRow]]:
        """Yield the rows as they come, some at once."""
        rows = list[StepRow]()
        for run in self.judging.runs():
            rows += run
            yield run
        self.known[self.variant] = _learnt(self.judging, rows, self.who, self.lines)


def _learnt(
    judging: SinglePass,
    rows: Sequence[StepRow],
    who: InstanceIdentity,
    lines: VariantLines,
) -> JudgedVariant | None:
    """Return what came of an instance, so that it may be said of others; None where more was found
    than where it was when: what is said of others must be that of itself.
    """
    judgement = judging.judgement
    if not is_plain(judgement):
        return None
    indexes = {line: index for index, line in enumerate(lines.lines)}
    last = [index for index in indexes.values() if lines.position(index) == judgement.last_position]
    points = [indexes.get(point.line) for point in judgement.episode_points]
    places = [indexes.get(row.line) for row in rows]
    named = [_line_at(row.source_since, lines) for row in rows]
    if not last or None in points or None in places or -1 in named:
        return None
    now, before, first = (
        None if point is None else indexes.get(point.line)
        for point in (judgement.since, judgement.before, judgement.first_since)
    )
    counts = TimelineCounts()
    counts.count_rows(judgement.owner, rows)
    judged = JudgedVariant(
        judgement,
        tuple(
            (place, since, row)
            for place, since, row in zip(places, named, rows, strict=True)
            if place is not None
        ),
        counts.of_machine(judgement.owner),
        (now, before, first),
        tuple(point for point in points if point is not None),
        last[0],
        judging.is_over,
    )
    again = judged.judgement_of(who, lines)
    is_same = again == judgement and list(VariantRows(judged, lines)) == list(rows)
    return judged if is_same else None


def is_plain(judgement: InstanceJudgement) -> bool:
    """Say whether nothing was found of an instance but where it was when."""
    return not (
        judgement.findings
        or judgement.unjudged
        or judgement.counters
        or judgement.property_counts
        or judgement.replacements
        or judgement.single_release_findings
        or judgement.incarnation_start is not None
    )


def _line_at(time: int | None, lines: VariantLines) -> int | None:
    """Return the index of the one line that has a time; -1 where none has, or several do."""
    if time is None:
        return None
    places = [index for index, at in enumerate(lines.at) if at == time]
    return places[0] if len(places) == 1 else -1
