"""What the facts of 3.8 to 4.3 write at INFO and above, and no spec of the catalogue reads, is listed; the list does not grow unseen."""

from __future__ import annotations

from pathlib import Path

from tests.catalogue.claims import table
from tests.catalogue.later_shapes import UNREAD, is_read, shapes, unread_rows
from tests.catalogue.reasons import NO_REASON


def test_no_shape_lost_its_reader(shared: Path) -> None:
    """A wording that is changed by mistake reads nothing any more; `python -m tests.catalogue.later_shapes` writes the list anew."""
    assert set(unread_rows(shared)) - set(table(UNREAD)) == set()


def test_the_list_is_of_shapes_of_the_facts(shared: Path) -> None:
    """A row that the facts do not have would hide the loss of another."""
    assert {row[:-1] for row in table(UNREAD)} <= {row for row, _ in shapes(shared)}


def test_every_shape_that_is_not_read_has_a_reason() -> None:
    """What answers a question of somebody on call is read; a new one must be looked at."""
    assert [row for row in table(UNREAD) if row[-1] == NO_REASON] == []


def test_a_shape_is_read_by_a_wording_whose_fields_it_fills() -> None:
    """The shape leaves open what the spec says, or the spec what the shape says, whoever stands before it."""
    fencing = r"^Fencing\ broker\ (.*?)\ at\ epoch\ (.*?)\ because\ (.*?)\.$"
    assert is_read("Fencing broker {} at epoch {} because {}.", fencing)
    told = "The broker has been unfenced. Transitioning from RECOVERY to RUNNING."
    assert is_read(told, "^" + told.replace(".", r"\.") + "$")


def test_a_shape_of_other_words_is_not_read() -> None:
    """One word that differs is another line."""
    fencing = r"^Fencing\ brokers\ (.*?)\ at\ epoch\ (.*?)\ because\ (.*?)\.$"
    assert not is_read("Fencing brokers {} at epoch {} because {}.", fencing)
