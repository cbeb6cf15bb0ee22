"""Findings, and what was not judged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from statemachines.model.reports import Finding, Report
from statemachines.model.verdicts import Verdict
from statemachines.report.html.around import EVIDENCE, Around
from statemachines.report.html.quoting import quoted
from statemachines.report.html.states import AT_ONCE
from statemachines.report.html.tags import Markup, more, section, table, tag
from statemachines.report.text.columns import Look, count
from statemachines.report.text.names import Clock, instance_name, place_name
from statemachines.report.text.unjudged import not_judged

LISTED = 2_000
"""Rows of a table of findings."""
MOST_KINDS = 40
"""Rows of the table that counts findings by kind."""
CLASSES = {Verdict.VIOLATED: "bad", Verdict.INCONCLUSIVE: "doubt", Verdict.HOLDS: "fine"}


def findings(report: Report, clock: Clock, around: Around) -> Iterator[Markup]:
    """Show findings in three parts: forbidden, in doubt, and what the program did well."""
    for title, identity, verdict in (("Forbidden", "forbidden", Verdict.VIOLATED), ("Cannot be told", "doubt", Verdict.INCONCLUSIVE)):
        found = [finding for finding in report.findings if finding.verdict is verdict]
        yield section(title, identity, _in_full(found, clock, around))
    behaved = [finding for finding in report.findings if finding.verdict is Verdict.HOLDS]
    inside = [more(count(sum(f.count for f in behaved), "request"), *_listed(behaved, clock))] if behaved else []
    yield section("Refused by the program, or tried in vain (it behaved)", "behaved", inside)


def _in_full(found: Sequence[Finding], clock: Clock, around: Around) -> Iterator[Markup]:
    """Yield what was found: many by kind first, then each with its evidence, the rest as a table."""
    if len(found) > AT_ONCE:
        yield _by_kind(found)
    shown = [_finding(finding, clock, around) for finding in found[:EVIDENCE]]
    yield from shown[:AT_ONCE]
    if len(shown) > AT_ONCE:
        yield more(f"{len(shown) - AT_ONCE:,} more", *shown[AT_ONCE:])
    if len(found) > EVIDENCE:
        yield more(f"{len(found) - EVIDENCE:,} more, a line each", *_listed(found[EVIDENCE:], clock))


def _by_kind(found: Sequence[Finding]) -> Markup:
    times: Counter[tuple[str, str, str]] = Counter()
    first: dict[tuple[str, str, str], Finding] = {}
    for finding in found:
        kind = (finding.kind, finding.machine, _move(finding))
        times[kind] += finding.count
        first.setdefault(kind, finding)
    ranked = times.most_common(MOST_KINDS)
    rows = [[f"{number:,}", *kind, place_name(first[kind].place)] for kind, number in ranked]
    rest = [tag("p", f"and {len(times) - len(ranked):,} more kinds", class_="note")] if len(times) > len(ranked) else []
    return Markup("".join((table(("times", "kind", "of", "step", "first"), rows), *rest)))


def _listed(found: Sequence[Finding], clock: Clock) -> Iterator[Markup]:
    """Yield a table of findings, and how many it leaves out."""
    shown = found[:LISTED]
    rows = (
        [f.kind, f"{f.count:,}", instance_name(f.machine, f.instance), _move(f), clock.moment(f.at), place_name(f.place)] for f in shown
    )
    yield table(("kind", "times", "of", "step", "at", "line"), rows)
    if len(found) > len(shown):
        yield tag("p", f"{len(found) - len(shown):,} more are not in this page; the JSON and CSV reports have all.", class_="note")


def _finding(finding: Finding, clock: Clock, around: Around) -> Markup:
    times = f"{finding.count:,} × " if finding.count > 1 else ""
    parts = [
        tag("h3", f"{times}{finding.kind}: {instance_name(finding.machine, finding.instance)} {_move(finding)}"),
        tag("p", finding.message),
        tag("p", f"at {clock.moment(finding.at)}, process {finding.process}"),
    ]
    parts += quoted(finding.place, finding.text, around)
    parts += [tag("dl", *(part for name, told in _evidence(finding, around) for part in (tag("dt", name), tag("dd", told))))]
    return tag("article", *parts, class_=CLASSES[finding.verdict])


def _evidence(finding: Finding, around: Around) -> Iterator[tuple[str, object]]:
    if finding.was is not None:
        yield "was", f"{' or '.join(finding.was.state)} ({place_name(finding.was.place) or 'not told by a line'})"
    if finding.legal:
        yield "legal from there", ", ".join(finding.legal)
    if finding.legal_in:
        yield "legal in", finding.legal_in
    if finding.missing:
        yield "missing", ", ".join(finding.missing)
    if finding.spec:
        line = around.specs.get(finding.spec)
        yield "spec", Markup(f"{tag('code', place_name(finding.spec))}{tag('pre', line) if line else ''}")
    if finding.last:
        yield "last of them", place_name(finding.last)


def _move(finding: Finding) -> str:
    move = " → ".join(state for state in (finding.source, finding.target) if state)
    return " ".join(part for part in (move, finding.outcome) if part)


def uncovered(report: Report) -> Markup:
    """Say what the verdict does not cover, in the words of the text report."""
    told = [line.strip() for line in not_judged(report, Look(width=10**6))]
    said = [tag("ul", *(tag("li", line) for line in told))] if told else []
    return section("Not judged", "unjudged", [*said, *_asked_for(report)])


def _asked_for(report: Report) -> Iterator[Markup]:
    """Yield a table of all that was asked for, with how often it was looked at."""
    if report.rules:
        numbers = ([f"{n:,}" for n in (row.judged, row.undecided, row.broken)] for row in report.rules)
        rows = [
            [row.machine, f"{row.claim} {row.rule or ''}".strip(), *counted, row.verdict.name if row.verdict is not None else row.why]
            for row, counted in zip(report.rules, numbers, strict=True)
        ]
        title = f"all that was asked for: {count(len(rows), 'machine, system or property', 'machines, systems and properties')}"
        yield more(title, table(("of", "what", "judged", "undecided", "broken", "verdict"), rows))


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
