"""Rows of a report as plain data, with the keys of the contract in its order (`docs/report.md`)."""

from __future__ import annotations

from collections.abc import Iterable

from attrs import asdict

from statemachines.model.evidence.incidents import Incident, IncidentCause, IncidentEffect
from statemachines.model.evidence.reports import (
    CheckCounts,
    CurrentState,
    Episode,
    Finding,
    InstanceKey,
    Instant,
    MachineSummary,
    Place,
    PriorBelief,
    ProcessReleases,
    Quote,
    Repetition,
    RuleSummary,
    SourceSummary,
    TimelineStep,
    UnjudgedSummary,
)
from statemachines.report.sections.timestamps import rfc3339

RowData = dict[str, object]


def checked(counts: CheckCounts) -> RowData:
    """How much was looked at.

    Args:
        counts: of the whole check.

    Returns:
        Numbers by key, in the contract's order.
    """
    return asdict(counts)


def source(row: SourceSummary) -> RowData:
    """A file that was read.

    Args:
        row: of the report.

    Returns:
        Values by key, in the contract's order.
    """
    return {
        "file": row.file,
        "layout": row.layout,
        "level": dict(row.level),
        "zone": row.zone,
        "process": list(row.process),
        "lines": row.lines,
        "unread_lines": row.unread_lines,
        "first": rfc3339(row.first),
        "last": rfc3339(row.last),
        "problems": list(row.problems),
    }


def releases(row: ProcessReleases) -> RowData:
    """The releases of a process; `from_line` only where a later banner takes over.

    Args:
        row: of the report.

    Returns:
        Values by key, in the contract's order.
    """
    more: RowData = {} if row.from_line is None else {"from_line": row.from_line}
    return {"process": row.process, "releases": row.releases, "how": row.how, **more}


def machine(row: MachineSummary) -> RowData:
    """What was seen of one machine.

    Args:
        row: of the report.

    Returns:
        Values by key, in the contract's order.
    """
    return {
        "machine": row.machine,
        "instances": row.instances,
        "steps": row.steps,
        "verdict": row.verdict.name,
        "never_seen": list(row.never_seen),
    }


def rule(row: RuleSummary) -> RowData:
    """How often something that was asked for was looked at.

    Args:
        row: of the report.

    Returns:
        Values by key, in the contract's order.
    """
    return {
        "machine": row.machine,
        "claim": row.claim,
        "rule": row.rule,
        "judged": row.judged,
        "undecided": row.undecided,
        "broken": row.broken,
        "verdict": row.verdict.name if row.verdict is not None else None,
        "why": row.why,
    }


def now(row: CurrentState) -> RowData:
    """A state at the end of the log.

    Args:
        row: of the report.

    Returns:
        Values by key, in the contract's order.
    """
    return {
        "machine": row.machine,
        "subject": key(row.subject),
        "state": list(row.state),
        "since": rfc3339(row.since),
        "since_ms": milliseconds(row.since),
        "final": row.final,
        **place(row.place),
        "process": row.process,
        "doubt": row.doubt,
    }


def episode(row: Episode, others: Iterable[CurrentState] = ()) -> RowData:
    """An episode; beyond the contract's keys: machine, title, whether it is open (a log may tell no
    times) or no alarm, process, cause.

    Args:
        row: the episode.
        others: where it is open, what belongs to its subject and is in no final state: often what
            holds it.

    Returns:
        Values by key, in the contract's order.
    """
    return {
        "kind": row.kind,
        "subject": key(row.subject),
        "since": rfc3339(row.since),
        "since_ms": milliseconds(row.since),
        "until": rfc3339(row.until),
        "until_ms": milliseconds(row.until),
        "blame": quote(row.blame),
        "machine": row.machine,
        "title": row.title,
        "open": row.open,
        "orderly": row.orderly,
        "outcome": str(row.outcome),
        "process": row.process,
        "reason": row.reason,
        "beside": [now(other) for other in others],
    }


def incident(row: Incident) -> RowData:
    """What happened, why, and what followed from it.

    Args:
        row: of the report.

    Returns:
        Values by key, in the contract's order.
    """
    return {
        "id": row.number,
        "kind": row.kind,
        "subject": key(row.subject),
        "title": row.title,
        "harm": str(row.harm),
        "since": rfc3339(row.since),
        "since_ms": milliseconds(row.since),
        "until": rfc3339(row.until),
        "until_ms": milliseconds(row.until),
        "outcome": str(row.outcome),
        "ill": row.is_ill,
        "how": str(row.evidence),
        "count": row.count,
        "machine": row.machine,
        "process": row.process,
        "cause": None if row.cause is None else _incident_cause(row.cause),
        "effects": [_incident_effect(effect) for effect in row.effects],
        "replaced_by": key(row.replaced_by) if row.replaced_by else None,
        "also_logged": [quote(line) for line in row.also_logged],
        "also_unusual": [quote(line) for line in row.also_unusual],
        "next": row.next,
    }


