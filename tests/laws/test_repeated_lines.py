"""Law: lines that repeat others are judged as the judge of single lines does, byte for byte, and cost a look-up each.

Covers: statemachines.conform.judge.repeated.repeated_lines,
statemachines.conform.judge.repeated.line_effects, statemachines.conform.judge.judgement_pass,
statemachines.conform.judge.instance.finding_list.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from statemachines.conform.judge.instance import finding_list
from statemachines.conform.judge.judgement_pass import JudgementPass
from statemachines.conform.judge.repeated.repeated_lines import RepeatedLines
from tests.doors import DOOR, line
from tests.laws.test_columns import FAULTS, REMEMBERING, SOME, World, columns, report

WISHES = (
    "Door {d} swallowed the wish from LOCKED to OPEN",
    "Door {d} will not go from LOCKED to JAMMED",
    "Door {d} threw up at going from OPEN to LOCKED",
    "Door {d} goes from CLOSED to OPEN",
    "Door {d} goes from OPEN to CLOSED",
    "Door {d} goes from CLOSED to GONE",
    "Listener heard that door {d} is OPEN",
    "Door {d} knocked at 3 times, it is true",
    "Door {d} knocked at 7 times, it is false",
    "Door {d} knocked at 17 times, it is true",
    "Door {d} squeaks",
    "Door {d} squeaks for want of oil",
    "Door {d} goes from OPEN to JAMMED",
)
VALUES = DOOR.replace(
    "transitions:\n  - {from: CLOSED, to: OPEN}",
    """variables: {knocks: {type: 0..9, initial: 0}, oiled: {type: bool, initial: any}}
transitions:
  - {from: CLOSED, to: OPEN, guard: knocks > 2, effect: {knocks: "0"}}""",
).replace(
    "  episodes:",
    """    - {text: "Door {door} knocked at {knocks} times, it is {oiled}", says: note, logger: house.Door, level: INFO,
       set: {knocks: "{knocks}", oiled: "{oiled}"}}
  episodes:""",
)
"""With variables that lines tell, and a guard over them."""
PROPERTIES = """
always:
  neverLocked: state != 'LOCKED'
each step:
  noSlam: "not (before.state == 'OPEN' and state == 'CLOSED')"
"""
OF_VALUES = PROPERTIES.replace("each step", "  quiet: knocks < 5 or oiled\neach step")
MARKED = DOOR.replace(
    "  episodes:",
    """    - {text: "Door {door} squeaks for {reason}", says: note, mark: squeak, logger: house.Door, level: WARN}
    - {text: "Door {door} squeaks", says: note, mark: squeak, logger: house.Door, level: WARN}
  incidents: {door-squeaks: {of: squeak, title: "door {door} squeaks", repeats: 45 s}}
  episodes:""",
).replace('is jammed"', 'is jammed", because: [squeak]')
"""With lines that are counted, and may be why an episode came."""
SPECS = {
    "marked": MARKED,
    "properties": DOOR + PROPERTIES,
    "values": VALUES + OF_VALUES,
    "doors": DOOR,
    "lasting": DOOR + "    shut: {while: \"state != 'OPEN'\", title: b, longer than: 2 s}\n",
    "remembering": REMEMBERING,
}


@contextmanager
def judged_singly() -> Iterator[None]:
    """Have each line judged by itself."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RepeatedLines, "take", lambda *_: None)
        yield


