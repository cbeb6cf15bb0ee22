"""Mutation testing: who would notice if a machine were wrong by a little."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from os import PathLike, fspath
from pathlib import Path

from attrs import evolve, frozen

from statemachines.api.queries.catalogue import (
    find_machine,
    find_system,
    machine_in_release,
    system_in_release,
)
from statemachines.explore.results.run_traces import Trace
from statemachines.model.definitions.machine_definitions import MachineDefinition, SpecDefinition
from statemachines.mutate.campaigns.mutation import (
    MOST_STATES,
    JudgePanel,
    MutantSelection,
    mutate_system,
)
from statemachines.mutate.campaigns.mutation import mutate as all_judged
from statemachines.mutate.judges.log_judge import LogJudge, read_judging_logs
from statemachines.mutate.judges.mutation_results import (
    AdmittedOnlyBy,
    CannotJudge,
    Detection,
    JudgedMutant,
    MutantStatus,
    MutantTally,
    MutationResult,
)
from statemachines.mutate.judges.pytest_judge import PytestJudge
from statemachines.report.exploration.abstract_rows import snapshot_text
from statemachines.report.exploration.exploration_report import (
    outcome_text,
    trace_rows,
)
from statemachines.report.exploration.scope_texts import scope_from_texts
from statemachines.report.exploration.system_run_texts import (
    TraceRow,
    system_snapshot_text,
    system_trace_rows,
)
from statemachines.report.exploration.system_run_texts import system_outcome_text as system_became

__all__ = [
    "MOST_STATES",
    "CannotJudge",
    "DistinguishingRun",
    "JudgedMutant",
    "MutantStatus",
    "MutantTally",
    "MutationResult",
    "distinguishing_run",
    "mutate",
    "mutation_title",
    "score_text",
    "to_json",
]
_AGAINST_WHERE = "may not be asked: these arguments are against its `where`"


def mutate(
    name_or_spec: str | PathLike[str] | SpecDefinition,
    *,
    release: str | None = None,
    tests: Sequence[str] = (),
    logs: Sequence[str | PathLike[str]] = (),
    scope: Sequence[str] = (),
    most_states: int = MOST_STATES,
    sample: int | None = None,
    seed: int = 0,
    numbers: Sequence[int] = (),
    on_progress: Callable[[int, int], None] | None = None,
) -> MutationResult:
    """Make a machine wrong by a little, in every way that a slip may, and say who notices.

    Args:
        name_or_spec: the spec, or its name or path.
        release: in which it is changed; None: the one that the logs tell, else the newest.
        tests: as pytest names them; each mutant is handed to them in place of the spec, in a
            process of its own.
        logs: files and folders; would they have shown the bug?
        scope: of the exploration, such as `Task=3`; see `scope_from_texts`.
        most_states: the ceiling of each exploration.
        sample: judge only so many, spread over the kinds of changes.
        seed: of that choice.
        numbers: judge only these.
        on_progress: told how many are judged, and how many there are.

    Returns:
        What became of each mutant, in one order; with Ctrl-C, of those that were judged until then.

    Raises:
        SpecError: there is no such spec, or it has errors.
        CannotJudge: there is nothing to change, or no such number; a test does not pass with the
            spec as it is or never loads it; logs tell nothing of the machine, or something there is
            VIOLATED already.
        ValueError: no such release, or a scope that does not fit.
    """
    chosen = MutantSelection(sample, seed, tuple(numbers), on_progress)
    system = None if isinstance(name_or_spec, SpecDefinition) else find_system(fspath(name_or_spec))
    if system is not None:
        if tests or logs:
            raise CannotJudge(
                f"{system.name} is a system: tests and logs judge mutants of its machines"
            )
        in_release = system_in_release(system, release)[0]
        return _require_mutants(
            mutate_system(
                in_release,
                JudgePanel(
                    scope_from_texts(in_release, scope),
                    most_states,
                ),
                chosen,
            ),
            numbers,
        )
    spec, name = (
        (name_or_spec, _loadable_name(name_or_spec))
        if isinstance(name_or_spec, SpecDefinition)
        else (find_machine(fspath(name_or_spec)), fspath(name_or_spec))
    )
    read = read_judging_logs(spec, logs, release) if logs else None
    try:
        machine = _mutated_machine(spec, release, read)
        named = f"{name}@{machine.release}"
        run = PytestJudge(named, tuple(tests)) if tests else None
        judges = JudgePanel(scope_from_texts(machine, scope), most_states, run, read)
        return _require_mutants(all_judged(spec, machine, judges, chosen), numbers)
    finally:
        if read is not None:
            read.close()


def _require_mutants(result: MutationResult, numbers: Sequence[int]) -> MutationResult:
    """Return what was found out.

    Raises:
        CannotJudge: there is nothing to change, or no mutant of a number; no mutants would look
            like no survivors.
    """
    if not result.mutant_count:
        raise CannotJudge(
            f"{result.machine.name} has no mutants: there is no transition, answer or beginning in"
            " it to change"
        )
    for number in numbers:
        if number > result.mutant_count:
            raise CannotJudge(
                f"there is no mutant {number}; {mutation_title(result)} has {result.mutant_count}"
            )
    return result


def _loadable_name(spec: SpecDefinition) -> str:
    """Return a name by which another process finds a spec: its path, or that of the catalogue."""
    return spec.file if Path(spec.file).is_file() else spec.name


def _mutated_machine(
    spec: SpecDefinition, release: str | None, logs: LogJudge | None
) -> MachineDefinition:
    if release is None and logs is not None and spec.family.name:
        release = spec.family.newest(logs.releases)
    return machine_in_release(spec, release)[0]


@frozen
class DistinguishingRun:
    """A run that tells a mutant from the original, for a person."""

    start: str
    rows: tuple[TraceRow, ...]
    mutant_outcome: str
    """What the mutant does at the last event."""


def distinguishing_run(judged: JudgedMutant) -> DistinguishingRun | None:
    """Return the shortest run that tells a survivor from the original; None of others, and where
    they begin otherwise.

    Args:
        judged: a mutant and what its judges said.

    Returns:
        The run, step by step, with the answers of both.
    """
    trace = judged.apart
    if judged.system_runs:
        chosen, other = judged.system_runs
        data = tuple(system_trace_rows(chosen.begin, chosen.steps))
        return DistinguishingRun(
            system_snapshot_text(chosen.begin), data, system_became(other.steps[-1])
        )
    if (
        trace is None
        or not trace.steps
        or (judged.mutant_answer is None and not judged.admitted_only_by)
    ):
        return None
    (before,) = trace.snapshots[-2]
    data, begin = tuple(trace_rows(trace)), snapshot_text(trace.begin[0])
    if judged.admitted_only_by is AdmittedOnlyBy.MUTANT:
        return DistinguishingRun(
            begin, (*data[:-1], evolve(data[-1], outcome=_AGAINST_WHERE)), data[-1].outcome
        )
    return DistinguishingRun(
        begin,
        data,
        (
            _AGAINST_WHERE
            if judged.mutant_answer is None
            else outcome_text(before, judged.mutant_answer)
        ),
    )


def mutation_title(result: MutationResult) -> str:
    """Return the machine's name and release.

    Args:
        result: a mutation.

    Returns:
        Both with a blank between them; the name alone where there are no releases.
    """
    return f"{result.machine.name} {result.machine.release}".strip()


def score_text(tally: MutantTally) -> str:
    """Write a score as a percentage, rounded down; `-` where nothing could be killed.

    Args:
        tally: how many mutants of a kind were detected.

    Returns:
        Text such as `66 %`.

    >>> score_text(MutantTally("all", 3, 2, 1, 0, 0, 0, ()))
    '66 %'
    """
    return "-" if tally.score is None else f"{int(tally.score * 100)} %"


def to_json(result: MutationResult) -> dict[str, object]:
    """Return a mutation as plain data, its keys in one order.

    Args:
        result: a mutation.

    Returns:
        Maps, lists, texts and numbers, as `json` writes them.
    """
    return {
        "format": "statemachines.mutation/1",
        "machine": result.machine.name,
        "release": result.machine.release,
        "scope": result.scope,
        "mutants": result.mutant_count,
        "judged": len(result.judged),
        "judges": [judge.value for judge in result.judges],
        "score": None if result.total.score is None else round(result.total.score, 4),
        "interrupted": result.interrupted,
        "violated": [*result.violated_properties],
        "operators": [_tally_data(tally) for tally in (*result.tallies, result.total)],
        "results": [_mutant_data(judged) for judged in result.judged],
    }


def _tally_data(tally: MutantTally) -> dict[str, object]:
    counts = {
        "mutants": tally.mutants,
        "killed": tally.killed,
        "survived": tally.survived,
        "equivalent": tally.equivalent,
    }
    counts |= {"duplicate": tally.duplicate, "not judged": tally.not_judged}
    return {
        "operator": tally.title,
        **counts,
        "noticed": {judge.value: number for judge, number in tally.detected},
    }


def _mutant_data(mutant: JudgedMutant) -> dict[str, object]:
    draft = mutant.mutant.candidate
    data: dict[str, object] = {
        "number": mutant.mutant.number,
        "operator": draft.operator.value,
        "title": mutant.mutant.title,
    }
    data |= {
        "spec": mutant.mutant.position,
        "release": draft.release,
        "diff": list(draft.diff),
        "fate": mutant.status.value,
    }
    data |= {
        "noticed": [_notice_data(notice) for notice in mutant.notices],
        "why": mutant.why,
        "log": mutant.log_silence,
        "same as": mutant.same_as,
    }
    run = distinguishing_run(mutant)
    return data | {
        "run": (
            None
            if run is None
            else {
                "begin": run.start,
                "steps": list(_steps_data(run.rows)),
                "instead": run.mutant_outcome,
            }
        )
    }


def _notice_data(detection: Detection) -> dict[str, object]:
    return {
        "judge": detection.judge.value,
        "by": detection.by,
        "said": detection.message,
        "run": None if detection.trace is None else _trace_data(detection.trace),
    }


def _trace_data(trace: Trace) -> dict[str, object]:
    if trace.is_of_system:
        rows = system_trace_rows(trace.begin, trace.steps)
        return {
            "begin": system_snapshot_text(trace.begin),
            "steps": list(_steps_data(tuple(rows))),
        }
    return {
        "begin": snapshot_text(trace.begin[0]),
        "steps": list(_steps_data(tuple(trace_rows(trace)))),
    }


def _steps_data(steps: Sequence[TraceRow]) -> Iterator[dict[str, str]]:
    return ({"event": row.event, "became": row.outcome} for row in steps)
