"""A worker whose methods are awaited, a right one and ones with one fault each."""

from __future__ import annotations

import asyncio

from tests.data_machines import machine
from tests.refusing import No

WORKER = machine("""
types: {Job: id}
errors: {Broken: The worker fell over; what it had done by then stays done.}
variables:
  waiting: set[Job] = set()
  done: set[Job] = set()
  secret: {type: 0..3, initial: "0", observable: false}
events:
  put: {args: {job: Job}, guard: "job not in waiting and job not in done", effect: {waiting: "waiting | {job}", secret: "(secret + 1) % 4"}}
  take:
    args: {job: {type: waiting, chosen: true}}
    effect: {waiting: "waiting - {job}", done: "done | {job}"}
    returns: {value: job}
  crash:
    args: {reached: {type: "set[waiting]", chosen: true}}
    effect: {waiting: "waiting - reached", done: "done | reached"}
    raises: Broken
always: {apart: "waiting & done == set()"}
scope: {Job: 3}
""")
"""The order in which jobs are taken is the worker's affair; how far it got when it fell over too."""


class Broken(Exception):
    """The worker fell over."""


class Worker:
    """A right worker whose methods are awaited; it takes the last job by name."""

    def __init__(self) -> None:
        self.waiting, self.done = set[str](), list[str]()

    async def put(self, job: str) -> None:
        await asyncio.sleep(0)
        if job in self.waiting or job in self.done:
            raise No(job)
        self.waiting.add(job)

    async def take(self) -> str:
        await asyncio.sleep(0)
        if not self.waiting:
            raise No("nothing to do")
        job = max(self.waiting)
        self.waiting.remove(job)
        self.done.append(job)
        return job

    async def crash(self) -> None:
        if self.waiting:
            await self.take()
        raise Broken("after one job")


class TakesAnother(Worker):
    """Says that it took a job which it did not take."""

    async def take(self) -> str:
        job = await super().take()
        return min([*self.done, *self.waiting], default=job)


class LosesOnCrash(Worker):
    """What it was at when it fell over is lost."""

    async def crash(self) -> None:
        if self.waiting:
            self.waiting.remove(max(self.waiting))
        raise Broken("while at it")
