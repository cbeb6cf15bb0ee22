"""What a follower says is what a report calls trouble, and nothing else.

Covers: statemachines.conform.join.report_changes, statemachines.model.evidence.changes.
"""

from __future__ import annotations

from pathlib import Path

from statemachines.api.log_following import follow
from statemachines.model.evidence.changes import LogChange
from tests.unit.conform.test_incidents import CRANE, FAMILY, SHIP

Said = list[tuple[str, str]]


def said_of(folder: Path, *looks: str) -> Said:
    """Return what is said at each look at a log, and the changes as what and title."""
    for name, text in (("harbour", FAMILY), ("Crane", CRANE), ("Ship", SHIP)):
        (folder / f"{name}.yaml").write_text(text)
    log = folder / "harbour.log"
    log.write_text(line("00", "harbour control begins", "Main"))
    said: list[LogChange] = []
    with follow(log, specs=folder) as follower:
        said += follower.poll()
        for look in looks:
            with log.open("a") as written:
                written.write(look)
            said += follower.poll()
        whole = follower.report(to_the_end=True)
    told = {(row.kind, row.subject) for row in whole.incidents if row.is_trouble}
    incidents = [change.incident for change in said if change.incident]
    assert {(row.kind, row.subject) for row in incidents} >= told
    return [(str(c.kind), c.incident.title if c.incident else c.withdrawn) for c in said]


def line(second: str, text: str, logger: str = "Crane") -> str:
    """Return a line of the harbour's log."""
    level = "WARN" if "cannot" in text else "INFO"
    return f"2026-11-21 12:00:{second}.000 {level} [main] harbour.{logger} - {text}\n"


def broke(second: str, crane: int = 1) -> str:
    return line(second, f"crane {crane} goes from WORKING to BROKEN")


def mended(second: str, crane: int = 1) -> str:
    return line(second, f"crane {crane} goes from BROKEN to WORKING")


def test_what_is_normal_for_a_time_is_said_when_it_lasts_longer(tmp_path: Path) -> None:
    """A crane may be broken for two seconds: nobody is woken for one."""
    normal = said_of(tmp_path, broke("10"), mended("11"), broke("20"), mended("22"))
    assert normal == []
    late = said_of(tmp_path, broke("10"), mended("13", 2), mended("14"))
    assert late == [("opened", "crane 1 is broken"), ("healed", "crane 1 was broken")]


def test_what_counted_lines_tell_is_said(tmp_path: Path) -> None:
    """No state changes by them."""
    lost = line("10", "crane 1 cannot reach the office")
    said = said_of(tmp_path, lost, mended("20"))
    assert said == [
        ("opened", "the office cannot be reached"),
        ("healed", "the office could not be reached"),
    ]
