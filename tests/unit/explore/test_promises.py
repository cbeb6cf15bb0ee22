"""Promises: what comes again and again, stays for ever, or holds until then; what is strongly fair; what is promised for each.

Covers: statemachines.explore.properties.bound_values, statemachines.explore.verdicts.fairness,
statemachines.explore.verdicts.lassos, statemachines.notation.data.property_reader.
"""

from __future__ import annotations

import pytest

from statemachines.explore.exploration import explore
from statemachines.model.evidence.verdicts import Verdict
from tests.data_machines import codes, machine
from tests.systems import house

SPINNING = """
variables: {x: "0..1 = 0", done: "bool = False"}
events:
  spin: {guard: not done, effect: {x: 1 - x}}
  finish: {guard: x == 1 and not done, effect: {done: 'True'}}
leads to:
  ends: {when: not done, then: done, assuming: FAIR}
always eventually:
  isEnded: {holds: done, assuming: FAIR}
  isZero: {holds: x == 0, assuming: FAIR}
eventually always:
  staysEnded: {holds: done, assuming: FAIR}
  staysZero: {holds: x == 0, assuming: FAIR}
until:
  zeroUntilOne: {when: x == 0 and not done, holds: x == 0, then: x == 1, assuming: FAIR}
  goesOnUntilDone: {when: not done, holds: not done, then: done, assuming: FAIR}
  zeroUntilDone: {when: not done, holds: x == 0, then: done, assuming: FAIR}
no deadlock: false
"""
NEVER = {"staysZero", "zeroUntilDone"}


def broken(text: str) -> dict[str, str]:
    """The promises that are broken, with what is said of them."""
    return {
        one.property.name: one.said
        for one in explore(machine(text)).examined
        if one.property is not None and one.verdict is Verdict.VIOLATED
    }


def test_what_is_possible_again_and_again_happens_where_it_is_strongly_fair() -> None:
    """Finishing is possible each second time only: spinning takes the chance away, which weak fairness allows."""
    strong = broken(SPINNING.replace("FAIR", "{strongly: [finish], weakly: [spin]}"))
    assert set(strong) == {"isZero", *NEVER}
    weak = broken(SPINNING.replace("FAIR", "[finish, spin]"))
    assert set(weak) == {"ends", "isEnded", "isZero", "staysEnded", "goesOnUntilDone", *NEVER}


TAKING_TURNS = """
states: {A: {initial: true}, B: , DONE: }
events: {x: {}, y: {}, there: {}, back: {}}
transitions:
  - {from: A, to: B, event: there}
  - {from: B, to: A, event: back}
  - {from: A, to: DONE, event: x}
  - {from: B, to: DONE, event: y}
no deadlock: false
leads to:
  apart: {when: state == 'A', then: state == 'DONE', assuming: [x, y]}
  asOne: {when: state == 'A', then: state == 'DONE', assuming: [[x, y]]}
  one: {when: state == 'A', then: state == 'DONE', assuming: [[x]]}
  strongly: {when: state == 'A', then: state == 'DONE', assuming: {strongly: [[x]], weakly: [there, [y, back]]}}
"""
KEYS = """
variables: {at: "0..1 = 0", left: "set[0..1] = {0, 1}"}
events:
  turn: {effect: {at: 1 - at}}
  even: {args: {k: left}, guard: at == 0 and k == 0, effect: {left: "left - {k}"}}
  odd: {args: {k: left}, guard: at == 1 and k == 0, effect: {left: "left - {k}"}}
  other: {args: {k: left}, guard: k == 1, effect: {left: "left - {k}"}}
always eventually:
  apart: {holds: 0 not in left, assuming: [even: each k, odd: each k]}
  asOne: {holds: 0 not in left, assuming: [[even: each k, odd: each k]]}
  ofAnotherValue: {holds: left == set(), assuming: [[even: each k, odd: each k]]}
  all: {holds: left == set(), assuming: [[even: each k, odd: each k, other: each k]]}
  whole: {holds: left == set(), assuming: [[even, odd, other]]}
  wholeWithTurns: {holds: left == set(), assuming: [[even, odd, other, turn]]}
"""


def test_events_that_are_fair_as_one_are_possible_where_one_of_them_is() -> None:
    """Each of the two is possible each second time only, one of them always: `WF(x \\/ y)` is more than `WF(x) /\\ WF(y)`."""
    assert set(broken(TAKING_TURNS)) == {"apart", "one"}


