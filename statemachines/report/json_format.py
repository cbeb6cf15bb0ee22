"""The JSON report, written as a stream: a timeline of any length is never held in memory."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from json.encoder import encode_basestring
from typing import TypeVar, cast

from statemachines.model.evidence.packed_steps import PackedSteps, PackedTimeline, StepModel
from statemachines.model.evidence.reports import (
    CurrentState,
    Episode,
    InstanceKey,
    Instant,
    Report,
    TimelineStep,
)
from statemachines.model.late_patterns import late_pattern
from statemachines.report import report_rows
from statemachines.report.sections.orderly_ends import open_episodes
from statemachines.report.sections.related_states import (
    StatesByMachine,
    SubjectInProcess,
    related_states,
)
from statemachines.report.sections.timestamps import rfc3339, rfc3339_text

REPORT_FORMAT = "statemachines.report/1"
SURROGATES = late_pattern("[\ud800-\udfff]")
TERMINAL_CONTROLS = late_pattern("[\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""What a terminal that shows the text would obey, and JSON may hold as it is: it is written as an
escape, which means the same.
"""
T = TypeVar("T")
_MOST_PARTS = 10_000
"""Texts that rows of a list have in common and that are remembered."""
_ROWS_AT_ONCE = 100
"""Of a list, in one piece of text."""


def to_json(report: Report, *, timeline: bool = True) -> Iterator[str]:
    """Write a report as JSON, in the keys and the order of the contract.

    Args:
        report: what a check found; its rows are in the order of the contract already.
        timeline: False leaves the key `timeline` an empty list (`--no-timeline`).

    Returns:
        Pieces of text that make one JSON object with an indent of two blanks and a line feed at its
        end; what is no character of Unicode (bytes of a file's name) is U+FFFD.
    """
    yield f'{{\n  "format": {_json_text(REPORT_FORMAT)}'
    for name, chunks in _report_members(report, timeline):
        yield f',\n  "{name}": '
        for chunk in chunks:
            yield chunk if chunk.isascii() and "\x7f" not in chunk else terminal_safe_json(chunk)
    yield "\n}\n"


def terminal_safe_json(text: str) -> str:
    """Return JSON text that means the same, and which no terminal obeys; what is no character of
    Unicode becomes U+FFFD.

    Args:
        text: of JSON.

    Returns:
        JSON in which control characters are escaped.
    """
    return TERMINAL_CONTROLS.sub(lambda match: f"\\u{ord(match[0]):04x}", SURROGATES.sub("�", text))


def _report_members(report: Report, timeline: bool) -> Iterator[tuple[str, Iterable[str]]]:
    yield "verdict", [_json_text(report.verdict.name)]
    yield "checked", [_json_text(report_rows.checked(report.checked))]
    yield "sources", _array_chunks(report.sources, _row_dumper(report_rows.source))
    yield "releases", _array_chunks(report.releases, _row_dumper(report_rows.releases))
    yield "machines", _array_chunks(report.machines, _row_dumper(report_rows.machine))
    yield "rules", _array_chunks(report.rules, _row_dumper(report_rows.rule))
    yield "health", [_json_text(str(report.health))]
    yield "health_word", [_json_text(report.health_word)]
    yield "incidents", _array_chunks(report.incidents, _row_dumper(report_rows.incident))
    yield "now", _array_chunks(report.now, _StateRowWriter())
    others = related_states(report, open_episodes(report))
    yield (
        "episodes",
        _array_chunks(
            report.episodes,
            _row_dumper(
                lambda episode: report_rows.episode(episode, _related_to_episode(episode, others))
            ),
        ),
    )
    yield "findings", _array_chunks(report.findings, _row_dumper(report_rows.finding))
    yield "timeline", _timeline_chunks(report.timeline if timeline else ())
    yield "unjudged", _array_chunks(report.unjudged, _row_dumper(report_rows.unjudged))
    yield "repeated", _array_chunks(report.repeated, _row_dumper(report_rows.repeated))
    if report.unread:
        yield (
            "unread",
            _array_chunks(report.unread, _row_dumper(lambda line: report_rows.quote(line) or {})),
        )
    if report.known is not None:
        yield "known", [str(report.known)]
    if report.errors:
        yield "errors", [_json_text(list(report.errors))]
    if report.interrupted:
        yield "interrupted", ["true"]
    yield "made_with", [_json_text(dict(report.made_with))]


