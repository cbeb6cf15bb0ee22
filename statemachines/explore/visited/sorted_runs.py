"""A growing set of rows as sorted runs: in memory, and in files beyond a limit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from attrs import define, field

from statemachines.explore.arrays.distinct_numbers import NumberArray, in_chunks
from statemachines.explore.arrays.packing import RowCodes
from statemachines.explore.visited.number_files import FilePart, NumberFile
from statemachines.explore.visited.packed_numbers import BLOCK_NUMBERS, PackedBlock, packed_blocks
from statemachines.explore.visited.row_store import RowStore


@define(eq=False)
class SortedRun:
    """Sorted rows, each once, as blocks: of four bytes a row in memory, or of a file."""

    numpy: Any
    blocks: list[PackedBlock | FilePart]

    def __len__(self) -> int:
        return sum(map(len, self.blocks))

    @property
    def nbytes(self) -> int:
        """Bytes that it takes in memory."""
        return sum(block.nbytes for block in self.blocks)

    def drained(self) -> Iterator[NumberArray]:
        """Yield all rows, block by block; a block is let go of before the next one."""
        self.blocks.reverse()
        while self.blocks:
            yield self.blocks.pop().numbers()

    def without_known(self, codes: RowCodes) -> RowCodes:
        """Return those of some rows, sorted and each once, that do not stand here.

        Complexity: only blocks are looked at in which one of them could stand.
        """
        numpy = self.numpy
        firsts = numpy.array([block.first for block in self.blocks], dtype=numpy.int64)
        begins = [*numpy.searchsorted(codes, firsts).tolist(), len(codes)]
        known = numpy.zeros(len(codes), dtype=bool)
        for block, begin, end in zip(self.blocks, begins, begins[1:], strict=False):
            if begin < end:
                known[begin:end] = block.has(codes[begin:end])
        return codes.compress(~known)


@define(eq=False)
class SortedRuns:
    """Sorted runs and files of rows, each at least twice as long as the next of its kind.

    Complexity: a row is sorted or written once for each doubling of their number.
    """

    numpy: Any
    store: RowStore
    memory: list[SortedRun] = field(factory=list)
    on_disk: list[tuple[SortedRun, NumberFile]] = field(factory=list)

    def add_new(self, codes: RowCodes) -> RowCodes:
        """Return those of some rows, sorted and each once, that are not here, and put them here."""
        for run in (*self.memory, *(run for run, _ in self.on_disk)):
            codes = run.without_known(codes)
        if len(codes):
            self._keep([codes])
        while _may_merge(self.memory):
            self._merge_last()
        if self.memory and self.store.is_full:
            self._to_disk()
        return codes

    def _keep(self, pieces: Iterable[RowCodes]) -> None:
        blocks = [block for piece in pieces for block in packed_blocks(self.numpy, piece)]
        self.memory.append(SortedRun(self.numpy, [*blocks]))
        self.store.held += self.memory[-1].nbytes

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
            self._write(run.drained())
            while _may_merge([run for run, _ in self.on_disk]):
                (first, old), (second, older) = self.on_disk[-2:]
                self.on_disk[-2:] = []
                self._write(merged_pieces(self.numpy, first.drained(), second.drained()))
                old.path.unlink()
                older.path.unlink()

    def _write(self, pieces: Iterator[RowCodes]) -> None:
        file = NumberFile(self.numpy, self.store.new_path())
        every = (some for piece in pieces for some in in_chunks(piece, BLOCK_NUMBERS))
        self.on_disk.append((SortedRun(self.numpy, [*map(file.append, every)]), file))
        self.store.on_disk += 8 * file.size

    def close(self) -> None:
        """Let go of all rows."""
        self.store.held -= sum(run.nbytes for run in self.memory)
        for _, file in self.on_disk:
            file.path.unlink()
        self.memory, self.on_disk = [], []


def _may_merge(runs: list[SortedRun]) -> bool:
    return len(runs) > 1 and len(runs[-2]) < 2 * len(runs[-1])


def merged_pieces(numpy: Any, *sources: Iterator[NumberArray]) -> Iterator[NumberArray]:
    """Yield what stands in two sorted sets, given block by block, in order; no number stands in
    both.
    """
    nothing = numpy.zeros(0, dtype=numpy.int64)
    held = [next(source, nothing) for source in sources]
    while len(held[0]) and len(held[1]):
        last = min(int(held[0][-1]), int(held[1][-1]))
        cuts = [int(numpy.searchsorted(run, last, side="right")) for run in held]
        piece = numpy.concatenate([run[:cut] for run, cut in zip(held, cuts, strict=True)])
        yield numpy.sort(piece, kind="stable")
        held = [
            run[cut:] if cut < len(run) else next(source, nothing)
            for run, cut, source in zip(held, cuts, sources, strict=True)
        ]
    for run, source in zip(held, sources, strict=True):
        if len(run):
            yield run
            yield from source
