"""The stateful test that drives a subject and its machine side by side."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule

from statemachines.embed.errors import NotAllowed
from statemachines.model.machines import Machine
from statemachines.model.snapshots import Advanced, Snapshot, Value
from statemachines.semantics.starts import starts
from statemachines.semantics.step import step
from statemachines.semantics.tables import Holder, Tables, tables_of
from statemachines.testing.comparing import Attempt, difference, difference_in_view
from statemachines.testing.subjects import Manners, call, look, understands


def from_machine(
    machine: Machine | Holder,
    make_subject: Callable[..., Any],
    *,
    refusals: tuple[type[Exception], ...] = (NotAllowed,),
    errors: Mapping[str, type[Exception]] | None = None,
    observe: Mapping[str, str | Callable[[Any], Value]] | None = None,
) -> type[RuleBasedStateMachine]:
    """Build the stateful test that drives a subject and the machine side by side.

    A step calls `subject.EVENT(**arguments)`, events that nothing allows included, and compares what came of it with what the machine
    answers; then `subject.state` and every observable variable. A subject in a final state (or where nothing is left to do) ends its life,
    and a new one begins.

    Args:
        machine: what the subject shall be.
        make_subject: called with the parameters of a life; returns a subject in one of the machine's beginnings.
        refusals: exceptions by which the subject refuses.
        errors: a declared error's name to the subject's exception, where the class has another name.
        observe: a variable, or `state`, to the name of the subject's attribute or to a function of the subject.

    Returns:
        A class for Hypothesis; `TestOrder = from_machine(order, Order).TestCase` is what pytest collects.

    Limits:
        An event that no transition of the machine has is tried only if the subject has a method of its name. Results are compared where
        the machine says what an operation returns.
    """
    tables = tables_of(machine)
    name = re.sub(r"\W", "_", tables.machine.name.rpartition("/")[2]) + "Test"
    manners = Manners(refusals, errors or {}, observe or {})
    return type(name, (SideBySide,), {"tables": tables, "make_subject": staticmethod(make_subject), "manners": manners})


class SideBySide(RuleBasedStateMachine):
    """A subject and its machine, kept in step; `from_machine` fills in what the two are."""

    tables: ClassVar[Tables]
    make_subject: ClassVar[Callable[..., Any]]
    manners: ClassVar[Manners]

    def __init__(self) -> None:
        super().__init__()
        self._begin()

    @precondition(lambda self: self.legal)
    @rule(attempt=st.runner().flatmap(lambda self: st.sampled_from(self.legal)))
    def take(self, attempt: Attempt) -> None:
        """Let something legal happen."""
        self._happen(attempt)

    @precondition(lambda self: self.forbidden)
    @rule(attempt=st.runner().flatmap(lambda self: st.sampled_from(self.forbidden)))
    def try_forbidden(self, attempt: Attempt) -> None:
        """Try something that no transition takes here."""
        self._happen(attempt)

    @precondition(lambda self: self.is_over())
    @rule()
    def begin_again(self) -> None:
        """End a life and begin a new one."""
        self._begin()

    def is_over(self) -> bool:
        """Tell whether a life may end here."""
        return self.before.state in self.tables.names(self.tables.final) or not self.legal

    def _begin(self) -> None:
        beginnings = starts(self.tables)
        self.subject = type(self).make_subject()
        state = look(self.subject, "state", self.manners)
        self._stand(next((each for each in beginnings if each.state == state), beginnings[0]))
        self._fail_on(difference_in_view(self.tables, self.subject, self.before, self.manners), "at its beginning")

    def _stand(self, before: Snapshot) -> None:
        """Go on from a snapshot, with what may be tried there: what a transition takes, and what none does."""
        self.before, self.legal, self.forbidden = before, list[Attempt](), list[Attempt]()
        taken_somewhere = {event for _, event in self.tables.candidates}
        for event in self.tables.events:
            if isinstance(step(self.tables, before, event), Advanced):
                self.legal.append(Attempt(event, {}))
            elif event in taken_somewhere or understands(self.subject, event):
                self.forbidden.append(Attempt(event, {}))

    def _happen(self, attempt: Attempt) -> None:
        where = f"in {self.before.state}, {attempt}" if self.before.state else f"{attempt}"
        answer = step(self.tables, self.before, attempt.event, **attempt.arguments)
        outcome = call(self.subject, attempt.event, attempt.arguments)
        self._fail_on(difference(self.tables, answer, outcome, self.manners), where, outcome.error)
        self._fail_on(difference_in_view(self.tables, self.subject, answer.after, self.manners), f"after {where}")
        self._stand(answer.after)

    def _fail_on(self, wrong: str | None, where: str, cause: Exception | None = None) -> None:
        if wrong is not None:
            raise AssertionError(f"{self.tables.title}, {where}: {wrong}") from cause
