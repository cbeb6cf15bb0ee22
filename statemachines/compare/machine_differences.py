"""What changed between two machines in behaviour: states, transitions, what becomes of other
requests, log lines; each with a trace.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from attrs import evolve, frozen

from statemachines.compare.fallback_changes import answer_changes, request_changes
from statemachines.compare.lockstep import Lockstep, walk_in_lockstep
from statemachines.compare.machine_changes import (
    ChangeKind,
    ChangeSign,
    MachineChange,
    keyed_changes,
)
from statemachines.compare.transition_changes import transition_changes
from statemachines.model.definitions.data_definitions import Parameter, Variable
from statemachines.model.definitions.log_definitions import LineDefinition
from statemachines.model.definitions.machine_definitions import (
    MachineDefinition,
)


@frozen
class MachineDifference:
    """All that changed between two machines."""

    old: MachineDefinition
    new: MachineDefinition
    changes: tuple[MachineChange, ...]
    bounded: bool = False
    """Whether the two were not walked together to the end: a change may lack its trace."""

    @property
    def same_behaviour(self) -> bool | None:
        """Whether no run tells the two apart; None where not all runs were looked at."""
        if any(change.divergence is not None for change in self.changes):
            return False
        return None if self.bounded else True


def compare_machines(old: MachineDefinition, new: MachineDefinition) -> MachineDifference:
    """Compare two machines: two releases of one, or two specs.

    Args:
        old: what was.
        new: what is.

    Returns:
        The changes, in the order of `ChangeKind`, then the author's. Each is shown by a shortest
        run: one of the two takes its last event and the other does not, or they answer it
        otherwise.
    """
    together = walk_in_lockstep(old, new)
    changes = [
        *_state_changes(old, new, together),
        *_data_changes(old, new, together),
        *transition_changes(old, new, together),
        *request_changes(old, new, together),
    ]
    changes += [
        *answer_changes(changes, together),
        *_predicate_changes(old, new),
        *_property_changes(old, new),
        *_line_changes(old, new),
    ]
    return MachineDifference(old, new, tuple(changes), together.bounded)


def _state_changes(
    old: MachineDefinition, new: MachineDefinition, together: Lockstep
) -> Iterator[MachineChange]:
    before, after = ({state.name: state for state in machine.states} for machine in (old, new))
    for name, state in after.items():
        if name not in before:
            yield MachineChange(
                ChangeKind.STATE,
                ChangeSign.ADDED,
                name,
                together.run_entering(name, of_new=True),
                state.doc,
            )
    for name, state in before.items():
        if name not in after:
            yield MachineChange(
                ChangeKind.STATE,
                ChangeSign.REMOVED,
                name,
                together.run_entering(name, of_new=False),
                state.doc,
            )
        else:
            for word, was, now in (
                ("initial", state.initial, after[name].initial),
                ("final", state.final, after[name].final),
            ):
                if was != now:
                    parting = (
                        together.run_starting_in(name, of_new=now) if word == "initial" else None
                    )
                    yield MachineChange(
                        ChangeKind.STATE,
                        ChangeSign.CHANGED,
                        f"{name} is {'now' if now else 'no longer'} {word}",
                        parting,
                    )


def _data_changes(
    old: MachineDefinition, new: MachineDefinition, together: Lockstep
) -> Iterator[MachineChange]:
    """Yield which parameters and variables came, went, or have another type or first value."""
    before, after = (
        {
            declared.name: (_type_text(declared), evolve(declared, doc=""))
            for declared in _declared_data(machine)
        }
        for machine in (old, new)
    )
    yield from keyed_changes(
        ChangeKind.DATA, before, after, lambda name, texts: f"{name}: {texts[0]}"
    )
    if together.start_divergence is not None:
        yield MachineChange(
            ChangeKind.DATA,
            ChangeSign.CHANGED,
            "instances begin with other values",
            together.start_divergence,
        )


def _declared_data(machine: MachineDefinition) -> tuple[Parameter | Variable, ...]:
    return (*machine.data.parameters, *machine.data.variables)


def _type_text(parameter: Parameter | Variable) -> str:
    return str(parameter.type)


def _predicate_changes(old: MachineDefinition, new: MachineDefinition) -> Iterator[MachineChange]:
    before, after = (
        {predicate.name: predicate.states for predicate in machine.predicates}
        for machine in (old, new)
    )
    yield from keyed_changes(
        ChangeKind.PREDICATE, before, after, lambda name, states: f"{name}: {', '.join(states)}"
    )


def _property_changes(old: MachineDefinition, new: MachineDefinition) -> Iterator[MachineChange]:
    before, after = (
        {
            f"{property_.kind.value} {property_.name}": evolve(property_, doc="")
            for property_ in machine.data.properties
        }
        for machine in (old, new)
    )
    yield from keyed_changes(ChangeKind.PROPERTY, before, after, lambda name, _: name)


def _line_changes(old: MachineDefinition, new: MachineDefinition) -> Iterator[MachineChange]:
    before, after = (
        dict(_template_texts(machine.log.lines if machine.log else ())) for machine in (old, new)
    )
    yield from keyed_changes(
        ChangeKind.LINE, before, after, lambda key, message: f"{message}: {key}"
    )


def _template_texts(lines: Iterable[LineDefinition]) -> Iterator[tuple[str, str]]:
    """Yield every wording with what it says and how loud."""
    for line in lines:
        message = " or ".join(kind.value for kind in line.kinds) + (
            f" ({line.level})" if line.level else ""
        )
        yield from ((template.text, message) for template in line.templates)
