"""The line that is judged, with what came of it for each class of releases, and the line before it:
which of the two was first, and whether an incarnation may have begun between them; and lines that
are counted only.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from copy import copy
from typing import TYPE_CHECKING, NamedTuple

from statemachines.conform.interchange.judgements import (
    Belief,
    CounterTotal,
    StatePoint,
    StepRow,
    UnjudgedLines,
)
from statemachines.conform.interchange.observations import Observation, Position
from statemachines.conform.judge.checks.group_check import ClassGroup
from statemachines.conform.judge.instance.believed_states import BelievedStates
from statemachines.conform.judge.repeats import add_reason, incident_gaps, incident_runs
from statemachines.conform.judge.tables.release_tables import ReleaseClass
from statemachines.conform.settle.judging_context import JudgingContext
from statemachines.model.definitions.incident_definitions import CUT_SHORT
from statemachines.model.definitions.log_definitions import LineDefinition, LineKind, LogDefinition
from statemachines.model.evidence.reports import StepValues
from statemachines.model.evidence.verdicts import Verdict
from statemachines.model.language.frozen_values import FrozenMap

if TYPE_CHECKING:
    from statemachines.conform.judge.tables.compiled_properties import ValueChange

_COUNTED_LINE_KINDS = {LineKind.NOTE, LineKind.ASKED, LineKind.STEP, LineKind.IS, LineKind.END}
"""What a line that is counted says: what beginnings are is counted as lives."""


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


ORDER_KINDS = ("gap", "began again", "impossible")
"""What the order of lines may be to blame for."""


class JudgedLine(NamedTuple):
    """The line that is being judged."""

    observation: Observation
    process: int
    position: Position
    fitting: int
    """The releases that fit its process there."""
    groups: list[ClassGroup]
    """The classes of releases that read it, by how they read it."""

    @property
    def classes(self) -> list[ReleaseClass]:
        """The classes of releases that read it."""
        return [rules for group in self.groups for rules in group.classes]

    def beliefs(self) -> dict[int, Belief]:
        """Return what the classes believe after the line, by the releases of a class."""
        beliefs: dict[int, Belief] = {}
        for group in self.groups:
            beliefs |= group.beliefs
        return beliefs

    def mildest_group(self) -> ClassGroup:
        """Return the classes whose word counts: of the mildest, those with the newest releases."""
        return min(
            self.groups,
            key=lambda group: (group.worst_verdict, -group.classes[-1].releases.bit_length()),
        )

    def doubt_order(self) -> None:
        """Soften what rests on the order of lines of two processes that is within the tolerance of
        their clocks.
        """
        for finding in (finding for group in self.groups for finding in group.findings):
            if finding.kind in ORDER_KINDS:
                finding.verdict = Verdict.INCONCLUSIVE
                finding.message += (
                    "; the line before is another process's, and their clocks cannot tell which"
                    " was first"
                )

    def step_rows(
        self,
        chosen: ClassGroup,
        incarnation: int,
        values: ValueChange | None,
        believed: BelievedStates,
    ) -> Iterator[StepRow]:
        """Yield the steps that the line proves.

        Args:
            chosen: the group that counts.
            incarnation: of the instance, from this line on.
            values: what is known around the step, where it is to be kept.
            believed: before the line.
        """
        observation = self.observation
        is_late = observation.placed is not None and observation.placed.late
        named, since = believed.states(), believed.named_since
        for index, (source, target, how) in enumerate(chosen.rows):
            how = "missing" if how == "told" and is_late else how
            is_observed = how in ("told", "unknown")
            yield StepRow(
                incarnation - (how == "ended unseen"),
                observation.at,
                observation.zone,
                source,
                target,
                how,
                self.process,
                observation.file,
                observation.line if is_observed else 0,
                values=_step_values(values) if is_observed and values else None,
                source_since=since if index == 0 and named == (source,) else None,
            )


def _step_values(values: ValueChange) -> StepValues:
    """Return what is known around a step, to be kept."""
    return StepValues(FrozenMap(values.before), FrozenMap(values.after))


class LastLine(NamedTuple):
    """What is kept of the last line."""

    process: int
    position: Position | None
    is_numbered: bool
    has_begin_sign: bool


class LineBefore:
    """The last line of one instance that counted."""

    def __init__(
        self, context: JudgingContext, *, ends_with_process: bool, single_incarnation: bool
    ) -> None:
        self._context = context
        self._ends_with_process = ends_with_process
        """Whether a restart of its process ends the instance."""
        self._single_incarnation = single_incarnation
        self.place: tuple[int, Position] | None = None
        """Its process, and where in it the line stands."""
        self._is_numbered = False
        """Whether it stood in a sequence."""
        self.has_begin_sign = False
        """Whether something since it shows that a life begins."""
        self.is_beginning = False
        """Whether it told itself of the beginning of the life that is judged."""

    def copy(self) -> LineBefore:
        """Return the same for a judge that goes on by itself."""
        return copy(self)

    def resume_point(self) -> LastLine:
        """Return what another one goes on from."""
        process, position = self.place or (-1, None)
        return LastLine(process, position, self._is_numbered, self.has_begin_sign)

    def resume(self, point: LastLine) -> None:
        """Go on from what was kept."""
        process, position, self._is_numbered, self.has_begin_sign = point
        self.place = None if position is None else (process, position)

    @property
    def is_known(self) -> bool:
        """Whether there is one."""
        return self.place is not None

    def take(self, process: int, observation: Observation) -> None:
        """Let a line be the one before."""
        self.place = process, self._context.position(observation)
        self._is_numbered = observation.number is not None

    def take_signs(self, kind: LineKind, *, believes: bool) -> None:
        """Note what a line says of beginning and end.

        Args:
            kind: of the line.
            believes: whether it tells where the instance is.
        """
        begins, ends = kind is LineKind.BEGIN, kind is LineKind.END
        self.has_begin_sign = begins or ends or (self.has_begin_sign and not believes)
        self.is_beginning = (begins and believes) or (
            self.is_beginning and not believes and not ends
        )

    def take_numbered(self, process: int, observation: Observation) -> None:
        """Let a line of a sequence be the one before."""
        self.place, self._is_numbered = (process, self._context.position(observation)), True

    def is_order_unclear(
        self, process: int, position: Position, *, is_numbered: bool = False
    ) -> bool:
        """Tell whether it is another process's, and so near that the clocks cannot tell which line
        was first.

        Args:
            process: of the line that is judged.
            position: of that line.
            is_numbered: whether that line stands in a sequence.
        """
        before = self.place
        if before is None or before[0] == process or (self._is_numbered and is_numbered):
            return False
        return abs(position.reached - before[1].reached) <= self._context.plan.options.tolerance_ms

    def may_have_begun(self, process: int, position: Position) -> bool:
        """Tell whether a life may have begun since."""
        return not self._single_incarnation and (
            self.has_begin_sign or self.process_began_since(process, position)
        )

    def may_be_of_later_life(self, process: int, position: Position) -> bool:
        """Tell whether a line that says nothing of states may be about a life that began since: not
        where the line before is the one that told of the beginning.
        """
        if self.is_beginning:
            return self.process_began_since(process, position)
        return self.may_have_begun(process, position)

    def process_began_since(self, process: int, position: Position) -> bool:
        """Tell whether its process began anew since: what was known of values is over.

        What one process after the other holds outlives each of them.
        """
        before = self.place
        if before is None or not self._ends_with_process or before[0] != process:
            return False
        return self._context.processes[process].began_between(before[1], position)

    def start_since(self, process: int, position: Position) -> Position | None:
        """Return the first sign since that the process of the line began, where it shows one."""
        before, starts = self.place, self._context.processes[process].possible_starts
        index = (
            bisect_right(starts, before[1])
            if before is not None and before[0] == process
            else len(starts)
        )
        return starts[index] if index < len(starts) and starts[index] < position else None
