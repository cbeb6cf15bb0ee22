"""Conditions over many rows at once: by pieces, and by trees where keys have more bits than a number, they say what one row says.

Covers: statemachines.explore.arrays.condition_tables,
statemachines.explore.refinements.step_arrays.
"""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings

from statemachines.explore.arrays import condition_tables
from statemachines.explore.arrays.condition_tables import claim_table
from statemachines.explore.arrays.packing import Packing
from statemachines.explore.exploration import explore
from statemachines.explore.models.machine_model import build_machine_model
from statemachines.explore.options import ExplorationOptions
from statemachines.explore.refinements import step_arrays
from statemachines.explore.scopes import DEFAULT_SCOPE
from statemachines.model.arrays import load_numpy
from statemachines.model.definitions.machine_definitions import MachineDefinition
from statemachines.model.evidence.verdicts import Verdict
from tests.data_machines import example, machine
from tests.effort import some_of
from tests.exploring import machines

pytest.importorskip("numpy")
FEW = settings(
    max_examples=some_of(40),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
PIECES = """
variables: {x: "0..3 = 0", y: "0..3 = 0"}
events:
  up: {guard: x < 3, effect: {x: x + 1}}
  more: {guard: y < 3, effect: {y: y + 1}}
always:
  safe: implies(x > 0, 6 // x >= 2) and (y == 0 or 6 // y >= 2) and not (x == 4)
  chosen: "(6 // x >= 2) if x > 0 else y <= 3"
  near: x - y <= 2
no deadlock: false
"""


def both(found: MachineDefinition) -> Verdict:
    """Return the verdict by rows, which is the one on arrays."""
    by_rows = explore(found, how=ExplorationOptions(engine="rows"))
    assert explore(found, how=ExplorationOptions(engine="arrays")) == by_rows
    return by_rows.verdict


@pytest.fixture
def narrow_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take all conditions apart, and give keys next to no bits."""
    monkeypatch.setattr(condition_tables, "MOST_DENSE_BITS", -1)
    monkeypatch.setattr(condition_tables, "_MOST_KEY_BITS", 1)
    monkeypatch.setattr(step_arrays, "_MOST_ROW_BITS", 2)


@given(found=machines())
@settings(
    FEW, suppress_health_check=[*FEW.suppress_health_check, HealthCheck.function_scoped_fixture]
)
def test_pieces_and_narrow_keys_find_what_rows_find(
    narrow_keys: None, found: MachineDefinition
) -> None:
    """Counts, verdicts and traces."""
    both(found)


def test_what_a_condition_protects_is_looked_at_behind_it_only(narrow_keys: None) -> None:
    """A division is asked of no row in which the condition before it does not hold."""
    assert both(machine(PIECES)) is Verdict.VIOLATED


def test_a_refinement_with_narrow_keys_is_the_same(narrow_keys: None) -> None:
    """Each step of the abstract machine is told apart from the others, legal or not."""
    assert both(example("TwoPhaseCommit")) is Verdict.HOLDS
    broken = example("TwoPhaseCommit", ("guard: told == managers", "guard: told <= managers"))
    assert both(broken) is Verdict.VIOLATED


def test_only_what_looks_at_fewer_columns_is_taken_apart(narrow_keys: None) -> None:
    """`safe` has pieces of one column each; `near` is one comparison of both."""
    model = build_machine_model(machine(PIECES), DEFAULT_SCOPE, 1)
    packing, names = Packing((0, 10, 10)), {}
    for one in model.data.properties:
        assert one.holds is not None
        table = claim_table(load_numpy(), packing, model.conditions(one.holds)[0].claim)
        names[one.name] = type(table).__name__
    assert names == {"safe": "_ChoiceTable", "chosen": "_ChoiceTable", "near": "TreeAnswers"}


def test_a_condition_is_never_taken_for_one_that_is_no_more() -> None:
    """What stands in memory where another one stood is no sign of being the same: each promise has conditions of its own, and they go when it is decided."""
    promises = "".join(
        f'  p{number}: {{when: "{number % 2 == 0}", then: x > 3}}\n' for number in range(20)
    )
    spec = PIECES[: PIECES.index("always:")] + f"leads to:\n{promises}no deadlock: false\n"
    by_arrays = explore(machine(spec), how=ExplorationOptions(engine="arrays"))
    verdicts = [one.verdict for one in by_arrays.examined if one.name.startswith("leads to")]
    assert verdicts == [Verdict.VIOLATED, Verdict.HOLDS] * 10
