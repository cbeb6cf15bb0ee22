"""What a check on Spark costs, beside Spark's own count of the lines of the same text, and a check
of it without Spark, in the same run; and its workers' memory.

python benchmarks/spark_reading.py [--megabytes 512] [--share 0.01] [--instances 4] [--spec
kafka/StreamThread]

Two logs are checked, one a quarter of the other: what does not grow with the log (planning jobs,
starting stages, the report) is told apart from what each megabyte costs. Starting the session and
its workers is told beside it.

CPU seconds are those of all processes together: this one, Java's, the workers'. `--share 1
--instances 1` is the hardest log: one instance, a step in every line. Linux only (it reads /proc).
"""

from __future__ import annotations

import argparse
import os
import random
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from statemachines.conform.check_options import CheckOptions
from statemachines.conform.checking import JudgingRequest, check_locally, make_request
from statemachines.conform.spark import check_paths, session
from statemachines.model.evidence.reports import Report

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

WORDS = (
    "polled",
    "records",
    "from",
    "broker",
    "after",
    "rebalance",
    "of",
    "partition",
    "assignment",
    "with",
    "offset",
    "heartbeat",
)
LIFE = ("CREATED", "STARTING", "PARTITIONS_REVOKED", "PARTITIONS_ASSIGNED", "RUNNING")
ROUND = ("PARTITIONS_REVOKED", "PARTITIONS_ASSIGNED", "RUNNING")
TICKS = os.sysconf("SC_CLK_TCK")


def steps() -> Iterator[tuple[str, str]]:
    """The steps of one thread, for ever."""
    state = LIFE[0]
    for target in LIFE[1:]:
        yield state, target
        state = target
    while True:
        for target in ROUND:
            yield state, target
            state = target


def write_log(path: Path, size: int, share: float, instances: int) -> int:
    """Write a log of about so many bytes; return its lines."""
    chooser, lives = random.Random(1), [steps() for _ in range(instances)]
    noise = [" ".join(chooser.choices(WORDS, k=10)) for _ in range(1000)]
    count = written = 0
    with path.open("w", encoding="utf-8") as log:
        while written < size:
            seconds, milliseconds = divmod(count, 1000)
            at = (
                f"2026-11-{seconds // 86400 % 30 + 1:02}"
                f" {seconds // 3600 % 24:02}:{seconds // 60 % 60:02}"
                f":{seconds % 60:02},{milliseconds:03}"
            )
            if chooser.random() < share:
                thread = chooser.randrange(instances)
                source, target = next(lives[thread])
                told = (
                    f"stream-thread [app-StreamThread-{thread + 1}] State transition from {source}"
                    f" to {target} (org.apache.kafka.streams.processor.internals.StreamThread)"
                )
            else:
                told = f"{noise[count % len(noise)]} {count} (org.Orders)"
            written += log.write(f"[{at}] INFO {told}\n")
            count += 1
    return count


def family(root: int) -> list[int]:
    """A process and all below it."""
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = int(
                    (entry / "stat").read_text().rpartition(")")[2].split()[1]
                )
            except OSError:
                continue
    found = [root]
    for known in found:
        found += [process for process, parent in parents.items() if parent == known]
    return found


def cpu_by_kind() -> dict[str, float]:
    """CPU seconds of this process, of Java, and of the workers' Python, ended ones too."""
    spent: dict[str, float] = dict.fromkeys(("driver", "Java", "workers"), 0.0)
    for process in family(os.getpid()):
        try:
            name, _, rest = Path(f"/proc/{process}/stat").read_text().rpartition(")")
        except OSError:
            continue
        kind = "Java" if name.endswith("(java") else "workers"
        kind = "driver" if process == os.getpid() else kind
        spent[kind] += sum(map(int, rest.split()[11:15])) / TICKS
    return spent


def cpu_seconds() -> float:
    """CPU seconds of this process and all below it, ended ones too."""
    return sum(cpu_by_kind().values())


def peaks() -> dict[str, float]:
    """The most megabytes that a worker of each kind has held, shared pages of mapped files left out
    as far as the kernel tells.
    """
    most = {"python worker": 0.0, "java": 0.0}
    for process in family(os.getpid())[1:]:
        try:
            status = Path(f"/proc/{process}/status").read_text()
        except OSError:
            continue
        told = dict(line.split(":", 1) for line in status.splitlines() if ":" in line)
        kind = "java" if told["Name"].strip() == "java" else "python worker"
        most[kind] = max(most[kind], int(told.get("VmHWM", "0 kB").split()[0]) / 1024)
    return most


class Spent(NamedTuple):
    """What some work took."""

    cpu: float
    wall: float
    kinds: dict[str, float]
    """CPU seconds by what took them."""


