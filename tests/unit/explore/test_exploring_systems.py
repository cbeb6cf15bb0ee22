"""A system is explored as one machine: what is found is what a search finds that is too simple to be wrong.

Covers: statemachines.explore.results.run_traces, statemachines.explore.symmetry.model_names,
statemachines.explore.model_questions,
statemachines.report.exploration.exploration_report,
statemachines.report.exploration.system_trace_programs,
statemachines.report.exploration.system_run_texts, statemachines.explore.models.decision_forests,
statemachines.explore.models.model_protocol, statemachines.explore.models.part_moves,
statemachines.explore.models.system_model, statemachines.explore.models.system_sources,
statemachines.explore.properties.row_conditions.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from attrs import evolve

from statemachines.cli import main
from statemachines.explore.exploration import explore
from statemachines.explore.model_exploration import explore_model
from statemachines.explore.models.system_model import build_system_model
from statemachines.explore.options import ExplorationOptions
from statemachines.explore.resources.limits import Limits
from statemachines.explore.results.run_traces import Trace
from statemachines.explore.scopes import ExplorationScope
from statemachines.model.definitions.machine_definitions import Transition
from statemachines.model.definitions.snapshots import Advanced, Forced, Raised, Snapshot
from statemachines.model.definitions.system_definitions import (
    SystemAnswer,
    SystemDefinition,
    SystemSnapshot,
)
from statemachines.model.evidence.verdicts import Verdict
from statemachines.model.language.frozen_values import FrozenMap
from statemachines.notation import load_system, system_of
from statemachines.report.exploration.system_run_texts import system_trace_rows
from statemachines.semantics.machine.value_enumeration import default_domain_sizes
from statemachines.semantics.messages.argument_errors import ArgumentsError
from statemachines.semantics.system.system_initial_snapshots import initial_system_snapshot
from statemachines.semantics.system.system_step import deliver_event, step_system
from statemachines.semantics.system.system_tables import system_tables
from tests.exploring import enumerate_arguments
from tests.shipped import shipped_system
from tests.systems import house as house_of_lamps
from tests.systems import written

SYMMETRY = ExplorationOptions(symmetry=True)
BULB = """
notation: 1
machine: Bulb
states: {OFF: {initial: true, final: true}, ON: {doc: Light.}, BROKEN: {final: true}}
errors: {Fused: Too hard.}
events:
  press: {args: {hard: bool}}
transitions:
  - {from: OFF, to: ON, event: press, guard: not hard, returns: hard}
  - {from: ON, to: BROKEN, event: press, guard: hard, raises: Fused}
  - {from: ON, to: OFF, event: press, guard: not hard}
"""
HEAD = """
notation: 1
system: House
types: {Room: id}
parts:
  door: {machine: Door}
  lamps: {machine: Bulb, each: Room}
  alarm: {machine: Door, optional: true}
"""
RULES = """
scope: {Room: 2}
variables: {opened: "0..2 = 0"}
links:
  - {on: door, enters: OPEN, send: lamps.press, args: {hard: "False"}, later: true}
  - {on: door, enters: OPEN, effect: {opened: "min(opened + 1, 2)"}}
  - {on: lamps, enters: BROKEN, only if: door.state == 'OPEN'}
  - {on: lamps, enters: 'ON', send: alarm.to_OPEN}
always:
  lampsAreDark: {holds: "not all(l.state == 'ON' for l in lamps.values())", expect: fails}
  lampsLast: {holds: "all(l.state != 'BROKEN' for l in lamps.values())", until: raised}
  neverThreeTimes: opened <= 2
each step:
  counts: opened >= before.opened
  oneOpens: {holds: "implies(before.door.state == 'SHUT', door.state == 'SHUT')", expect: fails}
sometimes:
  rings: alarm is not None and alarm.state == 'OPEN'
no deadlock: true
"""


def replays(system: SystemDefinition, trace: Trace) -> bool:
    """Tell whether the system's step gives the answers of a trace, arguments looked at too."""
    now = trace.begin
    for step in trace.steps:
        if step.delivered_from is not None:
            answer = deliver_event(system, now, step.delivered_from)
        else:
            given = step.arguments
            answer = step_system(system, now, step.event, key=step.key, **given)
        if answer != step.answer:
            return False
        now = answer.after
    return True


def bulbs(text: str) -> Path:
    """Write a house whose rooms have a bulb each, and what is said of it."""
    path = written(text, HEAD)
    (path.parent / "Bulb.yaml").write_text(BULB.lstrip())
    return path


def house(text: str) -> SystemDefinition:
    """Return that house."""
    return system_of(load_system(bulbs(text)))


