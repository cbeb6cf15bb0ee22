"""What is wrong at the end of the log, what state everything is in, what ended, and what was wrong and healed."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from textwrap import wrap

from statemachines.model.reports import Key, Now, OpenOrClosed, Outcome, Report
from statemachines.report.beside import beside
from statemachines.report.elsewhere import elsewhere
from statemachines.report.over import Ended, ended, open_now, processes_over
from statemachines.report.text.columns import Cell, Gives, Look, clipped, count, harmless, table
from statemachines.report.text.names import Clock, instance_name, machine_name, place_name

FEW = 4
"""So many subjects of a machine, or of one state of it, are shown one by one; of more, their states are counted."""
MANY = 10
"""What is in a rare state is shown where so many times as many are in others."""
QUOTED = 5
"""So many open episodes are shown each with the line that is to blame; of more, the first of a kind, and the first of it with a reason."""


def open_episodes(report: Report, clock: Clock, look: Look) -> Iterator[str]:
    """Show what is wrong now, longest first."""
    wrong = sorted(open_now(report), key=_began)
    shown = wrong[: look.limit]
    quoted = _quoted(wrong, look)
    states = {(now.machine, now.subject, now.process): now.state for now in report.now}
    others, far = beside(report, shown), elsewhere(report, shown)
    rows = [
        [
            Cell(f"✗ {episode.title}", "bad", Gives.ITS_MIDDLE),
            Cell(_state_of(episode, states)),
            Cell(clock.since(episode.since)),
            Cell(clock.lasting(episode.since), gives=Gives.ITSELF),
            Cell(place_name(episode.blame.place if episode.blame else None), "dim"),
        ]
        for episode in shown
    ]
    for episode, line in zip(shown, table(rows, look), strict=True):
        yield line
        if id(episode) in quoted and episode.blame is not None and episode.blame.text:
            yield "      " + look.paint(clipped(harmless(episode.blame.text), look.width - 6), "dim")
            yield from _why(episode.reason, look)
        for machine, nows in others.get((episode.machine, episode.subject, episode.process), {}).items():
            yield from _beside(machine, nows, clock, look)
        yield from table([_alone(now, clock) for now in far.get(id(episode), ())], look, margin="      elsewhere ")
    for kind, number in Counter(episode.kind for episode in wrong[look.limit :]).items():
        yield f"  ✗ … and {number:,} more {kind} (--all lists them)"


def _state_of(episode: OpenOrClosed, states: Mapping[tuple[str, Key, str], tuple[str, ...]]) -> str:
    """Return the state that something wrong is in now, where its title does not name it."""
    state = " or ".join(states.get((episode.machine, episode.subject, episode.process), ()))
    return "" if state.casefold() in episode.title.casefold() else state


def _why(reason: str, look: Look) -> list[str]:
    """Write a reason on at most two lines: its beginning, the deepest cause, is what people look for."""
    width = look.width - 6
    return ["      " + line for line in wrap(harmless(reason), width, max_lines=2, placeholder=" …", break_on_hyphens=False)]


def maybe_over(report: Report, clock: Clock, look: Look) -> Iterator[str]:
    """Show what was wrong when it was told last, where no line would tell that it is over."""
    doubtful = sorted((one for one in report.episodes if one.outcome is Outcome.MAY_BE_OVER), key=_began)
    rows = [
        [
            Cell(f"? {episode.called}", "doubt", Gives.ITS_MIDDLE),
            Cell(f"at {clock.moment(episode.since)}"),
            Cell("may be over (no line would tell)"),
            Cell(place_name(episode.blame.place if episode.blame else None), "dim"),
        ]
        for episode in doubtful[: look.limit]
    ]
    yield from table(rows, look)
    for kind, number in Counter(episode.kind for episode in doubtful[look.limit :]).items():
        yield f"  ? … and {number:,} more {kind} (--all lists them)"


def _quoted(wrong: Sequence[OpenOrClosed], look: Look) -> set[int]:
    """Return the `id` of those whose line is worth its room: all where few or asked for, else the first of each sort."""
    if len(wrong) <= QUOTED or look.limit > Look().limit:
        return {id(episode) for episode in wrong}
    firsts: dict[tuple[str, bool], int] = {}
    for episode in wrong:
        firsts.setdefault((episode.kind, bool(episode.reason)), id(episode))
    return set(firsts.values())


def states_now(report: Report, clock: Clock, look: Look) -> Iterator[str]:
    """Show the last state of everything that has no open episode: few one by one, many counted by state."""
    ill, over = {(episode.machine, episode.subject) for episode in open_now(report)}, processes_over(report)
    by_machine: dict[str, list[Now]] = defaultdict(list)
    named = Counter((row.machine, row.subject) for row in report.now)
    for row in report.now:
        if (row.machine, row.subject) not in ill and row.process not in over:
            by_machine[row.machine].append(row)
    for machine, nows in by_machine.items():
        if len(nows) <= FEW or look.limit > len(report.now):
            yield from table([_alone(now, clock, within=named[machine, now.subject] > 1) for now in nows], look)
        else:
            yield from _counted(machine, nows, clock, look)


def _beside(machine: str, nows: Sequence[Now], clock: Clock, look: Look) -> Iterator[str]:
    """Count the states of what is beside something wrong; those in the rarest state are named, if they are few."""
    states = Counter(" or ".join(now.state) for now in nows)
    rarest = min(states, key=lambda state: (states[state], -max(_since(now) for now in nows if " or ".join(now.state) == state)))
    said = f"{machine_name(machine)}: " + ", ".join(f"{number:,} {state}" for state, number in states.most_common())
    yield "      " + clipped(harmless(said), look.width - 6)
    odd = [now for now in nows if " or ".join(now.state) == rarest]
    if len(states) > 1 and len(odd) <= FEW:
        yield from table([_alone(now, clock) for now in odd], look, margin="        ")


def _counted(machine: str, nows: Sequence[Now], clock: Clock, look: Look) -> Iterator[str]:
    """Count states; what is in a rare one is shown besides."""
    states = Counter(" or ".join(now.state) for now in nows)
    said = ", ".join(f"{number:,} {state}" for state, number in states.most_common())
    yield from table([[Cell(f"● {machine_name(machine)}"), Cell(said, gives=Gives.ITS_END)]], look)
    rare = [now for now in nows if states[" or ".join(now.state)] <= FEW and not now.final]
    if len(rare) * MANY <= len(nows):
        yield from table([_alone(now, clock) for now in rare], look, margin="    ")


def _alone(now: Now, clock: Clock, *, within: bool = False) -> list[Cell]:
    name = instance_name(now.machine, now.subject) + (f" in {now.process}" if within else "")
    return [
        Cell(f"{'○' if now.final else '●'} {name}", gives=Gives.ITS_MIDDLE),
        Cell(" or ".join(now.state)),
        Cell(f"at {clock.moment(now.since)}" if now.doubt else clock.since(now.since)),
        Cell(now.doubt or clock.lasting(now.since), gives=Gives.NOTHING if now.doubt else Gives.ITSELF),
        Cell(place_name(now.place), "dim"),
    ]


def over_and_done(report: Report, clock: Clock, look: Look) -> Iterator[str]:
    """Show the processes that came to an orderly end, with what was first wrong before."""
    rows = ended(report)
    for row in rows[: look.limit]:
        yield from table([_end(row, clock)], look)
        yield from table([_open_until(row.open, clock)] if row.open else [], look, margin="      ")
    if len(rows) > look.limit:
        yield f"  ○ … and {len(rows) - look.limit:,} more (--all lists them)"


def _end(row: Ended, clock: Clock) -> list[Cell]:
    name = f"○ {row.process}"
    last = f"{machine_name(row.last.machine)} {' or '.join(row.last.state)}"
    return [Cell(name, gives=Gives.ITS_MIDDLE), Cell(last), Cell(clock.since(row.last.since)), Cell(place_name(row.last.place), "dim")]


def _open_until(episodes: Sequence[OpenOrClosed], clock: Clock) -> list[Cell]:
    kinds = ", ".join(f"{number:,} {kind}" for kind, number in Counter(episode.kind for episode in episodes).items())
    first = episodes[0]
    place = place_name(first.blame.place if first.blame else None)
    return [Cell(f"{kinds} by then, first {clock.since(first.since)}"), Cell(place, "dim")]


def healed(report: Report, clock: Clock, look: Look) -> Iterator[str]:
    """Count what was wrong and is over; only the longest of each kind is shown."""
    by_kind: dict[tuple[str, str], list[OpenOrClosed]] = defaultdict(list)
    for episode in report.episodes:
        if episode.outcome is Outcome.HEALED:
            by_kind[episode.machine, episode.kind].append(episode)
    rows = []
    for (_, kind), episodes in by_kind.items():
        longest = max(episodes, key=_length)
        of = count(len({episode.subject for episode in episodes}), "subject")
        many = f"{len(episodes):,} × {kind} of {of}, longest" if len(episodes) > 1 else "once"
        lasted = f"for {clock.between(longest.since, longest.until)}"
        rows.append([Cell(many), Cell(longest.called, gives=Gives.ITS_MIDDLE), Cell(lasted)])
    yield from table(rows, look)


def unrecovered(report: Report, clock: Clock, look: Look) -> Iterator[str]:
    """Show what was wrong until it was over itself, without having recovered: of many of a kind the longest."""
    by_kind: dict[tuple[str, str], list[OpenOrClosed]] = defaultdict(list)
    for episode in report.episodes:
        if episode.outcome is Outcome.ENDED:
            by_kind[episode.machine, episode.kind].append(episode)
    rows = []
    for (_, kind), episodes in by_kind.items():
        longest = max(episodes, key=_length)
        others = f"longest of {len(episodes):,} × {kind}" if len(episodes) > 1 else ""
        place = place_name(longest.blame.place if longest.blame else None)
        lasted = f"for {clock.between(longest.since, longest.until)}"
        rows.append([Cell(f"○ {longest.called}", gives=Gives.ITS_MIDDLE), Cell(lasted), Cell(others), Cell(place, "dim", Gives.ITSELF)])
    yield from table(rows, look)


def _length(episode: OpenOrClosed) -> int:
    since, until = (instant.ms if instant else None for instant in (episode.since, episode.until))
    return until - since if since is not None and until is not None else -1


def _since(now: Now) -> int:
    return (now.since.ms or 0) if now.since else 0


def _began(episode: OpenOrClosed) -> int:
    return (episode.since.ms or 0) if episode.since else 0
