"""How fast logs are read, as ratios to counting the line feeds of the same bytes in the same run.

python benchmarks/reading.py [--megabytes 64] [--literals 150] [--share 0.01] [--layout
dated|undated|json]
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import tempfile
import time
from collections.abc import Callable

from statemachines.logs import Scanner, open_log, scan

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


def literals(count: int) -> list[bytes]:
    """Texts like those of line templates, of which only the first is in the log."""
    chooser = random.Random(7)
    return [
        b"State transition from ",
        *(
            f" {' '.join(chooser.sample(WORDS, 3))} for id={i} to ".encode()
            for i in range(count - 1)
        ),
    ]


def lines(layout: str, share: float) -> bytes:
    """About a megabyte of log."""
    chooser = random.Random(1)
    out = []
    for i in range(7000):
        at = f"{i // 3600 % 24:02}:{i // 60 % 60:02}:{i % 60:02},{i % 1000:03}"
        told = (
            "stream-thread [app-1] State transition from RUNNING to CLOSED"
            if chooser.random() < share
            else " ".join(chooser.choices(WORDS, k=10))
        )
        if layout == "json":
            row = {
                "@timestamp": f"2026-11-21T{at.replace(',', '.')}Z",
                "@version": "1",
                "message": told,
                "logger_name": "org.example.Orders",
                "level": "INFO",
            }
            out.append(json.dumps(row))
        elif layout == "undated":
            out.append(f"{at} INFO  org.example.Orders - {told}")
        else:
            out.append(f"[2026-11-21 {at}] INFO {told} (org.example.Orders)")
    return ("\n".join(out) + "\n").encode()


def seconds(work: Callable[[], object]) -> float:
    """CPU seconds of the best of three runs."""
    best = float("inf")
    for _ in range(3):
        begin = time.process_time()
        work()
        best = min(best, time.process_time() - begin)
    return best


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=64)
    parser.add_argument("--literals", type=int, default=150)
    parser.add_argument("--share", type=float, default=0.01, help="of lines that hold a literal")
    parser.add_argument("--layout", choices=("dated", "undated", "json"), default="dated")
    told = parser.parse_args()
    block = lines(told.layout, told.share)
    with tempfile.NamedTemporaryFile(suffix=".log") as file:
        for _ in range(max(1, told.megabytes * 1_000_000 // len(block))):
            file.write(block)
        file.flush()
        with open_log(file.name) as log:
            report(log.buffer, log.size, literals(told.literals))


def report(buffer: object, size: int, needles: list[bytes]) -> None:
    """One row a way of reading."""
    whole = bytes(buffer)  # type: ignore[call-overload]
    base = seconds(lambda: whole.count(b"\n"))
    print(
        f"{size / 1e6:.0f} MB, {len(needles)} literals; counting line feeds:"
        f" {size / 1e6 / base:.0f} MB per CPU second"
    )
    rows: list[tuple[str, Callable[[], object]]] = []
    for engine in ("re2", "arrow", "find"):
        try:
            scanner = Scanner(needles, engine)  # type: ignore[arg-type]
        except ImportError:
            print(f"{engine}: not installed")
            continue
        rows.append(
            (
                f"{engine}: lines that hit",
                lambda scanner=scanner: sum(1 for _ in scanner.hits(buffer, 0, size)),
            )
        )  # type: ignore[misc]
        rows.append(
            (
                f"{engine}: records",
                lambda scanner=scanner: sum(1 for _ in scan(buffer, 0, size, scanner)),
            )
        )  # type: ignore[misc, arg-type]
    for name, work in rows:
        took = seconds(work)
        print(
            f"{name:24} {took / base:7.1f} times counting, {size / 1e6 / took:6.0f} MB per CPU"
            " second"
        )
    print(f"most memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB")


if __name__ == "__main__":
    main()
