"""Instances over time: states as bars, one row an instance, what went wrong as a flag."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from attrs import frozen

from statemachines.draw.axis import clock, ticks
from statemachines.draw.gathering import rows_of
from statemachines.draw.markup import breadth, number, plain, tag
from statemachines.draw.rows import Bar, Flag, Row, Rows
from statemachines.draw.shades import Shades
from statemachines.draw.svg import LINE, MARGIN, document
from statemachines.draw.thinning import heaped, thinned
from statemachines.model.durations import duration
from statemachines.model.machines import Machine
from statemachines.model.reports import Finding, Now, Step
from statemachines.model.verdicts import Verdict

ROW = 26.0
BAR = 18.0
FINEST = 0.8
"""Points of a bar that can still be seen."""
FLAG = 10.0
"""Points between two flags that can be told apart."""
NAME = 40
"""Letters of an instance's name; of a longer one the end is shown, which tells more."""
Looks = dict[tuple[str, str], str]
"""Machine and state, and the class of its bars."""
SIGNS = {Verdict.VIOLATED: "✗", Verdict.INCONCLUSIVE: "?", Verdict.HOLDS: "!"}


@frozen
class Scale:
    """From moments to places on the paper."""

    left: float
    right: float
    rows: Rows

    def x(self, moment: int) -> float:
        """Return the place of a moment, in points."""
        along = (moment - self.rows.first) / (self.rows.last - self.rows.first)
        return self.left + along * (self.right - self.left)

    def least(self, points: float) -> float:
        """Return the time that a number of points stands for."""
        return points * (self.rows.last - self.rows.first) / (self.right - self.left)


@frozen
class Placed:
    """A row on the paper."""

    row: Row
    top: float
    """Where its bars begin."""
    heads: bool
    """Whether the name of its machine stands above it."""


def timeline_svg(
    steps: Iterable[Step],
    *,
    findings: Iterable[Finding] = (),
    machines: Iterable[Machine] = (),
    now: Iterable[Now] = (),
    until: int | None = None,
    width: float = 960.0,
    most: int = 200,
) -> str:
    """Draw what instances did over time.

    Args:
        steps: rows of a report's timeline; an instance is a machine, a key and a process.
        findings: what is flagged; those without a time or without a row are left out.
        machines: those of the steps, for the order of their states and the colour of the way out.
        now: states at the end of the log, for those that no step tells of.
        until: the end of the log, epoch milliseconds; None: the last moment that any of these tells.
        width: CSS pixels.
        most: rows that are drawn; how many more there are is said.

    Returns:
        A whole SVG document, the same bytes for the same rows.

    Complexity: linear in the steps.
    """
    rows = rows_of(steps, findings, now, until)
    shown = rows.rows[:most]
    shades = Shades(machines)
    looks = {(row.machine, bar.state): shades.of(row.machine, bar.state) for row in rows.rows for bar in row.bars}
    left = MARGIN + max((breadth(_short(row.name)) for row in shown), default=0) + 10
    scale = Scale(left, width - MARGIN, rows)
    placed = _placed(shown)
    bottom = placed[-1].top + BAR + (ROW - BAR) / 2 if placed else MARGIN
    heads = (_heading(each.row, each.top) for each in placed if each.heads)
    drawn = (*_grid(scale, bottom), *heads, *(line for each in placed for line in _row(each.row, each.top, scale, looks)))
    keys = tuple(_keys(shades.given, {(row.machine, bar.state) for row in shown for bar in row.bars}, bottom + 40, width))
    end = bottom + 40 + LINE * len(keys)
    foot = tuple(_foot(rows, len(shown), end, width))
    return document("timeline", _description(rows), (width, end + MARGIN * bool(foot)), (*drawn, *keys, *foot))


def _grid(scale: Scale, bottom: float) -> Iterator[str]:
    rows = scale.rows
    room = max(2, int((scale.right - scale.left) / 90))
    marks = ticks(rows.first, rows.last, room) if rows.timed else ((rows.first, "first step"), (rows.last, "last"))
    for moment, text in marks:
        x = scale.x(moment)
        yield tag("path", class_="grid", d=f"M{number(x)} {number(MARGIN - 4)} V{number(bottom + 4)}")
        side = " right" if x > scale.right - 24 else ""
        yield tag("text", plain(text), class_=f"small{side}", x=x, y=bottom + 18)


