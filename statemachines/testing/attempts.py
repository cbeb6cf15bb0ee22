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
class Looked:
    """What may be tried of an event at a moment."""

    answered: tuple[tuple[Attempt, Possible], ...]
    """Attempts, with the first thing that the machine may do."""
    more: bool = False
    """Whether there are others."""

    @property
    def any(self) -> Iterator[Attempt]:
        """All of them."""
        return (attempt for attempt, _ in self.answered)

    @property
    def taken(self) -> Iterator[Attempt]:
        """What a transition takes."""
        return (attempt for attempt, first in self.answered if isinstance(first.answer.decided_by, Transition))

    @property
    def others(self) -> Iterator[Attempt]:
        """What none does."""
        return (attempt for attempt, first in self.answered if not isinstance(first.answer.decided_by, Transition))


@frozen(eq=False)
class Trials:
    """What may be tried of one machine, within its scope."""

    tables: Tables
    extent: Extent
    known: dict[tuple[Snapshot, str], Looked] = field(factory=dict)
    signatures: dict[str, tuple[tuple[Argument, ...], tuple[Argument, ...]]] = field(factory=dict)

    def looked(self, before: Snapshot, event: str) -> Looked:
        """Return some attempts of an event, always the same ones, with what the machine does first.

        Limits: arguments are looked for among the first 400, and some random ones; where `where` leaves fewer than that finds, none.
        """
        key = (before, event)
        if key not in self.known:
            if len(self.known) > MOST_KEPT:
                self.known.clear()
            self.known[key] = self._looked(before, event)
        return self.known[key]

    def _looked(self, before: Snapshot, event: str) -> Looked:
        given, _ = self._arguments(event)
        asked = Asked(self, before, event)
        if not given:
            first = asked.first({})
            return Looked(((Attempt(event), first),) if first is not None else ())
        everything = self._values(before, given, {})
        fitting = (Attempt(event, known) for known in itertools.islice(everything, MOST_LOOKED) if asked.first(known) is not None)
        found = list(itertools.islice(fitting, FEW))
        more = next(everything, None) is not None
        if more:
            random = Random(event)
            drawn = (self.drawn(before, event, random) for _ in range(FEW))
            found += [attempt for attempt in drawn if attempt is not None]
        answered = ((attempt, asked.first(attempt.arguments)) for attempt in self._with_edges(found, asked))
        return Looked(tuple((attempt, first) for attempt, first in answered if first is not None), more)

    def every(self, before: Snapshot, event: str) -> Iterator[tuple[Attempt, Possible | None]]:
        """Yield an event with all of its arguments, and the first thing that the machine may do; None: they do not fit."""
        for known in self._values(before, self.given(event), {}):
            attempt = Attempt(event, known)
            yield attempt, self.first(before, attempt)

    def given(self, event: str) -> tuple[Argument, ...]:
        """Return the arguments that the caller decides."""
        return self._arguments(event)[0]

    def has_arguments(self, event: str) -> bool:
        """Tell whether the caller decides anything."""
        return bool(self._arguments(event)[0])

    def has_numbers(self, event: str) -> bool:
        """Tell whether the caller decides a whole number."""
        return any(isinstance(argument.type, IntType) for argument in self._arguments(event)[0])

    def _with_edges(self, found: list[Attempt], asked: Asked) -> tuple[Attempt, ...]:
        """Return attempts, each once, and others beside where whole numbers turn."""
        every = {repr(attempt): attempt for attempt in found}
        if not found or not self.has_numbers(asked.event):
            return tuple(every.values())
        types = {argument.name: argument.type for argument in self._arguments(asked.event)[0]}
        bases = list({asked(one.arguments): one for one in reversed(found)}.values())[-MOST_BASES:]
        for base in bases:
            kinds = dict[str, set[str]]()
            for known, kind in edges(base.arguments, types, self._moment(asked.before, {}), asked):
                attempt = Attempt(asked.event, known)
                kinds.setdefault(repr(attempt), set()).add(kind)
                every.setdefault(repr(attempt), attempt)
            for key, names in kinds.items():
                every[key] = evolve(every[key], edges=every[key].edges | names)
        return tuple(every.values())

    def drawn(self, before: Snapshot, event: str, random: Random) -> Attempt | None:
        """Draw an attempt from all arguments that there are; None where none was found that fits."""
        found = self.answered(before, event, random)
        return None if found is None else found[0]

    def answered(self, before: Snapshot, event: str, random: Random) -> tuple[Attempt, Possible] | None:
        """Draw an attempt, and return with it the first thing that the machine may do with it."""
        given, _ = self._arguments(event)
        for _ in range(TRIES if given else 1):
            known = dict[str, Value]()
            try:
                for argument in given:
                    known[argument.name] = draw_value(argument.type, self._moment(before, known), random)
            except NothingToDraw:
                return None
            attempt = Attempt(event, known)
            first = next(self._possible(before, attempt, drawn=True), None)
            if first is not None:
                return attempt, first
        return None

    def _moment(self, before: Snapshot, known: Values) -> Moment:
        return Moment(self.tables.behaviour, self.extent, before.state, before.variables, before.parameters, known)

    def possible(self, before: Snapshot, attempt: Attempt) -> tuple[Possible, ...]:
        """Return what the machine may do with an attempt; nothing where the arguments do not fit this moment."""
        return tuple(itertools.islice(self._possible(before, attempt), MOST_CHOSEN))

    def first(self, before: Snapshot, attempt: Attempt) -> Possible | None:
        """Return the first thing that the machine may do with an attempt."""
        return next(self._possible(before, attempt), None)

    def _possible(self, before: Snapshot, attempt: Attempt, *, drawn: bool = False) -> Iterator[Possible]:
        if not self.tables.has_data:
            yield Possible(before, decided(self.tables, before, attempt.event, {}), {})
            return
        chosen = self._arguments(attempt.event)[1]
        for values in itertools.islice(self._values(before, chosen, attempt.arguments), MOST_CHOSEN):
            accepted = self._accepted(before, attempt.event, values, drawn=drawn)
            if accepted is not None:
                choice = {name: value for name, value in values.items() if name not in attempt.arguments}
                yield Possible(before, decided(self.tables, before, attempt.event, accepted), choice)

    def _accepted(self, before: Snapshot, event: str, values: Values, *, drawn: bool) -> Values | None:
        """Return arguments as the machine has them; None: they do not fit this moment.

        Args:
            before: the moment.
            event: whose arguments.
            values: of all of them.
            drawn: whether they were drawn from their types at this moment: then they can be against `where` only.
        """
        behaviour = self.tables.behaviour
        if drawn:
            where = behaviour.where(event)
            return values if where is None or where(before.state, before.variables, before.parameters, values) else None
        try:
            return behaviour.arguments(before, event, values)
        except ArgumentsError:
            return None

    def chosen_names(self, event: str) -> tuple[str, ...]:
        """Return what the system decides of an event."""
        return tuple(argument.name for argument in self._arguments(event)[1])

    def _arguments(self, event: str) -> tuple[tuple[Argument, ...], tuple[Argument, ...]]:
        """Return the arguments that the caller decides, and those that the system does."""
        if event not in self.signatures:
            arguments = self.tables.behaviour.signature(event).arguments if self.tables.has_data else ()
            chosen = tuple(each for each in arguments if each.chosen)
            self.signatures[event] = tuple(each for each in arguments if not each.chosen), chosen
        return self.signatures[event]

    def _values(self, before: Snapshot, arguments: tuple[Argument, ...], known: Values) -> Iterator[Values]:
        if not arguments:
            yield known
            return
        for value in values_of(arguments[0].type, self._moment(before, known)):
            yield from self._values(before, arguments[1:], {**known, arguments[0].name: value})


@frozen(eq=False)
class Asked:
    """What the machine does with arguments of one event at one moment; each asked once."""

    trials: Trials
    before: Snapshot
    event: str
    known: dict[Hashable, Possible | None] = field(factory=dict)

    def first(self, arguments: Values) -> Possible | None:
        """Return the first thing that the machine may do; None: these arguments do not fit."""
        key = tuple(arguments.values())
        if key not in self.known:
            self.known[key] = self.trials.first(self.before, Attempt(self.event, arguments))
        return self.known[key]

    def __call__(self, arguments: Values) -> Hashable:
        """Return what tells an answer from others: its kind, and the entry and case that decide it."""
        first = self.first(arguments)
        if first is None:
            return None
        decided = first.answer.decided_by
        case = decided.case.number if isinstance(decided, Transition) and decided.case is not None else 0
        return type(first.answer).__name__, decided.entry if decided is not None else -1, case


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
