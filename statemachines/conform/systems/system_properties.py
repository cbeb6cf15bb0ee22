"""The rules of a system that can be looked at in logs."""

from __future__ import annotations

from attrs import frozen

from statemachines.conform.interchange.check_plan import unjudgeable_reason
from statemachines.conform.systems.part_timelines import (
    PartTimeline,
)
from statemachines.conform.systems.partial_conditions import SystemCondition, system_condition
from statemachines.conform.systems.system_account import ONLY_IF, link_name
from statemachines.model.definitions.data_definitions import Property, PropertyKind
from statemachines.model.definitions.snapshots import Value
from statemachines.model.definitions.system_definitions import (
    Link,
    SystemDefinition,
)
from statemachines.model.diagnosis.diagnostics import Span
from statemachines.model.language.expression_nodes import Implies
from statemachines.semantics.evaluation.partial_evaluation import PartialValuation
from statemachines.semantics.system.system_tables import system_tables


@frozen
class SystemProperty:
    """What is looked at: over each moment, or over each step of some part."""

    kind: str
    name: str
    doc: str
    holds: SystemCondition
    is_invariant: bool
    """Over each moment; a break that lasts no longer than a line is behind is none."""
    span: Span | None
    link: Link | None = None
    """Where a link's `only if` says it: the steps that it speaks of."""

    @property
    def key(self) -> object:
        """What tells it from the system's other rules: two links may be called alike."""
        return self.kind, self.name, self.link.index if self.link else None


def judgeable_properties(system: SystemDefinition) -> tuple[SystemProperty, ...]:
    """Return what can be looked at in logs: `always`, `each step`, and the `only if` of links that
    speak of states.
    """
    own = [
        _from_property(system, property_)
        for property_ in system.data.properties
        if not unjudgeable_reason(property_)
    ]
    of_links = [
        _from_link(system, link)
        for link in system.links
        if link.only_if is not None and (link.enters or link.leaves)
    ]
    return (*own, *of_links)


def _from_property(system: SystemDefinition, rule: Property) -> SystemProperty:
    tables, node = system_tables(system), rule.holds
    assert node is not None
    return SystemProperty(
        str(rule.kind),
        rule.name,
        rule.doc or "does not hold",
        system_condition(tables, node),
        rule.kind is PropertyKind.ALWAYS,
        rule.span,
    )


def _from_link(system: SystemDefinition, link: Link) -> SystemProperty:
    tables, condition = system_tables(system), link.only_if
    assert condition is not None
    node = condition if link.guard is None else Implies(link.guard, condition, type=condition.type)
    allows = system_condition(tables, node)

    def holds(_: PartialValuation, before: PartialValuation | None, key: Value) -> bool | None:
        assert before is not None  # what a link asks is asked of steps only
        return allows(before, None, key)

    doc = link.doc or "the system forbids it"
    return SystemProperty(ONLY_IF, link_name(link), doc, holds, False, link.span, link)


def concerns(rule: SystemProperty, timeline: PartTimeline, source: str, target: str | None) -> bool:
    """Tell whether a rule looks at a step."""
    if rule.link is None:
        return True
    if rule.link.on != timeline.part or source == target:
        return False
    return (
        target in rule.link.enters
        if rule.link.enters is not None
        else source in (rule.link.leaves or ())
    )
