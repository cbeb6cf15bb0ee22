"""Every oddity that the facts and the captures list has a place: a test of a spec, the judge, the reader of logs, a later part, or none."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from tests.catalogue.claims import table
from tests.catalogue.facts import LATER, read

HERE = Path(__file__).parent
LIST = HERE.parent / "data" / "catalogue" / "traps.tsv"
KINDS = {"spec", "judging", "logs", "data", "later", "none"}
SECTIONS = {
    "streams facts 13": ("facts/kafka_streams_facts.md", "## 13"),
    "streams facts 15": ("facts/kafka_streams_facts.md", "## 15"),
    "controller facts 9": ("facts/kafka_controller_facts.md", "## 9"),
    "controller facts 13": ("facts/kafka_controller_facts.md", "## 13"),
    "4.x facts 7": ("facts/kafka_4x_facts.md", "Oddities in the code"),
    "README_streams": ("logs/captured/README_streams.md", "## What surprises"),
    "README_controller": ("logs/captured/README_controller.md", "## What surprises"),
}
"""Where the points of a list stand, and the heading above them."""


def test_every_point_has_a_place_of_a_known_kind() -> None:
    """A point of no kind is one that nobody looks after."""
    rows = table(LIST)
    assert {len(row) for row in rows} == {4}
    assert {row[2] for row in rows} <= KINDS
    assert [key for key, count in Counter(row[:2] for row in rows).items() if count > 1] == []


def test_the_tests_that_are_named_exist() -> None:
    """A point whose test was renamed or deleted is one that nobody looks after."""
    tests = {
        name
        for path in HERE.glob("test_*.py")
        for name in re.findall(r"^def (test_\w+)", path.read_text(), re.MULTILINE)
    }
    assert {row[3] for row in table(LIST) if row[2] == "spec"} - tests == set()


@pytest.mark.parametrize("source", SECTIONS)
def test_every_point_of_the_facts_and_of_the_captures_is_listed(shared: Path, source: str) -> None:
    """A new point must be given a place."""
    file, heading = SECTIONS[source]
    body = (shared / file).read_text().split(f"\n{heading}", 1)[1]
    section = re.split(r"\n## ", body, maxsplit=1)[0]
    points = re.findall(r"^(\d+)\. |^- \*\*(T\d+) ", section, re.MULTILINE)
    assert ["".join(point) for point in points] == [
        row[1] for row in table(LIST) if row[0] == source
    ]


def test_every_trap_of_the_later_facts_is_listed(shared: Path) -> None:
    """They are all about KRaft, which has no partition states."""
    numbers = [trap.split()[0] for trap in read(shared, LATER)["traps"]]
    assert numbers == [row[1] for row in table(LIST) if row[0] == "4.x traps"]
