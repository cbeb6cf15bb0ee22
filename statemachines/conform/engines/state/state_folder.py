"""The folder of `--state`: readings of logs in one database, which one check at a time uses.

It can be thrown away: all that is in it can be read again. So what is wrong with it never stops a
check; what is somebody else's, or in use, does, for nothing of it may be lost.
"""

from __future__ import annotations

import json
import sqlite3
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from itertools import chain
from os import PathLike
from pathlib import Path

from attrs import frozen

from statemachines.conform.columns.observation_columns import ObservationColumns
from statemachines.conform.engines.growing.content_readings import ContentReading
from statemachines.conform.engines.growing.fingerprints import (
    Bytes,
    Fingerprint,
    fingerprint,
    head_digest,
    head_length,
    head_lengths,
)
from statemachines.conform.engines.state.kept_judgements import (
    JUDGEMENT_TABLES,
    KeptJudgements,
)
from statemachines.conform.engines.state.observed_parts import (
    ObservedPart,
    packed_columns,
    unpacked_columns,
)
from statemachines.conform.engines.state.packed_values import (
    DamagedValue,
    pack_value,
    packed_body,
    unpack_value,
)
from statemachines.conform.engines.state.reading_keys import other_keys_text
from statemachines.conform.engines.state.state_problems import StateUnusable, StateWarning
from statemachines.conform.interchange.observations import FileTeller, Observation, from_columns
from statemachines.model.arrays import is_numpy_installed

_FILE_NAME = "readings.sqlite"
FORMAT = "6"
MOST_CANDIDATES = 8
"""Readings that begin alike and are looked at more closely, longest first."""
_LAST_PART = 2**62
_TABLES = """
CREATE TABLE IF NOT EXISTS keys (name TEXT PRIMARY KEY, value TEXT);
CREATE TABLE IF NOT EXISTS contents (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    size INTEGER, samples BLOB, head BLOB, reading BLOB, met INTEGER);
CREATE INDEX IF NOT EXISTS by_head ON contents (head, size);
CREATE TABLE IF NOT EXISTS observations (
    content INTEGER, number INTEGER, tellers BLOB, untold INTEGER, rows BLOB,
    PRIMARY KEY (content, number));
CREATE TABLE IF NOT EXISTS notes (name TEXT PRIMARY KEY, value TEXT);
CREATE TABLE IF NOT EXISTS files (raw BLOB PRIMARY KEY, content INTEGER);
"""


@frozen
class KeptContent:
    """A reading in the folder."""

    number: int
    """What its row is called."""
    fingerprint: Fingerprint
    reading: ContentReading