def _incident_cause(cause: IncidentCause) -> RowData:
    return {
        **(quote(cause.quote) or {}),
        "words": cause.words,
        "thrown_at": cause.thrown_at or None,
    }


def _incident_effect(effect: IncidentEffect) -> RowData:
    return {
        "kind": effect.kind,
        "machine": effect.machine,
        "title": effect.title,
        "count": effect.count,
        "open": effect.open_count,
        "first": key(effect.first),
        "since": rfc3339(effect.since),
        "until": rfc3339(effect.until),
    }


def repeated(row: Repetition) -> RowData:
    """What happened again and again.

    Args:
        row: of the report.

    Returns:
        Values by key, in the contract's order.
    """
    return {
        "kind": row.kind,
        "machine": row.machine,
        "subject": key(row.subject),
        "process": row.process,
        "count": row.count,
        "first": rfc3339(row.first),
        "first_ms": milliseconds(row.first),
        "last": rfc3339(row.last),
        "last_ms": milliseconds(row.last),
        "longest_ms": row.longest_ms,
        "total_ms": row.total_ms,
        "reasons": dict(row.reasons),
        "open": row.open,
        **place(row.place),
    }


def finding(row: Finding) -> RowData:
    """One thing worth saying; `last` only where several equal ones are counted.

    Args:
        row: of the report.

    Returns:
        Values by key, in the contract's order.
    """
    more: RowData = {} if row.last is None else {"last": place(row.last)}
    return {
        "kind": row.kind,
        "verdict": row.verdict.name,
        "machine": row.machine,
        "instance": key(row.instance),
        "process": row.process,
        "at": rfc3339(row.at),
        "at_ms": milliseconds(row.at),
        **place(row.place),
        "text": row.text,
        "from": row.source,
        "to": row.target,
        "outcome": row.outcome,
        "legal": list(row.legal),
        "missing": list(row.missing),
        "was": was(row.was),
        "legal_in": row.legal_in,
        "spec": None if row.spec is None else place(row.spec),
        "count": row.count,
        **more,
        "message": row.message,
    }


def step(row: TimelineStep) -> RowData:
    """A row of the timeline.

    Args:
        row: of the report.

    Returns:
        Values by key, in the contract's order.
    """
    return {
        "machine": row.machine,
        "instance": key(row.instance),
        "process": row.process,
        "life": row.life,
        "at": rfc3339(row.at),
        "at_ms": milliseconds(row.at),
        "from": row.source,
        "to": row.target,
        "how": row.how,
        **place(row.place),
        **({"from_since": rfc3339(row.source_since)} if row.source_since else {}),
    }


def unjudged(row: UnjudgedSummary) -> RowData:
    """Lines that could not be judged.

    Args:
        row: of the report.

    Returns:
        Values by key, in the contract's order.
    """
    return {"why": row.why, "count": row.count, **place(row.place), "text": row.text}


def key(fields: InstanceKey) -> RowData:
    """Key fields with their values.

    Args:
        fields: with their values.

    Returns:
        Values by field.
    """
    return dict(fields)


def place(where: Place | None) -> RowData:
    """File and line, both null where there is none.

    Args:
        where: a line of a file.

    Returns:
        Values under `file` and `line`.
    """
    return (
        {"file": None, "line": None} if where is None else {"file": where.file, "line": where.line}
    )


def was(belief: PriorBelief | None) -> RowData | None:
    """What was believed, and the line it came from.

    Args:
        belief: before the line.

    Returns:
        None where nothing was believed.
    """
    return None if belief is None else {"state": list(belief.state), **place(belief.place)}


def quote(line: Quote | None) -> RowData | None:
    """A line of a log with its text.

    Args:
        line: with its place.

    Returns:
        None where there is none.
    """
    return None if line is None else {**place(line.place), "text": line.text}


def milliseconds(instant: Instant | None) -> int | None:
    """Epoch milliseconds of a moment, an unknown zone taken as UTC.

    Args:
        instant: None where the log tells no time.

    Returns:
        None where the log tells no time.
    """
    return None if instant is None else instant.ms
