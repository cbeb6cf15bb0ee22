"""What judging an instance yields: rows without names, numbered as the plan and the context number
them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from attrs import field

from statemachines.conform.interchange.observations import KeyValues, Observation, Position
from statemachines.model.definitions.release_sets import ReleaseSet
from statemachines.model.definitions.snapshots import Value
from statemachines.model.evidence.reports import StepValues
from statemachines.model.evidence.verdicts import Verdict
from statemachines.model.made_sequences import MadeSequence
from statemachines.model.values import define


class RememberedField(NamedTuple):
    """A field by which an instance is known in its last life."""

    name: str
    value: str
    is_only: bool
    """Whether no line told another value, in any life."""


@define
class RememberedFields:
    """What the lines of one instance told of it, the last value of each field.

    A life that begins anew is known by what its own lines tell. Who had several values over its
    lives is told apart, for what is said of all of them together belongs to none.

    Complexity: memory for two values a field.
    """

    _incarnation: int = -1
    _values: dict[str, str] = field(factory=dict)
    _first_values: dict[str, str] = field(factory=dict)
    _ambiguous: set[str] = field(factory=set)

    def take(self, incarnation: int, fields: Iterable[tuple[str, str]]) -> None:
        """Take what a line of a life tells."""
        if incarnation != self._incarnation:
            self._incarnation = incarnation
            self._values.clear()
        for name, value in fields:
            self._values[name] = value
            if self._first_values.setdefault(name, value) != value:
                self._ambiguous.add(name)

    def fields(self) -> tuple[RememberedField, ...]:
        """Return what the last life is known by, in the order of names."""
        return tuple(
            RememberedField(name, value, name not in self._ambiguous)
            for name, value in sorted(self._values.items())
        )


Belief = frozenset[str] | None
"""The states that an instance may be in; None: any."""
ANY_STATE: Belief = None
"""The belief of an instance whose log began midway."""


class UnjudgedLines(NamedTuple):
    """Lines of one kind that could not be judged, with the first of them."""

    reason: str
    occurrences: int
    file: int
    line: int
    text: str
    in_part: bool = False
    """Whether what else the lines tell was judged."""


class StepRow(NamedTuple):
    """A row of the timeline; `line` 0 where no line tells it."""

    incarnation: int
    at: int | None
    zone: str
    source: str | None
    target: str | None
    how: str
    process: int
    file: int
    line: int
    text: str | None = None
    """The line, where rules of systems quote it."""
    values: StepValues | None = None
    """What is known of the instance's variables around it, where its lines tell values."""
    source_since: int | None = None
    """When a line named the state that it left, where no step led there."""


class RowCounts(NamedTuple):
    """What was counted of the rows of one instance."""

    hidden: int
    missing: int
    steps_seen: frozenset[tuple[str, str]]
    """Those that were told or proved."""


class CountedRows(MadeSequence[StepRow]):
    """Rows of the timeline that can be counted without being made."""

    def counts(self) -> RowCounts:
        """Return what is counted of them."""
        raise NotImplementedError


class SimpleSteps(NamedTuple):
    """Steps of one instance of which nothing is to be said, each from where the one before led: the
    rows that count.
    """

    total: int
    first: StepRow
    before: StepRow | None
    """The last but one."""
    last: StepRow
    came: StepRow | None
    """The last that led to another state."""


def simple_steps_of(rows: Sequence[StepRow]) -> SimpleSteps:
    """Return what counts of some rows, at least one."""
    came = next((row for row in reversed(rows) if row.source != row.target), None)
    return SimpleSteps(len(rows), rows[0], rows[-2] if len(rows) > 1 else None, rows[-1], came)


class StatePoint(NamedTuple):
    """The states that an instance may be in, from a line on."""

    states: tuple[str, ...]
    at: int | None
    zone: str
    process: int
    file: int
    line: int
    by_step: bool
    """Whether a step (or a life) ended here, not only a word about the state."""


def point_after(row: StepRow) -> StatePoint:
    """Return where a step led that a line tells."""
    target = row.target or ""
    return StatePoint((target,), row.at, row.zone, row.process, row.file, row.line, True)


