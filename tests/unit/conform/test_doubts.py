"""What one machine says of others: they are no longer as they were seen last, unless they were heard of since.

Covers: statemachines.conform.join.doubts, statemachines.notation.log_passes.doubt_pass,
statemachines.notation.linting.doubted_machines.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import statemachines as sm
from statemachines.model.evidence.reports import Report
from statemachines.notation import lint
from tests.effort import some_of

FAMILY = r"""
notation: 1
family: coast
releases: ["1"]
log:
  process: ship
  patterns: {ship: '\d+'}
  lines:
    - {text: "ship {ship} leaves the harbour", says: process begins, logger: coast.Ship, level: INFO}
"""
ENGINE = """
notation: 1
machine: Engine
family: coast
states: {IDLE: {initial: true}, RUNNING: , BROKEN: {final: true}}
transitions:
  - {from: IDLE, to: RUNNING}
  - {from: RUNNING, to: BROKEN}
log:
  instance: [ship]
  lines:
    - {text: "engine of {ship} is {to}", says: step, logger: coast.Engine, level: INFO}
"""
LAMP = """
notation: 1
machine: Lamp
family: coast
states: {DARK: {initial: true}, LIT: }
transitions:
  - {from: DARK, to: LIT}
log:
  lines:
    - {text: "lamp is {to}", says: step, logger: coast.Lamp, level: INFO}
    - {text: "all is well", says: note, logger: coast.Lamp, level: INFO}
"""
BUOY = """
notation: 1
machine: Buoy
family: coast
states: {LAID: {initial: true}, LIT: }
transitions:
  - {from: LAID, to: LIT}
log:
  instance: [buoy]
  shared: true
  lines:
    - {text: "a light: buoy {buoy} is {to}", says: step, logger: coast.Buoy, level: INFO}
"""
WATCH = """
notation: 1
machine: Watch
family: coast
states: {SEEN: {initial: true}, MISSING: }
transitions:
  - {from: SEEN, to: MISSING}
  - {from: MISSING, to: SEEN}
log:
  instance: [ship]
  shared: true
  lines:
    - {text: "the coast guard: ship {ship} is {to}", says: step, logger: coast.Watch, level: INFO}
  doubts:
    lost: {while: "state == 'MISSING'", of: Engine, about: {ship: "{ship}"}, PROCESS says: "ship {ship} is missing"}
