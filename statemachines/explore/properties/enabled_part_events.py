"""Whether something takes an event in a row of a system: what its properties ask."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from attrs import frozen

from statemachines.explore.models.decision_forests import WHOLE, LookRecorder
from statemachines.explore.models.part_moves import SystemMove
from statemachines.explore.models.system_columns import SystemColumns
from statemachines.model.definitions.snapshots import NamedValues
from statemachines.semantics.system.event_cascade import EventCascade


@frozen(eq=False)
class EnabledEvents:
    """The events of a system.

    Nothing is numbered that comes of them: whoever asks may stand where no search goes on.
    """

    layout: SystemColumns
    moves: Mapping[int, SystemMove]
    """By question."""
    questions: Callable[[int, int], tuple[range, int]]
    """A column and the number of its value, to the questions about what may happen there."""
    outcome: Callable[[SystemMove, LookRecorder], EventCascade | None]
    """All that comes of a move; None where something forbids it."""

    def is_enabled(self, recorder: LookRecorder, event: str, given: NamedValues) -> bool:
        """Tell whether a part takes an event, by itself or as it is delivered, with some arguments
        given (`key`: one of several), and no link forbids it.
        """
        return any(
            self._comes_about(recorder, self.moves[question], event, given)
            for column in self._columns_of_event(event, given)
            for question in self._questions_in(recorder, column)
        )

    def _columns_of_event(self, event: str, named_values: NamedValues) -> Iterator[int]:
        """Yield the columns that tell whether an event may happen: of its part, and what waits
        where it may wait.
        """
        for (part, key), column in self.layout.part_places.items():
            if event.startswith(f"{part}.") and named_values.get("key", key) == key:
                yield column
        for queue, column in self.layout.queue_places.items():
            part, key = queue.receiver
            if event.startswith(f"{part}.") and named_values.get("key", key) == key:
                yield column

    def _questions_in(self, recorder: LookRecorder, column: int) -> range:
        number = recorder.see(column, WHOLE)
        assert isinstance(number, int)
        return self.questions(column, number)[0]

    def _comes_about(
        self, recorder: LookRecorder, move: SystemMove, event: str, named_values: NamedValues
    ) -> bool:
        known = {**move.arguments, "key": move.part[1]}
        if f"{move.part[0]}.{move.event}" != event or any(
            known[name] != value for name, value in named_values.items()
        ):
            return False
        cascade = self.outcome(move, recorder)
        return cascade is not None and bool(cascade.steps)
