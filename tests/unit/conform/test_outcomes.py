"""How episodes end: healed by a line, over with what they were true of, in order, or in a way that no line would tell.

Covers: statemachines.conform.judge.tables.episode_tracker, statemachines.conform.judge.tables.episode_states.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from statemachines.conform import check
from statemachines.model.evidence.reports import Report
from statemachines.report.sections.orderly_ends import open_episodes
from statemachines.report.text.document import to_text
from tests.doors import FAMILY, line

LAMP = r"""
notation: 1
machine: Lamp
family: house
states:
  NEW: {initial: true}
  LIT:
  FLICKERING:
  BURNT:
  COOLING:
  THROWN: {final: true}
  SOLD: {final: true}
transitions:
  - {from: NEW, to: LIT}
  - {from: [LIT, COOLING, BURNT], to: FLICKERING}
  - {from: [FLICKERING, COOLING], to: LIT}
  - {from: [FLICKERING, LIT], to: [BURNT, COOLING]}
  - {from: [LIT, COOLING, BURNT], to: [THROWN, SOLD]}
log:
  instance: [lamp]
  patterns: {lamp: '[\w-]+'}
  lines:
    - {text: "Lamp {lamp} goes from {from} to {to}", says: step, logger: house.Lamp, level: INFO}
    - {text: "House of lamps: {dump}", says: is, each: {dump: "{lamp}={state}"}, logger: house.Map, level: INFO}
  episodes:
    dark: {while: "state in {'FLICKERING', 'BURNT'}", until: "state == 'LIT'", orderly: "state == 'SOLD'", replaced: "state == 'LIT'",
           title: "{lamp} is {state}", was: "{lamp} was {state}"}
    burnt: {while: "state == 'BURNT'", opens: step, title: "{lamp} is burnt"}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the specs."""
    (tmp_path / "house.yaml").write_text(FAMILY, "utf-8")
    (tmp_path / "Lamp.yaml").write_text(LAMP, "utf-8")
    return tmp_path


def judged(folder: Path, *messages: str) -> Report:
    """Judge a log, a second a line."""
    (folder / "house.log").write_text(
        "".join(f"{line(text, at)}\n" for at, text in enumerate(messages)), "utf-8"
    )
    return check([folder / "house.log"], specs=[folder / "Lamp.yaml"], engine="local")


def goes(way: str, lamp: str = "a") -> list[str]:
    """Write a way as lines."""
    states = way.split()
    return [f"Lamp {lamp} goes from {source} to {target}" for source, target in pairwise(states)]


def outcomes(report: Report, kind: str = "dark") -> list[tuple[str, str]]:
    """Return what people read of episodes, and how they ended."""
    return [
        (episode.displayed_title, str(episode.outcome))
        for episode in report.episodes
        if episode.kind == kind
    ]


@pytest.mark.parametrize(
    ("way", "said"),
    [
        ("LIT FLICKERING LIT", [("a was FLICKERING", "healed")]),
        ("LIT FLICKERING COOLING", [("a is COOLING", "open")]),
        ("LIT FLICKERING COOLING LIT", [("a was FLICKERING", "healed")]),
        ("LIT FLICKERING BURNT FLICKERING BURNT", [("a is BURNT", "open")]),
        ("LIT FLICKERING COOLING THROWN", [("a was FLICKERING", "ended")]),
        ("LIT BURNT THROWN", [("a was BURNT", "ended")]),
        ("LIT BURNT SOLD", [("a was BURNT", "orderly")]),
        ("LIT COOLING THROWN", []),
    ],
)
def test_an_episode_lasts_until_what_heals_it(
    folder: Path, way: str, said: list[tuple[str, str]]
) -> None:
    """What comes in between does not heal, and what is thrown away never recovered."""
    report = judged(folder, *goes(way))
    assert outcomes(report) == said
    assert [one.title for one in open_episodes(report)] == [
        title for title, outcome in said if outcome == "open"
    ] + (["a is burnt"] if way.endswith("BURNT") else [])


def test_what_did_not_recover_stands_apart_from_what_healed(folder: Path) -> None:
    """`Healed` is said of nothing that only ended."""
    told = "\n".join(
        to_text(judged(folder, *goes("LIT BURNT THROWN"), *goes("LIT FLICKERING LIT", "b")))
    )
    ended, healed = told[told.index("Ended without having recovered") :].split("\nHealed")
    assert "b was FLICKERING" in healed
    assert "a was BURNT" not in healed
    assert "a was BURNT" in ended
    told = "\n".join(to_text(judged(folder, *goes("LIT BURNT SOLD"))))
    assert "a was BURNT" not in told
    assert "dark" not in told


def test_a_life_that_begins_anew_ends_what_was(folder: Path) -> None:
    """The lamp that burnt was not mended: another one of its name was put in."""
    report = judged(folder, *goes("LIT BURNT"), "House program starting up", *goes("NEW LIT"))
    assert outcomes(report) == [("a was BURNT", "ended")]


def test_a_process_that_was_started_anew_ends_what_was_not_heard_of_since(folder: Path) -> None:
    """It is told as of before; what only may begin ends nothing."""
    told = *goes("LIT BURNT"), *goes("LIT COOLING", "b"), "House program starting up"
    report = judged(folder, *told)
    assert outcomes(report) == [("a was BURNT", "ended")]
    assert {now.doubt for now in report.now} == {"before the restart of its process"}
    family = (folder / "house.yaml").read_text("utf-8")
    (folder / "house.yaml").write_text(
        family.replace("says: process begins", "says: process may begin"), "utf-8"
    )
    perhaps = judged(folder, *told)
    assert outcomes(perhaps) == [("a is BURNT", "open")]
    assert {now.doubt for now in perhaps.now} == {""}


def test_another_one_that_began_since_makes_up_for_it_one_for_one(folder: Path) -> None:
    """Two burnt, one was replaced: the oldest is over, and what was lit before replaces nothing."""
    burnt = *goes("NEW LIT", "old"), *goes("LIT BURNT", "a"), *goes("LIT BURNT", "b")
    assert [outcome for _, outcome in outcomes(judged(folder, *burnt))] == ["open", "open"]
    assert [
        outcome for _, outcome in outcomes(judged(folder, *burnt, *goes("LIT COOLING LIT", "old")))
    ] == ["open", "open"]
    assert [outcome for _, outcome in outcomes(judged(folder, *burnt, *goes("NEW LIT", "c")))] == [
        "healed",
        "open",
    ]
    assert [
        outcome
        for _, outcome in outcomes(
            judged(folder, *burnt, *goes("NEW LIT", "c"), *goes("NEW LIT", "d"))
        )
    ] == ["healed"] * 2


def test_a_snapshot_that_no_line_would_follow_may_be_over(folder: Path) -> None:
    """A map that one file tells is no last word where the steps stand in another; where they are told it is."""
    report = judged(folder, "House of lamps: a=BURNT")
    assert outcomes(report) == [("a was BURNT", "may be over")]
    assert not open_episodes(report)
    assert [now.doubt for now in report.now] == ["may have changed (no line would tell)"]
    told = judged(folder, "House of lamps: a=BURNT", *goes("LIT COOLING", "b"))
    assert outcomes(told) == [("a is BURNT", "open")]
    assert {now.doubt for now in told.now} == {""}


def test_only_a_step_opens_what_says_so(folder: Path) -> None:
    """That a thing is so is told of many that never came there."""
    assert not outcomes(judged(folder, "House of lamps: a=BURNT"), "burnt")
    assert outcomes(judged(folder, *goes("LIT BURNT")), "burnt") == [("a is burnt", "open")]


def test_a_state_that_only_some_releases_have_is_an_alarm_as_those_say(folder: Path) -> None:
    """No banner tells the release: what 1.0 never had is judged as 2.0 says it."""
    newer = LAMP.replace("  BURNT:\n", '  BURNT: {in: "2.0"}\n').replace(
        "title:", 'in: "2.0", title:', 1
    )
    older = '    dark:\n      - {while: "state == \'FLICKERING\'", in: "..1.1", title: "{lamp} is {state}"}\n      - {while'
    spec = newer.replace("    dark: {while", older).replace("\n           title", " title")
    text = spec.replace("[BURNT, COOLING]}", "COOLING}\n  - {from: LIT, to: BURNT}")
    (folder / "Lamp.yaml").write_text(text, "utf-8")
    assert outcomes(judged(folder, *goes("LIT BURNT"))) == [("a is BURNT", "open")]


def test_titles_and_conditions_are_checked(folder: Path) -> None:
    """An unknown state or field is said where it stands."""
    from statemachines.model.diagnosis.diagnostics import SpecError

    for wrong in (
        LAMP.replace("until: \"state == 'LIT'\"", "until: \"state == 'LID'\""),
        LAMP.replace("{lamp} was", "{lump} was"),
    ):
        (folder / "Lamp.yaml").write_text(wrong, "utf-8")
        with pytest.raises(SpecError, match=r"LID|lump"):
            judged(folder, *goes("LIT BURNT"))


CLIENT = r"""
notation: 1
machine: Client
states:
  NEW: {initial: true}
  RUNNING:
  ERROR: {final: true}
  CLOSING:
  DRAINING:
  CLOSED: {final: true}
