"""Several threads at once: the order of calls is searched by what is known of it, and a mistake that takes two threads is found.

Covers: statemachines.testing.threads.call_histories, statemachines.testing.threads.linearization,
statemachines.testing.threads.drawn_turns, statemachines.testing.threads.lock_waits,
statemachines.testing.threads.drawn_tasks, statemachines.testing.threads.threaded_subjects,
statemachines.testing.threads.thread_checks, statemachines.testing.threads.thread_plans,
statemachines.testing.threads.computing_calls, statemachines.testing.threads.plan_conflicts,
statemachines.testing.threads.shared_places.
"""

from __future__ import annotations

import asyncio
import functools
import gc
import itertools
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from statemachines.api.machine import Machine
from statemachines.model.definitions.machine_definitions import MachineDefinition
from statemachines.semantics.messages.argument_errors import ArgumentsError
from statemachines.testing.runs.attempts import Attempt
from statemachines.testing.runs.subject_contact import CallOutcome
from statemachines.testing.threads import drawn_turns, lock_waits
from statemachines.testing.threads.call_histories import CallHistory, ThreadCall
from statemachines.testing.threads.drawn_turns import DrawnTurns
from statemachines.testing.threads.linearization import LinearizationSearch
from statemachines.testing.threads.plan_conflicts import are_in_conflict
from statemachines.testing.threads.thread_checks import check_threads
from tests.data_machines import machine
from tests.machines import ORDER
from tests.planted import racing
from tests.refusing import No

TILL = """
states: {OPEN: {initial: true}, SHUT: }
variables: {coins: "0..9 = 0"}
events:
  put: {args: {count: 1..2}}
transitions:
  - {from: OPEN, event: put, guard: coins + count <= 9, effect: {coins: coins + count}, returns: coins + count}
  - {from: OPEN, to: SHUT, event: shut, guard: coins > 0, returns: coins}
"""


class Refusal(Exception):
    """The till says no."""


class Till:
    """Right for one thread; `put` reads, and writes later."""

    def __init__(self) -> None:
        self.state, self.coins = "OPEN", 0

    def put(self, count: int) -> int:
        """Put coins in."""
        if self.state != "OPEN" or self.coins + count > 9:
            raise Refusal
        self.coins = self.coins + count
        return self.coins

    def shut(self) -> int:
        """Shut it; say what is in it."""
        if self.state != "OPEN" or self.coins == 0:
            raise Refusal
        self.state = "SHUT"
        return self.coins


class LockedTill(Till):
    """Right for several."""

    def __init__(self) -> None:
        super().__init__()
        self.lock = threading.Lock()

    def put(self, count: int) -> int:
        """Put coins in when nobody else does."""
        with self.lock:
            return super().put(count)

    def shut(self) -> int:
        """Shut it when nobody puts coins in."""
        with self.lock:
            return super().shut()


class HalfLockedTill(LockedTill):
    """Whether it is open is looked at before the lock is taken."""

    def put(self, count: int) -> int:
        """Put coins in."""
        if self.state != "OPEN":
            raise Refusal
        with self.lock:
            if self.coins + count > 9:
                raise Refusal
            self.coins += count
            return self.coins


def till() -> Machine:
    """The machine of all these tills."""
    return Machine(machine(TILL))


def test_a_lost_update_is_found_and_made_short() -> None:
    """Each call alone is right: the test of one thread passes. Two calls are enough to show it."""
    with pytest.raises(AssertionError, match="no order of these calls") as caught:
        check_threads(till(), Till, refusals=(Refusal,))
    lanes = str(caught.value).splitlines()[1:]
    assert lanes[0].split("   ")[0] == "thread 1"
    assert "thread 2" in lanes[0]
    assert sum("(" in line and "returned" not in line for line in lanes[1:]) <= 3


def test_a_lock_taken_too_late_is_found() -> None:
    """No update is lost, and still coins are put into a till that is shut."""
    with pytest.raises(AssertionError, match="no order of these calls"):
        check_threads(till(), HalfLockedTill, refusals=(Refusal,))


def test_what_is_locked_passes() -> None:
    """Threads that wait for a lock are no mistake, and no order of turns makes them one."""
    check_threads(till(), LockedTill, refusals=(Refusal,))


