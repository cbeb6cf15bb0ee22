"""What is claimed of a system, evaluated once for what it looks at, and whether something takes an
event of a part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from attrs import define, field, frozen

from statemachines.explore.models.decision_forests import WHOLE, DecisionForest, LookRecorder
from statemachines.explore.models.part_moves import SystemMove
from statemachines.explore.models.row_columns import Row
from statemachines.explore.models.system_columns import SystemColumns
from statemachines.explore.models.system_sources import recorded_state
from statemachines.model.definitions.snapshots import NamedValues, Snapshot, Value
from statemachines.model.language.expression_nodes import ENABLED, Expression
from statemachines.semantics.evaluation.compiler import Evaluator
from statemachines.semantics.system.event_cascade import EventCascade

EnabledTest = Callable[[LookRecorder, str, Mapping[str, Value]], bool]
"""Tells of a row, as it is handed out, whether something takes an event (`part.event`) with some
arguments given.
"""


@define(eq=False)
class SystemCondition:
    """An expression over a row of a system, or over the rows around a step."""

    layout: SystemColumns
    node: Expression
    bound: Mapping[str, Value]
    """What names stand for of which it is claimed for each value."""
    number: Callable[[Any], int] = bool
    """What stands for its values: whether they are true, or numbers."""
    is_enabled: EnabledTest | None = None
    """Tells of an event whether something takes it; None where nothing asks."""
    forest: DecisionForest[int] = field(init=False)
    """With one question, about a row that is followed by the row before the step."""
    evaluate: Evaluator = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.evaluate = self.layout.tables.behaviour.evaluator(self.node)
        self.forest = DecisionForest(self._evaluate, self.layout.view)
        self.forest.add_question()

    def holds_in(self, row: Row) -> bool:
        """Tell whether it holds in a row."""
        return bool(self.forest.answer(0, row))

    def value_in(self, row: Row) -> int:
        """Return the number of what it is in a row."""
        return self.forest.answer(0, row)

    def holds_of_step(self, before: Row, after: Row) -> bool:
        """Tell whether it holds of a step."""
        return bool(self.forest.answer(0, after + before))

    def _evaluate(self, _: int, recorder: LookRecorder) -> int:
        now = recorded_state(self.layout, recorder)
        old = recorded_state(self.layout, recorder, len(self.layout.columns))
        earlier = Snapshot("", old.names, old.parameters)
        given = {} if self.is_enabled is None else {ENABLED: partial(self.is_enabled, recorder)}
        return self.number(self.evaluate("", now.names, now.parameters, self.bound, earlier, given))


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
