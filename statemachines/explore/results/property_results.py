"""What exploring says of one property."""

from __future__ import annotations

from typing import Generic, TypeVar

from attrs import field, frozen

from statemachines.explore.results.abstract_runs import AbstractRun
from statemachines.model.definitions.data_definitions import Property
from statemachines.model.evidence.verdicts import Verdict

AnyTrace = TypeVar("AnyTrace")
"""A run of a machine or of a system."""


@frozen
class PropertyResult(Generic[AnyTrace]):
    """What exploring says of one property of a machine or a system."""

    name: str
    verdict: Verdict
    said: str = ""
    trace: AnyTrace | None = None
    """The shortest counterexample, or the shortest way to a witness."""
    property: Property | None = field(default=None, eq=False, repr=False)
    """None for what is asked of every machine or system."""
    abstract: AbstractRun | None = None
    """Of a refinement: the other side of the trace."""
