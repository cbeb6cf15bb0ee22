"""Records that are no lines: JSON objects and XML events over several lines, several on one,
batches of them, and blocks with a field on each line.
"""

from __future__ import annotations

import json
import re
from typing import IO, Any, Literal

from statemachines.logs.storage.batch_forms import BatchForm, batch_form
from statemachines.logs.storage.json_batches import put_batches_on_lines
from statemachines.logs.storage.record_lines import RecordLines
from statemachines.logs.storage.xml_events import EVENT_START, put_events_on_lines
from statemachines.model.late_patterns import late_pattern

BlockForm = Literal["YAML", "journald's export", "journald's verbose form"]
_JOURNAL_START = late_pattern(rb"__(?:CURSOR|REALTIME_TIMESTAMP|MONOTONIC_TIMESTAMP)=")
_VERBOSE_BLOCK = late_pattern(
    rb"\w{3} (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)? \S+) \[s=[0-9a-f]+;"
)
"""With this a record begins; below it stand its fields, indented."""
_VERBOSE_START = late_pattern(rb"(?:-- [^\n]*\n)*" + _VERBOSE_BLOCK.pattern)
"""The same behind what journald says of itself."""
_LENGTH_BYTES = 8
_YAML_START = late_pattern(
    rb"(?:---[ \t]*\r?\n)?(?:- )?[ \t]{0,4}[A-Za-z_@\"'][\w.@\"'-]{0,60}[ \t]{0,30}: ?"
)
_PAIR = late_pattern(rb"([A-Za-z_]\w{0,60})[ \t]{0,30}: ?(.*)")
"""A line of a paragraph that is no YAML, for its value holds a colon or a quote."""
_BLOCK_START = late_pattern(rb"- |---|" + _VERBOSE_BLOCK.pattern)
_ALIAS = late_pattern(rb"(?:^|: +|- +|[\[{,] *)[&*]\w", re.MULTILINE)
"""A small text with aliases may mean a large one."""
_MESSAGE_KEYS = ("message", "msg", "Message", "MESSAGE", "log", "text", "body", "event")
_MOST_LINE_BYTES = 1 << 16
_BLANKS = b" \t\r"


def block_form(head: bytes) -> BlockForm | None:
    """The form of a file whose records are blocks, by its beginning; None for any other file.

    >>> block_form(b"- time: 12:00:00\\n  message: open\\n- time: 12:00:01\\n")
    'YAML'
    >>> block_form(b"note: a file of the shop\\n12:00:00 INFO open\\n")

    Args:
        head: the first bytes of the file.

    Returns:
        The name of the form.
    """
    if _JOURNAL_START.match(head):
        return "journald's export"
    if _VERBOSE_START.match(head):
        return "journald's verbose form"
    head = head.lstrip(b"\r\n")
    if not _YAML_START.match(head):
        return None
    lines = head.split(b"\n")[:-1]
    starts = (at for at, line in enumerate(lines) if at and _begins_block(line, lines[at - 1]))
    first = lines[: next(starts, len(lines))]
    values = _yaml_fields(b"\n".join(first))
    return "YAML" if any(isinstance(values.get(key), str) for key in _MESSAGE_KEYS) else None


def _begins_block(line: bytes, before: bytes) -> bool:
    return bool(_BLOCK_START.match(line)) or not before.strip(_BLANKS)


def put_blocks_on_lines(source: IO[bytes], form: BlockForm) -> IO[bytes]:
    """A file with each block on the line on which it began; what is no block stays as it is.

    Args:
        source: the file, in UTF-8; it is closed.
        form: of its blocks.

    Returns:
        A temporary file with as many lines.

    Source: systemd, Journal Export Formats (https://systemd.io/JOURNAL_EXPORT_FORMATS/).
    """
    lines, is_open, before = RecordLines(), False, b""
    read_fields = _FIELDS[form]

    def end_block() -> None:
        fields = read_fields(lines.open_text())
        text = json.dumps(fields, ensure_ascii=False) if len(fields) > 1 else ""
        lines.end(text.encode("utf-8", "replace"))

    with source:
        while part := source.readline(_MOST_LINE_BYTES):
            text = part.removesuffix(b"\n")
            if lines.is_at_margin and _begins_block(text, before):
                if is_open:
                    end_block()
                is_open = False
            if not is_open and text.strip(_BLANKS):
                lines.begin()
                is_open = True
            lines.add(text)
            before = text
            if len(text) < len(part) and not lines.end_line(_BLANKS):
                is_open = False
    if is_open:
        end_block()
    return lines.close(_BLANKS)


def _yaml_fields(block: bytes) -> dict[str, Any]:
    """The fields of a block of YAML, all as texts; none where it is something else."""
    if _ALIAS.search(block):
        return {}
    import yaml  # here: few logs have such records, and importing it takes a while

    try:
        value = yaml.load(
            block.decode("utf-8", "replace"),
            Loader=getattr(yaml, "CBaseLoader", yaml.BaseLoader),
        )
    except (yaml.YAMLError, RecursionError, ValueError):
        return _paired_fields(block)
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    return value if isinstance(value, dict) else {}


def _paired_fields(block: bytes) -> dict[str, Any]:
    """The fields of a paragraph each line of which is a name, a colon and a value; else none."""
    pairs = [_PAIR.fullmatch(line.strip(_BLANKS)) for line in block.strip().split(b"\n")]
    return {
        pair[1].decode(): pair[2].decode("utf-8", "replace")
        for pair in pairs
        if pair and all(pairs)
    }


def _journal_fields(block: bytes) -> dict[str, Any]:
    """The fields of a record of journald's export: `NAME=text`, or a name, a line feed, the length
    of the value and the value, where that is no plain text.
    """
    fields: dict[str, Any] = {}
    at = 0
    while at < len(block):
        feed = block.find(b"\n", at)
        end = feed if feed >= 0 else len(block)
        name, equals, value = block[at:end].partition(b"=")
        if not equals and name.strip(_BLANKS) and end < len(block):
            start = end + 1 + _LENGTH_BYTES
            end = start + int.from_bytes(block[end + 1 : start], "little")
            value = block[start:end]
        if value or equals:
            text = value.decode("utf-8", "replace").rstrip("\r")
            fields[name.strip().decode("utf-8", "replace")] = text
        at = end + 1
    return fields


def _verbose_fields(block: bytes) -> dict[str, Any]:
    """The fields of a record of journald's verbose form, and its time."""
    first, _, rest = block.partition(b"\n")
    match = _VERBOSE_BLOCK.match(first)
    pairs = (line.strip().partition("=") for line in rest.decode("utf-8", "replace").split("\n"))
    fields: dict[str, Any] = {key: value for key, equals, value in pairs if equals}
    return {**fields, "captured_at": match[1].decode()} if match else {}


_FIELDS = {
    "YAML": _yaml_fields,
    "journald's export": _journal_fields,
    "journald's verbose form": _verbose_fields,
}


SpreadForm = Literal["JSON", "XML"] | BatchForm | BlockForm
_BEFORE_OBJECT = "\ufeff\x00\x1e \t\r\n["
"""What may stand before the first object of a file; U+001E separates those of a sequence."""
_BETWEEN_OBJECTS = b"\xef\xbb\xbf\x00\x1e \t\r[],"
_TOKEN = late_pattern(rb'\\.|["{}\n]', re.DOTALL)
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
