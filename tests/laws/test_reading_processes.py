"""Laws of `--jobs`: whoever reads the logs, and whoever dies of it, the report is the same.

Covers: statemachines.conform.engines.processes.parallel_reader,
statemachines.conform.engines.processes.parallel_check,
statemachines.conform.engines.processes.worker_processes,
statemachines.conform.engines.processes.reading_tasks,
statemachines.conform.engines.processes.part_files, statemachines.conform.engines.local,
statemachines.conform.engines.processes.prepared_copies, statemachines.model.arrays,
statemachines.conform.engines.file_reader, statemachines.conform.columns.stored_texts,
statemachines.conform.engines.parts.result_rows.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from statemachines.conform import check
from statemachines.conform.checking import load_specs, make_plan
from statemachines.conform.engines import file_reader, local
from statemachines.conform.engines.file_reader import FileReader
from statemachines.conform.engines.inputs import Input, list_inputs
from statemachines.conform.engines.local import process_count
from statemachines.conform.engines.observation_store import ObservationStore
from statemachines.conform.engines.parts.judged_results import JudgedResults
from statemachines.conform.engines.processes import parallel_reader, worker_processes
from statemachines.conform.engines.processes.parallel_check import unpack_row
from statemachines.conform.engines.processes.parallel_reader import ParallelFileReader
from statemachines.conform.engines.processes.part_files import (
    PartFolder,
    PartWriter,
    PlacedBlock,
)
from statemachines.conform.engines.processes.reading_tasks import (
    ReadEnd,
    ReadTask,
    TaskResult,
    do_task,
    plan_tasks,
)
from statemachines.conform.engines.processes.worker_processes import JudgingTask, pack_row
from statemachines.conform.interchange.check_plan import CheckPlan
from statemachines.conform.observe.catalogue_reader import CatalogueReader
from statemachines.logs import Scanner, default_layouts
from statemachines.logs.storage.listed_files import REPLACED
from statemachines.model.evidence.verdicts import Verdict
from statemachines.report.json_format import to_json
from statemachines.report.text.document import to_text
from tests.doors import House, line, lines
from tests.effort import some_of
from tests.growing_logs import Host

SOME = settings(
    max_examples=some_of(25),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


def make_reader(plan: CheckPlan, store: ObservationStore) -> FileReader:
    catalogue = CatalogueReader(plan)
    return FileReader(plan, catalogue, Scanner(catalogue.scan_literals), default_layouts(), store)


class MortalWorker:
    """Reads in this process, with forms of lines of its own, until it dies."""

    def __init__(self, plan: CheckPlan, writer: PartWriter, results_until_death: int) -> None:
        self._reader, self._left = make_reader(plan, ObservationStore()), results_until_death
        self._writer, self._tasks = writer, deque[ReadTask]()

    def give(self, task: ReadTask) -> None:
        """Take a task, as the pipe of a dead process does."""
        self._tasks.append(task)

    def results(self) -> Iterator[TaskResult]:
        """Do the oldest task."""
        for result in do_task(self._reader, self._tasks.popleft(), self._writer):
            self._left -= 1
            if self._left < 0:
                raise EOFError
            yield result


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> CheckPlan:
    house = House(tmp_path_factory.mktemp("house"))
    return make_plan(load_specs([house.spec]).machines)


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path)


@pytest.fixture
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut short logs into several tasks of several pieces."""
    monkeypatch.setattr(file_reader, "READ_CHUNK_BYTES", 200)


