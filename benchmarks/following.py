"""What following costs where every line is one of a short life: CPU a line, and memory by the
kernel's figure, as a log grows and is rotated.

python -m benchmarks.following [--lines 500000] [--alive 5000] [--looks-a-file 40] [--staying]
python -m benchmarks.following --repeated examples/logs/thread_death [--looks 64] [--looks-a-file 8]

So many instances are alive at a time, and each look finds a step of each of them; the log is
rotated after so many looks, a second each. With `--staying` it is the same instances for ever. A
row is printed for each tenth of the lines: what a line cost in that tenth, and what was resident
then and at most. With `--repeated` each look finds all lines of real logs once more, by the shipped
specs: later, with other names of clients and higher generations, as of programs that are started
anew and controllers that take over; the instances that are held are printed, too. Linux only (it
reads /proc).
"""

from __future__ import annotations

import argparse
import os
import re
import tempfile
import time
import uuid
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


_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_GENERATION = re.compile(
    r"((?:[eE]poch|[gG]eneration(?:Id)?)(?: incremented to)?[= ]\D{0,4}?)(\d+)"
)
_TIME = re.compile(r"^\[(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d),", re.M)
_FORM = "%Y-%m-%d %H:%M:%S"


def once_more(text: str, times: int, apart: timedelta) -> str:
    """A log as of a later run of the same programs."""

    def later(match: re.Match[str]) -> str:
        return f"[{datetime.strptime(match[1], _FORM) + times * apart:{_FORM}},"

    text = _TIME.sub(later, text)
    text = _UUID.sub(lambda match: str(uuid.uuid5(uuid.NAMESPACE_OID, f"{match[0]}{times}")), text)
    return _GENERATION.sub(lambda match: f"{match[1]}{int(match[2]) + 100 * times}", text)


def follow_repeated(source: Path, looks: int, looks_a_file: int) -> None:
    """Print what following real logs costs that are repeated, eight times."""
    paths = [path for path in sorted(source.rglob("*")) if path.suffix in (".log", "")]
    files = {path.relative_to(source): path.read_text("utf-8") for path in paths if path.is_file()}
    times = [
        datetime.strptime(m[1], _FORM) for text in files.values() for m in _TIME.finditer(text)
    ]
    apart, lines = max(times) - min(times) + timedelta(minutes=1), 0
    request, spent = make_request(CheckOptions()), 0.0
    with tempfile.TemporaryDirectory() as folder, Follower([folder], request) as follower:
        for look in range(looks):
            for name, text in files.items():
                log = Path(folder, name)
                log.parent.mkdir(parents=True, exist_ok=True)
                if look % looks_a_file == 0 and look:
                    rotate(log)
                with log.open("a", encoding="utf-8") as file:
                    file.write(once_more(text, look, apart))
                os.utime(log, 2 * (1e9 + look * apart.total_seconds(),))
                lines += text.count("\n")
            began = time.process_time()
            follower.poll()
            spent += time.process_time() - began
            if (look + 1) % max(1, looks // 8) == 0:
                print(
                    f"{lines:11,} lines  {1e6 * spent / lines:5.0f} us each so far "
                    f" {resident_mb():5.0f} MB  {len(follower._live._tellers):6,} instances held",
                    flush=True,
                )


def main() -> None:
    """Print what following has cost so far, ten times."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=int, default=500_000)
    parser.add_argument("--alive", type=int, default=5_000)
    parser.add_argument("--looks-a-file", type=int, default=40)
    parser.add_argument("--staying", action="store_true")
    parser.add_argument("--repeated", type=Path)
    parser.add_argument("--looks", type=int, default=64)
    given = parser.parse_args()
    if given.repeated is not None:
        follow_repeated(given.repeated, given.looks, given.looks_a_file)
        return
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
