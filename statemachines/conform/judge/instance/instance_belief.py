"""What is known of one instance after some of its lines: all that its next line is judged by, as
one value without references to what judging looks up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from attrs import fields

from statemachines.conform.interchange.judgements import IncarnationStart, SingleReleaseFinding
from statemachines.conform.judge.instance.believed_states import BelievedStates
from statemachines.conform.judge.instance.finding_list import FindingList
from statemachines.conform.judge.instance.line_before import LastLine, LineCounts
from statemachines.model.definitions.snapshots import Value
from statemachines.model.evidence.verdicts import Verdict
from statemachines.model.values import frozen

if TYPE_CHECKING:
    from statemachines.conform.judge.tables.compiled_properties import PropertyTotals

RunClass = tuple[tuple[object, ...], int]
"""The run of a process, and the releases of a class."""


class SingleReleaseWords(NamedTuple):
    """What the classes of releases said, each by itself."""

    worst: tuple[tuple[RunClass, Verdict], ...]
    findings: tuple[SingleReleaseFinding, ...]


@frozen
class InstanceBelief:
    """What judging an instance goes on from."""

    believed: BelievedStates
    incarnation: int
    observations: int
    steps: int
    line_counts: LineCounts
    is_over: bool
    is_alive: bool
    incarnation_start: IncarnationStart | None
    order_unclear: bool
    last_step: tuple[str | None, str | None] | None
    finding_list: FindingList
    last_line: LastLine
    single_releases: SingleReleaseWords
    values: tuple[tuple[str, Value], ...] | None = None
    """Of its variables, as far as they are known; None where its lines tell none."""
    properties: PropertyTotals | None = None
    """None where no property is looked at."""


PARTS_OF_JUDGES = {
    "last_line": "line_before",
    "single_releases": "single_releases",
    "values": "known_variables",
    "properties": "property_checks",
}
"""Fields that a part of an `InstanceJudge` gives, and what the part is called there."""
AS_JUDGES_HAVE_IT = tuple(
    field.name for field in fields(InstanceBelief) if field.name not in PARTS_OF_JUDGES
)
"""The others, which an `InstanceJudge` has by the same names."""
