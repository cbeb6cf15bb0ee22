"""The shortest run that distinguishes a survivor from the original: what a new invariant, test or
log line could be about.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from attrs import evolve

from statemachines.explore.models.row_columns import Row
from statemachines.explore.resources.limits import Limits
from statemachines.explore.results.run_traces import Trace, TraceStep
from statemachines.explore.rows.row_search import search_rows
from statemachines.explore.rows.search_goals import SearchGoal
from statemachines.explore.rows.traces import replay_path
from statemachines.mutate.judges.exploration_judge import ExploredMutant
from statemachines.mutate.judges.mutation_results import AdmittedOnlyBy, JudgedMutant, MutantStatus
from statemachines.mutate.judges.originals import ExploredOriginal
from statemachines.semantics.machine.step import unchecked_step

JudgedAndExplored = tuple[JudgedMutant, ExploredMutant]


def with_distinguishing_runs(judged: Sequence[JudgedAndExplored]) -> Iterator[JudgedMutant]:
    """Yield mutants, survivors with a shortest run of the original whose last event they answer
    otherwise.

    Args:
        judged: mutants with what exploring said of them.

    Yields:
        Mutants in the same order.

    Complexity: one search of each original, up to the farthest of these places.
    """
    wanted: dict[int, tuple[ExploredOriginal, set[int]]] = {}
    for mutant, explored in judged:
        if (
            mutant.status is MutantStatus.SURVIVED
            and explored.difference is not None
            and explored.difference.row_index >= 0
            and explored.original is not None
        ):
            wanted.setdefault(id(explored.original), (explored.original, set()))[1].add(
                explored.difference.row_index
            )
    paths = {
        key: _shortest_runs(original, sorted(row_indices))
        for key, (original, row_indices) in wanted.items()
    }
    for mutant, explored in judged:
        yield _with_distinguishing_run(mutant, explored, paths.get(id(explored.original), {}))


def _shortest_runs(original: ExploredOriginal, row_indices: Sequence[int]) -> dict[int, Trace]:
    """Return shortest runs to rows of the original's search."""
    rows = original.expanded_rows
    goals = [SearchGoal(row_test=_is_row(rows[row_index])) for row_index in row_indices]
    farthest = original.search.indices[
        rows[row_indices[-1]]
    ]  # rows beyond a range were met, and not gone on from
    result = search_rows(original.model, goals, Limits(farthest + 1), stops_at_once=True)
    return {
        row_index: replay_path(original.model, result.paths[number])
        for number, row_index in enumerate(row_indices)
    }


def _is_row(wanted: Row) -> Callable[[Row], bool]:
    return lambda row: row == wanted


def _with_distinguishing_run(
    mutant: JudgedMutant, explored: ExploredMutant, paths: Mapping[int, Trace]
) -> JudgedMutant:
    apart, original, tables = explored.difference, explored.original, explored.tables
    if (
        mutant.status is not MutantStatus.SURVIVED
        or apart is None
        or original is None
        or tables is None
        or apart.row_index not in paths
    ):
        return mutant
    path, arguments = paths[apart.row_index], apart.arguments or {}
    (now,) = path.snapshots[-1]
    if apart.old is None:
        new = unchecked_step(tables, now, apart.event, arguments)
        return evolve(
            mutant,
            apart=Trace(path.begin, (*path.steps, TraceStep(apart.event, arguments, new))),
            admitted_only_by=AdmittedOnlyBy.MUTANT,
        )
    old = unchecked_step(original.model.machine_tables, now, apart.event, arguments)
    whole = Trace(path.begin, (*path.steps, TraceStep(apart.event, arguments, old)))
    if apart.new is None:
        return evolve(mutant, apart=whole, admitted_only_by=AdmittedOnlyBy.ORIGINAL)
    return evolve(
        mutant, apart=whole, mutant_answer=unchecked_step(tables, now, apart.event, arguments)
    )
