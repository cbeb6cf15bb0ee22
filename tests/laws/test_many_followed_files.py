"""Laws: a name belongs to the log that got it last, and the others of that name are numbered as
looking at all of them numbers them; to begin to follow costs the same for each file, however many
there are.

Covers: statemachines.conform.engines.follow.log_names,
statemachines.conform.engines.follow.followed_files.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import cast

from hypothesis import given
from hypothesis import strategies as st

from statemachines.conform.engines.follow.followed_files import FollowedFiles
from statemachines.conform.engines.follow.followed_log import FollowedLog
from statemachines.conform.engines.follow.log_names import LogNames
from statemachines.conform.engines.follow.log_reading import LogReading


@given(st.lists(st.tuples(st.integers(0, 5), st.sampled_from("abc")), max_size=40))
def test_a_name_belongs_to_who_got_it_last(given_names: list[tuple[int, str]]) -> None:
    """Rotation hands names on; a report must not call two logs alike."""
    names, logs = LogNames(), dict[int, FollowedLog]()
    simple = dict[int, tuple[str, int]]()
    for number, name in given_names:
        if number in simple and simple[number] == (name, 0):
            continue
        namesakes = [displaced for known, displaced in simple.values() if known == name]
        for other, known in simple.items():
            if known == (name, 0):
                simple[other] = name, 1 + max(namesakes)
        simple[number] = name, 0
        names.give(logs.setdefault(number, FollowedLog(number, name, None)), name)
        assert {n: (log.name, log.displaced) for n, log in logs.items()} == simple
    assert len({log.shown_name for log in logs.values()}) == len(logs)


class _ReadsNothing:
    def read_file(self, log: FollowedLog, *, to_the_end: bool) -> bool:
        return False


def _seconds(folder: Path, count: int) -> float:
    """The CPU seconds of a first look at so many files, the least of three."""
    (place := folder / str(count)).mkdir()
    files = [place / f"{number}.log" for number in range(count)]
    for number, file in enumerate(files):
        file.write_text(f"2026-01-01 00:00:00,000 INFO {number}\n")
    least = float("inf")
    for _ in range(3):
        reading = cast("LogReading", _ReadsNothing())
        followed = FollowedFiles(
            lambda: [(file.name, file) for file in files], reading, lambda _: None, []
        )
        began = time.process_time()
        assert followed.poll()
        least = min(least, time.process_time() - began)
        assert len(followed.logs) == count
        followed.close()
    return least


def test_to_begin_costs_the_same_for_each_file(tmp_path: Path) -> None:
    """A node's folder of container logs has thousands."""
    few, many = _seconds(tmp_path, 300), _seconds(tmp_path, 2_400)
    assert many < 24 * few
