"""The observations of logs that grow, by who logged them of whom; on disk where they are many."""

from __future__ import annotations

import pickle
import sqlite3
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from statemachines.conform.interchange.observations import KeyValues, LineReading, Observation
from statemachines.conform.settle.judging_context import (
    InstanceIdentity,
    JudgingContext,
    instance_identity,
    order_observations,
)

IN_MEMORY = 20_000
"""Settled observations that are kept in memory; more go to disk."""
Teller = tuple[int, KeyValues, int, "str | None"]
"""Machine, key, file and prefix of lines: they are of one instance, except where a generation is
told by another line.
"""


class FollowedObservations:
    """Takes observations as they come, and gives back those of a teller; a context manager.

    Complexity: memory for `in_memory` of them, for those near the ends of logs, and for one key a
    teller.
    """

    def __init__(self, in_memory: int = IN_MEMORY) -> None:
        self._memory_limit, self._count, self.total = in_memory, 0, 0
        self._settled: dict[Teller, list[Observation]] = defaultdict(list)
        self._tails: dict[int, dict[Teller, list[Observation]]] = defaultdict(dict)
        self._fresh: dict[Teller, list[Observation]] = defaultdict(list)
        self._numbers: dict[Teller, int] = {}
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._database: sqlite3.Connection | None = None
        self.touched: set[Teller] = set()
        """Tellers with other observations than when somebody looked last."""

    def __enter__(self) -> FollowedObservations:
        return self

    def __exit__(self, *_: object) -> None:
        if self._database is not None:
            self._database.close()
        if self._folder is not None:
            self._folder.cleanup()

    @property
    def tellers(self) -> Iterable[Teller]:
        """All tellers, each once."""
        tails = (teller for tail in self._tails.values() for teller in tail)
        return dict.fromkeys([*self._numbers, *tails])

    def add(self, observations: Iterable[Observation]) -> None:
        """Take observations that stay as they are."""
        for observation in observations:
            teller = _teller(observation)
            self._numbers.setdefault(teller, len(self._numbers))
            self._settled[teller].append(observation)
            self._fresh[teller].append(observation)
            self.touched.add(teller)
            self._count += 1
            self.total += 1
        if self._count > self._memory_limit:
            self._spill()

    def replace_tail(self, file: int, observations: Iterable[Observation]) -> None:
        """Take those near the end of a log, instead of those that were near its end before."""
        tail: dict[Teller, list[Observation]] = defaultdict(list)
        for observation in observations:
            tail[_teller(observation)].append(observation)
        before = self._tails[file]
        self.touched |= {t for t in {**before, **tail} if before.get(t) != tail.get(t)}
        self._tails[file] = dict(tail)

    def is_known(self, teller: Teller) -> bool:
        """Say whether there is anything of a teller."""
        return teller in self._numbers or teller in self._tails[teller[2]]

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
        if self._database is not None and teller in self._numbers:
            rows = self._database.execute(
                "SELECT rows FROM told WHERE teller = ? ORDER BY rowid", (self._numbers[teller],)
            )
            for (packed,) in rows:
                yield from map(_unpacked, pickle.loads(packed))
        yield from self._settled.get(teller, ())

    def _spill(self) -> None:
        """Move what is settled from memory to disk."""
        if self._database is None:
            self._folder = tempfile.TemporaryDirectory(prefix="statemachines-")
            self._database = sqlite3.connect(
                Path(self._folder.name, "observations"), isolation_level=None
            )
            self._database.execute("PRAGMA journal_mode=OFF")
            self._database.execute("PRAGMA synchronous=OFF")
            self._database.execute("CREATE TABLE told (teller INTEGER, rows BLOB)")
            self._database.execute("CREATE INDEX by_teller ON told (teller)")
        self._database.execute("BEGIN")
        self._database.executemany(
            "INSERT INTO told VALUES (?, ?)",
            (
                (self._numbers[teller], pickle.dumps([tuple(row) for row in rows], 5))
                for teller, rows in self._settled.items()
            ),
        )
        self._database.execute("COMMIT")
        self._settled.clear()
        self._count = 0


class RenumberedObservations:
    """All observations as a store of a check gives them, with the numbers that files have there."""

    def __init__(self, followed: FollowedObservations, numbers: Mapping[int, int]) -> None:
        self._followed, self.numbers = followed, numbers
        """The numbers by those of the logs."""

    def instances(
        self, context: JudgingContext, lost: list[Observation]
    ) -> Mapping[InstanceIdentity, Iterable[Observation]]:
        """Return the observations of each instance, in the order in which they are judged."""
        members: dict[InstanceIdentity, dict[Teller, None]] = defaultdict(dict)
        for teller in self._followed.tellers:
            for observation in self.of_teller(teller):
                whole = context.with_generation(observation)
                if whole is None:
                    lost.append(observation)
                else:
                    members[instance_identity(context, whole)][teller] = None
                if None not in teller[1]:
                    break
        return {
            who: _Instance(self, context, who, tuple(observations))
            for who, observations in members.items()
        }

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
        if number is not None:
            yield from (observation._replace(file=number) for observation in observations)


class _Instance:
    """The observations of one instance; may be iterated again."""

    def __init__(
        self,
        rows: RenumberedObservations,
        context: JudgingContext,
        who: InstanceIdentity,
        tellers: tuple[Teller, ...],
    ) -> None:
        self._rows, self._context, self._who, self._tellers = rows, context, who, tellers

    def __iter__(self) -> Iterator[Observation]:
        return iter(self._rows.of_instance(self._context, self._who, self._tellers))


def _teller(observation: Observation) -> Teller:
    return observation.owner, observation.key, observation.file, observation.unit


def _unpacked(row: tuple[Any, ...]) -> Observation:
    observation = Observation(*row)
    return observation._replace(
        readings=tuple(LineReading(*reading) for reading in observation.readings)
    )
