"""Lines that are columns: pairs of keys and values, and rows of a table that a tool exported."""

from __future__ import annotations

import csv
import re
from typing import Any

from statemachines.logs.fields.levels import LEVEL_NAMES
from statemachines.logs.fields.log_times import TIME_REGEX, parse_time
from statemachines.model.late_patterns import late_pattern

_LOGFMT_PAIR = late_pattern(
    r"([A-Za-z_@][\w.@/-]{0,60})=(?:([\"'])((?:(?!\2)[^\\]|\\.)*)\2|(\S*))(?:\s+|$)"
)
_LABELLED = late_pattern(r"([A-Za-z_@][\w.@/-]{0,60}):(.*)", re.DOTALL)
_EVENT_HEADER = late_pattern(r"CEF:\d+\|" + r"((?:[^|\\]|\\.)*)\|" * 6)
"""The columns of an event in ArcSight's form: vendor, product, version, number, name, severity."""
_NEXT_EXTENSION = late_pattern(r"\s+(?=[A-Za-z_][\w.]{0,60}=)")
_FIRST_KEY = late_pattern(r"[A-Za-z_@][\w.@/-]{0,60}=")
_ESCAPE = late_pattern(r"\\(.)")
_MESSAGE_KEYS = {"msg", "message", "event"}
_TIME_PATTERN = late_pattern(TIME_REGEX)
_LOGGER_PATTERN = late_pattern(r"[A-Za-z_$][\w$]*(?:\.[\w$-]+)+")
_FEWEST_CELLS = 3
_EVENT_ROW = late_pattern(r"\d{1,19},\d{13},(?:TRACE|DEBUG|INFO|WARN|ERROR|FATAL),\d{1,19},")
_EVENT_COLUMNS = ("", "time", "level", "", "thread", "", "message", "", "logger")
"""Of a row that log4j2 writes of an event."""


def logfmt_pairs(text: str) -> dict[str, Any] | None:
    """The pairs of a line that is nothing but `key=value` pairs (logfmt) and has a message; None
    for any other line.

    Args:
        text: of a line, without prefixes and colours.

    Returns:
        Values by key, in the order of the line.
    """
    if not _FIRST_KEY.match(text):
        return None
    values: dict[str, Any] = {}
    at = 0
    while match := _LOGFMT_PAIR.match(text, at):
        quoted, plain = match[3], match[4]
        values.setdefault(match[1], plain if quoted is None else _ESCAPE.sub(_unescape, quoted))
        at = match.end()
    return values if at == len(text) and values.keys() & _MESSAGE_KEYS else None


def labelled_pairs(text: str) -> dict[str, Any] | None:
    """The pairs of a line of `label:value` columns between tabs (LTSV) that has a message; None for
    any other line.

    Args:
        text: of a line, without prefixes and colours.

    Returns:
        Values by label, in the order of the line.
    """
    columns = [_LABELLED.fullmatch(column) for column in text.split("\t")] if "\t" in text else []
    values = {match[1]: match[2] for match in reversed(columns) if match}
    return values if columns and all(columns) and values.keys() & _MESSAGE_KEYS else None


def event_pairs(text: str) -> dict[str, Any] | None:
    """What an event in ArcSight's form (CEF) tells: its message is its name, where it has no `msg`;
    None for any other line.

    Args:
        text: of a line, without prefixes and colours.

    Returns:
        Values by name, the head's under the names that JSON layouts use.
    """
    header = _EVENT_HEADER.match(text)
    if header is None:
        return None
    parts = (part.partition("=") for part in _NEXT_EXTENSION.split(text[header.end() :].strip()))
    values = {key: _ESCAPE.sub(_unescape, value) for key, _, value in parts}
    pairs = {
        "message": values.get("msg") or _ESCAPE.sub(_unescape, header[5]),
        "time": next((values[key] for key in ("rt", "end", "start") if values.get(key)), None),
        "logger": values.get("cat"),
    }
    return {key: value for key, value in pairs.items() if value}


def _unescape(match: re.Match[str]) -> str:
    return {"n": "\n", "t": "\t"}.get(match[1], match[1])


def csv_cells(text: str) -> dict[str, Any] | None:
    """What the cells of an exported row tell, all of which are quoted or the first of which is a
    time; None for any other line.

    A table tells no names of its columns in its rows: the time, the level and the logger are the
    first cells that can be nothing else, and the message is that of the others which has the most
    words.

    Args:
        text: of a line, without prefixes and colours.

    Returns:
        Values under `time`, `level`, `logger` and `message`.
    """
    first = None if text.startswith('"') else _TIME_PATTERN.match(text)
    is_timed = first is not None and text[first.end() :][:1] == ","
    if not (is_timed or (text.startswith('"') and '","' in text)):
        return None
    try:
        cells = next(csv.reader([text], strict=True))
    except (csv.Error, StopIteration):
        return None
    values: dict[str, Any] = {}
    others = [cell for cell in cells if not _assign_cell(cell.strip(), values)]
    if len(cells) < _FEWEST_CELLS or "time" not in values or not others:
        return None
    return {**values, "message": max(others, key=lambda cell: (cell.count(" "), len(cell)))}


def event_cells(text: str) -> dict[str, Any] | None:
    """What a row tells that log4j2 writes of an event as CSV.

    Args:
        text: a line.

    Returns:
        Values by the keys of JSON; None for any other line.

    >>> event_cells("0,1795275802134,INFO,1,main,5,open,a.Wrapper,shop.Orders,,,,{},[]")["logger"]
    'shop.Orders'
    """
    if not _EVENT_ROW.match(text):
        return None
    try:
        cells = next(csv.reader([text], strict=True))
    except (csv.Error, StopIteration):
        return None
    if len(cells) < len(_EVENT_COLUMNS):
        return None
    values = zip(_EVENT_COLUMNS, cells, strict=False)
    return {name: cell for name, cell in values if name and cell}


def _assign_cell(cell: str, values: dict[str, Any]) -> bool:
    """Put a cell where it belongs; False for one that may be the message."""
    if "time" not in values and (match := _TIME_PATTERN.fullmatch(cell)) and parse_time(match[0]):
        values["time"] = cell
    elif "level" not in values and len(cell) > 1 and cell.upper() in LEVEL_NAMES:
        values["level"] = cell
    elif "logger" not in values and _LOGGER_PATTERN.fullmatch(cell):
        values["logger"] = cell
    else:
        return False
    return True
