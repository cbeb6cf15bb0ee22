"""How much of a machine is explored: sizes of types, ranges of integers, parameters; what was said
and what was assumed.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeVar

from attrs import field, frozen

from statemachines.explore.models.row_columns import has_unbounded_integers
from statemachines.model.definitions.data_definitions import Parameter
from statemachines.model.definitions.machine_definitions import MachineDefinition
from statemachines.model.definitions.snapshots import NamedValues, Snapshot, Value
from statemachines.model.language.expression_nodes import NameKind
from statemachines.model.language.frozen_values import FrozenMap
from statemachines.model.language.value_types import IdType, ListType, TextType, Type, nested_types
from statemachines.semantics.arguments.enumeration import check_nothing
from statemachines.semantics.arguments.value_sampling import widened_extent
from statemachines.semantics.evaluation.behaviour import Behaviour
from statemachines.semantics.machine.early_clauses import EarlyClauses, early_clauses
from statemachines.semantics.machine.initial_values import initial_variables
from statemachines.semantics.machine.value_enumeration import (
    DomainSizes,
    ValueContext,
    default_domain_sizes,
    enumerate_values,
)
from statemachines.semantics.messages.argument_errors import ArgumentsError, unknown_word
from statemachines.semantics.messages.python_literals import python_literal


@frozen
class ExplorationScope:
    """What a person says beside, or in place of, the spec's own `scope`."""

    sizes: Mapping[str, int] = field(factory=dict)
    """`id` type to how many values it has."""
    integers: tuple[int, int] | None = field(default=None)
    """The range of integers that have no bounds."""
    longest: int | None = None
    """The longest list that is drawn as an argument or parameter."""
    parameters: Mapping[str, Value] = field(factory=dict)
    """Values of parameters."""

    @integers.validator
    def _is_range(self, _: object, integers: object) -> None:
        """Raise ArgumentsError for what is no range of integers; None is none."""
        if integers is None:
            return
        if isinstance(integers, tuple | list) and [type(end) for end in integers] == [int, int]:
            return
        raise ArgumentsError(
            f"`integers` is {integers!r}, and is the least and the greatest of them"
        )


Beginning = TypeVar("Beginning")
"""A snapshot in which a machine or a system begins."""
DEFAULT_SCOPE = ExplorationScope()
_MOST_PARAMETER_VALUES = 5_000
"""Values of one parameter that are tried where nobody gives it."""
_MOST_DRAWN_VALUES = 1_000_000
"""Values of one parameter that are asked whether they may fit `where`."""
_MOST_ASSIGNMENTS = 500_000
"""The same of all parameters together."""
MOST_INITIAL_SNAPSHOTS = 1_000_000
"""Beginnings that are gone through."""


def scope_extent(behaviour: Behaviour, scope: ExplorationScope) -> DomainSizes:
    """Return how many values types have.

    Args:
        behaviour: of the machine.
        scope: what is said beside the spec's own.

    Returns:
        Type to number of values.

    Raises:
        ArgumentsError: the scope sizes a type that the machine does not have.
    """
    ids = [type_.name for type_ in id_types(behaviour.machine)]
    for name in scope.sizes:
        if name not in ids:
            raise unknown_word("id type", name, ids, behaviour.machine.name)
    base = default_domain_sizes(behaviour)
    return widened_extent(base, scope.sizes, scope.integers, scope.longest)


def id_types(machine: MachineDefinition) -> tuple[IdType, ...]:
    """Return the opaque names of a machine's types, in the order of their declaration."""
    return tuple(type_ for _, type_ in machine.data.types if isinstance(type_, IdType))


def unstated_bounds(behaviour: Behaviour, scope: ExplorationScope) -> Iterator[str]:
    """Yield the bounds that nobody named: what lies beyond them was not looked at."""
    machine, declared = behaviour.machine, behaviour.machine.data.scope
    parts = list(_enumerated_parts(machine))
    known = {*dict(declared.sizes), *scope.sizes}
    for type_ in dict.fromkeys(part for part in parts if isinstance(part, IdType)):
        if type_.name not in known:
            yield f"{type_.name} has 2 values, as no scope names it"
    if declared.integers is scope.integers is None and _counts_without_bounds(machine):
        yield "integers without bounds are explored from 0 to 3, as no scope has `int`"
    has_lists = any(isinstance(part, ListType) for part in parts)
    if declared.longest_list is scope.longest is None and has_lists:
        yield "lists have at most 2 elements, as no scope has `list`"


def is_complete(machine: MachineDefinition, scope: ExplorationScope) -> bool:
    """Tell whether a scope leaves nothing out: all that is drawn has bounds of its own, and no
    parameter is given.
    """
    named = {*scope.parameters, *dict(machine.data.scope.parameters)}
    given = any(parameter.name in named for parameter in machine.data.parameters)
    return not given and is_bounded(machine)


