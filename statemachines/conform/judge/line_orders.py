"""Lines whose order is not known: other orders that their times allow, and the one in which the
least is wrong.

Within a file the file's order counts; where the lines' own times run back by no more than the
tolerance (asynchronous appenders, merges of files), the order of the times is another one. So it is
between files of one process in one millisecond, and between processes within the tolerance of their
clocks. An order is only looked for where something is wrong in the one that counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from operator import attrgetter, le
from typing import NamedTuple

from statemachines.conform.columns.column_lines import ColumnLines, FoldedLines
from statemachines.conform.interchange.judgements import PendingFinding
from statemachines.conform.interchange.observations import Observation
from statemachines.conform.judge.instance.instance_judge import InstanceJudge
from statemachines.conform.judge.instance.line_before import ORDER_KINDS
from statemachines.conform.settle.judging_context import JudgingContext
from statemachines.model.evidence.verdicts import Verdict

MOST_LINES = 8
"""Lines of an instance that are looked at together."""
_MOST_ORDERS = 12
"""Orders of them that are tried."""
LONGEST_RUN = 1000
"""Lines of an instance that are judged together where their order is certain."""


class UnorderedLines(NamedTuple):
    """Lines of an instance whose order is not certain, and the line after them."""

    lines: tuple[Observation, ...]
    next_line: Observation | None


class LineOrder(NamedTuple):
    """The order in which some lines are judged."""

    lines: Sequence[Observation]
    order_finding: PendingFinding | None = None
    """What is wrong in the order that counts, where it was given up although it was that of the
    file or the clocks.
    """


class LineRuns:
    """Cuts the observations of one instance into runs whose order is certain, and groups of lines
    whose order is not; they may come in several parts.

    Complexity: linear; holds at most `LONGEST_RUN` and `MOST_LINES`.
    """

    def __init__(self, context: JudgingContext, held: Iterable[Observation] = ()) -> None:
        self._context = context
        self.held = list(held)
        """The last lines, which may still change places with later ones."""

    def cut(
        self, observations: Iterable[Observation]
    ) -> Iterator[list[Observation] | UnorderedLines]:
        """Yield what some more observations make certain."""
        more = iter(observations)
        while some := list(islice(more, LONGEST_RUN)):
            if len(self.held) < 2 and _are_in_order([*self.held, *some]):
                if run := [*self.held, *some[:-1]]:
                    yield run
                self.held = some[-1:]
            else:
                yield from _runs_line_by_line(self._context, self.held, some)

    def cut_columns(
        self, pieces: Iterable[ColumnLines | FoldedLines]
    ) -> Iterator[Sequence[Observation] | UnorderedLines]:
        """Yield the same of lines of one log that are columns; as observations where their times
        run back.

        Args:
            pieces: each of some lines, at least one.
        """
        for piece in pieces:
            if piece.are_in_order and self._may_go_before(piece):
                if self.held:
                    yield self.held
                if len(piece) > 1:
                    yield piece.part(0, len(piece) - 1)
                self.held = [piece[-1]]
            else:
                yield from self.cut(piece)

    def _may_go_before(self, piece: ColumnLines | FoldedLines) -> bool:
        """Say whether no line of a piece can have been before what is held."""
        if len(self.held) > 1:
            return False
        files = self._context.files
        return all(
            held.at is not None
            and held.at <= piece.starts_at
            and held.unit is None
            and files[held.file].stem == files[piece.file].stem
            for held in self.held
        )

    def rest(self) -> Iterator[list[Observation] | UnorderedLines]:
        """Yield what is held, when nothing comes after it."""
        if len(self.held) > 1:
            yield UnorderedLines(tuple(self.held), None)
        elif self.held:
            yield self.held


def line_runs(
    context: JudgingContext, observations: Iterable[Observation]
) -> Iterator[list[Observation] | UnorderedLines]:
    """Cut all observations of one instance, as `LineRuns` does."""
    lines = LineRuns(context)
    yield from lines.cut(observations)
    yield from lines.rest()


def _runs_line_by_line(
    context: JudgingContext, held: list[Observation], observations: Sequence[Observation]
) -> Iterator[list[Observation] | UnorderedLines]:
    """The same for some more lines; those that may still change places with later ones are left in
    `held`.
    """
    certain = list[Observation]()
    for observation in observations:
        if held and not (
            len(held) < MOST_LINES
            and any(_may_swap(context, before, observation) for before in held)
        ):
            if len(held) == 1:
                certain += held
            else:
                if certain:
                    yield certain
                    certain = []
                yield UnorderedLines(tuple(held), observation)
            held.clear()
        held.append(observation)
    if certain:
        yield certain


_PLACE = attrgetter("file", "unit", "at")


def _are_in_order(lines: Sequence[Observation]) -> bool:
    """Say at a glance whether lines are of one file, and none can have been before the one that
    stands before it.
    """
    files, units, times = zip(*map(_PLACE, lines), strict=True)
    return (
        files.count(files[0]) == len(times)
        and units.count(units[0]) == len(times)
        and None not in times
        and all(map(le, times, times[1:]))
    )


def _may_swap(context: JudgingContext, before: Observation, after: Observation) -> bool:
    """Say whether the second of two observations may have been the first."""
    if before.at is None or after.at is None:
        return False
    if before.number is not None and after.number is not None:
        return False
    late = before.at - after.at
    if before.unit == after.unit and (
        before.file == after.file
        or context.files[before.file].stem == context.files[after.file].stem
    ):
        return 0 < late <= context.plan.options.tolerance_ms
    if context.process_index(before) == context.process_index(after):
        return 0 <= late <= context.plan.options.tolerance_ms
    return abs(late) <= context.plan.options.tolerance_ms


def best_order(judge: InstanceJudge, group: UnorderedLines) -> LineOrder:
    """Return the order in which the least is wrong; the one that counts where no other is better.

    Args:
        judge: as it is before the lines.
        group: the lines, and the one after them, which must follow as well.
    """
    best, wrong = group.lines, _problems_in_order(judge, group.lines, group.next_line)
    if not wrong:
        return LineOrder(best)
    least = _severity(wrong)
    for lines in _other_orders(judge, group.lines):
        weight = _severity(_problems_in_order(judge, lines, group.next_line))
        if weight < least:
            best, least = lines, weight
    return LineOrder(
        best, _order_finding(group.lines, best, wrong, "less" if least[1] else "nothing")
    )


def _problems_in_order(
    judge: InstanceJudge, lines: Sequence[Observation], then: Observation | None
) -> list[PendingFinding]:
    """Return what would be found wrong in an order."""
    trial = judge.fork()
    for observation in (*lines, *([then] if then else ())):
        trial.feed(observation)
    return [finding for finding in trial.findings if finding.verdict is not Verdict.HOLDS]


def _severity(wrong: Sequence[PendingFinding]) -> tuple[int, int, int]:
    """Return how much is wrong: how bad it is, how often, how many steps are missing."""
    worst = max((finding.verdict for finding in wrong), default=Verdict.HOLDS)
    return worst, len(wrong), sum(len(finding.missing) for finding in wrong)


def _other_orders(
    judge: InstanceJudge, lines: tuple[Observation, ...]
) -> Iterator[tuple[Observation, ...]]:
    """Yield other orders of some lines: that of their times, then those in which each begins where
    the one before it ended.
    """
    by_time = tuple(sorted(lines, key=lambda observation: observation.at or 0))
    orders = [lines]
    for order in (by_time, *_chained_orders(judge, lines)):
        if order not in orders and _is_allowed(judge.context, lines, order):
            orders.append(order)
            yield order
        if len(orders) > _MOST_ORDERS:
            return


def _is_allowed(
    context: JudgingContext, lines: Sequence[Observation], order: Sequence[Observation]
) -> bool:
    places = {id(observation): index for index, observation in enumerate(order)}
    pairs = ((a, b) for index, b in enumerate(lines) for a in lines[:index])
    return all(places[id(a)] < places[id(b)] or _may_swap(context, a, b) for a, b in pairs)


def _chained_orders(
    judge: InstanceJudge, lines: tuple[Observation, ...]
) -> Iterator[tuple[Observation, ...]]:
    """Yield the orders in which each line's from-state is where the line before it led."""
    states = judge.states()
    todo: list[tuple[tuple[Observation, ...], tuple[Observation, ...], frozenset[str] | None]]
    todo = [((), lines, frozenset(states) if states else None)]
    for _ in range(MOST_LINES * _MOST_ORDERS):
        if not todo:
            return
        done, left, here = todo.pop()
        if not left:
            yield done
        for index in range(len(left) - 1, -1, -1):
            begins, leads = _source_and_target(left[index])
            if begins is None or here is None or begins in here:
                rest = (*left[:index], *left[index + 1 :])
                todo.append(((*done, left[index]), rest, frozenset([leads]) if leads else here))


