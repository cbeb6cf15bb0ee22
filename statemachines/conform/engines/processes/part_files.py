"""What several processes read, divided by who judges it, in files that all of them can open."""

from __future__ import annotations

import pickle
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Self

from attrs import evolve, field, frozen

from statemachines.conform.columns.observation_columns import ObservationColumns, WrittenTexts
from statemachines.conform.engines.observation_store import ColumnStore, ObservationStore
from statemachines.conform.interchange.check_plan import CheckPlan
from statemachines.conform.interchange.observations import KeyValues, Observation
from statemachines.conform.interchange.profiles import Shift
from statemachines.model.arrays import load_numpy
from statemachines.model.garbage import uncollected

_MOST_INSTANCES = 1 << 16
"""Of so many it is remembered whose they are."""

_Place = tuple[int, int]
"""Where something begins, and its bytes."""


@frozen
class Block:
    """Where the observations of one chunk lie; their lines and times count from its start."""

    writer: int
    places: tuple[_Place | None, ...]
    """In the file of each part; None where the chunk has nothing of it."""


@frozen
class PlacedBlock:
    """A block of which it is known what comes before it."""

    block: Block
    shift: Shift


@frozen
class PartFolder:
    """A folder with a file for each who writes and each part."""

    path: Path
    parts: int

    def file(self, writer: int, part: int) -> Path:
        """Return the file of a part that somebody writes."""
        return self.path / f"{writer}-{part}"

    def texts(self, writers: int) -> list[Path]:
        """Return the files with the texts of columns, one for each of so many who write."""
        return [self.path / f"{writer}-texts" for writer in range(writers)]

    def fill(self, store: ObservationStore, blocks: Iterable[PlacedBlock], part: int) -> None:
        """Put what blocks have of a part into a store.

        Args:
            store: takes it; columns too, where it takes any.
            blocks: in the order in which one process would have read them.
            part: which.

        Raises:
            OSError: a file cannot be read.
        """
        with ExitStack() as stack, uncollected():
            files = dict[int, IO[bytes]]()
            for placed in blocks:
                writer, place = placed.block.writer, placed.block.places[part]
                if place is None:
                    continue
                if writer not in files:
                    files[writer] = stack.enter_context(self.file(writer, part).open("rb"))
                files[writer].seek(place[0])
                lines, columns = pickle.loads(files[writer].read(place[1]))
                store.add(placed.shift.shifted_observations(lines))
                if columns and isinstance(store, ColumnStore):
                    store.add_columns(block.shifted(placed.shift) for block in columns)


class PartWriter:
    """Divides observations so that all of one instance come to one part, whoever reads them; a
    context manager.
    """

    def __init__(self, folder: PartFolder, writer: int, plan: CheckPlan) -> None:
        self._folder, self._writer = folder, writer
        self._part_of = _PartChooser(plan, folder.parts)
        self._files = dict[int, IO[bytes]]()
        self._texts: IO[bytes] | None = None
        self._last_texts = b"", WrittenTexts(writer, 0, 0)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for file in (*self._files.values(), *([self._texts] if self._texts else [])):
            file.close()

    def write(self, lines: list[Observation], columns: Sequence[ObservationColumns]) -> Block:
        """Write what a chunk tells, and return where.

        Raises:
            OSError: the disk is full.
        """
        parts = range(self._folder.parts)
        line_parts: list[list[Observation]] = [[] for _ in parts]
        column_parts: list[list[ObservationColumns]] = [[] for _ in parts]
        for line in lines:
            line_parts[self._part_of(line.owner, line.key)].append(line)
        for block in columns:
            for part, mine in self._divided(self._with_written_texts(block)):
                column_parts[part].append(mine)
        places = map(self._put, parts, line_parts, column_parts)
        return Block(self._writer, tuple(places))

    def _with_written_texts(self, columns: ObservationColumns) -> ObservationColumns:
        """Write the texts of columns, those that came last not twice: few are ever read again."""
        if self._last_texts[0] is not columns.texts:
            if self._texts is None:
                self._texts = self._folder.texts(self._writer + 1)[-1].open("wb")
            start = self._texts.seek(0, 2)
            self._texts.write(columns.texts)
            self._texts.flush()
            written = WrittenTexts(self._writer, start, len(columns.texts))
            self._last_texts = columns.texts, written
        return evolve(columns, texts=b"", written=self._last_texts[1])

    def _divided(self, columns: ObservationColumns) -> Iterator[tuple[int, ObservationColumns]]:
        numpy = load_numpy()
        chosen = [self._part_of(owner, key) for owner, key in columns.instances]
        if len(set(chosen)) == 1:
            yield chosen[0], columns
            return
        by_line = numpy.array(chosen, numpy.int64)[columns.instance_codes]
        for part in numpy.unique(by_line).tolist():
            yield part, columns.part(by_line == part)

    def _put(
        self, part: int, lines: list[Observation], columns: list[ObservationColumns]
    ) -> _Place | None:
        """Put what a part has of a chunk behind what it has of others."""
        if not lines and not columns:
            return None
        file = self._files.get(part)
        if file is None:
            file = self._files[part] = self._folder.file(self._writer, part).open("wb")
        start = file.seek(0, 2)
        pickle.dump((lines, columns), file, 5)
        file.flush()
        return start, file.tell() - start


@frozen(eq=False)
class _PartChooser:
    """Says which part an instance is of: it depends on nothing that is known later, so not on its
    generation, which an earlier line may tell, and not on the process that tells of it.
    """

    plan: CheckPlan
    parts: int
    _known: dict[tuple[int, KeyValues], int] = field(init=False, factory=dict)
    _generation_places: list[int | None] = field(init=False)

    @_generation_places.default
    def _find_places(self) -> list[int | None]:
        logs = (owner.log for owner in self.plan.owners)
        return [
            log.instance.index(log.generation)
            if log is not None and log.generation in log.instance
            else None
            for log in logs
        ]

    def __call__(self, owner: int, key: KeyValues) -> int:
        if self.parts == 1:
            return 0
        part = self._known.get((owner, key))
        if part is None:
            if len(self._known) >= _MOST_INSTANCES:
                self._known.clear()
            part = self._known[owner, key] = self._part(owner, key)
        return part

    def _part(self, owner: int, key: KeyValues) -> int:
        place = self._generation_places[owner]
        lasting = key if place is None else (*key[:place], *key[place + 1 :])
        return zlib.crc32(repr((owner, lasting)).encode("utf-8", "surrogatepass")) % self.parts
