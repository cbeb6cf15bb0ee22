"""Mutation testing: who would notice if a machine were wrong by a little."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from os import PathLike, fspath
from pathlib import Path

from attrs import evolve, frozen

from statemachines.api.catalogue import find, in_release
from statemachines.api.explore import Row, became, rows, scope_of, snapshot_said
from statemachines.api.walking_systems import became as system_became
from statemachines.api.walking_systems import begin_said, find_system, system_in_release, system_rows
from statemachines.explore.results import Trace
from statemachines.model.machines import Machine, Spec
from statemachines.mutate.by_logs import Logs, logs_of
from statemachines.mutate.by_tests import Tests
from statemachines.mutate.mutating import MOST_STATES, Chosen, Judges
from statemachines.mutate.mutating import mutate as all_judged
from statemachines.mutate.mutating_systems import mutate_system
from statemachines.mutate.results import CannotJudge, Fate, Judged, Mutation, Notice, Only, Tally
from statemachines.semantics.systems import tables_of_system

__all__ = [
    "MOST_STATES",
    "CannotJudge",
    "Fate",
    "Judged",
    "Mutation",
    "Run",
    "Tally",
    "mutate",
    "run_of",
    "score_said",
    "title_of",
    "to_json",
]
AGAINST = "may not be asked: these arguments are against its `where`"


def mutate(
    asked: str | PathLike[str] | Spec,
    *,
    release: str | None = None,
    tests: Sequence[str] = (),
    logs: Sequence[str | PathLike[str]] = (),
    scope: Sequence[str] = (),
    most_states: int = MOST_STATES,
    sample: int | None = None,
    seed: int = 0,
    numbers: Sequence[int] = (),
    told: Callable[[int, int], None] | None = None,
) -> Mutation:
    """Make a machine wrong by a little, in every way that a slip may, and say who notices.

    Args:
        asked: the spec, or its name or path.
        release: in which it is changed; None: the one that the logs tell, else the newest.
        tests: as pytest names them; each mutant is handed to them in place of the spec, in a process of its own.
        logs: files and folders; would they have shown the bug?
        scope: of the exploration, such as `Task=3`; see `scope_of`.
        most_states: the ceiling of each exploration.
        sample: judge only so many, spread over the kinds of changes.
        seed: of that choice.
        numbers: judge only these.
        told: told how many are judged, and how many there are.

    Returns:
        What became of each mutant, in one order; with Ctrl-C, of those that were judged until then.

    Raises:
        SpecError: there is no such spec, or it has errors.
        CannotJudge: there is nothing to change, or no such number; a test does not pass with the spec as it is or never loads it; logs tell
            nothing of the machine, or something there is VIOLATED already.
        ValueError: no such release, or a scope that does not fit.
    """
    chosen = Chosen(sample, seed, tuple(numbers), told)
    system = None if isinstance(asked, Spec) else find_system(fspath(asked))
    if system is not None:
        if tests or logs:
            raise CannotJudge(f"{system.name} is a system: tests and logs judge mutants of its machines")
        one = system_in_release(system, release)[0]
        return _some(mutate_system(one, Judges(scope_of(tables_of_system(one).behaviour.machine, scope), most_states), chosen), numbers)
    spec, name = (asked, _name(asked)) if isinstance(asked, Spec) else (find(fspath(asked)), fspath(asked))
    read = logs_of(spec, logs, release) if logs else None
    try:
        machine = _machine(spec, release, read)
        named = f"{name}@{machine.release}"
        run = Tests(named, tuple(tests)) if tests else None
        judges = Judges(scope_of(machine, scope), most_states, run, read)
        return _some(all_judged(spec, machine, judges, chosen), numbers)
    finally:
        if read is not None:
            read.close()


def _some(found: Mutation, numbers: Sequence[int]) -> Mutation:
    """Return what was found out.

    Raises:
        CannotJudge: there is nothing to change, or no mutant of a number; no mutants would look like no survivors.
    """
    if not found.made:
        raise CannotJudge(f"{found.machine.name} has no mutants: there is no transition, answer or beginning in it to change")
    for number in numbers:
        if number > found.made:
            raise CannotJudge(f"there is no mutant {number}; {title_of(found)} has {found.made}")
    return found


def _name(spec: Spec) -> str:
    """Return a name by which another process finds a spec: its path, or that of the catalogue."""
    return spec.file if Path(spec.file).is_file() else spec.name


def _machine(spec: Spec, release: str | None, logs: Logs | None) -> Machine:
    if release is None and logs is not None and spec.family.name:
        release = spec.family.newest(logs.releases)
    return in_release(spec, release)[0]


@frozen
class Run:
    """A run that tells a mutant from the original, for a person."""

    begin: str
    rows: tuple[Row, ...]
    instead: str
    """What the mutant does at the last event."""


def run_of(judged: Judged) -> Run | None:
    """Return the shortest run that tells a survivor from the original; None of others, and where they begin otherwise."""
    trace = judged.apart
    if judged.runs:
        one, other = judged.runs
        told = tuple(Row(each.number, each.event, each.became) for each in system_rows(one.begin, one.steps))
        return Run(begin_said(one.begin), told, system_became(other.steps[-1]))
    if trace is None or not trace.steps or (judged.instead is None and not judged.only):
        return None
    (before,) = trace.snapshots[-2]
    told, begin = tuple(rows(trace)), snapshot_said(trace.begin[0])
    if judged.only is Only.MUTANT:
        return Run(begin, (*told[:-1], evolve(told[-1], became=AGAINST)), told[-1].became)
    return Run(begin, told, AGAINST if judged.instead is None else became(before, judged.instead))


def title_of(found: Mutation) -> str:
    """Return the machine's name and release."""
    return f"{found.machine.name} {found.machine.release}".strip()