def steps(system: SystemDefinition, now: SystemSnapshot) -> list[SystemAnswer]:
    """Every step of a system, each asked of `step_system` with all arguments."""
    tables, found = system_tables(system), list[SystemAnswer]()
    for name, each in tables.tables.items():
        held = now.parts[name]
        parts = held if isinstance(held, Mapping) else {} if held is None else {None: held}
        for (key, one), event in itertools.product(parts.items(), each.events):
            for arguments in enumerate_arguments(
                each.behaviour, default_domain_sizes(each.behaviour), one, event
            ):
                answer = step_system(system, now, f"{name}.{event}", key=key, **arguments)
                first = answer.steps[0].answer
                if isinstance(first, Advanced | Forced) or (
                    isinstance(first, Raised) and isinstance(first.decided_by, Transition)
                ):
                    found.append(answer)
    return found + [deliver_event(system, now, place) for place in now.waiting]


def begins(system: SystemDefinition) -> list[SystemSnapshot]:
    """All beginnings of a house with two rooms."""
    keys = {"lamps": ["Room1", "Room2"]}
    return [initial_system_snapshot(system, keys=keys, absent=absent) for absent in ([], ["alarm"])]


def reached(system: SystemDefinition) -> tuple[list[SystemSnapshot], int]:
    """Every snapshot, and how many steps there are."""
    found, many = begins(system), 0
    known = set(found)
    for now in found:
        for answer in steps(system, now):
            many += 1
            if answer.after not in known:
                known.add(answer.after)
                found.append(answer.after)
    return found, many


def rooms(snapshot: SystemSnapshot) -> Mapping[object, Snapshot]:
    """The bulbs of a house."""
    held = snapshot.parts["lamps"]
    assert isinstance(held, Mapping)
    return held


def test_a_system_is_explored_as_one_machine() -> None:
    """States and transitions are those that asking about everything finds; waiting events are part of a state."""
    system = house(RULES)
    found, (states, transitions) = explore(system), reached(system)
    assert (found.states, found.transitions) == (len(states), transitions)
    assert {one.name: one.verdict for one in found.examined} == {
        "the spec is sound": Verdict.HOLDS,
        "every link sends": Verdict.HOLDS,
        "always lampsAreDark": Verdict.HOLDS,
        "always lampsLast": Verdict.HOLDS,
        "always neverThreeTimes": Verdict.HOLDS,
        "each step counts": Verdict.HOLDS,
        "each step oneOpens": Verdict.HOLDS,
        "sometimes rings": Verdict.HOLDS,
        "no deadlock": Verdict.HOLDS,
    }


def test_every_trace_of_a_system_replays_and_is_as_short_as_can_be() -> None:
    """What is shown to a person is what `step` answers; a longer run costs time."""
    system = house(RULES)
    found = explore(system)
    lengths = {one.name: len(one.trace.steps) for one in found.examined if one.trace is not None}
    assert lengths == {"always lampsAreDark": 2, "each step oneOpens": 1, "sometimes rings": 1}
    assert all(replays(system, one.trace) for one in found.examined if one.trace is not None)


def test_symmetry_finds_the_same_verdicts_with_fewer_states() -> None:
    """Rooms are interchangeable: what differs in which lamp burns counts once."""
    system = house(RULES)
    plain, found = explore(system), explore(system, how=SYMMETRY)
    assert [(one.name, one.verdict) for one in found.examined] == [
        (one.name, one.verdict) for one in plain.examined
    ]
    assert plain.states / 2 < found.states < plain.states
    assert all(replays(system, one.trace) for one in found.examined if one.trace is not None)


def test_orbits_are_counted_as_burnside_does() -> None:
    """Two rooms: the orbits are half of all states and half of those that changing the rooms leaves alone."""
    system = house(RULES)
    states, _ = reached(system)
    alone = [one for one in states if len(set(rooms(one).values())) == 1 and len(one.waiting) != 1]
    assert explore(system, how=SYMMETRY).states == (len(states) + len(alone)) / 2


def test_a_bound_that_was_hit_is_named_and_nothing_is_said_to_hold() -> None:
    """Half a search proves nothing."""
    found = explore(house(RULES), how=ExplorationOptions(limits=Limits(most_states=20)))
    assert found.verdict is Verdict.INCONCLUSIVE
    assert found.bounds == ("the ceiling of 20 states",)


def test_sizes_that_nobody_names_are_assumed_and_named() -> None:
    """Two rooms are no proof for three."""
    found = explore(house(RULES.replace("scope: {Room: 2}\n", "")))
    assert found.bounds == ("Room has 2 values, as no scope names it",)
    assert found.verdict is Verdict.INCONCLUSIVE


def test_a_scope_sizes_the_keys_of_parts() -> None:
    """One room less is a much smaller house."""
    assert (
        explore(house(RULES), ExplorationScope({"Room": 1})).states < explore(house(RULES)).states
    )
    with pytest.raises(ArgumentsError, match="Rooom"):
        explore(house(RULES), ExplorationScope({"Rooom": 1}))


