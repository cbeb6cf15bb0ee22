"""How fast logs are judged by the whole shipped catalogue, by the share of their lines that tell of
life cycles; beside counting their line feeds, and beside ripgrep looking for the same words. Below
each row stands what a bare pass takes: reading the file and counting its line feeds, and with that
looking for the words, of which nothing comes.

python -m benchmarks.density [--megabytes 50] [--share 1 --share 0.1] [--packed]
       [--wording examples/logs] [--undated] [--wrapped] [--layouts]

What is made up has the wording of one class and a dozen words; with `--wording` the lines of real
logs, a file or all of a folder, are repeated, each time with later dates. With `--wrapped` such
lines are checked as kubectl, docker compose, CRI and others wrap them, beside the same lines alone.
With `--layouts` a log whose every line tells of a life cycle is checked in each layout that
programs write, and as tools wrap it: a layout whose lines are read one by one shows as a ratio.
"""

from __future__ import annotations

import argparse
import random
import re
import resource
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from functools import partial
from itertools import count, islice
from pathlib import Path

from benchmarks.laid_out import Entry, write_laid_out
from benchmarks.reading import WORDS, seconds
from benchmarks.wrapping import write_wrapped
from statemachines.conform.check_options import CheckOptions
from statemachines.conform.checking import JudgingRequest, check_locally, make_request
from statemachines.conform.observe.catalogue_reader import CatalogueReader
from statemachines.logs import Scanner, open_log
from statemachines.logs.search.buffers import count_feeds

STATES = {
    "partition": ("NonExistentPartition", "NewPartition", "OnlinePartition"),
    "replica": ("NonExistentReplica", "NewReplica", "OnlineReplica"),
}
"""The way that each instance goes; in the last state it stays."""
PARTITIONS = 400
_LINE_BYTES = 180
"""Of a line of a made-up log, about."""
_DATE = re.compile(rb"(?<=^\[)\d{4}-\d\d-\d\d|^\d{4}-\d\d-\d\d", re.M)
LEADER = "LeaderAndIsr(leader=1, leaderEpoch={epoch}, isr=List(1, 2, 3), zkVersion={epoch})"


def life_cycle_messages(chooser: random.Random) -> Iterator[str]:
    """Yield what a controller writes of its partitions and replicas, for ever."""
    steps: dict[tuple[int, int], int] = {}
    while True:
        partition, replica = chooser.randrange(PARTITIONS), chooser.randrange(4)
        way = STATES["replica" if replica else "partition"]
        step = steps.get((partition, replica), 0)
        steps[partition, replica] = step + 1
        before, after = way[min(step, 2)], way[min(step + 1, 2)]
        name = f"topic-{partition // 10}-{partition % 10}"
        if replica:
            yield f"state of replica {replica} for partition {name} from {before} to {after}"
        elif after == way[2]:
            state = LEADER.format(epoch=step)
            yield f"partition {name} from {before} to {after} with state {state}"
        else:
            yield f"partition {name} state from {before} to {after} with assigned replicas 1,2,3"


def write_log(path: Path, megabytes: float, share: float, *, dated: bool = True) -> int:
    """Write a log, whose times have a date or not, and return its lines."""
    chooser, lines = random.Random(1), 0
    messages, now = life_cycle_messages(chooser), datetime(2026, 11, 21)
    with path.open("w", encoding="utf-8") as file:
        while file.tell() < megabytes * 1e6:
            now += timedelta(milliseconds=chooser.randrange(20))
            clock = f"{now:%H:%M:%S},{now.microsecond // 1000:03}"
            time = f"[{now:%Y-%m-%d} {clock}]" if dated else f"[{clock}]"
            file.write(
                f"{time} TRACE [Controller id=1 epoch=1] Changed {next(messages)}"
                " (state.change.logger)\n"
                if chooser.random() < share
                else f"{time} INFO {' '.join(chooser.choices(WORDS, k=14))} {lines} (org.Orders)\n"
            )
            lines += 1
    return lines


def write_real_log(path: Path, megabytes: float, wording: Path) -> int:
    """Write the lines of logs again and again, a day later each time, and return their number."""
    files = [wording] if wording.is_file() else sorted(wording.rglob("*.log"))
    texts, lines = [file.read_bytes() for file in files], 0
    with path.open("wb") as file:
        for day in (date(2000, 1, 1) + timedelta(days=passed) for passed in count()):
            text = texts[day.toordinal() % len(texts)]
            file.write(_DATE.sub(day.isoformat().encode(), text))
            lines += text.count(b"\n")
            if file.tell() >= megabytes * 1e6:
                return lines
    raise AssertionError("there is always another day")


def command_seconds(*command: str | Path) -> float | None:
    """CPU seconds of a command, the best of three runs; None where its program is missing."""
    if shutil.which(command[0]) is None:
        return None
    return min(_child_seconds(command) for _ in range(3))


