"""The data of a machine: types, variables, operations and properties (part B of the notation), in
one release.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable

from attrs import field

from statemachines.model.diagnosis.diagnostics import Span
from statemachines.model.language.expression_nodes import Enabled, Expression, walk
from statemachines.model.language.value_types import FiniteType, Type
from statemachines.model.values import frozen


@frozen
class Parameter:
    """A value that is fixed for an instance."""

    name: str
    type: Type
    doc: str = ""
    span: Span | None = field(default=None, eq=False, repr=False)


@frozen
class Variable:
    """A value that steps change."""

    name: str
    type: Type
    initial: Expression | None = None
    """None: any value of its type, of which `initially` chooses."""
    observable: bool = True
    """Whether an implementation shows it."""
    doc: str = ""
    span: Span | None = field(default=None, eq=False, repr=False)


@frozen
class Argument:
    """What the environment decides of an event."""

    name: str
    type: Type
    chosen: bool = False
    """Whether the system decides it, not the caller."""
    doc: str = ""
    span: Span | None = field(default=None, eq=False, repr=False)


@frozen
class Let:
    """A named value within an operation."""

    name: str
    value: Expression
    span: Span | None = field(default=None, eq=False, repr=False)


@frozen
class Signature:
    """What an event takes: its arguments in order, and what the world guarantees of them."""

    arguments: tuple[Argument, ...] = ()
    lets: tuple[Let, ...] = ()
    """`let` of the event: for `where` and for every transition of it."""
    where: Expression | None = None


@frozen
class Assignment:
    """A variable's new value; it sees the old values of all."""

    variable: str
    value: Expression
    proved: bool = False
    """Whether the value surely is of the variable's type; where not, each step looks."""
    span: Span | None = field(default=None, eq=False, repr=False)


Returns = Expression | tuple[tuple[str, Expression], ...] | None
"""A value; names with their values; nothing that is compared."""


@frozen(cache_hash=True)
class Case:
    """Guard, effect and results of one outcome of an operation."""

    index: int = 0
    """Its place among the cases of its operation, from 0; the first whose `when` holds is taken."""
    guard: Expression | None = None
    """Of the operation: the same in all its cases."""
    when: Expression | None = None
    lets: tuple[Let, ...] = ()
    """Of the operation, beside those of its event."""
    effect: tuple[Assignment, ...] = ()
    returns: Returns = None
    raises: str | None = None
    """The error's name."""
    doc: str = ""


@frozen
class Definition:
    """A typed, pure function; without inputs: a named value."""

    name: str
    inputs: tuple[tuple[str, Type], ...]
    """The names are those of the `Name` nodes in the body: `definition.input`."""
    body: Expression
    doc: str = ""
    span: Span | None = field(default=None, eq=False, repr=False)


@frozen
class ErrorName:
    """An exception that is part of the behaviour."""

    name: str
    doc: str = ""
    span: Span | None = field(default=None, eq=False, repr=False)


@frozen
class TextTemplate:
    """A template for people: literal parts and names of parameters, variables, `state`."""

    name: str
    text: str
    """As it was written, with `{name}` for a value."""
    doc: str = ""
    span: Span | None = field(default=None, eq=False, repr=False)


class PropertyKind(enum.StrEnum):
    """What kind of property one is."""

    ALWAYS = "always"
    EACH_STEP = "each step"
    SOMETIMES = "sometimes"
    LEADS_TO = "leads to"
    ALWAYS_EVENTUALLY = "always eventually"
    EVENTUALLY_ALWAYS = "eventually always"
    UNTIL = "until"
    NO_DEADLOCK = "no deadlock"
    REFINES = "refines"

    @property
    def is_of_runs(self) -> bool:
        """Whether whole runs keep or break it, those that never end included: a promise."""
        return self in (
            PropertyKind.LEADS_TO,
            PropertyKind.ALWAYS_EVENTUALLY,
            PropertyKind.EVENTUALLY_ALWAYS,
            PropertyKind.UNTIL,
        )


@frozen
class Fairness:
    """An event that is not put off for ever: as a whole, or for each value of an argument."""

    event: str
    argument: str | None = None
    """The argument."""
    strong: bool = False
    """Whether it happens where it is possible again and again; else where it is possible without a
    break.
    """
    group: int | None = None
    """Events of one group, of those that are as strong, are fair as one: one of them happens where
    one of them is possible.
    """


def fairness_groups(events: Iterable[Fairness]) -> tuple[tuple[Fairness, ...], ...]:
    """Return fair events, those that are fair as one together.

    Args:
        events: in any order; those of one group are as strong.

    Returns:
        The groups, in the order of their first events; an event by itself is one.
    """
    groups = dict[object, list[Fairness]]()
    for number, fair in enumerate(events):
        key = ("alone", number) if fair.group is None else (fair.strong, fair.group)
        groups.setdefault(key, []).append(fair)
    return tuple(tuple(group) for group in groups.values())


