"""What a walk says of each property: of a machine or of a system."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import Generic, TypeVar

from attrs import evolve, frozen

from statemachines.explore.verdicts.property_verdicts import VIOLATION_MESSAGES
from statemachines.model.definitions.data_definitions import Property, PropertyKind
from statemachines.model.evidence.verdicts import Verdict
from statemachines.model.language.expression_nodes import Expression

AnySnapshot = TypeVar("AnySnapshot")
"""Of a machine or of a system."""


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
    holds: Callable[[Expression, AnySnapshot, AnySnapshot | None], bool]
    """Evaluates a condition in a snapshot, or of the step that led there."""


def walk_verdicts(
    properties: Iterable[Property], run: WalkedRun[AnySnapshot]
) -> tuple[WalkVerdict, ...]:
    """Look at each property over a finished walk; that a known bug shows itself is right."""
    return tuple(_with_expected_failure(_property_verdict(one, run)) for one in properties)


def _with_expected_failure(noticed: WalkVerdict) -> WalkVerdict:
    if not noticed.property.expect_fails:
        return noticed
    if noticed.verdict is not Verdict.VIOLATED:
        return evolve(noticed, verdict=Verdict.INCONCLUSIVE)
    return evolve(noticed, verdict=Verdict.HOLDS, message=f"{noticed.message}, as expected")


def _property_verdict(claimed: Property, run: WalkedRun[AnySnapshot]) -> WalkVerdict:
    index = next(_decisive_places(claimed, run), None)
    if index is None:
        return WalkVerdict(claimed, Verdict.INCONCLUSIVE)
    if claimed.kind is PropertyKind.SOMETIMES:
        return WalkVerdict(claimed, Verdict.HOLDS, index, "a witness")
    return WalkVerdict(claimed, Verdict.VIOLATED, index, VIOLATION_MESSAGES[claimed.kind])


def _decisive_places(claimed: Property, run: WalkedRun[AnySnapshot]) -> Iterator[int]:
    """Yield after how many steps a property is broken, or a witness of it is met."""
    node, last = claimed.holds, len(run.snapshots) - 1
    seen = run.snapshots[: 1 + (run.calm_steps if claimed.until_raised else last)]
    if claimed.kind is PropertyKind.NO_DEADLOCK and run.ends_badly:
        yield last
    if node is None:
        return
    match claimed.kind:
        case PropertyKind.ALWAYS:
            yield from (at for at, one in enumerate(seen) if not run.holds(node, one, None))
        case PropertyKind.EACH_STEP:
            pairs = enumerate(itertools.pairwise(seen), 1)
            yield from (at for at, (old, new) in pairs if not run.holds(node, new, old))
        case PropertyKind.SOMETIMES:
            yield from (at for at, one in enumerate(run.snapshots) if run.holds(node, one, None))
