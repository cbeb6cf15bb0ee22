"""A snapshot that a program made or changed is looked at where it is used, and not some steps later.

Covers: statemachines.model.definitions.snapshots.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

import statemachines as sm
from statemachines.api.machine import Machine
from statemachines.embed.snapshot_json import StrangerError
from statemachines.model.language.frozen_values import FrozenMap
from statemachines.semantics.messages.argument_errors import ArgumentsError
from tests.data_machines import machine

ACCOUNT = Machine(
    machine(
        "types: {Who: id}\nparameters: {limit: 1..9}\nvariables: {balance: 0..9 = 0, owner: Who? = None}\n"
        "events:\n  deposit: {args: {amount: 1..5}, guard: balance + amount <= limit and amount != 3, effect: {balance: balance + amount}}\n"
        "  reset: {guard: balance > 0, effect: {balance: '0'}}\n"
    )
)
WRONG: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    ({"balance": 3}, {"limit": 9}, "owner"),
    ({"balance": 3, "owner": None, "colour": 1}, {"limit": 9}, "colour"),
    ({"balance": "three", "owner": None}, {"limit": 9}, "balance"),
    ({"balance": 10, "owner": None}, {"limit": 9}, "balance"),
    ({"balance": 3, "owner": None}, {}, "limit"),
    ({"balance": 3, "owner": None}, {"limit": 99}, "limit"),
    ({"balance": 3, "owner": None}, {"limit": 9, "more": 1}, "more"),
]


@pytest.mark.parametrize("frozen", [False, True])
@pytest.mark.parametrize(("variables", "parameters", "named"), WRONG)
def test_a_wrong_snapshot_is_refused_wherever_it_is_used(
    variables: Any, parameters: Any, named: str, frozen: bool
) -> None:
    """To go on from it, to take a step from it, from JSON: the message names what is wrong."""
    snapshot = sm.Snapshot("", variables, parameters)
    if frozen and (
        variables.keys() != {"balance", "owner"} or parameters.keys() != {"limit"}
    ):  # of another machine
        snapshot = sm.Snapshot("", FrozenMap(variables), FrozenMap(parameters))
    for use in (
        ACCOUNT.instance,
        ACCOUNT.bind().instance,
        ACCOUNT.bind().threadsafe,
        lambda it: sm.step(ACCOUNT, it, "deposit", amount=1),
    ):
        with pytest.raises(ArgumentsError, match=named):
            use(snapshot)
    good = json.loads(ACCOUNT.instance(limit=9).to_json())
    with pytest.raises(StrangerError, match=named):
        ACCOUNT.from_json(json.dumps({**good, "variables": variables, "parameters": parameters}))


@pytest.mark.parametrize(
    "value", [{"map": [[1]]}, {"map": 1}, {"record": "no name", "fields": {"1": 2}}, 1.5, [[[1.5]]]]
)
def test_what_is_no_value_is_no_snapshot(value: object) -> None:
    """A file that somebody wrote by hand is answered, whatever is in it."""
    good = json.loads(ACCOUNT.instance(limit=9).to_json())
    with pytest.raises(StrangerError):
        ACCOUNT.from_json(json.dumps({**good, "variables": {"balance": 1, "owner": value}}))
    with pytest.raises(StrangerError, match="state"):
        ACCOUNT.from_json(json.dumps({**good, "state": ["A"]}))


def test_a_copy_with_changes_goes_on() -> None:
    """And one with a wrong change is refused at once."""
    begun = ACCOUNT.start(limit=9)
    assert ACCOUNT.instance(begun.replace(balance=7)).balance == 7
    assert begun.variables["balance"] == 0
    with pytest.raises(ArgumentsError, match="balanc"):
        ACCOUNT.instance(begun.replace(balanc=7))


def test_a_snapshot_of_another_machine_is_refused() -> None:
    """Also where it is one that this package made."""
    other = Machine(
        machine("variables: {n: 0..3 = 0}\nevents: {up: {guard: n < 3, effect: {n: n + 1}}}\n")
    )
    with pytest.raises(ArgumentsError, match="limit"):
        sm.step(ACCOUNT, other.start(), "reset")


def test_a_refusal_says_the_clause() -> None:
    """Of a guard of several clauses the one that was false; advice leaves out what was refused and what would be."""
    one = ACCOUNT.instance(limit=9)
    answer = sm.step(ACCOUNT, one.snapshot, "deposit", amount=3)
    assert isinstance(answer, sm.Refused)
    assert answer.reason == "`amount != 3` is false"
    with pytest.raises(sm.NotAllowed) as caught:
        one.deposit(amount=3)
    assert caught.value.why == answer.reason
    assert caught.value.legal == ()


def test_false_cases_are_told_where_the_guard_holds() -> None:
    """The guard of an operation is not blamed for its cases."""
    gate = Machine(
        machine(
            "variables: {n: 0..3 = 0}\nevents: {go: {guard: n < 3, cases: [{when: n == 1}, {when: n == 2}]}}\n"
        )
    )
    answer = sm.step(gate, gate.start(), "go")
    assert isinstance(answer, sm.Refused)
    assert answer.reason == "`n == 1` and `n == 2` are false"


def test_the_clause_of_where_is_told() -> None:
    """Of arguments and of parameters; a clause that rests on an earlier one is not asked where that is false."""
    text = "parameters: {low: int, high: int}\nwhere: low > 0 and low < high\nvariables: {n: 0..9 = 0}\n"
    text += "events: {go: {args: {k: 'int?'}, where: 'k is not None and k < 5'}}\n"
    ranged = Machine(machine(text))
    with pytest.raises(ArgumentsError, match=r"`low < high` is false with low=3, high=2"):
        ranged.instance(low=3, high=2)
    for k, clause in ((None, "k is not None"), (7, "k < 5")):
        with pytest.raises(ArgumentsError, match=f"`{clause}` is false with k={k}"):
            ranged.instance(low=1, high=2).send("go", k=k)
