"""What variables alone come to is worked out once for what they hold, and rows and arrays find the same.

Covers: statemachines.explore.arrays.cell_tables, statemachines.explore.arrays.event_expansion,
statemachines.explore.arrays.packing, statemachines.explore.models.event_memos.
"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from statemachines.explore.arrays.event_decisions import EventDecisions, build_decisions
from statemachines.explore.arrays.packing import roomy_packing
from statemachines.explore.exploration import explore
from statemachines.explore.models.derived_columns import (
    MISSING_VALUE,
    DerivedColumns,
)
from statemachines.explore.models.event_memos import partial_snapshot
from statemachines.explore.models.machine_model import build_machine_model
from statemachines.explore.options import ExplorationOptions
from statemachines.explore.scopes import DEFAULT_SCOPE
from statemachines.model.definitions.machine_definitions import MachineDefinition
from statemachines.model.language.frozen_values import FrozenMap
from tests.data_machines import machine
from tests.effort import some_of

BOARD = """
types: {Square: 0..4, Tile: 0..4}
variables: {board: "map[Square, Tile] = {0: 0, 1: 1, 2: 2, 3: 3, 4: 4}", moved: 0..1 = 0}
define:
  gap: "max((s for s in Square if board[s] == 0), default=0)"
  twice: gap + gap
events:
  slide: {args: {from_: Square}, guard: "from_ - gap in [1, -1]", effect: {board: "board | {gap: board[from_], from_: 0}", moved: "1"}}
  look: {args: {at: Square}, let: {here: twice - gap}, guard: "here == at", effect: {moved: "0 if gap == at else moved"}}
"""
"""Five tiles in a row."""

LINE = """
variables: {line: "list[0..2] = []", held: "set[0..2] = set()"}
scope: {list: 2}
events:
  come: {args: {x: 0..2}, guard: len(line) < 2, effect: {line: "line + [x]"}}
  serve: {args: {k: 0..2}, guard: "len(line) > 0 and k in {line[0] - i for i in range(2)}", effect: {line: "line[1:]", held: "held | {k}"}}
  leave: {args: {k: 0..2}, guard: k in held, effect: {held: "held - {k}"}}
