"""Uneven work: one file or one instance with nine tenths of the lines, and very many files. Bounds are on what tasks are given, for a clock tells little on a busy machine.

Covers: statemachines.conform.engines.spark.stages.file_chunks,
statemachines.conform.engines.spark.stages.placing_stage,
statemachines.conform.engines.spark.stages.step_folding.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import pytest

from statemachines.conform.engines.spark import judging_jobs
from statemachines.conform.engines.spark.observed_files import ObservedFiles, settle_profiles
from statemachines.conform.engines.spark.stages.file_chunks import (
    CHUNK_BYTES,
    LogFile,
    cut_file,
    plan_jobs,
)
from statemachines.conform.engines.spark.stages.instance_weights import spread_instances
from statemachines.conform.engines.spark.stages.observing_stage import (
    ReadSettings,
    chunk_rows,
    make_worker_reader,
)
from statemachines.conform.engines.spark.stages.placing_stage import ObservationPlacer
from statemachines.conform.engines.spark.stages.stage_rows import (
    OBSERVATIONS,
    PROFILE,
    unpack_lines,
)
from statemachines.conform.interchange.check_plan import CheckPlan
from statemachines.logs import default_layouts
from tests.doors import DOOR, House, line
from tests.laws.test_columns import PROPERTIES, World, columns
from tests.spark.same import assert_engines_agree

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytest.importorskip("pyarrow", reason="needs the extra 'spark'")
MEGABYTE = 1 << 20


def task_bytes(sizes: list[int], tasks: int) -> list[int]:
    """Return what each task of a check of some files reads."""
    files = [LogFile(number, f"{number}.log", size) for number, size in enumerate(sizes)]
    return [
        sum(chunk.end - chunk.start for chunk in task)
        for job in plan_jobs(files, tasks=tasks)
        for task in job
    ]


@pytest.mark.parametrize("tasks", [4, 64])
@pytest.mark.parametrize("megabytes", [100, 9_000])
def test_a_file_with_nine_tenths_of_the_lines_is_many_tasks(megabytes: int, tasks: int) -> None:
    """None reads more than twice what most do, wherever the large file stands among the small."""
    small = [megabytes * MEGABYTE // 90] * 10
    for place in (0, 5, 10):
        read = task_bytes([*small[:place], megabytes * MEGABYTE, *small[place:]], tasks)
        assert max(read) <= min(CHUNK_BYTES, 2 * median(read))
        assert len(read) >= min(tasks, megabytes // 8)


@pytest.mark.parametrize("tasks", [4, 64])
def test_ten_thousand_files_are_few_tasks(tasks: int) -> None:
    """A task for each file would start ten thousand times; the last one has what is left."""
    chance = random.Random(1)
    read = task_bytes([chance.randrange(200_000) for _ in range(10_000)], tasks)
    assert len(read) <= max(2 * tasks, sum(read) // MEGABYTE)
    assert max(read) <= 2 * median(read)


def lines_apart(plan: CheckPlan, path: Path, partitions: int) -> Counter[int]:
    """Return how many rows whoever judges a partition has to look at: a line, or many that were
    folded.
    """
    file = LogFile(0, str(path), path.stat().st_size)
    reader = make_worker_reader(ReadSettings(plan, default_layouts()))
    rows = [row for chunk in cut_file(file) for row in chunk_rows(reader, chunk)]
    read = ObservedFiles([("one.log", file)])
    for kind, number, piece, _, body in rows:
        if kind == PROFILE:
            read.add((number, piece, body))
    known, _ = settle_profiles(plan, read)
    places = spread_instances(read.instance_weights(known.context) or {}, partitions)
    placer = ObservationPlacer(known, partitions, places, folds=True)
    found = Counter[int]()
    for kind, number, piece, place, body in rows:
        if kind == OBSERVATIONS:
            for partition, *_, part in placer.rows(number, piece, place, unpack_lines(body)):
                lines, blocks = unpack_lines(part)
                found[partition] += len(lines)
                found[partition] += sum(len(block.lines) + len(block.folded) for block in blocks)
    return found


@pytest.mark.parametrize("spec", [DOOR, PROPERTIES], ids=["plain", "properties"])
def test_an_instance_with_nine_tenths_of_the_lines_is_no_ones_work(
    tmp_path: Path, spec: str
) -> None:
    """Its steps are folded where they are read, so whoever judges it looks at no more rows than
    the others, who have a ninth of its lines.
    """
    world, count = World(tmp_path, spec), 90_000
    house: House = world.house
    steps = [("CLOSED", "OPEN"), ("OPEN", "CLOSED")]
    found = list[str]()
    for place in range(count):
        source, target = steps[place % 2]
        found.append(line(f"Door 7 goes from {source} to {target}", place / 100))
        if place % 9 == 0:
            door, turn = place // 9 % 40 + 100, place // 9 // 40
            source, target = steps[turn % 2]
            found.append(line(f"Door {door} goes from {source} to {target}", place / 100))
    house.write("one.log", found)
    with columns(block=1 << 20, rows=1 << 20):
        apart = lines_apart(world.plan, house.folder / "logs" / "one.log", 4)
    assert len(apart) == 4
    assert max(apart.values()) <= 2 * median(apart.values())
    assert sum(apart.values()) < count / 5


@pytest.mark.long
@pytest.mark.spark
def test_ten_thousand_files_are_judged_alike(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each a few lines of a process of its own."""
    house = House(tmp_path)
    for number in range(10_000):
        moves = [
            "goes from CLOSED to OPEN",
            f"goes from OPEN to {['CLOSED', 'JAMMED'][number % 97 == 0]}",
        ]
        house.write(f"host-{number}.log", [line(f"Door {number} {move}", at) for at, move in enumerate(moves)])  # fmt: skip
    parts = list[int]()
    planned: Callable[..., Any] = judging_jobs.plan_jobs

    def counted(*given: Any, **how: Any) -> Any:
        jobs = planned(*given, **how)
        parts.extend(map(len, jobs))
        return jobs

    monkeypatch.setattr(judging_jobs, "plan_jobs", counted)
    report = assert_engines_agree(
        spark, [tmp_path / "logs"], options={"specs": [house.spec], "timeline": False}
    )
    assert report.checked.files == 10_000
    assert max(parts) <= 16
