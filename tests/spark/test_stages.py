"""The stages of a Spark job as plain functions: any cut of any file, any partitions, the same bytes. No Spark is needed.

Covers: statemachines.conform.engines.parts.judged_results,
statemachines.conform.engines.spark.spark_engine, statemachines.conform.engines.spark.observed_files,
statemachines.conform.engines.parts.reported_facts, statemachines.conform.engines.parts.result_rows,
statemachines.conform.engines.spark.stages.file_chunks,
statemachines.conform.engines.spark.stages.instance_weights,
statemachines.conform.engines.spark.stages.joining_stage,
statemachines.conform.engines.spark.stages.judging_stage,
statemachines.conform.engines.spark.stages.observing_stage,
statemachines.conform.engines.spark.stages.placing_stage,
statemachines.conform.engines.spark.stages.stage_rows,
statemachines.conform.engines.spark.stages.step_folding, statemachines.conform.join.joined_variants.
"""

from __future__ import annotations

import gc
import itertools
import random
import subprocess
import sys
import tracemalloc
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from statemachines.conform.check_options import CheckOptions
from statemachines.conform.checking import (
    JudgingRequest,
    check_locally,
    finish_report,
    make_request,
)
from statemachines.conform.columns.column_lines import FoldedLines
from statemachines.conform.columns.column_steps import FoldedRows
from statemachines.conform.columns.observation_columns import ObservationColumns
from statemachines.conform.engines.inputs import Input, list_inputs
from statemachines.conform.engines.local import check_files
from statemachines.conform.engines.parts import result_rows
from statemachines.conform.engines.parts.judged_results import JudgedResults
from statemachines.conform.engines.parts.result_rows import JUDGED
from statemachines.conform.engines.spark import observed_files
from statemachines.conform.engines.spark.input_listing import list_logs
from statemachines.conform.engines.spark.observed_files import ObservedFiles, settle_profiles
from statemachines.conform.engines.spark.stages import step_folding
from statemachines.conform.engines.spark.stages.file_chunks import (
    FileChunk,
    LogFile,
    cut_file,
)
from statemachines.conform.engines.spark.stages.instance_weights import spread_instances
from statemachines.conform.engines.spark.stages.joining_stage import (
    JoinSettings,
    episode_rows,
    finding_rows,
)
from statemachines.conform.engines.spark.stages.judging_stage import make_judging_function
from statemachines.conform.engines.spark.stages.observing_stage import (
    ReadSettings,
    chunk_rows,
    make_worker_reader,
)
from statemachines.conform.engines.spark.stages.placing_stage import (
    ObservationPlacer,
    SettledContext,
)
from statemachines.conform.engines.spark.stages.stage_rows import (
    OBSERVATIONS,
    PLACED_COLUMNS,
    PROFILE,
    READ_COLUMNS,
    arrow_batches,
    column_rows,
    pack,
    unpack,
    unpack_lines,
)
from statemachines.conform.judge.plain_steps import PlainSteps
from statemachines.conform.settle.judging_context import InstanceIdentity
from statemachines.logs import default_layouts
from statemachines.logs.storage.listed_files import REPLACED
from statemachines.logs.storage.open_logs import is_divisible
from statemachines.model.evidence.reports import Report
from tests.doors import DOOR, House, line
from tests.effort import some_of
from tests.laws.test_columns import FAULTS, SOME, SPECS, WAYS, World, columns, histories
from tests.laws.test_columns import moves as door_moves
from tests.laws.test_repeated_instances import alike, grouped
from tests.spark.cluster import ROOT
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
    ends = [*itertools.pairwise(cuts)] if file.divisible and file.size else [(0, file.size)]
    return [FileChunk(file, number, start, end) for number, (start, end) in enumerate(ends)]


