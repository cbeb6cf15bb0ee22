"""What is said of the instances of one part, in rows of many: who judges them sends rows as they
come, and who joins parts holds none of them for long.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any, NamedTuple

from statemachines.conform.engines.observation_store import ColumnStore
from statemachines.conform.engines.ordered_instances import ordered_instances
from statemachines.conform.engines.parts.reported_facts import ReportedFacts
from statemachines.conform.interchange.judgements import InstanceJudgement, StepRow
from statemachines.conform.interchange.observations import Observation
from statemachines.conform.interchange.packed_rows import PackedRows, RowPacker
from statemachines.conform.interchange.profiles import merge_reasons
from statemachines.conform.interchange.variants import VariantTable
from statemachines.conform.join.current_states import TimelineCounts
from statemachines.conform.judge.repeated.repeated_instances import RepeatedInstances
from statemachines.conform.judge.tables.judging_tables import JudgingTables
from statemachines.conform.settle.judging_context import InstanceIdentity, JudgingContext
from statemachines.model.garbage import only_new_collected

LOST, JUDGED, COUNTED, GROUPS, VARIANTS = range(5)
"""Kinds of rows; the instances that went as others did come before the variants that those of
their part went.
"""

_STEPS_PER_ROW = 10_000
"""Rows of the timeline travel together."""
_INSTANCES_PER_ROW = 200
"""And so do judgements."""
_MEMBERS_PER_ROW = 50_000
"""And those that went as others did; each has some ten bytes."""

PartRow = tuple[int, Any]
"""Its kind, and what it says."""
_Entry = tuple[InstanceIdentity, int, InstanceJudgement | None]
JudgedRow = tuple[list[_Entry], PackedRows]


class Judged(NamedTuple):
    """What was judged of one instance: some of its steps, the rest of them, or the whole."""

    who: InstanceIdentity
    steps: PackedRows
    judgement: InstanceJudgement | None


def judged_instances(row: JudgedRow) -> Iterator[Judged]:
    """Yield what a row of judgements holds, in the order of the report."""
    entries, packed = row
    parts = packed.parts(count for _, count, _ in entries)
    for (who, _, judgement), steps in zip(entries, parts, strict=True):
        yield Judged(who, steps, judgement)


class _JudgedRows:
    """Puts what was judged of many instances into rows."""

    def __init__(self) -> None:
        self._entries = list[_Entry]()
        self._packer = RowPacker()

    def add_steps(self, who: InstanceIdentity, steps: Iterable[StepRow]) -> Iterator[JudgedRow]:
        """Take steps of an instance in; yield the rows that are full."""
        for count in self._packer.add(steps):
            self._entries.append((who, count, None))
            if len(self._packer) >= _STEPS_PER_ROW:
                yield self.row()

    def add(self, who: InstanceIdentity, judgement: InstanceJudgement) -> Iterator[JudgedRow]:
        """Take a judgement in; yield the row that it fills."""
        self._entries.append((who, 0, judgement))
        if len(self._entries) >= _INSTANCES_PER_ROW:
            yield self.row()

    def row(self) -> JudgedRow:
        """Return the row of what came last, and begin another."""
        entries, self._entries = self._entries, []
        return entries, self._packer.take()


def judge_part(
    context: JudgingContext, store: ColumnStore, *, timeline: bool, all_of_it: bool = True
) -> Iterator[PartRow]:
    """Judge the instances of a store in the order of the report: steps and judgements in rows of
    many.

    Args:
        context: what is settled.
        store: has all that is observed of the instances that it has any of.
        timeline: whether the steps are wanted, not only their number; those of parts of systems
            always are.
        all_of_it: whether instances that are well are wanted too.
    """
    counts, lost, grouped = TimelineCounts(), list[Observation](), VariantTable()
    repeated = RepeatedInstances(context, JudgingTables(context.plan), grouped)
    instances, reported = store.instances(context, lost), ReportedFacts(context)
    rows, alike = _JudgedRows(), 0
    with only_new_collected():
        for who, observations in ordered_instances(context, instances):
            wants_steps = timeline or who[0] in context.plan.system_part_owners
            judging = repeated.judge(who, observations)
            for run in judging.runs():
                counts.count_rows(who[0], run)
                if wants_steps:
                    yield from ((JUDGED, row) for row in rows.add_steps(who, run))
            judgement = judging.judgement
            if judgement is not None and (all_of_it or reported.has_trouble(judgement)):
                yield from ((JUDGED, row) for row in rows.add(who, reported.reduced(judgement)))
            alike += judgement is None
            if alike >= _MEMBERS_PER_ROW:
                members, alike = grouped.members_so_far(), 0
                if all_of_it:
                    yield GROUPS, members
    yield JUDGED, rows.row()
    if all_of_it and grouped.variants:
        yield GROUPS, grouped.members_so_far()
        yield VARIANTS, grouped.variants
    yield COUNTED, (counts.hidden, counts.missing, dict(counts.steps_seen))
    yield from _lost_rows(lost)


def _lost_rows(observations: Iterable[Observation]) -> Iterator[PartRow]:
    """Count, by file, the observations whose generation no line told."""
    for file, lost in groupby(observations, lambda observation: observation.file):
        reasons: list[tuple[str, int, int, str]] = []
        for observation in lost:
            reasons = merge_reasons(
                reasons, [("no generation", 1, observation.line, observation.text)]
            )
        yield LOST, (file, reasons)
