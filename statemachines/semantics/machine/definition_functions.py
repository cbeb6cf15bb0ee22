"""A machine's definitions as functions of Python."""

from __future__ import annotations

from attrs import frozen

from statemachines.model.definitions.data_definitions import Definition
from statemachines.model.definitions.snapshots import Snapshot, Value
from statemachines.model.language.expression_nodes import NameKind, type_sets
from statemachines.semantics.evaluation.behaviour import Behaviour
from statemachines.semantics.evaluation.python_source import identifier
from statemachines.semantics.evaluation.type_checks import type_check_source
from statemachines.semantics.evaluation.value_acceptance import accept_value
from statemachines.semantics.machine.machine_tables import machine_tables
from statemachines.semantics.messages.argument_errors import ArgumentsError, unknown_word


@frozen
class DefinitionFunction:
    """A definition that can be called: with a snapshot where it looks at the machine's data, and
    its inputs by name or in order.
    """

    behaviour: Behaviour
    definition: Definition

    @property
    def inputs(self) -> tuple[str, ...]:
        """The names of its inputs."""
        return tuple(name.split(".")[-1] for name, _ in self.definition.inputs)

    def __call__(self, *given: Value | Snapshot, **named: Value) -> Value:
        """Return its value.

        Raises:
            ArgumentsError: an input is missing, unknown or of another type, or the snapshot is
                missing.
        """
        snapshot = next(
            (argument for argument in given[:1] if isinstance(argument, Snapshot)), None
        )
        values = self._input_values(given[1:] if snapshot is not None else given, named)
        passed = self._captured_values(snapshot)
        accepted = dict[str, Value]()
        for (name, type_), value in zip(self.definition.inputs, values, strict=True):
            try:
                accepted[identifier(NameKind.INPUT, name)] = accept_value(type_, value)
            except ArgumentsError as wrong:
                raise ArgumentsError(
                    f"`{name.split('.')[-1]}` of `{self.definition.name}`: {wrong}"
                ) from None
        self._check_inputs({**passed, **accepted})
        function = self.behaviour.compiler.namespace[f"d_{self.definition.name}"]
        result: Value = function(
            *accepted.values(), *(passed[name] for name in self._captured_names)
        )
        return result

    @property
    def _captured_names(self) -> tuple[str, ...]:
        return tuple(self.behaviour.compiler.writer.captured_names[self.definition.name])

    def _input_values(self, given: tuple[Value, ...], named: dict[str, Value]) -> list[Value]:
        values = dict(zip(self.inputs, given, strict=False)) | named
        for name in named:
            if name not in self.inputs:
                raise unknown_word(
                    "input", name, self.inputs, f"definition `{self.definition.name}`"
                )
        missing = [name for name in self.inputs if name not in values]
        if missing or len(given) > len(self.inputs):
            takes = ", ".join(self.inputs) or "no inputs"
            raise ArgumentsError(
                f"`{self.definition.name}` takes {takes}; missing: {', '.join(missing) or 'none'}"
            )
        return [values[name] for name in self.inputs]

    def _captured_values(self, snapshot: Snapshot | None) -> dict[str, Value]:
        """Return the values of the names that its body uses beside its inputs."""
        if not self._captured_names:
            return {}
        if snapshot is None:
            raise ArgumentsError(
                f"`{self.definition.name}` looks at the machine's data: call it with a snapshot"
                " first"
            )
        snapshot = machine_tables(self.behaviour.machine).checked_snapshot(snapshot)
        known: dict[str, Value] = {identifier(NameKind.STATE, "state"): snapshot.state}
        known |= {
            identifier(NameKind.VARIABLE, name): value for name, value in snapshot.variables.items()
        }
        return known | {
            identifier(NameKind.PARAMETER, name): value
            for name, value in snapshot.parameters.items()
        }

    def _check_inputs(self, known: dict[str, Value]) -> None:
        """Look whether each input lies in the bounds and sets of its type."""
        for name, type_ in self.definition.inputs:
            compiler = self.behaviour.compiler
            type_check = type_check_source(compiler.writer, type_, identifier(NameKind.INPUT, name))
            if not type_check:
                continue
            used = compiler.all_used_names(type_sets(type_))
            names = sorted(
                {
                    identifier(NameKind.INPUT, name),
                    *(identifier(read.kind, read.name) for read in used),
                }
            )
            check = compiler.define_function(
                "within", f"def within({', '.join(names)}):\n    return {type_check}"
            )
            if not check(**{name: known[name] for name in names}):
                value = known[identifier(NameKind.INPUT, name)]
                raise ArgumentsError(
                    f"`{name.split('.')[-1]}` of `{self.definition.name}`: {value!r} is not of type"
                    f" `{type_}`"
                )


def definition_functions(behaviour: Behaviour) -> dict[str, DefinitionFunction]:
    """Return all definitions of a machine by name.

    Args:
        behaviour: of the machine.

    Returns:
        By name, a function of the definition's arguments.
    """
    return {
        definition.name: DefinitionFunction(behaviour, definition)
        for definition in behaviour.machine.data.definitions
    }
