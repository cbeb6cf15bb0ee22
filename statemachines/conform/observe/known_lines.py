"""What every line of one form tells, but for the parts of the line that it quotes."""

from __future__ import annotations

from attrs import frozen

from statemachines.conform.interchange.observations import Observation
from statemachines.conform.interchange.profiles import LineSignature
from statemachines.conform.observe.line_slots import Slot


@frozen(slots=True)
class ObservationForm:
    """An observation of which the line, its time and what it quotes are left open."""

    owner: int
    zone: str
    key: Slot
    rest: Slot
    """Readings, reason, life, number, the number before, and what is remembered."""

    def observation(
        self, text: str, file: int, line: int, reached: int | None, at_ms: int
    ) -> Observation:
        """Return what a line tells."""
        readings, reason, life, number, previous, known_by = self.rest(text)
        told = reached, at_ms, self.zone, text, reason, life, number, None, None, previous, ""
        fields = self.owner, self.key(text), readings, file, None, line, *told, known_by
        return tuple.__new__(Observation, fields)  # half the time of its constructor


@frozen(slots=True, eq=False)
class KnownLine:
    """What the lines of a form tell; each form is a thing of its own."""

    layout: str = ""
    is_wordless: bool = False
    """Whether its lines hit by their logger alone: they are no records that are read."""
    is_unread: bool = False
    """Whether nothing reads its lines although they hold a word."""
    logger: str | None = None
    """Of lines that nothing reads."""
    signatures: tuple[LineSignature, ...] = ()
    levels: tuple[tuple[tuple[int, str], int], ...] = ()
    process_names: tuple[tuple[str, Slot], ...] = ()
    """Family, and the value of its process field."""
    generations: tuple[Slot, ...] = ()
    """Field, carrier, value and generation that a line tells."""
    observations: tuple[ObservationForm, ...] = ()

    @property
    def tells_of_process(self) -> bool:
        """Whether its lines tell a name of their process, or a generation."""
        return bool(self.process_names or self.generations)