def _placed(rows: tuple[Row, ...]) -> tuple[Placed, ...]:
    """Place rows below each other; where there are several machines, each has its name above its first row."""
    several = len({row.machine for row in rows}) > 1
    placed: list[Placed] = []
    y = MARGIN
    for place, row in enumerate(rows):
        heads = several and (place == 0 or rows[place - 1].machine != row.machine)
        y += ROW if heads else 0
        placed.append(Placed(row, y + (ROW - BAR) / 2, heads))
        y += ROW
    return tuple(placed)


def _heading(row: Row, top: float) -> str:
    return tag("text", tag("tspan", plain(row.machine), class_="title"), class_="small left", x=MARGIN, y=top - 8)


def _row(row: Row, top: float, scale: Scale, looks: Looks) -> Iterator[str]:
    name = _short(row.name)
    hint = tag("title", plain(f"{row.machine} {row.name}"))
    yield tag("text", hint, plain(name), class_="small right", x=scale.left - 8, y=top + 13)
    bars, flags = thinned(row.bars, scale.least(FINEST)), heaped(row.flags, scale.least(FLAG))
    yield from (_bar(bar, top, scale, looks.get((row.machine, bar.state), "many")) for bar in bars)
    yield from (_flag(flag, top, scale) for flag in flags)


def _bar(bar: Bar, top: float, scale: Scale, look: str) -> str:
    x, wide = scale.x(bar.first), max(scale.x(bar.last) - scale.x(bar.first), 1.5)
    held = f"\n{clock(bar.first, 1)}, {duration(bar.last - bar.first)}" if scale.rows.timed else ""
    drawn = [tag("title", plain(f"{bar.note}{held}")), tag("rect", x=x, y=top, width=wide, height=BAR, rx=min(3.0, wide / 3))]
    if breadth(bar.state) + 4 < wide:
        drawn.append(tag("text", plain(bar.state), class_="small", x=x + wide / 2, y=top + 13))
    looks = ("bar", look, *(() if bar.known else ("unknown",)), *(() if bar.told else ("untold",)))
    return tag("g", *drawn, class_=" ".join(looks))


def _flag(flag: Flag, top: float, scale: Scale) -> str:
    x = scale.x(flag.at)
    sign = tag("text", SIGNS[flag.verdict], class_="small", x=x, y=top + 13)
    disc = tag("circle", cx=x, cy=top + BAR / 2, r=7.0)
    note = tag("title", plain(f"{flag.kind}: {flag.note}"))
    return tag("g", note, disc, sign, class_=f"flag {flag.verdict.name.lower()}")


def _keys(looks: Looks, used: set[tuple[str, str]], y: float, width: float) -> Iterator[str]:
    """Write what the colours mean, one element a line of text."""
    rows: list[list[tuple[str, str]]] = [[]]
    for state, look in dict.fromkeys((state, look) for (machine, state), look in looks.items() if (machine, state) in used):
        if rows[-1] and sum(map(_key_width, (*rows[-1], (state, look)))) > width - 2 * MARGIN:
            rows.append([])
        rows[-1].append((state, look))
    for place, row in enumerate(rows):
        x = (width - sum(map(_key_width, row))) / 2
        yield tag("g", *_key_row(row, x, y + place * LINE))


def _key_row(row: list[tuple[str, str]], x: float, y: float) -> Iterator[str]:
    for key in row:
        yield tag("g", tag("rect", x=x, y=y - 10, width=16.0, height=12.0, rx=3.0), class_=f"bar {key[1]}")
        yield tag("text", plain(key[0]), class_="small left", x=x + 21, y=y)
        x += _key_width(key)


def _key_width(key: tuple[str, str]) -> float:
    return 21 + breadth(key[0]) + 14


def _foot(rows: Rows, shown: int, y: float, width: float) -> Iterator[str]:
    more = len(rows.rows) - shown
    texts = [f"{clock(rows.first, 86_400_000)}"] if rows.timed and rows.first >= 86_400_000 * 366 else []
    texts += [f"and {more:,} more instances"] if more else []
    if texts:
        yield tag("text", plain(" · ".join(texts)), class_="small", x=width / 2, y=y)


def _description(rows: Rows) -> str:
    """Return the picture in words: the last state of every instance, of at most a hundred."""
    ends = (f"{row.name}: {len(row.bars)} states, at last {row.bars[-1].state}." for row in rows.rows[:100] if row.bars)
    flags = sum(len(row.flags) for row in rows.rows)
    return " ".join((f"{len(rows.rows):,} instances over time, {flags:,} findings.", *ends))


def _short(name: str) -> str:
    return name if len(name) <= NAME else f"…{name[1 - NAME :]}"