def read_by_stages(
    request: JudgingRequest, inputs: Sequence[Input], chance: random.Random, *, cuts: int
) -> tuple[ObservedFiles, list[Any]]:
    """Read pieces of files in any order."""
    files = [
        (
            entry.name,
            LogFile(
                number,
                str(entry.path),
                entry.path.stat().st_size,
                divisible=is_divisible(entry.path),
            ),
        )
        for number, entry in enumerate(inputs)
    ]
    reader = make_worker_reader(ReadSettings(request.plan, request.layouts))
    pieces = [piece for _, file in files for piece in cut_anywhere(file, chance, cuts)]
    chance.shuffle(pieces)
    rows = [row for piece in pieces for row in chunk_rows(reader, piece)]
    read = ObservedFiles(files)
    for kind, file, number, _, body in rows:
        if kind == PROFILE:
            read.add((file, number, body))
    return read, rows


def by_stages(
    request: JudgingRequest,
    inputs: Sequence[Input],
    chance: random.Random,
    *,
    cuts: int,
    partitions: int,
    timeline: bool = True,
    at_driver: Callable[[], AbstractContextManager[None]] = nullcontext,
) -> Report:
    """Do what a cluster does, with every order left to chance that a cluster leaves open; what the
    driver does with what was judged, within a context.
    """
    read, rows = read_by_stages(request, inputs, chance, cuts=cuts)
    known, profiles = settle_profiles(request.plan, read)
    observed = [row for row in rows if row[0] == OBSERVATIONS]
    weights = chance.choice([{}, read.instance_weights(known.context) or {}])
    places = spread_instances(weights, partitions)
    judged = list(judged_rows(known, observed, partitions, chance, places, timeline=timeline))
    facts, given = read.file_facts(), pack(profiles)
    with at_driver():
        results = JudgedResults(known.context, profiles, unpack_lines)
        for row in judged:
            results.add(*row)
        report = results.report(facts, errors=request.errors, interrupted=False)
    joining = JoinSettings(known, unpack(given), facts, request.errors, request)
    troubles = judged_rows(
        known, observed, partitions, chance, places, timeline=False, all_of_it=False
    )
    assert_same_troubles(finish_report(report, request), joining.report(troubles))
    return report


def assert_same_troubles(whole: Report, joined: Report) -> None:
    """See that what is joined without the instances that are well has the same tables."""
    for rows in (finding_rows, episode_rows):
        assert list(rows(joined)) == list(rows(whole))


def judged_rows(
    known: SettledContext,
    observed: Sequence[Any],
    partitions: int,
    chance: random.Random,
    places: Mapping[InstanceIdentity, int],
    *,
    timeline: bool,
    all_of_it: bool = True,
) -> Iterator[Any]:
    """Judge what was observed, one partition after the other."""
    for mine in judged_apart(known, observed, partitions, chance, places):
        judge = make_judging_function(
            pack(known), timeline=timeline, placed=partitions > 1, all_of_it=all_of_it
        )
        columns = PLACED_COLUMNS if partitions > 1 else READ_COLUMNS
        for batch in judge(arrow_batches(columns, mine)):
            yield from column_rows(batch, "kind", "partition", "body")


def judged_apart(
    known: SettledContext,
    observed: Sequence[Any],
    partitions: int,
    chance: random.Random,
    places: Mapping[InstanceIdentity, int],
) -> Iterator[list[Any]]:
    """Divide rows of observations by who judges them; one partition takes them as they were read."""
    if partitions == 1:
        yield sorted(observed)
        return
    placer = ObservationPlacer(known, partitions, places, folds=True)
    placed = [
        row
        for _, file, piece, number, body in observed
        for row in placer.rows(file, piece, number, unpack_lines(body))
    ]
    for partition in chance.sample(range(partitions), partitions):
        yield sorted(row for row in placed if row[0] == partition)


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


@pytest.fixture(scope="module")
def doors(tmp_path_factory: pytest.TempPathFactory) -> World:
    """A house with a few doors."""
    return World(tmp_path_factory.mktemp("doors"), DOOR)


