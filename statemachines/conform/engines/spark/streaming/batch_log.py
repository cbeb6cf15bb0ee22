"""What the driver of a stream knows, written down trigger by trigger beside Spark's checkpoint."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping

from attrs import define, field, frozen

from statemachines.conform.engines.spark.stages.worker_files import file_system
from statemachines.conform.engines.spark.streaming.row_changes import OBSERVATIONS, Row, RowChange
from statemachines.conform.engines.spark.streaming.streamed_files import StreamedNews
from statemachines.conform.engines.state.packed_values import pack_value, unpack_value
from statemachines.conform.engines.state.reading_keys import VERSION, other_keys_text

FOLDER = "statemachines"
"""Below the checkpoint of the query."""
MERGED_AT_ONCE = 16
"""So many neighbours become one file."""
_LARGEST_MERGED = 32 << 20
"""Bytes beyond which a file is merged no more (32 MiB)."""
_SEGMENT_NAME = re.compile(r"(\d{12})-(\d{12})\.batches")
_STAMP = "made-with.json"
_TAKEN_OVER = (
    "the checkpoint was begun by another version of statemachines: lines that were read stay as it"
    " read them; this version reads on, and judges all of them"
)


class CheckpointOutdated(RuntimeError):
    """What a checkpoint holds cannot be read on; the message says what differs."""


@define
class BatchRecord:
    """What some neighbouring triggers learnt."""

    news: dict[str, StreamedNews] = field(factory=dict)
    """By file: all observations that were settled, and the last reading."""
    last_rows: dict[str, dict[str, Row | None]] = field(factory=dict)
    """By table and key: the row that was said last; None where it was withdrawn."""

    @classmethod
    def from_batch(cls, news: Iterable[StreamedNews], changes: Iterable[RowChange]) -> BatchRecord:
        """Return the record of one trigger; what was said of observations follows from them."""
        made = cls({streamed.file: streamed for streamed in news})
        for change in changes:
            if change.table != OBSERVATIONS:
                row = None if change.change == "withdrawn" else change.row
                made.last_rows.setdefault(change.table, {})[change.key] = row
        return made

    def followed_by(self, later: BatchRecord) -> BatchRecord:
        """Return the record of both."""
        news = dict(self.news)
        for name, streamed in later.news.items():
            before = news[name].settled if name in news else ()
            news[name] = streamed._replace(settled=(*before, *streamed.settled))
        tables = {**self.last_rows, **later.last_rows}
        rows_by_table = {
            name: {**self.last_rows.get(name, {}), **later.last_rows.get(name, {})}
            for name in tables
        }
        return BatchRecord(news, rows_by_table)

    def packed(self) -> bytes:
        """Return it as bytes."""
        return pack_value(([tuple(streamed) for streamed in self.news.values()], self.last_rows))

    @classmethod
    def unpacked(cls, body: bytes) -> BatchRecord:
        """Make one of its bytes.

        Raises:
            DamagedValue: they are not as they were written.
        """
        news, rows_by_table = unpack_value(body)
        return cls(
            {name: StreamedNews(name, settled, reading) for name, settled, reading in news},
            rows_by_table,
        )


@frozen(order=True)
class _BatchFile:
    """A file with the records of some neighbouring triggers."""

    first: int
    last: int
    size: int = field(default=0, eq=False)

    @property
    def name(self) -> str:
        """What it is called."""
        return f"{self.first:012}-{self.last:012}.batches"


def _are_alike(files: list[_BatchFile]) -> bool:
    """Say whether files are enough to be merged, of as many triggers each, and none too large."""
    levels = {(file.last - file.first + 1).bit_length() // 4 for file in files}
    is_small = all(file.size <= _LARGEST_MERGED for file in files)
    return len(files) == MERGED_AT_ONCE and len(levels) == 1 and is_small


class BatchLog:
    """The records of all triggers; a file is there as a whole or not at all."""

    def __init__(self, checkpoint: str) -> None:
        """Take the place of a checkpoint: a path or a URL."""
        self._system, place = file_system(checkpoint)
        self._folder = f"{place.rstrip('/')}/{FOLDER}"

    def records(self, before: int) -> Iterator[BatchRecord]:
        """Yield the records of the triggers before one, in their order."""
        for file in self._files(before):
            yield BatchRecord.unpacked(self._read(file.name))

    def write(self, batch: int, record: BatchRecord) -> None:
        """Write the record of a trigger; one that an earlier attempt wrote is replaced."""
        self._write(_BatchFile(batch, batch).name, record.packed())

    def merge(self, before: int) -> None:
        """Put small neighbours together, so that their number stays small; what they say stays.

        Args:
            before: a trigger that has begun: those before it are not done again.
        """
        files = self._files(before)
        while _are_alike(tail := files[-MERGED_AT_ONCE:]):
            files[-MERGED_AT_ONCE:] = [self._merge(tail)]

    def refuse_other(self, keys: Mapping[str, str]) -> None:
        """See that what is here was read by the same specs, and has the form that is written now;
        note so where nothing is.

        What another version wrote in this form is taken over, and a warning says so.

        Raises:
            CheckpointOutdated: it was not.
        """
        from pyarrow import fs

        is_new = self._system.get_file_info(self._path(_STAMP)).type == fs.FileType.NotFound
        known = keys if is_new else json.loads(self._read(_STAMP))
        if {**known, VERSION: ""} != {**keys, VERSION: ""}:
            raise CheckpointOutdated(
                f"the checkpoint was written with {other_keys_text(keys, known)}: what it holds was"
                " read otherwise; give a new place for the checkpoint and the tables, and all is"
                " read again"
            )
        if known[VERSION] != keys[VERSION]:
            warnings.warn(_TAKEN_OVER, stacklevel=3)
        if is_new or known != keys:
            self._write(_STAMP, json.dumps(dict(keys), sort_keys=True).encode())

    def _files(self, before: int) -> list[_BatchFile]:
        """List the files of triggers before one; of a merged file and its parts only the former."""
        from pyarrow import fs

        file_info = self._system.get_file_info(fs.FileSelector(self._folder, allow_not_found=True))
        named = [(_SEGMENT_NAME.fullmatch(info.base_name), info.size) for info in file_info]
        files = [_BatchFile(int(name[1]), int(name[2]), size) for name, size in named if name]
        outermost: list[_BatchFile] = []
        for file in sorted(files, key=lambda file: (file.first, -file.last)):
            if file.last < before and (not outermost or file.first > outermost[-1].last):
                outermost.append(file)
        return outermost

    def _merge(self, files: list[_BatchFile]) -> _BatchFile:
        """Put files together."""
        whole = BatchRecord()
        for file in files:
            whole = whole.followed_by(BatchRecord.unpacked(self._read(file.name)))
        body = whole.packed()
        merged = _BatchFile(files[0].first, files[-1].last, len(body))
        self._write(merged.name, body)
        for file in files:
            self._system.delete_file(self._path(file.name))
        return merged

    def _path(self, name: str) -> str:
        return f"{self._folder}/{name}"

    def _read(self, name: str) -> bytes:
        with self._system.open_input_stream(self._path(name)) as stream:
            return bytes(stream.read())

    def _write(self, name: str, body: bytes) -> None:
        """Write a file beside its place and move it there."""
        self._system.create_dir(self._folder)
        draft = self._path(f"{name}.draft")
        with self._system.open_output_stream(draft) as stream:
            stream.write(body)
        self._system.move(draft, self._path(name))