@define
class PendingFinding:
    """A finding under way: equal ones are counted."""

    kind: str
    verdict: Verdict
    observation: Observation
    process: int
    incarnation: int
    source: str | None
    target: str | None
    entry: int
    """Number of the entry of the spec that read the line."""
    outcome: str | None = None
    legal: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    state_before: StatePoint | None = None
    legal_in: int = 0
    message: str = ""
    count: int = 1
    last_file: int = 0
    last_line: int = 0
    rule: str = ""
    """Name of the property that is broken."""
    rule_line: int = 0
    """Where the spec says it."""
    began: int | None = None
    """When that began which lasts too long (ms)."""


class PropertyCounts(NamedTuple):
    """How often a property of a machine was looked at over an instance."""

    property_index: int
    """Its place among the properties of the spec."""
    decided: int
    undecided: int
    broken: int


class EpisodePoint(NamedTuple):
    """Where an episode's condition begins or ceases to hold, or a line to blame meanwhile."""

    episode: int
    holds: bool | None
    """None: only a line to blame."""
    at: int | None
    zone: str
    process: int
    file: int
    line: int
    text: str
    reason: str
    position: Position | None = None
    """Its place in the process, of an episode that others may make up for."""
    states: tuple[str, ...] = ()
    """Where it begins, the states that opened it; where it ends, the last ones in which it held."""
    by_end: bool = False
    """Whether the life ended, and the condition did not heal."""
    orderly: bool = False
    """Whether it ended in order: it was no trouble."""
    thrown_at: str = ""
    by_missing_lines: bool = False
    """Whether it ended with a step or a life of whose end no line tells: it may have been over
    sooner.
    """


class Replacement(NamedTuple):
    """Where an instance that began after others came to what makes up for the episode of one of
    them.
    """

    episode: int
    began: Position
    point: StatePoint


class CounterRun(NamedTuple):
    """Lines of one mark that are one incident: each soon enough after the one before."""

    first: StatePoint
    last: StatePoint
    total: int
    text: str
    """Of the first line."""
    reason: str
    thrown_at: str = ""


class CounterTotal(NamedTuple):
    """How often something that people count happened to an instance."""

    counter: str
    total: int
    first: StatePoint
    last: StatePoint
    reasons: tuple[tuple[str, int], ...] = ()
    runs: tuple[CounterRun, ...] = ()
    """Of a mark that is an incident; the last one takes in what comes after `MOST_RUNS`."""


class IncarnationStart(NamedTuple):
    """Where the last life of an instance began that a sign of its process permitted."""

    sign: Position
    """The sign itself: what was heard of before it and not again belongs to an older run of the
    program.
    """
    point: StatePoint


class SingleReleaseFinding(NamedTuple):
    """A line at which some of the releases that fit would say worse than HOLDS."""

    run: tuple[object, ...]
    """What names the run of a process, which one release has written."""
    fitting: ReleaseSet
    """All that fit there."""
    releases: ReleaseSet
    finding: PendingFinding
    """What they would say."""


class InstanceJudgement(NamedTuple):
    """The whole judgement of one instance."""

    owner: int
    key: KeyValues
    processes: tuple[int, ...]
    incarnations: int
    observations: int
    steps: int
    states: tuple[str, ...] | None
    """The states that it may be in at the end; None: any."""
    since: StatePoint | None
    before: StatePoint | None
    """The point before `since`."""
    is_over: bool
    """Its process ended, or a line told its end."""
    findings: tuple[PendingFinding, ...]
    episode_points: tuple[EpisodePoint, ...]
    unjudged: tuple[UnjudgedLines, ...]
    counters: tuple[CounterTotal, ...] = ()
    last_position: Position | None = None
    """Where the last line stands that was judged."""
    incarnation_start: IncarnationStart | None = None
    property_counts: tuple[PropertyCounts, ...] = ()
    """Those of its machine's properties that were asked."""
    first_line: tuple[int, int, str] | None = None
    """File, line and text of its first line; None also where it is known that the first line of
    another instance of its machine stands before it.
    """
    first_position: Position | None = None
    """Where the first line stands that was judged."""
    replacements: tuple[Replacement, ...] = ()
    single_release_findings: tuple[SingleReleaseFinding, ...] = ()
    """What single releases would say, where several fit and do not say the same."""
    first_since: StatePoint | None = None
    """Where it came to the states in which it may be; `since` is where a line told it last."""
    rank: Value = None
    """What is known of the variable that says who is in the `sole` state; None: nothing."""
    remembered: tuple[RememberedField, ...] = ()
    """What it is known by at the end, beside its key."""
    last_heard: Position | None = None
    """Where the last line stands that tells of it, notes included."""
