"""Generations that went back: a system that was wiped and made anew begins to count again, and what was before is over."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from attrs import frozen

from statemachines.conform.judged import Judged
from statemachines.conform.naming import generation_of, key_of, log_of
from statemachines.conform.observations import Position
from statemachines.conform.processes import Context
from statemachines.model.reports import Key

Told = tuple[Position, Position, int]
"""First and last line of an instance, and its generation."""


class Fall(NamedTuple):
    """Where a generation went back."""

    where: Position
    last: Position
    """The last line of the generation before."""
    before: int
    after: int


@frozen
class Eras:
    """Where generations went back, by system."""

    breaks: Mapping[int, tuple[Position, ...]]
    said: tuple[tuple[int, str], ...]
    """Process, and what happened there in words."""

    def of(self, context: Context, one: Judged) -> int:
        """Return the era of an instance: so many times its system was made anew until its first line; 0 where nothing orders instances."""
        if one.began is None or log_of(context.plan, one.owner).generation is None:
            return 0
        return bisect_right(self.breaks.get(context.system(one.processes[0]), ()), one.began)

    def ended(self, context: Context, one: Judged) -> Position | None:
        """Return where the era of an instance ended; None while it goes on."""
        breaks, era = self.breaks.get(context.system(one.processes[0]) if one.processes else 0, ()), self.of(context, one)
        orders = log_of(context.plan, one.owner).generation is not None
        return breaks[era] if orders and era < len(breaks) else None


def eras_of(context: Context, judged: Sequence[Judged]) -> Eras:
    """Find where a process tells a lower generation of the same carrier after all that it told of a higher one, and none of that again.

    Who carries a generation (a machine that leads, a term of office) only ever counts up, and knows its own: it is another's first line, or
    the same one's after everything was lost. What two carriers tell may be late, and says nothing.

    Complexity: that of sorting the instances.
    """
    told: dict[tuple[int, str, Key], list[Told]] = defaultdict(list)
    for one in judged:
        name = log_of(context.plan, one.owner).generation
        generation = generation_of(context, one.owner, one.key) if name else None
        if name and isinstance(generation, int) and one.began is not None and one.heard is not None:
            told[one.processes[0], name, _carrier(context, one)].append((one.began, one.heard, generation))
    falls = sorted((process, fall, name) for (process, name, _), lives in told.items() for fall in _falls(sorted(lives)))
    said = dict.fromkeys((process, _words(name, fall)) for process, fall, name in falls)
    return Eras(_breaks((context.system(process), fall) for process, fall, _ in falls), tuple(said))


def _breaks(falls: Iterable[tuple[int, Fall]]) -> dict[int, tuple[Position, ...]]:
    """Return where each system was made anew; what several tell of one time is one."""
    found: dict[int, tuple[Position, ...]] = {}
    for system, fall in sorted(falls):
        before = found.get(system, ())
        if not before or fall.last > before[-1]:
            found[system] = (*before, fall.where)
    return found


def _carrier(context: Context, one: Judged) -> Key:
    """Return who counts: the fields of the key that name neither the subject nor the generation."""
    log = log_of(context.plan, one.owner)
    return tuple(field for field in key_of(context, one.owner, one.key) if field[0] not in (*log.subject, log.generation))


def _falls(lives: Sequence[Told]) -> Iterator[Fall]:
    """Yield where the generation went back."""
    top, last = lives[0][2], lives[0][1]
    for first, heard, generation in lives[1:]:
        if generation < top and first > last:
            yield Fall(first, last, top, generation)
        elif generation < top:
            continue
        top, last = generation, max(heard, last) if generation == top else heard


def _words(name: str, fall: Fall) -> str:
    went = f"{name} went back from {fall.before} to {fall.after} in line {fall.where.line}"
    return f"{went}: the system was wiped and made anew, or the logs of two lie together"
