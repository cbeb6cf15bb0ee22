"""Edges that are made on arrays come in the order of a row's steps: so a run that breaks a promise
is the one that a search row by row shows.

Covers: statemachines.explore.verdicts.searched_graphs, statemachines.explore.arrays.part_rows,
statemachines.explore.arrays.expansions, statemachines.explore.visited.coded_rows.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from statemachines.explore.exploration import build_model
from statemachines.explore.model_exploration import explore_model
from statemachines.explore.models.model_protocol import Model
from statemachines.explore.options import ExplorationOptions
from statemachines.explore.resources.limits import NO_LIMITS, Budget
from statemachines.explore.scopes import ExplorationScope
from statemachines.explore.verdicts.edge_arrays import EdgeArrays
from statemachines.explore.verdicts.searched_graphs import FairSteps, searched_rows
from statemachines.model.definitions.data_definitions import fairness_groups
from statemachines.notation import load_spec, load_system, machine_of, system_of

SHELF = """
notation: 1
machine: Shelf
types: {Slot: 0..2, Colour: [RED, BLUE]}
variables:
  held: {type: "map[Slot, Colour?]", initial: "{s: None for s in Slot}"}
  last: {type: Slot, initial: 0}
events:
  paint:
    args: {c: Colour, s: Slot}
    guard: held[s] != c
    cases:
      - {when: "c == 'RED' and s == last", effect: {held: "held | {s: c}"}}
      - {effect: {held: "held | {s: c}", last: s}}
  clear: {args: {s: Slot}, guard: "held[s] is not None", effect: {held: "held | {s: None}"}}
  turn: {effect: {last: (last + 1) % 3}}
  leave:
    args: {n: 0..3}
    cases: [{when: n == 1, effect: {last: n}}, {effect: {last: "n % 3 if held[0] is None else 0"}}]
leads to:
  cleared:
    when: held[1] == 'RED'
    then: held[1] is None
    assuming: [turn, {paint: each s}, {leave: each n}]
"""
LIGHT = """
notation: 1
machine: Light
states: {DARK: {initial: true}, LIT: , BROKEN: }
transitions:
  - {from: DARK, to: LIT, event: switch}
  - {from: LIT, to: DARK, event: switch}
  - {from: [DARK, LIT], to: BROKEN, event: drop}
  - {from: BROKEN, to: DARK, event: mend}
"""
ROOM = """
notation: 1
system: Room
parts: {shelf: {machine: Shelf}, light: {machine: Light}}
links:
  - {on: light, event: switch, only if: shelf.last == 0}
  - {on: shelf, event: clear, only if: light.state == 'LIT'}
leads to:
  lit: {when: light.state == 'DARK', then: light.state == 'LIT', assuming: [light.switch]}
"""


def _model(folder: Path, text: str) -> Model:
    for name, part in (("Shelf", SHELF), ("Light", LIGHT), ("Room", ROOM)):
        (folder / f"{name}.yaml").write_text(part, encoding="utf-8")
    file = folder / f"{text}.yaml"
    if text == "Room":
        return build_model(system_of(load_system(file)), ExplorationScope())
    return build_model(machine_of(load_spec(file)), ExplorationScope())


@pytest.mark.parametrize("name", ["Shelf", "Room"])
def test_edges_on_arrays_are_the_steps_of_each_row_in_their_order(
    tmp_path: Path, name: str
) -> None:
    """An argument before a key, several cases, fairness for each value, linked and free events."""
    model = _model(tmp_path, name)
    _, search = explore_model(model, ExplorationOptions(engine="arrays"))
    groups = fairness_groups(model.data.properties[0].assuming)
    by_row, count = FairSteps(model, groups, until_raised=False), 0
    searched = searched_rows(search, by_row, Budget(NO_LIMITS, []))
    assert isinstance(searched.edges, EdgeArrays)
    for index in range(len(searched.rows)):
        row, steps = searched.rows.row(index), by_row.steps(searched.rows.row(index))
        targets = searched.rows.indices(after for _, after, _ in steps)
        led = dict.fromkeys((target, fair) for _, target, fair in searched.edges.steps([index]))
        assert list(led) == list(zip(targets, (fair for *_, fair in steps), strict=True)), row
        count += len(led)
    assert count > 100
