"""A growing set of rows as sorted runs: in memory, and in files beyond a limit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from attrs import define, field

from statemachines.explore.arrays.distinct_numbers import NumberArray
from statemachines.explore.arrays.packing import RowCodes
from statemachines.explore.visited.number_files import SortedFile, merged_pieces, write_sorted
from statemachines.explore.visited.packed_numbers import PackedBlock, packed_blocks
from statemachines.explore.visited.row_store import RowStore


@define(eq=False)
class SortedRun:
    """Sorted rows in memory, each once, as blocks of four bytes a row."""

    numpy: Any
    blocks: list[PackedBlock] = field(factory=list)
    size: int = 0

    def __len__(self) -> int:
        return self.size

    @property
    def nbytes(self) -> int:
        """Bytes that it takes."""
        return sum(block.nbytes for block in self.blocks)

    def drained(self) -> Iterator[NumberArray]:
        """Yield all rows, block by block; a block is let go of before the next one."""
        self.blocks.reverse()
        while self.blocks:
            yield self.blocks.pop().numbers()

    def without_known(self, codes: RowCodes) -> RowCodes:
        """Return those of some rows, sorted and each once, that do not stand here."""
        numpy = self.numpy
        firsts = numpy.array([block.first for block in self.blocks], dtype=numpy.int64)
        begins = [*numpy.searchsorted(codes, firsts).tolist(), len(codes)]
        known = numpy.zeros(len(codes), dtype=bool)
        for block, begin, end in zip(self.blocks, begins, begins[1:], strict=False):
            if begin < end:
                known[begin:end] = block.has(codes[begin:end])
        return codes.compress(~known)


def sorted_run(numpy: Any, pieces: Iterable[RowCodes]) -> SortedRun:
    """Return pieces as one run: they are sorted, and come in order."""
    run = SortedRun(numpy)
    for piece in pieces:
        run.blocks += packed_blocks(numpy, piece)
        run.size += len(piece)
    return run


@define(eq=False)
class SortedRuns:
    """Sorted runs and files of rows, each at least twice as long as the next of its kind.

    Complexity: a row is sorted or written once for each doubling of their number.
    """

    numpy: Any
    store: RowStore
    memory: list[SortedRun] = field(factory=list)
    files: list[SortedFile] = field(factory=list)

    def add_new(self, codes: RowCodes) -> RowCodes:
        """Return those of some rows, sorted and each once, that are not here, and put them here."""
        for run in self.memory:
            codes = run.without_known(codes)
        for file in self.files:
            codes = file.without_known(codes)
        if len(codes):
            self._keep(iter([codes]))
        while _may_merge(self.memory):
            self._merge_last()
        if self.memory and self.store.is_full:
            self._to_disk()
        return codes

    def _keep(self, pieces: Iterator[RowCodes]) -> None:
        run = sorted_run(self.numpy, pieces)
        self.memory.append(run)
        self.store.held += run.nbytes

    def _merge_last(self) -> None:
        first, second = self.memory[-2:]
        self.memory[-2:] = []
        self.store.held -= first.nbytes + second.nbytes
        self._keep(merged_pieces(self.numpy, first.drained(), second.drained()))

    def _to_disk(self) -> None:
        """Write what is in memory to a file, and merge files."""
        while len(self.memory) > 1:
            self._merge_last()
        with self.store.writing():
            run = self.memory.pop()
            self.store.held -= run.nbytes
            self.files.append(self._written(run.drained()))
            while _may_merge(self.files):
                first, second = self.files[-2:]
                both = first.blocks(), second.blocks()
                self.files[-2:] = [self._written(merged_pieces(self.numpy, *both))]
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
