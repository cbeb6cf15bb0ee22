"""All arguments of an event at a moment, in the order of its types, drawn as seldom as can be."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

from attrs import define, field

from statemachines.model.definitions.data_definitions import Argument
from statemachines.model.definitions.snapshots import NamedValues, Snapshot, Value
from statemachines.model.language.expression_nodes import Name, NameKind, type_sets
from statemachines.semantics.evaluation.behaviour import Behaviour
from statemachines.semantics.evaluation.compiler import Evaluator
from statemachines.semantics.machine.value_enumeration import (
    DomainSizes,
    ValueContext,
    enumerate_values,
)

ARGUMENTS_BETWEEN_CHECKS = 512
"""Arguments after which limits are looked at again."""
_MOST_REMEMBERED = 100_000
"""Values of arguments that are remembered, all together, by what their types look at."""
_MOST_ARGUMENTS = 250_000
"""Arguments of one event at one moment beyond which the others are left out, and the search says
so.
"""


def check_nothing() -> None:
    """Look at no limit: as long as nobody says where to end."""


@define(eq=False)
class ArgumentEnumeration:
    """The arguments of one event."""

    behaviour: Behaviour
    extent: DomainSizes
    arguments: tuple[Argument, ...]
    independent_groups: tuple[tuple[int, int], ...]
    """Neighbours (from, to) none of which depends on another of them: their values are drawn once,
    and multiplied.
    """
    type_names: tuple[tuple[Name, ...], ...]
    """Of each argument, what its type looks at: its values are drawn once for what that is."""
    where: Evaluator | None
    given: NamedValues = field(factory=dict)
    """Arguments that have one value only."""
    known_values: dict[tuple[object, ...], tuple[Value, ...]] = field(factory=dict)
    """By an argument's place and what its type looks at."""
    remembered: int = 0
    """Values that are remembered, all together."""
    most: int = _MOST_ARGUMENTS
    is_truncated: bool = False
    """Whether there were more, some time."""
    check_limits: Callable[[], None] = check_nothing
    """Called now and then: whoever explores looks at limits there."""

    def bounds(self, event: str) -> Iterator[str]:
        """Yield that there were more arguments of an event than were gone through, where it is so.

        Args:
            event: as a person calls it.

        Yields:
            One sentence at most.
        """
        if self.is_truncated:
            many = f"`{event}` has more than {self.most:,} arguments somewhere"
            yield f"{many}; the others were not looked at"

    def arguments_at(self, now: Snapshot) -> Iterator[NamedValues]:
        """Yield all arguments at a moment, those against `where` left out; no more than `most` are
        gone through.

        Args:
            now: where the machine is.

        Yields:
            Arguments by name, each combination once.
        """
        where = self.where
        for number, arguments in enumerate(self._assignments_from(0, now, {})):
            if number == self.most:
                self.is_truncated = True
                return
            if number % ARGUMENTS_BETWEEN_CHECKS == ARGUMENTS_BETWEEN_CHECKS - 1:
                self.check_limits()
            if where is None or where(now.state, now.variables, now.parameters, arguments):
                yield arguments

    def factors(self, now: Snapshot) -> tuple[tuple[Value, ...], ...] | None:
        """Return the values of each argument, where all their combinations are its arguments; None
        where some are left out, or the values of one depend on another.

        Args:
            now: where the machine is.

        Returns:
            A tuple of values for each argument, in the order of the signature.
        """
        if self.where is not None or len(self.independent_groups) > 1:
            return None
        return tuple(self._argument_values(index, now, {}) for index in range(len(self.arguments)))

    def _assignments_from(
        self, group: int, now: Snapshot, arguments: dict[str, Value]
    ) -> Iterator[dict[str, Value]]:
        if group == len(self.independent_groups):
            yield arguments
            return
        begin, end = self.independent_groups[group]
        names = [argument.name for argument in self.arguments[begin:end]]
        last = group + 1 == len(self.independent_groups)
        for values in itertools.product(
            *(self._argument_values(index, now, arguments) for index in range(begin, end))
        ):
            following = {**arguments, **dict(zip(names, values, strict=True))}
            if last:
                yield following
            else:
                yield from self._assignments_from(group + 1, now, following)

    def _argument_values(
        self, index: int, now: Snapshot, arguments: dict[str, Value]
    ) -> tuple[Value, ...]:
        key = index, *(_named_value(name, now, arguments) for name in self.type_names[index])
        argument_values = self.known_values.get(key)
        if argument_values is None:
            argument_values = self._enumerated_values(index, now, arguments)
            self._remember(key, argument_values)
        name = self.arguments[index].name
        if name in self.given:
            return tuple(value for value in argument_values if value == self.given[name])
        return argument_values

    def _enumerated_values(
        self, index: int, now: Snapshot, arguments: dict[str, Value]
    ) -> tuple[Value, ...]:
        moment = ValueContext(
            self.behaviour, self.extent, now.state, now.variables, now.parameters, arguments
        )
        every = enumerate_values(self.arguments[index].type, moment)
        enumerated_values = tuple(itertools.islice(every, self.most + 1))
        if len(enumerated_values) > self.most:
            self.is_truncated, enumerated_values = True, enumerated_values[: self.most]
        return enumerated_values

    def _remember(self, key: tuple[object, ...], values: tuple[Value, ...]) -> None:
        if self.remembered > _MOST_REMEMBERED:
            self.known_values.clear()
            self.remembered = 0
        self.known_values[key] = values
        self.remembered += 1 + len(values)


def _named_value(name: Name, now: Snapshot, arguments: dict[str, Value]) -> Value:
    """Return what a name stands for in the type of an argument."""
    match name.kind:
        case NameKind.ARGUMENT:
            return arguments[name.name]
        case NameKind.VARIABLE:
            return now.variables[name.name]
        case NameKind.PARAMETER:
            return now.parameters[name.name]
    assert name.kind is NameKind.STATE
    return now.state


def build_enumeration(
    behaviour: Behaviour, extent: DomainSizes, event: str, most: int = _MOST_ARGUMENTS
) -> ArgumentEnumeration:
    """Return how the arguments of an event are drawn.

    Args:
        behaviour: of the machine.
        extent: how many values types have.
        event: its name.
        most: how many are gone through at one moment, those against `where` too.

    Returns:
        What yields them; kept for a machine and asked at each moment.
    """
    arguments = behaviour.signature(event).arguments
    names = [behaviour.compiler.all_used_names(type_sets(argument.type)) for argument in arguments]
    needs = [
        {name.name for name in names_read if name.kind is NameKind.ARGUMENT} for names_read in names
    ]
    groups, begin = list[tuple[int, int]](), 0
    for index in range(len(arguments)):
        if needs[index] & {argument.name for argument in arguments[begin:index]}:
            groups.append((begin, index))
            begin = index
    if arguments:
        groups.append((begin, len(arguments)))
    return ArgumentEnumeration(
        behaviour,
        extent,
        arguments,
        tuple(groups),
        tuple(map(tuple, names)),
        behaviour.argument_condition(event),
        most=most,
    )
