"""A text without quotes that goes on behind a comma is read as it was meant, and reported once.

Covers: statemachines.notation.document.unquoted_commas.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from statemachines.notation.document import unquoted_commas
from statemachines.notation.document.yaml_nodes import (
    YamlMapping,
    YamlNode,
    YamlScalar,
    YamlSequence,
)
from statemachines.notation.document.yaml_reader import read_yaml

_ATOM = st.sampled_from(["a", "b + 1", "None", "state == 'UP'", "x.y", "3"])
_CALL = st.recursive(
    _ATOM,
    lambda inner: st.lists(inner, min_size=1, max_size=4).map(
        lambda arguments: f"f({', '.join(arguments)})"
    ),
    max_leaves=8,
)
_TAIL = st.sampled_from(["", " > 0", " and a"])


@given(texts=st.lists(st.tuples(_CALL, _TAIL).map("".join), min_size=1, max_size=4))
def test_without_quotes_the_same_is_read(texts: list[str]) -> None:
    """Entries and items have the texts that they have with quotes; each that needs them is told."""
    without = [text for text in texts if "," in text]
    for make in (
        lambda shown: "{" + ", ".join(f"k{at}: {text}" for at, text in enumerate(shown)) + "}",
        lambda shown: "[" + ", ".join(shown) + "]",
    ):
        wanted, right = read_yaml(make([f'"{text}"' for text in texts]).encode(), "t.yaml")
        given_, wrong = read_yaml(make(texts).encode(), "t.yaml")
        assert (_texts(given_), right) == (_texts(wanted), ())
        assert [one.code for one in wrong] == ["SM312"] * len(without)
        assert [one.hint for one in wrong] == [
            f'put quotes around it: "{text}"' for text in without
        ]


def _texts(node: object) -> list[tuple[str, str]]:
    assert isinstance(node, YamlMapping | YamlSequence)
    entries = (
        node.entries
        if isinstance(node, YamlMapping)
        else [(YamlScalar("", node.span), item) for item in node.items]
    )
    assert all(isinstance(value, YamlScalar) for _, value in entries)
    return [(key.text, value.text) for key, value in entries if isinstance(value, YamlScalar)]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("{a: f(b, c: d)}", ["f(b", "d)"]),
        ("{a: (b, c}", ["(b", ""]),
        ("[b), (c, d]", ["b)", "(c", "d"]),
        ("['f(', 'b)']", ["f(", "b)"]),
        ("[f(a, 'b']", ["f(a", "b"]),
    ],
)
def test_what_no_comma_cut_stays_as_it_is(text: str, values: list[str]) -> None:
    """Pieces with values of their own, quoted ones, and parentheses that nothing closes."""
    node, wrong = read_yaml(text.encode(), "t.yaml")
    assert ([value for _, value in _texts(node)], wrong) == (values, ())


def test_the_place_is_the_whole_text() -> None:
    """From its first character to its last."""
    _, (wrong,) = read_yaml(b"guard: {is: max(x,  1) > 0}", "t.yaml")
    assert (wrong.span.line, wrong.span.column, wrong.span.length) == (1, 13, 14)


def test_open_parentheses_cost_no_more_than_their_number(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hostile file opens one in each of many items."""
    looked_at = 0
    parentheses_of = unquoted_commas._open_parentheses

    def counted(node: YamlNode) -> int:
        nonlocal looked_at
        looked_at += 1
        return parentheses_of(node)

    monkeypatch.setattr(unquoted_commas, "_open_parentheses", counted)
    for items in (500, 2_000):
        looked_at = 0
        read_yaml(b"[" + b"(a, " * items + b"b]", "t.yaml")
        assert items < looked_at <= 102 * items