def _related_to_episode(
    episode: Episode, others: Mapping[SubjectInProcess, StatesByMachine]
) -> Iterator[CurrentState]:
    """Yield what belongs to the subject of an open episode."""
    states = (
        others.get((episode.machine, episode.subject, episode.process), {})
        if episode.open and not episode.orderly
        else {}
    )
    return (now for rows_of_one in states.values() for now in rows_of_one)


def _array_chunks(values: Iterable[T], write: Callable[[T], str]) -> Iterator[str]:
    """Write a list as `json.dumps` with an indent of two would, piece by piece."""
    before, more = "[\n    ", iter(values)
    while rows := list(map(write, islice(more, _ROWS_AT_ONCE))):
        yield before + ",\n    ".join(rows)
        before = ",\n    "
    yield "[]" if before.startswith("[") else "\n  ]"


def _timeline_chunks(timeline: Iterable[TimelineStep]) -> Iterator[str]:
    """Write a timeline: from its columns, where it has them."""
    if not hasattr(timeline, "packed_steps"):
        return _array_chunks(timeline, _TimelineRowWriter())
    write = _PackedRowWriter()
    packed = cast("PackedTimeline", timeline).packed_steps()
    return _array_chunks(chain.from_iterable(map(write, packed)), str)


def _row_dumper(row: Callable[[T], report_rows.RowData]) -> Callable[[T], str]:
    return lambda value: _json_text(row(value), "    ")


def _json_text(value: object, margin: str = "  ") -> str:
    """Write a value as `json.dumps` with an indent of two does below a margin, several times as
    fast: with an indent the library writes in Python, word by word.
    """
    if isinstance(value, str):
        return encode_basestring(value)
    if value is None or isinstance(value, bool):
        return "null" if value is None else "true" if value else "false"
    if isinstance(value, int):
        return int.__repr__(value)
    inner = f"{margin}  "
    if isinstance(value, dict):
        rows = [f"{_json_key(name)}: {_json_text(item, inner)}" for name, item in value.items()]
        return _bracketed("{", rows, "}", margin)
    if isinstance(value, (list, tuple)):
        return _bracketed("[", [_json_text(item, inner) for item in value], "]", margin)
    if isinstance(value, float):
        return json.dumps(value)
    return _json_text(_json_default(value), margin)


def _json_key(name: object) -> str:
    return encode_basestring(name if isinstance(name, str) else json.dumps(name))


def _bracketed(opening: str, rows: list[str], closing: str, margin: str) -> str:
    if not rows:
        return opening + closing
    before = f"\n{margin}  "
    return f"{opening}{before}{f',{before}'.join(rows)}\n{margin}{closing}"


def _json_default(value: object) -> object:
    """Write the containers of values that `json` does not know."""
    if isinstance(value, (set, frozenset)):
        return sorted(value, key=str)
    return str(value)


class _TimelineRowWriter:
    """Writes rows of the timeline: the same text as `json.dumps`, several times as fast, for logs
    with millions of steps; what rows have in common is written once.

    Complexity: memory for `_MOST_PARTS` texts.
    """

    def __init__(self) -> None:
        self._who: object = None
        self._head = ""
        self._parts: dict[tuple[str | None, str | None, str, str | None], str] = {}

    def __call__(self, step: TimelineStep) -> str:
        """Return the row's text, to stand at a margin of four blanks."""
        if (step.machine, step.instance, step.process, step.life) != self._who:
            self._who = step.machine, step.instance, step.process, step.life
            self._head = _json_head(step)
        file, line = (step.place.file, step.place.line) if step.place else (None, None)
        part = step.source, step.target, step.how, file
        text = self._parts.get(part)
        if text is None:
            if len(self._parts) >= _MOST_PARTS:
                self._parts.clear()
            text = self._parts[part] = _json_step(*part)
        since = "" if step.source_since is None else _json_since(step.source_since)
        at = _json_instant(step.at, "at_ms")
        return f"{self._head}{at}{text}{_json_number(line)}{since}\n    }}"


class _PackedRowWriter:
    """Writes rows of the timeline that come as columns: the same text.

    Complexity: memory for the texts of the models of one block.
    """

    def __init__(self) -> None:
        self._models: Sequence[StepModel] = ()
        self._texts: list[_ModelTexts] = []

    def __call__(self, rows: PackedSteps) -> Iterator[str]:
        """Yield the texts of rows, to stand at a margin of four blanks."""
        if rows.models is not self._models:
            self._models, self._texts = rows.models, list(map(_model_texts, rows.models))
        head = (
            f'{{\n      "machine": {encode_basestring(rows.machine)},\n'
            f'      "instance": {_json_fields(rows.instance)}'
        )
        columns, texts = (rows.codes, rows.times, rows.lines, rows.source_since), self._texts
        for code, at, line, since in zip(*columns, strict=True):
            life, zone, part, unplaced, is_timed, named = texts[code]
            when = _json_time(at, zone, "at_ms") if is_timed else _NO_TIME
            where = f"{part}{line}" if line else unplaced
            more = _json_since(Instant(since, zone)) if named else ""
            yield f"{head}{life}{when}{where}{more}\n    }}"