def _child_seconds(command: Sequence[str | Path]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=False, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def print_packed(path: Path, took: float, request: JudgingRequest) -> None:
    """Print what a check of the packed log takes more than one of the log itself, as a multiple of
    what the packing program takes to unpack it.
    """
    for suffix, program in ((".gz", "gzip"), (".zst", "zstd")):
        if shutil.which(program) is None:
            print(f"{suffix:>8} {program} is not installed")
            continue
        packed = Path(f"{path}{suffix}")
        with packed.open("wb") as file:
            subprocess.run([program, "-qc", path], check=True, stdout=file)
        unpacking = command_seconds(program, "-dc", packed) or float("nan")
        more = seconds(partial(check_locally, [packed], request, timeline=False))
        print(
            f"{suffix:>8} {more - took:.2f} CPU s more than the log itself,"
            f" {(more - took) / unpacking:.1f} times `{program} -dc`"
        )


def print_bare(path: Path, literals: Iterable[bytes]) -> None:
    """Print how fast a log is read and its line feeds are counted, and how fast it is searched as
    well; the first of the runs makes the search.
    """
    scanner, size = Scanner(literals), path.stat().st_size / 1e6

    def read(*, search: bool) -> None:
        with open_log(path) as log:
            for _, data in scanner.blocks(log.buffer, 0, log.size):
                count_feeds(data)
                if search:
                    scanner.line_hits(data)

    reading, searching = (seconds(partial(read, search=search)) for search in (False, True))
    print(f"    bare {size / reading:20.0f}; with the search {size / searching:.0f}")


def print_wrapped(megabytes: float, wording: Path, request: JudgingRequest) -> None:
    """Print what a line costs by what a tool put around it, and as a multiple of one alone."""
    with tempfile.TemporaryDirectory() as folder:
        paths, lines = write_wrapped(Path(folder), megabytes, wording)
        plain = 0.0
        for kind, files in paths.items():
            took = seconds(partial(check_locally, files, request, timeline=False))
            plain = plain or took
            cost = took / lines * 1e6
            print(f"{kind:24} {cost:6.1f} CPU µs a line, {took / plain:4.1f} times", flush=True)


def life_cycle_entries(count: int) -> Iterator[Entry]:
    """Yield what a controller logs of its partitions and replicas."""
    chooser, now = random.Random(1), datetime(2026, 11, 29, 18, tzinfo=UTC)
    for message in islice(life_cycle_messages(chooser), count):
        now += timedelta(milliseconds=chooser.randrange(20))
        yield Entry(now, "TRACE", f"[Controller id=1 epoch=1] Changed {message}")


def print_layouts(megabytes: float, request: JudgingRequest, kinds: str) -> None:
    """Print what a line costs by its layout and by what wraps it, and as a multiple of the first
    layout; those of which the name holds one of some texts.
    """
    lines = int(megabytes * 1e6 / _LINE_BYTES)
    with tempfile.TemporaryDirectory() as folder:
        paths, plain = write_laid_out(Path(folder), life_cycle_entries(lines)), 0.0
        for kind, files in paths.items():
            if plain and not re.search(kinds, kind):
                continue
            took = seconds(partial(check_locally, files, request, timeline=False))
            plain = plain or took
            cost = took / lines * 1e6
            print(f"{kind:46} {cost:6.1f} CPU µs a line, {took / plain:5.2f} times", flush=True)


def main() -> None:
    """Print a row for each share."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=float, default=50)
    parser.add_argument("--share", type=float, action="append")
    parser.add_argument("--packed", action="store_true", help="the same logs as .gz and .zst, too")
    parser.add_argument("--wording", type=Path, help="a real log, or a folder of them")
    parser.add_argument("--undated", action="store_true", help="times without a date")
    parser.add_argument("--wrapped", action="store_true", help="as tools wrap them")
    parser.add_argument("--layouts", const="", nargs="?", help="in all of them, or some (a regex)")
    given = parser.parse_args()
    request = make_request(CheckOptions())
    if given.layouts is not None:
        print_layouts(given.megabytes, request, given.layouts)
        return
    if given.wrapped:
        print_wrapped(given.megabytes, given.wording or Path("examples/logs"), request)
        return
    literals = CatalogueReader(request.plan).scan_literals
    with tempfile.TemporaryDirectory() as folder:
        words, path = Path(folder, "words"), Path(folder, "some.log")
        words.write_bytes(b"\n".join(literals))
        print("   share  lines/CPU s   MB/CPU s  times counting line feeds  times ripgrep")
        for share in (0,) if given.wording else given.share or (1, 0.1, 0.01, 0.001):
            lines = (
                write_real_log(path, given.megabytes, given.wording)
                if given.wording
                else write_log(path, given.megabytes, share, dated=not given.undated)
            )
            data = path.read_bytes()
            counting = seconds(partial(data.count, b"\n"))
            took = seconds(partial(check_locally, [path], request, timeline=False))
            grep = command_seconds("rg", "-j1", "-c", "-F", "-f", words, path)
            print(
                f"{f'{share:.1%}' if share else 'real':>8} {lines / took:12,.0f}"
                f" {len(data) / 1e6 / took:10.0f}"
                f" {took / counting:26.0f} {f'{took / grep:.1f}' if grep else 'no rg':>14}"
            )
            print_bare(path, literals)
            if given.packed:
                print_packed(path, took, request)


if __name__ == "__main__":
    main()
