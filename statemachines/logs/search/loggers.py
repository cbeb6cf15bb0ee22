"""The loggers whose lines somebody knows: what to look for in bytes, and whose line a record is."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from attrs import field

from statemachines.logs.search.literal_sets import LiteralSet
from statemachines.model.values import define

_NAME_PREFIXES = (".", " ", "[", "(", '"')
"""What stands before the last part of a logger's name: of a longer name, or where a layout writes
nothing but it.
"""
_SHORTEST_NAME = 4
"""Characters; a logger without dots whose name is shorter stands in most lines of most logs."""


@define
class Loggers:
    """Loggers by their whole names, and the words by which lines are read: a line of theirs without
    any is read by nobody.
    """

    names: tuple[str, ...]
    line_literals: LiteralSet
    _full_names: dict[str, str | None] = field(factory=dict, init=False)

    @cached_property
    def scan_literals(self) -> tuple[bytes, ...]:
        """What a scanner has to look for: of a name with packages, which layouts shorten, the last
        part behind what may stand before it.
        """
        ends = {
            before + name[name.rindex(".") + 1 :]
            for name in self.names
            if "." in name[1:-1]
            for before in _NAME_PREFIXES
        }
        plain = {name for name in self.names if "." not in name[1:-1]}
        return tuple(sorted(end.encode() for end in ends | plain if len(end) >= _SHORTEST_NAME))

    def full_name(self, written: str | None) -> str | None:
        """Return the logger that a line tells, perhaps shortened; None if it tells none.

        Args:
            written: as the line has it.

        Returns:
            The first of the known names that it may stand for; None where there is none.
        """
        if written is None:
            return None
        if written not in self._full_names:
            self._full_names[written] = next(
                (name for name in self.names if written == name or is_abbreviation(written, name)),
                None,
            )
        return self._full_names[written]

    def has_line_literal(self, *texts: str) -> bool:
        """Say whether one of some texts holds a word by which lines are read.

        Args:
            *texts: parts of a record.

        Returns:
            True where a line of a spec may read it.
        """
        return any(self.line_literals.found_in(text) for text in texts)


def make_loggers(names: Iterable[str], line_literals: LiteralSet) -> Loggers:
    """Return the loggers of some names.

    Args:
        names: whole ones.
        line_literals: one of every line that is read.

    Returns:
        A look-up of whole names by what layouts write of them.
    """
    return Loggers(tuple(sorted(set(names))), line_literals)


def is_abbreviation(name: str, logger: str) -> bool:
    """Say whether a logger's name is an abbreviation of another's: packages shortened or cut off,
    the class whole.

    Args:
        name: as a layout writes it.
        logger: a whole name.

    Returns:
        True where the first may stand for the second.
    """
    short, full = name.split("."), logger.split(".")
    if len(short) > len(full) or short[-1] != full[-1]:
        return False
    pairs = list(zip(reversed(short[:-1]), reversed(full[:-1]), strict=False))
    return all(
        whole.startswith(part) or (index == len(pairs) - 1 and whole.endswith(part))
        for index, (part, whole) in enumerate(pairs)
    )
