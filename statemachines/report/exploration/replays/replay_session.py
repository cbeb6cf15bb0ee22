"""A conversation along a trace that was written before; it may be left, and come back to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from random import Random

from attrs import define

from statemachines.model.definitions.machine_definitions import MachineDefinition
from statemachines.model.definitions.snapshots import NamedValues, Value
from statemachines.model.definitions.system_definitions import SystemDefinition
from statemachines.report.exploration.interactive_session import (
    HELP,
    InteractiveSession,
    SessionChoice,
    SessionModel,
)
from statemachines.report.exploration.replays.replay_report import ReplayReport
from statemachines.report.exploration.session_models import session_model
from statemachines.semantics.messages.argument_errors import ArgumentsError

_REPLAY_HELP = (
    "  next        take the next step of the trace; so does an empty line",
    "  trace       show the whole trace",
)
_REPLAY_HINT = "      next (or Enter), trace, a number, an event, why, back, restart, help, quit"


@define
class ReplaySession:
    """A conversation: one line in, some lines out."""

    session: InteractiveSession
    snapshots: tuple[object, ...]
    """Of the trace."""
    report: ReplayReport

    @property
    def ended(self) -> bool:
        """Whether the person has ended it."""
        return self.session.ended

    def opening_lines(self) -> Iterator[str]:
        """Yield what is shown first."""
        shown = self.report.shown
        yield f"{shown.title}: {shown.message}"
        yield from self._trace_lines()
        yield from self.session.state_lines()
        yield _REPLAY_HINT

    def answer_lines(self, line: str) -> Iterator[str]:
        """Yield what is shown for a line.

        Args:
            line: without its line feed.

        Yields:
            Lines to print.
        """
        match line.strip():
            case "" | "next":
                yield from self._next_lines()
            case "trace":
                yield from self._trace_lines()
            case "help" | "?":
                yield from _REPLAY_HELP
                yield from HELP
            case _:
                yield from self.session.answer_lines(line)

    def _next_lines(self) -> Iterator[str]:
        """Take the next step of the trace, and yield what became of it."""
        path = self.session.path
        if (at := self._steps_along()) is None:
            yield "  this is not on the trace; `back` leads back to it, `restart` to its beginning"
        elif at == len(self.report.shown.rows):
            yield from self._end_lines()
        else:
            row = self.report.shown.rows[at]
            path.append(self.snapshots[at + 1])
            yield f"      {row.event}   {row.outcome}"
            yield from self.session.state_lines()
            if at + 1 == len(self.report.shown.rows):
                yield from self._end_lines()

    def _steps_along(self) -> int | None:
        """Return how many steps of the trace were taken; None where it was left."""
        path = self.session.path
        along = self.snapshots[: len(path)] == tuple(path)
        return len(path) - 1 if along else None

    def _end_lines(self) -> Iterator[str]:
        shown, report = self.report.shown, self.report
        yield f"      the trace ends here: {report.stop or report.remark or shown.message}"
        if shown.loop_start is not None and shown.loop_start < len(shown.rows):
            yield f"      and again from step {shown.loop_start + 1}"

    def _trace_lines(self) -> Iterator[str]:
        width = max((len(row.event) for row in self.report.shown.rows), default=0)
        yield from (
            f"      {row.number:>2}  {row.event:{width}}   {row.outcome}"
            for row in self.report.shown.rows
        )


def replay_session(
    value: MachineDefinition | SystemDefinition, scope: Iterable[str], report: ReplayReport
) -> ReplaySession | None:
    """Return a conversation along a trace; None where it cannot even begin.

    Args:
        value: in one release.
        scope: as for `explore`.
        report: the trace as it goes today.

    Returns:
        A conversation at the beginning of the trace.
    """
    trace = report.result.trace
    if trace is None:
        return None
    model, snapshots = session_model(value, scope), tuple(trace.snapshots)
    if not trace.is_of_system:
        several = len(trace.begin) > 1
        model = _CopiesSession(model, len(trace.begin)) if several else model
        snapshots = snapshots if several else tuple(snapshot for (snapshot,) in snapshots)
    session = InteractiveSession(model, Random(0))
    session.path = [snapshots[0]]
    return ReplaySession(session, snapshots, report)


@define
class _CopiesSession:
    """Copies that are tried out, numbered from 1; where they are is a tuple of snapshots."""

    model: SessionModel
    """Any of them."""
    copies: int

    def initial_snapshots(self) -> list[object]:
        """Return where all of them begin alike."""
        return [(first,) * self.copies for first in self.model.initial_snapshots()]

    def snapshot_line(self, now: object) -> str:
        """Write where each is."""
        assert isinstance(now, tuple)
        return "  |  ".join(map(self.model.snapshot_line, now))

    def choices(self, now: object) -> tuple[list[SessionChoice], list[tuple[str, str]]]:
        """Return what each may take, and why not the rest."""
        assert isinstance(now, tuple)
        choices, others = list[SessionChoice](), list[tuple[str, str]]()
        for copy, snapshot in enumerate(now):
            possible, impossible = self.model.choices(snapshot)
            choices += [
                SessionChoice(f"{copy + 1}: {choice.label}", choice.outcome, (copy, choice.action))
                for choice in possible
            ]
            others += [(f"{copy + 1}: {name}", reason) for name, reason in impossible]
        return choices, others

    def broken_properties(self, now: object) -> list[str]:
        """Return the rules that do not hold of some copy."""
        assert isinstance(now, tuple)
        return list(
            dict.fromkeys(
                name for snapshot in now for name in self.model.broken_properties(snapshot)
            )
        )

    def take(self, now: object, choice: object) -> tuple[object, str]:
        """Take what one copy was shown to be able to."""
        assert isinstance(now, tuple)
        assert isinstance(choice, tuple)
        copy, action = choice
        after, message = self.model.take(now[copy], action)
        return (*now[:copy], after, *now[copy + 1 :]), f"{copy + 1}: {message}"

    def request(
        self, now: object, name: str, key: Value, arguments: NamedValues
    ) -> tuple[object, str]:
        """Refuse an event by its name: it does not say whose it is."""
        raise ArgumentsError(f"`{name}` of which copy? Copies are stepped by number")
