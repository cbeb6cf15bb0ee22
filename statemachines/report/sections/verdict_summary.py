"""How much was checked, how the system is, and what is worst."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from statemachines.model.counts import count_text
from statemachines.model.definitions.incident_definitions import Harm
from statemachines.model.evidence.incidents import Health, Incident, IncidentEffect
from statemachines.model.evidence.reports import Finding, InstanceKey, Report
from statemachines.model.evidence.verdicts import Verdict
from statemachines.report.sections.display_names import ReportClock
from statemachines.report.sections.incident_story import (
    counted_incidents,
    incident_story,
    open_incidents,
    others_text,
)
from statemachines.report.sections.log_notes import early_ends_text
from statemachines.report.sections.plain_texts import cut_end, printable_text
from statemachines.report.sections.subject_names import SubjectNames

LONGEST_MESSAGE = 60
MOST_NAMED = 3
"""So many incidents of the worst kind are named; of more, how many there are."""
MOST_KINDS = 2
"""So many kinds of incidents are named beside the worst one."""
_REFUSED_KINDS = ("refused", "raised")
"""Findings of requests that the program answered with an error, or with words in its log."""


def checked_amount(report: Report) -> str:
    """Say how much was looked at, and of which release.

    Args:
        report: what a check found.

    Returns:
        A clause, with counts and releases.
    """
    checked = report.checked
    processes = len({name for source in report.sources for name in source.process})
    parts = [count_text(processes, "process", "processes")] if processes else []
    parts += [count_text(checked.files, "file")] if checked.files != processes else []
    parts += [count_text(checked.lines, "line"), count_text(checked.steps, "step")]
    return printable_text(", ".join([*parts, *_release_texts(report)]))


def _release_texts(report: Report) -> list[str]:
    rows: dict[str, list[str]] = defaultdict(list)
    for row in report.releases:
        if row.releases and row.releases not in rows[row.how]:
            rows[row.how].append(row.releases)
    return [
        f"{' and '.join(releases) if len(releases) <= 3 else f'{len(releases)} releases'} ({how})"
        for how, releases in rows.items()
    ]


def _nothing_judged(report: Report) -> str:
    unread = (
        report.interrupted or report.errors or any(source.problems for source in report.sources)
    )
    if unread and not report.checked.lines:
        return "no line was read"
    if report.checked.files and not report.checked.lines:
        return "the log is empty: there is no line in it"
    return (
        "nothing was judged: no step and no state is told"
        if report.machines
        else "nothing of the catalogue was seen"
    )


def most_urgent_finding(report: Report) -> str:
    """Say what is forbidden, or why nothing is known to hold; nothing where all is well.

    Args:
        report: what a check found.

    Returns:
        A clause.
    """
    violated = sum(f.count for f in report.findings if f.verdict is Verdict.VIOLATED)
    parts = [f"{violated:,} forbidden"] if violated else []
    if not parts and report.verdict is Verdict.INCONCLUSIVE:
        unclear = sum(f.count for f in report.findings if f.verdict is Verdict.INCONCLUSIVE)
        parts = (
            [f"{unclear:,} cannot be told"]
            if unclear
            else [_nothing_judged(report)]
            if not report.checked.steps
            else []
        )
        parts += [f"{len(report.errors):,} could not be read"] if report.errors else []
    return ", ".join(parts)


_NOT_TO_THE_END = "reading was interrupted before the end of the log"
_TOO_LITTLE = "too little is told to say how the system is"


def health_word(report: Report) -> str:
    """Return how a system is, in a word.

    Args:
        report: what a check found.

    Returns:
        The name of its health; OVER where nothing is wrong now and something that was ended without
        having recovered: that is not called healed.
    """
    return report.health_word.upper()


def health_text(report: Report, clock: ReportClock) -> str:
    """Say what is worst in a line: of one incident since when, of several how many of a kind; where
    none goes on, which rule was broken. That nothing is wrong is said only where no rule was.

    Args:
        report: what a check found.
        clock: of the report, which writes its moments.

    Returns:
        A clause.
    """
    wrong = [
        open_incident for open_incident in open_incidents(report) if open_incident.is_open
    ] or open_incidents(report)
    if wrong:
        return _worst_text(wrong, clock)
    broken = _broken_text(report, clock)
    if past := _past_incidents(report):
        quiet = (
            f"no {_new(report)}trouble goes on" if broken else f"nothing {_new(report)}is wrong now"
        )
        now = _NOT_TO_THE_END if report.interrupted else quiet + _known_text(report)
        before = f"{now}, but {broken}; " if broken else f"{now}; "
        return before + _worst_text(past, clock)
    if report.health is Health.UNKNOWN:
        unknown = _NOT_TO_THE_END if report.interrupted else _TOO_LITTLE
        return f"{unknown}, but {broken}" if broken else unknown
    if broken:
        return f"no {_new(report)}trouble is told{_known_text(report)}, but {broken}"
    asked_for = [row for row in report.incidents if row.harm is Harm.NONE]
    quiet = "nothing is wrong but what the baseline knows" if report.known else "nothing is wrong"
    quiet += _known_text(report)
    quiet += ", as far as the logs go" if early_ends_text(report) else ""
    if asked_for:
        return f"{quiet}; {_worst_text(asked_for, clock)}"
    if untold := _untold_text(report, clock):
        return f"{quiet}, but {untold}"
    refused = _refused_text(report, clock)
    return f"{quiet}; {refused}" if refused else quiet


def _new(report: Report) -> str:
    """Return the word that keeps apart what is new from known trouble that goes on."""
    return "new " if report.known_open else ""


def _known_text(report: Report) -> str:
    """Say in brackets how many known incidents go on; nothing where none does."""
    if not report.known_open:
        return ""
    goes = "goes" if report.known_open == 1 else "go"
    return f" ({count_text(report.known_open, 'known incident')} {goes} on)"


def _past_incidents(report: Report) -> list[Incident]:
    """Return the incidents that did harm and do not go on."""
    return [
        incident
        for incident in report.incidents
        if not incident.is_in_order and not incident.is_open
    ]


def _broken_text(report: Report, clock: ReportClock) -> str:
    """Say which rule was broken first, and how often any was; nothing where none was."""
    violated = [finding for finding in report.findings if finding.verdict is Verdict.VIOLATED]
    if not violated:
        return ""
    kind = violated[0].kind
    kind = "" if kind == "broken rule" else f" ({kind})"
    first = f"{kind}: {_finding_text(violated[0], report, clock)}"
    if (times := sum(finding.count for finding in violated)) > 1:
        return f"rules were broken {times:,} times, first{first}"
    return f"a rule was broken{first}"


def _untold_text(report: Report, clock: ReportClock) -> str:
    """Name the first finding that cannot be told, and how many more; nothing where all can."""
    untold = [row for row in report.findings if row.verdict is Verdict.INCONCLUSIVE]
    if not untold:
        return ""
    more = sum(finding.count for finding in untold) - 1
    text = f"cannot be told ({untold[0].kind}): {_finding_text(untold[0], report, clock)}"
    return text + (f", and {more:,} more" if more else "")


def _refused_text(report: Report, clock: ReportClock) -> str:
    """Name the first request that was refused with an error or a message, and how many more; what
    was ignored is no news: many programs ask twice to be closed.
    """
    refused = [row for row in report.findings if row.kind in _REFUSED_KINDS]
    if not refused:
        return ""
    times = sum(finding.count for finding in refused)
    first = f": {_finding_text(refused[0], report, clock)}"
    if times == 1:
        return f"a request was refused{first}"
    return f"{times:,} refused requests, first{first}"


def _finding_text(finding: Finding, report: Report, clock: ReportClock) -> str:
    """Name what broke a rule, by what it did and when."""
    name = SubjectNames(report).name(finding.machine, finding.instance, finding.process)
    step = " -> ".join(state for state in (finding.source, finding.target) if state)
    when = f" at {clock.moment(finding.at)}" if finding.at else ""
    if words := _words_of_spec(finding, step):
        return f"{name}{when}: {words}"
    did = f", {step}" if step else f" ({cut_end(finding.message, LONGEST_MESSAGE)})"
    return name + did + when


def _words_of_spec(finding: Finding, step: str) -> str:
    """Return what the spec says of who asks for a forbidden step; it stands before the step."""
    before, named, _ = finding.message.partition(f": {step}")
    return before[:1].lower() + before[1:] if finding.kind == "forbidden" and step and named else ""


def _worst_text(incidents: Sequence[Incident], clock: ReportClock) -> str:
    """Tell the first incident with its time, what the same befell, and what followed from it; the
    others, which did not, are counted by kind behind `also`.
    """
    first = incidents[0]
    same = [incident for incident in incidents if incident.kind == first.kind]
    others = [incident for incident in incidents if incident.kind != first.kind]
    kinds = list(dict.fromkeys(other.kind for other in others))
    shown = [other for other in others if other.kind in kinds[:MOST_KINDS]]
    left_out = len(others) - len(shown)
    more = f"and {left_out:,} more" if left_out else ""
    also = ", ".join(part for part in (counted_incidents(shown), more) if part)
    return _first_text(first, same, clock) + (f"; also {also}" if also else "")


def _first_text(first: Incident, same: Sequence[Incident], clock: ReportClock) -> str:
    effects = list(filter(None, map(_worst_effect, same)))
    then = ""
    if effects:
        worst = effects[0] if first.is_open else max(effects, key=_effect_ms)
        alike = [e for incident in same for e in incident.effects if e.kind == worst.kind]
        number = sum(e.open_count if first.is_open else e.count for e in alike)
        then = f" → {worst.title}" + (f", and {number - 1:,} more like it" if number > 1 else "")
    return _told_text(first, same, clock) + then


def _told_text(first: Incident, same: Sequence[Incident], clock: ReportClock) -> str:
    if len(same) > MOST_NAMED:
        return counted_incidents(same) + _earliest_text(same, clock)
    title = f"{first.title} {incident_story(first, clock).when}"
    likewise = others_text(first, same[1:])
    return f"{title} ({likewise})" if likewise else title


def _earliest_text(same: Sequence[Incident], clock: ReportClock) -> str:
    """Say when the first of many was, or since when it goes on; nothing where no time is told."""
    if any(incident.since is None for incident in same):
        return ""
    first = min(same, key=lambda incident: (incident.since.ms or 0) if incident.since else 0)
    return f", the first {incident_story(first, clock).when}"


def _effect_ms(effect: IncidentEffect) -> int:
    """Return how long what is over lasted."""
    since, until = (instant.ms if instant else None for instant in (effect.since, effect.until))
    return until - since if since is not None and until is not None else 0


def _worst_effect(incident: Incident) -> IncidentEffect | None:
    """Return the worst of what an incident did to others, and that goes on as it does."""
    of_others = (e for e in incident.effects if not _is_of_same(e.first, incident.subject))
    return next((e for e in of_others if bool(e.open_count) is incident.is_open), None)


def _is_of_same(key: InstanceKey, subject: InstanceKey) -> bool:
    """Tell whether a key is of the thing that a subject is, or of a part of it. Numbers of fields
    with different names say nothing by themselves: partition 2 is no part of broker 2.
    """
    values = {value for _, value in subject}
    same_texts = {value for _, value in key if isinstance(value, str)} & values
    is_whole = bool(key) and values.issuperset(value for _, value in key)
    return bool(same_texts) or is_whole or not set(key).isdisjoint(subject)


def partly_decided(report: Report) -> Iterator[str]:
    """Say of how many properties some lines were not decided; one is named.

    Args:
        report: what a check found.

    Yields:
        A sentence, or nothing.
    """
    rows = [row for row in report.rules if row.rule is not None and row.judged and row.undecided]
    if len(rows) == 1:
        row = rows[0]
        yield (
            f"rule {row.rule} of {row.machine}: judged {count_text(row.judged, 'time')};"
            f" {count_text(row.undecided, 'time')} the lines do not tell enough"
        )
    elif rows:
        yield (
            f"{len(rows):,} properties were decided at some of their steps only (`rules` of"
            " --format json has each)"
        )
