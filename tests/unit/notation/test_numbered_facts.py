"""Numbers that are processes: elements of a set of numbers, places of a ring of any size.

Covers: statemachines.notation.proofs.number_bounds, statemachines.notation.proofs.known_containers,
statemachines.explore.models.row_columns.
"""

from __future__ import annotations

import pytest

from statemachines.explore.exploration import explore
from statemachines.explore.scopes import ExplorationScope
from tests.data_machines import codes, machine

RING = """
parameters: {n: 2..5}
variables: {at: {type: "map[range(n), bool]", initial: "{s: False for s in range(n)}"}}
events:
  take: {args: {s: range(n)}, guard: "not at[s] and not at[PLACE]", effect: {at: "at | {s: True}"}}
  put: {args: {s: range(n)}, guard: "at[s]", effect: {at: "at | {s: False}"}}
"""
LISTED = """
variables: {xs: "list[0..2] = []"}
events:
  push: {args: {v: 0..2}, guard: len(xs) < 2, effect: {xs: "xs + [v]"}}
  take: {args: {i: RANGE}, effect: {xs: "xs[:i] + xs[i + 1:] if xs[i] >= 0 else xs"}}
"""


@pytest.mark.parametrize("size", [2, 3, 4, 5])
def test_a_ring_may_have_any_size(size: int) -> None:
    """Independent sets of a cycle: the Lucas numbers, whatever the size that the scope gives."""
    found = explore(
        machine(RING.replace("PLACE", "(s + 1) % n] and not at[(s - 1) % n")),
        ExplorationScope(parameters={"n": size}),
    )
    assert (found.states, found.bounds) == ({2: 3, 3: 4, 4: 7, 5: 11}[size], ())


@pytest.mark.parametrize("place", ["s + 1", "(s + 1) % (n + 1)", "s % 5", "n"])
def test_a_place_that_may_be_none_is_refused(place: str) -> None:
    """One too far is outside of the ring."""
    assert codes(RING.replace("PLACE", place)) == ["SM309"]


def test_an_element_of_a_set_of_numbers_is_a_key() -> None:
    """As of a set of names: the number is one of the set, by its type."""
    body = """
parameters: {stock: "set[0..2]"}
variables: {sold: {type: "map[stock, bool]", initial: "{i: False for i in stock}"}}
events: {sell: {args: {i: stock}, guard: "not sold[i]", effect: {sold: "sold | {i: True}"}}}
"""
    assert explore(machine(f"{body}no deadlock: false\n")).states == 3**3
    assert codes(body.replace("i: stock", "i: 0..2")) == ["SM309"]


@pytest.mark.parametrize(
    ("range_", "codes_"), [("range(len(xs))", []), ("range(len(xs) + 1)", ["SM309"])]
)
def test_an_argument_that_is_a_place_of_a_list(range_: str, codes_: list[str]) -> None:
    """It is safe by its type; and no range of integers is assumed for it."""
    assert codes(LISTED.replace("RANGE", range_)) == codes_
    if not codes_:
        assert explore(machine(LISTED.replace("RANGE", range_))).bounds == ()
