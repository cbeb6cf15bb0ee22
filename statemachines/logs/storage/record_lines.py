"""A file that is written record by record: each on the line on which it began."""

from __future__ import annotations

from typing import IO

from statemachines.logs.storage.unpacking import temporary_file

_MOST_BYTES = 1 << 20
"""A record that goes on for longer is none: its lines are kept as they are (1 MiB)."""


class RecordLines:
    """Takes a text in pieces; what stands between `begin` and `end` becomes one line."""

    def __init__(self) -> None:
        self._file = temporary_file()
        self._written = 0
        """Lines of the file so far."""
        self._line = 0
        """Lines of the source that have ended."""
        self._first_line = 0
        """On which the open record, or else what is between records, begins."""
        self._pieces: list[bytes] = []
        """Its lines that have ended."""
        self._size = 0
        self._is_open = False
        self.unfinished = b""
        """Of the line that has not ended: what belongs to the record, or to what is between."""
        self.is_at_margin = True
        """Whether nothing of this line was taken yet."""
        self.began_at_margin = False
        """Whether nothing stood before the open record on its line."""

    def add(self, piece: bytes) -> None:
        """Take more of the line.

        Args:
            piece: bytes of the source, without line feeds.
        """
        if piece:
            self.is_at_margin = False
            self.unfinished += piece[: max(_MOST_BYTES - len(self.unfinished), 0)]

    def begin(self) -> None:
        """Begin a record here; one that is open was cut, and is written as far as it goes."""
        if self._is_open:
            self.end(b"")
        self.unfinished = b""
        self._first_line, self._is_open = self._line, True
        self.began_at_margin = self.is_at_margin

    def end(self, record: bytes) -> None:
        """End the open record and write it: as it is given, or where that is empty as it stood.

        Args:
            record: the line to write for it, without a line feed.
        """
        joined = record or b"".join([*(part.strip() for part in self._pieces), self.unfinished])
        self._write(self._first_line, joined.replace(b"\n", b" "))
        self._forget()

    def open_text(self) -> bytes:
        """What was taken of the open record."""
        return b"\n".join([*self._pieces, self.unfinished])

    def end_line(self, separators: bytes) -> bool:
        """End a line of the source; say whether the record, if one is open, may go on.

        Args:
            separators: bytes that mean nothing where they stand between records.

        Returns:
            True while a record is open; one that has grown too long is written as it stood.
        """
        if self._is_open:
            self._pieces.append(self.unfinished)
            self._size += len(self.unfinished) + 1
        elif self.unfinished.strip(separators):
            self._write(self._line, self.unfinished)
        self.unfinished = b""
        self._line += 1
        self.is_at_margin = True
        if self._size > _MOST_BYTES:
            self._write_as_it_stood()
        return self._is_open

    def _write_as_it_stood(self) -> None:
        for number, piece in enumerate(self._pieces, self._first_line):
            self._write(number, piece)
        self._forget()

    def _forget(self) -> None:
        self._pieces, self.unfinished, self._size, self._is_open = [], b"", 0, False

    def _write(self, line: int, text: bytes) -> None:
        if self._written < line:
            self._file.write(b"\n" * (line - self._written))
            self._written = line
        self._file.write(text.rstrip(b"\r") + b"\n")
        self._written += 1

    def close(self, separators: bytes) -> IO[bytes]:
        """Write what is open, and give the file as many lines as the source has.

        Args:
            separators: bytes that mean nothing where they stand between records.

        Returns:
            The file, at its beginning.
        """
        if self.unfinished or not self.is_at_margin:
            self.end_line(separators)
        if self._is_open:
            self.end(b"")
        self._file.write(b"\n" * max(self._line - self._written, 0))
        self._file.flush()
        return self._file