class StateFolder:
    """Readings from earlier checks; a context manager that has them to itself."""

    def __init__(self, folder: str | PathLike[str], keys: Mapping[str, str]) -> None:
        """Open a folder, or make one.

        Args:
            folder: where readings are kept.
            keys: what they depend on; where that is not what it was, they are thrown away.

        Raises:
            StateUnusable: another check uses it, or nothing can be written there.
        """
        self.folder, self._file = Path(folder), Path(folder) / _FILE_NAME
        self._keys, self._warned = {"form": FORMAT, **keys}, False
        self._database = self._open()
        self.judgements = KeptJudgements(self._database)
        """What earlier checks have judged."""

    def __enter__(self) -> StateFolder:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let others have the folder."""
        self._database.close()

    @property
    def made_with(self) -> str:
        """What all that is kept depends on, as one text."""
        return json.dumps(self._keys, sort_keys=True)

    def finish(self, *, complete: bool) -> bool:
        """Write what this check has read; say whether it is written.

        Args:
            complete: whether it came to all files; what it did not meet then was deleted.
        """
        if complete:
            unmet = self._database.execute("SELECT id FROM contents WHERE met IS NOT 1")
            for (content,) in unmet.fetchall():
                self.forget(content)
        return self.commit()

    def commit(self) -> bool:
        """Write what was kept so far; where that fails the folder is as it was, and False comes
        back.
        """
        try:
            self._database.execute("COMMIT")
            self._database.execute("BEGIN IMMEDIATE")
        except sqlite3.Error as problem:
            self._warn(f"cannot be written ({problem}); the next check reads more again")
            return False
        return True

    def start_over(self, problem: Exception) -> None:
        """Forget all that is kept, for something of it is not as it was written; say so."""
        self._warn(f"is damaged ({problem}); all is read anew")
        self._database.execute("ROLLBACK")
        self._database.execute("BEGIN IMMEDIATE")
        for table in ("contents", "observations", "files"):
            self._database.execute(f"DELETE FROM {table}")
        self.judgements.forget_all()

    def give_up(self, problem: sqlite3.Error) -> None:
        """Leave the folder as it was before this check, for it cannot be written; say so."""
        self._warn(f"cannot be written ({problem}); this check keeps nothing")
        with suppress(sqlite3.Error):
            self._database.execute("ROLLBACK")

    def known_file(self, raw: Fingerprint) -> KeptContent | None:
        """Return the reading of a whole file, by its bytes as they lie on disk."""
        return self._tried(
            lambda: self._first_content(
                "SELECT c.id, c.size, c.samples, c.reading FROM files f JOIN contents c"
                " ON c.id = f.content WHERE f.raw = ?",
                (raw.key,),
            )
        )

    def longest_beginning(self, content: Bytes) -> KeptContent | None:
        """Return the longest reading of a log that some bytes begin with."""
        for length in head_lengths(len(content)):
            reading = self._tried(partial(self._beginning, content, length))
            if reading is not None:
                return reading
        return None

    @contextmanager
    def undone_on_failure(self) -> Iterator[Callable[[], None]]:
        """Keep what is put within, or nothing of it: where it fails, or what is yielded is called,
        the folder stays as it was.
        """
        undone = []
        self._database.execute("SAVEPOINT file")
        try:
            yield lambda: undone.append(True)
        except BaseException:
            with suppress(sqlite3.Error):  # where the disk is full all was undone already
                self._release(undone=True)
            raise
        self._release(undone=bool(undone))

    def _release(self, *, undone: bool) -> None:
        if undone:
            self._database.execute("ROLLBACK TO file")
        self._database.execute("RELEASE file")

    def parts(self, content: int) -> int:
        """Return how many parts the settled observations of a content have."""
        row = self._database.execute(
            "SELECT coalesce(max(number), 0) FROM observations WHERE content = ?", (content,)
        )
        return int(row.fetchone()[0])

    def observed_parts(
        self,
        content: int,
        first: int = 1,
        last: int = _LAST_PART,
        is_wanted: Callable[[FileTeller], bool] = lambda _: True,
        *,
        only_untold: bool = False,
    ) -> Iterator[ObservedPart]:
        """Yield settled observations of a content, part by part.

        Args:
            content: its number.
            first: number of the first part.
            last: number of the last one.
            is_wanted: says of whom they are asked for; parts with none of them are not looked at.
            only_untold: pass over parts in which every line tells its generation.

        Raises:
            DamagedValue, sqlite3.Error: something is not as it was written.
        """
        parts = self._database.execute(
            "SELECT number, tellers FROM observations WHERE content = ? AND number BETWEEN ? AND ?"
            " AND untold >= ? ORDER BY number",
            (content, first, last, only_untold),
        )
        for number, tellers in parts.fetchall():
            told_of = unpack_value(tellers)
            wanted = {teller for teller in told_of if is_wanted(teller)}
            if wanted:
                part = self._part(content, number)
                yield part if len(wanted) == len(told_of) else part.chosen(wanted)

    def observations(self, content: int) -> Iterator[Observation]:
        """Yield all settled observations of a content, in their order.

        Raises:
            DamagedValue, sqlite3.Error: something is not as it was written.
        """
        return chain.from_iterable(part.in_order() for part in self.observed_parts(content))

    def verified_observations(self, content: int) -> Iterator[Observation] | None:
        """Return all settled observations of a content; None, and forget it, where they are not as
        they were written.
        """
        try:
            rows = self._database.execute(
                "SELECT tellers, rows FROM observations WHERE content = ?", (content,)
            )
            for packed in chain.from_iterable(rows):
                packed_body(packed)
        except (DamagedValue, sqlite3.DatabaseError) as problem:
            self.warn_damaged(problem)
            self.forget(content)
            return None
        return self.observations(content)

    def _part(self, content: int, number: int) -> ObservedPart:
        row = self._database.execute(
            "SELECT rows FROM observations WHERE content = ? AND number = ?", (content, number)
        )
        observations, columns = unpack_value(row.fetchone()[0])
        if columns and not is_numpy_installed():
            raise DamagedValue("it has columns, and numpy is not there any more")
        return ObservedPart(from_columns(observations), list(map(unpacked_columns, columns)))

    def note(self, name: str) -> str | None:
        """Return a note that an earlier check has left."""
        row = self._database.execute("SELECT value FROM notes WHERE name = ?", (name,)).fetchone()
        return None if row is None else str(row[0])

    def write_note(self, name: str, value: str) -> None:
        """Leave a note for the next check."""
        self._database.execute("INSERT OR REPLACE INTO notes VALUES (?, ?)", (name, value))

    def new_content(self) -> int:
        """Return the number of a content that is about to be read."""
        return int(self._database.execute("INSERT INTO contents DEFAULT VALUES").lastrowid or 0)

    def add_observations(
        self,
        content: int,
        observations: Sequence[Observation],
        columns: Sequence[ObservationColumns] = (),
    ) -> None:
        """Put settled observations behind those that a content has: those of one piece of it."""
        if observations or columns:
            others = ((*who, None) for column in columns for who in column.instances)
            tellers = list(
                dict.fromkeys([*(observation.teller for observation in observations), *others])
            )
            untold = any(None in key for _, key, _ in tellers)
            rows = list(zip(*observations, strict=True)), list(map(packed_columns, columns))
            self._database.execute(
                "INSERT INTO observations SELECT ?, 1 + coalesce(max(number), 0), ?, ?, ?"
                " FROM observations WHERE content = ?",
                (content, pack_value(tellers), untold, pack_value(rows), content),
            )

    def put(self, content: int, bytes_: Bytes, reading: ContentReading) -> None:
        """Keep the reading of a content, which others files than the one it was read of may have
        had until now.
        """
        known = fingerprint(bytes_, reading.size)
        head = head_digest(bytes_, head_length(reading.size))
        self._database.execute("DELETE FROM files WHERE content = ?", (content,))
        self._database.execute(
            "UPDATE contents SET size = ?, samples = ?, head = ?, reading = ?, met = 1"
            " WHERE id = ?",
            (reading.size, known.samples, head, pack_value(reading), content),
        )

    def name_file(self, raw: Fingerprint, content: int) -> None:
        """Remember that a file, as it lies on disk, has a content."""
        self._database.execute("INSERT OR REPLACE INTO files VALUES (?, ?)", (raw.key, content))
        self._database.execute("UPDATE contents SET met = 1 WHERE id = ?", (content,))

    def forget(self, content: int) -> None:
        """Throw a content away."""
        for table, column in (
            ("contents", "id"),
            ("observations", "content"),
            ("files", "content"),
        ):
            self._database.execute(f"DELETE FROM {table} WHERE {column} = ?", (content,))

    def warn_damaged(self, problem: Exception) -> None:
        """Say once that something in the folder is not as it was written."""
        self._warn(f"is damaged ({problem}); what it was about is read anew")

    def _open(self) -> sqlite3.Connection:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            return self._prepared()
        except OSError as problem:
            why = f"cannot be made: {problem.strerror}"
            raise StateUnusable(f"the state folder {self.folder} {why}") from None
        except sqlite3.OperationalError as problem:
            if problem.sqlite_errorcode != sqlite3.SQLITE_FULL:
                raise self._unusable(problem) from None
            return self._holding_nothing(problem)
        except sqlite3.DatabaseError as problem:
            aside = self._set_aside()
            self._warn(f"is damaged ({problem}); it is kept as {aside}, and all is read anew")
            return self._prepared()

    def _holding_nothing(self, problem: sqlite3.Error) -> sqlite3.Connection:
        """Return a database into which nothing goes, for the disk is full; say so."""
        self._warn(f"cannot be written ({problem}); this check keeps nothing")
        self._file = Path(":memory:")
        database = self._prepared()
        database.execute("PRAGMA max_page_count = 1")
        return database

    def _prepared(self) -> sqlite3.Connection:
        """Return the database, locked, with tables, and without what depends on other keys."""
        database = sqlite3.connect(self._file, timeout=0, isolation_level=None)
        try:
            database.execute("PRAGMA locking_mode=EXCLUSIVE")
            database.execute("BEGIN EXCLUSIVE")
            self._drop_outdated(database)
            for statement in (_TABLES + JUDGEMENT_TABLES).split(";"):
                database.execute(statement)
            database.execute("UPDATE contents SET met = 0")
        except BaseException:
            database.close()
            raise
        return database

    def _drop_outdated(self, database: sqlite3.Connection) -> None:
        """Drop all tables where what is in them depends on something else than now."""
        known = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        tables = [name for (name,) in database.execute(known)]
        before = dict[str, str]()
        if "keys" in tables:
            before = dict(database.execute("SELECT name, value FROM keys"))
        if before == self._keys:
            return
        if before:
            other = other_keys_text(before, self._keys)
            self._warn(f"was made with {other}; all is read anew")
        for table in tables:
            database.execute(f"DROP TABLE {table}")
        database.execute("CREATE TABLE keys (name TEXT PRIMARY KEY, value TEXT)")
        database.executemany("INSERT INTO keys VALUES (?, ?)", self._keys.items())

    def _unusable(self, problem: sqlite3.OperationalError) -> StateUnusable:
        busy = "is in use by another check; wait for it, or name another folder"
        why = busy if "locked" in str(problem) else f"cannot be used: {problem}"
        return StateUnusable(f"the state folder {self.folder} {why}")

    def _set_aside(self) -> str:
        """Move a database that cannot be read out of the way, and keep it."""
        taken = {path.name for path in self.folder.iterdir()}
        number = next(n for n in range(1, len(taken) + 2) if f"damaged-{n}.sqlite" not in taken)
        return self._file.rename(self.folder / f"damaged-{number}.sqlite").name

    def _beginning(self, content: Bytes, length: int) -> KeptContent | None:
        rows = self._database.execute(
            "SELECT id, size, samples FROM contents WHERE head = ? AND size BETWEEN ? AND ?"
            " ORDER BY size DESC LIMIT ?",
            (head_digest(content, length), length, len(content), MOST_CANDIDATES),
        ).fetchall()
        for number, size, samples in rows:
            if head_length(size) == length and fingerprint(content, size).samples == samples:
                return self._first_content(
                    "SELECT id, size, samples, reading FROM contents WHERE id = ?", (number,)
                )
        return None

    def _first_content(self, query: str, given: tuple[object, ...]) -> KeptContent | None:
        row = self._database.execute(query, given).fetchone()
        if row is None or row[3] is None:
            return None
        number, size, samples, packed = row
        return KeptContent(number, Fingerprint(size, samples), unpack_value(packed))

    def _tried(self, read: Callable[[], KeptContent | None]) -> KeptContent | None:
        """Look something up; what is damaged is as good as not there."""
        try:
            return read()
        except (DamagedValue, sqlite3.DatabaseError) as problem:
            self.warn_damaged(problem)
            return None

    def _warn(self, what: str) -> None:
        if not self._warned:
            self._warned = True
            warnings.warn(f"the state folder {self.folder} {what}", StateWarning, stacklevel=2)
