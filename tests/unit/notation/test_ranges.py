"""Ranges name releases in the order of the family's list.

Covers: statemachines.notation.passes.declaration_pass, statemachines.notation.data.release_data.
"""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from statemachines.model.definitions.release_sets import ReleaseFamily
from statemachines.model.diagnosis.diagnostics import Span
from statemachines.notation.releases.release_ranges import parse_ranges
from tests.unit.notation.texts import codes, spec

DOOR = ReleaseFamily("door", ("0.9", "0.10.2", "0.11", "0.10.3", "1.0", "2.0"))
HERE = Span("door.yaml", 1, 1)


@given(st.integers(1, DOOR.all_releases))
def test_what_a_family_writes_is_read_back(releases: int) -> None:
    """Messages quote ranges; a person copies them into a spec."""
    assert parse_ranges(DOOR.ranges(releases), DOOR, HERE) == (releases, [])


@given(st.integers(0, 5), st.integers(0, 5))
def test_a_range_holds_what_stands_between_in_the_list(first: int, last: int) -> None:
    """The order is the list's, not the alphabet's: here 0.10.3 is younger than 0.11."""
    releases, found = parse_ranges(f"{DOOR.releases[first]}..{DOOR.releases[last]}", DOOR, HERE)
    assert list(DOOR.names(releases)) == list(DOOR.releases[first : last + 1])
    assert [one.code for one in found] == (["SM202"] if first > last else [])


def test_open_ends_and_lists() -> None:
    """`"..0.10.2, 2.0.."` is the oldest two and the newest."""
    assert parse_ranges("..0.10.2, 2.0..", DOOR, HERE) == (0b100011, [])


def test_every_wrong_part_is_told() -> None:
    """Everything that is wrong comes in one go."""
    _, found = parse_ranges("1.1.., 2.0..1.0, ..", DOOR, HERE)
    assert [one.code for one in found] == ["SM201", "SM202", "SM203"]


def test_a_thing_is_cut_with_what_contains_it() -> None:
    """A state of a machine from 1.0.1 on does not exist before."""
    door = spec('in: "1.0.1.."\nstates: {OPEN: {initial: true, final: true, in: "..1.1.0"}}\n')
    assert door.family.ranges(door.states[0].releases) == "1.0.1..1.1.0"


def test_an_empty_cut_is_an_error() -> None:
    """It can only be a mistake."""
    assert codes('in: "2.0.0"\nstates: {OPEN: {initial: true, final: true, in: "..1.1.0"}}\n') == [
        "SM203"
    ]


def test_values_of_a_list_have_disjoint_ranges() -> None:
    """Otherwise one release would have two states of a name."""
    body = 'states:\n  OPEN: [{{initial: true, in: "..1.0.1"}}, {{final: true, initial: true, in: "{}.."}}]\n'
    door = spec(body.format("1.1.0"))
    assert [(state.name, state.final) for state in door.states] == [("OPEN", False), ("OPEN", True)]
    assert codes(body.format("1.0.1")) == ["SM205"]


def test_an_event_is_read_anew_where_what_it_names_means_something_else() -> None:
    """What is read of an event is kept for all releases in which its names mean the same, be it
    through a definition of a definition, or through a type's set.
    """
    door = spec("""
types: {Key: id}
parameters:
  spare: {type: "set[Key]"}
  keys: [{type: "set[Key]", in: "..1.1.0"}, {type: "set[spare]", in: "2.0.0.."}]
variables:
  turns: {type: "0..4", initial: "0"}
  left: {type: "set[spare]", initial: "set()"}
define:
  most: [{is: "3", in: "..1.0.1"}, {is: "5", in: "1.1.0.."}]
  limit: most
states: {OPEN: {initial: true, final: true}}
transitions:
  - {from: OPEN, to: OPEN, event: turn, effect: {turns: limit}}
  - {from: OPEN, to: OPEN, event: leave, effect: {left: keys}}
  - {from: OPEN, to: OPEN, event: reset, effect: {turns: "0"}}
""")
    proved = {
        (each.event, door.family.ranges(each.releases)): each.case.effect[0].proved
        for each in door.transitions
        if each.case is not None
    }
    assert proved == {
        ("turn", "1.0.0..1.0.1"): True,
        ("turn", "1.1.0..2.0.0"): False,
        ("leave", "1.0.0..1.1.0"): False,
        ("leave", "2.0.0"): True,
        ("reset", "1.0.0..2.0.0"): True,
    }
