"""What the descriptions of Kafka name has a place in the specs, and the place is there in the releases that the table says."""

from __future__ import annotations

import re
from pathlib import Path

import attrs
import pytest

from docs.kafka.seeds import PAGE, Row, Table, page, reference, tables, true_in

NAMES = re.compile(r"\b[a-z]\w*(?=\()|\b[a-z]+[A-Z]\w*\b")
"""Words that can only be code: followed by a bracket, or with a capital letter inside."""
LOGGED = re.compile(r"message to the logs|ERROR to the logs")


def named(text: str) -> set[str]:
    """Return the methods, properties and flags that a description names."""
    return set(NAMES.findall(text))


def quoted(text: str) -> list[str]:
    """Return the log messages that a description quotes: the line after it says so."""
    lines = text.split("\n")
    return [
        next(line for line in lines[place + 1 :] if line.strip() and not line.startswith("```"))
        for place, line in enumerate(lines)
        if LOGGED.search(line)
    ]


def asked(text: str) -> list[str]:
    """Return the lines that a description leaves open."""
    return [line for line in text.split("\n") if "FIXME" in line or "?" in line]


def missing(table: Table, text: str) -> list[str]:
    """Return what a description names and its table has not."""
    names = {row.name for row in table.rows if row.kind in ("method", "property", "flag")}
    lines = {row.name.strip() for row in table.rows if row.kind in ("message", "question")}
    return sorted(named(text) - names) + [line for line in [*quoted(text), *asked(text)] if line.strip() not in lines]


ALL = {table.title: table for table in tables()}
PLAIN = {"AssignedTasks": {"created", "restoring", "running", "suspended", "clean"}}
"""Registries and flags that look like plain words."""


@pytest.mark.parametrize("title", sorted(ALL))
def test_every_thing_that_a_description_names_has_a_row(title: str, shared: Path) -> None:
    """Methods, properties, flags, quoted messages, open questions."""
    table = ALL[title]
    text = next((shared / "seeds").glob(f"{table.seed}_*")).read_text("utf-8")
    assert missing(table, text) == []
    assert PLAIN.get(title, set()) <= {row.name for row in table.rows}


def test_a_missing_row_is_noticed(shared: Path) -> None:
    """One of each kind is taken out."""
    table = ALL["AssignedTasks"]
    text = next((shared / "seeds").glob(f"{table.seed}_*")).read_text("utf-8")
    for name in ("closeZombieTask", "runningByPartition", "isZombie", "Close created [taskTypeName] [created]", "commit…FIXME"):
        assert missing(attrs.evolve(table, rows=tuple(row for row in table.rows if row.name != name)), text)


ROWS = [(table.title, row) for table in ALL.values() for row in table.rows]


@pytest.mark.parametrize(("title", "row"), ROWS, ids=[f"{title}-{row.kind}-{row.name[:40]}" for title, row in ROWS])
def test_a_row_is_true(title: str, row: Row) -> None:
    """Each element is there, in the releases that the row names and in no other."""
    assert row.carried or row.note, "nothing carries it, and nothing says why"
    assert [(one, true_in(one)) for one in row.carried if true_in(one) != one.releases] == []


def test_a_false_row_is_noticed() -> None:
    """An element that is not there, and one that is there in other releases."""
    for text in (
        "event commitNothing in 1.0.0..2.5.1",
        "event close in 1.0.0..2.5.1",
        "variable lost in 1.0.0",
        "doc no such words in 1.0.0",
    ):
        one = reference(f"kafka/AssignedTasks {text}")
        assert true_in(one) != one.releases
    with pytest.raises(ValueError, match="is no reference"):
        reference("somewhere")


def test_the_page_is_up_to_date() -> None:
    """`python -m docs.kafka.seeds` writes it anew."""
    assert PAGE.read_text("utf-8") == page(tables())
