"""What is claimed of a system, evaluated once for what it looks at."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from attrs import define, field

from statemachines.explore.models.decision_forests import DecisionForest, LookRecorder
from statemachines.explore.models.row_columns import Row
from statemachines.explore.models.system_columns import SystemColumns
from statemachines.explore.models.system_sources import recorded_state
from statemachines.model.definitions.snapshots import Snapshot, Value
from statemachines.model.language.expression_nodes import ENABLED, Expression
from statemachines.semantics.evaluation.compiler import Evaluator

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
