"""Threads of which one runs at a time, and may have to stop at every instruction: what takes a
scheduler weeks to meet is drawn at once, and the same seed meets it again.
"""

from __future__ import annotations

import os
import sys
import sysconfig
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any

from attrs import define, field

from statemachines.model.garbage import uncollected

STALL_SECONDS = 0.01
"""A thread that does nothing for so long waits for another one, which then has its turn."""
MOST_STALLS = 1000
"""So many stalls, one after the other, and the threads wait for each other for ever."""
LEFT_OUT = (
    sysconfig.get_paths()["stdlib"],
    "<frozen",
    "<attrs generated init statemachines.testing",
    "<attrs generated methods statemachines.testing",
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


@define(eq=False)
class DrawnTurns:
    """Whose turn it is, drawn at each instruction of the code that the threads run.

    Limits: instructions of Python; a thread that waits in C code (for a lock, for the network) is
    noticed after some milliseconds, and from then on the machine has a say in who comes next.
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
    """Those that wait for another one."""
    instructions: int = 0
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
                thread.join()

    def _watch(self) -> None:
        """Wait for the end; give the turn to another one where the one that has it waits."""
        stalls, last_count = 0, -1
        with self.changed:
            while self.left:
                self.changed.wait(STALL_SECONDS)
                stalls = stalls + 1 if self.instructions == last_count else 0
                last_count = self.instructions
                if stalls > MOST_STALLS:
                    raise ThreadsStuck
                if stalls and self.left:
                    self._pass_stalled_turn()

    def _pass_stalled_turn(self) -> None:
        self.stalled.add(self.turn)
        others = sorted(
            self.left - {self.turn}, key=lambda thread: (thread in self.stalled, thread)
        )
        if others:
            self.turn = others[0]
            self.changed.notify_all()

    def _run_body(self, place: int, body: Callable[[], None]) -> None:
        self._wait_for_turn(place)

        def at_instruction(frame: FrameType, event: str, _: object) -> Any:
            if event == "opcode":
                self._at_instruction(place)
            return at_instruction

        def at_call(frame: FrameType, event: str, _: object) -> Any:
            if frame.f_code.co_filename.startswith(LEFT_OUT):
                return None
            frame.f_trace_opcodes, frame.f_trace_lines = True, False
            return at_instruction

        sys.settrace(at_call)
        try:
            body()
        finally:
            sys.settrace(None)
            self._end(place)

    def _at_instruction(self, place: int) -> None:
        self.instructions += 1
        if (
            self.turn == place
            and self.instructions not in self.switches
            and self.random.random() >= self.chance
        ):
            return
        with self.changed:
            others = sorted(self.left - self.stalled - {place})
            if self.turn == place and others:
                self.turn = self.random.choice(others)
                self.changed.notify_all()
        self._wait_for_turn(place)

    def _wait_for_turn(self, place: int) -> None:
        with self.changed:
            self.stalled.discard(place)
            while self.turn != place:
                self.changed.wait()

    def _end(self, place: int) -> None:
        with self.changed:
            self.left.discard(place)
            self.instructions += 1
            others = sorted(self.left - self.stalled) or sorted(self.left)
            if self.turn == place and others:
                self.turn = self.random.choice(others)
            self.changed.notify_all()
