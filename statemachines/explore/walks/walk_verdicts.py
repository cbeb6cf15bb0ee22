"""What a walk says of each property: of a machine or of a system."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Generic, TypeVar

from attrs import evolve, frozen

from statemachines.explore.properties.bound_values import EachName
from statemachines.explore.verdicts.property_verdicts import VIOLATION_MESSAGES, bound_text
from statemachines.model.definitions.data_definitions import Property, PropertyKind
from statemachines.model.definitions.snapshots import Snapshot, Value
from statemachines.model.evidence.verdicts import Verdict
from statemachines.model.language.expression_nodes import Expression
from statemachines.semantics.machine.machine_tables import MachineTables
from statemachines.semantics.system.system_tables import SystemTables

AnySnapshot = TypeVar("AnySnapshot")
"""Of a machine or of a system."""
Bound = Mapping[str, Value]
"""What names stand for of which something is claimed for each value."""


@frozen
class WalkVerdict:
    """What a walk shows of one property."""

    property: Property
    verdict: Verdict
    step_index: int | None = None
    """How many steps lead to the snapshot that breaks it, or that is the witness; None where
    nothing was met.
    """
    message: str = ""


@frozen(eq=False)
class WalkedRun(Generic[AnySnapshot]):
    """A finished walk, as properties look at it."""

    snapshots: tuple[AnySnapshot, ...]
    """The first one included."""
    calm_steps: int
    """How many steps there were before the first one that raised."""
    ends_badly: bool
    """Whether nothing more was found that changes anything, and it is not legal to stop there."""
    holds: Callable[[Expression, AnySnapshot, AnySnapshot | None, Bound], bool]
    """Evaluates a condition in a snapshot, or of the step that led there."""
    bindings: Callable[[Sequence[EachName]], Iterator[Bound]] = lambda _: iter([{}])
    """Yields what the names stand for of which something is claimed for each value; if not given,
    nothing is.
    """


def walk_verdicts(
    properties: Iterable[Property], run: WalkedRun[AnySnapshot]
) -> tuple[WalkVerdict, ...]:
    """Look at each property over a finished walk; that a known bug shows itself is right.

    Args:
        properties: in the author's order.
        run: the walk, step by step.

    Returns:
        A verdict for each, in the same order.
    """
    return tuple(
        _with_expected_failure(_property_verdict(property_, run)) for property_ in properties
    )


def _with_expected_failure(noticed: WalkVerdict) -> WalkVerdict:
    if not noticed.property.expect_fails:
        return noticed
    if noticed.verdict is not Verdict.VIOLATED:
        return evolve(noticed, verdict=Verdict.INCONCLUSIVE)
    return evolve(noticed, verdict=Verdict.HOLDS, message=f"{noticed.message}, as expected")


def _property_verdict(claimed: Property, run: WalkedRun[AnySnapshot]) -> WalkVerdict:
    if claimed.asks_enabled:
        return WalkVerdict(claimed, Verdict.INCONCLUSIVE)
    first = [
        (next(_decisive_places(claimed, run, bound), None), bound)
        for bound in run.bindings(claimed.each)
    ]
    witnesses = [(index, bound) for index, bound in first if index is not None]
    is_witnessed = claimed.kind is PropertyKind.SOMETIMES
    if not witnesses or (is_witnessed and len(witnesses) < len(first)):
        return WalkVerdict(claimed, Verdict.INCONCLUSIVE)
    if is_witnessed:
        return WalkVerdict(
            claimed, Verdict.HOLDS, max(index for index, _ in witnesses), "a witness"
        )
    index, bound = min(witnesses, key=itemgetter(0))
    message = VIOLATION_MESSAGES[claimed.kind] + bound_text(bound)
    return WalkVerdict(claimed, Verdict.VIOLATED, index, message)


def _decisive_places(claimed: Property, run: WalkedRun[AnySnapshot], bound: Bound) -> Iterator[int]:
    """Yield after how many steps a property is broken, or a witness of it is met."""
    node, last = claimed.holds, len(run.snapshots) - 1
    snapshots = run.snapshots[: 1 + (run.calm_steps if claimed.until_raised else last)]
    if claimed.kind is PropertyKind.NO_DEADLOCK and run.ends_badly:
        yield last
    if node is None:
        return
    match claimed.kind:
        case PropertyKind.ALWAYS:
            yield from (
                at
                for at, snapshot in enumerate(snapshots)
                if not run.holds(node, snapshot, None, bound)
            )
        case PropertyKind.EACH_STEP:
            pairs = enumerate(itertools.pairwise(snapshots), 1)
            yield from (at for at, (old, new) in pairs if not run.holds(node, new, old, bound))
        case PropertyKind.SOMETIMES:
            places = enumerate(run.snapshots)
            yield from (at for at, snapshot in places if run.holds(node, snapshot, None, bound))


def condition_evaluator(tables: MachineTables | SystemTables) -> Callable[..., bool]:
    """Return what evaluates a condition over a snapshot of a machine or a system.

    Args:
        tables: of it.

    Returns:
        A function of the condition, the snapshot, the one before a step or None, and what names
        stand for of which it is claimed.
    """
    if isinstance(tables, SystemTables):
        return tables.holds

    def holds(
        node: Expression, now: Snapshot, before: Snapshot | None = None, bound: Bound | None = None
    ) -> bool:
        evaluate = tables.behaviour.evaluator(node)
        return bool(evaluate(now.state, now.variables, now.parameters, bound, before))

    return holds
