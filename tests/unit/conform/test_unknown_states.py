"""A line in a known wording that tells a state which the spec does not have: said, never passed over.

Covers: statemachines.conform.join.current_states.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from statemachines.conform import check
from statemachines.model.evidence.reports import EpisodeOutcome, Report
from statemachines.model.evidence.verdicts import Verdict
from tests.doors import VERSION, House, kinds, line, told


def test_a_step_to_an_unknown_state_is_found_and_named(house: House) -> None:
    """The program did something that the spec knows nothing of."""
    report = house.judge("Door d goes from CLOSED to OPEN", "Door d goes from OPEN to MELTED")
    assert kinds(report) == [("unknown state", "INCONCLUSIVE", 2)]
    assert "MELTED" in report.findings[0].message
    assert (report.findings[0].source, report.findings[0].target) == ("OPEN", "MELTED")


def test_behind_an_unknown_state_the_instance_may_be_anywhere(house: House) -> None:
    """Nobody is accused for what the spec cannot know; the next line that tells a known state settles it."""
    report = house.judge(
        "Door d goes from CLOSED to MELTED",
        "Door d goes from OPEN to JAMMED",
        "Door d goes from JAMMED to OPEN",
    )
    assert kinds(report) == [("unknown state", "INCONCLUSIVE", 1)]
    assert [step.target for step in told(report)] == ["JAMMED", "OPEN"]


def test_what_the_line_tells_beside_the_unknown_state_counts(house: House) -> None:
    """It comes from where it was not: that is wrong whatever it went to; and where it went to is known, whatever it came from."""
    report = house.judge("Door d goes from OPEN to GONE", "Door d goes from OPEN to MELTED")
    assert ("impossible", "VIOLATED", 2) in kinds(report) or (
        "began again",
        "INCONCLUSIVE",
        2,
    ) in kinds(report)
    report = house.judge("Door d goes from MELTED to LOCKED", "Door d goes from OPEN to CLOSED")
    assert ("unknown state", "INCONCLUSIVE", 1) in kinds(report)
    assert len(kinds(report)) == 2


def test_an_unknown_state_is_found_in_every_kind_of_line(house: House) -> None:
    """A word about a state, a list of them, a request that was refused."""
    for message in (
        "Door d stands MELTED",
        "Every door -> a=OPEN, d=MELTED",
        "WARN Door d will not go from LOCKED to MELTED",
    ):
        report = house.judge("Door a stands OPEN", message)
        assert ("unknown state", "INCONCLUSIVE", 2) in kinds(report), message
        assert report.verdict is Verdict.INCONCLUSIVE


def test_a_refused_request_for_an_unknown_state_changes_nothing(house: House) -> None:
    """The door is where it was."""
    report = house.judge(
        "Door d stands LOCKED",
        "WARN Door d will not go from LOCKED to MELTED",
        "Door d stands OPEN",
    )
    assert [kind for kind, _, _ in kinds(report)] == ["unknown state", "gap"]


def test_a_state_of_another_release_is_unknown_in_the_one_that_is_told(house: House) -> None:
    """A name that the spec has, for another release than the log's, says as little."""
    text = house.spec.read_text("utf-8").replace(
        "GONE: {final: true}", 'GONE: {final: true}\n  SMART: {in: "2.0"}'
    )
    house.spec.write_text(
        text.replace(
            "- {from: LOCKED, to: GONE",
            '- {from: OPEN, to: SMART, in: "2.0"}\n  - {from: LOCKED, to: GONE',
        ),
        "utf-8",
    )
    assert kinds(house.judge(VERSION, "Door d stands SMART")) == [
        ("unknown state", "INCONCLUSIVE", 2)
    ]
    assert house.judge("Door d stands SMART").releases[0].releases == "2.0"
    assert house.judge("Door d stands SMART").verdict is Verdict.HOLDS


