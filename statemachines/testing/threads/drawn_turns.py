"""Threads of which one runs at a time, and may have to stop at every instruction that another one
may notice: what takes a scheduler weeks to meet is drawn at once, and the same seed meets it again.
"""

from __future__ import annotations

import os
import sys
import sysconfig
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from types import CodeType, FrameType
from typing import Any

import attr
from attrs import define, field

from statemachines.model.garbage import uncollected
from statemachines.testing.threads import lock_waits
from statemachines.testing.threads.computing_calls import COMPUTING, pass_over_call
from statemachines.testing.threads.shared_places import shared_places

STALL_SECONDS = 0.01
"""A thread that does nothing for so long waits for another one, which then has its turn: for what
`lock_waits` does not see.
"""
_LOCK_STALLS = 2
"""The same where each of them is seen to wait for a lock."""
_SECONDS_TO_END = 0.1
"""For each thread that waits for ever to be ended; one that waits in C code stays."""
MOST_STALLS = 1000
"""So many stalls, one after the other, and the threads wait for each other for ever."""
LEFT_OUT = (
    sysconfig.get_paths()["stdlib"],
    "<frozen",
    str(Path(attr.__file__).parent) + os.sep,
    *(f"<attrs generated {what} statemachines." for what in ("init", "methods", "hash", "eq")),
    *(
        str(Path(__file__).parent.parent / folder) + os.sep
        for folder in ("runs", "threads", "systems")
    ),
)
"""Python's own library is not stopped in: what it locks, it locks for a reason. Nor is what makes
and records the calls: turns there would be lost.
"""


class ThreadsStuck(Exception):
    """All threads wait for each other."""


class GivenUp(BaseException):
    """Ends a thread that would wait for ever; no subject takes it for an error of its own."""


def follows_giving_up(error: BaseException | None) -> bool:
    """Tell whether an exception came of the end of a thread: a lock that it had not taken again,
    and gives back all the same.

    Args:
        error: as a call raised it.

    Returns:
        Whether a `GivenUp` was on its way when it was raised.
    """
    while error is not None and not isinstance(error, GivenUp):
        error = error.__context__
    return error is not None


