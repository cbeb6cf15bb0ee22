"""A worker with a queue: what may happen to a job stands in Job.yaml, what is done about it stands
here.

`python worker.py FILE` works off some jobs and writes its log to FILE; `statemachines check FILE
--spec Job.yaml` judges it.
"""

from __future__ import annotations

import logging
import random
import sys
from collections import deque
from pathlib import Path

import statemachines as sm
from statemachines.embed.hooks import Occurrence

MACHINE = sm.load(Path(__file__).with_name("Job.yaml")).at()


class Job:
    """One job: its life is an instance of the machine, its place in the queue is the worker's
    business.
    """

    def __init__(self, number: int = 1, queue: deque[Job] | None = None) -> None:
        self.queue = deque[Job]() if queue is None else queue
        self.queue.append(self)
        listeners = [MACHINE.step_log(job=number)]
        self.life = MACHINE.bind(self, after=listeners).instance()

    def on_enter_QUEUED(self, occurrence: Occurrence) -> None:
        """Wait for the next attempt."""
        self.queue.append(self)

    def on_exit_QUEUED(self, occurrence: Occurrence) -> None:
        """Leave the queue; a job that is not in it is a mistake, and then nothing has happened."""
        self.queue.remove(self)

    @property
    def state(self) -> str:
        """Where it is."""
        return self.life.state

    @property
    def attempts(self) -> int:
        """How often it was started."""
        return int(str(self.life.variables["attempts"]))

    def start(self) -> None:
        """Begin an attempt."""
        self.life.send("start")

    def finish(self) -> None:
        """Be done."""
        self.life.send("finish")

    def fail(self) -> bool:
        """Give this attempt up; tell whether there is another."""
        return bool(self.life.send("fail"))

    def cancel(self) -> None:
        """Be wanted no more."""
        self.life.send("cancel")


def work(count: int, seed: int = 0) -> list[Job]:
    """Work off some jobs, a third of whose attempts fail."""
    luck, queue = random.Random(seed), deque[Job]()
    jobs = [Job(number, queue) for number in range(1, count + 1)]
    while queue:
        job = queue[0]
        job.start()
        if luck.random() < 1 / 3:
            job.fail()
        else:
            job.finish()
    return jobs


def log_to(file: str) -> None:
    """Write the log as most programs do."""
    form = "%(asctime)s %(levelname)-5s [%(threadName)s] %(name)s - %(message)s"
    logging.basicConfig(filename=file, filemode="w", level=logging.INFO, format=form)


if __name__ == "__main__":
    log_to(sys.argv[1])
    for each in work(20):
        print(each.state, each.attempts)