def test_the_name_of_a_state_narrows_the_releases(house: House) -> None:
    """It proves a release as a wording does; a name that all releases have proves nothing."""
    text = house.spec.read_text("utf-8").replace("JAMMED:\n", 'JAMMED: {in: "1.0..1.1"}\n')
    text = text.replace(
        "{from: OPEN, to: JAMMED}", '{from: OPEN, to: JAMMED, in: "1.0..1.1"}'
    ).replace("silent: true", 'silent: true, in: "1.0..1.1"')
    house.spec.write_text(text.replace("taken: false", 'taken: false, in: "1.0..1.1"'), "utf-8")
    assert house.judge("Door d goes from OPEN to CLOSED").releases[0].releases == "1.0..2.0"
    assert house.judge("Door d goes from OPEN to JAMMED").releases[0].releases == "1.0..1.1"


def test_a_line_of_another_logger_is_no_unknown_state(house: House) -> None:
    """The words alone are no proof where the line says that somebody else wrote them."""
    path = house.write(
        "a.log", ["[2026-01-02 03:04:05,000] INFO Door d goes from home to work (town.People)"]
    )
    report = house.check(path)
    assert report.findings == ()


LIFT = """
notation: 1
machine: Lift
states: {IDLE: {initial: true}, MOVING: {within: 20 s}, OPEN: {}}
transitions:
  - {from: IDLE, to: MOVING, event: go}
  - {from: MOVING, to: OPEN, event: arrive}
  - {from: OPEN, to: IDLE, event: close}
log:
  instance: [lift]
  logger: lift.Lift
  level: INFO
  lines:
    - {text: "elevator {lift}: {from} -> {to}", says: step, samples: ["elevator 1: IDLE -> MOVING"]}
    - {text: "elevator {lift} now is {state}", says: is, samples: ["elevator 1 now is IDLE"]}
    - {text: "elevator {lift} will not go from {from} to {to}", says: refused, samples: ["elevator 1 will not go from IDLE to OPEN"]}
  episodes:
    moving: {while: "state == 'MOVING'", longer than: 20 s, title: "lift {lift} moves"}
    leaving: {while: "state == 'MOVING'", until: "state == 'OPEN'", longer than: 20 s, title: "lift {lift} is under way"}
"""


def judged_lift(folder: Path, *told: tuple[int, str]) -> Report:
    """Judge lines of a lift, each with the second at which it was written."""
    spec = folder / "lift.yaml"
    spec.write_text(LIFT, "utf-8")
    log = folder / "lift.log"
    log.write_text("".join(f"{line(text, at, 'lift.Lift')}\n" for at, text in told), "utf-8")
    return check([log], specs=[spec], engine="local")


@pytest.mark.parametrize(
    "stuck",
    [
        [(1, "elevator 1: MOVING -> STUCK")],
        [(1, "elevator 1: MOVING -> STUCK"), (90, "elevator 1: STUCK -> IDLE")],
        [(1, "elevator 1 now is STUCK")],
        [(1, "elevator 1 will not go from STUCK to OPEN")],
        [(90, "elevator 1: STUCK -> IDLE")],
        [(90, "elevator 1: STUCK -> OPEN")],
        [(90, "elevator 1: STUCK -> MOVING")],
        [(90, "elevator 1 now is STUCK")],
    ],
    ids=lambda told: " then ".join(text for _, text in told),
)
def test_an_unknown_state_ends_what_held_before_it(
    tmp_path: Path, stuck: list[tuple[int, str]]
) -> None:
    """The instance left the state before, at the latest there: nothing is late for sure, nor goes on."""
    end = (91, "elevator 2: IDLE -> MOVING")
    report = judged_lift(tmp_path, (0, "elevator 1: IDLE -> MOVING"), *stuck, end)
    assert report.verdict is Verdict.INCONCLUSIVE
    assert not [one.title for one in report.episodes if one.open]


def test_what_was_late_before_an_unknown_state_is_late(tmp_path: Path) -> None:
    """The line says that it left only then."""
    told = (0, "elevator 1: IDLE -> MOVING"), (60, "elevator 1: MOVING -> STUCK")
    report = judged_lift(tmp_path, *told)
    assert ("broken rule", "VIOLATED", 2) in kinds(report)
    assert {one.outcome for one in report.episodes} == {EpisodeOutcome.ENDED}
