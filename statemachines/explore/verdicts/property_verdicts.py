"""Properties as goals of a search, and what reaching a goal, or never reaching it, says of the
property.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

import attrs
from attrs import frozen

from statemachines.explore.models.machine_model import MachineModel
from statemachines.explore.models.row_columns import Row
from statemachines.explore.properties.row_conditions import CopyCondition, copy_conditions
from statemachines.explore.properties.vacuity import vacuity_checks
from statemachines.explore.results.machine_results import PropertyResult, Trace
from statemachines.explore.results.system_results import SystemPropertyResult
from statemachines.explore.rows.row_search import SearchGoal
from statemachines.model.definitions.data_definitions import Property, PropertyKind
from statemachines.model.evidence.verdicts import Verdict


@frozen(eq=False)
class PropertyQuery:
    """A property with the goals that decide it: one for each copy."""

    property: Property | None
    goals: tuple[SearchGoal, ...]
    name: str = ""
    vacuity_of: Property | None = None
    """The rule that says nothing where no goal is met: this is asked for its sake, and no property
    of its own.
    """
    left_side: str = ""
    """What is never true then, in words."""


SPEC_FAULTS = PropertyQuery(None, (SearchGoal(seeks_fault=True),), "the spec is sound")
"""Asked of every machine: no variable leaves its type, no two transitions take the same event."""


def property_queries(world: MachineModel) -> Iterator[PropertyQuery]:
    """Yield what is asked of a machine, `leads to` aside."""
    yield SPEC_FAULTS
    claims = world.machine.data.properties
    for claimed in claims:
        if claimed.kind is not PropertyKind.LEADS_TO:
            yield PropertyQuery(
                claimed, tuple(_property_goals(world, claimed)), property_title(claimed)
            )
    if (
        not any(claimed.kind is PropertyKind.NO_DEADLOCK for claimed in claims)
        and not world.tables.has_data
    ):
        default = Property(PropertyKind.NO_DEADLOCK, "no deadlock")
        yield PropertyQuery(default, tuple(_property_goals(world, default)), "no deadlock")


def vacuity_queries(world: MachineModel) -> Iterator[PropertyQuery]:
    """Yield what is asked to find rules that hold because what they speak of never comes up."""
    for rule, never, left in vacuity_checks(world.machine.data.properties):
        goals = (attrs.evolve(goal, needs_path=False) for goal in _property_goals(world, never))
        yield PropertyQuery(never, tuple(goals), vacuity_of=rule, left_side=left)


def property_title(claimed: Property) -> str:
    """Return how a property is called: by its kind and name."""
    return (
        claimed.name
        if claimed.name == claimed.kind.value
        else f"{claimed.kind.value} {claimed.name}"
    )


def _property_goals(world: MachineModel, claimed: Property) -> Iterator[SearchGoal]:
    if claimed.kind is PropertyKind.NO_DEADLOCK:
        yield _deadlock_goal(world)
        return
    if claimed.holds is None:
        return
    for watch in copy_conditions(world, claimed.holds, claimed):
        yield _condition_goal(claimed.kind, watch)


def _condition_goal(claim: PropertyKind, watch: CopyCondition) -> SearchGoal:
    match claim:
        case PropertyKind.SOMETIMES:
            return SearchGoal(row_test=watch.holds_in, condition=watch, wanted_value=True)
        case PropertyKind.EACH_STEP:
            return SearchGoal(
                step_test=lambda old, new: not watch.holds_of_step(old, new), condition=watch
            )
    return SearchGoal(row_test=lambda row: not watch.holds_in(row), condition=watch)


def _deadlock_goal(world: MachineModel) -> SearchGoal:
    """Look for a row that nothing changes and in which some copy may not stop."""
    final = {
        number
        for number, name in enumerate(world.tables.states)
        if world.tables.final >> number & 1
    }
    condition = world.machine.data.final
    watches = [] if condition is None else list(copy_conditions(world, condition))

    def may_not_stop(row: Row) -> bool:
        return any(
            row[copy * world.width] not in final and not (watches and watches[copy].holds_in(row))
            for copy in range(world.copies)
        )

    return SearchGoal(deadlock_test=may_not_stop)


VIOLATION_MESSAGES = {
    PropertyKind.ALWAYS: "does not hold here",
    PropertyKind.EACH_STEP: "does not hold of this step",
    PropertyKind.NO_DEADLOCK: "no event changes anything here, and it is not final",
    PropertyKind.LEADS_TO: "never comes",
}


def query_result(
    asked: PropertyQuery, trace: Trace | None, said: str, bounds: bool
) -> PropertyResult:
    """Return what a search says of a property.

    Args:
        asked: the property.
        trace: the way to its goal; None where the goal was never met.
        said: what else the search says.
        bounds: whether something kept the search from seeing everything.
    """
    claimed = asked.property
    if claimed is None:
        found = _spec_result(asked, trace, said, bounds)
    else:
        verdict, words = property_verdict(claimed, trace is not None, bounds)
        found = PropertyResult(asked.name, verdict, words, trace)
    return with_expected_failure(attrs.evolve(found, property=claimed))


def _spec_result(
    asked: PropertyQuery, trace: Trace | None, said: str, bounds: bool
) -> PropertyResult:
    if trace is not None:
        return PropertyResult(asked.name, Verdict.VIOLATED, said, trace)
    return PropertyResult(asked.name, Verdict.INCONCLUSIVE if bounds else Verdict.HOLDS)


def property_verdict(claimed: Property, met: bool, bounds: bool) -> tuple[Verdict, str]:
    """Return what is said of a property, and the words beside it; of known bugs see `as_expected`.

    Args:
        claimed: the property.
        met: whether what was looked for was found: a witness of a `sometimes`, else what breaks it.
        bounds: whether something kept the search from seeing everything.
    """
    if claimed.kind is PropertyKind.SOMETIMES:
        if met:
            return Verdict.HOLDS, "a witness"
        return Verdict.INCONCLUSIVE if bounds else Verdict.VIOLATED, "no witness"
    if met:
        return Verdict.VIOLATED, VIOLATION_MESSAGES[claimed.kind]
    return Verdict.INCONCLUSIVE if bounds else Verdict.HOLDS, ""


AnyPropertyResult = TypeVar("AnyPropertyResult", PropertyResult, SystemPropertyResult)
"""What exploring says of a property of a machine or of a system."""


def with_expected_failure(found: AnyPropertyResult) -> AnyPropertyResult:
    """Turn the verdict of a known bug round: that it fails is right."""
    if found.property is None or not found.property.expect_fails:
        return found
    match found.verdict:
        case Verdict.VIOLATED:
            return attrs.evolve(found, verdict=Verdict.HOLDS, said=f"{found.said}, as expected")
        case Verdict.HOLDS:
            return attrs.evolve(
                found, verdict=Verdict.VIOLATED, said="was expected to fail, and holds"
            )
    return found
