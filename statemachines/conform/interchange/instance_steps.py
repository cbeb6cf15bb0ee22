"""The steps of one instance of a timeline, which need not all be there at once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Container, Iterable, Iterator, Sequence
from itertools import accumulate, chain, groupby

from statemachines.model.evidence.packed_steps import PackedSteps, StepModel
from statemachines.model.evidence.reports import InstanceKey, TimelineStep

StepRuns = Iterable[int | None]
"""Of each step how often its process began before, or may have; None where it never says so."""


class InstanceSteps(ABC):
    """Steps of one instance, in their order; they may be gone through again and again."""

    def __init__(self, machine: str, instance: InstanceKey, processes: tuple[str, ...]) -> None:
        self.machine, self.instance = machine, instance
        self.processes = processes
        """Who logged them, in the order in which they did first."""

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def __iter__(self) -> Iterator[TimelineStep]: ...

    @abstractmethod
    def columns(self) -> Iterator[tuple[PackedSteps, StepRuns | None]]:
        """Yield all of them as columns, some at a time, with their runs; None where no line says
        that a process begins.
        """

    @abstractmethod
    def step(self, number: int) -> TimelineStep:
        """Return one of them.

        Args:
            number: its place among them.
        """

    def of_process(self, process: str) -> InstanceSteps:
        """Return those that one process logged."""
        if self.processes == (process,):
            return self
        return ListedSteps([step for step in self if step.process == process])


def _model(step: TimelineStep) -> StepModel:
    return StepModel(
        step.process,
        step.life,
        step.source,
        step.target,
        step.how,
        step.place.file if step.place is not None else "",
        step.at.zone if step.at is not None else "",
        step.at is not None and step.at.ms is not None,
        step.source_since is not None,
        step.values,
    )


class ListedSteps(InstanceSteps):
    """Steps that are there."""

    def __init__(self, steps: Sequence[TimelineStep]) -> None:
        first, self._steps = steps[0], steps
        processes = tuple(dict.fromkeys(step.process for step in steps))
        super().__init__(first.machine, first.instance, processes)

    def __len__(self) -> int:
        return len(self._steps)

    def __iter__(self) -> Iterator[TimelineStep]:
        return iter(self._steps)

    def columns(self) -> Iterator[tuple[PackedSteps, StepRuns | None]]:
        """Yield all of them as columns."""
        steps = self._steps
        packed = PackedSteps(
            self.machine,
            self.instance,
            list(map(_model, steps)),
            range(len(steps)),
            [step.at.ms or 0 if step.at is not None else 0 for step in steps],
            [step.place.line if step.place is not None else 0 for step in steps],
            [step.source_since.ms or 0 if step.source_since is not None else 0 for step in steps],
        )
        yield packed, [step.run for step in steps]

    def step(self, number: int) -> TimelineStep:
        """Return one of them."""
        return self._steps[number]


class JoinedSteps(InstanceSteps):
    """The steps of several, one after the other."""

    def __init__(self, parts: Sequence[InstanceSteps]) -> None:
        self._parts, self._ends = parts, list(accumulate(map(len, parts)))
        processes = tuple(dict.fromkeys(name for part in parts for name in part.processes))
        super().__init__(parts[0].machine, parts[0].instance, processes)

    def __len__(self) -> int:
        return self._ends[-1]

    def __iter__(self) -> Iterator[TimelineStep]:
        return chain.from_iterable(self._parts)

    def columns(self) -> Iterator[tuple[PackedSteps, StepRuns | None]]:
        """Yield all of them as columns, some at a time."""
        return chain.from_iterable(part.columns() for part in self._parts)

    def step(self, number: int) -> TimelineStep:
        """Return one of them."""
        place = bisect_right(self._ends, number)
        return self._parts[place].step(number - (self._ends[place - 1] if place else 0))


def joined_steps(parts: Sequence[InstanceSteps]) -> InstanceSteps:
    """Return the steps of several as those of one."""
    return parts[0] if len(parts) == 1 else JoinedSteps(parts)


def instance_steps(
    timeline: Iterable[TimelineStep], machines: Container[str]
) -> Iterator[InstanceSteps]:
    """Yield the instances of some machines, as a timeline has them.

    Args:
        timeline: instance by instance.
        machines: by their names.
    """
    if hasattr(timeline, "instance_steps"):
        yield from timeline.instance_steps(machines)
        return
    steps = (step for step in timeline if step.machine in machines)
    for _, some in groupby(steps, key=lambda step: (step.machine, step.instance)):
        yield ListedSteps(list(some))
