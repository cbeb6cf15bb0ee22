"""A subject and its machine, kept in step: what the planned tours and the random runs both do."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import copy
from typing import Any

from attrs import frozen

from statemachines.model.definitions.snapshots import Refused, Snapshot
from statemachines.semantics.machine.initial_snapshots import initial_snapshots
from statemachines.testing.runs.attempts import Attempt, AttemptFinder, NamedValues, PossibleStep
from statemachines.testing.runs.conformance import (
    call_difference,
    expected_result,
    named_result_difference,
    view_difference,
)
from statemachines.testing.runs.reproductions import ReproductionProgram
from statemachines.testing.runs.run_coverage import Coverage, TransitionKey
from statemachines.testing.runs.subject_contact import (
    CallOutcome,
    SubjectContact,
    SubjectConventions,
    change_returned,
    error_text,
)

_MOST_RETURNED = 5
"""Of what calls returned, the last are looked at again."""


@frozen
class SequenceStart:
    """A life that was begun."""

    parameters: NamedValues


@frozen(eq=False)
class ComparisonSetup:
    """What is compared with what."""

    finder: AttemptFinder
    make_subject: Callable[..., Any]
    conventions: SubjectConventions
    coverage: Coverage


class PairedRun:
    """Lives of subjects, one after the other, each beside the machine."""

    def __init__(self, side: ComparisonSetup) -> None:
        self.setup = side
        self.tables = side.finder.tables
        variables = [
            variable.name for variable in self.tables.machine.data.variables if variable.observable
        ]
        self.contact = SubjectContact(
            side.conventions, (["state"] if self.tables.states != ("",) else []) + variables
        )
        self.beliefs: tuple[Snapshot, ...] = ()
        """Where the machine may be: several where the system chose and did not show it."""
        self.program = ReproductionProgram(side.conventions)
        """What was done to the subjects."""
        self.last_transition: TransitionKey | None = None
        self.subject: Any = None
        self.history: list[SequenceStart | Attempt] = []
        """All that was done."""
        self.returned: list[tuple[str, Any, Any]] = []
        """What calls of this life returned that can be changed, and how the caller left it."""
        self.failed = False
        """Whether something went wrong: what its end raises then is no news."""

    @property
    def current_snapshot(self) -> Snapshot:
        """Where the machine is, or may be."""
        return self.beliefs[0]

    def begin(self, parameters: NamedValues, wanted: Snapshot | None = None) -> None:
        """Begin a life.

        Args:
            parameters: of the subject.
            wanted: the beginning that is asked of a machine with several; None: whatever the
                subject shows.
        """
        self.end()
        self.returned = []
        self.history.append(SequenceStart(parameters))
        self.subject = self.contact.make(self.setup.make_subject, parameters)
        self.program.add_subject(parameters, awaited=self.contact.was_awaited)
        beginnings = initial_snapshots(self.tables, **parameters)
        fitting = tuple(
            beginning
            for beginning in beginnings
            if view_difference(self.tables, self.subject, beginning, self.contact) is None
        )
        if not fitting:
            state = self.contact.view(self.subject, "state")
            nearest = next(
                (beginning for beginning in beginnings if beginning.state == state), beginnings[0]
            )
            self._fail(
                view_difference(self.tables, self.subject, nearest, self.contact) or "",
                "at its beginning",
            )
        self.beliefs, self.last_transition = fitting, None
        self.setup.coverage.sequences += 1
        self._check_invariants()

    def perform(self, attempt: Attempt) -> bool:
        """Let something happen to both; return whether it could be tried.

        Args:
            attempt: the event with its arguments.

        Returns:
            Whether its arguments fit this snapshot; where they do not, nothing was done.

        Raises:
            AssertionError: the subject did not do what the machine says; the message has the
                program that shows it.
        """
        by_belief = [self.setup.finder.possible_steps(before, attempt) for before in self.beliefs]
        if not all(by_belief):
            return False
        possible = [step for several in by_belief for step in several]
        self.history.append(attempt)
        self._reject_spec_errors(possible, attempt)
        where = (
            f"in {self.current_snapshot.state}, {attempt}"
            if self.current_snapshot.state
            else f"{attempt}"
        )
        outcome = self.contact.call(
            self.subject, attempt.event, attempt.arguments, possible[0].system_choice
        )
        self.program.add_call(attempt, outcome, awaited=self.contact.was_awaited)
        lines = [
            step
            for step in possible
            if call_difference(self.tables, step.answer, outcome, self.setup.conventions) is None
        ]
        if not lines:
            wrong = call_difference(
                self.tables, possible[0].answer, outcome, self.setup.conventions
            )
            self.program.expose_last_error()
            self._fail(f"{wrong}{self._choice_hint(attempt)}", where, outcome.error)
        shown = [line for line in lines if self._view_difference_after(line) is None]
        if not shown:
            self._fail(
                f"{self._view_difference_after(lines[0])}{self._choice_hint(attempt)}",
                f"after {where}",
            )
        self._check_returned(f"after {where}")
        self._change_returned(outcome, shown[0], attempt, f"after {where}")
        self._accept_steps(shown, attempt)
        return True

    def _check_returned(self, where: str) -> None:
        """Look whether the subject changes what it gave away."""
        for call, given, left in self.returned[-_MOST_RETURNED:]:
            if given != left:
                self._fail(
                    f"what {call} returned before must stay {left!r}, and is {given!r}", where
                )

    def _change_returned(
        self, outcome: CallOutcome, possible_step: PossibleStep, attempt: Attempt, where: str
    ) -> None:
        """Do what a caller may with what it was given: the subject must not change with it."""
        if (
            self.setup.conventions.shares_results
            or expected_result(possible_step.answer) is None
            or outcome.error is not None
        ):
            return
        done = change_returned(outcome.value)
        if done is not None:
            self.program.extend_last_call(done)
            self.contact.forget_views()
            wrong = self._view_difference_after(possible_step)
            self.returned.append((f"{attempt}", outcome.value, copy(outcome.value)))
            if wrong is not None:
                self._fail(
                    f"{wrong}: the caller changed what it was given, and the subject goes on"
                    " using it",
                    where,
                )

    def end(self) -> None:
        """End a life, where one has begun."""
        subject, self.subject = self.subject, None
        error = self.contact.end(subject) if subject is not None else None
        if error is not None and not self.failed:
            self._fail(
                f"the subject's `end` raised {error_text(error)}",
                "at the end of a life",
                error,
            )

    def close(self) -> None:
        """End it all."""
        self.end()
        self.contact.close()

    def replay(self, done: Iterable[SequenceStart | Attempt]) -> None:
        """Do one thing after the other; what cannot be tried where it comes is left out.

        Args:
            done: beginnings of sequences and attempts, in order.
        """
        for step in done:
            if isinstance(step, SequenceStart):
                self.begin(step.parameters)
            else:
                self.perform(step)

    def _view_difference_after(self, possible_step: PossibleStep) -> str | None:
        wrong = view_difference(self.tables, self.subject, possible_step.answer.after, self.contact)
        return wrong or named_result_difference(
            self.tables, possible_step.answer, self.subject, self.contact
        )

    def _accept_steps(self, shown: list[PossibleStep], attempt: Attempt) -> None:
        """Go on from what explains what was seen."""
        first = shown[0]
        self.last_transition = self.setup.coverage.count_step(
            first.before, attempt.event, first.answer, self.last_transition
        )
        self.beliefs = (
            tuple(dict.fromkeys(step.answer.after for step in shown))
            if len(shown) > 1
            else (first.answer.after,)
        )
        self._check_invariants()

    def _check_invariants(self) -> None:
        for name in self.setup.coverage.check_invariants(self.current_snapshot):
            self._fail(
                f"`{name}` (of `always`) is broken: the machine and the subject agree, the spec"
                " does not hold together",
                "the spec",
            )

    def _reject_spec_errors(self, possible: list[PossibleStep], attempt: Attempt) -> None:
        for step in possible:
            if isinstance(step.answer, Refused) and step.answer.reason:
                self._fail(f"{step.answer.reason}: an error of the spec", f"at {attempt}")

    def _choice_hint(self, attempt: Attempt) -> str:
        names = self.setup.finder.system_arguments(attempt.event)
        return f"; no value of {', '.join(map('`{}`'.format, names))} explains it" if names else ""

    def _fail(self, wrong: str, where: str, cause: Exception | None = None) -> None:
        self.failed = True
        program = "\n".join(f"    {line}" for line in self.program.lines())
        text = f"{self.tables.title}, {where}: {wrong}\n\nThe program that shows it:\n{program}"
        raise AssertionError(text) from cause or self.contact.last_error