@frozen
class Property:
    """What shall hold of the runs of a machine."""

    kind: PropertyKind
    name: str
    holds: Expression | None = None
    """The condition; of `leads to` and `until`: what must follow; None for `no deadlock`."""
    when: Expression | None = None
    """Of a promise: what begins it; of `sometimes` for each of a set: that a value is one of it."""
    meanwhile: Expression | None = None
    """Of `until`: what holds until then."""
    assuming: tuple[Fairness, ...] = ()
    each: tuple[tuple[str, Type], ...] = ()
    """Names that stand for each value of a type: it is claimed for each of them."""
    until_raised: bool = False
    """Whether it is claimed only of runs in which no step has raised."""
    expect_fails: bool = False
    """Whether it is a known bug of the real system: then it must fail."""
    doc: str = ""
    span: Span | None = field(default=None, eq=False, repr=False)

    @property
    def needs_scope(self) -> bool:
        """Whether it can be looked at only where all values of types are known: it is claimed for
        each of them, or asks which events are enabled.
        """
        return bool(self.each) or self.asks_enabled

    @property
    def asks_enabled(self) -> bool:
        """Whether it asks which events are enabled."""
        conditions = (self.holds, self.when, self.meanwhile)
        return any(
            isinstance(part, Enabled)
            for condition in conditions
            if condition is not None
            for part in walk(condition)
        )


@frozen
class Refinement:
    """Another machine of which every run is one, seen through expressions: an abstract one."""

    abstract: str
    """Its name, as the spec has it."""
    by: tuple[tuple[str, Expression], ...]
    """`state`, where it has named states, then its parameters and its variables, in its order: what
    each is here.
    """
    each: tuple[tuple[str, Type], ...] = ()
    """Names that stand for each value of a type; it is claimed for each of them."""
    guard: Expression | None = None
    """Of a value that is one of a set: that it is; only then is it claimed."""
    assuming: tuple[Fairness, ...] | None = None
    """The events of this machine that are fair where it keeps what the abstract one promises;
    None: its promises are not claimed.
    """
    ids: tuple[tuple[str, FiniteType], ...] = ()
    """Its `id` types that are of another type here, and the types whose values stand for theirs."""
    most_steps: int = 1
    """How many steps of the abstract machine one step is at most."""
    expect_fails: bool = False
    """Whether it is known not to be so: then it must fail."""
    doc: str = ""
    span: Span | None = field(default=None, eq=False, repr=False)


@frozen
class ScopeDefinition:
    """How much of a machine is explored where nothing else is said."""

    sizes: tuple[tuple[str, int], ...] = ()
    """How many values an `id` type has."""
    integers: tuple[int, int] | None = None
    """The range of integers that have none."""
    parameters: tuple[tuple[str, Expression], ...] = ()
    """Values of parameters."""
    longest_list: int | None = None
    """The longest list that is drawn as an argument or parameter."""
    constraint: Expression | None = None
    """What holds of the states that are gone on from."""


@frozen
class MachineData:
    """All that a machine says beside its states and transitions."""

    types: tuple[tuple[str, Type], ...] = ()
    parameters: tuple[Parameter, ...] = ()
    where: Expression | None = None
    """What parameters satisfy."""
    variables: tuple[Variable, ...] = ()
    initially: Expression | None = None
    definitions: tuple[Definition, ...] = ()
    errors: tuple[ErrorName, ...] = ()
    texts: tuple[TextTemplate, ...] = ()
    properties: tuple[Property, ...] = ()
    final: Expression | None = None
    """Where, beside final states, it is legal to stop."""
    scope: ScopeDefinition = ScopeDefinition()
    refinements: tuple[Refinement, ...] = ()

    @property
    def promises_of_runs(self) -> bool:
        """Whether something is claimed of whole runs, those that never end included."""
        return any(property_.kind.is_of_runs for property_ in self.properties) or any(
            refinement.assuming is not None for refinement in self.refinements
        )

    @property
    def fair_events(self) -> tuple[Fairness, ...]:
        """The events that some promise assumes to be fair."""
        assumed = [property_.assuming for property_ in self.properties]
        assumed += [refinement.assuming or () for refinement in self.refinements]
        return tuple(fair for events in assumed for fair in events)

    def variable(self, name: str) -> Variable | None:
        """Return a variable; None where there is none of this name.

        Args:
            name: as the spec has it.

        Returns:
            The variable, or None.
        """
        return next((variable for variable in self.variables if variable.name == name), None)


EMPTY_DATA = MachineData()
"""The data of a machine that is a table of moves."""
