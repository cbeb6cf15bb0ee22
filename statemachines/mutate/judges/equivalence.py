"""Whether two machines behave the same: proved, step by step, over all that can be reached."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

from statemachines.explore.models.event_memos import column_picker, partial_snapshot
from statemachines.explore.models.model_protocol import Model
from statemachines.explore.models.row_columns import Row
from statemachines.model.definitions.snapshots import (
    Advanced,
    Answer,
    NamedValues,
    Refused,
    Snapshot,
)
from statemachines.mutate.judges.originals import StateEvent
from statemachines.semantics.machine.step import unchecked_step

_AnswerDifference = tuple[NamedValues, Answer | None, Answer | None]
"""Arguments and what two machines answer; None: they are against its `where`, and are not asked of
it.
"""


@frozen
class FirstDifference:
    """The first place where two machines answer otherwise; before it, on the way there, they answer
    alike.
    """

    row_index: int
    """Which row of the search, in the order in which they were met; -1: they begin otherwise."""
    event: str = ""
    arguments: NamedValues | None = None
    old: Answer | None = None
    new: Answer | None = None

    @property
    def key(self) -> object:
        """The same for all mutants that part here with the same answer."""
        arguments = tuple(sorted(self.arguments.items())) if self.arguments else ()
        return (
            self.row_index,
            self.event,
            arguments,
            observable_answer(self.new) if self.new else None,
            self.old is None,
        )


def observable_answer(answer: Answer) -> object:
    """Return what whoever asked is told: kind of answer, what comes after, what is given back and
    raised, what is wrong with the spec; and whether the times of the state begin anew.

    Args:
        answer: of `step`.

    Returns:
        A value that is equal for equal answers.
    """
    return (
        type(answer).__name__,
        answer.after,
        answer.returned,
        answer.error,
        answer.reason if isinstance(answer, Refused) else "",
        isinstance(answer, Advanced) and answer.decided_by.restarts,
    )


def first_difference(
    rows: Sequence[Row], one: Model, other: Model, slots: frozenset[StateEvent]
) -> FirstDifference | None:
    """Return the first place where two models part.

    Both machines are deterministic once arguments are chosen, and alike outside of `slots`. So
    where no reachable row of the one has an answer that differs, both reach the same rows, and no
    run can tell them apart.

    Args:
        rows: those of the first model from which a search goes on, breadth first.
        one: a machine.
        other: another one, with the same columns and beginnings.
        slots: where alone they may differ.

    Returns:
        Where they part, or None where they nowhere do.

    Complexity: each event is asked once for what the columns that it looks at hold.
    """
    states = one.machine_tables.states
    pairs = [
        _EventPair(one, other, number)
        for number, memo in enumerate(one.memos)
        if any(memo.event == name for _, name in slots)
    ]
    for index, row in enumerate(rows):
        for pair in pairs:
            if (states[row[0]], pair.event) in slots:
                difference = pair.difference(row)
                if difference is not None:
                    arguments, old, new = difference
                    return FirstDifference(index, pair.event, arguments, old, new)
    return None


class _EventPair:
    """One event of two worlds."""

    def __init__(self, one: Model, other: Model, number: int) -> None:
        rule = one.memos[number]
        like = next((memo for memo in other.memos if memo.event == rule.event), None)
        self.event, self._enumeration, self._models = rule.event, rule.enumeration, (one, other)
        self._reads = tuple(sorted({*rule.reads, *(like.reads if like else ())}))
        self._pick_columns = column_picker(self._reads)
        self._compared = set[Row]()
        self._other_enumeration = like.enumeration if like and self._arguments_differ() else None

    def _arguments_differ(self) -> bool:
        signatures = [model.tables.behaviour.signature(self.event) for model in self._models]
        meanings = [model.data.definitions for model in self._models]
        return signatures[0] != signatures[1] or meanings[0] != meanings[1]

    def difference(self, row: Row) -> _AnswerDifference | None:
        """Return arguments for which the two answer otherwise in a row."""
        numbers = self._pick_columns(row)
        if numbers in self._compared:
            return None
        self._compared.add(numbers)
        one, other = self._models
        columns, held = one.kinds[0].columns, dict(zip(self._reads, numbers, strict=True))
        now = partial_snapshot(one.machine_tables, columns, held)
        taken = self._one_sided_arguments(now)
        if taken is not None:
            return taken
        for arguments in self._enumeration.arguments_at(now):
            old = unchecked_step(one.machine_tables, now, self.event, arguments)
            new = unchecked_step(other.machine_tables, now, self.event, arguments)
            if observable_answer(old) != observable_answer(new):
                return arguments, old, new
        return None

    def _one_sided_arguments(self, now: Snapshot) -> _AnswerDifference | None:
        """Return arguments that may be asked of one of the two only."""
        if self._other_enumeration is None:
            return None
        mine, theirs = (
            list(self._enumeration.arguments_at(now)),
            list(self._other_enumeration.arguments_at(now)),
        )
        for arguments in theirs if mine != theirs else ():
            if arguments not in mine:
                return (
                    arguments,
                    None,
                    unchecked_step(self._models[1].machine_tables, now, self.event, arguments),
                )
        for arguments in mine if mine != theirs else ():
            if arguments not in theirs:
                return (
                    arguments,
                    unchecked_step(self._models[0].machine_tables, now, self.event, arguments),
                    None,
                )
        return None