def _source_and_target(observation: Observation) -> tuple[str | None, str | None]:
    """Return where a line says that the instance was before it, and where it was after it."""
    telling = observation.readings[0]
    return telling.source or telling.state, telling.target or telling.state or telling.source


def _order_finding(
    lines: Sequence[Observation],
    order: Sequence[Observation],
    wrong: Sequence[PendingFinding],
    rest: str,
) -> PendingFinding | None:
    """Return what is wrong in the order that was given up, where it was the file's or the clocks'
    and not a mere tie.

    Args:
        lines: in the order that counts.
        order: in the one that was taken.
        wrong: what is wrong in the first.
        rest: how much is wrong in the second, in words.
    """
    places = {id(observation): index for index, observation in enumerate(order)}
    moved = [
        (a, b)
        for index, b in enumerate(lines)
        for a in lines[:index]
        if places[id(b)] < places[id(a)]
    ]
    late = [(a.at or 0) - (b.at or 0) for a, b in moved if (a.file, a.unit) == (b.file, b.unit)]
    given_up = bool(late) or any((a.at or 0) < (b.at or 0) for a, b in moved)
    order_finding = next((finding for finding in wrong if finding.kind in ORDER_KINDS), None)
    if not given_up or order_finding is None:
        return None
    why = (
        f"the times of these lines run back by {max(late)} ms"
        if late
        else "their clocks are that near"
    )
    order_finding.verdict = Verdict.INCONCLUSIVE
    order_finding.message += (
        f"; {why}, and in the {'order of their times' if late else 'other order'} {rest} is wrong"
    )
    return order_finding
