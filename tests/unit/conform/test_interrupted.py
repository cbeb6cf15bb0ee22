"""A check that is stopped: what was read is judged, and nothing is said of the rest."""

from __future__ import annotations

from pathlib import Path

import pytest

from statemachines.conform import check
from statemachines.conform.engines import file_reader
from statemachines.model.evidence.verdicts import Verdict
from statemachines.report.baseline import read_baseline, report_without_known, to_baseline
from statemachines.report.sections.time_window import TimeWindow, report_within
from tests.doors import House, lines

SOUND = ["Door d goes from CLOSED to OPEN", "Door d goes from OPEN to CLOSED"] * 20


class StopAfter:
    """Presses Ctrl-C when so many pieces are read."""

    def __init__(self, pieces: int) -> None:
        self.left = pieces

    def __call__(self, done: int, whole: int) -> None:
        """Count a piece."""
        self.left -= 1
        if not self.left:
            raise KeyboardInterrupt


@pytest.fixture
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read a file in pieces of some lines."""
    monkeypatch.setattr(file_reader, "READ_CHUNK_BYTES", 300)


@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize("pieces", [1, 2, 5])
def test_what_was_read_of_a_file_is_judged_and_nothing_holds(house: House, pieces: int) -> None:
    """Half a file broke nothing; the other half was never seen."""
    logs = [
        house.write(name, [f"{name} | {text}" for text in lines(*SOUND)])
        for name in ("a.log", "b.log")
    ]
    report = check(logs, specs=[house.spec], engine="local", progress=StopAfter(pieces))
    assert report.interrupted
    assert report.verdict is Verdict.INCONCLUSIVE
    assert 0 < report.checked.steps < len(SOUND)
    assert 0 < report.checked.lines < len(SOUND)


@pytest.mark.usefixtures("small_pieces")
def test_leaving_out_what_is_known_does_not_make_a_stopped_check_hold(house: House) -> None:
    """A baseline and a window take findings away, not what was never looked at."""
    path = house.write("a.log", lines("Door d goes from LOCKED to OPEN", *SOUND))
    report = check([path], specs=[house.spec], engine="local", progress=StopAfter(2))
    assert report.verdict is Verdict.VIOLATED
    left = report_without_known(report, read_baseline("".join(to_baseline(report))))
    assert left.left_out
    assert left.report.verdict is Verdict.INCONCLUSIVE
    assert report_within(report, TimeWindow(10**15, None)).verdict is Verdict.INCONCLUSIVE


def test_a_check_that_was_not_stopped_holds(house: House, tmp_path: Path) -> None:
    """The other laws here would hold of a judge that never says HOLDS."""
    report = check([house.write("a.log", lines(*SOUND))], specs=[house.spec], engine="local")
    assert report.verdict is Verdict.HOLDS
