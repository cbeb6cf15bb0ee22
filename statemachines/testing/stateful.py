"""The stateful test that drives a subject and its machine side by side: planned tours first, then random runs."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from random import Random
from typing import Any, ClassVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from statemachines.embed.errors import NotAllowed
from statemachines.explore.drawing import wider
from statemachines.model.machines import Machine
from statemachines.model.snapshots import Value
from statemachines.semantics.choices import extent_of
from statemachines.semantics.tables import Holder, tables_of
from statemachines.testing.attempts import Attempt, Trials, Values, drawn_parameters
from statemachines.testing.coverage import Coverage
from statemachines.testing.listed import LISTED
from statemachines.testing.runs import Run, Side
from statemachines.testing.shortening import toured
from statemachines.testing.subjects import Call, Manners
from statemachines.testing.tours import Planner


def from_machine(
    machine: Machine | Holder,
    make_subject: Callable[..., Any],
    *,
    refusals: tuple[type[Exception], ...] = (NotAllowed,),
    errors: Mapping[str, type[Exception]] | None = None,
    observe: Mapping[str, str | Callable[[Any], Value]] | None = None,
    call: Call | None = None,
    end: Callable[[Any], Any] | None = None,
    sizes: Mapping[str, int] | None = None,
    planned: bool = True,
    shares_results: bool = False,
) -> type[SideBySide]:
    """Build the stateful test that drives a subject and the machine side by side.

    A step calls `subject.EVENT(**arguments)`, events that nothing allows included, and compares what came of it with what the machine
    answers: result, error or refusal; then `subject.state` and every observable variable. Planned tours come first (every transition,
    every pair of transitions, every outcome of a guard, every forbidden event), then random runs. A subject in a final state (or where
    nothing is left to do) ends its life, and a new one begins. What is awaitable is awaited.

    Args:
        machine: what the subject shall be.
        make_subject: called with the parameters of a life; returns a subject in one of the machine's beginnings.
        refusals: exceptions by which the subject refuses.
        errors: a declared error's name to the subject's exception, where the class has another name.
        observe: a variable, or `state`, to the name of the subject's attribute or to a function of the subject.
        call: how an event reaches the subject, where it is no method: called with the subject, the event's name and its arguments.
        end: called with a subject whose life is over: close its connection, remove its files.
        sizes: `id` type to how many values are tried; those of the spec's `scope` where they are not given, else two.
        planned: whether the tours come first.
        shares_results: whether lists, sets and maps that the subject returns may be the ones that it goes on using; else they are
            changed, as a caller may, and the subject must not change with them.

    Returns:
        A class for Hypothesis; `TestOrder = from_machine(order, Order).TestCase` is what pytest collects. Its `coverage` counts what was
        gone through.

    Limits:
        An event that no transition of the machine has is tried only if the subject has a method of its name. Results are compared where
        the machine says what an operation returns. Arguments that the system chooses are not passed on: one value at least must explain
        what the subject did.
    """
    tables = tables_of(machine)
    name = re.sub(r"\W", "_", tables.machine.name.rpartition("/")[2]) + "Test"
    manners = Manners(refusals, errors or {}, observe or {}, call, end, shares_results)
    trials = Trials(tables, wider(extent_of(tables.behaviour), sizes or {}))
    side = Side(trials, make_subject, manners, Coverage(tables))
    LISTED.append(side.coverage)
    return type(name, (SideBySide,), {"side": side, "coverage": side.coverage, "planned": planned, "wrong": None})


class SideBySide(RuleBasedStateMachine):
    """A subject and its machine, kept in step; `from_machine` fills in what the two are."""

    side: ClassVar[Side]
    coverage: ClassVar[Coverage]
    planned: ClassVar[bool]
    wrong: ClassVar[str | None]

    def __init__(self) -> None:
        super().__init__()
        self._tour()
        self.lives = Run(self.side)
        self.legal: list[Attempt] = []
        self.forbidden: list[Attempt] = []
        self.wide: list[str] = []

    @initialize(parameters=st.runner().flatmap(lambda self: self.parameters()))
    def begin(self, parameters: Values) -> None:
        """Begin the first life."""
        self.lives.begin(parameters)
        self._stand()

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

    @precondition(lambda self: self.wide)
    @rule(attempt=st.runner().flatmap(lambda self: self.any_arguments()))
    def vary(self, attempt: Attempt | None) -> None:
        """Try any arguments of an event that has too many to list."""
        if attempt is not None:
            self._happen(attempt)

    @precondition(lambda self: self.is_over())
    @rule(parameters=st.runner().flatmap(lambda self: self.parameters()))
    def begin_again(self, parameters: Values) -> None:
        """End a life and begin a new one."""
        self.lives.begin(parameters)
        self._stand()

    def teardown(self) -> None:
        """End the last life."""
        self.lives.close()

    def is_over(self) -> bool:
        """Tell whether a life may end here."""
        tables = self.lives.tables
        return self.lives.before.state in tables.names(tables.final) or not self.legal

    def parameters(self) -> st.SearchStrategy[Values]:
        """Return the parameters of lives: those of the spec's scope, and any others of their types."""
        trials = self.side.trials
        if not trials.tables.machine.data.parameters:
            return st.just({})
        randoms = st.randoms(use_true_random=False)
        return st.tuples(randoms, st.booleans()).map(lambda drawn: drawn_parameters(trials, drawn[0], wide=drawn[1]))

    def any_arguments(self) -> st.SearchStrategy[Attempt | None]:
        """Return attempts with any arguments of an event that has many."""
        trials, before, randoms = self.side.trials, self.lives.before, st.randoms(use_true_random=False)
        return st.tuples(st.sampled_from(self.wide), randoms).map(lambda drawn: trials.drawn(before, drawn[0], drawn[1]))

    def _tour(self) -> None:
        """Do the planned tours, once for a test; a failure of them is the failure of every run."""
        kind = type(self)
        if kind.planned:
            trials = self.side.trials
            kind.wrong = toured(self.side, Planner(trials, skipped=self._unknown()), drawn_parameters(trials, Random(0), wide=False))
            kind.planned = False
        if kind.wrong is not None:
            raise AssertionError(kind.wrong)

    def _unknown(self) -> frozenset[str]:
        """Return the events that no transition has and that an instance of the subject's class cannot be asked for."""
        tables, run = self.side.trials.tables, Run(self.side)
        taken = {event for _, event in tables.candidates}
        others = [event for event in tables.events if event not in taken]
        if not others:
            return frozenset()
        subject = run.contact.make(self.side.make_subject, drawn_parameters(self.side.trials, Random(0), wide=False))
        unknown = frozenset(event for event in others if not run.contact.understands(subject, event))
        run.contact.end(subject)
        run.contact.close()
        return unknown

    def _stand(self) -> None:
        """Find what may be tried here: what a transition takes, what none does, and what has too many arguments to list."""
        tables, trials, before = self.lives.tables, self.side.trials, self.lives.before
        self.legal, self.forbidden, self.wide = [], [], []
        taken_somewhere = {event for _, event in tables.candidates}
        for event in tables.events:
            if event not in taken_somewhere and not self.lives.contact.understands(self.lives.subject, event):
                continue
            looked = trials.looked(before, event)
            self.wide += [event] if looked.more else []
            self.legal += looked.taken
            self.forbidden += looked.others

    def _happen(self, attempt: Attempt) -> None:
        if self.lives.happen(attempt):
            self._stand()
