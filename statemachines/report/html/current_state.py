"""What is wrong now, the state of everything, what ended in order, what healed."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from statemachines.model.evidence.reports import (
    CurrentState,
    Episode,
    EpisodeOutcome,
    Repetition,
    Report,
)
from statemachines.report.html.elements import Markup, expandable, section, table, tag
from statemachines.report.html.log_excerpts import quoted_lines
from statemachines.report.html.page_context import MOST_SHOWN_IN_FULL, PageContext
from statemachines.report.sections.display_names import (
    UNCUT,
    ReportClock,
    machine_name,
    place_name,
    subject_name,
)
from statemachines.report.sections.frequent_repeats import (
    frequency_text,
    frequent_repeats,
    reasons_text,
    total_duration_text,
)
from statemachines.report.sections.orderly_ends import ended_processes, open_episodes
from statemachines.report.sections.plain_texts import count_text
from statemachines.report.sections.related_states import related_states

SHOWN_AT_ONCE = 25
"""Rows of a list that are shown at once; the rest opens on a click."""
MOST_GLANCE_NAMES = 200
"""Names that are shown above everything else."""
MOST_ROWS = 2_000
"""Rows of a table."""


def wrong_now_section(report: Report, clock: ReportClock, around: PageContext) -> Markup:
    """Show what is wrong at the end of the log, longest first; where nothing is, say what was
    looked for.
    """
    wrong = sorted(
        open_episodes(report), key=lambda episode: (episode.since.ms or 0) if episode.since else 0
    )
    if not wrong:
        return section("Wrong now", "now", _nothing_wrong_note(report, around))
    others = related_states(report, wrong)
    shown = [
        _episode_article(
            place,
            episode,
            others.get((episode.machine, episode.subject, episode.process), {}),
            clock,
            around,
        )
        for place, episode in enumerate(wrong[:MOST_SHOWN_IN_FULL])
    ]
    names = [tag("p", *_episode_links(wrong), class_="names")] if len(wrong) > 1 else []
    rest = (
        [expandable(f"{len(shown) - SHOWN_AT_ONCE:,} more", *shown[SHOWN_AT_ONCE:])]
        if len(shown) > SHOWN_AT_ONCE
        else []
    )
    return section("Wrong now", "now", [*names, *shown[:SHOWN_AT_ONCE], *rest])


def _nothing_wrong_note(report: Report, around: PageContext) -> Iterator[Markup]:
    """Say of which conditions there is none now, among how many."""
    subjects = Counter(now.machine for now in report.now)
    closed = Counter((episode.machine, episode.kind) for episode in report.episodes if episode.open)
    known = [
        (machine, {episode.name: None for episode in machine.log.episodes})
        for machine in around.machines
        if machine.log
    ]
    looked = [
        f"{kind}: none of {count_text(subjects[machine.name], 'subject')}"
        f" ({machine_name(machine.name)})"
        + (
            f" but {closed[machine.name, kind]:,} that ended in order"
            if closed[machine.name, kind]
            else ""
        )
        for machine, kinds in known
        for kind in kinds
        if subjects[machine.name]
    ]
    if looked:
        yield tag(
            "p",
            "Nothing is wrong at the end of the log. ",
            tag("span", "; ".join(looked), class_="note"),
        )


def _episode_links(wrong: Sequence[Episode]) -> Iterator[Markup]:
    """Yield every title at a glance, each a link to what is known of it."""
    for place, episode in enumerate(wrong[:MOST_GLANCE_NAMES]):
        yield (
            tag("a", episode.title, href=f"#wrong-{place}")
            if place < SHOWN_AT_ONCE
            else tag("span", episode.title)
        )
        yield Markup(" ")
    if len(wrong) > MOST_GLANCE_NAMES:
        yield tag("span", f"and {len(wrong) - MOST_GLANCE_NAMES:,} more")


def _episode_article(
    place: int,
    episode: Episode,
    others: dict[str, list[CurrentState]],
    clock: ReportClock,
    around: PageContext,
) -> Markup:
    lasting = clock.lasting(episode.since)
    parts = [
        tag("h3", episode.title),
        tag("p", f"{clock.since(episode.since)}{f', {lasting}' if lasting else ''}"),
    ]
    if episode.blame is not None:
        parts += quoted_lines(episode.blame.place, episode.blame.text, around)
    parts += [tag("p", episode.reason)] if episode.reason else []
    parts += [
        tag("p", f"{machine_name(machine)}: {_state_counts(nows)}")
        for machine, nows in others.items()
    ]
    return tag("article", *parts, class_="bad", id=f"wrong-{place}")


def _state_counts(nows: Sequence[CurrentState]) -> str:
    states = Counter(" or ".join(now.state) for now in nows)
    return ", ".join(f"{number:,} {state}" for state, number in states.most_common())


def states_section(report: Report, clock: ReportClock) -> Markup:
    """Show the last state of everything: counted by machine, each subject behind a click."""
    by_machine: dict[str, list[CurrentState]] = defaultdict(list)
    for now in report.now:
        by_machine[now.machine].append(now)
    told = (
        expandable(f"{machine}: {_state_counts(nows)}", *_subject_table(nows, clock))
        for machine, nows in by_machine.items()
    )
    return section("States at the end of the log", "states", told)


def _subject_table(nows: Sequence[CurrentState], clock: ReportClock) -> Iterator[Markup]:
    rows = (
        [
            subject_name(n.subject, UNCUT),
            " or ".join(n.state),
            clock.moment(n.since),
            place_name(n.place),
        ]
        for n in nows[:MOST_ROWS]
    )
    yield table(("subject", "state", "since", "line"), rows)
    yield from _left_out_note(nows)


def _left_out_note(rows: Sequence[object]) -> Iterator[Markup]:
    if len(rows) > MOST_ROWS:
        yield tag(
            "p",
            f"{len(rows) - MOST_ROWS:,} more are not in this table; the JSON report has all.",
            class_="note",
        )


def ended_section(report: Report, clock: ReportClock) -> Markup:
    """Show processes that came to an orderly end, and what was first wrong before."""
    rows = []
    for row in ended_processes(report):
        kinds = Counter(episode.kind for episode in row.open_episodes)
        before = ", ".join(f"{number:,} {kind}" for kind, number in kinds.items())
        first = f"{clock.since(row.open_episodes[0].since)}" if row.open_episodes else ""
        last = f"{machine_name(row.last_state.machine)} {' or '.join(row.last_state.state)}"
        rows.append(
            [
                row.process,
                last,
                clock.since(row.last_state.since),
                place_name(row.last_state.place),
                before,
                first,
            ]
        )
    return section(
        "Ended in order",
        "ended",
        _nonempty_tables(table(("process", "last", "", "line", "by then", "first"), rows)),
    )


def healed_section(report: Report, clock: ReportClock) -> Markup:
    """Count what was wrong and is over, by kind; each one behind a click."""
    by_kind: dict[tuple[str, str], list[Episode]] = defaultdict(list)
    for episode in report.episodes:
        if episode.outcome is EpisodeOutcome.HEALED:
            by_kind[episode.machine, episode.kind].append(episode)
    return section(
        "Healed",
        "healed",
        (
            _episode_table(machine, kind, episodes, clock)
            for (machine, kind), episodes in by_kind.items()
        ),
    )


def unrecovered_section(report: Report, clock: ReportClock) -> Markup:
    """Count what was wrong and ended without having recovered, and what may be over, by kind; each
    one behind a click.
    """
    parts = []
    for outcome, said in (
        (EpisodeOutcome.ENDED, "ended"),
        (EpisodeOutcome.MAY_BE_OVER, "may be over: no line of this log would tell"),
    ):
        by_kind: dict[tuple[str, str], list[Episode]] = defaultdict(list)
        for episode in report.episodes:
            if episode.outcome is outcome:
                by_kind[episode.machine, f"{episode.kind}, {said}"].append(episode)
        parts += [
            _episode_table(machine, kind, episodes, clock)
            for (machine, kind), episodes in by_kind.items()
        ]
    return section("Ended without having recovered", "unrecovered", parts)


def _episode_table(
    machine: str, kind: str, episodes: Sequence[Episode], clock: ReportClock
) -> Markup:
    rows = (
        [
            e.displayed_title,
            clock.interval(e.since, e.until),
            place_name(e.blame.place if e.blame else None),
        ]
        for e in episodes[:MOST_ROWS]
    )
    listed = table(("what", "how long", "line"), rows)
    return expandable(
        f"{len(episodes):,} × {kind} ({machine_name(machine)})", listed, *_left_out_note(episodes)
    )


def repeated_section(report: Report, clock: ReportClock) -> Markup:
    """Show what happened to a subject again and again, most often first of each kind, all of it
    behind a click.
    """
    rows = frequent_repeats(report).items()
    return section(
        "Again and again",
        "again",
        (_repeat_table(machine, kind, each, clock) for (machine, kind), each in rows),
    )


def _repeat_table(
    machine: str, kind: str, rows: Sequence[Repetition], clock: ReportClock
) -> Markup:
    told = (
        f"{sum(row.count for row in rows):,} × {kind} ({machine_name(machine)}) of"
        f" {count_text(len(rows), 'subject')}"
    )
    most = (
        f", most often {subject_name(rows[0].subject, UNCUT)}: {rows[0].count:,} times"
        if len(rows) > 1
        else ""
    )
    shown = rows[:MOST_ROWS]
    cells = (
        [
            subject_name(r.subject, UNCUT),
            f"{r.count:,}",
            frequency_text(r, clock),
            total_duration_text(r),
            reasons_text(r),
            place_name(r.place),
        ]
        for r in shown
    )
    listed = table(("of", "times", "when", "how long", "why", "first"), cells)
    return expandable(f"{told}{most}", listed, *_left_out_note(rows))


def _nonempty_tables(*tables: Markup) -> Iterator[Markup]:
    return (each for each in tables if each)
