"""Which releases fit a line of a process that was begun anew many times.

Covers: statemachines.conform.systems.process_groups.
"""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from statemachines.conform.systems.process_groups import _Stretches
from statemachines.logs import rotation_key
from statemachines.model.evidence.reports import Instant, Place, ProcessReleases

FILES = st.sampled_from(["a.log", "a.log.1", "a.log.2", "b.log"])
BANNERS = st.lists(st.tuples(FILES, st.integers(1, 9), st.none() | st.integers(0, 50)), max_size=8)


def has_begun(row: ProcessReleases, place: Place, at: int | None, slack: int) -> bool:
    if row.from_file is None or row.from_line is None:
        return True
    if rotation_key(row.from_file)[0] == rotation_key(place.file)[0]:
        began = rotation_key(row.from_file)[1], row.from_line
        return began <= (rotation_key(place.file)[1], place.line)
    return slack < 0 if at is None or row.from_ms is None else row.from_ms + slack <= at


@given(
    banners=BANNERS | st.builds(sorted, st.lists(st.tuples(st.just("a.log"), st.integers(1, 9), st.integers(0, 50)))),
    file=FILES, line=st.integers(1, 9), at=st.none() | st.integers(0, 50),
)  # fmt: skip
def test_a_search_by_halves_finds_what_looking_at_all_banners_finds(
    banners: list[tuple[str, int, int | None]], file: str, line: int, at: int | None
) -> None:
    """In order or not, in one log or in several; a log of hundreds of restarts was looked through
    for each step of each rule.
    """
    place, tolerance = Place(file, line), 5
    rows = [
        ProcessReleases("p", "1.0", "banner"),
        *(
            ProcessReleases("p", "1.0", "banner", number, "f", name, ms)
            for name, number, ms in banners
        ),
    ]
    known = [(row, 1 << number) for number, row in enumerate(rows)]
    begun = max(n for n, row in enumerate(rows) if has_begun(row, place, at, -tolerance))
    surely = max(n for n, row in enumerate(rows) if has_begun(row, place, at, tolerance))
    instant = None if at is None else Instant(at, "")
    assert list(_Stretches(known).around(place, instant, tolerance)) == known[surely : begun + 1]
