"""JSON files whose objects hold many records each, as collectors and exports write them: a record
becomes a line, with what its batch says around it.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import IO, Any

from statemachines.logs.layouts.json_layouts import with_nested
from statemachines.logs.storage.batch_forms import BatchForm
from statemachines.logs.storage.record_lines import RecordLines

_TOKEN = re.compile(rb'\\.|["{}\[\]\n]', re.DOTALL)
_CLOSING = bytes.maketrans(b"{[", b"}]")
_BLANKS = b"\xef\xbb\xbf\x00\x1e \t\r\n,"
_MOST_CONTEXT_BYTES = 1 << 16
"""Of what stands in a bracket around records, that is kept (64 KiB)."""
_BLOCK_BYTES = 1 << 20


def put_batches_on_lines(source: IO[bytes], form: BatchForm) -> IO[bytes]:
    """A file with each record of its batches on the line on which it begins; closes the source.

    Where several begin on one line, the lines after it move down. What belongs to no batch stays as
    it is.

    Args:
        source: the file, in UTF-8.
        form: of its batches.

    Returns:
        A temporary file.
    """
    batches = _Batches(form)
    with source:
        carried = b""
        while block := source.read(_BLOCK_BYTES):
            data = carried + block
            carried = data[len(data.rstrip(b"\\")) :]
            batches.take(data[: len(data) - len(carried)])
    batches.take(carried)
    return batches.close()


class _Batches:
    """Follows the brackets of a stream of JSON down to the records."""

    def __init__(self, form: BatchForm) -> None:
        self._path = form.brackets.encode()
        self._is_one_line, self._is_indented = form.is_one_line, form.is_indented
        self._lines = RecordLines()
        self._forget()

    def _forget(self) -> None:
        """Be between batches."""
        self._open = b""
        """The brackets that are open, without those of a record."""
        self._texts = [b""]
        """Of each of them what stands in it, without records and the lists' other items."""
        self._depth = 0
        """The brackets of the record that are open."""
        self._in_string = False

    def take(self, data: bytes) -> None:
        """Take the next bytes; an escape must be in one piece."""
        at = 0
        for match in _TOKEN.finditer(data):
            token = match[0]
            if token == b"\n":
                self._add(data[at : match.start()])
                self._end_line()
                at = match.end()
            elif token == b'"':
                self._in_string = bool(self._open) and not self._in_string
            elif self._in_string or token[:1] == b"\\":
                continue
            elif token in b"{[":
                at = self._begin(data, at, match.start())
            elif self._open:
                self._add(data[at : match.end()])
                self._end()
                at = match.end()
        self._add(data[at:])

    def _add(self, text: bytes) -> None:
        if self._depth or not self._open:
            self._lines.add(text)
            return
        self._lines.is_at_margin = self._lines.is_at_margin and not text
        if not self._is_list() or text.strip(_BLANKS):
            self._texts[-1] += text[: max(_MOST_CONTEXT_BYTES - len(self._texts[-1]), 0)]

    def _is_list(self) -> bool:
        """Whether the innermost bracket is a list on the path to the records."""
        return self._open.endswith(b"[") and self._path.startswith(self._open)

    def _begin(self, data: bytes, at: int, bracket: int) -> int:
        """Take an opening bracket; return up to where the data is taken then."""
        if self._is_indented and at == bracket and self._lines.is_at_margin and self._open:
            self._leave_cut_batch()
        if not self._open and (
            data[bracket] != self._path[0]
            or (self._lines.unfinished + data[at:bracket]).strip(_BLANKS)
        ):
            return at
        if self._depth:
            self._depth += 1
            return at
        if self._open:
            self._add(data[at:bracket])
        if self._open == self._path:
            self._lines.begin()
            self._depth = 1
        else:
            self._open += data[bracket : bracket + 1]
            self._texts.append(b"")
            self._lines.unfinished = b""
        return bracket

    def _end(self) -> None:
        """End the innermost bracket, that of a record or one around records."""
        if self._depth:
            self._depth -= 1
            if not self._depth:
                around = b"".join(self._texts) + self._open.translate(_CLOSING)[::-1]
                self._lines.end(record_line(self._lines.open_text(), around))
            return
        self._open = self._open[:-1]
        text = self._texts.pop()
        if not self._is_list():
            self._texts[-1] += text
        if not self._open:
            self._forget()

    def _leave_cut_batch(self) -> None:
        """Another batch begins at the margin: its writer was killed while it wrote this one."""
        if self._depth:
            self._lines.end(b"")
        self._forget()

    def _end_line(self) -> None:
        """End a line; no text of JSON goes over one."""
        self._in_string = False
        goes_on = self._lines.end_line(_BLANKS)
        if self._is_one_line and goes_on:
            self._lines.end(b"")
        if self._is_one_line or (self._depth and not goes_on):
            self._forget()

    def close(self) -> IO[bytes]:
        """Write what is open."""
        return self._lines.close(_BLANKS)


