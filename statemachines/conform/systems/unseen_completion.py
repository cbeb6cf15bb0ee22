"""Whether a condition of a system can hold, whatever the parts do that a log does not show."""

from __future__ import annotations

import itertools
from collections.abc import Container, Iterator, Sequence
from typing import NamedTuple

from attrs import define, field

from statemachines.conform.systems.observed_steps import PossibleState
from statemachines.conform.systems.part_timelines import PartTimeline, States, possible_states
from statemachines.conform.systems.partial_conditions import SystemCondition, partial_record
from statemachines.model.definitions.snapshots import Value
from statemachines.model.definitions.system_definitions import SystemDefinition
from statemachines.model.language.frozen_values import FrozenMap
from statemachines.model.language.value_types import IdType
from statemachines.semantics.evaluation.partial_evaluation import PartialValuation
from statemachines.semantics.system.system_tables import SystemTables, system_tables

_MOST_COMPLETIONS = 512
"""How many ways to complete what was not seen are gone through; beyond, nothing is said."""
_MOST_DECIDED = 64
"""In how many ways what was not seen is completed to see that a condition holds in all of them;
beyond, it is not decided.
"""
MOST_CACHED = 20_000
"""How many answers are kept; then it begins anew."""


class PartStepQuery(NamedTuple):
    """A step of one part, of which a rule is asked."""

    part: int
    """Its index among the parts."""
    source: PossibleState
    target: PossibleState


@define
class KnownAnswers:
    """What was answered of the instances of one system, for those whose parts are alike."""

    answers: dict[object, bool | None] = field(factory=dict)
    state_set_ids: dict[States, int] = field(factory=dict)
    """Sets of states to numbers that can be sorted."""
    shapes: dict[object, int] = field(factory=dict)
    """The parts of an instance to a number."""

    def add(self, question: object, answer: bool | None) -> None:
        """Keep an answer."""
        if len(self.answers) >= MOST_CACHED:
            self.answers.clear()
        self.answers[question] = answer