"""
"""`line[0]` is safe behind the guard alone."""


def pieces(of: MachineDefinition, event: str) -> tuple[EventDecisions, DerivedColumns]:
    """An event in pieces, and the aspects of the machine that it has."""
    model = build_machine_model(of, DEFAULT_SCOPE)
    packing = roomy_packing(model)
    assert packing is not None
    rule = next(rule for rule in model.memos if rule.event == event)
    (decisions,) = build_decisions([rule], packing, model.extent)
    return decisions, decisions.derived


def same(of: MachineDefinition) -> None:
    """States, transitions, what was turned down, traces: the same by rows and on arrays."""
    rows, arrays = (
        explore(of, how=ExplorationOptions(engine=engine)) for engine in ("rows", "arrays")
    )
    assert rows == arrays


@pytest.mark.parametrize("event", ["slide", "look"])
def test_a_definition_of_the_variables_alone_decides_instead_of_them(event: str) -> None:
    """Which tiles may slide is asked for five gaps, not for each of 120 boards; a `let` may hide it."""
    decisions, aspects = pieces(machine(BOARD), event)
    (board,) = decisions.memo.places.variable("board")
    assert board not in decisions.reads
    assert {
        aspects.at_index(column).reads
        for column in decisions.reads
        if column >= aspects.first_index
    } == {(board,)}


def test_values_of_an_aspect_are_numbered_as_they_are_met() -> None:
    """Boards with the gap on one square have one number."""
    decisions, aspects = pieces(machine(BOARD), "slide")
    aspect, rule = aspects.derived[0], decisions.memo
    (column,) = rule.places.variable("board")
    boards = [{0: 1, 1: 0, 2: 2, 3: 3, 4: 4}, {0: 2, 1: 0, 2: 1, 3: 3, 4: 4}]
    numbers = [rule.columns[column].value_id(FrozenMap(board)) for board in boards]
    said = [
        aspect.value_id(partial_snapshot(rule.tables, rule.columns, {0: 0, column: number}))
        for number in (0, *numbers)
    ]
    assert said == [0, 1, 1]
    assert aspect.values == [0, 1]


def test_an_aspect_that_only_a_guard_makes_safe_has_no_value_without_it() -> None:
    """With an empty list `line[0]` is not there: nothing asks for it, and the search goes on."""
    decisions, aspects = pieces(machine(LINE), "serve")
    (aspect,) = aspects.derived
    aspect.value_id(
        partial_snapshot(
            decisions.memo.tables,
            decisions.memo.columns,
            {0: 0, decisions.memo.places.variable("line")[0]: 0},
        )
    )
    assert aspect.values == [MISSING_VALUE]


@pytest.mark.parametrize("body", [BOARD, LINE])
def test_rows_and_aspects_find_the_same(body: str) -> None:
    """Traces of what is broken included."""
    pytest.importorskip("numpy")
    same(machine(body))


def test_an_effect_of_the_variables_alone_needs_no_aspect() -> None:
    """It is looked up by what it looks at; another table before it would gain nothing."""
    clear = machine(
        BOARD
        + "  clear: {guard: moved == 1, effect: {board: '{s: s for s in Square}', moved: gap // 4}}\n"
    )
    assert not pieces(clear, "clear")[1].derived
    same(clear)


def test_an_aspect_may_be_asked_before_its_first_event_has_arguments() -> None:
    """Two events share it; the one that made its table has none to draw while the list is empty."""
    pytest.importorskip("numpy")
    same(
        machine(
            LINE
            + "  drop: {args: {k: set(held)}, guard: 'k in {i for i in line}', effect: {line: '[]'}}\n"
        )
    )
    shared = (
        "{args: {k: %s}, guard: 'k >= sum(i for i in line)', effect: {line: '(line + [k])[:2]'}}"
    )
    same(machine(f"{LINE}  first: {shared % 'set(held)'}\n  then: {shared % '0..2'}\n"))


CONDITIONS = st.sampled_from(
    [
        "True",
        "total < 5",
        "k in line",
        "mark[k] == least",
        "not crowded or k == least",
        "line != [] and k in {line[0] % (1 + i) for i in range(2)}",
        "sum(mark[j] for j in K) < 4 and mark[k] < 2",
        "all(mark[j] >= mark[k] for j in K if j != k)",
        "len({mark[j] for j in K}) == k",
    ]
)
EFFECTS = st.sampled_from(
    [
        "mark: 'mark | {k: min(2, mark[k] + 1)}'",
        "mark: 'mark | {least: k}'",
        "mark: '{j: mark[j] if j == k or crowded else 0 for j in K}'",
        "line: '(line + [k])[:2]'",
        "line: '[j for j in line if j != least]'",
        "line: 'line[1:]', mark: 'mark | {k: total % 3}'",
    ]
)
EVENT = st.tuples(
    st.sampled_from(["K", "set(line)", "{least}"]), CONDITIONS, CONDITIONS, EFFECTS, EFFECTS
)
HEAD = """
types: {K: 0..2}
variables: {mark: "map[K, 0..2] = {j: 0 for j in K}", line: "list[K] = []"}
scope: {list: 2}
define:
  total: "sum(mark[j] for j in K)"
  least: "min((j for j in K if all(mark[i] >= mark[j] for i in K)), default=0)"
  crowded: "len(line) > 1 and any(j == line[0] for j in K)"
events:
"""


@settings(max_examples=some_of(60), deadline=None)
@given(st.lists(EVENT, min_size=1, max_size=3))
def test_random_events_over_definitions_are_the_same_by_rows_and_on_arrays(
    events: list[tuple[str, str, str, str, str]],
) -> None:
    """Definitions and comprehensions in guards, cases, effects, and beside the arguments' types."""
    pytest.importorskip("numpy")
    body = HEAD
    for number, (of, guard, when, first, other) in enumerate(events):
        cases = f'[{{when: "{when}", effect: {{{first}}}}}, {{effect: {{{other}}}}}]'
        body += f'  e{number}: {{args: {{k: "{of}"}}, guard: "{guard}", cases: {cases}}}\n'
    same(
        machine(
            body + 'always: {few: "total < 6", apart: "implies(crowded, line[0] != line[1])"}\n'
        )
    )
