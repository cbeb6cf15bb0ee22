"""What a daily check costs of a log that grew: `python benchmarks/growing.py [--megabytes 100]`.

Prints, for a first check with a state folder, one of the same log, one after it grew by a
hundredth, and one after it was rotated and packed, the CPU time as a part of that of a check of
everything in the same run, and the bytes that were scanned. What is left where nothing is scanned
is judging: all instances are judged anew.
"""

from __future__ import annotations

import argparse
import gzip
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import statemachines as sm
from statemachines.conform.engines.file_reader import FileReader

ORDERS = Path(__file__).parent.parent / "examples" / "orders"
LINES_PER_ORDER = 100
scanned = 0


def lines(orders: range) -> Iterator[str]:
    """One life-cycle line in a hundred."""
    for order in orders:
        at = f"2026-11-21 {order // 3600 % 24:02}:{order // 60 % 60:02}:{order % 60:02}"
        for number in range(LINES_PER_ORDER - 1):
            yield f"{at}.{number:03} INFO  [http-1] shop.Other - nothing of interest {number}\n"
        yield f"{at}.999 INFO  [http-1] shop.Orders - order {order} was placed\n"


def cpu_seconds(logs: Path, state: Path | None) -> float:
    """The CPU time of a check."""
    began = time.process_time()
    sm.check(logs, specs=ORDERS, state=state, timeline=False)
    return time.process_time() - began


def count_scanned_bytes() -> None:
    """Count what is scanned from now on."""
    read_chunk = FileReader.read_chunk

    def counted(self: FileReader, number: int, buffer: bytes, start: int, end: int):  # type: ignore[no-untyped-def]
        global scanned
        scanned += end - start
        return read_chunk(self, number, buffer, start, end)

    FileReader.read_chunk = counted  # type: ignore[method-assign,assignment]


def main() -> None:
    """Measure, and print a row a check."""
    global scanned
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=100)
    orders = parser.parse_args().megabytes * 1_000_000 // (LINES_PER_ORDER * 88)
    count_scanned_bytes()
    with tempfile.TemporaryDirectory() as folder:
        logs, state = Path(folder, "logs"), Path(folder, "state")
        logs.mkdir()
        log = logs / "shop.log"
        with log.open("w") as written:
            written.writelines(lines(range(orders)))
        cpu_seconds(logs, None)
        whole = 0.0
        for what in ("everything", "first", "the same", "a hundredth more", "rotated", "packed"):
            if what == "a hundredth more":
                with log.open("a") as written:
                    written.writelines(lines(range(orders, orders + orders // 100)))
            if what == "rotated":
                log = log.rename(logs / "shop.log.1")
            if what == "packed":
                log.with_name("shop.log.1.gz").write_bytes(gzip.compress(log.read_bytes(), 1))
                log.unlink()
            scanned = 0
            took = cpu_seconds(logs, None if what == "everything" else state)
            whole = whole or took
            print(f"{what:18} {took:6.2f} CPU s   {took / whole:5.2f} of everything", end="   ")
            print(f"{scanned / 1e6:8.2f} MB scanned")


if __name__ == "__main__":
    main()
