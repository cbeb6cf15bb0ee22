"""What a check holds in memory, by the kernel's figures, and the CPU seconds it takes.

python -m benchmarks.holding [--gigabytes 10] [--jobs 1 --jobs 2]   # a line in a thousand tells
python -m benchmarks.holding --instances 1000000                    # each with five lines
python -m benchmarks.holding --instances 1000000 --state            # twice, with what was kept
python -m benchmarks.holding --gigabytes 3 --follow                 # through a pipe, a row each 5 %

The logs are as large as they are said to be, and lie in the temporary folder while they are read.
A process is said to hold the most that was ever resident of it (`VmHWM`); several are looked at
while they run, and what all held at one moment is their sum.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path

from attrs import define, field

from benchmarks.density import life_cycle_messages
from benchmarks.reading import WORDS

FILES = 10
FOLLOWED_ROWS = 20
OTHERS = 999
"""Lines of nothing before each that tells, where nearly none does."""
PARCELS_AT_ONCE = 1_000
"""Instances that are alive at a time, where instances are many."""
LIFE = ("NEW", "PAID", "PACKED", "SHIPPED", "DELIVERED", "CLOSED")
SPEC = f"""
notation: 1
machine: Parcel
states:
  {LIFE[0]}: {{initial: true}}
{"".join(f"  {state}:{chr(10)}" for state in LIFE[1:-1])}
  {LIFE[-1]}: {{final: true}}
transitions:
{"".join(f"  - {{from: {a}, to: {b}}}{chr(10)}" for a, b in pairwise(LIFE))}
log:
  instance: [parcel]
  patterns: {{parcel: '\\d+'}}
  lines:
  - text: "parcel {{parcel}}: {{from}} -> {{to}}"
    says: step
    logger: shop.Parcels
    level: INFO
