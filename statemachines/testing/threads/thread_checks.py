"""Calls of several threads at once, held against the machine: is each of them one step?"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping
from contextlib import suppress
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
from statemachines.semantics.messages.argument_errors import unknown_word
from statemachines.testing.runs.attempts import AttemptFinder
from statemachines.testing.runs.subject_contact import SubjectConventions
from statemachines.testing.stateful import subject_extent
from statemachines.testing.systems.system_subjects import SystemSubject
from statemachines.testing.systems.system_tests import DefinitionHolder, system_subject
from statemachines.testing.threads.call_histories import CallHistory
from statemachines.testing.threads.drawn_tasks import TaskLoop, run_tasks
from statemachines.testing.threads.drawn_turns import (
    MOST_STALLS,
    DrawnTurns,
    GivenUp,
    ThreadsStuck,
    call_alone,
    follows_giving_up,
)
from statemachines.testing.threads.linearization import LinearizationSearch
from statemachines.testing.threads.thread_plans import PlanDrawer, ThreadPlan
from statemachines.testing.threads.threaded_subjects import (
    CallsAreAwaited,
    MachineSubject,
    SnapshotT,
    ThreadedSubject,
)

_CHANCES = (0.01, 0.05, 0.2)
"""Of another thread's turn at an instruction: few turns meet some mistakes, many meet others."""
_ONE_TURN_RUNS = 6
"""Of a plan, with one turn of another thread at a place that is drawn, no place twice."""
_ONE_TURN_RUNS_SHORT = 14
"""The same where one thread makes one call: few places are left to try then, those of this call."""
_MOST_RERUNS = 500
"""Of what fails, to make it short."""
_RERUNS_A_WAIT = 10
"""What is made short does not take minutes where runs wait for ever: each counts as so many."""
_RERUN_STALLS = 30
"""What waits for ever was awaited for long once."""
_SECONDS_TO_CANCEL = 1.0
"""Of a loop whose time goes on by itself, for tasks that clean up."""
_TASK_RUNS = 6
"""How often a plan of tasks runs, each time with other pauses."""
_SAME_PLAN_RUNS = 20
"""How often a plan runs, each time with other turns, before it is said to pass."""


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
            plan = PlanDrawer(self.subject, self.threads, self.calls).draw(random)
            wrong = self._run_plan(plan, random)
            if wrong is not None:
                raise AssertionError(self._shortest(plan, wrong))

    def _shortest(self, plan: ThreadPlan[SnapshotT], wrong: str) -> str:
        """Leave out calls as long as some turns show that something is wrong."""
        self.reruns[0], shorter = min(self.reruns[0], 1), True
        while shorter:
            shorter = False
            for other in plan.shorter():
                failure = self._failure_of(other)
                if failure is not None:
                    plan, wrong, shorter = other, failure, True
                    break
        return wrong

    def _failure_of(self, plan: ThreadPlan[SnapshotT]) -> str | None:
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

    def _run_plan(self, plan: ThreadPlan[SnapshotT], random: Random) -> str | None:
        """Run a plan, first with turns at any instruction, then with few of them: most mistakes
        need one at the right place and none elsewhere. Return what is wrong.

        Source: S. Burckhardt and others, A Randomized Scheduler with Probabilistic Guarantees of
        Finding Bugs, 2010.
        """
        turns = DrawnTurns(random, random.choice(_CHANCES))
        wrong = self._run_with(plan, turns)
        for first, place in self._single_turns(plan, turns, random):
            if wrong is None:
                at = frozenset({place})
                wrong = self._run_with(plan, DrawnTurns(random, 0, at, first=first))
        if wrong is None and min(map(len, plan.threads)) > 1:
            places = range(1, turns.instructions + 1)
            switches = frozenset(random.sample(places, min(2, len(places))))
            wrong = self._run_with(plan, DrawnTurns(random, 0, switches))
        return wrong

    def _single_turns(
        self, plan: ThreadPlan[SnapshotT], turns: DrawnTurns, random: Random
    ) -> list[tuple[int, int]]:
        """Draw places at which one thread, which comes first, is interrupted by the others: of a
        plan in which a thread makes one call, places of that call.
        """
        fewest = min(map(len, plan.threads))
        places = [
            (thread, place)
            for thread, calls in enumerate(plan.threads)
            if len(calls) == fewest
            for place in range(1, turns.counts.get(thread, 0) + 1)
        ]
        many = _ONE_TURN_RUNS_SHORT if fewest == 1 else _ONE_TURN_RUNS
        return random.sample(places, min(many, len(places)))

    def _run_with(self, plan: ThreadPlan[SnapshotT], turns: DrawnTurns) -> str | None:
        subject, history = self.subject.make(plan.start), CallHistory()
        call = partial(self._call_all, subject, history)
        turns.patience = _RERUN_STALLS if self.reruns[0] else MOST_STALLS
        try:
            call_alone(partial(call, 0, plan.before), turns.patience)
            turns.run([partial(call, *calls) for calls in enumerate(plan.threads)])
            call_alone(partial(call, 0, plan.after), turns.patience)
        except ThreadsStuck:
            return self._wrong_wait(history, plan)
        for ended in history.calls:
            if ended.outcome is not None and isinstance(ended.outcome.error, CallsAreAwaited):
                raise ended.outcome.error
        return self._wrong(subject, history, plan)

    def _wrong_wait(self, history: CallHistory, plan: ThreadPlan[SnapshotT]) -> str | None:
        """Say which calls wait for ever; None: each of them waits for what the machine does not
        allow, in some order of those that ended. What they would show is not looked at: they had to
        be ended.
        """
        self.reruns[0] += _RERUNS_A_WAIT
        pending = [call for call in history.calls if call.returned is None]
        ended = [call for call in history.calls if call.returned is not None]

        def all_wait(now: SnapshotT) -> bool:
            return all(self.subject.would_wait(now, call.attempt) for call in pending)

        search = LinearizationSearch(ended, self.subject.explained, all_wait)
        waits = search.order(self.subject.begins(plan.start)) is not None
        return None if waits else self._stuck_text(history)

    def _stuck_text(self, history: CallHistory) -> str:
        pending = sum(call.returned is None for call in history.calls)
        what = "the threads wait for each other" if pending > 1 else "a call waits for ever"
        return f"{self.subject.title}: {what}\n{history.lanes()}"

    def _wrong(self, subject: Any, history: CallHistory, plan: ThreadPlan[SnapshotT]) -> str | None:
        """Return what no order of the calls explains, and let go of the subject."""
        shows = partial(self.subject.is_shown, subject)
        search = LinearizationSearch(history.calls, self.subject.explained, shows)
        explained = search.order(self.subject.begins(plan.start)) is not None
        wrong = None if explained else self._wrong_text(history, plan)
        self.subject.end(subject)
        return wrong

    def _call_all(
        self, subject: Any, history: CallHistory, thread: int, calls: tuple[Any, ...]
    ) -> None:
        def call(attempt: Any) -> Any:
            try:
                return self.subject.call(subject, attempt)
            except Exception as error:
                if follows_giving_up(error):
                    raise GivenUp from error
                raise

        for attempt in calls:
            history.record(thread, attempt, partial(call, attempt))

    def _wrong_text(self, history: CallHistory, plan: ThreadPlan[SnapshotT]) -> str:
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


