"""What may be tried of a machine at a moment, and what the machine says to it."""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterator, Mapping
from random import Random

from attrs import evolve, field, frozen

from statemachines.explore.drawing import NothingToDraw, draw_parameters, draw_value
from statemachines.model.data import Argument
from statemachines.model.machines import Transition
from statemachines.model.snapshots import Answer, Snapshot, Value
from statemachines.model.types import IntType
from statemachines.semantics.choices import Extent, Moment, values_of
from statemachines.semantics.mistakes import ArgumentsError
from statemachines.semantics.step import decided
from statemachines.semantics.tables import Tables
from statemachines.semantics.texts import exact
from statemachines.testing.edges import edges

Values = Mapping[str, Value]
FEW = 24
"""How many arguments of an event are gone through in order; of an event that has more, as many are drawn beside."""
TRIES = 20
"""How often arguments are drawn until some fit."""
MOST_LOOKED = 400
"""How many are looked at for those few, where `where` leaves little."""
MOST_BASES = 3
"""Arguments around which the edges of numbers are looked for, those first that are answered otherwise than the ones before."""
MOST_KEPT = 20_000
"""How many moments are remembered."""
MOST_CHOSEN = 2_000
"""How many choices of the system are tried to explain what a subject did."""


@frozen
class Attempt:
    """An event that the subject is given, as failing runs print it."""

    event: str
    arguments: Values = field(factory=dict)
    edges: frozenset[str] = field(default=frozenset(), eq=False)
    """At which edges of its numbers it stands."""

    def __repr__(self) -> str:
        return f"{self.event}({', '.join(f'{name}={exact(value)}' for name, value in self.arguments.items())})"


@frozen
class Possible:
    """One thing that the machine may do: where the system chooses, one for each choice."""

    before: Snapshot
    answer: Answer
    chosen: Values


