"""Laws: `x with {…}` is `replace` written out, and a map's default is `get` written out.

Covers: statemachines.notation.expressions.update_rules, the defaults of maps in
statemachines.notation.data.type_reader and statemachines.notation.expressions.access_rules,
statemachines.semantics.evaluation.value_acceptance,
statemachines.notation.expressions.call_rules.
"""

from __future__ import annotations

import pytest

import statemachines as sm
from statemachines.notation import machine_of
from tests.unit.notation.rewriting import assert_same_machines
from tests.unit.notation.texts import codes, spec

HEAD = """
types: {Id: id, Stage: [open, paid], Order: {stage: Stage, items: 0..9, next: Stage?}, Failure: [none, lost]}
variables: {orders: "map[Id, Order] = {}", last: "Order? = None", count: "0..9 = 0", lost: "map[Id, 0..9]ELSE = {}"}
states: {OPEN: {initial: true, final: true}}
"""
EVENT = 'events: {put: {args: {batch: "set[Id]", order: orders, one: Order, n: 0..9, failures: "map[Id, Failure]ARG"}, GUARD, effect: {EFFECT}}}\n'


def machine(
    effect: str, guard: str = 'guard: "True"', default: str = "", argument: str = ""
) -> str:
    """Return a machine whose event has this effect."""
    event = EVENT.replace("EFFECT", effect).replace("GUARD", guard).replace("ARG", argument)
    return HEAD.replace("ELSE", default) + event


SAME = {
    "a record": (
        'last: "one with {stage: paid, items: 2}"',
        "last: \"replace(one, stage='paid', items=2)\"",
    ),
    "an item": (
        'last: "orders[order] with {next: paid}"',
        "last: \"replace(orders[order], next='paid')\"",
    ),
    "a name that means something": (
        'last: "one with {items: n}"',
        'last: "replace(one, items=n)"',
    ),
    "some keys of a map": (
        'orders: "orders[batch] with {stage: paid}"',
        "orders: \"{key: replace(item, stage='paid') if key in batch else item for key, item in orders.items()}\"",
    ),
    "a display of keys, and what binds": (
        'orders: "{} | orders[{order}] with {items: n, next: None}"',
        'orders: "{} | {key: replace(item, items=n, next=None) if key in {order} else item for key, item in orders.items()}"',
    ),
}


@pytest.mark.parametrize("name", SAME)
def test_with_is_replace_written_out(name: str) -> None:
    """An update that reads like one is the same expression, so every writer knows it."""
    short, long = SAME[name]
    assert_same_machines(spec(machine(long)), spec(machine(short)))


def test_an_item_of_a_map_with_a_default_is_get() -> None:
    """The default stands once, in the type, and no fact is asked for."""
    one = "guard: \"failures[order] == 'none' and all(lost[t] < 3 for t in batch)\""
    two = "guard: \"failures.get(order, 'none') == 'none' and all(lost.get(t, 0) < 3 for t in batch)\""
    effect = 'count: "0"'
    short = machine(effect, one, " else 0", " else 'none'")
    assert_same_machines(spec(machine(effect, two)), spec(short))


def test_an_update_changes_what_it_names_and_nothing_else() -> None:
    """It is run: keys that the map lacks do not appear."""
    made = machine_of(spec(machine('orders: "orders[batch] with {stage: paid}"')))
    order = {"stage": "open", "items": 1, "next": None}
    before = sm.Snapshot(
        "OPEN", {"orders": {"a": order, "b": order}, "last": None, "count": 0, "lost": {}}, {}
    )
    answer = sm.step(made, before, "put", batch={"a", "z"}, order="a", one=order, n=0, failures={})
    stages = {key: value.stage for key, value in answer.after.variables["orders"].items()}
    assert stages == {"a": "paid", "b": "open"}


@pytest.mark.parametrize(
    ("effect", "told"),
    [
        ('last: "one with {stge: paid}"', ["SM307"]),
        ('last: "one with {stage: pid}"', ["SM303"]),
        ('last: "one with n"', ["SM302"]),
        ('last: "one @ {stage: paid}"', ["SM302"]),
        ('last: "one with {}"', ["SM308"]),
        ('last: "one with {1: paid}"', ["SM308"]),
        ('count: "n with {stage: paid}"', ["SM304"]),
        ('last: "missing[batch] with {stage: paid}"', ["SM303"]),
        ('orders: "orders[batch] with {stge: paid}"', ["SM307"]),
    ],
)
def test_a_slip_in_an_update_is_told(effect: str, told: list[str]) -> None:
    """As it would be in the long form."""
    assert sorted(set(codes(machine(effect)))) == told


@pytest.mark.parametrize(
    ("default", "told"),
    [(" else 'x'", ["SM304"]), (" else nowhere", ["SM303"]), (" else", ["SM301"])],
)
def test_a_default_is_of_the_type_of_the_values(default: str, told: list[str]) -> None:
    """Or the first missing key would break a step."""
    assert sorted(set(codes(machine('count: "0"', default=default)))) == told
