"""A model explored: every state within a scope, and what is claimed of it looked at."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from attrs import evolve

from statemachines.explore.checkpoints.checkpoint_files import Checkpoint, search_checkpoint
from statemachines.explore.model_questions import assumed_bounds, explored_scope, own_result
from statemachines.explore.models.model_protocol import Model
from statemachines.explore.options import ExplorationOptions, options_text
from statemachines.explore.properties.vacuity import (
    BY_TYPES_MESSAGE,
    holds_by_types,
    vacuous_message,
)
from statemachines.explore.refinements.promises_kept import with_promises_kept
from statemachines.explore.refinements.refined_steps import RefinedSteps
from statemachines.explore.refinements.refinement_verdicts import (
    broken_refinement,
    refinement_queries,
    remember_refinements,
    unbroken_refinement,
)
from statemachines.explore.results.property_results import Exploration, PropertyResult
from statemachines.explore.rows.row_search import CanonicalRow, search_rows
from statemachines.explore.rows.search_goals import RowPath, SearchGoal, SearchResult
from statemachines.explore.rows.traces import replay_path
from statemachines.explore.search_engines import search_model
from statemachines.explore.symmetry.canonical_rows import build_canonical_row
from statemachines.explore.timed.timed_model import TIME, timed_model
from statemachines.explore.verdicts.fairness import SearchedRuns, promise_result
from statemachines.explore.verdicts.promises import promises
from statemachines.explore.verdicts.property_verdicts import (
    SPEC_FAULTS,
    WITH_SYMMETRY,
    PropertyQuery,
    claims_each_witness,
    is_plain_witness,
    property_queries,
    query_result,
    vacuity_queries,
    values_without_witness,
    without_witness_paths,
)
from statemachines.explore.verdicts.reach_coverage import (
    find_unreached_states,
    find_untaken_transitions,
)
from statemachines.model.definitions.data_definitions import PropertyKind
from statemachines.model.evidence.verdicts import Verdict
from statemachines.semantics.messages.expression_text import format_expression

Results = list[PropertyResult[Any]]


def explore_model(model: Model, how: ExplorationOptions) -> tuple[Exploration[Any], SearchResult]:
    """Visit every state of a model, and look at all that is claimed; see `explore`.

    Args:
        model: of a machine or a system.
        how: engine, limits, and the file of a search that stopped.

    Returns:
        What was found, and the search behind it: with `engine="rows"` it has every row in the order
            in which they were met.

    Raises:
        ArgumentsError: it is to be explored in discrete time, and time takes no step.
    """
    begun, how, unit_ms = time.monotonic(), how.with_clock_started(), 0
    if how.timed:
        model, unit_ms = timed_model(model)
        how = evolve(how, engine="rows")
    every = [*property_queries(model), *refinement_queries(model), *vacuity_queries(model)]
    if not how.witness_traces:
        every = [without_witness_paths(query) for query in every]
    before = [query for query in every if query.property and query.property.until_raised]
    wanted = [query for query in every if query not in before]
    keep = _checkpoint(model, how, wanted)
    goals = [goal for query in wanted for goal in query.goals]
    canonical = build_canonical_row(model) if how.symmetry else None
    try:  # and no `with`: Ctrl-C may come between what it waits for and its end
        search = search_model(model, goals, how, canonical, keep)
        assumed, examined = _examine(model, wanted, before, search, how, canonical)
        if keep is not None:
            keep.settle()
        with suppress(KeyboardInterrupt):  # too late: all is found, and the file is removed
            search.close()
        constraint = model.data.scope.constraint
        exploration = Exploration[Any](
            definition=model.definition,
            scope=explored_scope(model),
            symmetry=how.symmetry,
            copies=how.copies,
            states=search.states,
            transitions=search.transitions,
            disabled=search.disabled,
            depth=search.depth,
            examined=tuple(examined),
            bounds=tuple(dict.fromkeys([*assumed, *search.bounds])),
            unreached_states=find_unreached_states(model),
            untaken_transitions=find_untaken_transitions(model),
            interrupted=search.interrupted,
            constraint=format_expression(constraint)
            if constraint is not None and search.beyond_constraint
            else "",
            beyond_constraint=search.beyond_constraint,
            on_disk=search.on_disk,
            time_unit_ms=unit_ms,
            seconds=time.monotonic() - begun,
        )
        return exploration, search
    except (KeyboardInterrupt, MemoryError):
        if keep is not None:
            keep.save_interrupted()
        raise


def _checkpoint(
    model: Model, how: ExplorationOptions, wanted: list[PropertyQuery]
) -> Checkpoint | None:
    """Return the file of the search; None where none is wanted, or where not all initial rows were
    found: with some of them only it would be taken for another search.
    """
    if how.resume is None or model.ending.ended_early:
        return None
    keep = search_checkpoint(how.resume, model, explored_scope(model), options_text(how))
    remember_refinements(keep, wanted)
    return keep


def _examine(
    model: Model,
    wanted: list[PropertyQuery],
    before: list[PropertyQuery],
    search: SearchResult,
    how: ExplorationOptions,
    canonical: CanonicalRow | None,
) -> tuple[list[str], Results]:
    """Return the bounds that nobody named, and what is said of each property; of those in `before`,
    as long as nothing has raised.
    """
    assumed = list(assumed_bounds(model))
    bounds = bool(assumed or search.bounds)
    own = own_result(model, bounds or search.beyond_constraint > 0)
    examined = [*_search_results(model, wanted, search, canonical, bounds), own]
    without_raising = _search_without_raising(model, before, how, canonical, search)
    if without_raising is None:
        examined += [
            query_result(query, None, "", True) for query in before if query.vacuity_of is None
        ]
    else:
        unseen = bounds or bool(without_raising.bounds)
        examined += _search_results(
            model, before, without_raising, canonical, unseen, raising=False
        )
    fair = (TIME,) if how.timed else ()
    runs = SearchedRuns(model, search, without_raising, bounds, how.symmetry, how.limits, fair)
    examined += [promise_result(runs, promise) for promise in promises(model)]
    examined = [with_promises_kept(runs, result, wanted) for result in examined]
    never = _never_true(wanted, search) | _never_true(before, without_raising)
    results = [_with_vacuity(model, result, never) for result in examined]
    if search.beyond_constraint:
        results = [
            result if result.name == own.name else _within_constraint(result) for result in results
        ]
    return assumed, _in_author_order(model, own.name, results)


def _within_constraint(result: PropertyResult[Any]) -> PropertyResult[Any]:
    """Say that something is so of what the state constraint lets through; a run that shows it is
    one in any case.
    """
    if result.trace is not None or result.verdict is Verdict.INCONCLUSIVE:
        return result
    return evolve(
        result, said=", ".join(filter(None, [result.said, "within the state constraint"]))
    )


def _found_goals(
    wanted: list[PropertyQuery], search: SearchResult
) -> Iterator[tuple[PropertyQuery, list[bool], list[tuple[RowPath, SearchGoal]]]]:
    """Yield queries, with whether each of their goals was met, and the ways to those."""
    number = 0
    for query in wanted:
        goals = list(enumerate(query.goals, number))
        number += len(goals)
        paths = [(search.paths[place], goal) for place, goal in goals if place in search.paths]
        reached = [place in search.reached_goals for place, _ in goals]
        yield query, reached, [*query.initial_paths, *paths]


def _never_true(wanted: list[PropertyQuery], search: SearchResult | None) -> dict[int, str]:
    """Return the rules (by `id`) of which a left side never was true in what was seen, with this
    left side.
    """
    never_true = dict[int, str]()
    for query, reached, _ in () if search is None else _found_goals(wanted, search):
        if query.vacuity_of is not None and not any(reached):
            never_true.setdefault(id(query.vacuity_of), query.left_side)
    return never_true


def _with_vacuity(
    model: Model, result: PropertyResult[Any], never: dict[int, str]
) -> PropertyResult[Any]:
    """Name a rule that holds of everything as what it is."""
    if result.verdict is not Verdict.HOLDS or result.property is None or result.said:
        return result
    if holds_by_types(model, result.property):
        return evolve(result, said=BY_TYPES_MESSAGE)
    left = never.get(id(result.property))
    return result if left is None else evolve(result, said=vacuous_message(left))


def _search_results(
    model: Model,
    wanted: list[PropertyQuery],
    search: SearchResult,
    canonical: CanonicalRow | None,
    bounds: bool,
    raising: bool = True,
) -> Iterator[PropertyResult[Any]]:
    """Yield what a search says of each property; of several copies, the one that was met with the
    fewest steps.
    """
    for query, reached, paths in _found_goals(wanted, search):
        claimed = query.property
        if query.vacuity_of is not None:
            continue
        if claims_each_witness(claimed):
            # up to symmetry, a row stands for others, in which other names have their witnesses
            yield (
                PropertyResult(query.name, Verdict.INCONCLUSIVE, WITH_SYMMETRY, property=claimed)
                if canonical is not None
                else _each_witness_result(model, query, (reached, paths), bounds, raising=raising)
            )
        elif not paths and claimed is not None and claimed.kind is PropertyKind.REFINES:
            yield unbroken_refinement(query, bounds)
        elif not paths:
            is_met = any(reached) and is_plain_witness(claimed)
            yield query_result(query, None, "", bounds, is_met=is_met)
        else:
            path, goal = min(
                paths, key=lambda pair: len(pair[0].rows) + (pair[0].after is not None)
            )
            trace = (
                model.trace(path.rows[0], [])
                if query.initial_paths
                else replay_path(model, path, canonical, goal.step_test, raising=raising)
            )
            if isinstance(goal.condition, RefinedSteps):
                yield broken_refinement(model, query, goal.condition, trace)
            else:
                yield query_result(query, trace, path.message, bounds, goal.bound)


def _each_witness_result(
    model: Model,
    query: PropertyQuery,
    reached_with_paths: tuple[list[bool], list[tuple[RowPath, SearchGoal]]],
    bounds: bool,
    *,
    raising: bool,
) -> PropertyResult[Any]:
    """Return what is said of a `sometimes` that is claimed for each of something."""
    reached, paths = reached_with_paths
    missing = values_without_witness(query, reached)
    if missing:
        return query_result(query, None, "", bounds, missing[0])
    if not paths:
        assert query.property is not None
        assert query.property.when is not None
        never = vacuous_message(format_expression(query.property.when))
        verdict = Verdict.INCONCLUSIVE if bounds else Verdict.HOLDS
        return PropertyResult(query.name, verdict, never, property=query.property)
    path, goal = min(paths, key=lambda pair: len(pair[0].rows))
    trace = replay_path(model, path, raising=raising)
    result = query_result(query, trace, "", bounds, goal.bound)
    return (
        result if result.verdict is not Verdict.HOLDS else evolve(result, said="a witness for each")
    )


def _search_without_raising(
    model: Model,
    claimed: list[PropertyQuery],
    how: ExplorationOptions,
    canonical: CanonicalRow | None,
    search: SearchResult,
) -> SearchResult | None:
    """Search once more, without steps that raise, where something is claimed of runs in which none
    has.

    What stops that is noted in `search`; None where nothing is claimed, or nothing can be searched
    any more.
    """
    if (
        search.interrupted
        or search.out_of_memory
        or not any(property_.until_raised for property_ in model.data.properties)
    ):
        return None
    goals = [goal for query in claimed for goal in query.goals]
    without_raising = search_rows(model, goals, how.limits, canonical=canonical, raising=False)
    search.bounds += [bound for bound in without_raising.bounds if bound not in search.bounds]
    search.interrupted, search.out_of_memory = (
        without_raising.interrupted,
        without_raising.out_of_memory,
    )
    return without_raising


def _in_author_order(model: Model, own: str, results: Results) -> Results:
    """Put what was found in the author's order, what is asked of every model first."""
    order = {id(claimed): place for place, claimed in enumerate(model.data.properties)}
    first = {SPEC_FAULTS.name: -2, own: -1}
    return sorted(
        results,
        key=lambda result: first.get(result.name, order.get(id(result.property), len(order))),
    )
