"""What a layout reads from one line."""

from __future__ import annotations

import re

from statemachines.logs.fields.log_times import Timestamp
from statemachines.model.values import frozen

_BLANKS = dict.fromkeys(
    map(ord, "\u00a0\u2002\u2003\u2007\u2008\u2009\u202f\u3000"), " "
) | dict.fromkeys(map(ord, "\u200b\u2060\ufeff"))
"""Blanks of word processors and ticket systems, and those without width."""


def normalise_blanks(text: str) -> str:
    """Read blanks of other kinds as blanks, and those without width as nothing.

    Args:
        text: of a line.

    Returns:
        The line with plain blanks only.
    """
    return text if text.isascii() else text.translate(_BLANKS)


@frozen(slots=True)
class ParsedLine:
    """What a layout read from one line."""

    layout: str
    message: str
    """The first line of the message."""
    timestamp: Timestamp | None = None
    level: str | None = None
    logger: str | None = None
    thread: str | None = None
    message_rest: tuple[str, ...] = ()
    """The message's other lines, where one physical line holds them all (JSON)."""
    tail_pattern: re.Pattern[str] | None = None
    """What may still stand at the end of a later line of the message."""
