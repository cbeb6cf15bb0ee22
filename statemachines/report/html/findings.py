"""Findings, and what was not judged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from statemachines.model.counts import count_text
from statemachines.model.evidence.reports import Finding, Report
from statemachines.model.evidence.verdicts import Verdict
from statemachines.report.html.elements import Markup, expandable, section, table, tag
from statemachines.report.html.incident_sections import SHOWN_AT_ONCE
from statemachines.report.html.log_excerpts import quoted_lines
from statemachines.report.html.page_context import MOST_SHOWN_IN_FULL, PageContext
from statemachines.report.sections.display_names import ReportClock, place_name
from statemachines.report.sections.subject_names import SubjectNames
from statemachines.report.text.text_columns import OutputStyle
from statemachines.report.text.unjudged import unjudged_lines

MOST_ROWS = 2_000
"""Rows of a table of findings."""
MOST_KINDS = 40
"""Rows of the table that counts findings by kind."""
VERDICT_CLASSES = {Verdict.VIOLATED: "bad", Verdict.INCONCLUSIVE: "doubt", Verdict.HOLDS: "fine"}


def finding_sections(report: Report, clock: ReportClock, around: PageContext) -> Iterator[Markup]:
    """Show findings in three parts: forbidden, in doubt, and what the program did well.

    Args:
        report: what a check found.
        clock: of the report, which writes its moments.
        around: the machines and the lines of logs that a page shows beside the report.

    Yields:
        Sections of the page that have a finding.
    """
    names = SubjectNames(report)
    for title, identity, verdict in (
        ("Forbidden", "forbidden", Verdict.VIOLATED),
        ("Cannot be told", "doubt", Verdict.INCONCLUSIVE),
    ):
        findings = [finding for finding in report.findings if finding.verdict is verdict]
        yield section(title, identity, _finding_articles(findings, names, clock, around))
    behaved = [finding for finding in report.findings if finding.verdict is Verdict.HOLDS]
    inside = (
        [
            expandable(
                count_text(sum(f.count for f in behaved), "request"),
                *_finding_table(behaved, names, clock),
            )
        ]
        if behaved
        else []
    )
    yield section("Refused by the program, or tried in vain (it behaved)", "behaved", inside)


def _finding_articles(
    findings: Sequence[Finding], names: SubjectNames, clock: ReportClock, around: PageContext
) -> Iterator[Markup]:
    """Yield what was found: kinds if they are many, each with its evidence, the rest as a table."""
    if len(findings) > SHOWN_AT_ONCE:
        yield _kind_table(findings)
    shown = [
        _finding_article(finding, names, clock, around) for finding in findings[:MOST_SHOWN_IN_FULL]
    ]
    yield from shown[:SHOWN_AT_ONCE]
    if len(shown) > SHOWN_AT_ONCE:
        yield expandable(f"{len(shown) - SHOWN_AT_ONCE:,} more", *shown[SHOWN_AT_ONCE:])
    if len(findings) > MOST_SHOWN_IN_FULL:
        yield expandable(
            f"{len(findings) - MOST_SHOWN_IN_FULL:,} more, a line each",
            *_finding_table(findings[MOST_SHOWN_IN_FULL:], names, clock),
        )


def _kind_table(findings: Sequence[Finding]) -> Markup:
    times: Counter[tuple[str, str, str]] = Counter()
    first: dict[tuple[str, str, str], Finding] = {}
    for finding in findings:
        kind = (finding.kind, finding.machine, _step_text(finding))
        times[kind] += finding.count
        first.setdefault(kind, finding)
    ranked = times.most_common(MOST_KINDS)
    rows = [[f"{number:,}", *kind, place_name(first[kind].place)] for kind, number in ranked]
    rest = (
        [tag("p", f"and {len(times) - len(ranked):,} more kinds", class_="note")]
        if len(times) > len(ranked)
        else []
    )
    return Markup("".join((table(("times", "kind", "of", "step", "first"), rows), *rest)))


def _finding_table(
    findings: Sequence[Finding], names: SubjectNames, clock: ReportClock
) -> Iterator[Markup]:
    """Yield a table of findings, and how many it leaves out."""
    shown = findings[:MOST_ROWS]
    rows = (
        [
            f.kind,
            f"{f.count:,}",
            names.name(f.machine, f.instance, f.process),
            _step_text(f),
            clock.moment(f.at),
            place_name(f.place),
        ]
        for f in shown
    )
    yield table(("kind", "times", "of", "step", "at", "line"), rows)
    if len(findings) > len(shown):
        yield tag(
            "p",
            f"{len(findings) - len(shown):,} more are not in this page; the JSON and CSV reports"
            " have all.",
            class_="note",
        )


def _finding_article(
    finding: Finding, names: SubjectNames, clock: ReportClock, around: PageContext
) -> Markup:
    times = f"{finding.count:,} × " if finding.count > 1 else ""
    name = names.name(finding.machine, finding.instance, finding.process)
    parts = [
        tag(
            "h3",
            f"{times}{finding.kind}: {name} {_step_text(finding)}",
        ),
        tag("p", finding.message),
        tag("p", f"at {clock.moment(finding.at)}, process {finding.process}"),
    ]
    parts += quoted_lines(finding.place, finding.text, around)
    parts += [
        tag(
            "dl",
            *(
                part
                for name, lines in _evidence_entries(finding, around)
                for part in (tag("dt", name), tag("dd", lines))
            ),
        )
    ]
    return tag("article", *parts, class_=VERDICT_CLASSES[finding.verdict])


def _evidence_entries(finding: Finding, around: PageContext) -> Iterator[tuple[str, object]]:
    if finding.was is not None:
        yield (
            "was",
            (
                f"{' or '.join(finding.was.state)}"
                f" ({place_name(finding.was.place) or 'not told by a line'})"
            ),
        )
    if finding.legal:
        yield "legal from there", ", ".join(finding.legal)
    if finding.legal_in:
        yield "legal in", finding.legal_in
    if finding.missing:
        yield "missing", ", ".join(finding.missing)
    if finding.spec:
        line = around.spec_lines.get(finding.spec)
        yield (
            "spec",
            Markup(f"{tag('code', place_name(finding.spec))}{tag('pre', line) if line else ''}"),
        )
    if finding.last:
        yield "last of them", place_name(finding.last)


def _step_text(finding: Finding) -> str:
    move = " → ".join(state for state in (finding.source, finding.target) if state)
    return " ".join(part for part in (move, finding.outcome) if part)


def unjudged_section(report: Report) -> Markup:
    """Say what the verdict does not cover, in the words of the text report.

    Args:
        report: what a check found.

    Returns:
        A section of the page, or nothing.
    """
    lines = [line.strip() for line in unjudged_lines(report, OutputStyle(width=10**6))]
    items = [tag("ul", *(tag("li", line) for line in lines))] if lines else []
    return section("Not judged", "unjudged", [*items, *_rules_table(report)])


def _rules_table(report: Report) -> Iterator[Markup]:
    """Yield a table of all that was asked for, with how often it was looked at."""
    if report.rules:
        numbers = (
            [f"{n:,}" for n in (row.judged, row.undecided, row.broken)] for row in report.rules
        )
        rows = [
            [
                row.machine,
                f"{row.claim} {row.rule or ''}".strip(),
                *counted,
                row.verdict.name if row.verdict is not None else row.why,
            ]
            for row, counted in zip(report.rules, numbers, strict=True)
        ]
        one, many = "machine, system or property", "machines, systems and properties"
        title = f"all that was asked for: {count_text(len(rows), one, many)}"
        yield expandable(
            title, table(("of", "what", "judged", "undecided", "broken", "verdict"), rows)
        )


def sources_section(report: Report, clock: ReportClock) -> Markup:
    """List what was read, and the releases of its processes.

    Args:
        report: what a check found.
        clock: of the report, which writes its moments.

    Returns:
        A section of the page.
    """
    files = (
        [
            s.file,
            s.layout or "",
            f"{s.lines:,}",
            clock.moment(s.first),
            clock.moment(s.last),
            ", ".join(s.process),
            "; ".join(s.problems),
        ]
        for s in report.sources
    )
    releases = ([row.process, row.releases, row.how] for row in report.releases)
    parts: Sequence[Markup] = (
        expandable(
            count_text(len(report.sources), "file"),
            table(("file", "layout", "lines", "first", "last", "process", "problems"), files),
        ),
        expandable(
            f"releases of {count_text(len(report.releases), 'process', 'processes')}",
            table(("process", "releases", "known by"), releases),
        ),
    )
    return section("What was read", "sources", parts)
