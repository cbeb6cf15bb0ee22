"""What changed in a log that is followed, as a line for people or an object for programs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from statemachines.model.evidence.changes import LogChange, LogChangeKind
from statemachines.model.evidence.durations import format_duration
from statemachines.model.evidence.incidents import Incident
from statemachines.model.evidence.moments import time_zone
from statemachines.model.evidence.reports import EpisodeOutcome, Finding
from statemachines.report import report_rows
from statemachines.report.json_format import terminal_safe_json
from statemachines.report.sections.display_names import ReportClock, instance_name, place_name
from statemachines.report.sections.plain_texts import cut_end, printable_text
from statemachines.report.text.text_columns import OutputStyle

GAP = "   "
SIGNS = {
    LogChangeKind.OPENED: ("✗", "bad"),
    LogChangeKind.HEALED: ("○", "good"),
    LogChangeKind.FORBIDDEN: ("✗", "bad"),
    LogChangeKind.WITHDRAWN: ("~", "doubt"),
}
OUTCOMES = {
    EpisodeOutcome.HEALED: "healed",
    EpisodeOutcome.ENDED: "ended without having recovered",
    EpisodeOutcome.ORDERLY: "ended in order",
    EpisodeOutcome.MAY_BE_OVER: "may be over (no line would tell)",
}


def change_line(
    change: LogChange, zone: str | None = None, style: OutputStyle | None = None
) -> str:
    """Write a change as one line, in the words of the report.

    Args:
        change: what is otherwise than it was.
        zone: the time zone that was given for the check, in which times are written.
        style: width and colours; None: as to a file.

    Returns:
        One line, without a line feed.
    """
    style = style or OutputStyle()
    clock = ReportClock(None, None, False, time_zone(zone), zone or "UTC")
    sign, sign_style = SIGNS[change.kind]
    head, *rest = _parts(change, clock)
    line = GAP.join([f"{sign} {head}", *filter(None, rest)])
    return style.paint(cut_end(printable_text(line), style.width), sign_style)


def change_json(change: LogChange) -> str:
    """Write a change as one JSON object on one line: `change`, and the row of the report.

    Args:
        change: what is otherwise than it was.

    Returns:
        One line, without a line feed.
    """
    row = _withdrawn_row(change)
    if change.incident is not None:
        row = {"incident": report_rows.incident(change.incident)}
    if change.finding is not None:
        row = {"finding": report_rows.finding(change.finding)}
    return terminal_safe_json(json.dumps({"change": str(change.kind), **row}, ensure_ascii=False))


def change_variables(change: LogChange) -> Iterable[tuple[str, str]]:
    """Yield what a command is told of an incident that began or is over, by the names of
    environment variables; nothing in them is obeyed by a terminal to which the command prints it.

    Args:
        change: what is otherwise than it was.

    Returns:
        Names and values.
    """
    incident = change.incident
    if incident is None:
        return
    row, cause = report_rows.incident(incident), incident.cause
    place = cause.quote.place if cause else None
    values = {
        "CHANGE": str(change.kind),
        "KIND": incident.kind,
        "TITLE": incident.title,
        "MACHINE": incident.machine,
        "SUBJECT": terminal_safe_json(json.dumps(row["subject"], ensure_ascii=False)),
        "PROCESS": incident.process,
        "OUTCOME": str(incident.outcome),
        "SINCE": str(row["since"] or ""),
        "UNTIL": str(row["until"] or ""),
        "REASON": cause.words if cause else "",
        "FILE": place.file if place else "",
        "LINE": str(place.line) if place else "",
        "TEXT": cause.quote.text if cause else "",
    }
    yield from ((f"STATEMACHINES_{name}", printable_text(text)) for name, text in values.items())


def _parts(change: LogChange, clock: ReportClock) -> list[str]:
    if change.incident is not None:
        return _incident_parts(change.kind, change.incident, clock)
    if change.finding is not None:
        return _finding_parts(change.finding, clock)
    name = instance_name(change.machine, change.subject)
    return [f"withdrawn: {change.withdrawn}", name, place_name(change.place), change.why]


def _withdrawn_row(change: LogChange) -> Mapping[str, object]:
    return {
        "told": change.withdrawn,
        "why": change.why,
        "machine": change.machine,
        "instance": report_rows.key(change.subject),
        **report_rows.place(change.place),
    }


def _incident_parts(kind: LogChangeKind, incident: Incident, clock: ReportClock) -> list[str]:
    since, until, cause = incident.since, incident.until, incident.cause
    if kind is LogChangeKind.OPENED:
        when = clock.since(since) if incident.is_open else f"at {clock.moment(since)}"
        place = place_name(cause.quote.place) if cause else ""
        return [incident.title, when, place, cause.words if cause else ""]
    lasted = ""
    if since and until and since.ms is not None and until.ms is not None:
        lasted = f"after {format_duration(max(until.ms - since.ms, 0))}"
    return [f"{OUTCOMES[incident.outcome]}: {incident.title}", clock.moment(until), lasted]


def _finding_parts(finding: Finding, clock: ReportClock) -> list[str]:
    name = instance_name(finding.machine, finding.instance)
    return [
        f"{finding.kind}: {name}",
        clock.moment(finding.at),
        place_name(finding.place),
        finding.message,
    ]
