"""Which lock a thread is about to take, seen before it waits for it: another thread has its turn
then, at once, and nothing depends on how long a wait lasts.
"""

from __future__ import annotations

import _thread
import builtins
import dis
import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from itertools import pairwise
from types import CodeType, FrameType
from typing import Any

LOCK_TYPES = (_thread.LockType, _thread.RLock)
_TAKING = ("acquire", "acquire_lock", "__enter__")
_CALLS = tuple(dis.opmap[name] for name in ("CALL", "CALL_FUNCTION") if name in dis.opmap)
_ENTERS = "BEFORE_WITH"
"""What `with` does to its manager. Where Python has no such instruction it calls `__enter__`, which
is seen as a call.
"""
_VARIABLES = ("LOAD_FAST", "LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_NAME", "LOAD_GLOBAL")

_Reader = Callable[[FrameType, Any], Any]
"""Gives what an expression stands for in a frame; takes what was returned last in its thread."""


def may_take(lock: Any) -> bool:
    """Tell whether the thread that asks would get a lock without waiting.

    Args:
        lock: of one of `LOCK_TYPES`.

    Returns:
        Whether it is free, or the thread's own and may be taken again.

    >>> lock = _thread.allocate_lock()
    >>> may_take(lock), lock.acquire(), may_take(lock)
    (True, True, False)
    """
    return not lock.locked() if isinstance(lock, _thread.LockType) else _takes(lock)


def is_free(lock: Any) -> bool:
    """Tell whether nobody has a lock, whoever asks.

    Args:
        lock: of one of `LOCK_TYPES`.

    Returns:
        Whether any thread would get it without waiting.
    """
    if isinstance(lock, _thread.LockType):
        return not lock.locked()
    return not lock._is_owned() and _takes(lock)


def _takes(lock: Any) -> bool:
    """Take a lock for a moment: an RLock does not say who has it."""
    if not lock.acquire(blocking=False):
        return False
    lock.release()
    return True


def called_lock(frame: FrameType, function: Any) -> Any | None:
    """Return the lock that a call takes, waiting for it as long as it lasts.

    Args:
        frame: where the call is made; its current instruction is the call.
        function: what is called, written in C.

    Returns:
        The lock; None where it is none, or the call has arguments: it may not wait then, or not for
        ever.
    """
    lock = getattr(function, "__self__", None)
    if not isinstance(lock, LOCK_TYPES) or function.__name__ not in _TAKING:
        return None
    return lock if frame.f_lasti in _bare_calls(frame.f_code) else None


@lru_cache(4096)
def _bare_calls(code: CodeType) -> frozenset[int]:
    """Return where calls without arguments stand."""
    bytes_ = code.co_code
    return frozenset(
        place
        for place in range(0, len(bytes_), 2)
        if bytes_[place] in _CALLS and bytes_[place + 1] == 0
    )


def entered_lock(frame: FrameType, returned: Any) -> Any | None:
    """Return the lock that `with` takes at the current instruction.

    Args:
        frame: where it stands.
        returned: what a call returned last in this thread: the lock may come from there.

    Returns:
        The lock; None where the instruction is another one, or it cannot be told.
    """
    reader = lock_readers(frame.f_code).get(frame.f_lasti)
    if reader is None:
        return None
    try:
        lock = reader(frame, returned)
    except Exception:
        # the subject's own expression, which it evaluates itself a moment later, in its own way
        return None
    return lock if isinstance(lock, LOCK_TYPES) else None


@lru_cache(4096)
def lock_readers(code: CodeType) -> Mapping[int, _Reader]:
    """Return where a function enters a manager, with what reads it there.

    Args:
        code: of the function.

    Returns:
        A reader for each offset of such an instruction.
    """
    steps = [step for step in dis.get_instructions(code) if step.opname not in ("CACHE", "NOP")]
    return {
        enters.offset: _reader(steps, place)[0]
        for place, (_, enters) in enumerate(pairwise(steps))
        if enters.opname == _ENTERS and not enters.is_jump_target
    }


def _reader(steps: Sequence[dis.Instruction], place: int) -> tuple[_Reader, int]:
    """Return what reads the expression that ends with a step, and the step before it: names,
    attributes and items are looked up; of everything else it is what was returned last.
    """
    step = steps[place]
    if step.opname == "LOAD_CONST":
        return partial(_constant, step.argval), place - 1
    if step.opname.startswith(_VARIABLES) and isinstance(step.argval, str):
        return partial(_variable, step.argval), place - 1
    if step.is_jump_target or not place:
        return _returned_last, place - 1
    if step.opname in ("LOAD_ATTR", "LOAD_METHOD"):
        owner, before = _reader(steps, place - 1)
        return partial(_attribute, owner, step.argval), before
    if step.opname == "BINARY_SUBSCR":
        key, before = _reader(steps, place - 1)
        container, before = _reader(steps, before)
        return partial(_item, container, key), before
    return _returned_last, place - 1


def _returned_last(frame: FrameType, returned: Any) -> Any:
    del frame
    return returned


def _constant(value: Any, frame: FrameType, returned: Any) -> Any:
    del frame, returned
    return value


def _variable(name: str, frame: FrameType, returned: Any) -> Any:
    del returned
    for names in (frame.f_locals, frame.f_globals, vars(builtins)):
        if name in names:
            return names[name]
    raise NameError(name)


def _attribute(owner: _Reader, name: str, frame: FrameType, returned: Any) -> Any:
    """Look an attribute up; what a property gives was returned last."""
    of = owner(frame, returned)
    if isinstance(inspect.getattr_static(type(of), name, None), property):
        return returned
    return getattr(of, name)


def _item(container: _Reader, key: _Reader, frame: FrameType, returned: Any) -> Any:
    return container(frame, returned)[key(frame, returned)]