@define(eq=False)
class DrawnTurns:
    """Whose turn it is, drawn at each instruction of the code that the threads run, and wherever a
    thread waits for a lock that another one has.

    Limits: instructions of Python; a thread that waits in C code for anything else (the network, a
    lock for some seconds) is noticed after some milliseconds, and from then on the machine has a
    say in who comes next.
    """

    random: Random
    chance: float
    """Of another one's turn, at each instruction."""
    switches: frozenset[int] = frozenset()
    """Instructions of all threads, counted, at which it is another one's turn besides."""
    turn: int = -1
    left: set[int] = field(factory=set)
    """Those that have something to do."""
    stalled: set[int] = field(factory=set)
    """Those that wait for something that is not seen."""
    waiting: dict[int, Any] = field(factory=dict)
    """Those that wait for a lock, which cannot go on before it is free."""
    returned: dict[int, Any] = field(factory=dict)
    """What a call returned last in each."""
    stuck: bool = False
    """Whether all wait for ever."""
    patience: int = MOST_STALLS
    """How many stalls are awaited where that is not known: other threads may free a lock."""
    instructions: int = 0
    first: int | None = None
    """Whose turn it is at the beginning; None: that is drawn."""
    counts: dict[int, int] = field(factory=dict)
    """The instructions of each thread."""
    changed: Any = field(factory=threading.Condition)

    def run(self, bodies: Sequence[Callable[[], None]]) -> None:
        """Run these, each in a thread of its own.

        Args:
            bodies: what each thread does.

        Raises:
            ThreadsStuck: they wait for each other.
        """
        self.left = set(range(len(bodies)))
        self.turn = self.random.choice(sorted(self.left))
        if self.first is not None:
            self.turn = self.first
        self.counts = dict.fromkeys(self.left, 0)
        threads = [
            threading.Thread(target=self._run_body, args=(place, body), daemon=True)
            for place, body in enumerate(bodies)
        ]
        # a collection runs other people's callbacks in the thread that happens to allocate: their
        # instructions would be counted, and the same seed would draw other turns
        with uncollected():
            for thread in threads:
                thread.start()
            self._watch()
            for thread in threads:
                thread.join(_SECONDS_TO_END if self.stuck else None)
        if self.stuck:
            raise ThreadsStuck

    def _watch(self) -> None:
        """Wait for the end; give the turn to another one where the one that has it waits."""
        stalls, last_count = 0, -1
        with self.changed:
            while self.left and not self.stuck:
                is_quiet = not self.changed.wait(STALL_SECONDS)
                stalls = stalls + 1 if is_quiet and self.instructions == last_count else 0
                last_count = self.instructions
                if stalls > (_LOCK_STALLS if self._all_wait_for_locks() else self.patience):
                    self.stuck = True
                    self.changed.notify_all()
                elif stalls and self.left:
                    self._pass_stalled_turn()

    def _pass_stalled_turn(self) -> None:
        self.stalled.add(self.turn)
        others = self._ready() or sorted(
            self.left - {self.turn}, key=lambda thread: (thread in self.stalled, thread)
        )
        if others:
            self.turn = others[0]
            self.changed.notify_all()

    def _all_wait_for_locks(self) -> bool:
        """Tell whether nobody can free the locks that are waited for: no other thread is there."""
        return (
            self.left == set(self.waiting)
            and not any(map(lock_waits.is_free, self.waiting.values()))
            and len(sys._current_frames()) == len(self.left) + 1
        )

    def _ready(self) -> list[int]:
        """Return those that can go on, but for the one whose turn it is."""
        return [
            place
            for place in sorted(self.left - self.stalled - {self.turn})
            if place not in self.waiting or lock_waits.is_free(self.waiting[place])
        ]

    def _run_body(self, place: int, body: Callable[[], None]) -> None:
        tracers = dict[CodeType, Any]()

        def tracer_of(code: CodeType) -> Any:
            if code.co_filename.startswith(COMPUTING):
                return pass_over_call
            if code.co_filename.startswith(LEFT_OUT):
                return at_library_instruction if lock_waits.lock_readers(code) else None
            places, entries = shared_places(code), lock_waits.lock_readers(code)

            def at_instruction(frame: FrameType, event: str, _: object) -> Any:
                if event == "opcode" and (at := frame.f_lasti) in places:
                    self._at_instruction(place)
                    if at in entries:
                        self._wait_to_enter(place, frame)
                return at_instruction

            return at_instruction

        def at_library_instruction(frame: FrameType, event: str, _: object) -> Any:
            if event == "opcode":
                self._wait_to_enter(place, frame)
            return at_library_instruction

        def at_call(frame: FrameType, event: str, _: object) -> Any:
            code = frame.f_code
            tracer = tracers[code] if code in tracers else tracers.setdefault(code, tracer_of(code))
            if tracer is pass_over_call:
                return pass_over_call(frame, at_call, at_function)
            if tracer is not None:
                frame.f_trace_opcodes, frame.f_trace_lines = True, False
            return tracer

        def at_function(frame: FrameType, event: str, about: Any) -> None:
            if event == "c_call":
                self._wait_for_lock(place, lock_waits.called_lock(frame, about))
            elif event == "return":
                self.returned[place] = about

        try:
            self._wait_for_turn(place)
            sys.settrace(at_call)
            sys.setprofile(at_function)
            body()
        except GivenUp:
            pass
        finally:
            sys.setprofile(None)
            sys.settrace(None)
            self._end(place)

    def _at_instruction(self, place: int) -> None:
        self.instructions += 1
        self.counts[place] += 1
        if (
            self.turn == place
            and self.instructions not in self.switches
            and self.random.random() >= self.chance
        ):
            return
        with self.changed:
            if self.turn == place and (others := self._ready()):
                self.turn = self.random.choice(others)
                self.changed.notify_all()
        self._wait_for_turn(place)

    def _wait_to_enter(self, place: int, frame: FrameType) -> None:
        self._wait_for_lock(place, lock_waits.entered_lock(frame, self.returned.get(place)))

    def _wait_for_lock(self, place: int, lock: Any | None) -> None:
        """Let others have their turns until a lock is free."""
        if lock is None:
            return
        with self.changed:
            while not self.stuck and not (self.turn == place and lock_waits.may_take(lock)):
                self.waiting[place] = lock
                if self.turn == place and (others := self._ready()):
                    self.turn = self.random.choice(others)
                    self.changed.notify_all()
                self.changed.wait(STALL_SECONDS)
            self.waiting.pop(place, None)
        self._wait_for_turn(place)

    def _wait_for_turn(self, place: int) -> None:
        with self.changed:
            while self.turn != place and not self.stuck:
                if place in self.stalled:  # whoever has the turn may wait for this one
                    self.stalled.discard(place)
                    self.changed.notify_all()
                self.changed.wait()
            self.stalled.discard(place)
        if self.stuck:
            raise GivenUp

    def _end(self, place: int) -> None:
        with self.changed:
            self.left.discard(place)
            self.instructions += 1
            others = self._ready() or sorted(self.left)
            if self.turn == place and others:
                self.turn = self.random.choice(others)
            self.changed.notify_all()


def call_alone(body: Callable[[], None], patience: int = MOST_STALLS) -> None:
    """Do something here, where nobody else calls; what would wait for ever is ended.

    Args:
        body: what is done; not watched where a debugger, or a measurement of coverage, watches it.
        patience: how many stalls are awaited where other threads might free a lock.

    Raises:
        ThreadsStuck: it waits for a lock that nobody gives back.
    """

    def wait_for(lock: Any | None) -> None:
        stalls = 0
        while lock is not None and not lock_waits.may_take(lock):
            if stalls > (patience if len(sys._current_frames()) > 1 else 0):
                raise GivenUp
            time.sleep(STALL_SECONDS)
            stalls += 1

    def at_instruction(frame: FrameType, event: str, _: object) -> Any:
        if event == "opcode":
            wait_for(lock_waits.entered_lock(frame, None))
        return at_instruction

    def at_call(frame: FrameType, event: str, _: object) -> Any:
        if frame.f_code.co_filename.startswith(COMPUTING):
            return pass_over_call(frame, at_call, at_function)
        if not lock_waits.lock_readers(frame.f_code):
            return None
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        return at_instruction

    def at_function(frame: FrameType, event: str, about: Any) -> None:
        if event == "c_call":
            wait_for(lock_waits.called_lock(frame, about))

    if sys.gettrace() is not None or sys.getprofile() is not None:
        body()
        return
    try:
        sys.settrace(at_call)
        sys.setprofile(at_function)
        body()
    except GivenUp:
        raise ThreadsStuck("it waits for a lock that nobody gives back") from None
    finally:
        sys.setprofile(None)
        sys.settrace(None)
