"""Instances over time: states as bars, one row an instance, what went wrong as a flag."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence

from attrs import evolve, frozen

from statemachines.draw.svg.svg_document import LINE_HEIGHT, MARGIN, svg_document
from statemachines.draw.timelines.row_gathering import timeline_rows
from statemachines.draw.timelines.state_shades import StateShades
from statemachines.draw.timelines.thinning import merged_flags, thinned_bars
from statemachines.draw.timelines.time_axis import axis_time, ticks
from statemachines.draw.timelines.timeline_rows import (
    FindingFlag,
    InstanceId,
    StateBar,
    TimelineRow,
    TimelineRows,
)
from statemachines.draw.xml_markup import element, escaped_text, estimated_width, short_number
from statemachines.model.definitions.machine_definitions import MachineDefinition
from statemachines.model.evidence.durations import format_duration
from statemachines.model.evidence.moments import DAY_MS
from statemachines.model.evidence.reports import CurrentState, Finding, TimelineStep
from statemachines.model.evidence.verdicts import Verdict

_ROW_HEIGHT = 26.0
_BAR_HEIGHT = 18.0
_FINEST_BAR = 0.8
"""Points of a bar that can still be seen."""
_FLAG_DISTANCE = 10.0
"""Points between two flags that can be told apart."""
LONGEST_NAME = 40
"""Letters of an instance's name; of a longer one the end is shown, which tells more, or where it
differs from those of the same end.
"""
_BEFORE_DIFFERENCE = 8
"""Letters that are shown before the place where long names differ."""
_StateClasses = dict[tuple[str, str], str]
"""Machine and state, and the class of its bars."""
VERDICT_SIGNS = {Verdict.VIOLATED: "✗", Verdict.INCONCLUSIVE: "?", Verdict.HOLDS: "!"}


@frozen
class _TimeScale:
    """From moments to places on the paper."""

    left: float
    right: float
    rows: TimelineRows

    def x(self, moment: int) -> float:
        """Return the place of a moment, in points."""
        along = (moment - self.rows.first) / (self.rows.last - self.rows.first)
        return self.left + along * (self.right - self.left)

    def duration_of(self, points: float) -> float:
        """Return the time that a number of points stands for."""
        return points * (self.rows.last - self.rows.first) / (self.right - self.left)


@frozen
class _PlacedRow:
    """A row on the paper."""

    row: TimelineRow
    name: str
    """As it stands beside the bars."""
    top: float
    """Where its bars begin."""
    has_heading: bool
    """Whether the name of its machine stands above it."""


def timeline_svg(
    steps: Iterable[TimelineStep],
    *,
    findings: Iterable[Finding] = (),
    machines: Iterable[MachineDefinition] = (),
    now: Iterable[CurrentState] = (),
    until: int | None = None,
    width: float = 960.0,
    most: int = 200,
    names: Callable[[InstanceId], str] | None = None,
) -> str:
    """Draw what instances did over time.

    Args:
        steps: rows of a report's timeline; an instance is a machine, a key and a process.
        findings: what is flagged; those without a time or without a row are left out.
        machines: those of the steps, for the order of their states and the colour of the way out.
        now: states at the end of the log, for those that no step tells of.
        until: the end of the log, epoch milliseconds; None: the last moment that any of these
            tells.
        width: CSS pixels.
        most: rows that are drawn; how many more there are is said.
        names: what people call an instance; where nothing: the values of its key.

    Returns:
        A whole SVG document, the same bytes for the same rows.

    Complexity: linear in the steps.
    """
    rows = timeline_rows(steps, findings, now, until)
    if names is not None:
        named = tuple(evolve(row, name=names(row.instance) or row.name) for row in rows.rows)
        rows = evolve(rows, rows=named)
    shown = rows.rows[:most]
    shades = StateShades(machines)
    looks = {
        (row.machine, bar.state): shades.shade(row.machine, bar.state)
        for row in rows.rows
        for bar in row.bars
    }
    short = shortened_names([row.name for row in shown])
    left = MARGIN + max(map(estimated_width, short), default=0) + 10
    scale = _TimeScale(left, width - MARGIN, rows)
    placed = _placed_rows(shown, short)
    bottom = placed[-1].top + _BAR_HEIGHT + (_ROW_HEIGHT - _BAR_HEIGHT) / 2 if placed else MARGIN
    heads = (_machine_heading(place.row, place.top) for place in placed if place.has_heading)
    elements = (
        *_grid_elements(scale, bottom),
        *heads,
        *(line for place in placed for line in _row_elements(place, scale, looks)),
    )
    states = {(row.machine, bar.state) for row in shown for bar in row.bars}
    keys = tuple(_key_elements(shades.given, states, bottom + 40, width))
    end = bottom + 40 + LINE_HEIGHT * len(keys)
    foot = tuple(_footer_elements(rows, len(shown), end, width))
    return svg_document(
        "timeline",
        _timeline_description(rows),
        (width, end + MARGIN * bool(foot)),
        (*elements, *keys, *foot),
    )


def _grid_elements(scale: _TimeScale, bottom: float) -> Iterator[str]:
    rows = scale.rows
    room = max(2, int((scale.right - scale.left) / 90))
    signs = (
        ticks(rows.first, rows.last, room)
        if rows.timed
        else ((rows.first, "first step"), (rows.last, "last"))
    )
    for moment, text in signs:
        x = scale.x(moment)
        yield element(
            "path",
            class_="grid",
            d=f"M{short_number(x)} {short_number(MARGIN - 4)} V{short_number(bottom + 4)}",
        )
        side = " right" if x > scale.right - 24 else ""
        yield element("text", escaped_text(text), class_=f"small{side}", x=x, y=bottom + 18)


def _placed_rows(rows: tuple[TimelineRow, ...], names: Sequence[str]) -> tuple[_PlacedRow, ...]:
    """Place rows below each other; where there are several machines, each has its name above its
    first row.
    """
    several = len({row.machine for row in rows}) > 1
    placed: list[_PlacedRow] = []
    y = MARGIN
    for index, row in enumerate(rows):
        heads = several and (index == 0 or rows[index - 1].machine != row.machine)
        y += _ROW_HEIGHT if heads else 0
        placed.append(_PlacedRow(row, names[index], y + (_ROW_HEIGHT - _BAR_HEIGHT) / 2, heads))
        y += _ROW_HEIGHT
    return tuple(placed)


def _machine_heading(row: TimelineRow, top: float) -> str:
    return element(
        "text",
        element("tspan", escaped_text(row.machine), class_="title"),
        class_="small left",
        x=MARGIN,
        y=top - 8,
    )


def _row_elements(place: _PlacedRow, scale: _TimeScale, looks: _StateClasses) -> Iterator[str]:
    row, top = place.row, place.top
    hint = element("title", escaped_text(f"{row.machine} {row.name}"))
    yield element(
        "text", hint, escaped_text(place.name), class_="small right", x=scale.left - 8, y=top + 13
    )
    bars, flags = (
        thinned_bars(row.bars, scale.duration_of(_FINEST_BAR)),
        merged_flags(row.flags, scale.duration_of(_FLAG_DISTANCE)),
    )
    yield from (
        _bar_element(bar, top, scale, looks.get((row.machine, bar.state), "many")) for bar in bars
    )
    yield from (_flag_element(flag, top, scale) for flag in flags)


def _bar_element(bar: StateBar, top: float, scale: _TimeScale, style: str) -> str:
    x, wide = scale.x(bar.first), max(scale.x(bar.last) - scale.x(bar.first), 1.5)
    held = (
        f"\n{axis_time(bar.first, 1)}, {format_duration(bar.last - bar.first)}"
        if scale.rows.timed
        else ""
    )
    elements = [
        element("title", escaped_text(f"{bar.note}{held}")),
        element("rect", x=x, y=top, width=wide, height=_BAR_HEIGHT, rx=min(3.0, wide / 3)),
    ]
    if estimated_width(bar.state) + 4 < wide:
        elements.append(
            element("text", escaped_text(bar.state), class_="small", x=x + wide / 2, y=top + 13)
        )
    looks = (
        "bar",
        style,
        *(() if bar.known else ("unknown",)),
        *(() if bar.observed else ("untold",)),
    )
    return element("g", *elements, class_=" ".join(looks))


def _flag_element(flag: FindingFlag, top: float, scale: _TimeScale) -> str:
    x = scale.x(flag.at)
    sign = element("text", VERDICT_SIGNS[flag.verdict], class_="small", x=x, y=top + 13)
    disc = element("circle", cx=x, cy=top + _BAR_HEIGHT / 2, r=7.0)
    note = element("title", escaped_text(f"{flag.kind}: {flag.note}"))
    return element("g", note, disc, sign, class_=f"flag {flag.verdict.name.lower()}")


def _key_elements(
    looks: _StateClasses, used: set[tuple[str, str]], y: float, width: float
) -> Iterator[str]:
    """Write what the colours mean, one element a line of text."""
    rows: list[list[tuple[str, str]]] = [[]]
    for state, style in dict.fromkeys(
        (state, style) for (machine, state), style in looks.items() if (machine, state) in used
    ):
        if rows[-1] and sum(map(_key_width, (*rows[-1], (state, style)))) > width - 2 * MARGIN:
            rows.append([])
        rows[-1].append((state, style))
    for index, row in enumerate(rows):
        x = (width - sum(map(_key_width, row))) / 2
        yield element("g", *_key_row_elements(row, x, y + index * LINE_HEIGHT))


def _key_row_elements(row: list[tuple[str, str]], x: float, y: float) -> Iterator[str]:
    for key in row:
        yield element(
            "g",
            element("rect", x=x, y=y - 10, width=16.0, height=12.0, rx=3.0),
            class_=f"bar {key[1]}",
        )
        yield element("text", escaped_text(key[0]), class_="small left", x=x + 21, y=y)
        x += _key_width(key)


def _key_width(key: tuple[str, str]) -> float:
    return 21 + estimated_width(key[0]) + 14


def _footer_elements(rows: TimelineRows, shown: int, y: float, width: float) -> Iterator[str]:
    more = len(rows.rows) - shown
    texts = (
        [f"{axis_time(rows.first, DAY_MS)}"] if rows.timed and rows.first >= DAY_MS * 366 else []
    )
    texts += [f"and {more:,} more instances"] if more else []
    if texts:
        yield element("text", escaped_text(" · ".join(texts)), class_="small", x=width / 2, y=y)


def _timeline_description(rows: TimelineRows) -> str:
    """Return the picture in words: the last state of every instance, of at most a hundred."""
    ends = (
        f"{row.name}: {len(row.bars)} states, at last {row.bars[-1].state}."
        for row in rows.rows[:100]
        if row.bars
    )
    flags = sum(len(row.flags) for row in rows.rows)
    return " ".join((f"{len(rows.rows):,} instances over time, {flags:,} findings.", *ends))


def shortened_names(names: Sequence[str]) -> list[str]:
    """Shorten names for a picture; what differs still differs.

    Args:
        names: of instances, in the order of their rows.

    Returns:
        As many names, of some 40 letters at most: the end of a long one, or the place where it
        differs from others of the same end; numbered where that does not tell them apart either.

    Complexity: linear in the letters.
    """
    short = {name: _end_of(name) for name in names}
    for alike in _alike(short):
        begin = max(0, _first_difference(min(alike), max(alike)) - _BEFORE_DIFFERENCE)
        short |= {name: _cut_around(name, begin) for name in alike}
    for alike in _alike(short):
        short |= {name: f"{short[name]} ({place})" for place, name in enumerate(alike, 1)}
    return [short[name] for name in names]


def _first_difference(name: str, other: str) -> int:
    pairs = enumerate(zip(name, other, strict=False))
    return next((place for place, (a, b) in pairs if a != b), min(len(name), len(other)))


def _alike(short: dict[str, str]) -> list[list[str]]:
    """Return the names that look the same once they are shortened."""
    groups: dict[str, list[str]] = defaultdict(list)
    for name, shown in short.items():
        groups[shown].append(name)
    return [group for group in groups.values() if len(group) > 1]


def _end_of(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"…{name[1 - LONGEST_NAME :]}"


def _cut_around(name: str, begin: int) -> str:
    """Show what stands from some letter on, as far as there is room."""
    room = LONGEST_NAME - 2
    part = name[begin : begin + room]
    return f"{'…' if begin else ''}{part}{'…' if begin + room < len(name) else ''}"
