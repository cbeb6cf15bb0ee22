"""What is true now: since when, whatever repeats it; and a state that one of all instances is in at most."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import statemachines as sm
from statemachines.model.evidence.reports import CurrentState
from tests.effort import some_of

CHAIR = """
notation: 1
machine: Chair
states: {SITS: {initial: true}, CHAIRS: }
variables: {term: "0..999 = 0"}
events: {to_CHAIRS: {args: {of: 0..999}}, to_SITS: {args: {of: 0..999}}}
transitions:
  - {from: "*", to: CHAIRS, effect: {term: of}}
  - {from: "*", to: SITS, effect: {term: of}}
log:
  instance: [member]
  shared: true
  sole: {state: CHAIRS, by: term}
  lines:
    - {text: "member {member} chairs the term {term}", says: step, to: CHAIRS, args: {of: "{term}"}, logger: C, level: INFO}
    - {text: "member {member} sits in the term {term}", says: step, to: SITS, args: {of: "{term}"}, logger: C, level: INFO}
    - {text: "member {member} is {state}", says: is, logger: C, level: INFO}
"""


def now(folder: Path, *lines: str) -> dict[int, CurrentState]:
    """Judge lines, a second apart: what is true at the end, by member."""
    (folder / "Chair.yaml").write_text(CHAIR, "utf-8")
    written = [
        f"[2026-01-01 10:{n // 60:02}:{n % 60:02},000] INFO {line} (C)\n"
        for n, line in enumerate(lines)
    ]
    (folder / "chair.log").write_text("".join(written), "utf-8")
    report = sm.check([folder / "chair.log"], specs=[folder / "Chair.yaml"], engine="local")
    return {int(row.subject[0][1]): row for row in report.now}


def line_of(row: CurrentState) -> int:
    """The line since which it is so."""
    assert row.place is not None
    return row.place.line


def test_a_state_lasts_since_it_began_and_not_since_it_was_repeated(tmp_path: Path) -> None:
    """What happened in between counts: a state that was left begins anew."""
    sits, chairs = "member 1 sits in the term 1", "member 1 chairs the term 2"
    assert line_of(now(tmp_path, sits, sits, sits)[1]) == 1
    assert line_of(now(tmp_path, sits, chairs, chairs, sits, sits)[1]) == 4


def test_a_step_tells_more_than_a_word_about_the_state(tmp_path: Path) -> None:
    """A list of states tells nothing of how a member came there; what repeats the step does not."""
    listed, sits = "member 1 is SITS", "member 1 sits in the term 1"
    assert line_of(now(tmp_path, listed, listed)[1]) == 1
    assert line_of(now(tmp_path, listed, sits, sits, listed)[1]) == 2


def test_who_ended_without_a_word_is_overtaken_by_a_later_one(tmp_path: Path) -> None:
    """Member 1 was killed; nothing of it says that it no longer chairs."""
    rows = now(tmp_path, "member 1 chairs the term 1", "member 2 chairs the term 2")
    assert (rows[1].doubt, rows[2].doubt) == ("no longer: term 2 has begun", "")
    heard = now(tmp_path, "member 1 chairs the term 3", "member 2 sits in the term 4")
    assert heard[1].doubt, "who sits in a later term has heard of another one"


TERM = """
notation: 1
machine: Term
states: {OPEN: {initial: true}, CHAIRED: {final: true}}
transitions: [{from: OPEN, to: CHAIRED}, {from: CHAIRED, to: CHAIRED}]
log:
  instance: [term]
  patterns: {term: '\\d+'}
  shared: true
  sole: {state: CHAIRED, by: term}
  lines:
    - {text: "member {*} chairs the term {term}", says: step, to: CHAIRED, logger: C, level: INFO}
