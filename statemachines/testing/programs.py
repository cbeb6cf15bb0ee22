"""What was done to subjects, as Python that can be pasted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from statemachines.embed.pythonic import called
from statemachines.model.snapshots import Value
from statemachines.semantics.texts import exact
from statemachines.testing.attempts import Attempt, Values
from statemachines.testing.subjects import Manners, Outcome


class Program:
    """The lines of a program; what must raise is let raise, what is awaited is awaited, records are declared."""

    def __init__(self, manners: Manners) -> None:
        self.adapted = manners.call is not None
        self._lines: list[tuple[str, str]] = []
        """Each line, and the exception that it raises as it must; empty: none."""
        self._records: dict[str, tuple[str, ...]] = {}

    def make(self, parameters: Values, *, awaited: bool) -> None:
        """Note that a life begins."""
        self._note(parameters.values())
        self._lines.append((f"subject = {'await ' if awaited else ''}make_subject({_given(parameters)})", ""))

    def call(self, attempt: Attempt, outcome: Outcome, *, awaited: bool) -> None:
        """Note a call and what it raised."""
        self._note(attempt.arguments.values())
        said = f"call(subject, {attempt.event!r}, {{{_items(attempt.arguments)}}})" if self.adapted else called("subject", str(attempt))
        raised = type(outcome.error).__name__ if outcome.error is not None else ""
        self._lines.append((f"await {said}" if awaited else said, raised))

    def then(self, done: str) -> None:
        """Note what a caller does with what the last call returned."""
        line, raised = self._lines[-1]
        self._lines[-1] = f"({line}){done}" if line.startswith("await ") else f"{line}{done}", raised

    def bare(self) -> None:
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

    def _note(self, values: Iterable[Value]) -> None:
        """Note the classes of records among some values."""
        for value in values:
            if isinstance(value, dict):
                self._note((*value.keys(), *value.values()))
            elif isinstance(value, tuple | frozenset):
                if hasattr(value, "_fields"):
                    self._records[type(value).__name__] = value._fields
                self._note(value)


def _given(values: Values) -> str:
    return ", ".join(f"{name}={exact(value)}" for name, value in values.items())


def _items(values: Values) -> str:
    return ", ".join(f"{name!r}: {exact(value)}" for name, value in values.items())
