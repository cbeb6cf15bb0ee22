"""Exploring in discrete time: what `after` sends comes when it is due.

Covers: statemachines.explore.timed.timed_model.
Covers: statemachines.explore.timed.clocks.
"""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import statemachines as sm
from statemachines.cli import main
from statemachines.explore.model_exploration import explore_model
from statemachines.explore.models.machine_model import build_machine_model
from statemachines.explore.options import ExplorationOptions
from statemachines.explore.results.property_results import Exploration
from statemachines.explore.scopes import DEFAULT_SCOPE
from statemachines.mining.checked_drafts import spec_of_text
from statemachines.notation import machine_of

LEASE = """
notation: 1
machine: Lease
states: {FREE: {initial: true}, HELD: , LOST: }
transitions:
  - {from: FREE, to: HELD, event: grant}
  - {from: HELD, to: LOST, event: expire, after: LEASED}
  - {from: LOST, to: FREE, event: reap}
"""
HOLDER = """
notation: 1
machine: Holder
states: {IDLE: {initial: true}, USING: , DONE: }
transitions:
  - {from: IDLE, to: USING, event: use}
  - {from: USING, to: DONE, event: give_up, after: 8 s}
  - {from: DONE, to: IDLE, event: rest}
"""
LEASING = """
notation: 1
system: Leasing
parts: {lease: {machine: Lease}, holder: {machine: Holder}}
links:
  - {on: holder, event: use, send: lease.grant}
  - {on: holder, event: use, only if: lease.state == 'FREE'}
always:
  usedUnderLease: "implies(holder.state == 'USING', lease.state == 'HELD')"
leads to:
  givesUp: {when: "holder.state == 'USING'", then: "holder.state == 'DONE'"}
"""
OFFER = """
notation: 1
machine: Offer
variables: {held: "bool = False"}
states: {OPEN: {initial: true}, EXPIRED: {final: true}, SPOILT: {final: true}}
transitions:
  - {from: OPEN, event: hold, effect: {held: "True"}}
  - {from: OPEN, to: EXPIRED, event: expire, after: 10 s, guard: "not held"}
  - {from: OPEN, to: SPOILT, event: spoil, after: 25 s}
always: {neverBoth: "state != 'SPOILT' or held"}
"""


def leasing(folder: Path, leased: str) -> sm.System:
    """Write the system whose lease lasts so long; the holder gives up after eight seconds."""
    (folder / "Lease.yaml").write_text(LEASE.replace("LEASED", leased))
    (folder / "Holder.yaml").write_text(HOLDER)
    (folder / "Leasing.yaml").write_text(LEASING)
    return sm.load_system(folder / "Leasing.yaml").at()


def verdicts(found: Exploration[Any]) -> dict[str, str]:
    """Return the verdicts by the names of the properties."""
    return {one.name.split()[-1]: one.verdict.name for one in found.examined}


def test_a_deadline_is_shorter_than_another(tmp_path: Path) -> None:
    """Safety that rests on the ratio of two deadlines is proved, and needs the clocks."""
    system = leasing(tmp_path, "10 s")
    timed = verdicts(system.explore(timed=True))
    assert (timed["usedUnderLease"], timed["givesUp"]) == ("HOLDS", "HOLDS")
    assert verdicts(system.explore())["usedUnderLease"] == "VIOLATED"


def test_what_is_claimed_of_steps_looks_at_the_row_before_not_at_clocks(tmp_path: Path) -> None:
    """Clocks stand behind the columns of a system; the row before a step stands behind them."""
    leasing(tmp_path, "10 s")
    file = tmp_path / "Leasing.yaml"
    steps = """each step:
  used: "implies(lease.state == 'LOST', before.lease.state in {'HELD', 'LOST'})"
  wrong: "implies(lease.state == 'LOST', before.lease.state == 'HELD')"
"""
    file.write_text(file.read_text() + steps)
    system = sm.load_system(file).at()
    for timed in (False, True):
        found = verdicts(system.explore(timed=timed))
        assert (found["used"], found["wrong"]) == ("HOLDS", "VIOLATED")


def test_what_is_broken_says_when(tmp_path: Path) -> None:
    """A counterexample has the time of each step, and time itself is no step of it."""
    found = leasing(tmp_path, "6 s").explore(timed=True)
    broken = next(one for one in found.examined if one.name.endswith("usedUnderLease"))
    assert broken.trace is not None
    steps = [(step.event, step.at_ms) for step in broken.trace.steps]
    assert steps == [("holder.use", 0), ("lease.expire", 6000)]
    assert found.time_unit_ms == 2000


