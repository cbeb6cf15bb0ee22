"""Law: a machine of a release has what a person reads in the spec for that release, entry by entry.

Covers: statemachines.notation.passes.fallback_pass, statemachines.notation.passes.declaration_pass.
"""

from __future__ import annotations

from typing import Any

import yaml
from hypothesis import assume, given
from hypothesis import strategies as st

from statemachines.model.definitions.machine_definitions import SpecDefinition
from statemachines.notation import machine_of, read_spec_text
from tests.unit.notation.errors_page import FIXTURES

RELEASES = ("1.0.0", "1.0.1", "1.1.0", "2.0.0")
STATES = ("A", "B", "C")
ranges = st.tuples(st.integers(0, 3), st.integers(0, 3)).map(
    lambda pair: range(min(pair), max(pair) + 1)
)
some = st.lists(st.sampled_from(STATES), min_size=1, max_size=3, unique=True)
named = st.sampled_from(STATES) | some


def written(releases: range) -> str:
    return f"{RELEASES[releases[0]]}..{RELEASES[releases[-1]]}"


def with_range(draw: st.DrawFn, entry: dict[str, Any]) -> dict[str, Any]:
    own = draw(st.none() | ranges)
    return entry if own is None else {**entry, "in": written(own)}


@st.composite
def documents(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a spec whose machine, states, transitions, `otherwise` and predicates have ranges or none."""
    states = {name: with_range(draw, {"initial": True, "final": True}) for name in STATES}
    moves = [
        with_range(draw, {"from": draw(named | st.just("*")), "to": draw(named)})
        for _ in range(draw(st.integers(1, 4)))
    ]
    others = [
        with_range(draw, {"from": draw(named), "to": draw(named), "does": "ignore"})
        for _ in range(draw(st.integers(0, 2)))
    ]
    predicates = {"p": with_range(draw, {"states": draw(some)})}
    document = {
        "notation": 1,
        "machine": "Door",
        "family": "door",
        "states": states,
        "transitions": moves,
        "predicates": predicates,
    }
    return with_range(draw, document | ({"otherwise": others} if others else {}))


def exists(entry: dict[str, Any], release: int) -> bool:
    first, last = entry.get("in", "1.0.0..2.0.0").split("..")
    return RELEASES.index(first) <= release <= RELEASES.index(last)


def names(value: Any) -> list[str]:
    return list(STATES) if value == "*" else value if isinstance(value, list) else [value]


def read(document: dict[str, Any]) -> SpecDefinition:
    data = yaml.safe_dump(document, sort_keys=False).encode()
    reading = read_spec_text(data, "Door.yaml", specs=FIXTURES, path=FIXTURES / "Door.yaml")
    assume(reading.spec is not None)
    assert reading.spec is not None
    return reading.spec


@given(documents(), st.integers(0, 3))
def test_a_machine_of_a_release_is_what_the_spec_says_of_it(
    document: dict[str, Any], release: int
) -> None:
    """Ranges are cut by a person reading one release at a time, and by the reader in bit masks for all at once."""
    spec = read(document)
    assume(exists(document, release))
    machine = machine_of(spec, RELEASES[release])
    there = [name for name, entry in document["states"].items() if exists(entry, release)]
    assert [state.name for state in machine.states] == there
    assert [(arrow.source, arrow.target) for arrow in machine.transitions] == [
        (source, target)
        for entry in document["transitions"]
        if exists(entry, release)
        for source in names(entry["from"])
        for target in names(entry["to"])
        if source in there and target in there
    ]
    assert [(entry.sources, entry.targets) for entry in machine.otherwise] == [
        (
            tuple(name for name in names(entry["from"]) if name in there),
            tuple(name for name in names(entry["to"]) if name in there),
        )
        for entry in document.get("otherwise", [])
        if exists(entry, release)
        and any(name in there for name in names(entry["from"]))
        and any(name in there for name in names(entry["to"]))
    ]
    predicate = document["predicates"]["p"]
    holds = tuple(name for name in predicate["states"] if name in there)
    assert [one.states for one in machine.predicates] == (
        [holds] if exists(predicate, release) and holds else []
    )


@given(documents())
def test_no_document_raises(document: dict[str, Any]) -> None:
    """Whatever the ranges, the answer is a spec or messages."""
    data = yaml.safe_dump(document, sort_keys=False).encode()
    reading = read_spec_text(data, "Door.yaml", specs=FIXTURES, path=FIXTURES / "Door.yaml")
    assert (reading.spec is None) == reading.has_errors
