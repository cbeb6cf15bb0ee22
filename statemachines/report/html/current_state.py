"""The state of everything, what ended in order, what happened again and again."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from statemachines.model.evidence.reports import (
    CurrentState,
    Repetition,
    Report,
)
from statemachines.report.html.elements import Markup, expandable, section, table, tag
from statemachines.report.sections.display_names import (
    ReportClock,
    machine_name,
    place_name,
)
from statemachines.report.sections.frequent_repeats import (
    RepeatSentences,
    frequency_text,
    frequent_repeats,
    reasons_text,
    total_duration_text,
)
from statemachines.report.sections.orderly_ends import ended_processes
from statemachines.report.sections.subject_names import SubjectNames

MOST_ROWS = 2_000
"""Rows of a table."""


def _state_counts(nows: Sequence[CurrentState]) -> str:
    states = Counter(" or ".join(now.state) for now in nows)
    return ", ".join(f"{number:,} {state}" for state, number in states.most_common())


def states_section(report: Report, clock: ReportClock) -> Markup:
    """Show the last state of everything: counted by machine, each subject behind a click.

    Args:
        report: what a check found.
        clock: of the report, which writes its moments.

    Returns:
        A section of the page.
    """
    names = SubjectNames(report)
    by_machine: dict[str, list[CurrentState]] = defaultdict(list)
    for now in report.now:
        by_machine[now.machine].append(now)
    by_count = (
        expandable(f"{machine}: {_state_counts(nows)}", *_subject_table(nows, names, clock))
        for machine, nows in by_machine.items()
    )
    return section("States at the end of the log", "states", by_count)


def _subject_table(
    nows: Sequence[CurrentState], names: SubjectNames, clock: ReportClock
) -> Iterator[Markup]:
    rows = (
        [
            names.name_within(n.machine, n.subject, n.process),
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
    """Show processes that came to an orderly end, and what was first wrong before.

    Args:
        report: what a check found.
        clock: of the report, which writes its moments.

    Returns:
        A section of the page, or nothing.
    """
    rows = []
    for row in ended_processes(report):
        before = "; ".join(
            dict.fromkeys(open_episode.displayed_title for open_episode in row.open_episodes)
        )
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


def repeated_section(report: Report, clock: ReportClock) -> Markup:
    """Show what happened to a subject again and again, most often first of each kind, all of it
    behind a click.

    Args:
        report: what a check found.
        clock: of the report, which writes its moments.

    Returns:
        A section of the page, or nothing.
    """
    rows, sentences = frequent_repeats(report).values(), RepeatSentences(report)
    return section(
        "Again and again",
        "again",
        (_repeat_table(row, sentences, clock) for row in rows),
    )


def _repeat_table(
    rows: Sequence[Repetition], sentences: RepeatSentences, clock: ReportClock
) -> Markup:
    title = f"{sentences.sentence(rows[0])}, {rows[0].count:,} times"
    most = f", and {len(rows) - 1:,} more like it" if len(rows) > 1 else ""
    shown = rows[:MOST_ROWS]
    cells = (
        [
            sentences.subject(r),
            f"{r.count:,}",
            frequency_text(r, clock),
            total_duration_text(r),
            reasons_text(r),
            place_name(r.place),
        ]
        for r in shown
    )
    listed = table(("of", "times", "when", "how long", "why", "first"), cells)
    return expandable(f"{title}{most}", listed, *_left_out_note(rows))


def _nonempty_tables(*tables: Markup) -> Iterator[Markup]:
    return (markup for markup in tables if markup)
