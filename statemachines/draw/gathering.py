"""From the steps of a report to rows of bars, a stream for logs of any length."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import groupby

from statemachines.draw.rows import Bar, Drawn, Flag, Frame, Row, Rows, Who, row_name
from statemachines.model.reports import Finding, Key, Now, Step

Taken = tuple[Who, list[tuple[int, Step]]]
"""An instance, and its steps with the moments at which they stand."""
Subject = tuple[str, Key, str]
"""Machine, key without what tells generations apart, and the process where there are no generations."""
Flags = dict[Who, list[Flag]]


def rows_of(steps: Iterable[Step], findings: Iterable[Finding] = (), now: Iterable[Now] = (), until: int | None = None) -> Rows:
    """Gather the steps of each instance, in order of first mention.

    Args:
        steps: in any order.
        findings: what is flagged.
        now: states at the end of the log; one that no step tells of is a bar of its own, in a row of its own where it is not its
            instance's: a state that a line named, or that a later generation told.
        until: the end of the log, epoch milliseconds; None: the last moment of all these.
    """
    listed, flagged, states = tuple(steps), tuple(findings), tuple(now)
    frame = frame_of(listed, flagged, states, until)
    mine: dict[Who, list[tuple[int, Step]]] = {}
    for moment, step in _placed(listed, frame):
        mine.setdefault(_who(step), []).append((moment, step))
    rows = tuple(drawn.row for drawn in _rows(mine.items(), frame, flagged, states))
    return Rows(rows, frame.first, frame.last, frame.timed)


def rows_in_order(steps: Iterable[Step], frame: Frame, findings: Iterable[Finding] = (), now: Iterable[Now] = ()) -> Iterator[Drawn]:
    """Yield the rows of steps that come an instance after the other, as a report's timeline does.

    Args:
        steps: an instance after the other, the generations of a subject in their order.
        frame: of the same steps, findings and states.
        findings: what is flagged.
        now: states at the end of the log, as for `rows_of`.

    Complexity: memory in the findings and states, not in the steps.
    """
    groups = groupby(_placed(steps, frame), key=lambda each: _who(each[1]))
    return _rows(((who, list(taken)) for who, taken in groups), frame, findings, now)


def frame_of(steps: Iterable[Step], findings: Iterable[Finding] = (), now: Iterable[Now] = (), until: int | None = None) -> Frame:
    """Return the moments between which everything is; steps are numbered from 0 where none has a time.

    Args:
        steps: in any order.
        findings: what is flagged.
        now: states at the end of the log.
        until: the end of the log, epoch milliseconds; None: the last moment of all these.
    """
    many, processes, first, last = 0, set[str](), None, until
    for step in steps:
        many += 1
        processes.add(step.process)
        if step.at is not None and step.at.ms is not None:
            first = step.at.ms if first is None else min(first, step.at.ms)
            last = step.at.ms if last is None else max(last, step.at.ms)
    states = tuple(now)
    sinces = [row.since.ms for row in states if row.since is not None and row.since.ms is not None]
    several = len(processes | {row.process for row in states}) > 1
    if first is None and not sinces:
        return Frame(0, max(many - 1, 1), timed=False, several=several)
    others = [*sinces, *(each.at.ms for each in findings if first is not None and each.at is not None and each.at.ms is not None)]
    first = min(sinces if first is None else [first, *sinces])
    end = max([first if last is None else last, *others])
    return Frame(first, max(end, first + 1), timed=True, several=several)


def _who(step: Step) -> Who:
    return step.machine, step.instance, step.process


def _placed(steps: Iterable[Step], frame: Frame) -> Iterator[tuple[int, Step]]:
    """Give each step its moment: one without a time stands where the step before it stood."""
    moment = frame.first
    for number, step in enumerate(steps):
        known = step.at.ms if step.at else None
        moment = number if not frame.timed else known if known is not None else moment
        yield moment, step


def _rows(groups: Iterable[Taken], frame: Frame, findings: Iterable[Finding], now: Iterable[Now]) -> Iterator[Drawn]:
    waiting = _Waiting(now)
    flags = _flags(findings, waiting) if frame.timed else {}
    for machine, mine in groupby(groups, key=lambda taken: taken[0][0]):
        for subject, lives in groupby(mine, key=lambda taken: waiting.subject(taken[0])):
            generations = list(lives)
            yield from _generations(generations, waiting.take(subject, generations[-1][0]), frame, flags)
        yield from (_alone(told, frame, flags) for told in waiting.rest(machine))
    yield from (_alone(told, frame, flags) for machine in waiting.machines() for told in waiting.rest(machine))


class _Waiting:
    """States at the end of the log that no row shows yet."""

    def __init__(self, now: Iterable[Now]) -> None:
        self._of: dict[str, dict[Key, dict[str, Now]]] = defaultdict(lambda: defaultdict(dict))
        for row in now:
            self._of[row.machine][row.subject][row.process] = row
        self._fields = {machine: {name for name, _ in next(iter(rows))} for machine, rows in self._of.items()}

    def subject(self, who: Who) -> Subject:
        """Return what an instance is a generation of; without generations its process tells it apart."""
        machine, key, process = who
        fields = self._fields.get(machine)
        found = key if fields is None else tuple(field for field in key if field[0] in fields)
        return machine, found, process if len(found) == len(key) else ""

    def take(self, subject: Subject, last: Who) -> Now | None:
        """Return, once, the last state of a subject whose last instance is `last`."""
        machine, key, process = subject
        rows = self._of.get(machine, {}).get(key, {})
        told = last[2] if process or last[2] in rows else next(iter(rows), "")
        return rows.pop(told, None)

    def machines(self) -> tuple[str, ...]:
        """Return the machines that have states left."""
        return tuple(self._of)

    def rest(self, machine: str) -> Iterator[Now]:
        """Yield those of a machine that are still waiting, each once."""
        yield from (row for rows in self._of.pop(machine, {}).values() for row in rows.values())


def _generations(lives: Sequence[Taken], told: Now | None, frame: Frame, flags: Flags) -> Iterator[Drawn]:
    """Yield the rows of one subject's generations; each lasts until the next one begins, the last to the end of the log."""
    who, taken = lives[-1]
    since = _moment(told, frame)
    last = next((step.target for _, step in reversed(taken)), None)
    news = told is not None and last not in told.state and since >= taken[-1][0]
    begins = [steps[0][0] for _, steps in lives] + [since if news else frame.last]
    for place, (mine, steps) in enumerate(lives):
        before = begins[place] if place else frame.first
        bars = tuple(_bars(steps, before, max(begins[place + 1], steps[-1][0])))
        if news and told is not None and mine == who and told.process == who[2] and len(told.subject) == len(who[1]):
            bars, news = (*bars, _told_bar(told, frame)), False
        row = Row(row_name(mine, frame.several), mine[0], bars, tuple(flags.get(mine, ())), mine)
        yield Drawn(row, tuple(step for _, step in steps))
    if news and told is not None:
        shown = {flag for mine, _ in lives for flag in flags.get(mine, ())}
        yield _alone(told, frame, flags, shown)


