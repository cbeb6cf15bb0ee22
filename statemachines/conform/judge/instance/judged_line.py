"""The line of an instance that is being judged, with what came of it for each class of releases."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from statemachines.conform.interchange.judgements import Belief, StepRow
from statemachines.conform.interchange.observations import Observation, Position
from statemachines.conform.judge.checks.class_groups import ClassGroup
from statemachines.conform.judge.instance.believed_states import BelievedStates
from statemachines.conform.judge.tables.release_tables import ReleaseClass
from statemachines.model.evidence.reports import StepValues
from statemachines.model.evidence.verdicts import Verdict
from statemachines.model.language.frozen_values import FrozenMap

if TYPE_CHECKING:
    from statemachines.conform.judge.tables.compiled_properties import ValueChange

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
