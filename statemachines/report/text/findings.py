"""Findings: what was forbidden, what is unknown, and what the program refused or failed to do."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import islice, zip_longest

from attrs import evolve

from statemachines.model.evidence.reports import Finding, Report
from statemachines.model.evidence.verdicts import Verdict
from statemachines.report.sections.display_names import (
    ReportClock,
    place_name,
)
from statemachines.report.sections.plain_texts import (
    cut_end,
    printable_text,
    without_common_end,
)
from statemachines.report.sections.subject_names import SubjectNames
from statemachines.report.text.text_columns import (
    COLUMN_GAP,
    Cell,
    CellShortening,
    OutputStyle,
    aligned_rows,
)

MARGIN = "      "


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
    findings, names = [f for f in report.findings if f.verdict is verdict], SubjectNames(report)
    shown = findings[: style.limit]
    rows = [
        [
            Cell(
                f"{sign} {names.name(f.machine, f.instance, f.process)}",
                sign_style,
                CellShortening.IN_MIDDLE,
            ),
            Cell(_count_prefix(f) + _step_text(f)),
            Cell(clock.moment(f.at)),
            Cell(place_name(f.place), "dim"),
        ]
        for f in shown
    ]
    for finding, line in zip(shown, aligned_rows(rows, style), strict=True):
        yield line
        yield from _evidence_lines(finding, style)
    if len(findings) > len(shown):
        yield f"  {sign} … and {len(findings) - len(shown):,} more (--all lists them)"


def _evidence_lines(finding: Finding, style: OutputStyle) -> Iterator[str]:
    yield MARGIN + printable_text(f"{finding.kind}: {finding.message}")
    if finding.was is not None:
        yield MARGIN + printable_text(
            f"was {' or '.join(finding.was.state)}"
            f" ({place_name(finding.was.place) or 'not told by a line'})"
        )
    if finding.legal:
        yield MARGIN + printable_text(f"legal from there: {', '.join(finding.legal)}")
    if finding.legal_in:
        yield MARGIN + printable_text(f"legal in {finding.legal_in}")
    if finding.missing:
        yield MARGIN + printable_text(f"missing: {', '.join(finding.missing)}")
    if finding.text:
        yield MARGIN + style.paint(
            cut_end(printable_text(finding.text), style.width - len(MARGIN)), "dim"
        )
    if finding.spec is not None:
        yield MARGIN + style.paint(printable_text(place_name(finding.spec)), "dim")


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
    yield from _whole_rows(rows, style)
    if len(ranked) > style.limit:
        yield f"  … and {len(ranked) - style.limit:,} more kinds (--all lists them)"


def _whole_rows(rows: Sequence[Sequence[Cell]], style: OutputStyle) -> Iterator[str]:
    """Align rows of a name, a step and what became of it. Where they are too wide, what the names
    have in common at their end goes, then the ends of reasons; where they still are, the names have
    a line of their own.
    """
    room, margin = style.width - 2, "  "
    if style.shows_all or _needed_width(rows) <= room:
        yield from aligned_rows(rows, style)
        return
    short = without_common_end([row[0].text for row in rows])
    rows = [[evolve(row[0], text=text), *row[1:]] for row, text in zip(rows, short, strict=True)]
    heads: Iterator[str] = iter(())
    is_split = _step_room(rows, room) < max(len(row[1].text.partition(":")[0]) for row in rows)
    if is_split:
        heads = aligned_rows([row[:1] for row in rows], style)
        rows = [[Cell(""), *row[1:]] for row in rows]
        margin, room = MARGIN, style.width - len(MARGIN) + len(COLUMN_GAP)
    steps = [cut_end(row[1].text, max(_step_room(rows, room), 0)) for row in rows]
    rows = [[row[0], Cell(step), *row[2:]] for row, step in zip(rows, steps, strict=True)]
    for line in aligned_rows(rows, style, margin):
        yield from islice(heads, 1)
        yield line


def _step_room(rows: Sequence[Sequence[Cell]], room: int) -> int:
    """Return how many columns the other cells leave to the steps."""
    return room - _needed_width([[row[0], Cell(""), *row[2:]] for row in rows])


def _needed_width(rows: Sequence[Sequence[Cell]]) -> int:
    """Return the columns that rows take without those cells that may be left out."""
    needed = [
        [len(cell.text) for cell in row if cell.shortening is not CellShortening.LEFT_OUT]
        for row in rows
    ]
    columns = [max(column) for column in zip_longest(*needed, fillvalue=0)]
    return sum(columns) + len(COLUMN_GAP) * (len(columns) - 1)


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
        Cell(f"{times:,} × {name}{more}", shortening=CellShortening.IN_NAMES),
        Cell(step),
        Cell(f"at {clock.moment(first.at)}" if first.at else ""),
        Cell(place_name(first.place), "dim", CellShortening.LEFT_OUT),
    ]
