"""Machines and systems as what is tried out: what may be taken, why the rest may not, and what
becomes of it.
"""

from __future__ import annotations

from collections.abc import Iterable

from attrs import define, field

from statemachines.explore.models.model_protocol import Model
from statemachines.explore.models.system_model import build_system_model
from statemachines.explore.results.run_traces import TraceStep
from statemachines.explore.scopes import (
    ExplorationScope,
    scope_extent,
    scoped_initial_snapshots,
)
from statemachines.model.definitions.data_definitions import PropertyKind
from statemachines.model.definitions.machine_definitions import MachineDefinition, Transition
from statemachines.model.definitions.snapshots import (
    Ignored,
    NamedValues,
    Raised,
    Refused,
    Snapshot,
    Value,
)
from statemachines.model.definitions.system_definitions import SystemDefinition, SystemSnapshot
from statemachines.report.exploration.abstract_rows import snapshot_text
from statemachines.report.exploration.enabled_events import (
    DisabledEvent,
    EnabledEvent,
    event_choices,
)
from statemachines.report.exploration.exploration_report import (
    outcome_text,
)
from statemachines.report.exploration.interactive_session import SessionChoice, SessionModel
from statemachines.report.exploration.scope_texts import scope_from_texts
from statemachines.report.exploration.system_run_texts import delivery_text, system_snapshot_text
from statemachines.report.exploration.system_run_texts import system_outcome_text as system_became
from statemachines.report.specs.descriptions import enabling_condition
from statemachines.semantics.machine.initial_snapshots import initial_snapshots
from statemachines.semantics.machine.machine_tables import machine_tables
from statemachines.semantics.machine.step import step
from statemachines.semantics.messages.value_text import format_literal
from statemachines.semantics.system.system_step import step_system
from statemachines.semantics.system.system_tables import system_tables

MOST_CHOICES = 6
"""Arguments of one event that are listed."""


def session_model(
    value: MachineDefinition | SystemDefinition, texts: Iterable[str]
) -> SessionModel:
    """Return a machine or a system to try out.

    Args:
        value: in one release.
        texts: of a scope, such as `Task=3,int=0..3`; see `scope_from_texts`.

    Returns:
        What an `InteractiveSession` asks.

    Raises:
        ArgumentsError: the scope does not fit, or nothing begins.
    """
    if isinstance(value, SystemDefinition):
        return _SystemSession(value, scope_from_texts(value, texts))
    scope = scope_from_texts(value, texts)
    scope_extent(machine_tables(value).behaviour, scope)
    return _MachineSession(value, scope)


@define
class _MachineSession:
    """A machine that is tried out; see `SessionModel`."""

    machine: MachineDefinition
    scope: ExplorationScope

    def initial_snapshots(self) -> list[object]:
        """Return where it may begin: with the parameters of its scope where it has some, else with
        the first ones.
        """
        tables = machine_tables(self.machine)
        if not self.machine.data.parameters:
            return list(initial_snapshots(tables))
        return list(
            scoped_initial_snapshots(
                tables.behaviour, scope_extent(tables.behaviour, self.scope), self.scope
            )
        )

    def snapshot_line(self, now: object) -> str:
        """Write a snapshot."""
        assert isinstance(now, Snapshot)
        return snapshot_text(now)

    def choices(self, now: object) -> tuple[list[SessionChoice], list[tuple[str, str]]]:
        """Return what may be taken, and why not the rest."""
        assert isinstance(now, Snapshot)
        tables = machine_tables(self.machine)
        within = scope_extent(tables.behaviour, self.scope)
        choices, others = list[SessionChoice](), list[tuple[str, str]]()
        for choice in event_choices(tables, within, now):
            if isinstance(choice, DisabledEvent):
                others.append((choice.event, disabled_reason(self.machine, now, choice)))
                continue
            for arguments, answer in choice.choices[:MOST_CHOICES]:
                choices.append(
                    SessionChoice(
                        _call_text(choice.event, arguments),
                        outcome_text(now, answer),
                        (choice.event, arguments),
                    )
                )
            if len(choice.choices) > MOST_CHOICES or choice.has_more:
                choices[-1] = _with_more_note(choices[-1], choice)
        return choices, others

    def broken_properties(self, now: object) -> list[str]:
        """Return the rules that do not hold."""
        assert isinstance(now, Snapshot)
        evaluate = machine_tables(self.machine).behaviour.evaluator
        return [
            property_.name
            for property_ in self.machine.data.properties
            if property_.kind is PropertyKind.ALWAYS
            and property_.holds
            and not property_.needs_scope
            and not evaluate(property_.holds)(now.state, now.variables, now.parameters)
        ]

    def take(self, now: object, choice: object) -> tuple[object, str]:
        """Take an event with its arguments."""
        assert isinstance(choice, tuple)
        return self.request(now, choice[0], None, choice[1])

    def request(
        self, now: object, name: str, key: Value, arguments: NamedValues
    ) -> tuple[object, str]:
        """Ask for an event; arguments are looked at."""
        assert isinstance(now, Snapshot)
        answer = step(self.machine, now, name, **arguments)
        return answer.after, f"{_call_text(name, arguments)}   {outcome_text(now, answer)}"


