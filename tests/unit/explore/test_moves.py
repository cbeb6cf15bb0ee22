"""Steps of whole levels, as arrays."""

from __future__ import annotations

from statemachines.explore.exploration import explore
from statemachines.explore.options import ExplorationOptions
from statemachines.explore.scopes import ExplorationScope
from tests.data_machines import machine

QUEUE = """
types: {Actor: id}
variables:
  waiting: "list[Actor] = []"
  served: "set[Actor] = set()"
events:
  ask: {args: {a: Actor}, guard: "a not in waiting", effect: {waiting: "waiting + [a]"}}
  begin: {guard: "waiting != []", effect: {served: "served | {waiting[0]}", waiting: "waiting[1:]"}}
  leave: {args: {a: Actor}, effect: {served: "served - {a}"}}
scope: {Actor: 3}
"""


def test_an_effect_is_not_worked_out_where_its_guard_does_not_hold() -> None:
    """`waiting[0]` is safe behind the guard alone: rows of the same level whose list is empty are not to be asked for it."""
    queue = machine(QUEUE)
    found = explore(queue, ExplorationScope(), ExplorationOptions(engine="arrays"))
    assert found == explore(queue, ExplorationScope(), ExplorationOptions(engine="rows"))
    assert found.states == 8 * (1 + 3 + 6 + 6)
