"""What is wrong now, the state of everything, what ended in order, what healed."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from statemachines.model.reports import Now, OpenOrClosed, Outcome, Repeated, Report
from statemachines.report.beside import beside
from statemachines.report.html.around import EVIDENCE, Around
from statemachines.report.html.quoting import quoted
from statemachines.report.html.tags import Markup, more, section, table, tag
from statemachines.report.over import ended, open_now
from statemachines.report.text.again import lasting, often, reasons, worth_telling
from statemachines.report.text.columns import count
from statemachines.report.text.names import WHOLE, Clock, machine_name, place_name, subject_name

AT_ONCE = 25
"""Rows of a list that are shown at once; the rest opens on a click."""
AT_A_GLANCE = 200
"""Names that are shown above everything else."""
LISTED = 2_000
"""Rows of a table."""


def wrong_now(report: Report, clock: Clock, around: Around) -> Markup:
    """Show what is wrong at the end of the log, longest first; where nothing is, say what was looked for."""
    wrong = sorted(open_now(report), key=lambda episode: (episode.since.ms or 0) if episode.since else 0)
    if not wrong:
        return section("Wrong now", "now", _nothing_wrong(report, around))
    others = beside(report, wrong)
    shown = [
        _episode(place, episode, others.get((episode.machine, episode.subject, episode.process), {}), clock, around)
        for place, episode in enumerate(wrong[:EVIDENCE])
    ]
    names = [tag("p", *_names(wrong), class_="names")] if len(wrong) > 1 else []
    rest = [more(f"{len(shown) - AT_ONCE:,} more", *shown[AT_ONCE:])] if len(shown) > AT_ONCE else []
    return section("Wrong now", "now", [*names, *shown[:AT_ONCE], *rest])


def _nothing_wrong(report: Report, around: Around) -> Iterator[Markup]:
    """Say of which conditions there is none now, among how many."""
    subjects = Counter(now.machine for now in report.now)
    closed = Counter((episode.machine, episode.kind) for episode in report.episodes if episode.open)
    known = [(machine, {episode.name: None for episode in machine.log.episodes}) for machine in around.machines if machine.log]
    looked = [
        f"{kind}: none of {count(subjects[machine.name], 'subject')} ({machine_name(machine.name)})"
        + (f" but {closed[machine.name, kind]:,} that ended in order" if closed[machine.name, kind] else "")
        for machine, kinds in known
        for kind in kinds
        if subjects[machine.name]
    ]
    if looked:
        yield tag("p", "Nothing is wrong at the end of the log. ", tag("span", "; ".join(looked), class_="note"))


def _names(wrong: Sequence[OpenOrClosed]) -> Iterator[Markup]:
    """Yield every title at a glance, each a link to what is known of it."""
    for place, episode in enumerate(wrong[:AT_A_GLANCE]):
        yield tag("a", episode.title, href=f"#wrong-{place}") if place < AT_ONCE else tag("span", episode.title)
        yield Markup(" ")
    if len(wrong) > AT_A_GLANCE:
        yield tag("span", f"and {len(wrong) - AT_A_GLANCE:,} more")


def _episode(place: int, episode: OpenOrClosed, others: dict[str, list[Now]], clock: Clock, around: Around) -> Markup:
    lasting = clock.lasting(episode.since)
    parts = [tag("h3", episode.title), tag("p", f"{clock.since(episode.since)}{f', {lasting}' if lasting else ''}")]
    if episode.blame is not None:
        parts += quoted(episode.blame.place, episode.blame.text, around)
    parts += [tag("p", episode.reason)] if episode.reason else []
    parts += [tag("p", f"{machine_name(machine)}: {_counted(nows)}") for machine, nows in others.items()]
    return tag("article", *parts, class_="bad", id=f"wrong-{place}")


def _counted(nows: Sequence[Now]) -> str:
    states = Counter(" or ".join(now.state) for now in nows)
    return ", ".join(f"{number:,} {state}" for state, number in states.most_common())


def all_states(report: Report, clock: Clock) -> Markup:
    """Show the last state of everything: counted by machine, each subject behind a click."""
    by_machine: dict[str, list[Now]] = defaultdict(list)
    for now in report.now:
        by_machine[now.machine].append(now)
    told = (more(f"{machine}: {_counted(nows)}", *_subjects(nows, clock)) for machine, nows in by_machine.items())
    return section("States at the end of the log", "states", told)


def _subjects(nows: Sequence[Now], clock: Clock) -> Iterator[Markup]:
    rows = ([subject_name(n.subject, WHOLE), " or ".join(n.state), clock.moment(n.since), place_name(n.place)] for n in nows[:LISTED])
    yield table(("subject", "state", "since", "line"), rows)
    yield from _left_out(nows)


def _left_out(rows: Sequence[object]) -> Iterator[Markup]:
    if len(rows) > LISTED:
        yield tag("p", f"{len(rows) - LISTED:,} more are not in this table; the JSON report has all.", class_="note")


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
        if episode.outcome is Outcome.HEALED:
            by_kind[episode.machine, episode.kind].append(episode)
    return section("Healed", "healed", (_healed(machine, kind, episodes, clock) for (machine, kind), episodes in by_kind.items()))


def unrecovered(report: Report, clock: Clock) -> Markup:
    """Count what was wrong and ended without having recovered, and what may be over, by kind; each one behind a click."""
    parts = []
    for outcome, said in ((Outcome.ENDED, "ended"), (Outcome.MAY_BE_OVER, "may be over: no line of this log would tell")):
        by_kind: dict[tuple[str, str], list[OpenOrClosed]] = defaultdict(list)
        for episode in report.episodes:
            if episode.outcome is outcome:
                by_kind[episode.machine, f"{episode.kind}, {said}"].append(episode)
        parts += [_healed(machine, kind, episodes, clock) for (machine, kind), episodes in by_kind.items()]
    return section("Ended without having recovered", "unrecovered", parts)


def _healed(machine: str, kind: str, episodes: Sequence[OpenOrClosed], clock: Clock) -> Markup:
    rows = ([e.called, clock.between(e.since, e.until), place_name(e.blame.place if e.blame else None)] for e in episodes[:LISTED])
    listed = table(("what", "how long", "line"), rows)
    return more(f"{len(episodes):,} × {kind} ({machine_name(machine)})", listed, *_left_out(episodes))


def again(report: Report, clock: Clock) -> Markup:
    """Show what happened to a subject again and again, most often first of each kind, all of it behind a click."""
    rows = worth_telling(report).items()
    return section("Again and again", "again", (_again(machine, kind, each, clock) for (machine, kind), each in rows))


def _again(machine: str, kind: str, rows: Sequence[Repeated], clock: Clock) -> Markup:
    told = f"{sum(row.count for row in rows):,} × {kind} ({machine_name(machine)}) of {count(len(rows), 'subject')}"
    most = f", most often {subject_name(rows[0].subject, WHOLE)}: {rows[0].count:,} times" if len(rows) > 1 else ""
    shown = rows[:LISTED]
    cells = ([subject_name(r.subject, WHOLE), f"{r.count:,}", often(r, clock), lasting(r), reasons(r), place_name(r.place)] for r in shown)
    listed = table(("of", "times", "when", "how long", "why", "first"), cells)
    return more(f"{told}{most}", listed, *_left_out(rows))


def _tables(*tables: Markup) -> Iterator[Markup]:
    return (each for each in tables if each)
