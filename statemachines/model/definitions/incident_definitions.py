"""Kinds of incidents: what a spec says of trouble that people must know of, as values."""

from __future__ import annotations

import enum

from attrs import field

from statemachines.model.diagnosis.diagnostics import Span
from statemachines.model.values import frozen

CUT_SHORT = "ended unseen"
"""What an incident may be `of` beside episodes and marks: a life that another one followed, though
no line told of its end and it was not on the way to one.
"""


class Harm(enum.StrEnum):
    """How bad an incident is while it lasts, worst first."""

    OUTAGE = "outage"
    """Something that users need does not work."""
    LOSS = "loss"
    """A part is gone, and others do its work."""
    DELAY = "delay"
    """It is part of a normal life, and trouble only where it does not end."""
    NONE = "none"
    """Somebody asked for it: trouble is only what users notice of it."""

    @property
    def rank(self) -> int:
        """0 for the worst."""
        return _RANKS[self]


_RANKS = {harm: rank for rank, harm in enumerate(Harm)}


class Lasting(enum.StrEnum):
    """How long what the lines of a mark tell lasts, where no line tells of its end."""

    PROCESS = "process"
    """It may go on until their process ends or begins anew."""
    ABSENCE = "absence"
    """Until their process begins anew."""
    MOMENT = "moment"
    """It is over as they are told, and however many there are, it is told once."""


@frozen
class FollowedKind:
    """A kind of incident that brings another one about."""

    kind: str
    same: tuple[tuple[str, str], ...] = ()
    """Fields of the subject (or of what `through` names), or texts with fields in them
    (`{thread}-consumer`), and those of the other's subject that have the same value.
    """
    is_any: bool = False
    """Whether nothing else has to agree: else fields of one name must."""


@frozen
class IncidentPage:
    """What people read of a kind of incident, each as its sources have it."""

    means: str = ""
    often: tuple[str, ...] = ()
    """What people usually find."""
    look: tuple[str, ...] = ()
    """What to look at next."""
    words: tuple[str, ...] = ()
    """The system's own words for it: settings, metrics, tools, proposals."""
    sources: tuple[str, ...] = ()


@frozen
class IncidentDefinition:
    """A kind of incident: which episodes and counted lines of a machine are one."""

    kind: str
    """Its name in all machines that tell of it: `broker-fenced`."""
    of: tuple[str, ...]
    """Names of episodes, and words of marks."""
    harm: Harm = Harm.LOSS
    title: str = ""
    """A template over key fields; empty: the episode's own."""
    past_title: str = ""
    """The title of one that is over; empty: `title`, or the episode's."""
    many: str = ""
    """What several have in common, behind their number: `brokers are fenced`."""
    within_ms: int = 0
    """What is over so soon, or has not lasted longer yet, is no trouble."""
    repeats_ms: int = 0
    """What stands no farther apart is one incident: episodes of one subject, and lines of one mark,
    of which it goes on until then.
    """
    subject: tuple[str, ...] = ()
    """Key fields: those of marks with the same values are of one subject; none: all keys."""
    follows: tuple[FollowedKind, ...] = ()
    settles_ms: int = 0
    """Marks that stand no longer after the beginning of their process are a part of it."""
    needs_cause: bool = False
    """Whether it is trouble only where a line names a reason: without one it was asked for."""
    needs_effect: bool = False
    """Whether it is trouble only where something followed from it: by itself it is in order. An
    episode that is over is told all the same: it is a part of what happened.
    """
    lasts: Lasting | None = None
    """How long what the lines of a mark tell lasts; None: as long as they come."""
    inferred: bool = False
    """Whether its lines do not say so themselves."""
    least_times: int = 0
    """How often it has to happen to one subject; 0: each time is an incident."""
    through: str = ""
    """The catalogue name of a machine whose instances, those with the same values in fields of one
    name, lend their fields to `follows`: the replicas of a partition, for the brokers they are on.
    """
    page: IncidentPage = IncidentPage()
    span: Span | None = field(default=None, eq=False, repr=False)
