"""Whether a subject did what the machine says."""

from __future__ import annotations

from typing import Any, assert_never

from attrs import frozen

from statemachines.model.machines import Transition
from statemachines.model.snapshots import Advanced, Answer, Forced, Ignored, Raised, Refused, Snapshot, Value
from statemachines.semantics.tables import Tables
from statemachines.testing.subjects import MISSING, Manners, Outcome, as_value, look


@frozen
class Attempt:
    """An event that the subject is given, as failing runs print it."""

    event: str
    arguments: dict[str, Value]

    def __repr__(self) -> str:
        return f"{self.event}({', '.join(f'{name}={value!r}' for name, value in self.arguments.items())})"


def difference(tables: Tables, answer: Answer, outcome: Outcome, manners: Manners) -> str | None:
    """Say what is wrong with the outcome of a call; None where it is what the machine says."""
    expected = _expectation(answer)
    if _is_right(tables, answer, outcome, manners):
        return None
    return f"must {expected}{_why(tables, answer)}, but the subject {outcome}"


def difference_in_view(tables: Tables, subject: Any, expected: Snapshot, manners: Manners) -> str | None:
    """Say what the subject shows that is not as in the snapshot; None where all is."""
    if tables.states != ("",) and (state := look(subject, "state", manners)) != expected.state:
        return f"the subject's state must be {expected.state}, and is {_shown(state)}"
    for name, value in expected.variables.items():
        if (shown := look(subject, name, manners)) != as_value(value):
            return f"the subject's `{name}` must be {value!r}, and is {_shown(shown)}"
    return None


def _shown(value: Value) -> str:
    return "not shown (no such attribute)" if value is MISSING else f"{value}" if isinstance(value, str) else repr(value)


def _expectation(answer: Answer) -> str:
    match answer:
        case Advanced():
            return f"lead to {answer.after.state}" if answer.after.state else "be done"
        case Ignored():
            return "be swallowed"
        case Refused():
            return "be refused"
        case Raised():
            return f"raise {answer.error}"
        case Forced():
            return f"be done all the same and lead to {answer.after.state}"
        case _:
            assert_never(answer)


def _why(tables: Tables, answer: Answer) -> str:
    decided = answer.decided_by
    if decided is None:
        return " (nothing allows it: the default)"
    place = f"{decided.span.file}:{decided.span.line}" if decided.span is not None else tables.machine.file
    kind = "transitions" if isinstance(decided, Transition) else "otherwise"
    return f" (entry {decided.entry + 1} of `{kind}`{f', {place}' if place else ''})"


def _is_right(tables: Tables, answer: Answer, outcome: Outcome, manners: Manners) -> bool:
    if outcome.error is None:
        return not isinstance(answer, Refused | Raised) and _is_right_value(answer, outcome.value)
    if isinstance(answer, Raised):
        return manners.is_error(outcome.error, answer.error or "")
    if not isinstance(answer, Refused) or not isinstance(outcome.error, manners.refusals):
        return False
    declared = {entry.error for entry in tables.machine.otherwise if entry.error is not None}
    return not any(manners.is_error(outcome.error, name) for name in declared)


def _is_right_value(answer: Answer, value: Value) -> bool:
    """Compare a result where the machine says one: a plain arrow says none."""
    decided = answer.decided_by
    if not isinstance(decided, Transition) or decided.case is None:
        return True
    return as_value(value) == as_value(answer.returned)
