"""One mistake is told once, and what is told says what would be right.

Covers: statemachines.notation.linting.times_never_due.
"""

from __future__ import annotations

import textwrap

import pytest

from statemachines.model.diagnosis.diagnostics import Diagnostic
from statemachines.notation import read_spec
from statemachines.notation.linting import lint
from tests.systems import written


def diagnosed(text: str) -> list[Diagnostic]:
    """What is wrong with a machine, and what lint says of it."""
    path = written("\n" + textwrap.dedent(text), "notation: 1\nmachine: House")
    return [*read_spec(path).diagnostics] or lint(path)


PRODUCERS = """
types: {Prod: id}
variables:
  ready: {type: "map[Prod, bool]", initial: "{p: False for p in Prod}"}
  count: {type: "map[Prod, 0..3]", initial: "{p: 0 for p in Prod}"}
events:
  go: {args: {p: Prod}, guard: "not ready[p]", effect: {ready: "ready | {p: True}"}}
  stop: {args: {p: Prod}, guard: "ready[p] and count[p] > 0", effect: {ready: "ready | {p: False}"}}
always:
  some: "any(ready[p] for p in Prod)"
"""


def test_a_type_without_a_set_of_its_values_is_told_once() -> None:
    """Every use of it is wrong, and so is every look into a map that has such keys."""
    (wrong,) = diagnosed(PRODUCERS)
    assert (wrong.code, wrong.message) == ("SM303", "type `Prod` has no set of its values")
    assert "take a parameter of type `set[Prod]`" in wrong.hint


def test_other_mistakes_are_told_beside_it() -> None:
    """Only what follows from the one is left out: another type's map, another name."""
    text = PRODUCERS.replace("{Prod: id}", "{Prod: id, Other: id}").replace(
        "some:", 'more: "all(far[o] for o in far if nobody)"\n  some:'
    )
    text = text.replace("events:", '  far: {type: "map[Other, bool]", initial: "{}"}\nevents:')
    text += '  asks: "all(far[o] or ready[o2] for o in far for o2 in ready)"\n'
    text = text.replace("events:", "events:\n  see: {args: {o: Other}, guard: 'far[o]'}")
    assert sorted(one.message for one in diagnosed(text)) == [
        "`far` may have no `o` here",
        "`nobody` is not declared",
        "type `Prod` has no set of its values",
    ]


@pytest.mark.parametrize(
    ("text", "code", "message", "hint"),
    [
        (
            'parameters: {a: "set[bool]"}\nvariables: {c: {type: "map[a, 0..2]", initial: "{}"}}',
            "SM321",
            "`{}` is not shown to be of type `map[a, 0..2]`",
            "such a map has every one of `a`: `{k: … for k in a}`, or `map[…] else …`;"
            " one that may lack keys is a `map[bool, 0..2]`",
        ),
        (
            'types: {A: [x, y]}\nvariables: {c: {type: "map[A, 0..2]", initial: "{}"}}',
            "SM321",
            "`{}` is not shown to be of type `map[A, 0..2]`",
            "such a map has every one of `A`: `{k: … for k in A}`, or `map[…] else …`",
        ),
        (
            'variables: {c: {type: "map[0..2, bool]", initial: "{}"}}',
            "SM321",
            "`{}` is not shown to be of type `map[0..2, bool]`",
            "such a map has every one of `0..2`: `{k: … for k in range(0, 3)}`, or `map[…] else …`",
        ),
        (
            'variables: {n: "0..3 = 0"}\nevents: {go: {}}\nalways: {in: "n <= 3"}',
            "SM211",
            "`in` is given a condition",
            "`in` names releases wherever it stands, so nothing else is called that",
        ),
        (
            "types: {Hash: 0..2}\nvariables: {n: Hash = 0}\n"
            'always: {some: "next((h for h in Hash if h > n), 0) >= 0"}',
            "SM311",
            "`next` needs an order, and this is of type `set[0..2]`",
            "`range(0, 3)` has an order",
        ),
        (
            "types: {Colour: [red, blue]}\nvariables: {n: 0..2 = 0}\n"
            'always: {some: "[c for c in Colour] != []"}',
            "SM311",
            "a list comprehension needs an order, and this is of type `set[Colour]`",
            "a list has an order: `['red', 'blue']`",
        ),
        (
            'parameters: {n: 1..3}\nvariables: {at: "0..n-1 = 0"}',
            "SM313",
            "`0..n-1` is no range: the bounds of a range are numbers",
            "`range(n)` is the set of these numbers, and a type",
        ),
        (
            'parameters: {n: 1..3}\nvariables: {at: {type: "1..n", initial: 1}}',
            "SM313",
            "`1..n` is no range: the bounds of a range are numbers",
            "`range(1, n + 1)` is the set of these numbers, and a type",
        ),
        (
            "types: {A: [x, y]}\ndefine: {Some: \"{a for a in A if a != 'x'}\"}\n"
            'variables: {who: {type: "Some?", initial: None}}',
            "SM314",
            "the definition `Some` is no type of a variable",
            "a definition may use variables, so it is read later: write out what `Some` is"
            " (arguments of events may have it)",
        ),
    ],
)
def test_what_is_told_says_what_would_be_right(
    text: str, code: str, message: str, hint: str
) -> None:
    """Whoever writes a first spec has these walls before them."""
    (wrong,) = diagnosed(text)
    assert (wrong.code, wrong.message, wrong.hint) == (code, message, hint)


def test_what_is_advised_for_a_range_with_a_name_is_right() -> None:
    """A variable may begin with a number that is surely in it."""
    text = """
    parameters: {n: 1..3, most: 0..3}
    variables:
      at: {type: range(n), initial: 0}
      place: {type: "range(1, n + 1)", initial: 1}
    events:
      next: {effect: {at: "(at + 1) % n"}}
    """
    assert diagnosed(text) == []
    (wrong,) = diagnosed(text.replace("range(n)", "range(most)").replace("% n", "% 3"))
    assert wrong.message == "`0` is not shown to be of type `range(most)`"


WAITS = """
states: {WAIT: {initial: true}, OUT: {final: true}}
variables: {tries: "0..3 = 0"}
transitions:
  - {from: WAIT, to: WAIT, event: retry, after: 3 s}
  - {from: WAIT, to: OUT, event: give_up, after: 10 s}
"""


@pytest.mark.parametrize(
    ("old", "new", "is_never_due"),
    [
        ("", "", True),
        ("after: 3 s}", 'after: 3 s, effect: {tries: "min(3, tries + 1)"}}', True),
        ("after: 3 s}", "after: 3 s, guard: tries < 3, effect: {tries: tries + 1}}", False),
        ("to: WAIT, event: retry", "event: retry", False),
        ("after: 3 s", "after: 30 s", False),
        ("to: WAIT, event: retry, after: 3 s", "to: WAIT, event: retry", False),
    ],
)
def test_a_time_that_always_begins_again_before_it_is_due_is_told(
    old: str, new: str, is_never_due: bool
) -> None:
    """A protocol that never gives up looks as if it did."""
    found = [one for one in diagnosed(WAITS.replace(old, new, 1)) if one.code == "SM223"]
    assert bool(found) == is_never_due
    if found:
        assert found[0].message == (
            "time never takes `give_up`: every 3 s `retry` begins the times of `WAIT` again"
        )
