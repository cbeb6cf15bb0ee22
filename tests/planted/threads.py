"""Ten programs with faults that show only among two tasks or after some rebalances: a registry of tasks, a thread of Kafka Streams."""

from __future__ import annotations

from collections.abc import Iterable

from statemachines.model.definitions.snapshots import Raised, Refused, Snapshot
from statemachines.semantics.machine.initial_snapshots import initial_snapshots
from statemachines.semantics.machine.step import step
from tests.data_machines import machine
from tests.refusing import No
from tests.shipped import shipped_machine

TASKS = machine("""
types: {Task: id}
errors: {Migrated: The task belongs to another thread by now; the others go on.}
variables:
  running: "set[Task] = set()"
  suspended: "set[Task] = set()"
  previous: {type: "set[Task]", initial: "set()", doc: What ran before the last suspension.}
events:
  assign: {args: {tasks: "set[Task]"}, effect: {running: "running | tasks", suspended: "suspended - tasks"}}
  suspend: {guard: "running != set()", effect: {previous: running, suspended: "suspended | running", running: "set()"}}
  revoke: {args: {tasks: "set[running]"}, effect: {suspended: "suspended | tasks", running: "running - tasks"}}
  migrate: {args: {task: running}, effect: {running: "running - {task}"}, raises: Migrated}
  closeSuspended: {effect: {suspended: "set()"}, returns: len(suspended)}
  close: {args: {tasks: "set[Task]"}, effect: {running: "running - tasks", suspended: "suspended - tasks"}}
always: {apart: "running & suspended == set()"}
scope: {Task: 3}
""")


class Migrated(Exception):
    """The task belongs to another thread by now."""


class Tasks:
    """A right registry."""

    def __init__(self) -> None:
        self.running, self.suspended, self.previous = set[str](), set[str](), set[str]()

    def assign(self, tasks: Iterable[str]) -> None:
        self.running |= set(tasks)
        self.suspended -= set(tasks)

    def suspend(self) -> None:
        if not self.running:
            raise No("nothing runs")
        self.previous = set(self.running)
        self.suspended |= self.running
        self.running.clear()

    def revoke(self, tasks: Iterable[str]) -> None:
        if not set(tasks) <= self.running:
            raise No("not running")
        self.suspended |= set(tasks)
        self.running -= set(tasks)

    def migrate(self, task: str) -> None:
        if task not in self.running:
            raise No(task)
        self.running.remove(task)
        raise Migrated(task)

    def closeSuspended(self) -> int:
        closed = len(self.suspended)
        self.suspended.clear()
        return closed

    def close(self, tasks: Iterable[str]) -> None:
        self.running -= set(tasks)
        self.suspended -= set(tasks)


class StaysSuspended(Tasks):
    """Of two suspended tasks that are assigned again together, one stays suspended."""

    def assign(self, tasks: Iterable[str]) -> None:
        back = sorted(set(tasks) & self.suspended)
        super().assign(tasks)
        if len(back) > 1:
            self.running.remove(back[-1])
            self.suspended.add(back[-1])


class ClosesRunningOnly(Tasks):
    """Where a running and a suspended task are closed together, the suspended one is forgotten."""

    def close(self, tasks: Iterable[str]) -> None:
        kept = self.suspended & set(tasks) if self.running & set(tasks) else set()
        super().close(tasks)
        self.suspended |= kept


class LosesWhatWasSuspended(Tasks):
    """A second suspension forgets what was suspended by the first."""

    def suspend(self) -> None:
        before = set(self.suspended)
        super().suspend()
        self.suspended -= before


class RevokesOne(Tasks):
    """Of two that are revoked, one goes on running."""

    def revoke(self, tasks: Iterable[str]) -> None:
        super().revoke(sorted(tasks)[:1] if set(tasks) <= self.running else tasks)


class MigratesAll(Tasks):
    """The others go with the one that migrated."""

    def migrate(self, task: str) -> None:
        try:
            super().migrate(task)
        except Migrated:
            self.running.clear()
            raise


class RemembersTooMuch(Tasks):
    """What ran before the suspension before the last is remembered as well."""

    def suspend(self) -> None:
        older = set(self.previous)
        super().suspend()
        self.previous |= older


class CountsAfterThree(Tasks):
    """From the fourth suspension on, closing what is suspended closes nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.suspensions = 0

    def suspend(self) -> None:
        super().suspend()
        self.suspensions += 1

    def closeSuspended(self) -> int:
        return len(self.suspended) if self.suspensions > 3 else super().closeSuspended()


STREAM_THREAD = shipped_machine("kafka/StreamThread", "2.5.1")


class StreamsException(Exception):
    """What a thread raises where a step is forbidden."""


class StreamThread:
    """A right thread: its table is the machine's own."""

    def __init__(self) -> None:
        (self.now,) = initial_snapshots(STREAM_THREAD)
        self.rebalances = 0

    @property
    def state(self) -> str:
        return self.now.state

    def move(self, event: str) -> None:
        """Take a step, or raise."""
        answer = step(STREAM_THREAD, self.now, event)
        if isinstance(answer, Raised):
            raise StreamsException(event)
        if isinstance(answer, Refused):
            raise No(event)
        self.rebalances += event == "to_PARTITIONS_REVOKED" and answer.after != self.now
        self.now = answer.after


class DiesAfterThree(StreamThread):
    """From the third rebalance on, a running thread may die at once, which its table forbids."""

    def move(self, event: str) -> None:
        if self.rebalances >= 3 and (self.state, event) == ("RUNNING", "to_DEAD"):
            self.now = Snapshot("DEAD")
            return
        super().move(event)


class CannotStopAfterThree(StreamThread):
    """From the third rebalance on, a running thread cannot be shut down."""

    def move(self, event: str) -> None:
        if self.rebalances >= 3 and (self.state, event) == ("RUNNING", "to_PENDING_SHUTDOWN"):
            raise StreamsException(event)
        super().move(event)


class SticksAfterThree(StreamThread):
    """From the third rebalance on, a thread that has its partitions says that it runs, and does not."""

    def move(self, event: str) -> None:
        before = self.now
        super().move(event)
        if self.rebalances >= 3 and event == "to_RUNNING":
            self.now = before


class DiesAfterSixty(DiesAfterThree):
    """From the sixtieth rebalance on, a running thread may die at once."""

    def move(self, event: str) -> None:
        if self.rebalances >= 60:
            return super().move(event)
        return StreamThread.move(self, event)


class CannotStopAfterForty(CannotStopAfterThree):
    """From the fortieth rebalance on, a running thread cannot be shut down."""

    def move(self, event: str) -> None:
        if self.rebalances >= 40:
            return super().move(event)
        return StreamThread.move(self, event)


def move(subject: StreamThread, event: str, arguments: object) -> None:
    """Call a thread: its events have no arguments."""
    del arguments
    subject.move(event)
