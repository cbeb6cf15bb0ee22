"""The collector of cycles is left alone, and left as it was.

Covers: statemachines.model.garbage.
"""

from __future__ import annotations

import gc

import pytest

from statemachines.model import garbage
from statemachines.model.garbage import only_new_collected, rarely_collected, uncollected


@pytest.fixture(autouse=True)
def _nothing_set_aside(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers set aside what they loaded, also those that other tests run in this process."""
    gc.unfreeze()
    monkeypatch.setattr(garbage._SetAside, "by_others", False)


def test_what_is_there_is_not_looked_at_for_a_while() -> None:
    """Observations have no cycles, and are many; what judging leaves behind is collected."""
    before = gc.get_freeze_count()
    with only_new_collected():
        assert gc.isenabled()
        assert gc.get_freeze_count() > before
        with only_new_collected():
            assert gc.get_freeze_count() > before
        assert gc.get_freeze_count() > before
    assert gc.get_freeze_count() == before


def test_what_others_set_aside_stays_so_and_is_counted_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A server sets its objects aside before it forks; to count them for each check takes longer
    than a small check.
    """
    gc.freeze()
    counts = list[int]()
    count = gc.get_freeze_count

    def counted() -> int:
        counts.append(count())
        return counts[-1]

    monkeypatch.setattr(gc, "get_freeze_count", counted)
    for _ in range(3):
        with only_new_collected():
            pass
    assert len(counts) == 1
    # Objects that were set aside may still die: their number falls a little in a full process.
    assert count() > counts[0] / 2
    gc.unfreeze()


def test_the_collector_is_as_before_after_an_error() -> None:
    """A check that fails must not leave a program without it."""
    with pytest.raises(ZeroDivisionError), only_new_collected(), uncollected():
        gc.isenabled() / 0
    assert gc.isenabled()
    assert gc.get_freeze_count() == 0


def test_a_collector_that_was_off_stays_off() -> None:
    """Users have their reasons."""
    gc.disable()
    try:
        with uncollected():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_a_process_of_ours_collects_rarely_and_a_program_that_calls_it_as_before() -> None:
    """The thresholds belong to the process: a test that runs the command line has its own."""
    before = gc.get_threshold()
    with rarely_collected():
        assert gc.isenabled()
        assert gc.get_threshold()[0] > before[0]
    with pytest.raises(ZeroDivisionError), rarely_collected():
        gc.get_count()[0] / 0
    assert gc.get_threshold() == before