def measured(work: Callable[[], object]) -> Spent:
    """Do some work."""
    before, wall = cpu_by_kind(), time.monotonic()
    work()
    kinds = {kind: spent - before[kind] for kind, spent in cpu_by_kind().items()}
    return Spent(sum(kinds.values()), time.monotonic() - wall, kinds)


class Logs(NamedTuple):
    """The same kind of log in three sizes."""

    whole: Path
    quarter: Path
    small: Path
    """A megabyte, for what begins."""
    lines: int
    """Of the whole."""


class Measured(NamedTuple):
    """What was done with a quarter and with the whole of a log."""

    quarter: Spent
    whole: Spent


def write_logs(folder: str, asked: argparse.Namespace) -> Logs:
    """Write them."""
    whole, quarter, small = (Path(folder, f"{name}.log") for name in ("app", "quarter", "small"))
    lines = write_log(whole, asked.megabytes << 20, asked.share, asked.instances)
    write_log(quarter, asked.megabytes << 18, asked.share, asked.instances)
    write_log(small, 1 << 20, asked.share, asked.instances)
    return Logs(whole, quarter, small, lines)


def begin(logs: Logs, request: JudgingRequest) -> SparkSession:
    """Begin a session, print what its beginning took, and warm it."""
    begun = [cpu_seconds()]
    spark = session()
    for work in (
        lambda: spark.read.text(str(logs.small)).count(),
        lambda: spark.range(1).mapInArrow(lambda batches: batches, "id bigint").count(),
        lambda: check_paths(spark, [logs.small], request),
    ):
        work()
        begun.append(cpu_seconds())
    session_cpu, python_cpu, check_cpu = (later - at for at, later in pairwise(begun))
    print(
        f"session and first count: {session_cpu:.1f} CPU s;  first Python function, which does"
        f" nothing: {python_cpu:.1f} CPU s;  first check, of 1 MB: {check_cpu:.1f} CPU s"
    )
    for _ in range(2):
        spark.read.text(str(logs.small)).count()
        check_paths(spark, [logs.small], request)
    return spark


def both_sizes(logs: Logs, work: Callable[[Path], object]) -> Measured:
    """Do some work with a quarter, then with the whole."""
    return Measured(measured(lambda: work(logs.quarter)), measured(lambda: work(logs.whole)))


def print_growth(name: str, done: Measured, megabytes: int) -> None:
    """Print what does not grow with the log, and what a gigabyte takes."""
    quarter, whole = done
    grown, gigabytes = max(whole.cpu - quarter.cpu, 0) / 0.75, 0.75 * megabytes / 1024
    kinds = {kind: (whole.kinds[kind] - quarter.kinds[kind]) / gigabytes for kind in whole.kinds}
    print(
        f"{name}: fixed {whole.cpu - grown:.1f} CPU s, and {1024 * grown / megabytes:.1f} CPU s a"
        " gigabyte: " + ", ".join(f"{kind} {spent:.1f}" for kind, spent in kinds.items())
    )


def asked_for() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--megabytes", type=int, default=512)
    parser.add_argument("--share", type=float, default=0.01, help="of lines that tell of a step")
    parser.add_argument("--instances", type=int, default=4)
    parser.add_argument("--spec", action="append", default=[], help="default: the whole catalogue")
    return parser.parse_args()


def main() -> None:
    """Measure, and print."""
    asked = asked_for()
    with tempfile.TemporaryDirectory() as folder:
        logs = write_logs(folder, asked)
        request = make_request(CheckOptions(specs=asked.spec or None))
        spark = begin(logs, request)
        count = both_sizes(logs, lambda log: spark.read.text(str(log)).count())
        check_locally([logs.small], request, timeline=False)
        here = both_sizes(logs, lambda log: check_locally([log], request, timeline=False))
        reports: list[Report] = []
        check = both_sizes(
            logs, lambda log: reports.append(check_paths(spark, [log], request, timeline=False))
        )
        seen = reports[-1].checked
        print(
            f"{asked.megabytes} MB, {logs.lines} lines, {seen.observations} observations,"
            f" {seen.instances} instances: {reports[-1].verdict.name}"
        )
        for name, done in (("count", count), ("check", check)):
            print(f"{name}: {done.whole.cpu:.1f} CPU s, {done.whole.wall:.1f} s by the clock")
        ratio, speed = check.whole.cpu / count.whole.cpu, asked.megabytes / check.whole.cpu
        print(f"ratio of CPU: {ratio:.2f};  MB per CPU second: {speed:.0f}")
        for name, done in (("count", count), ("check", check), ("without Spark", here)):
            print_growth(name, done, asked.megabytes)
        told = ", ".join(f"{kind} {most:.0f}" for kind, most in peaks().items())
        print(f"peak memory, MB: {told}")
        spark.stop()


if __name__ == "__main__":
    main()