@pytest.fixture(params=["copies of this process", "new processes"])
def begun(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """In what way processes begin."""
    is_copy = request.param == "copies of this process"
    monkeypatch.setattr(worker_processes, "may_copy", lambda: is_copy)


def inputs_of(folder: Path) -> list[Input]:
    found = list_inputs([str(folder)], folder)
    return [entry for entry in found if isinstance(entry, Input)]


def report_by_workers(
    plan: CheckPlan, inputs: list[Input], lives: Sequence[int], parts: int = 2
) -> str:
    """Read with workers that die after so many results, judge in parts, and return the report."""
    with tempfile.TemporaryDirectory() as path, ExitStack() as stack:
        folder, blocks = PartFolder(Path(path), parts), list[PlacedBlock]()
        numbers = range(len(lives) + 1)
        writers = [stack.enter_context(PartWriter(folder, number, plan)) for number in numbers]
        workers = [MortalWorker(plan, *of) for of in zip(writers, lives, strict=False)]
        own = make_reader(plan, ObservationStore())
        reader = ParallelFileReader(own, writers[-1], workers, inputs, blocks.append)
        reads = local.FileReads(reader, inputs, None)
        reads.read_all()
        results = JudgedResults(
            reads.context(plan), [file.profile for file in reads.files], unpack_row
        )
        packed = JudgingTask(results.context, blocks, True, len(writers)).packed()
        for part in range(parts):
            for kind, row in JudgingTask.unpacked(packed, plan).rows(folder, part):
                results.add(kind, part, pack_row(row))
        report = results.report(
            [file.facts for file in reads.files], errors=tuple(reads.errors), interrupted=False
        )
    return "".join(to_json(report))


@SOME
@given(
    seed=st.integers(0, 10**6),
    lives=st.lists(st.one_of(st.just(10**6), st.integers(0, 30)), min_size=1, max_size=4),
    parts=st.sampled_from([1, 2, 3, 5]),
)
@pytest.mark.usefixtures("small_pieces")
def test_any_number_of_workers_gives_the_report_of_one_reader(
    plan: CheckPlan,
    tmp_path_factory: pytest.TempPathFactory,
    seed: int,
    lives: list[int],
    parts: int,
) -> None:
    """Byte for byte, over rotated and compressed logs, also where workers die at any result."""
    folder = tmp_path_factory.mktemp("host")
    host = Host(folder, random.Random(seed))
    for _ in range(3):
        host.one_day()
    inputs = inputs_of(folder)
    whole = local.check_files(plan, inputs, default_layouts())
    assert report_by_workers(plan, inputs, lives, parts) == "".join(to_json(whole))


@pytest.mark.usefixtures("small_pieces")
def test_a_task_that_is_left_out_would_be_noticed(
    plan: CheckPlan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The law above has teeth: readers that take some tasks too few give another report."""
    (tmp_path / "a.log").write_text("\n".join(lines(*["Door d stands OPEN"] * 100)) + "\n")
    inputs, whole = inputs_of(tmp_path), list(plan_tasks(0, tmp_path / "a.log"))
    assert len(whole) > 3
    before = report_by_workers(plan, inputs, [10**6])
    monkeypatch.setattr(parallel_reader, "plan_tasks", lambda number, path: iter(whole[:-2]))
    assert report_by_workers(plan, inputs, [10**6]) != before


@pytest.mark.usefixtures("small_pieces", "begun")
def test_processes_give_the_report_of_one(house: House, tmp_path: Path) -> None:
    """Through the door of users; what one of the paths cannot be read for is said by both."""
    folder = tmp_path / "logs"
    folder.mkdir()
    Host(folder, random.Random(3)).one_day()
    (folder / "picture.log").write_bytes(bytes(range(256)) * 40)
    paths = [folder, tmp_path / "missing.log"]
    one, several = (
        "".join(to_json(check(paths, specs=[house.spec], engine="local", jobs=jobs)))
        for jobs in (1, 2)
    )
    assert one == several


@pytest.mark.usefixtures("small_pieces", "begun")
def test_the_work_of_a_process_that_is_killed_is_done(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a system does that runs out of memory."""
    start = worker_processes.start_process

    def start_and_kill(
        reader: FileReader,
        folder: PartFolder,
        others: Sequence[worker_processes.WorkerProcess],
    ) -> worker_processes.WorkerProcess:
        worker = start(reader, folder, others)
        worker.process.kill()
        return worker

    path = house.write("a.log", lines(*["Door d stands OPEN"] * 100))
    whole = check([path], specs=[house.spec], engine="local")
    monkeypatch.setattr(worker_processes, "start_process", start_and_kill)
    left = check([path], specs=[house.spec], engine="local", jobs=2)
    assert list(to_json(left)) == list(to_json(whole))


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="asks Linux what runs")
def test_a_process_is_copied_only_where_nothing_else_runs_in_it() -> None:
    """A thread may hold a lock, which a copy would wait for for ever."""
    code = (
        "import threading; from statemachines.conform.engines.processes.worker_processes import may_copy;"
        "alone = may_copy(); done = threading.Event();"
        "thread = threading.Thread(target=done.wait); thread.start();"
        "print(alone, may_copy()); done.set()"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout == "True False\n"


_WHO_LOADS = """
import os, sys

class Noting:
    def find_spec(self, name, path=None, target=None):
        if name in ("numpy", "stringzilla"):
            os.write(1, f"{name} {os.getpid() == first}\\n".encode())

first = os.getpid()
sys.meta_path.insert(0, Noting())
os.register_at_fork(after_in_child=lambda: os.write(1, b"copied\\n"))
from statemachines.conform.engines import file_reader
from statemachines.cli import main
file_reader.READ_CHUNK_BYTES = 1 << 20
assert main(["check", sys.argv[1], "--jobs", "2", "--format", "json", "-o", os.devnull]) < 4
print("threads", os.environ.get("OPENBLAS_NUM_THREADS"))
"""


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="asks Linux what runs")
def test_copies_load_nothing_again(tmp_path: Path) -> None:
    """Each would take a fifth of a second: what reads sparse logs was loaded before they began."""
    pytest.importorskip("numpy")
    pytest.importorskip("stringzilla")
    log = tmp_path / "sparse.log"
    log.write_text("[2026-11-21 12:00:00,000] INFO order 17 packed (org.Orders)\n" * 100_000)
    command = [sys.executable, "-c", _WHO_LOADS, str(log)]
    environment = {name: of for name, of in os.environ.items() if "THREADS" not in name}
    told = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    told_lines = told.stdout.splitlines()
    assert told_lines.count("copied") == 2
    assert {"numpy True", "stringzilla True"} <= {*told_lines}
    assert not {"numpy False", "stringzilla False"} & {*told_lines}
    assert told_lines[-1] == "threads None", "others may want theirs"


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="asks Linux what runs")
@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_no_process_outlives_the_one_that_began_it(tmp_path: Path, end: signal.Signals) -> None:
    """However that one ends, while all of them read."""
    log = tmp_path / "some.log"
    log.write_bytes(b"2026-11-21 12:00:00,000 INFO nothing happens here (a.B)\n" * 1_000_000)
    command = [sys.executable, "-m", "statemachines", "check", str(log), "--jobs", "2", "--quiet"]
    whole = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    children = Path(f"/proc/{whole.pid}/task/{whole.pid}/children")
    until = time.monotonic() + 60
    while len(begun := children.read_text().split()) < 2 and time.monotonic() < until:
        time.sleep(0.01)
    whole.send_signal(end)
    whole.wait(60)
    while any(Path(f"/proc/{pid}").exists() for pid in begun) and time.monotonic() < until:
        time.sleep(0.01)
    assert len(begun) >= 2
    assert not [pid for pid in begun if Path(f"/proc/{pid}").exists()]


