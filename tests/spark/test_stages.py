"""The stages of a Spark job as plain functions: any cut of any file, any partitions, the same bytes. No Spark is needed.

Covers: statemachines.conform.engines.spark.judged_results,
statemachines.conform.engines.spark.spark_engine,
statemachines.conform.engines.spark.stages.file_chunks,
statemachines.conform.engines.spark.stages.judging_stage,
statemachines.conform.engines.spark.stages.observing_stage,
statemachines.conform.engines.spark.stages.placing_stage,
statemachines.conform.engines.spark.stages.stage_rows.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from statemachines.conform.check_options import CheckOptions
from statemachines.conform.checking import JudgingRequest, check_locally, make_request
from statemachines.conform.engines.inputs import Input, list_inputs
from statemachines.conform.engines.spark.judged_results import JudgedResults
from statemachines.conform.engines.spark.spark_engine import ObservedFiles, settle_profiles
from statemachines.conform.engines.spark.stages.file_chunks import FileChunk, LogFile
from statemachines.conform.engines.spark.stages.judging_stage import make_judging_function
from statemachines.conform.engines.spark.stages.observing_stage import (
    ReadSettings,
    WorkerReader,
    chunk_rows,
)
from statemachines.conform.engines.spark.stages.placing_stage import ObservationPlacer
from statemachines.conform.engines.spark.stages.stage_rows import (
    OBSERVATION,
    PLACED_COLUMNS,
    PROFILE,
    arrow_batches,
    pack,
    unpack,
)
from statemachines.conform.join.report_sources import FileFacts
from statemachines.model.evidence.reports import Report
from tests.spark.same import assert_same

pytest.importorskip("pyarrow", reason="needs the extra 'spark'")

EXAMPLES = Path(__file__).parent.parent.parent / "examples"


def cut_anywhere(file: LogFile, chance: random.Random, most: int) -> list[FileChunk]:
    """Cut a file at random bytes."""
    cuts = sorted(
        {
            0,
            file.size,
            *(chance.randrange(file.size) for _ in range(chance.randrange(most + 1)) if file.size),
        }
    )
    ends = [*itertools.pairwise(cuts)] or [(0, 0)]
    return [FileChunk(file, number, start, end) for number, (start, end) in enumerate(ends)]


def by_stages(
    request: JudgingRequest,
    inputs: Sequence[Input],
    chance: random.Random,
    *,
    cuts: int,
    partitions: int,
) -> Report:
    """Do what a cluster does, with every order left to chance that a cluster leaves open."""
    files = [
        (entry.name, LogFile(number, str(entry.path), entry.path.stat().st_size))
        for number, entry in enumerate(inputs)
    ]
    kit = WorkerReader(ReadSettings(request.plan, request.layouts))
    pieces = [piece for _, file in files for piece in cut_anywhere(file, chance, cuts)]
    chance.shuffle(pieces)
    rows = [row for piece in pieces for row in chunk_rows(kit, piece)]
    read = ObservedFiles(files)
    for kind, file, number, _, body in rows:
        if kind == PROFILE:
            read.add((file, number, body))
    known, profiles = settle_profiles(request.plan, read)
    placer = ObservationPlacer(known)
    placed = sorted(
        placer.row(file, piece, number, unpack(body))
        for kind, file, piece, number, body in rows
        if kind == OBSERVATION
    )
    results = JudgedResults(known.context, profiles, keeps_timeline=True)
    for part in divided(placed, chance, partitions):
        for batch in make_judging_function(pack(known), timeline=True)(
            arrow_batches(PLACED_COLUMNS, part)
        ):
            for kind, body in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                results.add(kind, body)
    facts = [read.facts.get(file.number, FileFacts()) for _, file in files]
    return results.report(facts, errors=request.errors, interrupted=False)


def divided(
    rows: Sequence[tuple[bytes, bytes, bytes]], chance: random.Random, partitions: int
) -> list[list[tuple[bytes, bytes, bytes]]]:
    """Divide sorted rows between instances, as a partition by ranges does; some partitions may be empty."""
    instances = [list(group) for _, group in itertools.groupby(rows, lambda row: row[0])]
    places = sorted(chance.randrange(len(instances) + 1) for _ in range(partitions - 1))
    return [
        list(itertools.chain(*instances[start:end]))
        for start, end in itertools.pairwise([0, *places, len(instances)])
    ]


def assert_same_by_stages(request: JudgingRequest, folder: Path, chance: random.Random) -> Report:
    """Judge a folder on one machine and by the stages; see that the reports are the same bytes."""
    inputs = [entry for entry in list_inputs([folder], folder) if isinstance(entry, Input)]
    found = by_stages(
        request, inputs, chance, cuts=chance.randrange(12), partitions=chance.randrange(1, 6)
    )
    assert_same(check_locally([folder], request), found)
    return found


@pytest.fixture(scope="module")
def catalogue() -> JudgingRequest:
    """A check by the whole catalogue."""
    return make_request()


@pytest.mark.parametrize("seed", range(6))
def test_any_cut_and_any_partitions_give_the_bytes_of_one_machine(
    catalogue: JudgingRequest, seed: int
) -> None:
    """What a cluster decides by itself must not be seen in a report."""
    assert (
        assert_same_by_stages(catalogue, EXAMPLES / "logs", random.Random(seed)).checked.steps > 50
    )


def test_another_system_is_judged_by_the_same_stages() -> None:
    """Nothing here knows of one system."""
    request = make_request(CheckOptions(specs=[EXAMPLES / "orders" / "Order.yaml"]))
    assert assert_same_by_stages(
        request, EXAMPLES / "orders" / "logs", random.Random(1)
    ).checked.steps


@pytest.mark.long
@pytest.mark.corpus
@pytest.mark.parametrize("seed", range(3))
def test_captures_cut_anywhere_give_the_same_bytes(
    catalogue: JudgingRequest, shared: Path, seed: int
) -> None:
    """Real logs of every kind, cut at random bytes."""
    chance = random.Random(seed)
    folders = [
        path
        for path in sorted((shared / "logs" / "captured").glob("[cs]*"))
        if not list(path.rglob("*.gz"))
    ]
    for folder in chance.sample(folders, 6):
        assert_same_by_stages(catalogue, folder, chance)
