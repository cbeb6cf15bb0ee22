"""Puzzles and protocols from books, with the numbers of states and steps that others have published for them.

Covers: statemachines.explore.models.machine_model,
statemachines.explore.verdicts.property_verdicts.
"""

from __future__ import annotations

import pytest

from statemachines.explore.exploration import explore
from statemachines.explore.options import ExplorationOptions
from statemachines.explore.results.property_results import Exploration
from statemachines.report.exploration.scope_texts import scope_from_texts
from tests.shipped import shipped_machine


def explored(name: str, scope: str = "", *, symmetry: bool = False) -> Exploration:
    """Explore an example."""
    machine = shipped_machine(f"examples/{name}")
    return explore(
        machine, scope_from_texts(machine, [scope]), ExplorationOptions(symmetry=symmetry)
    )


@pytest.mark.parametrize(
    ("name", "scope", "states"),
    [
        ("TwoPhaseCommit", "RM=3", 288),
        ("TwoPhaseCommit", "RM=5", 8832),
        ("TransactionCommit", "RM=3", 34),
        ("WaterJugs", "", 16),
        ("CoffeeCan", "most=100", 5150),
        ("RiverCrossing", "", 10),
        ("MissionariesAndCannibals", "", 16),
        ("TowersOfHanoi", "", 3**4),
        ("TowersOfHanoi", "discs={0, 1, 2, 3, 4, 5, 6}", 3**7),
        ("Queens", "size=4", 17),
        ("Queens", "size=6", 153),
        ("Queens", "size=8", 2057),
    ],
)
def test_there_are_as_many_states_as_published(name: str, scope: str, states: int) -> None:
    """A count that others found with other tools, or by thinking."""
    assert explored(name, scope).states == states


@pytest.mark.parametrize(
    ("name", "transitions"), [("WaterJugs", 96), ("TransactionCommit", 93), ("RiverCrossing", 20)]
)
def test_there_are_as_many_transitions_as_published(name: str, transitions: int) -> None:
    """TLC generates 97 and 94 states: the one that begins, and one a transition."""
    assert explored(name).transitions == transitions


@pytest.mark.parametrize(
    ("name", "goal", "steps"),
    [
        ("WaterJugs", "fourLitres", 6),
        ("RiverCrossing", "allAreOver", 7),
        ("MissionariesAndCannibals", "allAreOver", 11),
        ("TowersOfHanoi", "allAreOver", 2**4 - 1),
        ("Queens", "solved", 6),
    ],
)
def test_a_puzzle_is_solved_in_as_few_steps_as_published(name: str, goal: str, steps: int) -> None:
    """The witness of `sometimes` is a shortest one."""
    trace = {one.name: one.trace for one in explored(name).examined}[f"sometimes {goal}"]
    assert trace is not None
    assert len(trace.steps) == steps


@pytest.mark.parametrize(("scope", "orbits"), [("RM=3", 80), ("RM=5", 314)])
def test_orbits_of_two_phase_commit(scope: str, orbits: int) -> None:
    """Resource managers are interchangeable: states that differ in which is which are one."""
    assert explored("TwoPhaseCommit", scope, symmetry=True).states == orbits


@pytest.mark.parametrize(("size", "solutions"), [(4, 2), (5, 10), (6, 4)])
def test_queens_have_as_many_solutions_as_published(size: int, solutions: int) -> None:
    """Every solution is a state: counted by claiming that there is none, one at a time, would take long; rows tell."""
    from statemachines.explore.model_exploration import explore_model
    from statemachines.explore.models.machine_model import build_machine_model
    from statemachines.explore.scopes import ExplorationScope

    model = build_machine_model(
        shipped_machine("examples/Queens"), ExplorationScope(parameters={"size": size})
    )
    _, seen = explore_model(model, ExplorationOptions(engine="rows"))
    found = [
        one
        for one in (model.whole_snapshot(row)[0].variables["queens"] for row in seen.rows)
        if len(one) == size
    ]
    assert len(found) == solutions
