"""Law: whether each line of a log stands twice is known exactly, wherever a reader cuts it.

Covers: statemachines.conform.interchange.doubled_lines, statemachines.conform.interchange.profiles,
statemachines.conform.observe.equal_lines, statemachines.conform.observe.observer,
statemachines.conform.observe.plain_observer.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import groupby

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from statemachines.conform.checking import load_specs, make_plan
from statemachines.conform.engines import file_reader
from statemachines.conform.engines.file_reader import FileReader
from statemachines.conform.engines.observation_store import ObservationStore
from statemachines.conform.interchange.check_plan import CheckPlan
from statemachines.conform.interchange.profiles import Profile, join_profiles
from statemachines.conform.observe.catalogue_reader import CatalogueReader
from statemachines.logs import Scanner, default_layouts, open_log
from tests.doors import House, line
from tests.effort import some_of
from tests.laws.test_columns import columns

SAID = (
    "Door a goes from CLOSED to OPEN",
    "Door a goes from OPEN to CLOSED",
    "Door b stands OPEN",
    "House program starting up",
    "Every door -> a=OPEN, b=CLOSED",
    "nobody knows this of a door",
    "all is quiet",
)
UNKNOWN = SAID[-2:]


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> House:
    return House(tmp_path_factory.mktemp("house"))


@pytest.fixture(scope="module")
def plan(house: House) -> CheckPlan:
    return make_plan(load_specs([house.spec]).machines)


def log_text(seed: int) -> str:
    """A log of lines that mostly stand twice, some once, some more often; the time of many is that
    of the line before. It may be of two processes, as compose wraps their lines.
    """
    chance, at, lines = random.Random(seed), 0.0, list[str]()
    names = chance.choice([[""], ["web-1  | ", "web-2  | "]])
    some = chance.sample(SAID, chance.choice([2, 3, len(SAID)]))
    for _ in range(chance.randint(1, 40)):
        at += chance.choice([0, 1])
        said, times = chance.choice(some), chance.choice([1, 2, 2, 2, 3, 4, 5])
        logger = {"House": "house.Main", "all": "shop.Other"}.get(said.split()[0], "house.Door")
        lines += [chance.choice(names) + line(said, at, logger=logger)] * times
    return "".join(f"{text}\n" for text in lines)


@contextmanager
def cut_every(size: int) -> Iterator[None]:
    """Have files read in pieces of so many bytes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(file_reader, "READ_CHUNK_BYTES", size)
        yield


def profile_of(plan: CheckPlan, house: House, *, in_columns: bool) -> Profile:
    """Return what a log shows as a whole, whose pieces are joined."""
    catalogue, store = CatalogueReader(plan), ObservationStore()
    scanner = Scanner(catalogue.scan_literals)
    least = 0 if in_columns else None
    reader = FileReader(plan, catalogue, scanner, default_layouts(), store, least)
    with open_log(house.folder / "a.log") as log:
        pieces = list(reader.pieces(0, log.buffer, 0, log.size))
    return joined([piece.profile for piece in pieces], random.Random(len(pieces)))


def joined(pieces: list[Profile], chance: random.Random) -> Profile:
    """Join pieces in any order of joining."""
    if len(pieces) < 2:
        return pieces[0] if pieces else Profile()
    middle = chance.randint(1, len(pieces) - 1)
    return join_profiles(joined(pieces[:middle], chance), joined(pieces[middle:], chance))


def pairs_of(text: str) -> int:
    """Return how many lines that are known are the second of a pair."""
    alike = ((said, len(list(lines))) for said, lines in groupby(text.splitlines()))
    return sum(count // 2 for said, count in alike if not any(one in said for one in UNKNOWN))


def doubled(profile: Profile) -> dict[str | None, object]:
    return {prefix: dict(unit.doubled) for prefix, unit in profile.units.items()}


@settings(
    max_examples=some_of(100),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    seed=st.integers(0, 10**6),
    size=st.integers(50, 200) | st.integers(200, 3000),
    in_columns=st.booleans(),
)
def test_lines_that_stand_twice_are_counted_exactly(
    plan: CheckPlan, house: House, seed: int, size: int, in_columns: bool
) -> None:
    text = log_text(seed)
    (house.folder / "a.log").write_text(text)
    with cut_every(1 << 20):
        whole = profile_of(plan, house, in_columns=False)
    assert sum(unit.doubled.total() for unit in whole.units.values()) == pairs_of(text)
    with columns(piece=size, block=size):
        assert doubled(profile_of(plan, house, in_columns=in_columns)) == doubled(whole)


def test_equal_lines_with_another_between_them_are_no_pair(plan: CheckPlan, house: House) -> None:
    """Also where one piece ends with that other line, of which nothing is observed."""
    said, between = line(SAID[0]), line("all is quiet", logger="shop.Other")
    text = f"{said}\n{between}\n{said}\n"
    (house.folder / "a.log").write_text(text)
    with cut_every(len(text) - len(said) - 1):
        parted = profile_of(plan, house, in_columns=False)
    assert (parted.lines, parted.records) == (3, 2)
    assert not parted.units[None].doubled
