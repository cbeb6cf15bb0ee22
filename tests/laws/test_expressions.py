"""Python's meaning is the meaning of expressions, and none that was accepted ever raises.

Covers: statemachines.model.language.expression_nodes,
statemachines.notation.expressions.expression_reader, statemachines.notation.proofs.facts,
statemachines.semantics.evaluation.compiler, statemachines.semantics.evaluation.python_source,
statemachines.semantics.evaluation.type_checks, statemachines.semantics.messages.expression_text.
"""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, event, given, settings

from statemachines.model.language.expression_nodes import Expression, Literal, Name, NameKind, walk
from statemachines.model.language.value_types import IntType, SetType, Type
from statemachines.notation.expressions.expression_reader import read_expression
from statemachines.notation.proofs.facts import Facts
from statemachines.semantics.evaluation.compiler import Compiler
from statemachines.semantics.evaluation.python_source import identifier
from statemachines.semantics.evaluation.type_checks import type_check_source
from statemachines.semantics.messages.expression_text import format_expression
from tests.effort import some_of
from tests.expression_worlds import NO_NAMES, WORLD, python_says, texts, values, written

MANY = settings(
    max_examples=some_of(120),
    deadline=None,
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
)


@MANY
@given(texts(), values())
def test_an_accepted_expression_means_what_python_says(text: str, known: dict[str, Any]) -> None:
    """A person reads specs as Python; a second meaning would be a trap. Accepted means total: a fact was there for each part."""
    typed, found = read_expression(written(text), Facts(WORLD))
    event("accepted" if typed is not None else found[0].code)
    if typed is None:
        return
    ours = Compiler.for_data(NO_NAMES).compile_expression(typed)("", known, {})
    theirs = python_says(text, known)
    assert ours == theirs
    assert type(ours) is type(theirs)
    assert _is_of(typed.type, ours, known)


def _is_of(type_: Type, value: object, known: dict[str, Any]) -> bool:
    """Tell whether a value lies in the bounds and sets that its type promises."""
    compiler = Compiler.for_data(NO_NAMES)
    asked = type_check_source(compiler.writer, type_, "value") or "True"
    names = {identifier(NameKind.VARIABLE, name): known[name] for name in known}
    return bool(eval(asked, {**compiler.writer.constants, **names, "value": value}))


def test_names_are_read_from_the_snapshot() -> None:
    """The law above would hold of a compiler that ignores its values."""
    compiled = Compiler.for_data(NO_NAMES).compile_expression(
        Name(NameKind.VARIABLE, "count", type=WORLD.names["count"].type)
    )
    assert [compiled("", {"count": count}, {}) for count in (2, 3)] == [2, 3]


@settings(
    max_examples=some_of(150),
    deadline=None,
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
)
@given(texts())
def test_what_is_written_again_is_read_the_same(text: str) -> None:
    """Messages, mutants and documents show expressions; one that means something else when it is read again would be a lie.

    The name of a range is told by its numbers, which are read as a display of them.
    """
    typed, _ = read_expression(written(text), Facts(WORLD))
    if typed is None:
        return
    again, found = read_expression(written(format_expression(typed)), Facts(WORLD))
    assert found == ()
    assert again == typed or (
        any(map(_is_range, walk(typed)))
        and again is not None
        and format_expression(again) == format_expression(typed)
    )


def _is_range(node: Expression) -> bool:
    return (
        isinstance(node, Literal)
        and isinstance(node.type, SetType)
        and isinstance(node.type.item, IntType)
    )
