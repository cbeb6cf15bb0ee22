"""What is refused, with which code, at which characters.

Covers: statemachines.notation.expressions.expression_parser,
statemachines.notation.expressions.expression_typer,
statemachines.notation.expressions.type_mismatches,
statemachines.notation.expressions.update_rules.
"""

from __future__ import annotations

import ast

import pytest

from statemachines.model.diagnosis.diagnostics import Diagnostic, Span
from statemachines.model.language.value_types import BOOL
from statemachines.notation.expressions.expression_parser import SourceText, parse_expression
from statemachines.notation.expressions.expression_reader import read_expression
from statemachines.notation.proofs.facts import Facts
from tests.expression_worlds import WORLD, written

FOREIGN = [
    ("count =< 1", "=<", "write `<=`"),
    ("count => 1", "=>", "write `>=`, or `implies(a, b)`"),
    ("flag ==> flag", "==>", "write `implies(a, b)`"),
    ("flag <=> flag", "<=>", "write `==`"),
    ("flag || flag", "||", "write `or`"),
]

WRONG = [
    ("", "SM301", ""),
    ("count +", "SM301", "+"),
    ("count = 1", "SM301", "="),
    ("flag && flag", "SM301", "&&"),
    ("count # how many", "SM301", "#"),
    ("lambda x: x", "SM302", "lambda x: x"),
    ("f'{count}'", "SM302", "f'{count}'"),
    ("(count := 1)", "SM302", "count := 1"),
    ("count / 2", "SM302", "count / 2"),
    ("count ** 2", "SM302", "count ** 2"),
    ("1.5", "SM302", "1.5"),
    ("kept == None", "SM302", "None"),
    ("count is 1", "SM302", "count is 1"),
    ("len(*line)", "SM302", "len(*line)"),
    ("(count, total)", "SM302", "(count, total)"),
    ("await count", "SM302", "await count"),
    ("coutn + 1", "SM303", "coutn"),
    ("red", "SM303", "red"),
    ("true", "SM303", "true"),
    ("Item", "SM303", "Item"),
    ("count in Long", "SM303", "Long"),
    ("count in Open", "SM303", "Open"),
    ("length(line)", "SM303", "length"),
    ("__import__('os')", "SM303", "__import__"),
    ("flag + 1", "SM304", "flag"),
    ("count + flag", "SM304", "flag"),
    ("stock == []", "SM304", "[]"),
    ("stock == {}", "SM304", "{}"),
    ("stock | queue", "SM304", "stock | queue"),
    ("place - stock", "SM304", "place - stock"),
    ("[1, flag]", "SM304", "flag"),
    ("count == 'red'", "SM304", "'red'"),
    ("count in stock", "SM304", "stock"),
    ("item in count", "SM304", "count"),
    ("place.items()", "SM304", "place.items()"),
    ("line or flag", "SM305", "line"),
    ("not stock", "SM305", "stock"),
    ("1 if count else 2", "SM305", "count"),
    ("any(price.values())", "SM305", "price.values()"),
    ("colour == 'rde'", "SM306", "'rde'"),
    ("colour in ['red', 'geen']", "SM306", "'geen'"),
    ("Card('blu', 1, None)", "SM306", "'blu'"),
    ("card.rnk", "SM307", "card.rnk"),
    ("replace(card, rnak=1)", "SM307", "rnak=1"),
    ("stock.add(item)", "SM307", "stock.add"),
    ("item.__class__", "SM307", "item.__class__"),
    ("Card('red')", "SM308", "Card('red')"),
    ("len()", "SM308", "len()"),
    ("{i for i, j in stock}", "SM308", "i, j"),
    ("{i for i in place.items()}", "SM308", "i"),
    ("next(queue, None)", "SM308", "next(queue, None)"),
    ("next((i for i in queue), 3)", "SM304", "3"),
    ("next((i for i in queue), nobody)", "SM303", "nobody"),
    ("0 <= count != total", "SM310", "0 <= count != total"),
    ("[i for i in stock]", "SM311", "stock"),
    ("next((i for i in stock), None)", "SM311", "stock"),
    ("{price[i]: i for i in stock}", "SM311", "price[i]"),
    ("{count for count in line}", "SM315", "count"),
    ("{i for i in stock if any(i in queue for i in queue)}", "SM315", "i"),
]


@pytest.mark.parametrize(("text", "code", "place"), WRONG)
def test_a_mistake_gets_its_code_at_its_place(text: str, code: str, place: str) -> None:
    """A caret under the whole line sends people searching; a caret under the word ends the search."""
    typed, found = read_expression(written(text), Facts(WORLD))
    assert typed is None
    assert found[0].code == code, found
    span = found[0].span
    assert text[span.column - 1 : span.column - 1 + span.length] == place