@contextmanager
def few_listed(violated: int, holds: int) -> Iterator[None]:
    """Have few findings of an instance listed, so that most are counted."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(finding_list, "_MOST_LISTED", {False: violated, True: holds})
        yield


@st.composite
def rounds(draw: st.DrawFn) -> list[str]:
    """A few messages again and again, in rounds that end early or with something else now and
    then; near each other, at one time, or minutes apart.
    """
    some = draw(st.lists(st.sampled_from(FAULTS + WISHES), min_size=1, max_size=4))
    others = draw(st.lists(st.sampled_from(FAULTS + WISHES), min_size=1, max_size=2))
    apart, at, found = draw(st.sampled_from([0, 1, 40, 61])), 0.0, list[str]()
    found += draw(st.sampled_from([[], [line("House software version 1.1", at)]]))
    for _ in range(draw(st.integers(1, 25))):
        messages = some if draw(st.integers(0, 5)) else some[: draw(st.integers(0, 3))] + others
        for message in messages:
            at += apart
            door = draw(st.sampled_from(["7", "7", "7", "31"]))
            found.append(line(message.format(d=door, e=3), at))
            if draw(st.integers(0, 30)) == 0:
                found.append("house.JamError: hinge 7")
        if draw(st.integers(0, 5)) == 0:
            found.append(line("House program starting up", at))
    return found


@pytest.fixture(scope="module", params=list(SPECS))
def world(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> World:
    return World(tmp_path_factory.mktemp(request.param), SPECS[request.param])


@SOME
@given(
    lines=rounds(),
    cut=st.integers(0, 60),
    second=st.sampled_from(["doors.log.1", "halls.log"]),
    violated=st.integers(1, 3),
    holds=st.sampled_from([1, 2, 1000]),
)
def test_repeated_lines_do_not_show_in_a_report(
    world: World, lines: list[str], cut: int, second: str, violated: int, holds: int
) -> None:
    """Whatever is repeated, as columns and line by line, with and without a timeline."""
    inputs = world.inputs(lines[cut:], lines[:cut], second=second)
    with few_listed(violated, holds):
        with judged_singly():
            expected = report(world.plan, inputs)
            brief = report(world.plan, inputs, timeline=False)
        assert report(world.plan, inputs) == expected
        assert report(world.plan, inputs, timeline=False) == brief
        with columns(rows=7):
            assert report(world.plan, inputs) == expected
            assert report(world.plan, inputs, timeline=False) == brief


LOST = DOOR.replace(
    "transitions:", "  LOST:\n  WALLED:\ntransitions:\n  - {from: OPEN, to: [LOST, WALLED]}"
).replace(
    "  episodes:",
    """    - {text: "Door {door} taken off its hinges by force", says: is, state: LOST, logger: house.Door, level: INFO}
    - {text: "Door {door} walled up", says: is, state: WALLED, logger: house.Door, level: INFO}
  episodes:""",
)
"""With two states that nothing leads out of, and in which no life ends."""
REPEATED = {
    "gap": ["goes from OPEN to CLOSED", "goes from LOCKED to CLOSED"],
    "began again": ["goes from CLOSED to GONE"],
    "impossible": ["taken off its hinges by force", "walled up"],
    "forbidden": ["goes from JAMMED to GONE"],
    "unknown state": ["goes from OPEN to AJAR"],
    "refused": ["will not go from LOCKED to JAMMED"],
    "refused at each step": ["goes from OPEN to CLOSED", "will not go from CLOSED to JAMMED",
                             "goes from CLOSED to OPEN"],
    "unjudged": ["made to go from GONE to OPEN"],
    "broken rule": ["bolt moves it from CLOSED to LOCKED", "goes from LOCKED to CLOSED"],
    "guard": ["knocked at 1 times, it is true", "goes from CLOSED to OPEN"],
    "value": ["knocked at 17 times, it is true", "knocked at 4 times, it is true"],
    "counted": ["squeaks for want of oil", "squeaks", "goes from OPEN to CLOSED", "goes from CLOSED to OPEN"],
    "hidden": ["goes from OPEN to CLOSED", "goes from OPEN to CLOSED"],
}  # fmt: skip


@pytest.mark.parametrize("as_columns", [True, False], ids=["columns", "lines"])
@pytest.mark.parametrize("what", list(REPEATED))
def test_what_is_found_in_every_line_costs_a_look_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str, as_columns: bool
) -> None:
    """A log of a million lines that all begin again took 44 microseconds for each; a program that
    is started every day is no other.
    """
    spec = VALUES + OF_VALUES if what in ("broken rule", "guard", "value") else LOST
    spec = MARKED if what == "counted" else spec
    world, singly = World(tmp_path, spec), list[object]()
    release = ["House software version 1.1"]
    starts = [f"Door 7 {message}" for message in REPEATED[what] * 20] + [
        "House program starting up"
    ]
    steps = starts * 29 + [f"Door 7 {message}" for message in REPEATED[what] * 20]
    lines = [line(message, place // 50) for place, message in enumerate(release + steps)]
    judged = JudgementPass._judge_observation

    def counted(judging: JudgementPass, observation: object) -> object:
        singly.append(observation)
        return judged(judging, observation)

    monkeypatch.setattr(JudgementPass, "_judge_observation", counted)
    inputs = world.inputs(lines)
    with few_listed(5, 10), columns(block=1 << 20) if as_columns else nullcontext():
        found = report(world.plan, inputs)
        assert len(singly) < 100
        with judged_singly():
            assert report(world.plan, inputs) == found


def test_what_no_release_has_written_is_found_in_each_run(tmp_path: Path) -> None:
    """What a run says of the releases that fit counts for that run: the next one may be another's,
    so its lines repeat none of those before it.
    """
    only_old = '{from: JAMMED, to: GONE, in: "1.0"}\n  - {from: LOCKED, to: GONE, '
    world = World(tmp_path, DOOR.replace("{from: LOCKED, to: GONE, ", only_old))
    steps = [
        "stands LOCKED",
        "goes from LOCKED to GONE",
        "stands JAMMED",
        "goes from JAMMED to GONE",
    ]
    messages = [*(f"Door 7 {step}" for step in steps * 9), "House program starting up"]
    inputs = world.inputs([line(message, at) for at, message in enumerate(messages * 4)])
    found = report(world.plan, inputs)
    assert "no release" in found
    with judged_singly():
        assert report(world.plan, inputs) == found
