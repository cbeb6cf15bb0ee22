"""JSON files whose objects hold many records each, as collectors and exports write them."""

from __future__ import annotations

import re
from typing import IO

from statemachines.logs.storage.batch_forms import BatchForm
from statemachines.logs.storage.batched_records import record_line
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
