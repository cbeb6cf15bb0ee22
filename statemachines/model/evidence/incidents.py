"""What happened, why, since when, and whether it is over: the rows of a report above its episodes
and findings.
"""

from __future__ import annotations

import enum

from statemachines.model.definitions.incident_definitions import Harm
from statemachines.model.evidence.quotes import EpisodeOutcome, InstanceKey, Instant, Quote
from statemachines.model.values import frozen


class Health(enum.StrEnum):
    """How a system is at the end of its log, worst first."""

    ILL = "ill"
    """Something is wrong."""
    UNKNOWN = "unknown"
    """Too little is told."""
    HEALED = "healed"
    """Something was wrong, and is over."""
    WELL = "well"


class IncidentEvidence(enum.StrEnum):
    """How it is known that something happened."""

    TOLD = "told"
    INFERRED = "inferred"
    """It follows from what lines tell of others."""


@frozen
class IncidentCause:
    """Why it happened, as far as a line tells."""

    quote: Quote
    words: str = ""
    """What the line, or the record's next lines, name as the cause: the deepest exception."""
    thrown_at: str = ""
    """The line of the user's own program that threw it, as far as a stack trace shows it."""


@frozen
class IncidentEffect:
    """What followed from an incident: those of one kind."""

    kind: str
    machine: str
    title: str
    """Of the first one."""
    many: str
    count: int
    open_count: int
    """How many go on at the end of the log."""
    first: InstanceKey
    since: Instant | None
    """When the first one began."""
    until: Instant | None
    """When the first one was over; None while it goes on, or where nothing lasts."""


@frozen
class Incident:
    """A thing that an engineer on call wants to know: what has one cause."""

    number: int
    """From 1, in the order of the report."""
    kind: str
    harm: Harm
    machine: str
    subject: InstanceKey
    process: str
    title: str
    many: str
    """What several of its kind have in common, behind their number; empty: nothing is said."""
    since: Instant | None
    until: Instant | None
    """None while it goes on, and where the log does not tell."""
    outcome: EpisodeOutcome
    evidence: IncidentEvidence
    cause: IncidentCause | None
    effects: tuple[IncidentEffect, ...] = ()
    count: int = 1
    """How often it happened in this time."""
    is_long: bool = True
    """Whether it lasted longer than its spec calls normal."""
    normal_ms: int = 0
    """How long its spec calls normal; for a report that is cut to a time before it was long."""
    next: str = ""
    """What to look at next: the page of its kind; empty where it has none."""
    also_logged: tuple[Quote, ...] = ()
    """Lines at ERROR or FATAL of the same process, within seconds of its beginning, that no machine
    knows; they may have nothing to do with it.
    """
    also_unusual: tuple[Quote, ...] = ()
    """Rare lines at WARN, ERROR or FATAL that no machine knows, shortly before the first of all
    incidents; they are no cause.
    """
    replaced_by: InstanceKey = ()
    """The subject that makes up for this one; empty: none did, or none had to."""

    @property
    def is_open(self) -> bool:
        """Whether it goes on at the end of the log."""
        return self.outcome is EpisodeOutcome.OPEN

    @property
    def is_ill(self) -> bool:
        """Whether something is wrong now because of it."""
        return self.is_open and self.is_long

    @property
    def is_trouble(self) -> bool:
        """Whether a report tells it as trouble: not what is in order, and not what has not lasted
        longer than is normal yet.
        """
        is_past = self.outcome is EpisodeOutcome.HEALED and self.is_in_order
        return self.harm is not Harm.NONE and self.is_long and not is_past

    @property
    def is_in_order(self) -> bool:
        """Whether it is no trouble once it is over: somebody asked for it, or it is a part of a
        normal life and took no longer than its spec calls normal.
        """
        return self.harm is Harm.NONE or (self.harm is Harm.DELAY and not self._was_too_long)

    @property
    def _was_too_long(self) -> bool:
        if self.until is None or self.since is None or self.normal_ms == 0:
            return False
        since, until = self.since.ms, self.until.ms
        return since is not None and until is not None and until - since > self.normal_ms


def health_of(incidents: tuple[Incident, ...], *, is_known: bool) -> Health:
    """Return how a system is, by what happened to it.

    Args:
        incidents: all of a report.
        is_known: whether the log tells of any state or step at all, and was read to its end.

    Returns:
        Ill, healed, well or unknown.
    """
    if any(incident.is_ill for incident in incidents):
        return Health.ILL
    doubt = any(incident.outcome is EpisodeOutcome.MAY_BE_OVER for incident in incidents)
    if doubt or not is_known:
        return Health.UNKNOWN
    harmful = any(not incident.is_in_order for incident in incidents if not incident.is_open)
    return Health.HEALED if harmful else Health.WELL