"""


def judged(
    folder: Path,
    logs: dict[str, list[tuple[int, str]]],
    *,
    process: bool = True,
    engine: str = ENGINE,
) -> Report:
    """Judge the logs of ships and of the coast guard, whose lines have a second each."""
    specs = folder / "specs"
    specs.mkdir(exist_ok=True)
    watch = WATCH.replace("PROCESS ", "process: true, " if process else "")
    machines = {"Engine": engine, "Lamp": LAMP, "Buoy": BUOY, "Watch": watch}
    for name, text in ({"coast": FAMILY} | machines).items():
        (specs / f"{name}.yaml").write_text(text, "utf-8")
    for name, lines in logs.items():
        (folder / f"{name}.log").write_text(
            "".join(f"[2026-01-01 10:00:{at:02},000] INFO {line} (C)\n" for at, line in lines),
            "utf-8",
        )
    names = [specs / f"{name}.yaml" for name in machines]
    return sm.check([folder / f"{name}.log" for name in logs], specs=names, engine="local")


def doubts(report: Report) -> dict[str, str]:
    """Return why a state of a machine of ship 1 is in doubt; empty: it is not."""
    return {
        row.machine: row.doubt
        for row in report.now
        if row.machine != "Watch" and ("ship", 2) not in row.subject
    }


LEAVES = [(0, "ship 1 leaves the harbour"), (1, "engine of 1 is RUNNING"), (1, "lamp is LIT")]
LOST = (9, "the coast guard: ship 1 is MISSING")
WHY = "no longer heard of: ship 1 is missing"


def test_what_a_silent_program_told_last_is_in_doubt(tmp_path: Path) -> None:
    """Its lamp names no ship: it burns in the same program. The state is told at its time."""
    report = judged(tmp_path, {"one": LEAVES, "guard": [LOST]})
    assert doubts(report) == {"Engine": WHY, "Lamp": WHY}
    assert [row.state for row in report.now if row.machine == "Engine"] == [("RUNNING",)]


def test_who_is_heard_of_since_is_not_in_doubt(tmp_path: Path) -> None:
    """The coast guard has lost sight of a ship that sails on; any line of it says so."""
    sails = [*LEAVES, (20, "all is well")]
    assert doubts(judged(tmp_path, {"one": sails, "guard": [LOST]})) == {"Engine": "", "Lamp": ""}
    found = (12, "the coast guard: ship 1 is SEEN")
    again = judged(tmp_path, {"one": LEAVES, "guard": [LOST, found]})
    assert doubts(again) == {"Engine": "", "Lamp": ""}


def test_without_the_process_an_instance_alone_is_in_doubt(tmp_path: Path) -> None:
    """And what its process says of others does not take the doubt away."""
    sails = [*LEAVES, (20, "all is well")]
    found = doubts(judged(tmp_path, {"one": sails, "guard": [LOST]}, process=False))
    assert found == {"Engine": WHY, "Lamp": ""}


def test_what_several_programs_tell_of_outlives_each_of_them(tmp_path: Path) -> None:
    """A buoy that a lost ship has lit burns on."""
    lights = [*LEAVES, (2, "a light: buoy 7 is LIT")]
    report = judged(tmp_path, {"one": lights, "guard": [LOST]})
    assert [row.doubt for row in report.now if row.machine == "Buoy"] == [""]


def test_another_ship_and_a_final_state_are_not_in_doubt(tmp_path: Path) -> None:
    """What cannot be left is so still."""
    other = [(at, line.replace("1", "2")) for at, line in LEAVES]
    assert not any(row.doubt for row in judged(tmp_path, {"two": other, "guard": [LOST]}).now)
    broken = [*LEAVES, (5, "engine of 1 is BROKEN")]
    found = doubts(judged(tmp_path, {"one": broken, "guard": [LOST]}))
    assert found == {"Engine": "", "Lamp": WHY}


@settings(
    max_examples=some_of(25),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    last=st.integers(2, 29),
    heard=st.lists(st.integers(2, 29), min_size=1, max_size=5, unique=True).map(sorted),
)
def test_in_doubt_is_what_was_silent_since_the_last_word_of_it(
    tmp_path: Path, last: int, heard: list[int]
) -> None:
    """Whatever was said in between: the last state of who casts the doubt counts."""
    words = [
        (at, f"the coast guard: ship 1 is {'SEEN' if number % 2 else 'MISSING'}")
        for number, at in enumerate(heard)
    ]
    report = judged(tmp_path, {"one": [*LEAVES, (last, "all is well")], "guard": words})
    expected = WHY if len(heard) % 2 and last <= heard[-1] else ""
    assert doubts(report) == {"Engine": expected, "Lamp": expected}


@pytest.mark.parametrize(
    ("wrong", "right", "code"),
    [
        ("of: Engin", "of: Engine", "SM524"),
        ("about: {boat:", "about: {ship:", "SM524"),
        ('says: "ship {boat} is', 'says: "ship {ship} is', "SM514"),
        ("state == 'MISING'", "state == 'MISSING'", "SM204"),
    ],
)
def test_a_doubt_that_nothing_can_meet_is_found(
    tmp_path: Path, wrong: str, right: str, code: str
) -> None:
    """It would be silently none."""
    judged(tmp_path, {"guard": [LOST]})
    path = tmp_path / "specs" / "Watch.yaml"
    assert lint(path) == []
    path.write_text(path.read_text("utf-8").replace(right, wrong), "utf-8")
    assert [found.code for found in lint(path)] == [code]


SLUICE = """
notation: 1
machine: Sluice
states: {SHUT: {initial: true}, OPEN: }
transitions: [{from: SHUT, to: OPEN}, {from: OPEN, to: SHUT}]
log:
  instance: [sluice]
  lines:
    - {text: "sluice {sluice} went from {from} to {to}", says: step, logger: S, level: INFO}
    - {text: "sluice {sluice} is left by us {from}, may be {state}", says: may be, logger: S, level: INFO}
  episodes:
    open: {while: "state == 'OPEN'", title: "{sluice} is open", was: "{sluice} was open"}
    maybe_open: {while: "state == 'OPEN'", maybe: true, title: "{sluice} may be open"}
