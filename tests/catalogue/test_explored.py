"""What exploring finds in the catalogue is what is recorded beside it."""

from __future__ import annotations

import pytest

from tests.catalogue import explored


@pytest.mark.long
def test_the_catalogue_explores_as_recorded() -> None:
    """A change of a spec that changes its states, or what its properties say, must change the record: look at it, then write it anew."""
    recorded = explored.RECORD.read_text("utf-8").splitlines()
    found = [explored.HEAD, *(one.row for one in explored.explored())]
    changed = [row for row in found if row not in recorded] + [
        f"gone: {row}" for row in recorded if row not in found
    ]
    assert changed == [], "look at what changed; `python -m tests.catalogue.explored` records it"


def test_nothing_of_the_catalogue_is_violated() -> None:
    """A property that a shipped spec claims and that its machine breaks is a mistake of ours."""
    rows = [row.split("\t") for row in explored.RECORD.read_text("utf-8").splitlines()[1:]]
    assert [row[:2] for row in rows if row[6] == "VIOLATED"] == []
