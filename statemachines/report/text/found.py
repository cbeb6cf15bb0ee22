"""Findings: what was forbidden, what cannot be told, and what the program refused or failed to do."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from statemachines.model.reports import Finding, Report
from statemachines.model.verdicts import Verdict
from statemachines.report.text.columns import Cell, Gives, Look, clipped, harmless, table
from statemachines.report.text.names import Clock, instance_name, machine_name, place_name, subject_name

MARGIN = "      "


def violated(report: Report, clock: Clock, look: Look) -> Iterator[str]:
    """Show what was forbidden, each with its line and what was legal."""
    yield from _listed([f for f in report.findings if f.verdict is Verdict.VIOLATED], "✗", "bad", clock, look)


def inconclusive(report: Report, clock: Clock, look: Look) -> Iterator[str]:
    """Show what cannot be told, and what would decide it."""
    yield from _listed([f for f in report.findings if f.verdict is Verdict.INCONCLUSIVE], "?", "doubt", clock, look)


def _listed(findings: Sequence[Finding], sign: str, style: str, clock: Clock, look: Look) -> Iterator[str]:
    shown = findings[: look.limit]
    rows = [
        [
            Cell(f"{sign} {instance_name(f.machine, f.instance)}", style, Gives.ITS_MIDDLE),
            Cell(_times(f) + _move(f)),
            Cell(clock.moment(f.at)),
            Cell(place_name(f.place), "dim"),
        ]
        for f in shown
    ]
    for finding, line in zip(shown, table(rows, look), strict=True):
        yield line
        yield from _evidence(finding, look)
    if len(findings) > len(shown):
        yield f"  {sign} … and {len(findings) - len(shown):,} more (--all lists them)"


def _evidence(finding: Finding, look: Look) -> Iterator[str]:
    yield MARGIN + harmless(f"{finding.kind}: {finding.message}")
    if finding.was is not None:
        yield MARGIN + harmless(f"was {' or '.join(finding.was.state)} ({place_name(finding.was.place) or 'not told by a line'})")
    if finding.legal:
        yield MARGIN + harmless(f"legal from there: {', '.join(finding.legal)}")
    if finding.legal_in:
        yield MARGIN + harmless(f"legal in {finding.legal_in}")
    if finding.missing:
        yield MARGIN + harmless(f"missing: {', '.join(finding.missing)}")
    if finding.text:
        yield MARGIN + look.paint(clipped(harmless(finding.text), look.width - len(MARGIN)), "dim")
    if finding.spec is not None:
        yield MARGIN + look.paint(harmless(place_name(finding.spec)), "dim")


def _move(finding: Finding) -> str:
    move = " -> ".join(state for state in (finding.source, finding.target) if state)
    return " ".join(part for part in (move, finding.outcome) if part) or finding.kind


def _times(finding: Finding) -> str:
    return f"{finding.count:,} × " if finding.count > 1 else ""


def behaved(report: Report, kinds: Sequence[str], look: Look) -> Iterator[str]:
    """Count findings that hold by what was asked for and what became of it, most frequent first; reasons are those of the first."""
    groups: dict[tuple[str | None, ...], list[Finding]] = defaultdict(list)
    for finding in report.findings:
        if finding.verdict is Verdict.HOLDS and finding.kind in kinds:
            outcome = finding.outcome.partition(":")[0] if finding.outcome else finding.kind
            groups[finding.machine, finding.source, finding.target, outcome].append(finding)
    ranked = sorted(groups.items(), key=lambda item: -sum(f.count for f in item[1]))
    for _, findings in ranked[: look.limit]:
        first = findings[0]
        times = f"{sum(f.count for f in findings):,} × {machine_name(first.machine)}"
        said = _move(first) if first.outcome else f"{_move(first)} {first.kind}"
        yield from table([[Cell(times), Cell(said, gives=Gives.ITS_END)]], look)
        whom = ("first " if len(findings) > 1 else "") + subject_name(first.instance)
        yield from table([[Cell(whom, gives=Gives.ITS_MIDDLE), Cell(place_name(first.place), "dim")]], look, margin=MARGIN)
    if len(ranked) > look.limit:
        yield f"  … and {len(ranked) - look.limit:,} more kinds (--all lists them)"
