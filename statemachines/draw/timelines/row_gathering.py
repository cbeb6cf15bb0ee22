"""From the steps of a report to rows of bars, a stream for logs of any length."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import groupby

from statemachines.draw.timelines.timeline_rows import (
    FindingFlag,
    InstanceId,
    RowWithSteps,
    StateBar,
    TimeFrame,
    TimelineRow,
    TimelineRows,
    row_name,
)
from statemachines.model.evidence.reports import CurrentState, Finding, InstanceKey, TimelineStep

_StepsOfInstance = tuple[InstanceId, list[tuple[int, TimelineStep]]]
"""An instance, and its steps with the moments at which they stand."""
_SubjectId = tuple[str, InstanceKey, str]
"""Machine, key without what tells generations apart, and the process where there are no
generations.
"""
_FlagsByInstance = dict[InstanceId, list[FindingFlag]]


def timeline_rows(
    steps: Iterable[TimelineStep],
    findings: Iterable[Finding] = (),
    now: Iterable[CurrentState] = (),
    until: int | None = None,
) -> TimelineRows:
    """Gather the steps of each instance, in order of first mention.

    Args:
        steps: in any order.
        findings: what is flagged.
        now: states at the end of the log; one that no step tells of is a bar of its own, in a row
            of its own where it is not its instance's: a state that a line named, or that a later
            generation told.
        until: the end of the log, epoch milliseconds; None: the last moment of all these.

    Returns:
        The rows with the moments between which they are.
    """
    listed, flagged, states = tuple(steps), tuple(findings), tuple(now)
    frame = time_frame(listed, flagged, states, until)
    mine: dict[InstanceId, list[tuple[int, TimelineStep]]] = {}
    for moment, step in _timed_steps(listed, frame):
        mine.setdefault(_instance_of(step), []).append((moment, step))
    rows = tuple(gathered.row for gathered in _instance_rows(mine.items(), frame, flagged, states))
    return TimelineRows(rows, frame.first, frame.last, frame.timed)


def stream_rows(
    steps: Iterable[TimelineStep],
    frame: TimeFrame,
    findings: Iterable[Finding] = (),
    now: Iterable[CurrentState] = (),
) -> Iterator[RowWithSteps]:
    """Yield the rows of steps that come an instance after the other, as a report's timeline does.

    Args:
        steps: an instance after the other, the generations of a subject in their order.
        frame: of the same steps, findings and states.
        findings: what is flagged.
        now: states at the end of the log.

    Yields:
        A row, with the steps that it was made of.

    Complexity: memory in the findings and states, not in the steps.
    """
    groups = groupby(_timed_steps(steps, frame), key=lambda timed_step: _instance_of(timed_step[1]))
    return _instance_rows(((who, list(taken)) for who, taken in groups), frame, findings, now)


def time_frame(
    steps: Iterable[TimelineStep],
    findings: Iterable[Finding] = (),
    now: Iterable[CurrentState] = (),
    until: int | None = None,
) -> TimeFrame:
    """Return the moments between which everything is; steps are numbered from 0 where none has a
    time.

    Args:
        steps: in any order.
        findings: what is flagged.
        now: states at the end of the log.
        until: the end of the log, epoch milliseconds; None: the last moment of all these.

    Returns:
        The first and the last moment.
    """
    many, processes, first, last = 0, set[str](), None, until
    for step in steps:
        many += 1
        processes.add(step.process)
        if step.at is not None and step.at.ms is not None:
            since = _named_since(step)
            began = step.at.ms if since is None else min(since, step.at.ms)
            first = began if first is None else min(first, began)
            last = step.at.ms if last is None else max(last, step.at.ms)
    states = tuple(now)
    sinces = [row.since.ms for row in states if row.since is not None and row.since.ms is not None]
    several = len(processes | {row.process for row in states}) > 1
    if first is None and not sinces:
        return TimeFrame(0, max(many - 1, 1), timed=False, has_several_processes=several)
    others = [
        *sinces,
        *(
            finding.at.ms
            for finding in findings
            if first is not None and finding.at is not None and finding.at.ms is not None
        ),
    ]
    first = min(sinces if first is None else [first, *sinces])
    end = max([first if last is None else last, *others])
    return TimeFrame(first, max(end, first + 1), timed=True, has_several_processes=several)


def _named_since(step: TimelineStep) -> int | None:
    """Return when a line named the state that a step left, where no step led there."""
    return step.source_since.ms if step.source_since is not None else None


def _start(moment: int, step: TimelineStep, frame: TimeFrame) -> int:
    """Return from where on a row shows a step: from where a line named what it left."""
    since = _named_since(step) if frame.timed else None
    return moment if since is None else min(max(since, frame.first), moment)


def _instance_of(step: TimelineStep) -> InstanceId:
    return step.machine, step.instance, step.process


def _timed_steps(
    steps: Iterable[TimelineStep], frame: TimeFrame
) -> Iterator[tuple[int, TimelineStep]]:
    """Give each step its moment: one without a time stands where the step before it stood."""
    moment = frame.first
    for number, step in enumerate(steps):
        known = step.at.ms if step.at else None
        moment = number if not frame.timed else known if known is not None else moment
        yield moment, step


def _instance_rows(
    groups: Iterable[_StepsOfInstance],
    frame: TimeFrame,
    findings: Iterable[Finding],
    now: Iterable[CurrentState],
) -> Iterator[RowWithSteps]:
    waiting = _UnshownStates(now)
    flags = _flags_by_instance(findings, waiting) if frame.timed else {}
    for machine, mine in groupby(groups, key=lambda taken: taken[0][0]):
        for subject, incarnations in groupby(mine, key=lambda taken: waiting.subject(taken[0])):
            generations = list(incarnations)
            yield from _generation_rows(
                generations, waiting.take(subject, generations[-1][0]), frame, flags
            )
        yield from (_state_only_row(current, frame, flags) for current in waiting.take_all(machine))
    yield from (
        _state_only_row(current, frame, flags)
        for machine in waiting.machines()
        for current in waiting.take_all(machine)
    )


class _UnshownStates:
    """States at the end of the log that no row shows yet."""

    def __init__(self, now: Iterable[CurrentState]) -> None:
        self._of: dict[str, dict[InstanceKey, dict[str, CurrentState]]] = defaultdict(
            lambda: defaultdict(dict)
        )
        for row in now:
            self._of[row.machine][row.subject][row.process] = row
        self._fields = {
            machine: {name for name, _ in next(iter(rows))} for machine, rows in self._of.items()
        }

    def subject(self, who: InstanceId) -> _SubjectId:
        """Return what an instance is a generation of; without generations its process tells it
        apart.
        """
        machine, key, process = who
        fields = self._fields.get(machine)
        name = key if fields is None else tuple(field for field in key if field[0] in fields)
        return machine, name, process if len(name) == len(key) else ""

    def take(self, subject: _SubjectId, last: InstanceId) -> CurrentState | None:
        """Return, once, the last state of a subject whose last instance is `last`."""
        machine, key, process = subject
        rows = self._of.get(machine, {}).get(key, {})
        current = last[2] if process or last[2] in rows else next(iter(rows), "")
        return rows.pop(current, None)

    def machines(self) -> tuple[str, ...]:
        """Return the machines that have states left."""
        return tuple(self._of)

    def take_all(self, machine: str) -> Iterator[CurrentState]:
        """Yield those of a machine that are still waiting, each once."""
        yield from (row for rows in self._of.pop(machine, {}).values() for row in rows.values())


def _generation_rows(
    incarnations: Sequence[_StepsOfInstance],
    current: CurrentState | None,
    frame: TimeFrame,
    flags: _FlagsByInstance,
) -> Iterator[RowWithSteps]:
    """Yield the rows of one subject's generations; each lasts until the next one begins, the last
    to the end of the log.
    """
    who, taken = incarnations[-1]
    since = _since_moment(current, frame)
    last = next((step.target for _, step in reversed(taken)), None)
    news = current is not None and last not in current.state and since >= taken[-1][0]
    begins = [_start(*steps[0], frame) for _, steps in incarnations]
    begins.append(since if news else frame.last)
    for index, (mine, steps) in enumerate(incarnations):
        before = begins[index] if index else frame.first
        bars = tuple(_state_bars(steps, before, max(begins[index + 1], steps[-1][0]), frame))
        if (
            news
            and current is not None
            and mine == who
            and current.process == who[2]
            and len(current.subject) == len(who[1])
        ):
            bars, news = (*bars, _named_state_bar(current, frame)), False
        row = TimelineRow(
            row_name(mine, frame.has_several_processes),
            mine[0],
            bars,
            tuple(flags.get(mine, ())),
            mine,
        )
        yield RowWithSteps(row, tuple(step for _, step in steps))
    if news and current is not None:
        shown = {flag for mine, _ in incarnations for flag in flags.get(mine, ())}
        yield _state_only_row(current, frame, flags, shown)


def _state_only_row(
    current: CurrentState,
    frame: TimeFrame,
    flags: _FlagsByInstance,
    shown: Collection[FindingFlag] = (),
) -> RowWithSteps:
    """Return the row of a state that no step tells of, flagged with what was found of any
    generation and is shown nowhere else.
    """
    who = (current.machine, current.subject, current.process)
    mine = tuple(flag for flag in flags.get(who, ()) if flag not in shown)
    return RowWithSteps(
        TimelineRow(
            row_name(who, frame.has_several_processes),
            current.machine,
            (_named_state_bar(current, frame),),
            mine,
            who,
        ),
        (),
    )


def _named_state_bar(current: CurrentState, frame: TimeFrame) -> StateBar:
    state, place = (
        " or ".join(current.state),
        f"\n{current.place.file}:{current.place.line}" if current.place else "",
    )
    known = current.since is not None and current.since.ms is not None
    return StateBar(
        state,
        _since_moment(current, frame),
        frame.last,
        known=known,
        note=f"{state}, named by a line{place}",
    )


def _since_moment(current: CurrentState | None, frame: TimeFrame) -> int:
    """Return since when a state is known, within the frame."""
    if current is None or current.since is None or current.since.ms is None or not frame.timed:
        return frame.first if frame.timed else frame.last
    return min(max(current.since.ms, frame.first), frame.last)


def _state_bars(
    taken: Sequence[tuple[int, TimelineStep]], first: int, last: int, frame: TimeFrame
) -> Iterator[StateBar]:
    """Yield the states between the steps. What a step left is drawn from where a line named it;
    what the first step left and none named from the left edge, as not known.
    """
    starts = [*(_start(moment, step, frame) for moment, step in taken), last]
    start, step = taken[0]
    if step.source and step.source_since is None and start > first:
        yield StateBar(
            step.source, first, start, known=False, note=f"{step.source}, since when is not known"
        )
    for (moment, step), start, end in zip(taken, starts, starts[1:], strict=False):
        if step.source and start < moment:
            yield StateBar(step.source, start, moment, note=f"{step.source}, named by a line")
        if step.target is not None:
            yield StateBar(
                step.target,
                moment,
                max(end, moment),
                observed=step.how == "told",
                note=_step_note(step),
            )


def _step_note(step: TimelineStep) -> str:
    place = f"\n{step.place.file}:{step.place.line}" if step.place else ""
    return (
        f"{step.source or '?'} →"
        f" {step.target}{'' if step.how == 'told' else f' ({step.how})'}{place}"
    )


def _flags_by_instance(findings: Iterable[Finding], waiting: _UnshownStates) -> _FlagsByInstance:
    """Return what is flagged, by instance and by what the instance is a generation of."""
    flags: _FlagsByInstance = {}
    for finding in findings:
        if finding.at is not None and finding.at.ms is not None:
            flag = FindingFlag(finding.at.ms, finding.kind, finding.verdict, finding.message)
            who = (finding.machine, finding.instance, finding.process)
            for whose in dict.fromkeys((who, (*waiting.subject(who)[:2], finding.process))):
                flags.setdefault(whose, []).append(flag)
    return flags
