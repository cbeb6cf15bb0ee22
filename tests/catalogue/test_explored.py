"""What exploring finds in the catalogue is what is recorded beside it."""

from __future__ import annotations

import pytest

from tests.catalogue import explored


def recorded() -> list[str]:
    """The rows of the record."""
    return explored.RECORD.read_text("utf-8").splitlines()


@pytest.mark.long
@pytest.mark.parametrize("name", explored.names())
def test_the_catalogue_explores_as_recorded(name: str) -> None:
    """A change of a spec that changes its states, or what its properties say, must change the record: look at it, then write it anew."""
    found = [one.row for one in explored.explored([name])]
    kept = [row for row in recorded() if row.split("\t")[0] == name]
    assert found == kept, (
        f"look at what changed; `python -m tests.catalogue.explored {name}` records it"
    )


def test_the_record_has_nothing_else() -> None:
    """A spec that is gone leaves nothing behind."""
    head, *rows = recorded()
    assert head == explored.HEAD
    assert {row.split("\t")[0] for row in rows} <= {*explored.names()}


def test_nothing_of_the_catalogue_is_violated() -> None:
    """A property that a shipped spec claims and that its machine breaks is a mistake of ours."""
    rows = [row.split("\t") for row in recorded()[1:]]
    assert [row[:2] for row in rows if row[6] == "VIOLATED"] == []