def test_an_error_of_the_spec_is_found_with_the_run_that_shows_it() -> None:
    """A shared variable that would leave its type is no step of any system."""
    found = explore(house(RULES.replace('"min(opened + 1, 2)"', "opened + 1")))
    sound = found.examined[0]
    assert sound.verdict is Verdict.VIOLATED
    assert "opened" in sound.said
    assert sound.trace is not None
    assert [one.event for one in sound.trace.steps] == [
        "door.to_OPEN",
        "door.to_SHUT",
        "door.to_OPEN",
        "door.to_SHUT",
        "door.to_OPEN",
    ]


PROMISE = """
scope: {Room: 1}
links:
  - {on: door, enters: OPEN, send: lamps.press, args: {hard: 'False'}, later: true}
leads to:
  shines: {when: "door.state == 'OPEN'", then: "all(l.state != 'OFF' for l in lamps.values())"FAIR}
"""


def test_what_waits_is_delivered_one_day_only_where_that_is_said() -> None:
    """Weak fairness of what is sent later: without it the message may wait for ever."""
    (unfair,) = [
        one for one in explore(house(PROMISE.replace("FAIR", ""))).examined if "shines" in one.name
    ]
    assert unfair.verdict is Verdict.VIOLATED
    assert unfair.trace is not None
    assert unfair.trace.loop_start == 1
    fair = explore(house(PROMISE.replace("FAIR", ", assuming: [{lamps.press: each key}]")))
    assert {one.name: one.verdict for one in fair.examined}["leads to shines"] is Verdict.HOLDS


def test_a_link_that_never_sends_is_said() -> None:
    """A guard that never holds is a mistake more often than not."""
    found = explore(
        house(RULES.replace("send: alarm.to_OPEN", "guard: 'opened > 5', send: alarm.to_OPEN"))
    )
    said = {one.name: (one.verdict, one.said) for one in found.examined}
    assert said["every link sends"][0] is Verdict.INCONCLUSIVE
    assert "link 4" in said["every link sends"][1]


@pytest.mark.parametrize(("release", "states"), [(None, 2734)])
def test_a_system_of_the_catalogue_is_sound(release: str | None, states: int) -> None:
    """Three threads and a client, in any order: rules hold, witnesses exist."""
    found = explore(system_of(shipped_system("kafka/StreamsApplication"), release), how=SYMMETRY)
    assert (found.verdict, found.states) == (Verdict.HOLDS, states)


def test_the_verb_explores_systems_as_text_and_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    """The same verb, the same exit codes; the program replays the run."""
    path = str(bulbs(RULES.replace("expect: fails", "doc: No.")))
    assert main(["explore", path, "--program"]) == 1
    shown = capsys.readouterr().out
    assert "always lampsAreDark: does not hold here" in shown
    assert "lamps['Room1'].press" in shown
    assert main(["explore", path, "--format", "json"]) == 1
    told = json.loads(capsys.readouterr().out)
    broken = next(one for one in told["properties"] if one["name"] == "always lampsAreDark")
    exec(broken["program"], {})
    assert broken["trace"]["steps"][-1]["after"]["parts"]["lamps"]["'Room1'"]["state"] == "ON"


RUNG = """
notation: 1
system: House
types: {Room: id}
parts:
  bell: {machine: Door}
  doors: {machine: Door, each: Room}
scope: {Room: 2}
variables: {rings: "0..3 = 0"}
links:
  - {on: doors, enters: OPEN, send: bell.to_OPEN, later: true}
  - {on: bell, enters: OPEN, effect: {rings: "min(rings + 1, 3)"}}
  - {on: doors, enters: SHUT, only if: rings > 0}
always: {ringsTwice: rings < 2, ringsThreeTimes: rings < 3}
"""


def test_who_sent_what_waits_is_renamed_too() -> None:
    """One event waits for each sender: where the doors change places and the senders do not, states are met that nothing leads to."""
    system = system_of(load_system(written("", RUNG)))
    model = build_system_model(system, ExplorationScope())
    plain, run = explore_model(model, ExplorationOptions())
    found = explore(system, how=SYMMETRY)
    seen = [model.whole_snapshot(row) for row in run.rows]
    assert found.states == len({frozenset([one, changed(one)]) for one in seen}) < plain.states
    for one, other in zip(plain.examined, found.examined, strict=True):
        lengths = [None if each.trace is None else len(each.trace.steps) for each in (one, other)]
        assert (one.verdict, lengths[0]) == (other.verdict, lengths[1])
        assert other.trace is None or replays(system, other.trace)
    assert any(waiting.sender == "Room2" for one in seen for waiting in one.waiting)


