"""Laws of processes that judge: any number gives the same bytes, whoever ends while they judge.

Covers: statemachines.conform.engines.processes.parallel_check,
statemachines.conform.engines.processes.worker_processes,
statemachines.conform.engines.processes.part_files,
statemachines.conform.engines.parts.judged_results,
statemachines.conform.engines.parts.result_rows, statemachines.conform.engines.local.
"""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from attrs import evolve
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from statemachines.conform import check
from statemachines.conform.check_options import CheckOptions
from statemachines.conform.checking import (
    JudgingRequest,
    check_locally,
    finish_report,
    make_request,
)
from statemachines.conform.columns import stored_columns, stored_texts
from statemachines.conform.engines import file_reader
from statemachines.conform.engines.parts.judged_results import JudgedResults
from statemachines.conform.engines.processes import worker_processes
from statemachines.conform.engines.processes.parallel_check import JudgingProcesses
from statemachines.conform.judge import plain_steps
from statemachines.conform.observe import form_columns, line_forms
from statemachines.logs.records import plain_columns
from statemachines.report.json_format import to_json
from statemachines.report.text.document import to_text
from tests.doors import House, line, lines
from tests.effort import some_of
from tests.faulty_logs import with_faults
from tests.growing_logs import Host

LOGS = Path(__file__).parents[2] / "examples" / "logs"
CAPTURES = sorted(path for path in LOGS.iterdir() if path.is_dir())
ON_LINUX = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="asks Linux what runs")


@pytest.fixture(scope="module")
def request_() -> JudgingRequest:
    """The whole shipped catalogue."""
    return make_request(CheckOptions())


@contextmanager
def in_pieces(size: int, *, columns: bool) -> Iterator[None]:
    """Cut short logs into pieces, read lines as columns, and begin processes as copies."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(file_reader, "READ_CHUNK_BYTES", size)
        patch.setattr(worker_processes, "may_copy", lambda: True)
        if columns:
            patch.setattr(file_reader, "COLUMNS_FROM", 1)
            patch.setattr(line_forms, "LEARNT_AT", 1)
            patch.setattr(plain_columns, "LEAST_LINES", 1)
            patch.setattr(form_columns, "LEAST_OF_FORM", 1)
            patch.setattr(plain_steps, "FEWEST", 1)
            patch.setattr(stored_columns, "ROWS_IN_MEMORY", 50)
            patch.setattr(stored_texts, "TEXT_IN_MEMORY", 100)
        yield


def judged(request: JudgingRequest, logs: Path, jobs: int) -> tuple[str, str]:
    """Return the reports for programs and for people."""
    asked = evolve(request, options=evolve(request.options, jobs=jobs))
    report = finish_report(check_locally([str(logs)], asked), asked)
    return "".join(to_json(report)), "".join(to_text(report))


@pytest.mark.parametrize("columns", [False, True], ids=["lines", "columns"])
@pytest.mark.parametrize("capture", CAPTURES, ids=lambda path: path.name)
def test_any_number_of_processes_judges_captures_alike(
    request_: JudgingRequest, tmp_path: Path, capture: Path, columns: bool
) -> None:
    """With faults in their lines, and with none."""
    planted = tmp_path / "planted"
    with_faults(capture, planted, random.Random(capture.name), 8)
    with in_pieces(30_000, columns=columns):
        for logs, numbers in ((capture, (2,)), (planted, (3, 5))):
            whole = judged(request_, logs, 1)
            for jobs in numbers:
                assert judged(request_, logs, jobs) == whole


SETTINGS = settings(
    max_examples=some_of(12),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@SETTINGS
@given(
    seed=st.integers(0, 10**6),
    jobs=st.sampled_from([2, 3, 5]),
    zone=st.sampled_from([None, "Europe/Berlin", "+05:30"]),
    columns=st.booleans(),
    timeline=st.booleans(),
)
def test_any_number_of_processes_judges_random_logs_alike(
    tmp_path_factory: pytest.TempPathFactory,
    seed: int,
    jobs: int,
    zone: str | None,
    columns: bool,
    timeline: bool,
) -> None:
    """Rotated and packed ones of two hosts, with a file that is none."""
    folder, chance = tmp_path_factory.mktemp("hosts"), random.Random(seed)
    house = House(tmp_path_factory.mktemp("house"))
    for name in ("near", "far"):
        (folder / name).mkdir()
        host = Host(folder / name, chance)
        for _ in range(2):
            host.one_day()
    (folder / "near" / "picture.log").write_bytes(bytes(range(256)) * 40)
    (folder / "far" / "broken.log.gz").write_bytes(b"\x1f\x8b\x08 and no more")
    options = {"specs": [house.spec], "zone": zone, "timeline": timeline, "separate": seed % 2 > 0}
    with in_pieces(300, columns=columns):
        one, several = (
            "".join(to_json(check([folder], engine="local", jobs=number, **options)))
            for number in (1, jobs)
        )
    assert one == several


@pytest.mark.parametrize("dies_after", [0, 1, 2])
def test_the_part_of_a_process_that_dies_while_it_judges_is_judged(
    house: House, monkeypatch: pytest.MonkeyPatch, dies_after: int
) -> None:
    """Whatever it has said of it before."""
    doors = [f"Door d{number} stands OPEN" for number in range(700)]
    path = house.write("a.log", lines(*doors))
    whole = check([path], specs=[house.spec], engine="local")
    judge, add, taken = JudgingProcesses.judge, JudgedResults.add, list[int]()
    working = list[JudgingProcesses]()

    def begin(processes: JudgingProcesses, *given: object, **named: object) -> None:
        working.append(processes)
        if dies_after == 0:
            kill_all()
        judge(processes, *given, **named)

    def kill_all() -> None:
        for worker in working[0]._workers:
            worker.process.kill()
            worker.process.join()

    def count(results: JudgedResults, kind: int, part: int, body: bytes) -> None:
        add(results, kind, part, body)
        taken.append(part)
        if len(taken) == dies_after:
            kill_all()

    monkeypatch.setattr(JudgingProcesses, "judge", begin)
    monkeypatch.setattr(JudgedResults, "add", count)
    left = check([path], specs=[house.spec], engine="local", jobs=2)
    assert list(to_json(left)) == list(to_json(whole))
    assert len(taken) > dies_after


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path)


STOPPED = """
import os, signal, sys
from statemachines.cli import main
from statemachines.conform.engines.processes import parallel_check

