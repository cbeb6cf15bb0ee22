"""What following costs where every line is one of a short life: CPU a line, and memory by the
kernel's figure, as a log grows and is rotated.

python -m benchmarks.following [--lines 500000] [--alive 5000]

So many instances are alive at a time, and each look finds a step of each of them. A row is printed
for each tenth of the lines. Linux only (it reads /proc).
"""

from __future__ import annotations

import argparse
import re
import tempfile
import time
from datetime import datetime, timedelta
from pathlib import Path

from benchmarks.holding import LIFE, SPEC
from statemachines.conform.check_options import CheckOptions
from statemachines.conform.checking import make_request
from statemachines.conform.engines.follow.follower import Follower

ROTATED = 5
"""Files beside the one that is written."""
LOOKS_A_FILE = 40


def resident_mb() -> float:
    """The most that was resident of this process."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    match = re.search(r"VmHWM:\s+(\d+)", status)
    assert match is not None
    return int(match[1]) * 1024 / 1e6


def rotate(log: Path) -> None:
    """Rename all files, and leave out the oldest."""
    for number in range(ROTATED, 0, -1):
        older = log.with_name(f"{log.name}.{number}")
        if older.exists():
            older.replace(log.with_name(f"{log.name}.{number + 1}"))
    log.with_name(f"{log.name}.{ROTATED + 1}").unlink(missing_ok=True)
    log.replace(log.with_name(f"{log.name}.1"))


def steps(look: int, alive: int) -> str:
    """The lines that a look finds."""
    generation, at = divmod(look, len(LIFE) - 1)
    now = datetime(2026, 1, 1) + timedelta(seconds=look)
    return "".join(
        f"{now}.{number % 1000:03} INFO  [http-1] shop.Parcels - parcel"
        f" {generation * alive + number}: {LIFE[at]} -> {LIFE[at + 1]}\n"
        for number in range(alive)
    )


def main() -> None:
    """Print what following has cost so far, ten times."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=int, default=500_000)
    parser.add_argument("--alive", type=int, default=5_000)
    given = parser.parse_args()
    looks = given.lines // given.alive
    with tempfile.TemporaryDirectory() as folder:
        spec, log = Path(folder, "Parcel.yaml"), Path(folder, "logs", "server.log")
        spec.write_text(SPEC, encoding="utf-8")
        log.parent.mkdir()
        request, spent = make_request(CheckOptions(specs=[spec])), 0.0
        with Follower([str(log.parent)], request) as follower:
            for look in range(looks):
                with log.open("a", encoding="utf-8") as file:
                    file.write(steps(look, given.alive))
                began = time.process_time()
                assert not follower.poll()
                spent += time.process_time() - began
                if look % LOOKS_A_FILE == LOOKS_A_FILE - 1:
                    rotate(log)
                if (look + 1) % max(1, looks // 10) == 0:
                    lines = (look + 1) * given.alive
                    each = 1e6 * spent / lines
                    print(f"{lines:11,} lines  {each:5.0f} us each  {resident_mb():5.0f} MB")


if __name__ == "__main__":
    main()
