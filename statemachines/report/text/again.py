"""What happened again and again: how often, for how long, why, and whether it settled."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from statemachines.model.durations import duration
from statemachines.model.reports import Repeated, Report
from statemachines.report.text.columns import Cell, Gives, Look, clipped, harmless, table
from statemachines.report.text.names import Clock, instance_name, place_name

OFTEN = 3
"""Episodes of one subject that are worth a line of their own."""
TWICE = 2
"""The same of what a line is counted for. What it says once explains an episode, which then names its line, or is nothing of its own."""
FEW = 2
"""So many subjects of one kind are shown; of more, the one that it happened to most often."""
EVERYTHING = 100
"""A limit that is larger is that of somebody who wants to see all."""
REASONS = 3


def again(report: Report, clock: Clock, look: Look) -> Iterator[str]:
    """Show what happened to one subject again and again: of each kind the subject that it happened to most often, or all of `--all`."""
    for rows in worth_telling(report).values():
        shown = rows if len(rows) <= FEW or look.limit > max(len(report.repeated), EVERYTHING) else rows[:1]
        for row in shown:
            yield from table([_cells(row, len(rows) - len(shown), clock)], look)
            if row.reasons:
                yield "      " + clipped(harmless(reasons(row)), look.width - 6)


def worth_telling(report: Report) -> dict[tuple[str, str], list[Repeated]]:
    """Return what happened often enough, by machine and kind, most frequent first."""
    by_kind: dict[tuple[str, str], list[Repeated]] = defaultdict(list)
    for row in report.repeated:
        if row.count >= (OFTEN if row.longest_ms is not None else TWICE):
            by_kind[row.machine, row.kind].append(row)
    return by_kind


def _cells(row: Repeated, others: int, clock: Clock) -> list[Cell]:
    alike = f" (and of {others:,} more)" if others else ""
    return [
        Cell(f"↻ {row.count:,} × {row.kind}"),
        Cell(instance_name(row.machine, row.subject) + alike, gives=Gives.ITS_MIDDLE),
        Cell(often(row, clock)),
        Cell(lasting(row)),
        Cell(place_name(row.place), "dim", Gives.ITSELF),
    ]


def often(row: Repeated, clock: Clock) -> str:
    """Say when, and how far apart on average."""
    first, last = (instant.ms if instant is not None else None for instant in (row.first, row.last))
    if first is None or last is None:
        return ""
    when = f"{clock.moment(row.first)} to {clock.moment(row.last)}" if row.count > 1 else clock.moment(row.first)
    return f"every {duration(max(last - first, 0) // (row.count - 1))}, {when}" if row.count > 1 else when


def lasting(row: Repeated) -> str:
    """Say for how long in all, and whether it settled; nothing where nothing lasts."""
    if row.longest_ms is None or row.total_ms is None:
        return ""
    return f"{duration(row.total_ms)} in all, " + ("not settled" if row.open else "settled")


def reasons(row: Repeated) -> str:
    """Say why, the most frequent reasons first."""
    said = "; ".join(f"{times:,} × {reason}" for reason, times in row.reasons[:REASONS])
    return said + (f"; and {len(row.reasons) - REASONS:,} more" if len(row.reasons) > REASONS else "")
