"""What the tests of this process went through, for whoever prints it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from statemachines.model.evidence.reports import MachineSummary
    from statemachines.testing.runs.run_coverage import Coverage, CoverageData

SESSION_COVERAGES: list[Coverage] = []
"""The coverage of each test that was made from a machine, in the order in which they were made."""
JUDGED_MACHINES: list[MachineSummary] = []
"""What each judged log showed of each machine."""

MOST_NAMED = 6
"""Of the transitions that a test never took."""
_MOST_TESTS = 10
"""Of those that say so."""

_JudgedSteps = tuple[str, int, list[str]]
"""A machine, how many steps one log showed, and which it never showed."""
SessionData = tuple[list["CoverageData"], list[_JudgedSteps]]


def session_data() -> SessionData:
    """Return what the tests of this process went through as plain names and numbers: what another
    process can be sent.
    """
    rows = [coverage.to_data() for coverage in SESSION_COVERAGES if coverage.sequences]
    return rows, [
        (machine.machine, machine.steps, list(machine.never_seen)) for machine in JUDGED_MACHINES
    ]


def coverage_table() -> str:
    """Return what the tests made by `from_machine` went through, as lines for people; empty where
    none has run.
    """
    return "\n".join(coverage.table() for coverage in SESSION_COVERAGES if coverage.sequences)


def never_taken_message(coverage: Coverage) -> str:
    """Say which transitions a test has never taken: it knows nothing of what the program does
    there.

    Args:
        coverage: what one test went through.

    Returns:
        One line for people; empty where every transition was taken.
    """
    never = coverage.never_taken()
    shown = ", ".join(never[:MOST_NAMED]) + (
        f" and {len(never) - MOST_NAMED} more" if len(never) > MOST_NAMED else ""
    )
    return (
        f"{coverage.tables.title}: never taken, so not tested: {shown} (greater `sizes` or another"
        " `scope` may come to it)"
    )


def never_taken_messages() -> list[str]:
    """Say it of each test that has run and found nothing, of so many at most."""
    messages = dict.fromkeys(
        never_taken_message(coverage)
        for coverage in SESSION_COVERAGES
        if coverage.tours_passed and coverage.never_taken()
    )
    return [*messages][:_MOST_TESTS] + (
        [f"and {len(messages) - _MOST_TESTS} more tests"] if len(messages) > _MOST_TESTS else []
    )


def session_text(listings: Sequence[SessionData]) -> str:
    """Return what tests went through, and what the judged logs showed of each machine, as lines for
    people; empty where nothing was.

    Args:
        listings: of each process; those of several are added up by the machines' names.

    Returns:
        Lines joined by line feeds: a table for each machine.
    """
    judged = [judged_log for _, listing in listings for judged_log in listing]
    rows = [listed for listing, _ in listings for listed in listing]
    if not rows:
        return "\n".join(_judged_lines(judged))
    from statemachines.testing.runs.run_coverage import coverage_text, merge_coverage

    return "\n".join(
        [
            *map(coverage_text, rows if len(listings) == 1 else merge_coverage(rows)),
            *_judged_lines(judged),
        ]
    )


def _judged_lines(judged: Sequence[_JudgedSteps]) -> Iterator[str]:
    for name in dict.fromkeys(machine for machine, _, _ in judged):
        logs = [(steps, never) for machine, steps, never in judged if machine == name]
        never = [step for step in logs[0][1] if all(step in steps for _, steps in logs)]
        yield f"{name}: {sum(steps for steps, _ in logs)} steps in {len(logs)} judged logs"
        if never:
            yield f"  never seen: {', '.join(never)}"
