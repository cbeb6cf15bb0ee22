"""The stateful test that drives a subject and its machine side by side: planned tours first, then
random runs.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Mapping
from random import Random
from typing import Any, ClassVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from statemachines.embed.errors import NotAllowed
from statemachines.model.definitions.machine_definitions import MachineDefinition
from statemachines.model.definitions.snapshots import Value
from statemachines.model.diagnosis.call_options import refuses_unknown_options
from statemachines.semantics.arguments.value_sampling import widened_extent
from statemachines.semantics.machine.machine_tables import (
    MachineTables,
    TablesHolder,
    machine_tables,
)
from statemachines.semantics.machine.value_enumeration import DomainSizes, default_domain_sizes
from statemachines.semantics.messages.argument_errors import unknown_word
from statemachines.testing.runs.attempts import (
    Attempt,
    AttemptFinder,
    EventAttempts,
    sample_subject_parameters,
)
from statemachines.testing.runs.paired_runs import ComparisonSetup, PairedRun
from statemachines.testing.runs.run_coverage import Coverage
from statemachines.testing.runs.subject_contact import SubjectCall, SubjectConventions
from statemachines.testing.session_coverage import SESSION_COVERAGES, never_taken_message
from statemachines.testing.shrinking.failure_shrinking import run_all_tours, shrink_failure
from statemachines.testing.tours.planned_tours import TourPlanner

SEEDS = st.integers(0, 2**32 - 1)
"""What all steps of a run are drawn from: one number, as drawing takes longer than a step. Nothing
depends on what the subject did before: one that decides something itself makes no flaky test.
"""


@refuses_unknown_options()
def from_machine(
    machine: MachineDefinition | TablesHolder,
    make_subject: Callable[..., Any],
    *,
    refusals: tuple[type[Exception], ...] = (NotAllowed,),
    errors: Mapping[str, type[Exception]] | None = None,
    observe: Mapping[str, str | Callable[[Any], Value]] | None = None,
    call: SubjectCall | None = None,
    end: Callable[[Any], Any] | None = None,
    sizes: Mapping[str, int] | None = None,
    planned: bool = True,
    shares_results: bool = False,
) -> type[SideBySideMachine]:
    """Build the stateful test that drives a subject and the machine side by side.

    A step calls `subject.EVENT(**arguments)`, events that nothing allows included, and compares
    what came of it with what the machine answers: result, error or refusal; then `subject.state`
    and every observable variable. Planned tours come first (every transition, every pair of
    transitions, every outcome of a guard, every forbidden event), then random runs. A subject in a
    final state (or where nothing is left to do) ends its life, and a new one begins. What is
    awaitable is awaited.

    Args:
        machine: what the subject shall be.
        make_subject: called with the parameters of a life; returns a subject in one of the
            machine's beginnings.
        refusals: exceptions by which the subject refuses.
        errors: a declared error's name to the subject's exception, where the class has another
            name.
        observe: a variable, or `state`, to the name of the subject's attribute or to a function of
            the subject.
        call: how an event reaches the subject, where it is no method: called with the subject, the
            event's name and its arguments.
        end: called with a subject whose life is over: close its connection, remove its files.
        sizes: `id` type to how many values are tried; those of the spec's `scope` where they are
            not given, but two at least, and in random runs eight: few things alone show little of
            a program that keeps many.
        planned: whether the tours come first.
        shares_results: whether lists, sets and maps that the subject returns may be the ones that
            it goes on using; else they are changed, as a caller may, and the subject must not
            change with them.

    Returns:
        A class for Hypothesis; `TestOrder = from_machine(order, Order).TestCase` is what pytest
        collects. Its `coverage` counts what was gone through.

    Raises:
        ArgumentsError: `observe` or `errors` names what the machine does not have.

    Limits:
        An event that no transition of the machine has is tried only if the subject has a method of
        its name. Results are compared where
        the machine says what an operation returns. Arguments that the system chooses are not passed
        on: one value at least must explain what the subject did.
    """
    tables = machine_tables(machine)
    name = re.sub(r"\W", "_", tables.machine.name.rpartition("/")[2]) + "Test"
    conventions = SubjectConventions(
        refusals, errors or {}, observe or {}, call, end, shares_results
    )
    trials = AttemptFinder(
        tables,
        subject_extent(default_domain_sizes(tables.behaviour), sizes or {}),
        frozenset(sizes or {}),
    )
    _reject_unknown_names(tables, conventions)
    side = ComparisonSetup(trials, make_subject, conventions, Coverage(tables))
    SESSION_COVERAGES.append(side.coverage)
    return type(
        name,
        (SideBySideMachine,),
        {"side": side, "coverage": side.coverage, "planned": planned, "wrong": None},
    )


def _reject_unknown_names(tables: MachineTables, conventions: SubjectConventions) -> None:
    """Refuse names in `observe` and `errors` that the machine does not have: nothing would be
    compared by them, and nobody would know.
    """
    data = tables.machine.data
    cases = [
        transition.case for transition in tables.machine.transitions if transition.case is not None
    ]
    results = {
        name for case in cases if isinstance(case.returns, tuple) for name, _ in case.returns
    }
    errors = {error.name for error in data.errors} | {
        fallback.error for fallback in tables.machine.otherwise if fallback.error is not None
    }
    shown = {"state", *(variable.name for variable in data.variables), *results}
    for kind, given, known in (
        ("variable", conventions.observe, shown),
        ("error", conventions.errors, errors),
    ):
        for name in given:
            if name not in known:
                raise unknown_word(kind, name, sorted(known), tables.title)


def subject_extent(extent: DomainSizes, sizes: Mapping[str, int]) -> DomainSizes:
    """Return what is drawn from: what the spec's `scope` names, as far as it leaves anything to be
    told apart, and what is given.

    Args:
        extent: how many values each type has by the spec's `scope`.
        sizes: how many it shall have, by the names of types; these count.

    Returns:
        The sizes that the test draws from.
    """
    named = {name: max(size, 2) for name, size in extent.sizes.items()}
    low, high = extent.integers
    return widened_extent(
        extent, {**named, **sizes}, (min(low, 0), max(high, 3)), max(extent.longest_list, 2)
    )


class SideBySideMachine(RuleBasedStateMachine):
    """A subject and its machine, kept in step; `from_machine` fills in what the two are."""

    side: ClassVar[ComparisonSetup]
    coverage: ClassVar[Coverage]
    planned: ClassVar[bool]
    wrong: ClassVar[str | None]

    def __init__(self) -> None:
        super().__init__()
        self.paired_run, self.random = PairedRun(self.side), Random(0)
        self.failed = type(self).wrong is not None

    @initialize(number=SEEDS, wide=st.booleans())
    def begin(self, number: int, wide: bool) -> None:
        """Begin the first life, with parameters of the spec's scope or any of their types; once for
        a test, tour the machine before.

        The time that a rule takes counts for no deadline of Hypothesis.

        Args:
            number: the seed of what is drawn.
            wide: whether parameters beyond the spec's `scope` are drawn too.
        """
        self._run_tours_once()
        self.failed = type(self).wrong is not None
        self.random = Random(number)
        self._run_unless_failed(lambda: self._begin_sequence(self.random, wide=wide))

    @rule()
    def step(self) -> None:
        """Let something legal happen, try something that no transition takes here, or any arguments
        of an event that has too many to list.

        One rule for all three: to draw which takes Hypothesis longer than the step, and counts for
        its check of slow draws.
        """
        act = self.random.choice((self._take_legal_step, self._try_forbidden, self._vary_arguments))
        self._run_unless_failed(lambda: act(self.random))

    def teardown(self) -> None:
        """End the last life; say what went wrong in this run or in one before it.

        Raises:
            AssertionError: here and nowhere before: Hypothesis sees the same draws whatever the
                subject does, and has nothing to shorten.
        """
        self._run_unless_failed(self.paired_run.end)
        self.paired_run.close()
        if self.failed:
            raise AssertionError(type(self).wrong)

    def _run_unless_failed(self, step: Callable[[], None]) -> None:
        """Do a step, unless something went wrong before it."""
        if self.failed:
            return
        try:
            step()
        except AssertionError as wrong:
            self.failed = True
            type(self).wrong = shrink_failure(self.side, self.paired_run.history, str(wrong))

    def _begin_sequence(self, random: Random, *, wide: bool) -> None:
        finder = self.side.finder.beyond_scope if wide else self.side.finder
        self.paired_run.begin(sample_subject_parameters(finder, random, wide=wide))

    def _take_legal_step(self, random: Random) -> None:
        legal = self._attempts_of_one_event(random, lambda attempts: attempts.taken)
        if (
            legal
            and self.paired_run.current_snapshot.state
            not in self.paired_run.tables.state_names(self.paired_run.tables.final)
        ):
            self.paired_run.perform(random.choice(legal))
        else:
            self._begin_sequence(random, wide=random.random() < 0.5)

    def _try_forbidden(self, random: Random) -> None:
        forbidden = self._attempts_of_one_event(random, lambda attempts: attempts.not_taken)
        if forbidden:
            self.paired_run.perform(random.choice(forbidden))
        else:
            self._take_legal_step(random)

    def _vary_arguments(self, random: Random) -> None:
        many = self._attempts_of_one_event(
            random, lambda attempts: attempts.any if attempts.has_more else ()
        )
        attempt = (
            self.side.finder.beyond_scope.sample_attempt(
                self.paired_run.current_snapshot, many[0].event, random
            )
            if many
            else None
        )
        if attempt is not None:
            self.paired_run.perform(attempt)
        else:
            self._take_legal_step(random)

    def _attempts_of_one_event(
        self, random: Random, part: Callable[[EventAttempts], Iterable[Attempt]]
    ) -> list[Attempt]:
        """Return some attempts of one event, the first in a drawn order that has any."""
        events = self._testable_events()
        for event in random.sample(events, len(events)):
            attempts = list(
                part(self.side.finder.event_attempts(self.paired_run.current_snapshot, event))
            )
            if attempts:
                return attempts
        return []

    def _testable_events(self) -> list[str]:
        """Return the events of any transition, and those that the subject has a method for."""
        tables = self.paired_run.tables
        taken = {event for _, event in tables.candidates}
        return [
            event
            for event in tables.events
            if event in taken or self.paired_run.contact.has_event(self.paired_run.subject, event)
        ]

    def _run_tours_once(self) -> None:
        """Do what is planned, once for a test; a failure of it is the failure of every run."""
        kind = type(self)
        if kind.planned:
            trials = self.side.finder
            kind.wrong = run_all_tours(
                self.side,
                TourPlanner(trials, skipped=self._unsupported_events()),
                sample_subject_parameters(trials, Random(0), wide=False),
            )
            kind.planned = False
            kind.coverage.tours_passed = kind.wrong is None
            if kind.coverage.tours_passed and kind.coverage.never_taken():
                print(never_taken_message(kind.coverage), file=sys.stderr)

    def _unsupported_events(self) -> frozenset[str]:
        """Return the events that no transition has and that an instance of the subject's class
        cannot be asked for.
        """
        tables, run = self.side.finder.tables, PairedRun(self.side)
        taken = {event for _, event in tables.candidates}
        others = [event for event in tables.events if event not in taken]
        if not others:
            return frozenset()
        subject = run.contact.make(
            self.side.make_subject,
            sample_subject_parameters(self.side.finder, Random(0), wide=False),
        )
        unknown = frozenset(event for event in others if not run.contact.has_event(subject, event))
        run.contact.end(subject)
        run.contact.close()
        return unknown