def test_two_that_are_due_at_one_moment_come_in_either_order(tmp_path: Path) -> None:
    """Nobody knows which of two clocks is asked first."""
    assert verdicts(leasing(tmp_path, "8 s").explore(timed=True))["usedUnderLease"] == "VIOLATED"


def test_a_guard_that_is_false_is_not_asked_again(tmp_path: Path) -> None:
    """An offer that was held when it would expire spoils later, and one that was not never does."""
    (tmp_path / "Offer.yaml").write_text(OFFER)
    offer = sm.load(tmp_path / "Offer.yaml").at()
    assert verdicts(offer.explore(timed=True))["neverBoth"] == "HOLDS"
    assert verdicts(offer.explore())["neverBoth"] == "VIOLATED"
    assert verdicts(offer.explore(timed=True, copies=2))["neverBoth"] == "HOLDS"


HEART = """
notation: 1
machine: Heart
variables: {missed: "0..3 = 0"}
states: {UP: {initial: true}, DOWN: }
transitions:
  - {from: UP, TO event: miss, after: 2 s, guard: missed < 3, effect: {missed: missed + 1}}
  - {from: UP, to: DOWN, event: fail, after: 5 s}
  - {from: UP, BEAT event: beat, guard: missed < 3, effect: {missed: "0"}}
sometimes: {missedThree: missed == 3}
always: {failsAtThree: "implies(state == 'DOWN', missed == 3)"}
"""


def heart(folder: Path, *, restarts: bool) -> sm.Machine:
    """A watchdog: it fails after three that were missed, or at five seconds whatever is missed."""
    to = "to: UP," if restarts else ""
    (folder / "Heart.yaml").write_text(HEART.replace("TO", to).replace("BEAT", to))
    return sm.load(folder / "Heart.yaml").at()


def test_a_timer_that_restarts_is_explored_so(tmp_path: Path) -> None:
    """Missed at 2, 4 and 6 seconds and down at 11; without `to` it misses one and fails at 5."""
    found = heart(tmp_path, restarts=True).explore(timed=True)
    assert (verdicts(found)["missedThree"], verdicts(found)["failsAtThree"]) == ("HOLDS", "HOLDS")
    witness = next(one.trace for one in found.examined if one.name.endswith("missedThree"))
    assert witness is not None
    assert [step.at_ms for step in witness.steps] == [2000, 4000, 6000]
    once = verdicts(heart(tmp_path, restarts=False).explore(timed=True))
    assert (once["missedThree"], once["failsAtThree"]) == ("VIOLATED", "VIOLATED")


def test_a_link_that_restarts_a_timer_of_another_part(tmp_path: Path) -> None:
    """A beat every two seconds keeps a watchdog of three from failing, if it begins anew."""
    (tmp_path / "Sender.yaml").write_text(
        "notation: 1\nmachine: Sender\nstates: {RUNS: {initial: true}}\n"
        "transitions:\n  - {from: RUNS, to: RUNS, event: beat, after: 2 s}\n"
    )
    (tmp_path / "Guarded.yaml").write_text(
        "notation: 1\nsystem: Guarded\nparts: {sender: {machine: Sender}, dog: {machine: Dog}}\n"
        "links:\n  - {on: sender, event: beat, send: dog.heard}\n"
        "always: {awake: \"dog.state == 'UP'\"}\n"
    )
    for to, verdict in (("to: UP, ", "HOLDS"), ("", "VIOLATED")):
        (tmp_path / "Dog.yaml").write_text(
            "notation: 1\nmachine: Dog\nstates: {UP: {initial: true}, DOWN: }\ntransitions:\n"
            f"  - {{from: UP, {to}event: heard}}\n"
            "  - {from: UP, to: DOWN, event: fail, after: 3 s}\n"
        )
        system = sm.load_system(tmp_path / "Guarded.yaml").at()
        assert verdicts(system.explore(timed=True))["awake"] == verdict


def test_an_event_that_time_forestalls_is_never_taken(tmp_path: Path) -> None:
    """What a shorter deadline makes impossible is named, as whatever else no run takes."""
    (tmp_path / "Door.yaml").write_text(
        "notation: 1\nmachine: Door\nstates: {OPEN: {initial: true}, SHUT: , STUCK: }\n"
        "transitions:\n  - {from: OPEN, to: SHUT, event: close, after: 5 s}\n"
        "  - {from: OPEN, to: STUCK, event: jam, after: 7 s}\n"
        "  - {from: [SHUT, STUCK], to: OPEN, event: push}\n"
    )
    found = sm.load(tmp_path / "Door.yaml").at().explore(timed=True)
    assert found.unreached_states == ("STUCK",)
    assert [one.event for one in found.untaken_transitions] == ["jam", "push"]