class StopAfter:
    """Presses Ctrl-C when so many pieces are read."""

    def __init__(self, pieces: int) -> None:
        self.left = pieces

    def __call__(self, done: int, whole: int) -> None:
        """Count a piece."""
        self.left -= 1
        if not self.left:
            raise KeyboardInterrupt


@pytest.mark.usefixtures("small_pieces", "begun")
def test_after_an_interrupt_what_was_read_is_judged(house: House) -> None:
    """Half a log broke nothing; no process is left behind that would read the other half."""
    sound = ["Door d goes from CLOSED to OPEN", "Door d goes from OPEN to CLOSED"] * 40
    path = house.write("a.log", lines(*sound))
    report = check([path], specs=[house.spec], engine="local", jobs=2, progress=StopAfter(3))
    assert report.interrupted
    assert report.verdict is Verdict.INCONCLUSIVE
    assert 0 < report.checked.steps < len(sound)


def test_a_file_that_is_cut_while_it_is_read_is_said_to_be(plan: CheckPlan, tmp_path: Path) -> None:
    """A range that is not there any more is no empty one."""
    path = tmp_path / "a.log"
    path.write_text(line("Door d stands OPEN") + "\n")
    reader = make_reader(plan, ObservationStore())
    with PartWriter(PartFolder(tmp_path, 1), 0, plan) as writer:
        *_, end = do_task(reader, ReadTask(0, path, 0, 10**6), writer)
    assert isinstance(end, ReadEnd)
    assert end.incomplete_reason is not None
    assert "cut" in end.incomplete_reason


