"""One history that several processes log, each a part of it and some of it again: the lines of an
instance in the order of the history.

Processes that follow one leader write down every change, some a little later, and write it again
when they start anew. So a machine's log may say what names a life (`life`), what numbers its
changes (`sequence`), which lines are written by all (`replayed`), which are of many instances
(`about`), and when a process takes back what was not agreed upon (`says: undone`).
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from statemachines.conform.interchange.observations import Observation, Placed
from statemachines.conform.join.report_sources import machine_log
from statemachines.conform.judge.change_sequences import Row, Run, in_sequence
from statemachines.conform.judge.undone_lines import without_undone
from statemachines.conform.settle.judging_context import (
    JudgingContext,
    observation_order,
    reporting_process,
)
from statemachines.model.definitions.log_definitions import LineDefinition, LineKind, LogDefinition
from statemachines.model.values import define


def history(
    context: JudgingContext, owner: int, observations: Iterable[Observation]
) -> Iterable[Observation]:
    """Return the lines of one instance as its history has them; as they come, of a machine whose
    log speaks of none.

    Args:
        context: what all files say together.
        owner: number of the machine.
        observations: of one instance, in the order of times.

    Complexity: that of sorting the lines of the instance, which are held in memory.
    """
    log = context.plan.owners[owner].log
    return (
        observations
        if log is None or not log.is_history
        else _ordered_lines(_History(context, log, owner), list(observations))
    )


def _ordered_lines(history: _History, own: list[Observation]) -> Iterator[Observation]:
    rows, undone = history.rows(own)
    rows = without_undone(rows, undone)
    for number, incarnation in enumerate(
        lives(history.log, rows, history.context.plan.options.tolerance_ms)
    ):
        anew = number > 0
        for observation in in_sequence(history.context, incarnation):
            yield (
                observation._replace(placed=(observation.placed or Placed())._replace(anew=True))
                if anew
                else observation
            )
            anew = False


@define
class _History:
    """How the lines of one machine become rows."""

    context: JudgingContext
    log: LogDefinition
    owner: int

    def rows(self, own: Sequence[Observation]) -> tuple[list[Row], list[Row]]:
        """Return the lines of an instance with those of many that are about it, by time, and those
        by which processes take back.
        """
        lines = {line.index: line for line in self.log.lines}
        known = observation_order(self.context, own[0])
        who = reporting_process(self.context, self.owner, self.context.process_index(own[0]))
        abroad = [
            observation
            for observation in self._abroad(who)
            if _is_about(self.log, lines, own[0], observation)
        ]
        rows, undone, taken_back = list[Row](), list[Row](), Counter[int]()
        for observation in sorted(
            [*own, *abroad], key=lambda observation: observation_order(self.context, observation)
        ):
            line = lines[observation.readings[0].entry]
            row = self._row(observation, line, len(rows), taken_back)
            if LineKind.UNDONE in line.kinds:
                undone.append(row)
                taken_back[row.process] += 1
            elif observation.about is None or observation_order(self.context, observation) >= known:
                rows.append(row)
        return rows, undone

    def _abroad(self, who: int) -> list[Observation]:
        """Return the lines of many instances, as one teller has them."""
        by_teller = self.context.abroad_by_teller
        if (self.owner, who) not in by_teller:
            mine = [
                observation
                for observation in self.context.abroad
                if observation.owner == self.owner
            ]
            by_teller[self.owner, who] = [
                observation
                for observation in mine
                if reporting_process(
                    self.context, self.owner, self.context.process_index(observation)
                )
                == who
            ]
        return by_teller[self.owner, who]

    def _row(
        self,
        observation: Observation,
        line: LineDefinition,
        place: int,
        taken_back: Mapping[int, int],
    ) -> Row:
        process, position = (
            self.context.process_index(observation),
            self.context.position(observation),
        )
        begins = self.context.processes[process].possible_starts
        run = bisect_right(begins, position)
        return Row(
            observation,
            line,
            place,
            process,
            (process, run, taken_back.get(process, 0)),
            position.reached - begins[run - 1].reached if run else None,
        )


def _is_about(
    log: LogDefinition, lines: dict[int, LineDefinition], own: Observation, observation: Observation
) -> bool:
    """Say whether a line of many instances is about one, as far as keys tell it."""
    if own.key in observation.listed:
        return False
    keys = dict(zip(log.instance, own.key, strict=True))
    observed, wanted = observation.about or (), lines[observation.readings[0].entry].about or ()
    return len(observed) == len(wanted) and all(
        str(keys[name]) == text for name, text in observed if name in keys
    )


# -------------------------------------------------------------------------------------------
# lives


def lives(log: LogDefinition, rows: Sequence[Row], tolerance: int) -> list[list[Row]]:
    """Divide the lines of an instance into its lives, the oldest first; what is told of one that is
    over is left out.

    A life is older than the one that is told if its number is less, or, of names, if its process
    tells the other one after it. A line that names none is of the life that its process told last,
    else of that of its time; one whose number is less than what was told of it is of the life that
    begins within the tolerance. What was told before any life was named is of the first that is,
    unless its number is less than what a process told before it named it.
    """
    if log.life is None:
        return [list(rows)] if rows else []
    second = _lives_after_nameless(rows)
    last = {(row.run, row.observation.life): row.place for row in rows}
    numbered = log.life in log.numeric_fields
    parts: list[list[Row]] = [[]]
    over, current, last_incarnations, top = set[str](), None, dict[Run, str | None](), -1
    for index, row in enumerate(rows):
        number = -1 if row.observation.number is None else row.observation.number
        incarnation = row.observation.life
        if incarnation is None and -1 < number < top:
            incarnation = _begins_soon(rows, index, tolerance, {*over, current})
        if incarnation is None and row.observation.about is None:
            incarnation = last_incarnations.get(row.run)
        last_incarnations[row.run] = row.observation.life or last_incarnations.get(row.run)
        if incarnation is not None and incarnation != current:
            if (
                row.observation.about is not None
                or incarnation in over
                or (current is not None and _is_older(row, incarnation, current, last, numbered))
            ):
                continue
            if current is not None:
                over.add(current)
            if current is not None or incarnation in second:
                parts.append([])
            current, top = incarnation, -1
        parts[-1].append(row)
        top = max(top, number)
    return [incarnation for incarnation in parts if incarnation]


def _lives_after_nameless(rows: Sequence[Row]) -> set[str]:
    tops, incarnations, named = dict[Run, int](), set[str](), set[Run]()
    for row in rows:
        number = -1 if row.observation.number is None else row.observation.number
        if row.observation.life is None:
            tops[row.run] = max(number, tops.get(row.run, -1))
        elif row.run not in named:
            named.add(row.run)
            if -1 < number < tops.get(row.run, -1):
                incarnations.add(row.observation.life)
    return incarnations


def _begins_soon(
    rows: Sequence[Row], index: int, tolerance: int, known: set[str | None]
) -> str | None:
    """Return the life that begins within the tolerance after one of some lines."""
    since = rows[index].observation.reached or 0
    for number in range(index, len(rows)):
        other = rows[number]
        if (other.observation.reached or 0) - since > tolerance:
            return None
        if other.observation.life not in (None, *known):
            return other.observation.life
    return None


def _is_older(
    row: Row,
    incarnation: str,
    current: str,
    last: Mapping[tuple[Run, str | None], int],
    numbered: bool,
) -> bool:
    return (
        int(incarnation) < int(current)
        if numbered
        else last.get((row.run, current), -1) > row.place
    )


def outlives_processes(context: JudgingContext, owner: int) -> bool:
    """Say whether an instance lives on whatever becomes of the processes that tell of it."""
    return machine_log(context.plan, owner).is_history and machine_log(context.plan, owner).shared
