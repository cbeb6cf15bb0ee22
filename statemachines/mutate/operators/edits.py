"""A small change of a spec, and the spec and the machine that it makes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Literal

from attrs import evolve, field, frozen

from statemachines.model.definitions.data_definitions import Definition, MachineData
from statemachines.model.definitions.machine_definitions import (
    Event,
    MachineDefinition,
    Otherwise,
    SpecDefinition,
    Transition,
)
from statemachines.model.definitions.system_definitions import Link
from statemachines.model.language.expression_nodes import Expression
from statemachines.mutate.operators.definition_uses import (
    event_expressions,
    initial_expressions,
    used_definitions,
)


@frozen
class ConditionEdit:
    """A condition of a machine's data, and its replacement in every release that has it."""

    key: Literal["where", "initially"]
    """Of parameters, or of beginnings."""
    original: Expression
    replacement: Expression | None

    def applied_to(self, data: MachineData) -> MachineData:
        """Return data with the other condition; data that has another one already stays.

        Args:
            data: of one release.

        Returns:
            New data, or the same.
        """
        if self.key == "where":
            return evolve(data, where=self.replacement) if data.where == self.original else data
        return evolve(data, initially=self.replacement) if data.initially == self.original else data


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
    initial_values: Mapping[str, Expression] = field(factory=dict)
    """Variable to its first value."""
    events: Mapping[int, Event] = field(factory=dict)
    """Place in the spec's list to what stands there instead."""
    definition: tuple[Definition, Definition] | None = None
    """One, and what stands in its place in every release that has it."""
    condition: ConditionEdit | None = None
    """What the world guarantees of parameters or beginnings."""
    links: Mapping[int, Link | None] = field(factory=dict)
    """Of a system: place in its list to what stands there instead; None: nothing."""
    parted: str = ""
    """Of a system: a variable that several parts have in common, and now each has its own."""

    @property
    def changes_initial_snapshots(self) -> bool:
        """Whether instances may begin otherwise."""
        return (
            self.initial is not None
            or bool(self.initial_values)
            or self.definition is not None
            or self.condition is not None
        )


def mutated_spec(spec: SpecDefinition, edit: Edit) -> SpecDefinition:
    """Return a spec with a change; events stay that no transition mentions any more.

    Args:
        spec: in all of its releases.
        edit: the change.

    Returns:
        A new spec.
    """
    touched = _touched_transitions(spec, edit)
    transitions = (
        *(
            _with_type_checks(transition, touched)
            for transition in _with_replacements(spec.transitions, edit.transitions)
        ),
        *edit.added,
    )
    declared = {event.name for event in spec.events}
    lost = dict[str, Event]()
    for index, transition in enumerate(spec.transitions):
        if index in edit.transitions and transition.event not in declared:
            known = lost.get(transition.event)
            lost[transition.event] = Event(
                transition.event, releases=transition.releases | (known.releases if known else 0)
            )
    return evolve(
        spec,
        states=tuple(_with_initial_states(state, edit) for state in spec.states),
        transitions=transitions,
        otherwise=tuple(_with_replacements(spec.otherwise, edit.otherwise)),
        events=(*_with_replacements(spec.events, edit.events), *lost.values()),
        data=edited_data(spec.data, edit),
        versions=tuple((releases, edited_data(data, edit)) for releases, data in spec.versions),
    )


def mutated_machine(
    machine: MachineDefinition, spec: SpecDefinition, edit: Edit
) -> MachineDefinition:
    """Return a machine with a change; what is not changed stays the very same value.

    Args:
        machine: of the spec, in one release.
        spec: where the places of the change are counted.
        edit: the change; what it says of other releases is left out.

    Returns:
        A new machine.
    """
    bit, touched = spec.family.bit(machine.release), _touched_transitions(spec, edit)
    transitions = [
        _with_type_checks(transition, touched)
        for transition in _in_release(spec.transitions, machine.transitions, edit.transitions, bit)
    ]
    transitions += [
        evolve(transition, releases=1) for transition in edit.added if transition.releases & bit
    ]
    known = {event.name for event in machine.events}
    new = dict.fromkeys(
        transition.event for transition in transitions if transition.event not in known
    )
    return evolve(
        machine,
        states=tuple(_with_initial_states(state, edit) for state in machine.states),
        transitions=tuple(transitions),
        otherwise=tuple(_in_release(spec.otherwise, machine.otherwise, edit.otherwise, bit)),
        events=(
            *(_edited_event(spec, event, edit, bit) for event in machine.events),
            *map(Event, new),
        ),
        data=edited_data(machine.data, edit),
    )


