"""Judging as a function: what is known of an instance and one line of it give what is known after
the line, the rows that it proves, and what is wrong.

`JudgementPass` is the fold of this function over all lines of an instance: it changes one value in
place instead of copying it, and takes runs of plain steps as a whole. That both say the same is a
law, `tests/laws/test_judging_step.py`.
"""

from __future__ import annotations

from copy import deepcopy
from typing import NamedTuple

from attrs import frozen

from statemachines.conform.interchange.judgements import PendingFinding, StatePoint, StepRow
from statemachines.conform.interchange.observations import Observation
from statemachines.conform.judge.instance.instance_belief import InstanceBelief
from statemachines.conform.judge.instance.instance_judge import InstanceJudge
from statemachines.conform.judge.tables.judging_tables import JudgingTables
from statemachines.conform.settle.judging_context import JudgingContext


@frozen
class JudgingRules:
    """What the lines of a machine's instances are judged by."""

    context: JudgingContext
    tables: JudgingTables
    owner: int
    """Number of the machine."""


class JudgedObservation(NamedTuple):
    """What came of one line."""

    belief: InstanceBelief
    rows: tuple[StepRow | StatePoint, ...]
    """The steps that it proves, and a point where the believed states change."""
    findings: tuple[PendingFinding, ...]
    """All of the instance so far: a line may count again what stands there already."""


def first_belief(rules: JudgingRules) -> InstanceBelief:
    """Return what is known of an instance before its first line: it may be in any state."""
    return InstanceJudge(rules.context, rules.tables, rules.owner).belief()


def judge(
    belief: InstanceBelief, observation: Observation, rules: JudgingRules
) -> JudgedObservation:
    """Judge one observation; nothing that is given changes.

    Args:
        belief: what is known of the instance.
        observation: the next line that counts for it, in its order.
        rules: what it is judged by.

    Complexity: copies the belief; a fold over many lines is `JudgementPass`.
    """
    judging = InstanceJudge(rules.context, rules.tables, rules.owner)
    judging.resume(deepcopy(belief))
    rows = tuple(judging.feed(observation))
    return JudgedObservation(judging.belief(), rows, tuple(judging.findings))
