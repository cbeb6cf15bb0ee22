"""TLC finds in our TLA+ what `explore` finds in the machine.

Covers: statemachines.interop.tla.tla_actions, statemachines.interop.tla.tla_calls,
statemachines.interop.tla.tla_comprehensions, statemachines.interop.tla.tla_data_module,
statemachines.interop.tla.tla_export, statemachines.interop.tla.tla_expressions,
statemachines.interop.tla.tla_names, statemachines.interop.tla.tla_types,
statemachines.interop.tla.tlc_configuration.
"""

from __future__ import annotations

import re
import subprocess
from functools import cache
from pathlib import Path

import pytest

from statemachines.api.queries.catalogue import find_machine, machine_in_release, machine_names
from statemachines.explore.exploration import explore
from statemachines.interop.tla.tla_export import tla_module, to_tla
from statemachines.interop.tla.tlc_configuration import TlcRun
from statemachines.model.definitions.machine_definitions import MachineDefinition, SpecDefinition
from statemachines.model.evidence.verdicts import Verdict
from tests.data_machines import EXAMPLES, example, machine
from tests.machines import COUNTER, DEAD_END, ORDER, TURNSTILE
from tests.peers import tlc

LIFT = machine("""
types: {Floor: 0..2, Wish: {floor: Floor, urgent: bool}, IF: id}
errors: {Stuck: Between two floors., TooFar: It does not go there.}
parameters: {top: 1..2, served: "set[Floor]"}
where: top in served
states: {IDLE: {initial: true}, MOVING: {}, BROKEN: {final: true}}
predicates: {working: [IDLE, MOVING]}
variables:
  at: {type: Floor, initial: "0"}
  wishes: {type: "list[Wish]", initial: "[]"}
  goal: {type: "Floor?", initial: "None"}
  trips: {type: 0..2, initial: "0"}
  seen: {type: "map[IF, Floor]", initial: any}
initially: len(seen) <= 1
define:
  pressing: "[w for w in wishes if w.urgent]"
  known: {args: {floor: Floor}, is: "any(w.floor == floor for w in wishes)"}
  lowest: "min({w.floor for w in wishes}, default=0)"
events:
  call: {args: {floor: Floor, urgent: bool}, doc: Somebody pressed a button.}
  go: {}
  arrive: {let: {here: "goal"}}
  look: {args: {who: IF}}
  jam: {}
transitions:
  - from: [IDLE, MOVING]
    event: call
    let: {wish: "Wish(floor, urgent)"}
    cases:
      - {when: "floor > top", raises: TooFar}
      - {when: known(floor), returns: "False"}
      - {when: len(wishes) < 2, effect: {wishes: "wishes + [wish]"}, returns: "True"}
  - {from: IDLE, to: MOVING, event: go, guard: "wishes != [] and trips < 2", effect: {goal: "pressing[0].floor if pressing != [] else lowest", trips: trips + 1}, returns: {value: trips, left: at}}
  - from: MOVING
    to: IDLE
    event: arrive
    guard: here is not None
    effect: {at: "at if here is None else here", wishes: "[w for w in wishes if w.floor != here]", goal: "None"}
    returns: here
  - {from: [IDLE, MOVING], event: look, effect: {seen: "seen | {who: at}"}}
  - {from: MOVING, to: BROKEN, event: jam, raises: Stuck, effect: {goal: "None"}}
otherwise:
  - {event: arrive, does: ignore}
  - {event: go, from: IDLE, does: force}
always:
  served: at <= top
  quietly: {holds: working, until: raised}
  wrong: {holds: trips < 2, expect: fails}
each step:
  forward: trips >= before.trips
  slowly: {holds: "trips - before.trips < 1", expect: fails}
sometimes:
  far: "at == 2 and not any(w.urgent for w in wishes)"
leads to:
  arrives: {when: "state == 'MOVING'", then: "state != 'MOVING'", assuming: [arrive, jam]}
  never: {when: "state == 'IDLE'", then: "state == 'MOVING'", assuming: [arrive], expect: fails}
no deadlock: {doc: It may always be called.}
scope: {IF: 1}
""")
"""Of everything something: names that are words of TLA+, every kind of property, parameters of which nothing is said, forced steps."""

