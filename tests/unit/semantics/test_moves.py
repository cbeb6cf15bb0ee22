"""Moves: of a machine that has a table, the table; what is called may do more, or stay.

Covers: statemachines.semantics.messages.refusal_reasons.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from statemachines.model.definitions.snapshots import Advanced, Ignored, Raised, Snapshot
from statemachines.notation import load_spec, machine_of
from statemachines.semantics.machine.initial_snapshots import initial_snapshot
from statemachines.semantics.machine.machine_tables import machine_tables
from statemachines.semantics.machine.step import step
from statemachines.semantics.messages.argument_errors import ArgumentsError
from tests.data_machines import machine

DOOR = machine("""
variables: {worn: bool = False}
states: {OPEN: {initial: true}, SHUT: , LOCKED: }
events:
  slam: {effect: {worn: "True"}, guard: "state != 'LOCKED'"}
transitions:
  - {from: OPEN, to: SHUT}
  - {from: SHUT, to: [OPEN, LOCKED]}
  - {event: bolt, from: OPEN, to: LOCKED, guard: not worn}
  - {event: look, from: [OPEN, SHUT]}
  - {event: breakIn, from: LOCKED, to: OPEN}
otherwise:
  - {event: look, does: ignore}
""")


def test_what_is_called_makes_no_move_of_what_the_table_forbids() -> None:
    """A log that says OPEN to LOCKED, or OPEN to OPEN, shows something forbidden, though a method does the one and the other."""
    allowed = {
        (one, other)
        for one in machine_tables(DOOR).states
        for other in machine_tables(DOOR).states
        if machine_tables(DOOR).allows(one, other)
    }
    assert allowed == {("OPEN", "SHUT"), ("SHUT", "OPEN"), ("SHUT", "LOCKED"), ("LOCKED", "OPEN")}
    assert {arrow.event for arrow in DOOR.moves} == {"to_SHUT", "to_OPEN", "to_LOCKED", "breakIn"}


def test_step_takes_what_is_called_all_the_same() -> None:
    """Two moves in one call, or none."""
    begun = initial_snapshot(DOOR)
    assert step(DOOR, begun, "bolt").after.state == "LOCKED"
    slammed = step(DOOR, begun, "slam")
    assert isinstance(slammed, Advanced)
    assert (slammed.after.state, slammed.after.variables["worn"]) == ("OPEN", True)
    assert not isinstance(step(DOOR, slammed.after, "bolt"), Advanced)


def test_a_state_alone_may_be_asked_for_what_needs_no_values() -> None:
    """Whoever has a log has states and no variables."""
    assert step(DOOR, Snapshot("SHUT"), "to_LOCKED").after.state == "LOCKED"
    assert isinstance(step(DOOR, Snapshot("LOCKED"), "look"), Ignored)
    assert not isinstance(step(DOOR, Snapshot("OPEN"), "to_LOCKED"), (Advanced, Raised))
    with pytest.raises(ArgumentsError, match="worn"):
        step(DOOR, Snapshot("OPEN"), "bolt")


def test_an_expression_asks_the_table_as_everybody_does(tmp_path: Path) -> None:
    """`Door.allows(a, b)` of another machine: a call that stays, or takes two moves, makes no move there either."""
    (tmp_path / "yard").mkdir()
    (tmp_path / "yard" / "Door.yaml").write_text(
        "notation: 1\nmachine: Door\nstates: {OPEN: {initial: true}, SHUT: , LOCKED: }\n"
        "transitions:\n  - {from: OPEN, to: SHUT}\n  - {from: SHUT, to: LOCKED}\n"
        "  - {event: look, from: [OPEN, SHUT], guard: 'True'}\n  - {event: bolt, from: OPEN, to: LOCKED, guard: 'True'}\n"
    )
    (tmp_path / "yard" / "Guard.yaml").write_text(
        "notation: 1\nmachine: Guard\nuse: [yard/Door]\nvariables: {asked: int = 0}\n"
        "events:\n  ask: {args: {a: Door.State, b: Door.State}, guard: 'Door.allows(a, b)', effect: {asked: '1'}}\n"
    )
    guard, door = (
        machine_of(load_spec(f"yard/{name}", folder=tmp_path)) for name in ("Guard", "Door")
    )
    states = ("OPEN", "SHUT", "LOCKED")
    told = {
        (a, b): isinstance(step(guard, initial_snapshot(guard), "ask", a=a, b=b), Advanced)
        for a in states
        for b in states
    }
    assert told == {(a, b): machine_tables(door).allows(a, b) for a in states for b in states}
    assert [pair for pair, allowed in told.items() if allowed] == [
        ("OPEN", "SHUT"),
        ("SHUT", "LOCKED"),
    ]