def is_bounded(machine: MachineDefinition) -> bool:
    """Tell whether all that is drawn has bounds of its own, and all numbers that a machine counts
    with.
    """
    endless = IdType | ListType | TextType
    parts = _enumerated_parts(machine)
    return not (any(isinstance(part, endless) for part in parts) or _counts_without_bounds(machine))


def scope_text(
    behaviour: Behaviour,
    extent: DomainSizes,
    sizes: Mapping[str, int],
    scope: ExplorationScope,
    begins: Iterable[NamedValues],
) -> str:
    """Write a scope as a person gives it: `Task=3, int=0..3, list=4, limit=3`.

    Args:
        behaviour: of the machine or the system.
        extent: how many values types have.
        sizes: those of `id` types, those of parts too.
        scope: what a person said.
        begins: the parameters of every beginning: those are named that were given, by a person or
            by the spec's own scope, and so were explored with one value only. What the spec says is
            left out where it is all values of an `id` type, whose number is said anyway.
    """
    own = behaviour.machine.data.scope
    settings = [f"{name}={size}" for name, size in sizes.items()]
    if (own.integers, scope.integers) != (None, None):
        settings.append(f"int={extent.integers[0]}..{extent.integers[1]}")
    if (own.longest_list, scope.longest) != (None, None):
        settings.append(f"list={extent.longest_list}")
    every = {frozenset(extent.id_values(type_)) for type_ in id_types(behaviour.machine)}
    named, rows = {*scope.parameters, *dict(own.parameters)}, list(begins)
    for parameter in behaviour.machine.data.parameters if rows else ():
        name, value = parameter.name, rows[0].get(parameter.name)
        is_fixed = name in named and all(row[name] == value for row in rows)
        if is_fixed and (name in scope.parameters or value not in every):
            settings.append(f"{name}={python_literal(value)}")
    return ", ".join(settings)


def _enumerated_types(machine: MachineDefinition) -> Iterator[Type]:
    """Yield the types whose values are drawn: arguments, parameters that no scope names, variables
    that begin with any value.
    """
    named, data = dict(machine.data.scope.parameters), machine.data
    signatures = (event.signature for event in machine.events if event.signature)
    yield from (argument.type for signature in signatures for argument in signature.arguments)
    yield from (parameter.type for parameter in data.parameters if parameter.name not in named)
    yield from (variable.type for variable in data.variables if variable.initial is None)


def _enumerated_parts(machine: MachineDefinition) -> Iterator[Type]:
    """Yield the same types, and those within them."""
    return (part for type_ in _enumerated_types(machine) for part in nested_types(type_))


def _counts_without_bounds(machine: MachineDefinition) -> bool:
    """Tell whether there are integers without bounds among what is drawn, or in a variable."""
    types = (variable.type for variable in machine.data.variables)
    return any(map(has_unbounded_integers, itertools.chain(_enumerated_types(machine), types)))


def scoped_initial_snapshots(
    behaviour: Behaviour, extent: DomainSizes, scope: ExplorationScope
) -> tuple[Snapshot, ...]:
    """Return every snapshot in which an instance may begin, with every value of the parameters that
    nobody gives.

    Args:
        behaviour: of the machine.
        extent: how many values types have.
        scope: what is said beside the spec's own.

    Returns:
        Snapshots, each once.

    Raises:
        ArgumentsError: a given parameter does not fit, or nothing may begin.
    """
    initial_snapshots = tuple(iterate_initial_snapshots(behaviour, extent, scope, []))
    if not initial_snapshots:
        raise no_initial_snapshot(behaviour)
    return initial_snapshots


def iterate_initial_snapshots(
    behaviour: Behaviour,
    extent: DomainSizes,
    scope: ExplorationScope,
    cut: list[str],
    spend: Callable[[], None] = check_nothing,
) -> Iterator[Snapshot]:
    """Yield what `beginnings` returns, one by one; `spend` is called now and then, and what it
    raises ends it.

    Args:
        behaviour: of the machine.
        extent: how many values types have.
        scope: what is said beside the spec's own.
        cut: is told what was left out because there are too many.
        spend: raises where the search is to end.

    Yields:
        A snapshot.

    Raises:
        ArgumentsError: a given parameter does not fit.
    """
    machine = behaviour.machine
    names = [parameter.name for parameter in machine.data.parameters]
    for name in scope.parameters:
        if name not in names:
            raise unknown_word("parameter", name, names, machine.name)
    within = parameter_assignments(behaviour, extent, scope, cut, spend)
    every = (
        snapshot
        for parameters in within
        for snapshot in _snapshots_with_parameters(behaviour, extent, parameters, spend)
    )
    yield from first_beginnings(every, MOST_INITIAL_SNAPSHOTS, cut)


