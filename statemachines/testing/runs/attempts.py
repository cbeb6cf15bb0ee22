"""What may be tried of a machine at a moment, and what the machine says to it."""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterator, Mapping
from functools import cached_property
from random import Random

from attrs import evolve, field, frozen

from statemachines.model.definitions.data_definitions import Argument
from statemachines.model.definitions.machine_definitions import Transition
from statemachines.model.definitions.snapshots import Answer, Snapshot, Value
from statemachines.model.language.value_types import (
    IdType,
    IntType,
    ListType,
    nested_types,
)
from statemachines.semantics.arguments.value_sampling import (
    NoValueToSample,
    sample_parameters,
    sample_value,
    widened_extent,
)
from statemachines.semantics.machine.machine_tables import MachineTables
from statemachines.semantics.machine.step import unchecked_step
from statemachines.semantics.machine.value_enumeration import (
    DomainSizes,
    ValueContext,
    enumerate_values,
)
from statemachines.semantics.messages.argument_errors import ArgumentsError
from statemachines.semantics.messages.value_text import format_literal
from statemachines.testing.runs.boundary_values import boundary_arguments

NamedValues = Mapping[str, Value]
MOST_LISTED = 24
"""How many arguments of an event are gone through in order; of an event that has more, as many are
drawn beside.
"""
MOST_SAMPLES = 20
"""How often arguments are drawn until some fit."""
MOST_ENUMERATED = 400
"""How many are looked at for those few, where `where` leaves little."""
_MOST_BASES = 3
"""Arguments around which the edges of numbers are looked for, those first that are answered
otherwise than the ones before.
"""
_MOST_REMEMBERED = 20_000
"""How many moments are remembered."""
LONG_LIST = 12
"""Items of the longest list that is drawn beyond the scope."""
MANY_NAMES = 8
"""Names of an `id` type that are drawn beyond the scope."""
_BEYOND_SHARE = 0.25
"""Of what is drawn, how much goes beyond the scope: calls meet sooner among few names."""
MOST_CHOICES = 2_000
"""How many choices of the system are tried to explain what a subject did."""


@frozen
class Attempt:
    """An event that the subject is given, as failing runs print it."""

    event: str
    arguments: NamedValues = field(factory=dict)
    boundaries: frozenset[str] = field(default=frozenset(), eq=False)
    """At which edges of its numbers it stands."""

    def __repr__(self) -> str:
        given = (f"{name}={format_literal(value)}" for name, value in self.arguments.items())
        return f"{self.event}({', '.join(given)})"


@frozen
class PossibleStep:
    """One thing that the machine may do: where the system chooses, one for each choice."""

    before: Snapshot
    answer: Answer
    system_choice: NamedValues


@frozen(eq=False)
class EventAttempts:
    """What may be tried of an event at a moment."""

    answered: tuple[tuple[Attempt, PossibleStep], ...]
    """Attempts, with the first thing that the machine may do."""
    has_more: bool = False
    """Whether there are others."""

    @property
    def any(self) -> Iterator[Attempt]:
        """All of them."""
        return (attempt for attempt, _ in self.answered)

    @property
    def taken(self) -> Iterator[Attempt]:
        """What a transition takes."""
        return (
            attempt
            for attempt, first in self.answered
            if isinstance(first.answer.decided_by, Transition)
        )

    @property
    def not_taken(self) -> Iterator[Attempt]:
        """What none does."""
        return (
            attempt
            for attempt, first in self.answered
            if not isinstance(first.answer.decided_by, Transition)
        )