TOGETHER = machine("""
variables: {at: "0..1 = 0", left: "set[0..1] = {0, 1}"}
events:
  turn: {effect: {at: 1 - at}}
  even: {args: {k: left}, guard: at == 0 and k == 0, effect: {left: "left - {k}"}}
  odd: {args: {k: left}, guard: at == 1 and k == 0, effect: {left: "left - {k}"}}
always eventually:
  apart: {holds: 0 not in left, assuming: [even: each k, odd: each k], expect: fails}
  strongly: {holds: 0 not in left, assuming: {strongly: [even: each k], weakly: [turn]}}
  asOne: {holds: 0 not in left, assuming: [[even: each k, odd: each k]]}
  whole: {holds: 0 not in left, assuming: [[even, odd]]}
  wholeWithTurns: {holds: 0 not in left, assuming: [[even, odd, turn]], expect: fails}
no deadlock: false
""")
"""Events that are fair as one."""
ASKING = machine("""
types: {Slot: 0..2}
variables: {at: "Slot = 0", left: "set[Slot] = {0, 1, 2}"}
events:
  take: {args: {slot: Slot, far: bool}, guard: slot in left and (far or slot == at), effect: {left: "left - {slot}", at: slot}}
always:
  somethingIsLeft: "enabled(take, far=True) == (left != set())"
  onlyHere: "enabled(take, far=False) == (at in left)"
  for each slot in Slot:
    whatIsLeft: "enabled(take, slot=slot, far=True) == (slot in left)"
    anything: {holds: "enabled(take, far=True, slot=slot)", expect: fails}
each step:
  for each one in Slot:
    isNotPutBack: "implies(one not in before.left, one not in left)"
always eventually:
  for each slot in Slot:
    taken: {holds: slot not in left, assuming: [take: each slot]}
    takenSomehow: {holds: slot not in left, assuming: [take: each far]}
    takenAnyway: {holds: slot not in left, expect: fails}
no deadlock: false
""")
"""Properties that ask whether an event is enabled with some arguments, and of each value of a type."""
WITNESSES = machine("""
types: {Book: id, Shelf: [high, low]}
parameters: {books: "set[Book]"}
variables:
  lent: "set[books] = set()"
  on: {type: "map[Shelf, 0..1]", initial: "{'high': 0, 'low': 0}"}
events:
  lend: {args: {book: books - lent}, guard: "len(lent) < 2", effect: {lent: "lent | {book}"}}
  back: {args: {book: lent}, effect: {lent: "lent - {book}"}}
  put: {args: {shelf: Shelf}, effect: {on: "on | {shelf: 1}"}}
sometimes:
  for each book in books:
    lent: book in lent
  for each book in Book:
    aloneOut: "lent == {book}"
  for each shelf in Shelf:
    full: "on[shelf] == 1 and lent == set()"
scope: {Book: 3, books: Book}
no deadlock: false
""")
"""A witness for each book of a set, of a type, and for each member of an enumeration."""
SHIPPED = ("kafka/StreamThread", "kafka/ReplicaStateMachine")
PLAIN = {each.name: each for each in (TURNSTILE, COUNTER, ORDER)}
OWN = {"Lift": LIFT, "Together": TOGETHER, "Asking": ASKING, "Witnesses": WITNESSES}
MACHINES = (*EXAMPLES, *OWN, *SHIPPED, *PLAIN)


@cache
def made(name: str) -> MachineDefinition:
    """The machine of a name."""
    if name in PLAIN:
        return PLAIN[name]
    if name in OWN:
        return OWN[name]
    if name in EXAMPLES:
        return example(name)
    return machine_in_release(find_machine(name), None)[0]


def asked(of: MachineDefinition, folder: Path, run: TlcRun) -> tuple[bool, int, str]:
    """Let TLC check a module: whether all holds, how many states are different, and what was printed."""
    text, configuration = tla_module(of)
    module = text.split()[2]
    (folder / f"{module}.tla").write_text(f"{text}\n====\n")
    (folder / f"{module}.cfg").write_text(configuration.text(run))
    done = subprocess.run([*tlc(), module], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 12, 13), done.stdout  # safety violated, liveness violated
    states = re.findall(r"(\d+) distinct states found", done.stdout)
    return done.returncode == 0, int(states[-1]), done.stdout


@pytest.mark.long
@pytest.mark.parametrize("name", MACHINES)
def test_tlc_and_explore_find_the_same(name: str, tmp_path: Path) -> None:
    """As many different states, and the same verdict of each property; what is to break breaks."""
    of = made(name)
    seen = explore(of)
    assert not seen.bounds
    for number, run in enumerate(tla_module(of)[1].runs):
        folder = tmp_path / str(number)
        folder.mkdir()
        holds, states, printed = asked(of, folder, run)
        assert holds is not run.breaks, printed
        if run.name == "":
            assert states == seen.states
    assert all(one.verdict is Verdict.HOLDS for one in seen.examined if one.property is not None)


