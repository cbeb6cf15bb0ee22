"""The observations of logs that grow, by who logged them of whom; on disk where they are many."""

from __future__ import annotations

import pickle
import sqlite3
import tempfile
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import Any

from statemachines.conform.interchange.observations import KeyValues, LineReading, Observation
from statemachines.conform.settle.judging_context import (
    InstanceIdentity,
    JudgingContext,
    instance_identity,
    order_observations,
    reporting_process,
)

IN_MEMORY = 20_000
"""Settled observations that are kept in memory; more go to disk."""
_TELLERS_AT_ONCE = 5_000
Teller = tuple[int, KeyValues, int, "str | None"]
"""Machine, key, file and prefix of lines: they are of one instance, except where a generation is
told by another line.
"""


class FollowedObservations:
    """Takes observations as they come, and gives back those of a teller; a context manager.

    Complexity: memory for `in_memory` of them and for those near the ends of logs.
    """

    def __init__(self, in_memory: int = IN_MEMORY) -> None:
        self._memory_limit, self._count, self.total = in_memory, 0, 0
        self._settled: dict[Teller, list[Observation]] = defaultdict(list)
        self._tails: dict[int, dict[Teller, list[Observation]]] = defaultdict(dict)
        self._fresh: dict[Teller, list[Observation]] = defaultdict(list)
        self._by_key: dict[tuple[int, KeyValues], dict[Teller, None]] = defaultdict(dict)
        """The tellers of what is settled and in memory."""
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._database: sqlite3.Connection | None = None
        self.touched: dict[Teller, None] = {}
        """Tellers with other observations than when somebody looked last, in their order, so that
        the same is found in every run.
        """
        self._all_touched = False
        """Whether all are to be looked at again, touched or not."""

    def __enter__(self) -> FollowedObservations:
        return self

    def __exit__(self, *_: object) -> None:
        if self._database is not None:
            self._database.close()
        if self._folder is not None:
            self._folder.cleanup()

    @property
    def tellers(self) -> Iterator[Teller]:
        """All tellers, each once."""
        on_disk = self._database is not None
        if self._database is not None:
            for (packed,) in self._database.execute("SELECT teller FROM tellers ORDER BY rowid"):
                yield pickle.loads(packed)
        tails = (teller for tail in self._tails.values() for teller in tail)
        for teller in dict.fromkeys([*self._settled, *tails]):
            if not (on_disk and self._is_on_disk(teller)):
                yield teller

    def tellers_of(self, owner: int, key: KeyValues) -> Iterable[Teller]:
        """Return who tells of instances of a machine with one key, whatever process they are of."""
        same_key = dict(self._by_key.get((owner, key), {}))
        if self._database is not None:
            rows = self._database.execute(
                "SELECT teller FROM tellers WHERE about = ? ORDER BY rowid", (_digest(owner, key),)
            )
            same_key |= {pickle.loads(packed): None for (packed,) in rows}
        return same_key

    def add(self, observations: Iterable[Observation]) -> None:
        """Take observations that stay as they are."""
        for observation in observations:
            teller = self._settle(observation)
            self._fresh[teller].append(observation)
            self.touched[teller] = None

    def take_over(self, observations: Iterable[Observation]) -> None:
        """Take observations that stay and that somebody looked at before a restart: all tellers are
        to be looked at again, and of none of them anything is fresh.
        """
        for observation in observations:
            self._settle(observation)
            self.touch_all()

    def _settle(self, observation: Observation) -> Teller:
        teller = _teller(observation)
        self._settled[teller].append(observation)
        self._by_key[teller[:2]][teller] = None
        self._count += 1
        self.total += 1
        if self._count > self._memory_limit:
            self._spill()
        return teller

    def touch_all(self) -> None:
        """Let all tellers be looked at again."""
        self._all_touched = True

    def take_touched(self) -> Iterator[Collection[Teller]]:
        """Yield the tellers with other observations than when somebody looked last, some at once
        where they are all that there are.
        """
        touched, self.touched = self.touched, {}
        if not self._all_touched:
            yield touched
            return
        self._all_touched, tellers = False, self.tellers
        while some := list(islice(tellers, _TELLERS_AT_ONCE)):
            yield some
        yield [teller for teller in touched if not self.is_known(teller)]

    def replace_tail(self, file: int, observations: Iterable[Observation]) -> None:
        """Take those near the end of a log, instead of those that were near its end before."""
        tail: dict[Teller, list[Observation]] = defaultdict(list)
        for observation in observations:
            tail[_teller(observation)].append(observation)
        before = self._tails[file]
        self.touched |= {t: None for t in {**before, **tail} if before.get(t) != tail.get(t)}
        self._tails[file] = dict(tail)

    def is_known(self, teller: Teller) -> bool:
        """Say whether there is anything of a teller."""
        in_memory = teller in self._settled or teller in self._tails[teller[2]]
        return in_memory or self._is_on_disk(teller)

    def is_at_an_end(self, teller: Teller) -> bool:
        """Say whether something of a teller stands near the end of its log."""
        return teller in self._tails[teller[2]]

    def take_fresh(self, teller: Teller) -> list[Observation]:
        """Return those that stay of a teller and that nobody has taken yet."""
        return self._fresh.pop(teller, [])

    def ends(self, teller: Teller) -> Sequence[Observation]:
        """Return those of a teller near the end of its log."""
        return self._tails[teller[2]].get(teller, ())

    def of_teller(self, teller: Teller) -> Iterator[Observation]:
        """Yield the observations of a teller in the order of its lines."""
        yield from self.settled(teller)
        yield from self.ends(teller)

    def settled(self, teller: Teller) -> Iterator[Observation]:
        """Yield those of a teller that stay, in the order of its lines."""
        if self._database is not None:
            rows = self._database.execute(
                "SELECT rows FROM told WHERE teller = ? ORDER BY rowid", (_digest(*teller),)
            )
            for (packed,) in rows:
                yield from map(_unpacked, pickle.loads(packed))
        yield from self._settled.get(teller, ())

    def _is_on_disk(self, teller: Teller) -> bool:
        if self._database is None:
            return False
        row = self._database.execute("SELECT 1 FROM tellers WHERE id = ?", (_digest(*teller),))
        return row.fetchone() is not None

    def _spill(self) -> None:
        """Move what is settled from memory to disk."""
        if self._database is None:
            self._folder = tempfile.TemporaryDirectory(prefix="statemachines-")
            self._database = sqlite3.connect(
                Path(self._folder.name, "observations"), isolation_level=None
            )
            self._database.execute("PRAGMA journal_mode=OFF")
            self._database.execute("PRAGMA synchronous=OFF")
            self._database.executescript(_TABLES)
        digests = [_digest(*teller) for teller in self._settled]
        self._database.execute("BEGIN")
        self._database.executemany(
            "INSERT INTO told VALUES (?, ?)",
            (
                (digest, pickle.dumps([tuple(row) for row in rows], 5))
                for digest, rows in zip(digests, self._settled.values(), strict=True)
            ),
        )
        self._database.executemany(
            "INSERT OR IGNORE INTO tellers VALUES (?, ?, ?)",
            (
                (digest, _digest(*teller[:2]), pickle.dumps(teller, 5))
                for digest, teller in zip(digests, self._settled, strict=True)
            ),
        )
        self._database.execute("COMMIT")
        self._settled.clear()
        self._by_key.clear()
        self._count = 0


