"""What very large checks on Spark take: CPU seconds and memory of each process, by the kernel's
figures.

python -m benchmarks.spark_scale --one 100000000       # one instance, so many steps
python -m benchmarks.spark_scale --skew 10000000       # nine steps of ten are of one instance
python -m benchmarks.spark_scale --instances 10000000  # each with five lines
python -m benchmarks.spark_scale --files 10000         # each a log of ten instances

What is made grows to eighty bytes a line, below the temporary folder. A session of this machine is
used, and warmed before, so that starting it does not count. Linux only (it reads /proc).
"""

from __future__ import annotations

import argparse
import os
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path

from attrs import define, field

from benchmarks.holding import SPEC, parcel_lines
from benchmarks.spark_reading import TICKS, family
from statemachines.conform.check_options import CheckOptions
from statemachines.conform.checking import make_request
from statemachines.conform.spark import check_paths, session

DOOR = """
notation: 1
machine: Door
states:
  CLOSED: {initial: true}
  OPEN:
transitions:
  - {from: CLOSED, to: OPEN}
  - {from: OPEN, to: CLOSED}
log:
  instance: [door]
  patterns: {door: '\\d+'}
  lines:
  - text: "door {door} goes {from} -> {to}"
    says: step
    logger: house.Doors
    level: INFO
"""
STEPS = ("CLOSED -> OPEN", "OPEN -> CLOSED")
STEPS_A_SECOND = 1000
OTHER_DOORS = 50
PARCELS_A_FILE = 10


def door_lines(steps: int, others: int) -> Iterator[bytes]:
    """Yield the steps of one door, a second at a time; where there are others, a tenth of the steps
    are theirs.
    """
    now = datetime(2026, 1, 1)
    second = ""
    for number in range(STEPS_A_SECOND):
        is_other = others and number % 20 >= 18
        door = 2 + number // 20 % others if is_other else 1
        told = f"door {door} goes {STEPS[number % 2]}"
        second += f"@.{number:03} INFO  [http-1] house.Doors - {told}\n"
    for _ in range(steps // STEPS_A_SECOND):
        yield second.replace("@", f"{now}").encode()
        now += timedelta(seconds=1)


@define
class Seen:
    """What one process was seen to hold and to take."""

    name: str
    began: float
    """CPU seconds before it was looked at."""
    cpu: float = 0
    most: int = 0
    """Kilobytes that were resident at a time since."""


@define
class Watched:
    """Looks at this process and all below it."""

    processes: dict[int, Seen] = field(factory=dict)

    def look(self) -> None:
        """Look once."""
        for number in family(os.getpid()):
            try:
                stat = Path(f"/proc/{number}/stat").read_text()
                status = Path(f"/proc/{number}/status").read_text()
            except OSError:
                continue
            cpu = sum(map(int, stat.rpartition(")")[2].split()[11:13])) / TICKS
            name = "driver" if number == os.getpid() else stat.split("(")[1].split(")")[0]
            seen = self.processes.setdefault(number, Seen(name, cpu))
            resident = next((row for row in status.splitlines() if row.startswith("VmRSS")), "0 0")
            seen.cpu, seen.most = cpu - seen.began, max(seen.most, int(resident.split()[1]))

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Look several times a second until the block ends."""
        ended = threading.Event()
        thread = threading.Thread(target=self._look_until, args=(ended,))
        self.look()
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()
            self.look()

    def _look_until(self, ended: threading.Event) -> None:
        while not ended.wait(0.2):
            self.look()


def write_file(path: Path, blocks: Iterator[bytes]) -> None:
    """Write a log."""
    with path.open("wb") as file:
        file.writelines(blocks)


def write_logs(folder: Path, given: argparse.Namespace) -> tuple[str, int, str]:
    """Write what was asked for; return the spec, and of what there are how many."""
    if given.files:
        text = b"".join(parcel_lines(PARCELS_A_FILE))
        for number in range(given.files):
            (folder / f"host-{number}.log").write_bytes(text)
        return SPEC, given.files, "file"
    if given.instances:
        write_file(folder / "app.log", parcel_lines(given.instances))
        return SPEC, given.instances, "instance"
    steps = given.one or given.skew
    write_file(folder / "app.log", door_lines(steps, OTHER_DOORS if given.skew else 0))
    return DOOR, steps, "step"


def main() -> None:
    """Write, check, and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    what = parser.add_mutually_exclusive_group(required=True)
    for name in ("one", "skew", "instances", "files"):
        what.add_argument(f"--{name}", type=int)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="scale-") as name:
        folder, spec, small = Path(name, "logs"), Path(name, "Spec.yaml"), Path(name, "small.log")
        folder.mkdir()
        text, count, unit = write_logs(folder, given)
        spec.write_text(text)
        write_file(small, door_lines(1000, 0) if unit == "step" else parcel_lines(200))
        request = make_request(CheckOptions(specs=[str(spec)]))
        spark = session()
        for _ in range(2):
            check_paths(spark, [small], request, timeline=False)
        watched, began = Watched(), time.monotonic()
        with watched.watching():
            report = check_paths(spark, [folder], request, timeline=False)
        show(watched, count, unit, time.monotonic() - began)
        seen = report.checked
        print(
            f"{report.verdict.name}, {len(report.findings)} findings: {seen.files} files,"
            f" {seen.observations:,} observations, {seen.instances:,} instances"
        )
        spark.stop()


def show(watched: Watched, count: int, unit: str, wall: float) -> None:
    """Print what it took."""
    whole = sum(seen.cpu for seen in watched.processes.values())
    each = 1e6 * whole / count
    print(f"{count:,} {unit}s: {whole:.1f} CPU s in {wall:.0f} s, {each:.2f} µs a {unit}")
    for seen in sorted(watched.processes.values(), key=lambda seen: -seen.cpu):
        if seen.cpu > 0.05:
            print(f"  {seen.name:12} {seen.cpu:8.1f} CPU s {seen.most / 1024:8.0f} MB")


if __name__ == "__main__":
    main()
