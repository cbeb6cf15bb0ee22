"""Where rows are kept: in memory up to a number of bytes, beyond it in files."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from attrs import define, field, frozen

from statemachines.explore.arrays.distinct_numbers import in_chunks
from statemachines.explore.arrays.packing import RowCodes
from statemachines.explore.resources.limits import LimitReached, Limits
from statemachines.explore.resources.memory import used_memory
from statemachines.explore.visited.number_files import FilePart, NumberFile
from statemachines.explore.visited.packed_numbers import (
    BLOCK_NUMBERS,
    PackedBlock,
    PackedPiece,
    packed_piece,
)

_ROWS_SHARE = 4
"""Rows may take one part in so many of the memory that is left when a search begins; the rest is
for sorting them, for tables, and for the steps that are worked on.
"""
_GATHERED_SHARE = 64
"""A row may be gathered for so many bytes that rows may take: gathered rows are sorted twice."""
_EXPANDED_BYTES = 1 << 11
"""What a row may take that is worked on, with its steps."""
_LEAST_AT_ONCE = 1 << 9
"""Rows that are worked on at once however little memory there is."""
_FULL_SHARE = 0.7
"""The part of the memory that may be used beyond which rows go to disk, however few they are."""
_LEAST_PACKED = 1 << 12
"""Rows of a piece that is worth being packed."""
_MIB = 1 << 20
Piece = PackedBlock | PackedPiece | FilePart
"""Rows that lie in memory, as they are or packed, or in a file."""


@frozen(eq=False)
class StoredRows:
    """Rows, in pieces."""

    pieces: tuple[Piece, ...] = ()

    def __len__(self) -> int:
        return sum(len(piece) for piece in self.pieces)

    @property
    def nbytes(self) -> int:
        """Bytes that they take in memory."""
        return sum(piece.nbytes for piece in self.pieces)

    def chunks(self, many: int, without: int = 0) -> Iterator[RowCodes]:
        """Yield all rows but the first (`without`), at most so many at once."""
        for piece in self.pieces:
            if without < len(piece):
                yield from in_chunks(piece.numbers()[without:], many)
            without = max(without - len(piece), 0)


def plain_rows(numpy: Any, codes: Iterable[RowCodes]) -> StoredRows:
    """Return rows as they are, counted by nobody."""
    return StoredRows(tuple(PackedBlock(numpy, 0, some) for some in codes))


def joined_rows(pieces: Iterable[StoredRows]) -> StoredRows:
    """Return the rows of several as one."""
    return StoredRows(tuple(part for piece in pieces for part in piece.pieces))


@define(eq=False, weakref_slot=True)
class RowStore:
    """What the rows of a search take, and where they go when it is too much."""

    numpy: Any
    bounds: list[str]
    """Where it is told that a disk is full."""
    most_bytes: int | None = None
    """What rows may take in memory; None: as much as there is."""
    most_memory: int | None = None
    """MiB that the process may use."""
    held: int = 0
    """Bytes that rows take in memory now."""
    on_disk: int = 0
    """Bytes that were written, those that were written anew included."""
    files: int = 0
    folder: Path | None = None
    level_file: NumberFile | None = field(default=None)

    @property
    def is_full(self) -> bool:
        """Whether rows should leave the memory."""
        if self.most_bytes is None:
            return False
        if self.held > self.most_bytes:
            return True
        return (
            self.most_memory is not None
            and 4 * self.held > self.most_bytes
            and used_memory() > _FULL_SHARE * self.most_memory
        )

    @property
    def uses_disk(self) -> bool:
        """Whether some rows lie in files."""
        return self.folder is not None

    def most_gathered(self, many: int) -> int:
        """Return how many rows may be gathered where so many would do."""
        if self.most_bytes is None:
            return many
        return min(many, max(self.most_bytes // _GATHERED_SHARE, 1))

    def rows_at_once(self, many: int) -> int:
        """Return how many rows may be worked on at once where so many would be."""
        if self.most_bytes is None:
            return many
        return min(many, max(self.most_bytes // _EXPANDED_BYTES, _LEAST_AT_ONCE))

    def new_path(self) -> Path:
        """Return the name of a file that is not there yet."""
        if self.folder is None:
            self.folder = Path(tempfile.mkdtemp(prefix="statemachines-"))
            weakref.finalize(self, shutil.rmtree, self.folder, ignore_errors=True)
        self.files += 1
        return self.folder / str(self.files)

    def keep(self, codes: RowCodes) -> StoredRows:
        """Keep rows of a level: in memory as long as no rows are on disk."""
        if self.uses_disk:
            return self._written(in_chunks(codes, BLOCK_NUMBERS))
        rows = plain_rows(self.numpy, [codes])
        if len(codes) >= _LEAST_PACKED and (codes[1:] > codes[:-1]).all():
            pieces = in_chunks(codes, BLOCK_NUMBERS)
            rows = StoredRows(tuple(packed_piece(self.numpy, some) for some in pieces))
        self.held += rows.nbytes
        return rows

    def to_disk(self, rows: StoredRows) -> StoredRows:
        """Return the same rows, all in a file."""
        if all(isinstance(piece, FilePart) for piece in rows.pieces):
            return rows
        written = self._written(rows.chunks(BLOCK_NUMBERS))
        self.forget(rows)
        return written

    def forget(self, rows: StoredRows) -> None:
        """Count rows no more that nobody holds."""
        self.held -= rows.nbytes

    def _written(self, chunks: Iterable[RowCodes]) -> StoredRows:
        with self.writing():
            if self.level_file is None:
                self.level_file = NumberFile(self.numpy, self.new_path())
            parts = tuple(map(self.level_file.append, chunks))
        self.on_disk += 8 * sum(map(len, parts))
        return StoredRows(parts)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Let a full disk end the search.

        Raises:
            LimitReached: something could not be written; the bounds tell.
        """
        try:
            yield
        except OSError as problem:
            self.bounds.append(f"the disk beyond the memory: {problem.strerror}")
            raise LimitReached from problem

    def close(self) -> None:
        """Remove all files."""
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)


def row_store(numpy: Any, limits: Limits, bounds: list[str]) -> RowStore:
    """Return where the rows of a search are kept: only beyond a memory limit that somebody gave
    they go to disk.
    """
    if not limits.spills or limits.most_memory is None:
        return RowStore(numpy, bounds)
    left = int(max(limits.most_memory - used_memory(), 1) * _MIB)
    return RowStore(numpy, bounds, left // _ROWS_SHARE, limits.most_memory)
