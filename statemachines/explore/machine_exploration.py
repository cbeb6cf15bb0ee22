"""A machine explored: every state within a scope, and what its properties say of them."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

from attrs import evolve, frozen

from statemachines.explore.arguments.value_sampling import NamedValues
from statemachines.explore.arrays.array_search import is_numpy_installed, search_arrays
from statemachines.explore.checkpoints.checkpoint_files import (
    Checkpoint,
    keep_when_ended_early,
    machine_checkpoint,
)
from statemachines.explore.models.machine_model import MachineModel, build_machine_model
from statemachines.explore.models.scopes import (
    DEFAULT_SCOPE,
    ExplorationScope,
    fixed_parameters,
    id_types,
    is_complete,
    scope_settings,
    unstated_bounds,
)
from statemachines.explore.properties.vacuity import (
    BY_TYPES_MESSAGE,
    holds_by_types,
    vacuous_message,
)
from statemachines.explore.resources.limits import NO_LIMITS, Limits, ceiling_bound
from statemachines.explore.results.machine_results import Exploration, PropertyResult
from statemachines.explore.rows.row_search import (
    CanonicalRow,
    SearchGoal,
    SearchResult,
    search_rows,
)
from statemachines.explore.rows.symmetry import build_canonical_row
from statemachines.explore.rows.traces import replay_path
from statemachines.explore.verdicts.fairness import leads_to_results
from statemachines.explore.verdicts.property_verdicts import (
    SPEC_FAULTS,
    PropertyQuery,
    property_queries,
    query_result,
    vacuity_queries,
)
from statemachines.explore.verdicts.reach_coverage import (
    COVERAGE_TITLE,
    coverage_result,
    find_unreached_states,
    find_untaken_transitions,
)
from statemachines.model.definitions.data_definitions import PropertyKind
from statemachines.model.definitions.machine_definitions import MachineDefinition
from statemachines.model.evidence.verdicts import Verdict
from statemachines.semantics.messages.argument_errors import ArgumentsError

MOST_ROW_STATES = 20_000
"""States beyond which arrays are faster than rows."""
MOST_ROW_STEPS = 30_000
"""The same of steps, those counted that nothing takes."""


@frozen
class ExplorationOptions:
    """How a machine is explored."""

    symmetry: bool = False
    """Whether interchangeable names stand for each other."""
    copies: int = 1
    """How many of the machine are explored side by side."""
    limits: Limits = NO_LIMITS
    engine: str = "auto"
    """`rows`, `arrays`, or whichever is faster."""
    resume: Path | None = None
    """A file in which a search that stops early is kept, and with which it goes on where it is
    there; it is removed at the end.
    """

    def with_clock_started(self) -> ExplorationOptions:
        """Return the same with its time counted from now on, where it does not count yet."""
        if self.limits.started_at is not None:
            return self
        return evolve(self, limits=evolve(self.limits, started_at=time.monotonic()))


DEFAULT_OPTIONS = ExplorationOptions()


def explore(
    machine: MachineDefinition,
    scope: ExplorationScope = DEFAULT_SCOPE,
    how: ExplorationOptions = DEFAULT_OPTIONS,
) -> Exploration:
    """Visit every state of a machine, breadth first, and look at its properties.

    Args:
        machine: in one release.
        scope: what is said beside the spec's own scope.
        how: symmetry, copies, limits.

    Returns:
        What was found: HOLDS is said of all states within the scope; where a bound was hit, what
        was not broken is INCONCLUSIVE. The same machine, scope and options give the same result;
        only one that was interrupted, or that ran out of memory, depends on time.

    Raises:
        ArgumentsError: the scope does not fit the machine.
    """
    how = how.with_clock_started()
    return explore_model(build_machine_model(machine, scope, how.copies, how.limits), how)[0]


def explore_model(world: MachineModel, how: ExplorationOptions) -> tuple[Exploration, SearchResult]:
    """Visit every state of a world; see `explore`.

    Returns:
        What was found, and the search behind it: with `engine="rows"` it has every row in the order
            in which they were met.
    """
    begun = time.monotonic()
    how = how.with_clock_started()
    canonical = build_canonical_row(world) if how.symmetry else None
    wanted = [
        one for one in _all_queries(world) if not (one.property and one.property.until_raised)
    ]
    keep = None
    if (
        how.resume is not None and not world.ending.ended_early
    ):  # with some of its beginnings only it would be taken for another search
        keep = machine_checkpoint(how.resume, world, scope_text(world), options_text(how))
    seen = _search_model(world, wanted, how, canonical, keep)
    with keep_when_ended_early(keep, seen, seen.save):
        known, found = _property_results(world, wanted, seen, how, canonical)
    exploration = Exploration(
        world.machine,
        scope_text(world),
        how.copies,
        how.symmetry,
        seen.states,
        seen.transitions,
        seen.disabled,
        seen.depth,
        _in_author_order(world, found),
        tuple(dict.fromkeys([*known, *seen.bounds])),
        find_unreached_states(world),
        find_untaken_transitions(world),
        seen.interrupted,
        time.monotonic() - begun,
    )
    return exploration, seen


def _property_results(
    world: MachineModel,
    wanted: list[PropertyQuery],
    seen: SearchResult,
    how: ExplorationOptions,
    canonical: CanonicalRow | None,
) -> tuple[list[str], list[PropertyResult]]:
    """Return the bounds that nobody named, and what is said of each property."""
    known = [*unstated_bounds(world.tables.behaviour, world.scope), *truncation_bounds(world)]
    bounds = bool(known or seen.bounds)
    found = [
        *_search_results(world, wanted, seen, canonical, bounds),
        coverage_result(world, bounds, is_complete(world.machine, world.scope)),
    ]
    calm = _search_without_raising(world, how, canonical, seen)
    before = [one for one in _all_queries(world) if one.property and one.property.until_raised]
    if calm is None:
        found += [query_result(one, None, "", True) for one in before if one.vacuity_of is None]
    else:
        found += _search_results(
            world, before, calm, canonical, bounds or bool(calm.bounds), raising=False
        )
    found += leads_to_results(world, seen, calm, bounds, symmetry=how.symmetry, limits=how.limits)
    return known, [
        _with_vacuity(world, one, _never_true(wanted, seen) | _never_true(before, calm))
        for one in found
    ]


def _all_queries(world: MachineModel) -> list[PropertyQuery]:
    """Return what is asked of a machine, and what shows that rules of it say nothing."""
    return [*property_queries(world), *vacuity_queries(world)]


def _never_true(wanted: list[PropertyQuery], seen: SearchResult | None) -> dict[int, str]:
    """Return the rules (by `id`) of which a left side never was true in what was seen, with this
    left side.
    """
    found, number = dict[int, str](), 0
    for one in wanted if seen is not None else ():
        met = seen is not None and any(
            place in seen.reached_goals for place in range(number, number + len(one.goals))
        )
        number += len(one.goals)
        if one.vacuity_of is not None and not met:
            found.setdefault(id(one.vacuity_of), one.left_side)
    return found


def _with_vacuity(
    world: MachineModel, one: PropertyResult, never: dict[int, str]
) -> PropertyResult:
    """Name a rule that holds of everything as what it is."""
    if one.verdict is not Verdict.HOLDS or one.property is None or one.said:
        return one
    if holds_by_types(world, one.property):
        return evolve(one, said=BY_TYPES_MESSAGE)
    return (
        evolve(one, said=vacuous_message(never[id(one.property)]))
        if id(one.property) in never
        else one
    )


def truncation_bounds(world: MachineModel) -> Iterator[str]:
    """Yield the bounds that what is drawn hit: beginnings and arguments of events of which there
    are more than are gone through.
    """
    yield from world.truncations
    for rule in world.memos:
        if rule.enumeration.is_truncated:
            yield (
                f"`{rule.event}` has more than {rule.enumeration.most:,} arguments somewhere; the"
                " others were not looked at"
            )


def _search_model(
    world: MachineModel,
    wanted: list[PropertyQuery],
    how: ExplorationOptions,
    canonical: CanonicalRow | None,
    keep: Checkpoint | None,
) -> SearchResult:
    """Search with rows, or with arrays where there are many and nothing needs rows."""
    if world.ending.ended_early:
        place = {row: number for number, row in enumerate(world.initial_rows)}
        stopped = world.ending
        return SearchResult(
            interrupted=stopped.interrupted,
            limit_reached=True,
            out_of_memory=stopped.out_of_memory,
            rows=world.initial_rows,
            indices=place,
            states=len(place),
        )
    goals = [goal for one in wanted for goal in one.goals]
    needs_rows = canonical is not None or any(
        one.kind is PropertyKind.LEADS_TO for one in world.machine.data.properties
    )
    return _search_with_engine(
        world,
        goals,
        how,
        keep,
        canonical,
        how.engine == "rows" or needs_rows or not is_numpy_installed(),
    )


def _search_with_engine(
    world: MachineModel,
    goals: list[SearchGoal],
    how: ExplorationOptions,
    keep: Checkpoint | None,
    canonical: CanonicalRow | None,
    rows: bool,
) -> SearchResult:
    if keep is not None and keep.engine == "arrays" and not is_numpy_installed():
        raise ArgumentsError(f"{keep.path} was written with numpy, which is not installed here")
    if rows:
        return search_rows(world, goals, how.limits, canonical=canonical, keep=keep)
    many = not world.tables.has_data and len(world.tables.states) ** how.copies > MOST_ROW_STATES
    if how.engine == "auto" and not many and (keep is None or keep.engine != "arrays"):
        few = min(MOST_ROW_STEPS, how.limits.most_steps or MOST_ROW_STEPS)
        limits = evolve(
            how.limits, most_states=min(MOST_ROW_STATES, how.limits.most_states), most_steps=few
        )
        first = search_rows(world, goals, limits, keep=keep)
        if not _outgrew_rows(first, how.limits):
            return first
    return search_arrays(world, goals, how.limits, keep) or search_rows(
        world, goals, how.limits, keep=keep
    )


def _outgrew_rows(seen: SearchResult, limits: Limits) -> bool:
    """Tell whether a search stopped because there are many states or steps, not at a limit that
    somebody gave.
    """
    given = (
        ceiling_bound(limits.most_states, "states"),
        None if limits.most_steps is None else ceiling_bound(limits.most_steps, "steps"),
    )
    return any(
        bound.endswith((" states", " steps")) and bound not in given for bound in seen.bounds
    )


def _search_results(
    world: MachineModel,
    wanted: list[PropertyQuery],
    seen: SearchResult,
    canonical: CanonicalRow | None,
    bounds: bool,
    raising: bool = True,
) -> Iterator[PropertyResult]:
    """Yield what a search says of each property; of several copies, the one that was met with the
    fewest steps.
    """
    number = 0
    for one in wanted:
        paths = [
            (seen.paths[place], goal)
            for place, goal in enumerate(one.goals, number)
            if place in seen.paths
        ]
        number += len(one.goals)
        if one.vacuity_of is not None:
            continue
        if not paths:
            yield query_result(one, None, "", bounds)
            continue
        path, goal = min(paths, key=lambda pair: len(pair[0].rows) + (pair[0].after is not None))
        yield query_result(
            one,
            replay_path(world, path, canonical, goal.step_test, raising=raising),
            path.message,
            bounds,
        )


def _search_without_raising(
    world: MachineModel, how: ExplorationOptions, canonical: CanonicalRow | None, seen: SearchResult
) -> SearchResult | None:
    """Search once more, without steps that raise, where something is claimed of runs in which none
    has.

    What stops that is told in `seen`; None where nothing is claimed, or nothing can be searched any
    more.
    """
    claimed = [one for one in _all_queries(world) if one.property and one.property.until_raised]
    if (
        seen.interrupted
        or seen.out_of_memory
        or not any(one.until_raised for one in world.machine.data.properties)
    ):
        return None
    calm = search_rows(
        world,
        [goal for one in claimed for goal in one.goals],
        how.limits,
        canonical=canonical,
        raising=False,
    )
    seen.bounds += [bound for bound in calm.bounds if bound not in seen.bounds]
    seen.interrupted, seen.out_of_memory = calm.interrupted, calm.out_of_memory
    return calm


def _in_author_order(
    world: MachineModel, found: list[PropertyResult]
) -> tuple[PropertyResult, ...]:
    """Put what was found in the author's order, what is asked of every machine first."""
    order = {id(claimed): place for place, claimed in enumerate(world.machine.data.properties)}
    first = {SPEC_FAULTS.name: -2, COVERAGE_TITLE: -1}
    return tuple(
        sorted(found, key=lambda one: first.get(one.name, order.get(id(one.property), len(order))))
    )


