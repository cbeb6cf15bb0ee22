"""Laws: cases that are written shortly are the cases written out, and YAML's values are Python's.

Covers: statemachines.notation.shorthands.cases, native values in
statemachines.notation.document.yaml_nodes, statemachines.notation.releases.release_selection.
"""

from __future__ import annotations

import pytest

from tests.unit.notation.rewriting import assert_same_machines
from tests.unit.notation.texts import codes, spec

HEAD = """
types: {Outcome: [done, refused, lost]}
errors: {Refused: {}, Lost: {in: "1.1.0.."}}
variables: {n: "0..5 = 0", seen: "set[Outcome] = set()", open: "bool = True"}
states: {OPEN: {initial: true}, SHUT: {final: true}}
"""
ARGS = "    args: {outcome: Outcome, error: Error?, sure: bool}\n"
TAIL = "transitions: [{from: OPEN, to: SHUT, event: shut}]\n"


def event(body: str, *, more: str = "") -> str:
    """Return a machine whose event `put` is written so."""
    lines = "".join(f"    {line}\n" for line in body.strip().splitlines())
    return HEAD + more + "events:\n  put:\n" + ARGS + lines + "  shut: {}\n" + TAIL


SAME = {
    "match": (
        event("""
match: outcome
cases:
  done: {to: SHUT, effect: {n: 1}}
  refused or lost: {raises: Refused}
"""),
        event("""
cases:
  - {when: "outcome == 'done'", to: SHUT, effect: {n: "1"}}
  - {when: "outcome in ['refused', 'lost']", raises: Refused}
"""),
    ),
    "match with otherwise, nothing, and conditions": (
        event("""
match: "outcome if sure else 'lost'"
cases:
  done: [{when: n > 0 or sure, effect: {n: 0}}, {to: SHUT}]
  lost:
  otherwise: {raises: Refused}
"""),
        event("""
cases:
  - {when: "(outcome if sure else 'lost') == 'done' and (n > 0 or sure)", effect: {n: "0"}}
  - {when: "(outcome if sure else 'lost') == 'done'", to: SHUT}
  - {when: "(outcome if sure else 'lost') == 'lost'"}
  - {raises: Refused}
"""),
    ),
    "match by releases": (
        event("""
match: [{in: "1.1.0..", is: outcome}, {in: "..1.0.1", is: "'done'"}]
cases: {done: {to: SHUT}, otherwise: {effect: {n: 2}}}
"""),
        event("""
cases:
  - {when: [{in: "1.1.0..", is: "outcome == 'done'"}, {in: "..1.0.1", is: "'done' == 'done'"}], to: SHUT}
  - {effect: {n: "2"}}
"""),
    ),
    "match of what may be None": (
        event("""
match: error
cases: {Refused or Lost: {to: SHUT}, None: {effect: {n: 3}}}
""").replace('Lost: {in: "1.1.0.."}', "Lost: {}"),
        event("""
cases: [{when: "error in ['Refused', 'Lost']", to: SHUT}, {when: error is None, effect: {n: "3"}}]
""").replace('Lost: {in: "1.1.0.."}', "Lost: {}"),
    ),
    "included cases": (
        event(
            """
cases:
  - {when: n > 3, raises: Refused}
  - {include: ending, in: "1.0.1.."}
  - {when: otherwise, effect: {n: 0}}
""",
            more='cases: {lost: [{when: "outcome == \'lost\'", effect: {n: 4}, in: "..1.1.0"}], ending: [{include: lost}, {when: sure, to: SHUT}]}\n',
        ),
        event("""
cases:
  - {when: n > 3, raises: Refused}
  - {when: "outcome == 'lost'", effect: {n: "4"}, in: "1.0.1..1.1.0"}
  - {when: sure, to: SHUT, in: "1.0.1.."}
  - {effect: {n: "0"}}
"""),
    ),
    "an error of an argument": (
        event("cases: [{when: sure, effect: {n: 1}, raises: error}, {to: SHUT}]"),
        event("""
cases:
  - {when: "sure and (error == 'Refused')", effect: {n: "1"}, raises: Refused}
  - {when: "sure and (error == 'Lost')", effect: {n: "1"}, raises: Lost, in: "1.1.0.."}
  - {to: SHUT}
"""),
    ),
    "a computed error": (
        event("raises: \"'Refused' if sure else error\""),
        event("""
cases:
  - {when: "('Refused' if sure else error) == 'Refused'", raises: Refused}
  - {when: "('Refused' if sure else error) == 'Lost'", raises: Lost, in: "1.1.0.."}
"""),
    ),
    "values of YAML": (
        event('guard: false\neffect: {open: true, n: 007, seen: "set()"}').replace(
            "bool = True", "bool = False"
        ),
        event('guard: "False"\neffect: {open: "True", n: "7", seen: "set()"}').replace(
            "bool = True", "bool = False"
        ),
    ),
}


