"""Events in XML, as log4j, `java.util.logging` and exports of Windows write them, put on a line
each as JSON.
"""

from __future__ import annotations

import json
import re
from typing import IO

from statemachines.logs.storage.record_lines import RecordLines

EVENT_START = re.compile(rb"<(log4j:event|event|Event|record)(?=[\s>])")
_MOST_LINE_BYTES = 1 << 16
_KEYS = {
    "message": ("message", "data"),
    "level": ("level",),
    "logger": ("logger", "loggername", "provider"),
    "thread": ("thread",),
    "timestamp": ("timestamp", "timemillis", "millis", "date", "timecreated"),
    "stack_trace": ("throwable", "thrown", "exception"),
}
"""Of each key of a JSON line: names of attributes and elements, the first that there is."""


def put_events_on_lines(source: IO[bytes]) -> IO[bytes]:
    """A file with each event on the line on which it began; what is no event stays as it is.

    Args:
        source: the file, in UTF-8; it is closed.

    Returns:
        A temporary file with as many lines.
    """
    lines, end_tag = RecordLines(), b""
    with source:
        while part := source.readline(_MOST_LINE_BYTES):
            text = part.removesuffix(b"\n")
            end_tag = _take_line(lines, text, end_tag)
            if len(text) < len(part) and not lines.end_line(b" \t\r"):
                end_tag = b""
    return lines.close(b" \t\r")


def _take_line(lines: RecordLines, text: bytes, end_tag: bytes) -> bytes:
    """Take a line; return what ends the event that is open behind it."""
    at = 0
    while True:
        if end_tag:
            end = text.find(end_tag, at)
            if end < 0:
                break
            lines.add(text[at : end + len(end_tag)])
            lines.end(_event_line(lines.open_text()))
            at, end_tag = end + len(end_tag), b""
        match = EVENT_START.search(text, at)
        if match is None:
            break
        lines.begin()
        at, end_tag = match.start(), b"</" + match[1] + b">"
    lines.add(text[at:])
    return end_tag


def _event_line(event: bytes) -> bytes:
    """An event as an object of JSON; nothing where it is no XML."""
    reader = _EventReader()
    if not reader.read(event.decode("utf-8", "replace")):
        return b""
    values = {
        key: next((reader.values[name] for name in names if name in reader.values), None)
        for key, names in _KEYS.items()
    }
    if reader.instant:
        values["instant"] = reader.instant
    return json.dumps({key: value for key, value in values.items() if value}).encode()


_SYSTEM = {"provider": "Name", "timecreated": "SystemTime"}
"""What Windows says of an event: elements, and the attribute that tells it."""


class _EventReader:
    """Gathers the attributes of an event, and the texts of the elements in it."""

    def __init__(self) -> None:
        self.values: dict[str, object] = {}
        self.instant: dict[str, int] = {}
        self._path: list[str] = []

    def read(self, text: str) -> bool:
        """Read one event, and tell whether it is XML."""
        from xml.parsers import expat  # imported where there is some

        parser = expat.ParserCreate()
        parser.StartElementHandler = self._start
        parser.EndElementHandler = lambda _: self._path.pop()
        parser.CharacterDataHandler = self._add_text
        try:
            parser.Parse(text, True)
        except expat.ExpatError:
            return False
        return True

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        name = tag.removeprefix("log4j:").lower()
        self._path.append(name)
        if len(self._path) == 1:
            self.values |= {
                key.lower(): _number_or_text(key, attributes[key]) for key in attributes
            }
        elif name == "instant":
            self.instant = {
                key: int(value) for key, value in attributes.items() if _is_number(value)
            }
        elif self._path[1:-1] == ["system"] and (first := attributes.get(_SYSTEM.get(name, ""))):
            self.values[name] = first
        elif name == "data" and name in self.values:
            self.values[name] = f"{self.values[name]} "
        elif name == "thrown" and len(self._path) == 2:
            self.values[name] = f"{attributes.get('name')}: {attributes.get('message', '')}"

    def _add_text(self, text: str) -> None:
        inner = self._path[1:]
        if inner == ["renderinginfo", "message"] or inner == ["eventdata", "data"]:
            self.values[inner[1]] = f"{self.values.get(inner[1], '')}{text}".lstrip()
        elif len(inner) == 1 or inner == ["exception", "message"]:
            name = inner[0]
            self.values[name] = f"{self.values.get(name, '')}{text}".lstrip()
            if name == "millis":
                self.values[name] = _number_or_text(name, str(self.values[name]))


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 20


def _number_or_text(name: str, text: str) -> int | str:
    """What an attribute tells: a time is a number."""
    return (
        int(text)
        if name.lower() in ("timestamp", "timemillis", "millis") and _is_number(text)
        else text
    )
