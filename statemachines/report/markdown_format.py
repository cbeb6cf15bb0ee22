"""The report as Markdown, for an issue or a chat: the answers of the text report, in its order."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from statemachines.model.evidence.incidents import Incident
from statemachines.model.evidence.reports import EpisodeOutcome, Finding, Report
from statemachines.model.evidence.verdicts import Verdict
from statemachines.report.sections.alike_findings import alike_findings, more_alike
from statemachines.report.sections.display_names import (
    ReportClock,
    place_name,
    report_clock,
)
from statemachines.report.sections.incident_story import (
    ORDINARY,
    ORDINARY_NOW,
    counted_incidents,
    incident_story,
    open_incidents,
    ordinary_incidents,
    others_text,
    past_incidents,
    told_incidents,
    usual_incidents,
)
from statemachines.report.sections.log_notes import log_notes
from statemachines.report.sections.plain_texts import printable_text
from statemachines.report.sections.subject_names import SubjectNames
from statemachines.report.sections.unjudged_counts import unjudged_counts
from statemachines.report.sections.verdict_summary import (
    checked_amount,
    health_text,
    health_word,
    most_urgent_finding,
)

_MARKED = re.compile(r"([\\`*_{}\[\]<>#|~])")
MOST_SHOWN = 10
"""Incidents or findings of a list; the rest is counted."""


def to_markdown(report: Report) -> Iterator[str]:
    """Write how a system is, what is wrong with its cause, what healed, and which rules were
    broken.

    Args:
        report: what a check found; its timeline is not read.

    Returns:
        Pieces of text. What a log says is text in it, whatever it looks like.
    """
    clock = report_clock(report, local=True)
    yield f"# {health_word(report)}: {_escaped(health_text(report, clock))}\n\n"
    verdict = f"**{report.verdict.name}**: {_escaped(checked_amount(report))}"
    urgent = most_urgent_finding(report)
    yield verdict + (f"; {_escaped(urgent)}" if urgent else "") + "\n"
    for text in filter(None, (clock.span(), *log_notes(report))):
        yield f"\n{_escaped(text)}\n"
    healed, ended = EpisodeOutcome.HEALED, EpisodeOutcome.ENDED
    yield from _section("Now", _incident_items(open_incidents(report), clock))
    usual = _incident_items(usual_incidents(report), clock)
    yield from _section("Under way, not too long yet", usual)
    unrecovered = _incident_items(past_incidents(report, ended), clock)
    yield from _section("Ended without having recovered", unrecovered)
    yield from _section("Healed", _incident_items(past_incidents(report, healed), clock))
    for title, is_open in ((ORDINARY_NOW, True), (ORDINARY, False)):
        ordinary = ordinary_incidents(report, is_open=is_open)
        yield from _section(title, _incident_items(ordinary, clock))
    yield from _section("Forbidden", _finding_items(report, Verdict.VIOLATED, clock))
    yield from _section("Cannot be told", _finding_items(report, Verdict.INCONCLUSIVE, clock))
    yield from _section("Not judged", _unjudged_items(report))


def _escaped(text: str) -> str:
    """Write a text so that nothing in it is markup."""
    return _MARKED.sub(r"\\\1", printable_text(text))


def _section(title: str, items: Iterable[str]) -> Iterator[str]:
    first = True
    for item in items:
        if first:
            yield f"\n## {title}\n\n"
            first = False
        yield item + "\n"


def _incident_items(incidents: Sequence[Incident], clock: ReportClock) -> Iterator[str]:
    groups = told_incidents(incidents)
    for first, again, others in groups[:MOST_SHOWN]:
        story = incident_story(first, clock, again)
        yield f"- {story.sign} **{_escaped(story.title)}** {_escaped(story.when)}"
        more = [others_text(first, others)] if others else []
        for text in (story.why, *more):
            where = f" ({_escaped(story.where)})" if text == story.why and story.where else ""
            yield f"  - {_escaped(text)}{where}"
        if story.thrown_at:
            yield f"  - thrown at {_escaped(story.thrown_at)}"
        for text, where in story.also_logged:
            yield f"  - also logged: {_escaped(text)} ({_escaped(where)})"
        for text, where in story.also_unusual:
            yield f"  - also unusual: {_escaped(text)} ({_escaped(where)})"
        yield from (f"  - → {_escaped(effect)}" for effect in story.effects)
    rest = [row for first, *more in groups[MOST_SHOWN:] for row in (first, *chain(*more))]
    if rest:
        yield f"- and {len(rest):,} more: {_escaped(counted_incidents(rest))}"
    commands = dict.fromkeys(first.next for first, *_ in groups[:MOST_SHOWN] if first.next)
    if commands:
        yield f"\nWhat to look at next: {', '.join(f'`{command}`' for command in commands)}"


def _finding_items(report: Report, verdict: Verdict, clock: ReportClock) -> Iterator[str]:
    groups, names = alike_findings(report, verdict), SubjectNames(report)
    for first, *others in groups[:MOST_SHOWN]:
        yield _finding_item(first, names, clock)
        if others:
            yield f"  - {_escaped(more_alike(others, names))}"
    if left_out := sum(map(len, groups[MOST_SHOWN:])):
        yield f"- and {left_out:,} more"


def _finding_item(finding: Finding, names: SubjectNames, clock: ReportClock) -> str:
    name = names.name(finding.machine, finding.instance, finding.process)
    text = f"{finding.kind}: {finding.message} ({place_name(finding.place)})"
    return f"- **{_escaped(name)}** at {clock.moment(finding.at)}: {_escaped(text)}"


def _unjudged_items(report: Report) -> Iterator[str]:
    if counts := unjudged_counts(report):
        yield f"- {_escaped(counts)}"
    yield from (f"- not read: {_escaped(error)}" for error in report.errors)
