"""Conversations: a line from a person or a pipe, then the answer, until one of them ends it."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Protocol

from statemachines.cli.console import terminal


class Conversation(Protocol):
    """What answers lines."""

    @property
    def ended(self) -> bool:
        """Whether it is over."""
        ...

    def opening_lines(self) -> Iterable[str]:
        """Return what is shown first."""
        ...

    def answer_lines(self, line: str) -> Iterable[str]:
        """Return what is shown for a line.

        Args:
            line: what was typed, without its line feed.

        Returns:
            Lines to print, in order.
        """
        ...


def run_conversation(session: Conversation) -> None:
    """Answer line after line until the input ends.

    Args:
        session: that answers; it is asked until the input ends or it is over.
    """
    asks = terminal.standard_input().isatty()
    terminal.print_lines(session.opening_lines())
    while not session.ended:
        if asks:
            sys.stdout.write("> ")
            sys.stdout.flush()
        line = terminal.standard_input().readline()
        if not line:
            break
        if not asks:
            terminal.print_lines([f"> {line.rstrip()}"])
        terminal.print_lines(session.answer_lines(line))


def is_conversation_possible() -> bool:
    """Tell whether a person sits at both ends."""
    return sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()
