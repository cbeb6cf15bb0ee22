"""What came of an instance, said of another one whose lines say the same: with that one's key,
times, lines and texts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from attrs import field

from statemachines.conform.interchange.judgements import (
    EpisodePoint,
    InstanceJudgement,
    RowCounts,
    StatePoint,
    StepRow,
)
from statemachines.conform.interchange.observations import Position
from statemachines.conform.interchange.packed_rows import (
    AlikeRows,
    PackableRows,
    RowPacker,
    model_of,
)
from statemachines.conform.interchange.variants import FirstLine, Variant
from statemachines.conform.settle.judging_context import InstanceIdentity, JudgingContext
from statemachines.model.values import define


class VariantLines(NamedTuple):
    """The lines of one instance, column by column."""

    context: JudgingContext
    file: int
    lines: Sequence[int]
    at: Sequence[int]
    reached: Sequence[int]
    words: Sequence[int]
    """What each line says, as a number."""
    text: Callable[[int], str]
    """Returns the text of a line."""

    def position(self, index: int) -> Position:
        """Return where a line stands in its process."""
        at, reached = self.at[index], self.reached[index]
        reached = at if at == reached else reached  # mostly: one number less to keep
        return self.context.line_position(self.file, None, reached, self.lines[index])


@define
class JudgedVariant:
    """What came of an instance, and of which of its lines."""

    judgement: InstanceJudgement
    rows: tuple[tuple[int, int | None, StepRow], ...]
    """Each with the index of its line, and that of the line that named the state that it left."""
    counts: RowCounts
    states: tuple[int | None, int | None, int | None]
    """The indexes of the lines of `since`, `before` and `first_since`."""
    points: tuple[int, ...]
    """Those of the points of episodes."""
    last: int
    """That of the last line that was judged."""
    is_over: bool
    """Whether a line told its end, whatever became of its process."""
    variant: Variant | None = None
    """Others that went it and have no judgements; None: there is none yet."""

    _alike: AlikeRows | None = field(init=False, default=None)

    def rows_alike(self) -> AlikeRows | None:
        """Return the rows as those of others are like them; None where they quote their lines."""
        if self._alike is None and not any(row.text is not None for _, _, row in self.rows):
            self._alike = AlikeRows(tuple(model_of(row) for _, _, row in self.rows))
        return self._alike

    def points_of(self, lines: VariantLines) -> tuple[int, int, int, int]:
        """Return since which lines others are where they are, as in `InstanceGroup.points`."""
        now, _, first = self.states
        if now is None:
            return 0, 0, 0, 0
        first = now if first is None else first
        return lines.at[now], lines.lines[now], lines.at[first], lines.lines[first]

    def judgement_of(self, who: InstanceIdentity, lines: VariantLines) -> InstanceJudgement:
        """Return what comes of another instance that went the same way.

        Args:
            who: that one.
            lines: its lines.
        """
        model, end = self.judgement, lines.position(len(lines.at) - 1)
        now, before, first = self.states
        since = _moved_point(model.since, now, lines)
        places = zip(model.episode_points, self.points, strict=True)
        return model._replace(
            key=who[2],
            since=since,
            before=_moved_point(model.before, before, lines),
            first_since=(since if first == now else _moved_point(model.first_since, first, lines)),
            episode_points=tuple(_moved_episode(point, index, lines) for point, index in places),
            last_position=end if self.last == len(lines.at) - 1 else lines.position(self.last),
            last_heard=end,
            first_line=self._first_line(lines),
            first_position=lines.position(0),
        )

    def _first_line(self, lines: VariantLines) -> tuple[int, int, str] | None:
        """Return the first line; nothing where it stands behind that of the model, for the first of
        all is asked for, and texts are what takes room.
        """
        known, first = self.judgement.first_line, lines.lines[0]
        if known is not None and known[1] < first:
            return None
        return lines.file, first, lines.text(0)


def earlier_line(known: FirstLine | None, lines: VariantLines) -> FirstLine | None:
    """Return the first line of all that are known and of another one, whose file is the same."""
    if known is not None and known[1] < lines.lines[0]:
        return known
    return lines.file, lines.lines[0], lines.text(0)


def _moved_point(
    point: StatePoint | None, index: int | None, lines: VariantLines
) -> StatePoint | None:
    if point is None or index is None:
        return None
    states, _, zone, process, file, _, by_step = point
    moved = states, lines.at[index], zone, process, file, lines.lines[index], by_step
    return tuple.__new__(StatePoint, moved)  # half the time of its constructor


def _moved_episode(point: EpisodePoint, index: int, lines: VariantLines) -> EpisodePoint:
    at, line, text = lines.at[index], lines.lines[index], lines.text(index)
    return point._replace(at=at, line=line, text=text)


def _moved_row(row: StepRow, index: int, named: int | None, lines: VariantLines) -> StepRow:
    life, _, zone, source, target, how, process, file, _, quoted, values, _ = row
    since = None if named is None else lines.at[named]
    text = None if quoted is None else lines.text(index)
    at, line = lines.at[index], lines.lines[index]
    moved = life, at, zone, source, target, how, process, file, line, text, values, since
    return tuple.__new__(StepRow, moved)  # a third of the time of `_replace`


class VariantRows(PackableRows):
    """The rows of an instance that went as another one, each made when it is asked for."""

    def __init__(self, judged: JudgedVariant, lines: VariantLines) -> None:
        self._judged, self._lines = judged, lines

    def __len__(self) -> int:
        return len(self._judged.rows)

    def value_at(self, place: int) -> StepRow:
        """Return one row."""
        at, named, row = self._judged.rows[place]
        return _moved_row(row, at, named, self._lines)

    def counts(self) -> RowCounts:
        """Return what is counted of them."""
        return self._judged.counts

    def pack_into(self, packer: RowPacker, most: int) -> Iterator[int]:
        """Give the rows to a packer, all at once, for they are few."""
        rows, alike = self._judged.rows, self._judged.rows_alike()
        if alike is None:
            packer.add_rows(self)
        elif rows:
            at, lines = self._lines.at, self._lines.lines
            packer.add_alike(
                alike,
                [at[place] for place, _, _ in rows],
                [lines[place] for place, _, _ in rows],
                [0 if named is None else at[named] for _, named, _ in rows],
            )
        if rows:
            yield len(rows)
