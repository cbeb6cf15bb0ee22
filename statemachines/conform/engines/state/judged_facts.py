"""What judgements rest on beside the lines of their instances: where it is otherwise in a later
check, they do not hold any more.

Processes begin, end and are upgraded at the end of a log: what is only added, and behind the last
line of an instance, changes nothing of what was judged.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import NamedTuple

from statemachines.conform.engines.state.renumbering import Numbering, Renumbering
from statemachines.conform.interchange.observations import KeyValues, Position
from statemachines.conform.interchange.profiles import CarriedGeneration, Shift
from statemachines.conform.settle.judging_context import JudgingContext
from statemachines.conform.settle.processes import Process, ReleaseFit

_BEFORE_ALL = Position(-2, -1, -1, -1)
KeptUnit = tuple[int, "str | None"]
"""A content, and a prefix in it that names a process."""


class UnitFacts(NamedTuple):
    """What is known of a process's part of a log."""

    process_identity: str
    file_name: str
    shift: Shift | None
    carried: tuple[CarriedGeneration, ...]
    """Generations that older files have told."""
    is_doubled: bool
    """Whether its lines stand twice."""


class ProcessFacts(NamedTuple):
    """What is known of a process."""

    fits: tuple[tuple[str, tuple[ReleaseFit, ...]], ...]
    own_fits: tuple[tuple[int, tuple[ReleaseFit, ...]], ...]
    levels: frozenset[tuple[str, int, str, int]]
    """Stem, machine, logger and rank."""
    possible_starts: tuple[Position, ...]
    certain_starts: tuple[Position, ...]
    ends: tuple[Position, ...]


class JudgedFacts(NamedTuple):
    """What all judgements of a check rest on."""

    units: Mapping[KeptUnit, UnitFacts]
    processes: Mapping[str, ProcessFacts]
    abroad: tuple[tuple[int, bytes], ...]
    """By machine, a digest of the lines of many instances."""


def numbering_of(context: JudgingContext, contents: Sequence[int]) -> Numbering:
    """Return what the numbers of a check mean; `contents` has that of each file."""
    stems = [context.stems[file.stem] for file in context.files]
    places = tuple(zip(stems, context.rotation_indexes, strict=True))
    return Numbering(
        tuple(contents), places, tuple(process.identity for process in context.processes)
    )


def judged_facts(context: JudgingContext, contents: Sequence[int]) -> JudgedFacts:
    """Return what the judgements of a check rest on; `contents` has that of each file."""
    units = {
        (contents[file], prefix): UnitFacts(
            context.processes[process].identity,
            context.files[file].name,
            context.shifts.get((file, prefix)),
            tuple(
                generation
                for generation in context.generations.get((file, prefix), ())
                if not generation.line
            ),
            (file, prefix) in context.doubled,
        )
        for (file, prefix), process in context.process_by_unit.items()
    }
    stems = {number: name for name, number in context.stems.items()}
    processes = {process.identity: _process_facts(process, stems) for process in context.processes}
    return JudgedFacts(units, processes, tuple(_abroad_digests(context, contents)))


def _process_facts(process: Process, stems: Mapping[int, str]) -> ProcessFacts:
    return ProcessFacts(
        tuple((family, tuple(fits)) for family, fits in process.fits.items()),
        tuple((owner, tuple(fits)) for owner, fits in process.own_fits.items()),
        frozenset(
            (stems[stem], owner, logger, rank)
            for (stem, owner, logger), rank in process.shown_levels.items()
        ),
        tuple(process.possible_starts),
        tuple(process.certain_starts),
        tuple(process.ends),
    )


def _abroad_digests(
    context: JudgingContext, contents: Sequence[int]
) -> Iterator[tuple[int, bytes]]:
    for owner in sorted({observation.owner for observation in context.abroad}):
        lines = [(contents[s.file], s.line) for s in context.abroad if s.owner == owner]
        yield owner, blake2b(repr(lines).encode(), digest_size=16).digest()


