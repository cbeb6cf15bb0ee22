"""Models of the literature have as many states and steps, and as short runs, as others published.

Covers: statemachines.explore.options.
"""

from __future__ import annotations

import itertools
import re

import pytest

from statemachines.explore.model_exploration import explore_model
from statemachines.explore.models.machine_model import build_machine_model
from statemachines.explore.models.model_protocol import Model
from statemachines.explore.options import ExplorationOptions
from statemachines.explore.scopes import ExplorationScope
from statemachines.model.definitions.snapshots import Snapshot, Value
from statemachines.model.language.frozen_values import FrozenMap
from statemachines.model.language.value_types import IdType
from statemachines.notation import machine_of, read_spec
from tests.published.counts import MODELS, PAGE, differences, explored, page
from tests.published.known import COUNTS, Count

FAST = [one for one in COUNTS if not one.slow]


@pytest.mark.parametrize(
    "count",
    [pytest.param(one, marks=[pytest.mark.long] if one.slow else []) for one in COUNTS],
    ids=lambda one: f"{one.model} {one.scope}".strip(),
)
def test_a_model_has_the_counts_that_were_published(count: Count) -> None:
    """States, what TLC generates, shortest runs; and every promise of the model holds, or fails where that is known."""
    assert list(differences(count, explored(count))) == []


PROMISING = [
    one
    for one in FAST
    if one.states < 3000
    and not one.shipped
    and "assuming" in (MODELS / f"{one.model}.yaml").read_text("utf-8")
]


@pytest.mark.parametrize("count", PROMISING, ids=lambda one: f"{one.model} {one.scope}".strip())
def test_what_is_promised_is_the_same_on_arrays(count: Count) -> None:
    """There it is told of many rows at once; what is fair for each argument is told by classes of them."""
    by_rows, by_arrays = (
        explored(count, engine=engine).value.examined for engine in ("rows", "arrays")
    )
    assert [(one.name, one.verdict, one.said, one.trace) for one in by_arrays] == [
        (one.name, one.verdict, one.said, one.trace) for one in by_rows
    ]


def test_a_wrong_count_is_told() -> None:
    """A comparison that never fails compares nothing."""
    jugs = Count(
        "WaterJugs", 17, "nobody", shipped=True, generated=98, deepest=1, goal="fourLitres", steps=5
    )
    assert len(list(differences(jugs, explored(jugs)))) == 4


def test_the_page_shows_the_table() -> None:
    """`python -m tests.published.counts` writes it."""
    text = PAGE.read_text("utf-8")
    assert page(text) == text


def test_every_model_is_counted() -> None:
    """A file that no count names, nor a system as its part, would never be explored."""
    texts = {path.stem: path.read_text("utf-8") for path in MODELS.glob("*.yaml")}
    systems = [text for text in texts.values() if "\nsystem: " in text]
    parts = {name for text in systems for name in re.findall(r"\bmachine: (\w+)", text)}
    assert texts.keys() - parts == {one.model for one in COUNTS if not one.shipped}


ORBITS = [one for one in FAST if one.orbits is not None]


@pytest.mark.parametrize("count", ORBITS, ids=lambda one: f"{one.model} {one.scope}".strip())
def test_there_are_as_many_orbits_as_said(count: Count) -> None:
    """States that differ in which is which are one."""
    assert explored(count, symmetry=True).value.states == count.orbits


@pytest.mark.parametrize(
    "name", [one.model for one in ORBITS if one.states < 500 and not one.shipped]
)
def test_orbits_are_those_of_all_renamings(name: str) -> None:
    """Every state is renamed in every way; no cleverness is shared with the search."""
    model = build_machine_model(
        machine_of(read_spec(str(MODELS / f"{name}.yaml")).valid_spec(), None), ExplorationScope()
    )
    _, seen = explore_model(model, ExplorationOptions(engine="rows"))
    left = {_plain(model.whole_snapshot(row)[0]) for row in seen.rows}
    renamings, orbits = list(_renamings(model)), 0
    while left:
        state, orbits = left.pop(), orbits + 1
        left -= {(state[0], *(_renamed(part, by) for part in state[1:])) for by in renamings}
    assert explored(Count(name, 0, ""), symmetry=True).value.states == orbits


def _plain(snapshot: Snapshot) -> tuple[Value, ...]:
    return snapshot.state, FrozenMap(snapshot.variables), FrozenMap(snapshot.parameters)


def _renamings(model: Model) -> list[dict[Value, Value]]:
    """Return every way to exchange the values of each `id` type among themselves."""
    ids = [
        model.extent.id_values(type_) for _, type_ in model.data.types if isinstance(type_, IdType)
    ]
    return [
        {
            old: new
            for before, after in zip(ids, chosen, strict=True)
            for old, new in zip(before, after, strict=True)
        }
        for chosen in itertools.product(*(list(itertools.permutations(one)) for one in ids))
    ]


def _renamed(value: Value, by: dict[Value, Value]) -> Value:
    """Return a value with every id in it exchanged."""
    match value:
        case frozenset():
            return frozenset(_renamed(one, by) for one in value)
        case dict():
            return FrozenMap({_renamed(key, by): _renamed(one, by) for key, one in value.items()})
        case tuple():
            items = [_renamed(one, by) for one in value]
            return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    return by.get(value, value)
