"""Records that are no lines: JSON objects and XML events over several lines, several on one,
batches of them, and blocks with a field on each line.
"""

from __future__ import annotations

import json
import re
from typing import IO, Literal

from statemachines.logs.storage.batch_forms import BatchForm, batch_form
from statemachines.logs.storage.block_records import BlockForm, block_form, put_blocks_on_lines
from statemachines.logs.storage.json_batches import put_batches_on_lines
from statemachines.logs.storage.record_lines import RecordLines
from statemachines.logs.storage.xml_events import EVENT_START, put_events_on_lines

SpreadForm = Literal["JSON", "XML"] | BatchForm | BlockForm
_BEFORE_OBJECT = "\ufeff\x00\x1e \t\r\n["
"""What may stand before the first object of a file; U+001E separates those of a sequence."""
_BETWEEN_OBJECTS = b"\xef\xbb\xbf\x00\x1e \t\r[],"
_TOKEN = re.compile(rb'\\.|["{}\n]', re.DOTALL)
_BLOCK_BYTES = 1 << 20
_DECODER = json.JSONDecoder(strict=False)


def spread_form(head: bytes) -> SpreadForm | None:
    """The form of a file whose records are no lines, by its first bytes; None for any other file.

    >>> spread_form(b'{\\n "message": "open"\\n}\\n'), spread_form(b'{"message": "open"}\\n')
    ('JSON', None)

    Args:
        head: the first bytes of the file.

    Returns:
        The name of the form.
    """
    text = head.decode("utf-8", "replace")
    first = text.lstrip(_BEFORE_OBJECT)
    if first.startswith("<"):
        return "XML" if EVENT_START.search(head) else None
    if not first.startswith("{"):
        return block_form(head)
    if batches := batch_form(text.lstrip(_BEFORE_OBJECT.rstrip("["))):
        return batches
    try:
        value, end = _DECODER.raw_decode(first)
    except (ValueError, RecursionError):
        return None
    is_list = "[" in text[: len(text) - len(first)]
    several = first[end:].lstrip("\x00\x1e ,\t").startswith("{")
    return "JSON" if value and (is_list or several or "\n" in first[:end]) else None


def put_on_lines(source: IO[bytes], form: SpreadForm) -> IO[bytes]:
    """A file whose records are lines, each where its record begins; closes the source.

    What belongs to no record stays as it is. Where several records begin on one line, the lines
    after it move down.

    Args:
        source: the file, in UTF-8.
        form: of its records.

    Returns:
        A temporary file.
    """
    if form == "XML":
        return put_events_on_lines(source)
    if isinstance(form, BatchForm):
        return put_batches_on_lines(source, form)
    if form != "JSON":
        return put_blocks_on_lines(source, form)
    objects = _ObjectLines()
    with source:
        carried = b""
        while block := source.read(_BLOCK_BYTES):
            data = carried + block
            carried = data[len(data.rstrip(b"\\")) :]
            objects.take(data[: len(data) - len(carried)])
    objects.take(carried)
    return objects.close()


class _ObjectLines:
    """Puts each object of a stream of JSON on a line."""

    def __init__(self) -> None:
        self._lines = RecordLines()
        self._depth = 0
        self._in_string = False
        self._is_other_line = False
        """Whether something that is no object stands on this line, between objects."""

    def take(self, data: bytes) -> None:
        """Take the next bytes; an escape must be in one piece."""
        at = 0
        for match in _TOKEN.finditer(data):
            token = match[0]
            if token == b"\n":
                self._lines.add(data[at : match.start()])
                self._end_line()
                at = match.end()
            elif token == b'"':
                self._in_string = self._depth > 0 and not self._in_string
            elif self._in_string:
                continue
            elif token == b"{" and self._begins_object(data, at, match.start()):
                self._lines.begin()
                self._depth, at = 1, match.start()
            elif self._depth and token in b"{}":
                self._depth += 1 if token == b"{" else -1
                if self._depth == 0:
                    self._lines.add(data[at : match.end()])
                    self._lines.end(b"")
                    at = match.end()
        self._lines.add(data[at:])

    def _begins_object(self, data: bytes, at: int, brace: int) -> bool:
        """Whether a brace begins a record: nothing but separators stand before it, and no other
        record is open, except one that was cut: none begins at the margin inside another.
        """
        if self._depth:
            return at == brace and self._lines.is_at_margin and self._lines.began_at_margin
        if not self._is_other_line:
            before = self._lines.unfinished + data[at:brace]
            self._is_other_line = bool(before.strip(_BETWEEN_OBJECTS))
        return not self._is_other_line

    def _end_line(self) -> None:
        """End a line; no text of JSON goes over one."""
        self._in_string = self._is_other_line = False
        if not self._lines.end_line(_BETWEEN_OBJECTS):
            self._depth = 0

    def close(self) -> IO[bytes]:
        """End what is open."""
        return self._lines.close(_BETWEEN_OBJECTS)
