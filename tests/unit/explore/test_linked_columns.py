"""An event that links speak of is asked once for the columns at which it and they look: what a part holds beside these is neither looked at nor written.

Covers: statemachines.explore.models.part_moves, statemachines.explore.models.linked_steps,
statemachines.explore.models.taken_steps.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from statemachines.explore.exploration import build_model, explore
from statemachines.explore.options import ExplorationOptions
from statemachines.explore.scopes import DEFAULT_SCOPE
from statemachines.model.definitions.system_definitions import SystemDefinition, SystemSnapshot
from statemachines.notation import load_system, system_of
from statemachines.semantics.system.system_initial_snapshots import initial_system_snapshot
from statemachines.semantics.system.system_step import step_system
from statemachines.semantics.system.system_tables import system_tables
from tests.effort import some_of

STORE = """
notation: 1
machine: Store
states: {OPEN: {initial: true}, SHUT: }
variables: {a: "0..2 = 0", b: "0..2 = 0", c: "0..2 = 0"}
events:
  putA: {effect: {a: (a + 1) % 3}}
  putB: {guard: a > 0, effect: {b: (b + 1) % 3}}
  putC: {effect: {c: (c + 1) % 3}}
  swap: {effect: {a: b, b: a}}
transitions:
  - {from: OPEN, to: SHUT, event: shut}
  - {from: SHUT, to: OPEN, event: open}
"""
BELL = """
notation: 1
machine: Bell
variables: {many: "0..2 = 0"}
states: {QUIET: {initial: true}, RINGING: }
transitions:
  - {from: QUIET, to: RINGING, event: ring}
  - {from: RINGING, to: QUIET, event: calm}
events:
  count: {effect: {many: (many + 1) % 3}}
"""
LINKS = (
    "{on: store, event: putA, only if: bell.state == 'QUIET'}",
    "{on: store, event: putA, send: store.putC}",
    "{on: store, event: putB, only if: store.c != 2}",
    "{on: store, event: putB, send: bell.ring}",
    "{on: store, event: putC, send: bell.count, guard: store.b > 0}",
    "{on: store, event: swap, send: bell.calm, guard: store != store or bell.many == 1}",
    "{on: store, event: shut, send: store.swap}",
    "{on: store, leaves: SHUT, only if: store.a == store.c}",
    "{on: bell, event: ring, send: store.shut, guard: store.b == 1}",
    "{on: bell, event: count, effect: {total: (total + store.a) % 3}}",
)
SYSTEM = """
notation: 1
system: Shop
parts: {store: {machine: Store}, bell: {machine: Bell}}
variables: {total: "0..2 = 0"}
links:
LINKS
always:
  near: "total < 2 or store.a != 1 or bell.many == 0"
no deadlock: false
"""


def shop(folder: Path, links: list[str]) -> SystemDefinition:
    """Write a system with some links."""
    (folder / "Store.yaml").write_text(STORE)
    (folder / "Bell.yaml").write_text(BELL)
    listed = "\n".join(f"  - {link}" for link in links)
    (folder / "Shop.yaml").write_text(SYSTEM.replace("LINKS", listed))
    return system_of(load_system(folder / "Shop.yaml"))


def brute_force(system: SystemDefinition) -> tuple[int, int]:
    """Return how many snapshots and steps there are, by asking the system of each event everywhere."""
    first = initial_system_snapshot(system)
    met: dict[SystemSnapshot, None] = {first: None}
    waiting, steps = [first], 0
    while waiting:
        now = waiting.pop()
        for part, tables in system_tables(system).tables.items():
            for event in tables.events:
                answer = step_system(system, now, f"{part}.{event}")
                if type(answer.steps[0].answer).__name__ == "Advanced":
                    steps += 1
                    if answer.after not in met:
                        met[answer.after] = None
                        waiting.append(answer.after)
    return len(met), steps


@given(st.lists(st.sampled_from(LINKS), unique=True, min_size=1))
@settings(max_examples=some_of(12), deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_what_is_not_looked_at_does_not_count(links: list[str]) -> None:
    """Counts are those of asking everywhere, on both engines, whatever the links speak of and send back."""
    pytest.importorskip("numpy")
    with TemporaryDirectory() as folder:
        system = shop(Path(folder), links)
    expected = brute_force(system)
    rows, arrays = (
        explore(system, how=ExplorationOptions(engine=engine)) for engine in ("rows", "arrays")
    )
    assert rows == arrays
    assert (rows.states, rows.transitions) == expected


def test_events_are_asked_for_their_own_columns(tmp_path: Path) -> None:
    """`putA` looks at `a` alone, and `putB` at what its link speaks of, too; a part that is spoken of as a whole is looked at as a whole."""
    asked = {}
    for links in (LINKS[:1], LINKS[2:3], LINKS[:1] + LINKS[5:6]):
        model = build_model(shop(tmp_path, list(links)), DEFAULT_SCOPE)
        assert model.linked is not None
        of_store = model.linked.part_moves["store"][0]
        names = tuple(memo.event for memo in of_store.events)
        asked[names] = [of_store.kind.columns[place].name for place in of_store.reads]
    assert asked == {
        ("putA",): ["state", "a"],
        ("putB",): ["state", "a", "b", "c"],
        ("putA", "swap"): ["state", "a", "b", "c"],
    }


def test_many_arguments_are_asked_of_few_rows(tmp_path: Path) -> None:
    """With `c` beside, `putA` has a question for each value of `a`, not for each pair of both."""
    model = build_model(shop(tmp_path, [LINKS[0]]), DEFAULT_SCOPE)
    assert explore(shop(tmp_path, [LINKS[0]])).states > 27
    assert model.linked is not None
    (source,) = model.linked.sources
    rows, met = list(model.initial_rows), set(model.initial_rows)
    for row in rows:
        for *_, after in model.steps(row):
            if after not in met:
                met.add(after)
                rows.append(after)
    assert len(source.known) == 2 * 3  # states and values of `a`
