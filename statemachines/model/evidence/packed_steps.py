"""Rows of a timeline that have most in common, as columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from statemachines.model.evidence.quotes import InstanceKey
from statemachines.model.evidence.reports import StepValues
from statemachines.model.values import frozen


@frozen
class StepModel:
    """What rows of a timeline have in common, whatever their machine, instance, time and line."""

    process: str
    life: int
    source: str | None
    target: str | None
    how: str
    file: str
    zone: str
    is_timed: bool
    has_source_since: bool
    values: StepValues | None = None
    """Of a told step, where its lines tell values."""


@frozen
class PackedSteps:
    """Some rows of one instance, without texts and runs."""

    machine: str
    instance: InstanceKey
    models: Sequence[StepModel]
    """The same sequence for many instances."""
    codes: Sequence[int]
    """Of each row the number of its model."""
    times: Sequence[int]
    """Milliseconds, where the model is timed."""
    lines: Sequence[int]
    """0 where no line tells it."""
    source_since: Sequence[int]
    """Where its model has it."""


class PackedTimeline(Protocol):
    """A timeline that comes in columns, too."""

    def packed_steps(self) -> Iterable[PackedSteps]:
        """Yield its rows, in their order."""
