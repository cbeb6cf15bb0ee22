"""What fails in a process in which no subject was made before: there nothing fails because of what subjects share in this one."""

from __future__ import annotations

import json
import os
import select
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from statemachines.explore.checkpoints import decoded, encoded
from statemachines.testing.attempts import Attempt, Values
from statemachines.testing.runs import Beginning

Done = Sequence[Beginning | Attempt]
Fails = Callable[[Done], str | None]
"""Says what is wrong with what was done, done again; None: nothing."""
PATIENCE_S = 10.0
"""Seconds that one run may take; a thread that a subject counts on is not there in a forked process."""


class NoAnswer(Exception):
    """A fresh process cannot be had, or did not answer."""


@contextmanager
def afresh(fails: Fails) -> Iterator[Fails | None]:
    """Give what asks `fails` in a process like this one is now, a new one each time; None where processes cannot be forked safely.

    A fork of this process waits until it is asked, and forks itself for every question: so nothing is done before that is not asked for.
    """
    if not hasattr(os, "fork") or threading.active_count() > 1:
        yield None
        return
    (questions, ask), (hear, answers) = os.pipe(), os.pipe()
    child = os.fork()
    if child == 0:
        os.close(ask)
        os.close(hear)
        _serve(questions, answers, fails)
    os.close(questions)
    os.close(answers)
    try:
        yield lambda done: _asked(ask, hear, done)
    finally:
        os.close(ask)
        os.close(hear)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def _asked(ask: int, hear: int, done: Done) -> str | None:
    """Return what a fresh process says.

    Raises:
        NoAnswer: it says nothing.
    """
    try:
        _send(ask, [_told(one) for one in done])
        if not select.select([hear], [], [], PATIENCE_S)[0]:
            raise NoAnswer
        said: str | None = _receive(hear)
    except (OSError, EOFError):
        raise NoAnswer from None
    return said


def _serve(questions: int, answers: int, fails: Fails) -> None:
    """Answer in a new process each; never return: nothing that this process would do at its end is to be done twice."""
    try:
        silence = os.open(os.devnull, os.O_RDWR)
        for one in (0, 1, 2):
            os.dup2(silence, one)
        while True:
            done = [_heard(one) for one in _receive(questions)]
            child = os.fork()
            if child == 0:
                signal.signal(signal.SIGALRM, signal.SIG_DFL)
                signal.setitimer(signal.ITIMER_REAL, PATIENCE_S)  # nobody waits longer
                _send(answers, fails(done))
                os._exit(0)
            os.waitpid(child, 0)
    finally:
        os._exit(0)


def _told(one: Beginning | Attempt) -> list[Any]:
    if isinstance(one, Beginning):
        return ["", _values(one.parameters)]
    return [one.event, _values(one.arguments)]


def _heard(told: list[Any]) -> Beginning | Attempt:
    values = {name: decoded(value) for name, value in told[1]}
    return Attempt(told[0], values) if told[0] else Beginning(values)


def _values(values: Values) -> list[list[Any]]:
    return [[name, encoded(value)] for name, value in values.items()]


def _send(pipe: int, told: object) -> None:
    data = json.dumps(told).encode()
    data = len(data).to_bytes(8, "big") + data
    while data:
        data = data[os.write(pipe, data) :]


def _receive(pipe: int) -> Any:
    return json.loads(_read(pipe, int.from_bytes(_read(pipe, 8), "big")))


def _read(pipe: int, many: int) -> bytes:
    found = b""
    while len(found) < many:
        piece = os.read(pipe, many - len(found))
        if not piece:
            raise EOFError
        found += piece
    return found
