"""A machine's data, compiled: what its events take, what its operations decide, how its instances
begin.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from attrs import field, frozen

from statemachines.model.definitions.data_definitions import (
    EMPTY_DATA,
    Argument,
    Let,
    Parameter,
    Signature,
    Variable,
)
from statemachines.model.definitions.machine_definitions import MachineDefinition, Transition
from statemachines.model.definitions.snapshots import Snapshot, Value
from statemachines.model.language.expression_nodes import Expression, Name, NameKind, type_sets
from statemachines.model.language.frozen_values import FrozenMap
from statemachines.model.language.value_types import Type
from statemachines.semantics.evaluation.compiler import Compiler, Evaluator, OperationFunction
from statemachines.semantics.evaluation.python_source import identifier
from statemachines.semantics.evaluation.type_checks import type_check_source
from statemachines.semantics.evaluation.value_acceptance import accept_value
from statemachines.semantics.messages.argument_errors import ArgumentsError, unknown_word
from statemachines.semantics.messages.expression_text import format_expression
from statemachines.semantics.messages.refusal_reasons import (
    ConditionTest,
    false_conditions_message,
    first_false_clause,
)

Values = Mapping[str, Value]
_ValueCheck = Callable[..., bool]


@frozen
class CompiledSignature:
    """What an event takes, compiled."""

    signature: Signature
    checks: tuple[_ValueCheck | None, ...]
    """Of each argument: whether a value of the right kind lies in its bounds and sets."""
    where: Evaluator | None


@frozen(eq=False)
class CompiledOperation:
    """What may take an event in a state: a plain transition, or an operation with all its cases."""

    transitions: tuple[Transition, ...]
    decide: OperationFunction | None
    """None for a plain transition."""
    cases: dict[int, tuple[Transition, str | None]]
    """Number of a case to its transition and the error that it raises."""


@frozen(eq=False)
class Behaviour:
    """The compiled data of one machine; everything is compiled where it is first asked for."""

    machine: MachineDefinition
    compiler: Compiler
    signatures: dict[str, CompiledSignature] = field(factory=dict)
    """Event to what it takes."""
    operation_functions: dict[tuple[int, str, tuple[int, ...]], OperationFunction] = field(
        factory=dict
    )
    """(entry, event) of an operation to its function."""
    evaluators: dict[Expression | tuple[Expression, tuple[Let, ...]], Evaluator] = field(
        factory=dict
    )
    value_checks: dict[tuple[NameKind, str], _ValueCheck | None] = field(factory=dict)
    """Of parameters and variables."""

    def checked_arguments(self, snapshot: Snapshot, event: str, given: Values) -> Values:
        """Return an event's arguments as the machine has them.

        Args:
            snapshot: in which the event comes; `where` may look at it.
            event: by name.
            given: the arguments, by name.

        Returns:
            The arguments by name, each of its declared type.

        Raises:
            ArgumentsError: one is missing, unknown, of another type, or they are against `where`.
        """
        taken = self._compiled_signature(event)
        known = [argument.name for argument in taken.signature.arguments]
        for name in given:
            if name not in known:
                raise unknown_word("argument", name, known, f"event `{event}`")
        accepted = dict[str, Value]()
        for argument, check in zip(taken.signature.arguments, taken.checks, strict=True):
            accepted[argument.name] = self._checked_argument(
                snapshot, event, argument, check, given, accepted
            )
        if taken.where is not None and not taken.where(
            snapshot.state, snapshot.variables, snapshot.parameters, accepted
        ):
            assert taken.signature.where is not None
            why = self.false_clause_message(
                taken.signature.where, taken.signature.lets, snapshot, accepted
            )
            raise ArgumentsError(
                f"the arguments of `{event}` are against its `where`: {why} with"
                f" {_assignments_text(accepted)}"
            )
        return accepted

    def _checked_argument(
        self,
        snapshot: Snapshot,
        event: str,
        argument: Argument,
        check: _ValueCheck | None,
        values: Values,
        accepted: dict[str, Value],
    ) -> Value:
        if argument.name not in values:
            raise ArgumentsError(
                f"event `{event}` needs the argument `{argument.name}` of type `{argument.type}`"
            )
        try:
            value = accept_value(argument.type, values[argument.name])
        except ArgumentsError as wrong:
            raise ArgumentsError(f"argument `{argument.name}` of `{event}`: {wrong}") from None
        accepted[argument.name] = value
        if check is not None and not check(
            snapshot.state, snapshot.variables, snapshot.parameters, accepted
        ):
            raise ArgumentsError(
                f"argument `{argument.name}` of `{event}`: {value!r} is not of type"
                f" `{argument.type}` here"
            )
        return value

    def _compiled_signature(self, event: str) -> CompiledSignature:
        """Return what an event takes, compiled."""
        if event not in self.signatures:
            signature = self.signature(event)
            checks = tuple(
                self._compile_value_check(argument.type, NameKind.ARGUMENT, argument.name)
                for argument in signature.arguments
            )
            where = (
                None
                if signature.where is None
                else self.compiler.compile_expression(signature.where, signature.lets)
            )
            self.signatures[event] = CompiledSignature(signature, checks, where)
        return self.signatures[event]

    def signature(self, event: str) -> Signature:
        """Return what an event takes, as the spec says it.

        Args:
            event: by name.

        Returns:
            Its arguments and their types; empty for an event that declares none.
        """
        declared = next((known for known in self.machine.events if known.name == event), None)
        return declared.signature if declared and declared.signature else Signature()

    def argument_condition(self, event: str) -> Evaluator | None:
        """Return the condition on an event's arguments; None where there is none.

        Args:
            event: by name.

        Returns:
            The event's `where`, as a function of snapshot and arguments.
        """
        return self._compiled_signature(event).where

    def _compile_value_check(self, type_: Type, kind: NameKind, name: str) -> _ValueCheck | None:
        """Compile the look at one value; None where nothing needs to be looked at."""
        check = type_check_source(self.compiler.writer, type_, identifier(kind, name))
        if not check:
            return None
        names = [Name(kind, name, type=type_), *type_sets(type_)]
        made: _ValueCheck = self.compiler.compile_condition(check, names)
        return made

    def _cached_value_check(self, type_: Type, kind: NameKind, name: str) -> _ValueCheck | None:
        """Return the look at a parameter or variable, compiled once."""
        if (kind, name) not in self.value_checks:
            self.value_checks[kind, name] = self._compile_value_check(type_, kind, name)
        return self.value_checks[kind, name]

    def compiled_operations(
        self, transitions: tuple[Transition, ...]
    ) -> tuple[CompiledOperation, ...]:
        """Compile what may take an event in a state.

        Args:
            transitions: all of the same event from the same state, in the author's order.

        Returns:
            One for each operation; several transitions may be cases of one.
        """
        entries = dict.fromkeys(transition.entry for transition in transitions)
        return tuple(
            self._compile_operation(
                tuple(transition for transition in transitions if transition.entry == entry)
            )
            for entry in entries
        )

    def _compile_operation(self, transitions: tuple[Transition, ...]) -> CompiledOperation:
        cases = {
            transition.case.index: (transition, transition.case.raises)
            for transition in reversed(transitions)
            if transition.case is not None
        }
        return CompiledOperation(
            transitions, self._operation_function(transitions) if cases else None, cases
        )

    def _operation_function(self, transitions: tuple[Transition, ...]) -> OperationFunction:
        """Return the function of an operation; states with the same cases share it."""
        cases = {
            transition.case.index: transition.case
            for transition in transitions
            if transition.case is not None
        }
        numbers = tuple(sorted(cases))
        key = (transitions[0].entry, transitions[0].event, numbers)
        if key not in self.operation_functions:
            ordered = tuple(cases[number] for number in numbers)
            lets = (*self.signature(transitions[0].event).lets, *ordered[0].lets)
            self.operation_functions[key] = self.compiler.compile_operation(lets, ordered)
        return self.operation_functions[key]

    def evaluator(self, node: Expression, lets: tuple[Let, ...] = ()) -> Evaluator:
        """Return an expression over a snapshot as a function of state, variables, parameters, and
        arguments where it uses them.

        Args:
            node: the expression.
            lets: names that it may use, in the order of the spec.

        Returns:
            The function; the same one for the same expression.
        """
        key = (node, lets) if lets else node
        if key not in self.evaluators:
            self.evaluators[key] = self.compiler.compile_expression(node, lets)
        return self.evaluators[key]

    def false_clause_message(
        self, condition: Expression, lets: tuple[Let, ...], snapshot: Snapshot, arguments: Values
    ) -> str:
        """Say which clause of a condition is false: "`amount < 5` is false".

        Args:
            condition: one that is false.
            lets: names that it may use.
            snapshot: in which it is false.
            arguments: of the event, by name.

        Returns:
            The clause in backquotes, with `is false`.
        """
        holds = self._condition_test(snapshot, arguments)
        return f"`{format_expression(first_false_clause(condition, lets, holds))}` is false"

    def refusal_reason(
        self, snapshot: Snapshot, event: str, arguments: Values, candidates: tuple[Transition, ...]
    ) -> str:
        """Say which conditions kept transitions from taking an event; empty where there is none.

        Args:
            snapshot: in which the event came.
            event: by name.
            arguments: of the event, by name.
            candidates: the transitions that did not take it.

        Returns:
            Each clause in backquotes, joined by `and`, with `is false` or `are false`.
        """
        return false_conditions_message(
            candidates, self.signature(event).lets, self._condition_test(snapshot, arguments)
        )

    def _condition_test(self, snapshot: Snapshot, arguments: Values) -> ConditionTest:
        """Return what tells whether a condition holds in a snapshot, with an event's arguments."""

        def holds(condition: Expression, lets: tuple[Let, ...]) -> bool:
            return bool(
                self.evaluator(condition, lets)(
                    snapshot.state, snapshot.variables, snapshot.parameters, arguments
                )
            )

        return holds

    def checked_parameters(self, given: Values) -> Values:
        """Return an instance's parameters as the machine has them.

        Args:
            given: the parameters, by name.

        Returns:
            The parameters by name, each of its declared type.

        Raises:
            ArgumentsError: one is missing, unknown, of another type, or they are against `where`.
        """
        data, title = self.machine.data, self.machine.name
        known = [parameter.name for parameter in data.parameters]
        for name in given:
            if name not in known:
                raise unknown_word("parameter", name, known, title)
        accepted = dict[str, Value]()
        for parameter in data.parameters:
            accepted[parameter.name] = self._checked_parameter(parameter, given, accepted)
        if data.where is not None and not self.evaluator(data.where)("", {}, accepted):
            why = self.false_clause_message(data.where, (), Snapshot("", {}, accepted), {})
            raise ArgumentsError(
                f"the parameters of {title} are against its `where`: {why} with"
                f" {_assignments_text(accepted)}"
            )
        return accepted

    def _checked_parameter(
        self, parameter: Parameter, values: Values, accepted: dict[str, Value]
    ) -> Value:
        if parameter.name not in values:
            raise ArgumentsError(
                f"{self.machine.name} needs the parameter `{parameter.name}` of type"
                f" `{parameter.type}`"
            )
        try:
            value = accept_value(parameter.type, values[parameter.name])
        except ArgumentsError as wrong:
            raise ArgumentsError(f"parameter `{parameter.name}`: {wrong}") from None
        accepted[parameter.name] = value
        check = self._cached_value_check(parameter.type, NameKind.PARAMETER, parameter.name)
        if check is not None and not check("", {}, accepted):
            raise ArgumentsError(
                f"parameter `{parameter.name}`: {value!r} is not of type `{parameter.type}`"
            )
        return value

    def checked_snapshot(self, snapshot: Snapshot) -> Snapshot:
        """Return a snapshot that a caller made, with its values as the machine has them.

        Args:
            snapshot: with any values.

        Returns:
            An equal snapshot whose values are of their declared types.

        Raises:
            ArgumentsError: a variable or parameter is missing, unknown or not of its type.
        """
        parameters = FrozenMap(self.checked_parameters(snapshot.parameters))
        known = [variable.name for variable in self.machine.data.variables]
        for name in snapshot.variables:
            if name not in known:
                raise unknown_word("variable", name, known, self.machine.name)
        variables = FrozenMap(
            {
                variable.name: _checked_variable(variable, snapshot.variables)
                for variable in self.machine.data.variables
            }
        )
        for variable in self.machine.data.variables:
            if not self.is_of_type(variable, variables, parameters):
                raise ArgumentsError(
                    f"variable `{variable.name}`: {variables[variable.name]!r} is not of type"
                    f" `{variable.type}`"
                )
        return Snapshot(snapshot.state, variables, parameters)

    def is_of_type(self, variable: Variable, variables: Values, parameters: Values) -> bool:
        """Tell whether a variable's value lies in the bounds and sets of its type.

        Args:
            variable: whose value is checked.
            variables: all values of variables, by name.
            parameters: of the instance, by name.

        Returns:
            False where the value is outside its type.
        """
        check = self._cached_value_check(variable.type, NameKind.VARIABLE, variable.name)
        return check is None or check("", variables, parameters)


def _checked_variable(variable: Variable, values: Values) -> Value:
    """Return a variable's value in a snapshot that a caller made."""
    if variable.name not in values:
        raise ArgumentsError(
            f"the snapshot lacks the variable `{variable.name}` of type `{variable.type}`"
        )
    try:
        return accept_value(variable.type, values[variable.name])
    except ArgumentsError as wrong:
        raise ArgumentsError(f"variable `{variable.name}`: {wrong}") from None


def _assignments_text(values: Values) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in values.items())


def has_data(machine: MachineDefinition) -> bool:
    """Tell whether a machine is more than a table of moves.

    Args:
        machine: any machine.

    Returns:
        True where it declares data, or has an event with a signature or with cases.
    """
    if machine.data != EMPTY_DATA:
        return True
    return any(transition.case is not None for transition in machine.transitions) or any(
        event.signature for event in machine.events
    )


def compile_behaviour(machine: MachineDefinition) -> Behaviour:
    """Compile a machine's data.

    Args:
        machine: any machine.

    Returns:
        Its expressions as functions, each compiled when it is first asked for.
    """
    return Behaviour(machine, Compiler.for_data(machine.data))
