"""Calls of several threads at once, held against the machine: is each of them one step?"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from random import Random
from typing import Any, Generic

from attrs import evolve, field, frozen

from statemachines.embed.errors import NotAllowed
from statemachines.model.definitions.machine_definitions import MachineDefinition
from statemachines.model.definitions.system_definitions import SystemDefinition
from statemachines.model.diagnosis.call_options import refuses_unknown_options
from statemachines.semantics.machine.machine_tables import (
    MachineTables,
    TablesHolder,
    machine_tables,
)
from statemachines.semantics.machine.value_enumeration import default_domain_sizes
from statemachines.testing.runs.attempts import AttemptFinder
from statemachines.testing.runs.subject_contact import SubjectConventions
from statemachines.testing.stateful import subject_extent
from statemachines.testing.systems.system_tests import DefinitionHolder, system_subject
from statemachines.testing.threads.call_histories import CallHistory
from statemachines.testing.threads.drawn_turns import DrawnTurns, ThreadsStuck
from statemachines.testing.threads.linearization import LinearizationSearch
from statemachines.testing.threads.threaded_subjects import (
    CallsAreAwaited,
    MachineSubject,
    SnapshotT,
    ThreadedSubject,
)

_CHANCES = (0.01, 0.05, 0.2)
"""Of another thread's turn at an instruction: few turns meet some mistakes, many meet others."""
_FEW_TURNS = (1, 1, 2)
"""How often it is another thread's turn, of runs in which it seldom is."""
_ONE_TURN = (1,) * 10
"""The same where each thread makes one call: then few places are left to try."""
_MOST_BEFORE = 3
"""Calls of one thread before the others begin."""
_SAME_CALL_SHARE = 0.5
"""Of plans in which all threads make the same call once: two that want the last one, after so many
calls that there may be a last one.
"""
_MOST_BEFORE_SAME = 8
_MOST_RERUNS = 500
"""Of what fails, to make it short."""
_RERUN_STALLS = 30
"""What waits for ever was awaited for long once."""
_SAME_PLAN_RUNS = 20
"""How often a plan runs, each time with other turns, before it is said to pass."""


@frozen
class _ThreadPlan(Generic[SnapshotT]):
    """What is called: by one thread before, then by each thread beside the others."""

    start: Any
    before: tuple[Any, ...]
    threads: tuple[tuple[Any, ...], ...]

    def shorter(self) -> list[_ThreadPlan[SnapshotT]]:
        """Return the plans that lack one call."""
        shorter = [
            evolve(self, before=_without(self.before, place)) for place in range(len(self.before))
        ]
        for number, calls in enumerate(self.threads):
            for place in range(len(calls)):
                others = list(self.threads)
                others[number] = _without(calls, place)
                shorter.append(evolve(self, threads=tuple(filter(None, others))))
        return shorter


def _without(calls: tuple[Any, ...], place: int) -> tuple[Any, ...]:
    return calls[:place] + calls[place + 1 :]


