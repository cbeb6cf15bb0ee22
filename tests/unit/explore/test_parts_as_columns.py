"""A machine alone and the same machine as a part of a system are rows of the same columns.

Covers: statemachines.explore.models.part_blocks, statemachines.explore.models.linked_steps,
statemachines.explore.arrays.part_rows, statemachines.semantics.evaluation.constant_folding,
statemachines.semantics.messages.python_literals.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from statemachines.explore.exploration import build_model, explore
from statemachines.explore.models.part_blocks import PartEvent
from statemachines.explore.options import ExplorationOptions
from statemachines.explore.results.property_results import Exploration
from statemachines.explore.scopes import ExplorationScope
from statemachines.model.definitions.system_definitions import SystemDefinition
from statemachines.notation import load_spec, load_system, machine_of, system_of

COUNTER = """
notation: 1
machine: Counter
types: {Slot: 0..2}
variables:
  filled: {type: "map[Slot, bool]", initial: "{s: False for s in Slot}"}
  many: {type: 0..3, initial: 0}
events:
  put:
    args: {s: Slot}
    guard: "not filled[s] and many < 3"
    effect: {filled: "filled | {s: True}", many: many + 1}
  take:
    args: {s: Slot}
    guard: "filled[s] and many > 0"
    effect: {filled: "filled | {s: False}", many: many - 1}
  clear: {guard: many == 3, effect: {filled: "{s: False for s in Slot}", many: "0"}}
"""
BELL = """
notation: 1
machine: Bell
states: {QUIET: {initial: true}, RINGING: }
transitions:
  - {from: QUIET, to: RINGING, event: ring}
  - {from: RINGING, to: QUIET, event: calm}
"""
ALONE = """
notation: 1
system: Alone
parts: {counter: {machine: Counter}}
"""
BESIDE = """
notation: 1
system: Beside
parts: {counter: {machine: Counter}, bell: {machine: Bell}}
links:
  - {on: counter, event: clear, only if: bell.state == 'QUIET'}
  - {on: counter, event: clear, send: bell.ring}
always:
  counted: "counter.many == len({s for s in counter.filled if counter.filled[s]})"
"""
COMMIT = """
notation: 1
system: Commit
types: {RM: id}
parameters: {managers: "set[RM]"}
parts: {commit: {machine: examples/TwoPhaseCommit, with: {managers: managers}}}
scope: {RM: 3, managers: RM}
"""
ENGINES = ["rows", "arrays"]


def written(folder: Path, system: str) -> SystemDefinition:
    """Return a system whose machines lie beside it."""
    (folder / "Counter.yaml").write_text(COUNTER.lstrip())
    (folder / "Bell.yaml").write_text(BELL.lstrip())
    path = folder / "System.yaml"
    path.write_text(system.lstrip())
    return system_of(load_system(path))


def counts(explored: Exploration) -> tuple[int, int, int, int]:
    """Return how much there is."""
    return explored.states, explored.transitions, explored.disabled, explored.depth


@pytest.mark.parametrize("engine", ENGINES)
def test_the_only_part_of_a_system_has_the_states_of_its_machine(
    tmp_path: Path, engine: str
) -> None:
    """Columns, a map's keys among them, tables and packing are the same."""
    how = ExplorationOptions(engine=engine)
    system = explore(written(tmp_path, ALONE), how=how)
    machine = explore(machine_of(load_spec(tmp_path / "Counter.yaml")), how=how)
    assert counts(system) == counts(machine) == (8, 25, 31, 3)


@pytest.mark.parametrize("managers", [2, 3])
@pytest.mark.parametrize("engine", ENGINES)
def test_a_protocol_is_the_same_as_a_machine_and_as_a_part(
    tmp_path: Path, engine: str, managers: int
) -> None:
    """Parameters of a part are columns too."""
    how, scope = ExplorationOptions(engine=engine), ExplorationScope({"RM": managers})
    system = explore(written(tmp_path, COMMIT), scope, how)
    assert counts(system) == counts(
        explore(machine_of(load_spec("examples/TwoPhaseCommit")), scope, how)
    )


def test_only_what_links_speak_of_is_asked_with_the_whole_system(tmp_path: Path) -> None:
    """All else is asked of the part alone, once for what it looks at."""
    model = build_model(written(tmp_path, BESIDE), ExplorationScope())
    alone = {event.name for event in model.events if isinstance(event, PartEvent)}
    assert alone == {"put", "take", "ring", "calm"}
    assert model.linked is not None
    explore_all(model.definition)


def explore_all(definition: object) -> None:
    """Explore by both engines, which find the same."""
    assert isinstance(definition, SystemDefinition)
    rows, arrays = (explore(definition, how=ExplorationOptions(engine=one)) for one in ENGINES)
    assert rows == arrays
    assert (rows.states, rows.verdict.name) == (16, "HOLDS")