def _with_more_note(last: SessionChoice, event: EnabledEvent) -> SessionChoice:
    note = (
        f"… and {len(event.choices) - MOST_CHOICES} more ways"
        if len(event.choices) > MOST_CHOICES
        else "… and other arguments"
    )
    return SessionChoice(last.label, f"{last.outcome}   {note}", last.action)


def _call_text(event: str, arguments: NamedValues) -> str:
    given = (f"{name}={format_literal(value)}" for name, value in arguments.items())
    return f"{event}({', '.join(given)})"


def disabled_reason(machine: MachineDefinition, now: Snapshot, event: DisabledEvent) -> str:
    """Say why an event is not possible: where it is taken, or what it needs; then what becomes of a
    request.

    Args:
        machine: in one release.
        now: where it is.
        event: the event, and what would be answered.

    Returns:
        One line.
    """
    if event.answer is None:
        return "there are no arguments for it now"
    needs = enabling_condition(
        [transition for transition in event.candidates if isinstance(transition, Transition)]
    )
    sources = dict.fromkeys(
        transition.source
        for transition in machine.transitions
        if transition.event == event.event and transition.taken
    )
    if event.candidates:
        reason = f"needs {needs}" if needs else "needs what does not hold"
    elif sources:
        reason = f"only from {', '.join(sources)}"
    else:
        reason = "no transition takes it"
    match event.answer:
        case Refused(reason=own_reason) if own_reason:
            reason = own_reason
        case Ignored():
            reason += "; it would be ignored"
        case Raised(error=error):
            reason += f"; it would raise {error}"
    return reason


@define
class _SystemSession:
    """A system that is tried out; see `SessionModel`."""

    system: SystemDefinition
    scope: ExplorationScope
    model: Model = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.model = build_system_model(self.system, self.scope)

    def initial_snapshots(self) -> list[object]:
        """Return where it may begin."""
        return [self.model.whole_snapshot(row) for row in self.model.initial_rows]

    def snapshot_line(self, now: object) -> str:
        """Write a snapshot."""
        assert isinstance(now, SystemSnapshot)
        return system_snapshot_text(now)

    def choices(self, now: object) -> tuple[list[SessionChoice], list[tuple[str, str]]]:
        """Return what may be taken, and why not the rest."""
        assert isinstance(now, SystemSnapshot)
        model = self.model
        choices, others, possible = (
            list[SessionChoice](),
            list[tuple[str, str]](),
            set[tuple[str, Value]](),
        )
        for event, taken, _ in model.steps(model.whole_row(now)):
            occurrence = model.trace_step(now, event, taken)
            possible.add((occurrence.event, occurrence.key))
            choices.append(
                SessionChoice(_occurrence_text(occurrence), system_became(occurrence), occurrence)
            )
        extents = {kind.name: kind.extent for kind in model.kinds}
        for name, tables in system_tables(self.system).tables.items():
            for (part, key), held in model.system_columns.present_parts(now):
                if part != name:
                    continue
                within = extents[name]
                for choice in event_choices(tables, within, held):
                    if (f"{name}.{choice.event}", key) not in possible:
                        others.append(
                            (
                                _part_event(name, key, choice.event),
                                self._disabled_reason(now, name, key, held, choice),
                            )
                        )
        return choices, others

    def _disabled_reason(
        self,
        now: SystemSnapshot,
        name: str,
        key: Value,
        held: Snapshot,
        event: EnabledEvent | DisabledEvent,
    ) -> str:
        if isinstance(event, DisabledEvent):
            return disabled_reason(dict(self.system.machines)[name], held, event)
        answer = step_system(
            self.system, now, f"{name}.{event.event}", key=key, **event.choices[0][0]
        )
        first = answer.steps[0].answer
        return first.reason if isinstance(first, Refused) else "nothing comes of it"

    def broken_properties(self, now: object) -> list[str]:
        """Return the rules that do not hold."""
        assert isinstance(now, SystemSnapshot)
        holds = system_tables(self.system).holds
        return [
            property_.name
            for property_ in self.system.data.properties
            if property_.kind is PropertyKind.ALWAYS
            and property_.holds
            and not property_.needs_scope
            and not holds(property_.holds, now)
        ]

    def take(self, now: object, choice: object) -> tuple[object, str]:
        """Take a step that was shown."""
        assert isinstance(choice, TraceStep)
        return choice.answer.after, f"{_occurrence_text(choice)}   {system_became(choice)}"

    def request(
        self, now: object, name: str, key: Value, arguments: NamedValues
    ) -> tuple[object, str]:
        """Ask for an event of a part; arguments are looked at."""
        assert isinstance(now, SystemSnapshot)
        occurrence = TraceStep(
            name, arguments, step_system(self.system, now, name, key=key, **arguments), key=key
        )
        return self.take(now, occurrence)


def _occurrence_text(trace_step: TraceStep) -> str:
    part, _, event = trace_step.event.partition(".")
    return delivery_text(trace_step.delivered_from) + _call_text(
        _part_event(part, trace_step.key, event), trace_step.arguments
    )


def _part_event(part: str, key: Value, event: str) -> str:
    return f"{part}.{event}" if key is None else f"{part}[{format_literal(key)}].{event}"
