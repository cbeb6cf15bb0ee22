"""A system explored as one machine: every state within a scope, and what its rules say of them."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping

from attrs import evolve

from statemachines.explore.arguments.value_sampling import NamedValues
from statemachines.explore.checkpoints.checkpoint_files import keep_when_ended_early
from statemachines.explore.checkpoints.system_checkpoints import system_checkpoint
from statemachines.explore.machine_exploration import (
    DEFAULT_OPTIONS,
    ExplorationOptions,
    options_text,
)
from statemachines.explore.models.scopes import (
    DEFAULT_SCOPE,
    ExplorationScope,
    fixed_parameters,
    id_types,
    is_bounded,
    scope_settings,
    unstated_bounds,
)
from statemachines.explore.models.system_model import SystemModel, build_system_model
from statemachines.explore.properties.vacuity import vacuous_message
from statemachines.explore.results.system_results import (
    SystemExploration,
    SystemPropertyResult,
    SystemTrace,
)
from statemachines.explore.rows.row_search import CanonicalRow
from statemachines.explore.rows.system_search import SystemSearch, search_system
from statemachines.explore.rows.system_symmetry import build_canonical_system_row
from statemachines.explore.verdicts.property_verdicts import (
    property_title,
    property_verdict,
    with_expected_failure,
)
from statemachines.explore.verdicts.system_fairness import system_leads_to_result
from statemachines.model.definitions.data_definitions import Property, PropertyKind
from statemachines.model.definitions.snapshots import Snapshot, Value
from statemachines.model.definitions.system_definitions import SystemDefinition
from statemachines.model.evidence.verdicts import Verdict
from statemachines.semantics.messages.argument_errors import ArgumentsError
from statemachines.semantics.system.system_step import deliver_event, step_system

SOUND_TITLE, LINKS_TITLE = "the spec is sound", "every link sends"


def explore_system(
    system: SystemDefinition,
    scope: ExplorationScope = DEFAULT_SCOPE,
    how: ExplorationOptions = DEFAULT_OPTIONS,
) -> SystemExploration:
    """Visit every state of a system, breadth first, and look at its rules.

    Args:
        system: in one release.
        scope: sizes of `id` types (the keys of parts too), ranges, and parameters of the system.
        how: symmetry, limits, and the file of a search that stopped; a system is explored by rows,
            one of it.

    Returns:
        What was found: HOLDS is said of all states within the scope; where a bound was hit, what
            was not broken is INCONCLUSIVE.

    Raises:
        ArgumentsError: the scope does not fit the system, nothing begins, several copies are asked
            for, or the file is of another search.

    Complexity: each step is asked of the system once; some 500 bytes a state.
    """
    how = how.with_clock_started()
    return explore_system_model(build_system_model(system, scope, how.limits), scope, how)[0]


def explore_system_model(
    world: SystemModel, scope: ExplorationScope, how: ExplorationOptions
) -> tuple[SystemExploration, SystemSearch]:
    """Visit every state of a system's world; see `explore_system`.

    Returns:
        What was found, and the search behind it: it has every row in the order in which they were
            met.
    """
    begun, system = time.monotonic(), world.system
    if how.copies > 1:
        raise ArgumentsError(
            f"{world.tables.title} is a system, of which there is one; --scope says how many of its"
            " parts, as Task=3 does"
        )
    how = how.with_clock_started()
    canonical, said = (
        build_canonical_system_row(world) if how.symmetry else None,
        system_scope_text(world, scope),
    )
    keep = None
    if (
        how.resume is not None and not world.ending.ended_early
    ):  # with some of its beginnings only it would be taken for another search
        keep = system_checkpoint(how.resume, world, said, options_text(how))
    run = search_system(world, how.limits, canonical, raising=True, keep=keep)
    with keep_when_ended_early(keep, run, run.save):
        assumptions, examined = _property_results(run, scope, how, canonical)
    found = SystemExploration(
        system,
        said,
        how.symmetry,
        len(run.rows),
        run.transitions,
        run.disabled,
        run.depth,
        tuple(examined),
        tuple(dict.fromkeys([*assumptions, *run.bounds])),
        tuple(_unreached_states(world)),
        run.interrupted,
        time.monotonic() - begun,
    )
    return found, run


def _property_results(
    run: SystemSearch,
    scope: ExplorationScope,
    how: ExplorationOptions,
    canonical: CanonicalRow | None,
) -> tuple[list[str], list[SystemPropertyResult]]:
    """Return the bounds that nobody named, and what is said of each property."""
    world = run.world
    assumptions = [*_unstated_bounds(world, scope)]
    bounded = bool(assumptions or run.bounds)
    examined = [_soundness_result(run, bounded), _links_result(run, bounded)]
    calm = _search_without_raising(world, run, how, canonical)
    for claimed in world.system.data.properties:
        one = with_expected_failure(_property_result(run, calm, claimed, how, bounded))
        seen = calm if claimed.until_raised else run
        left = (
            seen.properties.vacuous_left_side(claimed, seen.hits)
            if seen is not None and one.verdict is Verdict.HOLDS and not one.said
            else None
        )
        examined.append(one if left is None else evolve(one, said=vacuous_message(left)))
    return assumptions, examined


def _search_without_raising(
    world: SystemModel, run: SystemSearch, how: ExplorationOptions, canonical: CanonicalRow | None
) -> SystemSearch | None:
    """Search once more where something is claimed of runs in which nothing has raised; what stops
    that is a bound of the first search.
    """
    if (
        run.interrupted
        or run.out_of_memory
        or not any(one.until_raised for one in world.system.data.properties)
    ):
        return None
    calm = search_system(world, how.limits, canonical, raising=False)
    run.bounds += [bound for bound in calm.bounds if bound not in run.bounds]
    run.interrupted, run.out_of_memory = calm.interrupted, calm.out_of_memory
    return calm


def _property_result(
    run: SystemSearch,
    calm: SystemSearch | None,
    claimed: Property,
    how: ExplorationOptions,
    bounded: bool,
) -> SystemPropertyResult:
    """Look at one property."""
    seen = calm if claimed.until_raised else run
    if seen is None or (
        (run.interrupted or run.out_of_memory) and claimed.kind is PropertyKind.LEADS_TO
    ):
        why = (
            "interrupted before it was looked at"
            if run.interrupted
            else "not looked at, as no memory is left"
        )
        return SystemPropertyResult(
            property_title(claimed), Verdict.INCONCLUSIVE, why, property=claimed
        )
    if claimed.kind is PropertyKind.LEADS_TO:
        return system_leads_to_result(seen, run, claimed, bounded or bool(seen.bounds), how.limits)
    number = run.world.system.data.properties.index(claimed)
    trace = seen.property_trace(number) if number in seen.hits else None
    verdict, said = property_verdict(claimed, trace is not None, bounded or bool(seen.bounds))
    return SystemPropertyResult(property_title(claimed), verdict, said, trace, claimed)


def _soundness_result(run: SystemSearch, bounds: bool) -> SystemPropertyResult:
    """Say whether shared variables keep to their types, and what links send fits."""
    if not run.world.faulty_rows:
        return SystemPropertyResult(SOUND_TITLE, Verdict.INCONCLUSIVE if bounds else Verdict.HOLDS)
    trace = run.row_trace(
        run.indices[run.world.faulty_rows[0]],
        lambda _, step: bool(step.trace_step.answer.spec_errors),
    )
    return SystemPropertyResult(
        SOUND_TITLE, Verdict.VIOLATED, trace.steps[-1].answer.spec_errors[0], trace
    )


def _links_result(run: SystemSearch, bounds: bool) -> SystemPropertyResult:
    """Say which links never send anything: a guard that never holds, or a state that is never
    entered.
    """
    links = [
        link
        for link in run.world.system.links
        if link.send is not None and link.index not in run.fired_links
    ]
    if not links:
        return SystemPropertyResult(LINKS_TITLE, Verdict.HOLDS)
    named = ", ".join(
        f"link {link.index + 1}" + (f" (line {link.span.line})" if link.span is not None else "")
        for link in links
    )
    parts = run.world.tables.parts.values()
    machines = [
        run.world.tables.behaviour.machine,
        *(one.machine for one in run.world.tables.tables.values()),
    ]
    sure = (
        not bounds
        and not any(part.each is not None for part in parts)
        and all(map(is_bounded, machines))
    )
    return SystemPropertyResult(
        LINKS_TITLE,
        Verdict.VIOLATED if sure else Verdict.INCONCLUSIVE,
        f"{'not yet' if bounds else 'never'}: {named}",
    )


def _unreached_states(world: SystemModel) -> Iterator[str]:
    """Yield the states that no part comes to."""
    for name, tables in world.tables.tables.items():
        reached = {one.state for one in world.part_values[name].values if isinstance(one, Snapshot)}
        yield from (f"{name}.{state}" for state in tables.states if state and state not in reached)


def _unstated_bounds(world: SystemModel, scope: ExplorationScope) -> Iterator[str]:
    """Yield the bounds that nobody named, including those that were hit by random values."""
    own = world.system.data.scope
    longest = own.longest_list if scope.longest is None else scope.longest
    named = evolve(
        scope,
        sizes={**dict(own.sizes), **scope.sizes},
        integers=scope.integers or own.integers,
        longest=longest,
    )
    yield from unstated_bounds(world.tables.behaviour, named)
    for name, part in world.tables.parts.items():
        each = [
            one.name
            for one in id_types(world.tables.behaviour.machine)
            if part.each is not None and one.name in str(part.each)
        ]
        yield from (
            f"{type_} has 2 values, as no scope names it"
            for type_ in each
            if type_ not in named.sizes
        )
        yield from unstated_bounds(world.tables.tables[name].behaviour, named)
    yield from world.truncations
    for (name, event), draws in world.enumerations.items():
        if draws.is_truncated:
            yield (
                f"`{name}.{event}` has more than {draws.most:,} arguments somewhere; the others"
                " were not looked at"
            )


def system_scope_text(world: SystemModel, scope: ExplorationScope) -> str:
    """Say what was explored, as `--scope` takes it: sizes of types, those of parts too, ranges,
    given parameters.
    """
    own, extents = world.tables.behaviour, world.extents
    sizes = {type_.name: len(world.extent.id_values(type_)) for type_ in id_types(own.machine)}
    for name, tables in world.tables.tables.items():
        for type_ in id_types(tables.machine):
            sizes.setdefault(type_.name, len(extents[name].id_values(type_)))
    named = own.machine.data.scope
    longest = (
        world.extent.longest_list if (named.longest_list, scope.longest) != (None, None) else None
    )
    begins: list[NamedValues] = [
        world.parameters.values[number]  # type: ignore[misc]
        for number in {row[-2] for row in world.initial_rows}
    ]
    return ", ".join(
        scope_settings(
            sizes,
            scope.integers or named.integers,
            longest,
            fixed_parameters(own, world.extent, scope, begins),
        )
    )


def replays(system: SystemDefinition, trace: SystemTrace) -> bool:
    """Tell whether the system's step gives the answers of a trace, arguments looked at too."""
    now = trace.begin
    for one in trace.steps:
        if one.delivered_from is not None:
            answer = deliver_event(system, now, one.delivered_from)
        else:
            given: Mapping[str, Value] = one.arguments
            answer = step_system(system, now, one.event, key=one.key, **given)
        if answer != one.answer:
            return False
        now = answer.after
    return True
