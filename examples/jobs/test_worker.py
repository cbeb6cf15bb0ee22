"""The worker follows its machine, and its log can be judged."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
from worker import MACHINE, Job, work

import statemachines as sm
from statemachines.testing import from_machine

SPEC = str(Path(__file__).with_name("Job.yaml"))

TestJob = from_machine(MACHINE, Job).TestCase
"""Hypothesis drives a Job and the machine side by side: every event in every state, results and
refusals.
"""


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Path]:
    """The worker's log, in a file."""
    file = tmp_path / "worker.log"
    handler = logging.FileHandler(file)
    handler.setFormatter(
        logging.Formatter("%(asctime)s %(levelname)-5s [%(threadName)s] %(name)s - %(message)s")
    )
    logger = logging.getLogger("worker.jobs")
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    yield file
    logger.removeHandler(handler)
    handler.close()


def test_the_log_of_a_day_holds(log: Path) -> None:
    """Every job ends, and what was logged is what the machine allows."""
    jobs = work(30)
    assert {job.state for job in jobs} <= {"DONE", "FAILED"}
    report = sm.check([str(log)], specs=[SPEC], engine="local")
    assert report.verdict is sm.Verdict.HOLDS
    assert report.checked.instances == 30


def test_a_log_in_which_a_job_runs_after_its_end_is_violated(log: Path) -> None:
    """The judge would notice."""
    work(3)
    with log.open("a") as file:
        file.write(
            "2099-01-01 00:00:00,000 INFO  [MainThread] worker.jobs - job 1: DONE -> RUNNING (2"
            " attempts so far)\n"
        )
    assert sm.check([str(log)], specs=[SPEC], engine="local").verdict is sm.Verdict.VIOLATED


def test_where_an_action_fails_the_job_is_where_it_was() -> None:
    """A job that is not in the queue cannot leave it."""
    job = Job()
    job.queue.clear()
    with pytest.raises(ValueError, match="not in"):
        job.start()
    assert (job.state, job.attempts) == ("QUEUED", 0)
