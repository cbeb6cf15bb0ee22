"""What following costs where every line is one of a short life: CPU a line, and memory by the
kernel's figure, as a log grows and is rotated.

python -m benchmarks.following [--lines 500000] [--alive 5000] [--looks-a-file 40] [--staying]

So many instances are alive at a time, and each look finds a step of each of them; the log is
rotated after so many looks, a second each. With `--staying` it is the same instances for ever. A
row is printed for each tenth of the lines: what a line cost in that tenth, and what was resident
then and at most. Linux only (it reads /proc).
"""

from __future__ import annotations

import argparse
import os
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


def resident_mb(*, most: bool = False) -> float:
    """What is resident of this process, or the most that was."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    match = re.search(rf"{'VmHWM' if most else 'VmRSS'}:\s+(\d+)", status)
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


STAYING = SPEC.replace(": {final: true}", ":").replace(
    "log:\n", f"  - {{from: {LIFE[-1]}, to: {LIFE[0]}}}\nlog:\n", 1
)
"""Of parcels that begin again where they ended."""


def steps(look: int, alive: int, *, are_staying: bool = False) -> str:
    """The lines that a look finds."""
    generation, at = divmod(look, len(LIFE) - 1) if not are_staying else (0, look % len(LIFE))
    now = datetime(2026, 1, 1) + timedelta(seconds=look)
    return "".join(
        f"{now}.{number % 1000:03} INFO  [http-1] shop.Parcels - parcel"
        f" {generation * alive + number}: {LIFE[at]} -> {LIFE[(at + 1) % len(LIFE)]}\n"
        for number in range(alive)
    )


def main() -> None:
    """Print what following has cost so far, ten times."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=int, default=500_000)
    parser.add_argument("--alive", type=int, default=5_000)
    parser.add_argument("--looks-a-file", type=int, default=40)
    parser.add_argument("--staying", action="store_true")
    given = parser.parse_args()
    looks = given.lines // given.alive
    with tempfile.TemporaryDirectory() as folder:
        spec, log = Path(folder, "Parcel.yaml"), Path(folder, "logs", "server.log")
        spec.write_text(STAYING if given.staying else SPEC, encoding="utf-8")
        log.parent.mkdir()
        request, spent = make_request(CheckOptions(specs=[spec])), 0.0
        with Follower([str(log.parent)], request) as follower:
            for look in range(looks):
                with log.open("a", encoding="utf-8") as file:
                    file.write(steps(look, given.alive, are_staying=given.staying))
                os.utime(log, (look, look))
                began = time.process_time()
                assert not follower.poll()
                spent += time.process_time() - began
                if look % given.looks_a_file == given.looks_a_file - 1:
                    rotate(log)
                if (look + 1) % (tenth := max(1, looks // 10)) == 0:
                    lines, each = (look + 1) * given.alive, 1e6 * spent / tenth / given.alive
                    now, most, spent = resident_mb(), resident_mb(most=True), 0.0
                    print(f"{lines:11,} lines  {each:5.0f} us each  {now:5.0f} MB, {most:.0f}")


if __name__ == "__main__":
    main()
