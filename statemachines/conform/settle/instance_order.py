"""What a piece of a log tells of each instance, joined from pieces in any order.

A summary keeps the observations themselves, since a finding quotes its line; they are the
life-cycle lines only, a hundredth of a log.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from heapq import merge
from itertools import pairwise

from attrs import frozen

from statemachines.conform.interchange.observations import KeyValues, Observation, Position
from statemachines.conform.settle.processes import JudgingContext

ObservationOrder = tuple["int | str", Position]


@frozen
class InstanceObservations:
    """The observations of one instance in the order in which they are judged."""

    entries: tuple[tuple[ObservationOrder, Observation], ...] = ()

    def __iter__(self) -> Iterator[Observation]:
        return (observation for _, observation in self.entries)


def order_observations(
    context: JudgingContext, observations: Iterable[Observation]
) -> InstanceObservations:
    """Put the observations of one instance into their order."""
    return InstanceObservations(
        tuple(sorted((observation_order(context, seen), seen) for seen in observations))
    )


def in_order(context: JudgingContext, observations: Sequence[Observation]) -> Sequence[Observation]:
    """Return the observations of one instance in their order; as they are where they stand so."""
    if _is_in_order(observations):
        return observations
    return tuple(order_observations(context, observations))


def _is_in_order(observations: Sequence[Observation]) -> bool:
    """Say at a glance whether observations are of one file, line after line."""
    return all(
        before.line < after.line
        and before.file == after.file
        and before.unit == after.unit
        and before.reached is not None
        and after.reached is not None
        and before.reached <= after.reached
        for before, after in pairwise(observations)
    )


def join_observations(
    left: InstanceObservations, right: InstanceObservations
) -> InstanceObservations:
    """Return the summary of two pieces; associative and commutative, with `Summary()` as the empty
    one.
    """
    return InstanceObservations(tuple(merge(left.entries, right.entries)))


def observation_order(context: JudgingContext, seen: Observation) -> ObservationOrder:
    """Return what orders the observations of one instance: the place in its process; across
    processes the time.
    """
    return (
        context.process_index(seen) if not is_shared(context, seen.owner) else 0
    ), context.position(seen)


def is_shared(context: JudgingContext, owner: int) -> bool:
    """Say whether several processes tell of one instance of a machine."""
    log = context.plan.owners[owner].log
    return log is not None and log.shared


def instance_identity(context: JudgingContext, seen: Observation) -> tuple[int, int, KeyValues]:
    """Return what tells an instance from others: the machine, who tells of it (see `teller`) and
    the key.
    """
    return seen.owner, reporting_process(context, seen.owner, context.process_index(seen)), seen.key


def reporting_process(context: JudgingContext, owner: int, process: int) -> int:
    """Return who tells of a machine's instances in a process: the process, or its system (a
    negative number) where processes share them.
    """
    return context.system_index(process) if is_shared(context, owner) else process
