"""Signals that ask a program to come to its end."""

from __future__ import annotations

import signal

HANGUP: signal.Signals | None = getattr(signal, "SIGHUP", None)
"""What a terminal sends as it closes, more than once: the first asks, the others are echoes."""
END_SIGNALS = tuple(kind for kind in (signal.SIGINT, signal.SIGTERM, HANGUP) if kind is not None)
"""Ctrl-C, a termination as `timeout` and every cluster send it, and a terminal that closes."""


def is_ignored(kind: signal.Signals) -> bool:
    """Tell whether who started this process had it ignore a signal, as `nohup` does: it stays so.

    Args:
        kind: the signal.

    Returns:
        Whether it is to be left alone; never of Ctrl-C and of a termination, which shells let the
        jobs of scripts ignore whatever they are.
    """
    return kind == HANGUP and signal.getsignal(kind) is signal.SIG_IGN


def end_quietly_from_here() -> None:
    """Let Ctrl-C end this process at once and without a word: its work is done, and who presses it
    again while Python tidies up wants no traceback.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
