"""What judging an instance yields: rows without names, numbered as the plan and the context number them."""

from __future__ import annotations

from typing import NamedTuple

from attrs import define

from statemachines.conform.observations import KeyValues, Observation, Position
from statemachines.model.releases import Releases
from statemachines.model.verdicts import Verdict

Belief = frozenset[str] | None
"""The states that an instance may be in; None: any."""
ANY: Belief = None
"""The belief of an instance whose log began midway."""


class Unjudgeable(NamedTuple):
    """Lines of one kind that could not be judged, with the first of them."""

    why: str
    times: int
    file: int
    line: int
    text: str


class StepRow(NamedTuple):
    """A row of the timeline; `line` 0 where no line tells it."""

    life: int
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


class StatePoint(NamedTuple):
    """The states that an instance may be in, from a line on."""

    states: tuple[str, ...]
    at: int | None
    zone: str
    process: int
    file: int
    line: int
    made: bool
    """Whether a step (or a life) ended here, not only a word about the state."""


@define
class Found:
    """A finding under way: equal ones are counted."""

    kind: str
    verdict: Verdict
    seen: Observation
    process: int
    life: int
    source: str | None
    target: str | None
    entry: int
    """Number of the entry of the spec that read the line."""
    outcome: str | None = None
    legal: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    was: StatePoint | None = None
    legal_in: int = 0
    message: str = ""
    count: int = 1
    last_file: int = 0
    last_line: int = 0
    rule: str = ""
    """Name of the property that is broken."""
    rule_line: int = 0
    """Where the spec says it."""


class Looked(NamedTuple):
    """How often a property of a machine was looked at over an instance."""

    number: int
    """Its place among the properties of the spec."""
    judged: int
    undecided: int
    broken: int


class EpisodePoint(NamedTuple):
    """Where the condition of an episode begins or ends to hold, or a line to blame while it holds."""

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
    where: Position | None = None
    """Its place in the process, of an episode that others may make up for."""
    states: tuple[str, ...] = ()
    """Where it begins, the states that opened it; where it ends, the last ones in which it held."""
    over: bool = False
    """Whether the life ended, and the condition did not heal."""
    orderly: bool = False
    """Whether it ended in order: it was no trouble."""


class Replacing(NamedTuple):
    """Where an instance that began after others came to what makes up for the episode of one of them."""

    episode: int
    born: Position
    point: StatePoint


class Marked(NamedTuple):
    """How often something that people count happened to an instance."""

    mark: str
    times: int
    first: StatePoint
    last: StatePoint
    reasons: tuple[tuple[str, int], ...] = ()


class Reborn(NamedTuple):
    """Where the last life of an instance began that a sign of its process permitted."""

    sign: Position
    """The sign itself: what was heard of before it and not again belongs to an older run of the program."""
    point: StatePoint


class Alone(NamedTuple):
    """A line at which some releases, were they the only ones that fit, would say worse than HOLDS."""

    run: tuple[object, ...]
    """What names the run of a process, which one release has written."""
    fitting: Releases
    """All that fit there."""
    releases: Releases
    found: Found
    """What they would say."""


class Judged(NamedTuple):
    """The whole judgement of one instance."""

    owner: int
    key: KeyValues
    processes: tuple[int, ...]
    lives: int
    observations: int
    steps: int
    states: tuple[str, ...] | None
    """The states that it may be in at the end; None: any."""
    since: StatePoint | None
    before: StatePoint | None
    """The point before `since`."""
    over: bool
    """Its process ended, or a line told its end."""
    findings: tuple[Found, ...]
    points: tuple[EpisodePoint, ...]
    unjudged: tuple[Unjudgeable, ...]
    marks: tuple[Marked, ...] = ()
    heard: Position | None = None
    """Where the last line stands that was judged."""
    reborn: Reborn | None = None
    looked: tuple[Looked, ...] = ()
    """Those of its machine's properties that were asked."""
    first: tuple[int, int, str] | None = None
    """File, line and text of its first line."""
    began: Position | None = None
    """Where the first line stands that was judged."""
    replacing: tuple[Replacing, ...] = ()
    alone: tuple[Alone, ...] = ()
    """What single releases would say, where several fit and do not say the same."""