def _alone(told: Now, frame: Frame, flags: Flags, shown: Collection[Flag] = ()) -> Drawn:
    """Return the row of a state that no step tells of, flagged with what was found of any generation and is shown nowhere else."""
    who = (told.machine, told.subject, told.process)
    mine = tuple(flag for flag in flags.get(who, ()) if flag not in shown)
    return Drawn(Row(row_name(who, frame.several), told.machine, (_told_bar(told, frame),), mine, who), ())


def _told_bar(told: Now, frame: Frame) -> Bar:
    state, place = " or ".join(told.state), f"\n{told.place.file}:{told.place.line}" if told.place else ""
    known = told.since is not None and told.since.ms is not None
    return Bar(state, _moment(told, frame), frame.last, known=known, note=f"{state}, named by a line{place}")


def _moment(told: Now | None, frame: Frame) -> int:
    """Return since when a state is known, within the frame."""
    if told is None or told.since is None or told.since.ms is None or not frame.timed:
        return frame.first if frame.timed else frame.last
    return min(max(told.since.ms, frame.first), frame.last)


def _bars(taken: Sequence[tuple[int, Step]], first: int, last: int) -> Iterator[Bar]:
    """Yield the states between the steps; what the first step left is drawn from the left edge, as not known."""
    start, step = taken[0]
    if step.source and start > first:
        yield Bar(step.source, first, start, known=False, note=f"{step.source}, since when is not known")
    ends = [*(moment for moment, _ in taken[1:]), last]
    for (moment, step), end in zip(taken, ends, strict=True):
        if step.target is not None:
            yield Bar(step.target, moment, max(end, moment), told=step.how == "told", note=_note(step))


def _note(step: Step) -> str:
    place = f"\n{step.place.file}:{step.place.line}" if step.place else ""
    return f"{step.source or '?'} → {step.target}{'' if step.how == 'told' else f' ({step.how})'}{place}"


def _flags(findings: Iterable[Finding], waiting: _Waiting) -> Flags:
    """Return what is flagged, by instance and by what the instance is a generation of."""
    flags: Flags = {}
    for each in findings:
        if each.at is not None and each.at.ms is not None:
            flag = Flag(each.at.ms, each.kind, each.verdict, each.message)
            who = (each.machine, each.instance, each.process)
            for whose in dict.fromkeys((who, (*waiting.subject(who)[:2], each.process))):
                flags.setdefault(whose, []).append(flag)
    return flags