def options_text(how: ExplorationOptions) -> str:
    """Say how something is explored, as far as a search that stopped must go on the same way."""
    symmetry = ["with symmetry"] if how.symmetry else []
    return " ".join([*symmetry, *([f"by {how.engine}"] if how.engine != "auto" else [])])


def scope_text(world: MachineModel) -> str:
    """Say what was explored, as `--scope` takes it: sizes of types, ranges, given parameters; then
    the copies.
    """
    own, given, within = world.machine.data.scope, world.scope, world.extent
    sizes = {type_.name: len(within.id_values(type_)) for type_ in id_types(world.machine)}
    integers = within.integers if own.integers or given.integers else None
    longest = within.longest_list if (own.longest_list, given.longest) != (None, None) else None
    fixed = fixed_parameters(world.tables.behaviour, within, given, _initial_parameters(world))
    said = [*scope_settings(sizes, integers, longest, fixed)]
    return ", ".join([*said, f"{world.copies} copies"] if world.copies > 1 else said)


def _initial_parameters(world: MachineModel) -> Iterator[NamedValues]:
    """Yield the parameters of every beginning of one copy."""
    columns = world.columns[1 : 1 + len(world.machine.data.parameters)]
    for row in {row[: 1 + len(columns)] for row in world.initial_rows} if columns else ():
        yield {
            column.name: column.values[number]
            for column, number in zip(columns, row[1:], strict=True)
        }
