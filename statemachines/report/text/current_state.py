"""What is wrong at the end of the log, what state everything is in, what ended, and what was wrong
and healed.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from textwrap import wrap

from statemachines.model.evidence.reports import (
    CurrentState,
    Episode,
    EpisodeOutcome,
    InstanceKey,
    Report,
)
from statemachines.report.sections.display_names import (
    ReportClock,
    instance_name,
    machine_name,
    place_name,
)
from statemachines.report.sections.orderly_ends import (
    EndedProcess,
    ended_process_names,
    ended_processes,
    open_episodes,
)
from statemachines.report.sections.other_processes import states_in_other_processes
from statemachines.report.sections.plain_texts import count_text, cut_end, printable_text
from statemachines.report.sections.related_states import related_states
from statemachines.report.text.text_columns import Cell, CellShortening, OutputStyle, aligned_rows

FEW_SUBJECTS = 4
"""So many subjects of a machine, or of one state of it, are shown one by one; of more, their states
are counted.
"""
RARITY = 10
"""What is in a rare state is shown where so many times as many are in others."""
MOST_QUOTED = 5
"""So many open episodes are shown each with the line that is to blame; of more, the first of a
kind, and the first of it with a reason.
"""


def open_episode_lines(report: Report, clock: ReportClock, look: OutputStyle) -> Iterator[str]:
    """Show what is wrong now, longest first."""
    wrong = sorted(open_episodes(report), key=_episode_start)
    shown = wrong[: look.limit]
    quoted = _quoted_episodes(wrong, look)
    states = {(now.machine, now.subject, now.process): now.state for now in report.now}
    others, far = related_states(report, shown), states_in_other_processes(report, shown)
    rows = [
        [
            Cell(f"✗ {episode.title}", "bad", CellShortening.IN_MIDDLE),
            Cell(_unnamed_state(episode, states)),
            Cell(clock.since(episode.since)),
            Cell(clock.lasting(episode.since), shortening=CellShortening.LEFT_OUT),
            Cell(place_name(episode.blame.place if episode.blame else None), "dim"),
        ]
        for episode in shown
    ]
    for episode, line in zip(shown, aligned_rows(rows, look), strict=True):
        yield line
        if id(episode) in quoted and episode.blame is not None and episode.blame.text:
            yield "      " + look.paint(
                cut_end(printable_text(episode.blame.text), look.width - 6), "dim"
            )
            yield from _reason_lines(episode.reason, look)
        for machine, nows in others.get(
            (episode.machine, episode.subject, episode.process), {}
        ).items():
            yield from _related_lines(machine, nows, clock, look)
        yield from aligned_rows(
            [_state_cells(now, clock) for now in far.get(id(episode), ())],
            look,
            margin="      elsewhere ",
        )
    for kind, number in Counter(episode.kind for episode in wrong[look.limit :]).items():
        yield f"  ✗ … and {number:,} more {kind} (--all lists them)"


def _unnamed_state(
    episode: Episode, states: Mapping[tuple[str, InstanceKey, str], tuple[str, ...]]
) -> str:
    """Return the state that something wrong is in now, where its title does not name it."""
    state = " or ".join(states.get((episode.machine, episode.subject, episode.process), ()))
    return "" if state.casefold() in episode.title.casefold() else state


def _reason_lines(reason: str, look: OutputStyle) -> list[str]:
    """Write a reason on at most two lines: its beginning, the deepest cause, is what people look
    for.
    """
    width = look.width - 6
    return [
        "      " + line
        for line in wrap(
            printable_text(reason), width, max_lines=2, placeholder=" …", break_on_hyphens=False
        )
    ]


def maybe_over_lines(report: Report, clock: ReportClock, look: OutputStyle) -> Iterator[str]:
    """Show what was wrong when it was told last, where no line would tell that it is over."""
    doubtful = sorted(
        (one for one in report.episodes if one.outcome is EpisodeOutcome.MAY_BE_OVER),
        key=_episode_start,
    )
    rows = [
        [
            Cell(f"? {episode.displayed_title}", "doubt", CellShortening.IN_MIDDLE),
            Cell(f"at {clock.moment(episode.since)}"),
            Cell("may be over (no line would tell)"),
            Cell(place_name(episode.blame.place if episode.blame else None), "dim"),
        ]
        for episode in doubtful[: look.limit]
    ]
    yield from aligned_rows(rows, look)
    for kind, number in Counter(episode.kind for episode in doubtful[look.limit :]).items():
        yield f"  ? … and {number:,} more {kind} (--all lists them)"


def _quoted_episodes(wrong: Sequence[Episode], look: OutputStyle) -> set[int]:
    """Return the `id` of those whose line is worth its room: all where few or asked for, else the
    first of each sort.
    """
    if len(wrong) <= MOST_QUOTED or look.limit > OutputStyle().limit:
        return {id(episode) for episode in wrong}
    firsts: dict[tuple[str, bool], int] = {}
    for episode in wrong:
        firsts.setdefault((episode.kind, bool(episode.reason)), id(episode))
    return set(firsts.values())


def state_lines(report: Report, clock: ReportClock, look: OutputStyle) -> Iterator[str]:
    """Show the last state of everything that has no open episode: few one by one, many counted by
    state.
    """
    ill, over = (
        {(episode.machine, episode.subject) for episode in open_episodes(report)},
        ended_process_names(report),
    )
    by_machine: dict[str, list[CurrentState]] = defaultdict(list)
    named = Counter((row.machine, row.subject) for row in report.now)
    for row in report.now:
        if (row.machine, row.subject) not in ill and row.process not in over:
            by_machine[row.machine].append(row)
    for machine, nows in by_machine.items():
        if len(nows) <= FEW_SUBJECTS or look.limit > len(report.now):
            yield from aligned_rows(
                [_state_cells(now, clock, within=named[machine, now.subject] > 1) for now in nows],
                look,
            )
        else:
            yield from _state_count_lines(machine, nows, clock, look)


def _related_lines(
    machine: str, nows: Sequence[CurrentState], clock: ReportClock, look: OutputStyle
) -> Iterator[str]:
    """Count the states of what is beside something wrong; those in the rarest state are named, if
    they are few.
    """
    states = Counter(" or ".join(now.state) for now in nows)
    rarest = min(
        states,
        key=lambda state: (
            states[state],
            -max(_since_ms(now) for now in nows if " or ".join(now.state) == state),
        ),
    )
    said = f"{machine_name(machine)}: " + ", ".join(
        f"{number:,} {state}" for state, number in states.most_common()
    )
    yield "      " + cut_end(printable_text(said), look.width - 6)
    odd = [now for now in nows if " or ".join(now.state) == rarest]
    if len(states) > 1 and len(odd) <= FEW_SUBJECTS:
        yield from aligned_rows([_state_cells(now, clock) for now in odd], look, margin="        ")


def _state_count_lines(
    machine: str, nows: Sequence[CurrentState], clock: ReportClock, look: OutputStyle
) -> Iterator[str]:
    """Count states; what is in a rare one is shown besides."""
    states = Counter(_counted_state(now) for now in nows)
    said = ", ".join(f"{number:,} {state}" for state, number in states.most_common())
    yield from aligned_rows(
        [[Cell(f"● {machine_name(machine)}"), Cell(said, shortening=CellShortening.AT_END)]], look
    )
    rare = [now for now in nows if states[_counted_state(now)] <= FEW_SUBJECTS and not now.final]
    if len(rare) * RARITY <= len(nows):
        yield from aligned_rows([_state_cells(now, clock) for now in rare], look, margin="    ")


def _counted_state(now: CurrentState) -> str:
    """Return what a state counts as: one that may be over by now stands by itself."""
    return " or ".join(now.state) + (" earlier" if now.doubt else "")


def _state_cells(now: CurrentState, clock: ReportClock, *, within: bool = False) -> list[Cell]:
    name = instance_name(now.machine, now.subject) + (f" in {now.process}" if within else "")
    return [
        Cell(f"{'○' if now.final else '●'} {name}", shortening=CellShortening.IN_MIDDLE),
        Cell(" or ".join(now.state)),
        Cell(f"at {clock.moment(now.since)}" if now.doubt else clock.since(now.since)),
        Cell(
            now.doubt or clock.lasting(now.since),
            shortening=CellShortening.NEVER if now.doubt else CellShortening.LEFT_OUT,
        ),
        Cell(place_name(now.place), "dim"),
    ]


def ended_lines(report: Report, clock: ReportClock, look: OutputStyle) -> Iterator[str]:
    """Show the processes that came to an orderly end, with what was first wrong before."""
    rows = ended_processes(report)
    for row in rows[: look.limit]:
        yield from aligned_rows([_ended_cells(row, clock)], look)
        yield from aligned_rows(
            [_open_until_cells(row.open_episodes, clock)] if row.open_episodes else [],
            look,
            margin="      ",
        )
    if len(rows) > look.limit:
        yield f"  ○ … and {len(rows) - look.limit:,} more (--all lists them)"


def _ended_cells(row: EndedProcess, clock: ReportClock) -> list[Cell]:
    name = f"○ {row.process}"
    last = f"{machine_name(row.last_state.machine)} {' or '.join(row.last_state.state)}"
    return [
        Cell(name, shortening=CellShortening.IN_MIDDLE),
        Cell(last),
        Cell(clock.since(row.last_state.since)),
        Cell(place_name(row.last_state.place), "dim"),
    ]


def _open_until_cells(episodes: Sequence[Episode], clock: ReportClock) -> list[Cell]:
    kinds = ", ".join(
        f"{number:,} {kind}"
        for kind, number in Counter(episode.kind for episode in episodes).items()
    )
    first = episodes[0]
    place = place_name(first.blame.place if first.blame else None)
    return [Cell(f"{kinds} by then, first {clock.since(first.since)}"), Cell(place, "dim")]


def healed_lines(report: Report, clock: ReportClock, look: OutputStyle) -> Iterator[str]:
    """Count what was wrong and is over; only the longest of each kind is shown."""
    by_kind: dict[tuple[str, str], list[Episode]] = defaultdict(list)
    for episode in report.episodes:
        if episode.outcome is EpisodeOutcome.HEALED:
            by_kind[episode.machine, episode.kind].append(episode)
    rows = []
    for (_, kind), episodes in by_kind.items():
        longest = max(episodes, key=_episode_length)
        of = count_text(len({episode.subject for episode in episodes}), "subject")
        many = f"{len(episodes):,} × {kind} of {of}, longest" if len(episodes) > 1 else "once"
        lasted = f"for {clock.interval(longest.since, longest.until)}"
        rows.append(
            [
                Cell(many),
                Cell(longest.displayed_title, shortening=CellShortening.IN_MIDDLE),
                Cell(lasted),
            ]
        )
    yield from aligned_rows(rows, look)


def unrecovered_lines(report: Report, clock: ReportClock, look: OutputStyle) -> Iterator[str]:
    """Show what was wrong until it was over itself, without having recovered: of many of a kind the
    longest.
    """
    by_kind: dict[tuple[str, str], list[Episode]] = defaultdict(list)
    for episode in report.episodes:
        if episode.outcome is EpisodeOutcome.ENDED:
            by_kind[episode.machine, episode.kind].append(episode)
    rows = []
    for (_, kind), episodes in by_kind.items():
        longest = max(episodes, key=_episode_length)
        others = f"longest of {len(episodes):,} × {kind}" if len(episodes) > 1 else ""
        place = place_name(longest.blame.place if longest.blame else None)
        lasted = f"for {clock.interval(longest.since, longest.until)}"
        rows.append(
            [
                Cell(f"○ {longest.displayed_title}", shortening=CellShortening.IN_MIDDLE),
                Cell(lasted),
                Cell(others),
                Cell(place, "dim", CellShortening.LEFT_OUT),
            ]
        )
    yield from aligned_rows(rows, look)


def _episode_length(episode: Episode) -> int:
    since, until = (instant.ms if instant else None for instant in (episode.since, episode.until))
    return until - since if since is not None and until is not None else -1


def _since_ms(now: CurrentState) -> int:
    return (now.since.ms or 0) if now.since else 0


def _episode_start(episode: Episode) -> int:
    return (episode.since.ms or 0) if episode.since else 0
