"""Machines with data as SCXML with an ECMAScript datamodel."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from attrs import frozen

from statemachines.embed.ecmascript import ScriptWriter
from statemachines.embed.ecmascript_values import OPERATIONS, literal
from statemachines.embed.exports import OWN, SCXML, CannotExport, comment, token
from statemachines.embed.watching import watching
from statemachines.model.data import Case, Data, Variable
from statemachines.model.expressions import Expression, InStates, Kind, Name
from statemachines.model.machines import Does, Machine, State, Transition
from statemachines.model.types import IdType, IntType, base_of
from statemachines.semantics.step import forced_target, manner
from statemachines.semantics.tables import Tables

ONLY = "there"
"""What the one state of a machine is called that is all data."""
STATE = "state_"
"""The state, where a definition looks at it; elsewhere it is known by where a transition stands."""
NEXT = "next_"
"""Where new values wait until all are known: each is worked out from the old ones."""


@frozen(eq=False)
class _Chart:
    """A machine, and what its names are called in the document."""

    tables: Tables
    names: dict[tuple[Kind, str], str]

    @property
    def data(self) -> Data:
        return self.tables.machine.data

    @property
    def watching(self) -> frozenset[str]:
        """The definitions that look at the state, through others too."""
        return watching(self.data.definitions, _looks_at_state)

    def writer(self, event: str = "", case: Case | None = None, state: str | None = None) -> ScriptWriter:
        """Return what writes the expressions of an event in a state."""
        signature = self.tables.behaviour.signature(event)
        lets = {let.name: let for let in (*signature.lets, *(case.lets if case is not None else ()))}
        arguments = {(Kind.ARGUMENT, one.name): f"_event.data.{one.name}" for one in signature.arguments}
        told = {(Kind.STATE, "state"): literal(state)} if state is not None else {}
        return ScriptWriter({**self.names, **arguments, **told}, self.watching, lets)


def _looks_at_state(node: Expression) -> bool:
    return isinstance(node, InStates) or (isinstance(node, Name) and node.kind is Kind.STATE)


def data_scxml(tables: Tables) -> str:
    """Return a document's text.

    An event's arguments are the fields of its data. What an operation gives back is the internal event `returned.EVENT`, what it raises
    `error.NAME`. Parameters that the spec's scope does not name are data without a value, for whoever invokes it.

    Raises:
        CannotExport: the machine has no state to begin in, or an expression has no words there; the message says which.
    """
    begins = tables.names(tables.initial)
    if not begins:
        raise CannotExport(f"{tables.title} has no state to begin in")
    chart = _Chart(tables, _names(tables))
    name = token(tables.machine.name)
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<scxml xmlns="{SCXML}" xmlns:sm="{OWN}" version="1.0"{name} initial="{begins[0] or ONLY}" datamodel="ecmascript">',
        f"  <!-- {comment(' '.join(part for part in (tables.title, tables.machine.doc) if part))} -->",
        *(f"  <!-- {comment(sentence)} -->" for sentence in _lost(tables.machine)),
        *(f"  {line}" for line in _datamodel(chart)),
        *("  <script><![CDATA[", *_functions(chart), *_begin(chart), "  ]]></script>"),
        *(f"  {line}" for state in tables.machine.states for line in _state(chart, state, begins)),
        "</scxml>",
    ]
    return "\n".join(lines) + "\n"


def _names(tables: Tables) -> dict[tuple[Kind, str], str]:
    """Return what names are called in the document, apart from the words of ECMAScript and from one another."""
    data = tables.machine.data
    names = {(Kind.VARIABLE, one.name): f"v_{one.name}" for one in data.variables}
    names |= {(Kind.PARAMETER, one.name): f"p_{one.name}" for one in data.parameters}
    names |= {(Kind.OUTSIDE, one.name): f"d_{one.name}" for one in data.definitions}
    names |= {(Kind.INPUT, name.rpartition(".")[2]): f"i_{name.rpartition('.')[2]}" for one in data.definitions for name, _ in one.inputs}
    sizes = dict(data.scope.sizes)
    for name, type_ in data.types:
        if isinstance(type_, IdType):
            names[Kind.OUTSIDE, name] = literal(frozenset(f"{name}{number}" for number in range(1, sizes.get(name, 2) + 1)))
    names[Kind.STATE, "state"] = STATE
    return names


def _lost(machine: Machine) -> Iterator[str]:
    """Yield what does not carry over, a sentence each."""
    data = machine.data
    if any(event.signature and event.signature.arguments for event in machine.events):
        yield "Not carried over: types of arguments, and `where`: whoever sends an event keeps to them"
    if data.properties:
        yield f"Not carried over: the properties {', '.join(each.name for each in data.properties)}"
    if data.final is not None:
        yield "Not carried over: where it is legal to stop beside final states"
    if data.initially is not None or any(one.initial is None for one in data.variables):
        yield "Not carried over: that it may begin with any value of some variables; they have none here"
    if data.texts:
        yield "Not carried over: texts for people"


def _datamodel(chart: _Chart) -> Iterator[str]:
    """Write parameters and variables; first values are worked out below, where functions are known."""
    yield "<datamodel>"
    for name in (each for (kind, _), each in chart.names.items() if kind in (Kind.VARIABLE, Kind.PARAMETER)):
        yield f'  <data id="{name}"/>'
    yield f'  <data id="{NEXT}"/>'
    yield "</datamodel>"


def _functions(chart: _Chart) -> Iterator[str]:
    """Write what expressions call."""
    writer = chart.writer()
    yield OPERATIONS
    for definition in chart.data.definitions:
        inputs = [STATE] if definition.name in chart.watching else []
        inputs += [chart.names[Kind.INPUT, name.rpartition(".")[2]] for name, _ in definition.inputs]
        yield f"function {chart.names[Kind.OUTSIDE, definition.name]}({', '.join(inputs)}) {{ return {writer.write(definition.body)}; }}"


def _begin(chart: _Chart) -> Iterator[str]:
    """Write first values: those of parameters that the scope names, then those of variables."""
    writer = chart.writer()
    for name, value in chart.data.scope.parameters:
        yield f"{chart.names[Kind.PARAMETER, name]} = {writer.write(value)};"
    for variable in chart.data.variables:
        if variable.initial is not None:
            yield f"{chart.names[Kind.VARIABLE, variable.name]} = {writer.write(variable.initial)};"


def _state(chart: _Chart, state: State, begins: tuple[str, ...]) -> Iterator[str]:
    tables = chart.tables
    leaving = [line for event in tables.events for line in _event(chart, state.name, event)]
    marks = ' sm:initial="true"' if state.initial and state.name != begins[0] else ""
    if state.final and not state.initial and not leaving:
        yield f'<final id="{state.name}"{marks}/>'
        return
    marks += ' sm:final="true"' if state.final else ""
    yield f'<state id="{state.name or ONLY}"{marks}>'
    yield from (f"  {line}" for line in leaving)
    yield "</state>"


def _event(chart: _Chart, state: str, event: str) -> Iterator[str]:
    """Write what an event does in a state: the first transition whose condition holds is taken, there as here."""
    arrows = chart.tables.candidates.get((state, event), ())
    entries = list(dict.fromkeys(arrow.entry for arrow in arrows))
    for arrow in sorted(arrows, key=lambda each: (entries.index(each.entry), each.case.number if each.case else 0)):
        yield from _arrow(chart, arrow)
    entry = manner(chart.tables, state, event)
    if entry is not None and entry.does is Does.RAISE:
        yield f'<transition event="{event}" sm:otherwise="raise"><raise event="error.{entry.error}"/></transition>'
    elif entry is not None and entry.does is Does.FORCE:
        yield f'<transition event="{event}" target="{forced_target(chart.tables, state, event) or ONLY}" sm:otherwise="force"/>'


def _arrow(chart: _Chart, arrow: Transition) -> Iterator[str]:
    case = arrow.case or Case()
    writer = chart.writer(arrow.event, case, arrow.source)
    asked = [writer.write(each) for each in (case.guard, case.when) if each is not None] + list(_bounds(chart, case, writer))
    condition = f' cond="{escape(" && ".join(asked))}"' if asked else ""
    target = f' target="{arrow.target}"' if arrow.target != arrow.source else ""
    inside = list(_content(chart, arrow.event, case, writer))
    head = f'<transition event="{arrow.event}"{condition}{target}'
    yield f"{head}>" if inside else f"{head}/>"
    yield from (f"  {line}" for line in inside)
    if inside:
        yield "</transition>"


def _bounds(chart: _Chart, case: Case, writer: ScriptWriter) -> Iterator[str]:
    """Yield that integers stay in their bounds where nothing shows it: a step that would leave them is refused."""
    for one in case.effect:
        variable = chart.data.variable(one.variable)
        type_ = base_of(variable.type) if isinstance(variable, Variable) else None
        if not one.shown and isinstance(type_, IntType):
            value = writer.write(one.value)
            yield from (f"{value} >= {type_.low}" for _ in [0] if type_.low is not None)
            yield from (f"{value} <= {type_.high}" for _ in [0] if type_.high is not None)


def _content(chart: _Chart, event: str, case: Case, writer: ScriptWriter) -> Iterator[str]:
    """Write what a transition gives back and does: results see the old values."""
    given = case.returns if isinstance(case.returns, tuple) else (("value", case.returns),) if case.returns is not None else ()
    if given:
        yield f'<send event="returned.{event}" target="#_internal">'
        yield from (f'  <param name="{name}" expr="{escape(writer.write(value))}"/>' for name, value in given)
        yield "</send>"
    if len(case.effect) == 1:
        yield _assign(chart.names[Kind.VARIABLE, case.effect[0].variable], writer.write(case.effect[0].value))
    elif case.effect:
        yield _assign(NEXT, f"[{', '.join(writer.write(one.value) for one in case.effect)}]")
        for place, one in enumerate(case.effect):
            yield _assign(chart.names[Kind.VARIABLE, one.variable], f"{NEXT}[{place}]")
    if case.raises is not None:
        yield f'<raise event="error.{case.raises}"/>'


def _assign(location: str, value: str) -> str:
    return f'<assign location="{location}" expr="{escape(value)}"/>'
