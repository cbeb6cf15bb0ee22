"""What the rules of a system add to a check: a log in which every line is a step of a Streams
client or of one of its threads, without a line that tells the release, checked with the client's
lines and without them.

python -m benchmarks.systems [--rounds 10000 --rounds 40000] [--threads 4]

A round is a rebalance of all threads. CPU seconds are those of a whole command, start included; the
most that was resident of it is the kernel's figure. Linux only.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path

CLIENT = "org.apache.kafka.streams.KafkaStreams"
THREAD = "org.apache.kafka.streams.processor.internals.StreamThread"
FIRST = ("CREATED", "STARTING", "PARTITIONS_REVOKED", "PARTITIONS_ASSIGNED", "RUNNING")
AGAIN = ("RUNNING", "PARTITIONS_REVOKED", "PARTITIONS_ASSIGNED", "RUNNING")


def client_line(before: str, after: str) -> str:
    """What the client writes of a step."""
    return f"stream-client [app] State transition from {before} to {after} ({CLIENT})"


def messages(rounds: int, threads: int) -> Iterator[str]:
    """Yield what a client and its threads write: a start, then rebalances, each legal."""
    yield client_line("CREATED", "REBALANCING")
    for number in range(rounds):
        for before, after in pairwise(FIRST if number == 0 else AGAIN):
            for thread in range(1, threads + 1):
                yield (
                    f"stream-thread [app-StreamThread-{thread}] State transition from {before} to"
                    f" {after} ({THREAD})"
                )
                if number and after == "PARTITIONS_REVOKED" and thread == 1:
                    yield client_line("RUNNING", "REBALANCING")
        yield client_line("REBALANCING", "RUNNING")


def write_log(path: Path, rounds: int, threads: int, *, with_client: bool) -> int:
    """Write the log, and return its lines."""
    now, lines = datetime(2026, 1, 1), 0
    with path.open("w", encoding="utf-8") as log:
        for message in messages(rounds, threads):
            now += timedelta(milliseconds=7)
            if with_client or CLIENT not in message:
                time = f"{now:%Y-%m-%d %H:%M:%S},{now.microsecond // 1000:03}"
                log.write(f"[{time}] INFO {message}\n")
                lines += 1
    return lines


def check(path: Path) -> tuple[float, float, str]:
    """Return CPU seconds, MB at most, and the first line of the report."""
    command = [sys.executable, "-m", "statemachines.cli", "check", str(path), "--jobs", "1"]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert process.stdout is not None
    text = process.stdout.read()
    _, status, used = os.wait4(process.pid, 0)
    assert os.waitstatus_to_exitcode(status) == 0, text
    return used.ru_utime + used.ru_stime, used.ru_maxrss * 1024 / 1e6, text.partition("\n")[0]


def main() -> None:
    """Print a row for each size, with the client and without it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, action="append")
    parser.add_argument("--threads", type=int, default=4)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "app.log")
        for rounds in given.rounds or (10_000, 40_000):
            for with_client in (False, True):
                lines = write_log(path, rounds, given.threads, with_client=with_client)
                cpu, held, first = check(path)
                whose = "client and threads" if with_client else "threads alone"
                print(f"{lines:9,} steps of {whose:18} {cpu:6.2f} CPU s  {held:5.0f} MB   {first}")


if __name__ == "__main__":
    main()
