"""Gathering what the second stage found, on the driver."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from attrs import define, field

from statemachines.conform.engines.spark.stages.stage_rows import (
    COUNTED,
    JUDGED,
    LOST,
    STEPS,
    unpack,
)
from statemachines.conform.engines.stored_timeline import StoredTimeline
from statemachines.conform.interchange.judgements import InstanceJudgement
from statemachines.conform.interchange.profiles import Profile, merge_reasons
from statemachines.conform.join.current_states import TimelineCounts
from statemachines.conform.join.report_assembly import ReportAssembly
from statemachines.conform.join.report_names import named_key, timeline_step
from statemachines.conform.join.report_sources import FileFacts
from statemachines.conform.judge.tables.judging_tables import JudgingTables
from statemachines.conform.settle.judging_context import JudgingContext
from statemachines.model.evidence.reports import Report


@define
class JudgedResults:
    """Gathers the rows of the second stage, which come in the order of the report."""

    context: JudgingContext
    profiles: list[Profile]
    keeps_timeline: bool
    """Whether the steps go into the timeline."""
    counts: TimelineCounts = field(factory=TimelineCounts)
    timeline: StoredTimeline = field(factory=StoredTimeline)
    judged: list[InstanceJudgement] = field(factory=list)

    def add(self, kind: int, body: bytes) -> None:
        """Take in one row."""
        value = unpack(body)
        if kind == STEPS:
            self._add_steps(*value)
        elif kind == JUDGED:
            self.judged.append(value)
        elif kind == COUNTED:
            self._add_counts(*value)
        elif kind == LOST:
            file, reasons = value
            self.profiles[file].unjudged = merge_reasons(self.profiles[file].unjudged, reasons)

    def _add_steps(self, owner: int, values: Any, steps: Iterable[Any]) -> None:
        key = named_key(self.context, owner, values)
        for step in steps:
            self.timeline.add(timeline_step(self.context, owner, key, step))

    def _add_counts(
        self, hidden: int, missing: int, transitions: dict[int, set[tuple[str, str]]]
    ) -> None:
        self.counts.hidden += hidden
        self.counts.missing += missing
        for owner, transition in transitions.items():
            self.counts.steps_seen[owner] |= transition

    def report(
        self, facts: Sequence[FileFacts], *, errors: tuple[str, ...], interrupted: bool
    ) -> Report:
        """Put the report together."""
        assembly = ReportAssembly(
            self.context, JudgingTables(self.context.plan), self.profiles, facts
        )
        return assembly.report(
            self.judged, self.counts, self.timeline, errors=errors, interrupted=interrupted
        )
