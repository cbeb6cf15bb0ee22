"""`assuming`: an event by itself, several as one, a part, any step.

Covers: statemachines.notation.data.fairness_reader.
"""

from __future__ import annotations

import pytest

from tests import systems
from tests.data_machines import codes, machine

COUNTERS = """
types: {P: 0..1}
variables: {n: {type: "map[P, 0..2]", initial: "{p: 0 for p in P}"}, rounds: "0..2 = 0"}
events:
  up: {args: {p: P}, guard: "n[p] < 2", effect: {n: "n | {p: n[p] + 1}"}}
  down: {args: {p: P, by: 1..2}, guard: "n[p] - by >= 0", effect: {n: "n | {p: n[p] - by}"}}
  next: {guard: rounds < 2, effect: {rounds: rounds + 1}}
"""


def _fair(assuming: str) -> list[tuple[str, str | None, int | None]]:
    made = machine(f'{COUNTERS}always eventually: {{a: {{holds: "n[0] == 0", {assuming}}}}}\n')
    return [(one.event, one.argument, one.group) for one in made.data.properties[0].assuming]


@pytest.mark.parametrize(
    ("short", "long"),
    [
        ("[any step]", "[[up, down, next]]"),
        ("any step", "[[up, down, next]]"),
        ("[any step: each p]", "[[up: each p, down: each p]]"),
        ("[any step: each by]", "[[down: each by]]"),
        ("[[any step: each p]]", "[[up: each p, down: each p]]"),
        ("[{any step: each p}, next]", "[[up: each p, down: each p], next]"),
        (
            "{strongly: [any step], weakly: [next]}",
            "{strongly: [[up, down, next]], weakly: [next]}",
        ),
    ],
)
def test_any_step_is_all_events_as_one(short: str, long: str) -> None:
    """What publications write as fairness of Next, or of a process, is not a list to keep by hand."""
    assert _fair(f"assuming: {short}") == _fair(f"assuming: {long}")


def test_groups_stay_apart() -> None:
    """Two entries are two groups, though an event is in both."""
    groups = [group for *_, group in _fair("assuming: [any step: each p, any step: each by]")]
    assert groups[0] == groups[1] != groups[2]


def test_a_part_is_all_of_its_events_as_one() -> None:
    """A process that does not stop, as PlusCal and Spin have it; with a key, each of them."""
    head = 'leads to:\n  a: {when: "True", then: "False", assuming: '
    made = systems.house(f"{head}[{{lamps: each key}}, door]}}\n").data.properties[0].assuming
    written_out = systems.house(
        f"{head}[[lamps.press: each key, lamps.to_BROKEN: each key,"
        " lamps.to_ON: each key, lamps.to_OFF: each key],"
        " [door.to_OPEN, door.to_SHUT]]}\n"
    )
    assert set(made) == set(written_out.data.properties[0].assuming)
    every = systems.house(f"{head}any step}}\n").data.properties[0].assuming
    assert {one.event.split(".")[0] for one in every} == {"lamps", "door", "alarm"}
    assert {one.group for one in every} == {0}


@pytest.mark.parametrize("wrong", ["[any step: each q]", "[anystep]", "[next: each p]"])
def test_what_is_not_there_is_told(wrong: str) -> None:
    """Nothing would be fair, and the promise would fail for no reason that is seen."""
    text = f'{COUNTERS}always eventually: {{a: {{holds: "n[0] == 0", assuming: {wrong}}}}}\n'
    assert codes(text) == ["SM403"]
