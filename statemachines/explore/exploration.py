"""A machine or a system explored: every state within a scope, and what is claimed of them."""

from __future__ import annotations

from typing import Any

from statemachines.explore.model_exploration import explore_model
from statemachines.explore.models.machine_model import build_machine_model
from statemachines.explore.models.model_protocol import Model
from statemachines.explore.models.system_model import build_system_model
from statemachines.explore.options import DEFAULT_OPTIONS, ExplorationOptions
from statemachines.explore.results.property_results import Exploration
from statemachines.explore.scopes import DEFAULT_SCOPE, ExplorationScope
from statemachines.model.definitions.machine_definitions import MachineDefinition
from statemachines.model.definitions.system_definitions import SystemDefinition
from statemachines.semantics.messages.argument_errors import ArgumentsError


def explore(
    definition: MachineDefinition | SystemDefinition,
    scope: ExplorationScope = DEFAULT_SCOPE,
    how: ExplorationOptions = DEFAULT_OPTIONS,
) -> Exploration[Any]:
    """Visit every state of a machine or a system, breadth first, and look at its properties.

    Args:
        definition: in one release.
        scope: what is said beside the spec's own scope: sizes of `id` types (the keys of parts
            too), ranges, parameters.
        how: symmetry, copies, limits, and the file of a search that stopped.

    Returns:
        What was found: HOLDS is said of all states within the scope; where a bound was hit, what
        was not broken is INCONCLUSIVE. The same definition, scope and options give the same result;
        only one that was interrupted, or that ran out of memory, depends on time.

    Raises:
        ArgumentsError: the scope does not fit, nothing begins, several copies of a system are asked
            for, or the file is of another search.

    Complexity: each step is asked of the machine or the system once for what it looks at.
    """
    how = how.with_clock_started()
    return explore_model(build_model(definition, scope, how), how)[0]


def build_model(
    definition: MachineDefinition | SystemDefinition,
    scope: ExplorationScope,
    how: ExplorationOptions = DEFAULT_OPTIONS,
) -> Model:
    """Return the model of a machine or a system.

    Args:
        definition: in one release.
        scope: what is said beside the spec's own.
        how: how many copies of a machine, and where looking for beginnings ends early.

    Returns:
        A model that any engine searches.

    Raises:
        ArgumentsError: see `explore`.
    """
    if isinstance(definition, MachineDefinition):
        return build_machine_model(definition, scope, how.copies, how.limits)
    if how.copies > 1:
        raise ArgumentsError(
            f"{f'{definition.name} {definition.release}'.strip()} is a system, of which there is"
            " one; --scope says how many of its parts, as Task=3 does"
        )
    return build_system_model(definition, scope, how.limits)
