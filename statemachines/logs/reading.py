"""What a layout reads from one line."""

from __future__ import annotations

import re

from attrs import frozen

from statemachines.logs.times import Moment


@frozen(slots=True)
class Reading:
    """What a layout read from one line."""

    layout: str
    message: str
    """The first line of the message."""
    moment: Moment | None = None
    level: str | None = None
    logger: str | None = None
    thread: str | None = None
    rest: tuple[str, ...] = ()
    """The message's other lines, where one physical line holds them all (JSON)."""
    tail: re.Pattern[str] | None = None
    """What may still stand at the end of a later line of the message."""
