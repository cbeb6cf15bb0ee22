"""A machine's definitions as functions of Python."""

from __future__ import annotations

from attrs import frozen

from statemachines.model.data import Definition
from statemachines.model.expressions import Kind, sets_in_type
from statemachines.model.snapshots import Snapshot, Value
from statemachines.semantics.behaviour import Behaviour
from statemachines.semantics.checks import check_of
from statemachines.semantics.mistakes import ArgumentsError, unknown
from statemachines.semantics.source import identifier
from statemachines.semantics.tables import tables_of
from statemachines.semantics.values import accept


@frozen
class Function:
    """A definition that can be called: with a snapshot where it looks at the machine's data, and its inputs by name or in order."""

    behaviour: Behaviour
    definition: Definition

    @property
    def inputs(self) -> tuple[str, ...]:
        """The names of its inputs."""
        return tuple(name.split(".")[-1] for name, _ in self.definition.inputs)

    def __call__(self, *given: Value | Snapshot, **named: Value) -> Value:
        """Return its value.

        Raises:
            ArgumentsError: an input is missing, unknown or of another type, or the snapshot is missing.
        """
        snapshot = next((one for one in given[:1] if isinstance(one, Snapshot)), None)
        values = self._inputs(given[1:] if snapshot is not None else given, named)
        passed = self._surroundings(snapshot)
        accepted = dict[str, Value]()
        for (name, type_), value in zip(self.definition.inputs, values, strict=True):
            try:
                accepted[identifier(Kind.INPUT, name)] = accept(type_, value)
            except ArgumentsError as wrong:
                raise ArgumentsError(f"`{name.split('.')[-1]}` of `{self.definition.name}`: {wrong}") from None
        self._check({**passed, **accepted})
        function = self.behaviour.compiler.functions[f"d_{self.definition.name}"]
        result: Value = function(*accepted.values(), *(passed[name] for name in self._passed))
        return result

    @property
    def _passed(self) -> tuple[str, ...]:
        return tuple(self.behaviour.compiler.writer.free[self.definition.name])

    def _inputs(self, given: tuple[Value, ...], named: dict[str, Value]) -> list[Value]:
        values = dict(zip(self.inputs, given, strict=False)) | named
        for name in named:
            if name not in self.inputs:
                raise unknown("input", name, self.inputs, f"definition `{self.definition.name}`")
        missing = [name for name in self.inputs if name not in values]
        if missing or len(given) > len(self.inputs):
            takes = ", ".join(self.inputs) or "no inputs"
            raise ArgumentsError(f"`{self.definition.name}` takes {takes}; missing: {', '.join(missing) or 'none'}")
        return [values[name] for name in self.inputs]

    def _surroundings(self, snapshot: Snapshot | None) -> dict[str, Value]:
        """Return the values of the names that its body uses beside its inputs."""
        if not self._passed:
            return {}
        if snapshot is None:
            raise ArgumentsError(f"`{self.definition.name}` looks at the machine's data: call it with a snapshot first")
        snapshot = tables_of(self.behaviour.machine).usable(snapshot)
        known: dict[str, Value] = {identifier(Kind.STATE, "state"): snapshot.state}
        known |= {identifier(Kind.VARIABLE, name): value for name, value in snapshot.variables.items()}
        return known | {identifier(Kind.PARAMETER, name): value for name, value in snapshot.parameters.items()}

    def _check(self, known: dict[str, Value]) -> None:
        """Look whether each input lies in the bounds and sets of its type."""
        for name, type_ in self.definition.inputs:
            compiler = self.behaviour.compiler
            asked = check_of(compiler.writer, type_, identifier(Kind.INPUT, name))
            if not asked:
                continue
            used = compiler.names_of(sets_in_type(type_))
            names = sorted({identifier(Kind.INPUT, name), *(identifier(one.kind, one.name) for one in used)})
            check = compiler.define("within", f"def within({', '.join(names)}):\n    return {asked}")
            if not check(**{one: known[one] for one in names}):
                value = known[identifier(Kind.INPUT, name)]
                raise ArgumentsError(f"`{name.split('.')[-1]}` of `{self.definition.name}`: {value!r} is not of type `{type_}`")


def definitions_of(behaviour: Behaviour) -> dict[str, Function]:
    """Return all definitions of a machine by name."""
    return {definition.name: Function(behaviour, definition) for definition in behaviour.machine.data.definitions}