@frozen(eq=False)
class _TaskCheck(_ThreadCheck[SnapshotT]):
    """The same with tasks of one event loop, of a subject whose calls are awaited."""

    runner: asyncio.Runner = field(kw_only=True)
    call_awaited: Callable[[Any, Any], Awaitable[Any]] = field(kw_only=True)

    def _run_plan(self, plan: ThreadPlan[SnapshotT], random: Random) -> str | None:
        runs = (self._run_tasks(plan, random) for _ in range(_TASK_RUNS))
        return next((wrong for wrong in runs if wrong is not None), None)

    def _run_tasks(self, plan: ThreadPlan[SnapshotT], random: Random) -> str | None:
        subject, history = self.subject.make(plan.start), CallHistory()
        record = partial(self._recorded, subject, history)
        try:
            self.runner.run(run_tasks(random, [record(0, plan.before)]))
            self.runner.run(
                run_tasks(random, [record(*calls) for calls in enumerate(plan.threads)])
            )
            self.runner.run(run_tasks(random, [record(0, plan.after)]))
        except ThreadsStuck:
            self._end_tasks()
            return self._wrong_wait(history, plan)
        return self._wrong(subject, history, plan)

    def _end_tasks(self) -> None:
        """End those that wait for ever: the next run has the loop for itself."""
        for task in asyncio.all_tasks(self.runner.get_loop()):
            task.cancel()
        with suppress(ThreadsStuck):
            self.runner.run(asyncio.sleep(_SECONDS_TO_CANCEL))

    def _recorded(
        self, subject: Any, history: CallHistory, thread: int, calls: tuple[Any, ...]
    ) -> list[Callable[[], Awaitable[None]]]:
        def recorded(attempt: Any) -> Awaitable[None]:
            call = partial(self.call_awaited, subject, attempt)
            return history.record_awaited(thread, attempt, call)

        return [partial(recorded, attempt) for attempt in calls]


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
    waits: Collection[str] = (),
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
        waits: events whose calls wait until they are allowed, in place of being refused; of a
            system `part.event`. To wait for ever is right then where they are not allowed, and a
            lost signal is found where they are. A run that ends so takes some tenths of a second.

    Returns:
        Nothing, where all is well.

    Raises:
        AssertionError: calls that no order explains, a column a thread, as few as were found.
        ArgumentsError: `waits` names an event that there is not.

    Limits:
        Calls that are coroutines are tasks of one event loop, and what is drawn is when each of
        them begins.
        Turns change between instructions of Python; what happens inside an extension module is
        one instruction. Where threads wait for locks, the machine has a say in who comes next.
    """
    definition: Any = getattr(machine, "value", machine)
    subject: MachineSubject | SystemSubject
    if isinstance(definition, SystemDefinition):
        subject = system_subject(
            definition, make_subject, refusals, errors, observe, None, call, None, end, sizes
        )
        parts = subject.attempts.tables.tables
        events = [f"{name}.{event}" for name, part in parts.items() for event in part.events]
    else:
        conventions = SubjectConventions(refusals, errors or {}, observe or {}, call, end)
        tables = machine_tables(definition)
        subject = _machine_subject(tables, make_subject, conventions, sizes or {})
        events = list(tables.events)
    for name in waits:
        if name not in events:
            raise unknown_word("event", name, events, subject.title)
    _run_checks(evolve(subject, waits=frozenset(waits)), threads, calls, seed, runs)


def _run_checks(
    subject: MachineSubject | SystemSubject, threads: int, calls: int, seed: int, runs: int
) -> None:
    """Check threads; where calls turn out to be awaited, tasks of one loop."""
    checked: Any = subject
    try:
        _ThreadCheck(checked, threads, calls, seed).run(runs)
    except CallsAreAwaited:
        with asyncio.Runner(loop_factory=TaskLoop) as runner:
            awaited: Any = evolve(subject, runner=runner)
            _TaskCheck(
                awaited, threads, calls, seed, runner=runner, call_awaited=awaited.call_awaited
            ).run(runs)


def _machine_subject(
    tables: MachineTables,
    make_subject: Callable[..., Any],
    conventions: SubjectConventions,
    sizes: Mapping[str, int],
) -> MachineSubject:
    extent = subject_extent(default_domain_sizes(tables.behaviour), sizes)
    finder = AttemptFinder(tables, extent, frozenset(sizes))
    return MachineSubject(finder, make_subject, conventions)