_ModelTexts = tuple[str, str, str, str, bool, bool]
"""What stands before the time of a row, its zone, what stands before its line, or instead of that
where it has none; and whether it has a time, and a line that named its state.
"""
_NO_TIME = 'null,\n      "at_ms": null'


def _model_texts(model: StepModel) -> _ModelTexts:
    life = (
        f',\n      "process": {encode_basestring(model.process)},\n      "life": {model.life},\n'
        '      "at": '
    )
    part, unplaced = (
        _json_step(model.source, model.target, model.how, file) for file in (model.file, None)
    )
    return life, model.zone, part, f"{unplaced}null", model.is_timed, model.has_source_since


class _StateRowWriter:
    """Writes rows of what is true at the end likewise.

    Complexity: memory for `_MOST_PARTS` texts.
    """

    def __init__(self) -> None:
        self._parts: dict[tuple[object, ...], tuple[str, str, str, str]] = {}

    def __call__(self, row: CurrentState) -> str:
        """Return the row's text, to stand at a margin of four blanks."""
        file, line = (row.place.file, row.place.line) if row.place else (None, None)
        part = row.machine, row.state, row.final, file, row.process, row.doubt
        texts = self._parts.get(part)
        if texts is None:
            if len(self._parts) >= _MOST_PARTS:
                self._parts.clear()
            texts = self._parts[part] = _json_state(row)
        head, state, place, tail = texts
        since = _json_instant(row.since, "since_ms")
        return f"{head}{_json_fields(row.subject)}{state}{since}{place}{_json_number(line)}{tail}"


def _json_state(row: CurrentState) -> tuple[str, str, str, str]:
    """Return what stands before the subject of a row, its time and its line, and behind that."""
    file = row.place.file if row.place else None
    return (
        f'{{\n      "machine": {encode_basestring(row.machine)},\n      "subject": ',
        f',\n      "state": {_json_text(row.state, "      ")},\n      "since": ',
        f',\n      "final": {_json_text(row.final)},\n      "file": {_json_string(file)},\n'
        '      "line": ',
        f',\n      "process": {encode_basestring(row.process)},\n'
        f'      "doubt": {encode_basestring(row.doubt)}\n    }}',
    )


def _json_instant(instant: Instant | None, name: str) -> str:
    """Return the text of a moment, and its milliseconds under a name."""
    if instant is None or instant.ms is None:
        return f'null,\n      "{name}": null'
    return _json_time(instant.ms, instant.zone, name)


def _json_time(ms: int, zone: str, name: str) -> str:
    return f'"{rfc3339_text(ms, zone)}",\n      "{name}": {ms}'


def _json_fields(fields: InstanceKey) -> str:
    """Return the text of the fields of a key."""
    if not fields:
        return "{}"
    rows = ",\n        ".join(
        [
            f"{encode_basestring(name)}: {value if type(value) is int else _json_text(value)}"
            for name, value in fields
        ]
    )
    return f"{{\n        {rows}\n      }}"


def _json_head(step: TimelineStep) -> str:
    """Return the text of a row up to its time."""
    instance = _json_fields(step.instance)
    return (
        f'{{\n      "machine": {encode_basestring(step.machine)},\n      "instance": {instance},\n'
        f'      "process": {encode_basestring(step.process)},\n      "life": {step.life},\n'
        '      "at": '
    )


def _json_step(source: str | None, target: str | None, how: str, file: str | None) -> str:
    """Return the text of a row between its time and its line."""
    return (
        f',\n      "from": {_json_string(source)},\n      "to": {_json_string(target)},\n'
        f'      "how": {encode_basestring(how)},\n      "file": {_json_string(file)},\n'
        '      "line": '
    )


def _json_since(since: Instant) -> str:
    """Return since when the state is known that a step left, where only a line names it."""
    return f',\n      "from_since": {_json_string(rfc3339(since))}'


def _json_string(value: str | None) -> str:
    return "null" if value is None else encode_basestring(value)


def _json_number(value: int | None) -> str:
    return "null" if value is None else str(value)
