"""What a check of logs found: the rows of a report, in the words of the contract
(`docs/report.md`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from attrs import field

from statemachines.model.definitions.subject_phrases import SubjectPhrase
from statemachines.model.evidence.incidents import Health, Incident, health_of
from statemachines.model.evidence.quotes import (
    EpisodeOutcome,
    InstanceKey,
    Instant,
    Place,
    Quote,
)
from statemachines.model.evidence.sources import ProcessReleases, SourceSummary
from statemachines.model.evidence.verdicts import Verdict
from statemachines.model.notebook_views import notebook_view
from statemachines.model.values import frozen

OVER = "over"
"""How a system is that has healed but for what ended without having recovered."""

__all__ = [
    "CheckCounts",
    "CurrentState",
    "Episode",
    "EpisodeOutcome",
    "Finding",
    "InstanceKey",
    "Instant",
    "MachineSummary",
    "Place",
    "PriorBelief",
    "ProcessReleases",
    "Quote",
    "Repetition",
    "Report",
    "ReportWindow",
    "RuleSummary",
    "SourceSummary",
    "TimelineStep",
    "UnjudgedSummary",
]


@frozen
class MachineSummary:
    """What was seen of one machine."""

    machine: str
    instances: int
    steps: int
    verdict: Verdict
    never_seen: tuple[str, ...]


@frozen
class RuleSummary:
    """How often something that was asked for was looked at: a machine, a system, or a property of
    one.
    """

    machine: str
    """The machine or system."""
    claim: str
    """`steps` of a machine or system as a whole, `always`, `each step`, `only if` of a link; what
    logs do not show: `leads to`, …
    """
    rule: str | None
    """Its name; None for the whole."""
    judged: int
    """How often it was decided; of a machine: lines."""
    undecided: int
    """How often what it looks at was not told, or in doubt."""
    broken: int
    verdict: Verdict | None
    """None: it was never judged."""
    why: str = ""
    """Why it never was."""
    first: Quote | None = None
    """The first line of the machine; of a system that of a part."""


@frozen
class CurrentState:
    """The state at the end of the log."""

    machine: str
    subject: InstanceKey
    state: tuple[str, ...]
    since: Instant | None
    final: bool
    place: Place | None
    process: str = ""
    """The process that told it last."""
    program: bool = False
    """Whether it is a whole program, whose end explains the ends of its parts."""
    doubt: str = ""
    """Why it may be so no longer, in a few words; empty where the log would tell."""


@frozen
class Episode:
    """An episode: a condition that people ask about, from when to when."""

    kind: str
    machine: str
    subject: InstanceKey
    title: str
    since: Instant | None
    until: Instant | None
    """None while it is open at the end of the log."""
    open: bool
    blame: Quote | None
    process: str = ""
    """The process in which it began."""
    reason: str = ""
    """What the lines after the one to blame name as the cause."""
    orderly: bool = False
    """Whether it was on the way to an orderly end, its own or its program's: no alarm."""
    outcome: EpisodeOutcome = field()
    was: str = ""
    """The title of one that is over."""
    thrown_at: str = ""
    """The line of the user's own program that threw what `reason` names."""
    limit_ms: int = 0
    """How long it may last before anything is said of it; 0: no time at all."""
    replaced_by: InstanceKey = ()
    """The subject that makes up for this one; empty: none did, or none had to."""

    @outcome.default
    def _outcome_if_not_given(self) -> EpisodeOutcome:
        return EpisodeOutcome.OPEN if self.open else EpisodeOutcome.HEALED

    @property
    def displayed_title(self) -> str:
        """What people read: the title of one that is open, or of one that is over."""
        return self.title if self.open else self.was or self.title


@frozen
class Repetition:
    """What happened to a subject again and again: episodes of one kind, or what a line is counted
    for.
    """

    kind: str
    """The name of the episode, or the words of the line's `mark`."""
    machine: str
    subject: InstanceKey
    process: str
    """That of the first time."""
    count: int
    first: Instant | None
    """When the first one began."""
    last: Instant | None
    """When the last one began."""
    longest_ms: int | None
    """None where nothing lasts, or the log tells no times."""
    total_ms: int | None
    reasons: tuple[tuple[str, int], ...]
    """Why, and how often; most frequent first, at most `MOST_REASONS` and `others`; what differs
    from time to time is `…`.
    """
    open: bool
    """Whether the last one goes on at the end of the log."""
    place: Place
    """The line of the first time."""
    last_place: Place


@frozen
class PriorBelief:
    """What was believed of an instance, and the line it came from."""

    state: tuple[str, ...]
    place: Place | None


BROKEN_RULE = "broken rule"
"""The kind of findings that break a property or a time limit."""


@frozen
class Finding:
    """One thing worth saying, with its evidence."""

    kind: str
    """gap, began again, unknown state, impossible, forbidden, no release, contradiction, broken
    rule, ignored, refused, raised, failed, unusual.
    """
    verdict: Verdict
    machine: str
    instance: InstanceKey
    process: str
    at: Instant | None
    place: Place | None
    text: str | None
    source: str | None
    target: str | None
    outcome: str | None
    legal: tuple[str, ...]
    missing: tuple[str, ...]
    was: PriorBelief | None
    legal_in: str | None
    spec: Place | None
    count: int
    message: str
    last: Place | None = None
    """The last of `count` equal ones."""
    rule: tuple[str, str] | None = None
    """Claim and name of what is broken, of a system."""
    began: Instant | None = field(default=None, eq=False)
    """When that began which lasts too long; None where no time limit is broken."""

    @property
    def rule_name(self) -> str | None:
        """The name of the rule that is broken; None where none is."""
        if self.kind != BROKEN_RULE:
            return None
        return self.rule[1] if self.rule else self.message.partition(":")[0]