_PROCESS_KEYS = (
    ("k8s.pod.name", "host.name", "service.instance.id", "logStreamName", "logStream"),
    ("k8s.container.name", "service.name"),
)
"""Keys that tell which process wrote a record; of each list the first that there is."""


def record_line(record: bytes, around: bytes) -> bytes:
    """The line of a record; nothing where it is no JSON.

    Args:
        record: an object, or a row: a time and a text, or the cells of a table.
        around: the objects and lists around it, each with what stands in it before the record.

    Returns:
        JSON on one line, without a line feed.
    """
    try:
        value = json.loads(record.decode("utf-8", "replace"), strict=False)
    except (ValueError, RecursionError):
        return b""
    context = _context(around)
    if isinstance(value, list):
        return _row_line(value, context).encode()
    whole = _with_plain_attributes({**context, **value})
    names = [_first_text(whole, keys) for keys in _PROCESS_KEYS]
    process = "/".join(name for name in names if name)
    text = json.dumps(whole, ensure_ascii=False)
    return (json.dumps({"of_process": process, "record": text}) if process else text).encode(
        "utf-8", "replace"
    )


@lru_cache(maxsize=8)
def _context(around: bytes) -> dict[str, Any]:
    """What is said around a record: objects, and of the names above them the texts."""
    try:
        value = json.loads(around.decode("utf-8", "replace"), strict=False)
    except (ValueError, RecursionError):
        return {}
    values: dict[str, Any] = {}
    while value and isinstance(value, dict | list):
        if isinstance(value, list):
            value = value[-1]
            continue
        inner = list(value.values())[-1]
        values |= {
            key: _with_plain_attributes(member) if isinstance(member, dict) else member
            for key, member in value.items()
            if member is not inner and (isinstance(member, dict) or key in _PROCESS_KEYS[0])
        }
        value = inner
    return values


def _with_plain_attributes(values: dict[str, Any]) -> dict[str, Any]:
    """Put the values of `attributes` under their names, which a list of pairs may tell."""
    pairs = values.get("attributes")
    if not isinstance(pairs, list):
        return values
    plain = {
        pair["key"]: next(iter(pair["value"].values()), None)
        for pair in pairs
        if isinstance(pair, dict)
        and isinstance(pair.get("key"), str)
        and isinstance(pair.get("value"), dict)
    }
    return {**values, "attributes": plain}


def _first_text(values: dict[str, Any], keys: Sequence[str]) -> str | None:
    texts = (record[key] for key in keys for record in with_nested(values) if key in record)
    return next((text for text in texts if isinstance(text, str) and text), None)


def _row_line(cells: list[Any], context: dict[str, Any]) -> str:
    """A time and a text as a line of Loki's client, with the labels of its stream; other cells as a
    row of a table.
    """
    texts = [cell if isinstance(cell, str) else json.dumps(cell) for cell in cells]
    if len(texts) == 2 or (len(texts) == 3 and isinstance(cells[2], dict)):
        labels = context.get("stream", {})
        return json.dumps({"labels": labels, "line": texts[1], "timestamp": texts[0]})
    row = io.StringIO()
    csv.writer(row, quoting=csv.QUOTE_ALL, lineterminator="").writerow(texts)
    return row.getvalue()
