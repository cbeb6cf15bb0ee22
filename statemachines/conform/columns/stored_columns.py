"""Observations as columns, kept until all is read: by instance, in memory while they are few, then
in a temporary file.
"""

from __future__ import annotations

import pickle
import tempfile
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from attrs import evolve

from statemachines.conform.columns.observation_columns import (
    FoldedSteps,
    InstanceKey,
    ObservationColumns,
)
from statemachines.conform.columns.stored_texts import StoredTexts
from statemachines.conform.interchange.observations import KeyValues, LineWords, Observation
from statemachines.model.arrays import load_numpy
from statemachines.model.values import frozen

COLUMNS = 6
LINE, AT, REACHED, PLACE, SIZE, WORDS = range(COLUMNS)
"""The columns of a stored row: where its text lies, and its bytes; which words it says."""
NO_WORDS = -1
"""Of a line that says more than words do."""
NO_SIZE = -1
"""Of a line that was observed by itself."""
FOLDED = -2
"""Of the first of lines that were folded; its place is the index of what they came to."""
ROWS_IN_MEMORY = 500_000
"""Rows that are not written yet; each has 48 bytes."""
_READ_FOR_A_BYTE = 16
"""Texts are read at once with what lies between them, where that is at most so much for a byte."""
MOST_WORDS = 100_000
"""Different words; a line that says others is an observation of its own."""

_Rows = tuple[Any, Any, list[Observation]]
"""The codes of sources, rows, and observations that are too much."""


@frozen(eq=False)
class _SortedRows:
    """Rows that were sorted together."""

    codes: Any
    """The sources that it has rows of, sorted."""
    starts: Any
    """Where the rows of each begin, and where the last ones end."""
    rows: Any
    """None where they lie in the file."""
    offset: int


@frozen(eq=False)
class _SourceIndex:
    """Where the rows of each source lie in all batches, one source after the other.

    Complexity: a sort of the sources of all batches; a look-up takes no time that grows with them.
    """

    first: memoryview
    """By code, the first stretch of it; behind the last code the number of stretches."""
    batches: memoryview
    starts: memoryview
    ends: memoryview

    @staticmethod
    def index_batches(batches: Sequence[_SortedRows], sources: int) -> _SourceIndex:
        """Return where the rows lie that some batches have."""
        numpy = load_numpy()
        nothing = numpy.empty(0, numpy.int64)
        numbers = [numpy.full(len(batch.codes), place) for place, batch in enumerate(batches)]
        codes = numpy.concatenate([nothing, *(batch.codes for batch in batches)])
        columns = (
            numbers,
            [batch.starts[:-1] for batch in batches],
            [batch.starts[1:] for batch in batches],
        )
        order = numpy.argsort(codes, kind="stable")
        first = numpy.searchsorted(codes[order], numpy.arange(sources + 1))
        sorted_columns = (numpy.concatenate([nothing, *column])[order] for column in columns)
        return _SourceIndex(*(memoryview(column) for column in (first, *sorted_columns)))

    def stretches(self, code: int) -> Iterator[tuple[int, int, int]]:
        """Yield the rows of a source: a batch, where they begin in it, and where they end."""
        for place in range(self.first[code], self.first[code + 1]):
            yield self.batches[place], self.starts[place], self.ends[place]