transitions:
  - {from: NEW, to: RUNNING}
  - {from: RUNNING, to: [ERROR, CLOSING, DRAINING]}
  - {from: ERROR, to: [CLOSING, RUNNING]}
  - {from: DRAINING, to: [CLOSING, RUNNING]}
  - {from: CLOSING, to: CLOSED}
log:
  instance: [client]
  patterns: {client: '\w+'}
  lines:
    - {text: "Client {client} goes from {from} to {to}", says: step, logger: house.Client, level: INFO}
  episodes:
    failed: {while: "state == 'ERROR'", title: "{client} failed", was: "{client} had failed"}
    draining: {while: "state == 'DRAINING'", title: "{client} drains", was: "{client} drained"}
    closing: {while: "state == 'CLOSING'", title: "{client} closes", was: "{client} closed"}
"""


@pytest.mark.parametrize(
    ("way", "kind", "outcome", "word"),
    [
        ("RUNNING ERROR RUNNING", "failed", "healed", "HEALED"),
        ("RUNNING ERROR CLOSING", "failed", "ended", "ILL"),
        ("RUNNING ERROR CLOSING CLOSED", "failed", "ended", "OVER"),
        ("RUNNING DRAINING RUNNING", "draining", "healed", "HEALED"),
        ("RUNNING DRAINING CLOSING", "draining", "ended", "ILL"),
        ("RUNNING CLOSING CLOSED", "closing", "ended", "OVER"),
    ],
)
def test_what_goes_on_to_its_end_has_not_healed(
    tmp_path: Path, way: str, kind: str, outcome: str, word: str
) -> None:
    """A program that failed and was closed did not recover, and the report does not say so."""
    (tmp_path / "Client.yaml").write_text(CLIENT, "utf-8")
    lines = [text.replace("Lamp", "Client") for text in goes(way)]
    (tmp_path / "house.log").write_text(
        "".join(f"{line(text, at, logger='house.Client')}\n" for at, text in enumerate(lines)),
        "utf-8",
    )
    report = check([tmp_path / "house.log"], specs=[tmp_path / "Client.yaml"], engine="local")
    assert [str(each.outcome) for each in report.episodes if each.kind == kind] == [outcome]
    assert "".join(to_text(report)).startswith(word)


WORKER = """
notation: 1
machine: Worker
states: {NEW: {initial: true}, TAUGHT: {}, BUSY: {}, ENDING: {}, DEAD: {final: true}}
transitions: [{from: NEW, to: [TAUGHT, BUSY]}, {from: TAUGHT, to: BUSY}, {from: BUSY, to: ENDING}, {from: [NEW, ENDING], to: DEAD}]
log:
  instance: [worker]
  logger: W
  level: INFO
  lines:
    - {text: "Worker {worker} went from {from} to {to}", says: step}
    - {text: "Worker {worker} was taken on", says: begin}
  episodes:
    dead: {while: "state == 'DEAD'", replaced: "state == 'BUSY'", title: "{worker} is dead"}