@frozen(eq=False, slots=False)
class AttemptFinder:
    """What may be tried of one machine, within its scope."""

    tables: MachineTables
    extent: DomainSizes
    fixed_types: frozenset[str] = frozenset()
    """The `id` types that have no other names than the extent's: somebody said how many."""
    known_attempts: dict[tuple[Snapshot, str], EventAttempts] = field(factory=dict)
    signatures: dict[str, tuple[tuple[Argument, ...], tuple[Argument, ...]]] = field(factory=dict)

    def event_attempts(self, before: Snapshot, event: str) -> EventAttempts:
        """Return some attempts of an event, always the same ones, with what the machine does first.

        Args:
            before: the snapshot before it.
            event: the name of the event.

        Returns:
            The attempts that fit this snapshot, each with the machine's first answer.

        Limits: arguments are looked for among the first 400, and some random ones; where `where`
        leaves fewer than that finds, none.
        """
        key = (before, event)
        if key not in self.known_attempts:
            if len(self.known_attempts) > _MOST_REMEMBERED:
                self.known_attempts.clear()
            self.known_attempts[key] = self._find_attempts(before, event)
        return self.known_attempts[key]

    def _find_attempts(self, before: Snapshot, event: str) -> EventAttempts:
        given, _ = self._argument_split(event)
        memo = _AnswerMemo(self, before, event)
        if not given:
            first = memo.first_step({})
            return EventAttempts(((Attempt(event), first),) if first is not None else ())
        everything = self._assignments(before, given, {})
        fitting = (
            Attempt(event, known)
            for known in itertools.islice(everything, MOST_ENUMERATED)
            if memo.first_step(known) is not None
        )
        attempts = list(itertools.islice(fitting, MOST_LISTED))
        more = next(everything, None) is not None
        if more:
            random = Random(event)
            sampled = (self.sample_attempt(before, event, random) for _ in range(MOST_LISTED))
            attempts += [attempt for attempt in sampled if attempt is not None]
        answered = (
            (attempt, memo.first_step(attempt.arguments))
            for attempt in self._with_boundaries(attempts, memo)
        )
        return EventAttempts(
            tuple((attempt, first) for attempt, first in answered if first is not None),
            more or self.has_more_beyond(event),
        )

    def all_attempts(
        self, before: Snapshot, event: str
    ) -> Iterator[tuple[Attempt, PossibleStep | None]]:
        """Yield an event with all of its arguments, and the first thing that the machine may do;
        None: they do not fit.

        Args:
            before: the snapshot before it.
            event: the name of the event.

        Yields:
            Each attempt in the order of its arguments' values, with the first possible step.
        """
        for known in self._assignments(before, self.caller_arguments(event), {}):
            attempt = Attempt(event, known)
            yield attempt, self.first_step(before, attempt)

    def caller_arguments(self, event: str) -> tuple[Argument, ...]:
        """Return the arguments that the caller decides.

        Args:
            event: the name of the event.

        Returns:
            The arguments in the spec's order, those left out that are `chosen`.
        """
        return self._argument_split(event)[0]

    def has_arguments(self, event: str) -> bool:
        """Tell whether the caller decides anything.

        Args:
            event: the name of the event.

        Returns:
            Whether there is at least one.
        """
        return bool(self._argument_split(event)[0])

    def has_integers(self, event: str) -> bool:
        """Tell whether the caller decides a whole number.

        Args:
            event: the name of the event.

        Returns:
            Whether one of these arguments is an `int` or a range.
        """
        return any(
            isinstance(argument.type, IntType) for argument in self._argument_split(event)[0]
        )

    def has_more_beyond(self, event: str) -> bool:
        """Tell whether the caller decides a list or a name, of which there are others beyond the
        scope.

        Args:
            event: the name of the event.

        Returns:
            Whether one of these arguments has any in it.
        """
        return any(
            isinstance(part, ListType)
            or (isinstance(part, IdType) and part.name in self._names_beyond)
            for argument in self.caller_arguments(event)
            for part in nested_types(argument.type)
        )

    @cached_property
    def beyond_scope(self) -> AttemptFinder:
        """The same, that draws longer lists and more names than the scope has: a program may do a
        few otherwise than many.
        """
        extent = widened_extent(self.extent, self._names_beyond, longest=LONG_LIST)
        return evolve(self, extent=extent, known_attempts={})

    def sometimes_beyond(self, event: str, random: Random) -> AttemptFinder:
        """Return the finder to draw an event's arguments by: this one, or now and then the one
        beyond the scope, where there is more.

        Args:
            event: its name.
            random: what is drawn from.

        Returns:
            One of the two.
        """
        beyond = self.has_more_beyond(event) and random.random() < _BEYOND_SHARE
        return self.beyond_scope if beyond else self

    @cached_property
    def _names_beyond(self) -> Mapping[str, int]:
        """How many names `id` types have beyond the scope; those left out of which the system
        decides a value: what it decided is looked for among the scope's.
        """
        data = self.tables.machine.data
        decided = [variable.type for variable in data.variables if variable.initial is None]
        for event in self.tables.events:
            decided += [argument.type for argument in self._argument_split(event)[1]]
        fixed = {
            part.name
            for type_ in decided
            for part in nested_types(type_)
            if isinstance(part, IdType)
        }
        return {
            name: max(self.extent.sizes.get(name, 0), MANY_NAMES)
            for name, type_ in data.types
            if isinstance(type_, IdType) and name not in self.fixed_types | fixed
        }

    def _with_boundaries(self, attempts: list[Attempt], memo: _AnswerMemo) -> tuple[Attempt, ...]:
        """Return attempts, each once, and others beside where whole numbers turn."""
        every = {repr(attempt): attempt for attempt in attempts}
        if not attempts or not self.has_integers(memo.event):
            return tuple(every.values())
        types = {argument.name: argument.type for argument in self._argument_split(memo.event)[0]}
        bases = list({memo(known.arguments): known for known in reversed(attempts)}.values())[
            -_MOST_BASES:
        ]
        for base in bases:
            kinds = dict[str, set[str]]()
            for known, kind in boundary_arguments(
                base.arguments, types, self._moment_at(memo.before, {}), memo
            ):
                attempt = Attempt(memo.event, known)
                kinds.setdefault(repr(attempt), set()).add(kind)
                every.setdefault(repr(attempt), attempt)
            for key, names in kinds.items():
                every[key] = evolve(every[key], boundaries=every[key].boundaries | names)
        return tuple(every.values())

    def sample_attempt(self, before: Snapshot, event: str, random: Random) -> Attempt | None:
        """Draw an attempt from all possible arguments; None if none was found that fits.

        Args:
            before: the snapshot before it.
            event: the name of the event.
            random: what is drawn from.

        Returns:
            The attempt, or None after twenty draws that did not fit.
        """
        sample_step = self.sample_step(before, event, random)
        return None if sample_step is None else sample_step[0]

    def sample_step(
        self, before: Snapshot, event: str, random: Random
    ) -> tuple[Attempt, PossibleStep] | None:
        """Draw an attempt, and return with it the first thing that the machine may do with it.

        Args:
            before: the snapshot before it.
            event: the name of the event.
            random: what is drawn from.

        Returns:
            The attempt and the step, or None after twenty draws that did not fit.
        """
        given, _ = self._argument_split(event)
        for _ in range(MOST_SAMPLES if given else 1):
            known = dict[str, Value]()
            try:
                for argument in given:
                    known[argument.name] = sample_value(
                        argument.type, self._moment_at(before, known), random
                    )
            except NoValueToSample:
                return None
            attempt = Attempt(event, known)
            first = next(self._iterate_steps(before, attempt, is_drawn=True), None)
            if first is not None:
                return attempt, first
        return None

    def _moment_at(self, before: Snapshot, known: NamedValues) -> ValueContext:
        return ValueContext(
            self.tables.behaviour,
            self.extent,
            before.state,
            before.variables,
            before.parameters,
            known,
        )

    def possible_steps(self, before: Snapshot, attempt: Attempt) -> tuple[PossibleStep, ...]:
        """Return what the machine may do with an attempt; nothing where the arguments do not fit
        this moment.

        Args:
            before: the snapshot before it.
            attempt: the event with its arguments.

        Returns:
            One step for each choice of the system, at most 2,000.
        """
        return tuple(itertools.islice(self._iterate_steps(before, attempt), MOST_CHOICES))

    def first_step(self, before: Snapshot, attempt: Attempt) -> PossibleStep | None:
        """Return the first thing that the machine may do with an attempt.

        Args:
            before: the snapshot before it.
            attempt: the event with its arguments.

        Returns:
            The step, or None where the arguments do not fit this snapshot.
        """
        return next(self._iterate_steps(before, attempt), None)

    def _iterate_steps(
        self, before: Snapshot, attempt: Attempt, *, is_drawn: bool = False
    ) -> Iterator[PossibleStep]:
        if not self.tables.has_data:
            yield PossibleStep(before, unchecked_step(self.tables, before, attempt.event, {}), {})
            return
        chosen = self._argument_split(attempt.event)[1]
        for values in itertools.islice(
            self._assignments(before, chosen, attempt.arguments), MOST_CHOICES
        ):
            accepted = self._accepted_arguments(before, attempt.event, values, is_drawn=is_drawn)
            if accepted is not None:
                choice = {
                    name: value for name, value in values.items() if name not in attempt.arguments
                }
                yield PossibleStep(
                    before, unchecked_step(self.tables, before, attempt.event, accepted), choice
                )

    def _accepted_arguments(
        self, before: Snapshot, event: str, values: NamedValues, *, is_drawn: bool
    ) -> NamedValues | None:
        """Return arguments as the machine has them; None: they do not fit this moment.

        Args:
            before: the moment.
            event: whose arguments.
            values: of all of them.
            is_drawn: whether they were drawn from their types at this moment: then they can be
                against `where` only.
        """
        behaviour = self.tables.behaviour
        if is_drawn:
            where = behaviour.argument_condition(event)
            return (
                values
                if where is None or where(before.state, before.variables, before.parameters, values)
                else None
            )
        try:
            return behaviour.checked_arguments(before, event, values)
        except ArgumentsError:
            return None

    def system_arguments(self, event: str) -> tuple[str, ...]:
        """Return what the system decides of an event.

        Args:
            event: the name of the event.

        Returns:
            The names of the arguments that are `chosen`, in the spec's order.
        """
        return tuple(argument.name for argument in self._argument_split(event)[1])

    def _argument_split(self, event: str) -> tuple[tuple[Argument, ...], tuple[Argument, ...]]:
        """Return the arguments that the caller decides, and those that the system does."""
        if event not in self.signatures:
            arguments = (
                self.tables.behaviour.signature(event).arguments if self.tables.has_data else ()
            )
            chosen = tuple(argument for argument in arguments if argument.chosen)
            self.signatures[event] = (
                tuple(argument for argument in arguments if not argument.chosen),
                chosen,
            )
        return self.signatures[event]

    def _assignments(
        self, before: Snapshot, arguments: tuple[Argument, ...], known: NamedValues
    ) -> Iterator[NamedValues]:
        if not arguments:
            yield known
            return
        for value in enumerate_values(arguments[0].type, self._moment_at(before, known)):
            yield from self._assignments(before, arguments[1:], {**known, arguments[0].name: value})


