"""What instances say of others: that they are no longer as they were seen last."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from statemachines.conform.interchange.judgements import InstanceJudgement
from statemachines.conform.join.eras import SubjectInstances
from statemachines.conform.join.log_subjects import LogSubjects, fitting_releases, known_fields
from statemachines.conform.join.report_sources import machine_log
from statemachines.conform.join.silent_processes import silent_processes
from statemachines.conform.settle.judging_context import is_shared, reporting_process
from statemachines.model.definitions.log_definitions import DoubtDefinition
from statemachines.model.evidence.durations import format_duration
from statemachines.model.evidence.reports import InstanceKey
from statemachines.model.evidence.sources import ENDS_EARLY
from statemachines.model.values import frozen
from statemachines.notation.lines.line_templates import render_template


class CastDoubt(NamedTuple):
    """A doubt that holds at the end of the log."""

    since: int
    """Milliseconds: what was told of others later than this is not in doubt."""
    message: str
    whole_process: bool


_KeyNames = tuple[str, ...]
DoubtIndex = Mapping[str, Mapping[_KeyNames, Mapping[tuple[object, ...], CastDoubt]]]
"""By machine, by the keys that are compared, by the system and their values."""


class GreatestRank(NamedTuple):
    """The greatest number by which one instance of all is in a state that is its alone."""

    number: int
    since: int | None
    """Milliseconds, of the instance that has it."""


RankGroup = tuple[int, int, int]
"""Machine, who tells of it, and era: of these instances one is in a state that is its alone."""


@frozen
class Doubts:
    """What is in doubt because of what others say at the end of the log.

    Complexity: casting and asking are linear in instances.
    """

    by_instance: DoubtIndex
    by_process: Mapping[int, CastDoubt]
    """Of processes that have been silent since."""
    ranks: Mapping[RankGroup, GreatestRank]

    def overtaken_message(
        self, log_subjects: LogSubjects, key: InstanceKey, last: InstanceJudgement
    ) -> str:
        """Say that another instance came later to a state that one of all is in; empty where none
        did.

        Args:
            log_subjects: of all subjects.
            key: of the subject.
            last: its last instance.
        """
        later = _overtaken_by(log_subjects, key, last, self.ranks)
        return f"no longer: {_later_text(log_subjects, last, later)}" if later else ""

    def message(self, log_subjects: LogSubjects, key: InstanceKey, last: InstanceJudgement) -> str:
        """Return why an instance is in doubt; empty where it is not, or was heard of since.

        Args:
            log_subjects: of all subjects.
            key: of the subject.
            last: its last instance.
        """
        cast = _doubt_about(self.by_instance, log_subjects, key, last)
        if cast is not None and not cast.whole_process and _is_silent(last, cast):
            return _doubt_text(cast)
        is_of_others = cast is None and is_shared(log_subjects.context, last.owner)
        if last.since is None or is_of_others:
            return ""
        cast = self.by_process.get(last.since.process)
        return _doubt_text(cast) if cast is not None else ""


def find_doubts(log_subjects: LogSubjects) -> Doubts:
    """Find what machines say at the end of the log that makes others doubtful."""
    ranks = _greatest_ranks(log_subjects)
    by_instance: dict[str, dict[_KeyNames, dict[tuple[object, ...], CastDoubt]]] = {}
    for subject in log_subjects.subjects:
        for doubt, cast in _cast_doubts(log_subjects, subject):
            names, values = _compared_keys(doubt, subject[1])
            where = _system(log_subjects, subject[2][-1]), *values
            by_instance.setdefault(doubt.machine, {}).setdefault(names, {})[where] = cast
    by_process = _doubts_of_silent(log_subjects)
    for _, key, instances in log_subjects.subjects if by_instance or ranks else ():
        since = instances[-1].since
        doubtful = _doubt_about(
            by_instance, log_subjects, key, instances[-1]
        ) or _doubt_of_overtaken(log_subjects, key, instances[-1], ranks)
        if doubtful is None or not doubtful.whole_process or since is None:
            continue
        span = log_subjects.spans.get(since.process)
        if span is not None and span.last <= doubtful.since:
            by_process[since.process] = doubtful
    return Doubts(by_instance, by_process, ranks)


def _doubts_of_silent(log_subjects: LogSubjects) -> dict[int, CastDoubt]:
    """Return the doubts about processes that say nothing any more, and neither ended nor are
    programs that were closed.
    """
    context = log_subjects.context
    silent = silent_processes(context, log_subjects.spans)
    closed, others = set[int](), set[int]()
    for owner, _, instances in log_subjects.subjects if silent else ():
        last = instances[-1]
        if last.since is not None and machine_log(context.plan, owner).is_program:
            finals = {state.name for state in context.plan.specs[owner].states if state.final}
            (closed if set(last.states or ()) <= finals else others).add(last.since.process)
    return {
        process: CastDoubt(
            log_subjects.spans[process].last,
            f"its log ends {format_duration(ms)} {ENDS_EARLY}",
            True,
        )
        for process, ms in silent.items()
        if process not in closed - others
    }


def _greatest_ranks(log_subjects: LogSubjects) -> dict[RankGroup, GreatestRank]:
    """Return the greatest number that is known of that by which one instance of all is in a state
    that is its alone.
    """
    greatest: dict[RankGroup, GreatestRank] = {}
    for _, key, instances in log_subjects.subjects:
        last = instances[-1]
        rank = _rank(log_subjects, key, last)
        if rank is not None:
            where = _rank_group(log_subjects, last)
            if where not in greatest or rank > greatest[where].number:
                greatest[where] = GreatestRank(rank, last.since.at if last.since else None)
    return greatest


def _rank(log_subjects: LogSubjects, key: InstanceKey, last: InstanceJudgement) -> int | None:
    """Return an instance's own number, a key's or a variable's, by which one of all is in a state
    that is its alone; None: there is none, or it is not known.
    """
    sole = machine_log(log_subjects.context.plan, last.owner).sole
    value = dict(key).get(sole.by, last.rank) if sole is not None else None
    return value if isinstance(value, int) else None


def _rank_group(log_subjects: LogSubjects, last: InstanceJudgement) -> RankGroup:
    told_by = reporting_process(log_subjects.context, last.owner, last.processes[0])
    return last.owner, told_by, log_subjects.eras.era_index(log_subjects.context, last)


def _overtaken_by(
    log_subjects: LogSubjects,
    key: InstanceKey,
    last: InstanceJudgement,
    ranks: Mapping[RankGroup, GreatestRank],
) -> GreatestRank | None:
    """Return the greater number that says that an instance is no longer in the state that is one's
    alone; None where it is not in it, or may still be.
    """
    sole = machine_log(log_subjects.context.plan, last.owner).sole
    rank = _rank(log_subjects, key, last)
    if sole is None or last.states != (sole.state,) or rank is None:
        return None
    greatest = ranks[_rank_group(log_subjects, last)]
    return greatest if rank < greatest.number else None


def _later_text(log_subjects: LogSubjects, last: InstanceJudgement, later: GreatestRank) -> str:
    sole = machine_log(log_subjects.context.plan, last.owner).sole
    assert sole is not None, "only who was in such a state is overtaken"
    return f"{sole.by} {later.number} has begun"


def _doubt_of_overtaken(
    log_subjects: LogSubjects,
    key: InstanceKey,
    last: InstanceJudgement,
    ranks: Mapping[RankGroup, GreatestRank],
) -> CastDoubt | None:
    """Return the doubt about a whole process in which an instance was overtaken and has not heard
    of it; None where it was not, or where other processes tell of it (its number is a key).
    """
    later = _overtaken_by(log_subjects, key, last, ranks)
    if later is None or later.since is None or last.rank is None:
        return None
    return CastDoubt(later.since, _later_text(log_subjects, last, later), True)


def _cast_doubts(
    log_subjects: LogSubjects, subject: SubjectInstances
) -> Iterator[tuple[DoubtDefinition, CastDoubt]]:
    """Yield the doubts that a subject casts at the end of the log."""
    owner, key, instances = subject
    last = instances[-1]
    doubts = machine_log(log_subjects.context.plan, owner).doubts
    since = last.first_since or last.since
    if not doubts or last.states is None or since is None or since.at is None:
        return
    if last.is_over or log_subjects.ended_since(key, last) is not None:
        return
    fits = fitting_releases(log_subjects.context, owner, instances)
    fields = {name: str(value) for name, value in key}
    for doubt in doubts:
        if doubt.releases & fits and set(last.states) <= set(doubt.states):
            message = render_template(doubt.message, fields)
            yield doubt, CastDoubt(since.at, message, doubt.whole_process)


def _compared_keys(
    doubt: DoubtDefinition, key: InstanceKey
) -> tuple[_KeyNames, tuple[object, ...]]:
    """Return what is compared of the other machine, and the values that it has."""
    fields = {name: str(value) for name, value in key}
    names = tuple(name for name, _ in doubt.about)
    return names, tuple(render_template(text, fields) for _, text in doubt.about)


def _doubt_about(
    casts: DoubtIndex, log_subjects: LogSubjects, key: InstanceKey, last: InstanceJudgement
) -> CastDoubt | None:
    """Return a doubt that is cast on an instance; None where there is none."""
    known = casts.get(log_subjects.context.plan.owners[last.owner].name)
    if not known:
        return None
    fields, system = known_fields(key, last), _system(log_subjects, last)
    for names, by_fields in known.items():
        cast = by_fields.get((system, *(fields.get(name) for name in names)))
        if cast is not None:
            return cast
    return None


def _system(log_subjects: LogSubjects, last: InstanceJudgement) -> int:
    return log_subjects.context.system_index(last.processes[0]) if last.processes else -1


def _is_silent(last: InstanceJudgement, cast: CastDoubt) -> bool:
    """Tell whether no line told of an instance since a doubt was cast."""
    return last.last_position is not None and last.last_position.reached <= cast.since


def _doubt_text(cast: CastDoubt) -> str:
    return f"no longer heard of: {cast.message}"
