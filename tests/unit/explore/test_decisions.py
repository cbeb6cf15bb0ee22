"""Events asked in pieces: arguments that come to the same are one step with a weight, and nothing is looked at that a guard forbids.

Covers: statemachines.explore.arrays.event_decisions, statemachines.explore.arrays.retracing,
statemachines.explore.arrays.splitting, statemachines.explore.properties.row_conditions.
"""

from __future__ import annotations

import pytest

from statemachines.explore.arrays.event_decisions import build_decisions
from statemachines.explore.arrays.packing import roomy_packing
from statemachines.explore.exploration import explore
from statemachines.explore.models.machine_model import build_machine_model
from statemachines.explore.options import ExplorationOptions
from statemachines.explore.scopes import DEFAULT_SCOPE
from statemachines.model.definitions.machine_definitions import MachineDefinition
from tests.data_machines import machine

DESK = machine("""
types: {Job: id, Mood: [good, bad, ugly]}
errors: {Broken: It broke.}
variables: {held: "map[Job, 0..3] = {}", total: "0..3 = 0", failed: "set[Job] = set()"}
scope: {Job: 3}
events:
  take: {args: {job: Job, worth: 0..3}, guard: job not in held, effect: {held: "held | {job: worth}"}}
  read: {args: {job: Job}, where: len(held) <= 9, guard: job in held, effect: {total: "held[job]"}}
  work:
    args: {moods: "map[Job, Mood]"}
    where: len(held) <= 9
    let: {broken: "{j for j in held.keys() if moods.get(j, 'good') == 'bad'}"}
    effect: {failed: "failed | broken", held: "{j: n for j, n in held.items() if j not in broken}"}
    cases:
      - {when: "any(m == 'ugly' for j, m in moods.items() if j in held)", raises: Broken}
      - {returns: len(broken)}
always:
  few: len(failed) < 3
each step:
  grows: "before.failed <= failed"
""")


def pieces(of: MachineDefinition, event: str) -> dict[tuple[object, ...], int]:
    """The atoms of an event in the first row, and how many arguments have them."""
    model = build_machine_model(of, DEFAULT_SCOPE)
    packing = roomy_packing(model)
    assert packing is not None
    rule = next(rule for rule in model.memos if rule.event == event)
    (decisions,) = build_decisions([rule], packing, model.extent)
    return decisions.argument_classes(
        tuple(model.initial_rows[0][column] for column in decisions.argument_columns)
    )


def test_arguments_that_come_to_the_same_are_counted_together() -> None:
    """Of 64 maps of moods nothing depends on while no job is held: all of them are one step with a weight."""
    found = pieces(DESK, "work")
    assert list(found.values()) == [64]


def test_a_look_up_that_a_guard_makes_safe_is_not_made_without_it() -> None:
    """`held[job]` has no value while the job is not held; asking for it all the same must not end the search."""
    assert sum(pieces(DESK, "read").values()) == 3


def test_rows_and_pieces_find_the_same() -> None:
    """States, transitions with their weights, traces."""
    pytest.importorskip("numpy")
    rows, arrays = (
        explore(DESK, how=ExplorationOptions(engine=engine)) for engine in ("rows", "arrays")
    )
    assert rows == arrays
    assert rows.transitions > 50 * rows.states
