"""Observations on disk: each once, in its order, with the generation that an earlier line told.

Covers: statemachines.conform.engines.spilled_observations.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from statemachines.conform.checking import load_specs, make_plan
from statemachines.conform.engines import local, spilled_observations
from statemachines.conform.engines.inputs import Input, list_inputs
from statemachines.conform.engines.observation_store import ObservationStore
from statemachines.conform.engines.spilled_observations import SpilledObservations
from statemachines.conform.interchange.check_plan import CheckPlan
from statemachines.conform.interchange.observations import Observation
from statemachines.logs import default_layouts
from statemachines.report.json_format import to_json
from tests.doors import House, line


def read_doors(folder: Path, numbers: Sequence[int]) -> tuple[local.FileReads, ObservationStore]:
    """Read a log in which doors of these numbers open."""
    house = House(folder)
    path = house.write("a.log", [line(f"Door {n} goes from CLOSED to OPEN", n) for n in numbers])
    store = ObservationStore()
    plan = make_plan(load_specs([house.spec]).machines)
    return local.read_files(plan, [Input("a.log", path, True)], default_layouts(), store), store


def test_an_interrupted_write_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was to be written is still in memory then, and is written once more."""
    reads, store = read_doors(tmp_path, [1, 2, 3])
    plan = reads._reader.plan
    context = reads.context(plan)
    observations: list[Observation] = store._in_memory
    spilled = SpilledObservations()
    write_batch = SpilledObservations._write_batch

    def interrupted(self: SpilledObservations, some: Sequence[Observation]) -> object:
        if some[0].key == ("2",):
            raise KeyboardInterrupt
        return write_batch(self, some)

    spilled.write(observations[:1])
    with monkeypatch.context() as patch:
        patch.setattr(SpilledObservations, "_write_batch", interrupted)
        with pytest.raises(KeyboardInterrupt):
            spilled.write(observations)
    spilled.write(observations[1:])
    found = spilled.instances(context, [])
    assert sorted(seen.key for mine in found.values() for seen in mine) == [("1",), ("2",), ("3",)]
    spilled.close()


def report(plan: CheckPlan, inputs: Sequence[Input]) -> str:
    return "".join(to_json(local.check_files(plan, inputs, default_layouts())))


@pytest.mark.parametrize("name", ["c231_failover", "c01022_deletion"])
def test_captures_are_judged_the_same_on_disk(
    shared: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Several files of several processes, instances that they share, generations told elsewhere."""
    folder = shared / "logs" / "captured" / name
    plan = make_plan(load_specs(None).machines)
    inputs = [one for one in list_inputs([folder], folder) if isinstance(one, Input)]
    expected = report(plan, inputs)
    monkeypatch.setattr(local, "ObservationStore", lambda: ObservationStore(in_memory=5))
    monkeypatch.setattr(spilled_observations, "MOST_IN_BATCH", 3)
    assert report(plan, inputs) == expected
