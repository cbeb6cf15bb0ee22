"""Every scenario of Kafka's own unit tests that the facts tell is a test of a spec, or stands in the list with the reason why not."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from tests.catalogue.claims import table
from tests.catalogue.facts import STREAMS, read

HERE = Path(__file__).parent
LIST = HERE.parent / "data" / "catalogue" / "scenarios.tsv"
NONE = "-"
"""Instead of a file: there is no test, and the reason stands in place of its name."""
TABLES = {
    "test_assigned_tasks.py": (),
    "test_task_manager.py": ("manager_scenarios.py", "manager_scenarios_updater.py"),
    "test_task.py": ("task_scenarios.py",),
}
"""Files that play tables of scenarios which stand in other files."""


def rows() -> list[tuple[str, ...]]:
    """Return class, test, release, file, function or reason of every scenario that is listed."""
    return table(LIST)


def test_every_scenario_of_the_facts_is_listed_once(shared: Path) -> None:
    """One that is neither tested nor listed would be forgotten."""
    told = Counter(
        (one["class"], one["test"], one["release"])
        for one in read(shared, STREAMS)["unit_test_scenarios"]
    )
    assert Counter(row[:3] for row in rows()) == told


def test_at_most_one_in_twenty_has_no_test() -> None:
    """And that one has a reason."""
    without = [row for row in rows() if row[3] == NONE]
    assert len(without) * 20 <= len(rows())
    assert all(len(row[4].split()) > 3 for row in without)


@pytest.mark.parametrize("row", [row for row in rows() if row[3] != NONE], ids="-".join)
def test_the_test_of_a_scenario_exists_and_names_it(row: tuple[str, ...]) -> None:
    """A scenario whose test was renamed, or that left its table, is one that nobody plays any more."""
    _, name, _, file, function = row
    text = (HERE / file).read_text("utf-8")
    assert re.search(rf"^def {function}\(", text, re.MULTILINE)
    tables = [(HERE / other).read_text("utf-8") for other in TABLES.get(file, ())]
    assert any(re.search(rf"\b{name}\b", each) for each in (text, *tables))