def test_our_own_instance_for_threads_passes_and_the_plain_one_is_told_apart() -> None:
    """`threadsafe` is what its name says."""
    check_threads(till(), till().bind().threadsafe, runs=40)


LENDING = """
types: {Book: id}
parameters: {books: "set[Book]"}
variables: {lent: "set[books] = set()"}
events:
  lend: {args: {book: books - lent}, effect: {lent: "lent | {book}"}}
  back: {args: {book: lent}, effect: {lent: "lent - {book}"}}
scope: {Book: 2, books: Book}
"""


class Library:
    """Lends a book to whoever asks, also to two at once."""

    def __init__(self, books: frozenset[str]) -> None:
        self.lent: set[str] = set()

    def lend(self, book: str) -> None:
        """Give it away."""
        self.lent = self.lent | {book}

    def back(self, book: str) -> None:
        """Take it back."""
        self.lent = self.lent - {book}


def test_what_another_thread_has_taken_meanwhile_is_no_mistake_of_who_refuses_it() -> None:
    """A book was there when the call was planned, and is lent by now: only who lends it all the same is wrong."""
    lending = Machine(machine(LENDING))
    check_threads(lending, lending.bind().threadsafe, runs=20)
    with pytest.raises(AssertionError, match="no order of these calls"):
        check_threads(lending, Library)


