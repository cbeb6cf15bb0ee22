"""What a daily check costs of a log that grew.

python -m benchmarks.growing [--megabytes 100] [--of orders|partitions|parcels]

Prints, for a first check with a state folder, one of the same log, one after it grew by a
hundredth, and one after it was rotated and packed, the CPU time as a part of that of a check of
everything in the same run, and the bytes that were scanned. It depends on what grows: each of the
`orders` is an instance with one line and an incident of its own, and their number grows with the
log; so does that of the `parcels`, which take five steps each and are done with; the `partitions`
and their replicas are 1,600 instances however long the log is, judged by the whole shipped
catalogue.
"""

from __future__ import annotations

import argparse
import gzip
import random
import tempfile
import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import chain, islice
from pathlib import Path
from typing import Any

import statemachines as sm
from benchmarks.density import life_cycle_messages
from benchmarks.holding import SPEC, parcel_steps
from statemachines.conform.engines.file_reader import FileReader

ORDERS = Path(__file__).parent.parent / "examples" / "orders"
PARCELS_AT_ONCE = 100
OTHERS = 99
"""Lines of nothing before each life-cycle line."""
scanned = 0


def order_lines() -> Iterator[str]:
    """Yield what befalls one order after the other, for ever."""
    for order in range(10**9):
        yield f"shop.Orders - order {order} was placed"


def partition_lines() -> Iterator[str]:
    """Yield what a controller writes of the same partitions and replicas, for ever."""
    for message in life_cycle_messages(random.Random(1)):
        yield f"state.change.logger - [Controller id=1 epoch=1] Changed {message}"


def parcel_lines() -> Iterator[str]:
    """Yield the steps of parcels, a hundred of which are on their way at a time, for ever."""
    return chain.from_iterable(parcel_steps(10**9, PARCELS_AT_ONCE))


KINDS = {"orders": order_lines, "partitions": partition_lines, "parcels": parcel_lines}


def specs_of(kind: str, folder: Path) -> Path | None:
    """Return the specs by which a kind is judged, which may be written into a folder; None: the
    whole shipped catalogue.
    """
    if kind == "parcels":
        written = folder / "Parcel.yaml"
        written.write_text(SPEC)
        return written
    return ORDERS if kind == "orders" else None


def log_lines(messages: Iterator[str]) -> Iterator[str]:
    """Yield the lines of a log a second, each with the others before it."""
    now = datetime(2026, 11, 21)
    for message in messages:
        for number in range(OTHERS):
            yield f"{now}.{number:03} INFO  [http-1] shop.Other - nothing of interest {number}\n"
        yield f"{now}.999 INFO  [http-1] {message}\n"
        now += timedelta(seconds=1)


def cpu_seconds(logs: Path, specs: Path | None, state: Path | None) -> float:
    """The CPU time of a check."""
    began = time.process_time()
    sm.check(logs, specs=specs, state=state, timeline=False)
    return time.process_time() - began


def count_scanned_bytes() -> None:
    """Count what is scanned from now on."""
    read_chunk = FileReader._read_chunk

    def counted(
        self: FileReader, number: int, buffer: bytes, start: int, end: int, **how: bool
    ) -> Any:
        global scanned
        scanned += end - start
        return read_chunk(self, number, buffer, start, end, **how)

    FileReader._read_chunk = counted


def main() -> None:
    """Measure, and print a row a check."""
    global scanned
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=100)
    parser.add_argument("--of", choices=KINDS, default="orders")
    asked = parser.parse_args()
    count_scanned_bytes()
    lines = log_lines(KINDS[asked.of]())
    number = asked.megabytes * 1_000_000 // 78
    with tempfile.TemporaryDirectory() as folder:
        logs, state = Path(folder, "logs"), Path(folder, "state")
        logs.mkdir()
        specs = specs_of(asked.of, Path(folder))
        log = logs / "server.log"
        with log.open("w") as written:
            written.writelines(islice(lines, number))
        cpu_seconds(logs, specs, None)
        whole = 0.0
        for what in ("everything", "first", "the same", "a hundredth more", "rotated", "packed"):
            if what == "a hundredth more":
                with log.open("a") as written:
                    written.writelines(islice(lines, number // 100))
            if what == "rotated":
                log = log.rename(logs / "server.log.1")
            if what == "packed":
                log.with_name("server.log.1.gz").write_bytes(gzip.compress(log.read_bytes(), 1))
                log.unlink()
            scanned = 0
            took = cpu_seconds(logs, specs, None if what == "everything" else state)
            whole = whole or took
            print(f"{what:18} {took:6.2f} CPU s   {took / whole:5.2f} of everything", end="   ")
            print(f"{scanned / 1e6:8.2f} MB scanned")


if __name__ == "__main__":
    main()
