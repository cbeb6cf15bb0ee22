"""The stateful test that drives a subject and a system side by side."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from random import Random
from typing import Any, ClassVar

from attrs import evolve, frozen
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from statemachines.embed.errors import NotAllowed
from statemachines.explore.models.system_model import part_extents, system_extent
from statemachines.explore.scopes import ExplorationScope
from statemachines.model.definitions.snapshots import Value
from statemachines.model.definitions.system_definitions import SystemDefinition, SystemSnapshot
from statemachines.model.diagnosis.call_options import refuses_unknown_options
from statemachines.semantics.messages.argument_errors import ArgumentsError, unknown_word
from statemachines.semantics.system.system_tables import SystemTables, system_tables
from statemachines.testing.runs.subject_contact import CallOutcome, SubjectConventions
from statemachines.testing.systems.long_lives import LIVES, LongLives
from statemachines.testing.systems.system_attempts import SystemAttempt, SystemAttempts
from statemachines.testing.systems.system_subjects import (
    Delivery,
    PartLookup,
    SystemCall,
    SystemConventions,
    SystemSubject,
    attribute_of_part,
)

SEEDS = st.integers(0, 2**32 - 1)
Observed = str | Callable[[Any], Value]


class DefinitionHolder:
    """Whatever has a system as its value."""

    value: SystemDefinition


@refuses_unknown_options()
def from_system(
    system: SystemDefinition | DefinitionHolder,
    make_subject: Callable[[SystemSnapshot], Any],
    *,
    refusals: tuple[type[Exception], ...] = (NotAllowed,),
    errors: Mapping[str, type[Exception]] | None = None,
    observe: Mapping[str, Observed | Mapping[str, Observed]] | None = None,
    part: PartLookup | None = None,
    call: SystemCall | None = None,
    deliver: Delivery | None = None,
    end: Callable[[Any], Any] | None = None,
    sizes: Mapping[str, int] | None = None,
    planned: bool = True,
) -> type[SystemTest]:
    """Build the stateful test that drives a subject and a system side by side.

    A step calls `subject.PART.EVENT(**arguments)`, or `subject.PART[key].EVENT(**arguments)`,
    events that nothing allows included, and compares what came of it with what the system answers;
    then the states and variables of all parts, and the shared variables: the subject must have
    fired the other parts as the links say. Long lives come first, the same in every test: what was
    done least often is done next; then random runs. What waits is delivered at any time by
    `subject.deliver(place)`.

    Args:
        system: what the subject shall be.
        make_subject: called with the snapshot in which the system begins: it has the keys of the
            parts and the parameters.
        refusals: exceptions by which the subject refuses.
        errors: a declared error's name to the subject's exception, where the class has another
            name.
        observe: a shared variable to the name of the subject's attribute or to a function of the
            subject; or a part to such names and functions of the object that stands for it.
        part: which object stands for a part, where it is no attribute: called with the subject, the
            name and the key.
        call: how an event reaches the subject, where it is no method of a part: called with the
            subject, the name of the part, the key, the event and its arguments.
        deliver: how what waits is handed over: called with the subject and the place.
        end: called with a subject whose life is over.
        sizes: `id` type to how many values are tried.
        planned: whether the long lives come first.

    Returns:
        A class for Hypothesis; `TestYard = from_system(yard, Yard).TestCase` is what pytest
        collects.

    Raises:
        ArgumentsError: `observe` names what the system does not have.
    """
    subject = system_subject(
        system, make_subject, refusals, errors, observe, part, call, deliver, end, sizes
    )
    name = re.sub(r"\W", "_", subject.attempts.tables.system.name.rpartition("/")[2]) + "Test"
    return type(name, (SystemTest,), {"subject": subject, "wrong": None, "planned": planned})


def system_subject(
    system: SystemDefinition | DefinitionHolder,
    make_subject: Callable[[SystemSnapshot], Any],
    refusals: tuple[type[Exception], ...],
    errors: Mapping[str, type[Exception]] | None,
    observe: Mapping[str, Observed | Mapping[str, Observed]] | None,
    part: PartLookup | None,
    call: SystemCall | None,
    deliver: Delivery | None,
    end: Callable[[Any], Any] | None,
    sizes: Mapping[str, int] | None,
) -> SystemSubject:
    """Return a subject by what is said of it; the options are those of `from_system`.

    Args:
        system: in one release.
        make_subject: makes a subject from a snapshot in which it begins.
        refusals: exceptions by which it refuses.
        errors: the spec's errors by name, to the subject's exceptions.
        observe: variables by part, to attributes or functions of the subject.
        part: finds the object that stands for a part.
        call: how an event reaches the subject.
        deliver: how it hands over what waits.
        end: called with a subject that is no longer used.
        sizes: how many values a type has, by its name.

    Returns:
        The subject, as the tests and the threads drive it.
    """
    definition = system if isinstance(system, SystemDefinition) else system.value
    tables, scope = system_tables(definition), ExplorationScope(sizes or {})
    _reject_unknown_names(tables, observe or {})
    extent = system_extent(tables, scope)
    parts = {
        name: SubjectConventions(refusals, errors or {}, _observed_of_part(observe or {}, name))
        for name in tables.parts
    }
    shared = {
        name: reader for name, reader in (observe or {}).items() if not isinstance(reader, Mapping)
    }
    conventions = SystemConventions(parts, shared, part or attribute_of_part, call, deliver, end)
    attempts = SystemAttempts(tables, extent, part_extents(tables, extent, scope))
    return SystemSubject(attempts, make_subject, conventions)


def _observed_of_part(
    observe: Mapping[str, Observed | Mapping[str, Observed]], name: str
) -> Mapping[str, Observed]:
    observers = observe.get(name, {})
    return observers if isinstance(observers, Mapping) else {}


def _reject_unknown_names(tables: SystemTables, observe: Mapping[str, object]) -> None:
    """Refuse names in `observe` that the system does not have: they would compare nothing."""
    known = [*tables.parts, *(variable.name for variable in tables.system.data.variables)]
    for name, readers in observe.items():
        if name not in known:
            raise unknown_word("part or variable", name, known, tables.title)
        if isinstance(readers, Mapping) and name in tables.tables:
            machine = tables.tables[name].machine
            shown = ["state", *(variable.name for variable in machine.data.variables)]
            for reader in readers:
                if reader not in shown:
                    raise unknown_word("variable", reader, shown, machine.name)


@frozen(eq=False)
class _SystemTestRun:
    """A beginning and what was tried after it."""

    start: SystemSnapshot
    done: tuple[SystemAttempt, ...] = ()


class SystemTest(RuleBasedStateMachine):
    """A subject and its system, kept in step; `from_system` fills in what the two are."""

    subject: ClassVar[SystemSubject]
    wrong: ClassVar[str | None]
    planned: ClassVar[bool]

    def __init__(self) -> None:
        super().__init__()
        self.failed = False
        self.random = Random(0)
        self.driven = evolve(type(self).subject, runner=asyncio.Runner())
        self.instance: Any = None
        self.now: SystemSnapshot | None = None
        self.done = list[SystemAttempt]()

    @initialize(number=SEEDS)
    def begin(self, number: int) -> None:
        """Begin somewhere.

        Args:
            number: the seed of what is drawn.
        """
        self._live_long_once()
        self.random, self.failed = Random(number), type(self).wrong is not None
        if self.failed:
            return
        self.start = self.now = self.driven.start(self.random)
        self.instance = self.driven.make(self.start)
        self._reject_missing_delivery(self.instance)
        self._note(self.driven.view_difference(self.instance, self.start))

    @rule()
    def step(self) -> None:
        """Let something happen to both, or try something that nothing allows."""
        if self.failed or self.now is None:
            return
        can_call = partial(self.driven.can_call, self.instance)
        sampled = self.driven.attempts.sample(self.now, self.random, can_call)
        if sampled is not None:
            self.done.append(sampled[0])
            self._note(perform(self.driven, self.instance, self.now, sampled[0]))
            self.now = sampled[1].after

    def teardown(self) -> None:
        """End the subject's life; say what went wrong in this run or in one before it.

        Raises:
            AssertionError: here and nowhere before: Hypothesis sees the same draws whatever the
                subject does, and has nothing to shorten.
        """
        if self.instance is not None:
            self.driven.end(self.instance)
        assert self.driven.runner is not None
        self.driven.runner.close()
        if self.failed:
            raise AssertionError(type(self).wrong)

    def _live_long_once(self) -> None:
        """Go through what is planned, once for a test; its failure is the failure of every run."""
        kind = type(self)
        if not kind.planned:
            return
        kind.planned = False
        lives = LongLives(self.driven.attempts)
        for steps in LIVES:
            left = steps
            while left > 0 and not self.failed:
                left -= self._live(lives, left)
        self.done = []

    def _live(self, lives: LongLives, steps: int) -> int:
        """Let a subject live for so many steps at most; return how many it were, at least one."""
        self.start, self.done = self.driven.start(lives.random), []
        now, instance = self.start, self.driven.make(self.start)
        self._reject_missing_delivery(instance)
        self._note(self.driven.view_difference(instance, now))
        for attempt, answer in lives.steps(now, steps, partial(self.driven.can_call, instance)):
            if self.failed:
                break
            self.done.append(attempt)
            self._note(perform(self.driven, instance, now, attempt))
            now = answer.after
        self.driven.end(instance)
        return max(len(self.done), 1)

    def _note(self, wrong: str | None) -> None:
        """Keep what went wrong first, with as few calls as show it."""
        if wrong is not None:
            self.failed = True
            run = _SystemTestRun(self.start, tuple(self.done))
            type(self).wrong = _shortest_failure(self.subject, run, wrong)

    def _reject_missing_delivery(self, instance: Any) -> None:
        deferred = any(link.deferred for link in self.subject.attempts.tables.system.links)
        if deferred and not self.subject.can_deliver(instance):
            raise ArgumentsError(
                f"{self.subject.title} sends events later: say how the subject hands one over"
                " (`deliver=`)"
            )


def perform(
    subject: SystemSubject, instance: Any, now: SystemSnapshot, attempt: SystemAttempt
) -> str | None:
    """Let something happen; return what is wrong with what the subject did; None: nothing.

    Args:
        subject: how subjects of this system are made, called and looked at.
        instance: the subject.
        now: the snapshot in which the system is.
        attempt: the event with its arguments.

    Returns:
        One sentence for people, or None.
    """
    answer = subject.attempts.answer(now, attempt)
    try:
        outcome = CallOutcome(subject.call(instance, attempt))
    except Exception as error:
        # whatever the subject raises is its behaviour, and is compared with the system's
        outcome = CallOutcome(error=error)
    wrong = subject.call_difference(answer, outcome, attempt)
    return wrong or subject.view_difference(instance, answer.after)


def _replayed_failure(subject: SystemSubject, run: _SystemTestRun) -> str | None:
    """Do it again with a new subject; return what is wrong; None: nothing, or a step of it cannot
    be tried where it comes.
    """
    with asyncio.Runner() as runner:
        return _failure_of(evolve(subject, runner=runner), run)


def _failure_of(subject: SystemSubject, run: _SystemTestRun) -> str | None:
    instance, now = subject.make(run.start), run.start
    try:
        wrong = subject.view_difference(instance, now)
        for attempt in run.done:
            if wrong is not None:
                return None
            wrong = perform(subject, instance, now, attempt)
            now = subject.attempts.answer(now, attempt).after
        return wrong
    except ArgumentsError:
        return None
    finally:
        subject.end(instance)


def _shortest_failure(subject: SystemSubject, run: _SystemTestRun, wrong: str) -> str:
    """Leave out what a failure does not need; return what is wrong and the calls that show it.

    Complexity: as many runs as twice the calls, where every other one can be left out; pieces of
    half of them are left out first.
    """
    size = max(1, len(run.done) // 2)
    while size:
        place = len(run.done) - 1 - size
        while place >= 0:
            shorter = _SystemTestRun(run.start, run.done[:place] + run.done[place + size :])
            replayed_failure = _replayed_failure(subject, shorter)
            if replayed_failure is not None:
                run, wrong = shorter, replayed_failure
            place -= size
        size //= 2
    return f"{subject.title}: {wrong}\n\n{_program(run.start, run.done)}"


def _program(start: SystemSnapshot, done: Sequence[SystemAttempt]) -> str:
    """Return the calls as text, below what the subject was made with."""
    lines = [f"    subject.{attempt!r}" for attempt in done]
    return "\n".join([f"The calls that show it{_start_text(start)}:", *lines])


def _start_text(start: SystemSnapshot) -> str:
    """Return which parts there are and what was given, as far as anything was to be chosen."""
    phrases = [
        f"{name} {', '.join(map(repr, held)) or 'none'}"
        for name, held in start.parts.items()
        if isinstance(held, Mapping)
    ]
    phrases += [f"no {name}" for name, held in start.parts.items() if held is None]
    phrases += [f"{name}={value!r}" for name, value in start.parameters.items()]
    return f" ({'; '.join(phrases)})" if phrases else ""
