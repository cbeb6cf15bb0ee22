"""What state everything is in at the end of the log, and what ended in order."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence, Set
from operator import itemgetter

from statemachines.model.evidence.alike_states import AlikeStates, alike_states
from statemachines.model.evidence.reports import (
    CurrentState,
    Episode,
    Report,
)
from statemachines.report.sections.display_names import (
    ReportClock,
    place_name,
)
from statemachines.report.sections.orderly_ends import (
    EndedProcess,
    ended_process_names,
    ended_processes,
    open_episodes,
)
from statemachines.report.sections.plain_texts import cut_end, printable_text
from statemachines.report.sections.subject_names import SubjectNames
from statemachines.report.text.text_columns import Cell, CellShortening, OutputStyle, aligned_rows
from statemachines.report.text.wrapped_lines import MARGIN, hanging_lines

FEW_SUBJECTS = 4
"""So many subjects of a machine, or of one state of it, are shown one by one; of more, their states
are counted.
"""
_RARITY = 10
"""What is in a rare state is shown where so many times as many are in others."""
_NARROWEST_NAME = 24
"""What is left of a name beside its state, which is never cut."""
_MOST_STATE_LINES = 8
"""So many lines of states are shown where something is wrong; the rest is counted."""


def state_lines(report: Report, clock: ReportClock, style: OutputStyle) -> Iterator[str]:
    """Show the last state of everything that nothing is wrong with; where something is, no more
    than leaves room for it.

    Args:
        report: what a check found.
        clock: of the report, which writes its moments.
        style: columns, colours, and what is shortened.

    Yields:
        Lines to print.
    """
    lines = list(_all_state_lines(report, clock, style))
    most = (
        _MOST_STATE_LINES if report.incidents and style.limit <= OutputStyle().limit else len(lines)
    )
    yield from lines[:most] if len(lines) > most + 1 else lines
    if len(lines) > most + 1:
        yield f"  ● … and {len(lines) - most:,} lines more (--all shows them)"


def _all_state_lines(report: Report, clock: ReportClock, style: OutputStyle) -> Iterator[str]:
    """Show the last state of everything that has no open episode: few one by one, many counted by
    state.

    Complexity: memory for what is shown one by one.
    """
    names, totals = SubjectNames(report), Counter[str]()
    for _, now, count in _well_states(report):
        totals[now.machine] += count
    shows_all = style.limit > len(report.now)
    few = {machine for machine, total in totals.items() if shows_all or total <= FEW_SUBJECTS}
    shown: dict[str, list[CurrentState]] = defaultdict(list)
    counted = {machine: _CountedStates() for machine in totals if machine not in few}
    for alike in _well_states(report, few):
        machine = alike.first.machine
        if machine in counted:
            counted[machine].take(alike)
        else:
            shown[machine].append(alike.first)
    rows = (row for _, row, _ in alike_states(report.now, apart=few))
    named = Counter((row.machine, row.subject) for row in rows if row.machine in few)
    for machine in totals:
        if machine in few:
            cells = [
                state_cells(now, names, clock, within=named[machine, now.subject] > 1)
                for now in shown[machine]
            ]
            yield from aligned_rows(cells, style)
        else:
            yield from _state_count_lines(counted[machine], names, clock, style)


def _well_states(report: Report, apart: Set[str] = frozenset()) -> Iterator[AlikeStates]:
    """Yield the states of everything that has no open episode, and whose process did not end; one
    by one those of some machines, and where few are alike.
    """
    ill = {(episode.machine, episode.subject) for episode in open_episodes(report)}
    over = ended_process_names(report)
    apart = apart | {machine for machine, _ in ill}
    for alike in alike_states(report.now, few=FEW_SUBJECTS, apart=apart):
        row = alike.first
        if (row.machine, row.subject) not in ill and row.process not in over:
            yield alike


def related_lines(
    machine: str,
    nows: Sequence[CurrentState],
    names: SubjectNames,
    clock: ReportClock,
    style: OutputStyle,
) -> Iterator[str]:
    """Count the states of what is beside something wrong; those in the rarest state are named, if
    they are few.

    Args:
        machine: its catalogue name.
        nows: states at the end of the log.
        names: how instances are called.
        clock: of the report, which writes its moments.
        style: columns, colours, and what is shortened.

    Yields:
        Lines to print.
    """
    states = Counter(" or ".join(now.state) for now in nows)
    rarest = min(
        states,
        key=lambda state: (
            states[state],
            -max(_since_ms(now) for now in nows if " or ".join(now.state) == state),
        ),
    )
    states_text = ", ".join(f"{number:,} {state}" for state, number in states.most_common())
    room = style.width - len(MARGIN) - len(states_text) - 2
    name = cut_end(
        printable_text(names.name_of_many(nows[0], len(nows))), max(room, _NARROWEST_NAME)
    )
    yield from hanging_lines(printable_text(f"{name}: {states_text}"), MARGIN, style)
    odd = [now for now in nows if " or ".join(now.state) == rarest]
    if len(states) > 1 and len(odd) <= FEW_SUBJECTS:
        yield from aligned_rows(
            [state_cells(now, names, clock) for now in odd], style, margin="        "
        )


class _CountedStates:
    """How many of one machine are in each state, with those that are in a rare one."""

    def __init__(self) -> None:
        self.states, self.first = Counter[str](), list[CurrentState]()
        self._rare: dict[str, list[tuple[int, CurrentState]] | None] = defaultdict(list)
        """By state, its few rows, each with its index; None: they are many."""

    def take(self, alike: AlikeStates) -> None:
        """Count rows."""
        index, now, count = alike
        state = _counted_state(now)
        self.states[state] += count
        self.first = self.first or [now]
        rows = self._rare[state]
        if rows is not None and not now.final:
            rows.append((index, now))
        if self.states[state] > FEW_SUBJECTS:
            self._rare[state] = None

    def rare(self) -> list[CurrentState]:
        """Return the rows of rare states that are not final."""
        rows = [row for rows in self._rare.values() for row in rows or ()]
        return [now for _, now in sorted(rows, key=itemgetter(0))]


def _state_count_lines(
    counted: _CountedStates, names: SubjectNames, clock: ReportClock, style: OutputStyle
) -> Iterator[str]:
    """Count states; what is in a rare one is shown besides."""
    total = counted.states.total()
    states_text = ", ".join(f"{number:,} {state}" for state, number in counted.states.most_common())
    name = names.name_of_many(counted.first[0], total)
    cells = [Cell(f"● {name}", shortening=CellShortening.OWN_LINES), Cell(states_text)]
    yield from aligned_rows([cells], style)
    rare = counted.rare()
    if len(rare) * _RARITY <= total:
        cells_of_rare = [state_cells(now, names, clock) for now in rare]
        yield from aligned_rows(cells_of_rare, style, margin="    ")


def _counted_state(now: CurrentState) -> str:
    """Return what a state counts as: one that may be over by now stands by itself."""
    return " or ".join(now.state) + (" earlier" if now.doubt else "")


def state_cells(
    now: CurrentState, names: SubjectNames, clock: ReportClock, *, within: bool = False
) -> list[Cell]:
    """Return the cells of what is in some state, with its process where several have one.

    Args:
        now: a state at the end of the log.
        names: how instances are called.
        clock: of the report, which writes its moments.
        within: whether the process is named too.

    Returns:
        Name, state, since when and how long.
    """
    called = names.name_within if within else names.name
    name = called(now.machine, now.subject, now.process)
    return [
        Cell(f"{'○' if now.final else '●'} {name}", shortening=CellShortening.OWN_LINES),
        Cell(" or ".join(now.state)),
        Cell(f"at {clock.moment(now.since)}" if now.doubt else clock.since(now.since)),
        Cell(
            now.doubt or clock.lasting(now.since),
            shortening=CellShortening.AT_END if now.doubt else CellShortening.LEFT_OUT,
        ),
        Cell(place_name(now.place), "dim", CellShortening.LEFT_OUT),
    ]


def ended_lines(report: Report, clock: ReportClock, style: OutputStyle) -> Iterator[str]:
    """Show the processes that came to an orderly end, with what was first wrong before.

    Args:
        report: what a check found.
        clock: of the report, which writes its moments.
        style: columns, colours, and what is shortened.

    Yields:
        Lines to print.
    """
    rows, names = ended_processes(report), SubjectNames(report)
    for row in rows[: style.limit]:
        yield from aligned_rows([_ended_cells(row, names, clock)], style)
        yield from aligned_rows(
            [_open_until_cells(row.open_episodes, clock)] if row.open_episodes else [],
            style,
            margin="      ",
        )
    if len(rows) > style.limit:
        yield f"  ○ … and {len(rows) - style.limit:,} more (--all lists them)"


def _ended_cells(row: EndedProcess, names: SubjectNames, clock: ReportClock) -> list[Cell]:
    last = row.last_state
    name = names.name(last.machine, last.subject, last.process)
    return [
        Cell(f"○ {row.process}", shortening=CellShortening.OWN_LINES),
        Cell(f"{name} {' or '.join(last.state)}"),
        Cell(clock.since(last.since)),
        Cell(place_name(last.place), "dim", CellShortening.LEFT_OUT),
    ]


def _open_until_cells(episodes: Sequence[Episode], clock: ReportClock) -> list[Cell]:
    first = episodes[0]
    more = f" (and {len(episodes) - 1:,} more)" if len(episodes) > 1 else ""
    name = place_name(first.blame.place if first.blame else None)
    title = Cell(f"{first.displayed_title}{more} by then", shortening=CellShortening.OWN_LINES)
    since = Cell(f"first {clock.since(first.since)}")
    return [title, since, Cell(name, "dim", CellShortening.LEFT_OUT)]


def _since_ms(now: CurrentState) -> int:
    return (now.since.ms or 0) if now.since else 0