def stopped(pipes):
    children = open(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read()
    print(children, file=sys.stderr, flush=True)
    os.kill(os.getpid(), getattr(signal, sys.argv.pop()))
    return wait(pipes)

wait, parallel_check.wait = parallel_check.wait, stopped
sys.exit(main(sys.argv[1:]))
"""


@ON_LINUX
@pytest.mark.parametrize("sent", ["SIGINT", "SIGTERM", "SIGKILL"])
def test_who_is_stopped_while_others_judge_leaves_nothing_behind(
    house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sent: str
) -> None:
    """No process, no file, and no report that would look as if nothing had been found."""
    spool = tmp_path / "spool"
    spool.mkdir()
    monkeypatch.setenv("TMPDIR", str(spool))
    path = house.write("a.log", lines(*[f"Door d{number} stands OPEN" for number in range(3000)]))
    command = [sys.executable, "-c", STOPPED, "check", str(path), "--spec", str(house.spec)]
    ended = subprocess.run(
        [*command, "--jobs", "2", "-q", sent], capture_output=True, text=True, check=False
    )
    children, *said = ended.stderr.splitlines()
    assert len(children.split()) == 2, ended.stderr
    until = time.monotonic() + 60
    while time.monotonic() < until and any(map(_runs, children.split())):
        time.sleep(0.01)
    assert not any(map(_runs, children.split()))
    assert [path for path in spool.rglob("*") if path.is_file()] == []
    assert ended.stdout == ""
    assert ended.returncode == (-signal.SIGKILL if sent == "SIGKILL" else 130)
    assert (sent == "SIGKILL") or "stopped before there was a report" in "\n".join(said)


def _runs(process: str) -> bool:
    return Path(f"/proc/{process}").exists()


def test_nothing_is_left_in_the_temporary_folder(
    house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What processes write for each other is gone with the check."""
    spool = tmp_path / "spool"
    spool.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(spool))
    path = house.write("a.log", [line("Door d stands OPEN")])
    check([path], specs=[house.spec], engine="local", jobs=2)
    assert list(spool.iterdir()) == []


def test_processes_are_not_asked_for_together_with_spark() -> None:
    """They would mean nothing there."""
    with pytest.raises(ValueError, match="shares the work on this machine"):
        CheckOptions(engine="spark", jobs=2)
    assert CheckOptions(engine="spark", jobs=1).is_on_spark()