@frozen(eq=False)
class _AnswerMemo:
    """What the machine does with arguments of one event at one moment; each asked once."""

    finder: AttemptFinder
    before: Snapshot
    event: str
    known_steps: dict[Hashable, PossibleStep | None] = field(factory=dict)

    def first_step(self, arguments: NamedValues) -> PossibleStep | None:
        """Return the first thing that the machine may do; None: these arguments do not fit."""
        key = tuple(arguments.values())
        if key not in self.known_steps:
            self.known_steps[key] = self.finder.first_step(
                self.before, Attempt(self.event, arguments)
            )
        return self.known_steps[key]

    def __call__(self, arguments: NamedValues) -> Hashable:
        """Return what tells answers apart: their kind, and the entry and case that decided."""
        first = self.first_step(arguments)
        if first is None:
            return None
        decided = first.answer.decided_by
        case = decided.case.index if isinstance(decided, Transition) and decided.case else 0
        return type(first.answer).__name__, decided.entry if decided is not None else -1, case


def sample_subject_parameters(trials: AttemptFinder, random: Random, *, wide: bool) -> NamedValues:
    """Draw the parameters of a life: those of the spec's `scope`, or any of their types.

    Args:
        trials: of the machine.
        random: what is drawn from.
        wide: whether parameters beyond the spec's `scope` are drawn too.

    Returns:
        The parameters by name; empty where the machine has none.

    Raises:
        ArgumentsError: no parameters were found that fit.
    """
    if not trials.tables.machine.data.parameters:
        return {}
    for number in range(2 * MOST_SAMPLES):
        subject_parameters = _try_parameters(trials, random, wide=wide and number < MOST_SAMPLES)
        if subject_parameters is not None:
            return subject_parameters
    raise ArgumentsError(
        f"{trials.tables.title}: no parameters were found that fit; name some in the spec's `scope`"
    )


def _try_parameters(trials: AttemptFinder, random: Random, *, wide: bool) -> NamedValues | None:
    behaviour, sampled = trials.tables.behaviour, dict[str, Value]()
    try:
        for parameter in behaviour.machine.data.parameters if wide else ():
            sampled[parameter.name] = sample_value(
                parameter.type, ValueContext(behaviour, trials.extent, "", {}, sampled, {}), random
            )
        return (
            behaviour.checked_parameters(sampled)
            if wide
            else sample_parameters(behaviour, trials.extent, random, {})
        )
    except (ArgumentsError, NoValueToSample):
        return None
