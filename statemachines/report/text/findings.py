"""Findings: what was forbidden, what is unknown, and what the program refused or failed to do."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from attrs import evolve

from statemachines.model.evidence.reports import Finding, Report
from statemachines.model.evidence.verdicts import Verdict
from statemachines.report.sections.alike_findings import alike_findings, more_alike
from statemachines.report.sections.display_names import ReportClock, place_name
from statemachines.report.sections.plain_texts import printable_text, without_common_end
from statemachines.report.sections.subject_names import SubjectNames
from statemachines.report.text.text_columns import (
    Cell,
    CellShortening,
    OutputStyle,
    aligned_blocks,
    aligned_rows,
    least_width,
)
from statemachines.report.text.wrapped_lines import MARGIN, hanging_lines, quoted_lines


def violated_lines(report: Report, clock: ReportClock, style: OutputStyle) -> Iterator[str]:
    """Show what was forbidden, each with its line and what was legal.

    Args:
        report: what a check found.
        clock: of the report, which writes its moments.
        style: columns, colours, and what is shortened.

    Yields:
        Lines to print.
    """
    yield from _finding_lines(report, Verdict.VIOLATED, "✗", "bad", clock, style)


def inconclusive_lines(report: Report, clock: ReportClock, style: OutputStyle) -> Iterator[str]:
    """Show what cannot be told, and what would decide it.

    Args:
        report: what a check found.
        clock: of the report, which writes its moments.
        style: columns, colours, and what is shortened.

    Yields:
        Lines to print.
    """
    yield from _finding_lines(report, Verdict.INCONCLUSIVE, "?", "doubt", clock, style)


def _finding_lines(
    report: Report,
    verdict: Verdict,
    sign: str,
    sign_style: str,
    clock: ReportClock,
    style: OutputStyle,
) -> Iterator[str]:
    groups, names = alike_findings(report, verdict), SubjectNames(report)
    if style.shows_all:
        groups = [[finding] for group in groups for finding in group]
    shown = groups[: style.limit]
    rows = [
        [
            Cell(
                f"{sign} {names.name(f.machine, f.instance, f.process)}",
                sign_style,
                CellShortening.OWN_LINES,
            ),
            Cell(_count_prefix(f) + _step_text(f)),
            Cell(clock.moment(f.at)),
            Cell(place_name(f.place), "dim"),
        ]
        for f, *_ in shown
    ]
    for (first, *others), lines in zip(shown, aligned_blocks(rows, style), strict=True):
        yield from lines
        yield from _evidence_lines(first, style)
        yield from hanging_lines(more_alike(others, names), MARGIN, style)
    if left_out := sum(map(len, groups[style.limit :])):
        yield f"  {sign} … and {left_out:,} more (--all lists them)"


def _evidence_lines(finding: Finding, style: OutputStyle) -> Iterator[str]:
    for fact in _facts(finding):
        yield from hanging_lines(printable_text(fact), MARGIN, style)
    if finding.text:
        lines = quoted_lines(printable_text(finding.text), "", style)
        yield from (MARGIN + style.paint(line.removeprefix(MARGIN), "dim") for line in lines)
    if finding.spec is not None:
        yield MARGIN + style.paint(printable_text(place_name(finding.spec)), "dim")


def _facts(finding: Finding) -> Iterator[str]:
    """Yield what was found, and what its sentence has not said."""
    yield f"{finding.kind}: {finding.message}"
    if finding.was is not None and not finding.message.startswith("was "):
        where = place_name(finding.was.place) or "not told by a line"
        yield f"was {' or '.join(finding.was.state)} ({where})"
    legal = ", ".join(finding.legal)
    if legal and f"legal there: {legal}" not in finding.message:
        yield f"legal from there: {legal}"
    if finding.legal_in:
        yield f"legal in {finding.legal_in}"
    if not all(step in finding.message for step in finding.missing):
        yield f"missing: {', '.join(finding.missing)}"


def _step_text(finding: Finding) -> str:
    move = " -> ".join(state for state in (finding.source, finding.target) if state)
    return " ".join(part for part in (move, finding.outcome) if part) or finding.kind


def _count_prefix(finding: Finding) -> str:
    return f"{finding.count:,} × " if finding.count > 1 else ""


def behaved_lines(
    report: Report, kinds: Sequence[str], clock: ReportClock, style: OutputStyle
) -> Iterator[str]:
    """Count findings that hold by what was asked for and what became of it, most frequent first;
    reasons are those of the first.

    Args:
        report: what a check found.
        kinds: of findings.
        clock: of the report, which writes its moments.
        style: columns, colours, and what is shortened.

    Yields:
        Lines to print.
    """
    names = SubjectNames(report)
    groups: dict[tuple[str | None, ...], list[Finding]] = defaultdict(list)
    for finding in report.findings:
        if finding.verdict is Verdict.HOLDS and finding.kind in kinds:
            outcome = finding.outcome.partition(":")[0] if finding.outcome else finding.kind
            groups[finding.machine, finding.source, finding.target, outcome].append(finding)
    ranked = sorted(groups.values(), key=lambda item: -sum(finding.count for finding in item))
    rows = [_behaved_cells(findings, names, clock) for findings in ranked[: style.limit]]
    if least_width(rows) > style.width - len("  "):
        short = without_common_end([row[0].text for row in rows])
        rows = [
            [evolve(row[0], text=text), *row[1:]] for row, text in zip(rows, short, strict=True)
        ]
    yield from aligned_rows(rows, style)
    if len(ranked) > style.limit:
        yield f"  … and {len(ranked) - style.limit:,} more kinds (--all lists them)"


def _behaved_cells(
    findings: Sequence[Finding], names: SubjectNames, clock: ReportClock
) -> list[Cell]:
    """Return how often something was asked for, of whom first, what became of it, and when."""
    first = findings[0]
    step = _step_text(first) if first.outcome else f"{_step_text(first)} {first.kind}"
    name = names.name(first.machine, first.instance, first.process)
    more = f" and {len(findings) - 1:,} more" if len(findings) > 1 else ""
    times = sum(finding.count for finding in findings)
    return [
        Cell(f"{times:,} × {name}{more}", shortening=CellShortening.OWN_LINES),
        Cell(step),
        Cell(f"at {clock.moment(first.at)}" if first.at else ""),
        Cell(place_name(first.place), "dim", CellShortening.LEFT_OUT),
    ]
