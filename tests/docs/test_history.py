"""The release histories are those of the specs."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))
make = importlib.import_module("docs.kafka.make")

pytestmark = pytest.mark.long  # every machine is drawn and compared in every release


@pytest.fixture(scope="module")
def made() -> dict[str, str]:
    """All pages, made now."""
    pages: dict[str, str] = make.files()
    return pages


def test_the_release_histories_are_up_to_date(made: dict[str, str]) -> None:
    """A page that tells of last week's spec is worse than none; `python -m docs.kafka.make` writes them anew."""
    assert make.stale(made) == (), "run `python -m docs.kafka.make`, and read what changed"


def test_a_stale_page_is_noticed(made: dict[str, str]) -> None:
    """A checker that was never seen to fail is untested."""
    assert make.stale({**made, "Task.md": "old"}) == ("Task.md",)
    assert make.stale({name: text for name, text in made.items() if name != "Task.md"}) == (
        "Task.md",
    )


def test_a_known_change_is_told_with_its_run(made: dict[str, str]) -> None:
    """What every user of eager rebalancing should know of the release that ended it."""
    page = made["StreamThread.md"].partition("## 2.3.1 → 2.4.0")[2].partition("\n## ")[0]
    assert "`+` `STARTING -> PARTITIONS_ASSIGNED`" in page
    assert (
        "CREATED → STARTING → PARTITIONS_ASSIGNED: before raised StreamsException; now taken, to PARTITIONS\\_ASSIGNED"
        in page
    )
