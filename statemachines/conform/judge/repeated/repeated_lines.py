"""Lines of one instance that say what lines before them said where it was known to be just so: they
prove the same, and what is found is counted already, so each is a look-up.

`JudgementPass` judges any line by itself, and is the reference.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import islice

from attrs import field

from statemachines.conform.columns.column_lines import ColumnLines
from statemachines.conform.columns.stored_columns import AT, NO_WORDS, WORDS
from statemachines.conform.interchange.judgements import RememberedFields, StatePoint, StepRow
from statemachines.conform.interchange.observations import LineReading, Observation, Position
from statemachines.conform.judge.checks.state_check import RESTART_MS
from statemachines.conform.judge.instance.instance_judge import InstanceJudge
from statemachines.conform.judge.repeated.line_effects import (
    BeforeLine,
    JudgedState,
    LineEffect,
    RepeatedRows,
    go_to,
    state_of,
)
from statemachines.conform.judge.tables.episode_tracker import EpisodeTracker
from statemachines.model.values import define

_MOST_EFFECTS = 10_000
"""Effects that are remembered of one instance."""
_MORE_THAN_WORDS = -1
"""What a line says that counts by more than its words."""

_Said = tuple[int, "str | None", tuple[LineReading, ...], str, "tuple[tuple[str, str], ...] | None"]
"""A file, a prefix, and what a line says there."""
_Columns = tuple[Sequence[int], Sequence["int | None"]]
"""What some lines say, by its index, and when."""
_ANOTHER_STRETCH = object()
"""Between other steps than those that are known."""


@define
class RepeatedLines:
    """Learns what came of lines of one instance, and takes those that repeat them."""

    judge: InstanceJudge
    tracker: EpisodeTracker
    is_quoted: bool
    """Whether rows quote their lines."""
    processes: dict[int, None]
    """Gathers those that tell of the instance."""
    _states: dict[JudgedState, int] = field(init=False, factory=dict)
    _word_indexes: dict[_Said, int] = field(init=False, factory=dict)
    _effects: dict[tuple[int, int, bool], LineEffect] = field(init=False, factory=dict)
    """By the state before, what is said, and whether it is said soon."""
    _looked_up: dict[type, tuple[Sequence[Observation], _Columns]] = field(init=False, factory=dict)
    """The last lines of a kind."""

    def learn(self, observation: Observation, judged: Callable[[], list[StepRow]]) -> list[StepRow]:
        """Judge a line, and remember what came of it, where all of that is counted.

        Args:
            observation: the line.
            judged: judges it, and returns its rows.
        """
        judge, tracker = self.judge, self.tracker
        if not self._may_repeat(observation):
            return judged()
        key = self._index(state_of(judge, tracker)), self._said_index(observation)
        soon = _is_soon(judge.point, observation.at)
        before = BeforeLine(judge, tracker)
        with judge.finding_list.noting(before.counted):
            rows = judged()
        effect = before.effect(rows, self._index(state_of(judge, tracker)))
        if effect is not None:
            self._effects[*key, soon] = effect
        if len(self._effects) + len(self._word_indexes) + len(self._states) > _MOST_EFFECTS:
            self._forget()
        return rows

    def _forget(self) -> None:
        for known in (self._states, self._word_indexes, self._effects):
            known.clear()
        self._looked_up.clear()

    def _may_repeat(self, observation: Observation) -> bool:
        """Say whether what comes of a line follows from the state and from what the line says."""
        judge, where = self.judge, self.judge.line_before.place
        process = judge.context.process_index(observation)
        return (
            (where is None or where[0] == process)
            and not self.tracker.has_replaceable
            and _says_words_only(observation)
            and self._is_of_same_run(process, observation)
        )

    def _is_of_same_run(self, process: int, line: Observation) -> bool:
        """Say whether no run of a process begins between the line before and a line, and what comes
        of the line is the same in all runs; in the last one it may be what only that run knows.
        """
        judge = self.judge
        fit = judge.context.processes[process].only_fit(judge.owner, judge.spec.family.name)
        if fit == -1:
            return False
        start = self._next_start(process, line)
        if start is None:
            return True
        is_of_one_class = len(judge.tables.fitting_classes(judge.owner, fit)) < 2
        return is_of_one_class and judge.context.position(line) <= start

    def _next_start(self, process: int, line: Observation) -> Position | None:
        """Return where the next run of a process begins behind the line before, or behind a line
        that has none before it.
        """
        context, where = self.judge.context, self.judge.line_before.place
        starts = context.processes[process].possible_starts
        if not starts:
            return None
        place = bisect_right(starts, where[1] if where is not None else context.position(line))
        return starts[place] if place < len(starts) else None

    def _end_of_run(self, lines: Sequence[Observation], start: int, end: int) -> int:
        """Return the place behind those of some lines, the first of which may be judged, before
        which no run of their process begins.
        """
        context = self.judge.context
        begins = self._next_start(context.process_index(lines[start]), lines[start])
        if begins is None:
            return end
        places = range(start, end)
        return start + bisect_right(places, begins, key=lambda at: context.position(lines[at]))

    def _index(self, state: JudgedState) -> int:
        return self._states.setdefault(state, len(self._states))

    def _said_index(self, line: Observation) -> int:
        words = line.file, line.unit, line.readings, line.reason, line.about
        return self._word_indexes.setdefault(words, len(self._word_indexes))

    # ----------------------------------------------------------------------------------------------
    # taking

    def take(
        self, lines: Sequence[Observation], start: int, remembered: RememberedFields
    ) -> RepeatedRows | None:
        """Judge the lines that repeat others with which some lines go on.

        Args:
            lines: of the instance, in an order that is certain.
            start: index of the first that is not judged yet.
            remembered: takes the fields by which the instance is known.

        Returns:
            The rows of those that were judged; None where the first one repeats none.
        """
        if not self._effects or start >= len(lines) or not self._may_repeat(lines[start]):
            return None
        effects = self._effects_of(lines, start)
        if not effects:
            return None
        end, judge = self._end_of_run(lines, start, start + len(effects)), self.judge
        del effects[end - start :]
        part = lines.part(start, end) if isinstance(lines, ColumnLines) else lines[start:end]
        rows = RepeatedRows(part, effects, judge.incarnation, is_quoted=self.is_quoted)
        _remember(remembered, part, effects, judge.incarnation)
        self._apply(rows, effects)
        return rows

    def _effects_of(self, lines: Sequence[Observation], start: int) -> list[LineEffect]:
        """Return what comes of the lines from a place on, as far as it is known."""
        state = self._states.get(state_of(self.judge, self.tracker), -1)
        known, effects = self._effects.get, list[LineEffect]()
        point, stretch = self.judge.point, self.judge.finding_list.stretch
        since = point.at if point is not None else None
        indexes, times = self._columns(lines)
        for words, at in zip(
            islice(indexes, start, None), islice(times, start, None), strict=False
        ):
            soon = since is not None and at is not None and at - since <= RESTART_MS
            effect = known((state, words, soon))
            if effect is None or (effect.stretch is not None and effect.stretch is not stretch):
                break
            effects.append(effect)
            state = effect.after
            if effect.moves:
                since = at if effect.point is not None else None
            if effect.separates:
                stretch = _ANOTHER_STRETCH  # what is listed anew here has to be judged
        return effects

    def _columns(self, lines: Sequence[Observation]) -> _Columns:
        known = self._looked_up.get(type(lines))
        if known is None or known[0] is not lines:
            of = (
                self._said_by_columns(lines)
                if isinstance(lines, ColumnLines)
                else self._said_by(lines)
            )
            known = self._looked_up[type(lines)] = lines, of
        return known[1]

    def _said_by(self, lines: Sequence[Observation]) -> _Columns:
        says_more = _MORE_THAN_WORDS
        indexes = [
            self._said_index(line) if _says_words_only(line) else says_more for line in lines
        ]
        return indexes, [line.at for line in lines]

    def _said_by_columns(self, lines: ColumnLines) -> _Columns:
        words, codes = lines.stored.words, lines.rows[:, WORDS].tolist()
        indexes = {NO_WORDS: _MORE_THAN_WORDS}
        for code in set(codes) - {NO_WORDS}:
            if words[code].number is None:
                words_said = lines.file, None, words[code].readings, words[code].reason, None
                indexes[code] = self._word_indexes.setdefault(words_said, len(self._word_indexes))
        said_by_line = [indexes.get(code, _MORE_THAN_WORDS) for code in codes]
        return said_by_line, lines.rows[:, AT].tolist()

    def _apply(self, rows: RepeatedRows, effects: Sequence[LineEffect]) -> None:
        """Have the judge and the episodes be where the lines lead."""
        judge, lines = self.judge, rows.lines
        self._count_marked(lines, effects)
        last_of = {effect: place for place, effect in enumerate(effects)}
        for effect in sorted(last_of, key=last_of.__getitem__):
            self._count(effect, rows.totals[effect], lines[last_of[effect]])
        places = [last_of[effect] for effect in last_of if effect.is_place]
        if places:
            last = lines[max(places)]
            judge.line_before.take(judge.context.process_index(last), last)
        self._move(lines, effects)
        last_said = lines[len(effects) - 1]
        go_to(self._state_at(effects[-1].after), judge, self.tracker)
        self.processes[judge.context.process_index(last_said)] = None

    def _count_marked(self, lines: Sequence[Observation], effects: Sequence[LineEffect]) -> None:
        """Count each line that is counted for something, in the life to which it belongs."""
        judge, incarnation = self.judge, self.judge.incarnation
        for place, effect in enumerate(effects):
            incarnation += effect.incarnations
            if effect.counter is not None:
                line = lines[place]
                if effect.is_counted:
                    process = judge.context.process_index(line)
                    judge.line_counts.count_line(effect.counter, line, process)
                self.tracker.take_counted_line(effect.counter, incarnation, line)

    def _state_at(self, index: int) -> JudgedState:
        return next(islice(self._states, index, None))

    def _count(self, effect: LineEffect, total: int, last: Observation) -> None:
        """Count lines of one effect."""
        judge = self.judge
        judge.incarnation += total * effect.incarnations
        judge.observations += total * effect.observations
        judge.steps += total * effect.steps
        for finding in effect.findings:
            finding.count += total
            finding.last_file, finding.last_line = last.file, last.line
        for why in effect.unjudged:
            known = judge.line_counts.unjudged[why]
            occurrences = known.occurrences + total
            judge.line_counts.unjudged[why] = known._replace(occurrences=occurrences)
        if judge.property_checks is not None:
            judge.property_checks.watch.add_totals(effect.answers, total)
        if effect.separates:
            judge.finding_list.separate_later_ones()

    def _move(self, lines: Sequence[Observation], effects: Sequence[LineEffect]) -> None:
        """Have the believed points be those of the lines."""
        believed = self.judge.believed
        moved = (place for place in range(len(effects) - 1, -1, -1) if effects[place].moves)
        last, before = next(moved, None), next(moved, None)
        if last is None:
            return
        believed.point_before = (
            believed.point if before is None else _point_at(lines[before], effects[before])
        )
        believed.point = _point_at(lines[last], effects[last])
        firsts = (place for place in range(last, -1, -1) if effects[place].is_first_point)
        first = next(firsts, None)
        if first is not None:
            believed.first_point = (
                believed.point if first == last else _point_at(lines[first], effects[first])
            )
            believed.named_since = believed.first_point.at if believed.first_point else None


def _point_at(line: Observation, effect: LineEffect) -> StatePoint | None:
    """Return the point to which a line led."""
    if effect.point is None:
        return None
    return effect.point._replace(at=line.at, zone=line.zone, file=line.file, line=line.line)


def _says_words_only(line: Observation) -> bool:
    """Say whether a line has no place in a sequence."""
    return line.number is None and line.placed is None


def _is_soon(point: StatePoint | None, at: int | None) -> bool:
    """Say whether a line comes soon after the one that led where the instance is."""
    if point is None or point.at is None or at is None:
        return False
    return at - point.at <= RESTART_MS


def _remember(
    remembered: RememberedFields,
    lines: Sequence[Observation],
    effects: Sequence[LineEffect],
    incarnation: int,
) -> None:
    """Remember what lines tell of what their instance is known by.

    Args:
        remembered: takes it.
        lines: the lines.
        effects: what came of each.
        incarnation: the life before the first.
    """
    may_tell = (
        any(lines.stored.words[code].remembered for code in set(lines.rows[:, WORDS].tolist()))
        if isinstance(lines, ColumnLines)
        else any(line.remembered for line in lines)
    )
    for place, effect in enumerate(effects):
        incarnation += effect.incarnations
        if may_tell:
            remembered.take(incarnation, lines[place].remembered)
    remembered.take(incarnation, ())