def without_stalls(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits for a lock here: a thread that a busy machine holds up is not taken for one."""
    monkeypatch.setattr(drawn_turns, "STALL_SECONDS", 60)


def test_the_same_seed_finds_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was found can be looked at again."""
    without_stalls(monkeypatch)

    def message() -> str:
        with pytest.raises(AssertionError) as caught:
            check_threads(till(), Till, refusals=(Refusal,), seed=5)
        return str(caught.value)

    assert message() == message()


def test_the_same_seed_finds_the_same_whenever_garbage_is_collected(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A collection calls what others registered: its instructions are no turns of the subject."""
    without_stalls(monkeypatch)
    collections = list[str]()

    def collected(phase: str, about: dict[str, int]) -> None:
        collections.append(phase)

    def message(allocations: int) -> str:
        gc.set_threshold(allocations)
        with pytest.raises(AssertionError) as caught:
            check_threads(till(), Till, refusals=(Refusal,), seed=5)
        return str(caught.value)

    before = gc.get_threshold()
    gc.callbacks.append(collected)
    try:
        assert len({message(allocations) for allocations in (40, 90, 700)}) == 1
    finally:
        gc.callbacks.remove(collected)
        gc.set_threshold(*before)
    assert collections


SHARED = threading.Lock()
STRIPES = {1: threading.RLock(), 2: threading.RLock()}


class MethodTill(Till):
    """Its lock comes from a method, from a property, and is taken by a call."""

    lock_of_all = SHARED

    def given(self) -> Any:
        """The lock."""
        return self.lock_of_all

    @property
    def owned(self) -> Any:
        """The lock."""
        return self.lock_of_all

    def put(self, count: int) -> int:
        """Put coins in."""
        with self.given():
            self.coins += 0
        with self.owned:
            self.coins += 0
        self.lock_of_all.acquire()
        try:
            return super().put(count)
        finally:
            self.lock_of_all.release()

    def shut(self) -> int:
        """Shut it."""
        with SHARED:
            return super().shut()


class StripedTill(Till):
    """Its lock is one of several, and its own thread takes it again."""

    def put(self, count: int) -> int:
        """Put coins in."""
        stripe = 1
        with STRIPES[stripe], STRIPES[1]:
            return super().put(count)

    def shut(self) -> int:
        """Shut it."""
        with STRIPES[1]:
            return super().shut()


def guarded(method: Callable[..., int]) -> Callable[..., int]:
    """A method that a lock guards."""

    @functools.wraps(method)
    def call(self: Any, *arguments: int, **named: int) -> int:
        with self.guard:
            return method(self, *arguments, **named)

    return call


class LibraryTill(Till):
    """Its lock is one of Python's library."""

    put, shut = guarded(Till.put), guarded(Till.shut)

    def __init__(self) -> None:
        super().__init__()
        self.guard = self.make()

    def make(self) -> Any:
        """What guards it."""
        return threading.Condition()


class SemaphoreTill(LibraryTill):
    """Its lock is a semaphore: whoever waits is woken."""

    def make(self) -> Any:
        """What guards it."""
        return threading.BoundedSemaphore(1)


class QueueTill(Till):
    """Whoever has the only token of a queue may go on."""

    def __init__(self) -> None:
        super().__init__()
        self.tokens = queue.Queue[int]()
        self.tokens.put(1)

    def put(self, count: int) -> int:
        """Put coins in."""
        token = self.tokens.get()
        try:
            return super().put(count)
        finally:
            self.tokens.put(token)

    def shut(self) -> int:
        """Shut it."""
        token = self.tokens.get()
        try:
            return super().shut()
        finally:
            self.tokens.put(token)


@pytest.mark.parametrize(
    "kind", [LockedTill, MethodTill, StripedTill, LibraryTill, SemaphoreTill, QueueTill]
)
def test_a_lock_that_another_thread_has_is_seen_before_it_is_waited_for(
    monkeypatch: pytest.MonkeyPatch, kind: type[Till]
) -> None:
    """A wait that nobody saw lasts a minute here; and turns are those of the seed alone."""
    without_stalls(monkeypatch)
    check_threads(till(), kind, refusals=(Refusal,), runs=30)


def test_who_asks_whether_a_lock_is_free_may_have_it_already() -> None:
    """An RLock is the thread's own to take again, and nobody else's."""
    lock = threading.RLock()
    with lock:
        assert lock_waits.may_take(lock)
        assert not lock_waits.is_free(lock)
    assert lock_waits.is_free(lock)


def test_a_lock_that_another_thread_gives_back_is_waited_for() -> None:
    """Threads of the subject's own are no deadlock: they come when they come."""

    class Actor(Till):
        def __init__(self) -> None:
            super().__init__()
            self.jobs = queue.SimpleQueue[Any]()
            threading.Thread(target=self.work, daemon=True).start()

        def work(self) -> None:
            while (job := self.jobs.get()) is not None:
                job()

        def ask(self, job: Callable[[], int]) -> int:
            done: Future[int] = Future()
            self.jobs.put(lambda: done.set_result(job()))
            return done.result()

        def put(self, count: int) -> int:
            if self.coins > 4:
                raise Refusal
            return self.ask(lambda: super(Actor, self).put(count))

        def shut(self) -> int:
            raise Refusal

    check_threads(
        machine(
            TILL.replace("guard: coins + count <= 9", "guard: coins <= 4").replace(
                "guard: coins > 0", "guard: coins < 0"
            )
        ),
        Actor,
        refusals=(Refusal,),
        runs=3,
        calls=1,
        end=lambda actor: actor.jobs.put(None),
    )


def test_a_deadlock_is_said() -> None:
    """Two locks in two orders: nobody goes on."""

    class Twice(Till):
        def __init__(self) -> None:
            super().__init__()
            self.one, self.other = threading.Lock(), threading.Lock()

        def put(self, count: int) -> int:
            with self.one, self.other:
                return super().put(count)

        def shut(self) -> int:
            with self.other, self.one:
                return super().shut()

    with pytest.raises(AssertionError, match="the threads wait for each other") as caught:
        check_threads(till(), Twice, refusals=(Refusal,))
    assert str(caught.value).count("waits for ever") == 2
    assert threading.active_count() < 20


class AwaitedTill:
    """Right for several tasks: each call holds the lock."""

    def __init__(self) -> None:
        self.state, self.coins, self.lock = "OPEN", 0, asyncio.Lock()

    async def put(self, count: int) -> int:
        """Put coins in."""
        async with self.lock:
            if self.state != "OPEN" or self.coins + count > 9:
                raise Refusal
            coins = self.coins + count
            await asyncio.sleep(1)
            self.coins = coins
            return coins

    async def shut(self) -> int:
        """Shut it."""
        async with self.lock:
            if self.state != "OPEN" or self.coins == 0:
                raise Refusal
            self.state = "SHUT"
            return self.coins


class UnlockedAwaitedTill(AwaitedTill):
    """Another task may come between the look and the step."""

    async def shut(self) -> int:
        """Shut it."""
        if self.state != "OPEN" or self.coins == 0:
            raise Refusal
        await asyncio.sleep(0)
        self.state = "SHUT"
        return self.coins


class KeepsItsLock(AwaitedTill):
    """Who is refused keeps the lock."""

    async def shut(self) -> int:
        """Shut it."""
        await self.lock.acquire()
        if self.state != "OPEN" or self.coins == 0:
            raise Refusal
        self.state = "SHUT"
        self.lock.release()
        return self.coins


def test_tasks_take_turns_where_they_await() -> None:
    """Calls that are awaited are tasks of one loop; nobody sleeps a second for each of their seconds."""
    check_threads(till(), AwaitedTill, refusals=(Refusal,), runs=50)
    with pytest.raises(AssertionError, match="no order of these calls"):
        check_threads(till(), UnlockedAwaitedTill, refusals=(Refusal,))


def test_a_call_that_waits_for_ever_is_said_of_tasks_and_of_threads() -> None:
    """A lock that is kept after a refusal stops whoever comes next, also where no other one calls."""

    class KeepsItsLockHere(LockedTill):
        def shut(self) -> int:
            self.lock.acquire()
            closed = super(LockedTill, self).shut()
            self.lock.release()
            return closed

    for kind in (KeepsItsLock, KeepsItsLockHere):
        with pytest.raises(AssertionError, match="for ever") as caught:
            check_threads(till(), kind, refusals=(Refusal,))
        assert "waits for ever" in str(caught.value)


def test_what_is_answered_when_all_is_over_shows_what_they_left() -> None:
    """A sum that is kept may be of the coins of before: it shows when somebody asks once more."""
    asked = Machine(
        machine(
            """
variables: {coins: "0..9 = 0"}
events:
  put: {args: {count: 1..2}, guard: coins + count <= 9, effect: {coins: coins + count}}
  total: {returns: coins}
"""
        )
    )

    class Keeps:
        def __init__(self) -> None:
            self.coins, self.kept, self.lock = 0, -1, threading.Lock()

        def put(self, count: int) -> None:
            with self.lock:
                if self.coins + count > 9:
                    raise Refusal
                self.coins, self.kept = self.coins + count, -1

        def total(self) -> int:
            total = self.kept
            if total < 0:
                total = self.coins
                self.kept = total
            return total

    with pytest.raises(AssertionError, match="no order of these calls"):
        check_threads(asked, Keeps, refusals=(Refusal,))


def test_turns_are_drawn_at_instructions(monkeypatch: pytest.MonkeyPatch) -> None:
    """One line that reads and writes is two steps of two threads: without turns nothing is lost."""
    without_stalls(monkeypatch)
    found = set[int]()
    for chance in (0.0, 0.3):
        for number in range(20):
            counter = Till()

            def twice(counter: Till = counter) -> None:
                counter.put(1)
                counter.put(1)

            DrawnTurns(Random(number), chance).run([twice, twice])
            if chance == 0.0:
                assert counter.coins == 4
            found.add(counter.coins)
    assert min(found) < 4


@st.composite
def histories(draw: st.DrawFn) -> list[ThreadCall]:
    """Draw calls of a counter by two or three threads, with results that are right or wrong."""
    found, moments = list[ThreadCall](), list[tuple[int, int]]()
    threads = draw(st.integers(2, 3))
    ends = draw(st.lists(st.integers(0, threads - 1), max_size=10))
    begun = dict[int, int]()
    for moment, thread in enumerate(ends):
        if thread not in begun:
            begun[thread] = moment
            continue
        outcome = CallOutcome(draw(st.integers(0, 4)))
        found.append(ThreadCall(thread, Attempt("up"), begun.pop(thread), moment, outcome))
        moments.append((thread, moment))
    found += [ThreadCall(thread, Attempt("up"), moment) for thread, moment in begun.items()]
    return found


def counted(now: int, call: ThreadCall) -> list[int]:
    """What a counter that returns the new number may do; it may also swallow every third call."""
    if call.outcome is None or call.outcome.value == now + 1:
        return [now + 1]
    return [now] if call.outcome.value == 0 else []


def brute_force(calls: list[ThreadCall], ends: set[int]) -> bool:
    """Go through all orders of all calls that ended, with any of those that did not."""
    whole = [one for one in calls if one.returned is not None]
    others = [one for one in calls if one.returned is None]
    for many in range(len(others) + 1):
        for more in itertools.combinations(others, many):
            for order in itertools.permutations([*whole, *more]):
                if keeps_time(order) and leads(order) & ends:
                    return True
    return False


def keeps_time(order: tuple[ThreadCall, ...]) -> bool:
    """Whether nothing comes before what had ended when it began."""
    return all(
        later.returned is None or later.returned > earlier.called
        for place, earlier in enumerate(order)
        for later in order[place + 1 :]
    )


def leads(order: tuple[ThreadCall, ...]) -> set[int]:
    """Where an order leads."""
    now = {0}
    for one in order:
        now = {after for each in now for after in counted(each, one)}
    return now


@given(histories(), st.sets(st.integers(0, 5), min_size=1))
@settings(max_examples=150, deadline=None)
def test_an_order_is_found_where_brute_force_finds_one(
    calls: list[ThreadCall], ends: set[int]
) -> None:
    """What is found is an order that keeps time and explains all; where none is found there is none."""
    found = LinearizationSearch(calls, counted, lambda now: now in ends).order([0])
    assert (found is not None) == brute_force(calls, ends)
    if found is not None:
        assert keeps_time(found)
        assert leads(found) & ends


def test_a_long_history_is_searched_in_no_time() -> None:
    """What was tried is not tried again: a thousand calls of two threads, each beside another."""
    calls = [
        ThreadCall(place % 2, Attempt("up"), 2 * place, 2 * place + 3, CallOutcome(place + 1))
        for place in range(1000)
    ]
    assert LinearizationSearch(calls, counted, lambda now: now == 1000).order([0]) is not None
    assert LinearizationSearch(calls, counted, lambda now: now == 999).order([0]) is None


def test_a_history_shows_when_calls_began_and_ended() -> None:
    """A column a thread."""
    history = CallHistory()
    history.record(1, Attempt("pay"), lambda: ORDER and None)
    assert history.lanes() == "thread 2\npay()\n  returned None"


BOOKS = """
states: {OPEN: {initial: true}, SHUT: {final: true}}
variables: {a: "0..4 = 2", b: "0..4 = 2"}
events:
  move: {args: {n: 1..2}}
transitions:
  - {from: OPEN, event: move, guard: "a >= n and b + n <= 4", effect: {a: a - n, b: b + n}}
  - {from: OPEN, event: back, guard: "b >= 1 and a < 4", effect: {a: a + 1, b: b - 1}, returns: a + 1}
  - {from: OPEN, event: total, returns: a + b}
  - {from: OPEN, to: SHUT, event: shut}
"""


class Books:
    """Right: each call holds the lock."""

    def __init__(self) -> None:
        self.state, self.a, self.b, self.lock = "OPEN", 2, 2, threading.Lock()

    def refuse_unless(self, allowed: bool) -> None:
        if self.state != "OPEN" or not allowed:
            raise Refusal

    def move(self, n: int) -> None:
        with self.lock:
            self.refuse_unless(self.a >= n and self.b + n <= 4)
            self.a -= n
            self.b += n

    def back(self) -> int:
        with self.lock:
            self.refuse_unless(self.b >= 1 and self.a < 4)
            self.a, self.b = self.a + 1, self.b - 1
            return self.a

    def total(self) -> int:
        with self.lock:
            self.refuse_unless(True)
            return self.a + self.b

    def shut(self) -> None:
        with self.lock:
            self.refuse_unless(True)
            self.state = "SHUT"


class LooksBeforeTheLock(Books):
    """Two may want the last one, and both see it there."""

    def back(self) -> int:
        self.refuse_unless(self.b >= 1 and self.a < 4)
        with self.lock:
            self.a, self.b = self.a + 1, self.b - 1
            return self.a


class AnswersAfterTheLock(Books):
    """What it returns may be of another one's step."""

    def back(self) -> int:
        super().back()
        return self.a


class AddsWithoutTheLock(Books):
    """It may read one side before a step and the other after it."""

    def total(self) -> int:
        self.refuse_unless(True)
        return self.a + self.b


def test_a_right_program_with_a_lock_passes() -> None:
    """A false alarm costs more than it finds."""
    check_threads(machine(BOOKS), Books, refusals=(Refusal,), runs=20)


@pytest.mark.parametrize("kind", [LooksBeforeTheLock, AnswersAfterTheLock, AddsWithoutTheLock])
def test_what_one_turn_at_the_right_place_shows_is_found(kind: type[Books]) -> None:
    """With turns at any instruction one of these was found in twelve runs, and none of another."""
    with pytest.raises(AssertionError, match="no order of these calls"):
        check_threads(machine(BOOKS), kind, refusals=(Refusal,))


RACING = [
    (racing.CACHE, racing.Cache, racing.LooksThenReads),
    (racing.STOCK, racing.Stock, racing.GivesTheLockBack),
    (racing.REGISTER, racing.Register, racing.LooksIntoOneOfTwo),
    (racing.ONCE, racing.Once, racing.SaysReadyTooEarly),
    (racing.BOX, racing.Box, racing.WaitsForWhoIsGone),
]


@pytest.mark.parametrize(
    ("of", "right", "wrong"),
    RACING,
    ids=lambda kind: kind.__name__[:20] if isinstance(kind, type) else "",
)
def test_what_takes_two_threads_is_found_and_its_right_twin_passes(
    of: MachineDefinition, right: type, wrong: type
) -> None:
    """Look and read, a lock that is given back, two sets with a lock each, ready too early, a signal that never comes."""
    check_threads(of, right, refusals=(No,), runs=15)
    with pytest.raises(AssertionError, match=r"no order of these calls|for ever"):
        check_threads(of, wrong, refusals=(No,))


@pytest.mark.long
@pytest.mark.parametrize("seed", range(5))
def test_each_of_them_is_found_with_any_seed(seed: int) -> None:
    """None of them is luck."""
    for of, _, wrong in RACING:
        with pytest.raises(AssertionError, match=r"no order of these calls|for ever"):
            check_threads(of, wrong, refusals=(No,), seed=seed)


def test_what_came_back_is_not_what_was_seen() -> None:
    """A head that was seen, taken, and put back with another one behind it: one call in the midst of which another thread makes three."""
    check_threads(racing.STACK, racing.Stack, refusals=(No,), runs=15)
    with pytest.raises(AssertionError, match="no order of these calls"):
        check_threads(racing.STACK, racing.SwapsASeenHead, refusals=(No,), runs=1000)


CALLS = st.lists(st.sampled_from(["add", "take", "look"]), min_size=1, max_size=3)


def stock(now: int, call: str) -> tuple[object, int]:
    """What the stock answers, written by hand."""
    if call == "look":
        return now, now
    if call == "add":
        return ("No", now) if now >= 3 else (now + 1, now + 1)
    return ("No", now) if now <= 0 else (now - 1, now - 1)


@given(st.integers(0, 3), CALLS, CALLS)
def test_calls_are_in_conflict_where_some_order_of_the_two_is_seen(
    now: int, first: list[str], second: list[str]
) -> None:
    """Each thread's calls as a whole, one after the other, both ways round."""

    def run(*threads: list[str]) -> tuple[list[list[object]], int]:
        answers, at = list[list[object]](), now
        for calls in threads:
            answers.append([])
            for call in calls:
                said, at = stock(at, call)
                answers[-1].append(said)
        return answers, at

    one, other = run(first, second), run(second, first)
    differs = one[0] != other[0][::-1] or one[1] != other[1]
    assert are_in_conflict(stock, now, [first, second]) == differs


WAITING = (racing.LooksBeforeItWaits, racing.LooksOnce)


def test_a_queue_that_lets_its_callers_wait_passes() -> None:
    """To wait for ever is right where the machine does not allow the call."""
    check_threads(racing.QUEUE, racing.Queue, refusals=(No,), waits=("put", "get"), runs=8)


@pytest.mark.long
@pytest.mark.parametrize("kind", WAITING)
def test_a_signal_that_is_lost_is_found(kind: type) -> None:
    """It waits for ever for what is there, or takes what is not."""
    with pytest.raises(AssertionError, match=r"no order of these calls|for ever"):
        check_threads(racing.QUEUE, kind, refusals=(No,), waits=("put", "get"), threads=3)


def test_an_event_that_waits_must_be_one() -> None:
    """A name that is misspelt would let nothing wait."""
    with pytest.raises(ArgumentsError, match="did you mean `put`"):
        check_threads(racing.QUEUE, racing.Queue, waits=("putt",))