def test_a_loop_counts_no_step_of_time(tmp_path: Path) -> None:
    """Where a run goes round, the place to which it returns is one of the steps that are shown."""
    (tmp_path / "Lamp.yaml").write_text(
        "notation: 1\nmachine: Lamp\nstates: {OFF: {initial: true}, ON: , BROKEN: }\n"
        "transitions:\n  - {from: OFF, to: ON, event: lights, after: 2 s}\n"
        "  - {from: ON, to: OFF, event: dims, after: 3 s}\n"
        "  - {from: ON, to: BROKEN, event: hit}\n"
        "leads to: {breaks: {when: \"state == 'ON'\", then: \"state == 'BROKEN'\"}}\n"
    )
    found = sm.load(tmp_path / "Lamp.yaml").at().explore(timed=True)
    trace = next(one.trace for one in found.examined if one.name.endswith("breaks"))
    assert trace is not None
    assert [step.event for step in trace.steps[trace.loop_start :]] in (
        ["lights", "dims"],
        ["dims", "lights"],
    )
    times = [step.at_ms for step in trace.steps]
    assert times[:2] == [2000, 5000]


def test_the_command_line_explores_in_discrete_time(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The unit of time is said, and JSON has when each step comes."""
    leasing(tmp_path, "6 s")
    assert main(["explore", str(tmp_path / "Leasing.yaml"), "--timed"]) == 1
    text = capsys.readouterr().out
    assert "time in units of 2 s" in text
    assert "lease.expire() at 6 s" in text
    main(["explore", str(tmp_path / "Leasing.yaml"), "--timed", "--format", "json"])
    found = json.loads(capsys.readouterr().out)
    broken = next(one for one in found["properties"] if one["name"].endswith("usedUnderLease"))
    assert [step["at_ms"] for step in broken["trace"]["steps"]] == [0, 6000]


def test_what_has_no_clock_is_not_explored_in_time(tmp_path: Path) -> None:
    """Somebody who asks for time learns that there is none, and what does not go with it."""
    lock = sm.load("examples/Peterson").at()
    with pytest.raises(sm.ArgumentsError, match="no `after`"):
        lock.explore(timed=True)
    with pytest.raises(sm.ArgumentsError, match="without symmetry"):
        leasing(tmp_path, "6 s").explore(timed=True, symmetry=True)


@st.composite
def timed_specs(draw: st.DrawFn) -> str:
    """Draw a machine of three states, with steps of time and others."""
    lines = ["notation: 1", "machine: M", "states: {A: {initial: true}, B: , C: }", "transitions:"]
    for number, (source, target) in enumerate(itertools.permutations("ABC", 2)):
        after = draw(st.sampled_from(["", "1 s", "2 s", "3 s"]))
        if draw(st.booleans()):
            when = f", after: {after}" if after else ""
            lines.append(f"  - {{from: {source}, to: {target}, event: e{number}{when}}}")
    for number, state in enumerate("ABC", 6):
        target = draw(st.sampled_from(["", f", to: {state}"]))
        after = draw(st.sampled_from(["", ", after: 1 s", ", after: 2 s"]))
        if draw(st.booleans()):
            lines.append(f"  - {{from: {state}{target}, event: e{number}{after}}}")
    lines.append("  - {from: A, to: B, event: last, after: 2 s}")
    return "\n".join(lines)


@given(timed_specs(), st.lists(st.tuples(st.integers(0, 1), st.integers(0, 8)), max_size=25))
def test_all_that_instances_come_to_is_found(text: str, asked: list[tuple[int, int]]) -> None:
    """Two instances by one clock, moved at whole seconds, never come to what was not explored."""
    machine = sm.Machine(machine_of(spec_of_text(text, "Timed.yaml"), None))
    model = build_machine_model(machine.value, DEFAULT_SCOPE, copies=2)
    _, search = explore_model(model, ExplorationOptions(copies=2, engine="rows", timed=True))
    names = model.columns[0].values
    explored = {(names[row[0]], names[row[1]]) for row in search.rows}
    seconds = [0.0]
    pair = [sm.TimedInstance(machine.instance(), clock=lambda: seconds[0]) for _ in range(2)]
    timed = {(one.source, one.event) for one in machine.value.transitions if one.after_ms}
    events = {one.event for one in machine.value.transitions}
    for which, number in asked:
        event, one = f"e{number}", pair[which]
        if event in events and (one.state, event) not in timed and one.instance.may(event):
            one.send(event)
        else:
            seconds[0] += 1.0
        for one in pair:
            one.advance()
        assert (pair[0].state, pair[1].state) in explored
