"""What changed in a log that is followed, as a line for people or an object for programs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from statemachines.model.evidence.changes import LogChange, LogChangeKind
from statemachines.model.evidence.durations import format_duration
from statemachines.model.evidence.moments import time_zone
from statemachines.model.evidence.reports import Episode, EpisodeOutcome, Finding
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
    row: Mapping[str, object] = {"told": change.withdrawn}
    if change.episode is not None:
        row = {"episode": report_rows.episode(change.episode)}
    if change.finding is not None:
        row = {"finding": report_rows.finding(change.finding)}
    return terminal_safe_json(json.dumps({"change": str(change.kind), **row}, ensure_ascii=False))


def change_variables(change: LogChange) -> Iterable[tuple[str, str]]:
    """Yield what a command is told of an episode that opened or is over, by the names of
    environment variables; nothing in them is obeyed by a terminal to which the command prints it.

    Args:
        change: what is otherwise than it was.

    Returns:
        Names and values.
    """
    episode = change.episode
    if episode is None:
        return
    row = report_rows.episode(episode)
    place = episode.blame.place if episode.blame else None
    values = {
        "CHANGE": str(change.kind),
        "KIND": episode.kind,
        "TITLE": episode.displayed_title,
        "MACHINE": episode.machine,
        "SUBJECT": terminal_safe_json(json.dumps(row["subject"], ensure_ascii=False)),
        "PROCESS": episode.process,
        "OUTCOME": str(episode.outcome),
        "SINCE": str(row["since"] or ""),
        "UNTIL": str(row["until"] or ""),
        "REASON": episode.reason,
        "FILE": place.file if place else "",
        "LINE": str(place.line) if place else "",
        "TEXT": episode.blame.text if episode.blame else "",
    }
    yield from ((f"STATEMACHINES_{name}", printable_text(text)) for name, text in values.items())


def _parts(change: LogChange, clock: ReportClock) -> list[str]:
    if change.episode is not None:
        return _episode_parts(change.kind, change.episode, clock)
    if change.finding is not None:
        return _finding_parts(change.finding, clock)
    return [f"withdrawn: {change.withdrawn}", "a later line says more"]


def _episode_parts(kind: LogChangeKind, episode: Episode, clock: ReportClock) -> list[str]:
    if kind is LogChangeKind.OPENED:
        blame = place_name(episode.blame.place) if episode.blame else ""
        return [episode.title, clock.since(episode.since), blame, episode.reason]
    lasted, since, until = "", episode.since, episode.until
    if since and until and since.ms is not None and until.ms is not None:
        lasted = f"after {format_duration(max(until.ms - since.ms, 0))}"
    return [f"{OUTCOMES[episode.outcome]}: {episode.displayed_title}", clock.moment(until), lasted]


def _finding_parts(finding: Finding, clock: ReportClock) -> list[str]:
    name = instance_name(finding.machine, finding.instance)
    return [
        f"{finding.kind}: {name}",
        clock.moment(finding.at),
        place_name(finding.place),
        finding.message,
    ]