_TransitionTest = Callable[[Transition], bool]


def _touched_transitions(spec: SpecDefinition, edit: Edit) -> _TransitionTest:
    """Return what tells the transitions of operations of which something changes; a definition may
    be used by every one.
    """
    operations = frozenset(
        (spec.transitions[index].entry, spec.transitions[index].event) for index in edit.transitions
    )
    events = frozenset(spec.events[index].name for index in edit.events)
    if edit.definition is not None:
        events |= _events_using(spec, edit.definition[0])
    return lambda transition: (
        edit.condition is not None
        or transition.event in events
        or (transition.entry, transition.event) in operations
    )


def _events_using(spec: SpecDefinition, definition: Definition) -> frozenset[str]:
    """Return the events of which something rests on a definition, in some release; all of them
    where a beginning does.
    """
    events_using = set[str]()
    names = {transition.event for transition in spec.transitions if transition.case is not None}
    for data in [data for _, data in spec.versions] or [spec.data]:
        if definition.name in used_definitions(data, initial_expressions(data)):
            return frozenset(names)
        events_using |= {
            name
            for name in names
            if definition.name in used_definitions(data, event_expressions(spec, name, data))
        }
    return frozenset(events_using)


def _with_type_checks(transition: Transition, touched: _TransitionTest) -> Transition:
    """Have each step look at the types of what an operation assigns: what showed them may be gone,
    in its other cases too.
    """
    if (
        transition.case is None
        or not any(assignment.proved for assignment in transition.case.effect)
        or not touched(transition)
    ):
        return transition
    effect = tuple(evolve(assignment, proved=False) for assignment in transition.case.effect)
    return evolve(transition, case=evolve(transition.case, effect=effect))


def _with_replacements(things: Iterable[Any], changes: Mapping[int, Any]) -> Iterator[Any]:
    chosen = (changes.get(index, thing) for index, thing in enumerate(things))
    return (thing for thing in chosen if thing is not None)


def _in_release(
    entries: Iterable[Any], there: Iterable[Any], changes: Mapping[int, Any], bit: int
) -> Iterator[Any]:
    """Yield what a release has of a spec's things after a change, those that do not change as the
    machine has them.
    """
    remaining = iter(there)
    for index, thing in enumerate(entries):
        own = next(remaining) if thing.releases & bit else None
        if index not in changes:
            if own is not None:
                yield own
        elif changes[index] is not None and changes[index].releases & bit:
            yield evolve(changes[index], releases=1)


def _with_initial_states(state: Any, edit: Edit) -> Any:
    return state if edit.initial is None else evolve(state, initial=state.name in edit.initial)


def _edited_event(spec: SpecDefinition, event: Event, edit: Edit, bit: int) -> Event:
    for index, other in edit.events.items():
        if spec.events[index].name == event.name and spec.events[index].releases & bit:
            return evolve(other, releases=1)
    return event


def edited_data(data: MachineData, edit: Edit) -> MachineData:
    """Return data with a change; a definition or condition that it has otherwise, in another
    release, stays.

    Args:
        data: of one release.
        edit: the change.

    Returns:
        New data, or the same.
    """
    data = _with_initial_values(data, edit)
    if edit.definition is not None:
        one, other = edit.definition
        if one in data.definitions:
            data = evolve(
                data,
                definitions=tuple(
                    other if definition == one else definition for definition in data.definitions
                ),
            )
    return data if edit.condition is None else edit.condition.applied_to(data)


def _with_initial_values(data: MachineData, edit: Edit) -> MachineData:
    if not edit.initial_values:
        return data
    named = {
        name: value
        for name, value in edit.initial_values.items()
        if data.variable(name) is not None
    }
    variables = tuple(
        evolve(variable, initial=named[variable.name]) if variable.name in named else variable
        for variable in data.variables
    )
    return evolve(data, variables=variables) if named else data
