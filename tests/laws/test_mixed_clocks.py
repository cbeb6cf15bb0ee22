"""Law: where some lines of a process tell a date and others only a time of day, what is read does
not depend on where a reader cuts the log.

Covers: statemachines.conform.interchange.profiles, statemachines.conform.engines.file_reader.
"""

from __future__ import annotations

import random
from itertools import groupby

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from statemachines.conform.checking import load_specs, make_plan
from statemachines.conform.engines import file_reader
from statemachines.conform.engines.file_reader import FileReader, join_chunks
from statemachines.conform.engines.observation_store import ObservationStore
from statemachines.conform.interchange.check_plan import CheckPlan
from statemachines.conform.interchange.observations import Observation
from statemachines.conform.interchange.profiles import ProcessEvent
from statemachines.conform.observe.catalogue_reader import CatalogueReader
from statemachines.logs import Scanner, default_layouts, open_log
from tests.doors import House, line
from tests.effort import some_of

SAID = (
    "Door a stands OPEN",
    "Door b goes from OPEN to CLOSED",
    "House program starting up",
    "quiet",
)
Read = tuple[list[Observation], list[ProcessEvent], int | None]
"""What lines tell, what they tell of the process, and the latest time."""


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> House:
    return House(tmp_path_factory.mktemp("house"))


@pytest.fixture(scope="module")
def plan(house: House) -> CheckPlan:
    return make_plan(load_specs([house.spec]).machines)


def log_text(seed: int) -> str:
    """A log of some days, of which lines tell the date, or do not, for a while."""
    chance, at, lines = random.Random(seed), 0.0, list[str]()
    often, is_dated = chance.choice([0.05, 0.3, 1]), True
    for _ in range(chance.randint(1, 40)):
        at += chance.choice([0, 1, 3600, 30_000])
        is_dated ^= chance.random() < often
        said = chance.choice(SAID)
        text = line(said, at, logger="house.Main" if said.startswith("House") else "house.Door")
        lines.append(text if is_dated else f"[{text[len('[2026-01-02 ') :]}")
    return "".join(f"{text}\n" for text in lines)


def read(plan: CheckPlan, house: House, size: int) -> Read:
    """Read a log in pieces of a size, and return what the joined pieces show."""
    catalogue, found = CatalogueReader(plan), list[Observation]()
    scanner, store = Scanner(catalogue.scan_literals), ObservationStore()
    reader = FileReader(plan, catalogue, scanner, default_layouts(), store)
    with pytest.MonkeyPatch.context() as patch, open_log(house.folder / "a.log") as log:
        patch.setattr(file_reader, "READ_CHUNK_BYTES", size)
        profile, _ = join_chunks(
            reader.pieces(0, log.buffer, 0, log.size),
            lambda piece, shift: found.extend(shift.shifted_observations(piece.observations)),
            lambda _: None,
        )
    unit = profile.unit(None)
    return found, unit.process_events, unit.reached


@settings(
    max_examples=some_of(200),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(seed=st.integers(0, 10**6), size=st.integers(50, 2000))
def test_a_cut_does_not_show(plan: CheckPlan, house: House, seed: int, size: int) -> None:
    """Neither in the time of a line, nor in the latest that its process had come to."""
    (house.folder / "a.log").write_text(log_text(seed))
    assert read(plan, house, size) == read(plan, house, 1 << 20)


def test_such_logs_pass_midnights_and_change_their_clock() -> None:
    """Else the law above would say nothing."""
    logs = [log_text(seed).splitlines() for seed in range(50)]
    dated = [[text.startswith("[2026") for text in lines] for lines in logs]
    assert sum(len(list(groupby(each))) > 2 for each in dated) > 10
