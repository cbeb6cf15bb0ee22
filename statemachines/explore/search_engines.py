"""Which engine searches: rows where there are few or where something needs them, else arrays."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from attrs import evolve

from statemachines.explore.arrays.array_search import search_arrays
from statemachines.explore.checkpoints.checkpoint_files import Checkpoint
from statemachines.explore.models.model_protocol import Model
from statemachines.explore.options import ExplorationOptions
from statemachines.explore.resources.limits import Limits, ceiling_bound
from statemachines.explore.resources.memory import used_memory
from statemachines.explore.rows.row_search import CanonicalRow, search_rows
from statemachines.explore.rows.search_goals import SearchGoal, SearchResult
from statemachines.model.arrays import is_numpy_installed
from statemachines.model.extras import install_command
from statemachines.semantics.messages.argument_errors import ArgumentsError

MOST_ROW_STATES = 20_000
"""States beyond which arrays are faster than rows."""
MOST_ROW_STEPS = 15_000
"""The same of steps, those counted that nothing takes."""
_NUMPY_MEMORY = 48
"""MiB that numpy takes, and what is done with it before limits are looked at."""


def search_model(
    model: Model,
    goals: Sequence[SearchGoal],
    how: ExplorationOptions,
    canonical: CanonicalRow | None,
    keep: Checkpoint | None,
) -> SearchResult:
    """Visit every row that can be reached."""
    if model.ending.ended_early:
        return _initial_rows_only(model)
    if keep is not None and keep.engine == "arrays" and not is_numpy_installed():
        raise ArgumentsError(
            f"{keep.path} was written with numpy, which is not installed here:"
            f" {install_command('fast')}"
        )
    if how.engine == "rows" or canonical is not None or not is_numpy_installed():
        return search_rows(model, goals, how.limits, canonical=canonical, keep=keep)
    if how.engine == "auto" and (keep is None or keep.engine != "arrays"):
        first = _search_few_rows(model, goals, how, keep)
        if first is not None:
            return first
    whole = search_arrays(model, goals, how.limits, keep) if _may_use_arrays(how, keep) else None
    return whole or search_rows(model, goals, how.limits, keep=keep)


def _may_use_arrays(how: ExplorationOptions, keep: Checkpoint | None) -> bool:
    """Tell whether there is room for numpy, where it is not loaded; a search that began with it
    needs it.
    """
    most, is_kept = how.limits.most_memory, keep is not None and keep.engine == "arrays"
    if most is None or is_kept or "numpy" in sys.modules:
        return True
    return used_memory() + _NUMPY_MEMORY < most


def _initial_rows_only(model: Model) -> SearchResult:
    """Return a search of a model not all of whose initial rows were found: they are all that is
    known.
    """
    stopped = model.ending
    return SearchResult(
        interrupted=stopped.interrupted,
        limit_reached=True,
        out_of_memory=stopped.out_of_memory,
        rows=model.initial_rows,
        parents=[-1] * len(model.initial_rows),
        indices={row: number for number, row in enumerate(model.initial_rows)},
        states=len(model.initial_rows),
    )


def _search_few_rows(
    model: Model, goals: Sequence[SearchGoal], how: ExplorationOptions, keep: Checkpoint | None
) -> SearchResult | None:
    """Search by rows; None where there turn out to be many, or are many for sure."""
    if model.known_size > MOST_ROW_STATES:
        return None
    limits = evolve(
        how.limits,
        most_states=min(MOST_ROW_STATES, how.limits.most_states),
        most_steps=min(MOST_ROW_STEPS, how.limits.most_steps or MOST_ROW_STEPS),
    )
    is_trial = how.limits.most_states > MOST_ROW_STATES
    first = search_rows(model, goals, limits, stops_at_once=is_trial, keep=keep)
    return None if _outgrew_rows(first, how.limits) else first


def _outgrew_rows(search: SearchResult, limits: Limits) -> bool:
    """Tell whether a search stopped because there are many states or steps, not at a limit that
    somebody gave.
    """
    given = (
        ceiling_bound(limits.most_states, "states"),
        None if limits.most_steps is None else ceiling_bound(limits.most_steps, "steps"),
    )
    return any(
        bound.endswith((" states", " steps")) and bound not in given for bound in search.bounds
    )
