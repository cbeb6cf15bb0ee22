"""A subject and its machine, kept in step: what the planned tours and the random runs both do."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import copy
from typing import Any

from attrs import frozen

from statemachines.model.snapshots import Refused, Snapshot
from statemachines.semantics.starts import starts
from statemachines.testing.attempts import Attempt, Possible, Trials, Values
from statemachines.testing.comparing import difference, difference_in_gifts, difference_in_view, result_of
from statemachines.testing.coverage import Arrow, Coverage
from statemachines.testing.programs import Program
from statemachines.testing.subjects import Contact, Manners, Outcome, spoil

MOST_GIVEN = 5
"""Of what calls returned, the last are looked at again."""


@frozen
class Beginning:
    """A life that was begun."""

    parameters: Values


@frozen(eq=False)
class Side:
    """What is compared with what."""

    trials: Trials
    make_subject: Callable[..., Any]
    manners: Manners
    coverage: Coverage


class Run:
    """Lives of subjects, one after the other, each beside the machine."""

    def __init__(self, side: Side) -> None:
        self.side = side
        self.tables = side.trials.tables
        variables = [variable.name for variable in self.tables.machine.data.variables if variable.observable]
        self.contact = Contact(side.manners, (["state"] if self.tables.states != ("",) else []) + variables)
        self.beliefs: tuple[Snapshot, ...] = ()
        """Where the machine may be: several where the system chose and did not show it."""
        self.program = Program(side.manners)
        """What was done to the subjects."""
        self.last: Arrow | None = None
        self.subject: Any = None
        self.done: list[Beginning | Attempt] = []
        """All that was done."""
        self.given: list[tuple[str, Any, Any]] = []
        """What calls of this life returned that can be changed, and how the caller left it."""
        self.failed = False
        """Whether something went wrong: what its end raises then is no news."""

    @property
    def before(self) -> Snapshot:
        """Where the machine is, or may be."""
        return self.beliefs[0]

    def begin(self, parameters: Values, wanted: Snapshot | None = None) -> None:
        """Begin a life.

        Args:
            parameters: of the subject.
            wanted: the beginning that is asked of a machine with several; None: whatever the subject shows.
        """
        self.end()
        self.given = []
        self.done.append(Beginning(parameters))
        self.subject = self.contact.make(self.side.make_subject, parameters)
        self.program.make(parameters, awaited=self.contact.was_awaited)
        beginnings = starts(self.tables, **parameters)
        fitting = tuple(each for each in beginnings if difference_in_view(self.tables, self.subject, each, self.contact) is None)
        if not fitting:
            state = self.contact.look(self.subject, "state")
            nearest = next((each for each in beginnings if each.state == state), beginnings[0])
            self._fail(difference_in_view(self.tables, self.subject, nearest, self.contact) or "", "at its beginning")
        self.beliefs, self.last = fitting, None
        self.side.coverage.lives += 1
        self._look_at_the_machine()

    def happen(self, attempt: Attempt) -> bool:
        """Let something happen to both; return whether it could be tried.

        Raises:
            AssertionError: the subject did not do what the machine says; the message has the program that shows it.
        """
        each = [self.side.trials.possible(before, attempt) for before in self.beliefs]
        if not all(each):
            return False
        possible = [one for several in each for one in several]
        self.done.append(attempt)
        self._refuse_a_wrong_spec(possible, attempt)
        where = f"in {self.before.state}, {attempt}" if self.before.state else f"{attempt}"
        outcome = self.contact.call(self.subject, attempt.event, attempt.arguments, possible[0].chosen)
        self.program.call(attempt, outcome, awaited=self.contact.was_awaited)
        told = [one for one in possible if difference(self.tables, one.answer, outcome, self.side.manners) is None]
        if not told:
            wrong = difference(self.tables, possible[0].answer, outcome, self.side.manners)
            self.program.bare()
            self._fail(f"{wrong}{self._unexplained(attempt)}", where, outcome.error)
        shown = [one for one in told if self._difference_after(one) is None]
        if not shown:
            self._fail(f"{self._difference_after(told[0])}{self._unexplained(attempt)}", f"after {where}")
        self._stay_as_given(f"after {where}")
        self._spoil(outcome, shown[0], attempt, f"after {where}")
        self._stand(shown, attempt)
        return True

    def _stay_as_given(self, where: str) -> None:
        """Look whether the subject changes what it gave away."""
        for call, given, left in self.given[-MOST_GIVEN:]:
            if given != left:
                self._fail(f"what {call} returned before must stay {left!r}, and is {given!r}", where)

    def _spoil(self, outcome: Outcome, one: Possible, attempt: Attempt, where: str) -> None:
        """Do what a caller may with what it was given: the subject must not change with it."""
        if self.side.manners.shares_results or result_of(one.answer) is None or outcome.error is not None:
            return
        done = spoil(outcome.value)
        if done is not None:
            self.program.then(done)
            self.contact.forget()
            wrong = self._difference_after(one)
            self.given.append((f"{attempt}", outcome.value, copy(outcome.value)))
            if wrong is not None:
                self._fail(f"{wrong}: the caller changed what it was given, and the subject goes on using it", where)

    def end(self) -> None:
        """End a life, where one has begun."""
        subject, self.subject = self.subject, None
        error = self.contact.end(subject) if subject is not None else None
        if error is not None and not self.failed:
            self._fail(f"the subject's `end` raised {type(error).__name__}: {error}", "at the end of a life", error)

    def close(self) -> None:
        """End it all."""
        self.end()
        self.contact.close()

    def follow(self, done: Iterable[Beginning | Attempt]) -> None:
        """Do one thing after the other; what cannot be tried where it comes is left out."""
        for each in done:
            if isinstance(each, Beginning):
                self.begin(each.parameters)
            else:
                self.happen(each)

    def _difference_after(self, one: Possible) -> str | None:
        wrong = difference_in_view(self.tables, self.subject, one.answer.after, self.contact)
        return wrong or difference_in_gifts(self.tables, one.answer, self.subject, self.contact)

    def _stand(self, shown: list[Possible], attempt: Attempt) -> None:
        """Go on from what explains what was seen."""
        first = shown[0]
        self.last = self.side.coverage.saw(first.before, attempt.event, first.answer, self.last)
        self.beliefs = tuple(dict.fromkeys(one.answer.after for one in shown)) if len(shown) > 1 else (first.answer.after,)
        self._look_at_the_machine()

    def _look_at_the_machine(self) -> None:
        for name in self.side.coverage.stood(self.before):
            self._fail(f"`{name}` (of `always`) is broken: the machine and the subject agree, the spec does not hold together", "the spec")

    def _refuse_a_wrong_spec(self, possible: list[Possible], attempt: Attempt) -> None:
        for one in possible:
            if isinstance(one.answer, Refused) and one.answer.reason:
                self._fail(f"{one.answer.reason}: an error of the spec", f"at {attempt}")

    def _unexplained(self, attempt: Attempt) -> str:
        names = self.side.trials.chosen_names(attempt.event)
        return f"; no value of {', '.join(map('`{}`'.format, names))} explains it" if names else ""

    def _fail(self, wrong: str, where: str, cause: Exception | None = None) -> None:
        self.failed = True
        program = "\n".join(f"    {line}" for line in self.program.lines())
        text = f"{self.tables.title}, {where}: {wrong}\n\nThe program that shows it:\n{program}"
        raise AssertionError(text) from cause or self.contact.trouble