"""


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ("a NEW BUSY ENDING, b NEW BUSY, a ENDING DEAD", ["healed"]),
        ("a NEW BUSY ENDING, b NEW, a ENDING DEAD, b NEW BUSY", ["healed"]),
        ("a NEW BUSY, b NEW BUSY, a BUSY ENDING DEAD", ["open"]),
        ("a NEW BUSY ENDING, b NEW, a ENDING DEAD, a NEW, b NEW BUSY", ["healed"]),
        ("a NEW BUSY ENDING DEAD, a NEW BUSY", ["healed"]),
        ("a NEW BUSY ENDING DEAD, a NEW", ["ended"]),
        ("a NEW BUSY ENDING DEAD, b TAUGHT BUSY", ["healed"]),
        ("a NEW BUSY ENDING DEAD, b BUSY ENDING", ["open"]),
        ("a NEW BUSY, c NEW BUSY, a BUSY ENDING, b NEW BUSY, a ENDING DEAD, c BUSY ENDING DEAD", ["healed", "open"]),
    ],
)  # fmt: skip
def test_one_that_began_while_the_old_one_was_on_its_way_to_the_end_makes_up_for_it(
    tmp_path: Path, told: str, said: list[str]
) -> None:
    """Who replaces what fails begins with it, not after it; the old one's name may be given anew."""
    spec, log, texts = tmp_path / "Worker.yaml", tmp_path / "worker.log", list[str]()
    spec.write_text(WORKER, "utf-8")
    for worker, first, *way in (part.split() for part in told.split(", ")):
        texts += [f"Worker {worker} was taken on"] * (first == "NEW")
        texts += [f"Worker {worker} went from {a} to {b}" for a, b in pairwise([first, *way])]
    log.write_text("".join(f"{line(text, at, 'W')}\n" for at, text in enumerate(texts)), "utf-8")
    report = check([log], specs=[spec], engine="local")
    assert [str(one.outcome) for one in report.episodes if one.kind == "dead"] == said
    heirs = [one.replaced_by for one in report.episodes if one.kind == "dead" and one.replaced_by]
    assert heirs == ([(("worker", "b"),)] if "b" in told and said[0] == "healed" else [])
    assert ("→ replaced by b" in "\n".join(to_text(report))) == bool(heirs)
