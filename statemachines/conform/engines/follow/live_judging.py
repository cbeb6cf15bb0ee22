"""Judging again what new lines are about, and only that."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from attrs import Factory, define, field

from statemachines.conform.engines.follow.followed_log import FollowedLog
from statemachines.conform.engines.follow.followed_observations import (
    FollowedObservations,
    RenumberedObservations,
    Teller,
)
from statemachines.conform.interchange.check_plan import CheckPlan
from statemachines.conform.interchange.judgements import InstanceJudgement
from statemachines.conform.interchange.observations import Observation
from statemachines.conform.interchange.profiles import Profile
from statemachines.conform.join.current_states import TimelineCounts
from statemachines.conform.join.report_assembly import ReportAssembly
from statemachines.conform.join.report_names import instance_sort_key
from statemachines.conform.judge.judgement_pass import JudgementPass
from statemachines.conform.judge.tables.judging_tables import JudgingTables
from statemachines.conform.settle.instance_order import InstanceIdentity, instance_identity
from statemachines.conform.settle.judging_context import JudgingContext
from statemachines.conform.settle.processes import Process
from statemachines.conform.settle.settled_context import settle_context
from statemachines.model.evidence.reports import Report

_PROCESS_FACTS = ("fits", "own_fits", "shown_levels", "possible_starts", "certain_starts", "ends")
"""What judging asks of a process beside its name and its files."""


@define
class LiveJudging:
    """The judgements of all instances, as of the lines that came so far."""

    plan: CheckPlan
    observations: FollowedObservations
    tables: JudgingTables = field(init=False)
    _context: JudgingContext | None = None
    _judged: dict[InstanceIdentity, InstanceJudgement] = Factory(dict)
    _tellers: dict[InstanceIdentity, dict[Teller, None]] = Factory(lambda: defaultdict(dict))

    @tables.default
    def _tables(self) -> JudgingTables:
        return JudgingTables(self.plan)

    def report(self, logs: Sequence[FollowedLog]) -> Report:
        """Return what is known now, without timeline, steps that were counted, and rules of
        systems.

        Args:
            logs: all that are followed, in the order in which a check has them as files.

        Complexity: judges the instances that new lines are about from their beginning, and all of a
        process of which something new was learnt, such as its release.
        """
        profiles = [_profile(log, number) for number, log in enumerate(logs)]
        context = settle_context(self.plan, tuple(log.as_file() for log in logs), profiles)
        self._forget_outdated(context)
        self._context = context
        numbers = {log.number: number for number, log in enumerate(logs)}
        rows = RenumberedObservations(self.observations, numbers)
        for who in self._affected(context, rows):
            self._judge(context, who, rows.of_instance(context, who, self._tellers[who]))
        for who in [who for who in self._tellers if who not in self._judged]:
            self._judge(context, who, rows.of_instance(context, who, self._tellers[who]))
        judged = [
            self._judged[who]
            for who in sorted(self._judged, key=lambda who: instance_sort_key(context, who))
        ]
        return self._assembly(context, profiles, logs).report(judged, TimelineCounts(), ())

    def _assembly(
        self, context: JudgingContext, profiles: list[Profile], logs: Sequence[FollowedLog]
    ) -> ReportAssembly:
        facts = [log.reading.facts for log in logs]
        return ReportAssembly(context, self.tables, profiles, facts)

    def _affected(
        self, context: JudgingContext, rows: RenumberedObservations
    ) -> Iterable[InstanceIdentity]:
        """Return the instances of which something new was told, and note who tells of them."""
        affected: dict[InstanceIdentity, None] = {}
        touched, self.observations.touched = self.observations.touched, set()
        for teller in touched:
            for seen in rows.of_teller(teller):
                whole = context.with_generation(seen)
                if whole is not None:
                    who = instance_identity(context, whole)
                    self._tellers[who][teller] = None
                    affected[who] = None
                if None not in teller[1]:
                    break
            else:
                # the end of a log was read again, and says nothing of it any more
                affected |= {
                    who: None for who, tellers in self._tellers.items() if teller in tellers
                }
        return affected

    def _judge(
        self, context: JudgingContext, who: InstanceIdentity, observations: Sequence[Observation]
    ) -> None:
        judging = JudgementPass(context, self.tables, who[0], who[2], observations)
        for _ in judging.runs():
            pass
        self._judged[who] = judging.judgement

    def _forget_outdated(self, context: JudgingContext) -> None:
        """Forget judgements that rest on what is known otherwise by now."""
        before = self._context
        if before is None or not _is_continued(before, context):
            self._judged.clear()
            self._tellers.clear()
            self.observations.touched = set(self.observations.tellers)
            return
        changed = {
            number
            for number, (old, new) in enumerate(
                zip(before.processes, context.processes, strict=False)
            )
            if not _is_same(old, new)
        }
        for who in [
            who
            for who, judged in self._judged.items()
            if changed and (who[1] in changed or changed.intersection(judged.processes))
        ]:
            del self._judged[who]


def _profile(log: FollowedLog, number: int) -> Profile:
    """Return what a log shows as the file of a check with a number."""
    reading = log.reading if log.number == number else log.reading.of_file(number)
    return reading.profile


def _is_continued(before: JudgingContext, now: JudgingContext) -> bool:
    """Say whether all numbers mean what they meant: files, processes and their order."""
    return (
        before.files == now.files
        and [process.name for process in before.processes]
        == [process.name for process in now.processes[: len(before.processes)]]
        and before.process_by_unit.items() <= now.process_by_unit.items()
        and before.shifts == now.shifts
        and before.abroad == now.abroad
    )


def _is_same(before: Process, now: Process) -> bool:
    return all(getattr(before, fact) == getattr(now, fact) for fact in _PROCESS_FACTS)
