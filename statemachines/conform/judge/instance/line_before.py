"""The line before the one that is judged: which of the two was first, and whether an incarnation
may have begun between them.
"""

from __future__ import annotations

from bisect import bisect_right
from copy import copy
from typing import NamedTuple

from statemachines.conform.interchange.observations import Observation, Position
from statemachines.conform.settle.judging_context import JudgingContext
from statemachines.model.definitions.log_definitions import LineKind


class LastLine(NamedTuple):
    """What is kept of the last line."""

    process: int
    position: Position | None
    is_numbered: bool
    has_begin_sign: bool


class LineBefore:
    """The last line of one instance that counted."""

    def __init__(
        self, context: JudgingContext, *, ends_with_process: bool, single_incarnation: bool
    ) -> None:
        self._context = context
        self._ends_with_process = ends_with_process
        """Whether a restart of its process ends the instance."""
        self._single_incarnation = single_incarnation
        self.place: tuple[int, Position] | None = None
        """Its process, and where in it the line stands."""
        self._is_numbered = False
        """Whether it stood in a sequence."""
        self.has_begin_sign = False
        """Whether something since it shows that a life begins."""
        self.is_beginning = False
        """Whether it told itself of the beginning of the life that is judged."""

    def copy(self) -> LineBefore:
        """Return the same for a judge that goes on by itself."""
        return copy(self)

    def resume_point(self) -> LastLine:
        """Return what another one goes on from."""
        process, position = self.place or (-1, None)
        return LastLine(process, position, self._is_numbered, self.has_begin_sign)

    def resume(self, point: LastLine) -> None:
        """Go on from what was kept."""
        process, position, self._is_numbered, self.has_begin_sign = point
        self.place = None if position is None else (process, position)

    @property
    def is_known(self) -> bool:
        """Whether there is one."""
        return self.place is not None

    def take(self, process: int, observation: Observation) -> None:
        """Let a line be the one before."""
        self.place = process, self._context.position(observation)
        self._is_numbered = observation.number is not None

    def take_signs(self, kind: LineKind, *, believes: bool) -> None:
        """Note what a line says of beginning and end.

        Args:
            kind: of the line.
            believes: whether it tells where the instance is.
        """
        begins, ends = kind is LineKind.BEGIN, kind is LineKind.END
        self.has_begin_sign = begins or ends or (self.has_begin_sign and not believes)
        self.is_beginning = (begins and believes) or (
            self.is_beginning and not believes and not ends
        )

    def take_numbered(self, process: int, observation: Observation) -> None:
        """Let a line of a sequence be the one before."""
        self.place, self._is_numbered = (process, self._context.position(observation)), True

    def is_order_unclear(
        self, process: int, position: Position, *, is_numbered: bool = False
    ) -> bool:
        """Tell whether it is another process's, and so near that the clocks cannot tell which line
        was first.

        Args:
            process: of the line that is judged.
            position: of that line.
            is_numbered: whether that line stands in a sequence.
        """
        before = self.place
        if before is None or before[0] == process or (self._is_numbered and is_numbered):
            return False
        return abs(position.reached - before[1].reached) <= self._context.plan.options.tolerance_ms

    def may_have_begun(self, process: int, position: Position) -> bool:
        """Tell whether a life may have begun since."""
        return not self._single_incarnation and (
            self.has_begin_sign or self.process_began_since(process, position)
        )

    def may_be_of_later_life(self, process: int, position: Position) -> bool:
        """Tell whether a line that says nothing of states may be about a life that began since: not
        where the line before is the one that told of the beginning.
        """
        if self.is_beginning:
            return self.process_began_since(process, position)
        return self.may_have_begun(process, position)

    def process_began_since(self, process: int, position: Position) -> bool:
        """Tell whether its process began anew since: what was known of values is over.

        What one process after the other holds outlives each of them.
        """
        before = self.place
        if before is None or not self._ends_with_process or before[0] != process:
            return False
        return self._context.processes[process].began_between(before[1], position)

    def start_since(self, process: int, position: Position) -> Position | None:
        """Return the first sign since that the process of the line began, where it shows one."""
        before, starts = self.place, self._context.processes[process].possible_starts
        index = (
            bisect_right(starts, before[1])
            if before is not None and before[0] == process
            else len(starts)
        )
        return starts[index] if index < len(starts) and starts[index] < position else None