@pytest.fixture(scope="module", params=list(SPECS))
def world(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> World:
    """The same with episodes or properties."""
    return World(tmp_path_factory.mktemp(request.param), SPECS[request.param])


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


@SOME
@given(
    lines=histories(),
    cut=st.integers(0, 60),
    second=st.sampled_from(["doors.log.1", "halls.log"]),
    piece=st.sampled_from([300, 1000, 1 << 20]),
    seed=st.integers(0, 99),
)
def test_what_crosses_as_columns_does_not_show_in_a_report(
    world: World, lines: list[str], cut: int, second: str, piece: int, seed: int
) -> None:
    """Whatever is wrong in two files, whose plain lines are columns from the reader to the judge,
    divided among partitions in between.
    """
    inputs = world.inputs(lines[cut:], lines[:cut], second=second)
    request = JudgingRequest(world.plan, default_layouts())
    expected, chance = check_files(world.plan, inputs, default_layouts()), random.Random(seed)
    with columns(piece=piece):
        found = by_stages(request, inputs, chance, cuts=seed % 4, partitions=1 + seed % 3)
    assert_same(expected, found)


def test_plain_lines_cross_as_columns(doors: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the law above would say nothing."""
    divided, part = list[int](), ObservationColumns.part

    def counted(told: ObservationColumns, chosen: Any) -> ObservationColumns:
        found = part(told, chosen)
        divided.append(len(found.lines))
        return found

    monkeypatch.setattr(ObservationColumns, "part", counted)
    request = JudgingRequest(doors.plan, default_layouts())
    inputs = doors.inputs(door_moves(200))
    with columns():
        by_stages(request, inputs, random.Random(1), cuts=1, partitions=3)
    assert sum(divided) > 150
    assert max(divided) < 150


def long_history(chance: random.Random) -> list[str]:
    """Moves of three doors, most of them legal; now and then something else, a line that is lost,
    and one whose time runs back.
    """
    states, found = dict.fromkeys(("7", "31", "d4"), "OPEN"), list[str]()
    often = chance.choice([15, 60, 200])
    for place in range(chance.randrange(100, 400)):
        door = chance.choice(sorted(states))
        before, states[door] = states[door], chance.choice(WAYS[states[door]])
        at = place - chance.choice([0.3, 2, 100]) * (chance.randrange(often) == 0)
        if chance.randrange(often) == 0:
            message = chance.choice(FAULTS).format(d=door, e=chance.randrange(9))
            found.append(line(message, at))
        if chance.randrange(often):
            moves = "bolt moves it" if states[door] == "LOCKED" else "goes"
            level = "DEBUG" if states[door] == "LOCKED" else "INFO"
            found.append(
                line(f"Door {door} {moves} from {before} to {states[door]}", at, level=level)
            )
    return found


@settings(SOME, max_examples=some_of(10))
@given(seed=st.integers(0, 10_000))
def test_what_is_folded_does_not_show_in_a_report(world: World, seed: int) -> None:
    """Steps that are counted where they were read, few or more of them together, whatever stands
    between them or is missing there, in one file or two.
    """
    chance = random.Random(seed)
    lines, second = long_history(chance), chance.choice(["doors.log.1", "halls.log"])
    cut = chance.choice([0, chance.randrange(len(lines))])
    inputs = world.inputs(lines[cut:], lines[:cut], second=second)
    request = JudgingRequest(world.plan, default_layouts())
    expected = check_files(world.plan, inputs, default_layouts())
    with columns(block=chance.choice([1500, 6000])), pytest.MonkeyPatch.context() as patch:
        patch.setattr(step_folding, "FEWEST_FOLDED", chance.randrange(1, 6))
        found = by_stages(request, inputs, chance, cuts=chance.randrange(3), partitions=2)
    assert_same(expected, found)


def test_few_instances_are_spread_over_workers_that_have_something_to_do(doors: World) -> None:
    """Of one instance a hundred partitions would be empty; of rotated files it is one."""
    lines, chance = door_moves(600), random.Random(1)
    inputs = doors.inputs(lines[300:], lines[:300], second="doors.log.1")
    read, _ = read_by_stages(JudgingRequest(doors.plan, default_layouts()), inputs, chance, cuts=3)
    known, _ = settle_profiles(doors.plan, read)
    weights = read.instance_weights(known.context)
    assert weights is not None
    assert sum(weights.values()) == 600
    for partitions in (1, 2, 3):
        places, loads = spread_instances(weights, partitions), Counter[int]()
        for who, place in places.items():
            loads[place] += weights[who]
        assert len(loads) == min(partitions, len(weights))
        assert max(loads.values()) <= max(800 / partitions, *weights.values())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(observed_files, "_OBSERVATIONS_PER_PARTITION", 10)
        assert read.partitions(known.context) == max(2, len(weights))


def test_many_instances_are_not_weighed_one_by_one(doors: World) -> None:
    """What the driver learns of a piece does not grow with them."""
    lines = [line(f"Door {door} goes from OPEN to CLOSED", door) for door in range(1500)]
    inputs, chance = doors.inputs(lines[:800], lines[800:], second="halls.log"), random.Random(1)
    read, _ = read_by_stages(JudgingRequest(doors.plan, default_layouts()), inputs, chance, cuts=0)
    assert read.weights is None
    known, _ = settle_profiles(doors.plan, read)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(observed_files, "_OBSERVATIONS_PER_PARTITION", 10)
        assert read.partitions(known.context) == 150


@pytest.mark.parametrize("faults", [0, 12])
def test_plain_steps_are_judged_where_they_are_read(
    doors: World, monkeypatch: pytest.MonkeyPatch, faults: int
) -> None:
    """One instance of any size must not be one worker's work; where lines between the steps are no
    plain steps, or nothing is known before them, they are judged line by line as ever.
    """
    lines = door_moves(1200)
    for place in range(0, 100 * faults, 100):
        lines.insert(place, line("Door 7 stands OPEN", place))
    taken, take = list[int](), PlainSteps.take_folded

    def counted(steps: PlainSteps, folded: FoldedLines) -> FoldedRows | None:
        rows = take(steps, folded)
        taken.append(len(rows) if rows is not None else -len(folded))
        return rows

    monkeypatch.setattr(PlainSteps, "take_folded", counted)
    monkeypatch.setattr(step_folding, "FEWEST_FOLDED", 10)
    request = JudgingRequest(doors.plan, default_layouts())
    inputs = doors.inputs(lines)
    expected = check_files(doors.plan, inputs, default_layouts())
    with columns(block=8000):
        assert_same(expected, by_stages(request, inputs, random.Random(1), cuts=1, partitions=3))
    assert sum(taken) > 600


@given(
    st.lists(
        st.tuples(st.integers(-128, 127), st.integers(0, 9), st.integers(0, 1 << 60), st.binary()),
        min_size=1,
    )
)
def test_columns_between_the_stages_are_what_arrow_makes_of_their_values(rows: list[Any]) -> None:
    """They are made of their bytes."""
    columns = "kind tinyint, file int, number bigint, body binary"
    (batch,) = arrow_batches(columns, rows)
    assert [*zip(*batch.to_pydict().values(), strict=True)] == rows
    batch.validate(full=True)


@SOME
@given(
    lines=grouped(),
    cut=st.integers(0, 30),
    second=st.sampled_from(["doors.log.1", "halls.log"]),
    members=st.sampled_from([1, 3, 50_000]),
    seed=st.integers(0, 99),
)
def test_instances_that_went_alike_on_several_workers_are_one_group(
    world: World, lines: list[str], cut: int, second: str, members: int, seed: int
) -> None:
    """Whoever judged them, in one log and in two processes, with and without a timeline."""
    inputs, timeline = world.inputs(lines[cut:], lines[:cut], second=second), bool(seed % 2)
    request, chance = JudgingRequest(world.plan, default_layouts()), random.Random(seed)
    expected = check_files(world.plan, inputs, default_layouts(), timeline=timeline)
    with columns(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(result_rows, "_MEMBERS_PER_ROW", members)
        found = by_stages(
            request, inputs, chance, cuts=seed % 4, partitions=1 + seed % 3, timeline=timeline
        )
    assert_same(expected, found)


def test_of_instances_that_went_alike_the_driver_gets_no_judgements(
    doors: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the law above would say nothing."""
    received, add = list[int](), JudgedResults.add

    def counted(results: JudgedResults, kind: int, part: int, body: bytes) -> None:
        received.append(len(unpack_lines(body)[0]) if kind == JUDGED else 0)
        add(results, kind, part, body)

    monkeypatch.setattr(JudgedResults, "add", counted)
    request = JudgingRequest(doors.plan, default_layouts())
    inputs = doors.inputs(alike(100, "CLOSED"))
    with columns():
        found = by_stages(request, inputs, random.Random(1), cuts=0, partitions=3, timeline=False)
    assert len(found.now) == found.checked.instances == 100
    assert sum(received) < 60, "of a hundred, judged once for the report and once for the tables"


def test_a_worker_needs_no_pandas_to_read_and_to_judge(doors: World) -> None:
    """Importing it takes half a second, in each worker."""
    spec, path = doors.house.spec, doors.inputs(door_moves(50))[0].path
    code = f"""import random, sys
from tests.spark.test_stages import by_stages, make_request, CheckOptions, list_inputs
from pathlib import Path
inputs = list_inputs([{str(path)!r}], Path({str(path.parent)!r}))
assert "pandas" not in sys.modules
assert by_stages(make_request(CheckOptions(specs=[{str(spec)!r}])), inputs, random.Random(1), cuts=1, partitions=2).checked.steps == 50
print("pandas" in sys.modules)"""
    told = subprocess.check_output([sys.executable, "-c", code], text=True, cwd=ROOT)
    assert told == "False\n"


def test_the_driver_holds_little_of_an_instance_that_is_well(doors: World) -> None:
    """A check of ten million instances is bounded by their keys, and by where each is at the end."""
    peaks, request = list[int](), JudgingRequest(doors.plan, default_layouts())

    @contextmanager
    def measured() -> Iterator[None]:
        tracemalloc.start()
        yield
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()

    # the first run fills what the process keeps, and collections come when they come
    for count in (1500, 500, 1500):
        gc.collect()
        inputs = doors.inputs(
            [line(f"Door {door} goes from OPEN to CLOSED", door) for door in range(count)]
        )
        found = by_stages(
            request,
            inputs,
            random.Random(1),
            cuts=0,
            partitions=2,
            timeline=False,
            at_driver=measured,
        )
        assert len(found.now) == count
    assert (peaks[2] - peaks[1]) / 1000 < 700, peaks


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


@pytest.mark.parametrize("lost", [False, True])
def test_logs_that_are_rotated_meanwhile_are_read_as_they_were_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lost: bool
) -> None:
    """A worker that opens a file by its name alone reads another one, and nobody is told."""
    logs = tmp_path / "logs"
    logs.mkdir()
    for at, name in enumerate(("house.log.1", "house.log")):
        lines = [line(f"Door d{at} stands OPEN", at * 20 + second) for second in range(9)]
        (logs / name).write_text("\n".join([*lines, ""]))
    request = make_request(CheckOptions(specs=[House(tmp_path / "house").spec]))
    monkeypatch.chdir(tmp_path)
    files = list_logs(["logs"], tmp_path).files
    (logs / "house.log.1").rename(logs / "house.log.2")
    (logs / "house.log").rename(logs / "house.log.1")
    (logs / "house.log").write_text(line("Door e stands GONE", 99) + "\n")
    if lost:
        (logs / "house.log.2").unlink()
    monkeypatch.chdir("/")
    reader = make_worker_reader(ReadSettings(request.plan, request.layouts))
    read = ObservedFiles(files)
    for piece in (piece for _, file in files for piece in cut_file(file, 200)):
        for kind, number, chunk, _, body in chunk_rows(reader, piece):
            if kind == PROFILE:
                read.add((number, chunk, body))
    _, profiles = settle_profiles(request.plan, read)
    assert [profile.records for profile in profiles] == [9, 0 if lost else 9]
    assert read.errors() == ((f"house.log.1: {REPLACED}",) if lost else ())
    notes = [facts.problems for facts in read.file_facts()]
    assert "renamed to house.log.1" in notes[0][0]
    assert (REPLACED if lost else "renamed to house.log.2") in notes[1][0]
