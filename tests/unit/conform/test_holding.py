"""What one process after the other holds: whose word counts, what a line takes back, and what stands below a record's first line.

Covers: statemachines.conform.judge.holders.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import statemachines as sm

SPEC = """
notation: 1
machine: Lamp
states: {OFF: {initial: true}, ON: , BROKEN: }
transitions:
  - {from: [OFF, BROKEN], to: ON, event: light}
  - {from: ON, to: OFF, event: dim}
  - {from: "*", to: BROKEN, event: break}
otherwise:
  - {event: light, from: ON, does: ignore, quiet: true}
  - {event: dim, from: [OFF, BROKEN], does: ignore}
log:
  instance: [lamp]
  shared: true
  patterns: {lamp: '[a-z]+'}
  lines:
    - {text: "this house has lamp {lamp}", says: note, takes: true, logger: org.example.Lamp, level: INFO}
    - {text: "lamp {lamp} will shine", says: event, event: light, holder: true, logger: org.example.Lamp, level: INFO}
    - {text: "lamp {lamp} will be dark", says: event, event: dim, holder: true, logger: org.example.Lamp, level: INFO}
    - {text: "lamp {lamp} did not shine", says: event, event: break, holder: true, undoes: true, logger: org.example.Lamp, level: INFO}
    - {text: "a broken one was found:", rest: "name = {lamp}", says: event, event: break, logger: org.example.Lamp, level: WARN,
       samples: [{line: "a broken one was found:\\n  name = big", yields: {lamp: big}}]}
"""


def checked(folder: Path, **houses: list[str]) -> sm.Report:
    """Judge a log for each house; a message begins with its second."""
    (folder / "lamp.yaml").write_text(SPEC, "utf-8")
    for house, messages in houses.items():
        lines = (
            f"2026-01-01 10:00:{text[:2]},000 INFO  [main] org.example.Lamp - {text[3:]}\n"
            for text in messages
        )
        (folder / f"{house}.log").write_text("".join(lines), "utf-8")
    return sm.check([folder / f"{house}.log" for house in houses], specs=[folder / "lamp.yaml"])


def steps(report: sm.Report) -> list[tuple[str | None, str | None, str | None]]:
    """File and states of the told steps."""
    return [
        (Path(step.place.file).name, step.source, step.target)
        for step in report.timeline
        if step.how == "told"
    ]


TAKEN = ["01 this house has lamp big", "02 lamp big will shine", "03 lamp big will be dark"]


def test_only_the_holders_word_counts(tmp_path: Path) -> None:
    """Every house hears of every wish, and one has the lamp."""
    report = checked(
        tmp_path,
        north=[*TAKEN, "09 lamp big will shine"],
        south=["05 lamp big will shine", "06 lamp big will be dark"],
    )
    assert steps(report) == [("north.log", "ON", "OFF"), ("north.log", "OFF", "ON")]


def test_who_takes_it_holds_it(tmp_path: Path) -> None:
    """And the one before does not any more, whatever it says when it awakes."""
    south = ["05 this house has lamp big", "06 lamp big will shine"]
    report = checked(tmp_path, north=[*TAKEN, "09 lamp big did not shine"], south=south)
    assert steps(report)[-1] == ("south.log", "OFF", "ON")


def test_without_a_holder_every_word_counts(tmp_path: Path) -> None:
    """The log may begin later than what it tells of."""
    assert steps(checked(tmp_path, north=TAKEN[1:]))[-1] == ("north.log", "ON", "OFF")


@pytest.mark.parametrize("between", [[], ["04 this house has lamp big"]])
def test_what_did_not_happen_is_not_told(tmp_path: Path, between: list[str]) -> None:
    """The line of a success may stand before that of its failure."""
    report = checked(
        tmp_path, north=[*TAKEN, "04 lamp big will shine", *between, "05 lamp big did not shine"]
    )
    assert steps(report) == [("north.log", "ON", "OFF"), ("north.log", "OFF", "BROKEN")]


def test_another_process_undoes_nothing(tmp_path: Path) -> None:
    """Two of them say what they say of their own."""
    south = ["03 this house has lamp big", "04 lamp big did not shine"]
    assert steps(checked(tmp_path, north=TAKEN[:2], south=south))[-1] == (
        "south.log",
        "ON",
        "BROKEN",
    )


def test_a_quiet_refusal_is_no_finding(tmp_path: Path) -> None:
    """What happens all the time is nothing to tell; the loud one is told."""
    report = checked(
        tmp_path,
        north=[
            *TAKEN[:2],
            "03 lamp big will shine",
            "04 lamp big will be dark",
            "05 lamp big will be dark",
        ],
    )
    assert [(finding.kind, finding.place.line) for finding in report.findings] == [("ignored", 5)]


def test_a_record_tells_its_subject_below_its_first_line(tmp_path: Path) -> None:
    """And where no line there reads so, it is none of these records."""
    dump = "05 a broken one was found:\n\tcolour = red\n\tname = big"
    assert steps(checked(tmp_path, north=[*TAKEN, dump]))[-1] == ("north.log", "OFF", "BROKEN")
    assert steps(checked(tmp_path, north=[*TAKEN, "05 a broken one was found:\n\tcolour = red"]))[
        -1
    ] == ("north.log", "ON", "OFF")


def test_a_restart_of_the_holder_is_no_new_life(tmp_path: Path) -> None:
    """A lamp outlives the house that has it."""
    report = checked(tmp_path, north=[*TAKEN, "04 lamp big will shine"])
    (row,) = [row for row in report.now if row.machine == "Lamp"]
    assert row.state == ("ON",)
