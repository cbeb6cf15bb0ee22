"""What the descriptions of Kafka name has a place in the specs, and the place is there in the releases that the table says."""

from __future__ import annotations

import re
from pathlib import Path

import attrs
import pytest

from docs.kafka.seeds import PAGE, Row, Table, page, reference, tables, true_in

NAMES = re.compile(r"\b[a-z]\w*(?=\()|\b[a-z]+[A-Z]\w*\b|\b[A-Z]+(?:_[A-Z]+)+\b")
"""Words that can only be code: followed by a bracket, with a capital letter inside, or constants."""
ANCHORS = re.compile(r'\[\[([A-Za-z]\w*)\]\]|<span id="(\w+)">')
"""What a description has a place of its own for: properties that look like plain words, and states."""
HEADINGS = {"logging", "StreamThread"}
"""Places of chapters, not of things."""
FENCES = ("----", "```")
AROUND = ("====", "[options")


def named(text: str) -> set[str]:
    """Return the methods, properties, flags, constants and states that a description names."""
    return (
        set(NAMES.findall(text)) | {one or other for one, other in ANCHORS.findall(text)} - HEADINGS
    )


def quoted(text: str) -> list[str]:
    """Return the log messages that a description quotes, line by line: the blocks after a line that says so, without blocks the line after it."""
    lines, found = text.split("\n"), list[str]()
    for place, line in enumerate(lines):
        if "to the logs" in line:
            found += _blocks(lines[place + 1 :])
    return found


def _blocks(lines: list[str]) -> list[str]:
    """Return the lines in the blocks that these lines begin with, or the first line that is not blank."""
    found, within, any_block = list[str](), False, False
    for line in lines:
        mark = line.strip()
        if mark in FENCES:
            within, any_block = not within, True
        elif within:
            found.append(line)
        elif mark and not mark.startswith(AROUND):
            return found if any_block else [line]
    return found


def asked(text: str) -> list[str]:
    """Return the lines that a description leaves open."""
    return [line for line in text.split("\n") if "FIXME" in line or "?" in line]


def missing(table: Table, text: str) -> list[str]:
    """Return what a description names and its table has not."""
    names = {row.name for row in table.rows if row.kind in ("method", "property", "flag")}
    lines = {row.name.strip() for row in table.rows if row.kind in ("message", "question")}
    return sorted(named(text) - names) + [
        line for line in [*quoted(text), *asked(text)] if line.strip() not in lines
    ]


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
    for name in (
        "closeZombieTask",
        "runningByPartition",
        "isZombie",
        "Close created [taskTypeName] [created]",
        "commit…FIXME",
    ):
        assert missing(
            attrs.evolve(table, rows=tuple(row for row in table.rows if row.name != name)), text
        )


@pytest.mark.parametrize("title", sorted(ALL))
def test_no_row_can_be_left_out(title: str, shared: Path) -> None:
    """Each row for something that the description says is missed where it is taken out."""
    table = ALL[title]
    text = next((shared / "seeds").glob(f"{table.seed}_*")).read_text("utf-8")
    wanted = named(text) | {line.strip() for line in (*quoted(text), *asked(text))}
    for row in table.rows:
        if row.name.strip() in wanted:
            kept = tuple(one for one in table.rows if one.name.strip() != row.name.strip())
            assert missing(attrs.evolve(table, rows=kept), text), row.name


def test_what_is_quoted_in_blocks_is_found(shared: Path) -> None:
    """Several messages after one sentence, messages of two lines, options before a block; properties by their places."""
    text = next((shared / "seeds").glob("003_*")).read_text("utf-8")
    assert len(quoted(text)) == 11
    assert {
        "config",
        "isNew",
        "partitionLeadershipInfo",
        "logInvalidTransition",
        "newBatch",
    } <= named(text)
    loop = next((shared / "seeds").glob("001_*")).read_text("utf-8")
    assert "[migratedTask]" in quoted(loop)
    assert {"UNLIMITED_RECORDS", "CREATED", "builder"} <= named(loop)


def test_every_description_has_a_table(shared: Path) -> None:
    """One that nobody made a table of would be forgotten."""
    assert sorted(path.name[:3] for path in (shared / "seeds").glob("*.txt")) == sorted(
        table.seed for table in ALL.values()
    )


ROWS = [(table.title, row) for table in ALL.values() for row in table.rows]


@pytest.mark.parametrize(
    ("title", "row"), ROWS, ids=[f"{title}-{row.kind}-{row.name[:40]}" for title, row in ROWS]
)
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
