"""What is true at the end of a log, and what was wrong on the way.

Covers: statemachines.conform.join.subject_episodes.
"""

from __future__ import annotations

from pathlib import Path

from statemachines.conform import check
from statemachines.model.evidence.reports import EpisodeOutcome
from statemachines.report.sections.orderly_ends import open_episodes
from tests.doors import VERSION, House, lines


def test_episodes_open_and_close_with_the_state_and_blame_the_first_failure(house: House) -> None:
    """What people ask about, with the line that explains it."""
    stuck = "ERROR Door d did not get from JAMMED to OPEN"
    report = house.judge(
        VERSION,
        "Door d goes from OPEN to JAMMED",
        stuck,
        stuck,
        "Door d stands OPEN",
        "Door e goes from OPEN to JAMMED",
    )
    first, second = report.episodes
    assert (first.title, first.open, first.blame.place.line if first.blame else None) == (
        "door d is jammed",
        False,
        3,
    )
    assert (second.title, second.open, second.blame.place.line if second.blame else None) == (
        "door e is jammed",
        True,
        6,
    )
    assert first.since is not None
    assert first.until is not None
    assert first.since.ms is not None
    assert first.until.ms == first.since.ms + 3000


def test_now_is_the_last_state_unless_the_program_stopped(house: House) -> None:
    """A process that ended is not now."""
    messages = (VERSION, "Door d goes from CLOSED to OPEN")
    assert [(n.state, n.place.line if n.place else None) for n in house.judge(*messages).now] == [
        (("OPEN",), 2)
    ]
    assert house.judge(*messages, "House program has stopped").now == ()
    assert (
        len(
            house.judge(
                *messages,
                "House program has stopped",
                "House program starting up",
                "Door d goes from CLOSED to OPEN",
            ).now
        )
        == 1
    )


PARTS = """
notation: 1
machine: Wing
family: house
states:
  OPENING: {initial: true}
  WORKING:
  CLOSING:
  SHUT: {final: true}
transitions:
  - {from: OPENING, to: WORKING}
  - {from: WORKING, to: CLOSING}
  - {from: CLOSING, to: SHUT}
log:
  instance: [wing]
  program: true
  patterns: {wing: '[a-z-]+'}
  lines:
    - {text: "Wing {wing} turns from {from} to {to}", says: step, logger: house.Wing, level: INFO, samples: ["Wing w turns from WORKING to CLOSING"]}
  episodes:
    starting: {while: "state == 'WORKING'", title: "wing {wing} is working"}
"""


def test_what_ends_because_its_program_is_closed_is_orderly_and_what_died_before_is_not(
    tmp_path: Path,
) -> None:
    """Every closed program ends its threads; what died before the closing ended with it, and did not recover."""
    house = House(tmp_path)
    wing = house.spec.with_name("Wing.yaml")
    wing.write_text(PARTS, "utf-8")
    messages = (
        "Wing north turns from WORKING to CLOSING",
        "Door a goes from OPEN to JAMMED",
        "Wing north turns from CLOSING to SHUT",
    )
    died = house.write(
        "house.log",
        lines(
            VERSION,
            "Wing north turns from OPENING to WORKING",
            "Door b goes from OPEN to JAMMED",
            *messages,
        ),
    )
    report = check([died], specs=[house.spec, wing], engine="local")
    assert {e.title: e.outcome for e in report.episodes if e.kind == "jammed"} == {
        "door a is jammed": EpisodeOutcome.ORDERLY,
        "door b is jammed": EpisodeOutcome.ENDED,
    }
    assert [e.title for e in open_episodes(report)] == []


def test_what_was_not_heard_of_since_its_program_began_again_is_not_now(tmp_path: Path) -> None:
    """A killed program takes its parts along; one of them that does not come back is in no state and in no trouble any more."""
    house = House(tmp_path)
    family = house.spec.with_name("house.yaml")
    family.write_text(
        family.read_text("utf-8").replace("says: process begins", "says: process may begin"),
        "utf-8",
    )
    wing = house.spec.with_name("Wing.yaml")
    wing.write_text(PARTS, "utf-8")
    before = (
        "Wing north turns from OPENING to WORKING",
        "Door north_a goes from OPEN to JAMMED",
        "Door south goes from OPEN to JAMMED",
    )
    after = ("Door north_b goes from OPEN to JAMMED", "Wing north turns from OPENING to WORKING")
    log = house.write(
        "house.log",
        lines(
            VERSION,
            *before,
            "Door northern goes from OPEN to JAMMED",
            "House program starting up",
            *after,
        ),
    )
    report = check([log], specs=[house.spec, wing], engine="local")
    assert {row.subject[0][1] for row in report.now} == {"north", "north_b", "south", "northern"}
    assert {e.title for e in report.episodes if e.open and e.kind == "jammed"} == {
        f"door {d} is jammed" for d in ("north_b", "south", "northern")
    }
    [closed] = [e for e in report.episodes if not e.open and e.kind == "jammed"]
    assert closed.title == "door north_a is jammed"
    assert closed.until is not None
    assert closed.since is not None
    assert (closed.until.ms or 0) > (closed.since.ms or 0)


LODGER = """
notation: 1
machine: Lodger
family: house
states: {IN: {initial: true}, OUT: {}}
transitions:
  - {from: IN, to: OUT}
  - {from: OUT, to: IN}
log:
  instance: [lodger]
  logger: house.Door
  level: INFO
  lines:
    - {text: "lodger {lodger} is {to}", says: step}
    - {text: "lodger {lodger} was not seen for a week", says: step, to: OUT, mark: was not seen}
  episodes:
    away: {while: "state == 'OUT'", not opened by: was not seen, title: "{lodger} is away"}
    missing: {while: "state == 'OUT'", opened by: was not seen, title: "{lodger} is missing"}
"""


def test_the_mark_of_the_line_that_opens_an_episode_may_say_which_it_is(tmp_path: Path) -> None:
    """One state may be reached in order, or not: who asked to go is away, and whom nobody has seen
    is missing.
    """
    house = House(tmp_path)
    lodger = house.spec.with_name("Lodger.yaml")
    lodger.write_text(LODGER, "utf-8")
    log = house.write(
        "house.log",
        lines(
            VERSION,
            "lodger a is OUT",
            "lodger b was not seen for a week",
            "lodger b is IN",
            "lodger b is OUT",
            "lodger a was not seen for a week",
        ),
    )
    report = check([log], specs=[lodger], engine="local")
    assert [(one.title, one.open) for one in report.episodes] == [
        ("a is away", True),
        ("b is away", True),
        ("b is missing", False),
    ]
