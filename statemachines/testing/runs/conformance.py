"""Whether a subject did what the machine says."""

from __future__ import annotations

from typing import Any, assert_never

from statemachines.model.definitions.machine_definitions import Transition
from statemachines.model.definitions.snapshots import (
    Advanced,
    Answer,
    Forced,
    Ignored,
    Raised,
    Refused,
    Snapshot,
    Value,
)
from statemachines.model.language.expression_nodes import Expression
from statemachines.semantics.machine.machine_tables import MachineTables
from statemachines.semantics.messages.value_text import format_literal
from statemachines.testing.runs.subject_contact import (
    MISSING,
    CallOutcome,
    SubjectContact,
    SubjectConventions,
    UnreadableView,
    as_value,
    is_same_value,
)


def call_difference(
    tables: MachineTables, answer: Answer, outcome: CallOutcome, conventions: SubjectConventions
) -> str | None:
    """Say what is wrong with the outcome of a call; None where it is what the machine says.

    Args:
        tables: those of the machine.
        answer: what the machine says to it.
        outcome: what the call returned or raised.
        conventions: how the subject says what the machine says.

    Returns:
        One sentence for people, or None.
    """
    if not _is_conforming(tables, answer, outcome, conventions):
        return (
            f"must {_expectation_text(answer)}{_reason_text(tables, answer)}, but the subject"
            f" {outcome}"
        )
    result = expected_result(answer)
    if outcome.error is None and result is not None:
        type_, value = result[0].type, result[1]
        if not is_same_value(type_, as_value(outcome.value), value):
            return (
                f"must return {format_literal(value)}{_reason_text(tables, answer)}, but the"
                f" subject {outcome}"
            )
    return None


def view_difference(
    tables: MachineTables, subject: Any, expected: Snapshot, contact: SubjectContact
) -> str | None:
    """Say what the subject shows that is not as in the snapshot; None where all is.

    Args:
        tables: those of the machine.
        subject: the program under test.
        expected: what it should show: a state and variables.
        contact: how the subject is called and looked at.

    Returns:
        One sentence for people, or None.
    """
    if tables.states != ("",) and (state := contact.view(subject, "state")) != expected.state:
        return f"the subject's state must be {expected.state}, and {_shown_text(state)}"
    for variable in tables.machine.data.variables:
        if variable.observable:
            value, shown = expected.variables[variable.name], contact.view(subject, variable.name)
            if not is_same_value(variable.type, shown, value):
                return (
                    f"the subject's `{variable.name}` must be {format_literal(value)}, and"
                    f" {_shown_text(shown)}"
                )
    return None


def named_result_difference(
    tables: MachineTables, answer: Answer, subject: Any, contact: SubjectContact
) -> str | None:
    """Say which named result the subject shows otherwise; what it does not show, or what is a
    variable's name, is not compared.

    Args:
        tables: those of the machine.
        answer: what the machine says to it.
        subject: the program under test.
        contact: how the subject is called and looked at.

    Returns:
        One sentence for people, or None.
    """
    decided = answer.decided_by
    returns = (
        decided.case.returns
        if isinstance(decided, Transition) and decided.case is not None
        else None
    )
    if not isinstance(returns, tuple) or not isinstance(answer.returned, dict):
        return None
    for name, node in returns:
        is_other = name in ("value", "state") or tables.machine.data.variable(name) is not None
        shown = MISSING if is_other else contact.view(subject, name)
        if shown is not MISSING and not is_same_value(node.type, shown, answer.returned[name]):
            return (
                f"the subject's `{name}` must be {format_literal(answer.returned[name])}, and"
                f" {_shown_text(shown)}"
            )
    return None


def _shown_text(value: Value) -> str:
    if value is MISSING:
        return "is not shown (no such attribute)"
    return (
        str(value)
        if isinstance(value, UnreadableView)
        else f"is {value}"
        if isinstance(value, str)
        else f"is {format_literal(value)}"
    )


def _expectation_text(answer: Answer) -> str:
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


def _reason_text(tables: MachineTables, answer: Answer) -> str:
    decided = answer.decided_by
    if decided is None:
        return " (its guard is false)" if answer.candidates else " (nothing allows it: the default)"
    where = (
        f"{decided.span.file}:{decided.span.line}"
        if decided.span is not None
        else tables.machine.file
    )
    return f" ({_entry_title(decided)}{f', {where}' if where else ''})"


def _entry_title(decided: Any) -> str:
    """Name an entry of the spec; an event that carries its operation itself is one too."""
    if not isinstance(decided, Transition):
        return f"entry {decided.entry + 1} of `otherwise`"
    case = (
        f", case {decided.case.index + 1}"
        if decided.case is not None and decided.case.when is not None
        else ""
    )
    return (
        f"event `{decided.event}`"
        if decided.entry < 0
        else f"entry {decided.entry + 1} of `transitions`"
    ) + case


def _is_conforming(
    tables: MachineTables, answer: Answer, outcome: CallOutcome, conventions: SubjectConventions
) -> bool:
    if outcome.error is None:
        return not isinstance(answer, Refused | Raised)
    if isinstance(answer, Raised):
        return conventions.is_error(outcome.error, answer.error or "")
    if not isinstance(answer, Refused) or not isinstance(outcome.error, conventions.refusals):
        return False
    declared = {entry.error for entry in tables.machine.otherwise if entry.error is not None}
    declared |= {error.name for error in tables.machine.data.errors}
    return not any(conventions.is_error(outcome.error, name) for name in declared)


def expected_result(answer: Answer) -> tuple[Expression, Value] | None:
    """Return what the method must give back and the expression that says so; None where the machine
    says nothing.

    Args:
        answer: what the machine says to it.

    Returns:
        The expression as the spec has it and its value after this step, or None.
    """
    decided = answer.decided_by
    if not isinstance(decided, Transition) or decided.case is None:
        return None
    returns = decided.case.returns
    if isinstance(returns, Expression):
        return returns, answer.returned
    if (
        isinstance(returns, tuple)
        and isinstance(answer.returned, dict)
        and "value" in dict(returns)
    ):
        return dict(returns)["value"], answer.returned["value"]
    return None