@frozen(eq=False)
class Trials:
    """What may be tried of one machine, within its scope."""

    tables: Tables
    extent: Extent
    known: dict[tuple[Snapshot, str], tuple[tuple[Attempt, ...], bool]] = field(factory=dict)
    parted: dict[tuple[Snapshot, str], tuple[tuple[Attempt, ...], tuple[Attempt, ...]]] = field(factory=dict)

    def attempts(self, before: Snapshot, event: str) -> tuple[tuple[Attempt, ...], bool]:
        """Return some attempts of an event, always the same ones, and whether there are others.

        Limits: arguments are looked for among the first 400, and some random ones; where `where` leaves fewer than that finds, none.
        """
        key = (before, event)
        if key not in self.known:
            if len(self.known) > MOST_KEPT:
                self.known.clear()
            self.known[key] = self._attempts(before, event)
        return self.known[key]

    def _attempts(self, before: Snapshot, event: str) -> tuple[tuple[Attempt, ...], bool]:
        given, _ = self._arguments(event)
        if not given:
            attempt = Attempt(event)
            return ((attempt,) if self.possible(before, attempt) else ()), False
        everything = self._values(before, given, {})
        fitting = (Attempt(event, known) for known in itertools.islice(everything, MOST_LOOKED) if self._fits(before, event, known))
        found = list(itertools.islice(fitting, FEW))
        more = next(everything, None) is not None
        if more:
            random = Random(event)
            drawn = (self.drawn(before, event, random) for _ in range(FEW))
            found += [attempt for attempt in drawn if attempt is not None]
        return self._with_edges(before, found), more

    def has_numbers(self, event: str) -> bool:
        """Tell whether the caller decides a whole number."""
        return any(isinstance(argument.type, IntType) for argument in self._arguments(event)[0])

    def _with_edges(self, before: Snapshot, found: list[Attempt]) -> tuple[Attempt, ...]:
        """Return attempts, each once, and others beside where whole numbers turn."""
        every = {repr(attempt): attempt for attempt in found}
        if not found or not self.has_numbers(found[0].event):
            return tuple(every.values())
        types = {argument.name: argument.type for argument in self._arguments(found[0].event)[0]}
        bases = list({self._decided(before, one.event, one.arguments): one for one in reversed(found)}.values())[-MOST_BASES:]
        for base in bases:
            event, kinds = base.event, dict[str, set[str]]()

            def asked(known: Values, event: str = event) -> Hashable:
                return self._decided(before, event, known)

            for known, kind in edges(base.arguments, types, self._moment(before, {}), asked):
                attempt = Attempt(event, known)
                kinds.setdefault(repr(attempt), set()).add(kind)
                every.setdefault(repr(attempt), attempt)
            for key, names in kinds.items():
                every[key] = evolve(every[key], edges=every[key].edges | names)
        return tuple(every.values())

    def _decided(self, before: Snapshot, event: str, known: Values) -> Hashable:
        """Return what tells an answer from others: its kind, and the entry and case that decide it; None: these arguments do not fit."""
        first = self.first(before, Attempt(event, known))
        if first is None:
            return None
        decided = first.answer.decided_by
        case = decided.case.number if isinstance(decided, Transition) and decided.case is not None else 0
        return type(first.answer).__name__, decided.entry if decided is not None else -1, case

    def parts(self, before: Snapshot, event: str) -> tuple[tuple[Attempt, ...], tuple[Attempt, ...]]:
        """Return those attempts of an event that a transition takes, and those that none does."""
        key = (before, event)
        if key not in self.parted:
            if len(self.parted) > MOST_KEPT:
                self.parted.clear()
            attempts = self.attempts(before, event)[0]
            taken = tuple(attempt for attempt in attempts if self._is_taken(before, attempt))
            self.parted[key] = taken, tuple(attempt for attempt in attempts if attempt not in taken)
        return self.parted[key]

    def _is_taken(self, before: Snapshot, attempt: Attempt) -> bool:
        first = self.first(before, attempt)
        return first is not None and isinstance(first.answer.decided_by, Transition)

    def drawn(self, before: Snapshot, event: str, random: Random) -> Attempt | None:
        """Draw an attempt from all arguments that there are; None where none was found that fits."""
        given, _ = self._arguments(event)
        for _ in range(TRIES):
            known = dict[str, Value]()
            try:
                for argument in given:
                    known[argument.name] = draw_value(argument.type, self._moment(before, known), random)
            except NothingToDraw:
                return None
            if self._fits(before, event, known):
                return Attempt(event, known)
        return None

    def _moment(self, before: Snapshot, known: Values) -> Moment:
        return Moment(self.tables.behaviour, self.extent, before.state, before.variables, before.parameters, known)

    def possible(self, before: Snapshot, attempt: Attempt) -> tuple[Possible, ...]:
        """Return what the machine may do with an attempt; nothing where the arguments do not fit this moment."""
        return tuple(itertools.islice(self._possible(before, attempt), MOST_CHOSEN))

    def first(self, before: Snapshot, attempt: Attempt) -> Possible | None:
        """Return the first thing that the machine may do with an attempt."""
        return next(self._possible(before, attempt), None)

    def _possible(self, before: Snapshot, attempt: Attempt) -> Iterator[Possible]:
        if not self.tables.has_data:
            yield Possible(before, decided(self.tables, before, attempt.event, {}), {})
            return
        chosen = self._arguments(attempt.event)[1]
        for values in itertools.islice(self._values(before, chosen, attempt.arguments), MOST_CHOSEN):
            try:
                accepted = self.tables.behaviour.arguments(before, attempt.event, values)
            except ArgumentsError:
                continue
            choice = {name: value for name, value in values.items() if name not in attempt.arguments}
            yield Possible(before, decided(self.tables, before, attempt.event, accepted), choice)

    def chosen_names(self, event: str) -> tuple[str, ...]:
        """Return what the system decides of an event."""
        return tuple(argument.name for argument in self._arguments(event)[1])

    def _fits(self, before: Snapshot, event: str, known: Values) -> bool:
        return self.first(before, Attempt(event, known)) is not None

    def _arguments(self, event: str) -> tuple[tuple[Argument, ...], tuple[Argument, ...]]:
        """Return the arguments that the caller decides, and those that the system does."""
        arguments = self.tables.behaviour.signature(event).arguments if self.tables.has_data else ()
        return tuple(each for each in arguments if not each.chosen), tuple(each for each in arguments if each.chosen)

    def _values(self, before: Snapshot, arguments: tuple[Argument, ...], known: Values) -> Iterator[Values]:
        if not arguments:
            yield known
            return
        for value in values_of(arguments[0].type, self._moment(before, known)):
            yield from self._values(before, arguments[1:], {**known, arguments[0].name: value})


def drawn_parameters(trials: Trials, random: Random, *, wide: bool) -> Values:
    """Draw the parameters of a life: those of the spec's `scope`, or any of their types.

    Raises:
        ArgumentsError: no parameters were found that fit.
    """
    if not trials.tables.machine.data.parameters:
        return {}
    for number in range(2 * TRIES):
        found = _some_parameters(trials, random, wide=wide and number < TRIES)
        if found is not None:
            return found
    raise ArgumentsError(f"{trials.tables.title}: no parameters were found that fit; name some in the spec's `scope`")


def _some_parameters(trials: Trials, random: Random, *, wide: bool) -> Values | None:
    behaviour, drawn = trials.tables.behaviour, dict[str, Value]()
    try:
        for parameter in behaviour.machine.data.parameters if wide else ():
            drawn[parameter.name] = draw_value(parameter.type, Moment(behaviour, trials.extent, "", {}, drawn, {}), random)
        return behaviour.parameters(drawn) if wide else draw_parameters(behaviour, trials.extent, random, {})
    except (ArgumentsError, NothingToDraw):
        return None
