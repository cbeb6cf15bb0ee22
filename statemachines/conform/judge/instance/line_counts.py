"""The lines of one instance that are counted only: for a counter of the spec, or as unjudged."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy

from statemachines.conform.interchange.judgements import CounterTotal, StatePoint, UnjudgedLines
from statemachines.conform.interchange.observations import Observation
from statemachines.conform.judge.checks.class_groups import ClassGroup
from statemachines.conform.judge.repeats import add_reason, incident_gaps, incident_runs
from statemachines.model.definitions.incident_definitions import CUT_SHORT
from statemachines.model.definitions.log_definitions import (
    LineDefinition,
    LineKind,
    LogDefinition,
)

_COUNTED_LINE_KINDS = {LineKind.NOTE, LineKind.ASKED, LineKind.STEP, LineKind.IS}
"""What a line that is counted says: nothing of states, or what was asked for."""


class LineCounts:
    """Counts lines.

    Complexity: memory for the counters and the reasons, not for the lines.
    """

    def __init__(self, log: LogDefinition | None) -> None:
        self.unjudged: dict[str, UnjudgedLines] = {}
        self.counters: dict[str, CounterTotal] = {}
        self.last_counter: str | None = None
        """What the observation that was judged last is counted for."""
        self._gaps = incident_gaps(log)

    def fork(self) -> LineCounts:
        """Return counts that go on from here by themselves."""
        other = copy(self)
        other.unjudged, other.counters = dict(self.unjudged), dict(self.counters)
        return other

    def count_unjudged(self, why: str, observation: Observation, *, in_part: bool = False) -> None:
        """Count a line that cannot be judged, or not in part."""
        known = self.unjudged.get(why)
        where = observation.file, observation.line, observation.text
        self.unjudged[why] = (
            known._replace(occurrences=known.occurrences + 1)
            if known
            else UnjudgedLines(why, 1, *where, in_part)
        )

    def count_rejected(self, why: str, observation: Observation, line: LineDefinition) -> None:
        """Count a line of the spec that no release that fits has."""
        self.count_unjudged(why, observation)
        self.last_counter = line.counter if _is_counted(line) and line.counter else None

    def count_groups(
        self, groups: Sequence[ClassGroup], observation: Observation, process: int
    ) -> None:
        """Count a line for the counter of the first group that has one."""
        for group in groups:
            if group.line.counter and _is_counted(group.line):
                self.count_line(group.line.counter, observation, process)
                return

    def count_cut_short(self, group: ClassGroup, observation: Observation, process: int) -> None:
        """Count a life that ended in the middle, of a machine that has an incident of that."""
        if group.is_cut_short and CUT_SHORT in self._gaps:
            self.count_line(CUT_SHORT, observation, process)

    def count_line(self, counter: str, observation: Observation, process: int) -> None:
        """Count what a line that tells nothing of states is counted for."""
        self.last_counter = counter
        point = StatePoint(
            (), observation.at, observation.zone, process, observation.file, observation.line, False
        )
        known = self.counters.get(counter) or CounterTotal(counter, 0, point, point)
        runs = incident_runs(known.runs, self._gaps.get(counter), point, observation)
        reasons = add_reason(known.reasons, observation.reason)
        self.counters[counter] = CounterTotal(
            counter, known.total + 1, known.first, point, reasons, runs
        )


def _is_counted(line: LineDefinition) -> bool:
    """Say whether lines of this kind are counted."""
    return line.kinds[0] in _COUNTED_LINE_KINDS
