"""Laws: an event that is like another one, and a loop that an exception ends, mean what they mean written out.

Covers: statemachines.notation.shorthands.written_out, statemachines.notation.shorthands.loops.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from statemachines.model.language.expression_nodes import BooleanOperation
from statemachines.notation import machine_of
from statemachines.notation.document.yaml_nodes import YamlMapping, YamlNode, node_items
from tests.unit.notation.rewriting import (
    assert_same_machines,
    changed,
    document_of,
    machine_files,
    mapping,
    read_as,
    scalar,
    text_of,
)
from tests.unit.notation.texts import codes, reading, spec

HEAD = """
types: {Box: id, Result: [fine, jammed]}
errors: {Jam: It is stuck.}
states: {OPEN: {initial: true, final: true}}
variables: {onBelt: "set[Box] = set()", seen: "set[Box] = set()"}
events:
"""
SCAN = """
  scan:
    doc: Reads boxes.
    args: {result: "map[onBelt, Result]", most: 0..3}
    let: {fine: "{b for b in onBelt if result[b] == 'fine'}"}
    effect: {seen: seen | fine}
    cases: [{when: len(fine) > most, raises: Jam}, {returns: len(fine)}]
"""


def machine(events: str) -> str:
    """Return a machine with these events."""
    return HEAD + events


def is_full(event: YamlNode) -> bool:
    """Tell whether an event says all itself."""
    return not any(isinstance(e, YamlMapping) and e.get("like") for e in node_items(event))


def said_again(root: YamlMapping, *, like: bool) -> YamlMapping:
    """Say each event once more under another name, in full or by `like`; one that is like another
    itself in full.
    """
    events = root.get("events")
    assert isinstance(events, YamlMapping)
    again = (
        (scalar(f"{name.text}Again"), mapping(like=name) if like and is_full(value) else value)
        for name, value in events.entries
    )
    return changed(root, "events", YamlMapping((*events.entries, *again), events.span))


@pytest.mark.parametrize(
    "path",
    [
        path
        for path in machine_files()
        if path.stat().st_size < 30_000 and document_of(path).get("events")
    ],
    ids=lambda path: path.stem,
)
def test_an_event_that_is_like_another_is_that_event(path: Path) -> None:
    """Whatever the other one says, in which releases."""
    root = document_of(path)
    full, short = (text_of(said_again(root, like=like)) for like in (False, True))
    assert_same_machines(read_as(path, full), read_as(path, short))


def test_what_an_event_says_itself_counts() -> None:
    """Names one by one, in the order of the other event; new ones at the end; all else as a whole."""
    long = """
  count:
    doc: Counts boxes.
    args: {result: "map[onBelt, Result]", most: 0..1, least: 0..1}
    let: {fine: "{b for b in onBelt if result[b] == 'fine'}"}
    effect: {seen: set()}
    cases: [{returns: len(fine) + least}]
"""
    short = """
  count:
    like: scan
    doc: Counts boxes.
    args: {most: 0..1, least: 0..1}
    effect: {seen: set()}
    cases: [{returns: len(fine) + least}]
"""
    assert_same_machines(spec(machine(SCAN + long)), spec(machine(SCAN + short)))


RANGED = """
  scan:
    - {in: "..1.0.1", effect: {seen: onBelt}}
    - {in: "1.1.0..", effect: {onBelt: seen}}
