"""Steps as rows of bars: one row an instance, one bar for each state that it held."""

from __future__ import annotations

from collections.abc import Iterable

from attrs import frozen

from statemachines.model.reports import Finding, Key, Step
from statemachines.model.verdicts import Verdict

Who = tuple[str, Key, str]
"""Machine, instance and process."""


@frozen
class Bar:
    """A state held from one moment to another."""

    state: str
    first: int
    """Milliseconds, or the number of the step where no step has a time."""
    last: int
    known: bool = True
    """False where its beginning was not told: it is what the first step left."""
    told: bool = True
    """False where the step into it was not told but concluded."""
    note: str = ""


@frozen
class Flag:
    """Something worth saying at one moment of a row."""

    at: int
    kind: str
    verdict: Verdict
    note: str


@frozen
class Row:
    """What one instance did."""

    name: str
    machine: str
    bars: tuple[Bar, ...]
    flags: tuple[Flag, ...] = ()


@frozen
class Rows:
    """All rows, and the moments between which they are."""

    rows: tuple[Row, ...]
    first: int
    last: int
    timed: bool
    """False where the steps are only numbered."""


def rows_of(steps: Iterable[Step], findings: Iterable[Finding] = ()) -> Rows:
    """Gather the steps of each instance, in order of first mention.

    Steps without a time stand where the step before them stood; where no step has one, all are numbered from 0.
    """
    listed = tuple(steps)
    timed = any(step.at is not None and step.at.ms is not None for step in listed)
    moments = _moments(listed) if timed else range(len(listed))
    flags = _flags(findings) if timed else {}
    first, last = min(moments, default=0), max((*moments, *(each.at for found in flags.values() for each in found)), default=1)
    mine: dict[Who, list[tuple[int, Step]]] = {}
    for moment, step in zip(moments, listed, strict=True):
        mine.setdefault((step.machine, step.instance, step.process), []).append((moment, step))
    several = len({process for _, _, process in mine}) > 1
    rows = tuple(
        Row(_name(who, several), who[0], tuple(_bars(taken, first, last)), tuple(flags.get(who, ()))) for who, taken in mine.items()
    )
    return Rows(rows, first, max(last, first + 1), timed)


def _moments(steps: tuple[Step, ...]) -> tuple[int, ...]:
    found: list[int] = []
    earliest = min(step.at.ms for step in steps if step.at and step.at.ms is not None)
    for step in steps:
        known = step.at.ms if step.at else None
        found.append(known if known is not None else found[-1] if found else earliest)
    return tuple(found)


def _flags(findings: Iterable[Finding]) -> dict[Who, list[Flag]]:
    flags: dict[Who, list[Flag]] = {}
    for each in findings:
        if each.at is not None and each.at.ms is not None:
            flag = Flag(each.at.ms, each.kind, each.verdict, each.message)
            flags.setdefault((each.machine, each.instance, each.process), []).append(flag)
    return flags


def _bars(taken: list[tuple[int, Step]], first: int, last: int) -> Iterable[Bar]:
    """Yield the states between the steps; what the first step left is drawn from the left edge, as not known."""
    start, step = taken[0]
    if step.source and start > first:
        yield Bar(step.source, first, start, known=False, note=f"{step.source}, since when is not known")
    ends = [moment for moment, _ in taken[1:]] + [last]
    for (moment, step), end in zip(taken, ends, strict=True):
        if step.target is not None:
            yield Bar(step.target, moment, max(end, moment), told=step.how == "told", note=_note(step))


def _note(step: Step) -> str:
    place = f"\n{step.place.file}:{step.place.line}" if step.place else ""
    return f"{step.source or '?'} → {step.target}{'' if step.how == 'told' else f' ({step.how})'}{place}"


def _name(who: Who, several: bool) -> str:
    _, instance, process = who
    name = " ".join(str(value) for _, value in instance)
    return f"{name} · {process}" if several else name
