"""The same lines of a program, as layouts write them and as tools wrap them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta, timezone
from functools import partial
from itertools import product
from pathlib import Path

from statemachines.model.values import frozen

LOGGER, THREAD, PID = "state.change.logger", "controller-event-thread", 4711
PROCESSES = ("app-0", "app-1", "app-2")
MOST_TOGETHER = 5
"""Lines that a process writes before another has its turn."""
_CET = timezone(timedelta(hours=1))


@frozen
class Entry:
    """What a program logs once."""

    at: datetime
    """UTC."""
    level: str
    message: str

    @property
    def millis(self) -> str:
        """Three digits."""
        return f"{self.at.microsecond // 1000:03}"

    @property
    def epoch_ms(self) -> int:
        """Milliseconds."""
        return int(self.at.timestamp()) * 1000 + self.at.microsecond // 1000

    def captured(self, digits: int = 9) -> str:
        """When a tool read it, a little later."""
        later = self.at + timedelta(microseconds=220)
        return f"{later:%Y-%m-%dT%H:%M:%S}.{f'{later.microsecond:06}567'[:digits]}"


def _plain(entry: Entry) -> str:
    time = f"{entry.at:%Y-%m-%d %H:%M:%S},{entry.millis}"
    return f"[{time}] {entry.level} {entry.message} ({LOGGER})"


def _timed(time: Callable[[Entry], str], entry: Entry) -> str:
    return f"{time(entry)} [{THREAD}] {entry.level} {LOGGER} - {entry.message}"


def _json_layout(entry: Entry) -> str:
    seconds, millis = divmod(entry.epoch_ms, 1000)
    return json.dumps(
        {
            "instant": {"epochSecond": seconds, "nanoOfSecond": millis * 1_000_000},
            "thread": THREAD,
            "level": entry.level,
            "loggerName": LOGGER,
            "message": entry.message,
            "endOfBatch": False,
            "loggerFqcn": "org.apache.logging.slf4j.Log4jLogger",
            "threadId": 42,
            "threadPriority": 5,
        },
        separators=(",", ":"),
    )


def _json_millis(entry: Entry) -> str:
    row = {"timeMillis": entry.epoch_ms, "thread": THREAD, "level": entry.level}
    more = {"loggerName": LOGGER, "message": entry.message, "threadId": 42}
    return json.dumps(row | more, separators=(",", ":"))


def _ecs(entry: Entry) -> str:
    row = {
        "@timestamp": f"{entry.at:%Y-%m-%dT%H:%M:%S}.{entry.millis}Z",
        "ecs.version": "1.2.0",
        "log.level": entry.level,
        "message": entry.message,
        "process.thread.name": THREAD,
        "log.logger": LOGGER,
    }
    return json.dumps(row, separators=(",", ":"))


def _logstash(entry: Entry) -> str:
    row = {
        "@timestamp": f"{entry.at:%Y-%m-%dT%H:%M:%S}.{entry.millis}Z",
        "@version": "1",
        "message": entry.message,
        "logger_name": LOGGER,
        "thread_name": THREAD,
        "level": entry.level,
        "level_value": 20000,
    }
    return json.dumps(row, separators=(",", ":"))


def _clock(entry: Entry) -> str:
    return f"{entry.at:%H:%M:%S}.{entry.millis}"


LAYOUTS: dict[str, Callable[[Entry], str]] = {
    "[2026-11-29 18:00:24,123]": _plain,
    "2026-11-29 18:00:24,123": partial(_timed, lambda e: f"{e.at:%Y-%m-%d %H:%M:%S},{e.millis}"),
    "2026-11-29T18:00:24,123": partial(_timed, lambda e: f"{e.at:%Y-%m-%dT%H:%M:%S},{e.millis}"),
    "2026-11-29T18:00:24.123Z": partial(_timed, lambda e: f"{e.at:%Y-%m-%dT%H:%M:%S}.{e.millis}Z"),
    "[…T18:00:24.123Z]": lambda e: (
        f"[{e.at:%Y-%m-%dT%H:%M:%S}.{e.millis}Z] {e.level} {e.message} ({LOGGER})"
    ),
    "…T19:00:24.123+01:00": partial(
        _timed, lambda e: f"{e.at.astimezone(_CET):%Y-%m-%dT%H:%M:%S}.{e.millis}+01:00"
    ),
    "…T18:00:24.123456Z": partial(_timed, lambda e: f"{e.captured(6)}Z"),
    "29 Nov 2026 18:00:24,123": partial(_timed, lambda e: f"{e.at:%d %b %Y %H:%M:%S},{e.millis}"),
    "29.11.2026 18:00:24,123": partial(_timed, lambda e: f"{e.at:%d.%m.%Y %H:%M:%S},{e.millis}"),
    "epoch milliseconds": partial(_timed, lambda e: f"{e.epoch_ms}"),
    "18:00:24.123": partial(_timed, _clock),
    "log4j2 JsonLayout": _json_layout,
    "JsonLayout, timeMillis": _json_millis,
    "JsonTemplateLayout, ECS": _ecs,
    "logstash": _logstash,
}
"""From what is logged to a line; the first is that of the lines that are wrapped, and what the
others are compared with.
"""


def _docker(process: str, inner: str, entry: Entry) -> str:
    row = {"log": f"{inner}\n", "stream": "stdout", "time": f"{entry.captured()}Z"}
    return json.dumps(row, separators=(",", ":"))


def _journald(process: str, inner: str, entry: Entry) -> str:
    micros = entry.epoch_ms * 1000 + 220
    row = {
        "__REALTIME_TIMESTAMP": f"{micros}",
        "_HOSTNAME": process,
        "SYSLOG_IDENTIFIER": "java",
        "PRIORITY": "6",
        "MESSAGE": inner,
    }
    return json.dumps(row)


WRAPS: dict[str, Callable[[str, str, Entry], str]] = {
    "kubectl logs --prefix": lambda name, inner, e: f"[pod/{name}-x1k2p/app] {inner}",
    "kubectl --timestamps": lambda name, inner, e: f"{e.captured()}Z {inner}",
    "kubectl, both": lambda name, inner, e: f"[pod/{name}-x1k2p/app] {e.captured()}Z {inner}",
    "docker compose": lambda name, inner, e: f"{name}  | {inner}",
    "compose --timestamps": lambda name, inner, e: f"{name}  | {e.captured()}Z {inner}",
    "compose in colours": lambda name, inner, e: f"\x1b[36m{name}  |\x1b[0m {inner}",
    "CRI": lambda name, inner, e: f"{e.captured()}Z stdout F {inner}",
    "Docker's json-file": _docker,
    "syslog, RFC 3164": lambda name, inner, e: f"{e.at:%b %d %H:%M:%S} {name} java[{PID}]: {inner}",
    "syslog, RFC 5424": lambda name, inner, e: (
        f"<14>1 {e.captured(6)}Z {name} java {PID} - - {inner}"
    ),
    "journald, short": lambda name, inner, e: f"{e.at:%b %d %H:%M:%S} {name} java[{PID}]: {inner}",
    "journald, short-iso": lambda name, inner, e: (
        f"{e.at:%Y-%m-%dT%H:%M:%S}+0000 {name} java[{PID}]: {inner}"
    ),
    "journald, json": _journald,
}
"""From a process, its line and what it logs to the line as a tool writes it."""
ONE_PROCESS = {"kubectl --timestamps", "CRI", "Docker's json-file"}
"""Of these a file has one process."""
COMMON_WRAPS = ("kubectl logs --prefix", "docker compose", "CRI", "Docker's json-file")
WRAPPED_LAYOUTS = (
    "2026-11-29T18:00:24.123Z",
    "epoch milliseconds",
    "log4j2 JsonLayout",
    "JsonTemplateLayout, ECS",
)
"""Those beside the plain one that are shown in the common wrappings, too."""


def write_laid_out(folder: Path, entries: Iterable[Entry]) -> dict[str, list[Path]]:
    """Write the same lines in each layout, and the plain ones as each tool wraps them.

    Args:
        folder: for the files.
        entries: what a program logs; wrapped, they are of three processes that take turns.

    Returns:
        The files of each layout, of each wrapping, and of some layouts in the common wrappings.
    """
    logged = list(entries)
    paths = dict[str, list[Path]]()
    for kind, lay_out in LAYOUTS.items():
        paths[kind] = [_write(folder, kind, "", map(lay_out, logged))]
    for wrap in WRAPS:
        paths[wrap] = _write_wrapped(folder, wrap, wrap, _plain, logged)
    for layout, wrap in product(WRAPPED_LAYOUTS, COMMON_WRAPS):
        kind = f"{layout} in {wrap}"
        paths[kind] = _write_wrapped(folder, kind, wrap, LAYOUTS[layout], logged)
    return paths


def _write_wrapped(
    folder: Path, kind: str, wrap: str, lay_out: Callable[[Entry], str], logged: Sequence[Entry]
) -> list[Path]:
    """Write lines as a tool wraps them, of three processes that take turns."""
    by_process = [
        (name, lay_out(entry), entry)
        for name, entry in zip(_turns(len(logged)), logged, strict=True)
    ]
    return [
        _write(
            folder,
            kind,
            process,
            (WRAPS[wrap](*row) for row in by_process if row[0] == process or not process),
        )
        for process in (PROCESSES if wrap in ONE_PROCESS else ("",))
    ]


def _turns(count: int) -> list[str]:
    together = len(PROCESSES) * MOST_TOGETHER
    return [PROCESSES[place % together // MOST_TOGETHER] for place in range(count)]


def _write(folder: Path, kind: str, process: str, lines: Iterable[str]) -> Path:
    name = "".join(sign if sign.isalnum() else "_" for sign in f"{kind} {process}")
    path = folder / f"{name}.log"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path
