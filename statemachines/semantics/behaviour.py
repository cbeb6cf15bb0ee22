"""A machine's data, compiled: what its events take, what its operations decide, how its instances begin."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from attrs import field, frozen

from statemachines.model.data import NO_DATA, Argument, Let, Parameter, Signature, Variable
from statemachines.model.expressions import Expression, Kind, Name, sets_in_type
from statemachines.model.machines import Machine, Transition
from statemachines.model.snapshots import Snapshot, Value
from statemachines.model.types import Type
from statemachines.model.values import FrozenMap
from statemachines.semantics.checks import check_of
from statemachines.semantics.compile import Compiler, Decide, Evaluate
from statemachines.semantics.mistakes import ArgumentsError, unknown
from statemachines.semantics.reasons import Holds, false_clause, false_conditions
from statemachines.semantics.source import identifier
from statemachines.semantics.values import accept
from statemachines.semantics.wording import wording

Values = Mapping[str, Value]
_Check = Callable[..., bool]


@frozen
class Taken:
    """What an event takes, compiled."""

    signature: Signature
    checks: tuple[_Check | None, ...]
    """Of each argument: whether a value of the right kind lies in its bounds and sets."""
    where: Evaluate | None


@frozen(eq=False)
class Plan:
    """What may take an event in a state: a plain arrow, or an operation with all its cases."""

    arrows: tuple[Transition, ...]
    decide: Decide | None
    """None for a plain arrow."""
    cases: dict[int, tuple[Transition, str | None]]
    """Number of a case to its arrow and the error that it raises."""


@frozen(eq=False)
class Behaviour:
    """The compiled data of one machine; everything is compiled where it is first asked for."""

    machine: Machine
    compiler: Compiler
    taken: dict[str, Taken] = field(factory=dict)
    """Event to what it takes."""
    deciders: dict[tuple[int, str], Decide] = field(factory=dict)
    """(entry, event) of an operation to its function."""
    compiled: dict[Expression | tuple[Expression, tuple[Let, ...]], Evaluate] = field(factory=dict)
    checks: dict[tuple[Kind, str], _Check | None] = field(factory=dict)
    """Of parameters and variables."""

    def arguments(self, snapshot: Snapshot, event: str, given: Values) -> Values:
        """Return an event's arguments as the machine has them.

        Raises:
            ArgumentsError: one is missing, unknown, of another type, or they are against `where`.
        """
        taken = self._taken(event)
        known = [argument.name for argument in taken.signature.arguments]
        for name in given:
            if name not in known:
                raise unknown("argument", name, known, f"event `{event}`")
        accepted = dict[str, Value]()
        for argument, check in zip(taken.signature.arguments, taken.checks, strict=True):
            accepted[argument.name] = self._argument(snapshot, event, argument, check, given, accepted)
        if taken.where is not None and not taken.where(snapshot.state, snapshot.variables, snapshot.parameters, accepted):
            assert taken.signature.where is not None
            why = self.why(taken.signature.where, taken.signature.lets, snapshot, accepted)
            raise ArgumentsError(f"the arguments of `{event}` are against its `where`: {why} with {_listed(accepted)}")
        return accepted

    def _argument(
        self, snapshot: Snapshot, event: str, argument: Argument, check: _Check | None, given: Values, accepted: dict[str, Value]
    ) -> Value:
        if argument.name not in given:
            raise ArgumentsError(f"event `{event}` needs the argument `{argument.name}` of type `{argument.type}`")
        try:
            value = accept(argument.type, given[argument.name])
        except ArgumentsError as wrong:
            raise ArgumentsError(f"argument `{argument.name}` of `{event}`: {wrong}") from None
        accepted[argument.name] = value
        if check is not None and not check(snapshot.state, snapshot.variables, snapshot.parameters, accepted):
            raise ArgumentsError(f"argument `{argument.name}` of `{event}`: {value!r} is not of type `{argument.type}` here")
        return value

    def _taken(self, event: str) -> Taken:
        """Return what an event takes, compiled."""
        if event not in self.taken:
            signature = self.signature(event)
            checks = tuple(self._check(argument.type, Kind.ARGUMENT, argument.name) for argument in signature.arguments)
            where = None if signature.where is None else self.compiler.expression(signature.where, signature.lets)
            self.taken[event] = Taken(signature, checks, where)
        return self.taken[event]

    def signature(self, event: str) -> Signature:
        """Return what an event takes, as the spec says it."""
        declared = next((one for one in self.machine.events if one.name == event), None)
        return declared.signature if declared and declared.signature else Signature()

    def where(self, event: str) -> Evaluate | None:
        """Return the condition on an event's arguments; None where there is none."""
        return self._taken(event).where

    def _check(self, type_: Type, kind: Kind, name: str) -> _Check | None:
        """Compile the look at one value; None where nothing needs to be looked at."""
        asked = check_of(self.compiler.writer, type_, identifier(kind, name))
        if not asked:
            return None
        names = [Name(kind, name, type=type_), *sets_in_type(type_)]
        made: _Check = self.compiler.condition(asked, names)
        return made

    def _known_check(self, type_: Type, kind: Kind, name: str) -> _Check | None:
        """Return the look at a parameter or variable, compiled once."""
        if (kind, name) not in self.checks:
            self.checks[kind, name] = self._check(type_, kind, name)
        return self.checks[kind, name]

    def plans(self, arrows: tuple[Transition, ...]) -> tuple[Plan, ...]:
        """Compile what may take an event in a state.

        Args:
            arrows: all of the same event from the same state, in the author's order.
        """
        entries = dict.fromkeys(arrow.entry for arrow in arrows)
        return tuple(self._plan(tuple(arrow for arrow in arrows if arrow.entry == entry)) for entry in entries)

    def _plan(self, arrows: tuple[Transition, ...]) -> Plan:
        cases = {arrow.case.number: (arrow, arrow.case.raises) for arrow in reversed(arrows) if arrow.case is not None}
        return Plan(arrows, self._decide(arrows) if cases else None, cases)

    def _decide(self, arrows: tuple[Transition, ...]) -> Decide:
        """Return the function of an operation; it is the same from every state."""
        key = (arrows[0].entry, arrows[0].event)
        if key not in self.deciders:
            cases = {arrow.case.number: arrow.case for arrow in arrows if arrow.case is not None}
            ordered = tuple(cases[number] for number in sorted(cases))
            lets = (*self.signature(arrows[0].event).lets, *ordered[0].lets)
            self.deciders[key] = self.compiler.operation(lets, ordered)
        return self.deciders[key]

    def evaluate(self, node: Expression, lets: tuple[Let, ...] = ()) -> Evaluate:
        """Return an expression over a snapshot as a function of state, variables, parameters, and arguments where it uses them."""
        key = (node, lets) if lets else node
        if key not in self.compiled:
            self.compiled[key] = self.compiler.expression(node, lets)
        return self.compiled[key]

    def why(self, condition: Expression, lets: tuple[Let, ...], snapshot: Snapshot, arguments: Values) -> str:
        """Say which clause of a condition is false: "`amount < 5` is false"."""
        return f"`{wording(false_clause(condition, lets, self._holding(snapshot, arguments)))}` is false"

    def reason(self, snapshot: Snapshot, event: str, arguments: Values, candidates: tuple[Transition, ...]) -> str:
        """Say which conditions kept transitions from taking an event; empty where there is none."""
        return false_conditions(candidates, self.signature(event).lets, self._holding(snapshot, arguments))

    def _holding(self, snapshot: Snapshot, arguments: Values) -> Holds:
        """Return what tells whether a condition holds in a snapshot, with an event's arguments."""

        def holds(condition: Expression, lets: tuple[Let, ...]) -> bool:
            return bool(self.evaluate(condition, lets)(snapshot.state, snapshot.variables, snapshot.parameters, arguments))

        return holds

    def parameters(self, given: Values) -> Values:
        """Return an instance's parameters as the machine has them.

        Raises:
            ArgumentsError: one is missing, unknown, of another type, or they are against `where`.
        """
        data, title = self.machine.data, self.machine.name
        known = [parameter.name for parameter in data.parameters]
        for name in given:
            if name not in known:
                raise unknown("parameter", name, known, title)
        accepted = dict[str, Value]()
        for parameter in data.parameters:
            accepted[parameter.name] = self._parameter(parameter, given, accepted)
        if data.where is not None and not self.evaluate(data.where)("", {}, accepted):
            why = self.why(data.where, (), Snapshot("", {}, accepted), {})
            raise ArgumentsError(f"the parameters of {title} are against its `where`: {why} with {_listed(accepted)}")
        return accepted

    def _parameter(self, parameter: Parameter, given: Values, accepted: dict[str, Value]) -> Value:
        if parameter.name not in given:
            raise ArgumentsError(f"{self.machine.name} needs the parameter `{parameter.name}` of type `{parameter.type}`")
        try:
            value = accept(parameter.type, given[parameter.name])
        except ArgumentsError as wrong:
            raise ArgumentsError(f"parameter `{parameter.name}`: {wrong}") from None
        accepted[parameter.name] = value
        check = self._known_check(parameter.type, Kind.PARAMETER, parameter.name)
        if check is not None and not check("", {}, accepted):
            raise ArgumentsError(f"parameter `{parameter.name}`: {value!r} is not of type `{parameter.type}`")
        return value

    def settled(self, snapshot: Snapshot) -> Snapshot:
        """Return a snapshot that a caller made, with its values as the machine has them.

        Raises:
            ArgumentsError: a variable or parameter is missing, unknown or not of its type.
        """
        parameters = FrozenMap(self.parameters(snapshot.parameters))
        known = [variable.name for variable in self.machine.data.variables]
        for name in snapshot.variables:
            if name not in known:
                raise unknown("variable", name, known, self.machine.name)
        variables = FrozenMap({one.name: _value(one, snapshot.variables) for one in self.machine.data.variables})
        for variable in self.machine.data.variables:
            if not self.is_of_type(variable, variables, parameters):
                raise ArgumentsError(f"variable `{variable.name}`: {variables[variable.name]!r} is not of type `{variable.type}`")
        return Snapshot(snapshot.state, variables, parameters)

    def is_of_type(self, variable: Variable, variables: Values, parameters: Values) -> bool:
        """Tell whether a variable's value lies in the bounds and sets of its type."""
        check = self._known_check(variable.type, Kind.VARIABLE, variable.name)
        return check is None or check("", variables, parameters)


def _value(variable: Variable, given: Values) -> Value:
    """Return a variable's value in a snapshot that a caller made."""
    if variable.name not in given:
        raise ArgumentsError(f"the snapshot lacks the variable `{variable.name}` of type `{variable.type}`")
    try:
        return accept(variable.type, given[variable.name])
    except ArgumentsError as wrong:
        raise ArgumentsError(f"variable `{variable.name}`: {wrong}") from None


def _listed(values: Values) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in values.items())


def has_data(machine: Machine) -> bool:
    """Tell whether a machine is more than a table of moves."""
    if machine.data != NO_DATA:
        return True
    return any(arrow.case is not None for arrow in machine.transitions) or any(event.signature for event in machine.events)


def behaviour_of(machine: Machine) -> Behaviour:
    """Compile a machine's data."""
    return Behaviour(machine, Compiler.of(machine.data))
