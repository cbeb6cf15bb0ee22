"""The JSON report, written as a stream: a timeline of any length is never held in memory."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from json.encoder import encode_basestring
from typing import TypeVar

from statemachines.model.reports import Key, Now, OpenOrClosed, Report, Step
from statemachines.report import rows
from statemachines.report.beside import Others, Subject, beside
from statemachines.report.over import open_now
from statemachines.report.times import rfc3339

FORMAT = "statemachines.report/1"
SURROGATES = re.compile("[\ud800-\udfff]")
OBEYED = re.compile("[\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""What a terminal that shows the text would obey, and JSON may hold as it is: it is written as an escape, which means the same."""
T = TypeVar("T")


def to_json(report: Report, *, timeline: bool = True) -> Iterator[str]:
    """Write a report as JSON, in the keys and the order of the contract.

    Args:
        report: what a check found; its rows are in the order of the contract already.
        timeline: False leaves the key `timeline` an empty list (`--no-timeline`).

    Returns:
        Pieces of text that make one JSON object with an indent of two blanks and a line feed at its end; what is no character of Unicode
        (bytes of a file's name) is U+FFFD.
    """
    yield f'{{\n  "format": {_dump(FORMAT)}'
    for name, pieces in _members(report, timeline):
        yield f',\n  "{name}": '
        for piece in pieces:
            yield piece if piece.isascii() and "\x7f" not in piece else plain(piece)
    yield "\n}\n"


def plain(text: str) -> str:
    """Return JSON text that means the same, and which no terminal obeys; what is no character of Unicode becomes U+FFFD."""
    return OBEYED.sub(lambda found: f"\\u{ord(found[0]):04x}", SURROGATES.sub("�", text))


def _members(report: Report, timeline: bool) -> Iterator[tuple[str, Iterable[str]]]:
    yield "verdict", [_dump(report.verdict.name)]
    yield "checked", [_dump(rows.checked(report.checked))]
    yield "sources", _array(report.sources, _dumped(rows.source))
    yield "releases", _array(report.releases, _dumped(rows.releases))
    yield "machines", _array(report.machines, _dumped(rows.machine))
    yield "rules", _array(report.rules, _dumped(rows.rule))
    yield "now", _array(report.now, _dumped(rows.now))
    others = beside(report, open_now(report))
    yield "episodes", _array(report.episodes, _dumped(lambda one: rows.episode(one, _beside(one, others))))
    yield "findings", _array(report.findings, _dumped(rows.finding))
    yield "timeline", _array(report.timeline if timeline else (), StepWriter())
    yield "unjudged", _array(report.unjudged, _dumped(rows.unjudged))
    yield "repeated", _array(report.repeated, _dumped(rows.repeated))
    if report.unread:
        yield "unread", _array(report.unread, _dumped(lambda line: rows.quote(line) or {}))
    if report.errors:
        yield "errors", [_dump(list(report.errors))]
    if report.interrupted:
        yield "interrupted", ["true"]
    yield "made_with", [_dump(dict(report.made_with))]


def _beside(episode: OpenOrClosed, others: Mapping[Subject, Others]) -> Iterator[Now]:
    """Yield what belongs to the subject of an open episode."""
    found = others.get((episode.machine, episode.subject, episode.process), {}) if episode.open and not episode.orderly else {}
    return (now for rows_of_one in found.values() for now in rows_of_one)


def _array(values: Iterable[T], write: Callable[[T], str]) -> Iterator[str]:
    """Write a list as `json.dumps` with an indent of two would, piece by piece."""
    before = "[\n    "
    for value in values:
        yield before + write(value)
        before = ",\n    "
    yield "[]" if before.startswith("[") else "\n  ]"


def _dumped(row: Callable[[T], rows.Row]) -> Callable[[T], str]:
    return lambda value: _dump(row(value), "    ")


def _dump(value: object, margin: str = "  ") -> str:
    return json.dumps(value, indent=2, ensure_ascii=False, default=_plain).replace("\n", "\n" + margin)


def _plain(value: object) -> object:
    """Write the containers of values that `json` does not know."""
    if isinstance(value, (set, frozenset)):
        return sorted(value, key=str)
    return str(value)


class StepWriter:
    """Writes rows of the timeline: the same text as `json.dumps`, several times as fast, for logs with millions of steps."""

    def __init__(self) -> None:
        self._key: Key | None = None
        self._instance = ""

    def __call__(self, step: Step) -> str:
        """Return the row's text, to stand at a margin of four blanks."""
        if step.instance is not self._key:
            self._key, self._instance = step.instance, _dump(rows.key(step.instance), "      ")
        file, line = (step.place.file, step.place.line) if step.place else (None, None)
        return (
            f'{{\n      "machine": {encode_basestring(step.machine)},\n      "instance": {self._instance},'
            f'\n      "process": {encode_basestring(step.process)},\n      "life": {step.life},'
            f'\n      "at": {_text(rfc3339(step.at))},\n      "at_ms": {_number(rows.milliseconds(step.at))},'
            f'\n      "from": {_text(step.source)},\n      "to": {_text(step.target)},\n      "how": {encode_basestring(step.how)},'
            f'\n      "file": {_text(file)},\n      "line": {_number(line)}\n    }}'
        )


def _text(value: str | None) -> str:
    return "null" if value is None else encode_basestring(value)


def _number(value: int | None) -> str:
    return "null" if value is None else str(value)
