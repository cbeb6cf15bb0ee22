"""All arguments of an event at a moment, drawn as seldom as can be: what `drawing.all_arguments` yields, in the same order."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

from attrs import define, field

from statemachines.explore.drawing import Values
from statemachines.explore.limits import unlimited
from statemachines.model.data import Argument
from statemachines.model.expressions import Kind, sets_in_type
from statemachines.model.snapshots import Snapshot, Value
from statemachines.semantics.behaviour import Behaviour
from statemachines.semantics.choices import Extent, Moment, values_of
from statemachines.semantics.compile import Evaluate

OFTEN = 512
"""Arguments after which limits are looked at again."""
MOST = 250_000
"""Arguments of one event at one moment beyond which the others are left out, and the search says so."""


@define(eq=False)
class Draws:
    """The arguments of one event."""

    behaviour: Behaviour
    extent: Extent
    arguments: tuple[Argument, ...]
    groups: tuple[tuple[int, int], ...]
    """Neighbours (from, to) none of which depends on another of them: their values are drawn once, and multiplied."""
    fixed: frozenset[int]
    """Places of arguments whose types depend on nothing: their values are drawn once for all."""
    where: Evaluate | None
    known: dict[int, tuple[Value, ...]] = field(factory=dict)
    most: int = MOST
    cut: bool = False
    """Whether there were more, some time."""
    spend: Callable[[], None] = unlimited
    """Called now and then: whoever explores looks at limits there."""

    def of(self, now: Snapshot) -> Iterator[Values]:
        """Yield all arguments at a moment, those against `where` left out; no more than `most` are gone through."""
        where = self.where
        for number, one in enumerate(self._from(0, now, {})):
            if number == self.most:
                self.cut = True
                return
            if number % OFTEN == OFTEN - 1:
                self.spend()
            if where is None or where(now.state, now.variables, now.parameters, one):
                yield one

    def _from(self, group: int, now: Snapshot, drawn: dict[str, Value]) -> Iterator[dict[str, Value]]:
        if group == len(self.groups):
            yield drawn
            return
        begin, end = self.groups[group]
        names = [argument.name for argument in self.arguments[begin:end]]
        last = group + 1 == len(self.groups)
        for values in itertools.product(*(self._values(place, now, drawn) for place in range(begin, end))):
            following = {**drawn, **dict(zip(names, values, strict=True))}
            if last:
                yield following
            else:
                yield from self._from(group + 1, now, following)

    def _values(self, place: int, now: Snapshot, drawn: dict[str, Value]) -> tuple[Value, ...]:
        found = self.known.get(place)
        if found is None:
            moment = Moment(self.behaviour, self.extent, now.state, now.variables, now.parameters, drawn)
            found = tuple(itertools.islice(values_of(self.arguments[place].type, moment), self.most + 1))
            if len(found) > self.most:
                self.cut, found = True, found[: self.most]
            if place in self.fixed:
                self.known[place] = found
        return found


def draws_of(behaviour: Behaviour, extent: Extent, event: str) -> Draws:
    """Return how the arguments of an event are drawn."""
    arguments = behaviour.signature(event).arguments
    names = [behaviour.compiler.names_of(sets_in_type(argument.type)) for argument in arguments]
    needs = [{name.name for name in each if name.kind is Kind.ARGUMENT} for each in names]
    fixed = frozenset(place for place, argument in enumerate(arguments) if not sets_in_type(argument.type))
    groups, begin = list[tuple[int, int]](), 0
    for place in range(len(arguments)):
        if needs[place] & {argument.name for argument in arguments[begin:place]}:
            groups.append((begin, place))
            begin = place
    if arguments:
        groups.append((begin, len(arguments)))
    return Draws(behaviour, extent, arguments, tuple(groups), fixed, behaviour.where(event))
