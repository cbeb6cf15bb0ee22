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
from pathlib import Path
from typing import NamedTuple

from statemachines.conform.check_options import CheckOptions
from statemachines.conform.checking import check_locally, make_request
from statemachines.conform.spark import check_paths, session

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


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--megabytes", type=int, default=512)
    parser.add_argument("--share", type=float, default=0.01, help="of lines that tell of a step")
    parser.add_argument("--instances", type=int, default=4)
    parser.add_argument("--spec", action="append", default=[], help="default: the whole catalogue")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        log, quarter, small = (
            Path(folder, "app.log"),
            Path(folder, "quarter.log"),
            Path(folder, "small.log"),
        )
        lines = write_log(log, asked.megabytes << 20, asked.share, asked.instances)
        write_log(quarter, asked.megabytes << 18, asked.share, asked.instances)
        write_log(small, 1 << 20, asked.share, asked.instances)
        request = make_request(CheckOptions(specs=asked.spec or None))
        before = cpu_seconds()
        spark = session()
        spark.read.text(str(small)).count()
        begun = cpu_seconds()
        spark.range(1).mapInArrow(lambda batches: batches, "id bigint").count()
        python = cpu_seconds()
        check_paths(spark, [small], request)
        first = cpu_seconds()
        for _ in range(2):
            spark.read.text(str(small)).count()
            check_paths(spark, [small], request)
        count_quarter = measured(lambda: spark.read.text(str(quarter)).count())
        check_quarter = measured(lambda: check_paths(spark, [quarter], request, timeline=False))
        count = measured(lambda: spark.read.text(str(log)).count())
        reports = []
        check_locally([small], request, timeline=False)
        here_quarter = measured(lambda: check_locally([quarter], request, timeline=False))
        here = measured(lambda: check_locally([log], request, timeline=False))
        check = measured(lambda: reports.append(check_paths(spark, [log], request, timeline=False)))
        seen = reports[0].checked
        print(
            f"{asked.megabytes} MB, {lines} lines, {seen.observations} observations,"
            f" {seen.instances} instances: {reports[0].verdict.name}"
        )
        print(
            f"count: {count.cpu:.1f} CPU s, {count.wall:.1f} s;  check: {check.cpu:.1f} CPU s,"
            f" {check.wall:.1f} s"
        )
        print(
            f"ratio of CPU: {check.cpu / count.cpu:.2f};  MB per CPU second:"
            f" {asked.megabytes / check.cpu:.0f}"
        )
        print(
            f"session and first count: {begun - before:.1f} CPU s;  first Python function, which"
            f" does nothing: {python - begun:.1f} CPU s;  first check, of 1 MB:"
            f" {first - python:.1f} CPU s"
        )
        for name, less, more in (
            ("count", count_quarter, count),
            ("check", check_quarter, check),
            ("without Spark", here_quarter, here),
        ):
            grown = max(more.cpu - less.cpu, 0) / 0.75
            gigabytes = 0.75 * asked.megabytes / 1024
            kinds = {kind: more.kinds[kind] - less.kinds[kind] for kind in more.kinds}
            print(
                f"{name}: fixed {more.cpu - grown:.1f} CPU s, and"
                f" {1024 * grown / asked.megabytes:.1f} CPU s a gigabyte: "
                + ", ".join(f"{kind} {spent / gigabytes:.1f}" for kind, spent in kinds.items())
            )
        print(
            "peak memory, MB: " + ", ".join(f"{kind} {most:.0f}" for kind, most in peaks().items())
        )
        spark.stop()


if __name__ == "__main__":
    main()
