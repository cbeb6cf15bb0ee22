"""Rows of the timeline that wait until they are asked for: in memory, or in a file of which a few
are read without the others.
"""

from __future__ import annotations

import os
import pickle
from array import array
from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate
from typing import IO, Protocol

from statemachines.conform.interchange.packed_rows import PackedRows, RowModel

_CODES = ("i", "q", "q", "q", "i")
"""The types of the columns of `PackedRows`, in their order."""
_MODELS_AT_HAND = 8
"""Of so many blocks of rows what they have in common is not read again."""


ModelsAtHand = dict[int, tuple[RowModel, ...]]
"""Where they stand in a file, and what was read there."""


class RowBlock(Protocol):
    """Some rows, of which any may be read."""

    def __len__(self) -> int: ...

    def rows(self, start: int, stop: int) -> PackedRows:
        """Return the rows from one on up to another one."""

    def models_of(self, start: int, stop: int) -> Sequence[RowModel]:
        """Return what such rows have in common, each once, in their order."""


class RowsInMemory:
    """Rows in memory."""

    def __init__(self, packed: PackedRows) -> None:
        self._packed = packed

    def __len__(self) -> int:
        return len(self._packed)

    @cached_property
    def _texts(self) -> array[int]:
        """Where the text of each row begins."""
        return array("q", accumulate(self._packed.sizes, initial=0))

    def rows(self, start: int, stop: int) -> PackedRows:
        """Return the rows from one on up to another one."""
        packed = self._packed
        return PackedRows(
            packed.models,
            packed.codes[start:stop],
            packed.at[start:stop],
            packed.lines[start:stop],
            packed.source_since[start:stop],
            packed.sizes[start:stop],
            packed.texts[self._texts[start] : self._texts[stop]],
        )

    def models_of(self, start: int, stop: int) -> Sequence[RowModel]:
        """Return what such rows have in common, each once, in their order."""
        codes = dict.fromkeys(self._packed.codes[start:stop])
        return [self._packed.models[code] for code in codes]


class RowsOnDisk:
    """Rows in a file, behind others.

    Complexity: a hundred bytes of memory for all of them; a few reads for some of them.
    """

    def __init__(self, file: IO[bytes], packed: PackedRows, at_hand: ModelsAtHand) -> None:
        """Write rows at the end of a file.

        Args:
            file: takes them.
            packed: the rows.
            at_hand: of the last blocks of this file.
        """
        self._file, self._count, self._at_hand = file, len(packed), at_hand
        file.seek(0, 2)
        self._models_at = file.tell()
        pickle.dump(packed.models, file, 5)
        self._columns = list[int]()
        columns = packed.codes, packed.at, packed.lines, packed.source_since, packed.sizes
        for column in columns:
            self._columns.append(file.tell())
            file.write(column)
        self._ends_at = file.tell()
        file.write(array("q", accumulate(packed.sizes, initial=0)))
        self._texts_at = file.tell()
        file.write(packed.texts)
        file.flush()

    def __len__(self) -> int:
        return self._count

    def rows(self, start: int, stop: int) -> PackedRows:
        """Return the rows from one on up to another one."""
        codes, at, lines, since, sizes = (
            self._column(code, offset, start, stop)
            for code, offset in zip(_CODES, self._columns, strict=True)
        )
        first, last = (
            self._column("q", self._ends_at, place, place + 1)[0] for place in (start, stop)
        )
        texts = os.pread(self._file.fileno(), last - first, self._texts_at + first)
        return PackedRows(self._models(), codes, at, lines, since, sizes, texts)

    def models_of(self, start: int, stop: int) -> Sequence[RowModel]:
        """Return what such rows have in common, each once, in their order."""
        models = self._models()
        codes = self._column(_CODES[0], self._columns[0], start, stop)
        return [models[code] for code in dict.fromkeys(codes)]

    def _column(self, code: str, offset: int, start: int, stop: int) -> array[int]:
        column = array(code)
        size = column.itemsize
        place = offset + start * size
        column.frombytes(os.pread(self._file.fileno(), (stop - start) * size, place))
        return column

    def _models(self) -> tuple[RowModel, ...]:
        if self._models_at not in self._at_hand:
            while len(self._at_hand) >= _MODELS_AT_HAND:
                self._at_hand.pop(next(iter(self._at_hand)))
            self._file.seek(self._models_at)
            self._at_hand[self._models_at] = pickle.load(self._file)
        return self._at_hand[self._models_at]