def score_said(tally: Tally) -> str:
    """Write a score as a percentage, rounded down; `-` where nothing could be killed.

    >>> score_said(Tally("all", 3, 2, 1, 0, 0, 0, ()))
    '66 %'
    """
    return "-" if tally.score is None else f"{int(tally.score * 100)} %"


def to_json(found: Mutation) -> dict[str, object]:
    """Return a mutation as plain data, its keys in one order."""
    return {
        "format": "statemachines.mutation/1",
        "machine": found.machine.name,
        "release": found.machine.release,
        "scope": found.scope,
        "mutants": found.made,
        "judged": len(found.judged),
        "judges": [judge.value for judge in found.judges],
        "score": None if found.total.score is None else round(found.total.score, 4),
        "interrupted": found.interrupted,
        "violated": [*found.violated],
        "operators": [_tally(one) for one in (*found.tallies, found.total)],
        "results": [_judged(one) for one in found.judged],
    }


def _tally(one: Tally) -> dict[str, object]:
    counts = {"mutants": one.mutants, "killed": one.killed, "survived": one.survived, "equivalent": one.equivalent}
    counts |= {"duplicate": one.duplicate, "not judged": one.not_judged}
    return {"operator": one.title, **counts, "noticed": {judge.value: number for judge, number in one.noticed}}


def _judged(one: Judged) -> dict[str, object]:
    draft = one.mutant.draft
    told: dict[str, object] = {"number": one.mutant.number, "operator": draft.operator.value, "title": one.mutant.title}
    told |= {"spec": one.mutant.place, "release": draft.release, "diff": list(draft.diff), "fate": one.fate.value}
    told |= {"noticed": [_notice(each) for each in one.notices], "why": one.why, "log": one.silence, "same as": one.same_as}
    run = run_of(one)
    return told | {"run": None if run is None else {"begin": run.begin, "steps": list(_steps(run.rows)), "instead": run.instead}}


def _notice(one: Notice) -> dict[str, object]:
    return {"judge": one.judge.value, "by": one.by, "said": one.said, "run": _run(one)}


def _run(one: Notice) -> dict[str, object] | None:
    if one.run is not None:
        told = system_rows(one.run.begin, one.run.steps)
        return {"begin": begin_said(one.run.begin), "steps": [{"event": row.event, "became": row.became} for row in told]}
    return None if one.trace is None else _trace(one.trace)


def _trace(trace: Trace) -> dict[str, object]:
    return {"begin": snapshot_said(trace.begin[0]), "steps": list(_steps(tuple(rows(trace))))}


def _steps(steps: Sequence[Row]) -> Iterator[dict[str, str]]:
    return ({"event": row.event, "became": row.became} for row in steps)
