"""Observations by instance: in memory while they are few, in a temporary database on disk beyond."""

from __future__ import annotations

import pickle
import sqlite3
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from statemachines.conform.observations import KeyValues, Observation
from statemachines.conform.processes import Context
from statemachines.conform.summary import Summary, identity, join, summarise

IN_MEMORY = 100_000
Instance = tuple[int, int, KeyValues]


class Store:
    """Takes observations as they are read, and gives them back instance by instance; a context manager.

    Complexity: a sort of the observations; memory for at most `in_memory` of them, and for one key an instance.
    """

    def __init__(self, in_memory: int = IN_MEMORY) -> None:
        self._most = in_memory
        self._fresh: list[Observation] = []
        self._disk: _Disk | None = None

    def add(self, observations: Iterable[Observation]) -> None:
        """Take observations in."""
        for observation in observations:
            self._fresh.append(observation)
            if len(self._fresh) >= self._most:
                self._disk = self._disk or _Disk()
                self._disk.write(self._fresh)
                self._fresh.clear()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        if self._disk is not None:
            self._disk.close()

    def instances(self, context: Context, lost: list[Observation]) -> Mapping[Instance, Iterable[Observation]]:
        """Return the observations of each instance, in the order in which they are judged.

        Args:
            lost: takes those whose generation no line told.
        """
        if self._disk is None:
            return _gathered(context, self._fresh, lost)
        self._disk.write(self._fresh)
        self._fresh.clear()
        return self._disk.sorted(context, lost)


def _gathered(context: Context, observations: Iterable[Observation], lost: list[Observation]) -> dict[Instance, Iterable[Observation]]:
    gathered: dict[Instance, list[Observation]] = {}
    for observation in observations:
        seen = context.with_generation(observation)
        if seen is None:
            lost.append(observation)
        else:
            gathered.setdefault(identity(context, seen), []).append(seen)
    return {who: join(Summary(), summarise(context, mine)) for who, mine in gathered.items()}


class _Disk:
    """A database in a temporary folder that goes with it."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="statemachines-")
        self._database = sqlite3.connect(Path(self._folder.name, "observations"), isolation_level=None)
        self._written = 0
        self._database.execute("PRAGMA journal_mode=OFF")
        self._database.execute("PRAGMA synchronous=OFF")
        self._database.execute("CREATE TABLE seen (place INTEGER PRIMARY KEY, row BLOB)")

    def write(self, observations: Sequence[Observation]) -> None:
        self._database.execute("BEGIN")
        try:
            self._database.executemany("INSERT INTO seen (row) VALUES (?)", ((pickle.dumps(tuple(o), 5),) for o in observations))
            self._written += len(observations)
        finally:  # after Ctrl-C none of them: they are still in memory, and are written when the store is read
            self._database.execute("DELETE FROM seen WHERE place > ?", (self._written,))
            self._database.execute("COMMIT")

    def close(self) -> None:
        self._database.close()
        self._folder.cleanup()

    def sorted(self, context: Context, lost: list[Observation]) -> dict[Instance, Iterable[Observation]]:
        numbers: dict[Instance, int] = {}
        self._database.execute(
            "CREATE TABLE told (who INTEGER, process INTEGER, reached INTEGER, stem INTEGER, part INTEGER, line INTEGER, row BLOB)"
        )
        self._database.execute("BEGIN")
        for (row,) in self._database.execute("SELECT row FROM seen ORDER BY place"):
            observation = _unpickled(row)
            seen = context.with_generation(observation)
            if seen is None:
                lost.append(observation)
                continue
            who = identity(context, seen)
            place = numbers.setdefault(who, len(numbers)), max(who[1], 0), *context.position(seen)
            self._database.execute("INSERT INTO told VALUES (?, ?, ?, ?, ?, ?, ?)", (*place, pickle.dumps(tuple(seen), 5)))
        self._database.execute("COMMIT")
        self._database.execute("CREATE INDEX by_instance ON told (who, process, reached, stem, part, line)")
        return {who: _Rows(self._database, number) for who, number in numbers.items()}


class _Rows:
    """The observations of one instance on disk; may be iterated again."""

    def __init__(self, database: sqlite3.Connection, number: int) -> None:
        self._database, self._number = database, number

    def __iter__(self) -> Iterator[Observation]:
        ordered = "SELECT row FROM told WHERE who = ? ORDER BY process, reached, stem, part, line, rowid"
        return (_unpickled(row) for (row,) in self._database.execute(ordered, (self._number,)))


def _unpickled(row: bytes) -> Observation:
    from statemachines.conform.observations import Telling

    observation = Observation(*pickle.loads(row))
    return observation._replace(tellings=tuple(Telling(*telling) for telling in observation.tellings))
