"""What a piece of a log tells of each instance, joined from pieces in any order.

A summary keeps the observations themselves, since a finding quotes its line; they are the life-cycle lines only, a hundredth of a log.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from heapq import merge

from attrs import frozen

from statemachines.conform.observations import KeyValues, Observation, Position
from statemachines.conform.processes import Context

Order = tuple["int | str", Position]


@frozen
class Summary:
    """The observations of one instance in the order in which they are judged."""

    entries: tuple[tuple[Order, Observation], ...] = ()

    def __iter__(self) -> Iterator[Observation]:
        return (observation for _, observation in self.entries)


def summarise(context: Context, observations: Iterable[Observation]) -> Summary:
    """Put the observations of one instance into their order."""
    return Summary(tuple(sorted((order_of(context, seen), seen) for seen in observations)))


def join(left: Summary, right: Summary) -> Summary:
    """Return the summary of two pieces; associative and commutative, with `Summary()` as the empty one."""
    return Summary(tuple(merge(left.entries, right.entries)))


def order_of(context: Context, seen: Observation) -> Order:
    """Return what orders the observations of one instance: the place in its process; across processes the time."""
    return context.process(seen) if not is_shared(context, seen.owner) else 0, context.position(seen)


def is_shared(context: Context, owner: int) -> bool:
    """Say whether several processes tell of one instance of a machine."""
    log = context.plan.owners[owner].log
    return log is not None and log.shared


def identity(context: Context, seen: Observation) -> tuple[int, int, KeyValues]:
    """Return what tells an instance from others: the machine, who tells of it (see `teller`) and the key."""
    return seen.owner, teller(context, seen.owner, context.process(seen)), seen.key


def teller(context: Context, owner: int, process: int) -> int:
    """Return who tells of a machine's instances in a process: the process, or its system (a negative number) where processes share them."""
    return context.system(process) if is_shared(context, owner) else process