@pytest.mark.parametrize("name", SAME)
def test_the_short_form_is_the_long_form(name: str) -> None:
    """In every release, or two people who write the same mean different things."""
    short, long = SAME[name]
    assert_same_machines(spec(long), spec(short))


def test_an_empty_list_and_an_empty_mapping_are_values() -> None:
    """`[]` and `{}` need no quotes."""
    body = """
variables: {{queue: {{type: "list[0..9]", initial: {0}}}, lent: {{type: "map[Book, int]", initial: {1}}}}}
types: {{Book: id}}
states: {{OPEN: {{initial: true, final: true}}}}
"""
    assert_same_machines(spec(body.format('"[]"', '"{}"')), spec(body.format("[]", "{}")))


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("match: outcome\ncases: {done: {to: SHUT}}", ["SM329"]),
        ("match: outcome\ncases: [{to: SHUT}]", ["SM329"]),
        ("cases: {done: {to: SHUT}}", ["SM329"]),
        ("match: outcome", ["SM329"]),
        ("match: n\ncases: {done: {to: SHUT}}", ["SM304", "SM329"]),
        ("match: outcome\ncases: {dne: {to: SHUT}, otherwise: {}}", ["SM306"]),
        ("cases: [{include: ending}]", ["SM330"]),
        ("cases: [{when: otherwise}, {to: SHUT}]", ["SM324"]),
        ("raises: nowhere(n)", ["SM303"]),
        ("raises: Refsed", ["SM325"]),
    ],
)
def test_a_slip_in_a_short_form_is_told(body: str, told: list[str]) -> None:
    """A member that no case is for is the slip that `match` is there to find."""
    assert sorted(set(codes(event(body)))) == told


def test_lists_that_include_lists_do_not_grow_without_end() -> None:
    """Thirty doublings are a billion cases: the file is refused, and soon."""
    lists = ["c0: [{when: sure, to: SHUT}]"]
    lists += [f"c{n}: [{{include: c{n - 1}}}, {{include: c{n - 1}}}]" for n in range(1, 31)]
    more = "cases: {" + ", ".join(lists) + "}\n"
    assert "SM330" in codes(event("cases: [{include: c30}]", more=more))


def test_conditions_by_releases_are_joined_range_by_range() -> None:
    """Of a subject and a condition with the same ranges no empty cut is left."""
    ranges = '{{in: "..1.0.1", is: {0}}}, {{in: "1.1.0..", is: {1}}}'
    subject, own = ranges.format("outcome", "\"'done'\""), ranges.format("sure", "n > 2")
    short = event(f"match: [{subject}]\ncases: {{done: {{when: [{own}], to: SHUT}}, otherwise: }}")
    both = ranges.format("\"outcome == 'done' and sure\"", "\"'done' == 'done' and (n > 2)\"")
    long = event(f"cases: [{{when: [{both}], to: SHUT}}, {{doc: x}}]").replace(", doc: x", "")
    assert_same_machines(
        spec(long.replace("{doc: x}", "{effect: {n: n}}")),
        spec(short.replace("otherwise: }", "otherwise: {effect: {n: n}}}")),
    )