@frozen
class StepValues:
    """What is known of the variables of an instance around a step."""

    before: Mapping[str, object]
    after: Mapping[str, object]


@frozen
class TimelineStep:
    """A row of the timeline."""

    machine: str
    instance: InstanceKey
    process: str
    life: int
    at: Instant | None
    source: str | None
    target: str | None
    how: str
    """told, hidden, missing, silent, unknown, ended unseen."""
    place: Place | None
    text: str | None = field(default=None, eq=False)
    """The line that tells it, where its machine is part of a system whose rules are judged."""
    values: StepValues | None = field(default=None, eq=False, repr=False)
    """Of a told step, where its machine is such a part and its lines tell values."""
    run: int | None = field(default=None, eq=False, repr=False)
    """Of a told step, how often its process began before, or may have; None where no line of the
    process says that it begins.
    """
    source_since: Instant | None = None
    """When a line named the state that it left, where no step led there."""


@frozen
class UnjudgedSummary:
    """Lines that a line of the catalogue read and that could not be judged; or machines, systems
    and properties that were not.
    """

    why: str
    count: int
    place: Place | None
    """None where no line of the log tells of it, and the log has none."""
    text: str
    about_lines: bool = True
    """False: it counts what was asked for and not judged; the line is only the first one that tells
    of it, or the log's first.
    """


@frozen
class CheckCounts:
    """How much was looked at."""

    files: int = 0
    lines: int = 0
    records: int = 0
    observations: int = 0
    instances: int = 0
    steps: int = 0
    unread_lines: int = 0
    hidden_steps: int = 0
    missing_steps: int = 0
    unjudged: int = 0


@frozen
class ReportWindow:
    """The stretch of time that a report is cut to; either end may be open."""

    since: Instant | None
    until: Instant | None
    log_end: Instant | None
    """The last time of the whole log."""


@frozen(repr=False)
class Report:
    """What a check found; `report.to_json` and its siblings show it."""

    verdict: Verdict
    checked: CheckCounts
    sources: tuple[SourceSummary, ...]
    releases: tuple[ProcessReleases, ...]
    machines: tuple[MachineSummary, ...]
    now: Sequence[CurrentState]
    """A tuple; of very many, rows that are made when they are asked for."""
    episodes: tuple[Episode, ...]
    findings: tuple[Finding, ...]
    timeline: Iterable[TimelineStep]
    """May be read again and again; kept on disk where it is long."""
    unjudged: tuple[UnjudgedSummary, ...]
    made_with: Mapping[str, object] = field(factory=dict)
    errors: tuple[str, ...] = ()
    """Named paths that could not be read, broken specs: exit code 2."""
    interrupted: bool = False
    at_best: Verdict = Verdict.HOLDS
    """What the verdict is if no finding says otherwise: INCONCLUSIVE where something that was asked
    for was not looked at.
    """
    repeated: tuple[Repetition, ...] = ()
    """Most frequent first."""
    rules: tuple[RuleSummary, ...] = ()
    """All that was asked for, by machine or system, in the author's order."""
    begins: Quote | None = None
    """The first line of the log."""
    unread: tuple[Quote, ...] = ()
    """Lines that were decoded and that no line of the catalogue read; the first ones of each file,
    where they were asked for.
    """
    known: int | None = None
    """Findings and incidents that a baseline knows and that were left out, each as often as it is
    told; None where there was no baseline.
    """
    known_open: int = 0
    """Incidents that a baseline knows, and that are ill at the end: they were left out as well."""
    incidents: tuple[Incident, ...] = ()
    """What happened and why, in order of harm; what goes on first."""
    remembered: Mapping[tuple[str, str, InstanceKey], InstanceKey] = field(factory=dict)
    """By machine, process and instance: fields that it is known by beside its key, in all its
    lives. For the rules of systems; in no form of the report.
    """

    called: Mapping[str, tuple[SubjectPhrase, ...]] = field(factory=dict)
    """How people call the instances of a machine. For names; in no form of the report."""
    window: ReportWindow | None = None
    """What the report is cut to; None: it tells of the whole log."""

    def __repr__(self) -> str:
        counts = ", ".join(
            f"{count:,} {what}"
            for count, what in (
                (self.checked.lines, "lines"),
                (self.checked.steps, "steps"),
                (len(self.incidents), "incidents"),
                (len(self.findings), "findings"),
            )
        )
        return f"<Report {self.health.name}, {self.verdict.name}: {counts}>"

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        """Show what notebooks show of it."""
        return notebook_view(self)

    @property
    def health(self) -> Health:
        """How the system is at the end of the log; unknown where reading was interrupted before it,
        unless something is wrong by what was read.
        """
        observed = bool(self.checked.steps or self.now or self.incidents)
        known = observed and not self.interrupted
        return health_of(self.incidents, is_known=known)

    @property
    def health_word(self) -> str:
        """How the system is, in a word: its health, but `over` in place of `healed` where something
        that did harm ended without having recovered.
        """
        ended = any(
            incident.outcome is EpisodeOutcome.ENDED and not incident.is_in_order
            for incident in self.incidents
        )
        return OVER if ended and self.health is Health.HEALED else self.health.value