class StoredColumns:
    """Takes columns, and gives the rows of each source back, in the order in which they came.

    Complexity: a sort of the rows; memory for `ROWS_IN_MEMORY` rows and `MOST_WORDS` words, and
    forty bytes for each source in each batch of so many rows.
    """

    def __init__(self, text_files: Sequence[Path] = ()) -> None:
        """Begin with nothing.

        Args:
            text_files: as `StoredTexts` takes them.
        """
        self.words: list[LineWords] = []
        """What lines say; a row has the index."""
        self.keys, self._owners, self._files = list[KeyValues](), array("i"), array("i")
        """By code: which instance lines tell of, of which machine, and in which file."""
        self._codes: dict[tuple[int, int], dict[KeyValues, int]] = {}
        """By file and machine."""
        self._words_by_identity: dict[int, int] = {}
        self._words_by_value: dict[LineWords, int] = {}
        self._texts = StoredTexts(text_files)
        self._folded = list[FoldedSteps]()
        self._pending = list[tuple[Any, Any]]()
        """Codes of sources, and rows."""
        self._pending_count = 0
        self._last_lines = dict[int, int]()
        """Of each file, of what came."""
        self._is_mixed = False
        """Whether lines came that stand before others of their file which came before them."""
        self._batches = list[_SortedRows]()
        self._index: _SourceIndex | None = None
        """Where the rows of each source lie; None where some came since."""
        self._file: Any = None

    def add(self, columns: ObservationColumns) -> list[Observation]:
        """Take columns in; return the observations that say what is too much to be kept apart."""
        numpy = load_numpy()
        if len(columns.lines):
            last = self._last_lines.get(columns.file, 0)
            self._is_mixed |= int(columns.lines[0]) < last
            self._last_lines[columns.file] = max(last, int(columns.lines[-1]))
        parts = [self._rows_of(columns), *map(self._folded_rows, columns.folded)]
        codes, rows = (numpy.concatenate([part[index] for part in parts]) for index in range(2))
        if columns.folded:
            order = numpy.argsort(rows[:, LINE], kind="stable")
            codes, rows = codes[order], rows[order]
        self._pending.append((codes, rows))
        self._pending_count += len(codes)
        if self._pending_count >= ROWS_IN_MEMORY:
            self._write_pending()
        return [observation for _, _, left in parts for observation in left]

    def _rows_of(self, columns: ObservationColumns) -> _Rows:
        """Return the sources and the rows of some lines, and what is too much."""
        numpy = load_numpy()
        words = numpy.array([self.word_index(word) for word in columns.words], numpy.int64)
        words, with_words = words[columns.word_codes], slice(None)
        left = list[Observation]()
        if len(words) and int(words.min()) == NO_WORDS:
            with_words = words != NO_WORDS
            left = self._with_texts(columns).observations(~with_words)
        codes = self._source_codes(columns.file, columns.instances)[columns.instance_codes][
            with_words
        ]
        written = columns.written
        place = self._texts.add(columns.texts) if written is None else self._texts.place(written)
        given = columns.lines, columns.at, columns.reached, columns.starts + place, columns.sizes
        rows = numpy.empty((len(codes), COLUMNS), numpy.int64)
        for index, column in enumerate((*given, words)):
            rows[:, index] = column[with_words]
        return codes, rows, left

    def _with_texts(self, columns: ObservationColumns) -> ObservationColumns:
        """Return the same columns with their texts, wherever these are."""
        if (written := columns.written) is None:
            return columns
        texts = self._texts.read(self._texts.place(written), written.size)
        return evolve(columns, texts=texts, written=None)

    def _folded_rows(self, steps: FoldedSteps) -> _Rows:
        """Return a row that stands for folded lines, which are put aside; the rows of the lines,
        where not all that they say can be kept.
        """
        if NO_WORDS in map(self.word_index, steps.words):
            return self._rows_of(steps.lines())
        lines, first = pickle.dumps(steps.lines, 5), steps.first
        lines_of = partial(self._put_aside, self._texts.add(lines), len(lines))
        row = first.line, first.at, first.reached, len(self._folded), FOLDED, NO_WORDS
        self._folded.append(evolve(steps, lines=lines_of))
        codes = self._source_codes(first.file, [steps.instance])
        return codes, load_numpy().array([row], load_numpy().int64), []

    def _put_aside(self, place: int, size: int) -> ObservationColumns:
        lines: Callable[[], ObservationColumns] = pickle.loads(self._texts.read(place, size))
        return lines()

    def unfolded_rows(self, steps: FoldedSteps) -> Any:
        """Return the rows of lines that were folded."""
        return self._rows_of(steps.lines())[1]

    def _source_codes(self, file: int, instances: Sequence[InstanceKey]) -> Any:
        """Return the codes of instances as a file tells them, new ones behind the others."""
        codes = load_numpy().empty(len(instances), load_numpy().int64)
        for index, (owner, key) in enumerate(instances):
            known = self._codes.get((file, owner))
            if known is None:
                known = self._codes[file, owner] = {}
            code = known.get(key)
            if code is None:
                code = known[key] = len(self.keys)
                self.keys.append(key)
                self._owners.append(owner)
                self._files.append(file)
            codes[index] = code
        return codes

    def forget_codes(self) -> None:
        """Have no more come in: by which code an instance goes is looked up no more."""
        self._codes.clear()

    def word_index(self, words: LineWords) -> int:
        """Return the index of some words, those that are new behind the others; `NO_WORDS` where
        there are too many.
        """
        word_index = self._words_by_identity.get(id(words))
        if word_index is None:
            known = self._words_by_value.get(words)
            if known is None and len(self.words) >= MOST_WORDS:
                return NO_WORDS
            word_index = len(self.words) if known is None else known
            if known is None:
                self.words.append(words)  # which keeps them, and so their identity
                self._words_by_value[words] = self._words_by_identity[id(words)] = word_index
        return word_index

    def texts(self, places: Any, sizes: Any) -> bytes:
        """Return the texts of some lines, one after the other.

        Args:
            places: where each lies, at least one.
            sizes: their bytes.
        """
        ends, first = places + sizes, int(places.min())
        between = int(ends.max()) - first
        if between > _READ_FOR_A_BYTE * int(sizes.sum()):
            return b"".join(self._texts.read_each(places.tolist(), sizes.tolist()))
        read = self._texts.read(first, between)
        if (places[1:] == ends[:-1]).all():
            return read
        starts, stops = (places - first).tolist(), (ends - first).tolist()
        return b"".join(map(read.__getitem__, map(slice, starts, stops)))

    def text(self, place: int, size: int) -> str:
        """Return the text of a line."""
        return self._texts.read(place, size).decode("ascii")

    def _sorted_pending(self) -> _SortedRows:
        numpy = load_numpy()
        codes = numpy.concatenate([codes for codes, _ in self._pending])
        order = numpy.argsort(codes, kind="stable")
        rows, codes = numpy.concatenate([rows for _, rows in self._pending])[order], codes[order]
        starts = numpy.flatnonzero(numpy.diff(codes, prepend=-1))
        return _SortedRows(codes[starts], numpy.append(starts, len(codes)), rows, 0)

    def _write_pending(self) -> None:
        batch = self._sorted_pending()
        self._file = self._file or tempfile.TemporaryFile(prefix="statemachines-")
        offset = self._file.seek(0, 2)
        self._file.write(batch.rows.tobytes())
        self._put(_SortedRows(batch.codes, batch.starts, None, offset))

    def _put(self, batch: _SortedRows) -> None:
        """Have a batch for the pending rows; Ctrl-C comes before or behind, not in between."""
        batches = [*self._batches, batch]
        self._batches, self._pending, self._pending_count = batches, [], 0
        self._index = None

    def codes_by_owner(self) -> dict[int, array[int]]:
        """Return the codes of the sources that have rows, by machine."""
        first = self._source_index().first
        codes: dict[int, array[int]] = defaultdict(partial(array, "q"))
        for code, owner in enumerate(self._owners):
            if first[code] < first[code + 1]:
                codes[owner].append(code)
        return codes

    def source_file(self, code: int) -> int:
        """Return the file of a source."""
        return self._files[code]

    def stretches(self, code: int) -> Iterator[FoldedSteps | Any]:
        """Yield the rows of a source, some at once, and what others came to that were folded."""
        numpy = load_numpy()
        for rows in self._rows(code):
            start = 0
            for place in numpy.flatnonzero(rows[:, SIZE] == FOLDED).tolist():
                if place > start:
                    yield rows[start:place]
                yield self._folded[int(rows[place, PLACE])]
                start = place + 1
            if start < len(rows):
                yield rows[start:]

    def _rows(self, code: int) -> Iterator[Any]:
        """Yield the rows of a source in the order of its lines, some at once."""
        numpy, stretches = load_numpy(), self._source_index().stretches(code)
        rows = (self._read(self._batches[batch], first, last) for batch, first, last in stretches)
        if not self._is_mixed:
            yield from rows
        elif some := list(rows):
            mixed = numpy.concatenate(some)
            yield mixed[numpy.argsort(mixed[:, LINE], kind="stable")]

    def few_rows(self, code: int, most: int) -> list[list[int]] | None:
        """Return the rows of a source, folded ones as they are kept, a list for each column; None
        where they are more.

        Args:
            code: of the source.
            most: rows.
        """
        stretches = list(self._source_index().stretches(code))
        if sum(end - start for _, start, end in stretches) > most:
            return None
        cells = list[int]()
        for rows in self._rows(code):
            cells += rows.ravel().tolist()
        return [cells[column::COLUMNS] for column in range(COLUMNS)]

    def _source_index(self) -> _SourceIndex:
        if self._pending:
            self._put(self._sorted_pending())
        if self._index is None:
            self._index = _SourceIndex.index_batches(self._batches, len(self._files))
        return self._index

    def _read(self, batch: _SortedRows, start: int, end: int) -> Any:
        if batch.rows is not None:
            return batch.rows[start:end]
        self._file.seek(batch.offset + start * 8 * COLUMNS)
        data = self._file.read((end - start) * 8 * COLUMNS)
        return load_numpy().frombuffer(data, load_numpy().int64).reshape(-1, COLUMNS)

    def close(self) -> None:
        """Let the files go."""
        self._texts.close()
        if self._file is not None:
            self._file.close()
