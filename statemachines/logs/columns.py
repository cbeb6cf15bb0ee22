"""Lines that are columns: `key=value` pairs, and rows of a table that a tool exported."""

from __future__ import annotations

import csv
import re
from typing import Any

from statemachines.logs.levels import LEVELS
from statemachines.logs.times import TIME, read_time

_PAIR = re.compile(r'([A-Za-z_@][\w.@/-]{0,60})=(?:"((?:[^"\\]|\\.)*)"|(\S*))(?:\s+|$)')
_FIRST = re.compile(r"[A-Za-z_@][\w.@/-]{0,60}=")
_ESCAPE = re.compile(r"\\(.)")
_SAYS = {"msg", "message"}
_TIME = re.compile(TIME)
_LOGGER = re.compile(r"[A-Za-z_$][\w$]*(?:\.[\w$-]+)+")
_FEWEST = 3


def pairs(text: str) -> dict[str, Any] | None:
    """The pairs of a line that is nothing but `key=value` pairs (logfmt) and has a message; None for any other line."""
    if not _FIRST.match(text):
        return None
    told: dict[str, Any] = {}
    at = 0
    while found := _PAIR.match(text, at):
        quoted, plain = found[2], found[3]
        told.setdefault(found[1], plain if quoted is None else _ESCAPE.sub(_unescaped, quoted))
        at = found.end()
    return told if at == len(text) and told.keys() & _SAYS else None


def _unescaped(found: re.Match[str]) -> str:
    return {"n": "\n", "t": "\t"}.get(found[1], found[1])


def row(text: str) -> dict[str, Any] | None:
    """What the quoted cells of an exported row tell; None for any other line.

    A table tells no names of its columns in its rows: the time, the level and the logger are the first cells that can be nothing else,
    and the message is that of the others which has the most words.
    """
    if not text.startswith('"') or '","' not in text:
        return None
    try:
        cells = next(csv.reader([text], strict=True))
    except (csv.Error, StopIteration):
        return None
    told: dict[str, Any] = {}
    others = [cell for cell in cells if not _is_told(cell.strip(), told)]
    if len(cells) < _FEWEST or "time" not in told or not others:
        return None
    return {**told, "message": max(others, key=lambda cell: (cell.count(" "), len(cell)))}


def _is_told(cell: str, told: dict[str, Any]) -> bool:
    """Put a cell where it belongs; False for one that may be the message."""
    if "time" not in told and (found := _TIME.fullmatch(cell)) and read_time(found[0]):
        told["time"] = cell
    elif "level" not in told and cell.upper() in LEVELS:
        told["level"] = cell
    elif "logger" not in told and _LOGGER.fullmatch(cell):
        told["logger"] = cell
    else:
        return False
    return True
