"""Many rows of the timeline as columns: what few of them say differently once, and of each its
time, its line and its text; a row is made when it is asked for.
"""

from __future__ import annotations

from abc import abstractmethod
from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

from statemachines.conform.interchange.judgements import CountedRows, StepRow
from statemachines.model.evidence.reports import StepValues
from statemachines.model.values import frozen

_AT_ONCE = 10_000
"""Rows that are taken in together: of a run of any length no more are held."""


class RowModel(NamedTuple):
    """What rows have in common."""

    incarnation: int
    zone: str
    source: str | None
    target: str | None
    how: str
    process: int
    file: int
    is_timed: bool = True
    has_text: bool = False
    values: StepValues | None = None
    has_source_since: bool = False


_VALUES = RowModel._fields.index("values")


@frozen(eq=False)
class PackedRows(Iterable[StepRow]):
    """Rows as columns; a number stands for nothing where its model says so.

    Complexity: 28 bytes a row, and its text.
    """

    models: tuple[RowModel, ...]
    codes: array[int]
    at: array[int]
    lines: array[int]
    source_since: array[int]
    sizes: array[int]
    """Of the texts."""
    texts: bytes

    def __len__(self) -> int:
        return len(self.codes)

    def __iter__(self) -> Iterator[StepRow]:
        end, models, texts = 0, self.models, self.texts
        columns = self.codes, self.at, self.lines, self.source_since, self.sizes
        for code, at, line, since, size in zip(*columns, strict=True):
            model = models[code]
            life, zone, source, target, how, process, file, is_timed, has_text, values, named = (
                model
            )
            start, end = end, end + size
            text = texts[start:end].decode("utf-8", "surrogatepass") if has_text else None
            moment, since_when = at if is_timed else None, since if named else None
            fields = life, moment, zone, source, target, how, process, file, line, text
            yield tuple.__new__(StepRow, (*fields, values, since_when))

    def parts(self, counts: Iterable[int]) -> Iterator[PackedRows]:
        """Yield the rows in parts, which have so many each."""
        start = text = 0
        for count in counts:
            end = start + count
            sizes = self.sizes[start:end]
            next_text = text + sum(sizes)
            codes, at, lines, since = (
                column[start:end] for column in (self.codes, self.at, self.lines, self.source_since)
            )
            texts = self.texts[text:next_text]
            yield PackedRows(self.models, codes, at, lines, since, sizes, texts)
            start, text = end, next_text


class PackableRows(CountedRows):
    """Rows that are columns already."""

    @abstractmethod
    def pack_into(self, packer: RowPacker, most: int) -> Iterator[int]:
        """Give the rows to a packer, at most so many at once; yield how many were given."""


@frozen(eq=False)
class AlikeRows:
    """Rows without a text, in all that others of their kind have as well."""

    models: tuple[RowModel, ...]


def model_of(row: StepRow) -> RowModel:
    """Return what a row has in common with others."""
    life, at, zone, source, target, how, process, file, _, text, values, since = row
    where = life, zone, source, target, how, process, file
    return RowModel(*where, at is not None, text is not None, values, since is not None)


class RowPacker:
    """Takes rows in, and gives them back as columns."""

    def __init__(self) -> None:
        self._begin()

    def _begin(self) -> None:
        self._index, self._models = dict[tuple[object, ...], int](), list[RowModel]()
        self._alike: dict[int, tuple[AlikeRows, array[int]]] = {}
        """Rows that others are like, by their identity, and the numbers of their models."""
        self._codes, self._sizes = array("i"), array("i")
        self._at, self._lines, self._source_since = array("q"), array("q"), array("q")
        self._texts = bytearray()

    def __len__(self) -> int:
        return len(self._codes)

    def add(self, rows: Iterable[StepRow]) -> Iterator[int]:
        """Take rows in, some at a time, and yield how many: what came may be taken in between.

        Args:
            rows: of one instance, in their order.
        """
        if isinstance(rows, PackedRows):
            self._add_packed(rows)
            yield len(rows)
        elif isinstance(rows, PackableRows):
            yield from rows.pack_into(self, _AT_ONCE)
        else:
            more = iter(rows)
            while some := list(islice(more, _AT_ONCE)):
                self.add_rows(some)
                yield len(some)

    def add_rows(self, rows: Iterable[StepRow]) -> None:
        """Take rows in one by one."""
        for row in rows:
            life, at, zone, source, target, how, process, file, line, text, values, since = row
            where = life, zone, source, target, how, process, file
            has = at is not None, text is not None, values, since is not None
            self._codes.append(self._number((*where, *has)))
            self._at.append(at or 0)
            self._lines.append(line)
            self._source_since.append(since or 0)
            encoded = text.encode("utf-8", "surrogatepass") if text is not None else b""
            self._sizes.append(len(encoded))
            self._texts += encoded

    def add_alike(
        self, rows: AlikeRows, at: Iterable[int], lines: Iterable[int], since: Iterable[int]
    ) -> None:
        """Take rows in that are like others in all but their places.

        Args:
            rows: those others, the same object each time.
            at: when each was.
            lines: where each stands.
            since: when a line named the state that it left, zero where none did.
        """
        known = self._alike.get(id(rows))
        if known is None:
            codes = array("i", map(self._number, rows.models))
            known = self._alike[id(rows)] = rows, codes  # which keeps them, and so their identity
        self._codes += known[1]
        self._at.extend(at)
        self._lines.extend(lines)
        self._source_since.extend(since)
        self._sizes.frombytes(bytes(self._sizes.itemsize * len(rows.models)))

    def add_columns(
        self, models: Sequence[RowModel], columns: Sequence[bytes], sizes: bytes, texts: bytes
    ) -> None:
        """Take rows in whose source was not named before.

        Args:
            models: what they have in common.
            columns: of each the number of its model, its time and its line, as `PackedRows` has
                them.
            sizes: bytes of the texts.
            texts: one after the other.
        """
        codes = array("i", columns[0])
        self._add_codes(models, codes)
        self._at.frombytes(columns[1])
        self._lines.frombytes(columns[2])
        self._source_since.frombytes(bytes(self._source_since.itemsize * len(codes)))
        self._sizes.frombytes(sizes)
        self._texts += texts

    def _add_packed(self, rows: PackedRows) -> None:
        self._add_codes(rows.models, rows.codes)
        self._at.extend(rows.at)
        self._lines.extend(rows.lines)
        self._source_since.extend(rows.source_since)
        self._sizes.extend(rows.sizes)
        self._texts += rows.texts

    def _add_codes(self, models: Sequence[RowModel], codes: array[int]) -> None:
        """Number models as they are numbered here, those that are not known behind the others."""
        index = {code: self._number(models[code]) for code in set(codes)}
        self._codes.extend(map(index.__getitem__, codes))

    def _number(self, model: tuple[Any, ...]) -> int:
        """Return the number of a model; values that are equal need not be of one type."""
        known = *model[:_VALUES], id(model[_VALUES]), model[_VALUES + 1]
        number = self._index.setdefault(known, len(self._models))
        if number == len(self._models):
            self._models.append(RowModel(*model))  # which keeps the values, and so their identity
        return number

    def packed(self) -> PackedRows:
        """Return what came; more may come behind it."""
        columns = self._codes, self._at, self._lines, self._source_since, self._sizes
        return PackedRows(tuple(self._models), *columns, bytes(self._texts))

    def take(self) -> PackedRows:
        """Return what came, and begin anew."""
        packed = self.packed()
        self._begin()
        return packed
