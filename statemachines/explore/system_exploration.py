"""A system explored as one machine: every state within a scope, and what its rules say of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from attrs import evolve

from statemachines.explore.arguments.value_sampling import NamedValues
from statemachines.explore.model_exploration import ModelQuestions, explore_by
from statemachines.explore.models.scopes import (
    DEFAULT_SCOPE,
    ExplorationScope,
    id_types,
    is_bounded,
    scope_text,
    unstated_bounds,
)
from statemachines.explore.models.system_initial_rows import build_system_model
from statemachines.explore.models.system_model import SystemModel
from statemachines.explore.options import DEFAULT_OPTIONS, ExplorationOptions
from statemachines.explore.results.property_results import PropertyResult
from statemachines.explore.results.system_results import SystemExploration, SystemTrace
from statemachines.explore.rows.row_search import SearchResult
from statemachines.model.definitions.snapshots import Value
from statemachines.model.definitions.system_definitions import SystemDefinition
from statemachines.model.evidence.verdicts import Verdict
from statemachines.semantics.messages.argument_errors import ArgumentsError
from statemachines.semantics.system.system_step import deliver_event, step_system

LINKS_TITLE = "every link sends"


def explore_system(
    system: SystemDefinition,
    scope: ExplorationScope = DEFAULT_SCOPE,
    how: ExplorationOptions = DEFAULT_OPTIONS,
) -> SystemExploration:
    """Visit every state of a system, breadth first, and look at its rules.

    Args:
        system: in one release.
        scope: sizes of `id` types (the keys of parts too), ranges, and parameters of the system.
        how: symmetry, limits, and the file of a search that stopped; there is one of a system.

    Returns:
        What was found: HOLDS is said of all states within the scope; where a bound was hit, what
            was not broken is INCONCLUSIVE.

    Raises:
        ArgumentsError: the scope does not fit the system, nothing begins, several copies are asked
            for, or the file is of another search.

    Complexity: each step is asked of the system once for what it looks at.
    """
    how = how.with_clock_started()
    return explore_system_model(build_system_model(system, scope, how.limits), scope, how)[0]


def explore_system_model(
    model: SystemModel, scope: ExplorationScope, how: ExplorationOptions
) -> tuple[SystemExploration, SearchResult]:
    """Visit every state of a system's model; see `explore_system`.

    Args:
        model: of the system.
        scope: in which it was made.
        how: engine, limits and properties.

    Returns:
        What was found, and the search behind it: with `engine="rows"` it has every row in the order
            in which they were met.

    Raises:
        ArgumentsError: several copies are asked for.
    """
    if how.copies > 1:
        raise ArgumentsError(
            f"{model.title} is a system, of which there is one; --scope says how many of its"
            " parts, as Task=3 does"
        )
    explored = explore_by(
        model,
        how,
        ModelQuestions(
            _system_scope_text(model, scope),
            lambda: list(_assumed_bounds(model, scope)),
            lambda bounds: _links_result(model, bounds),
            lambda _: False,
        ),
    )
    exploration = SystemExploration(
        system=model.system, unreached_states=tuple(_unreached_states(model)), **explored.fields
    )
    return exploration, explored.search


def _links_result(model: SystemModel, bounds: bool) -> PropertyResult[SystemTrace]:
    """Say which links never send anything: a guard that never holds, or a state that is never
    entered.
    """
    fired = model.fired_links
    links = [
        link
        for link in model.system.links
        if (link.send is not None or link.create is not None) and link.index not in fired
    ]
    if not links:
        return PropertyResult(LINKS_TITLE, Verdict.HOLDS)
    named = ", ".join(
        f"link {link.index + 1}" + (f" (line {link.span.line})" if link.span is not None else "")
        for link in links
    )
    parts = model.tables.parts.values()
    machines = [
        model.tables.behaviour.machine,
        *(table.machine for table in model.tables.tables.values()),
    ]
    sure = (
        not bounds
        and not any(part.each is not None for part in parts)
        and all(map(is_bounded, machines))
    )
    return PropertyResult(
        LINKS_TITLE,
        Verdict.VIOLATED if sure else Verdict.INCONCLUSIVE,
        f"{'not yet' if bounds else 'never'}: {named}",
    )


def _unreached_states(model: SystemModel) -> Iterator[str]:
    """Yield the states that no part comes to."""
    for name, tables in model.tables.tables.items():
        reached = {
            part_value.state
            for part_value in model.layout.part_values(name)
            if part_value is not None
        }
        yield from (f"{name}.{state}" for state in tables.states if state and state not in reached)


def _assumed_bounds(model: SystemModel, scope: ExplorationScope) -> Iterator[str]:
    """Yield the bounds that nobody named, including those that were hit by random values."""
    own = model.system.data.scope
    longest = own.longest_list if scope.longest is None else scope.longest
    named = evolve(
        scope,
        sizes={**dict(own.sizes), **scope.sizes},
        integers=scope.integers or own.integers,
        longest=longest,
    )
    yield from unstated_bounds(model.tables.behaviour, named)
    for name, part in model.tables.parts.items():
        type_names = [
            id_type.name
            for id_type in id_types(model.tables.behaviour.machine)
            if part.each is not None and id_type.name in str(part.each)
        ]
        yield from (
            f"{type_} has 2 values, as no scope names it"
            for type_ in type_names
            if type_ not in named.sizes
        )
        yield from unstated_bounds(model.tables.tables[name].behaviour, named)
    yield from model.truncations
    for name, moves in model.part_moves.items():
        for event, enumeration in moves.enumerations.items():
            yield from enumeration.bounds(f"{name}.{event}")


def _system_scope_text(model: SystemModel, scope: ExplorationScope) -> str:
    """Say what was explored, as `--scope` takes it: sizes of types, those of parts too, ranges,
    given parameters.
    """
    own, extents = model.tables.behaviour, model.extents
    sizes = {type_.name: len(model.extent.id_values(type_)) for type_ in id_types(own.machine)}
    for name, tables in model.tables.tables.items():
        for type_ in id_types(tables.machine):
            sizes.setdefault(type_.name, len(extents[name].id_values(type_)))
    place = model.layout.parameters_place
    begins: list[NamedValues] = [
        model.layout.column_value(place, number)
        for number in {row[place] for row in model.initial_rows}
    ]
    return scope_text(own, model.extent, sizes, scope, begins)


def replays(system: SystemDefinition, trace: SystemTrace) -> bool:
    """Tell whether the system's step gives the answers of a trace, arguments looked at too."""
    now = trace.begin
    for step in trace.steps:
        if step.delivered_from is not None:
            answer = deliver_event(system, now, step.delivered_from)
        else:
            given: Mapping[str, Value] = step.arguments
            answer = step_system(system, now, step.event, key=step.key, **given)
        if answer != step.answer:
            return False
        now = answer.after
    return True
