"""Every name of the notes on TaskManager, StreamThread and the elections has a row in the docs, and every row names what is there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from attrs import frozen

import statemachines as sm

ROOT = Path(__file__).parents[2]
PAGES = ("task-manager", "stream-thread", "leader-election")
NO_NAME = {"StreamThread", "State", "state", "logging", "creating-instance", "internal-properties", "processAndMaybeCommit-processing-loop"}
"""Anchors of sections that are about nothing in particular."""
COLLABORATORS = {"config", "producer", "streamsMetrics", "builder", "logContext", "time", "create-StoreChangelogReader", "setStateListener"}
"""What the thread is given and nothing in its life depends on."""


@frozen
class Row:
    """A line of a page."""

    name: str
    how: str
    where: str
    releases: str


def rows(page: str) -> Iterator[Row]:
    """Yield the rows of a page."""
    for line in (ROOT / "docs" / "kafka" / "seeds" / f"{page}.md").read_text("utf-8").splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) == 7 and cells[1].startswith("`"):
            how, where = cells[3].split(" ", 1)
            yield Row(cells[1].strip("`"), how, where, cells[4])


def within(releases: tuple[str, ...], cut: str) -> list[str]:
    """Return the releases of a range such as `2.1.0..2.5.1`."""
    first, _, last = cut.partition("..")
    end = releases.index(last) if last in releases else len(releases) - 1
    return list(releases[releases.index(first) if first in releases else 0 : end + 1])


@cache
def loaded(name: str) -> sm.Spec:
    """Return a spec of the catalogue."""
    return sm.load(name)


def names(machine: sm.Machine, how: str) -> set[str]:
    """Return what a machine has of a kind."""
    data = machine.value.data
    return {
        "event": set(machine.events),
        "variable": {one.name for one in data.variables},
        "parameter": {one.name for one in data.parameters},
        "definition": set(machine.define),
        "state": set(machine.states),
        "predicate": set(machine.predicates),
    }[how]


@pytest.mark.parametrize("page", PAGES)
def test_what_a_row_names_is_there_in_all_its_releases(page: str) -> None:
    """A row that points nowhere is worse than none."""
    wrong = []
    for row in rows(page):
        if row.how == "doc":
            text = " ".join((ROOT / "specs" / f"{row.where}.yaml").read_text("utf-8").split())
            wrong += [] if row.name in text or not row.name[0].isupper() else [row]
            continue
        name, _, part = row.where.partition(".")
        spec = loaded(name)
        chosen = within(spec.releases, row.releases)
        looked = {chosen[0], chosen[len(chosen) // 2], chosen[-1]}
        wrong += [(row, release) for release in looked if part not in names(spec.at(release), row.how)]
    assert wrong == []


SOURCES = [
    ("task-manager", "000_", r'<span id="(\w+)">'),
    ("task-manager", "002_", r"(?m)^(?:int|void|boolean) (\w+)\("),
    ("stream-thread", "001_", r"\[\[([\w-]+)\]\]"),
    ("leader-election", "003_", r"\[\[(leaderFor\w+)\]\]"),
]


@pytest.mark.parametrize(("page", "file", "pattern"), SOURCES)
def test_every_name_of_the_notes_has_a_row(page: str, file: str, pattern: str, shared: Path) -> None:
    """What is forgotten is named."""
    text = next((shared / "seeds").glob(f"{file}*.txt")).read_text("utf-8")
    told = set(re.findall(pattern, text)) - NO_NAME - (COLLABORATORS if page == "stream-thread" else set())
    assert told - {row.name for row in rows(page)} == set()


def test_every_message_that_the_notes_quote_has_a_row(shared: Path) -> None:
    """A quoted line begins with the words of a row."""
    text = next((shared / "seeds").glob("001_*.txt")).read_text("utf-8")
    quoted = [line for block in re.findall(r"```\n(.*?)```", text, re.S) for line in block.splitlines()[:1] if not line.startswith("log4j")]
    begun = [row.name for row in rows("stream-thread")]
    assert [line for line in quoted if not any(line.startswith(words) for words in begun)] == []
