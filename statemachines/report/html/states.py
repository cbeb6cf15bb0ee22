"""What is wrong now, the state of everything, what ended in order, what healed."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from statemachines.model.reports import Now, OpenOrClosed, Report
from statemachines.report.beside import beside
from statemachines.report.html.tags import Markup, more, section, table, tag
from statemachines.report.over import ended, open_now
from statemachines.report.text.names import WHOLE, Clock, machine_name, place_name, subject_name

AT_ONCE = 25
"""Rows of a list that are shown at once; the rest opens on a click."""


def wrong_now(report: Report, clock: Clock) -> Markup:
    """Show what is wrong at the end of the log, longest first."""
    wrong = sorted(open_now(report), key=lambda episode: (episode.since.ms or 0) if episode.since else 0)
    others = beside(report)
    shown = [_episode(episode, others.get((episode.machine, episode.subject), {}), clock) for episode in wrong]
    rest = [more(f"{len(shown) - AT_ONCE:,} more", *shown[AT_ONCE:])] if len(shown) > AT_ONCE else []
    return section("Wrong now", "now", [*shown[:AT_ONCE], *rest])


def _episode(episode: OpenOrClosed, others: dict[str, list[Now]], clock: Clock) -> Markup:
    lasting = clock.lasting(episode.since)
    parts = [tag("h3", episode.title), tag("p", f"{clock.since(episode.since)}{f', {lasting}' if lasting else ''}")]
    if episode.blame is not None:
        parts += [
            tag("p", tag("code", place_name(episode.blame.place))),
            tag("pre", "\n".join(filter(None, (episode.blame.text, episode.reason)))),
        ]
    parts += [tag("p", f"{machine_name(machine)}: {_counted(nows)}") for machine, nows in others.items()]
    return tag("article", *parts, class_="bad")


def _counted(nows: Sequence[Now]) -> str:
    states = Counter(" or ".join(now.state) for now in nows)
    return ", ".join(f"{number:,} {state}" for state, number in states.most_common())


def all_states(report: Report, clock: Clock) -> Markup:
    """Show the last state of everything: counted by machine, each subject behind a click."""
    by_machine: dict[str, list[Now]] = defaultdict(list)
    for now in report.now:
        by_machine[now.machine].append(now)
    head = ("subject", "state", "since", "line")
    return section(
        "States at the end of the log",
        "states",
        (
            more(
                f"{machine}: {_counted(nows)}",
                table(
                    head, ([subject_name(n.subject, WHOLE), " or ".join(n.state), clock.moment(n.since), place_name(n.place)] for n in nows)
                ),
            )
            for machine, nows in by_machine.items()
        ),
    )


def over_and_done(report: Report, clock: Clock) -> Markup:
    """Show processes that came to an orderly end, and what was first wrong before."""
    rows = []
    for row in ended(report):
        kinds = Counter(episode.kind for episode in row.open)
        before = ", ".join(f"{number:,} {kind}" for kind, number in kinds.items())
        first = f"{clock.since(row.open[0].since)}" if row.open else ""
        last = f"{machine_name(row.last.machine)} {' or '.join(row.last.state)}"
        rows.append([row.process, last, clock.since(row.last.since), place_name(row.last.place), before, first])
    return section("Ended in order", "ended", _tables(table(("process", "last", "", "line", "by then", "first"), rows)))


def healed(report: Report, clock: Clock) -> Markup:
    """Count what was wrong and is over, by kind; each one behind a click."""
    by_kind: dict[tuple[str, str], list[OpenOrClosed]] = defaultdict(list)
    for episode in report.episodes:
        if not episode.open:
            by_kind[episode.machine, episode.kind].append(episode)
    return section("Healed", "healed", (_healed(machine, kind, episodes, clock) for (machine, kind), episodes in by_kind.items()))


def _healed(machine: str, kind: str, episodes: Sequence[OpenOrClosed], clock: Clock) -> Markup:
    rows = ([e.title, clock.between(e.since, e.until), place_name(e.blame.place if e.blame else None)] for e in episodes)
    return more(f"{len(episodes):,} × {kind} ({machine_name(machine)})", table(("what", "how long", "line"), rows))


def _tables(*tables: Markup) -> Iterator[Markup]:
    return (each for each in tables if each)