def changed(now: SystemSnapshot) -> SystemSnapshot:
    """The same with the two doors changed."""
    doors, other = now.parts["doors"], {"Room1": "Room2", "Room2": "Room1"}
    assert isinstance(doors, Mapping)
    waiting = {
        evolve(one, sender=other[str(one.sender)]): given for one, given in now.waiting.items()
    }
    parts = FrozenMap(
        {**now.parts, "doors": FrozenMap({key: doors[other[str(key)]] for key in doors})}
    )
    return evolve(now, parts=parts, waiting=FrozenMap(waiting))


ROOMS = """
notation: 1
system: House
types: {Room: id}
parameters: {rooms: "set[Room]"}
parts: {doors: {machine: Door, each: rooms}}
scope: {Room: 2}
"""


def test_parts_may_be_none_at_all() -> None:
    """Where a parameter says of which rooms there are doors, one house has none; up to symmetry there is one house with one door."""
    system = system_of(load_system(written("", ROOMS)))
    assert explore(system).states == 1 + 2 + 2 + 4
    assert explore(system, how=SYMMETRY).states == 1 + 2 + 3


def test_a_trace_shows_what_a_step_changed_of_its_part() -> None:
    """A step that leaves the state is no riddle: its variables stand there, and only those."""
    text = """
links:
  - {on: door, enters: OPEN, send: lamps.press, args: {hard: "False"}}
always:
  off: "all(l.switched < 2 for l in lamps.values())"
scope: {Room: 1}
"""
    found = explore(house_of_lamps(text))
    (broken,) = (result for result in found.examined if result.name == "always off")
    rows = [row.outcome for row in system_trace_rows(broken.trace.begin, broken.trace.steps)]
    assert rows[0] == "OPEN  then lamps['Room1'].press: ON  switched=1"


DESK = """notation: 1
machine: Desk
types: {Id: id}
variables: {open: "bool = True"}
events:
  take: {args: {j: Id}, guard: open}
"""
JOB = """notation: 1
machine: Job
states: {NEW: {initial: true}, RUN: {final: true}}
transitions: [{from: NEW, to: RUN, event: start}]
"""
JOBS = """notation: 1
system: Jobs
types: {Id: id}
scope: {Id: 2}
parts:
  desk: {machine: Desk}
  bell: {machine: Desk}
  jobs: {machine: Job, each: Id, created: true}
variables: {made: "0..2 = 0"}
links:
  - {on: desk, event: take, create: "jobs[j]"}
  - {on: desk, event: take, send: bell.take, args: {j: j}}
  - {on: desk, event: take, effect: {made: "min(2, made + 1)"}}
always: {few: "all(j.state == 'NEW' for j in jobs.values()) or made < 2"}
"""


def test_the_words_of_steps_line_up_where_a_part_has_nothing_to_say(tmp_path: Path) -> None:
    """A part without states in which nothing changes has no words: none stand in their place."""
    for name, text in (("Desk", DESK), ("Job", JOB), ("Jobs", JOBS)):
        (tmp_path / f"{name}.yaml").write_text(text)
    found = explore(system_of(load_system(tmp_path / "Jobs.yaml")))
    (broken,) = (result for result in found.examined if result.name == "always few")
    assert broken.trace is not None
    rows = [row.outcome for row in system_trace_rows(broken.trace.begin, broken.trace.steps)]
    assert rows[:2] == [
        "then bell.take  then jobs['Id1'] begins  made=1",
        "then bell.take  then jobs['Id2'] begins  made=2",
    ]


SENDER = """notation: 1
machine: Sender
variables: {sent: "0..2 = 0"}
events: {put: {guard: sent < 2, effect: {sent: sent + 1}}}
"""
RECEIVER = """notation: 1
machine: Receiver
variables: {heard: "0..2 = 0"}
events: {hear: {args: {what: 0..1}, effect: {heard: "min(2, heard + 1)"}}}
"""


@pytest.mark.parametrize(("may", "transitions"), [("", 6), (", may: [reorder]", 7)])
def test_of_what_waits_each_place_is_a_transition(
    tmp_path: Path, may: str, transitions: int
) -> None:
    """Also where two hold the same and lead to the same, as the manual says."""
    (tmp_path / "Sender.yaml").write_text(SENDER)
    (tmp_path / "Receiver.yaml").write_text(RECEIVER)
    (tmp_path / "Line.yaml").write_text(
        "notation: 1\nsystem: Line\nparts: {a: {machine: Sender}, b: {machine: Receiver}}\n"
        f"channels: {{wire: {{holds: 2{may}}}}}\nno deadlock: false\n"
        "links: [{on: a, event: put, send: b.hear, args: {what: '0'}, through: wire}]\n"
    )
    found = explore(system_of(load_system(tmp_path / "Line.yaml")))
    assert (found.states, found.transitions) == (6, transitions)
