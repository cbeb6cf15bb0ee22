"""Whether a condition of a system can hold, whatever the parts do that a log does not show."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from functools import lru_cache

from attrs import define, field

from statemachines.conform.systems.lives import Life, States
from statemachines.model.snapshots import Snapshot
from statemachines.model.systems import System, SystemSnapshot
from statemachines.model.types import IdType
from statemachines.model.values import FrozenMap
from statemachines.semantics.systems import SystemTables, tables_of_system

MOST_COMPLETIONS = 512
"""How many ways to complete what was not seen are gone through; beyond, nothing is said."""
MOST_SURE = 64
"""In how many ways what was not seen is completed to see that a condition holds in all of them; beyond, it is not decided."""
MOST_KNOWN = 20_000
"""How many answers are kept; then it begins anew."""

Move = tuple[int, str, str | None]
"""The number of the life that moves, from where, to where."""
Holds = Callable[[SystemSnapshot, "SystemSnapshot | None"], bool]
"""Whether a condition holds: now, and in the step after the snapshot before."""


@define
class Completing:
    """Completes what is known of the parts of one instance of a system."""

    system: System
    lives: Sequence[Life]
    tables: SystemTables = field(init=False)
    _known: dict[object, bool | None] = field(factory=dict)
    _numbers: dict[States, int] = field(factory=dict)
    """Sets of states to numbers that can be sorted."""
    _alike: tuple[tuple[int, ...], ...] = field(init=False)
    """The places of lives that only their keys tell apart, which no rule can name; each other life by itself."""

    def __attrs_post_init__(self) -> None:
        self.tables = tables_of_system(self.system)
        self._alike = tuple(self._groups())

    def _groups(self) -> Iterator[tuple[int, ...]]:
        for part in self.system.parts:
            places = tuple(place for place, life in enumerate(self.lives) if life.part == part.name)
            if isinstance(part.each, IdType):
                yield places
            else:
                yield from ((place,) for place in places)

    def is_broken(self, name: object, holds: Holds, states: tuple[States, ...], move: Move | None = None, *, guess: bool = True) -> bool:
        """Tell whether a condition does not hold however what was not seen is completed; the same question is gone through once.

        Questions in which instances that only their keys tell apart have changed places are the same: sixteen threads in three states are
        some hundred questions, and not millions.

        Args:
            name: of the condition.
            holds: the condition.
            states: where each life may be.
            move: the step that is asked about.
            guess: whether parts that no line tells of may be there: optional ones, and one of those of which there are several.
        """
        asked = (name, guess, *self._question(states, move))
        if asked not in self._known:
            self._keep(asked, self._goes_through(holds, states, move, guess))
        return self._known[asked] is True

    def decided(self, name: object, holds: Holds, states: tuple[States, ...], move: Move | None = None) -> bool | None:
        """Tell whether a condition holds however what was not seen is completed; None: it depends.

        The arguments are those of `is_broken`.
        """
        asked = (name, None, *self._question(states, move))
        if asked not in self._known:
            broken = self._goes_through(holds, states, move, False)
            self._keep(asked, False if broken else self._all_hold(holds, self._fixed(states, move), move) or None)
        return self._known[asked]

    def _keep(self, asked: object, answer: bool | None) -> None:
        if len(self._known) >= MOST_KNOWN:
            self._known.clear()
        self._known[asked] = answer

    def _all_hold(self, holds: Holds, states: Sequence[States], move: Move | None) -> bool:
        """Go through all completions; of parts of which there may be several and no line tells of any, one may be there in any state."""
        several = {part.name for part in self.system.parts if part.each is not None}
        seen = False
        for tried, chosen in enumerate(self._completions(states, several)):
            now = self._snapshot(chosen)
            if tried >= MOST_SURE or (now is not None and not self._holds(holds, chosen, now, move)):
                return False
            seen = seen or now is not None
        return seen

    @staticmethod
    def _fixed(states: Sequence[States], move: Move | None) -> Sequence[States]:
        """Return where each life may be before a move; the one that moves is where it moves from."""
        if move is None:
            return states
        return [frozenset([move[1]]) if place == move[0] else one for place, one in enumerate(states)]

    def _question(self, states: tuple[States, ...], move: Move | None) -> Iterator[object]:
        """Yield what a question is about, the same for all that differ only in which of the alike is in which state."""
        numbers = [self._numbers.setdefault(one, len(self._numbers)) for one in states]
        if move is not None:
            numbers[move[0]] = -1
            yield self.lives[move[0]].part, move[1], move[2]
        for places in self._alike:
            yield tuple(sorted([numbers[place] for place in places]))

    def _goes_through(self, holds: Holds, states: Sequence[States], move: Move | None, guess: bool) -> bool:
        for tried, chosen in enumerate(self._completions(self._fixed(states, move), self._absent() if guess else ())):
            now = self._snapshot(chosen)
            if tried >= MOST_COMPLETIONS or now is None or self._holds(holds, chosen, now, move):
                return False
        return True

    def _completions(self, states: Sequence[States], guessed: Container[str]) -> Iterator[tuple[str | None, ...]]:
        """Yield a state for each life, then one for each part that no line tells of and that may be there all the same."""
        unseen = ((None, *(self.tables.tables[name].states if name in guessed else ())) for name in self._absent())
        return itertools.product(*(sorted(one, key=_likely) for one in states), *unseen)

    def _absent(self) -> list[str]:
        there = {life.part for life in self.lives}
        return [part.name for part in self.system.parts if (part.optional or part.each is not None) and part.name not in there]

    def _holds(self, holds: Holds, chosen: Sequence[str | None], now: SystemSnapshot, move: Move | None) -> bool:
        if move is None:
            return holds(now, None)
        after = self._snapshot([move[2] if place == move[0] else one for place, one in enumerate(chosen)])
        return after is None or holds(after, now)

    def _snapshot(self, chosen: Sequence[str | None]) -> SystemSnapshot | None:
        """Return one completion as a snapshot; None where a state is none of the release, or the only part of its name is not there."""
        parts: dict[str, object] = {part.name: FrozenMap() if part.each is not None else None for part in self.system.parts}
        keyed: dict[str, dict[str | None, Snapshot]] = {}
        names = [(life.part, life.key) for life in self.lives] + [(name, None) for name in self._absent()]
        for (part, key), state in zip(names, chosen, strict=True):
            if state is not None and state not in self.tables.tables[part].number:
                return None
            if state is not None and isinstance(parts[part], Mapping):
                keyed.setdefault(part, {})[key] = _in(state)
            elif state is not None:
                parts[part] = _in(state)
        parts |= {part: FrozenMap(held) for part, held in keyed.items()}
        whole = all(parts[part.name] is not None for part in self.system.parts if not part.optional)
        return SystemSnapshot(FrozenMap(parts)) if whole else None  # type: ignore[arg-type]  # each is held as its part is


def _likely(state: str | None) -> str:
    """Sort states, first that a part is not there: with many that nobody saw for long, it is found first that a condition can hold."""
    return state or ""


@lru_cache(maxsize=1024)
def _in(state: str) -> Snapshot:
    """Return a state of a part without data: one value for each, for what expressions see of it is kept by value."""
    return Snapshot(state, FrozenMap(), FrozenMap())
