"""What was done to subjects, as Python that can be pasted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from statemachines.embed.code_generation.python_text import method_call
from statemachines.model.definitions.snapshots import Value
from statemachines.semantics.messages.value_text import format_literal
from statemachines.testing.runs.attempts import Attempt, NamedValues
from statemachines.testing.runs.subject_contact import CallOutcome, SubjectConventions


class ReproductionProgram:
    """The lines of a program; what must raise is let raise, what is awaited is awaited, records are
    declared.
    """

    def __init__(self, conventions: SubjectConventions) -> None:
        self.adapted = conventions.call is not None
        self._lines: list[tuple[str, str]] = []
        """Each line, and the exception that it raises as it must; empty: none."""
        self._records: dict[str, tuple[str, ...]] = {}

    def add_subject(self, parameters: NamedValues, *, awaited: bool) -> None:
        """Note that a life begins.

        Args:
            parameters: those with which the subject is made.
            awaited: whether making it must be awaited.
        """
        self._note_records(parameters.values())
        self._lines.append(
            (
                (
                    "subject ="
                    f" {'await ' if awaited else ''}make_subject({_keyword_arguments(parameters)})"
                ),
                "",
            )
        )

    def add_call(self, attempt: Attempt, outcome: CallOutcome, *, awaited: bool) -> None:
        """Note a call and what it raised.

        Args:
            attempt: the event with its arguments.
            outcome: what it returned or raised.
            awaited: whether the call must be awaited.
        """
        self._note_records(attempt.arguments.values())
        comment = (
            f"call(subject, {attempt.event!r}, {{{_dict_items(attempt.arguments)}}})"
            if self.adapted
            else method_call("subject", str(attempt))
        )
        raised = type(outcome.error).__name__ if outcome.error is not None else ""
        self._lines.append((f"await {comment}" if awaited else comment, raised))

    def extend_last_call(self, done: str) -> None:
        """Note what a caller does with what the last call returned.

        Args:
            done: Python, to stand behind the call, such as `.clear()`.
        """
        line, raised = self._lines[-1]
        self._lines[-1] = (
            f"({line}){done}" if line.startswith("await ") else f"{line}{done}",
            raised,
        )

    def expose_last_error(self) -> None:
        """Let the exception of the last call be seen: it is what is wrong."""
        self._lines[-1] = self._lines[-1][0], ""

    def lines(self) -> Iterator[str]:
        """Yield the program's lines, what it needs first."""
        if any(raised for _, raised in self._lines):
            yield "from contextlib import suppress"
        if self._records:
            yield "from collections import namedtuple"
        for name, fields in self._records.items():
            yield f"{name} = namedtuple({name!r}, {' '.join(fields)!r})"
        for line, raised in self._lines:
            yield f"with suppress({raised}): {line}" if raised else line

    def _note_records(self, values: Iterable[Value]) -> None:
        """Note the classes of records among some values."""
        for value in values:
            if isinstance(value, dict):
                self._note_records((*value.keys(), *value.values()))
            elif isinstance(value, tuple | frozenset):
                if hasattr(value, "_fields"):
                    self._records[type(value).__name__] = value._fields
                self._note_records(value)


def _keyword_arguments(values: NamedValues) -> str:
    return ", ".join(f"{name}={format_literal(value)}" for name, value in values.items())


def _dict_items(values: NamedValues) -> str:
    return ", ".join(f"{name!r}: {format_literal(value)}" for name, value in values.items())
