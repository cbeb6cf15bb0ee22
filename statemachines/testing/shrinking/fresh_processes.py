"""What fails in a process in which no subject was made before: there nothing fails because of what
subjects share in this one.
"""

from __future__ import annotations

import json
import os
import select
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from statemachines.explore.checkpoints.encoded_values import decode_value, encode_value
from statemachines.testing.runs.attempts import Attempt, NamedValues
from statemachines.testing.runs.paired_runs import SequenceStart

_RunHistory = Sequence[SequenceStart | Attempt]
FailureCheck = Callable[[_RunHistory], str | None]
"""Says what is wrong with what was done, done again; None: nothing."""
TIMEOUT_SECONDS = 10.0
"""Seconds that one run may take; a thread that a subject counts on is not there in a forked
process.
"""


class NoFreshProcess(Exception):
    """A fresh process cannot be had, or did not answer."""


@contextmanager
def fresh_process_check(fails: FailureCheck) -> Iterator[FailureCheck | None]:
    """Give what asks `fails` in a process like this one is now, a new one each time; None where
    processes cannot be forked safely.

    A fork of this process waits until it is asked, and forks itself for every question: so nothing
    is done before that is not asked for.

    Args:
        fails: tells whether a list of attempts fails, and how.

    Yields:
        Once: a function that asks the same of a fresh process, or None.
    """
    if not hasattr(os, "fork") or threading.active_count() > 1:
        yield None
        return
    (questions, ask), (hear, answers) = os.pipe(), os.pipe()
    child = os.fork()
    if child == 0:
        os.close(ask)
        os.close(hear)
        _serve_questions(questions, answers, fails)
    os.close(questions)
    os.close(answers)
    try:
        yield lambda done: _ask_process(ask, hear, done)
    finally:
        os.close(ask)
        os.close(hear)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def _ask_process(ask: int, hear: int, done: _RunHistory) -> str | None:
    """Return what a fresh process says.

    Raises:
        NoFreshProcess: it says nothing.
    """
    try:
        _send_message(ask, [_encode_step(step) for step in done])
        if not select.select([hear], [], [], TIMEOUT_SECONDS)[0]:
            raise NoFreshProcess
        message: str | None = _receive_message(hear)
    except (OSError, EOFError):
        raise NoFreshProcess from None
    return message


def _serve_questions(questions: int, answers: int, fails: FailureCheck) -> None:
    """Answer in a new process each; never return: nothing that this process would do at its end is
    to be done twice.
    """
    try:
        silence = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(silence, descriptor)
        while True:
            done = [_decode_step(step) for step in _receive_message(questions)]
            child = os.fork()
            if child == 0:
                signal.signal(signal.SIGALRM, signal.SIG_DFL)
                signal.setitimer(signal.ITIMER_REAL, TIMEOUT_SECONDS)  # nobody waits longer
                _send_message(answers, fails(done))
                os._exit(0)
            os.waitpid(child, 0)
    finally:
        os._exit(0)


def _encode_step(sequence_start: SequenceStart | Attempt) -> list[Any]:
    if isinstance(sequence_start, SequenceStart):
        return ["", _encode_values(sequence_start.parameters)]
    return [sequence_start.event, _encode_values(sequence_start.arguments)]


def _decode_step(data: list[Any]) -> SequenceStart | Attempt:
    values = {name: decode_value(value) for name, value in data[1]}
    return Attempt(data[0], values) if data[0] else SequenceStart(values)


def _encode_values(values: NamedValues) -> list[list[Any]]:
    return [[name, encode_value(value)] for name, value in values.items()]


def _send_message(pipe: int, value: object) -> None:
    data = json.dumps(value).encode()
    data = len(data).to_bytes(8, "big") + data
    while data:
        data = data[os.write(pipe, data) :]


def _receive_message(pipe: int) -> Any:
    return json.loads(_read_bytes(pipe, int.from_bytes(_read_bytes(pipe, 8), "big")))


def _read_bytes(pipe: int, many: int) -> bytes:
    received = b""
    while len(received) < many:
        chunk = os.read(pipe, many - len(received))
        if not chunk:
            raise EOFError
        received += chunk
    return received