def test_events_are_fair_as_one_for_each_value() -> None:
    """What happens for one value does nothing for another; without values one of all events is enough."""
    assert set(broken(KEYS)) == {"apart", "ofAnotherValue", "wholeWithTurns"}


def test_events_are_fair_as_one_for_each_value_or_none_is() -> None:
    """Of which value would the one without be?"""
    text = TAKING_TURNS.replace("[[x, y]]", "[[x, {z: each k}]]")
    text = text.replace("y: {}", "y: {}, z: {args: {k: bool}}")
    assert codes(text) == ["SM403"]


def test_nothing_comes_where_nothing_is_assumed() -> None:
    """Standing still for ever breaks every promise that is not kept where it stands."""
    assert set(broken(SPINNING.replace(", assuming: FAIR", ""))) == {
        "ends",
        "isEnded",
        "isZero",
        "staysEnded",
        "staysZero",
        "zeroUntilOne",
        "goesOnUntilDone",
        "zeroUntilDone",
    }


def test_until_is_broken_at_once_where_something_does_not_hold_meanwhile() -> None:
    """The run ends there: it does not matter how it goes on."""
    found = explore(machine(SPINNING.replace("FAIR", "{strongly: [finish, spin]}")))
    one = next(one for one in found.examined if one.name == "until zeroUntilDone")
    assert one.trace is not None
    assert ([step.event for step in one.trace.steps], one.trace.loop_start) == (["spin"], None)


def test_what_stays_for_ever_is_broken_by_a_round_that_leaves_it() -> None:
    """Again and again it is not so, though between it is."""
    found = explore(machine(SPINNING.replace("FAIR", "[spin]")))
    one = next(one for one in found.examined if one.name == "eventually always staysZero")
    assert one.trace is not None
    assert one.trace.loop_start is not None
    around = one.trace.snapshots[one.trace.loop_start :]
    assert any(now.variables["x"] == 1 for (now,) in around)


LAMPS = """
types: {Lamp: id}
parameters: {lamps: "set[Lamp]"}
scope: {Lamp: 3, lamps: Lamp}
variables: {lit: "set[lamps] = set()"}
events:
  light: {args: {lamp: lamps}, guard: lamp not in lit, effect: {lit: "lit | {lamp}"}}
  clear: {guard: lit != set(), effect: {lit: set()}}
leads to:
  for each one in WHERE:
    shines: {when: one not in lit, then: one in lit, assuming: {strongly: FAIR}}
"""


@pytest.mark.parametrize("where", ["lamps", "Lamp"])
def test_a_promise_for_each_is_made_for_each(where: str) -> None:
    """All of them are looked at, each with its own: that one of them shines is not enough."""
    text = LAMPS.replace("WHERE", where)
    if where == "Lamp":
        text = text.replace("one not in lit", "one in lamps and one not in lit")
    assert broken(text.replace("FAIR", "[{light: each lamp}]")) == {}
    assert broken(text.replace("FAIR", "[light]")) == {"shines": "never comes for one = 'Lamp1'"}


MUTEX = """
notation: 1
system: House
types: {Room: id}
parts: {doors: {machine: Door, each: Room}}
scope: {Room: 2}
variables: {opened: "Room? = None"}
links:
  - {on: doors, enters: OPEN, only if: opened is None}
  - {on: doors, enters: OPEN, effect: {opened: key}}
  - {on: doors, leaves: OPEN, effect: {opened: None}}
leads to:
  for each room in doors:
    opens: {when: "doors[room].state == 'SHUT'", then: "doors[room].state == 'OPEN'", assuming: FAIR}
"""


def test_a_system_keeps_a_promise_for_each_key_of_a_part() -> None:
    """Only one door is open at a time: the other one gets its turn only where opening is strongly fair."""
    fair = "[doors.to_OPEN: each key, doors.to_SHUT: each key]"
    said = {
        strength: {
            one.name: one.said
            for one in explore(house("", MUTEX.replace("FAIR", f"{{{strength}: {fair}}}"))).examined
        }["leads to opens"]
        for strength in ("weakly", "strongly")
    }
    assert said == {"weakly": "never comes for room = 'Room1'", "strongly": ""}
