"""What is wrong at the end of the log, what state everything is in, and what was wrong and healed."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from statemachines.model.reports import Now, OpenOrClosed, Report
from statemachines.report.text.columns import Cell, Look, clipped, count, harmless, table
from statemachines.report.text.names import Clock, machine_name, place_name, subject_name

FEW = 4
"""So many subjects of a machine are shown one by one; of more, their states are counted."""
QUOTED = 5
"""So many open episodes are shown with the line that is to blame."""


def open_episodes(report: Report, clock: Clock, look: Look) -> Iterator[str]:
    """Show what is wrong now, longest first."""
    wrong = sorted((e for e in report.episodes if e.open), key=lambda e: (e.since.ms or 0) if e.since else 0)
    shown = wrong[: look.limit]
    rows = [
        [Cell(f"✗ {e.title}", "bad", cut=True), Cell(clock.since(e.since)), Cell(place_name(e.blame.place if e.blame else None), "dim")]
        for e in shown
    ]
    for episode, line in zip(shown, table(rows, look), strict=True):
        yield line
        if len(wrong) <= QUOTED and episode.blame is not None and episode.blame.text:
            yield "      " + look.paint(clipped(harmless(episode.blame.text), look.width - 6), "dim")
    yield from _rest(wrong, look)


def _rest(wrong: Sequence[OpenOrClosed], look: Look) -> Iterator[str]:
    kinds = Counter(episode.kind for episode in wrong[look.limit :])
    for kind, number in kinds.items():
        yield f"  ✗ … and {number:,} more {kind} (--all lists them)"


def states_now(report: Report, clock: Clock, look: Look) -> Iterator[str]:
    """Show the last state of everything that has no open episode: few one by one, many counted by state."""
    ill = {(e.machine, e.subject) for e in report.episodes if e.open}
    by_machine: dict[str, list[Now]] = defaultdict(list)
    for row in report.now:
        if (row.machine, row.subject) not in ill:
            by_machine[row.machine].append(row)
    rows: list[list[Cell]] = []
    for machine, nows in by_machine.items():
        rows += _one_by_one(nows, clock) if len(nows) <= FEW or look.limit > len(report.now) else [_counted(machine, nows)]
    yield from table(rows, look)


def _one_by_one(nows: Sequence[Now], clock: Clock) -> list[list[Cell]]:
    return [
        [
            Cell(f"{'○' if now.final else '●'} {machine_name(now.machine)} {subject_name(now.subject)}", cut=True),
            Cell(" or ".join(now.state)),
            Cell(clock.since(now.since)),
            Cell(place_name(now.place), "dim"),
        ]
        for now in nows
    ]


def _counted(machine: str, nows: Sequence[Now]) -> list[Cell]:
    states = Counter(" or ".join(now.state) for now in nows)
    return [Cell(f"● {machine_name(machine)}"), Cell(", ".join(f"{number:,} {state}" for state, number in states.most_common()), cut=True)]


def healed(report: Report, clock: Clock, look: Look) -> Iterator[str]:
    """Count what was wrong and is over; only the longest of each kind is shown."""
    by_kind: dict[tuple[str, str], list[OpenOrClosed]] = defaultdict(list)
    for episode in report.episodes:
        if not episode.open:
            by_kind[episode.machine, episode.kind].append(episode)
    rows = []
    for (_, kind), episodes in by_kind.items():
        longest = max(episodes, key=_length)
        subjects = len({episode.subject for episode in episodes})
        many = f"{len(episodes):,} × {kind} ({count(subjects, 'subject')}), longest: " if len(episodes) > 1 else ""
        rows.append([Cell(f"{many}{longest.title}", cut=True), Cell(f"for {clock.between(longest.since, longest.until)}")])
    yield from table(rows, look)


def _length(episode: OpenOrClosed) -> int:
    since, until = (instant.ms if instant else None for instant in (episode.since, episode.until))
    return until - since if since is not None and until is not None else -1
