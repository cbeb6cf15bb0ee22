"""Steps as rows of bars: one row an instance, one bar for each state that it held."""

from __future__ import annotations

from attrs import frozen

from statemachines.model.evidence.reports import InstanceKey, TimelineStep
from statemachines.model.evidence.verdicts import Verdict

InstanceId = tuple[str, InstanceKey, str]
"""Machine, instance and process."""


@frozen
class StateBar:
    """A state held from one moment to another."""

    state: str
    first: int
    """Milliseconds, or the number of the step where no step has a time."""
    last: int
    known: bool = True
    """False where its beginning was not told: it is what the first step left."""
    observed: bool = True
    """False where the step into it was not told but concluded."""
    note: str = ""


@frozen
class FindingFlag:
    """Something worth saying at one moment of a row."""

    at: int
    kind: str
    verdict: Verdict
    note: str


@frozen
class TimelineRow:
    """What one instance did."""

    name: str
    machine: str
    bars: tuple[StateBar, ...]
    flags: tuple[FindingFlag, ...] = ()
    instance: InstanceId = ("", (), "")


@frozen
class TimeFrame:
    """The moments between which rows are."""

    first: int
    last: int
    """After `first`."""
    timed: bool
    """False where the steps are only numbered."""
    has_several_processes: bool = False
    """Whether there are several processes, so that a row's name needs its own."""


@frozen
class TimelineRows:
    """All rows, and the moments between which they are."""

    rows: tuple[TimelineRow, ...]
    first: int
    last: int
    timed: bool


@frozen
class RowWithSteps:
    """A row with the steps that it shows; none where only a state was told."""

    row: TimelineRow
    steps: tuple[TimelineStep, ...]


def row_name(who: InstanceId, several: bool) -> str:
    """Call a row by the values of its key, and by its process where there are several.

    Args:
        who: the instance.
        several: whether the log has several processes.

    Returns:
        The name.
    """
    _, instance, process = who
    name = " ".join(str(value) for _, value in instance)
    return f"{name} · {process}" if several else name
