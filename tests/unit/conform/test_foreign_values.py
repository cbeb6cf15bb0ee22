"""A line that tells a value which its declared type does not have: counted, never passed over.

Covers: statemachines.conform.judge.tables.value_bounds,
statemachines.conform.judge.tables.known_variables.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import statemachines as sm
from tests.effort import some_of

SPEC = """
notation: 1
machine: Tank
types: {Valve: [open, shut]}
variables:
  level: {type: "0..20", initial: "0"}
  inlets: {type: "set[1..4]", initial: "set()"}
  spare: {type: "1..4?", initial: None}
  valve: {type: Valve, initial: "'shut'"}
states: {EMPTY: {initial: true}, FILLED: {}}
events: {fill: {args: {litres: "1..9"}}}
transitions:
  - {from: [EMPTY, FILLED], to: FILLED, event: fill}
log:
  instance: [tank]
  patterns: {tank: '[a-z]+', value: '\\S+'}
  lines:
    - {text: "tank {tank} fills by {litres}", says: event, event: fill, args: {litres: "{litres}"}}
    - {text: "tank {tank} level {value}", says: note, set: {level: "{value}"}}
    - {text: "tank {tank} inlets {value}", says: note, set: {inlets: "{value}"}}
    - {text: "tank {tank} spare {value}", says: note, set: {spare: "{value}"}}
    - {text: "tank {tank} valve {value}", says: note, set: {valve: "{value}"}}
"""


def unjudged(folder: Path, *messages: str) -> dict[str, int]:
    """Judge what follows the first line of a tank, and return what is said to be not judged of
    lines, with how often.
    """
    spec, log = folder / "tank.yaml", folder / "plant.log"
    spec.write_text(SPEC, "utf-8")
    log.write_text(
        "".join(
            f"2026-11-24 01:00:{number:02},000 INFO tank a {message} (plant.Tanks)\n"
            for number, message in enumerate(("fills by 1", *messages))
        ),
        "utf-8",
    )
    return {row.why: row.count for row in sm.check(log, specs=spec).unjudged if row.place}


@pytest.mark.parametrize(
    ("message", "name", "declared"),
    [
        ("fills by 55", "litres", "1..9"),
        ("level 99", "level", "0..20"),
        ("level -1", "level", "0..20"),
        ("level many", "level", "0..20"),
        ("inlets 1,7", "inlets", "set[1..4]"),
        ("spare 5", "spare", "1..4?"),
        ("valve ajar", "valve", "Valve"),
    ],
)
def test_a_value_beyond_its_type_is_counted(
    tmp_path: Path, message: str, name: str, declared: str
) -> None:
    """With the variable, or the argument, and what it may be."""
    why = f"a value of `{name}` that its type `{declared}` does not have"
    assert unjudged(tmp_path, message) == {why: 1}


@pytest.mark.parametrize(
    "message",
    ["fills by 9", "level 20", "inlets 1,4", "inlets []", "spare none", "spare 1", "valve open"],
)
def test_a_value_of_its_type_is_judged(tmp_path: Path, message: str) -> None:
    """Also at the ends of a range, and where there is none."""
    assert unjudged(tmp_path, message) == {}


@settings(
    max_examples=some_of(25),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(levels=st.lists(st.integers(-5, 30), max_size=9))
def test_all_values_beyond_a_range_are_counted_together(tmp_path: Path, levels: list[int]) -> None:
    """However many there are and whatever they are."""
    why = "a value of `level` that its type `0..20` does not have"
    beyond = sum(not 0 <= level <= 20 for level in levels)
    expected = {why: beyond} if beyond else {}
    assert unjudged(tmp_path, *(f"level {level}" for level in levels)) == expected
