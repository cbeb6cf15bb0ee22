"""Numbers of things in words."""

from __future__ import annotations

from statemachines.model.counts import count_text


def test_one_thing_has_no_s() -> None:
    """`1 lines` is read as a mistake of the program."""
    assert [count_text(number, "line") for number in (0, 1, 2)] == ["0 lines", "1 line", "2 lines"]


def test_large_numbers_are_grouped() -> None:
    """A million and ten millions are told apart at a glance."""
    assert count_text(1_234_567, "process", "processes") == "1,234,567 processes"