@define
class UnseenCompletion:
    """Completes what is known of the parts of one instance of a system."""

    system: SystemDefinition
    parts: Sequence[PartTimeline]
    known: KnownAnswers = field(factory=KnownAnswers)
    tables: SystemTables = field(init=False)
    _shape: int = field(init=False)
    """The number of its parts, with the keys that rules can name."""
    interchangeable: tuple[tuple[int, ...], ...] = field(init=False)
    """The places of lives that only their keys tell apart, which no rule can name; each other life
    by itself.
    """

    _unobserved: tuple[str, ...] = field(init=False)
    """Parts that no line tells of."""
    _names: tuple[tuple[str, str | None], ...] = field(init=False)
    """Parts and keys, those that no line tells of behind the others."""
    _absent: dict[str, Value] = field(init=False)
    """All parts, where none is there."""
    _always_there: frozenset[str] = field(init=False)
    """Parts that the system has at every moment."""

    def __attrs_post_init__(self) -> None:
        self.tables = system_tables(self.system)
        observed = {timeline.part for timeline in self.parts}
        self._unobserved = tuple(
            part.name for part in self.system.parts if part.name not in observed
        )
        self._always_there = frozenset(
            part.name for part in self.system.parts if part.each is None and not part.optional
        )
        self.interchangeable = tuple(self._find_interchangeable())
        self._names = (
            *((timeline.part, timeline.key) for timeline in self.parts),
            *((name, None) for name in self._unobserved),
        )
        self._absent = {
            part.name: FrozenMap() if part.each is not None else None for part in self.system.parts
        }
        unnamed = {part.name for part in self.system.parts if isinstance(part.each, IdType)}
        parts = tuple(
            (timeline.part, None if timeline.part in unnamed else timeline.key)
            for timeline in self.parts
        )
        self._shape = self.known.shapes.setdefault(parts, len(self.known.shapes))

    def _find_interchangeable(self) -> Iterator[tuple[int, ...]]:
        for part in self.system.parts:
            indices = tuple(
                index for index, timeline in enumerate(self.parts) if timeline.part == part.name
            )
            if isinstance(part.each, IdType):
                yield indices
            else:
                yield from ((index,) for index in indices)

    def is_broken(
        self,
        name: object,
        holds: SystemCondition,
        states: tuple[States, ...],
        move: PartStepQuery | None = None,
        *,
        guess: bool = True,
    ) -> bool:
        """Tell whether a condition does not hold however what was not seen is completed; the same
        question is gone through once.

        Questions in which instances that only their keys tell apart have changed places are the
        same: sixteen threads in three states are some hundred questions, and not millions.

        Args:
            name: of the condition.
            holds: the condition.
            states: where each life may be.
            move: the step that is asked about.
            guess: whether parts that no line tells of may be there: optional ones, and one of those
                of which there are several.
        """
        question = (self._shape, name, guess, *self._canonical_question(states, move))
        if question not in self.known.answers:
            self.known.add(question, self._always_fails(holds, states, move, guess))
        return self.known.answers[question] is True

    def decided(
        self,
        name: object,
        holds: SystemCondition,
        states: tuple[States, ...],
        move: PartStepQuery | None = None,
    ) -> bool | None:
        """Tell whether a condition holds however what was not seen is completed; None: it depends.

        The arguments are those of `is_broken`.
        """
        question = (self._shape, name, None, *self._canonical_question(states, move))
        if question not in self.known.answers:
            broken = self._always_fails(holds, states, move, False)
            self.known.add(
                question,
                (
                    False
                    if broken
                    else self._all_hold(holds, self._states_before(states, move), move) or None
                ),
            )
        return self.known.answers[question]

    def _all_hold(
        self, holds: SystemCondition, states: Sequence[States], move: PartStepQuery | None
    ) -> bool:
        """Go through all completions; of parts of which there may be several and no line tells of
        any, one may be there in any state.
        """
        several = {part.name for part in self.system.parts if part.each is not None}
        is_possible = False
        for tried, chosen in enumerate(self._completions(states, several)):
            now = self._valuation(chosen)
            if tried >= _MOST_DECIDED or (
                now is not None and self._holds_in(holds, chosen, now, move) is not True
            ):
                return False
            is_possible = is_possible or now is not None
        return is_possible

    @staticmethod
    def _states_before(states: Sequence[States], move: PartStepQuery | None) -> Sequence[States]:
        """Return where each incarnation may be before a move; the mover is where it moves from."""
        if move is None:
            return states
        return [
            frozenset([move.source]) if index == move.part else state
            for index, state in enumerate(states)
        ]

    def _canonical_question(
        self, states: tuple[States, ...], move: PartStepQuery | None
    ) -> Iterator[object]:
        """Yield what a question is about, the same for all that differ only in which of the alike
        is in which state.
        """
        ids = self.known.state_set_ids
        numbers = [ids.setdefault(state, len(ids)) for state in states]
        if move is not None:
            numbers[move.part] = -1
            yield self.parts[move.part].part, move.source, move.target
        for indices in self.interchangeable:
            yield tuple(sorted([numbers[index] for index in indices]))

    def _always_fails(
        self,
        holds: SystemCondition,
        states: Sequence[States],
        move: PartStepQuery | None,
        guess: bool,
    ) -> bool:
        for tried, chosen in enumerate(
            self._completions(self._states_before(states, move), self._unobserved if guess else ())
        ):
            now = self._valuation(chosen)
            if (
                tried >= _MOST_COMPLETIONS
                or now is None
                or self._holds_in(holds, chosen, now, move) is not False
            ):
                return False
        return True

    def _completions(
        self, states: Sequence[States], guessed: Container[str]
    ) -> Iterator[tuple[PossibleState | None, ...]]:
        """Yield a state for each life, then one for each part that no line tells of and that is, or
        may be, there all the same.
        """
        unseen = (
            (
                *(() if name in self._always_there else (None,)),
                *(
                    possible_states(self.tables.tables[name].states)
                    if name in guessed or name in self._always_there
                    else ()
                ),
            )
            for name in self._unobserved
        )
        return itertools.product(*(sorted(state, key=_absent_first) for state in states), *unseen)

    def _holds_in(
        self,
        holds: SystemCondition,
        chosen: Sequence[PossibleState | None],
        now: PartialValuation,
        move: PartStepQuery | None,
    ) -> bool | None:
        if move is None:
            return holds(now, None, None)
        after = self._valuation(
            [move.target if index == move.part else state for index, state in enumerate(chosen)]
        )
        return after is None or holds(after, now, self.parts[move.part].key)

    def _valuation(self, chosen: Sequence[PossibleState | None]) -> PartialValuation | None:
        """Return one completion as expressions see it; None where a state is none of the release,
        or the only part of its name is not there.
        """
        parts, keyed = dict(self._absent), dict[str, dict[str | None, Value]]()
        for (part, key), state in zip(self._names, chosen, strict=True):
            if state is None:
                continue
            if state.state not in self.tables.tables[part].state_index:
                return None
            record = partial_record(self.tables, part, state.state, state.values)
            if self._absent[part] is not None:
                keyed.setdefault(part, {})[key] = record
            else:
                parts[part] = record
        parts |= {part: FrozenMap(held) for part, held in keyed.items()}
        whole = all(parts[name] is not None for name in self._always_there)
        return PartialValuation(parts) if whole else None


def _absent_first(state: PossibleState | None) -> str:
    """Sort states, first that a part is not there: with many that nobody saw for long, it is found
    first that a condition can hold.
    """
    return state.state if state is not None else ""
