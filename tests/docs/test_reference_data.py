"""The page on machines with data: every row of its tables is evaluated, and no construct lacks a row.

Covers: statemachines.semantics.machine.definition_functions.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from statemachines.model.definitions.machine_definitions import MachineDefinition
from statemachines.model.definitions.snapshots import Snapshot
from statemachines.model.language import expression_nodes
from statemachines.model.language.expression_nodes import Comprehension, Expression, walk
from statemachines.model.language.frozen_values import record_class
from statemachines.notation import machine_of, read_spec_text
from statemachines.notation.expressions.call_rules import CALL_RULES
from statemachines.semantics.machine.definition_functions import definition_functions
from statemachines.semantics.machine.initial_snapshots import initial_snapshot
from statemachines.semantics.machine.machine_tables import machine_tables
from statemachines.semantics.messages.value_text import format_literal
from tests.docs.pages import examples

PAGE = Path(__file__).parent.parent.parent / "docs" / "reference-data.md"
ROW = re.compile(r"^\| `(?P<left>.+?)` \| (?P<right>.+?) \|$", re.MULTILINE)
WORLD = next(one.body for one in examples(PAGE) if one.rest == "World.yaml")
VALUES: dict[str, Any] = {
    "stock": {"pear", "plum"},
    "price": {"pear": 1, "plum": 4},
    "place": {"pear": "left"},
    "line": [3, 1, 2],
    "item": "pear",
    "card": record_class("Card", ("colour", "rank", "owner"))("red", 2, None),
}


def rows(header: str) -> list[tuple[str, str]]:
    """The rows of the table with a header, bars unescaped."""
    table = PAGE.read_text("utf-8").split(f"| {header} |\n")[1].split("\n\n")[0]
    return [
        (row["left"].replace("\\|", "|"), row["right"].strip("`").replace("\\|", "|"))
        for row in ROW.finditer(table)
    ]


def defined(texts: list[str]) -> MachineDefinition:
    """The world with each text as a definition."""
    lines = "".join(f"  row{number}: {_quoted(text)}\n" for number, text in enumerate(texts))
    return machine_of(read_spec_text((WORLD + lines).encode(), "World.yaml").valid_spec())


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


GIVES = [(text, value) for text, value in rows("write | gives") if not value.startswith("refused")]
REFUSED = [
    (text, value.split()[1]) for text, value in rows("write | gives") if value.startswith("refused")
]


def test_each_row_gives_what_the_page_says() -> None:
    """An operator that the page explains wrongly would be used wrongly."""
    machine = defined([text for text, _ in GIVES])
    snapshot: Snapshot = initial_snapshot(machine, **VALUES)
    functions = definition_functions(machine_tables(machine).behaviour)
    found = [
        (text, format_literal(functions[f"row{number}"](snapshot)))
        for number, (text, _) in enumerate(GIVES)
    ]
    assert found == GIVES


def test_each_refused_row_gets_its_code() -> None:
    """What is not part of the language is refused as the page says."""
    for text, code in REFUSED:
        diagnostics = read_spec_text(
            (WORLD + f"  row: {_quoted(text)}\n").encode(), "World.yaml"
        ).diagnostics
        assert [one.code for one in diagnostics] == [code], text


def test_each_fact_makes_safe_what_the_page_says() -> None:
    """With the fact it is accepted, without it refused."""
    for fact, safe in rows("a fact | makes safe"):
        defined([f"[{safe}] == [] if {fact} else True"])
        diagnostics = read_spec_text(
            (WORLD + f"  row: {_quoted(f'[{safe}] == []')}\n").encode(), "World.yaml"
        ).diagnostics
        assert {one.code for one in diagnostics} == {"SM309"}, safe


def test_no_construct_lacks_a_row() -> None:
    """A construct without an example is one that nobody finds; `allows`, `before` and `enabled` have theirs further down."""
    machine = defined([text for text, _ in GIVES])
    nodes = [node for one in machine.data.definitions for node in walk(one.body)]
    kinds = {
        one
        for one in vars(expression_nodes).values()
        if isinstance(one, type) and issubclass(one, Expression)
    }
    assert {kind.__name__ for kind in kinds - {type(node) for node in nodes}} == {
        "Expression",
        "AllowsCall",
        "Enabled",
    }
    assert {node.kind for node in nodes if isinstance(node, Comprehension)} == {
        "set",
        "list",
        "map",
        "generator",
    }
    texts = " ".join(text for text, _ in GIVES)
    assert [name for name in CALL_RULES if f"{name}(" not in texts] == []
    operators = {getattr(node, "operator", None) for node in nodes}
    assert operators >= {
        "and",
        "or",
        "==",
        "!=",
        "<",
        "<=",
        ">=",
        ">",
        "in",
        "not in",
        "+",
        "-",
        "*",
        "//",
        "%",
        "|",
        "&",
        "^",
    }
