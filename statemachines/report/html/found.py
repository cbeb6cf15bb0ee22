"""Findings, and what was not judged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from statemachines.model.reports import Finding, Report
from statemachines.model.verdicts import Verdict
from statemachines.report.html.states import AT_ONCE
from statemachines.report.html.tags import Markup, more, section, table, tag
from statemachines.report.text.columns import Look, count
from statemachines.report.text.names import Clock, instance_name, place_name
from statemachines.report.text.unjudged import not_judged

CLASSES = {Verdict.VIOLATED: "bad", Verdict.INCONCLUSIVE: "doubt", Verdict.HOLDS: "fine"}


def findings(report: Report, clock: Clock) -> Iterator[Markup]:
    """Show findings in three parts: forbidden, in doubt, and what the program did well."""
    for title, identity, verdict in (("Forbidden", "forbidden", Verdict.VIOLATED), ("Cannot be told", "doubt", Verdict.INCONCLUSIVE)):
        found = [finding for finding in report.findings if finding.verdict is verdict]
        shown = [_finding(finding, clock) for finding in found]
        rest = [more(f"{len(shown) - AT_ONCE:,} more", *shown[AT_ONCE:])] if len(shown) > AT_ONCE else []
        yield section(title, identity, [*shown[:AT_ONCE], *rest])
    behaved = [finding for finding in report.findings if finding.verdict is Verdict.HOLDS]
    rows = (
        [f.kind, f"{f.count:,}", instance_name(f.machine, f.instance), _move(f), clock.moment(f.at), place_name(f.place)] for f in behaved
    )
    listed = table(("kind", "times", "of", "step", "at", "line"), rows)
    inside = [more(count(sum(f.count for f in behaved), "request"), listed)] if behaved else []
    yield section("Refused by the program, or tried in vain (it behaved)", "behaved", inside)


def _finding(finding: Finding, clock: Clock) -> Markup:
    times = f"{finding.count:,} × " if finding.count > 1 else ""
    parts = [
        tag("h3", f"{times}{finding.kind}: {instance_name(finding.machine, finding.instance)} {_move(finding)}"),
        tag("p", finding.message),
        tag("p", tag("code", place_name(finding.place)), f" at {clock.moment(finding.at)}, process {finding.process}"),
    ]
    parts += [tag("pre", finding.text)] if finding.text else []
    parts += [tag("dl", *(part for name, told in _evidence(finding) for part in (tag("dt", name), tag("dd", told))))]
    return tag("article", *parts, class_=CLASSES[finding.verdict])


def _evidence(finding: Finding) -> Iterator[tuple[str, str]]:
    if finding.was is not None:
        yield "was", f"{' or '.join(finding.was.state)} ({place_name(finding.was.place) or 'not told by a line'})"
    if finding.legal:
        yield "legal from there", ", ".join(finding.legal)
    if finding.legal_in:
        yield "legal in", finding.legal_in
    if finding.missing:
        yield "missing", ", ".join(finding.missing)
    if finding.spec:
        yield "spec", place_name(finding.spec)


def _move(finding: Finding) -> str:
    move = " → ".join(state for state in (finding.source, finding.target) if state)
    return " ".join(part for part in (move, finding.outcome) if part)


def uncovered(report: Report) -> Markup:
    """Say what the verdict does not cover, in the words of the text report."""
    told = [line.strip() for line in not_judged(report, Look(width=10**6))]
    return section("Not judged", "unjudged", [tag("ul", *(tag("li", line) for line in told))] if told else [])


def sources(report: Report, clock: Clock) -> Markup:
    """List what was read, and the releases of its processes."""
    files = (
        [s.file, s.layout or "", f"{s.lines:,}", clock.moment(s.first), clock.moment(s.last), ", ".join(s.process), "; ".join(s.problems)]
        for s in report.sources
    )
    releases = ([row.process, row.releases, row.how] for row in report.releases)
    parts: Sequence[Markup] = (
        more(count(len(report.sources), "file"), table(("file", "layout", "lines", "first", "last", "process", "problems"), files)),
        more(f"releases of {count(len(report.releases), 'process', 'processes')}", table(("process", "releases", "known by"), releases)),
    )
    return section("What was read", "sources", parts)