class JudgementHead(NamedTuple):
    """What says whether a judgement still holds, and of whom it is."""

    owner: int
    teller: str
    """The identity of the process, or of the system, that tells of the instance."""
    key: KeyValues
    numbering: int
    """Whose numbers it is written with."""
    last: Position | None
    """Where its last line stands."""
    processes: tuple[str, ...]
    """Identities of the processes that tell of it."""
    units: tuple[KeptUnit, ...]
    tails: tuple[tuple[int, int], ...]
    """Contents of which it takes in lines near the end, and how long they were then."""
    quotes_names: bool
    """Whether it has sentences with the names of files."""
    may_go_on: bool
    """Whether there is a fold from which judging can go on."""
    has_rows: bool
    """Whether its steps are kept."""


class ChangedFacts:
    """Compares what judgements rest on with what is known now."""

    def __init__(
        self,
        before: JudgedFacts,
        now: JudgedFacts,
        renumbering: Renumbering,
        context: JudgingContext,
    ) -> None:
        self._before, self._now, self._context = before, now, context
        self._renumbering = renumbering
        self._abroad = {owner for owner, _ in set(before.abroad).symmetric_difference(now.abroad)}
        self._since: dict[tuple[str, int], Position | None] = {}

    def hold(self, head: JudgementHead, renumbering: Renumbering) -> bool:
        """Say whether what a judgement rests on is as it was.

        Args:
            head: of the judgement.
            renumbering: from the numbers that it is written with.
        """
        if head.owner in self._abroad:
            return False
        for unit in head.units:
            before, now = self._before.units.get(unit), self._now.units.get(unit)
            if before is None or now is None:
                return False
            same_names = now._replace(file_name=before.file_name)
            if before != now and (head.quotes_names or before != same_names):
                return False
        last = renumbering.moved(head.last)
        return all(self._process_holds(name, head.owner, last) for name in head.processes)

    def _process_holds(self, name: str, owner: int, last: Position | None) -> bool:
        if (name, owner) not in self._since:
            self._since[name, owner] = self._first_change(name, owner)
        since = self._since[name, owner]
        return since is None or (last is not None and since > last)

    def _first_change(self, name: str, owner: int) -> Position | None:
        """Return where the first thing stands that is otherwise of a process, as far as a machine
        asks it; None where nothing is.
        """
        before, now = self._before.processes.get(name), self._now.processes.get(name)
        if before is None or now is None or _levels(before, owner) != _levels(now, owner):
            return _BEFORE_ALL
        family = self._context.plan.owners[owner].family
        was = [fit._replace(start=self._moved(fit.start)) for fit in _fits(before, owner, family)]
        fits = _fits(now, owner, family)
        changes = [
            _first_added([self._moved(place) for place in old], new)
            for old, new in zip(before[3:], now[3:], strict=True)
        ]
        changes.append(fits[len(was)].start if len(fits) > len(was) else None)
        if list(fits[: len(was)]) != was:
            return _BEFORE_ALL
        return min((place for place in changes if place is not None), default=None)

    def _moved(self, place: Position) -> Position:
        """Return where a position is now; before all where its file is not there any more."""
        try:
            return self._renumbering.position(place)
        except KeyError:
            return _BEFORE_ALL


def _first_added(before: Sequence[Position], now: Sequence[Position]) -> Position | None:
    """Return the first position that is only there now; one before all where others are gone."""
    if list(now[: len(before)]) != list(before):
        return _BEFORE_ALL
    return now[len(before)] if len(now) > len(before) else None


def _levels(process: ProcessFacts, owner: int) -> set[tuple[str, int, str, int]]:
    return {level for level in process.levels if level[1] == owner}


def _fits(process: ProcessFacts, owner: int, family: str) -> Sequence[ReleaseFit]:
    """Return the releases that fit a machine's lines in a process."""
    return dict(process.own_fits).get(owner) or dict(process.fits).get(family, ())
