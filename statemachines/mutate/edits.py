"""A small change of a spec, and the spec and the machine that it makes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from attrs import evolve, field, frozen

from statemachines.model.data import Data
from statemachines.model.expressions import Expression
from statemachines.model.machines import Event, Machine, Otherwise, Spec, Transition


@frozen
class Edit:
    """What is changed; everything else stays as it is, the same values."""

    transitions: Mapping[int, Transition | None] = field(factory=dict)
    """Place in the spec's list to what stands there instead; None: nothing."""
    added: tuple[Transition, ...] = ()
    """New ones, behind all others."""
    otherwise: Mapping[int, Otherwise | None] = field(factory=dict)
    """Place in the spec's list to what stands there instead; None: nothing."""
    initial: frozenset[str] | None = None
    """The states in which instances begin; None: those of the spec."""
    first_values: Mapping[str, Expression] = field(factory=dict)
    """Variable to its first value."""

    @property
    def moves_beginnings(self) -> bool:
        """Whether instances begin otherwise."""
        return self.initial is not None or bool(self.first_values)


def mutated_spec(spec: Spec, edit: Edit) -> Spec:
    """Return a spec with a change; its events stay, even one that no transition mentions any more."""
    touched = _touched(spec, edit)
    transitions = (*(_looked_at(arrow, touched) for arrow in _replaced(spec.transitions, edit.transitions)), *edit.added)
    declared = {event.name for event in spec.events}
    lost = dict[str, Event]()
    for place, arrow in enumerate(spec.transitions):
        if place in edit.transitions and arrow.event not in declared:
            known = lost.get(arrow.event)
            lost[arrow.event] = Event(arrow.event, releases=arrow.releases | (known.releases if known else 0))
    return evolve(
        spec,
        states=tuple(_begun(state, edit) for state in spec.states),
        transitions=transitions,
        otherwise=tuple(_replaced(spec.otherwise, edit.otherwise)),
        events=(*spec.events, *lost.values()),
        data=_with_first_values(spec.data, edit),
        versions=tuple((releases, _with_first_values(data, edit)) for releases, data in spec.versions),
    )


def mutated_machine(machine: Machine, spec: Spec, edit: Edit) -> Machine:
    """Return a machine with a change; what is not changed stays the very same value.

    Args:
        machine: of the spec, in one release.
        spec: where the places of the change are counted.
        edit: the change; what it says of other releases is left out.
    """
    bit, touched = spec.family.bit(machine.release), _touched(spec, edit)
    transitions = [_looked_at(arrow, touched) for arrow in _there(spec.transitions, machine.transitions, edit.transitions, bit)]
    transitions += [evolve(arrow, releases=1) for arrow in edit.added if arrow.releases & bit]
    known = {event.name for event in machine.events}
    new = dict.fromkeys(arrow.event for arrow in transitions if arrow.event not in known)
    return evolve(
        machine,
        states=tuple(_begun(state, edit) for state in machine.states),
        transitions=tuple(transitions),
        otherwise=tuple(_there(spec.otherwise, machine.otherwise, edit.otherwise, bit)),
        events=(*machine.events, *map(Event, new)),
        data=_with_first_values(machine.data, edit),
    )


def _touched(spec: Spec, edit: Edit) -> frozenset[tuple[int, str]]:
    """Return the operations (entry, event) of which something changes."""
    return frozenset((spec.transitions[place].entry, spec.transitions[place].event) for place in edit.transitions)


def _looked_at(arrow: Transition, touched: frozenset[tuple[int, str]]) -> Transition:
    """Have each step look at the types of what an operation assigns: what showed them may be gone, in its other cases too."""
    if arrow.case is None or (arrow.entry, arrow.event) not in touched or not any(one.shown for one in arrow.case.effect):
        return arrow
    effect = tuple(evolve(one, shown=False) for one in arrow.case.effect)
    return evolve(arrow, case=evolve(arrow.case, effect=effect))


def _replaced(things: Iterable[Any], changes: Mapping[int, Any]) -> Iterator[Any]:
    chosen = (changes.get(place, thing) for place, thing in enumerate(things))
    return (thing for thing in chosen if thing is not None)


def _there(said: Iterable[Any], there: Iterable[Any], changes: Mapping[int, Any], bit: int) -> Iterator[Any]:
    """Yield what a release has of a spec's things after a change, those that do not change as the machine has them."""
    kept = iter(there)
    for place, thing in enumerate(said):
        own = next(kept) if thing.releases & bit else None
        if place not in changes:
            if own is not None:
                yield own
        elif changes[place] is not None and changes[place].releases & bit:
            yield evolve(changes[place], releases=1)


def _begun(state: Any, edit: Edit) -> Any:
    return state if edit.initial is None else evolve(state, initial=state.name in edit.initial)


def _with_first_values(data: Data, edit: Edit) -> Data:
    if not edit.first_values:
        return data
    named = {name: value for name, value in edit.first_values.items() if data.variable(name) is not None}
    variables = tuple(evolve(one, initial=named[one.name]) if one.name in named else one for one in data.variables)
    return evolve(data, variables=variables) if named else data
