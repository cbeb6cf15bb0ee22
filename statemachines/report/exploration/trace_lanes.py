"""A run of a system by its parts: a lane each, and in it only what happens to that part."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from attrs import evolve, frozen

from statemachines.explore.results.property_results import Exploration
from statemachines.explore.results.run_traces import Trace, TraceStep
from statemachines.model.definitions.snapshots import Snapshot, Value
from statemachines.model.definitions.system_definitions import (
    DeliveryOutcome,
    PartStep,
    PendingEvent,
    SystemAnswer,
    SystemDefinition,
    SystemSnapshot,
)
from statemachines.model.evidence.verdicts import Verdict
from statemachines.report.exploration.last_steps import last_step
from statemachines.report.exploration.system_run_texts import pending_text
from statemachines.semantics.messages.changed_values import changed_texts
from statemachines.semantics.messages.value_text import format_literal
from statemachines.semantics.system.system_tables import SystemTables, system_tables

SHARED_LANE = "shared"
WAITING_LANE = "under way"


@frozen
class LaneCell:
    """What happens in one lane."""

    lane: int
    text: str
    sent_from: int | None = None
    """The lane whose step sent it; None: it came from outside, or had waited."""


@frozen
class LaneRow:
    """What happens at one time."""

    number: int | None
    """Of the step; None in the first row, and in rows of what the step sent."""
    cells: tuple[LaneCell, ...]


@frozen
class TraceLanes:
    """A run as lanes, ready to be written in any form."""

    title: str
    message: str
    """What the run shows."""
    lanes: tuple[str, ...]
    rows: tuple[LaneRow, ...]
    """First how all begins, then the steps."""
    ending: str = ""
    """How a run goes on that goes round; of a rule that breaks, the state just before and the event
    that led out.
    """


def trace_lanes(system: SystemDefinition, trace: Trace, title: str, message: str) -> TraceLanes:
    """Return a run by its parts.

    Args:
        system: that the run is of.
        trace: the run.
        title: what the run is of, such as a property.
        message: what it shows.

    Returns:
        A lane for each part, for what is shared, and for what waits.
    """
    return _LaneMaker(system_tables(system), trace).lanes(title, message)


def first_lanes(exploration: Exploration[Any]) -> TraceLanes | None:
    """Return the first run of a system that exploring shows: of what is broken, else a witness;
    None: there is none, or no system was explored.

    Args:
        exploration: of a machine or a system.

    Returns:
        Lanes of one run.
    """
    system = exploration.definition
    if not isinstance(system, SystemDefinition):
        return None
    shown = [(result, result.trace) for result in exploration.examined if result.trace is not None]
    if not shown:
        return None
    first, trace = min(shown, key=lambda pair: pair[0].verdict is not Verdict.VIOLATED)
    lanes = trace_lanes(system, trace, first.name, first.said)
    last = last_step(first, system)
    return lanes if last is None else evolve(lanes, ending=last.sentence)


class _LaneMaker:
    """Finds what happens in which lane."""

    def __init__(self, tables: SystemTables, trace: Trace) -> None:
        self.tables, self.trace = tables, trace
        answers = [step.answer for step in trace.steps]
        parts = [place for place, _ in _parts_of(trace.begin)]
        parts += [place for answer in answers for place in answer.created]
        self.places = {place: number for number, place in enumerate(dict.fromkeys(parts))}
        names = [_part_title(*place) for place in self.places]
        snapshots = (trace.begin, *(step.answer.after for step in trace.steps))
        names += [SHARED_LANE] if trace.begin.variables or trace.begin.parameters else []
        names += [WAITING_LANE] if any(snapshot.waiting for snapshot in snapshots) else []
        self.names = tuple(names)

    def lanes(self, title: str, message: str) -> TraceLanes:
        rows = [self._first_row()]
        now = self.trace.begin
        for number, step in enumerate(self.trace.steps, 1):
            rows += self._step_rows(number, now, step)
            now = step.answer.after
        return TraceLanes(title, message, self.names, tuple(rows), self._ending())

    def _ending(self) -> str:
        start = self.trace.loop_start
        if start is None:
            return ""
        steps = len(self.trace.steps)
        return (
            f"and again from step {start + 1}" if start < steps else "and nothing happens any more"
        )

    def _first_row(self) -> LaneRow:
        begin = self.trace.begin
        cells = [
            LaneCell(self.places[place], _words([snapshot.state, *_values(snapshot.variables)]))
            for place, snapshot in _parts_of(begin)
        ]
        shared = _words([*_values(begin.parameters), *_values(begin.variables)])
        cells += [LaneCell(self.names.index(SHARED_LANE), shared)] if shared else []
        return LaneRow(None, tuple(cell for cell in cells if cell.text))

    def _step_rows(self, number: int, now: SystemSnapshot, step: TraceStep) -> Iterator[LaneRow]:
        """Yield a row for each step of a part; what the whole event changed beside parts stands in
        the first one.
        """
        beside = self._changes_beside(now, step.answer.after)
        if not step.answer.steps:
            yield LaneRow(number, (self._lost_cell(step), *beside))
        for place, part_step in enumerate(step.answer.steps):
            cell = self._step_cell(part_step, step.delivered_from if place == 0 else None)
            yield LaneRow(number, (cell, *beside)) if place == 0 else LaneRow(None, (cell,))
        changes = [*self._creation_cells(step.answer)]
        if changes:
            yield LaneRow(None, tuple(changes))

    def _creation_cells(self, answer: SystemAnswer) -> Iterator[LaneCell]:
        """Yield what has begun and ended with an event."""
        for place in answer.created:
            held = answer.after.parts[place[0]]
            snapshot = held.get(place[1]) if isinstance(held, Mapping) else held
            texts = [] if snapshot is None else [snapshot.state, *_values(snapshot.variables)]
            yield LaneCell(self.places[place], _words(["begins", *texts]))
        for place in answer.ended:
            yield LaneCell(self.places[place], "ends")

    def _step_cell(self, step: PartStep, delivered_from: PendingEvent | None) -> LaneCell:
        waited = delivered_from is not None
        repeated = (
            waited
            and delivered_from is not None
            and delivered_from.fate is DeliveryOutcome.REPEATED
        )
        before = "arrives, and waits on: " if repeated else "arrives: " if waited else ""
        text = _words([f"{before}{_call(step.event, step.arguments)}", *_changes(step)])
        return LaneCell(self.places[step.part, step.key], text, self._sender(step, waited=waited))

    def _sender(self, step: PartStep, *, waited: bool) -> int | None:
        """Return the lane of the part that sent an event at once, where there is one only."""
        if step.link is None or waited:
            return None
        on = self.tables.link_of[step.link].on
        lanes = [lane for (name, _), lane in self.places.items() if name == on]
        return lanes[0] if len(lanes) == 1 else None

    def _lost_cell(self, step: TraceStep) -> LaneCell:
        part, _, event = step.event.partition(".")
        return LaneCell(self.places[part, step.key], f"lost: {_call(event, step.arguments)}")

    def _changes_beside(self, now: SystemSnapshot, after: SystemSnapshot) -> Iterator[LaneCell]:
        if text := _words(changed_texts(now.variables, after.variables)):
            yield LaneCell(self.names.index(SHARED_LANE), text)
        sent = [
            pending_text(self.tables, pending, given)
            for pending, given in after.waiting.items()
            if (pending, given) not in now.waiting.items()
        ]
        if len(after.waiting) >= len(now.waiting) and sent:
            yield LaneCell(self.names.index(WAITING_LANE), ", ".join(sent))


def _parts_of(whole: SystemSnapshot) -> Iterator[tuple[tuple[str, Value], Snapshot]]:
    for name, held in whole.parts.items():
        if isinstance(held, Mapping):
            yield from (((name, key), snapshot) for key, snapshot in held.items())
        elif held is not None:
            yield (name, None), held


def _changes(step: PartStep) -> Iterator[str]:
    """Yield what a step changed of its part, or what became of it where it changed nothing."""
    before, after = step.before, step.answer.after
    if after.state != before.state:
        yield f"→ {after.state}"
    yield from changed_texts(before.variables, after.variables)
    kind = type(step.answer).__name__.lower()
    if kind != "advanced":
        yield f"({step.answer.error or kind})"


def _values(values: Mapping[str, Value]) -> list[str]:
    return [f"{name}={format_literal(value)}" for name, value in values.items()]


def _call(event: str, arguments: Mapping[str, Value]) -> str:
    return f"{event}({', '.join(_values(arguments))})"


def _words(texts: Iterator[str] | list[str]) -> str:
    return " ".join(text for text in texts if text)


def _part_title(name: str, key: Value) -> str:
    return name if key is None else f"{name}[{format_literal(key)}]"
