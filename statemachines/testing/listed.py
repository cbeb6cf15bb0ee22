"""What the tests of this process went through, for whoever prints it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from statemachines.model.reports import MachineSummary
    from statemachines.testing.coverage import Coverage

LISTED: list[Coverage] = []
"""The coverage of each test that was made from a machine, in the order in which they were made."""
JUDGED: list[MachineSummary] = []
"""What each judged log showed of each machine."""


def coverage_table() -> str:
    """Return what the tests made by `from_machine` went through, as lines for people; empty where none has run."""
    return "\n".join(coverage.table() for coverage in LISTED if coverage.lives)


def judged_table() -> str:
    """Return what the judged logs showed of each machine, as lines for people; empty where none was judged."""
    lines = []
    for name in dict.fromkeys(each.machine for each in JUDGED):
        logs = [each for each in JUDGED if each.machine == name]
        never = [step for step in logs[0].never_seen if all(step in each.never_seen for each in logs)]
        lines.append(f"{name}: {sum(each.steps for each in logs)} steps in {len(logs)} judged logs")
        lines += [f"  never seen: {', '.join(never)}"] if never else []
    return "\n".join(lines)