"""


def sparse_lines() -> Iterator[bytes]:
    """Yield a log of the same partitions and replicas, a second at a time, for ever."""
    chooser, now = random.Random(1), datetime(2026, 1, 1)
    others = "".join(
        f"[@,{number:03}] INFO {' '.join(chooser.choices(WORDS, k=14))} {number} (org.Orders)\n"
        for number in range(OTHERS)
    )
    for message in life_cycle_messages(chooser):
        told = f"[@,999] TRACE [Controller id=1 epoch=1] Changed {message} (state.change.logger)\n"
        yield (others + told).replace("@", f"{now}").encode()
        now += timedelta(seconds=1)


def parcel_steps(parcels: int, at_once: int) -> Iterator[list[str]]:
    """Yield what is logged of many parcels: a step of each that is on its way at the same time."""
    for first in range(0, parcels, at_once):
        some = range(first, min(first + at_once, parcels))
        for before, after in pairwise(LIFE):
            yield [f"shop.Parcels - parcel {parcel}: {before} -> {after}" for parcel in some]


def parcel_lines(parcels: int) -> Iterator[bytes]:
    """Yield the lines of many parcels, those of a second at a time."""
    now = datetime(2026, 1, 1)
    for messages in parcel_steps(parcels, PARCELS_AT_ONCE):
        lines = enumerate(messages)
        yield "".join(f"{now}.{ms:03} INFO  [http-1] {text}\n" for ms, text in lines).encode()
        now += timedelta(seconds=1)


def write_logs(folder: Path, blocks: Iterator[bytes], most_bytes: float) -> int:
    """Write files that are one log, as rotation leaves them, and return their bytes."""
    written = 0
    for number in range(FILES, 0, -1):
        with Path(folder, f"server.log.{number}").open("wb") as file:
            for block in blocks:
                written += file.write(block)
                if file.tell() >= most_bytes / FILES:
                    break
    return written


@define
class Process:
    """What one process was seen to hold and to take."""

    most: int = 0
    """Bytes that were resident at a time."""
    cpu: float = 0
    """Seconds."""


@define
class Watch:
    """Looks at the processes of a check."""

    processes: dict[int, Process] = field(factory=lambda: defaultdict(Process))
    at_once: int = 0
    """Bytes that all of them held at one moment."""

    def look(self, first: int) -> None:
        """Look at a process and at all that it started."""
        resident = 0
        for number in (first, *children(first)):
            try:
                status = Path(f"/proc/{number}/status").read_text()
                times = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            sizes = {name: int(size) << 10 for name, size in _SIZES.findall(status)}
            process = self.processes[number]
            process.most = max(process.most, sizes.get("VmHWM", 0))
            process.cpu = sum(map(int, times[11:13])) / os.sysconf("SC_CLK_TCK")
            resident += sizes.get("VmRSS", 0)
        self.at_once = max(self.at_once, resident)


_SIZES = re.compile(r"(VmHWM|VmRSS):\s+(\d+) kB")


def children(process: int) -> list[int]:
    """Return the processes that one has started."""
    try:
        return [
            int(child)
            for task in Path(f"/proc/{process}/task").iterdir()
            for child in (task / "children").read_text().split()
        ]
    except OSError:
        return []


def measure(arguments: list[str], size: int) -> None:
    """Run a check, and print what it took."""
    began, watch = time.monotonic(), Watch()
    check = [sys.executable, "-m", "statemachines", "check", "--engine", "local", "-q"]
    with tempfile.NamedTemporaryFile() as report:
        running = subprocess.Popen([*check, *arguments], stdout=report)
        ended = 0
        while not ended:
            watch.look(running.pid)
            time.sleep(0.02)
            ended, status, used = os.wait4(running.pid, os.WNOHANG)
        answer = report.tell()
    cpu, wall = used.ru_utime + used.ru_stime, time.monotonic() - began
    most = max(used.ru_maxrss << 10, *(process.most for process in watch.processes.values()))
    longest = max(process.cpu for process in watch.processes.values())
    print(
        f"{cpu:8.2f} CPU s (one process {longest:.2f}) in {wall:.1f} s, {size / 1e6 / cpu:.0f} MB a"
        f" CPU s; held by one process {most / 2**20:.0f} MB, by all"
        f" {max(watch.at_once, most) / 2**20:.0f} MB; report {answer / 1e6:.1f} MB,"
        f" exit code {os.waitstatus_to_exitcode(status)}",
        flush=True,
    )


def follow(gigabytes: float) -> None:
    """Write a log into a check that follows it, and print what that holds meanwhile."""
    watch, written, rows = Watch(), 0, 0
    command = [sys.executable, "-m", "statemachines", "check", "--follow", "-q", "-"]
    following = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    assert following.stdin is not None
    for block in sparse_lines():
        written += following.stdin.write(block)
        if written >= gigabytes * 1e9 * (rows + 1) / FOLLOWED_ROWS:
            watch.look(following.pid)
            seen = watch.processes[following.pid]
            print(
                f"{written / 1e9:6.2f} GB {seen.cpu:8.2f} CPU s {seen.most / 2**20:8.0f} MB",
                flush=True,
            )
            rows += 1
        if rows == FOLLOWED_ROWS:
            break
    following.stdin.close()
    used = os.wait4(following.pid, 0)[2]
    print(f"to the end {used.ru_utime + used.ru_stime:.2f} CPU s, {used.ru_maxrss >> 10} MB")


def main() -> None:
    """Write logs, and print a row for each check of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gigabytes", type=float, default=10)
    parser.add_argument("--instances", type=int)
    parser.add_argument("--format", default="json")
    parser.add_argument("--jobs", type=int, action="append")
    parser.add_argument("--follow", action="store_true")
    parser.add_argument("--state", action="store_true")
    given = parser.parse_args()
    if given.follow:
        follow(given.gigabytes)
        return
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as specs:
        state = Path(specs, "state")
        if given.instances:
            size = write_logs(Path(folder), parcel_lines(given.instances), given.instances * 400)
            spec = Path(specs, "Parcel.yaml")
            spec.write_text(SPEC)
            options = ["--spec", str(spec)]
        else:
            size, options = write_logs(Path(folder), sparse_lines(), given.gigabytes * 1e9), []
        if given.state:
            options += ["--state", str(state)]
        for jobs in (given.jobs or [1]) * (2 if given.state else 1):
            print(f"{size / 1e9:6.2f} GB, {jobs} to read", end=" ", flush=True)
            measure([folder, "--jobs", str(jobs), "--format", given.format, *options], size)
        if given.state:
            kept = sum(file.stat().st_size for file in state.rglob("*") if file.is_file())
            print(f"{kept / 1e6:.0f} MB kept in the state folder")


if __name__ == "__main__":
    main()
