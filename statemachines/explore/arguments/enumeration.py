"""All arguments of an event at a moment, drawn as seldom as can be: what `enumerate_arguments`
yields, in the same order.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

from attrs import define, field

from statemachines.explore.arguments.value_sampling import NamedValues
from statemachines.explore.resources.limits import check_nothing
from statemachines.model.definitions.data_definitions import Argument
from statemachines.model.definitions.snapshots import Snapshot, Value
from statemachines.model.language.expression_nodes import NameKind, type_sets
from statemachines.semantics.evaluation.behaviour import Behaviour
from statemachines.semantics.evaluation.compiler import Evaluator
from statemachines.semantics.machine.value_enumeration import (
    DomainSizes,
    ValueContext,
    enumerate_values,
)

ARGUMENTS_BETWEEN_CHECKS = 512
"""Arguments after which limits are looked at again."""
_MOST_ARGUMENTS = 250_000
"""Arguments of one event at one moment beyond which the others are left out, and the search says
so.
"""


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
    constant_arguments: frozenset[int]
    """Places of arguments whose types depend on nothing: their values are drawn once for all."""
    where: Evaluator | None
    known_values: dict[int, tuple[Value, ...]] = field(factory=dict)
    most: int = _MOST_ARGUMENTS
    is_truncated: bool = False
    """Whether there were more, some time."""
    check_limits: Callable[[], None] = check_nothing
    """Called now and then: whoever explores looks at limits there."""

    def arguments_at(self, now: Snapshot) -> Iterator[NamedValues]:
        """Yield all arguments at a moment, those against `where` left out; no more than `most` are
        gone through.
        """
        where = self.where
        for number, one in enumerate(self._assignments_from(0, now, {})):
            if number == self.most:
                self.is_truncated = True
                return
            if number % ARGUMENTS_BETWEEN_CHECKS == ARGUMENTS_BETWEEN_CHECKS - 1:
                self.check_limits()
            if where is None or where(now.state, now.variables, now.parameters, one):
                yield one

    def _assignments_from(
        self, group: int, now: Snapshot, drawn: dict[str, Value]
    ) -> Iterator[dict[str, Value]]:
        if group == len(self.independent_groups):
            yield drawn
            return
        begin, end = self.independent_groups[group]
        names = [argument.name for argument in self.arguments[begin:end]]
        last = group + 1 == len(self.independent_groups)
        for values in itertools.product(
            *(self._argument_values(index, now, drawn) for index in range(begin, end))
        ):
            following = {**drawn, **dict(zip(names, values, strict=True))}
            if last:
                yield following
            else:
                yield from self._assignments_from(group + 1, now, following)

    def _argument_values(
        self, index: int, now: Snapshot, drawn: dict[str, Value]
    ) -> tuple[Value, ...]:
        found = self.known_values.get(index)
        if found is None:
            moment = ValueContext(
                self.behaviour, self.extent, now.state, now.variables, now.parameters, drawn
            )
            found = tuple(
                itertools.islice(
                    enumerate_values(self.arguments[index].type, moment), self.most + 1
                )
            )
            if len(found) > self.most:
                self.is_truncated, found = True, found[: self.most]
            if index in self.constant_arguments:
                self.known_values[index] = found
        return found


def build_enumeration(behaviour: Behaviour, extent: DomainSizes, event: str) -> ArgumentEnumeration:
    """Return how the arguments of an event are drawn."""
    arguments = behaviour.signature(event).arguments
    names = [behaviour.compiler.all_used_names(type_sets(argument.type)) for argument in arguments]
    needs = [{name.name for name in each if name.kind is NameKind.ARGUMENT} for each in names]
    fixed = frozenset(
        index for index, argument in enumerate(arguments) if not type_sets(argument.type)
    )
    groups, begin = list[tuple[int, int]](), 0
    for index in range(len(arguments)):
        if needs[index] & {argument.name for argument in arguments[begin:index]}:
            groups.append((begin, index))
            begin = index
    if arguments:
        groups.append((begin, len(arguments)))
    return ArgumentEnumeration(
        behaviour, extent, arguments, tuple(groups), fixed, behaviour.argument_condition(event)
    )
