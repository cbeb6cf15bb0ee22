"""What everything that was judged says together: which subjects there are, and what of them is
over.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from attrs import field, frozen

from statemachines.conform.interchange.judgements import InstanceJudgement
from statemachines.conform.interchange.observations import Position
from statemachines.conform.join.eras import (
    Eras,
    Restarts,
    SubjectInstances,
    find_eras,
    find_restarts,
)
from statemachines.conform.join.report_names import machine_log, subject_key, to_instant
from statemachines.conform.judge.tables.judging_tables import JudgingTables
from statemachines.conform.judge.tables.release_tables import ReleaseClass
from statemachines.conform.settle.instance_order import is_shared, reporting_process
from statemachines.conform.settle.judging_context import JudgingContext
from statemachines.model.evidence.reports import InstanceKey, Instant


@frozen
class SubjectEnd:
    """Where something was over, whatever was told of it before."""

    at: Instant | None


@frozen
class LogSubjects:
    """The subjects of a log in the order of the report, and what began anew."""

    context: JudgingContext
    tables: JudgingTables
    subjects: Sequence[SubjectInstances]
    eras: Eras
    restarts: Restarts
    last_times: Mapping[int, int]
    """Process to the time of the last line that its files show, in epoch milliseconds."""
    instances: Sequence[InstanceJudgement] = ()
    """All of the log, also those that only counted lines tell of."""
    _reachable: dict[tuple[object, ...], bool] = field(factory=dict, init=False, eq=False)

    def ended_since(self, subject: InstanceKey, last: InstanceJudgement) -> SubjectEnd | None:
        """Return where the program or the system began anew that a subject is a part of; None where
        it was heard of since.

        Args:
            subject: its key.
            last: its last instance.
        """
        restart = self.restarts.unobserved_since(subject, last)
        if restart is not None:
            return SubjectEnd(to_instant(restart))
        wiped = self.eras.era_end(self.context, last)
        return self._end_at(wiped, last) if wiped is not None else None

    def last_time(self, owner: int, process: int) -> int | None:
        """Return until when a log tells of what a process told: of what several processes tell of,
        until the end of all; None without times.
        """
        if is_shared(self.context, owner):
            return max(self.last_times.values(), default=None)
        return self.last_times.get(process)

    def restarted_since(self, last: InstanceJudgement) -> SubjectEnd | None:
        """Return where the only process that tells of an instance began anew since; None where it
        did not.

        What several processes tell of, and what has generations, outlives each of them.
        """
        log = machine_log(self.context.plan, last.owner)
        if (
            last.since is None
            or last.last_position is None
            or is_shared(self.context, last.owner)
            or log.generation is not None
        ):
            return None
        started = self.context.processes[last.since.process].started_after(last.last_position)
        return self._end_at(started, last) if started is not None else None

    @staticmethod
    def _end_at(where: Position, last: InstanceJudgement) -> SubjectEnd:
        timed = last.since is not None and last.since.at is not None
        return SubjectEnd(
            Instant(where.reached, last.since.zone) if timed and last.since is not None else None
        )

    def may_have_left(self, last: InstanceJudgement, to: frozenset[str]) -> bool:
        """Tell whether steps that no file of the process shows lead from where an instance is to
        any of some states.

        Args:
            last: the instance.
            to: the states.
        """
        if last.since is None or last.states is None:
            return False
        key = last.owner, last.since.process, last.states, to
        if key not in self._reachable:
            shown = self.tables.lines_it_would_show(self.context, last.since.process, last.owner)
            classes = self.tables.fitting_classes(
                last.owner, fitting_releases(self.context, last.owner, [last])
            )
            self._reachable[key] = any(
                _hidden_steps_lead(rules, last.states, to, shown) for rules in classes
            )
        return self._reachable[key]


def _hidden_steps_lead(
    rules: ReleaseClass, start: Iterable[str], to: frozenset[str], shown: frozenset[int]
) -> bool:
    """Tell whether hidden steps lead from some states to others."""
    hidden = [
        transition
        for transition, how in rules.unseen.unseen_steps(shown).items()
        if how == "hidden"
    ]
    reached = set(start)
    while more := {target for source, target in hidden if source in reached} - reached:
        reached |= more
    return bool((reached - set(start)) & to)


def gather_subjects(
    context: JudgingContext,
    tables: JudgingTables,
    judged: Sequence[InstanceJudgement],
    last_times: Mapping[int, int],
    instances: Sequence[InstanceJudgement] = (),
) -> LogSubjects:
    """Gather the instances of each subject; they come in the order of the report, and in it stay:
    what was made anew comes later.

    Args:
        context: of the judging.
        tables: of the machines.
        judged: all instances, in the order of the report.
        last_times: process to the time of the last line that its files show.
        instances: all, also those that only counted lines tell of.
    """
    eras = find_eras(context, judged)
    gathered: dict[tuple[int, int, InstanceKey], list[InstanceJudgement]] = defaultdict(list)
    for j in judged:
        told_by = reporting_process(context, j.owner, j.processes[0]) if j.processes else -1
        gathered[j.owner, told_by, subject_key(context, j.owner, j.key)].append(j)
    by_era = [
        (owner, key, sorted(judgements, key=lambda j: eras.era_index(context, j)))
        for (owner, _, key), judgements in gathered.items()
    ]
    restarts = find_restarts(context, by_era)
    return LogSubjects(context, tables, by_era, eras, restarts, last_times, instances)


def fitting_releases(
    context: JudgingContext, owner: int, judged: Sequence[InstanceJudgement]
) -> int:
    """Return the releases that fit any process that tells of some instances."""
    releases = 0
    for number in {p for j in judged for p in j.processes}:
        process = context.processes[number]
        for fit in (
            process.own_fits.get(owner) or process.fits.get(context.plan.owners[owner].family) or ()
        ):
            releases |= fit.releases
    return releases
