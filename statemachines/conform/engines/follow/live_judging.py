"""Judging again what new lines are about, and only that."""

from __future__ import annotations

import pickle
from collections import defaultdict
from collections.abc import Iterable, Sequence

from attrs import Factory, define, field, frozen

from statemachines.conform.engines.follow.followed_log import FollowedLog
from statemachines.conform.engines.follow.followed_observations import (
    FollowedObservations,
    RenumberedObservations,
    Teller,
)
from statemachines.conform.interchange.check_plan import CheckPlan
from statemachines.conform.interchange.judgements import InstanceJudgement
from statemachines.conform.interchange.observations import Observation, Position
from statemachines.conform.interchange.profiles import Profile
from statemachines.conform.join.current_states import TimelineCounts
from statemachines.conform.join.report_assembly import ReportAssembly
from statemachines.conform.join.report_sources import instance_sort_key
from statemachines.conform.judge.judgement_pass import InstanceFold, JudgementPass, may_go_on
from statemachines.conform.judge.tables.judging_tables import JudgingTables
from statemachines.conform.settle.judging_context import (
    InstanceIdentity,
    JudgingContext,
    instance_identity,
    order_observations,
    reporting_process,
    settle_context,
)
from statemachines.conform.settle.processes import Process
from statemachines.model.evidence.reports import Report

_PROCESS_FACTS = ("fits", "own_fits", "shown_levels", "possible_starts", "certain_starts", "ends")
"""What judging asks of a process beside its name and its files."""


@frozen
class _LiveFold:
    """What judging an instance came to."""

    packed: bytes
    """An `InstanceFold`: a pass that goes on changes its own copy."""
    last: Position
    """Where the last line stands that it takes in."""


@define
class LiveJudging:
    """The judgements of all instances, as of the lines that came so far."""

    plan: CheckPlan
    observations: FollowedObservations
    tables: JudgingTables = field(init=False)
    _context: JudgingContext | None = None
    _judged: dict[InstanceIdentity, InstanceJudgement] = Factory(dict)
    _folds: dict[InstanceIdentity, _LiveFold] = Factory(dict)
    _tellers: dict[InstanceIdentity, dict[Teller, None]] = Factory(lambda: defaultdict(dict))

    @tables.default
    def _tables(self) -> JudgingTables:
        return JudgingTables(self.plan)

    def report(self, logs: Sequence[FollowedLog]) -> Report:
        """Return what is known now, without timeline, steps that were counted, and rules of
        systems.

        Args:
            logs: all that are followed, in the order in which a check has them as files.

        Complexity: judges the instances that new lines are about from where they were, and from
        their beginning those whose history others tell too, and all of a process of which something
        new was learnt, such as its release.
        """
        profiles = [_profile(log, number) for number, log in enumerate(logs)]
        context = settle_context(self.plan, tuple(log.as_file() for log in logs), profiles)
        self._forget_outdated(context)
        self._context = context
        numbers = {log.number: number for number, log in enumerate(logs)}
        rows = RenumberedObservations(self.observations, numbers)
        for who in self._affected(context, rows):
            self._judge(context, who, rows)
        for who in [who for who in self._tellers if who not in self._judged]:
            self._judge(context, who, rows)
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
            owner, key, file, unit = teller
            if None not in key and self.observations.is_known(teller):
                process = context.process_by_unit[rows.numbers[file], unit]
                who = owner, reporting_process(context, owner, process), key
                self._tellers[who][teller] = affected[who] = None
                continue
            for observation in rows.of_teller(teller):
                whole = context.with_generation(observation)
                if whole is not None:
                    who = instance_identity(context, whole)
                    self._tellers[who][teller] = None
                    affected[who] = None
            # those of whom the end of a log, read again, says nothing any more
            affected |= {who: None for who, tellers in self._tellers.items() if teller in tellers}
        return affected

    def _judge(
        self, context: JudgingContext, who: InstanceIdentity, rows: RenumberedObservations
    ) -> None:
        """Judge an instance: from where it was, if all that is new stands behind that."""
        tellers, before = self._tellers[who], self._folds.pop(who, None)
        fresh = [observation for teller in tellers for observation in rows.take_fresh(teller)]
        ends = [observation for teller in tellers for observation in rows.ends(teller)]
        last = before.last if before is not None else None
        tells_all = not any(None in teller[1] for teller in tellers)
        if not tells_all or not may_go_on(context, who[0], {rows.numbers[t[2]] for t in tellers}):
            observations = rows.of_instance(context, who, tellers)
            self._judged[who] = self._finished(self._new_pass(context, who, observations))
            return
        if before is None or not _is_later(context, last, [*fresh, *ends]):
            before, last = None, None
            fresh = [observation for teller in tellers for observation in rows.settled(teller)]
        fold = pickle.loads(before.packed) if before is not None else None
        judging = self._new_pass(context, who, (), fold)
        ordered = order_observations(context, fresh)
        _exhaust(judging.runs_before_more(ordered))
        last = context.position(ordered[-1]) if ordered else last
        if last is not None and _is_later(context, last, ends):
            self._folds[who] = _LiveFold(pickle.dumps(judging.fold(), 5), last)
        elif ends and last is not None:  # lines of several units of one file
            observations = rows.of_instance(context, who, tellers)
            self._judged[who] = self._finished(self._new_pass(context, who, observations))
            return
        _exhaust(judging.runs_before_more(order_observations(context, ends)))
        self._judged[who] = self._finished(judging)

    def _new_pass(
        self,
        context: JudgingContext,
        who: InstanceIdentity,
        observations: Iterable[Observation],
        fold: InstanceFold | None = None,
    ) -> JudgementPass:
        return JudgementPass(context, self.tables, who[0], who[2], observations, fold)

    def _finished(self, judging: JudgementPass) -> InstanceJudgement:
        _exhaust(judging.runs())
        return judging.judgement

    def _forget_outdated(self, context: JudgingContext) -> None:
        """Forget judgements that rest on what is known otherwise by now."""
        before = self._context
        if before is None or not _is_continued(before, context):
            self._judged.clear()
            self._folds.clear()
            self._tellers.clear()
            self.tables.forget_shown_lines()
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
            self._folds.pop(who, None)
        if changed:
            self.tables.forget_shown_lines()


def _is_later(
    context: JudgingContext, last: Position | None, observations: Iterable[Observation]
) -> bool:
    """Say whether all of some observations stand behind a place."""
    return last is not None and all(
        context.position(observation) > last for observation in observations
    )


def _exhaust(rows: Iterable[object]) -> None:
    for _ in rows:
        pass


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
