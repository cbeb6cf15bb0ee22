"""What is claimed for each of something is what it is for each of them, looked at one by one.

Covers: statemachines.explore.model_exploration, statemachines.explore.properties.bound_values,
statemachines.explore.walks.walk_verdicts, statemachines.notation.data.each_reader.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pytest

from statemachines.explore.exploration import explore
from statemachines.explore.options import ExplorationOptions
from statemachines.explore.results.property_results import PropertyResult
from statemachines.explore.scopes import ExplorationScope
from statemachines.explore.walks.random_walks import simulate
from statemachines.model.evidence.verdicts import Verdict
from tests.data_machines import machine
from tests.systems import house

LOCKS = """
types: {Client: id}
parameters: {clients: "set[Client]"}
scope: {Client: 3}
variables: {holder: "Client? = None", waiting: {type: "set[Client]", initial: "set()"}}
events:
  ask: {args: {c: clients}, guard: c not in waiting and holder != c, effect: {waiting: "waiting | {c}"}}
  grant: {args: {c: clients}, guard: c in waiting and holder is None, effect: {holder: c, waiting: "waiting - {c}"}}
  free: {guard: holder is not None, effect: {holder: None}}
no deadlock: false
"""
NAMES = ("Client1", "Client2", "Client3")
State = tuple[frozenset[str], str | None, frozenset[str]]
"""The clients, who holds the lock, and who waits."""
Claim = Callable[[State, str], bool]
CLAIMS: dict[str, Claim] = {
    "holder == c": lambda now, c: now[1] == c,
    "c in waiting": lambda now, c: c in now[2],
    "holder != c": lambda now, c: now[1] != c,
    "not (holder == c and c in waiting)": lambda now, c: not (now[1] == c and c in now[2]),
    "waiting == {c}": lambda now, c: now[2] == {c},
    "holder is not None and holder != c": lambda now, c: now[1] is not None and now[1] != c,
    "len(waiting) < 3 or c in waiting": lambda now, c: len(now[2]) < 3 or c in now[2],
    "len(waiting) == 3": lambda now, c: len(now[2]) == 3,
}


def graph(clients: frozenset[str]) -> dict[State, set[State]]:
    """All states with their successors, by hand."""
    found: dict[State, set[State]] = {}
    pending: list[State] = [(clients, None, frozenset())]
    while pending:
        now = pending.pop()
        if now in found:
            continue
        _, holder, waiting = now
        found[now] = {
            *((clients, holder, waiting | {c}) for c in clients - waiting if c != holder),
            *((clients, c, waiting - {c}) for c in waiting if holder is None),
            *([(clients, None, waiting)] if holder is not None else []),
        }
        pending += found[now]
    return found


def verdicts(text: str, how: ExplorationOptions) -> dict[str, PropertyResult[Any]]:
    return {one.name: one for one in explore(machine(text), how=how).examined}


@pytest.mark.parametrize("engine", ["rows", "arrays"])
@pytest.mark.parametrize("within", ["Client", "clients"])
@pytest.mark.parametrize("claim", CLAIMS)
def test_it_is_what_it_is_of_each_of_them(claim: str, within: str, engine: str) -> None:
    """A brute force that goes through all states and names agrees: of states, of steps, and of witnesses."""
    if engine == "arrays":
        pytest.importorskip("numpy")
    text = LOCKS + "".join(
        f"{kind}:\n  for each c in {within}:\n    one: '{before}{claim}'\n"
        for kind, before in (
            ("always", ""),
            ("each step", "before.holder == c or "),
            ("sometimes", ""),
        )
    )
    found = verdicts(text, ExplorationOptions(engine=engine))
    every = [frozenset(some) for n in range(4) for some in itertools.combinations(NAMES, n)]
    holds = CLAIMS[claim]
    states = [now for clients in every for now in graph(clients)]
    steps = [(old, new) for some in every for old, after in graph(some).items() for new in after]

    def named(now: State) -> frozenset[str]:
        return frozenset(NAMES) if within == "Client" else now[0]

    always = all(holds(now, c) for now in states for c in named(now))
    each = all(old[1] == c or holds(new, c) for old, new in steps for c in named(new))
    witnessed = all(any(c in named(now) and holds(now, c) for now in states) for c in NAMES)
    assert {
        name: found[f"{name} one"].verdict is Verdict.HOLDS
        for name in ("always", "each step", "sometimes")
    } == {
        "always": always,
        "each step": each,
        "sometimes": witnessed,
    }


def test_a_counterexample_says_for_which() -> None:
    """The name belongs to the trace that is shown; a value without a witness is named too."""
    text = LOCKS + (
        "always:\n  for each c in clients:\n    free: holder != c\n"
        "sometimes:\n  for each c in Client:\n    first: holder == c and c != 'Client2'\n"
    ).replace("c != 'Client2'", "waiting == clients - {c} and len(clients) == 1 and c in clients")
    found = verdicts(text, ExplorationOptions())
    one = found["always free"]
    assert one.trace is not None
    last = one.trace.snapshots[-1][0].variables["holder"]
    assert one.said == f"does not hold here for c = '{last}'"
    assert found["sometimes first"].said == "a witness for each"
    fixed = text.replace("scope: {Client: 3}", "scope: {Client: 3, clients: Client}")
    said = verdicts(fixed, ExplorationOptions())["sometimes first"]
    assert (said.verdict, said.said) == (Verdict.VIOLATED, "no witness for c = 'Client1'")


def test_nothing_in_the_set_is_vacuous() -> None:
    """Where no name was ever one of the set, there is nothing to be a witness for, and that is said."""
    text = LOCKS.replace("{c: clients}", "{c: Client}") + (
        "sometimes:\n  for each c in waiting:\n    one: holder == c\n"
    )
    calm = text.replace("guard: c not in waiting and", "guard: len(waiting) > 3 and")
    said = verdicts(calm, ExplorationOptions())["sometimes one"]
    assert (said.verdict, said.said) == (Verdict.HOLDS, "vacuous: never true is c in waiting")


def test_witnesses_for_each_are_not_looked_at_with_symmetry() -> None:
    """A row stands for others, in which other names have their witnesses; what always holds is looked at."""
    text = (
        LOCKS
        + "sometimes:\n  for each c in Client:\n    one: holder == c\nalways:\n  for each c in Client:\n    two: holder != c\n"
    )
    found = verdicts(text, ExplorationOptions(symmetry=True))
    assert (found["sometimes one"].verdict, found["sometimes one"].said) == (
        Verdict.INCONCLUSIVE,
        "not looked at with symmetry",
    )
    assert found["always two"].verdict is Verdict.VIOLATED


HOUSE = """
notation: 1
system: House
types: {Room: id}
parts: {doors: {machine: Door, each: Room}}
scope: {Room: 2}
always:
  for each room in Room:
    shut: "implies(room in doors, doors[room].state == 'SHUT')"
