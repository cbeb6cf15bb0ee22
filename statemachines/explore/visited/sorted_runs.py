"""A growing set of rows as sorted runs: in memory, and in files beyond a limit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attrs import define, field

from statemachines.explore.arrays.packing import RowCodes
from statemachines.explore.visited.number_files import (
    SortedFile,
    is_among,
    merged_pieces,
    write_sorted,
)
from statemachines.explore.visited.row_store import RowStore


@define(eq=False)
class SortedRuns:
    """Sorted arrays and files of rows, each at least twice as long as the next of its kind.

    Complexity: a row is sorted or written once for each doubling of their number.
    """

    numpy: Any
    store: RowStore
    memory: list[RowCodes] = field(factory=list)
    files: list[SortedFile] = field(factory=list)

    def add_new(self, codes: RowCodes) -> RowCodes:
        """Return those of some rows, sorted and each once, that are not here, and put them here."""
        for known in self.memory:
            codes = codes.compress(~is_among(self.numpy, codes, known))
        for file in self.files:
            codes = file.without_known(codes)
        if len(codes):
            self.memory.append(codes)
            self.store.held += codes.nbytes
        while _may_merge(self.memory):
            self._merge_last()
        if self.memory and self.store.is_full:
            self._to_disk()
        return codes

    def _merge_last(self) -> None:
        merged = self.numpy.concatenate(self.memory[-2:])
        self.memory[-2:] = []  # let go of before it is sorted: they are most of the memory
        merged.sort(kind="stable")
        self.memory.append(merged)

    def _to_disk(self) -> None:
        """Write what is in memory to a file, and merge files."""
        while len(self.memory) > 1:
            self._merge_last()
        with self.store.writing():
            run = self.memory[0]
            self.files.append(self._written(iter([run])))
            self.memory = []
            self.store.held -= run.nbytes
            while _may_merge(self.files):
                first, second = self.files[-2:]
                merged = self._written(merged_pieces(self.numpy, first, second))
                self.files[-2:] = [merged]
                first.file.remove()
                second.file.remove()

    def _written(self, pieces: Iterator[RowCodes]) -> SortedFile:
        written = write_sorted(self.numpy, self.store.new_path(), pieces)
        self.store.on_disk += written.file.bytes
        return written

    def close(self) -> None:
        """Let go of all rows."""
        self.store.held -= sum(run.nbytes for run in self.memory)
        for file in self.files:
            file.file.remove()
        self.memory, self.files = [], []


def _may_merge(runs: list[Any]) -> bool:
    return len(runs) > 1 and len(runs[-2]) < 2 * len(runs[-1])
