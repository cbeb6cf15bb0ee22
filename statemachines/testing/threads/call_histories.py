"""Calls of several threads as they were recorded: when each began, when it ended, and how."""

from __future__ import annotations

import itertools
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

from attrs import define, evolve, field, frozen

from statemachines.semantics.messages.argument_errors import ArgumentsError
from statemachines.testing.runs.subject_contact import CallOutcome


@frozen(eq=False)
class ThreadCall:
    """One call of one thread."""

    thread: int
    attempt: Any
    """What was called, as the machine or the system has it; its `repr` is shown."""
    called: int
    """When it began: a number that grows with each beginning and end of all threads."""
    returned: int | None = None
    """When it ended; None: it had not when the recording ended."""
    outcome: CallOutcome | None = None

    def may_change_nothing(self, refusals: tuple[type[Exception], ...]) -> bool:
        """Tell whether it may have come to nothing, where another call had made it impossible by
        then: what it asks for is no longer there. A subject that did it all the same is wrong.

        Args:
            refusals: exceptions by which the subject refuses.

        Returns:
            Whether it was refused, or had not ended.
        """
        return self.outcome is None or isinstance(self.outcome.error, (ArgumentsError, *refusals))


@define
class CallHistory:
    """What several threads call on one subject, recorded as it happens; any thread may record."""

    calls: list[ThreadCall] = field(factory=list)
    _moments: Any = field(factory=itertools.count)
    """Taking the next one is one step of the interpreter: no two threads get the same."""

    def record(self, thread: int, attempt: Any, call: Callable[[], Any]) -> None:
        """Make a call and keep when it began, when it ended, and how.

        Args:
            thread: whose call it is; calls of one thread follow each other.
            attempt: what is called, as the machine has it.
            call: makes the call; what it raises is its outcome.
        """
        pending = self._begin(thread, attempt)
        try:
            outcome = CallOutcome(call())
        except Exception as error:
            # whatever the subject raises is its behaviour, and is compared with the machine's
            outcome = CallOutcome(error=error)
        self._end(pending, outcome)

    async def record_awaited(
        self, thread: int, attempt: Any, call: Callable[[], Awaitable[Any]]
    ) -> None:
        """Do the same with a call that is awaited.

        Args:
            thread: whose call it is.
            attempt: what is called, as the machine has it.
            call: makes the call; what it raises is its outcome.
        """
        pending = self._begin(thread, attempt)
        try:
            outcome = CallOutcome(await call())
        except Exception as error:  # as above
            outcome = CallOutcome(error=error)
        self._end(pending, outcome)

    def _begin(self, thread: int, attempt: Any) -> ThreadCall:
        pending = ThreadCall(thread, attempt, next(self._moments))
        self.calls.append(pending)
        return pending

    def _end(self, pending: ThreadCall, outcome: CallOutcome) -> None:
        ended = evolve(pending, returned=next(self._moments), outcome=outcome)
        self.calls[self.calls.index(pending)] = ended

    def lanes(self) -> str:
        """Return the calls as text: a column a thread, in the order in which they began and ended.

        >>> from statemachines.testing.runs.attempts import Attempt
        >>> history = CallHistory()
        >>> history.record(0, Attempt("up"), lambda: 1)
        >>> print(history.lanes())
        thread 1
        up()
          returned 1
        """
        threads = sorted({call.thread for call in self.calls})
        moments = sorted(self._moments_as_text())
        lanes = {
            number: [
                f"thread {number + 1}",
                *(text for _, thread, text in moments if thread == number),
            ]
            for number in threads
        }
        widths = {thread: max(map(len, lane)) + 3 for thread, lane in lanes.items()}
        indents = {
            thread: sum(widths[left] for left in threads if left < thread) for thread in threads
        }
        head = "".join(lanes[thread][0].ljust(widths[thread]) for thread in threads)
        return "\n".join(
            [head.rstrip(), *(" " * indents[thread] + text for _, thread, text in moments)]
        )

    def _moments_as_text(self) -> Iterator[tuple[int, int, str]]:
        """Yield each beginning and end: when, of which thread, and what it was."""
        last = max((call.returned or call.called for call in self.calls), default=0)
        for call in self.calls:
            yield call.called, call.thread, repr(call.attempt)
            if call.returned is not None:
                yield call.returned, call.thread, f"  {call.outcome}"
            else:
                yield last + 1 + call.thread, call.thread, "  waits for ever"
