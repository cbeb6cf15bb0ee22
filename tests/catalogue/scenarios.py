"""Kafka's own unit tests (given, when, expect) as calls on a machine of the catalogue: rows of a table, and how one is played."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

import pytest
from attrs import field, frozen

import statemachines as sm
from statemachines.model.definitions.data_definitions import Argument
from statemachines.model.definitions.snapshots import Answer, Snapshot
from statemachines.model.language.frozen_values import FrozenMap
from tests.shipped import shipped

WELL: Mapping[str, Any] = {
    "bool": False,
    "int": 0,
    "Failure": "none",
    "Thrown": "none",
    "Commit": "committed",
}
"""Type of an argument to its value where a row does not say it: everything goes well."""


@frozen
class Call:
    """One call of a scenario, and what is to come of it."""

    event: str
    state: str | None = None
    """In which state the machine is then; None: not looked at."""
    error: str | None = None
    does: str = ""
    """`Advanced`, `Ignored`, `Refused`; empty: not looked at."""
    returned: Any = None
    """What it gives back, or some of its named results; None: not looked at."""
    arguments: Mapping[str, Any] = field(factory=dict)
    variables: Mapping[str, Any] = field(factory=dict)
    """Some of the variables then."""


@frozen
class Row:
    """One unit test."""

    test: str
    machine: str
    releases: tuple[str, ...]
    calls: tuple[Call, ...]
    state: str = ""
    """Where it begins; empty: where instances begin."""
    parameters: Mapping[str, Any] = field(factory=dict)
    variables: Mapping[str, Any] = field(factory=dict)
    """Those that are given otherwise than in the beginning."""


def call(
    event: str,
    state: str | None = None,
    *,
    error: str | None = None,
    does: str = "",
    returned: Any = None,
    **arguments: Any,
) -> Call:
    """Return a call with arguments by name."""
    return Call(event, state, error, does, returned, arguments)


@cache
def machine_at(name: str, release: str) -> sm.Machine:
    """Return a machine of the catalogue in a release."""
    return shipped(name).at(release)


def begin(row: Row, release: str) -> Snapshot:
    """Return the snapshot that a scenario is given."""
    machine = machine_at(row.machine, release)
    fixed = {one.name: row.parameters[one.name] for one in machine.value.data.parameters}
    made = machine.starts(**fixed)[0]
    return sm.Snapshot(
        row.state or made.state, FrozenMap({**made.variables, **row.variables}), made.parameters
    )


def filled(machine: sm.Machine, each: Call) -> dict[str, Any]:
    """Return a call's arguments as the release takes them: what the row does not say goes well."""
    signature = next(one.signature for one in machine.value.events if one.name == each.event)
    taken: tuple[Argument, ...] = signature.arguments if signature else ()
    return {
        one.name: each.arguments[one.name] if one.name in each.arguments else WELL[str(one.type)]
        for one in taken
    }


def play(row: Row, release: str) -> None:
    """Step through a scenario and compare what comes of each call.

    Raises:
        AssertionError: it comes out otherwise than Kafka's unit test says.
    """
    machine, now = machine_at(row.machine, release), begin(row, release)
    for each in row.calls:
        answer = sm.step(machine, now, each.event, **filled(machine, each))
        now = answer.after
        _compare(each, answer)


def _compare(each: Call, answer: Answer) -> None:
    assert answer.error == each.error, each
    assert each.state in (None, answer.after.state), each
    assert each.does in ("", type(answer).__name__), each
    if isinstance(each.returned, Mapping):
        assert {name: answer.returned[name] for name in each.returned} == each.returned, each
    elif each.returned is not None:
        assert answer.returned == each.returned, each
    assert {name: answer.after.variables[name] for name in each.variables} == each.variables, each


def runs(rows: Iterable[Row]) -> list[Any]:
    """Return every row with each of its releases, for `parametrize`."""
    return [
        pytest.param(row, release, id=f"{row.test}-{number}-{release}")
        for number, row in enumerate(rows)
        for release in row.releases
    ]