"""


def sluices(folder: Path, *messages: str) -> list[tuple[str, str]]:
    """Judge lines a second apart; the titles of the episodes, and what became of them."""
    (folder / "Sluice.yaml").write_text(SLUICE, "utf-8")
    lines = [f"[2026-01-01 10:00:{n:02},000] INFO {m} (S)\n" for n, m in enumerate(messages)]
    (folder / "sluice.log").write_text("".join(lines), "utf-8")
    report = sm.check([folder / "sluice.log"], specs=[folder / "Sluice.yaml"], engine="local")
    assert report.verdict is sm.Verdict.HOLDS
    return [(one.title, one.outcome.value) for one in report.episodes]


def test_a_line_tells_where_it_was_until_it_may_be_elsewhere(tmp_path: Path) -> None:
    """Also where no line told it before."""
    told = "sluice 7 is left by us OPEN, may be SHUT"
    assert sluices(tmp_path, told, "sluice 8 went from OPEN to SHUT") == [("7 may be open", "open")]


def test_what_is_in_doubt_is_no_longer_certain(tmp_path: Path) -> None:
    """It has not healed: it ended, and what may be stands in its place until a line decides."""
    opens, told = "sluice 7 went from SHUT to OPEN", "sluice 7 is left by us OPEN, may be SHUT"
    assert sluices(tmp_path, opens, told) == [("7 is open", "ended"), ("7 may be open", "open")]
    settled = sluices(tmp_path, opens, told, told, "sluice 7 went from SHUT to OPEN")
    assert settled.count(("7 is open", "open")) == 1
    assert ("7 may be open", "open") not in settled


def test_a_source_that_contradicts_the_log_is_found(tmp_path: Path) -> None:
    """The line shows a step that is missing."""
    opens, told = "sluice 7 went from SHUT to OPEN", "sluice 7 is left by us SHUT, may be OPEN"
    (tmp_path / "Sluice.yaml").write_text(SLUICE, "utf-8")
    lines = [f"[2026-01-01 10:00:{n:02},000] INFO {m} (S)\n" for n, m in enumerate((opens, told))]
    (tmp_path / "sluice.log").write_text("".join(lines), "utf-8")
    report = sm.check([tmp_path / "sluice.log"], specs=[tmp_path / "Sluice.yaml"], engine="local")
    assert [one.kind for one in report.findings] == ["gap"]


def test_what_all_may_tell_of_is_in_doubt_itself_once_its_process_is_silent(
    tmp_path: Path,
) -> None:
    """Of engines that anybody may tell of, this ship told last; its lamp is in doubt with it."""
    engine = ENGINE.replace("  instance: [ship]\n", "  instance: [ship]\n  shared: true\n")
    sails = [(0, "ship 1 leaves the harbour"), (1, "engine of 1 is RUNNING"), (2, "lamp is LIT")]
    lost = [(9, "the coast guard: ship 1 is MISSING")]
    silent = doubts(judged(tmp_path, {"ship1": sails, "guard": lost}, engine=engine))
    assert set(silent.values()) == {"no longer heard of: ship 1 is missing"}
    alive = [*sails, (12, "all is well")]
    heard = doubts(judged(tmp_path, {"ship1": alive, "guard": lost}, engine=engine))
    assert set(heard.values()) == {""}
