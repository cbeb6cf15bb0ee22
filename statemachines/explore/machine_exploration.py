"""A machine explored: every state within a scope, and what its properties say of them."""

from __future__ import annotations

from collections.abc import Iterator

from statemachines.explore.arguments.value_sampling import NamedValues
from statemachines.explore.model_exploration import ModelQuestions, explore_by
from statemachines.explore.models.machine_model import MachineModel, build_machine_model
from statemachines.explore.models.scopes import (
    DEFAULT_SCOPE,
    ExplorationScope,
    id_types,
    is_complete,
    scope_text,
    unstated_bounds,
)
from statemachines.explore.options import DEFAULT_OPTIONS, ExplorationOptions
from statemachines.explore.properties.vacuity import holds_by_types
from statemachines.explore.results.machine_results import Exploration
from statemachines.explore.rows.row_search import SearchResult
from statemachines.explore.verdicts.reach_coverage import (
    coverage_result,
    find_unreached_states,
    find_untaken_transitions,
)
from statemachines.model.definitions.machine_definitions import MachineDefinition


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


def explore_model(model: MachineModel, how: ExplorationOptions) -> tuple[Exploration, SearchResult]:
    """Visit every state of a machine's model; see `explore`.

    Args:
        model: of the machine.
        how: engine, limits and properties.

    Returns:
        What was found, and the search behind it: with `engine="rows"` it has every row in the order
            in which they were met.
    """
    findings = explore_by(
        model,
        how,
        ModelQuestions(
            explored_scope(model),
            lambda: _assumed_bounds(model),
            lambda bounds: coverage_result(model, bounds, is_complete(model.machine, model.scope)),
            lambda claimed: holds_by_types(model, claimed),
        ),
    )
    exploration = Exploration(
        machine=model.machine,
        copies=how.copies,
        unreached_states=find_unreached_states(model),
        untaken_transitions=find_untaken_transitions(model),
        **findings.fields,
    )
    return exploration, findings.search


def _assumed_bounds(model: MachineModel) -> list[str]:
    unstated = unstated_bounds(model.tables.behaviour, model.scope)
    argument_bounds = (
        bound for memo in model.memos for bound in memo.enumeration.bounds(memo.event)
    )
    return [*unstated, *model.truncations, *argument_bounds]


def explored_scope(model: MachineModel) -> str:
    """Say what was explored, as `--scope` takes it: sizes of types, ranges, given parameters; then
    the copies.

    Args:
        model: of the machine.

    Returns:
        One line.
    """
    sizes = {type_.name: len(model.extent.id_values(type_)) for type_ in id_types(model.machine)}
    begins = _initial_parameters(model)
    text = scope_text(model.tables.behaviour, model.extent, sizes, model.scope, begins)
    copies = f"{model.copies} copies" if model.copies > 1 else ""
    return ", ".join(filter(None, [text, copies]))


def _initial_parameters(model: MachineModel) -> Iterator[NamedValues]:
    """Yield the parameters of every beginning of one copy."""
    columns = model.columns[1 : 1 + len(model.machine.data.parameters)]
    for row in {row[: 1 + len(columns)] for row in model.initial_rows} if columns else ():
        yield {
            column.name: column.values[number]
            for column, number in zip(columns, row[1:], strict=True)
        }
