"""Judging again what new lines are about, and only that."""

from __future__ import annotations

import pickle
from collections import defaultdict
from collections.abc import Iterable, Sequence

from attrs import Factory, define, field, frozen

from statemachines.conform.engines.follow.continued_contexts import (
    is_continued,
    is_same,
    stands_what_was_let_go,
)
from statemachines.conform.engines.follow.followed_log import FollowedLog
from statemachines.conform.engines.follow.followed_observations import (
    FollowedObservations,
    RenumberedObservations,
    Teller,
)
from statemachines.conform.engines.follow.quiet_instances import QuietInstances
from statemachines.conform.engines.follow.settled_past import (
    later_points,
    settled_moment,
    shortest_memory_ms,
    without_past,
)
from statemachines.conform.engines.growing.content_readings import ContentReading
from statemachines.conform.interchange.check_plan import CheckPlan
from statemachines.conform.interchange.judgements import InstanceJudgement
from statemachines.conform.interchange.observations import Observation, Position
from statemachines.conform.interchange.profiles import Profile
from statemachines.conform.join.current_states import TimelineCounts
from statemachines.conform.join.report_assembly import ReportAssembly
from statemachines.conform.join.report_sources import instance_sort_key
from statemachines.conform.judge.judgement_pass import InstanceFold, JudgementPass, may_go_on
from statemachines.conform.judge.repeated.learnt_variants import is_plain
from statemachines.conform.judge.repeated.repeated_instances import RepeatedInstances
from statemachines.conform.judge.tables.judging_tables import JudgingTables
from statemachines.conform.settle.judging_context import (
    InstanceIdentity,
    JudgingContext,
    instance_identity,
    order_observations,
    reporting_process,
    settle_context,
)
from statemachines.model.evidence.reports import Report


@frozen
class _LiveFold:
    """What judging an instance came to."""

    packed: bytes
    """An `InstanceFold`: a pass that goes on changes its own copy."""
    last: Position
    """Where the last line stands that it takes in."""


