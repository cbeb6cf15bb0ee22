"""Each writer of expressions is a table that has every node: one that is new cannot be forgotten by any of them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from functools import singledispatch
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, get_args

import pytest

import statemachines
from statemachines.interop.ecmascript.ecmascript_expressions import EcmascriptWriter
from statemachines.interop.tla.tla_expressions import TlaWriter
from statemachines.model.language import expression_nodes
from statemachines.model.language.value_types import BOOL, INT, Expression, SetType
from statemachines.semantics.evaluation.python_source import PythonWriter

PACKAGE = Path(statemachines.__file__).parent
NODES = frozenset(
    node
    for node in vars(expression_nodes).values()
    if inspect.isclass(node) and issubclass(node, Expression) and node is not Expression
)
"""Everything that an expression may be made of."""
WRITERS = {
    "interop.ecmascript.ecmascript_expressions",
    "interop.tla.tla_expressions",
    "semantics.evaluation.python_source",
    "semantics.messages.expression_text",
}
"""Modules with a table; the readable Python of `embed` goes by that of `python_source`."""


def modules_with_tables() -> Iterator[ModuleType]:
    """Yield the modules that choose by the class of a value."""
    for path in sorted(PACKAGE.rglob("*.py")):
        if "singledispatch" in path.read_text("utf-8"):
            name = ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
            yield import_module(name.removesuffix(".__init__"))


def tables(module: ModuleType) -> dict[str, Callable[..., Any]]:
    """Return a module's tables that have a node of expressions."""
    return {
        name: table
        for name, table in vars(module).items()
        if hasattr(table, "registry") and NODES & set(table.registry)
    }


def forgotten(table: Any) -> set[str]:
    """Return the nodes that a table has no row for."""
    return {node.__name__ for node in NODES - set(table.registry)}


TABLES = {
    f"{module.__name__.removeprefix('statemachines.')}.{name}": table
    for module in modules_with_tables()
    for name, table in tables(module).items()
}


@pytest.mark.parametrize("name", TABLES)
def test_a_writer_has_a_row_for_every_node(name: str) -> None:
    """What one cannot say it refuses by name, in a row of its own."""
    assert forgotten(TABLES[name]) == set()


NUMBERS = ("+", "-", "*", "//", "%")
SETS = ("|", "&", "-", "^")
WRITTEN = {
    f"{operator} of {type_}": expression_nodes.BinaryOperation(operator, one, one, type=type_)
    for operators, type_ in ((NUMBERS, INT), (SETS, SetType(INT)))
    for operator in operators
    for one in (expression_nodes.Literal(1, type=type_),)
}


def written(name: str, node: Expression) -> Any:
    """Return what a writer makes of a node without names."""
    module = name.rpartition(".")[0].rpartition(".")[2]
    writers = {
        "ecmascript_expressions": (EcmascriptWriter({}),),
        "tla_expressions": (TlaWriter({}),),
        "python_source": (PythonWriter(),),
    }
    return TABLES[name](node, *writers.get(module, ()))


@pytest.mark.parametrize("name", TABLES)
def test_a_writer_has_every_operator(name: str) -> None:
    """An operator is new more often than a node, and was written as it stands by who did not know it."""
    assert {*NUMBERS, *SETS} == {*get_args(expression_nodes.BinaryOperator)}
    assert all(written(name, node) for node in WRITTEN.values())


@pytest.mark.parametrize(
    "name", sorted({*TABLES} - {"semantics.evaluation.python_source._expression_source"})
)
def test_an_operator_that_a_writer_does_not_have_is_refused(name: str) -> None:
    """Written as it stands it means something else in another language, or nothing. Specs are read by
    Python's own grammar, so in Python each means what it says.
    """
    two: Any = expression_nodes.Literal(2, type=INT)
    for new in (
        expression_nodes.BinaryOperation("**", two, two, type=INT),
        expression_nodes.BooleanOperation("xor", (two, two), type=BOOL),
    ):
        with pytest.raises(KeyError):
            written(name, new)


def test_all_writers_are_tables() -> None:
    """Whoever writes expressions in another way would not be looked at here."""
    assert {name.rpartition(".")[0] for name in TABLES} == WRITERS


def test_a_forgotten_node_is_noticed() -> None:
    """A checker that was never seen to fail is untested."""

    @singledispatch
    def text(node: Expression) -> str:
        raise NotImplementedError

    for node in NODES - {expression_nodes.Slice}:
        text.register(node, lambda _: "")
    assert forgotten(text) == {"Slice"}


def test_a_node_without_a_row_is_refused_and_not_written_wrongly() -> None:
    """A table that fell back to something would hide the hole."""

    class Unknown(Expression):
        pass

    for table in TABLES.values():
        with pytest.raises(NotImplementedError, match="Unknown"):
            table(Unknown(type=INT), *[None] * (len(inspect.signature(table).parameters) - 1))