"""


def test_a_key_orders_as_a_variable_does(tmp_path: Path) -> None:
    """A term is over once a later one has begun, and no line of its own will ever say so."""
    (tmp_path / "Term.yaml").write_text(TERM, "utf-8")
    lines = ("member 1 chairs the term 9", "member 2 chairs the term 10")
    written = [f"[2026-01-01 10:00:0{n},000] INFO {line} (C)\n" for n, line in enumerate(lines)]
    (tmp_path / "chair.log").write_text("".join(written), "utf-8")
    report = sm.check([tmp_path / "chair.log"], specs=[tmp_path / "Term.yaml"], engine="local")
    assert [row.doubt for row in report.now] == ["no longer: term 10 has begun", ""]


DOOR = """
notation: 1
machine: Door
states: {SHUT: {initial: true}, OPEN: }
transitions: [{from: SHUT, to: OPEN}, {from: OPEN, to: SHUT}]
log:
  instance: [door]
  lines:
    - {text: "the door {door} is {state}", says: is, logger: D, level: INFO}
    - {text: "the door {door} is hung", says: begin, state: SHUT, logger: D, level: INFO}
"""


def test_what_was_so_before_a_restart_is_so_since_it_was_said_after_it(tmp_path: Path) -> None:
    """A door that is hung anew was not shut all the while; one that is shut all the while is."""
    (tmp_path / "Door.yaml").write_text(DOOR, "utf-8")
    lines = ("the door 1 is hung", "the door 2 is hung", "the door 2 is SHUT", "the door 1 is hung")
    written = [f"[2026-01-01 10:00:0{n},000] INFO {line} (D)\n" for n, line in enumerate(lines)]
    (tmp_path / "door.log").write_text("".join(written), "utf-8")
    report = sm.check([tmp_path / "door.log"], specs=[tmp_path / "Door.yaml"], engine="local")
    assert {row.subject[0][1]: line_of(row) for row in report.now} == {"1": 4, "2": 2}


def test_whose_process_is_silent_since_it_was_overtaken_is_heard_of_no_longer(
    tmp_path: Path,
) -> None:
    """Member 1 was killed, and all that its process told with it; member 3's process goes on."""
    (tmp_path / "Chair.yaml").write_text(CHAIR, "utf-8")
    (tmp_path / "Door.yaml").write_text(DOOR, "utf-8")
    written = {
        "killed": ["0 INFO member 1 chairs the term 1 (C)", "0 INFO the door north is OPEN (D)"],
        "later": ["5 INFO member 2 chairs the term 2 (C)"],
        "alive": ["0 INFO the door south is OPEN (D)", "8 INFO members eat (C)"],
    }
    for name, lines in written.items():
        text = "".join(f"[2026-01-01 10:00:0{line[0]},000] {line[2:]}\n" for line in lines)
        (tmp_path / f"{name}.log").write_text(text, "utf-8")
    report = sm.check(
        [tmp_path], specs=[tmp_path / "Chair.yaml", tmp_path / "Door.yaml"], engine="local"
    )
    doubts = {str(row.subject[0][1]): row.doubt for row in report.now if row.machine == "Door"}
    assert doubts == {"north": "no longer heard of: term 2 has begun", "south": ""}


@settings(
    max_examples=some_of(30),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(terms=st.lists(st.integers(1, 99), min_size=1, max_size=6, unique=True))
def test_one_of_all_is_left_whatever_the_order_of_the_lines(
    tmp_path: Path, terms: list[int]
) -> None:
    """Terms order them, and no clock."""
    rows = now(tmp_path, *(f"member {n} chairs the term {term}" for n, term in enumerate(terms)))
    left = [n for n, row in rows.items() if not row.doubt]
    assert left == [terms.index(max(terms))]


@pytest.mark.parametrize(("wrong", "code"), [("state: CHIARS", "SM2"), ("by: trem", "SM320")])
def test_a_state_or_variable_that_is_none_is_named(tmp_path: Path, wrong: str, code: str) -> None:
    """With the one that was meant."""
    key = wrong.partition(":")[0]
    text = CHAIR.replace({"state": "state: CHAIRS", "by": "by: term"}[key], wrong)
    (tmp_path / "Chair.yaml").write_text(text, "utf-8")
    with pytest.raises(sm.SpecError) as caught:
        sm.load(tmp_path / "Chair.yaml")
    found = caught.value.diagnostics
    assert any(one.code.startswith(code) and wrong.split()[1] in one.message for one in found)
