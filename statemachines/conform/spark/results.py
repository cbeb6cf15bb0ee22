"""Gathering what the second stage found, on the driver."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from attrs import define, field

from statemachines.conform.assemble import Assembly
from statemachines.conform.judged import Judged
from statemachines.conform.naming import key_of, step_of
from statemachines.conform.processes import Context
from statemachines.conform.profile import Profile, merged_reasons
from statemachines.conform.sources import FileFacts
from statemachines.conform.spark.rows import COUNTED, JUDGED, LOST, STEPS, unpacked
from statemachines.conform.subjects import Seen
from statemachines.conform.tables import Tables
from statemachines.conform.timeline import Timeline
from statemachines.model.reports import Report


@define
class Results:
    """Gathers the rows of the second stage, which come in the order of the report."""

    context: Context
    profiles: list[Profile]
    keep: bool
    """Whether the steps go into the timeline."""
    seen: Seen = field(factory=Seen)
    rows: Timeline = field(factory=Timeline)
    judged: list[Judged] = field(factory=list)

    def add(self, kind: int, body: bytes) -> None:
        """Take in one row."""
        value = unpacked(body)
        if kind == STEPS:
            self._steps(*value)
        elif kind == JUDGED:
            self.judged.append(value)
        elif kind == COUNTED:
            self._counted(*value)
        elif kind == LOST:
            file, reasons = value
            self.profiles[file].unjudged = merged_reasons(self.profiles[file].unjudged, reasons)

    def _steps(self, owner: int, values: Any, steps: Iterable[Any]) -> None:
        key = key_of(self.context, owner, values)
        for step in steps:
            self.rows.add(step_of(self.context, owner, key, step))

    def _counted(self, hidden: int, missing: int, arrows: dict[int, set[tuple[str, str]]]) -> None:
        self.seen.hidden += hidden
        self.seen.missing += missing
        for owner, found in arrows.items():
            self.seen.arrows[owner] |= found

    def report(self, facts: Sequence[FileFacts], *, errors: tuple[str, ...], interrupted: bool) -> Report:
        """Put the report together."""
        assembly = Assembly(self.context, Tables(self.context.plan), self.profiles, facts)
        return assembly.report(self.judged, self.seen, self.rows, errors=errors, interrupted=interrupted)