sometimes:
  for each room in Room:
    alone: "room in doors and doors[room].state == 'OPEN' and all(implies(r != room, d.state == 'SHUT') for r, d in doors.items())"
"""


def test_of_a_system_it_is_claimed_for_each_key() -> None:
    """Rules of systems take names too, and a walk looks at each of them."""
    system = house("", HOUSE)
    for engine in ("rows", "auto"):
        found = {
            one.name: one for one in explore(system, how=ExplorationOptions(engine=engine)).examined
        }
        assert found["always shut"].said == "does not hold here for room = 'Room1'"
        assert found["sometimes alone"].said == "a witness for each"
    noticed = {one.property.name: one for one in simulate(system, seed=1, steps=30).noticed}
    assert noticed["shut"].verdict is Verdict.VIOLATED
    assert "for room = 'Room" in noticed["shut"].message
    assert noticed["alone"].verdict is Verdict.HOLDS


def test_a_walk_looks_at_each_of_them() -> None:
    """A witness for one name only is none for each."""
    text = (
        LOCKS
        + "always:\n  for each c in Client:\n    free: holder != c\nsometimes:\n  for each c in Client:\n    one: holder == c\n"
    )
    short, long = (
        {
            one.property.name: one
            for one in simulate(
                machine(text),
                seed=3,
                steps=steps,
                scope=ExplorationScope(parameters={"clients": frozenset(NAMES)}),
            ).noticed
        }
        for steps in (3, 60)
    )
    assert short["one"].verdict is Verdict.INCONCLUSIVE
    assert long["one"].verdict is Verdict.HOLDS
    assert long["free"].message.startswith("does not hold here for c = ")
