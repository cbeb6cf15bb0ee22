"""What a check costs grows with a log, never faster: of whatever there is more in it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path

import pytest

from statemachines.conform import check
from tests.doors import House, lines

TIMES = 1, 4, 16
MOST_GROWTH = 9
"""Of what is added: five times as much from the second size to the third; seventeen, where it grows
with the square.
"""
_Logs = Sequence[str]
_SWING = ("Door {0} goes from CLOSED to OPEN", "Door {0} goes from OPEN to CLOSED")
_FAULT = "Door {0} goes from LOCKED to JAMMED"


def _words(count: int) -> list[str]:
    """Words that differ in letters, for lines that differ in digits are of one form."""
    return ["".join(letters) for letters in product("abcdefghij", repeat=4)][:count]


def _repeated(*messages: str, times: int) -> str:
    return "\n".join(lines(*(messages * times))) + "\n"


def _many_instances(count: int) -> _Logs:
    told = [text.format(word) for word in _words(count) for text in (*_SWING, _FAULT)]
    return [_repeated(*told, times=1)]


def _many_files(count: int) -> _Logs:
    return [_repeated(*_SWING, _FAULT, times=2).format(word) for word in _words(count)]


def _many_names(count: int) -> _Logs:
    unread = [f"Somebody wrote {word} of a Door" for word in _words(count)]
    return [_repeated("Door d stands OPEN", *unread, times=1)]


def _many_continuations(count: int) -> _Logs:
    below = "\n".join(f"\tat house.Door.open({word}) Door d goes from" for word in _words(count))
    return [_repeated(_SWING[0].format("d"), times=1) + below + "\n"]


def _many_warnings(count: int) -> _Logs:
    warned = [text for word in _words(count) for text in lines(f"the roof leaks {word}")]
    return [
        "\n".join(warned).replace(" INFO ", " WARN ").replace("house.Door", "house.Roof") + "\n"
    ]


KINDS: dict[str, tuple[Callable[[int], _Logs], int]] = {
    "lines": (
        lambda count: [_repeated(*(t.format("d") for t in (*_SWING, _FAULT)), times=count)],
        40,
    ),
    "files": (_many_files, 8),
    "instances": (_many_instances, 30),
    "distinct lines that are not read": (_many_names, 90),
    "lines below a record": (_many_continuations, 60),
    "distinct warnings": (_many_warnings, 90),
}


def _seconds(folder: Path, house: House, logs: _Logs) -> float:
    """The CPU seconds of a check, the least of two."""
    folder.mkdir(parents=True)
    for number, text in enumerate(logs):
        (folder / f"app{number}.log").write_text(text)
    least = float("inf")
    for _ in range(2):
        before = time.process_time()
        check([folder], specs=[house.spec], engine="local")
        least = min(least, time.process_time() - before)
    return least


def _growth(folder: Path, house: House, make: Callable[[int], _Logs], base: int) -> float:
    """How many times as much is added to the cost from the second size to the third."""
    costs = [_seconds(folder / str(times), house, make(base * times)) for times in TIMES]
    return (costs[2] - costs[0]) / max(costs[1] - costs[0], 0.001)


@pytest.mark.parametrize("kind", KINDS)
def test_a_check_costs_no_more_than_its_log_has_more(kind: str, tmp_path: Path) -> None:
    """Asked a second time where another program took the caches of this processor."""
    make, base = KINDS[kind]
    (home := tmp_path / "house").mkdir()
    house = House(home)
    _seconds(tmp_path / "first", house, make(base))  # what is loaded once
    growths = (_growth(tmp_path / str(attempt), house, make, base) for attempt in range(3))
    assert any(growth <= MOST_GROWTH for growth in growths)


def test_a_cost_that_grows_with_the_square_would_be_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The law above has teeth."""
    from statemachines.logs.records import record_scan

    read = record_scan.RecordScan._records_at

    def read_again(self: record_scan.RecordScan, offset: int, number: int) -> object:
        for _ in range(number // 2):
            list(range(300))
        return read(self, offset, number)

    monkeypatch.setattr(record_scan.RecordScan, "_records_at", read_again)
    (home := tmp_path / "house").mkdir()
    make, base = KINDS["distinct warnings"]
    assert _growth(tmp_path / "grown", House(home), make, base) > MOST_GROWTH
