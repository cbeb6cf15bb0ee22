"""Moves: of a machine that has a table, the table; what is called may do more, or stay."""

from __future__ import annotations

import pytest

from statemachines.model.snapshots import Advanced, Ignored, Raised, Snapshot
from statemachines.semantics.mistakes import ArgumentsError
from statemachines.semantics.starts import start
from statemachines.semantics.step import step
from statemachines.semantics.tables import tables_of
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
    allowed = {(one, other) for one in tables_of(DOOR).states for other in tables_of(DOOR).states if tables_of(DOOR).allows(one, other)}
    assert allowed == {("OPEN", "SHUT"), ("SHUT", "OPEN"), ("SHUT", "LOCKED"), ("LOCKED", "OPEN")}
    assert {arrow.event for arrow in DOOR.moves} == {"to_SHUT", "to_OPEN", "to_LOCKED", "breakIn"}


def test_step_takes_what_is_called_all_the_same() -> None:
    """Two moves in one call, or none."""
    begun = start(DOOR)
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