def test_all_mistakes_of_an_expression_are_told_at_once() -> None:
    """Mending one to see the next is a bad way to spend an evening."""
    _, found = read_expression(
        written("coutn > 0 and colour == 'rde' and stock.size() > 1"), Facts(WORLD)
    )
    assert [wrong.code for wrong in found] == ["SM303", "SM306", "SM307"]


def test_a_mistake_is_told_once() -> None:
    """What follows from a mistake is not reported again."""
    _, found = read_expression(
        written("{coutn: i for i in coutn} | place == {item: coutn}"), Facts(WORLD)
    )
    assert {wrong.code for wrong in found} == {"SM303"}


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("coutn", "did you mean `count`?"),
        ("colour == 'rde'", "did you mean `red`?"),
        ("card.rnk", "did you mean `rank`?"),
        ("not stock", "write `stock != set()`"),
        ("not line", "write `line != []`"),
        ("true", "in expressions it is `True`"),
        ("count / 2", "numbers are whole: write `//`"),
        ("kept == None", "write `x is None`"),
        ("flag + 1", "bool is no int: write `1 if c else 0`"),
        ("price with {item: 2}", "keys of a map are changed by `price | {item: 2}`"),
        (
            "price[stock] with {n: 2}",
            "values of keys are changed by `price | {k: … for k in stock}`",
        ),
    ],
)
def test_a_message_says_what_would_be_right(text: str, hint: str) -> None:
    """An error that does not teach is asked about again tomorrow."""
    _, found = read_expression(written(text), Facts(WORLD), BOOL)
    assert found[0].hint == hint


@pytest.mark.parametrize(
    "text",
    [
        "(" * 300 + "1" + ")" * 300,
        "-" * 2000 + "1",
        "1" + "+1" * 2000,
        "[" * 100 + "]" * 100,
        "x" * 10_000,
        "9" * 4990,
    ],
)
def test_a_hostile_text_is_refused_quickly(text: str) -> None:
    """Specs come from anywhere; none may bring the reader down."""
    typed, found = read_expression(written(text), Facts(WORLD))
    assert typed is None
    assert found[0].code in ("SM317", "SM301", "SM302")


def test_characters_beyond_ascii_do_not_move_the_caret() -> None:
    """Python counts bytes, people characters."""
    text = "colour == 'grün' or coutn > 1"
    _, found = read_expression(written(text), Facts(WORLD))
    assert [text[one.span.column - 1 :][: one.span.length] for one in found] == ["'grün'", "coutn"]


def test_an_expression_may_stand_on_several_lines() -> None:
    """A folded scalar in YAML is one expression; its place is the scalar."""
    text = "count > 0\n  and coutn > 1"
    typed, found = read_expression(SourceText(text, written("x").span), Facts(WORLD))
    assert typed is None
    assert found[0].span == written("x").span


@pytest.mark.parametrize("text", ["a +", "a = b", "-" * 70 + "a", "#"])
def test_the_same_mistake_is_told_where_each_of_its_texts_stands(text: str) -> None:
    """A text is read once for all who write it; its places are those of each."""
    spans = [Span("spec.yaml", line, 7, len(text)) for line in (3, 9)]
    found = [parse_expression(SourceText(text, span)) for span in spans]
    assert [one.span.line for one in found if isinstance(one, Diagnostic)] == [3, 9]
    assert len({one.message for one in found if isinstance(one, Diagnostic)}) == 1


def test_a_tree_that_is_read_twice_has_the_places_of_each_text() -> None:
    """Who asks where a name stands is told of the text that was asked of."""
    for line in (3, 9):
        written = SourceText("a and b", Span("spec.yaml", line, 7, 7))
        tree = parse_expression(written)
        assert isinstance(tree, ast.BoolOp)
        assert written.node_span(tree.values[1]) == Span("spec.yaml", line, 13, 1)


@pytest.mark.parametrize(("text", "sign", "hint"), FOREIGN)
def test_an_operator_of_another_language_gets_the_one_of_this(
    text: str, sign: str, hint: str
) -> None:
    """Who writes `=<` compares already, and is not told how to."""
    _, found = read_expression(written(text), Facts(WORLD), BOOL)
    assert [(one.code, one.message, one.hint) for one in found] == [
        ("SM301", f"`{sign}` is not an operator", hint)
    ]
