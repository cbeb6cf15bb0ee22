"""Lines of real logs, as tools wrap them that gather what containers write."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator
from datetime import date, datetime, timedelta
from itertools import count
from pathlib import Path

PROCESSES = ("app-0", "app-1", "app-2")
MOST_TOGETHER = 5
"""Lines that a process writes before another has its turn."""
_OWN_TIME = re.compile(r"\[(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d),(\d{3})\]")
Wrap = Callable[[str, str, str], str]
"""From a process, a line and the time of its capture to the wrapped line."""


def _json_file(inner: str, at: str) -> str:
    row = {"log": f"{inner}\n", "stream": "stdout", "time": f"{at}567220Z"}
    return json.dumps(row, separators=(",", ":"))


def _syslog(process: str, inner: str, at: str) -> str:
    return f"{datetime.fromisoformat(at):%b %d %H:%M:%S} {process} java[{process[-1]}]: {inner}"


WRAPS: dict[str, Wrap] = {
    "plain": lambda process, inner, at: inner,
    "kubectl logs --prefix": lambda process, inner, at: f"[pod/{process}-x1k2p/app] {inner}",
    "docker compose": lambda process, inner, at: f"{process}  | {inner}",
    "compose --timestamps": lambda process, inner, at: f"{process}  | {at}567220Z {inner}",
    "compose in colours": lambda process, inner, at: f"\x1b[36m{process}  |\x1b[0m {inner}",
    "CRI": lambda process, inner, at: f"{at}567220Z stdout F {inner}",
    "Docker's json-file": lambda process, inner, at: _json_file(inner, at),
    "syslog": _syslog,
    "journald (short-iso)": lambda process, inner, at: f"{at[:19]}+0000 {process} java[1]: {inner}",
}
"""What every kind looks like; a file of `plain`, CRI or json-file has one process."""
_ONE_PROCESS = {"plain", "CRI", "Docker's json-file"}


def write_wrapped(
    folder: Path, megabytes: float, wording: Path
) -> tuple[dict[str, list[Path]], int]:
    """Write the same lines as each tool wraps them, later each day.

    Args:
        folder: for the files.
        megabytes: of what the programs wrote.
        wording: a real log, or a folder of them.

    Returns:
        The files of each kind, and how many lines those of a kind have.
    """
    files = [wording] if wording.is_file() else sorted(wording.rglob("*.log"))
    texts = [file.read_text("utf-8").splitlines() for file in files]
    written = {kind: dict[str, list[str]]() for kind in WRAPS}
    size, lines = 0, 0
    for process, inner, at in _written_lines(texts):
        for kind, wrap in WRAPS.items():
            name = f"{kind}-{process}.log" if kind in _ONE_PROCESS else f"{kind}.log"
            written[kind].setdefault(name, []).append(wrap(process, inner, at))
        size, lines = size + len(inner) + 1, lines + 1
        if size >= megabytes * 1e6:
            break
    paths: dict[str, list[Path]] = {}
    for kind, by_name in written.items():
        paths[kind] = [folder / name.replace(" ", "_") for name in by_name]
        for path, rows in zip(paths[kind], by_name.values(), strict=True):
            path.write_text("\n".join(rows) + "\n", "utf-8")
    return paths, lines


def _written_lines(texts: list[list[str]]) -> Iterator[tuple[str, str, str]]:
    """Yield what processes write in turns: process, line and time, for ever."""
    chooser = random.Random(1)
    writing = {
        process: _later_lines(texts[index % len(texts)]) for index, process in enumerate(PROCESSES)
    }
    while True:
        process = chooser.choice(PROCESSES)
        for _ in range(chooser.randint(1, MOST_TOGETHER)):
            yield process, *next(writing[process])


def _later_lines(text: list[str]) -> Iterator[tuple[str, str]]:
    """Yield the lines of a log again and again, each time a day later, with their times."""
    at = "2000-01-01T00:00:00.000"
    for day in (date(2000, 1, 1) + timedelta(days=passed) for passed in count()):
        for line in text:
            match = _OWN_TIME.match(line)
            if match:
                at = f"{day}T{match[2]}.{match[3]}"
            yield (f"[{day} {match[2]},{match[3]}]{line[match.end() :]}" if match else line), at
