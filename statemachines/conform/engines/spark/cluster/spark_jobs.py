"""Running one Spark job: on Spark classic and Connect alike, with progress, and so that Ctrl-C
stops it at once.

A job runs in a thread of its own, since the main thread alone hears Ctrl-C and a thread that waits
for Java or for a server does not.
"""

from __future__ import annotations

import signal
import threading
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Any, TypeVar

from statemachines.model.end_signals import END_SIGNALS, HANGUP

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

T = TypeVar("T")

ShareProgress = Callable[[float], None]
"""Called with the share of a job that is done, from 0 to 1."""

_POLL_SECONDS = 0.2
"""How often the main thread wakes up: to hear Ctrl-C, and to look how far Spark is."""


def persist_on_disk(frame: DataFrame) -> DataFrame:
    """Keep a frame's rows on the workers' disks once computed; `unpersist` lets them go."""
    from pyspark import StorageLevel

    return frame.persist(StorageLevel.DISK_ONLY)


def run_job(
    spark: SparkSession, action: Callable[[], T], progress: ShareProgress | None = None
) -> T:
    """Run an action that starts a job, and wait for it.

    Args:
        spark: The session that the action uses.
        action: What to do, such as `frame.count`.
        progress: Called from the calling thread while the job runs.

    Returns:
        What the action returns.

    Raises:
        KeyboardInterrupt: After the job was cancelled.
        Exception: What the action raises.
    """
    tag = f"statemachines-{uuid.uuid4().hex}"
    work = _ActionThread(spark, action, tag)
    work.start()
    with _share_done(spark) as share, interrupts_between_polls() as raise_interrupt:
        try:
            while work.is_alive():
                work.join(_POLL_SECONDS)
                raise_interrupt()
                if progress is not None:
                    progress(share())
            raise_interrupt()
        except KeyboardInterrupt:
            spark.interruptTag(tag)
            work.join()
            raise
    if work.error is not None:
        raise work.error
    result: T = work.result
    return result


@contextmanager
def interrupts_between_polls() -> Iterator[Callable[[], None]]:
    """Give a function that raises what Ctrl-C raises, if it came, or what else is taken for it
    (SIGTERM, SIGHUP): so that it never comes amid a question to Java, whose answer the next
    question would take for its own. A second one does not wait.
    """
    if threading.current_thread() is not threading.main_thread():
        yield lambda: None
        return
    came = threading.Event()

    def raise_interrupt() -> None:
        if came.is_set():
            raise KeyboardInterrupt

    def note(number: int, frame: FrameType | None) -> None:
        if came.is_set() and number != HANGUP:
            signal.default_int_handler(number, frame)
        came.set()

    wanted = [kind for kind in END_SIGNALS if _is_taken_for_interrupt(kind)]
    before = {kind: signal.signal(kind, note) for kind in wanted}
    try:
        yield raise_interrupt
    finally:
        for kind, handler in before.items():
            signal.signal(kind, handler or signal.SIG_DFL)


def _is_taken_for_interrupt(kind: signal.Signals) -> bool:
    """Tell whether a signal would raise something: Ctrl-C does, others where somebody set that."""
    return kind == signal.SIGINT or callable(signal.getsignal(kind))


class _ActionThread(threading.Thread):
    """An action in a thread, with a tag by which it can be cancelled."""

    def __init__(self, spark: SparkSession, action: Callable[[], Any], tag: str) -> None:
        super().__init__(name=tag, daemon=True)
        self.spark, self.action, self.tag = spark, action, tag
        self.result: Any = None
        self.error: BaseException | None = None

    def run(self) -> None:
        """Do it; the caller raises what it raised."""
        self.spark.addTag(self.tag)
        try:
            self.result = self.action()
        except BaseException as problem:  # handed to the waiting thread
            self.error = problem
        finally:
            self.spark.removeTag(self.tag)


def is_connect(spark: SparkSession) -> bool:
    """Tell whether a session is one of Spark Connect."""
    return type(spark).__module__.startswith("pyspark.sql.connect")


@contextmanager
def _share_done(spark: SparkSession) -> Iterator[Callable[[], float]]:
    """Give a function that says which share of the running tasks is done."""
    if not is_connect(spark):
        yield lambda: _tracked_share(spark)
        return
    latest = [0.0]

    def listen(
        stages: Iterable[Any] | None, inflight_tasks: int, operation_id: str | None, done: bool
    ) -> None:
        known = list(stages or ())
        latest[0] = (
            _share_of_tasks((stage.num_completed_tasks, stage.num_tasks) for stage in known)
            if known
            else latest[0]
        )

    connected: Any = spark  # whose type for handlers is an abstract class that it does not ask for
    connected.registerProgressHandler(listen)
    try:
        yield lambda: latest[0]
    finally:
        connected.removeProgressHandler(listen)


def _tracked_share(spark: SparkSession) -> float:
    """Ask the status tracker of Spark classic, the only one that knows there."""
    tracker = spark.sparkContext.statusTracker()
    infos = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
    return _share_of_tasks(
        (info.numCompletedTasks, info.numTasks) for info in infos if info is not None
    )


def _share_of_tasks(done_and_all: Iterable[tuple[int, int]]) -> float:
    """Return the share of tasks that are done.

    >>> _share_of_tasks([(1, 4), (0, 4)])
    0.125
    """
    counts = list(done_and_all)
    return sum(done for done, _ in counts) / max(1, sum(every for _, every in counts))