class RenumberedObservations:
    """All observations as a store of a check gives them, with the numbers that files have there."""

    def __init__(self, followed: FollowedObservations, numbers: Mapping[int, int]) -> None:
        self._followed, self.numbers = followed, numbers
        """The numbers by those of the logs."""

    def by_teller(self) -> Iterator[Iterator[Observation]]:
        """Yield all of them, those of a teller together."""
        return map(self.of_teller, self._followed.tellers)

    def tellers_of(self, context: JudgingContext, who: InstanceIdentity) -> Iterator[Teller]:
        """Yield who tells of an instance with a whole key, but for what is near the end of a log
        alone.
        """
        owner, told_by, key = who
        for teller in self._followed.tellers_of(owner, key):
            process = context.process_by_unit.get((self.numbers.get(teller[2], -1), teller[3]))
            if process is not None and reporting_process(context, owner, process) == told_by:
                yield teller

    def of_instance(
        self, context: JudgingContext, who: InstanceIdentity, tellers: Iterable[Teller]
    ) -> list[Observation]:
        """Return the observations of an instance in their order."""
        observations = []
        for teller in tellers:
            for observation in self.of_teller(teller):
                whole = context.with_generation(observation)
                if whole is not None and instance_identity(context, whole) == who:
                    observations.append(whole)
        return list(order_observations(context, observations))

    def of_teller(self, teller: Teller) -> Iterator[Observation]:
        """Yield the observations of a teller in the order of its lines."""
        return self._renumbered(teller, self._followed.of_teller(teller))

    def settled(self, teller: Teller) -> Iterator[Observation]:
        """Yield those of a teller that stay, in the order of its lines."""
        return self._renumbered(teller, self._followed.settled(teller))

    def take_fresh(self, teller: Teller) -> Iterator[Observation]:
        """Yield those that stay of a teller and that nobody has taken yet."""
        return self._renumbered(teller, self._followed.take_fresh(teller))

    def ends(self, teller: Teller) -> Iterator[Observation]:
        """Yield those of a teller near the end of its log."""
        return self._renumbered(teller, self._followed.ends(teller))

    def _renumbered(
        self, teller: Teller, observations: Iterable[Observation]
    ) -> Iterator[Observation]:
        number = self.numbers.get(teller[2])
        if number == teller[2]:
            yield from observations
        elif number is not None:
            yield from (observation._replace(file=number) for observation in observations)


def _teller(observation: Observation) -> Teller:
    return observation.owner, observation.key, observation.file, observation.unit


def _unpacked(row: tuple[Any, ...]) -> Observation:
    observation = Observation(*row)
    return observation._replace(
        readings=tuple(LineReading(*reading) for reading in observation.readings)
    )


_TABLES = """
CREATE TABLE told (teller BLOB, rows BLOB);
CREATE INDEX by_teller ON told (teller);
CREATE TABLE tellers (id BLOB PRIMARY KEY, about BLOB, teller BLOB);
CREATE INDEX by_key ON tellers (about);
"""


def _digest(*parts: object) -> bytes:
    """Return what tellers, or keys of a machine, are found by."""
    return blake2b(repr(parts).encode("utf-8", "surrogatepass"), digest_size=16).digest()
