"""Is there an order of calls, one after the other, that explains what each of them returned?

A call that ended before another one began comes before it in that order; of calls that ran beside
each other either may. Such a history is linearizable (Herlihy and Wing, 1990).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Generic, TypeVar

from attrs import field, frozen

from statemachines.testing.threads.call_histories import ThreadCall

SnapshotT = TypeVar("SnapshotT", bound=Hashable)


@frozen(eq=False)
class LinearizationSearch(Generic[SnapshotT]):
    """A search for such an order.

    Complexity: what was tried is kept as the set of the calls that were done, with the snapshot
    that they led to, and tried once. At each moment these are as many as the snapshots times 2 to
    the power of the calls that ran beside each other; with the length of a history they grow
    linearly.
    Source: J. M. Wing and C. Gong, Testing and Verifying Concurrent Objects, 1993; the memory is
    that of G. Lowe, Testing for Linearizability, 2017.
    """

    calls: Sequence[ThreadCall]
    explained: Callable[[SnapshotT, ThreadCall], Iterable[SnapshotT]]
    """Given a snapshot and a call: the snapshots after it, if the call may have ended there as it
    did; of a call that did not end, all after it.
    """
    fits_end: Callable[[SnapshotT], bool] = field(default=lambda snapshot: True)
    """Tells whether a snapshot is what the subject shows when all calls are over."""

    def order(self, begins: Iterable[SnapshotT]) -> tuple[ThreadCall, ...] | None:
        """Return an order that explains the calls; None: there is none.

        Args:
            begins: the snapshots in which the subject may have begun.

        Returns:
            The calls in one such order, or None.
        """
        calls = sorted(self.calls, key=lambda call: call.called)
        ended = sum(1 << place for place, call in enumerate(calls) if call.returned is not None)
        pending = [(0, begin, _Order()) for begin in begins]
        visited = {(done, now) for done, now, _ in pending}
        while pending:
            done, now, order = pending.pop()
            if done & ended == ended and self.fits_end(now):
                return tuple(calls[place] for place in order.places())
            for next_call in _next_calls(calls, done):
                for after in self.explained(now, calls[next_call]):
                    node = done | 1 << next_call, after
                    if node not in visited:
                        visited.add(node)
                        pending.append((*node, _Order(next_call, order)))
        return None


@frozen(eq=False)
class _Order:
    """Calls in an order, the last one first."""

    last: int = -1
    before: _Order | None = None

    def places(self) -> list[int]:
        """Return the calls, the first one first."""
        indices, order = list[int](), self
        while order.before is not None:
            indices.append(order.last)
            order = order.before
        return indices[::-1]


def _next_calls(calls: Sequence[ThreadCall], done: int) -> Iterator[int]:
    """Yield the calls that may come next: those that began before any other one ended. Calls stand
    as they began.
    """
    first: int | None = None
    for place in range((~done & (done + 1)).bit_length() - 1, len(calls)):
        call = calls[place]
        if first is not None and call.called >= first:
            return
        if not done >> place & 1:
            yield place
            if call.returned is not None:
                first = call.returned if first is None else min(first, call.returned)
