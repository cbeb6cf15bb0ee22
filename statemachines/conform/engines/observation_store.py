"""Observations by instance: in memory while they are few, then in a temporary database on disk."""

from __future__ import annotations

import pickle
import sqlite3
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from statemachines.conform.interchange.observations import KeyValues, Observation
from statemachines.conform.settle.instance_order import in_order, instance_identity
from statemachines.conform.settle.processes import JudgingContext

IN_MEMORY = 100_000
InstanceIdentity = tuple[int, int, KeyValues]


class ObservationStore:
    """Takes observations as they are read, and gives them back instance by instance; a context
    manager.

    Complexity: a sort of the observations; memory for at most `in_memory` of them, and for one key
    an instance.
    """

    def __init__(self, in_memory: int = IN_MEMORY) -> None:
        self._memory_limit = in_memory
        self._in_memory: list[Observation] = []
        self._disk: _DiskStore | None = None

    def add(self, observations: Iterable[Observation]) -> None:
        """Take observations in."""
        for observation in observations:
            self._in_memory.append(observation)
            if len(self._in_memory) >= self._memory_limit:
                self._disk = self._disk or _DiskStore()
                self._disk.write(self._in_memory)
                self._in_memory.clear()

    def __enter__(self) -> ObservationStore:
        return self

    def __exit__(self, *_: object) -> None:
        if self._disk is not None:
            self._disk.close()

    def instances(
        self, context: JudgingContext, lost: list[Observation]
    ) -> Mapping[InstanceIdentity, Iterable[Observation]]:
        """Return the observations of each instance, in the order in which they are judged.

        Args:
            lost: takes those whose generation no line told.
        """
        if self._disk is None:
            return _gather_in_memory(context, self._in_memory, lost)
        self._disk.write(self._in_memory)
        self._in_memory.clear()
        return self._disk.sorted_instances(context, lost)


def _gather_in_memory(
    context: JudgingContext, observations: Iterable[Observation], lost: list[Observation]
) -> dict[InstanceIdentity, Iterable[Observation]]:
    gathered: dict[InstanceIdentity, list[Observation]] = defaultdict(list)
    reporting: dict[tuple[int, int, str | None], int] = {}
    for observation in observations:
        owner, key, _, file, unit, *_ = observation
        if None in key:
            seen = context.with_generation(observation)
            if seen is None:
                lost.append(observation)
                continue
            observation, key = seen, seen.key
        process = reporting.get((owner, file, unit))
        if process is None:
            process = reporting[owner, file, unit] = instance_identity(context, observation)[1]
        gathered[owner, process, key].append(observation)
    return {who: in_order(context, mine) for who, mine in gathered.items()}


class _DiskStore:
    """A database in a temporary folder that goes with it."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="statemachines-")
        self._database = sqlite3.connect(
            Path(self._folder.name, "observations"), isolation_level=None
        )
        self._written = 0
        self._database.execute("PRAGMA journal_mode=OFF")
        self._database.execute("PRAGMA synchronous=OFF")
        self._database.execute("CREATE TABLE seen (place INTEGER PRIMARY KEY, row BLOB)")

    def write(self, observations: Sequence[Observation]) -> None:
        self._database.execute("BEGIN")
        try:
            self._database.executemany(
                "INSERT INTO seen (row) VALUES (?)",
                ((pickle.dumps(tuple(o), 5),) for o in observations),
            )
            self._written += len(observations)
        finally:
            # after Ctrl-C none of them: they are still in memory, and are written when the store is
            # read
            self._database.execute("DELETE FROM seen WHERE place > ?", (self._written,))
            self._database.execute("COMMIT")

    def close(self) -> None:
        self._database.close()
        self._folder.cleanup()

    def sorted_instances(
        self, context: JudgingContext, lost: list[Observation]
    ) -> dict[InstanceIdentity, Iterable[Observation]]:
        numbers: dict[InstanceIdentity, int] = {}
        self._database.execute(
            "CREATE TABLE told (who INTEGER, process INTEGER, reached INTEGER, stem INTEGER, part"
            " INTEGER, line INTEGER, row BLOB)"
        )
        self._database.execute("BEGIN")
        for (row,) in self._database.execute("SELECT row FROM seen ORDER BY place"):
            observation = _load_observation(row)
            seen = context.with_generation(observation)
            if seen is None:
                lost.append(observation)
                continue
            who = instance_identity(context, seen)
            place = numbers.setdefault(who, len(numbers)), max(who[1], 0), *context.position(seen)
            self._database.execute(
                "INSERT INTO told VALUES (?, ?, ?, ?, ?, ?, ?)",
                (*place, pickle.dumps(tuple(seen), 5)),
            )
        self._database.execute("COMMIT")
        self._database.execute(
            "CREATE INDEX by_instance ON told (who, process, reached, stem, part, line)"
        )
        return {who: _StoredObservations(self._database, number) for who, number in numbers.items()}


class _StoredObservations:
    """The observations of one instance on disk; may be iterated again."""

    def __init__(self, database: sqlite3.Connection, number: int) -> None:
        self._database, self._instance_index = database, number

    def __iter__(self) -> Iterator[Observation]:
        ordered = (
            "SELECT row FROM told WHERE who = ? ORDER BY process, reached, stem, part, line, rowid"
        )
        return (
            _load_observation(row)
            for (row,) in self._database.execute(ordered, (self._instance_index,))
        )


def _load_observation(row: bytes) -> Observation:
    from statemachines.conform.interchange.observations import LineReading

    observation = Observation(*pickle.loads(row))
    return observation._replace(
        readings=tuple(LineReading(*telling) for telling in observation.readings)
    )