def first_beginnings(every: Iterator[Beginning], most: int, cut: list[str]) -> Iterator[Beginning]:
    """Yield as many beginnings as are gone through; `cut` is told where there are more."""
    yield from itertools.islice(every, most)
    if next(every, None) is not None:
        cut.append(f"there are more than {most:,} beginnings; the others were not looked at")


def no_initial_snapshot(behaviour: Behaviour) -> ArgumentsError:
    """Return what is wrong where there is no beginning."""
    return ArgumentsError(
        f"nothing begins: {behaviour.machine.name} has no first state, or no parameters fit"
    )


def _snapshots_with_parameters(
    behaviour: Behaviour, extent: DomainSizes, parameters: NamedValues, spend: Callable[[], None]
) -> Iterator[Snapshot]:
    condition = behaviour.machine.data.initially
    holds = None if condition is None else behaviour.evaluator(condition)
    states = [state.name for state in behaviour.machine.states if state.initial]
    for state in states:
        for variables in initial_variables(behaviour, parameters, extent, spend):
            if holds is None or holds(state, variables, parameters):
                yield Snapshot(state, FrozenMap(variables), FrozenMap(parameters))


def parameter_assignments(
    behaviour: Behaviour,
    extent: DomainSizes,
    scope: ExplorationScope,
    cut: list[str],
    spend: Callable[[], None] = check_nothing,
) -> Iterator[NamedValues]:
    """Yield all parameters: those given, those of the spec's scope, every value of the others;
    those against `where` left out.

    Limits: of one parameter that nobody gives, the first 5,000 values that may fit, of a million;
    of all together, 500,000.
    What is left out is told in `cut`.
    """
    parameters = behaviour.machine.data.parameters
    names, where = [parameter.name for parameter in parameters], behaviour.machine.data.where
    clauses = early_clauses(behaviour, where, NameKind.PARAMETER, names)
    known: list[dict[str, Value]] = [{}]
    for place, parameter in enumerate(parameters):
        following = list[dict[str, Value]]()
        for chosen in known:
            spend()
            values = _given_value(behaviour, extent, scope, parameter, chosen)
            if values is None:
                values = _drawn_values(behaviour, extent, place, chosen, clauses, cut, spend)
            if len(values) > _MOST_PARAMETER_VALUES:
                _append_once(
                    cut,
                    f"parameter `{parameter.name}` has more than {_MOST_PARAMETER_VALUES:,} values;"
                    " the others were not looked at",
                )
            following += [
                {**chosen, parameter.name: value} for value in values[:_MOST_PARAMETER_VALUES]
            ]
            if len(following) > _MOST_ASSIGNMENTS:
                _append_once(
                    cut,
                    f"the parameters have more than {_MOST_ASSIGNMENTS:,} values together; the"
                    " others were not looked at",
                )
                break
        known = following[:_MOST_ASSIGNMENTS]
    named = {*scope.parameters, *dict(behaviour.machine.data.scope.parameters)}
    for chosen in known:
        spend()
        try:
            yield behaviour.checked_parameters(chosen)
        except ArgumentsError:
            if named.issuperset(names):  # where all were given, one that does not fit is a mistake
                raise


def _given_value(
    behaviour: Behaviour,
    extent: DomainSizes,
    scope: ExplorationScope,
    parameter: Parameter,
    chosen: dict[str, Value],
) -> list[Value] | None:
    """Return the value that the caller or the spec's scope gives a parameter; None: neither."""
    if parameter.name in scope.parameters:
        return [scope.parameters[parameter.name]]
    named = dict(behaviour.machine.data.scope.parameters)
    if parameter.name not in named:
        return None
    ids = {type_.name: frozenset(extent.id_values(type_)) for type_ in id_types(behaviour.machine)}
    return [behaviour.evaluator(named[parameter.name])("", {}, chosen, None, None, ids)]


def _drawn_values(
    behaviour: Behaviour,
    extent: DomainSizes,
    place: int,
    chosen: dict[str, Value],
    clauses: EarlyClauses,
    cut: list[str],
    spend: Callable[[], None],
) -> list[Value]:
    """Return the values that a parameter is tried with, those before it being chosen, as far as
    they may fit `where`: one more at most than are tried.
    """
    parameter = behaviour.machine.data.parameters[place]
    every = enumerate_values(parameter.type, ValueContext(behaviour, extent, "", {}, chosen, {}))
    fitting = list[Value]()
    for value in itertools.islice(every, _MOST_DRAWN_VALUES):
        if not clauses.allows(place, {}, {**chosen, parameter.name: value}):
            spend()
            continue
        fitting.append(value)
        if len(fitting) > _MOST_PARAMETER_VALUES:
            return fitting
    if next(every, None) is not None:
        _append_once(
            cut,
            f"parameter `{parameter.name}` has more than {_MOST_DRAWN_VALUES:,} values; the others"
            " were not looked at",
        )
    return fitting


def _append_once(cut: list[str], what: str) -> None:
    if what not in cut:
        cut.append(what)