@define
class LiveJudging:
    """The judgements of instances, as of the lines that came so far; of what ended, and of which
    nothing is told but where it was, there is none. It is judged again where a line tells of it, or
    something that was learnt of its process may change what was found of it.

    Complexity: memory for the instances that go on, and for those with whom something was wrong
    that is not settled yet.
    """

    plan: CheckPlan
    observations: FollowedObservations
    settled_before: int | None = None
    """What was over before this moment (ms) is let go; None: nothing is."""
    tables: JudgingTables = field(init=False)
    _quiet: QuietInstances = field(init=False)
    _memory_ms: int = field(init=False)
    _context: JudgingContext | None = None
    _judged: dict[InstanceIdentity, InstanceJudgement] = Factory(dict)
    _folds: dict[InstanceIdentity, _LiveFold] = Factory(dict)
    _tellers: dict[InstanceIdentity, dict[Teller, None]] = Factory(lambda: defaultdict(dict))
    """Who tells of an instance; of those of `_partly_known` the latest alone, the others are found
    by machine and key.
    """
    _partly_known: set[InstanceIdentity] = Factory(set)
    _profiles: dict[int, tuple[ContentReading, Profile]] = Factory(dict)
    """By the number of a log: what was read of it, and what that shows."""

    @tables.default
    def _tables(self) -> JudgingTables:
        return JudgingTables(self.plan)

    @_memory_ms.default
    def _shortest_memory(self) -> int:
        return shortest_memory_ms(self.plan)

    @_quiet.default
    def _quiet_instances(self) -> QuietInstances:
        return QuietInstances(self.tables)

    def report(self, logs: Sequence[FollowedLog]) -> Report:
        """Return what is known now, without timeline, steps that were counted, rules of systems,
        and instances that ended and of which there is nothing to say.

        Args:
            logs: all that are followed, in the order in which a check has them as files.

        Complexity: judges the instances that new lines are about from where they were, and from
        their beginning those whose history others tell too, and all of a process of which something
        new was learnt, such as its release.
        """
        profiles = [self._profile(log, number) for number, log in enumerate(logs)]
        context = settle_context(self.plan, tuple(log.as_file() for log in logs), profiles)
        self._forget_outdated(context)
        self._context = context
        numbers = {log.number: number for number, log in enumerate(logs)}
        rows = RenumberedObservations(self.observations, numbers)
        for touched in self.observations.take_touched():
            affected = self._affected(context, rows, touched)
            for who in affected:
                self._judge(context, who, rows)
            self._let_go(context, affected)
        for who in [who for who in self._tellers if not self._is_judged(who)]:
            self._judge(context, who, rows)
        judged = [
            self._judged[who]
            for who in sorted(self._judged, key=lambda who: instance_sort_key(context, who))
        ]
        return self._assembly(context, profiles, logs).report(judged, TimelineCounts(), ())

    def _profile(self, log: FollowedLog, number: int) -> Profile:
        """Return what a log shows as the file of a check with a number; joined once for what was
        read.
        """
        if log.number != number:
            return log.reading.of_file(number).profile
        known = self._profiles.get(number)
        if known is None or known[0] is not log.reading:
            known = self._profiles[number] = log.reading, log.reading.profile
        return known[1]

    def settle_past(self, report: Report) -> bool:
        """Let go of what is over for long, where that is much; say whether it was.

        Args:
            report: the latest: when the logs end.

        Complexity: that of a report; it is done again when as much is over once more.
        """
        ends = [source.last.ms for source in report.sources if source.last and source.last.ms]
        moment = settled_moment(self._judged.values(), max(ends, default=0), self._memory_ms)
        if moment is None or self._context is None:
            return False
        self.settled_before = max(moment, self.settled_before or moment)
        for who, judged in self._judged.items():
            self._judged[who] = self._still_known(judged)
            if self._judged[who] is not judged and who in self._folds:
                fold = pickle.loads(self._folds[who].packed)
                self._folds[who] = self._folded(fold, self._folds[who].last)
        self._let_go(self._context, list(self._tellers))
        return True

    def _still_known(self, judged: InstanceJudgement) -> InstanceJudgement:
        before = self.settled_before
        return judged if before is None else without_past(judged, before)

    def _folded(self, fold: InstanceFold, last: Position) -> _LiveFold:
        if self.settled_before is not None:
            points = fold.episodes.points
            points[:] = later_points(points, self.settled_before)
        return _LiveFold(pickle.dumps(fold, 5), last)

    def _is_judged(self, who: InstanceIdentity) -> bool:
        return who in self._judged or self._quiet.judgement(who) is not None

    def _let_go(self, context: JudgingContext, affected: Iterable[InstanceIdentity]) -> None:
        """Forget the judgements of what ended, where nothing of it is told as a change."""
        abroad = {observation.owner for observation in context.abroad}
        is_told_alone = RepeatedInstances(context, self.tables).may_be_in_group
        for who in affected:
            judged = self._judged.get(who) or self._quiet.judgement(who)
            if judged is None or who[0] in abroad or not self._is_at_its_end(judged):
                continue
            is_open = any(map(self.observations.is_at_an_end, self._tellers[who]))
            changes = judged._replace(unjudged=(), property_counts=())
            if not is_open and is_plain(changes) and is_told_alone(changes):
                del self._tellers[who]
                self._partly_known.discard(who)
                self._judged.pop(who, None)
                self._folds.pop(who, None)
                self._quiet.forget(who)

    def _is_at_its_end(self, judged: InstanceJudgement) -> bool:
        """Say whether it is over, or in a state that nothing leads out of."""
        finals = {state.name for state in self.plan.specs[judged.owner].states if state.final}
        return judged.is_over or (judged.states is not None and finals.issuperset(judged.states))

    def _assembly(
        self, context: JudgingContext, profiles: list[Profile], logs: Sequence[FollowedLog]
    ) -> ReportAssembly:
        facts = [log.reading.facts for log in logs]
        return ReportAssembly(context, self.tables, profiles, facts)

    def _affected(
        self, context: JudgingContext, rows: RenumberedObservations, touched: Iterable[Teller]
    ) -> Iterable[InstanceIdentity]:
        """Return the instances of which something new was told, and note who tells of them."""
        affected: dict[InstanceIdentity, None] = {}
        for teller in touched:
            owner, key, file, unit = teller
            if None not in key and self.observations.is_known(teller):
                process = context.process_by_unit[rows.numbers[file], unit]
                who = owner, reporting_process(context, owner, process), key
                if who not in self._tellers:  # new, or let go
                    self._tellers[who].update(dict.fromkeys(rows.tellers_of(context, who)))
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
        if self._went_as_others(context, who, rows, fresh, ends):
            return
        if before is None or not self._goes_on(context, who, before, rows, [*fresh, *ends]):
            before, tellers = None, self._all_tellers(context, who, rows)
            if not _may_go_on(context, who, tellers, rows):
                self._judge_as_a_whole(context, who, rows)
                return
            fresh = [observation for teller in tellers for observation in rows.settled(teller)]
        fold = pickle.loads(before.packed) if before is not None else None
        judging = self._new_pass(context, who, (), fold)
        ordered = order_observations(context, fresh)
        _exhaust(judging.runs_before_more(ordered))
        last = before.last if before is not None else None
        last = context.position(ordered[-1]) if ordered else last
        if last is not None and _is_later(context, last, ends):
            self._folds[who] = self._folded(judging.fold(), last)
            self._know_latest_tellers(who)
        elif ends and last is not None:  # lines of several units of one file
            self._judge_as_a_whole(context, who, rows)
            return
        _exhaust(judging.runs_before_more(order_observations(context, ends)))
        self._judged[who] = self._finished(judging)

    def _judge_as_a_whole(
        self, context: JudgingContext, who: InstanceIdentity, rows: RenumberedObservations
    ) -> None:
        observations = rows.of_instance(context, who, self._all_tellers(context, who, rows))
        self._judged[who] = self._finished(self._new_pass(context, who, observations))

    def _goes_on(
        self,
        context: JudgingContext,
        who: InstanceIdentity,
        before: _LiveFold,
        rows: RenumberedObservations,
        new: list[Observation],
    ) -> bool:
        """Say whether all that is new of an instance stands behind what was judged of it."""
        may_be = _may_go_on(context, who, self._tellers[who], rows)
        return may_be and _is_later(context, before.last, new)

    def _all_tellers(
        self, context: JudgingContext, who: InstanceIdentity, rows: RenumberedObservations
    ) -> dict[Teller, None]:
        """Return all who tell of an instance, and know them."""
        if who in self._partly_known:
            self._partly_known.discard(who)
            others = dict.fromkeys(rows.tellers_of(context, who))
            self._tellers[who] = {**others, **self._tellers[who]}
        return self._tellers[who]

    def _know_latest_tellers(self, who: InstanceIdentity) -> None:
        """Forget who told of an instance in logs that are settled, but for the last: there is one
        more after each rotation.
        """
        tellers = self._tellers[who]
        settled = [of for of in tellers if not self.observations.is_at_an_end(of)]
        for teller in settled[:-1]:
            del tellers[teller]
            self._partly_known.add(who)

    def _went_as_others(
        self,
        context: JudgingContext,
        who: InstanceIdentity,
        rows: RenumberedObservations,
        fresh: list[Observation],
        ends: list[Observation],
    ) -> bool:
        """Say whether nothing has to be judged of an instance; where another one went its way
        before, what comes of that is learnt.
        """
        tellers, quiet = self._tellers[who], self._quiet
        self._judged.pop(who, None)
        if len(tellers) != 1 or who in self._partly_known:
            quiet.forget(who)
            return False
        if not quiet.knows_lines(who):
            fresh = [observation for teller in tellers for observation in rows.settled(teller)]
        variant = quiet.take(who, fresh, ends)
        if variant is not None and quiet.repeated.is_worth_learning(variant):
            judging = quiet.repeated.judge(who, rows.of_instance(context, who, tellers))
            _exhaust(judging.runs())
            assert judging.judgement is not None  # there is no group that it would be of
            self._judged[who] = self._still_known(judging.judgement)
        return self._is_judged(who)

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
        return self._still_known(judging.judgement)

    def _forget_outdated(self, context: JudgingContext) -> None:
        """Forget judgements that rest on what is known otherwise by now."""
        before = self._context
        if before is not None and not stands_what_was_let_go(before, context):
            self.observations.touch_all()
        if before is None or not is_continued(before, context):
            self.observations.touched |= {
                teller: None for tellers in self._tellers.values() for teller in tellers
            }
            self._judged.clear()
            self._folds.clear()
            self._tellers.clear()
            self._partly_known.clear()
            self._quiet.begin(context)
            self.tables.forget_shown_lines()
            return
        changed = {
            number
            for number, (old, new) in enumerate(
                zip(before.processes, context.processes, strict=False)
            )
            if not is_same(old, new)
        }
        self._quiet.go_on(context, changed)
        for who in [
            who
            for who, judged in self._judged.items()
            if changed and (who[1] in changed or changed.intersection(judged.processes))
        ]:
            del self._judged[who]
            self._folds.pop(who, None)
        if changed:
            self.tables.forget_shown_lines()


def _may_go_on(
    context: JudgingContext,
    who: InstanceIdentity,
    tellers: Iterable[Teller],
    rows: RenumberedObservations,
) -> bool:
    """Say whether judging an instance may go on from where it was."""
    tellers = list(tellers)
    is_told_of_whole = not any(None in key for _, key, _, _ in tellers)
    files = {rows.numbers[file] for _, _, file, _ in tellers}
    return is_told_of_whole and may_go_on(context, who[0], files)


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