def test_a_file_that_is_gone_when_its_turn_comes_is_an_error(
    plan: CheckPlan, tmp_path: Path
) -> None:
    """It was there when the work was planned."""
    for name in ("a.log", "b.log"):
        (tmp_path / name).write_text(line("Door d stands OPEN") + "\n")
    inputs = [Input(name, tmp_path / name, True) for name in ("a.log", "b.log")]
    with PartWriter(PartFolder(tmp_path, 1), 0, plan) as writer:
        workers = [MortalWorker(plan, writer, 10**6)]
        reader = make_reader(plan, ObservationStore())
        reading = ParallelFileReader(reader, writer, workers, inputs, lambda _: None)
        reads = local.FileReads(reading, inputs, None)
        (tmp_path / "a.log").unlink()
        reads.read_all()
    assert reads.errors == ["a.log: No such file or directory"]
    assert reads.files[1].profile.records == 1


@pytest.mark.parametrize("jobs", [0, 1, 2])
def test_a_file_that_went_before_any_work_was_planned_is_named(
    plan: CheckPlan, tmp_path: Path, jobs: int
) -> None:
    """A folder is rotated while it is checked: the other files count, and the summary has a line."""
    for name in ("a.log", "b.log"):
        (tmp_path / name).write_text(line("Door d stands OPEN") + "\n")
    inputs = inputs_of(tmp_path)
    (tmp_path / "a.log").unlink()
    report = local.check_files(plan, inputs, default_layouts(), jobs=jobs)
    assert report.checked.observations == 1
    assert f"a.log: cannot be read: {REPLACED}" in " ".join("".join(to_text(report)).split())
    assert report.errors == (f"a.log: {REPLACED}",)


def test_a_pipe_is_nobody_elses(tmp_path: Path) -> None:
    """Who opens a pipe twice takes lines from the one who reads it."""
    os.mkfifo(tmp_path / "pipe")
    assert list(plan_tasks(0, tmp_path / "pipe")) == []


def test_small_logs_are_read_by_one_process(tmp_path: Path) -> None:
    """Starting others would cost more than reading."""
    (tmp_path / "a.log").write_text("some line\n")
    small = inputs_of(tmp_path)
    assert process_count(0, small) == 1
    assert process_count(3, small) == 3


def test_large_logs_are_read_by_all_cores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Unless a number is asked for."""
    (tmp_path / "a.log").write_text("some line\n")
    monkeypatch.setattr(local, "PARALLEL_BYTES", 5)
    monkeypatch.setattr(local, "_usable_cores", lambda: 7)
    assert process_count(0, inputs_of(tmp_path)) == 7
    assert process_count(1, inputs_of(tmp_path)) == 1


@pytest.mark.parametrize(("jobs", "error"), [(-1, ValueError), (True, TypeError), (1.5, TypeError)])
def test_odd_numbers_of_processes_are_refused(jobs: object, error: type[Exception]) -> None:
    """Before anything is read."""
    with pytest.raises(error):
        check("logs", jobs=jobs)