def test_tlc_finds_what_explore_finds_broken(tmp_path: Path) -> None:
    """A checker that was never seen to fail is untested: a planted fault in one spec, a dead end in another."""
    broken = example("BankAccount", ('effect: {balance: "0"}', "effect: {balance: balance}"))
    assert explore(broken).verdict is Verdict.VIOLATED
    holds, _, printed = asked(broken, tmp_path, tla_module(broken)[1].runs[0])
    assert not holds
    assert "Invariant Always_closedIsEmpty is violated" in printed
    assert not asked(DEAD_END, tmp_path, tla_module(DEAD_END)[1].runs[0])[0]


def test_a_witness_that_one_of_many_lacks_is_not_found_by_tlc(tmp_path: Path) -> None:
    """Each value has a run of its own: of a shelf that is never filled TLC finds no witness, of the other one it does."""
    lacking = machine("""
types: {Shelf: [high, low]}
variables: {on: {type: "map[Shelf, 0..1]", initial: "{'high': 0, 'low': 0}"}}
events:
  put: {args: {shelf: Shelf}, guard: "shelf == 'high'", effect: {on: "on | {shelf: 1}"}}
sometimes:
  for each shelf in Shelf:
    full: "on[shelf] == 1"
no deadlock: false
""")
    assert explore(lacking).verdict is Verdict.VIOLATED
    runs = tla_module(lacking)[1].runs[1:]
    assert [run.name for run in runs] == ["Never_full_1", "Never_full_2"]
    assert [asked(lacking, tmp_path, run)[0] for run in runs] == [False, True]


def test_a_value_outside_its_type_is_an_error_of_the_spec_for_both(tmp_path: Path) -> None:
    """TypeOK says it."""
    wrong = example("BankAccount", ("    guard: balance + amount <= 9\n", ""))
    assert explore(wrong).verdict is Verdict.VIOLATED
    holds, _, printed = asked(wrong, tmp_path, tla_module(wrong)[1].runs[0])
    assert not holds
    assert "Invariant TypeOK is violated" in printed


def test_it_reads_as_a_person_would_write_it() -> None:
    """A part of one, read before it was recorded."""
    text = to_tla(example("Orders"))
    assert (
        text[text.index("Event_place ==") : text.index("Event_ship")]
        == r"""Event_place ==
  \E order \in Order :
    \E item \in Item :
      \E count \in 1..2 :
        /\ order \notin (DOMAIN orders)
        /\ IF stock[item] >= count
           THEN /\ orders' = (order :> [stage |-> "open", item |-> item, count |-> count]) @@ orders
                /\ stock' = (item :> (stock[item] - count)) @@ stock
           ELSE UNCHANGED << stock, orders >>

Event_pay ==
  \E order \in inStage("open") :
    /\ orders' = (order :> [orders[order] EXCEPT !.stage = "paid"]) @@ orders
    /\ UNCHANGED << stock >>

"""
    )


def test_how_tlc_is_told_stands_below_the_module() -> None:
    """TLC reads nothing there; a person copies it."""
    text = to_tla(example("Orders"))
    below = text[text.index("\n====\n") :]
    assert (
        "For TLC, which is to find TypeOK, Always_nothingIsLost, NoDeadlock to hold:\nSPECIFICATION Spec\n"
        in below
    )
    assert "For TLC, which is to find Never_soldOut broken:" in below
    assert "  Order = {Order1, Order2}\n" in below


def test_a_state_constraint_is_one_for_tlc_too() -> None:
    """Without it TLC would go on for ever where our search does not."""
    limited = machine(
        'variables: {n: "0..9 = 0"}\nscope: {state constraint: n <= 3}\n'
        "events: {up: {guard: n < 9, effect: {n: n + 1}}}\n"
    )
    text = to_tla(limited)
    assert "\nStateConstraint == n <= 3\n" in text
    assert "CONSTRAINT StateConstraint\n" in text[text.index("\n====\n") :]


@pytest.mark.parametrize("name", machine_names())
def test_every_shipped_machine_is_written(name: str) -> None:
    """Nothing of the catalogue is without words there."""
    spec = find_machine(name)
    if not isinstance(spec, SpecDefinition):
        pytest.skip("a system of several machines is no module")
    assert to_tla(machine_in_release(spec, None)[0]).endswith("\n")
