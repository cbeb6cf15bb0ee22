"""Where few lines tell something, a file is read in larger pieces: without gaps, with the same
report, and never so much at once that memory grows where many lines do.

Covers: statemachines.conform.engines.file_reader.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from statemachines.conform.checking import load_specs, make_plan
from statemachines.conform.engines import file_reader
from statemachines.conform.engines.file_reader import FileReader, ReadChunk
from statemachines.conform.engines.inputs import list_inputs
from statemachines.conform.engines.local import check_files
from statemachines.conform.engines.observation_store import ObservationStore
from statemachines.conform.interchange.check_plan import CheckPlan
from statemachines.conform.observe.catalogue_reader import CatalogueReader
from statemachines.logs import Scanner, default_layouts, open_log
from statemachines.report.json_format import to_json
from tests.doors import House, line
from tests.effort import some_of

LEAST = 700
MOST = LEAST << 2
TELLING = (
    "Door d stands OPEN",
    "Door d goes from OPEN to CLOSED",
    "Door d goes from CLOSED to OPEN",
    "Door e stands LOCKED",
)
SHARES = st.lists(st.tuples(st.sampled_from([0.0, 0.05, 1.0]), st.integers(1, 150)), max_size=5)
"""Of parts of a log, how many of its lines tell something, and how many lines it has."""


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> House:
    return House(tmp_path_factory.mktemp("house"))


@pytest.fixture(scope="module")
def plan(house: House) -> CheckPlan:
    return make_plan(load_specs([house.spec]).machines)


@contextmanager
def pieces_of(least: int) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(file_reader, "READ_CHUNK_BYTES", least)
        yield


def log_text(parts: list[tuple[float, int]], seed: int) -> str:
    chooser, now = random.Random(seed), 0
    said = list[str]()
    for share, count in parts:
        for _ in range(count):
            now += 10
            tells = chooser.random() < share
            said.append(
                line(chooser.choice(TELLING), now)
                if tells
                else line("all is quiet", now, logger="shop.Other")
            )
    return "".join(text + "\n" for text in said)


def read_pieces(plan: CheckPlan, house: House) -> list[ReadChunk]:
    catalogue = CatalogueReader(plan)
    scanner, store = Scanner(catalogue.scan_literals), ObservationStore()
    reader = FileReader(plan, catalogue, scanner, default_layouts(), store)
    with open_log(house.folder / "a.log") as log:
        return list(reader.pieces(0, log.buffer, 0, log.size))


def report(plan: CheckPlan, house: House) -> str:
    inputs = list_inputs([str(house.folder / "a.log")], house.folder)
    return "".join(to_json(check_files(plan, inputs, default_layouts())))


@settings(
    max_examples=some_of(60),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(parts=SHARES, seed=st.integers(0, 10**6))
def test_pieces_grow_while_few_lines_tell_something(
    plan: CheckPlan, house: House, parts: list[tuple[float, int]], seed: int
) -> None:
    text = log_text(parts, seed)
    (house.folder / "a.log").write_text(text)
    with pieces_of(LEAST):
        pieces, in_pieces = read_pieces(plan, house), report(plan, house)
    sizes = [piece.size for piece in pieces]
    assert sum(sizes) == len(text)
    assert sizes[:1] <= [LEAST]
    for (before, after), piece in zip(pairwise(sizes[:-1]), pieces, strict=False):
        assert after == (min(2 * before, MOST) if piece.has_few else LEAST)
    assert in_pieces == report(plan, house)


@pytest.mark.parametrize(("share", "largest"), [(0.0, MOST), (1.0, LEAST)])
def test_a_log_of_which_all_or_nothing_tells_something(
    plan: CheckPlan, house: House, share: float, largest: int
) -> None:
    (house.folder / "a.log").write_text(log_text([(share, 1000)], 1))
    with pieces_of(LEAST):
        assert max(piece.size for piece in read_pieces(plan, house)) == largest