"""


def test_an_event_is_like_the_other_one_in_its_releases() -> None:
    """All entries for an event without `in`; for an entry that has one, the entry of the same `in`."""
    same = RANGED.replace("scan", "weigh")
    assert_same_machines(
        spec(machine(RANGED + same)), spec(machine(RANGED + "  weigh: {like: scan}\n"))
    )
    later = '  weigh: [{in: "1.1.0..", like: scan, effect: {seen: set()}}]\n'
    whole = '  weigh: [{in: "1.1.0..", effect: {onBelt: seen, seen: set()}}]\n'
    assert_same_machines(spec(machine(RANGED + whole)), spec(machine(RANGED + later)))


@pytest.mark.parametrize(
    ("events", "hint"),
    [
        (SCAN + "  weigh: {like: scn}\n", "did you mean `scan`?"),
        (
            SCAN + "  weigh: {like: scan}\n  sort: {like: weigh}\n",
            "name the event that says it all",
        ),
        ("  weigh: {like: weigh}\n", "name the event that says it all"),
    ],
)
def test_what_an_event_cannot_be_like_is_told(events: str, hint: str) -> None:
    """A slip, a chain, itself."""
    (wrong,) = reading(machine(events)).diagnostics
    assert (wrong.code, wrong.hint) == ("SM331", hint)


LOOP = """
  scan:
    args:
      result: map[onBelt, Result]
      reached: {over: box in onBelt, until: "result[box] == 'jammed'", doc: How far it came.}
    effect: {seen: seen | reached}
"""
LOOP_IN_FULL = """
  scan:
    args:
      result: map[onBelt, Result]
      reached: {type: "set[onBelt]", chosen: true, doc: How far it came.}
    where: >-
      len({box for box in reached if result[box] == 'jammed'}) == 1
      or ({box for box in reached if result[box] == 'jammed'} == set() and reached == onBelt)
    effect: {seen: seen | reached}
"""


def test_a_loop_is_a_set_that_is_chosen_and_what_holds_of_it() -> None:
    """All elements, or some with one that ends it."""
    assert_same_machines(spec(machine(LOOP_IN_FULL)), spec(machine(LOOP)))


def test_what_else_holds_of_the_arguments_holds_too() -> None:
    """Also where it is said for some releases only: the loop is a loop in all of them."""
    ranged = LOOP + '    where: [{in: "1.1.0..", is: onBelt != set()}]\n'
    made = spec(machine(ranged))
    early, late = (
        event.signature.where
        for release in ("1.0.1", "1.1.0")
        for event in machine_of(made, release).events
        if event.signature
    )
    assert isinstance(early, BooleanOperation)
    assert isinstance(late, BooleanOperation)
    assert (early.operator, late.operator) == ("or", "and")
    assert late.operands[1] == early


def test_a_loop_goes_over_something_else_in_other_releases() -> None:
    """As an argument has another type."""
    ranged = """
  scan:
    args:
      reached:
        - {in: "..1.0.1", over: box in onBelt, until: box in seen}
        - {in: "1.1.0..", over: box in seen, until: box in onBelt}
"""
    in_full = """
  scan:
    args:
      reached:
        - {in: "..1.0.1", type: "set[onBelt]", chosen: true}
        - {in: "1.1.0..", type: "set[seen]", chosen: true}
    where:
      - in: "..1.0.1"
        is: >-
          len({box for box in reached if box in seen}) == 1
          or ({box for box in reached if box in seen} == set() and reached == onBelt)
      - in: "1.1.0.."
        is: >-
          len({box for box in reached if box in onBelt}) == 1
          or ({box for box in reached if box in onBelt} == set() and reached == seen)
"""
    assert_same_machines(spec(machine(in_full)), spec(machine(ranged)))


@pytest.mark.parametrize(
    ("loop", "told"),
    [
        ("{over: onBelt, until: box in seen}", ["SM332"]),
        ("{over: box in onBlt, until: box in seen}", ["SM314"]),
        ("{over: box in onBelt, until: bx in seen}", ["SM303"]),
        ("{over: box in onBelt}", ["SM113"]),
        ("{until: box in seen}", ["SM113"]),
    ],
)
def test_what_is_wrong_with_a_loop_is_told(loop: str, told: list[str]) -> None:
    """Where it stands."""
    events = LOOP[: LOOP.index("{over")] + loop + "\n    effect: {seen: set()}\n"
    assert codes(machine(events)) == told
