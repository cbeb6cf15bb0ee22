"""Carets stand under the word, however YAML wrote the expression.

Covers: statemachines.notation.data.data_pass, statemachines.notation.data.namespaces,
statemachines.notation.releases.release_partition, statemachines.notation.typing.name_scope.
"""

from __future__ import annotations

import pytest

from statemachines.notation import read_spec_text

FORMS = [
    "guard: count > 0 and coutn > 1",
    "guard: 'count > 0 and coutn > 1'",
    'guard: "count > 0 and coutn > 1"',
    "guard: 'colour == ''red'' and coutn > 1'",
    'guard: "colour == \\"red\\" and coutn > 1"',
    "guard: >-\n      count > 0\n      and coutn > 1",
    "guard: |\n      count > 0 and\n      coutn > 1",
    "guard: count > 0\n      and coutn > 1",
    'guard: "count > 0\n\n      and coutn > 1"',
]


@pytest.mark.parametrize("form", FORMS)
def test_the_caret_is_under_the_word(form: str) -> None:
    """Long expressions stand on several lines, and quotes within quotes are written in many ways."""
    text = f"""notation: 1
machine: Small
types: {{Colour: [red, green]}}
variables: {{count: "0..5 = 0", colour: "Colour = 'red'"}}
events:
  go:
    {form}
    effect: {{count: "0", colour: "'red'"}}
"""
    (wrong,) = read_spec_text(text.encode(), "small.yaml").diagnostics
    assert wrong.code == "SM303"
    line = text.split("\n")[wrong.span.line - 1]
    assert line[wrong.span.column - 1 :][: wrong.span.length] == "coutn"


def test_a_part_of_a_short_variable_has_its_place() -> None:
    """`type = value` is one scalar and two texts."""
    text = 'notation: 1\nmachine: Small\nvariables:\n  count: >-\n    0..5 =\n      1 + wrong\nevents: {go: {effect: {count: "1"}}}\n'
    (wrong,) = read_spec_text(text.encode(), "small.yaml").diagnostics
    assert (wrong.code, wrong.span.line, wrong.span.column, wrong.span.length) == (
        "SM303",
        6,
        11,
        5,
    )