@frozen(eq=False)
class _ThreadCheck(Generic[SnapshotT]):
    """Runs of plans, each held against the machine."""

    subject: ThreadedSubject[SnapshotT]
    threads: int
    calls: int
    seed: int
    reruns: list[int] = field(factory=lambda: [0])

    def run(self, runs: int) -> None:
        """Draw plans and run them.

        Raises:
            AssertionError: calls that no order explains, as few as were found.
        """
        for number in range(runs):
            random = Random(f"{self.seed} {number}")
            plan = self._drawn_plan(random)
            wrong = self._run_plan(plan, random)
            if wrong is not None:
                raise AssertionError(self._shortest(plan, wrong))

    def _drawn_plan(self, random: Random) -> _ThreadPlan[SnapshotT]:
        start = self.subject.start(random)
        subject, now = self.subject.make(start), self.subject.begins(start)[0]
        same = random.random() < _SAME_CALL_SHARE
        most = _MOST_BEFORE_SAME if same else _MOST_BEFORE
        before, now = self._drawn_calls(subject, now, random.randint(0, most), random)
        if same:
            sequences = [self._drawn_calls(subject, now, 1, random)[0]] * self.threads
        else:
            sequences = [
                self._drawn_calls(subject, now, self.calls, random)[0] for _ in range(self.threads)
            ]
        self.subject.end(subject)
        return _ThreadPlan(start, before, tuple(sequences))

    def _drawn_calls(
        self, subject: Any, now: SnapshotT, many: int, random: Random
    ) -> tuple[tuple[Any, ...], SnapshotT]:
        calls_drawn = list[Any]()
        for _ in range(many):
            sampled = self.subject.sample(subject, now, random)
            if sampled is not None:
                calls_drawn.append(sampled[0])
                now = sampled[1]
        return tuple(calls_drawn), now

    def _shortest(self, plan: _ThreadPlan[SnapshotT], wrong: str) -> str:
        """Leave out calls as long as some turns show that something is wrong."""
        shorter = True
        while shorter:
            shorter = False
            for other in plan.shorter():
                failure = self._failure_of(other)
                if failure is not None:
                    plan, wrong, shorter = other, failure, True
                    break
        return wrong

    def _failure_of(self, plan: _ThreadPlan[SnapshotT]) -> str | None:
        """Return what is wrong with a plan, by some turns; None: nothing was seen."""
        if len(plan.threads) < 2:
            return None
        for number in range(_SAME_PLAN_RUNS):
            self.reruns[0] += 1
            if self.reruns[0] > _MOST_RERUNS:
                return None
            failure = self._run_plan(plan, Random(f"{self.seed} {plan.before} {number}"))
            if failure is not None:
                return failure
        return None

    def _run_plan(self, plan: _ThreadPlan[SnapshotT], random: Random) -> str | None:
        """Run a plan, first with turns at any instruction, then with few of them: most mistakes
        need one at the right place and none elsewhere. Return what is wrong.

        Source: S. Burckhardt and others, A Randomized Scheduler with Probabilistic Guarantees of
        Finding Bugs, 2010.
        """
        turns = DrawnTurns(random, random.choice(_CHANCES))
        wrong = self._run_with(plan, turns)
        is_long = max(map(len, plan.threads)) > 1
        for many in _FEW_TURNS if is_long else _ONE_TURN:
            if wrong is None:
                places = range(1, turns.instructions + 1)
                switches = frozenset(random.sample(places, min(many, len(places))))
                wrong = self._run_with(plan, DrawnTurns(random, 0, switches))
        return wrong

    def _run_with(self, plan: _ThreadPlan[SnapshotT], turns: DrawnTurns) -> str | None:
        subject, history = self.subject.make(plan.start), CallHistory()
        self._call_all(subject, history, 0, plan.before)
        bodies = [
            partial(self._call_all, subject, history, thread, calls)
            for thread, calls in enumerate(plan.threads)
        ]
        if self.reruns[0]:
            turns.patience = _RERUN_STALLS
        try:
            turns.run(bodies)
        except ThreadsStuck:
            self.reruns[0] = max(self.reruns[0], 1)
            return f"{self.subject.title}: the threads wait for each other\n{history.lanes()}"
        for call in history.calls:
            if call.outcome is not None and isinstance(call.outcome.error, CallsAreAwaited):
                raise call.outcome.error
        shows = partial(self.subject.is_shown, subject)
        search = LinearizationSearch(history.calls, self.subject.explained, shows)
        explained = search.order(self.subject.begins(plan.start)) is not None
        wrong = None if explained else self._wrong_text(history, plan)
        self.subject.end(subject)
        return wrong

    def _call_all(
        self, subject: Any, history: CallHistory, thread: int, calls: tuple[Any, ...]
    ) -> None:
        for attempt in calls:
            history.record(thread, attempt, partial(self.subject.call, subject, attempt))

    def _wrong_text(self, history: CallHistory, plan: _ThreadPlan[SnapshotT]) -> str:
        """Say that no order explains what was returned, or that what is shown in the end is of
        none.
        """
        search = LinearizationSearch(history.calls, self.subject.explained)
        returns = search.order(self.subject.begins(plan.start)) is not None
        what = "what the subject shows when all are over" if returns else "what they returned"
        return (
            f"{self.subject.title}: no order of these calls, one after the other, explains {what}"
            f"\n{history.lanes()}"
        )


@refuses_unknown_options()
def check_threads(
    machine: MachineDefinition | TablesHolder | SystemDefinition | DefinitionHolder,
    make_subject: Callable[..., Any],
    *,
    threads: int = 2,
    calls: int = 3,
    runs: int = 200,
    seed: int = 0,
    refusals: tuple[type[Exception], ...] = (NotAllowed,),
    errors: Mapping[str, type[Exception]] | None = None,
    observe: Mapping[str, Any] | None = None,
    call: Callable[..., Any] | None = None,
    end: Callable[[Any], Any] | None = None,
    sizes: Mapping[str, int] | None = None,
) -> None:
    """Let several threads call one subject, and look whether each call is one step of the machine.

    Which thread runs is drawn at every instruction of the subject's Python, so a mistake that takes
    two threads is met soon, and met again with the same seed. Calls that ran beside each other may
    come in either order; there must be one order of all that explains every result, every refusal,
    and what the subject shows in the end.

    Args:
        machine: what the subject shall be: a machine, or a system.
        make_subject: called with the parameters of a life, or with the snapshot in which a system
            begins; returns a subject that begins so.
        threads: how many call at once.
        calls: how many each of them makes.
        runs: how many plans are drawn, each for a new subject.
        seed: of all that is drawn.
        refusals: exceptions by which the subject refuses.
        errors: a declared error's name to the subject's exception, where the class has another
            name.
        observe: what a variable is called; as `from_machine` or `from_system` takes it.
        call: how an event reaches the subject, where it is no method; likewise.
        end: called with a subject whose life is over.
        sizes: `id` type to how many values are tried; of a machine now and then eight where they
            are not given.

    Returns:
        Nothing, where all is well.

    Raises:
        AssertionError: calls that no order explains, a column a thread, as few as were found.
        CallsAreAwaited: the subject's calls are coroutines.

    Limits:
        Turns change between instructions of Python; what happens inside an extension module is
        one instruction. Where threads wait for locks, the machine has a say in who comes next.
    """
    definition: Any = getattr(machine, "value", machine)
    if isinstance(definition, SystemDefinition):
        system = system_subject(
            definition, make_subject, refusals, errors, observe, None, call, None, end, sizes
        )
        _ThreadCheck(system, threads, calls, seed).run(runs)
    else:
        conventions = SubjectConventions(refusals, errors or {}, observe or {}, call, end)
        subject = _machine_subject(
            machine_tables(definition), make_subject, conventions, sizes or {}
        )
        _ThreadCheck(subject, threads, calls, seed).run(runs)


def _machine_subject(
    tables: MachineTables,
    make_subject: Callable[..., Any],
    conventions: SubjectConventions,
    sizes: Mapping[str, int],
) -> MachineSubject:
    extent = subject_extent(default_domain_sizes(tables.behaviour), sizes)
    finder = AttemptFinder(tables, extent, frozenset(sizes))
    return MachineSubject(finder, make_subject, conventions)
