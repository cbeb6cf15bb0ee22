"""Machines with data as SCXML with an ECMAScript datamodel."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from attrs import frozen

from statemachines.interop.ecmascript.ecmascript_expressions import EcmascriptWriter
from statemachines.interop.ecmascript.ecmascript_values import RUNTIME_LIBRARY, literal
from statemachines.interop.export_limits import CannotExport, definitions_that_read
from statemachines.interop.scxml.scxml_text import (
    OWN_NAMESPACE,
    SCXML_NAMESPACE,
    comment_text,
    name_attribute,
)
from statemachines.model.definitions.data_definitions import Case, MachineData, Variable
from statemachines.model.definitions.machine_definitions import (
    FallbackKind,
    MachineDefinition,
    State,
    Transition,
)
from statemachines.model.language.expression_nodes import Expression, InStates, Name, NameKind
from statemachines.model.language.value_types import IdType, IntType, base_type
from statemachines.semantics.machine.machine_tables import MachineTables
from statemachines.semantics.machine.step import forced_target, matching_fallback

ONLY_STATE = "there"
"""What the one state of a machine is called that is all data."""
_STATE_INPUT = "state_"
"""The state, where a definition looks at it; elsewhere it is known by where a transition stands."""
_NEW_VALUES = "next_"
"""Where new values wait until all are known: each is worked out from the old ones."""


@frozen(eq=False)
class _DataChart:
    """A machine, and what its names are called in the document."""

    tables: MachineTables
    names: dict[tuple[NameKind, str], str]

    @property
    def data(self) -> MachineData:
        return self.tables.machine.data

    @property
    def state_readers(self) -> frozenset[str]:
        """The definitions that look at the state, through others too."""
        return definitions_that_read(self.data.definitions, _reads_state)

    def writer(
        self, event: str = "", case: Case | None = None, state: str | None = None
    ) -> EcmascriptWriter:
        """Return what writes the expressions of an event in a state."""
        signature = self.tables.behaviour.signature(event)
        lets = {
            let.name: let for let in (*signature.lets, *(case.lets if case is not None else ()))
        }
        arguments = {
            (NameKind.ARGUMENT, argument.name): f"_event.data.{argument.name}"
            for argument in signature.arguments
        }
        substitutes = {(NameKind.STATE, "state"): literal(state)} if state is not None else {}
        return EcmascriptWriter(
            {**self.names, **arguments, **substitutes}, self.state_readers, lets
        )


def _reads_state(node: Expression) -> bool:
    return isinstance(node, InStates) or (isinstance(node, Name) and node.kind is NameKind.STATE)


def data_scxml(tables: MachineTables) -> str:
    """Return a document's text.

    An event's arguments are the fields of its data. What an operation gives back is the internal
    event `returned.EVENT`, what it raises `error.NAME`. Parameters that the spec's scope does not
    name are data without a value, for whoever invokes it.

    Args:
        tables: those of the machine.

    Returns:
        An SCXML document.

    Raises:
        CannotExport: the machine has no state to begin in, or an expression has no words there; the
            message says which.
    """
    initial_states = tables.state_names(tables.initial)
    if not initial_states:
        raise CannotExport(f"{tables.title} has no state to begin in")
    chart = _DataChart(tables, _document_names(tables))
    name = name_attribute(tables.machine.name)
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        (
            f'<scxml xmlns="{SCXML_NAMESPACE}" xmlns:sm="{OWN_NAMESPACE}" version="1.0"{name}'
            f' initial="{initial_states[0] or ONLY_STATE}" datamodel="ecmascript">'
        ),
        f"  <!-- {comment_text(' '.join(filter(None, (tables.title, tables.machine.doc))))} -->",
        *(f"  <!-- {comment_text(sentence)} -->" for sentence in _losses(tables.machine)),
        *(f"  {line}" for line in _datamodel_lines(chart)),
        *(
            "  <script><![CDATA[",
            *_function_lines(chart),
            *_initial_assignments(chart),
            "  ]]></script>",
        ),
        *(
            f"  {line}"
            for state in tables.machine.states
            for line in _state_lines(chart, state, initial_states)
        ),
        "</scxml>",
    ]
    return "\n".join(lines) + "\n"


def _document_names(tables: MachineTables) -> dict[tuple[NameKind, str], str]:
    """Return what names are called in the document, apart from the words of ECMAScript and from one
    another.
    """
    data = tables.machine.data
    names = {
        (NameKind.VARIABLE, variable.name): f"v_{variable.name}" for variable in data.variables
    }
    names |= {
        (NameKind.PARAMETER, parameter.name): f"p_{parameter.name}" for parameter in data.parameters
    }
    names |= {
        (NameKind.OUTSIDE, definition.name): f"d_{definition.name}"
        for definition in data.definitions
    }
    names |= {
        (NameKind.INPUT, name.rpartition(".")[2]): f"i_{name.rpartition('.')[2]}"
        for definition in data.definitions
        for name, _ in definition.inputs
    }
    sizes = dict(data.scope.sizes)
    for name, type_ in data.types:
        if isinstance(type_, IdType):
            names[NameKind.OUTSIDE, name] = literal(
                frozenset(f"{name}{number}" for number in range(1, sizes.get(name, 2) + 1))
            )
    names[NameKind.STATE, "state"] = _STATE_INPUT
    return names


def _losses(machine: MachineDefinition) -> Iterator[str]:
    """Yield what does not carry over, a sentence each."""
    data = machine.data
    if any(event.signature and event.signature.arguments for event in machine.events):
        yield (
            "Not carried over: types of arguments, and `where`: whoever sends an event keeps to"
            " them"
        )
    if data.refinements:
        names = ", ".join(refinement.abstract for refinement in data.refinements)
        yield f"Not carried over: that it refines {names}"
    if data.properties:
        names = ", ".join(property_.name for property_ in data.properties)
        yield f"Not carried over: the properties {names}"
    if data.final is not None:
        yield "Not carried over: where it is legal to stop beside final states"
    if data.initially is not None or any(variable.initial is None for variable in data.variables):
        yield (
            "Not carried over: that it may begin with any value of some variables; they have none"
            " here"
        )
    if data.texts:
        yield "Not carried over: texts for people"


def _datamodel_lines(chart: _DataChart) -> Iterator[str]:
    """Write parameters and variables; initial values follow below, where functions are known."""
    yield "<datamodel>"
    for name in (
        identifier
        for (kind, _), identifier in chart.names.items()
        if kind in (NameKind.VARIABLE, NameKind.PARAMETER)
    ):
        yield f'  <data id="{name}"/>'
    yield f'  <data id="{_NEW_VALUES}"/>'
    yield "</datamodel>"


def _function_lines(chart: _DataChart) -> Iterator[str]:
    """Write what expressions call."""
    writer = chart.writer()
    yield RUNTIME_LIBRARY
    for definition in chart.data.definitions:
        inputs = [_STATE_INPUT] if definition.name in chart.state_readers else []
        inputs += [
            chart.names[NameKind.INPUT, name.rpartition(".")[2]] for name, _ in definition.inputs
        ]
        yield (
            f"function {chart.names[NameKind.OUTSIDE, definition.name]}({', '.join(inputs)}) {{"
            f" return {writer.write(definition.body)}; }}"
        )


def _initial_assignments(chart: _DataChart) -> Iterator[str]:
    """Write first values: those of parameters that the scope names, then those of variables."""
    writer = chart.writer()
    for name, value in chart.data.scope.parameters:
        yield f"{chart.names[NameKind.PARAMETER, name]} = {writer.write(value)};"
    for variable in chart.data.variables:
        if variable.initial is not None:
            yield (
                f"{chart.names[NameKind.VARIABLE, variable.name]} ="
                f" {writer.write(variable.initial)};"
            )


def _state_lines(chart: _DataChart, state: State, initial_states: tuple[str, ...]) -> Iterator[str]:
    tables = chart.tables
    leaving = [line for event in tables.events for line in _event_lines(chart, state.name, event)]
    attributes = ' sm:initial="true"' if state.initial and state.name != initial_states[0] else ""
    if state.final and not state.initial and not leaving:
        yield f'<final id="{state.name}"{attributes}/>'
        return
    attributes += ' sm:final="true"' if state.final else ""
    yield f'<state id="{state.name or ONLY_STATE}"{attributes}>'
    yield from (f"  {line}" for line in leaving)
    yield "</state>"


def _event_lines(chart: _DataChart, state: str, event: str) -> Iterator[str]:
    """Write what an event does in a state: the first transition whose condition holds is taken,
    there as here.
    """
    transitions = chart.tables.candidates.get((state, event), ())
    entries = list(dict.fromkeys(transition.entry for transition in transitions))
    for transition in sorted(
        transitions,
        key=lambda row: (entries.index(row.entry), row.case.index if row.case else 0),
    ):
        yield from _transition_lines(chart, transition)
    entry = matching_fallback(chart.tables, state, event)
    if entry is not None and entry.does is FallbackKind.RAISE:
        yield (
            f'<transition event="{event}" sm:otherwise="raise"><raise'
            f' event="error.{entry.error}"/></transition>'
        )
    elif entry is not None and entry.does is FallbackKind.FORCE:
        yield (
            f'<transition event="{event}"'
            f' target="{forced_target(chart.tables, state, event) or ONLY_STATE}"'
            ' sm:otherwise="force"/>'
        )


def _transition_lines(chart: _DataChart, transition: Transition) -> Iterator[str]:
    case = transition.case or Case()
    writer = chart.writer(transition.event, case, transition.source)
    conditions = [
        writer.write(expression) for expression in (case.guard, case.when) if expression is not None
    ] + list(_bound_conditions(chart, case, writer))
    condition = f' cond="{escape(" && ".join(conditions))}"' if conditions else ""
    target = f' target="{transition.target}"' if transition.target != transition.source else ""
    inside = list(_transition_content(chart, transition.event, case, writer))
    head = f'<transition event="{transition.event}"{condition}{target}'
    yield f"{head}>" if inside else f"{head}/>"
    yield from (f"  {line}" for line in inside)
    if inside:
        yield "</transition>"


def _bound_conditions(chart: _DataChart, case: Case, writer: EcmascriptWriter) -> Iterator[str]:
    """Yield that integers stay in their bounds where nothing shows it: a step that would leave them
    is refused.
    """
    for assignment in case.effect:
        variable = chart.data.variable(assignment.variable)
        type_ = base_type(variable.type) if isinstance(variable, Variable) else None
        if not assignment.proved and isinstance(type_, IntType):
            value = writer.write(assignment.value)
            yield from (f"{value} >= {type_.low}" for _ in [0] if type_.low is not None)
            yield from (f"{value} <= {type_.high}" for _ in [0] if type_.high is not None)


def _transition_content(
    chart: _DataChart, event: str, case: Case, writer: EcmascriptWriter
) -> Iterator[str]:
    """Write what a transition gives back and does: results see the old values."""
    given = (
        case.returns
        if isinstance(case.returns, tuple)
        else (("value", case.returns),)
        if case.returns is not None
        else ()
    )
    if given:
        yield f'<send event="returned.{event}" target="#_internal">'
        yield from (
            f'  <param name="{name}" expr="{escape(writer.write(value))}"/>'
            for name, value in given
        )
        yield "</send>"
    if len(case.effect) == 1:
        yield _assign_element(
            chart.names[NameKind.VARIABLE, case.effect[0].variable],
            writer.write(case.effect[0].value),
        )
    elif case.effect:
        yield _assign_element(
            _NEW_VALUES,
            f"[{', '.join(writer.write(assignment.value) for assignment in case.effect)}]",
        )
        for index, assignment in enumerate(case.effect):
            yield _assign_element(
                chart.names[NameKind.VARIABLE, assignment.variable], f"{_NEW_VALUES}[{index}]"
            )
    if case.raises is not None:
        yield f'<raise event="error.{case.raises}"/>'


def _assign_element(location: str, value: str) -> str:
    return f'<assign location="{location}" expr="{escape(value)}"/>'
