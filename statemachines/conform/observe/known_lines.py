"""What every line of one form reports, but for the parts of the line that it quotes."""

from __future__ import annotations

from typing import NamedTuple

from statemachines.conform.interchange.doubled_lines import LineSignature
from statemachines.conform.observe.line_slots import Slot
from statemachines.logs.records.line_clocks import LineClock
from statemachines.model.values import frozen


class ProcessWords(NamedTuple):
    """What a line tells of its process."""

    names: tuple[tuple[str, str], ...]
    """Family, and the value of its process field."""
    generations: tuple[tuple[str, str, str, str], ...]
    """Field, carrier, value and generation."""


@frozen(slots=True)
class ObservationForm:
    """An observation of which the line, its time and what it quotes are left open."""

    owner: int
    key: Slot
    words: Slot
    """A `LineWords`."""


@frozen(slots=True)
class AbroadForm:
    """An observation of many instances of which the line and its time are left open."""

    form: ObservationForm
    others: Slot
    """What it is about, and the keys of those that it names itself; as `Observation` has them."""


@frozen(slots=True, eq=False)
class KnownLine:
    """What the lines of a form tell; each form is a thing of its own."""

    clock: LineClock
    layout: str = ""
    is_wordless: bool = False
    """Whether its lines hit by their logger alone: they are no records that are read."""
    is_unread: bool = False
    """Whether nothing reads its lines although they hold a word."""
    logger: str | None = None
    """Of lines that nothing reads."""
    signatures: tuple[LineSignature, ...] = ()
    levels: tuple[tuple[tuple[int, str], int], ...] = ()
    process: Slot | None = None
    """What its lines tell of their process, a `ProcessWords`; None where they tell nothing."""
    observations: tuple[ObservationForm, ...] = ()
    process_events: Slot | None = None
    """What its lines tell of their process as a whole: kinds, machines and releases, as
    `ProcessEvent` has them; None where they tell nothing.
    """
    abroad: tuple[AbroadForm, ...] = ()
    warning_level: str = ""
    warning_message: str = ""
    is_whole: bool = False

    @property
    def notes_lines(self) -> bool:
        """Whether each of its lines goes into the profile of its piece by itself."""
        return (
            self.process_events is not None
            or bool(self.abroad)
            or (self.is_unread and bool(self.warning_level))
        )
